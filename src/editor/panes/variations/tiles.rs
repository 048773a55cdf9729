//! How tiles share a pane, and how each is drawn.

use eframe::egui::{
    self, Align2, Color32, FontId, Rect, RichText, Stroke, StrokeKind, TextureId, Ui, Vec2, pos2, vec2,
};

use crate::toolkit::theme;

/// Between tiles, and around them \[points\].
const GAP: f32 = 6.0;
/// Height of the strip with a tile's values; smaller tiles have none \[points\].
const STRIP: f32 = 18.0;
const SMALLEST: f32 = 90.0;

/// What is known of a tile.
pub(crate) struct Shown<'a> {
    /// Name of the tile: `variation 5`.
    pub name: String,
    /// Values of the tile, one a line.
    pub lines: &'a [String],
    /// What stands on it, if there is room.
    pub strip: String,
    pub image: Option<(TextureId, [u32; 2])>,
    pub fault: Option<&'a str>,
    /// The graph has changed since the image was made.
    pub old: bool,
    /// The graph has these values.
    pub kept: bool,
    /// What a click does.
    pub hint: &'a str,
}

/// How much larger tiles must be for rows that are not all full.
const RAGGED: f32 = 1.2;

/// The places of tiles with images of this shape (width for a height of 1), as large as possible.
pub(crate) fn places(room: Rect, count: usize, aspect: f32) -> Vec<Rect> {
    let room = room.shrink(GAP);
    let size = |columns: usize| {
        let rows = count.div_ceil(columns);
        let gaps = vec2((columns - 1) as f32, (rows - 1) as f32) * GAP;
        let cell = (room.size() - gaps) / vec2(columns as f32, rows as f32);
        let height = cell.y.min(cell.x / aspect).max(1.0);
        (vec2(height * aspect, height), columns, rows)
    };
    let all = (1..=count).map(size);
    let score =
        |(size, columns, rows): &(Vec2, usize, usize)| if columns * rows == count { RAGGED * size.y } else { size.y };
    let Some((size, columns, rows)) = all.reduce(|best, one| if score(&one) > score(&best) { one } else { best })
    else {
        return Vec::new();
    };
    // Whole points, so that edges are sharp.
    let size = size.floor().max(Vec2::splat(1.0));
    let step = size + Vec2::splat(GAP);
    let corner = room.center() - 0.5 * (step * vec2(columns as f32, rows as f32) - Vec2::splat(GAP));
    let corner = corner.ceil();
    let place = |tile: usize| corner + step * vec2((tile % columns) as f32, (tile / columns) as f32);
    (0..count).map(|tile| Rect::from_min_size(place(tile), size)).collect()
}

/// Draws a tile. Returns whether its values are to be kept.
pub(crate) fn show(ui: &mut Ui, rect: Rect, tile: &Shown<'_>, editable: bool) -> bool {
    let look = theme::current(ui);
    let response = ui.interact(rect, ui.id().with(&tile.name), egui::Sense::click());
    let can_keep = editable && tile.fault.is_none();
    response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Button, can_keep, tile.kept, &tile.name));
    let painter = ui.painter().with_clip_rect(rect);
    painter.rect_filled(rect, 3.0, look.ground);
    if let Some((texture, size)) = tile.image.filter(|_| tile.fault.is_none()) {
        let pixels = vec2(size[0] as f32, size[1] as f32);
        let scale = (rect.size() / pixels).min_elem();
        let place = Rect::from_center_size(rect.center(), pixels * scale);
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        let tint = if tile.old { Color32::from_gray(110) } else { Color32::WHITE };
        painter.image(texture, place, whole, tint);
    }
    if let Some(fault) = tile.fault {
        let galley = painter.layout(fault.to_string(), FontId::proportional(11.0), look.error, rect.width() - 12.0);
        painter.galley(rect.min + vec2(6.0, 6.0), galley, look.error);
    }
    let lines = tile.lines;
    if rect.height() >= SMALLEST && !tile.strip.is_empty() {
        let strip = Rect::from_min_max(pos2(rect.left(), rect.bottom() - STRIP), rect.max);
        painter.rect_filled(strip, 0.0, Color32::from_black_alpha(150));
        let at = strip.left_center() + vec2(6.0, 0.0);
        let font = FontId::proportional(11.0);
        painter.text(at, Align2::LEFT_CENTER, &tile.strip, font, Color32::from_gray(225));
    }
    if tile.kept {
        let at = rect.right_top() + vec2(-12.0, 12.0);
        painter.circle_filled(at, 9.0, Color32::from_black_alpha(150));
        painter.text(at, Align2::CENTER_CENTER, "✔", FontId::proportional(12.0), Color32::WHITE);
    }
    let color = match (response.hovered() && can_keep, tile.kept) {
        (true, _) | (_, true) => look.accent,
        _ => look.line,
    };
    ui.painter().rect_stroke(rect, 3.0, Stroke::new(1.0, color), StrokeKind::Inside);
    let clicked = response.clicked() && can_keep;
    response.on_hover_ui(|ui| {
        for line in lines {
            ui.label(RichText::new(line).monospace());
        }
        let hint = match (tile.kept, editable) {
            (true, _) => "The graph has these values",
            (_, true) => tile.hint,
            (_, false) => "A library group is open, which is read-only",
        };
        ui.label(RichText::new(hint).color(look.dim));
    });
    clicked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_lie_apart_inside_the_pane_and_fill_it() {
        for (room, aspect, columns) in
            [(vec2(900.0, 900.0), 1.0, 3), (vec2(1800.0, 300.0), 1.0, 9), (vec2(300.0, 900.0), 4.0, 1)]
        {
            let room = Rect::from_min_size(pos2(10.0, 20.0), room);
            let all = places(room, 9, aspect);
            assert_eq!(all.len(), 9);
            let first = all.iter().filter(|tile| tile.top() == all[0].top()).count();
            assert!(first >= columns, "{first} of {columns} in a row");
            for (index, tile) in all.iter().enumerate() {
                assert!(room.contains_rect(*tile), "{tile:?} in {room:?}");
                assert!((tile.width() / tile.height() / aspect - 1.0).abs() < 0.05, "{tile:?}");
                assert!(all[..index].iter().all(|other| !other.intersects(*tile)));
            }
        }
        assert!(places(Rect::NOTHING, 0, 1.0).is_empty());
    }
}
