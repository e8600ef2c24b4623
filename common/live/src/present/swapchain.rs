//! A swapchain: the images of a window at one size.

use std::rc::Rc;

use ash::prelude::VkResult;
use ash::{khr, vk};
use vulkan::fault;

use super::device::Device;
use super::surface::Terms;

/// How long an image is waited for. The compositor gives none to a window that nobody sees.
const PATIENCE_NS: u64 = 250_000_000;

/// An image that is to be drawn.
pub(super) struct Acquired {
    pub image: vk::Image,
    pub size: [u32; 2],
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
    /// Each with the semaphore that its presentation waits for: only when it is acquired again is that known to be
    /// free.
    images: Vec<(vk::Image, vk::Semaphore)>,
    /// One is enough: the submit that waits for it has ended before the next image is acquired.
    ready: vk::Semaphore,
    /// Frames that were presented.
    presented: u64,
    /// It was suboptimal when it was new: another would be no better.
    is_tolerated: bool,
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
        let limits = &terms.limits;
        let most = if limits.max_image_count == 0 { u32::MAX } else { limits.max_image_count };
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface)
            .min_image_count((limits.min_image_count + 1).min(most))
            .image_format(terms.format.format)
            .image_color_space(terms.format.color_space)
            .image_extent(extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
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
            self.images.push((image, semaphore(&self.device)?));
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
        let (image, drawn) = *self.images.get(index as usize).ok_or(vk::Result::ERROR_UNKNOWN)?;
        let size = [self.extent.width, self.extent.height];
        Ok(Acquired { image, size, ready: self.ready, drawn, index, is_suboptimal })
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
            for (_, drawn) in &self.images {
                self.device.raw.destroy_semaphore(*drawn, None);
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
