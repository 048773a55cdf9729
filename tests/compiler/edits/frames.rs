//! Comment frames.

use super::*;
use stagewright_language::document::{Color, Frame};
use stagewright_language::edit::{add_frame, frame_around, frame_contents, remove_frame, update_frame};

#[test]
fn a_frame_goes_around_nodes_and_holds_them() {
    let mut document =
        nodes(r#""a": (number: 1, at: (10, 20)), "b": (number: 2, at: (200, -40)), "far": (number: 3, at: (900, 0))"#);
    let sizes = |name: &str| if name == "b" { (100.0, 50.0) } else { (80.0, 60.0) };
    let index = frame_around(&mut document, &root(), &names(&["a", "b"]), sizes, "Two").unwrap();
    let level = document.level(&root()).unwrap();
    assert_eq!(frame_contents(level, index, sizes), names(&["a", "b"]));
    let frame = &level.frames()[index];
    assert!(
        frame.at.0 < 10.0
            && frame.at.1 < -40.0
            && frame.at.0 + frame.size.0 > 300.0
            && frame.at.1 + frame.size.1 > 80.0
    );
    assert_eq!(frame_contents(level, index, |_| (400.0, 10.0)), names(&[]), "what sticks out is not held");
    assert_eq!(frame_contents(level, 7, sizes), names(&[]));
    assert!(
        frame_around(&mut document, &root(), &names(&["gone"]), sizes, "").unwrap_err().to_string().contains("`gone`")
    );
}

#[test]
fn frames_are_changed_by_index_on_their_level() {
    let (mut document, step) = (nodes(GROUP), Scope::parse("step"));
    let frame = |title: &str| Frame { title: title.into(), size: (10.0, 10.0), ..Frame::default() };
    assert_eq!(add_frame(&mut document, &step, frame("low")), Ok(0));
    assert_eq!(add_frame(&mut document, &step, frame("high")), Ok(1));
    update_frame(&mut document, &step, 1, |frame| frame.color = Some(Color([9, 9, 9]))).unwrap();
    remove_frame(&mut document, &step, 0).unwrap();
    let wanted = Frame { color: Some(Color([9, 9, 9])), ..frame("high") };
    assert_eq!(document.level(&step).unwrap().frames(), [wanted]);
    assert!(document.frames.is_empty());
    assert!(remove_frame(&mut document, &step, 1).is_err() && update_frame(&mut document, &root(), 0, |_| ()).is_err());
    assert!(add_frame(&mut document, &Scope::parse("h"), frame("")).unwrap_err().to_string().contains("no group `h`"));
}

#[test]
fn a_colour_replaces_text_of_the_file_that_is_none() {
    let text = r#"(frames: [(title: "a", at: (0, 0), size: (9, 9), color: "teal")], nodes: {})"#;
    let mut document = Document::parse(text).unwrap();
    update_frame(&mut document, &root(), 0, |frame| frame.title = "b".into()).unwrap();
    assert!(document.to_text().contains("color: \"teal\""));
    update_frame(&mut document, &root(), 0, |frame| frame.color = Some(Color([9, 9, 9]))).unwrap();
    assert_eq!(Document::parse(&document.to_text()), Ok(document));
}
