//! `stagewright test` and `--deterministic` as a person types them.

use stagewright_test_support::seed::today;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of a test alone, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("stagewright-expect-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("UTF-8").to_string()
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("UTF-8").to_string()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("a file")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn stagewright(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stagewright"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().expect("starts")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A field that is the frame's number, squares of which particles count.
fn graph(expectations: &str) -> String {
    format!(
        r##"(version: 1, name: "count", expect: [{expectations}], nodes: {{
        "domain": (domain: (resolution: (6, 4), width: 3, edge: "wall")),
        "held": (state: "Grid<f32>", on: "domain", inputs: {{"next": "more.field"}}),
        "more": (custom: r#"//! One more in every frame, and another one for each cell along x in the first
            //! @inout field: Grid<f32>
            fn stage(cell: Cell) -> f32 {{ return field(cell) + 1.0 + select(0.0, f32(cell.x), frame.index == 0u); }}"#,
            inputs: {{"field": "held.value"}}),
        "noise": (custom: r#"//! Another value in every cell and frame
            //! @inout field: Grid<f32>
            fn stage(cell: Cell) -> f32 {{ return random(cell, 1u); }}"#, inputs: {{"field": "before.value"}}),
        "before": (state: "Grid<f32>", on: "domain", inputs: {{"next": "noise.field"}}),
        "bad": (custom: r#"//! Divides by zero
            //! @in field: Grid<f32>
            //! @out gone: Grid<f32>
            fn stage(cell: Cell) -> f32 {{ return sqrt(select(1.0, -field(cell), cell.y == 1)); }}"#, inputs: {{"field": "more.field"}}),
        "faces": (stage: "staggered/from_field", on: "domain", inputs: {{"velocity": "wind.velocity"}}),
        "wind": (stage: "shape/rigid_velocity", params: {{"linear": (2, 0)}}),
        "drops": (state: "Particles{{position: Vec}}", capacity: 50, on: "domain", inputs: {{"init": "fill.particles"}}),
        "fill": (stage: "particles/fill_box", on: "domain", params: {{"center": (1.5, 1), "size": (1, 1), "spacing": 0.25}}),
        "clock": (number: "10 * frame"),
        "scaled": (stage: "fluid/dissipate", inputs: {{"field": "more.field"}}, params: {{"rate": "clock"}}),
        "sum": (stage: "fluid/add", inputs: {{"field": "more.field", "source": "noise.field"}}),
        "look": (stage: "view/color_map", inputs: {{"field": "sum.field"}}, params: {{"high": 20}}),
        "screen": (output: (size: (6, 4)), inputs: {{"image": "look.image"}}),
    }})"##
    )
}

/// After frame n the field is n, more by 0 to 5 along x: 24 cells, mean n + 2.5.
const RIGHT: &str = r#"
    (at: [1, 3], of: "held", statistic: "min", within: (1, 3)),
    (at: 3, of: "held", statistic: "max", equals: 8),
    (at: 3, of: "held", statistic: "mean", equals: 5.4, tolerance: 0.11),
    (at: 3, of: "held", statistic: "sum", equals: 131, relative: 0.01),
    (at: 3, of: "held", statistic: "count", equals: 24),
    (at: 3, of: "held", statistic: "nan", equals: 0),
    (every: 2, to: 4, of: "drops.count", unchanged_since: 1),
    (at: 4, of: "drops.position", statistic: "min", component: 0, above: 0.9),
    (at: 4, of: "drops.position", statistic: "max", component: 0, below: 2.1),
    (at: 4, of: "faces", statistic: "max", component: 0, equals: 2),
    (at: 4, of: "bad", statistic: "nan", equals: 6),
    (at: 2, of: "clock", equals: 10),
    (at: 2, of: "held", statistic: "max", below: 0, adapter: "no such adapter"),
"#;

#[test]
fn what_holds_passes_and_the_exit_code_is_zero() {
    let folder = Folder::new("right");
    let output = stagewright(&["test", &folder.write("count.ron", &graph(RIGHT))]);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", err(&output));
    assert!(text.ends_with("14 passed, 0 failed, 1 skipped\n"), "{text}");
    assert!(text.contains("frame    3  held.value max = 8: 8\n"), "{text}");
}

#[test]
fn what_does_not_hold_fails_with_what_was_found_and_by_how_much() {
    let folder = Folder::new("wrong");
    let wrong = r#"
        (at: 3, of: "held", statistic: "max", below: 7, comment: "a <b> & \"c\""),
        (at: 3, of: "held", statistic: "min", above: 3),
        (at: 3, of: "held", statistic: "mean", equals: 5, tolerance: 0.25, tolerence: 9),
        (at: 3, of: "held", statistic: "mean", within: (6, 7)),
        (at: 3, of: "held", statistic: "sum", unchanged_since: 1),
        (at: 3, of: "bad", statistic: "max", below: 1e9),
        (at: 3, of: "screen", hash: "00112233445566778899aabbccddeeff"),
        (at: 0, of: "held", statistic: "max", below: 1),
        (at: 1, of: "held", statistic: "max", equals: 6),"#;
    let (graph, junit) = (folder.write("count.ron", &graph(wrong)), folder.path("junit.xml"));
    let output = stagewright(&["test", &graph, "--junit", &junit]);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(1), "{text}{}", err(&output));
    assert!(text.ends_with("1 passed, 8 failed\n"), "{text}");
    for line in [
        "held.value max below 7 (a <b> & \"c\"): 8; it is 1 too large",
        "held.value min above 3: 3; it is 0 too small",
        "held.value mean = 5 ± 0.25: 5.5; it is off by 0.5, at most 0.25 is allowed",
        "held.value mean within 6..7: 5.5; it is 0.5 less than 6",
        "held.value sum unchanged since frame 1: 132; it is off by 48 from 84 at frame 1, at most 0 is allowed",
        "bad.gone max below 1000000000: NaN; of 24 numbers 6 are NaN and 0 infinite",
        "the bits differ; a hash holds on one adapter and driver only",
        "expectation 8: frame 0 is before the first frame",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(err(&output).contains("tolerence"), "a misspelt field is told: {}", err(&output));
    let junit = folder.read("junit.xml");
    assert!(junit.contains("tests=\"9\" failures=\"8\" errors=\"0\" skipped=\"0\""), "{junit}");
    assert!(junit.contains("(a &lt;b&gt; &amp; &quot;c&quot;)"), "{junit}");
}

#[test]
fn graphs_without_expectations_are_counted_and_those_that_do_not_run_are_reported() {
    let folder = Folder::new("several");
    folder.write("a_silent.ron", &graph(""));
    folder.write("b_right.ron", &graph(r#"(at: 1, of: "held", statistic: "max", equals: 6)"#));
    let output = stagewright(&["test", &folder.path("")]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).ends_with("1 passed, 0 failed, 1 graph without expectations\n"), "{}", out(&output));
    folder.write("c_broken.ron", "(version: 1, nodes: {\"a\": (stage: \"no/such\")})");
    let junit = folder.path("junit.xml");
    let output = stagewright(&["test", &folder.path(""), "--junit", &junit]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(out(&output).ends_with("1 graph without expectations, 1 graph not run\n"), "{}", out(&output));
    assert!(folder.read("junit.xml").contains("errors=\"1\" skipped=\"1\""), "{}", folder.read("junit.xml"));
    for wrong in [&["test", "no/such.ron"][..], &["test", &folder.path("b_right.ron"), "--param", "no.such=1"]] {
        assert_eq!(stagewright(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

/// Sizes at which this takes seconds without a GPU.
const SMALL: [(&str, &[&str]); 8] = [
    ("curl_noise", &["picture.resolution=75,100"]),
    ("curl_noise_2d", &[]),
    ("curl_wake_3d", &["spacing.value=0.04", "picture.resolution=96,54"]),
    ("oil_clock", &["picture.resolution=60,60"]),
    ("sph_water", &["spacing.value=0.05", "picture_height.value=120"]),
    ("stable_fluids", &["domain.resolution=96,96", "fine.resolution=192,192"]),
    ("unity_fluid", &["domain.resolution=96,96", "sheet.resolution=128,128"]),
    ("smoke_particles_3d", &["cells.value=16", "spacing.value=0.03", "picture.resolution=75,100"]),
];

#[test]
fn shipped_graphs_keep_what_they_state() {
    let shipped = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("graphs")).expect("graphs");
    let shipped = shipped.flatten().filter(|entry| entry.path().extension().is_some_and(|e| e == "ron")).count();
    assert_eq!(shipped, SMALL.len(), "every shipped graph is tested");
    for (name, params) in today(SMALL, 2) {
        let graph = format!("graphs/{name}.ron");
        let mut arguments = vec!["test", &graph];
        arguments.extend(params.iter().flat_map(|param| ["--param", param]));
        let output = stagewright(&arguments);
        let text = out(&output);
        assert_eq!(output.status.code(), Some(0), "{text}{}", err(&output));
        assert!(text.contains(" passed, 0 failed\n") && !text.contains("\n0 passed"), "{text}");
    }
}

/// As `scripts/validate`, which runs all of them; here a third of them runs, another one each day.
#[test]
fn the_validation_cases_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("graphs/validation");
    let mut cases: Vec<_> = std::fs::read_dir(folder).expect("cases").map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    let cases: Vec<String> = cases.iter().map(|case| case.display().to_string()).collect();
    let today: Vec<&str> = today(cases.iter().map(String::as_str), 3).collect();
    let output = stagewright(&["test"].into_iter().chain(today.iter().copied()).collect::<Vec<_>>());
    let text = out(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", err(&output));
    let silent = text.contains("without expectations") || text.contains("not run");
    assert!(!silent && text.matches(".ron\n").count() == today.len(), "{text}");
}

#[test]
fn the_same_run_gives_the_same_hashes_and_another_seed_is_found_at_its_first_frame() {
    let folder = Folder::new("hashes");
    let graph_text = graph(RIGHT);
    let graph = folder.write("count.ron", &graph_text);
    let (frames, hashes) = (folder.path("frames"), folder.path("hashes.txt"));
    let render = |graph: &str, more: &[&str]| {
        let mut arguments = vec!["render", graph, "--frames", "3", "--out", &frames, "--deterministic"];
        arguments.extend(more);
        stagewright(&arguments)
    };
    let first = render(&graph, &["--hashes", &hashes]);
    assert!(first.status.success(), "{}", err(&first));
    let text = out(&first);
    assert!(["program: stagewright ", "adapter: ", "graph: ", "promise: "].iter().all(|w| text.contains(w)), "{text}");
    let rows: Vec<&str> = text.lines().filter(|line| line.ends_with(" held.value")).collect();
    assert_eq!(rows.len(), 3, "a row for each frame of a State: {text}");
    assert!(rows.iter().all(|row| folder.read("hashes.txt").contains(row)), "they are those of the file");
    let same = render(&graph, &["--compare", &hashes]);
    assert!(same.status.success(), "{}", err(&same));
    assert!(out(&same).contains("all the same"), "{}", out(&same));
    // Only the random State differs, from the first frame on.
    let seeded = folder.write("count.ron", &folder.read("count.ron").replace("(version: 1,", "(version: 1, seed: 7,"));
    let other = render(&seeded, &["--compare", &hashes]);
    assert_eq!(other.status.code(), Some(1));
    assert!(err(&other).contains("frame 1: State `before.value` differs from the file"), "{}", err(&other));
    assert!(out(&other).contains("the graph, its parameters or its stages differ"), "{}", out(&other));
    // One State of the second frame.
    let row = text.lines().find(|line| line.starts_with("2 ") && line.ends_with(" held.value")).unwrap();
    let changed = folder.read("hashes.txt").replace(row, &format!("2 {:032x} held.value", 1));
    let changed = folder.write("changed.txt", &changed);
    let unseeded = folder.write("count.ron", &graph_text);
    let output = render(&unseeded, &["--compare", &changed]);
    assert_eq!(output.status.code(), Some(1));
    assert!(err(&output).contains("frame 2: State `held.value` differs from the file"), "{}", err(&output));
    let wrong = render(&graph, &["--resume"]);
    assert_eq!(wrong.status.code(), Some(2), "what is resumed is not all computed by this run");
}

#[test]
fn a_deterministic_test_runs_every_graph_twice() {
    let folder = Folder::new("twice");
    let (graph, hashes) = (folder.write("count.ron", &graph(RIGHT)), folder.path("hashes.txt"));
    let output = stagewright(&["test", &graph, "--deterministic", "--hashes", &hashes]);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    assert!(out(&output).contains("ok       the same bits in a second run"), "{}", out(&output));
    let written = folder.read("hashes.txt");
    let changed = written.lines().map(|line| match line.starts_with("3 ") && line.ends_with("held.value") {
        true => format!("3 {:032x} held.value\n", 5),
        false => format!("{line}\n"),
    });
    let changed = folder.write("changed.txt", &changed.collect::<String>());
    let output = stagewright(&["test", &graph, "--deterministic", "--compare", &changed]);
    assert_eq!(output.status.code(), Some(1), "{}", out(&output));
    assert!(out(&output).contains("frame 3: State `held.value` differs from the file"), "{}", out(&output));
    let output = stagewright(&["test", &graph, "--compare", &changed]);
    assert_eq!(output.status.code(), Some(2), "it goes with --deterministic");
}
