//! Compares the tree with brute force over all triangles.

use glam::DVec3;

use super::Work;
use super::tree::Tree;
use super::triangle::{Triangle, distance_squared, turn};

/// Numbers from -1 to 1, the same in every run (a linear congruential generator with Knuth's MMIX constants).
fn numbers() -> impl FnMut() -> f64 {
    let mut state = 1u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn points(count: usize) -> Vec<DVec3> {
    let mut number = numbers();
    (0..count).map(|_| 1.5 * DVec3::new(number(), number(), number())).collect()
}

/// A closed torus with bumps that faces outwards.
fn ring(around: usize, across: usize) -> Vec<Triangle> {
    let point = |i: usize, j: usize| {
        let turn = |k: usize, n: usize| (k % n) as f64 / n as f64 * std::f64::consts::TAU;
        let (u, v) = (turn(i, around), turn(j, across));
        let r = 0.7 + 0.25 * v.cos() * (1.0 + 0.3 * (9.0 * u).sin());
        DVec3::new(r * u.cos(), r * u.sin(), 0.25 * v.sin())
    };
    let quads = (0..around).flat_map(|i| (0..across).map(move |j| (i, j)));
    let split = |(i, j)| {
        let [a, b, c, d] = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    quads.flat_map(split).collect()
}

#[test]
fn nearest_is_nearest_of_all() {
    let mut number = numbers();
    let mut soup: Vec<Triangle> = (0..400)
        .map(|_| {
            let a = DVec3::new(number(), number(), number());
            // From large ones to tiny ones.
            let size = number().powi(4);
            [
                a,
                a + size * DVec3::new(number(), number(), number()),
                a + size * DVec3::new(number(), number(), number()),
            ]
        })
        .collect();
    // Segments, points, needles.
    soup.extend((0..60).map(|i| {
        let (a, b) = (DVec3::new(number(), number(), number()), DVec3::new(number(), number(), number()));
        [[a, b, b], [a, a, a], [a, b, a.lerp(b, 0.3) + DVec3::X * 1e-9]][i % 3]
    }));
    for triangles in [soup, ring(40, 20)] {
        let tree = Tree::new(triangles.clone(), &Work::default()).unwrap();
        let mut near = 0;
        for p in points(500) {
            let expected = triangles.iter().map(|t| distance_squared(p, *t)).fold(f64::INFINITY, f64::min).sqrt();
            let distance;
            (distance, near) = tree.nearest(p, near);
            assert!((distance - expected).abs() <= 1e-14, "{distance} at {p}, known {expected}");
        }
    }
}

/// The winding number of a closed surface is 0 or 1, and inside begins at one half. The approximation by clusters may
/// be off by a tenth.
#[test]
fn winding_is_almost_whole() {
    let triangles = ring(80, 40);
    let tree = Tree::new(triangles.clone(), &Work::default()).unwrap();
    let (mut worst, mut inside) = (0.0f64, 0);
    for p in points(600) {
        let exact: f64 = triangles.iter().map(|t| turn(p, *t)).sum();
        assert!((exact - exact.round()).abs() < 1e-9 && (0.0..=1.0).contains(&exact.round()), "{exact} at {p}");
        worst = worst.max((tree.winding(p) - exact).abs());
        inside += u32::from(exact > 0.5);
    }
    println!("winding: error {worst:.3}, {inside} of 600 points inside");
    assert!(worst < 0.05, "{worst}");
    assert!(inside > 20, "{inside}");
}
