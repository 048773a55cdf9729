//! The timestamps of one list of dispatches, and their transfer to the CPU.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::recent::Recent;
use crate::gpu::device::Gpu;
use crate::gpu::mapped;

/// Capacity of a query set; longer lists use several.
const SET: usize = wgpu::QUERY_SET_MAX_QUERIES as usize;

/// Number of frames on their way to the CPU at once. While all slots are in use, frames run without timestamps.
const RING: usize = 4;

const BYTES: u64 = wgpu::QUERY_SIZE as u64;

/// Timestamps before some dispatches of a list, and one after the last.
pub(crate) struct Track {
    marks: Arc<Marks>,
    /// Marks of the first list and of the last one, where several are timed as one.
    ends: [Arc<Marks>; 2],
    resolved: wgpu::Buffer,
    ring: Vec<TimestampSlot>,
    /// The slot that is written next, which is also the oldest.
    next: usize,
    recent: Recent,
}

/// Where timestamps are taken while a list is recorded.
pub(crate) struct Marks {
    sets: Vec<wgpu::QuerySet>,
    borders: Vec<usize>,
    /// The timestamp after the last dispatch; `None` for the first of several lists that are timed as one.
    after: Option<usize>,
}

impl Marks {
    /// The dispatches before which a timestamp is taken, in order.
    pub(crate) fn borders(&self) -> &[usize] {
        &self.borders
    }

    /// The timestamp after the last dispatch.
    pub(crate) fn after(&self) -> Option<usize> {
        self.after
    }

    /// Writes the timestamp of a border, or that after the last dispatch.
    pub(crate) fn mark(&self, pass: &mut wgpu::ComputePass<'_>, border: usize) {
        if let Some(set) = self.sets.get(border / SET) {
            pass.write_timestamp(set, (border % SET) as u32);
        }
    }
}

/// A copy of the timestamps that the CPU can read.
struct TimestampSlot {
    staging: wgpu::Buffer,
    state: Arc<AtomicU8>,
}

const FREE: u8 = 0;
const WAITING: u8 = 1;
const ARRIVED: u8 = 2;
/// The device was lost, and the memory with it.
const FAILED: u8 = 3;

impl Track {
    /// `borders`: the dispatches, in order, before which a timestamp is taken. `None` where there are none, or no
    /// memory for the results.
    pub(crate) fn new(gpu: &Gpu, borders: Vec<usize>) -> Option<Track> {
        if borders.is_empty() {
            return None;
        }
        let stamps = borders.len() + 1;
        let set = |first: usize| {
            gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("times"),
                ty: wgpu::QueryType::Timestamp,
                count: (stamps - first).min(SET) as u32,
            })
        };
        let buffer = |usage| gpu.buffer("times", stamps as u64 * BYTES, usage).ok();
        let slot = |_| {
            let staging = buffer(wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ)?;
            Some(TimestampSlot { staging, state: Arc::new(AtomicU8::new(FREE)) })
        };
        let sets: Vec<wgpu::QuerySet> = (0..stamps).step_by(SET).map(set).collect();
        Some(Track {
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC)?,
            ring: (0..RING).map(slot).collect::<Option<_>>()?,
            next: 0,
            recent: Recent::new(borders.len()),
            ends: [
                Arc::new(Marks { sets: sets.clone(), borders: vec![0], after: None }),
                Arc::new(Marks { sets: sets.clone(), borders: Vec::new(), after: Some(borders.len()) }),
            ],
            marks: Arc::new(Marks { sets, after: Some(borders.len()), borders }),
        })
    }

    /// Whether there is a free slot for another frame.
    pub(crate) fn ready(&self) -> bool {
        self.ring.get(self.next).is_some_and(|slot| slot.state.load(Ordering::Acquire) == FREE)
    }

    pub(crate) fn marks(&self) -> &Arc<Marks> {
        &self.marks
    }

    /// Where timestamps are taken in one of several lists that are timed as one.
    pub(crate) fn part(&self, first: bool, last: bool) -> Option<&Arc<Marks>> {
        let [begin, end] = &self.ends;
        match (first, last) {
            (true, true) => Some(&self.marks),
            (true, false) => Some(begin),
            (false, true) => Some(end),
            (false, false) => None,
        }
    }

    /// Copies the timestamps to memory that the CPU can read. Record this after the marked pass, in the same submit.
    pub(crate) fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        let Some(slot) = self.ring.get(self.next) else { return };
        let mut first = 0;
        for set in &self.marks.sets {
            let count = (self.queries() - first).min(SET);
            encoder.resolve_query_set(set, 0..count as u32, &self.resolved, first as u64 * BYTES);
            first += count;
        }
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &slot.staging, 0, self.resolved.size());
    }

    /// Requests the copy. Call this after the submit.
    pub(crate) fn submitted(&mut self) {
        let Some(slot) = self.ring.get(self.next) else { return };
        slot.state.store(WAITING, Ordering::Release);
        let state = slot.state.clone();
        slot.staging.map_async(wgpu::MapMode::Read, .., move |result| {
            state.store(if result.is_ok() { ARRIVED } else { FAILED }, Ordering::Release);
        });
        self.next = (self.next + 1) % RING;
    }

    /// Processes what has arrived, oldest first. Does not block.
    pub(crate) fn collect(&mut self, gpu: &Gpu) {
        let waits = |slot: &TimestampSlot| slot.state.load(Ordering::Acquire) == WAITING;
        if self.ring.iter().any(waits) {
            // Its result is about submissions, not about failures.
            gpu.poll();
        }
        let ms = f64::from(gpu.queue.get_timestamp_period()) * 1e-6;
        for offset in 0..RING {
            let Some(slot) = self.ring.get((self.next + offset) % RING) else { return };
            match slot.state.load(Ordering::Acquire) {
                ARRIVED => {
                    let recent = &mut self.recent;
                    let read = mapped::read(&slot.staging, slot.staging.size(), |view| {
                        let stamp = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
                        let stamps = view.chunks_exact(BYTES as usize).map(stamp);
                        let spans = stamps.clone().zip(stamps.skip(1));
                        recent.push(spans.map(|(from, to)| (to.saturating_sub(from) as f64 * ms) as f32));
                    });
                    slot.state.store(if read.is_some() { FREE } else { FAILED }, Ordering::Release);
                }
                // Later ones have not arrived either.
                WAITING => return,
                _ => {}
            }
        }
    }

    pub(crate) fn recent(&self) -> &Recent {
        &self.recent
    }

    /// Timestamps of one frame.
    pub(crate) fn queries(&self) -> usize {
        self.marks.borders.len() + 1
    }
}
