//! Spheres seen through a camera, and their thickness, against rays and spheres in f64.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

use super::view_reference::*;

#[derive(Clone, Copy)]
struct Ball {
    center: V,
    radius: f64,
}

/// How a ray meets a ball: middle of the chord, half the chord squared (negative beside it), and how far rounding may move
/// the latter: it is a difference of squares of at most |c|, of which each has gone through a dozen roundings.
struct Chord {
    middle: f64,
    square: f64,
    slack: f64,
}

impl Ball {
    fn chord(&self, view: &View, pixel: usize) -> Chord {
        let away = plus(self.center, -1.0, view.eye);
        let ray = unit(view.q(pixel));
        let middle = dot(away, ray);
        let beside = plus(away, -middle, ray);
        let reach = dot(away, away).sqrt().max(self.radius);
        let square = self.radius * self.radius - dot(beside, beside);
        Chord { middle, square, slack: 12.0 * U * reach * (2.0 * self.radius + 12.0 * U * reach) }
    }
}

const NEAR: f64 = 0.01;
const NOTHING: f64 = 1e30;

const SPHERES: &str = r##"
    "space": (domain: (resolution: (8, 8, 8), width: 4, edge: "wall")),
    "picture": (domain: (resolution: (96, 64), width: 1.5, edge: "clamp")),
    "set": (state: "Particles{position: Vec, velocity: Vec, radius: f32}", capacity: 200, on: "space"),
    "camera": (stage: "view/camera", params: {"look_at": (2, 1.5, 2), "azimuth": 33, "elevation": 21, "distance": 3, "fov": 40, "roll": 10}),
    "bounds": (stage: "view/sphere_bounds", inputs: {"camera": "camera.camera", "particles": "set.value"}),
    "depth": (stage: "view/sphere_depth", on: "picture", inputs: {"camera": "camera.camera", "particles": "bounds.particles"}),
    "index": (stage: "view/sphere_index", on: "picture", inputs: {"camera": "camera.camera", "particles": "bounds.particles", "depth": "depth.depth"}),
    "surface": (stage: "view/sphere_surface", inputs: {"camera": "camera.camera", "particles": "bounds.particles", "depth": "depth.depth", "index": "index.index"}),
    "thickness": (stage: "view/sphere_thickness", on: "picture", inputs: {"camera": "camera.camera", "particles": "bounds.particles"}),
"##;

/// Draws balls; each one's velocity is its place in the list.
fn drawn(balls: &[Ball]) -> (Simulation, View, Vec<Ball>) {
    let mut sim = start(60.0, SPHERES, &[]);
    draw(&mut sim, balls);
    let view = View::read(&sim, "camera.camera", SIZE);
    // As the GPU has them.
    let exact = |b: &Ball| Ball { center: b.center.map(|x| f64::from(x as f32)), radius: f64::from(b.radius as f32) };
    let balls = balls.iter().map(exact).collect();
    (sim, view, balls)
}

fn draw(sim: &mut Simulation, balls: &[Ball]) {
    sim.reset();
    let position: Vec<f32> = balls.iter().flat_map(|b| b.center.map(|x| x as f32)).collect();
    let velocity: Vec<f32> = (0..balls.len()).flat_map(|i| [i as f32, 0.5, -1.0]).collect();
    let radius: Vec<f32> = balls.iter().map(|b| b.radius as f32).collect();
    for (name, values) in [("position", &position), ("velocity", &velocity), ("radius", &radius)] {
        sim.write(&format!("set.{name}"), values).unwrap_or_else(|e| panic!("{e}"));
    }
    sim.set_count("set", balls.len() as u32).unwrap_or_else(|e| panic!("{e}"));
    step(sim, 1);
}

/// What a pixel must show: depth and ball; and the depths that rounding may confuse with it.
struct Expected {
    depth: f64,
    ball: usize,
    /// Whether rounding may decide if a ball is met at all.
    doubtful: bool,
}

fn expected(balls: &[Ball], view: &View, pixel: usize) -> Expected {
    let mut seen = Expected { depth: f64::INFINITY, ball: usize::MAX, doubtful: false };
    let forward = dot(unit(view.q(pixel)), view.forward);
    for (index, ball) in balls.iter().enumerate() {
        let chord = ball.chord(view, pixel);
        let depth = (chord.middle - chord.square.max(0.0).sqrt()) * forward;
        let moved = 2.0 * chord.slack.sqrt();
        seen.doubtful |= chord.square.abs() < chord.slack && depth + moved > NEAR || (depth - NEAR).abs() < moved;
        if chord.square >= 0.0 && depth >= NEAR && depth < seen.depth {
            (seen.depth, seen.ball) = (depth, index);
        }
    }
    seen
}

/// Error of a depth over what rounding allows: the chord's middle and the root, which amplifies near a rim.
fn depth_error(ball: &Ball, view: &View, pixel: usize, found: f64, exact: f64) -> f64 {
    let chord = ball.chord(view, pixel);
    let root = chord.square.max(0.0).sqrt();
    let bar = 16.0 * U * (chord.middle.abs() + root) + (chord.slack / root.max(chord.slack.sqrt()));
    (found - exact).abs() / bar
}

#[test]
fn a_sphere_has_the_depth_and_the_normal_of_ray_and_sphere() {
    let (sim, view, balls) = drawn(&[Ball { center: [2.1, 1.4, 1.9], radius: 0.4 }]);
    let [depth, normal, place, opacity] =
        ["depth.depth", "surface.normal", "surface.place", "surface.opacity"].map(|wire| read(&sim, wire));
    let mut depths = 0.0f64;
    let mut normals = 0.0f64;
    let mut hits = 0;
    for pixel in 0..view.pixels() {
        let exact = expected(&balls, &view, pixel);
        assert_eq!(opacity[pixel], f64::from(u8::from(depth[pixel] < NOTHING)), "the mask says where there is one");
        if exact.doubtful {
            continue;
        }
        assert_eq!(exact.ball == 0, depth[pixel] < NOTHING, "pixel {pixel}");
        if exact.ball != 0 {
            continue;
        }
        hits += 1;
        depths = depths.max(depth_error(&balls[0], &view, pixel, depth[pixel], exact.depth));
        let met = plus(view.eye, exact.depth, view.q(pixel));
        let outward = plus(met, -1.0, balls[0].center).map(|x| x / balls[0].radius);
        let at = |wire: &[f64]| [wire[3 * pixel], wire[3 * pixel + 1], wire[3 * pixel + 2]];
        // The place moves by the depth's error along the ray, and rounds to U of itself.
        let root = balls[0].chord(&view, pixel).square.sqrt();
        let bar = (16.0 * U * 4.0 + balls[0].chord(&view, pixel).slack / root) / balls[0].radius + 20.0 * U;
        for (found, exact) in [(at(&normal), outward), (plus(at(&place), -1.0, met), [0.0; 3])] {
            let error = plus(found, -1.0, exact);
            normals = normals.max(dot(error, error).sqrt() / (2.0 * bar));
        }
    }
    println!("{hits} of {} pixels show the sphere", view.pixels());
    assert!(hits > 300);
    within("depth, over its rounding", depths, 1.0, "16 U of the way, and what the root makes of 12 U at the rim");
    within("normal and place, over their rounding", normals, 1.0, "the depth's error along the ray, over the radius");
}

/// Compares depth, index and velocity in every pixel with the nearest of all balls.
fn agrees(balls: &[Ball]) -> (usize, usize) {
    let (sim, view, balls) = drawn(balls);
    let (depth, index) = (read(&sim, "depth.depth"), words(&sim, "index.index"));
    let velocity = read(&sim, "surface.velocity");
    let mut worst = 0.0f64;
    let mut shown = 0;
    let mut doubtful = 0;
    for pixel in 0..view.pixels() {
        let exact = expected(&balls, &view, pixel);
        if exact.doubtful {
            doubtful += 1;
            continue;
        }
        assert_eq!(exact.ball < balls.len(), depth[pixel] < NOTHING, "pixel {} {}", pixel % SIZE[0], pixel / SIZE[0]);
        if exact.ball == usize::MAX {
            assert_eq!(index[pixel], u32::MAX, "nobody is seen where there is nothing");
            continue;
        }
        shown += 1;
        worst = worst.max(depth_error(&balls[exact.ball], &view, pixel, depth[pixel], exact.depth));
        // Another ball may be named if it is as deep within the documented ten-thousandth, twice over for both roundings.
        let named = index[pixel] as usize;
        let chord = balls[named].chord(&view, pixel);
        let other = (chord.middle - chord.square.max(0.0).sqrt()) * dot(unit(view.q(pixel)), view.forward);
        assert!((other - exact.depth).abs() <= 2e-4 * exact.depth, "pixel {pixel}: {named} instead of {}", exact.ball);
        assert_eq!(velocity[3 * pixel], named as f64, "the velocity is that of the ball that is named");
    }
    println!("{shown} of {} pixels show one of {} balls, {doubtful} are left to rounding", view.pixels(), balls.len());
    within("depth, over its rounding", worst, 1.0, "16 U of the way, and what the root makes of 12 U at the rim");
    (shown, doubtful)
}

#[test]
fn the_nearest_of_two_overlapping_spheres_wins_every_pixel() {
    let near = Ball { center: [2.2, 1.6, 2.2], radius: 0.35 };
    let far = Ball { center: [1.9, 1.5, 1.8], radius: 0.5 };
    let (once, doubtful) = agrees(&[near, far]);
    assert!(once > 500 && doubtful < 20);
    assert_eq!(agrees(&[far, near]), (once, doubtful), "their order in the set does not matter");
}

/// Balls all over, across the image's border, next to the eye, around it and behind it.
fn scattered() -> Vec<Ball> {
    let eye = View::read(&drawn(&[Ball { center: [9.0; 3], radius: 0.1 }]).0, "camera.camera", SIZE);
    let r = random(200, 3);
    let mut balls: Vec<Ball> = (0..40)
        .map(|i| {
            let side = eye.tangent * 2.2;
            let depth = 0.4 + 2.0 * f64::from(r[4 * i] + 1.0);
            let along = plus(eye.forward, side * f64::from(r[4 * i + 1]), eye.right);
            let q = plus(along, 0.7 * side * f64::from(r[4 * i + 2]), eye.up);
            Ball { center: plus(eye.eye, depth, q), radius: 0.02 + 0.1 * f64::from(r[4 * i + 3] + 1.0) }
        })
        .collect();
    let at = |x: f64, y: f64, z: f64, radius: f64| Ball {
        center: plus(plus(plus(eye.eye, x, eye.right), y, eye.up), z, eye.forward),
        radius,
    };
    // Touching the eye's plane from before, reaching behind it, behind it altogether, around the eye, tiny and close.
    balls.extend([
        at(0.12, 0.02, 0.105, 0.1),
        at(-0.15, 0.05, 0.05, 0.1),
        at(0.0, 0.0, -0.5, 0.3),
        at(0.01, 0.02, -0.01, 0.06),
        at(0.003, -0.004, 0.02, 0.005),
    ]);
    balls
}

#[test]
fn footprints_miss_no_pixel_at_the_border_or_near_the_eye() {
    let balls = scattered();
    for ball in &balls {
        let (sim, view, one) = drawn(std::slice::from_ref(ball));
        let depth = read(&sim, "depth.depth");
        for (pixel, depth) in depth.iter().enumerate() {
            let exact = expected(&one, &view, pixel);
            let [x, y] = [pixel % SIZE[0], pixel / SIZE[0]];
            let of = format!("pixel {x}, {y} of a ball of {:.3} m at {:.3?}", ball.radius, ball.center);
            assert!(exact.doubtful || (*depth < NOTHING) == (exact.ball == 0), "{of}");
        }
    }
    let (shown, doubtful) = agrees(&balls);
    assert!(shown > 1000 && doubtful < view_area() / 50);
}

#[test]
fn thickness_is_the_sum_of_chords_in_front_of_the_eye() {
    let balls = scattered();
    let (sim, view, balls) = drawn(&balls);
    let thickness = read(&sim, "thickness.thickness");
    let mut worst = 0.0f64;
    for (pixel, found) in thickness.iter().enumerate() {
        let begin = NEAR / dot(unit(view.q(pixel)), view.forward);
        let (mut sum, mut bar) = (0.0, 0.0);
        for ball in &balls {
            let chord = ball.chord(&view, pixel);
            let half = chord.square.max(0.0).sqrt();
            sum += (chord.middle + half - (chord.middle - half).max(begin)).max(0.0);
            // A rounded chord; near the rim the root of the rounding.
            if chord.square > -chord.slack {
                bar +=
                    2.0 * chord.slack / half.max(chord.slack.sqrt()) + 32.0 * U * chord.middle.abs() + 2f64.powi(-21);
            }
        }
        worst = worst.max((found - sum).abs() / bar.max(1e-30));
    }
    within("thickness, over its rounding", worst, 1.0, "2^-21 m and the chord's own rounding for each ball on the ray");
}

#[test]
fn the_thickness_of_a_sphere_integrates_to_its_volume() {
    for radius in [0.2, 0.45] {
        let (sim, view, balls) = drawn(&[Ball { center: [2.1, 1.45, 1.9], radius }]);
        let thickness = read(&sim, "thickness.thickness");
        let mut volume = 0.0;
        for (pixel, chord) in thickness.iter().enumerate() {
            let ray = unit(view.q(pixel));
            // Solid angle of the pixel times the integral of t^2 along the chord.
            let angle = view.pixel().powi(2) * dot(ray, view.forward).powi(3);
            let middle = balls[0].chord(&view, pixel).middle;
            volume += angle * (chord * middle * middle + chord.powi(3) / 12.0);
        }
        let exact = 4.0 / 3.0 * std::f64::consts::PI * balls[0].radius.powi(3);
        let width = view.pixel() * 3.0 / radius;
        // In radii: 2 pi / w pixels lie on the rim, w^2 large each, where the chord's mean over a pixel is off by less than sqrt(2 w).
        let bar =
            2.0 * std::f64::consts::PI * width * (2.0 * width).sqrt() * width / (4.0 / 3.0 * std::f64::consts::PI);
        let what = format!("volume of a ball of {:.1} pixels", 1.0 / width);
        within(&what, (volume / exact - 1.0).abs(), bar, "midpoint rule: the root at the rim, in units of the radius");
    }
}

/// On a GPU eight invocations share the rows of a sphere's pixels (pass `lanes`).
#[test]
fn rows_that_invocations_share_change_no_bit() {
    let places = random(4 * 200, 5);
    let ball = |v: &[f32]| Ball {
        center: [2.0 + 1.5 * f64::from(v[0]), 1.5 + 1.2 * f64::from(v[1]), 2.0 + 1.5 * f64::from(v[2])],
        radius: 0.02 + 0.2 * f64::from(v[3] * v[3]),
    };
    let balls: Vec<Ball> = places.chunks(4).map(ball).collect();
    let graph = Graph::build(&document(60.0, SPHERES, &[]), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let wires = ["depth.depth", "index.index", "thickness.thickness", "bounds.particles.bounds"];
    let seen = |without: &[&str]| {
        let tuning = Tuning { without: without.iter().map(ToString::to_string).collect(), ..Tuning::gpu() };
        let keep = Keep::Wires(wires.map(String::from).into());
        let options = PlanOptions { keep, tuning, ..PlanOptions::default() };
        let plan = Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
        let sharing = plan.kernels.iter().filter(|kernel| kernel.wgsl.contains(" = _share; ")).count();
        let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
        draw(&mut sim, &balls);
        (sharing, wires.map(|wire| words(&sim, wire)))
    };
    let (sharing, shared) = seen(&[]);
    let (none, alone) = seen(&["lanes"]);
    assert_eq!((sharing, none), (3, 0));
    for (wire, (shared, alone)) in wires.iter().zip(shared.iter().zip(&alone)) {
        assert_eq!(shared, alone, "{wire}");
    }
    assert!(shared[1].iter().filter(|index| **index != u32::MAX).count() > 3000, "most pixels show a ball");
}
