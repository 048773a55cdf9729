//! What flipbooks are made of: motion, normals and six-way light of smoke, as a camera sees it.

use stagewright_solver_support::field_samples::{Point, added, less, norm, scaled};
use stagewright_solver_support::harness::*;

use super::pinhole::{LOOK_AT, VIEWS, axes};
use super::views::{projected, scene};

const WIND: Point = [0.4, -0.3, 0.5];
const STEPS: f64 = 8.0;

/// The first of the samples along the ray of a pixel of 96 x 64 in a box of 1 m; `None` where it misses.
fn first_sample(pixel: usize, view: Point) -> Option<Point> {
    let [right, up, forward] = axes(view);
    let eye = less(LOOK_AT, scaled(forward, 2.0));
    let half = 20f64.to_radians().tan();
    let [x, y] = [(pixel % 96) as f64 + 0.5 - 48.0, (pixel / 96) as f64 + 0.5 - 32.0].map(|cells| cells / 32.0 * half);
    let ray = added(forward, added(scaled(right, x), scaled(up, y)));
    let ray = scaled(ray, 1.0 / norm(ray));
    let (mut enters, mut leaves) = (0f64, f64::INFINITY);
    for axis in 0..3 {
        let [a, b] = [-eye[axis] / ray[axis], (1.0 - eye[axis]) / ray[axis]];
        (enters, leaves) = (enters.max(a.min(b)), leaves.min(a.max(b)));
    }
    // What only touches an edge depends on rounding.
    (leaves - enters > 0.02).then(|| added(eye, scaled(ray, enters + 0.5 * (leaves - enters) / STEPS)))
}

#[test]
fn motion_of_smoke_is_the_velocity_of_its_image() {
    let nodes = r##"
        "fill": (custom: r#"//! Fill
            //! @out density: Grid<f32>
            //! @out flow: Grid<Vec>
            fn stage(cell: Cell) -> Result { return Result(1.0, vec3f(0.4, -0.3, 0.5)); }"#, on: "scene"),
        "motion": (stage: "view/volume_motion", on: "picture", params: {"opacity": 1e5, "steps": 8},
            inputs: {"camera": "camera.camera", "density": "fill.density", "velocity": "fill.flow"}),
    "##;
    for view in VIEWS {
        let mut sim = scene(nodes, view);
        step(&mut sim, 1);
        let got = read(&sim, "motion.motion");
        let (mut worst, mut seen) = (0f64, 0);
        // So dense that each ray sees its first sample alone.
        for (pixel, got) in got.chunks(2).enumerate() {
            let Some(place) = first_sample(pixel, view) else { continue };
            let ends = [-1e-4, 1e-4].map(|dt| projected(added(place, scaled(WIND, dt)), view));
            seen += 1;
            for axis in 0..2 {
                // The image is 1 m high, from -1 to 1.
                worst = worst.max((got[axis] - 0.5 * (ends[1][axis] - ends[0][axis]) / 2e-4).abs());
            }
        }
        assert!(seen > 1000, "{seen} pixels");
        within(&format!("motion at {view:?} [m/s]"), worst, 2e-3, "WGSL's sine, cosine and tangent, as of the camera");
    }
}

#[test]
fn six_sides_light_a_ball_alike_and_its_normals_point_outwards() {
    let nodes = r##"
        "fill": (custom: r#"//! Fill
            //! @out density: Grid<f32>
            fn stage(cell: Cell) -> f32 { return smoothstep(0.3, 0.2, length(position(cell) - vec3f(0.5))); }"#, on: "scene"),
        "front": (stage: "view/camera", params: {"look_at": (0.5, 0.5, 0.5), "azimuth": 0, "elevation": 0, "distance": 2, "fov": 40}),
        "light": (stage: "view/six_way_light", inputs: {"camera": "front.camera", "density": "fill.density"}, params: {"absorption": 10}),
        "maps": (stage: "view/six_way", on: "picture", params: {"opacity": 10, "steps": 48},
            inputs: {"camera": "front.camera", "density": "fill.density", "positive": "light.positive", "negative": "light.negative"}),
        "normal": (stage: "view/volume_normal", on: "picture", params: {"opacity": 10, "steps": 48, "width": 0.06},
            inputs: {"camera": "front.camera", "density": "fill.density"}),
    "##;
    let mut sim = scene(nodes, VIEWS[0]);
    step(&mut sim, 1);
    let [positive, negative] = ["maps.right_top_back", "maps.left_bottom_front"].map(|wire| read(&sim, wire));
    let normal = read(&sim, "normal.normal");
    let texel = |values: &[f64], x: usize, y: usize, of: usize| values[of * (96 * y + x)..][..of].to_vec();
    let (mut mirrored, mut turned) = (0f64, 0f64);
    for y in 22..42 {
        for x in 38..58 {
            let (here, left) = (texel(&positive, x, y, 4), texel(&negative, 95 - x, y, 4));
            mirrored = mirrored.max((here[0] - left[0]).abs()).max((here[3] - left[3]).abs());
            turned = turned.max((here[1] - texel(&negative, x, 63 - y, 4)[1]).abs());
        }
    }
    within("from the right and from the left", mirrored, 1e-4, "the ball is symmetric; sums of 72 in f32");
    within("from the top and from the bottom", turned, 1e-4, "the same");
    let [right, left] = [56, 39].map(|x| texel(&positive, x, 32, 4));
    println!("light from the right: {:.3} at the right, {:.3} at the left; opacity {:.3}", right[0], left[0], right[3]);
    assert!(right[0] > 2.0 * left[0] && right[3] > 0.5 && positive[3] == 0.0, "lit from its side, empty in the corner");
    let (front, back) = (texel(&negative, 48, 32, 4)[2], texel(&positive, 48, 32, 4)[2]);
    assert!(front > 2.0 * back, "from the front {front}, through the ball {back}");
    let (middle, upper, side) = (texel(&normal, 48, 32, 3), texel(&normal, 48, 40, 3), texel(&normal, 57, 32, 3));
    println!("normals: middle {middle:.3?}, upper {upper:.3?}, right {side:.3?}");
    assert!(middle[2] > 0.98 && upper[1] > 0.3 && side[0] > 0.3 && upper[0].abs() < 0.1 && side[1].abs() < 0.1);
    assert_eq!(texel(&normal, 0, 0, 3), [0.0; 3]);
}
