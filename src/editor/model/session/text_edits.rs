//! Edits of the text that the code pane shows. While it is typed, its nodes run in small dispatches of their own, so that only these are
//! compiled; the compiler joins them with others when typing pauses. Their pipelines are made when the text is opened: a first edit then
//! finds all others.

use super::Session;
use crate::model::edited_text::EditedText;

impl Session {
    /// Notes which text the user can edit now.
    pub(crate) fn open_text(&mut self, text: Option<EditedText>) {
        if self.text_edits.open != text {
            self.text_edits.unprepared = text.is_some();
            self.text_edits.open = text;
            self.text_edits.compiled = self.open_source();
        }
        self.prepare_text();
    }

    /// Turns on or off that nodes are kept apart while their text is edited.
    #[cfg(test)]
    pub(crate) fn keep_edited_apart(&mut self, on: bool) {
        self.text_edits.on = on;
    }

    fn open_source(&self) -> Option<String> {
        let open = self.text_edits.open.as_ref()?;
        open.text(&self.document, self.library()).map(String::from)
    }

    /// The text that has changed since the document was compiled last, which is to be compiled now.
    pub(super) fn changed_text(&mut self) -> Option<EditedText> {
        let text = self.open_source();
        let changed = self.text_edits.on && text.is_some() && text != self.text_edits.compiled;
        self.text_edits.compiled = text;
        // Any other edit may have changed what the nodes are kept apart from.
        self.text_edits.unprepared = !changed && self.text_edits.open.is_some();
        self.text_edits.open.clone().filter(|_| changed)
    }

    /// Has pipelines for the open text made in the background, once nothing else waits for the compiler.
    pub(super) fn prepare_text(&mut self) {
        let idle = self.simulation.is_some() && !self.is_compiling() && !self.problems.stopped && !self.is_debugging();
        if !self.text_edits.on || !self.text_edits.unprepared || !idle {
            return;
        }
        self.text_edits.unprepared = false;
        let job = self.job(self.text_edits.open.clone());
        self.compiler.prepare(job);
    }
}
