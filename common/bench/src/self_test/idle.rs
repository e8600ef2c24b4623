//! Is something else using the device? Samples of one short kernel, one behind the other, tell: those that
//! another program's work lies within are longer, and those that have to wait for it leave a gap.

use std::time::{Duration, Instant};

use anyhow::Result;
use record::self_test::Check;
use record::self_test::CheckResult::{Passed, Warned};
use record::stats::Summary;
use vulkan::gpu::Gpu;

use super::bursts::{Bursts, interval_us};
use super::stop::Stop;
use super::work::Size;

/// As long as nine frames of a desktop.
const WATCHED: Duration = Duration::from_millis(150);

/// A sample this much above the median is long.
const LONG: f64 = 1.5;

/// So many of them, as a share, are more than chance: a desktop that draws a frame every 16 ms reaches it
/// where each frame hits one sample of fifty.
const MOST_LONG: f64 = 0.02;

/// Milliseconds between two samples that neither this process nor its driver explains.
const LONGEST_GAP_MS: f64 = 10.0;

/// Fewer samples tell nothing.
const FEWEST: usize = 20;

pub(super) const NAME: &str = "idle device";

/// Watches the device.
pub(super) fn check(gpu: &Gpu, bursts: &Bursts, size: Size, stop: Stop<'_>) -> Result<Check> {
    let size = size.fifth();
    let (began, mut us, mut gaps_us) = (Instant::now(), Vec::new(), Vec::new());
    let mut last = None;
    while began.elapsed() < WATCHED {
        stop.ask()?;
        let [begin, end] = bursts.stamps_around(gpu, size)?;
        us.extend(interval_us(gpu, [begin, end]));
        gaps_us.extend(last.and_then(|last| interval_us(gpu, [last, begin])));
        last = Some(end);
    }
    Ok(judge(&us, &gaps_us))
}

/// Judges the times of samples and those between them. Whatever it finds is no failure: on a desktop
/// something always draws, and the verdicts tell whether times can be trusted in spite of it.
#[expect(clippy::cast_precision_loss, reason = "a count of samples")]
fn judge(us: &[f64], gaps_us: &[f64]) -> Check {
    let Some(times) = Summary::of(us).filter(|times| times.n >= FEWEST) else {
        let found = format!("{} samples in {} ms are too few to tell", us.len(), WATCHED.as_millis());
        return Check::new(NAME, Warned, found);
    };
    let long = us.iter().filter(|&&us| us > LONG * times.median).count();
    let share = long as f64 / times.n as f64;
    let gap_ms = gaps_us.iter().copied().fold(0.0, f64::max) / 1e3;
    let seen = format!(
        "{long} of {} samples were longer than {LONG} times the median of {:.0} µs; the longest time between two was \
         {gap_ms:.2} ms",
        times.n, times.median
    );
    let (result, found) = if share > MOST_LONG || gap_ms > LONGEST_GAP_MS {
        let advice = "another program or the desktop seems to use the device, or the CPU is busy: end what can be ended";
        (Warned, format!("{seen}: {advice}"))
    } else {
        (Passed, seen)
    };
    Check::new(NAME, result, found)
        .with("samples", times.n as f64, "1")
        .with("long_share", share, "1")
        .with("median", times.median, "us")
        .with("longest", times.max, "us")
        .with("longest_gap", gap_ms * 1e3, "us")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_device_takes_the_same_time_again_and_again() {
        let us: Vec<f64> = (0..800).map(|i| 100.0 + f64::from(i % 5)).collect();
        let check = judge(&us, &[60.0, 70.0, 400.0]);
        assert_eq!(check.result, Passed);
        assert!(check.found.starts_with("0 of 800 samples"), "{}", check.found);
        assert_eq!(check.figure("longest_gap"), Some(400.0));
    }

    #[test]
    fn frames_of_a_desktop_are_a_warning_and_no_failure() {
        let us: Vec<f64> = (0..800).map(|i| if i % 40 == 0 { 900.0 } else { 100.0 }).collect();
        let check = judge(&us, &[60.0]);
        assert_eq!(check.result, Warned);
        assert!(check.found.starts_with("20 of 800"), "{}", check.found);
        assert_eq!(check.figure("long_share"), Some(0.025));
    }

    #[test]
    fn a_gap_is_a_warning_and_one_long_sample_is_none() {
        let mut us = vec![100.0; 400];
        us[7] = 5000.0;
        assert_eq!(judge(&us, &[60.0]).result, Passed);
        assert_eq!(judge(&us, &[60.0, 12_000.0]).result, Warned);
    }

    #[test]
    fn too_few_samples_tell_nothing() {
        assert_eq!(judge(&[100.0; 19], &[]).result, Warned);
        assert_eq!(judge(&[], &[]).result, Warned);
    }
}
