//! Several nodes at once.

use eframe::egui::{Key, Modifiers, PointerButton};
use stagewright_language::document::{Document, NodeKind, ParamValue};

use super::bench::{Bench, WINDOW};

impl Bench {
    /// Selects these nodes and no others, by clicks.
    #[track_caller]
    pub fn select_all(&mut self, nodes: &[&str]) {
        for (index, node) in nodes.iter().enumerate() {
            let at = self.title(node);
            let modifiers = if index == 0 { Modifiers::NONE } else { Modifiers::SHIFT };
            self.click_with(at, PointerButton::Primary, modifiers);
        }
    }

    fn value(&self, node: &str, param: &str) -> Option<ParamValue> {
        self.document().nodes.get(node)?.params.get(param).cloned()
    }
}

/// Smoke with a second jet behind the first.
fn jets() -> Bench {
    let mut bench = Bench::smoke();
    let ground = bench.ground() - eframe::egui::vec2(320.0, 260.0);
    let jet = bench.add("fluid/force_emitter", ground);
    bench.rename("second");
    assert!(bench.document().nodes.contains_key("second"), "{jet}");
    let wire = bench.wire("jet.velocity", "viscosity.field");
    let title = bench.title("second");
    bench.drag(title, wire);
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    assert_eq!(bench.link("viscosity", "field").as_deref(), Some("second.velocity"));
    bench
}

#[test]
fn a_value_is_given_to_all_that_are_selected() {
    let mut bench = jets();
    let before = bench.document().clone();
    bench.select_all(&["jet", "second"]);
    assert!(bench.find("2 × Jet").is_some(), "the inspector says what it is about");
    bench.set_number("rate", 7.0);
    for node in ["jet", "second"] {
        assert_eq!(bench.value(node, "rate"), Some(ParamValue::Number(7.0)), "{node}");
    }
    assert_eq!(bench.value("jet", "radius"), Some(ParamValue::Number(0.1)), "what was not touched stays");
    assert_eq!(bench.value("second", "radius"), before.nodes["second"].params.get("radius").cloned());
    let runs = |path: &str| bench.editor().simulation().and_then(|s| s.value(path)).and_then(|v| v.first().copied());
    assert_eq!((runs("jet.rate"), runs("second.rate")), (Some(7.0), Some(7.0)));
    bench.ctrl(Key::Z);
    assert_eq!(*bench.document(), before, "one step for both");
}

#[test]
fn all_that_are_selected_are_muted_and_taken_in_again() {
    let mut bench = jets();
    let (before, dispatches) = (bench.document().clone(), bench.dispatches());
    let muted = |bench: &Bench| ["jet", "second"].map(|node| bench.document().nodes[node].muted);
    bench.select_all(&["jet", "second"]);
    bench.key(Key::M);
    bench.compiled();
    assert_eq!(muted(&bench), [true, true]);
    assert!(bench.dispatches() < dispatches, "{} {dispatches}", bench.dispatches());
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench.press("bypass");
    assert_eq!(muted(&bench), [false, false], "the inspector's button does the same");
    bench.compiled();
    assert_eq!(bench.dispatches(), dispatches);
    bench.ctrl(Key::Z);
    bench.ctrl(Key::Z);
    assert_eq!(*bench.document(), before, "one step each, for both");
}

#[test]
fn a_group_with_its_nodes_goes_to_another_window_as_text() {
    let mut bench = Bench::grouped();
    bench.select_all(&["advect", "group", "viscosity"]);
    let text = bench.copy();
    let copied = Document::parse(&text).expect("a graph as text");
    assert_eq!(copied.nodes.keys().collect::<Vec<_>>(), ["advect", "group", "viscosity"]);
    let mut other = Bench::empty(WINDOW);
    let at = other.canvas().min + eframe::egui::vec2(60.0, 60.0);
    other.paste(&text, at, Modifiers::NONE);
    assert_eq!(other.editor().selection().len(), 3, "what came is selected");
    let (NodeKind::Group(there), here) = (&other.document().nodes["group"].kind, bench.group()) else {
        panic!("no group came")
    };
    assert!(**there == *here, "all that is inside came along");
    assert_eq!(other.link("group", "velocity").as_deref(), Some("advect.result"));
    assert_eq!(other.link("advect", "field").as_deref(), Some("viscosity.field"));
    assert_eq!(other.document().nodes["viscosity"].iterations, bench.document().nodes["viscosity"].iterations);
    assert_eq!(other.value("viscosity", "diffusivity"), Some(ParamValue::Number(0.0001)));
    // Back where it is from, names that are taken become others, and wires between them follow.
    let text = other.copy();
    let ground = bench.ground() - eframe::egui::vec2(600.0, 300.0);
    bench.paste(&text, ground, Modifiers::NONE);
    assert_eq!(bench.link("group_2", "velocity").as_deref(), Some("advect_2.result"));
    bench.ctrl(Key::Z);
    assert!(!bench.document().nodes.contains_key("group_2"), "pasting is one step");
    other.ctrl(Key::Z);
    assert!(other.document().nodes.is_empty());
}
