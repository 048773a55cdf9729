//! Colours, sizes and spacing of the window, and the colours of wire types and node kinds.

use eframe::egui::{self, Color32, CornerRadius, FontFamily, FontId, Margin, Stroke, TextStyle, Theme, Vec2, vec2};

use crate::document::NodeKind;
use crate::stage::types::{Element, PortType, ValueType};

pub const CANVAS: Color32 = Color32::from_rgb(17, 19, 22);
pub const CANVAS_DOT: Color32 = Color32::from_rgb(43, 48, 54);
pub const PANEL: Color32 = Color32::from_rgb(25, 28, 32);
pub const BAR: Color32 = Color32::from_rgb(30, 33, 38);
pub const NODE: Color32 = Color32::from_rgb(35, 39, 45);
pub const LINE: Color32 = Color32::from_rgb(48, 53, 60);
pub const FIELD: Color32 = Color32::from_rgb(18, 20, 23);
pub const TEXT: Color32 = Color32::from_rgb(214, 218, 224);
pub const DIM: Color32 = Color32::from_rgb(144, 152, 163);
pub const FAINT: Color32 = Color32::from_rgb(98, 106, 117);
pub const ACCENT: Color32 = Color32::from_rgb(82, 190, 178);
pub const WARNING: Color32 = Color32::from_rgb(226, 178, 84);
pub const ERROR: Color32 = Color32::from_rgb(232, 116, 108);

/// Height of the bars at the edges of the window and of its panes \[points\].
pub const BAR_HEIGHT: f32 = 30.0;

/// Between two widgets \[points\].
pub const GAP: Vec2 = vec2(8.0, 6.0);

/// Gives the window its look.
pub fn install(ctx: &egui::Context) {
    ctx.set_theme(Theme::Dark);
    // The text font lacks arrows and other signs, which the code font has.
    let mut fonts = egui::FontDefinitions::default();
    let code = fonts.families.get(&FontFamily::Monospace).cloned().unwrap_or_default();
    fonts.families.entry(FontFamily::Proportional).or_default().extend(code);
    ctx.set_fonts(fonts);
    ctx.style_mut_of(Theme::Dark, |style| {
        let sizes = [
            (TextStyle::Small, FontId::proportional(11.0)),
            (TextStyle::Body, FontId::proportional(13.0)),
            (TextStyle::Button, FontId::proportional(13.0)),
            (TextStyle::Heading, FontId::proportional(17.0)),
            (TextStyle::Monospace, FontId::monospace(12.0)),
        ];
        style.text_styles.extend(sizes);
        spacing(&mut style.spacing);
        visuals(&mut style.visuals);
        style.interaction.tooltip_delay = 0.35;
        style.interaction.selectable_labels = false;
        // The inspector shows another node's fields at the same place; that is no mistake.
        #[cfg(debug_assertions)]
        {
            style.debug.warn_if_rect_changes_id = false;
        }
    });
}

fn spacing(spacing: &mut egui::Spacing) {
    spacing.item_spacing = GAP;
    spacing.button_padding = vec2(8.0, 3.0);
    spacing.interact_size.y = 22.0;
    spacing.slider_width = 120.0;
    spacing.window_margin = Margin::same(14);
    spacing.menu_margin = Margin::same(6);
    spacing.tooltip_width = 380.0;
    spacing.scroll = egui::style::ScrollStyle::solid();
    spacing.scroll.bar_width = 7.0;
    spacing.scroll.bar_inner_margin = 3.0;
}

fn visuals(visuals: &mut egui::Visuals) {
    let round = CornerRadius::same(4);
    visuals.panel_fill = PANEL;
    visuals.window_fill = BAR;
    visuals.window_stroke = Stroke::new(1.0, LINE);
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    visuals.extreme_bg_color = FIELD;
    visuals.text_edit_bg_color = Some(FIELD);
    visuals.code_bg_color = FIELD;
    visuals.faint_bg_color = BAR;
    visuals.hyperlink_color = ACCENT;
    visuals.warn_fg_color = WARNING;
    visuals.error_fg_color = ERROR;
    visuals.weak_text_color = Some(DIM);
    visuals.selection.bg_fill = ACCENT.gamma_multiply(0.35);
    visuals.selection.stroke = Stroke::new(1.0, ACCENT);
    visuals.slider_trailing_fill = true;
    visuals.handle_shape = egui::style::HandleShape::Rect { aspect_ratio: 0.45 };
    let states = &mut visuals.widgets;
    for (state, fill, text) in [
        (&mut states.noninteractive, PANEL, TEXT),
        (&mut states.inactive, Color32::from_rgb(45, 50, 57), TEXT),
        (&mut states.hovered, Color32::from_rgb(56, 62, 71), Color32::WHITE),
        (&mut states.active, Color32::from_rgb(66, 73, 83), Color32::WHITE),
        (&mut states.open, Color32::from_rgb(45, 50, 57), Color32::WHITE),
    ] {
        state.bg_fill = fill;
        state.weak_bg_fill = fill;
        state.bg_stroke = Stroke::NONE;
        state.fg_stroke = Stroke::new(1.0, text);
        state.corner_radius = round;
        state.expansion = 0.0;
    }
    states.noninteractive.bg_stroke = Stroke::new(1.0, LINE);
    states.hovered.bg_stroke = Stroke::new(1.0, FAINT);
}

/// A bar at the edge of a pane.
pub fn bar() -> egui::Frame {
    egui::Frame::new().fill(BAR).inner_margin(Margin::symmetric(10, 3))
}

/// The inside of a pane.
pub fn pane() -> egui::Frame {
    egui::Frame::new().fill(PANEL).inner_margin(Margin::symmetric(12, 8))
}

/// Colour of a port and of the wires it feeds; a port that should not be there has none of its own.
pub fn port_color(ty: Option<PortType>) -> Color32 {
    match ty {
        None => ERROR,
        Some(PortType::FaceGrid) => Color32::from_rgb(186, 138, 235),
        Some(PortType::Grid(Element::Generic(_))) => Color32::from_rgb(186, 193, 202),
        Some(PortType::Grid(Element::Fixed(value))) => match value {
            ValueType::F32 => Color32::from_rgb(122, 200, 142),
            ValueType::Vec | ValueType::Vec2 | ValueType::Vec3 => Color32::from_rgb(110, 162, 242),
            ValueType::Vec4 => Color32::from_rgb(236, 176, 92),
            _ => Color32::from_rgb(224, 138, 178),
        },
        Some(PortType::Particles) => Color32::from_rgb(82, 206, 214),
        Some(PortType::NeighborGrid) => Color32::from_rgb(58, 150, 160),
        Some(PortType::Field(_)) => Color32::from_rgb(226, 214, 120),
        Some(PortType::Number(_)) => Color32::from_rgb(142, 152, 166),
    }
}

/// Colour of a node's title bar.
pub fn kind_color(kind: &NodeKind) -> Color32 {
    match kind {
        NodeKind::Stage(name) => match name.split('/').next() {
            Some("view") => Color32::from_rgb(160, 112, 48),
            Some("image") => Color32::from_rgb(148, 86, 62),
            Some("fluid") => Color32::from_rgb(44, 98, 142),
            Some("staggered") => Color32::from_rgb(92, 72, 146),
            Some("particles" | "neighbors") => Color32::from_rgb(24, 106, 116),
            Some("sph") => Color32::from_rgb(28, 88, 150),
            Some("shape" | "field") => Color32::from_rgb(122, 112, 40),
            Some("curl_noise") => Color32::from_rgb(110, 84, 140),
            Some("filter") => Color32::from_rgb(136, 76, 92),
            Some("grid") => Color32::from_rgb(52, 112, 98),
            _ => Color32::from_rgb(70, 86, 112),
        },
        NodeKind::Custom(_) => Color32::from_rgb(130, 70, 108),
        NodeKind::Group(_) => Color32::from_rgb(76, 82, 132),
        NodeKind::File(_) => Color32::from_rgb(122, 112, 40),
        NodeKind::State(_) => Color32::from_rgb(40, 118, 82),
        NodeKind::Domain(_) => Color32::from_rgb(84, 90, 98),
        NodeKind::Number(_) => Color32::from_rgb(94, 98, 106),
        NodeKind::Output(_) => Color32::from_rgb(150, 64, 64),
        NodeKind::Unknown => Color32::from_rgb(110, 60, 60),
    }
}
