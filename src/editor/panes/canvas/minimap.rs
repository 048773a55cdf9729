//! The minimap: the whole level in a corner, with the part that is in view.

use eframe::egui::{self, CornerRadius, Pos2, Rect, Sense, Stroke, StrokeKind, Ui, Vec2, vec2};

use super::state::Canvas;
use crate::model::session::Session;
use crate::toolkit::theme;

const SIZE: Vec2 = vec2(190.0, 120.0);
const MARGIN: f32 = 12.0;
/// Opacity of the minimap while the pointer is elsewhere, since nodes may lie below it.
const FAINT: f32 = 0.4;

impl Canvas {
    /// Draws the map, transparent until the pointer is over it, and moves the view to where it is clicked. Nothing is drawn while all nodes
    /// are in view.
    pub(super) fn minimap(&mut self, ui: &Ui, session: &Session) {
        let nodes = self.bounds(session, |_| true);
        let view =
            Rect::from_min_size(((-self.view.pan) / self.view.zoom).to_pos2(), self.view.rect.size() / self.view.zoom);
        if !nodes.is_positive() || view.contains_rect(nodes) || self.view.rect.width() < 2.5 * SIZE.x {
            return;
        }
        let map = Rect::from_min_size(self.view.rect.max - SIZE - Vec2::splat(MARGIN), SIZE);
        let world = nodes.union(view);
        let scale = (SIZE / world.size()).min_elem();
        let corner = map.center() - 0.5 * world.size() * scale;
        let to_map = |at: Pos2| corner + (at - world.min) * scale;
        let rect_to_map = |r: Rect| Rect::from_two_pos(to_map(r.min), to_map(r.max));
        let look = theme::current(ui);
        let response = ui.interact(map, ui.id().with("minimap"), Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, "Minimap"));
        let used = response.hovered() || response.dragged();
        let shown = ui.ctx().animate_bool(response.id, used);
        let mut painter = ui.painter().with_clip_rect(map);
        painter.multiply_opacity(egui::lerp(FAINT..=1.0, shown));
        painter.rect(map, 4.0, look.panel.gamma_multiply(0.9), Stroke::new(1.0, look.line), StrokeKind::Inside);
        for (index, frame) in session.frames().iter().enumerate() {
            let Some(area) = self.shown_frame(session, index) else { continue };
            let color = frame.color.map_or(look.frame, theme::color);
            painter.rect_filled(rect_to_map(area), 1.0, color.gamma_multiply(0.35));
        }
        for name in self.level.signatures.keys() {
            let Some(area) = self.area(session, name) else { continue };
            let node = session.nodes().get(name);
            let color = match node.and_then(|node| node.color) {
                _ if session.selection.contains(name) => look.accent,
                Some(color) => theme::color(color),
                None => node.map_or(look.line, |node| look.kind(&node.kind)),
            };
            painter.rect_filled(rect_to_map(area).expand(0.5), CornerRadius::ZERO, color);
        }
        painter.rect_stroke(rect_to_map(view), 1.0, Stroke::new(1.0, look.text), StrokeKind::Inside);
        if let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked() || response.dragged()) {
            let target = world.min + (at - corner) / scale;
            self.view.pan = 0.5 * self.view.rect.size() - target.to_vec2() * self.view.zoom;
        }
    }
}
