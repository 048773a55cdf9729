//! Sets parameters: in the document, as an expression of time, and while the simulation runs.
//!
//! `cargo run --example parameters`

use stagewright::{Document, Gpu, Graph, Library, ParamValue, Plan, PlanOptions, Simulation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut document = Document::parse(&std::fs::read_to_string("graphs/stable_fluids.ron")?)?;
    // In the document, as the editor does.
    document.set("jet", "radius", ParamValue::Number(0.1))?;
    // Computed in each frame.
    document.set("jet", "rate", ParamValue::Expression("10 + 10 * sin(2 * time)".into()))?;

    let graph = Graph::build(&document, Library::builtin())?;
    let plan = Plan::compile(&graph, &PlanOptions::default())?;
    let mut simulation = Simulation::new(&Gpu::new(&Default::default())?, plan)?;
    for frame in 0..30 {
        // While it runs, without compiling again.
        let height = 0.3 + 0.01 * f64::from(frame);
        simulation.set_param("jet.center", ParamValue::Vector(vec![0.1, height]))?;
        simulation.step(&simulation.recorded_input())?;
    }
    println!("jet.rate is {:?} at {:.2} s", simulation.value("jet.rate"), simulation.time());
    Ok(())
}
