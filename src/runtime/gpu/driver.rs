//! Calls into the driver's shader compiler. They cannot be interrupted, so they run on threads that a waiting caller
//! can abandon.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Progress of the pipelines of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Making {
    /// Finished pipelines, out of those that were missing.
    pub done: usize,
    /// Pipelines that were missing.
    pub total: usize,
    /// Paths of the nodes whose shader the driver has been compiling longest, and for how long. Several nodes may share
    /// a shader.
    pub nodes: Vec<String>,
    /// How long the driver has been compiling that shader.
    pub took: Duration,
}

impl Making {
    /// The nodes as a phrase.
    pub fn names(&self) -> String {
        self.nodes.join(" and ")
    }
}

/// Threads inside the driver's compiler, for all devices.
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// Counts a thread while it is inside.
pub(super) struct Inside;

impl Inside {
    pub(super) fn enter() -> Inside {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        Inside
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Threads that make pipelines, for all devices. The last user of a device frees it, and the driver must still be
/// loaded then.
static ALIVE: AtomicUsize = AtomicUsize::new(0);

/// Counts a thread from before it starts until it has freed everything that it holds.
pub(super) struct Alive;

impl Alive {
    pub(super) fn begin() -> Alive {
        ALIVE.fetch_add(1, Ordering::SeqCst);
        Alive
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

pub(super) fn threads_inside() -> usize {
    INSIDE.load(Ordering::SeqCst)
}

/// Waits until no thread makes pipelines. False where one still does after `timeout`: exit handlers would then free
/// what the driver is using, and the process would crash. It has to end without running them.
pub fn wait_for_pipelines(timeout: Duration) -> bool {
    let started = Instant::now();
    while ALIVE.load(Ordering::SeqCst) > 0 || threads_inside() > 0 {
        if started.elapsed() >= timeout {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}
