//! Specialises a stage for its place in a graph: parameters that are constants of the plan are substituted, and whether
//! a port is wired; branches that they decide are folded, and interpolation at a cell's own centre becomes a read of that cell. The remaining
//! text keeps its lines and columns.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::definition::{IterationSource, Specialization, Stage};
use super::header::{Param, ParamType, Port, Radius};
use super::syntax::{Edits, Token, TokenKind, block_end, closing, text, tokens};
use super::types::ValueType;

/// Limit of rounds, each of which removes one branch; a normal text needs far fewer.
const MAX_ROUNDS: usize = 256;

impl Stage {
    /// The stage with these parameters substituted, and branches that they decide folded.
    pub fn with_constants(&self, values: &BTreeMap<String, f64>) -> Arc<Stage> {
        let key = values.iter().map(|(name, value)| (name.clone(), value.to_bits())).collect();
        let with = |_: &_| Some(Arc::new(self.replacing_params(values)));
        let key = Specialization::Constants(key);
        let found = self.found.specialized.get_or_put(key, with);
        found.unwrap_or_else(|| Arc::new(self.replacing_params(values)))
    }

    fn replacing_params(&self, values: &BTreeMap<String, f64>) -> Stage {
        let literal = |name: &str| Some(literal(self.param(name)?.ty, *values.get(name)?));
        let mut header = self.header.clone();
        header.params.retain(|param| !values.contains_key(&param.name));
        for radius in header.ports.iter_mut().filter_map(|port| port.radius.as_mut()) {
            let value = if let Radius::Param(name) = radius { values.get(name) } else { None };
            if let Some(cells) = value {
                *radius = Radius::Cells(cells.clamp(0.0, f64::from(u32::MAX)) as u32);
            }
        }
        Stage::read(self.name.clone(), header, folded(inserted(&self.source, &literal)), self.used.clone())
    }

    /// The stage with `x_wired` substituted, and branches that it decides folded, so that a port that is not wired costs
    /// nothing; `None` where the text asks of no port.
    pub fn with_wired(&self, wired: &dyn Fn(&str) -> bool) -> Option<Arc<Stage>> {
        let wired_words: BTreeMap<String, bool> = self
            .inputs()
            .map(|port| (format!("{}_wired", port.name), wired(&port.name)))
            .filter(|(word, _)| self.names(word))
            .collect();
        if wired_words.is_empty() {
            return None;
        }
        let with = |_: &_| Some(Arc::new(self.replacing_wired(&wired_words)));
        self.found.specialized.get_or_put(Specialization::Wired(wired_words.clone()), with)
    }

    fn replacing_wired(&self, wired_words: &BTreeMap<String, bool>) -> Stage {
        let mut edits = Edits::new(&self.source);
        for token in tokens(&self.source) {
            if let Some(wired) = wired_words.get(token.text) {
                edits.overwrite(token.start, end(&token), if *wired { "true" } else { "false" });
            }
        }
        Stage::read(self.name.clone(), self.header.clone(), folded(edits.finish()), self.used.clone())
    }

    /// The stage with formulas in place of these parameters: other parameters that they read, and functions for the end of
    /// the text.
    pub fn with_formulas(&self, formulas: &BTreeSet<String>, read: Vec<Param>, functions: &str) -> Stage {
        let mut header = self.header.clone();
        header.params.retain(|param| !formulas.contains(&param.name));
        header.params.extend(read);
        Stage::read(self.name.clone(), header, format!("{}\n{functions}", self.source), self.used.clone())
    }

    /// The stage with `x_at(position(cell))` replaced by `x(cell)`, which is the same for cell-centred inputs on the
    /// stage's own cells; `None` where `fn stage` has no such call.
    pub fn at_own_cells(&self, on_own_cells: &dyn Fn(&Port) -> bool) -> Option<Arc<Stage>> {
        if self.source() != IterationSource::Cells || !self.calls("position") {
            return None;
        }
        let ports: Vec<String> = self
            .inputs()
            .filter(|port| self.calls(&format!("{}_at", port.name)) && on_own_cells(port))
            .map(|port| port.name.clone())
            .collect();
        let with = |_: &_| self.reading_cells(&ports).map(Arc::new);
        self.found.specialized.get_or_put(Specialization::OwnCells(ports.clone()), with)
    }

    fn reading_cells(&self, ports: &[String]) -> Option<Stage> {
        let names: Vec<(&str, String)> = ports.iter().map(|port| (port.as_str(), format!("{port}_at"))).collect();
        let source = by_cell(&self.source, &names)?;
        Some(Stage::read(self.name.clone(), self.header.clone(), source, self.used.clone()))
    }

    /// Whether the text reads a port once, at the centre of the computed cell.
    pub fn asks_centre(&self, port: &str) -> bool {
        let call = format!("{port}_at");
        let cells = self.source() == IterationSource::Cells && self.reads_once(port);
        cells && by_cell(&self.source, &[(port, call.clone())]).is_some_and(|text| !text.contains(&call))
    }
}

/// A value as a WGSL literal of the parameter's type.
fn literal(ty: ParamType, value: f64) -> String {
    let text = match ty.value() {
        ValueType::F32 => format!("{:?}f", value as f32),
        ValueType::U32 => format!("{}u", value as u32),
        _ => format!("{}i", value as i32),
    };
    if value < 0.0 { format!("({text})") } else { text }
}

fn end(token: &Token<'_>) -> usize {
    token.start + token.text.len()
}

/// The text with values in place of `params.x`.
fn inserted(source: &str, literal: &dyn Fn(&str) -> Option<String>) -> String {
    let tokens = tokens(source);
    let mut edits = Edits::new(source);
    for window in tokens.windows(3) {
        let [object, dot, member] = window else { continue };
        if let ("params", ".", Some(literal)) = (object.text, dot.text, literal(member.text)) {
            edits.overwrite(object.start, end(member), &literal);
        }
    }
    edits.finish()
}

/// The text with `x(cell)` in place of each port's `x_at` at the centre of the computed cell, or at a `let` of it.
/// `names`: ports with that call.
fn by_cell(source: &str, names: &[(&str, String)]) -> Option<String> {
    let tokens = tokens(source);
    let text = |i: usize| text(&tokens, i);
    let (body, cell) = super::reach::own_cell(&tokens)?;
    let centre = |at: usize| ["position", "(", cell, ")"].iter().zip(at..).all(|(word, i)| text(i) == *word);
    let named = |word: &str| {
        let declared = |i: &usize| {
            let before = i.checked_sub(1).map_or("", text);
            text(*i) == word
                && (matches!(before, "let" | "var" | "const" | "override" | ">" | "fn") || text(i + 1) == ":")
        };
        let mut places = (0..tokens.len()).filter(declared);
        let only = places.next().filter(|_| places.next().is_none());
        only.is_some_and(|i| text(i - 1) == "let" && text(i + 1) == "=" && centre(i + 2) && text(i + 6) == ";")
    };
    let mut edits = Edits::new(source);
    let mut found = false;
    for at in body {
        let Some((port, _)) = names.iter().find(|(_, call)| call == text(at)) else { continue };
        let last = match (text(at + 1), text(at + 3)) {
            ("(", ")") if named(text(at + 2)) => at + 3,
            ("(", _) if centre(at + 2) && text(at + 6) == ")" => at + 6,
            _ => continue,
        };
        if let (true, Some(call), Some(last)) = (text(at - 1) != ".", tokens.get(at), tokens.get(last)) {
            edits.overwrite(call.start, end(last), &format!("{port}({cell})"));
            found = true;
        }
    }
    found.then(|| edits.finish())
}

/// Folds branches whose condition is a comparison of constants, `true` or `false`, or begins with `false &&`, and omits functions that
/// only such branches called, so that what these read is not taken for read.
fn folded(source: String) -> String {
    let mut left = source.clone();
    for _ in 0..MAX_ROUNDS {
        match fold(&left) {
            Some(less) => left = less,
            None => break,
        }
    }
    for _ in 0..MAX_ROUNDS {
        match without_function(&left, &source) {
            Some(less) => left = less,
            None => break,
        }
    }
    left
}

/// The text without its first function that was called in `before` and is not any more.
fn without_function(source: &str, before: &str) -> Option<String> {
    let is_called = |tokens: &[Token<'_>], name: &str| {
        (1..tokens.len()).any(|i| text(tokens, i) == name && text(tokens, i - 1) != "fn")
    };
    let (tokens, before) = (tokens(source), tokens(before));
    let text = |i: usize| text(&tokens, i);
    let plain = |at: &usize| text(*at) == "fn" && at.checked_sub(1).is_none_or(|i| matches!(text(i), "}" | ";"));
    let mut functions = (0..tokens.len()).filter(plain);
    let at = functions.find(|at| is_called(&before, text(at + 1)) && !is_called(&tokens, text(at + 1)))?;
    let open = (at..tokens.len()).find(|i| text(*i) == "{")?;
    let (first, last) = (tokens.get(at)?, tokens.get(closing(&tokens, open)?)?);
    let mut edits = Edits::new(source);
    edits.overwrite(first.start, end(last), "");
    Some(edits.finish())
}

/// The text without its first such branch.
fn fold(source: &str) -> Option<String> {
    let tokens = tokens(source);
    let text = |i: usize| text(&tokens, i);
    let (at, open, holds) = (0..tokens.len()).find_map(|at| {
        if let ("if", "true" | "false", "{") = (text(at), text(at + 1), text(at + 2)) {
            return Some((at, at + 2, text(at + 1) == "true"));
        }
        if let ("if", "false", "&&") = (text(at), text(at + 1), text(at + 2)) {
            let open = (at..tokens.len()).find(|i| text(*i) == "{")?;
            return (!(at..open).any(|i| text(i) == "||")).then_some((at, open, false));
        }
        let inner = usize::from(text(at + 1) == "(");
        let open = at + 4 + 2 * inner;
        let bare = text(at) == "if" && text(open) == "{" && (inner == 0 || text(open - 1) == ")");
        let [a, b] = [at + 1 + inner, at + 3 + inner].map(|i| tokens.get(i).and_then(number).filter(|_| bare));
        Some((at, open, compare(a?, text(at + 2 + inner), b?)?))
    })?;
    let close = closing(&tokens, open)?;
    // The chain of `else` after it.
    let mut last = close;
    while text(last + 1) == "else" {
        let block = (last + 2..tokens.len()).find(|i| text(*i) == "{")?;
        last = closing(&tokens, block)?;
    }
    let start = |i: usize| tokens.get(i).map_or(source.len(), |t| t.start);
    let after = |i: usize| tokens.get(i).map_or(source.len(), end);
    let mut edits = Edits::new(source);
    let chained = at.checked_sub(1).filter(|before| text(*before) == "else");
    match holds {
        true => {
            edits.overwrite(start(at), start(open), "");
            edits.overwrite(after(close), after(last), "");
            // WGSL allows no statement after one that always returns.
            if chained.is_none() && returns(&tokens, open, close) {
                let rest = block_end(&tokens, last + 1)?;
                edits.overwrite(after(last), start(rest), "");
            }
        }
        false if last == close => edits.overwrite(start(chained.unwrap_or(at)), after(close), ""),
        false => edits.overwrite(start(at), after(close + 1), ""),
    }
    Some(edits.finish())
}

fn number(token: &Token<'_>) -> Option<f64> {
    let plain = token.text.trim_end_matches(['i', 'u', 'f']);
    (token.kind == TokenKind::Number).then(|| plain.parse().ok()).flatten()
}

fn compare(a: f64, operator: &str, b: f64) -> Option<bool> {
    Some(match operator {
        "==" => a == b,
        "!=" => a != b,
        "<" => a < b,
        ">" => a > b,
        "<=" => a <= b,
        ">=" => a >= b,
        _ => return None,
    })
}

/// Whether the last statement of a block returns.
fn returns(tokens: &[Token<'_>], open: usize, close: usize) -> bool {
    let text = |i: usize| text(tokens, i);
    let last = (open + 1..close).rfind(|i| matches!(text(i - 1), "{" | ";" | "}"));
    // The beginning of the last statement; if it were in a nested block, a bracket would follow it.
    last.is_some_and(|i| text(i) == "return") && text(close - 1) == ";"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::super::{Reach, Stage};
    use super::folded;

    const ADVECT: &str = "//! Advect
//! @in velocity: Grid<Vec>    Flow
//! @out result: Grid<Vec>     Moved
//! @param order: i32 = 1, 1..2, fixed    Rule
fn stage(cell: Cell) -> Vec {
    var flow = velocity_at(position(cell));
    if params.order == 2 { flow = velocity_at(position(cell) - flow); }
    return flow;
}
";

    fn stage(order: f64) -> Arc<Stage> {
        let stage = Stage::parse("advect", ADVECT).unwrap();
        stage.with_constants(&BTreeMap::from([("order".to_string(), order)]))
    }

    #[test]
    fn branches_on_constants_are_folded_and_all_else_keeps_its_place() {
        let (euler, midpoint) = (stage(1.0), stage(2.0));
        assert!(!euler.names("params") && !midpoint.names("params"));
        assert_eq!(euler.source.matches("velocity_at").count(), 1);
        assert_eq!(midpoint.source.matches("velocity_at").count(), 2);
        assert_eq!(euler.source.len(), ADVECT.len());
        assert_eq!(euler.source.find("return flow"), ADVECT.find("return flow"));
        assert!(euler.header.params.is_empty());
    }

    #[test]
    fn a_stage_is_specialised_once_for_each_place() {
        let stage = Stage::parse("advect", ADVECT).unwrap();
        let order = |order: f64| stage.with_constants(&BTreeMap::from([("order".to_string(), order)]));
        assert!(Arc::ptr_eq(&order(2.0), &order(2.0)));
        assert_ne!(order(1.0).source, order(2.0).source);
        let text = ADVECT.replace("params.order == 2", "velocity_wired");
        let stage = Stage::parse("advect", &text).unwrap();
        let wired = |wired: bool| stage.with_wired(&|_| wired).unwrap();
        assert!(Arc::ptr_eq(&wired(true), &wired(true)));
        assert_ne!(wired(true).source, wired(false).source);
        let [on_cells, elsewhere] = [true, false].map(|on_cells| stage.at_own_cells(&|_| on_cells));
        assert!(on_cells.is_some() && elsewhere.is_none());
    }

    #[test]
    fn functions_that_only_a_folded_branch_called_are_gone() {
        let text = |tail: &str| format!("fn stage() {{ if false {{ a(); }} c(); }}\nfn a() {{ b(); d(); }}\n{tail}");
        let tail = "fn b() { if x { y; } }\nfn c() {}\nfn d() {}\nfn e() { d(); }\n";
        let less = folded(text(tail));
        assert_eq!(
            less.split_whitespace().collect::<Vec<_>>().join(" "),
            "fn stage() { c(); } fn c() {} fn d() {} fn e() { d(); }"
        );
        assert_eq!(less.len(), text(tail).len(), "all else keeps its place");
        let called = text(tail).replace("c(); }", "c(); a(); }");
        assert!(folded(called).contains("fn b()"), "it is still called");
    }

    #[test]
    fn interpolation_at_the_own_centre_is_a_read_of_the_cell() {
        let simplified = |stage: Arc<Stage>| stage.at_own_cells(&|_| true).unwrap();
        let (euler, midpoint) = (simplified(stage(1.0)), simplified(stage(2.0)));
        assert_eq!(euler.reach("velocity"), Reach::Own);
        assert_eq!(midpoint.reach("velocity"), Reach::Anywhere, "half way it is elsewhere");
        assert!(midpoint.calls("velocity") && midpoint.calls("velocity_at"));
        assert!(stage(1.0).at_own_cells(&|_| false).is_none(), "on other cells it is interpolated");
        let shadowed = ADVECT.replace("var flow", "let cell = neighbor(cell, 0); var flow");
        assert!(Stage::parse("advect", &shadowed).unwrap().at_own_cells(&|_| true).is_none());
        let named = ADVECT.replace(
            "var flow = velocity_at(position(cell))",
            "let here = position(cell); var flow = velocity_at(here)",
        );
        let centre = |text: &str| {
            let stage = Stage::parse("advect", text).unwrap();
            stage.at_own_cells(&|_| true).is_some_and(|stage| stage.calls("velocity"))
        };
        assert!(centre(&named) && !centre(&named.replace("let here", "var here")));
        assert!(
            !centre(&named.replace("return flow;", "{ let here = flow; return here; }")),
            "which `here` is not known"
        );
        let apart = ADVECT.replace("velocity_at(position(cell))", "velocity_at(\n  position(cell) /* here */ )");
        let apart_own = Stage::parse("advect", &apart).unwrap().at_own_cells(&|_| true).unwrap();
        assert_eq!(apart_own.source.lines().count(), apart.lines().count());
    }

    #[test]
    fn branches_fold() {
        let tight = |text: &str| folded(text.into()).split_whitespace().collect::<Vec<_>>().join(" ");
        for (text, less) in [
            ("a; if 1i == 2i { b; } c;", "a; c;"),
            ("a; if (1 == 1) { b; } c;", "a; { b; } c;"),
            ("{ if 1 == 1 { return b; } c; { d; } } e;", "{ { return b; } } e;"),
            ("if 2 == 1 { a; } else if 2 == 2 { b; } else { c; } d;", "{ b; } d;"),
            ("if x { a; } else if 2 == 1 { b; } d;", "if x { a; } d;"),
            ("if x { a; } else if 2 > 1 { b; } else { c; } d;", "if x { a; } else { b; } d;"),
            ("if x { a; } else if 2 < 1 { b; } else { c; } d;", "if x { a; } else { c; } d;"),
            ("if 1 == 1 { if y { return a; } } b;", "{ if y { return a; } } b;"),
            ("if n == 1 { a; }", "if n == 1 { a; }"),
            ("if 1 == 1 && y { a; }", "if 1 == 1 && y { a; }"),
            ("if true { a; } b;", "{ a; } b;"),
            ("if false { a; } else { b; }", "{ b; }"),
            ("if false && x(c) { a; } else if true { b; }", "{ b; }"),
            ("if true && x { a; }", "if true && x { a; }"),
            ("if false && x || y { a; }", "if false && x || y { a; }"),
            ("if falsely && x { a; }", "if falsely && x { a; }"),
        ] {
            assert_eq!(tight(text), less, "{text}");
        }
    }
}
