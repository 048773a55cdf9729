//! Recognises a stage's neighbour search, if it is the only one and around the particle that the stage runs for, and
//! determines whether it visits all neighbours. Two such stages find the same neighbours, so the second can use the
//! cached result of the first.

use super::{candidate_mask, over_neighbors};
use crate::stage::syntax::{Token, blocks, stage_function, text};

/// A search around the particle that a stage runs for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// Port of the neighbour grid.
    pub grid: String,
    /// Whether the search runs unconditionally and visits every entry.
    pub whole: bool,
    /// Whether the search's body runs only for entries that pass a test (see `candidate_mask`).
    pub tests: bool,
}

/// The search of a stage, where it is the only one and the text is
/// `var near = GRID(particle.position); while (GRID_next(&near)) { .. SET(near.index) .. }`
/// in its `fn stage(particle: Particle)`. `grids`: ports of neighbour grids; `set`: that of the particles that it runs for;
/// `pure`: as for `candidate_mask::marking`.
pub(crate) fn search(tokens: &[Token<'_>], grids: &[&str], set: &str, pure: &dyn Fn(&str) -> bool) -> Option<Search> {
    let text = |i: usize| text(tokens, i);
    let blocks = blocks(tokens);
    let stage = stage_function(tokens)?;
    let (particle, "Particle") = stage.first_argument(tokens) else { return None };
    // The opening brace.
    let begin = stage.body.start.checked_sub(1)?;
    let mut searches = blocks.iter().filter_map(|block| Some((block, over_neighbors(block, tokens)?)));
    let (found, (_, grid, iterator)) = searches.next()?;
    let open = found.open?;
    let only = searches.next().is_none() && grids.contains(&grid);
    let inside = begin < found.keyword && found.close < stage.body.end;
    // The grid is used only once.
    let mut calls = (0..tokens.len()).filter(|i| text(*i) == grid);
    let call = calls.next()?;
    let around = ["(", particle, ".", "position", ")", ";"];
    let asks = calls.next().is_none() && around.iter().enumerate().all(|(k, word)| text(call + 1 + k) == *word);
    let next = format!("{grid}_next");
    let goes_on = tokens.iter().filter(|t| t.text == next).count() == 1;
    let begins = call
        .checked_sub(3)
        .is_some_and(|var| ["var", iterator, "="].iter().enumerate().all(|(k, w)| text(var + k) == *w));
    let hidden = |i: usize| matches!(text(i), "let" | "var" | "const") && text(i + 1) == particle;
    let same = begin < call && call < found.keyword && !(begin..found.close).any(hidden);
    let body = tokens.get(open + 1..found.close)?;
    let entry = [set, "(", iterator, ".", "index", ")"];
    let reads_entry = body.windows(entry.len()).any(|w| w.iter().zip(entry).all(|(token, word)| token.text == word));
    (only && inside && asks && goes_on && begins && same && reads_entry).then_some(())?;
    let tests = candidate_mask::marking(body, iterator, pure).is_some();
    // Number of open braces at a position, including the function's own.
    let opened =
        |to: usize| (begin..to).filter(|i| text(*i) == "{").count() - (begin..to).filter(|i| text(*i) == "}").count();
    let leaves = (begin..found.close).any(|i| text(i) == "return") || body.iter().any(|t| t.text == "break");
    let whole = opened(found.keyword) == 1 && opened(call) == 1 && !leaves;
    Some(Search { grid: grid.to_string(), whole, tests })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::syntax::tokens;

    const LOOP: &str =
        "while (near_next(&it)) { let d = displacement(p.position, fluid(it.index).position); sum += dot(d, d); }";
    const TESTING: &str = "while near_next(&it) { let d = displacement(p.position, fluid(it.index).position); if dot(d, d) > h { continue; } sum += d; }";

    fn found(body: &str) -> Option<(bool, bool)> {
        let source = format!("fn stage(p: Particle) -> f32 {{ var sum = 0.0; {body} return sum; }}");
        let pure = |name: &str| ["dot", "fluid", "displacement"].contains(&name);
        search(&tokens(&source), &["near"], "fluid", &pure).map(|s| (s.whole, s.tests))
    }

    #[test]
    fn a_search_around_the_own_particle_is_found() {
        let begin = "var it = near(p.position);";
        assert_eq!(found(&format!("{begin} {LOOP}")), Some((true, false)));
        assert_eq!(found(&format!("{begin} {TESTING}")), Some((true, true)));
        assert_eq!(found(&format!("let h = radius(); {begin} let g = h; {TESTING}")), Some((true, true)));
    }

    #[test]
    fn a_search_that_may_be_skipped_is_not_whole() {
        let begin = "var it = near(p.position);";
        for body in [
            format!("if off {{ return 0.0; }} {begin} {TESTING}"),
            format!("if on {{ {begin} {TESTING} }}"),
            format!("{begin} if on {{ {TESTING} }}"),
            format!("for (var i = 0; i < n; i++) {{ {begin} {TESTING} }}"),
        ] {
            assert_eq!(found(&body), Some((false, true)), "{body}");
        }
        for body in
            ["{ sum += fluid(it.index).mass; break; }", "{ sum += fluid(it.index).mass; if sum > 1.0 { return sum; } }"]
        {
            assert_eq!(found(&format!("{begin} while near_next(&it) {body}")), Some((false, false)), "{body}");
        }
    }

    #[test]
    fn other_searches_are_none() {
        let begin = "var it = near(p.position);";
        for body in [
            format!("var it = near(p.position + shift); {LOOP}"),
            format!("let p = other; {begin} {LOOP}"),
            format!("{begin} {{ let p = other; }} {LOOP}"),
            format!("{begin} {LOOP} {begin} {LOOP}"),
            format!("{begin} it = near(other.position); {LOOP}"),
            format!("{begin} if near_next(&it) {{ sum = 1.0; }} {LOOP}"),
            format!("{begin} while (near_next(&it)) {{ sum += 1.0; }}"),
            format!("{begin} while (near_next(&it)) {{ sum += walls(it.index).mass; }}"),
            "var it = far(p.position); while (far_next(&it)) { sum += fluid(it.index).mass; }".to_string(),
            format!("var it = near_range(p.position); {LOOP}"),
        ] {
            assert_eq!(found(&body), None, "{body}");
        }
        let pure = |_: &str| true;
        let helper = format!(
            "fn stage(p: Particle) -> f32 {{ return f(p); }} fn f(p: Particle) -> f32 {{ {begin} {LOOP} return sum; }}"
        );
        assert_eq!(search(&tokens(&helper), &["near"], "fluid", &pure), None);
        let cells = format!("fn stage(p: Cell) -> f32 {{ {begin} {LOOP} return sum; }}");
        assert_eq!(search(&tokens(&cells), &["near"], "fluid", &pure), None);
    }
}
