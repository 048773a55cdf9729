//! Proves that all indices in a text are in bounds, so that the GPU need not check them. Recognised are constants,
//! which the shader compiler checks, and counters of loops over the axes, over the components of a parameter, or over an array of the text.

use std::collections::BTreeMap;

use super::syntax::{Token, TokenKind, text, written};

/// Whether every index is a constant, or a loop counter from 0 below `DIM`, or below the number of components of the
/// indexed parameter or of elements of the indexed array.
pub(super) fn proven(tokens: &[Token<'_>], components: &dyn Fn(&str) -> Option<u32>) -> bool {
    let text = |i: usize| text(tokens, i);
    let arrays = arrays(tokens);
    let opened = (0..tokens.len()).filter(|i| text(*i) == "[");
    let mut indices = opened.map(|open| {
        let end = (open + 1..tokens.len()).find(|i| matches!(text(*i), "]" | "["))?;
        let param = open.checked_sub(3).filter(|at| text(*at) == "params" && text(at + 1) == ".");
        let array = open.checked_sub(1).filter(|at| at.checked_sub(1).is_none_or(|before| text(before) != "."));
        let array = array.and_then(|at| arrays.get(text(at)).copied());
        let room = param.and_then(|at| components(text(at + 2))).or(array);
        (text(end) == "]").then(|| (&tokens[open + 1..end], room))
    });
    indices.all(|index| index.is_some_and(|(index, room)| constant(index) || counter(index, tokens, room)))
}

/// Elements of arrays by name, where every declaration of the name says so.
fn arrays<'t>(tokens: &[Token<'t>]) -> BTreeMap<&'t str, u32> {
    let text = |i: usize| text(tokens, i);
    let mut arrays = BTreeMap::<&str, u32>::new();
    for at in (0..tokens.len()).filter(|i| tokens[*i].kind == TokenKind::Word) {
        let declared = at.checked_sub(1).is_some_and(|before| matches!(text(before), "let" | "var" | "const"));
        if !declared && text(at + 1) != ":" {
            continue;
        }
        let count = match [1, 2, 3, 5, 7].map(|k| text(at + k)) {
            ["=" | ":", "array", "<", ",", ">"] => text(at + 6).parse().unwrap_or(0),
            _ => 0,
        };
        let shortest = arrays.entry(tokens[at].text).or_insert(count);
        *shortest = (*shortest).min(count);
    }
    arrays.retain(|_, count| *count > 0);
    arrays
}

fn constant(index: &[Token<'_>]) -> bool {
    !index.is_empty()
        && index.iter().all(|t| t.kind == TokenKind::Number || matches!(t.text, "DIM" | "FACES" | "+" | "-" | "*"))
}

/// Whether an index is a name that in the whole text is only the counter of loops `for (var i = 0; i < DIM; i++)`, or
/// of loops up to `room`.
fn counter(index: &[Token<'_>], tokens: &[Token<'_>], room: Option<u32>) -> bool {
    let [Token { kind: TokenKind::Word, text: word, .. }] = index else { return false };
    let text = |i: usize| text(tokens, i);
    let before = |i: usize, back: usize| i.checked_sub(back).map_or("", text);
    let mut loops = 0;
    for place in (0..tokens.len()).filter(|i| text(*i) == *word && before(*i, 1) != ".") {
        let head = ["for", "(", "var", word, "=", "0", ";", word, "<", "", ";", word, "++", ")"];
        // An array may have fewer elements than there are axes.
        let axes = room.is_none_or(|room| room >= 3);
        let bounded = |bound: &str| bound == "DIM" && axes || bound.parse().is_ok_and(|n: u32| n <= room.unwrap_or(0));
        let begins = before(place, 1) == "var";
        let from = if begins { place.checked_sub(3) } else { place.checked_sub(11) };
        let fits =
            |from: usize| (0..head.len()).all(|k| k == 9 || text(from + k) == head[k]) && bounded(text(from + 9));
        let in_head = from.is_some_and(fits);
        let declares =
            matches!(before(place, 1), "let" | "const" | "var" | "fn" | "override") || text(place + 1) == ":";
        if (declares || written(tokens, place, place)) && !in_head {
            return false;
        }
        loops += usize::from(begins);
    }
    loops > 0
}

#[cfg(test)]
mod tests {
    use super::super::syntax::tokens;

    fn proven(text: &str) -> bool {
        super::proven(&tokens(text), &|name| (name == "gain").then_some(4))
    }

    #[test]
    fn constants_and_counters_of_axes_are_proven() {
        for text in [
            "fn stage(cell: Cell) -> f32 { return field(cell); }",
            "let a = v[0] + v[DIM - 1];",
            "for (var axis = 0; axis < DIM; axis++) { place[axis] = sites[axis] * other.axis; }",
            "for (var k = 0; k < 4; k++) { sum += params.gain[k]; }",
            "let w = array<vec3f, 3>(a, b, c); for (var k = 0; k < 3; k++) { sum += w[k].x; }",
            "var w: array<f32, 9>; for (var k = 0; k < 9; k++) { w[k] = 1.0; } for (var k = 0; k < 4; k++) { w[k] = 2.0; }",
            "for (var i = 0; i < DIM; i++) { a[i] = 1.0; } for (var i = 0; i < DIM; i++) { b[i] += a[i]; }",
        ] {
            assert!(proven(text), "{text}");
        }
    }

    #[test]
    fn what_may_leave_its_bounds_is_not() {
        for text in [
            "let a = v[i];",
            "for (var k = 0; k < 5; k++) { sum += params.gain[k]; }",
            "for (var k = 0; k < 4; k++) { sum += params.other[k]; }",
            "for (var k = 0; k < 4; k++) { sum += params.gain[k] + v[k]; }",
            "let w = array<vec3f, 3>(a, b, c); for (var k = 0; k < 4; k++) { sum += w[k].x; }",
            "let w = array<f32, 1>(a); for (var axis = 0; axis < DIM; axis++) { sum += w[axis]; }",
            "let w = array<f32, 3>(a, b, c); { let w = array<f32, 2>(a, b); for (var k = 0; k < 3; k++) { sum += w[k]; } }",
            "let w = array<f32, 3>(a, b, c); { let w = v; for (var k = 0; k < 3; k++) { sum += w[k]; } }",
            "fn f(w: vec2f) { for (var k = 0; k < 3; k++) { sum += w[k]; } } let w = array<f32, 3>(a, b, c);",
            "let w = array<f32, 3>(a, b, c); for (var k = 0; k < 3; k++) { sum += p.w[k]; }",
            "let a = v[params.axis];",
            "let a = v[u32(x)];",
            "fn f(axis: i32) { v[axis] = 1.0; }",
            "for (var axis = 0; axis < FACES; axis++) { place[axis] = 1.0; }",
            "for (var axis = 0; axis < DIM; axis++) { axis = 7; place[axis] = 1.0; }",
            "for (var axis = 0; axis < DIM; axis++) { axis++; place[axis] = 1.0; }",
            "for (var axis = 0; axis < DIM; axis++) { (axis) = 7; place[axis] = 1.0; }",
            "for (var axis = 0; axis < DIM; axis++) { let p = &(axis); place[axis] = 1.0; }",
            "for (var axis = 0; axis < DIM; axis++) { let p = &axis; place[axis] = 1.0; }",
            "for (var axis = 0; axis < DIM; axis++) { } let axis = 9; place[axis] = 1.0;",
            "for (var axis = 0; axis < DIM; axis++) { place[other[axis]] = 1.0; }",
        ] {
            assert!(!proven(text), "{text}");
        }
    }
}
