//! Every stage of the oil clock's solver that computes a cell or face from what lies around it, against f64.

use std::path::Path;

use png::{BitDepth, ColorType};
use stagewright_compiler::{Keep, Plan, PlanOptions};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{Cell, EdgeRule, Grid};

use super::advection_reference::{Plane, Q};
use super::stages_reference::*;

/// No power of two, so that nothing is exact by luck.
pub const WIDTH: f64 = 0.37;
pub const FPS: f64 = 50.0;
pub const ROUNDING: &str = "of what rounding to f32 may do to each number, followed through the equation";

/// Boxes with closed, periodic and open borders, in two and three dimensions. Periodic checkerboards have even sides.
pub fn boxes() -> Vec<Grid> {
    let grid = |cells: &[usize], edge| Grid::new(cells, WIDTH, edge);
    vec![
        grid(&[13, 9], EdgeRule::Wall),
        grid(&[14, 10], EdgeRule::Wrap),
        grid(&[9, 13], EdgeRule::Zero),
        grid(&[7, 6, 5], EdgeRule::Wall),
        grid(&[8, 6, 4], EdgeRule::Wrap),
    ]
}

pub fn name(grid: &Grid) -> String {
    format!("{} {}", grid.resolution().replace(", ", "x"), grid.edge.name())
}

/// Numbers in 0..1.
pub fn parts(count: usize, seed: u32) -> Vec<f64> {
    random(count, seed).iter().map(|r| f64::from(0.5 + 0.5 * r)).collect()
}

/// Walls at random, a quarter of all cells.
pub fn walls(grid: &Grid, seed: u32) -> Vec<f64> {
    parts(grid.cell_count(), seed).iter().map(|r| f64::from(u8::from(*r > 0.25))).collect()
}

/// Fractions in whole quanta, some of them nothing; cells may be empty, or too full.
pub fn fractions(grid: &Grid, open: &[f64], seed: u32) -> Vec<f64> {
    let whole = |r: f64| ((1.4 * r - 0.3).clamp(0.0, 1.0) / Q).round() * Q;
    parts(2 * grid.cell_count(), seed).iter().enumerate().map(|(i, r)| whole(*r) * open[i / 2]).collect()
}

/// Compares what a wire holds with f64, each number by its own bar.
#[track_caller]
pub fn agrees(what: &str, gpu: &[f64], expected: &[Near]) {
    assert_eq!(gpu.len(), expected.len(), "{what}");
    let ratio = |(gpu, near): (&f64, &Near)| match (gpu - near.v).abs() {
        0.0 => 0.0,
        d if d.is_nan() => f64::INFINITY,
        d => d / near.bar,
    };
    let worst = gpu.iter().zip(expected).map(ratio).fold(0.0, f64::max);
    assert!(expected.iter().any(|near| near.v != 0.0), "{what}: nothing to see");
    within(what, worst, 1.0, ROUNDING);
}

/// The same for faces: those that are no face of the box don't count.
#[track_caller]
pub fn faces_agree(what: &str, gpu: &[f64], expected: &[Option<Near>]) {
    assert_eq!(gpu.len(), expected.len(), "{what}");
    let (gpu, expected): (Vec<f64>, Vec<Near>) =
        gpu.iter().zip(expected).filter_map(|(g, e)| Some((*g, (*e)?))).unzip();
    agrees(what, &gpu, &expected);
}

/// Everything that reads States and looks no farther than the next cell.
const STAGES: &str = r#"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "$edge")),
    "open": (state: "Grid<f32>"),
    "v": (state: "Grid<vec2f>"),
    "shares": (state: "Grid<vec2f>"),
    "m": (state: "Grid<f32>"),
    "d": (state: "Grid<f32>"),
    "p": (state: "Grid<f32>"),
    "a": (state: "Grid<Vec>"),
    "b": (state: "Grid<Vec>"),
    "u": (state: "FaceGrid"),
    "w": (state: "FaceGrid"),
    "normalize": (stage: "two_phase/normalize", inputs: {"fractions": "v", "open": "open"}, params: {"wetting": 0.3}),
    "mass": (stage: "two_phase/mass", inputs: {"shares": "shares"}, params: {"density_f": 1234.5, "density_g": 123.45}),
    "face_weight": (stage: "two_phase/face_weight", inputs: {"mass": "m", "open": "open"}),
    "gravity": (stage: "two_phase/gravity", inputs: {"shares": "shares"}, params: {$gravity}),
    "attraction": (stage: "two_phase/attraction", inputs: {"blurred": "v"}),
    "tension": (stage: "two_phase/tension", inputs: {"shares": "shares", "attraction_f": "a", "attraction_g": "b"}, params: {"strength": 0.7}),
    "accelerate": (stage: "staggered/accelerate", inputs: {"velocity": "u", "acceleration": "a", "open": "open"}),
    "change": (stage: "staggered/add_change", inputs: {"velocity": "u", "before": "a", "after": "b", "open": "open"}),
    "project": (stage: "two_phase/project", inputs: {"velocity": "u", "pressure": "p", "weight": "w"}),
    "shortfall": (stage: "two_phase/shortfall", inputs: {"fractions": "v", "open": "open"}),
    "residual": (stage: "multigrid/residual", inputs: {"divergence": "d", "weight": "w", "pressure": "p"}),
    "sor": (stage: "two_phase/pressure_sor", inputs: {"divergence": "d", "weight": "w", "pressure": "p"}, params: {"relaxation": 1.7}),
    "jacobi": (stage: "two_phase/pressure_jacobi", inputs: {"divergence": "d", "weight": "w", "pressure": "p"}, params: {"relaxation": 0.7}),
    "exchange": (stage: "two_phase/exchange", inputs: {"pressure": "p", "weight": "w", "fractions": "v"}),
    "advect": (stage: "staggered/advect", inputs: {"velocity": "u", "open": "open"}),
    "diffuse": (stage: "staggered/diffuse", inputs: {"before": "b_faces", "velocity": "u", "open": "open"}, params: {"viscosity": 0.03}),
    "b_faces": (state: "FaceGrid"),
"#;

const GRAVITY: [[f64; 3]; 2] = [[0.5, -9.81, 2.7], [-1.3, 0.6, -3.1]];

/// What the States hold; random.
pub struct Case {
    pub grid: Grid,
    pub open: Vec<f64>,
    v: Vec<f64>,
    shares: Vec<f64>,
    /// From 1 to 10.
    mass: Vec<f64>,
    /// Without a mean in any closed part: the solvers take that away.
    d: Vec<f64>,
    p: Vec<f64>,
    vectors: [Vec<f64>; 2],
    u: Vec<f32>,
    before: Vec<f32>,
    /// What gives way, and 0 on walls.
    weight: Vec<f32>,
}

impl Case {
    fn new(grid: Grid) -> Case {
        let open = walls(&grid, 1);
        let numbers = |n: usize, seed| f64s(&random(n * grid.cell_count(), seed));
        let faces = |seed| random(grid.dim * grid.layered().cell_count(), seed);
        let mass: Vec<f64> = parts(grid.cell_count(), 4).iter().map(|r| f64::from((1.0 + 9.0 * r) as f32)).collect();
        let shares: Vec<f64> = parts(grid.cell_count(), 3).iter().flat_map(|f| [*f, 1.0 - f]).collect();
        let weights = Vessel { grid: &grid, open: &open }.face_weight(&mass);
        let weight: Vec<f32> = weights.iter().map(|w| w.map_or(0.0, |w| w.v as f32)).collect();
        let (v, vectors) = (fractions(&grid, &open, 2), [7, 8].map(|seed| numbers(grid.dim, seed)));
        let d = Vessel { grid: &grid, open: &open }.balanced(&weight, &numbers(1, 5));
        let (p, before) = (numbers(1, 6), faces(10));
        // Some cells a step.
        let u = faces(9).iter().map(|u| 4.0 * u).collect();
        Case { grid, open, v, shares, mass, d, p, vectors, u, before, weight }
    }

    fn vessel(&self) -> Vessel<'_> {
        Vessel { grid: &self.grid, open: &self.open }
    }

    fn start(&self) -> Simulation {
        let vector = |g: [f64; 3]| g[..self.grid.dim].iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
        let [f, g] = GRAVITY.map(vector);
        let values = [
            ("$cells", self.grid.resolution()),
            ("$width", WIDTH.to_string()),
            ("$edge", self.grid.edge.name().to_string()),
            ("$gravity", format!("\"gravity_f\": ({f}), \"gravity_g\": ({g})")),
        ];
        let mut sim = start(FPS, STAGES, &pairs(&values));
        let states =
            [("open", &self.open), ("v", &self.v), ("shares", &self.shares), ("m", &self.mass), ("d", &self.d)];
        let more = [("p", &self.p), ("a", &self.vectors[0]), ("b", &self.vectors[1])];
        states.iter().chain(&more).for_each(|(state, values)| sim.write(state, &f32s(values)).unwrap());
        let faces = [("u", &self.u), ("b_faces", &self.before), ("w", &self.weight)];
        faces.iter().for_each(|(state, values)| sim.write(state, values).unwrap());
        step(&mut sim, 1);
        sim
    }
}

/// The time step as stages see it.
pub fn dt() -> f64 {
    f64::from((1.0 / FPS) as f32)
}

#[test]
fn what_a_cell_is_made_of_is_that_of_f64() {
    for grid in boxes() {
        let case = Case::new(grid);
        let sim = case.start();
        let vessel = case.vessel();
        let dim = grid.dim;
        let on = name(&grid);
        let empty = case.v.chunks(2).zip(&case.open).filter(|(v, o)| **o > 0.5 && v[0] + v[1] == 0.0).count();
        assert!(empty > 0, "some open cells are empty");
        agrees(&format!("normalize, {on}"), &read(&sim, "normalize.shares"), &vessel.normalize(&case.v, 0.3));
        let density = |fluid: usize, _, _| Near::real([1234.5, 123.45][fluid]);
        agrees(&format!("mass, {on}"), &read(&sim, "mass.mass"), &vessel.shared(&case.shares, 1, density));
        let gravity = |fluid: usize, _, axis: usize| Near::real(GRAVITY[fluid][axis]);
        let expected = vessel.shared(&case.shares, dim, gravity);
        agrees(&format!("gravity, {on}"), &read(&sim, "gravity.acceleration"), &expected);
        for (fluid, wire) in ["attraction.attraction_f", "attraction.attraction_g"].into_iter().enumerate() {
            agrees(&format!("{wire}, {on}"), &read(&sim, wire), &vessel.attraction(&case.v, fluid));
        }
        let pull = |fluid: usize, c, axis: usize| Near::exact(case.vectors[fluid][dim * grid.index(c) + axis]);
        let pulls = vessel.shared(&case.shares, dim, pull);
        let expected: Vec<Near> = pulls.into_iter().map(|a| Near::real(0.7) * a).collect();
        agrees(&format!("tension, {on}"), &read(&sim, "tension.acceleration"), &expected);
        agrees(&format!("shortfall, {on}"), &read(&sim, "shortfall.shortfall"), &vessel.shortfall(&case.v));
    }
}

#[test]
fn what_a_face_is_made_of_is_that_of_f64_and_walls_are_closed() {
    for grid in boxes() {
        let case = Case::new(grid);
        let sim = case.start();
        let vessel = case.vessel();
        let on = name(&grid);
        let weight = read(&sim, "face_weight.weight");
        faces_agree(&format!("face_weight, {on}"), &weight, &vessel.face_weight(&case.mass));
        let expected = vessel.accelerate(&case.u, &case.vectors[0], dt());
        faces_agree(&format!("accelerate, {on}"), &read(&sim, "accelerate.velocity"), &expected);
        let expected = vessel.changed(&case.u, [&case.vectors[0], &case.vectors[1]]);
        faces_agree(&format!("change, {on}"), &read(&sim, "change.velocity"), &expected);
        let expected = vessel.project(&case.u, &case.p, &case.weight);
        faces_agree(&format!("project, {on}"), &read(&sim, "project.velocity"), &expected);
        let fastest = max_abs(&f64s(&case.u)) * dt() / grid.h;
        println!("{on}: advect's paths are up to {fastest:.2} cells long");
        faces_agree(&format!("advect, {on}"), &read(&sim, "advect.result"), &vessel.advect(&case.u, dt()));
        let a = Near::exact(dt()) * Near::real(0.03) / (vessel.h() * vessel.h());
        let expected = vessel.diffuse(&case.before, &case.u, a);
        faces_agree(&format!("diffuse, one sweep, {on}"), &read(&sim, "diffuse.velocity"), &expected);
    }
}

#[test]
fn a_sweep_of_the_pressure_is_that_of_f64_and_its_residual_too() {
    for grid in boxes() {
        let case = Case::new(grid);
        let sim = case.start();
        let vessel = case.vessel();
        let on = name(&grid);
        let Case { d, p, weight, .. } = &case;
        let [low, high] = [f32::min, f32::max].map(|pick| weight.iter().copied().filter(|w| *w > 0.0).reduce(pick));
        println!("{on}: weights of {low:?} to {high:?}");
        agrees(&format!("pressure_sor, {on}"), &read(&sim, "sor.pressure"), &vessel.sor(p, d, weight, 1.7));
        agrees(&format!("pressure_jacobi, {on}"), &read(&sim, "jacobi.pressure"), &vessel.jacobi(p, d, weight, 0.7));
        agrees(&format!("residual, {on}"), &read(&sim, "residual.residual"), &vessel.residual(d, weight, p));
    }
}

/// Whole quanta, none below zero, and the totals of before.
#[track_caller]
fn holds(what: &str, after: &[f64], before: &[f64]) {
    assert!(after.iter().all(|v| (v / Q).fract() == 0.0), "{what}: whole quanta");
    let total = |v: &[f64], k: usize| v.iter().skip(k).step_by(2).sum::<f64>();
    let lost = [0, 1].map(|k| (total(after, k) - total(before, k)).abs());
    within(&format!("{what}, volume lost"), lost[0].max(lost[1]), 0.0, "whole quanta move, and sums of them are exact");
    let negative = after.iter().fold(0.0, |m: f64, v| m.max(-v));
    within(&format!("{what}, negative volume"), negative, 0.0, "no cell gives more than it has");
}

#[test]
fn fluids_are_exchanged_as_in_f64_and_no_cell_gives_more_than_it_has() {
    for grid in boxes() {
        let mut case = Case::new(grid);
        // What a cell wants to give: hundredths of it, about all, much more. Sums of quanta are exact in f32 below 16.
        for (scale, fullness) in [(1e-2, 1.0), (1.0, 1.0), (1e3, 1.0), (1e6, 2.0)] {
            let flow = scale * grid.h * grid.h;
            case.p = f64s(&f32s(&parts(grid.cell_count(), 6))).iter().map(|p| f64::from((p * flow) as f32)).collect();
            case.v = fractions(&grid, &case.open, 2).iter().map(|v| v * fullness).collect();
            let (sim, vessel) = (case.start(), case.vessel());
            let after = read(&sim, "exchange.result");
            let what = format!("exchange, pressures of {scale:.0e}, {}", name(&grid));
            holds(&what, &after, &case.v);
            agrees(&what, &after, &vessel.exchange(&case.p, &case.weight, &case.v));
        }
    }
}

/// A cell with neighbours that are empty, pressed so hard that it wants to give a million times what it has.
#[test]
fn who_wants_to_give_more_than_there_is_gives_all_of_both_fluids_in_their_ratio() {
    let grid = Grid::new(&[5, 5], WIDTH, EdgeRule::Wall);
    let mut case = Case::new(grid);
    case.open = vec![1.0; 25];
    case.mass = vec![1.0; 25];
    case.weight = case.vessel().face_weight(&case.mass).iter().map(|w| w.map_or(0.0, |w| w.v as f32)).collect();
    let middle = 12;
    [case.v, case.p] = [vec![0.0; 50], vec![0.0; 25]];
    (case.v[2 * middle], case.v[2 * middle + 1], case.p[middle]) = (0.75, 0.25, 1e6);
    let sim = case.start();
    let after = read(&sim, "exchange.result");
    holds("a donor of all", &after, &case.v);
    let left = after[2 * middle] + after[2 * middle + 1];
    within("left in the donor", left, 2e-6 + 8.0 * Q, "two millionths, and a quantum of each fluid a face");
    for to in [middle - 5, middle - 1, middle + 1, middle + 5] {
        let off = (after[2 * to] - 0.1875).abs().max((after[2 * to + 1] - 0.0625).abs());
        within("a quarter of either fluid to each neighbour", off, 2e-6 + Q, "two millionths, and a quantum");
    }
}

const VESSEL: &str = r#"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "$edge")),
    "vessel": ($vessel),
    "open": (stage: "two_phase/open_cells", inputs: {"vessel": "vessel"}, on: "domain"),
    "around": (stage: "two_phase/open_cells", inputs: {"vessel": "vessel"}, params: {"obstacle": true}, on: "domain"),
"#;

fn vessel_of(grid: &Grid, vessel: &str, folder: &Path) -> Simulation {
    let (cells, edge) = (grid.resolution(), grid.edge.name());
    let values = [("$cells", &*cells), ("$width", &WIDTH.to_string()), ("$edge", edge), ("$vessel", vessel)];
    let graph = Graph::build(&document(FPS, VESSEL, &values), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let options = PlanOptions { keep: Keep::All, folder: folder.into(), ..PlanOptions::default() };
    let plan = Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"))
}

/// Both kinds of a vessel's cells are these, and not all are of one kind.
#[track_caller]
fn has_open(what: &str, sim: &Simulation, inside: &[bool]) {
    let count = inside.iter().filter(|i| **i).count();
    println!("{what}: {count} of {} cells are inside", inside.len());
    assert!(count > 0 && count < inside.len());
    for (wire, open) in [("open.open", true), ("around.open", false)] {
        let expected: Vec<f64> = inside.iter().map(|inside| f64::from(u8::from(*inside == open))).collect();
        assert_eq!(read(sim, wire), expected, "{what}, {wire}");
    }
}

#[test]
fn open_cells_are_those_inside_a_distance_and_around_an_obstacle() {
    for grid in boxes() {
        // A centre on the outline itself is not inside.
        let distance: Vec<f32> =
            random(grid.cell_count(), 3).iter().map(|d| if d.abs() < 0.1 { 0.0 } else { *d }).collect();
        let mut sim = vessel_of(&grid, "state: \"Grid<f32>\"", Path::new(""));
        run(&mut sim, &[("vessel", &distance)], 1, "open.open");
        has_open(&name(&grid), &sim, &distance.iter().map(|d| *d < 0.0).collect::<Vec<_>>());
    }
}

#[test]
fn an_image_is_a_vessel() {
    let folder = std::env::temp_dir().join(format!("stagewright_stages_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let grid = Grid::new(&[23, 17], WIDTH, EdgeRule::Wall);
    let ring = |c: Cell| {
        let (x, y) = (c[0] as f64 - 10.0, c[1] as f64 - 8.0);
        let handle = c[0] >= 15 && (c[1] - 8).abs() < 2;
        ((3.0..7.0).contains(&x.hypot(y)) && !(x.abs() < 1.0 && y > 0.0)) || handle
    };
    let grit = parts(grid.cell_count(), 4);
    // A shape with a hole, and pixels at random: white is inside.
    let pictures: [Vec<bool>; 2] = [grid.cells().map(ring).collect(), grit.iter().map(|r| *r > 0.5).collect()];
    for (what, inside) in ["a ring with a notch and a handle", "pixels at random"].into_iter().zip(pictures) {
        // Rows from the top.
        let pixel = |i: usize| 255 * u8::from(inside[(16 - i / 23) * 23 + i % 23]);
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 23, 17);
        encoder.set_color(ColorType::Grayscale);
        encoder.set_depth(BitDepth::Eight);
        let pixels: Vec<u8> = (0..grid.cell_count()).map(pixel).collect();
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        std::fs::write(folder.join("vessel.png"), bytes).unwrap();
        let mut sim = vessel_of(&grid, "file: \"vessel.png\"", &folder);
        step(&mut sim, 1);
        has_open(what, &sim, &inside);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_shape_is_a_vessel() {
    let grid = Grid::new(&[23, 17], WIDTH, EdgeRule::Wall);
    let nodes = VESSEL
        .replace("($vessel)", "(stage: \"grid/from_field\", inputs: {\"field\": \"shape\"}, on: \"domain\")")
        + "\"shape\": (stage: \"shape/sphere\", params: {\"center\": (0.2, 0.13), \"radius\": 0.1}, on: \"domain\"),";
    let mut sim = start(FPS, &nodes, &[("$cells", "23, 17"), ("$width", "0.37"), ("$edge", "wall")]);
    step(&mut sim, 1);
    let inside = |c| {
        let [x, y, _] = grid.position(c);
        (x - 0.2).hypot(y - 0.13) < 0.1
    };
    has_open("a disc", &sim, &grid.cells().map(inside).collect::<Vec<_>>());
}

const FILL: &str = r##"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "$edge")),
    "open": (state: "Grid<f32>"),
    "plane": (custom: r#"//! Plane
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 { return dot(Vec($normal), position) - $a; }"#),
    "fill": (stage: "two_phase/fill", inputs: {"shape": "plane", "open": "open"}),
"##;

#[test]
fn cells_are_filled_with_what_a_half_plane_covers_in_whole_quanta() {
    let slanted = [
        [0.6, 0.8, 0.0],
        [-0.5f64.sqrt(), 0.5f64.sqrt(), 0.0],
        [0.28, -0.96, 0.0],
        [0.6, -0.64, 0.48],
        [0.36, 0.48, 0.8],
    ];
    for grid in boxes() {
        let dim = grid.dim;
        let upright = (0..dim).map(|a| std::array::from_fn(|b| f64::from(u8::from(a == b))));
        let normals: Vec<[f64; 3]> = upright.chain(slanted.into_iter().filter(|n| dim == 3 || n[2] == 0.0)).collect();
        for normal in normals {
            // Through the place at 0.43 of the box.
            let a: f64 = (0..dim).map(|b| normal[b] * 0.43 * grid.n[b] as f64 * grid.h).sum();
            let vector = normal[..dim].iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
            let values = [
                ("$cells", grid.resolution()),
                ("$width", WIDTH.to_string()),
                ("$edge", grid.edge.name().to_string()),
                ("$normal", vector),
                ("$a", a.to_string()),
            ];
            let open = walls(&grid, 1);
            let mut sim = start(FPS, FILL, &pairs(&values));
            let v = run(&mut sim, &[("open", &f32s(&open))], 1, "fill.fractions");
            assert!(v.iter().all(|v| (v / Q).fract() == 0.0 && *v >= 0.0), "whole quanta");
            assert!(
                v.chunks(2).zip(&open).all(|(v, open)| v[0] + v[1] == *open),
                "open cells are full, walls are empty"
            );
            let size = normal.iter().map(|n| n.abs()).sum::<f64>();
            let covered = |c: Cell| {
                let corner: f64 = (0..dim).map(|b| normal[b] * c[b] as f64).sum();
                Plane { n: normal.map(|n| n / size), a: (a / grid.h - corner) / size, size }.part(dim, 0, 0.0, 1.0)
            };
            let off = |(i, c): (usize, Cell)| if open[i] > 0.5 { (v[2 * i] - covered(c)).abs() } else { 0.0 };
            let error = grid.cells().enumerate().map(off).fold(0.0, f64::max);
            let rounding = 0.5 * Q + 30.0 * U * (*grid.n.iter().max().unwrap() as f64 + 2.0);
            let what = format!("half-plane of normal {normal:?}, {}", name(&grid));
            within(&what, error, rounding, "half a quantum, and rounding of the slope and of a coordinate in cells");
        }
    }
}

#[test]
fn cells_are_filled_with_what_a_disc_covers() {
    let (n, r) = (32, 10.0);
    let h = WIDTH / n as f64;
    let values = [
        ("$cells", format!("{n}, {n}")),
        ("$width", WIDTH.to_string()),
        ("$edge", "wall".into()),
        ("dot(Vec($normal), position) - $a", format!("length(position - {h} * vec2f(15.7, 16.2)) - {}", r * h)),
    ];
    let mut sim = start(FPS, FILL, &pairs(&values));
    let v = run(&mut sim, &[("open", &vec![1.0; n * n])], 1, "fill.fractions");
    let exact = super::curvature::disc(n, [15.7, 16.2], r);
    let off: Vec<f64> = v.iter().step_by(2).zip(&exact).map(|(v, e)| v - e).collect();
    // A chord of length c leaves a segment c^3 / 12 R; an outline through a cell is at most 2^0.5 long, in up to 7 chords of a quarter.
    let segments = 7.0 * (2f64.sqrt() / 4.0).powi(3) / (12.0 * r);
    within("a cell of a disc of 10 cells", max_abs(&off), segments + 0.5 * Q, "seven segments of arc");
    let area = off.iter().sum::<f64>().abs() / (std::f64::consts::PI * r * r);
    within("its area", area, (0.25 / r).powi(2) / 6.0, "a polygon of sides of a quarter of a cell, (c / R)^2 / 6");
}

const FULLNESS: &str = r#"
    "domain": (domain: (resolution: (8, 6), width: 1, edge: "wall")),
    "open": (state: "Grid<f32>"), "v": (state: "Grid<vec2f>"),
    "full": (stage: "two_phase/fullness", inputs: {"fractions": "v", "open": "open"}),
"#;

#[test]
fn void_and_overfull_cells_are_told_of_but_walls_are_not() {
    let mut sim = start(FPS, FULLNESS, &[]);
    let mut open = vec![1.0; 48];
    open[5] = 0.0;
    let mut v = [0.25, 0.75].repeat(48);
    (v[10], v[11]) = (0.0, 0.0); // the wall
    for (cell, held, off) in [(0, 1.0, 0.0), (20, 0.5, 0.5), (47, 2.75, 1.75)] {
        v[2 * cell] = held - 0.75;
        assert_eq!(run(&mut sim, &[("open", &open), ("v", &f32s(&v))], 1, "full.off"), [off], "cell {cell}");
        let warned = !sim.warnings(true).is_empty();
        assert_eq!(warned, off > 0.05, "cell {cell} holds {held}");
    }
}

const REACH: &str = r#"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "$edge")),
    "open": (state: "Grid<f32>"),
    "reach": (stage: "two_phase/reach", inputs: {"open": "open"}, params: {"limit": 3}),
    "unwired": (stage: "two_phase/reach", params: {"limit": 3}, on: "domain"),
"#;

#[test]
fn the_reach_is_a_box_of_open_cells_that_cannot_grow() {
    let more = [EdgeRule::Clamp, EdgeRule::Mirror].map(|edge| Grid::new(&[11, 8], WIDTH, edge));
    for grid in boxes().into_iter().chain(more) {
        let (cells, edge) = (grid.resolution(), grid.edge.name());
        let mut sim = start(FPS, REACH, &[("$cells", &cells), ("$width", &WIDTH.to_string()), ("$edge", edge)]);
        let open: Vec<f64> = parts(grid.cell_count(), 1).iter().map(|r| f64::from(u8::from(*r > 0.12))).collect();
        run(&mut sim, &[("open", &f32s(&open))], 1, "reach.low");
        let (dim, all) = (grid.dim, vec![1.0; grid.cell_count()]);
        for (node, open) in [("reach", &open), ("unwired", &all)] {
            let vessel = Vessel { grid: &grid, open };
            let ends = ["low", "high"].map(|end| read(&sim, &format!("{node}.{end}")));
            let mut across = 0;
            for (i, c) in grid.cells().enumerate().filter(|(i, _)| open[*i] > 0.5) {
                let side = |end: usize, a: usize| if a < dim { ends[end][dim * i + a] as i64 } else { 0 };
                let found: [Cell; 2] = [0, 1].map(|end| std::array::from_fn(|a| side(end, a)));
                assert!(vessel.box_is_free(c, found), "{node}, {}: {found:?} around {c:?} has walls", name(&grid));
                for (axis, side) in (0..dim).flat_map(|a| [(a, 0), (a, 1)]) {
                    let mut wider = found;
                    wider[side][axis] += [-1, 1][side];
                    let stuck = wider[side][axis].abs() > 3 || !vessel.box_is_free(c, wider);
                    assert!(stuck, "{node}, {}: {found:?} around {c:?} could grow", name(&grid));
                }
                assert_eq!(found, vessel.reach(c, 3), "{node}, {}: order of growth around {c:?}", name(&grid));
                let outside = (0..dim).any(|a| c[a] + found[0][a] < 0 || c[a] + found[1][a] >= grid.n[a]);
                across += usize::from(outside);
            }
            println!("{node}, {}: {across} boxes lie across a border", name(&grid));
            assert_eq!(across > 0, grid.edge == EdgeRule::Wrap);
        }
    }
}

const ACROSS: &str = r#"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "wrap")),
    "v": (state: "Grid<vec2f>"), "u": (state: "FaceGrid"), "a": (state: "Grid<Vec>"),
    "open": (state: "Grid<f32>", params: {"value": 1}),
    "advect": (stage: "two_phase/advect_spread", inputs: {"fractions": "v", "velocity": "u", "open": "open", "attraction_f": "a", "attraction_g": "a"}),
"#;

/// What flows by a cell a frame goes once around the box, unchanged but for what rounding takes.
#[test]
fn the_spread_goes_across_periodic_borders() {
    for grid in boxes().into_iter().filter(|g| g.edge == EdgeRule::Wrap) {
        let (dim, all) = (grid.dim, vec![1.0; grid.cell_count()]);
        let mut sim = start(FPS, ACROSS, &[("$cells", &grid.resolution()), ("$width", &WIDTH.to_string())]);
        let v = fractions(&grid, &all, 2);
        let flow = vec![(grid.h / dt()) as f32; dim * grid.layered().cell_count()];
        let after = run(&mut sim, &[("v", &f32s(&v)), ("u", &flow)], 1, "advect.result");
        holds(&format!("by a cell, {}", name(&grid)), &after, &v);
        let came_from = |c: Cell| -> Cell { std::array::from_fn(|a| if a < dim { c[a] - 1 } else { 0 }) };
        let exact: Vec<f64> = grid
            .cells()
            .map(|c| grid.index(grid.inner(came_from(c)).unwrap()))
            .flat_map(|i| [v[2 * i], v[2 * i + 1]])
            .collect();
        // Of 2^DIM cells that a place rounds into, each of them passes the part of a coordinate's rounding along each axis.
        let place = 10.0 * U * (*grid.n.iter().max().unwrap() as f64 + 2.0);
        let bar = 2f64.powi(dim as i32) * (dim as f64 * place + Q);
        within(
            &format!("by a cell, {}", name(&grid)),
            max_abs(&difference(&after, &exact)),
            bar,
            "rounding of the place",
        );
    }
}
