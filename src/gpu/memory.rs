//! Every buffer of the engine is made here, so that memory that runs out is one error at the place that asked for it, and so that
//! tests can have each allocation fail in turn.

use super::device::Gpu;
use crate::plan::mebibytes;
use crate::problem::Problem;

/// The adapter has no room for a buffer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the GPU has no memory left for {} ({label}): {cause}", mebibytes(*.bytes))]
pub struct OutOfMemory {
    pub label: String,
    /// \[bytes\]
    pub bytes: u64,
    pub cause: String,
}

impl From<OutOfMemory> for Problem {
    fn from(error: OutOfMemory) -> Problem {
        Problem::new("", "", error.to_string(), "close other programs, or lower the resolution")
    }
}

impl Gpu {
    /// Makes a buffer of zeros, 16 bytes at least.
    ///
    /// # Errors
    /// When the adapter has no room for it.
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

    /// Has the `nth` allocation from now fail, the next one with 1, as it does when GPU memory runs out. For tests of recovery.
    pub fn fail_allocation(&self, nth: u64) {
        self.injected.set(nth);
    }

    /// Whether an allocation is still to fail.
    pub fn has_allocation_to_fail(&self) -> bool {
        self.injected.is_set()
    }
}
