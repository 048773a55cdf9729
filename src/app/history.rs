//! Undo: whole documents, one for each gesture.

use crate::document::Document;

/// The number of steps that can be undone.
const DEPTH: usize = 256;

/// The document before each gesture, and after those that were undone.
#[derive(Default)]
pub(super) struct History {
    undo: Vec<Document>,
    redo: Vec<Document>,
    /// The current gesture, whose changes make one step.
    open: Option<String>,
}

impl History {
    /// Records the document before a change. Changes of the current gesture join its step.
    pub(super) fn record(&mut self, before: &Document, gesture: &str) {
        if self.open.as_deref() == Some(gesture) {
            return;
        }
        self.close(before);
        self.redo.clear();
        if self.undo.len() == DEPTH {
            self.undo.remove(0);
        }
        self.undo.push(before.clone());
        self.open = Some(gesture.to_string());
    }

    /// Ends the gesture. One that changed nothing leaves no step.
    pub(super) fn close(&mut self, now: &Document) {
        if self.open.take().is_some() && self.undo.last() == Some(now) {
            self.undo.pop();
        }
    }

    /// Undoes the last step; false if there is none.
    pub(super) fn undo(&mut self, document: &mut Document) -> bool {
        self.close(document);
        let Some(before) = self.undo.pop() else { return false };
        self.redo.push(std::mem::replace(document, before));
        true
    }

    /// Redoes the last undone step; false if there is none.
    pub(super) fn redo(&mut self, document: &mut Document) -> bool {
        let Some(after) = self.redo.pop() else { return false };
        self.undo.push(std::mem::replace(document, after));
        true
    }

    pub(super) fn can_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    pub(super) fn can_redo(&self) -> bool {
        !self.redo.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(history: &mut History, document: &mut Document, gesture: &str, name: &str) {
        history.record(document, gesture);
        document.name = name.into();
    }

    #[test]
    fn a_gesture_is_one_step() {
        let (mut history, mut document) = (History::default(), Document::default());
        for name in ["a", "b", "c"] {
            change(&mut history, &mut document, "drag", name);
        }
        history.close(&document);
        change(&mut history, &mut document, "drag", "d");
        assert!(history.undo(&mut document) && document.name == "c");
        assert!(history.undo(&mut document) && document.name.is_empty());
        assert!(!history.undo(&mut document));
        assert!(history.redo(&mut document) && history.redo(&mut document) && document.name == "d");
        assert!(!history.redo(&mut document));
    }

    #[test]
    fn a_gesture_that_changes_nothing_leaves_no_step() {
        let (mut history, mut document) = (History::default(), Document::default());
        change(&mut history, &mut document, "drag", "a");
        document.name.clear();
        history.close(&document);
        assert!(!history.can_undo());
    }

    #[test]
    fn a_new_change_ends_the_redoable_future() {
        let (mut history, mut document) = (History::default(), Document::default());
        change(&mut history, &mut document, "one", "a");
        assert!(history.undo(&mut document) && history.can_redo());
        change(&mut history, &mut document, "two", "b");
        assert!(!history.can_redo());
    }

    /// Every kind of edit, in any order, on any level. STAGEWRIGHT_COUNT sets how many runs, STAGEWRIGHT_SEED the first seed.
    #[test]
    fn each_edit_is_undone_and_redone_to_the_same_document() {
        use crate::edit::tests::random::{STEPS, asked_runs, edit, start};
        let (first, runs) = asked_runs(16);
        let mut changed = 0;
        for run in 0..runs {
            let begin = start(run);
            let (mut history, mut document, mut clipboard) = (History::default(), begin.clone(), String::new());
            let mut dice = crate::edit::tests::random::Dice::new(first.wrapping_add(run));
            for step in 0..STEPS {
                let before = document.clone();
                history.record(&before, &step.to_string());
                let done = edit(&mut document, &mut dice, &mut clipboard);
                history.close(&document);
                if document == before {
                    continue;
                }
                changed += 1;
                let after = document.clone();
                assert!(history.undo(&mut document) && document == before, "undone: {done}");
                assert!(history.redo(&mut document) && document == after, "redone: {done}");
            }
            while history.undo(&mut document) {}
            assert_eq!(document, begin, "all undone");
        }
        assert!(changed as u64 > runs * STEPS as u64 / 4, "most edits do something: {changed}");
    }
}
