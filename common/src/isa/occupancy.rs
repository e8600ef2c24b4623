//! How many waves and workgroups of a kernel fit on a compute unit of GCN at once.
//!
//! A compute unit has four SIMDs. Each holds up to ten waves of 64 lanes (eight on Polaris), and has 256
//! vector registers a lane and, up to Vega, a few hundred scalar registers, which its waves share out
//! between them in granules; the four share 64 KiB of LDS. A workgroup starts only where all its waves
//! fit at once.
//!
//! Source: AMD, Graphics Core Next Architecture, Generation 3, and Vega ISA documents (registers, LDS and
//! their granules); Mesa, src/amd/common/ac_gpu_info.c (waves a SIMD of each chip).

use std::fmt;

use serde::{Deserialize, Serialize};

/// SIMDs of a compute unit.
const SIMDS: u32 = 4;
/// Lanes of a wave.
const LANES: u32 = 64;
/// Vector registers of a lane of a SIMD.
const VGPRS: u32 = 256;
const VGPR_GRANULE: u32 = 4;
/// Bytes of LDS of a compute unit.
const LDS: u32 = 64 * 1024;
/// Workgroups of more than one wave that a compute unit can keep barriers for.
const BARRIERS: u32 = 16;

/// What a chip has where GCN's generations differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chip {
    /// Waves that a SIMD holds at most.
    pub waves: u32,
    /// Scalar registers of a SIMD.
    pub sgprs: u32,
    /// Scalar registers are granted in multiples of this.
    pub sgpr_granule: u32,
    /// Bytes of LDS are granted in multiples of this.
    pub lds_granule: u32,
}

const GFX7: Chip = Chip { waves: 10, sgprs: 512, sgpr_granule: 8, lds_granule: 512 };
const GFX8: Chip = Chip { sgprs: 800, sgpr_granule: 16, ..GFX7 };
const POLARIS: Chip = Chip { waves: 8, ..GFX8 };

/// The chips that are modelled, as Mesa calls them.
const CHIPS: [(&str, Chip); 20] = [
    ("BONAIRE", GFX7),
    ("KAVERI", GFX7),
    ("KABINI", GFX7),
    ("HAWAII", GFX7),
    ("TONGA", GFX8),
    ("ICELAND", GFX8),
    ("CARRIZO", GFX8),
    ("FIJI", GFX8),
    ("STONEY", GFX8),
    ("POLARIS10", POLARIS),
    ("POLARIS11", POLARIS),
    ("POLARIS12", POLARIS),
    ("VEGAM", POLARIS),
    ("VEGA10", GFX8),
    ("VEGA12", GFX8),
    ("VEGA20", GFX8),
    ("RAVEN", GFX8),
    ("RAVEN2", GFX8),
    ("RENOIR", GFX8),
    ("ARCTURUS", GFX8),
];

/// Later chips, which RADV compiles for and this model says nothing of.
const LATER: &str = "ALDEBARAN, NAVI10, NAVI14, NAVI21, NAVI22, NAVI24, VANGOGH, REMBRANDT";

impl Chip {
    /// The chip with Mesa's name for it; none where it is not of GCN.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        CHIPS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, chip)| *chip)
    }

    /// Names to choose from.
    pub(super) fn names() -> String {
        let names: Vec<&str> = CHIPS.iter().map(|(name, _)| *name).collect();
        format!("{}, {LATER}", names.join(", "))
    }
}

/// What a kernel takes of a compute unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Vector registers of a lane.
    pub vgprs: u32,
    /// Scalar registers of a wave.
    pub sgprs: u32,
    /// Bytes of LDS of a workgroup.
    pub lds: u32,
    /// Invocations of a workgroup.
    pub threads: u32,
}

/// What keeps more workgroups from a compute unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Vector registers.
    Vgprs,
    /// Scalar registers.
    Sgprs,
    /// Shared memory.
    Lds,
    /// Waves that a SIMD can hold, whatever they take.
    Waves,
    /// Workgroups that can have a barrier.
    Barriers,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Vgprs => "VGPRs",
            Self::Sgprs => "SGPRs",
            Self::Lds => "LDS",
            Self::Waves => "waves",
            Self::Barriers => "barriers",
        })
    }
}

/// How much of a compute unit's work fits at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupancy {
    /// Workgroups of a compute unit at once; 0 where not even one fits.
    pub groups_per_cu: u32,
    /// What allows no more of them: all that allow just as many.
    pub limits: Vec<Limit>,
    /// Waves of a SIMD by registers and LDS alone, as RADV's *Subgroups per SIMD* counts them: without
    /// regard to whether whole workgroups fit.
    pub waves_per_simd: u32,
}

impl Occupancy {
    /// Of a kernel on a chip.
    #[must_use]
    pub fn of(chip: Chip, kernel: Use) -> Self {
        let group = kernel.threads.div_ceil(LANES).max(1);
        let lds = kernel.lds.next_multiple_of(chip.lds_granule);
        let by_vgprs = VGPRS / kernel.vgprs.max(1).next_multiple_of(VGPR_GRANULE);
        let by_sgprs = chip.sgprs / kernel.sgprs.max(1).next_multiple_of(chip.sgpr_granule);
        let groups_of = |waves: u32| SIMDS * waves.min(chip.waves) / group;
        let limits = [
            (Limit::Waves, Some(groups_of(chip.waves))),
            (Limit::Vgprs, Some(groups_of(by_vgprs))),
            (Limit::Sgprs, Some(groups_of(by_sgprs))),
            (Limit::Lds, LDS.checked_div(lds)),
            (Limit::Barriers, (group > 1).then_some(BARRIERS)),
        ];
        let groups = limits.iter().filter_map(|(_, most)| *most).min().unwrap_or(0);
        // Registers that allow as many waves as there are slots are not what is short.
        let short = |(limit, most): &(Limit, Option<u32>)| {
            let slots = matches!(limit, Limit::Vgprs | Limit::Sgprs) && groups == groups_of(chip.waves);
            (*most == Some(groups) && !slots).then_some(*limit)
        };
        let mut limits: Vec<Limit> = limits.iter().filter_map(short).collect();
        limits.sort_unstable();
        let by_lds = (LDS / SIMDS).div_ceil((lds / group).max(1));
        let waves_per_simd = by_vgprs.min(by_sgprs).min(chip.waves).min(by_lds);
        Self { groups_per_cu: groups, limits, waves_per_simd }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(threads: u32, vgprs: u32, lds: u32) -> u32 {
        let kernel = Use { vgprs, sgprs: 16, lds, threads };
        Occupancy::of(GFX8, kernel).groups_per_cu
    }

    /// Aaltonen, Optimizing GPU occupancy and resource usage with large thread groups, 2017.
    #[test]
    fn figures_of_the_article() {
        let kib = 1024;
        assert_eq!([32, 40, 48].map(|vgprs| groups(1024, vgprs, 0)), [2, 1, 1]);
        assert_eq!([32, 33].map(|lds| groups(1024, 32, lds * kib)), [2, 1]);
        assert_eq!(groups(512, 24, 0), 5);
    }

    #[test]
    fn what_is_short_is_named() {
        let limits = |kernel| Occupancy::of(POLARIS, kernel).limits;
        let light = Use { vgprs: 16, sgprs: 16, lds: 0, threads: 64 };
        assert_eq!(limits(light), [Limit::Waves]);
        assert_eq!(limits(Use { vgprs: 40, ..light }), [Limit::Vgprs]);
        assert_eq!(limits(Use { sgprs: 102, ..light }), [Limit::Sgprs]);
        assert_eq!(limits(Use { lds: 32 * 1024, ..light }), [Limit::Lds]);
        assert_eq!(limits(Use { threads: 128, ..light }), [Limit::Waves, Limit::Barriers]);
        let both = Use { vgprs: 40, lds: 21 * 1024, threads: 512, ..light };
        assert_eq!(limits(both), [Limit::Vgprs, Limit::Lds]);
        // As many groups as there are slots for: registers are not what is short.
        assert_eq!(limits(Use { vgprs: 36, threads: 768, ..light }), [Limit::Waves]);
    }

    #[test]
    fn granules_round_up() {
        let of = |kernel| Occupancy::of(GFX8, kernel);
        let kernel = Use { vgprs: 28, sgprs: 80, lds: 0, threads: 64 };
        assert_eq!(of(kernel).waves_per_simd, 9);
        assert_eq!(of(Use { vgprs: 29, ..kernel }).waves_per_simd, 8);
        assert_eq!(of(Use { sgprs: 81, ..kernel }).waves_per_simd, 8);
        assert_eq!(of(Use { lds: 4096, ..kernel }).groups_per_cu, 16);
        assert_eq!(of(Use { lds: 4097, ..kernel }).groups_per_cu, 14);
    }

    #[test]
    fn a_group_that_does_not_fit_is_none() {
        assert_eq!(groups(1024, 65, 0), 0);
        assert_eq!(groups(64, 24, 65_537), 0);
    }

    #[test]
    fn chips_are_found_by_mesas_names() {
        assert_eq!(Chip::named("polaris10"), Some(POLARIS));
        assert_eq!(Chip::named("NAVI21"), None);
        assert!(Chip::names().contains("VEGA10") && Chip::names().contains("NAVI21"));
    }
}
