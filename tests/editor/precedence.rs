//! Who gets a key: a dialog that takes all keys, a field, a menu, the dialog in front, the pane under the pointer, and then
//! a command.

use eframe::egui::{Key, Modifiers};

use super::bench::Bench;

/// Whether a name on the screen begins so.
fn there(bench: &Bench, sign: &str) -> bool {
    bench.seen().iter().any(|seen| seen.name.starts_with(sign))
}

/// A list of commands, the window of exports and the history, by what is seen of them.
const LIST: &str = "Find command";
const EXPORT: &str = "File names";
const HISTORY: &str = "Click a step, or press Up and Down.";

#[track_caller]
fn open(bench: &Bench, which: [bool; 3]) {
    assert_eq!([LIST, EXPORT, HISTORY].map(|sign| there(bench, sign)), which, "list, export, history");
}

fn escape(bench: &mut Bench) {
    bench.key(Key::Escape);
    bench.rest();
}

#[test]
fn a_list_comes_before_the_dialogs_and_those_in_the_order_in_which_they_were_opened() {
    let mut bench = Bench::inside();
    bench.ctrl(Key::E);
    bench.rest();
    bench.key_with(Modifiers::ALT, Key::H);
    bench.ctrl(Key::P);
    bench.rest();
    open(&bench, [true, true, true]);
    escape(&mut bench);
    open(&bench, [false, true, true]);
    escape(&mut bench);
    open(&bench, [false, true, false]);
    escape(&mut bench);
    open(&bench, [false, false, false]);
    assert!(!bench.editor().scope().is_root(), "the group is still open");
    escape(&mut bench);
    assert!(bench.editor().scope().is_root(), "what is left goes to the command");
}

#[test]
fn a_click_brings_a_dialog_to_the_front() {
    let mut bench = Bench::inside();
    bench.ctrl(Key::E);
    bench.rest();
    bench.key_with(Modifiers::ALT, Key::H);
    bench.rest();
    let export = bench.at("Checkpoints");
    bench.click(export);
    bench.rest();
    escape(&mut bench);
    open(&bench, [false, false, true]);
}

#[test]
fn a_menu_comes_before_the_dialog_in_front() {
    let mut bench = Bench::inside();
    bench.ctrl(Key::E);
    bench.rest();
    bench.press("File");
    assert!(there(&bench, "Save checkpoint…"));
    escape(&mut bench);
    assert!(!there(&bench, "Save checkpoint…"));
    open(&bench, [false, true, false]);
}

#[test]
fn a_field_comes_before_dialogs_and_commands_but_for_those_with_ctrl() {
    let mut bench = Bench::inside();
    let nodes = bench.document().clone();
    bench.select("pressure");
    bench.press("name");
    bench.key_with(Modifiers::ALT, Key::H);
    bench.rest();
    open(&bench, [false, false, false]);
    bench.ctrl(Key::E);
    bench.rest();
    bench.write("x");
    bench.key(Key::X);
    bench.key(Key::Delete);
    open(&bench, [false, true, false]);
    escape(&mut bench);
    open(&bench, [false, true, false]);
    assert_eq!(*bench.document(), nodes, "X and Delete were typed, and Escape took it back");
    escape(&mut bench);
    open(&bench, [false, false, false]);
}

#[test]
fn a_name_that_is_typed_for_a_variant_comes_before_dialogs_and_commands() {
    let mut bench = Bench::inside();
    bench.ctrl(Key::E);
    bench.rest();
    bench.ctrl(Key::P);
    bench.write("Store as variant");
    bench.key(Key::Enter);
    bench.rest();
    assert!(there(&bench, "variant name"));
    let scope = bench.editor().scope().clone();
    escape(&mut bench);
    assert!(!there(&bench, "variant name"));
    open(&bench, [false, true, false]);
    assert_eq!(*bench.editor().scope(), scope);
}

#[test]
fn a_dialog_in_front_leaves_keys_that_it_does_not_use_to_commands() {
    let mut bench = Bench::inside();
    bench.ctrl(Key::E);
    bench.rest();
    bench.select("pressure");
    bench.key(Key::M);
    bench.rest();
    let muted = |bench: &Bench| bench.document().to_text().matches("muted: true").count();
    assert_eq!(muted(&bench), 1);
    open(&bench, [false, true, false]);
}

#[test]
fn the_pane_under_the_pointer_comes_before_commands() {
    let mut bench = Bench::smoke();
    bench.compiled();
    let nodes = bench.document().nodes.len();
    bench.select("pressure");
    bench.ctrl(Key::Num8);
    bench.rest();
    let curves = bench.at("Double-click a curve to add a key");
    bench.hover(curves);
    bench.key(Key::Delete);
    bench.rest();
    assert_eq!(bench.document().nodes.len(), nodes, "Delete was for the curves");
    let ground = bench.ground();
    bench.hover(ground);
    bench.key(Key::Delete);
    bench.rest();
    assert_eq!(bench.document().nodes.len(), nodes - 1, "over the canvas it is the command");
}
