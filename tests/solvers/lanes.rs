//! Invocations that share what a particle adds (pass `lanes`), against one invocation a particle.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

/// Vectors added to squares of cells that reach beyond the grid: some too small for a step, some too large for a sum, some no numbers.
const SPLATS: &str = r##"
    "box": (domain: (resolution: (40, 24), width: 1, edge: "$edge")),
    "begin": (stage: "particles/fill_box", on: "box", params: {"center": (0.5, 0.3, 0), "size": (0.96, 0.56, 0), "spacing": 0.02}),
    "set": (state: "Particles{position: Vec}", capacity: 1500, on: "box", inputs: {"init": "begin.particles", "next": "begin.particles"}),
    "splat": (custom: r#"//! Splats
        //! @in  particles: Particles{position: Vec}
        //! @out light: Grid<$value>, scatter 14
        fn stage(particle: Particle) {
            let amount = exp2(18.0 * random_at(u32(particle.index), 1u) - 17.0);
            for (var i = 0; i < 25; i++) {
                let cell = Cell(floor(particle.position / CELL_SIZE)) + vec2i(i % 5 - 2, i / 5 - 2);
                var value = $value() + amount / (1.0 + f32(i));
                if particle.index % 97u == 5u { value[particle.index % $count] = 1.5e5; }
                if particle.index % 211u == 7u { value[particle.index % $count] = amount / (1.0 - f32(i / 25) - 1.0); }
                if particle.index % 3u == 0u { value.x = 0.0; }
                add_light(cell, value);
            }
        }"#, on: "box", inputs: {"particles": "set.value"}),
"##;

/// The words of a sum, and what is said of it.
fn splats(values: &[(&str, &str)], without: &[&str]) -> (usize, Vec<u32>, String) {
    let graph = Graph::build(&document(60.0, SPLATS, values), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let tuning = Tuning { without: without.iter().map(ToString::to_string).collect(), ..Tuning::gpu() };
    let options = PlanOptions { keep: Keep::Wires(["splat.light".into()].into()), tuning, ..PlanOptions::default() };
    let plan = Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    let sharing = plan.kernels.iter().filter(|kernel| kernel.wgsl.contains("_vector[_share]")).count();
    let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
    step(&mut sim, 3);
    let words = words(&sim, "splat.light");
    (sharing, words, sim.warnings(true).to_string())
}

#[test]
fn components_that_invocations_share_change_no_bit() {
    for edge in ["zero", "wrap", "clamp"] {
        for (value, count) in [("vec2f", "2u"), ("vec3f", "3u"), ("vec4f", "4u")] {
            let values = [("$edge", edge), ("$value", value), ("$count", count)];
            let (sharing, shared, said) = splats(&values, &[]);
            let (none, alone, said_alone) = splats(&values, &["lanes"]);
            assert_eq!((sharing, none), (1, 0), "{edge}, {value}");
            let differs = shared.iter().zip(&alone).position(|(shared, alone)| shared != alone);
            assert_eq!((shared.len(), differs), (alone.len(), None), "{edge}, {value}");
            assert_eq!(said, said_alone, "{edge}, {value}");
            assert!(said.contains("left the range") && said.contains("NaN or infinity"), "{said}");
        }
    }
}
