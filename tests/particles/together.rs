//! Searches that share a dispatch, attributes that are overwritten where others read different ones, and stages of two substeps in one
//! kernel: with the bits of plans that do none of it.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

use super::sets::*;

/// Two searches that need nothing of each other, one that increases what the first has made, and a motion that depends on the substep.
const NODES: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, id: u32}", capacity: 800, on: "box", inputs: {"next": "step.particles"}),
    "step": (group: (inputs: {"particles": "Particles"}, outputs: {"particles": "wrap.particles", "pulled": "raise.particles"}, nodes: {
        "near": (stage: "neighbors/fill", inputs: {"particles": "in.particles"}),
        "pull": (custom: r#"//! Pull
            //! @in neighbors: NeighborGrid
            //! @inout particles: Particles{position: Vec} -> {pull: f32}
            fn stage(particle: Particle) -> f32 {
                var sum = 0.0;
                var near = neighbors(particle.position);
                while (neighbors_next(&near)) {
                    let apart = displacement(particle.position, particles(near.index).position);
                    if dot(apart, apart) < 0.012 { sum += 0.012 - dot(apart, apart); }
                }
                return sum;
            }"#, inputs: {"neighbors": "near.neighbors", "particles": "near.particles"}),
        "crowd": (custom: r#"//! Crowd
            //! @in neighbors: NeighborGrid
            //! @inout particles: Particles{position: Vec, id: u32} -> {crowd: u32}
            fn stage(particle: Particle) -> u32 {
                var many = 0u;
                var near = neighbors(particle.position);
                while (neighbors_next(&near)) {
                    let apart = displacement(particle.position, particles(near.index).position);
                    if dot(apart, apart) < 0.01 { many += particles(near.index).id % 7u; }
                }
                return many;
            }"#, inputs: {"neighbors": "near.neighbors", "particles": "pull.particles"}),
        "raise": (custom: r#"//! Raise
            //! @in neighbors: NeighborGrid
            //! @inout particles: Particles{position: Vec, pull: f32, crowd: u32} -> {pull: f32}
            fn stage(particle: Particle) -> f32 {
                var sum = particle.pull;
                var near = neighbors(particle.position);
                while (neighbors_next(&near)) {
                    $other
                    let apart = displacement(particle.position, particles(near.index).position);
                    if dot(apart, apart) < 0.012 { sum += $read; }
                }
                return sum;
            }
            fn weight_of(particle: Particle) -> f32 { return 0.001 * particle.pull; }"#,
            inputs: {"neighbors": "near.neighbors", "particles": "crowd.particles"}),
        "move": (custom: r#"//! Move
            //! @inout particles: Particles{position: Vec, pull: f32} -> {position: Vec}
            fn stage(particle: Particle) -> Vec { return particle.position + 0.002 * particle.pull * f32(substep + 1) - 0.001 * f32(substep); }"#,
            inputs: {"particles": "raise.particles"}),
        "wrap": (custom: r#"//! Wrap
            //! @inout particles: Particles{position: Vec} -> {position: Vec}
            fn stage(particle: Particle) -> Vec { return fract(particle.position); }"#, inputs: {"particles": "move.particles"}),
    }), inputs: {"particles": "set"}, iterations: 5),
"##;

fn outcome(values: &[(&str, &str)], tuning: Tuning, dim: usize) -> (Vec<Vec<u32>>, Plan) {
    let graph = Graph::build(&document(60.0, NODES, values), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let keep = Keep::Wires(vec!["step.pulled".into(), "set.value".into()]);
    let plan = Plan::compile(&graph, &PlanOptions { keep, tuning, ..PlanOptions::default() });
    let plan = plan.unwrap_or_else(|e| panic!("{e}"));
    let mut sim = Simulation::new(gpu(), plan.clone()).unwrap_or_else(|e| panic!("{e}"));
    let places: Vec<f32> = random(800 * dim, 3).into_iter().map(|x| 0.5 + 0.5 * x).collect();
    place(&mut sim, "set", &places, &[], dim);
    step(&mut sim, 3);
    let parts = [("set", "position"), ("step.pulled", "pull"), ("step.pulled", "crowd")];
    (parts.map(|(wire, part)| words(&sim, &format!("{wire}.{part}"))).to_vec(), plan)
}

#[test]
fn joined_searches_and_substeps_have_the_bits_of_their_own_dispatches() {
    // What is read of others: another attribute; the one that is written, by name, or in a particle that is taken as a whole.
    let reads = [
        ("", "0.001 * f32(particles(near.index).crowd)", true),
        ("", "0.001 * particles(near.index).pull", false),
        ("let other = particles(near.index);", "0.001 * f32(other.crowd)", false),
        ("", "weight_of(particles(near.index))", false),
        ("let particle = particles(near.index);", "0.001 * particle.pull", false),
    ];
    for (dim, cells) in [(2, "9, 7"), (3, "6, 5, 4")] {
        for (other, read, in_place) in reads {
            let values = [("$cells", cells), ("$other", other), ("$read", read)];
            let tuning = Tuning { buffers: 24, joined_buffers: 32, ..Tuning::gpu() };
            let (expected, _) = outcome(&values, Tuning::default(), dim);
            let (got, plan) = outcome(&values, tuning, dim);
            let text = plan.to_text();
            let name = format!("{dim}D, {other} {read}");
            for (part, (expected, got)) in expected.iter().zip(&got).enumerate() {
                let apart = expected.iter().zip(got).position(|(a, b)| a != b);
                assert_eq!(apart, None, "{name}: part {part}: {} words, other bits\n{text}", expected.len());
            }
            assert!(
                expected[1].iter().any(|word| *word != 0) && expected[2].iter().any(|word| *word > 5),
                "{name}: nothing near"
            );
            assert!(text.contains("step/crowd after step/pull"), "{name}: both searches in one\n{text}");
            assert!(
                text.contains("step/near/count after ") && text.contains("step/wrap"),
                "{name}: a substep joins the next\n{text}"
            );
            // In the last substep its result is stored.
            let stores = |line: &&str| line.contains("step/raise") && line.contains(".pull>");
            let raise: Vec<&str> = text.lines().filter(stores).collect();
            assert!(!raise.is_empty(), "{text}");
            let overwrites = raise.iter().all(|line| !line.contains("pull<"));
            assert_eq!(overwrites, in_place, "{name}: overwritten where nobody else reads it\n{}", raise.join("\n"));
        }
    }
}
