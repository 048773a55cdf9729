//! Parses a file's text into a stage: all checks, and the properties that follow directly from the tokens.

use std::collections::{BTreeMap, BTreeSet};

use super::definition::{Findings, IterationSource, Stage, StageError};
use super::header::{Header, ParamType, Port};
use super::reach::{Reach, reach};
use super::shared::Used;
use super::syntax::{self, Token, TokenKind, tokens};
use super::types::PortType;
use super::{check, footprint, guard, indexing};

impl Stage {
    /// Parses a stage file.
    ///
    /// # Errors
    /// All errors: in the header, ports that are never used, parameters that are not declared, and text that must not
    /// reach a shader compiler (see `guard`).
    pub fn parse(name: &str, source: &str) -> Result<Stage, Vec<StageError>> {
        Stage::parse_using(name, source, &())
    }

    /// Checks a text and what it uses, which it contains. `complete`: it contains all that it uses.
    pub(super) fn checked(
        name: &str,
        header: Header,
        source: String,
        used: Used,
        complete: bool,
    ) -> Result<Stage, Vec<StageError>> {
        let tokens = tokens(&source);
        let mut errors = Vec::new();
        let place = |token: &Token<'_>| syntax::line_col(&source, token.start);
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
        check::function(&header, &source, &tokens, &mut errors);
        check::declarations(&header, &source, &tokens, &mut errors);
        if complete {
            check::ports(&header, &tokens, &mut errors);
        }
        check::numbers(&header, &source, &tokens, &mut errors);
        check::params(&header, &source, &tokens, &used, &mut errors);
        let runs = iteration_source(&header, &tokens);
        footprint::check(&header, &tokens, runs, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        drop(tokens);
        Ok(Stage::read(name.to_string(), header, source, used))
    }

    /// Analyses a text that has been checked.
    pub(super) fn read(name: String, header: Header, source: String, used: Used) -> Stage {
        let tokens = tokens(&source);
        let words = tokens.iter().filter(|t| t.kind == TokenKind::Word).map(|t| t.text.to_string()).collect();
        let mut calls = BTreeMap::new();
        for (_, name) in syntax::calls(&tokens) {
            *calls.entry(name.to_string()).or_insert(0) += 1;
        }
        // Cells of a table are none of the stage's.
        let of = |p: &Port| if p.table { Reach::Anywhere } else { reach(&p.name, &tokens) };
        let reaches = header.ports.iter().filter(|p| p.reads()).map(|p| (p.name.clone(), of(p)));
        let reach = reaches.collect();
        let components = |name: &str| match header.params.iter().find(|p| p.name == name)?.ty {
            ParamType::Value(value) => Some(value.components(2)),
            _ => None,
        };
        let indexed = indexing::proven(&tokens, &components);
        let runs = iteration_source(&header, &tokens);
        let attributes = header.ports.iter().flat_map(|p| &p.attributes).map(|(name, _)| name);
        let read_of_others = read_of_others(attributes, &tokens, runs);
        let sets = header.ports.iter().filter(|p| p.ty == PortType::Particles);
        let taken_whole = sets.filter(|p| is_taken_whole(&p.name, &tokens)).map(|p| p.name.clone()).collect();
        let length = source.lines().map(str::trim).filter(|line| !line.starts_with("//")).map(str::len).sum();
        let unused = check::unused_params(&header, &tokens);
        Stage {
            name,
            header,
            source,
            used,
            words,
            calls,
            read_of_others,
            taken_whole,
            length,
            reach,
            indexed,
            runs,
            unused,
            found: Findings::default(),
        }
    }
}

/// What the function is called for, from its signature.
fn iteration_source(header: &Header, tokens: &[Token<'_>]) -> IterationSource {
    match syntax::stage_function(tokens).map_or("", |function| function.first_argument(tokens).1) {
        _ if header.once => IterationSource::Once,
        "Particle" => IterationSource::Particles,
        "Cell" => IterationSource::Cells,
        _ => IterationSource::Positions,
    }
}

/// Whether the text takes a particle of a set as a whole, with all its attributes: `let other = particles(i)`.
fn is_taken_whole(set: &str, tokens: &[Token<'_>]) -> bool {
    let mut calls = syntax::calls(tokens).filter(|(_, name)| *name == set);
    let member =
        |call: usize| syntax::closing(tokens, call + 1).is_some_and(|end| syntax::text(tokens, end + 1) == ".");
    calls.any(|(call, _)| !member(call))
}

/// Attributes that the text reads from anything but the particle that a stage runs for.
fn read_of_others<'h>(
    attributes: impl Iterator<Item = &'h String>,
    tokens: &[Token<'_>],
    runs: IterationSource,
) -> BTreeSet<String> {
    let stage = syntax::stage_function(tokens).filter(|_| runs == IterationSource::Particles);
    let particle = stage.map_or("", |function| function.first_argument(tokens).0);
    let reads = |name: &str| {
        (2..tokens.len()).any(|i| {
            let of_own = syntax::text(tokens, i - 2) == particle && !syntax::is_member(tokens, i - 2);
            syntax::text(tokens, i) == name && syntax::is_member(tokens, i) && !of_own
        })
    };
    attributes.filter(|name| reads(name)).cloned().collect()
}
