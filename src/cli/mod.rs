//! The command line. Every command is a few calls of the library.

mod bake;
mod bench;
mod check;
mod compare;
mod deterministic;
mod driver;
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

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};

pub use report::DRIVER;
use report::{Failure, StrictArgs};
use stagewright_base::files::{self, Access, MAX_GRAPH};
use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::{Document, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::{self, Library};
use stagewright_runtime::bake::playing;
use stagewright_runtime::gpu::{Gpu, GpuOptions};

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

/// A graph file, and changes to make in it before it is compiled.
#[derive(Args)]
struct GraphArgs {
    /// Graph file (.ron)
    graph: PathBuf,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    memory: MemoryArgs,
    #[command(flatten)]
    strict: StrictArgs,
}

/// How graph files are read, and what is changed in them, by commands for one graph or several.
#[derive(Args, Clone)]
struct SourceArgs {
    /// Set a parameter: node.param=value. Values: 0.5, 1,2, 512x512, an expression. Also domain.resolution, domain.width,
    /// number.value, state.capacity and node.iterations
    #[arg(long = "param", value_name = "NODE.PARAM=VALUE")]
    params: Vec<String>,
    /// Variant of the graph; without it, the one that the file chooses. `default` is none
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    #[command(flatten)]
    files: FileArgs,
}

/// Which files a graph may use.
#[derive(Args, Clone)]
struct FileArgs {
    /// Folder of your own stages (.wgsl) and groups (.ron); without it, `stages` beside the graph
    #[arg(long, value_name = "FOLDER")]
    stages: Option<PathBuf>,
    /// Let the graph read files outside its own folder
    #[arg(long)]
    allow_files: bool,
}

/// Which device runs a graph.
#[derive(Args, Clone, Default)]
struct DeviceArgs {
    /// Part of the name of the graphics adapter
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// End with exit code 5 where there is no GPU, only a software driver
    #[arg(long)]
    require_gpu: bool,
}

#[derive(Args, Clone, Copy)]
struct MemoryArgs {
    /// GPU memory that a graph may take, such as 12GiB or 512MiB. When absent, a share of what the adapter has available; 8GiB
    /// where that is not known, and for `check`
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    memory: Option<u64>,
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

impl GraphArgs {
    /// Reads the file, chooses the variant and applies the parameters.
    fn load(&self) -> Result<(Document, Library), Failure> {
        self.source.load(&self.graph)
    }

    /// Which files the graph may name.
    fn access(&self) -> Access {
        self.source.files.access(&self.graph)
    }

    fn options(&self) -> PlanOptions {
        let Access { folder, anywhere } = self.access();
        PlanOptions { folder, allow_files: anywhere, ..PlanOptions::default() }
    }

    /// The plan of a graph; where it plays bakes, its wires come from their caches.
    fn compile(&self, document: &Document, library: &Library, options: &PlanOptions) -> Result<Plan, Failure> {
        let problems = |problems| Failure::graph(document, library, problems);
        let graph = Graph::build(document, library).map_err(problems)?;
        let bakes = playing(&graph, &self.access());
        report::warn(&bakes.problems);
        self.compile_live(document, library, &PlanOptions { played: bakes.played(), ..options.clone() })
    }

    /// The same without looking for caches.
    fn compile_live(&self, document: &Document, library: &Library, options: &PlanOptions) -> Result<Plan, Failure> {
        let problems = |problems| Failure::graph(document, library, problems);
        let graph = Graph::build(document, library).map_err(problems)?;
        report::warn(&graph.warnings);
        let memory_budget = options.memory_budget.or_user(self.memory.memory);
        Plan::compile(&graph, &PlanOptions { memory_budget, ..options.clone() }).map_err(problems)
    }
}

impl SourceArgs {
    /// Reads a graph file and the stages beside it or in a folder, chooses a variant and sets parameters. What earlier
    /// versions called by another name is renamed, and said on standard error.
    fn load(&self, graph: &Path) -> Result<(Document, Library), Failure> {
        let mut document = read(graph)?;
        let beside = library::folder_beside(graph);
        let library = stages::library(self.files.stages.as_deref().or(beside.as_deref()))?;
        for change in library::earlier::update(&mut document, &library) {
            report::eprint_line(&format!("note: {}: {change}", graph.display()));
        }
        self.change(&mut document)?;
        Ok((document, library))
    }

    /// Chooses the variant and sets the parameters.
    fn change(&self, document: &mut Document) -> Result<(), Failure> {
        choose(document, self.variant.as_deref())?;
        set(document, &self.params)
    }
}

impl FileArgs {
    /// Which files a graph may name.
    fn access(&self, graph: &Path) -> Access {
        Access::new(graph.parent().unwrap_or(Path::new("")), self.allow_files)
    }
}

/// Opens a device; plans on it may take the memory that the user allows. A software driver is named on standard error.
///
/// # Errors
/// No device, or no GPU where one is required.
fn open(device: &DeviceArgs, memory: MemoryArgs) -> Result<Gpu, Failure> {
    let gpu = Gpu::new(&GpuOptions { adapter: device.adapter.clone() }).map_err(|error| match device.require_gpu {
        true => Failure::NoGpu(format!("--require-gpu: {error}")),
        false => Failure::Message(error.to_string()),
    })?;
    if gpu.is_software() && device.require_gpu {
        let cause = format!("--require-gpu: {} is a software driver; run it where a GPU is", gpu.name());
        return Err(Failure::NoGpu(cause));
    }
    if gpu.is_software() && device.adapter.is_none() {
        report::eprint_line(&format!("runs without a GPU, on the software driver {}", gpu.name()));
    }
    gpu.limit_memory(memory.memory);
    Ok(gpu)
}

/// Keeps pipelines in the user's cache folder.
fn keep_pipelines(gpu: &Gpu) {
    if let Some(folder) = stagewright_runtime::tune::cache_folder() {
        gpu.keep_pipelines(&folder.join("pipelines"));
    }
}

fn read(graph: &Path) -> Result<Document, Failure> {
    let path = graph.display();
    let bytes = files::read::bytes(graph, MAX_GRAPH).map_err(|e| Failure::Message(format!("{path}: {e}")))?;
    Document::from_bytes(bytes).map_err(|e| Failure::Message(format!("{path}: {e}")))
}

/// Chooses the variant of `--variant`.
fn choose(document: &mut Document, variant: Option<&str>) -> Result<(), Failure> {
    let Some(name) = variant else { return Ok(()) };
    if !document.variants.contains_key(name) && name != DEFAULT {
        let names: Vec<&str> = document.variant_names().collect();
        let there = match names.as_slice() {
            [] => "the graph has none".to_string(),
            names => format!("the variants are: {}", names.join(", ")),
        };
        return Err(Failure::Message(format!("--variant {name}: there is no such variant; {there}")));
    }
    let name = document.variants.contains_key(name).then_some(name);
    document.choose(name).map_err(Failure::from)
}

/// The name by which `--variant` means none, unless a variant has it.
const DEFAULT: &str = "default";

/// Applies the values of `--param`.
fn set(document: &mut Document, params: &[String]) -> Result<(), Failure> {
    for assignment in params {
        let (name, value) = assignment.split_once('=').ok_or_else(|| {
            Failure::Message(format!("--param {assignment}: write NODE.PARAM=VALUE, for example force.radius=0.1"))
        })?;
        let (node, param) = name.rsplit_once('.').ok_or_else(|| {
            Failure::Message(format!(
                "--param {assignment}: name the node and the parameter, for example force.radius=0.1"
            ))
        })?;
        let value = ParamValue::from_text(value);
        let now = document.node(node).and_then(|node| node.kind.number()).filter(|_| param == "value");
        if let (Some(ParamValue::Number(_)), ParamValue::Vector(_)) = (now, &value) {
            let cause = format!("`{node}` is one number; write it with a point, such as 0.8");
            return Err(Failure::Message(format!("--param {assignment}: {cause}")));
        }
        document.set(node, param, value).map_err(|e| Failure::Message(format!("--param {assignment}: {e}")))?;
    }
    Ok(())
}

/// Parses the name of a file that is written in one format.
fn parse_file(text: &str, ending: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(own) if own.eq_ignore_ascii_case(ending) => Ok(path),
        _ => Err(format!("`{text}`: the file is written as .{ending}; give a name that ends so")),
    }
}

/// Parses a size such as `12GiB`.
fn parse_bytes(text: &str) -> Result<u64, String> {
    let message = || format!("`{text}` is not a size; write a number with MiB or GiB, for example 12GiB");
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(message)?);
    let shift = match unit.to_ascii_lowercase().as_str() {
        "mib" | "mb" | "m" => 20,
        "gib" | "gb" | "g" => 30,
        _ => return Err(message()),
    };
    let number: f64 = number.trim().parse().map_err(|_| message())?;
    let bytes = number * f64::from(1u32 << shift);
    if (1.0..=2f64.powi(60)).contains(&bytes) { Ok(bytes as u64) } else { Err(message()) }
}

/// Parses a size such as `512x256`.
fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let message = || format!("`{text}` is not a size; write WIDTHxHEIGHT, for example 1024x1024");
    let (width, height) = text.split_once(['x', 'X']).ok_or_else(message)?;
    let side = |s: &str| s.trim().parse::<u32>().ok().filter(|n| (1..=16_384).contains(n)).ok_or_else(message);
    Ok((side(width)?, side(height)?))
}
