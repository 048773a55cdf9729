//! Three hints for the first start, each beside its subject until it is dismissed.

use std::collections::BTreeMap;

use eframe::egui::{self, Align2, Id, Order, Rect, RichText, vec2};

use super::panes::Pane;
use super::theme;

/// The subject of each hint, and its text.
const HINTS: [(Pane, &str, &str); 3] = [
    (Pane::View(0), "The simulation is running", "Drag in the image to stir it. Space plays and pauses."),
    (
        Pane::Graph,
        "This is its graph",
        "Click a wire or a port to view its values. Tab adds a node, Ctrl+P finds any command.",
    ),
    (
        Pane::Inspector,
        "Change anything",
        "Select a node to edit its values. The Code pane shows its WGSL: make a local copy, edit it, and the image updates.",
    ),
];

/// Where panes are.
#[derive(Default)]
pub(super) struct Hints {
    places: BTreeMap<u8, Rect>,
}

impl Hints {
    /// Notes where a pane is, so that its hint stands there.
    pub(super) fn place(&mut self, pane: Pane, rect: Rect) {
        if let Some(number) = HINTS.iter().position(|(about, ..)| *about == pane) {
            self.places.insert(number as u8, rect);
        }
    }

    /// Draws the hints that are not `seen` yet. Returns the one that was dismissed.
    pub(super) fn show(&mut self, ctx: &egui::Context, seen: impl Fn(u8) -> bool) -> Option<u8> {
        let mut away = None;
        for (number, (_, title, text)) in (0u8..).zip(HINTS) {
            let Some(place) = self.places.remove(&number).filter(|_| !seen(number)) else { continue };
            let at = place.center_bottom() - vec2(0.0, 14.0);
            let area = egui::Area::new(Id::new(("hint", number))).order(Order::Middle);
            area.pivot(Align2::CENTER_BOTTOM).fixed_pos(at).constrain_to(place).show(ctx, |ui| {
                let look = theme::of(ui);
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
