//! The buttons of snapshots A and B, and how two documents differ.

use std::collections::BTreeSet;

use eframe::egui::{self, RichText, Ui, vec2};

use crate::commands::action::Action;
use crate::commands::command::Command;
use crate::document::{Document, Node, NodeKind, Nodes, ParamValue, Substeps};
use crate::model::session::{Session, SnapshotSlot};
use crate::toolkit::theme;

/// Lines of differences in a tooltip.
const LINES: usize = 10;
/// Longer values are cut off \[characters\].
const LONGEST: usize = 28;

/// Draws the two buttons. Returns what was asked for.
pub(crate) fn buttons(ui: &mut Ui, session: &mut Session) -> Option<Action> {
    let shown = session.shown_snapshot();
    let mut action = None;
    ui.spacing_mut().item_spacing.x = 2.0;
    for slot in SnapshotSlot::BOTH {
        let look = theme::current(ui);
        let is_stored = session.stored_snapshot(slot).is_some();
        let color = match is_stored {
            _ if shown == Some(slot) => look.bright,
            true => look.text,
            false => look.faint,
        };
        let text = RichText::new(slot.name()).color(color);
        let button = ui.add(egui::Button::selectable(shown == Some(slot), text).min_size(vec2(22.0, 22.0)));
        let name = format!("snapshot {}", slot.name());
        let on = shown == Some(slot);
        button.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Button, true, on, &name));
        egui::Popup::context_menu(&button).show(|ui| {
            if ui.button("Store this graph").clicked() {
                action = Some(Action::Run(store(slot)));
            }
            if ui.add_enabled(is_stored, egui::Button::new("Discard")).clicked() {
                session.discard_snapshot(slot);
            }
        });
        let button = button.on_hover_ui(|ui| about(ui, session, slot, shown));
        if button.clicked() {
            action = Some(match is_stored {
                true => Action::ShowSnapshot(slot),
                false => Action::Run(store(slot)),
            });
        }
    }
    action
}

fn store(slot: SnapshotSlot) -> Command {
    match slot {
        SnapshotSlot::A => Command::StoreA,
        SnapshotSlot::B => Command::StoreB,
    }
}

/// The tooltip of a snapshot: what a click does, and what differs.
fn about(ui: &mut Ui, session: &Session, slot: SnapshotSlot, shown: Option<SnapshotSlot>) {
    let (look, name) = (theme::current(ui), slot.name());
    let Some(document) = session.stored_snapshot(slot) else {
        let keys = store(slot).shortcut_text(ui.ctx());
        ui.label(format!("Store this graph as snapshot {name}  ({keys})"));
        return;
    };
    let other = slot.other();
    let (title, before, after) = match (shown == Some(slot), session.stored_snapshot(other)) {
        (true, None) => {
            ui.label(format!("Snapshot {name} is shown. Change the graph and store snapshot {}.", other.name()));
            return;
        }
        (true, Some(there)) => (format!("Snapshot {name} is shown. In {}:", other.name()), document, there),
        (false, _) => {
            let keys = Command::SwitchSnapshot.shortcut_text(ui.ctx());
            (format!("Switch to snapshot {name}  ({keys}):"), session.document(), document)
        }
    };
    ui.label(title);
    let all = differences(before, after);
    for line in all.iter().take(LINES) {
        ui.label(RichText::new(line).monospace().color(look.dim));
    }
    match all.len() {
        0 => drop(ui.label(RichText::new("nothing differs").color(look.dim))),
        count if count > LINES => drop(ui.label(RichText::new(format!("and {} more", count - LINES)).color(look.dim))),
        _ => {}
    }
}

/// How a document differs from another: values by name, then wires, nodes that are new or gone, and last what does not change
/// the result.
pub(crate) fn differences(before: &Document, after: &Document) -> Vec<String> {
    let mut found = Differences::default();
    if before.seed != after.seed {
        found.values.push(format!("seed: {} → {}", before.seed, after.seed));
    }
    if before.fps != after.fps {
        found.values.push(format!("frame rate: {} → {}", before.fps, after.fps));
    }
    if before.substeps != after.substeps {
        found.values.push(format!("substeps: {} → {}", before.substeps, after.substeps));
    }
    compare(&before.nodes, &after.nodes, "", &mut found);
    let rest = |document: &Document| Document {
        nodes: Nodes::new(),
        seed: 0,
        fps: 0.0,
        substeps: Substeps::default(),
        ..document.clone()
    };
    found.rest |= rest(before) != rest(after);
    let looks = found.rest.then(|| "layout, names or comments".to_string());
    found.values.into_iter().chain(found.others).chain(looks).collect()
}

#[derive(Default)]
struct Differences {
    values: Vec<String>,
    others: Vec<String>,
    /// Something differs that has no line of its own.
    rest: bool,
}

/// All names of two maps, in order.
fn names<'a, A, B>(
    one: &'a std::collections::BTreeMap<String, A>,
    two: &'a std::collections::BTreeMap<String, B>,
) -> BTreeSet<&'a String> {
    one.keys().chain(two.keys()).collect()
}

fn compare(before: &Nodes, after: &Nodes, level: &str, found: &mut Differences) {
    for name in names(before, after) {
        let path = format!("{level}{name}");
        match (before.get(name), after.get(name)) {
            (Some(one), Some(two)) if one == two => {}
            (Some(one), Some(two)) => node(one, two, &path, found),
            (None, _) => found.others.push(format!("{path}: added")),
            (_, None) => found.others.push(format!("{path}: removed")),
        }
    }
}

/// How two nodes of a name differ.
fn node(one: &Node, two: &Node, path: &str, found: &mut Differences) {
    let mut value = |name: &str, one: Option<&ParamValue>, two: Option<&ParamValue>| {
        if one != two {
            found.values.push(format!("{path}.{name}: {} → {}", short(one), short(two)));
        }
    };
    for name in names(&one.params, &two.params) {
        value(name, one.params.get(name), two.params.get(name));
    }
    value("iterations", one.iterations.as_ref(), two.iterations.as_ref());
    value("capacity", one.capacity.as_ref(), two.capacity.as_ref());
    value("until", one.until.as_ref().map(|until| &until.below), two.until.as_ref().map(|until| &until.below));
    match (&one.kind, &two.kind) {
        (NodeKind::Number(one), NodeKind::Number(two)) => value("value", Some(one), Some(two)),
        (NodeKind::Group(one), NodeKind::Group(two)) => {
            compare(&one.nodes, &two.nodes, &format!("{path}/"), found);
            let outside =
                |group: &crate::document::Group| crate::document::Group { nodes: Nodes::new(), ..group.clone() };
            if outside(one) != outside(two) {
                found.others.push(format!("{path}: ports or parameters of the group"));
            }
        }
        (NodeKind::Domain(one), NodeKind::Domain(two)) => {
            if one.resolution != two.resolution || one.width != two.width {
                found.others.push(format!("{path}: resolution or width"));
            }
            if one.edge != two.edge {
                found.values.push(format!("{path}.edge: {} → {}", one.edge, two.edge));
            }
        }
        (NodeKind::Custom(one), NodeKind::Custom(two)) if one != two => found.others.push(format!("{path}: code")),
        (one, two) if one != two => found.others.push(format!("{path}: kind of node")),
        _ => {}
    }
    for name in names(&one.inputs, &two.inputs) {
        if one.inputs.get(name) != two.inputs.get(name) {
            let source = two.inputs.get(name).map_or("not connected".into(), ToString::to_string);
            found.others.push(format!("{path}.{name}: wire → {source}"));
        }
    }
    if one.muted != two.muted {
        found.others.push(format!("{path}: {}", if two.muted { "bypassed" } else { "no longer bypassed" }));
    }
    if (&one.on, &one.precision) != (&two.on, &two.precision) {
        found.others.push(format!("{path}: domain or precision"));
    }
    let until = |node: &Node| node.until.as_ref().map(|until| (until.number.clone(), until.every));
    if until(one) != until(two) {
        found.others.push(format!("{path}: stop condition"));
    }
    found.rest |= (one.at, one.color, &one.comment, &one.extra) != (two.at, two.color, &two.comment, &two.extra);
}

fn short(value: Option<&ParamValue>) -> String {
    let Some(value) = value else { return "default".into() };
    let text = match value {
        ParamValue::Expression(text) => text.clone(),
        ParamValue::Curve(_) => "curve".into(),
        ParamValue::Gradient(_) => "gradient".into(),
        ParamValue::Keys(_) => "keys".into(),
        other => other.to_string(),
    };
    let cut: String = text.chars().take(LONGEST).collect();
    if cut == text { text } else { format!("{cut}…") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stagewright_test_support::fixture::fluid;

    #[test]
    fn values_are_named_before_wires_and_the_layout_is_one_line() {
        let before = fluid();
        let mut after = before.clone();
        assert_eq!(differences(&before, &after), [""; 0]);
        let name = after.nodes.keys().next().unwrap().clone();
        for node in after.nodes.values_mut() {
            node.at.0 += 10.0;
        }
        assert_eq!(differences(&before, &after), ["layout, names or comments"]);
        after.seed = 7;
        after.set("pressure", "iterations", ParamValue::Number(3.0)).unwrap();
        after.node_mut("project").unwrap().inputs.remove("pressure");
        after.nodes.insert("new".into(), Node { kind: NodeKind::Number(ParamValue::Number(1.0)), ..Node::default() });
        let found = differences(&before, &after);
        assert_eq!(found[0], "seed: 0 → 7");
        assert!(found[1].starts_with("pressure.iterations: ") && found[1].ends_with(" → 3"), "{found:?}");
        assert!(found.contains(&"project.pressure: wire → not connected".into()), "{found:?}");
        assert!(found.contains(&"new: added".into()) && found.len() == 5, "{found:?}, {name}");
    }
}
