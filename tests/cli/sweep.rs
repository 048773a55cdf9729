//! Sweeps: what they write does not depend on how their tasks were run.

use std::collections::BTreeMap;
use std::path::Path;

use super::{err, folder, out, stagewright};

const GRAPH: &str = r#"(version: 1, name: "count", nodes: {
    "domain": (domain: (resolution: (24, 16), width: 1, edge: "wall")),
    "smoke": (state: "Grid<f32>", inputs: {"next": "blur.field"}),
    "more": (stage: "fluid/add_source", inputs: {"field": "smoke.value"}, params: {"radius": 0.3, "rate": 1}),
    "blur": (stage: "fluid/diffuse", inputs: {"field": "more.field", "before": "more.field"}, iterations: 2),
    "look": (stage: "view/color_map", inputs: {"field": "blur.field"}),
    "screen": (output: (), inputs: {"image": "look.image"}),
})"#;

/// All files below a folder that a task or its sheet writes, without what depends on the time that it took.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(next) = waiting.pop() {
        for entry in std::fs::read_dir(&next).unwrap().flatten() {
            let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
            if path.is_dir() {
                waiting.push(path);
            } else if !["timing.json", "sheet.html", "sweep.csv", ".frame.export"].contains(&name.as_str()) {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                found.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    found
}

#[test]
fn tasks_give_the_same_files_together_and_alone() {
    let dir = folder("sweep");
    let graph = dir.join("count.ron");
    std::fs::write(&graph, GRAPH).unwrap();
    let (graph, all, alone) = (graph.to_str().unwrap(), dir.join("all"), dir.join("alone"));
    let options = [
        "--set",
        "more.rate=1..3:2",
        "--set",
        "blur.iterations=1,2",
        "--frames",
        "3",
        "--number",
        "smoke.value:sum",
        "smoke:npy",
    ];
    let sweep = |folder: &Path, more: &[&str]| {
        let mut arguments = vec!["sweep", graph, "--out", folder.to_str().unwrap()];
        arguments.extend(more);
        stagewright(&arguments)
    };
    let output = sweep(&all, &options);
    assert!(output.status.success(), "{}", err(&output));
    assert!(out(&output).contains("0003: more.rate=3 blur.iterations=2"), "{}", out(&output));
    assert!(out(&output).contains("4 of 4 tasks are complete"), "{}", out(&output));
    let table = std::fs::read_to_string(all.join("sweep.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["index", "more.rate", "blur.iterations", "smoke.value:sum", "ms_per_frame"]);
    assert_eq!(rows[4][..3], ["3", "3", "2"]);
    // Three times the rate is three times the smoke.
    let sum = |row: usize| rows[row][3].parse::<f64>().unwrap();
    assert!((sum(3) / sum(1) - 3.0).abs() < 1e-4 && sum(1) > 0.0, "{table}");
    let page = std::fs::read_to_string(all.join("sheet.html")).unwrap();
    assert!(page.contains(r#""parameters":["more.rate","blur.iterations"]"#) && !page.contains("DATA"));

    // Alone, first in a new folder and with all options, then by the manifest.
    let output = sweep(&alone, &[&options[..], &["--index", "2"]].concat());
    assert!(output.status.success(), "{}", err(&output));
    std::fs::write(alone.join("0002/values.json"), "{}").unwrap();
    std::fs::remove_file(alone.join("0002/screen.0003.png")).unwrap();
    let output = sweep(&alone, &["--jobs", "2"]);
    assert!(output.status.success(), "{}", err(&output));
    let (one, other) = (files(&all), files(&alone));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    assert!(one.contains_key("0002/smoke.0003.npy") && one.contains_key("sheet.png"), "{:?}", one.keys());
    for (name, bytes) in &one {
        assert!(other[name] == *bytes, "{name} differs");
    }

    // Nothing runs twice.
    let output = sweep(&all, &["--index", "1"]);
    assert!(out(&output).contains("(was complete)"), "{}", out(&output));
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn what_cannot_run_is_said_before_anything_runs() {
    let dir = folder("sweep-refused");
    let graph = dir.join("count.ron");
    std::fs::write(&graph, GRAPH).unwrap();
    let (graph, folder) = (graph.to_str().unwrap(), dir.join("out"));
    let refused = |more: &[&str]| {
        let mut arguments = vec!["sweep", graph, "--out", folder.to_str().unwrap()];
        arguments.extend(more);
        let output = stagewright(&arguments);
        assert_eq!(output.status.code(), Some(1), "{}", out(&output));
        err(&output)
    };
    let text = refused(&["--set", "more.radius=-1..1:3", "--frames", "2"]);
    assert!(text.contains("more.radius=-1: more.radius: -1 is outside 0.."), "{text}");
    let text = refused(&["--set", "mores.radius=1", "--frames", "2"]);
    assert!(text.contains("there is no node `mores`"), "{text}");
    assert!(!folder.exists(), "no folder either");

    let emitted = ["--set", "more.rate=1..3:2", "--frames", "2", "--emit", "slurm"];
    let output = stagewright(&[&["sweep", graph, "--out", folder.to_str().unwrap()][..], &emitted].concat());
    assert!(output.status.success() && folder.join("slurm.sh").exists(), "{}", err(&output));
    let text = refused(&["--set", "more.rate=1..3:2", "--frames", "3"]);
    assert!(text.contains("a sweep with other options (more.rate=1..3:2); choose another folder"), "{text}");
    std::fs::write(graph, GRAPH.replace("0.3", "0.4")).unwrap();
    let text = refused(&["--index", "0"]);
    assert!(text.contains("the graph, its stages or its files have changed"), "{text}");
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn runs_continue_from_a_checkpoint_and_give_the_frames_of_the_whole_run() {
    let dir = folder("sweep_from");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let graph = path("count.ron");
    std::fs::write(&graph, GRAPH).unwrap();
    let whole = ["render", &graph, "--frames", "3", "--checkpoint-every", "2", "--out", &path("whole")];
    assert!(stagewright(&whole).status.success());
    let (from, out) = (path("whole/checkpoint.0002.safetensors"), path("sweep"));
    let sweep = |frames: &str| {
        let set = ["--set", "more.rate=1,2", "--frames", frames, "--name", "{graph}.{frame}"];
        let named = [&["sweep", &graph, "--out", &out, "--from", &from], &set[..]].concat();
        stagewright(&named)
    };
    let late = sweep("2");
    assert!(err(&late).contains("frame 2 is not after frame 2"), "{}", err(&late));
    let output = sweep("3");
    assert!(output.status.success(), "{}", err(&output));
    let [one, two] = [0, 1].map(|run| std::fs::read(path(&format!("sweep/{run:04}/count.0003.png"))).unwrap());
    let last = std::fs::read(path("whole/frame.0003.png")).unwrap();
    assert!(one == last && two != last, "the value of the first run is that of the graph");
    std::fs::remove_dir_all(dir).unwrap();
}
