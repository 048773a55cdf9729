//! What shows fields and particles: camera, points, shapes, light in smoke.

use stagewright_solver_support::field_samples::{Point, added, dot, less, norm, scaled};
use stagewright_solver_support::harness::*;

use super::pinhole::{LOOK_AT, VIEWS, axes};

const CAMERA: &str = r##"
    "picture": (domain: (resolution: (96, 64), width: 1.5, edge: "wall")),
    "scene": (domain: (resolution: (16, 16, 16), width: 1, edge: "clamp")),
    "camera": (stage: "view/camera", params: {"look_at": (0.5, 0.25, 0.75), "azimuth": $azimuth, "elevation": $elevation,
        "distance": 2, "fov": 40, "roll": $roll}),
    $nodes
"##;

pub fn scene(nodes: &str, [azimuth, elevation, roll]: [f64; 3]) -> stagewright_runtime::sim::Simulation {
    let values = [("$azimuth", azimuth), ("$elevation", elevation), ("$roll", roll)].map(|(k, v)| (k, v.to_string()));
    start(60.0, &CAMERA.replace("$nodes", nodes), &pairs(&values))
}

/// Point of the image, and depth.
pub fn projected(at: Point, view: [f64; 3]) -> Point {
    let [right, up, forward] = axes(view);
    let eye = less(LOOK_AT, scaled(forward, 2.0));
    let depth = dot(less(at, eye), forward);
    let scale = 1.0 / (depth * 20f64.to_radians().tan());
    [dot(less(at, eye), right) * scale, dot(less(at, eye), up) * scale, depth]
}

#[test]
fn the_camera_projects_as_a_pinhole() {
    let nodes = r##"
        "project": (custom: r#"//! Project
            //! @in camera: Camera
            //! @out project: Grid<vec3f>
            fn stage(cell: Cell) -> vec3f {
                let place = vec3f(f32(cell.x), f32(cell.y), f32(cell.x * cell.y % 7)) / 64.0;
                return camera_project(camera(), place);
            }"#, on: "picture", inputs: {"camera": "camera.camera"}),
        "back": (custom: r#"//! Back
            //! @in camera: Camera
            //! @in project: Grid<vec3f>
            //! @out place: Grid<vec3f>
            fn stage(cell: Cell) -> vec3f {
                let view = camera();
                let ray = camera_ray(view, project(cell).xy);
                return camera_eye(view) + ray * project(cell).z / dot(ray, view[2].xyz);
            }"#, inputs: {"camera": "camera.camera", "project": "project.project"}),
    "##;
    let place = |i: usize| -> Point {
        let (x, y) = (i % 96, i / 96);
        [x as f64 / 64.0, y as f64 / 64.0, (x * y % 7) as f64 / 64.0]
    };
    for view in VIEWS {
        let mut sim = scene(nodes, view);
        step(&mut sim, 1);
        // WGSL's sine, cosine and tangent of the angles are the largest part: 2^-11 for each of three.
        let because = "WGSL's sine and cosine";
        let got = read(&sim, "project.project");
        let expected: Vec<f64> = (0..96 * 64).flat_map(|i| projected(place(i), view)).collect();
        within(&format!("projection at {view:?}"), max_abs(&difference(&got, &expected)), 6.0 * 4.9e-4, because);
        let back = read(&sim, "back.place");
        let expected: Vec<f64> = (0..96 * 64).flat_map(place).collect();
        within("  and back along the ray", max_abs(&difference(&back, &expected)), 64.0 * U * 3.0, "64 roundings");
    }
    let middle = projected(LOOK_AT, VIEWS[1]);
    assert!(norm(less(middle, [0.0, 0.0, 2.0])) < 1e-12, "the reference looks at its point");
}

const POINTS: &str = r##"
    "set": (state: "Particles{position: Vec, tone: f32}", capacity: 4, on: "scene"),
    "wall": (custom: r#"//! Wall
        //! @out depth: Grid<f32>
        fn stage(cell: Cell) -> f32 { return $wall; }"#, on: "picture"),
    "points": (stage: "view/points", on: "picture", inputs: {"camera": "camera.camera", "depth": "wall.depth", "particles": "set.value"},
        params: {"size": $size, "brightness": 1, "low": (1, 0.5, 0.25, 1), "middle": (0, 1, 0, 1), "high": (0.25, 0, 1, 0.5)}),
"##;

/// The image of one particle: sum of colours and weights, and where its middle lies in cells.
fn picture_of(at: Point, tone: f32, size: f64, wall: &str) -> ([f64; 4], [f64; 2]) {
    let nodes = POINTS.replace("$size", &size.to_string()).replace("$wall", wall);
    let mut sim = scene(&nodes, VIEWS[1]);
    sim.reset();
    sim.write("set.position", &at.map(|x| x as f32)).unwrap();
    sim.write("set.tone", &[tone]).unwrap();
    sim.set_count("set", 1).unwrap();
    step(&mut sim, 1);
    let light = read(&sim, "points.light");
    let sum = std::array::from_fn(|c| light.iter().skip(c).step_by(4).sum());
    let moment = |f: &dyn Fn(usize) -> f64| (0..96 * 64).map(|i| light[4 * i + 3] * f(i)).sum::<f64>();
    let total: f64 = sum[3];
    (sum, [moment(&|i| (i % 96) as f64 + 0.5) / total, moment(&|i| (i / 96) as f64 + 0.5) / total])
}

#[test]
fn a_point_lands_where_the_camera_sees_it_and_dims_with_its_area() {
    let at = [0.53, 0.31, 0.7];
    let [x, y, depth] = projected(at, VIEWS[1]);
    let expected = [48.0 + 32.0 * x, 32.0 + 32.0 * y];
    let radius = |size: f64| size * 32.0 / (depth * 20f64.to_radians().tan());
    let far = "3.0e38";
    // The kernel (1 - q^2)^2 has the integral pi / 3 over its disc.
    let area = |size: f64| std::f64::consts::PI / 3.0 * radius(size).powi(2);
    let (sum, middle) = picture_of(at, 0.0, 0.1, far);
    println!("radius {:.2} pixels, weights {:.4}, middle {middle:?}", radius(0.1), sum[3]);
    within(
        "weights over the kernel's integral",
        (sum[3] / area(0.1) - 1.0).abs(),
        0.05,
        "a sum of samples a pixel apart",
    );
    within("middle [pixels]", (middle[0] - expected[0]).hypot(middle[1] - expected[1]), 0.1, "the same");
    for (c, part) in [1.0, 0.5, 0.25].into_iter().enumerate() {
        within("colour of tone 0", (sum[c] / sum[3] - part).abs(), 1e-3, "fixed point of 2^-14");
    }
    // Smaller than a pixel: as much light as its area, whatever pixels it falls on.
    let (small, _) = picture_of(at, 0.0, 0.01, far);
    println!("radius {:.3} pixels, weights {:.5}", radius(0.01), small[3]);
    let because = "four pixels share the kernel of one: up to a quarter more or less";
    within("weights over the kernel's integral", (small[3] / area(0.01) - 1.0).abs(), 0.25, because);
    let (old, _) = picture_of(at, 1.0, 0.1, far);
    within("alpha is a weight", (old[3] / sum[3] - 0.5).abs(), 1e-3, "fixed point of 2^-14");
    within("colour of tone 1", (old[2] / old[3] - 1.0).abs() + (old[0] / old[3] - 0.25).abs(), 2e-3, "fixed point");
    let behind = picture_of(at, 0.0, 0.1, &format!("{}", depth - 0.1)).0;
    assert_eq!(behind, [0.0; 4], "hidden");
    let before = picture_of(at, 0.0, 0.1, &format!("{}", depth + 0.1)).0;
    assert_eq!(before, sum, "in front");
}

#[test]
fn a_sphere_is_seen_with_its_depth_and_its_normal() {
    let nodes = r#"
        "sphere": (stage: "shape/sphere", on: "scene", params: {"center": (0.5, 0.25, 0.75), "radius": 0.25}),
        "show": (stage: "view/shape", on: "picture", inputs: {"camera": "camera.camera", "shape": "sphere.distance"}),
    "#;
    let view = VIEWS[1];
    let mut sim = scene(nodes, view);
    step(&mut sim, 1);
    let (depth, normal) = (read(&sim, "show.depth"), read(&sim, "show.normal"));
    let [right, up, forward] = axes(view);
    let eye = less(LOOK_AT, scaled(forward, 2.0));
    let lens = 20f64.to_radians().tan();
    let mut depth_error = 0.0f64;
    let mut normal_error = 0.0f64;
    let mut seen = 0usize;
    let mut expected_seen = 0usize;
    for i in 0..96 * 64 {
        let [x, y] = [((i % 96) as f64 + 0.5 - 48.0) / 32.0, ((i / 96) as f64 + 0.5 - 32.0) / 32.0];
        let along = added(forward, added(scaled(right, x * lens), scaled(up, y * lens)));
        let ray = scaled(along, 1.0 / norm(along));
        let b = dot(ray, less(eye, LOOK_AT));
        let inside = b * b - (4.0 - 0.0625);
        expected_seen += usize::from(inside > 0.0);
        seen += usize::from(depth[i] < 1e38);
        if inside <= 0.0 {
            continue;
        }
        let place = added(eye, scaled(ray, -b - inside.sqrt()));
        let outward = scaled(less(place, LOOK_AT), 4.0);
        // Not at the rim, where a ray is stopped up to a twentieth of a pixel early.
        if -dot(outward, ray) > 0.3 {
            depth_error = depth_error.max((depth[i] - dot(less(place, eye), forward)).abs());
            let n: Point = std::array::from_fn(|c| normal[3 * i + c]);
            normal_error = normal_error.max(norm(less(n, outward)));
        }
    }
    let pixel = 1.75 * lens / 32.0;
    println!("{seen} pixels of {expected_seen}, a pixel is {pixel:.4} m");
    within(
        "depth [m]",
        depth_error,
        0.05 * pixel / 0.3 + 4.0 * 4.9e-4,
        "a twentieth of a pixel at a slant, and WGSL's sine",
    );
    within(
        "normal",
        normal_error,
        0.05 * pixel / 0.3 / 0.25 + 4.0 * 4.9e-4 / 0.25 + pixel * pixel / 0.125,
        "the same over the radius",
    );
    // Outlines are smooth: a ray may miss by half a pixel.
    let rim = 2.0 * (std::f64::consts::PI * expected_seen as f64).sqrt();
    within("pixels seen", (seen as f64 - expected_seen as f64).abs(), 0.6 * rim, "half a pixel around the rim");
}

#[test]
fn smoke_takes_light_exponentially() {
    let nodes = r##"
        "even": (custom: r#"//! Even
            //! @out density: Grid<f32>
            fn stage(cell: Cell) -> f32 { return 3.0; }"#, on: "scene"),
        "light": (stage: "view/light_volume", inputs: {"density": "even.density"}, params: {"absorption": 0.5, "reach": 0.75}),
        "layers": (custom: r#"//! Layers
            //! @out density: Grid<f32>
            fn stage(cell: Cell) -> f32 { return position(cell).y; }"#, on: "scene"),
        "upward": (stage: "view/light_volume", inputs: {"density": "layers.density"},
            params: {"absorption": 2, "reach": 0.25, "to_light": (0, 3, 0)}),
        "sphere": (stage: "shape/sphere", on: "scene", params: {"center": (0.5, 0.75, 0.5), "radius": 0.15}),
        "shadow": (stage: "view/light_volume", inputs: {"density": "even.density", "shape": "sphere.distance"},
            params: {"absorption": 0, "reach": 1, "to_light": (0, 2, 0)}),
    "##;
    let mut sim = scene(nodes, VIEWS[0]);
    step(&mut sim, 1);
    let light = read(&sim, "light.light");
    let expected = (-0.5 * 3.0 * 0.75f64).exp();
    let error = light.iter().map(|l| (l - expected).abs()).fold(0.0, f64::max);
    within("light through an even smoke", error, 64.0 * U, "64 roundings");
    let upward = read(&sim, "upward.light");
    let below = (0..11).map(|j| (j, (j as f64 + 0.5) / 16.0));
    let error = below.map(|(j, y)| (upward[j * 16] - (-2.0 * 0.25 * (y + 0.125)).exp()).abs()).fold(0.0, f64::max);
    within("light through a smoke that grows denser", error, 64.0 * U, "midpoints are exact for it; 64 roundings");
    let shadow = read(&sim, "shadow.light");
    let at = |x: usize, y: usize, z: usize| shadow[(z * 16 + y) * 16 + x];
    println!("under the sphere {:.3}, beside it {:.3}, above it {:.3}", at(8, 4, 8), at(1, 4, 1), at(8, 15, 8));
    assert!(at(8, 4, 8) < 0.01 && at(1, 4, 1) > 0.99 && at(8, 15, 8) > 0.99);
}

/// How far a ray from an eye goes inside of a box from 0 to 1 along each axis.
fn chord(eye: Point, ray: Point) -> f64 {
    let slab = |axis: usize| {
        let [a, b] = [0.0, 1.0].map(|side| (side - eye[axis]) / ray[axis]);
        (a.min(b), a.max(b))
    };
    let (enters, leaves) = (0..3).map(slab).fold((0.0f64, f64::MAX), |all, one| (all.0.max(one.0), all.1.min(one.1)));
    (leaves - enters).max(0.0)
}

#[test]
fn an_even_smoke_is_seen_as_thick_as_it_is() {
    let nodes = r##"
        "even": (custom: r#"//! Even
            //! @out density: Grid<f32>
            fn stage(cell: Cell) -> f32 { return 0.5; }"#, on: "scene"),
        "volume": (stage: "view/smoke_volume", on: "picture", inputs: {"camera": "camera.camera", "density": "even.density"}, params: {
            "opacity": 2, "steps": 7, "forward": 0, "smoke": (1, 0.5, 0, 1), "sun": (0.5, 0.5, 0.5, 1), "ambient": (0.25, 0.25, 0.25, 1),
            "low": (0.125, 0.125, 0.125, 1), "high": (0.125, 0.125, 0.125, 1)}),
    "##;
    for view in VIEWS {
        let mut sim = scene(nodes, view);
        step(&mut sim, 1);
        let [right, up, forward] = axes(view);
        let (eye, scale) = (less(LOOK_AT, scaled(forward, 2.0)), 20f64.to_radians().tan());
        let pixel = |i: usize| {
            let (x, y) = (((i % 96) as f64 - 47.5) / 32.0, ((i / 96) as f64 - 31.5) / 32.0);
            let ray = added(forward, added(scaled(right, x * scale), scaled(up, y * scale)));
            let through = (-chord(eye, scaled(ray, 1.0 / norm(ray)))).exp();
            [1.0, 0.5, 0.0].map(|smoke| 0.75 * smoke * (1.0 - through) + 0.125 * through)
        };
        let expected: Vec<f64> = (0..96 * 64).flat_map(pixel).collect();
        let thick = expected.iter().copied().fold(0.0, f64::max);
        assert!(thick > 0.4, "some of it is thick: {thick}");
        let got: Vec<f64> = read(&sim, "volume.image").chunks(4).flat_map(|rgba| rgba[..3].to_vec()).collect();
        let because = "WGSL's sine, cosine and tangent move each end of a ray's way by 2 m times 2^-11";
        within(&format!("smoke at {view:?}"), max_abs(&difference(&got, &expected)), 6.0 * 2.0 * 4.9e-4, because);
    }
}

#[test]
fn summed_points_glow_when_thin_and_cover_when_thick() {
    let nodes = r##"
        "sum": (custom: r#"//! Sum
            //! @out light: Grid<vec4f>
            fn stage(cell: Cell) -> vec4f { return vec4f(0.8, 0.4, 0.2, 1.0) * f32(cell.x * cell.x) / 100.0; }"#, on: "picture"),
        "resolve": (stage: "view/points_resolve", inputs: {"light": "sum.light"}, params: {"exposure": 2, "opacity": 0.5, "background": (0.1, 0.2, 0.3, 1)}),
        "light_alone": (stage: "view/points_resolve", inputs: {"light": "sum.light"}, params: {"exposure": 1, "opacity": 0, "background": (0.1, 0.2, 0.3, 1)}),
    "##;
    let mut sim = scene(nodes, VIEWS[0]);
    step(&mut sim, 1);
    let (covered, alone) = (read(&sim, "resolve.image"), read(&sim, "light_alone.image"));
    let (mut worst, mut worst_alone) = (0.0f64, 0.0f64);
    for x in 0..96 {
        let w = (x * x) as f64 / 100.0;
        let through = (-0.5 * w).exp();
        for (c, (color, behind)) in [(0.8, 0.1), (0.4, 0.2), (0.2, 0.3)].into_iter().enumerate() {
            let thick = if w > 0.0 { (1.0 - through) / 0.5 } else { 0.0 };
            worst = worst.max((covered[4 * x + c] - behind * through - 2.0 * color * thick).abs());
            worst_alone = worst_alone.max((alone[4 * x + c] - behind - color * w).abs());
        }
    }
    within(
        "emission and absorption",
        worst,
        1e-4 / 6.0 * 4.0 + 32.0 * U * 4.0,
        "the series of a thin layer, to third order",
    );
    within("light alone", worst_alone, 32.0 * U * 80.0, "roundings of numbers up to 80");
}

/// A rim of light shows what the pointer can take, and not what stands beside it.
#[test]
fn only_the_chosen_part_of_a_shape_has_a_rim() {
    let nodes = r#"
        "one": (number: 1),
        "left": (stage: "shape/sphere", on: "scene", params: {"center": (0.3, 0.25, 0.75), "radius": 0.15}),
        "right": (stage: "shape/sphere", on: "scene", params: {"center": (0.7, 0.25, 0.75), "radius": 0.15}),
        "both": (stage: "shape/union", inputs: {"a": "left.distance", "b": "right.distance"}),
        "dark": (stage: "view/shape", on: "picture", inputs: {"camera": "camera.camera", "shape": "both.distance"}),
        "all": (stage: "view/shape", on: "picture", inputs: {"camera": "camera.camera", "shape": "both.distance",
            "highlight": "one"}),
        "part": (stage: "view/shape", on: "picture", inputs: {"camera": "camera.camera", "shape": "both.distance",
            "highlight": "one", "lit": "left.distance"}),
        "alone": (stage: "view/shape", on: "picture", inputs: {"camera": "camera.camera", "shape": "left.distance"}),
    "#;
    let mut sim = scene(nodes, VIEWS[0]);
    step(&mut sim, 1);
    let [dark, all, part] = ["dark.image", "all.image", "part.image"].map(|name| read(&sim, name));
    let changed = |image: &[f64]| (0..96 * 64).filter(|i| image[4 * i] > dark[4 * i] + 1e-3).collect::<Vec<_>>();
    let (all, part) = (changed(&all), changed(&part));
    let normal = read(&sim, "alone.normal");
    let left = |i: &usize| normal[3 * i..3 * i + 3].iter().any(|n| *n != 0.0);
    println!("{} pixels have a rim on both spheres, {} on one", all.len(), part.len());
    assert!(part.len() > 100 && part.iter().all(left), "on the left sphere only");
    assert_eq!(all.iter().filter(|i| left(i)).count(), part.len(), "as bright as before there");
    assert!(all.len() > part.len() + 100, "unwired, on both");
}
