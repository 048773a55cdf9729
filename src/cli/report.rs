//! What the command line prints when something is wrong: the sentence, and the stage's own text around the place.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use codespan_reporting::diagnostic::{Diagnostic, Label, Severity};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term::termcolor::{ColorChoice, StandardStream};
use codespan_reporting::term::{self, Config};

use stagewright::document::{Document, NodeKind};
use stagewright::library::Library;
use stagewright::printable;
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
            Failure::Message(message) => tell(&format!("error: {}", printable::cut(message))),
            Failure::Driver(problems, limit) => {
                problems.0.iter().for_each(|problem| show(problem, None));
                tell(&format!("--driver-limit {}: the driver did not finish in time", limit.as_secs()));
            }
            Failure::Problems(problems) => {
                for (problem, text) in problems {
                    show(problem, text.as_deref());
                }
                let count = problems.len();
                tell(&format!("{count} problem{}", if count == 1 { "" } else { "s" }));
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
        show(problem, None);
    }
}

/// What went wrong with standard output, once.
static FAULT: Mutex<Option<io::Error>> = Mutex::new(None);

/// Prints to standard output. Control and direction characters, which texts from files may have, are written out.
pub fn print(text: &str) {
    write(&printable::lines(text));
}

/// Prints JSON to standard output.
pub fn print_json(text: &str) {
    write(&printable::json(text));
}

/// After the first failure nothing more is written: the command goes on, and [`finish`] says so at its end.
fn write(text: &str) {
    let mut fault = FAULT.lock().unwrap_or_else(PoisonError::into_inner);
    if fault.is_none() {
        *fault = io::stdout().write_all(text.as_bytes()).err();
    }
}

/// Whether all that was printed has arrived. A reader that has gone away (`| head`) is no error.
pub fn finish() -> Result<(), Failure> {
    let fault = FAULT.lock().unwrap_or_else(PoisonError::into_inner).take();
    match fault.map_or_else(|| io::stdout().flush(), Err) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Message(format!("standard output can't be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a line to standard error. Where that fails there is nobody to tell.
pub fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{}", printable::lines(text));
}

/// A message from a file: short enough to read, and no more than text. The report has escape codes of its own, so what goes into it is cleaned
/// before.
fn clean(text: &str) -> String {
    let text = printable::cut(text);
    printable::lines(&text).into_owned()
}

/// Prints a problem to standard error, in colours on a terminal.
fn show(problem: &Problem, text: Option<&str>) {
    let problem = &Problem {
        node: printable::name(&problem.node).into_owned(),
        port: printable::name(&problem.port).into_owned(),
        cause: clean(&problem.cause),
        remedy: clean(&problem.remedy),
        ..problem.clone()
    };
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
    let mut diagnostic = Diagnostic::new(severity).with_message(format!("{place}{}", problem.cause));
    if !problem.remedy.is_empty() {
        diagnostic = diagnostic.with_note(format!("help: {}", problem.remedy));
    }
    let text = text.map(printable::in_place).unwrap_or_default();
    if let Some(at) = problem.place.filter(|_| !text.is_empty()) {
        let offset = offset(&text, at.line, at.column);
        let length = text.get(offset..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        diagnostic = diagnostic.with_label(Label::primary((), offset..offset + length).with_message("here"));
    }
    let choice = if io::stderr().is_terminal() { ColorChoice::Auto } else { ColorChoice::Never };
    let file = SimpleFile::new(format!("{}.wgsl", problem.node), text);
    // Where that fails there is nobody to tell.
    let _ =
        term::emit_to_write_style(&mut StandardStream::stderr(choice).lock(), &Config::default(), &file, &diagnostic);
}

/// Where a line and a column, both from 1, are in a text \[bytes\].
fn offset(text: &str, line: usize, column: usize) -> usize {
    let line_start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let line = text.get(line_start..).unwrap_or("");
    let offset = line_start + line.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum::<usize>();
    offset.min(text.len())
}
