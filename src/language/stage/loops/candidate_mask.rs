//! Loops over neighbours whose body begins with a test that most of them fail, such as a distance. The lanes of a GPU
//! would run the rest of the body for every entry that passes in any lane. So the test runs first for up to 32 entries
//! and sets a bit for each that passes (the candidate mask), and the body then runs only for those, in the same order.

use std::collections::BTreeSet;

use crate::stage::syntax::{Token, TokenKind, assigns, closing, may_write, text as word_at};

/// The statements that set an entry's bit: `near._marks |= 1u << _k` where it passes the test. `body`: the tokens
/// between the braces; `iterator`: the loop's variable; `pure`: whether a function has no side effects and reads
/// nothing that the stage writes.
///
/// The body must consist of a few `let`, then `if FAR { continue; }` and more, or only of `if NEAR { .. }`. What the
/// test reads must not change while the body runs for other entries, and nothing may leave the loop.
pub(super) fn marking(body: &[Token<'_>], iterator: &str, pure: &dyn Fn(&str) -> bool) -> Option<String> {
    let text = |i: usize| word_at(body, i);
    let mut at = 0;
    let mut locals = BTreeSet::new();
    while matches!(text(at), "let" | "const") {
        locals.insert(text(at + 1));
        at += body.get(at..)?.iter().position(|t| t.text == ";")? + 1;
    }
    let prefix = body.get(..at)?;
    (text(at) == "if").then_some(())?;
    let open = at + body.get(at..)?.iter().position(|t| t.text == "{")?;
    let close = closing(body, open)?;
    let condition = body.get(at + 1..open)?;
    let skips = close == open + 3 && text(open + 1) == "continue" && text(open + 2) == ";" && close + 1 < body.len();
    let whole = close + 1 == body.len() && !(close == open + 3 && text(open + 1) == "continue");
    let rest = body.get(if skips { close + 1 } else { open + 1 }..)?;
    let leaves = rest.iter().any(|t| t.text == "break");
    if !(skips && text(close + 1) != "else" || whole) || condition.is_empty() || leaves {
        return None;
    }
    let mut tested = prefix.iter().chain(condition).enumerate();
    let seen: Vec<&Token<'_>> = prefix.iter().chain(condition).collect();
    let before = |i: usize| i.checked_sub(1).and_then(|k| seen.get(k)).map_or("", |t| t.text);
    let after = |i: usize| seen.get(i + 1).map_or("", |t| t.text);
    let harmless = tested.all(|(i, token)| match token.kind {
        TokenKind::Word if before(i) == "." || locals.contains(token.text) => true,
        TokenKind::Word if token.text == iterator => after(i) == ".",
        TokenKind::Word if after(i) == "(" => pure(token.text),
        TokenKind::Word => !may_write(rest, token.text),
        // Neither pointers nor anything that writes; `=` belongs to the `let`.
        _ => !matches!(token.text, "&" | "++" | "--" | "{" | "}" | "@") && (token.text == "=" || !assigns(token.text)),
    });
    harmless.then(|| {
        let words = |tokens: &[Token<'_>]| tokens.iter().map(|t| t.text).collect::<Vec<_>>().join(" ");
        let (lets, test) = (words(prefix), words(condition));
        let near = if skips { format!("!({test})") } else { format!("({test})") };
        format!("{lets} if ({near}) {{ {iterator}._marks |= 1u << _k; }}")
    })
}

#[cfg(test)]
mod tests {
    use crate::stage::syntax::tokens;

    fn marks(body: &str) -> bool {
        let pure = |name: &str| ["dot", "particles", "displacement"].contains(&name);
        super::marking(&tokens(body), "near", &pure).is_some()
    }

    #[test]
    fn a_leading_test_becomes_a_mask() {
        let body = "let d = displacement(place, particles(near.index).position); if dot(d, d) >= h * h { continue; } sum += d;";
        let pure = |_: &str| true;
        assert_eq!(
            super::marking(&tokens(body), "near", &pure).unwrap(),
            "let d = displacement ( place , particles ( near . index ) . position ) ; if (!(dot ( d , d ) >= h * h)) { near._marks |= 1u << _k; }"
        );
        for body in [
            body,
            "if near.index == own { continue; } f(near.index);",
            "let d = dot(a, b); if d < h { sum += d; }",
            "let d = dot(a, b); if d < h { if d < best { best = d; } else { continue; } }",
        ] {
            assert!(marks(body), "{body}");
        }
    }

    #[test]
    fn a_test_of_what_another_round_may_change_stays() {
        for body in [
            "sum += particles(near.index).mass;",
            "let d = dot(a, b); if d > best { continue; } best = d;",
            "let d = dot(a, b); if d > h { continue; } h -= d;",
            "let d = dot(a, b); if d > h { continue; } shrink(&h);",
            "let d = dot(a, b); if d > h { continue; }",
            "let d = dot(a, b); if d > h { continue; } if d < 1.0 { break; } sum += d;",
            "let d = dot(a, b); if d < h { sum += d; } else { others += 1; }",
            "let d = dot(a, b); if d < h { sum += d; } others += 1;",
            "let d = add_count(cell, 1u); if d > 3u { continue; } sum += d;",
            "var d = dot(a, b); if d > h { continue; } sum += d;",
            "let d = &sum; if *d > h { continue; } other += 1;",
            "let d = visited(near); if d > h { continue; } other += 1;",
        ] {
            assert!(!marks(body), "{body}");
        }
    }
}
