//! The code pane: the WGSL of the selected node. A Custom stage changes as the user types, a stage file
//! when it is saved, and a shipped stage can be read and copied into the graph.

mod bar;
mod complete;
mod field;
mod highlight;
mod keys;
mod meaning;

use std::path::{Path, PathBuf};

use eframe::egui::{self, Id, RichText, Ui};

use crate::commands::action::{Action, Actions};
use crate::document::{Node, NodeKind, Scope};
use crate::edit;
use crate::library::{Definition, Library};
use crate::model::session::{Draft, Session};
use crate::panes::content::{PaneContent, Surroundings};
use crate::problem::{Severity, SourcePlace};
use crate::stage::{Stage, StageError};
use crate::toolkit::theme;
use field::{Field, FieldRequest, HistoryStep, Mark, Shown};

/// How long after the last key the text goes into the document \[s\].
const REST: f64 = 0.3;
/// A pause in typing that begins another undo step \[s\].
const PAUSE: f64 = 2.0;

/// Where a text is stored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum TextPlace {
    /// In the graph, by the node's path.
    Node(String),
    /// In a stage file, by the stage's name and the file's path.
    File(String, PathBuf),
    /// In the program; read-only.
    BuiltIn(String),
}

/// A text on screen.
#[derive(Debug)]
struct Text {
    now: String,
    /// The text as it is stored.
    kept: String,
    /// The stored text as last seen in the session, which lags behind after a save.
    seen: String,
    /// The stored text was changed elsewhere while there were changes here.
    overtaken: bool,
    /// When a key was pressed last, by egui's clock.
    typed: f64,
    /// The next change begins another undo step.
    step: bool,
    /// Errors of the stage's parser; only for files, since a graph is compiled.
    wrong: Vec<StageError>,
}

impl Text {
    fn new(place: &TextPlace, source: &str, draft: Option<&Draft>) -> Text {
        let now = draft.map_or(source, |draft| &draft.text).to_string();
        let [kept, seen] = [(); 2].map(|()| draft.map_or(source, |draft| &draft.of).to_string());
        let overtaken = draft.is_some_and(|draft| draft.overtaken);
        let mut text = Text { now, kept, seen, overtaken, typed: f64::MIN, step: true, wrong: Vec::new() };
        text.check(place);
        text
    }

    fn changed(&self) -> bool {
        self.now != self.kept
    }

    fn check(&mut self, place: &TextPlace) {
        if let TextPlace::File(name, _) = place {
            self.wrong = Stage::parse(name, &self.now).err().unwrap_or_default();
        }
    }

    /// Updates the stored text.
    fn sync(&mut self, place: &TextPlace, source: &str) {
        if self.seen == source {
            return;
        }
        self.overtaken = self.changed() && self.now != source;
        if !self.changed() {
            self.now = source.to_string();
            self.check(place);
        }
        self.kept = source.to_string();
        self.seen = source.to_string();
    }
}

/// The pane.
#[derive(Default)]
pub(crate) struct Code {
    open: Option<(TextPlace, Text)>,
    field: Field,
    /// The place to show when the pane is drawn next.
    wanted: Option<SourcePlace>,
}

/// What the buttons of the bar do.
enum Wish {
    MakeLocalCopy,
    OpenElsewhere(PathBuf),
    Save,
    TakeBack,
}

/// A node's text, to be shown.
struct ShownText {
    /// Of the node.
    path: String,
    place: TextPlace,
    source: String,
}

/// The text of the selected node, or why there is none.
fn subject(session: &Session) -> Result<ShownText, &'static str> {
    let mut selected = session.selection.nodes.iter();
    let (Some(name), None) = (selected.next(), selected.next()) else {
        return Err("Select one node to see its WGSL.");
    };
    let node = session.nodes().get(name).ok_or("Select one node to see its WGSL.")?;
    let path = session.scope().path(name);
    let library = session.library();
    match &node.kind {
        NodeKind::Custom(source) if !session.editable() => {
            Ok(ShownText { place: TextPlace::BuiltIn(path.clone()), source: source.clone(), path })
        }
        NodeKind::Custom(source) => {
            Ok(ShownText { place: TextPlace::Node(path.clone()), source: source.clone(), path })
        }
        NodeKind::Stage(name) => match (library.file(name), library.get(name)) {
            (Some(file), _) => {
                let place = TextPlace::File(name.clone(), file.path.clone());
                Ok(ShownText { path, place, source: file.text.clone() })
            }
            (None, Some(Definition::Stage(stage))) => {
                Ok(ShownText { path, place: TextPlace::BuiltIn(name.clone()), source: stage.source.clone() })
            }
            (None, Some(Definition::Group(_))) => Err("A group has no WGSL. Open it and select a stage."),
            (None, None) => Err("There is no stage of this name."),
        },
        NodeKind::Group(_) => Err("A group has no WGSL. Open it and select a stage."),
        _ => Err("This node has no WGSL. Only stages have."),
    }
}

/// Whether a node has a text that the pane can show.
pub(crate) fn has_text(node: &Node, library: &Library) -> bool {
    match &node.kind {
        NodeKind::Custom(_) => true,
        NodeKind::Stage(name) => library.stage(name).is_some() || library.file(name).is_some(),
        _ => false,
    }
}

impl PaneContent for Code {
    fn show(&mut self, ui: &mut Ui, around: &mut Surroundings<'_>) -> Result<(), String> {
        self.draw(ui, around.session, around.actions)
    }

    fn opened(&mut self) {
        *self = Code::default();
    }

    /// Lays the text out again, since it was laid out with the old window's fonts.
    fn device_lost(&mut self, session: &mut Session) {
        self.flush(session);
        *self = Code::default();
    }
}

impl Code {
    /// Shows a place in the text of the selected node.
    pub(crate) fn show_place(&mut self, place: SourcePlace) {
        self.wanted = Some(place);
    }

    /// Draws the pane. An `Err` is a sentence for the person.
    fn draw(&mut self, ui: &mut Ui, session: &mut Session, actions: &mut Actions) -> Result<(), String> {
        let wanted = self.wanted.take();
        let subject = match subject(session) {
            Ok(subject) => subject,
            Err(sentence) => {
                self.turn_to(session, None);
                let whole = egui::CentralPanel::no_frame().frame(theme::pane(ui));
                whole.show(ui, |ui| ui.label(RichText::new(sentence).color(theme::of(ui).faint)));
                return Ok(());
            }
        };
        self.turn_to(session, Some(&subject));
        let Code { open: Some((place, text)), field, .. } = self else { return Ok(()) };
        let marks = marks(place, text, session, &subject.path);
        let (wish, label) = bar::top(ui, session, &subject, text);
        let chosen = bar::bottom(ui, &marks);
        let shown = Shown {
            id: id(place),
            label,
            marks: &marks,
            wanted: wanted.or(chosen),
            editable: !matches!(place, TextPlace::BuiltIn(_)),
            history: matches!(place, TextPlace::Node(_)),
        };
        let before = text.now.clone();
        let middle = egui::CentralPanel::no_frame();
        let asked = middle.show(ui, |ui| field.show(ui, &mut text.now, &shown)).inner;
        if text.now != before {
            let now = ui.input(|input| input.time);
            text.step |= now - text.typed > PAUSE;
            text.typed = now;
            text.check(place);
        }
        match asked {
            Some(FieldRequest::Step(step)) => self.step(ui.ctx(), session, step),
            Some(FieldRequest::Manual(heading)) => actions.push(Action::ShowLanguage(heading)),
            None => {}
        }
        let told = wish.map_or(Ok(()), |wish| self.grant(session, &subject, wish, actions));
        self.keep_draft(session);
        told
    }

    /// Keeps unsaved text of a file in the session.
    fn keep_draft(&self, session: &mut Session) {
        let Some((TextPlace::File(_, path), text)) = &self.open else { return };
        let known = session.drafts().get(path);
        let same = |known: &Draft| known.text == text.now && known.of == text.kept && known.overtaken == text.overtaken;
        if text.changed() && !known.is_some_and(same) {
            let draft = Draft { text: text.now.clone(), of: text.kept.clone(), overtaken: text.overtaken };
            session.set_draft(path, Some(draft));
        } else if !text.changed() && known.is_some() {
            session.set_draft(path, None);
        }
    }

    /// Puts what was typed into the document after a short pause, or when the field loses the focus. To be called in
    /// every frame, whether or not the pane is visible.
    pub(crate) fn tick(&mut self, ctx: &egui::Context, session: &mut Session) {
        let Some((place @ TextPlace::Node(_), text)) = &self.open else { return };
        if !text.changed() {
            return;
        }
        let rests = ctx.input(|input| input.time) - text.typed;
        if rests >= REST || !ctx.memory(|memory| memory.has_focus(id(place))) {
            self.flush(session);
        } else {
            ctx.request_repaint_after(std::time::Duration::from_secs_f64(REST - rests));
        }
    }

    /// Puts what was typed into the document now.
    pub(crate) fn flush(&mut self, session: &mut Session) {
        let Some((TextPlace::Node(path), text)) = &mut self.open else { return };
        if !text.changed() {
            return;
        }
        if std::mem::take(&mut text.step) {
            session.end_gesture();
        }
        text.kept = text.now.clone();
        text.seen = text.now.clone();
        session.edit(&format!("text of {path}"), |document| {
            if let Some(Node { kind: NodeKind::Custom(source), .. }) = document.node_mut(path) {
                source.clone_from(&text.now);
            }
        });
    }

    /// The heading of the manual about the word at the caret, if the text has the focus and the word is one of the language.
    pub(crate) fn heading(&self, ctx: &egui::Context) -> Option<String> {
        let (place, text) = self.open.as_ref()?;
        let id = id(place);
        ctx.memory(|memory| memory.has_focus(id)).then_some(())?;
        field::heading(ctx, id, &text.now)
    }

    /// The file whose text has the focus.
    pub(crate) fn focused_file(&self, ctx: &egui::Context) -> Option<PathBuf> {
        let (place @ TextPlace::File(_, path), _) = self.open.as_ref()? else { return None };
        ctx.memory(|memory| memory.has_focus(id(place))).then(|| path.clone())
    }

    /// Notes that a file has this text now; more may have been typed since.
    pub(crate) fn mark_saved(&mut self, saved: &Path, written: &str) {
        if let Some((TextPlace::File(_, path), text)) = &mut self.open
            && path == saved
        {
            text.kept = written.to_string();
            text.overtaken = false;
        }
    }

    /// Shows a node's text, with its unsaved changes.
    fn turn_to(&mut self, session: &mut Session, subject: Option<&ShownText>) {
        if self.open.as_ref().map(|(place, _)| place) != subject.map(|subject| &subject.place) {
            self.flush(session);
            self.open = subject.map(|subject| {
                let draft = match &subject.place {
                    TextPlace::File(_, path) => session.drafts().get(path),
                    TextPlace::Node(_) | TextPlace::BuiltIn(_) => None,
                };
                (subject.place.clone(), Text::new(&subject.place, &subject.source, draft))
            });
        }
        if let (Some((place, text)), Some(subject)) = (&mut self.open, subject) {
            text.sync(place, &subject.source);
        }
    }

    /// Undo and redo apply to the document, where typing makes steps like any edit.
    fn step(&mut self, ctx: &egui::Context, session: &mut Session, step: HistoryStep) {
        self.flush(session);
        match step {
            HistoryStep::Undo => session.undo(),
            HistoryStep::Redo => session.redo(),
        }
        let Some((place, text)) = &mut self.open else { return };
        text.step = true;
        let TextPlace::Node(path) = &*place else { return };
        if let Some(Node { kind: NodeKind::Custom(source), .. }) = session.document().node(path) {
            field::follow(ctx, id(place), &text.now, source);
            text.sync(place, source);
        }
    }

    fn grant(
        &mut self,
        session: &mut Session,
        subject: &ShownText,
        wish: Wish,
        actions: &mut Actions,
    ) -> Result<(), String> {
        match wish {
            Wish::MakeLocalCopy => {
                let library = session.library().clone();
                let mut result = Ok(());
                let (scope, name) = Scope::split(&subject.path);
                session.edit("make local copy", |document| {
                    result = edit::make_local_copy(document, &scope, name, &library)
                });
                session.end_gesture();
                result.map_err(String::from)
            }
            Wish::OpenElsewhere(path) => {
                open::that_detached(&path).map_err(|error| format!("{} can't be opened: {error}", path.display()))
            }
            Wish::Save => {
                if let TextPlace::File(_, path) = &subject.place {
                    actions.push(Action::SaveStage(path.clone()));
                }
                Ok(())
            }
            Wish::TakeBack => {
                if let Some((place, text)) = &mut self.open {
                    text.now = text.kept.clone();
                    text.overtaken = false;
                    text.check(place);
                }
                Ok(())
            }
        }
    }
}

fn id(place: &TextPlace) -> Id {
    Id::new(("code", place))
}

/// Problems of the text.
fn marks(place: &TextPlace, text: &Text, session: &Session, path: &str) -> Vec<Mark> {
    // Problems of a file that has unsaved changes, or does not parse, come from its own text.
    if matches!(place, TextPlace::File(..)) && (text.changed() || !text.wrong.is_empty()) {
        let mark = |wrong: &StageError| Mark { place: Some(wrong.place), sentence: wrong.message.clone(), error: true };
        return text.wrong.iter().map(mark).collect();
    }
    let own = session.problems().filter(|problem| problem.node == path);
    own.map(|problem| {
        let sentence = match problem.remedy.as_str() {
            "" => problem.cause.clone(),
            remedy => format!("{}; {remedy}", problem.cause),
        };
        Mark { place: problem.place, sentence, error: problem.severity == Severity::Error }
    })
    .collect()
}

#[cfg(test)]
mod tests;
