//! Tests the measuring engine with its own rules: two variants with the same kernel must compare as SAME, 2 % more
//! work as SLOWER. They are sampled like any variant, without the long submit of a back-to-back time.

use std::ops::ControlFlow;
use std::time::Duration;

use anyhow::Result;
use record::judge::{Verdict, judge};
use record::self_test::Check;
use record::self_test::CheckResult::{Failed, Passed};
use record::stats::Summary;
use record::{Ended, Row, Status};

use super::stop::{Stop, Stopped};
use super::work::{MORE, SAME_B};
use crate::drive::timing::{self, BenchOptions, Step};
use crate::lab::Lab;

/// Differences below this share are ignored.
const TOLERANCE: f64 = 0.01;

/// Budgets of the first try, which is enough on a quiet device, and of the second.
const BUDGETS: [Duration; 2] = [Duration::from_millis(300), Duration::from_millis(900)];

/// Warm-up time. The device was woken before, and idled only while a kernel was compiled.
const WAKING: Duration = Duration::from_millis(120);
// The warm-up is part of the budget. With 300 ms of warm-up, an H200 had time left for 2 rounds, which decide
// nothing.
const _: () = assert!(2 * WAKING.as_millis() < BUDGETS[0].as_millis());

/// The second try takes this many times the samples of the first.
const LONGER: usize = 3;

/// Seed of the sampling order.
const SEED: u64 = 6;

pub(super) use record::self_test::RESULTS;
pub(super) const SAME: &str = "the same kernel twice";
pub(super) const SLOWER: &str = "2 % more work";

/// Advice if the times of a device are too noisy to compare.
const ADVICE: &str = "another program uses the device, or its clocks change: end other programs, switch power saving \
                      off, lock the clocks";

/// Measures, and measures again if the first try does not decide. Returns the checks of the results and of both
/// verdicts.
pub(super) fn checks(lab: &Lab, stop: Stop<'_>) -> Result<Vec<Check>> {
    let mut tries = vec![measured(lab, BUDGETS[0], None, stop)?];
    if is_unsure(&tries[0]) {
        let pairs = tries[0].iter().map(|row| row.samples.len()).max().unwrap_or(0);
        tries.push(measured(lab, BUDGETS[1], Some(LONGER * pairs.max(1)), stop)?);
    }
    let checked: Vec<&Row> = tries.iter().flatten().collect();
    Ok(vec![results(&checked), verdict(SAME, SAME_B, &tries), verdict(SLOWER, MORE, &tries)])
}

fn measured(lab: &Lab, budget: Duration, samples: Option<usize>, stop: Stop<'_>) -> Result<Vec<Row>> {
    let (budget, waking) = (Some(budget), Some(WAKING));
    let options = BenchOptions { samples, budget, waking, seed: SEED, ..BenchOptions::default() };
    let watch = &mut |_: &Step<'_>| {
        if stop.ask().is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let measured = timing::measure(lab, &options, watch, None)?;
    match (measured.error, measured.ended) {
        (Some(error), _) => Err(error),
        (None, Ended::Interrupted) => Err(Stopped.into()),
        (None, _) => Ok(measured.rows),
    }
}

fn is_unsure(rows: &[Row]) -> bool {
    [SAME_B, MORE].iter().any(|name| {
        let row = rows.iter().find(|row| row.variant == *name && row.status == Status::Ok);
        row.is_some_and(|row| of_ratio(row.to_baseline.as_ref()) == Verdict::Unsure)
    })
}

fn of_ratio(ratio: Option<&Summary>) -> Verdict {
    ratio.and_then(|ratio| ratio.median_95).map_or(Verdict::Unsure, |interval| judge(interval, TOLERANCE))
}

/// Checks the results: times of a device that computes wrong results mean nothing.
fn results(rows: &[&Row]) -> Check {
    if let Some(found) = rows.iter().find_map(|row| fault(row)) {
        return Check::new(RESULTS, Failed, found);
    }
    let samples: usize = rows.iter().filter_map(|row| row.racy).map(|racy| racy.samples).sum();
    let words = rows.iter().filter_map(|row| row.racy).map(|racy| racy.of).max().unwrap_or(0);
    right(words, samples)
}

/// Why a row has no times.
fn fault(row: &Row) -> Option<String> {
    match &row.status {
        Status::Ok => None,
        Status::Wrong { elements, first } => Some(wrong(&row.variant, *elements, first)),
        status => Some(format!("{}: {}", row.variant, status.reason().unwrap_or_default())),
    }
}

/// The message for a wrong result.
pub(super) fn wrong(variant: &str, elements: u64, first: &str) -> String {
    format!(
        "{variant}: {elements} words differ from the CPU reference's, the first is {first}: the device or its driver \
         computes wrong"
    )
}

/// The check of correct results: every word of every sample was correct.
#[expect(clippy::cast_precision_loss, reason = "counts of samples and words")]
pub(super) fn right(words: u64, samples: usize) -> Check {
    let found = format!("all {words} words of each of {samples} samples are the CPU reference's");
    let check = Check::new(RESULTS, Passed, found);
    check.with("words", words as f64, "1").with("samples", samples as f64, "1")
}

/// Evaluates a variant by its last try.
#[expect(clippy::cast_precision_loss, reason = "a count of rounds")]
fn verdict(check: &str, variant: &str, tries: &[Vec<Row>]) -> Check {
    let rows: Vec<&Row> = tries.iter().flatten().filter(|row| row.variant == variant).collect();
    let Some(last) = rows.last() else { return Check::skipped(check, "it was not measured") };
    if let Some(why) = tries.iter().flatten().find_map(fault) {
        return Check::skipped(check, &format!("no times to judge: {why}"));
    }
    let (passed, found) = words(check, &rows);
    let result = if passed { Passed } else { Failed };
    let judged = Check::new(check, result, found).with("tries", rows.len() as f64, "1");
    let Some((ratio, interval)) = last.to_baseline.and_then(|ratio| Some((ratio, ratio.median_95?))) else {
        return judged;
    };
    judged
        .with("ratio", ratio.median, "1")
        .with("low", interval.low, "1")
        .with("high", interval.high, "1")
        .with("rounds", ratio.n as f64, "1")
        .with("median", last.isolated_us.map_or(f64::NAN, |us| us.median), "us")
}

/// Whether the verdict is the expected one, and the findings in words.
fn words(check: &str, rows: &[&Row]) -> (bool, String) {
    let due = if check == SAME { Verdict::Same } else { Verdict::Slower };
    let seen: Vec<(Verdict, String)> = rows
        .iter()
        .map(|row| (of_ratio(row.to_baseline.as_ref()), ratio(row.to_baseline.as_ref())))
        .collect();
    let Some((verdict, last)) = seen.last() else { return (false, "it was not measured".into()) };
    let mut found = format!("{}, {last}", verdict.word());
    if let [(first, ratio), _] = &seen[..] {
        found = format!("{found}, at the second try; the first was {}, {ratio}", first.word());
    }
    if *verdict != due {
        found = format!("{found}; it has to be {}: {ADVICE}", due.word());
    }
    (*verdict == due, found)
}

fn ratio(ratio: Option<&Summary>) -> String {
    match ratio.and_then(|ratio| Some((ratio, ratio.median_95?))) {
        Some((ratio, interval)) => format!(
            "{:.4} times the time ({:.4} to {:.4}, 95 %) in {} rounds",
            ratio.median, interval.low, interval.high, ratio.n
        ),
        None => "too few rounds for an interval".into(),
    }
}

#[cfg(test)]
mod tests {
    use record::fixture;
    use record::self_test::CheckResult::Skipped;
    use record::stats::paired_ratio;

    use super::super::work::SAME_A;
    use super::*;

    /// Rows whose second and third variant take `factors` times as long as the first, each round with another of
    /// these deviations.
    fn rows(factors: [f64; 2], deviations: &[f64]) -> Vec<Row> {
        let blank = || fixture::record().rows.swap_remove(0);
        let times = |factor: f64| -> Vec<f64> {
            let deviation = |i: usize| 1.0 + deviations[i % deviations.len()];
            (0..40).map(|i| 500.0 * factor * if factor == 1.0 { 1.0 } else { deviation(i) }).collect()
        };
        [(SAME_A, 1.0), (SAME_B, factors[0]), (MORE, factors[1])]
            .map(|(name, factor)| Row {
                variant: name.into(),
                status: Status::Ok,
                to_baseline: paired_ratio(&times(factor), &times(1.0)),
                isolated_us: Summary::of(&times(factor)),
                ..blank()
            })
            .into()
    }

    const QUIET: [f64; 3] = [-0.001, 0.0, 0.001];
    const NOISY: [f64; 3] = [-0.03, 0.0, 0.03];

    fn of(tries: &[Vec<Row>]) -> [Check; 2] {
        [verdict(SAME, SAME_B, tries), verdict(SLOWER, MORE, tries)]
    }

    #[test]
    fn a_quiet_device_passes_at_once() {
        let tries = [rows([1.0005, 1.0199], &QUIET)];
        assert!(!is_unsure(&tries[0]));
        let [same, slower] = of(&tries);
        assert_eq!((same.result, slower.result), (Passed, Passed));
        assert_eq!(same.found, "SAME, 1.0005 times the time (0.9995 to 1.0005, 95 %) in 40 rounds");
        assert!(slower.found.starts_with("SLOWER, 1.0199 times"), "{}", slower.found);
        assert_eq!(slower.figure("rounds"), Some(40.0));
    }

    #[test]
    fn a_noisy_device_is_tried_again_and_fails_where_that_does_not_help() {
        let noisy = rows([1.0005, 1.0199], &NOISY);
        assert!(is_unsure(&noisy));
        let [same, slower] = of(&[noisy.clone(), rows([1.0005, 1.0199], &QUIET)]);
        assert_eq!((same.result, slower.result), (Passed, Passed));
        assert!(same.found.contains("at the second try; the first was UNSURE"), "{}", same.found);
        let [same, slower] = of(&[noisy.clone(), noisy]);
        assert_eq!((same.result, slower.result), (Failed, Failed));
        assert!(same.found.contains("it has to be SAME: another program"), "{}", same.found);
        assert_eq!(same.figure("tries"), Some(2.0));
    }

    #[test]
    fn an_engine_that_errs_fails() {
        let [same, slower] = of(&[rows([1.03, 1.0005], &QUIET)]);
        assert_eq!((same.result, slower.result), (Failed, Failed));
        assert!(same.found.starts_with("SLOWER") && slower.found.starts_with("SAME"));
        let [same, slower] = of(&[rows([0.95, 0.95], &QUIET)]);
        assert_eq!((same.result, slower.result), (Failed, Failed));
    }

    #[test]
    fn a_wrong_answer_fails_and_has_no_verdict() {
        let mut wrong = rows([1.0005, 1.0199], &QUIET);
        wrong[1].status = Status::Wrong { elements: 3, first: "word 7 of repetition 0".into() };
        let check = results(&wrong.iter().collect::<Vec<_>>());
        assert_eq!(check.result, Failed);
        assert!(
            check.found.starts_with("same_b: 3 words differ") && check.found.contains("word 7"),
            "{check:?}"
        );
        let [same, slower] = of(&[wrong]);
        assert_eq!((same.result, slower.result), (Skipped, Skipped));
    }
}
