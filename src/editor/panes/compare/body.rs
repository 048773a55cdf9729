//! The images: beside each other, behind a wipe, or as a difference. Zoom and position are shared.

use eframe::egui::{self, Align2, Color32, FontId, PointerButton, Pos2, Rect, Sense, Stroke, Ui, pos2, vec2};

use super::images::Which;
use super::pane::{ComparePane, Mode};
use crate::panes::view::{Orbits, turned};
use crate::toolkit::theme;

/// Between the images beside each other, and the part of the pane from which on they stand side by side and not below each other.
const GAP: f32 = 4.0;
const WIDE: f32 = 1.0;
/// How near to the line the pointer changes its form \[points\].
const NEAR: f32 = 8.0;
/// Radius of the mark of the greatest difference \[points\].
const MARK: f32 = 7.0;

impl ComparePane {
    /// Draws the images, or says why there are none.
    pub(super) fn body(&mut self, ui: &mut Ui) {
        let room = ui.available_rect_before_wrap();
        let comparable = self.measured.as_ref().is_some_and(|measured| measured.found.is_ok());
        let mode = if comparable { self.mode } else { Mode::Beside };
        let mut at = None;
        match mode {
            Mode::Beside => {
                let wide = room.width() >= WIDE * room.height();
                let (one, other) = match wide {
                    true => room.split_left_right_at_fraction(0.5),
                    false => room.split_top_bottom_at_fraction(0.5),
                };
                let cut = if wide { vec2(0.5 * GAP, 0.0) } else { vec2(0.0, 0.5 * GAP) };
                let rooms = [
                    (Which::A, Rect::from_min_max(one.min, one.max - cut)),
                    (Which::B, Rect::from_min_max(other.min + cut, other.max)),
                ];
                for (which, room) in rooms {
                    at = at.or(self.image(ui, room, &[which]));
                }
            }
            Mode::Wipe => at = self.image(ui, room, &[Which::A, Which::B]),
            Mode::Difference => at = self.image(ui, room, &[Which::Difference]),
        }
        if at != self.pointed {
            (self.pointed, self.redraw) = (at, true);
            ui.ctx().request_repaint();
        }
    }

    /// Draws one image, or two with a line between them. Returns where the pointer is in it, 0..1 from the lower left.
    fn image(&mut self, ui: &mut Ui, room: Rect, which: &[Which]) -> Option<[f32; 2]> {
        let shown: Vec<_> = which.iter().filter_map(|which| self.images.as_ref()?.shown(*which)).collect();
        // Both are drawn in the same place, whatever their resolutions.
        let (_, size) = *shown.first()?;
        let pixels = vec2(size[0] as f32, size[1] as f32) / ui.ctx().pixels_per_point();
        if !room.is_positive() || pixels.min_elem() <= 0.0 {
            return None;
        }
        let name = match which {
            [Which::A] => "image A",
            [Which::B] => "image B",
            [Which::Difference] => "image of the difference",
            _ => "image A and B",
        };
        let response = ui.interact(room, ui.id().with(name), Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Image, true, name));
        let height = self.framing.place(ui, room, pixels).height();
        let orbits = match self.view.camera {
            None => Orbits::No,
            Some(before) => match turned(ui, &response, height, before) {
                Some(now) => {
                    (self.view.camera, self.redraw) = (Some(now), true);
                    Orbits::Moved
                }
                None => Orbits::Still,
            },
        };
        self.framing.navigate(ui, &response, room, pixels, orbits != Orbits::No);
        let rect = self.framing.place(ui, room, pixels);
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        let painter = ui.painter().with_clip_rect(room);
        let pointer =
            ui.input(|input| input.pointer.latest_pos()).filter(|at| response.hovered() && rect.contains(*at));
        if let [(a, _), (b, _)] = shown.as_slice() {
            self.move_line(ui, &response, rect);
            let line = rect.left() + self.wipe * rect.width();
            let (left, right) = room.split_left_right_at_x(line.clamp(room.left(), room.right()));
            for (texture, part) in [(a, left), (b, right)] {
                painter.with_clip_rect(part).image(*texture, rect, whole, Color32::WHITE);
            }
            for (width, color) in [(3.0, theme::current(ui).ground), (1.0, theme::current(ui).accent)] {
                painter.vline(line, rect.y_range(), Stroke::new(width, color));
            }
            if pointer.is_some_and(|at| (at.x - line).abs() < NEAR) {
                ui.ctx().set_cursor_icon(egui::CursorIcon::ResizeHorizontal);
            }
            name_side(ui, room, "A", Align2::LEFT_TOP);
            name_side(ui, room, "B", Align2::RIGHT_TOP);
        } else {
            for (texture, _) in &shown {
                painter.image(*texture, rect, whole, Color32::WHITE);
            }
            match which {
                [Which::A] => name_side(ui, room, "A", Align2::LEFT_TOP),
                [Which::B] => name_side(ui, room, "B", Align2::LEFT_TOP),
                _ => {}
            }
        }
        self.mark(ui, room, rect);
        pointer.map(|at| [(at.x - rect.left()) / rect.width(), (rect.bottom() - at.y) / rect.height()])
    }

    /// The primary button moves the line.
    fn move_line(&mut self, ui: &Ui, response: &egui::Response, rect: Rect) {
        let alt = ui.input(|input| input.modifiers.alt);
        let held = response.dragged_by(PointerButton::Primary) || response.clicked();
        if let Some(at) = response.interact_pointer_pos().filter(|_| held && !alt) {
            self.wipe = ((at.x - rect.left()) / rect.width().max(1.0)).clamp(0.0, 1.0);
        }
    }

    /// Marks the cell where the difference is greatest, in two dimensions.
    fn mark(&self, ui: &Ui, room: Rect, rect: Rect) {
        let Some(found) = self.measured.as_ref().and_then(|measured| measured.found.as_ref().ok()) else { return };
        let place = found.statistics.place.as_ref().and_then(|place| place.cell);
        let domain = found.difference.domain().filter(|domain| domain.dim == 2);
        let Some(([x, y, _], [nx, ny, _])) = place.zip(domain.map(|domain| domain.resolution)) else { return };
        let share = |at: u32, of: u32| (at as f32 + 0.5) / of.max(1) as f32;
        let at = pos2(rect.left() + share(x, nx) * rect.width(), rect.bottom() - share(y, ny) * rect.height());
        let painter = ui.painter().with_clip_rect(room);
        for (width, color) in [(3.0, Color32::from_black_alpha(160)), (1.0, theme::current(ui).accent)] {
            painter.circle_stroke(at, MARK, Stroke::new(width, color));
        }
    }
}

/// Names a side in a corner of its image.
fn name_side(ui: &Ui, room: Rect, name: &str, corner: Align2) {
    let at: Pos2 = corner.pos_in_rect(&room.shrink(8.0));
    let painter = ui.painter().with_clip_rect(room);
    let place = corner.anchor_size(at, vec2(18.0, 18.0));
    painter.rect_filled(place, 3.0, Color32::from_black_alpha(150));
    painter.text(place.center(), Align2::CENTER_CENTER, name, FontId::proportional(12.0), Color32::WHITE);
}
