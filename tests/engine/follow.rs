//! Particles that are followed through frames: emitted, removed and sorted meanwhile, each keeps its own way.

use stagewright_runtime::sim::debug::{Follower, FrameDebugger, TrailPoint};
use stagewright_runtime::sim::timeline::Budget;

use super::*;

/// A solid rotation. Particles are emitted with a number of their own, some are removed, and the rest is sorted by cells.
const TURNING: &str = r##"(version: 1, name: "turning", fps: 30, nodes: {
    "domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, id: u32}", capacity: 600, inputs: {"next": "turn.particles"}),
    "emit": (custom: "//! Emit\n//! @in amount: u32 = 9\n//! @inout particles: Particles{} -> {position: Vec, id: u32}, emit amount\nfn stage(particle: Particle) -> Result { let s = f32(particle.serial); return Result(vec2f(0.5) + 0.4 * vec2f(sin(s * 1.7), sin(s * 2.9)), particle.serial); }", inputs: {"particles": "set.value"}),
    "kill": (custom: "//! Kill\n//! @inout particles: Particles{id: u32}, filter\nfn stage(particle: Particle) -> bool { return (particle.id + frame.index) % 50u != 7u; }", inputs: {"particles": "emit.particles"}),
    "sorted": (stage: "neighbors/fill", on: "domain", inputs: {"particles": "kill.particles"}),
    "turn": (custom: "//! Turn\n//! @inout particles: Particles{position: Vec} -> {position: Vec}\nfn stage(particle: Particle) -> Vec { let r = particle.position - 0.5; return 0.5 + vec2f(0.8 * r.x - 0.6 * r.y, 0.6 * r.x + 0.8 * r.y); }", inputs: {"particles": "sorted.particles"}),
    "count": (custom: "//! C\n//! @in particles: Particles{position: Vec}\n//! @out g: Grid<f32>\nfn stage(cell: Cell) -> f32 { return f32(particles_count()); }", on: "domain", inputs: {"particles": "turn.particles"}),
    "look": (stage: "view/color_map", inputs: {"field": "count.g"}),
    "screen": (output: (), inputs: {"image": "look.image"}),
})"##;

fn plan(options: &PlanOptions) -> Plan {
    let document = Document::parse(TURNING).expect("valid RON");
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    Plan::compile(&graph, options).unwrap_or_else(|e| panic!("{e}"))
}

fn steps(simulation: &mut Simulation, frames: u64) {
    (0..frames).for_each(|_| simulation.step(&simulation.next_input()).expect("steps"));
}

fn value<'p>(point: &'p TrailPoint, name: &str) -> &'p [f64] {
    &point.values.iter().find(|(attribute, _)| attribute == name).expect("an attribute").1
}

/// Every point has the particle's number, is a frame after the last, and lies where the rotation takes the first one.
fn check(points: &[TrailPoint], id: u32) {
    let first = points.first().expect("a way");
    let [mut x, mut y] = [0, 1].map(|axis| value(first, "position")[axis] - 0.5);
    let (cos, sin) = (f64::from(0.8f32), f64::from(0.6f32));
    for (at, point) in points.iter().enumerate() {
        assert_eq!((point.frame, value(point, "id")), (first.frame + at as u64, &[f64::from(id)][..]));
        let error = [x, y].iter().zip(value(point, "position")).map(|(a, b)| (0.5 + a - b).abs()).fold(0.0, f64::max);
        // In each frame two products and two sums round, by at most half of a unit below 1, along both axes.
        assert!(error <= 8.0 * 2f64.powi(-25) * at as f64, "{error} after {at} frames");
        [x, y] = [cos * x - sin * y, sin * x + cos * y];
    }
}

#[test]
fn a_particle_keeps_its_way_where_it_is_emitted_removed_and_sorted() {
    let mut simulation = Simulation::new(gpu(), plan(&PlanOptions::default())).expect("runs");
    simulation.keep_timeline(Budget::default());
    steps(&mut simulation, 30);
    let past = simulation.past(30).expect("a past");
    let ids = simulation.read("set.id").expect("ids").words;
    let count = simulation.read("set.count").expect("a count").words[0];
    let debugger = || plan(&FrameDebugger::options(&PlanOptions::default()));
    let mut indices = Vec::new();
    for index in [0, 17, count / 2, count - 1] {
        let id = ids[index as usize];
        let found = Follower::new(gpu(), debugger(), &past, ("set.value", index), 20, || true);
        let (mut follower, points) = found.unwrap_or_else(|e| panic!("{e}")).expect("nothing ends it");
        let born = u64::from(id / 9) + 1;
        assert_eq!((points[0].frame, points.last().map(|p| (p.frame, p.index))), (born.max(10), Some((30, index))));
        check(&points, id);
        indices.extend(points.iter().map(|point| point.index));
        assert!(follower.go_on(&past, || true).expect("nothing to do").is_empty());
        // The run continues until the particle is removed.
        let end = (31..).find(|frame| (u64::from(id) + frame - 1) % 50 == 7).expect("some frame");
        let mut on = simulation_of(&mut simulation, end);
        let more = follower.go_on(&on.past(end).expect("a past"), || true).expect("more points");
        assert_eq!((more.len() as u64, follower.is_gone()), (end - 31, true), "removed in frame {end}");
        check(&[points, more].concat(), id);
    }
    indices.dedup();
    assert!(indices.len() > 20, "sorting gives other indices");
    // Before they are sorted, particles have other indices.
    let follower = Follower::new(gpu(), debugger(), &past, ("kill.particles", 0), 20, || true).map(drop);
    assert!(follower.expect_err("another order").to_string().contains("a view of the State: set"));
    let follower = Follower::new(gpu(), debugger(), &past, ("set", count), 20, || true).map(drop);
    assert!(follower.expect_err("no such particle").to_string().contains("no particle"));
    let same = Follower::new(gpu(), debugger(), &past, ("sorted.particles", 3), 20, || true);
    assert!(same.unwrap_or_else(|e| panic!("{e}")).is_some(), "nothing moves them after that");
}

/// The same run up to a later frame.
fn simulation_of(before: &mut Simulation, frame: u64) -> Simulation {
    let timeline = before.timeline().expect("a timeline").budget();
    let mut simulation = Simulation::new(gpu(), plan(&PlanOptions::default())).expect("runs");
    simulation.keep_timeline(timeline);
    steps(&mut simulation, frame);
    simulation
}
