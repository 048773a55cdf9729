//! What mutations start from: everything that ships, and small graphs that have what shipped ones lack.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use stagewright_language::document::Document;

pub struct Corpus {
    /// Whole graph files: the small ones, and then what ships, the shortest first.
    pub graphs: Vec<String>,
    /// The same, read.
    pub documents: Vec<Document>,
    /// Files of library groups by name.
    pub groups: Vec<(String, String)>,
    /// Stage files.
    pub shaders: Vec<String>,
    /// Expressions of all graphs.
    pub expressions: Vec<String>,
}

/// Read once a process.
pub fn corpus() -> &'static Corpus {
    static CORPUS: OnceLock<Corpus> = OnceLock::new();
    CORPUS.get_or_init(|| {
        let mut shipped = Vec::new();
        for folder in ["graphs", "graphs/templates", "src/runtime/bench/cases"] {
            shipped.extend(files(&root().join(folder), "ron", false).into_iter().map(|(_, text)| text));
        }
        shipped.sort_by_key(String::len);
        let graphs: Vec<String> = SMALL.map(String::from).into_iter().chain(shipped).collect();
        let read = |text: &String| Document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let documents: Vec<Document> = graphs.iter().map(read).collect();
        let groups = files(&root().join("graphs/lib"), "ron", true);
        let shaders: Vec<String> =
            files(&root().join("shaders"), "wgsl", true).into_iter().map(|(_, text)| text).collect();
        assert!(groups.len() > 10 && shaders.len() > 100, "the library is there");
        let mut expressions: Vec<String> = documents.iter().flat_map(expressions).collect();
        expressions.sort();
        expressions.dedup();
        Corpus { graphs, documents, groups, shaders, expressions }
    })
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files of a folder in order of their names, with their names below it.
fn files(folder: &Path, ending: &str, deep: bool) -> Vec<(String, String)> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && deep {
            let inner = files(&path, ending, true);
            found.extend(inner.into_iter().map(|(inner, text)| (format!("{name}/{inner}"), text)));
        } else if path.extension().is_some_and(|e| e == ending) {
            found.extend(std::fs::read_to_string(&path).ok().map(|text| (name, text)));
        }
    }
    found
}

fn expressions(document: &Document) -> Vec<String> {
    use stagewright_language::document::ParamValue;
    let text = |value: &ParamValue| match value {
        ParamValue::Expression(text) => Some(text.clone()),
        _ => None,
    };
    document.nodes.values().flat_map(|node| node.values().filter_map(text).collect::<Vec<_>>()).collect()
}

/// Graphs of a few nodes, which compile in milliseconds.
pub const SMALL: [&str; 5] = [
    r#"(
    version: 1,
    name: "Blur",
    nodes: {
        "domain": (domain: (resolution: (16, 12), width: 1, edge: "wall")),
        "field": (state: "Grid<f32>", inputs: {"next": "blur.field"}, params: {"value": 0.5}),
        "blur": (stage: "filter/binomial", inputs: {"field": "field.value"}, iterations: 2),
        "look": (stage: "view/color_map", inputs: {"field": "blur.field"}, params: {"high": "2 + sin(time)"}),
        "screen": (output: (size: (32, 24)), inputs: {"image": "look.image"}),
    },
)"#,
    r#"(
    version: 1,
    nodes: {
        "cells": (number: 8),
        "domain": (domain: (resolution: ("2 * cells", "cells"), width: "cells / 4", edge: "wrap")),
        "s": (state: "Grid<f32>", params: {"value": 1}, inputs: {"next": "top.x"}, precision: "f16"),
        "top": (iterations: 4, until: (number: "n", below: 0.01, every: 2), group: (
            inputs: {"x": "Grid<f32>"},
            outputs: {"x": "b.field", "n": "m.largest"},
            params: {"rounds": ["b.iterations"]},
            nodes: {
                "b": (stage: "filter/binomial", inputs: {"field": "in.x"}),
                "m": (stage: "grid/largest", inputs: {"field": "b.field"}),
            },
        ), inputs: {"x": "s"}, params: {"rounds": 3}),
        "look": (stage: "view/color_map", inputs: {"field": "top.x"}),
        "o": (output: (), inputs: {"image": "look.image"}),
    },
)"#,
    r#"(
    version: 1,
    nodes: {
        "box": (domain: (resolution: (8, 8), width: 2, edge: "clamp")),
        "ball": (stage: "shape/sphere", params: {"center": "[1, 1 + 0.1 * time]", "radius": 0.5}),
        "hole": (stage: "shape/sphere", params: {"radius": 0.2}),
        "both": (stage: "shape/union", inputs: {"a": "ball.distance", "b": "hole.distance"}, params: {"blend": 0.05}),
        "pass": (reroute: (), inputs: {"value": "both.distance"}),
        "grid": (stage: "grid/from_field", inputs: {"field": "pass.value"}, on: "box"),
        "largest": (stage: "grid/largest", inputs: {"field": "grid.result"}),
        "look": (stage: "view/color_map", inputs: {"field": "grid.result"}),
        "screen": (output: (), inputs: {"image": "look.image"}),
    },
)"#,
    r##"(
    version: 1,
    input: (repeat: true, pointer: [(t: 0, x: 0.1, y: 0.5, buttons: 1), (t: 1.5, x: 0.9, y: 0.5)], keys: [(from: 0.5, to: 1, keys: 1)]),
    frames: [(title: "Comment", at: (-10, -10), size: (300, 200), color: "#336699")],
    nodes: {
        "domain": (domain: (resolution: (8, 8), width: 1, edge: "mirror")),
        "mine": (custom: r#"//! Mine
//! @in    before: Grid<f32> = 0   What was
//! @out   after: Grid<f32>        What is
//! @param rate: f32 = 0.5, 0..1   How much
//! @param shape: curve = [(0, 0), (1, 1)]    Over what

fn stage(cell: Cell) -> f32 {
    var sum = 0.0;
    for (var face = 0; face < FACES; face++) { sum += before(neighbor(cell, face)); }
    return mix(before(cell), shape(sum / f32(FACES)), params.rate);
}
"#, inputs: {"before": "s.value"}, params: {"shape": [(0, 1), (0.5, 0.2), (1, 0)]}, muted: true, at: (10, 20)),
        "s": (state: "Grid<f32>", inputs: {"next": "mine.after"}),
        "look": (stage: "view/color_map", inputs: {"field": "mine.after"}),
        "o": (output: (), inputs: {"image": "look.image"}),
    },
)"##,
    r#"(
    version: 1,
    nodes: {
        "domain": (domain: (resolution: (8, 8), width: 1, edge: "zero")),
        "drops": (state: "Particles{position: Vec, velocity: Vec}", on: "domain", capacity: 100, inputs: {"next": "sort.particles"}),
        "emit": (stage: "particles/emit_box", inputs: {"particles": "drops.value"}, params: {"amount": 2}),
        "move": (stage: "particles/integrate", inputs: {"particles": "emit.particles"}),
        "sort": (stage: "neighbors/fill", inputs: {"particles": "move.particles"}),
        "count": (stage: "particles/to_grid", inputs: {"particles": "sort.particles"}, on: "domain"),
        "look": (stage: "view/color_map", inputs: {"field": "count.amount"}),
        "o": (output: (), inputs: {"image": "look.image"}),
    },
)"#,
];

/// A graph of a few cells, whose frames all differ.
pub const TINY: &str = r#"(
    version: 1,
    name: "Tiny",
    nodes: {
        "box": (domain: (resolution: (16, 12), width: 1, edge: "wall")),
        "s": (state: "Grid<f32>", inputs: {"next": "p.x"}),
        "p": (custom: "//! Paint
//! @inout x: Grid<f32> = 0
//! @param rate: f32 = 0.5, 0..10
fn stage(cell: Cell) -> f32 {
    let v = position(cell).x * 0.37 + position(cell).y * 1.91;
    return x(cell) * 0.97 + params.rate * sin(v * 7.0 + f32(frame.index) * 0.3) * frame.dt;
}", inputs: {"x": "s"}, params: {"rate": 0.5}),
        "look": (stage: "view/color_map", inputs: {"field": "p.x"}, params: {"low": -0.1, "high": 0.1}),
        "screen": (output: (size: (16, 12)), inputs: {"image": "look.image"}),
    },
)"#;

/// A grid in 3D that differs from frame to frame.
pub const BALL: &str = r#"(
    version: 1,
    nodes: {
        "box": (domain: (resolution: (8, 8, 8), width: 1, edge: "wall")),
        "ball": (stage: "shape/sphere", params: {"center": "[0.5, 0.4 + 0.1 * sin(time), 0.5]", "radius": 0.3}, on: "box"),
    },
)"#;
