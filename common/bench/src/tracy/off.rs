//! The empty twin of `on`, for a build without Tracy.

use std::marker::PhantomData;

use anyhow::Result;

use vulkan::gpu::{Calibrated, Gpu};

/// Nothing.
pub struct Span;

/// Shows nothing.
pub fn span(_: &'static str) -> Span {
    Span
}

impl Span {
    /// Does nothing.
    pub fn end(self) {}
}

/// Nobody is waited for.
pub fn await_profiler() -> Result<Option<String>> {
    Ok(None)
}

/// Nothing.
pub struct Muted;

/// Shows nothing, as ever.
pub fn mute() -> Muted {
    Muted
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
