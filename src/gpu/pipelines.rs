//! Pipelines by the content of their kernel, built in parallel and kept for the next plan.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::device::Gpu;
use crate::plan::{Kernel, module};
use crate::problem::{Problem, Problems};

/// A kernel made ready for the device.
#[derive(Debug)]
pub struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
}

/// Every pipeline of a device.
#[derive(Debug, Default)]
pub struct Pipelines {
    known: Mutex<HashMap<Key, Arc<Pipeline>>>,
}

/// All that a pipeline depends on. The text itself, not a hash of it: no collision to think about.
type Key = (String, Vec<bool>, u32, bool, bool);

fn key(kernel: &Kernel) -> Key {
    let writes = kernel.bindings.iter().map(|b| b.writes).collect();
    (kernel.wgsl.clone(), writes, kernel.uniform_bytes, kernel.finite, kernel.in_bounds)
}

/// Shader compilers recurse over what the user wrote.
const STACK: usize = 256 << 20;

impl Pipelines {
    /// The pipeline of each kernel; those not known yet are compiled on all cores.
    ///
    /// # Errors
    /// Every kernel that the driver refuses, by the node that needs it.
    pub fn get(&self, gpu: &Gpu, kernels: &[Kernel]) -> Result<Vec<Arc<Pipeline>>, Problems> {
        let missing: Vec<&Kernel> = match self.known.lock() {
            Ok(known) => kernels.iter().filter(|k| !known.contains_key(&key(k))).collect(),
            Err(_) => return Err(poisoned()),
        };
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(missing.len().max(1));
        let next = std::sync::atomic::AtomicUsize::new(0);
        let problems = Mutex::new(Problems::default());
        let work = || {
            while let Some(kernel) = missing.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                match build(gpu, kernel) {
                    Ok(pipeline) => {
                        if let Ok(mut known) = self.known.lock() {
                            known.insert(key(kernel), Arc::new(pipeline));
                        }
                    }
                    Err(problem) => {
                        if let Ok(mut problems) = problems.lock() {
                            problems.push(problem);
                        }
                        if gpu.is_lost() {
                            break;
                        }
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..threads {
                // Where no thread can be had, the others do its share; the last resort is below.
                let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            }
        });
        work();
        let problems = problems.into_inner().unwrap_or_else(|e| e.into_inner());
        if !problems.is_empty() {
            return Err(problems);
        }
        let known = self.known.lock().map_err(|_| poisoned())?;
        let found: Option<Vec<_>> = kernels.iter().map(|k| known.get(&key(k)).cloned()).collect();
        found.ok_or_else(poisoned)
    }
}

fn poisoned() -> Problems {
    Problem::new("", "", "a shader compiler thread died", "report this, with the graph").into()
}

fn build(gpu: &Gpu, kernel: &Kernel) -> Result<Pipeline, Problem> {
    let device = &gpu.device;
    let refused = |cause: String| Problem::new(&kernel.node, "", cause, "change the stage, or try another adapter");
    let module = module::read(&kernel.wgsl)
        .map_err(|error| refused(format!("the shader of `{}` can't be read: {error}", kernel.name)))?;
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(&kernel.name),
        entries: &entries(kernel),
    });
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(&kernel.name),
        source: wgpu::ShaderSource::Naga(Cow::Owned(module)),
    };
    let checks = wgpu::ShaderRuntimeChecks {
        force_loop_bounding: !kernel.finite,
        bounds_checks: !kernel.in_bounds,
        ..wgpu::ShaderRuntimeChecks::checked()
    };
    #[allow(unsafe_code)]
    // SAFETY: loops go unbounded where the plan has proven every loop of the kernel finite, and indices unchecked where it has
    // proven the stage's own to be in bounds; those of the generated text it has clamped.
    let module = unsafe { device.create_shader_module_trusted(descriptor, checks) };
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(&kernel.name),
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(&kernel.name),
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some("_main"),
        // Workgroup memory is written before it is read in all that we generate.
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache: None,
    });
    match pollster::block_on(scope.pop()) {
        // Told at this node, and not only wherever the next thing fails.
        None if gpu.is_lost() => {
            Err(refused(format!("the graphics device was lost over the shader of `{}`", kernel.name)))
        }
        None => Ok(Pipeline { pipeline, layout }),
        Some(error) => Err(refused(format!("the driver refuses the shader of `{}`: {error}", kernel.name))),
    }
}

/// Uniform blocks at 0 and 1, then the kernel's buffers, then the flags of spent loops.
fn entries(kernel: &Kernel) -> Vec<wgpu::BindGroupLayoutEntry> {
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: binding == 1, min_binding_size: None },
        count: None,
    };
    let uniform = wgpu::BufferBindingType::Uniform;
    let mut entries = vec![entry(0, uniform), entry(1, uniform)];
    let flags = kernel.warns.then_some(true);
    for writes in kernel.bindings.iter().map(|b| b.writes).chain(flags) {
        let binding = entries.len() as u32;
        entries.push(entry(binding, wgpu::BufferBindingType::Storage { read_only: !writes }));
    }
    entries
}
