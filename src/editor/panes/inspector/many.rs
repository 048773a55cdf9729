//! Several nodes at once: their bypass and colour, and the parameters if they are of the same stage.

use std::collections::BTreeSet;

use eframe::egui::{Label, RichText, Sense, Ui};

use super::{Inspected, dim_label, head, theme};
use crate::commands::action::Actions;
use crate::document::{Node, NodeKind};
use crate::edit;
use crate::model::session::Session;
use crate::panes::presets;
use crate::toolkit::row::section;

pub(super) fn show(ui: &mut Ui, session: &mut Session, names: &[String], actions: &mut Actions) -> Result<(), String> {
    let nodes = names.iter().filter_map(|name| Some((name.clone(), session.nodes().get(name)?.clone())));
    let nodes: Vec<(String, Node)> = nodes.collect();
    let Some(((first, node), others)) = nodes.split_first() else { return Ok(()) };
    let alike = others.iter().all(|(_, other)| same_kind(&node.kind, &other.kind));
    let title = match edit::stage_of(node, session.library()).filter(|_| alike) {
        Some(stage) => format!("{} × {}", nodes.len(), stage.header.title),
        None => format!("{} nodes selected", nodes.len()),
    };
    ui.label(RichText::new(title).heading());
    let all: BTreeSet<String> = names.iter().cloned().collect();
    let muted = nodes.iter().all(|(_, node)| node.muted);
    let shown = node.color.map_or_else(|| theme::current(ui).kind(&node.kind), theme::color);
    let editable = session.editable();
    ui.add_enabled_ui(editable, |ui| {
        ui.horizontal(|ui| {
            head::bypass(ui, session, &all, muted);
            head::color(ui, session, &all, node.color, shown);
        });
    });
    if alike {
        presets::button(ui, session, &nodes, actions);
    }
    if alike {
        let paths = others.iter().map(|(name, node)| (session.scope().path(name), node.clone())).collect();
        let library = session.library().clone();
        if let Some(mut one) = Inspected::new(session, first, paths, actions) {
            one.params(ui, &library);
        }
    } else {
        dim_label(ui, "Select nodes of the same stage to edit their values together.");
    }
    let mut chosen = None;
    section(ui, "Selected", |ui| {
        for (name, node) in &nodes {
            ui.horizontal(|ui| {
                let color = node.color.map_or_else(|| theme::current(ui).kind(&node.kind), theme::color);
                ui.label(RichText::new("■").small().color(color));
                let link = Label::new(RichText::new(name).color(theme::current(ui).accent)).sense(Sense::click());
                if ui.add(link).on_hover_text("Select only this node").clicked() {
                    chosen = Some(name.clone());
                }
            });
        }
    });
    if let Some(name) = chosen {
        session.selection.nodes = BTreeSet::from([name]);
    }
    Ok(())
}

/// Whether two nodes have the same parameters.
fn same_kind(a: &NodeKind, b: &NodeKind) -> bool {
    matches!(a, NodeKind::Stage(_) | NodeKind::Custom(_)) && a == b
}
