//! Records scripts and the runner's own commands in Vulkan command buffers.

use std::cell::RefCell;
use std::ffi::CString;
use std::fmt;

use anyhow::{Result, ensure};
use ash::vk;
use bytemuck::NoUninit;

use super::script::{Dispatch, Step};
use super::{Binding, ImageLayout, MOST_STAMPS, Stage, Usage};
use crate::fault::attempt;
use crate::gpu::{Arena, Gpu};
use crate::handles::{Image, Kernel};
use crate::kernel::joined;

/// A command buffer that is being recorded. [`Gpu`] documents the contract of its `unsafe`.
pub struct CommandBuffer<'g> {
    pub(super) gpu: &'g Gpu,
    pub(super) raw: vk::CommandBuffer,
    /// The error of the first invalid dispatch; a command buffer with an error is not submitted.
    misuse: RefCell<Option<anyhow::Error>>,
}

impl fmt::Debug for CommandBuffer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandBuffer").field("misuse", &self.misuse).finish_non_exhaustive()
    }
}

impl<'g> CommandBuffer<'g> {
    /// `vkBeginCommandBuffer`, one-time submit.
    pub fn begin(gpu: &'g Gpu, raw: vk::CommandBuffer) -> Result<Self> {
        Self::begin_for(gpu, raw, Usage::ONE_TIME_SUBMIT)
    }

    /// `vkBeginCommandBuffer`.
    pub fn begin_for(gpu: &'g Gpu, raw: vk::CommandBuffer, usage: Usage) -> Result<Self> {
        let info = vk::CommandBufferBeginInfo::default().flags(usage);
        attempt("beginning a command buffer", || unsafe { gpu.device.begin_command_buffer(raw, &info) })?;
        Ok(Self { gpu, raw, misuse: RefCell::default() })
    }

    /// `vkEndCommandBuffer`.
    pub fn end(self) -> Result<()> {
        attempt("ending a command buffer", || unsafe { self.gpu.device.end_command_buffer(self.raw) })?;
        self.misuse.into_inner().map_or(Ok(()), Err)
    }

    /// Records the steps of a script that passed [`Gpu::check`].
    pub fn replay(&self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Dispatch(dispatch) => self.replay_dispatch(dispatch),
                Step::FillBuffer { buffer, word } => {
                    self.region(format_args!("vkCmdFillBuffer"), || self.fill_buffer(*buffer, *word));
                }
                Step::ClearColorImage { image, layout, words } => {
                    self.region(format_args!("vkCmdClearColorImage"), || {
                        self.clear_image(*image, *layout, *words);
                    });
                }
                Step::Rendering(rendering) => {
                    let name = step.name(&self.gpu.arena());
                    self.region(format_args!("{name}"), || self.replay_rendering(rendering));
                }
                Step::Barrier { src, dst, images } => self.record_barrier(*src, *dst, images),
                Step::Set { sync, event, src, dst } => self.record_set(*sync, *event, *src, *dst),
                Step::Wait { sync, event, src, dst } => self.record_wait(*sync, *event, *src, *dst),
                Step::Timestamp { stage, query } => self.replay_timestamp(*stage, *query),
                // The submit's commands are recorded buffer by buffer.
                Step::NextCommandBuffer => {}
                Step::Label(name) => self.begin_label(name),
                Step::EndLabel => self.end_label(),
            }
        }
    }

    /// Records a dispatch of the runner.
    pub fn dispatch<B: Into<Binding> + Copy, P: NoUninit>(
        &self,
        kernel: Kernel,
        bindings: &[B],
        push: &P,
        groups: [u32; 3],
    ) {
        let dispatch = Dispatch::new(kernel, bindings, push, groups);
        match self.gpu.check_dispatch(&dispatch) {
            Ok(()) => self.replay_dispatch(&dispatch),
            Err(error) => _ = self.misuse.borrow_mut().get_or_insert(error),
        }
    }

    fn replay_dispatch(&self, dispatch: &Dispatch) {
        let [x, y, z] = dispatch.groups;
        let name = self.gpu.arena().kernel(dispatch.kernel).facts.name.clone();
        self.region(format_args!("{name} {x}x{y}x{z}"), || {
            if self.bind(dispatch) {
                unsafe { self.gpu.device.cmd_dispatch(self.raw, x, y, z) };
            }
        });
    }

    /// Binds the kernel of a dispatch or a draw with its resources and push constants. Returns whether it has a pipeline.
    pub(super) fn bind(&self, Dispatch { kernel, bindings, push, .. }: &Dispatch) -> bool {
        let (arena, device) = (self.gpu.arena(), &self.gpu.device);
        let slot = arena.kernel(*kernel);
        if slot.is_without_pipeline()
            && let Err(error) = self.gpu.finish(&[slot])
        {
            self.misuse.borrow_mut().get_or_insert(error);
            return false;
        }
        let (point, stages) = (slot.recipe.bind_point(), slot.recipe.stages());
        let infos = bindings.iter().map(|&b| (Descriptor::kind(b), Descriptor::of(&arena, b)));
        unsafe {
            device.cmd_bind_pipeline(self.raw, point, slot.pipeline.get());
            self.push_descriptors(point, slot.layout, &infos.collect::<Vec<_>>());
            if !push.is_empty() {
                device.cmd_push_constants(self.raw, slot.layout, stages, 0, push);
            }
        }
        true
    }

    fn replay_timestamp(&self, stage: Stage, query: u32) {
        if let Some(pool) = self.gpu.arena().stamps {
            unsafe { self.gpu.device.cmd_write_timestamp2(self.raw, stage, pool, query) };
        }
    }

    /// Records a label region of the runner.
    pub fn region(&self, name: fmt::Arguments<'_>, record: impl FnOnce()) {
        if self.gpu.debug.is_some() {
            self.begin_label(&name.to_string());
        }
        record();
        self.end_label();
    }

    fn begin_label(&self, name: &str) {
        if let Some(debug) = &self.gpu.debug {
            // A name with a zero byte has no C form; the region gets an empty name, so that regions still nest.
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

    /// # Safety
    /// The contract of [`Gpu`]; `bindings` fit the layout.
    unsafe fn push_descriptors(
        &self,
        point: vk::PipelineBindPoint,
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
        // Vulkan does not allow an empty list.
        if writes.is_empty() {
            return;
        }
        unsafe { self.gpu.push.cmd_push_descriptor_set(self.raw, point, layout, 0, &writes) };
    }
}

impl Gpu {
    /// Runs work outside any measurement and waits for it. Its writes are visible to all later work and to the CPU.
    pub fn run_once(&self, what: &str, record: impl FnOnce(&CommandBuffer<'_>)) -> Result<()> {
        self.prepare_once()?;
        let Some((pool, buffer, fence)) = self.arena().once else {
            anyhow::bail!("no commands to run {what} with")
        };
        self.reset_pool(pool)?;
        let cmd = CommandBuffer::begin(self, buffer)?;
        record(&cmd);
        cmd.full_barrier();
        cmd.end()?;
        self.submit(buffer, fence)?;
        self.wait(fence, what)
    }

    /// Checks that the device can run the dispatches, that their bindings and push constants fit their kernels, and that the
    /// queries of timestamps exist.
    ///
    /// # Errors
    /// A dispatch that the device cannot run, or with bindings or push constants that do not fit; a query beyond the last.
    pub fn check(&self, steps: &[Step]) -> Result<()> {
        steps.iter().try_for_each(|step| match step {
            Step::Dispatch(dispatch) => self.check_dispatch(dispatch),
            Step::Rendering(rendering) => self.check_rendering(rendering),
            Step::Timestamp { query, .. } => {
                ensure!(*query < MOST_STAMPS, "there is no query {query}: a variant has {MOST_STAMPS}");
                Ok(())
            }
            _ => Ok(()),
        })
    }

    /// Checks that bindings and push constants fit the kernel.
    pub(super) fn check_interface(&self, launch: &Dispatch) -> Result<()> {
        let Dispatch { kernel, bindings, push, .. } = launch;
        let arena = self.arena();
        let slot = arena.kernel(*kernel);
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

    fn check_dispatch(&self, dispatch: &Dispatch) -> Result<()> {
        self.check_interface(dispatch)?;
        let arena = self.arena();
        let slot = arena.kernel(dispatch.kernel);
        ensure!(slot.recipe.raster.is_none(), "{} is dispatched, but draws", slot.facts.name);
        let (groups, most) = (&dispatch.groups, self.limits.groups);
        ensure!(
            groups.iter().zip(most).all(|(&side, most)| side <= most),
            "{} workgroups are not possible on {}, but {}: use larger ones, or a smaller size",
            joined(groups),
            self.facts.name,
            joined(&most)
        );
        Ok(())
    }
}

/// A descriptor in the form of Vulkan: an array with one element.
enum Descriptor {
    Image([vk::DescriptorImageInfo; 1]),
    Buffer([vk::DescriptorBufferInfo; 1]),
    Texels([vk::BufferView; 1]),
}

impl Descriptor {
    fn kind(binding: Binding) -> vk::DescriptorType {
        match binding {
            Binding::Image(_) => vk::DescriptorType::STORAGE_IMAGE,
            Binding::Buffer(_) | Binding::Part(..) => vk::DescriptorType::STORAGE_BUFFER,
            Binding::Uniform(_) => vk::DescriptorType::UNIFORM_BUFFER,
            Binding::Sampled(..) => vk::DescriptorType::SAMPLED_IMAGE,
            Binding::Texels(_) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        }
    }

    fn image(arena: &Arena, image: Image, layout: ImageLayout) -> Self {
        let info = vk::DescriptorImageInfo::default().image_view(arena.image(image).view);
        Self::Image([info.image_layout(layout)])
    }

    fn of(arena: &Arena, binding: Binding) -> Self {
        match binding {
            Binding::Image(image) => Self::image(arena, image, ImageLayout::GENERAL),
            Binding::Sampled(image, layout) => Self::image(arena, image, layout),
            Binding::Buffer(buffer) | Binding::Uniform(buffer) => Self::Buffer([arena.buffer(buffer).info()]),
            Binding::Texels(texels) => Self::Texels([arena.texels(texels)]),
            Binding::Part(buffer, first, bytes) => {
                let whole = arena.buffer(buffer).info();
                Self::Buffer([whole.offset(whole.offset + first).range(bytes)])
            }
        }
    }
}
