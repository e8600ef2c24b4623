//! Recording: one method per `vkCmd*`, under Vulkan's names and with Vulkan's flags.
//!
//! Nothing here places a barrier or an event that the caller did not write. The one method that
//! stands for several commands is [`Cmd::dispatch`], because a capture tool shows it as one event.

mod queues;
mod runner;
pub(crate) mod script;
mod sync;

use std::cell::RefCell;
use std::ffi::CString;
use std::fmt;

use anyhow::{Result, ensure};
use ash::vk;
use bytemuck::NoUninit;

use crate::fault::attempt;
use crate::gpu::{Arena, Buffer, Event, Gpu, Image, KernelSlot, Texels};
use crate::kernel::Kernel;
use crate::tamper::Tamper;
use crate::trace::plan::Region;
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
pub use queues::Queues;
pub use script::{Point, Queue};

/// One side of a dependency: stages, and the accesses that it makes available or visible. An empty
/// access mask leaves an execution dependency.
pub type Scope = (Stage, Access);

/// [`Scope`] for the commands of Vulkan 1.0.
pub type Scope1 = (Stage1, Access1);

/// What a kernel's binding takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Binding {
    /// A storage image.
    Image(Image),
    /// A whole storage buffer.
    Buffer(Buffer),
    /// A whole uniform buffer: what a device keeps in caches for constants, where it has such.
    Uniform(Buffer),
    /// An image read through the texture path, without a sampler.
    Sampled(Image),
    /// A buffer read as texels.
    Texels(Texels),
}

impl From<Image> for Binding {
    fn from(image: Image) -> Self {
        Self::Image(image)
    }
}

impl From<Texels> for Binding {
    fn from(texels: Texels) -> Self {
        Self::Texels(texels)
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
    /// Where calls are listed instead of being recorded.
    steps: Option<RefCell<Vec<Step>>>,
}

/// What a recording used, for the runner.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    /// The first event that was set.
    pub first_event: Option<Event>,
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
        Self::begin_for(gpu, raw, Usage::ONE_TIME_SUBMIT)
    }

    /// `vkBeginCommandBuffer`.
    pub(crate) fn begin_for(gpu: &'g Gpu, raw: vk::CommandBuffer, usage: Usage) -> Result<Self> {
        let info = vk::CommandBufferBeginInfo::default().flags(usage);
        attempt("beginning a command buffer", || unsafe { gpu.device.begin_command_buffer(raw, &info) })?;
        Ok(Self { gpu, raw, noted: RefCell::default(), tamper: Tamper::default(), steps: None })
    }

    /// Lists what a variant records, the way that the `Gpu` is set to change recordings, without
    /// recording it.
    pub(crate) fn script(gpu: &'g Gpu) -> Self {
        Self {
            gpu,
            raw: vk::CommandBuffer::null(),
            noted: RefCell::default(),
            tamper: gpu.tamper.get(),
            steps: Some(RefCell::default()),
        }
    }

    pub(crate) fn into_steps(self) -> (Vec<Step>, Noted) {
        (self.steps.map(RefCell::into_inner).unwrap_or_default(), self.noted.into_inner())
    }

    /// Records the way that the `Gpu` is set to change recordings.
    pub(crate) fn tampered(&mut self, record: impl FnOnce(&Self)) {
        self.tamper = self.gpu.tamper.get();
        record(self);
        self.tamper = Tamper::default();
    }

    /// `vkEndCommandBuffer`.
    pub(crate) fn end(self) -> Result<()> {
        attempt("ending a command buffer", || unsafe { self.gpu.device.end_command_buffer(self.raw) })?;
        self.noted.into_inner().misuse.map_or(Ok(()), Err)
    }

    pub(crate) fn replay_dispatch(&self, dispatch: &Dispatch) {
        self.dispatch_bytes(dispatch.kernel, &dispatch.bindings, &dispatch.push, dispatch.groups);
    }

    /// Records a step of a script.
    pub(crate) fn replay(&self, step: &Step) {
        match step {
            Step::Dispatch(dispatch) => self.replay_dispatch(dispatch),
            Step::Barrier { src, dst, image } => self.record_barrier(*src, *dst, *image),
            Step::Set { sync, event, src, dst } => self.record_set(*sync, *event, *src, *dst),
            Step::Wait { sync, event, src, dst } => self.record_wait(*sync, *event, *src, *dst),
            Step::Label(name) => self.begin_label(name),
            Step::EndLabel => self.end_label(),
        }
    }

    fn step(&self, step: Step) {
        match &self.steps {
            Some(steps) => steps.borrow_mut().push(step),
            None => self.replay(&step),
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
        let bindings = bindings.iter().map(|&binding| binding.into());
        self.dispatch_bytes(kernel, &bindings.collect::<Vec<_>>(), bytemuck::bytes_of(push), groups);
    }

    fn dispatch_bytes(&self, kernel: Kernel, bindings: &[Binding], push: &[u8], groups: [u32; 3]) {
        let arena = self.gpu.arena();
        let slot = arena.kernel(kernel);
        if let Err(error) = fits(slot, bindings, push).and_then(|()| self.possible(groups)) {
            return self.misuse(error);
        }
        if let Some(steps) = &self.steps {
            let dispatch = Dispatch { kernel, bindings: bindings.to_vec(), push: push.to_vec(), groups };
            return steps.borrow_mut().push(Step::Dispatch(dispatch));
        }
        let noted = self.gpu.recorder.borrow_mut().as_mut().and_then(|to| to.next(kernel, groups));
        let noted = slot.traced.zip(noted);
        let slot = noted.map_or(slot, |(traced, _)| arena.kernel(traced));
        if slot.is_without_pipeline()
            && let Err(error) = self.gpu.finish(&[slot])
        {
            return self.misuse(error);
        }
        self.region(format_args!("{} {}x{}x{}", slot.facts.name, groups[0], groups[1], groups[2]), || {
            let device = &self.gpu.device;
            let infos = bindings.iter().map(|&b| (Descriptor::kind(b), Descriptor::of(&arena, b)));
            let infos =
                infos.chain(noted.map(|(_, (buffer, region))| Descriptor::of_trace(&arena, buffer, &region)));
            unsafe {
                device.cmd_bind_pipeline(self.raw, vk::PipelineBindPoint::COMPUTE, slot.pipeline.get());
                self.push_descriptors(slot.layout, &infos.collect::<Vec<_>>());
                if !push.is_empty() {
                    device.cmd_push_constants(self.raw, slot.layout, vk::ShaderStageFlags::COMPUTE, 0, push);
                }
                device.cmd_dispatch(self.raw, groups[0], groups[1], groups[2]);
            }
        });
    }

    fn possible(&self, groups: [u32; 3]) -> Result<()> {
        let most = self.gpu.max_groups();
        ensure!(
            groups.iter().zip(most).all(|(&side, most)| side <= most),
            "{}x{}x{} workgroups are not possible on {}, but {}x{}x{}: use larger ones, or a smaller size",
            groups[0],
            groups[1],
            groups[2],
            self.gpu.facts.name,
            most[0],
            most[1],
            most[2]
        );
        Ok(())
    }

    /// `vkCmdBeginDebugUtilsLabelEXT`, `record`, `vkCmdEndDebugUtilsLabelEXT`: what a capture tool
    /// shows as a region. Independent of validation.
    pub fn region(&self, name: fmt::Arguments<'_>, record: impl FnOnce()) {
        match &self.steps {
            Some(steps) => steps.borrow_mut().push(Step::Label(name.to_string())),
            None if self.gpu.debug.is_some() => self.begin_label(&name.to_string()),
            None => {}
        }
        record();
        match &self.steps {
            Some(steps) => steps.borrow_mut().push(Step::EndLabel),
            None => self.end_label(),
        }
    }

    fn begin_label(&self, name: &str) {
        if let Some(debug) = &self.gpu.debug {
            // A name with a zero byte has no form in C; the region stays, so that regions nest.
            let name = CString::new(name).unwrap_or_default();
            let info = vk::DebugUtilsLabelEXT::default().label_name(&name);
            unsafe { debug.cmd_begin_debug_utils_label(self.raw, &info) };
        }
        if let Some(messages) = self.gpu.messages() {
            messages.enter(name);
        }
    }

    fn end_label(&self) {
        if let Some(debug) = &self.gpu.debug {
            unsafe { debug.cmd_end_debug_utils_label(self.raw) };
        }
        if let Some(messages) = self.gpu.messages() {
            messages.leave();
        }
    }

    fn misuse(&self, error: anyhow::Error) {
        self.noted.borrow_mut().misuse.get_or_insert(error);
    }

    /// # Safety
    /// As [`Gpu`]; the layout is one that `bindings` fit.
    unsafe fn push_descriptors(
        &self,
        layout: vk::PipelineLayout,
        descriptors: &[(vk::DescriptorType, Descriptor)],
    ) {
        let writes: Vec<_> = (0..)
            .zip(descriptors)
            .map(|(at, (kind, info))| {
                let write = vk::WriteDescriptorSet::default().dst_binding(at).descriptor_type(*kind);
                match info {
                    Descriptor::Image(info) => write.image_info(info),
                    Descriptor::Buffer(info) => write.buffer_info(info),
                    Descriptor::Texels(view) => write.texel_buffer_view(view),
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

/// Whether bindings and push constants are those that the kernel takes.
fn fits(slot: &KernelSlot, bindings: &[Binding], push: &[u8]) -> Result<()> {
    let kinds = || bindings.iter().map(|&b| Descriptor::kind(b));
    ensure!(
        kinds().eq(slot.interface.bindings.iter().copied()),
        "{} takes {:?}; the sample gave {:?}",
        slot.facts.name,
        slot.interface.bindings,
        kinds().collect::<Vec<_>>()
    );
    ensure!(
        push.len() == slot.interface.push_bytes as usize,
        "{} takes {} bytes of push constants; the sample gave {}",
        slot.facts.name,
        slot.interface.push_bytes,
        push.len()
    );
    Ok(())
}

impl Noted {
    /// Takes in what another recording of the same variant noted.
    pub(crate) fn add(&mut self, other: Self) {
        self.first_event = self.first_event.or(other.first_event);
        self.lacking = self.lacking.or(other.lacking);
        self.misuse = self.misuse.take().or(other.misuse);
    }
}

/// A descriptor as Vulkan takes it: an array of one.
enum Descriptor {
    Image([vk::DescriptorImageInfo; 1]),
    Buffer([vk::DescriptorBufferInfo; 1]),
    Texels([vk::BufferView; 1]),
}

impl Descriptor {
    fn kind(binding: Binding) -> vk::DescriptorType {
        match binding {
            Binding::Image(_) => vk::DescriptorType::STORAGE_IMAGE,
            Binding::Buffer(_) => vk::DescriptorType::STORAGE_BUFFER,
            Binding::Uniform(_) => vk::DescriptorType::UNIFORM_BUFFER,
            Binding::Sampled(_) => vk::DescriptorType::SAMPLED_IMAGE,
            Binding::Texels(_) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        }
    }

    fn of(arena: &Arena, binding: Binding) -> Self {
        match binding {
            Binding::Image(image) | Binding::Sampled(image) => {
                Self::Image([vk::DescriptorImageInfo::default()
                    .image_view(arena.image(image).view)
                    .image_layout(vk::ImageLayout::GENERAL)])
            }
            Binding::Buffer(buffer) | Binding::Uniform(buffer) => Self::Buffer([arena.buffer(buffer).info()]),
            Binding::Texels(texels) => Self::Texels([arena.texels(texels)]),
        }
    }

    /// The part of a trace's buffer that a dispatch notes its waves in.
    fn of_trace(arena: &Arena, buffer: Buffer, region: &Region) -> (vk::DescriptorType, Self) {
        let info = vk::DescriptorBufferInfo::default()
            .buffer(arena.buffer(buffer).raw)
            .offset(region.offset)
            .range(region.bytes());
        (vk::DescriptorType::STORAGE_BUFFER, Self::Buffer([info]))
    }
}
