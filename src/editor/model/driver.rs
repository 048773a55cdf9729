//! The state of the driver's shader compiler, and a way to stop waiting for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::gpu::Making;

/// After this time the window names the node and offers to cancel.
const SLOW: Duration = Duration::from_secs(10);

#[derive(Default)]
struct State {
    making: Option<Making>,
    cancelled: bool,
}

/// Shared by the window and the thread that compiles.
#[derive(Clone, Default)]
pub(crate) struct DriverWatch(Arc<Mutex<State>>);

impl DriverWatch {
    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked has left nothing half done behind the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Progress of the pipelines of the newest plan, while they are being made.
    pub(crate) fn making(&self) -> Option<Making> {
        self.state().making.clone()
    }

    /// Cancels them; the last plan keeps running.
    pub(crate) fn cancel(&self) {
        let mut state = self.state();
        state.cancelled = state.making.is_some();
    }

    /// Notes their progress, or that none are being made. Returns whether they are still needed.
    pub(crate) fn note(&self, making: Option<&Making>) -> bool {
        let mut state = self.state();
        state.making = making.cloned();
        !std::mem::take(&mut state.cancelled)
    }
}

/// The text of the status line.
pub(crate) fn text(making: &Making) -> String {
    match making.took >= SLOW {
        true => format!("The driver has been compiling {} for {} s", making.names(), making.took.as_secs()),
        false => format!("Compiling shaders: {} of {}", making.done, making.total),
    }
}

/// Whether compiling shaders takes so long that it can be cancelled.
pub(crate) fn is_slow(making: &Making) -> bool {
    making.took >= SLOW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_shader_is_named_and_can_be_cancelled_once() {
        let watch = DriverWatch::default();
        let making =
            |seconds| Making { done: 3, total: 12, nodes: vec!["a/b".into()], took: Duration::from_secs(seconds) };
        assert_eq!((text(&making(9)).as_str(), is_slow(&making(9))), ("Compiling shaders: 3 of 12", false));
        assert_eq!(text(&making(12)), "The driver has been compiling a/b for 12 s");
        assert!(is_slow(&making(10)));
        watch.cancel();
        assert!(watch.note(Some(&making(1))), "there was nothing to cancel");
        watch.cancel();
        assert!(!watch.note(Some(&making(2))));
        assert!(watch.note(Some(&making(0))), "the next plan is wanted again");
        assert!(watch.note(None) && watch.making().is_none());
    }
}
