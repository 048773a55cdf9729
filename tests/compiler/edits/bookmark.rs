//! Bookmarks, and that they follow what they show.

use super::*;
use stagewright_language::document::Bookmark;
use stagewright_language::edit::{
    Refusal, make_group, place, remove_bookmark, rename, rename_bookmark, set_bookmark, ungroup,
};

fn bookmark(level: &str, select: &[&str]) -> Bookmark {
    let select = select.iter().map(ToString::to_string).collect();
    Bookmark { level: level.into(), select, center: (10.0, 20.0), ..Bookmark::default() }
}

fn shows(document: &Document, number: &str) -> (String, Vec<String>) {
    let bookmark = &document.bookmarks[number];
    (bookmark.level.clone(), bookmark.select.clone())
}

#[test]
fn bookmarks_are_set_renamed_and_removed() {
    let mut document = nodes(r#""a": (number: 1)"#);
    set_bookmark(&mut document, "1", bookmark("", &["a"]));
    rename_bookmark(&mut document, "1", " Start ").unwrap();
    assert_eq!(document.bookmarks["1"].name, "Start");
    remove_bookmark(&mut document, "1").unwrap();
    let gone = Refusal::NoSuchBookmark { number: "1".into() };
    assert_eq!(gone.to_string(), "there is no bookmark 1; it was removed");
    assert_eq!(remove_bookmark(&mut document, "1"), Err(gone.clone()));
    assert_eq!(rename_bookmark(&mut document, "1", "x"), Err(gone));
}

#[test]
fn bookmarks_follow_nodes_that_are_renamed_or_moved_to_another_level() {
    let mut document = nodes(GROUP);
    set_bookmark(&mut document, "1", bookmark("", &["flow", "step"]));
    set_bookmark(&mut document, "2", bookmark("step", &["calm", "jet"]));
    rename(&mut document, &root(), "step", "solve").unwrap();
    rename(&mut document, &Scope::parse("solve"), "calm", "still").unwrap();
    assert_eq!(shows(&document, "1"), ("".into(), vec!["flow".into(), "solve".into()]));
    assert_eq!(shows(&document, "2"), ("solve".into(), vec!["jet".into(), "still".into()]));
    // A group around the group.
    let name = make_group(&mut document, &root(), &names(&["solve", "flow"]), "outer", library()).unwrap();
    assert_eq!(shows(&document, "1"), ("".into(), vec![name.clone()]), "what went in is selected as the group");
    assert_eq!(shows(&document, "2").0, format!("{name}/solve"));
    place(&mut document, &root(), &name, (500.0, 300.0));
    ungroup(&mut document, &root(), &name, library()).unwrap();
    assert_eq!(shows(&document, "1"), ("".into(), vec!["flow".into(), "solve".into()]));
    assert_eq!(shows(&document, "2"), ("solve".into(), vec!["jet".into(), "still".into()]));
}

#[test]
fn the_view_of_a_group_stays_on_its_nodes_when_it_is_ungrouped() {
    let text = r#""h": (number: 1), "g": (at: (500, 300), inputs: {"x": "h"}, group: (inputs: {"x": "f32"}, outputs: {"y": "n.value"},
        nodes: {"n": (number: "x * 2", at: (7, 9)), "h": (number: 3, at: (0, 90))}))"#;
    let mut document = nodes(text);
    set_bookmark(&mut document, "1", bookmark("g", &["h", "n"]));
    ungroup(&mut document, &root(), "g", library()).unwrap();
    let (level, select) = shows(&document, "1");
    assert_eq!((level.as_str(), select.len()), ("", 2));
    assert!(
        select.iter().all(|name| document.nodes.contains_key(name)) && !select.contains(&"h".to_string()),
        "{select:?}"
    );
    let (n, center) = (document.nodes["n"].at, document.bookmarks["1"].center);
    assert_eq!((center.0 - n.0, center.1 - n.1), (3.0, 11.0), "as far from the node as before");
}
