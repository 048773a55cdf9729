//! The variation wall: nine live simulations, what varies, and keeping one.

use std::time::{Duration, Instant};

use eframe::egui::{Key, pos2, vec2};
use stagewright_editor::Source;
use stagewright_language::document::ParamValue;

use super::bench::{Bench, Folder, SMOKE, WINDOW};
use super::heavy::slow;

fn reads(bench: &Bench, text: &str) -> bool {
    bench.seen().iter().any(|seen| seen.name.contains(text))
}

/// Frames that all variations have computed; `None` while they are made or not shown.
fn frame(bench: &Bench) -> Option<u64> {
    bench.seen().iter().find_map(|seen| seen.name.strip_prefix("frame ")?.parse().ok())
}

fn tiles(bench: &Bench) -> usize {
    (1..=9).filter(|number| bench.find(&format!("variation {number}")).is_some()).count()
}

/// Shows the pane, and waits for the tiles to run.
fn open(bench: &mut Bench) {
    bench.menu("Window", "Variations");
    bench.until("tiles", |bench| frame(bench) > Some(2));
}

fn bench() -> Bench {
    let mut bench = Bench::smoke();
    open(&mut bench);
    assert_eq!(tiles(&bench), 9);
    bench
}

#[test]
fn a_click_keeps_a_seed_as_one_step_and_the_wall_runs_on() {
    let mut bench = bench();
    let before = bench.document().clone();
    let computed = frame(&bench);
    bench.press("variation 5");
    let kept = bench.document().seed;
    assert_ne!(kept, before.seed);
    assert!(frame(&bench) >= computed, "each tile has a seed of its own, which has not changed");
    let at = bench.position_of("variation 5");
    bench.hover(at);
    (0..3).for_each(|_| bench.rest());
    assert!(
        reads(&bench, &format!("seed {kept}")) && reads(&bench, "The graph has these values"),
        "{:?}",
        bench.seen()
    );
    bench.menu("Edit", "History");
    bench.rest();
    assert!(reads(&bench, "step 1 Keep variation"), "{:?}", bench.seen());
    bench.key(Key::Escape);
    bench.undo();
    assert_eq!(*bench.document(), before);
}

/// The colours of a tile in a screenshot of the window, without its edge and its text.
fn pixels(bench: &mut Bench, tile: usize) -> Vec<[u8; 4]> {
    let rect = bench.find(&format!("variation {tile}")).expect("the tile").shrink(24.0);
    let image = bench.harness.render().unwrap();
    let (columns, rows) = (rect.min.x as u32..rect.max.x as u32, rect.min.y as u32..rect.max.y as u32);
    rows.flat_map(|y| columns.clone().map(move |x| (x, y))).map(|(x, y)| image.get_pixel(x, y).0).collect()
}

/// The share of pixels that differ visibly; filtering rounds a little otherwise from place to place.
fn differ(one: &[[u8; 4]], other: &[[u8; 4]]) -> f64 {
    assert_eq!(one.len(), other.len());
    let visibly = |(a, b): (&[u8; 4], &[u8; 4])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 24);
    one.iter().zip(other).filter(|pair| visibly(*pair)).count() as f64 / one.len() as f64
}

#[test]
fn each_tile_shows_its_own_simulation() {
    let mut bench = bench();
    assert!(reads(&bench, "This graph does not use its seed"), "{:?}", bench.seen());
    bench.until("frames", |bench| frame(bench) > Some(12));
    bench.press("Pause variations");
    // The frame that was begun is completed.
    (0..20).for_each(|_| bench.rest());
    let tile = pixels(&mut bench, 1);
    assert!(tile.iter().any(|color| *color != tile[0]), "there is smoke");
    let nine = pixels(&mut bench, 9);
    assert!(differ(&tile, &nine) < 0.02, "no tile is ahead of another: {}", differ(&tile, &nine));
    bench.press("Play variations");
    bench.select("smoke");
    bench.press("vary parameters");
    bench.press("Choose parameters");
    bench.press("smoke.center");
    bench.key(Key::Escape);
    bench.until("frames", |bench| frame(bench) > Some(12));
    assert!(!reads(&bench, "This graph does not use its seed"));
    let (one, nine) = (pixels(&mut bench, 1), pixels(&mut bench, 9));
    assert!(differ(&one, &nine) > 0.1, "smoke comes from other places: {}", differ(&one, &nine));
}

#[test]
fn chosen_parameters_vary_by_their_amounts() {
    let mut bench = bench();
    bench.select("jet");
    bench.press("vary parameters");
    assert!(reads(&bench, "Select nodes and choose the parameters that vary."));
    bench.press("Choose parameters");
    bench.press("jet.radius");
    bench.press("jet.rate");
    bench.key(Key::Escape);
    bench.rest();
    bench.until("tiles", |bench| frame(bench).is_some());
    assert!(bench.find("amount jet.radius").is_some());
    bench.press("stop varying jet.rate");
    bench.until("tiles", |bench| frame(bench).is_some());
    let before = bench.document().clone();
    let value = |bench: &Bench| match bench.document().nodes["jet"].params.get("radius") {
        Some(ParamValue::Number(radius)) => *radius,
        other => panic!("{other:?}"),
    };
    bench.press("variation 1");
    let first = value(&bench);
    assert!(first != 0.1 && first > 0.0, "{first}");
    assert_eq!(bench.document().nodes["jet"].params.get("rate"), before.nodes["jet"].params.get("rate"));
    bench.undo();
    assert_eq!(*bench.document(), before, "one step");
    bench.press("New variations");
    bench.until("tiles", |bench| frame(bench).is_some());
    bench.press("variation 1");
    assert_ne!(value(&bench), first, "drawn again");
}

#[test]
fn an_edit_restarts_the_wall_and_a_moved_node_does_not() {
    let mut bench = bench();
    bench.until("frames", |bench| frame(bench) > Some(20));
    let (from, to) = (bench.title("look"), bench.title("look") + vec2(0.0, 40.0));
    bench.drag(from, to);
    assert!(frame(&bench) > Some(20), "{:?}", frame(&bench));
    bench.select("jet");
    bench.ctrl(Key::Num3);
    bench.rest();
    bench.set_number("radius", 0.3);
    bench.menu("Window", "Variations");
    bench.until("tiles", |bench| frame(bench).is_some());
    assert!(frame(&bench) < Some(20), "from the start: {:?}", frame(&bench));
}

#[test]
fn the_wall_pauses_restarts_and_computes_nothing_while_it_is_hidden() {
    let mut bench = bench();
    bench.press("Pause variations");
    bench.rest();
    let stopped = frame(&bench);
    (0..20).for_each(|_| bench.rest());
    assert_eq!(frame(&bench), stopped);
    bench.press("Restart variations");
    bench.until("the start", |bench| frame(bench) == Some(0));
    bench.press("Play variations");
    bench.until("frames", |bench| frame(bench) > Some(3));
    bench.ctrl(Key::Num3);
    bench.rest();
    assert_eq!(frame(&bench), None);
    let computed = bench.computed();
    bench.until("the graph itself", |bench| bench.computed() > computed + 30);
    bench.menu("Window", "Variations");
    assert!(frame(&bench) < Some(30), "it was hidden: {:?}", frame(&bench));
}

#[test]
fn while_tiles_take_long_the_window_answers() {
    let mut bench = Bench::from_text(&slow(96, 120), vec2(900.0, 600.0));
    bench.compiled();
    bench.key(Key::Space);
    bench.menu("Window", "Variations");
    bench.until("tiles", |bench| frame(bench) == Some(0));
    let (began, mut answers) = (Instant::now(), Vec::new());
    while frame(&bench) == Some(0) {
        assert!(began.elapsed() < Duration::from_secs(90), "a frame of all tiles");
        let one = Instant::now();
        bench.hover(pos2(100.0 + 7.0 * (answers.len() % 40) as f32, 300.0));
        bench.harness.render().unwrap();
        answers.push(one.elapsed());
    }
    answers.sort();
    let (tile, answer) = (began.elapsed() / 9, answers[answers.len() / 2]);
    println!("the window takes {answer:?} to answer while a tile takes {tile:?}");
    assert!(answer < tile / 4, "the window takes {answer:?} to answer while a tile takes {tile:?}");
}

#[test]
fn fewer_tiles_where_the_memory_budget_is_small() {
    let whole = Bench::smoke();
    let memory = whole.editor().simulation().unwrap().plan().memory;
    drop(whole);
    let folder = Folder::new();
    let (graph, settings) = (folder.path().join("graph.ron"), folder.path().join("settings"));
    std::fs::write(&graph, SMOKE).unwrap();
    std::fs::create_dir_all(&settings).unwrap();
    // The graph itself and three and a half more.
    let text = format!("(hints: [0, 1, 2], memory: Some({}))", memory * 9 / 2);
    std::fs::write(settings.join("settings.ron"), text).unwrap();
    let mut bench = Bench::with(folder, Source::File(graph), WINDOW);
    bench.compiled();
    open(&mut bench);
    assert_eq!(tiles(&bench), 3);
    assert!(reads(&bench, "3 of 9 variations fit in memory"), "{:?}", bench.seen());
}
