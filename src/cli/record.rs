//! `stagewright record`: numbers over time, or the values along a line, as a table.

use std::path::PathBuf;

use clap::Args;

use super::report::{self, Failure};
use super::run::{self, parse_count};
use super::{DeviceArgs, GraphArgs};
use stagewright_base::files::write;
use stagewright_compiler::{Keep, Outputs, Plan, PlanOptions};
use stagewright_language::graph::Graph;
use stagewright_language::graph::measurement::Measurement;
use stagewright_runtime::sim::Simulation;
use stagewright_runtime::sim::record::{Profile, Record as Table};

#[derive(Args)]
pub struct Record {
    #[command(flatten)]
    pub graph: GraphArgs,
    /// Number of frames
    #[arg(long, value_name = "N", value_parser = parse_count)]
    frames: u64,
    /// Number to measure: a number node or a wire; of a grid or particles a statistic (min, max, mean, sum, rms, count), and the
    /// component of vectors: density.value:sum, velocity.value:max:0
    #[arg(long = "number", value_name = "NODE.PORT[:STATISTIC[:COMPONENT]]")]
    numbers: Vec<String>,
    /// Measure only every so many frames
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Values of a grid along a line of the last frame instead: along an axis through the middle of the domain, or through a place
    /// on the other axes [m]
    #[arg(long, value_name = "NODE.PORT:AXIS[:PLACE]", value_parser = Profile::parse, conflicts_with_all = ["numbers", "every"])]
    profile: Option<Profile>,
    /// File to write; standard output when absent
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    device: DeviceArgs,
}

impl Record {
    pub fn run(&self) -> Result<(), Failure> {
        if self.numbers.is_empty() && self.profile.is_none() {
            return Err(Failure::Message(
                "nothing to record; give --number NODE.PORT, or --profile NODE.PORT:AXIS".into(),
            ));
        }
        let (document, library) = self.graph.load()?;
        let graph = Graph::build(&document, &library).map_err(|p| Failure::graph(&document, &library, p))?;
        report::warn(&graph.warnings);
        let parse = |text: &String| Ok((text.clone(), Measurement::parse(text, &document, &graph)?));
        let mut table = Table::new(self.numbers.iter().map(parse).collect::<Result<_, Failure>>()?);
        let wires = table.wires().chain(self.profile.iter().map(|line| line.wire.clone()));
        let keep = Keep::Wires(wires.collect());
        let gpu = super::open(&self.device, self.graph.memory)?;
        let (tuning, memory_budget) = (gpu.tuning(), gpu.memory_budget());
        let options = PlanOptions { keep, outputs: Outputs::None, tuning, memory_budget, ..self.graph.options() };
        let plan = Plan::compile(&graph, &options).map_err(|p| Failure::graph(&document, &library, p))?;
        let mut simulation = Simulation::new(&gpu, plan)?;
        self.graph.strict.check()?;
        for frame in 1..=self.frames {
            let input = simulation.recorded_input();
            simulation.step(&input)?;
            if frame.is_multiple_of(self.every) {
                table.take(&simulation)?;
            }
        }
        report::warn(&simulation.warnings(true));
        run::warn_of_nan(&simulation)?;
        let text = match &self.profile {
            Some(line) => line.to_csv(&line.read(&simulation)?),
            None => table.to_csv(),
        };
        match &self.csv {
            None => report::print(&text),
            Some(path) => {
                let failure = |e: std::io::Error| Failure::Message(format!("--csv {}: {e}", path.display()));
                write::output(path, text.as_bytes()).map_err(failure)?;
            }
        }
        Ok(())
    }
}
