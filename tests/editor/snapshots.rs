//! Snapshots A and B: stored, switched between by key and button, compared in a tooltip.

use eframe::egui::{Key, Modifiers};
use stagewright_language::document::ParamValue;

use super::bench::{Bench, SMOKE, WINDOW};

fn reads(bench: &Bench, text: &str) -> bool {
    bench.seen().iter().any(|seen| seen.name.contains(text))
}

fn radius(bench: &Bench) -> Option<ParamValue> {
    bench.document().nodes["jet"].params.get("radius").cloned()
}

fn number(value: f64) -> Option<ParamValue> {
    Some(ParamValue::Number(value))
}

/// Snapshot A has a small jet, B a large one, which is shown.
fn stored() -> Bench {
    let mut bench = Bench::smoke();
    bench.select("jet");
    bench.key_with(Modifiers::ALT, Key::A);
    bench.rest();
    bench.set_number("radius", 0.3);
    bench.key_with(Modifiers::ALT, Key::B);
    bench.rest();
    bench
}

#[test]
fn switching_is_an_edit_that_is_undone_and_the_simulation_continues() {
    let mut bench = stored();
    bench.compiled();
    bench.plays();
    let (large, frame) = (bench.document().clone(), bench.computed());
    bench.key(Key::Q);
    assert_eq!(radius(&bench), number(0.1));
    bench.compiled();
    bench.plays();
    assert!(bench.computed() > frame, "time goes on");
    let simulation = bench.editor().simulation().unwrap();
    assert_eq!(simulation.value("jet.radius"), Some(vec![0.1]));
    bench.key(Key::Q);
    assert_eq!(*bench.document(), large);
    bench.undo();
    assert_eq!(radius(&bench), number(0.1));
    bench.undo();
    assert_eq!(*bench.document(), large, "each switch is a step");
    bench.menu("Edit", "History");
    bench.rest();
    assert!(reads(&bench, "Switch to snapshot A: jet"), "{:?}", bench.seen());
}

#[test]
fn a_graph_that_equals_neither_is_not_lost() {
    let mut bench = stored();
    bench.set_number("radius", 0.2);
    let third = bench.document().clone();
    bench.key(Key::Q);
    assert_eq!(radius(&bench), number(0.1), "B was shown last");
    bench.undo();
    assert_eq!(*bench.document(), third);
}

#[test]
fn a_button_stores_shows_and_says_what_differs() {
    let mut bench = Bench::from_text(SMOKE, WINDOW);
    bench.compiled();
    bench.key(Key::Q);
    bench.press("snapshot A");
    assert!(reads(&bench, "Stored snapshot A"));
    bench.key(Key::Q);
    bench.rest();
    assert!(reads(&bench, "There is no snapshot B yet"), "{:?}", bench.seen());
    bench.press("dismiss");
    bench.select("jet");
    bench.set_number("radius", 0.3);
    let at = bench.position_of("snapshot A");
    bench.hover(at);
    (0..3).for_each(|_| bench.rest());
    assert!(reads(&bench, "jet.radius: 0.3 → 0.1"), "{:?}", bench.seen());
    bench.press("snapshot B");
    bench.press("snapshot A");
    assert_eq!(radius(&bench), number(0.1));
    let at = bench.position_of("snapshot A");
    bench.hover(at);
    (0..3).for_each(|_| bench.rest());
    assert!(reads(&bench, "Snapshot A is shown. In B:") && reads(&bench, "jet.radius: 0.1 → 0.3"));
    bench.reopen();
    bench.compiled();
    bench.key(Key::Q);
    assert_eq!(radius(&bench), number(0.1), "they end with the graph");
}
