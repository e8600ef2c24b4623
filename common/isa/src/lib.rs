//! What compilers make of a sample's kernels: that of the device in use by what its driver says of pipelines, and
//! those of chips that are not here: Mesa's RADV opens a device without hardware for any AMD chip,
//! compiles for it, and tells registers and machine code.
//!
//! ```text
//! sample ── kernels on its standard input ──▶ child, one a chip, RADV_FORCE_FAMILY=CHIP
//!        ◀── statistics and machine code, a line a kernel ──
//! ```
//!
//! A child for each chip because RADV reads the chip's name once, and because a name that it does not
//! know, or a kernel that its compiler cannot take, ends the process.

mod child;
mod chip;
mod count;
pub mod diff;
mod executable;
mod kind;
mod occupancy;
mod pair;
mod radv;
mod report;
mod target;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use chip::{Chip, INSTRUCTION_CACHE, Unit};
pub use count::{Counts, count};
pub use executable::{Executable, Statistic, Value};
pub use kind::Kind;
pub use occupancy::{Limit, Occupancy, Reduction, Use};
pub use pair::CodePair;
pub use report::{ChipCode, CodeReport, Compiled, KernelCode, Outcome, Reported, SCHEMA, VariantCode};
pub use target::Target;

pub use child::{ARGUMENT, Answer};
pub use radv::compile;

/// A kernel as a compiler takes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// For messages.
    pub name: String,
    /// Its code.
    pub spirv: Vec<u32>,
    /// Specialisation constants by id.
    pub constants: BTreeMap<u32, u32>,
    /// `VkDescriptorType` of each binding.
    pub bindings: Vec<i32>,
    /// Bytes of its push constants.
    pub push_bytes: u32,
}

/// A line of a child's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Line {
    /// The device is open; the kernels follow in the order in which they were sent.
    Device {
        /// What it is called.
        name: String,
        /// Its driver, with the version.
        driver: String,
    },
    /// What became of a kernel.
    Kernel(Executable),
    /// The kernel asks for what the chip does not have.
    Refused(String),
    /// Nothing more will come.
    Failed(String),
}
