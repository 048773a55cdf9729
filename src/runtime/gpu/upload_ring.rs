//! Per-frame transfers: uniforms to the GPU, watched numbers back. The copies are recorded with the dispatches, and
//! their staging memory is reused, so submitting a frame allocates nothing.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::device::Gpu;
use super::mapped;
use super::memory::OutOfMemory;

/// Bytes of one watched number in the staging buffer.
const WATCH_BYTES: u64 = 16;

/// Slots of an engine: enough for a GPU that keeps up. When the CPU is farther ahead, frames run without a slot, and
/// their watched numbers are not read back.
const SLOTS: usize = 8;

/// Staging memory of one frame.
pub(super) struct StagingSlot {
    /// Uniforms. Mapped while the slot is free.
    there: wgpu::Buffer,
    /// Watched numbers. Mapped from when they have arrived until they are read.
    back: Option<wgpu::Buffer>,
    /// Number of buffers that are still to be mapped; at first only `there`.
    mapping: Arc<AtomicU8>,
}

/// The device failed.
const FAILED: u8 = 128;

impl StagingSlot {
    /// `uniforms`: size \[bytes\]; `watched`: how many numbers.
    fn new(gpu: &Gpu, uniforms: u64, watched: usize) -> Result<StagingSlot, OutOfMemory> {
        let write = wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC;
        let there = gpu.buffer("uniforms on their way", uniforms, write)?;
        let read = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let back =
            (watched > 0).then(|| gpu.buffer("watched numbers", watched as u64 * WATCH_BYTES, read)).transpose()?;
        let slot = StagingSlot { there, back, mapping: Arc::default() };
        // `mapped_at_creation` would end the process where there is no memory.
        slot.map([Some((&slot.there, wgpu::MapMode::Write)), None]);
        Ok(slot)
    }

    /// Records the copy of the uniforms; comes before the frame's dispatches.
    pub(super) fn unpack(&self, encoder: &mut wgpu::CommandEncoder, uniforms: &wgpu::Buffer) {
        encoder.copy_buffer_to_buffer(&self.there, 0, uniforms, 0, self.there.size());
    }

    /// Records the copies of the watched numbers; comes after the frame's dispatches.
    pub(super) fn pack(&self, encoder: &mut wgpu::CommandEncoder, watched: &[wgpu::Buffer]) {
        for (index, source) in watched.iter().enumerate() {
            let at = index as u64 * WATCH_BYTES;
            self.back.iter().for_each(|back| encoder.copy_buffer_to_buffer(source, 0, back, at, WATCH_BYTES));
        }
    }

    /// Writes the uniforms of the frame that is submitted next. False when the device was lost: the slot cannot be used
    /// again.
    pub(super) fn fill(&self, uniforms: &[u8]) -> bool {
        mapped::write(&self.there, uniforms)
    }

    /// Maps buffers as soon as the GPU no longer uses them.
    fn map(&self, buffers: [Option<(&wgpu::Buffer, wgpu::MapMode)>; 2]) {
        let buffers = buffers.into_iter().flatten();
        self.mapping.store(buffers.clone().count() as u8, Ordering::Release);
        for (buffer, mode) in buffers {
            let mapping = self.mapping.clone();
            buffer.map_async(mode, .., move |result| {
                match result {
                    Ok(()) => mapping.fetch_sub(1, Ordering::AcqRel),
                    Err(_) => mapping.fetch_or(FAILED, Ordering::AcqRel),
                };
            });
        }
    }

    fn is_mapped(&self) -> bool {
        self.mapping.load(Ordering::Acquire) == 0
    }

    fn has_failed(&self) -> bool {
        self.mapping.load(Ordering::Acquire) & FAILED != 0
    }

    /// The words of the watched numbers of a slot that has come back; empty where nothing is watched. `None` when the
    /// device was lost: the slot cannot be used again.
    fn words(&self) -> Option<Vec<u32>> {
        let Some(back) = &self.back else { return Some(Vec::new()) };
        let all = mapped::words(back, back.size())?;
        Some(all.into_iter().step_by(WATCH_BYTES as usize / 4).collect())
    }
}

/// Free slots.
#[derive(Clone)]
pub(super) struct StagingPool {
    gpu: Gpu,
    slots: Arc<Mutex<Vec<StagingSlot>>>,
}

impl StagingPool {
    /// `uniforms`: size \[bytes\]; `watched`: how many numbers.
    ///
    /// # Errors
    /// When there is no memory for them. Without it, watched numbers would not be read back.
    pub(super) fn new(gpu: &Gpu, uniforms: u64, watched: usize) -> Result<StagingPool, OutOfMemory> {
        let slots = (0..SLOTS).map(|_| StagingSlot::new(gpu, uniforms, watched)).collect::<Result<_, _>>()?;
        // Nothing uses the memory yet, so one poll is enough to map it.
        gpu.poll();
        Ok(StagingPool { gpu: gpu.clone(), slots: Arc::new(Mutex::new(slots)) })
    }

    /// A slot that can be written, if one is free.
    pub(super) fn take(&self) -> Option<StagingSlot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let mapped = slots.iter().position(StagingSlot::is_mapped)?;
        Some(slots.swap_remove(mapped))
    }

    /// Returns a slot that is mapped or is being mapped.
    pub(super) fn put(&self, slot: StagingSlot) {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).push(slot);
    }
}

/// Slots in use, oldest first.
pub(super) struct UploadRing {
    pool: StagingPool,
    in_flight: VecDeque<StagingSlot>,
    /// Number of the oldest slots whose results are to be discarded.
    unwanted: usize,
}

impl UploadRing {
    pub(super) fn new(pool: StagingPool) -> UploadRing {
        UploadRing { pool, in_flight: VecDeque::new(), unwanted: 0 }
    }

    /// Adds the slot of a frame that was submitted.
    pub(super) fn send(&mut self, slot: StagingSlot) {
        let back = slot.back.as_ref().map(|back| (back, wgpu::MapMode::Read));
        slot.map([Some((&slot.there, wgpu::MapMode::Write)), back]);
        self.in_flight.push_back(slot);
    }

    /// The words of the watched numbers of each frame that has come back since the last call, oldest first. With
    /// `wait`, of all frames submitted.
    pub(super) fn collect(&mut self, wait: bool) -> Vec<Vec<u32>> {
        if wait {
            self.pool.gpu.wait();
        }
        let mut arrived = Vec::new();
        while self.in_flight.front().is_some_and(|slot| slot.is_mapped() || slot.has_failed())
            && let Some(slot) = self.in_flight.pop_front()
        {
            if slot.is_mapped()
                && let Some(words) = slot.words()
            {
                if self.unwanted == 0 && !words.is_empty() {
                    arrived.push(words);
                }
                self.pool.put(slot);
            }
            self.unwanted = self.unwanted.saturating_sub(1);
        }
        arrived
    }

    /// Discards the results of all frames in flight.
    pub(super) fn forget(&mut self) {
        self.unwanted = self.in_flight.len();
    }
}
