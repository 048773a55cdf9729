//! Creates every buffer of the engine, so that running out of memory is one error at the place that requested it, and
//! tests can make each allocation fail in turn.

use super::device::Gpu;
use crate::plan::mebibytes;
use crate::problem::Problem;

/// The adapter has no memory left for a buffer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the GPU has no memory left for {} ({label}): {cause}", mebibytes(*.bytes))]
pub struct OutOfMemory {
    /// What the buffer holds.
    pub label: String,
    /// \[bytes\]
    pub bytes: u64,
    /// The driver's error.
    pub cause: String,
}

impl From<OutOfMemory> for Problem {
    fn from(error: OutOfMemory) -> Problem {
        Problem::new("", "", error.to_string(), "close other programs, or lower the resolution")
    }
}

impl Gpu {
    /// Creates a buffer of zeros, at least 16 bytes.
    ///
    /// # Errors
    /// When the adapter has no memory left for it.
    pub(crate) fn buffer(
        &self,
        label: &str,
        bytes: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, OutOfMemory> {
        let failed = |cause: String| OutOfMemory { label: label.into(), bytes, cause };
        if self.injected.falls_due() {
            return Err(failed("injected".into()));
        }
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let descriptor =
            wgpu::BufferDescriptor { label: Some(label), size: bytes.max(16), usage, mapped_at_creation: false };
        let buffer = self.device.create_buffer(&descriptor);
        match pollster::block_on(scope.pop()) {
            Some(error) => Err(failed(error.to_string())),
            None => Ok(buffer),
        }
    }

    /// Makes the `nth` allocation from now fail (1 is the next one), as if GPU memory had run out. For tests of
    /// recovery.
    pub fn fail_allocation(&self, nth: u64) {
        self.injected.set(nth);
    }

    /// Whether such a failure is still pending.
    pub fn has_allocation_to_fail(&self) -> bool {
        self.injected.is_set()
    }
}
