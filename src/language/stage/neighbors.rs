//! Rewrites loops over neighbours: reads of the loop's present particle need no bounds check, and a cached search
//! replaces the distance test.

use super::syntax::{Edits, Token, closing, text as word_at, tokens, written};

/// Iterators over neighbours that only their loop writes: `near` in `var near = neighbors(place); while
/// (neighbors_next(&near)) { .. }`. `grids`: whether a name is that of a neighbour grid.
pub fn iterators<'a>(tokens: &[Token<'a>], grids: &dyn Fn(&str) -> bool) -> Vec<&'a str> {
    let text = |i: usize| word_at(tokens, i);
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

/// The text with `_from_near(particle.index, particle.position)` instead of a search around the stage's own particle,
/// `near(particle.position)`.
pub fn from_own(text: &str, grid: &str) -> String {
    let tokens = tokens(text);
    let word = |i: usize| word_at(&tokens, i);
    let asks = |i: &usize| word(*i) == grid && word(i + 1) == "(" && word(i + 3) == "." && word(i + 4) == "position";
    let call = (0..tokens.len()).find(asks).and_then(|i| Some((tokens.get(i)?.start, tokens.get(i + 2)?)));
    let Some((start, particle)) = call else { return text.to_string() };
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(particle.start..).unwrap_or_default());
    format!("{before}_from_{grid}({}.index, {after}", particle.text)
}

/// The text with a search that reads the cached candidate masks row by row, and tests rows that have none. The cached
/// variant is on one line, so that line numbers are kept.
pub fn from_cache(text: &str, grid: &str) -> String {
    let tokens = tokens(text);
    let loops = |function: &str| {
        let name = format!("{function}_{grid}");
        let call = tokens.iter().position(|t| t.text == name)?;
        let open = call + tokens.get(call..)?.iter().position(|t| t.text == "{")?;
        Some((call, open, closing(&tokens, open)?))
    };
    let parts = loops("_row").zip(loops("_take")).and_then(|((row, row_open, end), (take, open, close))| {
        // `while (_row_x(`, and `_take_x(&near`.
        let begin = tokens.get(row.checked_sub(2)?)?.start;
        let (inside, end) = (tokens.get(row_open)?.start + 1, tokens.get(end)?.start);
        let body: Vec<&str> = tokens.get(open + 1..close)?.iter().map(|t| t.text).collect();
        let iterator = tokens.get(take + 3)?.text;
        Some((text.get(..begin)?, iterator, body.join(" "), text.get(inside..end)?, text.get(end..)?))
    });
    let Some((before, iterator, body, search, after)) = parts else { return text.to_string() };
    format!(
        "{before}for (var _r = 0u; _r < _ROWS_{grid}; _r++) {{ if (_kept_{grid}(&{iterator}, _r)) {{ \
         while (_take_{grid}(&{iterator})) {{ {body} }} }} else {{{search}}} {after}"
    )
}

/// The text with `_near_x(near.index)`, which does not clamp the index, instead of `x(near.index)`. `sets`: whether a
/// name is that of a particle set.
pub fn without_clamp(text: &str, iterators: &[&str], sets: &dyn Fn(&str) -> bool) -> String {
    let tokens = tokens(text);
    let word = |i: usize| word_at(&tokens, i);
    let asks = |i: &usize| {
        let is_set = i.checked_sub(1).map_or("", word) != "." && sets(word(*i));
        let rest = [word(i + 1), word(i + 3), word(i + 4), word(i + 5)];
        is_set && rest == ["(", ".", "index", ")"] && iterators.contains(&word(i + 2))
    };
    let places = (0..tokens.len()).filter(asks).filter_map(|i| tokens.get(i)).map(|t| t.start);
    let mut edits = Edits::new(text);
    places.for_each(|place| edits.insert(place, "_near_"));
    edits.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_clamp_in(body: &str) -> String {
        let found = tokens(body);
        without_clamp(body, &iterators(&found, &|name| name == "neighbors"), &|name| name == "particles")
    }

    const BEGIN: &str = "var near = neighbors(place); while (neighbors_next(&near)) { ";

    #[test]
    fn the_index_of_a_loop_over_neighbours_needs_no_clamp() {
        for rest in [
            "let other = particles(near.index); }",
            "if near.index == own { continue; } sum += particles(near.index).mass; }",
            "sum += particles((near.index)).mass + particles(near.index).mass; }",
        ] {
            let body = format!("{BEGIN}{rest}");
            assert_eq!(without_clamp_in(&body), body.replace("particles(near.index)", "_near_particles(near.index)"));
        }
        let text = format!(
            "{BEGIN}sum += particles(near.index + 1u).mass + particles(other).mass + it.particles(near.index); }}"
        );
        assert_eq!(without_clamp_in(&text), text);
    }

    #[test]
    fn a_search_around_the_own_particle_passes_its_index() {
        let text = "let a = nearby(p.position); var n = near( p.position ); near_next(&n);";
        let expected = "let a = nearby(p.position); var n = _from_near(p.index, p.position ); near_next(&n);";
        assert_eq!(
            (from_own(text, "near").as_str(), from_own("near(place)", "near").as_str()),
            (expected, "near(place)")
        );
    }

    #[test]
    fn a_cached_search_reads_its_candidates() {
        let row = " while (_batch_x(&n)) { for (;;) { if (a) { n._marks |= 1u; } } while (_take_x(&n)) {\n f(n.index); // near\n if b { continue; }\n } } ";
        let text = format!("var n = x(p);\nwhile (_row_x(&n)) {{{row}}} return 1;");
        assert_eq!(
            from_cache(&text, "x"),
            format!(
                "var n = x(p);\nfor (var _r = 0u; _r < _ROWS_x; _r++) {{ if (_kept_x(&n, _r)) {{ \
                 while (_take_x(&n)) {{ f ( n . index ) ; if b {{ continue ; }} }} }} else {{{row}}} }} return 1;"
            )
        );
        assert_eq!(
            from_cache("while (_row_x(&n)) { f(); }", "x"),
            "while (_row_x(&n)) { f(); }",
            "there is no candidate mask"
        );
    }

    #[test]
    fn an_index_that_a_stage_may_have_written_is_clamped() {
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
            assert_eq!(without_clamp_in(&body), body);
        }
        let body = "var near = made_up(place); while (neighbors_next(&near)) { sum += particles(near.index).mass; }";
        assert_eq!(without_clamp_in(body), body);
    }
}
