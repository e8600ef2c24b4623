//! Hot Lap's framework, as a sample uses it. A sample declares a [`Lab`] and lists its commands ([`Cmd`]). The
//! crates below this one open the device, create the objects, measure, check and report.

mod cli;

pub use bench::counter::Counter;
pub use bench::drive::session::BadNotes;
pub use bench::host;
pub use bench::lab::{BufferSet, ImageSet, Lab, Pull, Simulation, sliced};
pub use bench::sample;
pub use bench::variant::{COHERENT_STORES, LONGEST_LABEL, Pass, Reliance, Rep, Tile, Variant};
pub use bench::{element, lab};
pub use cli::{NoArgs, run};
pub use isa;
pub use record;
pub use record::figures::{Figures, Share, Time};
pub use record::stats::Summary;
pub use record::{Declared, Headline, Holds, Promise, Value};
pub use report;
pub use vulkan;
pub use vulkan::cmd::{
    Access, Access1, Attachment, Cmd, ImageLayout, LoadOp, Point, Queues, RenderPass, Scope, Scope1, Stage,
    Stage1, Usage, stage_name,
};
pub use vulkan::gpu::{Gpu, OpenOptions, QueuePlace};
pub use vulkan::handles::{Binding, Buffer, Buffers, Event, Events, Image, Images, Kernel, Queue, Set};
pub use vulkan::kernel::KernelBuilder;
pub use vulkan::memory::EventState;
pub use vulkan::values::{Extent, Shape, Workgroup};
pub use vulkan::{Format, ImageUsage};
