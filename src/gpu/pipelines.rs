//! Pipelines by the content of their kernel, kept for the next plan. [`super::compile`] makes them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::driver::Making;
use crate::plan::Kernel;
use crate::problem::Problem;

/// A kernel made ready for the device.
#[derive(Debug)]
pub struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
}

/// Every pipeline of a device.
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
    /// What some thread is making, since when, perhaps for somebody who no longer waits.
    pub making: HashMap<Key, Instant>,
    /// What went wrong, until it is asked for again.
    pub failed: HashMap<Key, Problem>,
}

impl State {
    /// What has neither a pipeline nor a problem yet.
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
    /// A thread that panicked has left nothing half done behind the lock.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All that a pipeline depends on. The text itself, not a hash of it: no collision to think about.
pub(super) type Key = (String, Vec<bool>, u32, bool, bool);

pub(super) fn key(kernel: &Kernel) -> Key {
    let writes = kernel.bindings.iter().map(|b| b.writes).collect();
    (kernel.wgsl.clone(), writes, kernel.uniform_bytes, kernel.finite, kernel.in_bounds)
}

impl Pipelines {
    /// How many are known.
    pub fn count(&self) -> usize {
        self.0.lock().known.len()
    }

    /// Those not known yet, the longest text first. What went wrong with them before is forgotten.
    pub(super) fn missing<'a>(&self, kernels: impl Iterator<Item = (&'a Kernel, &'a Key)>) -> VecDeque<(Key, Kernel)> {
        let mut state = self.0.lock();
        let mut missing: Vec<(Key, Kernel)> = Vec::new();
        for (kernel, key) in kernels {
            state.failed.remove(key);
            if !state.known.contains_key(key) && missing.iter().all(|(known, _)| known != key) {
                missing.push((key.clone(), kernel.clone()));
            }
        }
        missing.sort_by_key(|(_, kernel)| std::cmp::Reverse(kernel.wgsl.len()));
        missing.into()
    }
}
