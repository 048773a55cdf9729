//! A device and its queue: one of our own, or one that belongs to the program around us.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::injected::Injected;
use super::pipelines::Pipelines;
use super::store::Store;
use super::wire_view::kernels::Compiled;
use crate::plan::Tuning;
use crate::plan::tuning::MOST_BUFFERS;

/// Why there is no device.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GpuError {
    #[error(
        "no graphics driver was found; install one, on Debian and Ubuntu `apt-get install libvulkan1 mesa-vulkan-drivers` \
         (it runs without a GPU too)"
    )]
    NoAdapter,
    #[error("no adapter name contains `{wanted}`; the adapters are: {there}")]
    NoSuchAdapter { wanted: String, there: String },
    #[error("cannot open a device on the adapter {adapter}: {cause}")]
    NoDevice { adapter: String, cause: String },
}

#[derive(Clone, Debug, Default)]
pub struct GpuOptions {
    /// Part of the adapter's name; the fastest when absent.
    pub adapter: Option<String>,
}

/// A device, its queue, what it can do, and the pipelines made on it.
#[derive(Clone)]
pub struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    name: String,
    pub(crate) pipelines: Arc<Pipelines>,
    pub(crate) probes: Arc<Compiled>,
    pub(super) store: Arc<OnceLock<Store>>,
    /// Errors that no scope caught, and the loss of the device.
    faults: Arc<Mutex<Vec<String>>>,
    lost: Arc<AtomicBool>,
    /// Allocations that tests have fail.
    pub(super) injected: Arc<Injected>,
    /// The user's own memory budget \[bytes\]; zero without one.
    pub(super) memory_limit: Arc<AtomicU64>,
}

/// What to ask an adapter for: all that it really offers, timestamps, and a store of pipelines where it has them. A program that opens the device
/// itself, and hands it to [`Gpu::from_device`], asks for the same.
pub fn device_descriptor(adapter: &wgpu::Adapter) -> wgpu::DeviceDescriptor<'static> {
    let wanted = wgpu::Features::TIMESTAMP_QUERY
        | wgpu::Features::TIMESTAMP_QUERY_INSIDE_PASSES
        | wgpu::Features::PIPELINE_CACHE;
    wgpu::DeviceDescriptor {
        label: Some("stagewright"),
        required_features: adapter.features() & wanted,
        required_limits: adapter.limits(),
        ..Default::default()
    }
}

impl Gpu {
    /// Opens a device of our own, with all that the adapter really offers.
    ///
    /// # Errors
    /// No driver, no such adapter, or a device that can't be made.
    pub fn new(options: &GpuOptions) -> Result<Gpu, GpuError> {
        pollster::block_on(Gpu::open(options))
    }

    async fn open(options: &GpuOptions) -> Result<Gpu, GpuError> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        // OpenGL lacks what the stages need; where it is all there is, a real driver is missing.
        descriptor.backends &= wgpu::Backends::PRIMARY;
        // Counts of particles are our own kernels' and never beyond a set's capacity; checking each costs a dispatch more.
        if std::env::var_os("WGPU_VALIDATION_INDIRECT_CALL").is_none() {
            descriptor.flags.remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
        }
        let instance = wgpu::Instance::new(descriptor);
        let adapter = match &options.adapter {
            None => {
                let request = wgpu::RequestAdapterOptions {
                    power_preference: wgpu::PowerPreference::HighPerformance,
                    ..Default::default()
                };
                instance.request_adapter(&request).await.map_err(|_| GpuError::NoAdapter)?
            }
            Some(wanted) => {
                let adapters = instance.enumerate_adapters(wgpu::Backends::PRIMARY).await;
                let names: Vec<String> = adapters.iter().map(|a| a.get_info().name).collect();
                let found = names.iter().position(|n| n.to_lowercase().contains(&wanted.to_lowercase()));
                let there = names.join(", ");
                let adapter = found.and_then(|i| adapters.into_iter().nth(i));
                adapter.ok_or(GpuError::NoSuchAdapter { wanted: wanted.clone(), there })?
            }
        };
        let name = describe(&adapter.get_info());
        let (device, queue) = adapter
            .request_device(&device_descriptor(&adapter))
            .await
            .map_err(|e| GpuError::NoDevice { adapter: name.clone(), cause: e.to_string() })?;
        let gpu = Gpu::wrap(device, queue, name);
        gpu.watch();
        Ok(gpu)
    }

    /// Uses a device and queue that belong to another program. Its error handlers are left as they are, so it is for that program to
    /// learn that its device is lost, and not to go on then; or it calls [`Gpu::watch`].
    pub fn from_device(device: wgpu::Device, queue: wgpu::Queue, name: &str) -> Gpu {
        Gpu::wrap(device, queue, name.to_string())
    }

    fn wrap(device: wgpu::Device, queue: wgpu::Queue, name: String) -> Gpu {
        Gpu {
            device,
            queue,
            name,
            pipelines: Arc::default(),
            probes: Arc::default(),
            store: Arc::default(),
            faults: Arc::default(),
            lost: Arc::default(),
            injected: Arc::default(),
            memory_limit: Arc::default(),
        }
    }

    /// Takes the device's error handlers over: without one, a stray validation error ends the process. What they hear
    /// comes out of [`Gpu::take_faults`].
    pub fn watch(&self) {
        let note = |faults: &Mutex<Vec<String>>, text: String| {
            if let Ok(mut faults) = faults.lock() {
                faults.push(text);
            }
        };
        let (faults, lost) = (self.faults.clone(), self.lost.clone());
        self.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            // With the device everything is invalid, which tells nobody anything.
            if !lost.load(Ordering::Acquire) {
                note(&faults, error.to_string());
            }
        }));
        let (faults, lost) = (self.faults.clone(), self.lost.clone());
        self.device.set_device_lost_callback(move |reason, message| {
            lost.store(true, Ordering::Release);
            if reason != wgpu::DeviceLostReason::Destroyed {
                note(&faults, format!("the graphics device was lost: {message}"));
            }
        });
    }

    /// How plans are made for this device as long as nothing was measured on it: on a processor that plays GPU, memory is near and
    /// barriers are dear, so nothing is swept on tiles.
    pub fn tuning(&self) -> Tuning {
        let buffers = self.device.limits().max_storage_buffers_per_shader_stage.min(MOST_BUFFERS);
        match self.device.adapter_info().device_type {
            wgpu::DeviceType::Cpu => Tuning { buffers, ..Tuning::cpu() },
            _ => Tuning { buffers, ..Tuning::gpu() },
        }
    }

    /// Whether measuring shapes pays: a processor that plays GPU is slow at it and takes the plain one in the end.
    pub fn is_worth_tuning(&self) -> bool {
        self.device.adapter_info().device_type != wgpu::DeviceType::Cpu
    }

    /// Invocations that a workgroup may have.
    pub fn widest_group(&self) -> u32 {
        self.device.limits().max_compute_invocations_per_workgroup
    }

    /// Name, backend and driver, as a person would ask for them.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Errors since the last call that nothing else reported.
    pub fn take_faults(&self) -> Vec<String> {
        self.faults.lock().map(|mut faults| std::mem::take(&mut *faults)).unwrap_or_default()
    }

    /// Calls `done`, on some thread, when the GPU has finished all that was submitted so far.
    pub fn when_done(&self, done: impl FnOnce() + Send + 'static) {
        self.queue.on_submitted_work_done(done);
    }

    /// Waits until the GPU has done all that was submitted.
    pub fn wait(&self) {
        // A timeout can't happen without one being set, and to ask a device that is lost would end the process.
        if !self.is_lost() {
            let _ = self.device.poll(wgpu::PollType::wait_indefinitely());
        }
    }

    /// Lets what the GPU has told take effect. Does not block.
    pub(crate) fn look(&self) {
        if !self.is_lost() {
            let _ = self.device.poll(wgpu::PollType::Poll);
        }
    }

    /// Whether the device is gone, as far as it is being watched ([`Gpu::watch`]).
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// Destroys the device, which to everything that uses it looks like a driver that was reset. For tests of recovery.
    pub fn destroy(&self) {
        self.device.destroy();
        self.look();
    }

    pub(crate) fn limits(&self) -> wgpu::Limits {
        self.device.limits()
    }
}

/// Name, backend and driver of an adapter in one line.
pub fn describe(info: &wgpu::AdapterInfo) -> String {
    let driver = [info.driver.as_str(), info.driver_info.as_str()].join(" ");
    format!("{} ({:?}, {})", info.name, info.backend, driver.trim())
}
