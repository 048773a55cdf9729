//! Finds the first element of a buffer that is not finite, or that leaves a range.

use std::ops::Range;

use super::device::Gpu;
use super::engine::Engine;
use super::memory::OutOfMemory;
use super::readback::Reading;
use crate::plan::BufferId;
use crate::problem::Problem;

/// Limit of workgroups that look through one buffer.
const MAX_GROUPS: u32 = 512;
const LANES: u32 = 256;
/// Distance of the uniform blocks \[bytes\]; every adapter supports it.
const STRIDE: u64 = 256;
/// Words of a result: how many elements were found, and the first.
const WORDS: u64 = 2;

const WGSL: &str = "
struct Look {
    elements: u32, adjacent: u32, components: u32, scalar: u32,
    live: u32, component: i32, ranged: u32, at: u32,
    faces: vec3u, low: f32,
    high: f32, plane: u32, apart: u32,
}
@group(0) @binding(0) var<uniform> look: Look;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read> count: array<u32>;
@group(0) @binding(3) var<storage, read_write> found: array<atomic<u32>>;

fn number(at: u32) -> u32 {
    if (look.scalar != 3u) { return values[at]; }
    let half = (values[at / 2u] >> (16u * (at % 2u))) & 0xffffu;
    if ((half & 0x7c00u) == 0x7c00u) { return 0x7f800000u; }
    return bitcast<u32>(unpack2x16float(half).x);
}

// By their bits: a compiler may assume that no number is NaN.
fn wild(bits: u32) -> bool {
    return (look.scalar == 0u || look.scalar == 3u) && (bits & 0x7f800000u) == 0x7f800000u;
}

fn value(bits: u32) -> f32 {
    if (look.scalar == 1u) { return f32(i32(bits)); }
    if (look.scalar == 2u) { return f32(bits); }
    return bitcast<f32>(bits);
}

// A face across an axis exists up to the end of that axis; across the others there is one less.
fn exists(element: u32, axis: u32) -> bool {
    if (look.faces.x == 0u) { return true; }
    let cell = vec3u(element % look.faces.x, element / look.faces.x % look.faces.y, element / (look.faces.x * look.faces.y));
    for (var other = 0u; other < look.components; other++) {
        if (other != axis && cell[other] + 1u >= look.faces[other]) { return false; }
    }
    return true;
}

fn bad(element: u32) -> bool {
    var first = 0u;
    var end = look.components;
    if (look.component >= 0) { first = u32(look.component); end = first + 1u; }
    var squares = 0.0;
    for (var part = first; part < end; part++) {
        if (!exists(element, part)) { continue; }
        let bits = number(part / look.adjacent * look.plane + element * look.adjacent + part % look.adjacent);
        if (wild(bits)) { return true; }
        if (look.ranged == 0u) { continue; }
        let number = value(bits);
        if ((end - first == 1u || look.apart > 0u) && (number < look.low || number > look.high)) { return true; }
        squares += number * number;
    }
    // Of vectors the length counts; of faces and of several numbers in a cell each by itself.
    let size = sqrt(squares);
    return look.ranged != 0u && end - first > 1u && look.apart == 0u && (size < look.low || size > look.high);
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    var end = look.elements;
    // Of particles, the living.
    if (look.live > 0u) { end = min(end, count[0]); }
    var sum = 0u;
    var first = 0xffffffffu;
    for (var i = id.x; i < end; i += groups.x * 256u) {
        if (bad(i)) { sum += 1u; first = min(first, i); }
    }
    if (sum > 0u) {
        atomicAdd(&found[2u * look.at], sum);
        // Stored from the top, so that a cleared word means that nothing was found.
        atomicMax(&found[2u * look.at + 1u], 0xffffffffu - first);
    }
}
";

/// A buffer to look through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// The buffer, and whether it is read as a State's.
    pub buffer: (BufferId, bool),
    /// The count of living particles.
    pub count: Option<(BufferId, bool)>,
    pub elements: u32,
    /// Numbers of an element that lie side by side.
    pub adjacent: u32,
    /// Numbers from there to its next ones.
    pub plane: u32,
    pub components: u32,
    /// 0 for f32, 1 for i32, 2 for u32, 3 for f16.
    pub scalar: u32,
    /// Whether each component is judged by itself, and not by the length of all.
    pub apart: bool,
    /// Elements of faces along each axis; zero for other wires.
    pub faces: [u32; 3],
    /// The one component that counts.
    pub component: Option<u32>,
    /// The range that elements should not leave; without one, they should be finite.
    pub range: Option<(f32, f32)>,
}

/// What was found in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hits {
    /// Number of elements.
    pub count: u32,
    /// The first of them.
    pub first: u32,
}

/// Looks through buffers of an engine.
pub(crate) struct Scan {
    gpu: Gpu,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    looks: Vec<Look>,
    uniforms: wgpu::Buffer,
    found: wgpu::Buffer,
}

impl Scan {
    /// # Errors
    /// A driver that rejects the shader; memory that is not available.
    pub(crate) fn new(gpu: &Gpu, looks: Vec<Look>) -> Result<Scan, Problem> {
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let (layout, pipeline) = pipeline(gpu);
        let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let count = looks.len().max(1) as u64;
        let found = gpu.buffer("scan", (count * WORDS * 4).next_multiple_of(16), storage)?;
        let uniforms = gpu.buffer("scan", count * STRIDE, uniform)?;
        let mut bytes = vec![0u8; (count * STRIDE) as usize];
        for (at, (look, block)) in looks.iter().zip(bytes.chunks_exact_mut(STRIDE as usize)).enumerate() {
            let words = block_of(look, at as u32);
            block[..size_of_val(&words)].copy_from_slice(bytemuck::cast_slice(&words));
        }
        gpu.queue.write_buffer(&uniforms, 0, &bytes);
        match pollster::block_on(scope.pop()) {
            None => Ok(Scan { gpu: gpu.clone(), pipeline, layout, looks, uniforms, found }),
            Some(error) => {
                let cause = format!("the driver refuses the shader that looks for bad values: {error}");
                Err(Problem::new("", "", cause, "update the driver, or try another adapter"))
            }
        }
    }

    /// Forgets what was found.
    pub(crate) fn begin(&self) {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&self.found, 0, None);
        self.gpu.queue.submit([encoder.finish()]);
    }

    /// Looks through some of the buffers as they are now: one submit, no wait.
    pub(crate) fn run(&self, engine: &Engine, which: Range<usize>) {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        for (at, look) in self.looks.iter().enumerate().take(which.end).skip(which.start) {
            let Some(values) = engine.buffer(look.buffer.0, look.buffer.1) else { continue };
            let count = look.count.and_then(|(buffer, state)| engine.buffer(buffer, state)).unwrap_or(values);
            let uniform =
                wgpu::BufferBinding { buffer: &self.uniforms, offset: 0, size: std::num::NonZeroU64::new(BLOCK) };
            let resources = [
                wgpu::BindingResource::Buffer(uniform),
                values.as_entire_binding(),
                count.as_entire_binding(),
                self.found.as_entire_binding(),
            ];
            let entries: Vec<wgpu::BindGroupEntry<'_>> = resources
                .into_iter()
                .enumerate()
                .map(|(binding, resource)| wgpu::BindGroupEntry { binding: binding as u32, resource })
                .collect();
            let descriptor = wgpu::BindGroupDescriptor { label: Some("scan"), layout: &self.layout, entries: &entries };
            let group = self.gpu.device.create_bind_group(&descriptor);
            pass.set_bind_group(0, &group, &[(at as u64 * STRIDE) as u32]);
            pass.dispatch_workgroups(look.elements.div_ceil(4 * LANES).clamp(1, MAX_GROUPS), 1, 1);
        }
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
    }

    /// Requests what was found since [`Scan::begin`].
    ///
    /// # Errors
    /// When there is no memory for it.
    pub(crate) fn read(&self) -> Result<Reading, OutOfMemory> {
        Reading::start(&self.gpu, &self.found)
    }

    /// What the words of [`Scan::read`] mean, in the order of the buffers; `None` where nothing was found.
    pub(crate) fn hits(&self, words: &[u32]) -> Vec<Option<Hits>> {
        let hits = |pair: &[u32]| match pair {
            [count, first] if *count > 0 => Some(Hits { count: *count, first: u32::MAX - first }),
            _ => None,
        };
        words.chunks_exact(WORDS as usize).take(self.looks.len()).map(hits).collect()
    }
}

/// Size of `Look` in the WGSL \[bytes\].
const BLOCK: u64 = 64;

/// A look as the shader reads it.
fn block_of(look: &Look, at: u32) -> [u32; 16] {
    let (low, high) = look.range.unwrap_or_default();
    let component = look.component.map_or(u32::MAX, |component| component.min(look.components.saturating_sub(1)));
    let [x, y, z] = look.faces;
    let ranged = u32::from(look.range.is_some());
    let live = u32::from(look.count.is_some());
    [
        look.elements,
        look.adjacent,
        look.components,
        look.scalar,
        live,
        component,
        ranged,
        at,
        x,
        y,
        z,
        low.to_bits(),
        high.to_bits(),
        look.plane,
        u32::from(look.apart),
        0,
    ]
}

fn pipeline(gpu: &Gpu) -> (wgpu::BindGroupLayout, wgpu::ComputePipeline) {
    let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
    let types = [wgpu::BufferBindingType::Uniform, storage(true), storage(true), storage(false)];
    let entry = |(binding, ty): (usize, wgpu::BufferBindingType)| wgpu::BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: binding == 0, min_binding_size: None },
        count: None,
    };
    let entries: Vec<wgpu::BindGroupLayoutEntry> = types.into_iter().enumerate().map(entry).collect();
    let layout = gpu
        .device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("scan"), entries: &entries });
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("scan"),
        source: wgpu::ShaderSource::Wgsl(WGSL.into()),
    });
    let pipeline_layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("scan"),
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("scan"),
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    (layout, pipeline)
}
