//! Copy, paste, duplicate. The clipboard holds the text of a graph file, so it works with any text editor.

use std::collections::{BTreeMap, BTreeSet};

use super::nodes::rename_domain;
use super::{IN, Refusal, frame_contents, free, gone, level_mut};
use crate::document::{Document, Frame, Level, Link, Node, NodeKind, Nodes, Scope, sole_output};
use crate::expr;
use crate::graph::ports::Ports;
use crate::library::Library;
use crate::stage::header;

/// How to treat wires from nodes that are not pasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasteInputs {
    /// Leave these inputs unwired.
    Drop,
    /// Keep them where the level has a node of that name with that output.
    Keep,
}

/// The text of nodes, and of frames by index: a graph file with the upper left corner at the origin. Frames whose
/// contents are all copied are included, and texts that Custom stages share.
pub fn copy(document: &Document, scope: &Scope, names: &BTreeSet<String>, frames: &BTreeSet<usize>) -> String {
    let Some(level) = document.level(scope) else { return Document::default().to_text() };
    let mut piece = gather(level, names, frames);
    piece.shared = shared_by(&piece.nodes, &document.shared);
    let (x, y) = corner(&piece);
    shift(&mut piece, (-x, -y));
    piece.to_text()
}

/// Inserts the nodes and frames of a graph file's text, with the upper left corner at a position \[points\]. Returns
/// the names of the nodes. Where a name is taken the node gets a new one, and wires and expressions between them are
/// adjusted. A shared text whose name is taken is left out.
///
/// # Errors
/// Why there is nothing to paste, in one sentence; nothing changes then.
pub fn paste(
    document: &mut Document,
    scope: &Scope,
    text: &str,
    at: (f32, f32),
    inputs: PasteInputs,
    library: &Library,
) -> Result<BTreeSet<String>, Refusal> {
    let mut piece = Document::parse(text).map_err(|error| Refusal::CannotPaste { error })?;
    let (x, y) = corner(&piece);
    shift(&mut piece, (at.0 - x, at.1 - y));
    put(document, scope, piece, inputs, library)
}

/// Copies nodes and the frames that contain only these, with an offset \[points\]. Returns their names.
///
/// # Errors
/// When none of the nodes exists.
pub fn duplicate(
    document: &mut Document,
    scope: &Scope,
    names: &BTreeSet<String>,
    by: (f32, f32),
    inputs: PasteInputs,
    library: &Library,
) -> Result<BTreeSet<String>, Refusal> {
    let mut piece = gather(document.level(scope).ok_or_else(|| gone(scope))?, names, &BTreeSet::new());
    shift(&mut piece, by);
    put(document, scope, piece, inputs, library)
}

fn gather(level: Level<'_>, names: &BTreeSet<String>, frames: &BTreeSet<usize>) -> Document {
    let nodes = level.nodes().iter().filter(|(name, _)| names.contains(*name));
    let nodes = nodes.map(|(name, node)| (name.clone(), node.clone())).collect();
    // Sizes are not known here, so a node belongs to a frame if its corner is inside.
    let held = |index: usize| frame_contents(level, index, |_| (0.0, 0.0));
    let whole = |index: usize| !held(index).is_empty() && held(index).is_subset(names);
    let frames = level.frames().iter().enumerate().filter(|(index, _)| frames.contains(index) || whole(*index));
    let frames: Vec<Frame> = frames.map(|(_, frame)| frame.clone()).collect();
    Document { nodes, frames, ..Document::default() }
}

/// The shared texts of a graph that Custom nodes use, directly or through others.
fn shared_by(nodes: &Nodes, texts: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let (mut levels, mut sources): (Vec<&Nodes>, Vec<&String>) = (vec![nodes], Vec::new());
    while let Some(nodes) = levels.pop().filter(|_| !texts.is_empty()) {
        for node in nodes.values() {
            match &node.kind {
                NodeKind::Custom(source) => sources.push(source),
                NodeKind::Group(group) => levels.push(&group.nodes),
                _ => {}
            }
        }
    }
    while let Some(source) = sources.pop() {
        for used in header::read(source).0.uses {
            if let Some(text) = texts.get(&used.name).filter(|_| !found.contains_key(&used.name)) {
                found.insert(used.name, text.clone());
                sources.push(text);
            }
        }
    }
    found
}

fn corner(piece: &Document) -> (f32, f32) {
    let places = piece.nodes.values().map(|node| node.at).chain(piece.frames.iter().map(|frame| frame.at));
    let least = places.filter(|(x, y)| x.is_finite() && y.is_finite()).reduce(|a, b| (a.0.min(b.0), a.1.min(b.1)));
    least.unwrap_or((0.0, 0.0))
}

fn shift(piece: &mut Document, by: (f32, f32)) {
    let nodes = piece.nodes.values_mut().map(|node| &mut node.at);
    for at in nodes.chain(piece.frames.iter_mut().map(|frame| &mut frame.at)) {
        *at = (at.0 + by.0, at.1 + by.1);
    }
}

fn put(
    document: &mut Document,
    scope: &Scope,
    mut piece: Document,
    inputs: PasteInputs,
    library: &Library,
) -> Result<BTreeSet<String>, Refusal> {
    if piece.nodes.is_empty() && piece.frames.is_empty() {
        return Err(Refusal::NothingToPaste);
    }
    let ports = Ports::of_level(document, scope, library).ok_or_else(|| gone(scope))?;
    let mut names = BTreeMap::<String, String>::new();
    let mut new_names = BTreeSet::new();
    for name in piece.nodes.keys() {
        let other = |new: &str| new != name && piece.nodes.contains_key(new);
        let new = free(name, |new| ports.nodes().contains_key(new) || other(new) || new_names.contains(new));
        new_names.insert(new.clone());
        names.insert(name.clone(), new);
    }
    let domains = domains_around(document, scope);
    let keep = |link: &Link| inputs == PasteInputs::Keep && has(&ports, link);
    let moved: Vec<(&String, &String)> = names.iter().filter(|(old, new)| old != new).collect();
    for node in piece.nodes.values_mut() {
        node.inputs.retain(|_, link| names.contains_key(&link.node) || keep(link));
        for link in node.inputs.values_mut() {
            link.node = names.get(&link.node).cloned().unwrap_or_else(|| link.node.clone());
        }
    }
    let visible_domains: BTreeSet<String> = domains.union(&own_domains(&piece.nodes)).cloned().collect();
    piece.nodes.values_mut().for_each(|node| leave_unknown(node, &visible_domains));
    for (old, new) in moved {
        match piece.nodes.get(old).map(|node| &node.kind) {
            Some(NodeKind::Domain(_)) => piece.nodes.values_mut().for_each(|node| rename_domain(node, old, new)),
            Some(kind) if kind.is_number() => piece.nodes.values_mut().for_each(|node| rename_in(node, old, new)),
            _ => {}
        }
    }
    let shared = std::mem::take(&mut piece.shared);
    for (name, text) in shared {
        document.shared.entry(name).or_insert(text);
    }
    let mut level = level_mut(document, scope)?;
    for (name, node) in piece.nodes {
        level.nodes().insert(names.get(&name).cloned().unwrap_or(name), node);
    }
    level.frames().append(&mut piece.frames);
    Ok(new_names)
}

/// Whether a level has what a wire reads.
fn has(ports: &Ports<'_>, link: &Link) -> bool {
    if link.node == IN {
        return ports.group().is_some_and(|group| group.inputs.contains_key(&link.port));
    }
    let outputs = ports.outputs(&link.node).unwrap_or_default();
    let sole = || sole_output(outputs.iter().map(|name| (name.as_str(), ()))).is_some();
    outputs.contains(&link.port) || (link.port.is_empty() && sole())
}

fn rename_in(node: &mut Node, old: &str, new: &str) {
    for value in node.values_mut() {
        if let Some(text) = value.expression_mut()
            && expr::names(text).contains(old)
        {
            *text = expr::rename(text, old, new);
        }
    }
}

fn own_domains(nodes: &crate::document::Nodes) -> BTreeSet<String> {
    nodes.iter().filter(|(_, node)| matches!(node.kind, NodeKind::Domain(_))).map(|(name, _)| name.clone()).collect()
}

/// Domains that nodes of a level can use: its own and those of enclosing levels.
fn domains_around(document: &Document, scope: &Scope) -> BTreeSet<String> {
    let levels = (0..=scope.0.len()).map(|depth| Scope(scope.0.iter().take(depth).cloned().collect()));
    levels.filter_map(|scope| document.level(&scope)).flat_map(|level| own_domains(level.nodes())).collect()
}

fn leave_unknown(node: &mut Node, visible_domains: &BTreeSet<String>) {
    node.on = node.on.take().filter(|on| visible_domains.contains(on));
    if let NodeKind::Group(group) = &mut node.kind {
        let visible_domains = visible_domains.union(&own_domains(&group.nodes)).cloned().collect();
        group.nodes.values_mut().for_each(|inner| leave_unknown(inner, &visible_domains));
    }
}
