//! The pane that compares: two wires, and two frames.

use eframe::egui::{Key, Modifiers, Rect, pos2};
use stagewright::sim::Simulation;

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
    assert!(text(&bench, &format!("max at cell {}, {}, 0:", at % 32, at / 32)).is_some(), "{most}");
    assert!(figure(&bench, "differ").is_some_and(|count| count.ends_with(" of 1024")));
    // Under the pointer both values are read.
    bench.press("Difference");
    bench.until("the difference", |bench| bench.find("image of the difference").is_some());
    let center = rect(&bench, "image of the difference").center();
    bench.hover(center);
    bench.until("both values", |bench| text(bench, "cell 1").is_some_and(|text| text.contains("A − B")));
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
