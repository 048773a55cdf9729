//! `--deterministic`: runs that are reproducible to the bit, with hashes that verify it.

use std::path::PathBuf;

use clap::Args;

use super::report::{self, Failure};
use stagewright_base::files::{read, write};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_runtime::sim::hashes::{Hashes, Origin, Row, Run};

/// The guarantee, as printed.
const PROMISE: &str =
    "the same program, graph, recorded input and frames give the same bits on the same adapter and driver";

/// Size limit of a file of hashes \[bytes\]; a million hashes take about 60 MiB.
const MAX_FILE: u64 = 256 << 20;

#[derive(Args)]
pub struct DeterministicArgs {
    /// Give the same bits in every run on one adapter and driver: use the default tuning instead of the measured one. Hashes every State
    /// after every frame
    #[arg(long)]
    deterministic: bool,
    /// Write the hashes to a file
    #[arg(long, value_name = "FILE", requires = "deterministic")]
    hashes: Option<PathBuf>,
    /// Compare the hashes with those in a file; exit code 1 where they differ, with the first State and frame
    #[arg(long, value_name = "FILE", requires = "deterministic")]
    compare: Option<PathBuf>,
}

impl DeterministicArgs {
    pub fn on(&self) -> bool {
        self.deterministic
    }

    /// Starts to record hashes; `None` where none are requested.
    ///
    /// # Errors
    /// A file to compare with that cannot be read.
    pub fn begin(&self) -> Result<Option<Recorder>, Failure> {
        if !self.deterministic {
            return Ok(None);
        }
        let read = |path: &PathBuf| {
            let failure = |cause: String| Failure::Message(format!("--compare {}: {cause}", path.display()));
            let text = read::text(path, MAX_FILE).map_err(|e| failure(e.to_string()))?;
            Hashes::parse(&text).map_err(failure)
        };
        let reference = self.compare.as_ref().map(read).transpose()?;
        Ok(Some(Recorder { hashes: Hashes::default(), reference }))
    }

    /// Writes and compares the recorded hashes.
    ///
    /// # Errors
    /// A file that cannot be written. Returns a sentence for every graph whose hashes differ.
    pub fn finish(&self, recorder: &Recorder) -> Result<Vec<String>, Failure> {
        if let Some(path) = &self.hashes {
            let failure = |e: std::io::Error| Failure::Message(format!("--hashes {}: {e}", path.display()));
            write::output(path, recorder.hashes.to_text().as_bytes()).map_err(failure)?;
        }
        Ok(recorder.reference.as_ref().map_or_else(Vec::new, |reference| differences(&recorder.hashes, reference)))
    }
}

/// The hashes of this run, and those to compare with.
pub struct Recorder {
    hashes: Hashes,
    reference: Option<Hashes>,
}

impl Recorder {
    /// Starts with a graph, and prints what its hashes belong to.
    ///
    /// # Errors
    /// A graph with errors.
    pub fn graph(
        &mut self,
        name: &str,
        document: &Document,
        library: &Library,
        simulation: &Simulation,
    ) -> Result<(), Failure> {
        let graph = Graph::build(document, library)?;
        self.hashes.origin = Origin::of(simulation);
        let run = Run::new(name, document, &graph);
        report::print(&format!("{}promise: {PROMISE}\n", self.hashes.head(&run)));
        self.hashes.runs.push(run);
        Ok(())
    }

    /// Records the hashes after a frame.
    ///
    /// # Errors
    /// A device that failed.
    pub fn take(&mut self, simulation: &Simulation) -> Result<&[Row], Failure> {
        match self.hashes.runs.last_mut() {
            Some(run) => Ok(run.take(simulation)?),
            None => Ok(&[]),
        }
    }

    /// The run of the current graph.
    pub fn run(&self) -> Option<&Run> {
        self.hashes.runs.last()
    }
}

/// The differences between runs and those of a file, one sentence each. Possible reasons, such as another adapter, are
/// printed.
fn differences(hashes: &Hashes, reference: &Hashes) -> Vec<String> {
    let (here, there) = (&hashes.origin, &reference.origin);
    for (what, here, there) in [("adapter", &here.adapter, &there.adapter), ("program", &here.program, &there.program)]
    {
        if here != there {
            report::print(&format!("note: the file comes from another {what}: {there}; this is {here}\n"));
        }
    }
    let mut differences = Vec::new();
    for run in &hashes.runs {
        let named = reference.runs.iter().find(|other| other.name == run.name);
        let only = reference.runs.first().filter(|_| reference.runs.len() == 1 && hashes.runs.len() == 1);
        let Some(other) = named.or(only) else {
            differences.push(format!("{}: the file holds no hashes of this graph", run.name));
            continue;
        };
        if run.graph != other.graph {
            report::print(&format!("note: {}: the graph, its parameters or its stages differ\n", run.name));
        }
        if let Some(sentence) = difference(run, other, "the file") {
            differences.push(format!("{}: {sentence}", run.name));
        } else {
            report::print(&format!("{}: {} hashes, all the same\n", run.name, run.rows.len()));
        }
    }
    differences
}

/// The first State and frame in which two runs differ, in one sentence.
pub fn difference(run: &Run, other: &Run, what: &str) -> Option<String> {
    Some(match run.first_difference(other)? {
        (Some(here), Some(there)) if (here.frame, &here.state) == (there.frame, &there.state) => format!(
            "frame {}: State `{}` differs from {what}: {:032x}, expected {:032x}",
            here.frame, here.state, here.hash, there.hash
        ),
        (Some(here), Some(there)) => format!(
            "frame {}: found State `{}` where {what} has State `{}` of frame {}",
            here.frame, here.state, there.state, there.frame
        ),
        (Some(here), None) => format!("frame {}: {what} ends before State `{}`", here.frame, here.state),
        (None, Some(there)) => format!("this run ends before frame {} of {what}", there.frame),
        (None, None) => return None,
    })
}
