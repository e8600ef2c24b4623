//! The kernel of the self-test. Its work is counted in whole units, so that a variant can do exactly 2 % more, and
//! its size is adapted to the device.

use anyhow::Result;
use vulkan::handles::{Binding, Kernel};

use crate::chains::{FACTORS, LANES};
use crate::lab::{BufferSet, Lab};

/// Names of the variants.
pub(super) const SAME_A: &str = "same_a";
pub(super) const SAME_B: &str = "same_b";
pub(super) const MORE: &str = "two_percent_more";

/// Units of work of the first two variants and of the third, which does 2 % more.
const UNITS: u32 = 50;
const UNITS_AND_ONE: u32 = 51;

/// Wanted duration of a sample, and accepted range. In shorter samples the noise of timestamps shows; longer ones
/// make the self-test too slow.
const WANTED_US: f64 = 500.0;
const FITTING_US: std::ops::RangeInclusive<f64> = 300.0..=1000.0;

/// Workgroups that keep a large device busy: 8192 subgroups of 32, as many as an H200 can hold at once.
pub(super) const MOST_GROUPS: u32 = 2048;
/// The number of steps stays below 65,536.
const MOST_FACTOR: u32 = 65_535 / UNITS_AND_ONE;

/// The amount of work in a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// Workgroups.
    pub groups: u32,
    /// Steps per unit.
    pub factor: u32,
}

impl Size {
    /// The first try: less than a millisecond on any device with at least 10 billion operations per second.
    pub const FIRST: Self = Self { groups: 16, factor: 1 };

    /// The size for checking results without times.
    pub const SMALL: Self = Self { groups: 4, factor: 1 };

    /// Steps of the first two variants.
    pub fn steps(self) -> u32 {
        UNITS * self.factor
    }

    /// Steps of the third variant.
    pub fn more_steps(self) -> u32 {
        UNITS_AND_ONE * self.factor
    }

    /// A size with about a fifth of the work.
    pub fn fifth(self) -> Self {
        if self.factor >= 5 {
            Self { factor: self.factor / 5, ..self }
        } else {
            Self { groups: (self.groups / 5).max(1), ..self }
        }
    }

    /// The next size to try after this one took `us` microseconds; `None` if it fits or cannot be improved. Changes
    /// the workgroups first: more of them take no longer until the device is full.
    pub fn after(self, us: f64) -> Option<Self> {
        if FITTING_US.contains(&us) {
            return None;
        }
        let change = (WANTED_US / us).clamp(1.0 / 16.0, 16.0);
        let filled = self.groups >= MOST_GROUPS;
        let next = if change > 1.0 && !filled || change < 1.0 && self.factor == 1 {
            Self { groups: scaled(self.groups, change, MOST_GROUPS), ..self }
        } else {
            Self { factor: scaled(self.factor, change, MOST_FACTOR), ..self }
        };
        (next != self).then_some(next)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive and bounded")]
fn scaled(count: u32, change: f64, most: u32) -> u32 {
    ((f64::from(count) * change).round() as u32).clamp(1, most)
}

/// Push constants of the kernel.
pub(super) fn push(steps: u32) -> [u32; 4] {
    let [up, down, summand] = FACTORS.map(f32::to_bits);
    [steps, up, down, summand]
}

/// Declares the three variants. `expected` computes their results from the number of workgroups and the number of
/// steps.
pub(super) fn declare(
    lab: &mut Lab,
    kernel: Kernel,
    size: Size,
    expected: fn(u32, u32) -> Vec<u32>,
) -> Result<()> {
    let groups = size.groups;
    for (names, steps) in [(&[SAME_A, SAME_B][..], size.steps()), (&[MORE], size.more_steps())] {
        let results = lab.output("sums", BufferSet::new(1, groups * LANES, 0))?;
        for &name in names {
            lab.variant(name, move |cmd, rep| {
                let results = Binding::from(results.get(rep.index, 0));
                cmd.dispatch(kernel, &[results], &push(steps), [groups, 1, 1]);
            });
        }
        lab.expect(results, 0, move || expected(groups, steps));
    }
    lab.report.baseline.push(SAME_A.into());
    lab.validate()?;
    lab.make()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fiftieth_more_is_two_per_cent() {
        for factor in [1, 7, MOST_FACTOR] {
            let size = Size { groups: 1, factor };
            assert_eq!(100 * (size.more_steps() - size.steps()), 2 * size.steps());
            assert!(size.more_steps() < 65_536);
        }
    }

    /// The size and time found for a device that runs `at_once` workgroups at once, `steps_a_us` steps of each per
    /// microsecond.
    fn found(at_once: u32, steps_a_us: f64) -> (Size, f64) {
        let us = |size: Size| 2.0 + f64::from(size.groups.div_ceil(at_once) * size.steps()) / steps_a_us;
        let mut size = Size::FIRST;
        for _ in 0..16 {
            match size.after(us(size)) {
                Some(next) => size = next,
                None => return (size, us(size)),
            }
        }
        panic!("no size was found: {size:?}")
    }

    #[test]
    fn every_device_gets_work_that_suits_it() {
        // From one core that takes 10 µs per step of a workgroup to ten times an H200.
        for (at_once, steps_a_us) in [(1, 0.1), (2, 1.0), (24, 4.0), (300, 10.0), (2112, 7.0), (20_000, 9.0)]
        {
            let (size, us) = found(at_once, steps_a_us);
            assert!(FITTING_US.contains(&us), "{at_once} at once: {size:?} takes {us} us");
        }
    }

    #[test]
    fn the_smallest_work_is_taken_where_none_is_short_enough() {
        let (size, us) = found(1, 0.001);
        assert_eq!(size, Size { groups: 1, factor: 1 });
        assert!(us > 1000.0);
    }
}
