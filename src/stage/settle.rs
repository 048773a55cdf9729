//! What of a stage is known once it stands in a graph: values of parameters that the plan is made with, and inputs that live on the
//! very cells it runs over. Its text is then that of a simpler stage, line by line and column by column where the first one's was.

use std::collections::BTreeMap;

use super::header::{ParamType, Port, Radius};
use super::lex::{Token, TokenKind, tokens};
use super::types::ValueType;
use super::{IterationSource, Stage};

/// Folding ends long before: each round takes a branch away.
const MAX_ROUNDS: usize = 256;

impl Stage {
    /// The stage with these parameters written into its text, and branches that they decide cut.
    pub fn with_constants(&self, values: &BTreeMap<String, f64>) -> Stage {
        let literal = |name: &str| Some(literal(self.param(name)?.ty, *values.get(name)?));
        let mut header = self.header.clone();
        header.params.retain(|param| !values.contains_key(&param.name));
        for radius in header.ports.iter_mut().filter_map(|port| port.radius.as_mut()) {
            let value = if let Radius::Param(name) = radius { values.get(name) } else { None };
            if let Some(cells) = value {
                *radius = Radius::Cells(cells.clamp(0.0, f64::from(u32::MAX)) as u32);
            }
        }
        Stage::read(self.name.clone(), header, folded(inserted(&self.source, &literal)))
    }

    /// The stage with `x_at(position(cell))` as `x(cell)`, which it is for cell-centred inputs on the stage's own cells; nothing where
    /// no such call stands in `fn stage`.
    pub fn at_own_cells(&self, own: &dyn Fn(&Port) -> bool) -> Option<Stage> {
        if self.source() != IterationSource::Cells || !self.calls("position") {
            return None;
        }
        let names: Vec<(&str, String)> = self
            .inputs()
            .filter(|port| self.calls(&format!("{}_at", port.name)) && own(port))
            .map(|port| (port.name.as_str(), format!("{}_at", port.name)))
            .collect();
        let source = by_cell(&self.source, &names)?;
        Some(Stage::read(self.name.clone(), self.header.clone(), source))
    }

    /// Whether the text asks for a port once, at the centre of the computed cell.
    pub fn asks_centre(&self, port: &str) -> bool {
        let call = format!("{port}_at");
        let cells = self.source() == IterationSource::Cells && self.reads_once(port);
        cells && by_cell(&self.source, &[(port, call.clone())]).is_some_and(|text| !text.contains(&call))
    }
}

/// A value as WGSL has it, of the parameter's own type.
fn literal(ty: ParamType, value: f64) -> String {
    let text = match ty.value() {
        ValueType::F32 => format!("{:?}f", value as f32),
        ValueType::U32 => format!("{}u", value as u32),
        _ => format!("{}i", value as i32),
    };
    if value < 0.0 { format!("({text})") } else { text }
}

/// A text of which parts are replaced by blanks or words, so that all else stays where it was.
struct Patch<'a> {
    source: &'a str,
    out: String,
    copied: usize,
}

impl<'a> Patch<'a> {
    fn new(source: &'a str) -> Patch<'a> {
        Patch { source, out: String::with_capacity(source.len()), copied: 0 }
    }

    /// Puts a word in the place of what lies between two offsets, behind all that was replaced before.
    fn put(&mut self, from: usize, until: usize, word: &str) {
        let (Some(before), Some(gone)) = (self.source.get(self.copied..from), self.source.get(from..until)) else {
            return;
        };
        self.out.push_str(before);
        self.out.push_str(word);
        // Lines stay lines.
        let blank = |(at, c): (usize, char)| match c {
            '\n' | '\r' => Some(c),
            _ => (at >= word.len()).then_some(' '),
        };
        self.out.extend(gone.chars().enumerate().filter_map(blank));
        self.copied = until;
    }

    fn finish(mut self) -> String {
        self.out.push_str(self.source.get(self.copied..).unwrap_or_default());
        self.out
    }
}

fn end(token: &Token<'_>) -> usize {
    token.start + token.text.len()
}

/// `params.x` as its value.
fn inserted(source: &str, literal: &dyn Fn(&str) -> Option<String>) -> String {
    let tokens = tokens(source);
    let mut patch = Patch::new(source);
    for window in tokens.windows(3) {
        let [object, dot, member] = window else { continue };
        if let ("params", ".", Some(literal)) = (object.text, dot.text, literal(member.text)) {
            patch.put(object.start, end(member), &literal);
        }
    }
    patch.finish()
}

/// The calls of each port's `x_at`, given with the port, at the centre of the computed cell, or at what `let` calls so.
fn by_cell(source: &str, names: &[(&str, String)]) -> Option<String> {
    let tokens = tokens(source);
    let text = |i: usize| tokens.get(i).map_or("", |t| t.text);
    let (from, until, cell) = super::own_cell(&tokens)?;
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
    let mut patch = Patch::new(source);
    let mut found = false;
    for at in from..until {
        let Some((port, _)) = names.iter().find(|(_, call)| call == text(at)) else { continue };
        let last = match (text(at + 1), text(at + 3)) {
            ("(", ")") if named(text(at + 2)) => at + 3,
            ("(", _) if centre(at + 2) && text(at + 6) == ")" => at + 6,
            _ => continue,
        };
        if let (true, Some(call), Some(last)) = (text(at - 1) != ".", tokens.get(at), tokens.get(last)) {
            patch.put(call.start, end(last), &format!("{port}({cell})"));
            found = true;
        }
    }
    found.then(|| patch.finish())
}

/// A text without the branches that constants decide.
fn folded(source: String) -> String {
    let mut source = source;
    for _ in 0..MAX_ROUNDS {
        match fold(&source) {
            Some(less) => source = less,
            None => break,
        }
    }
    source
}

/// One `if` between constants less.
fn fold(source: &str) -> Option<String> {
    let tokens = tokens(source);
    let text = |i: usize| tokens.get(i).map_or("", |t| t.text);
    let (at, open, holds) = (0..tokens.len()).find_map(|at| {
        let inner = usize::from(text(at + 1) == "(");
        let open = at + 4 + 2 * inner;
        let bare = text(at) == "if" && text(open) == "{" && (inner == 0 || text(open - 1) == ")");
        let [a, b] = [at + 1 + inner, at + 3 + inner].map(|i| tokens.get(i).and_then(number).filter(|_| bare));
        Some((at, open, compare(a?, text(at + 2 + inner), b?)?))
    })?;
    let close = closing(&tokens, open)?;
    // All branches behind it.
    let mut last = close;
    while text(last + 1) == "else" {
        let block = (last + 2..tokens.len()).find(|i| text(*i) == "{")?;
        last = closing(&tokens, block)?;
    }
    let start = |i: usize| tokens.get(i).map_or(source.len(), |t| t.start);
    let after = |i: usize| tokens.get(i).map_or(source.len(), end);
    let mut patch = Patch::new(source);
    let chained = at.checked_sub(1).filter(|before| text(*before) == "else");
    match holds {
        true => {
            patch.put(start(at), start(open), "");
            patch.put(after(close), after(last), "");
            // Nothing may stand behind what always returns.
            if chained.is_none() && returns(&tokens, open, close) {
                let rest = block_end(&tokens, last + 1)?;
                patch.put(after(last), start(rest), "");
            }
        }
        false if last == close => patch.put(start(chained.unwrap_or(at)), after(close), ""),
        false => patch.put(start(at), after(close + 1), ""),
    }
    Some(patch.finish())
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

/// The bracket that closes a curly one.
fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    (open..tokens.len()).find(|i| {
        match tokens.get(*i).map_or("", |t| t.text) {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
}

/// The bracket that closes the block around a place.
fn block_end(tokens: &[Token<'_>], from: usize) -> Option<usize> {
    let mut depth = 0usize;
    (from..tokens.len()).find(|i| match tokens.get(*i).map_or("", |t| t.text) {
        "}" if depth == 0 => true,
        "{" => {
            depth += 1;
            false
        }
        "}" => {
            depth -= 1;
            false
        }
        _ => false,
    })
}

/// Whether the last statement of a block returns.
fn returns(tokens: &[Token<'_>], open: usize, close: usize) -> bool {
    let text = |i: usize| tokens.get(i).map_or("", |t| t.text);
    let last = (open + 1..close).rfind(|i| matches!(text(i - 1), "{" | ";" | "}"));
    // The last beginning of a statement; in a block of its own it would be followed by a bracket.
    last.is_some_and(|i| text(i) == "return") && text(close - 1) == ";"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

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

    fn stage(order: f64) -> Stage {
        let stage = Stage::parse("advect", ADVECT).unwrap();
        stage.with_constants(&BTreeMap::from([("order".to_string(), order)]))
    }

    #[test]
    fn what_constants_decide_is_cut_and_all_else_stays_in_its_place() {
        let (euler, midpoint) = (stage(1.0), stage(2.0));
        assert!(!euler.names("params") && !midpoint.names("params"));
        assert_eq!(euler.source.matches("velocity_at").count(), 1);
        assert_eq!(midpoint.source.matches("velocity_at").count(), 2);
        assert_eq!(euler.source.len(), ADVECT.len());
        assert_eq!(euler.source.find("return flow"), ADVECT.find("return flow"));
        assert!(euler.header.params.is_empty());
    }

    #[test]
    fn the_centre_of_the_own_cell_is_the_cell() {
        let own = |stage: Stage| stage.at_own_cells(&|_| true).unwrap();
        let (euler, midpoint) = (own(stage(1.0)), own(stage(2.0)));
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
        ] {
            assert_eq!(tight(text), less, "{text}");
        }
    }
}
