//! Copies of GPU memory to the CPU.

use std::ops::Range;
use std::sync::mpsc;

use super::device::Gpu;
use super::mapped;
use super::memory::OutOfMemory;
use crate::plan::regrouped;

impl Gpu {
    /// Copies the contents of a State to where a plan has the same State. Where the two plans have chosen other layouts for its vectors, the sizes
    /// differ: then this blocks, and the words go through host memory.
    pub(super) fn copy_state(&self, encoder: &mut wgpu::CommandEncoder, from: &wgpu::Buffer, to: &wgpu::Buffer) {
        if from.size() == to.size() {
            encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
        } else if let Some(words) = Reading::start(self, from).ok().and_then(Reading::wait) {
            self.queue.write_buffer(to, 0, bytemuck::cast_slice(&regrouped(&words, (to.size() / 4) as usize)));
        }
    }
}

/// A copy that was requested. Nothing blocks until [`Reading::wait`] is called.
pub struct Reading {
    staging: wgpu::Buffer,
    mapped: mpsc::Receiver<bool>,
    gpu: Gpu,
}

impl Reading {
    /// Requests all of `buffer` as it is after everything submitted so far.
    ///
    /// # Errors
    /// When there is no memory for the copy.
    pub(crate) fn start(gpu: &Gpu, buffer: &wgpu::Buffer) -> Result<Reading, OutOfMemory> {
        Reading::start_of(gpu, buffer, buffer.size())
    }

    /// Requests the first bytes of `buffer`, a multiple of four.
    ///
    /// # Errors
    /// As [`Reading::start`].
    pub(crate) fn start_of(gpu: &Gpu, buffer: &wgpu::Buffer, bytes: u64) -> Result<Reading, OutOfMemory> {
        Reading::start_parts(gpu, &[(buffer, bytes.min(buffer.size()))])
    }

    /// Requests the first bytes of several buffers, one after another.
    ///
    /// # Errors
    /// As [`Reading::start`].
    pub(super) fn start_parts(gpu: &Gpu, parts: &[(&wgpu::Buffer, u64)]) -> Result<Reading, OutOfMemory> {
        let parts: Vec<_> = parts.iter().map(|(buffer, bytes)| (*buffer, 0..*bytes)).collect();
        Reading::start_ranges(gpu, &parts)
    }

    /// Requests a range of bytes of each buffer, whose ends are multiples of four.
    ///
    /// # Errors
    /// As [`Reading::start`].
    pub(super) fn start_ranges(gpu: &Gpu, parts: &[(&wgpu::Buffer, Range<u64>)]) -> Result<Reading, OutOfMemory> {
        let bytes = parts.iter().map(|(_, range)| range.end - range.start).sum();
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let staging = gpu.buffer("readback", bytes, usage)?;
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("readback") });
        let mut at = 0;
        for (buffer, range) in parts {
            let bytes = range.end - range.start;
            encoder.copy_buffer_to_buffer(buffer, range.start, &staging, at, bytes);
            at += bytes;
        }
        gpu.queue.submit([encoder.finish()]);
        let (sender, mapped) = mpsc::channel();
        staging.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver is gone when the reading was dropped.
            let _ = sender.send(result.is_ok());
        });
        Ok(Reading { staging, mapped, gpu: gpu.clone() })
    }

    /// The words if they have arrived, otherwise the reading itself. Does not block.
    pub fn try_take(self) -> Result<Option<Vec<u32>>, Reading> {
        self.gpu.poll();
        match self.mapped.try_recv() {
            Ok(mapped) => Ok(self.words(mapped)),
            Err(mpsc::TryRecvError::Empty) => Err(self),
            Err(mpsc::TryRecvError::Disconnected) => Ok(None),
        }
    }

    /// A function that copies the words out, for another thread, if they have arrived; otherwise the reading itself. Does not
    /// block. The function returns `None` when the device failed.
    pub fn try_arrive(self) -> Result<impl FnOnce() -> Option<Vec<u32>> + Send + 'static, Reading> {
        self.gpu.poll();
        match self.mapped.try_recv() {
            Err(mpsc::TryRecvError::Empty) => Err(self),
            arrived => Ok(move || self.words(arrived.unwrap_or(false))),
        }
    }

    /// Blocks until the words have arrived. `None` when the device failed.
    pub fn wait(self) -> Option<Vec<u32>> {
        self.gpu.wait();
        // A lost device delivers nothing more.
        let mapped = if self.gpu.is_lost() { self.mapped.try_recv().ok() } else { self.mapped.recv().ok() };
        let mapped = mapped.unwrap_or(false);
        self.words(mapped)
    }

    fn words(&self, mapped: bool) -> Option<Vec<u32>> {
        if mapped { mapped::words(&self.staging, self.staging.size()) } else { None }
    }
}
