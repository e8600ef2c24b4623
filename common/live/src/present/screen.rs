//! A window to draw into: its swapchain is made anew whenever it changes or is lost.

use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use ash::prelude::VkResult;
use ash::vk;
use vulkan::fault::failure;

use super::device::Device;
use super::surface::Surface;
use super::swapchain::{Acquired, Chain};

/// A window whose images do not fit so many times in a row, although they are made anew each time, never gets
/// any: four seconds, with the pauses in between.
const MOST_MISSES: u32 = 64;

/// A window and its images.
pub(super) struct Screen {
    device: Rc<Device>,
    chain: Option<Chain>,
    surface: ManuallyDrop<Surface>,
    /// What the painter's pictures have.
    colours: vk::Format,
    /// Pixels of the window, for window systems that leave the size to the program.
    size: [u32; 2],
    /// The images do not fit the window any more.
    is_stale: bool,
    is_lost: bool,
    /// Images that did not fit, since the last one that was shown.
    misses: u32,
}

impl Screen {
    pub fn new(device: Rc<Device>, surface: Surface, colours: vk::Format) -> Self {
        let surface = ManuallyDrop::new(surface);
        Self {
            device,
            chain: None,
            surface,
            colours,
            size: [0; 2],
            is_stale: true,
            is_lost: false,
            misses: 0,
        }
    }

    /// The next image to draw into, of a window of this size; none while the window has no area or nobody sees it.
    pub fn acquire(&mut self, size: [u32; 2]) -> Result<Option<Acquired>> {
        if size != self.size {
            let is_other = |chain: &Chain| [chain.extent.width, chain.extent.height] != size;
            self.is_stale |= self.chain.as_ref().is_none_or(is_other);
            (self.size, self.misses) = (size, 0);
        }
        // A window that changes all the time gets its picture with a later frame.
        for _ in 0..3 {
            if self.is_lost {
                self.renew()?;
            }
            match self.next() {
                Ok(acquired) => return Ok(acquired),
                Err(vk::Result::TIMEOUT | vk::Result::NOT_READY) => return Ok(None),
                Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => self.is_stale = true,
                Err(vk::Result::ERROR_SURFACE_LOST_KHR) => self.is_lost = true,
                Err(result) => return Err(failure(result, "getting an image of the window")),
            }
            self.miss()?;
        }
        Ok(None)
    }

    /// An image of a swapchain that fits; none where the window has no area.
    fn next(&mut self) -> VkResult<Option<Acquired>> {
        if self.is_stale {
            let terms = self.surface.terms(self.device.seat.physical)?;
            // A copy would swap red and blue.
            if terms.colours() != self.colours {
                return Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
            }
            let extent = extent(&terms.limits, self.size);
            if extent.width == 0 || extent.height == 0 {
                return Ok(None);
            }
            // Retired by the call, whether it succeeds or not.
            let old = self.chain.take();
            self.chain = Some(Chain::new(&self.device, self.surface.raw, &terms, extent, old)?);
            self.is_stale = false;
        }
        self.chain.as_mut().map(Chain::acquire).transpose()
    }

    /// Shows an image once it is drawn; false where the window had changed.
    pub fn present(&mut self, acquired: &Acquired) -> Result<bool> {
        let Some(chain) = &mut self.chain else { return Ok(false) };
        let (chains, indices, waits) = ([chain.raw], [acquired.index], [acquired.drawn]);
        let info =
            vk::PresentInfoKHR::default().swapchains(&chains).image_indices(&indices).wait_semaphores(&waits);
        let presented = self.device.present(&chain.loader, &info);
        match presented {
            Ok(is_suboptimal) => {
                self.is_stale |= chain.should_change(is_suboptimal || acquired.is_suboptimal)
            }
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => self.is_stale = true,
            Err(vk::Result::ERROR_SURFACE_LOST_KHR) => self.is_lost = true,
            Err(result) => return Err(failure(result, "presenting")),
        }
        self.device.settle()?;
        if presented.is_err() {
            self.miss()?;
            return Ok(false);
        }
        self.misses = 0;
        Ok(true)
    }

    /// Lets a window that is being changed settle, each time a little longer.
    fn miss(&mut self) -> Result<()> {
        self.misses += 1;
        ensure!(
            self.misses < MOST_MISSES,
            "the window's images were out of date {MOST_MISSES} times in a row: the driver cannot draw into it; \
             --live --headless --frames N draws off-screen"
        );
        thread::sleep(Duration::from_millis(1 << self.misses.min(6)));
        Ok(())
    }

    /// An image was acquired and cannot be drawn: what would wait for it must go.
    pub fn abandon(&mut self) {
        self.is_stale = true;
    }

    /// Makes the surface anew, which was lost.
    fn renew(&mut self) -> Result<()> {
        self.chain = None;
        self.surface.renew()?;
        let seat = &self.device.seat;
        ensure!(
            self.surface.is_for(seat.physical, seat.family)?,
            "{} cannot draw into the window any more",
            seat.facts.name
        );
        (self.is_lost, self.is_stale) = (false, true);
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.chain = None;
        if !self.device.is_busy() {
            unsafe { ManuallyDrop::drop(&mut self.surface) };
        }
    }
}

/// The window's own size, or where it has none (Wayland) the one that is wished for.
fn extent(limits: &vk::SurfaceCapabilitiesKHR, wished: [u32; 2]) -> vk::Extent2D {
    let own = limits.current_extent;
    if own.width != u32::MAX {
        return own;
    }
    let (least, most) = (limits.min_image_extent, limits.max_image_extent);
    vk::Extent2D {
        width: wished[0].min(most.width).max(least.width),
        height: wished[1].min(most.height).max(least.height),
    }
}
