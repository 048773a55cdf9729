//! Implicit diffusion against the modes of its own equations and of the heat equation.

use std::f64::consts::PI;

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid};

const DIFFUSE: &str = r#"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "$edge")),
    "q": (state: "Grid<$type>", inputs: {"next": "diffuse.field"}),
    "diffuse": (stage: "fluid/diffuse", inputs: {"before": "q.value", "field": "q.value"},
                params: {"diffusivity": 0.02}, iterations: $sweeps),
"#;
const DIFFUSIVITY: f64 = 0.02;

/// A cosine mode: half waves along each axis of a walled box, whole ones of a periodic one.
struct Mode {
    grid: Grid,
    waves: [f64; 3],
}

impl Mode {
    fn wave_number(&self, axis: usize) -> f64 {
        PI * self.waves[axis] / (self.grid.n[axis] as f64 * self.grid.h)
    }

    fn field(&self) -> Vec<f64> {
        self.grid.fill(|at| (0..3).map(|a| (self.wave_number(a) * at[a]).cos()).product())
    }

    /// Eigenvalue of the negative Laplacian of neighbouring cells, and of the real one.
    fn eigenvalues(&self) -> (f64, f64) {
        let h = self.grid.h;
        let k = |a| self.wave_number(a);
        let discrete = (0..3).map(|a| (2.0 * (0.5 * k(a) * h).sin() / h).powi(2)).sum();
        (discrete, (0..3).map(|a| k(a) * k(a)).sum())
    }

    fn run(&self, ty: &str, fps: f64, sweeps: usize, steps: usize, start: &[f32]) -> Vec<f64> {
        let values = [
            ("$cells", self.grid.resolution()),
            ("$width", (self.grid.n[0] as f64 * self.grid.h).to_string()),
            ("$edge", self.grid.edge.name().into()),
            ("$type", ty.into()),
            ("$sweeps", sweeps.to_string()),
        ];
        run(&mut start_at(fps, &values), &[("q", start)], steps, "q")
    }
}

fn start_at(fps: f64, values: &[(&str, String)]) -> stagewright_runtime::sim::Simulation {
    start(fps, DIFFUSE, &pairs(values))
}

/// Sweeps that leave no more than U of a step's change: red-black Gauss-Seidel shrinks an error by the square of
/// Jacobi's F a / (1 + F a), a = diffusivity dt / h^2.
fn sweeps(grid: &Grid, dt: f64) -> usize {
    let a = grid.faces() as f64 * DIFFUSIVITY * dt / (grid.h * grid.h);
    (U.ln() / (2.0 * (a / (1.0 + a)).ln())).ceil() as usize + 1
}

/// Rounding of a step of a field in -1..1: the last sweep rounds by (F + 8) U (F sums, the products and 1 / (1 + F
/// a), a division), and each sweep before it by as much of what still counts, a geometric series of ratio F a / (1 +
/// F a).
fn rounding(grid: &Grid, dt: f64) -> f64 {
    let a = grid.faces() as f64 * DIFFUSIVITY * dt / (grid.h * grid.h);
    (grid.faces() as f64 + 8.0) * U * (1.0 + a) + U
}

fn decays_by_the_discrete_factor(grid: Grid, waves: [f64; 3]) {
    let mode = Mode { grid, waves };
    let (fps, steps) = (10.0, 8);
    let dt = f64::from((1.0 / fps) as f32);
    let start = mode.field();
    let factor = (1.0 + DIFFUSIVITY * dt * mode.eigenvalues().0).powi(-steps);
    let expected: Vec<f64> = start.iter().map(|v| v * factor).collect();
    let sweeps = sweeps(&grid, dt);
    let result = mode.run("f32", fps, sweeps, steps as usize, &f32s(&start));
    let what = format!(
        "{} {} cells, {steps} steps of {sweeps} sweeps, factor {factor:.4}",
        grid.edge.name(),
        grid.resolution()
    );
    let bar = f64::from(steps) * rounding(&grid, dt) + U;
    within(&what, max_abs(&difference(&result, &expected)), bar, "rounding of converged sweeps");
}

#[test]
fn a_mode_decays_by_its_discrete_factor() {
    decays_by_the_discrete_factor(Grid::new(&[32, 20], 1.0, EdgeRule::Wall), [2.0, 1.0, 0.0]);
    decays_by_the_discrete_factor(Grid::new(&[30, 22], 1.0, EdgeRule::Wrap), [2.0, 4.0, 0.0]);
    decays_by_the_discrete_factor(Grid::new(&[14, 11, 9], 1.0, EdgeRule::Wall), [1.0, 2.0, 1.0]);
}

/// A velocity along x between walls across x is odd there: a sine decays where a number's cosine would not stay
/// itself.
#[test]
fn flow_through_walls_diffuses_to_zero_there() {
    let mode = Mode { grid: Grid::new(&[32, 20], 1.0, EdgeRule::Wall), waves: [1.0, 0.0, 0.0] };
    let (fps, steps) = (10.0, 8);
    let dt = f64::from((1.0 / fps) as f32);
    let sine = |x: f64| (PI * x).sin();
    let start: Vec<f64> = mode.grid.fill(|at| sine(at[0])).into_iter().flat_map(|u| [u, 0.0]).collect();
    let factor = (1.0 + DIFFUSIVITY * dt * mode.eigenvalues().0).powi(-steps);
    let expected: Vec<f64> = start.iter().map(|v| v * factor).collect();
    let result = mode.run("Vec", fps, sweeps(&mode.grid, dt), steps as usize, &f32s(&start));
    let bar = f64::from(steps) * rounding(&mode.grid, dt) + U;
    within(
        "sine of a Vec between walls",
        max_abs(&difference(&result, &expected)),
        bar,
        "rounding of converged sweeps",
    );
}

#[test]
fn diffusion_approaches_the_heat_equation_with_first_order_in_time() {
    let mode = Mode { grid: Grid::new(&[64, 16], 1.0, EdgeRule::Wall), waves: [2.0, 0.0, 0.0] };
    let (discrete, exact) = mode.eigenvalues();
    let time = 1.0;
    let error = |steps: usize| {
        let dt = time / steps as f64;
        let result = mode.run("f32", 1.0 / dt, sweeps(&mode.grid, dt), steps, &f32s(&mode.field()));
        // The mode's amplitude: it stays the same cosine.
        let amplitude = result.iter().zip(mode.field()).map(|(r, m)| r * m).sum::<f64>()
            / mode.field().iter().map(|m| m * m).sum::<f64>();
        amplitude - (-DIFFUSIVITY * exact * time).exp()
    };
    let errors = [8, 16, 32].map(error);
    let space = (-DIFFUSIVITY * discrete * time).exp() - (-DIFFUSIVITY * exact * time).exp();
    println!("errors {errors:?} with 8, 16, 32 steps; the grid's own is {space:.1e}");
    has_order("backward Euler, 8 to 16 steps", order(errors[0], errors[1]), 1.0);
    has_order("backward Euler, 16 to 32 steps", order(errors[1], errors[2]), 1.0);
}

/// A slab or a corner, of which each side has a value, a flux, or nothing: long steps end in the steady state.
const SIDES: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 2, edge: ($edge))),
    "t": (state: "Grid<f32>", on: "domain", params: {"value": 0.5}, inputs: {"next": "diffuse"}),
    "profile": (stage: "field/expression", on: "domain", params: {"value": "$profile"}),
    "open": (stage: "grid/expression", on: "domain", params: {"value": "if position.x > 1.75 { 0 } else { 1 }"}),
    "plate": (stage: "grid/expression", on: "domain", params: {"value": "3"}),
    "diffuse": (stage: "fluid/diffuse_sides", inputs: {"before": "t", "field": "t"$inputs}, params: {"diffusivity": 0.5, $sides}, iterations: 1000),
"#;

fn steady(cells: &str, edge: &str, profile: &str, inputs: &str, sides: &str) -> Vec<f64> {
    let values = [("$cells", cells), ("$edge", edge), ("$profile", profile), ("$inputs", inputs), ("$sides", sides)];
    let mut sim = start(0.01, SIDES, &values);
    step(&mut sim, 6);
    read(&sim, "diffuse.field")
}

#[test]
fn sides_and_obstacles_have_values_and_fluxes() {
    let x = |i: usize| (i as f64 + 0.5) * 0.125;
    // Roundings of 1000 sums of numbers up to 4.
    let bar = 1000.0 * 4.0 * U;
    let because = "straight lines are exact; roundings of the sweeps";
    let slab = |inputs: &str, sides: &str| steady("16, 3", r#"y: "wrap""#, "0", inputs, sides);
    let check = |what: &str, found: &[f64], exact: &dyn Fn(f64) -> f64, cells: usize| {
        let worst = (0..cells).map(|i| (found[i] - exact(x(i))).abs()).fold(0.0, f64::max);
        within(what, worst, bar, because);
    };
    let values = slab("", r#""left_kind": 1, "left": 1, "right_kind": 1, "right": 3"#);
    check("two values", &values, &|x| 1.0 + x, 16);
    let flux = slab("", r#""left_kind": 2, "left": 0.25, "right_kind": 1, "right": 2"#);
    check("a flux and a value", &flux, &|x| 2.0 + 0.5 * (2.0 - x), 16);
    // The plate begins 1.75 m from the left side.
    let plate = slab(r#", "open": "open", "obstacle": "plate""#, r#""left_kind": 1, "left": 1, "obstacle_kind": 1"#);
    check("a plate with a value", &plate, &|x| 1.0 + 2.0 * x / 1.75, 14);
    // 3 through the plate's face, over a diffusivity of a half.
    let fed = slab(r#", "open": "open", "obstacle": "plate""#, r#""left_kind": 1, "left": 1, "obstacle_kind": 2"#);
    let steep = (0..14).map(|i| (fed[i] - (1.0 + 6.0 * x(i))).abs()).fold(0.0, f64::max);
    within("a plate with a flux", steep, 3.0 * bar, because);
    // A profile along the side, in 3D: the same all along z, so the plane problem in a corner.
    let profile = "position.y";
    let sides = r#""left_kind": 1, "right_kind": 1, "bottom_kind": 1, "top_kind": 1"#;
    let corner = steady("16, 8, 2", r#"z: "wrap""#, profile, r#", "profile": "profile""#, sides);
    let worst = (0..16 * 8).map(|i| (corner[i] - ((i / 16) as f64 + 0.5) * 0.125).abs()).fold(0.0, f64::max);
    within("a profile", worst, bar, because);
}
