//! Lays out nodes in three phases: `ranks` gives each node a column, `order` sorts the columns, and `places` breaks them into rows and
//! straightens wires.

mod flow;
mod framed;
mod layered;
mod make_room;
mod measures;
mod order;
mod places;
mod positions;
mod ranks;
pub(crate) mod route;
mod score;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use eframe::egui::{Vec2, vec2};

use crate::document::{Document, NodeKind, Scope};
use crate::edit::{self, NodeSignature};
use crate::library::Library;
pub(crate) use flow::{Flow, is_next};
pub(crate) use framed::arranged;
pub(crate) use make_room::{clear_of, enclosing, lowered, with_room};
use measures::ROW_GAP;
pub(crate) use measures::{PORT, WIDTH, node_size, port_height};
pub(crate) use positions::{MIN_FRAME, finite, frame_area, node_position};
#[cfg(test)]
pub(crate) use tests::fixture;

/// Lays out nodes without a position, in the document and in its groups.
pub(crate) fn place_all(document: &mut Document, library: &Library) {
    let mut pending = vec![Scope::default()];
    while let Some(scope) = pending.pop() {
        let signatures = edit::signature::level(document, &scope, library);
        place_new(document, &scope, &signatures);
        let Some(level) = document.level(&scope) else { continue };
        let groups = level.nodes().iter().filter(|(_, node)| matches!(node.kind, NodeKind::Group(_)));
        pending.extend(groups.map(|(name, _)| scope.inside(name)));
    }
}

/// Lays out the nodes of a level without a position: those that all lie at the origin. They are placed below the others.
pub(crate) fn place_new(document: &mut Document, scope: &Scope, signatures: &BTreeMap<String, NodeSignature>) {
    let Some(level) = document.level(scope) else { return };
    let unplaced = |name: &str| level.nodes().get(name).is_none_or(|node| node.at == (0.0, 0.0));
    if level.nodes().keys().filter(|name| unplaced(name)).count() < 2 {
        return;
    }
    let place = |name: &str| level.nodes().get(name).map_or(Vec2::ZERO, |node| vec2(node.at.0, node.at.1));
    let flow = Flow::new(level, signatures, place, |name| signatures.get(name).map_or(Vec2::ZERO, node_size));
    let bottoms =
        flow.areas().into_iter().zip(&flow.names).filter(|(_, name)| !unplaced(name)).map(|(area, _)| area.bottom());
    let below = bottoms.filter(|bottom| bottom.is_finite()).max_by(f32::total_cmp).map(|bottom| bottom + ROW_GAP);
    // Blocks of a group's ports stay beside nodes that have a place.
    let block = |name: &str| !level.nodes().contains_key(name);
    let new = |name: &str| unplaced(name) && (below.is_none() || !block(name));
    let part = flow.part(&(0..flow.names.len()).filter(|node| new(&flow.names[*node])).collect::<Vec<_>>());
    for (name, at) in part.names.iter().zip(arranged(&part, &[]).0) {
        edit::place(document, scope, name, (at.x, at.y + below.unwrap_or(0.0)));
    }
}

/// A document whose nodes have places; those that have none yet get them.
pub(crate) fn placed(mut document: Document) -> Document {
    place_all(&mut document, Library::builtin());
    document
}
