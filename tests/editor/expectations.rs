//! Expectations in the editor: made from a wire, listed with what was found, and undone.

use eframe::egui::{Key, Modifiers};

use super::bench::{Bench, SMOKE, WINDOW};

/// Smoke that states two things, one of which is wrong.
fn expecting() -> Bench {
    let expectations = r#"expect: [
        (at: 3, of: "density", statistic: "min", within: (0, 1), comment: "No smoke is negative."),
        (at: [3, 90000], of: "velocity", statistic: "max", below: 0.001),
        (at: 3, of: "gone.wire", statistic: "max", below: 1),
    ], nodes: {"#;
    let mut bench = Bench::from_text(&SMOKE.replacen("nodes: {", expectations, 1), WINDOW);
    bench.compiled();
    bench
}

fn says(bench: &Bench, text: &str) -> bool {
    bench.seen().iter().any(|seen| seen.name.contains(text))
}

#[test]
fn expectations_are_checked_while_the_graph_plays() {
    let mut bench = expecting();
    let problems = bench.problems();
    assert!(problems.iter().any(|p| p.contains("expectation 3: there is no node `gone`")), "{problems:?}");
    bench.until("both checks", |bench| bench.find("Passed").is_some() && bench.find("Failed").is_some());
    assert!(says(&bench, "density.value min within 0..1") && says(&bench, "Frame 3: "));
    assert!(bench.find("Invalid").is_some(), "the one that makes no sense");
    let problems = bench.problems();
    let failed = problems.iter().find(|p| p.contains("expectation failed at frame 3: velocity.value max below 0.001"));
    assert!(failed.is_some_and(|p| p.starts_with("velocity: ") && p.contains("too large")), "{problems:?}");
    bench.press("Remove expectation 2");
    bench.compiled();
    assert_eq!(bench.document().expect.len(), 2);
    assert!(bench.find("Passed").is_some(), "what is known of the others stays");
    bench.undo();
    bench.compiled();
    assert_eq!(bench.document().expect.len(), 3, "one step back");
    // The results of a graph that was changed on the way are those of no graph.
    assert!(bench.find("Passed").is_none() && says(&bench, "Reset the simulation to check frame 3."));
    bench.key_with(Modifiers::SHIFT, Key::Space);
    bench.until("both checks", |bench| bench.find("Passed").is_some() && bench.find("Failed").is_some());
}

#[test]
fn a_wire_on_show_becomes_an_expectation() {
    let mut bench = Bench::smoke();
    bench.press("output carried.result");
    bench.until("frames", |bench| bench.editor().simulation().is_some_and(|s| s.frame() > 2));
    bench.until("the wire", |bench| bench.editor().simulation().is_some_and(|s| s.read("carried.result").is_ok()));
    bench.press("Expect");
    bench.press("Values between min and max, 5 % margin");
    bench.compiled();
    let made = bench.document().expect.clone();
    assert_eq!(
        made.iter().map(|e| (e.of.as_str(), e.statistic.as_deref())).collect::<Vec<_>>(),
        [("carried.result", Some("min")), ("carried.result", Some("max"))]
    );
    assert!(made.iter().all(|e| e.at.len() == 1 && e.at[0] > 0 && e.within == made[0].within));
    let (low, high) = made[0].within.unwrap();
    assert!(low < high && low > -1.0, "{low}..{high}");
    bench.frame(Vec::new(), Modifiers::NONE);
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench.undo();
    assert!(bench.document().expect.is_empty(), "both in one step");
}
