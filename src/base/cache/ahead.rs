//! Read-ahead: a thread decodes the frames that will be asked for next, so that playing and scrubbing do not wait.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::{Cache, CacheError, Frame};

/// Frames that are read ahead, at most.
const AHEAD: u64 = 16;
/// How long to wait for the thread at the end: it may be reading a frame.
const END: Duration = Duration::from_secs(2);

/// A cache with the frames around the last one in memory.
pub struct ReadAhead {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    cache: Cache,
    /// Memory that frames may take \[bytes\]; one may be larger.
    budget: u64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    held: BTreeMap<u64, Arc<Frame>>,
    /// The frame that was asked for last, and whether the one before it was later.
    at: u64,
    backward: bool,
    /// The frame that the thread is reading.
    reading: Option<u64>,
    /// Frames that can't be read are not read ahead again.
    bad: Option<u64>,
    ended: bool,
}

impl ReadAhead {
    /// Frames in memory take at most `budget` bytes. Without a thread, nothing is read ahead.
    pub fn new(cache: Cache, budget: u64) -> ReadAhead {
        let shared = Shared { cache, budget, state: Mutex::default(), changed: Condvar::new() };
        let shared = Arc::new(shared);
        let theirs = shared.clone();
        let thread = std::thread::Builder::new().name("cache".into()).spawn(move || theirs.run()).ok();
        ReadAhead { shared, thread }
    }

    /// The cache.
    pub fn cache(&self) -> &Cache {
        &self.shared.cache
    }

    /// A frame, from memory or from the disk; those after it are read in the background.
    ///
    /// # Errors
    /// Errors of [`Cache::frame`].
    pub fn frame(&self, frame: u64) -> Result<Arc<Frame>, CacheError> {
        let mut state = self.shared.lock();
        (state.backward, state.at) = (frame < state.at, frame);
        while state.reading == Some(frame) {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(cached) = state.held.get(&frame).cloned() {
            drop(state);
            self.shared.changed.notify_all();
            return Ok(cached);
        }
        drop(state);
        let read = Arc::new(self.shared.cache.frame(frame)?);
        self.shared.hold(self.shared.lock(), frame, read.clone());
        self.shared.changed.notify_all();
        Ok(read)
    }
}

impl Shared {
    /// A thread that panicked while it held the lock left the state consistent.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a frame, and drops those farthest from the present one where memory is full.
    fn hold(&self, mut state: MutexGuard<'_, State>, frame: u64, read: Arc<Frame>) {
        state.held.insert(frame, read);
        let at = state.at;
        while state.held.len() > 1 && state.held.values().map(|frame| frame.bytes()).sum::<u64>() > self.budget {
            let Some(farthest) = state.held.keys().copied().max_by_key(|frame| frame.abs_diff(at)) else { break };
            state.held.remove(&farthest);
        }
    }

    /// The next frame to read ahead, if there is room for it.
    fn next(&self, state: &State) -> Option<u64> {
        let present = self.cache.frames()?;
        let one = state.held.get(&state.at)?.bytes().max(1);
        let count = (self.budget / one).saturating_sub(1).min(AHEAD);
        let step = |distance: u64| match state.backward {
            true => state.at.checked_sub(distance),
            false => state.at.checked_add(distance),
        };
        let mut coming = (1..=count).filter_map(step);
        coming.find(|frame| present.contains(frame) && !state.held.contains_key(frame) && state.bad != Some(*frame))
    }

    fn run(&self) {
        let mut state = self.lock();
        while !state.ended {
            let Some(frame) = self.next(&state) else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.reading = Some(frame);
            drop(state);
            let read = self.cache.frame(frame);
            let mut after = self.lock();
            after.reading = None;
            match read {
                Ok(read) => self.hold(after, frame, Arc::new(read)),
                Err(_) => {
                    after.bad = Some(frame);
                    // It is locked again below.
                    drop(after);
                }
            }
            self.changed.notify_all();
            state = self.lock();
        }
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            crate::threads::join_within(thread, END);
        }
    }
}
