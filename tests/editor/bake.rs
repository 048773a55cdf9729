//! The bake window: a cache that the graph runs from, that grows stale, is baked again, left and deleted.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers};

use super::bench::{Bench, SMOKE, WINDOW};

fn reads(bench: &Bench, text: &str) -> bool {
    bench.seen().iter().any(|seen| seen.name.contains(text))
}

#[track_caller]
fn press_button(bench: &mut Bench, name: &str) {
    let found = bench.seen().into_iter().rfind(|seen| seen.role == Role::Button && seen.name == name);
    let at = found.unwrap_or_else(|| panic!("there is no button `{name}`")).rect.center();
    bench.click(at);
    bench.rest();
}

/// A paused smoke whose density is baked for four frames, with the window closed.
fn baked() -> Bench {
    let mut bench = Bench::from_text(SMOKE, WINDOW);
    bench.compiled();
    bench.key(Key::Space);
    bench.select("carried");
    bench.menu("File", "Bake");
    bench.rest();
    assert!(reads(&bench, "carried.result: at most"), "{:?}", bench.seen());
    let last = bench.seen().into_iter().rfind(|seen| seen.name == "to").expect("the last frame").rect.center();
    bench.click(last);
    bench.overwrite("4");
    bench.rest();
    bench.key(Key::Enter);
    bench.until("the cache", |bench| reads(bench, "Baked 4 frames of graph. The graph runs from the cache."));
    bench.until("the plan", |bench| bench.editor().simulation().is_some_and(|s| s.baked_frames() == Some(1..=4)));
    bench.key(Key::Escape);
    bench.rest();
    assert!(bench.dialog().is_none());
    bench
}

/// What the tooltip of a node says of its bake.
fn tooltip(bench: &mut Bench, node: &str) -> String {
    let ground = bench.ground();
    bench.hover(ground);
    let at = bench.title(node);
    bench.hover(at);
    bench.until("the tooltip", |bench| reads(bench, "graph: Frames 1 to 4"));
    bench.seen().into_iter().find(|seen| seen.name.contains("graph: Frames 1 to 4")).unwrap().name
}

/// Goes to a frame of a paused run, one by one from the start.
fn step_to(bench: &mut Bench, frame: u64) {
    bench.key_with(Modifiers::SHIFT, Key::ArrowLeft);
    bench.until("the start", |bench| bench.computed() == 0);
    for next in 1..=frame {
        bench.key(Key::ArrowRight);
        bench.until("the next frame", |bench| bench.computed() == next);
    }
}

#[test]
fn a_cache_is_left_at_the_frame_that_is_shown_grows_stale_is_baked_again_and_deleted() {
    let mut bench = baked();
    assert!(tooltip(&mut bench, "carried").ends_with("played from the cache"));
    let states = |bench: &Bench| bench.editor().simulation().unwrap().plan().states.len();
    assert_eq!(states(&bench), 0);
    // The bake has left a checkpoint of its last frame.
    for (frame, message) in [(4, "Running live from frame 4"), (2, "Running live: computing frames 1 to 2")] {
        step_to(&mut bench, frame);
        bench.menu("Run", "Run live");
        bench.until("the States", |bench| states(bench) == 2 && reads(bench, message));
        bench.until("the same frame", |bench| bench.computed() == frame);
        bench.undo();
        bench.until("the cache", |bench| states(bench) == 0);
    }
    bench.select("jet");
    bench.set_number("rate", 30.0);
    bench.key(Key::Enter);
    bench.until("the reason", |bench| bench.problems().iter().any(|text| text.contains("jet.rate was 20 and is 30")));
    assert!(tooltip(&mut bench, "carried").ends_with("Stale: jet.rate was 20 and is 30"));
    bench.menu("File", "Bake");
    bench.rest();
    press_button(&mut bench, "Bake again");
    bench.until("frames", |bench| reads(bench, "Baked 4 frames of graph"));
    bench
        .until("a fresh cache", |bench| reads(bench, "Frames 1 to 4, played from the cache") && !reads(bench, "Stale"));
    press_button(&mut bench, "Delete cache…");
    press_button(&mut bench, "Delete");
    bench.until("no cache", |bench| reads(bench, "No frame is baked; the graph runs live"));
    assert!(!bench.folder().join("graph.bake").exists());
}
