//! Records the commands of frames. They are the same in every frame except for which buffers have changed places, so a
//! thread records the next frame while the GPU runs this one; a step then only submits it.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::device::Gpu;
use super::pipelines::Pipeline;
use super::timing::Marks;
use super::upload_ring::{StagingPool, StagingSlot};

/// A dispatch with its pipeline and bindings.
#[derive(Clone)]
pub(super) struct RecordedDispatch {
    pub pipeline: Arc<Pipeline>,
    pub bind_group: wgpu::BindGroup,
    pub uniform: u32,
    pub groups: [u32; 3],
    /// The buffer that holds the number of workgroups instead, and the offset \[bytes\].
    pub indirect: Option<(wgpu::Buffer, u64)>,
}

/// Records a part of a list of dispatches as one pass, with timestamps at the marks of the list.
pub(super) fn run(
    encoder: &mut wgpu::CommandEncoder,
    list: &[RecordedDispatch],
    part: Range<usize>,
    marks: Option<&Marks>,
) {
    let mut pass = encoder.begin_compute_pass(&Default::default());
    let mut current: Option<&Arc<Pipeline>> = None;
    let borders = marks.map(Marks::borders).unwrap_or_default();
    let mut borders = borders.iter().enumerate().skip_while(|(_, first)| **first < part.start).peekable();
    let is_last = part.end == list.len();
    for (index, step) in list.iter().enumerate().take(part.end).skip(part.start) {
        if let (Some(marks), Some((border, _))) = (marks, borders.next_if(|(_, first)| **first == index)) {
            marks.mark(&mut pass, border);
        }
        if current.is_none_or(|c| !Arc::ptr_eq(c, &step.pipeline)) {
            pass.set_pipeline(&step.pipeline.pipeline);
            current = Some(&step.pipeline);
        }
        pass.set_bind_group(0, &step.bind_group, &[step.uniform]);
        let [x, y, z] = step.groups;
        match &step.indirect {
            Some((buffer, offset)) => pass.dispatch_workgroups_indirect(buffer, *offset),
            None => pass.dispatch_workgroups(x, y, z),
        }
    }
    if let Some((marks, after)) = marks.filter(|_| is_last).and_then(|marks| Some((marks, marks.after()?))) {
        marks.mark(&mut pass, after);
    }
}

/// What all frames of a plan consist of.
pub(super) struct Frames {
    pub uniforms: wgpu::Buffer,
    /// Dispatches of even and of odd frames, where buffers have changed places. The second list is empty where the
    /// first serves for both.
    pub steps: [Vec<RecordedDispatch>; 2],
    /// Dispatches that the next frames depend on, of even and of odd frames.
    pub simulating: [Vec<RecordedDispatch>; 2],
    /// Watched numbers of even and of odd frames.
    pub watched: [Vec<wgpu::Buffer>; 2],
}

impl Frames {
    /// The dispatches of even or odd frames.
    pub(super) fn list(&self, odd: bool) -> &[RecordedDispatch] {
        let [even, other] = &self.steps;
        if odd && !other.is_empty() { other } else { even }
    }

    /// The dispatches of even or odd frames, with those for images or without.
    pub(super) fn dispatches(&self, odd: bool, images: bool) -> &[RecordedDispatch] {
        let [even, other] = &self.simulating;
        match (images, odd && !other.is_empty()) {
            (true, _) => self.list(odd),
            (false, true) => other,
            (false, false) => even,
        }
    }

    /// The numbers that are read back after even or odd frames.
    pub(super) fn watched(&self, odd: bool) -> &[wgpu::Buffer] {
        let [even, other] = &self.watched;
        if odd { other } else { even }
    }
}

/// The commands of a frame, and the staging memory that they use.
pub(super) struct Recorded {
    pub commands: wgpu::CommandBuffer,
    /// Staging memory of the frame; `None` where all slots are in use.
    pub slot: Option<StagingSlot>,
}

/// Which commands a frame consists of.
#[derive(Clone)]
pub(super) struct Frame {
    /// Buffers that swap have changed places.
    pub odd: bool,
    /// Whether what the next frames do not depend on is computed too.
    pub images: bool,
    pub marks: Option<Arc<Marks>>,
}

impl Frame {
    fn is(&self, other: &Frame) -> bool {
        let same = match (&self.marks, &other.marks) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        self.odd == other.odd && self.images == other.images && same
    }
}

/// State of the next frame's commands.
enum Next {
    Idle,
    Asked(Frame),
    Recording(Frame),
    Ready(Frame, Recorded),
    /// The thread should end.
    Closed,
}

struct Shared {
    gpu: Gpu,
    frames: Arc<Frames>,
    pool: StagingPool,
    next: Mutex<Next>,
    changed: Condvar,
    took: Mutex<Duration>,
    counts: Counts,
}

/// Frames that were recorded on the thread, and during their step.
#[derive(Default)]
struct Counts {
    ahead: AtomicU64,
    late: AtomicU64,
}

/// Records the frames of a plan.
pub(super) struct Recorder {
    shared: Arc<Shared>,
    /// The thread that records; `None` where no thread could be started.
    thread: Option<JoinHandle<()>>,
}

impl Recorder {
    /// Frames take their slots from `pool`.
    pub(super) fn new(gpu: &Gpu, frames: Arc<Frames>, pool: StagingPool) -> Recorder {
        let shared = Arc::new(Shared {
            gpu: gpu.clone(),
            frames,
            pool,
            next: Mutex::new(Next::Idle),
            changed: Condvar::new(),
            took: Mutex::default(),
            counts: Counts::default(),
        });
        let work = {
            let shared = shared.clone();
            move || shared.work()
        };
        // Not `background`: the thread uses the device as long as the recorder lives, and is waited for without a time limit.
        let thread = std::thread::Builder::new().name("record".into()).spawn(work).ok();
        Recorder { shared, thread }
    }

    /// A frame's commands: recorded in advance, or otherwise now.
    pub(super) fn take(&self, wanted: &Frame) -> Recorded {
        self.shared.take(wanted).unwrap_or_else(|| self.shared.record(wanted, &self.shared.counts.late))
    }

    /// Starts recording the frame that will probably be needed next.
    pub(super) fn prepare(&self, frame: Frame) {
        if self.thread.is_some() {
            let before = std::mem::replace(&mut *self.shared.lock(), Next::Asked(frame));
            self.shared.changed.notify_all();
            self.shared.discard(before);
        }
    }

    /// Frames recorded so far: in advance, and during their step.
    pub(super) fn counts(&self) -> [u64; 2] {
        let counts = &self.shared.counts;
        [&counts.ahead, &counts.late].map(|count| count.load(Ordering::Relaxed))
    }

    /// How long the last recording took, on either thread.
    pub(super) fn took(&self) -> Duration {
        self.shared.took.lock().map(|took| *took).unwrap_or_default()
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        *self.shared.lock() = Next::Closed;
        self.shared.changed.notify_all();
        // The thread's resources must be freed before the engine's. A panic in it has been reported already.
        self.thread.take().map(JoinHandle::join);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Next> {
        self.next.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn wait<'a>(&self, next: MutexGuard<'a, Next>) -> MutexGuard<'a, Next> {
        self.changed.wait(next).unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn record(&self, frame: &Frame, count: &AtomicU64) -> Recorded {
        let started = Instant::now();
        let slot = self.pool.take();
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        slot.iter().for_each(|slot| slot.unpack(&mut encoder, &self.frames.uniforms));
        let list = self.frames.dispatches(frame.odd, frame.images);
        run(&mut encoder, list, 0..list.len(), frame.marks.as_deref());
        slot.iter().for_each(|slot| slot.pack(&mut encoder, self.frames.watched(frame.odd)));
        let commands = encoder.finish();
        if let Ok(mut took) = self.took.lock() {
            *took = started.elapsed();
        }
        count.fetch_add(1, Ordering::Relaxed);
        Recorded { commands, slot }
    }

    /// The recorded frame if it is the one that is wanted. A recording that has not started is left to the caller.
    fn take(&self, wanted: &Frame) -> Option<Recorded> {
        let mut next = self.lock();
        while matches!(&*next, Next::Recording(frame) if frame.is(wanted)) {
            next = self.wait(next);
        }
        match std::mem::replace(&mut *next, Next::Idle) {
            Next::Ready(frame, recorded) if frame.is(wanted) => Some(recorded),
            other => {
                self.discard(other);
                None
            }
        }
    }

    /// Returns the slot of a recorded frame that is not wanted.
    fn discard(&self, next: Next) {
        if let Next::Ready(_, recorded) = next {
            recorded.slot.into_iter().for_each(|slot| self.pool.put(slot));
        }
    }

    fn work(&self) {
        let _awake = Awake(self);
        let mut next = self.lock();
        loop {
            next = match &*next {
                Next::Closed => return,
                Next::Asked(frame) => {
                    let frame = frame.clone();
                    *next = Next::Recording(frame.clone());
                    drop(next);
                    let recorded = self.record(&frame, &self.counts.ahead);
                    let mut next = self.lock();
                    // Another frame may have been requested meanwhile.
                    let ready = Next::Ready(frame, recorded);
                    if matches!(&*next, Next::Recording(_)) {
                        *next = ready;
                        self.changed.notify_all();
                    } else {
                        self.discard(ready);
                    }
                    next
                }
                _ => self.wait(next),
            };
        }
    }
}

/// Marks the thread as ended, also after a panic, so that nobody waits for it.
struct Awake<'a>(&'a Shared);

impl Drop for Awake<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            *self.0.lock() = Next::Idle;
            self.0.changed.notify_all();
        }
    }
}
