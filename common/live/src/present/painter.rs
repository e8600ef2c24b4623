//! Draws what egui tessellated into a picture of our own, which is then copied to where it is seen.

use std::rc::Rc;

use anyhow::Result;
use ash::vk;
use egui::epaint::Primitive;
use egui::{ClippedPrimitive, Color32, TexturesDelta};

use super::device::{COPIED, DRAWN, Device, FILLED, NOTHING};
use super::frame::{Backdrop, Paint, Shot};
use super::memory::{Buffer, Image};
use super::pipeline::Pipeline;
use super::swapchain::Acquired;
use super::textures::{LAYER, Textures};

/// egui's renderer. The device is idle between two submits, so one buffer is enough for all that passes between it and
/// the CPU.
pub(super) struct Painter {
    device: Rc<Device>,
    textures: Textures,
    pipeline: Pipeline,
    format: vk::Format,
    buffer: Buffer,
    canvas: Option<Image>,
}

impl Painter {
    /// Draws in this order of colours, of eight bits each and as they are.
    pub fn new(device: &Rc<Device>, format: vk::Format) -> Result<Self> {
        let textures = Textures::new(device)?;
        let pipeline = Pipeline::new(device, textures.layout, format)?;
        let (device, buffer) = (Rc::clone(device), Buffer::empty(device));
        Ok(Self { device, textures, pipeline, format, buffer, canvas: None })
    }

    /// Makes the changes of textures.
    pub fn change(&mut self, delta: &TexturesDelta) -> Result<()> {
        self.textures.change(delta, &mut self.buffer)
    }

    /// Forgets textures that nothing draws any more.
    pub fn forget(&mut self, delta: &TexturesDelta) -> Result<()> {
        delta.free.iter().try_for_each(|id| self.textures.free(*id))
    }

    /// Draws a frame in a size, and copies it into an image of the window, if there is one.
    pub fn paint(&mut self, frame: &Paint<'_>, size: [u32; 2], onto: Option<&Acquired>) -> Result<()> {
        let indices = self.load(frame.primitives)?;
        let canvas = self.canvas(size)?;
        let links = onto.map(|onto| [onto.ready, onto.drawn]);
        let drawn = self.device.run("the drawing of the window", links, |commands| {
            self.record(commands, &canvas, frame, indices);
            if let Some(onto) = onto {
                self.hand_over(commands, &canvas, onto.image);
            }
        });
        self.canvas = Some(canvas);
        drawn
    }

    /// What was painted last.
    pub fn shot(&mut self) -> Result<Shot> {
        let Some(canvas) = &self.canvas else { return Ok(Shot { size: [0; 2], rgba: Vec::new() }) };
        let size @ [width, height] = canvas.size;
        let bytes = usize::try_from(u64::from(width) * u64::from(height) * 4)?;
        self.buffer.grow(bytes)?;
        let region = vk::BufferImageCopy::default().image_subresource(LAYER).image_extent(vk::Extent3D {
            width,
            height,
            depth: 1,
        });
        let barriers = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::COPY)
            .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::HOST)
            .dst_access_mask(vk::AccessFlags2::HOST_READ)];
        let read = vk::DependencyInfo::default().memory_barriers(&barriers);
        let (device, buffer) = (&self.device.raw, self.buffer.raw);
        self.device.run("the copy of a screenshot", None, |commands| unsafe {
            device.cmd_copy_image_to_buffer(commands, canvas.raw, COPIED, buffer, &[region]);
            device.cmd_pipeline_barrier2(commands, &read);
        })?;
        let mut rgba = self.buffer.read(bytes)?.to_vec();
        if self.format == vk::Format::B8G8R8A8_UNORM {
            rgba.chunks_exact_mut(4).for_each(|pixel| pixel.swap(0, 2));
        }
        Ok(Shot { size, rgba })
    }

    /// The canvas, if there is one of this size, else a new one; the old one goes first.
    fn canvas(&mut self, size: [u32; 2]) -> Result<Image> {
        if let Some(canvas) = self.canvas.take().filter(|canvas| canvas.size == size) {
            return Ok(canvas);
        }
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
        Image::new(&self.device, "canvas", size, self.format, usage)
    }

    /// Hands a frame's triangles to the device: vertices, and from the offset that is returned on their indices.
    fn load(&mut self, primitives: &[ClippedPrimitive]) -> Result<u64> {
        let meshes = || primitives.iter().filter_map(mesh);
        let vertices: usize = meshes().map(|mesh| size_of_val(&mesh.vertices[..])).sum();
        let indices: usize = meshes().map(|mesh| size_of_val(&mesh.indices[..])).sum();
        self.buffer.grow(vertices + indices)?;
        let (mut vertex, mut index) = (0, vertices);
        for mesh in meshes() {
            self.buffer.write(vertex, bytemuck::cast_slice(&mesh.vertices))?;
            vertex += size_of_val(&mesh.vertices[..]);
            self.buffer.write(index, bytemuck::cast_slice(&mesh.indices))?;
            index += size_of_val(&mesh.indices[..]);
        }
        Ok(vertices as u64)
    }

    fn record(&self, commands: vk::CommandBuffer, canvas: &Image, frame: &Paint<'_>, indices: u64) {
        let device = &self.device.raw;
        self.device.transition(commands, canvas.raw, [NOTHING, DRAWN]);
        let clear = vk::ClearValue { color: colour(frame.backdrop.paper) };
        let attachments = [vk::RenderingAttachmentInfo::default()
            .image_view(canvas.view)
            .image_layout(DRAWN)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(clear)];
        let [width, height] = canvas.size;
        let extent = vk::Extent2D { width, height };
        let info = vk::RenderingInfo::default()
            .render_area(extent.into())
            .layer_count(1)
            .color_attachments(&attachments);
        unsafe { device.cmd_begin_rendering(commands, &info) };
        self.clear_panels(commands, extent, frame);
        self.draw(commands, extent, frame, indices);
        unsafe { device.cmd_end_rendering(commands) };
        self.device.transition(commands, canvas.raw, [DRAWN, COPIED]);
    }

    /// Copies the canvas into an image of the window.
    fn hand_over(&self, commands: vk::CommandBuffer, canvas: &Image, to: vk::Image) {
        let [width, height] = canvas.size;
        let region = vk::ImageCopy::default()
            .src_subresource(LAYER)
            .dst_subresource(LAYER)
            .extent(vk::Extent3D { width, height, depth: 1 });
        self.device.transition(commands, to, [NOTHING, FILLED]);
        unsafe {
            self.device.raw.cmd_copy_image(commands, canvas.raw, COPIED, to, FILLED, &[region]);
        }
        self.device.transition(commands, to, [FILLED, vk::ImageLayout::PRESENT_SRC_KHR]);
    }

    fn clear_panels(&self, commands: vk::CommandBuffer, extent: vk::Extent2D, frame: &Paint<'_>) {
        let Backdrop { panel, panels, .. } = frame.backdrop;
        let places = panels.iter().filter_map(|panel| scissor(*panel, frame.pixels_per_point, extent));
        let places: Vec<_> =
            places.map(|rect| vk::ClearRect { rect, base_array_layer: 0, layer_count: 1 }).collect();
        if places.is_empty() {
            return;
        }
        let value = vk::ClearValue { color: colour(panel) };
        let (aspect_mask, color_attachment) = (vk::ImageAspectFlags::COLOR, 0);
        let ground = vk::ClearAttachment { aspect_mask, color_attachment, clear_value: value };
        unsafe { self.device.raw.cmd_clear_attachments(commands, &[ground], &places) };
    }

    fn draw(&self, commands: vk::CommandBuffer, extent: vk::Extent2D, frame: &Paint<'_>, indices: u64) {
        let device = &self.device.raw;
        let (width, height) = (extent.width as f32, extent.height as f32);
        let viewport = vk::Viewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 };
        let points = [width / frame.pixels_per_point, height / frame.pixels_per_point];
        let (graphics, layout) = (vk::PipelineBindPoint::GRAPHICS, self.pipeline.layout);
        unsafe {
            device.cmd_bind_pipeline(commands, graphics, self.pipeline.raw);
            device.cmd_set_viewport(commands, 0, &[viewport]);
            let points = bytemuck::cast_slice(&points);
            device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::VERTEX, 0, points);
            device.cmd_bind_vertex_buffers(commands, 0, &[self.buffer.raw], &[0]);
            device.cmd_bind_index_buffer(commands, self.buffer.raw, indices, vk::IndexType::UINT32);
        }
        let (mut first_vertex, mut first_index) = (0_usize, 0_usize);
        for primitive in frame.primitives {
            let Some(mesh) = mesh(primitive) else { continue };
            let at = (number(first_vertex), number(first_index), number(mesh.indices.len()));
            first_vertex += mesh.vertices.len();
            first_index += mesh.indices.len();
            let scissor = scissor(primitive.clip_rect, frame.pixels_per_point, extent);
            let set = self.textures.set(mesh.texture_id);
            let (Some(scissor), Some(set), (Some(vertex), Some(index), Some(count))) = (scissor, set, at)
            else {
                continue;
            };
            let Ok(vertex) = i32::try_from(vertex) else { continue };
            unsafe {
                device.cmd_set_scissor(commands, 0, &[scissor]);
                device.cmd_bind_descriptor_sets(commands, graphics, layout, 0, &[set], &[]);
                device.cmd_draw_indexed(commands, count, 1, index, vertex, 0);
            }
        }
    }
}

/// What of a primitive is drawn; a paint callback has no meaning here.
fn mesh(primitive: &ClippedPrimitive) -> Option<&egui::Mesh> {
    match &primitive.primitive {
        Primitive::Mesh(mesh) => Some(mesh),
        Primitive::Callback(_) => None,
    }
}

fn number(count: usize) -> Option<u32> {
    u32::try_from(count).ok()
}

/// The pixels that a primitive is confined to; none where they lie outside.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the picture before")]
fn scissor(clip: egui::Rect, pixels_per_point: f32, extent: vk::Extent2D) -> Option<vk::Rect2D> {
    let pixel = |points: f32, most: u32| (points * pixels_per_point).round().clamp(0.0, most as f32) as u32;
    let (left, right) = (pixel(clip.min.x, extent.width), pixel(clip.max.x, extent.width));
    let (top, bottom) = (pixel(clip.min.y, extent.height), pixel(clip.max.y, extent.height));
    if left >= right || top >= bottom {
        return None;
    }
    let offset = vk::Offset2D { x: i32::try_from(left).ok()?, y: i32::try_from(top).ok()? };
    Some(vk::Rect2D { offset, extent: vk::Extent2D { width: right - left, height: bottom - top } })
}

fn colour(colour: Color32) -> vk::ClearColorValue {
    vk::ClearColorValue { float32: colour.to_array().map(|part| f32::from(part) / 255.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Rect, pos2};

    #[test]
    fn a_clip_is_confined_to_the_picture() {
        let extent = vk::Extent2D { width: 100, height: 50 };
        let of = |left, top, right, bottom| {
            let rect = Rect::from_min_max(pos2(left, top), pos2(right, bottom));
            scissor(rect, 2.0, extent).map(|s| (s.offset.x, s.offset.y, s.extent.width, s.extent.height))
        };
        assert_eq!(of(10.0, 5.0, 20.0, 10.0), Some((20, 10, 20, 10)));
        assert_eq!(of(-10.0, -5.0, 200.0, 100.0), Some((0, 0, 100, 50)));
        assert_eq!(of(f32::NEG_INFINITY, 0.0, f32::INFINITY, 1.0), Some((0, 0, 100, 2)));
        assert_eq!(of(60.0, 0.0, 70.0, 10.0), None);
        assert_eq!(of(20.0, 0.0, 10.0, 10.0), None);
    }
}
