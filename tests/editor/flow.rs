//! A graph reads as flow: nodes are in sight and legible, make room for each other, line up, and are replaced by what fits.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers, PointerButton, Rect, Vec2, vec2};
use stagewright_language::document::{Document, NodeKind};

use super::bench::{Bench, SMOKE};

/// The size of a new window.
const WINDOW: Vec2 = vec2(1600.0, 1000.0);

/// Every node is whole and in sight with its ports, in a window as it opens.
#[test]
fn shipped_graphs_open_with_all_nodes_and_ports_in_sight() {
    for name in ["oil_clock", "sph_water"] {
        let bench = Bench::shipped(name, WINDOW);
        let canvas = bench.canvas();
        let seen = bench.seen();
        for node in bench.document().nodes.keys() {
            let area = bench.find(&format!("node {node}"));
            assert!(area.is_some_and(|area| canvas.contains_rect(area)), "{name}: {node} at {area:?} in {canvas:?}");
        }
        for (node, port) in
            bench.document().nodes.values().flat_map(|node| &node.inputs).map(|(_, link)| (&link.node, &link.port))
        {
            let prefix = format!("output {node}.{port}");
            assert!(seen.iter().any(|seen| seen.name.starts_with(&prefix)), "{name}: {prefix}");
        }
    }
}

/// Names of the list that is open, from top to bottom.
fn listed(bench: &Bench) -> Vec<String> {
    let field = bench.find("Replace node").expect("the list");
    let rows = bench.seen().into_iter().filter(|seen| seen.role == Role::Button && seen.rect.top() > field.bottom());
    let mut rows: Vec<_> =
        rows.filter(|seen| seen.rect.left() < field.right() && field.left() < seen.rect.right()).collect();
    rows.retain(|seen| seen.rect.width() > 0.8 * field.width());
    rows.sort_by(|a, b| a.rect.top().total_cmp(&b.rect.top()));
    rows.into_iter().map(|seen| seen.name).collect()
}

#[test]
fn a_node_is_replaced_by_what_fits_its_wires() {
    let mut bench = Bench::smoke();
    bench.select("pressure");
    let open = |bench: &mut Bench| {
        bench.key_with(Modifiers::SHIFT, Key::S);
        bench.rest();
    };
    open(&mut bench);
    assert!(bench.find("Keeps all wires").is_some());
    let all = listed(&bench);
    let place = |title: &str| all.iter().position(|other| other == title);
    assert!(place("Pressure (Jacobi)") < place("Divergence"), "what fits comes first: {all:?}");
    assert!(place("Pressure (Jacobi)").is_some());
    assert!(place("Pressure (multigrid)").is_some(), "groups have their own titles");
    assert_eq!(place("Pressure (SOR)"), None, "it is that already");
    bench.write("pressure (j");
    bench.rest();
    assert_eq!(listed(&bench).first().map(String::as_str), Some("Pressure (Jacobi)"));
    bench.key(Key::Enter);
    bench.rest();
    assert_eq!(bench.document().nodes["pressure"].kind, NodeKind::Stage("fluid/pressure_jacobi".into()));
    assert_eq!(bench.link("project", "pressure").as_deref(), Some("pressure.pressure"));
    // Of titles that match as well, the one that keeps the wires.
    bench.select("carried");
    open(&mut bench);
    bench.write("advect");
    bench.rest();
    bench.key(Key::Enter);
    bench.rest();
    assert!(bench.link("carried", "field").is_some() && bench.link("look", "field").is_some());
}

fn place(document: &Document, node: &str) -> Vec2 {
    let (x, y) = document.nodes[node].at;
    vec2(x, y)
}

/// Titles of nodes as they lie, each with the ports below it.
fn areas(bench: &Bench) -> Vec<(String, Rect)> {
    let area_of_node = |node: &str| {
        let title = bench.find(&format!("node {node}")).expect("a node");
        let ports = bench
            .seen()
            .into_iter()
            .filter(|seen| ["input", "output"].iter().any(|end| seen.name.starts_with(&format!("{end} {node}."))));
        ports.fold(title, |area, port| Rect { max: area.max.max(port.rect.max - vec2(8.0, 0.0)), ..area })
    };
    bench.document().nodes.keys().map(|name| (name.clone(), area_of_node(name))).collect()
}

#[test]
fn nodes_make_room_for_one_that_is_put_upon_them() {
    let mut bench = Bench::smoke();
    let before = bench.document().clone();
    let (from, onto) = (bench.title("fade"), bench.title("pressure"));
    bench.drag(from, onto + vec2(12.0, 30.0));
    bench.rest();
    assert_ne!(place(bench.document(), "pressure"), place(&before, "pressure"), "it was covered");
    assert_eq!(place(bench.document(), "look"), place(&before, "look"), "it was not");
    let areas = areas(&bench);
    for (index, (name, area)) in areas.iter().enumerate() {
        let upon = areas.iter().skip(index + 1).find(|(_, other)| other.intersects(*area));
        assert!(upon.is_none(), "{name} at {area:?} lies upon {upon:?}");
    }
    bench.ctrl(Key::Z);
    assert_eq!(*bench.document(), before, "one step");
    // With Alt nothing moves but the node.
    bench.drag_with(from, onto + vec2(12.0, 30.0), PointerButton::Primary, Modifiers::ALT);
    assert_eq!(place(bench.document(), "pressure"), place(&before, "pressure"));
    assert_ne!(place(bench.document(), "fade"), place(&before, "fade"));
}

#[test]
fn a_dragged_node_lines_up_with_others() {
    let mut bench = Bench::smoke();
    let zoom = bench.find("node look").expect("the node").width() / 200.0;
    let before = bench.document().clone();
    // To just below the others, with its left edge 4 points beside that of `jet`.
    let by = place(&before, "jet") - place(&before, "screen") + vec2(0.0, 700.0);
    let (from, to) = (bench.title("screen"), bench.title("screen") + by * zoom + vec2(4.0, 0.0));
    bench.drag(from, to);
    assert_eq!(place(bench.document(), "screen").x, place(&before, "jet").x);
    bench.ctrl(Key::Z);
    bench.drag_with(from, to, PointerButton::Primary, Modifiers::ALT);
    assert!((place(bench.document(), "screen").x - place(&before, "jet").x - 4.0 / zoom).abs() < 1.0);
}

#[test]
fn selected_nodes_are_aligned_and_distributed() {
    let mut bench = Bench::smoke();
    let before = bench.document().clone();
    bench.select("jet");
    for name in ["smoke", "pressure"] {
        let at = bench.title(name);
        bench.click_with(at, PointerButton::Primary, Modifiers::SHIFT);
    }
    let run = |bench: &mut Bench, command: &str| {
        bench.ctrl(Key::P);
        bench.write(command);
        bench.key(Key::Enter);
        bench.rest();
        ["jet", "smoke", "pressure"].map(|name| place(bench.document(), name))
    };
    let left = run(&mut bench, "align left");
    assert!(left.iter().all(|at| at.x == left[0].x) && left[0].x == 260.0, "{left:?}");
    bench.ctrl(Key::Z);
    assert_eq!(*bench.document(), before, "one step");
    let top = run(&mut bench, "align top");
    assert!(top.iter().all(|at| at.y == top[0].y) && top[0].y == 160.0, "{top:?}");
    bench.ctrl(Key::Z);
    let even = run(&mut bench, "distribute vertically");
    let ordered = [even[0].y, even[2].y, even[1].y];
    assert!(ordered.windows(2).all(|pair| pair[0] < pair[1]), "{even:?}");
    assert_eq!((even[0].y, even[1].y), (160.0, 560.0), "the ends stay");
    bench.menu("Graph", "Align and distribute");
    assert!(
        bench.find("Align middle").is_some() || bench.seen().iter().any(|seen| seen.name.starts_with("Align middle"))
    );
}

#[test]
fn thumbnails_stay_when_zoomed_out_and_frames_hold_what_grows() {
    let framed = SMOKE.trim_end().trim_end_matches(')').to_string()
        + "    frames: [(title: \"Picture\", at: (236, 724), size: (508, 200))],\n)";
    let mut bench = Bench::from_text(&framed, WINDOW);
    bench.compiled();
    bench.plays();
    bench.key(Key::Space);
    let images = |bench: &Bench| bench.seen().iter().filter(|seen| seen.name.starts_with("thumbnail of ")).count();
    assert_eq!(images(&bench), 0, "a software adapter needs its time for the simulation");
    bench.key(Key::T);
    bench.compiled();
    let all = bench.document().nodes.len() - 2;
    bench.until("thumbnails", |bench| images(bench) == all);
    bench.rest();
    bench.rest();
    let canvas = bench.canvas();
    for (name, area) in areas(&bench) {
        assert!(canvas.contains_rect(area), "{name} has grown out of sight: {area:?} in {canvas:?}");
    }
    let look = bench.find("thumbnail of look").expect("a thumbnail");
    let title = bench.find("frame Picture").expect("the frame");
    assert!(title.bottom() <= look.top() && title.x_range().contains(look.center().x), "{title:?} {look:?}");
    assert!(bench.find("node carried").is_some_and(|node| node.bottom() < title.top()));
    let width = |bench: &Bench| bench.find("node look").map_or(0.0, |node| node.width());
    while width(&bench) > 85.0 {
        bench.wheel(canvas.center(), vec2(0.0, -30.0));
    }
    assert!(width(&bench) > 60.0, "{}", width(&bench));
    assert_eq!(images(&bench), all, "they are still there");
}

#[test]
fn a_domain_says_what_runs_over_it() {
    let mut bench = Bench::smoke();
    let at = bench.title("domain");
    bench.hover(at);
    bench.until("a tooltip", |bench| bench.find("Runs here").is_some());
    assert!(bench.seen().iter().any(|seen| seen.name.contains("advect, carried") && seen.name.contains("velocity")));
}

#[test]
fn files_that_are_dropped_together_all_become_nodes_in_sight() {
    let mut bench = Bench::from_text(SMOKE, WINDOW);
    for name in ["one.wgsl", "two.wgsl", "three.wgsl"] {
        std::fs::write(bench.folder.path().join(name), "//! Dropped").unwrap();
    }
    bench.drop_files(&["one.wgsl", "two.wgsl", "three.wgsl"]);
    bench.until("the nodes", |bench| bench.document().nodes.len() == 17);
    bench.rest();
    assert!(["one", "two", "three"].iter().all(|name| bench.document().nodes.contains_key(*name)));
    let (node, canvas) = (bench.find("node three").expect("the last one is in sight"), bench.canvas());
    assert!(canvas.contains_rect(node), "{node:?} in {canvas:?}");
}
