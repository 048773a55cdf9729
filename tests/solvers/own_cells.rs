//! What a stage reads at the centre of its own cell is that cell, exactly and in every plan; and what parameters of the plan decide.

use stagewright_compiler::{Plan, Tuning};
use stagewright_language::document::{Document, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::bench;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

const CENTRE: &str = r##"
    "box": (domain: (resolution: ($cells), width: 0.7, edge: "$edge")),
    "wide": (domain: (resolution: (20, 10), width: 0.7, edge: "$edge")),
    "q": (state: "Grid<vec4f>", on: "box", precision: "$precision"),
    "centre": (custom: r#"//! Centre
        //! @in  value: Grid<T>
        //! @out result: Grid<T>
        fn stage(cell: Cell) -> T { let here = position(cell); return 0.5 * (value_at(here) + value_at(position(cell))); }"#,
        inputs: {"value": "q"}, on: "$on"),
"##;

#[test]
fn the_value_at_the_centre_of_the_own_cell_is_the_cells() {
    for (cells, precision) in [("75, 49", "f32"), ("75, 49", "f16"), ("13, 9, 11", "f32")] {
        for edge in ["wall", "clamp", "zero", "wrap", "mirror"] {
            let values = [("$cells", cells), ("$edge", edge), ("$precision", precision), ("$on", "box")];
            let mut sim = start(60.0, CENTRE, &values);
            let count: usize = cells.split(", ").map(|n| n.parse::<usize>().unwrap()).product();
            sim.write("q", &random(4 * count, 1)).unwrap();
            step(&mut sim, 1);
            // Interpolated, most cells would be off by some roundings.
            assert_eq!(read(&sim, "centre.result"), read(&sim, "q.value"), "{cells}, {edge}, {precision}");
        }
    }
}

#[test]
fn on_other_cells_it_is_interpolated() {
    let text = |on: &str| {
        let values = [("$cells", "40, 20"), ("$edge", "wall"), ("$precision", "f32"), ("$on", on)];
        let graph = Graph::build(&document(60.0, CENTRE, &values), Library::builtin()).unwrap();
        let options = stagewright_compiler::PlanOptions { keep: stagewright_compiler::Keep::All, ..Default::default() };
        Plan::compile(&graph, &options).unwrap().to_text_with_wgsl()
    };
    assert!(!text("box").contains("fn value_at") && text("wide").contains("fn value_at"));
}

#[test]
fn faces_are_still_asked_by_position() {
    let nodes = r##"
        "box": (domain: (resolution: (16, 8), width: 1)),
        "faces": (state: "FaceGrid", on: "box"),
        "centre": (custom: r#"//! Centre
            //! @in  flow: FaceGrid
            //! @out result: Grid<Vec>
            fn stage(cell: Cell) -> Vec { return flow_at(position(cell)); }"#, inputs: {"flow": "faces"}),
    "##;
    let mut sim = start(60.0, nodes, &[]);
    let faces = random(2 * 17 * 9, 1);
    sim.write("faces", &faces).unwrap();
    step(&mut sim, 1);
    let found = read(&sim, "centre.result");
    let at = |x: usize, y: usize, part: usize| f64::from(faces[2 * (y * 17 + x) + part]);
    for y in 0..8 {
        for x in 0..16 {
            let mean = [0.5 * (at(x, y, 0) + at(x + 1, y, 0)), 0.5 * (at(x, y, 1) + at(x, y + 1, 1))];
            for part in 0..2 {
                let error = (found[2 * (y * 16 + x) + part] - mean[part]).abs();
                assert!(error < 64.0 * U, "cell {x}, {y}: {error}");
            }
        }
    }
}

const ORDER: &str = r#"
    "box": (domain: (resolution: (32, 24), width: 1, edge: "wall")),
    "u": (state: "Grid<Vec>", on: "box"),
    "q": (state: "Grid<f32>", on: "box"),
    "advect": (stage: "fluid/advect", inputs: {"velocity": "u", "field": "q"}, params: {"order": $order}),
"#;

#[test]
fn a_fixed_parameter_is_a_constant_of_the_plan() {
    let outcome = |order: &str| {
        let mut sim = start(60.0, ORDER, &[("$order", order)]);
        sim.write("u", &random(2 * 32 * 24, 1)).unwrap();
        sim.write("q", &random(32 * 24, 2)).unwrap();
        step(&mut sim, 1);
        let value = sim.value("advect.order");
        let refused = sim.set_param("advect.order", ParamValue::Number(2.0)).unwrap_err().to_string();
        assert!(refused.contains("the plan depends on it"), "{refused}");
        (read(&sim, "advect.result"), value)
    };
    let ((euler, one), (midpoint, two)) = (outcome("1"), outcome("2"));
    assert_eq!((one, two), (Some(vec![1.0]), Some(vec![2.0])));
    assert_ne!(euler, midpoint);
    for (order, words) in
        [("3", "outside 1..2"), ("\"1 + sin(time)\"", "changes from frame to frame"), ("1.5", "not a valid i32")]
    {
        let problems = Graph::build(&document(60.0, ORDER, &[("$order", order)]), Library::builtin()).unwrap_err();
        assert!(problems.to_string().contains(words), "{order}: {problems}");
    }
}

fn case(name: &str, size: u32) -> Document {
    let mut case = bench::cases::case(name).unwrap().unwrap();
    bench::cases::resize(&mut case, size);
    case
}

fn planned(document: &Document, tuning: Tuning) -> Plan {
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let options = bench::options(document, &stagewright_base::files::Access::default(), &[]);
    let options = stagewright_compiler::PlanOptions { tuning, ..options };
    Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn projection_and_what_it_carries_share_a_dispatch() {
    let together = |name: &str, size: u32, nodes: &[&str]| {
        let document = case(name, size);
        let joined = planned(&document, Tuning { fuse: true, ..Tuning::default() });
        let dispatch = joined.frame.iter().find(|d| d.nodes().any(|node| node == nodes[0])).unwrap();
        for node in nodes {
            assert!(dispatch.nodes().any(|n| n == *node), "{name}: {node} is apart from {}", joined.line(dispatch));
        }
        let states: Vec<String> = joined.states.iter().map(|state| format!("{}.value", state.node)).collect();
        let outcome = |plan: Plan| -> Vec<Vec<u32>> {
            let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
            step(&mut sim, 3);
            states.iter().map(|state| words(&sim, state)).collect()
        };
        assert_eq!(outcome(joined), outcome(planned(&document, Tuning::default())), "{name}");
    };
    together("b1", 48, &["project", "advect_dye"]);
    together("b2", 20, &["project", "advect_smoke", "advect_heat"]);
}

const BESIDE: &str = r#"
    "box": (domain: (resolution: (40, 24), width: 1, edge: "wall")),
    "u": (state: "Grid<Vec>", on: "box"),
    "heat": (state: "Grid<f32>", inputs: {"next": "advect_heat.result"}, on: "box"),
    "smoke": (state: "Grid<vec4f>", inputs: {"next": "advect_smoke.result"}, on: "box"),
    "advect_heat": (stage: "fluid/advect", inputs: {"velocity": "u", "field": "heat"}),
    "advect_smoke": (stage: "fluid/advect", inputs: {"velocity": "u", "field": "smoke"}),
    "drag": (custom: r"//! Drag
        //! @inout u: Grid<Vec>
        fn stage(cell: Cell) -> Vec { return 0.9 * u(cell); }", inputs: {"u": "u"}),
    "slow": (state: "Grid<Vec>", inputs: {"next": "drag.u"}, on: "box"),
"#;

#[test]
fn stages_that_read_the_same_go_side_by_side() {
    let plan = |tuning: Tuning| planned(&document(60.0, BESIDE, &[]), tuning);
    let outcome = |plan: Plan| -> Vec<Vec<u32>> {
        let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
        sim.write("u", &random(2 * 40 * 24, 1)).unwrap();
        sim.write("heat", &random(40 * 24, 2)).unwrap();
        sim.write("smoke", &random(4 * 40 * 24, 3)).unwrap();
        step(&mut sim, 3);
        ["heat.value", "smoke.value", "slow.value", "u.value"].iter().map(|state| words(&sim, state)).collect()
    };
    let joined = plan(Tuning::gpu());
    let together = |plan: &Plan, a: &str, b: &str| {
        plan.frame.iter().any(|d| d.nodes().any(|node| node == a) && d.nodes().any(|node| node == b))
    };
    assert!(together(&joined, "advect_heat", "advect_smoke"), "{}", joined.to_text());
    // It continues from what the others read.
    assert!(!together(&joined, "advect_heat", "drag"), "{}", joined.to_text());
    assert_eq!(outcome(joined), outcome(plan(Tuning::default())));
}

const TWICE: &str = r#"
    "box": (domain: (resolution: (24, 16), width: 1, edge: "wall")),
    "base": (state: "Grid<f32>", on: "box"),
    "q": (state: "Grid<f32>", inputs: {"next": "rounds.q"}, on: "box"),
    "rounds": (group: (inputs: {"q": "Grid<f32>", "base": "Grid<f32>"}, outputs: {"q": "add.q"}, nodes: {
        "wide": (custom: r"//! Wide
            //! @in  base: Grid<f32>
            //! @out wide: Grid<f32>, half base
            fn stage(cell: Cell) -> f32 { return base_at(position(cell)) $more; }", inputs: {"base": "in.base"}),
        "add": (custom: r"//! Add
            //! @inout q: Grid<f32>
            //! @in    wide: Grid<f32>
            fn stage(cell: Cell) -> f32 { return 0.5 * (q(neighbor(cell, 0)) + q(cell)) + wide_at(0.9 * position(cell)); }",
            inputs: {"q": "in.q", "wide": "wide"}),
    }), inputs: {"q": "q", "base": "base"}, iterations: 4),
"#;

#[test]
fn what_stays_the_same_in_a_frame_is_computed_once() {
    let count = |more: &str, times: usize| {
        let document = document(60.0, TWICE, &[("$more", more)]);
        let (joined, plain) =
            (planned(&document, Tuning { fuse: true, ..Tuning::default() }), planned(&document, Tuning::default()));
        let found = joined.invariant.iter().chain(&joined.frame).filter(|d| d.node == "rounds/wide").count();
        assert_eq!(found, times, "{}", joined.to_text());
        let outcome = |plan: Plan| {
            let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
            sim.write("base", &random(24 * 16, 1)).unwrap();
            sim.write("q", &random(24 * 16, 2)).unwrap();
            step(&mut sim, 2);
            words(&sim, "q.value")
        };
        assert_eq!(outcome(joined), outcome(plain));
    };
    count("", 1);
    count("+ f32(substep)", 4);
}
