//! A request to stop, shared between the code that works and the code that no longer wants the result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Clones share one flag. Long work checks it between its steps and ends early once it is set.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to stop. This cannot be undone.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Options that differ only in who may cancel the work give the same result.
impl PartialEq for Cancel {
    fn eq(&self, _: &Cancel) -> bool {
        true
    }
}
