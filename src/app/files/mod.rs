//! Opening and saving: the system's dialog on a thread of its own, a field to type a path where no dialog answers, and the
//! question what to do with changes that no file holds.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use eframe::egui::{self, Id, Key, RichText};

use super::disk::{self, Source};
use super::session::Session;
use super::theme;
use crate::document::Document;

/// Nobody cancels a dialog this soon: there was none.
const TOO_QUICK: Duration = Duration::from_millis(400);

/// What waits for the unsaved document to be out of the way.
pub enum Leaving {
    /// A document, and the file that it is from.
    Open(Box<Document>, Option<PathBuf>),
    Close,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Open,
    Save,
}

/// What a dialog gave, and how soon.
type Answer = (Option<PathBuf>, Duration);

/// What the rest of the window has to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Opened,
    Close,
    Saved(PathBuf),
    Failed(String),
}

#[derive(Default)]
pub struct Files {
    /// The system's dialog, while it is open.
    dialog: Option<(Purpose, Receiver<Answer>)>,
    /// A path being typed, and whether replacing an existing file was agreed to.
    typed: Option<(Purpose, String, bool)>,
    /// Waits for an answer to the question about unsaved changes, or for the saving that was the answer.
    leaving: Option<Leaving>,
    asked: bool,
    events: Vec<Event>,
}

impl Files {
    /// Whether a question is on screen that must be answered first.
    pub fn blocking(&self) -> bool {
        self.typed.is_some() || self.asked
    }

    /// Closes the window or opens another document, once the one at hand is safe.
    pub fn leave(&mut self, session: &mut Session, leaving: Leaving) {
        if session.modified() {
            self.leaving = Some(leaving);
            self.asked = true;
        } else {
            self.go(session, leaving);
        }
    }

    /// Reads a document, and opens it once the one at hand is safe.
    pub fn load(&mut self, session: &mut Session, source: Source) {
        match disk::load(&source) {
            Ok(document) => {
                let path = match source {
                    Source::File(path) => Some(path),
                    Source::Example(_) => None,
                };
                self.leave(session, Leaving::Open(Box::new(document), path));
            }
            Err(sentence) => self.events.push(Event::Failed(sentence)),
        }
    }

    pub fn open(&mut self, ctx: &egui::Context, session: &Session) {
        self.ask(ctx, session, Purpose::Open);
    }

    /// Saves to the document's own file, or asks for one.
    pub fn save(&mut self, ctx: &egui::Context, session: &mut Session) {
        match session.path().map(Path::to_path_buf) {
            Some(path) => self.write(session, path),
            None => self.save_as(ctx, session),
        }
    }

    pub fn save_as(&mut self, ctx: &egui::Context, session: &Session) {
        self.ask(ctx, session, Purpose::Save);
    }

    /// Shows what is to be answered, takes answers in, and tells what came of them.
    pub fn show(&mut self, ctx: &egui::Context, session: &mut Session) -> Vec<Event> {
        self.poll(session);
        if self.asked {
            self.question(ctx, session);
        }
        if self.typed.is_some() {
            self.path_field(ctx, session);
        }
        std::mem::take(&mut self.events)
    }

    fn ask(&mut self, ctx: &egui::Context, session: &Session, purpose: Purpose) {
        if self.dialog.is_some() {
            return;
        }
        let name = session.path().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_else(|| file_name(&session.document().name));
        let mut dialog = rfd::FileDialog::new().add_filter("Graph", &["ron"]);
        if let Some(folder) = session.path().and_then(Path::parent).filter(|folder| folder.is_absolute()) {
            dialog = dialog.set_directory(folder);
        }
        let (answer, answers) = channel();
        let wake = ctx.clone();
        let work = move || {
            let since = Instant::now();
            let path = match purpose {
                Purpose::Open => dialog.pick_file(),
                Purpose::Save => dialog.set_file_name(name).save_file(),
            };
            // The window may be gone by now.
            let _ = answer.send((path, since.elapsed()));
            wake.request_repaint();
        };
        // Without a thread the answer is missing at once, and a path can be typed.
        drop(std::thread::Builder::new().name("file dialog".into()).spawn(work));
        self.dialog = Some((purpose, answers));
    }

    fn poll(&mut self, session: &mut Session) {
        let Some((purpose, answers)) = &self.dialog else { return };
        let purpose = *purpose;
        match answers.try_recv() {
            Err(TryRecvError::Empty) => return,
            Ok((Some(path), _)) => self.chosen(session, purpose, path),
            Ok((None, took)) if took > TOO_QUICK => self.cancel(),
            Ok((None, _)) | Err(TryRecvError::Disconnected) => {
                let here = session.path().map(|path| path.display().to_string());
                let here = here.unwrap_or_else(|| match purpose {
                    Purpose::Open => String::new(),
                    Purpose::Save => file_name(&session.document().name),
                });
                self.typed = Some((purpose, here, false));
            }
        }
        self.dialog = None;
    }

    fn chosen(&mut self, session: &mut Session, purpose: Purpose, mut path: PathBuf) {
        match purpose {
            Purpose::Open => self.load(session, Source::File(path)),
            Purpose::Save => {
                if path.extension().is_none() {
                    path.set_extension("ron");
                }
                self.write(session, path);
            }
        }
    }

    fn cancel(&mut self) {
        self.leaving = None;
        self.asked = false;
    }

    fn write(&mut self, session: &mut Session, path: PathBuf) {
        match disk::save(&path, session.document()) {
            Ok(()) => {
                session.mark_saved(path.clone());
                self.events.push(Event::Saved(path));
                if let Some(leaving) = self.leaving.take() {
                    self.go(session, leaving);
                }
            }
            Err(sentence) => {
                self.leaving = None;
                self.events.push(Event::Failed(sentence));
            }
        }
    }

    fn go(&mut self, session: &mut Session, leaving: Leaving) {
        self.cancel();
        match leaving {
            Leaving::Close => self.events.push(Event::Close),
            Leaving::Open(document, path) => {
                super::open_document(session, *document, path);
                self.events.push(Event::Opened);
            }
        }
    }

    fn question(&mut self, ctx: &egui::Context, session: &mut Session) {
        let name = super::display_name(session);
        let mut answer = None;
        let modal = egui::Modal::new(Id::new("unsaved")).show(ctx, |ui| {
            ui.set_width(380.0);
            ui.label(RichText::new(format!("Save the changes to {name}?")).heading());
            ui.label(RichText::new("They are lost if you don't.").color(theme::DIM));
            ui.add_space(10.0);
            ui.horizontal(|ui| {
                for (index, text) in ["Save", "Don't save", "Cancel"].into_iter().enumerate() {
                    if ui.add(egui::Button::new(text).min_size(egui::vec2(90.0, 26.0))).clicked() {
                        answer = Some(index);
                    }
                }
            });
        });
        match answer.or(modal.should_close().then_some(2)) {
            Some(0) => {
                self.asked = false;
                self.save(ctx, session);
            }
            Some(1) => {
                if let Some(leaving) = self.leaving.take() {
                    self.go(session, leaving);
                }
            }
            Some(_) => self.cancel(),
            None => {}
        }
    }

    /// Where the system has no file dialog.
    fn path_field(&mut self, ctx: &egui::Context, session: &mut Session) {
        let Some((purpose, text, replace)) = &mut self.typed else { return };
        let (title, verb) = match purpose {
            Purpose::Open => ("Open a graph", "Open"),
            Purpose::Save => ("Save the graph", "Save"),
        };
        let mut answer = None;
        let modal = egui::Modal::new(Id::new("path")).show(ctx, |ui| {
            ui.set_width(520.0);
            ui.label(RichText::new(title).heading());
            ui.label(RichText::new("This system has no file dialog that answers, so type the path.").color(theme::DIM));
            let id = Id::new("path field");
            let field =
                ui.add(egui::TextEdit::singleline(text).id(id).desired_width(f32::INFINITY).hint_text("graph.ron"));
            if !field.has_focus() && !field.lost_focus() {
                field.request_focus();
            }
            if field.changed() {
                *replace = false;
            }
            if *replace {
                ui.label(
                    RichText::new("There is a file of that name; press again to replace it.").color(theme::WARNING),
                );
            }
            ui.add_space(10.0);
            let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            ui.horizontal(|ui| {
                let size = egui::vec2(90.0, 26.0);
                let button = egui::Button::new(if *replace { "Replace" } else { verb }).min_size(size);
                if ui.add_enabled(!text.trim().is_empty(), button).clicked() || (enter && !text.trim().is_empty()) {
                    answer = Some(true);
                }
                if ui.add(egui::Button::new("Cancel").min_size(size)).clicked() {
                    answer = Some(false);
                }
            });
        });
        let path = PathBuf::from(text.trim());
        match answer.or(modal.should_close().then_some(false)) {
            Some(true) => {
                let other = *purpose == Purpose::Save && path.exists() && session.path() != Some(&path);
                if other && !*replace {
                    *replace = true;
                    return;
                }
                let purpose = *purpose;
                self.typed = None;
                self.chosen(session, purpose, path);
            }
            Some(false) => {
                self.typed = None;
                self.cancel();
            }
            None => {}
        }
    }
}

/// A file name from a graph's own name.
fn file_name(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    let plain = plain.trim_matches('_');
    format!("{}.ron", if plain.is_empty() { "graph" } else { plain })
}
