//! The device: its memory, its kernels, and recordings as data.
//!
//! ```text
//! shaders/ ── source ─▶ spirv ─▶ kernel ─┐
//!                                        ├─ gpu: a device with all that is made on it
//! a sample's closure ── cmd: Script ─────┘
//! ```

// Vulkan is a C interface: this crate alone calls it. The contract is on `Gpu`.
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
pub use ash::vk::Format;
