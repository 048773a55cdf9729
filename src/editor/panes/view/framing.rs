//! How an image lies in its pane: fitted, or zoomed and moved by hand.

use eframe::egui::{self, PointerButton, Rect, Response, Ui, Vec2, vec2};

use super::widgets::{choice, on_pixels};

/// Margin around a fitted image \[points\].
const MARGIN: f32 = 12.0;
const ZOOM: std::ops::RangeInclusive<f32> = 0.05..=64.0;

/// Zoom and position; the image is fitted if there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Framing(Option<Manual>);

#[derive(Clone, Copy, Debug, PartialEq)]
struct Manual {
    /// Screen pixels per image pixel.
    zoom: f32,
    /// Centre of the image, relative to the centre of the pane \[points\].
    center: Vec2,
}

impl Framing {
    /// Fits the image to the pane.
    pub(crate) fn fit(&mut self) {
        self.0 = None;
    }

    /// Shows one image pixel per screen pixel.
    pub(crate) fn actual_size(&mut self) {
        self.0 = Some(Manual { zoom: 1.0, center: Vec2::ZERO });
    }

    pub(crate) fn buttons(&mut self, ui: &mut Ui) {
        let zoom = self.0.map(|manual| manual.zoom);
        if let Some(zoom) = zoom.filter(|zoom| *zoom != 1.0) {
            ui.label(egui::RichText::new(format!("{:.0} %", 100.0 * zoom)).small());
        }
        if choice(ui, zoom == Some(1.0), "1:1", "Actual size: one image pixel per screen pixel").clicked() {
            self.actual_size();
        }
        if choice(ui, zoom.is_none(), "Fit", "Fit the image to the view (double-click)").clicked() {
            self.fit();
        }
    }

    /// The wheel zooms at the pointer; the middle button, or Alt, moves. `pixels`: the image's size at 1:1 \[points\].
    /// `camera`: the wheel without Ctrl controls the camera.
    pub(crate) fn navigate(&mut self, ui: &Ui, response: &Response, room: Rect, pixels: Vec2, camera: bool) {
        let alt = ui.input(|input| input.modifiers.alt);
        let held = response.dragged_by(PointerButton::Middle) || (alt && response.dragged_by(PointerButton::Primary));
        let now = self.0.unwrap_or(Manual { zoom: fitting(room, pixels), center: Vec2::ZERO });
        if held {
            self.0 = Some(Manual { center: now.center + response.drag_delta(), ..now });
            ui.ctx().set_cursor_icon(egui::CursorIcon::Grabbing);
        }
        if response.double_clicked_by(PointerButton::Middle) {
            self.fit();
        }
        if !response.contains_pointer() || (camera && !ui.input(|input| input.modifiers.command)) {
            return;
        }
        let (wheel, pinch, pointer) = ui.input_mut(|input| {
            (std::mem::take(&mut input.smooth_scroll_delta).y, input.zoom_delta(), input.pointer.latest_pos())
        });
        let factor = (wheel * 0.003).exp() * pinch;
        if let (Some(pointer), true) = (pointer, factor != 1.0) {
            let zoom = (now.zoom * factor).clamp(*ZOOM.start(), *ZOOM.end());
            let local = pointer - room.center();
            self.0 = Some(Manual { zoom, center: local - (local - now.center) * (zoom / now.zoom) });
        }
    }

    /// The rectangle of the image.
    pub(crate) fn place(&mut self, ui: &Ui, room: Rect, pixels: Vec2) -> Rect {
        let Some(manual) = &mut self.0 else {
            return Rect::from_center_size(room.center(), pixels * fitting(room, pixels));
        };
        // A part of it stays visible.
        let reach = 0.5 * (room.size() + pixels * manual.zoom) - vec2(40.0, 40.0);
        manual.center = manual.center.clamp(-reach.max(Vec2::ZERO), reach.max(Vec2::ZERO));
        let size = pixels * manual.zoom;
        let corner = on_pixels(ui, room.center().to_vec2() + manual.center - 0.5 * size);
        Rect::from_min_size(corner.to_pos2(), size)
    }
}

fn fitting(room: Rect, pixels: Vec2) -> f32 {
    let inner = (room.size() - vec2(2.0, 2.0) * MARGIN).max(vec2(1.0, 1.0));
    (inner.x / pixels.x).min(inner.y / pixels.y)
}
