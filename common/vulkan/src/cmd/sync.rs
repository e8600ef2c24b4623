//! Dependencies: barriers and events, with the commands of synchronization2 and of Vulkan 1.0.

use ash::vk;

use super::script::{Step, Sync};
use super::{Access, Access1, Cmd, CommandBuffer, ImageLayout, Scope, Scope1, Stage, Stage1};
use crate::gpu::{ImageSlot, maintenance9};
use crate::handles::{Event, Image};

impl Cmd {
    /// `vkCmdPipelineBarrier2` with one memory barrier.
    pub fn pipeline_barrier2(&self, src: Scope, dst: Scope) {
        self.step(Step::Barrier { src, dst, images: Vec::new() });
    }

    /// `vkCmdPipelineBarrier2` with one image barrier, from `GENERAL` to `GENERAL`.
    pub fn pipeline_barrier2_image(&self, image: Image, src: Scope, dst: Scope) {
        self.pipeline_barrier2_layouts(&[(image, [ImageLayout::GENERAL; 2])], src, dst);
    }

    /// `vkCmdPipelineBarrier2` with image barriers of the same scopes, each from one layout to another. A variant finds its
    /// images in `GENERAL`. It leaves images that are checked or shown in `GENERAL`, others in any layout.
    pub fn pipeline_barrier2_layouts(&self, images: &[(Image, [ImageLayout; 2])], src: Scope, dst: Scope) {
        self.step(Step::Barrier { src, dst, images: images.to_vec() });
    }

    /// `vkCmdSetEvent2` with one memory barrier. Its first scope includes all earlier commands.
    pub fn set_event2(&self, event: Event, src: Scope, dst: Scope) {
        self.step(Step::Set { sync: Sync::Two, event, src, dst });
    }

    /// `vkCmdWaitEvents2` for one event; the scopes must equal those of its set.
    pub fn wait_events2(&self, event: Event, src: Scope, dst: Scope) {
        self.step(Step::Wait { sync: Sync::Two, event, src, dst });
    }

    /// `vkCmdSetEvent2` with `VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR` and one memory barrier, which has stages alone:
    /// the wait says which accesses are made available. Needs [`Gpu::has_asymmetric_events`](crate::gpu::Gpu).
    pub fn set_event2_asymmetric(&self, event: Event, src: Stage) {
        let (src, dst) = ((src, Access::NONE), (Stage::NONE, Access::NONE));
        self.step(Step::Set { sync: Sync::Asymmetric, event, src, dst });
    }

    /// `vkCmdWaitEvents2` with `VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR` for one event; the source stages must equal
    /// those of its set, which must have the same flag.
    pub fn wait_events2_asymmetric(&self, event: Event, src: Scope, dst: Scope) {
        self.step(Step::Wait { sync: Sync::Asymmetric, event, src, dst });
    }

    /// `vkCmdSetEvent` of Vulkan 1.0. It has no access mask: only the wait says which accesses are made available.
    pub fn set_event(&self, event: Event, src: Stage1) {
        let (src, dst) = (wider((src, Access1::NONE)), (Stage::NONE, Access::NONE));
        self.step(Step::Set { sync: Sync::One, event, src, dst });
    }

    /// `vkCmdWaitEvents` for one event with one memory barrier; the source stages must equal those of its set.
    pub fn wait_events(&self, event: Event, src: Scope1, dst: Scope1) {
        self.step(Step::Wait { sync: Sync::One, event, src: wider(src), dst: wider(dst) });
    }
}

impl CommandBuffer<'_> {
    pub(super) fn record_barrier(&self, src: Scope, dst: Scope, images: &[(Image, [ImageLayout; 2])]) {
        let arena = self.gpu.arena();
        let of_image = |&(image, layouts)| image_barrier2(arena.image(image), src, dst, layouts);
        let (memory, of_images) =
            ([memory_barrier2(src, dst)], images.iter().map(of_image).collect::<Vec<_>>());
        let info = if images.is_empty() {
            vk::DependencyInfo::default().memory_barriers(&memory)
        } else {
            vk::DependencyInfo::default().image_memory_barriers(&of_images)
        };
        unsafe { self.gpu.device.cmd_pipeline_barrier2(self.raw, &info) };
    }

    pub(super) fn record_set(&self, sync: Sync, event: Event, src: Scope, dst: Scope) {
        let (device, event) = (&self.gpu.device, self.gpu.arena().event(event));
        let barrier = [memory_barrier2(src, dst)];
        let info = vk::DependencyInfo::default().dependency_flags(flags(sync)).memory_barriers(&barrier);
        match sync {
            Sync::One => unsafe { device.cmd_set_event(self.raw, event, narrower(src).0) },
            Sync::Two | Sync::Asymmetric => unsafe { device.cmd_set_event2(self.raw, event, &info) },
        }
    }

    pub(super) fn record_wait(&self, sync: Sync, event: Event, src: Scope, dst: Scope) {
        let (device, events) = (&self.gpu.device, [self.gpu.arena().event(event)]);
        let barrier = [memory_barrier2(src, dst)];
        let info = [vk::DependencyInfo::default().dependency_flags(flags(sync)).memory_barriers(&barrier)];
        let [(before, written), (after, seen)] = [src, dst].map(narrower);
        let barrier1 = [vk::MemoryBarrier::default().src_access_mask(written).dst_access_mask(seen)];
        match sync {
            Sync::One => unsafe {
                device.cmd_wait_events(self.raw, &events, before, after, &barrier1, &[], &[]);
            },
            Sync::Two | Sync::Asymmetric => unsafe { device.cmd_wait_events2(self.raw, &events, &info) },
        }
    }
}

/// The flags of the dependency of an event.
fn flags(sync: Sync) -> vk::DependencyFlags {
    match sync {
        Sync::One | Sync::Two => vk::DependencyFlags::empty(),
        Sync::Asymmetric => maintenance9::ASYMMETRIC_EVENT,
    }
}

fn memory_barrier2(src: Scope, dst: Scope) -> vk::MemoryBarrier2<'static> {
    vk::MemoryBarrier2::default()
        .src_stage_mask(src.0)
        .src_access_mask(src.1)
        .dst_stage_mask(dst.0)
        .dst_access_mask(dst.1)
}

/// An image barrier from one layout to another.
pub(super) fn image_barrier2(
    image: &ImageSlot,
    src: Scope,
    dst: Scope,
    [from, to]: [ImageLayout; 2],
) -> vk::ImageMemoryBarrier2<'static> {
    vk::ImageMemoryBarrier2::default()
        .src_stage_mask(src.0)
        .src_access_mask(src.1)
        .dst_stage_mask(dst.0)
        .dst_access_mask(dst.1)
        .old_layout(from)
        .new_layout(to)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image.raw)
        .subresource_range(image.whole())
}

// The flags of Vulkan 1.0 have the same values as the low 32 bits of those of synchronization2.

fn wider((stage, access): Scope1) -> Scope {
    (Stage::from_raw(stage.as_raw().into()), Access::from_raw(access.as_raw().into()))
}

fn narrower((stage, access): Scope) -> Scope1 {
    (Stage1::from_raw(low(stage.as_raw())), Access1::from_raw(low(access.as_raw())))
}

fn low(flags: u64) -> u32 {
    u32::try_from(flags & u64::from(u32::MAX)).unwrap_or(u32::MAX)
}
