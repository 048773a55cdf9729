//! Colours, sizes and spacing of the window, and the colours of wire types and node kinds.

use eframe::egui::{self, Color32, CornerRadius, FontFamily, FontId, Margin, Stroke, TextStyle, Theme, Vec2, vec2};

use crate::document::NodeKind;
use crate::stage::types::{Element, PortType, ValueType};

/// The colours of a theme.
#[derive(Debug)]
pub(crate) struct Look {
    pub dark: bool,
    pub canvas: Color32,
    pub canvas_dot: Color32,
    pub panel: Color32,
    pub bar: Color32,
    pub node: Color32,
    pub line: Color32,
    pub field: Color32,
    /// Around an image: neutral, so that its colours appear unchanged.
    pub ground: Color32,
    /// A button: idle, hovered and pressed.
    pub button: [Color32; 3],
    pub syntax: Syntax,
    pub text: Color32,
    /// Text that stands out, on a hovered button.
    pub bright: Color32,
    pub dim: Color32,
    pub faint: Color32,
    pub accent: Color32,
    pub warning: Color32,
    pub error: Color32,
    pub shadow: Color32,
    /// Comment frames that have no colour of their own.
    pub frame: Color32,
    wires: Wires,
}

/// The colours of wires and ports by type. They stay apart with each kind of colour blindness, and from the ground; a test simulates it.
#[derive(Debug)]
struct Wires {
    face_grid: Color32,
    generic: Color32,
    scalar: Color32,
    vector: Color32,
    image: Color32,
    /// Grids of any other value.
    other: Color32,
    particles: Color32,
    neighbor_grid: Color32,
    field: Color32,
    number: Color32,
}

/// The colours of a stage's text; ports have those of their wires.
#[derive(Debug)]
pub(crate) struct Syntax {
    pub comment: Color32,
    pub doc: Color32,
    pub keyword: Color32,
    pub ty: Color32,
    pub number: Color32,
    pub attribute: Color32,
    pub function: Color32,
    pub builtin: Color32,
}

const fn rgb(r: u8, g: u8, b: u8) -> Color32 {
    Color32::from_rgb(r, g, b)
}

static DARK: Look = Look {
    dark: true,
    canvas: rgb(17, 19, 22),
    canvas_dot: rgb(43, 48, 54),
    panel: rgb(25, 28, 32),
    bar: rgb(30, 33, 38),
    node: rgb(35, 39, 45),
    line: rgb(48, 53, 60),
    field: rgb(18, 20, 23),
    ground: rgb(20, 20, 21),
    button: [rgb(45, 50, 57), rgb(56, 62, 71), rgb(66, 73, 83)],
    syntax: Syntax {
        comment: rgb(122, 130, 141),
        doc: rgb(164, 176, 166),
        keyword: rgb(204, 146, 214),
        ty: rgb(110, 190, 206),
        number: rgb(222, 172, 122),
        attribute: rgb(224, 196, 112),
        function: rgb(142, 178, 240),
        builtin: rgb(214, 150, 150),
    },
    text: rgb(214, 218, 224),
    bright: Color32::WHITE,
    dim: rgb(150, 158, 169),
    faint: rgb(122, 130, 141),
    accent: rgb(82, 190, 178),
    warning: rgb(226, 178, 84),
    error: rgb(232, 116, 108),
    shadow: Color32::from_black_alpha(110),
    frame: rgb(110, 122, 140),
    wires: Wires {
        face_grid: rgb(176, 123, 214),
        generic: rgb(199, 205, 203),
        scalar: rgb(123, 204, 146),
        vector: rgb(117, 170, 251),
        image: rgb(239, 175, 88),
        other: rgb(234, 143, 193),
        particles: rgb(88, 207, 219),
        neighbor_grid: rgb(36, 134, 153),
        field: rgb(228, 216, 127),
        number: rgb(138, 149, 157),
    },
};

static LIGHT: Look = Look {
    dark: false,
    canvas: rgb(226, 229, 233),
    canvas_dot: rgb(196, 201, 208),
    panel: rgb(243, 244, 246),
    bar: rgb(234, 236, 239),
    node: rgb(251, 252, 253),
    line: rgb(203, 208, 214),
    field: rgb(255, 255, 255),
    ground: rgb(200, 201, 203),
    button: [rgb(219, 223, 228), rgb(207, 212, 219), rgb(193, 199, 207)],
    syntax: Syntax {
        comment: rgb(104, 112, 123),
        doc: rgb(66, 92, 72),
        keyword: rgb(138, 44, 156),
        ty: rgb(0, 104, 124),
        number: rgb(150, 76, 0),
        attribute: rgb(126, 92, 0),
        function: rgb(26, 84, 176),
        builtin: rgb(154, 46, 54),
    },
    text: rgb(32, 36, 42),
    bright: Color32::BLACK,
    dim: rgb(80, 88, 99),
    faint: rgb(104, 112, 123),
    accent: rgb(0, 121, 108),
    warning: rgb(146, 96, 0),
    error: rgb(186, 44, 38),
    shadow: Color32::from_black_alpha(45),
    frame: rgb(110, 122, 140),
    wires: Wires {
        face_grid: rgb(104, 76, 132),
        generic: rgb(126, 126, 126),
        scalar: rgb(85, 126, 89),
        vector: rgb(84, 112, 168),
        image: rgb(105, 77, 17),
        other: rgb(133, 85, 118),
        particles: rgb(5, 133, 147),
        neighbor_grid: rgb(55, 94, 82),
        field: rgb(139, 128, 70),
        number: rgb(61, 73, 85),
    },
};

/// The current colours.
pub(crate) fn current(ui: &egui::Ui) -> &'static Look {
    current_in(ui.ctx())
}

/// The current colours, without an [`egui::Ui`].
pub(crate) fn current_in(ctx: &egui::Context) -> &'static Look {
    match ctx.theme() {
        Theme::Dark => &DARK,
        Theme::Light => &LIGHT,
    }
}

/// Height of the bars at the edges of the window and of its panes \[points\].
pub(crate) const BAR_HEIGHT: f32 = 30.0;

/// Gap between two widgets \[points\].
pub(crate) const GAP: Vec2 = vec2(8.0, 6.0);

/// A colour of the document.
pub(crate) fn color(color: crate::document::Color) -> Color32 {
    let [r, g, b] = color.0;
    Color32::from_rgb(r, g, b)
}

/// Sets the style of the window, for both themes.
pub(crate) fn install(ctx: &egui::Context) {
    // The text font lacks arrows and other symbols, which the code font has.
    let mut fonts = egui::FontDefinitions::default();
    let code = fonts.families.get(&FontFamily::Monospace).cloned().unwrap_or_default();
    fonts.families.entry(FontFamily::Proportional).or_default().extend(code);
    ctx.set_fonts(fonts);
    for (theme, look) in [(Theme::Dark, &DARK), (Theme::Light, &LIGHT)] {
        ctx.style_mut_of(theme, |style| {
            let sizes = [
                (TextStyle::Small, FontId::proportional(11.0)),
                (TextStyle::Body, FontId::proportional(13.0)),
                (TextStyle::Button, FontId::proportional(13.0)),
                (TextStyle::Heading, FontId::proportional(17.0)),
                (TextStyle::Monospace, FontId::monospace(12.0)),
            ];
            style.text_styles.extend(sizes);
            spacing(&mut style.spacing);
            visuals(&mut style.visuals, look);
            style.interaction.tooltip_delay = 0.35;
            style.interaction.selectable_labels = false;
            // The inspector may show another node's fields at the same place, which is intended.
            #[cfg(debug_assertions)]
            {
                style.debug.warn_if_rect_changes_id = false;
            }
        });
    }
}

/// Width of a tooltip with a long text \[points\].
pub(crate) const TOOLTIP: f32 = 340.0;

fn spacing(spacing: &mut egui::Spacing) {
    spacing.item_spacing = GAP;
    spacing.button_padding = vec2(8.0, 3.0);
    spacing.interact_size.y = 22.0;
    spacing.slider_width = 120.0;
    spacing.window_margin = Margin::same(14);
    spacing.menu_margin = Margin::same(6);
    spacing.tooltip_width = TOOLTIP;
    spacing.scroll = egui::style::ScrollStyle::solid();
    spacing.scroll.bar_width = 7.0;
    spacing.scroll.bar_inner_margin = 3.0;
}

fn visuals(visuals: &mut egui::Visuals, look: &Look) {
    let round = CornerRadius::same(4);
    visuals.panel_fill = look.panel;
    visuals.window_fill = look.bar;
    visuals.window_stroke = Stroke::new(1.0, look.line);
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    visuals.extreme_bg_color = look.field;
    visuals.text_edit_bg_color = Some(look.field);
    visuals.code_bg_color = look.field;
    visuals.faint_bg_color = look.bar;
    visuals.hyperlink_color = look.accent;
    visuals.warn_fg_color = look.warning;
    visuals.error_fg_color = look.error;
    visuals.weak_text_color = Some(look.dim);
    visuals.selection.bg_fill = look.accent.gamma_multiply(0.35);
    visuals.selection.stroke = Stroke::new(1.0, look.accent);
    visuals.slider_trailing_fill = true;
    visuals.handle_shape = egui::style::HandleShape::Rect { aspect_ratio: 0.45 };
    let [rest, hovered, pressed] = look.button;
    let states = &mut visuals.widgets;
    for (state, fill, text) in [
        (&mut states.noninteractive, look.panel, look.text),
        (&mut states.inactive, rest, look.text),
        (&mut states.hovered, hovered, look.bright),
        (&mut states.active, pressed, look.bright),
        (&mut states.open, rest, look.bright),
    ] {
        state.bg_fill = fill;
        state.weak_bg_fill = fill;
        state.bg_stroke = Stroke::NONE;
        state.fg_stroke = Stroke::new(1.0, text);
        state.corner_radius = round;
        state.expansion = 0.0;
    }
    states.noninteractive.bg_stroke = Stroke::new(1.0, look.line);
    states.hovered.bg_stroke = Stroke::new(1.0, look.faint);
}

/// A bar at the edge of a pane.
pub(crate) fn bar(ui: &egui::Ui) -> egui::Frame {
    egui::Frame::new().fill(current(ui).bar).inner_margin(Margin::symmetric(10, 3))
}

/// The inside of a pane.
pub(crate) fn pane(ui: &egui::Ui) -> egui::Frame {
    egui::Frame::new().fill(current(ui).panel).inner_margin(Margin::symmetric(12, 8))
}

impl Look {
    /// Colour of a port and of its wires; a port without a type gets the colour of errors.
    pub(crate) fn port(&self, ty: Option<PortType>) -> Color32 {
        let wires = &self.wires;
        match ty {
            None => self.error,
            Some(PortType::FaceGrid) => wires.face_grid,
            Some(PortType::Grid(Element::Generic(_))) => wires.generic,
            Some(PortType::Grid(Element::Fixed(value))) => match value {
                ValueType::F32 => wires.scalar,
                ValueType::Vec | ValueType::Vec2 | ValueType::Vec3 => wires.vector,
                ValueType::Vec4 => wires.image,
                _ => wires.other,
            },
            Some(PortType::Particles) => wires.particles,
            Some(PortType::NeighborGrid) => wires.neighbor_grid,
            Some(PortType::Field(_)) => wires.field,
            Some(PortType::Number(_)) => wires.number,
        }
    }

    /// Colour of a curve in a plot, by its place among them.
    pub(crate) fn curve(&self, place: usize) -> Color32 {
        let wires = &self.wires;
        let others = [wires.image, wires.vector, wires.other, wires.scalar, wires.face_grid, wires.field];
        match place % (others.len() + 1) {
            0 => self.accent,
            place => others.get(place - 1).copied().unwrap_or(self.text),
        }
    }

    /// Colour of a share of the GPU time, 0 to 1.
    pub(crate) fn heat(&self, share: f32) -> Color32 {
        let cold = self.accent;
        let hot = self.error;
        if share < 0.5 {
            cold.lerp_to_gamma(self.warning, 2.0 * share)
        } else {
            self.warning.lerp_to_gamma(hot, 2.0 * share - 1.0)
        }
    }

    /// Colour of a node's title bar: of a stage that of its folder.
    pub(crate) fn kind(&self, kind: &NodeKind) -> Color32 {
        let folder = match kind {
            NodeKind::Stage(name) => name.split('/').next(),
            _ => None,
        };
        match folder {
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
            _ => color(kind.info().color),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Matrix = [[f64; 3]; 3];

    /// Sight without and with complete colour blindness, on linear RGB: Machado, Oliveira, Fernandes, "A Physiologically-based
    /// Model for Simulation of Color Vision Deficiency", IEEE TVCG 15 (2009), table of severity 1.0.
    const SIGHTS: [(&str, Matrix); 4] = [
        ("full", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (
            "protanopia",
            [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        ),
        (
            "deuteranopia",
            [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        ),
        (
            "tritanopia",
            [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
        ),
    ];
    /// Linear sRGB to CIE XYZ (IEC 61966-2-1).
    const XYZ: Matrix =
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]];
    /// Distance in CIE Lab of colours that are told apart at a glance, side by side or not. About 2.3 is just noticeable side by side.
    const APART: f64 = 11.0;
    /// Contrast of lines to their ground (WCAG 2.1, 1.4.11).
    const CONTRAST: f64 = 3.0;

    fn times(matrix: &Matrix, v: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
    }

    fn linear(color: Color32) -> [f64; 3] {
        [color.r(), color.g(), color.b()].map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// CIE Lab of a linear colour, with white at (100, 0, 0).
    fn lab(linear: [f64; 3]) -> [f64; 3] {
        let white = times(&XYZ, [1.0; 3]);
        let xyz = times(&XYZ, linear);
        let [x, y, z] = [0, 1, 2].map(|i| {
            let t: f64 = xyz[i] / white[i];
            if t > 216.0 / 24389.0 { t.cbrt() } else { (24389.0 / 27.0 * t + 16.0) / 116.0 }
        });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn lab_has_its_published_values() {
        let close =
            |color, expected| assert!(distance(lab(linear(color)), expected) < 0.02, "{:?}", lab(linear(color)));
        close(rgb(255, 255, 255), [100.0, 0.0, 0.0]);
        close(rgb(255, 0, 0), [53.24, 80.09, 67.20]);
        close(rgb(0, 0, 255), [32.30, 79.19, -107.86]);
    }

    #[test]
    fn the_colors_of_types_stay_apart_without_full_color_vision() {
        for look in [&DARK, &LIGHT] {
            let w = &look.wires;
            let colors = [
                ("error", look.error),
                ("face grid", w.face_grid),
                ("generic", w.generic),
                ("scalar", w.scalar),
                ("vector", w.vector),
                ("image", w.image),
                ("other", w.other),
                ("particles", w.particles),
                ("neighbor grid", w.neighbor_grid),
                ("field", w.field),
                ("number", w.number),
            ];
            let luminance = |color| times(&XYZ, linear(color))[1];
            for (index, (one, color)) in colors.iter().enumerate() {
                for ground in [look.canvas, look.node] {
                    let (a, b) = (luminance(*color), luminance(ground));
                    let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                    assert!(contrast >= CONTRAST, "{one}, dark {}: contrast {contrast:.2}", look.dark);
                }
                for (other, second) in colors.iter().skip(index + 1) {
                    for (sight, matrix) in &SIGHTS {
                        let seen = |color| lab(times(matrix, linear(color)).map(|part| part.clamp(0.0, 1.0)));
                        let far = distance(seen(*color), seen(*second));
                        assert!(far >= APART, "{one} and {other}, dark {}, {sight}: {far:.1}", look.dark);
                    }
                }
            }
        }
    }
}
