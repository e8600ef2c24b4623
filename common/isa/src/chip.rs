//! The resources of AMD's chips that the waves and workgroups of a kernel share.
//!
//! Sources: AMD, Graphics Core Next Architecture, Generation 3, Vega, RDNA 1, 2 and 3 ISA documents (registers, LDS
//! and their granules); Mesa, `src/amd/common/ac_gpu_info.c` and `src/amd/vulkan/radv_shader.c` (waves per SIMD and
//! registers of each chip; compute runs in WGP mode); LLVM, `lib/Target/AMDGPU/Utils/AMDGPUBaseInfo.cpp` (barriers,
//! waves per SIMD in wave32 and wave64). Figures that affect RADV's *Subgroups per SIMD* are tested against it
//! (`samples/tests/gcn/model.rs`).

use std::fmt;

use serde::{Deserialize, Serialize};

/// Size of the instruction cache in bytes. Up to four compute units share one on GCN and CDNA; on RDNA the two
/// compute units of a workgroup processor do.
pub const INSTRUCTION_CACHE: u32 = 32 * 1024;

/// SIMDs of a [`Unit`], whether it is a compute unit or a workgroup processor.
pub(super) const SIMDS: u32 = 4;

/// Lanes of a wave on GCN, and of a long wave on RDNA.
const LANES: u32 = 64;

/// The hardware unit on which all waves of a workgroup run and whose resources they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A compute unit: four SIMDs of 16 lanes, 64 KiB of LDS.
    Cu,
    /// A workgroup processor of RDNA: four SIMDs of 32 lanes, 128 KiB of LDS. RADV compiles kernels to use both of
    /// its compute units.
    Wgp,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cu => "CU",
            Self::Wgp => "WGP",
        })
    }
}

/// The resources of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chip {
    /// Where a workgroup runs.
    pub unit: Unit,
    /// Most waves of a SIMD, whatever their length.
    pub waves: u32,
    /// Vector registers per lane of a SIMD, for waves of 64.
    pub vgprs: u32,
    /// Allocation granule of vector registers, for waves of 64.
    pub vgpr_granule: u32,
    /// Scalar registers of a SIMD; `None` if each wave has as many as an instruction can name.
    pub sgprs: Option<u32>,
    /// Allocation granule of scalar registers.
    pub sgpr_granule: u32,
    /// Bytes of LDS per unit.
    pub lds: u32,
    /// Allocation granule of LDS in bytes.
    pub lds_granule: u32,
    /// Most workgroups of more than one wave per unit: each needs a barrier.
    pub barriers: u32,
    /// Whether `glc` on stores shows which of them are coherent.
    pub marks_stores: bool,
}

const GFX7: Chip = Chip {
    unit: Unit::Cu,
    waves: 10,
    vgprs: 256,
    vgpr_granule: 4,
    sgprs: Some(512),
    sgpr_granule: 8,
    lds: 64 * 1024,
    lds_granule: 512,
    barriers: 16,
    marks_stores: true,
};
const GFX8: Chip = Chip { sgprs: Some(800), sgpr_granule: 16, ..GFX7 };
const POLARIS: Chip = Chip { waves: 8, ..GFX8 };
const RDNA1: Chip = Chip {
    unit: Unit::Wgp,
    waves: 20,
    vgprs: 512,
    vgpr_granule: 4,
    sgprs: None,
    sgpr_granule: 1,
    lds: 128 * 1024,
    lds_granule: 512,
    barriers: 32,
    marks_stores: true,
};
const RDNA2: Chip = Chip { waves: 16, vgpr_granule: 8, lds_granule: 1024, ..RDNA1 };
const RDNA3: Chip = Chip { marks_stores: false, ..RDNA2 };
const RDNA3_LARGE: Chip = Chip { vgprs: 768, vgpr_granule: 12, ..RDNA3 };

/// The chips that are modelled, by Mesa's names.
const CHIPS: [(Chip, &[&str]); 8] = [
    (GFX7, &["BONAIRE", "KAVERI", "KABINI", "HAWAII"]),
    (GFX8, &["TONGA", "ICELAND", "CARRIZO", "FIJI", "STONEY"]),
    (POLARIS, &["POLARIS10", "POLARIS11", "POLARIS12", "VEGAM"]),
    (GFX8, &["VEGA10", "VEGA12", "VEGA20", "RAVEN", "RAVEN2", "RENOIR", "ARCTURUS"]),
    (RDNA1, &["NAVI10", "NAVI14"]),
    (RDNA2, &["NAVI21", "NAVI22", "NAVI24", "VANGOGH", "REMBRANDT"]),
    (RDNA3_LARGE, &["GFX1100", "GFX1101"]),
    (RDNA3, &["GFX1102"]),
];

/// RADV compiles for this chip, but counts registers and waves as for a Vega (22.3.6: 256 registers and ten waves
/// per SIMD; LLVM: 512 and eight), so no model can agree with both.
const UNMODELLED: &str = "ALDEBARAN";

impl Chip {
    /// The chip with this name in Mesa; `None` if it is not modelled.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let is_one = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        CHIPS.iter().find(|(_, names)| is_one(names)).map(|(chip, _)| *chip)
    }

    /// The names that users can choose from.
    pub(super) fn names() -> String {
        let names: Vec<&str> = CHIPS.iter().flat_map(|(_, names)| *names).copied().collect();
        format!("{}, {UNMODELLED}", names.join(", "))
    }

    /// Vector registers per lane of a SIMD and their granule, for waves of `lanes` lanes. On RDNA, waves with half
    /// the lanes have twice the registers.
    #[must_use]
    pub fn vgprs_for(self, lanes: u32) -> (u32, u32) {
        let more = if self.unit == Unit::Wgp { (LANES / lanes.max(1)).max(1) } else { 1 };
        (self.vgprs * more, self.vgpr_granule * more)
    }

    /// Converts RADV's *Subgroups per SIMD* of a kernel to waves per SIMD. On RDNA, Mesa 22.3.6 counts a wave of 64
    /// as two, and allows a SIMD twice as many waves of 32 as it has slots.
    #[must_use]
    pub fn waves_of(self, subgroups_per_simd: u64, lanes: u32) -> u64 {
        match self.unit {
            Unit::Cu => subgroups_per_simd,
            Unit::Wgp => (subgroups_per_simd / u64::from(lanes / 32).max(1)).min(self.waves.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_are_found_by_mesas_names() {
        assert_eq!(Chip::named("polaris10"), Some(POLARIS));
        assert_eq!(Chip::named("Navi21"), Some(RDNA2));
        assert_eq!(Chip::named(UNMODELLED), None);
        assert!(Chip::names().contains("VEGA10") && Chip::names().contains("ALDEBARAN"));
    }

    #[test]
    fn the_drivers_figure_is_read_in_waves() {
        assert_eq!(POLARIS.waves_of(8, 64), 8);
        assert_eq!([40, 36, 2].map(|figure| RDNA1.waves_of(figure, 64)), [20, 18, 1]);
        assert_eq!([40, 20, 15].map(|figure| RDNA1.waves_of(figure, 32)), [20, 20, 15]);
        assert_eq!([32, 13].map(|figure| RDNA2.waves_of(figure, 32)), [16, 13]);
    }

    #[test]
    fn shorter_waves_have_more_registers() {
        assert_eq!((RDNA2.vgprs_for(64), RDNA2.vgprs_for(32)), ((512, 8), (1024, 16)));
        assert_eq!((RDNA3_LARGE.vgprs_for(64), RDNA3_LARGE.vgprs_for(32)), ((768, 12), (1536, 24)));
        assert_eq!(GFX8.vgprs_for(64), (256, 4));
    }
}
