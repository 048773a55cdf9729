//! The edge rules of a domain, as a graph file names them.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

use super::field_name::FieldName;

/// What is beyond the sides of a domain; it may name rules and sides that there are not.
#[derive(Clone, Debug, PartialEq)]
pub enum Edge {
    /// The rule of all sides.
    All(String),
    /// Rules by axis (`x`) or side (`left`), in the order of the file. Other sides are walls; a side goes before its axis.
    Sides(Vec<(String, String)>),
}

impl Edge {
    /// Reads a rule, or axes and sides with theirs: `wall`, `y wrap, left inflow`.
    pub fn from_text(text: &str) -> Edge {
        let is_name = |side: &str| side.chars().all(|c| c.is_ascii_alphabetic());
        let pair = |part: &str| {
            let (side, rule) = part.trim().split_once(' ').filter(|(side, _)| is_name(side))?;
            Some((side.into(), rule.trim().into()))
        };
        let pairs: Option<Vec<(String, String)>> = text.split(',').map(pair).collect();
        // A side that is named twice could not be read from a file.
        let once = |pairs: &Vec<(String, String)>| {
            pairs.iter().all(|(side, _)| pairs.iter().filter(|(other, _)| other == side).count() == 1)
        };
        pairs.filter(once).map_or_else(|| Edge::All(text.into()), Edge::Sides)
    }
}

impl From<&str> for Edge {
    fn from(text: &str) -> Edge {
        Edge::from_text(text)
    }
}

/// Writes an edge rule in the form that [`Edge::from_text`] reads.
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

impl<'de> Deserialize<'de> for Edge {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Edge, D::Error> {
        struct RuleOrSides;
        impl<'de> Visitor<'de> for RuleOrSides {
            type Value = Edge;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "an edge rule such as \"wall\", or rules by axis and side such as (y: \"wrap\", left: \"inflow\")",
                )
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Edge, E> {
                Ok(Edge::from_text(v))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Edge, A::Error> {
                let mut sides = Vec::<(String, String)>::new();
                while let Some(FieldName(side)) = map.next_key()? {
                    if sides.iter().any(|(earlier_side, _)| *earlier_side == side) {
                        return Err(de::Error::custom(format!("side `{side}` is given twice")));
                    }
                    if side.is_empty() || !side.chars().all(|c| c.is_ascii_alphabetic()) {
                        return Err(de::Error::custom(format!(
                            "`{side}` is no side; there are x, left, right and so on"
                        )));
                    }
                    sides.push((side, map.next_value()?));
                }
                if sides.is_empty() {
                    return Err(de::Error::custom("an edge needs a rule, such as \"wall\""));
                }
                Ok(Edge::Sides(sides))
            }
        }
        deserializer.deserialize_any(RuleOrSides)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, NodeKind};

    #[test]
    fn sides_are_written_as_they_are_read() {
        for (edge, text) in [
            (r#""wall""#, "wall"),
            (r#"(y: "wrap", left: "inflow", right: "open")"#, "y wrap, left inflow, right open"),
            (r#"(top: "no such rule")"#, "top no such rule"),
            (r#""left wall, left open""#, "left wall, left open"),
        ] {
            let node = format!("\"d\": (domain: (resolution: (8, 8), width: 1, edge: {edge})),");
            let file = Document::parse(&format!("(version: 1, nodes: {{ {node} }})")).unwrap();
            let NodeKind::Domain(domain) = &file.nodes["d"].kind else { panic!("a domain") };
            assert_eq!(domain.edge.to_string(), text);
            assert_eq!(Edge::from_text(text), domain.edge);
            assert!(file.to_text().contains(&node), "{}", file.to_text());
            assert_eq!(Document::parse(&file.to_text()), Ok(file));
        }
        for wrong in [r#"(x: "wall", x: "open")"#, "()", "{}", r#"{"": "wall"}"#, r#"{"1x": "wall"}"#] {
            let file = format!(r#"(version: 1, nodes: {{"d": (domain: (edge: {wrong}))}})"#);
            assert!(Document::parse(&file).is_err(), "{wrong}");
        }
    }
}
