//! Statistics equal those of `Simulation::read` for every wire type.

use stagewright_runtime::sim::Simulation;
use stagewright_runtime::sim::wire_view::{Show, Statistics, View};
use stagewright_solver_support::harness::{is_wild, random, start, step, within};

use crate::view::observe;

/// States of every type that a grid may have; they become themselves.
const GRIDS: &str = r#"
    "flat": (domain: (resolution: (37, 29), width: 1, edge: "wall")),
    "deep": (domain: (resolution: (13, 7, 9), width: 1, edge: "wall")),
    "state": (state: "$type", on: "$domain", inputs: {"next": "state.value"}),
"#;

fn grid(ty: &str, domain: &str) -> Simulation {
    let mut sim = start(60.0, GRIDS, &[("$type", ty), ("$domain", domain)]);
    sim.reset();
    sim
}

/// Values of the elements as a view shows them, and for how many units in the last place a length may be off.
fn check(what: &str, statistics: &Statistics, values: &[f32], exact: bool) {
    let finite: Vec<f64> = values.iter().filter(|v| v.is_finite()).map(|v| f64::from(*v)).collect();
    assert_eq!(statistics.count, values.len() as u64, "{what}");
    assert_eq!(statistics.finite, finite.len() as u64, "{what}");
    assert_eq!(statistics.nan, values.iter().filter(|v| v.is_nan()).count() as u64, "{what}");
    assert_eq!(statistics.infinite, values.iter().filter(|v| v.is_infinite()).count() as u64, "{what}");
    let (min, max) = finite.iter().fold((f64::MAX, f64::MIN), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
    let n = finite.len() as f64;
    let mean = finite.iter().sum::<f64>() / n;
    let rms = (finite.iter().map(|v| v * v).sum::<f64>() / n).sqrt();
    let size = finite.iter().map(|v| v.abs()).sum::<f64>() / n;
    let edges = &statistics.edges;
    assert!(edges.len() == 65 && edges.windows(2).all(|e| e[0] <= e[1]), "{what}: {edges:?}");
    assert_eq!(statistics.histogram.iter().sum::<u64>(), statistics.finite, "{what}");
    if exact {
        assert_eq!((statistics.min, statistics.max), (min, max), "{what}");
        let mut bins = vec![0; 64];
        finite.iter().for_each(|v| bins[edges[1..64].partition_point(|e| e <= v)] += 1);
        assert_eq!(statistics.histogram, bins, "{what}");
    } else {
        // A length is a square root of a sum of three products, each off by less than 3 units in the last place.
        let bar = 1e-6 * max.abs();
        within(&format!("{what} min"), (statistics.min - min).abs(), bar, "square roots on the GPU");
        within(&format!("{what} max"), (statistics.max - max).abs(), bar, "square roots on the GPU");
    }
    within(&format!("{what} mean"), (statistics.mean - mean).abs(), 1e-6 * size, "asked for");
    within(&format!("{what} rms"), (statistics.rms - rms).abs(), 1e-6 * rms, "asked for");
}

/// Lengths of elements of so many components; NaN goes before infinity.
fn lengths(values: &[f32], components: usize) -> Vec<f32> {
    let length = |v: &[f32]| match v.iter().any(|c| c.is_nan()) {
        true => f32::NAN,
        false => v.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>().sqrt() as f32,
    };
    values.chunks(components).map(length).collect()
}

#[test]
fn of_every_type_of_grid() {
    for domain in ["flat", "deep"] {
        let (cells, dim) = if domain == "flat" { (37 * 29, 2) } else { (13 * 7 * 9, 3) };
        for (ty, components) in
            [("Grid<f32>", 1), ("Grid<vec2f>", 2), ("Grid<vec3f>", 3), ("Grid<vec4f>", 4), ("Grid<Vec>", dim)]
        {
            let mut sim = grid(ty, domain);
            let values: Vec<f32> = random(cells * components, 3).iter().map(|v| 3.0 * v + 1.0).collect();
            sim.write("state", &values).unwrap();
            let what = format!("{ty} on {domain}");
            for k in 0..components {
                let view = View { show: Show::Component(k as u8), ..View::new("state") };
                let component: Vec<f32> = values.iter().skip(k).step_by(components).copied().collect();
                check(&format!("{what}, component {k}"), &observe(&sim, &view).statistics, &component, true);
            }
            let view = View { show: Show::Magnitude, ..View::new("state.value") };
            check(&format!("{what}, length"), &observe(&sim, &view).statistics, &lengths(&values, components), false);
        }
    }
}

#[test]
fn of_whole_numbers() {
    for (ty, words) in [
        ("Grid<u32>", (0..37 * 29).map(|i| i * i % 1009).collect::<Vec<u32>>()),
        ("Grid<i32>", (0..37 * 29).map(|i: i32| (i * 7919 % 2003 - 1000) as u32).collect()),
    ] {
        let mut sim = grid(ty, "flat");
        sim.write_words("state", &words).unwrap();
        let values = sim.read("state").unwrap().data;
        check(ty, &observe(&sim, &View::new("state")).statistics, &values, true);
    }
}

#[test]
fn of_faces_as_the_cells_between_them() {
    for (domain, [x, y, z]) in [("flat", [37, 29, 1]), ("deep", [13, 7, 9])] {
        let mut sim = grid("FaceGrid", domain);
        let dim = if z > 1 { 3 } else { 2 };
        let faces = [x + 1, y + 1, if z > 1 { z + 1 } else { 1 }];
        let values = random(faces.iter().product::<usize>() * dim, 5);
        sim.write("state", &values).unwrap();
        let at = |c: [usize; 3], axis: usize| values[((c[2] * faces[1] + c[1]) * faces[0] + c[0]) * dim + axis];
        for axis in 0..dim {
            let mut centers = Vec::new();
            for k in 0..z {
                for j in 0..y {
                    for i in 0..x {
                        let mut across = [i, j, k];
                        across[axis] += 1;
                        centers.push(0.5 * (at([i, j, k], axis) + at(across, axis)));
                    }
                }
            }
            let view = View { show: Show::Component(axis as u8), ..View::new("state") };
            check(&format!("faces on {domain}, axis {axis}"), &observe(&sim, &view).statistics, &centers, true);
        }
    }
}

#[test]
fn nan_and_infinity_are_counted_apart_from_the_rest() {
    let mut sim = grid("Grid<f32>", "flat");
    let mut values = random(37 * 29, 9);
    values[5] = f32::NAN;
    values[700] = -f32::NAN;
    values[701] = f32::INFINITY;
    values[1000] = f32::NEG_INFINITY;
    values[1001] = f32::INFINITY;
    sim.write("state", &values).unwrap();
    let statistics = observe(&sim, &View::new("state")).statistics;
    assert_eq!((statistics.nan, statistics.infinite), (2, 3));
    check("with NaN", &statistics, &values, true);
    // In one component of a vector they make its length so.
    let mut sim = grid("Grid<vec2f>", "flat");
    let mut values = random(2 * 37 * 29, 9);
    (values[20], values[31], values[32], values[33]) = (f32::NAN, f32::INFINITY, f32::INFINITY, f32::NAN);
    assert!(values.iter().filter(|v| is_wild(v.to_bits())).count() == 4);
    sim.write("state", &values).unwrap();
    check("lengths with NaN", &observe(&sim, &View::new("state")).statistics, &lengths(&values, 2), false);
}

#[test]
fn of_extremes() {
    let mut sim = grid("Grid<f32>", "flat");
    for (what, scale) in [("large", 3e38), ("small", 1e-36), ("plain", 1.0)] {
        let values: Vec<f32> = random(37 * 29, 1).iter().map(|v| v * scale).collect();
        sim.write("state", &values).unwrap();
        check(what, &observe(&sim, &View::new("state")).statistics, &values, true);
    }
    // A mean far below the values: sums must not lose it.
    let values: Vec<f32> = (0..37 * 29).map(|i| if i % 2 == 0 { 1e6 + 1.0 } else { -1e6 }).collect();
    sim.write("state", &values).unwrap();
    let statistics = observe(&sim, &View::new("state")).statistics;
    let mean = values.iter().map(|v| f64::from(*v)).sum::<f64>() / values.len() as f64;
    within("a mean in the shadow of its values", (statistics.mean - mean).abs(), 1e-6 * mean, "compensated sums");
    for constant in [0.0, -2.5, 7.0] {
        sim.write("state", &vec![constant; 37 * 29]).unwrap();
        let statistics = observe(&sim, &View::new("state")).statistics;
        check("a constant", &statistics, &vec![constant; 37 * 29], true);
        assert!(statistics.range.0 < statistics.range.1, "{:?}", statistics.range);
    }
    sim.write("state", &vec![f32::NAN; 37 * 29]).unwrap();
    let statistics = observe(&sim, &View::new("state")).statistics;
    assert_eq!((statistics.finite, statistics.nan, statistics.mean, statistics.min), (0, 37 * 29, 0.0, 0.0));
}

#[test]
fn of_numbers_particles_and_neighbor_grids() {
    let nodes = r#"
        "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "drops": (state: "Particles{position: Vec, velocity: Vec, age: f32, id: u32}", capacity: 500, on: "box", inputs: {"next": "bins.particles"}),
        "bins": (stage: "neighbors/fill", inputs: {"particles": "drops"}),
        "force": (state: "Grid<Vec>", on: "box", inputs: {"next": "force.value"}),
        "left": (custom: "//! Left\n//! @in field: Grid<Vec>  Any\n//! @out most: f32, reduce max  Largest\nfn stage(cell: Cell) -> f32 { return field(cell).x; }", inputs: {"field": "force"}),
    "#;
    let mut sim = start(60.0, nodes, &[]);
    sim.reset();
    let position: Vec<f32> = random(2 * 321, 4).iter().map(|v| 0.5 + 0.5 * v).collect();
    let velocity = random(2 * 321, 5);
    sim.write("drops.position", &position).unwrap();
    sim.write("drops.velocity", &velocity).unwrap();
    sim.write("drops.age", &random(321, 6)).unwrap();
    sim.write_words("drops.id", &(0..321).map(|i| i * 3).collect::<Vec<u32>>()).unwrap();
    sim.set_count("drops", 321).unwrap();
    sim.write("force", &random(128, 7)).unwrap();
    check("speed", &observe(&sim, &View::new("drops")).statistics, &lengths(&velocity, 2), false);
    check("age", &observe(&sim, &View::new("drops.age")).statistics, &random(321, 6), true);
    step(&mut sim, 1);
    let read = |wire: &str| sim.read(wire).unwrap().data;
    check("id", &observe(&sim, &View::new("bins.particles.id")).statistics, &read("bins.particles.id")[..321], true);
    check("number", &observe(&sim, &View::new("left.most")).statistics, &read("left.most"), true);
    check("count", &observe(&sim, &View::new("bins.particles.count")).statistics, &[321.0], true);
    let mut counts = vec![0.0; 64];
    for p in position.chunks(2) {
        counts[(p[1] * 8.0) as usize * 8 + (p[0] * 8.0) as usize] += 1.0;
    }
    check("neighbours", &observe(&sim, &View::new("bins.neighbors")).statistics, &counts, true);
}
