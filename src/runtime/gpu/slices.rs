//! A frame that a thread submits in slices, so that what else uses the GPU waits for one slice and not for the whole frame. A window
//! shares its device with the simulation, and a GPU works off one queue in order. What a slice costs is learned while slices run. A dispatch
//! is never divided, and neither is the reset.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::device::Gpu;
use super::recorder::{Frames, RecordedDispatch, run};
use super::timing::Marks;
use super::upload_ring::StagingSlot;

/// GPU time of a slice \[ms\]: a window that waits for two of them still answers at once. A dispatch is never divided.
const BUDGET: f32 = 10.0;
/// GPU time of what is queued \[ms\]: one slice runs while the next waits, so the GPU never idles. A dispatch that takes longer is alone.
const QUEUED: f32 = 2.0 * BUDGET;
/// How often to look whether a slice is done.
const LOOK: Duration = Duration::from_micros(500);

/// GPU time of each dispatch of a frame \[ms\], learned from slices; `None` for those that have not run yet.
#[derive(Default)]
pub(super) struct Costs(Mutex<Vec<Option<f32>>>);

impl Costs {
    /// The next slice from `start` on: as many dispatches as fit the budget, at least one. While times are unknown, twice as many as in
    /// the slice before, if that was quick.
    fn slice(&self, start: usize, count: usize, before: usize) -> Range<usize> {
        let mut costs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        costs.resize(count, None);
        let recent = costs.get(start.saturating_sub(before)..start).unwrap_or_default();
        let guess = recent.iter().flatten().copied().reduce(f32::max).unwrap_or(BUDGET);
        let mut end = start;
        let mut sum = 0.0;
        let mut unknown = 0;
        for cost in costs.get(start..).unwrap_or_default() {
            sum += cost.unwrap_or(guess);
            unknown += usize::from(cost.is_none());
            if end > start && (sum > BUDGET || unknown > 2 * before.max(1)) {
                break;
            }
            end += 1;
        }
        start..end
    }

    /// The time of a slice, if all of it is known.
    fn time(&self, slice: Range<usize>) -> Option<f32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(slice)?.iter().copied().sum()
    }

    /// Notes what a slice took \[ms\]. Its dispatches share it as they shared it before, or evenly.
    fn learn(&self, slice: Range<usize>, ms: f32) {
        let mut costs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let even = ms / slice.len().max(1) as f32;
        let Some(costs) = costs.get_mut(slice) else { return };
        let total: Option<f32> = costs.iter().copied().sum();
        for cost in costs {
            *cost = Some(match (*cost, total) {
                (Some(cost), Some(total)) if total > 0.0 => 0.5 * cost + 0.5 * ms * cost / total,
                _ => even,
            });
        }
    }
}

/// What the thread is to submit.
pub(super) struct Job {
    pub gpu: Gpu,
    pub frames: Arc<Frames>,
    pub costs: Arc<Costs>,
    /// Buffers that swap have changed places.
    pub odd: bool,
    /// Whether what the next frames do not depend on is computed too.
    pub images: bool,
    pub marks: Option<Arc<Marks>>,
    /// Filled with the frame's uniforms; `None` where they were written without one.
    pub slot: Option<StagingSlot>,
}

/// A frame that is being submitted.
pub(super) struct Slices {
    state: Arc<State>,
    /// Where its timestamps are taken.
    marks: Option<Arc<Marks>>,
    /// The thread that submits; `None` once it has ended.
    thread: Option<JoinHandle<Outcome>>,
}

/// What comes of a frame.
pub(super) struct Outcome {
    pub slot: Option<StagingSlot>,
    /// GPU time of all slices.
    pub took: Duration,
}

#[derive(Default)]
struct State {
    /// Dispatches submitted.
    submitted: AtomicUsize,
    total: usize,
    stop: AtomicBool,
    done: AtomicBool,
}

struct Slice {
    range: Range<usize>,
    submitted: Instant,
    done: Arc<OnceLock<Instant>>,
}

impl Slices {
    /// Starts to submit a frame. `wake` is called when the GPU has computed it.
    ///
    /// # Errors
    /// No thread can be started. Then nothing is submitted.
    pub(super) fn start(job: Job, wake: impl FnOnce() + Send + 'static) -> io::Result<Slices> {
        let marks = job.marks.clone();
        let state = Arc::new(State { total: job.list().len(), ..State::default() });
        let work = {
            let state = state.clone();
            move || {
                let outcome = job.submit(&state);
                state.done.store(true, Ordering::Release);
                wake();
                outcome
            }
        };
        // Not `background`: the thread uses the device, and is waited for without a time limit.
        Ok(Slices { thread: Some(std::thread::Builder::new().name("slices".into()).spawn(work)?), state, marks })
    }

    /// The part of the frame that is submitted, 0..1.
    pub(super) fn progress(&self) -> f32 {
        self.state.submitted.load(Ordering::Relaxed) as f32 / self.state.total.max(1) as f32
    }

    /// Whether the GPU has computed the frame, or it was stopped.
    pub(super) fn is_done(&self) -> bool {
        self.state.done.load(Ordering::Acquire)
    }

    /// Whether the frame's timestamps are taken at these marks.
    pub(super) fn marks(&self, marks: &Arc<Marks>) -> bool {
        self.marks.as_ref().is_some_and(|ours| Arc::ptr_eq(ours, marks))
    }

    /// What comes of it, once the GPU has computed all. `stop`: leaves out what is not submitted yet.
    pub(super) fn end(mut self, stop: bool) -> Outcome {
        self.state.stop.fetch_or(stop, Ordering::Relaxed);
        // A panic in the thread has been reported already.
        let outcome = self.thread.take().and_then(|thread| thread.join().ok());
        outcome.unwrap_or(Outcome { slot: None, took: Duration::ZERO })
    }
}

impl Drop for Slices {
    fn drop(&mut self) {
        self.state.stop.store(true, Ordering::Relaxed);
        // The thread's resources must be freed before the engine's.
        self.thread.take().map(JoinHandle::join);
    }
}

impl Job {
    fn list(&self) -> &[RecordedDispatch] {
        self.frames.dispatches(self.odd, self.images)
    }

    fn submit(self, state: &State) -> Outcome {
        let list = self.list();
        let mut queue = Queue { gpu: &self.gpu, costs: &self.costs, slices: VecDeque::new(), took: 0.0, free: None };
        let (mut next, mut before) = (0, 0);
        while !(state.stop.load(Ordering::Relaxed) || self.gpu.is_lost()) {
            let range = self.costs.slice(next, list.len(), before);
            before = range.len();
            let (first, last) = (next == 0, range.end == list.len());
            next = range.end;
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            self.slot.iter().filter(|_| first).for_each(|slot| slot.unpack(&mut encoder, &self.frames.uniforms));
            run(&mut encoder, list, range.clone(), self.marks.as_deref());
            let watched = self.frames.watched(self.odd);
            self.slot.iter().filter(|_| last).for_each(|slot| slot.pack(&mut encoder, watched));
            self.gpu.queue.submit([encoder.finish()]);
            queue.push(range);
            state.submitted.store(next, Ordering::Relaxed);
            if last {
                queue.wait(|_| false);
                break;
            }
            // If its time is known, the next slice may wait behind this one. Otherwise this one tells how large it may be.
            let coming = self.costs.time(self.costs.slice(next, list.len(), before));
            queue.wait(|queued| coming.is_some_and(|coming| queued + coming <= QUEUED));
        }
        Outcome { took: Duration::from_secs_f32(queue.took / 1e3), slot: self.slot }
    }
}

/// Slices on the GPU, oldest first.
struct Queue<'a> {
    gpu: &'a Gpu,
    costs: &'a Costs,
    slices: VecDeque<Slice>,
    /// GPU time of the finished ones \[ms\].
    took: f32,
    /// When the last one was finished.
    free: Option<Instant>,
}

impl Queue<'_> {
    fn push(&mut self, range: Range<usize>) {
        let done = Arc::<OnceLock<Instant>>::default();
        let noted = done.clone();
        self.gpu.when_done(move || {
            let _ = noted.set(Instant::now());
        });
        self.slices.push_back(Slice { range, submitted: Instant::now(), done });
    }

    /// Waits until nothing is queued, or it is little enough: `few` gets the time of what is queued \[ms\], and infinity where that is not
    /// known.
    fn wait(&mut self, few: impl Fn(f32) -> bool) {
        let time = |slice: &Slice| self.costs.time(slice.range.clone()).unwrap_or(f32::INFINITY);
        let busy = |slices: &VecDeque<Slice>| !slices.is_empty() && !few(slices.iter().map(time).sum());
        while busy(&self.slices) && !self.gpu.is_lost() {
            self.gpu.poll();
            while let Some(done) = self.slices.front().and_then(|slice| slice.done.get().copied())
                && let Some(slice) = self.slices.pop_front()
            {
                let since = self.free.map_or(slice.submitted, |free| free.max(slice.submitted));
                let ms = 1e3 * done.saturating_duration_since(since).as_secs_f32();
                self.free = Some(done);
                self.took += ms;
                self.costs.learn(slice.range, ms);
            }
            if busy(&self.slices) {
                std::thread::sleep(LOOK);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slices of a frame whose dispatches take these times \[ms\].
    fn frame(costs: &Costs, times: &[f32]) -> Vec<usize> {
        let (mut next, mut lengths) = (0, Vec::new());
        while next < times.len() {
            let slice = costs.slice(next, times.len(), lengths.last().copied().unwrap_or(0));
            next = slice.end;
            lengths.push(slice.len());
            costs.learn(slice.clone(), times[slice].iter().sum());
        }
        lengths
    }

    #[test]
    fn quick_dispatches_are_soon_one_slice() {
        let costs = Costs::default();
        assert_eq!(frame(&costs, &[0.01; 100]), [1, 2, 4, 8, 16, 32, 37], "the first time they are found out about");
        assert_eq!(frame(&costs, &[0.01; 100]), [100]);
    }

    #[test]
    fn slow_dispatches_are_slices_of_their_own_and_the_quick_ones_between_share_one() {
        let costs = Costs::default();
        let times: Vec<f32> = (0..60).map(|index| if index % 20 == 10 { 40.0 } else { 0.1 }).collect();
        let mut longest = 0.0;
        for round in 0..30 {
            let mut at = 0;
            for length in frame(&costs, &times) {
                let ms: f32 = times[at..at + length].iter().sum();
                if round == 29 {
                    longest = f32::max(longest, ms);
                }
                at += length;
            }
        }
        assert!(longest < 40.0 + 2.0 * BUDGET, "a slice of {longest} ms");
    }

    #[test]
    fn nothing_is_left_out_and_a_frame_without_dispatches_has_an_empty_slice() {
        let costs = Costs::default();
        assert_eq!(costs.slice(0, 0, 0), 0..0);
        assert_eq!(frame(&costs, &[100.0; 5]), [1, 1, 1, 1, 1]);
    }
}
