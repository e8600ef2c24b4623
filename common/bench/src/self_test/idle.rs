//! Checks whether another program uses the device. Takes samples of a short kernel in sequence: samples that
//! overlap with other work are longer, and samples that wait for other work leave a gap.

use std::time::{Duration, Instant};

use anyhow::Result;
use record::self_test::Check;
use record::self_test::CheckResult::{Passed, Warned};
use record::stats::Summary;
use vulkan::gpu::Gpu;

use super::bursts::{Bursts, interval_us};
use super::stop::Stop;
use super::work::Size;

/// Duration of the check: nine frames of a desktop.
const WATCHED: Duration = Duration::from_millis(150);

/// A sample longer than this multiple of the median is long.
const LONG: f64 = 1.5;

/// More than this share of long samples is not chance. A desktop that draws a frame every 16 ms reaches it if each
/// frame hits one of fifty samples.
const MOST_LONG: f64 = 0.02;

/// Longest gap in milliseconds between two samples that this process and its driver can cause.
const LONGEST_GAP_MS: f64 = 10.0;

/// Fewer samples are not evaluated.
const FEWEST: usize = 20;

pub(super) const NAME: &str = "idle device";

/// Samples the device and evaluates the times.
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

/// Evaluates the times of the samples and of the gaps. The check never fails: on a desktop something always draws,
/// and the verdicts show whether times can be trusted in spite of it.
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
