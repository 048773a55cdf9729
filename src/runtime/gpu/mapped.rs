//! Access to mapped memory. It is freed with the device, which can be lost on another thread at any moment, and wgpu
//! panics when it accesses freed memory. Here the result is `None` instead.

use crate::quiet::quietly;

/// What `read` returns for the mapped memory; `None` when the device was lost. Unmaps the buffer.
pub(super) fn read<T>(buffer: &wgpu::Buffer, bytes: u64, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
    quietly(|| {
        let view = buffer.slice(..bytes).get_mapped_range();
        let value = read(&view);
        drop(view);
        buffer.unmap();
        value
    })
}

/// The words of mapped memory; `None` when the device was lost. Unmaps the buffer.
pub(crate) fn words(buffer: &wgpu::Buffer, bytes: u64) -> Option<Vec<u32>> {
    read(buffer, bytes, bytemuck::pod_collect_to_vec)
}

/// Overwrites mapped memory and unmaps it. False when the device was lost; the buffer must not be used again then.
pub(super) fn write(buffer: &wgpu::Buffer, bytes: &[u8]) -> bool {
    let written = quietly(|| {
        buffer.slice(..).get_mapped_range_mut().copy_from_slice(bytes);
        buffer.unmap();
    });
    written.is_some()
}
