//! Which index a particle has at the end of a frame: sorting and removing hand it another one. The plain plan moves particles in
//! dispatches of their own, by an index that is in memory, so that all moves can be followed.

use super::FrameDebugger;
use crate::gpu::stepping::Peek;
use crate::plan::{BufferId, Reorder, Reorders, Wire};
use crate::problem::{Problem, Problems};
use crate::stage::types::WireType;

/// No particle, or no index.
const NONE: u32 = u32::MAX;

/// How the particles of a State move in a frame.
pub(super) struct Order {
    /// The dispatches that move them.
    moves: Vec<(usize, Reorders)>,
    /// Versions of an attribute that lead to the State's next value, the last one first: a buffer, and the dispatch that writes it.
    versions: Vec<(BufferId, Option<usize>)>,
    /// The attribute.
    carrier: String,
    capacity: u32,
}

/// What a frame does to the indices of particles.
pub(super) struct Moved {
    /// The index of a particle at the end, by that at the start.
    to: Vec<u32>,
    /// Living particles at the end.
    pub count: usize,
}

impl Order {
    /// Whether particles keep their indices.
    pub(super) fn is_fixed(&self) -> bool {
        self.moves.is_empty()
    }
}

impl Moved {
    /// The index at the end of a particle that had one at the start; `None` where it was removed.
    pub(super) fn index(&self, before: u32) -> Option<u32> {
        self.to.get(before as usize).copied().filter(|to| *to != NONE && (*to as usize) < self.count)
    }
}

impl FrameDebugger {
    /// Nodes of the States that hold particles.
    pub(super) fn particle_states(&self) -> Vec<String> {
        let counts = self.wires.keys().filter_map(|name| name.strip_suffix(".count"));
        let is_state = |node: &&str| {
            self.simulation.plan.states.iter().any(|state| state.node.strip_prefix(*node) == Some(".count"))
        };
        counts.filter(is_state).map(String::from).collect()
    }

    /// The attributes of a set.
    pub(super) fn attributes(&self, set: &str) -> Vec<String> {
        let attribute = |(name, wire): (&String, &Wire)| {
            let part = name.strip_prefix(set)?.strip_prefix('.').filter(|part| !part.contains('.'))?;
            matches!(wire.ty, WireType::Attribute(_)).then(|| part.to_string())
        };
        self.wires.iter().filter_map(attribute).collect()
    }

    /// How the particles of a State move.
    ///
    /// # Errors
    /// A State whose particles are put together again in every frame.
    pub(super) fn order(&self, set: &str) -> Result<Order, Problem> {
        let mut attributes = self.attributes(set);
        attributes.sort_by_key(|name| name != "position");
        attributes.iter().find_map(|carrier| self.order_by(set, carrier)).ok_or_else(|| {
            let cause = "its particles are made again in every frame, so none is the same in the next";
            Problem::new(set, "", cause, "follow a particle of a State that keeps its particles")
        })
    }

    /// How particles move, by the versions of one attribute, from the State's next value back to its last one.
    fn order_by(&self, set: &str, carrier: &str) -> Option<Order> {
        let name = format!("{set}.{carrier}");
        let start = self.version(&name, 0)?.wire.clone();
        let mut wire = self.version(&name, self.len())?.wire.clone();
        let mut moves = Vec::new();
        let mut versions = Vec::new();
        let mut before = self.len();
        let dispatches = &self.simulation.plan.versions.dispatches;
        let part = |name: &str| name.rsplit_once('.').map(|(_, part)| part.to_string());
        loop {
            let writer = (0..before).rev().filter(|at| self.runs(*at)).find_map(|at| {
                let write = dispatches.get(at)?.writes.iter().find(|write| write.after.buffer == wire.buffer)?;
                Some((at, write))
            });
            versions.push((wire.buffer, writer.map(|(at, _)| at)));
            let Some((at, write)) = writer else {
                moves.reverse();
                let whole = Order { moves, versions, carrier: carrier.into(), capacity: start.capacity };
                return (wire.buffer == start.buffer).then_some(whole);
            };
            let accesses = dispatches.get(at)?;
            // What is moved or copied is read under the same name of the part.
            let source = || accesses.reads.iter().find(|(read, _)| part(read) == part(&write.wire));
            wire = match (accesses.reorders, &write.before) {
                (Some(reorders), _) => {
                    moves.push((at, reorders));
                    source()?.1.clone()
                }
                (None, Some(before)) => before.clone(),
                (None, None) => source()?.1.clone(),
            };
            before = at;
        }
    }

    /// The State whose particles a set is of, in the order that they have at the end of the frame.
    ///
    /// # Errors
    /// A set in another order, or of particles that no State holds.
    pub(super) fn state_of(&self, set: &str) -> Result<String, Problem> {
        let states = self.particle_states();
        let state_name = set.strip_suffix(".value").unwrap_or(set);
        if let Some(state) = states.iter().find(|state| *state == state_name) {
            return Ok(state.clone());
        }
        for state in &states {
            let Ok(order) = self.order(state) else { continue };
            let Some(version) = self.version(&format!("{set}.{}", order.carrier), self.len()) else { continue };
            let in_order = order.versions.contains(&(version.wire.buffer, version.written));
            let later = order.moves.last().is_some_and(|(at, _)| version.written.is_none_or(|written| *at > written));
            if in_order && !later {
                return Ok(state.clone());
            }
        }
        let all = states.join(", ");
        let cause = "its particles do not have the indices that a State gives them at the end of the frame";
        Err(Problem::new(set, "", cause, format!("follow a particle in a view of the State: {all}")))
    }

    /// Runs the frame to its end, and follows what it does to the indices of a State's particles.
    pub(super) fn moved(&mut self, set: &str, order: &Order) -> Result<Moved, Problems> {
        let mut peeks = Vec::new();
        for (at, Reorders { kind, index, count }) in &order.moves {
            let more = u64::from(*kind == Reorder::Compact);
            peeks.push(Peek { after: *at, buffer: Some(*index), words: 0..u64::from(order.capacity) + more });
            peeks.extend(count.map(|count| Peek { after: *at, buffer: Some(count), words: 0..1 }));
        }
        let count = self.version(&format!("{set}.count"), self.len()).map(|version| version.wire.buffer);
        peeks.push(Peek { after: self.len(), buffer: count, words: 0..u64::from(count.is_some()) });
        let words = self.watch(self.len(), &peeks)?;
        let mut rest = words.as_slice();
        let mut next = |count: usize| {
            let (these, others) = rest.split_at(count.min(rest.len()));
            rest = others;
            these
        };
        let capacity = order.capacity as usize;
        let mut to: Vec<u32> = (0..order.capacity).collect();
        for (_, Reorders { kind, count, .. }) in &order.moves {
            let index = next(capacity + usize::from(*kind == Reorder::Compact));
            let living = count.and_then(|_| next(1).first().copied()).unwrap_or(order.capacity);
            let at = |place: u32| index.get(place as usize).copied();
            let places: Vec<u32> = match kind {
                Reorder::Scatter => index.iter().take(living as usize).copied().collect(),
                Reorder::Compact => (0..order.capacity)
                    .map(|i| at(i).filter(|place| at(i + 1) > Some(*place)).unwrap_or(NONE))
                    .collect(),
                Reorder::Gather => {
                    let mut places = vec![NONE; capacity];
                    for (place, from) in index.iter().take(living as usize).enumerate() {
                        let successor = places.get_mut((*from as usize).min(capacity.saturating_sub(1)));
                        // Of copies, the first one is the particle.
                        successor
                            .into_iter()
                            .filter(|successor| **successor == NONE)
                            .for_each(|successor| *successor = place as u32);
                    }
                    places
                }
            };
            to.iter_mut().for_each(|to| *to = places.get(*to as usize).copied().unwrap_or(NONE));
        }
        let count = next(usize::from(count.is_some())).first().map_or(capacity, |count| *count as usize);
        Ok(Moved { to, count: count.min(capacity) })
    }
}
