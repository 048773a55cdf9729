//! Stages: one WGSL file each, whose header says what it reads, writes and takes.

mod around;
mod bounded;
pub mod brackets;
mod composites;
pub mod guard;
pub mod header;
mod indexing;
pub mod inlining;
pub mod lex;
pub mod lockstep;
pub mod loops;
pub mod names;
pub mod reference;
mod settle;
pub mod types;
mod units;
pub mod unroll;
pub mod visits;

use std::collections::{BTreeMap, BTreeSet};

use crate::problem::SourcePlace;
pub use around::Around;
pub use bounded::{Bounded, known};
use header::{Change, Direction, Header, Param, ParamType, Port, Radius, Scatter};
use lex::{Token, TokenKind};
use types::{PortType, ValueType};

/// A stage, parsed and checked as far as its own text allows.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Path below the stage folder without the ending: `fluid/divergence`.
    pub name: String,
    pub header: Header,
    /// The file's text, untouched.
    pub source: String,
    /// Words of the text, and those followed by a bracket: what the generator has to provide.
    words: BTreeSet<String>,
    /// How many places of the text call each.
    calls: BTreeMap<String, u32>,
    /// Attributes that are asked for by a particle that may not be the stage's own.
    asked: BTreeSet<String>,
    /// Bytes without header and comments.
    length: usize,
    /// How far from its own cell each readable grid port is read.
    reach: BTreeMap<String, Reach>,
    /// Whether all indices of the text are proven to be in bounds.
    indexed: bool,
    runs: IterationSource,
    bounded: bounded::Cached,
    around: around::Cached,
    lockstep: lockstep::Cached,
}

/// What a stage's function is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IterationSource {
    Once,
    Cells,
    Particles,
    /// Positions, wherever another stage asks: the stage makes a field.
    Positions,
}

/// What a stage gives that does nothing but hand on what it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandsOn<'a> {
    /// `return particle.x;`
    Attribute(&'a str),
    /// `return x(cell);`
    Cell(&'a str),
}

/// How far from the computed cell a port is read, as far as the text proves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Only at the computed cell.
    Own,
    /// Also at the cells across its faces.
    Faces,
    Anywhere,
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
    /// before a shader compiler may see it (see [`guard`]).
    pub fn parse(name: &str, source: &str) -> Result<Stage, Vec<StageError>> {
        guard::guard(source).map_err(|r| vec![StageError::new(r.line, r.column, r.message)])?;
        let header = header::parse(source)
            .map_err(|errors| errors.into_iter().map(|e| StageError::new(e.line, 1, e.message)).collect::<Vec<_>>())?;
        let tokens = lex::tokens(source);
        let mut errors = Vec::new();
        if let Some(function) = inlining::excessive(&tokens, inlining::MAX_EXPANSION) {
            let (line, column) = lex::line_col(source, function.start);
            let limit = inlining::MAX_EXPANSION;
            let message =
                format!("`{}` has more than {limit} calls after inlining; call helpers in a loop", function.text);
            return Err(vec![StageError::new(line, column, message)]);
        }
        if let Some((bracket, message)) = brackets::unmatched(&tokens) {
            let (line, column) = lex::line_col(source, bracket.start);
            errors.push(StageError::new(line, column, message));
        }
        check_function(&header, source, &tokens, &mut errors);
        check_ports(&header, &tokens, &mut errors);
        check_params(&header, source, &tokens, &mut errors);
        let runs = iteration_source(&header, &tokens);
        around::check(&header, &tokens, runs, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Stage::read(name.to_string(), header, source.to_string()))
    }

    /// What a text that was found right tells.
    fn read(name: String, header: Header, source: String) -> Stage {
        let tokens = lex::tokens(&source);
        let words = tokens.iter().filter(|t| t.kind == TokenKind::Word).map(|t| t.text.to_string()).collect();
        let mut calls = BTreeMap::new();
        for (_, name) in called(&tokens) {
            *calls.entry(name.to_string()).or_insert(0) += 1;
        }
        let reach = header.ports.iter().filter(|p| p.reads()).map(|p| (p.name.clone(), reach(&p.name, &tokens)));
        let reach = reach.collect();
        let components = |name: &str| match header.params.iter().find(|p| p.name == name)?.ty {
            ParamType::Value(value) => Some(value.components(2)),
            _ => None,
        };
        let indexed = indexing::proven(&tokens, &components);
        let runs = iteration_source(&header, &tokens);
        let attributes = header.ports.iter().flat_map(|p| &p.attributes).map(|(name, _)| name);
        let asked = asked_of_others(attributes, &tokens, runs);
        let length = source.lines().map(str::trim).filter(|line| !line.starts_with("//")).map(str::len).sum();
        Stage {
            name,
            header,
            source,
            words,
            calls,
            asked,
            length,
            reach,
            indexed,
            runs,
            bounded: Default::default(),
            around: Default::default(),
            lockstep: Default::default(),
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
    /// the header declares, and accessors hold it. Nothing where neither says. Of an `@in` see [`Stage::around`].
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

    /// Whether the text indexes nothing at run time that could lie out of bounds, by brackets or by a neighbour grid's entries.
    /// What accessors are asked for they keep in bounds themselves.
    pub fn stays_in_bounds(&self) -> bool {
        let entries = |p: &Port| ["_item", "_range"].iter().any(|ending| self.calls(&format!("{}{ending}", p.name)));
        self.indexed && !self.inputs().any(entries)
    }

    /// Attributes that the text asks for of other particles of a port than the one it runs for, or may ask for.
    pub fn asks_of_others<'p>(&self, port: &'p Port) -> Vec<&'p str> {
        port.attributes.iter().map(|(name, _)| name.as_str()).filter(|name| self.asked.contains(*name)).collect()
    }

    /// What the stage hands on, where that is all that its text does.
    pub fn hands_on(&self) -> Option<HandsOn<'_>> {
        // Its words are fewer than any other stage's.
        let tokens = if self.words.len() > 10 { return None } else { lex::tokens(&self.source) };
        let texts: Vec<&str> = tokens.iter().map(|t| t.text).collect();
        let ["fn", "stage", "(", argument, ":", source, ")", "->", _, "{", "return", given @ .., ";", "}"] =
            texts.as_slice()
        else {
            return None;
        };
        match (*source, given) {
            ("Particle", [own, ".", name]) if own == argument => Some(HandsOn::Attribute(name)),
            ("Cell", [port, "(", own, ")"]) if own == argument => Some(HandsOn::Cell(port)),
            _ => None,
        }
    }

    /// Whether the text defines a function of this name.
    fn defines(&self, function: &str) -> bool {
        self.names(function) && lex::tokens(&self.source).windows(2).any(|w| w[0].text == "fn" && w[1].text == function)
    }

    /// Bytes of the text without its header and comments.
    pub fn text_length(&self) -> usize {
        self.length
    }

    /// Whether the text asks for a grid in one place only, interpolated or not.
    pub fn reads_once(&self, port: &str) -> bool {
        let places = |name: &str| self.calls.get(name).copied().unwrap_or(0);
        places(port) + places(&format!("{port}_at")) == 1
    }

    /// Whether an invocation may call the function for several cells, one after the other: no variable outlives a call.
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

/// Whether the token before position `index` is `.`: then the word is a member, not a name.
fn is_member(tokens: &[Token<'_>], index: usize) -> bool {
    index.checked_sub(1).and_then(|i| tokens.get(i)).is_some_and(|t| t.text == ".")
}

fn check_function(header: &Header, source: &str, tokens: &[Token<'_>], errors: &mut Vec<StageError>) {
    let found = tokens.windows(4).find(|w| w[0].text == "fn" && w[1].text == "stage" && w[2].text == "(");
    let Some(window) = found else {
        errors.push(StageError::new(1, 1, "there is no `fn stage(cell: Cell)`; the compiler calls it for every cell"));
        return;
    };
    let (line, column) = lex::line_col(source, window[0].start);
    let takes_nothing = window[3].text == ")";
    let argument = tokens.iter().skip_while(|t| t.start < window[3].start).nth(2).map_or("", |t| t.text);
    let mut push = |message: &str| errors.push(StageError::new(line, column, message));
    let field = header.ports.iter().any(|p| p.writes() && matches!(p.ty, PortType::Field(_)));
    let sets = header.ports.iter().any(|p| p.ty == PortType::Particles);
    match (header.once, takes_nothing, argument) {
        (true, false, _) => push("with `@over once` the function takes nothing: `fn stage()`"),
        (false, true, _) => {
            push("the function takes no cell; write `fn stage(cell: Cell)`, or `@over once` in the header");
        }
        (true, ..) => {}
        (_, _, "Cell") if field => {
            push("a stage that makes a Field is called with a position: `fn stage(position: Vec)`")
        }
        (_, _, "Cell") => {}
        (_, _, "Particle") if !sets => push("`particle` needs a port of type Particles"),
        (_, _, "Particle") => {}
        (_, _, "Vec" | "vec2f" | "vec3f") if field => {}
        (_, _, "Vec" | "vec2f" | "vec3f") => push("only a stage whose @out is a Field is called with a position"),
        _ => {
            push("the function's argument must be `cell: Cell`, `particle: Particle` or, for a Field, `position: Vec`")
        }
    }
    if let Some(port) = header.ports.iter().find(|p| p.writes() && p.ty == PortType::Particles)
        && argument != "Particle"
    {
        let message = format!("`{}` is changed particle by particle: `fn stage(particle: Particle)`", port.name);
        errors.push(StageError::new(port.line, 1, message));
    }
    for port in header.ports.iter().filter(|p| p.writes() && p.ty.is_grid() && p.scatter.is_none()) {
        if argument == "Particle" {
            let message = format!("a particle stage writes the grid `{}` with `scatter` only", port.name);
            errors.push(StageError::new(port.line, 1, message));
        }
    }
    if argument != "Particle" && header.ports.iter().any(|p| p.writes() && p.ty == PortType::NeighborGrid) {
        errors.push(StageError::new(
            1,
            1,
            "a NeighborGrid is made particle by particle: `fn stage(particle: Particle)`",
        ));
    }
    if header.once {
        for port in header.ports.iter().filter(|p| p.writes() && p.ty.is_grid() && p.scatter.is_none()) {
            let message = format!(
                "`@over once` runs a single time and can't fill the grid `{}`; use scatter or a number",
                port.name
            );
            errors.push(StageError::new(port.line, 1, message));
        }
    }
    if let Some((token, wanted)) = wrong_return(header, tokens, window[0].start) {
        let (line, column) = lex::line_col(source, token.start);
        errors.push(StageError::new(
            line,
            column,
            format!("`fn stage` returns {}, the header asks for {wanted}", token.text),
        ));
    }
    for port in header.ports.iter().filter(|p| p.direction == Direction::Out && p.ty.is_number()) {
        if !header.once && port.reduce.is_none() {
            let message = format!(
                "`{}` is one number but the stage runs many times; add `reduce max`, `min` or `sum`, or `@over once`",
                port.name
            );
            errors.push(StageError::new(port.line, 1, message));
        }
        if header.once && port.reduce.is_some() {
            errors.push(StageError::new(port.line, 1, "there is nothing to reduce with `@over once`; remove `reduce`"));
        }
    }
}

/// The return type of `fn stage` and what it should be, where the two surely differ. A type of the user's own is left to
/// the shader compiler.
fn wrong_return<'a>(header: &Header, tokens: &[Token<'a>], start: usize) -> Option<(Token<'a>, String)> {
    let signature = tokens.iter().skip_while(|t| t.start < start).take_while(|t| t.text != "{");
    let mut after = signature.skip_while(|t| t.text != "->").skip(1);
    let token = *after.next()?;
    let known = ValueType::parse(token.text).is_some() || ["bool", "Result", "Cell"].contains(&token.text);
    let returned = header.returned();
    let filters = header.ports.iter().any(|p| p.change == Change::Filter);
    let wanted = match returned.as_slice() {
        [] => "nothing".to_string(),
        [_] if filters => "bool".to_string(),
        [(_, element)] => element.to_string(),
        _ => "Result".to_string(),
    };
    // In a stage for one dimension, a vector in space may be written as it is there.
    let same = token.text == wanted || (wanted == "Vec" && ["vec2f", "vec3f"].contains(&token.text));
    (known && !same).then_some((token, wanted))
}

/// Reads what the function is called for off its signature.
fn iteration_source(header: &Header, tokens: &[Token<'_>]) -> IterationSource {
    let stage = tokens.windows(4).position(|w| w[0].text == "fn" && w[1].text == "stage" && w[2].text == "(");
    match stage.and_then(|start| tokens.get(start + 5)).map_or("", |t| t.text) {
        _ if header.once => IterationSource::Once,
        "Particle" => IterationSource::Particles,
        "Cell" => IterationSource::Cells,
        _ => IterationSource::Positions,
    }
}

/// Every word that an opening bracket follows, except members and definitions, with its index.
fn called<'a>(tokens: &'a [Token<'a>]) -> impl Iterator<Item = (usize, &'a str)> {
    tokens.windows(2).enumerate().filter_map(move |(i, pair)| {
        let [word, bracket] = pair else { return None };
        let defined = i.checked_sub(1).and_then(|k| tokens.get(k)).is_some_and(|t| t.text == "fn" || t.text == ".");
        (word.kind == TokenKind::Word && bracket.text == "(" && !defined).then_some((i, word.text))
    })
}

/// Attributes that stand behind the point of anything but the particle that a stage runs for.
fn asked_of_others<'h>(
    attributes: impl Iterator<Item = &'h String>,
    tokens: &[Token<'_>],
    runs: IterationSource,
) -> BTreeSet<String> {
    let stage = tokens.windows(4).find(|w| w[0].text == "fn" && w[1].text == "stage");
    let own = stage.filter(|_| runs == IterationSource::Particles).map_or("", |w| w[3].text);
    let asks = |name: &str| {
        (2..tokens.len()).any(|i| {
            let of_own = tokens[i - 2].text == own && !is_member(tokens, i - 2);
            tokens[i].text == name && tokens[i - 1].text == "." && !of_own
        })
    };
    attributes.filter(|name| asks(name)).cloned().collect()
}

/// Reads the calls of a port's accessors off the text. Only `x(cell)` and `x(neighbor(cell, ..))` inside `fn stage`, with
/// `cell` the function's own argument, count as near; whatever else stands there counts as anywhere.
fn reach(port: &str, tokens: &[Token<'_>]) -> Reach {
    let text = |i: usize| tokens.get(i).map_or("", |t| t.text);
    let own = own_cell(tokens);
    let (at, face) = (format!("{port}_at"), format!("{port}_face"));
    let mut reach = Reach::Own;
    for (i, name) in called(tokens) {
        if name == at || name == face {
            return Reach::Anywhere;
        }
        if name != port {
            continue;
        }
        let Some((_, _, cell)) = own.filter(|(from, until, _)| (*from..*until).contains(&i)) else {
            return Reach::Anywhere;
        };
        let here = text(i + 2) == cell && text(i + 3) == ")";
        let across = text(i + 2) == "neighbor" && text(i + 3) == "(" && text(i + 4) == cell && text(i + 5) == ",";
        match (here, across) {
            (false, false) => return Reach::Anywhere,
            (true, _) => {}
            (_, true) => reach = Reach::Faces,
        }
    }
    reach
}

/// Where the body of `fn stage` is, by tokens, and what it calls its own argument; nothing where another thing bears that name too.
fn own_cell<'a>(tokens: &[Token<'a>]) -> Option<(usize, usize, &'a str)> {
    let start = tokens.windows(4).position(|w| w[0].text == "fn" && w[1].text == "stage" && w[2].text == "(")?;
    let cell = tokens.get(start + 3)?.text;
    let text = |i: usize| tokens.get(i).map_or("", |t| t.text);
    let end = (start + 4..tokens.len()).find(|i| text(*i) == "fn").unwrap_or(tokens.len());
    let shadowed = (start + 4..end).any(|i| ["let", "var", "const"].contains(&text(i)) && text(i + 1) == cell);
    (!shadowed).then_some((start + 4, end, cell))
}

/// The port that a word of a stage's text reads or writes, be it the port's own name or made of it.
pub fn accessed<'a>(header: &'a Header, word: &str) -> Option<&'a Port> {
    header.ports.iter().find(|port| {
        let reads = word.strip_prefix(port.name.as_str()).is_some_and(|ending| READERS.contains(&ending));
        let scatters = ["add_", "min_", "max_"].iter().any(|call| word.strip_prefix(call) == Some(port.name.as_str()));
        let puts = |name: &str| port.written.iter().any(|(attribute, _)| attribute == name);
        reads || scatters || word.strip_prefix("put_").is_some_and(puts)
    })
}

/// Endings of the accessors that read a port.
const READERS: [&str; 9] = ["", "_at", "_face", "_wired", "_gradient", "_count", "_next", "_range", "_item"];

fn check_ports(header: &Header, tokens: &[Token<'_>], errors: &mut Vec<StageError>) {
    let used = |name: &str| {
        tokens.iter().enumerate().any(|(i, t)| t.kind == TokenKind::Word && t.text == name && !is_member(tokens, i))
    };
    for port in &header.ports {
        let runs_over = port.ty == PortType::Particles && header.over.as_deref().unwrap_or(&port.name) == port.name;
        let needed = runs_over || header.ports.iter().any(|p| p.like.as_deref() == Some(&port.name));
        if port.direction == Direction::In
            && !needed
            && !READERS.iter().any(|ending| used(&format!("{}{ending}", port.name)))
            && !header.ports.iter().any(|p| p.change == Change::Emit(port.name.clone()))
        {
            let message =
                format!("@in `{}` is declared but never read; call `{}(..)` or remove the line", port.name, port.name);
            errors.push(StageError::new(port.line, 1, message));
        }
        let call = match port.scatter {
            Some(Scatter::Sum(_)) => "add",
            Some(Scatter::Min) => "min",
            Some(Scatter::Max) => "max",
            None => continue,
        };
        if !used(&format!("{call}_{}", port.name)) {
            let message = format!("scatter port `{0}` is never written; call `{call}_{0}(cell, value)`", port.name);
            errors.push(StageError::new(port.line, 1, message));
        }
    }
}

fn check_params(header: &Header, source: &str, tokens: &[Token<'_>], errors: &mut Vec<StageError>) {
    let mut used = BTreeSet::new();
    for window in tokens.windows(3) {
        let [object, dot, field] = window else { continue };
        if object.text != "params" || dot.text != "." {
            continue;
        }
        used.insert(field.text);
        let message = match header.params.iter().find(|p| p.name == field.text) {
            Some(param) if param.ty.returns().is_some() => {
                format!("`{0}` is a {1}, which is a function of 0..1; call `{0}(t)`", param.name, param.ty.name())
            }
            Some(_) => continue,
            None => format!("`params.{0}` is not declared; add `//! @param {0}: f32 = 0`", field.text),
        };
        let (line, column) = lex::line_col(source, field.start);
        errors.push(StageError::new(line, column, message));
    }
    let calls: BTreeSet<&str> = called(tokens).map(|(_, name)| name).collect();
    for param in &header.params {
        let name = param.name.as_str();
        let (is_used, read) = match param.ty.returns() {
            Some(_) => (used.contains(name) || calls.contains(name), format!("call `{name}(t)`")),
            None => (used.contains(name), format!("read `params.{name}`")),
        };
        if is_used {
            continue;
        }
        let message = format!("@param `{}` is declared but never used; {read} or remove the line", param.name);
        errors.push(StageError::new(param.line, 1, message));
    }
}
