//! The canvas, driven by events without a window.

mod legible;

use eframe::egui::{Context, Event, Modifiers, PointerButton, Pos2, RawInput, pos2};

use super::view::End;
use super::*;
use crate::document::Document;
use crate::gpu::{Gpu, GpuOptions};
use crate::model::layout;
use stagewright_test_support::fixture::fluid;

/// A canvas of 1200 x 800 points, and a strip beside it that is not part of it.
struct Bench {
    ctx: Context,
    canvas: Canvas,
    session: Session,
    errors: Vec<String>,
    time: f64,
    size: Vec2,
}

impl Bench {
    fn new(document: Document) -> Bench {
        let gpu = Gpu::new(&GpuOptions::default()).unwrap();
        let mut session = Session::new(gpu, || {});
        session.open(layout::placed(document), None);
        let ctx = Context::default();
        let canvas = Canvas::default();
        let size = vec2(1200.0, 800.0);
        let mut bench = Bench { ctx, canvas, session, errors: Vec::new(), time: 0.0, size };
        theme::install(&bench.ctx);
        bench.frame(Vec::new());
        bench.frame(Vec::new());
        bench
    }

    fn frame(&mut self, events: Vec<Event>) {
        let screen = Rect::from_min_size(Pos2::ZERO, vec2(1400.0, 800.0));
        self.time += 0.02;
        let input = RawInput { screen_rect: Some(screen), time: Some(self.time), events, ..RawInput::default() };
        let canvas = &mut self.canvas;
        let session = &mut self.session;
        let errors = &mut self.errors;
        let size = self.size;
        let output = self.ctx.run_ui(input, |ui| {
            let inner = egui::UiBuilder::new().max_rect(Rect::from_min_size(Pos2::ZERO, size));
            let mut ui = ui.new_child(inner);
            errors.extend(canvas.draw(&mut ui, session, &mut Actions::new()).err());
        });
        // Tessellation would fail for shapes with NaN coordinates.
        drop(self.ctx.tessellate(output.shapes, output.pixels_per_point));
        if !self.ctx.input(|input| input.pointer.any_down()) {
            self.session.end_gesture();
        }
    }

    fn press(&mut self, pos: Pos2, pressed: bool) {
        let modifiers = Modifiers::NONE;
        self.frame(vec![Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers }]);
        self.frame(Vec::new());
    }

    fn drag(&mut self, from: Pos2, to: Pos2) {
        self.frame(vec![Event::PointerMoved(from)]);
        self.press(from, true);
        for step in 1..=4 {
            self.frame(vec![Event::PointerMoved(from.lerp(to, step as f32 / 4.0))]);
        }
        self.press(to, false);
    }

    fn click(&mut self, at: Pos2) {
        self.frame(vec![Event::PointerMoved(at)]);
        self.press(at, true);
        self.press(at, false);
    }

    fn port(&self, node: &str, end: End, port: &str) -> Pos2 {
        self.canvas.paint.port(self.canvas.drawn.ids[node], end, port).unwrap()
    }

    fn title(&self, node: &str) -> Pos2 {
        self.canvas.paint.rects[&self.canvas.drawn.ids[node]].center_top() + vec2(0.0, 8.0)
    }

    fn link(&self, node: &str, port: &str) -> Option<String> {
        self.session.document().nodes[node].inputs.get(port).map(ToString::to_string)
    }
}

#[test]
fn a_wire_is_taken_off_put_back_and_undone() {
    let mut bench = Bench::new(fluid());
    let port = bench.port("project", End::Input, "pressure");
    bench.drag(port, pos2(1150.0, 780.0));
    assert_eq!(bench.link("project", "pressure"), None);
    bench.drag(bench.port("pressure", End::Output, "pressure"), bench.port("project", End::Input, "pressure"));
    assert_eq!(bench.link("project", "pressure").as_deref(), Some("pressure.pressure"));
    bench.session.undo();
    assert_eq!(bench.link("project", "pressure"), None);
    bench.session.undo();
    assert_eq!(bench.link("project", "pressure").as_deref(), Some("pressure.pressure"));
    assert!(!bench.session.history().can_undo() && !bench.session.modified());
}

#[test]
fn a_wire_that_does_not_fit_stays_where_it_was_and_a_sentence_says_why() {
    let mut bench = Bench::new(fluid());
    bench.drag(bench.port("density", End::Output, "value"), bench.port("screen", End::Input, "image"));
    assert_eq!(bench.link("screen", "image").as_deref(), Some("look.image"));
    bench.drag(bench.port("project", End::Output, "velocity"), bench.port("divergence", End::Input, "velocity"));
    assert_eq!(bench.link("divergence", "velocity").as_deref(), Some("viscosity.field"));
    assert!(bench.errors.first().is_some_and(|error| error.contains("view/color_map")), "{:?}", bench.errors);
    assert!(bench.errors.get(1).is_some_and(|error| error.contains("cycle")), "{:?}", bench.errors);
    assert!(!bench.session.modified());
}

#[test]
fn the_selection_outlives_clicks_elsewhere_and_moves_together() {
    let mut bench = Bench::new(fluid());
    bench.click(bench.title("jet"));
    bench.session.selection.nodes.insert("smoke".into());
    bench.click(pos2(1300.0, 400.0));
    assert_eq!(bench.session.selection.nodes.len(), 2);
    let before = bench.session.document().clone();
    let zoom = bench.canvas.view.zoom;
    bench.drag(bench.title("jet"), bench.title("jet") + vec2(0.0, 60.0));
    for name in ["jet", "smoke"] {
        let moved = bench.session.document().nodes[name].at.1 - before.nodes[name].at.1;
        // Whole points, and the few that distinguish a drag from a click.
        assert!((moved - 60.0 / zoom).abs() < 8.0 / zoom, "{name} moved by {moved}");
    }
    assert_eq!(bench.session.document().nodes["look"].at, before.nodes["look"].at);
    bench.session.undo();
    assert_eq!(*bench.session.document(), before);
    bench.click(pos2(1190.0, 790.0));
    assert!(bench.session.selection.nodes.is_empty());
}

#[test]
fn the_wheel_zooms_at_the_pointer_and_leaves_the_document_alone() {
    let mut bench = Bench::new(fluid());
    let at = bench.title("jet");
    bench.frame(vec![Event::PointerMoved(at)]);
    let unit = egui::MouseWheelUnit::Point;
    let wheel = |delta| Event::MouseWheel { unit, delta, phase: egui::TouchPhase::Move, modifiers: Modifiers::NONE };
    let before = bench.canvas.view.zoom;
    for _ in 0..20 {
        bench.frame(vec![wheel(vec2(0.0, -30.0))]);
    }
    assert!(bench.canvas.view.zoom < 0.9 * before);
    // The title lies 8 points below the edge at any zoom.
    assert!(bench.title("jet").distance(at) < 8.0, "{:?} {at:?}", bench.title("jet"));
    assert!(!bench.session.modified());
}

/// Nodes are laid out by these estimates, and wires out of view are drawn by them.
#[test]
fn sizes_are_as_estimated_at_any_zoom() {
    let mut bench = Bench::new(fluid());
    for zoom in [1.0, 0.6, 0.4, 1.7] {
        bench.canvas.view.zoom = zoom;
        bench.frame(Vec::new());
        bench.frame(Vec::new());
        for (name, size) in &bench.canvas.drawn.sizes {
            let signature = &bench.canvas.level.signatures[name];
            let off = (*size - layout::node_size(signature)).abs().max_elem();
            assert!(off < 0.3, "{name} at {zoom}: {size:?} {:?}", layout::node_size(signature));
            // Nodes out of view are not drawn.
            let Some(id) = bench.canvas.drawn.ids.get(name).copied() else { continue };
            let rect = bench.canvas.paint.rects[&id];
            let off = (rect.size() / zoom - *size).abs().max_elem();
            assert!(off < 0.3, "{name} is drawn at {zoom} in {rect:?}");
            let ports = signature.inputs.iter().map(|port| (End::Input, port));
            for (row, (end, port)) in ports.chain(signature.outputs.iter().map(|port| (End::Output, port))).enumerate()
            {
                let at = (bench.canvas.paint.port(id, end, &port.name).unwrap().y - rect.top()) / zoom;
                let off = (at - layout::port_height(row)).abs();
                assert!(off < 0.3, "{name}.{} at {zoom}: {at} {}", port.name, layout::port_height(row));
            }
        }
    }
}

#[test]
fn any_document_is_drawn() {
    let number = |at: &str| format!(r#"(nodes: {{"a": (number: 1, at: {at}), "b": (number: 2, at: (5, 5))}})"#);
    let texts = [
        "()".to_string(),
        r#"(nodes: {"": (output: ()), "in": (state: ""), "a/b": (stage: ""), "x.y": (number: "1 +")})"#.into(),
        r#"(nodes: {"a": (stage: "x", inputs: {"i": "b.o", "": "."}), "b": (stage: "y", inputs: {"i": "a.o"})})"#
            .into(),
        r#"(nodes: {"a": (state: "Grid<f32>", inputs: {"next": "a.value", "init": "gone"}), "t": (teapot: 1)})"#.into(),
        r#"(nodes: {"a": (custom: "nonsense"), "d": (domain: (resolution: [], width: -1, edge: "?"))})"#.into(),
        number("(NaN, 0)"),
        number("(inf, -inf)"),
        number("(1e30, -1e30)"),
    ];
    for text in texts {
        let mut bench = Bench::new(Document::parse(&text).unwrap());
        bench.canvas.frame_all();
        bench.frame(vec![Event::PointerMoved(pos2(600.0, 400.0))]);
        bench.drag(pos2(10.0, 10.0), pos2(1190.0, 790.0));
        bench.canvas.delete(&mut bench.session);
        bench.frame(Vec::new());
        bench.session.undo();
        bench.frame(Vec::new());
    }
}

/// What is open on it would keep the keyboard, and nobody could see or close it.
#[test]
fn a_canvas_without_room_closes_what_is_open_on_it() {
    let mut bench = Bench::new(fluid());
    let at = pos2(600.0, 780.0);
    bench.frame(vec![Event::PointerMoved(at)]);
    for pressed in [true, false] {
        let (button, modifiers) = (PointerButton::Secondary, Modifiers::NONE);
        bench.frame(vec![Event::PointerButton { pos: at, button, pressed, modifiers }]);
    }
    bench.frame(Vec::new());
    bench.canvas.after_frame(&mut bench.session, true);
    assert!(bench.canvas.busy(), "a menu or the palette is open");
    bench.size.y = 0.0;
    bench.frame(Vec::new());
    bench.canvas.after_frame(&mut bench.session, true);
    assert!(!bench.canvas.busy());
}

/// While a wire is dragged, the canvas scrolls near its edges, which may be all of it.
#[test]
fn a_wire_is_dragged_over_a_canvas_of_any_size() {
    let mut bench = Bench::new(fluid());
    let port = bench.port("pressure", End::Output, "pressure");
    bench.frame(vec![Event::PointerMoved(port)]);
    bench.press(port, true);
    bench.frame(vec![Event::PointerMoved(port + vec2(12.0, 0.0))]);
    for width in [600.0, 40.0, 0.0, 1200.0] {
        bench.size.x = width;
        bench.frame(vec![Event::PointerMoved(pos2(20.0, 400.0))]);
        assert!(bench.canvas.state.connection_in_progress.is_some(), "{width}");
    }
    bench.press(pos2(20.0, 400.0), false);
}

/// The colour of a node shows its share of the GPU's time.
#[test]
fn heat_tints_a_node() {
    let ctx = Context::default();
    theme::install(&ctx);
    for theme in [egui::Theme::Dark, egui::Theme::Light] {
        ctx.set_theme(theme);
        let fills = |heat| {
            let view = view::NodeView { heat, ..view::NodeView::new("a", "A", egui::Color32::DARK_BLUE) };
            view.fills(theme::current_in(&ctx), 1.0)
        };
        let red = |heat| i32::from(fills(Some(heat)).0.r()) - i32::from(fills(Some(heat)).0.b());
        assert_eq!(fills(Some(0.0)).0, fills(None).0, "a cold body looks as ever");
        assert!(red(1.0) > red(0.05) && red(0.3) > red(0.05), "{theme:?}");
        assert_eq!(fills(Some(1.0)).1, theme::current_in(&ctx).heat(1.0), "the title of the hottest has its colour");
    }
}
