//! Collapse of a water column, twice as high as wide, against the experiment of Koshizuka and Oka 1996.

use stagewright_solver_support::harness::*;

use super::sets::*;

/// A column 1 m wide and 2 m high, 20 particles wide, in a box 4.5 m long. The speed of sound, 60 m/s, is ten times the front's.
/// Without friction at the walls the front is as close to the experiment only 0.13 later.
const COLUMN: &str = r##"
    "domain": (domain: (resolution: (36, 20), width: 4.5, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32$kept}", capacity: 1000, inputs: {"init": "begin.particles", "next": "substep.particles"}),
    "begin": (stage: "particles/fill_box", params: {"center": (0.5, 1), "size": (1, 2), "spacing": 0.05}),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"volume": 2, "smoothing_radius": 0.125, "substeps": 40}),
    "substep": (stage: "sph/$group", on: "domain", inputs: {$dt"mass": "coefficients.mass", "particles": "set.value", "radius": "coefficients.radius"},
        params: {"rest_density": 1000, "viscosity": $viscosity, "wall_viscosity": 5, $params"particle_radius": 0.025}, iterations: $substeps),
"##;

/// Front over time, both without dimension: T = t sqrt(2 g / a), Z = x / a.
fn table(series: &str) -> Vec<(f64, f64)> {
    let rows = include_str!("../reference/dambreak_front.csv").lines().map(|line| line.split(',').collect::<Vec<_>>());
    let number = |text: &str| text.parse::<f64>().unwrap();
    rows.filter(|row| row[0] == series).map(|row| (number(row[1]), number(row[2]))).collect()
}

/// Linear between the frames; the first before them.
fn front_at(track: &[(f64, f64)], t: f64) -> f64 {
    let next = track.iter().position(|(time, _)| *time > t).unwrap_or(track.len() - 1).max(1);
    let ((t0, z0), (t1, z1)) = (track[next - 1], track[next]);
    z0 + (z1 - z0) * ((t - t0) / (t1 - t0)).clamp(0.0, 1.0)
}

/// The front after each frame, both without dimension, and the substeps of all frames. `substeps`: 1 where a group chooses them.
pub fn front(group: &str, params: &str, kept: &str, substeps: usize) -> (Vec<(f64, f64)>, u32) {
    let dense = group.contains("dfsph");
    let (sound, viscosity) = if dense { ("", "20") } else { (r#""stiffness": 3600, "#, "75") };
    let params = [sound, params].concat();
    let count = substeps.to_string();
    let dt = if substeps == 1 { "" } else { r#""dt": "coefficients.dt", "# };
    let values = [
        ("$group", group),
        ("$params", &*params),
        ("$kept", kept),
        ("$substeps", &*count),
        ("$viscosity", viscosity),
        ("$dt", dt),
    ];
    let mut sim = start_fused(60.0, COLUMN, &values, &["substep/loop.repeats"]);
    let unit = (2.0 * 9.81f64).sqrt();
    let (mut track, mut substep_count) = (vec![(0.0, 1.0)], 0);
    for _ in 0..48 {
        step(&mut sim, 1);
        let mut along: Vec<f64> = vectors(&sim, "set.value", "position", 2).iter().map(|p| p[0]).collect();
        assert_eq!(along.len(), 800);
        along.sort_by(f64::total_cmp);
        // The third from the front, so that a drop that jumps ahead is not taken for the flow.
        track.push((sim.time() * unit, along[along.len() - 3]));
        substep_count += if substeps == 1 { words(&sim, "substep/loop.repeats")[0] } else { substeps as u32 };
    }
    println!("{}", sim.warnings(true));
    (track, substep_count)
}

/// Checks a front against the experiment, which may have begun a little earlier or later.
pub fn against_experiment(track: &[(f64, f64)]) {
    let worst = |series: &str, shift: f64| {
        let errors = table(series).iter().map(|(t, z)| front_at(track, t - shift) - z).collect::<Vec<_>>();
        max_abs(&errors)
    };
    for (t, z) in table("koshizuka_oka_exp") {
        println!("T {t:.3}: experiment {z:.3}, here {:.3}", front_at(track, t));
    }
    println!("against their simulation (MPS), unshifted: {:.3}", worst("koshizuka_oka_mps", 0.0));
    let shifts = (-30..=30).map(|s| f64::from(s) * 0.01);
    let (error, shift) = shifts.map(|s| (worst("koshizuka_oka_exp", s), s)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    within(
        &format!("front Z, shifted by T = {shift:.2}"),
        error,
        0.2,
        "four times the digitising error of the points, with a shift of at most 0.3",
    );
}

#[test]
fn the_front_of_a_dam_break_runs_as_in_the_experiment() {
    against_experiment(&front("substep", "", "", 40).0);
}
