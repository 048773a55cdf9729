//! Adds a stage from text to the library, and uses it in a graph.
//!
//! `cargo run --example custom_stage`

use stagewright::{Document, Gpu, Graph, Library, Plan, PlanOptions, Simulation};

const STRIPES: &str = "
//! Stripes
//! A wave of unit height along x.
//! @out wave: Grid<f32>  Heights
//! @param length: f32 = 0.25  Length of a wave [m]

fn stage(cell: Cell) -> f32 {
    return sin(6.2831853 * position(cell).x / params.length);
}
";

const GRAPH: &str = r#"(
    version: 1,
    name: "Stripes",
    nodes: {
        "domain": (domain: (resolution: (64, 64), width: 1)),
        "stripes": (stage: "own/stripes", params: {"length": 0.5}),
        "look": (stage: "view/color_map", inputs: {"field": "stripes.wave"}),
        "screen": (output: (size: (64, 64)), inputs: {"image": "look.image"}),
    },
)"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut library = Library::builtin().clone();
    library.add_stage("own/stripes", STRIPES);
    // A stage with an error is reported where a graph names it, with line and column.
    let graph = Graph::build(&Document::parse(GRAPH)?, &library)?;
    let plan = Plan::compile(&graph, &PlanOptions::default())?;
    let mut simulation = Simulation::new(&Gpu::new(&Default::default())?, plan)?;
    simulation.step(&simulation.recorded_input())?;
    println!("{:?} ...", &simulation.image(None)?.rgba[..16]);
    Ok(())
}
