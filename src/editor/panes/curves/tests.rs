//! The curve pane, driven by the pointer and the keyboard.

use std::time::{Duration, Instant};

use eframe::egui::{Event, Modifiers, PointerButton, Pos2, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::*;
use crate::curve::{Keyframes, Tangent};
use crate::document::Document;
use crate::gpu::{Gpu, GpuOptions};
use crate::sim::FrameInput;

const GRAPH: &str = r##"(version: 1, nodes: {
    "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
    "dye": (state: "Grid<f32>", inputs: {"next": "fade.field"}, on: "box"),
    "fade": (stage: "fluid/dissipate", inputs: {"field": "dye"}, params: {"rate": (keys: [(0, 1), (10, 3), (20, 2), (40, 4)])}),
    "sweep": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "dye"}, params: {"relaxation": (keys: [(5, 1), (30, 2)])}),
    "wind": (number: (keys: [(0, (0, 1)), (30, (2, -1))])),
    "ramp": (stage: "view/gradient", inputs: {"field": "dye"}),
    "picture": (output: (), inputs: {"image": "ramp.image"}),
})"##;

struct Window {
    harness: Harness<'static, (Session, CurvePane, Actions)>,
}

impl Window {
    /// A window with the pane, in which a node is selected.
    fn new(node: &str) -> Window {
        let mut session = Session::new(Gpu::new(&GpuOptions::default()).unwrap(), || {});
        session.open(Document::parse(GRAPH).unwrap(), None);
        session.selection.nodes = std::iter::once(node.to_string()).collect();
        let draw = |ui: &mut Ui, (session, pane, actions): &mut (Session, CurvePane, Actions)| {
            pane.take_keys(ui.ctx());
            pane.draw(ui, session, actions).unwrap();
            if !ui.input(|input| input.pointer.any_down()) {
                session.end_gesture();
            }
        };
        let state = (session, CurvePane::default(), Actions::new());
        let harness =
            Harness::builder().with_step_dt(1.0 / 60.0).with_size(vec2(900.0, 400.0)).build_ui_state(draw, state);
        let mut window = Window { harness };
        let begun = Instant::now();
        while window.session().running_simulation().is_none() || window.session().compiling() {
            assert!(begun.elapsed() < Duration::from_secs(60), "it does not compile");
            std::thread::sleep(Duration::from_millis(5));
            window.session().poll();
        }
        window.harness.run_steps(3);
        window
    }

    fn session(&mut self) -> &mut Session {
        &mut self.harness.state_mut().0
    }

    fn pane(&mut self) -> &mut CurvePane {
        &mut self.harness.state_mut().1
    }

    fn keys(&mut self, node: &str, param: &str) -> Keyframes {
        self.session().document().value(node, param).and_then(|value| value.keys().cloned()).expect("keys")
    }

    fn pairs(&mut self) -> Vec<(f64, f64)> {
        self.keys("fade", "rate").keys.iter().map(|key| (key.frame, key.value[0])).collect()
    }

    /// Where a frame and a value are on the screen.
    fn position_of(&mut self, frame: f64, value: f64) -> Pos2 {
        let rect = self.harness.get_by_label("curves").rect();
        let (session, pane, _) = self.harness.state();
        let sight = pane.sight.unwrap_or_else(|| pane.all(&tracks(session)));
        Plot { rect, sight }.position_of((frame, value))
    }

    fn drag(&mut self, from: Pos2, to: Pos2, modifiers: Modifiers) {
        self.harness.input_mut().modifiers = modifiers;
        let button = |pos, pressed| Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers };
        self.harness.event(Event::PointerMoved(from));
        self.harness.step();
        self.harness.event(button(from, true));
        self.harness.step();
        for part in 1..=8 {
            self.harness.event(Event::PointerMoved(from + (to - from) * (part as f32 / 8.0)));
            self.harness.step();
        }
        self.harness.event(button(to, false));
        self.harness.step();
        self.harness.input_mut().modifiers = Modifiers::NONE;
        self.harness.run_steps(40);
    }

    fn click(&mut self, at: Pos2, modifiers: Modifiers) {
        self.drag(at, at, modifiers);
    }

    fn key(&mut self, key: Key) {
        self.harness.key_press(key);
        self.harness.run_steps(2);
    }

    fn event(&mut self, event: Event) {
        self.harness.event(event);
        self.harness.run_steps(2);
    }

    /// The text that was copied in the last steps.
    fn copied(&mut self) -> String {
        self.harness.event(Event::Copy);
        self.harness.step();
        let copied = self.harness.output().platform_output.commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        });
        copied.expect("something was copied")
    }
}

#[test]
fn a_key_is_dragged_to_another_frame_and_value_in_one_undo_step() {
    let mut window = Window::new("fade");
    let plans = window.session().plans();
    let (from, to) = (window.position_of(20.0, 2.0), window.position_of(27.4, 3.0));
    window.drag(from, to, Modifiers::NONE);
    let pairs = window.pairs();
    assert_eq!(pairs.iter().map(|pair| pair.0).collect::<Vec<_>>(), [0.0, 10.0, 27.0, 40.0], "snapped to a frame");
    assert!((pairs[2].1 - 3.0).abs() < 0.03, "{pairs:?}");
    assert_eq!(window.session().plans(), plans, "without a recompile");
    let sent = window
        .session()
        .running_simulation()
        .unwrap()
        .plan()
        .settings
        .iter()
        .find_map(|slot| slot.value.keys().cloned());
    assert_eq!(sent, Some(window.keys("fade", "rate")), "and it plays");
    assert_eq!(window.session().history_titles().last().map(String::as_str), Some("Move keys: fade"));
    window.session().undo();
    assert_eq!(window.pairs(), [(0.0, 1.0), (10.0, 3.0), (20.0, 2.0), (40.0, 4.0)]);
    assert!(!window.session().history().can_undo(), "one step");
    window.session().redo();
    assert_eq!(window.pairs(), pairs);
}

#[test]
fn shift_keeps_to_an_axis_values_to_the_range_and_frames_to_the_start() {
    let mut window = Window::new("fade");
    let (from, to) = (window.position_of(10.0, 3.0), window.position_of(12.0, 1.0));
    window.drag(from, to, Modifiers::SHIFT);
    let pairs = window.pairs();
    assert!(pairs[1].0 == 10.0 && (pairs[1].1 - 1.0).abs() < 0.03, "{pairs:?}");
    window.session().selection.nodes = std::iter::once("sweep".to_string()).collect();
    window.harness.run_steps(3);
    let from = window.position_of(5.0, 1.0);
    window.drag(from, from + vec2(-400.0, 900.0), Modifiers::NONE);
    let first = window.keys("sweep", "relaxation").keys.remove(0);
    assert_eq!((first.frame, first.value), (0.0, vec![0.0]), "0..2 is the range, and there are no frames before 0");
}

#[test]
fn a_key_that_is_moved_to_another_one_replaces_it() {
    let mut window = Window::new("fade");
    let (from, to) = (window.position_of(20.0, 2.0), window.position_of(10.0, 2.0));
    window.drag(from, to, Modifiers::SHIFT);
    assert_eq!(window.pairs(), [(0.0, 1.0), (10.0, 2.0), (40.0, 4.0)]);
    assert_eq!(window.pane().chosen.iter().map(|spot| spot.key).collect::<Vec<_>>(), [1], "it stays selected");
}

#[test]
fn a_box_selects_keys_that_are_moved_together_and_deleted() {
    let mut window = Window::new("fade");
    let (from, to) = (window.position_of(7.0, 3.5), window.position_of(23.0, 1.5));
    window.drag(from, to, Modifiers::NONE);
    assert_eq!(window.pane().chosen.len(), 2);
    let (from, to) = (window.position_of(10.0, 3.0), window.position_of(15.0, 3.0));
    window.drag(from, to, Modifiers::SHIFT);
    assert_eq!(window.pairs(), [(0.0, 1.0), (15.0, 3.0), (25.0, 2.0), (40.0, 4.0)]);
    window.key(Key::Delete);
    assert_eq!(window.pairs(), [(0.0, 1.0), (40.0, 4.0)]);
    window.key(Key::A);
    window.key(Key::Delete);
    assert_eq!(window.session().document().value("fade", "rate"), Some(crate::document::ParamValue::Number(1.0)));
    assert!(window.harness.query_by_label("curves").is_none(), "no curve is left");
    (0..3).for_each(|_| window.session().undo());
    assert_eq!(window.pairs(), [(0.0, 1.0), (10.0, 3.0), (20.0, 2.0), (40.0, 4.0)]);
}

#[test]
fn tangents_are_chosen_and_handles_turned() {
    let mut window = Window::new("fade");
    let at = window.position_of(10.0, 3.0);
    window.click(at, Modifiers::NONE);
    window.key(Key::Num2);
    assert_eq!(window.keys("fade", "rate").keys[1].tangent, Tangent::Linear);
    window.harness.get_by_label("tangent Auto").click();
    window.harness.run_steps(3);
    assert_eq!(window.keys("fade", "rate").keys[1].tangent, Tangent::Auto);
    // Flat at a maximum; its handle is turned upwards, and the other one follows.
    let end = at + vec2(plot::REACH, 0.0);
    let to = window.position_of(14.0, 4.0);
    window.drag(end, to, Modifiers::NONE);
    let Tangent::Free(before, after) = window.keys("fade", "rate").keys[1].tangent.clone() else { panic!("not free") };
    assert!((after[0] - 0.25).abs() < 0.02 && before == after, "{before:?} {after:?}");
    let other = window.pane().drag.is_none();
    assert!(other, "the gesture is over");
    let (session, ..) = window.harness.state();
    let (track, rect) = (tracks(session).remove(0), window.harness.get_by_label("curves").rect());
    let plot = Plot { rect, sight: window.harness.state().1.all(std::slice::from_ref(&track)) };
    let spot = Spot { value: "fade.rate".into(), key: 1, part: 0 };
    let end = paint::handle(&plot, &window.harness.state().1, &track, &spot, false).unwrap();
    window.drag(end, end + vec2(0.0, -60.0), Modifiers::ALT);
    let Tangent::Free(broken, same) = window.keys("fade", "rate").keys[1].tangent.clone() else { panic!("not free") };
    assert!(same == after && broken != before, "with Alt the other side stays: {broken:?} {same:?}");
    window.session().undo();
    window.session().undo();
    assert_eq!(window.keys("fade", "rate").keys[1].tangent, Tangent::Auto);
}

#[test]
fn keys_are_copied_and_pasted_at_the_present_frame_and_to_another_value() {
    let mut window = Window::new("fade");
    for _ in 0..50 {
        window.session().simulation().unwrap().step(&FrameInput::default()).unwrap();
    }
    let (from, to) = (window.position_of(7.0, 3.5), window.position_of(23.0, 1.5));
    window.drag(from, to, Modifiers::NONE);
    let text = window.copied();
    assert_eq!(text, "fade.rate = (keys: [(0, 3), (10, 2)])");
    window.event(Event::Paste(text.clone()));
    assert_eq!(window.pairs()[3..], [(40.0, 4.0), (50.0, 3.0), (60.0, 2.0)]);
    assert_eq!(window.pane().chosen.len(), 2, "what was pasted is selected");
    window.session().undo();
    assert_eq!(window.pairs().len(), 4);
    window.drag(from, to, Modifiers::NONE);
    window.event(Event::Cut);
    assert_eq!(window.pairs(), [(0.0, 1.0), (40.0, 4.0)]);
    window.session().selection.nodes = std::iter::once("wind".to_string()).collect();
    window.harness.run_steps(3);
    window.event(Event::Paste(text));
    let wind = window.keys("wind", "value");
    assert_eq!(
        wind.keys[2..].iter().map(|key| (key.frame, key.value.clone())).collect::<Vec<_>>(),
        [(50.0, vec![3.0, 3.0]), (60.0, vec![2.0, 2.0])]
    );
    assert_eq!(wind.check(), Ok(()));
    window.event(Event::Paste("\"node\": (number: 1)".into()));
    assert_eq!(window.keys("wind", "value"), wind, "other text is not for this pane");
}

#[test]
fn normalized_curves_fill_the_plot_and_move_by_their_own_size() {
    let mut window = Window::new("fade");
    window.harness.get_by_label("Normalize").click();
    window.harness.run_steps(3);
    // From 1 at the bottom to 4 at the top.
    let (from, to) = (window.position_of(20.0, 1.0 / 3.0), window.position_of(20.0, 2.0 / 3.0));
    window.drag(from, to, Modifiers::NONE);
    let pairs = window.pairs();
    assert!(pairs[2].0 == 20.0 && (pairs[2].1 - 3.0).abs() < 0.03, "{pairs:?}");
}

#[test]
fn the_playhead_is_dragged_in_the_strip_at_the_top() {
    let mut window = Window::new("fade");
    let top = window.harness.get_by_label("curves").rect().top() + 6.0;
    let (from, to) = (window.position_of(3.0, 0.0).x, window.position_of(25.2, 0.0).x);
    window.drag(Pos2::new(from, top), Pos2::new(to, top), Modifiers::NONE);
    assert_eq!(window.harness.state().2.last(), Some(&Action::GoToFrame(25)));
    assert!(window.pane().chosen.is_empty() && !window.session().history().can_undo());
}

#[test]
fn several_curves_are_shown_hidden_and_get_keys_by_a_double_click() {
    let mut window = Window::new("wind");
    let x = window.harness.get_by_label("curve value x").rect();
    let place = window.position_of(15.0, 1.0);
    for pressed in [true, false, true, false] {
        window.harness.event(Event::PointerMoved(place));
        window.harness.event(Event::PointerButton {
            pos: place,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
        window.harness.step();
    }
    window.harness.run_steps(3);
    let wind = window.keys("wind", "value");
    assert_eq!((wind.keys.len(), wind.keys[1].frame), (3, 15.0));
    assert!((wind.keys[1].value[0] - 1.0).abs() < 0.05 && wind.keys[1].value[1].abs() < 0.05, "{wind:?}");
    // A part is moved alone.
    let from = window.position_of(30.0, 2.0);
    window.drag(from, from + Vec2::new(0.0, 40.0), Modifiers::NONE);
    let moved = window.keys("wind", "value");
    assert!(moved.keys[2].value[0] < 2.0 && moved.keys[2].value[1] == -1.0, "{moved:?}");
    window.drag(x.center(), x.center(), Modifiers::NONE);
    assert_eq!(window.pane().hidden.len(), 1);
    window.key(Key::A);
    assert!(window.pane().chosen.iter().all(|spot| spot.part == 1), "what is hidden is not selected");
}
