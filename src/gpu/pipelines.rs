//! Pipelines by the content of their kernel, kept for the next plan. [`super::compile`] makes them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::driver::Making;
use crate::plan::Kernel;
use crate::problem::Problem;

/// A kernel compiled for the device.
#[derive(Debug)]
pub struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
}

/// All pipelines of a device.
#[derive(Debug, Default)]
pub struct Pipelines(pub(super) Arc<Shared>);

#[derive(Debug, Default)]
pub(super) struct Shared {
    pub state: Mutex<State>,
    pub changed: Condvar,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub known: HashMap<Key, Arc<Pipeline>>,
    /// Pipelines that threads are making, with their start times. The caller may have cancelled meanwhile.
    pub making: HashMap<Key, Instant>,
    /// Errors, until the pipeline is requested again.
    pub failed: HashMap<Key, Problem>,
}

impl State {
    /// The nodes without a pipeline or an error yet.
    pub fn open<'n>(&self, nodes: &'n [(Key, Vec<String>)]) -> impl Iterator<Item = &'n (Key, Vec<String>)> {
        nodes.iter().filter(|(key, _)| !self.known.contains_key(key) && !self.failed.contains_key(key))
    }

    pub fn progress(&self, nodes: &[(Key, Vec<String>)]) -> Making {
        let longest = self.open(nodes).filter_map(|(key, node)| Some((self.making.get(key)?, node))).min();
        Making {
            done: nodes.len() - self.open(nodes).count(),
            total: nodes.len(),
            nodes: longest.map_or_else(Vec::new, |(_, nodes)| nodes.clone()),
            took: longest.map_or(Duration::ZERO, |(since, _)| since.elapsed()),
        }
    }
}

impl Shared {
    /// A thread that panicked while it held the lock left the state consistent.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Everything that a pipeline depends on: the text itself rather than a hash of it, so there are no collisions.
pub(super) type Key = (String, Vec<bool>, u32, bool, bool);

pub(super) fn key(kernel: &Kernel) -> Key {
    let writes = kernel.bindings.iter().map(|b| b.writes).collect();
    (kernel.wgsl.clone(), writes, kernel.uniform_bytes, kernel.finite, kernel.in_bounds)
}

impl Pipelines {
    /// Number of finished pipelines.
    pub fn count(&self) -> usize {
        self.0.lock().known.len()
    }

    /// Those that are missing, the longest text first. Earlier errors of these kernels are cleared.
    pub(super) fn missing(&self, kernels: &[Kernel], keys: &[Key]) -> VecDeque<(Key, Kernel)> {
        let mut state = self.0.lock();
        let mut missing: Vec<(Key, Kernel)> = Vec::new();
        for (key, kernel) in keys.iter().zip(kernels) {
            state.failed.remove(key);
            if !state.known.contains_key(key) && missing.iter().all(|(known, _)| known != key) {
                missing.push((key.clone(), kernel.clone()));
            }
        }
        missing.sort_by_key(|(_, kernel)| std::cmp::Reverse(kernel.wgsl.len()));
        missing.into()
    }
}
