//! Closed parts of a fluid: their labels against a flood fill, and pressures of rooms that walls divide, of which some have a source and
//! no way out.

use std::collections::BTreeSet;

use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;
use stagewright_test_support::seed::today;

const LABELS: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: $edge)),
    "open": (state: "Grid<f32>", on: "domain"),
    "faces": (stage: "staggered/open_faces", inputs: {"open": "open"}),
    "parts": (stage: "multigrid/connected_parts", inputs: {"mask": "open", "weight": "faces"}),
"#;

/// A label for walls.
const WALL: u32 = u32::MAX;

/// Cells of a box, x fastest, and the cells across their faces; `wraps`: the axes that are periodic.
struct Cells {
    shape: Vec<usize>,
    wraps: Vec<bool>,
}

impl Cells {
    fn count(&self) -> usize {
        self.shape.iter().product()
    }

    fn place(&self, mut cell: usize) -> Vec<usize> {
        let along = |n: &usize| {
            let place = cell % n;
            cell /= n;
            place
        };
        self.shape.iter().map(along).collect()
    }

    fn neighbors(&self, cell: usize) -> Vec<usize> {
        let place = self.place(cell);
        let mut stride = 1;
        let mut out = Vec::new();
        for (axis, n) in self.shape.iter().enumerate() {
            let (at, first) = (place[axis], cell - place[axis] * stride);
            let wraps = self.wraps[axis];
            out.extend((at > 0 || wraps).then(|| first + (at + n - 1) % n * stride));
            out.extend((at + 1 < *n || wraps).then(|| first + (at + 1) % n * stride));
            stride *= n;
        }
        out
    }

    /// What `multigrid/connected_parts` computes, by a flood fill.
    fn labels(&self, open: &[f32], leads_out: &dyn Fn(usize) -> bool) -> Vec<u32> {
        let mut labels = vec![WALL; self.count()];
        for first in 0..self.count() {
            if open[first] < 0.5 || labels[first] != WALL {
                continue;
            }
            let (mut part, mut next) = (BTreeSet::from([first]), vec![first]);
            while let Some(cell) = next.pop() {
                next.extend(self.neighbors(cell).into_iter().filter(|other| open[*other] > 0.5 && part.insert(*other)));
            }
            let label = if part.iter().any(|cell| leads_out(*cell)) { 0 } else { first as u32 + 1 };
            part.iter().for_each(|cell| labels[*cell] = label);
        }
        labels
    }
}

#[test]
fn labels_are_those_of_a_flood_fill_in_any_box() {
    let boxes: [(&[usize], &str, &str); 6] = [
        (&[53, 37], "\"wall\"", ""),
        (&[53, 37], "\"wrap\"", "xy"),
        (&[33, 18], "(y: \"wrap\", x: \"wall\")", "y"),
        (&[40, 20], "(left: \"open\", right: \"wall\", y: \"wall\")", ""),
        (&[19, 10, 9], "\"wall\"", ""),
        (&[17, 9, 6], "(x: \"wrap\", y: \"wall\", z: \"wall\")", "x"),
    ];
    for (shape, edge, wraps) in boxes {
        let cells = Cells {
            shape: shape.to_vec(),
            wraps: "xyz".chars().take(shape.len()).map(|a| wraps.contains(a)).collect(),
        };
        let text = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let mut sim = start_fused(60.0, LABELS, &[("$cells", &text), ("$edge", edge)], &["parts.part"]);
        let leads_out = edge.contains("open");
        let mazes: Vec<Vec<f32>> = [(0.1, 3), (-0.2, 4), (-0.5, 5)]
            .iter()
            .map(|(least, seed)| {
                random(cells.count(), *seed).iter().map(|r| f32::from(*r > *least)).collect::<Vec<f32>>()
            })
            .chain([serpentine(&cells), vec![1.0; cells.count()], vec![0.0; cells.count()]])
            .collect();
        for (index, open) in mazes.iter().enumerate() {
            sim.reset();
            sim.write("open", open).unwrap();
            step(&mut sim, 1);
            let expected = cells.labels(open, &|cell| leads_out && cells.place(cell)[0] == 0);
            assert!(words(&sim, "parts.part")[..cells.count()] == expected[..], "{shape:?} {edge} maze {index}");
        }
    }
}

/// One channel that winds through the whole box: the longest way between two cells of a part.
fn serpentine(cells: &Cells) -> Vec<f32> {
    let wide = cells.shape[0];
    let open = |cell: usize| {
        let place = cells.place(cell);
        place[1..].iter().all(|at| at % 2 == 0) || place[1] % 2 == 1 && place[0] == (place[1] / 2 % 2) * (wide - 1)
    };
    (0..cells.count()).map(|cell| f32::from(open(cell))).collect()
}

/// Rooms that walls divide, a source of 1/s in a corner of the first, and its pressure, which starts from the last frame's.
const ROOMS: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1.2, edge: $edge)),
    "open": (state: "Grid<f32>", on: "domain"),
    "source": (state: "Grid<f32>", on: "domain"),
    "guess": (state: "Grid<f32>", on: "domain", inputs: {"next": "pressure.pressure"}),
    "faces": (stage: "staggered/open_faces", inputs: {"open": "open"}),
    "pressure": (stage: "$solver", inputs: {"divergence": "source", "pressure": "guess", $walls}, $repeats),
    "left": (stage: "fluid/residual", inputs: {"divergence": "source", "open": "open", "pressure": "pressure.pressure"}),
"#;

const OPEN: &str = "\"open\": \"open\"";
const WEIGHT: &str = "\"weight\": \"faces\"";

fn rooms(shape: &[usize], edge: &str, (solver, walls, repeats): (&str, &str, &str)) -> Simulation {
    let text = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let values = [("$cells", &*text), ("$edge", edge), ("$solver", solver), ("$walls", walls), ("$repeats", repeats)];
    start_fused(60.0, ROOMS, &values, &["pressure.pressure", "left.residual"])
}

const SOLVERS: [(&str, &str, &str); 9] = [
    ("fluid/pressure_sor", OPEN, "params: {\"relaxation\": 1.8}, iterations: 60"),
    ("fluid/pressure_jacobi", OPEN, "params: {\"relaxation\": 0.9}, iterations: 200"),
    ("fluid/pressure_cg_obstacle", OPEN, "params: {\"steps\": 60}"),
    ("fluid/pressure_multigrid_obstacle", OPEN, "iterations: 3"),
    ("two_phase/pressure_sor", WEIGHT, "params: {\"relaxation\": 1.8}, iterations: 60"),
    ("two_phase/pressure_jacobi", WEIGHT, "params: {\"relaxation\": 0.9}, iterations: 200"),
    ("two_phase/pressure_cg", WEIGHT, "params: {\"steps\": 60}"),
    ("two_phase/pressure_multigrid", WEIGHT, "iterations: 3"),
    ("two_phase/pressure_multigrid_cg", WEIGHT, "params: {\"cycles\": 6}"),
];

/// Two rooms with a wall of one cell between them, thinner than the cells of coarse levels: open cells, and the source.
fn two_rooms(cells: &Cells) -> (Vec<f32>, Vec<f32>) {
    let wall = cells.shape[0] * 5 / 9;
    let open = |cell: usize| f32::from(cells.place(cell)[0] != wall);
    let source = |cell: usize| {
        let place = cells.place(cell);
        f32::from(place[0] + 2 > wall - 3 && place[0] < wall && place[1] < cells.shape[1] / 3)
    };
    ((0..cells.count()).map(open).collect(), (0..cells.count()).map(source).collect())
}

#[test]
fn nothing_flows_in_a_sealed_room_beside_a_source() {
    let shapes: [&[usize]; 2] = [&[27, 18], &[14, 9, 7]];
    for shape in shapes {
        let cells = Cells { shape: shape.to_vec(), wraps: vec![false; shape.len()] };
        let (open, source) = two_rooms(&cells);
        let wall = cells.shape[0] * 5 / 9;
        let of_room = |c: &usize, first: bool| open[*c] > 0.5 && (cells.place(*c)[0] < wall) == first;
        let room = |first: bool| (0..cells.count()).filter(|c| of_room(c, first)).collect::<Vec<usize>>();
        let mean_of = |value: &dyn Fn(usize) -> f64| {
            let cells = room(true);
            cells.iter().map(|c| value(*c)).sum::<f64>() / cells.len() as f64
        };
        // What no pressure can remove: the mean of the first room.
        let spread = mean_of(&|c| f64::from(source[c]));
        let solvers = SOLVERS.iter().filter(|(name, ..)| shape.len() == 2 || !name.ends_with("multigrid_cg"));
        for solver in today(solvers, 2) {
            let mut sim = rooms(shape, "\"wall\"", *solver);
            sim.reset();
            sim.write("open", &open).unwrap();
            sim.write("source", &source).unwrap();
            let h = 1.2 / shape[0] as f64;
            let mut means = Vec::new();
            for frame in 1..=24 {
                step(&mut sim, 1);
                let pressure = read(&sim, "pressure.pressure");
                let mut still = Vec::new();
                for c in room(false) {
                    let open_beside = cells.neighbors(c).into_iter().filter(|o| open[*o] > 0.5);
                    still.extend(open_beside.map(|o| pressure[c] - pressure[o]));
                }
                let speed = max_abs(&still) / h;
                assert!(speed < 1e-7, "{} {shape:?}: {speed:e} m/s in the sealed room in frame {frame}", solver.0);
                means.push(mean_of(&|c| pressure[c]));
            }
            let left = read(&sim, "left.residual");
            let error: Vec<f64> = room(true).iter().map(|c| left[*c] - spread).collect();
            within(&format!("{} {shape:?}: residual", solver.0), rms(&error) / spread, 0.02, "24 frames of a solver");
            let scale = max_abs(&read(&sim, "pressure.pressure"));
            let drift = (means[23] - means[11]).abs() / scale;
            // Roundings of a frame: each sweep adds up neighbours and mixes.
            let roundings = [("sor", 120.0), ("jacobi", 400.0)].iter().find(|(end, _)| solver.0.ends_with(end));
            let bar = 12.0 * roundings.map_or(24.0, |(_, count)| *count) * U;
            within(&format!("{} {shape:?}: drift", solver.0), drift, bar, "rounding in each frame");
            let warnings = sim.warnings(true).to_string();
            assert!(warnings.contains("pressure: ") && warnings.contains("has no way out"), "{}: {warnings}", solver.0);
        }
    }
}

/// What a room with an outlet, one of a single cell and one that touches another at a corner only need.
#[test]
fn only_parts_without_a_way_out_lose_their_mean() {
    let shape = [20, 12];
    let cells = Cells { shape: shape.to_vec(), wraps: vec![false; 2] };
    // Rooms: x < 6 leads out on the left; the cell (8, 5) is alone; x in 10..13, y < 6 touches x in 13..20, y >= 6 at a corner.
    let place = |c: usize| (c % 20, c / 20);
    let rooms_of = |c: usize| match place(c) {
        (0..6, _) => 1,
        (8, 5) => 2,
        (10..13, 0..6) => 3,
        (13..20, 6..12) => 4,
        _ => 0,
    };
    let open: Vec<f32> = (0..240).map(|c| f32::from(rooms_of(c) > 0)).collect();
    let source: Vec<f32> = (0..240).map(|c| [0.0, 1.0, 2.0, 3.0, 0.0][rooms_of(c)]).collect();
    for solver in today(SOLVERS, 2) {
        let mut sim = rooms(&shape, "(left: \"open\", right: \"wall\", y: \"wall\")", solver);
        sim.reset();
        sim.write("open", &open).unwrap();
        sim.write("source", &source).unwrap();
        step(&mut sim, 12);
        let (pressure, left) = (read(&sim, "pressure.pressure"), read(&sim, "left.residual"));
        let of = |room: usize, values: &[f64]| {
            (0..240).filter(|c| rooms_of(*c) == room).map(|c| values[c]).collect::<Vec<_>>()
        };
        within(&format!("{}: with an outlet", solver.0), rms(&of(1, &left)), 0.02, "it can all flow out");
        within(&format!("{}: alone", solver.0), max_abs(&of(2, &pressure)), 1e-6, "nothing to balance");
        // A source that is the same everywhere leaves nothing to balance.
        let spread = of(3, &left).iter().map(|r| r - 3.0).collect::<Vec<_>>();
        within(&format!("{}: closed", solver.0), max_abs(&spread), 1e-5, "its own mean");
        within(&format!("{}: at a corner", solver.0), max_abs(&of(4, &left)), 1e-7, "no source");
        within(&format!("{}: at a corner", solver.0), max_abs(&of(4, &pressure)), 1e-7, "no source");
        assert!(cells.count() == 240);
    }
}

/// A door in the wall opens: the same graph has two parts, then one, whose mean then is that of both.
#[test]
fn a_door_that_opens_joins_two_rooms() {
    let nodes = r##"
        "domain": (domain: (resolution: (16, 8), width: 16, edge: "wall")),
        "open": (custom: r#"//! Door
            //! @out open: Grid<f32>
            fn stage(cell: Cell) -> f32 { return select(1.0, 0.0, cell.x == 8 && (cell.y != 3 || frame.index < 4u)); }"#, on: "domain"),
        "source": (stage: "grid/expression", on: "domain", params: {"value": "if position.x < 8 { 1 } else { -1 }"}),
        "inside": (stage: "grid/multiply", inputs: {"a": "source", "b": "open"}),
        "guess": (state: "Grid<f32>", on: "domain", inputs: {"next": "pressure.pressure"}),
        "pressure": (stage: "fluid/pressure_cg_obstacle", inputs: {"divergence": "inside", "open": "open", "pressure": "guess"}, params: {"steps": 80}),
        "left": (stage: "fluid/residual", inputs: {"divergence": "inside", "open": "open", "pressure": "pressure.pressure"}),
    "##;
    let mut sim = start_fused(60.0, nodes, &[], &["left.residual"]);
    sim.reset();
    step(&mut sim, 4);
    // Sources of 64 and -56 in rooms of 64 and 56 cells.
    let closed = read(&sim, "left.residual");
    within("closed", closed[0] - 1.0, 1e-5, "the mean of the first room");
    within("closed", closed[15] + 1.0, 1e-5, "the mean of the second");
    let warnings = sim.warnings(true).to_string();
    assert!(warnings.contains("cells with a net source of"), "{warnings}");
    step(&mut sim, 1);
    let joined = read(&sim, "left.residual");
    // The cell in the door has a sink, too.
    let mean = (64.0 - 57.0) / 121.0;
    within(
        "joined",
        max_abs(&joined.iter().filter(|r| **r != 0.0).map(|r| r - mean).collect::<Vec<_>>()),
        2e-3,
        "one mean",
    );
}

#[test]
fn what_closed_rooms_exchange_in_an_ordinary_flow_is_not_reported() {
    let nodes = r#"
        "domain": (domain: (resolution: (24, 16), width: 1, edge: "wall")),
        "disc": (stage: "shape/sphere", params: {"center": "[0.3 + 0.2 * time, 0.3]", "radius": 0.12}),
        "distance": (stage: "grid/from_field", on: "domain", inputs: {"field": "disc"}),
        "open": (stage: "two_phase/open_cells", inputs: {"vessel": "distance"}, params: {"obstacle": true}),
        "drift": (stage: "shape/rigid_velocity", params: {"linear": (0.2, 0)}),
        "motion": (stage: "grid/from_field", on: "domain", inputs: {"field": "drift"}),
        "velocity": (state: "Grid<Vec>", on: "domain", inputs: {"next": "project.velocity"}),
        "guess": (state: "Grid<f32>", on: "domain", inputs: {"next": "pressure.pressure"}),
        "advect": (stage: "fluid/advect", inputs: {"field": "velocity", "velocity": "velocity", "open": "open"}),
        "divergence": (stage: "fluid/divergence", inputs: {"velocity": "advect", "open": "open", "motion": "motion"}),
        "pressure": (stage: "fluid/pressure_multigrid_obstacle", inputs: {"divergence": "divergence", "open": "open", "pressure": "guess"}, iterations: 2),
        "project": (stage: "fluid/project", inputs: {"pressure": "pressure.pressure", "velocity": "advect", "open": "open", "motion": "motion"}),
    "#;
    let mut sim = start_fused(60.0, nodes, &[], &["project.velocity"]);
    sim.reset();
    step(&mut sim, 20);
    assert!(max_abs(&read(&sim, "project.velocity")) > 0.01, "the disc moves the fluid");
    assert_eq!(sim.warnings(true).to_string(), "");
}

#[test]
fn a_closed_box_without_walls_that_has_a_source_is_reported_and_does_not_drift() {
    let nodes = r#"
        "domain": (domain: (resolution: (24, 16), width: 24, edge: "wall")),
        "source": (stage: "grid/expression", on: "domain", params: {"value": "if position.x < 6 { 1 } else { 0 }"}),
        "guess": (state: "Grid<f32>", on: "domain", inputs: {"next": "pressure.pressure"}),
        "pressure": (stage: "$solver", inputs: {"divergence": "source", "pressure": "guess"}$sweeps),
    "#;
    let solvers = [
        ("fluid/pressure_multigrid", ""),
        ("fluid/pressure_cg", ""),
        ("fluid/pressure_sor", ", iterations: 100"),
        ("fluid/pressure_jacobi", ", params: {\"relaxation\": 0.9}, iterations: 400"),
    ];
    for (solver, sweeps) in solvers {
        let mut sim = start_fused(60.0, nodes, &[("$solver", solver), ("$sweeps", sweeps)], &["pressure.pressure"]);
        sim.reset();
        step(&mut sim, 10);
        let before = read(&sim, "pressure.pressure");
        step(&mut sim, 10);
        let after = read(&sim, "pressure.pressure");
        within(
            solver,
            (mean(&after) - mean(&before)).abs() / max_abs(&after),
            10.0 * 40.0 * U,
            "rounding in each frame",
        );
        let warnings = sim.warnings(true).to_string();
        assert!(warnings.contains("The box is closed"), "{solver}: {warnings}");
    }
}

#[test]
fn labels_of_a_mask_that_rests_are_computed_once() {
    let (solver, walls, repeats) = SOLVERS[0];
    let values =
        [("$cells", "12, 9"), ("$edge", "\"wall\""), ("$solver", solver), ("$walls", walls), ("$repeats", repeats)];
    let sim = start_fused(60.0, ROOMS, &values, &["pressure.pressure"]);
    let plan = sim.plan();
    let labels = "pressure/balance/parts";
    assert!(plan.invariant.iter().any(|dispatch| dispatch.node == labels), "each solver around walls is balanced");
    assert!(plan.frame.iter().all(|dispatch| dispatch.node != labels), "its labels rest with the mask");
}
