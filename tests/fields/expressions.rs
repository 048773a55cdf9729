//! Formulas of the position and of inputs on the GPU, held against the same expressions in 64 bits on the CPU.

use stagewright_base::expr::{ExprContext, Expression, Number, Numbers};
use stagewright_base::input::FrameInput;
use stagewright_language::document::{Document, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_solver_support::harness::*;

/// Cells along each axis.
const N: usize = 8;

fn nodes(dim: usize, stage: &str, value: &str) -> String {
    let resolution = ["8", "8", "8"][..dim].join(", ");
    let ramp =
        if dim == 2 { "[1 - position.y, 2 * position.x]" } else { "[1 - position.y, 2 * position.x, position.z]" };
    format!(
        r#"
        "box": (domain: (resolution: ({resolution}), width: 1, edge: "wall")),
        "speed": (number: "2 + sin(time)"),
        "wind": (number: (0.5, -0.25)),
        "a": (stage: "grid/expression", on: "box", params: {{"value": "position.x - position.y * position.y"}}),
        "ramp": (stage: "grid/vector_expression", on: "box", params: {{"value": "{ramp}"}}),
        "tested": (stage: "{stage}", on: "box", inputs: {{"a": "{}"}}, params: {{"value": "{value}"}}),
        "#,
        if stage.contains("vector") { "ramp" } else { "a" }
    )
}

fn position(dim: usize, cell: usize) -> [f64; 3] {
    let index = [cell % N, cell / N % N, cell / N / N];
    std::array::from_fn(|axis| if axis < dim { (index[axis] as f64 + 0.5) / N as f64 } else { 0.0 })
}

fn vector(dim: usize, [x, y, z]: [f64; 3]) -> Number {
    Number { len: dim, v: [x, y, if dim == 3 { z } else { 0.0 }, 0.0] }
}

/// The values of an expression in all cells, in frame 2: `a` is the grid of the same name.
fn expected(dim: usize, vectors: bool, value: &str) -> Vec<f64> {
    let context = ExprContext { time: 1.0 / 60.0, frame: 1.0, ..ExprContext::default() };
    let cells = (0..N.pow(dim as u32)).map(|cell| {
        let p @ [x, y, z] = position(dim, cell);
        let a = if vectors { vector(dim, [1.0 - y, 2.0 * x, z]) } else { Number::scalar(x - y * y) };
        let numbers = Numbers::from([
            ("position".into(), vector(dim, p)),
            ("speed".into(), Number::scalar(2.0 + context.time.sin())),
            ("wind".into(), Number { len: 2, v: [0.5, -0.25, 0.0, 0.0] }),
            ("a".into(), a),
            ("b".into(), Number::scalar(0.0)),
        ]);
        let value = Expression::parse_with(value, &numbers).unwrap().eval_with(&context, &numbers).unwrap();
        let len = if vectors { dim } else { 1 };
        let value = if value.len == 1 { [value.v[0]; 4] } else { value.v };
        value[..len].to_vec()
    });
    cells.collect::<Vec<_>>().concat()
}

/// Every operator and function that both processors have.
const SCALAR: &[&str] = &[
    "1",
    "position.x + speed * time",
    "(position.x - 0.5) ** 2 + (position.y - 0.5) ** 3",
    "(position.x - 0.5) ** 5 - pow(position.y, 1.5) + 0 ** position.x",
    "length(position) - dot(position, position) / 2",
    "sin(tau * position.x) * cos(tau * position.y) + tan(position.x)",
    "atan2(position.y - 0.5, position.x - 0.5) + atan(position.x) + asin(position.x) - acos(position.y)",
    "tanh(8 * position.x - 4) + tanh(1000 * a) + sinh(position.x) - cosh(position.y)",
    "if a > 0 && position.x < 0.5 || position.y > 0.8 { a } else if a < -0.2 { -1 } else { 2 }",
    "floor(4 * position.x) + ceil(3 * position.y) + round(8 * position.x - 0.5) + fract(3 * a) + sign(a)",
    "exp(-a) + log(1 + position.x) + sqrt(position.y) + abs(a)",
    "min(a, 0.2) + max(a, position.x) + clamp(a, -0.1, 0.3) + mix(a, 2, position.x)",
    "step(0.3, position.x) + smoothstep(0.2, 0.7, position.y) + smoothstep(0.5, 0.5, position.x)",
    "(8 * position.x) % 3 - (-8 * position.y) % 3",
    "(position.x > 0.5) + !(position.y > 0.5) * 2 + (position.x == position.y)",
    "wind.x * position.x + wind.y",
    "2 ** 3 ** 2 / 256",
];

const VECTOR: &[&str] = &[
    "a * speed",
    "normalize(a) - 2 * position",
    "0.25",
    "if a.x > 0.5 { a } else { -a }",
    "max(a, 0.5) + min(position, 0.25) % 0.2",
    "normalize(a - a)",
];

#[test]
fn formulas_give_in_every_cell_what_expressions_give_in_64_bits() {
    for dim in [2, 3] {
        let stages = [("grid/expression", SCALAR), ("grid/vector_expression", VECTOR)];
        for (stage, values) in stages {
            for value in values {
                let mut simulation = start(60.0, &nodes(dim, stage, value), &[]);
                step(&mut simulation, 2);
                let got = read(&simulation, "tested.result");
                let expected = expected(dim, stage.contains("vector"), value);
                let largest = max_abs(&expected).max(1.0);
                let error = max_abs(&difference(&got, &expected));
                // Up to ten roundings of 2^-24, and functions of 2^-11 (sin, cos; WGSL's bars) near 1.
                within(&format!("{value} in {dim}D"), error, largest * 1e-5, "roundings of 32 bits");
            }
        }
    }
}

#[test]
fn formulas_of_fields_are_those_of_grids() {
    let fields = r#"
        "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "x": (stage: "field/expression", params: {"value": "position.x * time"}),
        "twice": (stage: "field/expression", inputs: {"a": "x"}, params: {"value": "2 * a + position.y"}),
        "turn": (stage: "field/vector_expression", inputs: {"b": "twice"}, params: {"value": "[b, -b]"}),
        "sampled": (stage: "grid/from_field", on: "box", inputs: {"field": "twice"}),
        "turned": (stage: "grid/from_field", on: "box", inputs: {"field": "turn"}),
    "#;
    let mut simulation = start(4.0, fields, &[]);
    step(&mut simulation, 3);
    let point = |cell| position(2, cell);
    let twice: Vec<f64> = (0..N * N).map(|cell| 2.0 * point(cell)[0] * 0.5 + point(cell)[1]).collect();
    let turned: Vec<f64> = twice.iter().flat_map(|b| [*b, -b]).collect();
    within("field of a field", max_abs(&difference(&read(&simulation, "sampled.result"), &twice)), 1e-6, "rounding");
    within("vector field", max_abs(&difference(&read(&simulation, "turned.result"), &turned)), 1e-6, "rounding");
}

/// A group may expose a formula; the expression is written where the group stands and names the numbers there.
#[test]
fn an_exposed_formula_names_the_numbers_around_its_group() {
    let group = r#"
        "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "height": (number: 3),
        "level": (group: (outputs: {"out": "inner.result"}, params: {"value": ["inner.value"]}, nodes: {
            "inner": (stage: "grid/expression", params: {"value": "0"}),
        }), on: "box", params: {"value": "height - position.y"}),
    "#;
    let mut simulation = start(60.0, group, &[]);
    step(&mut simulation, 1);
    let expected: Vec<f64> = (0..N * N).map(|cell| 3.0 - position(2, cell)[1]).collect();
    within("exposed", max_abs(&difference(&read(&simulation, "level.out"), &expected)), 1e-6, "rounding");
    simulation.set_param("height.value", ParamValue::Number(5.0)).unwrap();
    step(&mut simulation, 1);
    let expected: Vec<f64> = expected.iter().map(|value| value + 2.0).collect();
    within("a number that changes", max_abs(&difference(&read(&simulation, "level.out"), &expected)), 1e-6, "rounding");
    let refused = simulation.set_param("level.value", ParamValue::Expression("0".into())).unwrap_err();
    assert!(refused.cause.contains("the plan depends on it"), "{}", refused.cause);
}

#[test]
fn what_is_wrong_with_a_formula_is_said_at_its_parameter() {
    let problem = |dim: usize, value: &str| {
        let text = format!("(version: 1, name: \"\", nodes: {{{}}})", nodes(dim, "grid/expression", value));
        let problems = Graph::build(&Document::parse(&text).unwrap(), Library::builtin()).unwrap_err();
        let first = problems.0.iter().find(|problem| problem.node == "tested").unwrap();
        assert_eq!(first.port, "value", "{}", first.cause);
        format!("{}; {}", first.cause, first.remedy)
    };
    assert!(problem(2, "position.z").starts_with("a vector of 2 has no .z (column 9)"));
    assert!(
        problem(2, "nothing + 1")
            .contains("there is no variable `nothing` (column 1); there are a, b, position, speed")
    );
    assert_eq!(
        problem(2, "position"),
        "a vector of 2 was given for f32; give one number, such as a component or length(v)"
    );
    assert!(problem(2, "curve(position.x, [[0, 0], [1, 1]])").starts_with("`curve` is computed on the CPU (column 1)"));
    assert!(problem(3, "wind + position").contains("cannot combine a vector of 2 with one of 3"));
}

/// Without an `on`, the only space of the graph is meant.
#[test]
fn a_field_takes_its_dimensions_from_the_graph() {
    let two = r#"
        "flat": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "deep": (domain: (resolution: (8, 8, 8), width: 1, edge: "wall")),
        "x": (stage: "field/expression", $on params: {"value": "position.x"}),
        "sampled": (stage: "grid/from_field", on: "deep", inputs: {"field": "x"}),
    "#;
    let built = |on: &str| {
        let text = format!("(version: 1, name: \"\", nodes: {{{}}})", two.replace("$on", on));
        Graph::build(&Document::parse(&text).unwrap(), Library::builtin())
    };
    let problems = built("").unwrap_err();
    assert!(problems.0.iter().any(|p| p.node == "x" && p.remedy.contains("name the domain in the node's `on`")));
    assert!(built(r#"on: "deep","#).is_ok());
}

#[test]
fn a_formula_of_the_pointer_follows_it() {
    let mut simulation = start(60.0, &nodes(2, "grid/expression", "length(position - mouse)"), &[]);
    simulation.step(&FrameInput { mouse: [0.25, 0.75], ..FrameInput::default() }).unwrap();
    let expected: Vec<f64> =
        (0..N * N).map(|cell| (position(2, cell)[0] - 0.25).hypot(position(2, cell)[1] - 0.75)).collect();
    within("mouse", max_abs(&difference(&read(&simulation, "tested.result"), &expected)), 1e-6, "rounding");
}
