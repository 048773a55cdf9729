//! Lays out nodes by their distance from the sources: States, numbers and sources on the left.

use std::collections::{BTreeMap, BTreeSet};

use eframe::egui::{Vec2, vec2};

use crate::document::{Document, NodeKind, Nodes, Scope};
use crate::edit::{self, NodeSignature};
use crate::library::Library;

/// Gap between two columns, and between two nodes of a column \[points\].
const GAP: Vec2 = vec2(56.0, 26.0);
/// Gap between two bands of columns \[points\].
const BAND_GAP: f32 = 60.0;
const MAX_BANDS: usize = 4;
/// Typical aspect ratio of a canvas.
const ASPECT: f32 = 1.5;
/// Sweeps that order nodes beside their neighbours.
const SWEEPS: usize = 8;

/// Estimated size of a node on the canvas before it is drawn \[points\].
pub(crate) fn node_size(signature: &NodeSignature) -> Vec2 {
    vec2(super::view::WIDTH, 62.0 + 21.5 * (signature.inputs.len() + signature.outputs.len()) as f32)
}

/// Estimated distance of the port of a row from the top before it is drawn \[points\].
pub(crate) fn port_height(row: usize) -> f32 {
    46.0 + 21.5 * row as f32
}

/// Lays out nodes without a position, in the document and in its groups.
pub(crate) fn place_all(document: &mut Document, library: &Library) {
    let mut pending = vec![Scope::default()];
    while let Some(scope) = pending.pop() {
        let signatures = edit::signature::level(document, &scope, library);
        let Some(mut level) = document.level_mut(&scope) else { continue };
        place_new(level.nodes(), &signatures);
        let groups = level.nodes().iter().filter(|(_, node)| matches!(node.kind, NodeKind::Group(_)));
        pending.extend(groups.map(|(name, _)| scope.inside(name)));
    }
}

/// Lays out nodes without a position: those that all lie at the origin. They are placed below the others.
pub(crate) fn place_new(nodes: &mut Nodes, signatures: &BTreeMap<String, NodeSignature>) {
    if nodes.values().filter(|node| node.at == (0.0, 0.0)).count() < 2 {
        return;
    }
    let sizes = signatures.iter().map(|(name, signature)| (name.clone(), node_size(signature))).collect();
    let places = arranged(nodes, &sizes);
    let placed = nodes.iter().filter(|(_, node)| node.at != (0.0, 0.0) && node.at.1.is_finite());
    let bottoms =
        placed.map(|(name, node)| node.at.1 + signatures.get(name).map_or(0.0, |signature| node_size(signature).y));
    let below = bottoms.max_by(f32::total_cmp).map_or(0.0, |bottom| bottom + BAND_GAP);
    for (name, node) in nodes.iter_mut().filter(|(_, node)| node.at == (0.0, 0.0)) {
        node.at = places.get(name).map_or(node.at, |place| (place.0, place.1 + below));
    }
}

/// A position for every node: columns from left to right, in the number of bands that shows them largest.
pub(crate) fn arranged(nodes: &Nodes, sizes: &BTreeMap<String, Vec2>) -> BTreeMap<String, (f32, f32)> {
    let mut places = BTreeMap::new();
    let columns = columns(nodes);
    let columns: Vec<Column> = ordered(nodes, &columns).into_iter().map(|names| Column::new(names, sizes)).collect();
    let bands = (1..=MAX_BANDS).max_by(|a, b| scale(&columns, *a).total_cmp(&scale(&columns, *b)).then(b.cmp(a)));
    let mut top = 0.0;
    for band in split(&columns, bands.unwrap_or(1)) {
        let height = band.iter().fold(0.0, |height: f32, column| height.max(column.size.y));
        let mut x = 0.0;
        for column in band {
            let mut y = top + 0.5 * (height - column.size.y);
            for (name, size) in &column.nodes {
                places.insert(name.clone(), (x, y.round()));
                y += size.y + GAP.y;
            }
            x += column.size.x + GAP.x;
        }
        top += height + BAND_GAP;
    }
    places
}

/// Nodes that stand below each other.
struct Column {
    nodes: Vec<(String, Vec2)>,
    size: Vec2,
}

impl Column {
    fn new(names: Vec<String>, sizes: &BTreeMap<String, Vec2>) -> Column {
        let size = |name: &String| sizes.get(name).copied().unwrap_or_default();
        let nodes: Vec<(String, Vec2)> = names.into_iter().map(|name| (name.clone(), size(&name))).collect();
        let size =
            nodes.iter().fold(vec2(0.0, -GAP.y), |sum, (_, size)| vec2(sum.x.max(size.x), sum.y + size.y + GAP.y));
        Column { nodes, size }
    }
}

fn split(columns: &[Column], bands: usize) -> impl Iterator<Item = &[Column]> {
    columns.chunks(columns.len().div_ceil(bands).max(1))
}

/// The scale at which all nodes are visible with so many bands.
fn scale(columns: &[Column], bands: usize) -> f32 {
    let (mut width, mut height) = (1.0f32, -BAND_GAP);
    for band in split(columns, bands) {
        width = width.max(band.iter().map(|column| column.size.x + GAP.x).sum());
        height += band.iter().fold(0.0, |height: f32, column| height.max(column.size.y)) + BAND_GAP;
    }
    (ASPECT / width).min(1.0 / height.max(1.0))
}

/// The longest path to each node from a source. A State is a source, since its input is for the next frame.
fn columns(nodes: &Nodes) -> BTreeMap<String, usize> {
    let mut columns: BTreeMap<String, usize> = nodes.keys().map(|name| (name.clone(), 0)).collect();
    // A cycle would push its nodes on without end; no path is longer than the number of nodes.
    for _ in 0..nodes.len() {
        let mut settled = true;
        for (name, node) in nodes {
            if matches!(node.kind, NodeKind::State(_)) {
                continue;
            }
            let before = node.inputs.values().filter_map(|link| columns.get(&link.node)).max();
            let column = before.map_or(0, |before| before + 1).min(nodes.len());
            settled &= columns.insert(name.clone(), column) == Some(column);
        }
        if settled {
            break;
        }
    }
    pull_sources(nodes, &mut columns);
    columns
}

/// Nodes without inputs stand beside their first reader, not at the far left.
fn pull_sources(nodes: &Nodes, columns: &mut BTreeMap<String, usize>) {
    for (name, node) in nodes {
        let readers = nodes.iter().filter(|(_, n)| n.inputs.values().any(|link| link.node == *name));
        let first = readers.filter_map(|(reader, _)| columns.get(reader).copied()).min();
        let free = matches!(node.kind, NodeKind::State(_)) || node.inputs.is_empty();
        if let (true, Some(first @ 1..)) = (free, first) {
            columns.insert(name.clone(), first - 1);
        }
    }
}

/// The columns, each in an order that keeps wires short (barycentre heuristic of Sugiyama, Tagawa and Toda 1981).
fn ordered(nodes: &Nodes, columns: &BTreeMap<String, usize>) -> Vec<Vec<String>> {
    let count = columns.values().max().map_or(0, |last| last + 1);
    let mut result = vec![Vec::new(); count];
    for (name, column) in columns {
        if let Some(column) = result.get_mut(*column) {
            column.push(name.clone());
        }
    }
    let mut neighbors = BTreeMap::<&str, BTreeSet<&str>>::new();
    for (name, node) in nodes {
        for link in node.inputs.values() {
            neighbors.entry(name).or_default().insert(&link.node);
            neighbors.entry(&link.node).or_default().insert(name);
        }
    }
    for _ in 0..SWEEPS {
        let place: BTreeMap<String, f32> = result.iter().flat_map(|column| heights(column)).collect();
        for column in &mut result {
            let mean = |name: &String| {
                let around = neighbors.get(name.as_str()).into_iter().flatten();
                let places: Vec<f32> = around.filter_map(|n| place.get(*n).copied()).collect();
                let own = place.get(name).copied().unwrap_or(0.0);
                (places.iter().sum::<f32>() + own) / (places.len() + 1) as f32
            };
            column.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
        }
    }
    result
}

/// Positions of the nodes of a column, from its middle.
fn heights(column: &[String]) -> Vec<(String, f32)> {
    let middle = 0.5 * (column.len() as f32 - 1.0);
    column.iter().enumerate().map(|(index, name)| (name.clone(), index as f32 - middle)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::signature;
    use crate::library::Library;

    #[test]
    fn nodes_come_after_what_they_read_and_do_not_overlap() {
        let mut document = crate::edit::fixture::fluid();
        let signatures = signature::level(&document, &crate::document::Scope::default(), Library::builtin());
        document.nodes.values_mut().for_each(|node| node.at = (0.0, 0.0));
        place_new(&mut document.nodes, &signatures);
        for (name, node) in &document.nodes {
            let forward = !matches!(node.kind, NodeKind::State(_));
            for link in node.inputs.values().filter(|_| forward) {
                // To the right, or in a band further down.
                let from = document.nodes[&link.node].at;
                assert!(from.0 < node.at.0 || from.1 < node.at.1, "{name} <- {link}");
            }
            for (other, second) in document.nodes.iter().filter(|(other, _)| *other > name) {
                let apart = (node.at.0 - second.at.0).abs() >= node_size(&signatures[name]).x
                    || (node.at.1 - second.at.1).abs()
                        >= node_size(&signatures[name]).y.min(node_size(&signatures[other]).y);
                assert!(apart, "{name} covers {other}");
            }
        }
    }

    #[test]
    fn a_placed_node_stays_and_the_others_come_below() {
        let text = r#"(nodes: {"a": (number: 1, at: (0, 90)), "b": (number: 1), "c": (number: 1)})"#;
        let mut document = Document::parse(text).unwrap();
        let signatures = signature::level(&document, &crate::document::Scope::default(), Library::builtin());
        place_new(&mut document.nodes, &signatures);
        assert_eq!(document.nodes["a"].at, (0.0, 90.0));
        assert!(document.nodes["b"].at.1 > 90.0 && document.nodes["b"].at != document.nodes["c"].at);
        let before = document.clone();
        place_new(&mut document.nodes, &signatures);
        assert_eq!(document, before);
    }

    #[test]
    fn a_cycle_is_placed_too() {
        let text = r#"(nodes: {"a": (stage: "x", inputs: {"i": "b.o"}), "b": (stage: "x", inputs: {"i": "a.o"})})"#;
        let document = Document::parse(text).unwrap();
        let signatures = signature::level(&document, &crate::document::Scope::default(), Library::builtin());
        let sizes = signatures.iter().map(|(name, signature)| (name.clone(), node_size(signature))).collect();
        let places = arranged(&document.nodes, &sizes);
        assert_ne!(places["a"], places["b"]);
    }
}
