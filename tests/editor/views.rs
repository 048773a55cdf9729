//! Any wire on show, by a click.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers, vec2};
use egui_kittest::kittest::{NodeT, Queryable};

use super::bench::{Bench, SMOKE, Seen};

fn picture(bench: &Bench, wire: &str) -> Option<Seen> {
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
    let at = bench.at("colour map");
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

#[test]
fn a_pinned_view_stays_while_another_wire_is_looked_at() {
    let mut bench = Bench::smoke();
    bench.press("output carried.result");
    bench.until("statistics", |bench| bench.find("Histogram").is_some());
    bench.press("Pin");
    bench.select("jet");
    bench.key(Key::D);
    bench.compiled();
    let shown: Vec<&str> = bench.editor().viewed().iter().map(String::as_str).collect();
    assert_eq!(shown, ["carried.result", "jet.velocity"]);
    bench.until("both pictures", |bench| {
        ["carried.result", "jet.velocity"].iter().all(|wire| picture(bench, wire).is_some())
    });
    bench.until("statistics of both", |bench| bench.seen().iter().filter(|seen| seen.name == "Histogram").count() == 2);
    bench.plays();
}

#[test]
fn a_number_shows_its_course_over_time() {
    let number = r#""most": (stage: "grid/largest", inputs: {"field": "carried.result"}, at: (780, 670)),
        "screen""#;
    let mut bench = Bench::of(&SMOKE.replace("\"screen\"", number), vec2(1400.0, 900.0));
    bench.compiled();
    bench.press("output most.largest");
    let course = |bench: &Bench| bench.seen().into_iter().find(|seen| seen.name.starts_with("History of "));
    bench.until("some frames", |bench| {
        let frames = course(bench).and_then(|seen| seen.name.split(' ').nth(2)?.parse::<u32>().ok());
        frames.is_some_and(|frames| frames > 5)
    });
    bench.press("output carried.result");
    bench.until("statistics", |bench| bench.find("1024").is_some());
    assert!(course(&bench).is_none(), "a grid has no course");
}
