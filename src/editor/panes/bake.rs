//! The window with the bakes of the graph: what their caches hold, and a bake that runs while the editor goes on.

use std::collections::BTreeMap;
use std::path::Path;

use eframe::egui::{self, Id, RichText, Ui};

use super::content::Shown;
use crate::bake::job::{Ended, Job, Progress};
use crate::bake::{self, Condition, Status};
use crate::document::{Bake, Document};
use crate::edit;
use crate::files::free_space;
use crate::graph::{Graph, partial};
use crate::model::session::{BakedState, Session, about, state};
use crate::printable::size;
use crate::toolkit::number::number_field;
use crate::toolkit::{markup, theme};

/// The window, a running bake, or the result of the last one.
#[derive(Default)]
pub(crate) struct BakeDialog {
    /// Enter was pressed.
    entered: bool,
    /// The bake to add: its name, and its wires separated by commas.
    name: String,
    wires: String,
    frames: Option<(u64, u64)>,
    /// Frames of bakes of the graph, as they were changed here.
    ranges: BTreeMap<String, (u64, u64)>,
    running: Option<Running>,
    message: Option<(String, bool)>,
    /// The bake whose cache is to be deleted, once that is confirmed.
    deleting: Option<String>,
    /// What the bake to add would hold, for a revision of the graph and these wires.
    look: Option<((u64, String), Result<Status, String>)>,
}

struct Running {
    job: Job,
    name: String,
    bake: Bake,
}

/// What was pressed beside a bake.
enum Wish {
    Play(String, bool),
    /// Whether frames that are there are kept.
    Bake(String, Bake, bool),
    Delete(String),
    Remove(String),
}

impl BakeDialog {
    /// Gets ready to be opened, for the outputs of the selected node if there is one.
    pub(crate) fn prepare(&mut self, session: &Session) {
        self.deleting = None;
        self.ranges.clear();
        self.wires = session.selection.single().map(|name| outputs(session, name)).unwrap_or_default();
        self.name_anew(session);
    }

    /// Proposes a name that no bake has.
    fn name_anew(&mut self, session: &Session) {
        if self.name.is_empty() || session.document().bakes.contains_key(&self.name) {
            let is_used = |name: &String| session.document().bakes.contains_key(name);
            let stem = session.path().and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
            let stem = stem.unwrap_or_else(|| "simulation".into());
            let mut names = std::iter::once(stem.clone()).chain((2..).map(|number| format!("{stem}_{number}")));
            self.name = names.find(|name| !is_used(name)).unwrap_or_default();
        }
    }

    /// Draws the window; `entered` says that Enter was pressed for it. A bake continues when the window is closed.
    pub(crate) fn show(&mut self, ctx: &egui::Context, session: &mut Session, entered: bool) -> Shown {
        self.entered = entered;
        let (mut open, mut wish) = (true, None);
        let window = egui::Window::new("Bake").id(Id::new("bake")).open(&mut open).collapsible(false);
        let shown = window
            .resizable(false)
            .default_width(460.0)
            .pivot(egui::Align2::CENTER_CENTER)
            .default_pos(ctx.content_rect().center())
            .show(ctx, |ui| wish = self.contents(ui, session));
        match wish {
            Some(Wish::Play(name, play)) => session.play_bake(&name, play),
            Some(Wish::Bake(name, bake, resume)) => self.start(ctx, session, (name, bake), resume),
            Some(Wish::Remove(name)) => session.remove_bake(&name),
            Some(Wish::Delete(name)) => self.delete(session, &name),
            None => {}
        }
        Shown { open, area: shown.map(|shown| shown.response.rect) }
    }

    fn contents(&mut self, ui: &mut Ui, session: &Session) -> Option<Wish> {
        ui.set_width(460.0);
        let mut wish = None;
        for (position, status) in session.bakes().iter().enumerate() {
            if position > 0 {
                ui.separator();
            }
            wish = self.entry(ui, session, status).or(wish);
        }
        if let Some(running) = &self.running {
            if !session.bakes().iter().any(|status| status.name == running.name) {
                ui.label(RichText::new(&running.name).strong());
                self.progress(ui);
            }
        } else if session.bakes().is_empty() {
            ui.label(RichText::new("New bake").strong());
            wish = self.choose(ui, session).or(wish);
        } else {
            ui.separator();
            let header = egui::CollapsingHeader::new("New bake").id_salt("new bake");
            let body = header.show_unindented(ui, |ui| self.choose(ui, session)).body_returned;
            wish = body.flatten().or(wish);
        }
        if let Some((text, error)) = &self.message {
            let color = if *error { theme::current(ui).error } else { theme::current(ui).accent };
            ui.add(egui::Label::new(markup::label(ui, "", text, color)).wrap());
        }
        wish
    }

    /// How far the running bake is.
    fn progress(&self, ui: &mut Ui) {
        let Some(running) = &self.running else { return };
        let progress = running.job.progress();
        ui.add(egui::ProgressBar::new(progress.share()).desired_width(440.0).text(figures(&progress)));
        let text =
            "Bakes the graph as it was at the start. You can keep editing; the running simulation is not affected.";
        ui.add(egui::Label::new(RichText::new(text).color(theme::current(ui).dim)).wrap());
        if ui.button("Cancel").clicked() {
            running.job.cancel();
        }
    }

    /// A bake of the graph, and what can be done with it.
    fn entry(&mut self, ui: &mut Ui, session: &Session, status: &Status) -> Option<Wish> {
        let name = &status.name;
        let bake = session.document().bakes.get(name)?;
        let look = theme::current(ui);
        let (state, mut wish) = (state(status), None);
        ui.horizontal(|ui| {
            ui.label(RichText::new(name).strong());
            let runs = self.running.as_ref().is_some_and(|running| running.name == *name);
            let title = if runs { "baking" } else { state.title() };
            ui.label(RichText::new(title).color(if runs { look.accent } else { color(state, look) }));
            if status.bytes > 0 {
                ui.label(RichText::new(size(status.bytes)).color(look.dim));
            }
        });
        ui.add(egui::Label::new(RichText::new(status.wires().join(", ")).color(look.dim)).wrap());
        if self.running.as_ref().is_some_and(|running| running.name == *name) {
            self.progress(ui);
            return None;
        }
        ui.add(egui::Label::new(markup::label(ui, "", &about(status), look.text)).wrap());
        let range = self.ranges.entry(name.clone()).or_insert(bake.frames);
        frames(ui, range, &format!(" of {name}"));
        let range = *range;
        let idle = self.running.is_none();
        let has = status.frames.is_some();
        ui.horizontal(|ui| {
            let play = if bake.play { "Run live" } else { "Play from cache" };
            if ui.add_enabled(has && (bake.play || status.is_playable()), egui::Button::new(play)).clicked() {
                wish = Some(Wish::Play(name.clone(), !bake.play));
            }
            let whole = status.frames.as_ref().is_some_and(|frames| (*frames.start(), *frames.end()) == range);
            let fresh = status.condition == Condition::Fresh;
            let again = match (has, fresh && !whole) {
                (false, _) => "Bake",
                (true, true) => "Continue",
                (true, false) => "Bake again",
            };
            let button = ui.add_enabled(idle, egui::Button::new(again));
            if button.on_hover_text("Frames of the same graph are kept, unless all of them are there").clicked() {
                let bake = Bake { frames: range, ..bake.clone() };
                wish = Some(Wish::Bake(name.clone(), bake, !(fresh && whole)));
            }
            if self.deleting.as_ref() == Some(name) {
                ui.label(format!("Delete {}?", status.folder.display()));
                if ui.button("Delete").clicked() {
                    wish = Some(Wish::Delete(name.clone()));
                }
                if ui.button("Keep").clicked() {
                    self.deleting = None;
                }
            } else {
                if ui.add_enabled(has && idle, egui::Button::new("Delete cache…")).clicked() {
                    self.deleting = Some(name.clone());
                }
                let remove = ui.add_enabled(idle, egui::Button::new("Remove"));
                if remove.on_hover_text("Removes the bake from the graph. Its cache stays on disk").clicked() {
                    wish = Some(Wish::Remove(name.clone()));
                }
            }
        });
        wish
    }

    /// The fields of a new bake.
    fn choose(&mut self, ui: &mut Ui, session: &Session) -> Option<Wish> {
        let look = theme::current(ui);
        if session.path().is_none() {
            ui.label("Save the graph first: its caches lie beside it.");
            return None;
        }
        row(ui, "Name", |ui, label| {
            ui.add(egui::TextEdit::singleline(&mut self.name).desired_width(200.0)).labelled_by(label);
        });
        row(ui, "Wires", |ui, label| {
            let hint = "what images read from the simulation";
            let field = egui::TextEdit::singleline(&mut self.wires).hint_text(hint).desired_width(330.0);
            ui.add(field).labelled_by(label).on_hover_text("node.port, a State by its name; several with commas");
        });
        let range = self.frames.get_or_insert((1, 240));
        frames(ui, range, "");
        let frames = *range;
        let wires: Vec<String> =
            self.wires.split(',').map(|wire| wire.trim().into()).filter(|wire: &String| !wire.is_empty()).collect();
        let bake = Bake { wires, frames, play: false, ..Bake::default() };
        let name = self.name.trim().to_string();
        let status = self.status(session, &bake);
        let fits = match status {
            Some(Ok(status)) => {
                let count = frames.1 - frames.0 + 1;
                let free = free_space(&session.access().folder);
                let free = free.map_or_else(String::new, |free| format!("; {} are free", size(free)));
                let most = size(status.frame_bytes().saturating_mul(count));
                let text = format!("{}: at most {most} in {}{free}", status.wires().join(", "), bake.folder(&name));
                ui.add(egui::Label::new(RichText::new(text).color(look.dim)).wrap());
                true
            }
            Some(Err(error)) => {
                ui.add(egui::Label::new(markup::label(ui, "", error, look.error)).wrap());
                false
            }
            None => false,
        };
        let fits = fits && is_name(&name);
        let pressed = ui.add_enabled(fits, egui::Button::new("Bake")).clicked();
        (pressed || (fits && self.entered)).then_some(Wish::Bake(name, bake, true))
    }

    /// What a bake would hold. The graph is checked once for the same wires and revision.
    fn status(&mut self, session: &Session, bake: &Bake) -> Option<&Result<Status, String>> {
        let key = (session.revision(), self.wires.clone());
        if self.look.as_ref().is_none_or(|(last_key, _)| *last_key != key) {
            let build = |document: &Document| Graph::build(document, session.library());
            let found = partial::build_needed(session.document(), build)
                .map_err(|_| "The graph has errors; fix them first".to_string())
                .and_then(|(graph, _)| {
                    bake::status_of(&graph, "", bake, &session.access()).map_err(|problem| problem.to_string())
                });
            self.look = Some((key, found));
        }
        self.look.as_ref().map(|(_, found)| found)
    }

    fn start(&mut self, ctx: &egui::Context, session: &mut Session, (name, bake): (String, Bake), resume: bool) {
        self.message = None;
        // It is played when it is complete. Frames that stay can be played meanwhile.
        let fresh = |status: &Status| status.name == name && status.condition == Condition::Fresh;
        let play = bake.play && resume && session.bakes().iter().any(fresh);
        let bake = Bake { play, ..bake };
        if session.document().bakes.get(&name) != Some(&bake) {
            session.set_bake(&name, bake.clone());
        }
        let library = session.library().clone();
        let document = session.document().clone();
        let wake = ctx.clone();
        let what = (name.clone(), bake.clone());
        let job = Job::start(session.gpu(), library, document, &session.access(), what, resume, move || {
            wake.request_repaint()
        });
        match job {
            Ok(job) => self.running = Some(Running { job, name, bake }),
            Err(error) => self.message = Some((error.to_string(), true)),
        }
    }

    /// Takes the result of a bake that has ended.
    pub(crate) fn poll(&mut self, session: &mut Session) {
        let Some(ended) = self.running.as_mut().and_then(|running| running.job.ended()) else { return };
        let Some(Running { name, bake, .. }) = self.running.take() else { return };
        self.message = Some(match ended {
            Ended::Complete(progress) => {
                let played = Bake { play: true, ..bake };
                match session.document().bakes.get(&name) {
                    Some(current) if *current == played => session.look_at_bakes(),
                    Some(_) => session.set_bake(&name, played),
                    None => {}
                }
                self.name_anew(session);
                let count = progress.written + progress.kept;
                let replaced = match progress.replaced {
                    0 => String::new(),
                    count => format!(" {count} files of an earlier bake were replaced."),
                };
                (format!("Baked {count} frames of {name}. The graph runs from the cache.{replaced}"), false)
            }
            Ended::Cancelled(progress) => {
                session.look_at_bakes();
                let count = progress.written + progress.kept;
                (format!("Cancelled after {count} frames. Continue {name} to bake the rest."), false)
            }
            Ended::Failed(error) => {
                session.look_at_bakes();
                (error.to_string(), true)
            }
        });
    }

    /// Deletes a cache. The graph runs live then.
    fn delete(&mut self, session: &mut Session, name: &str) {
        self.deleting = None;
        let Some(status) = session.bakes().iter().find(|status| status.name == name) else { return };
        let deleted = crate::cache::remove(&status.folder);
        self.message = deleted.err().map(|error| (error.to_string(), true));
        session.look_at_bakes();
    }
}

/// Whether a text can name a folder.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\', ':']) && !name.starts_with('.')
}

/// The outputs of a node of the open level, as a bake names them.
fn outputs(session: &Session, name: &str) -> String {
    let path = session.scope().path(name);
    let signature = session.nodes().get(name).map(|node| edit::signature::node(node, session.library()));
    let outputs = signature.map(|signature| signature.outputs).unwrap_or_default();
    outputs.iter().map(|port| format!("{path}.{}", port.name)).collect::<Vec<_>>().join(", ")
}

fn figures(progress: &Progress) -> String {
    if progress.last == 0 {
        return "Compiling…".into();
    }
    let expected = progress.expected().map_or_else(String::new, |bytes| format!(" of about {}", size(bytes)));
    format!("Frame {} of {}, {}{expected}", progress.frame, progress.last, size(progress.bytes))
}

/// The colour of a state.
pub(crate) fn color(state: BakedState, look: &theme::Look) -> egui::Color32 {
    match state {
        BakedState::Playing => look.accent,
        BakedState::Stale => look.warning,
        BakedState::Unplayable => look.error,
        BakedState::Baked | BakedState::Missing => look.dim,
    }
}

/// Fields for the first and the last frame; `of` tells them apart from others by name.
fn frames(ui: &mut Ui, (first, last): &mut (u64, u64), of: &str) {
    let field = |ui: &mut Ui, title: &str, value: &mut u64, least: u64| {
        ui.label(title);
        let response = ui.add(number_field(ui, value).range(least..=99_999_999));
        let name = format!("{title}{of}");
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::DragValue, true, &name));
    };
    row(ui, "Frames", |ui, _| {
        field(ui, "from", first, 1);
        field(ui, "to", last, *first);
    });
}

fn row<R>(ui: &mut Ui, title: &str, contents: impl FnOnce(&mut Ui, Id) -> R) {
    ui.horizontal(|ui| {
        let label = ui.add_sized([56.0, 20.0], egui::Label::new(title)).id;
        contents(ui, label);
    });
}
