//! Meshes and images as signed distances: what a file holds is what the GPU reads.

use stagewright::graph::Graph;
use stagewright::library::Library;
use stagewright::plan::{Keep, Plan, PlanOptions};
use stagewright::problem::Problems;
use stagewright::sim::Simulation;

use super::harness::*;

/// A cube of edge 0.4 around the origin.
fn cube() -> String {
    let mut text = String::new();
    for i in 0..8 {
        let side = |bit: i32| if i >> bit & 1 == 1 { 0.2 } else { -0.2 };
        text += &format!("v {} {} {}\n", side(0), side(1), side(2));
    }
    text + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
}

fn start_in(folder: &std::path::Path, nodes: &str) -> Result<Simulation, Problems> {
    let document = document(60.0, nodes, &[]);
    let graph = Graph::build(&document, Library::builtin())?;
    let options = PlanOptions { keep: Keep::All, folder: folder.into(), ..PlanOptions::default() };
    Simulation::new(gpu(), Plan::compile(&graph, &options)?)
}

fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("stagewright_files_{name}_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

const NODES: &str = r#"
    "tank": (domain: (resolution: (12, 10, 8), width: 1.2, edge: "wall")),
    "cube": (file: "cube.obj", params: {"center": (0.5, 0.45, 0.4), "size": 0.4}),
    "field": (stage: "field/from_grid", inputs: {"grid": "cube.distance"}),
    "sampled": (stage: "grid/from_field", inputs: {"field": "field.field"}),
    "kept": (state: "Grid<f32>", inputs: {"init": "sampled.result", "next": "kept"}),
"#;

#[test]
fn a_mesh_is_its_distance_on_the_gpu_and_at_the_start() {
    let folder = folder("mesh");
    std::fs::write(folder.join("cube.obj"), cube()).unwrap();
    let field = stagewright::library::Library::builtin().stage("field/from_grid").unwrap();
    let (input, output) = (field.inputs().next().unwrap().name.clone(), field.outputs().next().unwrap().name.clone());
    let nodes =
        NODES.replace("{\"grid\":", &format!("{{\"{input}\":")).replace("field.field", &format!("field.{output}"));
    let mut simulation = start_in(&folder, &nodes).unwrap_or_else(|e| panic!("{e}"));
    step(&mut simulation, 2);
    let exact = |index: usize| {
        let cell = [index % 12, index / 12 % 10, index / 120];
        let center = [0.5, 0.45, 0.4];
        let q: Vec<f64> = (0..3).map(|a| ((cell[a] as f64 + 0.5) * 0.1 - center[a]).abs() - 0.2).collect();
        let outside = q.iter().map(|v| v.max(0.0).powi(2)).sum::<f64>().sqrt();
        outside + q.iter().copied().fold(f64::MIN, f64::max).min(0.0)
    };
    // f32 holds coordinates of up to 1.2 m and distances of up to 1 m, a few roundings each.
    let bar = 8.0 * U;
    for wire in ["cube.value", "kept.value"] {
        let error = read(&simulation, wire).iter().enumerate().map(|(i, v)| (v - exact(i)).abs()).fold(0.0, f64::max);
        println!("{wire}: off by {error:.1e} m of a cube's distance, bar {bar:.1e}");
        assert!(error <= bar, "{wire}: {error:e}");
    }
    simulation.reset();
    step(&mut simulation, 1);
    assert!((read(&simulation, "cube.value")[0] - exact(0)).abs() <= bar, "a reset leaves the file's value alone");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_file_that_is_not_there_is_named_with_its_node() {
    let folder = folder("missing");
    let nodes = "\"tank\": (domain: (resolution: (8, 8, 8), width: 1)), \"shape\": (file: \"no.obj\"), \"s\": (state: \"Grid<f32>\", inputs: {\"next\": \"shape.distance\"}),";
    let said = start_in(&folder, nodes).err().map(|p| p.to_string()).unwrap_or_default();
    println!("{said}");
    assert!(said.starts_with("shape.file: ") && said.contains("no.obj"), "{said}");
    std::fs::remove_dir_all(folder).unwrap();
}
