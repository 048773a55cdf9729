//! The rows of the dialog: which wires go into which files.

use eframe::egui::{self, Align, ComboBox, Layout, Pos2, RichText, TextEdit, Ui};

use super::queue::named;
use super::survey::{Row, SurveyedGraph};
use crate::export::FORMATS;
use crate::export::select::{NamedWire, Request, usual_name};
use crate::export::sink::{Format, Kind};
use crate::export::wires::Exportable;
use crate::toolkit::picker::{Answer, Item, Picker};
use crate::toolkit::{markup, theme};

/// Widths of a wire, of all else in its line, of its name and of a format \[points\].
const WIRE: std::ops::RangeInclusive<f32> = 100.0..=210.0;
const BESIDE: f32 = 315.0;
const NAME: f32 = 110.0;
const FORMAT: f32 = 130.0;

/// Where a wire is to go: a row and a place in it. One past the end adds it.
type WirePlace = (usize, usize);

/// The list of wires, while it is open.
pub(super) struct WirePicker {
    place: WirePlace,
    wires: Vec<String>,
    picker: Picker,
}

enum SeriesAction {
    Pick(WirePlace, Pos2),
    RemoveWire(WirePlace),
    RemoveRow(usize),
}

/// Draws the rows. Returns a list of wires that is to be opened.
pub(super) fn show(
    ui: &mut Ui,
    requests: &mut Vec<Request>,
    rows: &[Row],
    found: &SurveyedGraph,
    near: &[String],
) -> Option<WirePicker> {
    let mut action = None;
    let several = requests.len() > 1;
    for (at, request) in requests.iter_mut().enumerate() {
        let frame = egui::Frame::new().fill(theme::current(ui).ground).corner_radius(4.0).inner_margin(6.0);
        frame.show(ui, |ui| {
            ui.push_id(at, |ui| {
                ui.set_width(ui.available_width());
                let row_action = row(ui, at, request, rows.get(at), several);
                action = row_action.or(action.take());
            });
        });
        ui.add_space(4.0);
    }
    let add = ui.button("+ Add wire").on_hover_text("Write another series of files in the same pass");
    if add.clicked() {
        action = Some(SeriesAction::Pick((requests.len(), 0), add.rect.left_bottom()));
    }
    match action? {
        SeriesAction::Pick(place, at) => return Some(WirePicker::new(place, at, found, near)),
        SeriesAction::RemoveWire((row, part)) => drop(requests.get_mut(row)?.parts.remove(part)),
        SeriesAction::RemoveRow(row) => drop(requests.remove(row)),
    }
    None
}

fn row(ui: &mut Ui, at: usize, request: &mut Request, row: Option<&Row>, several: bool) -> Option<SeriesAction> {
    let mut action = None;
    let formats = row.map(|row| row.formats.as_slice()).unwrap_or_default();
    let number = at + 1;
    let joined = request.parts.len() > 1;
    for (index, part) in request.parts.iter_mut().enumerate() {
        ui.horizontal(|ui| {
            let width = (ui.available_width() - BESIDE).clamp(*WIRE.start(), *WIRE.end());
            let button = egui::Button::new(&part.wire).right_text("⏷").truncate().min_size(egui::vec2(width, 0.0));
            let wire = ui.allocate_ui(egui::vec2(width, ui.spacing().interact_size.y), |ui| ui.add(button)).inner;
            let label = format!("Wire {number}: {}", part.wire);
            wire.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::ComboBox, true, &label));
            if wire.on_hover_text("What is written; click to choose").clicked() {
                action = Some(SeriesAction::Pick((at, index), ui.min_rect().left_bottom()));
            }
            ui.label(RichText::new("as").color(theme::current(ui).dim));
            name(ui, part, number);
            match index {
                0 => choose_format(ui, request.format.as_mut(), formats, number),
                _ if named(ui, "✖", "Remove this wire from the files", true) => {
                    action = Some(SeriesAction::RemoveWire((at, index)));
                }
                _ => {}
            }
            if index == 0 {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if several && named(ui, "✖", "Remove these files", true) {
                        action = Some(SeriesAction::RemoveRow(at));
                    }
                });
            }
        });
    }
    let joins = request.format.is_some_and(|format| format.joins);
    ui.horizontal(|ui| {
        if joins {
            let more = ui.small_button("+").on_hover_text("Put another wire into the same files");
            more.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Add a wire to these files"));
            if more.clicked() {
                action = Some(SeriesAction::Pick((at, request.parts.len()), more.rect.left_bottom()));
            }
        }
        let look = theme::current(ui);
        match row.map(|row| (&row.items, &row.names)) {
            Some((Ok(_), names)) => {
                ui.add(egui::Label::new(RichText::new(names).color(look.dim)).truncate());
            }
            Some((Err(error), _)) => {
                ui.add(egui::Label::new(markup::label(ui, "", error, look.error)).wrap());
            }
            None => {}
        }
    });
    if joined && !joins && !formats.is_empty() {
        let holding: Vec<&str> = formats.iter().map(|format| format.title).collect();
        let text = format!("Formats that hold these wires in one file: {}", holding.join(", "));
        ui.add(egui::Label::new(RichText::new(text).color(theme::current(ui).dim)).wrap());
    }
    action
}

/// The name of a wire in its files.
fn name(ui: &mut Ui, part: &mut NamedWire, number: usize) {
    let mut text = part.name.clone().unwrap_or_default();
    let field = TextEdit::singleline(&mut text).hint_text(usual_name(&part.wire)).desired_width(NAME);
    let field = ui.add(field).on_hover_text("Its name in the files; that of the first wire is the name of the files");
    let label = format!("Name of {} in files {number}", part.wire);
    field.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, &label));
    if field.changed() {
        // What separates the parts of a row as text.
        text.retain(|c| !"+=:/\\{}".contains(c) && !c.is_control());
        part.name = Some(text).filter(|text| !text.trim().is_empty());
    }
}

fn choose_format(ui: &mut Ui, chosen: Option<&mut &'static Format>, fitting: &[&'static Format], number: usize) {
    let Some(chosen) = chosen else { return };
    let list = ComboBox::from_id_salt("format").width(FORMAT).height(480.0).selected_text(chosen.title);
    let shown = list.show_ui(ui, |ui| {
        for format in FORMATS.iter().filter(|format| fitting.contains(format)) {
            if ui.selectable_label(*format == **chosen, format.title).on_hover_text(format.about).clicked() {
                *chosen = format;
            }
        }
    });
    let label = format!("Format {number}: {}", chosen.title);
    shown.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::ComboBox, true, &label));
    shown.response.on_hover_text(chosen.about);
}

impl WirePicker {
    /// The wires `near` come first.
    fn new(place: WirePlace, at: Pos2, found: &SurveyedGraph, near: &[String]) -> WirePicker {
        let is_near = |wire: &&Exportable| near.contains(&wire.name) || near.contains(&wire.node);
        let (first, others): (Vec<&Exportable>, Vec<&Exportable>) = found.wires.iter().partition(is_near);
        let item = |wire: &Exportable, near: bool| Item {
            title: wire.name.clone(),
            group: group(wire, near).into(),
            words: wire.kind.to_string(),
            note: wire.about.clone(),
            doc: String::new(),
            color: None,
            enabled: true,
        };
        let preferred = first.len();
        let mut listed: Vec<(&Exportable, bool)> = first.into_iter().map(|wire| (wire, true)).collect();
        let mut others: Vec<(&Exportable, bool)> = others.into_iter().map(|wire| (wire, false)).collect();
        // A stable order of the groups.
        others.sort_by_key(|(wire, _)| (wire.kind != Kind::Image, wire.is_statistic(), !wire.state));
        listed.append(&mut others);
        let wires = listed.iter().map(|(wire, _)| wire.name.clone()).collect();
        let items = listed.into_iter().map(|(wire, near)| item(wire, near)).collect();
        WirePicker {
            place,
            wires,
            picker: Picker::new(at, "Find an Output, a wire or a number", items).preferring(preferred),
        }
    }

    /// Draws the list, and changes the row once a wire is chosen. Returns whether it is over.
    pub(super) fn show(&mut self, ctx: &egui::Context, requests: &mut Vec<Request>, found: &SurveyedGraph) -> bool {
        let chosen = match self.picker.show(ctx) {
            Answer::Open => return false,
            Answer::Closed => return true,
            Answer::Chosen(index) => self.wires.get(index),
        };
        let Some(wire) = chosen else { return true };
        let (row, part) = self.place;
        match requests.get_mut(row) {
            None => requests.push(found.request(wire)),
            Some(request) => {
                match request.parts.get_mut(part) {
                    Some(named) if named.wire == *wire => return true,
                    Some(named) => *named = NamedWire { name: None, wire: wire.clone() },
                    None => request.parts.push(NamedWire { name: None, wire: wire.clone() }),
                }
                // Another kind of wire has formats of its own.
                if request.parts.len() == 1 && !found.fits(request) {
                    *request = found.request(wire);
                }
            }
        }
        true
    }
}

fn group(wire: &Exportable, near: bool) -> &'static str {
    match (near, wire.kind) {
        (true, _) => "selected and in view",
        (_, Kind::Image) => "Outputs",
        _ if wire.is_statistic() => "statistics",
        _ if wire.state => "States",
        _ => "wires",
    }
}
