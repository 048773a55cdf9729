//! Expressions as WGSL: the same text, evaluated on the GPU in 32 bits.
//!
//! Parts that depend on no name are computed here, in 64 bits. Comparisons are exact, without the tolerance that they have
//! on the CPU. `random`, `noise`, `curve` and `pulse` exist on the CPU only.

use std::collections::BTreeSet;

use super::context::ExprContext;
use super::error::ExprError;
use super::expression::Expression;
use super::functions::{Apply, Function, call, on_cpu_only};
use super::program::{Does, Step};
use super::value::{ExprValue, Fault};

/// An expression as WGSL.
#[derive(Clone, Debug, PartialEq)]
pub struct Shader {
    /// An expression of type `f32`, or `vecNf` for several components.
    pub text: String,
    /// Number of components, 1 to 4.
    pub len: usize,
    /// Functions that the text calls.
    pub functions: String,
}

/// A part of an expression.
#[derive(Clone, Debug)]
struct Part {
    /// Safe to combine with any operator.
    text: String,
    shape: Shape,
    /// The value, if it depends on no name.
    constant: Option<ExprValue>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Scalar,
    Vector(usize),
    Condition,
    /// A list that is not a vector.
    List,
}

struct Writer<'a> {
    expression: &'a Expression,
    /// The text and the number of components of a variable or a number.
    name: &'a dyn Fn(&str) -> Option<(String, usize)>,
    prefix: &'a str,
    functions: BTreeSet<String>,
}

impl Expression {
    /// Writes the expression as WGSL. `name` gives the text of each variable and number, and its number of components.
    /// Names of functions in the text begin with `prefix`.
    ///
    /// # Errors
    /// One sentence with the place, where a part cannot be computed on the GPU.
    pub fn to_wgsl(&self, prefix: &str, name: &dyn Fn(&str) -> Option<(String, usize)>) -> Result<Shader, ExprError> {
        let mut writer = Writer { expression: self, name, prefix, functions: BTreeSet::new() };
        let part = writer.steps(0, self.scan.steps.len())?;
        let part = writer.number(part, 0)?;
        let functions = writer.functions.into_iter().collect();
        Ok(Shader { text: part.text, len: part.shape.len(), functions })
    }
}

impl Shape {
    fn len(self) -> usize {
        if let Shape::Vector(len) = self { len } else { 1 }
    }

    fn of_len(len: usize) -> Shape {
        if len == 1 { Shape::Scalar } else { Shape::Vector(len) }
    }
}

fn ty(len: usize) -> String {
    if len == 1 { "f32".into() } else { format!("vec{len}f") }
}

fn literal(value: f64) -> Option<String> {
    let value = value as f32;
    let text = format!("{value:?}");
    value.is_finite().then(|| if value.is_sign_negative() { format!("({text})") } else { text })
}

impl Writer<'_> {
    fn text(&self, at: u16, message: impl Into<String>) -> ExprError {
        self.expression.explain(Some(at), Fault::Text(message.into()), 0.0)
    }

    fn step(&self, at: usize) -> Option<Step> {
        self.expression.scan.steps.get(at).copied()
    }

    /// The value that the steps from `next` up to `end` leave.
    fn steps(&mut self, mut next: usize, end: usize) -> Result<Part, ExprError> {
        let mut stack: Vec<Part> = Vec::new();
        let mut last = 0;
        while next < end
            && let Some(Step { does, at }) = self.step(next)
        {
            last = at;
            next += 1;
            let arguments = stack.split_off(stack.len().saturating_sub(does.takes_and_leaves().0));
            let first = arguments.first().cloned();
            let part = match (does, first) {
                (Does::Scalar(x), _) => self.constant(ExprValue::Scalar(x), at)?,
                (Does::Condition(condition), _) => self.constant(ExprValue::Condition(condition), at)?,
                (Does::Variable((name, _)), _) => self.named(name, at)?,
                (Does::Number(index), _) => {
                    let name = self.expression.numbers().get(usize::from(index)).map_or("", String::as_str);
                    self.named(name, at)?
                }
                (Does::Part(index), Some(part)) => self.component(&part, index, at)?,
                (Does::List(_), _) => self.list(&arguments, at)?,
                (Does::Call(function, _), _) => self.call(function, arguments, at)?,
                (Does::Check, Some(part)) => self.condition(part, at)?,
                (Does::Decide(wanted, end), Some(left)) => {
                    let left = self.condition(left, at)?;
                    let right = self.steps(next, end.into())?;
                    let right = self.condition(right, at)?;
                    next = end.into();
                    let operator = if wanted { "||" } else { "&&" };
                    Part {
                        text: format!("({} {operator} {})", left.text, right.text),
                        shape: Shape::Condition,
                        constant: None,
                    }
                }
                (Does::Unless(other), Some(condition)) => {
                    let condition = self.condition(condition, at)?;
                    // The step before the other branch jumps to its end.
                    let jump = usize::from(other).saturating_sub(1);
                    let Some(Step { does: Does::Jump(end), .. }) = self.step(jump) else {
                        return Err(self.text(at, "this `if` has no end"));
                    };
                    let one = self.steps(next, jump)?;
                    let two = self.steps(other.into(), end.into())?;
                    next = end.into();
                    self.choice(&condition, one, two, at)?
                }
                (Does::Jump(_) | Does::Part(_) | Does::Check | Does::Decide(..) | Does::Unless(_), _) => {
                    return Err(self.text(at, "this has no value"));
                }
            };
            stack.push(part);
        }
        stack.pop().ok_or_else(|| self.text(last, "this has no value"))
    }

    fn constant(&self, value: ExprValue, at: u16) -> Result<Part, ExprError> {
        let too_large = || self.text(at, "this is too large for 32 bits; write a number below 3.4e38");
        let (text, shape) = match value {
            ExprValue::Scalar(x) => (literal(x).ok_or_else(too_large)?, Shape::Scalar),
            ExprValue::Condition(condition) => (condition.to_string(), Shape::Condition),
            ExprValue::Vector(v) => {
                let parts: Option<Vec<String>> = v.as_slice().iter().map(|x| literal(*x)).collect();
                let parts = parts.ok_or_else(too_large)?.join(", ");
                (if v.len == 1 { parts } else { format!("{}({parts})", ty(v.len)) }, Shape::of_len(v.len))
            }
            ExprValue::List(..) => (String::new(), Shape::List),
        };
        Ok(Part { text, shape, constant: Some(value) })
    }

    fn named(&self, name: &str, at: u16) -> Result<Part, ExprError> {
        let (text, len) = (self.name)(name).ok_or_else(|| self.text(at, format!("`{name}` has no value here")))?;
        Ok(Part { text, shape: Shape::of_len(len), constant: None })
    }

    fn component(&self, part: &Part, index: u16, at: u16) -> Result<Part, ExprError> {
        if let Some(value) = part.constant {
            let value = value.part(index).map_err(|fault| self.expression.explain(Some(at), fault, 0.0))?;
            return self.constant(ExprValue::Scalar(value), at);
        }
        let name = ["x", "y", "z", "w"].get(usize::from(index)).copied().unwrap_or_default();
        match part.shape {
            Shape::Vector(len) if usize::from(index) < len => {
                Ok(Part { text: format!("{}.{name}", part.text), shape: Shape::Scalar, constant: None })
            }
            Shape::Vector(len) => Err(self.text(at, format!("a vector of {len} has no .{name}"))),
            _ => Err(self.text(at, ".x .y .z .w are parts of a vector, and this is not a vector")),
        }
    }

    fn list(&self, parts: &[Part], at: u16) -> Result<Part, ExprError> {
        let scalars: Option<Vec<ExprValue>> =
            parts.iter().map(|part| part.constant.filter(|value| matches!(value, ExprValue::Scalar(_)))).collect();
        if let Some(vector) = scalars.and_then(|scalars| super::value::vector(&scalars)) {
            return self.constant(ExprValue::Vector(vector), at);
        }
        if parts.iter().any(|part| part.shape != Shape::Scalar) || !(1..=4).contains(&parts.len()) {
            return Ok(Part { text: String::new(), shape: Shape::List, constant: None });
        }
        let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        let text = match texts.as_slice() {
            [one] => (*one).to_string(),
            many => format!("{}({})", ty(many.len()), many.join(", ")),
        };
        Ok(Part { text, shape: Shape::of_len(parts.len()), constant: None })
    }

    fn condition(&self, part: Part, at: u16) -> Result<Part, ExprError> {
        match part.shape {
            Shape::Condition => Ok(part),
            _ => Err(self.text(at, super::value::NO_CONDITION)),
        }
    }

    /// Conditions count as 1 or 0.
    fn number(&self, part: Part, at: u16) -> Result<Part, ExprError> {
        match part.shape {
            Shape::Scalar | Shape::Vector(_) => Ok(part),
            Shape::Condition => {
                Ok(Part { text: format!("select(0.0, 1.0, {})", part.text), shape: Shape::Scalar, constant: None })
            }
            Shape::List => Err(self.text(at, "a vector of 1 to 4 numbers is needed, not this list")),
        }
    }

    fn choice(&self, condition: &Part, one: Part, two: Part, at: u16) -> Result<Part, ExprError> {
        if one.shape == Shape::Condition && two.shape == Shape::Condition {
            let text = format!("select({}, {}, {})", two.text, one.text, condition.text);
            return Ok(Part { text, shape: Shape::Condition, constant: None });
        }
        let (one, two) = (self.number(one, at)?, self.number(two, at)?);
        let len = self.common(&[&one, &two], "if", at)?;
        let text = format!("select({}, {}, {})", spread(&two, len), spread(&one, len), condition.text);
        Ok(Part { text, shape: Shape::of_len(len), constant: None })
    }

    /// The number of components that all parts have, where they are not scalars.
    fn common(&self, parts: &[&Part], name: &str, at: u16) -> Result<usize, ExprError> {
        let len = parts.iter().map(|part| part.shape.len()).max().unwrap_or(1);
        match parts.iter().map(|part| part.shape.len()).find(|other| *other != 1 && *other != len) {
            Some(short) => Err(self.text(at, format!("`{name}` cannot combine a vector of {short} with one of {len}"))),
            None => Ok(len),
        }
    }

    fn call(&mut self, function: &'static Function, arguments: Vec<Part>, at: u16) -> Result<Part, ExprError> {
        let (usage, apply) = *function;
        let name = usage.split('(').next().unwrap_or(usage);
        if on_cpu_only(function) {
            return Err(self
                .text(at, format!("`{name}` is computed on the CPU; put it into a number node, and name that here")));
        }
        let constants: Option<Vec<ExprValue>> = arguments.iter().map(|part| part.constant).collect();
        if let Some(values) = constants {
            let value = call(function, &values, &ExprContext::default(), &[]);
            return self.constant(value.map_err(|fault| self.expression.explain(Some(at), fault, 0.0))?, at);
        }
        let count = arguments.len();
        let wrong = |writer: &Self| writer.text(at, format!("write it as {usage}; here it has {count} arguments"));
        match apply {
            Apply::Not => {
                let [one] = <[Part; 1]>::try_from(arguments).map_err(|_| wrong(self))?;
                let one = self.condition(one, at)?;
                return Ok(Part { text: format!("!{}", one.text), shape: Shape::Condition, constant: None });
            }
            Apply::Compare(_) => {
                let [a, b] = <[Part; 2]>::try_from(arguments).map_err(|_| wrong(self))?;
                let alike = a.shape == b.shape && matches!(a.shape, Shape::Scalar | Shape::Condition);
                let ordered = !matches!(name, "==" | "!=") && a.shape == Shape::Condition;
                if !alike || ordered {
                    let message =
                        format!("`{name}` compares two numbers or two conditions; of a vector take .x or length(v)");
                    return Err(self.text(at, message));
                }
                let text = format!("({} {name} {})", a.text, b.text);
                return Ok(Part { text, shape: Shape::Condition, constant: None });
            }
            Apply::Vector => {
                let whole = (2..=4).contains(&count) && arguments.iter().all(|part| part.shape == Shape::Scalar);
                return if whole { self.list(&arguments, at) } else { Err(wrong(self)) };
            }
            _ => {}
        }
        let arguments: Vec<Part> = arguments.into_iter().map(|part| self.number(part, at)).collect::<Result<_, _>>()?;
        let len = self.common(&arguments.iter().collect::<Vec<_>>(), name, at)?;
        let texts: Vec<String> = arguments.iter().map(|part| spread(part, len)).collect();
        let (text, shape) = match (apply, texts.as_slice()) {
            (Apply::One(_), [x]) if name == "-" => (format!("(-{x})"), Shape::of_len(len)),
            (Apply::Two(_), [a, b]) if matches!(name, "+" | "-" | "*" | "/" | "%") => {
                (format!("({a} {name} {b})"), Shape::of_len(len))
            }
            (Apply::Two(_), [a, b]) if matches!(name, "**" | "pow") => {
                (self.power(a, b, &arguments, len), Shape::of_len(len))
            }
            (Apply::Length, [x]) if len == 1 => (format!("abs({x})"), Shape::Scalar),
            (Apply::Length, [x]) => (format!("length({x})"), Shape::Scalar),
            (Apply::Dot, [a, b]) if len == 1 => (format!("({a} * {b})"), Shape::Scalar),
            (Apply::Dot, [a, b]) => (format!("dot({a}, {b})"), Shape::Scalar),
            (Apply::Normalize, [x]) if len == 1 => (format!("sign({x})"), Shape::Scalar),
            (Apply::Normalize, [x]) => {
                let zero = format!("let l = length(v); return select(v / l, {}(0.0), l == 0.0);", ty(len));
                (self.helper("normalize", &["v"], len, &zero, &[x.as_str()]), Shape::of_len(len))
            }
            (Apply::One(_), [x]) if matches!(name, "asin" | "acos") => {
                // Drivers may approximate both with an error of 5e-4.
                let root = "let y = sqrt((1.0 - x) * (1.0 + x)); return";
                let body = format!("{root} {};", if name == "asin" { "atan2(x, y)" } else { "atan2(y, x)" });
                (self.helper(name, &["x"], len, &body, &[x.as_str()]), Shape::of_len(len))
            }
            // Drivers may compute it as a ratio of exponentials, which overflow.
            (Apply::One(_), [x]) if name == "tanh" => (
                self.helper(
                    "tanh",
                    &["x"],
                    len,
                    &format!("return tanh(clamp(x, {0}(-15.0), {0}(15.0)));", ty(len)),
                    &[x.as_str()],
                ),
                Shape::of_len(len),
            ),
            (Apply::One(_), [x]) if name == "round" => {
                // Halves go away from zero.
                (
                    self.helper("round", &["x"], len, "return sign(x) * floor(abs(x) + 0.5);", &[x.as_str()]),
                    Shape::of_len(len),
                )
            }
            (Apply::Three(_), [low, high, x]) if name == "smoothstep" => {
                let body = format!(
                    "let t = clamp((x - low) / (high - low), {0}(0.0), {0}(1.0)); \
                     return select(t * t * (3.0 - 2.0 * t), step(high, x), low == high);",
                    ty(len)
                );
                (self.helper("smoothstep", &["low", "high", "x"], len, &body, &[low, high, x]), Shape::of_len(len))
            }
            (Apply::Three(_), [x, low, high]) if name == "clamp" => {
                (format!("min(max({x}, {low}), {high})"), Shape::of_len(len))
            }
            (Apply::One(_), [_]) | (Apply::Two(_), [_, _]) | (Apply::Three(_), [_, _, _]) => {
                (format!("{name}({})", texts.join(", ")), Shape::of_len(len))
            }
            _ => return Err(wrong(self)),
        };
        Ok(Part { text, shape, constant: None })
    }

    /// `pow` of WGSL is undefined for negative bases.
    fn power(&mut self, a: &str, b: &str, arguments: &[Part], len: usize) -> String {
        let exponent = match arguments.get(1).and_then(|part| part.constant) {
            Some(ExprValue::Scalar(exponent)) => Some(exponent),
            _ => None,
        };
        if let Some(exponent) = exponent.filter(|e| (2.0..=4.0).contains(e) && e.fract() == 0.0) {
            let count = exponent as usize;
            let body = format!("return {};", vec!["x"; count].join(" * "));
            return self.helper(&format!("power{count}"), &["x"], len, &body, &[a]);
        }
        let (zero, one) = (format!("{}(0.0)", ty(len)), format!("{}(1.0)", ty(len)));
        let body = format!(
            "let size = pow(abs(x), y); let odd = abs(y - 2.0 * floor(y / 2.0)) == {one}; \
             let signed = select(pow(x, y), select(size, -size, odd), y == floor(y)); \
             return select(select(signed, size, x >= {zero}), {one}, y == {zero});"
        );
        self.helper("power", &["x", "y"], len, &body, &[a, b])
    }

    /// A call of a function whose parameters and result have `len` components.
    fn helper(&mut self, name: &str, parameters: &[&str], len: usize, body: &str, arguments: &[&str]) -> String {
        let function = format!("{}_{name}_{len}", self.prefix);
        let ty = ty(len);
        let declared: Vec<String> = parameters.iter().map(|name| format!("{name}: {ty}")).collect();
        self.functions.insert(format!("fn {function}({}) -> {ty} {{ {body} }}\n", declared.join(", ")));
        format!("{function}({})", arguments.join(", "))
    }
}

/// The text of a part with this number of components.
fn spread(part: &Part, len: usize) -> String {
    match part.shape.len() == len {
        true => part.text.clone(),
        false => format!("{}({})", ty(len), part.text),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Number, Numbers};
    use super::*;

    fn write(text: &str) -> Result<Shader, ExprError> {
        let numbers = Numbers::from([
            ("position".into(), Number { len: 2, v: [0.5, 0.25, 0.0, 0.0] }),
            ("wind".into(), Number::scalar(2.0)),
        ]);
        let expression = Expression::parse_with(text, &numbers)?;
        expression.to_wgsl("value", &|name| match name {
            "position" => Some(("position".into(), 2)),
            name => Some((format!("params.{name}"), if name.starts_with("mouse") { 2 } else { 1 })),
        })
    }

    fn text(source: &str) -> String {
        write(source).unwrap().text
    }

    #[test]
    fn operators_and_functions_are_those_of_wgsl() {
        assert_eq!(text("1 + 2 * wind"), "(1.0 + (2.0 * params.wind))");
        assert_eq!(text("sin(tau / 2 * position.x)"), "sin((3.1415927 * position.x))");
        assert_eq!(text("[position.y, -1]"), "vec2f(position.y, (-1.0))");
        assert_eq!(text("2 * position - mouse"), "((vec2f(2.0) * position) - params.mouse)");
        assert_eq!(
            text("length(position) < 0.5 && time > 1"),
            "select(0.0, 1.0, ((length(position) < 0.5) && (params.time > 1.0)))"
        );
        assert_eq!(
            text("if position.x > 0.5 { 1 } else if wind > 0 { wind } else { 0 }"),
            "select(select(0.0, params.wind, (params.wind > 0.0)), 1.0, (position.x > 0.5))"
        );
        assert_eq!(text("2 ** 3 ** 2"), "512.0");
        assert!(write("(position.x - 1) ** 2").unwrap().functions.contains("return x * x;"));
    }

    #[test]
    fn what_the_gpu_lacks_is_an_error_with_its_place() {
        let refused = |source: &str| write(source).unwrap_err().to_string();
        assert_eq!(
            refused("1 + noise(position.x)"),
            "`noise` is computed on the CPU; put it into a number node, and name that here (column 5)"
        );
        assert_eq!(refused("1e39 * wind"), "this is too large for 32 bits; write a number below 3.4e38 (column 1)");
        assert_eq!(refused("position.z"), "a vector of 2 has no .z (column 9)");
    }
}
