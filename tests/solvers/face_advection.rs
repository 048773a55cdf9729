//! What a flow on faces carries: MacCormack and cubic lookups and fluxes against exact paths, and what the limiters let through.

use std::f64::consts::TAU;

use stagewright_solver_support::harness::*;

const CARRY: &str = r#"
    "domain": (domain: (resolution: ($n, $n), width: 1, edge: "wrap")),
    "u": (state: "FaceGrid"),
    "q": (state: "FaceGrid", inputs: {"next": "carry.result"}),
    "carry": (stage: "staggered/$stage", inputs: {"field": "q", "velocity": "u"}, params: {$params}),
"#;

type Flow = fn([f64; 2]) -> [f64; 2];

/// Values on the faces of n x n periodic cells over 1 m, as they lie in memory.
pub fn on_faces(n: usize, flow: impl Fn([f64; 2]) -> [f64; 2]) -> Vec<f32> {
    let (side, h) = (n + 1, 1.0 / n as f64);
    let at = |i: usize, offset: [f64; 2]| {
        flow([(i % side % n) as f64 + offset[0], (i / side % n) as f64 + offset[1]].map(|c| c * h))
    };
    (0..side * side).flat_map(|i| [at(i, [0.0, 0.5])[0] as f32, at(i, [0.5, 0.0])[1] as f32]).collect()
}

/// The faces of a periodic box that are there once.
pub fn once(n: usize, values: &[f64]) -> Vec<f64> {
    (0..n * n).flat_map(|i| [0, 1].map(|axis| values[2 * (i / n * (n + 1) + i % n) + axis])).collect()
}

fn carried(n: usize, stage: &str, params: &str, flow: Flow, field: Flow, frames: usize) -> Vec<f64> {
    let values = [("$n", n.to_string()), ("$stage", stage.into()), ("$params", params.into())];
    let mut sim = start(n as f64, CARRY, &pairs(&values));
    once(n, &run(&mut sim, &[("u", &on_faces(n, flow)), ("q", &on_faces(n, field))], frames, "q"))
}

fn cells(at: [f64; 2]) -> [f64; 2] {
    let [x, y] = at.map(|x| TAU * x);
    [0.8 * x.sin() * y.cos() + 0.3, -0.8 * x.cos() * y.sin()]
}

fn waves(at: [f64; 2]) -> [f64; 2] {
    let [x, y] = at.map(|x| TAU * x);
    [(x + 2.0 * y).sin(), x.cos() * y.cos()]
}

/// Where the flow now at a place was, by Runge and Kutta's method of fourth order in steps of 1/400 s.
fn origin(mut at: [f64; 2], time: f64) -> [f64; 2] {
    let dt = -time / (400.0 * time).round();
    for _ in 0..(400.0 * time).round() as usize {
        let step = |k: [f64; 2], part: f64| [at[0] + part * dt * k[0], at[1] + part * dt * k[1]];
        let a = cells(at);
        let b = cells(step(a, 0.5));
        let c = cells(step(b, 0.5));
        let d = cells(step(c, 1.0));
        at = [0, 1].map(|i| at[i] + dt / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    at
}

/// Root mean square of what a quarter of a second in steps of 1/n s leaves on 32 and on 64 cells.
fn errors(stage: &str, params: &str) -> [f64; 2] {
    [32usize, 64].map(|n| {
        let exact = once(n, &f64s(&on_faces(n, |at| waves(origin(at, 0.25)))));
        rms(&difference(&carried(n, stage, params, cells, waves, n / 4), &exact))
    })
}

#[test]
fn maccormack_and_cubics_are_of_second_order_and_lines_of_first() {
    let [line, line_fine] = errors("advect", "");
    let [mac, mac_fine] = errors("advect_maccormack", "");
    let [cubic, cubic_fine] = errors("advect_cubic", "");
    println!("64 cells: lines {line_fine:.1e}, MacCormack {mac_fine:.1e}, cubics {cubic_fine:.1e}");
    has_order("lines", order(line, line_fine), 1.0);
    has_order("MacCormack", order(mac, mac_fine), 2.0);
    // The paths alone are of second order; the cubics by themselves are of third, and lead as long as steps are many.
    let measured = order(cubic, cubic_fine);
    println!("cubics: order {measured:.3}");
    assert!(measured > 1.8, "cubics: order {measured}");
    assert!(mac_fine < 0.2 * line_fine && cubic_fine < 0.2 * line_fine, "what the order buys");
}

/// Half of a step at a time, since fluxes need Courant numbers below 1.
fn in_fluxes(n: usize) -> Vec<f64> {
    carried(n, "advect_flux", r#""step": 0.5"#, cells, waves, n / 2)
}

#[test]
fn fluxes_are_of_second_order_and_keep_momentum() {
    let [coarse, fine] = [32usize, 64].map(|n| {
        let exact = once(n, &f64s(&on_faces(n, |at| waves(origin(at, 0.25)))));
        rms(&difference(&in_fluxes(n), &exact))
    });
    println!("64 cells: fluxes {fine:.1e}");
    has_order("fluxes", order(coarse, fine), 2.0);
    let (before, after) = (once(32, &f64s(&on_faces(32, waves))), in_fluxes(32));
    for axis in 0..2 {
        let sum = |q: &[f64]| q.iter().skip(axis).step_by(2).sum::<f64>() / (32.0 * 32.0);
        // A difference of two momenta along each axis, in three stages of 16 steps.
        let bar = 16.0 * 3.0 * 8.0 * U;
        within(&format!("mean along {axis}"), sum(&after) - sum(&before), bar, "roundings, all of one sign");
    }
}

#[test]
fn a_frame_too_long_for_fluxes_is_reported_and_stays_stable() {
    for (speed, warns) in [(0.4, false), (40.0, true)] {
        let stage = CARRY.replace("$params", r#""step": 0.5"#);
        let mut sim = start(16.0, &stage, &[("$n", "16"), ("$stage", "advect_flux")]);
        let flow = |at: [f64; 2]| cells(at).map(|u| speed * u);
        let q = run(&mut sim, &[("u", &on_faces(16, flow)), ("q", &on_faces(16, waves))], 100, "q");
        let warned = sim.warnings(true).to_string();
        assert_eq!(warned.contains("Part of a cell"), warns, "{speed} m/s: {warned}");
        println!("{speed} m/s: at most {:.2} of 1 at first", max_abs(&q));
        assert!(max_abs(&q) < 2.0, "{speed} m/s: at most {}", max_abs(&q));
    }
}

#[test]
fn what_is_smooth_passes_the_limiter_and_a_crest_keeps_its_height() {
    for stage in ["advect_maccormack", "advect_cubic"] {
        let free = carried(32, stage, r#""limiter": 0"#, |_| [0.37, 0.21], cells, 8);
        let apart = |limiter: &str| rms(&difference(&carried(32, stage, limiter, |_| [0.37, 0.21], cells, 8), &free));
        let [smooth, strict] = [r#""limiter": 1"#, r#""limiter": 2"#].map(apart);
        println!("{stage}: the limiters change {smooth:.1e} and {strict:.1e}");
        assert!(strict > 1e-4, "a strict limiter cuts crests: {strict}");
        within(&format!("{stage}, a wave of 32 cells"), smooth, 0.1 * strict, "a tenth of what a strict one cuts");
    }
}

fn steps(at: [f64; 2]) -> [f64; 2] {
    let inside = (at[0] - 0.5).abs() < 0.2 && (at[1] - 0.5).abs() < 0.2;
    [f64::from(u8::from(inside)); 2]
}

#[test]
fn a_step_does_not_ring() {
    for stage in ["advect_maccormack", "advect_cubic"] {
        let beyond = |limiter: &str| {
            let q = carried(32, stage, limiter, |_| [0.37, 0.21], steps, 20);
            q.iter().fold(0.0f64, |worst, q| worst.max(-q).max(q - 1.0))
        };
        let [free, smooth, strict] = [r#""limiter": 0"#, r#""limiter": 1"#, r#""limiter": 2"#].map(beyond);
        println!(
            "{stage}: beyond the step by {free:.4} without a limiter, {smooth:.1e} with it, {strict:.1e} if strict"
        );
        assert!(free > 0.05, "{stage}: without a limiter it rings: {free}");
        for (limiter, beyond) in [("smooth", smooth), ("strict", strict)] {
            within(&format!("{stage}, {limiter}"), beyond, 4.0 * 20.0 * U, "roundings");
        }
    }
}

#[test]
fn a_flow_that_carries_itself_needs_no_second_wire() {
    for stage in ["advect", "advect_maccormack", "advect_cubic"] {
        let nodes = CARRY.replace(r#""field": "q", "#, "");
        let values = [("$n", "16".to_string()), ("$stage", stage.into()), ("$params", String::new())];
        let flow = on_faces(16, cells);
        let alone = once(16, &run(&mut start(16.0, &nodes, &pairs(&values)), &[("u", &flow)], 1, "q"));
        assert_eq!(alone, carried(16, stage, "", cells, cells, 1), "{stage}");
    }
}

/// In a flow that turns as a solid, lookups on lines are exact, so what carries the coordinates says where each path back ends: after one
/// step of Euler's, or by the midpoint rule.
#[test]
fn an_order_is_the_path_back() {
    let turning: Flow = |[x, y]| [2.0 * (0.5 - y), 2.0 * (x - 0.5)];
    let dt = 1.0 / 16.0;
    let back = |at: [f64; 2], along: [f64; 2], part: f64| [0, 1].map(|i| at[i] - part * dt * along[i]);
    let ends: [&dyn Fn([f64; 2]) -> [f64; 2]; 2] =
        [&|at| back(at, turning(at), 1.0), &|at| back(at, turning(back(at, turning(at), 0.5)), 1.0)];
    let inner = |i: &usize| (4..12).contains(&(i / 2 % 16)) && (4..12).contains(&(i / 2 / 16));
    for (order, end) in [1, 2].into_iter().zip(ends) {
        let found = carried(16, "advect", &format!("\"order\": {order}"), turning, |at| at, 1);
        let exact = once(16, &f64s(&on_faces(16, end)));
        let errors: Vec<f64> = (0..found.len()).filter(inner).map(|i| found[i] - exact[i]).collect();
        // Places are rounded, and values that are interpolated from four, each below 1; the orders are up to 0.002 m apart.
        within(&format!("order {order}: where paths end [m]"), max_abs(&errors), 32.0 * U, "rounding of places");
    }
}
