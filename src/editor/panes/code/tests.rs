//! The pane, driven by events without a window.

mod shared;

use eframe::egui::{Context, Event, Key, Modifiers, PointerButton, Pos2, RawInput, Rect, Theme, UiBuilder, pos2, vec2};
use egui_kittest::kittest::Queryable;
use egui_kittest::{Harness, LazyRenderer};

use super::*;
use crate::document::Document;
use crate::gpu::{Gpu, GpuOptions};
use crate::model::device::device_setup;
use crate::model::disk;
use crate::problem::SourcePlace;
use stagewright_test_support::renderer::Renderer;

const FADE: &str = "//! Fade\n//! @inout field: Grid<f32> = 1   What fades\n//! @param rate: f32 = 0.5   How fast\n\nfn stage(cell: Cell) -> f32 {\n    return field(cell) * params.rate;\n}\n";

fn graph() -> Document {
    let text = format!(
        r##"(version: 1, nodes: {{
            "box": (domain: (resolution: (8, 8), width: 1, edge: "clamp")),
            "fade": (custom: r#"{FADE}"#, params: {{"rate": 0.25}}),
            "soft": (stage: "filter/gaussian", inputs: {{"field": "fade.field"}}, params: {{"radius": 2}}),
            "look": (stage: "view/color_map", inputs: {{"field": "fade.field"}}),
            "screen": (output: (), inputs: {{"image": "look.image"}}),
        }})"##
    );
    Document::parse(&text).unwrap()
}

fn session(node: &str) -> Session {
    let mut session = Session::new(Gpu::new(&GpuOptions::default()).unwrap(), || {});
    session.open(graph(), None);
    wait_until_compiled(&mut session);
    session.selection.nodes = std::iter::once(node.to_string()).collect();
    session
}

fn wait_until_compiled(session: &mut Session) {
    while session.compiling() {
        std::thread::sleep(std::time::Duration::from_millis(2));
        session.poll();
    }
}

struct Bench {
    ctx: Context,
    session: Session,
    code: Code,
    time: f64,
}

impl Bench {
    fn new(node: &str) -> Bench {
        let ctx = Context::default();
        theme::install(&ctx);
        let mut bench = Bench { ctx, session: session(node), code: Code::default(), time: 0.0 };
        (0..3).for_each(|_| bench.frame(Vec::new()));
        bench
    }

    /// A frame, as the window has it.
    fn frame(&mut self, events: Vec<Event>) {
        self.time += 1.0 / 60.0;
        let screen = Rect::from_min_size(Pos2::ZERO, vec2(900.0, 400.0));
        let input = RawInput { screen_rect: Some(screen), time: Some(self.time), events, ..RawInput::default() };
        let (session, code) = (&mut self.session, &mut self.code);
        let output = self.ctx.run_ui(input, |ui| {
            code.tick(&ui.ctx().clone(), session);
            session.poll();
            let mut ui = ui.new_child(UiBuilder::new().max_rect(screen));
            code.draw(&mut ui, session, &mut Actions::new()).unwrap();
            if !ui.ctx().egui_wants_keyboard_input() {
                session.end_gesture();
            }
        });
        drop(self.ctx.tessellate(output.shapes, output.pixels_per_point));
    }

    fn wait(&mut self, seconds: f64) {
        self.time += seconds;
        self.frame(Vec::new());
    }

    /// Puts the caret behind a part of the text.
    fn caret(&mut self, behind: &str) {
        let before = self.text().split(behind).next().unwrap().to_string() + behind;
        let line = before.split('\n').count();
        let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
        self.code.show_place(SourcePlace { line, column });
        (0..2).for_each(|_| self.frame(Vec::new()));
    }

    fn press(&mut self, key: Key, modifiers: Modifiers) {
        self.frame(vec![press(key, modifiers)]);
        self.frame(Vec::new());
    }

    fn write(&mut self, text: &str) {
        self.frame(vec![Event::Text(text.into())]);
    }

    fn text(&self) -> String {
        self.code.open.as_ref().unwrap().1.now.clone()
    }

    fn kept(&self) -> String {
        let NodeKind::Custom(source) = &self.session.document().nodes["fade"].kind else { panic!("no text") };
        source.clone()
    }
}

fn press(key: Key, modifiers: Modifiers) -> Event {
    Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers }
}

#[test]
fn what_is_typed_is_compiled_when_the_keys_rest() {
    let mut bench = Bench::new("fade");
    let plans = bench.session.plans();
    bench.caret("params.rate");
    bench.write(" * 0.5");
    assert!(bench.text().contains("params.rate * 0.5;") && bench.kept() == FADE, "not while keys are pressed");
    bench.wait(0.2);
    assert_eq!(bench.kept(), FADE);
    bench.wait(0.11);
    assert_eq!(bench.kept(), bench.text());
    wait_until_compiled(&mut bench.session);
    assert_eq!((bench.session.plans(), bench.session.problems().count()), (plans + 1, 0));
    let plan = bench.session.running_simulation().unwrap().plan().to_text_with_wgsl();
    // In a shared kernel, its parameters have another name.
    assert!(plan.contains("rate * 0.5;"));
    assert_eq!(bench.session.document().nodes["fade"].params.len(), 1, "values stay");
}

#[test]
fn what_was_just_typed_is_not_lost() {
    let mut bench = Bench::new("fade");
    bench.caret("params.rate");
    bench.write(" + 1.0");
    bench.code.flush(&mut bench.session);
    assert!(bench.kept().contains("params.rate + 1.0;"), "as a command does");
    bench.write(" + 2.0");
    bench.session.selection.nodes = std::iter::once("look".to_string()).collect();
    bench.frame(Vec::new());
    assert!(bench.kept().contains("+ 1.0 + 2.0;"), "as selecting another node does");
    bench.session.selection.nodes = std::iter::once("fade".to_string()).collect();
    bench.frame(Vec::new());
    bench.caret("2.0");
    bench.write(" + 3.0");
    let code = &mut bench.code;
    bench.ctx.memory_mut(|memory| memory.surrender_focus(id(&TextPlace::Node("fade".into()))));
    code.tick(&bench.ctx, &mut bench.session);
    assert!(bench.kept().contains("+ 3.0;"), "as leaving the text does, even if the pane is out of sight then");
}

#[test]
fn typing_without_a_pause_is_one_step_of_the_history() {
    let mut bench = Bench::new("fade");
    bench.caret("params.rate");
    for part in [" +", " 1.", "0"] {
        bench.write(part);
        bench.wait(1.0);
    }
    let first = bench.kept();
    bench.wait(3.0);
    bench.write(" + 2.0");
    bench.wait(0.5);
    let second = bench.kept();
    assert!(first.contains("rate + 1.0;") && second.contains("rate + 1.0 + 2.0;"), "{second}");
    bench.press(Key::Z, Modifiers::COMMAND);
    assert_eq!((bench.kept(), bench.text()), (first.clone(), first.clone()));
    bench.press(Key::Z, Modifiers::COMMAND);
    assert_eq!((bench.kept(), bench.text()), (FADE.into(), FADE.into()));
    assert!(!bench.session.history().can_undo());
    bench.press(Key::Y, Modifiers::COMMAND);
    bench.press(Key::Z, Modifiers::COMMAND | Modifiers::SHIFT);
    assert_eq!((bench.kept(), bench.text()), (second.clone(), second));
    // The caret is where the text changed.
    bench.write("!");
    assert!(bench.text().contains("+ 2.0!;"), "{}", bench.text());
}

#[test]
fn keys_of_one_frame_take_effect_in_their_order() {
    let mut bench = Bench::new("fade");
    bench.caret("params.rate;");
    let text = |text: &str| Event::Text(text.into());
    let (enter, tab) = (press(Key::Enter, Modifiers::NONE), press(Key::Tab, Modifiers::NONE));
    bench.frame(vec![text("a {"), enter.clone(), text("b"), tab, text("c"), enter, text("d")]);
    (0..6).for_each(|_| bench.frame(Vec::new()));
    assert!(bench.text().contains("params.rate;a {\n        b   c\n        d\n"), "{}", bench.text());
    bench.press(Key::Tab, Modifiers::SHIFT);
    bench.press(Key::Slash, Modifiers::COMMAND);
    assert!(bench.text().contains("\n    // d\n"), "{}", bench.text());
}

#[test]
fn words_are_completed_while_they_are_typed() {
    let mut bench = Bench::new("fade");
    bench.caret("    return field(cell) * ");
    bench.write("f");
    assert!(!bench.code.field.lists(), "one letter is not enough");
    bench.write("i");
    assert!(bench.code.field.lists());
    bench.press(Key::ArrowDown, Modifiers::NONE);
    bench.press(Key::Tab, Modifiers::NONE);
    assert!(bench.text().contains("* field_at(params.rate;") && !bench.code.field.lists(), "{}", bench.text());
    bench.write("x) * ");
    bench.caret("field_at(x) * params.");
    assert!(!bench.code.field.lists(), "the caret went there by itself");
    bench.press(Key::Space, Modifiers::CTRL);
    assert!(bench.code.field.lists());
    bench.press(Key::Escape, Modifiers::NONE);
    assert!(!bench.code.field.lists());
    bench.write("// an");
    assert!(!bench.code.field.lists(), "a comment");
    bench.press(Key::Enter, Modifiers::NONE);
    bench.write("fra");
    bench.press(Key::ArrowLeft, Modifiers::NONE);
    assert!(!bench.code.field.lists(), "the caret left the word");
    bench.press(Key::Tab, Modifiers::NONE);
    assert!(bench.text().contains("\n    fr  arate;"), "Tab indents again: {}", bench.text());
    bench.caret("//! @inout field: Grid<f32> = 1");
    bench.write(", op");
    bench.press(Key::Enter, Modifiers::NONE);
    assert!(bench.text().contains("= 1, open   What"), "{}", bench.text());
}

#[test]
fn a_list_takes_its_keys_in_their_order_and_what_it_writes_is_undone() {
    let mut bench = Bench::new("fade");
    bench.caret("params.rate;");
    let text = |text: &str| Event::Text(text.into());
    let [enter, tab, down, up] =
        [Key::Enter, Key::Tab, Key::ArrowDown, Key::ArrowUp].map(|key| press(key, Modifiers::NONE));
    let keys =
        vec![enter.clone(), text("fra"), tab, text("."), down.clone(), down, up, enter.clone(), text(";"), enter];
    bench.frame(keys);
    (0..10).for_each(|_| bench.frame(Vec::new()));
    assert!(bench.text().contains("params.rate;\n    frame.dt;\n    \n"), "{}", bench.text());
    bench.press(Key::ArrowUp, Modifiers::NONE);
    bench.write("!");
    assert!(bench.text().contains("\n    !frame.dt;"), "arrows move the caret again: {}", bench.text());
    bench.press(Key::Z, Modifiers::COMMAND);
    assert_eq!((bench.text(), bench.kept()), (FADE.into(), FADE.into()));
}

#[test]
fn a_mistake_is_marked_where_it_stands_and_the_last_good_version_runs_on() {
    let mut bench = Bench::new("fade");
    let plans = bench.session.plans();
    bench.caret("field(cell)");
    bench.write(" * speed");
    bench.wait(0.5);
    wait_until_compiled(&mut bench.session);
    bench.frame(Vec::new());
    let (place, text) = bench.code.open.as_ref().unwrap();
    let marks = marks(place, text, &bench.session, &subject(&bench.session).unwrap());
    let [mark] = &marks[..] else { panic!("{marks:?}") };
    let at = mark.place.unwrap();
    let line = text.now.lines().nth(at.line - 1).unwrap();
    let marked: String = line.chars().skip(at.column - 1).take(5).collect();
    assert_eq!((at.line, marked.as_str(), mark.error), (6, "speed", true), "{mark:?}");
    assert_eq!(field::columns(line, at.column), at.column - 1..at.column + 4);
    assert!(bench.session.broken() && bench.session.plans() == plans && bench.session.running_simulation().is_some());
    // Back to a valid text.
    bench.press(Key::Z, Modifiers::COMMAND);
    wait_until_compiled(&mut bench.session);
    bench.frame(Vec::new());
    assert_eq!(bench.session.problems().count(), 0);
}

#[test]
fn every_kind_of_mistake_has_its_line() {
    let session = session("fade");
    for (from, to, line, marked) in [
        ("@param rate", "@param rate rate", 3, "//! @param rate rate: f32 = 0.5   How fast"),
        ("@param", "@parm", 3, "//! @parm rate: f32 = 0.5   How fast"),
        ("params.rate", "params.speed", 6, "speed"),
        ("field(cell) *", "/* πœ */ field(cell) * speed *", 6, "speed"),
        ("return field", "return feld", 6, "feld"),
        ("}\n", "", 5, "{"),
    ] {
        let text = FADE.replacen(from, to, 1);
        let mut document = graph();
        document.nodes.get_mut("fade").unwrap().kind = NodeKind::Custom(text.clone());
        let graph = crate::graph::Graph::build(&document, session.library());
        let plan = graph.and_then(|graph| crate::plan::Plan::compile(&graph, &crate::plan::PlanOptions::default()));
        let problems = plan.unwrap_err();
        let at = problems.0.iter().find_map(|problem| problem.place).unwrap();
        let written = text.lines().nth(at.line - 1).unwrap_or_default();
        let columns = field::columns(written, at.column);
        let word: String = written.chars().skip(columns.start).take(columns.len()).collect();
        assert_eq!((at.line, word.as_str()), (line, marked), "{to}: {problems}");
    }
}

#[test]
fn a_built_in_made_mine_is_the_same_stage() {
    let mut bench = Bench::new("look");
    let before = bench.session.document().nodes["look"].clone();
    let library = bench.session.library().clone();
    bench.write("not editable");
    assert_eq!(bench.text(), library.stage("view/color_map").unwrap().own_text());
    bench.session.edit("make local copy", |document| {
        edit::make_local_copy(document, &Scope::default(), "look", &library).unwrap()
    });
    wait_until_compiled(&mut bench.session);
    assert_eq!(bench.session.problems().map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
    let after = &bench.session.document().nodes["look"];
    assert_eq!((&after.inputs, &after.params), (&before.inputs, &before.params));
    assert_eq!(after.kind, NodeKind::Custom(library.stage("view/color_map").unwrap().own_text().to_string()));
}

#[test]
fn a_click_below_the_text_is_into_it_and_a_press_elsewhere_takes_the_keyboard_away() {
    let mut bench = Bench::new("fade");
    let focused = |bench: &Bench| bench.ctx.memory(|memory| memory.focused().is_some());
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    let below = pos2(300.0, bench.ctx.content_rect().bottom() - 30.0);
    bench.frame(vec![Event::PointerMoved(below)]);
    for pressed in [true, false] {
        bench.frame(vec![button(below, pressed)]);
    }
    assert!(focused(&bench));
    bench.write("// end");
    assert!(bench.text().trim_end().ends_with("// end"), "{}", bench.text());
    // A drag begins elsewhere: in the bar above the text.
    let above = pos2(600.0, 4.0);
    bench.frame(vec![Event::PointerMoved(above)]);
    bench.frame(vec![button(above, true)]);
    bench.frame(vec![Event::PointerMoved(below)]);
    assert!(!focused(&bench));
    let before = bench.text();
    bench.write("x");
    assert_eq!(bench.text(), before);
}

#[test]
fn a_file_is_written_when_it_is_saved_and_a_draft_is_kept_until_then() {
    let folder = std::env::temp_dir().join(format!("stagewright-code-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("own")).unwrap();
    let path = folder.join("own/fade.wgsl");
    std::fs::write(&path, FADE).unwrap();
    let mut bench = Bench::new("fade");
    bench.session.use_stages(folder.clone());
    bench.session.edit("name", |document| {
        document.nodes.get_mut("fade").unwrap().kind = NodeKind::Stage("own/fade".into());
    });
    wait_until_compiled(&mut bench.session);
    bench.frame(Vec::new());
    bench.caret("params.rate");
    bench.write(" * 0.5");
    bench.wait(1.0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), FADE, "not before it is saved");
    bench.session.selection.nodes = std::iter::once("look".to_string()).collect();
    bench.frame(Vec::new());
    assert_eq!(bench.session.drafts().keys().collect::<Vec<_>>(), [&path]);
    assert!(bench.session.unsaved() && bench.session.drafts()[&path].text.contains("* 0.5"));
    assert_eq!(bench.code.focused_file(&bench.ctx), None, "the keyboard is elsewhere");
    bench.session.selection.nodes = std::iter::once("fade".to_string()).collect();
    bench.frame(Vec::new());
    bench.caret("* 0.5");
    assert_eq!(bench.code.focused_file(&bench.ctx), Some(path.clone()));
    let text = bench.text();
    disk::save_stage(&path, &text).unwrap();
    bench.session.mark_stage_saved(&path, &text);
    bench.code.mark_saved(&path, &text);
    bench.frame(Vec::new());
    assert!(bench.session.drafts().is_empty());
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.contains("params.rate * 0.5;") && written == bench.text());
    // What is saved is what runs, a moment later.
    let runs = |session: &Session| {
        session.running_simulation().is_some_and(|s| s.plan().to_text_with_wgsl().contains("rate * 0.5;"))
    };
    let since = std::time::Instant::now();
    while !runs(&bench.session) {
        assert!(since.elapsed().as_secs() < 20, "the change never came");
        bench.wait(0.01);
    }
    assert_eq!(bench.text(), written);
    // A draft and a change elsewhere: the draft stays, and the change is reported.
    bench.write(" ");
    std::fs::write(&path, FADE.replace("0.5", "0.75")).unwrap();
    while !bench.code.open.as_ref().unwrap().1.overtaken {
        assert!(since.elapsed().as_secs() < 40, "the other change never came");
        bench.wait(0.01);
    }
    assert!(bench.text().contains("* 0.5 "));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn nothing_that_is_pressed_breaks_the_pane() {
    let mut bench = Bench::new("fade");
    let mut seed = 3u64;
    let mut random = |end: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % end
    };
    let keys = [
        Key::Tab,
        Key::Enter,
        Key::Slash,
        Key::Z,
        Key::Y,
        Key::Backspace,
        Key::Delete,
        Key::ArrowUp,
        Key::ArrowDown,
        Key::ArrowLeft,
        Key::ArrowRight,
        Key::Home,
        Key::End,
        Key::A,
    ];
    let modifiers = [Modifiers::NONE, Modifiers::SHIFT, Modifiers::COMMAND, Modifiers::COMMAND | Modifiers::SHIFT];
    let texts = ["{", "//!", "π", "@in x: Grid<f32>  a", "/*", "\t", "loop {}", "🦀"];
    for frame in 0..400 {
        let mut events = Vec::new();
        for _ in 0..random(4) {
            events.push(match random(3) {
                0 => Event::Text(texts[random(texts.len())].into()),
                1 => Event::Paste(texts[random(texts.len())].repeat(2) + "\n"),
                _ => press(keys[random(keys.len())], modifiers[random(modifiers.len())]),
            });
        }
        bench.frame(events);
        if frame % 40 == 0 {
            let place = SourcePlace { line: random(30), column: random(90) };
            bench.code.show_place(place);
            bench.wait(1.0);
        }
    }
    bench.wait(1.0);
    assert_eq!(bench.text(), bench.kept());
}

#[test]
fn a_long_text_costs_little() {
    let mut bench = Bench::new("fade");
    let line = "    // let a = max(field(cell), params.rate) * 2.0;\n    a += 1.0;\n";
    let long = FADE.replace("    return", &format!("    var a = 0.0;\n{}    return", line.repeat(1000)));
    bench.session.edit("long", |document| document.nodes.get_mut("fade").unwrap().kind = NodeKind::Custom(long));
    bench.caret("var a = 0.0;");
    let mut times: Vec<f64> = (0..40)
        .map(|index| {
            let since = std::time::Instant::now();
            if index % 2 == 0 {
                bench.frame(Vec::new())
            } else {
                bench.write("x")
            }
            since.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    let (still, typed): (Vec<_>, Vec<_>) = times.drain(..).enumerate().partition(|(index, _)| index % 2 == 0);
    let median = |mut times: Vec<(usize, f64)>| {
        times.sort_by(|a, b| a.1.total_cmp(&b.1));
        times[times.len() / 2].1
    };
    let (still, typed) = (median(still), median(typed));
    println!("2,000 lines: {still:.1} ms a frame, {typed:.1} ms with a key pressed");
    assert!(still < 100.0 && typed < 300.0, "in a debug build");
}

#[test]
fn a_row_of_the_list_can_be_clicked() {
    let mut harness = pane("fade", Theme::Dark);
    harness.run();
    harness.state_mut().0.show_place(SourcePlace { line: 6, column: 12 });
    harness.run_steps(3);
    harness.event(Event::Text("po".into()));
    harness.run_steps(3);
    harness.get_by_label("pow(x, y)");
    harness.get_by_label("position(cell)").click();
    harness.run_steps(3);
    let focused = harness.ctx.memory(|memory| memory.has_focus(id(&TextPlace::Node("fade".into()))));
    let (code, _) = harness.state();
    let text = &code.open.as_ref().unwrap().1.now;
    assert!(text.contains("return position(field(cell)"), "{text}");
    assert!(focused && !code.field.lists(), "focused {focused}, lists {}", code.field.lists());
}

fn pane<'a>(node: &str, theme: Theme) -> Harness<'a, (Code, Session)> {
    let draw = move |ui: &mut Ui, (code, session): &mut (Code, Session)| {
        session.poll();
        code.tick(&ui.ctx().clone(), session);
        code.draw(ui, session, &mut Actions::new()).unwrap();
    };
    let harness = Harness::builder()
        .with_size(vec2(700.0, 300.0))
        .with_theme(theme)
        .renderer(LazyRenderer::new(|| Renderer::new(device_setup())));
    let harness = harness.build_ui_state(draw, (Code::default(), session(node)));
    theme::install(&harness.ctx);
    harness.ctx.set_theme(theme);
    harness
}

fn looks_right_and_is_found_by_its_names(theme: Theme, name: &str) {
    let mut harness = pane("look", theme);
    harness.run();
    harness.get_by_label("Make local copy").click();
    harness.run();
    harness.remove_cursor();
    let session = &mut harness.state_mut().1;
    wait_until_compiled(session);
    assert!(matches!(session.document().nodes["look"].kind, NodeKind::Custom(_)));
    session.selection.nodes = std::iter::once("fade".to_string()).collect();
    session.edit("mistake", |document| {
        let wrong = FADE.replace("field(cell) *", "field(cell) * speed *");
        document.nodes.get_mut("fade").unwrap().kind = NodeKind::Custom(wrong);
    });
    wait_until_compiled(session);
    harness.run();
    harness.get_by_label("Errors: running the last valid version");
    harness.snapshot(name);
    harness.get_by_label("Line 6:26").click();
    harness.run_steps(4);
    assert!(harness.ctx.memory(|memory| memory.has_focus(id(&TextPlace::Node("fade".into())))));
    let text = harness.get_by_role_and_label(egui::accesskit::Role::MultilineTextInput, "WGSL of fade");
    assert!(text.value().is_some_and(|text| text.contains("* speed *")));
}

#[test]
fn the_pane_in_the_dark() {
    looks_right_and_is_found_by_its_names(Theme::Dark, "code_dark");
}

#[test]
fn the_pane_in_the_light() {
    looks_right_and_is_found_by_its_names(Theme::Light, "code_light");
}
