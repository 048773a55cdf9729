//! Compiles the shaders of views.

use super::super::device::Gpu;
use super::kernels::{Kernels, wgsl};
use crate::problem::Problem;

/// # Errors
/// A driver that rejects the shaders.
pub(super) fn build(gpu: &Gpu) -> Result<Kernels, Problem> {
    let device = &gpu.device;
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
    let types =
        [wgpu::BufferBindingType::Uniform].into_iter().chain([true; 3].map(storage)).chain([false; 5].map(storage));
    let entries: Vec<wgpu::BindGroupLayoutEntry> = types
        .enumerate()
        .map(|(binding, ty)| wgpu::BindGroupLayoutEntry {
            binding: binding as u32,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        })
        .collect();
    let layout = device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("wire view"), entries: &entries });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("wire view"),
        source: wgpu::ShaderSource::Wgsl(wgsl().into()),
    });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("wire view"),
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let pipeline = |entry_point| {
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry_point),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(entry_point),
            compilation_options: Default::default(),
            cache: None,
        })
    };
    let kernels = Kernels {
        reduce: pipeline("reduce"),
        find_range: pipeline("find_range"),
        spread: pipeline("spread"),
        clear_points: pipeline("clear_points"),
        find_depths: pipeline("find_depths"),
        find_winners: pipeline("find_winners"),
        show: ["show_layer", "show_maximum", "show_rays", "show_points"].map(pipeline),
        pick: pipeline("pick"),
        layout,
    };
    match pollster::block_on(scope.pop()) {
        None => Ok(kernels),
        Some(error) => {
            let cause = format!("the driver refuses the shaders that show wires: {error}");
            Err(Problem::new("", "", cause, "update the driver, or try another adapter"))
        }
    }
}
