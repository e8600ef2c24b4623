//! Computes how many waves and workgroups of a kernel fit on a compute unit (GCN) or a workgroup processor (RDNA) at
//! once.
//!
//! Either has four SIMDs. Each SIMD holds a limited number of waves, which share its vector registers and, on GCN,
//! its scalar registers in granules. The four SIMDs share the LDS. A workgroup starts only if all its waves fit at
//! once. The limits are in [`Chip`].

use std::fmt;

use serde::{Deserialize, Serialize};

use super::chip::{Chip, SIMDS, Unit};

/// The resources that a kernel uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Lanes of a wave.
    pub lanes: u32,
    /// Vector registers per lane.
    pub vgprs: u32,
    /// Scalar registers per wave.
    pub sgprs: u32,
    /// Bytes of LDS per workgroup.
    pub lds: u32,
    /// Invocations per workgroup.
    pub threads: u32,
}

/// The resource that limits the number of workgroups on a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Vector registers.
    Vgprs,
    /// Scalar registers.
    Sgprs,
    /// Shared memory.
    Lds,
    /// Slots for waves, whatever they use.
    Waves,
    /// Barriers for workgroups.
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

/// The waves and workgroups of a kernel that fit on a unit at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupancy {
    /// The unit on which the workgroups are counted.
    pub unit: Unit,
    /// Workgroups on the unit at once; 0 if not even one fits.
    pub groups: u32,
    /// The resources that allow no more workgroups.
    pub limits: Vec<Limit>,
    /// What the kernel has to give up for one more workgroup; `None` if less use of resources would not help.
    pub shed: Option<Reduction>,
    /// Waves of these workgroups on all SIMDs of the unit.
    pub waves: u32,
    /// Waves per SIMD by registers, LDS and slots alone, whether or not whole workgroups fit.
    pub waves_per_simd: u32,
}

/// The least resources that a kernel has to give up, all of them together, for one more workgroup on a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reduction {
    /// Vector registers per lane. The driver's figure, from which they are counted, is rounded up to the granule: up
    /// to a granule minus one fewer may suffice.
    pub vgprs: u32,
    /// Scalar registers per wave, with the same rounding.
    pub sgprs: u32,
    /// Bytes of LDS per workgroup.
    pub lds_bytes: u32,
}

/// A kernel on a chip, with the chip's registers for the kernel's wave length.
#[derive(Clone, Copy)]
struct Fit {
    chip: Chip,
    kernel: Use,
    /// Waves per workgroup.
    group: u32,
    vgprs: u32,
    vgpr_granule: u32,
}

impl Occupancy {
    /// Waves of whole workgroups per SIMD, averaged over the unit.
    #[must_use]
    pub fn waves_in_groups(&self) -> f64 {
        f64::from(self.waves) / f64::from(SIMDS)
    }

    /// The occupancy of a kernel on a chip.
    #[must_use]
    pub fn of(chip: Chip, kernel: Use) -> Self {
        let group = kernel.threads.div_ceil(kernel.lanes.max(1)).max(1);
        let (vgprs, vgpr_granule) = chip.vgprs_for(kernel.lanes);
        let fit = Fit { chip, kernel, group, vgprs, vgpr_granule };
        let (groups, limits) = fit.groups();
        let waves_per_simd = fit.waves();
        Self {
            unit: chip.unit,
            groups,
            limits,
            shed: fit.shed(groups + 1),
            waves: groups * group,
            waves_per_simd,
        }
    }
}

impl Fit {
    fn lds(&self) -> u32 {
        self.kernel.lds.next_multiple_of(self.chip.lds_granule)
    }

    /// Waves per SIMD that the vector registers allow.
    fn by_vgprs(&self) -> u32 {
        self.vgprs / self.kernel.vgprs.max(1).next_multiple_of(self.vgpr_granule)
    }

    /// Waves per SIMD that the scalar registers allow; `None` if they are not shared.
    fn by_sgprs(&self) -> Option<u32> {
        let granted = self.kernel.sgprs.max(1).next_multiple_of(self.chip.sgpr_granule);
        self.chip.sgprs.map(|sgprs| sgprs / granted)
    }

    fn groups_of(&self, waves: u32) -> u32 {
        SIMDS * waves.min(self.chip.waves) / self.group
    }

    fn groups(&self) -> (u32, Vec<Limit>) {
        let slots = self.groups_of(self.chip.waves);
        let limits = [
            (Limit::Vgprs, Some(self.groups_of(self.by_vgprs()))),
            (Limit::Sgprs, self.by_sgprs().map(|waves| self.groups_of(waves))),
            (Limit::Lds, self.chip.lds.checked_div(self.lds())),
            (Limit::Waves, Some(slots)),
            (Limit::Barriers, (self.group > 1).then_some(self.chip.barriers)),
        ];
        let groups = limits.iter().filter_map(|(_, most)| *most).min().unwrap_or(0);
        // Registers that allow as many waves as there are slots are not a limit.
        let short = |(limit, most): &(Limit, Option<u32>)| {
            let enough = matches!(limit, Limit::Vgprs | Limit::Sgprs) && groups == slots;
            (*most == Some(groups) && !enough).then_some(*limit)
        };
        (groups, limits.iter().filter_map(short).collect())
    }

    fn waves(&self) -> u32 {
        let of_a_wave = (self.lds() / self.group).max(1);
        let by_lds = (self.chip.lds / SIMDS).div_ceil(of_a_wave);
        let by_sgprs = self.by_sgprs().unwrap_or(self.chip.waves);
        self.by_vgprs().min(by_sgprs).min(self.chip.waves).min(by_lds)
    }

    /// The excess of the kernel's resources for this number of workgroups; `None` if slots or barriers do not
    /// suffice.
    fn shed(&self, groups: u32) -> Option<Reduction> {
        let waves = (groups * self.group).div_ceil(SIMDS);
        if waves > self.chip.waves || (self.group > 1 && groups > self.chip.barriers) {
            return None;
        }
        let most = |of: u32, granule: u32| of / waves / granule * granule;
        let sgprs = self.chip.sgprs.map_or(u32::MAX, |sgprs| most(sgprs, self.chip.sgpr_granule));
        let lds = self.chip.lds / groups / self.chip.lds_granule * self.chip.lds_granule;
        Some(Reduction {
            vgprs: self.kernel.vgprs.saturating_sub(most(self.vgprs, self.vgpr_granule)),
            sgprs: self.kernel.sgprs.saturating_sub(sgprs),
            lds_bytes: self.kernel.lds.saturating_sub(lds),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chip(name: &str) -> Chip {
        Chip::named(name).unwrap()
    }

    const LIGHT: Use = Use { lanes: 64, vgprs: 16, sgprs: 16, lds: 0, threads: 64 };

    fn groups(threads: u32, vgprs: u32, lds: u32) -> u32 {
        Occupancy::of(chip("TONGA"), Use { vgprs, lds, threads, ..LIGHT }).groups
    }

    /// Aaltonen, Optimizing GPU occupancy and resource usage with large thread groups, 2017.
    #[test]
    fn figures_of_the_article() {
        let kib = 1024;
        assert_eq!([32, 40, 48].map(|vgprs| groups(1024, vgprs, 0)), [2, 1, 1]);
        assert_eq!([32, 33].map(|lds| groups(1024, 32, lds * kib)), [2, 1]);
        assert_eq!(groups(512, 24, 0), 5);
    }

    /// realhet, Optimizing Groestl hash function in GCN ASM, part 1, 2015; and Optimizing HIP Assembly at 129.
    #[test]
    fn a_register_more_costs_a_wave() {
        let waves = |vgprs| Occupancy::of(chip("POLARIS10"), Use { vgprs, ..LIGHT }).waves_per_simd;
        assert_eq!([84, 85, 128, 129].map(waves), [3, 2, 2, 1]);
    }

    #[test]
    fn what_is_short_is_named() {
        let limits = |kernel| Occupancy::of(chip("POLARIS10"), kernel).limits;
        assert_eq!(limits(LIGHT), [Limit::Waves]);
        assert_eq!(limits(Use { vgprs: 40, ..LIGHT }), [Limit::Vgprs]);
        assert_eq!(limits(Use { sgprs: 102, ..LIGHT }), [Limit::Sgprs]);
        assert_eq!(limits(Use { lds: 32 * 1024, ..LIGHT }), [Limit::Lds]);
        assert_eq!(limits(Use { threads: 128, ..LIGHT }), [Limit::Waves, Limit::Barriers]);
        let both = Use { vgprs: 40, lds: 21 * 1024, threads: 512, ..LIGHT };
        assert_eq!(limits(both), [Limit::Vgprs, Limit::Lds]);
        // There are as many groups as slots: registers are not a limit.
        assert_eq!(limits(Use { vgprs: 36, threads: 768, ..LIGHT }), [Limit::Waves]);
    }

    #[test]
    fn only_whole_workgroups_have_waves() {
        let of = |kernel| {
            let occupancy = Occupancy::of(chip("POLARIS10"), kernel);
            (occupancy.waves_per_simd, occupancy.groups, occupancy.waves_in_groups())
        };
        // A SIMD has room for eight waves, and 64 KiB of LDS for three workgroups of eight.
        assert_eq!(of(Use { threads: 512, lds: 18 * 1024, ..LIGHT }), (8, 3, 6.0));
        assert_eq!(of(Use { lds: 20 * 1024, ..LIGHT }), (1, 3, 0.75));
        assert_eq!(of(Use { threads: 1024, vgprs: 68, ..LIGHT }), (3, 0, 0.0));
    }

    #[test]
    fn granules_round_up() {
        let of = |kernel| Occupancy::of(chip("VEGA10"), kernel);
        let kernel = Use { vgprs: 28, sgprs: 80, ..LIGHT };
        assert_eq!(of(kernel).waves_per_simd, 9);
        assert_eq!(of(Use { vgprs: 29, ..kernel }).waves_per_simd, 8);
        assert_eq!(of(Use { sgprs: 81, ..kernel }).waves_per_simd, 8);
        assert_eq!(of(Use { lds: 4096, ..kernel }).groups, 16);
        assert_eq!(of(Use { lds: 4097, ..kernel }).groups, 14);
    }

    #[test]
    fn a_group_that_does_not_fit_is_none() {
        assert_eq!(groups(1024, 65, 0), 0);
        assert_eq!(groups(64, 24, 65_537), 0);
    }

    #[test]
    fn rdna_shares_out_a_workgroup_processor() {
        let of = |name, kernel| {
            let occupancy = Occupancy::of(chip(name), kernel);
            assert_eq!(occupancy.unit, Unit::Wgp);
            (occupancy.waves_per_simd, occupancy.groups, occupancy.limits)
        };
        let kernel = Use { threads: 1024, vgprs: 32, lds: 32 * 1024, sgprs: 128, ..LIGHT };
        assert_eq!(of("NAVI10", kernel), (16, 4, vec![Limit::Vgprs, Limit::Lds]));
        assert_eq!(of("NAVI21", kernel), (16, 4, vec![Limit::Lds, Limit::Waves]));
        // 40 registers are rounded up to 48, a multiple of twelve; a SIMD has 768.
        assert_eq!(of("GFX1100", Use { vgprs: 40, lds: 0, ..kernel }), (16, 4, vec![Limit::Waves]));
        assert_eq!(of("NAVI21", Use { vgprs: 40, lds: 0, ..kernel }), (12, 3, vec![Limit::Vgprs]));
        // Waves of 32 have twice the registers, in granules twice as large, and the same number of slots.
        let short = Use { lanes: 32, vgprs: 72, lds: 0, ..kernel };
        assert_eq!(of("NAVI21", short), (12, 1, vec![Limit::Vgprs]));
        assert_eq!(of("NAVI21", Use { threads: 32, vgprs: 24, ..short }), (16, 64, vec![Limit::Waves]));
        assert_eq!(of("NAVI10", Use { threads: 64, vgprs: 24, ..short }), (20, 32, vec![Limit::Barriers]));
    }

    #[test]
    fn what_to_shed_is_what_one_more_group_needs() {
        let shed = |name, kernel| Occupancy::of(chip(name), kernel).shed;
        let fat = Use { threads: 1024, vgprs: 52, lds: 20 * 1024, ..LIGHT };
        assert_eq!(shed("VEGA10", fat), Some(Reduction { vgprs: 20, ..Reduction::default() }));
        let both = Use { lds: 33 * 1024, ..fat };
        assert_eq!(
            shed("VEGA10", both),
            Some(Reduction { vgprs: 20, lds_bytes: 1024, ..Reduction::default() })
        );
        assert_eq!(shed("VEGA10", Use { sgprs: 102, ..LIGHT }).map(|shed| shed.sgprs), Some(6));
        // Limits of slots and of barriers.
        assert_eq!(shed("POLARIS10", LIGHT), None);
        assert_eq!(shed("VEGA10", Use { threads: 128, ..LIGHT }), None);
        let navi = Use { vgprs: 40, ..fat };
        assert_eq!(shed("NAVI21", navi), Some(Reduction { vgprs: 8, ..Reduction::default() }));
    }

    /// The reduction allows one more group, and one register less does not.
    #[test]
    fn nothing_less_than_the_shed_will_do() {
        let mut tried = 0;
        for name in ["BONAIRE", "POLARIS10", "VEGA10", "NAVI10", "NAVI21", "GFX1100"] {
            let chip = chip(name);
            let lengths: &[u32] = if chip.unit == Unit::Wgp { &[32, 64] } else { &[64] };
            for &lanes in lengths {
                let kernels = (24..=256).step_by(4).flat_map(|vgprs| {
                    [64, 128, 256, 512, 1024].map(|threads| Use { lanes, vgprs, threads, ..LIGHT })
                });
                for kernel in kernels {
                    let occupancy = Occupancy::of(chip, kernel);
                    let Some(shed) = occupancy.shed else { continue };
                    let with =
                        |shed| Occupancy::of(chip, Use { vgprs: kernel.vgprs - shed, ..kernel }).groups;
                    assert_eq!((shed.sgprs, shed.lds_bytes), (0, 0), "{name} {kernel:?}");
                    assert!(with(shed.vgprs) > occupancy.groups, "{name} {kernel:?} {shed:?}");
                    assert_eq!(with(shed.vgprs - 1), occupancy.groups, "{name} {kernel:?} {shed:?}");
                    tried += 1;
                }
            }
        }
        assert!(tried > 1000, "{tried}");
    }
}
