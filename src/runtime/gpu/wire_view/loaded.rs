//! Values that were copied back to the device, to be shown.

use super::super::device::Gpu;
use super::Source;
use super::staging::buffer;
use crate::problem::Problem;

/// Buffers of values, of their count and of their positions.
pub struct Loaded([wgpu::Buffer; 3]);

impl Loaded {
    /// Buffers that hold as many words as each part.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub fn new(gpu: &Gpu, parts: [&[u32]; 3]) -> Result<Loaded, Problem> {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let [values, count, places] = parts.map(|words| buffer(gpu, bytes(words), usage));
        Ok(Loaded([values?, count?, places?]))
    }

    /// Whether the buffers hold as many words as each part.
    pub fn fits(&self, parts: [&[u32]; 3]) -> bool {
        self.0.iter().zip(parts).all(|(buffer, words)| buffer.size() == bytes(words).max(16))
    }

    /// Copies the words of each part.
    pub fn write(&self, gpu: &Gpu, parts: [&[u32]; 3]) {
        for (buffer, words) in self.0.iter().zip(parts) {
            gpu.queue.write_buffer(buffer, 0, bytemuck::cast_slice(words));
        }
    }

    /// What a view reads.
    pub fn source(&self) -> Source<'_> {
        let [values, count, places] = &self.0;
        Source { values, count, places }
    }
}

fn bytes(words: &[u32]) -> u64 {
    words.len() as u64 * 4
}
