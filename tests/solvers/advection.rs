//! Advection against the same method in f64 and against exact solutions.

use std::f64::consts::TAU;

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Flow, Grid, advect, maccormack};

const ADVECT: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "flow": (state: "Grid<Vec>", params: {"value": ($flow)}),
    "q": (state: "Grid<$type>", inputs: {"next": "$next"}),
    "plain": (stage: "fluid/advect", inputs: {"field": "q.value", "velocity": "flow.value"}, params: {"order": $trace}),
    "corrected": (stage: "fluid/maccormack_correct", params: {"limiter": $limiter, "order": $trace},
                  inputs: {"field": "q.value", "forward": "plain.result", "velocity": "flow.value"}),
"#;
const PLAIN: &str = "plain.result";
const CORRECTED: &str = "corrected.result";

/// Carries a field for some frames and gives it back.
struct Carry<'a> {
    grid: Grid,
    /// Steps a second.
    fps: f64,
    flow: [f64; 3],
    /// Instead of the constant.
    flow_field: Option<&'a [f32]>,
    /// Its output is fed back.
    method: &'a str,
    limiter: u32,
    trace: u32,
    ty: &'a str,
}

impl Carry<'_> {
    fn new(grid: Grid, fps: f64, flow: [f64; 3]) -> Carry<'static> {
        let flow = std::array::from_fn(|a| if a < grid.dim { flow[a] } else { 0.0 });
        Carry { grid, fps, flow, flow_field: None, method: PLAIN, limiter: 0, trace: 1, ty: "f32" }
    }

    fn run(&self, q: &[f32], frames: usize) -> Vec<f64> {
        let flow: Vec<String> = self.flow[..self.grid.dim].iter().map(f64::to_string).collect();
        let values = [
            ("$cells", self.grid.resolution()),
            ("$edge", self.grid.edge.name().into()),
            ("$flow", flow.join(", ")),
            ("$type", self.ty.into()),
            ("$next", self.method.into()),
            ("$limiter", self.limiter.to_string()),
            ("$trace", self.trace.to_string()),
        ];
        let mut sim = start(self.fps, ADVECT, &pairs(&values));
        let mut states = vec![("q", q)];
        states.extend(self.flow_field.map(|flow| ("flow", flow)));
        run(&mut sim, &states, frames, "q")
    }

    fn dt(&self) -> f64 {
        f64::from((1.0 / self.fps) as f32)
    }

    /// Rounding of one interpolation, where neighbours differ by no more than `step` and no value is above `largest`.
    /// A position rounds to 3 U of the box (product with dt, difference, centre), in cells to N times that, and the
    /// division there adds 5 U, the half cell another: 9 U N cells along each axis. Each `mix` then rounds three
    /// times.
    fn rounding(&self, step: f64, largest: f64) -> f64 {
        let axes = self.grid.dim as f64;
        let cells = *self.grid.n.iter().max().unwrap() as f64;
        axes * (9.0 * U * cells * step + 3.0 * U * largest)
    }
}

/// Largest difference between cells side by side.
fn steepest(grid: &Grid, q: &[f64]) -> f64 {
    let across = |c, axis| (grid.read(q, grid.neighbor(c, 2 * axis + 1)) - grid.read(q, c)).abs();
    grid.cells().flat_map(|c| (0..grid.dim).map(move |axis| across(c, axis))).fold(0.0, f64::max)
}

#[test]
fn a_linear_field_is_carried_exactly_away_from_walls() {
    let slope = [0.7, -0.4, 0.9];
    let linear = |at: [f64; 3]| 0.3 + (0..3).map(|a| slope[a] * at[a]).sum::<f64>();
    for (resolution, trace) in [(&[37usize, 29] as &[usize], 1), (&[37, 29], 2), (&[19, 14, 12], 1), (&[19, 14, 12], 2)]
    {
        let grid = Grid::new(resolution, 1.0, EdgeRule::Wall);
        let carry = Carry { trace, ..Carry::new(grid, 16.0, [0.9, -0.7, 0.6]) };
        let q = grid.fill(linear);
        let carried = carry.run(&f32s(&q), 1);
        // Cells whose origin has all its neighbours inside: it lies no more than |u| dt away.
        let reach = (0.9 * carry.dt() / grid.h).ceil() as i64 + 1;
        let inner = grid.cells().filter(|c| (0..grid.dim).all(|a| (reach..grid.n[a] - reach).contains(&c[a])));
        let origin = |c| std::array::from_fn(|a| grid.position(c)[a] - carry.dt() * carry.flow[a]);
        let errors: Vec<f64> = inner.map(|c| carried[grid.index(c)] - linear(origin(c))).collect();
        assert!(errors.len() > 50, "there are cells to compare");
        let bar = carry.rounding(0.9 * grid.h, max_abs(&q)) + 2.0 * U * max_abs(&q);
        let what = format!("linear field on {resolution:?}, backtrace of order {trace}, {} cells", errors.len());
        within(&what, max_abs(&errors), bar, "rounding of one interpolation and of the field");
    }
}

/// A bump that repeats with the box, of width 0.1 near its top.
fn bump(center: [f64; 3]) -> impl Fn([f64; 3]) -> f64 {
    move |at| (0..3).map(|a| ((TAU * (at[a] - center[a])).cos() - 1.0) / 0.395).sum::<f64>().exp()
}

/// Forty steps of a vortex, the velocity interpolated between its cells on both sides.
fn rotation(trace: u32) {
    let grid = Grid::new(&[48, 40], 1.0, EdgeRule::Clamp);
    let omega = 1.5;
    let [cx, cy] = [0.5, 0.5 * 40.0 / 48.0];
    let spin = |axis: usize| f32s(&grid.fill(|at| omega * if axis == 0 { cy - at[1] } else { at[0] - cx }));
    let [u, v] = [spin(0), spin(1)];
    let stored: Vec<f32> = u.iter().zip(&v).flat_map(|(u, v)| [*u, *v]).collect();
    let (u, v) = (f64s(&u), f64s(&v));
    let at = |at, q: &[f64], axis| grid.sample(at, |c| grid.read_component(q, c, axis));
    let flow = Flow { velocity: &|x| [at(x, &u, 0), at(x, &v, 1), 0.0], order: trace };
    let carry = Carry { flow_field: Some(&stored), trace, ..Carry::new(grid, 20.0, [0.0; 3]) };
    let start = f32s(&grid.fill(bump([0.5, 0.65, 0.0])));
    let (steps, mut expected) = (40, f64s(&start));
    let step = steepest(&grid, &expected);
    (0..steps).for_each(|_| expected = advect(&grid, &expected, carry.dt(), &flow));
    let error = max_abs(&difference(&carry.run(&start, steps), &expected));
    // Interpolation is an average, so errors add up at most. The velocity's own (two of them at the midpoint) moves
    // the origin; cells differ by omega h, the speed reaches 0.75.
    let speed = 2.0 * carry.rounding(omega * grid.h, 0.75);
    let bar = steps as f64 * (carry.rounding(step, 1.0) + 2.0 * speed * carry.dt() / grid.h * step);
    let what = format!("rotation, backtrace of order {trace}, {steps} steps on 48x40");
    within(&what, error, bar, "rounding of 40 interpolations and of the velocity's");
}

#[test]
fn rotation_is_that_of_f64() {
    rotation(1);
    rotation(2);
}

/// Four steps of either method in a constant periodic flow against f64. A step of MacCormack may double an error
/// (half of what it went forward and back with), the limiter does not add to it.
fn constant_flow(grid: Grid, method: &str, limiter: u32) {
    // 1.3, 0.65 and -0.39 cells a step: no origin near a cell's centre, where the limiter's cells would change.
    let carry = Carry { method, limiter, ..Carry::new(grid, grid.n[0] as f64 / 1.3, [1.0, 0.5, -0.3]) };
    // A bump with grit, so that the limiter has something to do.
    let bump = grid.fill(bump([0.3, 0.4, if grid.dim == 3 { 0.6 } else { 0.0 }]));
    let start: Vec<f32> = f32s(&bump).iter().zip(random(grid.cell_count(), 4)).map(|(a, b)| a + 0.1 * b).collect();
    let mut expected = f64s(&start);
    let flow = Flow { velocity: &|_| carry.flow, order: 1 };
    let (mut bar, mut limited) = (0.0, 0.0f64);
    for _ in 0..4 {
        let once = carry.rounding(steepest(&grid, &expected), max_abs(&expected));
        let [free, kept] = [false, true].map(|limit| maccormack(&grid, &expected, carry.dt(), &flow, limit));
        limited = limited.max(max_abs(&difference(&free, &kept)));
        (bar, expected) = match (method, limiter) {
            (PLAIN, _) => (bar + once, advect(&grid, &expected, carry.dt(), &flow)),
            (_, 0) => (2.0 * (bar + once) + 3.0 * U, free),
            _ => (2.0 * (bar + once) + 3.0 * U, kept),
        };
    }
    let error = max_abs(&difference(&carry.run(&start, 4), &expected));
    assert!(limited > 10.0 * bar, "the limiter acts");
    let what = format!("{method}, limiter {limiter}, 4 steps on {}", grid.resolution());
    within(&what, error, bar, "rounding of 4 steps");
}

#[test]
fn advection_and_correction_are_those_of_f64() {
    for (method, limiter) in [(PLAIN, 0), (CORRECTED, 0), (CORRECTED, 1)] {
        constant_flow(Grid::new(&[45, 45], 1.0, EdgeRule::Wrap), method, limiter);
        constant_flow(Grid::new(&[18, 18, 18], 1.0, EdgeRule::Wrap), method, limiter);
    }
}

/// Mean error against the exact solution after the bump has moved by (0.40625, 0.203125).
fn mean_error(n: usize, method: &str, limiter: u32) -> f64 {
    let grid = Grid::new(&[n, n], 1.0, EdgeRule::Wrap);
    let steps = 10 * n / 32;
    let carry = Carry { method, limiter, ..Carry::new(grid, n as f64 / 1.3, [1.0, 0.5, 0.0]) };
    let carried = carry.run(&f32s(&grid.fill(bump([0.3, 0.4, 0.0]))), steps);
    let exact = grid.fill(bump([0.3 + 0.40625, 0.4 + 0.203125, 0.0]));
    mean(&difference(&carried, &exact).iter().map(|e| e.abs()).collect::<Vec<_>>())
}

#[test]
fn advection_is_of_first_order_and_the_correction_makes_it_second() {
    for (name, method, limiter, expected) in [
        ("advect", PLAIN, 0, 1.0),
        ("advect + maccormack_correct without limiter", CORRECTED, 0, 2.0),
        ("advect + maccormack_correct", CORRECTED, 1, 2.0),
    ] {
        let errors = [32, 64, 128].map(|n| mean_error(n, method, limiter));
        println!("{name}: mean errors {:.2e}, {:.2e}, {:.2e} on 32, 64, 128 cells", errors[0], errors[1], errors[2]);
        has_order(&format!("{name}, 32 to 64"), order(errors[0], errors[1]), expected);
        has_order(&format!("{name}, 64 to 128"), order(errors[1], errors[2]), expected);
    }
}

#[test]
fn every_component_is_carried_like_a_number() {
    let grid = Grid::new(&[30, 22], 1.0, EdgeRule::Wrap);
    let q = f32s(&grid.fill(bump([0.3, 0.4, 0.0])));
    for (method, limiter) in [(PLAIN, 0), (CORRECTED, 1)] {
        let carry = |ty| Carry { method, limiter, ty, ..Carry::new(grid, 30.0 / 1.3, [1.0, 0.5, 0.0]) };
        let alone = carry("f32").run(&q, 4);
        // Powers of two scale every rounding along.
        for (ty, scales) in [("Vec", &[1.0f32, -2.0] as &[f32]), ("vec4f", &[1.0, -2.0, 0.5, 4.0])] {
            let together: Vec<f32> = q.iter().flat_map(|v| scales.iter().map(move |s| s * v)).collect();
            let carried = carry(ty).run(&together, 4);
            let expected: Vec<f64> = alone.iter().flat_map(|v| scales.iter().map(move |s| f64::from(*s) * v)).collect();
            let bar = 2.0 * 4.0 * 15.0 * carry("f32").rounding(steepest(&grid, &f64s(&q)), 1.0);
            let what = format!("{method} of Grid<{ty}> against Grid<f32>");
            within(&what, max_abs(&difference(&carried, &expected)), bar, "rounding of 4 steps, twice, times 4");
        }
    }
}
