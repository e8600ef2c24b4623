//! How much unused shared memory limits the workgroups of a multiprocessor to how many.
//!
//! Vulkan tells neither the shared memory of a multiprocessor nor what a driver makes of it, so both are
//! inferred from counting: a kernel whose workgroups count how many of them are there at a time.

mod limit;
mod search;

use std::fmt;

use anyhow::{Result, bail};
use clap::value_parser;
use common::record::DeviceFacts;
use common::{Binding, Kernel, KernelBuilder, Lab};

pub use limit::{Limit, Shares, Unit};
pub use search::{Reached, Search, SharedMemory};

/// Loads after which a workgroup of a counting kernel stops waiting for others to start; the last of
/// thousands starts after some microseconds, which is far sooner.
const PATIENCE: u32 = 1000;
/// Workgroups that are started to be counted: more than any GPU holds at a time.
const GPU_WORKGROUPS: u32 = 16_384;
/// More than a CPU device has threads.
const CPU_WORKGROUPS: u32 = 256;
/// A count may come out too low, where a start is delayed, and never too high.
const COUNTS: u32 = 3;

/// What a user says of limits.
#[derive(clap::Args, Clone, Debug)]
pub struct Limits {
    /// Limits of the subgroups on a SIMD, comma-separated, each held by unused shared memory
    #[arg(long, value_name = "WAVES", value_delimiter = ',', value_parser = value_parser!(u32).range(1..=64))]
    waves_per_simd: Vec<u32>,
    /// The same as shares of the subgroups that there is room for, such as 0.5,1 or 0.25..1
    #[arg(
        long,
        value_name = "SHARE",
        value_delimiter = ',',
        allow_hyphen_values = true,
        conflicts_with = "waves_per_simd"
    )]
    occupancy: Vec<Shares>,
}

impl Limits {
    /// In rising order, each once; also for the record.
    ///
    /// # Errors
    /// Waves a SIMD on a device that does not tell its SIMDs.
    pub fn asked(&self, lab: &mut Lab) -> Result<Vec<Limit>> {
        if !self.waves_per_simd.is_empty() && lab.device().multiprocessors.is_none() {
            bail!(
                "{} does not tell how many SIMDs it has, so --waves-per-simd cannot be counted; take --occupancy, \
                 which is relative to the most workgroups that are counted",
                lab.device().name
            );
        }
        let waves = self.waves_per_simd.iter().map(|&waves| Limit::WavesPerSimd(waves));
        let shares =
            self.occupancy.iter().flat_map(|Shares(shares)| shares).map(|&share| Limit::Occupancy(share));
        let mut limits: Vec<Limit> = waves.chain(shares).collect();
        limits.sort();
        limits.dedup();
        if !limits.is_empty() {
            lab.report.setting("limits", limits.iter().map(Limit::to_string).collect::<Vec<_>>().join(", "));
        }
        Ok(limits)
    }
}

/// The kernel with so many bytes of shared memory a workgroup that it holds and does not use; it takes
/// `PADDED` and `PADDING_WORDS`.
pub fn padded(kernel: KernelBuilder<'_>, bytes: u32) -> KernelBuilder<'_> {
    match bytes {
        0 => kernel,
        _ => kernel.define("PADDED").constant("PADDING_WORDS", bytes / 4).shared_bytes(bytes.into()),
    }
}

/// The kernel as it counts its workgroups; it takes `COUNT_RESIDENT`.
pub fn counting(kernel: KernelBuilder<'_>) -> KernelBuilder<'_> {
    kernel.define("COUNT_RESIDENT").constant("PATIENCE", PATIENCE).constant("MOST_LOADS", 10 * PATIENCE)
}

/// Counts how many workgroups of a [`counting`] kernel are on the device at a time. It has its counters behind
/// `bindings`.
///
/// # Errors
/// A kernel that the device cannot have; whatever a submit can meet.
pub fn count(lab: &mut Lab, kernel: Kernel, bindings: [Binding; 2], push: [u32; 3]) -> Result<u32> {
    let groups = if lab.device().is_cpu() { CPU_WORKGROUPS } else { GPU_WORKGROUPS };
    let mut most = 0;
    for _ in 0..COUNTS {
        let counters = lab.tally("workgroups at a time", 2, |cmd, counters| {
            let [input, output] = bindings;
            cmd.dispatch(kernel, &[input, output, counters.into()], &push, [groups, 1, 1]);
        })?;
        most = most.max(counters[1]);
    }
    Ok(most)
}

/// How far a limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// What the user wants.
    pub limit: Limit,
    /// What is counted.
    pub unit: Unit,
    /// Workgroups without any padding.
    pub room: u32,
    /// With the padding that comes nearest.
    pub reached: Reached,
    /// What it is computed from; `None` where padding limits nothing.
    pub memory: Option<SharedMemory>,
}

impl Held {
    /// Searches for the padding that comes nearest to `limit`.
    ///
    /// # Errors
    /// Those of counting.
    pub fn new<F: FnMut(u32) -> Result<u32>>(
        limit: Limit,
        unit: Unit,
        search: &mut Search<F>,
        memory: Option<SharedMemory>,
    ) -> Result<Self> {
        let room = search.counted(0)?;
        let wanted = limit.workgroups(room, unit);
        let reached = search.reach(wanted, memory.map_or(0, |memory| memory.padding(wanted)))?;
        Ok(Self { limit, unit, room, reached, memory })
    }

    /// What the shared memory should hold, were it one pool for all kernels.
    fn computed(&self) -> Option<u32> {
        Some(self.memory?.workgroups(self.reached.padding).min(self.room))
    }

    /// Nothing came of it: as many workgroups as without a limit, where fewer were asked for.
    pub fn in_vain(&self) -> Option<String> {
        let fewer = self.limit.workgroups(self.room, self.unit) < self.room;
        (fewer && self.reached.workgroups >= self.room)
            .then(|| "no padding limits the workgroups at a time here".into())
    }

    /// Whether it is held exactly, in the unit that the user counts in.
    fn is_met(&self) -> bool {
        let workgroups = self.reached.workgroups;
        match self.limit {
            Limit::WavesPerSimd(waves) => workgroups * self.unit.subgroups == waves * self.unit.simds,
            Limit::Occupancy(_) => workgroups == self.limit.workgroups(self.room, self.unit),
        }
    }

    /// Workgroups in the unit that the user counts in.
    fn shown(&self, workgroups: u32) -> String {
        let (subgroups, room) = (f64::from(workgroups * self.unit.subgroups), f64::from(self.room.max(1)));
        match self.limit {
            Limit::WavesPerSimd(_) => format!("{:.2} a SIMD", subgroups / f64::from(self.unit.simds)),
            Limit::Occupancy(_) => format!("{:.0} %", 100.0 * f64::from(workgroups) / room),
        }
    }
}

/// `512 bytes of padding, computed 5.00 a SIMD, counted 5.00 a SIMD (20 of 32 workgroups)`. A driver may
/// size the shared memory of a multiprocessor by the kernel, as NVIDIA's does: both figures are given then.
impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reached { padding, workgroups } = self.reached;
        match (padding, self.computed()) {
            (0, _) => write!(f, "without padding, ")?,
            (_, None) => write!(f, "{padding} bytes of padding limit nothing: ")?,
            (_, Some(n)) => write!(f, "{padding} bytes of padding, computed {}, ", self.shown(n))?,
        }
        write!(f, "counted {} ({workgroups} of {} workgroups)", self.shown(workgroups), self.room)?;
        if !self.is_met() {
            write!(f, ", the nearest that padding reaches")?;
        }
        match (padding, self.memory) {
            (1.., Some(memory)) if self.computed() != Some(workgroups) => {
                write!(f, "; not one pool of {} KiB, then, from which it is computed", memory.bytes / 1024)
            }
            _ => Ok(()),
        }
    }
}

/// The shared memory behind workgroups, inferred once for all kernels of a device.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inferred(Option<Option<SharedMemory>>);

impl Inferred {
    /// Searches, for kernels with so many invocations a workgroup, the paddings that come nearest to
    /// `limits`; `count` tells how many workgroups are on the device under a padding of so many bytes.
    ///
    /// # Errors
    /// Those of counting.
    pub fn hold(
        &mut self,
        facts: &DeviceFacts,
        limits: &[Limit],
        invocations: u32,
        mut count: impl FnMut(u32) -> Result<u32>,
    ) -> Result<Vec<Held>> {
        let unit = Unit::new(facts, invocations);
        let counted = |padding| count(padding).map(|workgroups| unit.share(workgroups));
        let mut search = Search::new(facts.max_shared_memory, counted);
        let memory = match self.0 {
            Some(known) => known,
            None => *self.0.insert(search.shared_memory(facts.vendor_id)?),
        };
        limits.iter().map(|&limit| Held::new(limit, unit, &mut search, memory)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::search::tests::counting;
    use super::*;

    const KIB: u32 = 1024;
    const NVIDIA: u32 = 0x10de;

    #[test]
    fn what_is_said_of_a_limit_that_is_not_held() {
        let unit = Unit { count: 132, simds: 4, subgroups: 8 };
        let memory = Some(SharedMemory { bytes: 56 * KIB, reserved: KIB });
        let held = |limit, padding, workgroups| {
            let reached = Reached { padding, workgroups };
            Held { limit, unit, room: 6, reached, memory }
        };
        // Three waves a SIMD are one and a half workgroups.
        assert_eq!(
            held(Limit::WavesPerSimd(3), 24 * KIB, 2).to_string(),
            "24576 bytes of padding, computed 4.00 a SIMD, counted 4.00 a SIMD (2 of 6 workgroups), the nearest that padding reaches"
        );
        assert_eq!(
            held(Limit::WavesPerSimd(6), 24 * KIB, 3).to_string(),
            "24576 bytes of padding, computed 4.00 a SIMD, counted 6.00 a SIMD (3 of 6 workgroups); not one pool of 56 KiB, then, from which it is computed"
        );
        assert_eq!(held(Limit::WavesPerSimd(6), 24 * KIB, 3).in_vain(), None);
        assert!(held(Limit::WavesPerSimd(6), 24 * KIB, 6).in_vain().is_some());
        assert_eq!(held(Limit::WavesPerSimd(12), 0, 6).in_vain(), None);
    }

    #[test]
    fn what_is_said_of_a_limit() {
        let mut asked = 0;
        let mut search = Search::new(48 * KIB, counting(228 * KIB, KIB, 32, &mut asked));
        let memory = search.shared_memory(NVIDIA).unwrap();
        let unit = Unit { count: 132, simds: 4, subgroups: 1 };
        let mut said = |limit| Held::new(limit, unit, &mut search, memory).unwrap().to_string();
        assert_eq!(
            said(Limit::WavesPerSimd(5)),
            "10240 bytes of padding, computed 5.00 a SIMD, counted 5.00 a SIMD (20 of 32 workgroups)"
        );
        assert_eq!(
            said(Limit::WavesPerSimd(9)),
            "without padding, counted 8.00 a SIMD (32 of 32 workgroups), the nearest that padding reaches"
        );
        let mut search = Search::new(32 * KIB, |_| Ok(2));
        let unit = Unit { count: 1, simds: 1, subgroups: 8 };
        assert_eq!(
            Held::new(Limit::Occupancy(500), unit, &mut search, None).unwrap().to_string(),
            "32768 bytes of padding limit nothing: counted 100 % (2 of 2 workgroups), the nearest that padding reaches"
        );
    }
}
