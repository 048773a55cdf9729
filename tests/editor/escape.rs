//! Escape puts away what is open, one thing at a time, and does nothing else.

use eframe::egui::{Key, Modifiers, PointerButton};

use super::bench::Bench;

/// Opens something from inside of a group, and presses Escape: it is gone, and the group is still open.
#[track_caller]
fn closes(bench: &mut Bench, sign: &str, open: impl FnOnce(&mut Bench)) {
    let (scope, document) = (bench.editor().scope().clone(), bench.document().clone());
    // Entries of menus have their keys behind their names.
    let there = |bench: &Bench| bench.seen().iter().any(|seen| seen.name.starts_with(sign));
    assert!(!there(bench), "`{sign}` is there before");
    open(bench);
    bench.rest();
    assert!(there(bench), "`{sign}` does not come up");
    bench.key(Key::Escape);
    bench.rest();
    assert!(!there(bench), "`{sign}` stays");
    assert_eq!(*bench.editor().scope(), scope, "`{sign}` was put away, the group was not to be left");
    assert_eq!(*bench.document(), document, "`{sign}` changed something");
}

#[test]
fn whatever_is_open_is_cancelled_before_a_group_is_left() {
    let mut bench = Bench::inside();
    closes(&mut bench, "New graph", |bench| bench.ctrl(Key::N));
    closes(&mut bench, "Export", |bench| bench.ctrl(Key::E));
    closes(&mut bench, "Find command", |bench| bench.ctrl(Key::P));
    closes(&mut bench, "Find node", |bench| bench.ctrl(Key::F));
    closes(&mut bench, "Add a node", |bench| {
        let ground = bench.ground();
        bench.hover(ground);
        bench.key(Key::Tab);
    });
    closes(&mut bench, "New name", |bench| {
        bench.select("pressure");
        bench.key(Key::F2);
    });
    closes(&mut bench, "Save as…", |bench| bench.press("File"));
    closes(&mut bench, "Copy path", |bench| {
        let seen = bench.seen();
        let bar = seen.iter().find(|seen| seen.name == "param relaxation").expect("the parameter").rect.center();
        bench.click_with(bar, PointerButton::Secondary, Modifiers::NONE);
    });
    closes(&mut bench, "Default colour", |bench| bench.press("color"));
    let title = bench.title("project");
    closes(&mut bench, "Duplicate", |bench| bench.click_with(title, PointerButton::Secondary, Modifiers::NONE));
    closes(&mut bench, "Add a node that fits the wire", |bench| {
        let (port, ground) = (bench.position_of("output divergence.divergence"), bench.ground());
        bench.drag(port, ground);
    });
    assert_eq!(bench.editor().scope().to_string(), "group");
    bench.key(Key::Escape);
    bench.rest();
    assert!(bench.editor().scope().is_root(), "with nothing else open, it leaves the group");
}

#[test]
fn what_is_typed_into_a_field_is_taken_back() {
    let mut bench = Bench::inside();
    let (scope, document) = (bench.editor().scope().clone(), bench.document().clone());
    bench.select("pressure");
    bench.press("name");
    bench.ctrl(Key::A);
    bench.write("solve");
    bench.key(Key::Escape);
    bench.rest();
    assert_eq!((bench.editor().scope(), bench.document()), (&scope, &document));
    let bar = bench.position_of("param relaxation");
    bench.double_click(bar);
    bench.write("0.25");
    bench.key(Key::Escape);
    bench.rest();
    assert_eq!((bench.editor().scope(), bench.document()), (&scope, &document));
    // An expression that does not read is taken back too.
    bench.double_click(bar);
    bench.write("0.5 + 0.5");
    bench.key(Key::Enter);
    bench.rest();
    let document = bench.document().clone();
    bench.press("param relaxation");
    bench.ctrl(Key::A);
    bench.write("0.2+zzz");
    bench.rest();
    for _ in 0..2 {
        bench.key(Key::Escape);
        bench.rest();
        assert_eq!(*bench.document(), document);
    }
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
}

#[test]
fn a_number_that_is_out_of_range_is_set_to_the_limit_and_says_so() {
    let mut bench = Bench::smoke();
    bench.select("domain");
    let bar = bench.position_of("param cells x");
    bench.double_click(bar);
    bench.write("999999");
    bench.key(Key::Enter);
    bench.rest();
    let message = "999999 is above the maximum; set to 65536";
    assert!(bench.seen().iter().any(|seen| seen.name.contains(message)), "{:#?}", bench.seen());
}
