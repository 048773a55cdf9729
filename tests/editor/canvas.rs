//! Nodes, wires and frames in the hand.

use eframe::egui::{Key, Modifiers, PointerButton, Rect, vec2};

use stagewright_language::document::{Node, NodeKind, ParamValue};
use stagewright_language::edit;
use stagewright_language::library::Library;

use super::bench::{Bench, SMOKE};

#[test]
fn a_bypassed_node_is_left_out_and_the_image_continues() {
    let mut bench = Bench::smoke();
    let before = bench.dispatches();
    bench.select("viscosity");
    bench.key(Key::M);
    bench.compiled();
    assert!(bench.document().nodes["viscosity"].muted);
    assert!(bench.dispatches() <= before - 8, "both colours of each of its four sweeps are gone");
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench.plays();
    bench.key(Key::M);
    bench.compiled();
    assert_eq!(bench.dispatches(), before);
}

#[test]
fn deleted_nodes_leave_wires_that_heal() {
    let mut bench = Bench::smoke();
    let before = bench.document().clone();
    bench.select("fade");
    bench.key(Key::Delete);
    assert!(!bench.document().nodes.contains_key("fade"));
    assert_eq!(bench.link("carried", "field").as_deref(), Some("smoke.field"));
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench.ctrl(Key::Z);
    assert_eq!(*bench.document(), before);
}

#[test]
fn a_copy_reads_what_its_original_reads() {
    let mut bench = Bench::smoke();
    bench.select("look");
    bench.ctrl(Key::D);
    assert_eq!(bench.selected(), "look_2");
    assert_eq!(bench.link("look_2", "field").as_deref(), Some("carried.result"));
    assert_eq!(bench.link("screen", "image").as_deref(), Some("look.image"));
}

#[test]
fn a_node_let_go_over_a_wire_goes_into_it() {
    let mut bench = Bench::smoke();
    let ground = bench.ground() - vec2(300.0, 160.0);
    let name = bench.add("fluid/dissipate", ground);
    let (title, wire) = (bench.title(&name), bench.wire("smoke.field", "fade.field"));
    bench.drag(title, wire);
    assert_eq!(bench.link(&name, "field").as_deref(), Some("smoke.field"));
    assert_eq!(bench.link("fade", "field"), Some(format!("{name}.field")));
    // They glide there.
    bench.rest();
    let between = ["smoke", &name, "fade", "carried"].map(|node| area(&bench, node));
    for pair in between.windows(2) {
        assert!(pair[0].right() < pair[1].left(), "the others make room: {between:?}");
    }
    bench.ctrl(Key::Z);
    assert_eq!(bench.link("fade", "field").as_deref(), Some("smoke.field"));
    bench.ctrl(Key::Z);
    assert!(!bench.document().nodes.contains_key(&name), "moving and going in are one step");
}

/// Drops a wire on empty ground, and chooses a new stage of one's own.
fn wrapped(bench: &mut Bench, port: &str) -> (String, String) {
    let (from, ground) = (bench.position_of(port), bench.ground() - vec2(300.0, 60.0));
    bench.drag(from, ground);
    bench.write("custom stage");
    bench.key(Key::Enter);
    bench.rest();
    let name = bench.selected();
    let NodeKind::Custom(text) = &bench.document().nodes[&name].kind else { panic!("{name} is no custom stage") };
    (name.clone(), text.clone())
}

#[test]
fn a_wire_let_go_over_the_ground_becomes_a_port_of_a_new_stage() {
    let mut bench = Bench::smoke();
    let (name, text) = wrapped(&mut bench, "output carried.result");
    assert!(text.contains("//! @in    result: Grid<f32>") && text.contains("//! @out   changed: Grid<f32>"), "{text}");
    assert_eq!(bench.link(&name, "result").as_deref(), Some("carried.result"));
    bench.connect(&format!("output {name}.changed"), "input look.field");
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench.plays();
    bench.undo();
    bench.undo();
    assert!(!bench.document().nodes.contains_key(&name), "the node and its wire are one step");
    // And for an input that nothing feeds.
    let at = bench.ground() - vec2(300.0, 160.0);
    let view = bench.add("view/vector", at);
    let (name, text) = wrapped(&mut bench, &format!("input {view}.velocity"));
    assert!(text.contains("//! @inout velocity: Grid<Vec> = 0"), "{text}");
    assert_eq!(bench.link(&view, "velocity"), Some(format!("{name}.velocity")));
    let (end, dropped) = (bench.position_of(&format!("output {name}.velocity")), bench.ground() - vec2(300.0, 60.0));
    assert!((end.x - dropped.x).abs() < 12.0, "the wire ends where it was let go: {end} and {dropped}");
    // Keywords of a header are found, too.
    let found = bench.add("posterize", at);
    let NodeKind::Stage(stage) = &bench.document().nodes[&found].kind else { panic!("{found} is no stage") };
    assert!(stage.ends_with("/map_range"), "{stage}");
}

#[test]
fn a_custom_stage_is_shown_by_its_own_title() {
    let title = |text: &str| {
        let node = Node { kind: NodeKind::Custom(text.into()), ..Node::default() };
        edit::signature::node(&node, Library::builtin()).title
    };
    assert_eq!(title("//! Whirl\n//! @out x: Grid<f32>\nfn stage(cell: Cell) -> f32 { return 1.0; }"), "Whirl");
    assert_eq!(title("//! Whirl\n//! @out x: Grid<f32>\nfn stage(cell: Cell) -> f32 { return"), "Whirl", "an error");
    assert_eq!(title("fn stage("), "Custom", "no title");
}

/// Around a node's title and ports.
fn area(bench: &Bench, node: &str) -> Rect {
    let title = bench.find(&format!("node {node}")).unwrap_or_else(|| panic!("there is no `{node}` on the screen"));
    let is_port = |name: &str| ["input", "output"].iter().any(|end| name.starts_with(&format!("{end} {node}.")));
    let ports = bench.seen().into_iter().filter(|seen| is_port(&seen.name));
    ports.fold(title, |area, port| Rect { max: area.max.max(port.rect.max - vec2(5.0, 0.0)), ..area })
}

#[test]
fn nodes_that_nobody_has_pointed_a_place_for_lie_beside_the_others() {
    let mut bench = Bench::smoke();
    // Over the inspector.
    let off = bench.canvas().left_bottom() - vec2(200.0, 40.0);
    let mut names = vec!["domain".to_string()];
    bench.select("domain");
    for _ in 0..4 {
        bench.hover(off);
        bench.key(Key::Tab);
        bench.write("fluid/dissipate");
        bench.key(Key::Enter);
        bench.rest();
        names.push(bench.selected());
        assert!(bench.find(&format!("node {}", bench.selected())).is_some(), "it is in sight");
    }
    bench.key(Key::Home);
    bench.rest();
    let nodes: Vec<Rect> = bench.document().nodes.keys().map(|name| area(&bench, name)).collect();
    for (index, node) in nodes.iter().enumerate() {
        let upon = nodes.iter().skip(index + 1).find(|other| other.intersects(*node));
        assert!(upon.is_none(), "{node:?} lies upon {upon:?}");
    }
    let [first, second] = [0, 1].map(|index| area(&bench, &names[index]));
    assert!(second.left() > first.right(), "the first goes to the right of what was selected");
    // At the pointer, the second does not hide the first.
    let at = bench.ground() - vec2(300.0, 160.0);
    let [a, b] = [0, 1].map(|_| bench.add("fluid/dissipate", at));
    assert_ne!(bench.document().nodes[&a].at, bench.document().nodes[&b].at);
}

#[test]
fn a_wire_let_go_over_nothing_asks_for_what_fits_it_and_is_put_in() {
    let mut bench = Bench::smoke();
    let (port, ground) = (bench.position_of("output smoke.field"), bench.ground() - vec2(300.0, 300.0));
    bench.drag(port, ground);
    let offered = |bench: &Bench, name: &str| bench.find(name).is_some();
    assert!(offered(&bench, "Add a node that fits the wire"));
    assert!(offered(&bench, "State") && offered(&bench, "Reroute"));
    assert!(!offered(&bench, "Domain") && !offered(&bench, "Output"), "they take no such wire");
    bench.write("fluid/dissipate");
    bench.key(Key::Enter);
    bench.rest();
    let name = bench.selected();
    assert_eq!(bench.link(&name, "field").as_deref(), Some("smoke.field"));
    bench.ctrl(Key::Z);
    assert!(!bench.document().nodes.contains_key(&name), "node and wire are one step");
}

#[test]
fn a_stroke_cuts_wires_and_another_puts_dots_in() {
    let mut bench = Bench::smoke();
    bench.compiled();
    let plan = bench.plan();
    let wire = bench.wire("look.image", "screen.image");
    let across = vec2(0.0, 6.0);
    bench.drag_with(wire - across, wire + across, PointerButton::Secondary, Modifiers::SHIFT);
    assert_eq!(bench.link("screen", "image").as_deref(), Some("reroute.value"));
    bench.compiled();
    assert!(bench.plan() == plan, "a dot is nothing to the compiler");
    bench.ctrl(Key::Z);
    bench.double_click(wire);
    assert_eq!(bench.link("screen", "image").as_deref(), Some("reroute.value"));
    bench.ctrl(Key::Z);
    bench.drag_with(wire - across, wire + across, PointerButton::Secondary, Modifiers::COMMAND | Modifiers::CTRL);
    assert_eq!(bench.link("screen", "image"), None);
    bench.ctrl(Key::Z);
    assert_eq!(bench.link("screen", "image").as_deref(), Some("look.image"));
}

#[test]
fn a_frame_has_a_title_and_takes_its_nodes_along() {
    let mut bench = Bench::smoke();
    let before = bench.document().clone();
    bench.select("look");
    let (low, high) = (bench.title("look"), bench.title("screen"));
    bench.click_with(high, PointerButton::Primary, Modifiers::SHIFT);
    assert_eq!(bench.editor().selection().len(), 2);
    bench.ctrl(Key::J);
    bench.rest();
    bench.overwrite("Picture");
    assert_eq!(bench.document().frames[0].title, "Picture");
    let head = bench.find("frame Picture").expect("the frame");
    let at = head.left_center() + vec2(30.0, 0.0);
    bench.drag(at, at + vec2(0.0, 60.0));
    for name in ["look", "screen", "jet"] {
        let moved = bench.document().nodes[name].at.1 - before.nodes[name].at.1;
        assert_eq!(moved > 30.0, name != "jet", "{name} moved by {moved}");
    }
    assert!(bench.title("look").y > low.y + 30.0);
    let head = bench.find("frame Picture").expect("the frame");
    bench.click(head.left_center() + vec2(30.0, 0.0));
    bench.key(Key::Delete);
    assert!(bench.document().frames.is_empty() && bench.document().nodes.contains_key("look"));
}

#[test]
fn a_name_is_typed_in_its_place_and_wires_follow() {
    let mut bench = Bench::smoke();
    let title = bench.title("fade");
    bench.double_click(title);
    bench.overwrite("slow_fade");
    assert_eq!(bench.link("carried", "field").as_deref(), Some("slow_fade.field"));
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    // A name that another node has is refused, and says so.
    bench.select("slow_fade");
    bench.rename("jet");
    assert!(bench.document().nodes.contains_key("slow_fade"));
    assert!(bench.seen().iter().any(|seen| seen.name.contains("node jet;")), "a sentence says why not");
}

#[test]
fn nodes_and_commands_are_found_by_a_part_of_their_names() {
    let mut bench = Bench::smoke();
    bench.ctrl(Key::F);
    bench.write("press");
    bench.key(Key::Enter);
    assert_eq!(bench.selected(), "pressure");
    bench.ctrl(Key::P);
    bench.write("bypas");
    bench.key(Key::Enter);
    assert!(bench.document().nodes["pressure"].muted);
    bench.menu("Edit", "Undo");
    assert!(!bench.document().nodes["pressure"].muted);
}

#[test]
fn the_view_zooms_fits_and_follows_the_minimap() {
    let mut bench = Bench::smoke();
    let width = |bench: &Bench| bench.find("node look").map_or(0.0, |rect| rect.width());
    let at = bench.title("look");
    let before = width(&bench);
    let document = bench.document().clone();
    assert!(bench.find("Minimap").is_none(), "all nodes are in sight");
    for _ in 0..40 {
        bench.wheel(at, vec2(0.0, 60.0));
    }
    assert!(width(&bench) > 1.5 * before, "{} {before}", width(&bench));
    assert!(bench.title("look").distance(at) < 60.0, "what is under the pointer stays there");
    assert!(bench.find("node jet").is_none(), "it is out of sight");
    let map = bench.find("Minimap").expect("the minimap");
    bench.click(map.left_top() + vec2(0.4, 0.2) * map.size());
    assert!(bench.find("node jet").is_some(), "it is in sight again");
    bench.key(Key::Home);
    assert!((width(&bench) - before).abs() < 0.2 * before, "{} {before}", width(&bench));
    bench.select("look");
    bench.key(Key::F);
    bench.rest();
    let middle = bench.find("node look").expect("the node").center();
    assert!(middle.distance(bench.canvas().center()) < 100.0, "the selection is in the middle");
    assert_eq!(*bench.document(), document, "looking changes nothing");
}

#[test]
fn a_box_selects_what_it_touches_and_keys_go_along_wires() {
    let mut bench = Bench::smoke();
    let (look, screen) = (bench.find("node look").unwrap(), bench.find("node screen").unwrap());
    let ground = screen.right_top() + vec2(40.0, 60.0);
    bench.drag(ground, look.left_top() + vec2(20.0, 30.0));
    let selection: Vec<&str> = bench.editor().selection().iter().map(String::as_str).collect();
    assert_eq!(selection, ["look", "screen"]);
    bench.select("look");
    bench.key_with(Modifiers::ALT, Key::ArrowLeft);
    assert_eq!(bench.selected(), "carried");
    bench.ctrl(Key::A);
    assert_eq!(bench.editor().selection().len(), bench.document().nodes.len());
    let ground = bench.ground();
    bench.click(ground);
    assert!(bench.editor().selection().is_empty());
}

#[test]
fn a_number_of_iterations_beyond_the_range_is_shown_and_not_edited() {
    let text = SMOKE.replace("iterations: 8", "iterations: 1e30");
    let mut bench = Bench::from_text(&text, vec2(1400.0, 900.0));
    bench.rest();
    bench.compiled();
    let count = |bench: &Bench| bench.document().nodes["pressure"].iterations.clone();
    assert_eq!(count(&bench), Some(ParamValue::Number(1e30)));
    assert!(bench.problems().iter().any(|problem| problem.contains("pressure")), "{:?}", bench.problems());
}
