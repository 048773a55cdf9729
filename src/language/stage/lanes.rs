//! Shares a particle's loop over the pixels of an image among several invocations: in `for (var y = 0; y < MOST; y++) { for (var x = 0; x < MOST; x++) { .. } }`
//! the loop over a row becomes `for (var x = _share; x < MOST; x += 8) { .. }`, or that over rows where it can't. What its rounds do must not
//! depend on one another: they may only add to grids, in any order.

use std::collections::BTreeSet;
use std::ops::Range;

use super::syntax::{Edits, Token, TokenKind, assigns, closing, functions, text, tokens};

/// Rounds that a loop may make at least, for its sharing to be worth the repetition of what stands before it.
const MANY: i64 = 32;

/// The text with the last loop of loops of its `stage` function shared by so many invocations, of which `_share` is the number; none where there
/// is none, or where rounds depend on one another, or may as far as tokens tell. `constants`: names with a known value; `adds`: functions that add to grids.
pub(super) fn shared(
    source: &str,
    constants: &dyn Fn(&str) -> Option<i64>,
    adds: &dyn Fn(&str) -> bool,
    lanes: u32,
) -> Option<String> {
    let tokens = tokens(source);
    let functions = functions(&tokens);
    let stage = functions.iter().find(|function| function.name.text == "stage")?;
    let outer = last_loop(&tokens, stage.body.clone(), constants)?;
    outer.body.clone().any(|at| text(&tokens, at) == "for").then_some(())?;
    let can = |head: &Head<'_>| {
        // What stands outside the loop every invocation repeats.
        let within = |at: usize| !adds(text(&tokens, at)) || head.body.contains(&at);
        // A name that is declared outside and again inside could be either variable.
        let outside = declared(&tokens, stage.body.start..head.start);
        let apart = outside.is_disjoint(&declared(&tokens, head.body.clone()));
        apart && (0..tokens.len()).all(within) && independent(&tokens, head.body.clone(), head.counter)
    };
    // Neighbouring invocations go through neighbouring pixels of a row, which memory takes together; where they can't, through rows.
    let inner = last_loop(&tokens, outer.body.clone(), constants);
    let head = [inner, Some(outer)].into_iter().flatten().find(can)?;
    let mut edits = Edits::new(source);
    let (first, step) = (tokens.get(head.start + FIRST)?, tokens.get(head.start + STEP)?);
    edits.replace(first.start, first.start + first.text.len(), "_share");
    edits.replace(step.start, step.start + step.text.len(), &format!(" += {lanes}"));
    Some(edits.finish())
}

/// Tokens of a loop's head, from its `for` on.
const FIRST: usize = 5;
const BOUND: usize = 9;
const STEP: usize = 12;
const OPEN: usize = 14;

struct Head<'a> {
    /// The `for`.
    start: usize,
    counter: &'a str,
    /// Between its braces.
    body: Range<usize>,
}

/// The loop with which a function ends: `for (var i = 0; i < MOST; i++) { .. }`.
fn last_loop<'a>(
    tokens: &[Token<'a>],
    function: Range<usize>,
    constants: &dyn Fn(&str) -> Option<i64>,
) -> Option<Head<'a>> {
    let mut at = function.start;
    while at < function.end {
        let counter = text(tokens, at + 3);
        let bound = text(tokens, at + BOUND);
        let words = ["for", "(", "var", counter, "=", "0", ";", counter, "<", bound, ";", counter, "++", ")", "{"];
        if words.iter().enumerate().all(|(k, word)| text(tokens, at + k) == *word) {
            let close = closing(tokens, at + OPEN)?;
            if (close + 1..function.end).all(|after| text(tokens, after) == "}") {
                let rounds = bound.parse().ok().or_else(|| constants(bound))?;
                return (rounds >= MANY).then_some(Head { start: at, counter, body: at + OPEN + 1..close });
            }
        }
        // What lies within another block may not be done.
        at = if text(tokens, at) == "{" && at > function.start { closing(tokens, at)? + 1 } else { at + 1 };
    }
    None
}

/// Names that a part of a text declares.
fn declared<'a>(tokens: &[Token<'a>], part: Range<usize>) -> BTreeSet<&'a str> {
    let names = part.filter(|at| matches!(text(tokens, *at), "let" | "var" | "const")).map(|at| text(tokens, at + 1));
    names.collect()
}

/// Whether rounds can be made in any order, and by anybody: they change nothing that another round sees, and once one of them ends the loop
/// all later ones would too (sums with the counter are taken not to wrap at 2^31).
fn independent(tokens: &[Token<'_>], body: Range<usize>, counter: &str) -> bool {
    let declared = declared(tokens, body.clone());
    if declared.contains(counter) {
        return false;
    }
    let leaves = ends_early(tokens, body.clone(), counter);
    let from = leaves.clone().map_or(body.start, |leaves| leaves.end);
    // Every other `break` and `return` could end the loop too.
    let loops: Vec<Range<usize>> = body
        .clone()
        .filter(|at| matches!(text(tokens, *at), "for" | "while" | "loop"))
        .filter_map(|at| {
            let open = (at..body.end).find(|at| text(tokens, *at) == "{")?;
            Some(open..closing(tokens, open)?)
        })
        .collect();
    (from..body.end).all(|at| {
        let word = text(tokens, at);
        match word {
            "return" | "discard" | "switch" => false,
            "break" => loops.iter().any(|within| within.contains(&at)),
            "&" => tokens.get(at - 1).is_some_and(|before| ends_operand(before)),
            _ if assigns(word) || matches!(word, "++" | "--") => {
                let target = target(tokens, at, body.start);
                target.is_some_and(|target| declared.contains(target))
            }
            _ => true,
        }
    })
}

/// Whether what follows a token is an operator between two operands: `a & b`, and not `f(&a)`.
fn ends_operand(token: &Token<'_>) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Number) || matches!(token.text, ")" | "]")
}

/// The variable that an assignment changes: `v` of `v.x = 1` and of `v[i] += 2`.
fn target<'a>(tokens: &[Token<'a>], operator: usize, start: usize) -> Option<&'a str> {
    let begins = |at: &usize| matches!(text(tokens, *at), ";" | "{" | "}" | "(");
    let before = (start..operator).rev().scan(0i32, |depth, at| {
        *depth += match text(tokens, at) {
            "]" => 1,
            "[" => -1,
            _ => 0,
        };
        Some((at, *depth))
    });
    let first = before.filter(|(at, depth)| *depth == 0 && begins(at)).map(|(at, _)| at + 1).next().unwrap_or(start);
    let first = if matches!(text(tokens, first), "let" | "var" | "const") { first + 1 } else { first };
    tokens.get(first).filter(|token| token.kind == TokenKind::Word).map(|token| token.text)
}

/// `if i >= count { break; }` at the beginning, with a side that grows with the counter and one that stays.
fn ends_early(tokens: &[Token<'_>], body: Range<usize>, counter: &str) -> Option<Range<usize>> {
    let word = |at: usize| text(tokens, at);
    let open = (body.start..body.end).find(|at| word(*at) == "{")?;
    let ends = word(body.start) == "if" && word(open + 1) == "break" && word(open + 2) == ";" && word(open + 3) == "}";
    let condition = body.start + 1..open;
    let compares = condition.clone().find(|at| matches!(word(*at), ">" | ">="))?;
    let (grows, stays) = (condition.start..compares, compares + 1..open);
    // Not a member of its name.
    let is_counter = |at: &usize| word(*at) == counter && word(*at - 1) != ".";
    let counted = |range: Range<usize>| range.filter(is_counter).count();
    let made_of = |range: Range<usize>, operators: &[&str]| {
        range.filter_map(|at| tokens.get(at)).all(|t| t.kind != TokenKind::Punct || operators.contains(&t.text))
    };
    // A sum of the counter and of what is there before the loop.
    let right = ends
        && counted(grows.clone()) == 1
        && counted(stays.clone()) == 0
        && !grows.clone().any(|at| is_counter(&at) && word(at + 1) == ".")
        && made_of(grows, &["+", "."])
        && made_of(stays, &["+", "-", "*", "."]);
    right.then_some(body.start..open + 4)
}

#[cfg(test)]
mod tests {
    use super::shared;

    fn text(body: &str) -> Option<String> {
        let source = format!(
            "fn stage(particle: Particle) {{ let first = lowest(); if none() {{ return; }} {body} }}\nconst MOST = 64;"
        );
        shared(&source, &|name| (name == "MOST").then_some(64), &|name| matches!(name, "add_light" | "min_depth"), 8)
    }

    #[test]
    fn loops_that_only_add_are_shared() {
        for body in [
            "for (var i = 0; i < MOST; i++) { for (var k = 0; k < 9; k++) { add_light(first + i, 1.0); } }",
            "for (var i = 0; i < 100; i++) { if i >= count.x * count.y { break; } var sum = 0.0; for (var k = 0; k < 9; k++) { sum += f(i); } add_light(i, sum); }",
            "for (var y = 0; y < MOST; y++) { if first.y + y > last.y { break; } for (var x = 0; x < 9; x++) { if x > last.x { break; } if wet(x) { continue; } min_depth(y, x & 3); } }",
            "for (var i = 0; i < MOST; i++) { var v = vec2f(); v.x = 1.0; for (var k = 0; k < 9; k++) { v[i & 1] += 2.0; } add_light(i, v.x); }",
        ] {
            let found = text(body).unwrap_or_else(|| panic!("{body}"));
            assert!(found.contains(" = _share; ") && found.contains(" += 8)"), "{found}");
            assert_eq!(found.matches("_share").count(), 1, "{found}");
        }
    }

    #[test]
    fn pixels_of_a_row_are_shared_where_they_can_be() {
        let loops = |between: &str, row: &str, after: &str| {
            let row = format!("for (var x = 0; x < MOST; x++) {{ if first.x + x > last.x {{ break; }} {row} }}");
            text(&format!(
                "for (var y = 0; y < MOST; y++) {{ if first.y + y > last.y {{ break; }} {between} {row} {after} }}"
            ))
        };
        for (between, row, after, shared) in [
            ("", "add_light(x, 1.0);", "", "var x = _share;"),
            (
                "let wide = f(y); if wide > 3.0 { continue; }",
                "let at = x + y; min_depth(at, wide);",
                "",
                "var x = _share;",
            ),
            ("var n = 0; n += y;", "add_light(x, n);", "", "var x = _share;"),
            // Pixels see what others of their row did, or something follows them.
            ("var n = 0;", "n += 1; add_light(x, n);", "", "var y = _share;"),
            ("", "let n = x;", "add_light(y, 1.0);", "var y = _share;"),
            ("", "if full(x) { break; } add_light(x, 1.0);", "", "var y = _share;"),
            ("let k = 2;", "let k = x; add_light(k, 1.0);", "", "var y = _share;"),
            // A sum of the row itself is made once.
            ("add_light(y, 1.0);", "add_light(x, 2.0);", "", "var y = _share;"),
        ] {
            let found = loops(between, row, after).unwrap_or_else(|| panic!("{row}"));
            assert!(found.contains(shared) && found.matches("_share").count() == 1, "{found}");
        }
    }

    #[test]
    fn loops_whose_rounds_depend_on_one_another_are_not() {
        for body in [
            // Few rounds, an unknown number, another step, another begin.
            "for (var i = 0; i < 8; i++) { ROUND(i, 1.0); }",
            "for (var i = 0; i < count; i++) { ROUND(i, 1.0); }",
            "for (var i = 0; i < MOST; i += 2) { ROUND(i, 1.0); }",
            "for (var i = 1; i < MOST; i++) { ROUND(i, 1.0); }",
            // Something comes after it, or it is not always made.
            "for (var i = 0; i < MOST; i++) { ROUND(i, 1.0); } ROUND(0, 1.0);",
            "if wet() { for (var i = 0; i < MOST; i++) { ROUND(i, 1.0); } }",
            "ROUND(0, 1.0); for (var i = 0; i < MOST; i++) { ROUND(i, 1.0); }",
            // A round sees what others did.
            "var n = 0; for (var i = 0; i < MOST; i++) { n += 1; { var n = 2; } ROUND(n, 1.0); }",
            "var sum = 0.0; for (var i = 0; i < MOST; i++) { sum += 1.0; ROUND(i, sum); }",
            "var sum = vec2f(); for (var i = 0; i < MOST; i++) { sum.x = sum.x + 1.0; ROUND(i, sum.x); }",
            "var all = array<f32, 9>(); for (var i = 0; i < MOST; i++) { all[i] = 1.0; ROUND(i, all[0]); }",
            "var n = 0; for (var i = 0; i < MOST; i++) { n++; ROUND(n, 1.0); }",
            "var n = 0; for (var i = 0; i < MOST; i++) { next(&n); ROUND(n, 1.0); }",
            "for (var i = 0; i < MOST; i++) { ROUND(i, 1.0); i += 1; }",
            "for (var i = 0; i < MOST; i++) { let i = 2; ROUND(i, 1.0); }",
            // An end that is not that of all later rounds.
            "for (var i = 0; i < MOST; i++) { if full(i) { break; } ROUND(i, 1.0); }",
            "for (var i = 0; i < MOST; i++) { if i % 7 >= 3 { break; } ROUND(i, 1.0); }",
            "for (var i = 0; i < MOST; i++) { if i - 3 >= -i { break; } ROUND(i, 1.0); }",
            "for (var i = 0; i < MOST; i++) { if -i + 9 >= 3 { break; } ROUND(i, 1.0); }",
            "for (var i = 0; i < MOST; i++) { if 3 >= i { break; } ROUND(i, 1.0); }",
            "for (var i = 0; i < MOST; i++) { if i >= ends[i] { break; } ROUND(i, 1.0); }",
            "for (var i = 0; i < MOST; i++) { if i >= 3 && wet { break; } ROUND(i, 1.0); }",
            "for (var i = 0; i < MOST; i++) { if i < 3 { continue; } if i >= 9 { break; } ROUND(i, 1.0); }",
            "for (var i = 0; i < MOST; i++) { if i >= 9 { return; } ROUND(i, 1.0); }",
        ] {
            let body = body.replace("ROUND", "for (var k = 0; k < 9; k++) { } add_light");
            assert_eq!(text(&body), None, "{body}");
        }
    }
}
