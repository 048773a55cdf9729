//! Diagnostics: what is wrong with a graph, worded so that the reader can correct it.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use crate::printable;

/// A position in a stage's own text. Line and column count from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SourcePlace {
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1 \[characters\].
    pub column: usize,
}

/// Whether a graph can still run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Severity {
    /// The graph cannot run.
    Error,
    /// The graph runs, perhaps not as intended.
    Warning,
}

/// One diagnostic: the node and port that it concerns, the cause, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Whether the problem prevents the graph from running.
    pub severity: Severity,
    /// Path of the node (`substep/density`); empty when the problem concerns the whole graph.
    pub node: String,
    /// Port or parameter; empty when the problem concerns the whole node.
    pub port: String,
    /// What is wrong, in one sentence.
    pub cause: String,
    /// What to do about it; empty if there is no advice.
    pub remedy: String,
    /// Position in the stage's WGSL, when the cause lies there.
    pub place: Option<SourcePlace>,
    /// Name of the shared file that the position is in; empty for the stage's own text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
}

impl Problem {
    /// An error at a port or parameter of a node. Both names may be empty. The sentences stay on one line: they name what somebody else
    /// may have chosen.
    pub fn new(node: &str, port: &str, cause: impl Into<String>, remedy: impl Into<String>) -> Problem {
        let line = |text: String| {
            match printable::name(&text) {
                Cow::Borrowed(_) => None,
                Cow::Owned(escaped) => Some(escaped),
            }
            .unwrap_or(text)
        };
        Problem {
            severity: Severity::Error,
            node: node.into(),
            port: port.into(),
            cause: line(cause.into()),
            remedy: line(remedy.into()),
            place: None,
            file: String::new(),
        }
    }

    /// Makes the problem a warning: the graph can still run.
    pub fn warning(self) -> Problem {
        Problem { severity: Severity::Warning, ..self }
    }

    /// Adds the position in the stage's text.
    pub fn at(mut self, place: SourcePlace) -> Problem {
        self.place = Some(place);
        self
    }

    /// Says that the position is in a shared file; in the stage's own text where the name is empty.
    pub fn in_file(mut self, file: &str) -> Problem {
        self.file = file.to_string();
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.node.is_empty(), self.port.is_empty()) {
            (true, _) => {}
            (false, true) => write!(f, "{}", self.node)?,
            (false, false) => write!(f, "{}.{}", self.node, self.port)?,
        }
        if let Some(place) = self.place {
            let file = printable::name(&self.file);
            let space = if file.is_empty() { "" } else { " " };
            write!(f, " ({file}{space}{}:{})", place.line, place.column)?;
        }
        if !self.node.is_empty() || self.place.is_some() {
            f.write_str(": ")?;
        }
        write!(f, "{}", self.cause)?;
        if !self.remedy.is_empty() {
            write!(f, "; {}", self.remedy)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

/// All problems at once. Never empty when returned as an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Problems(pub Vec<Problem>);

/// Limit of listed problems for each severity. Nobody reads more.
const LISTED: usize = 1_000;

impl Problems {
    /// Adds a problem unless it is already there. Beyond the first 1,000 errors or warnings, one more entry says that
    /// there are others.
    pub fn push(&mut self, problem: Problem) {
        let severity = problem.severity;
        let alike = self.0.iter().filter(|p| p.severity == severity).count();
        if alike > LISTED || self.0.contains(&problem) {
            return;
        }
        if alike < LISTED {
            self.0.push(problem);
            return;
        }
        let what = if severity == Severity::Error { "errors" } else { "warnings" };
        let cause = format!("only the first {LISTED} {what} are listed");
        self.0.push(Problem { severity, ..Problem::new("", "", cause, "correct these first") });
    }

    /// Whether the list of errors is full, so that it is pointless to look for remedies.
    pub fn is_full(&self) -> bool {
        self.0.len() > LISTED && self.0.iter().filter(|p| p.severity == Severity::Error).count() > LISTED
    }

    /// Whether there are no problems.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether anything keeps the graph from running.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|p| p.severity == Severity::Error)
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Problems {
        Problems(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
