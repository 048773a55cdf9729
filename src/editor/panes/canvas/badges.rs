//! Badges around a node: the state of its bake, a breakpoint, and where the debugger stands.

use eframe::egui::epaint::{CircleShape, RectShape};
use eframe::egui::{CornerRadius, FontId, Rect, Shape, Stroke, StrokeKind, Ui, pos2, vec2};

use super::view::{MARGIN, NodeView, TITLE_HEIGHT};
use crate::panes::bake::color;
use crate::toolkit::theme::Look;

/// Height of the text of a bake's badge, and the least one that can be read \[points\].
const TEXT: f32 = 10.0;
const READABLE: f32 = 7.0;

impl NodeView {
    /// Draws the badge of a bake above the upper right corner: how the bake stands, or a dot where nodes are small.
    pub(super) fn badge(&self, ui: &Ui, look: &Look, rect: Rect, zoom: f32) {
        let Some(state) = self.bake else { return };
        let color = color(state, look);
        if TEXT * zoom < READABLE {
            ui.painter().circle_filled(rect.right_top(), 3.5, color);
            return;
        }
        let text = ui.painter().layout_no_wrap(state.title().into(), FontId::proportional(TEXT * zoom), look.canvas);
        let size = text.size() + vec2(10.0, 3.0) * zoom;
        let corner = pos2(rect.right(), rect.top() - 2.0 * zoom);
        let pill = Rect::from_min_size(pos2(corner.x - size.x, corner.y - size.y), size);
        ui.painter().rect_filled(pill, CornerRadius::same((4.0 * zoom).round().clamp(1.0, 12.0) as u8), color);
        ui.painter().galley(pill.min + vec2(5.0, 1.5) * zoom, text, look.canvas);
    }

    /// A dot for a breakpoint, and an arrow with a frame where the debugger stands.
    pub(super) fn debug_marks(&self, look: &Look, rect: Rect, zoom: f32) -> Vec<Shape> {
        let mut shapes = Vec::new();
        let size = (7.0 * zoom).max(4.0);
        if self.next {
            let around = rect.expand(2.5);
            let stroke = Stroke::new((2.5 * zoom).max(2.0), look.warning);
            shapes.push(RectShape::stroke(around, CornerRadius::same(6), stroke, StrokeKind::Outside).into());
            let tip = pos2(rect.left() - size, rect.top() + (0.5 * TITLE_HEIGHT + MARGIN.y) * zoom);
            let back = tip.x - 1.6 * size;
            let corners = vec![tip, pos2(back, tip.y - size), pos2(back, tip.y + size)];
            shapes.push(Shape::convex_polygon(corners, look.warning, Stroke::NONE));
        }
        if self.breakpoint {
            let stroke = Stroke::new(1.5, look.canvas);
            shapes.push(CircleShape { center: rect.left_top(), radius: size, fill: look.error, stroke }.into());
        }
        shapes
    }
}
