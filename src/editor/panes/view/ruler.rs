//! A ruler over a plane: a drag measures the distance between two points.

use eframe::egui::{self, PointerButton, Pos2, Rect, Response, Ui};

use super::handles::{outlined, paint_numbers};
use super::projection::{Point, length, minus};
use super::scene::Space;
use super::ticks::number;
use crate::toolkit::theme;

/// Two points whose distance is shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ruler {
    pub on: bool,
    /// In the world \[m\].
    ends: Option<[Point; 2]>,
}

impl Ruler {
    /// A drag sets both ends. With Ctrl they are corners of cells.
    pub(super) fn measure(&mut self, ui: &Ui, response: &Response, space: &Space) {
        let (origin, modifiers) = ui.input(|input| (input.pointer.press_origin(), input.modifiers));
        if !response.dragged_by(PointerButton::Primary) || modifiers.alt {
            return;
        }
        let corner = space.projection.rect().left_bottom();
        let world = |place: Pos2| {
            let at = space.projection.moved([0.0; 3], place - corner);
            let cell = space.extent.cell;
            if modifiers.command || modifiers.ctrl { at.map(|part| (part / cell).round() * cell) } else { at }
        };
        self.ends = origin.zip(response.interact_pointer_pos()).map(|(from, to)| [from, to].map(world));
    }

    pub(super) fn draw(&self, ui: &Ui, space: &Space, room: Rect) {
        let look = theme::current(ui);
        let painter = ui.painter().with_clip_rect(room);
        let Some(ends) = self.ends else {
            let at = space.projection.rect().left_top();
            paint_numbers(&painter, ui, look, at, "Drag to measure");
            return;
        };
        let [Some(from), Some(to)] = ends.map(|end| space.projection.place(end)) else { return };
        outlined(&painter, look, &[from, to], look.warning);
        let across = if to == from { egui::Vec2::ZERO } else { 6.0 * (to - from).normalized().rot90() };
        for end in [from, to] {
            outlined(&painter, look, &[end - across, end + across], look.warning);
        }
        let by = minus(ends[1], ends[0]);
        let parts = ["dx", "dy", "dz"].into_iter().zip(by).take(space.extent.dim as usize);
        let parts: Vec<String> = parts.map(|(name, part)| format!("{name} {}", number(part))).collect();
        let text = format!("{} m\n{}", number(length(by)), parts.join("  "));
        paint_numbers(&painter, ui, look, to, &text);
        let named = ui.interact(
            Rect::from_center_size(to, egui::Vec2::splat(1.0)),
            ui.id().with("ruler"),
            egui::Sense::hover(),
        );
        named.widget_info(|| {
            egui::WidgetInfo::labeled(egui::WidgetType::Other, true, format!("ruler {}", text.replace('\n', "  ")))
        });
    }
}
