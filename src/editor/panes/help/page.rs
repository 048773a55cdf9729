//! A page of Markdown on the screen.

use std::collections::BTreeMap;

use eframe::egui::{self, Align, FontId, Layout, RichText, Ui, vec2};

use super::documents::opens;
use super::markdown::{Block, Span, anchor, blocks};
use crate::toolkit::theme;

/// Wider lines are hard to read \[points\].
const WIDEST: f32 = 820.0;
/// Indentation of a list, and the gap between two columns of a table \[points\].
const INDENT: f32 = 18.0;
const GUTTER: f32 = 14.0;

/// A page, and the heights of its blocks once they were laid out, so that those out of sight need not be.
pub(super) struct Page {
    blocks: Vec<Block>,
    heights: BTreeMap<usize, f32>,
    /// The width for which the heights are.
    width: f32,
    /// The block to scroll to, and that no frame has been drawn yet.
    target: Option<usize>,
    fresh: bool,
}

impl Page {
    pub(super) fn new(text: &str) -> Page {
        Page { blocks: blocks(text), heights: BTreeMap::new(), width: 0.0, target: None, fresh: true }
    }

    /// Scrolls to a heading; to the top if there is none with this anchor.
    pub(super) fn scroll_to(&mut self, name: &str) {
        let found = |block: &Block| matches!(block, Block::Heading(_, title) if anchor(title) == name);
        self.target = Some(self.blocks.iter().position(found).unwrap_or(0));
    }

    /// Draws it. Returns the link that was clicked.
    pub(super) fn show(&mut self, ui: &mut Ui) -> Option<String> {
        let mut clicked = None;
        let mut scroll = egui::ScrollArea::vertical().auto_shrink(false).id_salt("help page");
        if std::mem::take(&mut self.fresh) {
            scroll = scroll.vertical_scroll_offset(0.0);
        }
        scroll.show(ui, |ui| {
            let width = (ui.available_width() - 4.0).min(WIDEST);
            ui.set_width(width);
            if self.width != width {
                self.heights.clear();
                self.width = width;
            }
            for (index, block) in self.blocks.iter().enumerate() {
                if self.target == Some(index) {
                    ui.scroll_to_cursor(Some(Align::Min));
                }
                let top = ui.cursor().top();
                let last_height = self.heights.get(&index).copied();
                if let Some(height) = last_height.filter(|height| {
                    let sight = ui.clip_rect().y_range();
                    top > sight.max || top + height < sight.min
                }) {
                    ui.allocate_space(vec2(width, height));
                    continue;
                }
                let drawn = ui.scope(|ui| draw(ui, index, block, width));
                clicked = clicked.take().or(drawn.inner);
                self.heights.insert(index, drawn.response.rect.height());
            }
        });
        self.target = None;
        clicked
    }
}

fn draw(ui: &mut Ui, index: usize, block: &Block, width: f32) -> Option<String> {
    match block {
        Block::Heading(level, title) => {
            ui.add_space(if index == 0 { 0.0 } else { 8.0 });
            let size = [20.0, 17.0, 15.0].get(level - 1).copied().unwrap_or(13.5);
            line(ui, title, |text| text.strong().size(size))
        }
        Block::Text(spans) => line(ui, spans, |text| text),
        Block::Item(depth, mark, spans) => {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 0.0;
                ui.add_space(INDENT * *depth as f32);
                let dim = theme::current(ui).dim;
                let bullet = Span { text: mark.clone(), ..Span::default() };
                cell_of(ui, INDENT, &[bullet], |text| text.color(dim));
                let rest = width - INDENT * (*depth as f32 + 1.0);
                cell_of(ui, rest, spans, |text| text)
            })
            .inner
        }
        Block::Code(text) => {
            let look = theme::current(ui);
            egui::Frame::new().fill(look.field).corner_radius(4).inner_margin(8).show(ui, |ui| {
                ui.set_width(width - 16.0);
                let text = RichText::new(text).monospace().color(look.text);
                ui.add(egui::Label::new(text).selectable(true).wrap());
            });
            None
        }
        Block::Table(rows) => table(ui, rows, width),
    }
}

/// Text that wraps, with links to click.
fn line(ui: &mut Ui, spans: &[Span], style: impl Fn(RichText) -> RichText) -> Option<String> {
    let mut clicked = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(0.0, 2.0);
        ui.spacing_mut().interact_size.y = 0.0;
        for span in spans {
            let mut text = style(RichText::new(&span.text));
            let look = theme::current(ui);
            if span.code {
                text = text.monospace().color(look.accent);
            }
            if span.strong {
                text = text.strong();
            }
            if span.emphasis {
                text = text.italics();
            }
            match &span.link {
                Some(link) if opens(link) => {
                    if ui.link(text).clicked() {
                        clicked = Some(link.clone());
                    }
                }
                _ => drop(ui.label(text)),
            }
        }
    });
    clicked
}

fn cell_of(ui: &mut Ui, width: f32, spans: &[Span], style: impl Fn(RichText) -> RichText) -> Option<String> {
    let column = ui.allocate_ui_with_layout(vec2(width, 0.0), Layout::top_down(Align::Min), |ui| {
        ui.set_width(width);
        line(ui, spans, style)
    });
    column.inner
}

fn table(ui: &mut Ui, rows: &[Vec<Vec<Span>>], width: f32) -> Option<String> {
    let widths = columns(ui, rows, width);
    let mut clicked = None;
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        for (index, row) in rows.iter().enumerate() {
            if index == 0 && row.iter().all(Vec::is_empty) {
                continue;
            }
            let drawn = ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = GUTTER;
                for (cell, width) in row.iter().zip(&widths) {
                    let link = cell_of(ui, *width, cell, |text| if index == 0 { text.strong() } else { text });
                    clicked = clicked.take().or(link);
                }
            });
            let y = drawn.response.rect.bottom() + 2.0;
            let x = drawn.response.rect.left()..=drawn.response.rect.left() + width;
            ui.painter().hline(x, y, egui::Stroke::new(1.0, theme::current(ui).line));
        }
        ui.add_space(6.0);
    });
    clicked
}

/// The widths of a table's columns: as wide as their text, and where that is too much, wide columns share what narrow ones leave.
fn columns(ui: &Ui, rows: &[Vec<Vec<Span>>], width: f32) -> Vec<f32> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let natural = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.iter().map(|span| natural_width(ui, span)).sum::<f32>()).fold(20.0, f32::max) + 4.0
    };
    shared((0..count).map(natural).collect(), width - GUTTER * count.saturating_sub(1) as f32)
}

fn natural_width(ui: &Ui, span: &Span) -> f32 {
    let font = if span.code { FontId::monospace(12.0) } else { FontId::proportional(13.0) };
    ui.painter().layout_no_wrap(span.text.clone(), font, egui::Color32::PLACEHOLDER).size().x
}

fn shared(mut widths: Vec<f32>, width: f32) -> Vec<f32> {
    let mut order: Vec<usize> = (0..widths.len()).collect();
    order.sort_by(|a, b| widths[*a].total_cmp(&widths[*b]));
    let (mut left, mut columns) = (width, widths.len());
    for index in order {
        widths[index] = widths[index].min(left / columns as f32).max(1.0);
        left -= widths[index];
        columns -= 1;
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_columns_keep_their_width_and_wide_ones_share_the_rest() {
        assert_eq!(shared(vec![50.0, 900.0, 600.0], 850.0), [50.0, 400.0, 400.0]);
        assert_eq!(shared(vec![50.0, 100.0], 850.0), [50.0, 100.0]);
        assert_eq!(shared(vec![300.0, 50.0], 100.0), [50.0, 50.0]);
    }
}
