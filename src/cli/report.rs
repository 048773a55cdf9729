//! Error output of the command line: messages, with the stage's text around the position.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use codespan_reporting::diagnostic::{Diagnostic, Label, Severity};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term::termcolor::{ColorChoice, StandardStream};
use codespan_reporting::term::{self, Config};

use stagewright_base::printable;
use stagewright_base::problem::{Problem, Problems};
use stagewright_language::document::{Document, NodeKind};
use stagewright_language::library::Library;

/// Why a command failed.
pub enum Failure {
    /// A single sentence.
    Message(String),
    /// Problems of a graph, each with the text that its position refers to.
    Problems(Vec<(Problem, Option<String>)>),
    /// The driver compiled a shader for longer than the limit.
    Driver(Problems, Duration),
    /// There is no GPU, and `--require-gpu` was given.
    NoGpu(String),
}

/// Exit codes; 2 is that of an invalid command line.
const FAILED: u8 = 1;
pub const DRIVER: u8 = 3;
/// A condition of `--stop-on` held.
pub const STOPPED: u8 = 4;
/// There is no GPU, and `--require-gpu` was given.
pub const NO_GPU: u8 = 5;

impl Failure {
    /// Problems of a graph; looks up the source text of custom nodes and library stages.
    pub fn graph(document: &Document, library: &Library, problems: Problems) -> Failure {
        let library = library.with_shared_of(document);
        let with_text = |problem: Problem| {
            if !problem.file.is_empty() {
                let text = library.shared_text(&problem.file).map(String::from);
                return (problem, text);
            }
            let text = match document.node(&problem.node).map(|n| &n.kind) {
                Some(NodeKind::Custom(source)) => Some(source.clone()),
                Some(NodeKind::Stage(name)) => library.stage(name).map(|s| s.own_text().to_string()),
                _ => None,
            };
            (problem, text)
        };
        Failure::Problems(problems.0.into_iter().map(with_text).collect())
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Driver(..) => DRIVER,
            Failure::NoGpu(_) => NO_GPU,
            Failure::Message(_) | Failure::Problems(_) => FAILED,
        }
    }

    /// The time limit, if the driver exceeded it.
    pub fn by_driver(&self) -> Option<Duration> {
        match self {
            Failure::Driver(_, limit) => Some(*limit),
            _ => None,
        }
    }

    /// Prints to standard error.
    pub fn print(&self) {
        match self {
            Failure::Message(message) | Failure::NoGpu(message) => {
                eprint_line(&format!("error: {}", printable::cut(message)));
            }
            Failure::Driver(problems, limit) => {
                problems.0.iter().for_each(|problem| show(problem, None));
                eprint_line(&format!("--driver-limit {}: the driver did not finish in time", limit.as_secs()));
            }
            Failure::Problems(problems) => {
                for (problem, text) in problems {
                    show(problem, text.as_deref());
                }
                eprint_line(&number(problems.len(), "problem"));
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

/// How many warnings were printed.
static WARNINGS: AtomicUsize = AtomicUsize::new(0);

/// Prints warnings to standard error. They do not stop the command, unless `--strict` is given.
pub fn warn(problems: &Problems) {
    WARNINGS.fetch_add(problems.0.len(), Ordering::Relaxed);
    for problem in &problems.0 {
        show(problem, None);
    }
}

/// Prints the errors of nodes that are left out. What the exit code calls a success has no errors, so they are warnings.
pub fn left_out(problems: &Problems) {
    let one = |problem: &Problem| {
        let cause = format!("not computed: {}", problem.cause);
        Problem { cause, place: None, file: String::new(), ..problem.clone() }.warning()
    };
    warn(&Problems(problems.0.iter().map(one).collect()));
}

/// How many warnings were printed so far.
pub fn warnings() -> usize {
    WARNINGS.load(Ordering::Relaxed)
}

/// `--strict`, for commands that run or check a graph.
#[derive(Args, Clone, Copy, Default)]
pub struct StrictArgs {
    /// Treat warnings as errors: end before the first frame, or at the end where a warning comes up while it runs
    #[arg(long)]
    pub strict: bool,
}

impl StrictArgs {
    /// # Errors
    /// A warning was printed, and none is allowed.
    pub fn check(self) -> Result<(), Failure> {
        match warnings() {
            count if self.strict && count > 0 => {
                Err(Failure::Message(format!("--strict: {}; correct them, or leave it out", number(count, "warning"))))
            }
            _ => Ok(()),
        }
    }
}

/// `1 problem`, `2 problems`.
fn number(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The first error of standard output.
static FAULT: Mutex<Option<io::Error>> = Mutex::new(None);

/// Prints to standard output. Control and direction characters, which text from files may contain, are escaped.
pub fn print(text: &str) {
    write(&printable::lines(text));
}

/// Prints JSON to standard output.
pub fn print_json(text: &str) {
    write(&printable::json(text));
}

/// After the first error nothing more is written: the command continues, and [`finish`] reports the error at the end.
fn write(text: &str) {
    let mut fault = FAULT.lock().unwrap_or_else(PoisonError::into_inner);
    if fault.is_none() {
        *fault = io::stdout().write_all(text.as_bytes()).err();
    }
}

/// Whether all output was written. A reader that has closed the pipe (`| head`) is not an error.
pub fn finish() -> Result<(), Failure> {
    let fault = FAULT.lock().unwrap_or_else(PoisonError::into_inner).take();
    match fault.map_or_else(|| io::stdout().flush(), Err) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Message(format!("standard output can't be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a line to standard error. Errors are ignored, since there is nowhere to report them.
pub fn eprint_line(text: &str) {
    let _ = writeln!(io::stderr(), "{}", printable::lines(text));
}

/// A message from a file without control characters, cut if it is long. The report itself contains escape codes, so its
/// parts are cleaned before.
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
        stagewright_base::problem::Severity::Error => Severity::Error,
        stagewright_base::problem::Severity::Warning => Severity::Warning,
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
    let name = if problem.file.is_empty() { &problem.node } else { &printable::name(&problem.file).into_owned() };
    let file = SimpleFile::new(format!("{name}.wgsl"), text);
    // Errors are ignored, since there is nowhere to report them.
    let _ =
        term::emit_to_write_style(&mut StandardStream::stderr(choice).lock(), &Config::default(), &file, &diagnostic);
}

/// The byte offset of a line and a column, both counted from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let line_start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let line = text.get(line_start..).unwrap_or("");
    let offset = line_start + line.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum::<usize>();
    offset.min(text.len())
}
