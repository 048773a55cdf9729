//! What goes to the GPU with a frame and what comes back: its uniforms, and the watched numbers. The copies are recorded with the
//! dispatches, and the memory between goes round, so handing a frame in makes nothing new.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::device::Gpu;

/// Bytes that a watched number takes on its way to the CPU.
const WATCH_BYTES: u64 = 16;

/// Parcels that are kept for frames to come. A CPU that is far ahead of the GPU has more on their way.
const KEPT: usize = 16;

/// Memory of a frame on its way.
pub struct Parcel {
    /// Uniforms. Mapped while nothing is on its way, as [`Parcel::back`] is not.
    there: wgpu::Buffer,
    /// Watched numbers.
    back: Option<wgpu::Buffer>,
    /// What is still to be mapped again.
    mapping: Arc<AtomicU8>,
}

/// The device failed.
const FAILED: u8 = 128;

impl Parcel {
    /// `uniforms`: \[bytes\].
    fn new(gpu: &Gpu, uniforms: u64, watched: usize) -> Parcel {
        let memory = |label, size, usage, mapped_at_creation| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation })
        };
        let (write, read) = (wgpu::BufferUsages::MAP_WRITE, wgpu::BufferUsages::MAP_READ);
        let there = memory("uniforms on their way", uniforms, write | wgpu::BufferUsages::COPY_SRC, true);
        let bytes = watched as u64 * WATCH_BYTES;
        let back = (watched > 0).then(|| memory("watched numbers", bytes, read | wgpu::BufferUsages::COPY_DST, false));
        Parcel { there, back, mapping: Arc::default() }
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
    pub fn fill(&self, uniforms: &[u8]) {
        self.there.slice(..).get_mapped_range_mut().copy_from_slice(uniforms);
        self.there.unmap();
    }

    /// Asks for the memory back as soon as the GPU has done with it.
    fn map(&self) {
        let buffers = [(Some(&self.there), wgpu::MapMode::Write), (self.back.as_ref(), wgpu::MapMode::Read)];
        let buffers = buffers.into_iter().filter_map(|(buffer, mode)| Some((buffer?, mode)));
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

    /// The words of the watched numbers, of a parcel that is mapped.
    fn words(&self) -> Option<Vec<u32>> {
        let back = self.back.as_ref()?;
        let words = bytemuck::cast_slice(&back.slice(..).get_mapped_range())
            .iter()
            .step_by(WATCH_BYTES as usize / 4)
            .copied()
            .collect();
        back.unmap();
        Some(words)
    }
}

/// Parcels that nobody has in hand.
#[derive(Clone)]
pub struct Depot {
    gpu: Gpu,
    uniforms: u64,
    watched: usize,
    free: Arc<Mutex<Vec<Parcel>>>,
}

impl Depot {
    /// `uniforms`: \[bytes\]; `watched`: how many numbers.
    pub fn new(gpu: &Gpu, uniforms: u64, watched: usize) -> Depot {
        Depot { gpu: gpu.clone(), uniforms, watched, free: Arc::default() }
    }

    pub fn take(&self) -> Parcel {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| Parcel::new(&self.gpu, self.uniforms, self.watched))
    }

    fn put(&self, parcel: Parcel) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < KEPT {
            free.push(parcel);
        }
    }
}

/// Parcels on their way, the oldest first.
pub struct Post {
    depot: Depot,
    away: VecDeque<Parcel>,
    /// The first of them bring back what nobody wants any more.
    unwanted: usize,
}

impl Post {
    pub fn new(depot: Depot) -> Post {
        Post { depot, away: VecDeque::new(), unwanted: 0 }
    }

    /// Takes a parcel over whose frame was handed in.
    pub fn send(&mut self, parcel: Parcel) {
        parcel.map();
        self.away.push_back(parcel);
    }

    /// The words of the watched numbers of each frame that has come back since the last call, the oldest first. `wait`: of all that
    /// were sent.
    pub fn collect(&mut self, wait: bool) -> Vec<Vec<u32>> {
        if wait {
            self.depot.gpu.wait();
        }
        let mut told = Vec::new();
        while let Some(parcel) = self.away.pop_front() {
            match parcel.mapping.load(Ordering::Acquire) {
                0 => {
                    told.extend(parcel.words().filter(|_| self.unwanted == 0));
                    self.depot.put(parcel);
                }
                failed if failed & FAILED != 0 => {}
                _ => {
                    self.away.push_front(parcel);
                    break;
                }
            }
            self.unwanted = self.unwanted.saturating_sub(1);
        }
        told
    }

    /// What is on its way is of no interest any more.
    pub fn forget(&mut self) {
        self.unwanted = self.away.len();
    }
}
