//! The statements of a block as a tree; all spans are indices of tokens.

use std::ops::Range;

use super::{Token, closing, text};

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A declaration, an assignment or a call, up to and including its semicolon.
    Simple(Range<usize>),
    /// Value of a `return`, which may be empty.
    Return(Range<usize>),
    /// `break`, `continue` or `discard`.
    Jump(Range<usize>),
    /// Statements in braces.
    Block(Vec<Statement>),
    /// A loop with a header.
    For {
        /// Tokens between the parentheses.
        header: Range<usize>,
        /// Statements of the body.
        body: Vec<Statement>,
    },
    /// An `if` with what follows it.
    If {
        /// Conditions, empty for `else`, each with its block.
        arms: Vec<(Range<usize>, Vec<Statement>)>,
        /// All of it.
        span: Range<usize>,
    },
    /// `while`, `loop` and `switch` with their blocks, or an attribute.
    Other(Range<usize>),
}

/// The statements between two tokens; `None` where brackets do not match or a semicolon is missing.
pub fn statements(tokens: &[Token<'_>], range: Range<usize>) -> Option<Vec<Statement>> {
    let word = |at: usize| text(tokens, at);
    let inside = |open: usize, close: usize| statements(tokens, open + 1..close);
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end {
        match word(at) {
            ";" => at += 1,
            "{" => {
                let close = closing(tokens, at)?;
                found.push(Statement::Block(inside(at, close)?));
                at = close + 1;
            }
            "for" => {
                let header = at + 2..closing(tokens, at + 1)?;
                let open = header.end + 1;
                let close = closing(tokens, open)?;
                found.push(Statement::For { header, body: inside(open, close)? });
                at = close + 1;
            }
            "if" => {
                let from = at;
                let mut arms = Vec::new();
                loop {
                    let open = (at..range.end).find(|i| word(*i) == "{")?;
                    let close = closing(tokens, open)?;
                    let condition = if word(at) == "if" { at + 1..open } else { at..at };
                    arms.push((condition, inside(open, close)?));
                    at = close + 1;
                    match (word(at), word(at + 1)) {
                        ("else", "if") => at += 1,
                        ("else", _) => {}
                        _ => break,
                    }
                }
                found.push(Statement::If { arms, span: from..at });
            }
            "while" | "loop" | "switch" => {
                let open = (at..range.end).find(|i| word(*i) == "{")?;
                let end = closing(tokens, open)? + 1;
                found.push(Statement::Other(at..end));
                at = end;
            }
            "@" => {
                let end = if word(at + 2) == "(" { closing(tokens, at + 2)? + 1 } else { at + 2 };
                found.push(Statement::Other(at..end));
                at = end;
            }
            first => {
                let end = (at..range.end).find(|i| word(*i) == ";")?;
                found.push(match first {
                    "return" => Statement::Return(at + 1..end),
                    "break" | "continue" | "discard" => Statement::Jump(at..end + 1),
                    _ => Statement::Simple(at..end + 1),
                });
                at = end + 1;
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::super::tokens;
    use super::*;

    /// Each statement with its words, blocks in braces.
    fn shown(source: &str) -> Option<String> {
        let tokens = tokens(source);
        let words = |range: &Range<usize>| tokens[range.clone()].iter().map(|t| t.text).collect::<Vec<_>>().join(" ");
        fn list(all: &[Statement], words: &dyn Fn(&Range<usize>) -> String) -> String {
            all.iter().map(|one| format!("[{}]", one_of(one, words))).collect()
        }
        fn one_of(one: &Statement, words: &dyn Fn(&Range<usize>) -> String) -> String {
            match one {
                Statement::Simple(span) => words(span),
                Statement::Return(value) => format!("return: {}", words(value)),
                Statement::Jump(span) => format!("jump: {}", words(span)),
                Statement::Block(body) => list(body, words),
                Statement::For { header, body } => format!("for: {} do {}", words(header), list(body, words)),
                Statement::If { arms, .. } => {
                    let arm = |(condition, body): &(Range<usize>, Vec<Statement>)| {
                        format!("if: {} do {}", words(condition), list(body, words))
                    };
                    arms.iter().map(arm).collect::<Vec<_>>().join(" ")
                }
                Statement::Other(span) => format!("other: {}", words(span)),
            }
        }
        Some(list(&statements(&tokens, 0..tokens.len())?, &words))
    }

    #[test]
    fn every_kind_of_statement_has_its_span() {
        for (source, tree) in [
            ("let a = f(1); a += 2;;", "[let a = f ( 1 ) ;][a += 2 ;]"),
            ("{ return; } return a[1];", "[[return: ]][return: a [ 1 ]]"),
            ("for (var i = 0; i < 2; i++) { continue; }", "[for: var i = 0 ; i < 2 ; i ++ do [jump: continue ;]]"),
            ("if a { b; } else if (c) { } else { d; } e;", "[if: a do [b ;] if: ( c ) do  if:  do [d ;]][e ;]"),
            ("while a { b; } loop { break; } c;", "[other: while a { b ; }][other: loop { break ; }][c ;]"),
            (
                "@diagnostic(off, x) switch a { default { } }",
                "[other: @ diagnostic ( off , x )][other: switch a { default { } }]",
            ),
        ] {
            assert_eq!(shown(source).as_deref(), Some(tree), "{source}");
        }
    }

    #[test]
    fn text_that_is_cut_off_has_no_tree() {
        for source in ["let a = 1", "if a { b; ", "for (;;", "{", "while a", "if a"] {
            assert_eq!(shown(source), None, "{source}");
        }
    }
}
