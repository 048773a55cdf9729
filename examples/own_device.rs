//! Runs a graph on a device and queue that belong to this program, as a game or another tool would.
//!
//! `cargo run --example own_device`

use stagewright::{Document, Gpu, Graph, Library, Plan, PlanOptions, Simulation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The host program's own device; here the plainest there is.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))?;

    let document = Document::parse(&std::fs::read_to_string("graphs/stable_fluids.ron")?)?;
    let graph = Graph::build(&document, Library::builtin())?;
    let plan = Plan::compile(&graph, &PlanOptions::default())?;
    let mut simulation = Simulation::new(&Gpu::from_device(device, queue, "the host's device"), plan)?;
    for _ in 0..10 {
        simulation.step(&simulation.recorded_input())?;
    }
    let image = simulation.image(None)?;
    println!("{} x {} pixels after {:.2} s", image.width, image.height, simulation.time());
    Ok(())
}
