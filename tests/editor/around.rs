//! Help, history, preferences, search and the arrangement of the window.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers, Theme, ViewportCommand, vec2};
use stagewright_editor::Source;
use stagewright_language::document::ParamValue;

use super::bench::{Bench, Folder, SMOKE, WINDOW};

/// Whether text that contains this is on the screen.
fn reads(bench: &Bench, text: &str) -> bool {
    bench.seen().iter().any(|seen| seen.name.contains(text))
}

fn radius(bench: &Bench) -> Option<ParamValue> {
    bench.document().nodes["jet"].params.get("radius").cloned()
}

#[test]
fn f1_opens_the_reference_of_the_selected_node_and_help_the_documents() {
    let mut bench = Bench::from_text(SMOKE, WINDOW);
    bench.select("jet");
    bench.key(Key::F1);
    bench.rest();
    assert!(reads(&bench, "fluid/force_emitter") && reads(&bench, "radius: f32"), "title and parameters");
    bench.menu("Help", "Stage language");
    bench.rest();
    assert!(reads(&bench, "The stage language"), "{:?}", bench.seen());
    bench.press("Glossary");
    assert!(bench.seen().iter().any(|seen| seen.name == "Glossary" && seen.role == Role::Label));
    bench.press("Back");
    assert!(reads(&bench, "The stage language"));
    bench.menu("Help", "Shortcuts");
    bench.rest();
    assert!(reads(&bench, "Select outputs") && reads(&bench, "zooms at the pointer"));
    bench.press("Search shortcuts");
    bench.write("auto layout");
    bench.rest();
    assert!(reads(&bench, "Auto-layout") && !reads(&bench, "Select outputs"));
    bench.menu("Help", "About");
    bench.rest();
    let gpu = bench.editor().simulation().map(|s| s.gpu().name().to_string());
    assert!(gpu.is_none_or(|gpu| reads(&bench, &gpu)) && reads(&bench, env!("CARGO_PKG_VERSION")));
    bench.key(Key::Escape);
    bench.rest();
    assert!(!reads(&bench, "Memory of the graph"));
}

#[test]
fn the_history_goes_to_any_step_by_pointer_and_by_keys() {
    let mut bench = Bench::from_text(SMOKE, WINDOW);
    let start = bench.document().clone();
    bench.select("jet");
    bench.set_number("radius", 0.2);
    bench.select("fade");
    bench.key(Key::Delete);
    bench.rest();
    let end = bench.document().clone();
    bench.menu("Edit", "History");
    bench.rest();
    bench.press("step 1 Set jet.radius");
    assert!(bench.document().nodes.contains_key("fade") && radius(&bench) == Some(ParamValue::Number(0.2)));
    bench.key(Key::ArrowUp);
    assert_eq!(*bench.document(), start);
    bench.key(Key::ArrowUp);
    bench.key(Key::End);
    assert_eq!(*bench.document(), end);
    bench.undo();
    bench.key(Key::ArrowDown);
    assert_eq!(*bench.document(), end, "undo and the list are the same steps");
    bench.key(Key::Home);
    assert_eq!(*bench.document(), start);
    bench.key(Key::Escape);
    bench.rest();
    assert!(!reads(&bench, "step 1"));
    bench.key(Key::ArrowDown);
    assert_eq!(*bench.document(), start, "the list is closed");
}

#[test]
fn preferences_apply_at_once_and_are_written() {
    let mut bench = Bench::empty(WINDOW);
    bench.ctrl(Key::Comma);
    bench.rest();
    bench.press("Light");
    assert_eq!(bench.harness.ctx.theme(), Theme::Light);
    bench.press("Node thumbnails");
    bench.press("Background tuning");
    bench.choose("Store unsaved changes", "every minute");
    bench.press("150 %");
    assert_eq!(bench.harness.ctx.zoom_factor(), 1.5);
    bench.key(Key::Escape);
    bench.rest();
    let file = bench.folder().join("settings/settings.ron");
    bench.until("the settings", |_| {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        ["theme: Some(Light)", "scale: (1.5)", "thumbnails: Some(true)", "autosave: (60)", "tuning: (false)"]
            .iter()
            .all(|part| text.contains(part))
    });
}

#[test]
fn a_window_opens_at_the_scale_of_the_settings_with_all_nodes_in_sight() {
    let folder = Folder::new();
    let (graph, settings) = (folder.path().join("graph.ron"), folder.path().join("settings"));
    std::fs::write(&graph, SMOKE).unwrap();
    std::fs::create_dir_all(&settings).unwrap();
    let text = "(hints: [0, 1, 2], window: (scale: (1.25)))";
    std::fs::write(settings.join("settings.ron"), text).unwrap();
    let bench = Bench::with(folder, Source::File(graph), WINDOW);
    assert_eq!(bench.harness.ctx.zoom_factor(), 1.25);
    let canvas = bench.canvas();
    for node in bench.document().nodes.keys() {
        let area = bench.find(&format!("node {node}"));
        assert!(area.is_some_and(|area| canvas.contains_rect(area)), "{node}: {area:?} in {canvas:?}");
    }
}

#[test]
fn find_goes_to_a_parameter_and_points_it_out() {
    let mut bench = Bench::from_text(SMOKE, WINDOW);
    bench.ctrl(Key::F);
    bench.write("jet.radius");
    bench.rest();
    bench.key(Key::Enter);
    bench.rest();
    assert_eq!(bench.selected(), "jet");
    let mark = bench.find("pointed out").expect("the highlight");
    assert!(mark.contains(bench.position_of("param radius")), "{mark:?}");
    (0..6).for_each(|_| bench.rest());
    assert_eq!(bench.find("pointed out"), None, "it goes out");
    bench.ctrl(Key::F);
    bench.write("0.0001");
    bench.rest();
    bench.key(Key::Enter);
    bench.rest();
    assert_eq!(bench.selected(), "viscosity", "found by its value");
}

#[test]
fn a_pane_is_maximized_and_the_window_fills_the_screen() {
    let mut bench = Bench::from_text(SMOKE, WINDOW);
    let canvas = bench.canvas();
    bench.hover(canvas.center());
    bench.ctrl(Key::Space);
    bench.rest();
    assert!(bench.canvas().width() > 0.95 * WINDOW.x, "{:?}", bench.canvas());
    assert!(bench.find("Inspector pane").is_none());
    bench.ctrl(Key::Space);
    bench.rest();
    assert_eq!(bench.canvas(), canvas);
    let view = bench.find("Inspector pane").expect("a tab").center();
    bench.hover(view);
    bench.menu("Window", "Maximize pane");
    bench.rest();
    assert!(bench.find("canvas").is_none());
    bench.ctrl(Key::Num1);
    bench.rest();
    assert_eq!(bench.canvas(), canvas, "a hidden pane that is asked for shows all");
    bench.frame(vec![press(Key::F11)], Modifiers::NONE);
    let output = bench.harness.output();
    let commands = output.viewport_output.values().flat_map(|viewport| &viewport.commands);
    assert!(commands.into_iter().any(|command| *command == ViewportCommand::Fullscreen(true)));
}

fn press(key: Key) -> eframe::egui::Event {
    let modifiers = Modifiers::NONE;
    eframe::egui::Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers }
}

/// A window of 1024 x 640 pixels at usual scales, and at the largest.
#[test]
fn bars_have_room_for_what_is_in_them_in_a_small_window() {
    for scale in [1.0, 1.5, 2.0] {
        let size = vec2(1024.0, 640.0) / scale;
        let folder = Folder::new();
        let path = folder.path().join(format!("{}.ron", "long name ".repeat(12)));
        std::fs::write(&path, SMOKE).unwrap();
        let mut bench = Bench::with(folder, Source::File(path), size);
        bench.compiled();
        let window = eframe::egui::Rect::from_min_size(Default::default(), size);
        let used = |role: Role| matches!(role, Role::Button | Role::ComboBox | Role::Link | Role::Label);
        for bar in ["File", "Fit", "Step one frame"] {
            if bar == "Step one frame" {
                // Below the edge of the inspector lie rows of it that are out of sight.
                let view = bench.position_of("Fit") + vec2(0.0, 40.0);
                bench.hover(view);
                bench.ctrl(Key::Space);
                bench.rest();
            }
            let middle = bench.position_of(bar).y;
            let seen = bench.seen().into_iter().filter(|seen| used(seen.role) && !seen.name.is_empty());
            let seen: Vec<_> = seen.collect();
            // What is centred in the bar.
            let inside: Vec<_> = seen.iter().filter(|seen| (seen.rect.center().y - middle).abs() < 3.0).collect();
            assert!(inside.len() > 3, "{scale}: {inside:?}");
            for (index, one) in inside.iter().enumerate() {
                assert!(window.expand(0.5).contains_rect(one.rect), "{scale}: {one:?} is cut off");
                for other in inside.iter().skip(index + 1) {
                    let shared = one.rect.intersect(other.rect);
                    let overlap = shared.width() > 0.5 && shared.height() > 0.5;
                    assert!(!overlap || one.name == other.name, "{scale}: {one:?} lies on {other:?}");
                }
            }
        }
    }
}
