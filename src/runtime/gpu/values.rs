//! Counts NaN and infinity in buffers, and copies States to recompute from.

use super::device::Gpu;
use super::engine::{Copies, Engine};
use super::memory::OutOfMemory;
use super::readback::Reading;
use crate::plan::BufferId;
use crate::problem::Problem;

/// Limit of workgroups that check one buffer.
const MAX_GROUPS: u32 = 512;
const LANES: u32 = 256;
/// Bytes of `Look` in the WGSL.
const LOOK_BYTES: u64 = 16;

const WGSL: &str = "
struct Look { words: u32, per: u32, half: u32, at: u32 }
@group(0) @binding(0) var<uniform> look: Look;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read> count: array<u32>;
@group(0) @binding(3) var<storage, read_write> found: array<atomic<u32>>;

// By their bits: a compiler may assume that no number is NaN.
fn bad(word: u32) -> u32 {
    if (look.half == 0u) { return u32((word & 0x7f800000u) == 0x7f800000u); }
    return u32((word & 0x7c00u) == 0x7c00u) + u32((word & 0x7c000000u) == 0x7c000000u);
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    var end = min(look.words, arrayLength(&values));
    // Of particles, the living.
    if (look.per > 0u) { end = min(end, count[0] * look.per); }
    var sum = 0u;
    for (var i = id.x; i < end; i += groups.x * 256u) { sum += bad(values[i]); }
    if (sum > 0u) { atomicAdd(&found[look.at], sum); }
}
";

/// A buffer of floats that is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched {
    pub buffer: BufferId,
    /// Whether the buffer is a State's: then the value is checked that the next frame starts from.
    pub state: bool,
    pub words: u32,
    pub half: bool,
    /// The buffer of the count of particles, whether that is a State's, and words of a particle.
    pub count: Option<(BufferId, bool, u32)>,
}

/// Checks buffers of an engine, all in one submit.
pub(crate) struct ValueCheck {
    gpu: Gpu,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    watched: Vec<(Watched, wgpu::Buffer)>,
    found: wgpu::Buffer,
    pending: Option<Reading>,
}

impl ValueCheck {
    /// # Errors
    /// A driver that rejects the shader; memory that is not available.
    pub(crate) fn new(gpu: &Gpu, watched: Vec<Watched>) -> Result<ValueCheck, Problem> {
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let (layout, pipeline) = pipeline(gpu);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let found = gpu.buffer("value check", (watched.len() as u64 * 4).next_multiple_of(16), usage)?;
        let look = |(at, watched): (usize, Watched)| {
            let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
            let uniform = gpu.buffer("value check", LOOK_BYTES, usage)?;
            let per = watched.count.map_or(0, |(_, _, per)| per);
            let words = [watched.words, per, u32::from(watched.half), at as u32];
            gpu.queue.write_buffer(&uniform, 0, bytemuck::cast_slice(&words));
            Ok((watched, uniform))
        };
        let watched = watched.into_iter().enumerate().map(look).collect::<Result<_, OutOfMemory>>()?;
        match pollster::block_on(scope.pop()) {
            None => Ok(ValueCheck { gpu: gpu.clone(), pipeline, layout, watched, found, pending: None }),
            Some(error) => {
                let cause = format!("the driver refuses the shader that checks for NaN: {error}");
                Err(Problem::new("", "", cause, "update the driver, or try another adapter"))
            }
        }
    }

    /// Whether a check is in progress.
    pub(crate) fn busy(&self) -> bool {
        self.pending.is_some()
    }

    /// Checks the buffers as the last frame left them. Does not wait.
    pub(crate) fn start(&mut self, engine: &Engine) {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&self.found, 0, None);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        for (watched, uniform) in &self.watched {
            let Some(values) = engine.buffer(watched.buffer, watched.state) else { continue };
            let count = watched.count.and_then(|(buffer, state, _)| engine.buffer(buffer, state)).unwrap_or(values);
            let resources = [uniform, values, count, &self.found].into_iter().enumerate();
            let entries: Vec<wgpu::BindGroupEntry<'_>> = resources
                .map(|(binding, buffer)| wgpu::BindGroupEntry {
                    binding: binding as u32,
                    resource: buffer.as_entire_binding(),
                })
                .collect();
            let descriptor =
                wgpu::BindGroupDescriptor { label: Some("value check"), layout: &self.layout, entries: &entries };
            pass.set_bind_group(0, &self.gpu.device.create_bind_group(&descriptor), &[]);
            pass.dispatch_workgroups(watched.words.div_ceil(4 * LANES).clamp(1, MAX_GROUPS), 1, 1);
        }
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
        // Without memory for the copy, the next check reports it.
        self.pending = Reading::start(&self.gpu, &self.found).ok();
    }

    /// How many values of each buffer were NaN or infinite at the last check, once it has arrived.
    pub(crate) fn take(&mut self, wait: bool) -> Option<Vec<u32>> {
        let pending = self.pending.take()?;
        match wait {
            true => pending.wait(),
            false => match pending.try_take() {
                Ok(words) => words,
                Err(pending) => {
                    self.pending = Some(pending);
                    None
                }
            },
        }
    }

    /// Discards a check in progress.
    pub(crate) fn forget(&mut self) {
        self.pending = None;
    }
}

fn pipeline(gpu: &Gpu) -> (wgpu::BindGroupLayout, wgpu::ComputePipeline) {
    let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
    let types = [wgpu::BufferBindingType::Uniform, storage(true), storage(true), storage(false)];
    let entry = |(binding, ty): (usize, wgpu::BufferBindingType)| wgpu::BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let entries: Vec<wgpu::BindGroupLayoutEntry> = types.into_iter().enumerate().map(entry).collect();
    let device = &gpu.device;
    let layout = device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("value check"), entries: &entries });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("value check"),
        source: wgpu::ShaderSource::Wgsl(WGSL.into()),
    });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("value check"),
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("value check"),
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    (layout, pipeline)
}

/// Copies of buffers that a frame starts from. They stay on the GPU.
#[derive(Clone, Default)]
pub(crate) struct Snapshot(Vec<Option<wgpu::Buffer>>);

impl Snapshot {
    /// Copies that are there already, which are not copied again.
    pub(crate) fn from_copies(copies: &Copies) -> Snapshot {
        Snapshot(copies.buffers().iter().cloned().map(Some).collect())
    }

    /// A snapshot from words in host memory, one buffer of so many bytes after another.
    ///
    /// # Errors
    /// No memory on the device.
    pub(crate) fn from_words(gpu: &Gpu, sizes: &[u64], mut words: &[u32]) -> Result<Snapshot, OutOfMemory> {
        let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let mut buffers = Vec::new();
        for bytes in sizes {
            let (buffer_words, rest) = words.split_at(((bytes / 4) as usize).min(words.len()));
            words = rest;
            let buffer = gpu.buffer("snapshot", *bytes, usage)?;
            gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(buffer_words));
            buffers.push(Some(buffer));
        }
        Ok(Snapshot(buffers))
    }
}

impl Engine {
    /// Copies what the next frame starts from. Reuses the memory of `snapshot` where it has the right size.
    pub(crate) fn snapshot(&self, gpu: &Gpu, buffers: &[BufferId], snapshot: &mut Snapshot) {
        snapshot.0.resize(buffers.len(), None);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for (buffer, copy) in buffers.iter().zip(&mut snapshot.0) {
            let Some(source) = self.buffer(*buffer, true) else {
                *copy = None;
                continue;
            };
            let there = copy.take().filter(|copy| copy.size() == source.size());
            let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
            // Without memory for it, the origin of bad values cannot be found.
            let target = there.or_else(|| gpu.buffer("snapshot", source.size(), usage).ok());
            let Some(target) = target else { continue };
            encoder.copy_buffer_to_buffer(source, 0, &target, 0, source.size());
            *copy = Some(target);
        }
        gpu.queue.submit([encoder.finish()]);
    }

    /// Starts from a snapshot. `buffers` holds, for each buffer of the snapshot, the one here, if there is one.
    pub(crate) fn begin_from(&mut self, gpu: &Gpu, snapshot: &Snapshot, buffers: &[Option<BufferId>]) {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for (copy, buffer) in snapshot.0.iter().zip(buffers) {
            let target = buffer.and_then(|buffer| self.buffer(buffer, true));
            if let (Some(copy), Some(target)) = (copy, target) {
                gpu.copy_state(&mut encoder, copy, target);
            }
        }
        gpu.queue.submit([encoder.finish()]);
    }
}
