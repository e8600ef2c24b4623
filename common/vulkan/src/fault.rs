//! Wrappers for Vulkan calls that can fail. Tests can inject a failure into each call: see [`record::fault`].

use std::fmt::Display;

use anyhow::Result;
use ash::prelude::VkResult;
use ash::vk;
use record::error::{Halt, NoRoom};
use record::fault::{Kind, Site, before};

/// Calls Vulkan. In the error message `what` completes "while …"; it is only formatted on failure.
pub fn attempt<T>(what: impl Display, call: impl FnOnce() -> VkResult<T>) -> Result<T> {
    self::call(&what, call).map_err(|result| failure(result, what))
}

/// Like [`attempt`], for callers that need Vulkan's own error code.
pub fn call<T>(what: impl Display, call: impl FnOnce() -> VkResult<T>) -> VkResult<T> {
    before(Site::Call, &what).map_err(code)?;
    call()
}

/// Like [`call`], for waits, which may also time out.
pub fn wait(what: impl Display, call: impl FnOnce() -> VkResult<()>) -> VkResult<()> {
    before(Site::Wait, &what).map_err(code)?;
    call()
}

/// Returns the failure that a test injects into the next allocation, if any.
pub fn allocation(what: impl Display) -> VkResult<()> {
    before(Site::Allocation, &what).map_err(code)
}

/// Converts the error code of a Vulkan call to an error; `what` completes "while …".
pub fn failure(result: vk::Result, what: impl Display) -> anyhow::Error {
    match result {
        vk::Result::ERROR_DEVICE_LOST => Halt::DeviceLost(what.to_string()).into(),
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => NoRoom(format!(
            "out of device memory while {what}: use a smaller size, or end other programs on the device"
        ))
        .into(),
        vk::Result::ERROR_OUT_OF_HOST_MEMORY => anyhow::anyhow!("out of memory while {what}"),
        other => anyhow::anyhow!("{other:?} while {what}"),
    }
}

fn code(kind: Kind) -> vk::Result {
    match kind {
        Kind::Lost => vk::Result::ERROR_DEVICE_LOST,
        Kind::Memory => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
        Kind::HostMemory => vk::Result::ERROR_OUT_OF_HOST_MEMORY,
        Kind::Timeout => vk::Result::TIMEOUT,
        Kind::DiskFull | Kind::Unknown => vk::Result::ERROR_UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_has_the_code_that_it_stands_for() {
        assert_eq!(code(Kind::Lost), vk::Result::ERROR_DEVICE_LOST);
        assert_eq!(code(Kind::Memory), vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
        assert_eq!(code(Kind::HostMemory), vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        assert_eq!(code(Kind::Timeout), vk::Result::TIMEOUT);
    }
}
