//! A plan's image as a texture of the window, copied on the GPU from buffer to texture.

use eframe::egui::TextureId;
use eframe::egui_wgpu::RenderState;
use eframe::wgpu;

/// Pixels are RGBA bytes in sRGB, in which the window blends; it expects premultiplied alpha.
const SHADER: &str = "
@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var image: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let size = textureDimensions(image);
    if (id.x >= size.x || id.y >= size.y) { return; }
    let color = unpack4x8unorm(pixels[id.y * size.x + id.x]);
    textureStore(image, id.xy, vec4f(color.rgb * color.a, color.a));
}
";

/// The shown texture, and the pipeline that fills it.
pub(crate) struct ImageTexture {
    render: RenderState,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    target: Option<Target>,
    smooth: bool,
}

struct Target {
    view: wgpu::TextureView,
    size: [u32; 2],
    id: TextureId,
}

impl ImageTexture {
    pub(crate) fn new(render: RenderState) -> ImageTexture {
        let device = &render.device;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("viewport"),
            source: wgpu::ShaderSource::Wgsl(SHADER.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("viewport"),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        let layout = pipeline.get_bind_group_layout(0);
        ImageTexture { render, pipeline, layout, target: None, smooth: true }
    }

    /// The texture and its size \[pixels\], once there is an image.
    pub(crate) fn shown(&self) -> Option<(TextureId, [u32; 2])> {
        self.target.as_ref().map(|target| (target.id, target.size))
    }

    pub(super) fn render(&self) -> &RenderState {
        &self.render
    }

    pub(super) fn smooth(&self) -> bool {
        self.smooth
    }

    /// Sets whether pixels are interpolated if the image is not shown at its actual size.
    pub(super) fn set_smooth(&mut self, smooth: bool) {
        self.smooth = smooth;
        if let Some(target) = &self.target {
            let mut renderer = self.render.renderer.write();
            renderer.update_egui_texture_from_wgpu_texture(&self.render.device, &target.view, self.filter(), target.id);
        }
    }

    /// Copies an image with one `u32` per pixel: RGBA bytes in sRGB, top row first.
    ///
    /// # Errors
    /// If the image is too large to show, in one sentence.
    pub(crate) fn update(&mut self, buffer: &wgpu::Buffer, size: [u32; 2], name: &str) -> Result<(), String> {
        let largest = self.render.device.limits().max_texture_dimension_2d;
        if size.iter().any(|side| *side > largest) {
            let [width, height] = size;
            return Err(format!(
                "the image is {width} x {height} pixels, this GPU shows up to {largest}; lower the size of `{name}`"
            ));
        }
        if self.target.as_ref().is_none_or(|target| target.size != size) {
            self.retarget(size);
        }
        let Some(target) = &self.target else { return Ok(()) };
        let device = &self.render.device;
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("viewport"),
            layout: &self.layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&target.view) },
            ],
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("viewport") });
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        pass.dispatch_workgroups(size[0].div_ceil(16), size[1].div_ceil(16), 1);
        drop(pass);
        self.render.queue.submit([encoder.finish()]);
        Ok(())
    }

    fn retarget(&mut self, [width, height]: [u32; 2]) {
        let texture = self.render.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("viewport"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let view = texture.create_view(&Default::default());
        let (device, filter) = (&self.render.device, self.filter());
        let mut renderer = self.render.renderer.write();
        let id = match &self.target {
            Some(target) => {
                renderer.update_egui_texture_from_wgpu_texture(device, &view, filter, target.id);
                target.id
            }
            None => renderer.register_native_texture(device, &view, filter),
        };
        drop(renderer);
        self.target = Some(Target { view, size: [width, height], id });
    }

    fn filter(&self) -> wgpu::FilterMode {
        if self.smooth { wgpu::FilterMode::Linear } else { wgpu::FilterMode::Nearest }
    }
}

impl Drop for ImageTexture {
    fn drop(&mut self) {
        if let Some(target) = self.target.take() {
            self.render.renderer.write().free_texture(&target.id);
        }
    }
}
