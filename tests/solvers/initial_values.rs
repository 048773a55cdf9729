//! What gives a State its first value computes what it computes in a frame: the same bits from groups that stop, blocks, live particles and
//! repeats.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::document::{Document, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

use super::until::COUNT;

const FLAT: &str = r#""domain": (domain: (resolution: (24, 17), width: 1, edge: "wall")),"#;

fn tuned(document: &Document, tuning: Tuning) -> Simulation {
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let options = PlanOptions { keep: Keep::All, tuning, ..PlanOptions::default() };
    let plan = Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"))
}

/// Simulations of a plain plan, and of those whose stages share dispatches.
fn simulations(document: &Document) -> [Simulation; 3] {
    [Tuning::default(), Tuning::cpu(), Tuning::gpu()].map(|tuning| tuned(document, tuning))
}

/// What States hold that start from `starts`, nodes with the wires that a frame computes where the States are absent. Each pair is a wire of
/// a State and the one that it has to equal.
#[track_caller]
fn starts_as_in_a_frame(nodes: &str, values: &[(&str, &str)], states: &str, pairs: &[(&str, &str)]) -> Vec<Vec<u32>> {
    let mut frame = start(60.0, nodes, values);
    step(&mut frame, 1);
    let expected: Vec<Vec<u32>> = pairs.iter().map(|(_, wire)| words(&frame, wire)).collect();
    for (plan, mut sim) in simulations(&document(60.0, &[nodes, states].concat(), values)).into_iter().enumerate() {
        for run in 0..2 {
            step(&mut sim, 1);
            for ((held, wire), expected) in pairs.iter().zip(&expected) {
                assert!(words(&sim, held) == *expected, "{held} is not {wire} to the bit, plan {plan}, run {run}");
            }
            sim.reset();
        }
    }
    expected
}

#[test]
fn a_group_stops_where_it_stops_in_a_frame() {
    let states = r##"
        "shown": (custom: r#"//! Shown
            //! @in n: u32
            //! @out x: Grid<f32>
            fn stage(cell: Cell) -> f32 { return f32(n()); }"#, on: "domain", inputs: {"n": "solve.repeats"}),
        "held": (state: "Grid<f32>", on: "domain", inputs: {"init": "solve.x"}),
        "left": (state: "f32", inputs: {"init": "solve.left"}),
        "repeats": (state: "Grid<f32>", on: "domain", inputs: {"init": "shown.x"}),
    "##;
    for (below, every, repeats) in
        [("5.5", "1", 5.0), ("0.5", "3", 12.0), ("-30", "1", 20.0), ("100", "1", 1.0), ("100", "30", 20.0)]
    {
        let (nodes, values) = ([FLAT, COUNT].concat(), [("$below", below), ("$every", every)]);
        let pairs = [("held.value", "solve.x"), ("left.value", "solve.left")];
        let held = starts_as_in_a_frame(&nodes, &values, states, &pairs);
        assert!(held[0].iter().all(|x| *x == f32::to_bits(repeats)), "below {below}, every {every}");
        for mut sim in simulations(&document(60.0, &[&*nodes, states].concat(), &values)) {
            step(&mut sim, 1);
            assert!(
                read(&sim, "repeats.value").iter().all(|n| *n == f64::from(repeats)),
                "below {below}, every {every}"
            );
        }
    }
}

#[test]
fn a_reset_reads_the_criterion_again() {
    let held = r#"
        "held": (state: "Grid<f32>", on: "domain", inputs: {"init": "solve.x"}),
        "tolerance": (number: 5.5),
    "#;
    let values = [("$below", "\"tolerance\""), ("$every", "1")];
    for mut sim in simulations(&document(60.0, &[FLAT, COUNT, held].concat(), &values)) {
        for (tolerance, repeats) in [(5.5, 5.0), (0.5, 10.0), (-1.5, 12.0)] {
            sim.set_param("tolerance.value", ParamValue::Number(tolerance)).unwrap();
            sim.reset();
            step(&mut sim, 1);
            assert!(read(&sim, "held.value").iter().all(|x| *x == repeats), "below {tolerance}");
        }
    }
}

/// A group that stops in one that stops.
const NESTED: &str = r##"
    "outer": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "inner.x", "left": "inner.left"}, nodes: {
        "inner": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "add.x", "left": "add.left", "near": "add.near"}, nodes: {
            "add": (custom: r#"//! Add
                //! @inout x: Grid<f32>
                //! @out left: f32, reduce max
                //! @out near: f32, reduce max
                fn stage(cell: Cell) -> Result {
                    let next = x(cell) + 1.0;
                    return Result(next, 30.0 - next, 4.0 - next % 4.0);
                }"#, inputs: {"x": "in.x"}),
        }), inputs: {"x": "in.x"}, iterations: 6, until: (number: "near", below: 1.5)),
    }), inputs: {"x": "zero"}, iterations: 5, until: (number: "left", below: 20)),
    "zero": (on: "domain", custom: r#"//! Zero
        //! @out zero: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 0.0; }"#),
"##;

#[test]
fn groups_that_stop_are_shared_and_nested() {
    let states = r##"
        "more": (custom: r#"//! More
            //! @in x: Grid<f32>
            //! @out y: Grid<f32>
            fn stage(cell: Cell) -> f32 { return x(cell) + 0.5; }"#, inputs: {"x": "outer.x"}),
        "first": (state: "Grid<f32>", on: "domain", inputs: {"init": "outer.x"}),
        "second": (state: "Grid<f32>", on: "domain", inputs: {"init": "more.y"}),
        "third": (state: "Grid<f32>", on: "domain", inputs: {"init": "outer.x"}, precision: "f16"),
    "##;
    // Inner groups end at 3, 7 and 11; the outer one at the first that is above 10.
    let held = starts_as_in_a_frame(&[FLAT, NESTED].concat(), &[], states, &[("first.value", "outer.x")]);
    assert!(held[0].iter().all(|x| *x == 11f32.to_bits()));
    for mut sim in simulations(&document(60.0, &[FLAT, NESTED, states].concat(), &[])) {
        step(&mut sim, 1);
        assert!(read(&sim, "second.value").iter().all(|x| *x == 11.5));
        assert!(read(&sim, "third.value").iter().all(|x| *x == 11.0));
    }
}

/// A group that stops, with States inside that start from a group which stops.
const INSIDE: &str = r##"
    "outer": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "up.x", "far": "up.far"}, nodes: {
        "first": (state: "Grid<f32>", on: "domain", inputs: {"init": "solve.x", "next": "grow.y"}),
        "second": (state: "Grid<f32>", on: "domain", inputs: {"init": "solve.x", "next": "second"}),
        "grow": (custom: r#"//! Grow
            //! @in a: Grid<f32>
            //! @in b: Grid<f32>
            //! @out y: Grid<f32>
            fn stage(cell: Cell) -> f32 { return a(cell) + b(cell); }"#, inputs: {"a": "first", "b": "second"}),
        "solve": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "add.x", "left": "add.left"}, nodes: {
            "add": (custom: r#"//! Add
                //! @inout x: Grid<f32>
                //! @out left: f32, reduce max
                fn stage(cell: Cell) -> Result { return Result(x(cell) + 1.0, 9.0 - x(cell)); }"#, inputs: {"x": "in.x"}),
        }), inputs: {"x": "in.x"}, iterations: 20, until: (number: "left", below: 5.5)),
        "up": (custom: r#"//! Up
            //! @inout x: Grid<f32>
            //! @out far: f32, reduce max
            fn stage(cell: Cell) -> Result { return Result(x(cell) + 0.5, 1.2 - x(cell)); }"#, inputs: {"x": "in.x"}),
    }), inputs: {"x": "zero"}, iterations: 9, until: (number: "far", below: 0.5)),
    "zero": (on: "domain", custom: r#"//! Zero
        //! @out zero: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 0.0; }"#),
"##;

#[test]
fn states_in_a_group_that_stops_start_from_its_last_repeat() {
    // The third repeat, from 1, is the last one of the outer group; from there the inner one counts to 5.
    for mut sim in simulations(&document(60.0, &[FLAT, INSIDE].concat(), &[])) {
        for run in 0..2 {
            for (frame, first) in [(1, 10.0), (2, 15.0)] {
                step(&mut sim, 1);
                assert!(read(&sim, "outer/first.value").iter().all(|x| *x == first), "frame {frame}, run {run}");
                assert!(read(&sim, "outer/second.value").iter().all(|x| *x == 5.0), "frame {frame}, run {run}");
            }
            sim.reset();
        }
    }
}

#[test]
fn a_group_stops_in_its_blocks() {
    let mask = r##"
        "mask": (on: "domain", custom: r#"//! Mask
            //! @out m: Grid<f32>
            fn stage(cell: Cell) -> f32 { return select(0.0, 1.0, cell.x < 8 && cell.y < 8); }"#),
    "##;
    let held = r#""held": (state: "Grid<f32>", on: "domain", inputs: {"init": "solve.x"}),"#;
    for cells in ["40, 33", "40, 33, 17"] {
        let nodes = [FLAT, COUNT, mask].concat().replace("24, 17", cells);
        let nodes = nodes.replace("iterations: 20,", "iterations: 20, where: \"mask\",");
        let values = [("$below", "5.5"), ("$every", "1")];
        let held = starts_as_in_a_frame(&nodes, &values, held, &[("held.value", "solve.x")]);
        assert!(held[0].contains(&5f32.to_bits()) && held[0].contains(&0), "{cells}: 5 in the blocks, 0 elsewhere");
    }
}

/// Counts how many cells of some blocks a stage runs in.
const BLOCKS: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "mask": (on: "domain", custom: r#"//! Mask
        //! @out m: Grid<f32>
        fn stage(cell: Cell) -> f32 { return select(0.0, 1.0, cell.x < 12 && cell.y > 20); }"#),
    "count": (where: "mask", inputs: {"m": "mask"}, custom: r#"//! Count
        //! @in m: Grid<f32>
        //! @out n: f32, reduce sum
        //! @out most: f32, reduce max
        //! @out y: Grid<f32>
        //! @out z: Grid<f32>, scatter 16
        fn stage(cell: Cell) -> Result {
            add_z(cell, 0.5);
            return Result(1.0, position(cell).x + m(cell), 5.0 + m(cell));
        }"#),
    "sweep": (where: "mask", stage: "fluid/pressure_sor", inputs: {"divergence": "mask"}, iterations: 5),
"##;

#[test]
fn blocks_are_those_of_a_frame() {
    let states = r#"
        "n": (state: "f32", inputs: {"init": "count.n"}),
        "most": (state: "f32", inputs: {"init": "count.most"}),
        "y": (state: "Grid<f32>", on: "domain", inputs: {"init": "count.y"}),
        "z": (state: "Grid<f32>", on: "domain", inputs: {"init": "count.z"}),
        "p": (state: "Grid<f32>", on: "domain", inputs: {"init": "sweep.pressure"}),
    "#;
    let pairs = [
        ("n.value", "count.n"),
        ("most.value", "count.most"),
        ("y.value", "count.y"),
        ("z.value", "count.z"),
        ("p.value", "sweep.pressure"),
    ];
    // Blocks of 8 cells a side: two along x and one beside them, the last three along y and one beside them, all along z.
    for (cells, inside) in [("48, 40", 24.0 * 32.0), ("48, 40, 24", 24.0 * 32.0 * 24.0)] {
        let held = starts_as_in_a_frame(BLOCKS, &[("$cells", cells)], states, &pairs);
        assert_eq!(held[0], [f32::to_bits(inside)], "{cells}");
    }
}

/// Particles of which some stay, and a group that stops.
const PARTICLES: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "fill": (stage: "particles/emit_box", on: "domain", params: {"amount": 700, "spread": 1}),
    "thin": (custom: r#"//! Thin
        //! @inout particles: Particles{position: Vec, id: u32}, filter
        fn stage(particle: Particle) -> bool { return particle.id % 3u != 0u; }"#, inputs: {"particles": "fill.particles"}),
    "move": (group: (inputs: {"particles": "Particles{position: Vec, id: u32}"}, outputs: {"particles": "less.particles", "left": "less.left"}, nodes: {
        "less": (custom: r#"//! Less
            //! @inout particles: Particles{id: u32} -> {id: u32}
            //! @out left: f32, reduce max
            fn stage(particle: Particle) -> Result { return Result(particle.id / 2u, f32(particle.id / 2u)); }"#, inputs: {"particles": "halve.particles"}),
        "halve": (custom: r#"//! Halve
            //! @inout particles: Particles{id: u32}, filter
            fn stage(particle: Particle) -> bool { return particle.id % 5u != 0u; }"#, inputs: {"particles": "in.particles"}),
    }), inputs: {"particles": "thin.particles"}, iterations: 8, until: (number: "left", below: 40)),
"##;

#[test]
fn particles_that_live_are_those_of_a_frame() {
    let set = |init: &str| {
        let inputs = format!("inputs: {{\"init\": \"{init}\"}}");
        let set = "state: \"Particles{position: Vec, velocity: Vec, id: u32}\", capacity: 700, on: \"domain\"";
        format!("\"held\": ({set}, {inputs}),")
    };
    let live = |sim: &Simulation, wire: &str| words(sim, &format!("{wire}.count"))[0] as usize;
    // The frame adds the particles to an empty State.
    for (wire, cells, dim) in
        [("thin.particles", "24, 17", 2), ("move.particles", "24, 17", 2), ("move.particles", "24, 17, 9", 3)]
    {
        let (nodes, values) = ([PARTICLES, &*set(wire)].concat(), [("$cells", cells)]);
        let in_frame = nodes.replace("\"init\": \"", "\"next\": \"");
        let emits = "params: {\"amount\": 700";
        let in_frame = in_frame.replace(emits, &format!("inputs: {{\"particles\": \"held\"}}, {emits}"));
        let mut frame = start(60.0, &in_frame, &values);
        step(&mut frame, 1);
        let count = live(&frame, "held.value");
        assert!(count > 0 && count < 700, "{count} live");
        let started = simulations(&document(60.0, &nodes, &values));
        let others = simulations(&document(60.0, &in_frame, &values));
        for mut sim in started.into_iter().chain(others) {
            step(&mut sim, 1);
            assert_eq!(live(&sim, "held.value"), count, "{wire}");
            for (attribute, numbers) in [("position", dim), ("velocity", dim), ("id", 1)] {
                let of = |sim: &Simulation| words(sim, &format!("held.value.{attribute}"))[..count * numbers].to_vec();
                assert!(of(&sim) == of(&frame), "{wire}, {cells} cells: {attribute}");
            }
        }
    }
}

/// A pressure around a drop by conjugate gradients that stop.
const PRESSURE: &str = r##"
    "domain": (domain: (resolution: (32, 32), width: 1, edge: "wall")),
    "rhs": (on: "domain", custom: r#"//! Rhs
        //! @out d: Grid<f32>
        fn stage(cell: Cell) -> f32 { return select(0.0, 1.0, cell.x == 5 && cell.y == 9) - select(0.0, 1.0, cell.x == 25 && cell.y == 20); }"#),
    "weight": (on: "domain", custom: r#"//! Weight
        //! @out w: FaceGrid
        fn stage(cell: Cell) -> Vec {
            let heavy = distance(position(cell), vec2f(0.5)) < 0.2;
            return vec2f(select(1.0, 0.001, heavy));
        }"#),
    "zero": (on: "domain", custom: r#"//! Zero
        //! @out zero: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 0.0; }"#),
    "solve": (stage: "two_phase/pressure_multigrid_cg", inputs: {"divergence": "rhs", "pressure": "zero", "weight": "weight"}, params: {"cycles": 8, "tolerance": 1e-3}),
"##;

#[test]
fn a_pressure_by_conjugate_gradients_is_that_of_a_frame() {
    let states = r#"
        "pressure": (state: "Grid<f32>", on: "domain", inputs: {"init": "solve.pressure"}),
        "residual": (state: "f32", inputs: {"init": "solve.residual"}),
    "#;
    let mut frame = start(60.0, PRESSURE, &[]);
    let mut held = tuned(&document(60.0, &[PRESSURE, states].concat(), &[]), Tuning::cpu());
    step(&mut frame, 1);
    step(&mut held, 1);
    assert!(words(&held, "pressure.value") == words(&frame, "solve.pressure"), "not the same bits");
    assert_eq!(words(&held, "residual.value"), words(&frame, "solve.residual"));
    // Around a source of 1/s in a cell of 1/32 m.
    let (largest, residual) = (max_abs(&read(&held, "pressure.value")), read(&held, "residual.value")[0]);
    assert!(largest > 1e-4, "the pressure is at most {largest}");
    assert!(residual < 1e-3, "the residual is {residual}");
}

#[test]
fn a_stage_runs_as_often_as_in_a_frame() {
    for iterations in ["1", "2", "7"] {
        let nodes = r##"
            "rhs": (on: "domain", custom: r#"//! Rhs
                //! @out d: Grid<f32>
                fn stage(cell: Cell) -> f32 { return random(cell, 3u) - 0.5; }"#),
            "jacobi": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "rhs"}, iterations: $n),
            "sor": (stage: "fluid/pressure_sor", inputs: {"divergence": "rhs", "pressure": "jacobi"}, iterations: $n),
        "##;
        let states = r#"
            "p": (state: "Grid<f32>", on: "domain", inputs: {"init": "sor.pressure"}),
            "q": (state: "Grid<f32>", on: "domain", inputs: {"init": "jacobi.pressure"}),
        "#;
        let pairs = [("p.value", "sor.pressure"), ("q.value", "jacobi.pressure")];
        starts_as_in_a_frame(&[FLAT, nodes].concat(), &[("$n", iterations)], states, &pairs);
    }
}

/// Says that its number stays within 0..1. At the start it has `$start`, and one more in each second.
const EXPECTS: &str = r##"
    "check": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "check.y"}, nodes: {
        "check": (custom: r#"//! Check
            //! @in x: Grid<f32>
            //! @out y: Grid<f32>
            //! @out courant: f32, reduce max, expect 0..1   Never more than one. Wait
            fn stage(cell: Cell) -> Result { return Result(x(cell), x(cell) + frame.time); }"#, inputs: {"x": "in.x"}),
    }), inputs: {"x": "start"}),
    "start": (on: "domain", custom: r#"//! Start
        //! @out x: Grid<f32>
        fn stage(cell: Cell) -> f32 { return $start; }"#),
"##;

#[test]
fn a_number_that_a_start_expects_is_that_of_the_start() {
    for (began, warnings) in [("0.5", 0), ("1.5", 1)] {
        for state in ["\"init\": \"check.x\"", "\"init\": \"check.x\", \"next\": \"add.x\""] {
            let states = format!(
                r##"
                "held": (state: "Grid<f32>", on: "domain", inputs: {{{state}}}),
                "add": (custom: r#"//! Add
                    //! @inout x: Grid<f32>
                    fn stage(cell: Cell) -> f32 {{ return x(cell) + 1.0; }}"#, inputs: {{"x": "held"}}),
                "##
            );
            for mut sim in simulations(&document(1.0, &[FLAT, EXPECTS, &*states].concat(), &[("$start", began)])) {
                for run in 0..2 {
                    step(&mut sim, 3);
                    let problems: Vec<String> = sim.warnings(true).0.iter().map(ToString::to_string).collect();
                    assert_eq!(problems.len(), warnings, "from {began}, run {run}: {problems:?}");
                    assert!(problems.iter().all(|problem| problem.contains("1.500")), "run {run}: {problems:?}");
                    let latest: Vec<f64> = sim.watched().iter().map(|watched| watched.value).collect();
                    assert_eq!(latest, [began.parse::<f64>().unwrap()]);
                    sim.reset();
                }
            }
        }
    }
}

/// Only the reset computes what only it reads, whatever it expects.
#[test]
fn a_frame_leaves_out_what_a_start_expects() {
    let held = r#""held": (state: "Grid<f32>", on: "domain", inputs: {"init": "check.x"}),"#;
    let document = document(1.0, &[FLAT, EXPECTS, held].concat(), &[("$start", "0.5")]);
    let plan = compile(&document, Keep::All);
    let nodes: Vec<&str> = plan.frame.iter().chain(&plan.invariant).map(|dispatch| &*dispatch.node).collect();
    assert_eq!(nodes, [""; 0]);
    assert!(plan.reset.iter().any(|dispatch| dispatch.node == "check/check"));
}
