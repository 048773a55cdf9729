//! Several cells in one call, step by step: what depends on the cell stands there once for each of them, all else once. A processor
//! that waits for one cell's number then goes on with the next one's, and what neighbours read in common is read once.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::OnceLock;

use super::header::Direction;
use super::lex::{Token, TokenKind, tokens};
use super::{Around, IterationSource, Stage};

/// Whether the text can be written so, worked out when first asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Cached(OnceLock<bool>);

impl PartialEq for Cached {
    fn eq(&self, _: &Cached) -> bool {
        true
    }
}

impl Stage {
    /// Whether several cells can be computed in lockstep, from inputs that the text proves to be read in a window around each.
    pub fn in_lockstep(&self, dim: u32) -> bool {
        let proven = |around: Option<&Around>| around.is_none_or(|a| a.proven);
        self.source() == IterationSource::Cells
            && self.outputs().all(|port| port.direction == Direction::Out)
            && self.inputs().all(|port| proven(self.around(&port.name, dim)))
            && *self.lockstep.0.get_or_init(|| lockstep(&self.source, 2, &|_| String::new()).is_some())
    }
}

/// A function `_stages(_cell: Cell)` that returns what `stage` does for so many cells; `place` says where each of them lies. Nothing for
/// text whose course depends on the cell other than by `if`, or that ends early other than by `if condition { return value; }`.
pub fn lockstep(source: &str, cells: u32, place: &dyn Fn(u32) -> String) -> Option<String> {
    let tokens = tokens(source);
    let at = tokens.windows(3).position(|w| w[0].text == "fn" && w[1].text == "stage" && w[2].text == "(")?;
    let text = |index: usize| tokens.get(index).map_or("", |t| t.text);
    let cell = tokens.get(at + 3)?.text;
    if [text(at + 4), text(at + 5), text(at + 6), text(at + 7), text(at + 9)] != [":", "Cell", ")", "->", "{"] {
        return None;
    }
    let close = closing(&tokens, at + 9)?;
    let body = parse(&tokens, at + 10..close)?;
    let mut steps = Steps { source, tokens: &tokens, varying: BTreeSet::from([cell]), cells };
    while steps.spread(&body, false) {}
    let outside = (0..tokens.len()).filter(|i| !(at..close).contains(i));
    let hidden =
        |i: usize| steps.varying.contains(text(i + 1)) && matches!(text(i), "const" | "var" | "override" | ">");
    if outside.into_iter().any(hidden) {
        return None;
    }
    let mut out = format!("fn _stages(_cell: Cell) -> array<{}, {cells}> {{\n", text(at + 8));
    let _ = writeln!(out, "    var _all: array<{}, {cells}>;", text(at + 8));
    for k in 0..cells {
        let _ = writeln!(out, "    let _{k}_{cell} = {}; var _{k}_ended = false;", place(k));
    }
    let (Step::Return(value), before) = body.split_last()? else { return None };
    for step in before {
        match step.ends_early() {
            Some((condition, value)) => {
                for k in 0..cells {
                    let (condition, value) = (steps.copy(condition, k), steps.copy(value, k));
                    let _ = writeln!(
                        out,
                        "    if (!_{k}_ended && ({condition})) {{ _{k}_ended = true; _all[{k}] = {value}; }}"
                    );
                }
                let ended: Vec<String> = (0..cells).map(|k| format!("_{k}_ended")).collect();
                let _ = writeln!(out, "    if ({}) {{ return _all; }}", ended.join(" && "));
            }
            None => steps.write(step, &mut out)?,
        }
    }
    for k in 0..cells {
        let _ = writeln!(out, "    if (!_{k}_ended) {{ _all[{k}] = {}; }}", steps.copy(value, k));
    }
    out.push_str("    return _all;\n}\n");
    Some(out)
}

/// A statement; ranges are of tokens.
enum Step {
    /// Up to its semicolon.
    Plain(Range<usize>),
    Block(Vec<Step>),
    For {
        header: Range<usize>,
        body: Vec<Step>,
    },
    /// Conditions, none for `else`, each with what it guards; and all of it.
    If {
        arms: Vec<(Range<usize>, Vec<Step>)>,
        whole: Range<usize>,
    },
    /// The value.
    Return(Range<usize>),
}

impl Step {
    /// The condition and the value of `if condition { return value; }`.
    fn ends_early(&self) -> Option<(&Range<usize>, &Range<usize>)> {
        let Step::If { arms, .. } = self else { return None };
        match arms.as_slice() {
            [(condition, body)] => match body.as_slice() {
                [Step::Return(value)] => Some((condition, value)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The statements of a block; nothing where one is of a kind that this module does not know.
fn parse(tokens: &[Token<'_>], range: Range<usize>) -> Option<Vec<Step>> {
    let text = |index: usize| tokens.get(index).map_or("", |t| t.text);
    let mut steps = Vec::new();
    let mut at = range.start;
    while at < range.end {
        match text(at) {
            ";" => at += 1,
            "{" => {
                let close = closing(tokens, at)?;
                steps.push(Step::Block(parse(tokens, at + 1..close)?));
                at = close + 1;
            }
            "for" => {
                let header = at + 2..closing(tokens, at + 1)?;
                let open = header.end + 1;
                let close = closing(tokens, open)?;
                steps.push(Step::For { header, body: parse(tokens, open + 1..close)? });
                at = close + 1;
            }
            "if" => {
                let from = at;
                let mut arms = Vec::new();
                loop {
                    let open = (at..range.end).find(|i| text(*i) == "{")?;
                    let close = closing(tokens, open)?;
                    let condition = if text(at) == "if" { at + 1..open } else { at..at };
                    arms.push((condition, parse(tokens, open + 1..close)?));
                    at = close + 1;
                    match (text(at), text(at + 1)) {
                        ("else", "if") => at += 1,
                        ("else", _) => {}
                        _ => break,
                    }
                }
                steps.push(Step::If { arms, whole: from..at });
            }
            "while" | "loop" | "switch" | "break" | "continue" | "discard" | "@" => return None,
            first => {
                let end = (at..range.end).find(|i| text(*i) == ";")?;
                let word = tokens.get(at)?.kind == TokenKind::Word;
                let points = (at..end).any(|i| text(i) == "&" && matches!(text(i - 1), "(" | "," | "="));
                if !word || points || (first == "var" && text(at + 1) == "<") {
                    return None;
                }
                steps.push(if first == "return" { Step::Return(at + 1..end) } else { Step::Plain(at..end + 1) });
                at = end + 1;
            }
        }
    }
    Some(steps)
}

/// The bracket that closes the one at `open`.
fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (index > open).then_some(index);
        }
    }
    None
}

struct Steps<'t, 'a> {
    source: &'a str,
    tokens: &'t [Token<'a>],
    /// Names of the function's own that stand for something else in each cell.
    varying: BTreeSet<&'a str>,
    cells: u32,
}

impl<'a> Steps<'_, 'a> {
    fn text(&self, index: usize) -> &'a str {
        self.tokens.get(index).map_or("", |t| t.text)
    }

    /// Whether a token names something that varies: no member, and nothing that is called.
    fn varies_at(&self, index: usize) -> bool {
        let member = index.checked_sub(1).is_some_and(|before| self.text(before) == ".");
        !member && self.text(index + 1) != "(" && self.varying.contains(self.text(index))
    }

    fn varies(&self, range: &Range<usize>) -> bool {
        range.clone().any(|index| self.varies_at(index))
    }

    /// The name that a statement declares or sets.
    fn target(&self, statement: &Range<usize>) -> Option<&'a str> {
        let name = match self.text(statement.start) {
            "let" | "var" | "const" => self.text(statement.start + 1),
            name => name,
        };
        (name != "_" && self.text(statement.start + 1) != "(").then_some(name)
    }

    /// Finds out more names that vary; `under`: whether it depends on the cell whether a statement runs.
    fn spread(&mut self, steps: &[Step], under: bool) -> bool {
        let mut found = false;
        for step in steps {
            match step {
                Step::Plain(range) if under || self.varies(range) => {
                    found |= self.target(range).is_some_and(|name| self.varying.insert(name));
                }
                Step::Plain(_) | Step::Return(_) => {}
                Step::Block(body) => found |= self.spread(body, under),
                Step::For { header, body } => {
                    let counter = self.text(header.start + 1);
                    found |= under && self.varying.insert(counter);
                    found |= self.spread(body, under);
                }
                Step::If { arms, .. } => {
                    let under = under || arms.iter().any(|(condition, _)| self.varies(condition));
                    for (_, body) in arms {
                        found |= self.spread(body, under);
                    }
                }
            }
        }
        found
    }

    /// A piece of the text with the names of one cell.
    fn copy(&self, range: &Range<usize>, cell: u32) -> String {
        let mut out = String::new();
        let mut copied = self.tokens.get(range.start).map_or(0, |t| t.start);
        for index in range.clone() {
            let Some(token) = self.tokens.get(index) else { break };
            out.push_str(self.source.get(copied..token.start).unwrap_or_default());
            if self.varies_at(index) {
                let _ = write!(out, "_{cell}_");
            }
            out.push_str(token.text);
            copied = token.start + token.text.len();
        }
        out
    }

    fn write(&self, step: &Step, out: &mut String) -> Option<()> {
        match step {
            Step::Plain(range) => self.repeat(range, self.varies(range), out),
            Step::Block(body) => self.braced("", body, out)?,
            Step::For { header, body } => {
                (!self.varies(header)).then_some(())?;
                self.braced(&format!("for ({})", self.copy(header, 0)), body, out)?;
            }
            Step::If { arms, whole } => {
                if arms.iter().any(|(condition, _)| self.varies(condition)) {
                    let ends = whole.clone().any(|i| self.text(i) == "return");
                    (!ends).then(|| self.repeat(whole, true, out))?;
                    return Some(());
                }
                for (index, (condition, body)) in arms.iter().enumerate() {
                    let otherwise = if index == 0 { "" } else { "else " };
                    let condition = match condition.is_empty() {
                        true => String::new(),
                        false => format!("if {}", self.copy(condition, 0)),
                    };
                    self.braced(&format!("{otherwise}{condition}"), body, out)?;
                }
            }
            // Where cells part, or where what follows would still run.
            Step::Return(_) => return None,
        }
        Some(())
    }

    /// A statement for each cell, or once.
    fn repeat(&self, range: &Range<usize>, each: bool, out: &mut String) {
        for cell in 0..if each { self.cells } else { 1 } {
            let _ = writeln!(out, "    {}", self.copy(range, cell));
        }
    }

    fn braced(&self, head: &str, body: &[Step], out: &mut String) -> Option<()> {
        let _ = writeln!(out, "    {head} {{");
        body.iter().try_for_each(|step| self.write(step, out))?;
        out.push_str("    }\n");
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::lockstep;

    fn two(body: &str) -> Option<String> {
        let source = format!("const FAR = 9.0; fn stage(cell: Cell) -> f32 {{ {body} }}");
        let text = lockstep(&source, 2, &|k| format!("_cell + {k}"))?;
        let lines = text.lines().map(str::trim).collect::<Vec<_>>();
        assert_eq!(lines.first(), Some(&"fn _stages(_cell: Cell) -> array<f32, 2> {"));
        assert_eq!(lines[2..4], [0, 1].map(|k| format!("let _{k}_cell = _cell + {k}; var _{k}_ended = false;")));
        Some(lines[4..].join("\n"))
    }

    #[test]
    fn what_depends_on_the_cell_stands_once_for_each() {
        let text = two("var sum = 0.0; let far = params.cell * 2.0; for (var i = -1; i <= 1; i++) { \
                        let value = x(cell + unit(0) * i); sum += far * value; } return sum;");
        let expected = "\
            var _0_sum = 0.0;\nvar _1_sum = 0.0;\nlet far = params.cell * 2.0;\nfor (var i = -1; i <= 1; i++) {\n\
            let _0_value = x(_0_cell + unit(0) * i);\nlet _1_value = x(_1_cell + unit(0) * i);\n\
            _0_sum += far * _0_value;\n_1_sum += far * _1_value;\n}\n\
            if (!_0_ended) { _all[0] = _0_sum; }\nif (!_1_ended) { _all[1] = _1_sum; }\nreturn _all;\n}";
        assert_eq!(text.as_deref(), Some(expected));
    }

    #[test]
    fn conditions_that_depend_on_the_cell_part_cells() {
        let text = two("let a = x(cell); if a > 1.0 { return a; } var n = 0; if a < 0.0 { n = 1; } else { n++; } \
                        if params.on != 0 { { const k = 2; n += k; } } return f32(n);");
        let expected = "\
            let _0_a = x(_0_cell);\nlet _1_a = x(_1_cell);\n\
            if (!_0_ended && (_0_a > 1.0)) { _0_ended = true; _all[0] = _0_a; }\n\
            if (!_1_ended && (_1_a > 1.0)) { _1_ended = true; _all[1] = _1_a; }\n\
            if (_0_ended && _1_ended) { return _all; }\n\
            var _0_n = 0;\nvar _1_n = 0;\n\
            if _0_a < 0.0 { _0_n = 1; } else { _0_n++; }\nif _1_a < 0.0 { _1_n = 1; } else { _1_n++; }\n\
            if params.on != 0 {\n{\nconst k = 2;\n_0_n += k;\n_1_n += k;\n}\n}\n\
            if (!_0_ended) { _all[0] = f32(_0_n); }\nif (!_1_ended) { _all[1] = f32(_1_n); }\nreturn _all;\n}";
        assert_eq!(text.as_deref(), Some(expected));
    }

    #[test]
    fn names_are_told_from_members_and_functions() {
        let text = two("let image = image(cell); var p = f(image); p.image = 2.0; return p.cell + image;").unwrap();
        for line in [
            "let _1_image = image(_1_cell);",
            "_1_p.image = 2.0;",
            "if (!_1_ended) { _all[1] = _1_p.cell + _1_image; }",
        ] {
            assert!(text.contains(line), "{text}");
        }
    }

    #[test]
    fn all_other_text_is_left_alone() {
        for body in [
            "for (var i = 0; i < i32(x(cell)); i++) { } return 0.0;",
            "var n = i32(x(cell)); for (var i = 0; i < n; i++) { } return 0.0;",
            "for (var i = 0; i < 3; i++) { if x(cell) > 0.0 { return 1.0; } } return 0.0;",
            "for (var i = 0; i < 3; i++) { if x(cell) > 0.0 { break; } } return 0.0;",
            "if params.on != 0 { return x(cell); } else { return 1.0; }",
            "var i = 0; while i < 3 { i++; } return x(cell);",
            "switch params.on { default: { } } return x(cell);",
            "var a = x(cell); change(&a); return a;",
            "var a = x(cell); let p = &a; return *p;",
            "let b = FAR; let FAR = x(cell); return FAR + b;",
            "let a = x(cell);",
        ] {
            assert_eq!(two(body), None, "{body}");
        }
        assert_eq!(lockstep("fn stage(particle: Particle) -> f32 { return 1.0; }", 2, &|_| String::new()), None);
    }
}
