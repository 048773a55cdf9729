//! Viscosity that differs between two fluids: rigid turns, waves that decay, layers that flow over each other.

use std::f64::consts::TAU;

use stagewright_solver_support::harness::*;

const STRESS: &str = r#"
    "domain": (domain: (resolution: ($n, $n), width: 1, edge: "wrap")),
    "fractions": (state: "Grid<vec2f>", on: "domain"), "open": (state: "Grid<f32>", on: "domain", params: {"value": 1}),
    "u": (state: "FaceGrid", on: "domain", inputs: {"next": "stress.velocity"}),
    "push": (state: "Grid<Vec>", on: "domain", params: {"value": ($push, 0)}),
    "mass": (stage: "two_phase/masses", inputs: {"fractions": "fractions", "open": "open"}, params: {"density_f": $rho, "density_g": 1}),
    "forces": (stage: "staggered/accelerate", inputs: {"velocity": "u", "acceleration": "push", "open": "open"}),
    "stress": (stage: "two_phase/viscous_stress", inputs: {"open": "open", "shares": "mass.shares", "velocity": "forces", "weight": "mass.weight"}, params: {"viscosity_f": $mu, "viscosity_g": 0.01, "sweeps": $sweeps}),
"#;

struct Case {
    n: usize,
    fps: f64,
    rho: f64,
    mu: f64,
    push: f64,
    sweeps: usize,
}

impl Case {
    /// The flow after some frames, without the layer beyond.
    fn run(&self, fractions: &[f64], open: &[f64], u: impl Fn([f64; 2]) -> [f64; 2], frames: usize) -> Vec<f64> {
        let n = self.n;
        let values = [
            ("$n", n.to_string()),
            ("$rho", self.rho.to_string()),
            ("$mu", self.mu.to_string()),
            ("$push", self.push.to_string()),
            ("$sweeps", self.sweeps.to_string()),
        ];
        let mut sim = start(self.fps, STRESS, &pairs(&values));
        let faces = f32s(&faces(n, n + 1, u));
        let after =
            run(&mut sim, &[("fractions", &f32s(fractions)), ("open", &f32s(open)), ("u", &faces)], frames, "u");
        (0..n * n).flat_map(|i| [0, 1].map(|a| after[2 * (i / n * (n + 1) + i % n) + a])).collect()
    }
}

/// A flow's components on the lower faces of n cells over 1 m, in rows of so many.
fn faces(n: usize, row: usize, of: impl Fn([f64; 2]) -> [f64; 2]) -> Vec<f64> {
    let h = 1.0 / n as f64;
    let both = |[x, y]: [f64; 2]| [of([x, y + 0.5 * h])[0], of([x + 0.5 * h, y])[1]];
    (0..row * row).flat_map(|i| both([(i % row) as f64 * h, (i / row) as f64 * h])).collect()
}

#[test]
fn fluids_that_turn_as_one_feel_no_friction() {
    let case = Case { n: 32, fps: 10.0, rho: 100.0, mu: 10.0, push: 0.0, sweeps: 1 };
    let n = case.n;
    let f = super::curvature::disc(n, [16.3, 15.6], 7.0);
    let fractions: Vec<f64> = f.iter().flat_map(|f| [*f, 1.0 - f]).collect();
    let turn = |[x, y]: [f64; 2]| [0.5 - y, x - 0.5];
    let after = case.run(&fractions, &vec![1.0; n * n], turn, 1);
    let off = difference(&after, &faces(n, n, turn));
    let inner = |i: usize| [i / 2 % n, i / 2 / n].iter().all(|c| (2..n - 2).contains(c));
    let worst = (0..off.len()).filter(|i| inner(*i)).map(|i| off[i].abs()).fold(0.0, f64::max);
    // Before it is divided by 1 + a total, a sum of ten products is a total times the flow.
    within("change of a turning flow", worst, 20.0 * U, "roundings of a sum of ten, over its weights");
}

#[test]
fn whirls_of_one_fluid_decay_as_they_should() {
    let case = Case { n: 16, fps: 10.0, rho: 1.0, mu: 0.01, push: 0.0, sweeps: 30 };
    let (n, frames) = (case.n, 20);
    let whirls = |[x, y]: [f64; 2]| [(TAU * x).cos() * (TAU * y).sin(), -(TAU * x).sin() * (TAU * y).cos()];
    let fractions = [0.0, 1.0].repeat(n * n);
    let after = case.run(&fractions, &vec![1.0; n * n], whirls, frames);
    let a = case.mu / case.fps * (n * n) as f64;
    let decay = (1.0 + 8.0 * a * (0.5 * TAU / n as f64).sin().powi(2)).powi(-(frames as i32));
    let exact: Vec<f64> = faces(n, n, whirls).iter().map(|u| decay * u).collect();
    println!(
        "a = {a:.2}, the whirls keep {decay:.3}; exp(-2 nu k^2 t) is {:.3}",
        (-2.0 * case.mu * TAU * TAU * frames as f64 / case.fps).exp()
    );
    within("backward Euler", max_abs(&difference(&after, &exact)), 1e-5, "thirty sweeps solve a step to 10^-6");
}

/// Two layers of a channel, the lower four times as viscous, pushed by g: mu u'' = -rho g, u and mu u' continuous.
fn layers(n: usize) -> f64 {
    let mu = [0.04, 0.01];
    let push = 1.0;
    let height = (n - 2) as f64 / n as f64;
    let case = Case { n, fps: 0.1 * (n * n) as f64, rho: 1.0, mu: mu[0], push, sweeps: 12 };
    // The first and the last row are walls, the interface lies in the middle.
    let row = |i: usize| i / n;
    let open: Vec<f64> = (0..n * n).map(|i| f64::from(u8::from(row(i) != 0 && row(i) != n - 1))).collect();
    let fractions: Vec<f64> =
        (0..n * n).flat_map(|i| if row(i) < n / 2 { [open[i], 0.0] } else { [0.0, open[i]] }).collect();
    // u = (s y - g y^2 / 2) / mu from either wall, s the stress there.
    let d = 0.5 * height;
    let ratio = (mu[0] - mu[1]) / (mu[0] + mu[1]);
    let side = |k: usize| {
        let s = push * d * (1.0 + if k == 0 { 0.5 } else { -0.5 } * ratio);
        move |y: f64| (s * y - 0.5 * push * y * y) / mu[k]
    };
    let exact = |y: f64| {
        let y = y - 1.0 / n as f64;
        if y < d { side(0)(y) } else { side(1)(height - y) }
    };
    let after = case.run(&fractions, &open, |[_, y]| [0.8 * exact(y), 0.0], 4 * n * n);
    let profile: Vec<f64> = (1..n - 1).map(|y| after[2 * (y * n + n / 2)]).collect();
    let expected: Vec<f64> = (1..n - 1).map(|y| exact((y as f64 + 0.5) / n as f64)).collect();
    max_abs(&difference(&profile, &expected)) / max_abs(&expected)
}

#[test]
fn layers_of_two_viscosities_flow_over_each_other() {
    let errors = [10usize, 18].map(layers);
    println!(
        "layers of four times the viscosity, 8 and 16 cells high: off by {:.1e} {:.1e} of the largest speed",
        errors[0], errors[1]
    );
    within("16 cells", errors[1], 0.01, "asked for");
    has_order("two layers", order(errors[0], errors[1]), 2.0);
}
