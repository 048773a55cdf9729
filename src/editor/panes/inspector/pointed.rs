//! A row that is pointed out: it is scrolled to and highlighted for a moment.

use eframe::egui::{self, Align, Id, Rect, Stroke, StrokeKind, Ui};

use crate::toolkit::theme;

/// How long a row is highlighted \[s\].
const STAYS: f64 = 2.0;

/// The row, and since when it has been highlighted.
#[derive(Clone, Copy)]
struct Pointed {
    row: Id,
    since: Option<f64>,
}

fn key() -> Id {
    Id::new("pointed out row")
}

/// Asks for a row to be pointed out.
pub(super) fn ask(ctx: &egui::Context, row: Id) {
    ctx.data_mut(|data| data.insert_temp(key(), Pointed { row, since: None }));
}

/// Whether a row is to be pointed out and has not been drawn since.
pub(super) fn is_asked_for(ctx: &egui::Context, row: Id) -> bool {
    let pointed = ctx.data(|data| data.get_temp::<Pointed>(key()));
    pointed.is_some_and(|pointed| pointed.row == row && pointed.since.is_none())
}

/// Draws the highlight of a row, if it is the one.
pub(super) fn mark(ui: &Ui, row: Id, rect: Rect) {
    let Some(pointed) = ui.data(|data| data.get_temp::<Pointed>(key())).filter(|pointed| pointed.row == row) else {
        return;
    };
    let now = ui.input(|input| input.time);
    let since = pointed.since.unwrap_or(now);
    let left = 1.0 - (now - since) / STAYS;
    if left <= 0.0 {
        ui.data_mut(|data| data.remove::<Pointed>(key()));
        return;
    }
    if pointed.since.is_none() {
        ui.scroll_to_rect(rect, Some(Align::Center));
        ui.data_mut(|data| data.insert_temp(key(), Pointed { row, since: Some(since) }));
    }
    let color = theme::current(ui).accent.gamma_multiply((2.0 * left).min(1.0) as f32);
    let highlight = rect.expand(2.0);
    ui.painter().rect(highlight, 4.0, color.gamma_multiply(0.12), Stroke::new(1.5, color), StrokeKind::Inside);
    let name = egui::WidgetInfo::labeled(egui::WidgetType::Other, true, "pointed out");
    ui.interact(highlight, row.with("pointed"), egui::Sense::hover()).widget_info(|| name.clone());
    ui.ctx().request_repaint();
}
