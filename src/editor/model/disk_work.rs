//! Work with a disk on a thread of its own, so that a slow disk does not hold the window.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::background::answer;

/// Most disks read or write a small file in this time. The window waits so long, and then goes on.
pub(crate) const PROMPT: Duration = Duration::from_millis(40);
/// An errand that takes longer is shown.
const SLOW: Duration = Duration::from_secs(1);

/// The result of work on another thread, if a prompt disk has it.
pub(crate) fn quick<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    Errand::start(work).result()?.ok()
}

/// Work on another thread, and its result. The work goes on if this is dropped.
pub(crate) struct Errand<T> {
    since: Instant,
    reported: bool,
    result: Receiver<T>,
}

impl<T: Send + 'static> Errand<T> {
    pub(crate) fn start(work: impl FnOnce() -> T + Send + 'static) -> Errand<T> {
        Errand { since: Instant::now(), reported: false, result: answer("disk", || (), work) }
    }

    /// The result once it is there; waits as long as a prompt disk takes.
    ///
    /// # Errors
    /// The system starts no thread.
    pub(crate) fn result(&self) -> Option<Result<T, &'static str>> {
        match self.result.recv_timeout(PROMPT.saturating_sub(self.since.elapsed())) {
            Ok(result) => Some(Ok(result)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err("the system starts no thread")),
        }
    }

    /// Whether the task takes so long that the user should know; true once.
    pub(crate) fn is_newly_slow(&mut self) -> bool {
        self.since.elapsed() > SLOW && !std::mem::replace(&mut self.reported, true)
    }
}
