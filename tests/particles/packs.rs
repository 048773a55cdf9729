//! What a search reads of other particles lies together on a GPU, and sorts take fewer dispatches: with the same bits as without.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::bench::cases;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

use super::sets::*;

/// Each particle sums up what it asks of those near; what it asks for is computed from others' places before.
const NODES: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: "wrap")),
    "set": (state: "Particles{position: Vec, velocity: Vec, heat: f32, id: u32}", capacity: $capacity, on: "box",
        inputs: {"next": "ask.particles"}),
    "near": (stage: "neighbors/fill", on: "box", inputs: {"particles": "set.value"}),
    "weigh": (custom: r#"//! Weigh
        //! @in neighbors: NeighborGrid
        //! @inout particles: Particles{position: Vec} -> {weight: f32}
        fn stage(particle: Particle) -> f32 {
            var sum = 0.0;
            var near = neighbors(particle.position);
            while (neighbors_next(&near)) {
                let apart = displacement(particle.position, particles(near.index).position);
                sum += max(0.04 - dot(apart, apart), 0.0);
            }
            return sum;
        }"#, on: "box", inputs: {"neighbors": "near.neighbors", "particles": "near.particles"}),
    "cool": (custom: r#"//! Cool
        //! @inout particles: Particles{weight: f32, heat: f32} -> {cold: f32}
        fn stage(particle: Particle) -> f32 { return particle.weight * 3.0 - particle.heat; }"#,
        on: "box", inputs: {"particles": "weigh.particles"}),
    "ask": (custom: r#"//! Ask
        //! @in neighbors: NeighborGrid
        //! @inout particles: Particles{position: Vec, velocity: Vec, weight: f32, cold: f32, heat: f32, id: u32} -> {velocity: Vec, heat: f32}
        fn stage(particle: Particle) -> Result {
            var sum = Vec();
            var heat = particle.heat;
            var near = neighbors(particle.position);
            while (neighbors_next(&near)) {
                let other = particles(near.index);
                let apart = displacement(particle.position, other.position);
                if dot(apart, apart) >= 0.04 || other.id == particle.id { continue; }
                sum += other.velocity * other.weight + apart * other.cold$heat;
                heat += 0.01 * other.weight;
            }
            return Result(0.9 * particle.velocity + 0.1 * sum, heat);
        }"#, on: "box", inputs: {"neighbors": "near.neighbors", "particles": "$before.particles"}),
"##;

fn graph(values: &[(&str, &str)]) -> Graph {
    Graph::build(&document(60.0, NODES, values), Library::builtin()).unwrap_or_else(|e| panic!("{e}"))
}

fn planned(graph: &Graph, wire: &str, tuning: Tuning) -> Plan {
    let keep = Keep::Wires(vec![wire.into()]);
    let plan = Plan::compile(graph, &PlanOptions { keep, tuning, ..PlanOptions::default() });
    plan.unwrap_or_else(|e| panic!("{e}"))
}

/// What a set of 900 particles becomes.
fn outcome(plan: Plan, dim: usize) -> Vec<Vec<u32>> {
    let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
    let positions: Vec<f32> = random(900 * dim, 3).iter().map(|x| 0.5 * (x + 1.0)).collect();
    place(&mut sim, "set", &positions, &random(900 * dim, 4), dim);
    sim.write("set.heat", &random(900, 5)).unwrap();
    step(&mut sim, 1);
    ["velocity", "heat"].map(|name| words(&sim, &format!("set.{name}"))[..900].to_vec()).to_vec()
}

#[test]
fn packed_attributes_give_the_same_bits() {
    for (cells, dim, heat, packs) in [
        ("5, 5, 5", 3, "", &["position+weight", "velocity+cold"][..]),
        ("5, 5, 5", 3, " * other.heat", &["position+weight", "velocity+cold"]),
        ("6, 5", 2, "", &["velocity+weight+cold"]),
    ] {
        let graph = graph(&[("$cells", cells), ("$heat", heat), ("$before", "cool"), ("$capacity", "1000")]);
        let (plain, packed) = [Tuning::default(), Tuning::gpu()].map(|t| planned(&graph, "set.value", t)).into();
        let text = packed.to_text();
        for pack in packs {
            let (makes, reads) = (format!("particles.{pack}>b"), format!("particles.{pack}<b"));
            let line = |what: &str| text.lines().find(|line| line.contains(what)).unwrap_or_else(|| panic!("{text}"));
            assert!(line(&makes).contains("cool after weigh"), "{}", line(&makes));
            assert!(line(&reads).contains("ask  ["), "{}", line(&reads));
        }
        assert!(!plain.to_text().contains('+'));
        assert!(!text.contains("[pack]"), "nobody makes a pack alone for so few");
        println!("{dim}D: {} dispatches of {}", packed.frame.len(), plain.frame.len());
        assert_eq!(outcome(packed, dim), outcome(plain, dim), "{cells}{heat}");
    }
}

#[test]
fn large_sets_are_packed_by_a_dispatch_of_its_own() {
    // A stage that writes anywhere may write what another has packed already.
    let values = [("$cells", "5, 5, 5"), ("$heat", ""), ("$before", "given"), ("$capacity", "40000")];
    let second_writer = r##""given": (custom: r#"//! Given
        //! @inout particles: Particles{cold: f32} -> {cold: f32}, put
        fn stage(particle: Particle) { put_cold(particle.index, 2.0 - particle.cold); }"#,
        on: "box", inputs: {"particles": "cool.particles"}),"##;
    let document = document(60.0, &format!("{NODES}{second_writer}"), &values);
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let (plain, packed) = [Tuning::default(), Tuning::gpu()].map(|t| planned(&graph, "set.value", t)).into();
    let text = packed.to_text();
    assert_eq!(text.matches("[pack]").count(), 1, "{text}");
    assert_eq!(outcome(packed, 3), outcome(plain, 3));
}

#[test]
fn an_sph_substep_takes_nine_dispatches_and_two_loads() {
    let mut case = cases::case("b3").expect("a case").expect("it reads");
    cases::resize(&mut case, 2000);
    let graph = Graph::build(&case, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let (plain, joined) = [Tuning::default(), Tuning::gpu()].map(|t| planned(&graph, "water.value", t)).into();
    let text = joined.to_text();
    println!("{text}");
    assert!(plain.frame.len() == 18 && joined.frame.len() == 9, "{} of {}", joined.frame.len(), plain.frame.len());
    assert!(!text.contains("particles.pressure>b"), "nothing reads it but by the pack: {text}");
    assert!(text.contains("position+density<b") && text.contains("velocity+pressure<b"), "{text}");
    assert!(text.contains("contain after acceleration, accelerate, integrate  ["), "forces and what they do: {text}");
    let played = |plan: Plan| {
        let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
        sim.reset();
        let count = live(&sim, "water.value");
        let velocities: Vec<f32> = random(3 * count, 6).into_iter().map(|v| 20.0 * v).collect();
        sim.write("water.velocity", &velocities).unwrap();
        step(&mut sim, 4);
        ["position", "velocity"].map(|name| words(&sim, &format!("water.{name}")))
    };
    assert!(played(joined) == played(plain), "the same bits");
}
