//! `stagewright plan`

use clap::Args;
use clap::builder::PossibleValuesParser;
use stagewright_compiler::{MemoryBudget, PassReport, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_runtime::gpu::{Gpu, GpuOptions};
use stagewright_runtime::tune::TuningCache;

use super::GraphArgs;
use super::report::{self, Failure};

#[derive(Args)]
pub struct PlanArgs {
    #[command(flatten)]
    pub graph: GraphArgs,
    /// Print the whole plan as JSON
    #[arg(long)]
    json: bool,
    /// Also print the WGSL of every kernel
    #[arg(long)]
    wgsl: bool,
    /// The plan for: `plain` (nothing optimised), `cpu` (a software adapter), `gpu` (any GPU), or the adapter of this name;
    /// this machine's adapter when absent
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// Leave out a pass of the compiler, for comparison: of those that join dispatches and pack particles
    #[arg(long, value_name = "PASS", value_parser = PossibleValuesParser::new(Plan::optional_passes()))]
    without: Vec<String>,
    /// List the compiler's passes, and what each did
    #[arg(long, conflicts_with_all = ["json", "wgsl", "memory"])]
    passes: bool,
    /// Print the operations of the frame as they are after this pass; `lower` for those that the passes begin with
    #[arg(long, value_name = "PASS", conflicts_with_all = ["json", "wgsl", "passes", "memory"])]
    after: Option<String>,
}

impl PlanArgs {
    pub fn run(&self) -> Result<(), Failure> {
        let (document, library) = self.graph.load()?;
        let (tuning, budget) = self.target()?;
        let tuning = Tuning { without: self.without.clone(), ..tuning };
        let memory_budget = budget.or_user(self.graph.memory.memory);
        let options = PlanOptions { tuning, memory_budget, ..self.graph.options() };
        if self.passes || self.after.is_some() {
            let problems = |problems| Failure::graph(&document, &library, problems);
            let graph = Graph::build(&document, &library).map_err(problems)?;
            report::warn(&graph.warnings);
            let reports = Plan::passes(&graph, &options).map_err(problems)?;
            return match &self.after {
                Some(pass) => after(pass, &reports),
                None => {
                    report::print(&table(&reports));
                    Ok(())
                }
            };
        }
        let plan = self.graph.compile(&document, &library, &options)?;
        match (self.json, self.wgsl) {
            (true, _) => {
                report::print_json(&serde_json::to_string_pretty(&plan).map_err(|e| Failure::Message(e.to_string()))?);
            }
            (_, true) => report::print(&plan.to_text_with_wgsl()),
            _ => report::print(&plan.to_text()),
        }
        Ok(())
    }

    /// The tuning and the memory budget that the plan is made for. Without a device, its memory is not known.
    fn target(&self) -> Result<(Tuning, MemoryBudget), Failure> {
        let adapter = match self.target.as_deref() {
            Some("plain") => return Ok((Tuning::default(), MemoryBudget::default())),
            Some("cpu") => return Ok((Tuning::cpu(), MemoryBudget::default())),
            Some("gpu") => return Ok((Tuning::gpu(), MemoryBudget::default())),
            other => other.map(String::from),
        };
        let named = adapter.is_some();
        match Gpu::new(&GpuOptions { adapter }) {
            Ok(gpu) => Ok((TuningCache::open().tuning(&gpu), gpu.memory_budget())),
            Err(error) if named => Err(Failure::Message(format!("--target: {error}; or write plain, cpu or gpu"))),
            Err(error) => {
                report::eprint_line(&format!("{error}; this is the plan for any GPU (--target gpu)"));
                Ok((Tuning::gpu(), MemoryBudget::default()))
            }
        }
    }
}

/// A line for each pass: name, phase, what it did, and why it runs at this position.
fn table(reports: &[PassReport]) -> String {
    let widest = |of: fn(&PassReport) -> &str| reports.iter().map(|r| of(r).chars().count()).max().unwrap_or(0);
    let (name, phase, summary) = (widest(|r| r.name), widest(|r| r.phase), widest(|r| &r.summary));
    let line = |r: &PassReport| format!("{:name$}  {:phase$}  {:summary$}  {}\n", r.name, r.phase, r.summary, r.place);
    reports.iter().map(line).collect()
}

fn after(pass: &str, reports: &[PassReport]) -> Result<(), Failure> {
    let Some(found) = reports.iter().find(|report| report.name == pass) else {
        let names: Vec<&str> = reports.iter().map(|report| report.name).collect();
        return Err(Failure::Message(format!("--after {pass}: no such pass; there are: {}", names.join(", "))));
    };
    report::print(&format!("frame\n{}\nreset\n{}", found.frame, found.reset));
    Ok(())
}
