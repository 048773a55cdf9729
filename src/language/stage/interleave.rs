//! Interleaves several cells in one invocation: each statement that depends on the cell is repeated for each of them, all others run
//! once. A GPU then has independent instructions to issue while one cell's result is still on its way (instruction-level parallelism),
//! and what neighbouring cells read in common is read once.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use super::definition::{IterationSource, Stage};
use super::header::Direction;
use super::proven::Footprint;
use super::syntax::{Statement, Token, TokenKind, stage_function, statements, text, tokens};

impl Stage {
    /// Whether several cells can be interleaved, with inputs that the text provably reads in a window around each.
    pub fn interleaves(&self, dim: u32) -> bool {
        let proven = |footprint: Option<&Footprint>| footprint.is_none_or(|f| f.proven);
        self.source() == IterationSource::Cells
            && self.outputs().all(|port| port.direction == Direction::Out)
            && self.inputs().all(|port| proven(self.footprint(&port.name, dim)))
            && *self.found.interleaves.get(|| interleave(&self.source, 2, &|_| String::new()).is_some())
    }
}

/// A function `_stages(_cell: Cell)` that returns the results of `stage` for several cells; `place` gives the cell of
/// each. `None` where the control flow depends on the cell other than by `if`, or the text returns early other than by
/// `if condition { return value; }`.
pub fn interleave(source: &str, cells: u32, place: &dyn Fn(u32) -> String) -> Option<String> {
    let tokens = tokens(source);
    let function = stage_function(&tokens)?;
    let (cell, "Cell") = function.first_argument(&tokens) else { return None };
    if (function.arguments.len(), function.returns.len()) != (3, 1) {
        return None;
    }
    let body = statements(&tokens, function.body.clone()).filter(|body| supported(&tokens, body))?;
    let mut interleaver = Interleaver { source, tokens: &tokens, varying: BTreeSet::from([cell]), cells };
    while interleaver.spread(&body, false) {}
    let outside = (0..tokens.len()).filter(|at| !(function.keyword..function.body.end).contains(at));
    let hidden = |at: usize| {
        interleaver.varying.contains(text(&tokens, at + 1))
            && matches!(text(&tokens, at), "const" | "var" | "override" | ">")
    };
    if outside.into_iter().any(hidden) {
        return None;
    }
    let result = text(&tokens, function.returns.start);
    let mut out = format!("fn _stages(_cell: Cell) -> array<{result}, {cells}> {{\n");
    let _ = writeln!(out, "    var _all: array<{result}, {cells}>;");
    for k in 0..cells {
        let _ = writeln!(out, "    let _{k}_{cell} = {}; var _{k}_ended = false;", place(k));
    }
    let (Statement::Return(value), before) = body.split_last()? else { return None };
    for statement in before {
        match early_return(statement) {
            Some((condition, value)) => {
                for k in 0..cells {
                    let (condition, value) = (interleaver.copy(condition, k), interleaver.copy(value, k));
                    let _ = writeln!(
                        out,
                        "    if (!_{k}_ended && ({condition})) {{ _{k}_ended = true; _all[{k}] = {value}; }}"
                    );
                }
                let ended: Vec<String> = (0..cells).map(|k| format!("_{k}_ended")).collect();
                let _ = writeln!(out, "    if ({}) {{ return _all; }}", ended.join(" && "));
            }
            None => interleaver.write(statement, &mut out)?,
        }
    }
    for k in 0..cells {
        let _ = writeln!(out, "    if (!_{k}_ended) {{ _all[{k}] = {}; }}", interleaver.copy(value, k));
    }
    out.push_str("    return _all;\n}\n");
    Some(out)
}

/// The condition and the value of `if condition { return value; }`.
fn early_return(statement: &Statement) -> Option<(&Range<usize>, &Range<usize>)> {
    let Statement::If { arms, .. } = statement else { return None };
    match arms.as_slice() {
        [(condition, body)] => match body.as_slice() {
            [Statement::Return(value)] => Some((condition, value)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether all statements are of kinds that can be interleaved and none takes an address, since a pointer would hide
/// what is written.
fn supported(tokens: &[Token<'_>], statements: &[Statement]) -> bool {
    statements.iter().all(|statement| match statement {
        Statement::Simple(span) | Statement::Return(span) => {
            let first = text(tokens, span.start);
            let word = tokens.get(span.start).is_some_and(|token| token.kind == TokenKind::Word);
            let pointer = |at: usize| text(tokens, at) == "&" && matches!(text(tokens, at - 1), "(" | "," | "=");
            let module_variable = first == "var" && text(tokens, span.start + 1) == "<";
            let plain = word || matches!(statement, Statement::Return(_));
            plain && !module_variable && !span.clone().any(pointer)
        }
        Statement::Block(body) | Statement::For { body, .. } => supported(tokens, body),
        Statement::If { arms, .. } => arms.iter().all(|(_, body)| supported(tokens, body)),
        Statement::Jump(_) | Statement::Other(_) => false,
    })
}

struct Interleaver<'t, 'a> {
    source: &'a str,
    tokens: &'t [Token<'a>],
    /// Local names whose value may differ between the cells.
    varying: BTreeSet<&'a str>,
    cells: u32,
}

impl<'a> Interleaver<'_, 'a> {
    fn text(&self, index: usize) -> &'a str {
        self.tokens.get(index).map_or("", |t| t.text)
    }

    /// Whether a token is the name of a varying variable, not a member or a function.
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

    /// Adds names that vary by data flow or, `under` a varying condition, by control flow. Returns whether any was
    /// added.
    fn spread(&mut self, statements: &[Statement], under: bool) -> bool {
        let mut found = false;
        for statement in statements {
            match statement {
                Statement::Simple(range) if under || self.varies(range) => {
                    found |= self.target(range).is_some_and(|name| self.varying.insert(name));
                }
                Statement::Simple(_) | Statement::Return(_) | Statement::Jump(_) | Statement::Other(_) => {}
                Statement::Block(body) => found |= self.spread(body, under),
                Statement::For { header, body } => {
                    let counter = self.text(header.start + 1);
                    found |= under && self.varying.insert(counter);
                    found |= self.spread(body, under);
                }
                Statement::If { arms, .. } => {
                    let under = under || arms.iter().any(|(condition, _)| self.varies(condition));
                    for (_, body) in arms {
                        found |= self.spread(body, under);
                    }
                }
            }
        }
        found
    }

    /// A part of the text with the varying names renamed for one cell.
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

    fn write(&self, statement: &Statement, out: &mut String) -> Option<()> {
        match statement {
            Statement::Simple(range) => self.repeat(range, self.varies(range), out),
            Statement::Block(body) => self.braced("", body, out)?,
            Statement::For { header, body } => {
                (!self.varies(header)).then_some(())?;
                self.braced(&format!("for ({})", self.copy(header, 0)), body, out)?;
            }
            Statement::If { arms, span } => {
                if arms.iter().any(|(condition, _)| self.varies(condition)) {
                    let ends = span.clone().any(|i| self.text(i) == "return");
                    (!ends).then(|| self.repeat(span, true, out))?;
                    return Some(());
                }
                for (index, (condition, body)) in arms.iter().enumerate() {
                    let head = if index == 0 { "" } else { "else " };
                    let condition = match condition.is_empty() {
                        true => String::new(),
                        false => format!("if {}", self.copy(condition, 0)),
                    };
                    self.braced(&format!("{head}{condition}"), body, out)?;
                }
            }
            // A return here would end all cells at once.
            Statement::Return(_) | Statement::Jump(_) | Statement::Other(_) => return None,
        }
        Some(())
    }

    /// A statement for each cell, or once.
    fn repeat(&self, range: &Range<usize>, each: bool, out: &mut String) {
        for cell in 0..if each { self.cells } else { 1 } {
            let _ = writeln!(out, "    {}", self.copy(range, cell));
        }
    }

    fn braced(&self, head: &str, body: &[Statement], out: &mut String) -> Option<()> {
        let _ = writeln!(out, "    {head} {{");
        body.iter().try_for_each(|statement| self.write(statement, out))?;
        out.push_str("    }\n");
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::interleave;

    fn two(body: &str) -> Option<String> {
        let source = format!("const FAR = 9.0; fn stage(cell: Cell) -> f32 {{ {body} }}");
        let text = interleave(&source, 2, &|k| format!("_cell + {k}"))?;
        let lines = text.lines().map(str::trim).collect::<Vec<_>>();
        assert_eq!(lines.first(), Some(&"fn _stages(_cell: Cell) -> array<f32, 2> {"));
        assert_eq!(lines[2..4], [0, 1].map(|k| format!("let _{k}_cell = _cell + {k}; var _{k}_ended = false;")));
        Some(lines[4..].join("\n"))
    }

    #[test]
    fn statements_that_depend_on_the_cell_are_repeated() {
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
    fn conditions_that_depend_on_the_cell_are_repeated() {
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
    fn members_and_functions_are_not_renamed() {
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
    fn other_control_flow_is_not_interleaved() {
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
        assert_eq!(interleave("fn stage(particle: Particle) -> f32 { return 1.0; }", 2, &|_| String::new()), None);
    }
}
