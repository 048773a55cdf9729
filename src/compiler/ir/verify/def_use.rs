//! Which operation of a program writes each value, and which ones read it.

use std::collections::BTreeSet;

use super::super::{Op, OpId, Program, ValueId, WireValue, demand};
use super::operation;
use crate::arena::IdVec;
use crate::graph::Graph;

/// A program with the writers and readers of its values.
pub(super) struct DefUse<'a> {
    pub(super) graph: &'a Graph,
    pub(super) program: &'a Program,
    /// The operation that writes each value.
    pub(super) writer: IdVec<WireValue, Option<OpId>>,
    pub(super) readers: IdVec<WireValue, Vec<OpId>>,
    /// Values that exist before the frame.
    held: BTreeSet<ValueId>,
    /// Values that are needed outside of the operations.
    pub(super) demanded: BTreeSet<ValueId>,
    /// Where the frame begins in a program that is in order.
    pub(super) frame_begins: OpId,
    /// Versions that leave groups with early exit.
    pub(super) carried: BTreeSet<ValueId>,
}

impl<'a> DefUse<'a> {
    /// Checks each operation by itself, and that each value has one writer.
    pub(super) fn new(graph: &'a Graph, program: &'a Program) -> Result<DefUse<'a>, String> {
        let mut def_use = DefUse {
            graph,
            program,
            writer: program.values.table(None),
            readers: program.values.table(Vec::new()),
            held: program.states.values().copied().collect(),
            demanded: demand::demanded(program),
            frame_begins: program.frame_begins(),
            carried: program.carries.iter().chain(&program.together).flatten().copied().collect(),
        };
        def_use.each(|_, op| operation::verify(graph, program, op))?;
        for (index, op) in program.ops.entries() {
            op.needs().for_each(|value| def_use.readers[value].push(index));
            for write in &op.writes {
                if def_use.held.contains(&write.value) || def_use.writer[write.value].replace(index).is_some() {
                    return Err(format!("{}: %{} has two writers", def_use.place(index), write.value));
                }
            }
        }
        Ok(def_use)
    }

    /// Checks each operation with `holds`.
    pub(super) fn each(&self, holds: impl Fn(OpId, &'a Op) -> Result<(), String>) -> Result<(), String> {
        let mut ops = self.program.ops.entries();
        ops.try_for_each(|(index, op)| holds(index, op).map_err(|cause| format!("{}: {cause}", self.place(index))))
    }

    /// The index and the node of an operation, for messages.
    pub(super) fn place(&self, index: OpId) -> String {
        let node = self.program.ops.get(index).and_then(|op| self.graph.nodes.get(op.node));
        format!("operation {index} of {}", node.map_or("?", |node| &node.path))
    }

    /// The operation that writes a value; `None` where no operation writes it.
    pub(super) fn writer(&self, value: ValueId) -> Option<&'a Op> {
        self.program.ops.get((*self.writer.get(value)?)?)
    }

    /// Whether a value exists when it is read.
    pub(super) fn exists(&self, value: ValueId) -> bool {
        self.held.contains(&value) || self.writer(value).is_some()
    }

    /// Checks that what an operation reads is stored in memory.
    pub(super) fn needs(&self, op: &Op) -> Result<(), String> {
        for value in op.needs() {
            let Some(writer) = self.writer(value) else {
                match self.held.contains(&value) {
                    true => continue,
                    false => return Err(format!("nothing writes %{value}, which it needs")),
                }
            };
            if writer.writes.iter().any(|write| write.value == value && write.transient) {
                return Err(format!("%{value}, which it needs, is not stored"));
            }
        }
        Ok(())
    }

    /// Checks that values which outlive the frame are written and stored.
    pub(super) fn outside(&self) -> Result<(), String> {
        let program = self.program;
        let outside = || program.pinned.iter().chain(program.next.values());
        if let Some(value) = outside().find(|value| !self.exists(**value)) {
            return Err(format!("nothing writes %{value}, which has to outlive the frame"));
        }
        let transient = program.ops.iter().flat_map(|op| &op.writes).filter(|write| write.transient);
        match transient.map(|write| write.value).find(|value| self.demanded.contains(value)) {
            Some(value) => Err(format!("%{value} is not stored, and has to outlive the frame")),
            None => Ok(()),
        }
    }
}
