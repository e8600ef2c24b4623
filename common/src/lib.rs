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
pub mod drive;
pub mod element;
pub mod host;
pub mod lab;
mod limits;
#[cfg(feature = "window")]
pub mod live;
pub mod measure;
pub mod self_test;
pub mod tamper;
pub mod trace;
mod tracy;
pub mod variant;

pub use cli::{NoArgs, run};
pub use isa;
pub use lab::{Lab, Moves, Pull, sliced};
pub use record;
pub use record::Shows;
pub use record::figures::{Figures, Share, Time};
pub use record::stats::Summary;
pub use report;
pub use variant::{Named, Rep, Variant};
pub use vulkan;
pub use vulkan::Format;
pub use vulkan::cmd::{Access, Access1, Cmd, Point, Queues, Scope, Scope1, Stage, Stage1, Usage};
pub use vulkan::gpu::{Gpu, OpenOptions};
pub use vulkan::handles::{Binding, Buffer, Buffers, Event, Events, Image, Images, Kernel, Queue, Set};
pub use vulkan::kernel::KernelBuilder;
pub use vulkan::memory::EventState;
pub use vulkan::values::{Extent, Shape, Workgroup};
