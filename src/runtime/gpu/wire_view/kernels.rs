//! The shaders of views, compiled once a device.

use std::sync::{Arc, Mutex, PoisonError};

use crate::library::Library;
use crate::problem::Problem;

/// The complete WGSL text; the colour maps are those of the stage, with the functions that it uses.
pub fn wgsl() -> String {
    let view_text = [
        include_str!("source.wgsl"),
        include_str!("statistics.wgsl"),
        include_str!("image.wgsl"),
        include_str!("points.wgsl"),
    ];
    let stage = Library::builtin().stage("view/color_map");
    view_text.concat() + stage.map_or("", |stage| &stage.source)
}

#[derive(Debug)]
pub(crate) struct Kernels {
    pub layout: wgpu::BindGroupLayout,
    pub reduce: wgpu::ComputePipeline,
    pub find_range: wgpu::ComputePipeline,
    pub spread: wgpu::ComputePipeline,
    pub clear_points: wgpu::ComputePipeline,
    pub find_depths: wgpu::ComputePipeline,
    pub find_winners: wgpu::ComputePipeline,
    /// Pipelines that draw, by [`super::View`].
    pub show: [wgpu::ComputePipeline; 4],
    pub pick: wgpu::ComputePipeline,
}

/// The kernels of a device, once the first view has compiled them.
#[derive(Debug, Default)]
pub(crate) struct Compiled(Mutex<Option<Arc<Kernels>>>);

impl Compiled {
    /// The kernels; `build` is called the first time.
    ///
    /// # Errors
    /// As `build`.
    pub(crate) fn get(&self, build: impl FnOnce() -> Result<Kernels, Problem>) -> Result<Arc<Kernels>, Problem> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernels) = &*shared {
            return Ok(kernels.clone());
        }
        let kernels = Arc::new(build()?);
        *shared = Some(kernels.clone());
        Ok(kernels)
    }
}
