//! The interface at usual scales in a small window, 1024 x 640 pixels: nothing lies on anything else, and nothing is out of reach.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers, Rect, Vec2, vec2};
use stagewright_editor::Source;

use super::bench::{Bench, Folder, SMOKE, Seen};

const SCALES: [f32; 3] = [1.0, 1.5, 2.0];

fn size(scale: f32) -> Vec2 {
    vec2(1024.0, 640.0) / scale
}

/// Smoke in a small window, with nothing under way.
fn small(scale: f32) -> Bench {
    let folder = Folder::new();
    let path = folder.path().join(format!("{}.ron", "long name ".repeat(12)));
    std::fs::write(&path, SMOKE).unwrap();
    let mut bench = Bench::with(folder, Source::File(path), size(scale));
    bench.compiled();
    bench.key(Key::Space);
    bench.rest();
    bench
}

/// What can be read or used.
fn used(seen: &Seen) -> bool {
    let role = matches!(
        seen.role,
        Role::Button
            | Role::ComboBox
            | Role::Link
            | Role::Label
            | Role::TextInput
            | Role::MultilineTextInput
            | Role::Slider
            | Role::SpinButton
            | Role::CheckBox
            | Role::RadioButton
    );
    role && seen.rect.is_positive()
}

/// What is wrong with the widgets in a part of the window: two lie on each other, or one reaches beyond its sides. What is scrolled out of
/// sight, above or below, is left out.
fn crowded(seen: Vec<Seen>, area: Rect) -> Vec<String> {
    let seen: Vec<Seen> = seen.into_iter().filter(used).collect();
    let inside = |seen: &&Seen| {
        let Rect { min, max } = seen.rect;
        area.contains(seen.rect.center()) && min.y > area.top() - 0.5 && max.y < area.bottom() + 0.5
    };
    let inside: Vec<&Seen> = seen.iter().filter(inside).collect();
    let mut wrong = Vec::new();
    for (index, one) in inside.iter().enumerate() {
        if one.rect.left() < area.left() - 0.5 || one.rect.right() > area.right() + 0.5 {
            wrong.push(format!("{one:?} reaches beyond {area:?}"));
        }
        for other in inside.iter().skip(index + 1) {
            let shared = one.rect.intersect(other.rect);
            if shared.width() > 0.5 && shared.height() > 0.5 {
                wrong.push(format!("{one:?} lies on {other:?}"));
            }
        }
    }
    if inside.len() < 2 {
        wrong.push(format!("only {} widgets are in {area:?}", inside.len()));
    }
    wrong
}

/// Without what is scrolled out of sight in the list of keys: it ends above the message below it.
fn in_sight(seen: Vec<Seen>) -> Vec<Seen> {
    let messages = ["Click a command", "Press the new keys"];
    let message =
        |seen: &&Seen| messages.iter().any(|text| seen.name.starts_with(text)) || seen.name.contains(" belongs to ");
    let Some(end) = seen.iter().find(message).map(|seen| seen.rect.top()) else { return seen };
    let menus = ["File", "Edit", "Graph", "Run", "View", "Window", "Help"];
    let row = |seen: &Seen| {
        let buttons = ["keys of ", "Add keys to ", "Reset keys of "];
        buttons.iter().any(|start| seen.name.starts_with(start)) || menus.contains(&seen.name.as_str())
    };
    seen.into_iter().filter(|seen| seen.rect.bottom() <= end || !row(seen)).collect()
}

/// Checks an open dialog: it is in the window, and so is all that is in it.
#[track_caller]
fn check_dialog(bench: &Bench, scale: f32, what: &str) {
    let window = Rect::from_min_size(Default::default(), size(scale));
    let (area, seen) = bench.dialog().unwrap_or_else(|| panic!("{scale}: {what} is not open"));
    assert!(window.expand(0.5).contains_rect(area), "{scale}: {what} at {area:?} is not in {window:?}");
    let wrong = crowded(in_sight(seen), area);
    assert!(wrong.is_empty(), "{scale}: {what}: {wrong:#?}");
}

#[test]
fn dialogs_fit_and_nothing_in_them_overlaps() {
    for scale in SCALES {
        let mut bench = small(scale);
        bench.ctrl(Key::Comma);
        bench.rest();
        check_dialog(&bench, scale, "general preferences");
        bench.press("Keys");
        bench.rest();
        check_dialog(&bench, scale, "keys");
        bench.press("Search commands or keys");
        bench.write("pin view");
        bench.rest();
        bench.press("keys of Pin view: K");
        check_dialog(&bench, scale, "keys that are awaited");
        bench.ctrl(Key::J);
        bench.rest();
        assert!(bench.find("Take from Add comment frame").is_some());
        check_dialog(&bench, scale, "a conflict of keys");
        bench.press("Take from Add comment frame");
        bench.rest();
        check_dialog(&bench, scale, "keys that were changed");
        bench.key(Key::Escape);
        bench.rest();
        for (menu, entry) in [("Help", "About"), ("Edit", "History"), ("File", "Export")] {
            bench.menu(menu, entry);
            bench.rest();
            if entry == "Export" {
                bench.until("the wires", |bench| {
                    bench.seen().iter().any(|seen| seen.name == "screen.0001.png to screen.0240.png")
                });
                bench.rest();
            }
            check_dialog(&bench, scale, entry);
            bench.key(Key::Escape);
            bench.rest();
        }
    }
}

#[test]
fn every_entry_of_every_menu_can_be_reached() {
    for scale in SCALES {
        let mut bench = small(scale);
        let window = Rect::from_min_size(Default::default(), size(scale));
        for (menu, last) in [
            ("File", "Quit"),
            ("Edit", "Preferences"),
            ("Graph", "Previous problem"),
            ("View", "Minimap"),
            ("Window", "Light theme"),
        ] {
            bench.press(menu);
            bench.rest();
            let entry = |bench: &Bench| {
                let seen = bench.seen();
                seen.into_iter()
                    .find(|seen| seen.role == Role::Button && seen.name.starts_with(last))
                    .map(|seen| seen.rect)
            };
            let open = bench.position_of(menu) + vec2(20.0, 60.0);
            for _ in 0..12 {
                if entry(&bench).is_some_and(|rect| window.contains_rect(rect)) {
                    break;
                }
                bench.wheel(open, vec2(0.0, -100.0));
            }
            let rect = entry(&bench);
            assert!(rect.is_some_and(|rect| window.contains_rect(rect)), "{scale}: {menu} > {last} is at {rect:?}");
            bench.key(Key::Escape);
            bench.rest();
        }
    }
}

#[test]
fn rows_of_the_inspector_do_not_overlap() {
    for scale in SCALES {
        let mut bench = small(scale);
        let tab = bench.find("Inspector pane").expect("the inspector");
        // A low window leaves the timeline out.
        let timeline = bench.find("Timeline").map(|rect| rect.top() - 2.0);
        let foot = timeline.unwrap_or_else(|| bench.position_of("Step one frame").y - 14.0);
        let area = Rect::from_min_max(tab.left_bottom(), eframe::egui::pos2(size(scale).x, foot));
        for node in ["", "jet", "viscosity", "domain", "velocity", "screen", "look", "fade", "pressure"] {
            bench.ctrl(Key::F);
            bench.write(if node.is_empty() { "screen" } else { node });
            bench.rest();
            bench.key(Key::Enter);
            bench.rest();
            if node.is_empty() {
                // With nothing selected, it shows the graph.
                let ground = bench.ground();
                bench.click(ground);
            }
            // Where no tooltip comes up.
            let away = size(scale) - vec2(2.0, 2.0);
            bench.hover(away.to_pos2());
            bench.rest();
            let wrong = crowded(bench.seen(), area);
            assert!(wrong.is_empty(), "{scale}: {node}: {wrong:#?}");
            let middle = area.center();
            bench.wheel(middle, vec2(0.0, -150.0));
            bench.hover(away.to_pos2());
            bench.rest();
            let wrong = crowded(bench.seen(), area);
            assert!(wrong.is_empty(), "{scale}: {node}, scrolled: {wrong:#?}");
            bench.wheel(middle, vec2(0.0, 1000.0));
        }
    }
}

#[test]
fn bars_of_views_and_of_the_canvas_hold_what_is_in_them() {
    for scale in SCALES {
        let mut bench = small(scale);
        let window = Rect::from_min_size(Default::default(), size(scale));
        for number in [Key::Num1, Key::Num2, Key::Num3, Key::Num4] {
            bench.key_with(Modifiers::ALT, number);
        }
        bench.rest();
        let bar = |bench: &Bench, widget: &str| {
            let at = bench.position_of(widget);
            let pane = if at.x < 0.44 * window.width() {
                0.0..=0.44 * window.width()
            } else {
                0.44 * window.width()..=window.right()
            };
            Rect::from_x_y_ranges(pane, at.y - 13.0..=at.y + 13.0)
        };
        let wrong = crowded(bench.seen(), bar(&bench, "bookmark 1"));
        assert!(wrong.is_empty(), "{scale}: bookmarks: {wrong:#?}");
        let wrong = crowded(bench.seen(), bar(&bench, "Pin"));
        assert!(wrong.is_empty(), "{scale}: the image: {wrong:#?}");
        bench.select("jet");
        bench.key(Key::D);
        bench.compiled();
        bench.rest();
        let wrong = crowded(bench.seen(), bar(&bench, "Pin"));
        assert!(wrong.is_empty(), "{scale}: a wire: {wrong:#?}");
        // Below the edge of the inspector lie rows of it that are out of sight.
        let view = bench.position_of("Pin") + vec2(0.0, 40.0);
        bench.hover(view);
        bench.ctrl(Key::Space);
        bench.rest();
        let foot = bench.position_of("Step one frame");
        let wrong = crowded(bench.seen(), Rect::from_x_y_ranges(window.x_range(), foot.y - 13.0..=foot.y + 13.0));
        assert!(wrong.is_empty(), "{scale}: the foot: {wrong:#?}");
    }
}
