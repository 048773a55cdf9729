//! Parameters that are formulas: expressions of the position and of a stage's inputs, which the GPU evaluates.
//!
//! A stage that declares `value: formula` calls `value(position, a, b)`, with its inputs in the order of the header. The
//! expression becomes a function at the end of the stage's text. Everything else that it names (`time`, `mouse`, number
//! nodes) becomes a parameter of the stage that is evaluated on the CPU every frame.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use super::scope::{Flattener, NodePlace};
use super::{DomainId, Setting};
use crate::document::ParamValue;
use crate::expr::{ExprPlace, Expression, Number, Numbers, Shader};
use crate::problem::Problem;
use crate::stage::Stage;
use crate::stage::header::{Header, Param, ParamType};
use crate::stage::types::ValueType;

/// The argument of every formula besides the stage's inputs.
const POSITION: &str = "position";

/// A function's text, and what it reads from the uniform block, by the name in the expression.
struct Written {
    function: String,
    read: BTreeMap<String, (String, ValueType)>,
}

impl Flattener<'_> {
    /// A stage with functions in place of its formulas; its node has what they read instead.
    pub(super) fn with_formulas(
        &mut self,
        place: &NodePlace<'_>,
        stage: Arc<Stage>,
        settings: &mut Vec<Setting>,
    ) -> Arc<Stage> {
        let params = stage.header.params.iter();
        let formulas: Vec<(String, ValueType)> = params
            .filter_map(|param| match param.ty {
                ParamType::Formula(result) => Some((param.name.clone(), result)),
                _ => None,
            })
            .collect();
        if formulas.is_empty() {
            return stage;
        }
        let (mut functions, mut read) = (String::new(), Vec::new());
        for (name, result) in &formulas {
            let Some(setting) = settings.iter().find(|setting| setting.name == *name).cloned() else { continue };
            self.shapes(place.path, name, &setting.aliases);
            let is_setting = |other: &str| settings.iter().any(|setting| setting.name == other);
            match self.formula(place, &stage.header, &setting, *result, &is_setting) {
                Ok(written) => {
                    functions.push_str(&written.function);
                    for (value, (param, ty)) in written.read {
                        let value = ParamValue::Expression(value);
                        read.push(parameter(&param, ty));
                        settings.push(Setting { name: param, ty, value, aliases: Vec::new(), ..setting.clone() });
                    }
                }
                Err(fault) => {
                    if let Some((cause, remedy)) = fault {
                        self.problems.push(Problem::new(place.path, name, cause, remedy));
                    }
                    let arguments = declared(&stage.header);
                    let ty = if *result == ValueType::Vec { "Vec" } else { "f32" };
                    let _ = writeln!(functions, "fn {name}({arguments}) -> {ty} {{ return {ty}(0.0); }}");
                }
            }
        }
        let names: BTreeSet<String> = formulas.into_iter().map(|(name, _)| name).collect();
        settings.retain(|setting| !names.contains(&setting.name));
        Arc::new(stage.with_formulas(&names, read, &functions))
    }

    /// Records that another text of the formula compiles a new plan.
    fn shapes(&mut self, path: &str, name: &str, aliases: &[String]) {
        let shaped = format!("{path}.{name}");
        for from in aliases.iter().chain([&shaped]) {
            self.graph.shapes.entry(from.clone()).or_default().push(shaped.clone());
        }
    }

    fn formula(
        &mut self,
        place: &NodePlace<'_>,
        header: &Header,
        setting: &Setting,
        result: ValueType,
        is_setting: &dyn Fn(&str) -> bool,
    ) -> Result<Written, super::numbers::Fault> {
        let text = match &setting.value {
            ParamValue::Expression(text) => text.clone(),
            ParamValue::Number(value) => format!("{value}"),
            ParamValue::Bool(value) => u8::from(*value).to_string(),
            ParamValue::Vector(values) => format!("{values:?}"),
            ParamValue::Keys(_) => {
                let remedy = "set the keys on a number node, and name it in the formula";
                return Err(Some(("a formula can't have keys".into(), remedy.into())));
            }
            ParamValue::Curve(_) | ParamValue::Gradient(_) => {
                let cause = format!("{} was given for a formula", setting.value.kind());
                return Err(Some((cause, "give an expression such as \"sin(tau * position.x)\"".into())));
            }
        };
        let dim = self.dim(place).ok_or_else(|| {
            let cause = "the graph has domains of 2 and of 3 dimensions, so the formula's space is not clear";
            Some((cause.to_string(), "name the domain in the node's `on`".to_string()))
        })?;
        // What the GPU computes has priority over numbers of the same name.
        let local = inputs(header, dim);
        let numbers = self.numbers.used_numbers(&text, &setting.names, &local)?;
        let expression = Expression::parse_with(&text, &numbers)
            .or_else(|_| Expression::parse_with(&text, &self.numbers.with_unused_numbers(&setting.names, &numbers)))
            .map_err(|error| Some(error.cause_and_help()))?;
        let mut read = BTreeMap::new();
        for name in expression.variables().iter().copied().chain(expression.numbers().iter().map(String::as_str)) {
            if local.contains_key(name) {
                continue;
            }
            let len = length(name, &numbers);
            let mut param = format!("{}_{name}", setting.name);
            while is_setting(&param) || header.ports.iter().any(|port| port.name == param) {
                param.push('_');
            }
            let ty = [ValueType::F32, ValueType::Vec2, ValueType::Vec3, ValueType::Vec4][len.clamp(1, 4) - 1];
            read.insert(name.to_string(), (param, ty));
        }
        let named = |name: &str| match (local.get(name), read.get(name)) {
            (Some(number), _) => Some((name.to_string(), number.as_slice().len())),
            (None, Some((param, ty))) => Some((format!("params.{param}"), ty.components(dim) as usize)),
            (None, None) => None,
        };
        let shader = expression.to_wgsl(&setting.name, &named).map_err(|error| Some(error.cause_and_help()))?;
        let value = fitted(&shader, result, dim).map_err(Some)?;
        let name = &setting.name;
        let ty = if result == ValueType::Vec { "Vec" } else { "f32" };
        let function = format!("{}fn {name}({}) -> {ty} {{ return {value}; }}\n", shader.functions, declared(header));
        Ok(Written { function, read })
    }

    /// Dimensions of the space of a node; `None` where the graph has several spaces and the node names none.
    fn dim(&self, place: &NodePlace<'_>) -> Option<u32> {
        let named = place.node.on.as_ref().and_then(|on| place.scope.domains.get(on).copied()).or(place.scope.domain);
        let dims: BTreeSet<u32> = self.graph.domains.iter().map(|domain| domain.dim).collect();
        let dim = |id: DomainId| self.graph.domains.get(id).map(|domain| domain.dim);
        match (named.and_then(dim), dims.first(), dims.len()) {
            (Some(dim), ..) => Some(dim),
            (None, first, 0 | 1) => Some(first.copied().unwrap_or(2)),
            _ => None,
        }
    }
}

/// What a stage's formulas can name besides what all expressions can: the position and the inputs, in a space of `dim`
/// dimensions. The values stand for any.
pub fn inputs(header: &Header, dim: u32) -> Numbers {
    let mut inputs = Numbers::from([(POSITION.to_string(), of_len(dim))]);
    for port in header.formula_inputs() {
        let ty = port.ty.element().map_or(ValueType::F32, super::values::of_element);
        inputs.insert(port.name.clone(), of_len(ty.components(dim)));
    }
    inputs
}

/// Checks the text of a formula as the compiler does: what it names are its stage's [`inputs`], `numbers` and the language's
/// own variables.
///
/// # Errors
/// Cause and remedy in one sentence, and the place in the text, if known.
pub fn check(
    text: &str,
    inputs: &Numbers,
    numbers: &Numbers,
    result: ValueType,
) -> Result<(), (String, Option<ExprPlace>)> {
    let mut variables = numbers.clone();
    variables.extend(inputs.clone());
    let named = |name: &str| Some((name.to_string(), length(name, &variables)));
    let shader = Expression::parse_with(text, &variables).and_then(|expression| expression.to_wgsl("formula", &named));
    let shader = shader.map_err(|error| (error.to_string(), error.place()))?;
    let dim = length(POSITION, inputs) as u32;
    fitted(&shader, result, dim).map(drop).map_err(|(cause, remedy)| (format!("{cause}; {remedy}"), None))
}

/// The components of a variable or a number.
fn length(name: &str, variables: &Numbers) -> usize {
    match variables.get(name) {
        Some(number) => number.as_slice().len(),
        None if name.starts_with("mouse") => 2,
        None => 1,
    }
}

/// The text of an expression as a value of the formula's type.
fn fitted(shader: &Shader, result: ValueType, dim: u32) -> Result<String, super::numbers::Unfit> {
    let text = &shader.text;
    match (shader.len, result.components(dim) as usize) {
        (len, wanted) if len == wanted => Ok(text.clone()),
        (1, _) => Ok(format!("Vec({text})")),
        // A formula for both 2D and 3D.
        (3, 2) => Ok(format!("{text}.xy")),
        (len, wanted) => {
            let remedy = match wanted {
                1 => "give one number, such as a component or length(v)".to_string(),
                _ => format!("give {wanted} numbers, or one for all"),
            };
            Err((format!("a vector of {len} was given for {}", result.name()), remedy))
        }
    }
}

/// A number of this many components whose value is not known.
fn of_len(len: u32) -> Number {
    // Not zero, so that the check of the text divides by something.
    Number { len: len as usize, v: [0.5; 4] }
}

/// The arguments of a stage's formulas.
fn declared(header: &Header) -> String {
    let inputs = header.formula_inputs().map(|port| {
        let ty = port.ty.element().map_or(ValueType::F32, super::values::of_element);
        format!(", {}: {}", port.name, if ty == ValueType::Vec { "Vec" } else { ty.name() })
    });
    format!("{POSITION}: Vec{}", inputs.collect::<String>())
}

fn parameter(name: &str, ty: ValueType) -> Param {
    Param {
        name: name.into(),
        ty: ParamType::Value(ty),
        default: ParamValue::Number(0.0),
        range: (None, None),
        soft: (None, None),
        fixed: false,
        steady: None,
        handle: None,
        doc: String::new(),
        unit: String::new(),
        line: 1,
    }
}
