//! Checks the assignment of memory by simulation: two frames are executed symbolically, and for each buffer the value
//! that it holds is tracked. A reader must find its value. The second frame runs without the invariant operations.

use super::allocation::{Allocation, Placement};
use crate::arena::IdVec;
use crate::data::{Buffer, BufferId};
use crate::graph::Graph;
use crate::ir::in_place::works_in_place;
use crate::ir::{Op, OpId, Program, StateKey, ValueId, Write};

/// Checks the memory of a frame and of a reset.
///
/// # Errors
/// The violated condition and the operation.
pub(crate) fn verify(graph: &Graph, frame: &Program, reset: &Program, memory: &Allocation) -> Result<(), String> {
    let of_frame = Run { graph, program: frame, placement: &memory.frame, memory };
    let (once, every) = frame.ops.as_slice().split_at(frame.invariant_count());
    let mut held = of_frame.begin();
    of_frame.run(once, &mut held)?;
    for _ in 0..2 {
        of_frame.run(every, &mut held)?;
        of_frame.kept(&held)?;
        of_frame.swap(&mut held)?;
    }
    of_frame.carried()?;
    let of_reset = Run { graph, program: reset, placement: &memory.reset, memory };
    let mut held = of_reset.begin();
    let checked = of_reset.run(reset.ops.as_slice(), &mut held).and_then(|()| of_reset.kept(&held));
    let checked = checked.and_then(|()| of_reset.started(&held)).and_then(|()| of_reset.carried());
    checked.map_err(|cause| format!("reset: {cause}"))
}

/// The value that each buffer holds.
type Held = IdVec<Buffer, Option<ValueId>>;

/// A program executed on its memory, with the value that each buffer holds.
struct Run<'a> {
    graph: &'a Graph,
    program: &'a Program,
    placement: &'a Placement,
    memory: &'a Allocation,
}

impl Run<'_> {
    /// The state before the first operation: only the States are stored.
    fn begin(&self) -> Held {
        let mut held = self.memory.buffers.table(None);
        for (state, value) in &self.program.states {
            if let Some(buffer) = self.memory.states.get(state) {
                held[*buffer] = Some(*value);
            }
        }
        held
    }

    fn run(&self, ops: &[Op], held: &mut Held) -> Result<(), String> {
        ops.iter().try_for_each(|op| {
            self.op(op, held).map_err(|cause| {
                let node = self.graph.nodes.get(op.node).map_or("?", |node| node.path.as_str());
                format!("an operation of {node}: {cause}")
            })
        })
    }

    /// Checks that an operation finds what it reads, and overwrites nothing that is still needed.
    fn op(&self, op: &Op, held: &mut Held) -> Result<(), String> {
        for value in op.needs() {
            self.holds(value, held)?;
        }
        for (index, write) in op.writes.iter().enumerate().filter(|(_, write)| !write.transient) {
            let (value, buffer) = (write.value, self.buffer(write.value)?);
            let replaced = self.replaced(op, write);
            if let Some(read) =
                op.needs().find(|read| self.placement[*read] == Some(buffer) && !replaced.contains(read))
            {
                return Err(format!("%{value} overwrites %{read}, which it still reads"));
            }
            let others = op.writes.iter().take(index).filter(|other| !other.transient).map(|other| other.value);
            let mut shared = others.filter(|other| self.placement[*other] == Some(buffer) && !replaced.contains(other));
            if let Some(other) = shared.next() {
                return Err(format!("%{value} and %{other} are written to one buffer"));
            }
            held[buffer] = Some(value);
        }
        Ok(())
    }

    /// The versions that a write may replace: the one that it updates, and what that one updates within the operation.
    fn replaced(&self, op: &Op, write: &Write) -> Vec<ValueId> {
        let mut replaced = Vec::new();
        let mut last = Some(write);
        while let Some(write) = last.filter(|write| works_in_place(self.graph, self.program, op, write)) {
            replaced.extend(write.consumes);
            last = op.writes.iter().find(|made| Some(made.value) == write.consumes);
        }
        replaced
    }

    /// The buffer of a value; checks that it is large enough.
    fn buffer(&self, value: ValueId) -> Result<BufferId, String> {
        let buffer = self.placement.get(value).copied().flatten().ok_or_else(|| format!("%{value} has no memory"))?;
        let (room, bytes) = (self.memory.buffers.get(buffer).map(|b| b.bytes), self.program.values[value].bytes);
        match room {
            None => Err(format!("%{value} is in b{buffer}, and there is none")),
            Some(room) if room < bytes => Err(format!("%{value} takes {bytes} bytes, and b{buffer} has {room}")),
            Some(_) => Ok(buffer),
        }
    }

    /// Checks that a value is in its buffer.
    fn holds(&self, value: ValueId, held: &Held) -> Result<(), String> {
        let buffer = self.buffer(value)?;
        match held[buffer] {
            Some(other) if other == value => Ok(()),
            Some(other) => Err(format!("%{value} is gone: b{buffer} holds %{other}")),
            None => Err(format!("%{value} is gone: b{buffer} holds nothing")),
        }
    }

    /// Checks that the values which have to outlive the frame are still stored at its end.
    fn kept(&self, held: &Held) -> Result<(), String> {
        let kept = self.memory.wires.iter().filter(|(_, wire)| wire.kept && !wire.state);
        let wires = kept.filter_map(|(name, _)| self.program.wires.get(name));
        let all = self.program.pinned.iter().chain(wires);
        all.into_iter()
            .try_for_each(|value| self.holds(*value, held).map_err(|cause| format!("after the frame {cause}")))
    }

    /// Swaps buffers at the end of a frame, and checks that each State has its next value.
    fn swap(&self, held: &mut Held) -> Result<(), String> {
        let before = held.clone();
        let room = |buffer: &BufferId| self.memory.buffers.get(*buffer).map(|buffer| buffer.bytes);
        for (one, other) in &self.memory.swaps {
            if room(one) != room(other) {
                return Err(format!("b{one} and b{other} swap, and differ in size"));
            }
            (held[*one], held[*other]) = (before[*other], before[*one]);
        }
        for (state, value) in &self.program.states {
            let next = self.program.next.get(state).unwrap_or(value);
            let buffer = self.state(state)?;
            if held[buffer] != Some(*next) {
                return Err(format!("the State of %{value} does not become %{next}: b{buffer} holds another value"));
            }
            held[buffer] = Some(*value);
        }
        Ok(())
    }

    fn state(&self, state: &StateKey) -> Result<BufferId, String> {
        self.memory.states.get(state).copied().ok_or_else(|| format!("a State of node {} has no memory", state.0))
    }

    /// Checks that each State gets its start value, and that a State which is not restarted keeps its value.
    fn started(&self, held: &Held) -> Result<(), String> {
        for (state, buffer) in &self.memory.states {
            let (next, current) = (self.program.next.get(state), self.program.states.get(state));
            if held[*buffer] != next.or(current).copied() {
                return Err(format!("the State in b{buffer} does not start from its value"));
            }
        }
        Ok(())
    }

    /// Checks that the versions of a wire that leaves a group with early exit are in one buffer, and that any other
    /// value there is replaced by the end of its repeat.
    fn carried(&self) -> Result<(), String> {
        let program = self.program;
        let writer = program.writers();
        for versions in program.carries.iter().chain(&program.together) {
            let places = versions.iter().map(|version| writer[*version]);
            let Some(places) = places.collect::<Option<Vec<OpId>>>() else { continue };
            let Some(first) = versions.first() else { continue };
            let buffer = self.buffer(*first)?;
            if let Some(version) = versions.iter().find(|version| self.placement[**version] != Some(buffer)) {
                return Err(format!("%{version} is carried, and not in the place of %{first}"));
            }
            for (from, to) in places.iter().zip(places.iter().skip(1)) {
                let gate = program.ops[*to].gate;
                let between = program.ops.iter().take(to.index()).skip(from.index() + 1).filter(|op| op.gate != gate);
                let mut stored = between.flat_map(|op| &op.writes).filter(|write| !write.transient);
                if let Some(write) = stored.find(|write| self.placement[write.value] == Some(buffer)) {
                    return Err(format!(
                        "%{} takes the place of what a group carries, and the group may stop",
                        write.value
                    ));
                }
            }
        }
        Ok(())
    }
}
