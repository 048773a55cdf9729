//! Nodes as text, from one window to another and to a file.

use eframe::egui::{Event, Key, Modifiers};
use stagewright_language::document::Document;

use super::bench::{Bench, SMOKE, WINDOW};

#[test]
fn nodes_are_copied_into_another_window_as_text() {
    let mut bench = Bench::smoke();
    bench.select("look");
    bench.key_with(Modifiers::ALT, Key::ArrowRight);
    let at = bench.title("look");
    bench.click_with(at, eframe::egui::PointerButton::Primary, Modifiers::SHIFT);
    let text = bench.copy();
    let copied = Document::parse(&text).expect("a graph as text");
    assert_eq!(copied.nodes.keys().collect::<Vec<_>>(), ["look", "screen"]);

    let mut other = Bench::from_text(SMOKE, WINDOW);
    other.ctrl(Key::A);
    other.key(Key::Delete);
    assert!(other.document().nodes.is_empty());
    let at = other.canvas().center();
    other.paste(&text, at, Modifiers::NONE);
    assert_eq!(other.document().nodes.len(), 2);
    assert_eq!(other.link("screen", "image").as_deref(), Some("look.image"), "wires between them come along");
    assert_eq!(other.link("look", "field"), None, "others do not");
}

#[test]
fn a_copy_keeps_its_inputs_where_that_is_asked_for() {
    let mut bench = Bench::smoke();
    bench.select("look");
    let text = bench.copy();
    let ground = bench.ground() - eframe::egui::vec2(300.0, 200.0);
    bench.paste(&text, ground, Modifiers::NONE);
    assert_eq!((bench.selected().as_str(), bench.link("look_2", "field")), ("look_2", None));
    bench.paste(&text, ground, Modifiers::SHIFT);
    assert_eq!(bench.selected(), "look_3");
    assert_eq!(bench.link("look_3", "field").as_deref(), Some("carried.result"));
    bench.frame(vec![Event::Cut], Modifiers::NONE);
    assert!(!bench.document().nodes.contains_key("look_3"));
}

#[test]
fn a_whole_graph_file_is_pasted_and_what_is_no_graph_says_so() {
    let mut bench = Bench::empty(WINDOW);
    let at = bench.canvas().min + eframe::egui::vec2(40.0, 40.0);
    bench.paste(SMOKE, at, Modifiers::NONE);
    let wanted = Document::parse(SMOKE).unwrap();
    assert_eq!(bench.document().nodes.keys().collect::<Vec<_>>(), wanted.nodes.keys().collect::<Vec<_>>());
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench.plays();
    let before = bench.document().clone();
    bench.paste("shopping: milk, bread", at, Modifiers::NONE);
    assert_eq!(*bench.document(), before);
    assert!(
        bench.seen().iter().any(|seen| seen.name.contains("The clipboard does not hold nodes")),
        "{:?}",
        bench.seen()
    );
    bench.ctrl(Key::Z);
    assert!(bench.document().nodes.is_empty());
}
