//! Presets of nodes: saved, applied, renamed and deleted by pointer and keys.

use eframe::egui::Key;
use stagewright_language::document::ParamValue;

use super::bench::{Bench, WINDOW};

/// Two jets and a stage of the graph's own; one parameter is wired.
const JETS: &str = r#"(
    version: 1,
    nodes: {
        "domain": (domain: (resolution: (16, 16), width: 1, edge: "wall"), at: (0, 0)),
        "h": (number: 0.3, at: (0, 120)),
        "velocity": (state: "Grid<Vec>", inputs: {"next": "right.velocity"}, at: (0, 240)),
        "left": (stage: "fluid/force_emitter", inputs: {"velocity": "velocity.value"}, params: {"radius": 0.2, "rate": 7}, at: (260, 0)),
        "right": (stage: "fluid/force_emitter", inputs: {"velocity": "left.velocity", "radius": "h.value"}, params: {"center": (0.25, 0.75)}, at: (520, 0)),
        "look": (stage: "view/vector", inputs: {"velocity": "right.velocity"}, at: (780, 0)),
        "screen": (output: (), inputs: {"image": "look.image"}, at: (1040, 0)),
    },
)"#;

fn bench() -> Bench {
    let mut bench = Bench::from_text(JETS, WINDOW);
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench
}

fn reads(bench: &Bench, text: &str) -> bool {
    bench.seen().iter().any(|seen| seen.name.contains(text))
}

fn param(bench: &Bench, node: &str, param: &str) -> Option<ParamValue> {
    bench.document().nodes[node].params.get(param).cloned()
}

/// Saves the values of the selected node under a name.
fn save(bench: &mut Bench, name: &str) {
    bench.press("Presets");
    bench.press("Save as preset…");
    bench.write(name);
    bench.key(Key::Enter);
    bench.rest();
}

#[test]
fn a_preset_sets_parameters_in_one_step_and_keeps_wires() {
    let mut bench = bench();
    bench.select("left");
    save(&mut bench, "Wide");
    bench.select("right");
    let (before, steps) = (bench.document().clone(), param(&bench, "right", "rate"));
    assert_eq!(steps, None);
    bench.press("Presets");
    bench.press("preset Wide");
    assert_eq!(param(&bench, "right", "rate"), Some(ParamValue::Number(7.0)));
    assert_eq!(param(&bench, "right", "center"), None, "the default again");
    assert_eq!(bench.link("right", "radius").as_deref(), Some("h.value"));
    assert_eq!(param(&bench, "right", "radius"), None, "a wire sets it");
    bench.menu("Edit", "History");
    bench.rest();
    assert!(bench.find("step 1 Apply preset Wide").is_some(), "{:?}", bench.seen());
    bench.key(Key::Escape);
    bench.undo();
    assert_eq!(*bench.document(), before, "one step");
}

#[test]
fn a_preset_runs_at_once_and_default_takes_all_back() {
    let mut bench = bench();
    bench.select("left");
    save(&mut bench, "Wide");
    bench.set_number("rate", 3.0);
    bench.press("Presets");
    bench.press("preset Wide");
    bench.compiled();
    let value = |bench: &Bench, path: &str| bench.editor().simulation().unwrap().value(path);
    assert_eq!(value(&bench, "left.rate"), Some(vec![7.0]));
    bench.press("Presets");
    bench.press("Default");
    assert!(bench.document().nodes["left"].params.is_empty());
    assert!(value(&bench, "left.rate").is_some_and(|rate| rate != [7.0]), "the running simulation follows");
    bench.undo();
    assert_eq!(param(&bench, "left", "rate"), Some(ParamValue::Number(7.0)));
}

#[test]
fn several_nodes_take_a_preset_together() {
    let mut bench = bench();
    bench.select("left");
    save(&mut bench, "Wide");
    bench.set_number("rate", 3.0);
    let at = bench.title("right");
    bench.click_with(at, eframe::egui::PointerButton::Primary, eframe::egui::Modifiers::SHIFT);
    let before = bench.document().clone();
    bench.press("Presets");
    bench.press("preset Wide");
    let rates = ["left", "right"].map(|node| param(&bench, node, "rate"));
    assert_eq!(rates, [Some(ParamValue::Number(7.0)), Some(ParamValue::Number(7.0))]);
    bench.undo();
    assert_eq!(*bench.document(), before);
}

#[test]
fn an_existing_preset_is_replaced_only_after_a_question() {
    let mut bench = bench();
    bench.select("left");
    save(&mut bench, "Wide");
    bench.set_number("rate", 3.0);
    save(&mut bench, "Wide");
    assert!(reads(&bench, "Replace preset Wide?"));
    bench.key(Key::Escape);
    bench.rest();
    assert!(!reads(&bench, "Replace preset Wide?") && bench.find("preset name").is_some(), "another name is asked for");
    bench.press("Cancel");
    let apply = |bench: &mut Bench| {
        bench.press("Presets");
        bench.press("preset Wide");
        param(bench, "left", "rate")
    };
    assert_eq!(apply(&mut bench), Some(ParamValue::Number(7.0)));
    bench.set_number("rate", 3.0);
    save(&mut bench, "Wide");
    bench.press("Replace");
    bench.set_number("rate", 5.0);
    assert_eq!(apply(&mut bench), Some(ParamValue::Number(3.0)));
}

#[test]
fn presets_are_renamed_deleted_and_there_at_the_next_start() {
    let mut bench = bench();
    bench.select("left");
    save(&mut bench, "Wide");
    bench.press("Presets");
    bench.press("Rename");
    bench.press("rename preset Wide");
    bench.overwrite("Broad jet");
    let file = bench.folder().join("settings/presets.ron");
    let text = || std::fs::read_to_string(&file).unwrap_or_default();
    bench.until("the file", |_| text().contains("Broad jet"));
    assert!(!text().contains("Wide") && text().contains("fluid/force_emitter"), "{}", text());
    // Another program, or another window, adds one, of which this version cannot read everything.
    let more = text().replacen(
        "\"Broad jet\"",
        "\"Odd\": (params: {\"rate\": 2, \"swirl\": 1, \"jet\": {\"wave\": 3}}), \"Broad jet\"",
        1,
    );
    std::fs::write(&file, more).unwrap();
    bench.press("Presets");
    bench.press("preset Odd");
    assert_eq!(param(&bench, "left", "rate"), Some(ParamValue::Number(2.0)));
    assert!(
        reads(&bench, "no longer has swirl") && reads(&bench, "cannot read the value of jet"),
        "{:?}",
        bench.seen()
    );
    bench.press("dismiss");
    bench.press("Presets");
    bench.press("Delete");
    bench.press("delete preset Broad jet");
    assert!(reads(&bench, "Delete preset Broad jet?"));
    bench.press("Delete");
    bench.until("the file", |_| !text().contains("Broad jet"));
    assert!(text().contains("{\"wave\": 3}"), "what is not known stays: {}", text());
}
