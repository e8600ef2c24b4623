//! The empty twin of `on`, for a build without Tracy.

use std::marker::PhantomData;

use anyhow::Result;

use vulkan::gpu::{Calibrated, Gpu};

pub(crate) struct Span;

pub(crate) fn span(_: &'static str) -> Span {
    Span
}

impl Span {
    pub fn end(self) {}
}

#[expect(clippy::unnecessary_wraps, reason = "its twin can fail")]
pub(crate) fn await_profiler() -> Result<()> {
    Ok(())
}

pub(crate) struct Muted;

pub(crate) fn mute() -> Muted {
    Muted
}

pub(crate) struct Timeline<'l>(PhantomData<&'l Gpu>);

impl<'l> Timeline<'l> {
    pub fn new(_: &'l Gpu, _: &'l Calibrated) -> Self {
        Self(PhantomData)
    }

    #[expect(clippy::unnecessary_wraps, reason = "its twin can fail")]
    pub fn zone(&mut self, _: &str, _: u32, _: [u64; 2]) -> Result<()> {
        Ok(())
    }

    pub fn profiler(&self) -> Option<&'static str> {
        None
    }
}
