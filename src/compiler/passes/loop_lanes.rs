//! Particles that go through rows of an image each, such as spheres through the pixels that they cover: several invocations share the loop over
//! rows. There are seldom as many particles as a GPU has lanes, and the lanes of a large one are not waited for by those of small ones. What is
//! added is the same, and the order of sums in fixed point and of extremes doesn't matter, so the result has the same bits. A single loop over
//! a few pixels stays: what stands before it would take longer than it does (docs/performance.md).

use crate::graph::{Graph, Kind};
use crate::ir::{OWN, Op, Part, Program, Task, Write, bins, query};
use crate::stage::header::{Change, Scatter};
use crate::stage::{IterationSource, Stage};

/// Limit of invocations for a particle: each repeats what stands before the loop.
const MOST_LANES: u32 = 8;
/// Limit of invocations in all, some times as many as a large GPU runs at once.
const MOST_INVOCATIONS: u32 = 1 << 21;

/// Has several invocations share the loops of particles.
pub(super) fn assign(graph: &Graph, program: &mut Program) {
    if program.versions {
        return;
    }
    // What stages before it store, every invocation would.
    let alone = |op: &&Op| op.writes.iter().all(|write| write.stage == OWN || write.transient);
    let found = program.ops.iter().map(|op| Some(op).filter(alone).and_then(|op| lanes(graph, program, op)));
    let found: Vec<u32> = found.map(|lanes| lanes.unwrap_or(1)).collect();
    for (op, lanes) in program.ops.iter_mut().zip(found) {
        op.lanes = lanes;
    }
}

/// Invocations that may share the loop of a particle, if stages before it leave nothing in memory.
pub(super) fn lanes(graph: &Graph, program: &Program, op: &Op) -> Option<u32> {
    let node = graph.nodes.get(op.node)?;
    let (Kind::Stage(stage), Some(set)) = (&node.kind, &node.set) else { return None };
    let most = (MOST_INVOCATIONS / set.capacity.max(1)).clamp(1, MOST_LANES);
    let (lanes, dim) = (1 << most.ilog2(), graph.dim(node));
    let shared = || stage.with_shared_loop(stage.unrolled(dim), dim, lanes).is_some();
    (lanes > 1 && only_adds(graph, program, op, stage) && shared()).then_some(lanes)
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
    let plain =
        matches!(op.task, Task::Stage) && !op.edited && op.shape.is_none() && op.sweeps == 1 && op.gate.is_none();
    let particles = stage.source() == IterationSource::Particles
        && stage.set().is_some_and(|set| !matches!(set.change, Change::Emit(_) | Change::Filter));
    let listed = bins::table(op).is_some() || op.reads.iter().any(|read| read.part == Part::Start);
    plain && particles && !listed && op.writes.iter().filter(|write| write.stage == OWN).all(adds)
}
