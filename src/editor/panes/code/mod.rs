//! The code pane: the WGSL of the selected node. A Custom stage changes as the user types, a stage file
//! when it is saved, and a shipped stage can be read and copied into the graph.

mod bar;
mod complete;
mod field;
mod highlight;
mod keys;
mod meaning;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use eframe::egui::{self, Id, RichText, Ui};

use crate::commands::action::{Action, Actions};
use crate::document::{Document, Node, NodeKind, Scope};
use crate::edit;
use crate::library::{Definition, Library};
use crate::model::edited_text::EditedText;
use crate::model::session::{Draft, Session};
use crate::panes::content::{PaneContent, Surroundings};
use crate::problem::{Severity, SourcePlace};
use crate::stage::{SharedFile, Stage, StageError, header, is_shared};
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
    /// A shared text of the graph, by its name.
    Shared(String),
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
    fn new(place: &TextPlace, source: &str, draft: Option<&Draft>, library: &Library) -> Text {
        let now = draft.map_or(source, |draft| &draft.text).to_string();
        let [kept, seen] = [(); 2].map(|()| draft.map_or(source, |draft| &draft.of).to_string());
        let overtaken = draft.is_some_and(|draft| draft.overtaken);
        let mut text = Text { now, kept, seen, overtaken, typed: f64::MIN, step: true, wrong: Vec::new() };
        text.check(place, library);
        text
    }

    fn changed(&self) -> bool {
        self.now != self.kept
    }

    fn check(&mut self, place: &TextPlace, library: &Library) {
        if let TextPlace::File(name, _) = place {
            let wrong = match is_shared(&self.now) {
                true => SharedFile::parse(name, &self.now).and_then(|file| file.check(library)).err(),
                false => Stage::parse_using(name, &self.now, library).err(),
            };
            self.wrong = wrong.unwrap_or_default();
        }
    }

    /// Updates the stored text.
    fn sync(&mut self, place: &TextPlace, source: &str, library: &Library) {
        if self.seen == source {
            return;
        }
        self.overtaken = self.changed() && self.now != source;
        if !self.changed() {
            self.now = source.to_string();
            self.check(place, library);
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
    /// A shared file that is shown in place of the text of a node that uses it: the node's path, empty for the selected
    /// one, and the name of the file.
    shared: Option<(String, String)>,
}

/// What the buttons of the bar do.
enum Wish {
    MakeLocalCopy,
    /// Shows a shared file, or the node's own text again.
    Show(Option<String>),
    /// Adds an empty shared text to the graph.
    Create(String),
    OpenElsewhere(PathBuf),
    Save,
    TakeBack,
}

/// A node's text, to be shown.
struct ShownText {
    /// Path of the node.
    path: String,
    place: TextPlace,
    source: String,
    /// The shared file that it is.
    shared: Option<String>,
    /// Whether the node is a Custom stage that can be edited, whose shared texts the graph may store.
    custom: bool,
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
            Ok(own_text(path.clone(), TextPlace::BuiltIn(path), source.clone()))
        }
        NodeKind::Custom(source) => {
            Ok(ShownText { custom: true, ..own_text(path.clone(), TextPlace::Node(path), source.clone()) })
        }
        NodeKind::Stage(name) => match (library.file(name), library.get(name)) {
            (Some(file), _) => {
                let place = TextPlace::File(name.clone(), file.path.clone());
                Ok(own_text(path, place, file.text.clone()))
            }
            (None, Some(Definition::Stage(stage))) => {
                Ok(own_text(path, TextPlace::BuiltIn(name.clone()), stage.own_text().to_string()))
            }
            (None, Some(Definition::Group(_))) => Err("A group has no WGSL. Open it and select a stage."),
            (None, None) => Err("There is no stage of this name."),
        },
        NodeKind::Group(_) => Err("A group has no WGSL. Open it and select a stage."),
        _ => Err("This node has no WGSL. Only stages have."),
    }
}

/// A node's own text.
fn own_text(path: String, place: TextPlace, source: String) -> ShownText {
    ShownText { path, place, source, shared: None, custom: false }
}

/// The text of a shared file, in place of that of a node that uses it.
fn shared_subject(session: &Session, node: &ShownText, name: &str) -> Option<ShownText> {
    let library = session.library();
    let of_graph = session.document().shared.get(name).filter(|_| node.custom);
    let (place, source) = match (of_graph, library.file(name)) {
        (Some(text), _) => (TextPlace::Shared(name.into()), text.clone()),
        (None, Some(file)) => (TextPlace::File(name.into(), file.path.clone()), file.text.clone()),
        (None, None) => (TextPlace::BuiltIn(name.into()), library.shared_text(name)?.into_owned()),
    };
    Some(ShownText { path: node.path.clone(), place, source, shared: Some(name.into()), custom: node.custom })
}

/// A text that the graph stores.
fn stored<'d>(document: &'d mut Document, place: &TextPlace) -> Option<&'d mut String> {
    match place {
        TextPlace::Node(path) => match document.node_mut(path) {
            Some(Node { kind: NodeKind::Custom(source), .. }) => Some(source),
            _ => None,
        },
        TextPlace::Shared(name) => document.shared.get_mut(name),
        TextPlace::File(..) | TextPlace::BuiltIn(_) => None,
    }
}

/// A text that is not read-only.
fn edited_text(place: &TextPlace) -> Option<EditedText> {
    match place {
        TextPlace::Node(path) => Some(EditedText::Node(path.clone())),
        TextPlace::Shared(name) => Some(EditedText::Shared(name.clone())),
        TextPlace::File(name, _) => Some(EditedText::File(name.clone())),
        TextPlace::BuiltIn(_) => None,
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
        self.shared = None;
    }

    /// Shows a place in a shared file that the selected node uses.
    pub(crate) fn show_shared(&mut self, name: &str, place: SourcePlace) {
        self.wanted = Some(place);
        self.shared = Some((String::new(), name.to_string()));
    }

    /// Draws the pane. An `Err` is a sentence for the person.
    fn draw(&mut self, ui: &mut Ui, session: &mut Session, actions: &mut Actions) -> Result<(), String> {
        let wanted = self.wanted.take();
        let subject = match subject(session) {
            Ok(subject) => subject,
            Err(sentence) => {
                self.turn_to(session, None);
                let whole = egui::CentralPanel::no_frame().frame(theme::pane(ui));
                whole.show(ui, |ui| ui.label(RichText::new(sentence).color(theme::current(ui).faint)));
                return Ok(());
            }
        };
        let subject = self.choose(session, subject);
        self.turn_to(session, Some(&subject));
        let library = session.library().clone();
        // Only Custom stages see what the graph stores.
        let library =
            if subject.custom { library.with_shared_of(session.document()) } else { Cow::Borrowed(&*library) };
        let Code { open: Some((place, text)), field, .. } = self else { return Ok(()) };
        let marks = marks(place, text, session, &subject);
        let (wish, label) = bar::top(ui, session, &subject, text);
        let chosen = bar::bottom(ui, &marks);
        let shown = Shown {
            id: id(place),
            library: &library,
            label,
            marks: &marks,
            wanted: wanted.or(chosen),
            editable: !matches!(place, TextPlace::BuiltIn(_)),
            history: matches!(place, TextPlace::Node(_) | TextPlace::Shared(_)),
        };
        let before = text.now.clone();
        let middle = egui::CentralPanel::no_frame();
        let request = middle.show(ui, |ui| field.show(ui, &mut text.now, &shown)).inner;
        if text.now != before {
            let now = ui.input(|input| input.time);
            text.step |= now - text.typed > PAUSE;
            text.typed = now;
            text.check(place, &library);
        }
        match request {
            Some(FieldRequest::Step(step)) => self.step(ui.ctx(), session, step),
            Some(FieldRequest::Manual(heading)) => actions.push(Action::ShowLanguage(heading)),
            Some(FieldRequest::Shared(name, place)) => self.show_shared(&name, place),
            None => {}
        }
        let result = wish.map_or(Ok(()), |wish| self.grant(session, &subject, wish, actions));
        self.keep_draft(session);
        result
    }

    /// The node's text, or the shared file that is shown in its place.
    fn choose(&mut self, session: &Session, node: ShownText) -> ShownText {
        let Some((of, name)) = &mut self.shared else { return node };
        if of.is_empty() {
            of.clone_from(&node.path);
        }
        let shown = if *of == node.path { shared_subject(session, &node, name) } else { None };
        if shown.is_none() {
            self.shared = None;
        }
        shown.unwrap_or(node)
    }

    /// Keeps unsaved text of a file in the session.
    fn keep_draft(&self, session: &mut Session) {
        let Some((TextPlace::File(_, path), text)) = &self.open else { return };
        let kept_draft = session.drafts().get(path);
        let same = |draft: &Draft| draft.text == text.now && draft.of == text.kept && draft.overtaken == text.overtaken;
        if text.changed() && !kept_draft.is_some_and(same) {
            let draft = Draft { text: text.now.clone(), of: text.kept.clone(), overtaken: text.overtaken };
            session.set_draft(path, Some(draft));
        } else if !text.changed() && kept_draft.is_some() {
            session.set_draft(path, None);
        }
    }

    /// Puts what was typed into the document after a short pause, or when the field loses the focus. To be called in
    /// every frame, whether or not the pane is visible.
    pub(crate) fn tick(&mut self, ctx: &egui::Context, session: &mut Session) {
        let Some((place @ (TextPlace::Node(_) | TextPlace::Shared(_)), text)) = &self.open else { return };
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
        let Some((place, text)) = &mut self.open else { return };
        let (TextPlace::Node(of) | TextPlace::Shared(of)) = &*place else { return };
        if !text.changed() {
            return;
        }
        if std::mem::take(&mut text.step) {
            session.end_gesture();
        }
        text.kept = text.now.clone();
        text.seen = text.now.clone();
        session.edit(&format!("text of {of}"), |document| {
            if let Some(source) = stored(document, place) {
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
        let library = session.library().clone();
        if self.open.as_ref().map(|(place, _)| place) != subject.map(|subject| &subject.place) {
            self.flush(session);
            self.open = subject.map(|subject| {
                let draft = match &subject.place {
                    TextPlace::File(_, path) => session.drafts().get(path),
                    TextPlace::Node(_) | TextPlace::Shared(_) | TextPlace::BuiltIn(_) => None,
                };
                (subject.place.clone(), Text::new(&subject.place, &subject.source, draft, &library))
            });
        }
        if let (Some((place, text)), Some(subject)) = (&mut self.open, subject) {
            text.sync(place, &subject.source, &library);
        }
        session.open_text(self.open.as_ref().and_then(|(place, _)| edited_text(place)));
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
        let source = match &*place {
            TextPlace::Node(path) => match session.document().node(path).map(|node| &node.kind) {
                Some(NodeKind::Custom(source)) => source,
                _ => return,
            },
            TextPlace::Shared(name) => match session.document().shared.get(name) {
                Some(source) => source,
                None => return,
            },
            TextPlace::File(..) | TextPlace::BuiltIn(_) => return,
        };
        field::follow(ctx, id(place), &text.now, source);
        text.sync(place, source, session.library());
    }

    fn grant(
        &mut self,
        session: &mut Session,
        subject: &ShownText,
        wish: Wish,
        actions: &mut Actions,
    ) -> Result<(), String> {
        match wish {
            Wish::Show(name) => {
                self.flush(session);
                self.shared = name.map(|name| (subject.path.clone(), name));
                Ok(())
            }
            Wish::Create(name) => {
                let title = name.rsplit('/').next().unwrap_or(&name).replace('_', " ");
                session.edit("new shared functions", |document| {
                    document.shared.entry(name.clone()).or_insert_with(|| format!("//! {title}\n\n"));
                });
                session.end_gesture();
                self.shared = Some((subject.path.clone(), name));
                Ok(())
            }
            Wish::MakeLocalCopy if subject.shared.is_some() => {
                let (name, text) = (subject.shared.clone().unwrap_or_default(), subject.source.clone());
                session.edit("make local copy", |document| drop(document.shared.insert(name, text)));
                session.end_gesture();
                Ok(())
            }
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
                    text.check(place, session.library());
                }
                Ok(())
            }
        }
    }
}

fn id(place: &TextPlace) -> Id {
    Id::new(("code", place))
}

/// Problems of the text. Those of files that it uses stand at the line that names the file.
fn marks(place: &TextPlace, text: &Text, session: &Session, subject: &ShownText) -> Vec<Mark> {
    let (header, _) = header::read(&text.now);
    let mark = |file: &str, at: Option<SourcePlace>, sentence: String, error: bool| {
        let shown = subject.shared.as_deref().unwrap_or_default();
        if file.is_empty() || file == shown {
            return (file == shown).then_some(Mark { place: at, sentence, error });
        }
        let used = header.uses.iter().find(|used| used.name == file).or(header.uses.first())?;
        let line = at.map_or(String::new(), |at| format!(" {}:{}", at.line, at.column));
        let at = SourcePlace { line: used.line, column: used.column };
        Some(Mark { place: Some(at), sentence: format!("{file}{line}: {sentence}"), error })
    };
    // Problems of a file that has unsaved changes, or does not parse, come from its own text.
    if matches!(place, TextPlace::File(..)) && (text.changed() || !text.wrong.is_empty()) {
        let mark_error = |wrong: &StageError| {
            let file = if wrong.file.is_empty() { subject.shared.as_deref().unwrap_or_default() } else { &wrong.file };
            mark(file, Some(wrong.place), wrong.message.clone(), true)
        };
        return text.wrong.iter().filter_map(mark_error).collect();
    }
    let problems = session.problems().filter(|problem| problem.node == subject.path);
    problems
        .filter_map(|problem| {
            let sentence = match problem.remedy.as_str() {
                "" => problem.cause.clone(),
                remedy => format!("{}; {remedy}", problem.cause),
            };
            mark(&problem.file, problem.place, sentence, problem.severity == Severity::Error)
        })
        .collect()
}

#[cfg(test)]
mod tests;
