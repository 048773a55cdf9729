//! Bookmarks on the canvas: set, gone to, renamed, saved.

use eframe::egui::{Key, Modifiers, PointerButton, Vec2, vec2};

use super::bench::Bench;

/// Where a node is, from the middle of the canvas.
fn place(bench: &Bench, node: &str) -> Vec2 {
    bench.title(node) - bench.canvas().center()
}

fn button(bench: &Bench, name: &str) -> bool {
    bench.find(name).is_some()
}

/// Chooses from the menu of a bookmark.
fn menu(bench: &mut Bench, bookmark: &str, entry: &str) {
    let at = bench.position_of(bookmark);
    bench.click_with(at, PointerButton::Secondary, Modifiers::NONE);
    bench.press(entry);
}

#[test]
fn a_bookmark_brings_back_level_view_and_selection() {
    let mut bench = Bench::inside();
    bench.select("pressure");
    let at = bench.title("pressure");
    bench.wheel(at, vec2(0.0, 300.0));
    bench.drag_with(at, at + vec2(90.0, -50.0), PointerButton::Middle, Modifiers::NONE);
    let before = place(&bench, "pressure");
    bench.key_with(Modifiers::ALT, Key::Num1);
    bench.rest();
    assert!(button(&bench, "bookmark 1"));
    bench.key(Key::Home);
    bench.select("project");
    bench.press("graph");
    assert!(bench.editor().scope().is_root());
    bench.menu("Graph", "Bookmarks");
    bench.key(Key::Escape);
    bench.rest();
    bench.key(Key::Num1);
    bench.rest();
    assert_eq!((bench.editor().scope().to_string().as_str(), bench.selected().as_str()), ("group", "pressure"));
    let after = place(&bench, "pressure");
    assert!((after - before).length() < 2.0, "{before:?} {after:?}");
    // From another place of the same level.
    bench.key(Key::Home);
    bench.rest();
    assert!((place(&bench, "pressure") - before).length() > 20.0);
    bench.press("bookmark 1");
    bench.rest();
    assert!((place(&bench, "pressure") - before).length() < 2.0);
}

#[test]
fn bookmarks_are_renamed_undone_saved_and_removed() {
    let mut bench = Bench::smoke();
    bench.key(Key::Num2);
    assert!(bench.document().bookmarks.is_empty(), "nothing is set, so there is nowhere to go");
    bench.select("jet");
    bench.key_with(Modifiers::ALT, Key::Num2);
    bench.rest();
    menu(&mut bench, "bookmark 2", "Rename bookmark");
    bench.overwrite("Inflow");
    assert!(button(&bench, "bookmark 2 Inflow"), "{:?}", bench.seen());
    bench.undo();
    bench.rest();
    assert!(button(&bench, "bookmark 2"));
    bench.undo();
    bench.rest();
    assert!(bench.document().bookmarks.is_empty() && !button(&bench, "bookmark 2"));
    bench.redo();
    bench.redo();
    bench.rest();
    let set = bench.document().bookmarks.clone();
    assert_eq!(set["2"].name, "Inflow");
    bench.reopen();
    assert_eq!(bench.document().bookmarks, set);
    bench.select("fade");
    bench.rename("faded");
    bench.key(Key::Num2);
    bench.rest();
    assert_eq!(bench.selected(), "jet");
    // Set again: the old name described the other view.
    bench.select("faded");
    menu(&mut bench, "bookmark 2 Inflow", "Set bookmark 2 to this view");
    bench.rest();
    assert_eq!(
        (bench.document().bookmarks["2"].select.as_slice(), button(&bench, "bookmark 2")),
        (["faded".to_string()].as_slice(), true)
    );
    menu(&mut bench, "bookmark 2", "Remove bookmark");
    bench.rest();
    assert!(bench.document().bookmarks.is_empty() && !button(&bench, "bookmark 2"));
}

#[test]
fn a_bookmark_follows_its_group_and_says_when_it_is_gone() {
    let mut bench = Bench::inside();
    bench.key_with(Modifiers::ALT, Key::Num3);
    bench.press("graph");
    bench.select("group");
    bench.rename("solver");
    bench.key(Key::Num3);
    bench.rest();
    assert_eq!(bench.editor().scope().to_string(), "solver");
    bench.press("graph");
    bench.select("solver");
    bench.key(Key::Delete);
    bench.rest();
    bench.key(Key::Num3);
    bench.rest();
    let message = "Bookmark 3 shows the group `solver`, which no longer exists";
    assert!(
        bench.seen().iter().any(|seen| seen.name.contains(message) || seen.name.contains(&message.replace('`', "")))
    );
    assert!(bench.editor().scope().is_root());
}
