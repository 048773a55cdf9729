//! What a loop over neighbours does with the particle it is at: its place is one of the set's, so reading it need not be held to them; and on
//! a GPU several are looked at in one round, since their loads then do not wait for each other.

use super::lex::{Token, TokenKind, tokens};

/// Entries of a round.
const AT_ONCE: usize = 4;

/// Tokens of a body that is written out so often.
const MOST_TOKENS: usize = 160;

/// Names of a stage's text that stand for a loop over neighbours and are written by nothing but the loop: `near` in
/// `var near = neighbors(place); while (neighbors_next(&near)) { .. }`. `grids`: whether a name is a neighbour grid's.
pub fn iterators<'a>(tokens: &[Token<'a>], grids: &dyn Fn(&str) -> bool) -> Vec<&'a str> {
    let text = |i: usize| tokens.get(i).map_or("", |t| t.text);
    let before = |i: usize, back: usize| i.checked_sub(back).map_or("", text);
    let begins = |i: usize| before(i, 1) == "var" && text(i + 1) == "=" && grids(text(i + 2)) && text(i + 3) == "(";
    let goes_on = |i: usize| {
        let grid = before(i, 3).strip_suffix("_next");
        before(i, 1) == "&" && before(i, 2) == "(" && grid.is_some_and(grids) && text(i + 1) == ")"
    };
    let reads = |i: usize| text(i + 1) == "." && text(i + 2) == "index" && !written(tokens, i, i + 2);
    let mut found: Vec<&str> = (0..tokens.len()).filter(|i| begins(*i)).map(text).collect();
    found.dedup();
    let named = |i: &usize, name: &str| text(*i) == name && before(*i, 1) != ".";
    found.retain(|name| (0..tokens.len()).filter(|i| named(i, name)).all(|i| begins(i) || goes_on(i) || reads(i)));
    found
}

/// Whether the expression from one token to another is assigned to, or pointed to.
fn written(tokens: &[Token<'_>], mut first: usize, mut last: usize) -> bool {
    let text = |i: Option<usize>| i.and_then(|i| tokens.get(i)).map_or("", |t| t.text);
    loop {
        let (before, after) = (text(first.checked_sub(1)), text(Some(last + 1)));
        let assigned = after.ends_with('=') && !["==", "<=", ">=", "!="].contains(&after);
        if assigned || ["++", "--"].contains(&after) || before == "&" {
            return true;
        }
        if before != "(" || after != ")" {
            return false;
        }
        (first, last) = (first - 1, last + 1);
    }
}

/// The text with `x(near.index)` as `_near_x(near.index)`. `sets`: whether a name is that of a set of particles.
pub fn unheld(text: &str, iterators: &[&str], sets: &dyn Fn(&str) -> bool) -> String {
    let tokens = tokens(text);
    let word = |i: usize| tokens.get(i).map_or("", |t| t.text);
    let asks = |i: &usize| {
        let own = i.checked_sub(1).map_or("", word) != "." && sets(word(*i));
        let rest = [word(i + 1), word(i + 3), word(i + 4), word(i + 5)];
        own && rest == ["(", ".", "index", ")"] && iterators.contains(&word(i + 2))
    };
    let places = (0..tokens.len()).filter(asks).filter_map(|i| tokens.get(i)).map(|t| t.start);
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for place in places {
        out += text.get(copied..place).unwrap_or_default();
        out += "_near_";
        copied = place;
    }
    out + text.get(copied..).unwrap_or_default()
}

/// The text with the loops over the entries of a row of cells written out, four a round: tests that leave marks, and short bodies that go
/// through to their end.
pub fn in_fours(text: &str) -> String {
    let tokens = tokens(text);
    let mut out = String::with_capacity(2 * text.len());
    let mut copied = 0;
    for at in 0..tokens.len() {
        let Some(round) = tests(text, &tokens, at).or_else(|| steps(text, &tokens, at)) else { continue };
        out += text.get(copied..round.start).unwrap_or_default();
        out += &round.text;
        copied = round.end;
    }
    out + text.get(copied..).unwrap_or_default()
}

/// A loop, and what takes its place.
struct Round {
    start: usize,
    end: usize,
    text: String,
}

/// `for (var _k = 0u; _k < near._some; _k++) { .. }`: the marks of a round are constants until they are put where they belong.
fn tests(text: &str, tokens: &[Token<'_>], at: usize) -> Option<Round> {
    let word = |i: usize| tokens.get(at + i).map_or("", |t| t.text);
    let near = word(9);
    let head = ["for", "(", "var", "_k", "=", "0u", ";", "_k", "<", near, ".", "_some", ";", "_k", "++", ")", "{"];
    (0..head.len()).all(|i| word(i) == head[i]).then_some(())?;
    let (body, end) = body(text, tokens, at + head.len() - 1)?;
    let mark = format!("{near}._marks |= 1u << _k;");
    body.contains(&mark).then_some(())?;
    let entry = |k: usize| {
        let body = body.replace(&mark, &format!("_bits |= {}u;", 1 << k));
        format!("{{ let _k = _four + {k}u; {body} }} ")
    };
    let all: String = (0..AT_ONCE).map(entry).collect();
    let text = format!(
        "var _four = 0u; for (; _four + {}u < {near}._some; _four += {AT_ONCE}u) {{ var _bits = 0u; {all}{near}._marks |= _bits << _four; }} \
         for (var _k = _four; _k < {near}._some; _k++) {{{body}}}",
        AT_ONCE - 1
    );
    Some(Round { start: tokens.get(at)?.start, end, text })
}

/// `while (_step_neighbors(&near)) { .. }`
fn steps(text: &str, tokens: &[Token<'_>], at: usize) -> Option<Round> {
    let word = |i: usize| tokens.get(at + i).map_or("", |t| t.text);
    let (step, near) = if word(1) == "(" { (2, word(5)) } else { (1, word(4)) };
    let port = word(step).strip_prefix("_step_").filter(|_| word(0) == "while")?;
    let open = (at..tokens.len()).find(|i| tokens.get(*i).is_some_and(|t| t.text == "{"))?;
    let (body, end) = body(text, tokens, open)?;
    let entry = |k: usize| format!("{{ _at_{port}(&{near}, {k}u); {body} }} ");
    let all: String = (0..AT_ONCE).map(entry).collect();
    let rest = text.get(tokens.get(at)?.start..end)?;
    let text = format!("while (_four_{port}(&{near})) {{ {all}}} {rest}");
    Some(Round { start: tokens.get(at)?.start, end, text })
}

/// What stands between a bracket and its counterpart, if it is short and leaves neither the round nor the function; and where it ends.
fn body<'t>(text: &'t str, tokens: &[Token<'_>], open: usize) -> Option<(&'t str, usize)> {
    let mut depth = 0usize;
    let ends = |token: &Token<'_>| {
        match token.text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    };
    let close = open + tokens.get(open..)?.iter().position(ends)?;
    let inside = tokens.get(open + 1..close)?;
    let leaves = |t: &Token<'_>| {
        let words = ["break", "continue", "return", "discard", "for", "while", "loop", "switch"];
        t.kind == TokenKind::Word && words.contains(&t.text)
    };
    let end = tokens.get(close)?.start;
    let plain = inside.len() <= MOST_TOKENS && !inside.iter().any(leaves);
    Some((text.get(tokens.get(open)?.start + 1..end)?, end + 1)).filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unheld_in(body: &str) -> String {
        let found = tokens(body);
        unheld(body, &iterators(&found, &|name| name == "neighbors"), &|name| name == "particles")
    }

    const BEGIN: &str = "var near = neighbors(place); while (neighbors_next(&near)) { ";

    #[test]
    fn the_place_that_a_loop_is_at_needs_no_holding() {
        for rest in [
            "let other = particles(near.index); }",
            "if near.index == own { continue; } sum += particles(near.index).mass; }",
            "sum += particles((near.index)).mass + particles(near.index).mass; }",
        ] {
            let body = format!("{BEGIN}{rest}");
            assert_eq!(unheld_in(&body), body.replace("particles(near.index)", "_near_particles(near.index)"));
        }
        let own = format!(
            "{BEGIN}sum += particles(near.index + 1u).mass + particles(other).mass + it.particles(near.index); }}"
        );
        assert_eq!(unheld_in(&own), own);
    }

    #[test]
    fn a_place_that_a_stage_may_have_made_up_is_held() {
        for rest in [
            "near.index = 7u; sum += particles(near.index).mass; }",
            "near.index++; sum += particles(near.index).mass; }",
            "(near.index) += 3u; sum += particles(near.index).mass; }",
            "let p = &near.index; *p = 9u; sum += particles(near.index).mass; }",
            "change(&near); sum += particles(near.index).mass; }",
            "let p = &(near); (*p).index = 3u; sum += particles(near.index).mass; }",
            "let near = other; sum += particles(near.index).mass; }",
            "near = other; sum += particles(near.index).mass; }",
            "sum += particles(near.index).mass; } fn f(near: Other) -> f32 { return particles(near.index).mass; }",
        ] {
            let body = format!("{BEGIN}{rest}");
            assert_eq!(unheld_in(&body), body);
        }
        let body = "var near = made_up(place); while (neighbors_next(&near)) { sum += particles(near.index).mass; }";
        assert_eq!(unheld_in(body), body);
    }

    #[test]
    fn entries_are_looked_at_four_a_round() {
        let tested =
            "for (var _k = 0u; _k < near._some; _k++) { _look_n(&near, _k); if (a) { near._marks |= 1u << _k; } } x;";
        let out = in_fours(tested);
        assert_eq!(out.matches("_look_n(&near, _k);").count(), 5, "four and the rest: {out}");
        assert!(out.contains("let _k = _four + 3u;") && out.contains("_bits |= 8u;"), "{out}");
        assert!(out.contains("near._marks |= _bits << _four;") && out.contains("for (var _k = _four;"), "{out}");
        assert!(out.ends_with("} x;"), "{out}");
        let out = in_fours("while (_row_n(&near)) { while (_step_n(&near)) { let d = f(near.index); sum += d; } }");
        assert_eq!(out.matches("sum += d;").count(), 5, "four and the rest: {out}");
        assert!(
            out.contains("while (_four_n(&near)) { { _at_n(&near, 0u);") && out.ends_with("sum += d; } }"),
            "{out}"
        );
        for body in ["if a { continue; } b;", "if a { break; }", "for (;;) { b; }", "return;"] {
            let text = format!("while (_step_n(&near)) {{ {body} }}");
            assert_eq!(in_fours(&text), text);
        }
    }
}
