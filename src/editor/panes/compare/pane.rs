//! The pane that compares: what A and B are, how they are shown, and when they are measured.

use eframe::egui::{self, RichText, Ui, vec2};
use eframe::egui_wgpu::RenderState;

use super::companion::milliseconds;
use super::images::{Images, Which};
use super::list::List;
use super::measure::{Measured, Measuring, SOON, Side};
use super::numbers;
use super::other::{Change, Other};
use super::sides::{Against, subjects};
use crate::commands::action::{Action, Actions};
use crate::model::session::Session;
use crate::panes::content::{PaneContent, Surroundings};
use crate::panes::view::widgets::choice;
use crate::panes::view::{Framing, depth};
use crate::plan::Plan;
use crate::problem::Problem;
use crate::sim::Simulation;
use crate::sim::compare::Measure;
use crate::sim::host_copy::CopySubject;
use crate::sim::wire_view::{Sample, Show, View};
use crate::stage::types::{ValueType, WireType};
use crate::toolkit::{markup, theme};

/// How both sides are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    #[default]
    Beside,
    /// A to the left of a line, B to the right.
    Wipe,
    Difference,
}

/// The comparison of the open graph.
pub(crate) struct ComparePane {
    /// What of the running graph is compared; chosen when the pane is first drawn.
    pub(super) live: Option<CopySubject>,
    pub(super) against: Against,
    /// The running graph is B.
    pub(super) swapped: bool,
    pub(super) mode: Mode,
    pub(super) measure: Measure,
    /// How A and B are shown.
    pub(super) view: View,
    /// The line between A and B, 0..1 from the left.
    pub(super) wipe: f32,
    pub(super) framing: Framing,
    pub(super) measuring: Measuring,
    pub(super) measured: Option<Measured>,
    pub(super) images: Option<Images>,
    /// Values or settings have changed since the sides were last requested.
    pub(super) stale: bool,
    /// The images are to be drawn again.
    pub(super) redraw: bool,
    /// The next frame that is whole is to be held as B.
    pub(super) holds: bool,
    /// Why there is nothing to compare.
    pub(super) fault: Option<String>,
    pub(super) list: Option<List>,
    /// Where the element was requested that is shown in numbers.
    pub(super) pointed: Option<[f32; 2]>,
    /// The element under the pointer.
    pub(super) picked: Option<Sample>,
    /// Values of the first and the last colour of what is shown.
    pub(super) colors: Option<(f64, f64)>,
    /// GPU time of a frame of the running graph and of the other one \[ms\].
    times: [Option<f64>; 2],
    /// What has to be known of the runs, in a sentence.
    pub(super) remark: Option<String>,
    /// Whether the pane was drawn in this frame of the window, and in the last one.
    drawn: [bool; 2],
}

impl Default for ComparePane {
    fn default() -> ComparePane {
        ComparePane {
            live: None,
            against: Against::Nothing,
            swapped: false,
            mode: Mode::default(),
            measure: Measure::default(),
            view: View::new(""),
            wipe: 0.5,
            framing: Framing::default(),
            measuring: Measuring::default(),
            measured: None,
            images: None,
            stale: true,
            redraw: false,
            holds: false,
            fault: None,
            list: None,
            pointed: None,
            picked: None,
            colors: None,
            times: [None; 2],
            remark: None,
            drawn: [false; 2],
        }
    }
}

impl PaneContent for ComparePane {
    fn show(&mut self, ui: &mut Ui, around: &mut Surroundings<'_>) -> Result<(), String> {
        self.draw_pane(ui, around.session, around.render, around.seen, around.actions);
        Ok(())
    }

    fn opened(&mut self) {
        *self = ComparePane { mode: self.mode, measure: self.measure, ..ComparePane::default() };
    }

    /// Continues on another device.
    fn device_lost(&mut self, _: &mut Session) {
        (self.measuring, self.measured, self.images) = (Measuring::Idle, None, None);
        self.stale = true;
        if let Against::Other(other) = &self.against {
            self.compare_with(other.change.clone());
        }
    }

    /// A pane that is closed keeps nothing.
    fn after_frame(&mut self, _: &mut Session, open: bool) {
        self.drawn = [false, self.drawn[0]];
        if !open && (self.live.is_some() || self.images.is_some()) {
            self.opened();
        }
    }

    fn wires(&self) -> Vec<String> {
        let other = if let Against::Wire(subject) = &self.against { Some(subject) } else { None };
        let wires = self.live.iter().chain(other).filter(|subject| matches!(subject, CopySubject::Wire(_)));
        wires.map(|subject| View::new(subject.name()).keep()).collect()
    }

    /// Whether the pane's list is open, which has the keyboard.
    fn busy(&self) -> bool {
        self.list.is_some()
    }
}

impl ComparePane {
    /// The running graph has other values.
    pub(crate) fn refresh(&mut self) {
        self.stale = true;
        if let Against::Other(other) = &mut self.against {
            other.refresh();
        }
    }

    /// Whether the running graph waits for the other one, so that both show the same frame.
    pub(crate) fn is_behind(&self) -> bool {
        self.drawn[1] && matches!(&self.against, Against::Other(other) if other.is_behind())
    }

    /// Compares with another graph.
    pub(crate) fn compare_with(&mut self, change: Change) {
        self.set_against(Against::Other(Box::new(Other::new(change))));
    }

    /// Draws the pane. `seen`: what the first view shows, to begin with.
    fn draw_pane(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        render: &RenderState,
        seen: &str,
        actions: &mut Actions,
    ) {
        self.drawn[0] = true;
        if let Some(simulation) = session.running_simulation().filter(|_| self.live.is_none()) {
            self.live = first(simulation.plan(), seen);
        }
        self.choose(ui.ctx());
        if let (Against::Other(other), Some(live), false) = (&mut self.against, &self.live, session.is_debugging()) {
            other.follow(ui.ctx(), session, live);
        }
        (self.times, self.remark) = match &mut self.against {
            Against::Other(other) => {
                ([session.running_simulation().and_then(milliseconds), other.ms()], other.remark(session))
            }
            _ => ([None; 2], None),
        };
        self.follow(ui.ctx(), session, render);
        let head = egui::Panel::top(ui.id().with("compare head")).frame(theme::bar(ui));
        head.show(ui, |ui| self.head(ui, session, actions));
        if self.measured.is_some() {
            let foot = egui::Panel::bottom(ui.id().with("compare foot")).frame(theme::bar(ui));
            foot.show(ui, |ui| numbers::show(ui, self));
        }
        let ground = egui::Frame::new().fill(theme::current(ui).ground);
        egui::CentralPanel::no_frame().frame(ground).show(ui, |ui| match self.measured.is_some() {
            true => self.body(ui),
            false => self.placeholder(ui, session),
        });
    }

    /// Takes over what was measured, and measures again where something has changed.
    fn follow(&mut self, ctx: &egui::Context, session: &Session, render: &RenderState) {
        let wake = ctx.clone();
        match self.measuring.poll(move || wake.request_repaint()) {
            Ok(Some(measured)) => {
                (self.measured, self.fault, self.redraw) = (Some(measured), None, true);
            }
            Ok(None) => {}
            Err(sentence) => self.fault = Some(sentence),
        }
        let simulation = session.running_simulation().filter(|simulation| simulation.progress().is_none());
        if let Some(simulation) = simulation.filter(|_| self.holds && !session.compiling()) {
            self.holds = false;
            if let Err(sentence) = self.hold(simulation) {
                self.fault = Some(sentence);
            }
        }
        if let Some(simulation) = simulation.filter(|_| self.stale && self.measuring.is_idle()) {
            match self.sides(simulation) {
                Ok(Some((a, b))) => {
                    self.measuring.begin(a, b, self.view.show, self.measure);
                    self.stale = false;
                }
                Ok(None) => {}
                // The next plan keeps the wires.
                Err(_) if session.compiling() => {}
                Err(sentence) => (self.fault, self.measured, self.stale) = (Some(sentence), None, false),
            }
        }
        if !self.measuring.is_idle() {
            ctx.request_repaint_after(SOON);
        }
        if self.redraw {
            self.redraw = false;
            // The range of the colours arrives later.
            ctx.request_repaint_after(10 * SOON);
            if let Err(sentence) = self.draw(session, render) {
                self.fault = Some(sentence);
            }
        }
        let which = if self.mode == Mode::Difference { Which::Difference } else { Which::A };
        self.colors = self.images.as_mut().and_then(|images| images.range(which));
        if let Some(images) = self.images.as_mut().filter(|_| self.pointed.is_some()) {
            self.picked = images.picked();
            // The value arrives some frames later, even if nothing moves.
            ctx.request_repaint_after(SOON);
        } else {
            self.picked = None;
        }
    }

    /// GPU time of a frame of A and of B \[ms\], where both are measured.
    pub(super) fn times(&self) -> Option<(f64, f64)> {
        let [live, other] = self.times;
        let (live, other) = live.zip(other)?;
        Some(if self.swapped { (other, live) } else { (live, other) })
    }

    /// Requests the values of both sides; `None` while B was not chosen.
    fn sides(&self, simulation: &Simulation) -> Result<Option<(Side, Side)>, String> {
        let take = |subject: &CopySubject| {
            simulation
                .take(subject)
                .map(|reading| Side::Coming(Box::new(reading)))
                .map_err(|problem| problem.to_string())
        };
        let Some(live) = &self.live else { return Ok(None) };
        let other = match &self.against {
            Against::Nothing => return Ok(None),
            Against::Wire(subject) => take(subject)?,
            Against::Held(copy) => Side::Held(copy.clone()),
            Against::Other(other) => match (&other.fault, other.level()) {
                (Some(sentence), _) => return Err(sentence.clone()),
                (None, None) => return Ok(None),
                (None, Some(there)) => {
                    let name = other.subject.as_deref().unwrap_or(live.name());
                    let reading = there.take(&CopySubject::from_name(there.plan(), name));
                    let of_b = |problem: Problem| format!("{}: {problem}", other.change.title());
                    Side::Coming(Box::new(reading.map_err(of_b)?))
                }
            },
        };
        let live = take(live)?;
        Ok(Some(if self.swapped { (other, live) } else { (live, other) }))
    }

    /// Draws the images of what was measured.
    fn draw(&mut self, session: &Session, render: &RenderState) -> Result<(), String> {
        let Some(measured) = &self.measured else { return Ok(()) };
        let gpu = session.gpu();
        if self.images.is_none() {
            self.images = Some(Images::new(gpu, render)?);
        }
        let Some(images) = &mut self.images else { return Ok(()) };
        let range = measured.found.as_ref().ok().and_then(|found| found.range);
        let range = range.filter(|(low, high)| low < high && self.view.show != Show::Color);
        let colors = measured.a.components() == 4 && self.view.show == Show::Auto;
        let view = View { range: range.filter(|_| !colors), ..self.view.clone() };
        if self.mode != Mode::Difference || measured.found.is_err() {
            images.update(gpu, Which::A, &measured.a, &view)?;
            images.update(gpu, Which::B, &measured.b, &view)?;
        }
        if let Ok(found) = &measured.found {
            images.point(self.pointed);
            images.update(gpu, Which::Difference, &found.difference, &found.view(&self.view, self.measure))?;
        }
        Ok(())
    }

    /// The bar above the images.
    fn head(&mut self, ui: &mut Ui, session: &mut Session, actions: &mut Actions) {
        let before = (self.view.clone(), self.measure);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
            for a in [true, false] {
                ui.label(RichText::new(if a { "A" } else { "B" }).strong().color(theme::current(ui).accent));
                match a != self.swapped {
                    true => self.live_button(ui, session),
                    false => self.other_menu(ui, session, actions),
                }
                if a {
                    let swap = choice(ui, false, "⇄", "Swap A and B");
                    swap.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Swap A and B"));
                    if swap.clicked() {
                        self.swap();
                    }
                }
            }
            ui.separator();
            for (mode, text, hint) in [
                (Mode::Beside, "Side by side", "A and B beside each other"),
                (Mode::Wipe, "Wipe", "A to the left of a line, B to the right; drag it"),
                (Mode::Difference, "Difference", "What differs, with zero in the middle of the colours"),
            ] {
                if choice(ui, self.mode == mode, text, hint).clicked() {
                    (self.mode, self.redraw) = (mode, true);
                }
            }
            if self.mode == Mode::Difference {
                ui.separator();
                for (measure, text, hint) in MEASURES {
                    if choice(ui, self.measure == measure, text, hint).clicked() {
                        self.measure = measure;
                    }
                }
            }
            self.how(ui);
            ui.separator();
            self.framing.buttons(ui);
            if !matches!(self.against, Against::Nothing) {
                ui.separator();
                self.apply_button(ui, session);
                if choice(ui, false, "Close", "Stop comparing, and give up B").clicked() {
                    self.set_against(Against::Nothing);
                    actions.push(Action::RefreshViews);
                }
            }
        });
        if (&before.0.show, before.1) != (&self.view.show, self.measure) {
            self.stale = true;
        }
        self.redraw |= before.0 != self.view;
    }

    /// Which part of the values is shown, and of a volume which layer.
    fn how(&mut self, ui: &mut Ui) {
        let Some(measured) = &self.measured else { return };
        let ty = measured.a.ty();
        let components = measured.a.components();
        let dim = measured.a.dim();
        let size = measured.a.domain().map(crate::graph::Domain::size);
        if components > 1 {
            ui.separator();
            let colors = ty == WireType::Grid(ValueType::Vec4);
            let letters = if colors { ["r", "g", "b", "a"] } else { ["x", "y", "z", "w"] };
            let array = ty.value().is_compound();
            let name =
                |at: usize| letters.get(at).filter(|_| !array).map_or_else(|| at.to_string(), ToString::to_string);
            let parts = (0..components).map(|at| (Show::Component(at as u8), name(at), "This component"));
            let whole = [(Show::Auto, "Value", "All components"), (Show::Magnitude, "length", "Length of the vector")];
            let whole = whole.into_iter().filter(|_| !array).map(|(show, text, hint)| (show, text.to_string(), hint));
            for (show, text, hint) in whole.chain(parts) {
                if choice(ui, self.view.show == show, &text, hint).clicked() {
                    self.view.show = show;
                }
            }
        } else if self.view.show != Show::Auto {
            self.view.show = Show::Auto;
        }
        depth(ui, &mut self.view, ty, dim, size);
    }

    /// What is said instead of images.
    fn placeholder(&self, ui: &mut Ui, session: &Session) {
        let look = theme::current(ui);
        let (text, color) = match (&self.fault, &self.against) {
            (Some(fault), _) => (markup::plain(fault), look.error),
            _ if session.running_simulation().is_none() => {
                ("The graph does not run yet. See Problems.".into(), look.dim)
            }
            (None, Against::Nothing) => (
                "Choose what to compare A with: another wire, this frame held for later ones, or another graph.".into(),
                look.dim,
            ),
            (None, Against::Other(other)) => (other.progress(session), look.dim),
            _ => ("Comparing…".into(), look.dim),
        };
        ui.vertical_centered(|ui| {
            ui.add_space(ui.available_height() * 0.4);
            ui.label(RichText::new(text).color(color));
        });
    }
}

const MEASURES: [(Measure, &str, &str); 3] = [
    (Measure::Signed, "A − B", "The difference, with zero in the middle of the colours"),
    (Measure::Absolute, "|A − B|", "Its size; of vectors the length of the difference"),
    (Measure::Relative, "relative", "The difference divided by the larger of |A| and |B| at the same place"),
];

/// What is compared first: what a view shows, or else the first image or wire.
fn first(plan: &Plan, seen: &str) -> Option<CopySubject> {
    let all = subjects(plan);
    all.iter().find(|subject| subject.name() == seen).or(all.first()).cloned()
}
