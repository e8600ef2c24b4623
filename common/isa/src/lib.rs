//! Statistics of compiled kernels: as the driver of the current device reports them, or compiled offline for other
//! AMD chips. Mesa's RADV can open a device without hardware for any AMD chip, compile for it, and report registers
//! and machine code.
//!
//! ```text
//! sample ── kernels on its standard input ──▶ child, one per chip, RADV_FORCE_FAMILY=CHIP
//!        ◀── statistics and machine code, one line per kernel ──
//! ```
//!
//! Each chip needs a child process because RADV reads the chip's name only once, and because an unknown name, or a
//! kernel that its compiler rejects, ends the process.

mod child;
mod chip;
mod count;
pub mod diff;
mod executable;
mod kind;
mod nvidia;
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
pub use nvidia::{MachineCode, Sass, SassCounts, keeps_machine_code, machine_code, sass};
pub use occupancy::{Limit, Occupancy, Reduction, Use};
pub use pair::CodePair;
pub use report::{ChipCode, CodeReport, Compiled, KernelCode, Outcome, Reported, SCHEMA, VariantCode};
pub use target::Target;

pub use child::{ARGUMENT, Answer};
pub use radv::compile;

/// The input of a compiler: a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its name, for messages.
    pub name: String,
    /// Its SPIR-V code.
    pub spirv: Vec<u32>,
    /// Specialisation constants by id.
    pub constants: BTreeMap<u32, u32>,
    /// `VkDescriptorType` of each binding.
    pub bindings: Vec<i32>,
    /// Size of its push constants in bytes.
    pub push_bytes: u32,
}

/// A line of a child's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Line {
    /// The device is open; the kernels follow in the order of the request.
    Device {
        /// Name of the device.
        name: String,
        /// Its driver, with the version.
        driver: String,
    },
    /// A compiled kernel.
    Kernel(Executable),
    /// The kernel requires something that the chip lacks.
    Refused(String),
    /// An error; no further lines follow.
    Failed(String),
}
