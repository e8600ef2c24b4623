//! Work sizes of `drain_fill`, and the fraction of the waves that start while the device fills.
//!
//! ```text
//! wave slots ┈┈┈┈┈┈┈┈┈┈╭───────────────╮           first fill = wave slots ÷ waves of the pass: 4.4 % of
//!                     ╱                 ╲          2560x1440 items on 2560 slots of 64 lanes, 18 % of a
//!                    ╱ first fill        ╲         quarter, 71 % of a sixteenth, all of anything smaller
//! ```

use std::fmt;
use std::str::FromStr;

use common::Extent;
use common::record::Multiprocessors;

/// Divisors of the whole area: those of the talk, and one area that does not fill a device.
pub const SHARES: [u32; 4] = [1, 4, 16, 64];

/// Lanes per workgroup where the size is not under test: a wave of GCN, and the smallest size with which an NVIDIA
/// multiprocessor can hold all its waves (64 waves of 32 lanes in 32 workgroups).
const LANES: u32 = 64;

/// How much work there is.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Sides of the whole area.
    pub size: Extent,
    /// Items of a pass over the whole area.
    pub items: u32,
    /// Passes of a chain.
    pub passes: u32,
    /// Steps per item and pass; the mean where items differ.
    pub steps: u32,
    /// Lanes per wave.
    pub wave: u32,
}

impl Work {
    /// Lanes per workgroup where the size is not under test.
    pub fn lanes(self) -> u32 {
        LANES.max(self.wave)
    }

    /// Workgroups of a pass over `items` items.
    pub fn workgroups(self, items: u32) -> u32 {
        items.div_ceil(self.lanes())
    }

    /// Waves of a pass over `items` items.
    pub fn waves(self, items: u32) -> u32 {
        self.workgroups(items) * self.waves_a_workgroup()
    }

    /// Waves per workgroup where the size is not under test.
    pub fn waves_a_workgroup(self) -> u32 {
        self.lanes().div_ceil(self.wave)
    }
}

/// The name of a share of the area.
pub fn name_of(share: u32) -> String {
    if share == 1 { "whole".into() } else { format!("1/{share}") }
}

/// Number of items in a share of the area, at least one.
pub fn share_of(items: u32, share: u32) -> u32 {
    (items / share).max(1)
}

/// A count of waves in words.
pub fn waves_of(count: u32) -> String {
    if count == 1 { "1 wave".into() } else { format!("{count} waves") }
}

/// The multiprocessors that run waves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine(pub Multiprocessors);

impl Machine {
    /// Waves that the device can hold at once.
    pub fn slots(self) -> u32 {
        self.simds() * self.0.subgroups_per_simd
    }

    /// Number of SIMDs.
    pub fn simds(self) -> u32 {
        self.0.count * self.0.simds
    }

    /// The fraction of `waves` that fit on the device at once; these all start with cold caches.
    pub fn first_fill(self, waves: u32) -> f64 {
        (f64::from(self.slots()) / f64::from(waves.max(1))).min(1.0)
    }
}

impl FromStr for Machine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides: Option<Vec<u32>> = text.split('x').map(|side| side.parse().ok()).collect();
        match sides.as_deref() {
            Some(&[count, simds, subgroups_per_simd])
                if [count, simds, subgroups_per_simd].iter().all(|side| (1..=1024).contains(side)) =>
            {
                Ok(Self(Multiprocessors { count, simds, subgroups_per_simd }))
            }
            _ => Err("a machine is MULTIPROCESSORSxSIMDSxWAVES, such as 64x4x10 for the talk's Vega; each is from 1 to \
                      1024"
                .into()),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Multiprocessors { count, simds, subgroups_per_simd } = self.0;
        write!(f, "{count}x{simds}x{subgroups_per_simd}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_talks_first_fill() {
        let vega: Machine = "64x4x10".parse().unwrap();
        assert_eq!((vega.slots(), vega.simds()), (2560, 256));
        let percent = |share| {
            let waves = share_of(2560 * 1440, share).div_ceil(64);
            (1000.0 * vega.first_fill(waves)).round() / 10.0
        };
        // The talk gives 4.4, 17 and 71.
        assert_eq!([1, 4, 16, 64].map(percent), [4.4, 17.8, 71.1, 100.0]);
    }
}
