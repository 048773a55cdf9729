//! Two buffers that carry results to the CPU alternately. Where both are in use, a result is skipped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::super::device::Gpu;
use super::super::mapped;
use crate::problem::Problem;

const FREE: u8 = 0;
const COPIED: u8 = 1;
const READY: u8 = 2;
/// The device was lost, and the memory with it.
const FAILED: u8 = 3;

/// A result: [`super::found`], followed by each workgroup's sums.
pub struct Arrived {
    /// The number that was passed to the view.
    pub tag: u64,
    /// Words of the result.
    pub words: Vec<u32>,
}

pub(super) struct Staging {
    slots: [StagingSlot; 2],
    /// Number of copies made so far.
    copies: u64,
}

struct StagingSlot {
    buffer: wgpu::Buffer,
    state: Arc<AtomicU8>,
    tag: u64,
    /// The number of the copy that it holds, and how many of its bytes are valid.
    copy: u64,
    bytes: u64,
}

impl Staging {
    /// # Errors
    /// When there is no memory for them.
    pub(super) fn new(gpu: &Gpu, bytes: u64) -> Result<Staging, Problem> {
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let slot = || {
            let buffer = buffer(gpu, bytes, usage)?;
            Ok::<_, Problem>(StagingSlot { buffer, state: Arc::new(AtomicU8::new(FREE)), tag: 0, copy: 0, bytes: 0 })
        };
        Ok(Staging { slots: [slot()?, slot()?], copies: 0 })
    }

    /// Copies parts of buffers, one after another. Returns the slot to map once the copy is submitted.
    pub(super) fn copy(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        parts: &[(&wgpu::Buffer, u64)],
        tag: u64,
    ) -> Option<usize> {
        let free = |slot: &StagingSlot| slot.state.load(Ordering::Acquire) == FREE;
        if !self.slots.iter().any(free) {
            gpu.poll();
        }
        let place = self.slots.iter().position(free)?;
        self.copies += 1;
        let slot = self.slots.get_mut(place)?;
        (slot.tag, slot.copy, slot.bytes) = (tag, self.copies, 0);
        for (buffer, bytes) in parts {
            encoder.copy_buffer_to_buffer(buffer, 0, &slot.buffer, slot.bytes, *bytes);
            slot.bytes += bytes;
        }
        Some(place)
    }

    pub(super) fn map(&mut self, place: usize) {
        let Some(slot) = self.slots.get(place) else { return };
        slot.state.store(COPIED, Ordering::Release);
        let state = slot.state.clone();
        slot.buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            state.store(if result.is_ok() { READY } else { FAILED }, Ordering::Release);
        });
    }

    /// What has arrived, oldest first.
    pub(super) fn take(&mut self, gpu: &Gpu, wait: bool) -> Vec<Arrived> {
        match wait {
            true => gpu.wait(),
            // Callbacks come from polling; a lost device is reported elsewhere.
            false => gpu.poll(),
        }
        let mut arrived: Vec<(u64, Arrived)> = self.slots.iter().filter_map(StagingSlot::take).collect();
        arrived.sort_by_key(|(copy, _)| *copy);
        arrived.into_iter().map(|(_, arrived)| arrived).collect()
    }
}

impl StagingSlot {
    fn take(&self) -> Option<(u64, Arrived)> {
        match self.state.load(Ordering::Acquire) {
            READY => {
                let words = mapped::words(&self.buffer, self.bytes);
                self.state.store(if words.is_some() { FREE } else { FAILED }, Ordering::Release);
                Some((self.copy, Arrived { tag: self.tag, words: words? }))
            }
            _ => None,
        }
    }
}

/// Allocates memory for a view.
///
/// # Errors
/// When there is none left.
pub(super) fn buffer(gpu: &Gpu, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, Problem> {
    Ok(gpu.buffer("wire view", bytes, usage)?)
}
