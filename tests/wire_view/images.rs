//! Images of grids against colour maps in f64, and against the stages that make the same images.

use stagewright_runtime::sim::wire_view::{Axis, ColorMap, Show, View, Volume};
use stagewright_runtime::sim::{Image, Simulation};
use stagewright_solver_support::harness::{random, start, step};

use crate::view::{Observation, observe, observe_at};

const FLAT: [u32; 2] = [19, 11];
const DEEP: [u32; 3] = [7, 6, 5];
const NODES: &str = r#"
    "flat": (domain: (resolution: (19, 11), width: 1.9, edge: "wall")),
    "deep": (domain: (resolution: (7, 6, 5), width: 1.4, edge: "wall")),
    "a": (state: "Grid<f32>", on: "flat", inputs: {"next": "a.value"}),
    "v": (state: "Grid<Vec>", on: "flat", inputs: {"next": "v.value"}),
    "c": (state: "Grid<vec4f>", on: "flat", inputs: {"next": "c.value"}),
    "f": (state: "FaceGrid", on: "flat", inputs: {"next": "f.value"}),
    "d": (state: "Grid<f32>", on: "deep", inputs: {"next": "d.value"}),
    "e": (state: "Grid<Vec>", on: "deep", inputs: {"next": "e.value"}),
    "map": (stage: "view/color_map", inputs: {"field": "a"}, params: {"map": $map, "low": -0.5, "high": 0.75}),
    "look": (output: (), inputs: {"image": "map"}),
    "wheel": (stage: "view/vector", inputs: {"velocity": "v"}, params: {"max_speed": 1.25}),
    "look_wheel": (output: (), inputs: {"image": "wheel"}),
    "look_color": (output: (), inputs: {"image": "c"}),
"#;

fn simulation(map: usize) -> Simulation {
    let mut sim = start(60.0, NODES, &[("$map", &map.to_string())]);
    sim.reset();
    sim
}

fn cells() -> usize {
    (FLAT[0] * FLAT[1]) as usize
}

/// Greatest difference of a channel \[1/255\].
fn apart(a: &[u8], b: &[u8]) -> u8 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
}

fn bytes(color: [f64; 3]) -> [u8; 4] {
    let [r, g, b] = color.map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8);
    [r, g, b, 255]
}

/// The fit by Zucker 2018 of viridis by Smith and van der Walt 2015.
fn viridis(t: f64) -> [f64; 3] {
    const C: [[f64; 3]; 7] = [
        [0.277727, 0.005407, 0.334100],
        [0.105093, 1.404614, 1.384590],
        [-0.330862, 0.214848, 0.095095],
        [-4.634230, -5.799101, -19.332441],
        [6.228270, 14.179933, 56.690553],
        [4.776385, -13.745145, -65.353033],
        [-5.435456, 4.645853, 26.312435],
    ];
    std::array::from_fn(|i| C.iter().rev().fold(0.0, |sum, c| sum * t + c[i]))
}

#[test]
fn a_grid_is_its_colour_map_a_pixel_a_cell() {
    let mut sim = simulation(0);
    let values = random(cells(), 1);
    sim.write("a", &values).unwrap();
    for range in [None, Some((-0.5, 0.75)), Some((0.25, 0.25))] {
        let seen = observe(&sim, &View { range, ..View::new("a") });
        assert_eq!([seen.image.width, seen.image.height], FLAT);
        let (least, most) = (values.iter().copied().fold(1.0, f32::min), values.iter().copied().fold(-1.0, f32::max));
        let (low, high) = range.unwrap_or((least.into(), most.into()));
        assert_eq!(seen.statistics.range, (low, high));
        let span = if low == high { 1e-30 } else { high - low };
        for (i, value) in values.iter().enumerate() {
            let expected = bytes(viridis(((f64::from(*value) - low) / span).clamp(0.0, 1.0)));
            let pixel = seen.pixel(i as u32 % FLAT[0], i as u32 / FLAT[0]);
            assert!(apart(&pixel, &expected) <= 1, "cell {i}, {value}: {pixel:?}, the map has {expected:?}");
        }
    }
}

/// The image of an Output as it is on the domain.
fn of_output(sim: &mut Simulation, output: &str) -> Image {
    step(sim, 1);
    sim.image(Some(output)).unwrap()
}

#[test]
fn maps_wheel_and_colours_are_those_of_the_stages() {
    for map in ColorMap::ALL {
        let mut sim = simulation(map as usize);
        sim.write("a", &random(cells(), 2)).unwrap();
        let stage = of_output(&mut sim, "look");
        let seen = observe(&sim, &View { map, range: Some((-0.5, 0.75)), ..View::new("a") });
        assert!(apart(&seen.image.rgba, &stage.rgba) <= 1, "{}", map.name());
    }
    let mut sim = simulation(0);
    sim.write("v", &random(2 * cells(), 3)).unwrap();
    sim.write("c", &random(4 * cells(), 4)).unwrap();
    let stage = of_output(&mut sim, "look_wheel");
    let seen = observe(&sim, &View { range: Some((0.0, 1.25)), ..View::new("v") });
    assert!(apart(&seen.image.rgba, &stage.rgba) <= 1, "directions");
    let stage = of_output(&mut sim, "look_color");
    assert!(apart(&observe(&sim, &View::new("c")).image.rgba, &stage.rgba) <= 1, "colours");
}

#[test]
fn a_signed_map_is_white_at_zero() {
    let mut sim = simulation(0);
    let mut values = random(cells(), 5);
    (values[0], values[1]) = (0.0, -3.0);
    sim.write("a", &values).unwrap();
    let view = View { map: ColorMap::Signed, ..View::new("a") };
    let seen = observe(&sim, &view);
    assert_eq!(seen.statistics.range, (-3.0, 3.0));
    assert_eq!(seen.pixel(0, 0), [247, 247, 247, 255]);
    sim.write("a", &vec![0.0; cells()]).unwrap();
    assert_eq!(observe(&sim, &view).pixel(4, 4), [247, 247, 247, 255], "nothing is divided by zero");
    assert_eq!(observe(&sim, &View::new("a")).pixel(4, 4), bytes(viridis(0.0)));
}

#[test]
fn nan_is_magenta_and_infinity_cyan() {
    let mut sim = simulation(0);
    let mut values = random(cells(), 6);
    (values[3], values[4], values[5]) = (f32::NAN, f32::INFINITY, f32::NEG_INFINITY);
    sim.write("a", &values).unwrap();
    let mut vectors = random(4 * cells(), 6);
    (vectors[8], vectors[13]) = (f32::NAN, f32::INFINITY);
    sim.write("c", &vectors).unwrap();
    let (magenta, cyan) = ([255, 0, 255, 255], [0, 255, 255, 255]);
    for map in ColorMap::ALL {
        let seen = observe(&sim, &View { map, ..View::new("a") });
        assert_eq!([3, 4, 5].map(|x| seen.pixel(x, 0)), [magenta, cyan, cyan], "{}", map.name());
    }
    for show in [Show::Auto, Show::Magnitude, Show::Direction] {
        let seen = observe(&sim, &View { show, ..View::new("c") });
        assert_eq!([2, 3].map(|x| seen.pixel(x, 0)), [magenta, cyan], "{show:?}");
    }
}

#[test]
fn the_colour_map_says_how_a_wire_looks_exactly_where_the_view_says_so() {
    let mut sim = simulation(0);
    for (wire, numbers) in [("a", 1), ("v", 2), ("c", 4)] {
        sim.write(wire, &random(numbers * cells(), 9)).unwrap();
    }
    let cases = [
        ("a", Show::Auto, Show::Component(0)),
        ("v", Show::Auto, Show::Direction),
        ("v", Show::Magnitude, Show::Magnitude),
        ("v", Show::Component(1), Show::Component(1)),
        ("c", Show::Auto, Show::Color),
        ("c", Show::Component(2), Show::Component(2)),
    ];
    for (wire, show, shown) in cases {
        let seen = |map| observe(&sim, &View { show, map, ..View::new(wire) });
        let (a, b) = (seen(ColorMap::Viridis), seen(ColorMap::Grey));
        assert_eq!(a.shown, Some(shown), "{wire} {show:?}");
        assert_eq!(a.image.rgba != b.image.rgba, shown.is_mapped(), "{wire} {show:?}");
    }
}

/// What a grey image with the range 0..255 shows: the value itself.
fn grey(seen: &Observation, x: u32, y: u32) -> u8 {
    let [r, g, b, _] = seen.pixel(x, y);
    assert!(r == g && g == b);
    r
}

/// A number for each cell of the deep grid, below 256.
fn numbered() -> Vec<f32> {
    (0..DEEP.iter().product()).map(|i| i as f32).collect()
}

fn volume(volume: Volume) -> View {
    View { volume, map: ColorMap::Grey, range: Some((0.0, 255.0)), ..View::new("d") }
}

#[test]
fn a_slice_is_the_layer_at_its_position() {
    let mut sim = simulation(0);
    sim.write("d", &numbered()).unwrap();
    let [nx, ny, nz] = DEEP;
    let at = |x: u32, y: u32, z: u32| ((z * ny + y) * nx + x) as u8;
    for (axis, size) in [(Axis::X, [nz, ny]), (Axis::Y, [nx, nz]), (Axis::Z, [nx, ny])] {
        let layers = DEEP[axis as usize];
        for layer in 0..layers {
            let slice = Volume::Slice { axis, position: (f64::from(layer) + 0.5) / f64::from(layers) };
            let seen = observe(&sim, &volume(slice));
            assert_eq!([seen.image.width, seen.image.height], size);
            for (x, y) in (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y))) {
                let expected = match axis {
                    Axis::X => at(layer, y, x),
                    Axis::Y => at(x, layer, y),
                    Axis::Z => at(x, y, layer),
                };
                assert_eq!(grey(&seen, x, y), expected, "{axis:?} {layer}, {x} {y}");
            }
        }
        // The ends belong to the first and the last layer.
        for (position, layer) in [(0.0, 0), (1.0, layers - 1), (-3.0, 0), (f64::NAN, 0)] {
            let seen = observe(&sim, &volume(Volume::Slice { axis, position }));
            let expected = [at(layer, 0, 0), at(0, layer, 0), at(0, 0, layer)][axis as usize];
            assert_eq!(grey(&seen, 0, 0), expected, "{axis:?} at {position}");
        }
    }
}

#[test]
fn a_maximum_is_the_greatest_along_its_axis() {
    let mut sim = simulation(0);
    let values: Vec<f32> = random(210, 8).iter().map(|v| (128.0 + 127.0 * v).floor()).collect();
    sim.write("d", &values).unwrap();
    let [nx, ny, nz] = DEEP;
    for axis in [Axis::X, Axis::Y, Axis::Z] {
        let seen = observe(&sim, &volume(Volume::Maximum(axis)));
        for (x, y) in (0..seen.image.height).flat_map(|y| (0..seen.image.width).map(move |x| (x, y))) {
            let cell = |k: u32| match axis {
                Axis::X => (y * nx, x * nx * ny, k),
                Axis::Y => (k * nx, y * nx * ny, x),
                Axis::Z => (y * nx, k * nx * ny, x),
            };
            let along = (0..[nx, ny, nz][axis as usize]).map(cell).map(|(a, b, c)| values[(a + b + c) as usize]);
            assert_eq!(grey(&seen, x, y), along.fold(0.0, f32::max) as u8, "{axis:?}, {x} {y}");
        }
    }
    // With two ends, what is farthest from zero shows, and NaN before all.
    let mut values = vec![1.0; 210];
    (values[nx as usize * ny as usize], values[1]) = (-4.0, f32::NAN);
    sim.write("d", &values).unwrap();
    let view = View { map: ColorMap::Signed, range: None, ..volume(Volume::Maximum(Axis::Z)) };
    let seen = observe_at(&sim, &view, Some([0.01, 0.01]));
    assert_eq!(seen.sample.unwrap().components, [-4.0]);
    assert_eq!(observe(&sim, &view).pixel(1, 0), [255, 0, 255, 255]);
}

#[test]
fn through_the_camera_the_box_is_where_the_camera_sees_it() {
    let mut sim = simulation(0);
    let mut values = vec![0.0; 210];
    // One bright cell in a dark volume.
    let (cell, [nx, ny, _]) = ([4, 1, 3], DEEP);
    values[((cell[2] * ny + cell[1]) * nx + cell[0]) as usize] = 255.0;
    sim.write("d", &values).unwrap();
    let view = View { size: Some((160, 120)), ..volume(Volume::Orbit) };
    let camera = stagewright_runtime::sim::camera::Orbit::around([1.4, 1.2, 1.0]);
    let center = cell.map(|c| (f64::from(c) + 0.5) * 0.2);
    let ([x, y], _) = camera.frame().project(center, [160, 120]);
    let at = [(x / 160.0) as f32, (y / 120.0) as f32];
    let seen = observe_at(&sim, &view, Some(at));
    assert_eq!([seen.image.width, seen.image.height], [160, 120]);
    assert_eq!(seen.pixel(x as u32, y as u32), [255; 4]);
    let sample = seen.sample.as_ref().unwrap();
    assert_eq!((sample.cell, &sample.components[..]), (Some(cell), &[255.0][..]));
    let bright = seen.image.rgba.chunks(4).filter(|p| p[0] == 255).count();
    assert!((20..600).contains(&bright), "{bright} pixels of 19,200 show one cell of 210");
    let corner = seen.pixel(0, 0);
    assert!(corner[0] < 40 && corner[0] > 0, "outside is the backdrop: {corner:?}");
    let faint = seen.image.rgba.chunks(4).filter(|p| p[2] > 60 && p[2] < 120 && p[0] > 40).count();
    assert!(faint > 100, "the box's edges show where the volume does not hide them: {faint} pixels");
}

#[test]
fn a_small_view_shows_the_same_with_fewer_pixels() {
    let mut sim = simulation(0);
    sim.write("a", &random(cells(), 1)).unwrap();
    let whole = observe(&sim, &View::new("a"));
    for (size, expected) in [((6, 6), [6, 3]), ((100, 100), FLAT), ((1, 1), [1, 1])] {
        let seen = observe(&sim, &View { size: Some(size), ..View::new("a") });
        let [width, height] = expected;
        assert_eq!([seen.image.width, seen.image.height], expected);
        assert_eq!(seen.statistics, whole.statistics, "statistics are of all cells");
        let middle = |n: u32, of: u32, cells: u32| (2 * n + 1) * cells / (2 * of);
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let cell = (middle(x, width, FLAT[0]), middle(y, height, FLAT[1]));
            assert_eq!(seen.pixel(x, y), whole.pixel(cell.0, cell.1));
        }
    }
}

#[test]
fn the_value_under_the_pointer_is_what_read_gives() {
    let mut sim = simulation(0);
    for (state, components, seed) in [("a", 1, 1), ("v", 2, 2), ("c", 4, 3)] {
        sim.write(state, &random(cells() * components, seed)).unwrap();
        let values = sim.read(state).unwrap();
        for (x, y) in [(0, 0), (18, 10), (7, 3), (11, 9)] {
            let at = [(x as f32 + 0.5) / 19.0, (y as f32 + 0.5) / 11.0];
            let sample = observe_at(&sim, &View::new(state), Some(at)).sample.unwrap();
            let index = (y * FLAT[0] + x) as usize;
            assert_eq!((sample.index, sample.cell), (index as u64, Some([x, y, 0])));
            let stored = &values.data[index * components..][..components];
            assert_eq!(sample.components, stored.iter().map(|v| f64::from(*v)).collect::<Vec<_>>());
            let [px, py, _] = sample.position.unwrap();
            assert!((px - (f64::from(x) + 0.5) * 0.1).abs() < 1e-12 && (py - (f64::from(y) + 0.5) * 0.1).abs() < 1e-12);
        }
    }
    // Outside the image is its nearest pixel; without a pointer there is no answer.
    let corner = observe_at(&sim, &View::new("a"), Some([2.0, -1.0])).sample.unwrap();
    assert_eq!(corner.cell, Some([18, 0, 0]));
    assert!(observe(&sim, &View::new("a")).sample.is_none());
    // Each face on its own.
    let faces = random(20 * 12 * 2, 7);
    sim.write("f", &faces).unwrap();
    let sample = observe_at(&sim, &View::new("f"), Some([5.5 / 19.0, 2.5 / 11.0])).sample.unwrap();
    let face = |x: usize, y: usize, axis: usize| f64::from(faces[(y * 20 + x) * 2 + axis]);
    assert_eq!(sample.components, [face(5, 2, 0), face(6, 2, 0), face(5, 2, 1), face(5, 3, 1)]);
}

#[test]
fn what_can_not_be_shown_is_said() {
    let sim = simulation(0);
    let mut viewer = stagewright_runtime::sim::wire_view::Viewer::new(sim.gpu()).unwrap();
    let cases = [
        (View::new("nobody.value"), "there is no such wire"),
        (View::new("a.colour"), "this node has: a.value"),
        (View { show: Show::Direction, ..View::new("a") }, "no direction"),
        (View { show: Show::Component(2), ..View::new("v") }, "no component 2"),
        (View { range: Some((0.0, f64::INFINITY)), ..View::new("a") }, "is not finite"),
    ];
    for (view, says) in cases {
        let problem = viewer.update(&sim, &view).unwrap_err().to_string();
        assert!(problem.contains(says), "{problem}");
    }
    assert!(viewer.image().is_none() && sim.gpu().take_faults().is_empty());
}
