//! What the self-test runs: one kernel, whose work is counted in whole units so that 2 % more of it is
//! exactly that, of a size that suits the device.

use anyhow::Result;
use vulkan::handles::{Binding, Kernel};

use crate::chains::{FACTORS, LANES};
use crate::lab::{BufferSet, Lab};

/// Names of the variants.
pub(super) const SAME_A: &str = "same_a";
pub(super) const SAME_B: &str = "same_b";
pub(super) const MORE: &str = "two_percent_more";

/// Units of work of the first two and of the third: 2 % more.
const UNITS: u32 = 50;
const UNITS_AND_ONE: u32 = 51;

/// Microseconds that a sample shall take, and those that it may. Shorter, and the timestamps' own noise
/// shows; longer, and the self-test takes longer than it is worth.
const WANTED_US: f64 = 500.0;
const FITTING_US: std::ops::RangeInclusive<f64> = 300.0..=1000.0;

/// Workgroups that keep a large device busy: 8192 subgroups of 32, as many as an H200 holds at once.
pub(super) const MOST_GROUPS: u32 = 2048;
/// Steps stay below 65,536.
const MOST_FACTOR: u32 = 65_535 / UNITS_AND_ONE;

/// How much work there is in a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// Workgroups.
    pub groups: u32,
    /// Steps of a unit.
    pub factor: u32,
}

impl Size {
    /// Less than a millisecond on anything that computes 10 billion operations a second.
    pub const FIRST: Self = Self { groups: 16, factor: 1 };

    /// Enough for an answer.
    pub const SMALL: Self = Self { groups: 4, factor: 1 };

    /// Steps of the first variants.
    pub fn steps(self) -> u32 {
        UNITS * self.factor
    }

    /// Steps of the third.
    pub fn more_steps(self) -> u32 {
        UNITS_AND_ONE * self.factor
    }

    /// Work of about a fifth of this.
    pub fn fifth(self) -> Self {
        if self.factor >= 5 {
            Self { factor: self.factor / 5, ..self }
        } else {
            Self { groups: (self.groups / 5).max(1), ..self }
        }
    }

    /// What to try after this took so long; none where it fits, or where nothing fits better. Workgroups
    /// first: as long as they do not fill the device, more of them take no longer.
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

/// Declares the three variants and what must come out of them, which `expected` makes from a number of
/// workgroups and of steps.
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
    lab.report.baseline([SAME_A]);
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

    /// A device that runs so many steps of so many workgroups at once in a microsecond.
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
        // From one core that takes 200 us for a step of a workgroup to ten times an H200.
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
