//! Buffers, images, events and queries: makes, fills and reads them.

use anyhow::{Context, Result, anyhow, ensure};
use ash::vk;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use gpu_allocator::{AllocationError, MemoryLocation};
use record::error::{BeyondLimits, NoRoom};

use crate::fault::{self, attempt};
use crate::gpu::{Arena, BufferSlot, Gpu, ImageSlot};
use crate::handles::{Buffer, Event, Image, Texels};
use crate::values::Shape;

/// The memory type of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Device memory.
    Device,
    /// Written by the CPU, read by the device.
    Upload,
    /// Written by the device, read by the CPU.
    Readback,
}

/// Which side can see the state of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventState {
    /// Only the device (`VK_EVENT_CREATE_DEVICE_ONLY_BIT`), which allows drivers to optimize.
    DeviceOnly,
    /// The device and the host.
    HostVisible,
}

/// How an image is used and shared.
#[derive(Clone, Copy, Debug)]
pub struct ImageUse {
    /// What it may be used for, besides copies.
    pub usage: vk::ImageUsageFlags,
    /// The queues that use it.
    pub sharing: Sharing,
}

impl Default for ImageUse {
    /// A storage image that can be sampled.
    fn default() -> Self {
        let usage = vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::SAMPLED;
        Self { usage, sharing: Sharing::FirstQueue }
    }
}

/// The queues that use an image or a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Only the first queue.
    FirstQueue,
    /// All queues concurrently. With two families this is `VK_SHARING_MODE_CONCURRENT`, which may cost time.
    AllQueues,
}

/// Bytes of a texel, for the formats that the suite uses.
///
/// # Errors
/// Any other format.
pub fn texel_bytes(format: vk::Format) -> Result<u64> {
    Ok(match format {
        vk::Format::R8_UNORM => 1,
        vk::Format::R8G8B8A8_UNORM
        | vk::Format::R32_UINT
        | vk::Format::R32_SFLOAT
        | vk::Format::D32_SFLOAT => 4,
        vk::Format::R16G16B16A16_SFLOAT | vk::Format::R16G16B16A16_UINT | vk::Format::R32G32_UINT => 8,
        vk::Format::R32G32B32A32_SFLOAT | vk::Format::R32G32B32A32_UINT => 16,
        other => anyhow::bail!("texel size of {other:?} is not known"),
    })
}

impl Gpu {
    /// A buffer that kernels and copies can use.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn buffer(&self, name: &str, bytes: u64, place: Place) -> Result<Buffer> {
        self.buffer_for(name, bytes, place, Sharing::FirstQueue)
    }

    /// Like [`Gpu::buffer`], optionally for all queues.
    pub fn buffer_for(&self, name: &str, bytes: u64, place: Place, sharing: Sharing) -> Result<Buffer> {
        let buffer = self.plan_buffers(1);
        self.make_buffer(buffer, name, bytes, place, sharing)?;
        Ok(buffer)
    }

    /// Plans buffers to be made later; returns the handle of the first.
    pub fn plan_buffers(&self, count: u32) -> Buffer {
        Buffer(planned(&mut self.arena.borrow_mut().buffers, count))
    }

    /// Makes a planned buffer.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn make_buffer(
        &self,
        buffer: Buffer,
        name: &str,
        bytes: u64,
        place: Place,
        sharing: Sharing,
    ) -> Result<()> {
        let (mode, families) = self.shared(sharing);
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default().size(bytes).usage(usage);
        let info = info.sharing_mode(mode).queue_family_indices(&families);
        let raw = attempt(format_args!("creating buffer {name}"), || unsafe {
            self.device.create_buffer(&info, None)
        })?;
        let requirements = unsafe { self.device.get_buffer_memory_requirements(raw) };
        let location = match place {
            Place::Device => MemoryLocation::GpuOnly,
            Place::Upload => MemoryLocation::CpuToGpu,
            Place::Readback => MemoryLocation::GpuToCpu,
        };
        let allocation = self.allocate(name, requirements, location, true);
        let allocation = allocation.inspect_err(|_| unsafe { self.device.destroy_buffer(raw, None) })?;
        let bound = attempt(format_args!("binding memory to buffer {name}"), || unsafe {
            self.device.bind_buffer_memory(raw, allocation.memory(), allocation.offset())
        });
        self.name(raw, name);
        // Stored even if binding failed, so that the arena frees it.
        self.arena.borrow_mut().buffers[buffer.0 as usize] =
            BufferSlot { raw, offset: 0, bytes, allocation: Some(allocation) };
        bound
    }

    /// Makes a planned buffer as a slice of another; `offset` and `bytes` are in bytes.
    pub fn make_slice(&self, slice: Buffer, whole: Buffer, offset: u64, bytes: u64) {
        let mut arena = self.arena.borrow_mut();
        let raw = arena.buffer(whole).raw;
        arena.buffers[slice.0 as usize] = BufferSlot { raw, offset, bytes, allocation: None };
    }

    /// Plans images to be made later; returns the handle of the first.
    pub fn plan_images(&self, count: u32) -> Image {
        Image(planned(&mut self.arena.borrow_mut().images, count))
    }

    /// Makes a planned image. It is in the layout `GENERAL` after [`Gpu::settle_images`].
    ///
    /// # Errors
    /// Not enough memory; a size that the device does not support.
    pub fn make_image(
        &self,
        image: Image,
        name: &str,
        shape: Shape,
        format: vk::Format,
        ImageUse { usage, sharing }: ImageUse,
    ) -> Result<()> {
        self.ensure_possible(shape)?;
        let stores = usage.contains(vk::ImageUsageFlags::STORAGE);
        ensure!(
            !stores || self.stores(format),
            "{} cannot store to images of format {format:?}",
            self.facts.name
        );
        let (of_type, seen_as) = match shape.volume {
            true => (vk::ImageType::TYPE_3D, vk::ImageViewType::TYPE_3D),
            false => (vk::ImageType::TYPE_2D, vk::ImageViewType::TYPE_2D),
        };
        let (mode, families) = self.shared(sharing);
        let [width, height, depth] = shape.sides;
        let info = vk::ImageCreateInfo::default()
            .image_type(of_type)
            .format(format)
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST)
            .sharing_mode(mode)
            .queue_family_indices(&families);
        let raw = attempt(format_args!("creating image {name}"), || unsafe {
            self.device.create_image(&info, None)
        })?;
        let requirements = unsafe { self.device.get_image_memory_requirements(raw) };
        let allocation = self.allocate(name, requirements, MemoryLocation::GpuOnly, false);
        let allocation = allocation.inspect_err(|_| unsafe { self.device.destroy_image(raw, None) })?;
        let bound = attempt(format_args!("binding memory to image {name}"), || unsafe {
            self.device.bind_image_memory(raw, allocation.memory(), allocation.offset())
        });
        // Stored before the view exists, so that the arena frees it after an error.
        let view = vk::ImageView::null();
        let slot = ImageSlot { raw, view, shape, format, usage, allocation: Some(allocation) };
        let whole = slot.whole();
        self.arena.borrow_mut().images[image.0 as usize] = slot;
        self.name(raw, name);
        bound?;
        let info = vk::ImageViewCreateInfo::default()
            .image(raw)
            .view_type(seen_as)
            .format(format)
            .subresource_range(whole);
        let view = attempt(format_args!("creating a view of image {name}"), || unsafe {
            self.device.create_image_view(&info, None)
        })?;
        self.arena.borrow_mut().images[image.0 as usize].view = view;
        self.name(view, name);
        Ok(())
    }

    /// Returns an error if the device does not support images of this shape.
    pub fn ensure_possible(&self, shape: Shape) -> Result<()> {
        let most = if shape.volume { self.facts.max_image_3d } else { self.facts.max_image_2d };
        if shape.sides.iter().all(|side| (1..=most).contains(side)) {
            return Ok(());
        }
        let wrong = format!(
            "an image of {shape} is not possible on {}: a side has 1 to {most} texels",
            self.facts.name
        );
        Err(BeyondLimits(wrong).into())
    }

    /// The sharing mode of a resource, and the queue families that share it.
    fn shared(&self, sharing: Sharing) -> (vk::SharingMode, Vec<u32>) {
        match self.shared_families().filter(|_| sharing == Sharing::AllQueues) {
            Some(families) => (vk::SharingMode::CONCURRENT, families),
            None => (vk::SharingMode::EXCLUSIVE, Vec::new()),
        }
    }

    /// Plans a texel view to be made later.
    pub fn plan_texels(&self) -> Texels {
        Texels(planned(&mut self.arena.borrow_mut().texels, 1))
    }

    /// Makes a planned view of a buffer as texels, which kernels read as `textureBuffer`.
    ///
    /// # Errors
    /// Not enough memory; a format without texel views on this device; too many texels.
    pub fn make_texels(&self, texels: Texels, buffer: Buffer, format: vk::Format) -> Result<()> {
        let part = self.arena().buffer(buffer).info();
        let (count, most) = (part.range / texel_bytes(format)?, self.limits.texels);
        let (name, of_format) = (&self.facts.name, self.format(format).buffer_features);
        ensure!(
            of_format.contains(vk::FormatFeatureFlags::UNIFORM_TEXEL_BUFFER),
            BeyondLimits(format!("{name} has no texel buffers of format {format:?}"))
        );
        ensure!(
            count <= most.into(),
            BeyondLimits(format!("{name} has texel buffers of {most} texels at most, not of {count}"))
        );
        let info = vk::BufferViewCreateInfo::default()
            .buffer(part.buffer)
            .format(format)
            .offset(part.offset)
            .range(part.range);
        let view =
            attempt("creating a texel view", || unsafe { self.device.create_buffer_view(&info, None) })?;
        self.arena.borrow_mut().texels[texels.0 as usize] = view;
        Ok(())
    }

    /// Transitions images from their initial layout to `GENERAL`.
    ///
    /// # Errors
    /// A failed submit.
    pub fn settle_images(&self, images: &[Image]) -> Result<()> {
        self.run_once("the images' first transition", |cmd| cmd.settle(images))
    }

    /// Plans events to be made later; returns the handle of the first.
    pub fn plan_events(&self, count: u32) -> Event {
        Event(planned(&mut self.arena.borrow_mut().events, count))
    }

    /// Makes a planned event.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn make_event(&self, event: Event, name: &str, state: EventState) -> Result<()> {
        let flags = match state {
            EventState::DeviceOnly => vk::EventCreateFlags::DEVICE_ONLY,
            EventState::HostVisible => vk::EventCreateFlags::empty(),
        };
        let info = vk::EventCreateInfo::default().flags(flags);
        let raw =
            attempt(format_args!("creating {name}"), || unsafe { self.device.create_event(&info, None) })?;
        self.name(raw, name);
        self.arena.borrow_mut().events[event.0 as usize] = raw;
        Ok(())
    }

    /// A pool of `count` timestamps.
    pub fn timestamps(&self, count: u32) -> Result<vk::QueryPool> {
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(count);
        let pool = attempt("creating timestamps", || unsafe { self.device.create_query_pool(&info, None) })?;
        self.name(pool, "timestamps");
        self.arena.borrow_mut().queries.push(pool);
        Ok(pool)
    }

    /// Reads the first `count` raw timestamps of a variant. The submit that wrote them must be complete.
    ///
    /// # Errors
    /// One was not written.
    pub fn read_own_stamps(&self, count: usize) -> Result<Vec<u64>> {
        let pool = self.arena().stamps.context("there are no queries for timestamps")?;
        let mut stamps = vec![0; count];
        // Vulkan reads at least one.
        if count > 0 {
            self.read_queries(pool, &mut stamps)?;
        }
        Ok(stamps)
    }

    /// Reads raw timestamps of a pool. The submit that wrote them must be complete.
    pub fn read_stamps<const N: usize>(&self, pool: vk::QueryPool) -> Result<[u64; N]> {
        let mut stamps = [0; N];
        self.read_queries(pool, &mut stamps)?;
        Ok(stamps)
    }

    /// Reads raw timestamps from the first of a pool on. The submits that wrote them must be complete.
    ///
    /// # Errors
    /// One was not written.
    pub fn read_queries(&self, pool: vk::QueryPool, stamps: &mut [u64]) -> Result<()> {
        let flags = vk::QueryResultFlags::TYPE_64;
        attempt("reading timestamps", || unsafe {
            self.device.get_query_pool_results(pool, 0, stamps, flags)
        })
    }

    /// A device buffer that holds `data`.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn upload(&self, name: &str, data: &[u32]) -> Result<Buffer> {
        let target = self.plan_buffers(1);
        self.upload_to(target, name, data)?;
        Ok(target)
    }

    /// Makes a planned device buffer that holds `data`.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn upload_to(&self, target: Buffer, name: &str, data: &[u32]) -> Result<()> {
        let bytes = size_of_val(data) as u64;
        self.make_buffer(target, name, bytes, Place::Device, Sharing::FirstQueue)?;
        self.refill(target, name, data)
    }

    /// Replaces the contents of a device buffer.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn refill(&self, target: Buffer, name: &str, data: &[u32]) -> Result<()> {
        let bytes = size_of_val(data) as u64;
        let staging = self.buffer(&format!("{name} (staging)"), bytes, Place::Upload)?;
        self.write(staging, data)?;
        // If this fails, the staging buffer stays: the queue may still read it.
        self.run_once("an upload", |cmd| cmd.copy_buffer(staging, target, bytes))?;
        self.free(staging);
        Ok(())
    }

    /// Writes the first words of a [`Place::Upload`] buffer.
    pub fn write(&self, buffer: Buffer, words: &[u32]) -> Result<()> {
        let (mut arena, data) = (self.arena.borrow_mut(), bytemuck::cast_slice(words));
        let slot = &mut arena.buffers[buffer.0 as usize];
        let mapped = slot.allocation.as_mut().and_then(Allocation::mapped_slice_mut);
        let target = mapped.and_then(|mapped| mapped.get_mut(..data.len()));
        target.context("the buffer is not visible to the CPU")?.copy_from_slice(data);
        Ok(())
    }

    /// The contents of a [`Place::Readback`] buffer.
    ///
    /// # Errors
    /// The CPU cannot access the buffer.
    pub fn read(&self, buffer: Buffer) -> Result<Vec<u32>> {
        self.look(buffer, <[u32]>::to_vec)
    }

    /// Passes the contents of a [`Place::Readback`] buffer to a closure without copying them, because results can
    /// take gigabytes.
    ///
    /// # Errors
    /// The CPU cannot access the buffer.
    pub fn look<T>(&self, buffer: Buffer, look: impl FnOnce(&[u32]) -> T) -> Result<T> {
        let arena = self.arena();
        let slot = arena.buffer(buffer);
        let mapped = slot.allocation.as_ref().and_then(Allocation::mapped_slice);
        let bytes = mapped.context("the buffer is not visible to the CPU")?;
        let bytes =
            bytes.get(..usize::try_from(slot.bytes)?).context("the buffer is larger than its memory")?;
        let words = bytemuck::try_cast_slice(bytes);
        Ok(look(words.map_err(|error| anyhow!("reading a buffer as words: {error}"))?))
    }

    /// Frees a buffer before the arena, for staging memory that would otherwise double the memory use.
    pub fn free(&self, buffer: Buffer) {
        let freed = std::mem::take(&mut self.arena.borrow_mut().buffers[buffer.0 as usize]);
        self.free_all(Arena { buffers: vec![freed], ..Arena::default() });
    }

    fn allocate(
        &self,
        name: &str,
        requirements: vk::MemoryRequirements,
        location: MemoryLocation,
        linear: bool,
    ) -> Result<Allocation> {
        let description = AllocationCreateDesc {
            name,
            requirements,
            location,
            linear,
            allocation_scheme: AllocationScheme::GpuAllocatorManaged,
        };
        let planned = fault::allocation(format_args!("allocating {name}")).map_err(|result| match result {
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => AllocationError::OutOfMemory,
            other => AllocationError::Internal(format!("{other:?}")),
        });
        let allocated = planned.and_then(|()| self.allocator().borrow_mut().allocate(&description));
        let (device, size) = (&self.facts.name, bytes_in_words(requirements.size));
        allocated.map_err(|error| match error {
            AllocationError::OutOfMemory => NoRoom(format!(
                "out of memory on {device} for {name} ({size}): use a smaller size or fewer --repetitions, \
                 or end other programs on the device"
            ))
            .into(),
            other => anyhow!("no memory on {device} for {name} ({size}): {other}"),
        })
    }
}

/// A size in words such as `5.3 MiB`, for messages.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
pub fn bytes_in_words(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1024 => return format!("{bytes} bytes"),
        1024..0x10_0000 => (1024, "KiB"),
        0x10_0000..0x4000_0000 => (0x10_0000, "MiB"),
        _ => (0x4000_0000, "GiB"),
    };
    format!("{:.1} {name}", bytes as f64 / f64::from(unit))
}

/// Reserves `count` places; returns the index of the first. Drivers run out of objects long before 2^32.
fn planned<T: Default>(table: &mut Vec<T>, count: u32) -> u32 {
    let first = table.len();
    table.resize_with(first + count as usize, T::default);
    u32::try_from(first).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_well() {
        let words: Vec<String> = [12, 2048, 5_308_416, 3 << 30].map(bytes_in_words).into();
        assert_eq!(words, ["12 bytes", "2.0 KiB", "5.1 MiB", "3.0 GiB"]);
    }
}
