//! What is called a rate is one: a parameter in 1/s, m/s^2 or m^2/s does in two steps what it does in one of the same length in all.
//!
//! Every stage of the library that updates a grid and has such a parameter runs over one frame in 1, 2 and 4 steps. Its effect `E`
//! must be the same up to the error of first order: where a constant is per step, two steps do twice as much as one.

use std::fmt::Write as _;

use stagewright_language::document::{ParamValue, Substeps};
use stagewright_language::library::Library;
use stagewright_language::stage::Stage;
use stagewright_language::stage::header::{Direction, Port};
use stagewright_language::stage::types::{Element, PortType, ValueType};
use stagewright_runtime::sim::FrameInput;
use stagewright_solver_support::harness::*;

/// Stages that have a rate and whose effect is not in proportion to time, and why.
const EXCEPT: &[(&str, &str)] = &[
    ("fluid/maccormack_correct", "corrects what two other stages have carried"),
    ("staggered/conservative_sweep", "divides a frame into its own steps, and is given the flow"),
];

/// How far the effect of one step may be from that of two, as a part of it. A constant per step gives 1 or -0.5.
const BAR: f64 = 0.1;

const SPACE: &str = r##"
    "gen_f": (custom: r#"//! G
        //! @out f: Grid<f32>
        fn stage(cell: Cell) -> f32 { let p = position(cell); return 1.5 + sin(6.0 * p.x + 1.0) * cos(5.0 * p.y); }"#, on: "box"),
    "gen_v": (custom: r#"//! G
        //! @out f: Grid<Vec>
        fn stage(cell: Cell) -> Vec { let p = position(cell); var v = Vec(); v.x = sin(5.0 * p.y + 0.5); v.y = cos(4.0 * p.x); return 0.5 * v; }"#, on: "box"),
    "gen_c": (custom: r#"//! G
        //! @out f: Grid<vec4f>
        fn stage(cell: Cell) -> vec4f { let p = position(cell); return vec4f(1.5 + sin(6.0 * p.x), 1.5 + cos(5.0 * p.y), 1.0, 1.0); }"#, on: "box"),
    "gen_faces": (stage: "staggered/center_to_face", inputs: {"velocity": "gen_v.f"}),
    "gen_field": (stage: "field/from_grid", inputs: {"grid": "gen_f.f"}),
    "gen_field_v": (stage: "field/from_grid", inputs: {"grid": "gen_v.f"}),
"##;

/// The type of a State for a port, and the wire that it starts from.
fn held(ty: PortType) -> Option<(&'static str, &'static str)> {
    Some(match ty {
        PortType::Grid(Element::Fixed(ValueType::Vec)) => ("Grid<Vec>", "gen_v.f"),
        PortType::Grid(Element::Fixed(ValueType::F32) | Element::Generic(_)) => ("Grid<f32>", "gen_f.f"),
        PortType::Grid(Element::Fixed(ValueType::Vec4)) => ("Grid<vec4f>", "gen_c.f"),
        PortType::FaceGrid => ("FaceGrid", "gen_faces"),
        _ => return None,
    })
}

/// The input and the output of the grid that a stage updates.
fn updated(stage: &Stage) -> Option<(&Port, &Port)> {
    let out = stage.header.ports.iter().find(|port| port.direction != Direction::In && held(port.ty).is_some())?;
    // A sweep starts from its own result of before, or from nothing, and advances another input.
    let mut others = stage.inputs().filter(|port| port.direction == Direction::In);
    match others.find(|port| port.ty == out.ty && port.default.is_none()) {
        Some(input) => Some((input, out)),
        None => (out.direction == Direction::InOut).then_some((out, out)),
    }
}

/// A unit that divides by time.
fn is_rate(unit: &str) -> bool {
    let mut parts = unit.split('/').skip(1);
    parts.any(|part| part.split([' ', '(', ')']).any(|word| word == "s" || word == "s^2"))
        && unit != "m/s"
        && unit != "rad/s"
}

/// A graph in which the stage updates a State, or `None` where its inputs are of a kind that is not made here.
fn graph(stage: &Stage) -> Option<String> {
    let (input, out) = updated(stage)?;
    let (ty, start) = held(out.ty)?;
    let mut inputs = String::new();
    for port in stage.inputs() {
        let wire = if port.name == input.name {
            "x"
        } else if port.default.is_some() {
            continue;
        } else {
            match port.ty {
                PortType::Field(Element::Fixed(ValueType::Vec)) => "gen_field_v",
                PortType::Field(_) => "gen_field",
                other => held(other)?.1,
            }
        };
        let _ = write!(inputs, "\"{}\": \"{wire}\", ", port.name);
    }
    let params = stage.header.params.iter().filter(|param| is_rate(&param.unit));
    // What is off by default is switched on.
    let zero = params.filter(|param| param.default == ParamValue::Number(0.0));
    let params: Vec<String> = zero.map(|param| format!("\"{}\": 1", param.name)).collect();
    Some(format!(
        "\"box\": (domain: (resolution: (16, 12), width: 1, edge: \"wall\")), {SPACE}
        \"x\": (state: \"{ty}\", on: \"box\", inputs: {{\"init\": \"{start}\", \"next\": \"s.{}\"}}),
        \"s\": (stage: \"{}\", on: \"box\", inputs: {{{inputs}}}, params: {{{}}}),",
        out.name,
        stage.name,
        params.join(", ")
    ))
}

#[test]
fn what_is_called_a_rate_is_one() {
    let input = FrameInput { mouse: [0.5, 0.5], mouse_velocity: [0.4, 0.3], buttons: 1, ..FrameInput::default() };
    let mut tried = 0;
    let mut without = Vec::new();
    let mut wrong = Vec::new();
    for stage in Library::builtin().stages().filter(|stage| !stage.name.starts_with("view/")) {
        if !stage.header.params.iter().any(|param| is_rate(&param.unit)) || updated(stage).is_none() {
            continue;
        }
        let Some(nodes) = graph(stage) else {
            without.push(stage.name.clone());
            continue;
        };
        let after = |steps: u32| {
            // A frame of 1/200 s: a rate of 60 1/s changes a third.
            let mut document = document(200.0, &nodes, &[]);
            document.substeps = Substeps::Fixed(steps);
            let mut simulation = simulation(&document);
            simulation.reset();
            let before = read(&simulation, "x");
            simulation.step(&input).unwrap();
            (before, read(&simulation, "x"))
        };
        let (before, one) = after(1);
        let [two, four] = [2, 4].map(|steps| after(steps).1);
        let effect = rms(&difference(&one, &before));
        let [far, near] = [difference(&one, &two), difference(&two, &four)].map(|d| rms(&d));
        println!(
            "{:36} effect {effect:9.2e}, one step and two {:7.4}, two and four {:7.4}",
            stage.name,
            far / effect,
            near / effect
        );
        // Below rounding there is nothing to compare.
        if effect < 1e-7 {
            without.push(stage.name.clone());
            continue;
        }
        tried += 1;
        let excused = EXCEPT.iter().any(|(name, _)| *name == stage.name);
        if (far > BAR * effect) != excused {
            wrong.push(format!("{} ({:.3})", stage.name, far / effect));
        }
    }
    println!("{tried} stages; not made here, or without effect: {}", without.join(", "));
    assert!(wrong.is_empty(), "their constants are per step, or they are excused for nothing: {}", wrong.join(", "));
    assert!(tried > 9, "{tried}");
}
