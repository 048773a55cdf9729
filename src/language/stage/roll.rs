//! Keeps long loops from being unrolled by a driver's compiler, which takes the longer the more copies it makes: `face < FACES` becomes
//! `face < FACES + _rolled()`, where nobody who compiles can know that the function returns zero. Short loops are unrolled as ever.
//! Kernels of texts that are being edited have such loops: a driver then does not copy a field into each round. They compute the same bits, more slowly.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

use super::syntax::{Edits, Token, TokenKind, closing, functions, is_member, text, tokens};

/// Length of all rounds of a loop from which it stays one, in tokens, with the functions that it calls.
const LONG: u64 = 600;
/// What the text of a field counts for, which is not known here.
const FIELD: u64 = 300;

/// The text with a bound that is not known in advance in long loops. `constants`: names with a known value; `fields`: ports that are fields.
pub(super) fn rolled(source: &str, constants: &dyn Fn(&str) -> Option<i64>, fields: &[&str]) -> String {
    let tokens = tokens(source);
    let lengths = Lengths::new(&tokens, constants, fields);
    let mut edits = Edits::new(source);
    for at in 0..tokens.len() {
        let long = Counted::read(&tokens, at, constants).is_some_and(|counted| lengths.loop_length(&counted) > LONG);
        if let Some(bound) = tokens.get(at + BOUND).filter(|_| long) {
            edits.insert(bound.start + bound.text.len(), " + _rolled()");
        }
    }
    edits.finish()
}

/// The token of a loop's bound, from its `for` on.
const BOUND: usize = 9;

/// A loop `for (var i = A; i < B; ..)` with known bounds.
struct Counted {
    rounds: u64,
    body: Range<usize>,
}

impl Counted {
    fn read(tokens: &[Token<'_>], at: usize, constants: &dyn Fn(&str) -> Option<i64>) -> Option<Counted> {
        let text = |i: usize| text(tokens, i);
        // A parameter that is fixed is `2i`.
        let constant = |i: usize| text(i).trim_end_matches('i').parse().ok().or_else(|| constants(text(i)));
        let counter = text(at + 3);
        let head = ["for", "(", "var", counter, "=", text(at + 5), ";", counter, "<", text(at + BOUND), ";", counter];
        head.iter().enumerate().all(|(k, word)| text(at + k) == *word).then_some(())?;
        let (from, until) = (constant(at + 5)?, constant(at + BOUND)?);
        let (step, open) = match [12, 13, 14, 15].map(|k| text(at + k)) {
            ["++", ")", "{", _] => (1, at + 14),
            ["+=", step, ")", "{"] => (step.parse::<i64>().ok().filter(|step| *step > 0)?, at + 15),
            _ => return None,
        };
        let rounds = u64::try_from(until.checked_sub(from)?).ok()?.div_ceil(step.unsigned_abs());
        Some(Counted { rounds, body: open + 1..closing(tokens, open)? })
    }
}

/// How long what a text says becomes if every call and every loop with known bounds is written out \[tokens\].
struct Lengths<'t, 'a> {
    tokens: &'t [Token<'a>],
    constants: &'t dyn Fn(&str) -> Option<i64>,
    fields: &'t [&'t str],
    bodies: BTreeMap<&'a str, Range<usize>>,
    /// Lengths of functions; zero while one is looked at, which ends at one that calls itself.
    lengths: RefCell<BTreeMap<&'a str, u64>>,
}

impl<'t, 'a> Lengths<'t, 'a> {
    fn new(tokens: &'t [Token<'a>], constants: &'t dyn Fn(&str) -> Option<i64>, fields: &'t [&'t str]) -> Self {
        let bodies = functions(tokens).into_iter().map(|f| (f.name.text, f.body)).collect();
        Lengths { tokens, constants, fields, bodies, lengths: RefCell::default() }
    }

    fn loop_length(&self, counted: &Counted) -> u64 {
        counted.rounds.saturating_mul(self.range(counted.body.clone()))
    }

    fn range(&self, range: Range<usize>) -> u64 {
        let (mut sum, mut at) = (0u64, range.start);
        while at < range.end {
            let counted = Counted::read(self.tokens, at, self.constants).filter(|c| c.body.end <= range.end);
            let (length, next) = match counted {
                Some(counted) => (self.loop_length(&counted), counted.body.end),
                None => (1 + self.call(at), at + 1),
            };
            (sum, at) = (sum.saturating_add(length), next);
        }
        sum
    }

    /// What a call at a token stands for.
    fn call(&self, at: usize) -> u64 {
        let Some(word) = self.tokens.get(at).filter(|t| t.kind == TokenKind::Word) else { return 0 };
        if text(self.tokens, at + 1) != "(" || is_member(self.tokens, at) {
            return 0;
        }
        if self.fields.contains(&word.text.strip_suffix("_gradient").unwrap_or(word.text)) {
            return FIELD;
        }
        let Some(body) = self.bodies.get(word.text) else { return 0 };
        if let Some(length) = self.lengths.borrow().get(word.text) {
            return *length;
        }
        self.lengths.borrow_mut().insert(word.text, 0);
        let length = self.range(body.clone());
        self.lengths.borrow_mut().insert(word.text, length);
        length
    }
}

#[cfg(test)]
mod tests {
    use super::rolled;

    fn out(text: &str) -> String {
        rolled(text, &|name| (name == "FACES").then_some(6), &["shape"])
    }

    #[test]
    fn loops_stay_loops_where_much_is_called() {
        let text = "for (var face = 0; face < FACES; face += 1) { sum += shape(x + r * face_normal(face)); }";
        assert_eq!(out(text), text.replace("< FACES", "< FACES + _rolled()"));
        let body = "s += 1.0; ".repeat(40);
        let long = "fn f() { for (var i = 0; i < 8; i++) { if x > 0 { break; } long(x); } }";
        let text = format!("fn long(x: f32) {{ {body} }} {long}");
        assert_eq!(out(&text), text.replace("< 8", "< 8 + _rolled()"));
    }

    #[test]
    fn loops_within_loops_count_with_all_their_rounds() {
        let text = "for (var k = 0; k < 4; k++) { for (var i = 0; i < 2; i++) { s[i] += shape_gradient(x, e); } }";
        assert_eq!(out(text), text.replace("< 4", "< 4 + _rolled()").replace("< 2", "< 2 + _rolled()"));
        let text = "for (var k = 0; k < 64; k++) { for (var i = 0; i < 2; i++) { s[i] += 1.0; } }";
        assert_eq!(out(text), text.replace("< 64", "< 64 + _rolled()"));
    }

    #[test]
    fn all_others_stay() {
        for text in [
            "for (var i = 0; i < 6; i++) { sum += p(neighbor(cell, i)); }",
            "for (var i = 0; i < n; i++) { shape(x); shape(x); shape(x); }",
            "for (var i = 0u; i < 64u; i++) { shape(x); }",
            "for (var i = 6; i < 2; i++) { shape(x); shape(x); shape(x); }",
            "fn f() { f(); f(); } for (var i = 0; i < 9; i++) { f(); }",
            "for (var i = 0; i < 9; i++) { shape(x);",
        ] {
            assert_eq!(out(text), text);
        }
    }
}
