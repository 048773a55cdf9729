//! Files that a plan needs, read on a thread of their own, so that neither the window nor the compiler waits for a large mesh.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::asset::{Cause, DistanceGrid, Phase, Work};
use crate::plan::Plan;
use crate::problem::{Problem, Problems};
use crate::sim::files::{self, FileRequest};

/// Between two looks at whether what is waited for still matters.
const LOOK: Duration = Duration::from_millis(20);

/// A file that is being read.
#[derive(Clone, Debug)]
pub struct Loading {
    /// Path of the node that names it.
    pub node: String,
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    pub since: Instant,
    work: Arc<Work>,
}

impl Loading {
    /// What is being done, and how much of it is done (0 to 1) where that can be told.
    pub fn progress(&self) -> (Phase, Option<f32>) {
        self.work.progress()
    }
}

/// What the window and the threads know of each other.
#[derive(Default)]
struct State {
    loading: Option<Loading>,
    /// What was stopped, and is not tried again until somebody asks for it.
    stopped: Vec<FileRequest>,
}

/// The window's end.
#[derive(Clone, Default)]
pub struct Watch(Arc<Mutex<State>>);

impl Watch {
    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked has left nothing half done behind the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file that is being read.
    pub fn loading(&self) -> Option<Loading> {
        self.state().loading.clone()
    }

    /// Stops it; the graph does without until it is changed or somebody asks for it again.
    pub fn stop(&self) {
        if let Some(loading) = &self.state().loading {
            loading.work.stop();
        }
    }

    /// Whether a file waits to be asked for again.
    pub fn any_stopped(&self) -> bool {
        !self.state().stopped.is_empty()
    }

    /// Lets files be tried again that were stopped.
    pub fn again(&self) {
        self.state().stopped.clear();
    }
}

/// What a file gives.
type Grid = Result<Arc<DistanceGrid>, Problem>;

/// The compiler's end.
pub struct Loader {
    watch: Watch,
    /// What is being read, and where its grid will come from.
    at_work: Option<(FileRequest, Arc<Work>, Receiver<Grid>)>,
}

/// Nobody waits for it any more.
impl Drop for Loader {
    fn drop(&mut self) {
        self.give_up();
    }
}

impl Loader {
    pub fn new(watch: Watch) -> Loader {
        Loader { watch, at_work: None }
    }

    /// Has every file of a plan read. Returns false when something newer came up meanwhile; what is being read goes on then, for it
    /// may be needed again.
    ///
    /// # Errors
    /// Files that can't be used, or that were stopped.
    pub fn load(&mut self, plan: &Plan, mut newer: impl FnMut() -> bool) -> Result<bool, Problems> {
        let mut wanted = files::wanted(plan)?;
        let begun = |file: &FileRequest| self.at_work.as_ref().is_some_and(|(own, ..)| own.same(file));
        // What is being read comes first.
        wanted.sort_by_key(|file| !begun(file));
        if !wanted.first().is_some_and(begun) {
            self.give_up();
        }
        let mut problems = Problems::default();
        for file in &wanted {
            if self.watch.state().stopped.iter().any(|stopped| stopped.same(file)) {
                problems.push(file.problem(&Cause::Stopped));
            } else if file.known().is_none() {
                match self.wait(file, &mut newer) {
                    Some(Ok(_)) => {}
                    Some(Err(problem)) => problems.push(problem),
                    None => return Ok(false),
                }
            }
        }
        if problems.is_empty() { Ok(true) } else { Err(problems) }
    }

    /// Waits for one file; `None` when there is something newer.
    fn wait(&mut self, file: &FileRequest, newer: &mut impl FnMut() -> bool) -> Option<Grid> {
        if self.at_work.is_none() {
            self.begin(file);
        }
        let (_, work, grids) = self.at_work.as_ref()?;
        let result = loop {
            match grids.recv_timeout(LOOK) {
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
        let (node, path, bytes) = (file.node.clone(), file.path().to_path_buf(), file.bytes());
        self.watch.state().loading = Some(Loading { node, path, bytes, since: Instant::now(), work: work.clone() });
        let (answer, answers) = channel();
        let (own, theirs) = (file.clone(), work.clone());
        // Nobody may wait any more. Without a thread the answer is missing at once.
        let run = move || drop(answer.send(own.load(&theirs)));
        drop(std::thread::Builder::new().name("loader".into()).spawn(run));
        self.at_work = Some((file.clone(), work, answers));
    }

    /// Stops what no plan needs.
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
