//! Formulas by keys.

use eframe::egui::{Event, Key, Modifiers, PointerButton};
use egui_kittest::kittest::Queryable;

use super::editing::Window;
use crate::document::ParamValue;

const GRAPH: &str = r#"(version: 1, name: "g", fps: 60, nodes: {
    "domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
    "tide": (number: 2),
    "bump": (stage: "field/expression", params: {"value": "position.x"}),
    "grid": (stage: "grid/from_field", inputs: {"field": "bump.field"}),
    "look": (stage: "view/color_map", inputs: {"field": "grid.result"}),
    "screen": (output: (), inputs: {"image": "look.image"}),
})"#;

/// The inspector of the formula, with all of its text selected.
fn field() -> Window {
    let mut window = Window::new(GRAPH);
    window.select(&["bump"]);
    let at = window.rect("param value").center();
    window.click(at, PointerButton::Primary, Modifiers::NONE);
    window.harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.harness.run_steps(2);
    window
}

fn write(window: &mut Window, text: &str) {
    window.harness.event(Event::Text(text.into()));
    window.harness.run_steps(2);
}

fn key(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.harness.key_press_modifiers(modifiers, key);
    window.harness.run_steps(2);
}

#[test]
fn a_formula_of_several_lines_is_completed_applied_and_undone() {
    let mut window = field();
    let before = window.rect("param value").height();
    write(&mut window, "ti");
    assert!(window.harness.query_by_label("tide").is_some() && window.harness.query_by_label("time").is_some());
    key(&mut window, Modifiers::NONE, Key::Tab);
    for (modifiers, line) in [(Modifiers::COMMAND, "* pos"), (Modifiers::SHIFT, "* sin(tau * time)")] {
        key(&mut window, modifiers, Key::Enter);
        write(&mut window, line);
        if line == "* pos" {
            key(&mut window, Modifiers::NONE, Key::Enter);
            write(&mut window, ".");
            assert!(window.harness.query_by_label("y").is_some(), "the components of the position");
            write(&mut window, "y");
        }
    }
    assert!(window.rect("param value").height() > before + 20.0, "three lines");
    assert_eq!(window.value("bump.value"), Some(ParamValue::Expression("position.x".into())), "not yet");
    key(&mut window, Modifiers::NONE, Key::Enter);
    let text = "tide\n* position.y\n* sin(tau * time)";
    assert_eq!(window.value("bump.value"), Some(ParamValue::Expression(text.into())));
    window.compile();
    window.session().undo();
    assert_eq!(window.value("bump.value"), Some(ParamValue::Expression("position.x".into())), "one step back");
}

#[test]
fn escape_takes_a_formula_back_and_a_wrong_one_says_where() {
    let mut window = field();
    write(&mut window, "position.x * depth");
    let why = |window: &Window| window.harness.query_by_label_contains("There is no variable depth").is_some();
    assert!(why(&window) && window.harness.query_by_label_contains("(column 14)").is_some());
    key(&mut window, Modifiers::NONE, Key::Escape);
    assert!(!why(&window));
    assert_eq!(window.value("bump.value"), Some(ParamValue::Expression("position.x".into())));
}
