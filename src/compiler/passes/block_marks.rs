//! A stage marks the blocks in which its grid is not zero, where nothing else reads the grid: it takes no memory and is not read again.

use crate::graph::Graph;
use crate::ir::query::stage_of;
use crate::ir::{OWN, Op, OpId, Part, Program, Task, ValueId, Write};
use crate::stage::types::{Element, PortType, Precision, ValueType};

/// Joins searches for blocks with the operations that write the grids.
pub(super) fn join(graph: &Graph, program: &mut Program) {
    let searches: Vec<OpId> =
        program.ops.entries().filter(|(_, op)| matches!(op.task, Task::FindBlocks)).map(|(index, _)| index).collect();
    for search in searches {
        let Some((writer, write)) = marker(graph, program, search) else { continue };
        let Some(table) = program.ops[search].writes.first().map(|write| write.value) else { continue };
        let empty = program.values.push(program.values[table].clone());
        // The search makes place for the table.
        let op = &mut program.ops[search];
        op.task = Task::Fill(None);
        op.reads.clear();
        op.writes = vec![Write::whole(empty)];
        let op = &mut program.ops[writer];
        op.shape = None;
        let old = &op.writes[write];
        let mark =
            Write { stage: OWN, port: old.port, part: Part::Blocks, consumes: Some(empty), ..Write::whole(table) };
        op.writes[write] = mark;
    }
}

/// The operation that writes the grid of a search, and which of its writes.
fn marker(graph: &Graph, program: &Program, search: OpId) -> Option<(OpId, usize)> {
    let op = &program.ops[search];
    let grid = op.reads.first()?.value;
    let table = op.writes.first()?.value;
    let mut readers = program.ops.entries().filter(|(_, op)| op.needs().any(|value| value == grid));
    let alone = readers.all(|(index, _)| index == search)
        && !program.pinned.contains(&grid)
        && !program.states.values().any(|held| *held == grid)
        && !program.carries.iter().chain(&program.together).flatten().any(|version| *version == grid);
    let (index, writer) = program.ops.entries().find(|(_, op)| op.writes.iter().any(|write| write.value == grid))?;
    let at = writer.writes.iter().position(|write| write.value == grid)?;
    let same = |value: ValueId| program.values.get(value).map(|value| value.domain);
    (alone && same(grid) == same(table) && can_mark(graph, program, (writer, op), at)).then_some((index, at))
}

/// Whether a stage can mark blocks by what it returns for each cell.
fn can_mark(graph: &Graph, program: &Program, (writer, search): (&Op, &Op), at: usize) -> bool {
    let write = &writer.writes[at];
    let Some(port) = stage_of(graph, writer, write.stage).and_then(|stage| stage.outputs().nth(write.port)) else {
        return false;
    };
    let plain = write.stage == OWN && write.part == Part::Whole && write.consumes.is_none() && write.start.is_none();
    let single = port.scatter.is_none() && port.reduce.is_none() && writer.sweeps == 1 && writer.color.is_none();
    let precise = program.values.get(write.value).is_some_and(|value| value.precision == Precision::F32);
    let fixed_type =
        matches!(&port.ty, PortType::Grid(Element::Fixed(value)) if *value != ValueType::Mat && !value.is_array());
    let together =
        writer.gate == search.gate && writer.invariant == search.invariant && writer.substep == search.substep;
    matches!(writer.task, Task::Stage) && plain && single && precise && fixed_type && together
}
