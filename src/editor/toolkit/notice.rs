//! A message that is shown until it is dismissed or some time has passed.

use std::time::{Duration, Instant};

use eframe::egui::{self, RichText};

use super::{markup, theme};
use crate::printable;
use crate::toolkit::row;

/// How long messages stay that are not errors.
const STAY: Duration = Duration::from_secs(4);

/// A message over the panes, so that nothing moves under the pointer. Errors stay until they are dismissed.
pub(crate) struct Notice {
    text: String,
    error: bool,
    since: Instant,
}

/// Tells the user something from deep inside a pane.
pub(crate) fn tell(ctx: &egui::Context, text: String) {
    ctx.data_mut(|data| data.insert_temp(egui::Id::new("told"), text));
}

impl Notice {
    /// What was told since the last call.
    pub(crate) fn take(ctx: &egui::Context) -> Option<Notice> {
        let text = ctx.data_mut(|data| data.remove_temp::<String>(egui::Id::new("told")))?;
        Some(Notice::new(text, false))
    }

    pub(crate) fn new(text: String, error: bool) -> Notice {
        let text = printable::lines(&printable::cut(&text)).into_owned();
        Notice { text, error, since: Instant::now() }
    }

    /// Draws it. Returns whether it is over.
    pub(crate) fn show(&self, ctx: &egui::Context) -> bool {
        let mut over = !self.error && self.since.elapsed() > STAY;
        let color = if self.error { theme::current_in(ctx).error } else { theme::current_in(ctx).accent };
        let area = egui::Area::new(egui::Id::new("notice")).order(egui::Order::Foreground);
        area.anchor(egui::Align2::CENTER_TOP, egui::vec2(0.0, theme::BAR_HEIGHT + 12.0)).show(ctx, |ui| {
            let frame = egui::Frame::popup(ui.style()).inner_margin(egui::Margin::symmetric(12, 8));
            frame.stroke(egui::Stroke::new(1.0, color)).show(ui, |ui| {
                ui.horizontal(|ui| {
                    ui.set_max_width(0.6 * ctx.content_rect().width());
                    over |=
                        row::small(ui, RichText::new("✖").color(theme::current(ui).dim), true, "dismiss", "Dismiss");
                    ui.add(egui::Label::new(markup::label(ui, "", &self.text, color)).wrap());
                });
            });
        });
        if !self.error {
            ctx.request_repaint_after(STAY);
        }
        over
    }
}
