//! Times the timeline: what checkpoints cost a running frame, and how long a jump to any of the last frames takes.
//!
//! `cargo bench --bench timeline -- [GRAPH..] [--frames 2000] [--jumps 100] [--gpu MIB] [--host MIB]`
//!
//! The frames without and with a timeline alternate in blocks, so that clocks and other work meet both. A jump goes to a random
//! frame and ends when the GPU has computed it, its image included.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Parser;

use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::{Gpu, GpuOptions};
use stagewright_runtime::sim::Simulation;
use stagewright_runtime::sim::timeline::{Budget, Storage};
use stagewright_runtime::tune::TuningCache;

/// Allocates as the program does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Frames of a block.
const BLOCK: u64 = 100;
/// Frames that are submitted before the GPU is awaited.
const AHEAD: u64 = 4;

#[derive(Parser)]
struct Arguments {
    /// Graph files; stable_fluids and sph_water when there are none
    graphs: Vec<PathBuf>,
    /// Frames that are run, and that jumps go to
    #[arg(long, default_value_t = 2000)]
    frames: u64,
    /// Number of jumps
    #[arg(long, default_value_t = 100)]
    jumps: u64,
    /// Memory for checkpoints on the GPU [MiB]
    #[arg(long, default_value_t = 512)]
    gpu: u64,
    /// Memory for checkpoints of the host [MiB]
    #[arg(long, default_value_t = 1536)]
    host: u64,
    /// What `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::parse();
    let library = Library::builtin();
    let gpu = Gpu::new(&GpuOptions::default())?;
    println!("{}", gpu.name());
    let shipped = || ["stable_fluids", "sph_water"].map(|name| PathBuf::from(format!("graphs/{name}.ron"))).to_vec();
    let graphs = if arguments.graphs.is_empty() { shipped() } else { arguments.graphs };
    for path in graphs {
        let document = Document::parse(&std::fs::read_to_string(&path)?)?;
        let options = PlanOptions { tuning: TuningCache::open().tuning(&gpu), ..PlanOptions::default() };
        let plan = Plan::compile(&Graph::build(&document, library)?, &options)?;
        let mut bare = Simulation::new(&gpu, plan.clone())?;
        let mut kept = Simulation::new(&gpu, plan)?;
        kept.keep_timeline(Budget { gpu: arguments.gpu << 20, host: arguments.host << 20, disk: 0 });
        let first = block(&gpu, &mut bare, BLOCK)? / BLOCK as u32;
        if let Some(timeline) = kept.timeline_mut() {
            timeline.set_pace(first);
        }
        // The shaders of both have run now.
        block(&gpu, &mut kept, BLOCK)?;
        let (mut without, mut with) = (Duration::ZERO, Duration::ZERO);
        while kept.frame() < arguments.frames {
            let count = BLOCK.min(arguments.frames - kept.frame());
            without += block(&gpu, &mut bare, count)?;
            with += block(&gpu, &mut kept, count)?;
        }
        let frames = (arguments.frames - BLOCK).max(1) as f64;
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let (without, with) = (milliseconds(without) / frames, milliseconds(with) / frames);
        let states = kept.state_bytes();
        let mut jumps = Vec::new();
        let mut random = 1u64;
        for _ in 0..arguments.jumps {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let frame = 1 + (random >> 33) % arguments.frames;
            let began = Instant::now();
            let left = kept.seek(frame)?;
            for _ in 0..left {
                let input = kept.next_input();
                kept.step(&input)?;
            }
            gpu.wait();
            jumps.push((milliseconds(began.elapsed()), left, frame));
        }
        jumps.sort_by(|one, two| one.0.total_cmp(&two.0));
        let at =
            |share: f64| jumps.get((share * (jumps.len().max(1) - 1) as f64) as usize).copied().unwrap_or_default();
        let timeline = kept.timeline_mut().ok_or("no timeline")?;
        let used = [Storage::Gpu, Storage::Host].map(|place| timeline.used(place) >> 20);
        println!(
            "{}: states {:.1} MiB, frame {without:.3} ms, with checkpoints {with:.3} ms ({:+.2} %), {} checkpoints, {} + {} MiB",
            path.display(),
            states as f64 / f64::from(1 << 20),
            100.0 * (with / without - 1.0),
            timeline.cached().len(),
            used[0],
            used[1],
        );
        let (median, most, worst) = (at(0.5), at(0.95), at(1.0));
        println!(
            "  jumps: median {:.1} ms, 95 % {:.1} ms, most {:.1} ms ({} frames computed, to frame {})",
            median.0, most.0, worst.0, worst.1, worst.2
        );
    }
    Ok(())
}

/// Time of so many frames.
fn block(gpu: &Gpu, simulation: &mut Simulation, count: u64) -> Result<Duration, Box<dyn std::error::Error>> {
    gpu.wait();
    let began = Instant::now();
    for frame in 0..count {
        let input = simulation.next_input();
        simulation.step(&input)?;
        if frame % AHEAD == AHEAD - 1 {
            gpu.wait();
        }
    }
    gpu.wait();
    Ok(began.elapsed())
}
