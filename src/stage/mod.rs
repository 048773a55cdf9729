//! Stages: one WGSL file each, whose header says what it reads, writes and takes.

mod bounded;
mod check;
mod counting;
mod footprint;
pub(crate) mod guard;
pub mod header;
mod indexing;
pub(crate) mod interleave;
pub(crate) mod language;
mod loops;
pub(crate) mod neighbors;
mod reach;
mod specialize;
pub(crate) mod syntax;
pub mod types;
mod unroll;

use std::collections::{BTreeMap, BTreeSet};

use crate::problem::SourcePlace;
pub use bounded::Bounded;
pub use footprint::Footprint;
use header::{Header, Param, ParamType, Port, Radius};
pub use reach::Reach;
use syntax::{Token, TokenKind, tokens};
use types::PortType;

/// A stage, parsed and checked as far as its own text allows.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Path below the stage folder without the ending: `fluid/divergence`.
    pub name: String,
    pub header: Header,
    /// The file's text, untouched.
    pub source: String,
    words: BTreeSet<String>,
    /// Words that an opening parenthesis follows, and how often.
    calls: BTreeMap<String, u32>,
    /// Attributes that may be read of other particles than the stage's own.
    read_of_others: BTreeSet<String>,
    /// Bytes without header and comments.
    length: usize,
    /// How far from its own cell each readable grid port is read.
    reach: BTreeMap<String, Reach>,
    /// Whether all indices of the text are proven to be in bounds.
    indexed: bool,
    runs: IterationSource,
    bounded: bounded::Cached,
    footprint: footprint::Cached,
    interleaved: interleave::Cached,
}

/// What a stage's function is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IterationSource {
    Once,
    Cells,
    Particles,
    /// Positions at which another stage reads: the stage is a field.
    Positions,
}

/// What a stage forwards that does nothing but copy an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forwarded<'a> {
    /// `return particle.x;`
    Attribute(&'a str),
    /// `return x(cell);`
    Cell(&'a str),
}

/// One thing wrong with a stage's text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}:{}: {message}", place.line, place.column)]
pub struct StageError {
    pub place: SourcePlace,
    pub message: String,
}

impl StageError {
    pub fn new(line: usize, column: usize, message: impl Into<String>) -> StageError {
        StageError { place: SourcePlace { line, column }, message: message.into() }
    }
}

impl Stage {
    /// Parses a stage file.
    ///
    /// # Errors
    /// Everything wrong with the header, ports never used, parameters never declared, and text that is refused
    /// before a shader compiler may see it (see `guard`).
    pub fn parse(name: &str, source: &str) -> Result<Stage, Vec<StageError>> {
        guard::guard(source).map_err(|r| vec![StageError::new(r.line, r.column, r.message)])?;
        let header = header::parse(source)
            .map_err(|errors| errors.into_iter().map(|e| StageError::new(e.line, 1, e.message)).collect::<Vec<_>>())?;
        let tokens = tokens(source);
        let mut errors = Vec::new();
        let place = |token: &Token<'_>| syntax::line_col(source, token.start);
        if let Some((bracket, message)) = syntax::unmatched(&tokens) {
            let (line, column) = place(&bracket);
            errors.push(StageError::new(line, column, message));
        } else if let Some(function) = guard::inlining::excessive(&tokens, guard::inlining::MAX_EXPANSION) {
            let (line, column) = place(&function);
            let limit = guard::inlining::MAX_EXPANSION;
            let message =
                format!("`{}` has more than {limit} calls after inlining; call helpers in a loop", function.text);
            return Err(vec![StageError::new(line, column, message)]);
        }
        check::function(&header, source, &tokens, &mut errors);
        check::declarations(&header, source, &tokens, &mut errors);
        check::ports(&header, &tokens, &mut errors);
        check::params(&header, source, &tokens, &mut errors);
        let runs = iteration_source(&header, &tokens);
        footprint::check(&header, &tokens, runs, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Stage::read(name.to_string(), header, source.to_string()))
    }

    /// Analyses a text that was found valid.
    fn read(name: String, header: Header, source: String) -> Stage {
        let tokens = tokens(&source);
        let words = tokens.iter().filter(|t| t.kind == TokenKind::Word).map(|t| t.text.to_string()).collect();
        let mut calls = BTreeMap::new();
        for (_, name) in syntax::calls(&tokens) {
            *calls.entry(name.to_string()).or_insert(0) += 1;
        }
        let reach = header.ports.iter().filter(|p| p.reads()).map(|p| (p.name.clone(), reach::reach(&p.name, &tokens)));
        let reach = reach.collect();
        let components = |name: &str| match header.params.iter().find(|p| p.name == name)?.ty {
            ParamType::Value(value) => Some(value.components(2)),
            _ => None,
        };
        let indexed = indexing::proven(&tokens, &components);
        let runs = iteration_source(&header, &tokens);
        let attributes = header.ports.iter().flat_map(|p| &p.attributes).map(|(name, _)| name);
        let read_of_others = read_of_others(attributes, &tokens, runs);
        let length = source.lines().map(str::trim).filter(|line| !line.starts_with("//")).map(str::len).sum();
        Stage {
            name,
            header,
            source,
            words,
            calls,
            read_of_others,
            length,
            reach,
            indexed,
            runs,
            bounded: Default::default(),
            footprint: Default::default(),
            interleaved: Default::default(),
        }
    }

    /// All words of the text.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// Whether the text holds a word.
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

    /// How many cells away from the computed one an `@inout` is read at most, and whether the text alone proves it; else it is what
    /// the header declares, and accessors enforce it. `None` where neither bounds it. For an `@in` see [`Stage::footprint`].
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

    /// Whether the text proves all its indices in bounds, those into a neighbour grid's entries included. Accessors keep theirs in bounds
    /// themselves.
    pub fn stays_in_bounds(&self) -> bool {
        let entries = |p: &Port| ["_item", "_range"].iter().any(|ending| self.calls(&format!("{}{ending}", p.name)));
        self.indexed && !self.inputs().any(entries)
    }

    /// Attributes of a port that the text may read of other particles than the one it runs for.
    pub fn reads_of_others<'p>(&self, port: &'p Port) -> Vec<&'p str> {
        port.attributes
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| self.read_of_others.contains(*name))
            .collect()
    }

    /// The input that the stage forwards, where its text does nothing else.
    pub fn forwarded(&self) -> Option<Forwarded<'_>> {
        // Such a stage has few words.
        let tokens = if self.words.len() > 10 { return None } else { tokens(&self.source) };
        let texts: Vec<&str> = tokens.iter().map(|t| t.text).collect();
        let ["fn", "stage", "(", argument, ":", source, ")", "->", _, "{", "return", given @ .., ";", "}"] =
            texts.as_slice()
        else {
            return None;
        };
        match (*source, given) {
            ("Particle", [own, ".", name]) if own == argument => Some(Forwarded::Attribute(name)),
            ("Cell", [port, "(", own, ")"]) if own == argument => Some(Forwarded::Cell(port)),
            _ => None,
        }
    }

    /// Whether the text defines a function of this name.
    fn defines(&self, function: &str) -> bool {
        self.names(function) && syntax::functions(&tokens(&self.source)).iter().any(|f| f.name.text == function)
    }

    /// Bytes of the text without its header and comments.
    pub fn text_length(&self) -> usize {
        self.length
    }

    /// Whether the text reads a grid in one place only, interpolated or not.
    pub fn reads_once(&self, port: &str) -> bool {
        let places = |name: &str| self.calls.get(name).copied().unwrap_or(0);
        places(port) + places(&format!("{port}_at")) == 1
    }

    /// Whether an invocation may call the function for several cells in turn: no variable outlives a call.
    pub fn repeatable(&self) -> bool {
        !self.names("private")
    }

    /// What the function is called for.
    pub fn source(&self) -> IterationSource {
        self.runs
    }

    /// The particle port that a particle stage runs over.
    pub fn set(&self) -> Option<&Port> {
        let sets = || self.header.ports.iter().filter(|p| p.ty == PortType::Particles);
        let over = self.header.over.as_deref();
        sets().find(|p| p.writes()).or_else(|| sets().find(|p| Some(p.name.as_str()) == over)).or_else(|| sets().next())
    }

    pub fn port(&self, name: &str) -> Option<&Port> {
        self.header.ports.iter().find(|p| p.name == name)
    }

    pub fn param(&self, name: &str) -> Option<&Param> {
        self.header.params.iter().find(|p| p.name == name)
    }

    pub fn inputs(&self) -> impl Iterator<Item = &Port> {
        self.header.ports.iter().filter(|p| p.reads())
    }

    pub fn outputs(&self) -> impl Iterator<Item = &Port> {
        self.header.ports.iter().filter(|p| p.writes())
    }

    /// The palette category: the folder.
    pub fn category(&self) -> &str {
        self.name.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// What the function is called for, by its signature.
fn iteration_source(header: &Header, tokens: &[Token<'_>]) -> IterationSource {
    match syntax::stage_function(tokens).map_or("", |function| function.first_argument(tokens).1) {
        _ if header.once => IterationSource::Once,
        "Particle" => IterationSource::Particles,
        "Cell" => IterationSource::Cells,
        _ => IterationSource::Positions,
    }
}

/// Attributes that the text reads of anything but the particle that a stage runs for.
fn read_of_others<'h>(
    attributes: impl Iterator<Item = &'h String>,
    tokens: &[Token<'_>],
    runs: IterationSource,
) -> BTreeSet<String> {
    let stage = syntax::stage_function(tokens).filter(|_| runs == IterationSource::Particles);
    let own = stage.map_or("", |function| function.first_argument(tokens).0);
    let reads = |name: &str| {
        (2..tokens.len()).any(|i| {
            let of_own = syntax::text(tokens, i - 2) == own && !syntax::is_member(tokens, i - 2);
            syntax::text(tokens, i) == name && syntax::is_member(tokens, i) && !of_own
        })
    };
    attributes.filter(|name| reads(name)).cloned().collect()
}
