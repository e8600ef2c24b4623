//! Wakes the device: the clocks of an idle GPU rise within the first tenths of a second of work, and nothing is
//! measured before times have settled.

use std::time::{Duration, Instant};

use anyhow::Result;
use record::self_test::Check;
use record::self_test::CheckResult::{Passed, Warned};
use record::stats::Summary;
use vulkan::gpu::Gpu;

use super::bursts::Bursts;
use super::stop::Stop;
use super::work::Size;

/// An H200 (driver 580) took four times as long in the first 100 ms after idling.
const LEAST: Duration = Duration::from_millis(110);
const MOST: Duration = Duration::from_millis(250);

/// Number of samples whose two halves are compared, and allowed difference of the halves' medians.
const COMPARED: usize = 32;
const APART: f64 = 0.01;

/// Every device needs fewer tries than this to find its size.
const TRIES: usize = 16;

/// Runs the kernel until its times have settled, then finds its size at that clock.
pub(super) fn wake(gpu: &Gpu, bursts: &Bursts, stop: Stop<'_>) -> Result<(Size, Check)> {
    let size = sized(gpu, bursts, Size::FIRST, stop)?;
    let (began, mut times) = (Instant::now(), Vec::new());
    while began.elapsed() < LEAST || !settled(&times) && began.elapsed() < MOST {
        stop.ask()?;
        times.extend(bursts.us(gpu, size)?);
    }
    let took = began.elapsed();
    Ok((sized(gpu, bursts, size, stop)?, judge(&times, took)))
}

/// Finds a size whose samples are neither too short nor too long.
fn sized(gpu: &Gpu, bursts: &Bursts, mut size: Size, stop: Stop<'_>) -> Result<Size> {
    for _ in 0..TRIES {
        stop.ask()?;
        // The first dispatch of a size takes longer.
        bursts.us(gpu, size)?;
        let Some(us) = bursts.us(gpu, size)? else { return Ok(size) };
        match size.after(us) {
            Some(next) => size = next,
            None => break,
        }
    }
    Ok(size)
}

/// Whether the last samples show no drift.
fn settled(us: &[f64]) -> bool {
    let Some(from) = us.len().checked_sub(COMPARED) else { return false };
    let (before, after) = us[from..].split_at(COMPARED / 2);
    let median = |part: &[f64]| Summary::of(part).map_or(0.0, |s| s.median);
    (median(after) / median(before) - 1.0).abs() < APART
}

pub(super) const NAME: &str = "warm-up";

fn judge(us: &[f64], took: Duration) -> Check {
    let median = |part: &[f64]| Summary::of(part).map_or(f64::NAN, |s| s.median);
    let few = us.len().min(COMPARED / 2);
    let slower = us.first().map_or(f64::NAN, |first| first / median(&us[us.len() - few..]));
    let ms = took.as_secs_f64() * 1e3;
    let (result, found) = if settled(us) {
        (
            Passed,
            format!("times have settled within {ms:.0} ms; the first was {slower:.2} times the last ones"),
        )
    } else {
        let found = format!(
            "times have not settled within {ms:.0} ms of work: the clocks of the device still change, or another \
             program works on it; a run before the one that counts warms it up"
        );
        (Warned, found)
    };
    Check::new(NAME, result, found).with("took", ms, "ms").with("first_to_last", slower, "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_no_longer_fall_have_settled() {
        let falling: Vec<f64> = (0..64).map(|i| 2000.0 * 0.97_f64.powi(i)).collect();
        assert!(!settled(&falling));
        assert!(!settled(&falling[..8]), "too few");
        let mut woken = falling.clone();
        woken.extend([500.0, 501.0, 502.0].iter().cycle().take(COMPARED));
        assert!(settled(&woken));
        let check = judge(&woken, Duration::from_millis(120));
        assert_eq!(check.result, Passed);
        assert!(
            check.found.contains("within 120 ms") && check.found.contains("3.99 times"),
            "{}",
            check.found
        );
        assert_eq!(judge(&falling, MOST).result, Warned);
        assert_eq!(judge(&[], MOST).result, Warned);
    }
}
