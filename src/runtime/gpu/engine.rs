//! Buffers and bind groups of a plan; runs each frame as one pass and one submit.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::device::Gpu;
use super::invariant::InvariantInputs;
use super::limits::check_limits;
use super::memory::OutOfMemory;
use super::pipelines::Pipeline;
use super::readback::Reading;
use super::recorder::{Frame, Frames, Recorded, RecordedDispatch, Recorder, run};
use super::slices::{Costs, Job, Outcome, Slices};
use super::timing::{List, NodeTime, Profile, Recent, Timing};
use super::upload_ring::{StagingPool, StagingSlot, UploadRing};
use crate::arena::IdVec;
use crate::plan::{Buffer, BufferId, Dispatch, FRAME_BYTES, Kernel, KernelId, Plan, mebibytes};
use crate::problem::{Problem, Problems};

/// The memory of each of a plan's buffers.
type Buffers = IdVec<Buffer, wgpu::Buffer>;

/// A plan prepared on a device.
pub struct Engine {
    gpu: Gpu,
    buffers: Buffers,
    uniforms: wgpu::Buffer,
    flags: Option<wgpu::Buffer>,
    /// Bytes of the flags that are read back: alarms, and counts of scatter ports.
    flag_bytes: u64,
    frame: Recorder,
    frames: Arc<Frames>,
    /// What is known of the times of a frame's dispatches, and of those that the next frames depend on.
    costs: [Arc<Costs>; 2],
    /// The frame that is being submitted in slices.
    slices: Option<Slices>,
    pool: StagingPool,
    reset: Vec<RecordedDispatch>,
    /// Dispatches that are invariant. Their bindings never swap.
    once: Vec<RecordedDispatch>,
    invariant_inputs: InvariantInputs,
    /// Whether the buffers that swap have changed places.
    swapped: bool,
    /// Whether the buffers that swap had changed places in the last frame.
    last_swapped: bool,
    swaps: Vec<(BufferId, BufferId)>,
    timing: Option<Timing>,
    pending_flags: Option<Reading>,
    uploads: UploadRing,
}

/// Copies of buffers on the device. A clone is of the same memory.
#[derive(Clone)]
pub struct Copies(Vec<wgpu::Buffer>);

impl Copies {
    /// Memory that they take \[bytes\].
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(wgpu::Buffer::size).sum()
    }

    pub(super) fn buffers(&self) -> &[wgpu::Buffer] {
        &self.0
    }

    /// Requests them in host memory, one after another.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn read(&self, gpu: &Gpu) -> Result<Reading, OutOfMemory> {
        let parts: Vec<(&wgpu::Buffer, u64)> = self.0.iter().map(|copy| (copy, copy.size())).collect();
        Reading::start_parts(gpu, &parts)
    }
}

impl Engine {
    /// Allocates memory and makes pipelines.
    ///
    /// # Errors
    /// What the adapter lacks, and how much; shaders that the driver rejects; memory that is not available.
    pub fn new(gpu: &Gpu, plan: &Plan) -> Result<Engine, Problems> {
        check_limits(gpu, plan)?;
        let pipelines = gpu.pipelines(plan, &mut |_| true)?;
        let Memory { buffers, uniforms, flags } = Memory::allocate(gpu, plan).map_err(|error| {
            let largest = plan.buffers.iter().max_by_key(|b| b.bytes);
            let cause = format!(
                "the GPU does not have enough memory for the {} of this graph (largest: {}): {error}",
                mebibytes(plan.memory),
                largest.map_or("", |b| b.label.as_str())
            );
            Problem::new("", "", cause, "lower the resolution of its domains")
        })?;
        let builder =
            Builder { gpu, plan, pipelines: &pipelines, buffers: &buffers, uniforms: &uniforms, flags: flags.as_ref() };
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let even = builder.steps(&plan.frame, false);
        let odd = if plan.swaps.is_empty() { Vec::new() } else { builder.steps(&plan.frame, true) };
        let reset = builder.steps(&plan.reset, false);
        let once = builder.steps(&plan.invariant, false);
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(Problem::new(
                "",
                "",
                format!("the driver refuses the graph's bindings: {error}"),
                "try another adapter",
            )
            .into());
        }
        let watched = |swapped| {
            let places = plan.watches.iter().map(|w| place(&plan.swaps, w.buffer, swapped));
            places.filter_map(|place| buffers.get(place).cloned()).collect::<Vec<_>>()
        };
        let watched = [watched(false), watched(true)];
        let pool = StagingPool::new(gpu, uniforms.size(), plan.watches.len()).map_err(Problem::from)?;
        let needed = plan.simulating();
        let simulating = [&even, &odd].map(|list| {
            let needed = list.iter().zip(&needed).filter(|(_, needed)| **needed);
            needed.map(|(dispatch, _)| dispatch.clone()).collect()
        });
        let frames = Arc::new(Frames { uniforms: uniforms.clone(), steps: [even, odd], simulating, watched });
        Ok(Engine {
            gpu: gpu.clone(),
            timing: Timing::new(gpu),
            frame: Recorder::new(gpu, frames.clone(), pool.clone()),
            frames,
            costs: Default::default(),
            slices: None,
            pool: pool.clone(),
            reset,
            once,
            invariant_inputs: InvariantInputs::new(plan),
            swapped: false,
            last_swapped: false,
            swaps: plan.swaps.clone(),
            pending_flags: None,
            uploads: UploadRing::new(pool),
            buffers,
            uniforms,
            flags,
            flag_bytes: plan.scatter_places().head * 4,
        })
    }

    /// Runs the dispatches that start the simulation. `uniforms` is the whole uniform buffer.
    pub fn reset(&mut self, uniforms: &[u8]) {
        self.abandon();
        self.swapped = false;
        self.last_swapped = false;
        self.uploads.forget();
        self.invariant_inputs.forget();
        // Flags on their way belong to the previous run.
        self.pending_flags = None;
        self.gpu.queue.write_buffer(&self.uniforms, 0, uniforms);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        self.flags.iter().for_each(|flags| encoder.clear_buffer(flags, 0, None));
        let track = self.timing.as_ref().and_then(|timing| timing.ready(List::Reset));
        run(&mut encoder, &self.reset, 0..self.reset.len(), track.map(|t| &**t.marks()));
        track.iter().for_each(|track| track.resolve(&mut encoder));
        let timed = track.map(|_| List::Reset);
        self.gpu.queue.submit([encoder.finish()]);
        self.ask_for_times([timed, None]);
    }

    /// Runs a frame: one pass, one submit, no wait. Invariant dispatches run before it in a pass of their own, if they
    /// have to run at all. The next frame is recorded meanwhile. `uniforms` is the whole uniform buffer.
    ///
    /// Without `images`, what the next frames do not depend on is left out: images, and wires that nothing but a reader needs, keep what
    /// they hold. `then` says it of the coming step.
    pub fn step(&mut self, uniforms: &[u8], images: bool, then: bool) {
        self.abandon();
        let (before, once) = self.invariant(uniforms).unzip();
        let (behind, frame) = self.resolve().filter(|_| images).unzip();
        let timed = [once.flatten(), frame];
        let marks = |later, images| self.timing.as_ref().and_then(|timing| timing.marks_of(later, images));
        let (now, next) = (marks(0, images), marks(1, then));
        let frame = |odd, images, marks| Frame { odd, images, marks };
        let Recorded { commands, slot } = self.frame.take(&frame(self.swapped, images, now));
        let slot = slot.filter(|slot| slot.fill(uniforms));
        if slot.is_none() {
            self.gpu.queue.write_buffer(&self.uniforms, 0, uniforms);
        }
        self.gpu.queue.submit(before.into_iter().chain([commands]).chain(behind));
        self.close(slot, timed);
        self.timing.iter_mut().for_each(|timing| timing.step = (timing.step + 1) % timing.steps.max(1));
        self.frame.prepare(frame(self.swapped, then, next));
    }

    /// Starts a frame that a thread submits in slices, so that what else uses the device waits for no more than some 20 ms, or one dispatch.
    /// [`Engine::finish`] ends it. `images` as in [`Engine::step`]. `wake` is called, on any thread, when the GPU has computed it.
    ///
    /// # Errors
    /// The system starts no thread.
    pub fn start(
        &mut self,
        uniforms: &[u8],
        images: bool,
        wake: impl FnOnce() + Send + 'static,
    ) -> Result<(), Problem> {
        self.abandon();
        let (before, once) = self.invariant(uniforms).unzip();
        let slot = self.pool.take().filter(|slot| slot.fill(uniforms));
        if slot.is_none() {
            self.gpu.queue.write_buffer(&self.uniforms, 0, uniforms);
        }
        self.gpu.queue.submit(before);
        self.ask_for_times([once.flatten(), None]);
        let job = Job {
            gpu: self.gpu.clone(),
            frames: self.frames.clone(),
            costs: self.costs[usize::from(!images)].clone(),
            odd: self.swapped,
            images,
            marks: self.timing.as_ref().and_then(Timing::marks).filter(|_| images),
            slot,
        };
        let failed = |error| {
            let cause = format!("the system starts no thread for the frame: {error}");
            Problem::new("", "", cause, "close other programs and play again")
        };
        self.slices = Some(Slices::start(job, wake).map_err(failed)?);
        Ok(())
    }

    /// The part of the frame in slices that is submitted, 0..1; `None` where there is none.
    pub fn progress(&self) -> Option<f32> {
        self.slices.as_ref().map(Slices::progress)
    }

    /// Ends the frame in slices if the GPU has computed it; with `wait`, once it has. Returns its GPU time.
    pub fn finish(&mut self, wait: bool) -> Option<Duration> {
        let slices = self.slices.take_if(|slices| wait || slices.is_done())?;
        let timed = self.timing.as_ref().and_then(Timing::marks).is_some_and(|marks| slices.marks(&marks));
        let Outcome { slot, took } = slices.end(false);
        let (behind, frame) = self.resolve().filter(|_| timed).unzip();
        self.gpu.queue.submit(behind);
        self.close(slot, [None, frame]);
        Some(took)
    }

    /// Stops a frame in slices. What it has computed so far stays in the buffers.
    pub fn abandon(&mut self) {
        if let Some(slices) = self.slices.take() {
            let Outcome { slot, .. } = slices.end(true);
            slot.into_iter().for_each(|slot| self.uploads.send(slot));
            // Its watched numbers were not computed.
            self.uploads.forget();
        }
    }

    /// Invariant dispatches if they have to run, and whether they are timed.
    fn invariant(&mut self, uniforms: &[u8]) -> Option<(wgpu::CommandBuffer, Option<List>)> {
        if !self.invariant_inputs.due(uniforms) {
            return None;
        }
        let track = self.timing.as_ref().and_then(|timing| timing.ready(List::Invariant));
        // The copy recorded with the frame comes after this.
        self.gpu.queue.write_buffer(&self.uniforms, 0, uniforms);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        run(&mut encoder, &self.once, 0..self.once.len(), track.map(|t| &**t.marks()));
        track.iter().for_each(|track| track.resolve(&mut encoder));
        Some((encoder.finish(), track.map(|_| List::Invariant)))
    }

    /// What follows a frame that is timed.
    fn resolve(&self) -> Option<(wgpu::CommandBuffer, List)> {
        let track = self.timing.as_ref()?.ready(List::Frame)?;
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        track.resolve(&mut encoder);
        Some((encoder.finish(), List::Frame))
    }

    /// What follows when a frame was submitted.
    fn close(&mut self, slot: Option<StagingSlot>, timed: [Option<List>; 2]) {
        slot.into_iter().for_each(|slot| self.uploads.send(slot));
        self.ask_for_times(timed);
        self.last_swapped = self.swapped;
        self.swapped = !self.swapped && !self.swaps.is_empty();
    }

    /// What a debugger runs part by part: the uniforms, the dispatches of the present frame, and the alarms.
    pub(super) fn parts(&self) -> (&wgpu::Buffer, &[RecordedDispatch], Option<&wgpu::Buffer>) {
        (&self.uniforms, self.frames.list(self.swapped), self.flags.as_ref())
    }

    /// Ends a frame that was run part by part: its next values take the place of the present ones.
    pub(crate) fn end_parts(&mut self) {
        self.close(None, [None, None]);
    }

    /// Buffers that have changed places take their first ones again. What they hold is to be overwritten.
    pub(crate) fn rewind(&mut self) {
        (self.swapped, self.last_swapped) = (false, false);
    }

    /// Frames recorded so far: in advance, and during their step.
    pub fn recorded(&self) -> [u64; 2] {
        self.frame.counts()
    }

    /// How long it took to record the last frame. A step waits for this only when it directly follows another.
    pub fn recording(&self) -> Duration {
        self.frame.took()
    }

    /// Requests the words of a buffer; `None` where there is no such buffer. With `state`, the value that the next
    /// frame starts from instead of the one that the last frame used.
    ///
    /// # Errors
    /// When there is no memory for the copy.
    pub fn read(&self, buffer: BufferId, state: bool) -> Option<Result<Reading, OutOfMemory>> {
        self.physical(buffer, state).map(|b| Reading::start(&self.gpu, b))
    }

    /// Requests words of several buffers with one copy: those of each lie in its range, which is empty where a buffer has no such
    /// words. `None` where there are none at all, or no memory.
    pub fn read_together(
        &self,
        parts: impl Iterator<Item = (BufferId, bool, Range<u64>)>,
    ) -> Option<(Reading, Vec<Range<usize>>)> {
        let (mut copies, mut end) = (Vec::new(), 0);
        let range = |(buffer, state, words): (BufferId, bool, Range<u64>)| {
            let start = end;
            let bytes = words.start * 4..words.end * 4;
            if let Some(buffer) = self.physical(buffer, state).filter(|buffer| bytes.end <= buffer.size()) {
                end += (words.end - words.start) as usize;
                copies.push((buffer, bytes));
            }
            start..end
        };
        let ranges: Vec<Range<usize>> = parts.map(range).collect();
        (!copies.is_empty()).then(|| Reading::start_ranges(&self.gpu, &copies).ok()).flatten().map(|r| (r, ranges))
    }

    /// Copies values from another engine on the same device. Each pair is a buffer there and one here.
    pub fn adopt(&mut self, from: &Engine, pairs: &[(BufferId, BufferId)]) {
        self.invariant_inputs.forget();
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        for (theirs, ours) in pairs {
            if let (Some(theirs), Some(ours)) = (from.physical(*theirs, true), self.physical(*ours, true)) {
                self.gpu.copy_state(&mut encoder, theirs, ours);
            }
        }
        self.gpu.queue.submit([encoder.finish()]);
    }

    /// Copies the values that the next frame starts from.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub fn save(&self, buffers: &[BufferId]) -> Result<Copies, OutOfMemory> {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let mut save = |source: &wgpu::Buffer| {
            let copy = self.gpu.buffer("saved", source.size(), usage)?;
            encoder.copy_buffer_to_buffer(source, 0, &copy, 0, source.size());
            Ok(copy)
        };
        let sources = buffers.iter().filter_map(|buffer| self.physical(*buffer, true));
        let saved = sources.map(&mut save).collect::<Result<_, _>>()?;
        self.gpu.queue.submit([encoder.finish()]);
        Ok(Copies(saved))
    }

    /// Restores copies, so that the next frame starts from them.
    pub fn restore(&mut self, buffers: &[BufferId], saved: &Copies) {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let targets = buffers.iter().filter_map(|buffer| self.physical(*buffer, true));
        for (target, copy) in targets.zip(&saved.0) {
            self.gpu.copy_state(&mut encoder, copy, target);
        }
        self.gpu.queue.submit([encoder.finish()]);
    }

    /// Overwrites the value that the next frame starts from. Words that do not fit are left out.
    pub fn write(&mut self, buffer: BufferId, words: &[u32]) {
        self.invariant_inputs.changed(buffer);
        if let Some(buffer) = self.physical(buffer, true) {
            let fitting = words.get(..(buffer.size() / 4) as usize).unwrap_or(words);
            self.gpu.queue.write_buffer(buffer, 0, bytemuck::cast_slice(fitting));
        }
    }

    /// The buffer that holds an image or a wire at present, for a viewport on the same device.
    pub fn buffer(&self, buffer: BufferId, state: bool) -> Option<&wgpu::Buffer> {
        self.physical(buffer, state)
    }

    fn physical(&self, buffer: BufferId, state: bool) -> Option<&wgpu::Buffer> {
        let swapped = if state { self.swapped } else { self.last_swapped };
        self.buffers.get(place(&self.swaps, buffer, swapped))
    }

    /// Sets what is timed from now on. `plan` is the one that the engine was made for.
    pub fn set_profile(&mut self, plan: &Plan, profile: Profile) {
        if let Some(timing) = &mut self.timing {
            timing.set_profile(&self.gpu, plan, profile);
        }
    }

    /// Watched numbers of the frames so far are no longer wanted.
    pub(crate) fn forget_watched(&mut self) {
        self.uploads.forget();
    }

    /// Whether a next frame depends on anything that a frame computes.
    pub(crate) fn simulates(&self) -> bool {
        !self.frames.dispatches(self.swapped, false).is_empty()
    }

    /// The coming frame has so many steps, of which the last is timed: times of what every step computes count so often.
    pub(crate) fn expect_steps(&mut self, steps: u32) {
        if let Some(timing) = &mut self.timing {
            (timing.steps, timing.step) = (steps, 0);
        }
    }

    fn ask_for_times(&mut self, lists: [Option<List>; 2]) {
        if let Some(timing) = &mut self.timing {
            lists.into_iter().flatten().for_each(|list| timing.submitted(list));
            timing.collect(&self.gpu, false);
        }
    }

    /// GPU time by node of the latest timed frame that has arrived, with `wait` of the last one; `None` where the
    /// adapter has no timestamps.
    pub fn times(&mut self, wait: bool) -> Option<&[NodeTime]> {
        let timing = self.timing.as_mut()?;
        timing.collect(&self.gpu, wait);
        Some(timing.nodes())
    }

    /// GPU time by node of the last frames, in the order of [`Engine::times`].
    pub fn node_times(&self) -> Option<&Recent> {
        self.timing.as_ref().map(Timing::history)
    }

    /// GPU time of each dispatch of a list, where it was timed.
    pub fn dispatch_times(&self, list: List) -> Option<&Recent> {
        self.timing.as_ref()?.dispatches(list)
    }

    /// Number of timestamp queries that are allocated.
    pub fn queries(&self) -> usize {
        self.timing.as_ref().map_or(0, Timing::queries)
    }

    /// The words of the watched numbers of all frames that have been read back since the last call, oldest first. No
    /// frame is missing unless the GPU is many frames behind. Must be called after every step, since it recycles the
    /// frames' staging memory. With `wait`, also blocks for those on their way.
    pub fn watched(&mut self, wait: bool) -> Vec<Vec<u32>> {
        self.uploads.collect(wait)
    }

    /// A word for each alarm, nonzero where a kernel has raised it, followed by the counts of scatter ports; empty
    /// where nothing has arrived yet. Blocks only with `wait`.
    pub fn alarms(&mut self, wait: bool) -> Vec<u32> {
        let Some(flags) = &self.flags else { return Vec::new() };
        let pending = self.pending_flags.take();
        let pending = pending.or_else(|| Reading::start_of(&self.gpu, flags, self.flag_bytes).ok());
        // Without memory for the copy, they are requested again next time.
        let Some(pending) = pending else { return Vec::new() };
        let words = match wait {
            true => pending.wait(),
            false => match pending.try_take() {
                Ok(words) => words,
                Err(pending) => {
                    self.pending_flags = Some(pending);
                    None
                }
            },
        };
        words.unwrap_or_default()
    }
}

/// The buffer that takes the place of `buffer`: after an odd number of frames, swapping pairs have changed places.
fn place(swaps: &[(BufferId, BufferId)], buffer: BufferId, swapped: bool) -> BufferId {
    let partner = swaps.iter().find_map(|(a, b)| match buffer {
        x if x == *a => Some(*b),
        x if x == *b => Some(*a),
        _ => None,
    });
    partner.filter(|_| swapped).unwrap_or(buffer)
}

/// All memory of a plan on the device.
struct Memory {
    buffers: Buffers,
    uniforms: wgpu::Buffer,
    /// Alarms, where kernels raise any.
    flags: Option<wgpu::Buffer>,
}

impl Memory {
    fn allocate(gpu: &Gpu, plan: &Plan) -> Result<Memory, OutOfMemory> {
        let copied = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let storage = wgpu::BufferUsages::STORAGE | copied;
        let indirect = storage | wgpu::BufferUsages::INDIRECT;
        let buffers = plan.buffers.iter().map(|b| gpu.buffer(&b.label, b.bytes, indirect));
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let alarms = (plan.scatter_places().all * 4).next_multiple_of(16);
        Ok(Memory {
            buffers: buffers.collect::<Result<_, _>>()?,
            uniforms: gpu.buffer("uniforms", u64::from(plan.uniform_bytes), uniform)?,
            flags: (alarms > 0).then(|| gpu.buffer("alarms", alarms, storage)).transpose()?,
        })
    }
}

struct Builder<'a> {
    gpu: &'a Gpu,
    plan: &'a Plan,
    pipelines: &'a IdVec<Kernel, Arc<Pipeline>>,
    buffers: &'a Buffers,
    uniforms: &'a wgpu::Buffer,
    flags: Option<&'a wgpu::Buffer>,
}

impl Builder<'_> {
    fn steps(&self, dispatches: &[Dispatch], swapped: bool) -> Vec<RecordedDispatch> {
        let mut groups = std::collections::HashMap::new();
        dispatches.iter().filter_map(|d| self.step(d, swapped, &mut groups)).collect()
    }

    fn step(
        &self,
        dispatch: &Dispatch,
        swapped: bool,
        groups: &mut std::collections::HashMap<(KernelId, Vec<BufferId>), wgpu::BindGroup>,
    ) -> Option<RecordedDispatch> {
        let kernel = self.plan.kernels.get(dispatch.kernel)?;
        let pipeline = self.pipelines.get(dispatch.kernel)?;
        let buffers: Vec<BufferId> = dispatch.buffers.iter().map(|b| place(&self.plan.swaps, *b, swapped)).collect();
        let bind_group = groups.entry((dispatch.kernel, buffers.clone())).or_insert_with(|| {
            let uniform = |size: u64| {
                wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: self.uniforms,
                    offset: 0,
                    size: std::num::NonZeroU64::new(size),
                })
            };
            let mut resources = vec![uniform(u64::from(FRAME_BYTES)), uniform(u64::from(kernel.uniform_bytes))];
            resources.extend(buffers.iter().filter_map(|b| self.buffers.get(*b)).map(|b| b.as_entire_binding()));
            resources.extend(self.flags.filter(|_| kernel.warns).map(|b| b.as_entire_binding()));
            let entries: Vec<wgpu::BindGroupEntry<'_>> = resources
                .into_iter()
                .enumerate()
                .map(|(binding, resource)| wgpu::BindGroupEntry { binding: binding as u32, resource })
                .collect();
            self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(&dispatch.node),
                layout: &pipeline.layout,
                entries: &entries,
            })
        });
        Some(RecordedDispatch {
            pipeline: pipeline.clone(),
            bind_group: bind_group.clone(),
            uniform: dispatch.uniform,
            groups: dispatch.groups,
            indirect: dispatch.indirect.and_then(|indirect| {
                let buffer = self.buffers.get(place(&self.plan.swaps, indirect.buffer, swapped))?;
                Some((buffer.clone(), indirect.offset))
            }),
        })
    }
}
