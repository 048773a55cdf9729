//! Reads the value of a wire back from the GPU.
//!
//! `cargo run --example read_wire`

use stagewright::{Document, Gpu, Graph, Keep, Library, Plan, PlanOptions, Simulation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let document = Document::parse(&std::fs::read_to_string("graphs/stable_fluids.ron")?)?;
    let graph = Graph::build(&document, Library::builtin())?;
    // A wire that only passes from stage to stage has no memory of its own, unless the plan is asked to keep it.
    let options = PlanOptions { keep: Keep::Wires(vec!["velocity".into()]), ..PlanOptions::default() };
    let mut simulation = Simulation::new(&Gpu::new(&Default::default())?, Plan::compile(&graph, &options)?)?;
    for _ in 0..30 {
        simulation.step(&simulation.recorded_input())?;
    }
    let velocity = simulation.read("velocity")?;
    let fastest = velocity.data.chunks(velocity.components as usize).map(|v| v[0].hypot(v[1])).fold(0.0, f32::max);
    println!("{:?} cells, {fastest:.2} m/s at most", velocity.resolution);
    Ok(())
}
