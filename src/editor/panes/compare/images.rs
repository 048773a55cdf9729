//! The images of both sides and of their difference.

use std::sync::Arc;

use eframe::egui::TextureId;
use eframe::egui_wgpu::RenderState;

use crate::gpu::Gpu;
use crate::panes::view::ImageTexture;
use crate::sim::host_copy::HostCopy;
use crate::sim::wire_view::{Sample, View, Viewer};

/// Which image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    A,
    B,
    Difference,
}

/// An image, and what computes it.
struct Picture {
    viewer: Viewer,
    texture: ImageTexture,
}

/// The three images, on the window's device.
pub(super) struct Images([Picture; 3]);

impl Images {
    /// # Errors
    /// A driver that refuses the shaders, in one sentence.
    pub(super) fn new(gpu: &Gpu, render: &RenderState) -> Result<Images, String> {
        let picture = || {
            let viewer = Viewer::new(gpu).map_err(|problem| problem.to_string())?;
            Ok::<_, String>(Picture { viewer, texture: ImageTexture::new(render.clone()) })
        };
        Ok(Images([picture()?, picture()?, picture()?]))
    }

    /// Draws values.
    ///
    /// # Errors
    /// Why they cannot be shown, in one sentence.
    pub(super) fn update(&mut self, gpu: &Gpu, which: Which, copy: &Arc<HostCopy>, view: &View) -> Result<(), String> {
        let Picture { viewer, texture } = &mut self.0[which as usize];
        viewer.update_taken(gpu, copy, view).map_err(|problem| problem.to_string())?;
        match viewer.image() {
            Some(image) => texture.update(image.buffer, image.size, copy.subject.name()),
            None => Ok(()),
        }
    }

    /// The texture and its size \[pixels\].
    pub(super) fn shown(&self, which: Which) -> Option<(TextureId, [u32; 2])> {
        self.0[which as usize].texture.shown()
    }

    /// Values of the first and the last colour of an image that has a colour map, once they have arrived.
    pub(super) fn range(&mut self, which: Which) -> Option<(f64, f64)> {
        let viewer = &mut self.0[which as usize].viewer;
        viewer.shown().filter(|shown| shown.is_mapped())?;
        viewer.statistics().map(|statistics| statistics.range)
    }

    /// Requests the element at a place of the difference, 0..1 from the lower left, with its next update.
    pub(super) fn point(&mut self, at: Option<[f32; 2]>) {
        self.0[Which::Difference as usize].viewer.set_pointer(at);
    }

    /// The element that has arrived.
    pub(super) fn picked(&mut self) -> Option<Sample> {
        self.0[Which::Difference as usize].viewer.picked().cloned()
    }
}
