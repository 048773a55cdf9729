//! The graphics device that a window and its simulation share.

use std::sync::Arc;

use eframe::egui_wgpu;

use crate::gpu::{self, Gpu, describe};

/// How the editor requests its device. The simulation shares it, so it has all features and limits of the adapter.
pub fn device_setup() -> egui_wgpu::WgpuSetupCreateNew {
    let mut setup = egui_wgpu::WgpuSetupCreateNew::without_display_handle();
    gpu::restrict(&mut setup.instance_descriptor);
    setup.device_descriptor = Arc::new(gpu::device_descriptor);
    setup
}

/// The device of a window, which its simulation shares.
pub(crate) fn device(render: &egui_wgpu::RenderState) -> Gpu {
    let name = describe(&render.adapter.get_info());
    let gpu = Gpu::from_device(render.device.clone(), render.queue.clone(), &name);
    gpu.watch();
    gpu
}
