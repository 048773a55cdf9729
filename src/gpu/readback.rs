//! Copies of GPU memory on their way to the CPU.

use std::sync::mpsc;

use super::device::Gpu;
use super::mapped;
use super::memory::OutOfMemory;

/// A copy that was asked for. Nothing waits until [`Reading::wait`] is called.
pub struct Reading {
    staging: wgpu::Buffer,
    mapped: mpsc::Receiver<bool>,
    gpu: Gpu,
}

impl Reading {
    /// Asks for the whole of `buffer` as it is after all that was submitted.
    ///
    /// # Errors
    /// When there is no memory for the copy.
    pub(crate) fn start(gpu: &Gpu, buffer: &wgpu::Buffer) -> Result<Reading, OutOfMemory> {
        Reading::start_of(gpu, buffer, buffer.size())
    }

    /// The same of its first bytes, a multiple of four.
    ///
    /// # Errors
    /// As [`Reading::start`].
    pub(crate) fn start_of(gpu: &Gpu, buffer: &wgpu::Buffer, bytes: u64) -> Result<Reading, OutOfMemory> {
        let bytes = bytes.min(buffer.size());
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let staging = gpu.buffer("readback", bytes, usage)?;
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("readback") });
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, bytes);
        gpu.queue.submit([encoder.finish()]);
        let (sender, mapped) = mpsc::channel();
        staging.map_async(wgpu::MapMode::Read, .., move |result| {
            // Nobody listens any more when the reading was dropped.
            let _ = sender.send(result.is_ok());
        });
        Ok(Reading { staging, mapped, gpu: gpu.clone() })
    }

    /// The words, if they are there yet; the reading itself if not. Does not block.
    pub fn try_take(self) -> Result<Option<Vec<u32>>, Reading> {
        self.gpu.look();
        match self.mapped.try_recv() {
            Ok(mapped) => Ok(self.words(mapped)),
            Err(mpsc::TryRecvError::Empty) => Err(self),
            Err(mpsc::TryRecvError::Disconnected) => Ok(None),
        }
    }

    /// Blocks until the words are there. `None` when the device failed.
    pub fn wait(self) -> Option<Vec<u32>> {
        self.gpu.wait();
        // From a device that is lost nothing comes any more.
        let mapped = if self.gpu.is_lost() { self.mapped.try_recv().ok() } else { self.mapped.recv().ok() };
        let mapped = mapped.unwrap_or(false);
        self.words(mapped)
    }

    fn words(&self, mapped: bool) -> Option<Vec<u32>> {
        if mapped { mapped::words(&self.staging, self.staging.size()) } else { None }
    }
}
