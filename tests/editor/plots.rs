//! The pane of plots: curves from its menu and from a view, their values, and the playhead.

use eframe::egui::{Key, Modifiers, PointerButton, Rect, pos2, vec2};
use stagewright_runtime::sim::Simulation;

use super::bench::Bench;
use super::views::{copied, measured, picture};

/// The pane with the curve of a number.
fn bench() -> Bench {
    let mut bench = measured();
    bench.ctrl(Key::Num9);
    bench.rest();
    bench.press("Add curve");
    bench.press("most.largest");
    bench
}

/// The plot, and the frames that its longest curve has.
fn plot(bench: &Bench) -> Option<(Rect, usize)> {
    bench.seen().into_iter().find_map(|seen| {
        let frames = seen.name.strip_prefix("Curves over ")?.strip_suffix(" frames")?.parse().ok()?;
        Some((seen.rect, frames))
    })
}

fn frames(bench: &Bench) -> usize {
    plot(bench).map_or(0, |(_, frames)| frames)
}

#[test]
fn numbers_statistics_and_cells_have_the_values_of_their_frames() {
    let mut bench = bench();
    bench.press("sum");
    bench.press("carried.result");
    bench.key(Key::Escape);
    bench.compiled();
    bench.until("a sum", |bench| bench.find("curve carried.result:sum").is_some());
    bench.press("output carried.result");
    bench.until("statistics", |bench| bench.find("Histogram").is_some());
    bench.rest();
    let center = picture(&bench, "carried.result").expect("the picture").rect.center();
    bench.hover(center);
    // Until then, it may be that of a place where the pointer was before.
    let in_the_middle = |name: &str| {
        let cell = name.strip_prefix("cell ").and_then(|rest| rest.split(':').next()).unwrap_or_default();
        cell.split(", ").take(2).all(|at| at.parse::<usize>().is_ok_and(|at| (14..18).contains(&at)))
    };
    bench.until("the value under the pointer", |bench| bench.seen().iter().any(|seen| in_the_middle(&seen.name)));
    bench.click_with(center, PointerButton::Primary, Modifiers::COMMAND);
    let curve = bench.seen().into_iter().find_map(|seen| {
        Some(seen.name.strip_prefix("curve carried.result at cell (")?.strip_suffix(')')?.to_string())
    });
    let cell: Vec<usize> = curve.expect("a curve").split(", ").map(|at| at.parse().unwrap()).collect();
    assert!(cell.iter().all(|at| (14..18).contains(at)), "in the middle of 32 cells: {cell:?}");
    let from = bench.computed();
    bench.until("more frames", |bench| bench.computed() > from + 5);
    bench.key(Key::Space);
    bench.rest();
    let at = bench.position_of("Copy");
    bench.hover(at);
    bench.pointer_button(at, PointerButton::Primary, true, Modifiers::NONE);
    bench.pointer_button(at, PointerButton::Primary, false, Modifiers::NONE);
    let table = copied(&bench).expect("a table");
    let (title, table) = table.split_once('\n').unwrap();
    let cell_title = format!("\"carried.result at cell ({}, {})\"", cell[0], cell[1]);
    assert_eq!(title, format!("frame,time,most.largest,carried.result:sum,{cell_title}"));
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.last().unwrap()[0], bench.computed().to_string());
    // A simulation without a window gives the same.
    let running = bench.editor().simulation().unwrap();
    let mut simulation = Simulation::new(running.gpu(), running.plan().clone()).unwrap();
    let mut compared = [0; 3];
    for _ in 0..bench.computed() {
        simulation.step(&simulation.recorded_input()).unwrap();
        let Some(row) = rows.iter().find(|row| row[0] == simulation.frame().to_string()) else { continue };
        let values = simulation.read("carried.result").unwrap().data;
        let most = simulation.read("most.largest").unwrap().data[0];
        let sum: f64 = values.iter().map(|value| f64::from(*value)).sum();
        let expected = [f64::from(most), sum, f64::from(values[cell[0] + 32 * cell[1]])];
        for (column, value) in expected.into_iter().enumerate() {
            if !row[2 + column].is_empty() {
                assert_eq!(row[2 + column], value.to_string(), "{row:?}");
                compared[column] += 1;
            }
        }
    }
    assert!(compared.iter().all(|count| *count > 3) && compared[0] > compared[2], "{compared:?}");
}

#[test]
fn a_click_goes_to_its_frame_the_wheel_zooms_and_curves_can_be_hidden_and_removed() {
    let mut bench = bench();
    bench.key(Key::Escape);
    bench.until("some frames", |bench| frames(bench) > 30);
    bench.key(Key::Space);
    bench.rest();
    let (rect, all) = plot(&bench).expect("the plot");
    let last = bench.computed();
    let early = pos2(rect.left() + 0.25 * rect.width(), rect.center().y);
    bench.click(early);
    bench.until("an earlier frame", |bench| bench.computed() < last);
    bench.rest();
    let there = bench.computed();
    // The curve begins when it was added.
    assert!(there < last - all as u64 / 2, "{there} of {all} up to {last}");
    assert_eq!(frames(&bench), all, "the values ahead are still known");
    // From the middle on.
    let end = pos2(rect.right() - 20.0, rect.center().y);
    (0..4).for_each(|_| bench.wheel(end, vec2(0.0, 60.0)));
    (0..20).for_each(|_| bench.rest());
    bench.click(early);
    bench.until("a later frame", |bench| bench.computed() > there);
    bench.rest();
    assert!(bench.computed() < last);
    bench.press("curve most.largest");
    assert_eq!(frames(&bench), 0, "it is hidden");
    bench.press("curve most.largest");
    assert_eq!(frames(&bench), all);
    bench.press("remove curve most.largest");
    bench.rest();
    assert!(bench.find("curve most.largest").is_none() && plot(&bench).is_none());
}
