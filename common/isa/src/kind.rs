//! Classifies a driver's statistics by their names.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kinds of figures that tables show first, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Registers per invocation or subgroup.
    Registers,
    /// Registers kept in memory for lack of room.
    Spills,
    /// Memory that a workgroup shares.
    SharedMemory,
    /// Size of the machine code.
    CodeSize,
    /// Instructions.
    Instructions,
    /// Subgroups or workgroups that run at the same time.
    Occupancy,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Registers => "registers",
            Self::Spills => "spills",
            Self::SharedMemory => "shared memory",
            Self::CodeSize => "code size",
            Self::Instructions => "instruction counts",
            Self::Occupancy => "occupancy",
        })
    }
}

/// Substrings of names; the first match decides. NVIDIA's "Local Memory Size" is the memory for spills.
const NAMES: [(Kind, &[&str]); 6] = [
    (Kind::Spills, &["spill", "fill", "scratch", "local memory", "stack"]),
    (Kind::SharedMemory, &["shared", "workgroup memory", "lds size", "slm"]),
    (Kind::CodeSize, &["binary size", "code size"]),
    (Kind::Instructions, &["instruction"]),
    (Kind::Occupancy, &["subgroups per simd", "occupancy", "max waves", "thread count", "warps"]),
    (Kind::Registers, &["gpr", "register"]),
];

impl Kind {
    /// The kind of a statistic with this name; `None` if it is unknown.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        let fits = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        NAMES.iter().find(|(_, parts)| fits(parts)).map(|(kind, _)| *kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_names_are_known() {
        for (name, kind) in [
            ("Register Count", Kind::Registers),
            ("VGPRs", Kind::Registers),
            ("Spilled VGPRs", Kind::Spills),
            ("Local Memory Size", Kind::Spills),
            ("Fill Count", Kind::Spills),
            ("Shared Memory Size", Kind::SharedMemory),
            ("LDS size", Kind::SharedMemory),
            ("Workgroup Memory Size", Kind::SharedMemory),
            ("Binary Size", Kind::CodeSize),
            ("Code size", Kind::CodeSize),
            ("Instruction Count", Kind::Instructions),
            ("Subgroups per SIMD", Kind::Occupancy),
        ] {
            assert_eq!(Kind::of(name), Some(kind), "{name}");
        }
        assert_eq!(["Cycle Count", "Inverse Throughput"].map(Kind::of), [None; 2]);
    }
}
