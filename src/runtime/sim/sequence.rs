//! Grids whose files are numbered by frame. Threads read ahead, and a frame waits for its own file, so that every run shows the
//! same file in the same frame.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::asset::{AssetError, AssetGrid, Cause, Frames, sentence};
use crate::gpu::Engine;
use crate::plan::{BufferId, Plan};
use crate::problem::Problem;

/// Memory for what was read ahead, for each node \[bytes\].
const AHEAD: usize = 256 << 20;
/// Most files that are read ahead.
const MOST: usize = 16;
/// Threads that read.
const THREADS: usize = 4;

/// The sequences of a plan.
#[derive(Default)]
pub(super) struct Sequences(Vec<Shown>);

/// A sequence, and where its grids go.
struct Shown {
    node: String,
    buffer: BufferId,
    reader: Reader,
}

impl Sequences {
    /// The sequences of a plan, with its grids in the order of [`Plan::files`].
    pub(super) fn new(plan: &Plan, grids: &[Arc<AssetGrid>]) -> Sequences {
        let shown = |(file, grid): (&crate::plan::FileGrid, &Arc<AssetGrid>)| {
            let reader = Reader::new(grid.frames.clone()?, grid);
            Some(Shown { node: file.node.clone(), buffer: file.buffer, reader })
        };
        Sequences(plan.files.iter().zip(grids).filter_map(shown).collect())
    }

    /// Gives the engine the grids of a frame; the first one is 0. Blocks until they are read.
    ///
    /// # Errors
    /// A file that cannot be used; a frame beyond the files, where that is an error.
    pub(super) fn feed(&mut self, engine: &mut Engine, frame: u64) -> Result<(), Problem> {
        for Shown { node, buffer, reader } in &mut self.0 {
            let grid = reader.take(frame).map_err(|AssetError { file, cause }| {
                Problem::new(node, "file", sentence(&file, &cause), cause.remedy())
            })?;
            engine.write(*buffer, bytemuck::cast_slice(&grid.values));
        }
        Ok(())
    }
}

type Read = Result<Arc<AssetGrid>, AssetError>;

/// Files of a sequence that were read or are to be, by their numbers.
#[derive(Default)]
struct State {
    wanted: VecDeque<u64>,
    running: BTreeSet<u64>,
    done: BTreeMap<u64, Read>,
    /// Nobody needs them any more.
    closed: bool,
}

/// What the threads share.
struct Shared {
    frames: Arc<Frames>,
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn load(&self, number: u64) -> Read {
        // A decoder that panics must not leave a frame waiting.
        let read = catch_unwind(AssertUnwindSafe(|| self.frames.load(number)));
        let given_up = || Err(self.error(number, Cause::Unreadable("reading it was given up".into())));
        read.unwrap_or_else(|_| given_up()).map(Arc::new)
    }

    fn error(&self, number: u64, cause: Cause) -> AssetError {
        let file = self.frames.request(number).map_or_else(|error| error.file, |request| request.path);
        AssetError { file, cause }
    }

    /// Reads what is wanted until nobody needs it.
    fn work(&self) {
        let mut state = self.state();
        while !state.closed {
            let Some(number) = state.wanted.pop_front() else {
                state = self.wait(state);
                continue;
            };
            state.running.insert(number);
            drop(state);
            let read = self.load(number);
            state = self.state();
            state.running.remove(&number);
            state.done.insert(number, read);
            self.changed.notify_all();
        }
    }
}

struct Reader {
    shared: Arc<Shared>,
    /// How many files are read ahead.
    ahead: usize,
    threads: usize,
    /// Numbers of a grid.
    count: usize,
}

/// Threads end after the file that they are reading.
impl Drop for Reader {
    fn drop(&mut self) {
        self.shared.state().closed = true;
        self.shared.changed.notify_all();
    }
}

impl Reader {
    /// A reader that has the grid of the first frame.
    fn new(frames: Arc<Frames>, grid: &Arc<AssetGrid>) -> Reader {
        let ahead = (AHEAD / (4 * grid.values.len()).max(1)).clamp(1, MOST);
        let mut state = State::default();
        state.done.extend(frames.number(0).map(|number| (number, Ok(grid.clone()))));
        let shared = Arc::new(Shared { frames, state: Mutex::new(state), changed: Condvar::new() });
        Reader { shared, ahead, threads: 0, count: grid.values.len() }
    }

    /// The grid of a frame, and reads those of the next ones meanwhile.
    fn take(&mut self, frame: u64) -> Read {
        let frames = self.shared.frames.clone();
        if frames.is_velocity() && frames.is_held(frame) {
            let (values, warnings) = (vec![0.0; self.count], Vec::new());
            return Ok(Arc::new(AssetGrid { values, warnings, frames: None }));
        }
        let number = frames.number(frame).map_err(|cause| self.shared.error(0, cause))?;
        let coming = (frame..).take(self.ahead + 1).map_while(|frame| frames.number(frame).ok());
        let mut state = self.shared.state();
        let mut wanted = VecDeque::new();
        for number in coming {
            if !(wanted.contains(&number) || state.done.contains_key(&number) || state.running.contains(&number)) {
                wanted.push_back(number);
            }
        }
        let idle = wanted.is_empty();
        state.wanted = wanted;
        drop(state);
        if !idle {
            self.start_threads();
            self.shared.changed.notify_all();
        }
        let mut state = self.shared.state();
        loop {
            if let Some(read) = state.done.get(&number).cloned() {
                if read.is_err() {
                    // It may be there the next time.
                    state.done.remove(&number);
                }
                while state.done.len() > 2 * self.ahead + 1 {
                    let farthest = state.done.keys().copied().max_by_key(|other| other.abs_diff(number));
                    farthest.map(|farthest| state.done.remove(&farthest));
                }
                return read;
            }
            if self.threads == 0 {
                // No thread can be started.
                state.wanted.clear();
                drop(state);
                return self.shared.load(number);
            }
            state = self.shared.wait(state);
        }
    }

    fn start_threads(&mut self) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        while self.threads < THREADS.min(cores).min(self.ahead) {
            let shared = self.shared.clone();
            // Not `background`: threads live as long as the reader, share its list, and send no messages.
            let started = std::thread::Builder::new().name("sequence".into()).spawn(move || shared.work());
            if started.is_err() {
                return;
            }
            self.threads += 1;
        }
    }
}
