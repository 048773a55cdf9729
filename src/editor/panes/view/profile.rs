//! The values of a grid along a line, plotted over the position.

use eframe::egui::{self, RichText, Ui, vec2};

use super::plot::{self, Choices, Curve, Labels};
use super::ticks;
use super::widgets::choice;
use crate::commands::action::{Action, Actions};
use crate::edit;
use crate::graph::expect::ExpectSubject;
use crate::model::session::Session;
use crate::sim::Simulation;
use crate::sim::expect::{PendingSample, Sample, request};
use crate::sim::record::Profile;
use crate::toolkit::number::number_field;
use crate::toolkit::theme;

const AXES: [&str; 3] = ["x", "y", "z"];
/// Height of the plot at first \[points\].
const HEIGHT: f32 = 170.0;
/// How often to check whether values have arrived.
const ANSWER: std::time::Duration = std::time::Duration::from_millis(30);

/// A line through a grid, and the grid's last values.
pub(super) struct Line {
    profile: Profile,
    pending: Option<PendingSample>,
    sample: Option<Sample>,
    choices: Choices,
    pointed: Option<f64>,
}

impl Line {
    /// Along x through the middle.
    pub(super) fn new(wire: &str) -> Line {
        let profile = Profile { wire: wire.into(), axis: 0, through: None };
        Line { profile, pending: None, sample: None, choices: Choices::default(), pointed: None }
    }

    /// Another view of the same.
    pub(super) fn another(&self) -> Line {
        let wire = &self.profile.wire;
        Line { profile: self.profile.clone(), choices: self.choices.clone(), ..Line::new(wire) }
    }

    /// Requests the values after the last frame, unless earlier ones are still on their way.
    pub(super) fn update(&mut self, simulation: &Simulation) {
        if self.pending.is_none() {
            // A wire that the running plan does not keep yet follows with the next plan.
            self.pending = request(simulation, &ExpectSubject::Wire(self.profile.wire.clone())).ok();
        }
    }

    /// Moves the line through a place in the image, 0..1 from the lower left, in a domain of this size \[m\].
    pub(super) fn move_to(&mut self, [x, y]: [f32; 2], size: [f64; 3]) {
        let across = if self.profile.axis == 0 { f64::from(y) * size[1] } else { f64::from(x) * size[0] };
        self.profile.through = Some(vec![across]);
    }

    /// The line in the image of a 2D domain, as ends from 0 to 1 from the lower left.
    pub(super) fn ends(&self, size: [f64; 3]) -> [[f32; 2]; 2] {
        let across = if self.profile.axis == 0 { size[1] } else { size[0] };
        let share = self.profile.through.as_ref().and_then(|through| through.first()).map_or(0.5, |at| at / across);
        let share = share as f32;
        if self.profile.axis == 0 { [[0.0, share], [1.0, share]] } else { [[share, 0.0], [share, 1.0]] }
    }

    /// Draws the choices and the plot.
    pub(super) fn show(&mut self, ui: &mut Ui, session: &Session, domain: (u32, [f64; 3]), actions: &mut Actions) {
        self.collect(ui);
        let panel = egui::Panel::bottom(ui.id().with("profile")).resizable(true).default_size(HEIGHT).min_size(90.0);
        panel.frame(egui::Frame::new().fill(theme::current(ui).bar)).show(ui, |ui| {
            let values = self.values(session);
            let head = egui::Panel::top(ui.id().with("profile head")).frame(theme::bar(ui));
            head.show(ui, |ui| {
                ui.horizontal_wrapped(|ui| self.controls(ui, domain, values.as_ref().ok(), actions));
            });
            let middle = egui::CentralPanel::no_frame();
            middle.show(ui, |ui| match &values {
                Ok(values) => self.plot(ui, session, values, domain),
                Err(cause) => drop(ui.label(RichText::new(cause).color(theme::current(ui).dim))),
            });
        });
    }

    /// Where the line crosses the other axes: name and size of each, and the place \[m\].
    fn through(&self, (dim, size): (u32, [f64; 3])) -> Vec<(&'static str, f64, f64)> {
        let others = AXES.into_iter().zip(size).take(dim as usize).enumerate();
        let others = others.filter(|(axis, _)| *axis != self.profile.axis).enumerate();
        let at = |index: usize, size: f64| {
            self.profile.through.as_ref().and_then(|through| through.get(index).copied()).unwrap_or(size / 2.0)
        };
        others.map(|(index, (_, (name, size)))| (name, size, at(index, size))).collect()
    }

    fn collect(&mut self, ui: &Ui) {
        let Some(pending) = self.pending.take() else { return };
        match pending.try_take() {
            Ok(sample) => self.sample = sample.ok().or(self.sample.take()),
            Err(pending) => {
                self.pending = Some(pending);
                ui.ctx().request_repaint_after(ANSWER);
            }
        }
    }

    /// Positions and components along the line.
    fn values(&self, session: &Session) -> Result<Vec<(f64, Vec<f64>)>, String> {
        match (&self.sample, session.running_simulation()) {
            (Some(Sample::Field(field, _)), Some(simulation)) => {
                self.profile.along(field, simulation.plan()).map_err(|problem| problem.to_string())
            }
            _ => Ok(Vec::new()),
        }
    }

    fn controls(
        &mut self,
        ui: &mut Ui,
        (dim, size): (u32, [f64; 3]),
        values: Option<&Vec<(f64, Vec<f64>)>>,
        actions: &mut Actions,
    ) {
        ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
        ui.label(RichText::new("Along").small().color(theme::current(ui).faint));
        for (axis, name) in AXES.iter().enumerate().take(dim as usize) {
            if choice(ui, self.profile.axis == axis, name, &format!("Values along {name}")).clicked() {
                self.profile = Profile { axis, through: None, ..self.profile.clone() };
                self.choices.part = None;
            }
        }
        let mut through = self.through((dim, size));
        for index in 0..through.len() {
            let Some((name, size, at)) = through.get_mut(index) else { continue };
            let field = number_field(ui, at).range(0.0..=*size).speed(0.002 * *size).max_decimals(4);
            let field = ui.add(field.prefix(format!("{name} = ")).suffix(" m"));
            let label = format!("profile at {name}");
            field.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::DragValue, true, &label));
            let hint =
                if dim == 2 { "Place of the line. A press in the image moves it, too" } else { "Place of the line" };
            if field.on_hover_text(hint).changed() {
                self.profile.through = Some(through.iter().map(|(_, _, at)| *at).collect());
            }
        }
        ui.separator();
        let log = self.choices.log.unwrap_or(false);
        if choice(ui, log, "Log", "Logarithmic scale for values above zero").clicked() {
            self.choices.log = Some(!log);
        }
        let text = || values.map(|values| self.profile.to_csv(values)).unwrap_or_default();
        if ui.small_button("Copy").on_hover_text("Copy the values as CSV").clicked() {
            ui.ctx().copy_text(text());
        }
        if ui.small_button("Save as CSV…").on_hover_text("Save the values, one row for each position").clicked() {
            let name = self.profile.wire.replace(['/', '.'], "_");
            actions.push(Action::SaveTable { name: format!("{name}_profile"), text: text() });
        }
        let pointed = values.zip(self.pointed).and_then(|(values, at)| {
            let index = values.partition_point(|(x, _)| *x < at);
            let around = values.get(index.saturating_sub(1)..(index + 1).min(values.len()))?;
            around.iter().min_by(|a, b| (a.0 - at).abs().total_cmp(&(b.0 - at).abs()))
        });
        let text = pointed.map(|(at, values)| {
            let values: Vec<String> = values.iter().map(|value| ticks::number(*value)).collect();
            format!("{} = {} m:  {}", AXES.get(self.profile.axis).unwrap_or(&""), ticks::number(*at), values.join("  "))
        });
        ui.label(RichText::new(text.unwrap_or_default()).monospace().color(theme::current(ui).dim));
    }

    fn plot(&mut self, ui: &mut Ui, session: &Session, values: &[(f64, Vec<f64>)], domain: (u32, [f64; 3])) {
        let look = theme::current(ui);
        let parts = values.first().map_or(0, |(_, values)| values.len());
        let curve = |part: usize| Curve {
            color: look.curve(part),
            faint: false,
            points: values.iter().filter_map(|(at, values)| Some((*at, *values.get(part)?))).collect(),
        };
        let curves: Vec<Curve> = (0..parts).map(curve).collect();
        let unit = edit::signature::unit(session.document(), &self.profile.wire, session.library());
        let axis = AXES.get(self.profile.axis).unwrap_or(&"");
        let places = self.through(domain).into_iter().map(|(name, _, at)| format!("{name} = {at} m"));
        let name = format!("Profile along {axis} through {}", places.collect::<Vec<_>>().join(", "));
        let x = format!("{axis} [m]");
        let labels = Labels { name, x: &x, y: &unit, whole: false, marks: Vec::new(), playhead: None };
        // A profile is on a linear scale until another is chosen.
        self.choices.log.get_or_insert(false);
        self.pointed = plot::show(ui, &curves, &labels, &mut self.choices).pointed;
    }
}
