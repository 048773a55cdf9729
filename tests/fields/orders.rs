//! Particles in flows that are known: the order of the step's rule.

use std::f64::consts::TAU;

use stagewright_solver_support::field_samples::{Point, less, norm};
use stagewright_solver_support::harness::*;

const WHEEL: &str = r#"
    "space": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "wheel": (stage: "shape/rigid_velocity", on: "space", params: {"center": (0.5, 0.5, 0.5), "angular": (0, 0, 6.2831853)}),
    "start": (stage: "particles/emit_box", on: "space", params: {"center": (0.75, 0.5, 0.5), "size": (0, 0, 0), "amount": 1}),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 1, on: "space",
            inputs: {"init": "start.particles", "next": "advect.particles"}),
    "advect": (stage: "particles/advect", inputs: {"velocity": "wheel.velocity", "particles": "set.value"}, params: {"order": $order}),
"#;

/// Where the particle is after a turn in so many steps.
fn after_a_turn(dim: usize, order: u32, steps: usize) -> Point {
    let cells = if dim == 3 { "8, 8, 8" } else { "8, 8" };
    let mut sim = start(steps as f64, WHEEL, &[("$cells", cells), ("$order", &order.to_string())]);
    step(&mut sim, steps);
    let place = read(&sim, "set.value.position");
    assert_eq!(place.len(), dim, "one particle");
    std::array::from_fn(|a| place.get(a).copied().unwrap_or(0.0))
}

/// One step of order P on du/dt = i w u is off by (w dt)^(P + 1) / (P + 1)!, a turn by 2 pi (w dt)^P / (P + 1)!.
#[test]
fn particles_follow_a_wheel_with_the_order_of_their_rule() {
    for dim in [2, 3] {
        let home = if dim == 3 { [0.75, 0.5, 0.5] } else { [0.75, 0.5, 0.0] };
        for (rule, order_expected, steps, factorial) in [(1, 1.0, 512, 2.0), (2, 2.0, 64, 6.0), (4, 4.0, 12, 120.0)] {
            let errors = [steps, 2 * steps].map(|n| norm(less(after_a_turn(dim, rule, n), home)));
            let theory = 0.25 * TAU * (TAU / steps as f64).powi(rule as i32) / factorial;
            println!("{dim}D, rule {rule}: off by {:.3e} and {:.3e} m, theory {theory:.3e} m", errors[0], errors[1]);
            has_order("  particles/advect", order(errors[0], errors[1]), order_expected);
            within("  against the theory", (errors[0] / theory - 1.0).abs(), 0.15, "next order of the step");
        }
    }
}
