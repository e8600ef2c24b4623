//! What a variant records: one method per `vkCmd*`, under Vulkan's names and with Vulkan's flags.
//!
//! [`Cmd`] lists the commands as a [`Script`](script::Script), and [`CommandBuffer`] records a script into Vulkan.
//! What changes a recording on its way (a broken dependency, kernels that note their waves, another order) is a
//! function from script to script. Nothing here places a barrier or an event that the caller did not write. The one
//! method that stands for several commands is [`Cmd::dispatch`], because a capture tool shows it as one event.

mod buffer;
mod queues;
mod runner;
pub mod script;
mod sync;

use std::cell::RefCell;
use std::fmt;

use bytemuck::NoUninit;

use crate::handles::{Binding, Kernel};
use script::{Dispatch, Step};

/// `VkAccessFlags`, of the commands of Vulkan 1.0.
pub use ash::vk::AccessFlags as Access1;
/// `VkAccessFlags2`.
pub use ash::vk::AccessFlags2 as Access;
/// `VkCommandBufferUsageFlags`.
pub use ash::vk::CommandBufferUsageFlags as Usage;
/// `VkPipelineStageFlags`, of the commands of Vulkan 1.0.
pub use ash::vk::PipelineStageFlags as Stage1;
/// `VkPipelineStageFlags2`.
pub use ash::vk::PipelineStageFlags2 as Stage;
pub use buffer::CommandBuffer;
pub use queues::Queues;
pub use script::Point;

/// One side of a dependency: stages, and the accesses that it makes available or visible. An empty
/// access mask leaves an execution dependency.
pub type Scope = (Stage, Access);

/// [`Scope`] for the commands of Vulkan 1.0.
pub type Scope1 = (Stage1, Access1);

/// The commands of a command buffer, as a variant lists them. Nothing reaches Vulkan before all are listed: the
/// runner records the list, once for each sample.
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
    /// constants; `groups` counts workgroups.
    pub fn dispatch<B: Into<Binding> + Copy, P: NoUninit>(
        &self,
        kernel: Kernel,
        bindings: &[B],
        push: &P,
        groups: [u32; 3],
    ) {
        self.step(Step::Dispatch(Dispatch::new(kernel, bindings, push, groups)));
    }

    /// `vkCmdBeginDebugUtilsLabelEXT`, `record`, `vkCmdEndDebugUtilsLabelEXT`: what a capture tool
    /// shows as a region. Independent of validation.
    pub fn region(&self, name: fmt::Arguments<'_>, record: impl FnOnce()) {
        self.step(Step::Label(name.to_string()));
        record();
        self.step(Step::EndLabel);
    }
}
