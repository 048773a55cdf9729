//! `stagewright test`

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use super::deterministic::{DeterministicArgs, Recorder, difference};
use super::junit::{self, Case, CaseResult, Suite};
use super::report::{self, Failure, StrictArgs};
use super::{DeviceArgs, GraphArgs, MemoryArgs, SourceArgs};
use stagewright_base::files::write;
use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::{Document, NO_VARIANT, NodeKind, Scope, full_name};
use stagewright_language::graph::Graph;
use stagewright_language::graph::expect::Expectation;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::Gpu;
use stagewright_runtime::sim::Simulation;
use stagewright_runtime::sim::expect::{self, Checker, Outcome, Verdict};
use stagewright_runtime::sim::hashes::Run;

/// The exit code when a graph cannot run.
const UNUSABLE: u8 = 2;
/// Limit of frames on their way to the GPU.
const IN_FLIGHT: u64 = 4;

#[derive(Args)]
pub struct Test {
    /// Graph files (.ron) and folders of graphs
    #[arg(required = true, value_name = "GRAPH|FOLDER")]
    graphs: Vec<PathBuf>,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    device: DeviceArgs,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    memory: MemoryArgs,
    #[command(flatten)]
    strict: StrictArgs,
    #[command(flatten)]
    deterministic: DeterministicArgs,
}

/// The results of all graphs.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
    /// Graphs without expectations.
    silent: usize,
    unusable: usize,
    suites: Vec<Suite>,
}

impl Test {
    /// Runs the tests and prints the results. Returns the exit code.
    pub fn run(&self) -> u8 {
        match self.tests() {
            Ok(tally) if tally.unusable > 0 => UNUSABLE,
            Ok(tally) => u8::from(tally.failed > 0),
            Err(failure) => {
                failure.print();
                if let Failure::NoGpu(_) = failure { failure.exit_code() } else { UNUSABLE }
            }
        }
    }

    fn tests(&self) -> Result<Tally, Failure> {
        let graphs = self.varied(self.files()?)?;
        let mut recorder = self.deterministic.begin()?;
        let mut tally = Tally::default();
        let gpu = super::open(&self.device, self.memory)?;
        self.known_params(&graphs)?;
        for graph in &graphs {
            let (name, started) = (graph.display().to_string(), Instant::now());
            report::print(&format!("{name}\n"));
            let mut suite = Suite { name, seconds: 0.0, cases: Vec::new() };
            if let Err(failure) = self.graph(graph, &gpu, &mut recorder, &mut suite, &mut tally) {
                failure.print();
                tally.unusable += 1;
                suite
                    .cases
                    .push(Case { name: "runs".into(), result: CaseResult::Error("the graph does not run".into()) });
            }
            suite.seconds = started.elapsed().as_secs_f64();
            tally.suites.push(suite);
        }
        if let Some(recorder) = &recorder {
            for sentence in self.deterministic.finish(recorder)? {
                report::print(&format!("  FAILED   {sentence}\n"));
                tally.failed += 1;
                let (name, result) = ("compare".into(), CaseResult::Failed(sentence));
                tally.suites.push(Suite { name: "hashes".into(), seconds: 0.0, cases: vec![Case { name, result }] });
            }
        }
        report::print(&tally.summary());
        if let Some(path) = &self.junit {
            let failure = |e: std::io::Error| Failure::Message(format!("--junit {}: {e}", path.display()));
            write::output(path, junit::to_text(&tally.suites).as_bytes()).map_err(failure)?;
        }
        Ok(tally)
    }

    /// The graph files on the command line, and those in its folders, sorted.
    fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut files = Vec::new();
        for path in &self.graphs {
            if !path.is_dir() {
                files.push(path.clone());
                continue;
            }
            let failure = |e: std::io::Error| Failure::Message(format!("{}: {e}", path.display()));
            let entries = std::fs::read_dir(path).map_err(failure)?.collect::<Result<Vec<_>, _>>().map_err(failure)?;
            let is_graph = |path: &PathBuf| path.is_file() && path.extension().is_some_and(|e| e == "ron");
            let mut graphs: Vec<PathBuf> = entries.iter().map(|entry| entry.path()).filter(is_graph).collect();
            graphs.sort();
            if graphs.is_empty() {
                return Err(Failure::Message(format!("{}: there are no graphs (.ron) in this folder", path.display())));
            }
            files.extend(graphs);
        }
        Ok(files)
    }

    /// The graphs that have the variant, if one is named. A graph that cannot be read stays, since its error is reported with it.
    fn varied(&self, graphs: Vec<PathBuf>) -> Result<Vec<PathBuf>, Failure> {
        let Some(name) = self.source.variant.as_ref().filter(|name| *name != NO_VARIANT) else { return Ok(graphs) };
        let mut there = BTreeSet::new();
        let mut has = |graph: &PathBuf| {
            let document = super::read(graph).ok();
            there.extend(document.iter().flat_map(|document| document.variants.keys().cloned()));
            document.is_none_or(|document| full_name(&document, name).is_some())
        };
        let kept: Vec<PathBuf> = graphs.into_iter().filter(|graph| has(graph)).collect();
        if kept.is_empty() {
            let there = match there.is_empty() {
                true => "they have no variants".to_string(),
                false => format!("the variants are: {}", Vec::from_iter(there).join(", ")),
            };
            return Err(Failure::Message(format!("--variant {name}: none of the graphs has this variant; {there}")));
        }
        Ok(kept)
    }

    /// Reports a parameter of a node that no graph has.
    fn known_params(&self, graphs: &[PathBuf]) -> Result<(), Failure> {
        let documents: Vec<Document> = graphs.iter().filter_map(|graph| super::read(graph).ok()).collect();
        let is_node = |param: &&String| documents.iter().any(|document| has_node(document, param));
        match self.source.params.iter().find(|param| !is_node(param)) {
            Some(param) if !documents.is_empty() => {
                Err(Failure::Message(format!("--param {param}: none of the graphs has this node")))
            }
            _ => Ok(()),
        }
    }

    /// The graph with the parameters of its own nodes.
    fn load(&self, graph: &Path) -> Result<(Document, Library, GraphArgs), Failure> {
        let document = super::read(graph)?;
        let params = self.source.params.iter().filter(|param| has_node(&document, param)).cloned().collect();
        let source = SourceArgs { params, ..self.source.clone() };
        let args = GraphArgs { graph: graph.into(), source, memory: self.memory, strict: self.strict };
        let (document, library) = args.load()?;
        Ok((document, library, args))
    }

    fn graph(
        &self,
        path: &Path,
        gpu: &Gpu,
        recorder: &mut Option<Recorder>,
        suite: &mut Suite,
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        let warnings_before = report::warnings();
        let (document, library, args) = self.load(path)?;
        let graph = Graph::build(&document, &library).map_err(|p| Failure::graph(&document, &library, p))?;
        // Those of other variants are no part of this run.
        let mut expectations = graph.expectations.clone();
        expectations.retain(|e| e.as_ref().map_or(true, |expectation| expectation.other_variant.is_none()));
        // An invalid expectation is reported as a failure below.
        let mut warnings = graph.warnings.clone();
        warnings.0.retain(|warning| !graph.expectations.iter().any(|e| e.as_ref().err() == Some(warning)));
        report::warn(&warnings);
        if expectations.is_empty() {
            tally.silent += 1;
            report::print("  no expectations\n");
            let result = CaseResult::Skipped("the graph has no expectations".into());
            suite.cases.push(Case { name: "expectations".into(), result });
            return Ok(());
        }
        for problem in expectations.iter().filter_map(|e| e.as_ref().err()) {
            tally.failed += 1;
            report::print(&format!("  FAILED   {problem}\n"));
            let name = problem.cause.split(':').next().unwrap_or("expectation").to_string();
            suite.cases.push(Case { name, result: CaseResult::Failed(problem.to_string()) });
        }
        let (keep, outputs) = expect::needs(&expectations);
        // The default tuning: results must not depend on measurements on this machine.
        let (tuning, memory_budget) = (gpu.tuning(), gpu.memory_budget());
        let options = PlanOptions { keep, outputs, tuning, memory_budget, ..args.options() };
        let plan = Plan::compile(&graph, &options).map_err(|p| Failure::graph(&document, &library, p))?;
        let mut checker = Checker::new(expectations);
        let mut simulation = Simulation::new(gpu, plan.clone())?;
        let warned = |tally: &mut Tally, suite: &mut Suite| {
            let count = report::warnings() - warnings_before;
            if self.strict.strict {
                tally.result("no warnings (--strict)", (count > 0).then(|| format!("{count} above")), suite);
            }
            count > 0 && self.strict.strict
        };
        if report::warnings() > warnings_before && warned(tally, suite) {
            return Ok(());
        }
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        if let Some(recorder) = recorder.as_mut() {
            recorder.graph(&name, &document, &library, &simulation)?;
        }
        for frame in 1..=checker.last_frame() {
            step(&mut simulation, frame)?;
            if checker.after_step(&simulation) {
                checker.collect(true);
            }
            if let Some(recorder) = recorder.as_mut() {
                recorder.take(&simulation)?;
            }
            for (index, outcome) in checker.take_news() {
                if let Some(Ok(expectation)) = checker.expectations().get(index) {
                    tally.note(expectation, &outcome, suite);
                }
            }
        }
        report::warn(&simulation.warnings(true));
        if let Some(run) = recorder.as_ref().and_then(Recorder::run) {
            let mut again = Simulation::new(gpu, plan)?;
            let result = repeated(run, &mut again, checker.last_frame(), Run::new(&name, &document, &graph))?;
            tally.result("the same bits in a second run", result, suite);
        }
        warned(tally, suite);
        Ok(())
    }
}

/// Runs a simulation again, and describes the first State and frame that differ.
fn repeated(run: &Run, again: &mut Simulation, frames: u64, mut second: Run) -> Result<Option<String>, Failure> {
    for frame in 1..=frames {
        step(again, frame)?;
        second.take(again)?;
    }
    Ok(difference(&second, run, "the first run"))
}

fn step(simulation: &mut Simulation, frame: u64) -> Result<(), Failure> {
    let input = simulation.recorded_input();
    simulation.step(&input)?;
    if frame.is_multiple_of(IN_FLIGHT) {
        simulation.gpu().wait();
    }
    Ok(())
}

/// Whether a document has a node that accepts this `--param`: nodes of the same name may have different kinds in
/// different graphs.
fn has_node(document: &Document, param: &str) -> bool {
    let Some((path, param)) = param.split_once('=').and_then(|(name, _)| name.rsplit_once('.')) else {
        // The error is reported where the parameter is applied.
        return true;
    };
    let (scope, name) = Scope::split(path);
    let node = document.level(&scope).and_then(|level| level.nodes().get(name));
    node.is_some_and(|node| match param {
        "resolution" | "width" | "edge" => matches!(node.kind, NodeKind::Domain(_)),
        "capacity" => matches!(node.kind, NodeKind::State(_)),
        _ => true,
    })
}

impl Tally {
    fn note(&mut self, expectation: &Expectation, outcome: &Outcome, suite: &mut Suite) {
        let Outcome { frame, verdict, found } = outcome;
        let (mut claim, comment) = (expectation.claim(), &expectation.comment);
        if !comment.is_empty() {
            claim = format!("{claim} ({comment})");
        }
        let found = if found.is_empty() { String::new() } else { format!(": {found}") };
        let (word, why, result) = match verdict {
            Verdict::Passed => {
                self.passed += 1;
                ("ok", String::new(), CaseResult::Passed)
            }
            Verdict::Failed(why) => {
                self.failed += 1;
                let message = format!("{claim}{found}; {why}");
                ("FAILED", format!("; {why}"), CaseResult::Failed(message))
            }
            Verdict::Skipped(why) => {
                self.skipped += 1;
                ("skipped", format!("; {why}"), CaseResult::Skipped(why.clone()))
            }
        };
        report::print(&format!("  {word:<8} frame {frame:>4}  {claim}{found}{why}\n"));
        suite.cases.push(Case { name: format!("frame {frame}: {claim}"), result });
    }

    /// A check that is not an expectation: whether it passed, or why not.
    fn result(&mut self, claim: &str, fault: Option<String>, suite: &mut Suite) {
        let result = match fault {
            None => {
                self.passed += 1;
                report::print(&format!("  {:<8} {claim}\n", "ok"));
                CaseResult::Passed
            }
            Some(why) => {
                self.failed += 1;
                report::print(&format!("  {:<8} {claim}: {why}\n", "FAILED"));
                CaseResult::Failed(why)
            }
        };
        suite.cases.push(Case { name: claim.into(), result });
    }

    fn summary(&self) -> String {
        let mut text = format!("{} passed, {} failed", self.passed, self.failed);
        let graphs = |count: usize| if count == 1 { "1 graph".to_string() } else { format!("{count} graphs") };
        if self.skipped > 0 {
            text = format!("{text}, {} skipped", self.skipped);
        }
        if self.silent > 0 {
            text = format!("{text}, {} without expectations", graphs(self.silent));
        }
        if self.unusable > 0 {
            text = format!("{text}, {} not run", graphs(self.unusable));
        }
        text + "\n"
    }
}
