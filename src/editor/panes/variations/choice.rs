//! What varies, and the values of each variation.

use crate::document::{Document, Group, Node, NodeKind, Nodes, ParamValue};
use crate::library::Library;
use crate::model::declared::declared;
use crate::model::session::{Assignment, Session};
use crate::stage::header::{ParamType, Range};
use crate::stage::types::{Scalar, ValueType};

/// Number of variations.
pub(super) const TILES: usize = 9;
/// The amount of a parameter that is added.
const AMOUNT: f64 = 0.3;
/// Seeds are drawn below this, so that they can be read and typed.
const SEEDS: f64 = 1e6;

/// What varies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Vary {
    /// The seed of the graph.
    #[default]
    Seed,
    /// The chosen parameters.
    Params,
}

/// A parameter that varies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Varied {
    /// Path of the node.
    pub node: String,
    pub param: String,
    /// How far, from 0 (not at all) to 1 (over the whole range).
    pub amount: f64,
}

impl Varied {
    pub(crate) fn new(node: &str, param: &str) -> Varied {
        Varied { node: node.into(), param: param.into(), amount: AMOUNT }
    }

    /// Name of the parameter as on the command line.
    pub(super) fn path(&self) -> String {
        format!("{}.{}", self.node, self.param)
    }
}

/// What the user has chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Choice {
    pub vary: Vary,
    pub params: Vec<Varied>,
    /// The number of times that new values were drawn.
    pub roll: u64,
}

/// The graph with values of its own.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Variant {
    /// Seed of the variant, if that varies.
    pub seed: Option<u32>,
    pub assignments: Vec<Assignment>,
    /// The document as it runs: without what only matters on the canvas.
    pub document: Document,
}

impl Variant {
    /// The variant's values by name, one a line.
    pub(super) fn lines(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| format!("seed {seed}"));
        let assignments = self.assignments.iter().map(|one| format!("{}.{} {}", one.node, one.param, one.value));
        seed.into_iter().chain(assignments).collect()
    }

    /// Whether a document has these values.
    pub(super) fn is_in(&self, document: &Document) -> bool {
        let has = |one: &Assignment| match document.node(&one.node) {
            Some(Node { kind: NodeKind::Number(value), .. }) => *value == one.value,
            Some(node) => node.params.get(&one.param) == Some(&one.value),
            None => false,
        };
        self.seed.is_none_or(|seed| seed == document.seed) && self.assignments.iter().all(has)
    }
}

/// A number that can vary: its constant value, the range of its slider and its type.
pub(crate) struct Variable {
    parts: Vec<f64>,
    range: Range,
    soft: Range,
    whole: bool,
}

impl Variable {
    /// Reads a number of a node as a variable; `None` where the node has no such number, or a wire or an expression
    /// sets it.
    pub(crate) fn find(document: &Document, varied: &Varied, library: &Library) -> Option<Variable> {
        let node = document.node(&varied.node)?;
        if let (NodeKind::Number(value), "value") = (&node.kind, varied.param.as_str()) {
            let parts = parts(node.params.get("value").unwrap_or(value))?;
            return Some(Variable { parts, range: (None, None), soft: (None, None), whole: false });
        }
        let param = declared(node, library).into_iter().find(|param| param.name == varied.param)?;
        let ty = match param.ty {
            ParamType::Value(ty) if !node.inputs.contains_key(&param.name) && ty != ValueType::Camera => ty,
            _ => return None,
        };
        let parts = parts(node.params.get(&param.name).unwrap_or(&param.default))?;
        Some(Variable { parts, range: param.range, soft: param.soft, whole: ty.scalar() != Scalar::F32 })
    }

    /// The range of the slider around a value; as far as the value itself where none is declared.
    fn reach(&self, value: f64) -> (f64, f64) {
        let half = if value == 0.0 { 1.0 } else { value.abs() };
        let low = self.soft.0.or(self.range.0).unwrap_or(value - half);
        let high = self.soft.1.or(self.range.1).unwrap_or(value.max(low) + half);
        if high > low { (low, high) } else { (value - half, value + half) }
    }

    /// The ends of the slider's range around the value.
    pub(crate) fn ends(&self) -> (f64, f64) {
        let (low, high) = self.reach(self.parts.first().copied().unwrap_or(0.0));
        (short(low), short(high))
    }

    /// The value of a variation: between the present one and a random one of the whole range. `drawn` has a number from 0 to 1 for
    /// each component.
    fn drawn(&self, amount: f64, drawn: impl Fn(usize) -> f64) -> ParamValue {
        let part = |(index, value): (usize, &f64)| {
            let (low, high) = self.reach(*value);
            let there = low + drawn(index) * (high - low);
            let new = value + amount * (there - value);
            let new = if self.whole { new.round() } else { short(new) };
            new.max(self.range.0.unwrap_or(f64::NEG_INFINITY)).min(self.range.1.unwrap_or(f64::INFINITY))
        };
        ParamValue::from_numbers(&self.parts.iter().enumerate().map(part).collect::<Vec<f64>>())
    }
}

/// The components of a constant number.
fn parts(value: &ParamValue) -> Option<Vec<f64>> {
    match value {
        ParamValue::Number(value) => Some(vec![*value]),
        ParamValue::Vector(values) if !values.is_empty() => Some(values.clone()),
        _ => None,
    }
}

/// With four digits, which are enough for a random value.
fn short(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// The numbers of the selected nodes that can vary, as node and parameter.
pub(crate) fn candidates(session: &Session) -> Vec<(String, String)> {
    if !session.editable() {
        return Vec::new();
    }
    let (document, library) = (session.document(), session.library());
    let mut found = Vec::new();
    for name in &session.selection.nodes {
        let path = session.scope().path(name);
        let Some(node) = document.node(&path) else { continue };
        let declared = declared(node, library).into_iter().map(|param| param.name);
        let value_param = matches!(node.kind, NodeKind::Number(_)).then(|| "value".to_string());
        for param in declared.chain(value_param) {
            if Variable::find(document, &Varied::new(&path, &param), library).is_some() {
                found.push((path.clone(), param));
            }
        }
    }
    found
}

/// The variations of a document. The same choice gives the same values, whatever else is chosen.
pub(super) fn variants(document: &Document, choice: &Choice, library: &Library) -> Vec<Variant> {
    let plain = plain(document);
    let variant = |tile: usize| {
        let mut variant = Variant { seed: None, assignments: Vec::new(), document: plain.clone() };
        match choice.vary {
            Vary::Seed => {
                let seed = 1 + (SEEDS * spread(choice.roll, "seed", tile)) as u32;
                variant.seed = Some(seed);
                variant.document.seed = seed;
            }
            Vary::Params => {
                for varied in &choice.params {
                    let Some(variable) = Variable::find(&plain, varied, library) else { continue };
                    let path = varied.path();
                    let drawn = |part: usize| spread(choice.roll, &format!("{path} {part}"), tile);
                    let value = variable.drawn(varied.amount, drawn);
                    let (node, param) = (varied.node.clone(), varied.param.clone());
                    // The node has this number.
                    let _ = variant.document.set(&node, &param, value.clone());
                    variant.assignments.push(Assignment { node, param, value, default: false });
                }
            }
        }
        variant
    };
    (0..TILES).map(variant).collect()
}

/// A document without what only matters on the canvas.
pub(crate) fn plain(document: &Document) -> Document {
    let mut plain = document.clone();
    (plain.name, plain.about) = (String::new(), String::new());
    plain.frames.clear();
    plain.bookmarks.clear();
    plain.exports.clear();
    plain.expect.clear();
    // The nodes hold the values of the chosen one; where it has another stage, its entries tell which wires belong to it.
    plain.variants.retain(|name, _| plain.variant.as_ref() == Some(name));
    strip(&mut plain.nodes);
    plain
}

fn strip(nodes: &mut Nodes) {
    for node in nodes.values_mut() {
        // The first Output is the one that is highest on the canvas.
        if !matches!(node.kind, NodeKind::Output(_)) {
            node.at = (0.0, 0.0);
        }
        (node.color, node.comment) = (None, String::new());
        if let NodeKind::Group(group) = &mut node.kind {
            let Group { about, inputs_at, outputs_at, frames, nodes, .. } = group.as_mut();
            about.clear();
            frames.clear();
            (*inputs_at, *outputs_at) = (None, None);
            strip(nodes);
        }
    }
}

/// A random number from 0 to 1 for a tile. Each tile has a part of the range of its own, so that no two are alike (Latin hypercube:
/// McKay, Beckman and Conover, 1979).
fn spread(roll: u64, key: &str, tile: usize) -> f64 {
    let random = |salt: usize| {
        let words = key.bytes().chain(roll.to_le_bytes()).chain((salt as u64).to_le_bytes());
        // FNV-1a, whose high bits are mixed by the end of splitmix64.
        let hash =
            words.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (hash ^ (hash >> 31)) >> 11
    };
    let place = (0..TILES).filter(|other| (random(*other), *other) < (random(tile), tile)).count();
    let within = random(TILES + tile) as f64 / (1u64 << 53) as f64;
    (place as f64 + within) / TILES as f64
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use stagewright_test_support::fixture::fluid;

    fn params(choice: &[(&str, f64)], roll: u64) -> Choice {
        let varied = choice.iter().map(|(path, amount)| {
            let (node, param) = path.split_once('.').unwrap();
            Varied { amount: *amount, ..Varied::new(node, param) }
        });
        Choice { vary: Vary::Params, params: varied.collect(), roll }
    }

    fn values(choice: &Choice, index: usize) -> Vec<f64> {
        let variants = variants(&fluid(), choice, Library::builtin());
        let parts = |variant: &Variant| parts(&variant.assignments[index].value).unwrap();
        variants.iter().flat_map(parts).collect()
    }

    #[test]
    fn each_variation_has_a_seed_of_its_own_until_the_next_roll() {
        let seeds = |roll: u64| -> BTreeSet<u32> {
            let choice = Choice { roll, ..Choice::default() };
            variants(&fluid(), &choice, Library::builtin()).iter().map(|variant| variant.document.seed).collect()
        };
        assert_eq!(seeds(0).len(), TILES);
        assert_eq!(seeds(0), seeds(0));
        assert!(seeds(0).is_disjoint(&seeds(1)));
    }

    #[test]
    fn the_amount_goes_from_the_present_value_to_the_whole_range() {
        let still = values(&params(&[("jet.radius", 0.0)], 3), 0);
        assert!(still.iter().all(|value| *value == 0.05), "{still:?}");
        let library = Library::builtin();
        let variable = Variable::find(&fluid(), &Varied::new("jet", "radius"), library).unwrap();
        let (low, high) = variable.reach(0.05);
        let mut all = values(&params(&[("jet.radius", 1.0)], 3), 0);
        all.sort_by(f64::total_cmp);
        for (place, value) in all.iter().enumerate() {
            let part = (value - low) / (high - low) * TILES as f64;
            assert!((part.floor() - place as f64).abs() < 1.01, "{all:?} in {low}..{high}");
        }
        let near = values(&params(&[("jet.radius", 0.1)], 3), 0);
        assert!(near.iter().all(|value| (value - 0.05).abs() <= 0.1001 * (high - low)), "{near:?}");
    }

    #[test]
    fn vectors_vary_by_component_and_one_parameter_does_not_change_another() {
        let one = values(&params(&[("jet.jet", 0.5)], 0), 0);
        assert_eq!(one.len(), 2 * TILES);
        let both = params(&[("jet.radius", 0.5), ("jet.jet", 0.5)], 0);
        assert_eq!(values(&both, 1), one);
        assert_ne!(values(&params(&[("jet.jet", 0.5)], 1), 0), one, "another roll");
    }

    #[test]
    fn whole_numbers_stay_whole_and_in_their_range() {
        let variable = Variable { parts: vec![2.0], range: (Some(1.0), Some(4.0)), soft: (None, None), whole: true };
        for tile in 0..TILES {
            let ParamValue::Number(value) = variable.drawn(1.0, |_| spread(0, "n", tile)) else { panic!("a number") };
            assert!(value.fract() == 0.0 && (1.0..=4.0).contains(&value), "{value}");
        }
    }

    #[test]
    fn what_a_wire_or_an_expression_sets_does_not_vary() {
        let mut document = fluid();
        document.set("jet", "radius", ParamValue::Expression("time".into())).unwrap();
        let choice = params(&[("jet.radius", 0.5), ("gone.radius", 0.5), ("jet.rate", 0.5)], 0);
        let variants = variants(&document, &choice, Library::builtin());
        assert!(
            variants.iter().all(|variant| variant.assignments.len() == 1 && variant.assignments[0].param == "rate")
        );
        let mut kept = document.clone();
        let Assignment { node, param, value, .. } = variants[4].assignments[0].clone();
        kept.set(&node, &param, value).unwrap();
        assert!(variants[4].is_in(&kept) && !variants[4].is_in(&document));
    }

    #[test]
    fn moving_a_node_changes_no_variation() {
        let (document, library) = (fluid(), Library::builtin());
        let mut moved = document.clone();
        moved.nodes.get_mut("jet").unwrap().at = (50.0, 60.0);
        moved.nodes.get_mut("jet").unwrap().comment = "here".into();
        let choice = Choice::default();
        assert_eq!(variants(&document, &choice, library), variants(&moved, &choice, library));
        moved.seed = 99;
        assert_eq!(variants(&document, &choice, library), variants(&moved, &choice, library), "each has its own");
    }
}
