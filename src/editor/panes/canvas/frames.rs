//! Comment frames: titled boxes behind nodes. Dragging the title moves the frame with the nodes in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::epaint::RectShape;
use eframe::egui::{
    self, Align2, Color32, CornerRadius, FontId, Galley, Painter, Rect, Sense, Shape, Stroke, StrokeKind, Ui, vec2,
};

use super::gesture_state::Held;
use super::state::Canvas;
use super::text::{one_line, text_size};
use crate::document::{Document, Frame, Scope};
use crate::edit;
use crate::model::layout::{self, MIN_FRAME};
use crate::model::session::{Selection, Session};
use crate::toolkit::theme::{self, Look};

/// Height of the title and size of the resize corner, at zoom 1 \[points\].
const TITLE: f32 = 26.0;
const CORNER: f32 = 16.0;
/// Far out a title keeps this height \[points of the window\] while it leaves the nodes below it free: so much at zoom 1.
const LEAST_TITLE: f32 = 16.0;
const MOST_TITLE: f32 = 54.0;
/// The least size of a title's text \[points of the window\].
const LEAST_TEXT: f32 = 11.0;

impl Canvas {
    /// Where a frame is shown in the window.
    pub(super) fn frame_rect(&self, session: &Session, index: usize) -> Rect {
        let Some(area) = self.shown_frame(session, index) else { return Rect::NOTHING };
        let corner = self.view.rect.min + self.view.pan + area.min.to_vec2() * self.view.zoom;
        Rect::from_min_size(corner, area.size() * self.view.zoom)
    }

    /// All frames, to be painted behind everything else.
    pub(super) fn frame_shapes(&self, ui: &Ui, session: &Session) -> Shape {
        let look = theme::current(ui);
        let view = self.view.rect;
        let frames = session.frames().iter().enumerate();
        let seen = frames.map(|(index, frame)| (index, frame, self.frame_rect(session, index)));
        let shapes = seen.filter(|(_, _, rect)| rect.intersects(view));
        Shape::Vec(
            shapes
                .map(|(index, frame, rect)| self.shape(look, session.selection.frame == Some(index), frame, rect))
                .collect(),
        )
    }

    fn shape(&self, look: &Look, selected: bool, frame: &Frame, rect: Rect) -> Shape {
        let color = frame.color.map_or(look.frame, theme::color);
        let (ground, bar) = grounds(look, frame);
        let head = head(rect, self.view.zoom);
        let radius = (6.0 * self.view.zoom).clamp(2.0, 12.0) as u8;
        let (line, width) = if selected { (look.accent, 2.0) } else { (look.canvas.lerp_to_gamma(color, 0.6), 1.0) };
        let top = CornerRadius { nw: radius, ne: radius, sw: 0, se: 0 };
        let mut shapes = vec![
            RectShape::filled(rect, CornerRadius::same(radius), ground).into(),
            RectShape::filled(head, top, bar).into(),
            RectShape::stroke(rect, CornerRadius::same(radius), Stroke::new(width, line), StrokeKind::Outside).into(),
        ];
        if selected {
            let corner = Rect::from_min_max(rect.max - vec2(CORNER, CORNER) * self.view.zoom, rect.max);
            let points = vec![corner.right_top(), corner.right_bottom(), corner.left_bottom()];
            shapes.push(Shape::convex_polygon(points, look.accent, Stroke::NONE));
        }
        Shape::Vec(shapes)
    }

    /// The titles and texts of all frames, to be painted over the wires.
    pub(super) fn frame_titles(&self, ui: &Ui, session: &Session) -> Shape {
        let (look, zoom) = (theme::current(ui), self.view.zoom);
        let frames = session.frames().iter().enumerate();
        let seen = frames.map(|(index, frame)| (frame, self.frame_rect(session, index)));
        let titles = seen.filter(|(_, rect)| rect.intersects(self.view.rect)).map(|(frame, rect)| {
            let (ground, bar) = grounds(look, frame);
            let head = head(rect, zoom);
            let left = head.left() + inset(zoom);
            let plate =
                |at: Rect, color| RectShape::filled(at.expand2(vec2(2.0, 0.0)), CornerRadius::ZERO, color).into();
            let title = title(ui.painter(), &frame.title, look.text, head, zoom);
            let at = Align2::LEFT_CENTER.anchor_size(egui::pos2(left, head.center().y), title.size());
            let mut shapes = vec![plate(at.intersect(head), bar), Shape::galley(at.min, title, look.text)];
            if !frame.text.is_empty() && zoom > 0.4 {
                let font = FontId::proportional(text_size(12.0, zoom));
                let wrap = (rect.width() - 20.0 * zoom).max(20.0);
                let text = ui.painter().layout(frame.text.clone(), font, look.dim, wrap);
                let at = Rect::from_min_size(egui::pos2(left, head.bottom() + 6.0 * zoom), text.size());
                shapes.extend([plate(at, ground), Shape::galley(at.min, text, look.dim)]);
            }
            Shape::Vec(shapes)
        });
        Shape::Vec(titles.collect())
    }

    /// Selects, moves and resizes frames by their titles and lower right corners.
    pub(super) fn frames(&mut self, ui: &Ui, session: &mut Session) {
        let frames: Vec<(usize, String, Rect)> = session
            .frames()
            .iter()
            .enumerate()
            .map(|(index, frame)| (index, frame.title.clone(), self.frame_rect(session, index)))
            .filter(|(_, _, rect)| rect.intersects(self.view.rect))
            .collect();
        for (index, title, rect) in frames {
            let head = head(rect, self.view.zoom);
            let corner = Rect::from_min_max(rect.max - vec2(CORNER, CORNER) * self.view.zoom, rect.max);
            for (area, resize) in [(head, false), (corner, true)] {
                let over = ui.input(|i| i.pointer.interact_pos()).is_some_and(|at| self.node_at(at).is_some());
                let free = session.editable() && (!over || self.gesture.held_frame.is_some());
                let id = ui.id().with(("frame", index, resize));
                let sense = if free { Sense::click_and_drag() } else { Sense::hover() };
                let response = ui.interact(area.intersect(self.view.rect), id, sense);
                if !resize {
                    let name = format!("frame {title}");
                    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, &name));
                }
                if free {
                    self.frame_gesture(ui, session, index, resize, &response);
                }
            }
        }
    }

    fn frame_gesture(&mut self, ui: &Ui, session: &mut Session, index: usize, resize: bool, response: &egui::Response) {
        if response.hovered() {
            let icon = if resize { egui::CursorIcon::ResizeNwSe } else { egui::CursorIcon::Grab };
            ui.ctx().set_cursor_icon(icon);
        }
        if response.clicked() || response.drag_started_by(egui::PointerButton::Primary) {
            session.selection = Selection::of_frame(index);
        }
        if response.double_clicked() {
            self.rename_frame(session, index);
        }
        if response.drag_started_by(egui::PointerButton::Primary) {
            let nodes = if resize { BTreeSet::new() } else { self.inside(session, index) };
            self.gesture.held_frame = Some(Held { index, nodes, resize });
        }
        let Some(held) = self.gesture.held_frame.clone().filter(|held| held.index == index && held.resize == resize)
        else {
            return;
        };
        let by = response.drag_delta() / self.view.zoom;
        let scope = session.scope().clone();
        if response.dragged() && by != egui::Vec2::ZERO {
            session.arrange("frame", |document| {
                // The frame is there: it is dragged.
                let _ = edit::update_frame(document, &scope, index, |frame| match resize {
                    true => {
                        frame.size = ((frame.size.0 + by.x).max(MIN_FRAME.x), (frame.size.1 + by.y).max(MIN_FRAME.y))
                    }
                    false => frame.at = (frame.at.0 + by.x, frame.at.1 + by.y),
                });
                edit::shift(document, &scope, &held.nodes, (by.x, by.y));
            });
        }
        if response.drag_stopped() {
            session.arrange("frame", |document| edit::round_positions(document, &scope));
            self.gesture.held_frame = None;
        }
    }

    /// The nodes that lie in a frame.
    fn inside(&self, session: &Session, index: usize) -> BTreeSet<String> {
        let area = self.frame_rect(session, index);
        let rects = self.level.signatures.keys().filter_map(|name| Some((name, self.window_area(session, name)?)));
        rects.filter(|(_, rect)| area.contains(rect.center())).map(|(name, _)| name.clone()).collect()
    }
}

/// The colours of a frame and of its title bar.
fn grounds(look: &Look, frame: &Frame) -> (Color32, Color32) {
    let color = frame.color.map_or(look.frame, theme::color);
    let (body, bar) = if look.dark { (0.22, 0.42) } else { (0.16, 0.34) };
    (look.canvas.lerp_to_gamma(color, body), look.canvas.lerp_to_gamma(color, bar))
}

/// The title bar of a frame in the window.
pub(super) fn head(rect: Rect, zoom: f32) -> Rect {
    let height = (TITLE * zoom).max(LEAST_TITLE.min(MOST_TITLE * zoom));
    Rect::from_min_size(rect.min, vec2(rect.width(), height))
}

/// Where a title begins in its bar \[points of the window\].
fn inset(zoom: f32) -> f32 {
    (9.0 * zoom).max(4.0)
}

/// The title of a frame in its bar, cut if it is too long.
pub(super) fn title(painter: &Painter, text: &str, color: Color32, head: Rect, zoom: f32) -> Arc<Galley> {
    one_line(painter, text, (14.0 * zoom).max(LEAST_TEXT), color, head.width() - 2.0 * inset(zoom))
}

/// The frame whose title or corner is at a point of the window.
pub(super) fn frame_at(canvas: &Canvas, session: &Session, point: egui::Pos2) -> Option<usize> {
    (0..session.frames().len()).rev().find(|index| {
        let rect = canvas.frame_rect(session, *index);
        head(rect, canvas.view.zoom).contains(point)
    })
}

/// Gives the frames of a level these areas \[points of the document\].
pub(super) fn resize(document: &mut Document, scope: &Scope, areas: &[Rect]) {
    for (index, area) in areas.iter().enumerate() {
        // The frames are there: the areas are theirs.
        let _ = edit::update_frame(document, scope, index, |frame| {
            if layout::frame_area(frame) != *area {
                (frame.at, frame.size) = (area.min.round().into(), area.size().round().into());
            }
        });
    }
}
