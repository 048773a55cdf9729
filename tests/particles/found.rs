//! Searches that go by what an earlier one has found: with the same bits as those that look for themselves.

use stagewright_compiler::tuning::DefaultTuning;
use stagewright_compiler::{Keep, MemoryBudget, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

use super::killing::HASH;
use super::sets::*;

/// Each particle weighs what is near, then folds it in the order in which it comes; every other one does so again.
const NODES: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "set": (state: "Particles{position: Vec, id: u32}", capacity: 1500, on: "box"),
    "near": (stage: "neighbors/$kind", on: "box", inputs: {"particles": "set.value"}),
    "weigh": (custom: r#"//! Weigh
        //! @in neighbors: NeighborGrid
        //! @inout particles: Particles{position: Vec} -> {weight: f32}
        fn stage(particle: Particle) -> f32 {
            var sum = 0.0;
            $begin
            var near = neighbors(particle.position$aside);
            while (neighbors_next(&near)) {
                let apart = displacement(particle.position, particles(near.index).position);
                sum += max(0.04 - dot(apart, apart), 0.0);
            }
            return sum;
        }"#, on: "box", inputs: {"neighbors": "near.neighbors", "particles": "near.particles"}),
    "move": (custom: r#"//! Move
        //! @inout particles: Particles{position: Vec} -> {position: Vec}
        fn stage(particle: Particle) -> Vec { return particle.position + 0.001; }"#,
        on: "box", inputs: {"particles": "weigh.particles"}),
    "fold": (custom: r#"//! Fold
        //! @in neighbors: NeighborGrid
        //! @inout particles: Particles{position: Vec, weight: f32, id: u32} -> {first: u32, many: u32}
        fn stage(particle: Particle) -> Result {
            var first = 0u;
            var many = 0u;
            var near = neighbors(particle.position);
            while (neighbors_next(&near)) {
                let other = particles(near.index);
                let apart = displacement(particle.position, other.position);
                if dot(apart, apart) >= 0.04 || near.index == particle.index { continue; }
                first = first * 31u + hash(other.id ^ bitcast<u32>(other.weight));
                many++;
            }
            return Result(first, many);
        }
        $hash"#, on: "box", inputs: {"neighbors": "near.neighbors", "particles": "$before.particles"}),
    "again": (custom: r#"//! Again
        //! @in neighbors: NeighborGrid
        //! @inout particles: Particles{position: Vec, first: u32, id: u32} -> {second: u32}
        fn stage(particle: Particle) -> u32 {
            if particle.id % 2u == 0u { return 7u; }
            var second = 0u;
            var near = neighbors(particle.position);
            while (neighbors_next(&near)) {
                let apart = displacement(particle.position, particles(near.index).position);
                if dot(apart, apart) < 0.03 { second = second * 31u + particles(near.index).first; }
            }
            return second;
        }"#, on: "box", inputs: {"neighbors": "near.neighbors", "particles": "fold.particles"}),
"##;

fn plan(values: &[(&str, &str)], tuning: Tuning) -> Plan {
    within(values, tuning, 1 << 30)
}

fn within(values: &[(&str, &str)], tuning: Tuning, memory_budget: u64) -> Plan {
    let usual =
        [("$begin", ""), ("$aside", ""), ("$before", "weigh"), ("$kind", "fill"), ("$edge", "wall"), ("$hash", HASH)];
    let unsaid = usual.iter().filter(|(name, _)| values.iter().all(|(said, _)| said != name));
    let all: Vec<(&str, &str)> = values.iter().chain(unsaid).copied().collect();
    let graph = Graph::build(&document(60.0, NODES, &all), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let keep = Keep::Wires(vec!["again.particles".into()]);
    let memory_budget = MemoryBudget::of_user(memory_budget);
    let plan = Plan::compile(&graph, &PlanOptions { keep, tuning, memory_budget, ..PlanOptions::default() });
    plan.unwrap_or_else(|e| panic!("{e}"))
}

fn on_gpu() -> Tuning {
    Tuning { buffers: 16, ..Tuning::gpu() }
}

fn on_cpu() -> Tuning {
    Tuning { defaults: DefaultTuning::Cpu, fuse: true, buffers: 16, ..Tuning::default() }
}

/// Searches that leave what they find, and those that go by it.
fn shared(plan: &Plan) -> (usize, usize) {
    let text = plan.to_text();
    (text.matches(".found>b").count(), text.matches(".found<b").count())
}

/// What 1400 particles find, a quarter of them in one cell, some of them beyond the border.
fn outcome(plan: Plan, dim: usize) -> Vec<Vec<u32>> {
    let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
    let even = random(1050 * dim, 3).into_iter().map(|x| 0.5 + 0.55 * x);
    let dense = random(350 * dim, 4).into_iter().map(|x| 0.5 + 0.09 * x);
    place(&mut sim, "set", &even.chain(dense).collect::<Vec<f32>>(), &[], dim);
    step(&mut sim, 2);
    assert!(sim.warnings(true).is_empty());
    ["id", "weight", "first", "many", "second"].map(|name| wholes(&sim, "again.particles", name)).to_vec()
}

#[test]
fn what_is_found_once_is_found_again() {
    for (cells, dim, edge, kind) in [
        ("5, 5, 5", 3, "wall", "fill"),
        ("5, 4, 3", 3, "zero", "fill_list"),
        ("5, 5", 2, "zero", "fill"),
        ("5, 7", 2, "wall", "fill_list"),
    ] {
        let values = [("$cells", cells), ("$edge", edge), ("$kind", kind)];
        let alone = plan(&values, Tuning::default());
        assert_eq!(shared(&alone), (0, 0));
        let expected = outcome(alone, dim);
        let most = expected[3].iter().max().copied().unwrap_or(0);
        println!("{cells} cells, {edge}, {kind}: up to {most} near");
        assert!(expected[3].len() == 1400 && most > 300, "rows of many times 32");
        for tuning in [on_gpu(), on_cpu()] {
            let plan = plan(&values, tuning);
            assert_eq!(shared(&plan), (1, 2), "{}", plan.to_text());
            assert!(outcome(plan, dim) == expected, "{cells} {edge} {kind}");
        }
    }
}

#[test]
fn other_searches_look_for_themselves() {
    for (other, kept) in [
        (("$edge", "wrap"), (0, 0)),
        (("$aside", " * 0.5"), (1, 1)),
        (("$begin", "if particle.position.x > 0.5 { return 1.0; }"), (1, 1)),
        (("$before", "move"), (1, 1)),
    ] {
        for tuning in [on_gpu(), on_cpu()] {
            let plan = plan(&[("$cells", "5, 5, 5"), other], tuning);
            assert_eq!(shared(&plan), kept, "{other:?}: {}", plan.to_text());
        }
    }
}

#[test]
fn what_does_not_fit_when_joined_stays_apart_and_says_why() {
    let values = [("$cells", "5, 5, 5")];
    let [alone, joined] = [Tuning::default(), on_cpu()].map(|tuning| plan(&values, tuning));
    assert!(joined.memory > alone.memory, "{} bytes for {}", joined.memory, alone.memory);
    assert_eq!((&alone.apart, &joined.apart), (&None, &None));
    let tight = within(&values, on_cpu(), alone.memory);
    let why = tight.apart.clone().expect("it does not fit when joined");
    assert!(why.contains("of GPU memory, the budget is") && tight.to_text().contains(&why), "{why}");
    assert_eq!((tight.frame.len(), shared(&tight)), (alone.frame.len(), (0, 0)));
    assert!(outcome(tight, 3) == outcome(alone, 3));
}
