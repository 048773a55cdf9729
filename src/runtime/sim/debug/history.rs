//! Every write to a cell or a particle in a frame.

use super::FrameDebugger;
use super::element::{ElementPlace, decode, words};
use crate::gpu::stepping::Peek;
use crate::plan::{Plan, Wire};
use crate::problem::Problems;

/// A wire and its value at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Name of the wire.
    pub wire: String,
    /// The components.
    pub value: Vec<f64>,
}

/// A write to a place.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteEvent {
    /// The dispatch of the frame that wrote, counted from 0.
    pub dispatch: usize,
    /// The node that it belongs to.
    pub node: String,
    /// Which part of the node.
    pub part: String,
    /// The wire that was written.
    pub wire: String,
    /// The version that was updated, before the dispatch.
    pub before: Option<Vec<f64>>,
    /// The value after the dispatch.
    pub after: Vec<f64>,
    /// What the dispatch read at the same place. What it read elsewhere, from neighbours or other grids, is not among it.
    pub inputs: Vec<Reading>,
}

/// What to copy, and what it is for.
struct Wanted {
    peek: Peek,
    index: u64,
    wire: Wire,
}

impl FrameDebugger {
    /// Every write of the frame to a cell or a particle, in the order of the dispatches. Particles are known by their index: where a
    /// dispatch sorts them, another one may have it from there on. Blocks until the frame has been computed; the debugger stays where it
    /// is.
    ///
    /// # Errors
    /// As [`FrameDebugger::seek`].
    pub fn history(&mut self, place: ElementPlace) -> Result<Vec<WriteEvent>, Problems> {
        let events = self.writes_at(place, 0..self.len())?;
        Ok(events)
    }

    /// The writes of one dispatch to a place.
    pub(super) fn writes_of(&mut self, place: ElementPlace, dispatch: usize) -> Result<Vec<WriteEvent>, Problems> {
        self.writes_at(place, dispatch..dispatch + 1)
    }

    fn writes_at(&mut self, place: ElementPlace, part: std::ops::Range<usize>) -> Result<Vec<WriteEvent>, Problems> {
        let here = self.position;
        let plan = &self.simulation.plan;
        let mut wanted = Vec::new();
        let mut events = Vec::new();
        let accesses = plan.versions.dispatches.iter().zip(&plan.frame).enumerate();
        for (at, (accesses, dispatch)) in accesses.take(part.end).skip(part.start).filter(|(at, _)| self.runs(*at)) {
            let mut want =
                |after: usize, wire: &Wire| wanted_of(plan, place, after, wire).map(|w| wanted.push(w)).is_some();
            let mut reads = Vec::new();
            let mut writes = Vec::new();
            for (name, wire) in &accesses.reads {
                if accesses.writes.iter().any(|write| is_written(plan, place, &write.after)) && want(at, wire) {
                    reads.push(name.clone());
                }
            }
            // First what is there before the dispatch, so that the pieces are in order.
            for write in accesses.writes.iter().filter(|write| is_written(plan, place, &write.after)) {
                writes.push((write, write.before.as_ref().is_some_and(|before| want(at, before))));
            }
            for (write, _) in &writes {
                want(at + 1, &write.after);
            }
            let part = dispatch.part.clone();
            let updates: Vec<(String, bool)> = writes.iter().map(|(write, had)| (write.wire.clone(), *had)).collect();
            if !updates.is_empty() {
                events.push((at, dispatch.node.clone(), part, reads, updates));
            }
        }
        let peeks: Vec<Peek> = wanted.iter().map(|wanted| wanted.peek.clone()).collect();
        let words = self.watch(part.end.min(self.len()), &peeks)?;
        let mut rest = words.as_slice();
        let mut values = wanted.into_iter().map(|wanted| {
            let count = (wanted.peek.words.end - wanted.peek.words.start) as usize;
            let (these, others) = rest.split_at_checked(count).unwrap_or_default();
            rest = others;
            decode(&wanted.wire, wanted.index, these)
        });
        let mut found = Vec::new();
        for (dispatch, node, part, reads, updates) in events {
            let inputs: Vec<Reading> =
                reads.into_iter().map(|wire| Reading { wire, value: values.next().unwrap_or_default() }).collect();
            let before: Vec<Option<Vec<f64>>> =
                updates.iter().map(|(_, had)| if *had { values.next() } else { None }).collect();
            for ((wire, _), before) in updates.into_iter().zip(before) {
                let node = node.clone();
                let part = part.clone();
                let inputs = inputs.clone();
                let after = values.next().unwrap_or_default();
                found.push(WriteEvent { dispatch, node, part, wire, before, after, inputs });
            }
        }
        drop(values);
        self.seek(here)?;
        Ok(found)
    }

    /// The value of a wire at a place, at this point of the frame. `None` where the wire has none there.
    ///
    /// # Errors
    /// As [`FrameDebugger::seek`].
    pub fn value_at(&mut self, wire: &str, place: ElementPlace) -> Result<Option<Vec<f64>>, Problems> {
        let plan = &self.simulation.plan;
        let Some(wire) = plan.wires.get(wire).filter(|wire| wire.kept) else { return Ok(None) };
        let Some(wanted) = wanted_of(plan, place, self.position, wire) else { return Ok(None) };
        let words = self.watch(self.position, std::slice::from_ref(&wanted.peek))?;
        Ok(Some(decode(&wanted.wire, wanted.index, &words)))
    }
}

/// Whether a written wire has an element of its own at a place: numbers are the same everywhere.
fn is_written(plan: &Plan, place: ElementPlace, wire: &Wire) -> bool {
    let number = matches!(wire.ty, crate::stage::types::WireType::Number(_));
    number == (place == ElementPlace::Number) && place.index(plan, wire).is_some()
}

fn wanted_of(plan: &Plan, place: ElementPlace, after: usize, wire: &Wire) -> Option<Wanted> {
    let index = place.index(plan, wire)?;
    let words = words(wire, index, wire.elements(&plan.domains));
    Some(Wanted { peek: Peek { after, buffer: Some(wire.buffer), words }, index, wire: wire.clone() })
}
