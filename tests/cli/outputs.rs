//! Which image is rendered and at what size, what is looked for while it renders, and what arrives where it is printed.

use super::*;

#[test]
fn a_size_of_another_shape_keeps_the_image_undistorted_and_says_so() {
    let dir = folder("shape");
    let frames = dir.join("frames");
    let output = stagewright(&["render", GRAPH, "--frames", "1", "--out", frames.to_str().unwrap(), "--size", "96x64"]);
    assert!(output.status.success(), "{}", err(&output));
    assert!(err(&output).contains("rendered at 64x64; use --stretch for exactly 96x64"), "{}", err(&output));
    let (width, height, _) = decoded(&frames.join("frame.0001.png"));
    assert_eq!((width, height), (64, 64));
    std::fs::remove_dir_all(dir).unwrap();
}

/// Two Outputs of one image; the one that is second by name stands on top.
const TWO: &str = r#"(version: 1, nodes: {
    "flat": (domain: (resolution: (8, 8), width: 1, edge: "wall")), "grey": (stage: "image/checker", on: "flat"),
    "a": (output: (size: (8, 8)), inputs: {"image": "grey"}, at: (0, 200)),
    "b": (output: (size: (16, 16)), inputs: {"image": "grey"}, at: (0, 100)),
})"#;

#[test]
fn the_topmost_output_is_rendered_and_the_others_are_named() {
    let dir = folder("outputs");
    let (file, frames) = (dir.join("two.ron"), dir.join("frames"));
    std::fs::write(&file, TWO).unwrap();
    let (file, frames) = (file.to_str().unwrap(), frames.to_str().unwrap());
    let render = |more: &[&str]| {
        let output = stagewright(&[&["render", file, "--frames", "1", "--out", frames], more].concat());
        (err(&output), output.status.success())
    };
    let width = || decoded(&dir.join("frames/frame.0001.png")).0;
    let (said, done) = render(&[]);
    assert!(
        done && said.contains("rendering the Output `b` (the topmost)")
            && said.contains("choose another with --output: a"),
        "{said}"
    );
    assert_eq!(width(), 16);
    let (said, done) = render(&["--output", "a"]);
    assert!(done && !said.contains("Output"), "{said}");
    assert_eq!(width(), 8);
    let (said, done) = render(&["--output", "c"]);
    assert!(!done && said.contains("no such Output; did you mean `a`?; the Outputs are: b, a"), "{said}");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn values_that_are_no_numbers_are_traced_to_the_node_and_frame_where_they_began() {
    let dir = folder("nan");
    let (file, frames) = (dir.join("nan.ron"), dir.join("frames"));
    let source = |body: &str| {
        format!("//! T\n//! @in x: Grid<f32>\n//! @out y: Grid<f32>\nfn stage(cell: Cell) -> f32 {{ {body} }}")
    };
    let first = source("if frame.index < 20u || cell.x != 3 { return x(cell); } return x(cell) + log(-frame.time);");
    let second = source("return x(cell) + 1.0;");
    let nodes = format!(
        r#"(version: 1, nodes: {{
            "flat": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
            "s": (state: "Grid<f32>", on: "flat", inputs: {{"next": "after.y"}}),
            "breaks": (custom: {first:?}, inputs: {{"x": "s"}}),
            "after": (custom: {second:?}, inputs: {{"x": "breaks"}}),
            "look": (stage: "view/color_map", inputs: {{"field": "after"}}),
            "o": (output: (), inputs: {{"image": "look"}}),
        }})"#
    );
    std::fs::write(&file, nodes).unwrap();
    let arguments = ["render", file.to_str().unwrap(), "--frames", "40", "--out", frames.to_str().unwrap()];
    let plain = stagewright(&arguments);
    // Without the option only the States are named.
    let said = err(&plain);
    assert!(
        plain.status.success() && said.contains("NaN or infinity in States after frame 40: s (8 numbers)"),
        "{said}"
    );
    assert!(said.contains("--stop-on nan") && !said.contains("began here"), "{said}");
    let checked = stagewright(&[&arguments[..], &["--check-values"]].concat());
    let said = err(&checked).split_whitespace().collect::<Vec<_>>().join(" ").replace("│ ", "");
    assert!(checked.status.success(), "{said}");
    assert!(said.contains("breaks.y: NaN or infinity began here in frame 21 (8 values)"), "{said}");
    assert_eq!(said.matches("NaN or infinity").count(), 1, "{said}");
    let healthy = stagewright(&[
        "render",
        GRAPH,
        "--frames",
        "3",
        "--size",
        "8x8",
        "--check-values",
        "--out",
        frames.to_str().unwrap(),
    ]);
    assert!(healthy.status.success() && !err(&healthy).contains("NaN"), "{}", err(&healthy));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_does_not_arrive_is_an_error_and_a_reader_that_goes_away_is_none() {
    let run = |line: &str| {
        let program = env!("CARGO_BIN_EXE_stagewright");
        let command = format!("set -o pipefail; {}", line.replace("PROGRAM", program));
        let mut bash = Command::new("bash");
        bash.current_dir(env!("CARGO_MANIFEST_DIR")).env("XDG_RUNTIME_DIR", runtime_folder());
        bash.args(["-c", &command]).output().expect("bash")
    };
    let full = run("PROGRAM plan graphs/stable_fluids.ron --json > /dev/full");
    assert_eq!(full.status.code(), Some(1));
    assert!(err(&full).contains("standard output can't be written"), "{}", err(&full));
    let gone = run("PROGRAM plan graphs/stable_fluids.ron --wgsl | head -1 > /dev/null");
    assert!(gone.status.success() && err(&gone).is_empty(), "{:?} {}", gone.status, err(&gone));
    let bad = run("PROGRAM check no/such.ron 2>&1 | true");
    assert_eq!(bad.status.code(), Some(1), "{}", err(&bad));
    let silent = run("PROGRAM check no/such.ron 2> /dev/full");
    assert_eq!(silent.status.code(), Some(1));
}

#[test]
fn texts_from_files_can_not_act_on_the_terminal() {
    let dir = folder("escape");
    let file = dir.join("esc.ron");
    let nodes = r#"(version: 1, nodes: {"domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "\u{1b}[31mred\u{202e}\u{1b}]0;owned\u{7}": (stage: "filter/binomial", inputs: {"field": "x"}),
        "bad": (custom: "//! T\n//! @out y: Grid<f32>\nfn stage(cell: Cell) -> f32 { return \u{9b}31m; }", on: "domain")})"#;
    std::fs::write(&file, nodes).unwrap();
    let output = stagewright(&["check", file.to_str().unwrap()]);
    let said = err(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("\\u{1b}[31mred\\u{202e}"), "{said}");
    assert!(!said.contains(['\u{7}', '\u{9b}', '\u{202e}']), "{said:?}");
    std::fs::write(&file, b"(version: 1,\n  name: \"\xff\")").unwrap();
    let output = stagewright(&["check", file.to_str().unwrap()]);
    assert!(err(&output).contains("line 2, column 10: byte 22 of the file (0xff) is not UTF-8"), "{}", err(&output));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn the_memory_budget_can_be_set() {
    let budget = |size: &str| stagewright(&["check", GRAPH, "--memory", size]);
    let refused = budget("0.5MiB");
    let said = err(&refused).split_whitespace().collect::<Vec<_>>().join(" ").replace("│ ", "");
    assert!(!refused.status.success() && said.contains("--memory on the command line"), "{said}");
    assert!(said.contains("the budget is 0.5 MiB (set by the user)"), "{said}");
    assert!(budget("1GiB").status.success());
    assert!(err(&budget("lots")).contains("is not a size"));
    // Where there is a device, what it has is said too.
    let dir = folder("memory");
    for command in
        [&["render", GRAPH, "--frames", "1", "--out", dir.to_str().unwrap()][..], &["test", GRAPH], &["bench", "b1"]]
    {
        let refused = stagewright(&[command, &["--memory", "0.5MiB"]].concat());
        let said = err(&refused).split_whitespace().collect::<Vec<_>>().join(" ").replace("│ ", "");
        assert!(!refused.status.success() && said.contains("(set by the user) and the adapter has "), "{said}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_profile_names_every_node_of_a_frame() {
    let dir = folder("profile");
    let frames = dir.join("frames");
    let plan: serde_json::Value = serde_json::from_str(&out(&stagewright(&["plan", GRAPH, "--json"]))).expect("JSON");
    let output = stagewright(&["render", GRAPH, "--frames", "2", "--profile", "--out", frames.to_str().unwrap()]);
    let said = out(&output);
    assert!(output.status.success() && said.contains(" + "), "{said}");
    for dispatch in plan["frame"].as_array().expect("a list") {
        let names = dispatch["with"].as_array().expect("a list").iter().chain([&dispatch["node"]]);
        for name in names.filter_map(|name| name.as_str()) {
            let rows = said.lines().filter(|line| line.contains(" ms  "));
            let named =
                rows.flat_map(|row| row.split("ms  ").nth(1)).flat_map(|nodes| nodes.split(" + ")).any(|n| n == name);
            assert!(named, "{name} is not in\n{said}");
        }
    }
    std::fs::remove_dir_all(dir).unwrap();
}

/// Forty squarings of a number that all invocations share: Mesa's software driver takes two to the power of that many steps, in its
/// compiler, where nothing can interrupt it. The program ends all the same.
#[test]
fn a_driver_that_does_not_finish_is_given_up_with_an_exit_code_of_its_own() {
    let dir = folder("driver-limit");
    let (graph, frames) = (dir.join("graph.ron"), dir.join("frames"));
    let squarings: String = (0..40).map(|i| format!("s = s * s + {i}.5; ")).collect();
    let source = format!(
        "//! Slow\\n//! @out x: Grid<f32>\\nfn stage(cell: Cell) -> f32 {{ var s = frame.time; {squarings} return s; }}"
    );
    let text = format!(
        "(version: 1, nodes: {{\"domain\": (domain: (resolution: (16, 16), width: 1)), \"slow\": (custom: \"{source}\"), \
         \"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"slow.x\"}}), \"o\": (output: (), inputs: {{\"image\": \"look.image\"}})}})"
    );
    std::fs::write(&graph, text).unwrap();
    let render = |limit: &str| {
        let started = std::time::Instant::now();
        let paths = [graph.to_str().unwrap(), frames.to_str().unwrap()];
        let output = stagewright(&["render", paths[0], "--frames", "1", "--out", paths[1], "--driver-limit", limit]);
        (output, started.elapsed())
    };
    let (output, took) = render("1");
    println!("{:?} after {took:?}: {}", output.status.code(), err(&output));
    match output.status.code() {
        Some(0) => assert_eq!(names(&frames).len(), 1, "a driver that is quick"),
        Some(3) => {
            assert!(err(&output).contains("slow") && err(&output).contains("--driver-limit 1"), "{}", err(&output))
        }
        other => panic!("{other:?}: {}", err(&output)),
    }
    assert!(took < std::time::Duration::from_secs(30), "{took:?}");
    let (output, _) = render("0");
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    std::fs::remove_dir_all(dir).unwrap();
}
