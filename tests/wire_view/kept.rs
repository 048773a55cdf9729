//! Which wires a view can have: any, wherever its node stands.

use stagewright_compiler::{Keep, Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_runtime::sim::wire_view::{View, Viewer, thumbnails};
use stagewright_solver_support::harness::{compile, document, gpu, random, read, step, words};

use crate::view::{observe, observe_at};

/// A dead node, a group that repeats within a group that repeats, and a group of the library.
const NODES: &str = r#"
    "box": (domain: (resolution: (12, 10), width: 1, edge: "wall")),
    "a": (state: "Grid<f32>", on: "box", inputs: {"next": "outer.x"}),
    "outer": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "inner.x"}, nodes: {
        "inner": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "plus.x"}, nodes: {
            "plus": (custom: "//! Plus\n//! @inout x: Grid<f32>  Any\n//! @param by: f32 = 1  How much\nfn stage(cell: Cell) -> f32 { return x(cell) + params.by; }", inputs: {"x": "in.x"}),
            "twice": (custom: "//! Twice\n//! @in x: Grid<f32>  Any\n//! @out y: Grid<f32>  Doubled\nfn stage(cell: Cell) -> f32 { return 2.0 * x(cell); }", inputs: {"x": "plus"}),
        }), inputs: {"x": "in.x"}, iterations: 3),
    }), inputs: {"x": "a"}, iterations: 2),
    "soft": (stage: "filter/gaussian", inputs: {"field": "outer.x"}, params: {"radius": 2, "sigma": 1}),
    "field": (stage: "shape/sphere", on: "box"),
    "ten": (number: 10),
    "show": (stage: "view/color_map", inputs: {"field": "a"}),
    "screen": (output: (), inputs: {"image": "show"}),
"#;

fn graph(nodes: &str) -> (Document, Graph) {
    let document = document(60.0, nodes, &[]);
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    (document, graph)
}

fn keeping(wires: &[&str]) -> Simulation {
    let keep = Keep::Wires(wires.iter().map(|w| View::new(w).keep()).collect());
    let mut sim = Simulation::new(gpu(), compile(&graph(NODES).0, keep)).unwrap_or_else(|e| panic!("{e}"));
    sim.write("a", &random(120, 3)).unwrap();
    step(&mut sim, 1);
    sim
}

#[test]
fn a_wire_inside_groups_is_that_of_the_last_repeat() {
    for wire in ["outer/inner/plus.x", "outer/inner/twice.y", "outer/inner.x", "outer.x"] {
        let sim = keeping(&[wire]);
        let factor = if wire.ends_with(".y") { 2.0 } else { 1.0 };
        // Six times one is added, in order.
        let expected: Vec<f64> =
            random(120, 3).iter().map(|v| f64::from(factor * (0..6).fold(*v, |sum, _| sum + 1.0))).collect();
        assert_eq!(read(&sim, wire), expected, "{wire}");
        let seen = observe_at(&sim, &View::new(wire), Some([0.0, 0.0]));
        assert_eq!(seen.sample.unwrap().components, expected[..1]);
        assert_eq!(seen.statistics.max, expected.iter().copied().fold(f64::MIN, f64::max));
    }
}

#[test]
fn a_node_that_nothing_needs_is_computed_for_its_view() {
    let needed = compile(&graph(NODES).0, Keep::Needed);
    assert!(!needed.wires.contains_key("soft.result") && !needed.wires.contains_key("outer/inner/twice.y"));
    let sim = keeping(&["soft.result"]);
    let inside: Vec<&String> = sim.plan().wires.keys().filter(|w| w.starts_with("soft/")).collect();
    assert_eq!(observe(&sim, &View::new("soft")).statistics.count, 120);
    assert!(!inside.is_empty(), "a group of the library has wires inside");
    let sim = keeping(&[inside[0]]);
    assert_eq!(observe(&sim, &View::new(inside[0])).statistics.count, 120, "{}", inside[0]);
}

#[test]
fn a_name_of_nothing_keeps_nothing_and_is_reported_by_the_view() {
    let sim = keeping(&["gone.result", "field.distance@gone", "ten.value", "", "."]);
    let mut viewer = Viewer::new(gpu()).unwrap();
    for wire in ["gone.result", "field.distance@gone", "ten.value", "", "."] {
        let problem = viewer.update(&sim, &View::new(wire)).unwrap_err().to_string();
        assert!(problem.contains("there is no such wire") && problem.contains("NODE.PORT@DOMAIN"), "{wire}: {problem}");
    }
    // The wire that the image reads is there, but its memory went to another.
    let unkept = keeping(&[]).plan().wires.iter().find(|(_, w)| !w.kept).map(|(name, _)| name.clone());
    if let Some(name) = unkept {
        let problem = viewer.update(&keeping(&[]), &View::new(&name)).unwrap_err().to_string();
        assert!(problem.contains("PlanOptions::keep"), "{problem}");
    }
}

#[test]
fn a_set_is_kept_whole_by_the_name_of_its_port() {
    let nodes = r#"
        "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "drops": (state: "Particles{position: Vec, velocity: Vec, age: f32}", capacity: 64, on: "box", inputs: {"next": "move.particles"}),
        "push": (custom: "//! Push\n//! @inout particles: Particles{velocity: Vec} -> {velocity: Vec}  Faster\nfn stage(particle: Particle) -> Vec { return particle.velocity + Vec(1.0, 0.0); }", inputs: {"particles": "drops"}),
        "move": (stage: "particles/integrate", inputs: {"particles": "push.particles"}),
        "picture": (stage: "image/checker", on: "box"),
        "screen": (output: (), inputs: {"image": "picture"}),
    "#;
    let view = View::new("push.particles.age");
    let plan = compile(&graph(nodes).0, Keep::Wires(vec![view.keep()]));
    for part in ["position", "velocity", "age", "count"] {
        assert!(plan.wires[&format!("push.particles.{part}")].kept, "{part}");
    }
    let mut sim = Simulation::new(gpu(), plan).unwrap();
    sim.write("drops.position", &[0.25, 0.75, 0.5, 0.5]).unwrap();
    sim.write("drops.age", &[3.0, 4.0]).unwrap();
    sim.set_count("drops", 2).unwrap();
    step(&mut sim, 1);
    let seen = observe_at(&sim, &view, Some([0.25, 0.75]));
    assert_eq!((seen.statistics.min, seen.statistics.max), (3.0, 4.0));
    assert_eq!(seen.sample.unwrap().components, [3.0]);
}

#[test]
fn every_node_with_memory_has_a_thumbnail_that_shows() {
    let (document, graph) = graph(NODES);
    let top = thumbnails(&graph, None);
    assert_eq!(top, ["a.value", "outer.x", "show.image", "soft.result"]);
    let inner = thumbnails(&graph, Some("outer/inner"));
    assert_eq!(inner, ["outer/inner/plus.x", "outer/inner/twice.y"]);
    assert!(thumbnails(&graph, Some("nowhere")).is_empty());
    let mut sim = Simulation::new(gpu(), compile(&document, Keep::Wires([top, inner].concat()))).unwrap();
    step(&mut sim, 1);
    let small = |wire: &String| observe(&sim, &View { size: Some((8, 8)), ..View::new(wire) }).image;
    let images = thumbnails(&graph, None).iter().map(small).collect::<Vec<_>>();
    assert!(images.iter().all(|p| (p.width, p.height) == (8, 7)), "cells are square");
}

#[test]
fn what_only_a_start_needs_is_in_no_frame() {
    let nodes = r#"
        "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "drops": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 64, on: "box", inputs: {"next": "move.particles", "init": "fill.particles"}),
        "fill": (stage: "particles/fill_box", on: "box", params: {"center": (0.5, 0.5), "size": (0.4, 0.4), "spacing": 0.1}),
        "move": (stage: "particles/integrate", inputs: {"particles": "drops"}),
        "base": (stage: "image/checker", on: "box"),
        "first": (stage: "image/tonemap", inputs: {"image": "base"}),
        "trail": (state: "Image", on: "box", inputs: {"next": "trail.value", "init": "first"}),
        "dead": (stage: "image/tonemap", inputs: {"image": "base"}),
        "screen": (output: (), inputs: {"image": "trail"}),
    "#;
    let (document, graph) = graph(nodes);
    assert_eq!(thumbnails(&graph, None), ["base.image", "dead.result", "drops.value", "move.particles", "trail.value"]);
    let nodes = |plan: &Plan| -> Vec<String> {
        let frame = plan.frame.iter().chain(&plan.invariant).map(|d| d.node.clone());
        frame.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    };
    // `base` is for a start, and for a node that nobody reads and that is kept all the same; what `move` has from `drops` is held.
    assert_eq!(nodes(&compile(&document, Keep::All)), ["base", "dead", "drops", "move", "screen"]);
    let kept_by_name = compile(&document, Keep::Wires(vec!["first".into(), "fill.particles".into()]));
    assert!(nodes(&kept_by_name).contains(&"first".into()), "who asks for it by name gets it");
    assert!(kept_by_name.frame.iter().any(|d| d.node.starts_with("fill")));
}

/// The shipped graphs, each node of theirs.
#[test]
fn thumbnails_of_the_shipped_graphs_show() {
    for name in ["stable_fluids", "curl_noise_2d"] {
        let text = std::fs::read_to_string(format!("graphs/{name}.ron")).unwrap();
        let mut document = Document::parse(&text).unwrap();
        for (_, node) in document.nodes.iter_mut() {
            if let stagewright_language::document::NodeKind::Domain(domain) = &mut node.kind {
                domain.resolution = [48.0, 48.0].map(stagewright_language::document::ParamValue::Number).to_vec();
            }
        }
        let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
        let wires = thumbnails(&graph, None);
        let keep = Keep::Wires(wires.clone());
        let plan = Plan::compile(&graph, &PlanOptions { keep, size: Some((48, 48)), ..PlanOptions::default() });
        let mut sim = Simulation::new(gpu(), plan.unwrap_or_else(|e| panic!("{e}"))).unwrap_or_else(|e| panic!("{e}"));
        step(&mut sim, 2);
        for wire in &wires {
            let seen = observe(&sim, &View { size: Some((32, 32)), ..View::new(wire) });
            assert_eq!(seen.statistics.nan + seen.statistics.infinite, 0, "{name} {wire}");
        }
        assert!(wires.len() > 4, "{name}: {wires:?}");
    }
}

/// What a view costs the simulation: nothing that it could see. And what it costs the GPU's memory: nothing from frame to frame.
#[test]
fn looking_changes_nothing_and_makes_nothing_new() {
    let keep = || Keep::Wires(vec!["outer.x".into(), "soft.result".into(), "a".into()]);
    let begin = || {
        let mut sim = Simulation::new(gpu(), compile(&graph(NODES).0, keep())).unwrap();
        sim.write("a", &random(120, 3)).unwrap();
        sim
    };
    let (mut alone, mut watched) = (begin(), begin());
    let mut viewer = Viewer::new(gpu()).unwrap();
    let view = View::new("a");
    viewer.set_pointer(Some([0.5, 0.5]));
    let mut answers = 0;
    let mut made = None;
    for frame in 0..200 {
        step(&mut alone, 1);
        step(&mut watched, 1);
        viewer.update(&watched, &view).unwrap();
        answers += usize::from(viewer.statistics().is_some() && viewer.picked().is_some());
        let now = (viewer.image().unwrap().buffer.clone(), viewer.bindings());
        if frame == 5 {
            made = Some(now);
        } else if frame > 5 {
            assert!(made.as_ref() == Some(&now), "frame {frame} made new buffers or bind groups");
        }
    }
    assert!(viewer.bindings() <= 2 && answers > 100, "{answers} of 200 frames had an answer without waiting");
    for wire in ["a", "outer.x", "soft.result"] {
        assert_eq!(words(&alone, wire), words(&watched, wire), "{wire}");
    }
    viewer.wait();
    viewer.update(&watched, &view).unwrap();
    viewer.wait();
    let sum = read(&watched, "a").iter().sum::<f64>() / 120.0;
    assert!((viewer.statistics().unwrap().mean - sum).abs() < 1e-6 * sum.abs());
}

#[test]
fn what_was_found_of_one_wire_is_not_told_of_another() {
    let sim = keeping(&["a", "outer/inner/twice.y"]);
    let mut viewer = Viewer::new(gpu()).unwrap();
    viewer.set_pointer(Some([0.1, 0.1]));
    viewer.update(&sim, &View::new("a")).unwrap();
    viewer.update(&sim, &View::new("outer/inner/twice.y")).unwrap();
    assert!(viewer.statistics().is_none_or(|s| s.min > 5.0));
    viewer.wait();
    let twice = read(&sim, "outer/inner/twice.y");
    assert_eq!(viewer.statistics().unwrap().min, twice.iter().copied().fold(f64::MAX, f64::min));
    assert!(viewer.picked().is_some());
    viewer.set_pointer(None);
    assert!(viewer.picked().is_none());
}
