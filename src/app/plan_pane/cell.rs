//! Cells of a table whose rows are painted, not laid out: thousands of rows stay cheap that way.

use eframe::egui::text::{LayoutJob, TextFormat, TextWrapping};
use eframe::egui::{Align2, Color32, FontId, Painter, Rect, Ui, pos2, vec2};

/// Height of a row \[points\].
pub const ROW: f32 = 21.0;

/// Between the contents of two columns \[points\].
pub const PAD: f32 = 7.0;

/// Columns beside each other.
pub struct Columns<const N: usize> {
    edges: [(f32, f32); N],
    pub width: f32,
}

impl<const N: usize> Columns<N> {
    /// Columns of these widths; what is left of `room` goes to the column `wide`.
    pub fn new(widths: [f32; N], wide: usize, room: f32) -> Columns<N> {
        let spare = (room - widths.iter().sum::<f32>()).max(0.0);
        let mut width = 0.0;
        let mut index = 0;
        let edges = widths.map(|w| {
            let edge = (width, width + w + if index == wide { spare } else { 0.0 });
            (width, index) = (edge.1, index + 1);
            edge
        });
        Columns { edges, width }
    }

    /// A column's part of a row, without the space between columns.
    pub fn cell(&self, row: Rect, column: usize) -> Rect {
        let (from, to) = self.edges.get(column).copied().unwrap_or_default();
        let (left, right) = (row.left() + from + PAD, row.left() + to - PAD);
        Rect::from_min_max(pos2(left, row.top()), pos2(right.max(left), row.bottom()))
    }

    /// The column at a place of a row.
    pub fn at(&self, row: Rect, x: f32) -> Option<usize> {
        self.edges.iter().position(|(from, to)| (*from..*to).contains(&(x - row.left())))
    }
}

/// One line of text in a cell, cut off where there is no more room. Returns where it stands.
pub fn text(ui: &Ui, cell: Rect, align: Align2, text: &str, font: FontId, color: Color32) -> Rect {
    sections(ui, cell, align, &[(text, color)], font)
}

/// The same in several colours.
pub fn sections(ui: &Ui, cell: Rect, align: Align2, parts: &[(&str, Color32)], font: FontId) -> Rect {
    let mut job = LayoutJob { wrap: TextWrapping::truncate_at_width(cell.width()), ..LayoutJob::default() };
    for (text, color) in parts {
        job.append(text, 0.0, TextFormat::simple(font.clone(), *color));
    }
    let galley = ui.painter().layout_job(job);
    let place = align.align_size_within_rect(galley.size(), cell);
    ui.painter().galley(place.min, galley, Color32::PLACEHOLDER);
    place
}

/// A bar from the left edge of a cell, as long as its share of the cell.
pub fn bar(painter: &Painter, cell: Rect, share: f32, color: Color32) {
    let size = vec2((cell.width() * share.clamp(0.0, 1.0)).max(1.0), cell.height());
    painter.rect_filled(Rect::from_min_size(cell.min, size), 2.0, color);
}

/// The triangle of what can be folded.
pub fn triangle(painter: &Painter, cell: Rect, open: bool, color: Color32) {
    let c = cell.center();
    let points = match open {
        true => vec![c + vec2(-4.0, -2.5), c + vec2(4.0, -2.5), c + vec2(0.0, 3.5)],
        false => vec![c + vec2(-2.5, -4.0), c + vec2(3.5, 0.0), c + vec2(-2.5, 4.0)],
    };
    painter.add(eframe::egui::Shape::convex_polygon(points, color, eframe::egui::Stroke::NONE));
}
