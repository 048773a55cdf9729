//! Handles of parameters in the image of a view: what a drag sets, in a plane and through a camera.

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, Vec2, pos2, vec2};
use stagewright_language::document::ParamValue;
use stagewright_runtime::sim::camera::Orbit;

use super::bench::{Bench, SMOKE, WINDOW};

/// Margin around an image that fits its view \[points\].
const MARGIN: f32 = 12.0;
/// Values are rounded to a tenth of a point on the screen, up or down.
const HALF_A_TENTH: f64 = 0.06;

const CTRL: Modifiers = Modifiers { ctrl: true, command: true, ..Modifiers::NONE };

/// A box, a plane and a direction in a domain of 2 m by 1 m, and a light on the image itself.
const FLAT: &str = r#"(
    version: 1,
    name: "Flat",
    nodes: {
        "domain": (domain: (resolution: (32, 16), width: 2, edge: "wall"), at: (0, 0)),
        "block": (stage: "shape/box", params: {"center": (1, 0.5), "size": (0.5, 0.25)}, at: (260, 0)),
        "wall": (stage: "shape/plane", params: {"through": (0.25, 0.25), "normal": (0, 2)}, at: (260, 160)),
        "both": (stage: "shape/union", inputs: {"a": "block.distance", "b": "wall.distance"}, at: (520, 0)),
        "solid": (stage: "grid/from_field", on: "domain", inputs: {"field": "both"}, at: (780, 0)),
        "look": (stage: "view/color_map", inputs: {"field": "solid"}, at: (520, 160)),
        "screen": (output: (size: (64, 32)), inputs: {"image": "look.image"}, at: (780, 160)),
    },
)"#;

/// A ring in a cube, with a camera, and its distance on a grid.
const RING: &str = r#"(
    version: 1,
    name: "Ring",
    nodes: {
        "space": (domain: (resolution: (8, 8, 8), width: 1, edge: "wall"), at: (0, 0)),
        "paper": (domain: (resolution: (64, 48), width: 1, edge: "wall"), at: (0, 160)),
        "camera": (stage: "view/camera", params: {"azimuth": 30, "elevation": 20, "distance": 3, "look_at": (0.5, 0.5, 0.5)}, at: (0, 330)),
        "ring": (stage: "shape/torus", on: "space", params: {"center": (0.4, 0.6, 0.5), "axis": (0.3, 1, 0.1)}, at: (260, 160)),
        "solid": (stage: "grid/from_field", on: "space", inputs: {"field": "ring"}, at: (520, 330)),
        "look": (stage: "view/shape", on: "paper", inputs: {"camera": "camera.camera", "shape": "ring.distance"}, at: (520, 160)),
        "screen": (output: (size: (64, 48)), inputs: {"image": "look.image"}, at: (780, 160)),
    },
)"#;

fn open(text: &str) -> Bench {
    let mut bench = Bench::from_text(text, WINDOW);
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench.plays();
    // While it stands still, only what is dragged changes.
    bench.key(Key::Space);
    bench.rest();
    bench
}

/// The image of the first view, which fits its pane, with this width for a height of 1.
fn image(bench: &Bench, aspect: f32) -> Rect {
    let seen = bench.seen();
    let room = seen.iter().find(|seen| seen.role == Role::Image && seen.name.starts_with("image ")).expect("the image");
    let inner = room.rect.size() - 2.0 * Vec2::splat(MARGIN);
    let height = inner.y.min(inner.x / aspect);
    Rect::from_center_size(room.rect.center(), vec2(height * aspect, height))
}

fn numbers(bench: &Bench, node: &str, param: &str) -> Vec<f64> {
    match bench.document().node(node).and_then(|node| node.params.get(param)) {
        Some(ParamValue::Number(one)) => vec![*one],
        Some(ParamValue::Vector(parts)) => parts.clone(),
        other => panic!("{node}.{param} is {other:?}"),
    }
}

#[track_caller]
fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
    let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart <= tolerance, "{found:?}, expected {expected:?} within {tolerance}");
}

/// Presses a handle and moves the pointer, without releasing it.
fn pull(bench: &mut Bench, handle: &str, by: Vec2) -> Pos2 {
    let from = bench.position_of(handle);
    bench.hover(from);
    bench.pointer_button(from, PointerButton::Primary, true, Modifiers::NONE);
    for step in 1..=4 {
        bench.hover(from + by * (step as f32 / 4.0));
    }
    from + by
}

#[track_caller]
fn drag(bench: &mut Bench, handle: &str, by: Vec2, modifiers: Modifiers) {
    let from = bench.position_of(handle);
    bench.drag_with(from, from + by, PointerButton::Primary, modifiers);
}

#[test]
fn a_position_and_a_radius_follow_the_pointer_as_one_step_each() {
    let mut bench = open(SMOKE);
    assert!(bench.find("handle jet.center").is_none(), "nothing is selected");
    bench.select("jet");
    bench.rest();
    let document = bench.document().clone();
    let metres = 1.0 / f64::from(image(&bench, 1.0).width());
    // Fractions of a domain that is 1 m wide.
    drag(&mut bench, "handle jet.center", vec2(60.0, -45.0), Modifiers::NONE);
    let expected = [0.5 + 60.0 * metres, 0.2 + 45.0 * metres];
    close(&numbers(&bench, "jet", "center"), &expected, HALF_A_TENTH * metres);
    close(&bench.editor().simulation().unwrap().value("jet.center").unwrap(), &expected, HALF_A_TENTH * metres);
    bench.undo();
    assert_eq!(*bench.document(), document, "one step");
    bench.rest();
    drag(&mut bench, "handle jet.radius", vec2(40.0, 0.0), Modifiers::NONE);
    close(&numbers(&bench, "jet", "radius"), &[0.1 + 40.0 * metres], HALF_A_TENTH * metres);
    // A vector: 4 m/s, the end of its slider, are half the domain.
    drag(&mut bench, "handle jet.jet", vec2(50.0, 0.0), Modifiers::NONE);
    close(&numbers(&bench, "jet", "jet"), &[50.0 * metres * 8.0, 1.5], HALF_A_TENTH * metres * 8.0);
    bench.undo();
    bench.undo();
    assert_eq!(*bench.document(), document);
    assert!(!bench.editor().modified());
}

#[test]
fn escape_takes_a_drag_back_and_leaves_no_step() {
    let mut bench = open(SMOKE);
    bench.select("jet");
    bench.rest();
    let document = bench.document().clone();
    let at = pull(&mut bench, "handle jet.center", vec2(60.0, 0.0));
    assert_ne!(*bench.document(), document);
    assert!(bench.editor().modified());
    bench.key(Key::Escape);
    assert_eq!(*bench.document(), document);
    bench.hover(at + vec2(30.0, 0.0));
    bench.pointer_button(at + vec2(30.0, 0.0), PointerButton::Primary, false, Modifiers::NONE);
    bench.rest();
    assert_eq!(*bench.document(), document, "the drag is over");
    bench.undo();
    assert_eq!(*bench.document(), document, "there is nothing to undo");
}

#[test]
fn ctrl_snaps_to_cells_and_shift_keeps_to_an_axis() {
    let mut bench = open(SMOKE);
    bench.select("jet");
    bench.rest();
    drag(&mut bench, "handle jet.center", vec2(61.0, -47.0), CTRL);
    let cells: Vec<f64> = numbers(&bench, "jet", "center").iter().map(|part| part * 32.0).collect();
    let cell = f64::from(image(&bench, 1.0).width()) / 32.0;
    close(&cells, &[(16.0 + 61.0 / cell).round(), (6.4 + 47.0 / cell).round()], 1e-9);
    let before = numbers(&bench, "jet", "center");
    drag(&mut bench, "handle jet.center", vec2(-50.0, 9.0), Modifiers::SHIFT);
    let after = numbers(&bench, "jet", "center");
    assert_eq!(after[1], before[1]);
    close(&after[..1], &[before[0] - 50.0 / (32.0 * cell)], HALF_A_TENTH / (32.0 * cell));
    drag(&mut bench, "handle jet.radius", vec2(35.0, 0.0), CTRL);
    let radius = numbers(&bench, "jet", "radius")[0] * 32.0;
    close(&[radius], &[(3.2 + 35.0 / cell).round()], 1e-9);
    drag(&mut bench, "handle jet.jet", vec2(33.0, 0.0), CTRL);
    let jet = numbers(&bench, "jet", "jet");
    close(&[jet[0] / 0.2], &[(jet[0] / 0.2).round()], 1e-9);
}

#[test]
fn what_a_wire_or_an_expression_sets_is_locked() {
    let driven = SMOKE
        .replace(r#""center": (0.5, 0.2), "jet""#, r#""center": "[0.5, 0.2 + 0.1]", "jet""#)
        .replace(
            r#""velocity": "velocity.value"}, params"#,
            r#""velocity": "velocity.value", "radius": "reach.value"}, params"#,
        )
        .replace(r#""radius": 0.1, "rate": 20"#, r#""rate": 20"#)
        .replace(r#""domain":"#, r#""reach": (number: 0.15), "domain":"#);
    let mut bench = open(&driven);
    bench.select("jet");
    bench.rest();
    let document = bench.document().clone();
    let metres = 1.0 / image(&bench, 1.0).width();
    let (center, radius) = (bench.position_of("handle jet.center"), bench.position_of("handle jet.radius"));
    assert!((radius - center - vec2(0.15 / metres, 0.0)).length() < 0.5, "its present value is shown");
    for (handle, tooltip) in [
        ("handle jet.center", "center = 0.50000, 0.30000\nSet by the expression [0.5, 0.2 + 0.1]"),
        ("handle jet.radius", "radius = 0.15000\nSet by the wire from reach.value"),
    ] {
        drag(&mut bench, handle, vec2(50.0, 0.0), Modifiers::NONE);
        assert_eq!(*bench.document(), document, "{handle}");
        let at = bench.position_of(handle);
        bench.hover(at);
        bench.until("the reason", |bench| bench.seen().iter().any(|seen| seen.name == tooltip));
    }
}

#[test]
fn a_face_of_a_box_moves_and_the_opposite_one_stays() {
    let mut bench = open(FLAT);
    bench.select("block");
    bench.rest();
    let metres = 2.0 / f64::from(image(&bench, 2.0).width());
    drag(&mut bench, "handle block.size +x", vec2(30.0, 12.0), Modifiers::NONE);
    let (center, size) = (numbers(&bench, "block", "center"), numbers(&bench, "block", "size"));
    close(&size, &[0.5 + 30.0 * metres, 0.25], HALF_A_TENTH * metres);
    close(&[center[0] - 0.5 * size[0], center[1]], &[0.75, 0.5], 1e-9);
    bench.undo();
    assert_eq!(numbers(&bench, "block", "size"), [0.5, 0.25], "one step");
    bench.rest();
    drag(&mut bench, "handle block.size -y", vec2(0.0, 20.0), Modifiers::SHIFT);
    close(&numbers(&bench, "block", "size"), &[0.5, 0.25 + 40.0 * metres], 2.0 * HALF_A_TENTH * metres);
    assert_eq!(numbers(&bench, "block", "center"), [1.0, 0.5], "Shift keeps the middle");
}

#[test]
fn the_normal_of_a_plane_turns_and_keeps_its_length() {
    let mut bench = open(FLAT);
    bench.select("wall");
    bench.rest();
    let tip = bench.position_of("handle wall.normal") - bench.position_of("handle wall.through");
    assert!(tip.x.abs() < 0.5 && tip.y < -20.0, "upwards: {tip}");
    // To the right and a little below.
    drag(&mut bench, "handle wall.normal", vec2(-tip.y + 4.0, -tip.y + 9.0), CTRL);
    close(&numbers(&bench, "wall", "normal"), &[2.0, 0.0], 1e-6);
    bench.rest();
    let tip = bench.position_of("handle wall.normal") - bench.position_of("handle wall.through");
    assert!(tip.y.abs() < 0.5 && tip.x > 20.0, "to the right: {tip}");
}

#[test]
fn a_position_and_a_radius_are_dragged_through_the_camera() {
    let mut bench = open(RING);
    bench.select("ring");
    bench.rest();
    let image = image(&bench, 64.0 / 48.0);
    let camera = bench.editor().simulation().unwrap().orbit("camera").unwrap().frame();
    let center = [0.4, 0.6, 0.5];
    // The handle is where the image shows the point.
    let ([x, y], depth) = camera.project(center, [64, 48]);
    let place = pos2(image.left() + x as f32 / 64.0 * image.width(), image.bottom() - y as f32 / 48.0 * image.height());
    assert!((bench.position_of("handle ring.center") - place).length() < 0.5);
    // A drag of the radius towards the right of the camera is its length at this depth.
    let metres = 2.0 * camera.tangent * depth / f64::from(image.height());
    drag(&mut bench, "handle ring.radius", vec2(30.0, 0.0), Modifiers::NONE);
    close(&numbers(&bench, "ring", "radius"), &[0.25 + 30.0 * metres], HALF_A_TENTH * metres);
    drag(&mut bench, "handle ring.center", vec2(40.0, -25.0), Modifiers::NONE);
    let expected: Vec<f64> =
        (0..3).map(|axis| center[axis] + metres * (40.0 * camera.right[axis] + 25.0 * camera.up[axis])).collect();
    close(&numbers(&bench, "ring", "center"), &expected, HALF_A_TENTH * metres);
    assert!((bench.position_of("handle ring.center") - (place + vec2(40.0, -25.0))).length() < 0.5);
    // Along one axis of the world.
    drag(&mut bench, "handle ring.center", vec2(3.0, 40.0), Modifiers::SHIFT);
    let moved = numbers(&bench, "ring", "center");
    close(&[moved[0], moved[2]], &[expected[0], expected[2]], HALF_A_TENTH * metres);
    assert!(moved[1] < expected[1] - 30.0 * metres, "{moved:?}");
    // The axis keeps its length.
    drag(&mut bench, "handle ring.axis", vec2(25.0, 10.0), Modifiers::NONE);
    let axis = numbers(&bench, "ring", "axis");
    assert_ne!(axis, [0.3, 1.0, 0.1]);
    close(&[axis.iter().map(|part| part * part).sum::<f64>()], &[1.1], 0.01);
}

#[test]
fn a_camera_is_moved_in_another_view_and_lands_under_the_pointer() {
    let mut bench = open(RING);
    bench.press("output solid.result");
    bench.compiled();
    bench.until("the foot of the view", |bench| bench.find("Histogram").is_some());
    bench.rest();
    bench.press("volume");
    bench.press("camera");
    bench.rest();
    bench.select("camera");
    bench.rest();
    let seen = bench.seen();
    let room = seen.iter().find(|seen| seen.role == Role::Image && seen.name.starts_with("image ")).unwrap().rect;
    // The view's own camera is near; from farther away and from the side, the graph's one is in sight.
    (0..6).for_each(|_| bench.wheel(room.center(), vec2(0.0, -200.0)));
    let beside = room.center() + vec2(150.0, 60.0);
    bench.drag_with(beside, beside + vec2(120.0, 30.0), PointerButton::Secondary, Modifiers::NONE);
    let from = bench.position_of("handle camera.distance");
    assert!(room.contains(from), "{from} {room}");
    drag(&mut bench, "handle camera.distance", vec2(-35.0, 20.0), Modifiers::NONE);
    let values = ["azimuth", "elevation", "distance"].map(|param| numbers(&bench, "camera", param)[0]);
    assert!(values[0] != 30.0 && values[1] != 20.0 && values[2] != 3.0, "{values:?}");
    // Angles are rounded to hundredths of a degree, which are less than a point here.
    assert!((bench.position_of("handle camera.distance") - (from + vec2(-35.0, 20.0))).length() < 1.5);
    let orbit = bench.editor().simulation().unwrap().orbit("camera").unwrap();
    assert_eq!([orbit.azimuth, orbit.elevation, orbit.distance].map(|v| v as f32), values.map(|v| v as f32));
    assert_eq!(Orbit { azimuth: 30.0, elevation: 20.0, distance: 3.0, ..orbit }, start());
    bench.undo();
    assert_eq!(numbers(&bench, "camera", "azimuth"), [30.0], "one step");
    assert_eq!(numbers(&bench, "camera", "distance"), [3.0]);
}

fn start() -> Orbit {
    Orbit { look_at: [0.5; 3], azimuth: 30.0, elevation: 20.0, distance: 3.0, fov: 35.0 }
}

#[test]
fn a_stage_of_the_user_has_the_handles_that_its_header_declares() {
    let stage = SMOKE.replace(
        "//! @param rate: f32 = 0.01   How fast",
        "//! @param place: Vec = (0.5, 0.5), handle position   Where [m]\n//! @param rate: f32 = 0.25, 0..0.3, handle radius of place   How fast [m]",
    );
    let mut bench = open(&stage.replace("return field(cell) *", "let unused = params.place; return field(cell) *"));
    bench.select("fade");
    bench.rest();
    let metres = 1.0 / f64::from(image(&bench, 1.0).width());
    drag(&mut bench, "handle fade.place", vec2(-70.0, 30.0), Modifiers::NONE);
    let expected = [0.5 - 70.0 * metres, 0.5 - 30.0 * metres];
    close(&numbers(&bench, "fade", "place"), &expected, HALF_A_TENTH * metres);
    // No farther than its range.
    drag(&mut bench, "handle fade.rate", vec2(90.0, 0.0), Modifiers::NONE);
    assert_eq!(numbers(&bench, "fade", "rate"), [0.3]);
}

#[test]
fn a_group_has_the_handles_of_what_it_exposes() {
    let group = r#""jet": (group: (inputs: {"velocity": "Grid<Vec>"}, outputs: {"velocity": "inner.velocity"}, params: {"source": ["inner.center"]}, nodes: {
            "inner": (stage: "fluid/force_emitter", inputs: {"velocity": "in.velocity"}, params: {"center": (0.5, 0.2), "radius": 0.1}),
        }), inputs: {"velocity": "velocity.value"}, at: (260, 160)),
        "viscosity":"#;
    let (before, rest) = SMOKE.split_once(r#""jet": ("#).unwrap();
    let (_, after) = rest.split_once(r#""viscosity":"#).unwrap();
    let mut bench = open(&format!("{before}{group}{after}"));
    bench.select("jet");
    bench.rest();
    let metres = 1.0 / f64::from(image(&bench, 1.0).width());
    drag(&mut bench, "handle jet.source", vec2(40.0, 0.0), Modifiers::NONE);
    close(&numbers(&bench, "jet", "source"), &[0.5 + 40.0 * metres, 0.2], HALF_A_TENTH * metres);
    // What is not exposed is shown, but cannot be dragged.
    let document = bench.document().clone();
    drag(&mut bench, "handle jet.radius", vec2(40.0, 0.0), Modifiers::NONE);
    assert_eq!(*bench.document(), document);
}

#[test]
fn handles_are_hidden_and_do_not_stir() {
    let mut bench = open(SMOKE);
    bench.select("jet");
    bench.rest();
    let at = bench.position_of("handle jet.center");
    bench.hover(at);
    bench.rest();
    bench.key_with(Modifiers::SHIFT, Key::H);
    bench.rest();
    assert!(bench.find("handle jet.center").is_none());
    // Without handles a press in the image is the simulation's.
    let document = bench.document().clone();
    bench.drag(at, at + vec2(40.0, 0.0));
    assert_eq!(*bench.document(), document);
    bench.press("Overlays");
    bench.press("Handles");
    bench.rest();
    assert!(bench.find("handle jet.center").is_some());
}

#[test]
fn a_ruler_measures_a_distance_in_metres() {
    let mut bench = open(FLAT);
    bench.key_with(Modifiers::SHIFT, Key::R);
    bench.rest();
    let image = image(&bench, 2.0);
    let corner = |x: f32, y: f32| pos2(image.left() + x * image.width() / 2.0, image.bottom() - y * image.height());
    // Cells of 1/16 m.
    bench.drag_with(corner(0.26, 0.12), corner(1.01, 0.51), PointerButton::Primary, CTRL);
    let ruler =
        |bench: &Bench| bench.seen().into_iter().find(|seen| seen.name.starts_with("ruler ")).map(|seen| seen.name);
    assert_eq!(ruler(&bench).as_deref(), Some("ruler 0.83853 m  dx 0.75000  dy 0.37500"));
    bench.frame(vec![Event::PointerGone], Modifiers::NONE);
    bench.key_with(Modifiers::SHIFT, Key::R);
    bench.rest();
    assert_eq!(ruler(&bench), None);
}

/// What an overlay says that it shows.
fn legend(bench: &Bench, overlay: &str) -> Option<String> {
    bench.seen().into_iter().find(|seen| seen.name.starts_with(&format!("{overlay} of "))).map(|seen| seen.name)
}

#[test]
fn arrows_streamlines_and_contours_are_laid_over_an_image() {
    // Wind of 2 m/s along x, and a field that grows by 1 over the width.
    let wind = FLAT.replace(
        r#""look": (stage: "view/color_map", inputs: {"field": "solid"}"#,
        r#""drift": (stage: "field/wind", params: {"wind": (2, 0)}, at: (260, 330)),
        "velocity": (stage: "grid/from_field", on: "domain", inputs: {"field": "drift"}, at: (520, 330)),
        "slope": (stage: "field/expression", params: {"value": "position.x / 2"}, at: (260, 500)),
        "height": (stage: "grid/from_field", on: "domain", inputs: {"field": "slope"}, at: (520, 500)),
        "along": (stage: "grid/component", inputs: {"a": "velocity.result"}, at: (780, 330)),
        "sum": (stage: "grid/add", inputs: {"a": "height.result", "b": "along.result"}, at: (780, 500)),
        "look": (stage: "view/color_map", inputs: {"field": "sum.sum"}"#,
    );
    let mut bench = open(&wind);
    bench.press("Overlays");
    bench.press("Velocity arrows");
    bench.press("Streamlines");
    bench.key(Key::Escape);
    bench.compiled();
    bench.until("arrows", |bench| legend(bench, "arrows").is_some());
    assert!(bench.editor().viewed().contains("velocity.result"));
    assert!(legend(&bench, "arrows").unwrap().ends_with("longest 2.0000"), "{:?}", legend(&bench, "arrows"));
    assert!(legend(&bench, "streamlines").unwrap().starts_with("streamlines of velocity.result: "));
    bench.press("output height.result");
    bench.press("Overlays");
    bench.press("Contours");
    bench.key(Key::Escape);
    bench.compiled();
    bench.until("contours", |bench| legend(bench, "contours").is_some());
    // From 1/64 to 63/64: nine levels over fifteen squares each.
    assert_eq!(legend(&bench, "contours").as_deref(), Some("contours of height.result: 135, every 0.1"));
}

#[test]
fn a_field_is_looked_at_like_a_wire_with_contours_or_arrows() {
    let nodes = FLAT.replace(
        r#""look":"#,
        r#""coarse": (domain: (resolution: (8, 4), width: 2, edge: "wall"), at: (0, 160)),
        "slope": (stage: "field/expression", params: {"value": "position.x / 2"}, at: (260, 500)),
        "drift": (stage: "field/wind", params: {"wind": (2, 0)}, at: (260, 330)),
        "look":"#,
    );
    let mut bench = open(&nodes);
    let dispatches = bench.dispatches();
    bench.press("output slope.field");
    bench.compiled();
    bench.until("contours", |bench| legend(bench, "contours").is_some());
    // From 1/64 to 63/64 over the domain: nine levels over fifteen squares each.
    assert_eq!(legend(&bench, "contours").as_deref(), Some("contours of slope.field: 135, every 0.1"));
    // The bar below the view grows when the statistics arrive.
    bench.until("statistics", |bench| bench.find("Histogram").is_some());
    bench.rest();
    bench.press("domain of the field");
    bench.press("coarse");
    bench.compiled();
    bench.until("fewer cells", |bench| {
        legend(bench, "contours").is_some_and(|text| text.contains("slope.field@coarse"))
    });
    bench.until("as many values as the coarse domain has cells", |bench| bench.find("32").is_some());
    bench.press("output drift.velocity");
    bench.compiled();
    bench.until("arrows", |bench| legend(bench, "arrows").is_some());
    assert!(
        legend(&bench, "arrows").unwrap().starts_with("arrows of drift.velocity"),
        "{:?}",
        legend(&bench, "arrows")
    );
    assert_eq!(legend(&bench, "contours"), None, "they were the other field's");
    // What is no longer looked at is no longer computed.
    bench.press("output solid.result");
    bench.compiled();
    bench.until("no arrows", |bench| legend(bench, "arrows").is_none());
    assert_eq!(bench.dispatches(), dispatches);
}

/// The smoke in a domain of another shape than its image.
fn boxed(cells: [u32; 2], size: [u32; 2]) -> Bench {
    let [[x, y], [width, height]] = [cells, size];
    let text = SMOKE.replace("resolution: (32, 32)", &format!("resolution: ({x}, {y})"));
    let text = text.replace("size: (64, 64)", &format!("size: ({width}, {height})"));
    assert!(text != SMOKE);
    open(&text)
}

/// Handles and the pointer lie where the image shows the place: the whole domain in its middle, between black bars.
#[test]
fn between_black_bars_a_handle_and_the_pointer_are_where_the_image_shows_them() {
    for (cells, size) in [([16, 32], [64, 64]), ([32, 16], [64, 64]), ([32, 32], [96, 48]), ([32, 16], [48, 96])] {
        let mut bench = boxed(cells, size);
        let whole = image(&bench, size[0] as f32 / size[1] as f32);
        let scale = (whole.width() / cells[0] as f32).min(whole.height() / cells[1] as f32);
        let shown = Rect::from_center_size(whole.center(), scale * vec2(cells[0] as f32, cells[1] as f32));
        let at =
            |share: [f32; 2]| pos2(shown.left() + share[0] * shown.width(), shown.bottom() - share[1] * shown.height());
        bench.select("jet");
        bench.rest();
        let handle = bench.position_of("handle jet.center");
        assert!(
            (handle - at([0.5, 0.2])).length() < 0.5,
            "{cells:?} in {size:?}: {handle}, expected {}",
            at([0.5, 0.2])
        );
        // A metre is as long to the right as upwards: a radius stays a circle.
        drag(&mut bench, "handle jet.center", 0.1 * scale * vec2(cells[0] as f32, -(cells[1] as f32)), Modifiers::NONE);
        close(&numbers(&bench, "jet", "center"), &[0.6, 0.3], f64::from(0.1 / (scale * 16.0)));
        // The pointer stirs at the same place.
        bench.select("look");
        bench.key(Key::Space);
        bench.hover(at([0.25, 0.75]));
        bench.pointer_button(at([0.25, 0.75]), PointerButton::Primary, true, Modifiers::NONE);
        bench.plays();
        bench.pointer_button(at([0.25, 0.75]), PointerButton::Primary, false, Modifiers::NONE);
        bench.key(Key::Space);
        let journal = bench.editor().simulation().unwrap().timeline().unwrap().journal().clone();
        let live = (0..journal.end()).rev().find(|frame| journal.is_live(*frame)).expect("a press");
        let mouse = journal.input(live).expect("its input").mouse;
        close(&mouse.map(f64::from), &[0.25, 0.75], 1e-3);
    }
}
