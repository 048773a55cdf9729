//! Stages of PLIC by themselves against f64: planes that cut cells, normals, and sweeps in three dimensions.

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid};

use super::advection::{FPS, holds_but_for, over_bar};
use super::advection_reference::*;

const CUT: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "s": (state: "Grid<f32>"),
    "n": (state: "Grid<Vec>"),
    "plane": (stage: "two_phase/plic_plane", inputs: {"normals": "n.value", "shares": "s.value"}),
    "normal": (stage: "two_phase/plic_normal", inputs: {"shares": "s.value"}),
"#;

#[test]
fn a_plane_leaves_the_share_of_its_cell_below() {
    for shape in [&[60usize, 50] as &[usize], &[16, 15, 14]] {
        let grid = Grid::new(shape, 1.0, EdgeRule::Wall);
        let dim = grid.dim;
        let mut sim = start(FPS, CUT, &[("$cells", &grid.resolution())]);
        // Cubes of numbers in -1..1: components of all sizes. Some are 0, some shares within 1e-5 of 0 or 1.
        let normals: Vec<f32> =
            random(dim * grid.cell_count(), 21).iter().map(|r| if r.abs() < 0.1 { 0.0 } else { r * r * r }).collect();
        let close = |(i, r): (usize, f32)| match i % 8 {
            0 => 1e-5 * r.abs(),
            1 => 1.0 - 1e-5 * r.abs(),
            _ => 0.5 + 0.5 * r,
        };
        let shares: Vec<f32> = random(grid.cell_count(), 22).into_iter().enumerate().map(close).collect();
        let planes = run(&mut sim, &[("s", &shares), ("n", &normals)], 1, "plane.plane");
        let mut worst = 0.0f64;
        for (i, share) in shares.iter().enumerate() {
            let [x, y, z, a] = [0, 1, 2, 3].map(|k| planes[4 * i + k]);
            let size = [x, y, z].iter().map(|n| n.abs()).sum::<f64>();
            let below = Plane { n: [x, y, z], a, size }.part(dim, 0, 0.0, 1.0);
            worst = worst.max((below - f64::from(*share)).abs());
        }
        let bar = dim as f64 * 20.0 * U;
        within(&format!("planes on {shape:?}"), worst, bar, "20 roundings, at a slope of the axes' number at most");
    }
}

#[test]
fn normals_are_those_of_f64_and_lie_along_closed_borders() {
    for shape in [&[30usize, 25] as &[usize], &[12, 11, 10]] {
        let grid = Grid::new(shape, 1.0, EdgeRule::Wall);
        let mut sim = start(FPS, CUT, &[("$cells", &grid.resolution())]);
        let zeros = vec![0.0; grid.dim * grid.cell_count()];
        let open = vec![1.0; grid.cell_count()];
        let plic = Plic { grid: &grid, open: &open, flow: &[] };
        let grit: Vec<f64> = random(grid.cell_count(), 9).iter().map(|r| f64::from(r.abs())).collect();
        // The borders' normals: out of columns, nothing leans against the other walls.
        let columns: Vec<f64> = grid.cells().map(|c| grit[c[0] as usize]).collect();
        for (what, shares) in [("any shares", &grit), ("columns", &columns)] {
            let gpu = run(&mut sim, &[("s", &f32s(shares)), ("n", &zeros)], 1, "normal.normals");
            let normal = |c| plic.normal(&f64s(&f32s(shares)), c)[..grid.dim].to_vec();
            let expected: Vec<f64> = grid.cells().flat_map(normal).collect();
            let error = max_abs(&difference(&gpu, &expected));
            let bar = 3f64.powi(grid.dim as i32) * U;
            within(&format!("{what} on {shape:?}"), error, bar, "a rounding for each cell around");
            if what == "columns" {
                let across = |(i, n): (usize, &f64)| if i % grid.dim == 0 { 0.0 } else { n.abs() };
                let leaning = gpu.iter().enumerate().map(across).fold(0.0, f64::max);
                within(&format!("{what} on {shape:?}, across"), leaning, bar, "a rounding for each cell around");
            }
        }
    }
}

#[test]
fn sweeps_in_three_dimensions_are_those_of_f64() {
    let grid = Grid::new(&[11, 10, 9], 1.0, EdgeRule::Wall);
    let mut nodes = String::from(
        r#""domain": (domain: (resolution: (11, 10, 9), width: 1, edge: "wall")),
        "f": (state: "Grid<vec2f>"), "u": (state: "FaceGrid"),
        "flow": (stage: "two_phase/plic_flow", inputs: {"velocity": "u.value"}),"#,
    );
    for k in 0..3 {
        let source = if k == 0 { "f.value".into() } else { format!("sweep_{}.result", k - 1) };
        nodes += &format!(
            r#""shares_{k}": (stage: "two_phase/plic_shares", params: {{"sweep": {k}}}, inputs: {{"fractions": "{source}", "before": "f.value", "flow": "flow.flow"}}),
            "normal_{k}": (stage: "two_phase/plic_normal", inputs: {{"shares": "shares_{k}.shares"}}),
            "plane_{k}": (stage: "two_phase/plic_plane", inputs: {{"shares": "shares_{k}.shares", "normals": "normal_{k}.normals"}}),
            "sweep_{k}": (stage: "two_phase/plic_sweep", params: {{"sweep": {k}}}, inputs: {{"fractions": "{source}", "plane": "plane_{k}.plane", "flow": "flow.flow"}}),"#
        );
    }
    let mut sim = start(FPS, &nodes, &[]);
    let ball = |c: [i64; 3]| {
        let d = (0..3).map(|a| (c[a] as f64 - [4.7, 5.2, 3.9][a]).powi(2)).sum::<f64>().sqrt();
        let f = ((3.6 - d).clamp(0.0, 1.0) / PLIC_Q).round() * PLIC_Q;
        [f, 1.0 - f]
    };
    let before: Vec<f64> = grid.cells().flat_map(ball).collect();
    // Courant numbers up to 1/2 and beyond, of a flow with any divergence.
    for speed in [1.0 / 6.0, 0.45] {
        let metres: Vec<f64> =
            random(3 * grid.layered().cell_count(), 8).iter().map(|u| speed * f64::from(*u) * grid.h * FPS).collect();
        let mut last = run(&mut sim, &[("f", &f32s(&before)), ("u", &f32s(&metres))], 1, "f");
        let (open, flow) = (vec![1.0; grid.cell_count()], f32s(&read(&sim, "flow.flow")));
        let plic = Plic { grid: &grid, open: &open, flow: &flow };
        let mut rounding = 0.0;
        for k in 0..3 {
            let expected = plic.sweep(&last, &before, &[0, 1, 2][..k], k);
            let result = read(&sim, &format!("sweep_{k}.result"));
            let moved = max_abs(&difference(&result, &last));
            assert!(moved > 0.1, "something moves");
            let what = format!("sweep {k} in 3D, up to {speed:.2} cells");
            let because = "a quantum a face, and f32's, of each cell's bar";
            within(&what, over_bar(&result, &expected), 1.0, because);
            rounding += expected.rounding;
            holds_but_for(rounding, &what, &result, &before, None);
            last = result;
        }
        assert_eq!(rounding > 0.0, speed > 0.4, "cells hold more than two volumes at Courant numbers beyond 1/2");
    }
}
