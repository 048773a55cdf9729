//! The Taylor-Green vortex: whole solvers against the exact solution of Navier and Stokes in a periodic box,
//! u = -cos(2 pi x) sin(2 pi y) F, v = sin(2 pi x) cos(2 pi y) F, F = exp(-8 pi^2 nu t), mean kinetic energy F^2 / 4.

use std::f64::consts::{PI, TAU};

use stagewright_solver_support::harness::*;

const N: usize = 128;
const VISCOSITY: f64 = 0.01;
/// Mean kinetic energy after a second.
const EXACT: f64 = 0.05153825;

const DOMAIN: &str = r#"
    "domain": (domain: (resolution: (128, 128), width: 1, edge: "wrap")),
    "u": (state: "Grid<Vec>", inputs: {"next": "$last.velocity"}),
"#;

/// Advection, diffusion and projection of one step; `$n` is its number, `$field` what is carried and `$flow` along
/// what. At 1/100 s a sweep of the diffusion leaves 75 % of an error and thirty leave 2e-4 of a step's.
const STEP: &str = r#"
    "p$n": (state: "Grid<f32>", inputs: {"next": "pressure$n.pressure"}),
    "plain$n": (stage: "fluid/advect", inputs: {"field": "$field", "velocity": "$flow"}, params: {"order": 2}),
    "corrected$n": (stage: "fluid/maccormack_correct", params: {"order": 2},
                    inputs: {"field": "$field", "forward": "plain$n.result", "velocity": "$flow"}),
    "diffuse$n": (stage: "fluid/diffuse", inputs: {"before": "$method$n.result", "field": "$method$n.result"},
                  params: {"diffusivity": 0.01}, iterations: 30),
    "divergence$n": (stage: "fluid/divergence", inputs: {"velocity": "diffuse$n.field"}),
    "pressure$n": (stage: "fluid/pressure_sor", iterations: 20,
                   inputs: {"divergence": "divergence$n.divergence", "pressure": "p$n.value"}),
    "project$n": (stage: "fluid/project", inputs: {"pressure": "pressure$n.pressure", "velocity": "diffuse$n.field"}),
"#;

/// Beyond the projected flow by as much again.
const REFLECT: &str = r#"
    "reflect": (stage: "fluid/project", inputs: {"pressure": "pressure1.pressure", "velocity": "project1.velocity"}),
"#;

fn step_of(n: &str, method: &str, field: &str, flow: &str) -> String {
    STEP.replace("$n", n).replace("$method", method).replace("$field", field).replace("$flow", flow)
}

/// Stam 1999: carry, diffuse, project, once a frame.
fn stable_fluids(method: &str) -> String {
    [DOMAIN.replace("$last", "project1"), step_of("1", method, "u.value", "u.value")].concat()
}

/// Zehnder, Narain and Thomaszewski 2018, An Advection-Reflection Solver: two steps a frame with a reflection in
/// between, which makes the splitting of advection and pressure second-order.
fn advection_reflection(method: &str) -> String {
    let first = step_of("1", method, "u.value", "u.value");
    let second = step_of("2", method, "reflect.velocity", "project1.velocity");
    [DOMAIN.replace("$last", "project2"), first, REFLECT.into(), second].concat()
}

fn vortex() -> Vec<f32> {
    let at = |i: usize| TAU * (i as f64 + 0.5) / N as f64;
    let flow = |(x, y): (f64, f64)| [-(x.cos() * y.sin()), x.sin() * y.cos()];
    (0..N * N).flat_map(|i| flow((at(i % N), at(i / N)))).map(|v| v as f32).collect()
}

/// Mean kinetic energy after so many steps of dt [s], relative to the exact one.
fn energy_error(nodes: &str, steps_a_second: usize, frames: usize) -> f64 {
    let u = run(&mut start(steps_a_second as f64, nodes, &[]), &[("u", &vortex())], frames, "u");
    u.iter().map(|v| v * v).sum::<f64>() / (N * N) as f64 / 2.0 / EXACT - 1.0
}

/// Backward Euler's own error: 1 / (1 + k dt) a step for exp(-k dt), k = 8 pi^2 nu, and twice that for the energy. It
/// is k^2 dt = 0.62 dt, so 1/200 s spends 0.3 % of the 1 % on it.
fn backward_euler(steps: usize) -> f64 {
    let rate = 8.0 * PI * PI * VISCOSITY;
    ((1.0 + rate / steps as f64).powf(steps as f64).recip() / (-rate).exp()).powi(2) - 1.0
}

#[test]
fn taylor_green_keeps_its_energy_to_one_percent() {
    let corrected = energy_error(&advection_reflection("corrected"), 200, 100);
    let plain = energy_error(&advection_reflection("plain"), 200, 100);
    println!(
        "after 1 s in 200 steps: MacCormack {:+.3} %, plain semi-Lagrangian {:+.3} %, backward Euler alone {:+.3} %",
        100.0 * corrected,
        100.0 * plain,
        100.0 * backward_euler(200)
    );
    within("kinetic energy", corrected.abs(), 0.01, "the reference's 1 %");
    // A linear lookup smooths like a viscosity of h |u| (1 - c) / 2, c the Courant number. With |u| = 0.4 and c =
    // 0.26 on average that is a tenth of nu, which takes about a tenth of the 1.58 that the energy's logarithm falls
    // in a second.
    assert!(plain < -0.05, "without the correction the lookups cost a tenth of the energy, not {plain}");
}

/// What splitting costs: carried along itself, the flow loses dt/2 |grad p|^2 a second that pressure does not give
/// back. Here that is a = 8 pi^2 dt times E^2, so the energy falls behind by 1 / (1 + a times the integral of E), 1 /
/// (1 + 9.92 dt).
fn splitting(steps: usize) -> f64 {
    let decay = 16.0 * PI * PI * VISCOSITY;
    let integral = 0.25 * (1.0 - (-decay).exp()) / decay;
    1.0 / (1.0 + 8.0 * PI * PI / steps as f64 * integral) - 1.0
}

#[test]
fn carrying_then_projecting_loses_energy_with_the_first_order_of_the_step() {
    let [coarse, fine] = [100, 200].map(|steps| {
        let error = energy_error(&stable_fluids("corrected"), steps, steps);
        let theory = splitting(steps) + backward_euler(steps);
        println!("{steps} steps: {:+.3} %, theory {:+.3} %", 100.0 * error, 100.0 * theory);
        // Both are first-order; what they leave is of second order, (9.3 dt)^2 / 2.
        within(
            "  against the theory",
            (error - theory).abs(),
            (9.3 / steps as f64).powi(2) / 2.0,
            "second order in dt",
        );
        error
    });
    has_order("energy of advect, diffuse, project", order(coarse, fine), 1.0);
    within("extrapolated to dt = 0", (2.0 * fine - coarse).abs(), 0.01, "the reference's 1 %");
}
