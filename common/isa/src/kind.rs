//! What a driver's statistic is about, told from its name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What tables show first of the many figures that drivers have, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Registers of an invocation, or of a subgroup.
    Registers,
    /// What registers had no room for.
    Spills,
    /// Memory that a workgroup shares.
    SharedMemory,
    /// Size of the machine code.
    CodeSize,
    /// Instructions.
    Instructions,
    /// Subgroups or workgroups at once.
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

/// Parts of names, the first that fits decides: NVIDIA's "Local Memory Size" is where it spills to.
const NAMES: [(Kind, &[&str]); 6] = [
    (Kind::Spills, &["spill", "fill", "scratch", "local memory", "stack"]),
    (Kind::SharedMemory, &["shared", "workgroup memory", "lds size", "slm"]),
    (Kind::CodeSize, &["binary size", "code size"]),
    (Kind::Instructions, &["instruction"]),
    (Kind::Occupancy, &["subgroups per simd", "occupancy", "max waves", "thread count", "warps"]),
    (Kind::Registers, &["gpr", "register"]),
];

impl Kind {
    /// None where the name says nothing to this program.
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
