//! Conditions as text: `velocity.value:max > 10 * inflow`, where any number of the graph may be named.

use std::fmt;

use crate::document::Document;
use crate::expr::{ExprContext, Expression, Number, Numbers};
use crate::graph::Graph;
use crate::graph::expect::Statistic;
use crate::graph::measurement::Measurement;
use crate::problem::Problem;
use crate::sim::expect::{self, Sample, request};
use crate::sim::{FrameInput, Simulation};

/// A condition on measured numbers.
#[derive(Clone, Debug)]
pub struct Formula {
    text: String,
    /// The expression with a name in place of each measurement.
    expression: Expression,
    /// What is measured, by that name.
    measured: Vec<(String, String, Measurement)>,
}

impl PartialEq for Formula {
    fn eq(&self, other: &Formula) -> bool {
        self.text == other.text
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The value of a condition, and of what it names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Evaluated {
    pub holds: bool,
    /// `name = value` for each measurement.
    pub values: Vec<(String, Vec<f64>)>,
}

impl Formula {
    /// Parses a condition. Besides the language of expressions it names measurements of the graph, as `record` takes them: number nodes,
    /// numbers on wires, and statistics of wires such as `velocity.value:max` or `velocity.value:max:0`.
    ///
    /// # Errors
    /// What is wrong with it, in one sentence.
    pub fn parse(text: &str, document: &Document, graph: &Graph) -> Result<Formula, Problem> {
        let mut measured: Vec<(String, String, Measurement)> = Vec::new();
        let mut replaced = String::new();
        for (word, apart) in words(text) {
            let is_literal = apart || word.parse::<f64>().is_ok() || is_own(word);
            if is_literal {
                replaced.push_str(word);
                continue;
            }
            let measured_name = measured.iter().find(|(_, named, _)| named == word).map(|(name, ..)| name.clone());
            let name = match measured_name {
                Some(name) => name,
                None => {
                    let measurement = Measurement::parse(word, document, graph)?;
                    let name = format!("measured_{}", measured.len());
                    measured.push((name.clone(), word.to_string(), measurement));
                    name
                }
            };
            replaced.push_str(&name);
        }
        let numbers: Numbers = measured.iter().map(|(name, _, found)| (name.clone(), zero(graph, found))).collect();
        let expression = Expression::parse_with(&replaced, &numbers).map_err(|error| {
            let mut cause = error.to_string();
            for (name, word, _) in &measured {
                cause = cause.replace(name, word);
            }
            let remedy = "write a condition such as velocity.value:max > 10, frame == 100, or pressure.residual > 1e-3";
            Problem::new("", "", format!("`{text}`: {cause}"), remedy)
        })?;
        Ok(Formula { text: text.trim().into(), expression, measured })
    }

    /// The wires that a plan has to keep for it.
    pub fn wires(&self) -> impl Iterator<Item = String> + '_ {
        self.measured.iter().filter_map(|(_, _, measurement)| measurement.wire().map(String::from))
    }

    /// The one wire that it measures.
    pub(super) fn wire(&self) -> Option<(String, &Measurement)> {
        match self.measured.as_slice() {
            [(_, _, measurement)] => Some((measurement.subject.to_string(), measurement)),
            _ => None,
        }
    }

    /// Value of the formula with the wires as they are in memory now. Blocks until they have arrived.
    pub(super) fn eval(
        &self,
        simulation: &Simulation,
        (input, time, frame): (&FrameInput, f64, u64),
    ) -> Result<Evaluated, Problem> {
        let requests: Vec<_> =
            self.measured.iter().map(|(.., m)| request(simulation, &m.subject)).collect::<Result<_, _>>()?;
        let samples: Vec<Sample> = requests.into_iter().map(|pending| pending.wait()).collect::<Result<_, _>>()?;
        let mut numbers = Numbers::new();
        let mut values = Vec::new();
        for ((name, word, measurement), sample) in self.measured.iter().zip(&samples) {
            let found = expect::evaluate(sample, measurement.statistic, measurement.component).values;
            numbers.extend(Number::vector(&found).map(|number| (name.clone(), number)));
            values.push((word.clone(), found));
        }
        // Comparisons with NaN are false, which would hide it.
        if values.iter().any(|(_, found)| found.iter().any(|value| !value.is_finite())) {
            return Ok(Evaluated { holds: true, values });
        }
        let context = ExprContext {
            time,
            dt: input.dt.map_or(1.0 / simulation.plan.fps, f64::from),
            frame: frame as f64,
            seed: simulation.plan.seed,
            mouse: input.mouse.map(f64::from),
            mouse_velocity: input.mouse_velocity.map(f64::from),
            buttons: input.buttons,
            keys: input.keys,
        };
        let result = self.expression.eval_with(&context, &numbers).map_err(|error| {
            Problem::new("", "", format!("`{}`: {error}", self.text), "correct the condition, or remove it")
        })?;
        Ok(Evaluated { holds: result.as_slice().iter().any(|value| *value != 0.0), values })
    }
}

/// Zero with as many components as a measurement has.
fn zero(graph: &Graph, measurement: &Measurement) -> Number {
    let whole = measurement.statistic == Statistic::Value && measurement.component.is_none();
    let carried = measurement.wire().filter(|_| whole).and_then(|wire| graph.carried(wire).ok());
    let components = carried.map_or(1, |carried| carried.ty.value().components(carried.dim));
    Number::vector(&vec![0.0; components as usize]).unwrap_or(Number::scalar(0.0))
}

/// Words of a text that can name a measurement, and what is between them, which is marked.
fn words(text: &str) -> Vec<(&str, bool)> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | ':' | '@');
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let first = rest.chars().next().is_some_and(part);
        let end = rest.find(|c: char| part(c) != first).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        // A `/` between two names divides; inside of a name it leads into a group.
        found.push((word, !first));
        rest = after;
    }
    found
}

/// Whether a word belongs to the language of expressions: `sin`, `mouse.x`, `true`.
fn is_own(word: &str) -> bool {
    let first = word.split('.').next().unwrap_or(word);
    !word.contains(':') && crate::expr::reserved(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_names_with_their_ports_statistics_and_groups() {
        let named = |text: &'static str| -> Vec<&'static str> {
            words(text).into_iter().filter(|(_, apart)| !apart).map(|(word, _)| word).collect()
        };
        assert_eq!(named("velocity.value:max:0 > 1e3*limit"), ["velocity.value:max:0", "1e3", "limit"]);
        assert_eq!(named("solve/4_pressure.pressure:min<-2.5"), ["solve/4_pressure.pressure:min", "2.5"]);
        assert!(is_own("mouse.x") && is_own("sin") && !is_own("limit") && !is_own("time.value:max"));
    }
}
