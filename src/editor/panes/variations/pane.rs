//! The pane of the variations: what varies, the tiles, and when they are made and computed.

use std::sync::Arc;
use std::time::Duration;

use eframe::egui::{self, Align, Layout, RichText, Ui, vec2};
use eframe::egui_wgpu::RenderState;

use super::build::{Build, Built, Job};
use super::choice::{Choice, TILES, Variable, Variant, Varied, Vary, candidates, variants};
use super::tiles::{self, Shown};
use super::wall::Wall;
use crate::commands::action::{Action, Actions};
use crate::document::Document;
use crate::files::Access;
use crate::graph::outputs::fitted;
use crate::library::Library;
use crate::model::session::Session;
use crate::panes::content::{PaneContent, Surroundings};
use crate::panes::view::ImageTexture;
use crate::sim::Simulation;
use crate::toolkit::number::number_field;
use crate::toolkit::{markup, row, theme};

/// Images are not made larger than this \[pixels\]. Domains stay as they are.
const LARGEST: u32 = 384;
/// How long no edit must come before changed variations are made \[s\].
const QUIET: f64 = 0.3;
/// Width of the progress, which stands at the right if there is room \[points\].
const PROGRESS: f32 = 150.0;
/// Width of a chosen parameter beside its name: the amount, a button and the space around them \[points\].
const AMOUNT: f32 = 90.0;
/// How often the window looks while a long frame is computed, and while tiles are queued.
const LONG: Duration = Duration::from_millis(100);
const SHORT: Duration = Duration::from_millis(8);

/// The variations of the open graph.
#[derive(Default)]
pub(crate) struct Variations {
    choice: Choice,
    paused: bool,
    subject: Option<VariedGraph>,
    /// The variations of the subject.
    wanted: Vec<Variant>,
    /// Since when they have been wanted \[s\]; `None` once they are being made.
    since: Option<f64>,
    build: Option<Build>,
    /// Builds that were asked to end. The next one waits for them, since they may hold memory.
    stopped: Vec<Build>,
    wall: Option<Wall>,
    images: Vec<ImageTexture>,
    /// Why there are no tiles, or fewer.
    remark: Option<String>,
    /// Whether the pane was drawn in this frame of the window.
    drawn: bool,
}

/// What the variations are of.
struct VariedGraph {
    document: Document,
    choice: Choice,
    library: Arc<Library>,
    access: Access,
    output: Option<String>,
}

impl PaneContent for Variations {
    fn show(&mut self, ui: &mut Ui, around: &mut Surroundings<'_>) -> Result<(), String> {
        self.draw(ui, around.session, around.render, around.output, around.actions);
        Ok(())
    }

    fn opened(&mut self) {
        self.clear();
    }

    fn device_lost(&mut self, _: &mut Session) {
        self.attach();
    }

    /// Nothing is computed while the pane is hidden, and nothing is kept once it is closed.
    fn after_frame(&mut self, _: &mut Session, open: bool) {
        let drawn = std::mem::take(&mut self.drawn);
        self.stopped.retain(|build| !build.is_over());
        if !open {
            self.attach();
        } else if !drawn && self.build.is_some() {
            // It is made again when it is seen again.
            self.stop();
            self.since = Some(0.0);
        }
    }
}

impl Variations {
    /// Starts over with another graph.
    fn clear(&mut self) {
        self.stop();
        let stopped = std::mem::take(&mut self.stopped);
        *self = Variations { paused: self.paused, stopped, ..Variations::default() };
    }

    /// Continues on another device.
    fn attach(&mut self) {
        let choice = std::mem::take(&mut self.choice);
        self.clear();
        self.choice = choice;
    }

    /// Stops making tiles.
    fn stop(&mut self) {
        if let Some(build) = self.build.take() {
            build.stop();
            self.stopped.push(build);
        }
    }

    /// Draws the pane and computes its tiles. `output`: the Output that the first view shows.
    fn draw(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        render: &RenderState,
        output: Option<&str>,
        actions: &mut Actions,
    ) {
        self.drawn = true;
        let now = ui.input(|input| input.time);
        self.follow(session, output, now);
        self.make(ui.ctx(), session, now);
        self.compute(ui.ctx(), render, now);
        let head = egui::Panel::top("variations head").frame(theme::bar(ui));
        head.show(ui, |ui| self.head(ui, session));
        let ground = egui::Frame::new().fill(theme::current(ui).canvas);
        egui::CentralPanel::no_frame().frame(ground).show(ui, |ui| self.body(ui, session, actions));
    }

    /// Notes what is wanted now. A change stops the tiles at once, so that their memory is free for the graph.
    fn follow(&mut self, session: &Session, output: Option<&str>, now: f64) {
        let access = session.access();
        let same = |subject: &VariedGraph| {
            Arc::ptr_eq(&subject.library, session.library())
                && (subject.access == access && subject.output.as_deref() == output && subject.choice == self.choice)
        };
        let same_subject = self.subject.as_ref().filter(|subject| same(subject));
        if same_subject.is_some_and(|subject| subject.document == *session.document()) {
            return;
        }
        let only_document = same_subject.is_some();
        let wanted = variants(session.document(), &self.choice, session.library());
        let changed = !only_document || wanted != self.wanted;
        self.subject = Some(VariedGraph {
            document: session.document().clone(),
            choice: self.choice.clone(),
            library: session.library().clone(),
            access,
            output: output.map(str::to_string),
        });
        if changed {
            (self.wanted, self.since, self.remark) = (wanted, Some(now), None);
            self.wall = None;
            self.stop();
        }
    }

    /// Makes what is wanted, once no edit has come for a moment and the graph itself runs.
    fn make(&mut self, ctx: &egui::Context, session: &Session, now: f64) {
        if let Some(built) = self.build.as_ref().and_then(Build::poll) {
            self.build = None;
            match built {
                Ok(built) => {
                    self.images.truncate(built.simulations.len());
                    (self.wall, self.remark) = (Some(Wall::new(built.simulations)), built.remark);
                }
                Err(sentence) => self.remark = Some(sentence),
            }
        }
        let Some(since) = self.since.filter(|_| self.chosen()) else { return };
        let quiet = QUIET - (now - since);
        if session.compiling() || quiet > 0.0 || !self.stopped.is_empty() {
            ctx.request_repaint_after(Duration::from_secs_f64(quiet.clamp(0.02, QUIET)));
            return;
        }
        let Some((simulation, subject)) = session.running_simulation().zip(self.subject.as_ref()) else { return };
        let Some(image) = simulation.plan().output(subject.output.as_deref()).filter(|_| !session.broken()) else {
            return;
        };
        let image_size = (image.width, image.height);
        let size =
            if image_size.0.max(image_size.1) > LARGEST { fitted((LARGEST, LARGEST), image_size) } else { image_size };
        let job = Job {
            gpu: session.gpu().clone(),
            library: subject.library.clone(),
            access: subject.access.clone(),
            output: Some(image.node.clone()),
            size,
            documents: self.wanted.iter().map(|variant| variant.document.clone()).collect(),
            by_seed: self.choice.vary == Vary::Seed,
            free: session.gpu().memory_budget().bytes.saturating_sub(simulation.plan().memory),
        };
        let wake = ctx.clone();
        self.build = Some(Build::start(job, move || wake.request_repaint()));
        self.since = None;
    }

    /// Whether there is something to vary.
    fn chosen(&self) -> bool {
        self.choice.vary == Vary::Seed || self.wanted.iter().any(|variant| !variant.assignments.is_empty())
    }

    /// Computes tiles within the budget of a frame, and updates their images.
    fn compute(&mut self, ctx: &egui::Context, render: &RenderState, now: f64) {
        let Some(wall) = &mut self.wall else { return };
        let wake = {
            let ctx = ctx.clone();
            move || ctx.request_repaint()
        };
        for index in wall.advance(!self.paused, now, wake) {
            while self.images.len() <= index {
                self.images.push(ImageTexture::new(render.clone()));
            }
            let Some((image, Ok(simulation))) = self.images.get_mut(index).zip(wall.tiles().get(index)) else {
                continue;
            };
            // The size was limited before, so the image can be shown.
            let _ = update(image, simulation);
        }
        match (wall.wait(now), wall.is_computing()) {
            (_, true) => ctx.request_repaint_after(LONG),
            (None, false) => ctx.request_repaint_after(SHORT),
            (Some(wait), false) if !self.paused => ctx.request_repaint_after(wait),
            (Some(_), false) => {}
        }
    }

    fn head(&mut self, ui: &mut Ui, session: &Session) {
        ui.horizontal_wrapped(|ui| {
            ui.set_min_height(row::HEIGHT);
            for (vary, text, hint) in [
                (Vary::Seed, "Seed", "Vary the seed of the graph"),
                (Vary::Params, "Parameters", "Vary parameters of nodes"),
            ] {
                let chosen = self.choice.vary == vary;
                let button = ui.selectable_label(chosen, text).on_hover_text(hint);
                button.widget_info(|| {
                    let name = format!("vary {}", text.to_lowercase());
                    egui::WidgetInfo::selected(egui::WidgetType::Button, true, chosen, name)
                });
                if button.clicked() {
                    self.choice.vary = vary;
                }
            }
            if self.choice.vary == Vary::Params {
                self.add(ui, session);
            }
            ui.separator();
            if ui.button("New variations").on_hover_text("Draw other random values").clicked() {
                self.choice.roll += 1;
            }
            let (icon, name) = if self.paused { ("▶", "Play variations") } else { ("⏸", "Pause variations") };
            if small(ui, icon, name) {
                self.paused = !self.paused;
            }
            if small(ui, "⏮", "Restart variations")
                && let Some(wall) = self.wall.take()
            {
                let wake = ui.ctx().clone();
                let built = Built { simulations: wall.into_tiles(), remark: self.remark.take() };
                self.build = Some(Build::restart(built, move || wake.request_repaint()));
            }
            match ui.available_size_before_wrap().x > PROGRESS {
                true => ui.with_layout(Layout::right_to_left(Align::Center), |ui| self.progress(ui)).inner,
                false => self.progress(ui),
            }
        });
        if self.choice.vary == Vary::Params && !self.choice.params.is_empty() {
            self.params(ui, session);
        }
    }

    fn progress(&self, ui: &mut Ui) {
        let look = theme::current(ui);
        let text = match (&self.build, &self.wall) {
            (Some(build), _) => {
                ui.spinner();
                format!("{} {} of {TILES}", build.does, (build.done() + 1).min(TILES))
            }
            (None, Some(wall)) => format!("frame {}", wall.frame()),
            (None, None) => return,
        };
        ui.add(egui::Label::new(RichText::new(text).monospace().small().color(look.dim)).extend());
    }

    /// The menu of numbers of the selected nodes.
    fn add(&mut self, ui: &mut Ui, session: &Session) {
        let config =
            egui::containers::menu::MenuConfig::new().close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
        let menu = egui::containers::menu::MenuButton::new("Choose").config(config).ui(ui, |ui| {
            let candidates = candidates(session);
            if candidates.is_empty() {
                ui.set_max_width(240.0);
                ui.label(
                    "Select nodes whose parameters are to vary. Numbers that a wire or an expression sets do not vary.",
                );
            }
            let scroll = egui::ScrollArea::vertical().max_height(320.0).auto_shrink([true, true]);
            scroll.show(ui, |ui| {
                for (node, param) in candidates {
                    let is = |varied: &Varied| varied.node == node && varied.param == param;
                    let mut on = self.choice.params.iter().any(is);
                    let path = format!("{node}.{param}");
                    if ui.checkbox(&mut on, &path).changed() {
                        match on {
                            true => self.choice.params.push(Varied::new(&node, &param)),
                            false => self.choice.params.retain(|varied| !is(varied)),
                        }
                    }
                }
            });
        });
        let response = menu.0.on_hover_text("Numbers of the selected nodes");
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Choose parameters"));
    }

    /// The chosen parameters with their amounts.
    fn params(&mut self, ui: &mut Ui, session: &Session) {
        let look = theme::current(ui);
        let mut gone = None;
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
            for (index, varied) in self.choice.params.iter_mut().enumerate() {
                let path = varied.path();
                let varies = Variable::find(session.document(), varied, session.library()).is_some();
                let color = if varies { look.text } else { look.faint };
                let text = egui::WidgetText::from(RichText::new(&path).color(color));
                let text = text.into_galley(ui, Some(egui::TextWrapMode::Extend), f32::INFINITY, egui::TextStyle::Body);
                // A frame does not wrap as a whole by itself.
                if index > 0 && ui.available_size_before_wrap().x < text.size().x + AMOUNT {
                    ui.end_row();
                }
                let frame = egui::Frame::new().fill(look.field).corner_radius(4).inner_margin(vec2(6.0, 0.0));
                let contents = |ui: &mut Ui| {
                    let label = ui.add(egui::Label::new(text).extend());
                    if !varies {
                        label.on_hover_text("It is not a constant number now, so it does not vary");
                    }
                    let amount = number_field(ui, &mut varied.amount).range(0.0..=1.0).speed(0.005).max_decimals(2);
                    let response = ui.add(amount);
                    let name = format!("amount {path}");
                    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::DragValue, true, &name));
                    response.on_hover_text("How far it varies: 0 not at all, 1 over its whole range");
                    let icon = RichText::new("✖").small().color(look.dim);
                    if row::small(ui, icon, true, &format!("stop varying {path}"), "Do not vary this") {
                        gone = Some(index);
                    }
                };
                frame.show(ui, |ui| ui.horizontal(contents));
            }
        });
        if let Some(index) = gone {
            self.choice.params.remove(index);
        }
    }

    fn body(&mut self, ui: &mut Ui, session: &mut Session, actions: &mut Actions) {
        if let Some(remark) = &self.remark {
            let frame = egui::Frame::new().inner_margin(vec2(10.0, 4.0));
            let text = markup::label(ui, "", remark, theme::current(ui).warning);
            frame.show(ui, |ui| ui.add(egui::Label::new(text).wrap()));
        }
        let room = ui.available_rect_before_wrap();
        let count = self.wall.as_ref().map_or(self.images.len(), |wall| wall.tiles().len());
        let image = |index: usize| self.images.get(index).and_then(ImageTexture::shown);
        if !self.chosen() || (self.wall.is_none() && image(0).is_none()) || !room.is_positive() {
            self.placeholder(ui, session);
            return;
        }
        let aspect = image(0).map_or(1.0, |(_, [width, height])| width as f32 / height.max(1) as f32);
        let mut kept = None;
        let places = tiles::places(room, count, aspect);
        for (number, (rect, variant)) in places.into_iter().zip(&self.wanted).enumerate() {
            let tile = self.wall.as_ref().and_then(|wall| wall.tiles().get(number));
            let fault = tile.and_then(|tile| tile.as_ref().err()).map(String::as_str);
            let (old, is_in) = (tile.is_none(), variant.is_in(session.document()));
            let hint = "Click to keep: the graph gets these values";
            let (name, lines) = (format!("variation {}", number + 1), variant.lines());
            let more = if lines.len() > 1 { " …" } else { "" };
            let strip = lines.first().map(|first| format!("{first}{more}")).unwrap_or_default();
            let shown = Shown { name, lines: &lines, strip, image: image(number), fault, old, kept: is_in, hint };
            if tiles::show(ui, rect, &shown, session.editable()) {
                kept = Some(variant.clone());
            }
        }
        if let Some(variant) = kept {
            keep(session, variant);
            actions.push(Action::RefreshViews);
        }
    }

    /// What is said instead of tiles.
    fn placeholder(&self, ui: &mut Ui, session: &Session) {
        let text = match (self.chosen(), session.broken()) {
            (false, _) => "Select nodes and choose the parameters that vary.",
            (true, true) => "The graph cannot run yet. See Problems.",
            (true, false) if self.remark.is_some() => "",
            (true, false) => "Compiling…",
        };
        let look = theme::current(ui);
        ui.vertical_centered(|ui| {
            ui.add_space(ui.available_height() * 0.4);
            ui.label(RichText::new(text).color(look.dim));
        });
    }
}

/// Gives the graph the values of a variation, as one undo step.
fn keep(session: &mut Session, variant: Variant) {
    match variant.seed {
        Some(seed) => {
            session.edit("keep variation", |document| document.seed = seed);
            session.end_gesture();
        }
        None => session.give("keep variation", variant.assignments),
    }
}

/// Copies the first image of a simulation.
///
/// # Errors
/// If it is too large to show, in one sentence.
fn update(image: &mut ImageTexture, simulation: &Simulation) -> Result<(), String> {
    let found = simulation.find_output(None).map_err(|problem| problem.to_string())?;
    let Some(buffer) = simulation.engine().buffer(found.buffer, false) else { return Ok(()) };
    image.update(buffer, [found.width, found.height], &found.node)
}

/// A button with an icon.
fn small(ui: &mut Ui, icon: &str, name: &str) -> bool {
    let button = ui.add(egui::Button::new(icon).min_size(vec2(26.0, row::HEIGHT)));
    button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, name));
    button.on_hover_text(name).clicked()
}
