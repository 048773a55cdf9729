//! What goes to the GPU with a frame and what comes back: its uniforms, and the watched numbers. The copies are recorded with the
//! dispatches, and the memory between goes round, so handing a frame in makes nothing new.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::device::Gpu;
use super::mapped;
use super::memory::OutOfMemory;

/// Bytes that a watched number takes on its way to the CPU.
const WATCH_BYTES: u64 = 16;

/// Slots of an engine: frames that are on their way to a GPU which keeps up, and some. Those of a CPU that is farther ahead go
/// without, and tell nothing.
const SLOTS: usize = 8;

/// Memory of a frame on its way.
pub struct StagingSlot {
    /// Uniforms. Mapped while nothing is on its way.
    there: wgpu::Buffer,
    /// Watched numbers. Mapped when they have come back, until they are read.
    back: Option<wgpu::Buffer>,
    /// Buffers that are still to be mapped; at first `there` alone.
    mapping: Arc<AtomicU8>,
}

/// The device failed.
const FAILED: u8 = 128;

impl StagingSlot {
    /// `uniforms`: \[bytes\]; `watched`: how many numbers.
    fn new(gpu: &Gpu, uniforms: u64, watched: usize) -> Result<StagingSlot, OutOfMemory> {
        let write = wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC;
        let there = gpu.buffer("uniforms on their way", uniforms, write)?;
        let read = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let back =
            (watched > 0).then(|| gpu.buffer("watched numbers", watched as u64 * WATCH_BYTES, read)).transpose()?;
        let slot = StagingSlot { there, back, mapping: Arc::default() };
        // What is mapped at its creation ends the process where there is no memory.
        slot.map([Some((&slot.there, wgpu::MapMode::Write)), None]);
        Ok(slot)
    }

    /// In front of a frame.
    pub fn unpack(&self, encoder: &mut wgpu::CommandEncoder, uniforms: &wgpu::Buffer) {
        encoder.copy_buffer_to_buffer(&self.there, 0, uniforms, 0, self.there.size());
    }

    /// Behind a frame.
    pub fn pack(&self, encoder: &mut wgpu::CommandEncoder, watched: &[wgpu::Buffer]) {
        for (index, source) in watched.iter().enumerate() {
            let at = index as u64 * WATCH_BYTES;
            self.back.iter().for_each(|back| encoder.copy_buffer_to_buffer(source, 0, back, at, WATCH_BYTES));
        }
    }

    /// Puts the uniforms of the frame in that is handed in next.
    /// False when the device was lost: the slot is of no use any more.
    pub fn fill(&self, uniforms: &[u8]) -> bool {
        mapped::write(&self.there, uniforms)
    }

    /// Asks for memory, for when the GPU has done with it.
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

    /// The words of the watched numbers, of a slot that has come back; none where nothing is watched. `None` when the device was
    /// lost: the slot is of no use any more.
    fn words(&self) -> Option<Vec<u32>> {
        let Some(back) = &self.back else { return Some(Vec::new()) };
        let all = mapped::words(back, back.size())?;
        Some(all.into_iter().step_by(WATCH_BYTES as usize / 4).collect())
    }
}

/// Slots that are not on their way.
#[derive(Clone)]
pub struct StagingPool {
    gpu: Gpu,
    slots: Arc<Mutex<Vec<StagingSlot>>>,
}

impl StagingPool {
    /// `uniforms`: \[bytes\]; `watched`: how many numbers.
    ///
    /// # Errors
    /// When there is no memory for them: without, watched numbers would not come back.
    pub fn new(gpu: &Gpu, uniforms: u64, watched: usize) -> Result<StagingPool, OutOfMemory> {
        let slots = (0..SLOTS).map(|_| StagingSlot::new(gpu, uniforms, watched)).collect::<Result<_, _>>()?;
        // Nothing uses the memory yet, so this is enough for it to be mapped.
        gpu.look();
        Ok(StagingPool { gpu: gpu.clone(), slots: Arc::new(Mutex::new(slots)) })
    }

    /// One that can be filled, if there is any.
    pub fn take(&self) -> Option<StagingSlot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let mapped = slots.iter().position(StagingSlot::is_mapped)?;
        Some(slots.swap_remove(mapped))
    }

    /// Takes one back that is mapped, or will be.
    pub fn put(&self, slot: StagingSlot) {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).push(slot);
    }
}

/// Slots on their way, the oldest first.
pub struct UploadRing {
    pool: StagingPool,
    in_flight: VecDeque<StagingSlot>,
    /// As many of the oldest bring back what nobody wants any more.
    unwanted: usize,
}

impl UploadRing {
    pub fn new(pool: StagingPool) -> UploadRing {
        UploadRing { pool, in_flight: VecDeque::new(), unwanted: 0 }
    }

    /// Takes a slot over whose frame was handed in.
    pub fn send(&mut self, slot: StagingSlot) {
        let back = slot.back.as_ref().map(|back| (back, wgpu::MapMode::Read));
        slot.map([Some((&slot.there, wgpu::MapMode::Write)), back]);
        self.in_flight.push_back(slot);
    }

    /// The words of the watched numbers of each frame that has come back since the last call, the oldest first. `wait`: of all that
    /// were sent.
    pub fn collect(&mut self, wait: bool) -> Vec<Vec<u32>> {
        if wait {
            self.pool.gpu.wait();
        }
        let mut told = Vec::new();
        while self.in_flight.front().is_some_and(|slot| slot.is_mapped() || slot.has_failed())
            && let Some(slot) = self.in_flight.pop_front()
        {
            if slot.is_mapped()
                && let Some(words) = slot.words()
            {
                if self.unwanted == 0 && !words.is_empty() {
                    told.push(words);
                }
                self.pool.put(slot);
            }
            self.unwanted = self.unwanted.saturating_sub(1);
        }
        told
    }

    /// What is on its way is of no interest any more.
    pub fn forget(&mut self) {
        self.unwanted = self.in_flight.len();
    }
}
