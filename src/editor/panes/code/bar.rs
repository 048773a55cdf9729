//! The bars above and below a stage's text: its origin with buttons, and its problems.

use eframe::egui::{self, Id, RichText, Ui};

use super::field::Mark;
use super::{ShownText, Text, TextPlace, Wish};
use crate::commands::command::Command;
use crate::model::session::Session;
use crate::problem::{Severity, SourcePlace};
use crate::stage::header;
use crate::toolkit::{markup, theme};

/// Maximum height of the list of problems \[points\].
const STRIP: f32 = 84.0;

/// The origin of the text, with buttons. Returns the button that was clicked, and the widget that names the text.
pub(super) fn top(ui: &mut Ui, session: &Session, subject: &ShownText, text: &Text) -> (Option<Wish>, Id) {
    let mut wish = None;
    let bar = egui::Panel::top("code bar").exact_size(theme::BAR_HEIGHT).frame(theme::bar(ui));
    let label = bar.show(ui, |ui| {
        let row = ui.horizontal_centered(|ui| {
            let look = theme::current(ui);
            let title = match &subject.shared {
                Some(name) => format!("Shared functions {name}"),
                None => format!("WGSL of {}", subject.path),
            };
            let label = ui.label(RichText::new(title).strong()).id;
            if subject.shared.is_some() && ui.button("Back to the stage").clicked() {
                wish = Some(Wish::Show(None));
            }
            uses(ui, session, subject, text, &mut wish);
            match &subject.place {
                TextPlace::Node(_) | TextPlace::Shared(_) => {
                    ui.label(RichText::new("Stored in the graph").color(look.dim));
                    let (state, color) = state(session, &subject.path, text, look);
                    ui.label(RichText::new(state).color(color));
                }
                TextPlace::BuiltIn(name) => {
                    ui.label(RichText::new("Built-in").color(look.dim)).on_hover_text(name);
                    make_local_copy(ui, subject, &mut wish);
                }
                TextPlace::File(name, _) => file(ui, session, (subject, name), text, &mut wish),
            }
            label
        });
        row.inner
    });
    (wish, label.inner)
}

/// The shared files that the text uses.
fn uses(ui: &mut Ui, session: &Session, subject: &ShownText, text: &Text, wish: &mut Option<Wish>) {
    let (header, _) = header::read(&text.now);
    if header.uses.is_empty() {
        return;
    }
    let of_graph = |name: &str| subject.custom && session.document().shared.contains_key(name);
    ui.menu_button("Uses", |ui| {
        for used in header.uses {
            let name = used.name;
            if of_graph(&name) || session.library().is_shared(&name) {
                if ui.button(&name).clicked() {
                    *wish = Some(Wish::Show(Some(name)));
                    ui.close();
                }
            } else if subject.custom && ui.button(format!("Create {name} in the graph")).clicked() {
                *wish = Some(Wish::Create(name));
                ui.close();
            }
        }
    })
    .response
    .on_hover_text("Open the files of functions that the text uses");
}

fn make_local_copy(ui: &mut Ui, subject: &ShownText, wish: &mut Option<Wish>) {
    // Only Custom stages see what the graph stores.
    if subject.shared.is_some() && !subject.custom {
        return;
    }
    let hint = "Copies the code into the graph so that you can edit it; wires and values stay";
    if ui.button("Make local copy").on_hover_text(hint).clicked() {
        *wish = Some(Wish::MakeLocalCopy);
    }
}

fn file(ui: &mut Ui, session: &Session, (subject, name): (&ShownText, &str), text: &Text, wish: &mut Option<Wish>) {
    let look = theme::current(ui);
    if let Some(file) = session.library().file(name) {
        let short = file.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let from = ui.label(RichText::new(format!("From {short}")).color(look.dim));
        from.on_hover_text(file.path.display().to_string());
        if ui.button("Open in external editor").clicked() {
            *wish = Some(Wish::OpenElsewhere(file.path.clone()));
        }
    }
    let hint = Command::Save.hint(ui.ctx(), "Write the file");
    if ui.add_enabled(text.changed(), egui::Button::new("Save")).on_hover_text(hint).clicked() {
        *wish = Some(Wish::Save);
    }
    let back = egui::Button::new("Revert");
    if ui.add_enabled(text.changed(), back).on_hover_text("Discard changes and show the text of the file").clicked() {
        *wish = Some(Wish::TakeBack);
    }
    make_local_copy(ui, subject, wish);
    if text.overtaken {
        let label = ui.label(RichText::new("The file changed on disk").color(look.warning));
        label.on_hover_text("Save overwrites the file on disk; Revert loads it");
    }
}

/// Whether the text on screen is the one that runs.
fn state(session: &Session, path: &str, text: &Text, look: &theme::Look) -> (&'static str, egui::Color32) {
    if text.changed() || session.compiling() {
        return ("Compiling…", look.faint);
    }
    let errors =
        session.problems().filter(|problem| problem.node == path).map(|problem| problem.severity == Severity::Error);
    match (errors.max(), session.broken()) {
        (Some(true), true) if session.running_simulation().is_some() => {
            ("Errors: running the last valid version", look.error)
        }
        (Some(true), _) => ("Errors: not running", look.error),
        (_, true) => ("Waiting: errors elsewhere in the graph", look.warning),
        (Some(false), false) => ("Running, with warnings", look.warning),
        (None, false) => ("Running", look.accent),
    }
}

/// The problems. Returns the place of the one that was clicked.
pub(super) fn bottom(ui: &mut Ui, marks: &[Mark]) -> Option<SourcePlace> {
    if marks.is_empty() {
        return None;
    }
    let mut chosen = None;
    let strip = egui::Panel::bottom("code problems").frame(theme::bar(ui));
    strip.show(ui, |ui| {
        let list = egui::ScrollArea::vertical().max_height(STRIP).auto_shrink([false, true]);
        list.show(ui, |ui| marks.iter().for_each(|mark| row(ui, mark, &mut chosen)));
    });
    chosen
}

fn row(ui: &mut Ui, mark: &Mark, chosen: &mut Option<SourcePlace>) {
    let look = theme::current(ui);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(6.0, 2.0);
        let (icon, color) = if mark.error { ("⊗", look.error) } else { ("⚠", look.warning) };
        ui.label(RichText::new(icon).color(color));
        if let Some(place) = mark.place {
            let link = egui::Link::new(RichText::new(format!("Line {}:{}", place.line, place.column)).monospace());
            if ui.add(link).on_hover_text("Go to line").clicked() {
                *chosen = Some(place);
            }
        }
        ui.label(markup::label(ui, "", &mark.sentence, ui.visuals().text_color()));
    });
}
