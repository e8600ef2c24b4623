//! Validates a record that was read from a file. Its types are already correct; this module checks that its values
//! can be those of a measurement before they are used in a table, a verdict or a page.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt::Display;

use anyhow::{Result, bail, ensure};
use serde_json::{Number, Value};

use crate::stats::Summary;
use crate::{Racy, Record, Row, Sample};

/// Longest name in bytes: that of a kernel contains its defines, which may be a list of weights.
const NAME: usize = 1 << 16;
/// Longest text in bytes.
const TEXT: usize = 1 << 18;
/// Longest list in a record, except for samples.
const LIST: usize = 10_000;
/// Most samples of a row.
const SAMPLES: usize = 2_000_000;
/// Largest time, clock, ratio or figure: its squares can be summed without overflow.
const LARGEST: f64 = 1e15;
/// Relative rounding error of interpolated quantiles.
const ROUNDING: f64 = 1e-9;

/// Fields that hold text of several lines; every other string of a record is a name on one line.
const LINES: [&str; 14] = [
    "caches",
    "clocks",
    "command",
    "configuration",
    "first",
    "found",
    "leaves_out",
    "notes",
    "reason",
    "relies_on",
    "source",
    "tools",
    "unmet",
    "verdict",
];

/// Figures that must not be negative, in whatever structure they occur.
const NOT_NEGATIVE: [&str; 9] = [
    "budget_s",
    "floor_us",
    "iqr",
    "noise",
    "relative_stdev",
    "seconds",
    "stable_noise",
    "stdev",
    "timestamp_period_ns",
];

/// Refuses records that cannot come from a measurement.
///
/// # Errors
/// The first wrong field, as a path such as `rows[3].isolated_us.median`, and what is wrong with it.
pub fn validate(record: &Record) -> Result<()> {
    each_value(record)?;
    ensure!(!record.sample.is_empty(), "sample: is empty");
    if humantime::parse_rfc3339(&record.started).is_err() {
        bail!("started: is no date in the form 2026-01-31T12:00:00Z");
    }
    let device = &record.device;
    ensure!(device.timestamp_bits <= 64, "device.timestamp_bits: {} are too many", device.timestamp_bits);
    if let Some(units) = device.multiprocessors {
        let slots =
            units.count.checked_mul(units.simds).and_then(|n| n.checked_mul(units.subgroups_per_simd));
        ensure!(slots.is_some(), "device.multiprocessors: no device has so many");
    }
    ensure!(record.method.repetitions >= 1, "method.repetitions: is 0");
    not_negative(&"method.rule.median", record.method.rule.median)?;
    record.method.reference_mhz.map_or(Ok(()), |mhz| positive(&"method.reference_mhz", mhz))?;
    rows(record)
}

/// Checks every string, figure and list of the record, in whatever field, so that no field can be forgotten.
fn each_value(record: &Record) -> Result<()> {
    // Samples are skipped here, since a row may have a million. Being `Copy`, they cannot hold text.
    const fn owns_nothing<T: Copy>() {}
    const { owns_nothing::<Sample>() };
    let mut bare = record.clone();
    bare.rows.iter_mut().for_each(|row| row.samples.clear());
    let Value::Object(fields) = serde_json::to_value(bare)? else { return Ok(()) };
    fields.iter().try_for_each(|(field, value)| look(field, (field, false), value))
}

/// Checks a value that belongs to `field`. `lines` is set if an enclosing field may hold text of several lines.
fn look(at: &dyn Display, (field, lines): (&str, bool), value: &Value) -> Result<()> {
    let lines = lines || LINES.contains(&field);
    match value {
        // JSON has null in place of a number that is not finite.
        Value::Null if NOT_NEGATIVE.contains(&field) => bail!("{at}: is no number"),
        Value::Null | Value::Bool(_) => Ok(()),
        Value::Number(value) => number(at, field, value),
        Value::String(word) => printed(at, lines, word),
        Value::Array(list) => {
            length(at, list.len(), LIST)?;
            let mut list = list.iter().enumerate();
            list.try_for_each(|(index, value)| look(&format_args!("{at}[{index}]"), (field, lines), value))
        }
        Value::Object(fields) => {
            length(at, fields.len(), LIST)?;
            fields.iter().try_for_each(|(name, value)| {
                printed(at, false, name)?;
                look(&format_args!("{at}.{name}"), (name, lines), value)
            })
        }
    }
}

/// Integers need no check: counts have the range of their type, and a seed may have any value.
fn number(at: &dyn Display, field: &str, value: &Number) -> Result<()> {
    let Some(value) = value.as_f64().filter(|_| value.is_f64()) else { return Ok(()) };
    if NOT_NEGATIVE.contains(&field) { not_negative(at, value) } else { bounded(at, value) }
}

/// Checks a name on one line, or a text of several lines; neither may contain other control characters.
fn printed(at: &dyn Display, lines: bool, word: &str) -> Result<()> {
    let length = word.len();
    if lines {
        ensure!(length <= TEXT, "{at}: a text of {length} bytes is longer than any");
        let steers = |c: char| c.is_control() && !['\n', '\t'].contains(&c);
        ensure!(!word.contains(steers), "{at}: holds a control character");
    } else {
        ensure!(length <= NAME, "{at}: a name of {length} bytes is longer than any");
        ensure!(!word.contains(char::is_control), "{at}: {word:?} holds a control character");
    }
    Ok(())
}

fn rows(record: &Record) -> Result<()> {
    let mut seen = BTreeSet::new();
    for (index, one) in record.rows.iter().enumerate() {
        let at = format!("rows[{index}]");
        ensure!(!one.variant.is_empty(), "{at}.variant: is empty");
        ensure!(seen.insert(one.variant.as_str()), "{at}.variant: '{}' is there twice", one.variant);
        row(&at, one)?;
    }
    let compared = record.headline.as_ref().and_then(|headline| headline.compared.as_ref());
    let compared = compared
        .map(|pair| [("headline.compared.variant", &pair.variant), ("headline.compared.other", &pair.other)]);
    let named = [("bound", &record.bound), ("baseline", &record.baseline)];
    let named = named.into_iter().filter_map(|(field, variant)| Some((field, variant.as_ref()?)));
    for (field, variant) in named.chain(compared.into_iter().flatten()) {
        // A run that failed before its first row has no rows to name.
        let named = record.rows.is_empty() || seen.contains(variant.as_str());
        ensure!(named, "{field}: there is no row '{variant}'");
    }
    Ok(())
}

fn row(at: &str, row: &Row) -> Result<()> {
    let kept = row.samples.len();
    length(&format_args!("{at}.samples"), kept, SAMPLES)?;
    for (field, figure) in [
        ("isolated_us", row.isolated_us),
        ("pipelined_us", row.pipelined_us),
        ("to_bound", row.to_bound),
        ("to_baseline", row.to_baseline),
        ("clock_mhz", row.clock_mhz),
        ("record_us", row.record_us),
        ("submit_us", row.submit_us),
        ("metric.figure", row.metric.as_ref().map(|metric| metric.figure)),
    ] {
        let Some(figure) = figure else { continue };
        let at = format!("{at}.{field}");
        summary(&at, &figure)?;
        match field {
            // The difference of two times may be negative in a single sample.
            "pipelined_us" => positive(&format_args!("{at}.median"), figure.median)?,
            "metric.figure" => {}
            "record_us" | "submit_us" => not_negative(&format_args!("{at}.min"), figure.min)?,
            _ => positive(&format_args!("{at}.min"), figure.min)?,
        }
        // A ratio covers the rounds that both rows have, and the clock may be unknown for some samples.
        let fits = if field == "isolated_us" { figure.n == kept } else { figure.n <= kept };
        ensure!(fits || kept == 0, "{at}.n: {} of {kept} samples", figure.n);
    }
    row.racy.map_or(Ok(()), |counts| racy(&format!("{at}.racy"), &counts))?;
    samples(at, &row.samples)
}

fn summary(at: &str, s: &Summary) -> Result<()> {
    ensure!(s.n > 0, "{at}.n: is 0");
    let order = [("min", s.min), ("q1", s.q1), ("median", s.median), ("q3", s.q3), ("max", s.max)];
    for pair in order.windows(2) {
        let ((below, low), (above, high)) = (pair[0], pair[1]);
        ensure!(at_most(low, high), "{at}.{above}: {high} is less than {below}, {low}");
    }
    ensure!(at_most(s.min, s.mean) && at_most(s.mean, s.max), "{at}.mean: lies outside of the samples");
    ensure!(s.outliers <= s.n, "{at}.outliers: {} of {} samples", s.outliers, s.n);
    let Some(interval) = s.median_95 else { return Ok(()) };
    let ordered = at_most(s.min, interval.low) && at_most(interval.low, s.median);
    ensure!(ordered, "{at}.median_95.low: {} does not lie between minimum and median", interval.low);
    let ordered = at_most(s.median, interval.high) && at_most(interval.high, s.max);
    ensure!(ordered, "{at}.median_95.high: {} does not lie between median and maximum", interval.high);
    Ok(())
}

fn at_most(low: f64, high: f64) -> bool {
    low <= high + ROUNDING * low.abs().max(high.abs())
}

fn racy(at: &str, racy: &Racy) -> Result<()> {
    let Racy { samples, racy_samples, median, max, .. } = *racy;
    ensure!(racy_samples <= samples, "{at}.racy_samples: {racy_samples} of {samples}");
    not_negative(&format_args!("{at}.median"), median)?;
    #[expect(clippy::cast_precision_loss, reason = "only to be compared, with room for rounding")]
    let within = at_most(median, max as f64);
    ensure!(within, "{at}.median: {median} is more than the maximum, {max}");
    Ok(())
}

fn samples(at: &str, samples: &[Sample]) -> Result<()> {
    let mut last = None;
    for (index, sample) in samples.iter().enumerate() {
        let at = |field| format!("{at}.samples[{index}].{field}");
        let Sample { round, one_us, many_us, one_mhz, many_mhz, record_us, submit_us, metric, .. } = *sample;
        ensure!(last < Some(round), "{}: {round} is not later than the one before", at("round"));
        last = Some(round);
        let measured =
            [("one_us", Some(one_us)), ("many_us", many_us), ("one_mhz", one_mhz), ("many_mhz", many_mhz)];
        metric.map_or(Ok(()), |value| bounded(&at("metric"), value))?;
        // CPU times may be too short for the clock, so 0 is allowed.
        let taken = [("record_us", record_us), ("submit_us", submit_us)];
        let wrong = |value: f64| !(value > 0.0 && value <= LARGEST);
        let found =
            measured.into_iter().find_map(|(field, value)| Some((field, value.filter(|v| wrong(*v))?)));
        let found = found.or_else(|| {
            taken
                .into_iter()
                .find_map(|(field, value)| Some((field, value.filter(|v| *v != 0.0 && wrong(*v))?)))
        });
        if let Some((field, value)) = found {
            bail!("{}: {value} is nothing that was measured", at(field));
        }
    }
    Ok(())
}

fn bounded(at: &dyn Display, value: f64) -> Result<()> {
    ensure!(value.abs() <= LARGEST, "{at}: {value:e} is out of range");
    Ok(())
}

fn not_negative(at: &dyn Display, value: f64) -> Result<()> {
    bounded(at, value)?;
    ensure!(value >= 0.0, "{at}: {value} is less than nothing");
    Ok(())
}

fn positive(at: &dyn Display, value: f64) -> Result<()> {
    bounded(at, value)?;
    ensure!(value > 0.0, "{at}: {value} is not more than nothing");
    Ok(())
}

fn length(at: &dyn Display, length: usize, most: usize) -> Result<()> {
    ensure!(length <= most, "{at}: {length} are more than any record has ({most})");
    Ok(())
}
