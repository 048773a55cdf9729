//! The shaders of views, compiled once a device.

use std::sync::{Arc, Mutex, PoisonError};

use super::super::device::Gpu;
use crate::problem::Problem;

/// The whole text; the colour maps are those of the stage.
pub const WGSL: &str = concat!(
    include_str!("source.wgsl"),
    include_str!("statistics.wgsl"),
    include_str!("picture.wgsl"),
    include_str!("points.wgsl"),
    include_str!("../../../shaders/view/color_map.wgsl"),
);

#[derive(Debug)]
pub struct Kernels {
    pub layout: wgpu::BindGroupLayout,
    pub reduce: wgpu::ComputePipeline,
    pub find_range: wgpu::ComputePipeline,
    pub spread: wgpu::ComputePipeline,
    pub clear_points: wgpu::ComputePipeline,
    pub find_depths: wgpu::ComputePipeline,
    pub find_winners: wgpu::ComputePipeline,
    /// By [`super::View`].
    pub show: [wgpu::ComputePipeline; 4],
    pub pick: wgpu::ComputePipeline,
}

/// The kernels of a device, once a view has asked for them.
#[derive(Debug, Default)]
pub struct Compiled(Mutex<Option<Arc<Kernels>>>);

impl Compiled {
    /// # Errors
    /// A driver that refuses the shaders.
    pub fn get(&self, gpu: &Gpu) -> Result<Arc<Kernels>, Problem> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernels) = &*known {
            return Ok(kernels.clone());
        }
        let kernels = Arc::new(build(gpu)?);
        *known = Some(kernels.clone());
        Ok(kernels)
    }
}

fn build(gpu: &Gpu) -> Result<Kernels, Problem> {
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
    let layout =
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("probe"), entries: &entries });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("probe"),
        source: wgpu::ShaderSource::Wgsl(WGSL.into()),
    });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("probe"),
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
