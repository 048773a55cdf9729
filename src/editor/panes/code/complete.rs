//! What completes the word at the caret: in a header its directives, types and options, below it what the stage's text
//! can name there.

use crate::library::Library;
use crate::stage::accessors;
use crate::stage::header::{self, Header, Param, ParamType, Role, split_commas};
use crate::stage::language::{FUNCTIONS, Kind, WGSL_FUNCTIONS, WGSL_TYPES, words};
use crate::stage::syntax::{Token, TokenKind, functions, module_names, text, tokens};
use crate::stage::types::{Element, PortType, ValueType};
use crate::toolkit::completion::{List, of_name};

/// What opens a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// A key was pressed while the list was closed.
    Typing,
    /// A key was pressed while it was open.
    Refining,
    ByHand,
}

/// Letters after which a list opens.
const LEAST: usize = 2;

/// The completions at a caret, counted in characters. `library`: holds what the text may use.
pub(super) fn completions(source: &str, caret: usize, cause: Cause, library: &Library) -> List {
    let at = source.char_indices().nth(caret).map_or(source.len(), |(at, _)| at);
    let before = source.get(..at).unwrap_or_default();
    let typed = before.get(before.trim_end_matches(of_name).len()..).unwrap_or_default();
    let so_far = before.get(..before.len() - typed.len()).unwrap_or_default();
    let least = match cause {
        Cause::Typing => LEAST,
        Cause::Refining => 1,
        Cause::ByHand => 0,
    };
    let enough = typed.len() >= least || so_far.ends_with(['.', '@']);
    if !enough || typed.starts_with(|c: char| c.is_ascii_digit()) {
        return List::default();
    }
    let (header, _) = header::read(source);
    let all = match header_line(so_far) {
        Some(line) => in_header(&header, line, typed, library),
        None => in_text(&header, source, so_far, library),
    };
    let list = List::new(all, typed, caret - typed.len()..caret);
    if cause == Cause::ByHand { list } else { list.unless_complete(typed) }
}

fn owned(words: impl IntoIterator<Item = &'static str>) -> Vec<String> {
    words.into_iter().map(String::from).collect()
}

/// The last line after its `//!`, if it belongs to the header.
pub(super) fn header_line(so_far: &str) -> Option<&str> {
    let mut last = None;
    for line in so_far.split('\n') {
        last = line.trim_start().strip_prefix("//!");
        if last.is_none() && !line.trim().is_empty() {
            return None;
        }
    }
    last
}

/// `line` ends where the word begins.
fn in_header(header: &Header, line: &str, typed: &str, library: &Library) -> Vec<String> {
    let Some(declaration) = line.trim_start().strip_prefix('@') else { return Vec::new() };
    if declaration.is_empty() {
        return owned(words(Kind::Directive));
    }
    let Some((directive, rest)) = declaration.split_once(char::is_whitespace) else { return Vec::new() };
    let rest = rest.trim_start();
    // Two blanks begin the documentation. The points of a range complete nothing.
    if rest.contains("  ") || (typed.is_empty() && rest.ends_with('.')) {
        return Vec::new();
    }
    let ports = |fits: fn(PortType) -> bool| -> Vec<String> {
        header.ports.iter().filter(|port| fits(port.ty)).map(|port| port.name.clone()).collect()
    };
    let grid = |ty: PortType| ty.is_grid();
    match directive {
        "over" if rest.is_empty() => {
            let mut all = vec!["once".to_string()];
            all.extend(ports(|ty| ty.is_grid() || ty == PortType::Particles));
            return all;
        }
        "sweep" if rest.is_empty() => return vec!["checkerboard".into()],
        // Names have folders, of which those before the word are written already.
        "use" if !rest.contains(' ') => {
            let names = library.shared_names().filter_map(|name| name.strip_prefix(rest));
            return names.map(String::from).collect();
        }
        "in" | "out" | "inout" | "param" => {}
        _ => return Vec::new(),
    }
    let of_param = directive == "param";
    let Some((_, spec)) = rest.split_once(':') else { return Vec::new() };
    let parts = split_commas(spec);
    let last = parts.last().map_or("", |part| part.trim_start());
    if parts.len() == 1 {
        return types(last, of_param);
    }
    match last.split_whitespace().next() {
        None => {
            owned(words(Kind::Option).filter(|word| ["soft", "fixed", "handle", "steady"].contains(word) == of_param))
        }
        Some("handle") if last.split_whitespace().any(|word| word == "of") => {
            let position = |param: &&Param| param.handle.as_ref().is_some_and(|handle| handle.role == Role::Position);
            header.params.iter().filter(position).map(|param| param.name.clone()).collect()
        }
        Some("handle") => owned(words(Kind::Role)),
        Some("edge") => owned(words(Kind::EdgeRule)),
        Some("reduce") => owned(words(Kind::Reduction)),
        Some("scatter") => owned(["min", "max"]),
        Some("open") => owned(["zero"]),
        Some("like" | "half") => ports(grid),
        Some("velocity") if !last.contains(" of ") => owned(["of"]),
        Some("velocity") => ports(|ty| ty.is_grid() || matches!(ty, PortType::Field(_))),
        Some("emit") => ports(|ty| matches!(ty, PortType::Number(_))),
        Some("radius") => {
            let whole = header.params.iter().filter(|param| param.ty == ParamType::Value(ValueType::I32));
            whole.map(|param| param.name.clone()).collect()
        }
        Some(_) => Vec::new(),
    }
}

/// Types of a port or a parameter, or in its brackets those of values.
fn types(part: &str, of_param: bool) -> Vec<String> {
    let values = words(Kind::ValueType).filter(|word| *word != "bool").chain(["Vec"]);
    let attribute = part.rfind(['{', '}', ',']).map(|at| part.split_at(at).1);
    match attribute {
        // The name of an attribute.
        Some(attribute) if !attribute.contains(':') => Vec::new(),
        _ if part.contains('=') => Vec::new(),
        Some(_) => owned(values.chain(["Mat"])),
        None if part.contains('<') => owned(values.chain(["Mat"])),
        None if of_param => owned(words(Kind::ParamType).chain(values)),
        None => {
            let port = |word: &str| match word {
                "Grid" | "Field" => format!("{word}<..>"),
                "Particles" => format!("{word}{{..}}"),
                _ => word.to_string(),
            };
            words(Kind::PortType).map(port).chain(owned(values)).collect()
        }
    }
}

/// What the text can name at its place `so_far`, where a word begins.
fn in_text(header: &Header, source: &str, so_far: &str, library: &Library) -> Vec<String> {
    // The word stands for the one at the caret: it is no token in a comment, and a part of one in a number.
    let probe = format!("{so_far}x");
    let before = tokens(&probe);
    let Some((last, before)) = before.split_last() else { return Vec::new() };
    if last.start != so_far.len() || last.kind != TokenKind::Word {
        return Vec::new();
    }
    let all = tokens(source);
    let scope = Scope { header, before, all: &all, library };
    let end = before.len();
    let new_line = before.last().and_then(|token| so_far.get(token.start..)).is_some_and(|gap| gap.contains('\n'));
    match end.checked_sub(1).map_or("", |at| text(before, at)) {
        "." => scope.members(end - 1),
        "let" | "var" | "const" | "fn" | "struct" | "alias" | "override" | "@" => Vec::new(),
        ":" | "->" if !new_line => type_names().into_iter().chain(scope.module_names()).collect(),
        _ => scope.names(),
    }
}

fn type_names() -> Vec<String> {
    let kinds = [Kind::ValueType, Kind::Alias, Kind::Struct, Kind::Generic];
    owned(kinds.into_iter().flat_map(words).chain(WGSL_TYPES.iter().copied()))
}

/// What a text declares at module scope, functions with their arguments.
fn declared(all: &[Token<'_>]) -> Vec<String> {
    let called = functions(all);
    let usage = |token: &Token<'_>| match called.iter().find(|function| function.name.start == token.start) {
        Some(function) => {
            let arguments = function.arguments.clone().filter(|at| text(all, at + 1) == ":");
            let arguments: Vec<&str> = arguments.map(|at| text(all, at)).collect();
            format!("{}({})", token.text, arguments.join(", "))
        }
        None => token.text.to_string(),
    };
    module_names(all).into_iter().filter(|token| token.text != "stage").map(usage).collect()
}

/// A place in a stage's text.
struct Scope<'a> {
    header: &'a Header,
    /// Tokens before the place.
    before: &'a [Token<'a>],
    /// All tokens.
    all: &'a [Token<'a>],
    library: &'a Library,
}

impl Scope<'_> {
    fn names(&self) -> Vec<String> {
        let Header { ports, params, .. } = self.header;
        let mut all = self.locals();
        all.extend(ports.iter().flat_map(accessors::usages));
        let called = |ty: ParamType| match ty {
            ParamType::Formula(_) => {
                let inputs = self.header.formula_inputs().map(|port| format!(", {}", port.name));
                format!("(position{})", inputs.collect::<String>())
            }
            _ => "(t)".to_string(),
        };
        let drawn = params.iter().filter(|param| param.ty.returns().is_some());
        all.extend(drawn.map(|param| format!("{}{}", param.name, called(param.ty))));
        all.extend(self.module_names());
        let results = self.header.returned();
        if results.len() > 1 {
            let names: Vec<&str> = results.iter().map(|(name, _)| *name).collect();
            all.push(format!("Result({})", names.join(", ")));
        }
        all.extend(owned([Kind::Block, Kind::Constant, Kind::Counter].into_iter().flat_map(words)));
        all.extend(owned(FUNCTIONS.iter().copied()));
        all.extend(owned(words(Kind::Keyword)));
        all.extend(type_names());
        all.extend(owned(WGSL_FUNCTIONS.iter().copied()));
        all
    }

    /// What the function around the place declares before it, the nearest first.
    fn locals(&self) -> Vec<String> {
        let around = functions(self.before).pop().filter(|function| function.body.end == self.before.len());
        let Some(function) = around else { return Vec::new() };
        let word = |at: usize| text(self.before, at);
        let arguments = function.arguments.clone().filter(|at| word(at + 1) == ":").map(|at| (0, word(at)));
        let mut found: Vec<(usize, &str)> = arguments.collect();
        let mut depth = 0;
        for at in function.body {
            match word(at) {
                "{" => depth += 1,
                "}" => {
                    found.retain(|(declared, _)| *declared < depth);
                    depth = depth.saturating_sub(1);
                }
                "let" | "var" | "const" => found.push((depth, word(at + 1))),
                _ => {}
            }
        }
        found.iter().rev().map(|(_, name)| name.to_string()).filter(|name| name.starts_with(of_name)).collect()
    }

    /// What the text and the files that it uses declare at module scope, functions with their arguments.
    fn module_names(&self) -> Vec<String> {
        let mut all = declared(self.all);
        all.extend(self.library.used_by(self.header).iter().flat_map(|file| declared(&tokens(&file.source))));
        all
    }

    /// Members of what is before the point at `point`.
    fn members(&self, point: usize) -> Vec<String> {
        let before = |steps: usize| point.checked_sub(steps).map_or("", |at| text(self.before, at));
        let Header { params, ports, .. } = self.header;
        let attributes = || {
            let sets = ports.iter().filter(|port| port.ty == PortType::Particles);
            sets.flat_map(|port| port.attributes.iter().map(|(name, _)| name.clone())).collect::<Vec<String>>()
        };
        if before(2) == "." {
            return components(match before(3) {
                "params" => self.type_of_param(before(1)),
                "frame" if before(1).starts_with("mouse") => "vec2f",
                "frame" => "",
                _ => self.type_of_attribute(before(1)),
            });
        }
        match before(1) {
            "params" => {
                let read = params.iter().filter(|param| param.ty.returns().is_none());
                read.map(|param| param.name.clone()).collect()
            }
            "frame" => owned(words(Kind::Member("frame"))),
            ")" => match self.call(point - 1) {
                Some(called) if ports.iter().any(|port| port.name == called && port.ty == PortType::Particles) => {
                    attributes()
                }
                Some(called) => components(self.type_of_call(called)),
                None => Vec::new(),
            },
            variable => match self.type_of_variable(variable, point) {
                "Particle" => attributes().into_iter().chain(owned(words(Kind::Member("particle")))).collect(),
                "near" => vec!["index".to_string()],
                ty => components(ty),
            },
        }
    }

    /// The function whose call ends at a closing parenthesis.
    fn call(&self, close: usize) -> Option<&str> {
        let mut depth = 0usize;
        let open = (0..=close).rev().find(|at| {
            match text(self.before, *at) {
                ")" => depth += 1,
                "(" => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        open.checked_sub(1).map(|at| text(self.before, at))
    }

    fn type_of_param(&self, name: &str) -> &str {
        let param = self.header.params.iter().find(|param| param.name == name);
        param.map_or("", |param| if param.ty == ParamType::Color { "vec4f" } else { param.ty.name() })
    }

    fn type_of_attribute(&self, name: &str) -> &'static str {
        let mut attributes = self.header.ports.iter().flat_map(|port| &port.attributes);
        attributes.find(|(attribute, _)| attribute == name).map_or("", |(_, value)| value.name())
    }

    /// The type of a value that a function returns, where that is known.
    fn type_of_call<'c>(&'c self, called: &'c str) -> &'c str {
        let port = self.header.ports.iter().find(|port| accessors::is_accessor(port, called));
        if let Some(port) = port {
            let same = called == port.name || called == format!("{}_at", port.name);
            return match port.ty {
                PortType::FaceGrid if same => "Vec",
                PortType::NeighborGrid if same => "near",
                ty => match ty.element() {
                    Some(Element::Fixed(value)) if same => value.name(),
                    _ => "",
                },
            };
        }
        let declared = functions(self.all).into_iter().find(|function| function.name.text == called);
        match (declared, called) {
            (Some(function), _) => text(self.all, function.returns.start),
            (None, "position" | "displacement" | "face_normal" | "SIZE") => "Vec",
            (None, "cell_at" | "neighbor" | "unit" | "bin") => "Cell",
            (None, constructor) => constructor,
        }
    }

    /// The type of a variable whose declaration names it, or that is set to a call.
    fn type_of_variable(&self, variable: &str, end: usize) -> &str {
        let word = |at: usize| text(self.before, at);
        let declared = (0..end).rev().find(|at| word(*at) == variable && [":", "="].contains(&word(at + 1)));
        match declared {
            Some(at) if word(at + 1) == ":" => word(at + 2),
            // A call and nothing else.
            Some(at) if word(at + 3) == "(" => {
                let finish = (at..end).find(|at| word(*at) == ";").unwrap_or(end);
                let whole =
                    finish.checked_sub(1).filter(|close| word(*close) == ")").and_then(|close| self.call(close));
                whole.filter(|called| *called == word(at + 2)).map_or("", |called| self.type_of_call(called))
            }
            _ => "",
        }
    }
}

/// Components of a vector.
fn components(ty: &str) -> Vec<String> {
    let count = match ty {
        "Vec" | "Cell" => 3,
        _ => ty.strip_prefix("vec").and_then(|ty| ty.get(..1)).and_then(|count| count.parse().ok()).unwrap_or(0),
    };
    owned(["x", "y", "z", "w"].into_iter().take(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;
    use crate::toolkit::completion::name;

    const STAGE: &str = "\
//! Fade to vec3
//! @in    velocity: Grid<Vec>          Flow, and so on
//! @in    shape: Field<f32> = 1
//! @in    near_by: NeighborGrid
//! @inout water: Particles{position: Vec, density: f32} -> {density: f32}
//! @out   moved: Grid<f32>, like velocity, scatter
//! @param rate: f32 = 0.5, 0..1        How fast
//! @param tint: color = 1
//! @param ramp: gradient = [(0, \"#000000\"), (1, \"#ffffff\")]

const LIMIT = 3.0;
fn helper(value: f32, other: vec2f) -> vec2f { let hidden = other; return hidden * value; }

fn stage(particle: Particle) -> f32 {
    let speed = velocity(cell_at(particle.position));
    if speed.x > 0.0 { let inner = 2.0; }
    // A remark
    |
    return 1.0;
}
";

    /// The list where `|` is in a text, after typing.
    fn list(text: &str, cause: Cause) -> Vec<String> {
        let caret = text.chars().take_while(|c| *c != '|').count();
        completions(&text.replacen('|', "", 1), caret, cause, Library::builtin()).words().to_vec()
    }

    fn typed(text: &str) -> Vec<String> {
        list(&STAGE.replacen('|', &format!("{text}|"), 1), Cause::Typing)
    }

    fn header(line: &str) -> Vec<String> {
        list(
            &STAGE.replacen("//! @param tint", &format!("{line}|\n//! @param tint"), 1).replace("    |\n", ""),
            Cause::Typing,
        )
    }

    #[test]
    fn names_are_those_that_the_place_knows() {
        assert_eq!(
            typed("ve"),
            [
                "velocity(cell)",
                "velocity_at(position)",
                "velocity_wired",
                "vec2f",
                "vec3f",
                "vec4f",
                "vec2i",
                "vec3i",
                "vec4i",
                "vec2u",
                "vec3u",
                "vec4u",
                "Vec"
            ]
        );
        assert_eq!(typed("x = sp"), ["speed"]);
        assert_eq!(typed("LI"), ["LIMIT"]);
        assert_eq!(typed("sh"), ["shape(position)", "shape_wired", "shape_gradient(position, step)"]);
        assert_eq!(typed("mo"), [""; 0], "what is only written is not read");
        assert_eq!(typed("add"), ["add_moved(cell, value)", "add_moved_at(position, value)"]);
        assert_eq!(typed("wa"), ["water(index)", "water_wired", "water_count()", "wall_face(cell, axis)"]);
        assert_eq!(typed("ra"), ["ramp(t)", "random(cell, salt)", "random_at(number, salt)", "radians(x)"]);
        assert_eq!(typed("he"), ["helper(value, other)"]);
        assert_eq!(typed("cel"), ["cell_at(position)", "CELL_SIZE", "Cell"]);
        assert_eq!((typed("inn"), typed("hid")), (vec![], vec![]), "these are of other blocks");
        assert_eq!((typed("v"), typed("3"), typed("1.e"), typed("0x1a")), (vec![], vec![], vec![], vec![]));
        assert_eq!((typed("let ve"), typed("speed")), (vec![], vec![]));
        assert_eq!(typed("let v: ma"), ["mat2x2f", "mat3x3f", "mat4x4f", "Mat"]);
    }

    #[test]
    fn members_are_those_of_the_variable() {
        assert_eq!(typed("frame."), ["time", "dt", "index", "seed", "mouse", "mouse_velocity", "buttons", "keys"]);
        assert_eq!(typed("frame.mo"), ["mouse", "mouse_velocity"]);
        assert_eq!(typed("params."), ["rate", "tint"]);
        assert_eq!(typed("particle."), ["position", "density", "index", "serial", "count"]);
        assert_eq!(typed("water(0)."), ["position", "density"]);
        assert_eq!((typed("params.tint.").len(), typed("frame.mouse.").len(), typed("speed.").len()), (4, 2, 3));
        assert_eq!((typed("particle.position.").len(), typed("water(0).density.").len()), (3, 0));
        assert_eq!((typed("helper(1.0, (a)).").len(), typed("params.rate.").len(), typed("LIMIT.").len()), (2, 0, 0));
        assert_eq!(typed("var near = near_by(SIZE);\n near."), ["index"]);
    }

    #[test]
    fn functions_of_used_files_are_completed() {
        let text = STAGE.replacen("//! @param tint", "//! @use shared/hash\n//! @param tint", 1);
        assert_eq!(list(&text.replacen('|', "pc|", 1), Cause::Typing), ["pcg(seed)"]);
    }

    #[test]
    fn a_header_line_has_directives_types_and_options() {
        assert_eq!(header("//! @"), ["in", "out", "inout", "param", "over", "sweep", "iterations", "use"]);
        assert_eq!(header("//! @use shared/has"), ["hash"]);
        assert!(header("//! @use sh").contains(&"shared/hash".to_string()));
        assert_eq!(header("//! @use shared/hash  some docu"), [""; 0]);
        assert_eq!(header("//! @pa"), ["param"]);
        assert_eq!(header("//! @in x: Gr"), ["Grid<..>"]);
        assert_eq!(header("//! @in x: Grid<ve"), ["vec2f", "vec3f", "vec4f", "Vec"]);
        assert_eq!(header("//! @inout x: Particles{velocity: Ve"), ["Vec", "vec2f", "vec3f", "vec4f"]);
        assert_eq!(header("//! @inout x: Particles{ve"), [""; 0]);
        assert_eq!(header("//! @param x: gr"), ["gradient"]);
        assert_eq!(header("//! @param x: f32 = 1, so"), ["soft"]);
        assert_eq!(header("//! @param x: Vec = (0, 0), handle po"), ["position"]);
        assert_eq!(header("//! @param x: f32 = 1, 0."), [""; 0]);
        assert_eq!(header("//! @in x: Grid<f32>, edge wr"), ["wrap"]);
        assert_eq!(header("//! @out x: Grid<f32>, like ve"), ["velocity"]);
        assert_eq!(header("//! @over ve"), ["velocity"]);
        assert_eq!(header("//! @in x: Grid<f32>  Gr"), [""; 0], "documentation");
        assert_eq!((header("//! ve"), header("//! A title.")), (vec![], vec![]));
    }

    #[test]
    fn comments_and_numbers_are_left_alone() {
        assert_eq!((typed("// ve"), typed("/* ve"), typed("/* /* */ ve")), (vec![], vec![], vec![]));
        assert_eq!(
            (typed("/* */ spe"), typed("// end.\n spe")),
            (vec!["speed".to_string()], vec!["speed".to_string()])
        );
        let by_hand = list(STAGE, Cause::ByHand);
        assert_eq!(by_hand.first().map(String::as_str), Some("speed"), "all names, the nearest first");
        assert!(by_hand.len() > 100);
    }

    #[test]
    fn every_accessor_of_every_stage_is_completed_as_it_is_called() {
        let mut seen = 0;
        for stage in Library::builtin().stages() {
            for port in &stage.header.ports {
                for usage in accessors::usages(port) {
                    assert!(accessors::is_accessor(port, name(&usage)), "{} {usage}", stage.name);
                    seen += 1;
                }
            }
            // No place of a text breaks it.
            let characters = stage.source.chars().count();
            let step = (characters / 6).max(1);
            let library = Library::builtin();
            let complete = |caret| drop(completions(&stage.source, caret, Cause::ByHand, library));
            (0..characters).step_by(step).for_each(complete);
        }
        assert!(seen > 200);
    }
}
