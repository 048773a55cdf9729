//! Cells of a table whose rows are painted, not laid out, so that thousands of rows stay cheap.

use eframe::egui::text::{LayoutJob, TextFormat, TextWrapping};
use eframe::egui::{
    Align2, Color32, CursorIcon, FontId, Id, Painter, Rect, Sense, Ui, WidgetInfo, WidgetType, pos2, vec2,
};

use crate::toolkit::theme;

/// Height of a row \[points\].
pub(super) const ROW: f32 = 21.0;

/// Gap between the contents of two columns \[points\].
pub(super) const PAD: f32 = 7.0;

/// Minimum width of a column, and how near the pointer has to be to its edge to grab it \[points\].
const MIN_SIZE: f32 = 3.0 * PAD;
const NEAR: f32 = 4.0;

/// The columns of a table.
pub(super) struct Columns<const N: usize> {
    edges: [(f32, f32); N],
    pub width: f32,
}

impl<const N: usize> Columns<N> {
    /// Columns of these widths; the rest of `room` goes to the column `wide`.
    pub(super) fn new(widths: [f32; N], wide: usize, room: f32) -> Columns<N> {
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
    pub(super) fn cell(&self, row: Rect, column: usize) -> Rect {
        let (from, to) = self.edges.get(column).copied().unwrap_or_default();
        let (left, right) = (row.left() + from + PAD, row.left() + to - PAD);
        Rect::from_min_max(pos2(left, row.top()), pos2(right.max(left), row.bottom()))
    }

    /// Handles at the edges of columns in the title row; a double-click resets a column. Changes take effect in
    /// the next frame.
    pub(super) fn grips(&self, ui: &Ui, row: Rect, table: &str, titles: [&str; N], first: [f32; N]) {
        let mut now = widths(ui, table, first);
        // The last column gets the rest.
        for (column, (_, edge)) in self.edges.iter().enumerate().take(N - 1) {
            let x = row.left() + edge;
            let grip = Rect::from_x_y_ranges(x - NEAR..=x + NEAR, row.y_range());
            let response = ui.interact(grip, ui.id().with(("edge", table, column)), Sense::click_and_drag());
            let title = titles.get(column).copied().unwrap_or_default();
            response.widget_info(|| WidgetInfo::labeled(WidgetType::Other, true, format!("edge of {title}")));
            let lit = response.hovered() || response.dragged();
            let look = theme::current(ui);
            ui.painter().vline(x, row.y_range().shrink(4.0), (1.0, if lit { look.accent } else { look.line }));
            let by = response.drag_delta().x;
            if let (Some(width), Some(first)) = (now.get_mut(column), first.get(column)) {
                *width = if response.double_clicked() { *first } else { (*width + by).max(MIN_SIZE) };
            }
            response.on_hover_cursor(CursorIcon::ResizeColumn);
        }
        ui.data_mut(|data| data.insert_temp(id(table), now));
    }

    /// The column at a position in a row.
    pub(super) fn column_at(&self, row: Rect, x: f32) -> Option<usize> {
        self.edges.iter().position(|(from, to)| (*from..*to).contains(&(x - row.left())))
    }
}

/// Widths of a table's columns, as they were dragged \[points\].
pub(super) fn widths<const N: usize>(ui: &Ui, table: &str, first: [f32; N]) -> [f32; N] {
    ui.data(|data| data.get_temp(id(table))).unwrap_or(first)
}

fn id(table: &str) -> Id {
    Id::new(("widths of columns", table))
}

/// One line of text in a cell, truncated. Returns its rectangle.
pub(super) fn text(ui: &Ui, cell: Rect, align: Align2, text: &str, font: FontId, color: Color32) -> Rect {
    sections(ui, cell, align, &[(text, color)], font)
}

/// Draws the text of a cell in several colours.
pub(super) fn sections(ui: &Ui, cell: Rect, align: Align2, parts: &[(&str, Color32)], font: FontId) -> Rect {
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
pub(super) fn bar(painter: &Painter, cell: Rect, share: f32, color: Color32) {
    let size = vec2((cell.width() * share.clamp(0.0, 1.0)).max(1.0), cell.height());
    painter.rect_filled(Rect::from_min_size(cell.min, size), 2.0, color);
}

/// The triangle of a collapsible row.
pub(super) fn triangle(painter: &Painter, cell: Rect, open: bool, color: Color32) {
    let c = cell.center();
    let points = match open {
        true => vec![c + vec2(-4.0, -2.5), c + vec2(4.0, -2.5), c + vec2(0.0, 3.5)],
        false => vec![c + vec2(-2.5, -4.0), c + vec2(3.5, 0.0), c + vec2(-2.5, 4.0)],
    };
    painter.add(eframe::egui::Shape::convex_polygon(points, color, eframe::egui::Stroke::NONE));
}
