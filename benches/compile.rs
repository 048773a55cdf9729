//! Times the compiler: a graph file's text to its plan, validation included, no driver.
//!
//! `cargo bench --bench compile -- [GRAPH..] [--repeats 21] [--plain] [--bar MS]`
//!
//! Medians; the library is loaded before. As a GPU gets it, unless `--plain`; no adapter is needed. `cpu` is the time of all cores
//! together, `again` the same file once more, whose shaders have passed already.

use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use rustix::time::{ClockId, clock_gettime};

use stagewright_compiler as plan;
use stagewright_compiler::{Plan, PlanOptions, Tuning};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

/// Allocates as the program does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
struct Arguments {
    /// Graph files; the shipped ones when there are none
    graphs: Vec<PathBuf>,
    /// How often each is compiled
    #[arg(long, default_value_t = 21)]
    repeats: usize,
    /// Each sweep of each stage a dispatch of its own
    #[arg(long)]
    plain: bool,
    /// Fail where a graph takes longer, from text to plan [ms]
    #[arg(long)]
    bar: Option<f64>,
    /// What `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::parse();
    let library = Library::builtin();
    let shipped = || -> std::io::Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/graphs"))?;
        let mut files = entries.map(|e| e.map(|e| e.path())).collect::<std::io::Result<Vec<_>>>()?;
        files.retain(|path| path.extension().is_some_and(|e| e == "ron"));
        files.sort();
        Ok(files)
    };
    let graphs = if arguments.graphs.is_empty() { shipped()? } else { arguments.graphs };
    let tuning = if arguments.plain { Tuning::default() } else { Tuning::gpu() };
    let mut over = Vec::new();
    println!("    read    graph     plan      sum      cpu    again ms");
    for path in graphs {
        let text = std::fs::read_to_string(&path)?;
        let options = PlanOptions { tuning: tuning.clone(), ..PlanOptions::default() };
        let mut times: Vec<[f64; 6]> = Vec::new();
        for _ in 0..arguments.repeats.max(1) {
            plan::forget_passed();
            let (started, busy) = (Instant::now(), busy_ms());
            let ms = || started.elapsed().as_secs_f64() * 1e3;
            let document = Document::parse(&text)?;
            let read = ms();
            let graph = Graph::build(&document, library)?;
            let built = ms();
            Plan::compile(&graph, &options)?;
            let (sum, cpu) = (ms(), busy_ms() - busy);
            let started = Instant::now();
            Plan::compile(&Graph::build(&Document::parse(&text)?, library)?, &options)?;
            let again = started.elapsed().as_secs_f64() * 1e3;
            times.push([read, built - read, sum - built, sum, cpu, again]);
        }
        let median = |column: usize| {
            let mut values: Vec<f64> = times.iter().map(|t| t[column]).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let [read, build, plan, sum, cpu, again] = [0, 1, 2, 3, 4, 5].map(median);
        println!("{read:8.2} {build:8.2} {plan:8.2} {sum:8.2} {cpu:8.2} {again:8.2}  {}", path.display());
        if arguments.bar.is_some_and(|bar| sum > bar) {
            over.push(path.display().to_string());
        }
    }
    if over.is_empty() { Ok(()) } else { Err(format!("over the bar: {}", over.join(", ")).into()) }
}

/// Time that all threads of the process have run \[ms\].
fn busy_ms() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}
