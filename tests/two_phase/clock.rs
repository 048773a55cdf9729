//! What the oil clock shows and how a person handles it: its vessel, turning, dragging, and the drawing of known drops.

use std::f64::consts::PI;

use stagewright_base::input::InputTrack;
use stagewright_compiler::Keep;
use stagewright_language::document::{Document, ParamValue};
use stagewright_runtime::sim::{FrameInput, Simulation};
use stagewright_solver_support::harness::*;

const WIDTH: f64 = 0.1;
const CELLS: [usize; 2] = [160, 256];
const CELL: f64 = WIDTH / CELLS[0] as f64;
/// Width of the image [m], and of its pixels on a side.
const PICTURE: f64 = 0.216;
const PIXELS: usize = 300;
const PIXEL: f64 = PICTURE / PIXELS as f64;

const DOMAINS: &str = r#"
    "domain": (domain: (resolution: (160, 256), width: 0.1, edge: "wall")),
    "picture": (domain: (resolution: (300, 300), width: 0.216, edge: "clamp")),
    "hull": (stage: "shape/hourglass"),
    "vessel": (stage: "grid/from_field", on: "domain", inputs: {"field": "hull"}),
    "open": (stage: "two_phase/open_cells", inputs: {"vessel": "vessel"}),
"#;

/// The outline of the default hourglass in its quarter, as points no further apart than a thousandth of a cell.
fn outline() -> Vec<[f64; 2]> {
    let (half_height, half_width, neck, neck_length) = (0.078, 0.048, 0.0029, 0.004);
    let (neck_rounding, belly, shoulder) = (0.012, 0.02, 0.02);
    let (sin, cos) = 47f64.to_radians().sin_cos();
    let mut points = Vec::new();
    let mut line = |a: [f64; 2], b: [f64; 2]| {
        let count = ((b[0] - a[0]).hypot(b[1] - a[1]) / (1e-3 * CELL)).ceil();
        points.extend(
            (0..=count as usize)
                .map(|i| i as f64 / count.max(1.0))
                .map(|t| [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]),
        );
    };
    let bend = [neck + neck_rounding, 0.5 * neck_length];
    line([neck, 0.0], [neck, bend[1]]);
    // The arcs as chords that leave them by less than 1e-8 of their radius.
    let mut arc = |center: [f64; 2], radius: f64, first: f64, last: f64| {
        let at = |k: usize| first + (last - first) * k as f64 / 8192.0;
        let point = |angle: f64| [center[0] + radius * angle.cos(), center[1] + radius * angle.sin()];
        (0..8192).for_each(|k| line(point(at(k)), point(at(k + 1))));
        point(last)
    };
    let funnel = arc(bend, neck_rounding, PI, 0.5 * PI + 47f64.to_radians());
    // The belly's circle touches the wall and the funnel's line.
    let x = half_width - belly;
    let y = funnel[1] + ((x - funnel[0]) * sin + belly) / cos;
    arc([x, y], belly, 47f64.to_radians() - 0.5 * PI, 0.0);
    let corner = f64::min(shoulder, half_height - y);
    arc([half_width - corner, half_height - corner], corner, 0.0, 0.5 * PI);
    line(funnel, [x + belly * sin, y - belly * cos]);
    line([half_width, y], [half_width, half_height - corner]);
    line([half_width - corner, half_height], [0.0, half_height]);
    points
}

#[test]
fn an_hourglass_is_the_distance_to_its_outline() {
    let mut sim = start(60.0, DOMAINS, &[]);
    step(&mut sim, 1);
    let flat = read(&sim, "vessel.result");
    // By rows of the outline, so that the nearest point is found soon.
    let mut outline = outline();
    outline.sort_by(|a, b| a[1].total_cmp(&b[1]));
    let nearest = |x: f64, y: f64| {
        let middle = outline.partition_point(|p| p[1] < y);
        let mut best = f64::MAX;
        for p in outline[middle..].iter() {
            if p[1] - y > best {
                break;
            }
            best = best.min((p[0] - x).hypot(p[1] - y));
        }
        for p in outline[..middle].iter().rev() {
            if y - p[1] > best {
                break;
            }
            best = best.min((p[0] - x).hypot(p[1] - y));
        }
        best
    };
    let mut worst = 0f64;
    for j in (0..CELLS[1]).step_by(7) {
        for i in (0..CELLS[0]).step_by(3) {
            let (x, y) = ((i as f64 + 0.5) * CELL, (j as f64 + 0.5) * CELL);
            let expected = nearest((x - 0.05).abs(), (y - 0.08).abs());
            worst = worst.max((flat[j * CELLS[0] + i].abs() - expected).abs());
        }
    }
    // Sampled points miss the nearest by half their distance at most; f32 rounds numbers below 0.1 a dozen times.
    within("distance", worst, 5e-4 * CELL + 12.0 * 0.1 * U, "half the samples' distance + 12 roundings of 0.1 m");

    // Its slope is one: what central differences over h leave is (h / r)^2 / 6 for lines of a radius r.
    let slope = |x: isize, y: isize| flat[(y * CELLS[0] as isize + x) as usize];
    let mut off = 0f64;
    for y in 1..CELLS[1] as isize - 1 {
        for x in 1..CELLS[0] as isize - 1 {
            if slope(x, y).abs() < 3.0 * CELL {
                let d = [slope(x + 1, y) - slope(x - 1, y), slope(x, y + 1) - slope(x, y - 1)];
                off = off.max((d[0].hypot(d[1]) / (2.0 * CELL) - 1.0).abs());
            }
        }
    }
    let radius = 0.012 - 3.0 * CELL;
    within("slope within three cells of the wall", off, (CELL / radius).powi(2), "(h / smallest radius there)^2");
}

#[test]
fn an_hourglass_of_three_dimensions_is_the_same_turned_around_its_axis() {
    let nodes = r##"
        "box": (domain: (resolution: (20, 32, 20), width: 0.1, edge: "wall")),
        "hull": (stage: "shape/hourglass", on: "box"),
        "solid": (stage: "grid/from_field", on: "box", inputs: {"field": "hull"}),
        "turned": (custom: r#"//! Turned
            //! @in hull: Field<f32>
            //! @out result: Grid<f32>
            fn stage(cell: Cell) -> f32 {
                let p = position(cell) - vec3f(0.05, 0.08, 0.05);
                return hull(vec3f(0.05 + length(p.xz), 0.08 + p.y, 0.05));
            }"#, on: "box", inputs: {"hull": "hull"}),
    "##;
    let mut sim = start(60.0, nodes, &[]);
    step(&mut sim, 1);
    let error = max_abs(&difference(&read(&sim, "solid.result"), &read(&sim, "turned.result")));
    within("body of revolution", error, 24.0 * 0.1 * U, "a dozen roundings of 0.1 m on either side");
}

#[test]
fn the_vessel_leaves_walls_a_passage_and_no_pockets() {
    let mut sim = start(60.0, DOMAINS, &[]);
    step(&mut sim, 1);
    let open = read(&sim, "open.open");
    let is_open = |x: usize, y: usize| open[y * CELLS[0] + x] == 1.0;
    let neck = (0..CELLS[0]).filter(|x| is_open(*x, CELLS[1] / 2)).count();
    println!("the neck is {neck} cells wide");
    assert!((7..=10).contains(&neck), "wide enough for a thread and a counterflow, narrow enough for drops");
    for k in 0..2 {
        assert!((0..CELLS[0]).all(|x| !is_open(x, k) && !is_open(x, CELLS[1] - 1 - k)), "walls below and above");
        assert!((0..CELLS[1]).all(|y| !is_open(k, y) && !is_open(CELLS[0] - 1 - k, y)), "walls at the sides");
    }
    // From every open cell of the upper bulb a way leads to the neck on which no step goes up: no pockets.
    let mut reached = vec![false; open.len()];
    for y in CELLS[1] / 2..CELLS[1] {
        let sinks =
            |x: usize, reached: &[bool]| y == CELLS[1] / 2 || (x - 1..=x + 1).any(|x| reached[(y - 1) * CELLS[0] + x]);
        let mut beside = false;
        for x in (1..CELLS[0] - 1).chain((1..CELLS[0] - 1).rev()) {
            beside = is_open(x, y) && (beside || reached[y * CELLS[0] + x] || sinks(x, &reached));
            reached[y * CELLS[0] + x] |= beside;
        }
    }
    let stuck = (CELLS[0] * CELLS[1] / 2..open.len()).filter(|i| open[*i] == 1.0 && !reached[*i]).count();
    assert_eq!(stuck, 0, "cells from which nothing sinks to the neck");
}

const TURN: &str = r#"
    "memory": (state: "vec4f", inputs: {"next": "turn.memory"}),
    "turn": (stage: "control/half_turn", inputs: {"last": "memory"}, params: {"turned": $turned}),
"#;

/// The angle in every frame of 6 seconds with such key spans.
fn angles(fps: f64, keys: &str, turned: bool) -> Vec<f64> {
    let document = document(fps, &[DOMAINS, TURN].concat(), &[("$turned", if turned { "true" } else { "false" })]);
    let mut plan = compile(&document, Keep::Wires(vec!["turn.angle".into()]));
    plan.input = Some(InputTrack::parse(&format!("(keys: [{keys}])")).unwrap());
    let mut sim = Simulation::new(gpu(), plan).unwrap();
    let frame = |_| {
        let input = sim.recorded_input();
        sim.step(&input).unwrap();
        read(&sim, "turn.angle")[0]
    };
    (0..(6.0 * fps) as usize).map(frame).collect()
}

/// How far the angle and its speed jump: the cubics' own speed is below 1.5 goals a duration, their own acceleration
/// below (6 goals + 4 speeds) a duration squared.
fn is_smooth(angles: &[f64], fps: f64) {
    let (goal, duration) = (2.0 * PI, 1.2);
    let steps: Vec<f64> = angles.windows(2).map(|w| w[1] - w[0]).collect();
    let bends: Vec<f64> = steps.windows(2).map(|w| w[1] - w[0]).collect();
    within("step of the angle", max_abs(&steps), 1.5 * goal / (duration * fps), "speed of the cubic x dt");
    let bar = (6.0 * goal + 4.0 * 1.5 * PI) / (duration * fps).powi(2);
    within("step of its speed", max_abs(&bends), bar, "acceleration of the cubic x dt^2");
    assert!(steps.iter().all(|s| *s >= -8.0 * U * goal), "never back");
}

#[test]
fn each_press_turns_the_clock_by_half_a_turn() {
    let keys = "(from: 0.5, to: 0.7, keys: 1), (from: 3.0, to: 3.1, keys: 1)";
    for fps in [30.0, 60.0] {
        let angles = angles(fps, keys, false);
        assert_eq!(angles[(0.4 * fps) as usize], 0.0, "at rest before");
        within("after a press", (angles[(2.5 * fps) as usize] - PI).abs(), 2.0 * PI * U, "rounding of pi");
        within("after another", (angles[(5.0 * fps) as usize] - 2.0 * PI).abs(), 4.0 * PI * U, "rounding of 2 pi");
        is_smooth(&angles, fps);
        // Half way after half the time, as it eases in and out alike; the frame of the press is the first.
        let half = angles[(1.1 * fps).round() as usize - 1];
        within("half way", (half - 0.5 * PI).abs(), 64.0 * PI * U, "the sum of 36 steps, each rounded");
    }
    let ends = [30.0, 60.0].map(|fps| angles(fps, keys, false).last().copied().unwrap());
    assert_eq!(ends[0], ends[1], "whatever the frames a second");
}

#[test]
fn a_held_key_is_one_press_and_a_press_while_turning_counts() {
    let held = angles(60.0, "(from: 0.5, to: 5.5, keys: 1)", false);
    assert_eq!(*held.last().unwrap(), f64::from(std::f32::consts::PI), "held for five seconds");
    let other = angles(60.0, "(from: 0.5, to: 5.5, keys: 2)", false);
    assert!(other.iter().all(|a| *a == 0.0), "another key");
    for fps in [30.0, 60.0] {
        let twice = angles(fps, "(from: 0.5, to: 0.6, keys: 1), (from: 1.1, to: 1.2, keys: 1)", false);
        let angle = twice[(1.1 * fps) as usize];
        assert!(angle > 0.3 && angle < 2.8, "the second press comes while it turns");
        assert_eq!(*twice.last().unwrap(), f64::from(std::f32::consts::TAU));
        is_smooth(&twice, fps);
    }
}

#[test]
fn a_clock_may_begin_turned_and_be_turned_by_its_parameter() {
    let turned = angles(60.0, "(from: 3.0, to: 3.2, keys: 1)", true);
    assert_eq!(turned[0], f64::from(std::f32::consts::PI), "at once");
    assert_eq!(*turned.last().unwrap(), f64::from(std::f32::consts::TAU), "and half a turn more");
    let mut sim = start(60.0, &[DOMAINS, TURN].concat(), &[("$turned", "false")]);
    let mut angles = Vec::new();
    for frame in 0..150 {
        if frame == 20 {
            sim.set_param("turn.turned", ParamValue::Bool(true)).unwrap();
        }
        step(&mut sim, 1);
        angles.push(read(&sim, "turn.angle")[0]);
    }
    assert_eq!([angles[10], angles[149]], [0.0, f64::from(std::f32::consts::PI)]);
    is_smooth(&angles, 60.0);
}

const PLACED: &str = r##"
    "turn": (custom: r#"//! Turn
        //! @over once
        //! @out angle: f32
        //! @param by: f32 = 0
        fn stage() -> f32 { return params.by; }"#, params: {"by": $angle}),
    "place": (stage: "control/turned_frame", inputs: {"angle": "turn"}),
"##;

#[test]
fn gravity_points_down_in_the_image_however_the_clock_is_turned() {
    let nodes = r##"
        "down": (stage: "control/rotate_vector", inputs: {"angle": "turn"}, params: {"vector": (0.3, -2), "inverse": true}),
        "back": (stage: "control/rotate_vector", inputs: {"angle": "turn", "vector": "down"}),
        "seen": (custom: r#"//! Seen
            //! @over once
            //! @in place: Field<Vec>
            //! @out result: Vec
            fn stage() -> Vec { return place(vec2f(0.3, -2.0)) - place(vec2f(0.0)); }"#, on: "domain", inputs: {"place": "place"}),
    "##;
    for angle in [0.0, 0.5, 0.5 * PI, PI, 4.0] {
        let text = format!("{angle:.9}");
        let mut sim = start(60.0, &[DOMAINS, PLACED, nodes].concat(), &[("$angle", &text)]);
        step(&mut sim, 1);
        let (down, back, seen) = (read(&sim, "down.result"), read(&sim, "back.result"), read(&sim, "seen.result"));
        let (sin, cos) = angle.sin_cos();
        let expected = [0.3 * cos - 2.0 * sin, -0.3 * sin - 2.0 * cos];
        // WGSL allows sine and cosine an absolute error of 2^-11.
        let bar = 2.0 * 2f64.powi(-11) * 2.3;
        within("turned back", max_abs(&difference(&down, &expected)), bar, "sine and cosine to 2^-11");
        within("there and back", max_abs(&difference(&back, &[0.3, -2.0])), 2.0 * bar, "twice that");
        within(
            "as the picture turns",
            max_abs(&difference(&down, &seen)),
            16.0 * 2.3 * U,
            "a dozen roundings, same sine",
        );
    }
}

/// The pointer pulls a fluid at rest; the pull is drawn as the clock's liquid is.
const DRAG: &str = r##"
    "velocity": (state: "FaceGrid", on: "domain", inputs: {"next": "velocity"}),
    "drag": (stage: "two_phase/drag", on: "domain", inputs: {"velocity": "velocity", "place": "place"}, params: {"radius": 0.004, "strength": $rate}),
    "relief": (custom: r#"//! Relief
        //! @in pull: Grid<Vec>
        //! @out relief: Grid<vec4f>, like pull
        fn stage(cell: Cell) -> vec4f { return vec4f(length(pull(cell)), 1.0, 0.0, CELL_SIZE); }"#, inputs: {"pull": "drag"}),
    "backdrop": (stage: "liquid/backdrop", on: "picture"),
    "lens": (stage: "liquid/lens", inputs: {"relief": "relief", "place": "place", "background": "backdrop"}),
"##;

#[test]
fn the_pointer_drags_what_is_drawn_under_it() {
    for angle in [0.0, 0.5 * PI, PI, 0.7] {
        let text = format!("{angle:.9}");
        let values = [("$angle", text.as_str()), ("$rate", "40")];
        let mut sim = start(60.0, &[DOMAINS, PLACED, DRAG].concat(), &values);
        let pressed =
            FrameInput { mouse: [0.56, 0.43], mouse_velocity: [0.6, 0.3], buttons: 1, ..FrameInput::default() };
        sim.step(&FrameInput { buttons: 2, ..pressed.clone() }).unwrap();
        assert_eq!(max_abs(&read(&sim, "drag.acceleration")), 0.0, "another button");
        sim.step(&pressed).unwrap();

        let lens = read(&sim, "lens.lens");
        let mut sums = [0.0; 3];
        for (k, pull) in lens.chunks_exact(2).map(|v| v[0]).enumerate() {
            let at = [(k % PIXELS) as f64 + 0.5, (k / PIXELS) as f64 + 0.5];
            sums = [sums[0] + pull, sums[1] + pull * at[0], sums[2] + pull * at[1]];
        }
        let middle = [sums[1] / sums[0] / PIXELS as f64, sums[2] / sums[0] / PIXELS as f64];
        // The stroke of this frame lies behind the pointer.
        let expected = [0.56 - 0.5 * 0.6 / 60.0, 0.43 - 0.5 * 0.3 / 60.0];
        let off = (middle[0] - expected[0]).hypot(middle[1] - expected[1]) * PICTURE / CELL;
        within("where it pulls [cells]", off, 0.5 * PIXEL / CELL, "half a pixel");

        // Turned into the image, the pull goes where the pointer goes.
        let pull = read(&sim, "drag.acceleration");
        let sum = pull.chunks_exact(2).fold([0.0; 2], |s, v| [s[0] + v[0], s[1] + v[1]]);
        let (sin, cos) = angle.sin_cos();
        let seen = [cos * sum[0] - sin * sum[1], sin * sum[0] + cos * sum[1]];
        let turned = (seen[1].atan2(seen[0]) - 0.3f64.atan2(0.6)).abs();
        within("direction [rad]", turned, 2f64.powi(-9), "sine and cosine to 2^-11, in four products");
    }
}

#[test]
fn the_fluid_gets_no_faster_than_the_pointer() {
    let values = [("$angle", "0"), ("$rate", "1e6")];
    let mut sim = start(60.0, &[DOMAINS, PLACED, DRAG].concat(), &values);
    for (velocity, speed) in [(0.2, 0.2 * PICTURE), (50.0, 0.5)] {
        let mouse_velocity = [velocity, 0.0];
        sim.step(&FrameInput { mouse: [0.5, 0.4], mouse_velocity, buttons: 1, ..FrameInput::default() }).unwrap();
        let fastest = max_abs(&read(&sim, "drag.acceleration")) / 60.0;
        // A cell centre within a cell of the stroke gets no less than exp(-(h / radius)^2) of it.
        let least = speed * (-(CELL / 0.004f64).powi(2)).exp();
        println!("pointer {speed:.4} m/s, fluid {fastest:.4} m/s after one step");
        assert!(fastest <= speed * (1.0 + 16.0 * U) && fastest >= least, "all of its speed, or of `max_speed`");
    }
}

/// A round drop of fluid f, by the part of 16 x 16 points of a cell that lie in it, drawn through `place`.
const DROP: &str = r##"
    "shares": (custom: r#"//! Drop
        //! @out shares: Grid<vec2f>
        //! @param radius: f32 = 6     [cells]
        //! @param center: vec2f = (0.05, 0.11)   [m]
        fn stage(cell: Cell) -> vec2f {
            var count = 0.0;
            for (var k = 0; k < 256; k++) {
                let point = (vec2f(cell) + (vec2f(f32(k % 16), f32(k / 16)) + 0.5) / 16.0) * CELL_SIZE;
                count += select(0.0, 1.0, length(point - params.center) < params.radius * CELL_SIZE);
            }
            return vec2f(count, 256.0 - count) / 256.0;
        }"#, on: "domain", params: {"radius": $radius}),
    "level": (stage: "liquid/level", inputs: {"shares": "shares", "open": "open"}),
    "inflate": (stage: "liquid/inflate", inputs: {"relief": "level"}, params: {"rim": $rim}, iterations: $sweeps),
    "backdrop": (stage: "liquid/backdrop", on: "picture"),
    "lens": (stage: "liquid/lens", inputs: {"relief": "inflate", "place": "place", "background": "backdrop"}),
"##;

fn drop_at(radius: f64, angle: f64, rim: f64, sweeps: usize) -> Simulation {
    let values = [
        ("$radius", format!("{radius}")),
        ("$angle", format!("{angle:.9}")),
        ("$rim", format!("{rim}")),
        ("$sweeps", format!("{sweeps}")),
    ];
    let mut sim = start(60.0, &[DOMAINS, PLACED, DROP].concat(), &pairs(&values));
    step(&mut sim, 1);
    sim
}

#[test]
fn a_drop_is_drawn_round() {
    for radius in [3.0, 6.0, 10.3] {
        let sim = drop_at(radius, 0.0, 0.005, 24);
        let lens = read(&sim, "lens.lens");
        let share = |x: usize, y: usize| lens[2 * (y * PIXELS + x)];
        // Where the share crosses one half between two pixels, along rows and columns.
        let center = [0.108 + 0.0, 0.108 + 0.03];
        let mut worst = 0f64;
        let mut crossings = 0;
        for (dx, dy) in [(1, 0), (0, 1)] {
            for y in 0..PIXELS - 1 {
                for x in 0..PIXELS - 1 {
                    let (a, b) = (share(x, y) - 0.5, share(x + dx, y + dy) - 0.5);
                    if (a > 0.0) != (b > 0.0) {
                        let t = a / (a - b);
                        let at = [(x as f64 + 0.5 + t * dx as f64) * PIXEL, (y as f64 + 0.5 + t * dy as f64) * PIXEL];
                        let distance = (at[0] - center[0]).hypot(at[1] - center[1]);
                        worst = worst.max((distance / CELL - radius).abs());
                        crossings += 1;
                    }
                }
            }
        }
        assert!(crossings as f64 > 4.0 * radius * CELL / PIXEL, "all around");
        within(&format!("outline of a drop of {radius} cells [cells]"), worst, 1.0 / 3.0, "a third of a cell");
    }
}

#[test]
fn a_small_drop_swells_to_half_a_ball() {
    let (radius, rim) = (8.0, 0.5);
    let sim = drop_at(radius, 0.0, rim, 60);
    let lens = read(&sim, "inflate.relief");
    let mut worst = 0f64;
    for (k, v) in lens.chunks_exact(4).enumerate() {
        let at = [((k % CELLS[0]) as f64 + 0.5) * CELL, ((k / CELLS[0]) as f64 + 0.5) * CELL];
        let squared = (at[0] - 0.05).powi(2) + (at[1] - 0.11).powi(2);
        if v[0] > 0.5 {
            worst = worst.max((v[2] - ((radius * CELL).powi(2) - squared)).abs());
            assert!(v[2] > 0.0, "f swells up");
        } else if v[1] == 1.0 {
            assert!(v[2] < 0.0, "g swells down");
        }
    }
    // An outline that is off by a third of a cell changes R^2 by 2 R h / 3.
    within("q of R^2 - r^2 [cells^2]", worst / (CELL * CELL), 2.0 * radius / 3.0, "outline within a third of a cell");

    let large = drop_at(40.0, 0.0, 0.002, 40);
    let middle = read(&large, "inflate.relief")[4 * (176 * CELLS[0] + 80) + 2].sqrt();
    // Far from its outline a blob is 2 rim high but for exp(-R / rim) of that.
    within("thickness of a large blob", (middle / 0.004 - 1.0).abs(), 0.01, "a hundredth, 40 cells being 12 rims");
}

#[test]
fn half_a_turn_mirrors_the_image_through_its_middle() {
    let pictures = [0.0, PI].map(|angle| read(&drop_at(6.0, angle, 0.005, 24), "lens.lens"));
    let mirrored: Vec<f64> = pictures[1].chunks_exact(2).rev().flatten().copied().collect();
    let share = |lens: &[f64]| lens.iter().step_by(2).copied().collect::<Vec<_>>();
    let error = max_abs(&difference(&share(&pictures[0]), &share(&mirrored)));
    // Sine of f32's pi to 2^-11 moves points of the image's corner; a share falls by no more than one in a cell.
    let bar = 2f64.powi(-11) * PICTURE / CELL;
    within("turned and mirrored", error, bar, "2^-11 of the picture's width, in cells");
}

/// Full of fluid f, but for the walls, which hold something else, and a film of g a cell thick along them.
const FULL: &str = r##"
    "shares": (custom: r#"//! Full
        //! @in vessel: Grid<f32>
        //! @out shares: Grid<vec2f>, like vessel
        //! @param film: f32 = 0    [cells]
        fn stage(cell: Cell) -> vec2f {
            let f = select(0.0, 1.0, vessel(cell) < -params.film * CELL_SIZE);
            return select(vec2f(f, 1.0 - f), vec2f(0.1, 0.9), vessel(cell) >= 0.0);
        }"#, inputs: {"vessel": "vessel"}, params: {"film": $film}),
    "level": (stage: "liquid/level", inputs: {"shares": "shares", "open": "open", "vessel": "hull"}, params: {"film": $film}),
    "inflate": (stage: "liquid/inflate", inputs: {"relief": "level"}, iterations: 24),
    "backdrop": (stage: "liquid/backdrop", on: "picture"),
    "lens": (stage: "liquid/lens", inputs: {"relief": "inflate", "place": "place", "background": "backdrop"}),
    "girth": (stage: "liquid/girth", inputs: {"vessel": "hull", "open": "open"}),
    "body": (stage: "liquid/body", inputs: {"vessel": "hull", "girth": "girth", "place": "place", "background": "backdrop"}),
"##;

#[test]
fn a_film_along_the_wall_is_not_drawn_but_a_layer_is() {
    let nodes = [DOMAINS, PLACED, FULL].concat();
    // Of a film of g a cell thick, cells whose centre is less than a cell from the wall, nothing is left but a trace.
    let least = |nodes: &str, film: &str| {
        let mut sim = start(60.0, nodes, &[("$angle", "0.4"), ("$film", film)]);
        step(&mut sim, 1);
        let (lens, body) = (read(&sim, "lens.lens"), read(&sim, "body.body"));
        let in_vessel = (0..PIXELS * PIXELS).filter(|k| body[4 * k + 2] < 0.5 * PIXEL);
        in_vessel.map(|k| lens[2 * k]).fold(f64::MAX, f64::min)
    };
    let film = least(&nodes, "1");
    let shown = least(&nodes.replace("\"hull\"}, params: {\"film\": $film}", "\"hull\"}, params: {\"film\": 0}"), "1");
    let layer =
        least(&nodes.replace("params: {\"film\": $film}),\n    \"level", "params: {\"film\": 3}),\n    \"level"), "1");
    println!(
        "least share of f: {film:.3} with a film, {shown:.3} when films are shown, {layer:.3} with a layer of three cells"
    );
    assert!(film > 0.5 && shown < 0.5 && layer < 0.5, "drawn as f, as g, as g");
}

#[test]
fn the_outline_of_the_vessel_cuts_the_liquid_without_a_seam() {
    let values = [("$angle", "0.4"), ("$film", "0")];
    let mut sim = start(60.0, &[DOMAINS, PLACED, FULL].concat(), &values);
    step(&mut sim, 1);
    let (lens, body) = (read(&sim, "lens.lens"), read(&sim, "body.body"));
    let in_vessel = |k: usize| body[4 * k + 2] < 0.5 * PIXEL;
    let shares = (0..PIXELS * PIXELS).filter(|k| in_vessel(*k)).map(|k| lens[2 * k]);
    let least = shares.fold(f64::MAX, f64::min);
    within("share of f up to the glass", 1.0 - least, 32.0 * U, "weights of a spline and of a mean that sum to one");
    // What it draws is its area, not that of its cells: half the outline's pixels are on either side.
    let drawn =
        (0..PIXELS * PIXELS).map(|k| (0.5 - body[4 * k + 2] / PIXEL).clamp(0.0, 1.0)).sum::<f64>() * PIXEL * PIXEL;
    let mut points = outline();
    points.sort_by(|a, b| a[1].total_cmp(&b[1]));
    let quarter: f64 = points.windows(2).map(|w| 0.5 * (w[0][0] + w[1][0]) * (w[1][1] - w[0][1])).sum();
    within("area", (drawn / (4.0 * quarter) - 1.0).abs(), 1e-3, "edges of a pixel's width, their error of its square");
    // Normals are of unit length or less, whatever the row.
    let steepest = body.chunks_exact(4).map(|b| b[0].hypot(b[1])).fold(0.0, f64::max);
    within("normals beyond the unit circle", (steepest - 1.0).max(0.0), 16.0 * U, "roundings");
}

#[test]
fn a_girth_traced_inward_is_the_same_and_sees_no_things_inside() {
    let nodes = r#"
        "peg": (stage: "shape/sphere", on: "domain", params: {"center": (0.05, 0.12), "radius": 0.004}),
        "pegs": (stage: "shape/subtract", inputs: {"a": "hull", "b": "peg.distance"}),
        "outward": (stage: "liquid/girth", inputs: {"vessel": "hull", "open": "open"}),
        "inward": (stage: "liquid/girth", inputs: {"vessel": "hull", "open": "open"}, params: {"inward": true}),
        "past": (stage: "liquid/girth", inputs: {"vessel": "pegs", "open": "open"}, params: {"inward": true}),
    "#;
    let mut sim = start(60.0, &[DOMAINS, nodes].concat(), &[]);
    step(&mut sim, 1);
    let radius = |wire: &str| read(&sim, wire).chunks_exact(2).map(|g| g[0] / CELL).collect::<Vec<_>>();
    let [outward, inward, past] = ["outward.girth", "inward.girth", "past.girth"].map(radius);
    assert!(outward.iter().all(|r| *r > 4.0), "the neck and more");
    // Both stop a thousandth of a cell before the wall. Where it is flattest, in the shoulder 1.5 cells below the end, its
    // normal is acos(1 - 1.5 h / 0.02 m) off the vertical.
    let steep = (1.0 - (1.0 - 1.5 * CELL / 0.02f64).powi(2)).sqrt();
    let bar = 2e-3 / steep + 64.0 * 160.0 * U;
    within(
        "girth from the border [cells]",
        max_abs(&difference(&inward, &outward)),
        bar,
        "a thousandth on either side",
    );
    within("with a peg on the axis", max_abs(&difference(&past, &inward)), 0.0, "rows are traced to the outline");
}

fn clock(angle: f64) -> Document {
    let nodes = r#"
        "backdrop": (stage: "liquid/backdrop", on: "picture"),
        "render": (stage: "liquid/clock", inputs: {"backdrop": "backdrop", "shares": "shares", "open": "open", "vessel": "hull", "place": "place"}),
        "raw": (stage: "two_phase/view_fractions", inputs: {"fractions": "shares", "open": "open"}),
    "#;
    let drop = DROP.split("\"backdrop\"").next().unwrap_or_default();
    let values = [
        ("$radius", "9"),
        ("$angle", &*format!("{angle}")),
        ("$rim", "0.005"),
        ("$sweeps", "1"),
        ("(300, 300)", "(120, 120)"),
    ];
    document(60.0, &[DOMAINS, PLACED, drop, nodes].concat(), &values)
}

#[test]
fn the_image_is_finite_and_opaque_at_any_angle() {
    for angle in [0.0, 0.8, 0.5 * PI, PI] {
        let mut sim = simulation(&clock(angle));
        step(&mut sim, 1);
        let bits = words(&sim, "render.image");
        assert!(bits.iter().all(|word| !is_wild(*word)), "no NaN at {angle}");
        let picture = read(&sim, "render.image");
        assert!(picture.iter().all(|v| (0.0..=1.0).contains(v)), "colours in 0..1");
        assert!(picture.chunks_exact(4).all(|p| p[3] == 1.0), "opaque");
        let bright = picture.chunks_exact(4).filter(|p| p[0] > 0.5).count();
        let orange = picture.chunks_exact(4).filter(|p| p[0] > 0.3 && p[2] < 0.3 * p[0]).count();
        println!("angle {angle:.2}: {bright} bright pixels, {orange} orange ones");
        assert!(bright > 20 && orange > 20, "highlights and the drop are there");
    }
}

#[test]
fn raw_fractions_are_blue_and_red_and_walls_grey() {
    let mut sim = simulation(&clock(0.0));
    step(&mut sim, 1);
    let raw = read(&sim, "raw.image");
    let pixel = |x: usize, y: usize| &raw[4 * (y * CELLS[0] + x)..][..3];
    let [drop, rest, wall] = [pixel(80, 176), pixel(80, 60), pixel(2, 2)];
    assert!(drop[2] > 4.0 * drop[0] && rest[0] > 4.0 * rest[2], "f blue, g red: {drop:?}, {rest:?}");
    assert!(wall[0] == wall[1] && wall[1] == wall[2] && wall[0] > 0.0, "walls grey: {wall:?}");
}
