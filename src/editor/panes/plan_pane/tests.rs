//! The plan pane, driven by events without a window, on the largest graph that ships.

use std::collections::BTreeSet;
use std::time::Instant;

use eframe::egui::{Context, Event, FullOutput, Modifiers, PointerButton, Pos2, RawInput, Rect, UiBuilder, pos2, vec2};

use super::rows::{Fold, Row, Shape};
use super::*;
use crate::commands::action::{self, Action};
use crate::document::Document;
use crate::gpu::{Gpu, GpuOptions};
use crate::sim::FrameInput;

struct Bench {
    ctx: Context,
    session: Session,
    pane: PlanPane,
    actions: Actions,
    time: f64,
    /// Time between two frames [s].
    pace: f64,
}

impl Bench {
    fn new(text: &str) -> Bench {
        let mut session = Session::new(Gpu::new(&GpuOptions::default()).unwrap(), || {});
        session.open(Document::parse(text).unwrap(), None);
        while session.compiling() {
            std::thread::sleep(std::time::Duration::from_millis(2));
            session.poll();
        }
        assert_eq!(session.problems().map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
        let ctx = Context::default();
        theme::install(&ctx);
        Bench { ctx, session, pane: PlanPane::default(), actions: Actions::new(), time: 0.0, pace: 1.0 / 60.0 }
    }

    fn frame(&mut self, events: Vec<Event>) -> FullOutput {
        let screen = Rect::from_min_size(Pos2::ZERO, vec2(1500.0, 600.0));
        self.time += self.pace;
        let input = RawInput { screen_rect: Some(screen), events, time: Some(self.time), ..RawInput::default() };
        let session = &mut self.session;
        let pane = &mut self.pane;
        let actions = &mut self.actions;
        let output = self.ctx.run_ui(input, |ui| {
            let mut ui = ui.new_child(UiBuilder::new().max_rect(screen));
            pane.draw(&mut ui, session, actions);
        });
        self.pane.after_frame(&mut self.session, true);
        output
    }

    fn step(&mut self, count: usize) {
        for _ in 0..count {
            self.session.simulation().unwrap().step(&FrameInput::default()).unwrap();
            self.session.gpu().wait();
        }
        self.session.simulation().unwrap().times(true);
    }

    fn click(&mut self, at: Pos2) {
        let button = |pressed| Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        self.frame(vec![Event::PointerMoved(at)]);
        self.frame(vec![button(true)]);
        self.frame(vec![button(false)]);
        self.frame(Vec::new());
    }

    fn find(&self, shape: Shape, path: &str) -> (usize, Row) {
        let found = self.pane.rows.rows.iter().enumerate().find(|(_, row)| row.shape == shape && row.path == path);
        found.map(|(index, row)| (index, row.clone())).unwrap_or_else(|| panic!("no {shape:?} `{path}`"))
    }

    /// Where a text is drawn.
    fn place(&mut self, text: &str) -> Pos2 {
        let output = self.frame(Vec::new());
        let found = output.shapes.iter().find_map(|clipped| match &clipped.shape {
            egui::Shape::Text(shape) if shape.galley.text().starts_with(text) => Some(shape.visual_bounding_rect()),
            _ => None,
        });
        found.unwrap_or_else(|| panic!("`{text}` is not to be seen")).center()
    }

    fn turn(&mut self, shape: Shape, path: &str) {
        let fold = self.find(shape, path).1.fold;
        if !self.pane.turned.remove(&fold) {
            self.pane.turned.insert(fold);
        }
        self.pane.stale = true;
        self.frame(Vec::new());
    }
}

/// The texts that are drawn.
fn texts(output: &FullOutput) -> Vec<String> {
    let text = |clipped: &egui::epaint::ClippedShape| match &clipped.shape {
        egui::Shape::Text(shape) if clipped.clip_rect.intersects(shape.visual_bounding_rect()) => {
            Some(shape.galley.text().to_string())
        }
        _ => None,
    };
    output.shapes.iter().filter_map(text).collect()
}

fn clock() -> Bench {
    Bench::new(&stagewright_graphs::EXAMPLES.text("oil_clock.ron").unwrap())
}

#[test]
fn the_clocks_dispatches_are_all_there_folded_and_unfolded() {
    let mut bench = clock();
    bench.frame(Vec::new());
    let plan = bench.session.running_simulation().unwrap().plan().clone();
    let count = |bench: &Bench| bench.pane.rows.rows.len();
    let leaves = |bench: &Bench| {
        let rows = bench.pane.rows.rows.iter();
        rows.filter(|row| row.list == List::Frame && row.shape == Shape::Dispatch).count()
    };
    let closed = count(&bench);
    // Opened until nothing is closed: then every dispatch has a row, once, in its order.
    for _ in 0..8 {
        let closed: Vec<Fold> =
            bench.pane.rows.rows.iter().filter(|r| r.shape != Shape::Dispatch && !r.open).map(|r| r.fold).collect();
        bench.pane.turned.extend(closed.iter().filter(|(list, first)| *list != List::Frame || first.is_some()));
        bench.pane.stale = true;
        bench.frame(Vec::new());
    }
    println!("{} dispatches: {closed} rows folded, {} unfolded", plan.frame.len(), count(&bench));
    assert!(closed * 4 < plan.frame.len(), "repeats are folded");
    assert_eq!(leaves(&bench), plan.frame.len());
    for list in LISTS {
        let rows = bench.pane.rows.rows.iter().filter(|row| row.list == list && row.shape == Shape::Dispatch);
        let order: Vec<usize> = rows.flat_map(|row| bench.pane.rows.items(row).to_vec()).collect();
        assert_eq!(order, (0..rows::dispatches(&plan, list).len()).collect::<Vec<_>>(), "{list:?}");
    }
    // Each row names its node.
    for row in bench.pane.rows.rows.iter().filter(|row| row.shape == Shape::Dispatch) {
        let dispatch = &rows::dispatches(&plan, row.list)[bench.pane.rows.items(row)[0]];
        assert!(dispatch.node == row.path && row.path.ends_with(&row.name), "{row:?}");
    }
}

#[test]
fn times_of_rows_add_up_and_sort() {
    let mut bench = clock();
    bench.frame(Vec::new());
    bench.step(4);
    bench.pace = 1.0;
    if bench.session.simulation().unwrap().times(true).is_none() {
        println!("no timestamps");
        return;
    }
    (bench.pane.by_time, bench.pane.stale) = (true, true);
    bench.frame(Vec::new());
    assert_eq!(
        bench.pane.means[List::Frame as usize].len(),
        bench.session.running_simulation().unwrap().plan().frame.len()
    );
    let outer = |bench: &Bench| -> Vec<f64> {
        let rows = bench.pane.rows.rows.iter().zip(&bench.pane.row_ms);
        rows.filter(|(row, _)| row.list == List::Frame && row.depth == 1).map(|(_, ms)| *ms).collect()
    };
    let times = outer(&bench);
    let sum: f64 = times.iter().sum();
    println!("{:.3} ms a frame, the first rows {:?}", bench.pane.total, &times[..3]);
    assert!((sum - bench.pane.total).abs() < 1e-9 * sum && sum > 0.0, "{sum}, {}", bench.pane.total);
    assert!(times.is_sorted_by(|a, b| a >= b), "the longest first");
    assert!(times.iter().all(|ms| *ms >= 0.0));
    // Rows do not change places under the pointer.
    bench.frame(vec![Event::PointerMoved(pos2(200.0, 200.0))]);
    let before = bench.pane.sorted;
    (0..4).for_each(|_| drop(bench.frame(Vec::new())));
    assert_eq!(bench.pane.sorted, before);
    bench.frame(vec![Event::PointerGone]);
    (0..4).for_each(|_| drop(bench.frame(Vec::new())));
    assert!(bench.pane.sorted > before, "they do again");
    // When the pane is hidden, the frame's figures stay, and single dispatches are no longer timed.
    bench.pane.after_frame(&mut bench.session, true);
    assert_eq!(bench.session.running_simulation().unwrap().profiling(), Profile::Nodes);
    bench.frame(Vec::new());
    assert_eq!(bench.session.running_simulation().unwrap().profiling(), Profile::Dispatches);
}

#[test]
fn rows_and_nodes_tell_of_each_other() {
    let mut bench = clock();
    bench.frame(Vec::new());
    let mut runs = bench.pane.rows.rows.iter().filter(|row| row.list == List::Frame && row.shape == Shape::Run);
    let row = runs.next().unwrap().clone();
    let inner = row.path.rsplit('/').next().unwrap().to_string();
    let at = bench.place(&row.name);
    bench.frame(vec![Event::PointerMoved(at)]);
    bench.frame(Vec::new());
    assert_eq!(bench.session.hovered(), Some(row.path.as_str()));
    assert!(
        bench.session.scope().is_root() && bench.session.selection.nodes.is_empty(),
        "to rest on it opens no group"
    );
    bench.click(at);
    assert_eq!(bench.session.selection.nodes, BTreeSet::from([inner]));
    assert_eq!(bench.actions, [Action::Reveal], "the canvas is asked to show it");
    bench.frame(vec![Event::PointerGone]);
    bench.frame(Vec::new());
    assert_eq!(bench.session.hovered(), None);
    // The triangle unfolds.
    let rows = bench.pane.rows.rows.len();
    bench.click(pos2(at.x.min(80.0), at.y));
    assert!(bench.pane.rows.rows.len() > rows, "{rows} rows before and after");
    // A selection that comes from elsewhere is scrolled to.
    let last = bench.pane.rows.rows.last().unwrap().clone();
    let hidden = bench.frame(Vec::new());
    assert!(!texts(&hidden).contains(&last.name), "{} is below what can be seen", last.name);
    assert_eq!(action::go_to(&mut bench.session, &last.path), Some(Action::Reveal));
    bench.pace = 0.5;
    (0..4).for_each(|_| drop(bench.frame(Vec::new())));
    let shown = bench.frame(Vec::new());
    assert!(texts(&shown).contains(&last.name), "{}", last.name);
}

#[test]
fn the_filter_finds_stages_wires_and_domains() {
    let mut bench = clock();
    bench.frame(Vec::new());
    let plan = bench.session.running_simulation().unwrap().plan().clone();
    let name = plan.kernels[plan.frame[20].kernel].name.clone();
    bench.pane.filter = name.to_uppercase();
    bench.pane.stale = true;
    bench.frame(Vec::new());
    let hits = &bench.pane.rows.hits[List::Frame as usize];
    println!("`{name}`: {} of {}", hits.len(), plan.frame.len());
    assert!(hits.contains(&20) && hits.len() < plan.frame.len());
    let leaves = bench.pane.rows.rows.iter().filter(|r| r.list == List::Frame && r.shape == Shape::Dispatch);
    assert_eq!(leaves.count(), hits.len(), "what was found is unfolded");
    bench.pane.filter = "nothing is called this".into();
    bench.pane.stale = true;
    bench.frame(Vec::new());
    assert!(bench.pane.rows.rows.iter().all(|row| row.shape == Shape::Section));
}

#[test]
fn every_dispatch_can_say_which_wires_it_binds() {
    let bench = clock();
    let plan = bench.session.running_simulation().unwrap().plan();
    for list in LISTS {
        for (index, dispatch) in rows::dispatches(plan, list).iter().enumerate() {
            let uses = buffers::uses(plan, list, index);
            assert_eq!(uses.len(), dispatch.buffers.len());
            assert!(uses.iter().all(|one| !one.wire.is_empty()));
            // What it writes is its own wire, in a frame.
            let is_own_wire =
                |wire: &str| wire.starts_with(&dispatch.node) || plan.states.iter().any(|s| s.node == wire);
            let written = uses.iter().filter(|one| one.writes);
            assert!(
                list == List::Reset || written.clone().any(|one| is_own_wire(&one.wire)),
                "{index} {}",
                dispatch.node
            );
        }
    }
    for (index, buffer) in plan.buffers.iter().enumerate() {
        let end = |last: Option<usize>| last.unwrap_or(usize::MAX);
        let turns = buffer.holds.windows(2).all(|pair| end(pair[0].last) <= pair[1].first.unwrap_or(0));
        assert!(turns, "b{index}: one after the other, {:?}", buffer.holds);
    }
}

#[test]
fn a_budget_that_is_chosen_holds_for_the_next_plan() {
    let mut bench = Bench::new(&stagewright_graphs::TEMPLATES.text("waves.ron").unwrap());
    bench.pane.memory = true;
    assert!(texts(&bench.frame(Vec::new())).iter().any(|text| text.ends_with("(automatic)")));
    let mut problems = |limit: Option<u64>| {
        bench.session.limit_memory(limit);
        while bench.session.compiling() {
            std::thread::sleep(std::time::Duration::from_millis(2));
            bench.session.poll();
        }
        bench.session.problems().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let refused = problems(Some(1 << 10));
    assert!(refused.contains("(set by the user) and the adapter has "), "{refused}");
    assert_eq!(problems(None), "");
    bench.session.limit_memory(Some(8 << 30));
    assert!(texts(&bench.frame(Vec::new())).contains(&"8.0 GiB".to_string()));
}

#[test]
fn the_memory_is_drawn() {
    let mut bench = clock();
    bench.pane.memory = true;
    (0..3).for_each(|i| drop(bench.frame(vec![Event::PointerMoved(pos2(900.0, 120.0 + 20.0 * i as f32))])));
}

/// A plan of over 5,000 dispatches, all rows unfolded.
#[test]
fn five_thousand_rows_stay_smooth() {
    let mut bench = Bench::new(
        r#"(version: 1, nodes: {
            "domain": (domain: (resolution: (16, 16), width: 1, edge: "wall")),
            "field": (state: "Grid<f32>", inputs: {"next": "fade.field"}),
            "fade": (stage: "fluid/diffuse", inputs: {"before": "field.value", "field": "field.value"}, iterations: 2600),
            "look": (stage: "view/color_map", inputs: {"field": "fade.field"}),
            "screen": (output: (), inputs: {"image": "look.image"}),
        })"#,
    );
    bench.frame(Vec::new());
    bench.turn(Shape::Run, "fade");
    assert!(bench.pane.rows.rows.len() > 5000);
    bench.step(2);
    let mut times: Vec<f64> = (0..41)
        .map(|_| {
            let started = Instant::now();
            let output = bench.frame(Vec::new());
            drop(bench.ctx.tessellate(output.shapes, output.pixels_per_point));
            started.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (median, worst) = (times[20], times[40]);
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    println!(
        "{} rows: {median:.2} ms a frame of the pane, the worst of 41 {worst:.2} ms ({build} build)",
        bench.pane.rows.rows.len()
    );
    // Without virtual rows a debug build takes over a second.
    assert!(median < if cfg!(debug_assertions) { 60.0 } else { 4.0 }, "{median} ms");
}

#[test]
fn columns_are_as_wide_as_they_are_dragged() {
    let mut bench = clock();
    bench.frame(Vec::new());
    let before = bench.place("Stage");
    // The stage's column begins behind five others.
    let edge = pos2(54.0 + 210.0 + 134.0 + 66.0 + 112.0, before.y);
    let button = |pos, pressed| {
        let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
        vec![Event::PointerButton { pos, button, pressed, modifiers }]
    };
    let to = edge + egui::vec2(60.0, 0.0);
    for events in
        [vec![Event::PointerMoved(edge)], button(edge, true), vec![Event::PointerMoved(to)], button(to, false)]
    {
        bench.frame(events);
    }
    assert!((bench.place("Stage").x - before.x - 60.0).abs() < 1.0, "it went along");
    assert!(bench.session.selection.nodes.is_empty(), "no row was meant");
    (0..60).for_each(|_| drop(bench.frame(Vec::new())));
    bench.click(to);
    bench.click(to);
    assert!((bench.place("Stage").x - before.x).abs() < 1.0, "a double-click puts it back");
}
