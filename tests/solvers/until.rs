//! Groups that stop by themselves: where they stop, what they leave behind, and what else may be in and around them.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

const DOMAIN: &str = r#"
    "domain": (domain: (resolution: (24, 17), width: 1, edge: "wall")),
"#;

/// Counts up in place, and tells how far it is from ten.
pub(super) const COUNT: &str = r##"
    "zero": (on: "domain", custom: r#"//! Zero
        //! @out zero: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 0.0; }"#),
    "solve": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "add.x", "left": "add.left"}, nodes: {
        "add": (custom: r#"//! Add
            //! @inout x: Grid<f32>
            //! @out left: f32, reduce max
            fn stage(cell: Cell) -> Result { return Result(x(cell) + 1.0, 9.0 - x(cell)); }"#, inputs: {"x": "in.x"}),
    }), inputs: {"x": "zero"}, iterations: 20, until: (number: "left", below: $below, every: $every)),
"##;

/// What all cells hold, and the repeats that were made.
#[track_caller]
fn counted(sim: &mut Simulation) -> (f64, u32) {
    step(sim, 1);
    let x = read(sim, "solve.x");
    assert!(x.iter().all(|v| *v == x[0]), "all cells are alike");
    (x[0], words(sim, "solve.repeats")[0])
}

#[test]
fn a_group_stops_after_the_first_repeat_that_is_enough() {
    // 10 - x falls below 5.5 at x = 5, and so on; what is never reached runs to the end, and not a number is below nothing.
    for (below, every, repeats) in [
        ("5.5", "1", 5),
        ("0.5", "1", 10),
        ("0.5", "3", 12),
        ("0.5", "7", 14),
        ("-30", "1", 20),
        ("-9.5", "1", 20),
        ("100", "1", 1),
        ("100", "30", 20),
        ("0.5", "20", 20),
    ] {
        let mut sim = start(60.0, &[DOMAIN, COUNT].concat(), &[("$below", below), ("$every", every)]);
        assert_eq!(counted(&mut sim), (f64::from(repeats), repeats), "below {below}, every {every}");
        assert_eq!(counted(&mut sim), (f64::from(repeats), repeats), "the next frame begins anew");
    }
}

#[test]
fn stages_read_how_many_repeats_were_made() {
    let reader = r##"
        "shown": (custom: r#"//! Shown
            //! @in n: u32
            //! @out x: Grid<f32>
            fn stage(cell: Cell) -> f32 { return f32(n()); }"#, on: "domain", inputs: {"n": "solve.repeats"}),
    "##;
    let nodes = [DOMAIN, COUNT, reader].concat();
    let mut sim = start(60.0, &nodes, &[("$below", "0.5"), ("$every", "3")]);
    step(&mut sim, 1);
    assert!(read(&sim, "shown.x").iter().all(|x| *x == 12.0));
}

#[test]
fn the_tolerance_changes_while_it_runs_and_may_be_an_expression() {
    let nodes = [DOMAIN, COUNT, r#""tolerance": (number: 5.5),"#].concat();
    let mut sim = start(60.0, &nodes, &[("$below", "\"tolerance + frame\""), ("$every", "1")]);
    assert_eq!(counted(&mut sim), (5.0, 5));
    assert_eq!(counted(&mut sim), (4.0, 4), "a frame later it is 6.5");
    sim.set_param("tolerance.value", stagewright_language::document::ParamValue::Number(-1.5)).unwrap();
    assert_eq!(counted(&mut sim), (10.0, 10), "two frames later 0.5");
    let mut sim = start(60.0, &[DOMAIN, COUNT].concat(), &[("$below", "5.5"), ("$every", "1")]);
    sim.set_param("solve.until", stagewright_language::document::ParamValue::Number(2.5)).unwrap();
    assert_eq!(counted(&mut sim), (8.0, 8));
}

/// A pressure solve of $count repeats of sweeps, and what it leaves.
const SOLVE: &str = r##"
    "rhs": (state: "Grid<f32>"),
    "p": (state: "Grid<f32>", inputs: {"next": "solve.p"}),
    "solve": (group: (inputs: {"d": "Grid<f32>", "p": "Grid<f32>"}, outputs: {"p": "sweep.pressure", "r": "largest.largest", "field": "left.residual"}, nodes: {
        "sweep": (stage: "fluid/$sweep", inputs: {"divergence": "in.d", "pressure": "in.p"}, iterations: $sweeps),
        "left": (stage: "fluid/residual", inputs: {"divergence": "in.d", "pressure": "sweep.pressure"}),
        "largest": (stage: "grid/largest", inputs: {"field": "left.residual"}),
    }), inputs: {"d": "rhs", "p": "p"}, iterations: $count$until),
"##;

fn rhs() -> Vec<f32> {
    let mut rhs = random(24 * 17, 8);
    let mean = rhs.iter().sum::<f32>() / rhs.len() as f32;
    rhs.iter_mut().for_each(|v| *v -= mean);
    rhs
}

/// Bits of the pressure, the residual field and its largest, after so many frames.
fn solved(sim: &mut Simulation, frames: usize) -> [Vec<u32>; 3] {
    sim.reset();
    sim.write("rhs", &rhs()).unwrap();
    step(sim, frames);
    ["solve.p", "solve.field", "solve.r"].map(|wire| words(sim, wire))
}

#[test]
fn what_is_left_is_that_of_as_many_repeats_to_the_bit() {
    for (sweep, sweeps) in [
        ("pressure_jacobi", "1"),
        ("pressure_jacobi", "2"),
        ("pressure_jacobi", "3"),
        ("pressure_sor", "1"),
        ("pressure_sor", "4"),
    ] {
        let nodes = [DOMAIN, SOLVE].concat();
        let fixed = |count: u32| {
            let values = [("$sweeps", sweeps), ("$sweep", sweep), ("$count", &*count.to_string()), ("$until", "")];
            start(60.0, &nodes, &values)
        };
        // The course of the residual from the runs without `until`.
        let course: Vec<f32> = (1..=12).map(|n| f32::from_bits(solved(&mut fixed(n), 1)[2][0])).collect();
        for every in [1, 2, 5] {
            let stop = 7;
            let below = course[stop] * 1.0001;
            let first = course.iter().position(|r| *r < below).unwrap() as u32 + 1;
            let expected = first.next_multiple_of(every).min(12);
            let until = format!(", until: (number: \"r\", below: {below:?}, every: {every})");
            let values = [("$sweeps", sweeps), ("$sweep", sweep), ("$count", "12"), ("$until", &*until)];
            let mut sim = start(60.0, &nodes, &values);
            let got = solved(&mut sim, 1);
            assert_eq!(words(&sim, "solve.repeats"), [expected], "{sweeps} {sweep}, every {every}");
            assert!(got == solved(&mut fixed(expected), 1), "{sweeps} {sweep}, every {every}: not the same bits");
        }
        // Over frames the State continues from where the group stopped.
        let until = format!(", until: (number: \"r\", below: {:?})", course[2] * 1.0001);
        let values = [("$sweeps", sweeps), ("$sweep", sweep), ("$count", "12"), ("$until", &*until)];
        let mut sim = start(60.0, &nodes, &values);
        let got = solved(&mut sim, 4);
        let first = course.iter().position(|r| *r < course[2] * 1.0001).unwrap() as u32 + 1;
        assert_eq!(words(&sim, "solve.repeats"), [1], "what was enough before is so after a repeat");
        assert!(got[0] == solved(&mut fixed(first + 3), 1)[0], "{sweeps} {sweep}: {first} and three repeats");
    }
}

fn plan(nodes: &str, values: &[(&str, &str)], keep: Keep) -> Plan {
    compile(&document(60.0, &[DOMAIN, nodes].concat(), values), keep)
}

#[test]
fn what_is_in_its_place_by_itself_is_not_copied() {
    let until = ", until: (number: \"r\", below: 0.1)";
    let copies = |sweep, sweeps| {
        let values = [("$sweeps", sweeps), ("$sweep", sweep), ("$count", "6"), ("$until", until)];
        let keep = Keep::Wires(vec!["solve.p".into()]);
        let plan = plan(SOLVE, &values, keep);
        plan.frame.iter().filter(|d| d.part == "copy").count()
    };
    assert_eq!(copies("pressure_sor", "2"), 0, "sweeps in place");
    assert_eq!(copies("pressure_jacobi", "1"), 6, "what a sweep reads it can't overwrite");
    assert_eq!(copies("pressure_jacobi", "2"), 0, "two sweeps go to and fro");
}

/// Fibonacci pairs: an output shows what the repeat was given.
const PAIRS: &str = r##"
    "a": (custom: r#"//! A
        //! @out a: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 0.0; }"#),
    "b": (custom: r#"//! B
        //! @out b: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 1.0; }"#),
    "solve": (group: (inputs: {"a": "Grid<f32>", "b": "Grid<f32>"}, outputs: {"a": "in.b", "b": "sum.result", "left": "sum.left"}, nodes: {
        "sum": (custom: r#"//! Sum
            //! @in x: Grid<f32>
            //! @in y: Grid<f32>
            //! @out result: Grid<f32>
            //! @out left: f32, reduce max
            fn stage(cell: Cell) -> Result { return Result(x(cell) + y(cell), -x(cell) - y(cell)); }"#, inputs: {"x": "in.a", "y": "in.b"}),
    }), inputs: {"a": "a", "b": "b"}, iterations: 15, until: (number: "left", below: $below)),
"##;

#[test]
fn outputs_that_change_places_are_those_of_the_last_repeat() {
    // b after n repeats is Fibonacci number n + 1.
    for (below, n, a, b) in [("-1.5", 2, 1.0, 2.0), ("-50", 9, 34.0, 55.0), ("-1e9", 15, 610.0, 987.0)] {
        let mut sim = start(60.0, &[DOMAIN, PAIRS].concat(), &[("$below", below)]);
        step(&mut sim, 1);
        assert_eq!([read(&sim, "solve.a")[0], read(&sim, "solve.b")[0]], [a, b], "below {below}");
        assert_eq!(words(&sim, "solve.repeats"), [n]);
    }
}

/// Each of three substeps adds ones until the sum is a multiple of a number that only it knows; a State inside remembers.
const NESTED: &str = r##"
    "x": (state: "Grid<f32>", inputs: {"next": "outer.x"}),
    "outer": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "inner.x", "done": "inner.left"}, nodes: {
        "goal": (custom: r#"//! Goal
            //! @in x: Grid<f32>
            //! @out goal: Grid<f32>
            fn stage(cell: Cell) -> f32 { return x(cell) + 2.0 * f32(substep + 1); }"#, inputs: {"x": "in.x"}),
        "memory": (state: "Grid<f32>", inputs: {"next": "inner.x"}),
        "inner": (group: (inputs: {"goal": "Grid<f32>", "x": "Grid<f32>"}, outputs: {"x": "add.x", "left": "add.left"}, nodes: {
            "add": (custom: r#"//! Add
                //! @inout x: Grid<f32>
                //! @in goal: Grid<f32>
                //! @out left: f32, reduce max
                fn stage(cell: Cell) -> Result { return Result(x(cell) + 1.0, goal(cell) - x(cell) - 1.0); }"#, inputs: {"x": "in.x", "goal": "in.goal"}),
            "seen": (state: "Grid<f32>", inputs: {"next": "add.x"}),
        }), inputs: {"x": "in.x", "goal": "goal"}, iterations: 9, until: (number: "left", below: 0.5)),
        "total": (custom: r#"//! Total
            //! @in x: Grid<f32>
            //! @out left: f32, reduce max
            fn stage(cell: Cell) -> f32 { return -x(cell); }"#, inputs: {"x": "inner.x"}),
    }), inputs: {"x": "x.value"}, iterations: 3$until),
"##;

#[test]
fn groups_in_groups_stop_each_for_itself() {
    let nodes = [DOMAIN, NESTED].concat();
    let mut sim = start(60.0, &nodes, &[("$until", "")]);
    step(&mut sim, 1);
    assert_eq!(read(&sim, "x")[0], 12.0, "2, 4 and 6");
    assert_eq!(words(&sim, "outer/inner.repeats"), [6], "those of the last substep");
    step(&mut sim, 1);
    assert_eq!([read(&sim, "x")[0], read(&sim, "outer/inner/seen")[0], read(&sim, "outer/memory")[0]], [24.0; 3]);
    // Around it one that stops, too: after the second substep of the first frame, at once in the next.
    let around = nodes.replace(r#""done": "inner.left""#, r#""done": "total.left""#);
    let mut sim = start(60.0, &around, &[("$until", r#", until: (number: "done", below: -5.5)"#)]);
    step(&mut sim, 1);
    assert_eq!(
        [read(&sim, "x")[0], read(&sim, "outer/inner/seen")[0], read(&sim, "outer/memory")[0]],
        [6.0; 3],
        "2 and 4"
    );
    assert_eq!([words(&sim, "outer.repeats")[0], words(&sim, "outer/inner.repeats")[0]], [2, 4]);
    step(&mut sim, 1);
    assert_eq!([read(&sim, "x")[0], read(&sim, "outer/inner/seen")[0], read(&sim, "outer/memory")[0]], [8.0; 3]);
    assert_eq!([words(&sim, "outer.repeats")[0], words(&sim, "outer/inner.repeats")[0]], [1, 2]);
}

/// Half of what is in the group never changes.
const STILL: &str = r##"
    "x": (state: "Grid<f32>", inputs: {"next": "solve.x"}),
    "solve": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "add.x", "left": "add.left", "mark": "ramp.ramp"}, nodes: {
        "ramp": (custom: r#"//! Ramp
            //! @out ramp: Grid<f32>
            fn stage(cell: Cell) -> f32 { return f32(cell.x) + 100.0 * f32(substep); }"#, on: "domain"),
        "add": (custom: r#"//! Add
            //! @inout x: Grid<f32>
            //! @in ramp: Grid<f32>
            //! @out left: f32, reduce max
            fn stage(cell: Cell) -> Result { return Result(x(cell) + 1.0 + 0.0 * ramp(cell), 3.5 - x(cell)); }"#, inputs: {"x": "in.x", "ramp": "ramp"}),
    }), inputs: {"x": "x"}, iterations: 9, until: (number: "left", below: 0.0)),
"##;

#[test]
fn what_is_computed_once_is_there_though_the_group_stops() {
    let mut sim = start(60.0, &[DOMAIN, STILL].concat(), &[]);
    assert!(!sim.plan().invariant.is_empty(), "the ramps are still");
    for (frame, repeats) in [(0, 5), (1, 1), (2, 1)] {
        step(&mut sim, 1);
        assert_eq!(words(&sim, "solve.repeats"), [repeats], "frame {frame}");
        let mark = read(&sim, "solve.mark");
        assert_eq!([mark[0], mark[7]], [100.0 * f64::from(repeats - 1), 7.0 + 100.0 * f64::from(repeats - 1)]);
    }
}

#[test]
fn solvers_that_ship_stop_at_their_tolerance() {
    const SHIPPED: &str = r#"
        "rhs": (state: "Grid<f32>"), "p": (state: "Grid<f32>"),
        "solve": (stage: "fluid/pressure_multigrid", inputs: {"divergence": "rhs", "pressure": "p"}, iterations: $cycles$until),
        "cg": (stage: "fluid/pressure_cg", inputs: {"divergence": "rhs", "pressure": "p"}, params: {"steps": 60, "tolerance": $tolerance}),
    "#;
    let run = |cycles: &str, until: &str, tolerance: &str| {
        let values = [("$cycles", cycles), ("$until", until), ("$tolerance", tolerance)];
        let mut sim = start(60.0, &[DOMAIN, SHIPPED].concat(), &values);
        sim.reset();
        sim.write("rhs", &rhs()).unwrap();
        step(&mut sim, 1);
        sim
    };
    let sim = run("6", r#", until: (number: "residual", below: 0.001)"#, "0.01");
    let cycles = words(&sim, "solve.repeats")[0];
    let fixed = run(&cycles.to_string(), "", "0.01");
    assert!((1..6).contains(&cycles), "{cycles} cycles");
    assert!(words(&sim, "solve.pressure") == words(&fixed, "solve.pressure"), "as many cycles give the same bits");
    assert!(read(&sim, "solve.residual")[0] < 0.001);
    let one_less = run(&(cycles - 1).max(1).to_string(), "", "0.01");
    assert!(cycles == 1 || read(&one_less, "solve.residual")[0] >= 0.001, "no cycle too many");
    let steps = words(&sim, "cg/steps.repeats")[0];
    println!("{cycles} cycles to 0.001, {steps} steps to 0.01");
    assert!(steps > 5 && steps < 60 && steps.is_multiple_of(5), "{steps} steps");
    assert!(read(&sim, "cg.residual")[0] < 0.01);
    assert_eq!(words(&run("1", "", "0"), "cg/steps.repeats"), [60], "without a tolerance all of them");
}

#[test]
fn tiles_and_fusion_change_nothing_of_it() {
    let tuned = |nodes: &str, values: &[(&str, &str)]| {
        let graph = Graph::build(&document(60.0, &[DOMAIN, nodes].concat(), values), Library::builtin()).unwrap();
        let options = PlanOptions { keep: Keep::All, tuning: Tuning::gpu(), ..PlanOptions::default() };
        Simulation::new(gpu(), Plan::compile(&graph, &options).unwrap()).unwrap()
    };
    for (sweep, sweeps) in [("pressure_jacobi", "5"), ("pressure_sor", "5"), ("pressure_jacobi", "1")] {
        for every in [1, 3] {
            let until = format!(", until: (number: \"r\", below: 0.3, every: {every})");
            let values = [("$sweeps", sweeps), ("$sweep", sweep), ("$count", "20"), ("$until", &*until)];
            let mut plain = start(60.0, &[DOMAIN, SOLVE].concat(), &values);
            let mut fast = tuned(SOLVE, &values);
            for frames in [1, 2] {
                let [p, _, _] = solved(&mut plain, frames);
                let [q, _, _] = solved(&mut fast, frames);
                assert!(p == q, "{sweeps} {sweep}, every {every}, {frames} frames");
                assert_eq!(words(&plain, "solve.repeats"), words(&fast, "solve.repeats"));
            }
        }
    }
    let mut fast = tuned(NESTED, &[("$until", "")]);
    step(&mut fast, 1);
    assert_eq!(read(&fast, "x")[0], 12.0);
    let mut fast = tuned(PAIRS, &[("$below", "-50")]);
    step(&mut fast, 1);
    assert_eq!([read(&fast, "solve.a")[0], read(&fast, "solve.b")[0]], [34.0, 55.0]);
}

/// Vectors of particles that each repeat blends with those of the neighbours, until they hardly change.
const BLENDED: &str = r##"
    "set": (state: "Particles{position: Vec, push: Vec, moved: f32}", capacity: 300, on: "domain", inputs: {"next": "solve.particles"}),
    "fill": (stage: "neighbors/fill", on: "domain", inputs: {"particles": "set.value"}),
    "first": (custom: r#"//! A search outside
        //! @in    neighbors: NeighborGrid
        //! @inout particles: Particles{position: Vec} -> {found: f32}
        fn stage(particle: Particle) -> f32 {
            var count = 0.0;
            var near = neighbors(particle.position);
            while (neighbors_next(&near)) {
                let apart = displacement(particle.position, particles(near.index).position);
                if dot(apart, apart) >= CELL_SIZE * CELL_SIZE { continue; }
                count += 1.0;
            }
            return count;
        }"#, inputs: {"neighbors": "fill.neighbors", "particles": "fill.particles"}),
    "solve": (group: (inputs: {"particles": "Particles", "neighbors": "NeighborGrid"}, outputs: {"particles": "blend.particles", "left": "blend.left"}, nodes: {
        "blend": (custom: r#"//! Blends
            //! @in    neighbors: NeighborGrid
            //! @inout particles: Particles{position: Vec, push: Vec, moved: f32, found: f32} -> {push: Vec, moved: f32}
            //! @out   left: f32, reduce sum
            fn stage(particle: Particle) -> Result {
                var sum = Vec();
                var moved = 0.0;
                var near = neighbors(particle.position);
                while (neighbors_next(&near)) {
                    let apart = displacement(particle.position, particles(near.index).position);
                    if dot(apart, apart) >= CELL_SIZE * CELL_SIZE { continue; }
                    sum += particles(near.index).push;
                    moved += particles(near.index).moved;
                }
                let push = sum / particle.found;
                return Result(push, moved / particle.found + 1.0, length(push - particle.push) / f32(particles_count()));
            }"#, inputs: {"neighbors": "in.neighbors", "particles": "in.particles"}),
    }), inputs: {"particles": "first.particles", "neighbors": "fill.neighbors"}, iterations: $count$until),
"##;

#[test]
fn particles_may_be_in_a_group_that_stops() {
    let tuned = |values: &[(&str, &str)], tuning: Tuning| {
        let graph = Graph::build(&document(60.0, &[DOMAIN, BLENDED].concat(), values), Library::builtin()).unwrap();
        let keep = Keep::Wires(vec!["set".into(), "solve".into()]);
        let options = PlanOptions { keep, tuning, ..PlanOptions::default() };
        Simulation::new(gpu(), Plan::compile(&graph, &options).unwrap()).unwrap()
    };
    let state = |sim: &mut Simulation| {
        sim.write("set.position", &random(600, 1).iter().map(|v| 0.35 * (v + 1.0)).collect::<Vec<_>>()).unwrap();
        sim.write("set.push", &random(600, 2)).unwrap();
        sim.set_count("set", 300).unwrap();
        step(sim, 1);
        [read(sim, "set.position"), read(sim, "set.push"), read(sim, "set.moved")]
    };
    for every in [1, 2, 3] {
        for tuning in [Tuning::default(), Tuning::gpu()] {
            let until = format!(", until: (number: \"left\", below: 0.02, every: {every})");
            let mut stops = tuned(&[("$count", "40"), ("$until", &until)], tuning.clone());
            let found = state(&mut stops);
            let repeats = words(&stops, "solve.repeats")[0];
            assert!(repeats > 0 && repeats < 40 && repeats.is_multiple_of(every), "{repeats} repeats");
            assert!(found[2].iter().all(|moved| *moved == f64::from(repeats)), "every particle took part in each");
            let mut fixed = tuned(&[("$count", &repeats.to_string()), ("$until", "")], tuning);
            assert!(found == state(&mut fixed), "every {every}: {repeats} repeats leave what as many iterations leave");
        }
    }
}

/// Particles that each repeat sorts, moves, thins out and replaces, twelve times.
const TURNED_OVER: &str = r##"
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32, moved: f32}", capacity: 400, on: "domain", inputs: {"next": "solve.particles"}),
    "solve": (group: (inputs: {"particles": "Particles"}, outputs: {"particles": "new.particles", "left": "move.left", "found": "move.found"}, nodes: {
        "fill": (stage: "neighbors/fill", on: "domain", inputs: {"particles": "in.particles"}),
        "count": (custom: r#"//! Count
            //! @in    neighbors: NeighborGrid
            //! @inout particles: Particles{position: Vec} -> {crowd: f32}
            fn stage(particle: Particle) -> f32 {
                var count = 0.0;
                var near = neighbors(particle.position);
                while (neighbors_next(&near)) {
                    let apart = displacement(particle.position, particles(near.index).position);
                    if dot(apart, apart) >= CELL_SIZE * CELL_SIZE { continue; }
                    count += 1.0;
                }
                return count;
            }"#, inputs: {"neighbors": "fill.neighbors", "particles": "fill.particles"}),
        "move": (custom: r#"//! Move
            //! @in    neighbors: NeighborGrid
            //! @inout particles: Particles{position: Vec, velocity: Vec, moved: f32, crowd: f32} -> {position: Vec, velocity: Vec, moved: f32}
            //! @out   left: f32, reduce min
            //! @out   found: f32, reduce sum
            fn stage(particle: Particle) -> Result {
                var sum = Vec();
                var near = neighbors(particle.position);
                while (neighbors_next(&near)) {
                    let apart = displacement(particle.position, particles(near.index).position);
                    if dot(apart, apart) >= CELL_SIZE * CELL_SIZE { continue; }
                    sum += apart + 0.01 * particles(near.index).velocity;
                }
                let velocity = 0.5 * particle.velocity + sum / particle.crowd;
                return Result(particle.position + 0.2 * velocity, velocity, particle.moved + 1.0, 10.5 - f32(substep), particle.crowd);
            }"#, inputs: {"neighbors": "fill.neighbors", "particles": "count.particles"}),
        "thin": (custom: r#"//! Thin out
            //! @inout particles: Particles{id: u32}, filter
            fn stage(particle: Particle) -> bool { return (particle.index + particle.id) % 41u != 7u; }"#, inputs: {"particles": "move.particles"}),
        "new": (stage: "particles/emit_box", inputs: {"particles": "thin.particles"}, params: {"amount": 6, "center": (0.5, 0.35), "size": (0.6, 0.5), "velocity": (0.1, 0), "spread": 0.2}),
    }), inputs: {"particles": "set"}, iterations: $count$until),
"##;

#[test]
fn particles_may_be_sorted_added_and_removed_in_a_group_that_stops() {
    let tuned = |values: &[(&str, &str)], tuning: Tuning| {
        let graph = Graph::build(&document(60.0, &[DOMAIN, TURNED_OVER].concat(), values), Library::builtin()).unwrap();
        let keep = Keep::Wires(vec!["set".into(), "solve".into()]);
        let options = PlanOptions { keep, tuning, ..PlanOptions::default() };
        Simulation::new(gpu(), Plan::compile(&graph, &options).unwrap()).unwrap()
    };
    // Two frames, so that the second one starts from what the first one has left.
    let state = |sim: &mut Simulation, repeats: Option<[u32; 2]>| {
        sim.write("set.position", &random(600, 1).iter().map(|v| 0.35 * (v + 1.0)).collect::<Vec<_>>()).unwrap();
        sim.write("set.velocity", &random(600, 2)).unwrap();
        sim.write_words("set.id", &(0..300).collect::<Vec<u32>>()).unwrap();
        sim.set_count("set", 300).unwrap();
        let made = [0, 1].map(|_| {
            step(sim, 1);
            if repeats.is_some() { 0 } else { words(sim, "solve.repeats")[0] }
        });
        let wires = ["position", "velocity", "moved"].map(|name| read(sim, &format!("set.{name}")));
        (made, wires, words(sim, "set.id"), read(sim, "solve.found"))
    };
    for every in [1, 2] {
        for tuning in [Tuning::default(), Tuning::gpu()] {
            let until = format!(", until: (number: \"left\", below: 0, every: {every})");
            let mut stops = tuned(&[("$count", "20"), ("$until", &until)], tuning.clone());
            let found = state(&mut stops, None);
            assert_eq!(found.0, [12; 2], "every {every}");
            let mut fixed = tuned(&[("$count", "12"), ("$until", "")], tuning);
            let expected = state(&mut fixed, Some([12; 2]));
            assert!(
                found.1[0].len() > 100 && found.1[2].iter().any(|moved| *moved > 12.0),
                "some stay, others are new"
            );
            assert!((&found.1, &found.2, &found.3) == (&expected.1, &expected.2, &expected.3), "every {every}");
        }
    }
}

fn problems(nodes: &str, values: &[(&str, &str)]) -> String {
    let document: Document = document(60.0, &[DOMAIN, nodes].concat(), values);
    match Graph::build(&document, Library::builtin()) {
        Err(problems) => problems.to_string(),
        Ok(graph) => {
            let options = PlanOptions { keep: Keep::All, ..PlanOptions::default() };
            Plan::compile(&graph, &options).err().map_or_else(String::new, |problems| problems.to_string())
        }
    }
}

#[test]
fn mistakes_are_reported() {
    let solve = |until: &str| {
        let values = [("$sweeps", "1"), ("$sweep", "pressure_sor"), ("$count", "5"), ("$until", until)];
        problems(SOLVE, &values)
    };
    let has = |text: String, words: &[&str]| {
        println!("{text}");
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    };
    has(solve(r#", until: (number: "left", below: 1)"#), &["solve.until", "no output `left`", "field, p, r"]);
    has(solve(r#", until: (number: "field", below: 1)"#), &["solve.until", "`field` carries Grid<f32>"]);
    has(solve(r#", until: (number: "r", below: "nothing")"#), &["solve.until", "nothing"]);
    has(solve(r#", until: (number: "r", below: (1, 2))"#), &["solve.until"]);
    has(solve(r#", until: (number: "r", below: 1, every: 0)"#), &["solve.until", "every"]);
    let stage = r#""a": (stage: "fluid/dissipate", on: "domain", iterations: 3, until: (number: "field", below: 1)),"#;
    has(problems(stage, &[]), &["a.until", "only a group"]);
}

/// Of a group that may stop, the first repeat is watched: the only one that runs in every frame. Whatever else is kept, it stays the first.
#[test]
fn whatever_is_kept_the_first_repeat_is_watched() {
    const HELD: &str = r##"
        "s": (state: "Grid<f32>", on: "domain", params: {"value": 1}, inputs: {"next": "solve.x"}),
        "solve": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "halve.x", "left": "halve.left"}, nodes: {
            "halve": (custom: r#"//! Halve
                //! @inout x: Grid<f32>
                //! @out left: f32, reduce max, expect 0..0.2
                fn stage(cell: Cell) -> Result { return Result(x(cell) * 0.5, x(cell) * 0.5); }"#, inputs: {"x": "in.x"}),
        }), inputs: {"x": "s.value"}, iterations: 8, until: (number: "left", below: 0.05)),
    "##;
    for kept in ["s.value", "s", "solve.x", "solve/halve.x", "solve/halve.left", "solve.repeats", ""] {
        let plan = plan(HELD, &[], Keep::Wires(vec![kept.to_string()]));
        let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|error| panic!("{kept}: {error}"));
        step(&mut sim, 1);
        let warnings = sim.warnings(true).to_string();
        assert!(warnings.contains("solve/halve.left: 0.500 is outside 0..0.2"), "{kept}: {warnings}");
    }
}
