//! How fast the adapter copies memory: the reference for everything that is limited by memory.

use std::time::{Duration, Instant};

use super::device::Gpu;
use super::memory::OutOfMemory;
use crate::problem::Problem;

const WGSL: &str = "
@group(0) @binding(0) var<storage, read> original: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> copied: array<vec4f>;
@compute @workgroup_size(256)
fn copy(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = id.x + id.y * groups.x * 256u;
    if i < arrayLength(&copied) { copied[i] = original[i]; }
}";

/// Size of the buffers that are copied: the maximum, and the minimum where memory is short \[bytes\].
const MAX_BYTES: u64 = 1 << 30;
const MIN_BYTES: u64 = 1 << 20;
/// Warm-up time: an idle GPU runs at a lower clock rate.
const WARM: Duration = Duration::from_millis(300);
const REPEATS: usize = 5;

/// Memory bandwidth of the adapter \[bytes/s\], reads and writes added, while it copies one buffer of up to 1 GiB to
/// another. The median of five measurements by the wall clock, each of copies that take at least 20 ms.
///
/// # Errors
/// A driver that rejects the kernel, or has no memory for the buffers.
pub fn copy_bandwidth(gpu: &Gpu) -> Result<f64, Problem> {
    let limits = gpu.limits();
    let mut bytes = MAX_BYTES.min(limits.max_storage_buffer_binding_size).min(limits.max_buffer_size) / 16 * 16;
    let copy = loop {
        match Copy::new(gpu, bytes) {
            Ok(copy) => break copy,
            Err(_) if bytes / 2 >= MIN_BYTES => bytes = bytes / 2 / 16 * 16,
            Err(cause) => {
                let cause = format!("cannot measure the adapter's memory bandwidth: {cause}");
                return Err(Problem::new("", "", cause, "close other programs that use the GPU, or update the driver"));
            }
        }
    };
    let started = Instant::now();
    let mut copies = 1;
    let mut last = copy.seconds(copies);
    while started.elapsed() < WARM || last < 0.02 {
        // Once a submit takes long enough, the rest of this loop is warm-up.
        copies = if last < 0.02 { copies * 2 } else { copies };
        last = copy.seconds(copies);
    }
    let mut times: Vec<f64> = (0..REPEATS).map(|_| copy.seconds(copies)).collect();
    times.sort_by(f64::total_cmp);
    let median = times.get(REPEATS / 2).copied().unwrap_or(last);
    Ok(2.0 * bytes as f64 * f64::from(copies) / median)
}

struct Copy<'a> {
    gpu: &'a Gpu,
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
    groups: [u32; 2],
}

impl Copy<'_> {
    fn new(gpu: &Gpu, bytes: u64) -> Result<Copy<'_>, String> {
        let message = |error: OutOfMemory| error.to_string();
        let buffer = || gpu.buffer("copy", bytes, wgpu::BufferUsages::STORAGE);
        let buffers = [buffer().map_err(message)?, buffer().map_err(message)?];
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("copy"),
            source: wgpu::ShaderSource::Wgsl(WGSL.into()),
        });
        let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("copy"),
            layout: None,
            module: &module,
            entry_point: Some("copy"),
            compilation_options: Default::default(),
            cache: None,
        });
        let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..).zip(&buffers).map(entry).collect();
        let bind_group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("copy"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(error.to_string());
        }
        let total = (bytes / 16).div_ceil(256) as u32;
        let across = total.min(gpu.limits().max_compute_workgroups_per_dimension);
        Ok(Copy { gpu, pipeline, bind_group, groups: [across, total.div_ceil(across)] })
    }

    /// Wall-clock time of this many copies in one submit \[s\].
    fn seconds(&self, copies: u32) -> f64 {
        self.gpu.wait();
        let started = Instant::now();
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bind_group, &[]);
        let [x, y] = self.groups;
        (0..copies).for_each(|_| pass.dispatch_workgroups(x, y, 1));
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
        self.gpu.wait();
        started.elapsed().as_secs_f64()
    }
}

fn entry((binding, buffer): (u32, &wgpu::Buffer)) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }
}
