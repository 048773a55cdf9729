//! Vectors of three take three words where only their own particle reads them: less memory, the same bits, and States that go from plans of
//! one layout to plans of the other.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::checkpoint::{Checkpoint, CheckpointFile};
use stagewright_runtime::sim::debug::{FrameDebugger, FrameStart};
use stagewright_runtime::sim::host_copy::CopySubject;
use stagewright_runtime::sim::timeline::Budget;
use stagewright_runtime::sim::{FrameInput, Simulation};
use stagewright_solver_support::harness::*;

use super::sets::*;

/// Particles that move in a box, and each of which is driven by another one's velocity if `$other` says so.
const NODES: &str = r##"
    "box": (domain: (resolution: (6, 5, 4), width: 6, edge: "wrap")),
    "set": (state: "Particles{position: Vec, velocity: Vec, spin: vec3f, heat: f32, id: u32}", capacity: $capacity, on: "box",
        inputs: {"next": "$last.particles"}),
    "move": (custom: r#"//! Move
        //! @inout particles: Particles{position: Vec, velocity: Vec, spin: vec3f, heat: f32} -> {position: Vec, velocity: Vec, spin: vec3f}
        fn stage(particle: Particle) -> Result {
            let driven = $other;
            let spin = vec3f(particle.spin.y, particle.heat - driven.x, particle.spin.z * 0.5);
            return Result(particle.position + 0.125 * particle.velocity, 0.5 * driven.zxy + spin, spin);
        }"#, on: "box", inputs: {"particles": "set.value"}),
    "kept": (custom: r#"//! Kept
        //! @inout particles: Particles{id: u32}, filter
        fn stage(particle: Particle) -> bool { return particle.id % 5u != 0u; }"#, on: "box", inputs: {"particles": "move.particles"}),
    "turned": (custom: r#"//! Turned
        //! @inout particles: Particles{heat: f32}, scatter
        fn stage(particle: Particle) -> u32 { return particles_count() - 1u - particle.index + 0u * u32(particle.heat); }"#,
        on: "box", inputs: {"particles": "kept.particles"}),
    "fetched": (custom: r#"//! Fetched
        //! @inout particles: Particles{heat: f32}, gather
        fn stage(particle: Particle) -> u32 { return (particle.index * 7u + 3u + 0u * u32(particle.heat)) % particles_count(); }"#,
        on: "box", inputs: {"particles": "turned.particles"}),
    "near": (stage: "neighbors/fill", on: "box", inputs: {"particles": "move.particles"}),
    "crowd": (custom: r#"//! Crowd
        //! @in neighbors: NeighborGrid
        //! @inout particles: Particles{position: Vec, velocity: Vec, heat: f32} -> {heat: f32}
        fn stage(particle: Particle) -> f32 {
            var heat = particle.velocity.x;
            var near = neighbors(particle.position);
            while (neighbors_next(&near)) {
                let other = particles(near.index);
                heat += other.heat * max(1.0 - length(displacement(particle.position, other.position)), 0.0);
            }
            return 0.25 * heat;
        }"#, on: "box", inputs: {"neighbors": "near.neighbors", "particles": "near.particles"}),
"##;

const OWN: &str = "particle.velocity";
const OTHERS: &str = "particles(particle.index ^ 1u).velocity";
const CAPACITY: usize = 100;
const LIVE: usize = 60;
const ATTRIBUTES: [&str; 4] = ["position", "velocity", "spin", "heat"];

fn document_of(last: &str, other: &str) -> Document {
    document(60.0, NODES, &[("$last", last), ("$other", other), ("$capacity", &CAPACITY.to_string())])
}

fn padded() -> Tuning {
    Tuning { without: vec!["dense_vectors".into()], ..Tuning::gpu() }
}

fn tunings() -> [Tuning; 4] {
    [Tuning::default(), padded(), Tuning::cpu(), Tuning::gpu()]
}

fn planned(document: &Document, tuning: Tuning) -> Plan {
    let keep = Keep::Wires(vec!["set.value".into()]);
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let plan = Plan::compile(&graph, &PlanOptions { keep, tuning, ..PlanOptions::default() });
    plan.unwrap_or_else(|e| panic!("{e}"))
}

/// Words of an attribute of the State in a plan.
fn words_of(plan: &Plan, attribute: &str) -> u64 {
    let wire = &plan.wires[&format!("set.{attribute}")];
    let words = wire.words(CAPACITY as u64);
    assert_eq!(plan.buffers[wire.buffer].bytes, (4 * words).next_multiple_of(16), "{attribute}");
    words
}

/// A simulation with particles in its State.
fn begun(document: &Document, tuning: Tuning) -> Simulation {
    let mut sim = Simulation::new(gpu(), planned(document, tuning)).unwrap_or_else(|e| panic!("{e}"));
    sim.reset();
    fill(&mut sim);
    sim
}

fn fill(sim: &mut Simulation) {
    let positions: Vec<f32> = random(3 * LIVE, 3).iter().map(|x| 2.5 * (x + 1.0)).collect();
    place(sim, "set", &positions, &random(3 * LIVE, 4), 3);
    sim.write("set.spin", &random(3 * LIVE, 5)).unwrap();
    sim.write("set.heat", &random(LIVE, 6)).unwrap();
}

/// The attributes of the living.
fn outcome(sim: &Simulation) -> Vec<Vec<u32>> {
    let live = live(sim, "set.value");
    let of = |name: &str| {
        let field = sim.read(&format!("set.{name}")).unwrap_or_else(|e| panic!("{e}"));
        field.words[..live * field.components as usize].to_vec()
    };
    let words = ATTRIBUTES.map(of);
    // The same on the way to a comparison or a table.
    let copy = sim.take(&CopySubject::Wire("set.velocity".into())).unwrap_or_else(|e| panic!("{e}")).wait().unwrap();
    let numbers = (0..live).flat_map(|particle| copy.numbers(particle));
    assert!(numbers.map(|number| (number as f32).to_bits()).eq(words[1].iter().copied()));
    words.into()
}

#[test]
fn vectors_that_only_their_own_particle_reads_take_three_words() {
    for (last, other, words) in [
        ("move", OWN, [300, 300, 300, 100]),
        ("move", OTHERS, [300, 400, 300, 100]),
        // Moves read or write in order.
        ("fetched", OWN, [300, 300, 300, 100]),
        ("fetched", OTHERS, [300, 400, 300, 100]),
    ] {
        let document = document_of(last, other);
        for tuning in [Tuning::cpu(), Tuning::gpu()] {
            let plan = planned(&document, tuning);
            assert_eq!(ATTRIBUTES.map(|name| words_of(&plan, name)), words, "{last}, {other}");
        }
        let plan = planned(&document, padded());
        assert_eq!(ATTRIBUTES.map(|name| words_of(&plan, name)), [400, 400, 400, 100], "{last}, {other}");
    }
    let plan = planned(&document_of("crowd", OWN), Tuning::gpu());
    assert_eq!(ATTRIBUTES.map(|name| words_of(&plan, name)), [400, 300, 300, 100]);
    // Where the search reads a pack, the position is read by its own particle alone, to make the pack.
    let large = document(60.0, NODES, &[("$last", "crowd"), ("$other", OWN), ("$capacity", "40000")]);
    let plan = planned(&large, Tuning::gpu());
    assert!(plan.to_text().contains("position+heat"), "{}", plan.to_text());
    assert_eq!(ATTRIBUTES.map(|name| plan.wires[&format!("set.{name}")].words(100)), [300, 300, 300, 100]);
}

#[test]
fn a_plan_takes_a_quarter_less_memory_for_such_vectors() {
    let document = document_of("move", OWN);
    let [dense, padded] = [Tuning::gpu(), padded()].map(|tuning| planned(&document, tuning));
    let vectors = |plan: &Plan, bytes: u64| plan.buffers.iter().filter(|buffer| buffer.bytes == bytes).count() as u64;
    let (narrow, wide) = (vectors(&dense, 12 * CAPACITY as u64), vectors(&padded, 16 * CAPACITY as u64));
    println!("{} bytes, padded {}; {narrow} buffers of vectors", dense.memory, padded.memory);
    assert_eq!(narrow, wide);
    assert_eq!(dense.memory + 4 * CAPACITY as u64 * narrow, padded.memory);
}

#[test]
fn sets_too_small_to_take_less_memory_stay_padded() {
    for (capacity, words) in [("3", 12), ("4", 12), ("5", 15)] {
        let document = document(60.0, NODES, &[("$last", "move"), ("$other", OWN), ("$capacity", capacity)]);
        let plan = planned(&document, Tuning::gpu());
        assert_eq!(plan.wires["set.spin"].words(capacity.parse().unwrap()), words, "{capacity}");
    }
}

#[test]
fn the_pass_says_why() {
    let says = |last: &str, other: &str| {
        let graph = Graph::build(&document_of(last, other), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
        let options =
            PlanOptions { tuning: Tuning::cpu(), keep: Keep::Wires(vec!["set".into()]), ..PlanOptions::default() };
        let reports = Plan::passes(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
        reports.into_iter().find(|report| report.name == "dense_vectors").unwrap().summary
    };
    let all = says("move", OWN);
    assert!(
        all.ends_with("position, spin, velocity of `set` take three words: only their own particles read them"),
        "{all}"
    );
    let some = says("move", OTHERS);
    assert!(some.contains("position, spin of `set` take three words: only their own particles read them"), "{some}");
    assert!(some.contains("velocity of `set` takes four words: `move` reads other particles"), "{some}");
    let near = says("crowd", OWN);
    assert!(near.contains("position of `set` takes four words: `crowd` reads other particles"), "{near}");
}

#[test]
fn both_layouts_give_the_same_bits() {
    for (last, other) in [("move", OWN), ("move", OTHERS), ("fetched", OWN), ("crowd", OWN), ("crowd", OTHERS)] {
        let document = document_of(last, other);
        let outcomes = tunings().map(|tuning| {
            let mut sim = begun(&document, tuning);
            step(&mut sim, 3);
            outcome(&sim)
        });
        assert!(outcomes[0][1].iter().any(|word| *word != 0));
        assert!(outcomes.iter().all(|words| *words == outcomes[0]), "{last}, {other}");
    }
}

#[test]
fn a_run_goes_on_where_a_plan_of_the_other_layout_takes_over() {
    let document = document_of("fetched", OWN);
    let mut whole = begun(&document, padded());
    step(&mut whole, 6);
    let mut sim = begun(&document, Tuning::gpu());
    for tuning in [padded(), Tuning::gpu(), Tuning::default()] {
        step(&mut sim, 2);
        let before = outcome(&sim);
        sim.replace(planned(&document, tuning)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(outcome(&sim), before, "nothing changes by it");
    }
    assert_eq!((sim.frame(), outcome(&sim)), (6, outcome(&whole)));
}

#[test]
fn checkpoints_serve_plans_of_both_layouts() {
    let document = document_of("move", OWN);
    let folder = tempfile::tempdir().unwrap();
    let of = |tuning: Tuning, name: &str| {
        let mut sim = begun(&document, tuning);
        step(&mut sim, 2);
        let snapshot = sim.snapshot().unwrap().wait().unwrap();
        let checkpoint = Checkpoint::new(&sim, snapshot, Document::default().to_text(), None);
        let path = folder.path().join(name);
        checkpoint.write(&path).unwrap();
        step(&mut sim, 2);
        (path, outcome(&sim))
    };
    let (dense, end) = of(Tuning::gpu(), "dense.safetensors");
    let (wide, same) = of(padded(), "padded.safetensors");
    assert_eq!(end, same);
    for path in [dense, wide] {
        for tuning in tunings() {
            let mut sim = Simulation::new(gpu(), planned(&document, tuning)).unwrap_or_else(|e| panic!("{e}"));
            let checkpoint = CheckpointFile::open(&path).unwrap().load(sim.plan()).unwrap_or_else(|e| panic!("{e}"));
            assert!(sim.resume(&checkpoint).is_empty());
            step(&mut sim, 2);
            assert_eq!(outcome(&sim), end, "{}", path.display());
        }
    }
}

#[test]
fn the_past_stays_reachable_where_a_plan_of_the_other_layout_takes_over() {
    let document = document_of("move", OWN);
    for host in [false, true] {
        let mut sim = begun(&document, Tuning::gpu());
        let bytes: u64 = sim.state_bytes();
        let (on_gpu, in_host) = if host { (0, 100 * bytes) } else { (100 * bytes, 0) };
        sim.keep_timeline(Budget { gpu: on_gpu, host: in_host, disk: 0 });
        fill(&mut sim);
        let mut past = Vec::new();
        for _ in 0..6 {
            step(&mut sim, 1);
            past.push(outcome(&sim));
        }
        sim.replace(planned(&document, padded())).unwrap_or_else(|e| panic!("{e}"));
        for frame in [3, 5, 2] {
            for _ in 0..sim.seek(frame).unwrap_or_else(|e| panic!("{e}")) {
                sim.step(&sim.next_input()).unwrap_or_else(|e| panic!("{e}"));
            }
            assert_eq!(sim.frame(), frame);
            assert_eq!(outcome(&sim), past[frame as usize - 1], "frame {frame}, host {host}");
        }
    }
}

#[test]
fn a_debugger_starts_from_a_plan_of_the_other_layout() {
    let document = document_of("move", OWN);
    let mut sim = begun(&document, Tuning::gpu());
    step(&mut sim, 2);
    let start = FrameStart::new(&sim, &FrameInput::default());
    step(&mut sim, 1);
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let options = FrameDebugger::options(&PlanOptions { tuning: padded(), ..PlanOptions::default() });
    let plan = Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    let mut other = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
    start.restore(&mut other);
    step(&mut other, 1);
    let of = |sim: &Simulation, name: &str| sim.read(&format!("set.{name}")).unwrap().words[..3 * LIVE].to_vec();
    assert_eq!(of(&other, "spin"), of(&sim, "spin"));
    assert_eq!(of(&other, "position"), of(&sim, "position"));
}

#[test]
fn a_stage_that_sorts_moves_whole_vectors_and_matrices() {
    let nodes = r##"
    "box": (domain: (resolution: (6, 5, 4), width: 6, edge: "wrap")),
    "set": (state: "Particles{position: Vec, form: Mat}", capacity: 100, on: "box", inputs: {"next": "turned.particles"}),
    "turned": (custom: r#"//! Turned
        //! @inout particles: Particles{position: Vec}, scatter
        fn stage(particle: Particle) -> u32 { return particles_count() - 1u - particle.index + 0u * u32(particle.position.x); }"#,
        on: "box", inputs: {"particles": "set.value"}),
    "##;
    let document = document(60.0, nodes, &[]);
    let outcomes = tunings().map(|tuning| {
        let plan = planned(&document, tuning.clone());
        assert_eq!(plan.to_text().contains("[scatter]"), !tuning.fuse, "{}", plan.to_text());
        let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
        sim.reset();
        sim.write("set.position", &random(3 * LIVE, 3)).unwrap();
        sim.write("set.form", &random(9 * LIVE, 4)).unwrap();
        sim.set_count("set", LIVE as u32).unwrap();
        step(&mut sim, 1);
        [("position", 3), ("form", 9)]
            .map(|(name, numbers)| words(&sim, &format!("set.{name}"))[..numbers * LIVE].to_vec())
    });
    let last = random(9 * LIVE, 4)[9 * (LIVE - 1)..].iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(outcomes[0][1][..9], last, "the last comes first");
    assert!(outcomes.iter().all(|words| *words == outcomes[0]));
}
