//! Hashes of every State after every frame: printed, written to a file, and compared with a file. The same adapter,
//! driver, program, graph and input give the same bits.

use std::fmt::{self, Write};

use super::Simulation;
use super::expect::request;
use super::hash::Fnv;
use crate::document::Document;
use crate::graph::expect::ExpectSubject;
use crate::graph::{Graph, Kind};
use crate::problem::Problem;

const FIRST_LINE: &str = "stagewright hashes 1";

/// Where the hashes were computed, and by which program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Name and version of the program.
    pub program: String,
    /// Adapter, backend and driver.
    pub adapter: String,
}

impl Origin {
    /// The origin of hashes of this simulation.
    pub fn of(simulation: &Simulation) -> Origin {
        let program = format!("stagewright {}", env!("CARGO_PKG_VERSION"));
        Origin { program, adapter: simulation.gpu().name().replace('\n', " ") }
    }
}

/// The hash of one State after one frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The frame, counted from 1.
    pub frame: u64,
    /// Name of the State.
    pub state: String,
    /// 128 bits, FNV-1a.
    pub hash: u128,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:032x} {}", self.frame, self.hash, self.state)
    }
}

/// The hashes of a graph's run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The graph's file.
    pub name: String,
    /// Hash of the graph's text and its stages.
    pub graph: u128,
    /// Hashes by frame and State.
    pub rows: Vec<Row>,
}

impl Run {
    /// A run without any frames yet.
    pub fn new(name: &str, document: &Document, graph: &Graph) -> Run {
        Run { name: name.replace('\n', " "), graph: graph_hash(document, graph), rows: Vec::new() }
    }

    /// Adds the hash of every State after the simulation's last frame, and returns these rows. Blocks until the GPU has
    /// finished.
    ///
    /// # Errors
    /// A device that failed.
    pub fn take(&mut self, simulation: &Simulation) -> Result<&[Row], Problem> {
        let first = self.rows.len();
        for state in states(simulation) {
            let hash = request(simulation, &state)?.wait()?.hash();
            self.rows.push(Row { frame: simulation.frame(), state: state.to_string(), hash });
        }
        Ok(self.rows.get(first..).unwrap_or_default())
    }

    /// The first row that differs from another run: the row here, and the one there.
    pub fn first_difference<'r>(&'r self, other: &'r Run) -> Option<(Option<&'r Row>, Option<&'r Row>)> {
        let rows = self.rows.len().max(other.rows.len());
        (0..rows).map(|at| (self.rows.get(at), other.rows.get(at))).find(|(here, there)| here != there)
    }
}

/// Every State of a plan; for particles, every attribute; of a file, its outputs.
fn states(simulation: &Simulation) -> Vec<ExpectSubject> {
    let plan = simulation.plan();
    let subject = |state: &crate::plan::State| {
        if let Some(file) = plan.files.iter().find(|file| file.buffer == state.buffer && file.part.is_none()) {
            return ExpectSubject::Wire(format!("{}.{}", file.node, file.output.name()));
        }
        match state.node.rsplit_once('.') {
            Some((set, attribute)) => ExpectSubject::Attribute(set.to_string(), attribute.to_string()),
            None => ExpectSubject::Wire(format!("{}.value", state.node)),
        }
    };
    let mut states: Vec<ExpectSubject> = plan.states.iter().map(subject).collect();
    states.sort();
    states
}

/// A hash of the document and of the stages that it uses.
fn graph_hash(document: &Document, graph: &Graph) -> u128 {
    let stages = graph.nodes.iter().filter_map(|node| match &node.kind {
        Kind::Stage(stage) => Some((node.path.as_bytes(), stage.source.as_bytes())),
        _ => None,
    });
    let text = Fnv::default().bytes(document.to_text().as_bytes());
    stages.fold(text, |hash, (path, source)| hash.bytes(path).bytes(&[0]).bytes(source).bytes(&[0])).value()
}

/// Runs with their origin, as stored in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hashes {
    /// Where the hashes were computed.
    pub origin: Origin,
    /// One run per graph.
    pub runs: Vec<Run>,
}

impl Hashes {
    /// The lines above a run's rows.
    pub fn head(&self, run: &Run) -> String {
        let Origin { program, adapter } = &self.origin;
        format!("program: {program}\nadapter: {adapter}\ngraph: {:032x} {}\n", run.graph, run.name)
    }

    /// The text of a file of hashes.
    pub fn to_text(&self) -> String {
        let mut out = format!("{FIRST_LINE}\n");
        for run in &self.runs {
            out.push_str(&self.head(run));
            for row in &run.rows {
                let _ = writeln!(out, "{row}");
            }
        }
        out
    }

    /// Reads the text of a file of hashes.
    ///
    /// # Errors
    /// The first line that is not valid in such a file, in one sentence.
    pub fn parse(text: &str) -> Result<Hashes, String> {
        let mut hashes = Hashes::default();
        let mut lines = text.lines().enumerate();
        if lines.next().map(|(_, line)| line.trim_end()) != Some(FIRST_LINE) {
            return Err("the file is not a list of hashes; write one with --hashes".into());
        }
        for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = || format!("line {}: `{}` is not a hash", index + 1, line.chars().take(60).collect::<String>());
            let hash = |text: &str| u128::from_str_radix(text, 16).ok().filter(|_| text.len() == 32);
            if let Some(program) = line.strip_prefix("program: ") {
                hashes.origin.program = program.into();
            } else if let Some(adapter) = line.strip_prefix("adapter: ") {
                hashes.origin.adapter = adapter.into();
            } else if let Some(graph) = line.strip_prefix("graph: ") {
                let (text, name) = graph.split_once(' ').ok_or_else(wrong)?;
                let graph = hash(text).ok_or_else(wrong)?;
                hashes.runs.push(Run { name: name.into(), graph, rows: Vec::new() });
            } else {
                let mut parts = line.splitn(3, ' ');
                let mut part = || parts.next().ok_or_else(wrong);
                let frame = part()?.parse().map_err(|_| wrong())?;
                let hash = hash(part()?).ok_or_else(wrong)?;
                let state = part()?.to_string();
                hashes.runs.last_mut().ok_or_else(wrong)?.rows.push(Row { frame, state, hash });
            }
        }
        Ok(hashes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(hashes: &[u128]) -> Run {
        let rows = hashes.iter().zip(1..).map(|(hash, frame)| Row { frame, state: "a b".into(), hash: *hash });
        Run { name: "a graph.ron".into(), graph: 7, rows: rows.collect() }
    }

    #[test]
    fn a_file_reads_as_it_was_written() {
        let origin = Origin { program: "stagewright 1".into(), adapter: "GPU (Vulkan, driver 2)".into() };
        let hashes = Hashes { origin, runs: vec![run(&[1, u128::MAX]), run(&[])] };
        assert_eq!(Hashes::parse(&hashes.to_text()), Ok(hashes.clone()));
        let broken = hashes.to_text().replace("2 ffff", "2 gfff");
        assert!(Hashes::parse(&broken).unwrap_err().starts_with("line 6: "), "{:?}", Hashes::parse(&broken));
        assert!(Hashes::parse("(version: 1)").is_err());
    }

    #[test]
    fn the_first_difference_is_found_also_where_one_run_is_shorter() {
        let (a, b) = (run(&[1, 2, 3]), run(&[1, 5, 6]));
        assert_eq!(a.first_difference(&a), None);
        let (here, there) = a.first_difference(&b).unwrap();
        assert_eq!((here.unwrap().hash, there.unwrap().hash, here.unwrap().frame), (2, 5, 2));
        let short = run(&[1, 2]);
        assert_eq!(a.first_difference(&short), Some((a.rows.last(), None)));
    }
}
