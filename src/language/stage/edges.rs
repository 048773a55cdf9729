//! The edge rules of a domain's sides.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::types::EdgeRule;

/// Names of the sides, by axis: the lower and the upper one.
pub const SIDES: [[&str; 2]; 3] = [["left", "right"], ["bottom", "top"], ["back", "front"]];
/// Names of the axes.
pub const AXES: [&str; 3] = ["x", "y", "z"];

/// The edge rule of each side of a domain: of the lower and the upper one along x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Edges([[EdgeRule; 2]; 3]);

impl Edges {
    /// One rule on all sides.
    pub const fn uniform(rule: EdgeRule) -> Edges {
        Edges([[rule; 2]; 3])
    }

    /// The rules in a domain of `dim` dimensions: the sides that a plane lacks do not count, and become those of y.
    pub(crate) fn in_dim(self, dim: u32) -> Edges {
        let [x, y, z] = self.0;
        Edges([x, y, if dim < 3 { y } else { z }])
    }

    /// The rule of an axis and a side, 0 or 1.
    pub fn rule(&self, axis: usize, side: usize) -> EdgeRule {
        self.0.get(axis).and_then(|sides| sides.get(side)).copied().unwrap_or_default()
    }

    /// The rule of all sides, where they have the same.
    pub fn one(&self) -> Option<EdgeRule> {
        let rule = self.rule(0, 0);
        (*self == Edges::uniform(rule)).then_some(rule)
    }

    /// Whether some side has a rule.
    pub fn has(&self, rule: EdgeRule) -> bool {
        self.0.as_flattened().contains(&rule)
    }

    /// Whether an axis is periodic.
    pub fn wraps(&self, axis: usize) -> bool {
        self.rule(axis, 0) == EdgeRule::Wrap
    }

    /// Rules in the place of others.
    pub fn map(self, change: impl Fn(EdgeRule) -> EdgeRule) -> Edges {
        Edges(self.0.map(|sides| sides.map(&change)))
    }

    /// Whether, by axis and side, a rule is one of these.
    pub fn are(&self, rules: &[EdgeRule]) -> [[bool; 2]; 3] {
        self.0.map(|sides| sides.map(|rule| rules.contains(&rule)))
    }
}

impl Default for Edges {
    fn default() -> Edges {
        Edges::uniform(EdgeRule::default())
    }
}

/// `wall`, or `left inflow, right open, y wrap`.
impl fmt::Display for Edges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(rule) = self.one() {
            return f.write_str(rule.name());
        }
        let mut parts = Vec::new();
        // What a plane lacks is as along y, and need not be said.
        let named = if matches!(self.0, [_, y, z] if y == z) { 2 } else { 3 };
        for ((axis, names), [lower, upper]) in AXES.iter().zip(SIDES).zip(self.0).take(named) {
            if lower == upper {
                parts.push(format!("{axis} {}", lower.name()));
            } else {
                parts.extend(names.iter().zip([lower, upper]).map(|(name, rule)| format!("{name} {}", rule.name())));
            }
        }
        f.write_str(&parts.join(", "))
    }
}

impl From<Edges> for String {
    fn from(edges: Edges) -> String {
        edges.to_string()
    }
}

impl TryFrom<String> for Edges {
    type Error = String;

    fn try_from(text: String) -> Result<Edges, String> {
        if let Some(rule) = EdgeRule::parse(&text) {
            return Ok(Edges::uniform(rule));
        }
        let (mut edges, mut deep) = (Edges::default(), false);
        for part in text.split(", ") {
            let (place, rule) = part.split_once(' ').ok_or_else(|| format!("`{part}` is not a side and its rule"))?;
            let rule = EdgeRule::parse(rule).ok_or_else(|| format!("`{rule}` is not an edge rule"))?;
            if !edges.set(place, rule) {
                return Err(format!("`{place}` is neither an axis nor a side"));
            }
            deep |= ["z", "back", "front"].contains(&place);
        }
        Ok(edges.in_dim(if deep { 3 } else { 2 }))
    }
}

impl Edges {
    /// Sets the rule of an axis or a side by its name; `false` where there is none of this name.
    pub fn set(&mut self, place: &str, rule: EdgeRule) -> bool {
        let axis = AXES.iter().position(|name| *name == place);
        for (index, (names, rules)) in SIDES.iter().zip(&mut self.0).enumerate() {
            for (name, old) in names.iter().zip(rules) {
                if axis == Some(index) || *name == place {
                    *old = rule;
                }
            }
        }
        axis.is_some() || SIDES.as_flattened().contains(&place)
    }
}
