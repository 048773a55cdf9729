//! What the command line prints when something is wrong: the sentence, and the stage's own text around the place.

use std::io::Write;
use std::time::Duration;

use miette::{LabeledSpan, MietteDiagnostic, Report, Severity};

use stagewright::document::{Document, NodeKind};
use stagewright::library::Library;
use stagewright::problem::{Problem, Problems};

/// Why a command did not do what it was asked.
pub enum Failure {
    /// One sentence.
    Message(String),
    /// Problems of a graph, each with the text that it points into.
    Problems(Vec<(Problem, Option<String>)>),
    /// The driver compiled a shader for longer than the limit.
    Driver(Problems, Duration),
}

/// Exit codes; 2 is that of a command line that can't be read.
const FAILED: u8 = 1;
pub const DRIVER: u8 = 3;

impl Failure {
    /// Problems of a graph, with the source text of custom nodes and library stages looked up.
    pub fn graph(document: &Document, library: &Library, problems: Problems) -> Failure {
        let with_text = |problem: Problem| {
            let text = match document.node(&problem.node).map(|n| &n.kind) {
                Some(NodeKind::Custom(source)) => Some(source.clone()),
                Some(NodeKind::Stage(name)) => library.stage(name).map(|s| s.source.clone()),
                _ => None,
            };
            (problem, text)
        };
        Failure::Problems(problems.0.into_iter().map(with_text).collect())
    }

    pub fn exit_code(&self) -> u8 {
        if matches!(self, Failure::Driver(..)) { DRIVER } else { FAILED }
    }

    /// The limit that the driver went over.
    pub fn by_driver(&self) -> Option<Duration> {
        match self {
            Failure::Driver(_, limit) => Some(*limit),
            _ => None,
        }
    }

    /// Prints to standard error.
    pub fn print(&self) {
        match self {
            Failure::Message(message) => eprintln!("error: {message}"),
            Failure::Driver(problems, limit) => {
                problems.0.iter().for_each(|problem| eprintln!("{:?}", diagnostic(problem, None)));
                eprintln!("--driver-limit {}: the driver did not finish in time", limit.as_secs());
            }
            Failure::Problems(problems) => {
                for (problem, text) in problems {
                    eprintln!("{:?}", diagnostic(problem, text.as_deref()));
                }
                let count = problems.len();
                eprintln!("{count} problem{}", if count == 1 { "" } else { "s" });
            }
        }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        Failure::Problems(vec![(problem, None)])
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Failure {
        Failure::Problems(problems.0.into_iter().map(|p| (p, None)).collect())
    }
}

/// Prints warnings to standard error; they stop nothing.
pub fn warn(problems: &Problems) {
    for problem in &problems.0 {
        eprintln!("{:?}", diagnostic(problem, None));
    }
}

/// Prints to standard output. A reader that has gone away (`| head`) is no error.
pub fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn diagnostic(problem: &Problem, text: Option<&str>) -> Report {
    let place = match (problem.node.is_empty(), problem.port.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!("{}: ", problem.port),
        (false, true) => format!("{}: ", problem.node),
        (false, false) => format!("{}.{}: ", problem.node, problem.port),
    };
    let severity = match problem.severity {
        stagewright::problem::Severity::Error => Severity::Error,
        stagewright::problem::Severity::Warning => Severity::Warning,
    };
    let mut diagnostic = MietteDiagnostic::new(format!("{place}{}", problem.cause)).with_severity(severity);
    if !problem.remedy.is_empty() {
        diagnostic = diagnostic.with_help(problem.remedy.clone());
    }
    let (Some(at), Some(text)) = (problem.place, text) else { return Report::new(diagnostic) };
    let line_start: usize = text.split_inclusive('\n').take(at.line.saturating_sub(1)).map(str::len).sum();
    let line = text.get(line_start..).unwrap_or("");
    let offset = line_start + line.chars().take(at.column.saturating_sub(1)).map(char::len_utf8).sum::<usize>();
    let label = LabeledSpan::at_offset(offset.min(text.len()), "here");
    let source = miette::NamedSource::new(format!("{}.wgsl", problem.node), text.to_string()).with_language("wgsl");
    Report::new(diagnostic.with_label(label)).with_source_code(source)
}
