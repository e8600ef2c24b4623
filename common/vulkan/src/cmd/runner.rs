//! Commands that the runner records around a sample's work. Inside the timed window it records only the execution
//! barriers at both ends.

use ash::vk;

use super::script::Step;
use super::sync::image_barrier2;
use super::{Access, Binding, CommandBuffer, ImageLayout, MOST_STAMPS, Stage};
use crate::gpu::{ImageSlot, aspect};
use crate::handles::{Buffer, Event, Image};

const ANY: Access = Access::from_raw(Access::MEMORY_READ.as_raw() | Access::MEMORY_WRITE.as_raw());

impl CommandBuffer<'_> {
    /// All earlier commands complete, and their writes become visible, before any later command begins.
    pub fn full_barrier(&self) {
        let all = Stage::ALL_COMMANDS;
        self.record_barrier((all, Access::MEMORY_WRITE), (all, ANY), &[]);
    }

    /// All earlier commands complete before any later command begins; no memory is made visible.
    pub fn execution_barrier(&self) {
        self.record_barrier((Stage::ALL_COMMANDS, Access::NONE), (Stage::ALL_COMMANDS, Access::NONE), &[]);
    }

    /// Makes the writes of copies visible to the CPU, after the fence is waited for; the fence alone does not.
    pub fn host_barrier(&self) {
        let (copies, host) = (Stage::ALL_TRANSFER, Stage::HOST);
        self.record_barrier((copies, Access::TRANSFER_WRITE), (host, Access::HOST_READ), &[]);
    }

    /// `vkCmdResetEvent2`, after all commands before it.
    pub fn reset_event2(&self, event: Event) {
        unsafe {
            self.gpu.device.cmd_reset_event2(self.raw, self.gpu.arena().event(event), Stage::ALL_COMMANDS)
        };
    }

    /// `vkCmdResetQueryPool` of the first `count` queries.
    pub fn reset_query_pool(&self, pool: vk::QueryPool, count: u32) {
        unsafe { self.gpu.device.cmd_reset_query_pool(self.raw, pool, 0, count) };
    }

    /// `vkCmdResetQueryPool` of the queries for the timestamps of variants.
    pub fn reset_stamps(&self) {
        if let Some(pool) = self.gpu.arena().stamps {
            self.reset_query_pool(pool, MOST_STAMPS);
        }
    }

    /// `vkCmdWriteTimestamp2`, written after all earlier commands complete.
    pub fn write_timestamp2(&self, pool: vk::QueryPool, query: u32) {
        unsafe { self.gpu.device.cmd_write_timestamp2(self.raw, Stage::ALL_COMMANDS, pool, query) };
    }

    /// `vkCmdFillBuffer` of a whole buffer with one word.
    pub fn fill_buffer(&self, buffer: Buffer, word: u32) {
        let part = self.gpu.arena().buffer(buffer).info();
        unsafe { self.gpu.device.cmd_fill_buffer(self.raw, part.buffer, part.offset, part.range, word) };
    }

    /// `vkCmdUpdateBuffer` of a few words; `offset` is in bytes.
    pub fn update_buffer(&self, buffer: Buffer, offset: u64, words: &[u32]) {
        let (part, bytes) = (self.gpu.arena().buffer(buffer).info(), bytemuck::cast_slice(words));
        unsafe { self.gpu.device.cmd_update_buffer(self.raw, part.buffer, part.offset + offset, bytes) };
    }

    /// `vkCmdCopyBuffer` of the first `bytes`.
    pub fn copy_buffer(&self, from: Buffer, to: Buffer, bytes: u64) {
        let arena = self.gpu.arena();
        let [from, to] = [from, to].map(|buffer| arena.buffer(buffer).info());
        let region = [vk::BufferCopy { src_offset: from.offset, dst_offset: to.offset, size: bytes }];
        unsafe { self.gpu.device.cmd_copy_buffer(self.raw, from.buffer, to.buffer, &region) };
    }

    /// Sets the contents of an output before a sample: its seed, or `words` in every element.
    pub fn fill(&self, output: Binding, seed: Option<Buffer>, words: [u32; 4]) {
        match (output, seed) {
            (Binding::Image(image), None) => self.clear_image(image, ImageLayout::GENERAL, words),
            (Binding::Image(image), Some(seed)) => self.copy_buffer_to_image(seed, image),
            (Binding::Buffer(buffer), None) => self.fill_buffer(buffer, words[0]),
            (Binding::Buffer(buffer), Some(seed)) => {
                let bytes = self.gpu.arena().buffer(buffer).bytes;
                self.copy_buffer(seed, buffer, bytes);
            }
            (Binding::Sampled(..) | Binding::Texels(_) | Binding::Uniform(_) | Binding::Part(..), _) => {}
        }
    }

    /// Fills an image in this layout with the same 32-bit words in every texel, or with the depth of the first word's bits.
    pub fn clear_image(&self, image: Image, layout: ImageLayout, words: [u32; 4]) {
        let (device, arena) = (&self.gpu.device, self.gpu.arena());
        let slot = arena.image(image);
        let (raw, whole, value) = (slot.raw, [slot.whole()], slot.clear_value(words));
        unsafe {
            match aspect(slot.format) {
                vk::ImageAspectFlags::DEPTH => {
                    let depth = value.depth_stencil;
                    device.cmd_clear_depth_stencil_image(self.raw, raw, layout, &depth, &whole);
                }
                _ => device.cmd_clear_color_image(self.raw, raw, layout, &value.color, &whole),
            }
        }
    }

    /// `vkCmdCopyBufferToImage` of a whole image, row by row.
    pub fn copy_buffer_to_image(&self, from: Buffer, to: Image) {
        let arena = self.gpu.arena();
        let (from, to, layout) = (arena.buffer(from).raw, arena.image(to), ImageLayout::GENERAL);
        let region = [whole_copy(to)];
        unsafe { self.gpu.device.cmd_copy_buffer_to_image(self.raw, from, to.raw, layout, &region) };
    }

    /// `vkCmdCopyImageToBuffer` of a whole image, row by row.
    pub fn copy_image_to_buffer(&self, from: Image, to: Buffer) {
        let arena = self.gpu.arena();
        let (from, layout, to) = (arena.image(from), ImageLayout::GENERAL, arena.buffer(to).raw);
        let region = [whole_copy(from)];
        unsafe { self.gpu.device.cmd_copy_image_to_buffer(self.raw, from.raw, layout, to, &region) };
    }

    /// Records one step of a variant alone, after everything before it. Its images are in their layout between samples
    /// before and after; in the variant they need not be.
    pub fn replay_alone(&self, step: &Step) {
        let moves = |turned: fn([ImageLayout; 2]) -> [ImageLayout; 2]| {
            self.full_barrier();
            for (image, layout) in step.layouts() {
                self.change_layout(image, turned([self.gpu.arena().image(image).at_rest(), layout]));
            }
        };
        moves(|to| to);
        self.replay(std::slice::from_ref(step));
        moves(|[from, to]| [to, from]);
    }

    /// Moves an image from `GENERAL` to its layout between samples.
    pub fn rest(&self, image: Image) {
        self.change_layout(image, [ImageLayout::GENERAL, self.gpu.arena().image(image).at_rest()]);
    }

    fn change_layout(&self, image: Image, layouts: [ImageLayout; 2]) {
        let all = |access| (Stage::ALL_COMMANDS, access);
        if layouts[0] != layouts[1] {
            self.record_barrier(all(Access::MEMORY_WRITE), all(ANY), &[(image, layouts)]);
        }
    }

    /// Moves images from `UNDEFINED` to `GENERAL`.
    pub fn settle(&self, images: &[Image]) {
        if images.is_empty() {
            return;
        }
        let arena = self.gpu.arena();
        let (before, after) = ((Stage::NONE, Access::NONE), (Stage::ALL_COMMANDS, ANY));
        let layouts = [ImageLayout::UNDEFINED, ImageLayout::GENERAL];
        let barrier = |&image| image_barrier2(arena.image(image), before, after, layouts);
        let barriers: Vec<_> = images.iter().map(barrier).collect();
        let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
        unsafe { self.gpu.device.cmd_pipeline_barrier2(self.raw, &info) };
    }
}

fn whole_copy(image: &ImageSlot) -> vk::BufferImageCopy {
    let [width, height, depth] = image.shape.sides;
    vk::BufferImageCopy {
        image_subresource: vk::ImageSubresourceLayers {
            aspect_mask: aspect(image.format),
            mip_level: 0,
            base_array_layer: 0,
            layer_count: 1,
        },
        image_extent: vk::Extent3D { width, height, depth },
        ..vk::BufferImageCopy::default()
    }
}
