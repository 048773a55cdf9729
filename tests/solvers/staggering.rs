//! Between centres and faces, and the operators that live there.

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid};

const CONVERT: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "u": (state: "Grid<Vec>"),
    "faces": (stage: "staggered/center_to_face", inputs: {"velocity": "u.value"}),
    "centers": (stage: "staggered/face_to_center", inputs: {"velocity": "faces.result"}),
    "divergence": (stage: "staggered/divergence", inputs: {"velocity": "faces.result"}),
    "centered": (stage: "fluid/divergence", inputs: {"velocity": "u.value"}),
    "vorticity": (stage: "fluid/vorticity", inputs: {"velocity": "u.value"}),
"#;

/// u_i = a_i + sum over j of b_ij x_j.
fn linear(at: [f64; 3], axis: usize) -> f64 {
    const SLOPES: [[f64; 3]; 3] = [[0.5, -1.0, 0.25], [2.0, 1.5, -0.75], [-0.5, 1.25, 3.0]];
    0.125 * axis as f64 + (0..3).map(|j| SLOPES[axis][j] * at[j]).sum::<f64>()
}

/// Averages and differences of a linear field are exact wherever they reach no border.
fn linear_fields_are_exact(shape: &[usize]) {
    let grid = Grid::new(shape, 1.0, EdgeRule::Wall);
    let dim = grid.dim;
    let u: Vec<f64> = grid.cells().flat_map(|c| (0..dim).map(move |a| linear(grid.position(c), a))).collect();
    let mut sim = start(60.0, CONVERT, &[("$cells", &grid.resolution()), ("$edge", "wall")]);
    let centers = run(&mut sim, &[("u", &f32s(&u))], 1, "centers.result");
    let inner = |c: &[i64; 3]| (0..dim).all(|a| (1..grid.n[a] - 1).contains(&c[a]));
    let inside: Vec<usize> = grid.cells().filter(inner).map(|c| grid.index(c)).collect();
    // Each of the field, a sum and its neighbour's sum is rounded once.
    let [largest, trace] = [max_abs(&u), (0..dim).map(|a| [0.5, 1.5, 3.0][a]).sum::<f64>()];
    let back =
        inside.iter().flat_map(|i| i * dim..(i + 1) * dim).map(|k| (centers[k] - u[k]).abs()).fold(0.0, f64::max);
    within(&format!("{shape:?}, to the faces and back"), back, 4.0 * U * largest, "four roundings");
    for wire in ["divergence.divergence", "centered.divergence"] {
        let values = read(&sim, wire);
        let error = inside.iter().map(|i| (values[*i] - trace).abs()).fold(0.0, f64::max);
        let bar = grid.faces() as f64 * 4.0 * U * largest / grid.h + 8.0 * U * trace;
        within(&format!("{shape:?}, {wire} of {trace}"), error, bar, "roundings of the faces, divided by h");
    }
    let curl = if dim == 3 { [1.25 + 0.75, 0.25 + 0.5, 2.0 + 1.0] } else { [0.0, 0.0, 2.0 + 1.0] };
    let values = read(&sim, "vorticity.vorticity");
    let error =
        inside.iter().flat_map(|i| (0..3).map(move |k| (i, k))).map(|(i, k)| (values[3 * i + k] - curl[k]).abs());
    let bar = 2.0 * grid.faces() as f64 * 4.0 * U * largest / grid.h;
    within(&format!("{shape:?}, curl of {curl:?}"), error.fold(0.0, f64::max), bar, "roundings, divided by h");
}

#[test]
fn averages_and_differences_of_linear_fields_are_exact() {
    linear_fields_are_exact(&[21, 14]);
    linear_fields_are_exact(&[11, 9, 8]);
}

#[test]
fn faces_on_walls_are_closed_and_those_of_open_or_periodic_borders_are_not() {
    for (edge, closed) in [("wall", true), ("clamp", true), ("mirror", true), ("zero", false), ("wrap", false)] {
        let mut sim = start(60.0, CONVERT, &[("$cells", "6, 5"), ("$edge", edge)]);
        let faces = run(&mut sim, &[("u", &[1.0; 60])], 1, "faces.result");
        // Rows are a face longer than the box, and there is a row more.
        let across_x = (0..5).flat_map(|y| [y * 7, y * 7 + 6]).map(|i| faces[2 * i]);
        let across_y = (0..6).flat_map(|x| [x, 5 * 7 + x]).map(|i| faces[2 * i + 1]);
        let border: Vec<f64> = across_x.chain(across_y).collect();
        let inner = faces[2 * (2 * 7 + 3)];
        println!("{edge}: 1 inside, {border:?} on the border");
        assert_eq!(inner, 1.0);
        let expected = match edge {
            "zero" => 0.5, // half of it is outside
            _ => f64::from(u8::from(!closed)),
        };
        assert!(border.iter().all(|v| *v == expected), "{edge}: {expected} on the border");
    }
}

const PROJECT: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "p": (state: "Grid<f32>"),
    "w": (state: "FaceGrid"),
    "project": (stage: "staggered/project", inputs: {"velocity": "w.value", "pressure": "p.value"}),
"#;

/// Every face less the pressure's difference across it; none on closed borders, whatever was there.
fn subtracts_the_gradient(shape: &[usize], edge: EdgeRule) {
    let grid = Grid::new(shape, 1.0, edge);
    let (p, w) = (random(grid.cell_count(), 1), random(grid.layered().cell_count() * grid.dim, 2));
    let mut sim = start(60.0, PROJECT, &[("$cells", &grid.resolution()), ("$edge", edge.name())]);
    let projected = run(&mut sim, &[("p", &p), ("w", &w)], 1, "project.velocity");
    let pressure = f64s(&p);
    let expected = |c: [i64; 3], axis: usize| {
        let border = edge == EdgeRule::Wall && [0, grid.n[axis]].contains(&c[axis]);
        let below = grid.neighbor(c, 2 * axis);
        let gradient = (grid.read(&pressure, c) - grid.read(&pressure, below)) / grid.h;
        if border { 0.0 } else { grid.read_face(&w, c, axis) - gradient }
    };
    // Faces that lie in or on the box; memory has some more, which nothing reads.
    let faces = grid.layered().cells().flat_map(|c| (0..grid.dim).map(move |a| (c, a)));
    let faces = faces.filter(|(c, a)| (0..grid.dim).all(|b| b == *a || c[b] < grid.n[b]));
    let error = faces.map(|(c, a)| (projected[grid.layered().index(c) * grid.dim + a] - expected(c, a)).abs());
    let bar = (1.0 + 8.0 * 2.0 / grid.h) * U;
    let what = format!("staggered/project on {shape:?}, {}", edge.name());
    within(&what, error.fold(0.0, f64::max), bar, "rounding of two differences and a division");
}

#[test]
fn projection_subtracts_the_gradient_and_closes_walls() {
    for edge in [EdgeRule::Wall, EdgeRule::Zero, EdgeRule::Wrap] {
        subtracts_the_gradient(&[9, 6], edge);
        subtracts_the_gradient(&[6, 5, 4], edge);
    }
}
