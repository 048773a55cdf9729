//! `stagewright bench`

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;

use super::driver::DriverArgs;
use super::report::{self, Failure};
use super::{DeviceArgs, MemoryArgs, SourceArgs, stages};
use stagewright_base::files::Access;
use stagewright_base::problem::Problems;
use stagewright_compiler::{Plan, PlanOptions, Tuning, mebibytes};
use stagewright_language::document::Document;
use stagewright_language::graph::{Domain, Graph};
use stagewright_language::library::Library;
use stagewright_runtime::bench::{self, Cost, Time, cases};
use stagewright_runtime::gpu::{Gpu, copy_bandwidth};
use stagewright_runtime::tune::{self, TuningCache};

#[derive(Args)]
pub struct Bench {
    /// Graph files (.ron) and built-in cases; all cases if none are given: b1 stable fluids, b2 smoke in 3D, b3 SPH, b4 curl
    /// noise, b5 two fluids, b6 bilateral filter, mg multigrid, mpm material points
    #[arg(value_name = "GRAPH|CASE")]
    graphs: Vec<String>,
    /// Sizes to time. For a case: cells per side, particles or rows. For a graph: cells along the longest
    /// side of its finest domain; other domains scale in proportion
    #[arg(long, value_name = "N,N..", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    size: Vec<u32>,
    #[command(flatten)]
    device: DeviceArgs,
    /// Print one line of JSON for each case and size
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    source: SourceArgs,
    /// Also print this wire in the first frames, such as a number that a stage reduces; not included in the times. Wires
    /// called `residual` are always printed
    #[arg(long, value_name = "NODE.PORT")]
    show: Vec<String>,
    /// Run each sweep of each stage as a separate dispatch, one cell per invocation, for comparison
    #[arg(long)]
    plain: bool,
    /// Leave out a pass of the compiler, for comparison: of those that join dispatches and pack particles
    #[arg(long, value_name = "PASS", conflicts_with = "plain", value_parser = PossibleValuesParser::new(Plan::optional_passes()))]
    without: Vec<String>,
    /// First measure the fastest workgroup shapes, and save them for this adapter
    #[arg(long, conflicts_with = "plain")]
    tune: bool,
    /// Write every State after the first frame into this folder instead of timing
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["compare", "json", "show", "tune"])]
    dump: Option<PathBuf>,
    /// Compare every State after the first frame with the dump of another adapter instead of timing
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["json", "show", "tune"])]
    compare: Option<PathBuf>,
    #[command(flatten)]
    memory: MemoryArgs,
    #[command(flatten)]
    driver: DriverArgs,
}

/// Frames in which the values of shown wires are printed.
const SHOWN: u32 = 8;

/// A graph at a size, ready to compile.
struct BenchGraph {
    name: String,
    size: Option<u32>,
    document: Document,
    library: Library,
    access: Access,
}

/// One line of the output of `--json`.
#[derive(Serialize)]
struct Line<'a> {
    case: &'a str,
    size: Option<u32>,
    adapter: &'a str,
    domains: BTreeMap<&'a str, &'a [u32]>,
    /// Time from the file's text to the plan, without the driver.
    compile_ms: Time,
    #[serde(flatten)]
    cost: &'a Cost,
    copy_gb_s: f64,
    /// Memory traffic per second relative to that of a copy.
    share_of_copy: f64,
    /// Values in the first frames.
    shown: &'a BTreeMap<String, Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    residual: Option<Residual>,
}

/// How fast a residual decreases.
#[derive(Clone, Copy, Serialize)]
struct Residual {
    first: f64,
    last: f64,
    /// Reduction factor of the first step.
    step: f64,
    /// Decimal digits per millisecond gained in that step.
    decades_per_ms: f64,
}

impl Bench {
    pub fn run(&self) -> Result<(), Failure> {
        let subjects = self.subjects()?;
        let gpu = super::open(&self.device, self.memory)?;
        if let Some(folder) = self.dump.as_ref().or(self.compare.as_ref()) {
            return subjects.iter().try_for_each(|subject| self.states(&gpu, subject, folder));
        }
        let copy_gb_s = copy_bandwidth(&gpu)? * 1e-9;
        if !self.json {
            report::print(&format!("{}: a copy moves {copy_gb_s:.0} GB/s\n", gpu.name()));
        }
        // A case that does not fit the adapter does not stop the others.
        let failures = subjects.iter().filter_map(|subject| self.time(&gpu, subject, copy_gb_s).err());
        let (mut failed, mut code) = (0, None);
        for failure in failures {
            failure.print();
            failed += 1;
            code = code.or(failure.by_driver());
        }
        match (failed, code) {
            (0, _) => Ok(()),
            (_, Some(limit)) => Err(Failure::Driver(Problems::default(), limit)),
            (failed, None) => Err(Failure::Message(format!("{failed} of {} could not be timed", subjects.len()))),
        }
    }

    fn options(&self, gpu: &Gpu, subject: &BenchGraph, show: &[String]) -> PlanOptions {
        let tuning = if self.plain { Tuning::default() } else { TuningCache::open().tuning(gpu) };
        let tuning = Tuning { without: self.without.clone(), ..tuning };
        let options = bench::options(&subject.document, &subject.access, show);
        PlanOptions { tuning, memory_budget: gpu.memory_budget(), ..options }
    }

    /// Measures the fastest shapes of a graph's dispatches, and saves them.
    fn tune(&self, gpu: &Gpu, subject: &BenchGraph) -> Result<(), Failure> {
        let problems = |problems: Problems| Failure::graph(&subject.document, &subject.library, problems);
        let graph = Graph::build(&subject.document, &subject.library).map_err(problems)?;
        let options = self.options(gpu, subject, &[]);
        let mut cache = TuningCache::open();
        let choices = tune::tune(gpu, &graph, &options, &mut cache, &|| true).map_err(problems)?;
        cache.save().map_err(|e| Failure::Message(format!("cannot save the measured tuning: {e}")))?;
        for choice in choices.iter().filter(|_| !self.json) {
            let [x, y, z] = choice.shape.group;
            let around = match choice.shape.halo {
                0 => String::new(),
                halo => format!(", inputs in tiles with {halo} cells around"),
            };
            report::print(&format!(
                "{}: {} in groups of {x}x{y}x{z}, {} cells each, {} sweeps per dispatch{around}: {:.4} ms, plain {:.4}\n",
                subject.name, choice.node, choice.shape.cells, choice.shape.sweeps, choice.ms, choice.plain_ms
            ));
        }
        Ok(())
    }

    /// Every graph at every size. All files are read before the first measurement.
    fn subjects(&self) -> Result<Vec<BenchGraph>, Failure> {
        let all = cases::names();
        let graphs = if self.graphs.is_empty() { &all } else { &self.graphs };
        let sizes: Vec<Option<u32>> =
            if self.size.is_empty() { vec![None] } else { self.size.iter().copied().map(Some).collect() };
        let each = graphs.iter().flat_map(|graph| sizes.iter().map(move |size| (graph, *size)));
        each.map(|(graph, size)| self.subject(graph, size)).collect()
    }

    fn subject(&self, graph: &str, size: Option<u32>) -> Result<BenchGraph, Failure> {
        if let Some(case) = cases::case(graph) {
            let mut document = case.map_err(|e| Failure::Message(format!("{graph}: {e}")))?;
            size.into_iter().for_each(|size| cases::resize(&mut document, size));
            self.source.change(&mut document)?;
            let (name, size) = (graph.to_string(), cases::size(&document));
            let library = stages::library(self.source.files.stages.as_deref())?;
            return Ok(BenchGraph { name, size, document, library, access: Access::default() });
        }
        let path = Path::new(graph);
        if !path.is_file() {
            let cases = cases::names().join(", ");
            return Err(Failure::Message(format!(
                "`{graph}` is neither a graph file nor a case; the cases are {cases}"
            )));
        }
        let (mut document, library) = self.source.load(path)?;
        if let Some(size) = size {
            let scaled = bench::scale(&mut document, &library, size);
            scaled.map_err(|problems| Failure::graph(&document, &library, problems))?;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let access = self.source.files.access(path);
        Ok(BenchGraph { name, size, document, library, access })
    }

    fn states(&self, gpu: &Gpu, subject: &BenchGraph, folder: &Path) -> Result<(), Failure> {
        let (plan, _) = subject.compile(&self.options(gpu, subject, &[]))?;
        if self.dump.is_some() {
            return Ok(bench::dump(gpu, plan, &subject.name, folder)?);
        }
        for state in bench::compare(gpu, plan, &subject.name, folder)? {
            report::print(&format!(
                "{}, {} after the first frame: largest difference {:e}, largest value {:e}\n",
                subject.name, state.state, state.difference, state.largest
            ));
        }
        Ok(())
    }

    fn time(&self, gpu: &Gpu, subject: &BenchGraph, copy_gb_s: f64) -> Result<(), Failure> {
        if self.tune {
            self.tune(gpu, subject)?;
        }
        let (plan, compile_ms) = subject.compile(&self.options(gpu, subject, &[]))?;
        // Domains that stages derive from these are left out.
        let declared = plan.domains.iter().filter(|d| subject.document.nodes.contains_key(&d.name));
        let domains: Vec<(String, Vec<u32>)> = declared.map(|d| (d.name.clone(), cells(d))).collect();
        let mut watch = self.driver.watch();
        let cost = bench::measure_while(gpu, plan, &mut |making| watch.go_on(making));
        watch.end();
        let cost = cost.map_err(|problems| watch.failure(problems))?;
        let shown = self.watch(gpu, subject)?;
        let step_ms = cost.gpu_ms.unwrap_or(cost.wall_ms).median;
        let line = Line {
            case: &subject.name,
            size: subject.size,
            adapter: gpu.name(),
            domains: domains.iter().map(|(name, cells)| (name.as_str(), cells.as_slice())).collect(),
            compile_ms,
            cost: &cost,
            copy_gb_s,
            share_of_copy: cost.gb_s / copy_gb_s,
            residual: shown
                .iter()
                .find(|(wire, _)| is_residual(wire))
                .and_then(|(_, v)| Residual::from_values(v, step_ms)),
            shown: &shown,
        };
        if self.json {
            let text = serde_json::to_string(&line).map_err(|e| Failure::Message(e.to_string()))?;
            report::print(&format!("{text}\n"));
        } else {
            report::print(&table(&line));
        }
        Ok(())
    }

    /// Values of the requested wires and of numbers called `residual`; for groups with `until`, the iteration at which
    /// they stopped and the number that stopped them.
    fn watch(&self, gpu: &Gpu, subject: &BenchGraph) -> Result<BTreeMap<String, Vec<f64>>, Failure> {
        let called = subject.document.nodes.keys().filter(|name| is_residual(name)).cloned();
        let stops = subject.document.nodes.iter().filter_map(|(name, node)| Some((name, node.until.as_ref()?)));
        let stops = stops.flat_map(|(name, until)| [format!("{name}.repeats"), format!("{name}.{}", until.number)]);
        let requested: Vec<String> = self.show.iter().cloned().chain(stops).collect();
        let kept: Vec<String> = requested.iter().cloned().chain(called).collect();
        if kept.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (plan, _) = subject.compile(&self.options(gpu, subject, &kept))?;
        let residuals = plan.wires.iter().filter(|(name, wire)| is_residual(name) && wire.kept && wire.ty.is_number());
        let mut show: BTreeSet<String> = residuals.map(|(name, _)| name.clone()).collect();
        show.extend(requested);
        Ok(bench::watch(gpu, plan, &show, SHOWN)?)
    }
}

impl BenchGraph {
    fn compile(&self, options: &PlanOptions) -> Result<(Plan, Time), Failure> {
        let problems = |problems: Problems| Failure::graph(&self.document, &self.library, problems);
        bench::compile(&self.document, &self.library, options).map_err(problems)
    }
}

fn is_residual(wire: &str) -> bool {
    wire.contains("residual")
}

impl Residual {
    /// Computes how fast a residual falls, from its values step by step; `None` where the values are not usable.
    fn from_values(values: &[f64], step_ms: f64) -> Option<Residual> {
        let first = *values.first()?;
        let second = *values.get(1)?;
        let last = *values.last()?;
        let step = first / second;
        let decades_per_ms = step.log10() / step_ms;
        decades_per_ms.is_finite().then_some(Residual { first, last, step, decades_per_ms })
    }
}

/// Cells along each axis.
fn cells(domain: &Domain) -> Vec<u32> {
    domain.resolution.iter().copied().take(domain.dim as usize).collect()
}

fn table(line: &Line<'_>) -> String {
    let cost = line.cost;
    let domain = |(name, cells): (&&str, &&[u32])| {
        let cells: Vec<String> = cells.iter().map(u32::to_string).collect();
        format!("{name} {}", cells.join(" x "))
    };
    let domains: Vec<String> = line.domains.iter().map(domain).collect();
    let size = line.size.map_or_else(String::new, |size| format!(" {size}"));
    let mut out = format!(
        "\n{}{size}: {}; {} dispatches, {}; compiled in {:.1} ms, pipelines in {:.0} ms\n",
        line.case,
        domains.join(", "),
        cost.dispatches,
        mebibytes(cost.memory),
        line.compile_ms.median,
        cost.pipelines_ms
    );
    let time =
        |what: &str, time: Time| format!("{:10.4} ms {what} ({:.4} to {:.4})\n", time.median, time.min, time.max);
    match cost.gpu_ms {
        Some(gpu) => out.push_str(&time("GPU time per step", gpu)),
        None => out.push_str("the adapter has no timestamps, so GPU time is not measured\n"),
    }
    out.push_str(&time("wall clock per step", cost.wall_ms));
    out.push_str(&time("CPU time per step, after idle", cost.cpu_ms));
    out.push_str(&time("CPU time per step, busy", cost.cpu_awake_ms));
    out.push_str(&time("CPU time per step, recording ahead on another core", cost.record_ms));
    let _ = writeln!(
        out,
        "{:10.3} MB per step, {:.1} GB/s, {:.0} % of a copy; {} steps per repeat",
        cost.bytes as f64 * 1e-6,
        cost.gb_s,
        line.share_of_copy * 100.0,
        cost.steps
    );
    for (wire, values) in line.shown {
        let values: Vec<String> = values.iter().map(|v| format!("{v:.3e}")).collect();
        let _ = writeln!(out, "  {wire}: {}", values.join(" "));
    }
    if let Some(residual) = line.residual {
        let _ = writeln!(
            out,
            "  residual {:.3e} to {:.3e} in {SHOWN} steps; {:.1} times smaller after the first, {:.3} decades per ms",
            residual.first, residual.last, residual.step, residual.decades_per_ms
        );
    }
    if !cost.nodes.is_empty() {
        out.push_str("        ms         MB    GB/s  dispatches  node\n");
    }
    for node in &cost.nodes {
        let (ms, mb) = (node.ms, node.bytes as f64 * 1e-6);
        let _ = writeln!(out, "{ms:10.4} {mb:10.3} {:7.1} {:11}  {}", node.gb_s, node.dispatches, node.node);
    }
    out
}
