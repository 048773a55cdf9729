//! `--stop-on`: ends a run where it goes wrong, and reports where that began.

use std::path::Path;

use clap::Args;

use super::GraphArgs;
use super::report::{self, Failure};
use stagewright_base::problem::Problems;
use stagewright_compiler::{Keep, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::Gpu;
use stagewright_runtime::sim::debug::{Condition, Conditions, Fired, FrameDebugger, Report};
use stagewright_runtime::sim::{FrameInput, Simulation};

#[derive(Args)]
pub struct StopArgs {
    /// End with exit code 4 when a condition holds after a frame, and report the dispatch, the node, the cell or particle and the values
    /// that made it: `nan` (in any State), `nan NODE.PORT`, `alarm`, `frame N`, `NODE.PORT outside LOW..HIGH`, or an expression such as
    /// `velocity.value:max > 10`. May be given several times
    #[arg(long, value_name = "CONDITION")]
    stop_on: Vec<String>,
    /// Print the report as JSON, and nothing else; `null` when nothing stopped the run
    #[arg(long, requires = "stop_on", conflicts_with_all = ["profile", "stats"])]
    json: bool,
}

/// Conditions of a run, and what stopped it.
pub struct Stop {
    conditions: Conditions,
    input: FrameInput,
    /// The last frame that was checked; `None` before the first look.
    checked: Option<u64>,
    pub fired: Option<Fired>,
}

impl StopArgs {
    /// Whether standard output is for the report alone.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// The conditions of a run to the frame `last`; `None` where none are given.
    ///
    /// # Errors
    /// A condition that is not valid, or a frame that the run does not reach.
    pub fn begin(&self, document: &Document, library: &Library, last: u64) -> Result<Option<Stop>, Failure> {
        if self.stop_on.is_empty() {
            return Ok(None);
        }
        let graph = Graph::build(document, library).map_err(|problems| Failure::graph(document, library, problems))?;
        let parse = |text: &String| {
            Condition::parse(text, document, &graph)
                .map_err(|problem| Failure::Message(format!("--stop-on {}", Problems::from(problem))))
        };
        let conditions: Vec<Condition> = self.stop_on.iter().map(parse).collect::<Result<_, _>>()?;
        for condition in &conditions {
            if let Condition::Frame(frame) = condition
                && *frame > last
            {
                let cause = format!("--stop-on {condition}: the run ends with frame {last}; raise --frames");
                return Err(Failure::Message(cause));
            }
        }
        let conditions = Conditions::new(conditions);
        Ok(Some(Stop { conditions, input: FrameInput::default(), checked: None, fired: None }))
    }

    /// Finds where it stopped.
    ///
    /// # Errors
    /// A plan that can stop inside a frame does not fit the device.
    pub fn find(
        &self,
        fired: &Fired,
        graph: &GraphArgs,
        (document, library): (&Document, &Library),
        options: &PlanOptions,
        gpu: &Gpu,
    ) -> Result<Report, Failure> {
        let plan = graph.compile(document, library, &FrameDebugger::options(options))?;
        Ok(fired.report(gpu, plan)?.1)
    }

    /// Prints it, with the checkpoint of what the frame starts from.
    pub fn print(&self, mut found: Report, checkpoint: &Path) {
        found.checkpoint = Some(checkpoint.display().to_string());
        if self.json {
            report::print_json(&format!("{}\n", found.to_json()));
        } else {
            report::print(&found.to_text());
        }
    }
}

impl Stop {
    /// The options of a plan that keeps what the conditions need.
    pub fn keep(&self, options: PlanOptions) -> PlanOptions {
        let wanted: Vec<String> = self.conditions.list().iter().flat_map(Condition::keep).collect();
        let keep = match options.keep {
            Keep::Needed if wanted.is_empty() => Keep::Needed,
            Keep::Needed => Keep::Wires(wanted),
            Keep::Wires(wires) => Keep::Wires(wires.into_iter().chain(wanted).collect()),
            all => all,
        };
        PlanOptions { keep, ..options }
    }

    /// Called when the run has gone on to a later frame without computing those before it.
    pub fn skip(&mut self) {
        self.checked = None;
    }

    /// Called before the first frame, and whenever a frame has been computed. Returns whether the run goes on.
    ///
    /// # Errors
    /// A condition that has no value, or a device that failed.
    pub fn check(&mut self, simulation: &mut Simulation) -> Result<bool, Failure> {
        let frame = simulation.frame();
        match self.checked.replace(frame) {
            Some(checked) if frame > checked => self.fired = self.conditions.after(simulation, &self.input)?,
            Some(_) => return Ok(self.fired.is_none()),
            None => {}
        }
        if self.fired.is_none() {
            self.input = simulation.next_input();
            self.fired = self.conditions.before(simulation, &self.input);
        }
        Ok(self.fired.is_none())
    }
}
