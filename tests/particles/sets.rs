//! Particles in and out of a simulation, and what statistics says of them.

use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::{mean, read, words};

/// How many particles a wire (`node.port`) has.
pub fn live(sim: &Simulation, wire: &str) -> usize {
    words(sim, &format!("{wire}.count"))[0] as usize
}

/// A scalar attribute of the living.
pub fn scalars(sim: &Simulation, wire: &str, name: &str) -> Vec<f64> {
    let mut values = read(sim, &format!("{wire}.{name}"));
    values.truncate(live(sim, wire));
    values
}

/// A whole-number attribute of the living.
pub fn wholes(sim: &Simulation, wire: &str, name: &str) -> Vec<u32> {
    let mut values = words(sim, &format!("{wire}.{name}"));
    values.truncate(live(sim, wire));
    values
}

/// A vector attribute of the living; z is zero in 2D.
pub fn vectors(sim: &Simulation, wire: &str, name: &str, dim: usize) -> Vec<[f64; 3]> {
    let mut vectors = vectors_of(&read(sim, &format!("{wire}.{name}")), dim);
    vectors.truncate(live(sim, wire));
    vectors
}

pub fn vectors_of(values: &[f64], dim: usize) -> Vec<[f64; 3]> {
    values.chunks(dim).map(|v| std::array::from_fn(|a| if a < dim { v[a] } else { 0.0 })).collect()
}

/// Puts these positions and velocities into a State, numbered in order.
pub fn place(sim: &mut Simulation, state: &str, positions: &[f32], velocities: &[f32], dim: usize) {
    let count = positions.len() / dim;
    let ids: Vec<u32> = (0..count as u32).collect();
    sim.write(&format!("{state}.position"), positions).unwrap_or_else(|e| panic!("{e}"));
    if !velocities.is_empty() {
        sim.write(&format!("{state}.velocity"), velocities).unwrap_or_else(|e| panic!("{e}"));
    }
    sim.write_words(&format!("{state}.id"), &ids).unwrap_or_else(|e| panic!("{e}"));
    sim.set_count(state, count as u32).unwrap_or_else(|e| panic!("{e}"));
}

pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

pub fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

/// b - a
pub fn apart(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| b[i] - a[i])
}

/// a + t b
pub fn plus(a: [f64; 3], t: f64, b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] + t * b[i])
}

/// Asserts by chi-square that values in 0..1 are uniform. For k bins the statistic has mean k - 1 and variance 2 (k - 1); six
/// standard deviations leave a fair generator a chance below one in a million.
#[track_caller]
pub fn assert_uniform(what: &str, values: &[f64], bins: usize) {
    let mut counts = vec![0u32; bins];
    for value in values {
        assert!((0.0..=1.0).contains(value), "{what}: {value} lies outside");
        counts[((value * bins as f64) as usize).min(bins - 1)] += 1;
    }
    let expected = values.len() as f64 / bins as f64;
    let statistic: f64 = counts.iter().map(|n| (f64::from(*n) - expected).powi(2) / expected).sum();
    let freedom = bins as f64 - 1.0;
    let bar = freedom + 6.0 * (2.0 * freedom).sqrt();
    println!("{what}: chi-square {statistic:.1} of {bins} bins, bar {bar:.1} (its mean and six standard deviations)");
    assert!(statistic <= bar, "{what}: chi-square {statistic} above {bar}");
}

/// Asserts that a mean is what it should be, given the standard deviation of one value.
#[track_caller]
pub fn assert_mean(what: &str, values: &[f64], expected: f64, deviation: f64) {
    let bar = 6.0 * deviation / (values.len() as f64).sqrt();
    let found = mean(values);
    println!("{what}: mean {found:.5}, expected {expected:.5} +- {bar:.5} (six standard deviations)");
    assert!((found - expected).abs() <= bar, "{what}: mean {found} instead of {expected}");
}
