//! Order, memory in place and memory shared: random graphs of whole numbers against an interpreter that knows neither.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use stagewright_compiler::{Keep, PlanOptions, Tuning};
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{Cell, EdgeRule, Grid};
use stagewright_test_support::seed;

use super::shipped::planned;

/// What a stage of a random graph does with `x`, which it continues from, and `y`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Reads its own cell only, so it may work in place.
    Scale,
    /// Reads other cells, so it may not.
    Shift,
    /// Makes a new wire.
    Join,
    /// In place in two colours.
    Sweep,
    Scatter,
    /// Two outputs, one of them going on from `x`.
    Pair,
    /// `Scale` and `Shift` in a group that repeats.
    Group,
}

const KINDS: [Kind; 7] = [Kind::Scale, Kind::Shift, Kind::Join, Kind::Sweep, Kind::Scatter, Kind::Pair, Kind::Group];

impl Kind {
    fn wgsl(self) -> &'static str {
        match self {
            Kind::Scale => {
                r"//! Own
                //! @inout x: Grid<u32>
                //! @in y: Grid<u32>
                fn stage(cell: Cell) -> u32 { return 3u * x(cell) + y(cell) + u32(iteration); }"
            }
            Kind::Shift => {
                r"//! Shift
                //! @inout x: Grid<u32>
                //! @in y: Grid<u32>
                fn stage(cell: Cell) -> u32 { return x(cell - unit(0)) + 5u * y(cell + unit(1)); }"
            }
            Kind::Join => {
                r"//! Join
                //! @in x: Grid<u32>
                //! @in y: Grid<u32>
                //! @out z: Grid<u32>
                fn stage(cell: Cell) -> u32 { return x(cell) ^ (7u * y(neighbor(cell, 2))); }"
            }
            Kind::Sweep => {
                r"//! Sweep
                //! @sweep checkerboard
                //! @inout x: Grid<u32>
                //! @in y: Grid<u32>
                fn stage(cell: Cell) -> u32 {
                    var sum = y(cell);
                    for (var face = 0; face < FACES; face++) { sum += x(neighbor(cell, face)); }
                    return sum;
                }"
            }
            Kind::Scatter => {
                r"//! Scatter
                //! @inout x: Grid<u32>, scatter
                //! @in y: Grid<u32>
                fn stage(cell: Cell) { add_x(cell + unit(1), y(cell)); add_x(cell / 2, 1u); }"
            }
            Kind::Pair => {
                r"//! Pair
                //! @inout x: Grid<u32>
                //! @in y: Grid<u32>
                //! @out z: Grid<u32>
                fn stage(cell: Cell) -> Result { return Result(x(cell) + y(cell), 3u * x(neighbor(cell, 1))); }"
            }
            Kind::Group => "",
        }
    }

    fn outputs(self) -> &'static [&'static str] {
        match self {
            Kind::Join => &["z"],
            Kind::Pair => &["x", "z"],
            _ => &["x"],
        }
    }

    /// The same on the CPU: `x` and, where there is one, `z`.
    fn run(self, grid: &Grid, x: &[u32], y: &[u32], iterations: u32) -> BTreeMap<&'static str, Vec<u32>> {
        let (mut x, mut z) = (x.to_vec(), Vec::new());
        for iteration in 0..iterations {
            match self {
                Kind::Scale => x = scaled(&x, y, iteration),
                Kind::Shift => x = shift(grid, &x, y),
                Kind::Join => z = each(grid, |i, c| x[i] ^ 7u32.wrapping_mul(offset_value(grid, y, c, 1, -1))),
                Kind::Sweep => (0..2).for_each(|color| x = swept(grid, &x, y, color)),
                Kind::Scatter => x = scattered(grid, &x, y),
                Kind::Pair => {
                    z = each(grid, |_, c| 3u32.wrapping_mul(offset_value(grid, &x, c, 0, 1)));
                    x = each(grid, |i, _| x[i].wrapping_add(y[i]));
                }
                Kind::Group => x = shift(grid, &scaled(&x, y, 0), y),
            }
        }
        BTreeMap::from([("x", x), ("z", z)])
    }
}

fn each(grid: &Grid, value: impl Fn(usize, Cell) -> u32) -> Vec<u32> {
    grid.cells().enumerate().map(|(i, c)| value(i, c)).collect()
}

/// A cell so many along an axis; the domain wraps.
fn offset_value(grid: &Grid, field: &[u32], mut c: Cell, axis: usize, offset: i64) -> u32 {
    c[axis] += offset;
    grid.inner(c).map_or(0, |c| field[grid.index(c)])
}

fn scaled(x: &[u32], y: &[u32], iteration: u32) -> Vec<u32> {
    x.iter().zip(y).map(|(x, y)| x.wrapping_mul(3).wrapping_add(*y).wrapping_add(iteration)).collect()
}

fn shift(grid: &Grid, x: &[u32], y: &[u32]) -> Vec<u32> {
    each(grid, |_, c| offset_value(grid, x, c, 0, -1).wrapping_add(5u32.wrapping_mul(offset_value(grid, y, c, 1, 1))))
}

fn swept(grid: &Grid, x: &[u32], y: &[u32], color: i64) -> Vec<u32> {
    each(grid, |i, c| {
        let around = [(0, -1), (0, 1), (1, -1), (1, 1)].map(|(axis, offset)| offset_value(grid, x, c, axis, offset));
        let mine = c.iter().sum::<i64>() % 2 == color;
        if mine { around.iter().fold(y[i], |sum, v| sum.wrapping_add(*v)) } else { x[i] }
    })
}

fn scattered(grid: &Grid, x: &[u32], y: &[u32]) -> Vec<u32> {
    let mut sum = x.to_vec();
    for (i, c) in grid.cells().enumerate() {
        for (target, value) in [([c[0], c[1] + 1, 0], y[i]), ([c[0] / 2, c[1] / 2, 0], 1)] {
            let target = grid.index(grid.inner(target).unwrap());
            sum[target] = sum[target].wrapping_add(value);
        }
    }
    sum
}

struct Node {
    kind: Kind,
    x: String,
    y: String,
    iterations: u32,
}

/// Nodes `n0`, `n1`, .. of which each reads States and nodes before it, and the wire that each State `s0`, .. becomes.
struct Random {
    nodes: Vec<Node>,
    next: Vec<String>,
}

impl Random {
    fn new(seed: u32) -> Random {
        let mut count = 0;
        let mut pick = |n: usize| {
            count += 1;
            (pcg(pcg(seed) ^ count) >> 8) as usize % n
        };
        let states = 1 + pick(4);
        let mut wires: Vec<String> = (0..states).map(|s| format!("s{s}.value")).collect();
        let mut nodes = Vec::new();
        for n in 0..3 + pick(7) {
            let kind = KINDS[pick(KINDS.len())];
            // Late wires are likelier, which makes chains.
            let mut wire = || wires[pick(wires.len()).max(pick(wires.len()))].clone();
            let (x, y) = (wire(), wire());
            let iterations = if kind == Kind::Join { 1 } else { 1 + pick(3) as u32 };
            nodes.push(Node { kind, x, y, iterations });
            wires.extend(kind.outputs().iter().map(|port| format!("n{n}.{port}")));
        }
        let next = (0..states).map(|_| wires[pick(wires.len()).max(pick(wires.len()))].clone()).collect();
        Random { nodes, next }
    }

    fn text(&self) -> String {
        let mut out = String::from("\"domain\": (domain: (resolution: (6, 4), width: 1, edge: \"wrap\")),\n");
        for (s, next) in self.next.iter().enumerate() {
            let _ = writeln!(
                out,
                "\"s{s}\": (state: \"Grid<u32>\", inputs: {{\"next\": \"{next}\"}}, params: {{\"value\": {s}}}),"
            );
        }
        for (n, node) in self.nodes.iter().enumerate() {
            let custom = |kind: Kind| format!("custom: r#\"{}\"#", kind.wgsl());
            let what = match node.kind {
                Kind::Group => format!(
                    "group: (inputs: {{\"x\": \"Grid<u32>\", \"y\": \"Grid<u32>\"}}, outputs: {{\"x\": \"b.x\"}}, nodes: {{\
                     \"a\": ({}, inputs: {{\"x\": \"in.x\", \"y\": \"in.y\"}}), \
                     \"b\": ({}, inputs: {{\"x\": \"a.x\", \"y\": \"in.y\"}})}})",
                    custom(Kind::Scale),
                    custom(Kind::Shift)
                ),
                kind => custom(kind),
            };
            let Node { x, y, iterations, .. } = node;
            let repeat = if *iterations > 1 { format!(", iterations: {iterations}") } else { String::new() };
            let _ = writeln!(out, "\"n{n}\": ({what}, inputs: {{\"x\": \"{x}\", \"y\": \"{y}\"}}{repeat}),");
        }
        out
    }

    /// Every wire of a frame, from the States before it.
    fn frame(&self, grid: &Grid, states: &[Vec<u32>]) -> BTreeMap<String, Vec<u32>> {
        let mut wires: BTreeMap<String, Vec<u32>> =
            states.iter().enumerate().map(|(s, v)| (format!("s{s}.value"), v.clone())).collect();
        for (n, node) in self.nodes.iter().enumerate() {
            let results = node.kind.run(grid, &wires[&node.x], &wires[&node.y], node.iterations);
            wires.extend(node.kind.outputs().iter().map(|port| (format!("n{n}.{port}"), results[port].clone())));
        }
        wires
    }

    /// Plays four frames and compares the States, and the other wires that are kept, with the interpreter's. Counts
    /// them.
    fn agrees(&self, seed: u32, options: PlanOptions) -> usize {
        let grid = Grid::new(&[6, 4], 1.0, EdgeRule::Wrap);
        let mut sim = Simulation::new(gpu(), planned(&document(60.0, &self.text(), &[]), options)).unwrap();
        let mut states: Vec<Vec<u32>> = (0..self.next.len()).map(|s| vec![s as u32; grid.cell_count()]).collect();
        let mut compared = 0;
        for frame in 1..=4 {
            let wires = self.frame(&grid, &states);
            states = self.next.iter().map(|next| wires[next].clone()).collect();
            step(&mut sim, 1);
            // A State's wire tells what the next frame starts from.
            let after = states.iter().enumerate().map(|(s, words)| (format!("s{s}.value"), words));
            let during =
                wires.iter().filter(|(name, _)| name.starts_with('n')).map(|(name, words)| (name.clone(), words));
            for (name, expected) in after.chain(during) {
                // What nothing needs is left out.
                if sim.plan().wires.get(&name).is_some_and(|wire| wire.kept) {
                    let same = words(&sim, &name) == *expected;
                    assert!(same, "graph {seed}, frame {frame}: {name}\n{}\n{}", self.text(), sim.plan().to_text());
                    compared += 1;
                }
            }
        }
        compared
    }
}

#[test]
fn random_graphs_compute_what_their_wires_say() {
    let count = seed::number("STAGEWRIGHT_COUNT").unwrap_or(60) as u32;
    let mut compared = [0; 3];
    // Seeds have 32 bits here.
    let first = seed::first() as u32;
    for seed in (0..count).map(|k| first.wrapping_add(k)) {
        let _case = seed::Case::begin(seed.into(), "random_graphs_compute_what_their_wires");
        let graph = Random::new(seed);
        let states = (0..graph.next.len()).map(|s| format!("s{s}.value")).collect();
        let some = vec!["s0.value".into(), "n1.x".into(), "n2.z".into()];
        for (keep, compared) in [Keep::All, Keep::Wires(states), Keep::Wires(some)].into_iter().zip(&mut compared) {
            let plain = PlanOptions { keep, ..PlanOptions::default() };
            // All of it is small enough for one workgroup.
            let joined = PlanOptions { tuning: Tuning { joined_buffers: 16, ..Tuning::gpu() }, ..plain.clone() };
            let usual = graph.agrees(seed, plain);
            *compared += usual;
            if seed % 3 == usual as u32 % 3 {
                graph.agrees(seed, joined);
            }
        }
    }
    println!("{count} random graphs, 4 frames: {compared:?} wires as computed, keeping all, the States, some");
    assert!(count < 8 || compared[0] > compared[1] && compared[1] > 4 * count as usize);
}
