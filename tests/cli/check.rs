//! What `check` finds, and what words and exit codes say of warnings, left out nodes and missing GPUs.

use super::*;

/// A graph with an image, and more nodes and fields.
fn graph(dir: &std::path::Path, nodes: &str, fields: &str) -> String {
    let text = format!(
        r#"(version: 1, fps: 60, nodes: {{
            "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
            "one": (stage: "grid/expression", on: "box", params: {{"value": "1"}}),
            "look": (stage: "view/color_map", inputs: {{"field": "one.result"}}),
            "screen": (output: (), inputs: {{"image": "look.image"}}),
            {nodes}
        }}, {fields})"#
    );
    let path = dir.join("graph.ron");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_string()
}

const WRONG: &str =
    r#""k": (custom: "//! K\n//! @out v: Grid<f32>\nfn stage(cell: Cell) -> f32 { return vec2f(1.0); }", on: "box"),"#;

#[test]
fn check_finds_what_no_image_needs() {
    let dir = folder("check-unneeded");
    let check = |nodes: &str, fields: &str| {
        let output = stagewright(&["check", &graph(&dir, nodes, fields)]);
        (output.status.code(), out(&output) + &err(&output))
    };
    let mesh = r#""mesh": (file: "lost.obj", on: "box"),"#;
    let held = format!(
        r#"{mesh} "kept": (state: "Grid<f32>", on: "box", inputs: {{"init": "mesh.distance", "next": "kept.value"}}),"#
    );
    for (nodes, fields, says) in [
        (WRONG, "", "error: k: "),
        (mesh, "", "lost.obj: there is no such file"),
        (&held, "", "lost.obj: there is no such file"),
        ("", r#"expect: [(at: 1, of: "nobody.x", below: 1)]"#, "error: expectation 1: there is no node `nobody`"),
        ("", r#"exports: {"comp": (what: ["nobody.x"])}"#, "export preset `comp`: there is no such node"),
        ("", r#"exports: {"comp": (frames: (5, 3))}"#, "export preset `comp`: invalid frame range 5-3"),
        ("", r#"variants: {"v": (stages: {"one": "no/such"})}"#, "variant `v`: "),
    ] {
        let (code, said) = check(nodes, fields);
        assert!(code == Some(1) && said.contains(says) && !said.contains("no problems"), "{says}: {code:?} {said}");
    }
    let (code, said) = check("", r#"colour: 1"#);
    assert!(code == Some(0) && said.contains("no errors, 1 warning"), "{code:?} {said}");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_success_prints_no_error_and_strict_makes_a_warning_one() {
    let dir = folder("left-out");
    let file = graph(&dir, r#""lost": (stage: "no/such"), "bad": (stage: "grid/scale", inputs: {"a": "lost"}),"#, "");
    let render = |frames: &str, more: &[&str]| {
        let frames = dir.join(frames);
        let arguments = ["render", &file, "--frames", "1", "--out", frames.to_str().unwrap()];
        (stagewright(&[&arguments[..], more].concat()), frames)
    };
    let (output, _) = render("a", &[]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(
        err(&output).contains("warning: lost: not computed: ") && !err(&output).contains("error"),
        "{}",
        err(&output)
    );
    let (output, frames) = render("b", &["--strict"]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(
        err(&output).contains("--strict: 1 warning") && !frames.join("frame.0001.png").exists(),
        "{}",
        err(&output)
    );
    // What is asked for is not left out.
    let (output, _) = render("c", &["--wire", "bad.scaled"]);
    assert!(output.status.code() == Some(1) && err(&output).contains("error: lost: "), "{}", err(&output));
    let bypassed = graph(&dir, r#""half": (stage: "grid/scale", inputs: {"a": "one.result"}, muted: true),"#, "");
    let output =
        stagewright(&["export", &bypassed, "half:npy", "--frames", "1", "--out", dir.join("d").to_str().unwrap()]);
    assert!(output.status.code() == Some(1) && err(&output).contains("bypassed"), "{}", err(&output));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn strict_ends_at_the_end_where_the_run_warns() {
    let dir = folder("strict");
    let adds = r#""s": (custom: "//! S\n//! @out x: Grid<f32>, scatter 16\nfn stage(cell: Cell) { add_x(Cell(0, 0), 1e9); }", on: "box"),
        "kept": (state: "Grid<f32>", on: "box", inputs: {"next": "s"}),"#;
    let expect = r#"expect: [(at: 1, of: "kept.value", statistic: "count", equals: 64)]"#;
    let file = graph(&dir, adds, expect);
    let record =
        |more: &[&str]| stagewright(&[&["record", &file, "--frames", "1", "--number", "kept:sum"], more].concat());
    for (output, code) in [
        (record(&[]), 0),
        (record(&["--strict"]), 1),
        (stagewright(&["test", &file]), 0),
        (stagewright(&["test", &file, "--strict"]), 1),
    ] {
        assert_eq!(output.status.code(), Some(code), "{}{}", out(&output), err(&output));
        assert!(err(&output).contains("the sum left the range"), "{}", err(&output));
        assert_eq!((out(&output) + &err(&output)).contains("--strict"), code == 1);
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_software_driver_is_named_in_one_line_and_can_be_refused() {
    let arguments = [
        "record",
        "graphs/templates/waves.ron",
        "--frames",
        "1",
        "--param",
        "domain.resolution=16x16",
        "--number",
        "water:sum",
    ];
    let output = stagewright(&arguments);
    if !err(&output).contains("software driver") {
        // A GPU does the work here.
        assert_eq!(stagewright(&[&arguments[..], &["--require-gpu"]].concat()).status.code(), output.status.code());
        return;
    }
    assert_eq!(err(&output).matches("software driver").count(), 1, "{}", err(&output));
    for arguments in [&arguments[..], &["test", "graphs/templates/waves.ron"]] {
        let refused = stagewright(&[arguments, &["--require-gpu"]].concat());
        assert_eq!(refused.status.code(), Some(5), "{}", err(&refused));
        assert!(err(&refused).contains("--require-gpu: ") && out(&refused).is_empty(), "{}", err(&refused));
    }
}

#[test]
fn an_expectation_of_another_variant_is_not_checked_there() {
    let dir = folder("other-variant");
    let scaled = r#""half": (stage: "grid/scale", inputs: {"a": "one.result"}),"#;
    let fields = r#"expect: [(at: 1, of: "half.scaled", statistic: "max", equals: 1)], variants: {"off": (muted: {"half": true})}"#;
    let file = graph(&dir, scaled, fields);
    for arguments in [&["test", &file][..], &["test", &file, "--variant", "off"], &["check", &file]] {
        let output = stagewright(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?} {}{}", out(&output), err(&output));
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn what_earlier_versions_called_by_another_name_is_renamed_and_said() {
    let dir = folder("check-earlier");
    let nodes = r#""part": (stage: "multigrid/coarse_part"), "sweep": (stage: "multigrid/link_sweep", params: {"relaxation": 1}),"#;
    let output = stagewright(&["check", &graph(&dir, nodes, "")]);
    let said = err(&output);
    println!("{said}");
    assert!(said.contains("note: ") && said.contains("part: multigrid/coarse_part is now multigrid/coarse_weight"));
    assert!(said.contains("sweep: multigrid/link_sweep has no parameter `relaxation` any more"), "{said}");
    let text = std::fs::read_to_string(dir.join("graph.ron")).unwrap();
    assert!(text.contains("multigrid/coarse_part"), "the file stays as it is");
}
