//! The edge rules of a domain, as a graph file names them.

use std::fmt;

use crate::stage::edges::{AXES, Edges, SIDES};
use crate::stage::types::EdgeRule;

/// What is beyond the sides of a domain; it may name rules and sides that there are not.
#[derive(Clone, Debug, PartialEq)]
pub enum Edge {
    /// The rule of all sides.
    All(String),
    /// Rules by axis (`x`) or side (`left`), in the order of the file. Other sides are walls; a side goes before its axis.
    Sides(Vec<(String, String)>),
}

impl Edge {
    /// From a rule, or from axes and sides with theirs: `wall`, `y wrap, left inflow`.
    pub fn from_text(text: &str) -> Edge {
        let is_name = |side: &str| side.chars().all(|c| c.is_ascii_alphabetic());
        let pair = |part: &str| {
            let (side, rule) = part.trim().split_once(' ').filter(|(side, _)| is_name(side))?;
            Some((side.into(), rule.trim().into()))
        };
        let pairs: Option<Vec<(String, String)>> = text.split(',').map(pair).collect();
        pairs.map_or_else(|| Edge::All(text.into()), Edge::Sides)
    }

    /// The rule of each side in a domain of so many dimensions.
    ///
    /// # Errors
    /// The cause and the remedy, where a rule or a side is unknown, or an axis is periodic on one side.
    pub fn rules(&self, dim: u32) -> Result<Edges, (String, &'static str)> {
        let parse = |rule: &str| {
            let names = "use wall, clamp, zero, wrap, mirror, open or inflow";
            EdgeRule::parse(rule).ok_or_else(|| (format!("`{rule}` is not an edge rule"), names))
        };
        let sides = match self {
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
}

impl From<&str> for Edge {
    fn from(text: &str) -> Edge {
        Edge::from_text(text)
    }
}

impl Edge {
    /// Rules of every side of a domain of so many dimensions, each by its name.
    pub fn by_side(edges: Edges, dim: u32) -> Edge {
        let sides = SIDES.iter().take(dim as usize).enumerate().flat_map(|(axis, names)| {
            names.iter().enumerate().map(move |(side, name)| ((*name).to_string(), edges.rule(axis, side).name().to_string()))
        });
        Edge::Sides(sides.collect())
    }
}

/// As [`Edge::from_text`] reads it.
impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Edge::All(rule) => f.write_str(rule),
            Edge::Sides(sides) => {
                let parts: Vec<String> = sides.iter().map(|(side, rule)| format!("{side} {rule}")).collect();
                f.write_str(&parts.join(", "))
            }
        }
    }
}
