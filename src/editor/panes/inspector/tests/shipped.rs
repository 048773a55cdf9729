//! All shipped graphs, and random input.

use eframe::egui::{Event, Key, Modifiers, MouseWheelUnit, PointerButton, Pos2, Vec2, vec2};

use super::*;
use crate::document::Document;
use crate::gpu::{Gpu, GpuOptions};
use stagewright_test_support::seed;

/// An inspector of a given width, drawn without rendering.
struct Pane {
    ctx: egui::Context,
    session: Session,
    time: f64,
}

impl Pane {
    fn new(document: Document) -> Pane {
        let mut session = Session::new(Gpu::new(&GpuOptions::default()).unwrap(), || {});
        session.open(document, None);
        let ctx = egui::Context::default();
        theme::install(&ctx);
        Pane { ctx, session, time: 0.0 }
    }

    fn frame(&mut self, size: Vec2, events: Vec<Event>, modifiers: Modifiers) {
        self.time += 0.03;
        let screen_rect = Some(egui::Rect::from_min_size(Pos2::ZERO, size));
        let input =
            egui::RawInput { screen_rect, time: Some(self.time), events, modifiers, ..egui::RawInput::default() };
        let session = &mut self.session;
        let output = self.ctx.run_ui(input, |ui| drop(show(ui, session, &mut Actions::new())));
        // Tessellation would fail for shapes with NaN coordinates.
        drop(self.ctx.tessellate(output.shapes, output.pixels_per_point));
        if !self.ctx.input(|input| input.pointer.any_down()) {
            self.session.end_gesture();
        }
    }
}

fn everything() -> Document {
    let mut document = Document::parse(
        r#"(version: 1, nodes: {
            "box": (domain: (resolution: (16, 16), width: 1, edge: "wall")), "h": (number: 0.5),
            "dye": (state: "Grid<f32>", on: "box"), "dot": (reroute: ()), "shape": (file: "a.obj"), "teapot": (teapot: 1),
            "picture": (output: (size: (32, 32))), "set": (state: "Particles{position: Vec}", capacity: 10, on: "box"),
            "group": (group: (inputs: {"x": "f32"}, outputs: {}, nodes: {"h": (number: "2 * x")})),
        })"#,
    )
    .unwrap();
    let library = Library::builtin();
    for stage in library.stages() {
        let name = stage.name.replace('/', " ");
        document.nodes.insert(name, Node { kind: NodeKind::Stage(stage.name.clone()), ..Node::default() });
    }
    for (name, _) in library.groups() {
        document.nodes.insert(name.replace('/', " "), Node { kind: NodeKind::Stage(name.into()), ..Node::default() });
    }
    document
}

#[test]
fn every_stage_is_shown_and_left_alone() {
    let document = everything();
    let names: Vec<String> = document.nodes.keys().cloned().collect();
    assert!(names.len() > 100, "the library is there: {}", names.len());
    let mut pane = Pane::new(document.clone());
    for name in &names {
        pane.session.selection.nodes = std::iter::once(name.clone()).collect();
        for width in [300.0, 900.0] {
            (0..2).for_each(|_| pane.frame(vec2(width, 700.0), Vec::new(), Modifiers::NONE));
        }
    }
    assert!(*pane.session.document() == document, "looking changes nothing");
}

/// SplitMix64 (Steele et al. 2014).
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as usize % count
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

#[test]
fn random_hands_cause_no_panic() {
    let document = everything();
    let names: Vec<String> = document.nodes.keys().cloned().collect();
    let mut pane = Pane::new(document);
    let seed = seed::first();
    let _case = seed::Case::begin(seed, "random_hands_cause_no_panic");
    let mut dice = Dice(seed);
    let mut changed = 0;
    for round in 0..60 {
        let count = dice.pick(&[1, 1, 1, 2, 3]);
        pane.session.selection.nodes = (0..count).map(|_| names[dice.below(names.len())].clone()).collect();
        let size = vec2(dice.pick(&[240.0, 300.0, 900.0]), 700.0);
        pane.frame(size, Vec::new(), Modifiers::NONE);
        let mut at = Pos2::ZERO;
        for _ in 0..12 {
            let place = |dice: &mut Dice| Pos2::new(dice.below(size.x as usize) as f32, dice.below(700) as f32);
            let modifiers = dice.pick(&[Modifiers::NONE, Modifiers::SHIFT, Modifiers::COMMAND, Modifiers::ALT]);
            let button = dice.pick(&[PointerButton::Primary, PointerButton::Primary, PointerButton::Secondary]);
            let press = |pressed, pos| Event::PointerButton { pos, button, pressed, modifiers };
            let key = |key| Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers };
            let events: Vec<Vec<Event>> = match dice.below(6) {
                0 | 1 => {
                    at = place(&mut dice);
                    let click = vec![Event::PointerMoved(at), press(true, at)];
                    vec![click.clone(), vec![press(false, at)], click, vec![press(false, at)]]
                }
                2 => {
                    let to = place(&mut dice);
                    vec![
                        vec![Event::PointerMoved(at), press(true, at)],
                        vec![Event::PointerMoved(to)],
                        vec![press(false, to)],
                    ]
                }
                3 => vec![vec![Event::Text(dice.pick(&["1e308", "-", "time", "[1, 2", "ß", "2*h", "#12", ""]).into())]],
                4 => {
                    let unit = MouseWheelUnit::Line;
                    let delta = vec2(0.0, dice.pick(&[-5.0, 5.0]));
                    vec![vec![Event::MouseWheel { unit, delta, phase: egui::TouchPhase::Move, modifiers }]]
                }
                _ => vec![vec![key(dice.pick(&[Key::Enter, Key::Tab, Key::Escape, Key::Delete, Key::ArrowLeft]))]],
            };
            for events in events {
                pane.frame(size, events, modifiers);
            }
        }
        changed += usize::from(pane.session.history().can_undo());
        if round % 10 == 9 {
            let text = pane.session.document().to_text();
            assert_eq!(Document::parse(&text).unwrap().to_text(), text, "what was made can be written and read");
        }
    }
    assert!(changed > 30, "the hands do change things: {changed}");
}
