//! A stage: its header, its text, and what the tokens of the text imply.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cached::{Cached, PerDimension, Recent};
use super::header::{Header, HeaderError, Param, Port, Radius};
use super::loops::Search;
use super::proven::{Bounded, Footprint};
use super::reach::Reach;
use super::shared::Used;
use super::syntax::{functions, tokens};
use super::types::PortType;
use crate::problem::SourcePlace;

/// A stage, parsed and checked as far as its own text allows.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Path below the stage folder without the extension: `fluid/divergence`.
    pub name: String,
    /// Ports, parameters and documentation of the stage.
    pub header: Header,
    /// The file's text, unchanged, and behind it what it uses of shared files.
    pub source: String,
    pub(super) used: Used,
    pub(super) words: BTreeSet<String>,
    /// Words followed by an opening parenthesis, and how often.
    pub(super) calls: BTreeMap<String, u32>,
    /// Attributes that may be read from particles other than the stage's own.
    pub(super) read_of_others: BTreeSet<String>,
    /// Sets of which the text takes particles as a whole.
    pub(super) taken_whole: BTreeSet<String>,
    /// Length without header and comments \[bytes\].
    pub(super) length: usize,
    /// How far from its own cell each readable grid port is read.
    pub(super) reach: BTreeMap<String, Reach>,
    /// Whether all indices in the text are proven to be in bounds.
    pub(super) indexed: bool,
    pub(super) runs: IterationSource,
    /// Parameters that are declared and never used, which is worth a warning.
    pub unused: Vec<StageError>,
    /// Results of further analyses.
    pub(super) found: Findings,
}

/// Proofs about the text and rewritten texts, computed on first use.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    pub bounded: PerDimension<Bounded>,
    pub unrolled: PerDimension<String>,
    pub rolled: PerDimension<String>,
    pub search: PerDimension<Option<Search>>,
    /// Footprints by input name.
    pub footprints: PerDimension<BTreeMap<String, Footprint>>,
    pub interleaves: Cached<bool>,
    /// The stage in other places of graphs: they stay as they are while another node is edited.
    pub specialized: Recent<Specialization, Option<Arc<Stage>>, 8>,
}

/// What a stage is specialised for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Specialization {
    /// Values of parameters, by their bits.
    Constants(Vec<(String, u64)>),
    /// The words `x_wired`, and whether the port is.
    Wired(BTreeMap<String, bool>),
    /// Ports on the stage's own cells.
    OwnCells(Vec<String>),
}

/// Findings depend only on the text, so they never make two stages different.
impl PartialEq for Findings {
    fn eq(&self, _: &Findings) -> bool {
        true
    }
}

/// What a stage's function is called for, as its argument says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IterationSource {
    /// A call for each dispatch.
    Once,
    /// Each cell of its domain.
    Cells,
    /// Each particle.
    Particles,
    /// Positions at which another stage reads it: the stage is a field.
    Positions,
}

/// What a stage forwards that only copies an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forwarded<'a> {
    /// `return particle.x;`
    Attribute(&'a str),
    /// `return x(cell);`
    Cell(&'a str),
}

/// An error in a stage's text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{}:{}: {message}", prefix(file), place.line, place.column)]
pub struct StageError {
    /// Name of the shared file that the place is in; empty for the stage's own.
    pub file: String,
    /// Place in the file.
    pub place: SourcePlace,
    /// What is wrong.
    pub message: String,
}

fn prefix(file: &str) -> String {
    if file.is_empty() { String::new() } else { format!("{file}:") }
}

impl StageError {
    /// An error at this line and column, both from 1.
    pub fn new(line: usize, column: usize, message: impl Into<String>) -> StageError {
        StageError { file: String::new(), place: SourcePlace { line, column }, message: message.into() }
    }

    /// The error at its place in a shared file; in the stage's own text where the name is empty.
    pub fn in_file(self, file: &str) -> StageError {
        StageError { file: file.to_string(), ..self }
    }

    pub(super) fn of_header(errors: Vec<HeaderError>) -> Vec<StageError> {
        errors.into_iter().map(|e| StageError::new(e.line, 1, e.message)).collect()
    }
}

impl Stage {
    /// All words of the text.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// Whether the text contains a word.
    pub fn names(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Whether the text calls a function.
    pub fn calls(&self, function: &str) -> bool {
        self.calls.contains_key(function)
    }

    /// How far from the computed cell a port is read.
    pub fn reach(&self, port: &str) -> Reach {
        self.reach.get(port).copied().unwrap_or(Reach::Own)
    }

    /// Maximum distance in cells at which an `@inout` is read, and whether the text alone proves it; otherwise the
    /// header declares it, and accessors enforce it. `None` where neither bounds it. For an `@in` see
    /// [`Stage::footprint`].
    pub fn radius(&self, port: &Port) -> Option<(u32, bool)> {
        match self.reach(&port.name) {
            Reach::Own => Some((0, true)),
            Reach::Faces => Some((1, true)),
            Reach::Anywhere if self.calls(&format!("{}_at", port.name)) => None,
            Reach::Anywhere if self.calls(&format!("{}_face", port.name)) => None,
            Reach::Anywhere => match port.radius {
                Some(Radius::Cells(cells)) => Some((cells, false)),
                _ => None,
            },
        }
    }

    /// Whether the text proves all its indices in bounds, including those into a neighbour grid's entries. Accessors
    /// keep their own in bounds.
    pub fn stays_in_bounds(&self) -> bool {
        let entries = |p: &Port| ["_item", "_range"].iter().any(|ending| self.calls(&format!("{}{ending}", p.name)));
        self.indexed && !self.inputs().any(entries)
    }

    /// Attributes of a port that the text may read from particles other than the one it runs for.
    pub fn reads_of_others<'p>(&self, port: &'p Port) -> Vec<&'p str> {
        port.attributes
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| self.read_of_others.contains(*name))
            .collect()
    }

    /// Whether the text may read an attribute of a set from particles other than the one it runs for, taken as a whole or by itself.
    pub fn may_read_of_others(&self, set: &str, attribute: &str) -> bool {
        self.calls(set) && (self.taken_whole.contains(set) || self.read_of_others.contains(attribute))
    }

    /// The input that the stage forwards, if its text does nothing else.
    pub fn forwarded(&self) -> Option<Forwarded<'_>> {
        // Such a stage has few tokens.
        let tokens = if self.words.len() > 10 { return None } else { tokens(&self.source) };
        let texts: Vec<&str> = tokens.iter().map(|t| t.text).collect();
        let ["fn", "stage", "(", argument, ":", source, ")", "->", _, "{", "return", returned_tokens @ .., ";", "}"] =
            texts.as_slice()
        else {
            return None;
        };
        match (*source, returned_tokens) {
            ("Particle", [object, ".", name]) if object == argument => Some(Forwarded::Attribute(name)),
            ("Cell", [port, "(", cell, ")"]) if cell == argument => Some(Forwarded::Cell(port)),
            _ => None,
        }
    }

    /// Whether the text defines a function of this name.
    pub(super) fn defines(&self, function: &str) -> bool {
        self.names(function) && functions(&tokens(&self.source)).iter().any(|f| f.name.text == function)
    }

    /// Length of the text without its header and comments \[bytes\].
    pub fn text_length(&self) -> usize {
        self.length
    }

    /// Whether the text reads a grid in only one place, interpolated or not.
    pub fn reads_once(&self, port: &str) -> bool {
        let places = |name: &str| self.calls.get(name).copied().unwrap_or(0);
        places(port) + places(&format!("{port}_at")) == 1
    }

    /// Whether an input only says which cells an output has, and the text does not read it.
    pub fn is_shape_alone(&self, port: &Port) -> bool {
        let shapes = self.outputs().any(|output| output.like.as_deref() == Some(&port.name));
        shapes && !port.writes() && !super::accessors::readers(port).any(|name| self.names(&name))
    }

    /// Ports with several numbers a cell.
    pub fn arrays(&self) -> impl Iterator<Item = &Port> {
        self.header.ports.iter().filter(|port| port.ty.is_array())
    }

    /// Whether an invocation may call the function for several cells in sequence: no variable outlives a call.
    pub fn repeatable(&self) -> bool {
        !self.names("private")
    }

    /// What the function is called for.
    pub fn source(&self) -> IterationSource {
        self.runs
    }

    /// The particle port that a particle stage runs over.
    pub fn set(&self) -> Option<&Port> {
        let all = || self.header.ports.iter().filter(|p| p.ty == PortType::Particles);
        // What is added to by index is another set, unless there is no other.
        let others = all().any(|p| !p.is_summed_set());
        let sets = || all().filter(|p| !(others && p.is_summed_set()));
        let over = self.header.over.as_deref();
        sets().find(|p| p.writes()).or_else(|| sets().find(|p| Some(p.name.as_str()) == over)).or_else(|| sets().next())
    }

    /// The port of this name.
    pub fn port(&self, name: &str) -> Option<&Port> {
        self.header.ports.iter().find(|p| p.name == name)
    }

    /// The parameter of this name.
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.header.params.iter().find(|p| p.name == name)
    }

    /// Ports that can be connected on the left, in the order of the header.
    pub fn inputs(&self) -> impl Iterator<Item = &Port> {
        self.header.ports.iter().filter(|p| p.reads())
    }

    /// Ports that can be connected on the right, in the order of the header.
    pub fn outputs(&self) -> impl Iterator<Item = &Port> {
        self.header.ports.iter().filter(|p| p.writes())
    }

    /// The category in the palette: the folder.
    pub fn category(&self) -> &str {
        self.name.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}
