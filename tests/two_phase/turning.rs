//! A vessel that turns, seen from the vessel: the accelerations on faces, a particle that nothing pushes, and fluid that
//! was at rest.

use std::f64::consts::PI;

use stagewright_base::input::InputTrack;
use stagewright_compiler::Keep;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid, blend};

use super::stages::{FPS, WIDTH, boxes, dt, faces_agree, name, walls};
use super::stages_reference::Vessel;

const STEP: &str = r#"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "$edge")),
    "open": (state: "Grid<f32>"),
    "u": (state: "FaceGrid"),
    "turning": (stage: "staggered/rotating_frame", inputs: {"velocity": "u", "open": "open"},
        params: {"rate": $rate, "change": $change, "center": ($center), "strength": $strength}),
"#;

fn stepped(grid: &Grid, [rate, change]: [f64; 2], center: [f64; 3], strength: f64, states: [&[f32]; 2]) -> Vec<f64> {
    let center = center[..grid.dim].iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
    let values = [
        ("$cells", grid.resolution()),
        ("$width", WIDTH.to_string()),
        ("$edge", grid.edge.name().to_string()),
        ("$rate", rate.to_string()),
        ("$change", change.to_string()),
        ("$center", center),
        ("$strength", strength.to_string()),
    ];
    let mut sim = start(FPS, STEP, &pairs(&values));
    run(&mut sim, &[("open", states[0]), ("u", states[1])], 1, "turning.velocity")
}

#[test]
fn a_turning_frame_accelerates_faces_as_in_f64() {
    let (motion, center) = ([2.3, -17.1], [0.11, 0.07, 0.05]);
    for grid in boxes() {
        let open = walls(&grid, 1);
        let u = random(grid.dim * grid.layered().cell_count(), 9);
        let got = stepped(&grid, motion, center, 1.0, [&f32s(&open), &u]);
        let vessel = Vessel { grid: &grid, open: &open };
        faces_agree(&format!("turning, {}", name(&grid)), &got, &vessel.turned(&u, motion, center, dt()));
        let off = stepped(&grid, motion, center, 0.0, [&f32s(&open), &u]);
        let still = stepped(&grid, [0.0, 0.0], center, 1.0, [&f32s(&open), &u]);
        assert_eq!(off, still, "switched off it is as if nothing turned");
    }
}

const DURATION: f64 = 1.2;

/// Angle, rate and its change of the half turn that begins at 0: the cubic that starts and ends at rest.
fn half_turn(time: f64) -> [f64; 3] {
    let s = (time / DURATION).min(1.0);
    let change = if s < 1.0 { 6.0 * (1.0 - 2.0 * s) / DURATION.powi(2) } else { 0.0 };
    [3.0 * s * s - 2.0 * s.powi(3), 6.0 * s * (1.0 - s) / DURATION, change].map(|v| PI * v)
}

const TURN: &str = r#"
    "memory": (state: "vec4f", inputs: {"next": "turn.memory"}),
    "turn": (stage: "control/half_turn", inputs: {"last": "memory"}, params: {"duration": 1.2}),
"#;

/// A simulation in whose first frame the key is pressed.
fn pressed(fps: f64, nodes: &str, values: &[(&str, &str)]) -> Simulation {
    let mut plan = compile(&document(fps, &[TURN, nodes].concat(), values), Keep::All);
    plan.input = Some(InputTrack::parse("(keys: [(from: 0, to: 0.1, keys: 1)])").unwrap());
    Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"))
}

fn go_on(sim: &mut Simulation) {
    let input = sim.recorded_input();
    sim.step(&input).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn a_half_turn_has_the_rate_of_its_angle() {
    for fps in [30.0, 60.0] {
        let mut sim = pressed(fps, "\"domain\": (domain: (resolution: (4, 4), width: 1)),", &[]);
        let mut worst = [0f64; 2];
        for frame in 1..=(1.5 * fps) as usize {
            go_on(&mut sim);
            let [before, now] = [frame - 1, frame].map(|k| half_turn(k as f64 / fps));
            worst[0] = worst[0].max((read(&sim, "turn.rate")[0] - now[1]).abs());
            worst[1] = worst[1].max((read(&sim, "turn.change")[0] - (now[1] - before[1]) * fps).abs());
        }
        // The part of the motion is a sum of 36 or 72 steps, each rounded; the rate changes by 6 goals a duration a part.
        let bar = 6.0 * PI / DURATION * (DURATION * fps + 8.0) * U;
        within(&format!("rate at {fps} frames a second"), worst[0], bar, "the sum of the steps, each rounded");
        within("its change", worst[1], 2.0 * bar * fps, "two of them over dt");
    }
}

/// Dust without pressure in a frame that turns: nothing pushes it, so each grain goes straight in the room.
const DUST: &str = r#"
    "domain": (domain: (resolution: (64, 64), width: 1, edge: "open")),
    "u": (state: "FaceGrid", inputs: {"next": "carry"}),
    "turning": (stage: "staggered/rotating_frame", inputs: {"velocity": "u", "rate": "turn.rate", "change": "turn.change"},
        params: {"center": (0.5, 0.5)}),
    "carry": (stage: "staggered/advect", inputs: {"velocity": "turning"}),
"#;

/// How far a grain that is followed through the flow for the whole turn comes from its place, as part of its way.
fn strays(fps: f64) -> f64 {
    let grid = Grid::new(&[64, 64], 1.0, EdgeRule::Open);
    let mut sim = pressed(fps, DUST, &[]);
    let (start, drift) = ([0.62, 0.45], [-0.07, 0.11]);
    let flow: Vec<f32> = (0..grid.layered().cell_count()).flat_map(|_| drift.map(|v| v as f32)).collect();
    sim.write("u", &flow).unwrap();
    let velocity = |sim: &Simulation, at: [f64; 2]| -> [f64; 2] {
        let u = f32s(&read(sim, "u"));
        std::array::from_fn(|axis| {
            let q =
                std::array::from_fn(|b| if b > 1 { 0.0 } else { at[b] / grid.h - if b == axis { 0.0 } else { 0.5 } });
            blend(2, q, |c| grid.read_face(&u, c, axis))
        })
    };
    let mut at: [f64; 2] = start;
    let mut now = velocity(&sim, at);
    let frames = (DURATION * fps).round() as usize;
    for _ in 0..frames {
        go_on(&mut sim);
        let ahead = [0, 1].map(|a| at[a] + now[a] / fps);
        let then = velocity(&sim, ahead);
        at = [0, 1].map(|a| at[a] + 0.5 * (now[a] + then[a]) / fps);
        now = velocity(&sim, at);
    }
    // Straight in the room, then turned back into the frame, which has made half a turn.
    let away = [0, 1].map(|a| start[a] - 0.5 + drift[a] * DURATION);
    let expected = away.map(|d| 0.5 - d);
    let error = (at[0] - expected[0]).hypot(at[1] - expected[1]);
    error / (PI * (start[0] - 0.5).hypot(start[1] - 0.5))
}

#[test]
fn a_grain_that_nothing_pushes_goes_straight_in_the_room() {
    let [coarse, fine] = [60.0, 120.0].map(strays);
    println!("off by {coarse:.2e} of its way at 60 frames a second, by {fine:.2e} at 120");
    // A step is split into forces and advection, so it is of first order; the angle of a step is at most 1.5 pi dt / 1.2 s.
    within("where the grain ends", coarse, 1.5 * PI / (DURATION * 60.0), "the largest angle of a step");
    has_order("turning and advection, one after the other", order(coarse, fine), 1.0);
}

/// A box of one fluid, without friction, in a room where nothing moves but the box.
const BOX: &str = r#"
    "domain": (domain: (resolution: ($n, $n), width: 0.1, edge: "wall")),
    "u": (state: "FaceGrid", inputs: {"next": "carry"}),
    "p": (state: "Grid<f32>", inputs: {"next": "pressure"}),
    "mass": (state: "Grid<f32>", params: {"value": 1}),
    "weight": (stage: "two_phase/face_weight", inputs: {"mass": "mass"}),
    "turning": (stage: "staggered/rotating_frame", inputs: {"velocity": "u", "rate": "turn.rate", "change": "turn.change"},
        params: {"center": (0.05, 0.08)}),
    "divergence": (stage: "staggered/divergence", inputs: {"velocity": "turning"}),
    "pressure": (stage: "two_phase/pressure_multigrid", inputs: {"divergence": "divergence", "pressure": "p", "weight": "weight"}, iterations: 3),
    "project": (stage: "two_phase/project", inputs: {"velocity": "turning", "pressure": "pressure", "weight": "weight"}),
    "carry": (stage: "staggered/advect", inputs: {"velocity": "project"}),
"#;

/// The largest error of the vorticity in the middle of the box, a quarter of its width, during the turn and at its end,
/// over twice the largest rate.
fn spins(n: usize, fps: f64) -> f64 {
    let grid = Grid::new(&[n, n], 0.1, EdgeRule::Wall);
    let mut sim = pressed(fps, BOX, &[("$n", &n.to_string())]);
    let mut worst = 0f64;
    let frames = (DURATION * fps).round() as usize;
    for frame in 1..=frames {
        go_on(&mut sim);
        if frame % 8 != 0 {
            continue;
        }
        let u = f32s(&read(&sim, "project.velocity"));
        let expected = -2.0 * half_turn(frame as f64 / fps)[1];
        let inner = 3 * n as i64 / 8..5 * n as i64 / 8;
        for (x, y) in inner.clone().flat_map(|y| inner.clone().map(move |x| (x, y))) {
            let at = |x, y, axis| grid.read_face(&u, [x, y, 0], axis);
            let curl = (at(x, y, 1) - at(x - 1, y, 1) - at(x, y, 0) + at(x, y - 1, 0)) / grid.h;
            worst = worst.max((curl - expected).abs());
        }
    }
    worst / (2.0 * half_turn(0.5 * DURATION)[1])
}

#[test]
fn fluid_that_was_at_rest_in_the_room_stays_so_while_its_vessel_turns() {
    // Without friction its vorticity in the frame is -2 W, whatever the vessel's form, and 0 after the turn. A step turns
    // the flow, once by 2 W dt and, where it comes from, by W dt back, and takes (2 W dt)^2 / 2 + (W dt)^2 / 2 of it.
    let [coarse, fine] = [(24, 60.0), (48, 120.0)].map(|(n, fps)| spins(n, fps));
    println!("vorticity off by {coarse:.2e} of the largest, with half the step and cells by {fine:.2e}");
    let fastest = half_turn(0.5 * DURATION)[1];
    let lost = |fps: f64| {
        let steps = (0..(DURATION * fps) as usize).map(|k| half_turn((k as f64 + 0.5) / fps)[1]);
        steps.map(|w| 2.5 * (w / fps).powi(2) * w / fastest).sum()
    };
    within("vorticity", coarse, lost(60.0), "what the turns of the steps take of it");
    within("vorticity with half the step", fine, lost(120.0), "the same");
    has_order("of the step and the cells", order(coarse, fine), 1.0);
}
