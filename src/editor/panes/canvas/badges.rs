//! The badge of a node whose wires are baked.

use eframe::egui::{CornerRadius, FontId, Rect, Ui, pos2, vec2};

use super::view::NodeView;
use crate::panes::bake::color;
use crate::toolkit::theme::Look;

/// Height of its text, and the least one that can be read \[points\].
const TEXT: f32 = 10.0;
const READABLE: f32 = 7.0;

impl NodeView {
    /// Draws the badge above the upper right corner: how the bake stands, or a dot where nodes are small.
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
}
