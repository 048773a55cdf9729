//! Inputs and outputs of a node.

use eframe::egui::{self, Label, RichText, Sense, Ui, WidgetInfo, WidgetType};

use super::value::Field;
use super::{Inspected, dim_label, theme};
use crate::commands::action::{self, Action, Actions};
use crate::document::{Link, ParamValue, WHERE};
use crate::edit::{self, IN, InputEnd, OUT, PortSignature};
use crate::library::Library;
use crate::model::declared::declared;
use crate::model::session::{Selection, Session};
use crate::stage::header::{ParamType, Port};
use crate::stage::types::{Element, PortType, ValueType};
use crate::toolkit::row::{self, Name, faint, named, section, small, text};

/// Inputs: the wire of each, or its constant.
pub(super) fn inputs(ui: &mut Ui, one: &mut Inspected<'_>, library: &Library) {
    let params = declared(&one.node, library);
    let signature = edit::signature::node(&one.node, library);
    // Wires that drive a parameter are listed with the parameters, and `where` with how the node runs.
    let confined = edit::takes_where(&one.node, library);
    let listed = |port: &&PortSignature| {
        let elsewhere = confined && port.name == WHERE;
        !elsewhere && !params.iter().any(|param| param.name == port.name)
    };
    let inputs: Vec<&PortSignature> = signature.inputs.iter().filter(listed).collect();
    if inputs.is_empty() {
        return;
    }
    let stage = edit::stage_of(&one.node, library);
    let group = edit::group_of(&one.node, library).is_some();
    section(ui, "Inputs", |ui| {
        for port in inputs {
            let declared = stage.as_ref().and_then(|stage| stage.port(&port.name));
            let number = port.ty.filter(|ty| ty.is_number() && group);
            let wired = one.node.inputs.contains_key(&port.name);
            match (wired, declared.and_then(|d| Some((d, d.default.as_ref()?))), number) {
                (false, Some((declared, default)), _) => constant(ui, one, declared, default),
                (false, None, Some(ty)) => number_input(ui, one, &port.name, &port.doc, ty),
                _ => wire(ui, one, &port.name, &port.doc, port.ty, port.optional),
            }
        }
    });
}

/// The constant of an unconnected input.
fn constant(ui: &mut Ui, one: &mut Inspected<'_>, port: &Port, default: &[f64]) {
    let ty = match port.ty.element() {
        Some(Element::Fixed(v)) => v,
        _ => one.slot(&port.name).map_or(ValueType::F32, |(ty, _)| ty),
    };
    let field = Field {
        name: &port.name,
        ty: ParamType::Value(ty),
        dim: one.dim(&port.name),
        default: ParamValue::from_numbers(default),
        range: (None, None),
        soft: (None, None),
        unit: &port.unit,
        doc: &port.doc,
        fixed: false,
    };
    one.field(ui, &field);
}

/// An unconnected number input of a group.
fn number_input(ui: &mut Ui, one: &mut Inspected<'_>, name: &str, doc: &str, ty: PortType) {
    let ty = match ty.element() {
        Some(Element::Fixed(value)) => value,
        _ => ValueType::F32,
    };
    let doc = if doc.is_empty() { "Number input of the group" } else { doc };
    let field = Field { dim: one.dim(name), ..super::value::plain(name, ty, doc) };
    one.field(ui, &field);
}

/// An input that is connected, or has to be.
pub(super) fn wire(ui: &mut Ui, one: &mut Inspected<'_>, port: &str, doc: &str, ty: Option<PortType>, optional: bool) {
    let link = one.node.inputs.get(port).cloned();
    let mut target = None;
    let mut off = false;
    let hint = ty.map_or_else(|| doc.to_string(), |ty| format!("{ty}\n{doc}"));
    let name = Name { text: port, doc: &hint, changed: false, varied: None, sense: Sense::hover() };
    named(ui, &name, |ui, _| {
        let look = theme::current(ui);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            ui.label(RichText::new("●").small().color(look.port(ty)));
            let Some(link) = &link else {
                let color = if optional { look.faint } else { look.warning };
                ui.label(RichText::new("not connected").color(color));
                return;
            };
            let room = ui.available_width() - row::SMALL - 4.0;
            ui.scope(|ui| {
                ui.set_max_width(room);
                let text = RichText::new(format!("← {link}")).monospace().color(look.accent);
                let shown = ui.add(Label::new(text).truncate().sense(Sense::click()));
                shown.widget_info(|| WidgetInfo::labeled(WidgetType::Link, true, format!("input {port}")));
                let shown = shown.on_hover_cursor(egui::CursorIcon::PointingHand);
                if shown.on_hover_text(format!("Go to {}", link.node)).clicked() {
                    target = Some(link.clone());
                }
            });
            let icon = RichText::new("✖").size(10.0).color(look.dim);
            let label = format!("disconnect {port}");
            ui.add_enabled_ui(one.editable, |ui| off = small(ui, icon, true, &label, "Disconnect"));
        });
        // A wire of particles shows their attributes.
        let carried = link.as_ref().and_then(|link| {
            let from = one.session.scope().path(&link.node);
            let port = if link.port.is_empty() { "value" } else { &link.port };
            one.session.particles(&format!("{from}.{port}"))
        });
        if let Some(carried) = carried {
            ui.add(Label::new(faint(ui, carried)).wrap());
        }
    });
    if let Some(link) = target {
        one.actions.extend(go(one.session, &link));
    }
    if off {
        let end = InputEnd { node: one.name.clone(), port: port.to_string() };
        let scope = one.session.scope().clone();
        one.session.edit("wire", |document| edit::disconnect(document, &scope, &end));
    }
}

/// Selects the source of a wire of the open level. Returns the action that brings it into view.
fn go(session: &mut Session, link: &Link) -> Option<Action> {
    if link.node == IN {
        session.selection = Selection::of_node(IN.to_string());
        return Some(Action::Reveal);
    }
    let path = session.scope().path(&link.node);
    action::go_to(session, &path)
}

/// Outputs: the type of each, with a button to view it.
pub(super) fn outputs(ui: &mut Ui, one: &mut Inspected<'_>, library: &Library) {
    let signature = edit::signature::node(&one.node, library);
    if signature.outputs.is_empty() {
        return;
    }
    let mut seen = None;
    section(ui, "Outputs", |ui| {
        for port in &signature.outputs {
            let wire = format!("{}.{}", one.path, port.name);
            let carries = one.session.particles(&wire).or_else(|| Some(one.session.carried(&wire)?.to_string()));
            let viewed = one.session.is_viewed(&wire);
            if output(ui, port, carries.as_deref().unwrap_or(&port.carries), viewed) {
                seen = Some(Link { node: one.name.clone(), port: port.name.clone() });
            }
        }
    });
    one.actions.extend(seen.map(Action::ViewWire));
}

/// Returns whether its button was clicked.
fn output(ui: &mut Ui, port: &PortSignature, carries: &str, viewed: bool) -> bool {
    let name = Name { text: &port.name, doc: &port.doc, changed: false, varied: None, sense: Sense::hover() };
    named(ui, &name, |ui, _| {
        let look = theme::current(ui);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            ui.label(RichText::new("●").small().color(look.port(port.ty)));
            let room = ui.available_width() - row::SMALL - 4.0;
            ui.scope(|ui| {
                ui.set_max_width(room);
                ui.add(Label::new(RichText::new(carries).monospace().color(look.dim)).truncate())
                    .on_hover_text(carries);
            });
            let eye = RichText::new("👁").color(if viewed { look.accent } else { look.dim });
            small(ui, eye, true, &format!("see {}", port.name), "View output")
        })
        .inner
    })
}

/// What was done to a port of the open group.
enum PortEdit {
    Rename(String, String),
    Remove(String),
}

/// Inputs or outputs of the open group, with fields to rename and buttons to remove them.
///
/// # Errors
/// Why a port can't be renamed or removed, in one sentence.
pub(super) fn block(ui: &mut Ui, session: &mut Session, name: &str, actions: &mut Actions) -> Result<(), String> {
    let Some(signature) = session.signatures().remove(name) else { return Ok(()) };
    let scope = session.scope().clone();
    ui.label(RichText::new(&signature.title).heading());
    dim_label(ui, if name == OUT { "Outputs of the group." } else { "Inputs of the group." });
    let ports = if name == OUT { &signature.inputs } else { &signature.outputs };
    if ports.is_empty() {
        ui.label(faint(ui, "None yet. Drop a wire on the block to add one"));
    }
    let (mut target, mut edit) = (None, None);
    let editable = session.editable();
    for port in ports {
        let source = session.source(&InputEnd { node: name.into(), port: port.name.clone() });
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            edit = edit.take().or(ui.add_enabled_ui(editable, |ui| port_fields(ui, name, &port.name)).inner);
            ui.label(RichText::new("●").small().color(theme::current(ui).port(port.ty)));
            ui.label(RichText::new(&port.carries).monospace().color(theme::current(ui).dim)).on_hover_text(&port.doc);
            if let Some(link) = source.as_ref().filter(|_| name == OUT) {
                let text = RichText::new(format!("← {link}")).monospace().color(theme::current(ui).accent);
                let shown = ui.add(Label::new(text).sense(Sense::click()));
                shown.widget_info(|| WidgetInfo::labeled(WidgetType::Link, true, format!("input {}", port.name)));
                if shown.on_hover_cursor(egui::CursorIcon::PointingHand).clicked() {
                    target = Some(link.clone());
                }
            }
        });
    }
    if let Some(link) = target {
        actions.extend(go(session, &link));
    }
    ui.add_space(4.0);
    ui.label(faint(ui, format!("of the group {scope}")));
    let side = if name == OUT { edit::Side::Out } else { edit::Side::In };
    let mut after = session.document().clone();
    match edit {
        None => return Ok(()),
        Some(PortEdit::Rename(old, new)) => edit::rename_port(&mut after, &scope, side, &old, &new)?,
        Some(PortEdit::Remove(port)) => edit::remove_port(&mut after, &scope, side, &port)?,
    }
    session.edit("port", |document| *document = after);
    Ok(())
}

/// A field for a port's name, and a button that removes the port.
fn port_fields(ui: &mut Ui, block: &str, port: &str) -> Option<PortEdit> {
    let id = egui::Id::new(("port", block, port));
    let (field, typed) = text(ui, id, port, |text| egui::TextEdit::singleline(text).desired_width(110.0));
    field.widget_info(|| WidgetInfo::labeled(WidgetType::TextEdit, true, format!("port {port}")));
    let remove = small(ui, RichText::new("✖").small(), true, &format!("remove {port}"), "Remove port and its wires");
    let renamed = typed.map(|new| PortEdit::Rename(port.to_string(), new.trim().to_string()));
    renamed.or(remove.then(|| PortEdit::Remove(port.to_string())))
}
