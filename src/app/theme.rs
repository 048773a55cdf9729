//! Colours, sizes and spacing of the window, and the colours of wire types and node kinds.

use eframe::egui::{self, Color32, CornerRadius, FontFamily, FontId, Margin, Stroke, TextStyle, Theme, Vec2, vec2};

use crate::document::NodeKind;
use crate::stage::types::{Element, PortType, ValueType};

/// The colours of a theme.
#[derive(Debug)]
pub(super) struct Look {
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
    /// Brightness of wires and ports, relative to the dark theme.
    ink: f32,
}

/// The colours of a stage's text; ports have those of their wires.
#[derive(Debug)]
pub(super) struct Syntax {
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
    ink: 1.0,
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
    ink: 0.62,
};

/// The current colours.
pub(super) fn of(ui: &egui::Ui) -> &'static Look {
    look(ui.ctx())
}

/// The same without an [`egui::Ui`].
pub(super) fn look(ctx: &egui::Context) -> &'static Look {
    match ctx.theme() {
        Theme::Dark => &DARK,
        Theme::Light => &LIGHT,
    }
}

/// Height of the bars at the edges of the window and of its panes \[points\].
pub(super) const BAR_HEIGHT: f32 = 30.0;

/// Gap between two widgets \[points\].
pub(super) const GAP: Vec2 = vec2(8.0, 6.0);

/// A colour of the document.
pub(super) fn color(color: crate::document::Color) -> Color32 {
    let [r, g, b] = color.0;
    Color32::from_rgb(r, g, b)
}

/// Sets the style of the window, for both themes.
pub(super) fn install(ctx: &egui::Context) {
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
pub(super) fn bar(ui: &egui::Ui) -> egui::Frame {
    egui::Frame::new().fill(of(ui).bar).inner_margin(Margin::symmetric(10, 3))
}

/// The inside of a pane.
pub(super) fn pane(ui: &egui::Ui) -> egui::Frame {
    egui::Frame::new().fill(of(ui).panel).inner_margin(Margin::symmetric(12, 8))
}

impl Look {
    /// Colour of a port and of its wires; a port without a type gets the colour of errors.
    pub(super) fn port(&self, ty: Option<PortType>) -> Color32 {
        let color = match ty {
            None => return self.error,
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
        };
        self.inked(color)
    }

    /// Colour of a curve in a plot, by its place among them.
    pub(super) fn curve(&self, place: usize) -> Color32 {
        let others =
            [(236, 176, 92), (110, 162, 242), (224, 138, 178), (122, 200, 142), (186, 138, 235), (226, 214, 120)];
        match place % (others.len() + 1) {
            0 => self.accent,
            place => others.get(place - 1).map_or(self.text, |(r, g, b)| self.inked(Color32::from_rgb(*r, *g, *b))),
        }
    }

    /// Colour of a share of the GPU time, 0 to 1.
    pub(super) fn heat(&self, share: f32) -> Color32 {
        let cold = self.accent;
        let hot = self.error;
        if share < 0.5 {
            cold.lerp_to_gamma(self.warning, 2.0 * share)
        } else {
            self.warning.lerp_to_gamma(hot, 2.0 * share - 1.0)
        }
    }

    /// On a light background, lines have to be darker.
    fn inked(&self, color: Color32) -> Color32 {
        let part = |v: u8| (f32::from(v) * self.ink) as u8;
        Color32::from_rgb(part(color.r()), part(color.g()), part(color.b()))
    }

    /// Colour of a node's title bar: of a stage that of its folder.
    pub(super) fn kind(&self, kind: &NodeKind) -> Color32 {
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
