//! The sweep pane: runs that are written to a folder, and taking the values of one.

use eframe::egui::Key;
use stagewright_language::document::ParamValue;

use super::bench::Bench;

fn reads(bench: &Bench, text: &str) -> bool {
    bench.seen().iter().any(|seen| seen.name.contains(text))
}

#[test]
fn a_sweep_runs_and_a_click_takes_the_values_of_a_run() {
    let mut bench = Bench::smoke();
    bench.menu("Window", "Sweep");
    bench.select("jet");
    bench.press("Choose what varies");
    bench.press("jet.radius");
    bench.key(Key::Escape);
    bench.rest();
    bench.set_text("values jet.radius", "0.05..0.2");
    bench.rest();
    assert!(reads(&bench, "the range has no number of values"), "{:?}", bench.seen());
    bench.set_text("values jet.radius", "0.05,0.2");
    let frames = bench.position_of("frames of a run");
    bench.click(frames);
    bench.overwrite("3");
    bench.key(Key::Enter);
    let before = bench.document().clone();
    bench.press("Run sweep");
    bench.until("two runs", |bench| reads(bench, "2 of 2") && reads(bench, "Complete, with its contact sheet"));
    let folder = bench.folder().join("graph_sweep");
    assert!(folder.join("sheet.png").is_file() && folder.join("0001/values.json").is_file());
    bench.press("run 1");
    let radius = bench.document().nodes["jet"].params.get("radius").cloned();
    assert_eq!(radius, Some(ParamValue::Number(0.2)));
    bench.menu("Edit", "History");
    bench.rest();
    assert!(reads(&bench, "step 1 Take sweep values"), "{:?}", bench.seen());
    bench.key(Key::Escape);
    bench.undo();
    assert_eq!(*bench.document(), before, "one step");
}
