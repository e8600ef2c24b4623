//! Hot Lap's framework. A sample declares ([`Lab`]), records ([`Cmd`]) and stops there; what is in
//! this crate opens the device, makes the objects, measures, checks and reports.
//!
//! Start with [`lab`] for what a sample can say, [`drive`] for what is done with it, and [`measure`]
//! for how a number is earned.

// Vulkan is a C interface: this is the one crate that may call it. The contract is on `Gpu`.
#![allow(unsafe_code)]
// Some functions serve the window alone; a build with the window still warns about dead code.
#![cfg_attr(not(feature = "window"), allow(dead_code))]

pub mod cli;
pub mod cmd;
mod code;
pub mod drive;
pub mod element;
pub mod fault;
pub mod gpu;
pub mod handles;
pub mod host;
pub mod kernel;
pub mod lab;
mod limits;
#[cfg(feature = "window")]
pub mod live;
pub mod measure;
pub mod memory;
pub mod packer;
pub mod reflect;
pub mod self_test;
pub mod source;
pub mod spirv;
pub mod tamper;
pub mod trace;
mod tracy;
pub mod validation;
pub mod values;
pub mod variant;
mod wrap;

pub use ash::vk::Format;
pub use cli::{NoArgs, run};
pub use cmd::{Access, Access1, Cmd, Point, Queues, Scope, Scope1, Stage, Stage1, Usage};
pub use gpu::{Gpu, OpenOptions};
pub use handles::{Binding, Buffer, Buffers, Event, Events, Image, Images, Kernel, Queue, Set};
pub use isa;
pub use lab::{Lab, Moves, Pull, sliced};
pub use memory::EventState;
pub use record;
pub use record::Shows;
pub use record::figures::{Figures, Share, Time};
pub use record::stats::Summary;
pub use report;
pub use values::{Extent, Shape, Workgroup};
pub use variant::{Named, Rep, Variant};
