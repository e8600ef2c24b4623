//! Recording: one method per `vkCmd*`, under Vulkan's names and with Vulkan's flags.
//!
//! Nothing here places a barrier or an event that the caller did not write. The one method that
//! stands for several commands is [`Cmd::dispatch`], because a capture tool shows it as one event.

mod runner;

use std::cell::RefCell;
use std::ffi::CString;
use std::fmt;

use anyhow::{Result, anyhow};
use ash::vk;
use bytemuck::NoUninit;

use crate::error::Doing;
use crate::gpu::{Buffer, Event, Gpu, Image};
use crate::kernel::Kernel;
use crate::tamper::{Break, Tamper};

/// `VkAccessFlags2`.
pub use ash::vk::AccessFlags2 as Access;
/// `VkPipelineStageFlags2`.
pub use ash::vk::PipelineStageFlags2 as Stage;

/// One side of a dependency: stages, and the accesses that it makes available or visible. An empty
/// access mask leaves an execution dependency.
pub type Scope = (Stage, Access);

/// What a kernel's binding takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// A storage image.
    Image(Image),
    /// A whole storage buffer.
    Buffer(Buffer),
}

impl From<Image> for Binding {
    fn from(image: Image) -> Self {
        Self::Image(image)
    }
}

impl From<Buffer> for Binding {
    fn from(buffer: Buffer) -> Self {
        Self::Buffer(buffer)
    }
}

/// A command buffer that is being recorded. See [`Gpu`] for the contract of its `unsafe`.
pub struct Cmd<'g> {
    gpu: &'g Gpu,
    raw: vk::CommandBuffer,
    noted: RefCell<Noted>,
    /// Only inside a variant's own recording, and only under `--check`.
    tamper: Tamper,
}

/// What a recording used, for the runner.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    /// Events that were set; the runner resets them before the next submit.
    pub events: Vec<Event>,
    /// What the recording asks for and the device does not have; it must not be submitted.
    pub lacking: Option<&'static str>,
    /// The first misuse; the recording is then not submitted.
    pub misuse: Option<anyhow::Error>,
}

impl fmt::Debug for Cmd<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cmd").field("noted", &self.noted).finish_non_exhaustive()
    }
}

impl<'g> Cmd<'g> {
    /// `vkBeginCommandBuffer`, one-time submit.
    pub(crate) fn begin(gpu: &'g Gpu, raw: vk::CommandBuffer) -> Result<Self> {
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        unsafe { gpu.device.begin_command_buffer(raw, &info) }.doing("beginning a command buffer")?;
        Ok(Self { gpu, raw, noted: RefCell::default(), tamper: Tamper::default() })
    }

    /// Records the way that the `Gpu` is set to change recordings.
    pub(crate) fn tampered(&mut self, record: impl FnOnce(&Self)) {
        self.tamper = self.gpu.tamper.get();
        record(self);
        self.tamper = Tamper::default();
    }

    /// `vkEndCommandBuffer`.
    pub(crate) fn end(self) -> Result<Noted> {
        unsafe { self.gpu.device.end_command_buffer(self.raw) }.doing("ending a command buffer")?;
        let mut noted = self.noted.into_inner();
        match noted.misuse.take() {
            Some(error) => Err(error),
            None => Ok(noted),
        }
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
        let arena = self.gpu.arena();
        let slot = arena.kernel(kernel);
        let push = bytemuck::bytes_of(push);
        let kinds = || bindings.iter().map(|&b| Descriptor::kind(b.into()));
        if !kinds().eq(slot.interface.bindings.iter().copied()) {
            return self.misuse(anyhow!(
                "{} takes {:?}; the sample gave {:?}",
                slot.facts.name,
                slot.interface.bindings,
                kinds().collect::<Vec<_>>()
            ));
        }
        if push.len() != slot.interface.push_bytes as usize {
            return self.misuse(anyhow!(
                "{} takes {} bytes of push constants; the sample gave {}",
                slot.facts.name,
                slot.interface.push_bytes,
                push.len()
            ));
        }
        self.region(format_args!("{} {}x{}x{}", slot.facts.name, groups[0], groups[1], groups[2]), || {
            let device = &self.gpu.device;
            unsafe {
                device.cmd_bind_pipeline(self.raw, vk::PipelineBindPoint::COMPUTE, slot.pipeline);
                self.push_descriptors(slot.layout, &slot.interface.bindings, bindings);
                if !push.is_empty() {
                    device.cmd_push_constants(self.raw, slot.layout, vk::ShaderStageFlags::COMPUTE, 0, push);
                }
                device.cmd_dispatch(self.raw, groups[0], groups[1], groups[2]);
            }
        });
    }

    /// `vkCmdPipelineBarrier2` with one memory barrier.
    pub fn pipeline_barrier2(&self, src: Scope, dst: Scope) {
        if self.tamper.breaks(Break::NoBarriers) {
            return;
        }
        let barrier = [self.memory_barrier(src, dst)];
        let info = vk::DependencyInfo::default().memory_barriers(&barrier);
        unsafe { self.gpu.device.cmd_pipeline_barrier2(self.raw, &info) };
    }

    /// `vkCmdSetEvent2` with one memory barrier. Its first scope takes in all earlier commands.
    pub fn set_event2(&self, event: Event, src: Scope, dst: Scope) {
        let barrier = [self.memory_barrier(src, dst)];
        let info = vk::DependencyInfo::default().memory_barriers(&barrier);
        if !self.gpu.has_events() {
            self.noted.borrow_mut().lacking = Some("events");
            return;
        }
        self.noted.borrow_mut().events.push(event);
        unsafe { self.gpu.device.cmd_set_event2(self.raw, self.gpu.arena().event(event), &info) };
    }

    /// `vkCmdWaitEvents2` for one event; the scopes must be those of its set.
    pub fn wait_events2(&self, event: Event, src: Scope, dst: Scope) {
        let event = match self.noted.borrow().events.first() {
            Some(&first) if self.tamper.breaks(Break::FirstEvent) => first,
            _ => event,
        };
        if self.tamper.breaks(Break::NoWaits) {
            return;
        }
        let barrier = [self.memory_barrier(src, dst)];
        let info = [vk::DependencyInfo::default().memory_barriers(&barrier)];
        if !self.gpu.has_events() {
            self.noted.borrow_mut().lacking = Some("events");
            return;
        }
        unsafe { self.gpu.device.cmd_wait_events2(self.raw, &[self.gpu.arena().event(event)], &info) };
    }

    /// `vkCmdBeginDebugUtilsLabelEXT`, `record`, `vkCmdEndDebugUtilsLabelEXT`: what a capture tool
    /// shows as a region. Independent of validation.
    pub fn region(&self, name: fmt::Arguments<'_>, record: impl FnOnce()) {
        let label = self.gpu.debug.as_ref().zip(CString::new(name.to_string()).ok());
        if let Some((debug, name)) = &label {
            let info = vk::DebugUtilsLabelEXT::default().label_name(name);
            unsafe { debug.cmd_begin_debug_utils_label(self.raw, &info) };
        }
        record();
        if let Some((debug, _)) = &label {
            unsafe { debug.cmd_end_debug_utils_label(self.raw) };
        }
    }

    fn memory_barrier(&self, src: Scope, dst: Scope) -> vk::MemoryBarrier2<'static> {
        let (src_access, dst_access) = self.tamper.accesses(src, dst);
        vk::MemoryBarrier2::default()
            .src_stage_mask(src.0)
            .src_access_mask(src_access)
            .dst_stage_mask(dst.0)
            .dst_access_mask(dst_access)
    }

    fn misuse(&self, error: anyhow::Error) {
        self.noted.borrow_mut().misuse.get_or_insert(error);
    }

    /// # Safety
    /// As [`Gpu`]; the layout is the one that `types` was made into.
    unsafe fn push_descriptors<B: Into<Binding> + Copy>(
        &self,
        layout: vk::PipelineLayout,
        types: &[vk::DescriptorType],
        bindings: &[B],
    ) {
        let arena = self.gpu.arena();
        let infos: Vec<Descriptor> = bindings.iter().map(|&b| Descriptor::of(&arena, b.into())).collect();
        let writes: Vec<_> = (0..)
            .zip(&infos)
            .zip(types)
            .map(|((binding, info), &ty)| {
                let write = vk::WriteDescriptorSet::default().dst_binding(binding).descriptor_type(ty);
                match info {
                    Descriptor::Image(info) => write.image_info(info),
                    Descriptor::Buffer(info) => write.buffer_info(info),
                }
            })
            .collect();
        // Vulkan takes no empty list.
        if writes.is_empty() {
            return;
        }
        unsafe {
            self.gpu.push.cmd_push_descriptor_set(
                self.raw,
                vk::PipelineBindPoint::COMPUTE,
                layout,
                0,
                &writes,
            );
        }
    }
}

/// A descriptor as Vulkan takes it: an array of one.
enum Descriptor {
    Image([vk::DescriptorImageInfo; 1]),
    Buffer([vk::DescriptorBufferInfo; 1]),
}

impl Descriptor {
    fn kind(binding: Binding) -> vk::DescriptorType {
        match binding {
            Binding::Image(_) => vk::DescriptorType::STORAGE_IMAGE,
            Binding::Buffer(_) => vk::DescriptorType::STORAGE_BUFFER,
        }
    }

    fn of(arena: &crate::gpu::Arena, binding: Binding) -> Self {
        match binding {
            Binding::Image(image) => Self::Image([vk::DescriptorImageInfo::default()
                .image_view(arena.image(image).view)
                .image_layout(vk::ImageLayout::GENERAL)]),
            Binding::Buffer(buffer) => Self::Buffer([vk::DescriptorBufferInfo::default()
                .buffer(arena.buffer(buffer).raw)
                .range(vk::WHOLE_SIZE)]),
        }
    }
}
