//! Makes pipelines, in parallel.
//!
//! A call into the driver's compiler may take any time and cannot be interrupted. So pipelines are made on threads that
//! are abandoned when the caller cancels. What such a thread finishes later is kept like any other pipeline.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::device::Gpu;
use super::driver::{self, Alive, Inside, Making};
use super::pipelines::{Key, Pipeline, Shared, Waiting, key};
use super::store::Store;
use super::uniform_branches;
use crate::arena::IdVec;
use crate::plan::{Kernel, KernelId, Plan, module};
use crate::problem::{Problem, Problems};
use crate::threads::STACK;

/// How often a waiting caller checks for progress and cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Limit of threads inside the driver, above which no more shaders are started. Otherwise abandoned threads would slow
/// the whole machine down.
const MAX_INSIDE: usize = 64;

/// The pipelines that one caller waits for.
struct Request {
    gpu: Gpu,
    shared: Arc<Shared>,
    queue: Mutex<VecDeque<(Key, Kernel)>>,
    /// The caller has cancelled.
    given_up: AtomicBool,
    threads: AtomicUsize,
}

impl Gpu {
    /// Makes the pipelines of a plan in advance, on any thread, so that a simulation that uses the plan later does not
    /// wait.
    ///
    /// # Errors
    /// Every shader that the driver rejects, by the node that needs it.
    pub fn prepare(&self, plan: &Plan) -> Result<(), Problems> {
        self.prepare_while(plan, &mut |_| true)
    }

    /// Makes the pipelines of a plan in advance, for as long as `go_on` returns true: it is called every 50 ms while the driver works. A call into the
    /// driver cannot be interrupted, so its thread continues by itself, and its pipeline is there when it is needed
    /// again. Before the process exits, call [`super::wait_for_pipelines`].
    ///
    /// # Errors
    /// Every shader that the driver rejects; or the node whose shader was being compiled when `go_on` returned false.
    pub fn prepare_while(&self, plan: &Plan, go_on: &mut dyn FnMut(&Making) -> bool) -> Result<(), Problems> {
        self.make_pipelines(plan, go_on)?;
        self.save_pipelines();
        Ok(())
    }

    /// Makes the pipelines of a plan without writing to the cache folder, for a caller that somebody waits for; [`Gpu::save_pipelines`] can be called later.
    ///
    /// # Errors
    /// As [`Gpu::prepare_while`].
    pub fn make_pipelines(&self, plan: &Plan, go_on: &mut dyn FnMut(&Making) -> bool) -> Result<(), Problems> {
        self.pipelines(plan, go_on).map(drop)
    }

    /// Writes what the driver has compiled to the cache folder, if there is one ([`Gpu::keep_pipelines`]).
    pub fn save_pipelines(&self) {
        if let Some(store) = self.store.get() {
            // When the cache cannot be written, the next start only takes longer.
            let _ = store.save(self.pipelines.count());
        }
    }

    /// Keeps what the driver compiles in a cache folder, and loads what it compiled before, where the backend supports
    /// it. No other program may write to this folder.
    pub fn keep_pipelines(&self, folder: &Path) {
        if let Some(store) = Store::open(&self.device, folder) {
            // Only the first call has an effect.
            let _ = self.store.set(store);
        }
    }

    /// The pipeline of each kernel of a plan. Missing ones are compiled on all cores, the longest text first. `go_on`
    /// is called every 50 ms meanwhile; when it returns false, this function returns at once.
    ///
    /// # Errors
    /// Every kernel that the driver rejects, by the node that needs it; or the node whose shader was being compiled.
    pub(super) fn pipelines(
        &self,
        plan: &Plan,
        go_on: &mut dyn FnMut(&Making) -> bool,
    ) -> Result<IdVec<Kernel, Arc<Pipeline>>, Problems> {
        let keys: IdVec<Kernel, Key> = plan.kernels.iter().map(key).collect();
        let _waiting = Waiting::begin(&self.pipelines.0, keys.len());
        let missing = self.pipelines.missing(plan.kernels.iter().zip(&keys));
        if !missing.is_empty() {
            let wanted: HashSet<&Key> = missing.iter().map(|(key, _)| key).collect();
            let nodes = keys.entries().filter(|(_, key)| wanted.contains(key));
            let nodes: Vec<(Key, Vec<String>)> =
                nodes.map(|(kernel, key)| (key.clone(), nodes_of(plan, kernel))).collect();
            self.make(missing, &nodes, go_on)?;
        }
        let mut state = self.pipelines.0.lock();
        let found: Option<IdVec<_, _>> = keys.iter().map(|key| state.cached.get(key).cloned()).collect();
        found.ok_or_else(died)
    }

    fn make(
        &self,
        missing: VecDeque<(Key, Kernel)>,
        nodes: &[(Key, Vec<String>)],
        go_on: &mut dyn FnMut(&Making) -> bool,
    ) -> Result<(), Problems> {
        if driver::threads_inside() >= MAX_INSIDE {
            let cause = format!("the driver is still compiling {MAX_INSIDE} cancelled shaders");
            return Err(Problem::new("", "", cause, "save the graph and restart the program").into());
        }
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(missing.len());
        let request = Arc::new(Request {
            gpu: self.clone(),
            shared: self.pipelines.0.clone(),
            queue: Mutex::new(missing),
            given_up: AtomicBool::new(false),
            threads: AtomicUsize::new(0),
        });
        for _ in 0..threads {
            request.threads.fetch_add(1, Ordering::SeqCst);
            let (leaving, alive) = (Leaving(request.clone()), Alive::begin());
            let work = move || {
                leaving.0.work();
                drop(leaving);
                drop(alive);
            };
            // Not `background`: several threads share a queue, are counted while inside the driver, and are never waited for.
            let spawned = std::thread::Builder::new().name("pipelines".into()).stack_size(STACK).spawn(work);
            if spawned.is_err() && request.threads.load(Ordering::SeqCst) == 0 {
                // Where no thread can be started, the work is done here and cannot be cancelled.
                request.work();
            }
        }
        self.wait_for(&request, nodes, go_on)
    }

    /// Waits for all of them, or until `go_on` returns false.
    fn wait_for(
        &self,
        request: &Request,
        nodes: &[(Key, Vec<String>)],
        go_on: &mut dyn FnMut(&Making) -> bool,
    ) -> Result<(), Problems> {
        let mut state = self.pipelines.0.lock();
        loop {
            let left = request.threads.load(Ordering::SeqCst) > 0;
            if !state.open(nodes).any(|(key, _)| left || state.making.contains_key(key)) {
                break;
            }
            let (next, _) =
                self.pipelines.0.changed.wait_timeout(state, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner);
            let making = next.progress(nodes);
            drop(next);
            // A request that is complete need not be cancelled.
            if !go_on(&making) && making.done < making.total {
                request.given_up.store(true, Ordering::SeqCst);
                return Err(given_up(&making).into());
            }
            state = self.pipelines.0.lock();
        }
        let mut problems = Problems::default();
        nodes.iter().filter_map(|(key, _)| state.failed.get(key)).for_each(|problem| problems.push(problem.clone()));
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

/// Marks one thread of a request as finished when it is dropped.
struct Leaving(Arc<Request>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.threads.fetch_sub(1, Ordering::SeqCst);
        self.0.shared.changed.notify_all();
    }
}

impl Request {
    fn work(&self) {
        while !self.given_up.load(Ordering::SeqCst) && !self.gpu.is_lost() {
            let next = self.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some((key, kernel)) = next else { return };
            let mut state = self.shared.lock();
            if state.cached.contains(&key) || state.making.contains_key(&key) {
                // Another thread makes it, or has made it.
                continue;
            }
            state.making.insert(key.clone(), Instant::now());
            drop(state);
            let inside = Inside::enter();
            let made = catch_unwind(AssertUnwindSafe(|| build(&self.gpu, &kernel)));
            drop(inside);
            let made = made.unwrap_or_else(|_| {
                let cause = format!("the shader compiler fails on the shader of `{}`", kernel.name);
                Err(Problem::new(&kernel.node, "", cause, "change the stage, or try another adapter"))
            });
            let mut state = self.shared.lock();
            state.making.remove(&key);
            match made {
                Ok(pipeline) => drop(state.cached.put(key, Arc::new(pipeline))),
                Err(problem) => drop(state.failed.insert(key, problem)),
            }
            drop(state);
            self.shared.changed.notify_all();
        }
    }
}

/// The nodes whose work a kernel does.
fn nodes_of(plan: &Plan, kernel: KernelId) -> Vec<String> {
    let dispatches = plan.reset.iter().chain(&plan.invariant).chain(&plan.frame);
    let dispatch = dispatches.into_iter().find(|dispatch| dispatch.kernel == kernel);
    let nodes = dispatch.map(|dispatch| dispatch.nodes().map(String::from).collect());
    nodes.unwrap_or_else(|| plan.kernels.get(kernel).map(|kernel| kernel.node.clone()).into_iter().collect())
}

fn given_up(making: &Making) -> Problem {
    let seconds = making.took.as_secs();
    let with = match making.nodes.get(1..).unwrap_or_default() {
        [] => String::new(),
        with => format!(", which holds {} too,", with.join(" and ")),
    };
    let cause = format!("the driver had been compiling the shader{with} for {seconds} s when it was cancelled");
    let node = making.nodes.first().map_or("", String::as_str);
    Problem::new(node, "", cause, "make the stage simpler, or try another adapter")
}

fn died() -> Problems {
    Problem::new("", "", "a shader compiler thread crashed", "report this bug with the graph").into()
}

fn build(gpu: &Gpu, kernel: &Kernel) -> Result<Pipeline, Problem> {
    let device = &gpu.device;
    let refused = |cause: String| Problem::new(&kernel.node, "", cause, "change the stage, or try another adapter");
    let mut module = module::read(&kernel.wgsl)
        .map_err(|error| refused(format!("the shader of `{}` can't be read: {error}", kernel.name)))?;
    if gpu.is_software() {
        uniform_branches::hide(&mut module);
    }
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
    // SAFETY: loops are unbounded only where the plan has proven every loop of the kernel finite. Indices are unchecked
    // only where the plan has proven those of the stage in bounds; those of the generated text are clamped.
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
        // All generated code writes workgroup memory before it reads it.
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache: gpu.store.get().map(Store::cache),
    });
    match pollster::block_on(scope.pop()) {
        // Reported at this node, not only where the next call fails.
        None if gpu.is_lost() => {
            Err(refused(format!("the graphics device was lost over the shader of `{}`", kernel.name)))
        }
        None => Ok(Pipeline { pipeline, layout }),
        Some(error) => Err(refused(format!("the driver refuses the shader of `{}`: {error}", kernel.name))),
    }
}

/// Uniform blocks at bindings 0 and 1, then the kernel's buffers, then the flags of exceeded loop budgets.
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
