//! Stages built into a kernel: the text of a field, or of a stage that runs before, and all that is generated for it, with every name of theirs made
//! different from everybody else's.

use super::*;
use crate::stage::syntax::{TokenKind, tokens};

/// What the names of a built-in stage begin with.
pub fn prefix(field: InstanceId) -> String {
    format!("_f{field}_")
}

impl StageKernel<'_> {
    /// The module of a built-in stage, and whether its loops are proven finite.
    pub(super) fn module(&self, of: Instance<'_>, bound: &[Bound]) -> (String, bool) {
        let dim = self.graph.dim(of.node);
        let (source, finite) = self.text(of);
        let accessors = self.accessors(of, bound);
        let mut wanted = Wanted::default();
        let result = self.result_struct(of);
        wanted.add_words(of.stage.words());
        [&accessors, &result].into_iter().for_each(|text| wanted.add_text(text));
        let mut text = source.into_owned();
        text.push('\n');
        text.push_str(&prelude::prelude(&self.domain(of.node), &mut wanted));
        for (letter, value) in &of.node.generics {
            let _ = writeln!(text, "alias {letter} = {};", value.wgsl(dim));
        }
        text.push_str(&result);
        text.push_str(&accessors);
        (renamed(&text, &prefix(of.index)), finite)
    }

    /// `x(position)`, and `x_gradient(position, step)` of a scalar.
    pub(super) fn field_accessor(&self, of: Instance<'_>, index: usize, port: &Port) -> String {
        let asked = |u: &StageInstance| u.callers.contains(&(of.index, index));
        let Some(called) = self.op.stages.position(asked) else { return String::new() };
        let node = &self.graph.nodes[self.op.stages[called].node];
        let dim = self.graph.dim(node);
        let value = node.outputs.first().map_or(ValueType::F32, |ty| ty.value());
        let (name, ty, position) = (&port.name, value.wgsl(dim), prelude::position_type(dim));
        let mut out =
            format!("fn {name}(_position: {position}) -> {ty} {{ return {}stage(_position); }}", prefix(called));
        if of.stage.calls(&format!("{name}_gradient")) {
            let difference = |axis: usize| {
                let unit: Vec<&str> = (0..dim as usize).map(|d| if d == axis { "_step" } else { "0.0" }).collect();
                let unit = format!("{position}({})", unit.join(", "));
                format!("{name}(_position + {unit}) - {name}(_position - {unit})")
            };
            let parts: Vec<String> = (0..dim as usize).map(difference).collect();
            let _ = write!(
                out,
                "\nfn {name}_gradient(_position: {position}, _step: f32) -> {position} {{ return {position}({}) / (2.0 * _step); }}",
                parts.join(", ")
            );
        }
        out
    }
}

/// A module's text with its own names prefixed, and its parameters as members of the kernel's block. Members after a
/// point and in the body of a struct keep their names.
fn renamed(text: &str, prefix: &str) -> String {
    let tokens = tokens(text);
    let mut own = prelude::declared(text);
    own.extend(super::alarms::GUARDS.map(String::from));
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut copied = 0;
    let mut struct_depth = 0;
    for (index, token) in tokens.iter().enumerate() {
        let near = |offset: isize| index.checked_add_signed(offset).and_then(|i| tokens.get(i)).map_or("", |t| t.text);
        match token.text {
            "{" if struct_depth > 0 || near(-2) == "struct" => struct_depth += 1,
            "}" if struct_depth > 0 => struct_depth -= 1,
            _ => {}
        }
        let member = near(-1) == "." || (struct_depth > 0 && near(1) == ":");
        if token.kind != TokenKind::Word || member {
            continue;
        }
        let replaced = if token.text == "params" && near(1) == "." {
            // `params.x` becomes `params._f1_x`; the member follows the point.
            let Some(field) = tokens.get(index + 2) else { continue };
            out.push_str(&text[copied..field.start]);
            copied = field.start;
            prefix.to_string()
        } else if own.contains(token.text) {
            out.push_str(&text[copied..token.start]);
            copied = token.start + token.text.len();
            format!("{prefix}{}", token.text)
        } else {
            continue;
        };
        out.push_str(&replaced);
    }
    out.push_str(&text[copied..]);
    // The header and comments have been read where the stage stands.
    let body: Vec<&str> = out.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    body.join("\n") + "\n"
}
