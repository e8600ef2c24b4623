//! What a window gives Vulkan to draw into.

use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use ash::prelude::VkResult;
use ash::{khr, vk};
use winit::raw_window_handle::{HasDisplayHandle, HasWindowHandle, RawDisplayHandle};
use winit::window::Window;

use vulkan::fault::{self, attempt, failure};
use vulkan::gpu::Instance;

/// A surface; it keeps its window.
pub(super) struct Surface {
    pub raw: vk::SurfaceKHR,
    loader: khr::surface::Instance,
    instance: Rc<Instance>,
    window: Arc<Window>,
}

/// What a surface takes, on a device.
pub(super) struct Terms {
    pub limits: vk::SurfaceCapabilitiesKHR,
    pub format: vk::SurfaceFormatKHR,
    pub modes: Vec<vk::PresentModeKHR>,
}

/// An instance whose surfaces can be this window's.
pub(super) fn instance_for(window: &Window, validate: bool) -> Result<Instance> {
    let extensions = attempt("asking for the window system's extensions", || {
        ash_window::enumerate_required_extensions(display(window)?)
    })?;
    Instance::with(validate, extensions).map_err(|error| {
        if error.to_string().contains(&format!("{:?}", vk::Result::ERROR_EXTENSION_NOT_PRESENT)) {
            return anyhow!(
                "the Vulkan loader cannot draw into windows of this system (it lacks VK_KHR_surface or the \
                 window system's own extension): measure with --bench, or draw into pictures with --live \
                 --headless"
            );
        }
        error
    })
}

impl Surface {
    pub fn new(instance: Rc<Instance>, window: Arc<Window>) -> Result<Self> {
        let loader = khr::surface::Instance::new(&instance.entry, &instance.raw);
        let raw = create(&instance, &window)?;
        Ok(Self { raw, loader, instance, window })
    }

    /// Makes it anew, once it is lost and nothing uses it.
    pub fn renew(&mut self) -> Result<()> {
        unsafe { self.loader.destroy_surface(self.raw, None) };
        self.raw = vk::SurfaceKHR::null();
        self.raw = create(&self.instance, &self.window)?;
        Ok(())
    }

    /// A family's queues can present to it.
    pub fn is_for(&self, physical: vk::PhysicalDevice, family: u32) -> Result<bool> {
        attempt("asking which queues present", || unsafe {
            self.loader.get_physical_device_surface_support(physical, family, self.raw)
        })
    }

    /// # Errors
    /// `ERROR_FORMAT_NOT_SUPPORTED` where a picture of eight bits a channel cannot be copied into it.
    pub fn terms(&self, physical: vk::PhysicalDevice) -> VkResult<Terms> {
        let limits = fault::call("asking for the window's limits", || unsafe {
            self.loader.get_physical_device_surface_capabilities(physical, self.raw)
        })?;
        let formats = fault::call("asking for the window's formats", || unsafe {
            self.loader.get_physical_device_surface_formats(physical, self.raw)
        })?;
        let modes = fault::call("asking for the window's present modes", || unsafe {
            self.loader.get_physical_device_surface_present_modes(physical, self.raw)
        })?;
        let copies = limits.supported_usage_flags.contains(vk::ImageUsageFlags::TRANSFER_DST);
        let format = format(&formats).filter(|_| copies).ok_or(vk::Result::ERROR_FORMAT_NOT_SUPPORTED)?;
        Ok(Terms { limits, format, modes })
    }
}

impl Terms {
    /// Colours in the order of the window's, as they are: they are blended and copied without conversion.
    pub fn colours(&self) -> vk::Format {
        let known = FORMATS.into_iter().find(|[format, _]| *format == self.format.format);
        known.map_or(vk::Format::UNDEFINED, |[_, colours]| colours)
    }
}

/// Formats of eight bits a channel, the best first, and those of the same order without conversion.
const FORMATS: [[vk::Format; 2]; 4] = [
    [vk::Format::B8G8R8A8_UNORM; 2],
    [vk::Format::R8G8B8A8_UNORM; 2],
    [vk::Format::B8G8R8A8_SRGB, vk::Format::B8G8R8A8_UNORM],
    [vk::Format::R8G8B8A8_SRGB, vk::Format::R8G8B8A8_UNORM],
];

/// The best that a window takes.
fn format(formats: &[vk::SurfaceFormatKHR]) -> Option<vk::SurfaceFormatKHR> {
    let usual = |f: &&vk::SurfaceFormatKHR| f.color_space == vk::ColorSpaceKHR::SRGB_NONLINEAR;
    let find = |[wish, _]: [vk::Format; 2]| formats.iter().filter(usual).find(|f| f.format == wish);
    FORMATS.into_iter().find_map(find).copied()
}

impl Drop for Surface {
    fn drop(&mut self) {
        unsafe { self.loader.destroy_surface(self.raw, None) };
    }
}

fn display(window: &Window) -> VkResult<RawDisplayHandle> {
    window.display_handle().map(|handle| handle.as_raw()).map_err(|_| vk::Result::ERROR_SURFACE_LOST_KHR)
}

fn create(instance: &Instance, window: &Window) -> Result<vk::SurfaceKHR> {
    let made = fault::call("creating the window's surface", || {
        let handle = window.window_handle().map_err(|_| vk::Result::ERROR_SURFACE_LOST_KHR)?;
        // SAFETY: the surface keeps its window, which keeps its connection.
        unsafe {
            ash_window::create_surface(
                &instance.entry,
                &instance.raw,
                display(window)?,
                handle.as_raw(),
                None,
            )
        }
    });
    made.map_err(|result| failure(result, "creating the window's surface"))
}
