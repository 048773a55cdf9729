//! Stepping inside a frame, and stopping where it goes wrong.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers, PointerButton, Vec2};

use stagewright_editor::Source;
use stagewright_runtime::sim::checkpoint::CheckpointFile;

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
    let mut bench = Bench::from_text(&burning_smoke(), WINDOW);
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
    // The list scrolls to where the frame stands; a row that is in sight leads to another dispatch.
    bench.rest();
    let (top, bottom) = (bench.find("Remove condition NaN or infinity in a State"), bench.find("Timeline"));
    let sight = top.expect("the condition").top()..bottom.expect("the timeline").top();
    let written = |name: &str| name.strip_prefix("write ")?.split(' ').next()?.parse::<usize>().ok();
    let row = bench.seen().into_iter().find(|seen| {
        let other = written(&seen.name).is_some_and(|number| !shows(&bench, &format!(": {number} of ")));
        other && sight.contains(&seen.rect.top()) && sight.contains(&seen.rect.bottom())
    });
    let first = row.expect("a row in sight").name;
    let number = written(&first).expect("its dispatch");
    bench.press(&first);
    bench.until("the dispatch", |bench| shows(bench, &format!(": {number} of ")));
    bench.press("Remove condition NaN or infinity in a State");
    bench.key(Key::Space);
    bench.until("the run continues", |bench| shows(bench, "Not inside a frame"));
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
    // The file has it the next time, and a condition too.
    bench.press("NaN");
    bench.reopen();
    bench.compiled();
    bench.menu("Window", "Debugger");
    bench.until("the breakpoint", |bench| bench.find("Remove breakpoint on divergence").is_some());
    bench.until("the condition", |bench| shows(bench, "NaN or infinity in a State"));
    bench.until("the stop", |bench| shows(bench, "breakpoint on divergence"));
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
    let at = CheckpointFile::open(report["checkpoint"].as_str().expect("a file").as_ref()).expect("a checkpoint");
    let mut bench = Bench::start(folder, Source::File(graph), WINDOW, Some(at));
    bench.until("the stop", |bench| shows(bench, "Stopped in frame"));
    let (frame, ran, all) = (&report["frame"], &report["ran"], &report["dispatches"]);
    assert!(shows(&bench, &format!("Frame {frame}: {ran} of {all} dispatches")), "{report}");
    let (wire, cell) = (report["wire"].as_str().unwrap(), report["element"].as_str().unwrap());
    assert!(shows(&bench, &format!("Writes to {cell}")) && shows(&bench, &format!("write {ran} of {wire}")));
    bench.until("the wire", |bench| shows(bench, &format!("image {wire}")));
    // The frame continues from there, and then the run.
    bench.key(Key::F10);
    bench.until("the next node", |bench| !shows(bench, &format!(": {ran} of {all} dispatches")));
    bench.key(Key::Space);
    bench.until("the run", |bench| shows(bench, "Not inside a frame"));
    let before = bench.computed();
    bench.until("a later frame", |bench| bench.computed() > before);
}

/// A solid rotation of particles that are sorted in every frame.
const TURNING: &str = r##"(version: 1, name: "turning", fps: 30, nodes: {
    "domain": (domain: (resolution: (8, 8), width: 1, edge: "wall"), at: (0, 0)),
    "set": (state: "Particles{position: Vec, id: u32}", capacity: 600, inputs: {"next": "turn.particles"}, at: (0, 160)),
    "emit": (custom: "//! Emit\n//! @in amount: u32 = 9\n//! @inout particles: Particles{} -> {position: Vec, id: u32}, emit amount\nfn stage(particle: Particle) -> Result { let s = f32(particle.serial); return Result(vec2f(0.5) + 0.4 * vec2f(sin(s * 1.7), sin(s * 2.9)), particle.serial); }", inputs: {"particles": "set.value"}, at: (260, 160)),
    "sorted": (stage: "neighbors/fill", on: "domain", inputs: {"particles": "emit.particles"}, at: (520, 160)),
    "turn": (custom: "//! Turn\n//! @inout particles: Particles{position: Vec} -> {position: Vec}\nfn stage(particle: Particle) -> Vec { let r = particle.position - 0.5; return 0.5 + vec2f(0.9975 * r.x - 0.0707 * r.y, 0.0707 * r.x + 0.9975 * r.y); }", inputs: {"particles": "sorted.particles"}, at: (780, 160)),
    "count": (custom: "//! C\n//! @in particles: Particles{position: Vec}\n//! @out g: Grid<f32>\nfn stage(cell: Cell) -> f32 { return f32(particles_count()); }", on: "domain", inputs: {"particles": "turn.particles"}, at: (260, 360)),
    "look": (stage: "view/color_map", inputs: {"field": "count.g"}, at: (520, 360)),
    "screen": (output: (size: (64, 64)), inputs: {"image": "look.image"}, at: (780, 360)),
})"##;

#[test]
fn a_particle_is_followed_by_its_way_through_sorted_frames() {
    let mut bench = Bench::from_text(TURNING, WINDOW);
    bench.compiled();
    bench.until("some frames", |bench| bench.computed() > 30);
    bench.press("output set.value");
    bench.compiled();
    bench.plays();
    bench.key(Key::Space);
    bench.rest();
    let image = bench.find("image set.value").expect("the picture");
    let running = bench.editor().simulation().expect("it runs");
    let positions = running.read("set.position").expect("a State").data;
    let count = running.read("set.count").expect("a count").words[0] as usize;
    // A particle at some distance from the middle.
    let away = |at: &[f32]| Vec2::new(at[0] - 0.5, 0.5 - at[1]);
    let places = positions.chunks(2).take(count).map(away).enumerate();
    let (index, away) = places
        .min_by(|(_, a), (_, b)| (a.length() - 0.25).abs().total_cmp(&(b.length() - 0.25).abs()))
        .expect("particles");
    let at = image.center() + away * (image.width() - 24.0);
    bench.hover(at);
    bench.until("its value", |bench| shows(bench, &format!("particle {index}:")));
    bench.click_with(at, PointerButton::Primary, Modifiers::SHIFT);
    bench.until("what is followed", |bench| shows(bench, &format!("Followed: particle {index} of set.value")));
    let frame = bench.computed();
    bench.until("its way", |bench| bench.find(&format!("followed in frame {frame}")).is_some());
    // The run continues, and its way with it.
    bench.key(Key::Space);
    bench.until("more frames", |bench| bench.computed() > frame + 5);
    bench.key(Key::Space);
    bench.rest();
    let last = bench.computed();
    bench.until("the last frame", |bench| bench.find(&format!("followed in frame {last}")).is_some());
    bench.press("position");
    bench.until("its curves", |bench| shows(bench, &format!("curve particle {index} of set.value: position.x")));
    bench.menu("Window", "Debugger");
    bench.rest();
    bench.press("Stop following");
    assert!(!shows(&bench, "Followed: "));
}
