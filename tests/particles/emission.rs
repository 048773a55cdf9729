//! Emission: how many, where, and what happens when no more fit.

use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

use super::sets::*;

const RATES: &str = r##"
    "domain": (domain: (resolution: (4, 4), width: 1, edge: "wall")),
    "third": (stage: "particles/rate", params: {"rate": 333.3}),
    "rare": (stage: "particles/rate", params: {"rate": 0.7}),
    "even": (stage: "particles/rate", params: {"rate": 60}),
    "many": (stage: "particles/rate", params: {"rate": 1234567.8}),
    "burst": (stage: "particles/rate", params: {"rate": 0, "burst": 7}),
    "late": (stage: "particles/rate", params: {"rate": 333.3, "burst": 1000, "burst_time": 1.0}),
"##;

/// What rounding may take from a particle that is due.
const EARLY: f64 = 1.0 / 1024.0;

#[test]
fn a_rate_emits_exactly_its_share_in_every_frame() {
    let mut sim = start(60.0, RATES, &[]);
    let nodes = [("third", 333.3f32, 0, 0), ("rare", 0.7, 0, 0), ("even", 60.0, 0, 0), ("many", 1_234_567.8, 0, 0)];
    let nodes = [&nodes[..], &[("burst", 0.0, 7, 0), ("late", 333.3, 1000, 60)]].concat();
    let mut emitted = vec![0u64; nodes.len()];
    for frame in 0..1000u32 {
        step(&mut sim, 1);
        for (sum, (node, rate, burst, when)) in emitted.iter_mut().zip(&nodes) {
            *sum += u64::from(words(&sim, &format!("{node}.amount"))[0]);
            let built_up = f64::from(frame + 1) * f64::from(*rate) / 60.0 + EARLY;
            let due = built_up.floor() as u64 + if frame >= *when { *burst } else { 0 };
            assert_eq!(*sum, due, "{node} after {} frames", frame + 1);
        }
    }
    for ((node, rate, ..), sum) in nodes.iter().zip(&emitted) {
        println!("{node}: {sum} in 1000 frames at {rate}/s, exact in every frame");
    }
}

const VARYING: &str = r##"
    "domain": (domain: (resolution: (4, 4), width: 1, edge: "wall")),
    "hundred": (stage: "particles/rate", params: {"rate": 100}),
    "ramp": (stage: "particles/rate", params: {"rate": "3 * time"}),
    "steep": (stage: "particles/rate", params: {"rate": "200 * time"}),
    "decay": (stage: "particles/rate", params: {"rate": "5 * exp(-time)"}),
    "pulses": (stage: "particles/rate", params: {"rate": "if fract(time + 0.001) < 0.5 { 700 } else { 0 }"}),
    "measured": (stage: "particles/rate", inputs: {"rate": "wave"}),
    "wave": (number: "100 * (1 - cos(pi * time))"),
    "turned": (stage: "number/integral", params: {"rate": "cos(time)"}),
"##;

#[test]
fn births_at_a_rate_that_changes_are_its_integral_at_any_number_of_frames_per_second() {
    for fps in [24usize, 60, 240] {
        let mut sim = start(fps as f64, VARYING, &[]);
        let names = ["hundred", "ramp", "steep", "decay", "pulses", "measured"];
        let mut total = [0.0; 6];
        for frame in 1..=2 * fps {
            step(&mut sim, 1);
            for (sum, name) in total.iter_mut().zip(names) {
                *sum += f64::from(words(&sim, &format!("{name}.amount"))[0]);
            }
            assert_eq!(total[0], (100 * frame / fps) as f64, "a steady rate is exact, frame {frame} at {fps}/s");
            if frame == fps {
                assert_eq!(total[1], 1.0, "3 t gives 1.5 in the first second");
            }
        }
        let t = 2.0f64;
        let due = [100.0 * t, 1.5 * t * t, 100.0 * t * t, 5.0 * (1.0 - (-t).exp()), 350.0 * t, 100.0 * t];
        for ((name, sum), due) in names.iter().zip(total).zip(due) {
            // A ramp counts as one from the third frame on: before that, slope / fps^2 is missing, a third of a particle at most.
            within(&format!("{name} at {fps} fps: {sum} of {due}"), sum - due, 1.35, "a whole particle, and the start");
        }
        let turned = read(&sim, "turned.next")[0];
        let held = (0..2 * fps).map(|n| (n as f64 / fps as f64).cos() / fps as f64).sum::<f64>();
        within(&format!("integral of cos at {fps} fps"), turned - held, 16.0 * U, "rounding of its terms");
    }
}

#[test]
fn a_rate_starts_again_after_a_reset() {
    let births = |sim: &mut Simulation, frames: usize| -> Vec<u32> {
        (0..frames)
            .map(|_| {
                step(sim, 1);
                words(sim, "ramp.amount")[0]
            })
            .collect()
    };
    let mut sim = start(60.0, VARYING, &[]);
    let first = births(&mut sim, 90);
    sim.reset();
    assert_eq!(births(&mut sim, 90), first, "after a reset");
}

const COUNT: usize = 20_000;

/// The particles with which a State begins that this stage fills, in a domain of 2 m by 1 m (by 1 m).
fn begun(dim: usize, stage: &str, nodes: &str) -> Simulation {
    let nodes = [
        r##"
        "domain": (domain: (resolution: ($cells), width: 2, edge: "wall")),
        "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 20000, on: "domain",
            inputs: {"init": "emit.particles", "next": "age.particles"}),
        "age": (custom: r#"//! Keep
            //! @inout particles: Particles{id: u32} -> {id: u32}
            fn stage(particle: Particle) -> u32 { return particle.id; }"#, inputs: {"particles": "set.value"}),
        "emit": (stage: "particles/$stage),"##,
        nodes,
    ]
    .concat();
    let cells = if dim == 3 { "64, 32, 32" } else { "64, 32" };
    let mut sim = start(60.0, &nodes, &[("$stage", stage), ("$cells", cells)]);
    step(&mut sim, 1);
    let ids = wholes(&sim, "set.value", "id");
    assert_eq!(ids, (0..COUNT as u32).collect::<Vec<_>>(), "numbered in order");
    sim
}

fn positions(dim: usize, stage: &str, nodes: &str) -> Vec<[f64; 3]> {
    vectors(&begun(dim, stage, nodes), "set.value", "position", dim)
}

/// Rounding of a place near 1 m.
const PLACE: f64 = 8.0 * U;

#[test]
fn a_box_is_filled_evenly() {
    for dim in [2, 3] {
        let stage = r#"emit_box", params: {"amount": 20000, "center": (0.7, 0.5, 0.4), "size": (0.4, 0.2, 0.6), "velocity": (1, 2, 3), "spread": 0.5}"#;
        let sim = begun(dim, stage, "");
        let places = vectors(&sim, "set.value", "position", dim);
        let (center, size) = ([0.7, 0.5, 0.4], [0.4, 0.2, 0.6]);
        let share =
            |p: &[f64; 3], a: usize| ((p[a] - center[a]) / size[a] + 0.5).clamp(-PLACE, 1.0 + PLACE).clamp(0.0, 1.0);
        for p in &places {
            assert!((0..dim).all(|a| (p[a] - center[a]).abs() <= 0.5 * size[a] + PLACE), "{p:?} lies outside");
        }
        for axis in 0..dim {
            let along: Vec<f64> = places.iter().map(|p| share(p, axis)).collect();
            assert_uniform(&format!("box in {dim}D, axis {axis}"), &along, 64);
        }
        // Axes must not know of each other.
        let joint: Vec<f64> = places
            .iter()
            .map(|p| (0..dim).fold(0.0, |sum, a| (sum + (share(p, a) * 4.0).floor().min(3.0)) / 4.0) + 0.001)
            .collect();
        assert_uniform(&format!("box in {dim}D, axes together"), &joint, 4usize.pow(dim as u32));
        let base = [1.0, 2.0, if dim == 3 { 3.0 } else { 0.0 }];
        let extra: Vec<f64> = vectors(&sim, "set.value", "velocity", dim)
            .iter()
            .map(|v| (length(apart(base, *v)) / 0.5 - 1e-6).max(0.0).powi(dim as i32))
            .collect();
        assert_uniform(&format!("random velocities in {dim}D, volume within their speed"), &extra, 64);
    }
}

/// Asserts that places fill a ball evenly: by volume, and in second moments, which are R^2 / (DIM + 2) along each axis.
#[track_caller]
fn assert_ball(what: &str, places: &[[f64; 3]], dim: usize, center: [f64; 3], radius: f64) {
    let offsets: Vec<[f64; 3]> = places.iter().map(|p| apart(center, *p)).collect();
    let volume: Vec<f64> =
        offsets.iter().map(|o| (length(*o) / radius - PLACE / radius).max(0.0).powi(dim as i32)).collect();
    assert_uniform(&format!("{what} in {dim}D, volume within the radius"), &volume, 64);
    let n = dim as f64;
    let second = radius * radius / (n + 2.0);
    // E x^4 = 3 R^4 / ((n + 2) (n + 4)),  E x^2 y^2 = R^4 / ((n + 2) (n + 4))
    let fourth = radius.powi(4) / ((n + 2.0) * (n + 4.0));
    for a in 0..dim {
        let squares: Vec<f64> = offsets.iter().map(|o| o[a] * o[a]).collect();
        assert_mean(&format!("  axis {a} squared"), &squares, second, (3.0 * fourth - second * second).sqrt());
        let next = (a + 1) % dim;
        let products: Vec<f64> = offsets.iter().map(|o| o[a] * o[next]).collect();
        assert_mean(&format!("  axes {a} and {next}"), &products, 0.0, fourth.sqrt());
        let plain: Vec<f64> = offsets.iter().map(|o| o[a]).collect();
        assert_mean(&format!("  axis {a}"), &plain, 0.0, second.sqrt());
    }
}

#[test]
fn a_sphere_is_filled_evenly() {
    for dim in [2, 3] {
        let z = if dim == 3 { 0.5 } else { 0.0 };
        let stage = r#"emit_sphere", params: {"amount": 20000, "center": (1.2, 0.4, 0.5), "radius": 0.3}"#;
        assert_ball("sphere", &positions(dim, stage, ""), dim, [1.2, 0.4, z], 0.3);
        let stage = r#"emit_sphere", params: {"amount": 20000, "center": (1.2, 0.4, 0.5), "radius": 0.3, "hollow": 1, "speed": 2}"#;
        let sim = begun(dim, stage, "");
        let places = vectors(&sim, "set.value", "position", dim);
        let off: Vec<f64> = places.iter().map(|p| length(apart([1.2, 0.4, z], *p)) - 0.3).collect();
        within(&format!("surface in {dim}D"), max_abs(&off), 16.0 * U, "rounding of a place");
        let velocities = vectors(&sim, "set.value", "velocity", dim);
        let turned = places.iter().zip(&velocities).map(|(p, v)| {
            let outward = apart([1.2, 0.4, z], *p);
            length(plus(*v, -2.0 / length(outward), outward))
        });
        let turned = max_abs(&turned.collect::<Vec<_>>());
        within("  speed 2 m/s outward", turned, 2.0 * 16.0 * U / 0.3, "rounding of a place, seen from the middle");
    }
}

#[test]
fn a_disc_faces_its_normal() {
    let stage = r#"emit_disc", params: {"amount": 20000, "center": (1, 0.5, 0.5), "normal": (1, 2, 2), "radius": 0.25, "speed": 3}"#;
    let sim = begun(3, stage, "");
    let normal = [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0];
    let offsets: Vec<[f64; 3]> =
        vectors(&sim, "set.value", "position", 3).iter().map(|p| apart([1.0, 0.5, 0.5], *p)).collect();
    let off = max_abs(&offsets.iter().map(|o| dot(*o, normal)).collect::<Vec<_>>());
    within("disc, off its plane", off, 16.0 * U, "rounding of a place");
    let area: Vec<f64> = offsets.iter().map(|o| ((length(*o) - PLACE) / 0.25).max(0.0).powi(2)).collect();
    assert_uniform("disc, area within the radius", &area, 64);
    let (u, v) = ([2.0 / 3.0, 1.0 / 3.0, -2.0 / 3.0], [2.0 / 3.0, -2.0 / 3.0, 1.0 / 3.0]);
    let turn = offsets.iter().map(|o| dot(*o, v).atan2(dot(*o, u)) / std::f64::consts::TAU + 0.5);
    assert_uniform("disc, angle", &turn.collect::<Vec<_>>(), 64);
    let velocities = vectors(&sim, "set.value", "velocity", 3);
    let wrong = max_abs(&velocities.iter().map(|v| length(plus(*v, -3.0, normal))).collect::<Vec<_>>());
    within("disc, velocity", wrong, 3.0 * 8.0 * U, "rounding of a unit vector");
    let stage = r#"emit_disc", params: {"amount": 20000, "center": (1, 0.5), "normal": (0, 1), "radius": 0.25}"#;
    let line = positions(2, stage, "");
    assert!(line.iter().all(|p| (p[1] - 0.5).abs() < PLACE), "in 2D a line");
    let along: Vec<f64> = line.iter().map(|p| ((p[0] - 0.75) / 0.5).clamp(0.0, 1.0)).collect();
    assert_uniform("line", &along, 64);
}

const IMAGE: &str = r##"
    "fine": (domain: (resolution: (256, 128), width: 2, edge: "clamp")),
    "image": (custom: r#"//! Image
        //! @out value: Grid<f32>
        fn stage(cell: Cell) -> f32 { return $value; }"#, on: "fine"),
"##;

#[test]
fn an_image_emits_where_it_is_bright() {
    let stage = r#"emit_image", on: "domain", inputs: {"image": "image.value"}, params: {"amount": 20000}"#;
    // Brightness x / 2: the share below x is (x / 2)^2. The image is linear but for half a cell at its rims, which holds
    // 1/512 of the width and moves a bin by less than a thousandth of its content.
    let places = positions(2, stage, &IMAGE.replace("$value", "position(cell).x / SIZE.x"));
    let share: Vec<f64> = places.iter().map(|p| (p[0] / 2.0).powi(2)).collect();
    assert_uniform("image that brightens along x", &share, 64);
    assert_uniform("  and is even along y", &places.iter().map(|p| p[1]).collect::<Vec<_>>(), 64);
    let places = positions(2, stage, &IMAGE.replace("$value", "select(0.0, 1.0, cell.x < 64 && cell.y > 63)"));
    // Between bright and dark cells the image is interpolated over one cell, 1/128 m.
    let stray = places.iter().filter(|p| p[0] > 0.5 + 0.5 / 128.0 || p[1] < 0.5 - 0.5 / 128.0).count();
    println!("an eighth of the picture is bright: {stray} of {COUNT} beside it");
    assert_eq!(stray, 0);
}

const BALL: &str = r##"
    "ball": (custom: r#"//! Ball
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 {
            var center = Vec(0.4);
            center.x = 1.1;
            return length(position - center) - $radius;
        }"#),
"##;

#[test]
fn a_shape_is_filled_evenly_and_never_missed() {
    for dim in [2, 3] {
        let z = if dim == 3 { 0.4 } else { 0.0 };
        let stage = r#"emit_shape", inputs: {"shape": "ball.distance"}, params: {"amount": 20000, "center": (1, 0.5, 0.5), "size": (2, 1, 1)}"#;
        let places = positions(dim, stage, &BALL.replace("$radius", "0.35"));
        assert_ball("shape", &places, dim, [1.1, 0.4, z], 0.35);
        // A millionth of the box: no try hits it, and all get there in the end.
        let places = positions(dim, stage, &BALL.replace("$radius", "0.01"));
        let far = places.iter().map(|p| length(apart([1.1, 0.4, z], *p))).fold(0.0, f64::max);
        within(&format!("small shape in {dim}D, farthest from its middle"), far, 0.01 + PLACE, "its radius");
    }
}

/// A State that holds so many points, here those of a box.
const SOURCE: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 2, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 20000, on: "domain", inputs: {"next": "emit.particles"}),
    "emit": (stage: "particles/emit_points", inputs: {"points": "points.value", "particles": "set"},
        params: {"amount": 20000, "velocity": (1, 2, 3)}),
    "points": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 100, on: "domain", inputs: {"init": "box.particles"}),
    "box": (stage: "particles/emit_box", params: {"amount": 100, "size": (0.4, 0.3, 0.2)}),
"##;

#[test]
fn points_of_another_set_emit_evenly() {
    for dim in [2, 3] {
        let cells = if dim == 3 { "64, 32, 32" } else { "64, 32" };
        let mut sim = start(60.0, SOURCE, &[("$cells", cells)]);
        step(&mut sim, 1);
        let points = vectors(&sim, "points.value", "position", dim);
        assert_eq!(points.len(), 100);
        let mut counts = vec![0u32; points.len()];
        for place in vectors(&sim, "set.value", "position", dim) {
            let point_index = points.iter().position(|point| *point == place);
            counts[point_index.unwrap_or_else(|| panic!("{place:?} is no point"))] += 1;
        }
        let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        println!("{dim}D: {least} to {most} of {COUNT} at each of 100 points");
        // Five standard deviations of 200.
        assert!(*least > 129 && *most < 271, "{least} to {most}");
        let velocities = vectors(&sim, "set.value", "velocity", dim);
        assert!(velocities.iter().all(|v| v[..dim] == [1.0, 2.0, 3.0][..dim]));
    }
}

const TANK: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 2, edge: "wall")),
    "set": (state: "Particles{position: Vec, id: u32}", capacity: 20000, inputs: {"init": "fill.particles"}),
    "fill": (stage: "particles/fill_box", params: {"center": (0.6, 0.5, 0.45), "size": (1.2, 0.5, 0.3), "spacing": 0.05}),
"##;

#[test]
fn a_lattice_has_each_site_once() {
    for dim in [2usize, 3] {
        let cells = if dim == 3 { "64, 32, 32" } else { "64, 32" };
        let mut sim = start(60.0, TANK, &[("$cells", cells)]);
        step(&mut sim, 1);
        let places = vectors(&sim, "set.value", "position", dim);
        let sites = [24, 10, if dim == 3 { 6 } else { 1 }];
        assert_eq!(places.len(), sites.iter().product::<usize>(), "as many whole spacings as fit");
        let low = [0.0, 0.25, if dim == 3 { 0.3 } else { -0.025 }];
        let errors: Vec<f64> = places
            .iter()
            .enumerate()
            .map(|(i, p)| {
                let site = [i % 24, i / 24 % 10, i / 240];
                length(apart(std::array::from_fn(|a| low[a] + (site[a] as f64 + 0.5) * 0.05), *p))
            })
            .collect();
        within(&format!("lattice in {dim}D"), max_abs(&errors), 16.0 * U, "rounding of a place");
    }
}

const CROWD: &str = r##"
    "domain": (domain: (resolution: (4, 4), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 100, inputs: {"next": "emit.particles"}),
    "emit": (stage: "particles/emit_box", inputs: {"particles": "set.value"}, params: {"amount": 30}),
"##;

#[test]
fn emission_stops_at_the_capacity_with_a_warning() {
    let mut sim = start(60.0, CROWD, &[]);
    step(&mut sim, 3);
    assert!(sim.warnings(true).is_empty(), "90 of 100 fit");
    let before = vectors(&sim, "set.value", "position", 2);
    assert_eq!(before.len(), 90);
    step(&mut sim, 1);
    let said = sim.warnings(true).to_string();
    println!("{said}");
    assert!(said.contains("emit") || said.contains("set"), "names the node: {said}");
    let after = vectors(&sim, "set.value", "position", 2);
    assert_eq!((after.len(), &after[..90]), (100, &before[..]), "the first 90 are as they were");
    assert_eq!(wholes(&sim, "set.value", "id"), (0..100).collect::<Vec<_>>());
    step(&mut sim, 2);
    assert_eq!(vectors(&sim, "set.value", "position", 2), after, "a full set stays as it is");
}

/// In the places of particles that are gone stands what they had.
#[test]
fn what_an_emitter_does_not_set_begins_at_zero() {
    for dim in [2, 3] {
        let nodes = r##"
            "domain": (domain: (resolution: ($cells), width: 1, edge: "wall")),
            "set": (state: "Particles{position: Vec, velocity: Vec, id: u32, spin: vec3f, turn: Vec}", capacity: 100, inputs: {"next": "emit.particles"}),
            "turn": (custom: r#"//! Turn
                //! @inout particles: Particles{id: u32} -> {spin: vec3f, turn: Vec}
                fn stage(particle: Particle) -> Result { return Result(vec3f(1.0, 2.0, 3.0), Vec(4.0)); }"#, inputs: {"particles": "set.value"}),
            "kill": (custom: r#"//! Kill
                //! @inout particles: Particles{id: u32}, filter
                fn stage(particle: Particle) -> bool { return particle.id % 3u == 0u; }"#, inputs: {"particles": "turn.particles"}),
            "emit": (stage: "particles/emit_box", inputs: {"particles": "kill.particles"}, params: {"amount": 30}),"##;
        let mut sim = start(60.0, nodes, &[("$cells", if dim == 3 { "4, 4, 4" } else { "4, 4" })]);
        step(&mut sim, 3);
        let spins = vectors(&sim, "set.value", "spin", 3);
        let (old, new) = spins.split_at(spins.len() - 30);
        assert_eq!((old, new), (&[[1.0, 2.0, 3.0]; 20][..], &[[0.0; 3]; 30][..]), "in {dim}D");
        let turns: Vec<f64> = vectors(&sim, "set.value", "turn", dim).iter().map(|turn| turn[0]).collect();
        assert_eq!(turns, [[4.0; 20].as_slice(), &[0.0; 30]].concat(), "in {dim}D");
    }
}
