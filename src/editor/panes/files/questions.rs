//! Questions that must be answered first, one at a time.

use std::time::{Duration, SystemTime};

use eframe::egui::{self, Id, RichText};

pub(super) use super::modal::frame;
use super::{Event, Files, Leaving, Question};
use crate::model::names;
use crate::model::session::Session;
use crate::toolkit::{markup, theme};

/// Lines of lost parts that are shown without scrolling.
const LINES: f32 = 10.0;

/// A question with a row of answers. Returns the chosen one; closing the question chooses the last.
fn ask(ctx: &egui::Context, title: &str, answers: &[&str], body: impl FnOnce(&mut egui::Ui)) -> Option<usize> {
    let mut answer = None;
    let modal = egui::Modal::new(Id::new(("question", title))).frame(frame(ctx)).show(ctx, |ui| {
        ui.set_width(460.0);
        ui.label(RichText::new(title).heading());
        body(ui);
        ui.add_space(10.0);
        ui.horizontal(|ui| {
            for (index, text) in answers.iter().enumerate() {
                if ui.add(egui::Button::new(*text).min_size(egui::vec2(90.0, 26.0))).clicked() {
                    answer = Some(index);
                }
            }
        });
    });
    answer.or(modal.should_close().then_some(answers.len() - 1))
}

fn dim(ui: &mut egui::Ui, text: &str) {
    ui.add(egui::Label::new(RichText::new(text).color(theme::current(ui).dim)).wrap());
}

impl Files {
    /// Shows the first open question.
    pub(super) fn show_question(&mut self, ctx: &egui::Context, session: &mut Session) {
        if self.typed.is_some() {
            self.path_field(ctx, session);
        } else if let Some(question) = self.question {
            match question {
                Question::Save => self.ask_to_save(ctx, session),
                Question::Export => self.ask_to_stop(ctx, session),
                Question::Wait => self.ask_to_wait(ctx, session),
            }
        } else if self.conflict.is_some() {
            self.ask_to_reload(ctx, session);
        } else if self.broken.is_some() {
            self.ask_to_keep(ctx, session);
        } else if !self.left.is_empty() {
            self.ask_to_recover(ctx, session);
        } else if let Some(chosen) = self.gallery.as_ref().and_then(|gallery| gallery.show(ctx)) {
            self.gallery = None;
            if let Some(source) = chosen {
                self.load(session, source);
            }
        }
    }

    fn ask_to_save(&mut self, ctx: &egui::Context, session: &mut Session) {
        let graph = session.modified().then(|| names::display_name(session));
        let texts = Some(names::names(session.drafts().keys())).filter(|names| !names.is_empty());
        let changed = [graph, texts].into_iter().flatten().collect::<Vec<_>>().join(", ");
        let answers = ["Save", "Don't save", "Cancel"];
        let overtaken = session.drafts().iter().filter(|(_, draft)| draft.overtaken).map(|(path, _)| path);
        let overtaken = names::names(overtaken);
        let answer = ask(ctx, &format!("Save changes to {changed}?"), &answers, |ui| {
            dim(ui, "Unsaved changes will be lost.");
            if !overtaken.is_empty() {
                dim(ui, &format!("Another program has also changed {overtaken}. Saving overwrites its changes."));
            }
        });
        match answer {
            Some(0) => self.save_and_part(ctx, session),
            Some(1) => self.safe(session),
            Some(_) => self.cancel(),
            None => {}
        }
    }

    /// Saves all changes, stage files first, since their paths are known.
    fn save_and_part(&mut self, ctx: &egui::Context, session: &mut Session) {
        self.question = None;
        for path in session.drafts().keys().cloned().collect::<Vec<_>>() {
            self.start_stage(session, path);
        }
        // Leaves once the last file is written, and stays if one can't be.
        match session.modified() {
            true => self.save(ctx, session),
            false => self.poll_saving(session),
        }
    }

    /// The file is whole at every moment, so that nothing but these changes is lost without waiting; they are kept for the
    /// next start.
    fn ask_to_wait(&mut self, ctx: &egui::Context, session: &mut Session) {
        let Some(saving) = self.saving.first() else { return self.safe(session) };
        let title = format!("Saving {}", saving.path.display());
        let close = matches!(self.leaving, Some(Leaving::Close));
        let answers = ["Close without waiting", "Cancel"];
        let answers = if close { answers.as_slice() } else { &answers[1..] };
        let text = match close {
            true => {
                "The disk has not confirmed the file yet. Without waiting, the file may stay as it was; the changes are kept and offered when the editor starts again."
            }
            false => "The disk has not confirmed the file yet. The other graph opens as soon as it has.",
        };
        match (ask(ctx, &title, answers, |ui| dim(ui, text)), close) {
            (Some(0), true) => {
                if let Some(recovery) = &mut self.recovery {
                    recovery.leave_behind(session);
                }
                self.saving.clear();
                if let Some(leaving) = self.leaving.take() {
                    self.go(session, leaving);
                }
            }
            (Some(_), _) => self.cancel(),
            (None, _) => {}
        }
    }

    /// Continues once there are no unsaved changes.
    fn safe(&mut self, session: &mut Session) {
        self.question = None;
        if let Some(leaving) = self.leaving.take() {
            self.part(session, leaving);
        }
    }

    /// A closed window can't export. Another graph can be opened beside a running export, which has its own simulation.
    fn ask_to_stop(&mut self, ctx: &egui::Context, session: &mut Session) {
        let close = matches!(self.leaving, Some(Leaving::Close));
        let (stop, text) = match close {
            true => ("Stop and close", "Closing the window stops the export. It can be resumed later."),
            false => (
                "Stop and open",
                "The export uses the graph as it was at the start. It can continue while another graph is open.",
            ),
        };
        let answers = [stop, "Keep exporting", "Cancel"];
        // Cancelling keeps the window; it is the last answer.
        let answers = if close { answers.get(..2).unwrap_or_default() } else { &answers };
        let answer = ask(ctx, "An export is running", answers, |ui| dim(ui, text));
        match (answer, self.leaving.take_if(|_| answer.is_some())) {
            (Some(0), Some(leaving)) => {
                self.events.push(Event::StopExport);
                self.go(session, leaving);
            }
            (Some(1), Some(leaving)) if !close => self.go(session, leaving),
            (Some(_), _) => self.cancel(),
            (None, _) => {}
        }
    }

    fn ask_to_reload(&mut self, ctx: &egui::Context, session: &mut Session) {
        let title = format!("{} was changed by another program", names::display_name(session));
        let text = "You also have unsaved changes. Reloading can be undone.";
        let answer = ask(ctx, &title, &["Discard my changes and reload", "Keep my changes"], |ui| dim(ui, text));
        let Some((answer, document)) = answer.zip(self.conflict.take_if(|_| answer.is_some())) else { return };
        match answer {
            0 => session.reload(*document),
            _ => session.mark_on_disk(*document),
        }
    }

    fn ask_to_keep(&mut self, ctx: &egui::Context, session: &mut Session) {
        let Some((sentence, salvaged)) = &self.broken else { return };
        let nodes = salvaged.document.as_ref().map_or(0, |document| document.nodes.len());
        let kept = format!("{nodes} node{} could be recovered. Lost:", if nodes == 1 { "" } else { "s" });
        let answers = ["Open recovered copy", "Cancel"];
        let answer = ask(ctx, "This file is damaged", &answers, |ui| {
            ui.add(egui::Label::new(markup::label(ui, "", sentence, ui.visuals().text_color())).wrap());
            ui.add_space(6.0);
            dim(ui, &kept);
            let height = LINES * ui.text_style_height(&egui::TextStyle::Monospace);
            egui::ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
                for line in &salvaged.lost {
                    ui.add(egui::Label::new(RichText::new(line).monospace().color(theme::current(ui).warning)).wrap());
                }
            });
            ui.add_space(6.0);
            dim(ui, "It opens as an unsaved copy. The damaged file is not changed.");
        });
        let Some(answer) = answer else { return };
        let document = self.broken.take().and_then(|(_, salvaged)| salvaged.document);
        if let Some(document) = document.filter(|_| answer == 0) {
            self.leave(session, Leaving::Copy(Box::new(document)));
        }
    }

    fn ask_to_recover(&mut self, ctx: &egui::Context, session: &mut Session) {
        let Some(left) = self.left.first() else { return };
        let file = left.path.as_ref().map(|path| path.display().to_string());
        let name = file.or(Some(left.document.name.clone()).filter(|name| !name.is_empty()));
        let text = format!("{}: {}, {}.", name.unwrap_or("untitled".into()), ago(left.when), left.difference());
        let answers = ["Recover", "Discard", "Later"];
        let answer = ask(ctx, "Stagewright closed with unsaved changes", &answers, |ui| dim(ui, &text));
        match answer {
            Some(0) => {
                let left = self.left.remove(0);
                self.leave(session, Leaving::Recover(left));
            }
            Some(1) => self.left.remove(0).discard(),
            // The next window asks again.
            Some(_) => self.left.clear(),
            None => {}
        }
    }
}

fn ago(when: SystemTime) -> String {
    let minutes = when.elapsed().unwrap_or(Duration::ZERO).as_secs() / 60;
    match (minutes, minutes / 60, minutes / 1440) {
        (0, ..) => "a moment ago".into(),
        (1, ..) => "a minute ago".into(),
        (minutes, 0, _) => format!("{minutes} minutes ago"),
        (_, 1, _) => "an hour ago".into(),
        (_, hours, 0) => format!("{hours} hours ago"),
        (_, _, 1) => "a day ago".into(),
        (_, _, days) => format!("{days} days ago"),
    }
}
