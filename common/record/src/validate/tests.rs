//! Tests with records that no run could have produced.

use super::*;
use crate::{COPY_LIMIT, fixture};

/// The error message for a record that was valid before `spoil`.
fn refusal(spoil: impl FnOnce(&mut Record)) -> String {
    let mut record = fixture::record();
    validate(&record).unwrap();
    spoil(&mut record);
    format!("{:#}", validate(&record).unwrap_err())
}

#[test]
fn every_record_of_the_other_tests_is_sound() {
    for record in [fixture::record(), fixture::limits(), fixture::traced(), fixture::cpu()] {
        validate(&record).unwrap();
    }
}

#[test]
fn names_that_steer_a_terminal_or_fill_it_are_none() {
    let long = refusal(|record| record.rows[0].variant = "x".repeat(NAME + 1));
    assert!(long.starts_with("rows[0].variant: ") && long.len() < 200, "{long}");
    assert!(refusal(|record| record.device.name = "a\nb".into()).starts_with("device.name: "));
    // A verdict may have several lines.
    let mut record = fixture::record();
    record.verdict = Some("one\ntwo".into());
    validate(&record).unwrap();
}

#[test]
fn rows_have_names_of_their_own_and_are_what_is_named() {
    let twice = refusal(|record| record.rows[1].variant = record.rows[0].variant.clone());
    assert!(twice.starts_with("rows[1].variant: 'full_barrier' is there twice"), "{twice}");
    assert_eq!(refusal(|record| record.bound = Some("b".into())), "bound: there is no row 'b'");
    assert_eq!(
        refusal(|record| record.baseline = Some(COPY_LIMIT.into())),
        "baseline: there is no row 'copy_limit'"
    );
}

#[test]
fn times_and_clocks_are_positive() {
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
        let at = |message: String, field: &str| assert!(message.starts_with(field), "{message} for {value}");
        at(refusal(|r| r.rows[0].samples[2].one_us = value), "rows[0].samples[2].one_us: ");
        at(refusal(|r| r.rows[0].samples[0].many_us = Some(value)), "rows[0].samples[0].many_us: ");
        at(refusal(|r| r.rows[0].samples[0].one_mhz = Some(value)), "rows[0].samples[0].one_mhz: ");
        at(refusal(|r| r.method.reference_mhz = Some(value)), "method.reference_mhz: ");
    }
    let floor = refusal(|r| r.method.floor_us = f64::NAN);
    assert!(floor.starts_with("method.floor_us: "), "{floor}");
}

#[test]
fn figures_are_in_order() {
    type Spoil = fn(&mut Summary);
    let cases: [(&str, Spoil); 8] = [
        ("q1", |s| s.q1 = s.min / 2.0),
        ("median", |s| s.median = s.q1 / 2.0),
        ("max", |s| s.max = s.q3 * 0.9),
        ("mean", |s| s.mean = s.max * 2.0),
        ("stdev", |s| s.stdev = -1.0),
        ("outliers", |s| s.outliers = s.n + 1),
        ("median_95.low", |s| s.median_95.as_mut().unwrap().low = s.median * 1.1),
        ("median_95.high", |s| s.median_95.as_mut().unwrap().high = s.median * 0.9),
    ];
    for (field, spoil) in cases {
        let message = refusal(|record| spoil(record.rows[0].isolated_us.as_mut().unwrap()));
        assert!(message.starts_with(&format!("rows[0].isolated_us.{field}: ")), "{message}");
    }
}

#[test]
fn counts_agree() {
    let n = refusal(|record| record.rows[0].isolated_us.as_mut().unwrap().n += 1);
    assert!(n.starts_with("rows[0].isolated_us.n: "), "{n}");
    let raced = refusal(|r| {
        let racy = r.rows[0].racy.as_mut().unwrap();
        racy.racy_samples = racy.samples + 1;
    });
    assert!(raced.starts_with("rows[0].racy.racy_samples: "), "{raced}");
    let round = refusal(|r| r.rows[0].samples[3].round = 0);
    assert!(round.starts_with("rows[0].samples[3].round: 0 is not later"), "{round}");
    // A row without samples keeps its figures.
    let mut record = fixture::record();
    record.rows[0].samples.clear();
    validate(&record).unwrap();
}

#[test]
fn dates_and_figures_of_traces_are_looked_at_too() {
    assert!(refusal(|record| record.started = "yesterday".into()).starts_with("started: is no date"));
    let mut record = fixture::traced();
    let traced = record.rows.iter_mut().find_map(|row| row.trace.as_mut()).unwrap();
    let crate::Traced::Ok { figures, .. } = traced else { panic!("{traced:?}") };
    figures.whole.fill_us = 1e99;
    let message = validate(&record).unwrap_err().to_string();
    assert!(message.contains(".trace.figures.whole.fill_us: 1e99 is out of range"), "{message}");
}
