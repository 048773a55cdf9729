//! Options that would have no effect, and values that mean nothing: each is refused in one sentence before anything runs.

use super::*;

const GRAPH: &str = "graphs/templates/waves.ron";

#[test]
fn what_would_be_ignored_is_refused() {
    let dir = folder("ignored");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_string();
    let (csv, wav, frames) = (path("a.csv"), path("a.wav"), path("frames"));
    std::fs::write(&csv, "frame,x\n1,1\n2,2\n").unwrap();
    std::fs::write(&wav, "RIFF").unwrap();
    let (jpg, png) = (path("a.jpg"), path("p.png"));
    let render = |more: &[&'static str]| {
        let arguments = ["render", GRAPH, "--frames", "9", "--out", frames.as_str()];
        [&arguments[..], more].concat().iter().map(|word| word.to_string()).collect::<Vec<_>>()
    };
    let plain = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
    let cases = [
        (plain(&["keys", &wav, "--column", "x"]), "--column is for tables"),
        (plain(&["keys", &csv, "--peak"]), "--peak is for sounds"),
        (plain(&["keys", &csv, "--fps", "30"]), "--fps has no effect"),
        (plain(&["points", "a.obj", "--out", &png]), "written as .ply"),
        (plain(&["points", "a.obj", "--out", "a.ply", "--count", "0"]), "0 is not in 1"),
        (plain(&["compare", GRAPH, GRAPH, "--frames", "1", "--image", &jpg]), "written as .png"),
        (plain(&["record", GRAPH, "--number", "time", "--frames", "18446744073709551615"]), "at most 99999999 frames"),
        (render(&["--stop-on", "frame 0"]), "frames are counted from 1"),
        (render(&["--stop-on", "frame 10"]), "the run ends with frame 9"),
        (render(&["--stop-on", "water.value outside 5..1"]), "5..1 holds no number"),
        (render(&["--stop-on", "water.value outside nan..1"]), "holds no number"),
        (render(&["--stop-on", "nan wather.value"]), "did you mean `water`?"),
        (render(&["--stop-on", "wather.value:max > 1"]), "did you mean `water`?"),
        (render(&["--wire", "water.value", "--slice", "z=max"]), "in two dimensions"),
        (render(&["--wire", "wather.value"]), "did you mean `water`?"),
    ];
    for (arguments, says) in cases {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = stagewright(&words);
        assert!(!output.status.success(), "{words:?}");
        let said = err(&output);
        assert!(said.contains(says) && !said.contains("expectation") && !said.contains("`of`"), "{words:?}: {said}");
    }
    assert!(!dir.join("frames").exists(), "nothing was written");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_sweep_finds_before_its_tasks_what_each_of_them_would_find() {
    let dir = folder("sweep-early");
    let (graph, folder) = (dir.join("g.ron"), dir.join("out"));
    let text = |body: &str| {
        format!(
            r#"(version: 1, nodes: {{"box": (domain: (resolution: (4, 4), width: 1)), "rate": (number: 1),
            "one": (custom: "//! O\n//! @out x: Grid<f32>\n//! @param a: f32 = 1\nfn stage(cell: Cell) -> f32 {{ return {body}; }}", on: "box", params: {{"a": "rate"}}),
            "look": (stage: "view/color_map", inputs: {{"field": "one.x"}}), "screen": (output: (), inputs: {{"image": "look"}}),
        }})"#
        )
    };
    std::fs::write(&graph, text("sqrt(params.a)")).unwrap();
    let sweep = |more: &[&str]| {
        let arguments = ["sweep", graph.to_str().unwrap(), "--out", folder.to_str().unwrap(), "--frames", "1"];
        stagewright(&[&arguments[..], &["--set", "rate.value=-1,1"], more].concat())
    };
    for (more, says) in [
        (&["--emit", "slurm", "--number", "two.x:sum"][..], "there is no node `two`"),
        (&["--emit", "slurm", "--image", "two.x"], "there is no such node"),
        (&["--number", "one.x"], "no statistic is named"),
        (&["two.x:npy"], "there is no such node"),
        (&["--param", "rate.value=3"], "--param sets it too"),
    ] {
        let output = sweep(more);
        assert_eq!(output.status.code(), Some(1), "{more:?}");
        assert!(err(&output).contains(says) && !folder.exists(), "{more:?}: {}", err(&output));
    }
    let output = sweep(&["--number", "one.x:max"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(
        err(&output).contains("task 0:") && err(&output).contains("`one.x:max` is NaN after frame 1"),
        "{}",
        err(&output)
    );
    // The manifest has the options, so others beside it would be ignored.
    let arguments = ["sweep", graph.to_str().unwrap(), "--out", folder.to_str().unwrap()];
    let output = stagewright(&[&arguments[..], &["--number", "one.x:min"]].concat());
    assert!(output.status.code() == Some(1) && err(&output).contains("--number: "), "{}", err(&output));
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&graph, text("vec2f(params.a)")).unwrap();
    let output = sweep(&["--emit", "slurm"]);
    assert!(output.status.code() == Some(1) && !folder.exists(), "{}", err(&output));
    std::fs::remove_dir_all(dir).unwrap();
}
