//! The camera that a hand moves.

use stagewright_compiler::{Keep, Plan, PlanOptions};
use stagewright_language::document::{Document, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_runtime::sim::camera::{Orbit, orbit_target};
use stagewright_solver_support::harness::{compile, document, gpu, read, step, within};

const BOX: [f64; 3] = [2.0, 1.0, 3.0];

#[test]
fn the_whole_box_is_in_view_from_every_side() {
    for azimuth in (-180..180).step_by(30).map(f64::from) {
        for elevation in [-89.0, -30.0, 0.0, 45.0, 89.0] {
            let frame = Orbit { azimuth, elevation, ..Orbit::around(BOX) }.frame();
            for corner in 0..8 {
                let at = std::array::from_fn(|axis| if corner >> axis & 1 == 1 { BOX[axis] } else { 0.0 });
                let ([x, y], depth) = frame.project(at, [100, 100]);
                assert!(depth > 0.0 && (0.0..=100.0).contains(&x) && (0.0..=100.0).contains(&y), "{x} {y} {depth}");
            }
        }
    }
}

#[test]
fn a_drag_takes_along_what_is_under_the_hand() {
    let orbit = Orbit { azimuth: 0.0, elevation: 0.0, ..Orbit::around(BOX) };
    // A point on the near side, in front of the middle.
    let near = [orbit.look_at[0], orbit.look_at[1], orbit.look_at[2] + 0.5];
    let seen = |orbit: Orbit| orbit.frame().project(near, [800, 600]).0;
    let ([x, y], [right, _], [_, down]) = (seen(orbit), seen(orbit.dragged(50.0, 0.0)), seen(orbit.dragged(0.0, 50.0)));
    assert!(right > x + 1.0, "to the right: {right} after {x}");
    assert!(down < y - 1.0, "and downwards: {down} after {y}, from the lower left");
    let round = orbit.dragged(900.0, 0.0);
    within("900 points are a whole turn", (round.azimuth - orbit.azimuth).abs(), 1e-9, "0.4 degrees a point");
    assert_eq!(orbit.dragged(0.0, 1e9).elevation, 89.0, "never over the pole");
    assert!((-180.0..180.0).contains(&orbit.dragged(-1234.0, 0.0).azimuth));
}

#[test]
fn panning_keeps_the_point_looked_at_under_the_hand() {
    let orbit = Orbit { azimuth: 40.0, elevation: 25.0, ..Orbit::around(BOX) };
    let ([x, y], _) = orbit.panned(60.0, 30.0, 600.0).frame().project(orbit.look_at, [800, 600]);
    within("x", (x - 460.0).abs(), 1e-9, "rounding");
    within("y", (y - 270.0).abs(), 1e-9, "rounding");
}

#[test]
fn zooming_changes_the_distance_alone() {
    let orbit = Orbit::around(BOX);
    let near = orbit.zoomed(2.0);
    assert_eq!(Orbit { distance: orbit.distance, ..near }, orbit);
    within("half as far", (near.distance - 0.5 * orbit.distance).abs(), 1e-12, "rounding");
    within("and back", (near.zoomed(0.5).distance - orbit.distance).abs(), 1e-12, "rounding");
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(orbit.zoomed(wrong), orbit, "{wrong}");
    }
}

const NODES: &str = r#"
    "box": (domain: (resolution: (8, 8, 8), width: 1, edge: "wall")),
    "ball": (stage: "shape/sphere", on: "box"),
    "picture": (domain: (resolution: (16, 16), width: 1, edge: "clamp")),
    "eye": (stage: "view/camera", params: {"azimuth": "30 + 10 * time", "distance": 4, "fov": 20}),
    "other": (stage: "view/camera"),
    "show": (stage: "view/shape", on: "picture", inputs: {"camera": "eye", "shape": "ball"}),
    "screen": (output: (), inputs: {"image": "show.image"}),
    "flat": (output: (), inputs: {"image": "plain"}),
    "plain": (stage: "image/checker", on: "picture"),
"#;

#[test]
fn a_graphs_own_camera_is_found_read_and_moved() {
    let document = document(60.0, NODES, &[]);
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(orbit_target(&graph, Some("screen")).as_deref(), Some("eye"));
    assert_eq!(orbit_target(&graph, Some("flat")), None);
    assert_eq!(orbit_target(&graph, Some("nobody")), None);
    let mut sim = Simulation::new(gpu(), compile(&document, Keep::Wires(vec!["eye".into()]))).unwrap();
    step(&mut sim, 31);
    let before = sim.orbit("eye").unwrap();
    within("azimuth after 30/60 s", (before.azimuth - 35.0).abs(), 1e-5, "an f32");
    assert_eq!((before.distance, before.fov, before.look_at), (4.0, 20.0, [0.5; 3]));
    assert!(sim.orbit("show").is_none());
    let dragged = before.dragged(100.0, 20.0).zoomed(1.25);
    for (param, value) in dragged.params() {
        sim.set_param(&format!("eye.{param}"), value).unwrap();
    }
    step(&mut sim, 1);
    let camera = read(&sim, "eye.camera");
    let frame = dragged.frame();
    for (column, expected) in [frame.right, frame.up, frame.forward, frame.eye].iter().enumerate() {
        for axis in 0..3 {
            let error = (camera[4 * column + axis] - expected[axis]).abs();
            within(&format!("column {column}, axis {axis}"), error, 1e-5, "f32 angles");
        }
    }
    // What the author wrote comes back.
    sim.set_param("eye.azimuth", ParamValue::Expression("30 + 10 * time".into())).unwrap();
    step(&mut sim, 1);
    assert!((sim.orbit("eye").unwrap().azimuth - (30.0 + 10.0 * 32.0 / 60.0)).abs() < 1e-4);
}

#[test]
fn in_the_shipped_graphs_the_eye_is_found_and_not_the_sun() {
    for (name, camera) in [("sph_water", Some("camera")), ("curl_noise", Some("camera")), ("stable_fluids", None)] {
        let text = std::fs::read_to_string(format!("graphs/{name}.ron")).unwrap();
        let document = Document::parse(&text).unwrap();
        let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(orbit_target(&graph, None).as_deref(), camera, "{name}");
        let Some(camera) = camera else { continue };
        let plan = Plan::compile(&graph, &PlanOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let is_settable = |param: &str| plan.settings.iter().any(|s| s.paths.contains(&format!("{camera}.{param}")));
        for (param, _) in Orbit::around([1.0; 3]).params() {
            assert!(is_settable(param), "{name}: {camera}.{param} can be set while it runs");
        }
    }
}
