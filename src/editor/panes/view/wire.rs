//! The view of a wire: display settings, statistics, and the value under the pointer.

use eframe::egui::{self, Align2, FontId, Rect, RichText, Sense, Ui, pos2, vec2};

use super::camera::{self, Orbits};
use super::course::Course;
use super::profile::Line;
use super::ticks::number;
use super::widgets::choice;
use crate::commands::action::{Action, Actions};
use crate::expr::typed;
use crate::graph::field_samples::split;
use crate::model::session::Session;
use crate::sim::Simulation;
use crate::sim::camera::Orbit;
use crate::sim::wire_view::{Axis, ColorMap, Show, Statistics, View, Viewer, Volume};
use crate::stage::types::WireType;
use crate::toolkit::number::number_field;
use crate::toolkit::theme;

const SHOWS: [(Show, &str); 8] = [
    (Show::Auto, "Value"),
    (Show::Magnitude, "length"),
    (Show::Direction, "direction"),
    (Show::Color, "colour"),
    (Show::Component(0), "x"),
    (Show::Component(1), "y"),
    (Show::Component(2), "z"),
    (Show::Component(3), "w"),
];
const AXES: [(Axis, &str); 3] = [(Axis::X, "x"), (Axis::Y, "y"), (Axis::Z, "z")];
/// How often to check whether a value has arrived.
const ANSWER: std::time::Duration = std::time::Duration::from_millis(50);
/// Most numbers of a value in one line.
const LINE: usize = 6;
/// A view below this height has no histogram, which would leave no room for the image \[points\].
const LOW: f32 = 250.0;
/// Width of what chooses a slice of a volume \[points\].
const DEPTH: f32 = 330.0;
/// Height of the histogram's bars, and of the numbers below them \[points\].
const HISTOGRAM: f32 = 40.0;
const ENDS: f32 = 13.0;

/// A viewed wire.
pub(crate) struct WireView {
    view: View,
    viewer: Option<Viewer>,
    /// Where the value was requested.
    pointed: Option<[f32; 2]>,
    /// The plot of a number.
    pub(super) course: Course,
    /// A line with a plot of the values along it.
    line: Option<Line>,
}

impl WireView {
    pub(crate) fn new(view: View) -> WireView {
        WireView { view, viewer: None, pointed: None, course: Course::default(), line: None }
    }

    /// Another view of the same, on any device.
    pub(super) fn another(&self) -> WireView {
        let line = self.line.as_ref().map(Line::another);
        WireView { course: self.course.another(), line, ..WireView::new(self.view.clone()) }
    }

    pub(crate) fn view(&self) -> &View {
        &self.view
    }

    /// Updates the viewer from the wire after the last frame.
    ///
    /// # Errors
    /// Why the wire cannot be shown, in one sentence.
    pub(crate) fn update_viewer(&mut self, simulation: &Simulation) -> Result<&Viewer, String> {
        let viewer = match self.viewer.take() {
            Some(viewer) => viewer,
            None => Viewer::new(simulation.gpu()).map_err(|problem| problem.to_string())?,
        };
        let viewer = self.viewer.insert(viewer);
        viewer.update(simulation, &self.view).map_err(|problem| problem.to_string())?;
        if let Some(line) = &mut self.line {
            line.update(simulation);
        }
        Ok(viewer)
    }

    /// Requests the value under the pointer. Returns whether the view has to be updated.
    pub(crate) fn point(&mut self, ui: &Ui, at: Option<[f32; 2]>, hovered: bool) -> bool {
        let Some(viewer) = &mut self.viewer else { return false };
        let at = at.filter(|_| hovered);
        viewer.set_pointer(at);
        let Some(at) = at else {
            self.pointed = None;
            return false;
        };
        // The value arrives some frames later, even if nothing moves.
        ui.ctx().request_repaint_after(ANSWER);
        self.pointed.replace(at) != Some(at)
    }

    /// Asks for the history of the cell or particle under the pointer.
    pub(super) fn pick(&mut self) -> Option<Action> {
        let sample = self.viewer.as_mut()?.picked()?;
        Some(Action::PickElement { wire: self.view.wire.clone(), cell: sample.cell, index: sample.index })
    }

    /// The cell along x, y, z, and the index, of the element whose value is shown for the pointer.
    pub(super) fn picked(&mut self) -> Option<(Option<[u32; 3]>, u64)> {
        self.viewer.as_mut()?.picked().map(|sample| (sample.cell, sample.index))
    }

    /// Orbits a view in three dimensions. `height`: of the image on the screen \[points\].
    pub(super) fn orbit(&mut self, ui: &Ui, response: &egui::Response, height: f32) -> Orbits {
        let Some(before) = self.view.camera else { return Orbits::No };
        match camera::turned(ui, response, height, before) {
            Some(now) => {
                self.view.camera = Some(now);
                Orbits::Moved
            }
            None => Orbits::Still,
        }
    }

    /// Everything below the image, in a view of this height \[points\]. Returns whether the image has to be updated.
    pub(crate) fn controls(&mut self, ui: &mut Ui, session: &Session, height: f32) -> bool {
        let before = self.view.clone();
        let wire = session.running_simulation().and_then(|s| {
            let plan = s.plan();
            let wire = plan.wires.get(&self.view.wire)?;
            let domain = wire.domain.and_then(|d| plan.domains.get(d));
            Some((wire.ty, wire.dim, domain.map(|d| (d.dim, d.size()))))
        });
        let mut toggled = false;
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
            if let Some((domains, now)) = session.places_of_field(&self.view.wire) {
                self.place_of_field(ui, session, &domains, &now);
            }
            self.how(ui);
            if let Some((ty, dim, domain)) = wire {
                depth(ui, &mut self.view, ty, domain.map_or(dim, |(dim, _)| dim), domain.map(|(_, size)| size));
                if matches!(ty, WireType::Grid(_)) {
                    ui.separator();
                    let on = self.line.is_some();
                    if choice(ui, on, "Profile", "Plot the values along a line").clicked() {
                        self.line = (!on).then(|| Line::new(&self.view.wire));
                        toggled = true;
                    }
                }
            }
        });
        let mut fresh = toggled;
        if let Some(viewer) = &mut self.viewer {
            let sample = viewer.picked().map(|sample| (sample.cell, sample.index, sample.components.clone()));
            if let Some(statistics) = viewer.statistics().cloned() {
                fresh |= self.found(ui, &statistics, sample, height >= LOW);
            }
        }
        fresh || self.view != before
    }

    /// The domain that a field is looked at on.
    fn place_of_field(&mut self, ui: &mut Ui, session: &Session, domains: &[String], now: &str) {
        let hint = "A field has a value at every position. Shown are its values at the cell centres of this domain";
        combo(ui, "domain of the field", now, hint, |ui| {
            for name in domains {
                if ui.selectable_label(name == now, name).clicked() {
                    let field = split(&self.view.wire).0.to_string();
                    self.view.wire = session.on_domain(field, Some(name));
                    self.line = None;
                }
            }
        });
    }

    /// Dimensions and size \[m\] of the grid's domain, if a line lies in it.
    fn space(&self, session: &Session) -> Option<(u32, [f64; 3])> {
        let plan = session.running_simulation()?.plan();
        let domain = plan.domains.get(plan.wires.get(&self.view.wire)?.domain?)?;
        self.line.as_ref().map(|_| (domain.dim, domain.size()))
    }

    /// Draws the plot of values along a line.
    pub(super) fn profile(&mut self, ui: &mut Ui, session: &Session, actions: &mut Actions) {
        if let (Some(space), Some(line)) = (self.space(session), &mut self.line) {
            line.show(ui, session, space, actions);
        }
    }

    /// Draws the line over the image of a 2D domain. A press in the image moves it there.
    pub(super) fn draw_line(&mut self, ui: &Ui, session: &Session, rect: Rect, pressed: Option<[f32; 2]>) {
        let Some((2, size)) = self.space(session) else { return };
        let Some(line) = &mut self.line else { return };
        if let Some(at) = pressed {
            line.move_to(at.map(|share| share.clamp(0.0, 1.0)), size);
        }
        let place = |[x, y]: [f32; 2]| pos2(rect.left() + x * rect.width(), rect.bottom() - y * rect.height());
        let ends = line.ends(size).map(place);
        let look = theme::current(ui);
        for (width, color) in [(3.0, look.ground), (1.0, look.accent)] {
            ui.painter().line_segment(ends, egui::Stroke::new(width, color));
        }
    }

    /// Which part of each element is shown, with which colour map and range.
    fn how(&mut self, ui: &mut Ui) {
        match self.viewer.as_ref().and_then(Viewer::several) {
            Some(count) => {
                let now = if let Show::Component(index) = self.view.show { index } else { 0 };
                combo(ui, "show", &format!("number {now}"), "Which number of each cell is shown", |ui| {
                    for index in 0..count as u8 {
                        ui.selectable_value(&mut self.view.show, Show::Component(index), format!("number {index}"));
                    }
                });
            }
            None => {
                let text = SHOWS.iter().find(|(show, _)| *show == self.view.show).map_or("", |(_, text)| text);
                combo(ui, "show", text, "Which part of each value is shown", |ui| {
                    for (show, text) in SHOWS {
                        ui.selectable_value(&mut self.view.show, show, text);
                    }
                });
            }
        }
        let fixed_colors = match self.viewer.as_ref().and_then(Viewer::shown).filter(|shown| !shown.is_mapped()) {
            Some(Show::Color) => Some("The values are colours. Show one component to use a colour map"),
            Some(_) => Some(
                "Hue shows the direction of a vector, lightness its length. Show the length or a component to use a colour map",
            ),
            None => None,
        };
        ui.add_enabled_ui(fixed_colors.is_none(), |ui| {
            combo(ui, "colour map", self.view.map.name(), fixed_colors.unwrap_or("Colours for numbers"), |ui| {
                for map in ColorMap::ALL {
                    ui.selectable_value(&mut self.view.map, map, map.name());
                }
            });
        });
        let mut automatic = self.view.range.is_none();
        let latest = self.viewer.as_mut().and_then(|viewer| viewer.statistics()).map_or((0.0, 1.0), |s| s.range);
        if ui.checkbox(&mut automatic, "auto").on_hover_text("Fit the colour range to the values").changed() {
            self.view.range = (!automatic).then_some(latest);
        }
        let (mut low, mut high) = self.view.range.unwrap_or(latest);
        ui.add_enabled_ui(!automatic, |ui| {
            let speed = (0.005 * (high - low).abs()).max(1e-6);
            for (value, name) in [(&mut low, "least"), (&mut high, "greatest")] {
                let field = number_field(ui, value).speed(speed).max_decimals(6);
                let response = ui.add_sized([74.0, 20.0], field);
                let name = format!("{name} colour");
                response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::DragValue, true, &name));
                response.on_hover_text(format!("Value of the {name}"));
            }
        });
        if !automatic {
            self.view.range = Some((low, high));
        }
    }

    /// Statistics, the histogram if there is room for it, and the value under the pointer. Returns whether the range was changed on the histogram.
    fn found(
        &mut self,
        ui: &mut Ui,
        statistics: &Statistics,
        sample: Option<(Option<[u32; 3]>, u64, Vec<f64>)>,
        room: bool,
    ) -> bool {
        let look = theme::current(ui);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 2.0);
            for (name, value) in
                [("min", statistics.min), ("mean", statistics.mean), ("max", statistics.max), ("rms", statistics.rms)]
            {
                ui.label(RichText::new(name).small().color(look.faint));
                ui.label(RichText::new(number(value)).monospace());
            }
            ui.label(RichText::new("values").small().color(look.faint));
            ui.label(RichText::new(statistics.count.to_string()).monospace());
            for (name, count) in [("NaN", statistics.nan), ("infinite", statistics.infinite)] {
                let color = if count > 0 { look.error } else { look.faint };
                ui.label(RichText::new(name).small().color(color));
                let count = RichText::new(count.to_string()).monospace();
                ui.label(count.color(color));
            }
        });
        let changed = room && self.histogram(ui, statistics);
        let text = match sample {
            None => "Point at the image to read a value".to_string(),
            Some((cell, index, components)) => {
                // More numbers than a line holds would move the image below the pointer.
                let shown = if let Show::Component(number) = self.view.show { usize::from(number) } else { 0 };
                let values: Vec<String> = match components.get(shown).filter(|_| components.len() > LINE) {
                    Some(value) => vec![format!("number {shown}"), number(*value)],
                    None => components.iter().map(|value| number(*value)).collect(),
                };
                let place = cell.map_or_else(|| format!("particle {index}"), |[x, y, z]| format!("cell {x}, {y}, {z}"));
                format!("{place}:  {}", values.join("  "))
            }
        };
        ui.label(RichText::new(text).monospace().color(look.dim));
        changed
    }

    /// The histogram over the colour map; dragging over it sets the range.
    fn histogram(&mut self, ui: &mut Ui, statistics: &Statistics) -> bool {
        let look = theme::current(ui);
        let size = vec2(ui.available_width(), HISTOGRAM + ENDS);
        let (whole, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        let (rect, ends) = whole.split_top_bottom_at_y(whole.top() + HISTOGRAM);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, "Histogram"));
        let painter = ui.painter_at(whole);
        painter.rect_filled(rect, 3.0, look.field);
        let most = statistics.histogram.iter().max().copied().unwrap_or(0).max(1) as f32;
        let (first, last) = match statistics.edges.as_slice() {
            [first, .., last] if last > first => (*first, *last),
            _ => return false,
        };
        let x = |value: f64| rect.left() + ((value - first) / (last - first)) as f32 * rect.width();
        let (low, high) = statistics.range;
        for (count, edges) in statistics.histogram.iter().zip(statistics.edges.windows(2)) {
            let (Some(left), Some(right)) = (edges.first(), edges.last()) else { continue };
            // The square root, so that a single large bar does not hide all others.
            let height = (*count as f32 / most).sqrt() * (rect.height() - 4.0);
            let bar = Rect::from_min_max(pos2(x(*left) + 0.5, rect.bottom() - height), pos2(x(*right), rect.bottom()));
            let middle = 0.5 * (left + right);
            let inside = middle >= low && middle <= high;
            painter.rect_filled(bar, 0.0, if inside { look.accent } else { look.faint.gamma_multiply(0.6) });
        }
        for (edge, align) in [(first, Align2::LEFT_CENTER), (last, Align2::RIGHT_CENTER)] {
            let at = align.pos_in_rect(&ends.shrink2(vec2(3.0, 0.0)));
            painter.text(at, align, number(edge), FontId::monospace(9.5), look.dim);
        }
        if let Some(at) = response.interact_pointer_pos().filter(|_| response.dragged()) {
            let value = |x: f32| first + f64::from((x - rect.left()) / rect.width()) * (last - first);
            let start = ui.input(|input| input.pointer.press_origin()).unwrap_or(at);
            let (a, b) = (value(start.x), value(at.x));
            if a != b {
                self.view.range = Some((a.min(b), a.max(b)));
                return true;
            }
        }
        if response.double_clicked() {
            self.view.range = None;
            return true;
        }
        response.on_hover_text("Drag to set the colour range, double-click for the full range");
        false
    }
}

/// For three dimensions: a slice, the maximum along an axis, or a camera.
pub(crate) fn depth(ui: &mut Ui, view: &mut View, ty: WireType, dim: u32, size: Option<[f64; 3]>) {
    let around = || Orbit::around(size.unwrap_or([1.0; 3]));
    if dim < 3 {
        view.camera = None;
        return;
    }
    if matches!(ty, WireType::Particles | WireType::Attribute(_)) {
        view.camera.get_or_insert_with(around);
        return;
    }
    // The slider is not broken across rows.
    if ui.available_size_before_wrap().x < DEPTH {
        ui.end_row();
    } else {
        ui.separator();
    }
    let kind = match view.volume {
        Volume::Slice { .. } => "slice",
        Volume::Maximum(_) => "maximum along",
        Volume::Orbit => "camera",
    };
    let (axis, position) = match view.volume {
        Volume::Slice { axis, position } => (axis, position),
        Volume::Maximum(axis) => (axis, 0.5),
        Volume::Orbit => (Axis::Z, 0.5),
    };
    combo(ui, "volume", kind, "How the volume is shown", |ui| {
        for (volume, text) in [
            (Volume::Slice { axis, position }, "slice"),
            (Volume::Maximum(axis), "maximum along"),
            (Volume::Orbit, "camera"),
        ] {
            if ui.selectable_label(kind == text, text).clicked() {
                view.volume = volume;
            }
        }
    });
    if view.volume == Volume::Orbit {
        view.camera.get_or_insert_with(around);
        return;
    }
    view.camera = None;
    for (choice, text) in AXES {
        if ui.selectable_label(axis == choice, text).clicked() {
            match &mut view.volume {
                Volume::Slice { axis, .. } | Volume::Maximum(axis) => *axis = choice,
                Volume::Orbit => {}
            }
        }
    }
    if let Volume::Slice { position, .. } = &mut view.volume {
        let slider = egui::Slider::new(position, 0.0..=1.0).show_value(true).max_decimals(3);
        let slider = slider.custom_parser(|text| typed::number(text, false)?.ok());
        let response = ui.add(slider);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Slider, true, "slice position"));
    }
}

fn combo(ui: &mut Ui, id: &str, text: &str, hint: &str, contents: impl FnOnce(&mut Ui)) {
    let combo = egui::ComboBox::from_id_salt(id).selected_text(RichText::new(text).small()).width(72.0);
    let response = combo.show_ui(ui, contents).response;
    let enabled = response.enabled();
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::ComboBox, enabled, id));
    response.on_hover_text(hint).on_disabled_hover_text(hint);
}
