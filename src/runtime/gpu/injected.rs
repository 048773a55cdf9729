//! Allocation failures that tests inject.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts down to the allocation that fails; zero where none does.
#[derive(Debug, Default)]
pub(super) struct Injected(AtomicU64);

impl Injected {
    /// Makes the `nth` allocation from now fail; 1 is the next one.
    pub(super) fn set(&self, nth: u64) {
        self.0.store(nth, Ordering::Relaxed);
    }

    /// Whether a failure is still pending.
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Counts an allocation. Returns whether it fails.
    pub(super) fn falls_due(&self) -> bool {
        let count_down = |left: u64| left.checked_sub(1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count_down) == Ok(1)
    }
}
