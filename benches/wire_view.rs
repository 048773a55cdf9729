//! Time of updating a view of a wire: statistics, histogram and image together.
//!
//! `cargo bench --bench wire_view -- [--size 1024]`
//!
//! Medians of 5 repeats after 0.3 s of warming up, CPU and GPU together.

use std::time::{Duration, Instant};

use clap::Parser;

use stagewright_compiler::{Keep, Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::{Gpu, GpuOptions};
use stagewright_runtime::sim::wire_view::{Axis, View, Viewer, Volume};
use stagewright_runtime::sim::{FrameInput, Simulation};

#[derive(Parser)]
struct Arguments {
    /// Cells along the sides of the flat domain
    #[arg(long, default_value_t = 1024)]
    size: u32,
    /// What `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

const REPEATS: usize = 5;
/// Warming up; a repeat is as many looks as fit into it one by one.
const WARM: Duration = Duration::from_millis(300);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let size = Arguments::parse().size;
    let gpu = Gpu::new(&GpuOptions::default())?;
    println!("adapter: {}", gpu.name());
    let text = format!(
        r#"(version: 1, nodes: {{
            "flat": (domain: (resolution: ({size}, {size}), width: 1, edge: "wall")),
            "deep": (domain: (resolution: (128, 128, 128), width: 1, edge: "wall")),
            "wave": (custom: "//! Wave\n//! @out wave: Grid<f32>\nfn stage(cell: Cell) -> f32 {{ return sin(0.01 * f32(cell.x * cell.y)); }}", on: "flat"),
            "flow": (custom: "//! Flow\n//! @out flow: Grid<Vec>\nfn stage(cell: Cell) -> Vec {{ return sin(0.01 * Vec(cell)); }}", on: "flat"),
            "cloud": (custom: "//! Cloud\n//! @out cloud: Grid<f32>\nfn stage(cell: Cell) -> f32 {{ return random(cell, 1u); }}", on: "deep"),
            "drops": (state: "Particles{{position: Vec, velocity: Vec, id: u32}}", capacity: 200000, on: "deep", inputs: {{"next": "drops", "init": "fill.particles"}}),
            "fill": (stage: "particles/fill_box", on: "deep", params: {{"center": (0.5, 0.5, 0.5), "size": (0.9, 0.9, 0.9), "spacing": 0.018}}),
            "look": (stage: "view/color_map", inputs: {{"field": "wave"}}), "screen": (output: (), inputs: {{"image": "look"}}),
        }})"#
    );
    let graph = Graph::build(&Document::parse(&text)?, Library::builtin())?;
    let plan = Plan::compile(&graph, &PlanOptions { keep: Keep::All, ..PlanOptions::default() })?;
    let mut simulation = Simulation::new(&gpu, plan)?;
    simulation.step(&FrameInput::default())?;
    let maximum = |wire| View { volume: Volume::Maximum(Axis::Z), ..View::new(wire) };
    let views = [
        ("numbers", View::new("wave")),
        ("vectors", View::new("flow")),
        ("thumbnail", View { size: Some((96, 96)), ..View::new("wave") }),
        ("slice of 128^3", View::new("cloud")),
        ("maximum of 128^3", maximum("cloud")),
        ("rays through 128^3", View { volume: Volume::Orbit, ..View::new("cloud") }),
        ("particles", View::new("drops")),
    ];
    for (name, view) in views {
        println!("{name:>20} {:8.4} ms", median(&simulation, &view)?);
    }
    Ok(())
}

fn median(simulation: &Simulation, view: &View) -> Result<f64, Box<dyn std::error::Error>> {
    let mut viewer = Viewer::new(simulation.gpu())?;
    let mut look = |count: u32| -> Result<f64, stagewright_base::problem::Problem> {
        let started = Instant::now();
        for _ in 0..count {
            viewer.update(simulation, view)?;
        }
        viewer.wait();
        Ok(started.elapsed().as_secs_f64() * 1e3 / f64::from(count))
    };
    let (warm, mut looks) = (Instant::now(), 0);
    while warm.elapsed() < WARM {
        looks += 1;
        look(1)?;
    }
    let mut times = (0..REPEATS).map(|_| look(looks)).collect::<Result<Vec<f64>, _>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[REPEATS / 2])
}
