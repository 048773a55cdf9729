//! Parameters that are curves and gradients: in headers, in documents, and what the checker says of wrong ones.

use stagewright_base::curve::{Curve, Gradient};
use stagewright_language::document::{Document, ParamValue};
use stagewright_language::library::reference;
use stagewright_language::stage::Stage;
use stagewright_language::stage::header::ParamType;

use super::{compile, problems};

const STAGE: &str = r##"//! Shaped
//! @in    x: Grid<f32> = 0, edge zero     Anything
//! @out   y: Grid<vec4f>                  Colours
//! @param falloff: curve = [(0, 1), (0.25, 0.5), (1, 0)], 0..1, soft 0..1     Weight over distance / radius
//! @param ramp: gradient = [(0, "#000000"), (0.5, (2, 0.5, 0)), (1, "#ffffff80")]     Colour over density
//! @param gain: f32 = 1                   Gain
fn stage(cell: Cell) -> vec4f { return params.gain * ramp(falloff(x(cell))); }
"##;

fn curve(points: &[(f64, f64)]) -> ParamValue {
    ParamValue::Curve(Curve { points: points.to_vec() })
}

#[test]
fn headers_declare_curves_and_gradients() {
    let stage = Stage::parse("a/shaped", STAGE).unwrap_or_else(|e| panic!("{e:?}"));
    let falloff = stage.param("falloff").expect("is there");
    assert_eq!((falloff.ty, falloff.range), (ParamType::Curve, (Some(0.0), Some(1.0))));
    assert_eq!(falloff.default, curve(&[(0.0, 1.0), (0.25, 0.5), (1.0, 0.0)]));
    let ramp = &stage.param("ramp").expect("is there").default;
    let half = [1.0, 1.0, 1.0, 128.0 / 255.0];
    let stops = vec![(0.0, [0.0, 0.0, 0.0, 1.0]), (0.5, [2.0, 0.5, 0.0, 1.0]), (1.0, half)];
    assert_eq!(*ramp, ParamValue::Gradient(Gradient { stops }));
    insta::assert_snapshot!(reference::stage(&stage));
}

#[test]
fn wrong_headers_say_the_form() {
    let wrong = |param: &str, body: &str| {
        let source = format!(
            "//! T\n//! @out y: Grid<f32>\n//! @param {param}\nfn stage(cell: Cell) -> f32 {{ return {body}; }}"
        );
        match Stage::parse("test", &source) {
            Ok(stage) if stage.unused.is_empty() => panic!("{param} passes"),
            Ok(stage) => format!("warning: {}", stage.unused[0]),
            Err(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        }
    };
    let cases = [
        ("c: curve", "c(0.5)"),
        ("g: gradient", "g(0.5).x"),
        ("c: curve = 1", "c(0.5)"),
        ("c: curve = (0, 1), (1, 0)", "c(0.5)"),
        ("c: curve = []", "c(0.5)"),
        ("c: curve = [(0, 1), (1, 0, 2)]", "c(0.5)"),
        ("c: curve = [(0, 1), (1, 0)", "c(0.5)"),
        ("c: curve = [(0, 1), (0.5, \"#ffffff\")]", "c(0.5)"),
        ("c: curve = [(0, \"#000000\")]", "c(0.5)"),
        ("c: curve = [(0, 1), (2, 0)]", "c(0.5)"),
        ("c: curve = [(0, 1), (1, 3)], 0..2", "c(0.5)"),
        ("c: curve = [(0, 1), (1, inf)]", "c(0.5)"),
        ("g: gradient = [(0, \"#00000\"), (1, \"#ffffff\")]", "g(0.5).x"),
        ("g: gradient = [(0, \"red\")]", "g(0.5).x"),
        ("g: gradient = [(0, #000000)]", "g(0.5).x"),
        ("g: gradient = [(0, \"#000000\")], 0..1", "g(0.5).x"),
        ("g: gradient = [(0, 1), (1, 2)]", "g(0.5).x"),
        ("g: gradient = [(0, (1, 2)), (1, 2)]", "g(0.5).x"),
        ("mix: curve = [(0, 1)]", "mix(0.5)"),
        ("c: curve = [(0, 1), (1, 0)]", "params.c"),
        ("c: curve = [(0, 1), (1, 0)]", "params.c(0.5)"),
        ("c: curve = [(0, 1), (1, 0)]", "1.0"),
        ("c: f32 = 1", "c(0.5)"),
        ("c: curves = [(0, 1), (1, 0)]", "c(0.5)"),
    ];
    let all: Vec<String> = cases.iter().map(|(param, body)| format!("{param}\n    {}", wrong(param, body))).collect();
    insta::assert_snapshot!(all.join("\n"));
}

/// The nodes of a graph that shows the stage, with these fields of its node.
fn shaped(fields: &str) -> String {
    let source = STAGE.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!(
        "\"domain\": (domain: (resolution: (8, 8), width: 1, edge: \"wall\")), \"c\": (custom: \"{source}\", {fields}), \
         \"n\": (number: 0.5), \"o\": (output: (), inputs: {{\"image\": \"c.y\"}}),"
    )
}

#[test]
fn documents_keep_curves_and_gradients_exactly() {
    let params = r##"params: {"falloff": [(0, 1), (0.1, -0.30000000000000004), (1, 1e-7)], "ramp": [(0, "#000000"), (0.5, (2, 0.1, 0, 1)), (1, "#ff880080")]}"##;
    let text = format!("(version: 1, nodes: {{ {} }})", shaped(params));
    let document = Document::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let node = document.node("c").expect("is there");
    assert_eq!(node.params["falloff"], curve(&[(0.0, 1.0), (0.1, -0.1 - 0.2), (1.0, 1e-7)]));
    let saved = document.to_text();
    assert!(saved.contains(params), "{saved}");
    assert_eq!(Document::parse(&saved).as_ref(), Ok(&document));
    for value in node.params.values() {
        assert_eq!(ParamValue::from_text(&value.to_string()), *value, "the command line reads the same text");
        let json = serde_json::to_string(value).expect("serialises");
        assert_eq!(serde_json::from_str::<ParamValue>(&json).expect("reads"), *value, "{json}");
    }
    assert_eq!(ParamValue::from_text(" [(0,1),(0.5,2)] "), curve(&[(0.0, 1.0), (0.5, 2.0)]));
    assert_eq!(ParamValue::from_text("[(0, 1), (1, 0]"), ParamValue::Expression("[(0, 1), (1, 0]".into()));
    assert_eq!(ParamValue::from_text("(0, 1)"), ParamValue::Vector(vec![0.0, 1.0]));
}

#[test]
fn lists_of_mixed_things_are_refused_at_their_place() {
    let refused = |value: &str| {
        let text = format!("(version: 1, nodes: {{\n\"c\": (stage: \"s\", params: {{\"x\": {value}}})}})");
        match Document::parse(&text) {
            Ok(_) => panic!("{value} was read"),
            Err(error) => format!("{value}\n    {error}"),
        }
    };
    let values =
        ["[(0, 1), 2]", "[(0, 1), (1, \"#ffffff\")]", "[(0, 1, 2)]", "[1, (0, 1)]", "[(0, \"#ff\")]", "[(0, true)]"];
    insta::assert_snapshot!(values.map(refused).join("\n"));
}

#[test]
fn wrong_curves_are_problems_of_their_parameter() {
    let cases = [
        r#"params: {"falloff": []}"#,
        r#"params: {"falloff": 0.5}"#,
        r#"params: {"falloff": "1 - time"}"#,
        r#"params: {"falloff": [(0, 0), (1, 2)]}"#,
        r#"params: {"falloff": [(0, 0), (0.5, NaN)]}"#,
        r#"params: {"falloff": [(0.5, 0), (0.2, 1)]}"#,
        r##"params: {"falloff": [(0, "#ffffff")]}"##,
        r#"params: {"ramp": [(0, 1), (1, 0)]}"#,
        r#"params: {"ramp": "n"}"#,
        r##"params: {"ramp": [(0, "#ffffff"), (2, "#000000")]}"##,
        r#"params: {"gain": [(0, 1), (1, 0)]}"#,
        r#"params: {"x": [(0, 1), (1, 0)]}"#,
        r#"inputs: {"falloff": "n"}"#,
        r#"params: {"ramp": true}, iterations: [(0, 1)]"#,
    ];
    let all: Vec<String> = cases.iter().map(|case| format!("{case}\n    {}", problems(&shaped(case)))).collect();
    insta::assert_snapshot!(all.join("\n"));
    let number = shaped("").replace("(number: 0.5)", "(number: [(0, 1), (1, 0)])");
    let said = problems(&number);
    assert!(said.contains("n.value") && said.contains("a curve was given for a number"), "{said}");
}

#[test]
fn a_curve_is_a_table_in_the_uniform_block() {
    let plan = compile(&shaped("")).unwrap_or_else(|p| panic!("{p}"));
    let kernel = plan.kernels.iter().find(|k| k.wgsl.contains("fn falloff")).expect("the stage's kernel");
    println!("{}", kernel.wgsl);
    // 65 numbers, 65 colours, and the gain, in whole vectors.
    assert_eq!(kernel.uniform_bytes, 272 + 1040 + 16);
    assert!(kernel.finite && plan.alarms.is_empty());
    let frame: Vec<&str> = plan.frame.iter().map(|d| d.node.as_str()).collect();
    assert_eq!(frame, Vec::<&str>::new(), "nothing changes from frame to frame");
    let mut plan = plan;
    plan.dynamics = Default::default();
    let json = serde_json::to_string(&plan).expect("serialises");
    assert_eq!(serde_json::from_str::<stagewright_compiler::Plan>(&json).expect("reads"), plan);
}
