//! Neighbours: the search finds exactly what comparing all pairs finds.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

use super::killing::HASH;
use super::sets::*;

/// Each particle counts its neighbours and sums up two hashes of their numbers, whatever their order.
const PROBE: &str = r##"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "$edge")),
    "set": (state: "Particles{position: Vec, id: u32}", capacity: 512),
    "near": (stage: "neighbors/$kind", on: "domain", inputs: {"particles": "set.value"}),
    "probe": (custom: r#"//! Probe
        //! @in neighbors: NeighborGrid
        //! @inout particles: Particles{position: Vec, id: u32} -> {found: u32, sum: u32, mixed: u32}
        //! @param reach: f32 = 0.25
        fn stage(particle: Particle) -> Result {
            var found = 0u;
            var sum = 0u;
            var mixed = 0u;
            var near = neighbors(particle.position);
            while (neighbors_next(&near)) {
                let other = particles(near.index);
                let apart = displacement(particle.position, other.position);
                if dot(apart, apart) > params.reach * params.reach { continue; }
                found++;
                sum += hash(other.id);
                mixed ^= hash(other.id + 77u);
            }
            return Result(found, sum, mixed);
        }
        $hash"#, on: "domain", inputs: {"neighbors": "near.neighbors", "particles": "near.particles"}),
"##;

/// Units in a cell. Places are multiples of 1/256 m, so every distance is exact in f32 and no pair is on the edge of the
/// reach by rounding.
const UNITS: i64 = 64;

struct Space {
    cells: &'static [i64],
    /// Along x, y and z.
    wraps: [bool; 3],
}

impl Space {
    fn size(&self, axis: usize) -> i64 {
        self.cells[axis] * UNITS
    }

    fn edge(&self) -> String {
        let axes = ["x", "y", "z"].iter().zip(self.wraps).take(self.cells.len());
        axes.map(|(axis, wraps)| format!("{axis} {}", if wraps { "wrap" } else { "wall" }))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Squared distance, in a box that wraps the short way round.
    fn squared(&self, a: &[i64], b: &[i64]) -> i64 {
        (0..self.cells.len())
            .map(|axis| {
                let size = self.size(axis);
                let straight = (b[axis] - a[axis]).abs();
                let short = if self.wraps[axis] { (straight % size).min(size - straight % size) } else { straight };
                short * short
            })
            .sum()
    }

    /// A cloud of one of six kinds: even, clustered, in one cell, on cell borders, reaching outside, few.
    fn cloud(&self, kind: u32, seed: u32) -> Vec<Vec<i64>> {
        let draw =
            |i: u32, salt: u32, low: i64, high: i64| low + i64::from(pcg(i ^ pcg(seed ^ pcg(salt)))) % (high - low + 1);
        let count = match kind {
            5 => seed % 4,
            _ => 20 + pcg(seed) % 180,
        };
        let at = |i: u32, axis: usize| {
            let (salt, size) = (axis as u32, self.size(axis));
            match kind {
                1 => draw(i % 4, salt, 0, size) + draw(i, salt + 8, -20, 20),
                2 => draw(0, salt, 0, self.cells[axis] - 1) * UNITS + draw(i, salt + 8, 0, UNITS - 1),
                3 => draw(i, salt, 0, self.cells[axis]) * UNITS,
                4 => draw(i, salt, -2 * UNITS, size + 2 * UNITS),
                _ => draw(i, salt, 0, size - 1),
            }
        };
        (0..count).map(|i| (0..self.cells.len()).map(|axis| at(i, axis)).collect()).collect()
    }
}

/// Clouds for which the search differs from all pairs, of so many.
fn compare(space: &Space, kind: &str, clouds: u32) -> (usize, usize) {
    let dim = space.cells.len();
    let cells = space.cells.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let width = (space.cells[0] as f64 * 0.25).to_string();
    let edge = space.edge();
    let values = [("$cells", cells.as_str()), ("$width", &width), ("$edge", &edge), ("$kind", kind), ("$hash", HASH)];
    let mut sim = start(60.0, PROBE, &values);
    let (mut wrong, mut pairs) = (0, 0);
    for seed in 0..clouds {
        let cloud = space.cloud(seed % 6, seed);
        let positions: Vec<f32> = cloud.iter().flatten().map(|x| *x as f32 / 256.0).collect();
        sim.reset();
        place(&mut sim, "set", &positions, &[], dim);
        step(&mut sim, 1);
        let [ids, found, sum, mixed] = ["id", "found", "sum", "mixed"].map(|n| wholes(&sim, "probe.particles", n));
        assert_eq!(ids.len(), cloud.len());
        let right = ids.iter().enumerate().all(|(k, id)| {
            let mut expected = (0u32, 0u32, 0u32);
            for (other, place) in cloud.iter().enumerate() {
                if space.squared(&cloud[*id as usize], place) <= UNITS * UNITS {
                    let number = other as u32;
                    expected = (expected.0 + 1, expected.1.wrapping_add(pcg(number)), expected.2 ^ pcg(number + 77));
                }
            }
            pairs += expected.0 as usize;
            expected == (found[k], sum[k], mixed[k])
        });
        wrong += usize::from(!right);
        if !right {
            println!("  differs: cloud {seed} of kind {} with {} particles", seed % 6, cloud.len());
        }
    }
    assert!(sim.warnings(true).is_empty());
    (wrong, pairs)
}

const NONE: [bool; 3] = [false; 3];
const ALL: [bool; 3] = [true; 3];

/// 125 clouds in each box: long and flat ones, and periodic ones of one and two cells, where the cells around are the
/// same cell more than once.
fn search(kind: &str, boxes: [(&'static [i64], [bool; 3]); 4]) {
    for (cells, wraps) in boxes {
        let space = Space { cells, wraps };
        let (wrong, pairs) = compare(&space, kind, 125);
        let edge = space.edge();
        println!("neighbors/{kind}, {cells:?} cells, {edge}: {wrong} of 125 clouds differ; {pairs} pairs");
        assert_eq!(wrong, 0);
    }
}

#[test]
fn sorted_particles_find_their_neighbours() {
    search("fill", [(&[7, 5], NONE), (&[3, 4], ALL), (&[4, 3, 5], NONE), (&[3, 5, 4], ALL)]);
}

#[test]
fn listed_particles_find_their_neighbours() {
    search("fill_list", [(&[1, 6], NONE), (&[2, 1], ALL), (&[2, 2, 2], NONE), (&[1, 2, 3], ALL)]);
}

#[test]
fn periodic_axes_are_searched_around() {
    let [along, up] = [[true, false, false], [false, true, false]];
    search("fill", [(&[4, 3], along), (&[2, 5], up), (&[3, 4, 2], [true, false, true]), (&[1, 3, 5], along)]);
    search("fill_list", [(&[1, 4], along), (&[5, 1], up), (&[2, 1, 3], up), (&[3, 2, 1], [false, false, true])]);
}

/// Folds what is near in the order in which it comes; once with the test in front, which is made for a batch of entries at a time,
/// and once so that it has to stay where it is.
const FOLDED: &str = r##"
    "domain": (domain: (resolution: (3, 3, 3), width: 0.75, edge: "wall")),
    "set": (state: "Particles{position: Vec, id: u32}", capacity: 4000),
    "near": (stage: "neighbors/fill", on: "domain", inputs: {"particles": "set.value"}),
    "fold": (custom: r#"//! Fold
        //! @in neighbors: NeighborGrid
        //! @inout particles: Particles{position: Vec, id: u32} -> {first: u32, second: u32, found: u32}
        //! @param reach: f32 = 0.2
        fn stage(particle: Particle) -> Result {
            var first = 0u;
            var found = 0u;
            var near = neighbors(particle.position);
            while (neighbors_next(&near)) {
                let apart = displacement(particle.position, particles(near.index).position);
                if dot(apart, apart) >= params.reach * params.reach || near.index == particle.index { continue; }
                first = first * 31u + hash(particles(near.index).id);
                found++;
            }
            var second = 0u;
            var again = neighbors(particle.position);
            while (neighbors_next(&again)) {
                var apart = displacement(particle.position, particles(again.index).position);
                if dot(apart, apart) >= params.reach * params.reach || again.index == particle.index { continue; }
                second = second * 31u + hash(particles(again.index).id);
            }
            return Result(first, second, found);
        }
        $hash"#, on: "domain", inputs: {"neighbors": "near.neighbors", "particles": "near.particles"}),
"##;

#[test]
fn marked_entries_are_visited_in_their_order() {
    let mut sim = start(60.0, FOLDED, &[("$hash", HASH)]);
    let batched = |word: &str| sim.plan().kernels.iter().any(|kernel| kernel.wgsl.contains(word));
    assert!(batched("while (_batch_neighbors(&near))") && batched("_look_neighbors(&again, _k);"));
    let positions: Vec<f32> = random(12_000, 5).iter().map(|x| 0.375 * (x + 1.0)).collect();
    place(&mut sim, "set", &positions, &[], 3);
    step(&mut sim, 1);
    let [first, second, found] = ["first", "second", "found"].map(|n| wholes(&sim, "fold.particles", n));
    let most = found.iter().max().copied().unwrap_or(0);
    println!("{} particles, up to {most} near of some 4000 / 27 a cell", found.len());
    assert_eq!(first.len(), 4000);
    assert!(most > 64, "rows of several batches");
    assert_eq!(first, second);
}

/// A grid of neighbours whose cells claim 5,000 particles each, over a set of 100 with room for 1,000.
const CLAIMS: &str = r##"
    "domain": (domain: (resolution: (2, 2), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, id: u32}", capacity: 1000),
    "claim": (custom: r#"//! Claim
        //! @out start: Grid<u32>, scan
        fn stage(cell: Cell) -> u32 { return 5000u; }"#, on: "domain"),
    "near": (custom: r#"//! Near
        //! @in start: Grid<u32>
        //! @inout particles: Particles{id: u32}, gather
        //! @out neighbors: NeighborGrid, like start
        fn stage(particle: Particle) -> u32 { return particle.index; }"#, on: "domain",
        inputs: {"particles": "set.value", "start": "claim.start"}),
    "probe": (custom: r#"//! Probe
        //! @in neighbors: NeighborGrid
        //! @inout particles: Particles{position: Vec, id: u32} -> {found: u32, sum: u32, beyond: u32}
        fn stage(particle: Particle) -> Result {
            var found = 0u;
            var sum = 0u;
            var beyond = 0u;
            var near = neighbors(particle.position);
            while (neighbors_next(&near)) {
                found++;
                sum += particles(near.index).id;
                beyond += particles(near.index + 4000000000u).id;
            }
            return Result(found, sum, beyond);
        }"#, on: "domain", inputs: {"neighbors": "near.neighbors", "particles": "near.particles"}),
"##;

#[test]
fn a_search_stays_within_the_set_whatever_the_grid_claims() {
    let graph = Graph::build(&document(60.0, CLAIMS, &[]), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    for tuning in [Tuning::default(), Tuning::gpu()] {
        let plan = Plan::compile(&graph, &PlanOptions { keep: Keep::All, tuning, ..PlanOptions::default() });
        let mut sim = Simulation::new(gpu(), plan.unwrap_or_else(|e| panic!("{e}"))).unwrap_or_else(|e| panic!("{e}"));
        let text = sim.plan().to_text_with_wgsl();
        assert!(text.contains("_last = min(_last, 1000u)"), "rows end within the set");
        assert!(text.contains("fn _near_particles(_asked: u32) -> Particle { let _index = _asked;"), "{text}");
        assert!(text.contains("fn particles(_asked: u32) -> Particle { let _index = min(_asked, 999u);"), "{text}");
        sim.reset();
        // All of them in the first row of cells, a cell's width from either end.
        let [x, y] = [3, 4].map(|seed| random(100, seed));
        let positions: Vec<f32> = x.iter().zip(&y).flat_map(|(x, y)| [0.5 + 0.4 * x, 0.25 + 0.2 * y]).collect();
        place(&mut sim, "set", &positions, &[], 2);
        sim.write_words("set.id", &(1..=100).chain([7; 900]).collect::<Vec<u32>>()).unwrap_or_else(|e| panic!("{e}"));
        step(&mut sim, 1);
        // The first row claims all places there are, the second begins behind them.
        let all = |name: &str| wholes(&sim, "probe.particles", name);
        assert_eq!(all("found"), [1000; 100]);
        let beyond = words(&sim, "near.particles.id")[999];
        let sum: u32 = words(&sim, "near.particles.id").iter().sum();
        assert_eq!((all("sum"), all("beyond")), (vec![sum; 100], vec![1000 * beyond; 100]), "ids from 1 to 100: {sum}");
        assert!(sum >= 5050);
    }
}

/// The last cell ends where the total of a prefix sum says.
#[test]
fn a_grid_of_neighbours_is_like_a_prefix_sum() {
    let held = r#""held": (state: "Grid<u32>", inputs: {"init": "claim.start", "next": "claim.start"}),"#;
    let raised = r##""held": (custom: r#"//! Raise
        //! @inout value: Grid<u32>
        fn stage(cell: Cell) -> u32 { return value(cell) + 1u; }"#, inputs: {"value": "claim.start"}),"##;
    for between in [held, raised] {
        let nodes = CLAIMS.replace("claim.start\"}", "held.value\"}") + between;
        let graph = Graph::build(&document(60.0, &nodes, &[]), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
        let compiled = Plan::compile(&graph, &PlanOptions { keep: Keep::All, ..PlanOptions::default() });
        let message = compiled.map(|plan| plan.to_text()).expect_err("the last cell has no end").to_string();
        assert!(message.contains("near.start: the entries of the last cell have no end"), "{message}");
    }
    let passed = r#""held": (reroute: (), inputs: {"value": "claim.start"}),"#;
    let nodes = CLAIMS.replace("claim.start\"}", "held.value\"}") + passed;
    let graph = Graph::build(&document(60.0, &nodes, &[]), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    Plan::compile(&graph, &PlanOptions::default()).unwrap_or_else(|e| panic!("{e}"));
}
