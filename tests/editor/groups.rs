//! Going into groups and out again, making them one's own.

use eframe::egui::Key;
use stagewright_language::document::NodeKind;

use super::bench::Bench;

#[test]
fn a_group_of_the_library_is_looked_at_and_made_ones_own() {
    let mut bench = Bench::smoke();
    let before = bench.document().clone();
    bench.select("advect");
    bench.key(Key::Enter);
    bench.rest();
    assert_eq!(bench.editor().scope().to_string(), "advect");
    assert!(bench.find("Library group (read-only)").is_some());
    let inner: Vec<String> =
        bench.seen().into_iter().filter_map(|s| Some(s.name.strip_prefix("node ")?.into())).collect();
    assert!(inner.len() > 2, "its nodes are on the screen: {inner:?}");
    bench.ctrl(Key::A);
    bench.key(Key::Delete);
    bench.key(Key::M);
    assert_eq!(*bench.document(), before, "it can't be changed");
    bench.press("graph");
    assert_eq!((bench.editor().scope().to_string().as_str(), bench.selected().as_str()), ("", "advect"));
    bench.compiled();
    let plan = bench.plan();
    let title = bench.title("advect");
    bench.double_click(title);
    bench.press("Make local copy");
    assert!(matches!(bench.document().nodes["advect"].kind, NodeKind::Group(_)));
    assert_eq!(bench.editor().scope().to_string(), "advect", "it stays open");
    assert!(bench.find("Library group (read-only)").is_none());
    bench.compiled();
    assert!(bench.plan() == plan, "the copy does what the group of the library does");
    bench.key(Key::Escape);
    assert!(bench.editor().scope().is_root());
}
