//! The pressure equation, solved to the end.

use std::f64::consts::PI;

use stagewright_solver_support::harness::*;

/// One frame is N sweeps.
const SOLVER: &str = r#"
    "domain": (domain: (resolution: ($n, $n), width: 1, edge: "wall")),
    "rhs": (state: "Grid<f32>"),
    "p": (state: "Grid<f32>", inputs: {"next": "sor.pressure"}),
    "sor": (stage: "fluid/pressure_sor", inputs: {"divergence": "rhs.value", "pressure": "p.value"},
            params: {"relaxation": $relaxation}, iterations: $n),
    "left": (stage: "fluid/residual", inputs: {"divergence": "rhs.value", "pressure": "sor.pressure"}),
"#;

/// Cells a side and the largest error of the exactly solved 5-point equations (by cosine transform in f64). At 128
/// cells f32 would no longer show 1 % of it, see `rounding`.
const EXACTLY_SOLVED: [(usize, f64); 3] = [(16, 1.245784e-2), (32, 3.188039e-3), (64, 8.016430e-4)];

/// p = cos(2 pi x) cos(2 pi y), whose Laplacian is -8 pi^2 p.
fn solution(n: usize) -> Vec<f64> {
    let wave = |i: usize| (2.0 * PI * (i as f64 + 0.5) / n as f64).cos();
    (0..n * n).map(|i| wave(i % n) * wave(i / n)).collect()
}

/// Largest error, up to a constant, and largest residual of the converged f32 solution.
fn solve(n: usize) -> (f64, f64) {
    let relaxation = (2.0 / (1.0 + (PI / n as f64).sin())).to_string();
    let mut sim = start(60.0, SOLVER, &[("$n", &n.to_string()), ("$relaxation", &relaxation)]);
    let exact = solution(n);
    let rhs = f32s(&exact.iter().map(|p| -8.0 * PI * PI * p).collect::<Vec<_>>());
    // At the best relaxation 8 N sweeps take a smooth residual to 1e-6; 10 N are plenty.
    let p = run(&mut sim, &[("rhs", &rhs)], 10, "p");
    let error = difference(&p, &exact);
    let constant = mean(&error);
    let error: Vec<f64> = error.iter().map(|e| e - constant).collect();
    (max_abs(&error), max_abs(&read(&sim, "left.residual")))
}

/// What rounding adds to the solution: each update rounds by about 1.5 U, which stalls SOR (relaxation near 2) at a
/// white residual r of 4 (1.5 U) N^2 / 2. A white residual has r / N in each cosine mode, divided there by pi^2 (i^2
/// + j^2); the root of the sum of 1 / (i^2 + j^2)^2 over the modes is 1.6. Three times that rms is the largest.
fn rounding(n: usize) -> f64 {
    let n = n as f64;
    let residual = 4.0 * 1.5 * U * n * n / 2.0;
    3.0 * residual / n * 1.6 / (PI * PI)
}

#[test]
fn converged_pressure_has_the_error_of_the_exactly_solved_equations() {
    let mut errors = Vec::new();
    for (n, exactly_solved) in EXACTLY_SOLVED {
        let (error, residual) = solve(n);
        println!("{n} x {n}: Linf {error:.6e}, exactly solved {exactly_solved:.6e}, residual {residual:.1e} of 79");
        let because = format!("1 % of the exact solve; rounding may add {:.1e}", rounding(n));
        assert!(rounding(n) < 0.01 * exactly_solved, "f32 can show it");
        within("  against the exact solve", (error - exactly_solved).abs(), 0.01 * exactly_solved, &because);
        errors.push(error);
    }
    has_order("5-point Poisson, 16 to 32", order(errors[0], errors[1]), 2.0);
    has_order("5-point Poisson, 32 to 64", order(errors[1], errors[2]), 2.0);
}

#[test]
fn sor_stalls_where_rounding_says() {
    for n in [32, 64, 128] {
        let (_, residual) = solve(n);
        // A fixed point of rounded updates: residual h^2 relaxation / F is no more than twice an update's rounding.
        let bar = stalled_residual(4, 1.0, 1.0 / n as f64);
        within(&format!("SOR on {n} x {n}"), residual, bar, "2 F (F + 12) U |p| / h^2");
    }
}
