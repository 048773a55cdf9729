//! The grid that says where a node runs.

use eframe::egui::{self, Ui, WidgetInfo, WidgetType};

use super::Inspected;
use crate::document::{Link, WHERE};
use crate::edit::{self, IN, InputEnd, OUT, signature};
use crate::model::session::Session;
use crate::toolkit::row::row;

/// Whether the node has such a choice.
pub(super) fn applies(one: &Inspected<'_>) -> bool {
    edit::takes_where(&one.node, one.session.library())
}

/// A list of the grids of the level that could say where the node runs.
pub(super) fn show(ui: &mut Ui, one: &mut Inspected<'_>) {
    let current = one.node.inputs.get(WHERE).cloned();
    let without = if inherits(one.session) { "as the group" } else { "everywhere" };
    let mut chosen = None;
    row(ui, WHERE, &signature::confining().doc, |ui| {
        let text = |choice: &Option<Link>| choice.as_ref().map_or_else(|| without.to_string(), Link::to_string);
        let combo = egui::ComboBox::from_id_salt(WHERE).selected_text(text(&current)).width(ui.available_width());
        let shown = combo.truncate().show_ui(ui, |ui| {
            for choice in std::iter::once(None).chain(grids(one).into_iter().map(Some)) {
                if ui.selectable_label(choice == current, text(&choice)).clicked() {
                    chosen = Some(choice);
                }
            }
        });
        shown.response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, "param where"));
    });
    let Some(choice) = chosen.filter(|choice| *choice != current) else { return };
    let (scope, end) = (one.session.scope().clone(), InputEnd { node: one.name.clone(), port: WHERE.into() });
    one.session.edit("wire", |document| match choice {
        Some(link) => edit::connect(document, &scope, link, &end),
        None => edit::disconnect(document, &scope, &end),
    });
}

/// Whether a group around the open level says where the stages inside run.
fn inherits(session: &Session) -> bool {
    let mut scope = session.scope().clone();
    while let Some((around, name)) = scope.outside().map(|(around, name)| (around, name.to_string())) {
        let group = session.document().level(&around).and_then(|level| level.nodes().get(&name));
        if group.is_some_and(|group| group.inputs.contains_key(WHERE) && edit::takes_where(group, session.library())) {
            return true;
        }
        scope = around;
    }
    false
}

/// The grids of the level, as links: those on the same box that do not depend on the node.
fn grids(one: &Inspected<'_>) -> Vec<Link> {
    let session = &*one.session;
    let takes = signature::confining();
    let domain = session.domain_of(&one.path);
    let mut found = Vec::new();
    for (name, node) in session.signatures() {
        if name == OUT || name == one.name || (name != IN && edit::feeds(session.nodes(), &one.name, &name)) {
            continue;
        }
        let sole = node.outputs.len() == 1 && name != IN;
        for port in node.outputs.iter().filter(|port| port.ty.is_some() && edit::fits(port, &takes).is_ok()) {
            let wire = format!("{}.{}", session.scope().path(&name), port.name);
            let path = session.scope().path(&name);
            let there = session.wire_domain(&wire).or_else(|| session.domain_of(&path));
            let elsewhere = domain.zip(there).is_some_and(|(domain, other)| !domain.shares_box(other));
            if !elsewhere && !port.constant {
                found.push(Link { node: name.clone(), port: if sole { String::new() } else { port.name.clone() } });
            }
        }
    }
    // What the file says, with or without the port, is one of them.
    if let Some(link) = one.node.inputs.get(WHERE) {
        let same = |other: &Link| other.node == link.node && (other.port.is_empty() || other.port == link.port);
        found.retain(|other| !same(other) || other == link);
        if !found.contains(link) {
            found.insert(0, link.clone());
        }
    }
    found
}
