//! Calls of Vulkan that can fail, each of which a test can let fail: see [`record::fault`].

use std::fmt::Display;

use anyhow::Result;
use ash::prelude::VkResult;
use ash::vk;
use record::error::{Halt, NoRoom};
use record::fault::{Kind, Site, before};

/// Calls Vulkan. `what` completes "while …" where it fails, and is not formatted before.
pub fn attempt<T>(what: impl Display, call: impl FnOnce() -> VkResult<T>) -> Result<T> {
    self::call(&what, call).map_err(|result| failure(result, what))
}

/// As [`attempt`], for callers that want Vulkan's own code.
pub fn call<T>(what: impl Display, call: impl FnOnce() -> VkResult<T>) -> VkResult<T> {
    before(Site::Call, &what).map_err(code)?;
    call()
}

/// As [`call`], for waits, which may also end by time-out.
pub fn wait(what: impl Display, call: impl FnOnce() -> VkResult<()>) -> VkResult<()> {
    before(Site::Wait, &what).map_err(code)?;
    call()
}

/// The failure of an allocation that is about to be made, where one is planned.
pub fn allocation(what: impl Display) -> VkResult<()> {
    before(Site::Allocation, &what).map_err(code)
}

/// The failure of a Vulkan call in words; `what` completes "while …".
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
