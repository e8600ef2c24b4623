//! The empty counterpart of `on`, for a build without Tracy.

use std::marker::PhantomData;

use anyhow::Result;
use vulkan::gpu::{Calibrated, Gpu};

/// Does the work, and shows nothing.
pub fn span<T>(_: &'static str, work: impl FnOnce() -> T) -> T {
    work()
}

/// Does the work, and shows nothing, as ever.
pub fn muted<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Nobody is waited for.
pub fn await_profiler() -> Result<Option<String>> {
    Ok(None)
}

/// Nothing.
pub struct Timeline<'l>(PhantomData<&'l Gpu>);

impl<'l> Timeline<'l> {
    /// Makes nothing.
    pub fn new(_: &'l Gpu, _: &'l Calibrated) -> Self {
        Self(PhantomData)
    }

    /// Shows nothing.
    pub fn zone(&mut self, _: &str, _: u32, _: [u64; 2]) -> Result<()> {
        Ok(())
    }

    /// There is none.
    pub fn profiler(&self) -> Option<&'static str> {
        None
    }
}
