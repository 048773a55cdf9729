//! Reads a wire on the GPU: its statistics, an image of it, and the element under the pointer. The image stays on the
//! GPU; the statistics and that one element arrive some frames later, without waiting.

mod bound;
mod build;
pub(super) mod kernels;
mod loaded;
mod params;
mod staging;

use std::sync::Arc;

use super::device::Gpu;
use super::readback::Reading;
use crate::problem::Problem;
use bound::Bound;
use kernels::Kernels;
use staging::{Staging, buffer};

pub use kernels::wgsl;
pub use loaded::Loaded;
pub use params::{Params, View, kind, show};
pub use staging::Arrived;

/// Words of `Found` in the WGSL, by member.
pub mod found {
    /// Number of finite elements.
    pub const FINITE: usize = 2;
    /// Number of elements that are NaN.
    pub const NANS: usize = 3;
    /// Number of infinite elements.
    pub const INFINITE: usize = 4;
    /// Number of live elements.
    pub const COUNT: usize = 5;
    /// Value of the first colour, an `f32`.
    pub const LOW: usize = 6;
    /// Value of the last colour, an `f32`.
    pub const HIGH: usize = 7;
    /// The power of two that brings every value below 4.
    pub const INVERSE: usize = 8;
    /// The 65 edges of the histogram's bins.
    pub const EDGES: usize = 9;
    /// The 64 counts of the histogram.
    pub const BINS: usize = EDGES + 65;
    /// The element under the pointer.
    pub const PICKED: usize = BINS + 64;
    /// Cell of the picked element, or its position in memory: three words.
    pub const PLACE: usize = PICKED + 1;
    /// Components of the picked element, at most 64.
    pub const VALUE: usize = PLACE + 3;
    /// Number of words.
    pub const WORDS: usize = VALUE + 64;
}

/// Limit of workgroups that count and sum; the CPU adds up the sums of all workgroups.
pub const MAX_GROUPS: u32 = 256;
/// Bytes of a workgroup's sums.
const SUM_BYTES: u64 = 16;
const FOUND_BYTES: u64 = found::WORDS as u64 * 4;

/// Buffers that a view reads. Where there are no positions or no count, any other buffer takes their place.
pub struct Source<'a> {
    /// The elements.
    pub values: &'a wgpu::Buffer,
    /// Number of live elements.
    pub count: &'a wgpu::Buffer,
    /// Positions of particles.
    pub places: &'a wgpu::Buffer,
}

/// An image on the GPU: one `u32` a pixel, RGBA bytes in sRGB, top row first.
#[derive(Clone, Copy, Debug)]
pub struct ViewImage<'a> {
    /// The pixels.
    pub buffer: &'a wgpu::Buffer,
    /// Width and height \[pixels\].
    pub size: [u32; 2],
}

/// A view's own memory and kernels.
pub struct Lens {
    gpu: Gpu,
    kernels: Arc<Kernels>,
    uniforms: wgpu::Buffer,
    written: Option<Params>,
    found: wgpu::Buffer,
    sums: wgpu::Buffer,
    canvas: Option<Canvas>,
    bound: Bound,
    staging: Staging,
}

/// An image's memory. The buffers of depths and winners have the size of the image where there are particles.
struct Canvas {
    size: [u32; 2],
    points: bool,
    depths: wgpu::Buffer,
    winners: wgpu::Buffer,
    pixels: wgpu::Buffer,
}

impl Lens {
    /// # Errors
    /// A driver that rejects the shaders; memory that is not available.
    pub fn new(gpu: &Gpu) -> Result<Lens, Problem> {
        let kernels = gpu.probes.get(|| build::build(gpu))?;
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let sums = u64::from(MAX_GROUPS) * SUM_BYTES;
        Ok(Lens {
            gpu: gpu.clone(),
            kernels,
            uniforms: buffer(gpu, size_of::<Params>() as u64, uniform)?,
            written: None,
            found: buffer(gpu, FOUND_BYTES, usage)?,
            sums: buffer(gpu, sums, usage)?,
            canvas: None,
            bound: Bound::default(),
            staging: Staging::new(gpu, FOUND_BYTES + sums)?,
        })
    }

    /// Computes the view once: one submit, no wait. Its results arrive under `tag`, unless two earlier ones are still
    /// on their way.
    ///
    /// # Errors
    /// An image that is too large for the adapter.
    pub fn compute(&mut self, source: &Source<'_>, params: &Params, tag: u64) -> Result<(), Problem> {
        let points = params.view == View::Points as u32;
        self.make_canvas(params.size, points)?;
        let Some(canvas) = &self.canvas else { return Ok(()) };
        if self.written.as_ref() != Some(params) {
            self.gpu.queue.write_buffer(&self.uniforms, 0, bytemuck::bytes_of(params));
            self.written = Some(*params);
        }
        let view_buffers = [&self.found, &self.sums, &canvas.depths, &canvas.winners, &canvas.pixels];
        let theirs = [source.values, source.count, source.places];
        let group = self.bound.get(&self.gpu, &self.kernels.layout, &self.uniforms, theirs, view_buffers);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&self.found, 0, None);
        let groups = params.elements.div_ceil(1024).clamp(1, MAX_GROUPS);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_bind_group(0, group, &[]);
        let mut run = |pipeline: &wgpu::ComputePipeline, x: u32, y: u32| {
            pass.set_pipeline(pipeline);
            pass.dispatch_workgroups(x, y, 1);
        };
        let [width, height] = params.size;
        let kernels = &self.kernels;
        run(&kernels.reduce, groups, 1);
        run(&kernels.find_range, 1, 1);
        run(&kernels.spread, groups, 1);
        if points {
            let particles = params.elements.div_ceil(256).clamp(1, 1024);
            run(&kernels.clear_points, (width * height).div_ceil(256).clamp(1, 1024), 1);
            run(&kernels.find_depths, particles, 1);
            run(&kernels.find_winners, particles, 1);
        }
        if let Some(show) = kernels.show.get(params.view as usize) {
            run(show, width.div_ceil(16), height.div_ceil(16));
        }
        if params.asked == 1 {
            run(&kernels.pick, 1, 1);
        }
        drop(pass);
        let sums = u64::from(groups) * SUM_BYTES;
        let parts = [(&self.found, FOUND_BYTES), (&self.sums, sums)];
        let copied = self.staging.copy(&self.gpu, &mut encoder, &parts, tag);
        self.gpu.queue.submit([encoder.finish()]);
        if let Some(slot) = copied {
            self.staging.map(slot);
        }
        Ok(())
    }

    /// What has arrived since the last call, oldest first. Blocks only with `wait`.
    pub fn arrived(&mut self, wait: bool) -> Vec<Arrived> {
        self.staging.take(&self.gpu, wait)
    }

    /// The image drawn last; `None` before the first.
    pub fn image(&self) -> Option<ViewImage<'_>> {
        self.canvas.as_ref().map(|canvas| ViewImage { buffer: &canvas.pixels, size: canvas.size })
    }

    /// Requests the image without waiting; `None` before the first one, and where there is no memory for the copy.
    pub fn image_async(&self) -> Option<Reading> {
        self.canvas.as_ref().and_then(|canvas| Reading::start(&self.gpu, &canvas.pixels).ok())
    }

    /// Number of bind groups: one for each set of buffers that its wire alternates between.
    pub fn bindings(&self) -> usize {
        self.bound.len()
    }

    fn make_canvas(&mut self, size: [u32; 2], points: bool) -> Result<(), Problem> {
        if self.canvas.as_ref().is_some_and(|c| c.size == size && c.points == points) {
            return Ok(());
        }
        let bytes = u64::from(size[0]) * u64::from(size[1]) * 4;
        let limits = self.gpu.limits();
        if bytes > limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) {
            let cause = format!("a view of {} x {} pixels does not fit the adapter's buffers", size[0], size[1]);
            return Err(Problem::new("", "", cause, "use a smaller view"));
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let cover = if points { bytes } else { 16 };
        self.bound = Bound::default();
        self.canvas = Some(Canvas {
            size,
            points,
            depths: buffer(&self.gpu, cover, usage)?,
            winners: buffer(&self.gpu, cover, usage)?,
            pixels: buffer(&self.gpu, bytes, usage)?,
        });
        Ok(())
    }
}
