//! The palette: all nodes that can be added, found by typing a part of the name; for a dropped wire, only those that fit it.

use eframe::egui::{self, Pos2};

use super::dragged_wire::WireDrag;
use super::view::End;
use crate::document::kind::{PALETTE, PaletteEntry};
use crate::document::{Node, NodeKind};
use crate::edit;
use crate::library::Library;
use crate::toolkit::picker::{Answer, Item, Picker};
use crate::toolkit::theme::Look;

struct Entry {
    /// The preferred name of the node.
    wish: String,
    kind: NodeKind,
}

pub(super) struct Palette {
    picker: Picker,
    entries: Vec<Entry>,
    /// The wire that is to end at the new node.
    drag: Option<WireDrag>,
    /// Where the new node goes; absent if the pointer was not over the canvas.
    pub place: Option<Pos2>,
}

/// A node to add: its preferred name, the node, and the wire to end at it.
pub(super) struct PaletteChoice {
    pub wish: String,
    pub node: Node,
    pub drag: Option<WireDrag>,
}

impl Palette {
    pub(super) fn new(at: Pos2, library: &Library, look: &Look, drag: Option<WireDrag>) -> Palette {
        let mut entries = Vec::new();
        let mut items = Vec::new();
        for (item, mut entry) in all(library, look) {
            // A new stage has a port for the wire already.
            if let (NodeKind::Custom(text), Some(drag)) = (&mut entry.kind, &drag) {
                *text = edit::custom_stage(&drag.port, drag.end == End::Output).unwrap_or_else(|| std::mem::take(text));
            }
            if drag.as_ref().is_none_or(|drag| takes(&entry.kind, drag, library)) {
                items.push(item);
                entries.push(entry);
            }
        }
        let hint = if drag.is_some() { "Add a node that fits the wire" } else { "Add a node" };
        Palette { picker: Picker::new(at, hint, items), entries, drag, place: Some(at) }
    }

    /// `Ok(None)` while it is open, `Err` when it was closed.
    pub(super) fn show(&mut self, ctx: &egui::Context) -> Result<Option<PaletteChoice>, ()> {
        match self.picker.show(ctx) {
            Answer::Open => Ok(None),
            Answer::Closed => Err(()),
            Answer::Chosen(index) => {
                let entry = self.entries.get(index).ok_or(())?;
                let node = Node { kind: entry.kind.clone(), ..Node::default() };
                Ok(Some(PaletteChoice { wish: entry.wish.clone(), node, drag: self.drag.take() }))
            }
        }
    }
}

/// Whether a node of this kind has a port for the wire.
fn takes(kind: &NodeKind, drag: &WireDrag, library: &Library) -> bool {
    let node = Node { kind: kind.clone(), ..Node::default() };
    let signature = edit::signature::node(&node, library);
    drag.first_fit(&signature).is_some()
}

/// Names of all stages and library groups, and how a list shows them.
pub(super) fn stages(library: &Library, look: &Look) -> (Vec<String>, Vec<Item>) {
    let found = all(library, look).into_iter().filter_map(|(item, entry)| match entry.kind {
        NodeKind::Stage(name) => Some((name, item)),
        _ => None,
    });
    found.unzip()
}

fn all(library: &Library, look: &Look) -> Vec<(Item, Entry)> {
    let entry = |entry: &PaletteEntry| {
        let kind = (entry.new)();
        let item = Item {
            title: entry.title.into(),
            group: "graph".into(),
            words: entry.name.into(),
            note: String::new(),
            doc: entry.doc.into(),
            color: Some(look.kind(&kind)),
            enabled: true,
        };
        (item, Entry { wish: entry.name.into(), kind })
    };
    let mut all: Vec<(Item, Entry)> = PALETTE.iter().filter_map(|kind| kind.palette.as_ref()).map(entry).collect();
    let tail = |name: &str| name.rsplit('/').next().unwrap_or(name).to_string();
    let folder = |name: &str| name.rsplit_once('/').map_or("", |(folder, _)| folder).to_string();
    let mut found: Vec<(Item, Entry)> = library
        .stages()
        .map(|stage| {
            let kind = NodeKind::Stage(stage.name.clone());
            let item = Item {
                title: stage.header.title.clone(),
                group: folder(&stage.name),
                words: format!("{} {}", stage.name, stage.header.keywords.join(" ")),
                note: String::new(),
                doc: stage.header.doc.join(" "),
                color: Some(look.kind(&kind)),
                enabled: true,
            };
            (item, Entry { wish: tail(&stage.name), kind })
        })
        .collect();
    found.extend(library.groups().map(|(name, group)| {
        let kind = NodeKind::Stage(name.to_string());
        let item = Item {
            title: library.title(name).unwrap_or(name).to_string(),
            group: folder(name),
            words: name.to_string(),
            note: "group".into(),
            doc: group.about.clone(),
            color: Some(look.kind(&kind)),
            enabled: true,
        };
        (item, Entry { wish: tail(name), kind })
    }));
    found.sort_by(|a, b| (&a.0.group, &a.0.title).cmp(&(&b.0.group, &b.0.title)));
    all.append(&mut found);
    all
}
