//! A device and its queue: created here, or supplied by the host program.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::injected::Injected;
use super::pipelines::Pipelines;
use super::store::Store;
use super::wire_view::kernels::Compiled;
use crate::plan::Tuning;
use crate::plan::tuning::{LANES, MAX_BUFFERS, MAX_JOINED_BUFFERS, MAX_LANES};

/// Why there is no device.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The system has no graphics driver.
    #[error(
        "no graphics driver was found; install one, on Debian and Ubuntu `apt-get install libvulkan1 mesa-vulkan-drivers` \
         (it runs without a GPU too)"
    )]
    NoAdapter,
    /// No adapter has the requested name.
    #[error("no adapter name contains `{wanted}`; the adapters are: {there}")]
    NoSuchAdapter {
        /// The part of the name that was requested.
        wanted: String,
        /// The names of all adapters.
        there: String,
    },
    /// The driver refused to open a device.
    #[error("cannot open a device on the adapter {adapter}: {cause}")]
    NoDevice {
        /// The adapter.
        adapter: String,
        /// The driver's error.
        cause: String,
    },
}

/// Which adapter to use.
#[derive(Clone, Debug, Default)]
pub struct GpuOptions {
    /// Part of the adapter's name; the fastest adapter when `None`.
    pub adapter: Option<String>,
}

/// A device, its queue, its capabilities, and the pipelines made on it.
#[derive(Clone)]
pub struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    name: String,
    pub(crate) pipelines: Arc<Pipelines>,
    pub(crate) probes: Arc<Compiled>,
    pub(super) store: Arc<OnceLock<Store>>,
    /// Errors that no error scope caught, and the loss of the device.
    faults: Arc<Mutex<Vec<String>>>,
    lost: Arc<AtomicBool>,
    /// Allocation failures that tests inject.
    pub(super) injected: Arc<Injected>,
    /// The memory budget set by the user \[bytes\]; zero without one.
    pub(super) memory_limit: Arc<AtomicU64>,
}

/// The features and limits to request from an adapter: all limits that it offers, timestamps, and a pipeline cache
/// where it has them. A program that creates the device itself and passes it to [`Gpu::from_device`] requests the same.
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

/// Removes from what a program requests of the graphics drivers what only costs time here.
pub fn restrict(descriptor: &mut wgpu::InstanceDescriptor) {
    // OpenGL lacks what the stages need. Where only OpenGL is found, a real driver is missing.
    descriptor.backends &= wgpu::Backends::PRIMARY;
    // Indirect dispatch sizes come from our own kernels and never exceed a set's capacity. Validating each costs an
    // extra dispatch.
    if std::env::var_os("WGPU_VALIDATION_INDIRECT_CALL").is_none() {
        descriptor.flags.remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
    }
}

impl Gpu {
    /// Opens a device with all limits that the adapter offers.
    ///
    /// # Errors
    /// No driver, no such adapter, or a device that cannot be created.
    pub fn new(options: &GpuOptions) -> Result<Gpu, GpuError> {
        pollster::block_on(Gpu::open(options))
    }

    async fn open(options: &GpuOptions) -> Result<Gpu, GpuError> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        restrict(&mut descriptor);
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

    /// Uses a device and queue of another program. Its error handlers are not replaced, so that program has to notice
    /// when its device is lost, and stop; or it calls [`Gpu::watch`].
    pub fn from_device(device: wgpu::Device, queue: wgpu::Queue, name: &str) -> Gpu {
        Gpu::wrap(device, queue, name.to_string())
    }

    fn wrap(device: wgpu::Device, queue: wgpu::Queue, name: String) -> Gpu {
        let pipelines = Arc::new(Pipelines::new(is_software(&device)));
        Gpu {
            device,
            queue,
            name,
            pipelines,
            probes: Arc::default(),
            store: Arc::default(),
            faults: Arc::default(),
            lost: Arc::default(),
            injected: Arc::default(),
            memory_limit: Arc::default(),
        }
    }

    /// Replaces the device's error handlers. Without one, a stray validation error ends the process.
    /// [`Gpu::take_faults`] returns what they collect.
    pub fn watch(&self) {
        let note = |faults: &Mutex<Vec<String>>, text: String| {
            if let Ok(mut faults) = faults.lock() {
                faults.push(text);
            }
        };
        let (faults, lost) = (self.faults.clone(), self.lost.clone());
        self.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            // After the loss of the device every call is invalid; reporting these errors would not help.
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

    /// Default tuning for this device before anything was measured. On a software adapter memory is close and barriers
    /// are expensive, so there are no sweeps on tiles.
    pub fn tuning(&self) -> Tuning {
        let offered = self.device.limits().max_storage_buffers_per_shader_stage;
        let (buffers, joined_buffers) = (offered.min(MAX_BUFFERS), offered.min(MAX_JOINED_BUFFERS));
        if self.is_software() {
            return Tuning { buffers, joined_buffers, ..Tuning::cpu() };
        }
        // The one workgroup of several small dispatches has them all along x.
        Tuning {
            buffers,
            joined_buffers,
            lanes: self.widest_group().min(self.device.limits().max_compute_workgroup_size_x).clamp(LANES, MAX_LANES),
            ..Tuning::gpu()
        }
    }

    /// Whether the adapter is a software adapter, which computes on the CPU.
    pub fn is_software(&self) -> bool {
        is_software(&self.device)
    }

    /// Whether measuring shapes is useful. A software adapter takes long for it and chooses the plain shape in the end.
    pub fn is_worth_tuning(&self) -> bool {
        !self.is_software()
    }

    /// Maximum number of invocations in a workgroup.
    pub fn widest_group(&self) -> u32 {
        self.device.limits().max_compute_invocations_per_workgroup
    }

    /// Name, backend and driver for display.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Errors since the last call that were not reported otherwise.
    pub fn take_faults(&self) -> Vec<String> {
        self.faults.lock().map(|mut faults| std::mem::take(&mut *faults)).unwrap_or_default()
    }

    /// Calls `done`, on any thread, when the GPU has finished everything submitted so far.
    pub fn when_done(&self, done: impl FnOnce() + Send + 'static) {
        self.queue.on_submitted_work_done(done);
    }

    /// Blocks until the GPU has finished everything submitted.
    pub fn wait(&self) {
        // A timeout cannot happen since none is set; polling a lost device would end the process.
        if !self.is_lost() {
            let _ = self.device.poll(wgpu::PollType::wait_indefinitely());
        }
    }

    /// Processes callbacks of finished work. Does not block.
    pub fn poll(&self) {
        if !self.is_lost() {
            let _ = self.device.poll(wgpu::PollType::Poll);
        }
    }

    /// Whether the device is lost, as far as its error handlers are ours ([`Gpu::watch`]).
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// Destroys the device. For everything that uses it, this looks like a driver reset. For tests of recovery.
    pub fn destroy(&self) {
        self.device.destroy();
        self.poll();
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

/// Whether the device computes on the CPU.
fn is_software(device: &wgpu::Device) -> bool {
    device.adapter_info().device_type == wgpu::DeviceType::Cpu
}
