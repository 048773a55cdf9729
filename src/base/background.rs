//! Work on a thread of its own: `answer` gives one result, [`Background`] has progress that others read, and a result;
//! [`Worker`] sends messages.

use std::io;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::cancel::Cancel;
use crate::threads;

/// Shortest time between two calls of `wake`: often enough for a progress bar.
const INTERVAL: Duration = Duration::from_millis(50);
/// How long to wait for cancelled work when it is dropped. What is not finished by then ends with the process.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);
/// How long to wait for work that sends messages when it is dropped.
const WORKER_TIMEOUT: Duration = Duration::from_secs(1);

/// Starts work that gives one answer, and calls `wake` when it is there. Nobody waits for the work: where the receiver is
/// gone, its answer is dropped. Where no thread can be started, the channel is closed.
pub fn answer<T: Send + 'static>(
    name: &str,
    wake: impl FnOnce() + Send + 'static,
    work: impl FnOnce() -> T + Send + 'static,
) -> Receiver<T> {
    let (sender, answer) = channel();
    let run = move || {
        let _ = sender.send(work());
        wake();
    };
    drop(threads::spawn(name, run));
    answer
}

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
    last_wake: Instant,
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
            Reports { shared: shared.clone(), cancel: cancel.clone(), wake: Box::new(wake), last_wake: Instant::now() };
        let run = move || {
            let ended = work(&mut reports);
            lock(&reports.shared).ended = Some(ended);
            (reports.wake)();
        };
        let thread = threads::spawn(name, run)?;
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
        if self.last_wake.elapsed() > INTERVAL {
            self.last_wake = Instant::now();
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

/// Work on a thread with a deep stack that sends messages. Dropping it cancels the work and waits a moment for its end, so that it does not
/// outlive the device of a window; what takes longer is in the driver, and is left behind.
pub struct Worker<T> {
    messages: Receiver<T>,
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
}

/// How work sends messages, and hears.
pub struct Outbox<T> {
    messages: Sender<T>,
    /// Whether the work was cancelled.
    pub cancel: Cancel,
    wake: Box<dyn Fn() + Send>,
}

/// The work has ended, or could not be started: there are no more messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Over;

impl<T: Send + 'static> Worker<T> {
    /// Starts the work. `wake` is called on its thread with each message. Without a thread, the work is [`Over`] at once.
    pub fn start(
        name: &str,
        wake: impl Fn() + Send + 'static,
        work: impl FnOnce(&Outbox<T>) + Send + 'static,
    ) -> Worker<T> {
        let ((sender, messages), cancel) = (channel(), Cancel::default());
        let outbox = Outbox { messages: sender, cancel: cancel.clone(), wake: Box::new(wake) };
        let thread = threads::spawn(name, move || work(&outbox)).ok();
        Worker { messages, cancel, thread }
    }

    /// The next message, if there is one.
    ///
    /// # Errors
    /// The sender will send no more.
    pub fn next(&self) -> Result<Option<T>, Over> {
        match self.messages.try_recv() {
            Ok(message) => Ok(Some(message)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(Over),
        }
    }

    /// Asks the work to end.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Whether the worker's thread has ended, and has freed what nobody took.
    pub fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

impl<T> Outbox<T> {
    /// Sends a message.
    pub fn send(&self, message: T) {
        // The receiver is gone when nobody wants it any more.
        let _ = self.messages.send(message);
        self.wake();
    }

    /// Tells that there is news elsewhere.
    pub fn wake(&self) {
        (self.wake)();
    }
}

impl<T> Drop for Worker<T> {
    fn drop(&mut self) {
        self.cancel.cancel();
        if let Some(thread) = self.thread.take() {
            threads::join_within(thread, WORKER_TIMEOUT);
        }
    }
}

/// A thread that panicked while it held the lock left the data consistent.
fn lock<P, E>(shared: &Mutex<Shared<P, E>>) -> MutexGuard<'_, Shared<P, E>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
