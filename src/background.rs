//! Work on a thread of its own, with progress that others read, cancelling, and a result.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::cancel::Cancel;
use crate::threads;

/// Shortest time between two calls of `wake`: often enough for a progress bar.
const INTERVAL: Duration = Duration::from_millis(50);
/// How long to wait for cancelled work when it is dropped. What is not finished by then ends with the process.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);

/// How the work ended.
#[derive(Debug)]
pub enum Ended<P, E> {
    /// All of it is done.
    Complete(P),
    /// The user cancelled; what is done remains.
    Cancelled(P),
    /// An error ended it; what is done remains.
    Failed(E),
}

/// Running work. Dropping it cancels the work.
pub struct Background<P, E> {
    shared: Arc<Mutex<Shared<P, E>>>,
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
}

struct Shared<P, E> {
    progress: P,
    ended: Option<Ended<P, E>>,
}

/// What the work tells, and hears.
pub struct Reports<P, E> {
    shared: Arc<Mutex<Shared<P, E>>>,
    /// Whether the work was cancelled.
    pub cancel: Cancel,
    wake: Box<dyn Fn() + Send>,
    told: Instant,
}

impl<P: Copy + Default + Send + 'static, E: Send + 'static> Background<P, E> {
    /// Starts the work. `wake` is called on its thread when there is new progress, and at the end.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(
        name: &str,
        wake: impl Fn() + Send + 'static,
        work: impl FnOnce(&mut Reports<P, E>) -> Ended<P, E> + Send + 'static,
    ) -> io::Result<Background<P, E>> {
        let shared = Arc::new(Mutex::new(Shared { progress: P::default(), ended: None }));
        let cancel = Cancel::default();
        let mut reports =
            Reports { shared: shared.clone(), cancel: cancel.clone(), wake: Box::new(wake), told: Instant::now() };
        let run = move || {
            let ended = work(&mut reports);
            lock(&reports.shared).ended = Some(ended);
            (reports.wake)();
        };
        let thread = std::thread::Builder::new().name(name.into()).spawn(run)?;
        Ok(Background { shared, cancel, thread: Some(thread) })
    }

    /// The present progress.
    pub fn progress(&self) -> P {
        lock(&self.shared).progress
    }

    /// Asks the work to end.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// The result, returned once. `died` is the error of work that ended without one, by a panic.
    pub fn ended(&mut self, died: E) -> Option<Ended<P, E>> {
        let finished = self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        let ended = lock(&self.shared).ended.take();
        if ended.is_some() {
            self.thread.take();
            return ended;
        }
        (finished && self.thread.take().is_some()).then_some(Ended::Failed(died))
    }
}

impl<P: Copy, E> Reports<P, E> {
    /// Tells the progress. Returns whether to continue.
    pub fn tell(&mut self, progress: P) -> bool {
        lock(&self.shared).progress = progress;
        if self.told.elapsed() > INTERVAL {
            self.told = Instant::now();
            (self.wake)();
        }
        !self.cancel.is_cancelled()
    }

    /// What was told last.
    pub fn progress(&self) -> P {
        lock(&self.shared).progress
    }
}

impl<P, E> Drop for Background<P, E> {
    fn drop(&mut self) {
        self.cancel.cancel();
        if let Some(thread) = self.thread.take() {
            threads::join_within(thread, CANCEL_TIMEOUT);
        }
    }
}

/// A thread that panicked while it held the lock left the data consistent.
fn lock<P, E>(shared: &Mutex<Shared<P, E>>) -> MutexGuard<'_, Shared<P, E>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
