//! A graph whose frames take long: the window answers all the same.

use std::time::{Duration, Instant};

use eframe::egui::{Key, pos2, vec2};
use stagewright_runtime::sim::Simulation;

use super::bench::Bench;

/// A graph that computes for long at every cell, in so many sweeps of one dispatch each.
pub fn slow(cells: u32, sweeps: u32) -> String {
    format!(
        r##"(version: 1, nodes: {{
        "domain": (domain: (resolution: ({cells}, {cells}), width: 1)),
        "heat": (state: "Grid<f32>", on: "domain", inputs: {{"next": "work.heat"}}, at: (0, 0)),
        "work": (custom: r#"//! Work
            //! @inout heat: Grid<f32> = 0
            fn stage(cell: Cell) -> f32 {{
                var x = heat(neighbor(cell, 0)) + 0.5;
                for (var i = 0; i < 150; i++) {{ x = fract(x * 3.7 + sin(x)); }}
                return x;
            }}"#, inputs: {{"heat": "heat.value"}}, iterations: {sweeps}, at: (240, 0)),
        "look": (stage: "view/color_map", inputs: {{"field": "work.heat"}}, at: (480, 0)),
        "screen": (output: (size: (64, 64)), inputs: {{"image": "look.image"}}, at: (720, 0)),
    }})"##
    )
}

fn under_way(bench: &Bench) -> bool {
    bench.editor().simulation().is_some_and(|simulation| simulation.progress().is_some())
}

/// How long a frame of the window takes while one of the simulation is under way, from a movement of the pointer until the GPU has drawn it:
/// the median, since other programs may hold up a few.
fn answer(bench: &mut Bench) -> Duration {
    let mut answers = Vec::new();
    while under_way(bench) {
        let began = Instant::now();
        bench.hover(pos2(300.0 + 7.0 * (answers.len() % 40) as f32, 300.0));
        bench.harness.render().unwrap();
        answers.push(began.elapsed());
    }
    answers.sort();
    answers[answers.len() / 2]
}

#[test]
fn while_a_frame_takes_seconds_the_window_answers() {
    let mut bench = Bench::from_text(&slow(96, 400), vec2(700.0, 500.0));
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    let began = Instant::now();
    bench.until("a frame", |bench| bench.computed() >= 1);
    let frame = began.elapsed();
    bench.until("the next", under_way);
    let during = answer(&mut bench);
    assert!(during < frame / 5, "the window takes {during:?} to answer while a frame takes {frame:?}");
    bench.until("one more", under_way);
    // Pausing is seen at once, and the frame under way is the last.
    bench.key(Key::Space);
    assert!(bench.find("Play").is_some() && under_way(&bench));
    bench.until("its end", |bench| !under_way(bench));
    let computed = bench.computed();
    bench.rest();
    assert!(!under_way(&bench) && bench.computed() == computed);
}

#[test]
fn a_graph_that_is_too_heavy_can_be_made_coarser_by_a_press_and_back_again() {
    let mut bench = Bench::from_text(&slow(256, 200), vec2(1000.0, 600.0));
    bench.compiled();
    let start = bench.document().clone();
    let offer = |bench: &Bench| bench.seen().into_iter().find(|seen| seen.name.starts_with("Lower to "));
    bench.until("an offer", |bench| offer(bench).is_some());
    assert!(bench.seen().iter().any(|seen| seen.name.starts_with("Too heavy for this machine")));
    assert_eq!(bench.computed(), 0, "the first frame is not waited for");
    let name = offer(&bench).unwrap().name;
    bench.press(&name);
    // While the frame goes on, less is offered: at a press the graph has the cells of that moment.
    let offered: u32 = name.trim_start_matches("Lower to ").split(" × ").next().unwrap().parse().unwrap();
    let text = bench.document().to_text();
    let (_, resolution) = text.split_once("resolution: (").unwrap();
    let cells: u32 = resolution.split(',').next().unwrap().parse().unwrap();
    assert!(cells <= offered && resolution.starts_with(&format!("{cells}, {cells})")), "{name}: {resolution:.10}");
    bench.until("a frame of the coarser graph", |bench| !bench.editor().compiling() && bench.computed() >= 1);
    bench.undo();
    assert!(*bench.document() == start);
}

#[test]
fn an_edit_waits_for_the_frame_under_way_and_keeps_its_state() {
    let mut bench = Bench::from_text(&slow(96, 200), vec2(700.0, 500.0));
    bench.compiled();
    let work = bench.title("work");
    bench.click(work);
    let begun = |bench: &Bench| bench.editor().simulation().and_then(Simulation::progress).is_some_and(|p| p < 0.3);
    bench.until("a frame", |bench| bench.computed() >= 1 && begun(bench));
    let frame = bench.computed();
    bench.key(Key::M);
    assert!(bench.editor().compiling() && under_way(&bench), "the window does not wait for it");
    bench.undo();
    bench.until("the plan", |bench| !bench.editor().compiling());
    assert!(bench.computed() > frame, "the simulation goes on where it was");
}
