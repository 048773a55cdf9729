//! Texts of the graph that stages share, opened and edited in place of a stage.

use super::*;

const SHARED: &str = "//! Fading

fn faded(rate: f32) -> f32 { return exp(-rate); }
";

/// Has the Custom stage `fade` use a shared text of the graph.
fn share(session: &mut Session) {
    let text = FADE.replace("\n\nfn", "\n//! @use own/fading\n\nfn").replace("params.rate;", "faded(params.rate);");
    assert!(text.contains("@use") && text.contains("faded("), "{text}");
    session.edit("use", |document| {
        document.shared.insert("own/fading".into(), SHARED.into());
        document.nodes.get_mut("fade").unwrap().kind = NodeKind::Custom(text);
    });
    wait_until_compiled(session);
}

/// A session whose Custom stage uses a shared text of the graph.
fn sharing() -> Bench {
    let mut bench = Bench::new("fade");
    share(&mut bench.session);
    bench.frame(Vec::new());
    bench
}

#[test]
fn what_a_stage_uses_is_opened_from_its_pane() {
    let mut harness = pane("fade", Theme::Dark);
    share(&mut harness.state_mut().1);
    harness.run();
    harness.get_by_label("Uses").click();
    harness.run();
    harness.get_by_label_contains("own/fading").click();
    harness.run();
    harness.remove_cursor();
    harness.run();
    harness.get_by_label("Back to the stage");
    harness.snapshot("code_shared");
}

#[test]
fn a_shared_text_of_the_graph_is_edited_in_place_of_the_stage() {
    let mut bench = sharing();
    assert_eq!(bench.session.problems().map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
    // F12 on the name goes to the declaration.
    bench.caret("faded");
    bench.press(Key::F12, Modifiers::NONE);
    bench.frame(Vec::new());
    assert_eq!(bench.text(), SHARED);
    bench.write("x");
    bench.wait(0.4);
    let stored = |bench: &Bench| bench.session.document().shared["own/fading"].clone();
    assert_eq!(stored(&bench), bench.text());
    assert_ne!(bench.text(), SHARED);
    wait_until_compiled(&mut bench.session);
    bench.frame(Vec::new());
    let problem = bench.session.problems().next().unwrap().clone();
    assert_eq!((problem.node.as_str(), problem.file.as_str()), ("fade", "own/fading"), "{problem}");
    let marked = |bench: &Bench| {
        let (place, text) = bench.code.open.as_ref().unwrap();
        let node = subject(&bench.session).unwrap();
        let shown = bench.code.shared.as_ref().map(|(_, name)| shared_subject(&bench.session, &node, name).unwrap());
        marks(place, text, &bench.session, &shown.unwrap_or(node))[0].clone()
    };
    assert_eq!(marked(&bench).place, problem.place);
    // At the stage it stands where the file is named.
    bench.code.show_place(SourcePlace { line: 1, column: 1 });
    bench.frame(Vec::new());
    let line = bench.text().lines().position(|line| line.contains("@use")).unwrap() + 1;
    let mark = marked(&bench);
    assert_eq!(mark.place.map(|place| place.line), Some(line));
    assert!(mark.sentence.starts_with("own/fading 3:"), "{}", mark.sentence);
    bench.session.undo();
    assert_eq!(stored(&bench), SHARED);
}
