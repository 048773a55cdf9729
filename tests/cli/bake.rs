//! Bakes: a graph that runs from a cache renders what the solver computed, and says when the cache is stale.

use super::{err, folder, out, stagewright};

const GRAPH: &str = r#"(version: 1, name: "count",
    bakes: {"smoke": (wires: ["blur.field"], frames: (1, 4), folder: "smoke.bake")},
    exports: {"both": (what: ["screen:png", "smoke:npy"], frames: (2, 3), folder: "out")},
    nodes: {
    "domain": (domain: (resolution: (24, 16), width: 1, edge: "wall")),
    "smoke": (state: "Grid<f32>", inputs: {"next": "blur.field"}),
    "more": (stage: "fluid/add_source", inputs: {"field": "smoke.value"}, params: {"radius": 0.3, "rate": 1}),
    "blur": (stage: "fluid/diffuse", inputs: {"field": "more.field", "before": "more.field"}, iterations: 2),
    "look": (stage: "view/color_map", inputs: {"field": "blur.field"}),
    "screen": (output: (), inputs: {"image": "look.image"}),
})"#;

#[test]
fn a_baked_graph_renders_the_same_and_tells_what_makes_it_stale() {
    let dir = folder("bake");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let (graph, live, played) = (path("count.ron"), path("live"), path("played"));
    std::fs::write(&graph, GRAPH).unwrap();
    let run = |arguments: &[&str]| {
        let output = stagewright(arguments);
        assert!(output.status.success(), "{}", err(&output));
        output
    };
    run(&["render", &graph, "--frames", "4", "--out", &live]);
    let baked = run(&["bake", &graph]);
    assert!(out(&baked).contains("4 frames in"), "{}", out(&baked));
    let again = run(&["render", &graph, "--frames", "4", "--out", &played]);
    assert!(!err(&again).contains("stale"), "{}", err(&again));
    for frame in 1..=4 {
        let name = format!("frame.{frame:04}.png");
        let [a, b] = [&live, &played].map(|folder| std::fs::read(format!("{folder}/{name}")).unwrap());
        assert!(a == b, "{name} differs");
    }
    // A flipped byte is found, and the frame is computed again.
    let frame = dir.join("smoke.bake/frame.0003.bake");
    let whole = std::fs::read(&frame).unwrap();
    let mut bytes = whole.clone();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&frame, &bytes).unwrap();
    let verified = stagewright(&["bake", &graph, "--list", "--verify"]);
    let (report, failed) = (out(&verified), err(&verified));
    assert!(report.contains("frame 3: ") && report.contains("frame.0003.bake is damaged"), "{report}");
    assert!(!verified.status.success() && failed.contains("bake --resume"), "{failed}");
    let resumed = run(&["bake", &graph, "--resume"]);
    assert!(out(&resumed).contains("frame 3 was computed again: "), "{}", out(&resumed));
    assert!(out(&resumed).contains("3 frames already existed"), "{}", out(&resumed));
    assert!(std::fs::read(&frame).unwrap() == whole);
    let verified = run(&["bake", &graph, "--list", "--verify"]);
    assert!(out(&verified).contains("4 frames read, 0 broken"), "{}", out(&verified));
    // The frames that are missing belong to the cache, so a change of the solver is seen.
    std::fs::write(&graph, GRAPH.replace(r#""rate": 1"#, r#""rate": 2"#)).unwrap();
    let listed = run(&["bake", &graph, "--list"]);
    assert!(out(&listed).contains("more.rate was 1 and is 2"), "{}", out(&listed));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_preset_of_the_graph_is_exported_by_its_name() {
    let dir = folder("preset");
    let graph = dir.join("count.ron");
    std::fs::write(&graph, GRAPH).unwrap();
    let output = stagewright(&["export", graph.to_str().unwrap(), "--preset", "both"]);
    assert!(output.status.success(), "{}", err(&output));
    for name in ["screen.0002.png", "screen.0003.png", "smoke.0002.npy", "smoke.0003.npy"] {
        assert!(dir.join("out").join(name).is_file(), "{name} is missing");
    }
    let output = stagewright(&["export", graph.to_str().unwrap(), "--preset", "bot"]);
    assert!(!output.status.success() && err(&output).contains("both"), "{}", err(&output));
    std::fs::remove_dir_all(dir).unwrap();
}
