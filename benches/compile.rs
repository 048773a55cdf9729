//! Times the compiler: a graph file's text to its plan, validation included, no driver.
//!
//! `cargo bench --bench compile -- [GRAPH..] [--repeats 21] [--plain]`
//!
//! Medians; the library is loaded before. `again` is the same file once more, whose shaders have passed already.

use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;

use stagewright::document::Document;
use stagewright::graph::Graph;
use stagewright::library::Library;
use stagewright::plan::{self, Plan, PlanOptions, Tuning};

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
    println!("    read    graph     plan      sum    again ms");
    for path in graphs {
        let text = std::fs::read_to_string(&path)?;
        let options = PlanOptions { tuning: tuning.clone(), ..PlanOptions::default() };
        let mut times: Vec<[f64; 5]> = Vec::new();
        for _ in 0..arguments.repeats.max(1) {
            plan::forget_passed();
            let started = Instant::now();
            let ms = || started.elapsed().as_secs_f64() * 1e3;
            let document = Document::parse(&text)?;
            let read = ms();
            let graph = Graph::build(&document, library)?;
            let built = ms();
            Plan::compile(&graph, &options)?;
            let sum = ms();
            let started = Instant::now();
            Plan::compile(&Graph::build(&Document::parse(&text)?, library)?, &options)?;
            let again = started.elapsed().as_secs_f64() * 1e3;
            times.push([read, built - read, sum - built, sum, again]);
        }
        let median = |column: usize| {
            let mut values: Vec<f64> = times.iter().map(|t| t[column]).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let [read, build, plan, sum, again] = [0, 1, 2, 3, 4].map(median);
        println!("{read:8.2} {build:8.2} {plan:8.2} {sum:8.2} {again:8.2}  {}", path.display());
    }
    Ok(())
}
