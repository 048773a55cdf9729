//! Unrolls short loops with constant bounds, so that the shader compiler can evaluate what depends on the counter:
//! `neighbor(cell, face)` becomes one of four or six cells.

use std::collections::BTreeSet;

use super::syntax::{Edits, Function, Token, TokenKind, closing, functions, may_write, text, tokens};
use super::types::ValueType;

/// Limit of iterations of one loop, and of nested loops together.
const MAX_ROUNDS: i64 = 8;
const MAX_COPIES: i64 = 64;

/// What is known about a text.
struct LoopContext<'a> {
    bounds: &'a dyn Fn(&str) -> Option<i64>,
    /// Ports with several numbers a cell. Loops over these numbers are unrolled as long as a cell may have as many.
    arrays: &'a [&'a str],
    /// Functions that loop, which drivers would copy into every round.
    looping: BTreeSet<&'a str>,
}

/// The text with loops `for (var i = A; i < B; i++)` unrolled, where A and B are known, the body neither writes the
/// counter nor leaves the loop, and there are few copies. `arrays`: ports with several numbers a cell.
pub(super) fn unrolled(source: &str, constants: &dyn Fn(&str) -> Option<i64>, arrays: &[&str]) -> String {
    // A parameter that is fixed is `2i`.
    let bounds = |bound: &str| bound.trim_end_matches('i').parse().ok().or_else(|| constants(bound));
    let copies = if arrays.is_empty() { MAX_COPIES } else { 2 * MAX_COPIES };
    let tokens = tokens(source);
    let looping = if arrays.is_empty() { BTreeSet::new() } else { looping(&tokens) };
    unrolled_within(source, &LoopContext { bounds: &bounds, arrays, looping }, copies)
}

/// The text with loops up to a named constant, such as `DIM`, unrolled, and no others.
pub(super) fn unrolled_axes(source: &str, constants: &dyn Fn(&str) -> Option<i64>) -> String {
    unrolled_within(source, &LoopContext { bounds: constants, arrays: &[], looping: BTreeSet::new() }, MAX_COPIES)
}

fn unrolled_within(source: &str, context: &LoopContext<'_>, copies: i64) -> String {
    let tokens = tokens(source);
    let mut edits = Edits::new(source);
    let mut at = 0;
    while at < tokens.len() {
        let few = |l: &Loop<'_>| {
            let most = if l.counts_numbers(&tokens, context) { i64::from(ValueType::MOST_NUMBERS) } else { MAX_ROUNDS };
            l.rounds() <= copies.min(most)
        };
        let found = short_loop(&tokens, at, context).filter(few);
        let places = found.and_then(|l| Some((tokens.get(at)?, tokens.get(l.open)?, tokens.get(l.close)?, l)));
        let Some((head, open, close, found)) = places else {
            at += 1;
            continue;
        };
        let body = source.get(open.start + 1..close.start).unwrap_or_default();
        let body = unrolled_within(body, context, copies / found.rounds().max(1));
        // No `const`: what the text guards by conditions, such as an index of -1 in the first round, would be evaluated.
        let round = |value: i64| format!("{{ let {} = {value}i;{body}}}", found.counter);
        let values = (found.from..found.until).step_by(found.step);
        edits.replace(head.start, close.start + 1, &values.map(round).collect::<String>());
        at = found.close + 1;
    }
    edits.finish()
}

/// Functions of a text that loop, or call one that does.
fn looping<'a>(tokens: &[Token<'a>]) -> BTreeSet<&'a str> {
    let functions = functions(tokens);
    let mut found = BTreeSet::from(["for", "while", "loop"]);
    loop {
        let loops = |f: &&Function<'a>| f.body.clone().any(|i| found.contains(text(tokens, i)));
        let more: Vec<&str> =
            functions.iter().filter(loops).map(|f| f.name.text).filter(|name| !found.contains(name)).collect();
        if more.is_empty() {
            break;
        }
        found.extend(more);
    }
    found.retain(|name| !["for", "while", "loop"].contains(name));
    found
}

struct Loop<'a> {
    counter: &'a str,
    from: i64,
    until: i64,
    step: usize,
    /// The braces of its body.
    open: usize,
    close: usize,
}

impl Loop<'_> {
    fn rounds(&self) -> i64 {
        (self.until - self.from + self.step as i64 - 1) / self.step as i64
    }

    /// Whether the counter is an index, in a text with such ports, or the number of one of their cells.
    fn counts_numbers(&self, tokens: &[Token<'_>], LoopContext { arrays, looping, .. }: &LoopContext<'_>) -> bool {
        let mut body = self.open..self.close;
        if body.any(|i| looping.contains(text(tokens, i))) {
            return false;
        }
        let body = self.open..self.close;
        let names = |range: std::ops::Range<usize>| range.into_iter().any(|i| text(tokens, i) == self.counter);
        let holds = |open: usize| closing(tokens, open).is_some_and(|close| names(open..close));
        let mut places = body.filter(|_| !arrays.is_empty());
        places.any(|i| text(tokens, i) == "[" && holds(i) || arrays.contains(&text(tokens, i)) && holds(i + 1))
    }
}

fn short_loop<'a>(tokens: &[Token<'a>], at: usize, context: &LoopContext<'_>) -> Option<Loop<'a>> {
    let bounds = context.bounds;
    let text = |i: usize| text(tokens, i);
    let counter = tokens.get(at + 3).filter(|t| t.kind == TokenKind::Word)?.text;
    let head = ["for", "(", "var", counter, "=", text(at + 5), ";", counter, "<", text(at + 9), ";", counter];
    if !head.iter().enumerate().all(|(k, word)| text(at + k) == *word) {
        return None;
    }
    let (from, until) = (text(at + 5).parse().ok().or_else(|| bounds(text(at + 5)))?, bounds(text(at + 9))?);
    let (step, open) = match [12, 13, 14, 15].map(|k| text(at + k)) {
        ["++", ")", "{", _] => (1, at + 14),
        ["+=", step, ")", "{"] if !context.arrays.is_empty() => (step.parse().ok().filter(|step| *step > 0)?, at + 15),
        _ => return None,
    };
    let close = closing(tokens, open)?;
    let body = tokens.get(open..close)?;
    let plain = !may_write(body, counter) && !body.iter().any(|t| matches!(t.text, "break" | "continue"));
    (plain && until > from).then_some(Loop { counter, from, until, step, open, close })
}

#[cfg(test)]
mod tests {
    use super::{unrolled, unrolled_axes};

    fn out(text: &str) -> String {
        unrolled(text, &|name| (name == "FACES").then_some(4), &[])
    }

    #[test]
    fn loops_over_the_numbers_of_a_cell_are_unrolled_at_any_length() {
        let rounds = |text: &str| {
            let found = unrolled(text, &|name| (name == "Q").then_some(19), &["f"]);
            (found.matches("let i = ").count(), found)
        };
        let (count, found) = rounds("for (var i = 0; i < Q; i++) { sum += f(cell - E[i], i); }");
        assert!(count == 19 && found.contains("let i = 18i;"), "{found}");
        let (count, found) = rounds("for (var i = 1; i < 19; i += 2) { g[i] = g[i + 1]; }");
        assert!(count == 9 && found.contains("let i = 17i;") && !found.contains("let i = 19i;"), "{found}");
        for text in [
            "for (var i = 0; i < 19; i++) { sum += 1.0; }",
            "for (var i = 0; i < 65; i++) { sum += f(cell, i); }",
            "fn all() { for (var k = 0; k < n; k++) { } } fn both() { all(); } for (var i = 0; i < 19; i++) { sum += f(cell, i); both(); }",
            "for (var i = 0; i < 19; i += n) { sum += f(cell, i); }",
        ] {
            assert_eq!(rounds(text).1, text);
        }
    }

    #[test]
    fn loops_over_axes_are_unrolled_alone() {
        let text = "for (var axis = 0; axis < DIM; axis++) { for (var k = 0; k < 3; k++) { s[axis] += f(k); } }";
        let found = unrolled_axes(text, &|name| (name == "DIM").then_some(2));
        assert_eq!((found.matches("k < 3").count(), found.contains("axis < DIM")), (2, false), "{found}");
    }

    #[test]
    fn short_loops_are_unrolled() {
        assert_eq!(
            out("a; for (var i = 1; i < 3; i++) { s += f(i); } b;"),
            "a; { let i = 1i; s += f(i); }{ let i = 2i; s += f(i); } b;"
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
            "for (var i = 0; i < 3; i++) { (i) += 1; }",
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
