//! The Vulkan device: its memory, its kernels, and recordings as data.
//!
//! ```text
//! shaders/ ── source ─▶ spirv ─▶ kernel ─┐
//!                                        ├─ gpu: a device with all of its objects
//! a sample's closure ── cmd: Script ─────┘
//! ```

// Vulkan is a C interface, and only this crate calls it. The safety contract is documented on `Gpu`.
#![allow(unsafe_code)]

pub mod cmd;
pub mod code;
pub mod fault;
pub mod gpu;
pub mod handles;
pub mod kernel;
pub mod memory;
mod names;
pub mod packer;
pub mod reflect;
pub mod source;
pub mod spirv;
pub mod validation;
pub mod values;
pub mod wrap;

pub use ash;
pub use ash::vk::{Format, ImageUsageFlags as ImageUsage};
