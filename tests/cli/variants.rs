//! `--variant`, in every command that takes a graph.

use super::*;

/// A number that is 1, 2 in `double` and an error in `broken`; its image is grey.
const VARIED: &str = r#"(version: 1, nodes: {
    "flat": (domain: (resolution: (8, 8), width: 1, edge: "wall")), "grey": (stage: "image/checker", on: "flat"),
    "screen": (output: (), inputs: {"image": "grey"}),
    "n": (number: 1),
}, expect: [
    (at: 2, of: "n", equals: 1),
    (at: 2, of: "n", equals: 2, variant: "double"),
], variants: {"double": (set: {"n.value": 2, "flat.resolution": (16, 16)})})"#;

const BROKEN: &str = r#", "broken": (stages: {"grey": "image/chequer"})})"#;

#[test]
fn every_command_that_takes_parameters_takes_a_variant() {
    let dir = folder("variants");
    let (file, frames) = (dir.join("varied.ron"), dir.join("frames"));
    std::fs::write(&file, VARIED).unwrap();
    let (file, frames) = (file.to_str().unwrap(), frames.to_str().unwrap());
    let said = |arguments: &[&str]| {
        let output = stagewright(arguments);
        assert!(output.status.success(), "{arguments:?}: {}{}", out(&output), err(&output));
        out(&output)
    };
    said(&["render", file, "--frames", "1", "--out", frames, "--variant", "double"]);
    assert_eq!(decoded(&dir.join("frames/frame.0001.png")).0, 16);
    assert!(said(&["plan", file, "--target", "plain", "--variant", "double"]).contains("16 x 16"));
    assert!(!said(&["plan", file, "--target", "plain"]).contains("16 x 16"));
    let record = |more: &[&str]| said(&[&["record", file, "--frames", "1", "--number", "n"], more].concat());
    assert!(record(&["--variant", "double"]).trim_end().ends_with(",2"), "{}", record(&["--variant", "double"]));
    assert!(
        record(&["--variant", "double", "--param", "n.value=3"]).trim_end().ends_with(",3"),
        "parameters come last"
    );
    assert!(record(&["--variant", "default"]).trim_end().ends_with(",1"));
    for variant in ["default", "double"] {
        let tested = said(&["test", file, "--variant", variant]);
        assert!(tested.ends_with("1 passed, 0 failed\n"), "{tested}");
    }
    assert!(said(&["check", file]).contains("no problems, and none in its variant"));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn an_unknown_variant_is_refused_with_the_names() {
    let dir = folder("no-variant");
    let file = dir.join("varied.ron");
    std::fs::write(&file, VARIED).unwrap();
    let file = file.to_str().unwrap();
    let commands: [&[&str]; 6] = [
        &["render", file, "--frames", "1", "--out", "nowhere"],
        &["check", file],
        &["test", file],
        &["record", file, "--frames", "1", "--number", "n"],
        &["plan", file],
        &["bench", file],
    ];
    for command in commands {
        let output = stagewright(&[command, &["--variant", "duoble"]].concat());
        let said = err(&output);
        assert!(!output.status.success() && said.contains("--variant duoble: "), "{command:?}: {said}");
        assert!(said.contains("the variants are: double"), "{command:?}: {said}");
    }
    let none = err(&stagewright(&["check", "graphs/templates/waves.ron", "--variant", "duoble"]));
    assert!(none.contains("--variant duoble: there is no such variant; the graph has none"), "{none}");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn check_finds_the_errors_of_variants_that_are_not_chosen() {
    let dir = folder("broken-variant");
    let file = dir.join("varied.ron");
    let text = VARIED.strip_suffix("})").unwrap().to_string() + BROKEN;
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let output = stagewright(&["check", file]);
    let said = err(&output);
    assert!(!output.status.success(), "{}", out(&output));
    assert!(said.contains("grey: variant `broken`: there is no stage `image/chequer`"), "{said}");
    assert!(said.contains("did you mean `image/checker`?"), "{said}");
    assert!(stagewright(&["check", file, "--variant", "double"]).status.success(), "this one is fine");
    std::fs::remove_dir_all(dir).unwrap();
}
