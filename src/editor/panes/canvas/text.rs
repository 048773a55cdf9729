//! Text on nodes: as large as its room allows, and never too small to read.

use std::sync::Arc;

use eframe::egui::text::{LayoutJob, TextFormat, TextWrapping};
use eframe::egui::{self, Align, Color32, FontId, Galley, Painter, vec2};

/// Below this zoom ports would cover each other, and a node is drawn without them.
pub(super) const PORTS: f32 = 0.27;
/// No text is smaller \[points of the window\].
pub(super) const SMALLEST: f32 = 9.2;

/// Margin around the name of a node without names of ports, in all, and what the marks of its ports take \[points of the window\].
const BLOCK: egui::Vec2 = vec2(6.0, 2.0);
const MARKS: f32 = 5.0;

/// The size of a text in the window that has this size at zoom 1.
pub(super) fn text_size(size: f32, zoom: f32) -> f32 {
    (size * zoom).max(SMALLEST)
}

/// A line of text of this size \[points of the window\], smaller if it has to be, and cut if even the smallest is too wide.
pub(super) fn one_line(painter: &Painter, text: &str, size: f32, color: Color32, width: f32) -> Arc<Galley> {
    let line = |size: f32| painter.layout_no_wrap(text.to_string(), FontId::proportional(size), color);
    let whole = line(size.max(SMALLEST));
    if whole.size().x <= width {
        return whole;
    }
    let fitting = (size * width / whole.size().x).floor().max(SMALLEST);
    let smaller = line(fitting);
    if smaller.size().x <= width {
        return smaller;
    }
    let mut job = LayoutJob::simple_singleline(text.to_string(), FontId::proportional(SMALLEST), color);
    job.wrap = TextWrapping::truncate_at_width(width.max(1.0));
    painter.layout_job(job)
}

/// A name in as many lines as there is room for, in the largest text that fits, and whether it fits.
pub(super) fn block(painter: &Painter, text: &str, color: Color32, room: egui::Vec2) -> (Arc<Galley>, bool) {
    let lines = |size: f32| {
        let mut job = LayoutJob::single_section(broken(text), TextFormat::simple(FontId::proportional(size), color));
        job.halign = Align::Center;
        job.wrap = TextWrapping { max_width: room.x.max(1.0), ..TextWrapping::default() };
        painter.layout_job(job)
    };
    let word = |word: &str, size: f32| {
        painter.layout_no_wrap(word.to_string(), FontId::proportional(size), color).size().x <= room.x
    };
    let fits =
        |size: &f32| text.split_inclusive(['_', ' ']).all(|part| word(part, *size)) && lines(*size).size().y <= room.y;
    // A little smaller on one line rather than broken.
    let whole = [13.0, 12.0, 11.0].into_iter().find(|size| word(text, *size) && fits(size));
    match whole.or_else(|| [13.0, 12.0, 11.0, 10.0, SMALLEST].into_iter().find(fits)) {
        Some(size) => (lines(size), true),
        None => (lines(SMALLEST), false),
    }
}

/// The room for the name of a node without names of ports, for its size in the window at a zoom.
pub(super) fn block_room(size: egui::Vec2, zoom: f32) -> egui::Vec2 {
    size - BLOCK - vec2(if zoom < PORTS { 0.0 } else { MARKS }, 0.0)
}

/// A name that breaks after its underscores.
fn broken(text: &str) -> String {
    text.replace('_', "_\u{200b}")
}

/// A long name leaves room for the field beside it.
pub(super) fn shortened(name: &str) -> String {
    const MAX_CHARACTERS: usize = 14;
    match name.char_indices().nth(MAX_CHARACTERS) {
        Some(_) => name.chars().take(MAX_CHARACTERS - 1).chain(['…']).collect(),
        None => name.to_string(),
    }
}
