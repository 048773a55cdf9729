//! Three hints for the first start, each beside its subject until it is dismissed.

use std::collections::BTreeMap;

use eframe::egui::{self, Align2, Id, Order, Rect, RichText, vec2};

use crate::commands::command::Command;
use crate::model::pane::Pane;
use crate::toolkit::theme;

/// A hint: its subject, its title and its text, and commands with what their keys do.
struct Hint {
    about: Pane,
    title: &'static str,
    text: &'static str,
    keys: &'static [(Command, &'static str)],
}

const HINTS: [Hint; 3] = [
    Hint {
        about: Pane::View(0),
        title: "The simulation is running",
        text: "Drag in the image to stir it.",
        keys: &[(Command::Play, "plays and pauses")],
    },
    Hint {
        about: Pane::Graph,
        title: "This is its graph",
        text: "Click a wire or a port to view its values.",
        keys: &[(Command::AddNode, "adds a node"), (Command::Commands, "finds any command")],
    },
    Hint {
        about: Pane::Inspector,
        title: "Change anything",
        text: "Select a node to edit its values. The Code pane shows its WGSL: make a local copy, edit it, and the image updates.",
        keys: &[],
    },
];

impl Hint {
    /// Text of a hint with the keys in force; a command without keys is left out.
    fn text(&self, ctx: &egui::Context) -> String {
        let keys = self.keys.iter().map(|(command, does)| (command.shortcut_text(ctx), does));
        let keys: Vec<String> =
            keys.filter(|(keys, _)| !keys.is_empty()).map(|(keys, does)| format!("{keys} {does}")).collect();
        if keys.is_empty() { self.text.into() } else { format!("{} {}.", self.text, keys.join(", ")) }
    }
}

/// Where panes are.
#[derive(Default)]
pub(crate) struct Hints {
    places: BTreeMap<u8, Rect>,
}

impl Hints {
    /// Notes where a pane is, so that its hint stands there.
    pub(crate) fn place(&mut self, pane: Pane, rect: Rect) {
        if let Some(number) = HINTS.iter().position(|hint| hint.about == pane) {
            self.places.insert(number as u8, rect);
        }
    }

    /// Draws the hints that are not `seen` yet. Returns the one that was dismissed.
    pub(crate) fn show(&mut self, ctx: &egui::Context, seen: impl Fn(u8) -> bool) -> Option<u8> {
        let mut away = None;
        for (number, hint) in (0u8..).zip(&HINTS) {
            let (title, text) = (hint.title, hint.text(ctx));
            let Some(place) = self.places.remove(&number).filter(|_| !seen(number)) else { continue };
            let at = place.center_bottom() - vec2(0.0, 14.0);
            let area = egui::Area::new(Id::new(("hint", number))).order(Order::Middle);
            area.pivot(Align2::CENTER_BOTTOM).fixed_pos(at).constrain_to(place).show(ctx, |ui| {
                let look = theme::current(ui);
                let frame = egui::Frame::popup(ui.style()).inner_margin(12).stroke(egui::Stroke::new(1.0, look.accent));
                frame.show(ui, |ui| {
                    ui.set_width((place.width() - 60.0).clamp(160.0, 330.0));
                    ui.label(RichText::new(title).strong().color(look.accent));
                    ui.label(text);
                    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                        let button = ui.button("Got it");
                        let name = format!("Got it: {title}");
                        button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &name));
                        if button.clicked() {
                            away = Some(number);
                        }
                    });
                });
            });
        }
        away
    }
}
