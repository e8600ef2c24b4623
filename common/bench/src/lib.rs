//! The benchmark framework: what a sample declares, and the drivers that measure, check, trace and profile it.
//!
//! Start with [`lab`] for the declarations of a sample, [`drive`] for the drivers, and [`measure`] for the sampling
//! and the stopping rule.

// The safety contract for Vulkan calls is documented on `vulkan::gpu::Gpu`.
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
