//! A body that flies along a drawn path, and the vortices that it sheds (equations 6 to 8 of Bridson et al. 2007), against f64 references.

use stagewright_base::curve::Curve;
use stagewright_language::document::{Document, ParamValue};
use stagewright_runtime::sim::{FrameInput, Simulation};
use stagewright_solver_support::field_samples::*;
use stagewright_solver_support::harness::*;

// With the same slope at both ends, so that they fit together.
const X: [(f64, f64); 4] = [(0.0, 0.5), (0.25, 0.25), (0.75, 0.75), (1.0, 0.5)];
const Y: [(f64, f64); 5] = [(0.0, 0.5), (0.125, 0.5), (0.5, 0.625), (0.875, 0.5), (1.0, 0.5)];
const Z: [(f64, f64); 2] = [(0.0, 0.5), (1.0, 0.5)];

/// A quadratic B-spline of three entries of the tables.
fn path(time: f64, duration: f64, repeat: bool) -> Point {
    let part = time.max(0.0) / duration;
    let part = if repeat { part - part.floor() } else { part.min(1.0) };
    let middle = (64.0 * part).round();
    let u = 64.0 * part - middle;
    let weights = [0.5 * (0.5 - u).powi(2), 0.75 - u * u, 0.5 * (0.5 + u).powi(2)];
    let curves = [&X[..], &Y[..], &Z[..]].map(|points| Curve { points: points.to_vec() });
    let entry = |i: f64| -> Point {
        std::array::from_fn(|a| {
            let at = |i: f64| curves[a].at(i / 64.0);
            if repeat {
                return at(i.rem_euclid(64.0));
            }
            let inner = i.clamp(0.0, 64.0);
            2.0 * at(inner) - at(2.0 * inner - i)
        })
    };
    (0..3).fold([0.0; 3], |sum, k| added(sum, scaled(entry(middle + k as f64 - 1.0), weights[k])))
}

const FLY: &str = r#"
    "space": (domain: (resolution: (4, 4, 4), width: 1, edge: "wall")),
    "path": (stage: "control/path", params: {"x": [(0, 0.5), (0.25, 0.25), (0.75, 0.75), (1, 0.5)],
        "y": [(0, 0.5), (0.125, 0.5), (0.5, 0.625), (0.875, 0.5), (1, 0.5)], "z": [(0, 0.5)], "duration": 0.75, "repeat": $repeat}),
"#;

#[test]
fn a_body_stays_on_its_drawn_path_without_jerks() {
    for repeat in [true, false] {
        let mut sim = start(60.0, FLY, &[("$repeat", &repeat.to_string())]);
        let (mut off, mut apart, mut jerk) = (0.0f64, 0.0f64, 0.0f64);
        let mut ahead: Option<(Point, Point)> = None;
        for i in 0..100 {
            step(&mut sim, 1);
            let [center, velocity] = ["path.center", "path.velocity"].map(|wire| {
                let v = read(&sim, wire);
                [v[0], v[1], v[2]]
            });
            off = off.max(norm(less(center, path(f64::from(i) / 60.0, 0.75, repeat))));
            if let Some((expected, before)) = ahead {
                apart = apart.max(norm(less(center, expected)));
                let ends = !repeat && (i == 45 || i == 46);
                jerk = jerk.max(if ends { 0.0 } else { norm(less(velocity, before)) });
            }
            ahead = Some((added(center, scaled(velocity, 1.0 / 60.0)), velocity));
        }
        // The table's entries and the time are rounded; a place moves by 0.9 m/s times that of 1.7 s.
        within(&format!("repeat {repeat}: from the path [m]"), off, 64.0 * U, "rounding of time and of nine products");
        within("  place in the next frame from place and velocity [m]", apart, 16.0 * U, "rounding");
        // The second derivative of a cubic that rises by r in w with slopes of up to 3 r / w at its ends is at most 12 r / w^2.
        let bar = 12.0 * (0.25 / (0.25f64 * 0.75).powi(2)) / 60.0;
        within("  change of the velocity in a frame [m/s]", jerk, bar, "the second derivative of the curves");
    }
    let ends = path(10.0, 0.75, false);
    within("the reference at the end", norm(less(ends, [0.5; 3])), 1e-12, "the last point");
}

/// A set of three with these places, velocities and ages.
const SET: &str = r##"
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32, age: f32}", capacity: 8, on: "space", inputs: {"init": "three.particles"}),
    "three": (custom: r#"//! Three
        //! @in    amount: u32 = 3
        //! @inout particles: Particles{} -> {position: Vec, velocity: Vec, id: u32, age: f32}, emit amount
        fn stage(particle: Particle) -> Result {
            let i = f32(particle.serial);
            var place = Vec();
            var velocity = Vec();
            let places = vec3f(0.375 + 0.125 * i, 0.5, 0.5 - 0.0625 * i);
            let ways = vec3f(1.0, 0.5 * i, -0.25);
            for (var axis = 0; axis < DIM; axis++) { place[axis] = places[axis]; velocity[axis] = ways[axis]; }
            return Result(place, velocity, 5u + particle.serial, 0.25 + 0.5 * i);
        }"#, on: "space"),
    "rings": (stage: "curl_noise/shed_rings", inputs: {"rings": "set.value"}, params: {"radius": 0.25, "growth": 0.0625, "core": 0.1875,
        "angular": 4, "rise": 0.5, "life": 2}),
    "eddies": (stage: "curl_noise/shed_vortices", inputs: {"eddies": "set.value"}, params: {"radius": 0.25, "growth": 0.0625, "angular": 4,
        "rise": 0.5, "life": 2}),
    "flow": (stage: "curl_noise/curl", inputs: {"potential": "rings.potential"}, params: {"step": 0.002}),
"##;

fn parts(dim: usize) -> [(Point, Point, f64); 3] {
    [0.0, 1.0, 2.0].map(|i| {
        let flat = |v: Point| std::array::from_fn(|a| if a < dim { v[a] } else { 0.0 });
        (flat([0.375 + 0.125 * i, 0.5, 0.5 - 0.0625 * i]), flat([1.0, 0.5 * i, -0.25]), 0.25 + 0.5 * i)
    })
}

fn presence(age: f64) -> f64 {
    let x = (age / 0.5).clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x) * (1.0 - age / 2.0).max(0.0).powi(2)
}

/// f(q) (R^2 - r^2) / 2 with f = (1 - q^2)^2 / 3.
fn bump(r: f64, core: f64) -> f64 {
    let q = r / core;
    if q < 1.0 { (1.0 - q * q).powi(2) / 3.0 * (core * core - r * r) / 2.0 } else { 0.0 }
}

/// Equation 8, for each ring.
fn rings(dim: usize, at: Point) -> Point {
    parts(dim).iter().fold([0.0; 3], |sum, (center, velocity, age)| {
        let axis = scaled(*velocity, 1.0 / norm(*velocity));
        let away = less(at, *center);
        let across = less(away, scaled(axis, dot(away, axis)));
        let outward = scaled(across, 1.0 / norm(across));
        let closest = added(*center, scaled(outward, 0.25 + 0.0625 * age));
        let turn = scaled(crossed(axis, outward), 4.0 * presence(*age));
        added(sum, scaled(turn, bump(norm(less(at, closest)), 0.1875)))
    })
}

/// `random_at` of the language, with the seed of these graphs.
fn random_at(number: u32, salt: u32) -> f64 {
    f64::from(pcg(pcg(salt ^ pcg(7)) ^ number) >> 8) / 16_777_216.0
}

/// Equation 7, for each eddy.
fn eddies(dim: usize, at: Point) -> Point {
    let mut sum = [0.0; 3];
    for (i, (center, _, age)) in parts(dim).iter().enumerate() {
        let id = 5 + i as u32;
        let height = 2.0 * random_at(id, 0x5ed) - 1.0;
        let (sin, cos) = (std::f64::consts::TAU * random_at(id, 0x5ee)).sin_cos();
        let flat = (1.0 - height * height).sqrt();
        let way = if dim == 2 { [0.0, 0.0, height.signum()] } else { [flat * cos, flat * sin, height] };
        let size = 4.0 * presence(*age) * bump(norm(less(at, *center)), 0.25 + 0.0625 * age);
        sum = added(sum, scaled(way, size));
    }
    sum
}

#[test]
fn shed_rings_and_eddies_are_the_papers_vortices() {
    for dim in [2, 3] {
        let points = scattered(dim, 2000, 61);
        for (wire, reference) in [("rings.potential", rings as fn(usize, Point) -> Point), ("eddies.potential", eddies)]
        {
            let expected: Vec<Point> = points.iter().map(|p| reference(dim, *p)).collect();
            let got = potential(dim, SET, wire, &points);
            let size = longest(&expected);
            // Places of up to 1 are rounded some ten times, over a core of 0.19, times the slope of (1 - q^2)^3, up to 2; three of them.
            // WGSL's sine and cosine may be off by 2^-11.
            let angle = if wire.starts_with("eddies") && dim == 3 { 2.0 * 4.9e-4 } else { 0.0 };
            let bar = 3.0 * size * (10.0 * U / 0.1875 * 2.0 + 32.0 * U + angle);
            within(&format!("{dim}D, {wire} of up to {size:.2e} m^2/s"), furthest(&got, &expected), bar, "rounding");
            assert!(size > 1e-3);
        }
    }
    // A vortex ring pushes the fluid in its middle along the way of the body that shed it.
    let (center, way, _) = parts(3)[1];
    let near: Vec<Point> = directions(3, 400, 62).iter().map(|n| rounded(added(center, scaled(*n, 0.2)))).collect();
    let along: Vec<f64> = flow(3, SET, "flow.velocity", &near).iter().map(|u| dot(*u, way) / norm(way)).collect();
    println!("flow through the rings along the axis of the middle one: {:.3} m/s", mean(&along));
    assert!(mean(&along) > 0.03, "the wake follows the body");
}

const SHED: &str = r#"
    "space": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "place": (state: "vec3f", params: {"value": (0.5, 0.25, 0.75)}),
    "way": (state: "vec3f", params: {"value": (3, 0, -4)}),
    "shed": (stage: "particles/emit_at", on: "space", inputs: {"center": "place.value", "velocity": "way.value", "particles": "set.value"},
        params: {"amount": 1000, "behind": 0.25, "kept": 0.5, "radius": 0.125}),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 1000, on: "space", inputs: {"next": "shed.particles"}),
"#;

#[test]
fn what_a_body_sheds_begins_behind_it_with_a_part_of_its_velocity() {
    for (dim, cells, center, velocity) in
        [(2, "4, 4", [0.25, 0.25, 0.0], [1.5, 0.0, 0.0]), (3, "4, 4, 4", [0.35, 0.25, 0.95], [1.5, 0.0, -2.0])]
    {
        let mut sim = start(60.0, SHED, &[("$cells", cells)]);
        step(&mut sim, 1);
        let vectors = |wire: &str| -> Vec<Point> {
            let point = |p: &[f64]| std::array::from_fn(|a| p.get(a).copied().unwrap_or(0.0));
            read(&sim, wire).chunks(dim).map(point).collect()
        };
        let places = vectors("shed.particles.position");
        assert_eq!(places.len(), 1000);
        let away: Vec<f64> = places.iter().map(|p| norm(less(*p, center))).collect();
        within(&format!("{dim}D: beyond the ball [m]"), (max_abs(&away) - 0.125).max(0.0), 4.0 * U, "rounding");
        // A ball of n points has a mean radius of DIM / (DIM + 1); 4 standard errors.
        let expected = 0.125 * dim as f64 / (dim as f64 + 1.0);
        within("  mean distance [m]", mean(&away) - expected, 4.0 * 0.25 * 0.125 / 1000f64.sqrt(), "4 standard errors");
        let off = vectors("shed.particles.velocity").iter().map(|v| norm(less(*v, velocity))).fold(0.0, f64::max);
        within("  velocity [m/s]", off, 4.0 * U, "rounding");
    }
}

const CARRIED: &str = r#"
    "center": (state: "vec3f", params: {"value": (0.5, 0.4375, 0.5625)}),
    "linear": (state: "vec3f", params: {"value": (0.5, -0.25, 0.75)}),
    "turn": (state: "vec3f", params: {"value": (0, 0, -3)}),
    "ball": (stage: "shape/sphere", on: "space", params: {"center": (0, 0, 0), "radius": 0.25}),
    "shape": (stage: "shape/carried", inputs: {"shape": "ball.distance", "center": "center.value"}),
    "same": (stage: "curl_noise/rigid", inputs: {"shape": "shape.distance"}, params: {"center": (0.5, 0.4375, 0.5625), "linear": (0.5, -0.25, 0.75),
        "angular": (0, 0, -3), "blend": 0.25, "reach": 0.5}),
    "carried": (stage: "curl_noise/carried_motion", inputs: {"shape": "shape.distance", "center": "center.value", "linear": "linear.value",
        "angular": "turn.value"}, params: {"blend": 0.25, "reach": 0.5}),
"#;

/// Equation 6 with numbers from wires is that with parameters, which `viscous` holds against the body's own motion.
#[test]
fn a_carried_motion_is_the_rigid_one() {
    for dim in [2, 3] {
        let points = scattered(dim, 1000, 63);
        let [same, carried] = ["same.moving", "carried.moving"].map(|wire| potential(dim, CARRIED, wire, &points));
        let size = longest(&same);
        within(&format!("{dim}D: psi of up to {size:.2} m^2/s"), furthest(&same, &carried), 8.0 * U * size, "rounding");
    }
}

/// The shipped graph with few particles, a small image, and the flow through the faces of its domain.
fn wake(variant: Option<&str>) -> Simulation {
    let text = std::fs::read_to_string("graphs/curl_wake_3d.ron").unwrap();
    let more = r#"    nodes: {
        "faces": (stage: "curl_noise/staggered_curl", on: "scene", inputs: {"potential": "motion.moving"}),
        "divergence": (stage: "staggered/divergence", inputs: {"velocity": "faces.velocity"}),"#;
    let mut document = Document::parse(&text.replacen("    nodes: {", more, 1)).unwrap().with_variant(variant).unwrap();
    document.set("spacing", "value", ParamValue::Number(0.04)).unwrap();
    document.set("picture", "resolution", ParamValue::Vector(vec![16.0, 9.0])).unwrap();
    document.set("scene", "resolution", ParamValue::Vector(vec![30.0, 12.0, 15.0])).unwrap();
    fused(&document, &["depth", "divergence", "faces", "path", "dye.particles"])
}

#[test]
fn smoke_stays_out_of_the_sphere_that_flies_and_keeps_its_volume() {
    for variant in [None, Some("laminar"), Some("no_slip"), Some("wind_tunnel")] {
        let mut sim = wake(variant);
        let (mut deepest, mut swelling, mut fastest, mut closest) = (0.0f64, 0.0f64, 0.0f64, f64::INFINITY);
        for _ in 0..15 {
            step(&mut sim, 4);
            deepest = deepest.max(read(&sim, "depth.depth")[0]);
            swelling = swelling.max(max_abs(&read(&sim, "divergence.divergence")));
            fastest = fastest.max(max_abs(&read(&sim, "faces.velocity")));
            let center = read(&sim, "path.center");
            let places = read(&sim, "dye.particles.position");
            let nearest =
                places.chunks(3).map(|p| norm(less([p[0], p[1], p[2]], [center[0], center[1], center[2]])) - 0.13);
            closest = nearest.fold(closest, f64::min);
        }
        println!("{}: up to {fastest:.2} m/s, the nearest particle {closest:.1e} m off", variant.unwrap_or("default"));
        assert!(fastest > 0.3 && closest < 0.02, "particles do come close");
        within(
            "  deepest in the sphere [m]",
            deepest,
            8.0 * U * 3.0,
            "push_out ends on the surface; rounding of places up to 3 m",
        );
        // Every edge of a cell counts with both signs, so what is left is the rounding of the faces: of u = d psi / h, over h.
        let bar = 24.0 * U * fastest / 0.1;
        within("  divergence [1/s]", swelling, bar, "rounding");
    }
}

#[test]
fn smoke_parts_where_the_sphere_is_dragged() {
    let text = std::fs::read_to_string("graphs/curl_noise.ron").unwrap();
    let more = r##"    nodes: {
        "ahead": (custom: r#"//! Ahead
            //! @over once
            //! @in velocity: Field<vec3f>
            //! @in center: vec3f
            //! @in motion: vec3f
            //! @out flow: vec3f
            fn stage() -> vec3f { return velocity(center() + 0.34 * motion() / max(length(motion()), 1e-6)); }"#, on: "scene",
            inputs: {"velocity": "velocity.velocity", "center": "sphere.center", "motion": "sphere.velocity"}),"##;
    let mut document = Document::parse(&text.replacen("    nodes: {", more, 1)).unwrap();
    document.set("picture", "resolution", ParamValue::Vector(vec![60.0, 80.0])).unwrap();
    document.set("rate", "rate", ParamValue::Number(1500.0)).unwrap();
    let mut sim = fused(&document, &["sphere", "depth", "ahead"]);
    let input = |mouse: [f32; 2], buttons: u32| FrameInput { mouse, buttons, ..FrameInput::default() };
    let point = |sim: &Simulation, wire: &str| -> Point { std::array::from_fn(|a| read(sim, wire)[a]) };
    // Until it is taken it rests, and its motion adds nothing.
    for _ in 0..40 {
        sim.step(&input([0.1, 0.9], 0)).unwrap();
    }
    assert_eq!(point(&sim, "sphere.velocity"), [0.0; 3]);
    let start = point(&sim, "sphere.center");
    let (mut deepest, mut apart) = (0.0f64, 0.0f64);
    for i in 0..40 {
        // Down into the column of smoke and aside.
        let way = i as f32 / 39.0;
        sim.step(&input([0.5 + 0.1 * way, 0.4 - 0.18 * way], 1)).unwrap();
        deepest = deepest.max(read(&sim, "depth.depth")[0]);
        let motion = point(&sim, "sphere.velocity");
        if norm(motion) > 0.1 {
            let along = dot(less(point(&sim, "ahead.flow"), motion), motion) / dot(motion, motion);
            apart = apart.max(along.abs());
        }
    }
    let moved = norm(less(point(&sim, "sphere.center"), start));
    println!("the sphere is dragged by {moved:.2} m");
    assert!(moved > 0.3);
    within("deepest in the sphere [m]", deepest, 8.0 * U * 3.0, "push_out ends on the surface");
    // Differences over 0.002 m let (step / radius)^2 through, and those of the normal and rounding as much again.
    within(
        "flow ahead of it less its velocity, over that",
        apart,
        1e-2,
        "differences over 0.002 m and rounding of psi",
    );
}
