//! Pipelines by the content of their kernel, kept for the next plan. [`super::compile`] makes them.
//!
//! Each edit of a stage's text makes a pipeline that may never be used again, so only the most recently used ones are
//! kept. An engine holds references to its own.
//!
//! A plan can be prepared that does not run yet: the next plan finds the pipelines of all kernels that it shares with it. The editor prepares
//! the plan in which the nodes of an opened text are kept apart, so that an edit compiles their kernels alone.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;

use super::driver::Making;
use crate::plan::Kernel;
use crate::problem::Problem;

/// A kernel compiled for the device.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
}

/// All pipelines of a device.
#[derive(Debug)]
pub(crate) struct Pipelines(pub(super) Arc<Shared>);

#[derive(Debug)]
pub(super) struct Shared {
    pub state: Mutex<State>,
    pub changed: Condvar,
    /// Limit of pipelines that are kept beside those of the last plan.
    idle: usize,
}

/// Limit of idle pipelines on a GPU: enough for several graphs, so that undoing an edit compiles nothing.
const IDLE: usize = 256;
/// Mesa's software driver holds some 50 MB for each pipeline.
const IDLE_SOFTWARE: usize = 32;
/// Limit of errors that are kept.
const MAX_FAILED: usize = 64;

#[derive(Debug)]
pub(super) struct State {
    pub cached: LruCache<Key, Arc<Pipeline>>,
    /// Pipelines that threads are making, with their start times. The caller may have cancelled meanwhile.
    pub making: HashMap<Key, Instant>,
    /// Errors, until the pipeline is requested again.
    pub failed: HashMap<Key, Problem>,
    /// Requests that have not collected their pipelines yet.
    waiting: usize,
}

impl Default for State {
    fn default() -> State {
        State { cached: LruCache::unbounded(), making: HashMap::new(), failed: HashMap::new(), waiting: 0 }
    }
}

impl State {
    /// The nodes without a pipeline or an error yet.
    pub(super) fn open<'n>(&self, nodes: &'n [(Key, Vec<String>)]) -> impl Iterator<Item = &'n (Key, Vec<String>)> {
        nodes.iter().filter(|(key, _)| !self.cached.contains(key) && !self.failed.contains_key(key))
    }

    pub(super) fn progress(&self, nodes: &[(Key, Vec<String>)]) -> Making {
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
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request for the pipelines of a plan. While there is one, nothing is removed.
pub(super) struct Waiting {
    shared: Arc<Shared>,
    /// Kernels of the plan.
    wanted: usize,
}

impl Waiting {
    pub(super) fn begin(shared: &Arc<Shared>, wanted: usize) -> Waiting {
        shared.lock().waiting += 1;
        Waiting { shared: shared.clone(), wanted }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.waiting -= 1;
        if state.waiting > 0 {
            return;
        }
        while state.cached.len() > self.wanted + self.shared.idle {
            state.cached.pop_lru();
        }
        if state.failed.len() > MAX_FAILED {
            state.failed.clear();
        }
    }
}

/// Everything that a pipeline depends on: the text itself beside its hash, so there are no collisions. Texts are long and keys are looked up
/// often, so the hash is computed once.
#[derive(Clone, Debug)]
pub(super) struct Key {
    hash: u64,
    content: Arc<Content>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Content {
    wgsl: String,
    /// Whether the kernel writes, by binding.
    writes: Vec<bool>,
    uniform_bytes: u32,
    finite: bool,
    in_bounds: bool,
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.hash == other.hash && (Arc::ptr_eq(&self.content, &other.content) || self.content == other.content)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

pub(super) fn key(kernel: &Kernel) -> Key {
    let content = Content {
        wgsl: kernel.wgsl.clone(),
        writes: kernel.bindings.iter().map(|b| b.writes).collect(),
        uniform_bytes: kernel.uniform_bytes,
        finite: kernel.finite,
        in_bounds: kernel.in_bounds,
    };
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    Key { hash: hasher.finish(), content: Arc::new(content) }
}

impl Pipelines {
    /// The pipelines of a device that is a software (CPU) adapter or not.
    pub(super) fn new(software: bool) -> Pipelines {
        let idle = if software { IDLE_SOFTWARE } else { IDLE };
        Pipelines(Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), idle }))
    }

    /// Number of finished pipelines.
    pub(crate) fn count(&self) -> usize {
        self.0.lock().cached.len()
    }

    /// Kernels without a pipeline, the longest text first. Earlier errors of these kernels are cleared.
    pub(super) fn missing<'a>(&self, kernels: impl Iterator<Item = (&'a Kernel, &'a Key)>) -> VecDeque<(Key, Kernel)> {
        let mut state = self.0.lock();
        let mut missing: Vec<(Key, Kernel)> = Vec::new();
        for (kernel, key) in kernels {
            state.failed.remove(key);
            if !state.cached.contains(key) && missing.iter().all(|(queued, _)| queued != key) {
                missing.push((key.clone(), kernel.clone()));
            }
        }
        missing.sort_by_key(|(_, kernel)| std::cmp::Reverse(kernel.wgsl.len()));
        missing.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::gpu::{Gpu, GpuOptions};
    use crate::graph::Graph;
    use crate::library::Library;
    use crate::plan::{Keep, Plan, PlanOptions};

    /// A plan of stages that differ by a constant each.
    fn plan(constants: std::ops::Range<usize>) -> Plan {
        let stage = |k: usize| {
            format!(
                r##""n{k}": (custom: r#"//! Constant
                //! @over once
                //! @out value: f32   A number
                fn stage() -> f32 {{ return {k}.0; }}"#),"##
            )
        };
        let nodes: String = constants.map(stage).collect();
        let document = Document::parse(&format!("(version: 1, nodes: {{ {nodes} }})")).unwrap();
        let graph = Graph::build(&document, Library::builtin()).unwrap();
        Plan::compile(&graph, &PlanOptions { keep: Keep::All, ..PlanOptions::default() }).unwrap()
    }

    #[test]
    fn what_was_used_last_is_kept_and_a_large_plan_is_kept_whole() {
        let gpu = Gpu::new(&GpuOptions::default()).unwrap();
        let kept = |plan: &Plan| {
            let keys: Vec<Key> = plan.kernels.iter().map(key).collect();
            keys.len() - gpu.pipelines.missing(plan.kernels.iter().zip(&keys)).len()
        };
        let idle = gpu.pipelines.0.idle;
        let (small, large) = (plan(0..10), plan(10..20 + idle));
        gpu.prepare(&small).unwrap();
        assert_eq!(kept(&small), 10);
        gpu.prepare(&large).unwrap();
        assert_eq!((kept(&small), kept(&large)), (10, idle + 10), "the plan of before is idle");
        // In use again, so that the large plan is idle: more than are kept.
        gpu.prepare(&small).unwrap();
        assert_eq!((kept(&small), kept(&large), gpu.pipelines.count()), (10, idle, idle + 10));
    }
}
