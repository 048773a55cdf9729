//! Opens the device that the arguments name.

use stagewright_runtime::gpu::{Gpu, GpuOptions};

use super::args::{DeviceArgs, MemoryArgs};
use super::report;
use super::report::Failure;

/// Opens a device; plans on it may take the memory that the user allows. A software driver is named on standard error.
///
/// # Errors
/// No device, or no GPU where one is required.
pub(super) fn open(device: &DeviceArgs, memory: MemoryArgs) -> Result<Gpu, Failure> {
    let gpu = Gpu::new(&GpuOptions { adapter: device.adapter.clone() }).map_err(|error| match device.require_gpu {
        true => Failure::NoGpu(format!("--require-gpu: {error}")),
        false => Failure::Message(error.to_string()),
    })?;
    if gpu.is_software() && device.require_gpu {
        let cause = format!("--require-gpu: {} is a software driver; run it where a GPU is", gpu.name());
        return Err(Failure::NoGpu(cause));
    }
    if gpu.is_software() && device.adapter.is_none() {
        report::eprint_line(&format!("runs without a GPU, on the software driver {}", gpu.name()));
    }
    gpu.limit_memory(memory.memory);
    Ok(gpu)
}

/// Keeps pipelines in the user's cache folder.
pub(super) fn keep_pipelines(gpu: &Gpu) {
    if let Some(folder) = stagewright_runtime::tune::cache_folder() {
        gpu.keep_pipelines(&folder.join("pipelines"));
    }
}
