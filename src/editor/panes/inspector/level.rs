//! Why a level is read-only, and what is inside a group.

use std::collections::BTreeMap;

use eframe::egui::{self, RichText, Ui};

use super::{Inspected, theme};
use crate::document::Group;
use crate::edit;
use crate::model::session::Session;
use crate::toolkit::row::{faint, row};

/// Says why a level is read-only, if it is.
pub(super) fn locked(ui: &mut Ui, session: &Session) {
    let Some((_, name)) = session.library_group().filter(|_| !session.editable()) else { return };
    let look = theme::current(ui);
    egui::Frame::new().fill(look.bar).corner_radius(4).inner_margin(egui::Margin::symmetric(8, 6)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        let text = format!("{name} is a library group and read-only. Make a local copy to edit it.");
        ui.label(RichText::new(text).color(look.warning).small());
    });
    ui.add_space(2.0);
}

/// What a group contains, with a button to open it.
pub(super) fn inside(ui: &mut Ui, one: &mut Inspected<'_>) {
    let library = one.session.library().clone();
    let Some(group) = edit::group_of(&one.node, &library) else { return };
    let counted = counts(group);
    row(ui, "inside", "What the group contains", |ui| {
        let text = counted.iter().map(|(what, count)| format!("{count} {what}")).collect::<Vec<_>>().join(", ");
        ui.label(text);
    });
    row(ui, "", "", |ui| {
        if ui.button("Open group").clicked() {
            one.session.enter(&one.name);
        }
        ui.label(faint(ui, format!("{} in, {} out", group.inputs.len(), group.outputs.len())));
    });
}

/// The number of nodes of each kind.
fn counts(group: &Group) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for node in group.nodes.values() {
        *counts.entry(node.kind.info().counted).or_insert(0) += 1;
    }
    counts
}
