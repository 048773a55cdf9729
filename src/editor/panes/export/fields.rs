//! The fields of the export dialog.

use std::path::PathBuf;
use std::sync::mpsc::Receiver;

use eframe::egui::{self, Id, RichText, Ui};

use super::NAMES;
use crate::background::answer;
use crate::document::{ExportPreset, ParamValue};
use crate::export::place::{ExportPlace, OF_SERIES, TOKENS};
use crate::export::select::DEFAULT_NAMES;
use crate::export::settings::{self, Setting, Values};
use crate::toolkit::number::number_field;
use crate::toolkit::theme;

/// Largest side of an image \[pixels\].
const LARGEST: u32 = 16_384;
/// Frames between checkpoints, unless others are chosen.
const CHECKPOINTS: u64 = 100;

/// A name and its widgets, which are labelled by the name.
pub(super) fn row(ui: &mut Ui, name: &str, widgets: impl FnOnce(&mut Ui, Id)) {
    ui.horizontal(|ui| {
        let label = ui.allocate_ui(egui::vec2(NAMES, 22.0), |ui| {
            ui.set_min_width(NAMES);
            ui.label(RichText::new(name).color(theme::current(ui).dim)).id
        });
        widgets(ui, label.inner);
    });
}

pub(super) fn frame_range(ui: &mut Ui, preset: &mut ExportPreset, fps: f64, timeline: Option<(u64, u64)>) {
    row(ui, "Frames", |ui, _| {
        let (first, last) = &mut preset.frames;
        let label = ui.label("from").id;
        ui.add(number_field(ui, first).range(1..=u64::MAX)).labelled_by(label);
        let label = ui.label("to").id;
        ui.add(number_field(ui, last).range(*first..=u64::MAX)).labelled_by(label);
        let seconds = last.saturating_add(1).saturating_sub(*first) as f64 / fps;
        let label = ui.label("step").id;
        value(ui, label, &settings::EVERY, preset);
        ui.label(RichText::new(format!("{seconds:.1} s")).color(theme::current(ui).dim));
        if let Some(range) = timeline {
            let (from, to) = range;
            let hint = "The loop of the timeline, or else all frames computed so far";
            let text = format!("Timeline: {from} to {to}");
            if ui.small_button(text).on_hover_text(hint).clicked() {
                preset.frames = range;
            }
        }
    });
    if preset.frames.0 > 1 {
        let text = "Earlier frames are computed too, because each frame depends on the one before.";
        ui.add(egui::Label::new(RichText::new(text).color(theme::current(ui).faint)).wrap());
    }
}

pub(super) fn size(ui: &mut Ui, chosen: &mut Option<(u32, u32)>, output_size: (u32, u32), fitting: Option<(u32, u32)>) {
    let mut custom = chosen.is_some();
    if ui.checkbox(&mut custom, "Custom size").on_hover_text("If off, the size of the Output node").changed() {
        *chosen = custom.then_some(output_size);
    }
    match chosen {
        Some((width, height)) => {
            let label = ui.label("width").id;
            ui.add(number_field(ui, width).range(1..=LARGEST)).labelled_by(label);
            let label = ui.label("height").id;
            ui.add(number_field(ui, height).range(1..=LARGEST)).labelled_by(label);
            if let Some(fits) = fitting {
                let text = format!("Stretches the image. {} × {} keeps its aspect ratio", fits.0, fits.1);
                ui.label(RichText::new(text).color(theme::current(ui).warning));
            }
        }
        None => drop(
            ui.label(RichText::new(format!("{} × {}", output_size.0, output_size.1)).color(theme::current(ui).dim)),
        ),
    }
}

/// A setting of a format. What is the default is not kept.
pub(super) fn value(ui: &mut Ui, label: Id, setting: &Setting, preset: &mut ExportPreset) {
    let current = preset.settings.get(setting.name);
    let number = |default: f64| match current {
        Some(ParamValue::Number(number)) => *number,
        _ => default,
    };
    let changed = match setting.values {
        Values::Number(default, [least, most]) => {
            let mut value = number(default);
            let field = number_field(ui, &mut value).range(least..=most).speed(0.001).max_decimals(6);
            let changed = ui.add(field).labelled_by(label).on_hover_text(setting.about).changed();
            changed.then(|| Some(ParamValue::Number(value)).filter(|_| value != default))
        }
        Values::Whole(default, [least, most]) => {
            let mut value = number(f64::from(default)) as u32;
            let field = number_field(ui, &mut value).range(least..=most);
            let changed = ui.add(field).labelled_by(label).on_hover_text(setting.about).changed();
            changed.then(|| Some(ParamValue::Number(f64::from(value))).filter(|_| value != default))
        }
        Values::Flag => {
            let mut on = matches!(current, Some(ParamValue::Bool(true)));
            let changed = ui.checkbox(&mut on, "").labelled_by(label).on_hover_text(setting.about).changed();
            changed.then(|| on.then_some(ParamValue::Bool(true)))
        }
        Values::Tiles(usual) => tiles(ui, setting, current, usual),
    };
    match changed {
        Some(Some(value)) => drop(preset.settings.insert(setting.name.into(), value)),
        Some(None) => drop(preset.settings.remove(setting.name)),
        None => {}
    }
}

/// Columns and rows. Returns the new value, where it changes.
fn tiles(ui: &mut Ui, setting: &Setting, current: Option<&ParamValue>, usual: [u32; 2]) -> Option<Option<ParamValue>> {
    let mut sides = match current {
        Some(ParamValue::Vector(sides)) => Some(sides.clone()),
        _ => None,
    };
    let mut custom = sides.is_some();
    if ui.checkbox(&mut custom, "choose").on_hover_text(setting.about).changed() {
        let chosen = custom.then(|| ParamValue::Vector(usual.map(f64::from).to_vec()));
        return Some(chosen);
    }
    let mut changed = false;
    for (side, name) in sides.iter_mut().flatten().zip(["columns", "rows"]) {
        let label = ui.label(name).id;
        changed |= ui.add(number_field(ui, side).range(1.0..=1024.0).max_decimals(0)).labelled_by(label).changed();
    }
    let whole = |sides: Vec<f64>| ParamValue::Vector(sides.into_iter().map(f64::round).collect());
    changed.then(|| sides.map(whole))
}

/// Whether States are written beside the frames, and how often.
pub(super) fn checkpoints(ui: &mut Ui, chosen: &mut Option<u64>) {
    let hint = "Write all States beside the frames, so that a resumed export and other runs continue from there instead of computing them again";
    let mut some = chosen.is_some();
    if ui.checkbox(&mut some, "every").on_hover_text(hint).changed() {
        *chosen = some.then_some(CHECKPOINTS);
    }
    if let Some(every) = chosen {
        let field = ui.add(number_field(ui, every).range(1..=u64::MAX));
        field
            .widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::DragValue, true, "frames between checkpoints"));
        ui.label("frames");
    }
}

pub(super) fn choose_folder(
    ui: &mut Ui,
    label: Id,
    folder: &mut String,
    pending: &mut Option<Receiver<Option<PathBuf>>>,
) {
    let width = (ui.available_width() - 164.0).max(120.0);
    let hint =
        "A relative folder is beside the graph. Words in braces are tokens, such as {graph}, the name of its file";
    let field = egui::TextEdit::singleline(folder).desired_width(width);
    ui.add(field).labelled_by(label).on_hover_text(hint);
    if ui.add_enabled(pending.is_none(), egui::Button::new("Choose…")).clicked() {
        let (wake, start) = (ui.ctx().clone(), folder.clone());
        let pick = move || rfd::FileDialog::new().set_directory(start).pick_folder();
        // If no thread can be started, no answer comes, and a path can be typed.
        *pending = Some(answer("folder dialog", move || wake.request_repaint(), pick));
    }
}

/// A menu that adds a token to the folder.
pub(super) fn tokens(ui: &mut Ui, folder: &mut String, place: &ExportPlace, (first, last): (u64, u64)) {
    ui.menu_button("Tokens", |ui| {
        for (name, about) in TOKENS.iter().chain(&OF_SERIES) {
            let value = place.value(name, &(first..=last));
            let about = value.map_or_else(|| about.to_string(), |value| format!("{about}: {value}"));
            let shown = RichText::new(about.as_str()).color(theme::current(ui).faint);
            if ui.add(egui::Button::new(format!("{{{name}}}")).shortcut_text(shown)).clicked() {
                *folder += &format!("{{{name}}}");
                ui.close();
            }
        }
    });
}

pub(super) fn file_names(ui: &mut Ui, label: Id, names: &mut String) {
    let hint = "Tokens: {name} of the wire, {frame}, {format}, {graph} and others of the folder";
    let field = egui::TextEdit::singleline(names).hint_text(DEFAULT_NAMES).desired_width(240.0);
    ui.add(field).labelled_by(label).on_hover_text(hint);
}
