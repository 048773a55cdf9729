//! Writing a cache: frames of a separate simulation, with progress, cancelling and resuming.

use std::collections::{BTreeSet, VecDeque};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::status::{Bakes, Status, inputs, playing, status_of};
use crate::asset::Work;
use crate::background::{self, Background, Reports};
use crate::cache::{CacheError, Index, STATES, Writer};
use crate::cancel::Cancel;
use crate::document::{Bake, Document};
use crate::files::Access;
use crate::files::written::Log;
use crate::gpu::{Gpu, Reading};
use crate::graph::{Graph, partial};
use crate::library::Library;
use crate::plan::{Keep, Outputs, Plan, PlanOptions, Wire, regrouped};
use crate::problem::{Problem, Problems};
use crate::sim::Simulation;
use crate::sim::frame_loop::{Consumer, FrameLoop};
use crate::sim::saver::{self, Pace, Retain, SaveError, Saver, Target};
use crate::stage::types::Scalar;
use crate::tune;

/// Most threads that compress frames.
const MAX_THREADS: usize = 16;
/// Time between two checkpoints: so much work is done again when a bake was killed.
const CHECKPOINT: Duration = Duration::from_secs(10);
/// Most checkpoints beside the frames.
const CHECKPOINTS: usize = 8;

/// What to bake.
#[derive(Clone, Debug)]
pub struct Order {
    /// The folder of the cache.
    pub folder: PathBuf,
    /// The frames; earlier ones are computed too.
    pub frames: RangeInclusive<u64>,
    /// Keep the sound frames that an interrupted or shorter bake of the same has written, and compute the others: from its last checkpoint
    /// before them.
    pub resume: bool,
    /// Frames between two checkpoints; by time when absent.
    pub checkpoint_every: Option<u64>,
    /// The graph as text, for the checkpoints.
    pub graph: String,
}

/// Why a bake ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BakeError {
    /// Errors of the graph, of its files, or of the GPU.
    #[error("{0}")]
    Graph(#[from] Problems),
    /// The cache can't be written.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A checkpoint can't be written.
    #[error(transparent)]
    Checkpoint(#[from] SaveError),
    /// The GPU did not finish a frame in time.
    #[error("the GPU did not respond; lower the resolution, or update the driver")]
    Gpu,
    /// The operating system's error when a thread was started.
    #[error("no thread can be started for the bake: {0}")]
    Thread(String),
    /// The bake was cancelled before its first frame.
    #[error("the bake was cancelled before its first frame")]
    Cancelled,
}

impl From<Problem> for BakeError {
    fn from(problem: Problem) -> BakeError {
        BakeError::Graph(problem.into())
    }
}

/// Progress of a bake.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Frames computed.
    pub frame: u64,
    /// The frame that it ends with.
    pub last: u64,
    /// Frames that existed already, and were sound.
    pub kept: u64,
    /// Frames that existed already, and were damaged or of another cache.
    pub broken: u64,
    /// Frames that were not computed again, since a checkpoint holds their States.
    pub skipped: u64,
    /// Files of another bake that were in the folder and are replaced.
    pub replaced: u64,
    /// Frames written by this run.
    pub written: u64,
    /// Size of the written frames on disk \[bytes\].
    pub bytes: u64,
    /// Frames that it has in the end.
    pub total: u64,
    /// Values that are no numbers, of the first wire that has some.
    pub odd: Option<Odd>,
}

/// Values of a wire that are NaN or infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Odd {
    /// The wire, by its place in the cache.
    pub wire: usize,
    /// The first frame with some.
    pub frame: u64,
    /// How many there are in all frames.
    pub values: u64,
}

impl Progress {
    /// 0..1
    pub fn share(&self) -> f32 {
        if self.last == 0 { 0.0 } else { self.frame as f32 / self.last as f32 }
    }

    /// Counts values that are no numbers in a frame.
    fn count_not_finite(&mut self, parts: &[Source], arrived: &Arrived) {
        for (part, words) in parts.iter().zip(&arrived.parts) {
            let values = part.no_numbers(words);
            let odd = self.odd.get_or_insert(Odd { wire: part.of, frame: arrived.frame, values: 0 });
            if odd.wire == part.of {
                odd.values += values;
            }
            self.odd = self.odd.filter(|odd| odd.values > 0);
        }
    }

    /// What the whole cache will take on disk, from the frames that are written \[bytes\].
    pub fn expected(&self) -> Option<u64> {
        (self.written > 0).then(|| (self.bytes as f64 / self.written as f64 * self.total as f64) as u64)
    }
}

/// The options to compile a plan with that computes the wires of a cache and nothing else.
pub fn plan_options(status: &Status, bakes: &Bakes, access: &Access) -> PlanOptions {
    PlanOptions {
        keep: Keep::Wires(status.wires()),
        outputs: Outputs::None,
        folder: access.folder.clone(),
        allow_files: access.anywhere,
        // Other bakes may be played; a bake of what a stale one leads to would be stale from the start.
        played: bakes.fresh_but(&status.name),
        ..PlanOptions::default()
    }
}

/// A frame that was damaged or of another cache, and why.
pub type Broken = (u64, CacheError);

/// Computes and writes the frames of a cache, with checkpoints of the States beside them. The simulation has not started yet. `go_on` is called after each frame;
/// when it returns false, the bake ends normally and can be resumed. Returns the frames that were there and had to be written again, too.
///
/// # Errors
/// A cache that can't be written, a device that fails. Frames that were written stay, and the bake can be resumed.
pub fn run(
    order: &Order,
    index: Index,
    simulation: &mut Simulation,
    mut go_on: impl FnMut(&Progress) -> bool,
) -> Result<(Progress, Vec<Broken>), BakeError> {
    let (first, last) = order.frames.clone().into_inner();
    let parts = parts(&index, simulation)?;
    let (has_state, inputs) = (index.has_state(), inputs(&index));
    let (writer, kept) = Writer::begin(&order.folder, index, order.resume)?;
    let begins = first - u64::from(has_state);
    let missing: BTreeSet<u64> = (begins..=last).filter(|frame| !kept.sound.contains(frame)).collect();
    let total = last - first + 1;
    let sound = kept.sound.range(first..=last).count() as u64;
    let (broken, replaced) = (kept.broken.len() as u64, writer.replaced());
    let mut progress = Progress { last, kept: sound, broken, total, replaced, ..Progress::default() };
    let (Some(&next), Some(&until)) = (missing.first(), missing.last()) else {
        progress.frame = last;
        return Ok((progress, kept.broken));
    };
    let pool = Pool::start(Arc::new(writer))?;
    let mut baking = Baking { order, inputs, parts, missing, progress, pool, sought: 0, go_on: &mut go_on };
    baking.jump(simulation, next);
    if next == 0 {
        simulation.reset();
    }
    let saver = baking.saver(simulation);
    let mut frames = FrameLoop::new(simulation, Some(saver), last, false);
    if next == 0 {
        frames.request(&mut baking)?;
    }
    let complete = frames.run(&mut baking)?;
    let saver = frames.saver.take();
    if let Some(mut saver) = saver {
        if !complete || until == last {
            saver.save(simulation)?;
        }
        saver.finish(simulation)?;
    }
    let Baking { pool, mut progress, .. } = baking;
    (progress.written, progress.bytes) = pool.finish()?;
    progress.written = progress.written.min(total);
    // Frames after the last one that was missing are there; frames on their way at a cancel may not be.
    progress.frame = if complete { last } else { progress.frame.min(last - 1) };
    Ok((progress, kept.broken))
}

/// The frames of a cache.
struct Baking<'a, G> {
    order: &'a Order,
    inputs: String,
    parts: Vec<Source>,
    missing: BTreeSet<u64>,
    progress: Progress,
    pool: Pool,
    /// The frame before which a checkpoint was sought last.
    sought: u64,
    go_on: &'a mut G,
}

impl<G> Baking<'_, G> {
    /// What writes checkpoints.
    fn saver(&self, simulation: &Simulation) -> Saver {
        let (folder, graph) = (self.order.folder.clone(), self.order.graph.clone());
        let present = STATES.present(&folder).into_iter().map(|(frame, _)| frame);
        let before = present.filter(|frame| *frame <= simulation.frame()).collect();
        let pace = self.order.checkpoint_every.map_or(Pace::Time(CHECKPOINT), Pace::Frames);
        let target = Target { folder, files: STATES, graph, inputs: self.inputs.clone(), log: Log::default() };
        Saver::new(target, pace, Retain::Spread(CHECKPOINTS), before)
    }
}

impl<G: FnMut(&Progress) -> bool> Consumer for Baking<'_, G> {
    type Pending = Arriving;
    type Error = BakeError;

    fn next(&self, frame: u64) -> Option<u64> {
        self.missing.range(frame + 1..).next().copied()
    }

    /// Goes to the newest checkpoint from which the coming frames can be computed.
    fn jump(&mut self, simulation: &mut Simulation, next: u64) -> bool {
        let present = simulation.frame();
        if !self.order.resume || next <= present + 1 || std::mem::replace(&mut self.sought, next) == next {
            return false;
        }
        let skipped = saver::resume_before(simulation, &self.order.folder, STATES, &self.inputs, next);
        self.progress.skipped += skipped.unwrap_or(0);
        self.progress.frame = simulation.frame();
        skipped.is_some()
    }

    fn request(&mut self, simulation: &Simulation) -> Result<Arriving, BakeError> {
        // Of a frame before the first one, a State is played as what it begins with.
        let only_states = simulation.frame() < *self.order.frames.start();
        Ok(Arriving::request(&self.parts, simulation, only_states)?)
    }

    fn take(&mut self, arriving: Arriving) -> Result<Option<Arriving>, BakeError> {
        match arriving.try_take()? {
            Ok(arrived) => {
                self.progress.count_not_finite(&self.parts, &arrived);
                self.pool.write(arrived)?;
                Ok(None)
            }
            Err(rest) => Ok(Some(rest)),
        }
    }

    fn computed(&mut self, simulation: &mut Simulation, _: bool) -> bool {
        self.progress.frame = simulation.frame();
        self.go_on(simulation)
    }

    fn go_on(&mut self, _: &mut Simulation) -> bool {
        (self.progress.written, self.progress.bytes) = self.pool.done();
        (self.go_on)(&self.progress)
    }
}

/// A part of a wire: its name in the plan, and where a count bounds it.
struct Source {
    name: String,
    wire: Wire,
    state: bool,
    /// Words of the part in the cache, at most.
    words: u64,
    /// The position of the count of its particles.
    count: Option<usize>,
    /// The place of the wire that it is a part of.
    of: usize,
}

impl Source {
    /// How many of its words are NaN or infinite.
    fn no_numbers(&self, words: &[u32]) -> u64 {
        if self.wire.ty.value().scalar() != Scalar::F32 || self.name.ends_with(".count") {
            return 0;
        }
        let count = |words: &[u32]| words.iter().filter(|word| !f32::from_bits(**word).is_finite()).count() as u64;
        match self.wire.layout() {
            layout if layout.is_half() => count(&layout.unpack(words)),
            _ => count(words),
        }
    }
}

/// Where the plan has the parts of an index.
fn parts(index: &Index, simulation: &Simulation) -> Result<Vec<Source>, Problem> {
    let plan = simulation.plan();
    let mut sources = Vec::new();
    for (of, wire) in index.wires.iter().enumerate() {
        let begin = sources.len();
        let count = wire.parts.iter().position(|part| part.name == "count").map(|at| begin + at);
        let count = count.filter(|_| wire.capacity > 0);
        for part in &wire.parts {
            let name = if part.name.is_empty() { wire.name.clone() } else { format!("{}.{}", wire.name, part.name) };
            let kept = plan.wires.get(&name).filter(|wire| wire.kept).cloned();
            let remedy = "name another wire";
            let kept = kept.ok_or_else(|| Problem::new("", &name, "the plan does not keep this wire", remedy))?;
            let bounded = count.filter(|_| part.name != "count");
            sources.push(Source { name, wire: kept, state: wire.state, words: part.words, count: bounded, of });
        }
    }
    Ok(sources)
}

/// A frame on its way from the GPU.
struct Arriving {
    frame: u64,
    time: f64,
    readings: VecDeque<Option<Reading>>,
    /// The words of those that have arrived.
    parts: Vec<Vec<u32>>,
    /// The words of each part at most, the position of its count, and its wire.
    bounds: Vec<(u64, Option<(usize, Wire)>)>,
}

/// A frame that has arrived.
struct Arrived {
    frame: u64,
    time: f64,
    parts: Vec<Vec<u32>>,
}

impl Arriving {
    /// Requests the parts of a frame; with `only_states` the other wires are left out: they have no value yet.
    fn request(parts: &[Source], simulation: &Simulation, only_states: bool) -> Result<Arriving, Problem> {
        let read = |part: &Source| (!only_states || part.state).then(|| simulation.read_async(&part.name)).transpose();
        let readings = parts.iter().map(read).collect::<Result<_, _>>()?;
        let bounds = |part: &Source| (part.words, part.count.map(|count| (count, part.wire.clone())));
        let bounds = parts.iter().map(bounds).collect();
        Ok(Arriving { frame: simulation.frame(), time: simulation.time(), readings, parts: Vec::new(), bounds })
    }

    /// The frame if it has arrived, else the rest of it.
    fn try_take(mut self) -> Result<Result<Arrived, Arriving>, BakeError> {
        while let Some(reading) = self.readings.pop_front() {
            match reading.map(Reading::try_take).transpose() {
                Ok(words) => {
                    self.parts.push(words.map(|words| words.ok_or(BakeError::Gpu)).transpose()?.unwrap_or_default())
                }
                Err(reading) => {
                    self.readings.push_front(Some(reading));
                    return Ok(Err(self));
                }
            }
        }
        let mut parts = self.parts;
        // Dead particles have no values, nor has the padding of a buffer.
        for (at, (most, bound)) in self.bounds.iter().enumerate() {
            let live = |(count, wire): &(usize, Wire)| {
                let live = parts.get(*count).and_then(|words| words.first()).copied().unwrap_or(0);
                let live = u64::from(live.min(wire.capacity));
                (wire.words(live), wire.portable_layout().words(live))
            };
            let (here, there) = bound.as_ref().map_or((*most, *most), live);
            if let Some(part) = parts.get_mut(at) {
                part.truncate(here.min(*most) as usize);
                // A cache holds vectors of three padded, as any plan can play them.
                if here < there && !part.is_empty() {
                    *part = regrouped(part, there.min(*most) as usize);
                }
            }
        }
        Ok(Ok(Arrived { frame: self.frame, time: self.time, parts }))
    }
}

/// Threads that compress frames and write them.
struct Pool {
    sender: SyncSender<Arrived>,
    threads: Vec<JoinHandle<()>>,
    shared: Arc<Results>,
}

#[derive(Default)]
struct Results {
    written: AtomicU64,
    bytes: AtomicU64,
    error: Mutex<Option<CacheError>>,
}

impl Pool {
    fn start(writer: Arc<Writer>) -> Result<Pool, BakeError> {
        let cores = std::thread::available_parallelism().map_or(2, usize::from).saturating_sub(1);
        let count = cores.clamp(1, MAX_THREADS);
        let (sender, receiver) = sync_channel(count);
        let (receiver, shared) = (Arc::new(Mutex::new(receiver)), Arc::<Results>::default());
        let mut threads = Vec::new();
        for _ in 0..count {
            let receiver = receiver.clone();
            let writer = writer.clone();
            let shared = shared.clone();
            let work = move || write_all(&receiver, &writer, &shared);
            // Not `background`: several threads share one bounded queue, and whoever finishes waits for all of them.
            let thread = std::thread::Builder::new().name("bake".into()).spawn(work);
            threads.push(thread.map_err(|error| BakeError::Thread(error.to_string()))?);
        }
        Ok(Pool { sender, threads, shared })
    }

    fn write(&self, frame: Arrived) -> Result<(), BakeError> {
        self.check()?;
        // A thread ends early only with an error.
        if self.sender.send(frame).is_err() {
            self.check()?;
        }
        Ok(())
    }

    fn check(&self) -> Result<(), BakeError> {
        let error = self.shared.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Frames written, and their size.
    fn done(&self) -> (u64, u64) {
        (self.shared.written.load(Ordering::Relaxed), self.shared.bytes.load(Ordering::Relaxed))
    }

    /// Waits until all frames are written.
    fn finish(mut self) -> Result<(u64, u64), BakeError> {
        let threads = std::mem::take(&mut self.threads);
        let (unused, _) = sync_channel(1);
        drop(std::mem::replace(&mut self.sender, unused));
        for thread in threads {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
        self.check()?;
        Ok(self.done())
    }
}

fn write_all(receiver: &Mutex<Receiver<Arrived>>, writer: &Writer, shared: &Results) {
    loop {
        let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(frame) = next else { return };
        let parts: Vec<&[u32]> = frame.parts.iter().map(Vec::as_slice).collect();
        match writer.write(frame.frame, frame.time, &parts) {
            Ok(bytes) => {
                shared.written.fetch_add(1, Ordering::Relaxed);
                shared.bytes.fetch_add(bytes, Ordering::Relaxed);
            }
            Err(error) => {
                shared.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        }
    }
}

/// How a bake ended; frames written so far remain.
pub type Ended = background::Ended<Progress, BakeError>;

/// A bake on its own thread, with a separate simulation on the same device. Dropping it cancels the bake.
pub struct Job {
    background: Background<Progress, BakeError>,
    /// Loading of the files that the graph names.
    work: Arc<Work>,
}

impl Job {
    /// Starts a bake of the document as it is now; it may read the files that `access` allows. `wake` is called on its
    /// thread when there is new progress.
    ///
    /// # Errors
    /// When no thread can be started. All other errors are returned by [`Job::ended`].
    #[allow(clippy::too_many_arguments, reason = "all of it is needed to compile and run a graph")]
    pub fn start(
        gpu: &Gpu,
        library: Arc<Library>,
        document: Document,
        access: &Access,
        (name, bake): (String, Bake),
        resume: bool,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Job, BakeError> {
        let gpu = gpu.clone();
        let access = access.clone();
        let work = Arc::<Work>::default();
        let reading = work.clone();
        let run = move |reports: &mut Reports<Progress, BakeError>| {
            let stop = reports.cancel.clone();
            let result = prepare(&gpu, &library, &document, &access, (&name, &bake), &stop, &reading).and_then(
                |(status, mut simulation)| {
                    let index = status.index(simulation.gpu().name(), bake.frames);
                    let order = Order {
                        folder: status.folder,
                        frames: bake.frames.0..=bake.frames.1,
                        resume,
                        checkpoint_every: None,
                        graph: document.to_text(),
                    };
                    let done = self::run(&order, index, &mut simulation, |progress| reports.tell(*progress))?;
                    Ok(done.0)
                },
            );
            match result {
                Err(_) if stop.is_cancelled() => Ended::Cancelled(reports.progress()),
                Ok(progress) if progress.frame == progress.last => Ended::Complete(progress),
                Ok(progress) => Ended::Cancelled(progress),
                Err(error) => Ended::Failed(error),
            }
        };
        let background = Background::start("bake", wake, run).map_err(|e| BakeError::Thread(e.to_string()))?;
        Ok(Job { background, work })
    }

    /// The present progress.
    pub fn progress(&self) -> Progress {
        self.background.progress()
    }

    /// Ends the bake after the current frame; it can be resumed.
    pub fn cancel(&self) {
        self.background.cancel();
        self.work.stop();
    }

    /// The result, returned once.
    pub fn ended(&mut self) -> Option<Ended> {
        self.background.ended(BakeError::Gpu)
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.cancel();
    }
}

fn prepare(
    gpu: &Gpu,
    library: &Library,
    document: &Document,
    access: &Access,
    (name, bake): (&str, &Bake),
    stop: &Cancel,
    work: &Work,
) -> Result<(Status, Simulation), BakeError> {
    let (graph, _) = partial::build_needed(document, |document| Graph::build(document, library))?;
    let status = status_of(&graph, name, bake, access)?;
    let options = tune::on_device(gpu, plan_options(&status, &playing(&graph, access), access));
    let plan = Plan::compile(&graph, &PlanOptions { cancel: stop.clone(), ..options })?;
    Ok((status, Simulation::prepared(gpu, plan, work, &mut |_| !stop.is_cancelled())?))
}
