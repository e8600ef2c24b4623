//! Converts the pairs of the engine to the rows of a record.

use record::stats::{Summary, paired_ratio};
use record::{BEFORE_ITS_FIRST, Method, Metric, Racy, Row, Sample, Status, is_limit};

use super::uses::Uses;
use crate::lab::{Lab, fastest};
use crate::measure::{self, Pair};
use crate::variant::{Tells, Variant};

/// One row per variant, in the sample's order.
pub(super) fn rows(lab: &Lab, engine: &[measure::Row], method: &Method, uses: &Uses<'_>) -> Vec<Row> {
    let time = |name: &str| {
        let at = lab.position(name)?;
        Some(times(&lab.variants[at], &engine[at], method).isolated_us?.median)
    };
    let [bound, baseline] = [&lab.report.bound, &lab.report.baseline]
        .map(|names| fastest(names, time).and_then(|name| lab.position(name)));
    let ratio_to = |reference: Option<usize>, variant: &Variant, row: &measure::Row| {
        let reference = reference?;
        ratio(row, &engine[reference]).filter(|_| does_same_work(variant, &lab.variants[reference]))
    };
    let row = |(v, (variant, row)): (usize, (&Variant, &measure::Row))| {
        if let Some(status) = uses.left_out(v) {
            return Row { status: status.clone(), ..blank(variant) };
        }
        Row {
            status: status(row, method, uses, v),
            to_bound: ratio_to(bound, variant, row),
            to_baseline: ratio_to(baseline, variant, row),
            racy: racy(row, uses.elements(v)),
            ..times(variant, row, method)
        }
    };
    lab.variants.iter().zip(engine).enumerate().map(row).collect()
}

/// Whether two variants do the same work, so that their times can be compared. The device's limit kernels, and
/// variants that are compared with different limits, do not.
fn does_same_work(variant: &Variant, other: &Variant) -> bool {
    let alike = !is_limit(&variant.name) && variant.declared.limit == other.declared.limit;
    alike || variant.name == other.name
}

fn blank(variant: &Variant) -> Row {
    Row {
        label: variant.label.clone(),
        published: variant.published.clone(),
        cell: variant.cell.clone(),
        declared: variant.declared.clone(),
        ..Row::unmeasured(&variant.name, variant.promise.clone(), Status::Ok)
    }
}

fn status(row: &measure::Row, method: &Method, uses: &Uses<'_>, variant: usize) -> Status {
    if let Some(reading) = row.wrong {
        let first = reading.first_wrong.map_or_else(String::new, |first| uses.place(variant, first));
        return Status::Wrong { elements: reading.wrong, first };
    }
    match &row.failure {
        Some(reason) => Status::Error { reason: reason.clone() },
        None if row.pairs.is_empty() && row.discarded > 0 => throttled(row, method),
        None if row.pairs.is_empty() => Status::Skipped { reason: BEFORE_ITS_FIRST.into() },
        None => Status::Ok,
    }
}

fn throttled(row: &measure::Row, method: &Method) -> Status {
    let mhz = |mhz: Option<f64>| mhz.map_or_else(String::new, |mhz| format!("{mhz:.0} MHz"));
    Status::Throttled {
        reason: format!(
            "the clock fell to {} and was too low in each of {} submits; others reached {}",
            mhz(row.lowest_mhz),
            row.discarded,
            mhz(method.reference_mhz)
        ),
    }
}

/// A row with all times; without them if the row was wrong.
fn times(variant: &Variant, row: &measure::Row, method: &Method) -> Row {
    if row.wrong.is_some() {
        return blank(variant);
    }
    let one: Vec<f64> = row.pairs.iter().map(|p| p.one.gpu_us).collect();
    let isolated_us = Summary::of(&one);
    let here = variant.timed_by.is_none();
    let on_cpu = |of: fn(&Pair) -> f64| {
        here.then(|| Summary::of(&row.pairs.iter().map(of).collect::<Vec<_>>())).flatten()
    };
    let clocks: Vec<f64> = row.pairs.iter().filter_map(|p| p.one.mhz).collect();
    Row {
        metric: metric(variant, row),
        clock_mhz: Summary::of(&clocks),
        discarded: row.discarded,
        isolated_us,
        pipelined_us: pipelined(&row.pairs, method.repetitions),
        stop: row.stop.clone(),
        near_floor: here && isolated_us.is_some_and(|s| s.median < 5.0 * method.floor_us),
        record_us: on_cpu(|p| p.one.record_us),
        submit_us: on_cpu(|p| p.one.submit_us),
        samples: row.pairs.iter().map(|pair| sample(pair, here)).collect(),
        ..blank(variant)
    }
}

/// The figure that the kernels told, over the samples in which there was one.
fn metric(variant: &Variant, row: &measure::Row) -> Option<Metric> {
    let Some(Tells::Metric { unit, .. }) = &variant.tells else { return None };
    let figures: Vec<f64> = row.pairs.iter().filter_map(|pair| pair.one.metric).collect();
    Some(Metric { unit: unit.clone(), figure: Summary::of(&figures)? })
}

/// The back-to-back time of each round, `(T(N) - T(1)) / (N - 1)`.
fn pipelined(pairs: &[Pair], repetitions: u32) -> Option<Summary> {
    let further = f64::from(repetitions.checked_sub(1).filter(|&n| n > 0)?);
    let costs: Option<Vec<f64>> =
        pairs.iter().map(|p| Some((p.many?.gpu_us - p.one.gpu_us) / further)).collect();
    let summary = Summary::of(&costs?)?;
    let low = summary.median_95.map_or(summary.min, |interval| interval.low);
    (low > 0.0).then_some(summary)
}

/// Ratios of the rounds that both rows have.
fn ratio(row: &measure::Row, reference: &measure::Row) -> Option<Summary> {
    if row.wrong.is_some() || reference.wrong.is_some() || reference.failure.is_some() {
        return None;
    }
    let mut others = reference.pairs.iter().peekable();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for pair in &row.pairs {
        while others.next_if(|o| o.round < pair.round).is_some() {}
        if let Some(other) = others.next_if(|o| o.round == pair.round) {
            ours.push(pair.one.gpu_us);
            theirs.push(other.one.gpu_us);
        }
    }
    paired_ratio(&ours, &theirs)
}

#[expect(clippy::cast_precision_loss, reason = "a count of texels is below 2^52")]
fn racy(row: &measure::Row, of: u64) -> Option<Racy> {
    if row.wrong.is_some() || of == 0 {
        return None;
    }
    let unkept = row.unkept_races;
    let samples = row.pairs.len() + unkept.submits + row.forgotten;
    if samples == 0 {
        return None;
    }
    let short = || row.pairs.iter().map(|pair| pair.one.wrong);
    let long = |pair: &Pair| pair.many.map_or(0, |m| m.wrong);
    Some(Racy {
        samples,
        racy_samples: row.pairs.iter().filter(|p| p.one.wrong + long(p) > 0).count() + unkept.submits,
        median: Summary::of(&short().map(|c| c as f64).collect::<Vec<_>>()).map_or(0.0, |s| s.median),
        max: short().fold(unkept.max, u64::max),
        long_max: row.pairs.iter().map(long).fold(unkept.long_max, u64::max),
        of,
    })
}

/// CPU times tell of the work only where this program does it.
fn sample(pair: &Pair, here: bool) -> Sample {
    Sample {
        round: pair.round,
        one_us: pair.one.gpu_us,
        many_us: pair.many.map(|m| m.gpu_us),
        one_mhz: pair.one.mhz,
        many_mhz: pair.many.and_then(|m| m.mhz),
        one_wrong: pair.one.wrong,
        many_wrong: pair.many.map(|m| m.wrong),
        record_us: here.then_some(pair.one.record_us),
        submit_us: here.then_some(pair.one.submit_us),
        metric: pair.one.metric,
    }
}

#[cfg(test)]
mod tests {
    use record::COPY_LIMIT;
    use record::Declared;

    use super::super::timing::method;
    use super::*;
    use crate::measure::{Plan, Reading};

    fn pair(round: u32, one: f64, many: f64) -> Pair {
        let reading = Reading::for_test;
        Pair { round, one: reading(one), many: Some(reading(many)) }
    }

    #[test]
    fn pipelined_is_what_one_more_repetition_costs() {
        let s = pipelined(&[pair(0, 10.0, 31.0), pair(1, 12.0, 33.0)], 8).unwrap();
        assert_eq!(s.median, 3.0);
        assert!(pipelined(&[pair(0, 10.0, 10.0)], 1).is_none());
        assert!(pipelined(&[pair(0, 10.0, 9.0)], 2).is_none(), "no cost below zero");
    }

    #[test]
    fn ratios_pair_the_rounds_that_both_have() {
        let row = |pairs| measure::Row { pairs, ..measure::Row::default() };
        let a = row(vec![pair(0, 20.0, 0.0), pair(2, 30.0, 0.0), pair(3, 50.0, 0.0)]);
        let b = row(vec![pair(0, 10.0, 0.0), pair(1, 1.0, 0.0), pair(3, 10.0, 0.0), pair(4, 1.0, 0.0)]);
        let s = ratio(&a, &b).unwrap();
        assert_eq!((s.n, s.min, s.max), (2, 2.0, 5.0));
        let wrong = measure::Row { wrong: Some(b.pairs[0].one), ..b };
        assert!(ratio(&a, &wrong).is_none(), "nothing is divided by a wrong row");
    }

    #[test]
    fn a_wrong_row_has_no_time_though_it_has_samples() {
        let variant = Variant::for_test("wrong");
        let method = method(&Plan { repetitions: 2, ..Plan::for_test() }, 0.1);
        let right = measure::Row { pairs: vec![pair(0, 5.0, 9.0)], ..measure::Row::default() };
        assert_eq!(times(&variant, &right, &method).isolated_us.map(|s| s.median), Some(5.0));
        let wrong = measure::Row { wrong: Some(right.pairs[0].one), ..right };
        let row = times(&variant, &wrong, &method);
        assert!(row.isolated_us.is_none() && row.pipelined_us.is_none() && row.samples.is_empty());
        assert!(ratio(&wrong, &wrong).is_none() && racy(&wrong, 64).is_none());
    }

    #[test]
    fn racy_counts_say_of_how_many() {
        let mut raced = pair(1, 1.0, 1.0);
        raced.one.wrong = 9;
        let row = measure::Row { pairs: vec![pair(0, 1.0, 1.0), raced], ..measure::Row::default() };
        let counted = racy(&row, 64).unwrap();
        assert_eq!((counted.samples, counted.racy_samples, counted.max, counted.of), (2, 1, 9, 64));
        let mut long = pair(0, 1.0, 1.0);
        long.many.as_mut().unwrap().wrong = 5;
        let row = measure::Row { pairs: vec![long], ..measure::Row::default() };
        let counted = racy(&row, 64).unwrap();
        assert_eq!(
            (counted.racy_samples, counted.max, counted.long_max),
            (1, 0, 5),
            "a race in the long submit"
        );
    }

    #[test]
    fn only_the_same_work_is_compared() {
        let [plane, other, limit] = ["plane", "other", COPY_LIMIT].map(Variant::for_test);
        let mut volume = Variant::for_test("volume");
        volume.declares(Declared::default().against("copy_limit_3d"));
        assert!(does_same_work(&plane, &other) && does_same_work(&volume, &volume));
        assert!(!does_same_work(&volume, &plane) && !does_same_work(&limit, &plane));
        assert!(does_same_work(&plane, &limit) && does_same_work(&limit, &limit));
    }
}
