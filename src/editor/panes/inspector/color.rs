//! Colours: linear RGB with alpha, possibly brighter than a screen; shown and typed in sRGB.

use eframe::egui::color_picker::{Alpha, color_picker_hsva_2d, show_color_at};
use eframe::egui::ecolor::Hsva;
use eframe::egui::{
    self, Color32, CornerRadius, Id, Popup, PopupCloseBehavior, Rect, Response, Rgba, Sense, StrokeKind, Ui,
    WidgetInfo, WidgetType, vec2,
};

use super::bar::{Bar, TypedValue};
use super::numbers::tidy;
use crate::curve::{Color, color_from_hex};
use crate::expr::Numbers;
use crate::toolkit::row::{self, HEIGHT, faint};
use crate::toolkit::theme;

/// Width of the picker \[points\].
pub(super) const PICKER: f32 = 236.0;
/// Maximum intensity that dragging reaches, relative to the screen.
const BRIGHTEST: f64 = 8.0;

/// The colour as a screen shows it.
pub(super) fn on_screen(color: Color) -> Color32 {
    let [r, g, b, a] = color.map(|part| if part.is_finite() { part.clamp(0.0, 1.0) as f32 } else { 0.0 });
    Rgba::from_rgba_unmultiplied(r, g, b, a).into()
}

/// `#rrggbb`, with alpha if it is not opaque: the nearest such colour.
fn hex(color: Color) -> String {
    let [r, g, b, a] = on_screen(color).to_srgba_unmultiplied();
    if a == 255 { format!("#{r:02x}{g:02x}{b:02x}") } else { format!("#{r:02x}{g:02x}{b:02x}{a:02x}") }
}

/// A field in this colour with this width.
pub(super) fn swatch(ui: &mut Ui, color: Color, size: egui::Vec2, label: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let inner = rect.shrink(1.0);
    show_color_at(ui.painter(), on_screen(color), inner);
    let look = theme::current(ui);
    let stroke = if response.hovered() { look.text } else { look.line };
    ui.painter().rect_stroke(rect, CornerRadius::same(3), egui::Stroke::new(1.5, stroke), StrokeKind::Inside);
    let enabled = response.enabled();
    response.widget_info(|| WidgetInfo::labeled(WidgetType::ColorButton, enabled, label));
    response
}

/// A colour in a row: its swatch, which opens the picker, and its hexadecimal digits.
pub(super) fn field(ui: &mut Ui, id: Id, name: &str, color: Color, mixed: bool) -> Option<Color> {
    ui.horizontal(|ui| {
        let digits = 78.0_f32.min(0.55 * ui.available_width());
        let size = vec2(ui.available_width() - digits - 8.0, HEIGHT);
        let swatch = swatch(ui, color, size, &format!("param {name}"));
        let popup = Popup::from_toggle_button_response(&swatch).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let picked = popup.show(|ui| editor(ui, id, name, color)).and_then(|inner| inner.inner);
        let current = if mixed { String::new() } else { hex(color) };
        picked.or(typed(ui, id.with("hex"), &format!("hex {name}"), &current, color, digits))
    })
    .inner
}

fn typed(ui: &mut Ui, id: Id, label: &str, current: &str, color: Color, width: f32) -> Option<Color> {
    let (response, typed) = row::text(ui, id, current, |text| {
        egui::TextEdit::singleline(text).font(egui::TextStyle::Monospace).desired_width(width)
    });
    response.widget_info(|| WidgetInfo::labeled(WidgetType::TextEdit, true, label));
    let digits = typed?;
    let digits = digits.trim().trim_start_matches('#');
    let [r, g, b, a] = color_from_hex(&format!("#{digits}"))?;
    Some([r, g, b, if digits.len() == 8 { a } else { color[3] }])
}

/// The picker with all components of a colour.
pub(super) fn editor(ui: &mut Ui, id: Id, name: &str, color: Color) -> Option<Color> {
    ui.set_width(PICKER);
    ui.spacing_mut().slider_width = PICKER - 4.0;
    let [r, g, b, alpha] = color;
    // A colour brighter than a screen is a screen colour times an intensity.
    let intensity = [r, g, b].into_iter().fold(1.0, f64::max);
    let remembered: Option<(Color, Hsva)> = ui.data(|data| data.get_temp(id.with("hsva")));
    // Grey has no hue; it keeps the hue that it was dragged from.
    let hsva = remembered.filter(|(of, _)| *of == color).map(|(_, hsva)| hsva);
    let mut hsva = hsva.unwrap_or_else(|| {
        let [r, g, b] = [r, g, b].map(|part| (part / intensity).clamp(0.0, 1.0) as f32);
        Hsva::from_rgba_unmultiplied(r, g, b, alpha.clamp(0.0, 1.0) as f32)
    });
    let mut new = None;
    if color_picker_hsva_2d(ui, &mut hsva, Alpha::OnlyBlend) {
        let [r, g, b, a] = hsva.to_rgba_unmultiplied().map(f64::from);
        let picked = [r * intensity, g * intensity, b * intensity, a].map(tidy);
        ui.data_mut(|data| data.insert_temp(id.with("hsva"), (picked, hsva)));
        new = Some(picked);
    }
    ui.horizontal(|ui| {
        ui.label(faint(ui, "sRGB"));
        new = new.or(typed(ui, id.with("hex in picker"), &format!("digits {name}"), &hex(color), color, 84.0));
        let bar = Bar {
            id: id.with("intensity"),
            label: format!("intensity {name}"),
            prefix: "×",
            unit: "",
            reach: Some((1.0, BRIGHTEST)),
            range: (Some(1.0), None),
            whole: false,
            computed: false,
            speed: 0.01,
            default: Some(1.0),
            held: false,
            mixed: false,
        };
        let width = ui.available_width();
        let (response, typed) = bar.show(ui, intensity, width, &Numbers::new());
        response.on_hover_text("Intensity: values above 1 are brighter than a screen can show");
        if let Some(TypedValue::Number(bright)) = typed {
            let factor = bright / intensity;
            new = Some([tidy(r * factor), tidy(g * factor), tidy(b * factor), alpha]);
        }
    });
    let linear: Vec<String> = color.iter().map(|part| format!("{part:.3}")).collect();
    ui.label(faint(ui, format!("linear {}", linear.join("  "))));
    new
}

/// A bar of colours from left to right, above a checkerboard that shows transparency.
pub(super) fn paint(ui: &Ui, rect: Rect, at: impl Fn(f64) -> Color) {
    const STEPS: usize = 96;
    if !ui.is_rect_visible(rect) {
        return;
    }
    let painter = ui.painter();
    let side = 0.5 * rect.height().min(12.0);
    let mut ground = egui::Mesh::default();
    let (columns, rows) = ((rect.width() / side).ceil() as usize, (rect.height() / side).ceil() as usize);
    for (column, row) in (0..columns).flat_map(|column| (0..rows).map(move |row| (column, row))) {
        let corner = rect.min + side * vec2(column as f32, row as f32);
        let shade = if (column + row) % 2 == 0 { Color32::from_gray(90) } else { Color32::from_gray(140) };
        ground.add_colored_rect(Rect::from_min_size(corner, vec2(side, side)).intersect(rect), shade);
    }
    painter.add(ground);
    let mut mesh = egui::Mesh::default();
    for step in 0..=STEPS {
        let t = step as f64 / STEPS as f64;
        let x = rect.left() + t as f32 * rect.width();
        let color = on_screen(at(t));
        mesh.colored_vertex(egui::pos2(x, rect.top()), color);
        mesh.colored_vertex(egui::pos2(x, rect.bottom()), color);
        if step > 0 {
            let base = 2 * step as u32;
            mesh.add_triangle(base - 2, base - 1, base);
            mesh.add_triangle(base - 1, base, base + 1);
        }
    }
    painter.add(mesh);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_shown_in_srgb() {
        // 0x80 is 0.2158605 in linear light (IEC 61966-2-1).
        let grey = color_from_hex("#808080").unwrap();
        assert!((grey[0] - 0.215_860_5).abs() < 1e-6);
        assert_eq!(on_screen(grey), Color32::from_rgb(128, 128, 128));
        assert_eq!(hex(grey), "#808080");
        assert_eq!(hex([2.0, 0.0, f64::NAN, 1.0]), "#ff0000", "what no screen shows is cut off");
        for digits in ["#7a5c2e", "#01fe80", "#ffffff40"] {
            assert_eq!(hex(color_from_hex(digits).unwrap()), digits);
        }
    }
}
