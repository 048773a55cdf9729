//! Arguments that several commands share: the graph with its variant and parameters, files, device and memory.

use std::path::{Path, PathBuf};

use clap::Args;
use stagewright_base::files::{self, Access, MAX_GRAPH};
use stagewright_base::problem::{Problem, Problems};
use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::{self, Document, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::{self, Library};
use stagewright_runtime::bake::playing;

use super::report::{Failure, StrictArgs};
use super::{report, stages};

/// A graph file, and changes to make in it before it is compiled.
#[derive(Args)]
pub(super) struct GraphArgs {
    /// Graph file (.ron)
    pub(super) graph: PathBuf,
    #[command(flatten)]
    pub(super) source: SourceArgs,
    #[command(flatten)]
    pub(super) memory: MemoryArgs,
    #[command(flatten)]
    pub(super) strict: StrictArgs,
}

/// How graph files are read, and what is changed in them, by commands for one graph or several.
#[derive(Args, Clone)]
pub(super) struct SourceArgs {
    /// Set a parameter: node.param=value. Values: 0.5, 1,2, 512x512, an expression. Also domain.resolution, domain.width,
    /// number.value, state.capacity and node.iterations
    #[arg(long = "param", value_name = "NODE.PARAM=VALUE")]
    pub(super) params: Vec<String>,
    /// Variant of the graph, or several: 'article + picture'; without it, the one that the file chooses. `default` is none
    #[arg(long, value_name = "NAME")]
    pub(super) variant: Option<String>,
    #[command(flatten)]
    pub(super) files: FileArgs,
}

/// Which files a graph may use.
#[derive(Args, Clone)]
pub(super) struct FileArgs {
    /// Folder of your own stages (.wgsl) and groups (.ron); without it, `stages` beside the graph
    #[arg(long, value_name = "FOLDER")]
    pub(super) stages: Option<PathBuf>,
    /// Let the graph read files outside its own folder
    #[arg(long)]
    pub(super) allow_files: bool,
}

/// Which device runs a graph.
#[derive(Args, Clone, Default)]
pub(super) struct DeviceArgs {
    /// Part of the name of the graphics adapter
    #[arg(long, value_name = "NAME")]
    pub(super) adapter: Option<String>,
    /// End with exit code 5 where there is no GPU, only a software driver
    #[arg(long)]
    pub(super) require_gpu: bool,
}

#[derive(Args, Clone, Copy)]
pub(super) struct MemoryArgs {
    /// GPU memory that a graph may take, such as 12GiB or 512MiB. When absent, a share of what the adapter has available; 8GiB
    /// where that is not known, and for `check`
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(super) memory: Option<u64>,
}

impl GraphArgs {
    /// Reads the file, chooses the variant and applies the parameters.
    pub(super) fn load(&self) -> Result<(Document, Library), Failure> {
        self.source.load(&self.graph)
    }

    /// Which files the graph may name.
    pub(super) fn access(&self) -> Access {
        self.source.files.access(&self.graph)
    }

    pub(super) fn options(&self) -> PlanOptions {
        let Access { folder, anywhere } = self.access();
        PlanOptions { folder, allow_files: anywhere, ..PlanOptions::default() }
    }

    /// The plan of a graph; where it plays bakes, its wires come from their caches.
    pub(super) fn compile(
        &self,
        document: &Document,
        library: &Library,
        options: &PlanOptions,
    ) -> Result<Plan, Failure> {
        let problems = |problems| Failure::graph(document, library, problems);
        let graph = Graph::build(document, library).map_err(problems)?;
        let bakes = playing(&graph, &self.access());
        report::warn(&bakes.problems);
        self.compile_live(document, library, &PlanOptions { played: bakes.played(), ..options.clone() })
    }

    /// The plan of a graph, without looking for the caches of its bakes.
    pub(super) fn compile_live(
        &self,
        document: &Document,
        library: &Library,
        options: &PlanOptions,
    ) -> Result<Plan, Failure> {
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
    pub(super) fn load(&self, graph: &Path) -> Result<(Document, Library), Failure> {
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
    pub(super) fn change(&self, document: &mut Document) -> Result<(), Failure> {
        choose(document, self.variant.as_deref())?;
        set(document, &self.params)
    }
}

impl FileArgs {
    /// Which files a graph may name.
    pub(super) fn access(&self, graph: &Path) -> Access {
        Access::new(graph.parent().unwrap_or(Path::new("")), self.allow_files)
    }
}

pub(super) fn read(graph: &Path) -> Result<Document, Failure> {
    let path = graph.display();
    let bytes = files::read::bytes(graph, MAX_GRAPH).map_err(|e| Failure::Message(format!("{path}: {e}")))?;
    Document::from_bytes(bytes).map_err(|e| Failure::Message(format!("{path}: {e}")))
}

/// Chooses the variant of `--variant`.
fn choose(document: &mut Document, variant: Option<&str>) -> Result<(), Failure> {
    let Some(name) = variant else { return Ok(()) };
    let named = |problem: Problem| Problem { cause: format!("--variant {name}: {}", problem.cause), ..problem };
    let refused = |problems: Problems| Failure::from(Problems(problems.0.into_iter().map(named).collect()));
    document::choose_named(document, name).map_err(refused)
}

/// Applies the values of `--param`.
pub(super) fn set(document: &mut Document, params: &[String]) -> Result<(), Failure> {
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
pub(super) fn parse_file(text: &str, ending: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case(ending) => Ok(path),
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
pub(super) fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let message = || format!("`{text}` is not a size; write WIDTHxHEIGHT, for example 1024x1024");
    let (width, height) = text.split_once(['x', 'X']).ok_or_else(message)?;
    let side = |s: &str| s.trim().parse::<u32>().ok().filter(|n| (1..=16_384).contains(n)).ok_or_else(message);
    Ok((side(width)?, side(height)?))
}
