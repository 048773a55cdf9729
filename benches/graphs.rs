//! Time a step of the shipped graphs, node by node, and the states after the first frame for comparing adapters.
//!
//! `cargo bench --bench graphs -- [--size 1024] [--dump FOLDER | --compare FOLDER] [GRAPH]...`
//!
//! Times are medians of 5 repeats after 0.3 s of warming up: an idle GPU clocks down. `--dump` writes every State after one
//! frame as raw 32-bit floats; `--compare` prints the largest difference from such a folder, relative to the largest value.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Parser;

use stagewright::document::{Document, NodeKind, ParamValue};
use stagewright::gpu::{Gpu, GpuOptions, Profile};
use stagewright::graph::Graph;
use stagewright::library::Library;
use stagewright::plan::{Keep, Plan, PlanOptions};
use stagewright::sim::Simulation;

#[derive(Parser)]
struct Arguments {
    /// Cells along the longest side of the finest domain, the others in proportion; as in the file when absent
    #[arg(long)]
    size: Option<u32>,
    /// Write the states after the first frame
    #[arg(long)]
    dump: Option<PathBuf>,
    /// Compare the states after the first frame with a dump
    #[arg(long)]
    compare: Option<PathBuf>,
    /// What `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
    /// Graph files
    #[arg(default_values = ["graphs/stable_fluids.ron", "graphs/unity_fluid.ron"])]
    graphs: Vec<PathBuf>,
}

const REPEATS: usize = 5;
const STEPS: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::parse();
    let gpu = Gpu::new(&GpuOptions::default())?;
    println!("adapter: {}", gpu.name());
    for path in &arguments.graphs {
        let mut simulation = Simulation::new(&gpu, compile(path, arguments.size)?)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let sizes: Vec<String> =
            simulation.plan().domains.iter().map(|d| format!("{} {:?}", d.name, d.resolution)).collect();
        println!("\n{name}: {}; {} dispatches", sizes.join(", "), simulation.plan().frame.len());
        first_frame(&mut simulation, &name, &arguments)?;
        measure(&mut simulation)?;
    }
    Ok(())
}

/// Scales all domains alike, so that the longest side of the finest has `size` cells.
fn compile(path: &Path, size: Option<u32>) -> Result<Plan, Box<dyn std::error::Error>> {
    let mut document = Document::parse(&std::fs::read_to_string(path)?)?;
    if let Some(size) = size {
        // Resolutions may be expressions; the graph has worked them out.
        let domains = Graph::build(&document, Library::builtin())?.domains;
        let finest = domains.iter().flat_map(|d| d.resolution).max().unwrap_or(1);
        for domain in domains {
            if let Some(NodeKind::Domain(scaled)) = document.node_mut(&domain.name).map(|node| &mut node.kind) {
                let cells = domain.resolution.iter().map(|n| (n * size / finest).max(1));
                let cells = cells.take(domain.dim as usize).map(|n| ParamValue::Number(n.into()));
                scaled.resolution = cells.collect();
            }
        }
    }
    let graph = Graph::build(&document, Library::builtin())?;
    let started = Instant::now();
    // A case without a picture is there for its States.
    let states = document.nodes.iter().filter(|(_, node)| matches!(node.kind, NodeKind::State(_)));
    let keep = Keep::Wires(states.map(|(name, _)| format!("{name}.value")).collect());
    let plan = Plan::compile(&graph, &PlanOptions { keep, ..PlanOptions::default() })?;
    println!("compiled in {:.1} ms", started.elapsed().as_secs_f64() * 1e3);
    Ok(plan)
}

fn first_frame(
    simulation: &mut Simulation,
    name: &str,
    arguments: &Arguments,
) -> Result<(), Box<dyn std::error::Error>> {
    let input = simulation.recorded_input();
    simulation.step(&input)?;
    for state in simulation.plan().states.clone() {
        let file = format!("{name}.{}.f32", state.node.replace('/', "."));
        let ours = simulation.read(&state.node)?.words;
        if let Some(folder) = &arguments.dump {
            std::fs::create_dir_all(folder)?;
            std::fs::write(folder.join(&file), bytemuck::cast_slice(&ours))?;
        }
        if let Some(folder) = &arguments.compare {
            let theirs: Vec<u32> = bytemuck::pod_collect_to_vec(&std::fs::read(folder.join(&file))?);
            let pairs = ours.iter().zip(&theirs).map(|(a, b)| (f32::from_bits(*a), f32::from_bits(*b)));
            let (difference, largest) =
                pairs.fold((0f32, 0f32), |(d, m), (a, b)| (d.max((a - b).abs()), m.max(b.abs())));
            let same = ours.len() == theirs.len();
            println!(
                "first frame, {}: largest difference {difference:e}, largest value {largest:e}, same size: {same}",
                state.node
            );
        }
    }
    Ok(())
}

fn measure(simulation: &mut Simulation) -> Result<(), Box<dyn std::error::Error>> {
    let gpu = simulation.gpu().clone();
    let steps = |simulation: &mut Simulation, count: usize| -> Result<f64, Box<dyn std::error::Error>> {
        gpu.wait();
        let started = Instant::now();
        for _ in 0..count {
            let input = simulation.recorded_input();
            simulation.step(&input)?;
        }
        gpu.wait();
        Ok(started.elapsed().as_secs_f64() * 1e3 / count as f64)
    };
    let warm = Instant::now();
    while warm.elapsed() < Duration::from_millis(300) {
        steps(simulation, STEPS)?;
    }
    let mut wall: Vec<f64> = (0..REPEATS).map(|_| steps(simulation, STEPS)).collect::<Result<_, _>>()?;
    println!("{:8.4} ms a step by the wall clock, submits included", median(&mut wall));
    for (profile, what) in [(Profile::Dispatches, "every dispatch"), (Profile::Nodes, "nodes")] {
        simulation.set_profiling(profile);
        steps(simulation, STEPS)?;
        let mut timed: Vec<f64> = (0..REPEATS).map(|_| steps(simulation, STEPS)).collect::<Result<_, _>>()?;
        println!("{:8.4} ms a step by the wall clock with {what} timed", median(&mut timed));
    }
    let mut nodes: Vec<(String, Vec<f64>)> = Vec::new();
    for _ in 0..REPEATS {
        steps(simulation, STEPS)?;
        for time in simulation.times(true).unwrap_or_default() {
            match nodes.iter_mut().find(|(node, _)| *node == time.node) {
                Some((_, times)) => times.push(time.ms),
                None => nodes.push((time.node.clone(), vec![time.ms])),
            }
        }
    }
    let rows: Vec<(String, f64)> = nodes.into_iter().map(|(node, mut times)| (node, median(&mut times))).collect();
    println!("{:8.4} ms a step by GPU timestamps", rows.iter().map(|(_, ms)| ms).sum::<f64>());
    rows.iter().for_each(|(node, ms)| println!("{ms:8.4} ms  {node}"));
    Ok(())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
