//! `where` at the canvas and in the inspector: set, seen, changed, wired by hand and undone.

use eframe::egui::{Key, Modifiers, PointerButton, vec2};

use super::bench::{Bench, SMOKE, WINDOW};

/// Smoke with a mask of it.
fn masked() -> Bench {
    let mask = r#""mask": (stage: "grid/occupied", inputs: {"a": "density"}, at: (0, 900)),
        "coarse": (domain: (resolution: (8, 8), width: 2), at: (1100, 0)),
        "far": (stage: "grid/random", on: "coarse", at: (1100, 200)),
        "domain":"#;
    let text = SMOKE
        .replace(r#""domain":"#, mask)
        .replace("\"velocity\": (state: \"Grid<Vec>\", ", "\"velocity\": (state: \"Grid<Vec>\", on: \"domain\", ");
    let text =
        text.replace("\"density\": (state: \"Grid<f32>\", ", "\"density\": (state: \"Grid<f32>\", on: \"domain\", ");
    let mut bench = Bench::from_text(&text, WINDOW);
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench
}

/// Selects a node, and scrolls the inspector to how it runs.
fn select(bench: &mut Bench, node: &str) {
    bench.select(node);
    let row = bench.position_of("see result");
    bench.wheel(row, vec2(0.0, -400.0));
    bench.rest();
}

/// Chooses from the list, once it has its place.
#[track_caller]
fn choose(bench: &mut Bench, item: &str) {
    bench.press("param where");
    bench.rest();
    bench.press(item);
    bench.rest();
}

#[test]
fn the_inspector_sets_where_and_the_canvas_shows_the_wire() {
    let mut bench = masked();
    let before = bench.document().clone();
    assert!(bench.find("input carried.where").is_none());
    select(&mut bench, "carried");
    bench.press("param where");
    let listed = |bench: &Bench, name: &str| bench.seen().iter().any(|seen| seen.name == name);
    assert!(listed(&bench, "mask") && listed(&bench, "density") && listed(&bench, "everywhere"));
    assert!(!listed(&bench, "far"), "it is on another box");
    assert!(!listed(&bench, "look"), "it depends on the node");
    bench.key(Key::Escape);
    choose(&mut bench, "mask");
    assert_eq!(bench.link("carried", "where").as_deref(), Some("mask"));
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    assert!(bench.plan().contains("blocks"), "{}", bench.plan());
    assert!(bench.find("input carried.where").is_some(), "the wire has a port");
    bench.plays();
    bench.undo();
    assert_eq!(*bench.document(), before);
    bench.redo();
    assert_eq!(bench.link("carried", "where").as_deref(), Some("mask"));
    choose(&mut bench, "everywhere");
    assert_eq!(bench.link("carried", "where"), None);
    bench.compiled();
    assert!(bench.find("input carried.where").is_none());
    // A node that runs once has no such choice.
    bench.select("screen");
    assert!(bench.find("param where").is_none());
}

#[test]
fn a_wire_is_dragged_to_where() {
    let mut bench = masked();
    // Shift lists all inputs that the wire fits.
    let drop = |bench: &mut Bench, from: &str, to: &str| {
        let (from, to) = (bench.position_of(from), bench.title(to) + vec2(20.0, 0.0));
        bench.drag_with(from, to, PointerButton::Primary, Modifiers::SHIFT);
        bench.rest();
    };
    drop(&mut bench, "output mask.occupied", "carried");
    assert_eq!(bench.link("carried", "where"), None, "not before one is chosen");
    assert_eq!(bench.link("carried", "field").as_deref(), Some("fade.field"));
    bench.press("where");
    assert_eq!(bench.link("carried", "where").as_deref(), Some("mask.occupied"));
    bench.compiled();
    // Another wire to the port that is drawn now.
    bench.connect("output density.value", "input carried.where");
    assert_eq!(bench.link("carried", "where").as_deref(), Some("density.value"));
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    // A wire that does not fit is refused.
    let before = bench.document().clone();
    bench.connect("output far.result", "input carried.where");
    assert_eq!(*bench.document(), before);
    assert!(bench.seen().iter().any(|seen| seen.name.contains("the grid is on coarse")), "a sentence says why not");
    // Taken off and let go over the ground, it is gone.
    let (port, ground) = (bench.position_of("input carried.where"), bench.ground());
    bench.drag(port, ground);
    assert_eq!(bench.link("carried", "where"), None);
    bench.undo();
    assert_eq!(*bench.document(), before);
}

#[test]
fn a_tooltip_says_where_a_node_runs_and_the_mask_is_renamed() {
    let mut bench = masked();
    select(&mut bench, "carried");
    choose(&mut bench, "mask");
    bench.compiled();
    let title = bench.title("carried");
    bench.hover(title);
    bench.until("its tooltip", |bench| bench.seen().iter().any(|seen| seen.name.contains("Where mask is not zero")));
    bench.select("mask");
    bench.rename("there");
    assert_eq!(bench.link("carried", "where").as_deref(), Some("there"));
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench.key(Key::Delete);
    assert_eq!(bench.link("carried", "where").as_deref(), Some("density"), "what the mask was made of");
}
