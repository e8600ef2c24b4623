//! Limits the occupancy by unused shared memory.
//!
//! Vulkan reports neither the shared memory of a multiprocessor nor how a driver allocates it. So paddings are
//! tried on the device: a kernel counts how many of its workgroups are resident at once.

mod limit;
mod search;

use std::fmt;

use anyhow::{Result, bail};
use clap::value_parser;
use common::Lab;

use limit::share;
pub use limit::{Limit, Unit};
pub use search::reach;

/// What a user says of limits.
#[derive(clap::Args, Clone, Debug)]
pub struct Limits {
    /// Limits of the subgroups on a SIMD, comma-separated
    ///
    /// Each is met by unused shared memory.
    #[arg(long, value_name = "WAVES", value_delimiter = ',', value_parser = value_parser!(u32).range(1..=64))]
    waves_per_simd: Vec<u32>,
    /// The same as shares of the most that fit (0.5,1)
    #[arg(
        long,
        value_name = "SHARE",
        value_delimiter = ',',
        value_parser = share,
        allow_hyphen_values = true,
        conflicts_with = "waves_per_simd"
    )]
    occupancy: Vec<u32>,
}

impl Limits {
    /// The requested limits in rising order, without duplicates. Also put into the record.
    ///
    /// # Errors
    /// The limit is in waves per SIMD, and the device does not report its SIMDs.
    pub fn asked(&self, lab: &mut Lab) -> Result<Vec<Limit>> {
        if !self.waves_per_simd.is_empty() && lab.device().multiprocessors.is_none() {
            bail!(
                "{} does not tell how many SIMDs it has, so --waves-per-simd cannot be counted; take --occupancy, \
                 which is relative to the most workgroups that are counted",
                lab.device().name
            );
        }
        let waves = self.waves_per_simd.iter().map(|&waves| Limit::WavesPerSimd(waves));
        let shares = self.occupancy.iter().map(|&share| Limit::Occupancy(share));
        let mut limits: Vec<Limit> = waves.chain(shares).collect();
        limits.sort();
        limits.dedup();
        if !limits.is_empty() {
            lab.report.setting("limits", limits.iter().map(Limit::to_string).collect::<Vec<_>>().join(", "));
        }
        Ok(limits)
    }
}

/// A limit, and how closely padding reaches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The requested limit.
    pub limit: Limit,
    /// The unit of counting.
    pub unit: Unit,
    /// Resident workgroups without padding.
    pub most_resident: u32,
    /// Padding per workgroup in bytes that comes nearest to the limit.
    pub padding: u32,
    /// Resident workgroups with this padding.
    pub workgroups: u32,
}

impl Reached {
    /// Why the limit has no effect: fewer workgroups were requested, but as many as without a limit are resident.
    pub fn no_effect(&self) -> Option<String> {
        let fewer = self.limit.workgroups(self.most_resident, self.unit) < self.most_resident;
        (fewer && self.workgroups >= self.most_resident)
            .then(|| "no padding limits the workgroups at a time here".into())
    }

    /// Whether the limit is met exactly in the user's unit.
    fn is_met(&self) -> bool {
        let workgroups = self.workgroups;
        match self.limit {
            Limit::WavesPerSimd(waves) => workgroups * self.unit.subgroups == waves * self.unit.simds,
            Limit::Occupancy(_) => workgroups == self.limit.workgroups(self.most_resident, self.unit),
        }
    }
}

/// `512 bytes of padding, counted 5.00 per SIMD (20 of 32 workgroups)`.
impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { padding, workgroups, most_resident, .. } = *self;
        let counted = match self.limit {
            Limit::WavesPerSimd(_) => {
                let subgroups = f64::from(workgroups * self.unit.subgroups);
                format!("{:.2} per SIMD", subgroups / f64::from(self.unit.simds))
            }
            Limit::Occupancy(_) => {
                format!("{:.0} %", 100.0 * f64::from(workgroups) / f64::from(most_resident.max(1)))
            }
        };
        let nearest = if self.is_met() { "" } else { ", the nearest that padding reaches" };
        write!(
            f,
            "{padding} bytes of padding, counted {counted} ({workgroups} of {most_resident} workgroups){nearest}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_limit() {
        let unit = Unit { count: 132, simds: 4, subgroups: 8 };
        let reached =
            |limit, padding, workgroups| Reached { limit, unit, most_resident: 6, padding, workgroups };
        // Three waves per SIMD are one and a half workgroups.
        assert_eq!(
            reached(Limit::WavesPerSimd(3), 24_576, 2).to_string(),
            "24576 bytes of padding, counted 4.00 per SIMD (2 of 6 workgroups), the nearest that padding reaches"
        );
        assert_eq!(
            reached(Limit::Occupancy(500), 16_384, 3).to_string(),
            "16384 bytes of padding, counted 50 % (3 of 6 workgroups)"
        );
        let no_effect = [(6, 3), (6, 6), (12, 6)].map(|(waves, workgroups)| {
            reached(Limit::WavesPerSimd(waves), 0, workgroups).no_effect().is_some()
        });
        assert_eq!(no_effect, [false, true, false]);
    }
}
