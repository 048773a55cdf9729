//! Bind groups of a view, cached for the buffers that a wire alternates between.

use super::super::device::Gpu;

/// A State's wire alternates between two buffers.
const MAX_KEPT: usize = 2;

/// The buffers that are read, and the bind group made for them; the most recently used one is last.
#[derive(Default)]
pub(super) struct Bound(Vec<([wgpu::Buffer; 3], wgpu::BindGroup)>);

impl Bound {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(
        &mut self,
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        uniforms: &wgpu::Buffer,
        theirs: [&wgpu::Buffer; 3],
        view_buffers: [&wgpu::Buffer; 5],
    ) -> &wgpu::BindGroup {
        let place = match self.0.iter().position(|(source, _)| source.iter().eq(theirs)) {
            Some(place) => place,
            None => {
                if self.0.len() == MAX_KEPT {
                    self.0.remove(0);
                }
                let buffers = [uniforms].into_iter().chain(theirs).chain(view_buffers);
                let entries: Vec<wgpu::BindGroupEntry<'_>> = buffers
                    .enumerate()
                    .map(|(binding, buffer)| wgpu::BindGroupEntry {
                        binding: binding as u32,
                        resource: buffer.as_entire_binding(),
                    })
                    .collect();
                let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some("wire view"),
                    layout,
                    entries: &entries,
                });
                self.0.push((theirs.map(Clone::clone), group));
                self.0.len() - 1
            }
        };
        &self.0[place].1
    }
}
