//! Projection onto flows without divergence.

use std::f64::consts::PI;

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid};

/// Each frame continues with the pressure of the one before, so a few frames converge.
const STAGGERED: &str = r#"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "wall")),
    "u": (state: "Grid<Vec>"),
    "p": (state: "Grid<f32>", inputs: {"next": "sor.pressure"}),
    "faces": (stage: "staggered/center_to_face", inputs: {"velocity": "u.value"}),
    "before": (stage: "staggered/divergence", inputs: {"velocity": "faces.result"}),
    "sor": (stage: "fluid/pressure_sor", inputs: {"divergence": "before.divergence", "pressure": "p.value"},
            params: {"relaxation": 1.85}, iterations: 100),
    "project": (stage: "staggered/project", inputs: {"pressure": "sor.pressure", "velocity": "faces.result"}),
    "after": (stage: "staggered/divergence", inputs: {"velocity": "project.velocity"}),
"#;

fn staggered(resolution: &[usize]) {
    let grid = Grid::new(resolution, 1.0, EdgeRule::Wall);
    let mut sim = start(60.0, STAGGERED, &[("$cells", &grid.resolution()), ("$width", "1")]);
    let after = run(&mut sim, &[("u", &random(grid.cell_count() * grid.dim, 3))], 5, "after.divergence");
    let [before, p, faces] = ["before.divergence", "p", "faces.result"].map(|wire| max_abs(&read(&sim, wire)));
    // What the solver leaves, and the rounding of each face's gradient (a difference and a division) and sum.
    let faces_rounding = grid.faces() as f64 * (12.0 * p / grid.h + 4.0 * faces) * U / grid.h;
    let bar = stalled_residual(grid.faces(), p, grid.h) + faces_rounding;
    let what = format!("staggered divergence on {resolution:?}, relative to {before:.3} before");
    within(&what, max_abs(&after) / before, bar / before, "stalled SOR and rounding of the faces");
}

#[test]
fn projection_removes_divergence_in_2d() {
    staggered(&[40, 24]);
}

#[test]
fn projection_removes_divergence_in_3d() {
    staggered(&[14, 10, 8]);
}

const COLLOCATED: &str = r#"
    "domain": (domain: (resolution: ($n, $n), width: 1, edge: "wall")),
    "u": (state: "Grid<Vec>"),
    "p": (state: "Grid<f32>", inputs: {"next": "sor.pressure"}),
    "before": (stage: "fluid/divergence", inputs: {"velocity": "u.value"}),
    "sor": (stage: "fluid/pressure_sor", inputs: {"divergence": "before.divergence", "pressure": "p.value"},
            params: {"relaxation": $relaxation}, iterations: $n),
    "project": (stage: "fluid/project", inputs: {"pressure": "sor.pressure", "velocity": "u.value"}),
    "after": (stage: "fluid/divergence", inputs: {"velocity": "project.velocity"}),
"#;

/// grad(cos(pi x) cos(2 pi y)) and a swirl with the stream function sin(pi x) sin(pi y) / pi; no flow through walls,
/// odd across them, which is how the wall rule continues.
fn smooth_flow(grid: &Grid) -> Vec<f32> {
    let flow = |c| {
        let [x, y, _] = grid.position(c).map(|v| v * PI);
        let potential = [-PI * x.sin() * (2.0 * y).cos(), -2.0 * PI * x.cos() * (2.0 * y).sin()];
        let swirl = [x.sin() * y.cos(), -x.cos() * y.sin()];
        [potential[0] + swirl[0], potential[1] + swirl[1]]
    };
    grid.cells().flat_map(flow).map(|v| v as f32).collect()
}

/// Share of the divergence of cos(pi x) cos(2 pi y) that stays: differences over two cells remove what differences
/// over one have solved for. Both have the mode as eigenvector, so this is exact; it is 17 pi^2 h^2 / 20 for small h.
fn expected_share(h: f64) -> f64 {
    let wide = |k: f64| (k * h).sin().powi(2);
    let compact = |k: f64| 4.0 * (0.5 * k * h).sin().powi(2);
    1.0 - (wide(PI) + wide(2.0 * PI)) / (compact(PI) + compact(2.0 * PI))
}

fn collocated_share(n: usize) -> f64 {
    let grid = Grid::new(&[n, n], 1.0, EdgeRule::Wall);
    let relaxation = (2.0 / (1.0 + (PI / n as f64).sin())).to_string();
    let mut sim = start(60.0, COLLOCATED, &[("$n", &n.to_string()), ("$relaxation", &relaxation)]);
    let after = run(&mut sim, &[("u", &smooth_flow(&grid))], 12, "after.divergence");
    let [before, p, u] = ["before.divergence", "p", "u"].map(|wire| max_abs(&read(&sim, wire)));
    let share = max_abs(&after) / before;
    let (expected, rounding) =
        (expected_share(grid.h), grid.faces() as f64 * (12.0 * p / grid.h + 4.0 * u) * U / grid.h);
    println!("{n} x {n}: divergence {before:.3} before, {:.3e} after, share {share:.4e}", max_abs(&after));
    let bar = (stalled_residual(grid.faces(), p, grid.h) + rounding) / before;
    within("  against the share of the two Laplacians", (share - expected).abs(), bar, "stalled SOR and rounding");
    share
}

#[test]
fn collocated_projection_leaves_divergence_of_second_order() {
    let share = [16, 32, 64].map(collocated_share);
    has_order("divergence that stays, 16 to 32", order(share[0], share[1]), 2.0);
    has_order("divergence that stays, 32 to 64", order(share[1], share[2]), 2.0);
}
