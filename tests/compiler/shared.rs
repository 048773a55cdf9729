//! Functions that stages share: the same kernels as with the functions written into the stage, and errors where they stand.

use stagewright_base::problem::Problems;
use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

const HEADER: &str = "//! Stage\n//! @inout x: Grid<f32> = 0   A value\n";
const BODY: &str = "\nfn stage(cell: Cell) -> f32 { return smooth_of(cell); }\n";
const HELPERS: &str = "\nfn smooth_of(cell: Cell) -> f32 {\n    var sum = 0.0;\n    for (var i = -1; i < 2; i++) { sum += x(cell + i * unit(0)); }\n    return sum / WEIGHT;\n}\nconst WEIGHT = 3.0;\n";

fn document(shared: &[(&str, &str)], custom: &str) -> Document {
    let shared: String = shared.iter().map(|(name, text)| format!("{name:?}: {text:?},")).collect();
    Document::parse(&format!(
        "(version: 1, shared: {{{shared}}}, nodes: {{\"box\": (domain: (resolution: (8, 8), width: 1, edge: \"wall\")), \
         \"c\": (custom: {custom:?}, on: \"box\", iterations: 4), \"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"c.x\"}}), \
         \"o\": (output: (), inputs: {{\"image\": \"look.image\"}})}})"
    ))
    .expect("valid RON")
}

fn compiled(document: &Document) -> Result<Plan, Problems> {
    Plan::compile(&Graph::build(document, Library::builtin())?, &PlanOptions::default())
}

fn report(document: &Document) -> String {
    compiled(document).map_or_else(|problems| problems.to_string(), |_| "no problems".into())
}

/// Kernels without comments and empty lines.
fn kernels(plan: &Plan) -> Vec<String> {
    let lines = |text: &str| {
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("//"));
        lines.map(|line| line.to_string() + "\n").collect::<String>()
    };
    plan.kernels.iter().map(|kernel| lines(&kernel.wgsl)).collect()
}

#[test]
fn a_plan_is_the_same_as_with_the_functions_in_the_stage() {
    let inlined = compiled(&document(&[], &format!("{HEADER}{BODY}{HELPERS}"))).unwrap();
    let file = format!("//! Smoothing\n{HELPERS}\nfn never_called() {{ loop {{ }} }}\n");
    let used = compiled(&document(&[("s", &file)], &format!("{HEADER}//! @use s\n{BODY}"))).unwrap();
    assert_eq!(kernels(&inlined), kernels(&used));
}

#[test]
fn an_error_stands_in_the_file_and_line_where_it_is() {
    let source = format!("{HEADER}//! @use s\n{BODY}");
    let file = format!("//! Smoothing\n// A comment.\n{}", HELPERS.replace("sum / WEIGHT", "sum / vec3i(1)"));
    let text = report(&document(&[("s", &file)], &source));
    assert!(text.starts_with("c (s 7:12): "), "{text}");
    let file = format!("//! Smoothing\n{}", HELPERS.replace("WEIGHT;", "WEIGHTS;"));
    assert_eq!(
        report(&document(&[("s", &file)], &source)),
        "c (s 6:18): no definition in scope for identifier: `WEIGHTS` (unknown identifier)"
    );
    // A use of a use, whose own text is right.
    let file = format!("//! Smoothing\n//! @use w\n{}", HELPERS.replace("const WEIGHT = 3.0;", ""));
    let weight = "//! Weight\n\nconst WEIGHT = 3.0 + true;\n";
    let text = report(&document(&[("s", &file), ("w", weight)], &source));
    assert!(text.starts_with("c (w 3:"), "{text}");
    // The stage's own error is at its own line.
    let text = report(&document(
        &[("s", &format!("//! S\n{HELPERS}"))],
        &source.replace("smooth_of(cell);", "smooth_of(1.0);"),
    ));
    assert!(text.starts_with("c (5:"), "{text}");
}

#[test]
fn a_change_of_a_shared_text_changes_the_plan() {
    let source = format!("{HEADER}//! @use s\n{BODY}");
    let text = |helpers: &str| {
        compiled(&document(&[("s", &format!("//! S\n{helpers}"))], &source)).unwrap().to_text_with_wgsl()
    };
    let before = text(HELPERS);
    assert_ne!(before, text(&HELPERS.replace("3.0", "4.0")));
    assert_eq!(before, text(&format!("{HELPERS}\nfn unused() {{ }}\n")));
}

#[test]
fn functions_of_a_field_that_is_inlined_are_its_own() {
    let file = "//! S\n\nfn hat(at: Vec) -> f32 { return max(1.0 - length(at), params.low); }\n";
    let field = "//! Hat\n//! @use s\n//! @out value: Field<f32>  A hat\n//! @param low: f32 = 0  Least\n\nfn stage(position: Vec) -> f32 { return hat(position); }\n";
    let graph = |file: &str| {
        Document::parse(&format!(
            "(version: 1, shared: {{\"s\": {file:?}}}, nodes: {{\"box\": (domain: (resolution: (8, 8), width: 1, edge: \"wall\")), \
             \"f\": (custom: {field:?}), \"g\": (custom: {field:?}), \"sum\": (stage: \"field/math\", inputs: {{\"a\": \"f\", \"b\": \"g\"}}), \
             \"c\": (stage: \"grid/from_field\", on: \"box\", inputs: {{\"field\": \"sum\"}}), \
             \"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"c\"}}), \"o\": (output: (), inputs: {{\"image\": \"look.image\"}})}})"
        ))
        .unwrap()
    };
    assert_eq!(report(&graph(file)), "no problems");
    let text = report(&graph(&file.replace("params.low)", "missing)")));
    assert!(text.contains("(s 3:"), "{text}");
}

/// Fields are checked by themselves first; what they are inlined into is not blamed too.
#[test]
fn an_error_of_any_field_is_said_once() {
    let field = |name: &str, value: &str| {
        let text = format!(
            "//! F\n//! @out value: Field<f32>  A field\n\nfn stage(position: Vec) -> f32 {{ return {value}; }}\n"
        );
        format!("\"{name}\": (custom: {text:?}), ")
    };
    for wrong in ["a", "b", "c"] {
        let fields: String = ["a", "b", "c"]
            .map(|name| field(name, if name == wrong { "missing(position)" } else { "position.x" }))
            .concat();
        let nodes = format!(
            "\"box\": (domain: (resolution: (8, 8), width: 1, edge: \"wall\")), {fields} \
             \"two\": (stage: \"field/math\", inputs: {{\"a\": \"a\", \"b\": \"b\"}}), \
             \"three\": (stage: \"field/math\", inputs: {{\"a\": \"two\", \"b\": \"c\"}}), \
             \"grid\": (stage: \"grid/from_field\", on: \"box\", inputs: {{\"field\": \"three\"}}), \
             \"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"grid\"}}), \"o\": (output: (), inputs: {{\"image\": \"look.image\"}})"
        );
        let problems = super::compile(&nodes).expect_err("a field is wrong").0;
        let named: Vec<&str> = problems.iter().map(|problem| problem.node.as_str()).collect();
        assert_eq!(named, [wrong], "{problems:?}");
    }
}
