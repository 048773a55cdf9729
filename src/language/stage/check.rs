//! Checks a stage's text beyond its header: the signature of its function, names, and that everything declared is used.

use std::collections::BTreeSet;

use super::accessors;
use super::bounded::constants;
use super::definition::StageError;
use super::header::{Change, Direction, Header, Param, ParamType, Port, Scatter};
use super::shared::{Used, origin};
use super::syntax::{Token, TokenKind, calls, closing, is_member, line_col, module_names, stage_function, text};
use super::types::{Element, PortType, ValueType};

/// Checks the signature of `fn stage` against the header.
pub(super) fn function(header: &Header, source: &str, tokens: &[Token<'_>], errors: &mut Vec<StageError>) {
    let Some(function) = stage_function(tokens) else {
        errors.push(StageError::new(1, 1, "there is no `fn stage(cell: Cell)`; the compiler calls it for every cell"));
        return;
    };
    let (line, column) = tokens.get(function.keyword).map_or((1, 1), |token| line_col(source, token.start));
    let takes_nothing = text(tokens, function.arguments.start) == ")";
    let (_, argument) = function.first_argument(tokens);
    let wrong = wrong_argument(header, (!takes_nothing).then_some(argument));
    errors.extend(wrong.map(|message| StageError::new(line, column, message)));
    errors.extend(wrong_outputs(header, argument).into_iter().map(|(line, message)| StageError::new(line, 1, message)));
    if let Some((token, expected)) = wrong_return(header, tokens, function.keyword) {
        let (line, column) = line_col(source, token.start);
        // Of an array its element and length too.
        let returned: String = match token.text {
            "array" => format!("`{}`", source[token.start..].split_inclusive('>').next().unwrap_or_default()),
            text => text.into(),
        };
        let message = format!("`fn stage` returns {returned}, the header asks for {expected}");
        errors.push(StageError::new(line, column, message));
    }
    let numbers = header.ports.iter().filter(|p| p.direction == Direction::Out && p.ty.is_number());
    let wrong = numbers.filter_map(|port| Some(StageError::new(port.line, 1, wrong_number(header, port)?)));
    errors.extend(wrong);
}

/// The problem with the type of the function's argument, which is `None` if it has no argument.
fn wrong_argument(header: &Header, argument: Option<&str>) -> Option<&'static str> {
    let field = header.ports.iter().any(|p| p.writes() && matches!(p.ty, PortType::Field(_)));
    let sets = header.ports.iter().any(|p| p.ty == PortType::Particles);
    match (header.once, argument) {
        (true, None) => None,
        (true, Some(_)) => Some("with `@over once` the function takes nothing: `fn stage()`"),
        (false, None) => {
            Some("the function takes no cell; write `fn stage(cell: Cell)`, or `@over once` in the header")
        }
        (_, Some("Cell")) if field => {
            Some("a stage that makes a Field is called with a position: `fn stage(position: Vec)`")
        }
        (_, Some("Cell")) => None,
        (_, Some("Particle")) if !sets => Some("`particle` needs a port of type Particles"),
        (_, Some("Particle")) => None,
        (_, Some("Vec" | "vec2f" | "vec3f")) if field => None,
        (_, Some("Vec" | "vec2f" | "vec3f")) => Some("only a stage whose @out is a Field is called with a position"),
        _ => {
            Some("the function's argument must be `cell: Cell`, `particle: Particle` or, for a Field, `position: Vec`")
        }
    }
}

/// Outputs that a function with this argument can't write, with their lines.
fn wrong_outputs(header: &Header, argument: &str) -> Vec<(usize, String)> {
    let written = || header.ports.iter().filter(|p| p.writes());
    let filled = || written().filter(|p| p.ty.is_grid() && p.scatter.is_none());
    let mut wrong = Vec::new();
    if argument == "Particle" {
        wrong.extend(filled().map(|port| {
            let name = &port.name;
            let message = match port.ty.is_array() {
                true => format!(
                    "a particle stage can't write `{name}`, which has several numbers a cell; scatter grids of one"
                ),
                false => format!("a particle stage writes the grid `{name}` with `scatter` only"),
            };
            (port.line, message)
        }));
    } else {
        wrong.extend(written().find(|p| p.ty == PortType::Particles).map(|port| {
            (port.line, format!("`{}` is changed particle by particle: `fn stage(particle: Particle)`", port.name))
        }));
        let made = written().any(|p| p.ty == PortType::NeighborGrid);
        let message = "a NeighborGrid is made particle by particle: `fn stage(particle: Particle)`";
        wrong.extend(made.then(|| (1, message.to_string())));
    }
    if header.once {
        wrong.extend(filled().map(|port| {
            let name = &port.name;
            (
                port.line,
                format!("`@over once` runs a single time and can't fill the grid `{name}`; use scatter or a number"),
            )
        }));
    }
    wrong
}

/// The problem with an output that is one number.
fn wrong_number(header: &Header, port: &Port) -> Option<String> {
    match (header.once, port.reduce) {
        (false, None) => Some(format!(
            "`{}` is one number but the stage runs many times; add `reduce max`, `min` or `sum`, or `@over once`",
            port.name
        )),
        (true, Some(_)) => Some("there is nothing to reduce with `@over once`; remove `reduce`".into()),
        _ => None,
    }
}

/// The return type of `fn stage` and the required one, where they certainly differ. A type that the user defines is
/// left to the shader compiler.
fn wrong_return<'a>(header: &Header, tokens: &[Token<'a>], keyword: usize) -> Option<(Token<'a>, String)> {
    let signature = tokens.iter().skip(keyword).take_while(|t| t.text != "{");
    let mut after = signature.skip_while(|t| t.text != "->").skip(1);
    let token = *after.next()?;
    if let [(_, Element::Fixed(wanted @ ValueType::Array(_)))] = header.returned().as_slice() {
        let length = match [after.next(), after.next(), after.next(), after.next()].map(|t| t.map_or("", |t| t.text)) {
            _ if token.text != "array" => {
                let is_builtin =
                    ValueType::parse(token.text).is_some() || ["bool", "Result", "Cell"].contains(&token.text);
                is_builtin.then_some(0)
            }
            ["<", "f32", ",", length] => length.parse().ok().or_else(|| constants(tokens).get(length).copied()),
            _ => Some(0),
        };
        let same = length.is_none_or(|length| length == i64::from(wanted.components(2)));
        return (!same).then(|| (token, format!("`{}`", wanted.wgsl(2))));
    }
    let is_builtin = ValueType::parse(token.text).is_some() || ["bool", "Result", "Cell"].contains(&token.text);
    let returned = header.returned();
    let filters = header.ports.iter().any(|p| p.change == Change::Filter);
    let wanted = match returned.as_slice() {
        [] => "nothing".to_string(),
        [_] if filters => "bool".to_string(),
        [(_, element)] => element.to_string(),
        _ => "Result".to_string(),
    };
    // In a stage for one number of dimensions, a `Vec` may be written as its WGSL type.
    let same = token.text == wanted || (wanted == "Vec" && ["vec2f", "vec3f"].contains(&token.text));
    (is_builtin && !same).then_some((token, wanted))
}

/// Rejects declarations at module scope that the compiler generates for the ports of this stage.
pub(super) fn declarations(header: &Header, source: &str, tokens: &[Token<'_>], errors: &mut Vec<StageError>) {
    for name in module_names(tokens) {
        if let Some(origin) = accessors::generated_for(header, name.text) {
            let (line, column) = line_col(source, name.start);
            let message = format!("`{}` is generated for {origin}; choose another name", name.text);
            errors.push(StageError::new(line, column, message));
        }
    }
    for port in &header.ports {
        if let Some(other) = header.ports.iter().find(|p| p.name != port.name && accessors::is_accessor(p, &port.name))
        {
            let message = format!("`{}` is generated for the port `{}`; choose another name", port.name, other.name);
            errors.push(StageError::new(port.line, 1, message));
        }
        let added = format!("add_{}", port.name);
        if port.scatter.is_some()
            && let Some(other) = header.ports.iter().find(|p| p.name != port.name && accessors::is_accessor(p, &added))
        {
            let message = format!("`{added}` is generated for the port `{}`; choose another name", other.name);
            errors.push(StageError::new(port.line, 1, message));
        }
    }
}

/// Several numbers of a cell are read one by one.
pub(super) fn numbers(header: &Header, source: &str, tokens: &[Token<'_>], errors: &mut Vec<StageError>) {
    for (at, name) in calls(tokens) {
        let reads_port = |port: &&Port| name == port.name || name.strip_suffix("_at") == Some(&port.name);
        let ports = || header.ports.iter().filter(|port| port.ty.is_array() && port.reads());
        let (Some(port), Some(close)) = (ports().find(reads_port), closing(tokens, at + 1)) else { continue };
        let mut depth = 0;
        let mut commas = 0;
        for token in &tokens[at + 1..close] {
            match token.text {
                "(" | "[" => depth += 1,
                ")" | "]" => depth -= 1,
                "," if depth == 1 => commas += 1,
                _ => {}
            }
        }
        if commas == 0 {
            let (line, column) = line_col(source, tokens[at].start);
            let count = port.ty.element().map_or(0, |element| element.example().components(2));
            let place = if name == port.name { "cell" } else { "position" };
            let message = format!(
                "`{}` has {count} numbers a cell; read one of them, `{name}({place}, i)` with i from 0 to {}",
                port.name,
                count - 1
            );
            errors.push(StageError::new(line, column, message));
        }
    }
}

/// Every input must be read, and every scatter port written.
pub(super) fn ports(header: &Header, tokens: &[Token<'_>], errors: &mut Vec<StageError>) {
    let used = |name: &str| {
        tokens.iter().enumerate().any(|(i, t)| t.kind == TokenKind::Word && t.text == name && !is_member(tokens, i))
    };
    for port in &header.ports {
        let runs_over = port.ty == PortType::Particles && header.over.as_deref().unwrap_or(&port.name) == port.name;
        if runs_over && header.over.is_some() && port.default.is_some() {
            let name = &port.name;
            let message = format!("the stage runs over `{name}`, so it has to be wired; remove its default");
            errors.push(StageError::new(port.line, 1, message));
        }
        let changed = port.ty == PortType::Particles && port.writes() && !port.is_summed_set();
        let particles = |name: &str| header.ports.iter().any(|p| p.name == name && p.ty == PortType::Particles);
        if let Some(over) = header.over.as_deref().filter(|over| changed && *over != port.name && particles(over)) {
            let name = &port.name;
            let message = format!(
                "a stage that changes the particles of `{name}` runs over them; remove `@over {over}`, or add to `{name}` with `sum`"
            );
            errors.push(StageError::new(port.line, 1, message));
        }
        let needed = runs_over || header.ports.iter().any(|p| p.like.as_deref() == Some(&port.name));
        if port.direction == Direction::In
            && !needed
            && !accessors::readers(port).any(|name| used(&name))
            && !header.ports.iter().any(|p| p.change == Change::Emit(port.name.clone()))
        {
            let message =
                format!("@in `{}` is declared but never read; call `{}(..)` or remove the line", port.name, port.name);
            errors.push(StageError::new(port.line, 1, message));
        }
        for (name, _) in port.written.iter().filter(|_| port.is_summed_set()) {
            let added = format!("add_{name}");
            if !used(&added) {
                let message = format!("the sum `{name}` is never written; call `{added}(index, value)`");
                errors.push(StageError::new(port.line, 1, message));
            }
            if let Some(other) = header.ports.iter().find(|p| p.name != port.name && accessors::is_accessor(p, &added))
            {
                let message = format!("`{added}` is generated for the port `{}`; choose another name", other.name);
                errors.push(StageError::new(port.line, 1, message));
            }
        }
        let call = match port.scatter {
            Some(Scatter::Sum(_)) => "add",
            Some(Scatter::Min) => "min",
            Some(Scatter::Max) => "max",
            None => continue,
        };
        if !used(&format!("{call}_{}", port.name)) && !used(&format!("{call}_{}_at", port.name)) {
            let place = if port.ty == PortType::FaceGrid { "cell, axis" } else { "cell" };
            let message = format!("scatter port `{0}` is never written; call `{call}_{0}({place}, value)`", port.name);
            errors.push(StageError::new(port.line, 1, message));
        }
    }
}

/// What a parameter that is a function is called with.
fn arguments(header: &Header, param: &Param) -> String {
    match param.ty {
        ParamType::Formula(_) => {
            let inputs = header.formula_inputs().map(|port| port.name.as_str());
            std::iter::once("position").chain(inputs).collect::<Vec<_>>().join(", ")
        }
        _ => "t".into(),
    }
}

/// Every parameter must be declared.
pub(super) fn params(header: &Header, source: &str, tokens: &[Token<'_>], used: &Used, errors: &mut Vec<StageError>) {
    let lines = used.lines();
    for window in tokens.windows(3) {
        let [object, dot, field] = window else { continue };
        if object.text != "params" || dot.text != "." {
            continue;
        }
        let (line, column) = line_col(source, field.start);
        let message = match header.params.iter().find(|p| p.name == field.text) {
            Some(param) if param.ty.returns().is_some() => {
                let arguments = arguments(header, param);
                format!("`{0}` is a {1}, which is a function; call `{0}({arguments})`", param.name, param.ty.name())
            }
            Some(_) => continue,
            None if origin(&lines, line).is_some() => {
                let cause = format!("the stage that uses this does not declare `params.{}`", field.text);
                format!("{cause}; add `//! @param {}: f32 = 0` to its header", field.text)
            }
            None => format!("`params.{0}` is not declared; add `//! @param {0}: f32 = 0`", field.text),
        };
        errors.push(StageError::new(line, column, message));
    }
}

/// Parameters that the text never reads: most likely somebody is about to.
pub(super) fn unused_params(header: &Header, tokens: &[Token<'_>]) -> Vec<StageError> {
    let fields = tokens.windows(3).filter(|window| window[0].text == "params" && window[1].text == ".");
    let used: BTreeSet<&str> = fields.map(|window| window[2].text).collect();
    let called: BTreeSet<&str> = calls(tokens).map(|(_, name)| name).collect();
    let unused = |param: &Param| {
        let name = param.name.as_str();
        let (is_used, read) = match param.ty.returns() {
            Some(_) => (called.contains(name), format!("call `{name}({})`", arguments(header, param))),
            None => (used.contains(name), format!("read `params.{name}`")),
        };
        let message = format!("@param `{name}` is declared but never used; {read} or remove the line");
        (!is_used).then(|| StageError::new(param.line, 1, message))
    };
    header.params.iter().filter_map(unused).collect()
}
