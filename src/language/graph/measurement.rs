//! Numbers to measure while a graph runs, as named on the command line: `velocity.value:max:0`.

use super::Graph;
use super::expect::{self, Bound, ExpectSubject, Fault, Statistic};
use crate::document::{Document, Expect};
use crate::problem::Problem;

/// A number that can be measured after any frame: a number node, a number on a wire, or a statistic of a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// What is measured.
    pub subject: ExpectSubject,
    /// What is computed from the measured values.
    pub statistic: Statistic,
    /// The component of vectors, whose length counts when `None`, or the number of several in a cell, which all count then.
    pub component: Option<u32>,
}

impl Measurement {
    /// The wire that a plan has to keep for it.
    pub fn wire(&self) -> Option<&str> {
        match &self.subject {
            ExpectSubject::Wire(name) | ExpectSubject::Attribute(name, _) => Some(name),
            ExpectSubject::Image(_) | ExpectSubject::Number(_) => None,
        }
    }

    /// Parses `NODE.PORT`, `NODE.PORT:STATISTIC` or `NODE.PORT:STATISTIC:COMPONENT`.
    ///
    /// # Errors
    /// What is wrong with it, at the node that it names.
    pub fn parse(text: &str, document: &Document, graph: &Graph) -> Result<Measurement, Problem> {
        let problem = |Fault { node, port, cause, remedy }: Fault| {
            Problem::new(&node, &port, format!("`{text}`: {cause}"), remedy)
        };
        let mut parts = text.split(':');
        let of = parts.next().unwrap_or_default().to_string();
        let statistic = parts.next().filter(|name| !name.is_empty()).map(str::to_string);
        let component = match parts.next().map(str::parse::<u32>) {
            Some(Err(_)) => {
                let remedy = "write for example velocity.value:max:0 for its x component";
                return Err(problem(Fault::new("the component is not a whole number", remedy)));
            }
            Some(Ok(component)) => Some(component),
            None => None,
        };
        if parts.next().is_some() {
            return Err(problem(Fault::new("there are too many colons", "write NODE.PORT:STATISTIC:COMPONENT")));
        }
        let named = Expect { of, statistic, component, ..Expect::default() };
        let bound = Bound::Below(0.0);
        let target = expect::target(&named, document, graph).map_err(problem)?;
        if matches!(target.subject, ExpectSubject::Image(_)) {
            return Err(problem(Fault::new("an image is not a number", "name the wire that it shows")));
        }
        let statistic = expect::statistic(&named, &target, &bound).map_err(problem)?;
        expect::components(&named, &target, statistic, &bound).map_err(problem)?;
        Ok(Measurement { subject: target.subject, statistic, component })
    }
}
