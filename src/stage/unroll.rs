//! Short loops over constants written out, so that what depends on their counter is known to the shader compiler without its help:
//! `neighbor(cell, face)` becomes one of four or six cells.

use super::lex::{Token, TokenKind, tokens};

/// Rounds that a loop may have, and all that stand in one another together.
const MAX_ROUNDS: i64 = 8;
const MAX_COPIES: i64 = 64;

/// A text with its loops `for (var i = A; i < B; i++)` written out, where A and B are known, the body neither changes the counter
/// nor leaves the loop, and the copies stay few.
pub fn unrolled(source: &str, constants: &dyn Fn(&str) -> Option<i64>) -> String {
    written_out(source, constants, MAX_COPIES)
}

fn written_out(source: &str, constants: &dyn Fn(&str) -> Option<i64>, copies: i64) -> String {
    let tokens = tokens(source);
    let mut out = String::with_capacity(source.len());
    let mut copied = 0;
    let mut index = 0;
    while index < tokens.len() {
        let found = short_loop(&tokens, index, constants).filter(|l| l.until - l.from <= copies.min(MAX_ROUNDS));
        let Some(found) = found else {
            index += 1;
            continue;
        };
        let (Some(head), Some(open), Some(close)) =
            (tokens.get(index), tokens.get(found.open), tokens.get(found.close))
        else {
            break;
        };
        out.push_str(&source[copied..head.start]);
        let rounds = (found.until - found.from).max(1);
        let body = written_out(&source[open.start + 1..close.start], constants, copies / rounds);
        for round in found.from..found.until {
            out.push_str(&format!("{{ const {}: i32 = {round};{body}}}", found.counter));
        }
        copied = close.start + 1;
        index = found.close + 1;
    }
    out.push_str(&source[copied..]);
    out
}

struct Loop<'a> {
    counter: &'a str,
    from: i64,
    until: i64,
    /// The brackets of its body.
    open: usize,
    close: usize,
}

fn short_loop<'a>(tokens: &[Token<'a>], at: usize, constants: &dyn Fn(&str) -> Option<i64>) -> Option<Loop<'a>> {
    let text = |i: usize| tokens.get(i).map_or("", |t| t.text);
    let counter = tokens.get(at + 3).filter(|t| t.kind == TokenKind::Word)?.text;
    let head =
        ["for", "(", "var", counter, "=", text(at + 5), ";", counter, "<", text(at + 9), ";", counter, "++", ")", "{"];
    if !head.iter().enumerate().all(|(k, word)| text(at + k) == *word) {
        return None;
    }
    let number = |word: &str| word.parse::<i64>().ok().or_else(|| constants(word));
    let (from, until) = (number(text(at + 5))?, number(text(at + 9))?);
    let open = at + 14;
    let mut depth = 0;
    let close = (open..tokens.len()).find(|i| {
        depth += match text(*i) {
            "{" => 1,
            "}" => -1,
            _ => 0,
        };
        depth == 0
    })?;
    let leaves = |i: usize| matches!(text(i), "break" | "continue");
    let changes = |i: usize| {
        let set = matches!(text(i + 1), "=" | "++" | "--")
            || text(i + 1).len() > 1 && text(i + 1).ends_with('=') && !matches!(text(i + 1), "==" | "!=" | "<=" | ">=");
        let named = i.checked_sub(1).map_or("", text);
        text(i) == counter && named != "." && (set || matches!(named, "&" | "let" | "var" | "const"))
    };
    let plain = !(open..close).any(|i| leaves(i) || changes(i));
    (plain && until > from).then_some(Loop { counter, from, until, open, close })
}

#[cfg(test)]
mod tests {
    use super::unrolled;

    fn out(text: &str) -> String {
        unrolled(text, &|name| (name == "FACES").then_some(4))
    }

    #[test]
    fn short_loops_are_written_out() {
        assert_eq!(
            out("a; for (var i = 1; i < 3; i++) { s += f(i); } b;"),
            "a; { const i: i32 = 1; s += f(i); }{ const i: i32 = 2; s += f(i); } b;"
        );
        assert_eq!(out("for (var face = 0; face < FACES; face++) { s += 1; }").matches("s += 1").count(), 4);
        let nested = "for (var i = 0; i < 2; i++) { for (var j = 0; j < 3; j++) { s += i * j; } }";
        assert_eq!(out(nested).matches("s += i * j").count(), 6);
    }

    #[test]
    fn all_others_stay() {
        for text in [
            "for (var i = 0; i < 9; i++) { s += i; }",
            "for (var i = 0; i < n; i++) { s += i; }",
            "for (var i = 0; i < 3; i++) { if s > 1 { break; } }",
            "for (var i = 0; i < 3; i++) { i += 1; }",
            "for (var i = 0; i < 3; i++) { let p = &i; }",
            "for (var i = 3; i > 0; i--) { s += i; }",
            "for (var i = 0u; i < 3u; i++) { s += i; }",
        ] {
            assert_eq!(out(text), text);
        }
        let deep =
            "for (var i = 0; i < 8; i++) { for (var j = 0; j < 8; j++) { for (var k = 0; k < 8; k++) { s += 1; } } }";
        assert_eq!(out(deep).matches("s += 1").count(), 64);
    }
}
