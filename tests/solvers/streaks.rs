//! Images side by side, and drops that water leaves behind and that are drawn along their way.

use stagewright_language::document::ParamValue;
use stagewright_solver_support::harness::*;

use super::view_reference::*;

const SPLIT: &str = r##"
    "picture": (domain: (resolution: (96, 64), width: 1.5, edge: "clamp")),
    "one": (custom: r#"//! One
        //! @out one: Image
        fn stage(cell: Cell) -> vec4f { return vec4f(1.0, 0.0, 0.0, 1.0); }"#, on: "picture"),
    "two": (custom: r#"//! Two
        //! @out two: Image
        fn stage(cell: Cell) -> vec4f { return vec4f(2.0, 0.0, 0.0, 1.0); }"#, on: "picture"),
    "wipe": (stage: "view/wipe", inputs: {"a": "one.one", "b": "two.two"}),
"##;

#[test]
fn a_wipe_shows_one_image_on_each_side_of_its_line() {
    let mut sim = start(60.0, SPLIT, &[]);
    for (border, angle) in [(0.3, 0.0f64), (0.5, 90.0), (0.25, 30.0), (0.8, 200.0), (0.0, 45.0), (1.0, 45.0)] {
        sim.set_param("wipe.border", ParamValue::Number(border)).unwrap_or_else(|e| panic!("{e}"));
        sim.set_param("wipe.angle", ParamValue::Number(angle)).unwrap_or_else(|e| panic!("{e}"));
        step(&mut sim, 1);
        let found = read(&sim, "wipe.result");
        let (sin, cos) = angle.to_radians().sin_cos();
        let half = 0.75 * cos.abs() + 0.5 * sin.abs();
        let mut firsts = 0;
        for pixel in 0..view_area() {
            let [x, y] = [pixel % SIZE[0], pixel / SIZE[0]].map(|n| (n as f64 + 0.5) / 64.0);
            let past = ((x - 0.75) * cos + (y - 0.5) * sin) - (2.0 * border - 1.0) * half;
            if past.abs() > 1e-5 {
                let expected = if past < 0.0 { 1.0 } else { 2.0 };
                assert_eq!(found[4 * pixel], expected, "border {border}, {angle} degrees, pixel {pixel}");
                firsts += usize::from(past < 0.0);
            }
        }
        println!("border {border}, {angle} degrees: {firsts} pixels of the first");
        assert!(border != 0.0 || firsts == 0);
        assert!(border != 1.0 || firsts == view_area());
    }
}

const STREAKS: &str = r##"
    "space": (domain: (resolution: (8, 8, 8), width: 4, edge: "wall")),
    "picture": (domain: (resolution: (96, 64), width: 1.5, edge: "clamp")),
    "set": (state: "Particles{position: Vec, velocity: Vec, radius: f32, age: f32}", capacity: 200, on: "space"),
    "front": (state: "Grid<f32>", on: "picture", params: {"value": 100}),
    "camera": (stage: "view/camera", params: {"look_at": (2, 1.5, 2), "azimuth": 33, "elevation": 21, "distance": 3, "fov": 40}),
    "streaks": (stage: "view/streaks", on: "picture", inputs: {"camera": "camera.camera", "front": "front.value", "particles": "set.value"}, params: {"exposure": 0.1, "life": 2}),
"##;

#[test]
fn a_streak_covers_as_much_as_the_drop_that_makes_it() {
    // A drop in the middle of the image, 3 m away, at rest, slow, fast, half its age, and behind something.
    for (speed, age, front) in
        [(0.0, 0.0, 100.0), (2.0, 0.0, 100.0), (6.0, 0.0, 100.0), (2.0, 1.0, 100.0), (2.0, 0.0, 2.9)]
    {
        let mut sim = start(60.0, STREAKS, &[]);
        sim.reset();
        sim.write("front", &vec![front; view_area()]).unwrap_or_else(|e| panic!("{e}"));
        step(&mut sim, 1);
        let view = View::read(&sim, "camera.camera", SIZE);
        // Across the view, so that all of its way is as far.
        let way = plus(view.right.map(|x| 0.8 * x), 0.6, view.up);
        let velocity = way.map(|x| (speed * x) as f32);
        let values: [(&str, &[f32]); 4] =
            [("position", &[2.0, 1.5, 2.0]), ("velocity", &velocity), ("radius", &[0.2]), ("age", &[age])];
        for (name, values) in values {
            sim.write(&format!("set.{name}"), values).unwrap_or_else(|e| panic!("{e}"));
        }
        sim.set_count("set", 1).unwrap_or_else(|e| panic!("{e}"));
        step(&mut sim, 1);
        let cover = read(&sim, "streaks.cover");
        let total: f64 = cover.iter().sum();
        if front < 3.0 {
            assert_eq!(total, 0.0, "what is in front hides it");
            continue;
        }
        let scale = 1.0 / (3.0 * view.pixel());
        let radius = 0.2 * (1.0 - 0.5 * f64::from(age)) * scale;
        let long = 0.1 * speed * scale;
        // A soft edge a pixel wide adds pi/12 to a disc; the strength makes disc and capsule cover the same.
        let strength = std::f64::consts::PI * radius / (std::f64::consts::PI * radius + 2.0 * long);
        let expected = strength * (std::f64::consts::PI * (radius * radius + 1.0 / 12.0) + 2.0 * radius * long);
        within(
            &format!("{speed} m/s, radius {radius:.1}, {long:.1} pixels long"),
            total / expected - 1.0,
            0.02,
            "a sum over pixels instead of the integral",
        );
        // The centroid is the drop's place, and the second moment that of a capsule's length.
        let along = |pixel: usize| {
            let [x, y] = [pixel % SIZE[0], pixel / SIZE[0]].map(|n| n as f64 + 0.5);
            0.8 * (x - 48.0) + 0.6 * (y - 32.0)
        };
        let middle = cover.iter().enumerate().map(|(pixel, c)| c * along(pixel)).sum::<f64>() / total;
        within("  its middle [pixels]", middle, 0.1, "a tenth of a pixel");
        let reach =
            cover.iter().enumerate().filter(|(_, c)| **c > 0.0).map(|(pixel, _)| along(pixel)).fold(0.0, f64::max);
        within(
            "  its end [pixels]",
            reach - (radius + 0.5 * long),
            1.2,
            "a pixel's diagonal, and half a pixel of soft edge",
        );
    }
}

const SHED: &str = r##"
    "space": (domain: (resolution: (8, 8, 8), width: 4, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, radius: f32, tone: f32, id: u32}", capacity: 9000, on: "space"),
    "drops": (state: "Particles{position: Vec, velocity: Vec, radius: f32, id: u32, age: f32}", capacity: 9000, on: "space", inputs: {"next": "born.particles"}),
    "shed": (stage: "water/shed", inputs: {"particles": "set.value"}, params: {"rate": 12, "speed": 1.5, "spray": 0.5}),
    "amount": (stage: "particles/amount", inputs: {"particles": "shed.particles"}),
    "born": (stage: "water/leave_behind", inputs: {"amount": "amount.amount", "particles": "drops.value", "source": "shed.particles"}, params: {"size": 0.5, "speed": 0.25}),
"##;

#[test]
fn spray_leaves_drops_behind_where_it_is() {
    let mut sim = start(60.0, SHED, &[]);
    let count = 9000;
    let third = |i: usize, a: f32, b: f32, c: f32| [a, b, c][i % 3];
    // A third is fast spray, a third is slow, a third is water.
    let places: Vec<f32> = random(3 * count, 1).iter().map(|v| 2.0 + 1.9 * v).collect();
    let velocities: Vec<f32> = (0..count).flat_map(|i| [third(i, 2.0, 0.5, 2.0), 0.0, i as f32 * 1e-4]).collect();
    let tones: Vec<f32> = (0..count).map(|i| third(i, 0.9, 0.9, 0.1)).collect();
    sim.reset();
    for (name, values) in
        [("position", &places), ("velocity", &velocities), ("tone", &tones), ("radius", &vec![0.02; count])]
    {
        sim.write(&format!("set.{name}"), values).unwrap_or_else(|e| panic!("{e}"));
    }
    sim.write_words("set.id", &(0..count as u32).collect::<Vec<_>>()).unwrap_or_else(|e| panic!("{e}"));
    sim.set_count("set", count as u32).unwrap_or_else(|e| panic!("{e}"));
    let chance = 1.0 - (-12.0f64 / 60.0).exp();
    let mut before = 0;
    for frame in 1..=3 {
        step(&mut sim, 1);
        let all = words(&sim, "drops.count")[0] as usize;
        let expected = 3000.0 * chance;
        let sigma = (expected * (1.0 - chance)).sqrt();
        within(
            &format!("frame {frame}: new drops"),
            (all - before) as f64 - expected,
            5.0 * sigma,
            "five standard deviations",
        );
        let (place, velocity, radius) =
            (read(&sim, "drops.position"), read(&sim, "drops.velocity"), read(&sim, "drops.radius"));
        for drop in before..all {
            // The velocity along z says whose it is.
            let id = (velocity[3 * drop + 2] / 0.25 * 1e4).round() as usize;
            assert_eq!(id % 3, 0, "fast spray only");
            let apart = (0..3)
                .map(|axis| (place[3 * drop + axis] - f64::from(places[3 * id + axis])).abs())
                .fold(0.0, f64::max);
            assert!(
                apart == 0.0 && (velocity[3 * drop] - 0.5).abs() < 1e-6,
                "where its particle is, a quarter as fast"
            );
            assert!((0.25..=0.5).contains(&(radius[drop] / f64::from(0.02f32))), "half to all of the size");
        }
        before = all;
    }
}

const SIZES: &str = r##"
    "space": (domain: (resolution: (8, 8, 8), width: 4, edge: "wall")),
    "set": (state: "Particles{position: Vec, density: f32, id: u32}", capacity: 4000, on: "space"),
    "near": (stage: "neighbors/fill", on: "space", inputs: {"particles": "set.value"}),
    "even": (stage: "water/drop_size", inputs: {"particles": "set.value"}, params: {"full": 0.04}),
    "varied": (stage: "water/drop_size_varied", inputs: {"particles": "near.particles"}, params: {"full": 0.04, "variation": 0.3}),
"##;

#[test]
fn drops_have_sizes_of_their_own_that_stay_theirs() {
    let mut sim = start(60.0, SIZES, &[]);
    let count = 4000;
    sim.reset();
    sim.write("set.position", &random(3 * count, 1).iter().map(|v| 2.0 + 1.9 * v).collect::<Vec<_>>()).unwrap();
    sim.write("set.density", &random(count, 2).iter().map(|v| 500.0 + 500.0 * v).collect::<Vec<_>>()).unwrap();
    sim.write_words("set.id", &(0..count as u32).collect::<Vec<_>>()).unwrap();
    sim.set_count("set", count as u32).unwrap();
    step(&mut sim, 1);
    let even = read(&sim, "even.particles.radius");
    let (radius, scale) = (read(&sim, "varied.particles.radius"), read(&sim, "varied.particles.scale"));
    let ids = words(&sim, "varied.particles.id");
    let errors = ids.iter().zip(&radius).zip(&scale).map(|((id, r), s)| r / (even[*id as usize] * s) - 1.0);
    within(
        "radius over that of the density times the scale",
        max_abs(&errors.collect::<Vec<_>>()),
        2.0 * U,
        "a product",
    );
    let mean = scale.iter().sum::<f64>() / count as f64;
    // Uniform in 0.7 to 1.3: a standard deviation of 0.3 / sqrt(3).
    within("mean scale", mean - 1.0, 5.0 * 0.3 / (3.0 * count as f64).sqrt(), "five standard deviations");
    assert!(scale.iter().all(|s| (0.7 - 1e-6..=1.3 + 1e-6).contains(s)), "within the variation");
    let by_id: std::collections::BTreeMap<u32, u64> =
        ids.iter().zip(&scale).map(|(id, s)| (*id, s.to_bits())).collect();
    step(&mut sim, 1);
    let again = words(&sim, "varied.particles.id").into_iter().zip(read(&sim, "varied.particles.scale"));
    assert!(again.into_iter().all(|(id, s)| by_id.get(&id) == Some(&s.to_bits())), "the same in every frame");
}
