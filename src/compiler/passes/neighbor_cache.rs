//! Caches the result of a neighbour search for later searches. Of about a hundred candidates around a particle a third
//! are near, and each stage that searches around the same particles at the same positions tests them all again. So the
//! first search stores, for each row of cells, a bit for every entry within a cell's width, and the row's first entry;
//! later searches only test marked entries. A particle with a row of more than 32 entries is searched without the
//! cache.
//!
//! The first search must be around the stage's own particle and complete. Later ones must begin with a distance test of their own, which a
//! stored entry has to pass as well, so results are the same to the bit. There is no cache around periodic borders, where a row is not a
//! contiguous range, and none above a gigabyte: it takes 72 bytes a particle, 24 in 2D. Its buffer is the part `.found` in a plan's text.

use crate::ir::links::topological;
use crate::ir::packs::rows;
use crate::ir::query;
use crate::ir::stored::Stored;
use crate::ir::{InstanceId, Op, OpId, Part, Program, Read, Task, ValueId, WireValue, Write, bindings};
use std::collections::BTreeMap;

use crate::graph::Graph;
use crate::stage::types::{EdgeRule, PortType, ValueType, WireType};

/// Limit of the cache's size \[bytes\].
const MOST_BYTES: u64 = 1 << 30;

/// Bytes of a row: the mask and its first entry.
const ROW_BYTES: u64 = 8;

/// What two searches have to have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Around {
    /// Where each cell of the grid begins, and its list.
    start: ValueId,
    list: Option<ValueId>,
    position: ValueId,
    /// How many particles live.
    count: ValueId,
    invariant: bool,
}

/// A search in one of an operation's stages.
struct Searching {
    field: InstanceId,
    grid: usize,
    output: Option<usize>,
    around: Around,
    tests: bool,
}

/// Makes the first search around particles store its result, and later ones use it. `spare`: buffers that a kernel may bind beyond those that
/// fusion may use, which would leave no room in large ones.
pub(super) fn keep(graph: &Graph, program: &mut Program, spare: usize) {
    let budget = program.buffer_budget + spare;
    let writers = program.writers();
    let mut first = BTreeMap::<Around, Vec<(OpId, Searching, Option<ValueId>)>>::new();
    for index in order(program) {
        for searching in searches(graph, program, index) {
            let earlier = first.entry(searching.around).or_default();
            // A search behind a gate serves those that run only if it did.
            let gate = |op: OpId| program.ops.get(op).and_then(|op| op.gate);
            let open: Vec<ValueId> = query::open_gates(program, &writers, gate(index)).collect();
            let ran = |op: OpId| gate(op).is_none_or(|gate| open.contains(&gate));
            let Some((op, by, value)) = earlier.iter_mut().find(|(op, ..)| ran(*op)) else {
                if searching.output.is_some() {
                    earlier.push((index, searching, None));
                }
                continue;
            };
            let has_room =
                |op: OpId| program.ops.get(op).is_some_and(|op| bindings::own_buffers(graph, program, op) < budget);
            if *op == index || !searching.tests || !has_room(index) || value.is_none() && !has_room(*op) {
                continue;
            }
            let kept = value.or_else(|| leave(program, *op, by));
            let (Some(kept), Some(reader)) = (kept, program.ops.get_mut(index)) else { continue };
            *value = Some(kept);
            reader.reads.push(Read { stage: searching.field, port: searching.grid, part: Part::Found, value: kept });
        }
    }
}

/// The operations so that each comes after those whose values it needs. Fusion may have put a search that comes first
/// into a later operation, and what the later one found must not be needed by the earlier one.
fn order(program: &Program) -> Vec<OpId> {
    let producer = program.writers();
    let mut after = program.ops.table(Vec::new());
    for (index, op) in program.ops.entries() {
        op.needs().filter_map(|value| producer[value]).for_each(|from| after[from].push(index));
    }
    topological(&after)
}

/// The searches of an operation, by its stages.
fn searches(graph: &Graph, program: &Program, index: OpId) -> Vec<Searching> {
    let Some(op) = program.ops.get(index).filter(|op| matches!(op.task, Task::Stage) && !op.edited) else {
        return Vec::new();
    };
    op.stages.ids().filter_map(|field| searching(graph, program, op, field)).collect()
}

fn searching(graph: &Graph, program: &Program, op: &Op, field: InstanceId) -> Option<Searching> {
    let stage = query::stage_of(graph, op, field)?;
    let node = graph.nodes.get(op.node_of(field)?)?;
    op.runs_itself(field).then_some(())?;
    let search = stage.search(graph.dim(node))?;
    let set = stage.set()?;
    let port = |name: &str| stage.inputs().position(|p| p.name == name);
    let (grid, particles) = (port(&search.grid)?, port(&set.name)?);
    let read = |port: usize, part: Part| {
        op.reads.iter().find(|r| r.stage == field && r.port == port && r.part == part).map(|r| r.value)
    };
    let (start, position) = (read(grid, Part::Start)?, read(particles, Part::Attribute("position".into()))?);
    let domain = graph.domains.get(program.values.get(start)?.domain?)?;
    let place = program.values.get(position)?;
    // Around a periodic border a row is not contiguous.
    let fits = !domain.edge.has(EdgeRule::Wrap) && domain.dim == place.dim && bytes(place) <= MOST_BYTES;
    let (list, count) = (read(grid, Part::Order), query::count(graph, op)?);
    let around = Around { start, list, position, count, invariant: op.invariant };
    let output = stage.outputs().position(|p| p.ty == PortType::Particles && p.name == set.name);
    fits.then_some(Searching { field, grid, output: output.filter(|_| search.whole), around, tests: search.tests })
}

fn bytes(position: &WireValue) -> u64 {
    ROW_BYTES * u64::from(rows(position.dim)) * u64::from(position.capacity)
}

/// Makes a search store its result.
fn leave(program: &mut Program, op: OpId, by: &Searching) -> Option<ValueId> {
    let place = program.values.get(by.around.position)?;
    let set = place.label.rsplit_once('.').map_or(place.label.as_str(), |(set, _)| set);
    let value = WireValue {
        stored: Stored { ty: WireType::Attribute(ValueType::U32), ..place.stored },
        label: format!("{set}.found"),
        bytes: bytes(place),
        ..place.clone()
    };
    let (port, writer) = (by.output?, program.ops.get_mut(op)?);
    let value = program.values.push(value);
    writer.writes.push(Write { stage: by.field, port, part: Part::Found, ..Write::whole(value) });
    Some(value)
}
