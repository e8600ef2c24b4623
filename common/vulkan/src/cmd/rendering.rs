//! Graphics: a render pass instance of `vkCmdBeginRendering` with its attachments and draws.

use std::cell::RefCell;

use anyhow::{Context, Result, ensure};
use ash::vk;
use bytemuck::NoUninit;

use super::script::{Dispatch, Step};
use super::{BindingRows, Cmd, CommandBuffer, ImageLayout};
use crate::gpu::{Gpu, ImageSlot};
use crate::handles::{Image, Kernel};

/// What happens to an attachment when a render pass begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadOp {
    /// `VK_ATTACHMENT_LOAD_OP_LOAD`: the contents are kept.
    Load,
    /// `VK_ATTACHMENT_LOAD_OP_CLEAR`, with the words of `VkClearColorValue`; of a depth attachment, with the bits of the depth.
    Clear([u32; 4]),
    /// `VK_ATTACHMENT_LOAD_OP_DONT_CARE`: the contents become undefined.
    DontCare,
}

/// An attachment of a render pass. It is stored at the end.
#[derive(Clone, Copy, Debug)]
pub struct Attachment {
    /// The image.
    pub image: Image,
    /// Its layout during the render pass.
    pub layout: ImageLayout,
    /// What happens to its contents at the begin.
    pub load: LoadOp,
}

/// A render pass instance: its attachments of equal size, and the draws and clears inside.
#[derive(Clone, Debug)]
pub struct Rendering {
    /// The colour attachments, by location.
    pub colours: Vec<Attachment>,
    /// The depth attachment. Pixels are drawn if they are nearer than what it holds.
    pub depth: Option<Attachment>,
    /// The commands inside.
    pub inside: Vec<Inside>,
}

/// A command inside of a render pass.
#[derive(Clone, Debug)]
pub enum Inside {
    /// [`RenderPass::draw`].
    Draw(Dispatch),
    /// [`RenderPass::clear_attachments`].
    Clear {
        /// Number of the colour attachment.
        attachment: u32,
        /// The value of every texel.
        words: [u32; 4],
    },
}

/// The commands inside of a render pass.
#[derive(Debug, Default)]
pub struct RenderPass {
    inside: RefCell<Vec<Inside>>,
}

impl RenderPass {
    /// `vkCmdDraw` with its pipeline, push descriptors (`bindings[i]` at binding `i`), push constants, and a viewport and
    /// scissor of `[width, height]` from the corner of the attachments on; `vertices` counts vertices.
    pub fn draw<B: Into<BindingRows> + Copy, P: NoUninit>(
        &self,
        kernel: Kernel,
        bindings: &[B],
        push: &P,
        viewport: [u32; 2],
        vertices: u32,
    ) {
        let [width, height] = viewport;
        let dispatch = Dispatch::new(kernel, bindings, push, [width, height, vertices]);
        self.inside.borrow_mut().push(Inside::Draw(dispatch));
    }

    /// `vkCmdClearAttachments` of one whole attachment, with the words of `VkClearColorValue`.
    pub fn clear_attachments(&self, attachment: u32, words: [u32; 4]) {
        self.inside.borrow_mut().push(Inside::Clear { attachment, words });
    }
}

impl Cmd {
    /// `vkCmdBeginRendering` with these colour attachments, `record`, `vkCmdEndRendering`.
    pub fn rendering(&self, colours: &[Attachment], record: impl FnOnce(&RenderPass)) {
        self.pass(colours, None, record);
    }

    /// The same with a depth attachment, which is tested and written: pixels are drawn if they are nearer.
    pub fn rendering_with_depth(
        &self,
        colours: &[Attachment],
        depth: Attachment,
        record: impl FnOnce(&RenderPass),
    ) {
        self.pass(colours, Some(depth), record);
    }

    fn pass(&self, colours: &[Attachment], depth: Option<Attachment>, record: impl FnOnce(&RenderPass)) {
        let pass = RenderPass::default();
        record(&pass);
        let (colours, inside) = (colours.to_vec(), pass.inside.into_inner());
        self.step(Step::Rendering(Rendering { colours, depth, inside }));
    }
}

impl Rendering {
    /// The colour attachments, and then the depth attachment.
    pub fn attachments(&self) -> impl Iterator<Item = &Attachment> {
        self.colours.iter().chain(&self.depth)
    }

    /// The attachments, for changing them.
    pub fn attachments_mut(&mut self) -> impl Iterator<Item = &mut Attachment> {
        self.colours.iter_mut().chain(&mut self.depth)
    }

    /// The draws inside.
    pub fn draws(&self) -> impl Iterator<Item = &Dispatch> {
        self.inside.iter().filter_map(|one| if let Inside::Draw(draw) = one { Some(draw) } else { None })
    }

    pub(super) fn draws_mut(&mut self) -> impl Iterator<Item = &mut Dispatch> {
        self.inside.iter_mut().filter_map(|one| if let Inside::Draw(draw) = one { Some(draw) } else { None })
    }
}

impl CommandBuffer<'_> {
    pub(super) fn replay_rendering(&self, pass: &Rendering) {
        let arena = self.gpu.arena();
        let info = |at: &Attachment| info(arena.image(at.image), at);
        let colours: Vec<_> = pass.colours.iter().map(info).collect();
        let depth = pass.depth.as_ref().map(info);
        let Some(area) = pass.attachments().next().map(|at| area(arena.image(at.image))) else { return };
        let mut rendering =
            vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&colours);
        if let Some(depth) = &depth {
            rendering = rendering.depth_attachment(depth);
        }
        unsafe { self.gpu.device.cmd_begin_rendering(self.raw, &rendering) };
        for one in &pass.inside {
            match one {
                Inside::Draw(draw) => self.replay_draw(draw),
                Inside::Clear { attachment, words } => {
                    let clear = vk::ClearAttachment {
                        aspect_mask: vk::ImageAspectFlags::COLOR,
                        color_attachment: *attachment,
                        clear_value: vk::ClearValue { color: vk::ClearColorValue { uint32: *words } },
                    };
                    let whole = vk::ClearRect { rect: area, base_array_layer: 0, layer_count: 1 };
                    unsafe { self.gpu.device.cmd_clear_attachments(self.raw, &[clear], &[whole]) };
                }
            }
        }
        unsafe { self.gpu.device.cmd_end_rendering(self.raw) };
    }

    fn replay_draw(&self, draw: &Dispatch) {
        let [width, height, vertices] = draw.groups;
        if !self.bind(draw) {
            return;
        }
        let extent = vk::Extent2D { width, height };
        #[expect(clippy::cast_precision_loss, reason = "an image has fewer than 2^24 columns and rows")]
        let viewport = vk::Viewport {
            width: width as f32,
            height: height as f32,
            max_depth: 1.0,
            ..vk::Viewport::default()
        };
        let scissor = vk::Rect2D { extent, ..vk::Rect2D::default() };
        unsafe {
            let device = &self.gpu.device;
            device.cmd_set_viewport(self.raw, 0, &[viewport]);
            device.cmd_set_scissor(self.raw, 0, &[scissor]);
            device.cmd_draw(self.raw, vertices, 1, 0, 0);
        }
    }
}

impl Gpu {
    /// Checks that a render pass has what its draws write to and its clears clear.
    pub(super) fn check_rendering(&self, rendering: &Rendering) -> Result<()> {
        let arena = self.arena();
        let images = || rendering.attachments().map(|at| arena.image(at.image));
        let formats = || images().map(|image| image.format);
        // A run that only compiles makes no images.
        let are_made = images().all(|image| image.raw != vk::Image::null());
        let first = images().next().context("a render pass without attachments")?;
        let are_alike = images().all(|image| image.shape == first.shape);
        ensure!(are_alike, "attachments of one render pass have different sizes");
        let cleared = rendering.inside.iter().filter_map(|one| match one {
            Inside::Clear { attachment, .. } => Some(*attachment as usize),
            Inside::Draw(_) => None,
        });
        for attachment in cleared {
            let count = rendering.colours.len();
            ensure!(
                attachment < count,
                "colour attachment {attachment} of {count} is cleared, counted from 0"
            );
        }
        for draw in rendering.draws() {
            self.check_interface(draw)?;
            let slot = arena.kernel(draw.kernel);
            let targets = slot.recipe.raster.as_ref().map_or(&[][..], |raster| &raster.targets);
            ensure!(
                !are_made || formats().eq(targets.iter().copied()),
                "{} draws to {targets:?}; the render pass has {:?}",
                slot.facts.name,
                formats().collect::<Vec<_>>()
            );
        }
        Ok(())
    }
}

fn area(image: &ImageSlot) -> vk::Rect2D {
    let [width, height, _] = image.shape.sides;
    vk::Rect2D { extent: vk::Extent2D { width, height }, ..vk::Rect2D::default() }
}

fn info(image: &ImageSlot, at: &Attachment) -> vk::RenderingAttachmentInfo<'static> {
    let (op, words) = match at.load {
        LoadOp::Load => (vk::AttachmentLoadOp::LOAD, [0; 4]),
        LoadOp::Clear(words) => (vk::AttachmentLoadOp::CLEAR, words),
        LoadOp::DontCare => (vk::AttachmentLoadOp::DONT_CARE, [0; 4]),
    };
    vk::RenderingAttachmentInfo::default()
        .image_view(image.view)
        .image_layout(at.layout)
        .load_op(op)
        .store_op(vk::AttachmentStoreOp::STORE)
        .clear_value(image.clear_value(words))
}
