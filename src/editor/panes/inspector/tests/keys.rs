//! Keys in rows.

use eframe::egui::PointerButton;
use egui_kittest::kittest::{NodeT, Queryable};

use super::editing::Window;
use super::*;
use crate::curve::{Key, Keyframes, Tangent};
use crate::input::FrameInput;
use crate::panes::inspector::keys;

const GRAPH: &str = r##"(version: 1, nodes: {
    "box": (domain: (resolution: (16, 16), width: 1, edge: "wall")),
    "dye": (state: "Grid<f32>", inputs: {"next": "fade.field"}, on: "box"),
    "fade": (stage: "fluid/dissipate", inputs: {"field": "dye"}, params: {"rate": 2}),
    "sweep": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "dye"}, iterations: 4),
    "ball": (stage: "shape/sphere"),
    "h": (number: (1, 2)),
    "ramp": (stage: "view/gradient", inputs: {"field": "dye"}),
    "picture": (output: (), inputs: {"image": "ramp.image"}),
})"##;

/// A window on `node` of the graph after some frames.
fn window(node: &str) -> Window {
    let mut window = Window::new(GRAPH);
    window.compile();
    window.select(&[node]);
    window
}

fn go(window: &mut Window, frames: u64) {
    for _ in 0..frames {
        window.session().simulation().unwrap().step(&FrameInput::default()).unwrap();
    }
    window.harness.run_steps(3);
}

fn press(window: &mut Window, label: &str) {
    let at = window.rect(label).center();
    window.click(at, PointerButton::Primary, Modifiers::NONE);
    window.harness.run_steps(3);
}

fn keys(window: &mut Window, path: &str) -> Keyframes {
    window.value(path).and_then(|value| value.keys().cloned()).unwrap_or_else(|| panic!("{path} has no keys"))
}

fn pairs(keys: &Keyframes) -> Vec<(f64, f64)> {
    keys.keys.iter().map(|key| (key.frame, key.value[0])).collect()
}

#[test]
fn the_diamond_inserts_and_removes_a_key_and_changes_set_keys() {
    let mut window = window("fade");
    let plans = window.session().plans();
    go(&mut window, 3);
    press(&mut window, "key rate");
    assert_eq!(pairs(&keys(&mut window, "fade.rate")), [(3.0, 2.0)]);
    assert_eq!(window.session().history_titles().last().map(String::as_str), Some("Insert key: fade.rate"));
    go(&mut window, 4);
    window.type_into("param rate", "4");
    assert_eq!(pairs(&keys(&mut window, "fade.rate")), [(3.0, 2.0), (7.0, 4.0)], "auto-key");
    window.type_into("param rate", "5");
    assert_eq!(pairs(&keys(&mut window, "fade.rate")), [(3.0, 2.0), (7.0, 5.0)], "the same key");
    window.session().simulation().unwrap().reset();
    go(&mut window, 6);
    let curve = keys(&mut window, "fade.rate").component(0, 5.0);
    assert_eq!(window.session().running_simulation().unwrap().value("fade.rate"), Some(vec![curve]), "it plays");
    assert_eq!(window.session().plans(), plans, "without a recompile");
    go(&mut window, 1);
    press(&mut window, "key rate");
    assert_eq!(pairs(&keys(&mut window, "fade.rate")), [(3.0, 2.0)], "removed at frame 7");
    window.session().undo();
    assert_eq!(keys(&mut window, "fade.rate").keys.len(), 2);
    window.session().undo();
    window.session().undo();
    window.session().undo();
    assert_eq!(window.value("fade.rate"), Some(ParamValue::Number(2.0)), "four steps, one for each change");
}

#[test]
fn the_last_key_leaves_its_value_behind() {
    let mut window = window("fade");
    press(&mut window, "key rate");
    window.type_into("param rate", "3.5");
    press(&mut window, "expression rate");
    assert_eq!(keys(&mut window, "fade.rate").expr.as_deref(), Some("keys"));
    let path = ["fade".to_string()];
    let doubled = Keyframes { expr: Some("keys * 2 + keys".into()), ..keys(&mut window, "fade.rate") };
    window.session().set_params(&path, "rate", &ParamValue::Keys(doubled)).unwrap();
    window.harness.run_steps(3);
    window.harness.get_by_label("keys of rate");
    go(&mut window, 1);
    assert_eq!(window.session().running_simulation().unwrap().value("fade.rate"), Some(vec![10.5]));
    window.session().simulation().unwrap().reset();
    window.harness.run_steps(3);
    press(&mut window, "key rate");
    assert_eq!(window.value("fade.rate"), Some(ParamValue::Expression("(3.5) * 2 + (3.5)".into())));
    window.session().undo();
    window.harness.run_steps(3);
    press(&mut window, "expression rate");
    assert_eq!(keys(&mut window, "fade.rate").expr, None);
    press(&mut window, "key rate");
    assert_eq!(window.value("fade.rate"), Some(ParamValue::Number(3.5)));
}

#[test]
fn without_auto_key_a_value_changes_only_where_it_has_a_key() {
    let mut window = window("fade");
    press(&mut window, "key rate");
    window.session().set_auto_key(false);
    let nodes = ["fade".to_string()];
    window.session().set_params(&nodes, "rate", &ParamValue::Number(4.0)).expect("there is a key at frame 0");
    go(&mut window, 2);
    let said = window.session().set_params(&nodes, "rate", &ParamValue::Number(5.0)).expect_err("there is none at 2");
    assert_eq!(said, "`fade.rate` has no key at frame 2; insert one, or switch auto-key on");
    assert!(window.harness.get_by_label("param rate").accesskit_node().is_disabled());
    window.session().drag_params(&[("fade".into(), "rate".into(), ParamValue::Number(9.0))]);
    assert_eq!(pairs(&keys(&mut window, "fade.rate")), [(0.0, 4.0)]);
}

#[test]
fn vectors_numbers_and_whole_numbers_have_keys_and_what_shapes_the_plan_has_none() {
    let mut window = window("ball");
    press(&mut window, "key center");
    go(&mut window, 5);
    window.type_into("param center y", "0.9");
    let center = keys(&mut window, "ball.center");
    assert_eq!(center.keys.iter().map(|key| key.value.clone()).collect::<Vec<_>>(), [[0.5, 0.5], [0.5, 0.9]]);
    window.select(&["h"]);
    press(&mut window, "key value");
    let number = window.session().document().value("h", "value").unwrap();
    assert_eq!(number, ParamValue::Keys(Keyframes::new(vec![Key::new(5.0, vec![1.0, 2.0])])));
    window.select(&["sweep"]);
    assert!(window.harness.query_by_label("key relaxation").is_some());
    assert!(window.harness.query_by_label("key iterations").is_none());
    window.select(&["box"]);
    assert!(window.harness.query_by_label("key width").is_none());
    window.session().insert_key(&["sweep".to_string()], "relaxation", &[1.0], true);
    assert_eq!(keys(&mut window, "sweep.relaxation").keys[0].tangent, Tangent::Step);
}

#[test]
fn a_key_can_be_requested_for_the_row_under_the_pointer() {
    let mut window = window("fade");
    let at = window.rect("rate").center();
    window.harness.event(Event::PointerMoved(at));
    window.harness.run_steps(2);
    keys::ask(&window.harness.ctx);
    window.harness.step();
    assert_eq!(pairs(&keys(&mut window, "fade.rate")), [(0.0, 2.0)]);
    assert!(!keys::unanswered(&window.harness.ctx));
    window.harness.remove_cursor();
    window.harness.run_steps(2);
    keys::ask(&window.harness.ctx);
    window.harness.step();
    assert!(keys::unanswered(&window.harness.ctx), "over no row");
    assert!(window.session().key_selected(), "the selected node has a keyed value");
}
