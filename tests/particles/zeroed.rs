//! Sums in fixed point that the grid stage behind them zeroes as it reads them, and grids whose vectors have a fourth word since particles
//! alone read them: with the bits of plans that do neither.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

use super::sets::*;

/// Particles add to their cell, a stage makes a flow of the sums, and the particles go with it.
const NODES: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 700, on: "box", inputs: {"next": "step.particles"}),
    "step": (group: (
        inputs: {"particles": "Particles"},
        outputs: {"particles": "move.particles", "sum": "add.sum"},
        nodes: {
            "add": (custom: r#"//! Add
                //! @in particles: Particles{position: Vec, velocity: Vec}
                //! @over particles
                //! @out sum: Grid<$type>, scatter 16
                fn stage(particle: Particle) { add_sum(Cell(floor(particle.position / CELL_SIZE)), $amount); }"#, inputs: {"particles": "in.particles"}),
            "flow": (custom: r#"//! Flow of Sums
                //! @in sum: Grid<$type>
                //! @out flow: Grid<Vec>, like sum
                fn stage(cell: Cell) -> Vec { var v = Vec(); v.x = 0.3 + $read; v.y = 0.1 * v.x; return v; }"#, inputs: {"sum": "add.sum"}),
            "move": (custom: r#"//! Move
                //! @in flow: Grid<Vec>
                //! @inout particles: Particles{position: Vec, velocity: Vec} -> {position: Vec, velocity: Vec}
                fn stage(particle: Particle) -> Result {
                    let velocity = 0.9 * particle.velocity + flow(Cell(floor(particle.position / CELL_SIZE)));
                    return Result(fract(particle.position + 0.01 * velocity), velocity);
                }"#, inputs: {"particles": "in.particles", "flow": "flow.flow"}),
        },
    ), inputs: {"particles": "set"}, iterations: 5),
"##;

/// Words of all that is left after three frames.
fn outcome(graph: &Graph, tuning: Tuning, keep: &[&str], dim: usize) -> (Vec<Vec<u32>>, Plan) {
    let wires = Keep::Wires(keep.iter().map(ToString::to_string).collect());
    let options = PlanOptions { keep: wires, tuning, ..PlanOptions::default() };
    let plan = Plan::compile(graph, &options).unwrap_or_else(|e| panic!("{e}"));
    let mut sim = Simulation::new(gpu(), plan.clone()).unwrap_or_else(|e| panic!("{e}"));
    let positions: Vec<f32> = random(700 * dim, 3).iter().map(|x| 0.5 + 0.5 * x).collect();
    place(&mut sim, "set", &positions, &random(700 * dim, 4), dim);
    step(&mut sim, 3);
    let left = keep.iter().map(|wire| wire.replace(".value", "")).flat_map(|wire| match wire.as_str() {
        "set" => ["set.position", "set.velocity"].map(|part| words(&sim, part)).to_vec(),
        wire => vec![words(&sim, wire)],
    });
    (left.collect(), plan)
}

#[test]
fn sums_are_zeroed_where_they_are_read_and_vectors_for_particles_are_padded() {
    let own = |ty: &str, part: &str| (ty.to_string(), format!("sum(cell){part}"), true);
    let cases = [
        own("f32", ""),
        own("vec2f", ".y"),
        own("vec3f", ".z"),
        own("vec4f", ".w"),
        ("f32".into(), "sum(cell + Cell(1)) - sum(cell - Cell(1))".into(), false),
        ("vec4f".into(), "sum_at(position(cell) + 0.3 * CELL_SIZE).x".into(), false),
    ];
    // `--passes` says so.
    let values = [("$cells", "9, 7, 6"), ("$type", "f32"), ("$read", "sum(cell)"), ("$amount", "0.1")];
    let graph = Graph::build(&document(60.0, NODES, &values), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let options =
        PlanOptions { tuning: Tuning::gpu(), keep: Keep::Wires(vec!["set.value".into()]), ..PlanOptions::default() };
    let reports = Plan::passes(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    let said = reports.into_iter().find(|report| report.name == "dense_vectors").expect("runs").summary;
    assert!(said.contains("`step/flow.flow` takes four words: particles alone read it"), "{said}");
    for (dim, cells) in [(2, "13, 10"), (3, "9, 7, 6")] {
        for (ty, read, in_place) in &cases {
            let amount = if ty == "f32" {
                "0.1 * particle.velocity.x".into()
            } else {
                format!("{ty}(0.1 * particle.velocity.x)")
            };
            let values = [("$cells", cells), ("$type", ty), ("$read", read), ("$amount", &amount)];
            let graph =
                Graph::build(&document(60.0, NODES, &values), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
            let of = |tuning: Tuning, keep: &[&str]| outcome(&graph, tuning, keep, dim);
            let name = format!("{ty} in {dim}D by {read}");
            for keep in [&["set.value"][..], &["set.value", "step.sum"]] {
                let (plain, _) = of(Tuning::default(), keep);
                for tuning in [Tuning::cpu(), Tuning::gpu()] {
                    let (found, plan) = of(tuning, keep);
                    let sums = plan.buffers.iter().filter(|buffer| buffer.label.ends_with("add.sum")).count();
                    assert!(plain[0].iter().any(|word| *word != 0), "{name}: something moves");
                    if gpu().is_software() {
                        assert_eq!(plain, found, "{name}, with {keep:?}");
                    }
                    assert_eq!(sums == 1, *in_place, "{name}: {}", plan.to_text());
                    let flow =
                        plan.buffers.iter().find(|buffer| buffer.label.ends_with("flow.flow")).expect("has memory");
                    let words = if dim == 2 { 2 * 13 * 10 } else { 4 * 9 * 7 * 6 };
                    assert_eq!(flow.bytes, (4 * words as u64).next_multiple_of(16), "{name}: {}", plan.to_text());
                }
            }
        }
    }
}
