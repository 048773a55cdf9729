//! The pointer in space: its ray, what it touches, a drag, and a body that is taken and thrown.

use stagewright_base::input::FrameInput;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::field_samples::{Point, added, dot, less, norm, scaled};
use stagewright_solver_support::harness::*;

use super::pinhole::{LOOK_AT, VIEWS, axes};

const SIZE: [f64; 2] = [96.0, 64.0];
const PLACES: [[f64; 2]; 6] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.5], [0.3, 0.8]];
const ORBIT: f64 = 40.0; // [degrees/s]

const NODES: &str = r##"
    "picture": (domain: (resolution: (96, 64), width: 1.5, edge: "wall")),
    "scene": (domain: (resolution: (16, 16, 16), width: 1, edge: "clamp")),
    "camera": (stage: "view/camera", params: {"look_at": (0.5, 0.25, 0.75), "azimuth": "$azimuth", "elevation": $elevation,
        "distance": 2, "fov": 40, "roll": $roll}),
    "ray": (stage: "control/pointer_ray", on: "picture", inputs: {"camera": "camera"}),
    "memory": (state: "vec4f", inputs: {"next": "hand.memory"}),
    "hand": (stage: "control/pointer_in_space", on: "picture", params: {$hand}, inputs: {"camera": "camera", "origin": "ray.origin",
        "direction": "ray.direction", "last": "memory", $touch}),
    $nodes
"##;

fn scene(hand: &str, touch: &str, nodes: &str, [azimuth, elevation, roll]: [f64; 3], orbit: f64) -> Simulation {
    let values = [
        ("$azimuth", format!("{azimuth} + {orbit} * time")),
        ("$elevation", elevation.to_string()),
        ("$roll", roll.to_string()),
        ("$hand", hand.into()),
        ("$touch", touch.into()),
        ("$nodes", nodes.into()),
    ];
    start(60.0, NODES, &pairs(&values))
}

/// Origin and direction of the ray, in f64.
fn ray(mouse: [f64; 2], view: [f64; 3]) -> [Point; 2] {
    let [right, up, forward] = axes(view);
    let half = 20f64.to_radians().tan();
    let across = added(
        scaled(right, half * (2.0 * mouse[0] - 1.0) * SIZE[0] / SIZE[1]),
        scaled(up, half * (2.0 * mouse[1] - 1.0)),
    );
    let along = added(forward, across);
    [less(LOOK_AT, scaled(forward, 2.0)), scaled(along, 1.0 / norm(along))]
}

/// Where a point appears, in pixels from the lower left.
fn seen(at: Point, view: [f64; 3]) -> [f64; 2] {
    let [right, up, forward] = axes(view);
    let away = less(at, less(LOOK_AT, scaled(forward, 2.0)));
    let scale = 0.5 * SIZE[1] / (dot(away, forward) * 20f64.to_radians().tan());
    [0.5 * SIZE[0] + scale * dot(away, right), 0.5 * SIZE[1] + scale * dot(away, up)]
}

fn frame(sim: &mut Simulation, mouse: [f64; 2], buttons: u32) {
    let input = FrameInput { mouse: mouse.map(|x| x as f32), buttons, ..FrameInput::default() };
    sim.step(&input).unwrap_or_else(|e| panic!("{e}"));
}

fn point(sim: &Simulation, wire: &str) -> Point {
    let values = read(sim, wire);
    [values[0], values[1], values[2]]
}

/// WGSL's sine, cosine and tangent of the angles may each be off by 2^-11.
const ANGLES: f64 = 3.0 * 4.9e-4;

#[test]
fn the_pointers_ray_is_that_of_a_pinhole_at_every_border() {
    for view in VIEWS {
        let mut sim = scene("", "", "", view, 0.0);
        for mouse in PLACES {
            frame(&mut sim, mouse, 0);
            let [origin, direction] = ray(mouse, view);
            let what = format!("ray at {mouse:?} of {view:?}");
            within(&what, norm(less(point(&sim, "ray.direction"), direction)), ANGLES, "WGSL's sine and cosine");
            within("  its origin [m]", norm(less(point(&sim, "ray.origin"), origin)), 2.0 * ANGLES, "2 m away");
        }
    }
}

#[test]
fn the_pointer_touches_shapes_depths_and_smoke_where_they_are() {
    let nodes = r##"
        "ball": (stage: "shape/sphere", on: "scene", params: {"center": (0.5, 0.25, 0.75), "radius": 0.3}),
        "floor": (stage: "shape/plane", on: "scene", params: {"through": (0, -1.5, 0), "normal": (0, 1, 0)}),
        "wall": (custom: r#"//! Wall
            //! @out depth: Grid<f32>
            fn stage(cell: Cell) -> f32 { return 1.0 + 0.01 * f32(cell.x); }"#, on: "picture"),
        "air": (domain: (resolution: (64, 64, 64), width: 1, edge: "zero")),
        "haze": (custom: r#"//! Haze
            //! @out density: Grid<f32>
            fn stage(cell: Cell) -> f32 { return select(0.0, 1.0, length(position(cell) - vec3f(0.5, 0.25, 0.75)) < 0.2); }"#, on: "air"),
    "##;
    for view in VIEWS {
        let mut ball = scene("", r#""shape": "ball""#, nodes, view, 0.0);
        let mut floor = scene("", r#""shape": "floor""#, nodes, view, 0.0);
        let mut wall = scene("", r#""depth": "wall""#, nodes, view, 0.0);
        let mut haze = scene(r#""far": 4, "opaque": 0.1"#, r#""density": "haze""#, nodes, view, 0.0);
        for mouse in PLACES.into_iter().chain([[0.55, 0.4], [0.48, 0.6]]) {
            let [origin, direction] = ray(mouse, view);
            [&mut ball, &mut floor, &mut wall, &mut haze].into_iter().for_each(|sim| frame(sim, mouse, 0));
            let away = less(origin, LOOK_AT);
            let along = dot(away, direction);
            let root = along * along - dot(away, away) + 0.3 * 0.3;
            assert_eq!(read(&ball, "hand.over")[0] > 0.5, root > 0.0, "over the ball at {mouse:?} of {view:?}");
            // A ray that meets the sphere at a slant stretches the error of its direction by the slant.
            if root > 0.0 {
                let slant = 0.3 / root.sqrt();
                let hit = added(origin, scaled(direction, -along - root.sqrt()));
                let because = "the ray's, and the march ends at 1e-4 of the way";
                within(
                    "on the sphere [m]",
                    norm(less(point(&ball, "hand.point"), hit)),
                    2.0 * (2.0 * ANGLES + 2e-4) * slant,
                    because,
                );
            }
            let half = along * along - dot(away, away) + 0.2 * 0.2;
            if half > 0.075 * 0.075 {
                let deep = added(origin, scaled(direction, 0.1 - along - half.sqrt()));
                let slant = 0.2 / half.sqrt();
                within(
                    "in the smoke [m]",
                    norm(less(point(&haze, "hand.point"), deep)),
                    2.0 * 4.0 / 256.0 + slant / 64.0,
                    "steps of far / 256, and cells of 1/64 at the slant",
                );
            }
            let reach = (-1.5 - origin[1]) / direction[1];
            let met = reach > 0.0 && reach < 20.0;
            assert_eq!(read(&floor, "hand.over")[0] > 0.5, met, "over the floor at {mouse:?} of {view:?}");
            if met {
                let hit = added(origin, scaled(direction, reach));
                let bar = (2.0 * ANGLES + 1e-4) * reach / direction[1].abs();
                within(
                    "on the floor [m]",
                    norm(less(point(&floor, "hand.point"), hit)),
                    bar,
                    "the ray's, by its slant",
                );
            }
            let depth = 1.0 + 0.01 * (mouse[0] * SIZE[0]).floor().clamp(0.0, 95.0);
            let hit = added(origin, scaled(direction, depth / dot(direction, axes(view)[2])));
            within("on the depth image [m]", norm(less(point(&wall, "hand.point"), hit)), 4.0 * ANGLES, "the ray's");
        }
    }
}

#[test]
fn a_dragged_point_stays_under_the_pointer_while_the_camera_orbits() {
    let nodes =
        r#""ball": (stage: "shape/sphere", on: "scene", params: {"center": (0.5, 0.25, 0.75), "radius": 0.3}),"#;
    for view in VIEWS {
        let mut sim = scene("", r#""shape": "ball""#, nodes, view, ORBIT);
        let mut before = [0.0; 3];
        let mut worst = 0.0f64;
        let mut spread = 0.0f64;
        for i in 0..60 {
            let t = f64::from(i) / 60.0;
            let mouse = [0.5 + 0.4 * (5.0 * t).sin(), 0.5 - 0.3 * (3.0 * t).sin()];
            frame(&mut sim, mouse, 1);
            let at = point(&sim, "hand.point");
            let now = [view[0] + ORBIT * t, view[1], view[2]];
            let pixel = seen(at, now);
            worst = worst.max((pixel[0] - mouse[0] * SIZE[0]).hypot(pixel[1] - mouse[1] * SIZE[1]));
            assert_eq!(read(&sim, "hand.pressed"), [1.0], "held in frame {i}");
            if i > 0 {
                let moved = scaled(less(at, before), 60.0);
                spread = spread.max(norm(less(point(&sim, "hand.velocity"), moved)));
                let turned = dot(less(at, before), axes(now)[2]);
                within(
                    "  out of the plane that faces the camera [m]",
                    turned,
                    ANGLES * norm(less(at, before)) + 8.0 * U * 4.0,
                    "WGSL's sine",
                );
            }
            before = at;
        }
        within(&format!("from the pointer at {view:?} [pixels]"), worst, 1.0, "within a pixel");
        within("velocity against the difference [m/s]", spread, 60.0 * 8.0 * U * 3.0, "8 roundings of 3 m over 1/60 s");
        frame(&mut sim, [0.5, 0.5], 0);
        assert_eq!(read(&sim, "hand.pressed"), [0.0], "released");
        // Pressed beside the ball and moved across it: nothing is taken.
        frame(&mut sim, [0.0, 1.0], 1);
        frame(&mut sim, [0.5, 0.5], 1);
        assert_eq!(read(&sim, "hand.pressed"), [0.0], "a press beside it takes nothing");
    }
}

const BODY: &str = r#"
    "shape": (stage: "shape/sphere", on: "scene", params: {"center": (0, 0, 0), "radius": 0.1}),
    "held": (stage: "shape/carried", inputs: {"shape": "shape", "center": "center"}),
    "center": (state: "vec3f", inputs: {"next": "body.center"}),
    "motion": (state: "vec4f", inputs: {"next": "body.motion"}),
    "body": (stage: "control/grabbed_body", inputs: {"hand": "hand.point", "hand_velocity": "hand.velocity", "pressed": "hand.pressed",
        "last_center": "center", "last_motion": "motion"}, params: {"radius": 0.1, "low": (-0.5, -0.5, 0), "high": (1.5, 1, 1.5),
        "path": "[0.5, 0.25, 0.75 + 0.05 * time]", "path_velocity": (0, 0, 0.05), "damping": 0, "restitution": 0.5}),
"#;

fn in_box(at: Point) -> bool {
    let low = [-0.4, -0.4, 0.1];
    let high = [1.4, 0.9, 1.4];
    (0..3).all(|a| at[a] >= low[a] - 1e-6 && at[a] <= high[a] + 1e-6)
}

#[test]
fn a_body_is_on_its_path_until_it_is_taken_and_flies_as_it_is_thrown() {
    let mut sim = scene("", r#""shape": "held""#, BODY, VIEWS[1], 0.0);
    for i in 0..5 {
        frame(&mut sim, [0.0, 0.0], 0);
        let path = [0.5, 0.25, 0.75 + 0.05 * f64::from(i) / 60.0];
        within("from its path [m]", norm(less(point(&sim, "body.center"), path)), 4.0 * U, "rounding");
    }
    // Taken a little beside the middle, where it was, without a jump, and led along a curve.
    let hand = |t: f64| [0.51 + 0.3 * t, 0.49 + 0.8 * t * t];
    let start = point(&sim, "body.center");
    frame(&mut sim, hand(0.0), 1);
    assert_eq!(read(&sim, "hand.pressed"), [1.0]);
    within("jump when it is taken [m]", norm(less(point(&sim, "body.center"), start)), 8.0 * U, "rounding");
    let offset = less(point(&sim, "hand.point"), start);
    for i in 1..20 {
        frame(&mut sim, hand(f64::from(i) / 60.0), 1);
        let apart = less(less(point(&sim, "hand.point"), point(&sim, "body.center")), offset);
        within("between the hand and the grabbed point [m]", norm(apart), 16.0 * U * 3.0, "rounding");
    }
    let from = point(&sim, "body.center");
    frame(&mut sim, hand(20.0 / 60.0), 0);
    let thrown = point(&sim, "hand.velocity");
    println!("thrown at {:.3} m/s", norm(thrown));
    assert!(norm(thrown) > 0.3);
    // Symplectic Euler: after n frames  v = v0 - n g dt,  x = x0 + n v0 dt - g dt^2 n (n + 1) / 2.
    for n in 1..=6 {
        if n > 1 {
            frame(&mut sim, [0.0, 0.0], 0);
        }
        let n = f64::from(n);
        let velocity = added(thrown, [0.0, -9.81 * n / 60.0, 0.0]);
        within(
            "velocity [m/s]",
            norm(less(point(&sim, "body.velocity"), velocity)),
            60.0 * 16.0 * U * 3.0,
            "differences over 1/60 s",
        );
        let fall = -9.81 / 3600.0 * n * (n + 1.0) / 2.0;
        let place = added(from, added(scaled(thrown, n / 60.0), [0.0, fall, 0.0]));
        within("place [m]", norm(less(point(&sim, "body.center"), place)), 64.0 * U * 3.0, "rounding");
    }
}

#[test]
fn a_body_never_leaves_its_box_and_comes_to_rest() {
    let mut sim = scene("", r#""shape": "held""#, BODY, VIEWS[1], 0.0);
    frame(&mut sim, [0.5, 0.5], 0);
    let mut throws = 0;
    for round in 0..40 {
        // Takes it wherever it is, pulls it far past the sides in one frame, and lets go while moving.
        let at = seen(point(&sim, "body.center"), VIEWS[1]);
        frame(&mut sim, [at[0] / SIZE[0], at[1] / SIZE[1]], 1);
        throws += u32::from(read(&sim, "hand.pressed")[0] > 0.5);
        let far = random(4, round);
        for i in 0..6 {
            frame(
                &mut sim,
                [0.5 + 1.4 * f64::from(far[i % 4]), 0.5 + 1.4 * f64::from(far[(i + 1) % 4])],
                u32::from(i < 5),
            );
            assert!(in_box(point(&sim, "body.center")), "outside: {:?}", point(&sim, "body.center"));
        }
        for _ in 0..8 {
            frame(&mut sim, [0.0, 0.0], 0);
            assert!(in_box(point(&sim, "body.center")), "outside: {:?}", point(&sim, "body.center"));
        }
    }
    println!("{throws} throws of 40 presses");
    assert_eq!(throws, 40, "the pointer is over the body each time");
    for _ in 0..600 {
        frame(&mut sim, [0.0, 0.0], 0);
    }
    within("height above the floor at rest [m]", point(&sim, "body.center")[1] + 0.4, 9.81 / 3600.0, "a frame's fall");
}

#[test]
fn nothing_is_highlighted_until_there_is_a_pointer() {
    let mut sim = scene("", r#""shape": "held""#, BODY, VIEWS[1], 0.0);
    for _ in 0..3 {
        // What a frame without input has; the body is behind the middle of the image.
        step(&mut sim, 1);
        assert_eq!(read(&sim, "hand.over"), [0.0]);
    }
    frame(&mut sim, [0.501, 0.5], 0);
    assert_eq!(read(&sim, "hand.over"), [1.0], "it has moved");
    frame(&mut sim, [0.5, 0.5], 0);
    assert_eq!(read(&sim, "hand.over"), [1.0], "and is still there");
}

#[test]
fn a_stroke_drags_the_fluid_along_and_never_faster_than_the_hand() {
    let nodes = r#"
        "drag": (custom: r"//! Drag
            //! @over once
            //! @out hand: vec3f
            //! @out speed: vec3f
            fn stage() -> Result { return Result(vec3f(0.6, 0.5, 0.4), vec3f(6.0, 0.0, 0.0)); }"),
        "stir": (stage: "fluid/force_stroke", on: "scene", iterations: 50, inputs: {"hand": "drag.hand", "hand_velocity": "drag.speed",
            "pressed": "down"}, params: {"radius": 0.1, "strength": 30}),
        "down": (number: $down),
    "#;
    let velocity = |down: &str, iterations: &str| {
        let nodes = nodes.replace("$down", down).replace("iterations: 50", &format!("iterations: {iterations}"));
        let mut sim = scene("", "", &nodes, VIEWS[0], 0.0);
        step(&mut sim, 1);
        read(&sim, "stir.velocity")
    };
    assert_eq!(max_abs(&velocity("0", "1")), 0.0, "a hand that does not press");
    let once = velocity("1", "1");
    // The stroke of this frame runs from x = 0.5 to x = 0.6.
    let expected: Vec<f64> = (0..16 * 16 * 16)
        .flat_map(|i| {
            let [x, y, z] = [i % 16, i / 16 % 16, i / 256].map(|c| (f64::from(c) + 0.5) / 16.0);
            let away = [x - x.clamp(0.5, 0.6), y - 0.5, z - 0.4];
            let weight = (-dot(away, away) / 0.01).exp();
            [6.0 * (1.0 - (-30.0 / 60.0 * weight).exp()), 0.0, 0.0]
        })
        .collect();
    within("velocity [m/s]", max_abs(&difference(&once, &expected)), 6.0 * 64.0 * U, "64 roundings of 6 m/s");
    let often = velocity("1", "50");
    within("faster than the hand [m/s]", (max_abs(&often) - 6.0).max(0.0), 6.0 * 8.0 * U, "rounding");
    assert!(max_abs(&often) > 5.9);
}

#[test]
fn the_ball_of_the_water_is_thrown_floats_and_keeps_particles_out() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/graphs/sph_water.ron");
    let text = std::fs::read_to_string(path).unwrap();
    let small = text
        .replace(r#""spacing": (number: 0.02,"#, r#""spacing": (number: 0.05,"#)
        .replace(r#""picture_height": (number: 720,"#, r#""picture_height": (number: 45,"#);
    assert_ne!(small, text);
    let document = stagewright_language::document::Document::parse(&small).unwrap();
    let mut sim = fused(&document, &["ball/body", "ball/hand.pressed", "substep.particles"]);
    // The ball's middle in the image at 0.2 s, for the graph's camera.
    let at = [0.7326, 0.4467];
    let mut deepest = f64::NEG_INFINITY;
    let mut fastest = 0.0f64;
    for i in 0..100 {
        let t = f64::from(i) / 60.0;
        let (mouse, down) = match t {
            t if t < 0.2 => (at, 0),
            // Up out of the water, then down into it and along it, and thrown.
            t if t < 0.5 => ([at[0] - (t - 0.2) / 3.0, at[1] + 0.4 * (t - 0.2)], 1),
            t if t < 0.8 => ([at[0] - 0.1 - 0.8 * (t - 0.5), at[1] + 0.12 - 0.7 * (t - 0.5)], 1),
            _ => ([0.0, 1.0], 0),
        };
        frame(&mut sim, mouse, down);
        let center = point(&sim, "ball/body.center");
        if (0.25..0.79).contains(&t) {
            assert_eq!(read(&sim, "ball/hand.pressed"), [1.0], "held at {t:.3} s");
            fastest = fastest.max(norm(point(&sim, "ball/body.velocity")));
        }
        // The tank is 2.2 x 0.8 x 1 m for a hand, and the ball's radius 0.14 m.
        let high = [2.06, 0.66, 0.86];
        assert!((0..3).all(|a| center[a] >= 0.14 - 1e-6 && center[a] <= high[a] + 1e-6), "{center:?}");
        for place in read(&sim, "substep.particles.position").chunks(3) {
            deepest = deepest.max(0.14 - norm(less([place[0], place[1], place[2]], center)));
        }
    }
    println!(
        "the hand moves the ball at up to {fastest:.2} m/s; its centre ends at {:?}",
        point(&sim, "ball/body.center")
    );
    assert!(fastest > 0.5);
    within(
        "a particle's centre inside the ball [m]",
        deepest.max(0.0),
        0.025,
        "the radius of a particle, which it is pushed out to",
    );
    let height = point(&sim, "ball/body.center")[1];
    assert!((0.25..0.45).contains(&height), "it floats, at {height} m");
}
