//! `render --stop-on`: ends a run where it goes wrong, with an exit code of its own.

use stagewright_runtime::sim::checkpoint::CheckpointFile;

use super::*;

/// The root of a number that falls by one a frame, in all cells but where it rises.
const ROOT: &str = r#"(version: 1, nodes: {
    "flat": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
    "level": (state: "Grid<f32>", params: {"value": 2.5}, inputs: {"next": "fall.x"}),
    "fall": (custom: "//! F\n//! @inout x: Grid<f32>\nfn stage(cell: Cell) -> f32 { return x(cell) - select(1.0, -1.0, cell.x < 5); }", inputs: {"x": "level.value"}),
    "root": (custom: "//! R\n//! @in x: Grid<f32>\n//! @out y: Grid<f32>\nfn stage(cell: Cell) -> f32 { return sqrt(x(cell)); }", inputs: {"x": "fall.x"}),
    "kept": (state: "Grid<f32>", inputs: {"next": "root.y"}),
    "look": (stage: "view/color_map", inputs: {"field": "kept.value"}),
    "screen": (output: (), inputs: {"image": "look.image"}),
})"#;

#[test]
fn a_run_stops_where_nan_begins_and_reports_it_with_an_exit_code_of_its_own() {
    let dir = folder("stop");
    let (graph, frames) = (dir.join("root.ron"), dir.join("frames"));
    std::fs::write(&graph, ROOT).unwrap();
    let run = |more: &[&str]| {
        let arguments = ["render", graph.to_str().unwrap(), "--frames", "9", "--out", frames.to_str().unwrap()];
        stagewright(&[&arguments[..], more].concat())
    };
    let stopped = run(&["--stop-on", "nan"]);
    assert_eq!(stopped.status.code(), Some(4), "{}", err(&stopped));
    let text = out(&stopped);
    for part in ["stopped in frame 3: NaN or infinity in kept", "root", "cell (5, 0) of flat", "fall.x = -0.5"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(
        std::fs::read_dir(&frames)
            .unwrap()
            .filter(|e| e.as_ref().unwrap().path().extension().is_some_and(|e| e == "png"))
            .count(),
        3
    );
    // The checkpoint holds what that frame starts from.
    let checkpoint = frames.join("checkpoint.0002.safetensors");
    let from = checkpoint.to_str().unwrap();
    assert!(text.contains(from), "{text}");
    let again = run(&["--from", from, "--stop-on", "nan"]);
    assert_eq!(again.status.code(), Some(4), "{}", err(&again));
    let report = |text: &str| -> Vec<String> {
        text.lines().skip_while(|line| !line.starts_with("stopped")).map(String::from).collect()
    };
    let (first, second) = (report(&text), report(&out(&again)));
    assert!(first.len() > 4 && first == second, "{first:?} {second:?}");
    let stopped = run(&["--stop-on", "alarm", "--stop-on", "level.value:min < 0", "--json"]);
    assert_eq!(stopped.status.code(), Some(4), "{}", err(&stopped));
    let json: serde_json::Value = serde_json::from_str(&out(&stopped)).expect("nothing but JSON");
    assert_eq!((&json["frame"], &json["node"], &json["value"][0]), (&3.into(), &"fall".into(), &(-0.5).into()));
    // The export that was stopped is resumed from that checkpoint, and stops there again.
    let resumed = run(&["--resume", "--stop-on", "nan"]);
    assert_eq!((resumed.status.code(), out(&resumed)), (Some(4), text.clone()), "{}", err(&resumed));
    // One that never stops is complete.
    let silent = run(&["--stop-on", "level.value outside -9..99", "--json"]);
    assert_eq!((silent.status.code(), out(&silent).trim()), (Some(0), "null"), "{}", err(&silent));
    // A stop in the first frame leaves a checkpoint of the start.
    let first = run(&["--stop-on", "fall.x outside ..2"]);
    assert_eq!(first.status.code(), Some(4), "{}", err(&first));
    let start = CheckpointFile::open(&frames.join("checkpoint.0000.safetensors")).expect("a checkpoint");
    let stop = start.about().stop.clone().expect("the place").report;
    assert_eq!((stop.frame, stop.dispatch, stop.index), (1, Some(stop.ran), Some(vec![0, 0])));
    let again = run(&["--from", frames.join("checkpoint.0000.safetensors").to_str().unwrap(), "--stop-on", "nan"]);
    assert_eq!(report(&text), report(&out(&again)), "{}", err(&again));
    let wrong = run(&["--stop-on", "lewel.value:max > 3"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(err(&wrong).contains("lewel"), "{}", err(&wrong));
    std::fs::remove_dir_all(dir).unwrap();
}
