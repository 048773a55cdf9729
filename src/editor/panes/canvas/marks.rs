//! The marks of ports: their shape says what kind of value a port carries, as their colour does.

use eframe::egui::{Color32, Pos2, Rect, Shape, Stroke, Vec2, vec2};

use crate::stage::types::{Element, PortType, ValueType};

/// The shape of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Mark {
    /// A scalar on a grid.
    Disc,
    /// A vector on a grid: an arrow's head.
    Triangle,
    /// An image.
    Square,
    /// A vector on the faces of cells.
    Plus,
    /// A grid of any value.
    Ring,
    /// A number.
    Bar,
    /// A function of a position.
    Diamond,
    Hexagon,
    /// Particles sorted by cell.
    Cells,
    /// No such port.
    Saltire,
}

impl Mark {
    pub(super) fn of(ty: Option<PortType>) -> Mark {
        match ty {
            None => Mark::Saltire,
            Some(PortType::Grid(Element::Fixed(ValueType::Vec4))) => Mark::Square,
            Some(PortType::Grid(Element::Fixed(ValueType::Vec | ValueType::Vec2 | ValueType::Vec3))) => Mark::Triangle,
            Some(PortType::Grid(Element::Fixed(_))) => Mark::Disc,
            Some(PortType::Grid(Element::Generic(_))) => Mark::Ring,
            Some(PortType::FaceGrid) => Mark::Plus,
            Some(PortType::Number(_)) => Mark::Bar,
            Some(PortType::Field(_)) => Mark::Diamond,
            Some(PortType::Particles) => Mark::Hexagon,
            Some(PortType::NeighborGrid) => Mark::Cells,
        }
    }

    /// Shape of the mark around a point. All shapes cover about the area of a disc of this radius. `ground` is the
    /// colour behind it.
    pub(super) fn shape(self, at: Pos2, radius: f32, color: Color32, ground: Color32) -> Shape {
        let polygon = |corners: &[(f32, f32)]| {
            let points = corners.iter().map(|(x, y)| at + vec2(*x, *y) * radius).collect();
            Shape::convex_polygon(points, color, Stroke::NONE)
        };
        let bar = |size: Vec2| Shape::rect_filled(Rect::from_center_size(at, size * radius), 0.0, color);
        match self {
            Mark::Disc => Shape::circle_filled(at, radius, color),
            Mark::Ring => {
                let inner = Shape::circle_filled(at, 0.45 * radius, ground);
                Shape::Vec(vec![Shape::circle_filled(at, radius, color), inner])
            }
            Mark::Triangle => polygon(&[(-0.9, -1.15), (1.3, 0.0), (-0.9, 1.15)]),
            Mark::Square => bar(vec2(1.9, 1.9)),
            Mark::Plus => Shape::Vec(vec![bar(vec2(2.4, 0.9)), bar(vec2(0.9, 2.4))]),
            Mark::Bar => bar(vec2(0.9, 2.3)),
            Mark::Diamond => polygon(&[(0.0, -1.35), (1.35, 0.0), (0.0, 1.35), (-1.35, 0.0)]),
            Mark::Hexagon => polygon(&[(-1.15, 0.0), (-0.6, -1.0), (0.6, -1.0), (1.15, 0.0), (0.6, 1.0), (-0.6, 1.0)]),
            Mark::Cells => {
                let cell = |x: f32, y: f32| {
                    let middle = at + vec2(x, y) * 0.62 * radius;
                    Shape::rect_filled(Rect::from_center_size(middle, Vec2::splat(0.95 * radius)), 0.0, color)
                };
                Shape::Vec(vec![cell(-1.0, -1.0), cell(1.0, -1.0), cell(-1.0, 1.0), cell(1.0, 1.0)])
            }
            Mark::Saltire => {
                let stroke = Stroke::new(0.7 * radius, color);
                let line = |to: Vec2| Shape::line_segment([at - to * radius, at + to * radius], stroke);
                Shape::Vec(vec![line(vec2(0.8, 0.8)), line(vec2(0.8, -0.8))])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// What colours tell apart, shapes tell apart too, but for the sizes of vectors.
    #[test]
    fn kinds_of_values_have_shapes_of_their_own() {
        let kinds = [
            "Grid<f32>",
            "Grid<Vec>",
            "Image",
            "Grid<T>",
            "FaceGrid",
            "f32",
            "Field<f32>",
            "Particles{position: Vec}",
            "NeighborGrid",
        ];
        let ty = |text: &str| PortType::parse(text).unwrap_or_else(|| panic!("{text}"));
        let shapes: BTreeSet<String> = kinds.iter().map(|text| format!("{:?}", Mark::of(Some(ty(text))))).collect();
        assert_eq!(shapes.len(), kinds.len());
        assert!(!shapes.contains(&format!("{:?}", Mark::of(None))));
        assert_eq!(Mark::of(Some(ty("Grid<vec2f>"))), Mark::of(Some(ty("Grid<vec3f>"))));
    }
}
