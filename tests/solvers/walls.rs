//! Viscosity on faces beside walls: `staggered/diffuse` against the solutions of Poiseuille, Couette and Taylor. All of
//! them are steady, so a step of any length ends there.

use std::f64::consts::PI;

use stagewright_solver_support::harness::*;

const SWEEPS: &str = "iterations: 20";

/// A channel along x in a periodic box of two rows more, which are walls; the upper one moves.
const CHANNEL: &str = r##"
    "domain": (domain: (resolution: (4, $rows), width: 4, edge: "wrap")),
    "u": (state: "FaceGrid", inputs: {"next": "viscosity.velocity"}),
    "channel": (custom: r#"//! Channel
        //! @out acceleration: Grid<Vec>
        //! @out open: Grid<f32>
        fn stage(cell: Cell) -> Result {
            return Result(vec2f($force, 0.0), select(0.0, 1.0, cell.y < RESOLUTION.y - 2));
        }"#, on: "domain"),
    "walls": (custom: r#"//! Walls
        //! @out motion: FaceGrid
        fn stage(cell: Cell) -> Vec { return select(vec2f(0.0), vec2f($speed, 0.0), cell.y == RESOLUTION.y - 2); }"#, on: "domain"),
    "force": (stage: "staggered/accelerate", inputs: {"velocity": "u", "acceleration": "channel.acceleration", "open": "channel.open"}),
    "viscosity": (stage: "staggered/diffuse", inputs: {"before": "force", "velocity": "u", "open": "channel.open", "motion": "walls"}, params: {"viscosity": 8}, $sweeps),
"##;

/// u_x across a channel of so many cells of 1 m.
fn channel(cells: usize, force: f64, speed: f64) -> Vec<f64> {
    let values = [
        ("$rows", (cells + 2).to_string()),
        ("$force", format!("{force:?}")),
        ("$speed", format!("{speed:?}")),
        ("$sweeps", SWEEPS.into()),
    ];
    let u = run(&mut start(1.0, CHANNEL, &pairs(&values)), &[], 4 * cells, "u");
    (0..cells).map(|y| u[2 * 5 * y]).collect()
}

#[test]
fn a_channel_flows_as_poiseuille_says() {
    let errors = [8, 16].map(|cells| {
        let n = cells as f64;
        let flow: f64 = channel(cells, 1.0, 0.0).iter().sum();
        flow / (n.powi(3) / (12.0 * 8.0)) - 1.0
    });
    for (cells, error) in [8.0f64, 16.0].into_iter().zip(errors) {
        // The ghost value lifts the parabola by h^2 / 8, and the sum over cells adds h^2 / 24 of its curvature.
        let theory = 2.0 / (cells * cells);
        within(&format!("{cells} cells, from 2 / cells^2"), (error - theory).abs(), 1e-4, "f32 and what sweeps leave");
    }
    within("flow rate at 16 cells", errors[1], 0.01, "asked for");
    has_order("Poiseuille", order(errors[0], errors[1]), 2.0);
}

#[test]
fn a_moving_wall_drags_the_flow_as_couette_says() {
    let u = channel(8, 0.0, 1.0);
    let error = (0..8).map(|y| (u[y] - (y as f64 + 0.5) / 8.0).abs()).fold(0.0, f64::max);
    within("a linear profile", error, 1e-5, "exact but for f32 and what sweeps leave");
}

/// A flow along x in a square whose other borders it crosses: faces on two borders, half a cell from the others.
const SQUARE: &str = r##"
    "domain": (domain: (resolution: ($n, $n), width: 1, edge: "wall")),
    "u": (state: "FaceGrid", inputs: {"next": "viscosity.velocity"}),
    "weight": (custom: r#"//! Weight
        //! @out acceleration: Grid<Vec>
        fn stage(cell: Cell) -> Vec { return vec2f($force, 0.0); }"#, on: "domain"),
    "force": (stage: "staggered/accelerate", inputs: {"velocity": "u", "acceleration": "weight"}),
    "viscosity": (stage: "staggered/diffuse", inputs: {"before": "force", "velocity": "u"}, params: {"viscosity": 1, "$side": (1, 1)}, $sweeps),
"##;

fn square(n: usize, force: f64, side: &str) -> Vec<f64> {
    let values = [
        ("$n", n.to_string()),
        ("$force", format!("{force:?}")),
        ("$side", side.to_string()),
        ("$sweeps", SWEEPS.into()),
    ];
    run(&mut start(1.0, SQUARE, &pairs(&values)), &[], 4 * n, "u")
}

/// Flow through a square duct is 0.0351443 a^4 / nu (White, Viscous Fluid Flow, 2006, section 3-3.3).
#[test]
fn a_square_duct_flows_as_its_series_says() {
    let errors = [8, 16].map(|n| {
        // The motion of a side through itself does not count, and along y there is no flow to drag.
        let u = square(n, 1.0, "left");
        let face = |x: usize, y: usize| u[2 * (y * (n + 1) + x)];
        let flow: f64 = (0..n * n).map(|i| 0.5 * (face(i % n, i / n) + face(i % n + 1, i / n))).sum();
        flow / (n * n) as f64 / 0.035_144_3 - 1.0
    });
    println!("flow rate of a duct of 8 and of 16 cells: {errors:.5?}");
    within("flow rate at 16 cells", errors[1].abs(), 0.01, "asked for");
    assert!(order(errors[0], errors[1]) > 1.5, "towards second order: {errors:?}");
}

/// Beside a side that moves along itself at 1 m/s: the series of the Laplace equation, and each side in turn.
#[test]
fn each_side_drags_the_flow_along_itself() {
    let series = |along: f64, away: f64| -> f64 {
        let term = |k: f64| 4.0 / (k * PI) * (k * PI * along).sin() * (k * PI * (1.0 - away)).sinh() / (k * PI).sinh();
        (0..40).map(|i| term(2.0 * f64::from(i) + 1.0)).sum()
    };
    for (side, axis, upper) in [("bottom", 0, false), ("top", 0, true), ("left", 1, false), ("right", 1, true)] {
        let errors = [8, 16].map(|n| {
            let u = square(n, 0.0, side);
            let mut worst = 0.0f64;
            for j in 0..n {
                // Along the middle, away from the side.
                let at = [[n / 2, j], [j, n / 2]][axis];
                let away = (j as f64 + 0.5) / n as f64;
                let exact = series(0.5, if upper { 1.0 - away } else { away });
                worst = worst.max((u[2 * (at[1] * (n + 1) + at[0]) + axis] - exact).abs());
            }
            worst
        });
        println!("{side}: {errors:.5?}");
        within(&format!("{side}, 16 cells"), errors[1], 0.01, "asked for");
        assert!(order(errors[0], errors[1]) > 1.7, "{side}: second order, not {errors:?}");
    }
}

#[test]
fn with_free_slip_nothing_sticks_to_what_it_flows_along() {
    let nodes = SQUARE.replace(r#""$side": (1, 1)"#, r#""free_slip": true"#);
    let values = [("$n", "8".to_string()), ("$force", "1.0".into()), ("$sweeps", SWEEPS.into())];
    let u = run(&mut start(1.0, &nodes, &pairs(&values)), &[], 32, "u");
    // Between the two borders that it meets: a parabola, exact on the faces, and the same in every row.
    let exact = |x: usize| 0.5 * x as f64 / 8.0 * (1.0 - x as f64 / 8.0);
    let error = (0..64).map(|i| (u[2 * (i / 8 * 9 + i % 8)] - exact(i % 8)).abs()).fold(0.0, f64::max);
    within("a parabola", error, 1e-5, "exact but for f32 and what sweeps leave");
}

const CYLINDERS: &str = r##"
    "domain": (domain: (resolution: ($n, $n), width: 1, edge: "wall")),
    "u": (state: "FaceGrid", on: "domain", inputs: {"next": "viscosity.velocity"}),
    "shape": (custom: r#"//! Shape
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 { let r = length(position - 0.5); return min(r - 0.2, 0.45 - r); }"#),
    "motion": (custom: r#"//! Motion
        //! @out velocity: Field<Vec>
        fn stage(position: Vec) -> Vec {
            let r = position - 0.5;
            return select(vec2f(0.0), vec2f(-r.y, r.x) / 0.2, length(r) < 0.325);
        }"#),
    "body": (stage: "staggered/obstacle", on: "domain", inputs: {"shape": "shape", "motion": "motion"}),
    "viscosity": (stage: "staggered/diffuse", inputs: {"before": "u", "velocity": "u", "distance": "body.distance", "fraction": "body.fraction", "motion": "body.velocity"}, params: {"viscosity": 1}, $sweeps),
"##;

/// Between cylinders, of which the inner one turns, the flow is A r + B / r around them (Taylor 1923), and its vector
/// Laplacian is zero.
#[test]
fn walls_that_cross_cells_are_of_second_order() {
    let (inner, outer) = (0.2f64, 0.45f64);
    let b = 1.0 / (1.0 / inner - inner / (outer * outer));
    let errors = [16usize, 32].map(|n| {
        let values = [("$n", n.to_string()), ("$sweeps", SWEEPS.into())];
        let mut sim = start(1.0, CYLINDERS, &pairs(&values));
        let u = run(&mut sim, &[], 2 * n, "u");
        let open = read(&sim, "body.fraction");
        let mut off = Vec::new();
        for i in 0..n * n {
            let face = 2 * (i / n * (n + 1) + i % n);
            if open[face] == 0.0 {
                continue;
            }
            // The mean over the open part, of a face that is cut relative to its cylinder.
            let x = (i % n) as f64 / n as f64 - 0.5;
            let turning = |y: f64| if open[face] < 1.0 && x.hypot(y) < 0.325 { -y / inner } else { 0.0 };
            let along = |part: f64| ((i / n) as f64 + part) / n as f64 - 0.5;
            let samples: Vec<f64> = (0..64)
                .map(|k| along((f64::from(k) + 0.5) / 64.0))
                .filter(|y| x.hypot(*y) > inner && x.hypot(*y) < outer)
                .map(|y| -(b / x.hypot(y) - b * x.hypot(y) / (outer * outer)) * y / x.hypot(y) - turning(y))
                .collect();
            if !samples.is_empty() {
                off.push(u[face] - turning(along(0.5)) - mean(&samples));
            }
        }
        rms(&off)
    });
    println!("{errors:.5?} of the speed of the inner cylinder");
    within("16 cells, 4 of them across the gap", errors[0], 0.01, "4 cells across: (h / gap)^2 / 6");
    has_order("between cylinders", order(errors[0], errors[1]), 2.0);
}
