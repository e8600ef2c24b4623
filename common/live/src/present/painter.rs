//! Draws what egui tessellated.

use std::rc::Rc;

use anyhow::Result;
use ash::vk;
use egui::epaint::{Primitive, Vertex};
use egui::{ClippedPrimitive, Color32, TexturesDelta};

use super::device::Device;
use super::memory::{At, Buffer, transition};
use super::pipeline::{Pipelines, is_srgb};
use super::textures::Textures;
use super::{Backdrop, Paint};

/// An image that is drawn into.
#[derive(Clone, Copy)]
pub(super) struct Onto {
    pub image: vk::Image,
    pub view: vk::ImageView,
    pub extent: vk::Extent2D,
    pub format: vk::Format,
    /// The layout that it is left in.
    pub becomes: vk::ImageLayout,
}

/// egui's renderer. The device is idle between two frames, so one set of buffers is enough.
pub(super) struct Painter {
    device: Rc<Device>,
    textures: Textures,
    pipelines: Pipelines,
    vertices: Option<Buffer>,
    indices: Option<Buffer>,
}

/// A layout to draw in; whatever the image held before goes.
const DRAWN: At = At(
    vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
    vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT,
    vk::AccessFlags2::COLOR_ATTACHMENT_WRITE,
);

impl Painter {
    pub fn new(device: &Rc<Device>) -> Result<Self> {
        Ok(Self {
            device: Rc::clone(device),
            textures: Textures::new(device)?,
            pipelines: Pipelines::new(device)?,
            vertices: None,
            indices: None,
        })
    }

    /// Takes the changes of textures; they are made with the next commands that are recorded.
    pub fn change(&mut self, delta: &TexturesDelta) -> Result<()> {
        self.textures.stage(delta, &self.pipelines)
    }

    /// Changes wait to be recorded.
    pub fn has_changes(&self) -> bool {
        self.textures.has_uploads()
    }

    pub fn record_changes(&mut self, commands: vk::CommandBuffer) {
        self.textures.record(commands);
    }

    /// Forgets textures that nothing draws any more.
    pub fn forget(&mut self, delta: &TexturesDelta) -> Result<()> {
        delta.free.iter().try_for_each(|id| self.textures.free(*id))
    }

    /// Hands a frame's triangles to the device.
    pub fn load(&mut self, primitives: &[ClippedPrimitive]) -> Result<()> {
        let meshes = || primitives.iter().filter_map(mesh);
        let vertices: usize = meshes().map(|mesh| size_of_val(&mesh.vertices[..])).sum();
        let indices: usize = meshes().map(|mesh| size_of_val(&mesh.indices[..])).sum();
        let (of_vertices, of_indices) =
            (vk::BufferUsageFlags::VERTEX_BUFFER, vk::BufferUsageFlags::INDEX_BUFFER);
        Buffer::grow(&mut self.vertices, &self.device, "vertices", vertices, of_vertices)?;
        Buffer::grow(&mut self.indices, &self.device, "indices", indices, of_indices)?;
        let (Some(vertices), Some(indices)) = (&mut self.vertices, &mut self.indices) else { return Ok(()) };
        let (mut vertex, mut index) = (0, 0);
        for mesh in meshes() {
            let bytes: &[u8] = bytemuck::cast_slice::<Vertex, u8>(&mesh.vertices);
            vertices.write(vertex, bytes)?;
            vertex += bytes.len();
            let bytes: &[u8] = bytemuck::cast_slice(&mesh.indices);
            indices.write(index, bytes)?;
            index += bytes.len();
        }
        Ok(())
    }

    /// The pipeline for a format is there.
    pub fn prepare(&mut self, format: vk::Format) -> Result<[vk::Pipeline; 2]> {
        self.pipelines.of(format)
    }

    /// Records the frame that was loaded.
    pub fn record(
        &mut self,
        commands: vk::CommandBuffer,
        pipelines: [vk::Pipeline; 2],
        onto: &Onto,
        frame: &Paint<'_>,
    ) {
        self.textures.record(commands);
        let device = &self.device.raw;
        let before = At(vk::ImageLayout::UNDEFINED, DRAWN.1, vk::AccessFlags2::NONE);
        transition(&self.device, commands, onto.image, before, DRAWN);
        let clear = vk::ClearValue {
            color: vk::ClearColorValue { float32: stored(frame.backdrop.paper, onto.format) },
        };
        let attachments = [vk::RenderingAttachmentInfo::default()
            .image_view(onto.view)
            .image_layout(DRAWN.0)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(clear)];
        let info = vk::RenderingInfo::default()
            .render_area(onto.extent.into())
            .layer_count(1)
            .color_attachments(&attachments);
        unsafe { device.cmd_begin_rendering(commands, &info) };
        self.clear_panels(commands, onto, frame);
        self.draw(commands, pipelines, onto.extent, frame);
        unsafe { device.cmd_end_rendering(commands) };
        // A present waits for its semaphore; a copy that follows is ordered by this.
        let after = At(onto.becomes, vk::PipelineStageFlags2::COPY, vk::AccessFlags2::TRANSFER_READ);
        transition(&self.device, commands, onto.image, DRAWN, after);
    }

    fn clear_panels(&self, commands: vk::CommandBuffer, onto: &Onto, frame: &Paint<'_>) {
        let Backdrop { panel, panels, .. } = frame.backdrop;
        let places = panels.iter().filter_map(|panel| scissor(*panel, frame.pixels_per_point, onto.extent));
        let places: Vec<_> =
            places.map(|rect| vk::ClearRect { rect, base_array_layer: 0, layer_count: 1 }).collect();
        if places.is_empty() {
            return;
        }
        let value = vk::ClearValue { color: vk::ClearColorValue { float32: stored(panel, onto.format) } };
        let (aspect_mask, color_attachment) = (vk::ImageAspectFlags::COLOR, 0);
        let ground = vk::ClearAttachment { aspect_mask, color_attachment, clear_value: value };
        unsafe { self.device.raw.cmd_clear_attachments(commands, &[ground], &places) };
    }

    fn draw(
        &self,
        commands: vk::CommandBuffer,
        pipelines: [vk::Pipeline; 2],
        extent: vk::Extent2D,
        frame: &Paint<'_>,
    ) {
        let (Some(vertices), Some(indices)) = (&self.vertices, &self.indices) else { return };
        let device = &self.device.raw;
        let (width, height) = (extent.width as f32, extent.height as f32);
        let viewport = vk::Viewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 };
        let points = [width / frame.pixels_per_point, height / frame.pixels_per_point];
        let layout = self.pipelines.layout;
        unsafe {
            device.cmd_set_viewport(commands, 0, &[viewport]);
            let points = bytemuck::cast_slice(&points);
            device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::VERTEX, 0, points);
            device.cmd_bind_vertex_buffers(commands, 0, &[vertices.raw], &[0]);
            device.cmd_bind_index_buffer(commands, indices.raw, 0, vk::IndexType::UINT32);
        }
        let (mut first_vertex, mut first_index, mut bound) = (0_usize, 0_usize, None);
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
            let pipeline = pipelines[usize::from(Some(mesh.texture_id) == frame.opaque)];
            if bound.replace(pipeline) != Some(pipeline) {
                unsafe { device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline) };
            }
            unsafe {
                device.cmd_set_scissor(commands, 0, &[scissor]);
                let graphics = vk::PipelineBindPoint::GRAPHICS;
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

/// A colour as a target's clears take it.
fn stored(colour: Color32, format: vk::Format) -> [f32; 4] {
    let [red, green, blue, alpha] = colour.to_array().map(|part| f32::from(part) / 255.0);
    if !is_srgb(format) {
        return [red, green, blue, alpha];
    }
    let of = |gamma: f32| {
        if gamma <= 0.04045 { gamma / 12.92 } else { ((gamma + 0.055) / 1.055).powf(2.4) }
    };
    [of(red), of(green), of(blue), alpha]
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
