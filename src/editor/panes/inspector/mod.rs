//! The inspector: values and documentation of the selection, or of the graph if nothing is selected.

mod bar;
mod blocks;
mod color;
mod curve;
mod docs;
mod domain;
mod expectations;
mod expression;
mod field;
mod gradient;
mod graph;
mod head;
mod inspected;
pub(crate) mod keys;
mod kinds;
mod level;
mod many;
mod numbers;
mod pointed;
mod ports;
mod precision;
mod value;

use eframe::egui::{self, Ui};

use super::code;
use crate::commands::action::{Action, Actions};
use crate::document::{Link, NodeKind};
use crate::edit::{self, IN, OUT};
use crate::graph::formula;
use crate::library::Library;
use crate::model::declared::declared;
use crate::model::session::Session;
use crate::panes::content::{PaneContent, Surroundings};
use crate::problem::SourcePlace;
use crate::stage::header::{Param, ParamType};
use crate::stage::types::{Element, PortType};
use crate::toolkit::row::{self, section};
use crate::toolkit::theme;

use inspected::{Inspected, dim_label, row_id};
use value::{Border, Change, Field, Site};

/// Minimum width of the rows \[logical pixels\]: a name, a value and three buttons.
const MIN_WIDTH: f32 = 200.0;
/// Below this, documentation stands under the values instead of beside them \[points\].
const TWO_COLUMNS: f32 = 620.0;
/// Between the columns \[points\].
const GUTTER: f32 = 24.0;
/// More parameters than this can be filtered by name.
const MANY: usize = 12;

/// The values of what is selected.
#[derive(Default)]
pub(crate) struct Inspector;

impl PaneContent for Inspector {
    fn show(&mut self, ui: &mut Ui, around: &mut Surroundings<'_>) -> Result<(), String> {
        show(ui, around.session, around.actions)
    }

    fn framed(&self) -> bool {
        true
    }
}

/// Draws the inspector. An `Err` is a message for the user.
fn show(ui: &mut Ui, session: &mut Session, actions: &mut Actions) -> Result<(), String> {
    let selected: Vec<String> = session.selection.nodes.iter().cloned().collect();
    let exists = |name: &&String| session.nodes().contains_key(*name);
    let nodes: Vec<String> = selected.iter().filter(exists).cloned().collect();
    let mut result = Ok(());
    let salt = ("inspector", selected.first(), session.selection.frame);
    let scroll = egui::ScrollArea::vertical().auto_shrink(false).id_salt(salt);
    scroll.show(ui, |ui| {
        // Space for the scroll bar. In a narrower pane the right end is cut off: rows need a width that
        // holds their names and buttons.
        ui.set_width((ui.available_width() - 4.0).max(MIN_WIDTH));
        level::locked(ui, session);
        match (selected.as_slice(), nodes.as_slice()) {
            ([one], _) if one == IN || one == OUT => {
                result = ports::block(ui, session, one, actions);
            }
            (_, []) if session.selection.frame.is_some() => graph::frame(ui, session),
            ([], _) => two(ui, session, graph::fields, |ui, session| graph::results(ui, session, actions)),
            (_, [name]) => {
                if let Some(mut one) = Inspected::new(session, name, Vec::new(), actions) {
                    two(ui, &mut one, |ui, one| result = one.values(ui), Inspected::documentation);
                }
            }
            (_, names) => result = many::show(ui, session, names, actions),
        }
    });
    // A widget that keeps the focus after a drag must not join the next drag to it.
    if ui.input(|input| input.pointer.any_released()) {
        session.end_gesture();
    }
    result
}

/// Two columns if there is room, else one below the other.
fn two<T: ?Sized>(
    ui: &mut Ui,
    subject: &mut T,
    left: impl FnOnce(&mut Ui, &mut T),
    right: impl FnOnce(&mut Ui, &mut T),
) {
    if ui.available_width() < TWO_COLUMNS {
        left(ui, subject);
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

/// Scrolls to the row of a parameter as soon as its node is shown, and highlights it for a moment.
pub(crate) fn point_out(ctx: &egui::Context, path: &str, param: &str) {
    pointed::ask(ctx, row_id(path, param));
}

impl Inspected<'_> {
    fn values(&mut self, ui: &mut Ui) -> Result<(), String> {
        let result = head::show(ui, self);
        let library = self.session.library().clone();
        kinds::fields(ui, self);
        ports::inputs(ui, self, &library);
        self.params(ui, &library);
        ports::outputs(ui, self, &library);
        kinds::run(ui, self);
        self.note(ui);
        result.and(std::mem::replace(&mut self.change_result, Ok(())))
    }

    fn note(&mut self, ui: &mut Ui) {
        let id = self.id("note");
        let (editable, current) = (self.editable, self.node.comment.clone());
        let typed = section(ui, "Note", |ui| {
            let written = |ui: &mut Ui| {
                let (response, typed) = row::text(ui, id, &current, |text| {
                    let field = egui::TextEdit::multiline(text).desired_rows(2).desired_width(f32::INFINITY);
                    field.hint_text("Notes (saved with the graph)")
                });
                response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, editable, "note"));
                typed
            };
            ui.add_enabled_ui(editable, written).inner
        });
        if let Some(note) = typed.flatten() {
            let (scope, name) = (self.session.scope().clone(), self.name.clone());
            // The node exists, since it is shown.
            self.session.arrange("note", |document| drop(edit::comment(document, &scope, &name, &note)));
        }
    }

    /// Parameters of the stage, or those that the group exposes.
    fn params(&mut self, ui: &mut Ui, library: &Library) {
        let params = declared(&self.node, library);
        if params.is_empty() {
            return;
        }
        let filter_id = self.id("filter");
        if params.iter().any(|param| pointed::is_asked_for(ui.ctx(), self.id(&param.name))) {
            ui.data_mut(|data| data.remove::<String>(filter_id));
            row::open_section(ui.ctx(), "Parameters");
        }
        let mut filter: String = ui.data(|data| data.get_temp(filter_id)).unwrap_or_default();
        let some = params.len() > MANY;
        section(ui, "Parameters", |ui| {
            if some {
                let field = egui::TextEdit::singleline(&mut filter).hint_text("Filter").desired_width(f32::INFINITY);
                let response = ui.add(field.id(filter_id.with("text")));
                response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "filter"));
            }
            let wanted = filter.trim().to_lowercase();
            let shown = params.iter().filter(|param| {
                wanted.is_empty() || param.name.contains(&wanted) || param.doc.to_lowercase().contains(&wanted)
            });
            let shown: Vec<&Param> = shown.collect();
            for param in &shown {
                let drawn = ui.scope(|ui| self.param(ui, param)).response.rect;
                pointed::mark(ui, self.id(&param.name), drawn);
            }
            if shown.is_empty() {
                ui.label(row::faint(ui, "No matches"));
            }
        });
        ui.data_mut(|data| data.insert_temp(filter_id, filter));
    }

    fn param(&mut self, ui: &mut Ui, param: &Param) {
        if self.node.inputs.contains_key(&param.name) {
            let ty = PortType::Number(Element::Fixed(param.ty.value()));
            ports::wire(ui, self, &param.name, &param.doc, Some(ty), true);
            return;
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
            fixed: param.fixed,
        };
        self.field(ui, &field);
    }

    fn field(&mut self, ui: &mut Ui, field: &Field<'_>) {
        let value = self.node.params.get(field.name);
        let border = match &self.node.kind {
            _ if !self.editable => None,
            NodeKind::Group(_) => Some(Border::Hide),
            _ => (!self.session.scope().is_root()).then_some(Border::Expose),
        };
        let inputs = match field.ty {
            ParamType::Formula(_) => {
                let stage = edit::stage_of(&self.node, self.session.library());
                stage.map(|stage| formula::inputs(&stage.header, self.space().unwrap_or(field.dim)))
            }
            _ => None,
        };
        let site = self.site(field.name, false);
        let site = Site { border, inputs, clock: site.clock.filter(|_| !field.fixed), ..site };
        let change = ui.add_enabled_ui(self.editable, |ui| field.show(ui, &site, value)).inner;
        match change {
            Some(Change::Set(value)) => self.set(field.name, value),
            Some(Change::Reset) => self.session.reset_params(&self.paths(), field.name, &field.default),
            Some(Change::Border(border)) => self.cross(field.name, border),
            Some(Change::Vary(vary)) => self.vary(field.name, vary),
            Some(Change::Key { now, whole }) => self.session.insert_key(&self.paths(), field.name, &now, whole),
            Some(Change::Unkey) => self.session.remove_key(&self.paths(), field.name),
            None => {}
        }
    }

    /// Exposes a parameter on the enclosing group, or hides an exposed parameter of a group.
    fn cross(&mut self, param: &str, border: Border) {
        let (scope, mut after) = (self.session.scope().clone(), self.session.document().clone());
        let done = match (border, scope.outside()) {
            (Border::Hide, _) => edit::hide_param(&mut after, &scope, &self.name, param),
            (Border::Expose, Some((around, group))) => {
                let inner = Link { node: self.name.clone(), port: param.to_string() };
                edit::expose_param(&mut after, &around, group, &inner, param, self.session.library())
            }
            (Border::Expose, None) => Ok(()),
        };
        match done {
            Ok(()) => self.session.edit("expose", |document| *document = after),
            Err(refusal) => self.change_result = Err(refusal.into()),
        }
    }

    /// Documentation of the node.
    fn documentation(ui: &mut Ui, one: &mut Self) {
        let library = one.session.library().clone();
        section(ui, "About", |ui| {
            match edit::stage_of(&one.node, &library) {
                Some(stage) => docs::stage(ui, &stage),
                None => docs::host(ui, &one.node, &library),
            }
            if code::has_text(&one.node, &library) && ui.button("Show WGSL").clicked() {
                one.actions.push(Action::ShowCode(SourcePlace { line: 1, column: 1 }));
            }
        });
    }
}

#[cfg(test)]
mod tests;
