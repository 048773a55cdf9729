//! Particles that add to many cells: several invocations share what one does. There are seldom as many particles as a GPU has lanes, and the
//! lanes of a large one are not waited for by those of small ones. What is added is the same, and the order of sums in fixed point and of extremes
//! doesn't matter, so the result has the same bits.
//!
//! - Of a loop over rows of pixels, such as that of a sphere, each goes through its part of a row.
//! - Where vectors are added in a loop, such as the light of a point, each adds a component.
//!
//! Either way neighbouring invocations add to neighbouring words, which memory takes together.

use crate::graph::{Graph, Kind};
use crate::ir::{Lanes, OWN, Op, Part, Program, Task, Write, bins, query};
use crate::stage::header::{Change, Scatter};
use crate::stage::types::WireType;
use crate::stage::{IterationSource, Stage};

/// Limit of invocations for a particle: each repeats what stands before the loop.
const MOST_LANES: u32 = 8;
/// Limit of invocations in all that share loops, some times as many as a large GPU runs at once.
const MOST_INVOCATIONS: u32 = 1 << 21;
/// Limit of invocations in all that add a component each: memory does less for them however many there are.
const MOST_OF_COMPONENTS: u32 = 1 << 24;

/// Has several invocations share what particles do.
pub(super) fn assign(graph: &Graph, program: &mut Program) {
    if program.versions {
        return;
    }
    // What stages before it store, every invocation would.
    let alone = |op: &&Op| op.writes.iter().all(|write| write.stage == OWN || write.transient);
    let found = program.ops.iter().map(|op| Some(op).filter(alone).and_then(|op| lanes(graph, program, op)));
    let found: Vec<Lanes> = found.map(|lanes| lanes.unwrap_or(Lanes::One)).collect();
    for (op, lanes) in program.ops.iter_mut().zip(found) {
        op.lanes = lanes;
    }
}

/// Invocations that may share what a particle does, if stages before it leave nothing in memory.
pub(super) fn lanes(graph: &Graph, program: &Program, op: &Op) -> Option<Lanes> {
    let node = graph.nodes.get(op.node)?;
    let (Kind::Stage(stage), Some(set)) = (&node.kind, &node.set) else { return None };
    let most = (MOST_INVOCATIONS / set.capacity.max(1)).clamp(1, MOST_LANES);
    let (rows, dim) = (1 << most.ilog2(), graph.dim(node));
    let shared = || stage.with_shared_loop(stage.unrolled(dim), dim, rows).is_some();
    if !only_adds(graph, program, op, stage) {
        return None;
    }
    let few = |components: &u32| components.saturating_mul(set.capacity) <= MOST_OF_COMPONENTS;
    let components = || components(program, op, stage).filter(few);
    // A text that is edited keeps its loops, which a driver compiles sooner.
    (!op.edited && rows > 1 && shared()).then_some(Lanes::Rows(rows)).or_else(|| components().map(Lanes::Components))
}

/// Components of the vectors that an operation adds in a loop, if it adds to one grid.
fn components(program: &Program, op: &Op, stage: &Stage) -> Option<u32> {
    let mut writes = op.writes.iter().filter(|write| write.stage == OWN);
    let (Some(write), None) = (writes.next(), writes.next()) else { return None };
    let port = stage.outputs().nth(write.port).filter(|port| matches!(port.scatter, Some(Scatter::Sum(_))))?;
    let value = program.values.get(write.value)?;
    let count = value.ty.value().components(value.dim);
    let vectors = value.ty != WireType::FaceGrid && (2..=4).contains(&count);
    let repeats = stage.repeatable() && !stage.names("workgroup");
    (vectors && repeats && stage.calls_in_loop(&format!("add_{}", port.name))).then_some(count)
}

/// Whether all that an operation's own stage leaves in memory is what its particles add to grids, in any order.
fn only_adds(graph: &Graph, program: &Program, op: &Op, stage: &Stage) -> bool {
    let extreme = |write: &Write| {
        let port = stage.outputs().nth(write.port);
        let any_order = port.is_some_and(|port| matches!(port.scatter, Some(Scatter::Min | Scatter::Max)));
        write.part == Part::Whole && any_order
    };
    // What a sum of whole numbers was before numbers what is added.
    let adds = |write: &Write| extreme(write) || query::adds_fixed(graph, program, op, write);
    let plain = matches!(op.task, Task::Stage) && op.shape.is_none() && op.sweeps == 1 && op.gate.is_none();
    let particles = stage.source() == IterationSource::Particles
        && stage.set().is_some_and(|set| !matches!(set.change, Change::Emit(_) | Change::Filter));
    let listed = bins::table(op).is_some() || op.reads.iter().any(|read| read.part == Part::Start);
    plain && particles && !listed && op.writes.iter().filter(|write| write.stage == OWN).all(adds)
}
