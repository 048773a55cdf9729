//! A plan's part: what one node does, to be timed by itself.

use crate::plan::data::{Dispatch, Plan};
use std::collections::BTreeMap;

impl Plan {
    /// The frame's dispatches of a node and the memory that they need, and nothing else. It runs, on memory that nobody has
    /// filled.
    pub fn only(&self, node: &str) -> Plan {
        let mut frame: Vec<Dispatch> = self.frame.iter().filter(|d| d.node == node).cloned().collect();
        let mut used: Vec<usize> = frame.iter().flat_map(|d| d.buffers.iter().copied()).collect();
        used.sort_unstable();
        used.dedup();
        let place: BTreeMap<usize, usize> = used.iter().enumerate().map(|(new, old)| (*old, new)).collect();
        let moved = |buffer: &usize| place.get(buffer).copied().unwrap_or_default();
        for dispatch in &mut frame {
            dispatch.buffers = dispatch.buffers.iter().map(moved).collect();
            // Nothing lives in memory that nobody has filled.
            dispatch.indirect = None;
        }
        let buffers: Vec<_> = used.iter().filter_map(|b| self.buffers.get(*b)).cloned().collect();
        let memory = buffers.iter().map(|b| b.bytes).sum();
        Plan {
            frame,
            buffers,
            memory,
            reset: Vec::new(),
            still: Vec::new(),
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
