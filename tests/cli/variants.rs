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
fn variants_together_are_tested_in_whichever_order_they_are_named() {
    let dir = folder("together");
    let file = dir.join("varied.ron");
    let both = VARIED
        .replace(r#"variant: "double")"#, r#"variant: "dark + double")"#)
        .replace(r#"variants: {"#, r#"variants: {"dark": (muted: {"grey": false}), "#);
    std::fs::write(&file, both).unwrap();
    let file = file.to_str().unwrap();
    for (variant, passed) in [("double + dark", 1), ("dark+double", 1), ("double", 0), ("dark", 0)] {
        let output = stagewright(&["test", file, "--variant", variant]);
        let text = out(&output) + &err(&output);
        assert_eq!(text.contains("1 passed, 0 failed"), passed == 1, "{variant}: {text}");
    }
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
    assert!(none.contains("--variant duoble: there is no variant `duoble`"), "{none}");
    assert!(none.contains("the graph has no variants"), "{none}");
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

/// Variants that go together, one that contradicts `double`, and names with a space and with `+`.
const SEVERAL: &str = r#"(version: 1, nodes: {
    "flat": (domain: (resolution: (8, 8), width: 1, edge: "wall")), "grey": (stage: "image/checker", on: "flat"),
    "screen": (output: (), inputs: {"image": "grey"}),
    "n": (number: 1), "m": (number: 1),
    "small": (domain: (resolution: (4, 4), width: 1)), "same": (stage: "image/checker", on: "small"),
}, expect: [
    (at: 1, of: "n", equals: 2, variant: "double + very wide"),
], variants: {
    "double": (set: {"n.value": 2}), "very wide": (set: {"flat.resolution": (16, 8)}), "triple": (set: {"n.value": 3}),
    "g++": (set: {"m.value": 5}),
})"#;

/// A command on a graph in a folder, `GRAPH` and `OUT`, and its options that take a variant.
const COMMANDS: &[(&str, &[&str])] = &[
    ("render GRAPH --frames 1 --out OUT", &["--variant"]),
    ("export GRAPH grey.image --frames 1 --out OUT", &["--variant"]),
    ("bake GRAPH grey.image --frames 1 --out OUT", &["--variant"]),
    ("check GRAPH", &["--variant"]),
    ("test GRAPH", &["--variant"]),
    ("record GRAPH --frames 1 --number n", &["--variant"]),
    ("compare GRAPH GRAPH --wire same.image --frames 1", &["--variant-a", "--variant-b"]),
    ("plan GRAPH --target plain", &["--variant"]),
    ("bench GRAPH --size 8", &["--variant"]),
    ("sweep GRAPH --frames 1 --set m.value=1 --number n --out OUT", &["--variant"]),
    ("sweep GRAPH --frames 1 --number n --out OUT", &["--set variant="]),
];

/// The arguments of a command with a variant.
fn arguments(line: &str, option: &str, variant: &str, file: &str, to: &str) -> Vec<String> {
    let word = |word: &str| word.replace("GRAPH", file).replace("OUT", to);
    let mut words: Vec<String> = line.split(' ').map(word).collect();
    match option.split_once(' ') {
        Some((option, name)) => words.extend([option.into(), format!("{name}{variant}")]),
        None => words.extend([option.into(), variant.into()]),
    }
    words
}

#[test]
fn every_command_takes_variants_together() {
    let dir = folder("variants-together");
    let (file, to) = (dir.join("several.ron"), dir.join("out"));
    std::fs::write(&file, SEVERAL).unwrap();
    let (file, to) = (file.to_str().unwrap(), to.to_str().unwrap());
    let run = |arguments: &[String]| {
        let _ = std::fs::remove_dir_all(to);
        stagewright(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let succeeds = |arguments: &[String]| {
        let output = run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}{}", out(&output), err(&output));
    };
    let fails = |arguments: &[String], part: &str| {
        let output = run(arguments);
        assert!(!output.status.success(), "{arguments:?}: {}", out(&output));
        assert!(err(&output).contains(part), "{arguments:?}: {}", err(&output));
    };
    let contradiction = "`n.value` is 2 in the first and 3 in the second";
    for (line, options) in COMMANDS {
        for option in *options {
            let of = |variant: &str| arguments(line, option, variant, file, to);
            succeeds(&of("g+++double+ very wide"));
            fails(&of("double + triple"), contradiction);
            fails(&of("double + nobody"), "nobody");
        }
    }
    for variant in ["double + very wide", "double + double", "g++ + g++", "g++", "very wide+double", "default"] {
        succeeds(&arguments("check GRAPH", "--variant", variant, file, to));
    }
    for (variant, part) in [
        ("double +", "on both sides"),
        ("+", "on both sides"),
        ("double + default", "--variant double + default: there is no variant `default`"),
        ("double + nobody + triple", "there is no variant `nobody`"),
        ("", "there is no variant ``"),
    ] {
        fails(&arguments("check GRAPH", "--variant", variant, file, to), part);
    }
    // Each takes effect.
    let read = |variant: &str, number: &str| {
        let arguments = ["record", file, "--frames", "1", "--number", number, "--variant", variant];
        out(&stagewright(&arguments)).trim_end().rsplit(',').next().map(String::from)
    };
    assert_eq!(read("double + g++", "n"), Some("2".into()));
    assert_eq!(read("double + g++", "m"), Some("5".into()));
    let tested = out(&stagewright(&["test", file, "--variant", "double+very wide"]));
    assert!(tested.ends_with("1 passed, 0 failed\n"), "{tested}");
    std::fs::remove_dir_all(dir).unwrap();
}

/// No command takes a variant that the table above lacks.
#[test]
fn the_table_has_every_command_that_takes_a_variant() {
    let help = out(&stagewright(&["--help"]));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for name in commands.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        let help = out(&stagewright(&[name, "--help"]));
        for option in help.split_whitespace().filter(|word| word.starts_with("--variant")) {
            let listed = COMMANDS.iter().filter(|(line, _)| line.split(' ').next() == Some(name));
            assert!(listed.flat_map(|(_, options)| *options).any(|listed| *listed == option), "{name} {option}");
        }
    }
}
