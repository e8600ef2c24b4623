//! Limits on the number of resident subgroups, and the unit in which they are counted.

use std::fmt;

use common::record::{DeviceFacts, Multiprocessors};

/// A limit on the number of resident subgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// Subgroups per SIMD.
    WavesPerSimd(u32),
    /// Thousandths of the possible number of subgroups.
    Occupancy(u32),
}

impl Limit {
    /// Suffix of a variant's name.
    pub fn suffix(self) -> String {
        match self {
            Self::WavesPerSimd(waves) => format!("_w{waves}"),
            Self::Occupancy(thousandths) => format!("_o{}", percent(thousandths)),
        }
    }

    /// The limit in workgroups per unit, where `most` fit.
    pub fn workgroups(self, most: u32, unit: Unit) -> u32 {
        let rounded = |a: u32, b: u32| (a + b / 2) / b.max(1);
        let wanted = match self {
            Self::WavesPerSimd(waves) => rounded(waves * unit.simds, unit.subgroups),
            Self::Occupancy(thousandths) => rounded(most * thousandths, 1000),
        };
        wanted.max(1)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WavesPerSimd(waves) => write!(f, "{waves} per SIMD"),
            Self::Occupancy(thousandths) => write!(f, "{} %", percent(*thousandths)),
        }
    }
}

/// Thousandths as percent, `50` or `12.5`.
fn percent(thousandths: u32) -> f64 {
    f64::from(thousandths) / 10.0
}

/// Parses an occupancy from the command line into thousandths.
///
/// # Errors
/// The text is not a number or out of range.
pub fn share(text: &str) -> Result<u32, String> {
    let share: Option<f64> = text.trim().parse().ok();
    let thousandths = share.and_then(|share| {
        (1..=1000).find(|&thousandths| (share * 1000.0 - f64::from(thousandths)).abs() <= 0.5)
    });
    thousandths.ok_or_else(|| format!("'{text}' is no occupancy: a share from 0.001 to 1 is, such as 0.5"))
}

/// The unit in which workgroups are counted: a multiprocessor, or the whole device if it does not report its
/// multiprocessors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Number of these units in the device.
    pub count: u32,
    /// SIMDs per unit.
    pub simds: u32,
    /// Subgroups per workgroup.
    pub subgroups: u32,
}

impl Unit {
    /// The unit for workgroups of `invocations` invocations.
    pub fn new(device: &DeviceFacts, invocations: u32) -> Self {
        let subgroups = invocations.div_ceil(device.subgroup_size.max(1));
        match device.multiprocessors {
            Some(Multiprocessors { count, simds, .. }) => {
                Self { count: count.max(1), simds: simds.max(1), subgroups }
            }
            None => Self { count: 1, simds: 1, subgroups },
        }
    }

    /// Workgroups per unit, rounded, for `workgroups` on the whole device.
    pub fn per_unit(self, workgroups: u32) -> u32 {
        (workgroups + self.count / 2) / self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_in_workgroups() {
        let unit = Unit { count: 132, simds: 4, subgroups: 2 };
        assert_eq!([1, 3, 5].map(|waves| Limit::WavesPerSimd(waves).workgroups(32, unit)), [2, 6, 10]);
        assert_eq!([1, 250, 1000].map(|share| Limit::Occupancy(share).workgroups(32, unit)), [1, 8, 32]);
        // All but one of 132 multiprocessors hold 32 workgroups.
        assert_eq!(unit.per_unit(132 * 32 - 7), 32);
    }
}
