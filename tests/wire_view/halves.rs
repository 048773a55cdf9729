//! Grids in half precision look like the same numbers in f32.

use stagewright_runtime::sim::Simulation;
use stagewright_runtime::sim::wire_view::{Show, View};
use stagewright_solver_support::harness::{random, start};

use crate::view::{observe, observe_at};

/// The same State twice, in either precision, and images of both.
const PAIR: &str = r#"
    "box": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "half": (state: "Grid<$type>", on: "box", inputs: {"next": "half"}, precision: "f16"),
    "whole": (state: "Grid<$type>", on: "box", inputs: {"next": "whole"}),
"#;
const TYPES: [(&str, usize); 4] = [("f32", 1), ("vec2f", 2), ("vec3f", 3), ("vec4f", 4)];

/// Both hold what halves can hold of some random numbers.
fn pair(ty: &str, cells: &str, values: &[f32]) -> Simulation {
    let mut simulation = start(60.0, PAIR, &[("$type", ty), ("$cells", cells)]);
    simulation.write("half", values).unwrap();
    let rounded = simulation.read("half").unwrap();
    simulation.write_words("whole", &rounded.words).unwrap();
    assert_eq!(simulation.read("whole").unwrap().words, rounded.words);
    simulation
}

#[test]
fn statistics_images_and_values_are_those_of_the_numbers() {
    for (cells, count) in [("18, 11", 18 * 11), ("10, 7, 5", 10 * 7 * 5)] {
        for (ty, components) in TYPES {
            let values: Vec<f32> = random(count * components, 3).iter().map(|v| 3.0 * v + 1.0).collect();
            let simulation = pair(ty, cells, &values);
            for show in [Show::Auto, Show::Magnitude, Show::Component(components as u8 - 1)] {
                let at = Some([0.63, 0.41]);
                let [half, whole] =
                    ["half", "whole"].map(|wire| observe_at(&simulation, &View { show, ..View::new(wire) }, at));
                let what = format!("{ty} over {cells}, {show:?}");
                assert_eq!(half.image.rgba, whole.image.rgba, "{what}");
                assert_eq!(half.statistics, whole.statistics, "{what}");
                assert_eq!(half.sample, whole.sample, "{what}");
                assert_eq!(half.sample.unwrap().components.len(), components, "{what}");
            }
        }
    }
}

#[test]
fn what_is_beyond_a_half_is_counted_as_infinite() {
    let mut values = random(18 * 11, 4);
    (values[3], values[7], values[8], values[9]) = (70_000.0, f32::NAN, -1e9, 65_504.0);
    let simulation = pair("f32", "18, 11", &values);
    let statistics = observe(&simulation, &View::new("half")).statistics;
    assert_eq!((statistics.infinite, statistics.nan, statistics.max), (2, 1, 65_504.0));
}

const PICTURE: &str = r#"
    "box": (domain: (resolution: (18, 11), width: 1, edge: "wall")),
    "tone": (state: "Grid<f32>", inputs: {"next": "tone"}),
    "half": (stage: "view/color_map", inputs: {"field": "tone"}, precision: "f16"),
    "whole": (stage: "view/color_map", inputs: {"field": "tone"}),
    "a": (output: (size: (36, 22)), inputs: {"image": "half"}),
    "b": (output: (size: (36, 22)), inputs: {"image": "whole"}),
"#;

#[test]
fn an_image_in_halves_is_off_by_a_byte_at_most() {
    let mut simulation = start(60.0, PICTURE, &[]);
    simulation.write("tone", &random(18 * 11, 6)).unwrap();
    simulation.step(&Default::default()).unwrap();
    let [half, whole] = ["a", "b"].map(|output| simulation.image(Some(output)).unwrap().rgba);
    let apart = half.iter().zip(&whole).map(|(a, b)| a.abs_diff(*b)).max();
    // sRGB is steepest at 12.92: 255 * 12.92 * c / 2048 with c below 0.0031, and less than 0.3 of a byte above.
    assert!(apart.is_some_and(|apart| apart <= 1), "{apart:?}");
}
