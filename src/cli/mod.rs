//! The command line. Every command is a few calls of the library.

mod args;
mod bake;
mod bench;
mod check;
mod compare;
mod deterministic;
mod device;
mod driver;
mod exit;
mod export;
mod format;
mod junit;
mod keys;
#[cfg(test)]
mod options;
mod plan;
mod points;
mod record;
mod render;
mod report;
mod run;
mod stages;
mod stop;
mod sweep;
mod test;
mod wire;

#[cfg(feature = "editor")]
use std::path::PathBuf;

use clap::{Parser, Subcommand};

use args::{DeviceArgs, FileArgs, GraphArgs, MemoryArgs, SourceArgs, parse_file, parse_size, read};
use device::{keep_pipelines, open};
pub use exit::leave;
pub use report::DRIVER;
use report::{Failure, StrictArgs};

#[derive(Parser)]
#[command(name = "stagewright", version, about = "Build GPU simulations from stages, watch them run, render them.")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Graph to open in the editor
    #[cfg(feature = "editor")]
    file: Option<PathBuf>,
    /// Folder of your own stages (.wgsl) and groups (.ron) for the editor, reloaded when a file in it changes; default:
    /// `stages` beside the graph
    #[cfg(feature = "editor")]
    #[arg(long, value_name = "FOLDER")]
    stages: Option<PathBuf>,
    /// Checkpoint that the simulation in the editor starts from
    #[cfg(feature = "editor")]
    #[arg(long, value_name = "CHECKPOINT", requires = "file")]
    at: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Run a graph and write its images, or images of any wire, as numbered PNG files
    Render(Box<render::Render>),
    /// Run a graph and write its images and the values of its wires in the formats of other programs
    Export(Box<export::Export>),
    /// Run a graph once and keep the values of its wires on disk, from which it runs then: scrubbing, shading and exports without
    /// the solver
    Bake(Box<bake::Bake>),
    /// Report all problems of a graph; exit code 1 when it can't run
    Check(GraphArgs),
    /// Run graphs and check their expectations; exit code 1 when one fails, 2 when a graph can't run
    Test(Box<test::Test>),
    /// Run a graph and write numbers over time, or the values along a line, as CSV
    Record(Box<record::Record>),
    /// Run two graphs with the same input and measure how a wire or an image differs; exit code 1 when it does, 2 when a graph can't
    /// run
    Compare(Box<compare::Compare>),
    /// Print the compiled plan of a graph
    Plan(plan::PlanArgs),
    /// Time graphs and the built-in cases: GPU, wall-clock and CPU time per step, by node, compared with minimum memory traffic
    Bench(Box<bench::Bench>),
    /// Run a graph with many values of its parameters, here or on a farm, and compare their images and numbers
    Sweep(Box<sweep::Sweep>),
    /// Print how loud a sound is, or the numbers of a table, as keys of a parameter
    Keys(keys::Keys),
    /// Write the vertices of a mesh, or points evenly over its surface, as particles that a State can start with
    Points(points::Points),
    /// List the stages, or print the reference of one
    Stages(stages::Stages),
}

/// Runs the program. Returns its exit code.
pub fn main() -> u8 {
    let cli = Cli::parse();
    let result = match cli.command {
        // One deep stack for the whole command: starting one for each graph would take milliseconds.
        Some(command) => stagewright_base::threads::deep_stack(|| run(command)),
        #[cfg(feature = "editor")]
        None => stagewright_editor::run(cli.file, cli.stages, cli.at).map_err(Failure::Message).map(|()| 0),
        #[cfg(not(feature = "editor"))]
        None => Err(Failure::Message("this build has no editor; `stagewright --help` lists the commands".into())),
    };
    match result.and_then(|code| report::finish().map(|()| code)) {
        Ok(code) => code,
        Err(failure) => {
            failure.print();
            failure.exit_code()
        }
    }
}

/// Returns the exit code.
fn run(command: Command) -> Result<u8, Failure> {
    let strict = command.strict();
    let code = execute(command)?;
    if code == 0 {
        strict.check()?;
    }
    Ok(code)
}

fn execute(command: Command) -> Result<u8, Failure> {
    let done = match command {
        // These commands have exit codes of their own.
        Command::Test(test) => return Ok(test.run()),
        Command::Render(render) => return render.run(),
        Command::Compare(compare) => return Ok(compare.run()),
        Command::Check(graph) => check::run(&graph),
        Command::Export(export) => export.run(),
        Command::Bake(bake) => bake.run(),
        Command::Record(record) => record.run(),
        Command::Plan(plan) => plan.run(),
        Command::Bench(bench) => bench.run(),
        Command::Sweep(sweep) => sweep.run(),
        Command::Keys(keys) => keys.run(),
        Command::Points(points) => points.run(),
        Command::Stages(stages) => stages.run(),
    };
    done.map(|()| 0)
}

impl Command {
    /// Whether warnings of the run are errors. `test` and `compare` see to it themselves.
    fn strict(&self) -> StrictArgs {
        match self {
            Command::Render(render) => render.graph.strict,
            Command::Export(export) => export.graph.strict,
            Command::Bake(bake) => bake.graph.strict,
            Command::Check(graph) => graph.strict,
            Command::Record(record) => record.graph.strict,
            Command::Plan(plan) => plan.graph.strict,
            Command::Sweep(sweep) => sweep.strict,
            Command::Test(_) | Command::Compare(_) | Command::Bench(_) => StrictArgs::default(),
            Command::Keys(_) | Command::Points(_) | Command::Stages(_) => StrictArgs::default(),
        }
    }
}
