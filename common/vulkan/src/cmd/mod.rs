//! The commands that a variant records: one method per `vkCmd*`, with Vulkan's names and flags.
//!
//! [`Cmd`] lists the commands as a [`Script`](script::Script), and [`CommandBuffer`] records a script in Vulkan.
//! Changes of a recording, such as a broken dependency, traced kernels or another order, are functions from script
//! to script. No method adds a barrier or an event that the caller did not write. Only [`Cmd::dispatch`] and
//! [`RenderPass::draw`] stand for several commands, because a capture tool shows them as one event.

mod buffer;
mod queues;
mod rendering;
mod runner;
pub mod script;
mod sync;

use std::cell::RefCell;
use std::fmt;

use bytemuck::NoUninit;

use crate::handles::{Binding, BindingRows, Buffer, Image, Kernel};
use script::{Dispatch, Step};

/// `VkAccessFlags`, for the commands of Vulkan 1.0.
pub use ash::vk::AccessFlags as Access1;
/// `VkAccessFlags2`.
pub use ash::vk::AccessFlags2 as Access;
/// `VkCommandBufferUsageFlags`.
pub use ash::vk::CommandBufferUsageFlags as Usage;
/// `VkImageLayout`.
pub use ash::vk::ImageLayout;
/// `VkPipelineStageFlags`, for the commands of Vulkan 1.0.
pub use ash::vk::PipelineStageFlags as Stage1;
/// `VkPipelineStageFlags2`.
pub use ash::vk::PipelineStageFlags2 as Stage;
pub use buffer::CommandBuffer;
pub use queues::Queues;
pub use rendering::{Attachment, Inside, LoadOp, RenderPass, Rendering};
pub use script::Point;

/// One side of a dependency: stages, and the accesses that are made available or visible. With an empty access mask
/// it is only an execution dependency.
pub type Scope = (Stage, Access);

/// A [`Scope`] for the commands of Vulkan 1.0.
pub type Scope1 = (Stage1, Access1);

/// A stage as Vulkan names it, without the head that all names share.
#[must_use]
pub fn stage_name(stage: Stage) -> String {
    if stage == Stage::NONE { "NONE".to_owned() } else { format!("{stage:?}") }
}

/// Most timestamps of a variant.
pub const MOST_STAMPS: u32 = 4;

/// The commands of a command buffer, as a variant lists them. The runner records the complete list in Vulkan, once
/// per sample.
#[derive(Debug, Default)]
pub struct Cmd {
    steps: RefCell<Vec<Step>>,
}

impl Cmd {
    /// The steps that `record` lists.
    pub fn steps(record: impl FnOnce(&Self)) -> Vec<Step> {
        let cmd = Self::default();
        record(&cmd);
        cmd.steps.into_inner()
    }

    fn step(&self, step: Step) {
        self.steps.borrow_mut().push(step);
    }

    /// `vkCmdDispatch` with its pipeline, push descriptors (`bindings[i]` at binding `i`) and push
    /// constants; `groups` counts workgroups. A binding may say which rows the dispatch touches.
    pub fn dispatch<B: Into<BindingRows> + Copy, P: NoUninit>(
        &self,
        kernel: Kernel,
        bindings: &[B],
        push: &P,
        groups: [u32; 3],
    ) {
        self.step(Step::Dispatch(Dispatch::new(kernel, bindings, push, groups)));
    }

    /// `vkCmdFillBuffer` of a whole buffer with one word. It works in the stage `CLEAR`, with `TRANSFER_WRITE`.
    pub fn fill_buffer(&self, buffer: Buffer, word: u32) {
        self.step(Step::FillBuffer { buffer, word });
    }

    /// `vkCmdClearColorImage` of a whole image in this layout, with the same words in every texel. It works in the
    /// stage `CLEAR`, with `TRANSFER_WRITE`.
    pub fn clear_color_image(&self, image: Image, layout: ImageLayout, words: [u32; 4]) {
        self.step(Step::ClearColorImage { image, layout, words });
    }

    /// `vkCmdWriteTimestamp2`, once per query of a submit. A variant has [`MOST_STAMPS`] queries, numbered from 0, which the
    /// runner resets before its window and reads after it.
    pub fn write_timestamp2(&self, stage: Stage, query: u32) {
        self.step(Step::Timestamp { stage, query });
    }

    /// `vkEndCommandBuffer`: what follows is in another command buffer of the same submit. For variants on queues.
    pub fn next_command_buffer(&self) {
        self.step(Step::NextCommandBuffer);
    }

    /// `vkCmdBeginDebugUtilsLabelEXT`, `record`, `vkCmdEndDebugUtilsLabelEXT`: a region in a capture tool. Works
    /// with and without validation.
    pub fn region(&self, name: fmt::Arguments<'_>, record: impl FnOnce()) {
        self.step(Step::Label(name.to_string()));
        record();
        self.step(Step::EndLabel);
    }
}
