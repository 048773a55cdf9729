//! The edge rules of a domain's sides, from the names in its node.

use crate::document::Edge;
use crate::stage::edges::{AXES, Edges, SIDES};
use crate::stage::types::EdgeRule;

/// The rule of each side of a domain of so many dimensions.
///
/// # Errors
/// The cause and the remedy, where a rule or a side is unknown, or an axis is periodic on one side.
pub fn edges(edge: &Edge, dim: u32) -> Result<Edges, (String, &'static str)> {
    let parse = |rule: &str| {
        let names = "use wall, clamp, zero, wrap, mirror, open or inflow";
        EdgeRule::parse(rule).ok_or_else(|| (format!("`{rule}` is not an edge rule"), names))
    };
    let sides = match edge {
        Edge::All(rule) => return parse(rule).map(Edges::uniform),
        Edge::Sides(sides) => sides,
    };
    let mut edges = Edges::default();
    // Axes first, for a side goes before its axis.
    let (axes, others): (Vec<_>, Vec<_>) = sides.iter().partition(|(place, _)| AXES.contains(&place.as_str()));
    for (place, rule) in axes.into_iter().chain(others) {
        let depth = dim < 3 && ["z", "back", "front"].contains(&place.as_str());
        if depth || !edges.set(place, parse(rule)?) {
            let remedy = match dim {
                3 => "name x, y, z, left, right, bottom, top, back or front",
                _ => "name x, y, left, right, bottom or top",
            };
            return Err((format!("the domain has no side `{place}`"), remedy));
        }
    }
    for (axis, [lower, upper]) in SIDES.into_iter().enumerate() {
        if edges.wraps(axis) != (edges.rule(axis, 1) == EdgeRule::Wrap) {
            let cause = format!("only one of `{lower}` and `{upper}` is periodic");
            return Err((cause, "use wrap on both sides, or on neither"));
        }
    }
    Ok(edges.in_dim(dim))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str, dim: u32) -> Result<String, String> {
        edges(&Edge::from_text(text), dim)
            .map(|edges| edges.to_string())
            .map_err(|(cause, remedy)| format!("{cause}; {remedy}"))
    }

    #[test]
    fn sides_are_read_as_they_are_written() {
        assert_eq!(rules("wrap", 3), Ok("wrap".into()));
        assert_eq!(rules("left inflow, right open, y wrap", 2), Ok("left inflow, right open, y wrap".into()));
        assert_eq!(rules("top open, y mirror", 2), Ok("x wall, bottom mirror, top open".into()));
        assert_eq!(rules("x wrap, y wrap, z wrap", 3), Ok("wrap".into()));
        assert_eq!(rules("z zero", 3), Ok("x wall, y wall, z zero".into()));
        for text in
            ["left inflow, right open, y wrap", "x wall, bottom mirror, top open", "z zero", "x wrap, back clamp"]
        {
            let dim = if text.contains('z') || text.contains("back") { 3 } else { 2 };
            let read = edges(&Edge::from_text(text), dim).unwrap();
            assert_eq!(Edges::try_from(read.to_string()), Ok(read), "{text}");
        }
    }

    #[test]
    fn wrong_sides_are_named() {
        assert_eq!(
            rules("left wrap", 2),
            Err("only one of `left` and `right` is periodic; use wrap on both sides, or on neither".into())
        );
        assert_eq!(
            rules("front open", 2),
            Err("the domain has no side `front`; name x, y, left, right, bottom or top".into())
        );
        assert_eq!(
            rules("left cliff", 2),
            Err("`cliff` is not an edge rule; use wall, clamp, zero, wrap, mirror, open or inflow".into())
        );
    }
}
