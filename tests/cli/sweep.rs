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
    let graph = graph.to_str().unwrap();
    let all = dir.join("all");
    let alone = dir.join("alone");
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

/// A sweep of two runs in a folder of its own, which is complete.
fn complete(name: &str) -> (std::path::PathBuf, impl Fn(&[&str]) -> std::process::Output) {
    let dir = folder(name);
    let graph = dir.join("count.ron");
    std::fs::write(&graph, GRAPH).unwrap();
    let out = dir.join("out");
    let run = move |more: &[&str]| {
        let paths = [graph.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let options = ["--set", "more.rate=1,2", "--frames", "1", "--number", "smoke.value:sum"];
        stagewright(&[&["sweep"][..], &paths, &options, more].concat())
    };
    let output = run(&[]);
    assert!(output.status.success(), "{}", err(&output));
    (dir, run)
}

#[cfg(unix)]
#[test]
fn a_task_whose_folder_is_a_link_deletes_nothing() {
    let (dir, run) = complete("sweep-link");
    let (task, elsewhere) = (dir.join("out/0000"), dir.join("elsewhere"));
    std::fs::remove_dir_all(&task).unwrap();
    std::fs::create_dir(&elsewhere).unwrap();
    for name in ["values.json", "screen.0001.png"] {
        std::fs::write(elsewhere.join(name), "mine").unwrap();
    }
    std::os::unix::fs::symlink(&elsewhere, &task).unwrap();
    let output = run(&[]);
    assert!(!output.status.success() && err(&output).contains("it is a symbolic link to"), "{}", err(&output));
    // Files of others in a folder of its own are not replaced either.
    std::fs::remove_file(&task).unwrap();
    std::fs::create_dir(&task).unwrap();
    std::fs::write(task.join("screen.0001.png"), "mine").unwrap();
    let output = run(&[]);
    assert!(err(&output).contains("was not written by this sweep"), "{}", err(&output));
    for path in [elsewhere.join("values.json"), elsewhere.join("screen.0001.png"), task.join("screen.0001.png")] {
        assert_eq!(std::fs::read_to_string(path).unwrap(), "mine");
    }
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn what_a_killed_sweep_left_goes_at_once_and_files_of_others_stay() {
    let (dir, run) = complete("sweep-killed");
    let left = [".stagewright-frame-abc.tmp", "0001/.stagewright-frame-abc.tmp"].map(|name| dir.join("out").join(name));
    left.iter().for_each(|path| std::fs::write(path, "half").unwrap());
    std::fs::remove_file(dir.join("out/0001/values.json")).unwrap();
    let output = run(&[]);
    assert!(output.status.success() && !left.iter().any(|path| path.exists()), "{}", err(&output));
    // A folder with a table, which is not of a sweep.
    std::fs::remove_file(dir.join("out/manifest.json")).unwrap();
    std::fs::remove_dir_all(dir.join("out/0000")).unwrap();
    std::fs::remove_dir_all(dir.join("out/0001")).unwrap();
    std::fs::write(dir.join("out/sweep.csv"), "mine").unwrap();
    let output = run(&[]);
    assert!(!output.status.success() && err(&output).contains("and no manifest.json"), "{}", err(&output));
    assert_eq!(std::fs::read_to_string(dir.join("out/sweep.csv")).unwrap(), "mine");
    let _ = std::fs::remove_dir_all(dir);
}

/// A folder of a sweep from somebody else: the sheet shows its own images and no others, and ends whatever the folder claims.
#[test]
fn a_sheet_of_a_hostile_folder_shows_no_other_file_and_ends() {
    let (dir, _) = complete("sweep-hostile");
    let out_folder = dir.join("out");
    let values = out_folder.join("0000/values.json");
    let text = std::fs::read_to_string(&values).unwrap();
    std::fs::create_dir(dir.join("secret")).unwrap();
    std::fs::copy(out_folder.join("0001/screen.0001.png"), dir.join("secret/private.png")).unwrap();
    let sheet = || stagewright(&["sweep", "--sheet", out_folder.to_str().unwrap()]);
    let secret = dir.join("secret/private.png").to_str().unwrap().to_string();
    for name in ["../../secret/private.png", secret.as_str(), "..", ".", "", "../0001/screen.0001.png", "no.png"] {
        std::fs::write(&values, text.replace("screen.0001.png", name)).unwrap();
        let output = sheet();
        assert!(out(&output).contains("1 of 2 tasks are complete"), "{name}: {} {}", out(&output), err(&output));
    }
    std::fs::write(&values, &text).unwrap();
    let image = out_folder.join("0000/screen.0001.png");
    let embedded = || std::fs::read_to_string(out_folder.join("sheet.html")).unwrap().matches("data:image/png").count();
    assert!(out(&sheet()).contains("2 of 2 tasks") && embedded() == 2);
    // An image of 30,000 x 30,000 pixels, by its header.
    let mut header = b"IHDR".to_vec();
    header.extend([30_000u32.to_be_bytes(), 30_000u32.to_be_bytes()].concat());
    header.extend([8, 6, 0, 0, 0]);
    let mut bomb = b"\x89PNG\r\n\x1a\n\0\0\0\x0d".to_vec();
    bomb.extend(&header);
    bomb.extend(crc(&header).to_be_bytes());
    bomb.extend(std::fs::read(&image).unwrap().split_off(33));
    std::fs::write(&image, bomb).unwrap();
    assert!(sheet().status.success() && embedded() == 1);
    #[cfg(unix)]
    {
        std::fs::remove_file(&image).unwrap();
        std::os::unix::fs::symlink(&secret, &image).unwrap();
        assert!(out(&sheet()).contains("1 of 2 tasks") && embedded() == 1);
    }
    let manifest = out_folder.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let whole = json.clone();
    let one = json["tasks"][0].clone();
    json["tasks"] = vec![one.clone(); 10_001].into();
    let many: Vec<String> = (0..3000).map(|at| format!("n.p{at}")).collect();
    let (mut wide, mut twice, mut deep, mut empty) = (whole.clone(), whole.clone(), whole.clone(), whole.clone());
    wide["parameters"] = many.into();
    twice["tasks"] = vec![one.clone(), one].into();
    deep["tasks"][0]["values"]["more.rate"] = vec![0; 3_000_000].into();
    empty["tasks"] = Vec::<u8>::new().into();
    for (json, says) in [
        (json, "it has 10001 tasks"),
        (wide, "at most 256 parameters"),
        (twice, "task 1 has the index 0"),
        (deep, "values; choose another folder"),
        (empty, "it has 0 tasks"),
    ] {
        std::fs::write(&manifest, json.to_string()).unwrap();
        let output = sheet();
        assert_eq!(output.status.code(), Some(1), "{says}: {}", err(&output));
        assert!(err(&output).contains(says), "{says}: {}", err(&output));
    }
    // As many parameters as a sweep may have: the sheet has fewer lines than the table has columns.
    let mut full = whole;
    let names: Vec<String> = (0..250).map(|at| format!("n.p{at}")).collect();
    let values: serde_json::Map<String, serde_json::Value> =
        names.iter().map(|name| (name.clone(), 1.into())).collect();
    full["parameters"] = names.into();
    full["tasks"] = (0..60).map(|index| serde_json::json!({"index": index, "values": values.clone()})).collect();
    std::fs::write(&manifest, full.to_string()).unwrap();
    let output = sheet();
    assert!(out(&output).contains("0 of 60 tasks"), "{} {}", out(&output), err(&output));
    let _ = std::fs::remove_dir_all(dir);
}

/// The checksum of a chunk of PNG.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
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
