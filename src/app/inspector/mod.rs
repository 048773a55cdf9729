//! The inspector: the selected node's values and documentation, or the graph's own when none is selected.

mod docs;
mod graph;
mod kinds;
mod numbers;
pub mod value;

use std::sync::Arc;

use eframe::egui::{self, Id, RichText, Ui};

use super::code;
use super::session::Session;
use super::theme;
use crate::document::{Node, NodeKind, ParamValue};
use crate::edit::{self, InputEnd, PortFace};
use crate::expr::Numbers;
use crate::graph::numbers::named;
use crate::problem::SourcePlace;
use crate::stage::Stage;
use crate::stage::header::{Param, ParamType, Port};
use crate::stage::types::{Element, ValueType};
use value::{Change, Field, row, small};

/// Below this, documentation stands under the values instead of beside them \[points\].
const TWO_COLUMNS: f32 = 620.0;
/// Between the columns \[points\].
const GUTTER: f32 = 24.0;

/// Draws the inspector. An `Err` is a sentence for the person.
pub fn show(ui: &mut Ui, session: &mut Session) -> Result<(), String> {
    let count = session.selection.len();
    let name = session.selection.iter().next().filter(|_| count == 1).cloned();
    let node = name.as_ref().and_then(|name| session.nodes().get(name)).cloned();
    if !session.editable() {
        ui.disable();
    }
    let mut result = Ok(());
    let scroll = egui::ScrollArea::vertical().auto_shrink(false).id_salt(("inspector", &name));
    scroll.show(ui, |ui| match name.zip(node) {
        Some((name, node)) => {
            let numbers = named(session.nodes());
            let path = session.scope().path(&name);
            let mut one = Inspected { name, path, node, session, numbers };
            two(ui, &mut one, |ui, one| result = one.values(ui), Inspected::documentation);
        }
        None if count == 0 => two(ui, session, graph::fields, graph::statistics),
        None => {
            ui.label(RichText::new(format!("{count} nodes are selected")).color(theme::of(ui).dim));
        }
    });
    result
}

/// Two columns where there is room, else one below the other.
fn two<T>(ui: &mut Ui, subject: &mut T, left: impl FnOnce(&mut Ui, &mut T), right: impl FnOnce(&mut Ui, &mut T)) {
    if ui.available_width() < TWO_COLUMNS {
        left(ui, subject);
        ui.separator();
        right(ui, subject);
        return;
    }
    ui.horizontal_top(|ui| {
        let width = 0.5 * (ui.available_width() - GUTTER);
        ui.spacing_mut().item_spacing.x = GUTTER;
        column(ui, width, |ui| left(ui, subject));
        column(ui, width, |ui| right(ui, subject));
    });
}

fn column(ui: &mut Ui, width: f32, contents: impl FnOnce(&mut Ui)) {
    ui.allocate_ui(egui::vec2(width, 0.0), |ui| {
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP.x;
            ui.set_width(width);
            contents(ui);
        });
    });
}

/// A node and where its values go.
struct Inspected<'a> {
    name: String,
    /// The same with the groups that it is in.
    path: String,
    node: Node,
    session: &'a mut Session,
    /// What expressions may name.
    numbers: Numbers,
}

impl Inspected<'_> {
    fn id(&self, field: &str) -> Id {
        Id::new(("inspector", &self.name, field))
    }

    fn values(&mut self, ui: &mut Ui) -> Result<(), String> {
        let mut result = self.title(ui);
        let library = self.session.library().clone();
        let stage = edit::stage_of(&self.node, &library);
        kinds::own(ui, self);
        if let Some(stage) = &stage {
            self.ports(ui, stage);
            result = result.and(self.params(ui, &stage.header.params));
        } else if let Some(group) = edit::group_of(&self.node, &library) {
            let params: Vec<Param> = group
                .params
                .iter()
                .filter_map(|(name, links)| {
                    let param = edit::face::exposed(group, links, &library)?;
                    Some(Param { name: name.clone(), ..param })
                })
                .collect();
            result = result.and(self.params(ui, &params));
        }
        kinds::run(ui, self);
        self.note(ui);
        result
    }

    fn note(&mut self, ui: &mut Ui) {
        ui.add_space(4.0);
        let id = self.id("note");
        let typed = row(ui, "note", "Yours to write; it is kept in the file", |ui| {
            value::text(ui, id, &self.node.comment, |text| {
                egui::TextEdit::multiline(text).desired_rows(1).desired_width(f32::INFINITY)
            })
        });
        if let Some(note) = typed {
            let path = self.path.clone();
            self.session.arrange("note", |document| {
                if let Some(node) = document.node_mut(&path) {
                    node.comment = note;
                }
            });
        }
    }

    fn title(&mut self, ui: &mut Ui) -> Result<(), String> {
        let id = self.id("name");
        let typed = row(ui, "name", "What wires and problems call the node", |ui| {
            value::text(ui, id, &self.name, |text| egui::TextEdit::singleline(text).desired_width(f32::INFINITY))
        });
        let Some(new) = typed else { return Ok(()) };
        let mut result = Ok(());
        let old = self.name.clone();
        let (mut renamed, scope) = (self.session.document().clone(), self.session.scope().clone());
        match edit::rename(&mut renamed, &scope, &old, new.trim()) {
            Ok(()) => {
                self.session.edit("rename", |document| *document = renamed);
                self.session.selection = std::iter::once(new.trim().to_string()).collect();
            }
            Err(sentence) => result = Err(sentence),
        }
        result
    }

    /// Inputs: what each reads, or its constant.
    fn ports(&mut self, ui: &mut Ui, stage: &Arc<Stage>) {
        let ports: Vec<Port> = stage.inputs().cloned().collect();
        if ports.is_empty() {
            return;
        }
        section(ui, "Inputs");
        for port in &ports {
            match (self.node.inputs.get(&port.name), &port.default) {
                (None, Some(default)) => self.constant(ui, port, default),
                _ => self.wire(ui, &port.name, &port.doc),
            }
        }
    }

    /// An input that is wired, or has to be.
    fn wire(&mut self, ui: &mut Ui, port: &str, doc: &str) {
        let link = self.node.inputs.get(port).map(ToString::to_string);
        row(ui, port, doc, |ui| match &link {
            Some(link) => {
                ui.label(RichText::new(format!("← {link}")).monospace());
                if small(ui, "✖", true, "Take the wire off") {
                    let end = InputEnd { node: self.name.clone(), port: port.to_string() };
                    let scope = self.session.scope().clone();
                    self.session.edit("wire", |document| edit::disconnect(document, &scope, &end));
                }
            }
            None => drop(ui.label(RichText::new("not wired").color(theme::of(ui).warning))),
        });
        // A wire of particles says what they have.
        let carried = link.and_then(|link| {
            let whole = if link.contains('.') { link } else { format!("{link}.value") };
            self.session.particles(&whole)
        });
        if let Some(carried) = carried {
            row(ui, "", doc, |ui| {
                ui.add(egui::Label::new(RichText::new(carried).small().color(theme::of(ui).dim)).wrap());
            });
        }
    }

    /// The constant of an input that nothing is wired to.
    fn constant(&mut self, ui: &mut Ui, port: &Port, default: &[f64]) {
        let ty = match port.ty.element() {
            Some(Element::Fixed(v)) => v,
            _ => self.slot(&port.name).map_or(ValueType::F32, |(ty, _)| ty),
        };
        let field = Field {
            name: &port.name,
            ty: ParamType::Value(ty),
            dim: self.dim(&port.name),
            default: ParamValue::from_numbers(default),
            range: (None, None),
            soft: (None, None),
            unit: &port.unit,
            doc: &port.doc,
        };
        self.field(ui, &field);
    }

    fn params(&mut self, ui: &mut Ui, params: &[Param]) -> Result<(), String> {
        if !params.is_empty() {
            section(ui, "Parameters");
        }
        for param in params {
            if self.node.inputs.contains_key(&param.name) {
                self.wire(ui, &param.name, &param.doc);
                continue;
            }
            let field = Field {
                name: &param.name,
                ty: param.ty,
                dim: self.dim(&param.name),
                default: param.default.clone(),
                range: param.range,
                soft: param.soft,
                unit: &param.unit,
                doc: &param.doc,
            };
            self.field(ui, &field);
        }
        Ok(())
    }

    fn field(&mut self, ui: &mut Ui, field: &Field<'_>) {
        let id = self.id(field.name);
        match field.show(ui, id, self.node.params.get(field.name), &self.numbers) {
            Some(Change::Set(value)) => self.set(field.name, value),
            Some(Change::Reset) => self.session.reset_param(&self.path, field.name, field.default.clone()),
            None => {}
        }
    }

    fn set(&mut self, param: &str, value: ParamValue) {
        // The field is shown because the node has it.
        let _ = self.session.set_param(&self.path, param, value);
    }

    /// Type and dimension that the running plan gives a value.
    fn slot(&self, param: &str) -> Option<(ValueType, u32)> {
        let path = format!("{}.{param}", self.path);
        let plan = self.session.running_simulation()?.plan();
        plan.settings.iter().find(|slot| slot.paths.contains(&path)).map(|slot| (slot.ty, slot.dim))
    }

    fn dim(&self, param: &str) -> u32 {
        let domains = self.session.document().nodes.values().filter_map(|node| match &node.kind {
            NodeKind::Domain(domain) => Some(domain.resolution.len() as u32),
            _ => None,
        });
        self.slot(param).map(|(_, dim)| dim).or(domains.max()).unwrap_or(2).clamp(2, 3)
    }

    /// What the stage says of itself.
    fn documentation(ui: &mut Ui, one: &mut Self) {
        let library = one.session.library().clone();
        match edit::stage_of(&one.node, &library) {
            Some(stage) => docs::stage(ui, &stage),
            None => docs::host(ui, &one.node, &library),
        }
        if code::has_text(&one.node, &library) && ui.button("Open the WGSL").clicked() {
            one.session.show_text = Some(SourcePlace { line: 1, column: 1 });
        }
        let unknown = |port: &&PortFace| port.ty.is_none();
        for port in edit::face::face(&one.node, &library).inputs.iter().filter(unknown) {
            one.wire(ui, &port.name, &port.doc);
        }
    }
}

fn section(ui: &mut Ui, title: &str) {
    ui.add_space(4.0);
    ui.label(RichText::new(title).small().strong().color(theme::of(ui).faint));
}

#[cfg(test)]
mod tests;
