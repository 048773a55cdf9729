//! Values changed by hand.

use std::time::{Duration, Instant};

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, Theme, Vec2, vec2};
use egui_kittest::kittest::Queryable;
use egui_kittest::{Harness, LazyRenderer};

use super::*;
use crate::commands::keymap::Keymap;
use crate::document::{Document, Substeps};
use crate::gpu::{Gpu, GpuOptions};
use crate::input::FrameInput;
use crate::model::device::device_setup;
use stagewright_test_support::renderer::Renderer;

/// A window that shows nothing but the inspector.
pub(super) struct Window {
    pub harness: Harness<'static, (Session, Actions)>,
}

impl Window {
    pub(super) fn new(text: &str) -> Window {
        Window::themed(text, vec2(420.0, 900.0), Theme::Dark)
    }

    pub(super) fn themed(text: &str, size: Vec2, theme: Theme) -> Window {
        let mut session = Session::new(Gpu::new(&GpuOptions::default()).unwrap(), || {});
        session.open(Document::parse(text).unwrap(), None);
        let draw = |ui: &mut Ui, (session, actions): &mut (Session, Actions)| {
            ui.painter().rect_filled(ui.ctx().content_rect(), 0.0, theme::current(ui).panel);
            egui::Frame::new().inner_margin(egui::Margin::symmetric(12, 8)).show(ui, |ui| {
                ui.set_min_size(ui.available_size());
                show(ui, session, actions).unwrap();
            });
            if !ui.input(|input| input.pointer.any_down()) && !ui.ctx().egui_wants_keyboard_input() {
                session.end_gesture();
            }
        };
        let harness = Harness::builder()
            .with_step_dt(1.0 / 60.0)
            .with_size(size)
            .with_theme(theme)
            .renderer(LazyRenderer::new(|| Renderer::new(device_setup())))
            .build_ui_state(draw, (session, Actions::new()));
        theme::install(&harness.ctx);
        harness.ctx.all_styles_mut(|style| style.animation_time = 0.0);
        Window { harness }
    }

    pub(super) fn session(&mut self) -> &mut Session {
        &mut self.harness.state_mut().0
    }

    /// Actions of the inspector since the last call.
    fn actions(&mut self) -> Actions {
        std::mem::take(&mut self.harness.state_mut().1)
    }

    pub(super) fn select(&mut self, nodes: &[&str]) {
        self.session().selection.nodes = nodes.iter().map(|name| name.to_string()).collect();
        self.harness.run_steps(4);
    }

    /// Waits until the document runs.
    pub(super) fn compile(&mut self) {
        let begun = Instant::now();
        while self.session().running_simulation().is_none() || self.session().compiling() {
            assert!(begun.elapsed() < Duration::from_secs(60), "it does not compile");
            std::thread::sleep(Duration::from_millis(5));
            self.session().poll();
            assert!(!self.session().broken(), "{:?}", self.session().problems().collect::<Vec<_>>());
        }
    }

    pub(super) fn rect(&self, label: &str) -> Rect {
        self.harness.get_by_label(label).rect()
    }

    fn drag(&mut self, from: Pos2, by: Vec2, modifiers: Modifiers) {
        self.harness.input_mut().modifiers = modifiers;
        let button = |pos, pressed| Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers };
        self.harness.event(Event::PointerMoved(from));
        self.harness.step();
        self.harness.event(button(from, true));
        self.harness.step();
        for part in 1..=10 {
            self.harness.event(Event::PointerMoved(from + by * (part as f32 / 10.0)));
            self.harness.step();
        }
        self.harness.event(button(from + by, false));
        self.harness.step();
        self.harness.input_mut().modifiers = Modifiers::NONE;
        self.harness.remove_cursor();
        self.harness.run_steps(2);
    }

    pub(super) fn type_into(&mut self, label: &str, text: &str) {
        let at = self.rect(label).center();
        // So that it does not count as the third click of a sequence.
        self.harness.run_steps(40);
        for _ in 0..2 {
            self.click(at, PointerButton::Primary, Modifiers::NONE);
        }
        self.harness.run_steps(2);
        self.harness.event(Event::Text(text.into()));
        self.harness.step();
        self.harness.key_press(Key::Enter);
        self.harness.run_steps(2);
    }

    pub(super) fn click(&mut self, at: Pos2, button: PointerButton, modifiers: Modifiers) {
        self.harness.input_mut().modifiers = modifiers;
        self.harness.event(Event::PointerMoved(at));
        for pressed in [true, false] {
            self.harness.event(Event::PointerButton { pos: at, button, pressed, modifiers });
            self.harness.step();
        }
        self.harness.input_mut().modifiers = Modifiers::NONE;
    }

    pub(super) fn value(&mut self, path: &str) -> Option<ParamValue> {
        let (node, param) = path.rsplit_once('.').unwrap();
        self.session().document().node(node).unwrap().params.get(param).cloned()
    }

    fn number(&mut self, path: &str) -> f64 {
        match self.value(path) {
            Some(ParamValue::Number(number)) => number,
            other => panic!("{path} is {other:?}"),
        }
    }
}

const GRAPH: &str = r##"(version: 1, nodes: {
    "box": (domain: (resolution: (32, 32), width: 1, edge: "wall")),
    "h": (number: 0.5),
    "dye": (state: "Grid<f32>", inputs: {"next": "fade.field"}, on: "box"),
    "fade": (stage: "fluid/dissipate", inputs: {"field": "shape.result"}, params: {"rate": 2}),
    "other": (stage: "fluid/dissipate", inputs: {"field": "dye"}),
    "sweep": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "dye"}),
    "shape": (stage: "grid/remap", inputs: {"field": "dye"}),
    "ramp": (stage: "view/gradient", inputs: {"field": "dye"}),
    "picture": (output: (), inputs: {"image": "ramp.image"}),
})"##;

#[test]
fn a_decimal_comma_is_eight_tenths_and_two_values_are_refused() {
    let text = GRAPH.replace(r#""shape": ("#, r#""ball": (stage: "shape/sphere"), "shape": ("#);
    let mut window = Window::new(&text);
    window.compile();
    window.select(&["fade"]);
    window.type_into("param rate", "0,8");
    assert_eq!(window.number("fade.rate"), 0.8);
    for refused in ["0,8 * time", "1,250", "2, 3"] {
        window.type_into("param rate", refused);
        assert_eq!(window.value("fade.rate"), Some(ParamValue::Number(0.8)), "{refused}");
    }
    window.type_into("param rate", "min(1, time)");
    assert_eq!(window.value("fade.rate"), Some(ParamValue::Expression("min(1, time)".into())));
    window.select(&["ball"]);
    window.type_into("param center x", "0,25");
    let center = |window: &mut Window| window.value("ball.center");
    let typed = center(&mut window);
    assert!(matches!(&typed, Some(ParamValue::Vector(parts)) if parts[0] == 0.25 && parts[1] == 0.5), "{typed:?}");
    for refused in ["0,25 * time", "1, 2", "time], [time"] {
        window.type_into("param center x", refused);
        assert_eq!(center(&mut window), typed, "{refused}");
    }
    window.type_into("param center y", "max(time, 1)");
    let text = center(&mut window).map(|value| value.to_string()).unwrap_or_default();
    assert!(text.contains("[0.25, max(time, 1)"), "{text}");
}

#[test]
fn dragging_a_number_is_one_undo_step_without_a_recompile() {
    let mut window = Window::new(GRAPH);
    window.compile();
    window.select(&["fade"]);
    let (plans, bar) = (window.session().plans(), window.rect("param rate"));
    // 0..5 over the width of the bar, from 2.
    window.drag(bar.center(), vec2(0.2 * bar.width(), 0.0), Modifiers::NONE);
    let once = window.number("fade.rate");
    assert!((once - 3.0).abs() < 0.05, "{once}");
    assert_eq!(
        window.session().running_simulation().unwrap().value("fade.rate").map(|v| (v[0] * 1e4).round() / 1e4),
        Some(once)
    );
    window.drag(bar.center(), vec2(0.2 * bar.width(), 0.0), Modifiers::SHIFT);
    let fine = window.number("fade.rate");
    assert!((fine - once - 0.1).abs() < 0.011, "a tenth as far: {once} to {fine}");
    window.drag(bar.center(), vec2(bar.width(), 0.0), Modifiers::NONE);
    assert_eq!(window.number("fade.rate"), 5.0, "to the end of the reach and no further");
    assert_eq!(window.session().plans(), plans);
    window.session().undo();
    assert_eq!(window.number("fade.rate"), fine);
    window.session().undo();
    assert_eq!(window.number("fade.rate"), once);
    window.session().undo();
    assert_eq!(window.number("fade.rate"), 2.0);
    assert!(!window.session().history().can_undo());
}

#[test]
fn a_default_for_two_and_three_dimensions_has_two_numbers_in_two() {
    let mut window = Window::new(&GRAPH.replace(r#""shape": ("#, r#""ball": (stage: "shape/sphere"), "shape": ("#));
    window.compile();
    window.select(&["ball"]);
    let bars = ["x", "y", "z"].map(|axis| window.harness.query_by_label(&format!("param center {axis}")).is_some());
    assert_eq!(bars, [true, true, false]);
    let bar = window.rect("param center x");
    window.drag(bar.center(), vec2(20.0, 0.0), Modifiers::NONE);
    let Some(ParamValue::Vector(parts)) = window.value("ball.center") else { panic!("no vector") };
    assert!(parts.len() == 2 && parts[0] > 0.5 && parts[1] == 0.5, "{parts:?}");
}

#[test]
fn names_scrub_and_reset() {
    let mut window = Window::new(GRAPH);
    window.select(&["fade"]);
    let name = window.rect("rate");
    window.drag(name.center(), vec2(40.0, 0.0), Modifiers::NONE);
    let dragged = window.number("fade.rate");
    assert!((dragged - 3.0).abs() < 0.06, "a fifth of 200 points: {dragged}");
    window.click(name.center(), PointerButton::Primary, Modifiers::NONE);
    assert_eq!(window.number("fade.rate"), dragged, "a plain click does nothing");
    window.click(name.center(), PointerButton::Primary, Modifiers::ALT);
    assert_eq!(window.value("fade.rate"), None);
    window.session().undo();
    window.harness.run_steps(2);
    window.harness.get_by_label("reset rate").click();
    window.harness.run_steps(3);
    assert_eq!(window.value("fade.rate"), None);
}

#[test]
fn typing_goes_beyond_the_reach_and_stops_at_the_range() {
    let mut window = Window::new(GRAPH);
    window.select(&["fade"]);
    window.type_into("param rate", "40");
    assert_eq!(window.number("fade.rate"), 40.0, "a slider's reach is no limit");
    let bar = window.rect("param rate");
    window.drag(bar.center(), vec2(-0.5 * bar.width(), 0.0), Modifiers::NONE);
    assert!((window.number("fade.rate") - 20.0).abs() < 0.5, "it was stretched to 40: {}", window.number("fade.rate"));
    window.type_into("param rate", "1 / 4");
    assert_eq!(window.number("fade.rate"), 0.25);
    window.select(&["sweep"]);
    window.type_into("param relaxation", "7");
    assert_eq!(window.number("sweep.relaxation"), 2.0, "0..2 is");
}

#[test]
fn what_is_typed_can_be_an_expression_and_shows_its_value() {
    let mut window = Window::new(GRAPH);
    window.compile();
    window.select(&["fade"]);
    window.type_into("param rate", "h + time");
    assert_eq!(window.value("fade.rate"), Some(ParamValue::Expression("h + time".into())));
    window.compile();
    for _ in 0..30 {
        window.session().simulation().unwrap().step(&FrameInput::default()).unwrap();
    }
    window.harness.run_steps(3);
    let time = window.session().running_simulation().unwrap().value("fade.rate").unwrap()[0];
    assert!((time - 0.5 - 29.0 / 60.0).abs() < 1e-6, "{time}");
    window.harness.get_by_label("= 0.9833");
    // And a constant again, with its value at the start.
    window.harness.get_by_label("expression rate").click();
    window.harness.run_steps(3);
    assert_eq!(window.number("fade.rate"), 0.5);
}

#[test]
fn a_wrong_expression_says_why_below_it() {
    let mut window = Window::new(GRAPH);
    window.select(&["fade"]);
    window.type_into("param rate", "nothing * 2");
    window.harness.get_by_label_contains("nothing");
    assert_eq!(window.value("fade.rate"), Some(ParamValue::Expression("nothing * 2".into())));
}

#[test]
fn a_number_that_was_clicked_is_replaced_copied_and_pasted_as_a_whole() {
    let mut window = Window::new(GRAPH);
    window.select(&["fade"]);
    let at = window.rect("param rate").center();
    // As by Tab.
    window.harness.get_by_label("param rate").focus();
    window.harness.run_steps(2);
    let keymap = Keymap::default();
    for (key, event) in [
        (
            Key::A,
            Event::Key { key: Key::A, physical_key: None, pressed: true, repeat: false, modifiers: Modifiers::COMMAND },
        ),
        (Key::C, Event::Copy),
        (Key::V, Event::Paste("3".into())),
    ] {
        window.harness.input_mut().modifiers = Modifiers::COMMAND;
        window.harness.ctx.input_mut(|input| {
            input.modifiers = Modifiers::COMMAND;
            input.events = vec![event];
        });
        assert_eq!(keymap.pressed(&window.harness.ctx, false), None, "Ctrl+{key:?} is for the number");
        window.harness.input_mut().modifiers = Modifiers::NONE;
    }
    window.harness.event(Event::Copy);
    window.harness.step();
    let copied = window.harness.output().platform_output.commands.clone();
    assert_eq!(copied, [eframe::egui::OutputCommand::CopyText("2".into())]);
    window.harness.event(Event::Paste(" 3\n".into()));
    window.harness.run_steps(2);
    window.harness.key_press(Key::Enter);
    window.harness.run_steps(2);
    assert_eq!(window.number("fade.rate"), 3.0);
    window.harness.run_steps(40);
    window.click(at, PointerButton::Primary, Modifiers::NONE);
    window.harness.run_steps(2);
    window.harness.event(Event::Text("4".into()));
    window.harness.step();
    window.harness.key_press(Key::Enter);
    window.harness.run_steps(2);
    assert_eq!(window.number("fade.rate"), 4.0);
    // Looking at a number does not round it.
    let exact = 1.0 / 3.0;
    window.session().edit("test", |document| {
        document.node_mut("fade").unwrap().params.insert("rate".into(), ParamValue::Number(exact));
    });
    window.harness.run_steps(40);
    window.click(at, PointerButton::Primary, Modifiers::NONE);
    window.harness.run_steps(2);
    window.click(at + vec2(0.0, 300.0), PointerButton::Primary, Modifiers::NONE);
    window.harness.run_steps(2);
    assert_eq!(window.number("fade.rate"), exact);
}

#[test]
fn names_are_completed() {
    let mut window = Window::new(GRAPH);
    window.select(&["fade"]);
    window.type_into("param rate", "h");
    let field = window.rect("param rate");
    window.click(field.center(), PointerButton::Primary, Modifiers::NONE);
    window.harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.harness.step();
    window.harness.event(Event::Text("ti".into()));
    window.harness.run_steps(2);
    window.harness.get_by_label("time");
    window.harness.key_press(Key::Tab);
    window.harness.run_steps(2);
    window.harness.event(Event::Text(" * cei".into()));
    window.harness.run_steps(2);
    window.harness.key_press(Key::Enter);
    window.harness.run_steps(2);
    window.harness.event(Event::Text("h)".into()));
    window.harness.run_steps(2);
    window.harness.key_press(Key::Enter);
    window.harness.run_steps(2);
    assert_eq!(window.value("fade.rate"), Some(ParamValue::Expression("time * ceil(h)".into())));
}

#[test]
fn escape_closes_the_names_and_then_leaves_the_field() {
    let mut window = Window::new(GRAPH);
    window.select(&["fade"]);
    window.type_into("param rate", "h");
    let field = window.rect("param rate");
    window.click(field.center(), PointerButton::Primary, Modifiers::NONE);
    window.harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.harness.step();
    window.harness.event(Event::Text("2 * ti".into()));
    window.harness.run_steps(2);
    window.harness.get_by_label("time");
    window.harness.key_press(Key::Escape);
    window.harness.run_steps(2);
    assert!(window.harness.query_by_label("time").is_none(), "the names are gone");
    window.harness.event(Event::Text("de".into()));
    window.harness.run_steps(2);
    assert_eq!(
        window.harness.get_by_label("param rate").value().as_deref(),
        Some("2 * tide"),
        "the keyboard is still here"
    );
    window.harness.key_press(Key::Escape);
    window.harness.run_steps(2);
    window.harness.key_press(Key::Escape);
    window.harness.run_steps(2);
    assert_eq!(window.value("fade.rate"), Some(ParamValue::Expression("h".into())), "left without a change");
}

#[test]
fn several_nodes_are_edited_together() {
    let mut window = Window::new(GRAPH);
    window.select(&["fade", "other"]);
    window.type_into("param rate", "3");
    assert_eq!((window.number("fade.rate"), window.number("other.rate")), (3.0, 3.0));
    window.session().undo();
    assert_eq!((window.number("fade.rate"), window.value("other.rate")), (2.0, None), "one step");
    window.harness.run_steps(2);
    window.harness.get_by_label("reset rate").click();
    window.harness.run_steps(3);
    assert_eq!((window.value("fade.rate"), window.value("other.rate")), (None, None));
    window.select(&["fade", "shape"]);
    assert!(window.harness.query_by_label("param rate").is_none(), "different stages have nothing in common");
}

#[test]
fn points_of_a_curve_are_dragged_added_and_removed() {
    let mut window = Window::new(GRAPH);
    window.compile();
    window.select(&["shape"]);
    let curve = |window: &mut Window| match window.value("shape.shape") {
        Some(ParamValue::Curve(curve)) => curve.points,
        other => panic!("{other:?}"),
    };
    window.harness.get_by_label("param shape").click();
    window.harness.run_steps(3);
    let plans = window.session().plans();
    let plot = window.rect("curve shape").shrink(10.0);
    let at = |t: f32, value: f32| plot.left_bottom() + vec2(t * plot.width(), -value * plot.height());
    window.drag(at(0.5, 0.25), at(0.5, 0.75) - at(0.5, 0.25), Modifiers::NONE);
    let points = curve(&mut window);
    assert_eq!(points.len(), 3);
    assert!((points[1].0 - 0.5).abs() < 0.01 && (points[1].1 - 0.75).abs() < 0.02, "{points:?}");
    // The end stays where the next point is.
    window.drag(at(0.0, 0.0), at(0.9, 0.2) - at(0.0, 0.0), Modifiers::NONE);
    assert_eq!(curve(&mut window)[0].0, points[1].0);
    window.session().undo();
    window.harness.run_steps(2);
    assert_eq!(curve(&mut window), points);
    window.click(at(0.5, 0.75), PointerButton::Secondary, Modifiers::NONE);
    window.harness.run_steps(2);
    assert_eq!(curve(&mut window).len(), 2);
    window.harness.get_by_label("flip value").click();
    window.harness.run_steps(2);
    assert_eq!(curve(&mut window), [(0.0, 1.0), (1.0, 0.0)]);
    assert_eq!(window.session().plans(), plans, "a curve needs no new plan");
}

#[test]
fn stops_of_a_gradient_are_added_dragged_and_removed() {
    let mut window = Window::new(GRAPH);
    window.select(&["ramp"]);
    window.harness.get_by_label("param ramp").click();
    window.harness.run_steps(3);
    let stops = |window: &mut Window| match window.value("ramp.ramp") {
        Some(ParamValue::Gradient(gradient)) => gradient.stops,
        other => panic!("{other:?}"),
    };
    window.harness.get_by_label("preset grey").click();
    window.harness.run_steps(2);
    let bar = window.rect("gradient ramp");
    let at = |t: f32| Pos2::new(bar.left() + 6.0 + t * (bar.width() - 12.0), bar.top() + 10.0);
    window.click(at(0.5), PointerButton::Primary, Modifiers::NONE);
    window.harness.run_steps(2);
    let grey = stops(&mut window)[1];
    assert!((grey.0 - 0.5).abs() < 0.01 && (grey.1[0] - grey.0).abs() < 1e-6, "it changes nothing yet: {grey:?}");
    window.drag(at(0.5), at(0.8) - at(0.5), Modifiers::NONE);
    let moved = stops(&mut window)[1];
    assert!((moved.0 - 0.8).abs() < 0.01 && moved.1 == grey.1, "{moved:?}");
    window.session().undo();
    window.harness.run_steps(2);
    assert_eq!(stops(&mut window)[1], grey, "a drag is one step");
    window.harness.get_by_label("reverse ramp").click();
    window.harness.run_steps(2);
    assert_eq!(stops(&mut window)[0].1, [1.0; 4]);
    window.click(at(0.5), PointerButton::Secondary, Modifiers::NONE);
    window.harness.run_steps(2);
    assert_eq!(stops(&mut window).len(), 2);
}

#[test]
fn inputs_lead_to_what_they_read_and_can_be_taken_off() {
    let mut window = Window::new(GRAPH);
    window.select(&["fade"]);
    window.harness.get_by_label("see field").click();
    window.harness.run_steps(2);
    assert_eq!(window.actions(), [Action::ViewWire(Link::parse("fade.field"))]);
    window.harness.get_by_label("input field").click();
    window.harness.run_steps(3);
    assert!(window.session().selection.contains("shape"));
    assert_eq!(window.actions(), [Action::Reveal]);
    window.harness.get_by_label("disconnect field").click();
    window.harness.run_steps(2);
    assert!(window.session().document().nodes["shape"].inputs.is_empty());
}

#[test]
fn nodes_inside_of_a_group_are_edited_and_those_of_the_library_are_not() {
    let mut window = Window::new(
        r#"(version: 1, nodes: {
            "mine": (group: (inputs: {"gain": "f32", "x": "Grid<f32>"}, outputs: {"y": "fade.field"}, params: {"speed": ["fade.rate"]},
                nodes: {"fade": (stage: "fluid/dissipate", inputs: {"field": "in.x"}, params: {"rate": "gain"})})),
            "theirs": (stage: "neighbors/fill"),
        })"#,
    );
    window.select(&["mine"]);
    window.type_into("param gain", "4");
    assert_eq!(window.number("mine.gain"), 4.0, "a number that goes in and is not wired");
    window.type_into("param speed", "2");
    assert_eq!(window.number("mine.speed"), 2.0);
    assert!(window.session().enter("mine"));
    window.select(&["fade"]);
    window.harness.get_by_label("= 0");
    window.type_into("param rate", "2 * gain");
    assert_eq!(window.value("mine/fade.rate"), Some(ParamValue::Expression("2 * gain".into())));
    window.select(&[IN]);
    window.harness.get_by_label("port gain");
    window.session().open_level(0);
    assert!(window.session().enter("theirs"));
    let inside: Vec<String> = window.session().nodes().keys().cloned().collect();
    let before = window.session().document().clone();
    for node in inside {
        window.select(&[&node]);
        let bars: Vec<Rect> = window.harness.query_all_by_role(Role::Slider).map(|node| node.rect()).collect();
        bars.into_iter().for_each(|bar| window.drag(bar.center(), vec2(30.0, 0.0), Modifiers::NONE));
    }
    window.harness.get_by_label_contains("is a library group");
    assert!(*window.session().document() == before);
}

#[test]
fn a_domain_changes_when_it_is_let_go() {
    let mut window = Window::new(GRAPH);
    window.compile();
    window.select(&["box"]);
    let (revision, bar) = (window.session().revision(), window.rect("param cells x"));
    window.drag(bar.center(), vec2(40.0, 0.0), Modifiers::NONE);
    assert_eq!(window.session().revision(), revision + 1, "one recompile for a drag");
    let NodeKind::Domain(domain) = window.session().document().nodes["box"].kind.clone() else { panic!() };
    assert!(domain.cells().unwrap()[0] > 32);
    // A process that ends while the driver compiles crashes.
    window.compile();
}

#[test]
fn frames_and_the_graph_have_fields() {
    let mut window = Window::new(r#"(version: 1, frames: [(title: "Old", at: (0, 0), size: (9, 9))])"#);
    window.harness.run_steps(2);
    window.type_into("param seed", "7");
    assert_eq!(window.session().document().seed, 7);
    window.type_into("param substeps", "4");
    assert_eq!(window.session().document().substeps, Substeps::Fixed(4));
    let bound = window.rect("adaptive").right_center() + vec2(12.0, 0.0);
    window.click(bound, PointerButton::Primary, Modifiers::NONE);
    window.harness.run_steps(3);
    assert_eq!(window.session().document().substeps, Substeps::Bounded { courant: Some(0.9), dt: None, most: 4 });
    window.type_into("param most substeps", "6");
    window.type_into("param Courant number", "0.5");
    window.type_into("param longest step", "0.02");
    let bounded = Substeps::Bounded { courant: Some(0.5), dt: Some(0.02), most: 6 };
    assert_eq!(window.session().document().substeps, bounded);
    window.type_into("param Courant number", "0");
    window.type_into("param longest step", "0");
    assert_eq!(window.session().document().substeps, Substeps::Fixed(6), "without a bound it is a number");
    window.session().selection.frame = Some(0);
    window.harness.run_steps(3);
    window.type_into("param title", "New");
    assert_eq!(window.session().document().frames[0].title, "New");
}

#[test]
fn precision_is_chosen_where_there_are_grids_of_floats() {
    let mut window = Window::new(
        r#"(version: 1, nodes: {
            "box": (domain: (resolution: (32, 32), width: 1, edge: "wall")),
            "dye": (state: "Grid<f32>", inputs: {"next": "fade"}),
            "fade": (stage: "fluid/dissipate", inputs: {"field": "dye"}),
            "most": (stage: "grid/largest", inputs: {"field": "dye"}),
            "count": (state: "Grid<u32>", inputs: {"next": "count"}),
        })"#,
    );
    window.compile();
    for node in ["dye", "fade"] {
        window.select(&[node]);
        for (choice, named) in [("f16", Some("f16")), ("f32", None)] {
            window.harness.get_by_label("param precision").click();
            window.harness.run_steps(4);
            window.harness.get_by_label(choice).click();
            window.harness.run_steps(4);
            assert_eq!(window.session().document().nodes[node].precision.as_deref(), named, "{node}");
        }
    }
    for node in ["most", "count"] {
        window.select(&[node]);
        assert!(window.harness.query_by_label("param precision").is_none(), "{node} stores no floats");
    }
}
