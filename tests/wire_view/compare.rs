//! Two sides compared: norms against values by hand, and what does not fit.

use std::sync::Arc;

use stagewright_runtime::sim::compare::{Comparison, Measure, compare};
use stagewright_runtime::sim::host_copy::{CopySubject, HostCopy};
use stagewright_runtime::sim::wire_view::{Show, View, Viewer};
use stagewright_runtime::sim::{Image, Simulation};
use stagewright_solver_support::harness::{gpu, random, start, step};

use crate::view::observe_at;

const NODES: &str = r#"
    "box": (domain: (resolution: (8, 6), width: 1, edge: "wall")),
    "fine": (domain: (resolution: (16, 12), width: 1, edge: "wall")),
    "cube": (domain: (resolution: (4, 3, 2), width: 1, edge: "wall")),
    "a": (state: "Grid<f32>", on: "box"),
    "b": (state: "Grid<f32>", on: "box"),
    "c": (state: "Grid<f32>", on: "fine"),
    "d": (state: "Grid<f32>", on: "cube"),
    "v": (state: "Grid<Vec>", on: "box"),
    "w": (state: "Grid<Vec>", on: "box"),
    "f": (state: "FaceGrid", on: "box"),
    "g": (state: "FaceGrid", on: "box"),
    "h": (state: "FaceGrid", on: "fine"),
    "p": (state: "Particles{position: Vec, heat: f32}", on: "box", capacity: 9),
    "q": (state: "Particles{position: Vec, heat: f32}", on: "box", capacity: 9),
    "look": (stage: "view/color_map", inputs: {"field": "a"}),
    "screen": (output: (size: (8, 6)), inputs: {"image": "look"}),
"#;

fn nodes() -> Simulation {
    let mut simulation = start(60.0, NODES, &[]);
    step(&mut simulation, 1);
    simulation
}

fn host_copy(simulation: &Simulation, name: &str) -> Arc<HostCopy> {
    let subject = CopySubject::from_name(simulation.plan(), name);
    simulation.take(&subject).unwrap_or_else(|e| panic!("{e}")).wait().expect("the values arrive").into()
}

fn compared(simulation: &Simulation, a: &str, b: &str) -> Comparison {
    compare(&host_copy(simulation, a), &host_copy(simulation, b), Show::Auto, Measure::Signed)
        .unwrap_or_else(|e| panic!("{e}"))
}

fn refused(simulation: &Simulation, a: &str, b: &str) -> String {
    let compared = compare(&host_copy(simulation, a), &host_copy(simulation, b), Show::Auto, Measure::Signed);
    compared.map(|_| ()).expect_err("they do not fit").to_string()
}

/// Values of the difference.
fn values(side: &HostCopy) -> Vec<f64> {
    (0..side.elements()).flat_map(|element| side.numbers(element)).collect()
}

#[test]
fn equal_sides_differ_by_nothing_and_a_constant_is_each_norm() {
    let mut simulation = nodes();
    // Multiples of 1/256, so that the constant is added without rounding.
    let field: Vec<f32> = random(48, 3).iter().map(|v| (v * 256.0).round() / 256.0).collect();
    simulation.write("a", &field).unwrap();
    simulation.write("b", &field).unwrap();
    let found = compared(&simulation, "a.value", "b.value").statistics;
    assert_eq!(
        (found.count, found.differing, found.max, found.l1, found.l2, found.relative),
        (48, 0, 0.0, 0.0, 0.0, 0.0)
    );
    assert!(found.place.is_none() && found.within(0.0));
    let more: Vec<f32> = field.iter().map(|v| v + 0.25).collect();
    simulation.write("a", &more).unwrap();
    let found = compared(&simulation, "a.value", "b.value");
    let statistics = &found.statistics;
    assert_eq!((statistics.differing, statistics.max, statistics.l1, statistics.l2), (48, 0.25, 0.25, 0.25));
    assert_eq!(statistics.mean, [0.25]);
    let rms = (field.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() / 48.0).sqrt();
    assert!((statistics.relative - 0.25 / rms).abs() < 1e-14, "{}", statistics.relative);
    assert!(statistics.within(0.25) && !statistics.within(0.2499));
    assert!(values(&found.difference).iter().all(|difference| *difference == 0.25));
    let all = field.iter().chain(&more).map(|v| f64::from(*v));
    let extremes = all.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
    assert_eq!(found.range, Some(extremes));
}

#[test]
fn a_shifted_field_has_the_norms_of_its_differences_and_the_place_of_the_greatest() {
    let mut simulation = nodes();
    let (a, b) = (random(48, 5), random(48, 5));
    let b: Vec<f32> = (0..48).map(|at| b[at / 8 * 8 + (at + 1) % 8]).collect();
    simulation.write("a", &a).unwrap();
    simulation.write("b", &b).unwrap();
    let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| f64::from(*a) - f64::from(*b)).collect();
    let (at, most) = differences
        .iter()
        .map(|d| d.abs())
        .enumerate()
        .fold((0, 0.0), |most, one| if one.1 > most.1 { one } else { most });
    let found = compared(&simulation, "a", "b.value").statistics;
    let sum = |power: i32| differences.iter().map(|d| d.abs().powi(power)).sum::<f64>() / 48.0;
    assert_eq!(found.max, most);
    assert!((found.l1 - sum(1)).abs() < 1e-15 && (found.l2 - sum(2).sqrt()).abs() < 1e-15, "{found:?}");
    let place = found.place.expect("a place");
    assert_eq!((place.index, place.cell), (at as u64, Some([at as u32 % 8, at as u32 / 8, 0])));
    assert_eq!((place.a, place.b), (vec![f64::from(a[at])], vec![f64::from(b[at])]));
    let relative =
        compare(&host_copy(&simulation, "a"), &host_copy(&simulation, "b"), Show::Auto, Measure::Relative).unwrap();
    let expected =
        differences.iter().zip(a.iter().zip(&b)).map(|(d, (a, b))| (d / f64::from(a.abs().max(b.abs()))) as f32);
    assert_eq!(values(&relative.difference), expected.map(f64::from).collect::<Vec<_>>());
}

#[test]
fn what_is_not_finite_is_counted_and_not_summed() {
    let mut simulation = nodes();
    let (mut a, mut b) = (vec![1.0; 48], vec![3.0; 48]);
    (a[7], a[20], b[20], b[30], b[31]) = (f32::NAN, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::NAN);
    simulation.write("a", &a).unwrap();
    simulation.write("b", &b).unwrap();
    let found = compared(&simulation, "a", "b");
    let statistics = found.statistics;
    let not_finite = &statistics.not_finite;
    assert_eq!((not_finite.only_a, not_finite.only_b, not_finite.both), (1, 2, 1));
    let first = not_finite.first.as_ref().expect("a place");
    assert!(first.cell == Some([7, 0, 0]) && first.a[0].is_nan() && first.b == [3.0]);
    assert_eq!((statistics.count, statistics.max, statistics.l1, statistics.l2), (44, 2.0, 2.0, 2.0));
    assert!(!statistics.within(100.0), "NaN on one side is within no tolerance");
    let odd: Vec<usize> = (0..48).filter(|at| !values(&found.difference)[*at].is_finite()).collect();
    assert_eq!(odd, [7, 20, 30, 31], "and is seen in the image");
    assert_eq!(found.range, Some((1.0, 3.0)));
}

#[test]
fn the_finer_side_is_sampled_at_the_cells_of_the_coarser() {
    let mut simulation = nodes();
    let plane = |x: f64, y: f64| (2.0 * x - 3.0 * y) as f32;
    let cells = |nx: u32, ny: u32| {
        (0..nx * ny).map(move |at| {
            plane((f64::from(at % nx) + 0.5) / f64::from(nx), (f64::from(at / nx) + 0.5) / f64::from(ny))
        })
    };
    simulation.write("a", &cells(8, 6).collect::<Vec<_>>()).unwrap();
    simulation.write("c", &cells(16, 12).collect::<Vec<_>>()).unwrap();
    for (one, other, remark) in [
        ("a", "c", "B has 16 x 12 cells and is sampled at the 8 x 6 of A"),
        ("c", "a", "A has 16 x 12 cells and is sampled at the 8 x 6 of B"),
    ] {
        let found = compared(&simulation, one, other);
        assert_eq!(found.remarks, [remark]);
        assert_eq!(found.statistics.count, 48);
        // What is linear is met but for the rounding of f32.
        assert!(found.statistics.max < 1e-6, "{}", found.statistics.max);
    }
}

#[test]
fn vectors_count_by_the_length_of_their_difference_and_faces_one_by_one() {
    let mut simulation = nodes();
    simulation.write("v", &[5.0, 7.0].repeat(48)).unwrap();
    simulation.write("w", &[2.0, 3.0].repeat(48)).unwrap();
    let found = compared(&simulation, "v", "w");
    assert_eq!((found.statistics.max, found.statistics.l1, found.statistics.l2), (5.0, 5.0, 5.0));
    assert_eq!(found.statistics.mean, [3.0, 4.0]);
    assert_eq!(found.difference.numbers(9), [3.0, 4.0]);
    let part = |show, measure| {
        compare(&host_copy(&simulation, "v"), &host_copy(&simulation, "w"), show, measure)
            .unwrap()
            .difference
            .numbers(9)
    };
    assert_eq!(part(Show::Component(1), Measure::Signed), [4.0]);
    assert_eq!(part(Show::Auto, Measure::Absolute), [5.0]);
    assert_eq!(part(Show::Auto, Measure::Relative), [f64::from((5.0 / 74f64.sqrt()) as f32)]);
    // 9 x 7 corners with two faces each; the last column has no face across y, the last row none across x.
    let mut faces = vec![0.0; 126];
    let at = |x: usize, y: usize, axis: usize| 2 * (y * 9 + x) + axis;
    (faces[at(8, 2, 0)], faces[at(8, 2, 1)], faces[at(3, 6, 0)]) = (0.5, f32::NAN, 9.0);
    simulation.write("f", &faces).unwrap();
    simulation.write("g", &[0.0; 126]).unwrap();
    let found = compared(&simulation, "f", "g");
    assert_eq!((found.statistics.count, found.statistics.differing, found.statistics.max), (9 * 6 + 8 * 7, 1, 0.5));
    let place = found.statistics.place.expect("a place");
    assert_eq!((place.cell, place.axis, place.a), (Some([8, 2, 0]), Some(0), vec![0.5]));
    assert_eq!(found.difference.numbers(2 * 8 + 7), [0.25, 0.0], "the picture has the means of cells");
}

#[test]
fn particles_are_compared_by_their_index_and_other_kinds_are_refused() {
    let mut simulation = nodes();
    for (set, count, heat) in [("p", 4, 1.0), ("q", 6, 1.5)] {
        simulation.set_count(set, count).unwrap();
        simulation.write(&format!("{set}.heat"), &vec![heat; count as usize]).unwrap();
        simulation.write(&format!("{set}.position"), &[0.25, 0.5].repeat(count as usize)).unwrap();
    }
    let found = compared(&simulation, "p.value.heat", "q.value.heat");
    assert_eq!(found.remarks, ["A has 4 particles and B has 6: the first 4 are compared"]);
    assert_eq!((found.statistics.count, found.statistics.l1), (4, 0.5));
    for (a, b, sentence) in [
        (
            "a",
            "v",
            "a cannot be compared with v: the first has 1 component for each value, the second 2; choose two wires of the same type",
        ),
        (
            "a",
            "f",
            "a cannot be compared with f: the first has cells, the second faces; choose two wires of the same type",
        ),
        (
            "a",
            "d",
            "a cannot be compared with d: the first has 2 dimensions, the second 3; choose two wires of domains with as many dimensions",
        ),
        (
            "f",
            "h",
            "f cannot be compared with h: the first has 8 x 6 cells, the second 16 x 12; give both domains the same resolution, or compare wires with values at cell centres",
        ),
    ] {
        assert_eq!(refused(&simulation, a, b), sentence);
    }
    let none = simulation.take(&CopySubject::Wire("nothing.value".into())).err().expect("there is none").to_string();
    assert!(none.contains("there is no such wire in the plan"), "{none}");
}

/// All that a view finds in values that were taken is what it finds in the wire itself.
#[test]
fn taken_values_are_shown_like_their_wire_and_stay_when_the_run_goes_on() {
    let mut simulation = nodes();
    simulation.write("a", &random(48, 7)).unwrap();
    simulation.write("v", &random(96, 8)).unwrap();
    simulation.set_count("p", 5).unwrap();
    simulation.write("p.position", &random(10, 9)).unwrap();
    simulation.write("p.heat", &random(5, 10)).unwrap();
    step(&mut simulation, 1);
    for wire in ["a.value", "v.value", "p.value", "p.value.heat"] {
        let (view, held) = (View::new(wire), host_copy(&simulation, wire));
        let expected = observe_at(&simulation, &view, Some([0.3, 0.6]));
        let mut viewer = Viewer::new(gpu()).unwrap();
        viewer.set_pointer(Some([0.3, 0.6]));
        for _ in 0..2 {
            viewer.update_taken(gpu(), &held, &view).unwrap();
            viewer.wait();
        }
        let [width, height] = viewer.image().unwrap().size;
        let image = Image::new(width, height, &viewer.image_async().unwrap().wait().unwrap());
        assert_eq!(image, expected.image, "{wire}");
        assert_eq!(viewer.statistics(), Some(&expected.statistics), "{wire}");
        assert_eq!(viewer.picked(), expected.sample.as_ref(), "{wire}");
    }
    let held = host_copy(&simulation, "a.value");
    simulation.write("a", &[0.0; 48]).unwrap();
    let found = compare(&held, &host_copy(&simulation, "a.value"), Show::Auto, Measure::Signed).unwrap();
    assert_eq!(values(&found.difference), random(48, 7).into_iter().map(f64::from).collect::<Vec<_>>());
}

#[test]
fn an_image_is_compared_by_its_linear_colours() {
    let mut simulation = nodes();
    simulation.write("a", &random(48, 11)).unwrap();
    step(&mut simulation, 1);
    let (image, held) = (simulation.image(None).unwrap(), host_copy(&simulation, "screen"));
    assert_eq!((held.resolution(), held.components()), ([8, 6, 1], 4));
    let byte = |value: f64| {
        (255.0 * if value <= 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }).round() as u8
    };
    for (x, y) in [(0, 0), (5, 2), (7, 5)] {
        let [r, g, b, a] = held.numbers(y * 8 + x).try_into().unwrap();
        let at = 4 * ((5 - y) * 8 + x);
        assert_eq!([byte(r), byte(g), byte(b), (255.0 * a).round() as u8], image.rgba[at..at + 4], "{x} {y}");
    }
    simulation.write("a", &[0.5; 48]).unwrap();
    step(&mut simulation, 1);
    let found = compare(&host_copy(&simulation, "screen"), &held, Show::Auto, Measure::Signed).unwrap();
    assert!(found.statistics.max > 0.01 && found.difference.components() == 1);
}
