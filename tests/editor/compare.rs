//! The pane that compares: two wires, two frames, and two graphs in lockstep.

use eframe::egui::{Key, Modifiers, Rect, pos2};
use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::{NodeKind, Scope};
use stagewright_language::edit;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;

use super::bench::Bench;

/// The pane, open over a paused run of a few frames, with the density as A.
fn bench() -> Bench {
    let mut bench = Bench::smoke();
    bench.until("some frames", |bench| bench.computed() > 4);
    bench.key(Key::Space);
    bench.key_with(Modifiers::SHIFT, Key::C);
    bench.rest();
    choose(&mut bench, "compared wire", None, "density.value");
    bench
}

/// Chooses a wire from the list that a button opens, perhaps by an entry of its menu.
fn choose(bench: &mut Bench, button: &str, entry: Option<&str>, wire: &str) {
    bench.press(button);
    if let Some(entry) = entry {
        bench.press(entry);
    }
    bench.write(wire);
    bench.key(Key::Enter);
    bench.rest();
    bench.compiled();
}

/// The text of the pane that begins like this.
fn text(bench: &Bench, start: &str) -> Option<String> {
    bench.seen().into_iter().map(|seen| seen.name).find(|name| name.starts_with(start))
}

/// The number behind a name.
fn figure(bench: &Bench, name: &str) -> Option<String> {
    let seen = bench.seen();
    let at = seen.iter().position(|seen| seen.name == name)?;
    seen.get(at + 1).map(|seen| seen.name.clone())
}

fn rect(bench: &Bench, name: &str) -> Rect {
    bench.find(name).unwrap_or_else(|| panic!("there is no {name}"))
}

#[test]
fn two_wires_have_the_norms_of_their_difference() {
    let mut bench = bench();
    choose(&mut bench, "compare with", Some("Another wire or image…"), "smoke.field");
    bench.until("the norms", |bench| text(bench, "max at ").is_some());
    let simulation = bench.editor().simulation().unwrap();
    let read = |simulation: &Simulation, wire: &str| simulation.read(wire).unwrap().data;
    let (a, b) = (read(simulation, "density.value"), read(simulation, "smoke.field"));
    let most = a.iter().zip(&b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs()).enumerate();
    let (at, most) = most.fold((0, 0.0), |most, one| if one.1 > most.1 { one } else { most });
    assert!(most > 0.0);
    assert!(text(&bench, &format!("max at cell ({}, {}):", at % 32, at / 32)).is_some(), "{most}");
    assert!(figure(&bench, "differ").is_some_and(|count| count.ends_with(" of 1024")));
    // Under the pointer both values are read.
    bench.press("Difference");
    bench.until("the difference", |bench| bench.find("image of the difference").is_some());
    let center = rect(&bench, "image of the difference").center();
    bench.hover(center);
    bench.until("both values", |bench| text(bench, "cell (1").is_some_and(|text| text.contains("A − B")));
    // Swapped, the difference has the other sign.
    let mean = figure(&bench, "mean A − B").unwrap();
    bench.press("Swap A and B");
    bench.until("the other sign", |bench| {
        figure(bench, "mean A − B").is_some_and(|now| now == format!("-{mean}") || mean == format!("-{now}"))
    });
    // Wires that do not fit are refused with a reason.
    choose(&mut bench, "compare with", Some("Another wire or image…"), "project.velocity");
    bench.until("why not", |bench| bench.seen().iter().any(|seen| seen.name.contains("cannot be compared with")));
}

#[test]
fn a_frame_that_is_held_stays_when_the_run_goes_on() {
    let mut bench = bench();
    let held = bench.computed();
    bench.press("compare with");
    bench.press("This frame, held");
    bench.until("both sides", |bench| text(bench, "A and B are equal").is_some());
    assert_eq!(figure(&bench, "max |A − B|").as_deref(), Some("0"));
    bench.key(Key::ArrowRight);
    let frames = format!("A: frame {}, B: frame {held}", held + 1);
    bench.until("the next frame", |bench| text(bench, &frames).is_some());
    assert!(text(&bench, "max at cell").is_some());
    // Back in time, nothing differs.
    bench.key(Key::ArrowLeft);
    bench.until("the frame itself", |bench| text(bench, "A and B are equal").is_some());
    // The line of the wipe follows the pointer, and zoom is shared by both images.
    bench.press("Wipe");
    bench.until("the wipe", |bench| bench.find("image A and B").is_some());
    let image = rect(&bench, "image A and B");
    bench.drag(image.center(), pos2(image.left() + 0.6 * image.width(), image.center().y));
    bench.press("Side by side");
    bench.until("both images", |bench| bench.find("image A").is_some() && bench.find("image B").is_some());
    assert!(
        rect(&bench, "image A").right() <= rect(&bench, "image B").left()
            || rect(&bench, "image A").bottom() <= rect(&bench, "image B").top()
    );
    bench.press("Close");
    bench.rest();
    assert!(bench.find("image A").is_none(), "{:?}", bench.problems());
}

/// The other graph, run by itself.
fn with_stage(bench: &Bench, node: &str, stage: &str, frames: u64) -> Simulation {
    let mut document = bench.document().clone();
    edit::replace_stage(&mut document, &Scope::default(), node, stage, Library::builtin()).unwrap();
    let graph = Graph::build(&document, Library::builtin()).unwrap();
    let plan = Plan::compile(&graph, &PlanOptions::default()).unwrap();
    let mut simulation = Simulation::new(bench.editor().simulation().unwrap().gpu(), plan).unwrap();
    for _ in 0..frames {
        simulation.step(&simulation.recorded_input()).unwrap();
    }
    simulation
}

#[test]
fn a_graph_with_another_solver_runs_in_lockstep_and_can_be_applied() {
    let mut bench = bench();
    bench.select("pressure");
    bench.menu("Graph", "Compare with");
    bench.write("pressure_jacobi");
    bench.key(Key::Enter);
    bench.rest();
    bench.until("the other graph", |bench| text(bench, "max at ").is_some());
    let expected = |bench: &Bench| {
        let frame = bench.computed();
        let other = with_stage(bench, "pressure", "fluid/pressure_jacobi", frame);
        let there = other.read("density.value").unwrap().data;
        let here = bench.editor().simulation().unwrap().read("density.value").unwrap().data;
        let differences = here.iter().zip(&there).map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs());
        (frame, differences.fold(0.0, f64::max))
    };
    let first = expected(&bench);
    assert!(first.1 > 0.0, "the solvers differ");
    let shown = |bench: &Bench, (frame, most): (u64, f64)| {
        text(bench, "frame ").is_some_and(|text| text == format!("frame {frame}"))
            && figure(bench, "max |A − B|")
                .and_then(|text| text.parse::<f64>().ok())
                .is_some_and(|shown| (shown - most).abs() < 1e-3 * most)
    };
    bench.until("its norm", |bench| shown(bench, first));
    // Both go on, and back.
    bench.key(Key::Space);
    bench.until("more frames", |bench| bench.computed() > first.0 + 4);
    bench.key(Key::Space);
    bench.rest();
    let later = expected(&bench);
    bench.until("the norm of a later frame", |bench| shown(bench, later));
    bench.key_with(Modifiers::SHIFT, Key::ArrowLeft);
    bench.key(Key::ArrowRight);
    bench.key(Key::ArrowRight);
    bench.until("an early frame", |bench| bench.computed() == 2);
    let early = expected(&bench);
    bench.until("the norm of an early frame", |bench| shown(bench, early));
    let before = bench.document().clone();
    bench.press("Apply B");
    bench.rest();
    assert_eq!(bench.document().nodes["pressure"].kind, NodeKind::Stage("fluid/pressure_jacobi".into()));
    bench.undo();
    assert_eq!(*bench.document(), before, "it is one step");
}
