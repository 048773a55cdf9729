//! The keys of commands, as the user chooses them.

use eframe::egui::{Key, Modifiers};
use stagewright_editor::Source;

use super::bench::{Bench, Folder, SMOKE, WINDOW};

/// What a command's row says of its keys.
fn keys(bench: &Bench, command: &str) -> String {
    let name = format!("keys of {command}: ");
    let row = bench.seen().into_iter().find_map(|seen| seen.name.strip_prefix(&name).map(String::from));
    row.unwrap_or_else(|| panic!("{command} is not in the list of keys: {:?}", bench.seen()))
}

/// Clicks a command's row, so that it waits for keys.
fn wait_for_keys(bench: &mut Bench, command: &str) {
    let row = format!("keys of {command}: {}", keys(bench, command));
    bench.press(&row);
    assert_eq!(keys(bench, command), "Press keys…");
}

fn reads(bench: &Bench, text: &str) -> bool {
    bench.seen().iter().any(|seen| seen.name.contains(text))
}

/// Opens the list of keys with the commands that a search finds.
fn list(bench: &mut Bench, query: &str) {
    bench.ctrl(Key::Comma);
    bench.rest();
    bench.press("Keys");
    bench.press("Search commands or keys");
    bench.write(query);
    bench.rest();
}

fn saved(bench: &Bench) -> String {
    std::fs::read_to_string(bench.folder().join("settings/settings.ron")).unwrap_or_default()
}

#[test]
fn a_command_gets_other_keys_everywhere_and_keeps_them() {
    let mut bench = Bench::from_text(SMOKE, WINDOW);
    list(&mut bench, "edit group");
    assert!(reads(&bench, "No matches"));
    search(&mut bench, "group");
    assert!(!reads(&bench, "keys of Play"));
    wait_for_keys(&mut bench, "Group");
    bench.ctrl(Key::U);
    assert_eq!(keys(&bench, "Group"), "Ctrl+U");
    bench.until("the settings", |bench| saved(bench).contains(r#""group": ["#));
    let text: String = saved(&bench).split_whitespace().collect();
    assert!(text.contains(r#"keys:{"group":["Ctrl+U",],}"#), "only what differs: {text}");
    bench.key(Key::Escape);
    bench.rest();
    assert!(!reads(&bench, "keys of Group"), "the dialog is closed");

    bench.select("fade");
    bench.ctrl(Key::G);
    assert!(!bench.document().nodes.contains_key("group"), "the old keys do nothing");
    bench.ctrl(Key::U);
    bench.rest();
    assert!(bench.document().nodes.contains_key("group"));
    bench.press("Graph");
    assert!(reads(&bench, "Group Ctrl+U"), "{:?}", bench.seen());
    bench.key(Key::Escape);
    bench.menu("Help", "Shortcuts");
    bench.rest();
    assert!(reads(&bench, "Ctrl+U"));
    bench.ctrl(Key::P);
    bench.write("group");
    bench.rest();
    assert!(bench.find("Group").is_some());
    bench.key(Key::Escape);

    // The next window knows them.
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path().join("settings")).unwrap();
    std::fs::write(folder.path().join("settings/settings.ron"), saved(&bench)).unwrap();
    std::fs::write(folder.path().join("graph.ron"), SMOKE).unwrap();
    let path = folder.path().join("graph.ron");
    let mut bench = Bench::with(folder, Source::File(path), WINDOW);
    bench.select("fade");
    bench.ctrl(Key::U);
    bench.rest();
    assert!(bench.document().nodes.contains_key("group"));
}

/// Searches the open list.
fn search(bench: &mut Bench, query: &str) {
    bench.press("Search commands or keys");
    bench.ctrl(Key::A);
    bench.write(query);
    bench.rest();
}

#[test]
fn keys_of_another_command_are_taken_only_when_that_is_wanted() {
    let mut bench = Bench::from_text(SMOKE, WINDOW);
    list(&mut bench, "pin");
    let ask = |bench: &mut Bench| {
        wait_for_keys(bench, "Pin view");
        bench.ctrl(Key::D);
        bench.rest();
        assert!(reads(bench, "Ctrl+D belongs to Duplicate"), "{:?}", bench.seen());
        assert_eq!(keys(bench, "Pin view"), "K", "nothing is changed yet");
    };
    ask(&mut bench);
    bench.key(Key::Escape);
    bench.rest();
    assert!(!reads(&bench, "belongs to") && keys(&bench, "Pin view") == "K", "Escape is the question's Cancel");
    ask(&mut bench);
    bench.press("Cancel keys of Pin view");
    assert!(!reads(&bench, "belongs to") && keys(&bench, "Pin view") == "K");
    ask(&mut bench);
    bench.press("Take from Duplicate");
    assert_eq!(keys(&bench, "Pin view"), "Ctrl+D");
    search(&mut bench, "duplicate");
    assert_eq!(keys(&bench, "Duplicate"), "Shift+D");
    // To reset one of them is to take its keys back, and asks again.
    bench.press("Reset keys of Duplicate");
    assert!(reads(&bench, "Ctrl+D belongs to Pin view"));
    bench.press("Take from Pin view");
    assert_eq!(keys(&bench, "Duplicate"), "Ctrl+D, Shift+D");
    search(&mut bench, "pin");
    assert_eq!(keys(&bench, "Pin view"), "");
    bench.press("Reset keys of Pin view");
    assert_eq!(keys(&bench, "Pin view"), "K");
    bench.until("the settings", |bench| saved(bench).contains("keys: {},"));
}

#[test]
fn escape_cancels_delete_removes_and_reset_restores() {
    let mut bench = Bench::from_text(SMOKE, WINDOW);
    let document = bench.document().clone();
    bench.select("fade");
    list(&mut bench, "gr");
    wait_for_keys(&mut bench, "Ungroup");
    bench.key(Key::Escape);
    bench.rest();
    assert_eq!(keys(&bench, "Ungroup"), "Ctrl+Shift+G", "the list stays open");
    wait_for_keys(&mut bench, "Ungroup");
    bench.key(Key::Delete);
    bench.rest();
    assert_eq!(keys(&bench, "Ungroup"), "");
    bench.press("Add keys to Ungroup");
    bench.key_with(Modifiers::ALT, Key::U);
    bench.press("Add keys to Ungroup");
    bench.ctrl(Key::U);
    assert_eq!(keys(&bench, "Ungroup"), "Alt+U, Ctrl+U");
    bench.press("Reset keys of Ungroup");
    assert_eq!(keys(&bench, "Ungroup"), "Ctrl+Shift+G");
    // Keys that egui has itself.
    wait_for_keys(&mut bench, "Ungroup");
    bench.ctrl(Key::Plus);
    bench.rest();
    assert!(reads(&bench, "Ctrl+Plus always scales the interface") && bench.harness.ctx.zoom_factor() == 1.0);
    // A press elsewhere ends the wait.
    wait_for_keys(&mut bench, "Ungroup");
    bench.press("Preferences");
    assert_eq!(keys(&bench, "Ungroup"), "Ctrl+Shift+G");
    for (command, key) in [("Ungroup", Key::Y), ("Open group", Key::I)] {
        wait_for_keys(&mut bench, command);
        bench.key_with(Modifiers::ALT, key);
    }
    assert_eq!((keys(&bench, "Ungroup"), keys(&bench, "Open group")), ("Alt+Y".into(), "Alt+I".into()));
    bench.press("Reset all");
    assert_eq!((keys(&bench, "Ungroup"), keys(&bench, "Open group")), ("Ctrl+Shift+G".into(), "Enter".into()));
    assert_eq!(*bench.document(), document, "no key reached the graph");
}

#[test]
fn plain_keys_of_a_command_are_text_while_a_field_has_the_keyboard() {
    let mut bench = Bench::from_text(SMOKE, WINDOW);
    list(&mut bench, "full");
    wait_for_keys(&mut bench, "Full screen");
    bench.key_with(Modifiers::SHIFT, Key::E);
    assert_eq!(keys(&bench, "Full screen"), "Shift+E");
    let asks = |bench: &Bench| {
        let output = bench.harness.output();
        let mut commands = output.viewport_output.values().flat_map(|viewport| &viewport.commands);
        commands.any(|command| matches!(command, eframe::egui::ViewportCommand::Fullscreen(_)))
    };
    let event = |key| eframe::egui::Event::Key {
        key,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: Modifiers::SHIFT,
    };
    bench.press("Search commands or keys");
    bench.frame(vec![event(Key::E)], Modifiers::SHIFT);
    assert!(!asks(&bench), "it is typed");
    bench.key(Key::Escape);
    bench.key(Key::Escape);
    bench.rest();
    bench.frame(vec![event(Key::E)], Modifiers::SHIFT);
    assert!(asks(&bench));
}
