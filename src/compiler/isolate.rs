//! A part of a plan: the work of one node, to be timed separately.

use crate::arena::Arena;
use crate::data::{Buffer, BufferId, Dispatch, Plan};
use std::collections::BTreeMap;

impl Plan {
    /// Only the frame's dispatches of a node, and the memory that they need. It runs on uninitialised memory.
    pub fn only(&self, node: &str) -> Plan {
        let mut frame: Vec<Dispatch> = self.frame.iter().filter(|d| d.node == node).cloned().collect();
        let mut used: Vec<BufferId> = frame.iter().flat_map(|d| d.buffers.iter().copied()).collect();
        used.sort_unstable();
        used.dedup();
        let mut buffers = Arena::<Buffer>::default();
        let kept = used.into_iter().filter_map(|old| Some((old, buffers.push(self.buffers.get(old)?.clone()))));
        let place: BTreeMap<BufferId, BufferId> = kept.collect();
        for dispatch in &mut frame {
            dispatch.buffers = dispatch.buffers.iter().filter_map(|buffer| place.get(buffer).copied()).collect();
            // Uninitialised memory has no valid counts.
            dispatch.indirect = None;
        }
        let memory = buffers.iter().map(|b| b.bytes).sum();
        Plan {
            frame,
            buffers,
            memory,
            reset: Vec::new(),
            invariant: Vec::new(),
            swaps: Vec::new(),
            states: Vec::new(),
            wires: BTreeMap::new(),
            outputs: Vec::new(),
            watches: Vec::new(),
            files: Vec::new(),
            ..self.clone()
        }
    }
}
