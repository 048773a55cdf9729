//! Renders the windows of tests and benchmarks, on a device like that of the editor's own window. egui's renderer for tests requests OpenGL
//! too, and would have naga and wgpu built once with it and once without.

use std::sync::Arc;

use eframe::egui::{Context, FullOutput, TexturesDelta};
use eframe::egui_wgpu::{
    RenderState, RendererOptions, ScreenDescriptor, WgpuConfiguration, WgpuSetup, WgpuSetupCreateNew,
};
use eframe::wgpu;
use eframe::{CreationContext, Frame};
use egui_kittest::TestRenderer;
use image::RgbaImage;

pub struct Renderer(RenderState);

impl Renderer {
    /// Renders without a window. The device is a software adapter where there is one, which renders alike on every machine.
    pub fn new(mut setup: WgpuSetupCreateNew) -> Renderer {
        setup.native_adapter_selector = Some(Arc::new(|adapters, _| {
            let software = adapters.iter().find(|adapter| adapter.get_info().device_type == wgpu::DeviceType::Cpu);
            software.or(adapters.first()).cloned().ok_or_else(|| "there is no graphics driver".to_string())
        }));
        let setup = WgpuSetup::from(setup);
        let instance = pollster::block_on(setup.new_instance());
        let configuration = WgpuConfiguration { wgpu_setup: setup, ..WgpuConfiguration::default() };
        let state =
            pollster::block_on(RenderState::create(&configuration, &instance, None, RendererOptions::PREDICTABLE))
                .expect("a device");
        Renderer(state)
    }
}

impl TestRenderer for Renderer {
    fn setup_eframe(&self, context: &mut CreationContext<'_>, frame: &mut Frame) {
        context.wgpu_render_state = Some(self.0.clone());
        frame.wgpu_render_state = Some(self.0.clone());
    }

    fn handle_delta(&mut self, delta: &TexturesDelta) {
        let mut renderer = self.0.renderer.write();
        for (id, image) in &delta.set {
            renderer.update_texture(&self.0.device, &self.0.queue, *id, image);
        }
    }

    fn render(&mut self, ctx: &Context, output: &FullOutput) -> Result<RgbaImage, String> {
        let RenderState { device, queue, target_format, renderer, .. } = &self.0;
        let size = (ctx.content_rect().size() * ctx.pixels_per_point()).round();
        let (width, height) = (size.x as u32, size.y as u32);
        let screen = ScreenDescriptor { pixels_per_point: ctx.pixels_per_point(), size_in_pixels: [width, height] };
        let extent = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("window"),
            size: extent,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: *target_format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let triangles = ctx.tessellate(output.shapes.clone(), ctx.pixels_per_point());
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut renderer = renderer.write();
        let mut commands = renderer.update_buffers(device, queue, &mut encoder, &triangles, &screen);
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("window"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &texture.create_view(&wgpu::TextureViewDescriptor::default()),
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Store,
                },
                depth_slice: None,
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        renderer.render(&mut pass.forget_lifetime(), &triangles, &screen);
        // Rows of a copy start at multiples of 256 bytes.
        let (row, stride) = (4 * width as usize, (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT));
        let bytes = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("window"),
            size: u64::from(stride) * u64::from(height),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(stride), rows_per_image: None };
        let target = wgpu::TexelCopyBufferInfo { buffer: &bytes, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, extent);
        commands.push(encoder.finish());
        queue.submit(commands);
        bytes.slice(..).map_async(wgpu::MapMode::Read, |_| ());
        device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| error.to_string())?;
        let rows = bytes.slice(..).get_mapped_range();
        let pixels = rows.chunks_exact(stride as usize).flat_map(|line| &line[..row]).copied().collect();
        RgbaImage::from_raw(width, height, pixels).ok_or_else(|| "the image is incomplete".to_string())
    }
}
