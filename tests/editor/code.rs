//! A stage's own text while the graph runs.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers, PointerButton, Rect, TextStyle, vec2};
use stagewright_language::document::NodeKind;

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
    let at = field(&bench).expect("the text").rect.left_top() + vec2(60.0, 12.0);
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

/// The text of the code pane with the WGSL of a node.
fn code_of(bench: &mut Bench, node: &str) -> Rect {
    bench.select(node);
    bench.ctrl(Key::Num4);
    bench.rest();
    let name = format!("WGSL of {node}");
    let seen = bench.seen();
    seen.into_iter().find(|seen| seen.role == Role::MultilineTextInput && seen.name == name).expect("the text").rect
}

#[test]
fn a_word_of_the_code_tells_what_it_means_and_leads_to_its_declaration_and_to_the_manual() {
    let mut bench = Bench::smoke();
    code_of(&mut bench, "fade");
    let text = |bench: &Bench| match &bench.document().node("fade").unwrap().kind {
        NodeKind::Custom(text) => text.clone(),
        _ => panic!("a custom stage"),
    };
    let source = text(&bench);
    // Every line is as high as the others.
    let lines = source.split('\n').count() as f32;
    let field = code_of(&mut bench, "fade");
    let font = TextStyle::Monospace.resolve(&bench.harness.ctx.global_style());
    let (row, digit) = bench.harness.ctx.fonts_mut(|fonts| (fonts.row_height(&font), fonts.glyph_width(&font, 'm')));
    assert!(lines * row < field.height() + row, "the whole text is in sight");
    let place = |word: &str| {
        let at = source.rfind(word).unwrap();
        let line = source[..at].matches('\n').count() as f32;
        let column = (at - source[..at].rfind('\n').map_or(0, |at| at + 1)) as f32;
        field.left_top() + vec2(6.0 + (column + 1.5) * digit, 4.0 + (line + 0.5) * row)
    };
    bench.hover(place("(cell: Cell)") + vec2(7.0 * digit, 0.0));
    (0..3).for_each(|_| bench.rest());
    let tips: Vec<String> = bench.seen().into_iter().map(|seen| seen.name).collect();
    assert!(tips.iter().any(|tip| tip == "Cell") && tips.iter().any(|tip| tip.contains("F12")), "{tips:?}");
    // Ctrl+click on a parameter: what is typed next is typed before its declaration.
    bench.click_with(place("params.") + vec2(7.0 * digit, 0.0), PointerButton::Primary, Modifiers::COMMAND);
    bench.rest();
    bench.write("x");
    (0..3).for_each(|_| bench.rest());
    let after = text(&bench);
    let header = after.lines().find(|line| line.contains("@param x")).map(str::to_string);
    assert!(header.is_some(), "{after}");
    bench.ctrl(Key::Z);
    (0..3).for_each(|_| bench.rest());
    assert_eq!(text(&bench), source);
    // F1 on a word of the language opens the manual.
    bench.click(place("(cell: Cell)") + vec2(7.0 * digit, 0.0));
    bench.key(Key::F1);
    bench.rest();
    assert!(bench.find("What the function sees").is_some());
}
