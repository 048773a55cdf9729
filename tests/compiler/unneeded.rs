//! The check of what no image needs.

use stagewright_compiler::{Outputs, Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

use super::{built, shipped};

const IMAGE: &str = r##"
    "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
    "one": (stage: "grid/expression", on: "box", params: {"value": "1"}),
    "look": (stage: "view/color_map", inputs: {"field": "one.result"}),
    "screen": (output: (), inputs: {"image": "look.image"}),
"##;

/// What is wrong with these nodes beside a graph with an image.
fn problem_nodes(nodes: &str) -> Vec<String> {
    let graph = built(&format!("{IMAGE}{nodes}")).unwrap_or_else(|problems| panic!("{problems}"));
    let options = PlanOptions::default();
    Plan::compile(&graph, &options).expect("the image can be computed");
    Plan::unneeded(&graph, &options).problems.0.iter().map(|problem| problem.node.clone()).collect()
}

/// A custom node with a mistake in its function. Each name has another text: nodes with the same text share a kernel, whose error is
/// reported once.
fn wrong(name: &str, header: &str, inputs: &str) -> String {
    let argument = if header.contains("Field") { "position: Vec" } else { "cell: Cell" };
    let number = name.as_bytes()[0];
    let read = if header.contains("@in a:") { " + a(cell)" } else { "" };
    format!(
        "\"{name}\": (custom: \"//! K\\n{header}\\nfn stage({argument}) -> f32 {{ return vec2f({number}.0){read}; }}\", on: \"box\", inputs: {{{inputs}}}),"
    )
}

#[test]
fn the_text_of_every_stage_is_checked_wherever_it_stands() {
    let grid = |name: &str| wrong(name, "//! @out x: Grid<f32>", "");
    let state = r#""kept": (state: "Grid<f32>", on: "box", inputs: {"next": "kept.value", "init": "k.x"}),"#;
    let group = |more: &str| {
        let inner = wrong("k", "//! @in a: Grid<f32>\\n//! @out x: Grid<f32>", r#""a": "in.a""#);
        format!(
            r#""all": (group: (inputs: {{"a": "Grid<f32>"}}, outputs: {{"b": "in.a"}}, nodes: {{{inner}}}), inputs: {{"a": "one.result"}}{more}),"#
        )
    };
    for (nodes, expected) in [
        (grid("k"), vec!["k"]),
        (format!("{}{}", grid("k"), grid("l")), vec!["k", "l"]),
        (wrong("k", "//! @out x: Field<f32>", ""), vec!["k"]),
        (format!("{}{state}", grid("k")), vec!["k"]),
        (group(""), vec!["all/k"]),
    ] {
        let mut found = problem_nodes(&nodes);
        found.sort();
        assert_eq!(found, expected, "{nodes}");
    }
}

#[test]
fn what_has_no_errors_has_none_without_images_either() {
    for (name, text) in shipped() {
        let graph = Graph::build(&Document::parse(&text).unwrap(), Library::builtin()).unwrap();
        let options = PlanOptions { outputs: Outputs::None, ..PlanOptions::default() };
        let found = Plan::unneeded(&graph, &options);
        assert!(found.problems.is_empty(), "{name}: {}", found.problems);
        assert!(found.read.is_some_and(|plan| !plan.kernels.is_empty()), "{name}");
    }
}
