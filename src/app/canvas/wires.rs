//! Wires and the dots behind them, painted before the nodes so that they lie below.

use std::collections::BTreeSet;

use eframe::egui::epaint::CubicBezierShape;
use eframe::egui::{Color32, Pos2, Rect, Shape, Stroke, Ui, Vec2, pos2};
use egui_node_graph::ConnectionRenderInfo;

use super::view::{End, Graph};
use crate::app::theme;

/// Distance of two dots at zoom 1 \[points\].
const GRID: f32 = 24.0;

/// The dots, which move and scale with the nodes.
pub fn grid(ui: &Ui, rect: Rect, pan: Vec2, zoom: f32) {
    ui.painter().rect_filled(rect, 0.0, theme::of(ui).canvas);
    // Every second one goes when they come too close.
    let step = GRID * zoom * if zoom < 0.7 { 2.0 } else { 1.0 } * if zoom < 0.35 { 2.0 } else { 1.0 };
    let start = |offset: f32| offset.rem_euclid(step);
    let mut y = rect.top() + start(pan.y);
    while y < rect.bottom() {
        let mut x = rect.left() + start(pan.x);
        while x < rect.right() {
            ui.painter().circle_filled(pos2(x, y), 1.0, theme::of(ui).canvas_dot);
            x += step;
        }
        y += step;
    }
}

/// All wires. Those of selected nodes stand out; those that go back, to a State's next value, stay behind.
pub fn shape(wires: &[ConnectionRenderInfo], graph: &Graph, selection: &BTreeSet<String>, zoom: f32) -> Shape {
    let mut below = Vec::new();
    let mut above = Vec::new();
    for wire in wires {
        let Some(output) = graph.try_get_output(wire.output) else { continue };
        let nodes = [Some(output.node), graph.try_get_input(wire.input).map(|input| input.node)];
        let touched = nodes.into_iter().flatten().filter_map(|id| graph.nodes.get(id));
        let chosen = touched.into_iter().any(|node| selection.contains(&node.user_data.name));
        let [from, .., to] = wire.points;
        let back = from.x > to.x;
        let strength = if chosen { 1.0 } else { [0.7, 0.38][usize::from(back)] };
        let width = (if chosen { 2.6 } else { 1.8 }) * zoom.clamp(0.5, 1.4);
        let color = output.typ.0.gamma_multiply(strength);
        let list = if chosen { &mut above } else { &mut below };
        list.push(curve(from, to, zoom, Stroke::new(width, color)));
    }
    below.append(&mut above);
    Shape::Vec(below)
}

/// The wire in the hand: from a port to the pointer.
pub fn in_hand(port: Pos2, end: End, pointer: Pos2, zoom: f32, color: Color32) -> Shape {
    let (from, to) = if end == End::Output { (port, pointer) } else { (pointer, port) };
    curve(from, to, zoom, Stroke::new(2.6 * zoom.clamp(0.5, 1.4), color))
}

fn curve(from: Pos2, to: Pos2, zoom: f32, stroke: Stroke) -> Shape {
    let reach = (0.5 * (to.x - from.x).abs()).clamp(30.0 * zoom, 180.0 * zoom);
    let points = [from, pos2(from.x + reach, from.y), pos2(to.x - reach, to.y), to];
    CubicBezierShape::from_points_stroke(points, false, Color32::TRANSPARENT, stroke).into()
}
