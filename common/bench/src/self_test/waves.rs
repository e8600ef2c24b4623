//! How long a tick of the clock is that kernels read, set against the timestamps.

use anyhow::Result;
use ash::vk;
use record::number::significant;
use record::self_test::Check;
use record::self_test::CheckResult::{Passed, Warned};

use super::rate::precise;
use crate::drive::clock::{self, Reader, Reading};
use crate::lab::Lab;

pub(super) const NAME: &str = "clock in kernels";

/// Between its making and its end it measures the tick.
pub(super) struct Meter(Option<(Reader, Reading)>);

impl Meter {
    /// Reads the clock for the first time, where there is one.
    pub fn begin(lab: &Lab, stamps: vk::QueryPool) -> Result<Self> {
        if !lab.gpu.waves.clock {
            return Ok(Self(None));
        }
        let reader = Reader::new(lab, stamps)?;
        let first = reader.read(&lab.gpu)?;
        Ok(Self(Some((reader, first))))
    }

    /// Reads it again.
    pub fn end(self, lab: &Lab) -> Result<Check> {
        let Some((reader, first)) = self.0 else {
            let reason = "there is none that all waves read (VK_KHR_shader_clock with shaderDeviceClock)";
            return Ok(Check::skipped(NAME, reason));
        };
        let second = reader.read(&lab.gpu)?;
        Ok(judge([first, second], f64::from(lab.device().timestamp_period_ns)))
    }
}

/// Judges two readings. No time comes from this clock, only traces do, and they look at it themselves: what
/// is wrong with it is a warning.
#[expect(clippy::cast_precision_loss, reason = "ticks of less than an hour")]
fn judge([first, second]: [Reading; 2], period_ns: f64) -> Check {
    let clock = match clock::judge([first, second], period_ns) {
        Ok(clock) => clock,
        Err(fault) => {
            return Check::new(NAME, Warned, format!("{fault}: waves cannot be traced"));
        }
    };
    let ticks = clock.ticks(first.ticks, second.ticks) as f64;
    let [least, most] = [second.before_ns - first.after_ns, second.after_ns - first.before_ns];
    let tick_ns = f64::midpoint(least, most) / ticks;
    let error_ppm = (most - least) / 2.0 / (ticks * tick_ns) * 1e6;
    let [shown, period] = [tick_ns, period_ns].map(significant);
    let error = precise(error_ppm);
    let as_stamps = if clock.tick_ns == period_ns { "as" } else { "other than" };
    let found = format!(
        "a tick of {shown} ns ±{error} ppm, {as_stamps} the timestamps' {period} ns, over {:.0} ms; {} bits",
        f64::midpoint(least, most) / 1e6,
        clock.bits
    );
    Check::new(NAME, Passed, found).with("tick", tick_ns, "ns").with("uncertainty", error_ppm, "ppm").with(
        "bits",
        f64::from(clock.bits),
        "bits",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Readings 200 ms apart, each within 4 µs.
    fn readings(ticks: u64) -> [Reading; 2] {
        let at = |ns: f64, ticks| Reading { ticks, before_ns: ns, after_ns: ns + 4e3 };
        [at(1e9, 1 << 40), at(1.2e9, (1 << 40) + ticks)]
    }

    #[test]
    fn a_clock_that_ticks_as_the_timestamps_do() {
        let check = judge(readings(200_000_000), 1.0);
        assert_eq!(check.result, Passed);
        assert_eq!(
            check.found,
            "a tick of 1.000 ns ±20.0 ppm, as the timestamps' 1.000 ns, over 200 ms; 64 bits"
        );
    }

    #[test]
    fn a_clock_with_a_tick_of_its_own() {
        let check = judge(readings(6_400_000), 1.0);
        assert_eq!((check.result, check.figure("tick")), (Passed, Some(31.25)));
        assert!(check.found.contains("other than the timestamps'"), "{}", check.found);
    }

    #[test]
    fn a_clock_that_is_none_is_a_warning() {
        let check = judge(readings(0), 1.0);
        assert_eq!(check.result, Warned);
        assert_eq!(check.found, "the waves' clock stands still: waves cannot be traced");
    }
}
