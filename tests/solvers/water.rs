//! Normals from depth, sunlight through a surface, and the water graph.

use stagewright_language::document::{Document, ParamValue};
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

use super::view_reference::*;

const NORMALS: &str = r##"
    "space": (domain: (resolution: (4, 4, 4), width: 4, edge: "wall")),
    "picture": (domain: (resolution: (96, 64), width: 1.5, edge: "clamp")),
    "depth": (state: "Grid<f32>", on: "picture"), "velocity": (state: "Grid<vec3f>", on: "picture"),
    "camera": (stage: "view/camera", params: {"look_at": (2, 0.5, 2), "azimuth": 25, "elevation": 30, "distance": 3, "fov": 40}),
    "normal": (stage: "water/normal", inputs: {"camera": "camera.camera", "depth": "depth.value"$velocity}, params: {$params}),
"##;

fn normals(depth: &[f32], velocity: Option<&[f32]>, params: &str) -> (Simulation, View) {
    let wire = if velocity.is_some() { r#", "velocity": "velocity.value""# } else { "" };
    let mut sim = start(60.0, NORMALS, &[("$velocity", wire), ("$params", params)]);
    sim.reset();
    sim.write("depth", depth).unwrap_or_else(|e| panic!("{e}"));
    if let Some(velocity) = velocity {
        sim.write("velocity", velocity).unwrap_or_else(|e| panic!("{e}"));
    }
    step(&mut sim, 1);
    let view = View::read(&sim, "camera.camera", SIZE);
    (sim, view)
}

fn any_view() -> View {
    normals(&vec![1.0; view_area()], None, "").1
}

/// Depth of a plane `normal . x = level`, in f64.
fn plane(view: &View, normal: V, level: f64, pixel: usize) -> f64 {
    (level - dot(normal, view.eye)) / dot(normal, view.q(pixel))
}

/// Largest angle between normals and what they should be, where `wanted` says, over the rounding of depths: U of each, along a ray of at
/// most 1.2 times its depth, over the width of a pixel there; two depths an axis, two axes.
#[track_caller]
fn assert_normals(what: &str, found: &[f64], view: &View, wanted: impl Fn(usize) -> Option<V>) {
    let mut worst = 0.0f64;
    let mut count = 0;
    for pixel in 0..view.pixels() {
        let Some(exact) = wanted(pixel) else { continue };
        count += 1;
        let error = plus([found[3 * pixel], found[3 * pixel + 1], found[3 * pixel + 2]], -1.0, exact);
        worst = worst.max(dot(error, error).sqrt());
    }
    assert!(count > view.pixels() / 4, "{what}: {count} pixels");
    let bar = 4.0 * 1.2 * U / view.pixel() + 40.0 * U;
    within(&format!("{what}, {count} pixels"), worst, bar, "four depths rounded by U, over a pixel's width");
}

#[test]
fn normals_of_a_tilted_plane_are_exact() {
    let view = any_view();
    for tilt in [[0.0, 1.0, 0.0], [0.3, 0.9, 0.2], [-0.5, 0.6, 0.6], [0.1, 0.2, 1.0]] {
        let normal = unit(tilt);
        let level = dot(normal, [2.0, 0.5, 2.0]);
        let depth: Vec<f32> = (0..view.pixels()).map(|p| plane(&view, normal, level, p) as f32).collect();
        assert!(depth.iter().all(|d| *d > 0.5), "the plane is in view");
        for creases in [false, true] {
            let (sim, view) = normals(&depth, None, &format!("\"creases\": {creases}"));
            let what = format!("plane {tilt:?}, creases {creases}");
            assert_normals(&what, &read(&sim, "normal.normal"), &view, |_| Some(normal));
        }
    }
}

#[test]
fn normals_do_not_reach_across_an_outline() {
    let view = any_view();
    let [front, back] = [unit([0.2, 1.0, 0.3]), unit([-0.3, 0.4, 0.8])];
    let surface = |pixel: usize| match (pixel % SIZE[0], pixel / SIZE[0]) {
        (0..=20, _) | (_, 0..=9) => None,
        (21..=50, _) => Some((front, dot(front, [2.0, 0.9, 2.0]))),
        _ => Some((back, dot(back, [2.0, 0.2, 1.0]))),
    };
    let depth = |p: usize| surface(p).map_or(f32::MAX, |(normal, level)| plane(&view, normal, level, p) as f32);
    let depth: Vec<f32> = (0..view.pixels()).map(depth).collect();
    for creases in [false, true] {
        let (sim, view) = normals(&depth, None, &format!("\"creases\": {creases}"));
        let found = read(&sim, "normal.normal");
        let what = format!("two planes with an outline, creases {creases}");
        assert_normals(&what, &found, &view, |p| surface(p).map(|(normal, _)| normal));
        let empty = (0..view.pixels()).filter(|p| surface(*p).is_none());
        assert!(empty.flat_map(|p| &found[3 * p..3 * p + 3]).all(|x| *x == 0.0), "nothing has no normal");
    }
}

/// The top of a box seen over its front: the smaller difference mixes both up along their edge.
#[test]
fn normals_keep_a_crease() {
    let view = any_view();
    let [top, front] = [[0.0, 1.0, 0.0], unit([0.1, 0.0, 1.0])];
    let faces = [(top, 0.6), (front, dot(front, [2.0, 0.0, 2.1]))];
    let seen = |p: usize| {
        let depths = faces.map(|(normal, level)| plane(&view, normal, level, p));
        // Inside of the wedge only what lies behind both faces is solid: the farther one is met last, on entering it.
        if depths[0] > depths[1] { (top, depths[0]) } else { (front, depths[1]) }
    };
    let depth: Vec<f32> = (0..view.pixels()).map(|p| seen(p).1 as f32).collect();
    let tops = (0..view.pixels()).filter(|p| seen(*p).0 == top).count();
    assert!(tops > 1000 && tops < view.pixels() - 1000, "{tops} pixels show the top");
    let (sim, view) = normals(&depth, None, "");
    assert_normals("a crease", &read(&sim, "normal.normal"), &view, |p| Some(seen(p).0));
}

#[test]
fn calm_water_is_made_level_by_the_formula() {
    let view = any_view();
    let normal = unit([0.3, 0.9, 0.2]);
    let level = dot(normal, [2.0, 0.5, 2.0]);
    let depth: Vec<f32> = (0..view.pixels()).map(|p| plane(&view, normal, level, p) as f32).collect();
    let velocity: Vec<f32> = random(3 * view.pixels(), 8).iter().map(|v| 0.8 * v).collect();
    let params = r#""slow": 0.2, "fast": 0.9, "rest_height": 0.6, "lift": 0.25, "steep": -1"#;
    let (sim, view) = normals(&depth, Some(&velocity), params);
    let (mask, found) = (read(&sim, "normal.mask"), read(&sim, "normal.normal"));
    let formula = |pixel: usize| {
        let v: V = std::array::from_fn(|i| f64::from(velocity[3 * pixel + i]));
        let height = plus(view.eye, f64::from(depth[pixel]), view.q(pixel))[1];
        let moving = ((dot(v, v).sqrt() - 0.2) / 0.7).clamp(0.0, 1.0);
        moving.max(((height - 0.6) / 0.25).clamp(0.0, 1.0))
    };
    let errors: Vec<f64> = (0..view.pixels()).map(|p| mask[p] - formula(p)).collect();
    let partly = mask.iter().filter(|m| **m > 0.0 && **m < 1.0).count();
    println!("{partly} of {} pixels are partly calm", view.pixels());
    assert!(partly > view.pixels() / 4);
    within(
        "mask",
        max_abs(&errors),
        12.0 * U * 4.0 / 0.25,
        "a height of up to 4 m in a dozen roundings, over the lift",
    );
    let softened = |pixel: usize| {
        let m = formula(pixel);
        Some(unit([m * normal[0], normal[1], m * normal[2]]))
    };
    assert_normals("levelled normals", &found, &view, softened);
}

const SUNLIGHT: &str = r##"
    "space": (domain: (resolution: (4, 4, 4), width: 4, edge: "wall")),
    "floor": (domain: (resolution: (96, 64), width: 1.5, edge: "clamp")),
    "depth": (state: "Grid<f32>", on: "floor"), "normal": (state: "Grid<vec3f>", on: "floor"),
    "sun": (stage: "view/camera", params: {"look_at": (0.75, 0, 0.5), "azimuth": -40, "elevation": 60, "distance": 30, "fov": 4}),
    "light": (stage: "water/caustics", inputs: {"camera": "sun.camera", "depth": "depth.value", "normal": "normal.value"}, params: {"absorption": 0}),
"##;

/// Mean light on the floor away from its border, without water and under level water.
#[test]
fn sunlight_is_all_there_without_water_and_spread_evenly_by_level_water() {
    let level = [0.0f32, 1.0, 0.0].repeat(view_area());
    for (what, height, passed) in
        [("no water", -1.0, 1.0), ("level water of 0.2 m", 0.2, 0.98 * (1.0 - 0.134f64.powi(5)))]
    {
        let mut sim = start(60.0, SUNLIGHT, &[]);
        let depth = |view: &View| -> Vec<f32> {
            let of = |p| if height < 0.0 { f32::MAX } else { plane(view, [0.0, 1.0, 0.0], height, p) as f32 };
            (0..view.pixels()).map(of).collect()
        };
        step(&mut sim, 1);
        let view = View::read(&sim, "sun.camera", SIZE);
        run(&mut sim, &[("depth", &depth(&view)), ("normal", &level)], 1, "light.light");
        let light = read(&sim, "light.light");
        let inner: Vec<f64> = (16..48).flat_map(|y| (24..72).map(move |x| 96 * y + x)).map(|i| light[i]).collect();
        println!(
            "{what}: {:.4} +- {:.4}",
            mean(&inner),
            rms(&inner.iter().map(|l| l - mean(&inner)).collect::<Vec<_>>())
        );
        // 48 x 32 cells between pixels of another distance: a row more or less at each side.
        within("  mean", (mean(&inner) / passed - 1.0).abs(), 0.5 / 32.0, "half a row of the 32");
    }
}

/// The graph, with the options that docs/examples.md names for a small one.
fn small_water() -> Document {
    let path = format!("{}/graphs/sph_water.ron", env!("CARGO_MANIFEST_DIR"));
    let mut document = Document::parse(&std::fs::read_to_string(path).unwrap()).unwrap_or_else(|e| panic!("{e}"));
    let examples = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/examples.md")).unwrap();
    let command =
        examples.lines().find(|line| line.contains("sph_water.ron") && line.contains("spacing.value=")).unwrap();
    let options: Vec<&str> = command.split("--param ").skip(1).map(|o| o.split(' ').next().unwrap()).collect();
    assert_eq!(options.len(), 2, "{command}");
    for option in options {
        let (path, value) = option.split_once('=').unwrap();
        let (node, param) = path.rsplit_once('.').unwrap();
        document.set(node, param, ParamValue::from_text(value)).unwrap_or_else(|e| panic!("{option}: {e}"));
    }
    document
}

/// Water hardly compressed, in the fall and at the impact on the far wall after 0.4 s; nobody lost, no step too long.
#[test]
fn the_small_water_graph_keeps_its_water_together() {
    let mut sim = fused(&small_water(), &["substep.particles"]);
    let (mut most, mut worst, mut fullest) = (0.0f64, 0.0f64, 0.0f64);
    for frame in 0..24 {
        step(&mut sim, 1);
        let live = words(&sim, "substep.particles.count")[0] as usize;
        assert_eq!(live, 28 * 12 * 20, "frame {frame}: nobody is lost");
        let position = read(&sim, "substep.particles.position");
        let inside = |p: &[f64]| (0..3).all(|a| (0.0..=[2.2, 1.4, 1.0][a]).contains(&p[a]));
        assert!(position[..3 * live].chunks(3).all(inside), "frame {frame}: everybody is in the tank");
        let warned = sim.warnings(true);
        assert!(warned.is_empty(), "frame {frame}: {warned}");
        let mut density: Vec<f64> =
            read(&sim, "substep.particles.density")[..live].iter().map(|rho| rho / 1000.0 - 1.0).collect();
        density.sort_by(f64::total_cmp);
        most = most.max(mean(&density));
        worst = worst.max(density[live * 99 / 100]);
        fullest = fullest.max(density[live - 1]);
    }
    println!("the worst particle of all frames: {:.1} % above the rest density", 100.0 * fullest);
    within("mean compression, worst frame", most, 0.02, "twice the column's weight at its foot, g 0.6 m / c^2 = 1.2 %");
    within(
        "compression of 99 of 100 particles, worst frame",
        worst,
        0.1,
        "a tenth, which the eye still takes for water",
    );
}

/// What the surface of the variant `article` draws: particles of its size, seen from above.
const SEEN: &str = r##"
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 2000, on: "tank"),
    "drops": (custom: r#"//! Spheres
        //! @inout particles: Particles{position: Vec} -> {radius: f32}
        //! @param full: f32 = 1
        fn stage(particle: Particle) -> f32 { return params.full; }"#, inputs: {"particles": "set.value"}, params: {"full": "spacing"}),
    "camera": (stage: "view/camera", on: "picture", params: {"look_at": (1.1, 0.3, 0.5), "azimuth": 0, "elevation": 90, "distance": 2.75, "fov": 35}),
"##;

/// A drop half a metre before a sheet of spheres. Depths across its outline differ by at least 0.5 m less a radius of 0.05 m, four and a
/// half ranges, so they weigh exp(-10), and a pixel of the drop moves within the drop's own relief of one radius. The range of the
/// narrow-range filter, 12 spacings, moves its edge by 0.2 m. And of the sheet's own relief a window of 2.5 sigma leaves little: one of 1.3 sigma
/// leaves 11 %, with its sign turned.
#[test]
fn the_articles_filter_keeps_the_outline_of_a_drop() {
    let path = format!("{}/graphs/sph_water.ron", env!("CARGO_MANIFEST_DIR"));
    let shipped = Document::parse(&std::fs::read_to_string(path).unwrap()).unwrap_or_else(|e| panic!("{e}"));
    let shipped = shipped.with_variant(Some("article")).unwrap_or_else(|e| panic!("{e}"));
    let mut test = document(60.0, SEEN, &[]);
    for name in ["spacing", "picture_height", "sigma", "h", "cells", "size", "tank", "picture", "surface"] {
        test.nodes.insert(name.to_string(), shipped.nodes[name].clone());
    }
    let spacing = 0.05;
    let radius = 0.05;
    let level = 0.3;
    let drop = [1.1, 0.85, 0.5];
    let sheet = (0..44 * 20).map(|i| [(f64::from(i % 44) + 0.5) * spacing, level, (f64::from(i / 44) + 0.5) * spacing]);
    let places: Vec<[f64; 3]> = sheet.chain([drop]).collect();
    let mut sim = simulation(&test);
    sim.reset();
    let numbers: Vec<f32> = places.iter().flatten().map(|x| *x as f32).collect();
    sim.write("set.position", &numbers).unwrap_or_else(|e| panic!("{e}"));
    sim.write("set.velocity", &vec![0.0; numbers.len()]).unwrap_or_else(|e| panic!("{e}"));
    sim.set_count("set", places.len() as u32).unwrap_or_else(|e| panic!("{e}"));
    step(&mut sim, 1);
    let (raw, smooth) = (read(&sim, "surface.raw_depth"), read(&sim, "surface.depth"));
    let size = [640, 360];
    assert_eq!(raw.len(), size[0] * size[1], "the variant's image");
    let eye = 2.75 + level - drop[1];
    let (mut dropped, mut moved) = (0, 0.0f64);
    for (before, after) in raw.iter().zip(&smooth).filter(|(before, _)| **before < eye + radius) {
        dropped += 1;
        moved = moved.max((after - before).abs());
    }
    assert!(dropped > 200, "{dropped} pixels show the drop");
    within(
        "depth of a pixel of the drop, moved [m]",
        moved,
        radius + 2.0 * 0.5 * (-10f64).exp() * 33.0,
        "the drop's own relief",
    );
    // A part of the sheet, a window and more away from the drop and from its ends.
    let inner = |i: &usize| (200..260).contains(&(i % size[0])) && (160..200).contains(&(i / size[0]));
    let relief = |depth: &[f64]| {
        let part: Vec<f64> = (0..depth.len()).filter(inner).map(|i| depth[i]).collect();
        let middle = mean(&part);
        (part.iter().map(|d| (d - middle).powi(2)).sum::<f64>() / part.len() as f64).sqrt()
    };
    let (spheres, left) = (relief(&raw), relief(&smooth));
    assert!(spheres > 0.002, "the spheres have a relief of {spheres} m");
    within("relief of the spheres that is left", left / spheres, 0.03, "a hundredth by the window; spheres seen askew");
}
