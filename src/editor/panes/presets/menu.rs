//! The menu of presets in the head of a node's inspector.

use eframe::egui::{self, RichText, Ui};

use crate::commands::action::{Action, Actions};
use crate::document::Node;
use crate::model::presets::PresetWish;
use crate::model::presets::values::{self, PresetKind};
use crate::model::session::Session;
use crate::toolkit::theme;

/// Height of a list of presets before it scrolls, and width of the menu \[points\].
const HEIGHT: f32 = 320.0;
const WIDTH: f32 = 190.0;

/// Draws the menu for nodes of one kind, by their names on the open level; the first is the one whose values are saved.
pub(crate) fn button(ui: &mut Ui, session: &mut Session, nodes: &[(String, Node)], actions: &mut Actions) {
    let library = session.library().clone();
    let Some((name, node)) = nodes.first() else { return };
    let Some(kind) = PresetKind::of_node(name, node, &library) else { return };
    let menu = ui.menu_button(RichText::new("Presets").color(theme::current(ui).dim), |ui| {
        entries(ui, session, nodes, &kind, actions);
    });
    let response = menu.response.on_hover_text("Values under a name, for other nodes of this kind and other graphs");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Presets"));
    if response.clicked() {
        // Another window may have saved some.
        session.presets().renew();
    }
}

fn entries(ui: &mut Ui, session: &mut Session, nodes: &[(String, Node)], kind: &PresetKind, actions: &mut Actions) {
    ui.set_width(WIDTH);
    let library = session.library().clone();
    let names: Vec<String> = session.presets().get().names(&kind.key).map(str::to_string).collect();
    let editable = session.editable();
    if names.is_empty() {
        ui.label(RichText::new("No presets yet").color(theme::current(ui).faint));
    }
    let several = if nodes.len() > 1 { format!(" of {} nodes", nodes.len()) } else { String::new() };
    ui.add_enabled_ui(editable, |ui| {
        let hint = format!("Set the parameters{several} to these values. Wires stay");
        if let Some(preset) = list(ui, &names, "preset", &hint) {
            apply(session, nodes, kind, &preset, actions);
        }
    });
    ui.separator();
    let all = nodes.iter().map(|(name, node)| (session.scope().path(name), node));
    let defaults: Vec<_> = all.flat_map(|(path, node)| values::defaults(&path, node, &library)).collect();
    let button = ui.add_enabled(editable && !defaults.is_empty(), egui::Button::new("Default"));
    let hint = format!("Give all parameters{several} their defaults");
    if button.on_hover_text(hint).on_disabled_hover_text("All parameters have their defaults").clicked() {
        session.give("defaults", defaults);
        ui.close();
    }
    ui.separator();
    let held = nodes.first().map(|(_, node)| values::held(node, &library)).unwrap_or_default();
    let button = ui.add_enabled(!held.is_empty(), egui::Button::new("Save as preset…"));
    let hint = format!("Save the values of {}", nodes.first().map_or("", |(name, _)| name));
    if button.on_hover_text(hint).on_disabled_hover_text("It has no values of its own").clicked() {
        actions.push(Action::Preset(PresetWish::Save(kind.clone(), held)));
        ui.close();
    }
    ui.add_enabled_ui(!names.is_empty(), |ui| {
        if let Some(preset) = submenu(ui, "Rename", &names) {
            actions.push(Action::Preset(PresetWish::Rename(kind.clone(), preset)));
        }
        if let Some(preset) = submenu(ui, "Delete", &names) {
            actions.push(Action::Preset(PresetWish::Delete(kind.clone(), preset)));
        }
    });
}

/// A submenu with all presets. Returns the one that was clicked.
fn submenu(ui: &mut Ui, title: &str, names: &[String]) -> Option<String> {
    let does = format!("{} preset", title.to_lowercase());
    let menu = ui.menu_button(title, |ui| list(ui, names, &does, ""));
    let enabled = menu.response.enabled();
    menu.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, enabled, title));
    menu.inner.flatten()
}

/// A list of presets. Returns the one that was clicked. `does` begins their accessible names.
fn list(ui: &mut Ui, names: &[String], does: &str, hint: &str) -> Option<String> {
    let mut chosen = None;
    ui.set_width(WIDTH);
    let scroll = egui::ScrollArea::vertical().max_height(HEIGHT).auto_shrink([false, true]);
    scroll.show(ui, |ui| {
        for name in names {
            let button = ui.add(egui::Button::new(name).truncate().min_size(egui::vec2(ui.available_width(), 0.0)));
            let (label, enabled) = (format!("{does} {name}"), button.enabled());
            button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, enabled, &label));
            let button = if hint.is_empty() { button } else { button.on_hover_text(hint) };
            if button.clicked() {
                chosen = Some(name.clone());
                ui.close();
            }
        }
    });
    chosen
}

/// Applies a preset to all nodes, as one step.
fn apply(session: &mut Session, nodes: &[(String, Node)], kind: &PresetKind, preset: &str, actions: &mut Actions) {
    let library = session.library().clone();
    let (values, unreadable) = session.presets().get().values(&kind.key, preset);
    let (mut assignments, mut unknown) = (Vec::new(), Vec::new());
    for (name, node) in nodes {
        let path = session.scope().path(name);
        // They are of one kind, so all lack the same.
        let (node_assignments, missing) = values::assignments(&path, node, &values, &library);
        assignments.extend(node_assignments);
        unknown = missing;
    }
    session.give(&format!("apply preset {preset}"), assignments);
    actions.extend(values::message(preset, kind, &unknown, &unreadable).map(Action::Tell));
}
