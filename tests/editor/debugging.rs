//! Stepping inside a frame, and stopping where it goes wrong.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers};

use stagewright::app::Source;
use stagewright::sim::checkpoint::Checkpoint;

use super::bench::{Bench, Folder, SMOKE, WINDOW};

/// Smoke that becomes NaN where it is denser than 1, some frames after the start.
fn burning_smoke() -> String {
    let text = SMOKE
        .replace("(1.0 - params.rate)", "(1.0 - params.rate * sqrt(1.0 - field(cell)))")
        .replace("\"radius\": 0.1, \"rate\": 5", "\"radius\": 0.1, \"rate\": 30");
    assert_ne!(text, SMOKE);
    text
}

fn burning() -> Bench {
    let mut bench = Bench::of(&burning_smoke(), WINDOW);
    bench.compiled();
    bench
}

fn shows(bench: &Bench, text: &str) -> bool {
    bench.seen().iter().any(|seen| seen.name.contains(text))
}

#[test]
fn a_frame_is_stepped_forwards_and_backwards_with_its_wires_on_show() {
    let mut bench = Bench::smoke();
    bench.plays();
    bench.key(Key::Space);
    bench.rest();
    bench.press("output pressure.pressure");
    bench.rest();
    bench.key(Key::F6);
    bench.until("the frame", |bench| shows(bench, "0 of "));
    bench.until("why the view is empty", |bench| shows(bench, "not computed at this point"));
    bench.select("pressure");
    bench.key_with(Modifiers::COMMAND, Key::F10);
    bench.until("the node", |bench| shows(bench, "pressure, "));
    bench.key(Key::F7);
    bench.until("the pressure after a sweep", |bench| bench.find("Histogram").is_some());
    let position = |bench: &Bench| {
        bench.seen().into_iter().find(|seen| seen.name.starts_with("Frame ") && seen.name.ends_with(" dispatches"))
    };
    let there = position(&bench).map(|seen| seen.name);
    bench.key(Key::F10);
    bench.until("the next node", |bench| position(bench).map(|seen| seen.name) != there);
    bench.key_with(Modifiers::SHIFT, Key::F5);
    bench.until("the run", |bench| shows(bench, "Not inside a frame"));
    let frame = bench.computed();
    bench.key(Key::Space);
    bench.until("the run continues from where it was", |bench| bench.computed() > frame);
}

#[test]
fn a_condition_stops_the_run_and_leads_to_the_cell_and_its_history() {
    let mut bench = burning();
    bench.key(Key::Space);
    bench.rest();
    bench.menu("Window", "Debugger");
    bench.press("NaN");
    assert!(shows(&bench, "NaN or infinity in a State"));
    bench.key(Key::Space);
    bench.until("the stop", |bench| shows(bench, "Stopped in frame"));
    assert!(shows(&bench, "burn") || shows(&bench, "fade.field"), "the report names the wire");
    bench.until("the history", |bench| {
        bench.seen().iter().any(|s| s.role == Role::Link && s.name.starts_with("write "))
    });
    // The list scrolls to where the frame stands before a click can hit a row of it.
    bench.rest();
    let first = bench.seen().into_iter().find(|seen| seen.name.starts_with("write ")).expect("a write").name;
    let number: usize = first.split(' ').nth(1).and_then(|number| number.parse().ok()).expect("its dispatch");
    bench.press(&first);
    bench.until("the dispatch", |bench| shows(bench, &format!(": {number} of ")));
    bench.press("Remove condition NaN or infinity in a State");
    bench.key(Key::Space);
    bench.until("the run goes on", |bench| shows(bench, "Not inside a frame"));
}

#[test]
fn a_breakpoint_stops_in_front_of_its_node_and_the_next_frame_again() {
    let mut bench = Bench::smoke();
    bench.key(Key::Space);
    bench.rest();
    bench.select("divergence");
    bench.key(Key::F9);
    bench.key(Key::Space);
    bench.until("the stop", |bench| shows(bench, "breakpoint on divergence"));
    let stopped = |bench: &Bench| {
        let seen = bench.seen().into_iter().find(|seen| seen.name.starts_with("Stopped in frame ")).map(|s| s.name);
        seen.and_then(|name| name.split([' ', ':']).nth(3)?.parse::<u64>().ok())
    };
    let first = stopped(&bench).expect("a frame");
    bench.key(Key::Space);
    bench.until("the next stop", |bench| stopped(bench).is_some_and(|frame| frame == first + 1));
}

/// The checkpoint that a stopped run leaves opens in the frame, behind the dispatch, with the wire on show and the cell picked.
#[test]
fn a_checkpoint_of_a_stop_opens_at_that_very_place() {
    let folder = Folder::new();
    let graph = folder.path().join("graph.ron");
    std::fs::write(&graph, burning_smoke()).unwrap();
    let frames = folder.path().join("frames");
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_stagewright"))
        .args(["render", graph.to_str().unwrap(), "--frames", "40", "--out", frames.to_str().unwrap()])
        .args(["--stop-on", "nan", "--json"])
        .output()
        .expect("starts");
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).expect("a report");
    let at = Checkpoint::read(report["checkpoint"].as_str().expect("a file").as_ref()).expect("a checkpoint");
    let mut bench = Bench::start(folder, Source::File(graph), WINDOW, Some(at));
    bench.until("the stop", |bench| shows(bench, "Stopped in frame"));
    let (frame, ran, all) = (&report["frame"], &report["ran"], &report["dispatches"]);
    assert!(shows(&bench, &format!("Frame {frame}: {ran} of {all} dispatches")), "{report}");
    let (wire, cell) = (report["wire"].as_str().unwrap(), report["element"].as_str().unwrap());
    assert!(shows(&bench, &format!("Writes to {cell}")) && shows(&bench, &format!("write {ran} of {wire}")));
    bench.until("the wire", |bench| shows(bench, &format!("image {wire}")));
    // The frame goes on from there, and then the run.
    bench.key(Key::F10);
    bench.until("the next node", |bench| !shows(bench, &format!(": {ran} of {all} dispatches")));
    bench.key(Key::Space);
    bench.until("the run", |bench| shows(bench, "Not inside a frame"));
    let before = bench.computed();
    bench.until("a later frame", |bench| bench.computed() > before);
}
