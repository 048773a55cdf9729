//! Meshes that take their time: reported, waited for, stopped, asked for again.

use std::fmt::Write;
use std::fs;

use eframe::egui::Key;
use stagewright_editor::Source;
use stagewright_runtime::asset::Phase;

use super::bench::{Bench, Folder, WINDOW};

/// Triangles around and from pole to pole: enough to be waited for.
const AROUND: usize = 240;
const ALONG: usize = 160;

/// A ball as OBJ, with its middle in a domain of one metre.
fn ball() -> String {
    let mut text = String::new();
    for ring in 0..=ALONG {
        let (y, r) = (std::f64::consts::PI * ring as f64 / ALONG as f64).sin_cos();
        for step in 0..AROUND {
            let (s, c) = (std::f64::consts::TAU * step as f64 / AROUND as f64).sin_cos();
            writeln!(text, "v {} {} {}", 0.5 + 0.3 * y * c, 0.5 + 0.3 * r, 0.5 + 0.3 * y * s).unwrap();
        }
    }
    for ring in 0..ALONG {
        for step in 0..AROUND {
            let corner = |ring: usize, step: usize| ring * AROUND + step % AROUND + 1;
            let (a, b) = (corner(ring, step), corner(ring, step + 1));
            let (c, d) = (corner(ring + 1, step + 1), corner(ring + 1, step));
            writeln!(text, "f {a} {b} {c}\nf {a} {c} {d}").unwrap();
        }
    }
    text
}

/// A graph that shows a torus, and has a mesh that nothing reads yet.
fn graph() -> String {
    r#"(
    version: 1,
    nodes: {
        "space": (domain: (resolution: (44, 44, 44), width: 1, edge: "wall"), at: (0, 0)),
        "paper": (domain: (resolution: (32, 24), width: 1, edge: "wall"), at: (0, 160)),
        "camera": (stage: "view/camera", at: (0, 330)),
        "mesh": (file: "ball.obj", on: "space", at: (0, 500)),
        "between": (stage: "field/from_grid", inputs: {"grid": "mesh.distance"}, at: (260, 330)),
        "ring": (stage: "shape/torus", on: "space", at: (260, 160)),
        "look": (stage: "view/shape", on: "paper", inputs: {"camera": "camera.camera", "shape": "ring.distance"}, at: (520, 160)),
        "screen": (output: (size: (32, 24)), inputs: {"image": "look.image"}, at: (780, 160)),
    },
)"#
    .into()
}

impl Bench {
    /// The graph of this page running, before its mesh is asked for.
    fn meshes() -> Bench {
        let folder = Folder::new();
        let path = folder.path().join("graph.ron");
        fs::write(&path, graph()).unwrap();
        fs::write(folder.path().join("ball.obj"), ball()).unwrap();
        let mut bench = Bench::with(folder, Source::File(path), WINDOW);
        bench.compiled();
        assert_eq!(bench.problems(), Vec::<String>::new());
        bench.plays();
        bench
    }

    fn waits(&self) -> bool {
        self.problems().iter().any(|problem| problem.contains("loading ") && problem.contains("ball.obj ("))
    }

    fn reads_mesh(&self) -> bool {
        self.editor().simulation().is_some_and(|simulation| !simulation.plan().files.is_empty())
    }
}

#[test]
fn a_mesh_is_waited_for_while_the_last_graph_runs_on_and_can_be_changed() {
    let mut bench = Bench::meshes();
    bench.connect("output between.field", "input look.shape");
    bench.until("a notice", |bench| bench.editor().loading().is_some());
    bench.until("a word at the node", Bench::waits);
    bench.until("figures", |bench| bench.seen().iter().any(|seen| seen.name.starts_with("Loading ball.obj, ")));
    bench.plays();
    assert!(!bench.reads_mesh(), "what runs is the graph before");
    // Changes of other nodes do not begin it again: progress never goes back.
    let mut last = (Phase::Reading, None);
    let mut changed = false;
    while bench.editor().compiling() {
        let now = bench.editor().loading().unwrap_or(last);
        assert!(now >= last, "{now:?} after {last:?}");
        last = now;
        if now.0 == Phase::Measuring && !changed {
            bench.select("ring");
            bench.key(Key::Delete);
            changed = true;
        }
        bench.frame(Vec::new(), eframe::egui::Modifiers::NONE);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    println!("{last:?} was the last seen of it");
    assert!(changed && last.1.is_some_and(|share| share > 0.0), "{last:?}");
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    assert!(bench.reads_mesh());
    assert!(bench.find("Stop loading").is_none());
    bench.plays();
}

#[test]
fn a_load_is_stopped_and_asked_for_again() {
    let mut bench = Bench::meshes();
    bench.connect("output between.field", "input look.shape");
    bench.until("a notice", |bench| bench.find("Stop loading").is_some());
    bench.press("Stop loading");
    bench.compiled();
    let problems = bench.problems();
    assert!(matches!(&problems[..], [one] if one.contains("loading it was cancelled; load it again")), "{problems:?}");
    bench.plays();
    // Other changes leave it at that.
    bench.select("ring");
    bench.key(Key::M);
    bench.compiled();
    assert!(bench.problems().iter().any(|problem| problem.contains("loading it was cancelled")));
    bench.ctrl(Key::Z);
    bench.compiled();
    bench.menu("Run", "Reload files");
    bench.until("a notice", |bench| bench.find("Stop loading").is_some());
    // A wire taken back: nothing waits for the file any more.
    bench.ctrl(Key::Z);
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    assert!(bench.editor().loading().is_none() && bench.find("Stop loading").is_none());
}

#[test]
fn a_file_that_is_no_mesh_is_a_sentence_at_its_node() {
    let mut bench = Bench::meshes();
    fs::write(bench.folder().join("ball.obj"), "v 0 0 0\n").unwrap();
    bench.connect("output between.field", "input look.shape");
    bench.until("the sentence", |bench| bench.problems().iter().any(|problem| problem.contains("it has no triangles")));
    assert!(bench.problems()[0].starts_with("mesh.file: "), "{:?}", bench.problems());
    bench.plays();
    // Repaired, it is read again.
    fs::write(bench.folder().join("ball.obj"), ball()).unwrap();
    bench.until("the mesh", Bench::reads_mesh);
    assert_eq!(bench.problems(), Vec::<String>::new());
}

#[test]
fn a_graph_of_an_earlier_version_opens_and_says_what_was_renamed() {
    let stored = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stored/templates/smoke_3d/20261125_0622.ron");
    let mut bench = Bench::from_text(&fs::read_to_string(stored).unwrap(), WINDOW);
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    let says = |bench: &Bench, text: &str| bench.seen().iter().any(|seen| seen.name.contains(text));
    assert!(says(
        &bench,
        "Changed for this version, and kept when you save. hand: control/pointer_in_space has changed"
    ));
    assert_eq!(bench.link("hand", "density").as_deref(), Some("smoke.value"));
    bench.save();
    bench.reopen();
    bench.compiled();
    assert!(!says(&bench, "Changed for this version"), "it was saved");
    fs::copy(stored, bench.folder().join("graph.ron")).unwrap();
    bench.until("the file of before", |bench| says(bench, "Changed for this version"));
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
}
