//! Handles of the selected nodes in the image of a view: they show positions, radii, boxes, directions, planes and cameras, and are dragged.

mod drag;
mod owner;
mod shape;

use eframe::egui::{
    self, Align2, Color32, CursorIcon, Id, Key, Modifiers, Painter, Pos2, Rect, Sense, Stroke, Ui, vec2,
};

use super::projection::Projection;
use super::scene::Scene;
use super::ticks;
use crate::document::ParamValue;
use crate::model::session::Session;
use crate::toolkit::theme::{self, Look};
use drag::{Drag, Values};
use owner::{Owner, Spot};
use shape::{Line, Part, Shape};

/// Width of what takes the pointer \[points\].
const TAKES: f32 = 16.0;
/// Radius of a handle \[points\].
const DOT: f32 = 5.0;
/// A handle is at least as far from the one it belongs to \[points\].
const APART: f32 = 18.0;
/// The most handles that are drawn.
const MOST: usize = 128;

/// The handles of a view.
#[derive(Default)]
pub(super) struct Handles {
    held: Option<(Id, Drag)>,
    /// Something was set in this frame.
    changed: bool,
}

impl Handles {
    /// Whether one is held, which Escape takes back.
    pub(super) fn held(&self) -> bool {
        self.held.is_some()
    }

    /// Draws the handles of the selection over an image, and applies drags. `room`: the part of the pane that images lie in. Returns
    /// whether something was set.
    pub(super) fn show(&mut self, ui: &Ui, session: &mut Session, scene: &Scene, room: Rect) -> bool {
        self.changed = false;
        let painter = ui.painter().with_clip_rect(room);
        let look = theme::current(ui);
        let mut left = MOST;
        let mut held_exists = false;
        for owner in owner::selected(session) {
            let drawn = owner.drawn(scene, session);
            drawn.lines.iter().for_each(|line| paint_line(&painter, look, line));
            for shape in drawn.shapes.iter().take(left) {
                left -= 1;
                let Some(spot) = owner.spot(&shape.spot) else { continue };
                let id = ui.id().with(("handle", &spot.node, &spot.name, ending(shape.part)));
                let held = self.held.as_ref().is_some_and(|(of, _)| *of == id);
                // One that is held may leave the pane.
                let seen = |place: &Pos2| held || room.expand(DOT).contains(*place);
                let Some(place) = screen_place(&owner, shape).filter(seen) else { continue };
                held_exists |= self.one(ui, session, &painter, (&owner, spot, shape), (id, place));
            }
        }
        // The node was deselected, or the view shows something else.
        if !held_exists && let Some((id, _)) = &self.held {
            let released = !ui.input(|input| input.pointer.any_down());
            if released || ui.ctx().dragged_id() != Some(*id) {
                self.held = None;
            }
        }
        self.changed
    }

    /// One handle; returns whether it is the one that is held.
    fn one(
        &mut self,
        ui: &Ui,
        session: &mut Session,
        painter: &Painter,
        (owner, spot, shape): (&Owner, &Spot, &Shape),
        (id, place): (Id, Pos2),
    ) -> bool {
        let look = theme::current(ui);
        let name = format!("handle {}.{}{}", owner.node, spot.name, ending(shape.part));
        let locked = is_locked(owner, spot, shape.part);
        let sense = if locked.is_some() { Sense::hover() } else { Sense::drag() };
        let response = ui.interact(Rect::from_center_size(place, vec2(TAKES, TAKES)), id, sense);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, locked.is_none(), &name));
        let (pointer, modifiers) = ui.input(|input| (input.pointer.latest_pos(), input.modifiers));
        if response.drag_started_by(egui::PointerButton::Primary) {
            let from = ui.input(|input| input.pointer.press_origin()).unwrap_or(place);
            session.end_gesture();
            self.held = Some((id, Drag { owner: owner.clone(), shape: shape.clone(), from }));
        }
        let mut held = self.held.as_ref().is_some_and(|(of, _)| *of == id);
        if held && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
            session.cancel_gesture();
            self.changed = true;
            (self.held, held) = (None, false);
            ui.ctx().stop_dragging();
        }
        let mut value_text = None;
        if held && let (Some((_, drag)), Some(at)) = (&self.held, pointer) {
            let values = drag.values(at, modifiers);
            if response.dragged_by(egui::PointerButton::Primary) && (at - drag.from) != egui::Vec2::ZERO {
                session.drag_params(&values);
                self.changed = true;
            }
            value_text = Some(text(&drag.owner, &values));
        }
        if held && response.drag_stopped() {
            session.end_gesture();
            self.held = None;
        }
        let lit = held || response.hovered();
        paint_handle(painter, look, place, shape.part, lit, locked.is_some());
        match (value_text, locked) {
            (Some(value_text), _) => paint_numbers(painter, ui, look, pointer.unwrap_or(place), &value_text),
            (None, Some(why)) => drop(response.on_hover_text(format!("{}\n{why}", own_text(spot)))),
            (None, None) => {
                let hint = "Drag to move. Ctrl snaps to cells and round values, Shift keeps to an axis";
                let response = response.on_hover_and_drag_cursor(CursorIcon::Grab);
                drop(response.on_hover_text(format!("{}\n{hint}", own_text(spot))));
            }
        }
        held
    }
}

/// Why a handle cannot be dragged.
fn is_locked<'a>(owner: &'a Owner, spot: &'a Spot, part: Part) -> Option<&'a str> {
    match part {
        // It moves as long as one of its numbers can be set.
        Part::Eye { .. } => {
            let spots = owner.polar(&spot.param.name);
            let free = spots.iter().flatten().any(|spot| spot.locked.is_none());
            if free { None } else { spot.locked.as_deref() }
        }
        _ => spot.locked.as_deref(),
    }
}

/// What tells handles of one parameter apart.
fn ending(part: Part) -> &'static str {
    match part {
        Part::Face { axis: 0, upper: false } => " -x",
        Part::Face { axis: 0, upper: true } => " +x",
        Part::Face { axis: 1, upper: false } => " -y",
        Part::Face { axis: 1, upper: true } => " +y",
        Part::Face { upper: false, .. } => " -z",
        Part::Face { upper: true, .. } => " +z",
        _ => "",
    }
}

/// The place of a handle on the screen, a little off what it would hide.
fn screen_place(owner: &Owner, shape: &Shape) -> Option<Pos2> {
    let projection = &shape.space.projection;
    let place = projection.place(shape.at)?;
    let base = match shape.part {
        Part::Radius { center } => center,
        Part::Tip { base, .. } => base,
        Part::Head { .. } => {
            let of = owner.spot(&shape.spot)?.position_name();
            of.and_then(|of| owner.spot(of)).map_or(shape.at, |of| of.vector(shape.space.extent.size))
        }
        // Seen from its end, a face has nowhere to go.
        Part::Face { axis, .. } => {
            let seen = projection.moved_along(shape.at, super::projection::unit(axis), vec2(1.0, 1.0));
            return seen.map(|_| place);
        }
        Part::Point | Part::Corner | Part::Eye { .. } => return Some(place),
    };
    let base = projection.place(base)?;
    let away = place - base;
    if away.length() >= APART {
        return Some(place);
    }
    let direction = if away.length() > 1.0 { away.normalized() } else { vec2(1.0, 0.0) };
    Some(base + APART * direction)
}

/// The value of a parameter for people.
fn own_text(spot: &Spot) -> String {
    written(&spot.name, &spot.written(&spot.value), &spot.param.unit)
}

/// What a drag sets.
fn text(owner: &Owner, values: &Values) -> String {
    let unit =
        |name: &str| owner.spots.iter().find(|spot| spot.name == name).map_or("", |spot| spot.param.unit.as_str());
    let lines = values.iter().map(|(_, name, value)| written(name, value, unit(name)));
    lines.collect::<Vec<_>>().join("\n")
}

fn written(name: &str, value: &ParamValue, unit: &str) -> String {
    let parts = match value {
        ParamValue::Number(one) => ticks::number(*one),
        ParamValue::Vector(parts) => parts.iter().map(|part| ticks::number(*part)).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    format!("{name} = {parts} {unit}").trim_end().to_string()
}

/// Draws a line twice, so that it is seen on any image.
pub(super) fn outlined(painter: &Painter, look: &Look, points: &[Pos2], color: Color32) {
    let dark = if look.dark { look.ground } else { Color32::from_black_alpha(170) };
    for (width, color) in [(3.5, dark.gamma_multiply(0.7)), (1.5, color)] {
        painter.add(egui::Shape::line(points.to_vec(), Stroke::new(width, color)));
    }
}

/// The colour of handles: they lie over images, whatever the theme.
fn color(look: &Look) -> Color32 {
    if look.dark { look.accent } else { Color32::from_rgb(82, 190, 178) }
}

fn paint_line(painter: &Painter, look: &Look, line: &Line) {
    let projection: &Projection = &line.space.projection;
    // A line that leaves what is before the camera is cut there.
    let places: Vec<Option<Pos2>> = line.points.iter().map(|point| projection.place(*point)).collect();
    for part in places.split(Option::is_none) {
        let places: Vec<Pos2> = part.iter().flatten().copied().collect();
        if places.len() < 2 {
            continue;
        }
        outlined(painter, look, &places, color(look));
    }
    if let (true, [Some(base), Some(tip)]) = (line.arrow, places.as_slice()) {
        arrow_head(painter, look, *base, *tip);
    }
}

/// The head of an arrow that ends before the handle at its tip.
fn arrow_head(painter: &Painter, look: &Look, base: Pos2, tip: Pos2) {
    let along = tip - base;
    if along.length() < 2.0 * APART {
        return;
    }
    let (along, end) = (along.normalized(), tip - along.normalized() * (DOT + 1.0));
    let side = 5.0 * along.rot90();
    let head = vec![end, end - 11.0 * along + side, end - 11.0 * along - side];
    painter.add(egui::Shape::convex_polygon(head, color(look), Stroke::new(1.0, look.ground)));
}

fn paint_handle(painter: &Painter, look: &Look, at: Pos2, part: Part, lit: bool, locked: bool) {
    let color = if locked { look.dim } else { color(look) };
    let fill = if lit && !locked { Color32::WHITE } else { Color32::from_black_alpha(140) };
    let radius = if lit { DOT + 1.0 } else { DOT };
    let square = matches!(part, Part::Face { .. } | Part::Corner);
    let rect = Rect::from_center_size(at, egui::Vec2::splat(2.0 * radius - 1.0));
    for (width, color) in [(3.5, Color32::from_black_alpha(150)), (1.5, color)] {
        match square {
            true => drop(painter.rect(rect, 1.0, fill, Stroke::new(width, color), egui::StrokeKind::Middle)),
            false => drop(painter.circle(at, radius, fill, Stroke::new(width, color))),
        }
    }
    if matches!(part, Part::Point | Part::Eye { .. }) {
        for arm in [vec2(1.0, 0.0), vec2(-1.0, 0.0), vec2(0.0, 1.0), vec2(0.0, -1.0)] {
            outlined(painter, look, &[at + radius * arm, at + (radius + 5.0) * arm], color);
        }
    }
    if locked {
        painter.text(at + vec2(8.0, -8.0), Align2::LEFT_BOTTOM, "🔒", egui::FontId::proportional(10.0), look.text);
    }
}

/// Numbers beside the pointer.
pub(super) fn paint_numbers(painter: &Painter, ui: &Ui, look: &Look, at: Pos2, text: &str) {
    let font = egui::TextStyle::Monospace.resolve(ui.style());
    let galley = painter.layout_no_wrap(text.to_string(), font, look.text);
    let room = painter.clip_rect().shrink(4.0);
    let frame = Rect::from_min_size(at + vec2(16.0, 14.0), galley.size() + vec2(12.0, 8.0));
    // On the other side of the pointer where there is no room.
    let shift = |over: f32, back: f32| if over > 0.0 { -back } else { 0.0 };
    let frame = frame.translate(vec2(
        shift(frame.right() - room.right(), frame.width() + 32.0),
        shift(frame.bottom() - room.bottom(), frame.height() + 28.0),
    ));
    painter.rect(frame, 4.0, look.panel.gamma_multiply(0.92), Stroke::new(1.0, look.line), egui::StrokeKind::Inside);
    painter.galley(frame.min + vec2(6.0, 4.0), galley, look.text);
}
