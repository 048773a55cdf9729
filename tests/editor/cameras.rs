//! A camera moved by hand.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers, PointerButton, Pos2, vec2};
use stagewright_language::document::ParamValue;
use stagewright_runtime::sim::Image;
use stagewright_runtime::sim::camera::Orbit;

use super::bench::{Bench, WINDOW};

/// A ring in space that nothing moves, and which looks another way from everywhere.
const RING: &str = r#"(
    version: 1,
    name: "Ring",
    nodes: {
        "space": (domain: (resolution: (8, 8, 8), width: 1, edge: "wall"), at: (0, 0)),
        "paper": (domain: (resolution: (64, 48), width: 1, edge: "wall"), at: (0, 160)),
        "camera": (stage: "view/camera", params: {"azimuth": 30, "elevation": 20, "distance": 3, "look_at": (0.5, 0.5, 0.5)}, at: (0, 330)),
        "ring": (stage: "shape/torus", on: "space", params: {"axis": (0.3, 1, 0.1)}, at: (260, 160)),
        "look": (stage: "view/shape", on: "paper", inputs: {"camera": "camera.camera", "shape": "ring.distance"}, at: (520, 160)),
        "screen": (output: (size: (64, 48)), inputs: {"image": "look.image"}, at: (780, 160)),
    },
)"#;

fn ring() -> Bench {
    let mut bench = Bench::from_text(RING, WINDOW);
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench.plays();
    bench
}

fn orbit(bench: &Bench) -> Orbit {
    bench.editor().simulation().and_then(|simulation| simulation.orbit("camera")).expect("the camera")
}

fn image(bench: &mut Bench) -> Image {
    // What was done just now is in the next image.
    bench.plays();
    bench.editor().simulation().expect("a plan").image(None).expect("a picture")
}

/// Pixels that differ.
fn changed(a: &Image, b: &Image) -> usize {
    a.rgba.chunks(4).zip(b.rgba.chunks(4)).filter(|(a, b)| a != b).count()
}

fn middle(bench: &Bench) -> Pos2 {
    let seen = bench.seen();
    let picture = seen.iter().find(|seen| seen.role == Role::Image && seen.name.starts_with("image "));
    picture.expect("the picture").rect.center()
}

#[test]
fn the_right_button_turns_the_camera_shift_moves_it_the_wheel_goes_nearer_and_back_is_back() {
    let mut bench = ring();
    let document = bench.document().clone();
    let start = orbit(&bench);
    let first = image(&mut bench);
    assert_eq!(changed(&first, &image(&mut bench)), 0, "by itself it stands still");
    let at = middle(&bench);
    let back = |bench: &mut Bench| {
        bench.press("Reset camera");
        bench.compiled();
        assert_eq!(orbit(bench), start);
        assert_eq!(changed(&first, &image(bench)), 0, "the picture is back as well");
        assert!(bench.find("Reset camera").is_none());
    };

    assert!(bench.find("Reset camera").is_none(), "there is nowhere to go back from");
    bench.drag_with(at, at + vec2(50.0, 25.0), PointerButton::Secondary, Modifiers::NONE);
    let turned = orbit(&bench);
    // 0.4 degrees a point.
    assert!((turned.azimuth - (start.azimuth - 20.0)).abs() < 0.5, "{turned:?}");
    assert!((turned.elevation - (start.elevation + 10.0)).abs() < 0.5, "{turned:?}");
    assert_eq!((turned.distance, turned.look_at), (start.distance, start.look_at));
    let count = changed(&first, &image(&mut bench));
    assert!(count > 100, "{count} pixels of {}", 64 * 48);
    back(&mut bench);

    bench.drag_with(at, at + vec2(40.0, 0.0), PointerButton::Secondary, Modifiers::SHIFT);
    let moved = orbit(&bench);
    assert_eq!((moved.azimuth, moved.elevation, moved.distance), (start.azimuth, start.elevation, start.distance));
    let along: f64 = moved.look_at.iter().zip(start.look_at).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    assert!(along > 0.01, "{moved:?}");
    assert!(changed(&first, &image(&mut bench)) > 100);
    back(&mut bench);

    bench.wheel(at, vec2(0.0, 120.0));
    let near = orbit(&bench);
    assert!(near.distance < 0.95 * start.distance, "{near:?}");
    assert_eq!((near.azimuth, near.elevation, near.look_at), (start.azimuth, start.elevation, start.look_at));
    assert!(changed(&first, &image(&mut bench)) > 100);
    bench.wheel(at, vec2(0.0, -240.0));
    assert!(orbit(&bench).distance > 1.05 * start.distance);
    back(&mut bench);

    // The middle button moves the image in its pane, not the camera.
    bench.drag_with(at, at + vec2(40.0, 10.0), PointerButton::Middle, Modifiers::NONE);
    assert_eq!(orbit(&bench), start);
    assert_eq!(*bench.document(), document, "looking changes nothing");
    assert!(!bench.editor().modified());
}

#[test]
fn a_camera_that_was_moved_is_written_into_the_graph_as_one_step() {
    let mut bench = ring();
    let (document, at) = (bench.document().clone(), middle(&bench));
    bench.drag_with(at, at - vec2(50.0, 0.0), PointerButton::Secondary, Modifiers::NONE);
    let turned = orbit(&bench);
    let picture = image(&mut bench);
    bench.press("Save camera to graph");
    bench.compiled();
    let Some(ParamValue::Number(azimuth)) = bench.document().nodes["camera"].params.get("azimuth").cloned() else {
        panic!("no azimuth")
    };
    assert!((azimuth - turned.azimuth).abs() < 1e-3, "{azimuth} {}", turned.azimuth);
    assert_eq!(changed(&picture, &image(&mut bench)), 0);
    assert!(bench.find("Save camera to graph").is_none());
    bench.ctrl(Key::Z);
    bench.compiled();
    assert_eq!(*bench.document(), document);
    assert_eq!(orbit(&bench).azimuth, 30.0);
}
