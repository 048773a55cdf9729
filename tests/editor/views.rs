//! Any wire on show, by a click.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers, OutputCommand, PointerButton, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use stagewright_runtime::sim::Simulation;

use super::bench::{Bench, SMOKE, Seen};

pub fn picture(bench: &Bench, wire: &str) -> Option<Seen> {
    bench.seen().into_iter().find(|seen| seen.role == Role::Image && seen.name.contains(wire))
}

#[test]
fn a_click_on_a_port_shows_its_wire_with_statistics_and_the_value_under_the_pointer() {
    let mut bench = Bench::smoke();
    bench.press("output carried.result");
    assert!(bench.editor().viewed().contains("carried.result"));
    bench.until("statistics", |bench| bench.find("Histogram").is_some());
    assert!(["min", "mean", "max", "NaN"].iter().all(|name| bench.find(name).is_some()));
    assert!(bench.find("1024").is_some(), "as many values as the domain has cells");
    let picture = picture(&bench, "carried.result").expect("the picture").rect;
    bench.hover(picture.center());
    bench.until("the value under the pointer", |bench| bench.seen().iter().any(|seen| seen.name.starts_with("cell ")));
    let value = bench.seen().into_iter().find(|seen| seen.name.starts_with("cell "));
    assert!(value.is_some_and(|seen| seen.name.starts_with("cell 15,") || seen.name.starts_with("cell 16,")));
    // A click on an input shows what goes into it.
    bench.press("input fade.field");
    assert!(bench.editor().viewed().contains("smoke.field") && !bench.editor().viewed().contains("carried.result"));
}

#[test]
fn a_colour_map_can_be_chosen_where_it_changes_something() {
    let mut bench = Bench::smoke();
    let enabled = |bench: &Bench| {
        let node = bench.harness.query_all_by_label("colour map").next();
        node.map(|node| !node.accesskit_node().is_disabled())
    };
    bench.press("output carried.result");
    bench.until("a map to choose", |bench| enabled(bench) == Some(true));
    bench.press("output jet.velocity");
    bench.until("directions", |bench| enabled(bench) == Some(false));
    // Nothing is explained right after a click.
    (0..20).for_each(|_| bench.frame(Vec::new(), Modifiers::NONE));
    let at = bench.position_of("colour map");
    bench.hover(at);
    bench.until("why", |bench| bench.seen().iter().any(|seen| seen.name.starts_with("Hue shows the direction")));
    bench.press("show");
    bench.press("length");
    bench.until("a map to choose", |bench| enabled(bench) == Some(true));
}

#[test]
fn thumbnails_come_and_go_while_paused() {
    let mut bench = Bench::smoke();
    bench.plays();
    bench.key(Key::Space);
    bench.rest();
    let frame = bench.computed();
    let pictures = |bench: &Bench| bench.seen().iter().filter(|s| s.name.starts_with("thumbnail of ")).count();
    bench.key(Key::T);
    bench.compiled();
    // All but the domain and the output, which make nothing.
    let all = bench.document().nodes.len() - 2;
    bench.until("pictures of all nodes", |bench| pictures(bench) == all);
    bench.key(Key::T);
    assert_eq!(pictures(&bench), 0);
    bench.rest();
    assert_eq!((pictures(&bench), bench.computed()), (0, frame));
}

/// A wire in a pinned view, and another in the first view.
fn pinned() -> Bench {
    let mut bench = Bench::smoke();
    bench.press("output carried.result");
    bench.until("statistics", |bench| bench.find("Histogram").is_some());
    bench.press("Pin");
    bench.select("jet");
    bench.key(Key::D);
    bench
}

#[test]
fn resetting_the_layout_closes_pinned_views() {
    let mut bench = pinned();
    assert!(bench.editor().viewed().contains("carried.result"));
    bench.menu("Window", "Reset layout");
    bench.compiled();
    assert!(!bench.editor().viewed().contains("carried.result"), "a view that nobody can see keeps a wire");
}

#[test]
fn a_pinned_view_stays_while_another_wire_is_looked_at() {
    let mut bench = pinned();
    bench.compiled();
    let shown: Vec<&str> = bench.editor().viewed().iter().map(String::as_str).collect();
    assert_eq!(shown, ["carried.result", "jet.velocity"]);
    bench.until("both pictures", |bench| {
        ["carried.result", "jet.velocity"].iter().all(|wire| picture(bench, wire).is_some())
    });
    bench.until("statistics of both", |bench| bench.seen().iter().filter(|seen| seen.name == "Histogram").count() == 2);
    bench.plays();
}

/// Smoke with numbers that are measured in every frame.
pub fn measured() -> Bench {
    let numbers = r#""most": (stage: "grid/largest", inputs: {"field": "carried.result"}, at: (780, 670)),
        "fast": (stage: "grid/largest", inputs: {"field": "speed.magnitude"}, at: (1040, 670)),
        "speed": (stage: "grid/length", inputs: {"a": "project.velocity"}, at: (1040, 500)),
        "screen""#;
    let mut bench = Bench::from_text(&SMOKE.replace("\"screen\"", numbers), vec2(1600.0, 1000.0));
    bench.compiled();
    bench
}

/// The number of frames in the plot.
fn plotted(bench: &Bench) -> Option<u32> {
    let name = bench.seen().into_iter().find_map(|seen| Some(seen.name.strip_prefix("History of ")?.to_string()))?;
    name.split(' ').next()?.parse().ok()
}

/// The text on the clipboard.
pub fn copied(bench: &Bench) -> Option<String> {
    let commands = &bench.harness.output().platform_output.commands;
    commands.iter().find_map(|command| match command {
        OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    })
}

#[test]
fn a_number_is_plotted_over_time_and_copied_as_a_table() {
    let mut bench = measured();
    bench.press("output most.largest");
    bench.until("some frames", |bench| plotted(bench) > Some(8));
    assert!(["last", "min", "max"].iter().all(|name| bench.find(name).is_some()) && bench.find("Histogram").is_none());
    bench.key(Key::Space);
    bench.until("the last values", |bench| plotted(bench).is_some());
    // The value at a frame.
    let plot = bench.seen().into_iter().find(|seen| seen.name.starts_with("History of ")).expect("the plot").rect;
    bench.hover(plot.center());
    bench.until("the frame at the pointer", |bench| bench.seen().iter().any(|seen| seen.name.starts_with("frame ")));
    let at = bench.position_of("Copy");
    bench.hover(at);
    bench.pointer_button(at, PointerButton::Primary, true, Modifiers::NONE);
    bench.pointer_button(at, PointerButton::Primary, false, Modifiers::NONE);
    let table = copied(&bench).expect("a table");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["frame", "time", "most.largest"]);
    let frames: Vec<u64> = rows[1..].iter().map(|row| row[0].parse().unwrap()).collect();
    assert_eq!(frames.last(), Some(&bench.computed()));
    assert!(frames.windows(2).all(|pair| pair[1] == pair[0] + 1), "no frame is missing: {frames:?}");
    // Each value belongs to its frame: a simulation without a window gives the same.
    let mut simulation = Simulation::new(
        bench.editor().simulation().unwrap().gpu(),
        bench.editor().simulation().unwrap().plan().clone(),
    )
    .unwrap();
    for _ in 0..bench.computed() {
        simulation.step(&simulation.recorded_input()).unwrap();
        if let Some(row) = rows.iter().find(|row| row[0] == simulation.frame().to_string()) {
            assert_eq!(row[2], f64::from(simulation.read("most.largest").unwrap().data[0]).to_string(), "{row:?}");
        }
    }
}

#[test]
fn numbers_share_a_plot_and_start_over_with_the_simulation() {
    let mut bench = measured();
    bench.press("output most.largest");
    bench.until("some frames", |bench| plotted(bench) > Some(12));
    bench.press("Add number");
    bench.press("fast.largest");
    bench.compiled();
    assert!(bench.editor().viewed().contains("fast.largest"));
    bench.until("both", |bench| bench.find("remove fast.largest").is_some());
    // It goes on while another wire is viewed.
    bench.press("output carried.result");
    bench.until("statistics", |bench| bench.find("Histogram").is_some());
    assert_eq!(plotted(&bench), None, "a grid has no course");
    let frame = bench.computed();
    bench.until("more frames", |bench| bench.computed() > frame + 3);
    bench.press("output most.largest");
    bench.until("the plot", |bench| plotted(bench).is_some());
    assert!(plotted(&bench) > Some(15), "{:?}", plotted(&bench));
    bench.key(Key::Space);
    bench.rest();
    let before = plotted(&bench);
    bench.key_with(Modifiers::SHIFT, Key::Space);
    bench.key(Key::ArrowRight);
    bench.until("the first frame", |bench| plotted(bench) == Some(1));
    assert!(before > Some(15) && bench.computed() == 1);
    bench.press("Clear");
    assert_eq!(plotted(&bench), Some(0));
}

#[test]
fn the_values_of_a_grid_along_a_line_are_plotted() {
    let mut bench = Bench::smoke();
    bench.press("output carried.result");
    bench.until("statistics", |bench| bench.find("Histogram").is_some() && bench.find("rms").is_some());
    bench.press("Profile");
    let profile = |bench: &Bench| bench.seen().into_iter().find(|seen| seen.name.starts_with("Profile along "));
    bench.until("a profile", |bench| profile(bench).is_some());
    let plot = profile(&bench).unwrap();
    assert_eq!(plot.name, "Profile along x through y = 0.5 m");
    bench.hover(plot.rect.center());
    bench.until("the value at the pointer", |bench| bench.seen().iter().any(|seen| seen.name.starts_with("x = 0.")));
    bench.press("y");
    bench.until("along y", |bench| profile(bench).is_some_and(|seen| seen.name == "Profile along y through x = 0.5 m"));
    // A press in the image moves the line.
    let image = picture(&bench, "carried.result").expect("the image").rect;
    bench.click(image.center() + vec2(0.25 * image.height(), 0.0));
    bench.until("the line there", |bench| {
        profile(bench).is_some_and(|seen| seen.name.starts_with("Profile along y through x = 0.7"))
    });
}
