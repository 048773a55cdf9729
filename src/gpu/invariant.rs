//! When the dispatches that give the same in every frame have to run.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::plan::{BufferId, KernelId, Plan};

/// What the invariant dispatches of a plan depend on, and what it was when they last ran.
pub struct InvariantInputs {
    /// Their uniform blocks, as bytes of the uniform buffer.
    blocks: Vec<Range<usize>>,
    /// Buffers that they read or write.
    buffers: BTreeSet<BufferId>,
    /// What the blocks said; `None` when they have to run in any case.
    told: Option<Vec<u8>>,
}

impl InvariantInputs {
    pub fn new(plan: &Plan) -> InvariantInputs {
        let starts: BTreeSet<(u32, KernelId)> = plan.invariant.iter().map(|d| (d.uniform, d.kernel)).collect();
        let block = |(start, kernel): (u32, KernelId)| {
            let bytes = plan.kernels.get(kernel)?.uniform_bytes;
            Some(start as usize..(start + bytes) as usize)
        };
        let blocks = starts.into_iter().filter_map(block).collect();
        let buffers = plan.invariant.iter().flat_map(|d| d.buffers.iter().copied()).collect();
        InvariantInputs { blocks, buffers, told: None }
    }

    /// They have to run again, whatever their parameters say.
    pub fn forget(&mut self) {
        self.told = None;
    }

    /// Somebody has changed a buffer.
    pub fn changed(&mut self, buffer: BufferId) {
        if self.buffers.contains(&buffer) {
            self.forget();
        }
    }

    /// Whether they have to run before a frame with these uniforms; if so, the caller runs them. Comparing the blocks finds every
    /// change of a parameter, by whatever way it came.
    pub fn due(&mut self, uniforms: &[u8]) -> bool {
        if self.buffers.is_empty() {
            return false;
        }
        let says = || self.blocks.iter().filter_map(|block| uniforms.get(block.clone())).flatten().copied();
        if self.told.as_ref().is_some_and(|told| told.iter().copied().eq(says())) {
            return false;
        }
        self.told = Some(says().collect());
        true
    }
}
