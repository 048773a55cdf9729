//! Files that a plan needs, read on a thread of their own, so that neither the window nor the compiler waits for a large mesh.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::asset::{AssetGrid, Cause, Phase, Work};
use crate::background::answer;
use crate::plan::Plan;
use crate::problem::{Problem, Problems};
use crate::sim::files::{self, FileRequest};

/// Interval of checks whether the file is still needed.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A file that is being read.
#[derive(Clone, Debug)]
pub(crate) struct Loading {
    /// Path of the node that names it.
    pub node: String,
    pub path: PathBuf,
    /// Size of the file \[bytes\].
    pub bytes: u64,
    pub since: Instant,
    work: Arc<Work>,
}

impl Loading {
    /// The current phase, and its progress from 0 to 1 where that is known.
    pub(crate) fn progress(&self) -> (Phase, Option<f32>) {
        self.work.progress()
    }
}

/// State shared by the window and the threads.
#[derive(Default)]
struct State {
    loading: Option<Loading>,
    /// Files whose loading was stopped; they are not tried again until requested.
    stopped: Vec<FileRequest>,
}

/// The window's side.
#[derive(Clone, Default)]
pub(crate) struct Watch(Arc<Mutex<State>>);

impl Watch {
    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked has left nothing half done behind the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file that is being read.
    pub(crate) fn loading(&self) -> Option<Loading> {
        self.state().loading.clone()
    }

    /// Stops loading it; the graph runs without it until the file changes or is requested again.
    pub(crate) fn stop(&self) {
        if let Some(loading) = &self.state().loading {
            loading.work.stop();
        }
    }

    /// Whether loading of any file was stopped.
    pub(crate) fn any_stopped(&self) -> bool {
        !self.state().stopped.is_empty()
    }

    /// Lets stopped files be loaded again.
    pub(crate) fn again(&self) {
        self.state().stopped.clear();
    }
}

/// The result of loading a file.
type Grid = Result<Arc<AssetGrid>, Problem>;

/// The compiler's side.
pub(crate) struct Loader {
    watch: Watch,
    /// The file that is being read, and the channel that its grid will come from.
    at_work: Option<(FileRequest, Arc<Work>, Receiver<Grid>)>,
}

/// The result is no longer needed.
impl Drop for Loader {
    fn drop(&mut self) {
        self.give_up();
    }
}

impl Loader {
    pub(crate) fn new(watch: Watch) -> Loader {
        Loader { watch, at_work: None }
    }

    /// Loads every file of a plan. Returns false if a newer job arrived; loading then continues, since the file
    /// may be needed again.
    ///
    /// # Errors
    /// Files that can't be used, or whose loading was stopped.
    pub(crate) fn load(&mut self, plan: &Plan, mut newer: impl FnMut() -> bool) -> Result<bool, Problems> {
        let mut wanted = files::wanted(plan)?;
        let begun = |file: &FileRequest| self.at_work.as_ref().is_some_and(|(loading, ..)| loading.same(file));
        // What is being read comes first.
        wanted.sort_by_key(|file| !begun(file));
        if !wanted.first().is_some_and(begun) {
            self.give_up();
        }
        let mut problems = Problems::default();
        for file in &wanted {
            if self.watch.state().stopped.iter().any(|stopped| stopped.same(file)) {
                problems.push(file.problem(&Cause::Stopped));
            } else if file.cached().is_none() {
                match self.wait(file, &mut newer) {
                    Some(Ok(_)) => {}
                    Some(Err(problem)) => problems.push(problem),
                    None => return Ok(false),
                }
            }
        }
        if problems.is_empty() { Ok(true) } else { Err(problems) }
    }

    /// Waits for one file; `None` if a newer job arrived.
    fn wait(&mut self, file: &FileRequest, newer: &mut impl FnMut() -> bool) -> Option<Grid> {
        if self.at_work.is_none() {
            self.begin(file);
        }
        let (_, work, grids) = self.at_work.as_ref()?;
        let result = loop {
            match grids.recv_timeout(POLL_INTERVAL) {
                Ok(result) => break result,
                Err(RecvTimeoutError::Timeout) if newer() => return None,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break Err(died(file)),
            }
        };
        let mut state = self.watch.state();
        if work.stopped() && result.is_err() {
            state.stopped.push(file.clone());
        }
        state.loading = None;
        drop(state);
        self.at_work = None;
        Some(result)
    }

    fn begin(&mut self, file: &FileRequest) {
        let work = Arc::<Work>::default();
        let node = file.node.clone();
        let path = file.path().to_path_buf();
        let bytes = file.bytes();
        self.watch.state().loading = Some(Loading { node, path, bytes, since: Instant::now(), work: work.clone() });
        let request = file.clone();
        let progress = work.clone();
        // The compiler waits for the grid; nobody has to be woken.
        let grids = answer("loader", || (), move || request.load(&progress));
        self.at_work = Some((file.clone(), work, grids));
    }

    /// Stops loading a file that no plan needs.
    fn give_up(&mut self) {
        if let Some((_, work, _)) = self.at_work.take() {
            work.stop();
            self.watch.state().loading = None;
        }
    }
}

fn died(file: &FileRequest) -> Problem {
    let cause = format!("{}: reading it was given up", file.path().display());
    Problem::new(&file.node, "file", cause, "export it again, or choose another file")
}
