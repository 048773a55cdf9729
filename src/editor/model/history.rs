//! Undo: whole documents, one for each gesture, with the gesture's name.

use std::collections::BTreeSet;

use crate::document::Document;

/// The number of steps that can be undone.
const DEPTH: usize = 256;

/// A gesture, and the document on its other side: before it, or after it once it was undone.
struct Step {
    gesture: String,
    document: Document,
}

/// The gestures that can be undone, and those that were undone, the last one first.
#[derive(Default)]
pub(crate) struct History {
    undo: Vec<Step>,
    redo: Vec<Step>,
    /// The current gesture, whose changes make one step.
    open: Option<String>,
}

impl History {
    /// Records the document before a change. Changes of the current gesture join its step.
    pub(crate) fn record(&mut self, before: &Document, gesture: &str) {
        if self.open.as_deref() == Some(gesture) {
            return;
        }
        self.close(before);
        self.redo.clear();
        if self.undo.len() == DEPTH {
            self.undo.remove(0);
        }
        self.undo.push(Step { gesture: gesture.to_string(), document: before.clone() });
        self.open = Some(gesture.to_string());
    }

    /// Ends the gesture. One that changed nothing leaves no step.
    pub(crate) fn close(&mut self, now: &Document) {
        if self.open.take().is_some() && self.undo.last().is_some_and(|step| step.document == *now) {
            self.undo.pop();
        }
    }

    /// Takes back the changes of the current gesture; false if there are none. They cannot be redone.
    pub(crate) fn cancel(&mut self, document: &mut Document) -> bool {
        if self.open.take().is_none() {
            return false;
        }
        self.undo.pop().map(|step| *document = step.document).is_some()
    }

    /// Undoes the last step; false if there is none.
    pub(crate) fn undo(&mut self, document: &mut Document) -> bool {
        self.close(document);
        self.undo.pop().map(|step| self.redo.push(step.swap(document))).is_some()
    }

    /// Redoes the last undone step; false if there is none.
    pub(crate) fn redo(&mut self, document: &mut Document) -> bool {
        self.redo.pop().map(|step| self.undo.push(step.swap(document))).is_some()
    }

    /// Undoes or redoes until this many steps are done; false if that changes nothing.
    pub(crate) fn go_to(&mut self, steps: usize, document: &mut Document) -> bool {
        self.close(document);
        let before = self.undo.len();
        while self.undo.len() > steps && self.undo(document) {}
        while self.undo.len() < steps && self.redo(document) {}
        self.undo.len() != before
    }

    /// The number of steps that are done.
    pub(crate) fn present(&self) -> usize {
        self.undo.len()
    }

    /// The number of all steps, done and undone.
    pub(crate) fn steps(&self) -> usize {
        self.undo.len() + self.redo.len()
    }

    /// The titles of all steps in their order, those that were undone at the end. Where the gesture does not say which nodes it
    /// changed, their names follow.
    pub(crate) fn titles(&self, now: &Document) -> Vec<String> {
        let gestures = self.undo.iter().chain(self.redo.iter().rev()).map(|step| step.gesture.as_str());
        let before = self.undo.iter().map(|step| &step.document);
        let states: Vec<&Document> =
            before.chain([now]).chain(self.redo.iter().rev().map(|step| &step.document)).collect();
        let titles = gestures.zip(states.windows(2)).map(|(gesture, states)| match (fixed_title(gesture), states) {
            (Some(title), [before, after]) => format!("{title}{}", changed(before, after)),
            _ => title(gesture),
        });
        titles.collect()
    }

    pub(crate) fn can_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    pub(crate) fn can_redo(&self) -> bool {
        !self.redo.is_empty()
    }
}

impl Step {
    /// Exchanges the document with that of the step, which is on the other side of the gesture then.
    fn swap(mut self, document: &mut Document) -> Step {
        std::mem::swap(&mut self.document, document);
        self
    }
}

/// The names of the nodes that differ, after a colon; of a node inside a group the group's. Empty if there are none.
fn changed(before: &Document, after: &Document) -> String {
    let all: BTreeSet<&String> = before.nodes.keys().chain(after.nodes.keys()).collect();
    let differ: Vec<&str> =
        all.into_iter().filter(|name| before.nodes.get(*name) != after.nodes.get(*name)).map(String::as_str).collect();
    match differ.as_slice() {
        [] => String::new(),
        [first, second, _, ..] => format!(": {first}, {second} and {} more", differ.len() - 2),
        few => format!(": {}", few.join(", ")),
    }
}

/// The name of a step, from that of its gesture.
fn title(gesture: &str) -> String {
    if let Some(title) = fixed_title(gesture) {
        return title.into();
    }
    if let Some(path) = gesture.strip_prefix("text of ") {
        return format!("Edit code of {path}");
    }
    if let Some(preset) = gesture.strip_prefix("apply preset ") {
        return format!("Apply preset {preset}");
    }
    if let Some(name) = gesture.strip_prefix("variant: ") {
        return format!("Variant: {name}");
    }
    for (start, title) in [("reset ", "Reset "), ("key ", "Insert key: "), ("remove key ", "Remove key: ")] {
        if let Some(path) = gesture.strip_prefix(start) {
            return format!("{title}{path}");
        }
    }
    // Several nodes of one parameter are separated by spaces as well.
    let (first, rest) = gesture.split_once(' ').unwrap_or((gesture, ""));
    match rest {
        "" => format!("Set {gesture}"),
        rest if rest.contains('.') => format!("Set {}", gesture.replace(' ', ", ")),
        rest => match rest.strip_prefix("reset ") {
            Some(field) => format!("Reset {field} of {first}"),
            None => format!("Change {} of {first}", field(rest)),
        },
    }
}

/// The inspector's name for a field of a node.
fn field(name: &str) -> &str {
    match name {
        "on" => "domain",
        "until" | "every" => "stop condition",
        "state" => "type",
        name => name,
    }
}

/// Titles of gestures that name no node.
fn fixed_title(gesture: &str) -> Option<&'static str> {
    Some(match gesture {
        "save input to graph" => "Save input to graph",
        "about" => "Edit description",
        "add" => "Add node",
        "align" => "Align nodes",
        "arrange" => "Auto-layout",
        "bookmark" => "Set bookmark",
        "bake" => "Bake",
        "remove bake" => "Remove bake",
        "play from cache" => "Play from cache",
        "run live" => "Run live",
        "bypass" => "Bypass",
        "camera" => "Save camera",
        "color" => "Set colour",
        "cut" => "Cut wire",
        "cut keys" => "Cut keys",
        "defaults" => "Reset to defaults",
        "delete" => "Delete",
        "delete keys" => "Delete keys",
        "duplicate" => "Duplicate",
        "expectation" => "Change expectations",
        "export preset" => "Save export preset",
        "expose" => "Expose parameter",
        "frame" => "Change comment frame",
        "frame rate" => "Set frame rate",
        "group" => "Group",
        "insert key" => "Insert key",
        "key values" => "Change key",
        "lower resolution" => "Lower resolution",
        "keep variation" => "Keep variation",
        "substeps" => "Set substeps",
        "take sweep values" => "Take sweep values",
        "make local copy" => "Make local copy",
        "move" => "Move",
        "move keys" => "Move keys",
        "new shared functions" => "New shared functions",
        "name" => "Rename graph",
        "note" => "Edit note",
        "paste" => "Paste",
        "paste keys" => "Paste keys",
        "port" => "Change ports of group",
        "reload" => "Reload from disk",
        "remedy" => "Apply fix",
        "remove bookmark" => "Remove bookmark",
        "remove export preset" => "Delete export preset",
        "remove variant" => "Delete variant",
        "rename" => "Rename",
        "rename bookmark" => "Rename bookmark",
        "rename variant" => "Rename variant",
        "reroute" => "Add reroute",
        "seed" => "Set seed",
        "snapshot A" => "Switch to snapshot A",
        "snapshot B" => "Switch to snapshot B",
        "store variant" => "Store as variant",
        "swap" => "Replace node",
        "tangents" => "Change tangents",
        "apply comparison" => "Apply comparison",
        "title" => "Rename comment frame",
        "ungroup" => "Ungroup",
        "vary" => "Change variant",
        "wire" => "Change wire",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_gone_to_in_both_directions_and_keep_their_names() {
        let (mut history, mut document) = (History::default(), Document::default());
        for name in ["a", "b", "c"] {
            change(&mut history, &mut document, name, name);
        }
        for (steps, name) in [(1, "a"), (3, "c"), (0, ""), (2, "b"), (9, "c")] {
            assert!(history.go_to(steps, &mut document));
            assert_eq!((document.name.as_str(), history.present()), (name, steps.min(3)));
            assert_eq!(history.titles(&document), ["Set a", "Set b", "Set c"]);
        }
        assert!(!history.go_to(3, &mut document));
    }

    #[test]
    fn a_title_names_the_nodes_that_changed() {
        let (mut history, mut document) = (History::default(), Document::default());
        for names in [["a"].as_slice(), &["b", "c"], &["d", "e", "f", "g"]] {
            history.record(&document, "add");
            names.iter().for_each(|name| drop(document.nodes.insert(name.to_string(), Default::default())));
            history.close(&document);
        }
        let expected = ["Add node: a", "Add node: b, c", "Add node: d, e and 2 more"];
        assert_eq!(history.titles(&document), expected);
        history.go_to(1, &mut document);
        assert_eq!(history.titles(&document), expected, "they stay where they are undone");
    }

    #[test]
    fn every_gesture_has_a_title() {
        for (gesture, expected) in [
            ("jet.radius", "Set jet.radius"),
            ("a b.radius", "Set a, b.radius"),
            ("reset jet.radius", "Reset jet.radius"),
            ("solve/jet iterations", "Change iterations of solve/jet"),
            ("jet reset iterations", "Reset iterations of jet"),
            ("text of fade", "Edit code of fade"),
            ("apply preset Strong jet", "Apply preset Strong jet"),
            ("jet on", "Change domain of jet"),
            ("variant: article", "Variant: article"),
        ] {
            assert_eq!(title(gesture), expected);
        }
        let mut found = 0;
        let mut folders = vec![std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"))];
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    if !path.ends_with("tests") {
                        folders.push(path);
                    }
                    continue;
                }
                if path.ends_with("tests.rs") || path.extension().is_none_or(|kind| kind != "rs") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
                for call in
                    ["session.edit(\"", "session.give(\"", "session.arrange(\"", "self.edit(\"", "self.arrange(\""]
                {
                    for (at, _) in code.match_indices(call) {
                        let gesture = code[at + call.len()..].split('"').next().unwrap();
                        assert!(fixed_title(gesture).is_some(), "{}: `{gesture}` has no title", path.display());
                        found += 1;
                    }
                }
            }
        }
        assert!(found > 30, "the scan finds the gestures: {found}");
    }

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
    fn a_cancelled_gesture_leaves_no_step() {
        let (mut history, mut document) = (History::default(), Document::default());
        change(&mut history, &mut document, "one", "a");
        history.close(&document);
        assert!(!history.cancel(&mut document), "it is over");
        change(&mut history, &mut document, "two", "b");
        change(&mut history, &mut document, "two", "c");
        assert!(history.cancel(&mut document) && document.name == "a");
        assert_eq!((history.steps(), history.can_redo()), (1, false));
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

    /// Every kind of edit, in any order, on any level.
    #[test]
    fn each_edit_is_undone_and_redone_to_the_same_document() {
        use stagewright_test_support::{
            random_edits::{Dice, STEPS, edit, seeds, start},
            seed,
        };
        let (mut changed, mut runs) = (0, 0);
        for seed in seeds(16) {
            let _case = seed::Case::begin(seed, "each_edit_is_undone");
            let begin = start(seed);
            let mut history = History::default();
            let mut document = begin.clone();
            let mut clipboard = String::new();
            let mut dice = Dice::new(seed);
            runs += 1;
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
        assert!(changed > runs * STEPS / 4, "most edits do something: {changed}");
    }
}
