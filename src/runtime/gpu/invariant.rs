//! Decides when the invariant dispatches of a plan have to run: at the start, and when their uniform words have changed or a State that they
//! read was set. Bytes are compared instead of causes tracked, so no setter can be forgotten.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::plan::{BufferId, KernelId, Plan};

/// What the invariant dispatches depend on, and its values when they last ran.
pub(super) struct InvariantInputs {
    /// Uniform blocks of the dispatches, as byte ranges of the uniform buffer.
    blocks: Vec<Range<usize>>,
    /// Buffers that they read or write.
    buffers: BTreeSet<BufferId>,
    /// The contents of the blocks at the last run; `None` when the dispatches have to run in any case.
    last: Option<Vec<u8>>,
}

impl InvariantInputs {
    pub(super) fn new(plan: &Plan) -> InvariantInputs {
        let starts: BTreeSet<(u32, KernelId)> = plan.invariant.iter().map(|d| (d.uniform, d.kernel)).collect();
        let block = |(start, kernel): (u32, KernelId)| {
            let bytes = plan.kernels.get(kernel)?.uniform_bytes;
            Some(start as usize..(start + bytes) as usize)
        };
        let blocks = starts.into_iter().filter_map(block).collect();
        let buffers = plan.invariant.iter().flat_map(|d| d.buffers.iter().copied()).collect();
        InvariantInputs { blocks, buffers, last: None }
    }

    /// Makes them run again, whatever their parameters are.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }

    /// Call this when a buffer was changed from outside.
    pub(super) fn changed(&mut self, buffer: BufferId) {
        if self.buffers.contains(&buffer) {
            self.forget();
        }
    }

    /// Whether the invariant dispatches have to run before a frame with these uniforms; the caller then runs them.
    /// Comparing the blocks detects every change of a parameter, whatever caused it.
    pub(super) fn due(&mut self, uniforms: &[u8]) -> bool {
        if self.buffers.is_empty() {
            return false;
        }
        let current = || self.blocks.iter().filter_map(|block| uniforms.get(block.clone())).flatten().copied();
        if self.last.as_ref().is_some_and(|last| last.iter().copied().eq(current())) {
            return false;
        }
        self.last = Some(current().collect());
        true
    }
}
