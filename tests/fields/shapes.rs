//! Shapes against distances that are found another way, and their slopes.

use stagewright_base::curve::Curve;
use stagewright_solver_support::field_samples::*;
use stagewright_solver_support::harness::*;

/// Distances are made of a few sums, products and a square root of numbers up to 2.
const BAR: f64 = 24.0 * U * 2.0;
const BECAUSE: &str = "24 roundings of numbers up to 2";

fn check(dim: usize, what: &str, node: &str, distance: impl Fn(Point) -> f64) {
    let nodes = format!("\"shape\": ({node}, on: \"space\"),");
    let points = scattered(dim, 2000, 11);
    let got = scalar(dim, &nodes, "shape.distance", &points);
    let expected: Vec<f64> = points.iter().map(|p| distance(*p)).collect();
    let inside = expected.iter().filter(|d| **d < 0.0).count();
    assert!(inside > 20 && inside < 1900, "{what}: {inside} of the points lie inside");
    within(&format!("{what} in {dim}D"), max_abs(&difference(&got, &expected)), BAR, BECAUSE);
}

/// Closest of many points along a curve, then of many around the closest.
fn to_curve(at: Point, curve: impl Fn(f64) -> Point) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    let mut best = f64::INFINITY;
    for _ in 0..12 {
        let step = (high - low) / 64.0;
        let places = (0..=64).map(|i| low + step * f64::from(i));
        let (closest, distance) = places
            .map(|s| (s, norm(less(at, curve(s)))))
            .fold((0.0, f64::INFINITY), |a, b| if b.1 < a.1 { b } else { a });
        (low, high, best) = (closest - step, closest + step, distance.min(best));
    }
    best
}

#[test]
fn simple_shapes_have_their_distance() {
    for dim in [2, 3] {
        let flat = |p: Point| if dim == 2 { [p[0], p[1], 0.0] } else { p };
        let center = flat([0.5, 0.375, 0.625]);
        check(
            dim,
            "sphere",
            r#"stage: "shape/sphere", params: {"center": (0.5, 0.375, 0.625), "radius": 0.25}"#,
            |p| norm(less(p, center)) - 0.25,
        );
        let normal = scaled(flat([1.0, 2.0, -2.0]), 1.0 / norm(flat([1.0, 2.0, -2.0])));
        let node = r#"stage: "shape/plane", params: {"through": (0.5, 0.375, 0.625), "normal": (1, 2, -2)}"#;
        check(dim, "plane", node, |p| dot(less(p, center), normal));
        let ends = [flat([0.25, 0.25, 0.25]), flat([0.75, 0.5, 0.625])];
        let node = r#"stage: "shape/capsule", params: {"start": (0.25, 0.25, 0.25), "end": (0.75, 0.5, 0.625), "radius": 0.125}"#;
        check(dim, "capsule", node, |p| {
            let on_segment = |s: f64| added(ends[0], scaled(less(ends[1], ends[0]), s.clamp(0.0, 1.0)));
            to_curve(p, on_segment) - 0.125
        });
    }
}

#[test]
fn a_box_has_its_distance_sharp_or_rounded() {
    for dim in [2, 3] {
        for rounding in [0.0, 0.0625] {
            let node = format!(
                r#"stage: "shape/box", params: {{"center": (0.5, 0.5, 0.5), "size": (0.5, 0.25, 0.375), "rounding": {rounding}}}"#
            );
            let half = [0.25, 0.125, 0.1875].map(|h| h - rounding);
            check(dim, &format!("box rounded by {rounding}"), &node, |p| {
                let from_middle: Point = std::array::from_fn(|a| if a < dim { p[a] - 0.5 } else { 0.0 });
                let closest: Point = std::array::from_fn(|a| from_middle[a].clamp(-half[a], half[a]));
                let outside = norm(less(from_middle, closest));
                let inside = (0..dim).map(|a| half[a] - from_middle[a].abs()).fold(f64::INFINITY, f64::min);
                if outside > 0.0 { outside - rounding } else { -inside - rounding }
            });
        }
    }
}

#[test]
fn a_torus_has_its_distance() {
    let (axis, across) = ([0.6, 0.8, 0.0], [[0.8, -0.6, 0.0], [0.0, 0.0, 1.0]]);
    assert!(dot(axis, across[0]).abs() < 1e-15);
    let node = r#"stage: "shape/torus", params: {"center": (0.5, 0.5, 0.5), "axis": (3, 4, 0), "radius": 0.25, "thickness": 0.125}"#;
    check(3, "torus", node, |p| {
        let circle = |s: f64| {
            let (sin, cos) = (std::f64::consts::TAU * s).sin_cos();
            added([0.5; 3], added(scaled(across[0], 0.25 * cos), scaled(across[1], 0.25 * sin)))
        };
        to_curve(p, circle) - 0.125
    });
}

const PAIR: &str = r#"
    "a": (stage: "shape/sphere", on: "space", params: {"center": (0.375, 0.5, 0.5), "radius": 0.25}),
    "b": (stage: "shape/sphere", on: "space", params: {"center": (0.625, 0.5, 0.5), "radius": 0.1875}),
    "union": (stage: "shape/union", inputs: {"a": "a.distance", "b": "b.distance"}, params: {"blend": $blend}),
    "both": (stage: "shape/intersect", inputs: {"a": "a.distance", "b": "b.distance"}, params: {"blend": $blend}),
    "cut": (stage: "shape/subtract", inputs: {"a": "a.distance", "b": "b.distance"}, params: {"blend": $blend}),
    "alone": (stage: "shape/union", inputs: {"a": "a.distance"}),
"#;

#[test]
fn shapes_combine() {
    for dim in [2, 3] {
        let points = scattered(dim, 2000, 12);
        let flat = |x: f64| if dim == 2 { [x, 0.5, 0.0] } else { [x, 0.5, 0.5] };
        let [a, b] = [(0.375, 0.25), (0.625, 0.1875)]
            .map(|(x, r)| points.iter().map(|p| norm(less(*p, flat(x))) - r).collect::<Vec<_>>());
        for blend in [0.0, 0.125] {
            let nodes = PAIR.replace("$blend", &blend.to_string());
            let seam = |a: f64, b: f64| {
                if blend > 0.0 { (blend - (a - b).abs()).max(0.0).powi(2) / (4.0 * blend) } else { 0.0 }
            };
            type Combine<'a> = &'a dyn Fn(f64, f64) -> f64;
            let combinations: [(&str, Combine<'_>); 3] = [
                ("union", &|a, b| a.min(b) - seam(a, b)),
                ("both", &|a, b| a.max(b) + seam(a, b)),
                ("cut", &|a, b| a.max(-b) + seam(a, -b)),
            ];
            for (node, combine) in combinations {
                let expected: Vec<f64> = a.iter().zip(&b).map(|(a, b)| combine(*a, *b)).collect();
                let got = scalar(dim, &nodes, &format!("{node}.distance"), &points);
                let error = max_abs(&difference(&got, &expected));
                within(&format!("{node} with blend {blend} in {dim}D"), error, BAR, BECAUSE);
            }
        }
        let alone = scalar(dim, &PAIR.replace("$blend", "0"), "alone.distance", &points);
        within(&format!("one shape alone in {dim}D"), max_abs(&difference(&alone, &a)), BAR, BECAUSE);
    }
}

#[test]
fn a_moved_shape_is_where_it_was_moved() {
    let nodes = r#"
        "box": (stage: "shape/box", on: "space", params: {"center": (0.5, 0.5, 0.5), "size": (0.5, 0.25, 0.125)}),
        "move": (stage: "shape/move", inputs: {"shape": "box.distance"}, params:
            {"offset": (0.125, -0.0625, 0.0625), "angle": 30, "axis": (0, 0, 2), "pivot": (0.25, 0.5, 0.5)}),
        "back": (stage: "shape/move", inputs: {"shape": "move.distance"}, params:
            {"offset": (-0.125, 0.0625, -0.0625), "angle": -30, "axis": (0, 0, 2), "pivot": (0.375, 0.4375, 0.5625)}),
    "#;
    for dim in [2, 3] {
        let still = scattered(dim, 2000, 13);
        let (sin, cos) = 30f64.to_radians().sin_cos();
        let moved: Vec<Point> = still
            .iter()
            .map(|p| {
                let [x, y] = [p[0] - 0.25, p[1] - 0.5];
                let z = if dim == 3 { p[2] + 0.0625 } else { 0.0 };
                rounded([0.25 + cos * x - sin * y + 0.125, 0.5 + sin * x + cos * y - 0.0625, z])
            })
            .collect();
        let before = scalar(dim, nodes, "box.distance", &still);
        let after = scalar(dim, nodes, "move.distance", &moved);
        let error = max_abs(&difference(&after, &before));
        within(&format!("turned by 30 degrees and shifted in {dim}D"), error, 2.0 * 4.9e-4, "WGSL's sine and cosine");
        let back = scalar(dim, nodes, "back.distance", &still);
        let error = max_abs(&difference(&back, &before));
        within(&format!("and back in {dim}D"), error, 4.0 * 4.9e-4, "the same, twice");
    }
}

/// A substep of a disc that goes 3 m/s along x, seen from one place: the distance of substep k in cell k.
const BETWEEN: &str = r##"
    "domain": (domain: (resolution: (4, 4), width: 1, edge: "clamp")),
    "disc": (stage: "shape/sphere", on: "domain", params: {"center": (0.25, 0.5, 0), "radius": 0.125}),
    "drift": (stage: "shape/rigid_velocity", on: "domain", params: {"linear": (3, 0, 0)}),
    "seen": (state: "Grid<f32>", on: "domain", inputs: {"next": "substep.seen"}),
    "substep": (group: (
        inputs: {"seen": "Grid<f32>", "shape": "Field<f32>", "velocity": "Field<Vec>"},
        outputs: {"seen": "note.seen"},
        nodes: {
            "between": (stage: "shape/between_frames", inputs: {"shape": "in.shape", "velocity": "in.velocity", "dt": "step.dt"}),
            "step": (custom: r#"//! Step
                //! @over once
                //! @out dt: f32
                fn stage() -> f32 { return frame.dt / 4.0; }"#),
            "note": (custom: r#"//! Note
                //! @in    shape: Field<f32>
                //! @inout seen: Grid<f32> = 0
                fn stage(cell: Cell) -> f32 { return select(seen(cell), shape(vec2f(0.75, 0.5)), cell.x == substep); }"#, inputs: {"shape": "between.distance", "seen": "in.seen"}),
        },
    ), on: "domain", inputs: {"seen": "seen", "shape": "disc.distance", "velocity": $velocity}, iterations: 4),
"##;

#[test]
fn a_shape_moves_within_a_frame_to_where_the_frame_has_it() {
    for (wire, speed) in [("\"drift.velocity\"", 3.0), ("\"still.velocity\"", 0.0)] {
        let still = r#""still": (stage: "shape/rigid_velocity", on: "domain"),"#;
        let mut sim = start(8.0, &[BETWEEN, still].concat(), &[("$velocity", wire)]);
        let seen = run(&mut sim, &[], 2, "seen");
        for (k, found) in seen.iter().take(4).enumerate() {
            // What is left of an eighth of a second after substep k of four.
            let middle = 0.25 - speed * 0.125 * (1.0 - (k as f64 + 1.0) / 4.0);
            within(
                &format!("at {speed} m/s, substep {k}"),
                found - (0.75 - middle - 0.125),
                8.0 * U,
                "roundings of numbers up to 1",
            );
        }
    }
}

const SLOPE: &str = r##"
    "sphere": (stage: "shape/sphere", on: "space", params: {"center": (0.5, 0.5, 0.5), "radius": 0.25}),
    "slope": (custom: r#"//! Slope
        //! @in shape: Field<f32>
        //! @out slope: Field<Vec>
        fn stage(position: Vec) -> Vec { return shape_gradient(position, $step); }"#, inputs: {"shape": "sphere.distance"}),
"##;

/// Central differences of a distance at r from the middle: off by no more than step^2 / (2 r^2), which is the third
/// derivative 3 / r^2 over six, and by the rounding of two distances over two steps.
#[test]
fn the_gradient_of_a_distance_is_its_normal() {
    for dim in [2, 3] {
        let middle: Point = std::array::from_fn(|a| if a < dim { 0.5 } else { 0.0 });
        let mut points = scattered(dim, 2000, 14);
        points.retain(|p| norm(less(*p, middle)) > 0.125);
        let expected: Vec<Point> =
            points.iter().map(|p| scaled(less(*p, middle), 1.0 / norm(less(*p, middle)))).collect();
        for step in [0.03125, 0.0078125] {
            let nodes = SLOPE.replace("$step", &step.to_string());
            let got = flow(dim, &nodes, "slope.slope", &points);
            let bar = (dim as f64).sqrt() * (step * step / (2.0 * 0.125 * 0.125) + 4.0 * U / step);
            let because = "step^2 / 2 r^2 along each axis, and rounding";
            within(&format!("gradient with step {step} in {dim}D"), furthest(&got, &expected), bar, because);
        }
    }
}

#[test]
fn a_rigid_body_moves_and_turns() {
    let node = r#""body": (stage: "shape/rigid_velocity", on: "space", params:
        {"center": (0.25, 0.5, 0.75), "linear": (1, -2, 0.5), "angular": (0.5, 1.5, -3)}),"#;
    for dim in [2, 3] {
        let flat = |p: Point| if dim == 2 { [p[0], p[1], 0.0] } else { p };
        let angular = if dim == 2 { [0.0, 0.0, -3.0] } else { [0.5, 1.5, -3.0] };
        let points = scattered(dim, 500, 15);
        let expected: Vec<Point> = points
            .iter()
            .map(|p| flat(added([1.0, -2.0, 0.5], crossed(angular, less(*p, flat([0.25, 0.5, 0.75]))))))
            .collect();
        let got = flow(dim, node, "body.velocity", &points);
        within(
            &format!("V + w x r in {dim}D"),
            furthest(&got, &expected),
            12.0 * U * 6.0,
            "roundings of numbers up to 6",
        );
    }
}

#[test]
fn a_lathe_has_the_distance_to_its_profile() {
    let points = [(0.0, 0.5), (0.3, 1.0), (0.55, 0.15), (0.8, 0.6), (1.0, 0.3)];
    let curve = Curve { points: points.to_vec() };
    for (dim, rounding) in [(2, 0.0), (3, 0.0), (2, 0.03), (3, 0.03)] {
        let node = format!(
            r#"stage: "shape/lathe", params: {{"center": (0.5, 0.45, 0.55), "height": 0.7, "radius": 0.35, "rounding": {rounding},
                "profile": [(0, 0.5), (0.3, 1), (0.55, 0.15), (0.8, 0.6), (1, 0.3)]}}"#
        );
        // The outline: 64 pieces between points at equal heights, with both ends.
        let corner = |k: usize| {
            let t = k as f64 / 64.0;
            [(0.35 * curve.at(t) - rounding).max(0.0), (t - 0.5) * (0.7 - 2.0 * rounding)]
        };
        let mut outline = vec![[0.0, corner(0)[1]]];
        outline.extend((0..=64).map(corner));
        outline.push([0.0, corner(64)[1]]);
        check(dim, &format!("lathe rounded by {rounding}"), &node, |p| {
            let aside = if dim == 3 { (p[0] - 0.5).hypot(p[2] - 0.55) } else { (p[0] - 0.5).abs() };
            let q = [aside, p[1] - 0.45];
            let nearest = outline.windows(2).map(|piece| {
                let [along, to] = [piece[1], q].map(|end| [0, 1].map(|a| end[a] - piece[0][a]));
                let length2 = along[0] * along[0] + along[1] * along[1];
                let part = ((to[0] * along[0] + to[1] * along[1]) / length2).clamp(0.0, 1.0);
                (to[0] - part * along[0]).hypot(to[1] - part * along[1])
            });
            let distance = nearest.fold(f64::INFINITY, f64::min);
            // The angle under which the closed outline with its mirror is seen: all around from inside.
            let mirrored = outline.iter().rev().map(|p| [-p[0], p[1]]);
            let around: Vec<[f64; 2]> = outline.iter().copied().chain(mirrored).collect();
            let turn: f64 = (0..around.len())
                .map(|k| {
                    let [a, b] = [around[k], around[(k + 1) % around.len()]].map(|v| [v[0] - q[0], v[1] - q[1]]);
                    (a[0] * b[1] - a[1] * b[0]).atan2(a[0] * b[0] + a[1] * b[1])
                })
                .sum();
            (if turn.abs() > 3.0 { -distance } else { distance }) - rounding
        });
    }
}

const SAMPLED: &str = r##"
    "space": (domain: (resolution: ($space), width: 1, edge: "wall")),
    "box": (domain: (resolution: ($cells), width: 1)),
    "at": (state: "Grid<Vec>", on: "space"),
    "ball": (stage: "shape/sphere", on: "box", params: {"center": (0.5, 0.55, 0.45), "radius": 0.6}),
    "grid": (stage: "grid/from_field", on: "box", inputs: {"field": "ball"}),
    "shape": (stage: "shape/from_grid", inputs: {"grid": "grid"}, params: {"size": (1, 1, 1)}),
    "ask": (custom: r#"//! Ask
        //! @in at: Grid<Vec>
        //! @in field: Field<f32>
        //! @out answer: Grid<f32>
        fn stage(cell: Cell) -> f32 { return field(at(cell)); }"#, on: "space", inputs: {"at": "at", "field": "shape"}),
"##;

#[test]
fn a_shape_from_a_grid_ends_within_it() {
    for (dim, n) in [(2, 16usize), (3, 10)] {
        let cells = vec![n.to_string(); dim].join(", ");
        let space = if dim == 3 { "2000, 1, 1" } else { "2000, 1" };
        let values = [("$space", space), ("$cells", &cells)];
        let mut sim = start(60.0, SAMPLED, &values);
        // The ball reaches beyond the grid.
        let points: Vec<Point> = scattered(dim, 2000, 13).iter().map(|p| p.map(|x| 2.0 * x - 0.5)).collect();
        let points: Vec<Point> =
            points.iter().map(|p| std::array::from_fn(|a| if a < dim { p[a] } else { 0.0 })).collect();
        let flat: Vec<f32> = points.iter().flat_map(|p| p[..dim].iter().map(|x| *x as f32)).collect();
        let got = run(&mut sim, &[("at", &flat)], 1, "ask.answer");
        let sample = |c: [usize; 3]| {
            let at: Point = std::array::from_fn(|a| if a < dim { (c[a] as f64 + 0.5) / n as f64 } else { 0.0 });
            norm(less(at, std::array::from_fn(|a| if a < dim { [0.5, 0.55, 0.45][a] } else { 0.0 }))) - 0.6
        };
        let expected = points.iter().map(|p| {
            let nearest = p.map(|x| x.clamp(0.0, 1.0));
            let q = nearest.map(|x| x * n as f64 - 0.5);
            let mut sum = 0.0;
            for corner in 0..1usize << dim {
                let mut weight = 1.0;
                let around = std::array::from_fn(|a| {
                    if a >= dim {
                        return 0;
                    }
                    let (first, upper) = (q[a].floor(), corner >> a & 1);
                    weight *= if upper == 1 { q[a] - first } else { 1.0 - (q[a] - first) };
                    (first + upper as f64).clamp(0.0, n as f64 - 1.0) as usize
                });
                sum += weight * sample(around);
            }
            sum + norm(less(*p, nearest))
        });
        let expected: Vec<f64> = expected.collect();
        let inside = expected.iter().zip(&points).filter(|(d, _)| **d < 0.0).collect::<Vec<_>>();
        assert!(inside.len() > 200, "some are inside");
        assert!(inside.iter().all(|(_, p)| p[..dim].iter().all(|x| (-0.2..=1.2).contains(x))), "near the grid");
        // A distance changes by no more than the place does, which rounds a few times in cells.
        let bar = 24.0 * U * 2.0 + 4.0 * n as f64 * U;
        within(&format!("shape from a grid in {dim}D"), max_abs(&difference(&got, &expected)), bar, BECAUSE);
    }
}
