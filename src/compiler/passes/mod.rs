//! Rewrites of a program, one file a pass, run in the order of one list.

mod active_blocks;
pub(super) mod allocate;
mod attribute_packing;
mod block_marks;
mod block_pool;
mod cse;
mod dense_vectors;
mod dither_halves;
pub(super) mod early_exit;
mod fill_fusion;
mod fusion;
mod hoist_invariant;
mod lanes;
mod neighbor_cache;
mod one_workgroup;
mod peephole;
mod scatter_fusion;
mod scatter_tiles;
mod schedule;
mod shared_memory_tiles;
mod temporal_blocking;
mod vectorize;
mod workgroup_shapes;

use std::collections::BTreeSet;

use super::ir::{Program, bindings};
use super::tuning::{DefaultTuning, Tuning};
use crate::graph::{Graph, NodeId};
use crate::problem::Problems;

/// What all passes of a compilation share.
pub(super) struct Context<'a> {
    pub graph: &'a Graph,
    pub tuning: &'a Tuning,
    /// Whether to compute what does not change from frame to frame only once.
    pub hoist: bool,
    /// What the plan may take \[bytes\].
    pub memory: u64,
    /// Whether grids are in pools of blocks wherever they can be.
    pub pools: bool,
}

impl Context<'_> {
    fn on_gpu(&self) -> bool {
        self.tuning.defaults == DefaultTuning::Gpu
    }

    /// Buffers that a kernel may bind beyond those that fusion may use, up to `most` where the adapter has them: a cache and a pack, for which
    /// large kernels would have no room.
    fn spare(&self, program: &Program, most: usize) -> usize {
        (self.tuning.joined_buffers as usize).saturating_sub(program.buffer_budget).min(most)
    }
}

/// The purpose of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Fewer operations, none joined.
    Simplify,
    /// How single operations run: sweeps on tiles, inputs in workgroup memory.
    Tile,
    /// Several operations in one dispatch.
    Fuse,
    /// Several cells in one invocation.
    Vectorize,
    /// The order, and what depends on it.
    Order,
    /// How values lie in memory.
    Store,
    /// Several dispatches in one.
    Launch,
}

impl Phase {
    pub(super) fn name(self) -> &'static str {
        match self {
            Phase::Simplify => "simplify",
            Phase::Tile => "tile",
            Phase::Fuse => "fuse",
            Phase::Vectorize => "vectorize",
            Phase::Order => "order",
            Phase::Store => "store",
            Phase::Launch => "launch",
        }
    }
}

type Rewrite = fn(&Context, &mut Program) -> Result<(), Problems>;

/// The programs that a pass rewrites, and how.
#[derive(Clone, Copy)]
pub(super) enum Runs {
    Frame(Rewrite),
    /// Rewrites the frame and the reset, each by itself.
    Each(Rewrite),
    /// Rewrites the frame and the reset together.
    Both(fn(&Context, &mut Program, &mut Program)),
}

pub(super) struct Pass {
    pub name: &'static str,
    pub phase: Phase,
    /// What the pass does to operations, in the past tense, for reports.
    pub verb: &'static str,
    /// Why the pass runs at this position.
    pub place: &'static str,
    pub when: fn(&Context) -> bool,
    pub runs: Runs,
}

impl Pass {
    /// Rewrites the programs of a frame and of a reset.
    ///
    /// # Errors
    /// What a pass refuses.
    pub(super) fn run(&self, with: &Context, frame: &mut Program, reset: &mut Program) -> Result<(), Problems> {
        match self.runs {
            Runs::Frame(rewrite) => rewrite(with, frame),
            Runs::Each(rewrite) => {
                rewrite(with, frame)?;
                rewrite(with, reset)
            }
            Runs::Both(rewrite) => {
                rewrite(with, frame, reset);
                Ok(())
            }
        }
    }

    /// Whether plans are valid without the pass, so that it can be left out for comparison.
    pub(super) fn is_optional(&self) -> bool {
        matches!(self.phase, Phase::Fuse | Phase::Store | Phase::Launch)
    }

    /// Whether a compilation leaves the pass out ([`Tuning::without`]).
    pub(super) fn is_left_out(&self, tuning: &Tuning) -> bool {
        self.is_optional() && tuning.without.iter().any(|name| name == self.name)
    }
}

fn always(_: &Context) -> bool {
    true
}

fn fuses(with: &Context) -> bool {
    with.tuning.fuse
}

fn packs(with: &Context) -> bool {
    with.tuning.fuse && with.tuning.packs()
}

/// Says which nodes no pass joins with others.
fn note_edited(graph: &Graph, program: &mut Program) {
    let nodes: BTreeSet<NodeId> = program.ops.iter().filter(|op| op.edited).map(|op| op.node).collect();
    let paths = nodes.into_iter().filter_map(|node| graph.nodes.get(node)).map(|node| &node.path);
    program.notes.extend(paths.map(|path| format!("{path}: kept apart while its text is edited")));
}

/// All passes in their order. Memory is allocated after the last one ([`allocate`]).
pub(super) const PASSES: &[Pass] = &[
    Pass {
        name: "hoist_invariant",
        phase: Phase::Simplify,
        verb: "hoisted",
        place: "first: later passes join operations only where both or neither leave the frame",
        when: |with| with.hoist,
        runs: Runs::Frame(|with, program| {
            hoist_invariant::mark(with.graph, program);
            Ok(())
        }),
    },
    Pass {
        name: "dither_halves",
        phase: Phase::Simplify,
        verb: "marked",
        place: "behind hoist_invariant: what is computed once is rounded to the nearest half",
        when: always,
        runs: Runs::Frame(|with, program| {
            dither_halves::mark(with.graph, program, with.hoist);
            Ok(())
        }),
    },
    Pass {
        name: "cse",
        phase: Phase::Simplify,
        verb: "merged",
        place: "before tiling: sweeps are compared one by one, as the graph has them",
        when: fuses,
        runs: Runs::Frame(|with, program| {
            cse::drop_repeats(with.graph, program);
            Ok(())
        }),
    },
    Pass {
        name: "temporal_blocking",
        phase: Phase::Tile,
        verb: "blocked",
        place: "before fusion, because a tile takes producers in where it loads",
        when: always,
        runs: Runs::Frame(|with, program| {
            temporal_blocking::join(with.graph, program, with.tuning);
            Ok(())
        }),
    },
    Pass {
        name: "shared_memory_tiles",
        phase: Phase::Tile,
        verb: "tiled",
        place: "before fusion, which leaves operations with a shape of their own alone",
        when: always,
        runs: Runs::Frame(|with, program| {
            shared_memory_tiles::assign(with.graph, program, with.tuning);
            Ok(())
        }),
    },
    Pass {
        name: "peephole",
        phase: Phase::Fuse,
        verb: "rewrote",
        place: "before fusion: a copy that is gone leaves producer and consumer next to each other",
        when: fuses,
        runs: Runs::Frame(|with, program| {
            peephole::thin(with.graph, program);
            Ok(())
        }),
    },
    Pass {
        name: "buffer_budget",
        phase: Phase::Fuse,
        verb: "measured",
        place: "before anything is fused: a kernel may bind as many buffers as the largest single stage does anyway",
        when: fuses,
        runs: Runs::Frame(|with, program| {
            // In a program with blocks one is left for the table of last frame's.
            let blocks = usize::from(program.ops.iter().any(|op| crate::ir::blocks::table(op).is_some()));
            program.buffer_budget = bindings::budget(program).max(with.tuning.buffers as usize) - blocks;
            Ok(())
        }),
    },
    Pass {
        name: "scatter_fusion",
        phase: Phase::Fuse,
        verb: "fused",
        place: "before fusion: the index that it saves would count as a value that is stored",
        when: fuses,
        runs: Runs::Frame(|with, program| {
            scatter_fusion::join(with.graph, program);
            Ok(())
        }),
    },
    Pass {
        name: "fusion",
        phase: Phase::Fuse,
        verb: "fused",
        place: "after all that makes operations fewer or gives them a shape",
        when: fuses,
        // Stages that add to grids write no packs, so where attributes are packed they are fused later.
        runs: Runs::Frame(|with, program| {
            fusion::fuse(with.graph, program, with.on_gpu(), !with.tuning.packs());
            note_edited(with.graph, program);
            Ok(())
        }),
    },
    Pass {
        name: "neighbor_cache",
        phase: Phase::Fuse,
        verb: "cached",
        place: "after fusion: which searches share a kernel is known, and the cache takes a buffer of what is left",
        when: fuses,
        runs: Runs::Frame(|with, program| {
            let spare = with.spare(program, 1);
            neighbor_cache::keep(with.graph, program, spare);
            Ok(())
        }),
    },
    Pass {
        name: "attribute_packing",
        phase: Phase::Fuse,
        verb: "packed",
        place: "after fusion: only what is still read from memory is worth a pack",
        when: packs,
        runs: Runs::Frame(|with, program| {
            let spare = with.spare(program, 2);
            attribute_packing::pack(with.graph, program, spare);
            Ok(())
        }),
    },
    Pass {
        name: "fusion_after_packing",
        phase: Phase::Fuse,
        verb: "fused",
        place: "after packing: who reads packs has buffers to spare",
        when: packs,
        runs: Runs::Frame(|with, program| {
            fusion::fuse(with.graph, program, with.on_gpu(), true);
            Ok(())
        }),
    },
    Pass {
        name: "scatter_tiles",
        phase: Phase::Fuse,
        verb: "listed particles for",
        place: "after fusion: a kernel that goes by a list takes a buffer of what is left",
        when: packs,
        runs: Runs::Frame(|with, program| {
            scatter_tiles::assign(with.graph, program, with.tuning.binned_capacity);
            Ok(())
        }),
    },
    Pass {
        name: "lanes",
        phase: Phase::Fuse,
        verb: "shared the particles of",
        place: "after scatter_tiles: a kernel that goes by a list has its own invocations",
        when: packs,
        runs: Runs::Frame(|with, program| {
            lanes::assign(with.graph, program);
            Ok(())
        }),
    },
    Pass {
        name: "vectorize",
        phase: Phase::Vectorize,
        verb: "widened",
        place: "after fusion: only a stage by itself is computed in rows of four cells",
        when: always,
        runs: Runs::Frame(|with, program| {
            vectorize::widen(with.graph, program, with.tuning);
            Ok(())
        }),
    },
    Pass {
        name: "half_pairs",
        phase: Phase::Vectorize,
        verb: "paired",
        place: "after vectorize: what has no shape yet and writes numbers that share a word computes both",
        when: always,
        runs: Runs::Each(|with, program| {
            vectorize::pair(with.graph, program);
            Ok(())
        }),
    },
    Pass {
        name: "fill_fusion",
        phase: Phase::Vectorize,
        verb: "joined",
        place: "after all that gives dispatches a shape: only those of one cell an invocation zero grids besides",
        when: fuses,
        runs: Runs::Frame(|with, program| {
            fill_fusion::join(with.graph, program);
            Ok(())
        }),
    },
    Pass {
        name: "block_marks",
        phase: Phase::Vectorize,
        verb: "joined",
        place: "after all that gives dispatches a shape: one cell an invocation marks its block",
        when: fuses,
        runs: Runs::Frame(|with, program| {
            block_marks::join(with.graph, program);
            Ok(())
        }),
    },
    Pass {
        name: "schedule",
        phase: Phase::Order,
        verb: "moved",
        place: "after all that joins operations: readers come before an update in place",
        when: always,
        runs: Runs::Each(|_, program| {
            schedule::schedule(program);
            Ok(())
        }),
    },
    Pass {
        name: "active_blocks",
        phase: Phase::Order,
        verb: "confined",
        place: "after schedule: what an update finds outside its blocks depends on all before it",
        when: always,
        runs: Runs::Each(|with, program| {
            active_blocks::sum(with.graph, program);
            if with.tuning.fuse {
                active_blocks::mark_settled_updates(with.graph, program);
            }
            Ok(())
        }),
    },
    Pass {
        name: "early_exit",
        phase: Phase::Order,
        verb: "gated",
        place: "after scheduling: which copies a repeat that may not run can do without depends on the order",
        when: always,
        runs: Runs::Each(|with, program| {
            early_exit::coalesce(with.graph, program);
            Ok(())
        }),
    },
    Pass {
        name: "block_pool",
        phase: Phase::Store,
        verb: "pooled results of",
        place: "after all that gives dispatches a shape: only those that ask for cells one by one find them in a pool",
        when: fuses,
        runs: Runs::Both(|with, frame, reset| {
            block_pool::assign(with.graph, (with.memory, with.pools && with.on_gpu()), frame, reset)
        }),
    },
    Pass {
        name: "dense_vectors",
        phase: Phase::Store,
        verb: "laid out vectors of",
        place: "after block_pool: only now it is known who reads particles in any order, and which values share memory",
        when: fuses,
        runs: Runs::Both(|with, frame, reset| dense_vectors::assign(with.graph, frame, reset)),
    },
    Pass {
        name: "one_workgroup",
        phase: Phase::Launch,
        verb: "marked",
        place: "after all that moves operations: which stand next to each other, and how much work each is, changes no more",
        when: |with| with.tuning.fuse && with.on_gpu(),
        runs: Runs::Frame(|with, program| {
            one_workgroup::mark(with.graph, program);
            Ok(())
        }),
    },
    Pass {
        name: "workgroup_shapes",
        phase: Phase::Launch,
        verb: "shaped the workgroups of",
        place: "last: it is for what no other pass has given a shape",
        when: |with| with.tuning.fuse && with.on_gpu(),
        runs: Runs::Frame(|with, program| {
            workgroup_shapes::fit(with.graph, program);
            Ok(())
        }),
    },
];
