//! Shapes of dispatches change nothing but their speed: swept on tiles, a stage gives the bits that it gives cell by cell.

use stagewright_compiler::tuning::{self, Shape};
use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::graph::{Graph, Kind};
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;
use stagewright_test_support::seed::today;

/// A graph's plan, with one shape for every stage that can take it.
pub fn shaped(nodes: &str, values: &[(&str, String)], shape: Option<&dyn Fn(u32) -> Shape>) -> Plan {
    let document = document(60.0, nodes, &pairs(values));
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let mut tuning = Tuning::default();
    for node in &graph.nodes {
        if let (Kind::Stage(stage), Some(shape)) = (&node.kind, shape) {
            let dim = node.domain.map_or(2, |d| graph.domains[d].dim);
            tuning.shapes.insert(tuning::key(&graph, node, stage), shape(dim));
        }
    }
    let states = graph.nodes.iter().filter(|node| matches!(node.kind, Kind::State(_)));
    let keep = Keep::Wires(states.map(|node| format!("{}.value", node.path)).collect());
    Plan::compile(&graph, &PlanOptions { keep, tuning, ..PlanOptions::default() }).unwrap_or_else(|e| panic!("{e}"))
}

/// The States after two frames that begin with noise.
pub fn outcome(plan: Plan, states: &[&str]) -> Vec<Vec<u32>> {
    let mut simulation = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
    for (index, state) in states.iter().enumerate() {
        let count = simulation.read(state).unwrap_or_else(|e| panic!("{e}")).words.len();
        simulation.write(state.split('.').next().unwrap_or(state), &random(count, index as u32 + 1)).unwrap();
    }
    step(&mut simulation, 2);
    states.iter().map(|state| words(&simulation, state)).collect()
}

pub const EDGES: [&str; 5] = ["wall", "clamp", "zero", "wrap", "mirror"];

const SWEEPS: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "rhs": (state: "Grid<f32>"),
    "p": (state: "Grid<f32>", inputs: {"next": "sweep.pressure"}),
    "sweep": (stage: "$stage", inputs: {"divergence": "rhs.value", "pressure": "p.value"},
              params: {"relaxation": 0.9}, iterations: $count),
"#;

#[test]
fn sweeps_on_tiles_give_the_same_bits() {
    let mut tiled = 0;
    let domains = ["150, 131", "40, 10", "34, 21, 19", "5, 4, 70"];
    let cases = domains.iter().flat_map(|cells| EDGES.iter().map(move |edge| (cells, edge)));
    for (index, (cells, edge)) in cases.enumerate() {
        for (stage, count) in [("fluid/pressure_jacobi", 7), ("fluid/pressure_sor", 3)] {
            let values = [
                ("$cells", cells.to_string()),
                ("$edge", edge.to_string()),
                ("$stage", stage.into()),
                ("$count", count.to_string()),
            ];
            let plain = shaped(SWEEPS, &values, None);
            let sweeps = [2, 4, 8][index % 3];
            // Few cells per invocation: a software driver takes long over much text.
            let flat = Shape { group: [32, 8, 1], cells: 4, sweeps, halo: 0 };
            let tile = |dim| if dim == 3 { Shape { group: [8, 8, 4], cells: 4, sweeps, halo: 0 } } else { flat };
            let plan = shaped(SWEEPS, &values, Some(&tile));
            let (before, after) = (plain.frame.len(), plan.frame.len());
            tiled += usize::from(after < before);
            let states = ["p.value", "rhs.value"];
            let (expected, found) = (outcome(plain, &states), outcome(plan, &states));
            let apart = expected[0].iter().zip(&found[0]).filter(|(a, b)| a != b).count();
            assert_eq!(apart, 0, "{stage} x{count}, {cells}, {edge}, {sweeps} sweeps: {before} to {after} dispatches");
        }
    }
    assert!(tiled >= 36, "only {tiled} plans had tiles");
}

/// Vectors, whose components along a wall's normal are the negative across it, and a source that each cell reads of its own.
const SPREAD: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "smoke": (state: "Grid<$type>", inputs: {"next": "spread.field"}),
    "spread": (stage: "fluid/diffuse", inputs: {"before": "smoke.value", "field": "smoke.value"},
               params: {"diffusivity": 0.01}, iterations: 4),
"#;

#[test]
fn vectors_swept_on_tiles_give_the_same_bits() {
    for (index, edge) in EDGES.iter().enumerate() {
        for (ty, cells) in [("vec4f", "50, 70"), ("Vec", "70, 50"), ("Vec", "20, 12, 22")] {
            let values = [("$cells", cells.into()), ("$edge", edge.to_string()), ("$type", ty.into())];
            let sweeps = [4, 8][index % 2];
            let tile = |dim| match dim {
                3 => Shape { group: [8, 8, 4], cells: 2, sweeps, halo: 0 },
                _ => Shape { group: [32, 8, 1], cells: 4, sweeps, halo: 0 },
            };
            let (plain, plan) = (shaped(SPREAD, &values, None), shaped(SPREAD, &values, Some(&tile)));
            assert!(plan.frame.len() < plain.frame.len(), "{ty} {cells}");
            let (expected, found) = (outcome(plain, &["smoke.value"]), outcome(plan, &["smoke.value"]));
            let apart = expected[0].iter().zip(&found[0]).filter(|(a, b)| a != b).count();
            assert_eq!(apart, 0, "{ty}, {cells}, {edge}, {sweeps} sweeps");
        }
    }
}

/// Viscosity on faces, between cells that are not open, and around an obstacle that moves.
const VISCOUS: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: $edge)),
    "flow": (state: "FaceGrid", inputs: {"next": "spread.velocity"}),
    "cells": (state: "Grid<f32>"),
    "ball": (stage: "shape/sphere", params: {"center": (0.4, 0.3, 0.4), "radius": 0.2}),
    "obstacle": (stage: "staggered/obstacle", inputs: {"shape": "ball"}),
    "spread": (stage: "staggered/diffuse", inputs: {"before": "flow.value", "velocity": "flow.value", $around}, params: {"viscosity": 0.01, "top": (1, 0, 0)}, iterations: 5),
"#;

#[test]
fn faces_swept_on_tiles_give_the_same_bits() {
    let around = [
        r#""open": "cells.value""#,
        r#""fraction": "obstacle.fraction", "distance": "obstacle.distance", "motion": "obstacle.velocity""#,
    ];
    let edges = EDGES.map(|edge| format!("\"{edge}\""));
    let sides = r#"(left: "inflow", right: "open", bottom: "mirror", top: "wall")"#.to_string();
    for (index, edge) in edges.into_iter().chain([sides]).enumerate() {
        // Each takes a second: one size on a day.
        let sizes = today(["50, 70", "12, 9", "20, 12, 22"], 3);
        for (number, cells) in sizes.into_iter().enumerate() {
            let around = around[(index + number) % 2];
            let values = [("$cells", cells.to_string()), ("$edge", edge.clone()), ("$around", around.into())];
            let tile = |dim| match dim {
                3 => Shape { group: [8, 8, 4], cells: 2, sweeps: 2, halo: 0 },
                _ => Shape { group: [32, 8, 1], cells: 2, sweeps: [2, 6][index % 2], halo: 0 },
            };
            let (plain, plan) = (shaped(VISCOUS, &values, None), shaped(VISCOUS, &values, Some(&tile)));
            assert_eq!(plan.frame.len() < plain.frame.len(), edge != "\"wrap\"", "{cells}, {edge}");
            let states = ["flow.value", "cells.value"];
            let (expected, found) = (outcome(plain, &states), outcome(plan, &states));
            let apart = expected[0].iter().zip(&found[0]).filter(|(a, b)| a != b).count();
            assert_eq!(apart, 0, "{cells}, {edge}");
        }
    }
}

/// Sweeps of a checkerboard over cells and over faces.
const COLORS: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "p": (state: "Grid<f32>", inputs: {"next": "sweep.pressure"}),
    "flow": (state: "FaceGrid", inputs: {"next": "spread.velocity"}),
    "source": (stage: "grid/random"),
    "sweep": (stage: "fluid/pressure_sor", on: "domain", inputs: {"divergence": "source", "pressure": "p"}, iterations: 3),
    "spread": (stage: "staggered/diffuse", inputs: {"before": "flow", "velocity": "flow"}, params: {"viscosity": 0.01}, iterations: 3),
"#;

/// Where a sweep of one colour changes its grid in place, no invocation has a cell of the other. What it computes is held against f64 elsewhere.
#[test]
fn sweeps_of_one_color_run_over_its_cells_alone() {
    for (cells, edge) in [("70, 51", "wall"), ("41, 35, 26", "clamp"), ("66, 50", "wrap"), ("62, 60", "mirror")] {
        let values = [("$cells", cells.to_string()), ("$edge", edge.to_string())];
        let plan = shaped(COLORS, &values, None);
        for (node, layer) in [("sweep", 0), ("spread", 1)] {
            let sweeps = plan.frame.iter().filter(|dispatch| dispatch.node == node && !dispatch.part.is_empty());
            let lanes = sweeps.map(|d| d.groups.iter().chain(&plan.kernels[d.kernel].workgroup).product::<u32>());
            let places: u32 = cells.split(", ").map(|n| n.parse::<u32>().unwrap() + layer).product();
            let lanes: Vec<u32> = lanes.collect();
            let what = format!("{node} on {cells}, {edge}: {lanes:?} invocations, {places} places");
            assert!(lanes.len() == 6 && lanes[1..].iter().all(|lanes| *lanes < places), "{what}");
        }
    }
}

/// A flow on faces that is changed in place by where it is, everywhere and in blocks.
const TURNED: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: $edge)),
    "flow": (state: "FaceGrid", on: "box", inputs: {"next": "stir.u"}),
    "spot": (custom: "//! Spot\n//! @out m: Grid<f32>\nfn stage(cell: Cell) -> f32 { return f32(cell.x < 9); }\n", on: "box"),
    "stir": (custom: r#"//! Stir
        //! @inout u: FaceGrid
        fn stage(cell: Cell) -> Vec { return 0.5 * u(cell) + position(cell); }"#, $where inputs: {"u": "flow"}),
"##;

/// Whatever plan runs, and however many threads: a face around a periodic side has one value.
#[test]
fn the_last_face_around_a_periodic_side_is_the_first() {
    let cells = [("20, 12", [20, 12, 0]), ("18, 11, 10", [18, 11, 10])];
    let edges = [(r#""wrap""#, [true; 3]), (r#"(x: "wrap", bottom: "wall")"#, [true, false, false])];
    for ((cells, n), (edge, wraps)) in cells.into_iter().flat_map(|cells| edges.map(|edge| (cells, edge))) {
        for confined in ["", r#"where: "spot","#] {
            let values = [("$cells", cells.to_string()), ("$edge", edge.into()), ("$where", confined.into())];
            let (mut every, mut plain) =
                (start(60.0, TURNED, &pairs(&values)), start_fused(60.0, TURNED, &pairs(&values), &["flow.value"]));
            [&mut every, &mut plain].into_iter().for_each(|sim| step(sim, 3));
            let flow = words(&plain, "flow.value");
            assert_eq!(words(&every, "flow.value"), flow, "{cells}, {edge}, {confined}");
            let dim = if n[2] == 0 { 2 } else { 3 };
            let at = |c: [usize; 3], axis: usize| flow[dim * ((c[2] * (n[1] + 1) + c[1]) * (n[0] + 1) + c[0]) + axis];
            let mut moved = 0;
            for axis in (0..dim).filter(|axis| wraps[*axis]) {
                let others = (0..dim).filter(|other| *other != axis).map(|other| n[other]);
                for (i, component) in (0..others.product::<usize>()).flat_map(|i| (0..dim).map(move |c| (i, c))) {
                    let mut first = [0; 3];
                    let mut rest = i;
                    for other in (0..dim).filter(|other| *other != axis) {
                        (first[other], rest) = (rest % n[other], rest / n[other]);
                    }
                    let mut last = first;
                    last[axis] = n[axis];
                    // Along the side only what crosses it is a face there.
                    let expected = if component == axis { at(first, component) } else { 0 };
                    assert_eq!(
                        at(last, component),
                        expected,
                        "{cells}, {edge}, {confined}: {last:?} along {component}"
                    );
                    moved += usize::from(expected != 0);
                }
            }
            assert!(moved > 0, "{cells}, {edge}, {confined}: nothing to see");
        }
    }
}

/// What sweeps read of their own cell, and what they continue from, each made by a stage before; the first is read later, too.
const MADE: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "flow": (state: "Grid<Vec>", inputs: {"next": "project.velocity"}),
    "p": (state: "Grid<f32>", inputs: {"next": "sweep.pressure"}),
    "divergence": (stage: "fluid/divergence", inputs: {"velocity": "flow.value"}),
    "half": (custom: "//! Half\n//!\n//! @inout result: Grid<f32>\nfn stage(cell: Cell) -> f32 { return 0.5 * result(cell); }\n", inputs: {"result": "p.value"}),
    "sweep": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "divergence.divergence", "pressure": "half.result"}, iterations: 8),
    "project": (stage: "fluid/project", inputs: {"pressure": "sweep.pressure", "velocity": "flow.value"}),
"#;

#[test]
fn what_sweeps_start_from_is_made_in_their_tiles() {
    for (cells, edge) in [("70, 50", "wall"), ("64, 96", "wrap"), ("33, 40", "zero"), ("20, 12, 22", "clamp")] {
        let values = [("$cells", cells.to_string()), ("$edge", edge.into())];
        let plain = shaped(MADE, &values, None);
        let document = document(60.0, MADE, &pairs(&values));
        let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
        let mut tuning = Tuning { fuse: true, ..Tuning::default() };
        for node in graph.nodes.iter().filter(|node| node.path == "sweep") {
            let Kind::Stage(stage) = &node.kind else { continue };
            let group = if cells.split(',').count() == 3 { [8, 8, 4] } else { [32, 8, 1] };
            tuning.shapes.insert(tuning::key(&graph, node, stage), Shape { group, cells: 4, sweeps: 4, halo: 0 });
        }
        let keep = Keep::Wires(vec!["flow.value".into(), "p.value".into()]);
        let plan = Plan::compile(&graph, &PlanOptions { keep, tuning, ..PlanOptions::default() }).unwrap();
        let first = plan.frame.iter().find(|d| d.node == "sweep").unwrap();
        let with: Vec<&str> = first.with.iter().map(String::as_str).collect();
        assert!(with.contains(&"divergence") && with.contains(&"half"), "{cells}: {with:?}");
        let states = ["flow.value", "p.value"];
        assert_eq!(outcome(plain, &states), outcome(plan, &states), "{cells} {edge}");
    }
}

/// Two ports that depend on each other, of one and of two numbers, read some cells away.
const REACTION: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "a": (state: "Grid<f32>", inputs: {"next": "react.a"}),
    "b": (state: "Grid<Vec>", inputs: {"next": "react.b"}),
    "react": (custom: "//! React\n//! Two fields that act on each other.\n//!\n//! @inout a: Grid<f32>, radius 2\n//! @inout b: Grid<Vec>, radius 1\n//! @in still: Grid<f32> = 0.25\nfn stage(cell: Cell) -> Result {\n    let step = unit(0);\n    let near = a(cell + 2 * step) + a(cell - 2 * step) - 2.0 * a(cell);\n    var around = Vec();\n    for (var face = 0; face < FACES; face++) { around += b(neighbor(cell, face)); }\n    let mixed = 0.7 * a(cell) + 0.1 * near + 0.05 * around.x + still(cell) * f32(iteration);\n    return Result(mixed, around / f32(FACES) + Vec(0.01 * a(cell)));\n}\n",
              inputs: {"a": "a.value", "b": "b.value"}, iterations: 7),
"#;

#[test]
fn several_ports_that_look_farther_give_the_same_bits() {
    for (cells, edge) in [("90, 75", "clamp"), ("90, 75", "wall"), ("61, 40", "mirror"), ("20, 21, 22", "zero")] {
        let values = [("$cells", cells.to_string()), ("$edge", edge.into())];
        // A cube of memory is narrow.
        let nodes =
            if cells.split(',').count() == 3 { REACTION.replace("radius 2", "radius 1") } else { REACTION.into() };
        let plain = shaped(&nodes, &values, None);
        let plan = shaped(&nodes, &values, Some(&|dim| Shape::tile(dim, 1 + dim.next_power_of_two(), 2)));
        assert!(plan.frame.len() < plain.frame.len(), "{}", plan.to_text());
        let states = ["a.value", "b.value"];
        assert_eq!(outcome(plain, &states), outcome(plan, &states), "{cells} {edge}");
    }
}

/// A stage that looks farther than it says is held to what it says, in whatever shape.
#[test]
fn a_radius_is_held() {
    let nodes = REACTION.replace("radius 2", "radius 1");
    let values = [("$cells", "50, 45".to_string()), ("$edge", "clamp".into())];
    let (plain, states) = (shaped(&nodes, &values, None), ["a.value", "b.value"]);
    let plan = shaped(&nodes, &values, Some(&|dim| Shape::tile(dim, 3, 3)));
    assert!(plan.frame.len() < plain.frame.len());
    let expected = outcome(plain, &states);
    assert_eq!(expected, outcome(plan, &states));
    assert_ne!(expected, outcome(shaped(REACTION, &values, None), &states));
}

/// One cell at a time, and four of a row, across faces and at the cell itself, of one to four numbers.
#[test]
fn rows_of_four_give_the_same_bits() {
    let nodes = r#"
        "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
        "p": (state: "Grid<f32>", inputs: {"next": "mix.a"}),
        "v": (state: "Grid<Vec>", inputs: {"next": "mix.v"}),
        "q": (state: "Grid<vec4f>", inputs: {"next": "mix.q"}),
        "mix": (custom: "//! Mix\n//! Reads and writes grids of one to four numbers.\n//!\n//! @inout a: Grid<f32>, radius 1\n//! @inout v: Grid<Vec>\n//! @inout q: Grid<vec4f>\n//! @in near: Grid<f32>\n//! @in far: Grid<Vec>\nfn stage(cell: Cell) -> Result {\n    var sum = 0.5 * near(cell);\n    for (var face = 0; face < FACES; face++) { sum += f32(face + 1) * a(neighbor(cell, face)) - near(neighbor(cell, face)); }\n    let here = v(cell) + Vec(a(cell)) + f32(iteration);\n    return Result(0.1 * sum, 0.5 * here + 0.25 * far_at(position(cell) + Vec(0.01)), q(cell).wxyz * 0.5 + sum);\n}\n",
                inputs: {"a": "p.value", "v": "v.value", "q": "q.value", "near": "p.value", "far": "v.value"}, iterations: 3),
    "#;
    let states = ["p.value", "v.value", "q.value"];
    for cells in ["60, 31", "20, 9, 7", "4, 5, 3"] {
        for edge in ["wall", "clamp", "wrap", "mirror"] {
            let values = [("$cells", cells.to_string()), ("$edge", edge.to_string())];
            let plain = shaped(nodes, &values, None);
            let plan = shaped(nodes, &values, Some(&Shape::rows));
            let wide =
                plan.kernels.iter().filter(|k| k.wgsl.contains("array<vec4f>") && k.wgsl.contains("_w_near")).count();
            assert!(wide > 0, "{cells} {edge}: {}", plan.to_text());
            assert_eq!(outcome(plain, &states), outcome(plan, &states), "{cells} {edge}");
        }
    }
    for edge in ["wall", "wrap"] {
        let values = [
            ("$cells", "12, 10, 8".into()),
            ("$edge", edge.to_string()),
            ("$stage", "fluid/pressure_jacobi".into()),
            ("$count", "4".into()),
        ];
        let (plain, plan) = (shaped(SWEEPS, &values, None), shaped(SWEEPS, &values, Some(&Shape::rows)));
        assert!(plan.kernels.iter().any(|k| k.wgsl.contains("_w_pressure_above")), "{}", plan.to_text_with_wgsl());
        let states = ["p.value", "rhs.value"];
        assert_eq!(outcome(plain, &states), outcome(plan, &states), "{edge}");
    }
}

/// What only one stage reads, elsewhere than at its own cell, it computes again where that is little work.
#[test]
fn what_is_made_again_is_the_same() {
    let nodes = r#"
        "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
        "dye": (state: "Grid<vec4f>", inputs: {"next": "carry.result"}),
        "flow": (state: "Grid<Vec>"),
        "pour": (stage: "fluid/add_source", inputs: {"field": "dye.value"}, params: {"rate": 20, "source": (1, 0.5, 0.25, 1)}),
        "carry": (stage: "fluid/advect", inputs: {"field": "pour.field", "velocity": "flow.value"}),
    "#;
    let states = ["dye.value", "flow.value"];
    for cells in ["40, 30", "18, 12, 10"] {
        for edge in EDGES {
            let values = [("$cells", cells.to_string()), ("$edge", edge.to_string())];
            let plain = shaped(nodes, &values, None);
            let document = document(60.0, nodes, &pairs(&values));
            let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
            let keep = Keep::Wires(states.map(String::from).to_vec());
            let options = PlanOptions { keep, tuning: Tuning::gpu(), ..PlanOptions::default() };
            let plan = Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
            let [dispatch] = plan.frame.as_slice() else { panic!("{}", plan.to_text()) };
            assert_eq!((dispatch.node.as_str(), dispatch.with.as_slice()), ("carry", &["pour".to_string()][..]));
            assert!(plan.memory <= plain.memory, "the poured dye needs no memory of its own");
            assert_eq!(outcome(plain, &states), outcome(plan, &states), "{cells} {edge}");
        }
    }
}

/// Workgroups of a GPU are shaped by what they run over: rows of 32 cells leave a sixth of 80 without one, and rays of a block are alike.
#[test]
fn workgroups_that_fit_give_the_same_bits() {
    let nodes = r##"
        "domain": (domain: (resolution: ($cells), width: 1, edge: "wall")),
        "picture": (domain: (resolution: (240, 150), width: 1, edge: "clamp")),
        "smoke": (state: "Grid<f32>", on: "domain", inputs: {"next": "carry.result"}),
        "flow": (state: "Grid<Vec>", on: "domain"),
        "carry": (stage: "fluid/advect", inputs: {"field": "smoke", "velocity": "flow"}),
        "camera": (stage: "view/camera", params: {"distance": 2.5, "look_at": (0.5, 0.2, 0.1)}),
        "look": (stage: "view/smoke_volume", on: "picture", inputs: {"camera": "camera.camera", "density": "carry.result"}, params: {"size": (1, 0.4, 0.2)}),
        "image": (state: "Grid<vec4f>", on: "picture", inputs: {"next": "tone.result"}),
        "tone": (stage: "image/tonemap", inputs: {"image": "look.image"}),
    "##;
    let states = ["smoke.value", "flow.value", "image.value"];
    for (cells, groups) in [("80, 32, 16", ["16x4x4", "16x4x1"]), ("64, 32, 18", ["32x4x2", "16x4x1"])] {
        let values = [("$cells", cells.to_string())];
        let document = document(60.0, nodes, &pairs(&values));
        let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
        let keep = Keep::Wires(states.map(String::from).to_vec());
        let options = PlanOptions { keep, tuning: Tuning::gpu(), ..PlanOptions::default() };
        let plan = Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
        for (node, group) in ["carry", "tone"].iter().zip(groups) {
            let dispatch = plan.frame.iter().find(|dispatch| dispatch.node == *node).unwrap();
            let [x, y, z] = plan.kernels[dispatch.kernel].workgroup;
            assert_eq!(format!("{x}x{y}x{z}"), group, "{node} of {cells}");
        }
        assert_eq!(outcome(shaped(nodes, &values, None), &states), outcome(plan, &states), "{cells}");
    }
}
