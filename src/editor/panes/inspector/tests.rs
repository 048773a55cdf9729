//! The inspector, driven by events without a window.

mod editing;
mod formula;
mod keys;
mod screenshots;
mod shipped;

use eframe::egui::{Context, Event, Id, Key, Modifiers, Pos2, RawInput, Rect, UiBuilder, vec2};

use super::*;
use crate::document::{Document, Node, ParamValue};
use crate::gpu::{Gpu, GpuOptions};

struct Bench {
    ctx: Context,
    session: Session,
}

impl Bench {
    fn new(text: &str) -> Bench {
        let mut session = Session::new(Gpu::new(&GpuOptions::default()).unwrap(), || {});
        session.open(Document::parse(text).unwrap(), None);
        let ctx = Context::default();
        theme::install(&ctx);
        Bench { ctx, session }
    }

    fn frame(&mut self, events: Vec<Event>) {
        let screen = Rect::from_min_size(Pos2::ZERO, vec2(900.0, 700.0));
        let input = RawInput { screen_rect: Some(screen), events, ..RawInput::default() };
        let session = &mut self.session;
        let output = self.ctx.run_ui(input, |ui| {
            let mut ui = ui.new_child(UiBuilder::new().max_rect(screen));
            show(&mut ui, session, &mut Actions::new()).unwrap();
        });
        drop(self.ctx.tessellate(output.shapes, output.pixels_per_point));
        self.session.end_gesture();
    }

    fn select(&mut self, node: &str) {
        self.session.selection.nodes = std::iter::once(node.to_string()).collect();
        (0..3).for_each(|_| self.frame(Vec::new()));
    }

    /// Replaces the text of a field.
    fn write(&mut self, field: Id, text: &str) {
        self.ctx.memory_mut(|memory| memory.request_focus(field));
        self.frame(Vec::new());
        let press = |key, modifiers| Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers };
        self.frame(vec![press(Key::A, Modifiers::COMMAND)]);
        self.frame(vec![Event::Text(text.into())]);
        self.frame(vec![press(Key::Enter, Modifiers::NONE)]);
        self.frame(Vec::new());
    }

    fn text(&self, node: &str) -> String {
        let text = self.session.document().to_text();
        text.lines().find(|line| line.trim_start().starts_with(&format!("\"{node}\""))).unwrap().trim().to_string()
    }
}

const GRAPH: &str = r#"(version: 1, nodes: {
    "h": (number: 0.5), "wind": (number: "2 * h"),
    "box": (domain: (resolution: ("ceil(4 / h)", 8, "n / 2"), width: "4 * h", edge: "wall")),
    "set": (state: "Particles{position: Vec}", capacity: "floor(8 / h)", on: "box"),
    "fade": (stage: "fluid/dissipate", iterations: "ceil(1 / h)", params: {"rate": "h"}),
})"#;

#[test]
fn expressions_are_shown_and_left_alone() {
    let mut bench = Bench::new(GRAPH);
    for node in ["h", "wind", "box", "set", "fade"] {
        bench.select(node);
        assert!(!bench.session.modified(), "{node}: {}", bench.text(node));
    }
}

#[test]
fn curves_and_gradients_are_shown_and_left_alone() {
    let mut bench = Bench::new(
        r##"(version: 1, nodes: {
            "given": (stage: "grid/remap", params: {"shape": [(0, 1), (0.5, 0.8), (1, 0)], "low": [(0, 1)]}),
            "ramp": (stage: "view/gradient", params: {"ramp": [(0, "#000000"), (1, (2, 0.5, 0, 1))]}),
            "default": (stage: "view/gradient"), "wrong": (stage: "field/remap", params: {"shape": "time"}),
            "group": (group: (outputs: {}, params: {"shape": ["inner.shape"]}, nodes: {"inner": (stage: "grid/remap")})),
        })"##,
    );
    for node in ["given", "ramp", "default", "wrong", "group"] {
        bench.select(node);
        assert!(!bench.session.modified(), "{node}: {}", bench.text(node));
    }
}

#[test]
fn the_wgsl_of_a_stage_is_a_click_away() {
    use egui_kittest::kittest::Queryable;
    let bench = Bench::new(GRAPH);
    let mut session = bench.session;
    session.selection.nodes = std::iter::once("fade".to_string()).collect();
    let draw = |ui: &mut Ui, state: &mut (Session, Actions)| show(ui, &mut state.0, &mut state.1).unwrap();
    let state = (session, Actions::new());
    let mut harness = egui_kittest::Harness::builder().with_size(vec2(900.0, 700.0)).build_ui_state(draw, state);
    harness.run();
    harness.get_by_label("Show WGSL").click();
    harness.run();
    assert_eq!(harness.state().1, [Action::ShowCode(SourcePlace { line: 1, column: 1 })]);
    harness.state_mut().0.selection.nodes = std::iter::once("box".to_string()).collect();
    harness.run();
    assert!(harness.query_by_label("Show WGSL").is_none(), "a domain has none");
}

#[test]
fn expressions_of_the_plan_can_be_edited() {
    let mut bench = Bench::new(GRAPH);
    bench.select("box");
    let field = |node: &str, name: &str| Id::new(("inspector", node, name));
    bench.write(field("box", "resolution").with(2), "ceil(2 / h)");
    bench.write(field("box", "width"), "3 * h");
    assert_eq!(
        bench.text("box"),
        r#""box": (domain: (resolution: ("ceil(4 / h)", 8, "ceil(2 / h)"), width: "3 * h", edge: "wall")),"#
    );
    bench.select("set");
    bench.write(field("set", "capacity"), "16");
    assert!(bench.text("set").contains(r#"capacity: "16""#), "{}", bench.text("set"));
    bench.session.undo();
    bench.session.undo();
    assert!(bench.text("box").contains(r#"width: "4 * h""#) && bench.text("set").contains("8 / h"));
}

#[test]
fn what_a_group_waits_for_is_chosen_changed_and_taken_back() {
    use egui_kittest::kittest::Queryable;
    let text = r#"(version: 1, nodes: {
        "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "solve": (stage: "fluid/pressure_multigrid", iterations: 9),
        "cg": (stage: "fluid/pressure_cg", params: {"tolerance": "h"}),
        "h": (number: 0.5),
        "waits": (stage: "fluid/pressure_multigrid", iterations: 9, until: (number: "residual", below: "h / 2", every: 3)),
    })"#;
    let mut bench = Bench::new(text);
    bench.select("solve");
    assert!(!bench.session.modified());
    let mut session = bench.session;
    let draw = |ui: &mut Ui, session: &mut Session| show(ui, session, &mut Actions::new()).unwrap();
    session.selection.nodes = std::iter::once("solve".to_string()).collect();
    let mut harness = egui_kittest::Harness::builder().with_size(vec2(900.0, 900.0)).build_ui_state(draw, session);
    harness.run();
    harness.get_by_label("param stop").click();
    harness.run();
    harness.get_all_by_label("residual").last().unwrap().click();
    harness.run();
    let Bench { ctx, .. } = Bench::new(text);
    let session =
        std::mem::replace(harness.state_mut(), Session::new(Gpu::new(&GpuOptions::default()).unwrap(), || {}));
    bench = Bench { ctx, session };
    assert!(bench.text("solve").contains(r#"until: (number: "residual", below: 0)"#), "{}", bench.text("solve"));
    bench.session.undo();
    assert!(!bench.text("solve").contains("until"), "{}", bench.text("solve"));
    bench.select("waits");
    assert!(bench.text("waits").contains("h / 2"), "{}", bench.text("waits"));
    bench.write(Id::new(("inspector", "waits", "until")), "h / 4");
    assert!(bench.text("waits").contains(r#"below: "h / 4", every: 3)"#), "{}", bench.text("waits"));
    bench.session.undo();
    assert!(bench.text("waits").contains(r#"below: "h / 2", every: 3)"#), "{}", bench.text("waits"));
    // Exposed as a parameter of a group.
    bench.select("cg");
    bench.write(Id::new(("inspector", "cg", "tolerance")), "h / 4");
    assert!(bench.text("cg").contains(r#"params: {"tolerance": "h / 4"}"#), "{}", bench.text("cg"));
}
