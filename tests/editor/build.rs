//! A solver from nothing, by pointer and keys.

use eframe::egui::{Key, Vec2, vec2};
use stagewright_language::document::{Document, Node, NodeKind, ParamValue, Substeps};
use stagewright_language::library::Library;

use super::bench::Bench;

/// Large enough for every node and every parameter to be in sight.
const SIZE: Vec2 = vec2(3200.0, 2300.0);
/// Room for a node on the canvas \[points\].
const CELL: Vec2 = vec2(240.0, 200.0);
const COLUMNS: usize = 7;

/// What it is called in the palette, so that typing it finds it.
fn palette_name(kind: &NodeKind) -> &str {
    match kind {
        NodeKind::Stage(name) => name,
        NodeKind::Domain(_) => "Domain",
        NodeKind::State(_) => "State",
        NodeKind::Number(_) => "Number",
        NodeKind::Output(_) => "Output",
        other => panic!("the graph has a {other:?}"),
    }
}

/// Makes the selected node what another is, apart from its wires.
fn fill_in(bench: &mut Bench, name: &str, wanted: &Node) {
    let now = |bench: &Bench| bench.document().nodes[name].clone();
    match (&wanted.kind, now(bench).kind) {
        (NodeKind::Domain(wanted), NodeKind::Domain(now)) => {
            for (axis, (cells, before)) in wanted.resolution.iter().zip(&now.resolution).enumerate() {
                let ParamValue::Number(count) = cells else { panic!("{cells} is computed") };
                if cells != before {
                    bench.set_number(["cells x", "cells y", "cells z"][axis], *count);
                }
            }
            if let (ParamValue::Number(width), false) = (&wanted.width, wanted.width == now.width) {
                bench.set_number("width", *width);
            }
            if wanted.edge != now.edge {
                bench.choose("edge", &wanted.edge.to_string());
            }
        }
        (NodeKind::State(wanted), NodeKind::State(now)) if *wanted != now => bench.choose("holds", wanted),
        (NodeKind::Output(wanted), NodeKind::Output(now)) => {
            if wanted.size.is_some() != now.size.is_some() {
                bench.toggle("Custom size");
            }
            if let Some((width, height)) = wanted.size {
                bench.set_number("width", width.into());
                bench.set_number("height", height.into());
            }
        }
        (wanted, now) => assert!(*wanted == now, "{name} is {now:?}"),
    }
    if let Some(domain) = wanted.on.as_ref().filter(|domain| now(bench).on.as_ref() != Some(domain)) {
        bench.choose("domain", domain);
    }
    for (param, value) in &wanted.params {
        bench.set(param, value);
    }
    if let Some(count) = &wanted.iterations {
        bench.set("iterations", count);
    }
    let (mut now, wanted) = (now(bench), &sparse(wanted));
    (now.at, now.inputs, now.comment) = (wanted.at, wanted.inputs.clone(), wanted.comment.clone());
    assert_eq!(&now, wanted, "{name} is not what was typed");
}

/// Without the values that a stage has anyway: typing them changes nothing.
fn sparse(node: &Node) -> Node {
    let mut node = node.clone();
    if let NodeKind::Stage(name) = &node.kind
        && let Some(stage) = Library::builtin().stage(name)
    {
        node.params.retain(|param, value| stage.param(param).is_none_or(|declared| declared.default != *value));
    }
    node
}

/// A graph without what is only for the eye.
fn bare(document: &Document) -> Document {
    let mut document = document.clone();
    document.about.clear();
    document.frames.clear();
    for node in document.nodes.values_mut() {
        *node = sparse(node);
        (node.at, node.comment) = ((0.0, 0.0), String::new());
    }
    document
}

#[test]
fn stable_fluids_is_built_by_gestures_alone_undone_and_redone() {
    // What is expected of its wires keeps them in memory, which makes another plan.
    let mut document = Bench::shipped("stable_fluids", vec2(1200.0, 800.0)).document().clone();
    document.expect.clear();
    document.variants.clear();
    document.substeps = Substeps::default();
    let mut shipped = Bench::from_text(&document.to_text(), vec2(1200.0, 800.0));
    shipped.compiled();
    let (wanted, plan) = (shipped.document().clone(), shipped.plan());
    drop(shipped);

    let mut bench = Bench::empty(SIZE);
    // Images of every step would take a minute.
    bench.key(Key::Space);
    let nothing = bench.document().clone();
    bench.set_text("name", &wanted.name);
    let corner = bench.canvas().min + vec2(30.0, 30.0);
    // Domains first, since other nodes choose among them.
    let mut nodes: Vec<(&String, &Node)> = wanted.nodes.iter().collect();
    nodes.sort_by_key(|(_, node)| !matches!(node.kind, NodeKind::Domain(_)));
    for (index, (name, node)) in nodes.iter().enumerate() {
        let cell = vec2((index % COLUMNS) as f32, (index / COLUMNS) as f32);
        let default_name = bench.add(palette_name(&node.kind), corner + cell * CELL);
        if default_name != **name {
            bench.rename(name);
        }
        assert_eq!(bench.selected(), **name, "it has its name");
        fill_in(&mut bench, name, node);
    }
    for (name, node) in &nodes {
        for (port, link) in &node.inputs {
            bench.connect(&format!("output {link}"), &format!("input {name}.{port}"));
            let inputs = &bench.document().nodes[*name].inputs;
            assert_eq!(inputs.get(port), Some(link), "the wire from {link} to {name}.{port}");
        }
    }
    let built = bench.document().clone();
    assert_eq!(bare(&built), bare(&wanted));
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    assert!(!plan.is_empty() && bench.plan() == plan, "the plan is that of the file");

    let mut steps = 0;
    while bench.document() != &nothing {
        bench.undo();
        steps += 1;
        assert!(steps < 1000, "undo comes to an end");
    }
    bench.ctrl(Key::Z);
    assert_eq!(bench.document(), &nothing, "before the first step there was nothing");
    (0..steps).for_each(|_| bench.redo());
    assert_eq!(bench.document(), &built);
    bench.compiled();
    assert!(bench.plan() == plan, "redone, it is the plan of the file again");
    println!("{} nodes, {steps} steps back and forth", built.nodes.len());
}
