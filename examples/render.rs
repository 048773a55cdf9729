//! Renders a frame of a graph without a window.
//!
//! `cargo run --example render`

use stagewright::{Document, Gpu, GpuOptions, Graph, Library, Plan, PlanOptions, Simulation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let document = Document::parse(&std::fs::read_to_string("graphs/stable_fluids.ron")?)?;
    let graph = Graph::build(&document, Library::builtin())?;
    // An image of 320 x 180 pixels instead of the Output's own size.
    let plan = Plan::compile(&graph, &PlanOptions { size: Some((320, 180)), ..PlanOptions::default() })?;
    let mut simulation = Simulation::new(&Gpu::new(&GpuOptions::default())?, plan)?;
    for _ in 0..30 {
        simulation.step(&simulation.recorded_input())?;
    }
    let image = simulation.image(None)?;

    let path = std::env::temp_dir().join("stagewright_render.png");
    let mut encoder = png::Encoder::new(std::fs::File::create(&path)?, image.width, image.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header()?.write_image_data(&image.rgba)?;
    println!("{}", path.display());
    Ok(())
}
