//! How many subgroups a user wants at a time, and in what they are counted.

use std::fmt;

use common::record::{DeviceFacts, Multiprocessors};

/// How many subgroups a user wants at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// So many on each unit that issues instructions.
    WavesPerSimd(u32),
    /// So many thousandths of what there is room for.
    Occupancy(u32),
}

impl Limit {
    /// What it adds to a variant's name.
    pub fn suffix(self) -> String {
        match self {
            Self::WavesPerSimd(waves) => format!("_w{waves}"),
            Self::Occupancy(thousandths) => format!("_o{}", percent(thousandths)),
        }
    }

    /// Workgroups at a time where there is room for `most`.
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
            Self::WavesPerSimd(waves) => write!(f, "{waves} a SIMD"),
            Self::Occupancy(thousandths) => write!(f, "{} %", percent(*thousandths)),
        }
    }
}

/// Thousandths as percents, `50` or `12.5`.
fn percent(thousandths: u32) -> f64 {
    f64::from(thousandths) / 10.0
}

/// A share of the subgroups that a device has room for, in thousandths, from a command line.
///
/// # Errors
/// What is no number, or out of range.
pub fn share(text: &str) -> Result<u32, String> {
    let share: Option<f64> = text.trim().parse().ok();
    let thousandths = share.and_then(|share| {
        (1..=1000).find(|&thousandths| (share * 1000.0 - f64::from(thousandths)).abs() <= 0.5)
    });
    thousandths.ok_or_else(|| format!("'{text}' is no occupancy: a share from 0.001 to 1 is, such as 0.5"))
}

/// What is counted: the workgroups of one multiprocessor, or of the whole device where it does not say
/// how many multiprocessors it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// How many of them the device has.
    pub count: u32,
    /// Units in each that issue instructions.
    pub simds: u32,
    /// Subgroups of a workgroup.
    pub subgroups: u32,
}

impl Unit {
    /// For workgroups of so many invocations.
    pub fn new(device: &DeviceFacts, invocations: u32) -> Self {
        let subgroups = invocations.div_ceil(device.subgroup_size.max(1));
        match device.multiprocessors {
            Some(Multiprocessors { count, simds, .. }) => {
                Self { count: count.max(1), simds: simds.max(1), subgroups }
            }
            None => Self { count: 1, simds: 1, subgroups },
        }
    }

    /// Workgroups of each, of so many on the whole device: what most of them have.
    pub fn share(self, workgroups: u32) -> u32 {
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
        // All but one of 132 hold 32.
        assert_eq!(unit.share(132 * 32 - 7), 32);
    }
}
