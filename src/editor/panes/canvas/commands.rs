//! Commands on the selection.

use std::collections::BTreeSet;

use eframe::egui::{self, Rect};

use super::frames;
use super::state::Canvas;
use super::viewport::Framing;
use crate::commands::action::Action;
use crate::document::{Document, Frame, Link, NodeKind};
use crate::edit::{self, PasteInputs};
use crate::model::layout;
use crate::model::session::{Selection, Session};
use crate::toolkit::picker::Item;
use crate::toolkit::theme::Look;

/// Offset of a copy from the original \[points\].
const APART: (f32, f32) = (36.0, 36.0);

impl Canvas {
    /// Lays out all nodes of the level. Frames keep their nodes.
    pub(crate) fn arrange(&mut self, session: &mut Session) {
        let scope = session.scope().clone();
        let flow = self.flow(session.level());
        let before = self.shown(session);
        let frames: Vec<Rect> = session.frames().iter().map(layout::frame_area).collect();
        let (places, areas) = layout::arranged(&flow, &frames);
        session.arrange("arrange", |document| {
            for (name, at) in flow.names.iter().zip(&places) {
                edit::place(document, &scope, name, (at.x, at.y));
            }
            frames::resize(document, &scope, &areas);
            edit::round_positions(document, &scope);
        });
        self.glide_from(before);
        self.view.framing = Some(Framing::All);
    }

    /// Removes the selected nodes, or the selected frame without what is in it.
    pub(crate) fn delete(&mut self, session: &mut Session) {
        let (scope, library) = (session.scope().clone(), session.library().clone());
        if let Some(frame) = session.selection.frame.take() {
            // The frame is there, or it would not be selected.
            session.arrange("delete", |document| drop(edit::remove_frame(document, &scope, frame)));
        } else if !session.selection.nodes.is_empty() {
            let names = std::mem::take(&mut session.selection.nodes);
            session.edit("delete", |document| edit::remove(document, &scope, &names, &library));
        }
    }

    /// The selected nodes as text, for the clipboard.
    pub(crate) fn copy(&self, session: &Session) -> Option<String> {
        let names = &session.selection.nodes;
        // Nodes of a library group can be copied too, to learn from them.
        let frames: BTreeSet<usize> = session.selection.frame.into_iter().collect();
        let nothing = names.is_empty() && frames.is_empty();
        (!nothing).then(|| match session.editable() {
            true => edit::copy(session.document(), session.scope(), names, &frames),
            false => {
                let nodes = session.nodes().iter().filter(|(name, _)| names.contains(*name));
                let nodes = nodes.map(|(name, node)| (name.clone(), node.clone())).collect();
                let loose = Document { nodes, ..Document::default() };
                edit::copy(&loose, &Default::default(), names, &BTreeSet::new())
            }
        })
    }

    pub(crate) fn duplicate(&mut self, session: &mut Session) -> Result<(), String> {
        let (scope, names) = (session.scope().clone(), session.selection.nodes.clone());
        let mut after = session.document().clone();
        let new = edit::duplicate(&mut after, &scope, &names, APART, PasteInputs::Keep, session.library())?;
        session.edit("duplicate", |document| *document = after);
        session.selection.nodes = new;
        Ok(())
    }

    /// Mutes what is selected, or unmutes it if all of it is muted.
    pub(crate) fn bypass(&mut self, session: &mut Session) {
        let (scope, names) = (session.scope().clone(), session.selection.nodes.clone());
        let all = names.iter().all(|name| session.nodes().get(name).is_some_and(|node| node.muted));
        session.edit("bypass", |document| edit::bypass(document, &scope, &names, !all));
    }

    /// Begins to type the name of what is selected.
    pub(crate) fn rename_selected(&mut self, session: &Session) {
        match (session.selection.frame, session.selection.first()) {
            (Some(frame), _) => self.rename_frame(session, frame),
            (None, Some(name)) => self.rename(session, &name.clone()),
            (None, None) => {}
        }
    }

    /// Draws a frame around what is selected, or an empty one in the middle of the view.
    pub(crate) fn add_frame(&mut self, session: &mut Session) -> Result<(), String> {
        let scope = session.scope().clone();
        let sizes = |name: &str| self.area(session, name).map_or((200.0, 100.0), |area| (area.width(), area.height()));
        let mut after = session.document().clone();
        let index = if session.selection.nodes.is_empty() {
            let at = self.to_document(self.view.rect.center() - egui::vec2(150.0, 100.0));
            let frame = Frame {
                title: "Comment".into(),
                at: (at.x.round(), at.y.round()),
                size: (300.0, 200.0),
                ..Frame::default()
            };
            edit::add_frame(&mut after, &scope, frame)?
        } else {
            edit::frame_around(&mut after, &scope, &session.selection.nodes, sizes, "Comment")?
        };
        session.arrange("frame", |document| *document = after);
        session.selection = Selection::of_frame(index);
        self.rename_frame(session, index);
        Ok(())
    }

    /// Wires the selected nodes, from left to right, where an output fits a free input.
    pub(crate) fn link_selected(&mut self, session: &mut Session) -> Result<(), String> {
        let mut names: Vec<String> = session.selection.nodes.iter().cloned().collect();
        let place = |name: &str| layout::node_position(session.level(), name);
        names.sort_by(|a, b| place(a).x.total_cmp(&place(b).x));
        for pair in names.windows(2) {
            let [from, to] = pair else { continue };
            let (Some(ours), Some(theirs)) = (self.level.signatures.get(from), self.level.signatures.get(to)) else {
                continue;
            };
            let free = theirs
                .inputs
                .iter()
                .filter(|port| session.source(&edit::InputEnd { node: to.clone(), port: port.name.clone() }).is_none());
            let fitting = free.flat_map(|input| ours.outputs.iter().map(move |output| (output, input)));
            let found = fitting.into_iter().find(|(output, input)| edit::fits(output, input).is_ok());
            let (output, input) = found.ok_or_else(|| format!("no output of `{from}` fits a free input of `{to}`"))?;
            let link = Link { node: from.clone(), port: output.name.clone() };
            let end = edit::InputEnd { node: to.clone(), port: input.name.clone() };
            super::gestures::rewire(session, None, Some((link, end)))?;
        }
        Ok(())
    }

    /// The first output of the selected node; of an Output, the wire that it shows.
    pub(crate) fn output_of_selected(&self, session: &Session) -> Option<Link> {
        let name = session.selection.first()?;
        let signature = self.level.signatures.get(name)?;
        match signature.outputs.first() {
            Some(port) => Some(Link { node: name.clone(), port: port.name.clone() }),
            None => session.nodes().get(name)?.inputs.values().next().cloned(),
        }
    }

    /// Selects the inputs or the outputs of the selected nodes. Returns the action that brings them into view.
    #[must_use]
    pub(crate) fn select_neighbors(&mut self, session: &mut Session, before: bool) -> Option<Action> {
        let chosen = session.selection.nodes.clone();
        let next: BTreeSet<String> = session
            .wires()
            .filter_map(|(end, link)| match before {
                true => chosen.contains(&end.node).then_some(link.node),
                false => chosen.contains(&link.node).then_some(end.node),
            })
            .collect();
        (!next.is_empty()).then(|| {
            session.selection.nodes = next;
            Action::Reveal
        })
    }

    /// Replaces the selected node by another stage.
    pub(crate) fn replace_stage(&mut self, session: &mut Session, stage: &str) -> Result<(), String> {
        let (scope, library) = (session.scope().clone(), session.library());
        let Some(name) = session.selection.first().cloned() else { return Ok(()) };
        let mut after = session.document().clone();
        edit::replace_stage(&mut after, &scope, &name, stage, library)?;
        session.edit("swap", |document| *document = after);
        Ok(())
    }

    /// The stages and groups that can replace the selected node: their names, how a list shows them, and how many of them, which come
    /// first, keep all its wires.
    pub(crate) fn stages_to_choose(session: &Session, look: &Look) -> (Vec<String>, Vec<Item>, usize) {
        let name = session.selection.first().cloned().unwrap_or_default();
        let kind = session.nodes().get(&name).map(|node| &node.kind);
        let signatures = session.signatures();
        let changes = |stage: &str| {
            edit::wire_changes(session.document(), session.scope(), &signatures, &name, stage, session.library())
        };
        let (names, items) = super::palette::stages(session.library(), look);
        let other = names.into_iter().zip(items).filter(|(stage, _)| kind != Some(&NodeKind::Stage(stage.clone())));
        let (mut fitting, mut rest) = (Vec::new(), Vec::new());
        for (stage, item) in other {
            match changes(&stage) {
                edit::WireChanges { removed: 0, renamed } => fitting.push((renamed, stage, item)),
                edit::WireChanges { removed, .. } => {
                    let note = if removed == 1 { "removes 1 wire".into() } else { format!("removes {removed} wires") };
                    rest.push((stage, Item { note, ..item }));
                }
            }
        }
        fitting.sort_by_key(|(renamed, ..)| *renamed);
        let mut fitting: Vec<(String, Item)> = fitting.into_iter().map(|(_, stage, item)| (stage, item)).collect();
        let count = fitting.len();
        if !rest.is_empty() {
            for (_, item) in &mut fitting {
                item.note = std::mem::replace(&mut item.group, "Keeps all wires".into());
            }
        }
        let (names, items) = fitting.into_iter().chain(rest).unzip();
        (names, items, count)
    }

    /// Whether something is open that has the keyboard.
    pub(super) fn holds_keys(&self) -> bool {
        self.popups.any() || self.gesture.stroke.is_some() || self.state.connection_in_progress.is_some()
    }

    /// All nodes of the document to search: their paths and list items.
    pub(crate) fn nodes_to_find(session: &Session, look: &Look) -> (Vec<String>, Vec<Item>) {
        let mut found = (Vec::new(), Vec::new());
        collect(session, look, &session.document().nodes, "", &mut found);
        found
    }
}

/// Nodes of a level and of its own groups.
fn collect(
    session: &Session,
    look: &Look,
    nodes: &crate::document::Nodes,
    path: &str,
    found: &mut (Vec<String>, Vec<Item>),
) {
    for (name, node) in nodes {
        let whole = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
        let signature = edit::signature::node(node, session.library());
        found.1.push(Item {
            title: name.clone(),
            group: path.to_string(),
            words: format!("{} {}", signature.title, node.comment),
            note: signature.title,
            doc: node.comment.clone(),
            color: Some(look.kind(&node.kind)),
            enabled: true,
        });
        found.0.push(whole.clone());
        if let NodeKind::Group(group) = &node.kind {
            collect(session, look, &group.nodes, &whole, found);
        }
    }
}
