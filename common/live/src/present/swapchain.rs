//! A swapchain: the images of a window at one size.

use std::rc::Rc;

use ash::prelude::VkResult;
use ash::{khr, vk};
use vulkan::fault;
use vulkan::gpu::WHOLE;

use super::device::Device;
use super::painter::Onto;
use super::surface::Terms;

/// How long an image is waited for. The compositor gives none to a window that nobody sees.
const PATIENCE_NS: u64 = 250_000_000;

/// An image that is to be drawn.
pub(super) struct Acquired {
    pub onto: Onto,
    /// Signalled once it can be drawn.
    pub ready: vk::Semaphore,
    /// To be signalled once it is drawn.
    pub drawn: vk::Semaphore,
    pub index: u32,
    pub is_suboptimal: bool,
}

/// A swapchain.
pub(super) struct Chain {
    device: Rc<Device>,
    pub loader: khr::swapchain::Device,
    pub raw: vk::SwapchainKHR,
    pub extent: vk::Extent2D,
    format: vk::Format,
    images: Vec<Slot>,
    /// One is enough: the submit that waits for it has ended before the next image is acquired.
    ready: vk::Semaphore,
    /// Frames that were presented.
    presented: u64,
    /// It was suboptimal when it was new: another would be no better.
    is_tolerated: bool,
}

/// An image, and the semaphore that its presentation waits for: only when the image is acquired again is
/// it known to be free.
struct Slot {
    image: vk::Image,
    view: vk::ImageView,
    drawn: vk::Semaphore,
}

impl Chain {
    pub fn new(
        device: &Rc<Device>,
        surface: vk::SurfaceKHR,
        terms: &Terms,
        extent: vk::Extent2D,
        old: Option<Self>,
    ) -> VkResult<Self> {
        let loader = khr::swapchain::Device::new(&device.instance.raw, &device.raw);
        let format = format(&terms.formats);
        let limits = &terms.limits;
        let most = if limits.max_image_count == 0 { u32::MAX } else { limits.max_image_count };
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface)
            .min_image_count((limits.min_image_count + 1).min(most))
            .image_format(format.format)
            .image_color_space(format.color_space)
            .image_extent(extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .image_sharing_mode(vk::SharingMode::EXCLUSIVE)
            .pre_transform(transform(limits))
            .composite_alpha(alpha(limits.supported_composite_alpha))
            .present_mode(mode(&terms.modes))
            .clipped(true)
            .old_swapchain(old.as_ref().map_or(vk::SwapchainKHR::null(), |old| old.raw));
        let raw = fault::call("creating the window's swapchain", || unsafe {
            loader.create_swapchain(&info, None)
        })?;
        drop(old);
        let mut chain = Self {
            device: Rc::clone(device),
            loader,
            raw,
            extent,
            format: format.format,
            images: Vec::new(),
            ready: vk::Semaphore::null(),
            presented: 0,
            is_tolerated: false,
        };
        chain.fill()?;
        Ok(chain)
    }

    fn fill(&mut self) -> VkResult<()> {
        self.ready = semaphore(&self.device)?;
        let images = fault::call("listing the window's images", || unsafe {
            self.loader.get_swapchain_images(self.raw)
        })?;
        for image in images {
            let (view, drawn) = (vk::ImageView::null(), vk::Semaphore::null());
            self.images.push(Slot { image, view, drawn });
        }
        for slot in &mut self.images {
            let info = vk::ImageViewCreateInfo::default()
                .image(slot.image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(self.format)
                .subresource_range(WHOLE);
            slot.view = fault::call("creating a view of the window's image", || unsafe {
                self.device.raw.create_image_view(&info, None)
            })?;
            slot.drawn = semaphore(&self.device)?;
        }
        Ok(())
    }

    pub fn acquire(&mut self) -> VkResult<Acquired> {
        let mut acquired = (0, false);
        fault::wait("waiting for an image of the window", || {
            let (none, patience) = (vk::Fence::null(), PATIENCE_NS);
            acquired = unsafe { self.loader.acquire_next_image(self.raw, patience, self.ready, none) }?;
            Ok(())
        })?;
        let (index, is_suboptimal) = acquired;
        let slot = self.images.get(index as usize).ok_or(vk::Result::ERROR_UNKNOWN)?;
        let onto = Onto {
            image: slot.image,
            view: slot.view,
            extent: self.extent,
            format: self.format,
            becomes: vk::ImageLayout::PRESENT_SRC_KHR,
        };
        Ok(Acquired { onto, ready: self.ready, drawn: slot.drawn, index, is_suboptimal })
    }

    /// Whether a better swapchain is to be had, after a frame that was suboptimal or was not. Some
    /// drivers call each one suboptimal, and would have a new one made each frame.
    pub fn should_change(&mut self, is_suboptimal: bool) -> bool {
        if self.presented == 0 {
            self.is_tolerated = is_suboptimal;
        }
        self.presented += 1;
        is_suboptimal && !self.is_tolerated
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        if self.device.is_busy() {
            return;
        }
        unsafe {
            for slot in &self.images {
                self.device.raw.destroy_image_view(slot.view, None);
                self.device.raw.destroy_semaphore(slot.drawn, None);
            }
            self.device.raw.destroy_semaphore(self.ready, None);
            self.loader.destroy_swapchain(self.raw, None);
        }
    }
}

fn semaphore(device: &Device) -> VkResult<vk::Semaphore> {
    fault::call("creating a semaphore of the window", || unsafe {
        device.raw.create_semaphore(&vk::SemaphoreCreateInfo::default(), None)
    })
}

/// Eight bits a channel without conversion, because egui's colours are blended as they are; else
/// whatever the window takes.
fn format(formats: &[vk::SurfaceFormatKHR]) -> vk::SurfaceFormatKHR {
    let plain = [vk::Format::B8G8R8A8_UNORM, vk::Format::R8G8B8A8_UNORM];
    let srgb = [vk::Format::B8G8R8A8_SRGB, vk::Format::R8G8B8A8_SRGB];
    let usual = |f: &&vk::SurfaceFormatKHR| f.color_space == vk::ColorSpaceKHR::SRGB_NONLINEAR;
    let wished = plain.iter().chain(&srgb);
    let found = wished.clone().find_map(|wish| formats.iter().filter(usual).find(|f| f.format == *wish));
    found.or_else(|| formats.iter().find(usual)).or(formats.first()).copied().unwrap_or_default()
}

/// The newest frame, where the window has that: the engine sets the pace, and some Wayland drivers hold a FIFO's
/// present back, with the device, until a window is seen again. Else FIFO, which is always there.
fn mode(modes: &[vk::PresentModeKHR]) -> vk::PresentModeKHR {
    let newest = vk::PresentModeKHR::MAILBOX;
    if modes.contains(&newest) { newest } else { vk::PresentModeKHR::FIFO }
}

fn transform(limits: &vk::SurfaceCapabilitiesKHR) -> vk::SurfaceTransformFlagsKHR {
    let identity = vk::SurfaceTransformFlagsKHR::IDENTITY;
    if limits.supported_transforms.contains(identity) { identity } else { limits.current_transform }
}

fn alpha(supported: vk::CompositeAlphaFlagsKHR) -> vk::CompositeAlphaFlagsKHR {
    use vk::CompositeAlphaFlagsKHR as Alpha;
    let wished = [Alpha::OPAQUE, Alpha::INHERIT, Alpha::PRE_MULTIPLIED, Alpha::POST_MULTIPLIED];
    wished.into_iter().find(|&wish| supported.contains(wish)).unwrap_or(Alpha::OPAQUE)
}
