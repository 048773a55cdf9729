//! What particles add to faces: the transpose of reading there, at every edge rule, in tiles of workgroup memory and without.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

use super::sets::*;

/// Particles add their velocity at their position, and to faces by cell and axis.
const NODES: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: $edge)),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 3000, on: "box", inputs: {"next": "add.particles"}),
    "field": (state: "FaceGrid", on: "box", inputs: {"next": "field"}),
    "add": (custom: r#"//! Add
        //! @inout particles: Particles{position: Vec, velocity: Vec} -> {velocity: Vec}
        //! @out flow: FaceGrid, scatter 16
        //! @out near: FaceGrid, scatter 12
        fn stage(particle: Particle) -> Vec {
            add_flow_at(particle.position, particle.velocity);
            let base = Cell(floor(particle.position / CELL_SIZE));
            for (var axis = 0; axis < DIM; axis++) {
                for (var k = 0; k < 9; k++) { add_near(base + Cell(k % 3 - 1, k / 3 - 1$z), axis, 0.25 * f32(k + 1)); }
            }
            return 0.5 * particle.velocity;
        }"#, inputs: {"particles": "set"}),
    "ask": (custom: r#"//! Ask
        //! @in field: FaceGrid
        //! @inout particles: Particles{position: Vec} -> {found: Vec}
        fn stage(particle: Particle) -> Vec { return field_at(particle.position); }"#, inputs: {"field": "field", "particles": "set"}),
    "own": (custom: r#"//! Own
        //! @in flow: FaceGrid
        //! @out lower: Grid<Vec>
        fn stage(cell: Cell) -> Vec { return flow(cell); }"#, inputs: {"flow": "add.flow"}),
"##;

const EDGES: [&str; 7] = [
    r#""wall""#,
    r#""clamp""#,
    r#""zero""#,
    r#""wrap""#,
    r#""mirror""#,
    r#""open""#,
    r#"(x: "wrap", bottom: "zero", top: "mirror")"#,
];

fn planned(values: &[(&str, &str)], tuning: Tuning, keep: Keep) -> Plan {
    let graph = Graph::build(&document(60.0, NODES, values), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    Plan::compile(&graph, &PlanOptions { keep, tuning, ..PlanOptions::default() }).unwrap_or_else(|e| panic!("{e}"))
}

fn kept() -> Keep {
    Keep::Wires(["add.flow", "add.near", "ask", "own.lower", "set"].map(String::from).to_vec())
}

/// Where a face of a component is among the faces of a grid, and whether it is there and not the other end of a period.
struct Faces {
    cells: Vec<usize>,
    wraps: Vec<bool>,
}

impl Faces {
    fn new(cells: &str, edge: &str) -> Faces {
        let cells: Vec<usize> = cells.split(", ").map(|n| n.parse().unwrap()).collect();
        let wraps = (0..cells.len()).map(|axis| edge.contains("\"wrap\"") && (axis == 0 || !edge.contains("x:")));
        Faces { wraps: wraps.collect(), cells }
    }

    /// Element, component, and place along the component's axis, of each number.
    fn numbers(&self) -> impl Iterator<Item = (usize, usize, Vec<usize>)> + '_ {
        let dim = self.cells.len();
        let count: usize = self.cells.iter().map(|n| n + 1).product();
        (0..count).flat_map(move |element| {
            let mut rest = element;
            let place: Vec<usize> = self
                .cells
                .iter()
                .map(|n| {
                    let at = rest % (n + 1);
                    rest /= n + 1;
                    at
                })
                .collect();
            (0..dim).map(move |axis| (element, axis, place.clone()))
        })
    }

    /// Whether a face is one, and the first of its period.
    fn counts(&self, axis: usize, place: &[usize]) -> bool {
        (0..self.cells.len()).all(|a| place[a] < self.cells[a] + usize::from(a == axis && !self.wraps[a]))
    }
}

#[test]
fn adding_to_faces_is_the_transpose_of_reading_there() {
    for (cells, z) in [("13, 8", ""), ("7, 5, 6", ", k % 2")] {
        for edge in EDGES {
            let (faces, dim) = (Faces::new(cells, edge), cells.split(", ").count());
            let values = [("$cells", cells), ("$edge", edge), ("$z", z)];
            let mut sim = Simulation::new(gpu(), planned(&values, Tuning::default(), kept())).unwrap();
            let count = 700;
            let positions: Vec<f32> = random(count * dim, 3).iter().map(|x| 0.5 + 0.7 * x).collect();
            let velocities = random(count * dim, 4);
            place(&mut sim, "set", &positions, &velocities, dim);
            let numbers: Vec<(usize, usize, Vec<usize>)> = faces.numbers().collect();
            let mut field = random(numbers.len(), 9);
            // Around a period, the first face is the last.
            for axis in (0..dim).filter(|axis| faces.wraps[*axis]) {
                for (k, (_, face_axis, at)) in numbers
                    .iter()
                    .enumerate()
                    .filter(|(_, (_, face_axis, at))| *face_axis == axis && at[axis] == faces.cells[axis])
                {
                    let first = numbers.iter().position(|(_, a, p)| {
                        a == face_axis && (0..dim).all(|d| p[d] == if d == axis { 0 } else { at[d] })
                    });
                    field[k] = field[first.unwrap()];
                }
            }
            sim.write("field", &field).unwrap();
            step(&mut sim, 1);
            let (flow, found) = (read(&sim, "add.flow"), read(&sim, "ask.particles.found"));
            let kept = numbers.iter().enumerate().filter(|(_, (_, axis, place))| faces.counts(*axis, place));
            let on_faces: f64 = kept.map(|(k, _)| flow[k] * f64::from(field[k])).sum();
            let width = found.len() / count.max(1);
            let stride = if found.len() >= count * dim { dim } else { width };
            let at_particles: f64 =
                (0..count * dim).map(|k| f64::from(velocities[k]) * found[k / dim * stride + k % dim]).sum();
            // Half a step of 2^-16 for each of the additions, and rounding of weights.
            let bar = (count * dim * (1 << dim)) as f64 * (0.5 / 65_536.0 + 4.0 * f64::from(f32::EPSILON));
            // What is added beyond an open side is gone; what is read there is the nearest.
            let bar = if edge.contains("open") { f64::INFINITY } else { bar };
            within(&format!("{cells} {edge}"), on_faces - at_particles, bar, "half a step for each addition");
            assert!(flow.iter().any(|x| x.abs() > 0.1));
            // The lower faces, as a stage of the dispatch behind reads them.
            let lower = read(&sim, "own.lower");
            let element = |place: &[usize], wide: usize| {
                place.iter().zip(&faces.cells).rev().fold(0, |sum, (at, n)| sum * (n + wide) + at)
            };
            for (k, (_, axis, at)) in
                numbers.iter().enumerate().filter(|(_, (_, _, at))| at.iter().zip(&faces.cells).all(|(at, n)| at < n))
            {
                assert_eq!(lower[dim * element(at, 0) + axis], flow[k], "{cells} {edge}: {axis} of {at:?}");
            }
        }
    }
}

#[test]
fn sums_on_faces_in_tiles_have_the_bits_of_sums_in_memory() {
    for (cells, z) in [("37, 22", ""), ("20, 13, 9", ", k % 2")] {
        for edge in EDGES {
            let dim = cells.split(", ").count();
            let values = [("$cells", cells), ("$edge", edge), ("$z", z)];
            let listing = Tuning { binned_capacity: 1, ..Tuning::gpu() };
            let [plain, listed] = [Tuning::default(), listing].map(|tuning| planned(&values, tuning, kept()));
            assert!(listed.to_text().contains("[bin list]"), "{}", listed.to_text());
            for count in [2900, 0] {
                let run = |plan: &Plan| {
                    let mut sim = Simulation::new(gpu(), plan.clone()).unwrap();
                    let mut positions: Vec<f32> = random(count * dim, 3).iter().map(|x| 0.5 + 0.6 * x).collect();
                    positions.iter_mut().skip(5).step_by(997).for_each(|x| *x = f32::NAN);
                    place(&mut sim, "set", &positions, &random(count * dim, 4), dim);
                    step(&mut sim, 2);
                    let sums = ["add.flow", "add.near"].map(|wire| words(&sim, wire));
                    (sums, sim.warnings(true).to_string().is_empty())
                };
                let (plain, listed) = (run(&plain), run(&listed));
                if gpu().is_software() {
                    assert_eq!(plain, listed, "{cells} {edge}, {count} particles");
                    continue;
                }
                let apart = plain.0.iter().flatten().zip(listed.0.iter().flatten());
                let apart =
                    apart.map(|(a, b)| f64::from(f32::from_bits(*a) - f32::from_bits(*b)).abs()).fold(0.0, f64::max);
                within(&format!("{cells} {edge}, {count}"), apart, 0.01, "contracted weights");
            }
        }
    }
}

#[test]
fn sums_on_faces_that_leave_their_range_or_are_no_numbers_are_reported() {
    for (text, cause) in [
        ("9000.0", "left the range of `scatter 16`"),
        ("1.0 / (particle.position.x - particle.position.x)", "NaN or infinity"),
    ] {
        let nodes = NODES.replace(
            "add_flow_at(particle.position, particle.velocity);",
            &format!("for (var k = 0; k < 9; k++) {{ add_flow(Cell(2), k % DIM, {text}); }}"),
        );
        let graph = Graph::build(
            &document(60.0, &nodes, &[("$cells", "12, 9"), ("$edge", "\"wall\""), ("$z", "")]),
            Library::builtin(),
        )
        .unwrap();
        for tuning in [Tuning::default(), Tuning { binned_capacity: 1, ..Tuning::gpu() }] {
            let plan = Plan::compile(&graph, &PlanOptions { keep: kept(), tuning, ..PlanOptions::default() }).unwrap();
            let mut sim = Simulation::new(gpu(), plan).unwrap();
            place(
                &mut sim,
                "set",
                &random(200, 3).iter().map(|x| 0.5 + 0.4 * x).collect::<Vec<_>>(),
                &random(200, 4),
                2,
            );
            step(&mut sim, 2);
            let report = sim.warnings(true).to_string();
            assert!(report.contains("add.flow") && report.contains(cause), "{text}: {report}");
        }
    }
}
