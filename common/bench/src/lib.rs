//! What a sample declares, and what is done with it: measured, checked, traced, shown to a profiler.
//!
//! Start with [`lab`] for what a sample can say, [`drive`] for what is done with it, and [`measure`] for how a number
//! is earned.

// The contract of what talks to Vulkan is on `vulkan::gpu::Gpu`.
#![allow(unsafe_code)]

mod chains;
pub mod counter;
pub mod drive;
pub mod element;
pub mod host;
pub mod lab;
mod limits;
pub mod measure;
pub mod mutate;
pub mod self_test;
pub mod trace;
pub mod variant;
