//! A stage's own text while the graph runs.

use eframe::egui::Key;
use eframe::egui::accesskit::Role;

use super::bench::Bench;

#[test]
fn a_broken_stage_shows_its_error_while_the_last_good_plan_runs_on_until_it_is_mended() {
    let mut bench = Bench::smoke();
    bench.select("fade");
    bench.ctrl(Key::Num4);
    bench.rest();
    let field = |bench: &Bench| {
        let seen = bench.seen();
        seen.into_iter().find(|seen| seen.role == Role::MultilineTextInput && seen.name == "WGSL of fade")
    };
    let before = bench.document().clone();
    let at = field(&bench).expect("the text").rect.left_top() + eframe::egui::vec2(60.0, 12.0);
    bench.click(at);
    bench.ctrl(Key::End);
    bench.write("const wrong: f32 = nothing;");
    // The text is taken in when the keys have been still for a moment.
    (0..3).for_each(|_| bench.rest());
    bench.compiled();
    assert_ne!(*bench.document(), before);
    let problem = bench.editor().problems().find(|problem| problem.node == "fade").expect("a problem of the node");
    assert_eq!(problem.place.map(|place| place.line), Some(8), "{problem}");
    assert!(problem.cause.contains("nothing"), "{problem}");
    let line = bench.seen().into_iter().find(|seen| seen.name.starts_with("Line 8:"));
    assert!(line.is_some() && bench.find("Errors: running the last valid version").is_some());
    bench.plays();
    bench.ctrl(Key::Z);
    (0..3).for_each(|_| bench.rest());
    bench.compiled();
    assert_eq!(*bench.document(), before);
    assert_eq!(bench.problems(), Vec::<String>::new());
    assert!(bench.find("Running").is_some());
    bench.plays();
}
