//! Failures that tests ask for.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts allocations down to the one that is to fail; zero where none is.
#[derive(Debug, Default)]
pub struct Injected(AtomicU64);

impl Injected {
    /// The `nth` allocation from now is to fail, the next one with 1.
    pub fn set(&self, nth: u64) {
        self.0.store(nth, Ordering::Relaxed);
    }

    /// Whether an allocation is still to fail.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Whether the allocation that is about to be made fails.
    pub fn falls_due(&self) -> bool {
        let count_down = |left: u64| left.checked_sub(1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count_down) == Ok(1)
    }
}
