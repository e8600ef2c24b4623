//! What no honest record holds. A record comes from anywhere: what was read has the right types, and
//! this looks whether its values can be those of a measurement, before a table, a verdict or a page is
//! made of them.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt::{self, Display};

use anyhow::{Result, bail, ensure};
use serde_json::Value;

use crate::self_test::Certificate;
use crate::stats::Summary;
use crate::{DeviceFacts, Ended, KernelFacts, Method, Promise, Racy, Record, Row, Sample, Status, Stop};

/// A name is no longer, in bytes: that of a kernel holds its defines, which may be a list of weights.
const NAME: usize = 1 << 16;
/// A text is no longer, in bytes.
const TEXT: usize = 1 << 18;
/// A list in a record is no longer, samples aside.
const LIST: usize = 10_000;
/// A row has no more samples.
const SAMPLES: usize = 2_000_000;
/// No time, clock, ratio or figure is larger: it squares and sums without becoming infinite.
const LARGEST: f64 = 1e15;
/// Interpolated quantiles may differ from their neighbours by as much through rounding.
const ROUNDING: f64 = 1e-9;

/// Refuses what no honest record holds.
///
/// # Errors
/// The first field that is wrong, as a path such as `rows[3].isolated_us.median`, and what is wrong with it.
pub fn validate(record: &Record) -> Result<()> {
    name(&"sample", &record.sample)?;
    ensure!(!record.sample.is_empty(), "sample: is empty");
    words(record)?;
    finite(&"seconds", record.seconds)?;
    if humantime::parse_rfc3339(&record.started).is_err() {
        bail!("started: is no date in the form 2026-01-31T12:00:00Z");
    }
    device(&record.device)?;
    method(&record.method)?;
    length(&"kernels", record.kernels.len(), LIST)?;
    for (at, facts) in record.kernels.iter().enumerate() {
        kernel(&At("kernels", at), facts)?;
    }
    record.self_test.as_ref().map_or(Ok(()), certificate)?;
    rows(record)?;
    printed(record)
}

/// Looks at every text of the record, whatever its field: those above have bounds of their own, and this
/// lets none through that was forgotten there.
fn printed(record: &Record) -> Result<()> {
    // Only what owns nothing is `Copy`: a sample has no text, and there may be a million.
    const fn owns_nothing<T: Copy>() {}
    const { owns_nothing::<Sample>() };
    let mut bare = record.clone();
    bare.rows.iter_mut().for_each(|row| row.samples.clear());
    let Value::Object(fields) = serde_json::to_value(bare)? else { return Ok(()) };
    fields.iter().try_for_each(|(field, value)| strings(field, value))
}

fn strings(at: &dyn Display, value: &Value) -> Result<()> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        Value::String(word) => text(at, word),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .try_for_each(|(index, value)| strings(&format_args!("{at}[{index}]"), value)),
        Value::Object(fields) => fields.iter().try_for_each(|(field, value)| {
            text(at, field)?;
            strings(&Of(at, field), value)
        }),
    }
}

/// A path into a list.
struct At<'f>(&'f str, usize);

impl Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.0, self.1)
    }
}

/// A field of what is at a path.
struct Of<'f>(&'f dyn Display, &'f str);

impl Display for Of<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

fn words(record: &Record) -> Result<()> {
    let tool = &record.tool;
    for (field, word) in [
        ("tool.name", &tool.name),
        ("tool.version", &tool.version),
        ("tool.build", &tool.build),
        ("tool.shaders", &tool.shaders),
        ("host.system", &record.host.system),
    ] {
        name(&field, word)?;
    }
    optional(&"tool.commit", tool.commit.as_deref(), name)?;
    optional(&"host.processor", record.host.processor.as_deref(), name)?;
    optional(&"verdict", record.verdict.as_deref(), text)?;
    for (field, list) in [("command", &record.command), ("notes", &record.notes)] {
        length(&field, list.len(), LIST)?;
        list.iter().enumerate().try_for_each(|(at, word)| text(&At(field, at), word))?;
    }
    length(&"configuration", record.configuration.len(), LIST)?;
    for (key, value) in &record.configuration {
        name(&"configuration", key)?;
        text(&Of(&"configuration", key), value)?;
    }
    if let Some(matrix) = &record.matrix {
        name(&"matrix.corner", &matrix.corner)?;
    }
    match &record.ended {
        Ended::Failed { reason } => text(&"ended.reason", reason),
        Ended::Complete | Ended::Interrupted | Ended::Unfinished => Ok(()),
    }
}

fn device(device: &DeviceFacts) -> Result<()> {
    for (field, word) in [
        ("device.name", &device.name),
        ("device.uuid", &device.uuid),
        ("device.driver_name", &device.driver_name),
        ("device.driver_info", &device.driver_info),
        ("device.api_version", &device.api_version),
        ("device.conformance_version", &device.conformance_version),
        ("device.queue_family", &device.queue_family),
    ] {
        name(&field, word)?;
    }
    optional(&"device.second_queue_family", device.second_queue_family.as_deref(), name)?;
    finite(&"device.timestamp_period_ns", device.timestamp_period_ns.into())?;
    ensure!(device.timestamp_bits <= 64, "device.timestamp_bits: {} are too many", device.timestamp_bits);
    if let Some(units) = device.multiprocessors {
        let slots =
            units.count.checked_mul(units.simds).and_then(|n| n.checked_mul(units.subgroups_per_simd));
        ensure!(slots.is_some(), "device.multiprocessors: no device has so many");
    }
    Ok(())
}

fn method(method: &Method) -> Result<()> {
    ensure!(method.repetitions >= 1, "method.repetitions: is 0");
    finite(&"method.budget_s", method.budget_s)?;
    finite(&"method.floor_us", method.floor_us)?;
    finite(&"method.rule.noise", method.rule.noise)?;
    finite(&"method.rule.stable_noise", method.rule.stable_noise)?;
    finite(&"method.rule.median", method.rule.median)?;
    method.reference_mhz.map_or(Ok(()), |mhz| positive(&"method.reference_mhz", mhz))?;
    text(&"method.caches", &method.caches)?;
    text(&"method.clocks", &method.clocks)?;
    length(&"method.tools", method.tools.len(), LIST)?;
    method.tools.iter().enumerate().try_for_each(|(at, tool)| text(&At("method.tools", at), tool))
}

fn kernel(at: &dyn Display, kernel: &KernelFacts) -> Result<()> {
    name(&Of(at, "name"), &kernel.name)?;
    name(&Of(at, "spirv_sha256"), &kernel.spirv_sha256)?;
    length(&Of(at, "constants"), kernel.constants.len(), LIST)?;
    kernel.constants.keys().try_for_each(|key| name(&Of(at, "constants"), key))
}

fn certificate(certificate: &Certificate) -> Result<()> {
    finite(&"self_test.seconds", certificate.seconds)?;
    length(&"self_test.checks", certificate.checks.len(), LIST)?;
    for (at, check) in certificate.checks.iter().enumerate() {
        let at = At("self_test.checks", at);
        name(&Of(&at, "name"), &check.name)?;
        text(&Of(&at, "found"), &check.found)?;
        length(&Of(&at, "figures"), check.figures.len(), LIST)?;
        for (index, figure) in check.figures.iter().enumerate() {
            let at = format!("{at}.figures[{index}]");
            name(&Of(&at, "name"), &figure.name)?;
            bounded(&Of(&at, "value"), figure.value)?;
            name(&Of(&at, "unit"), &figure.unit)?;
        }
    }
    Ok(())
}

fn rows(record: &Record) -> Result<()> {
    length(&"rows", record.rows.len(), LIST)?;
    let mut seen = BTreeSet::new();
    for (at, one) in record.rows.iter().enumerate() {
        let at = At("rows", at);
        name(&Of(&at, "variant"), &one.variant)?;
        ensure!(!one.variant.is_empty(), "{at}.variant: is empty");
        ensure!(seen.insert(one.variant.as_str()), "{at}.variant: '{}' is there twice", one.variant);
        row(&at, one)?;
    }
    for (field, variant) in [("bound", &record.bound), ("baseline", &record.baseline)] {
        let Some(variant) = variant else { continue };
        name(&field, variant)?;
        // A run that failed before its first row has none that could be named.
        let named = record.rows.is_empty() || seen.contains(variant.as_str());
        ensure!(named, "{field}: there is no row '{variant}'");
    }
    Ok(())
}

fn row(at: &dyn Display, row: &Row) -> Result<()> {
    row_words(at, row)?;
    if let Some(Stop::Budget { unmet }) = &row.stop {
        length(&Of(at, "stop.unmet"), unmet.len(), LIST)?;
    }
    let kept = row.samples.len();
    length(&Of(at, "samples"), kept, SAMPLES)?;
    let figures = [
        ("isolated_us", row.isolated_us, Sign::Positive),
        ("pipelined_us", row.pipelined_us, Sign::PositiveMedian),
        ("to_bound", row.to_bound, Sign::Positive),
        ("to_baseline", row.to_baseline, Sign::Positive),
        ("clock_mhz", row.clock_mhz, Sign::Positive),
        ("record_us", row.record_us, Sign::NotNegative),
        ("submit_us", row.submit_us, Sign::NotNegative),
    ];
    for (field, figure, sign) in figures {
        let Some(figure) = figure else { continue };
        let at = Of(at, field);
        summary(&at, &figure, sign)?;
        // Ratios have the rounds that both rows have, and a clock may be unknown for some samples.
        let fits = if field == "isolated_us" { figure.n == kept } else { figure.n <= kept };
        ensure!(fits || kept == 0, "{at}.n: {} of {kept} samples", figure.n);
    }
    row.racy.map_or(Ok(()), |counts| racy(&Of(at, "racy"), &counts))?;
    if let Some(trace) = &row.trace {
        plain(&Of(at, "trace"), &serde_json::to_value(trace)?)?;
    }
    samples(at, &row.samples)
}

fn row_words(at: &dyn Display, row: &Row) -> Result<()> {
    match &row.status {
        Status::Ok => {}
        Status::Skipped { reason }
        | Status::Unsupported { reason }
        | Status::Throttled { reason }
        | Status::Error { reason } => text(&Of(at, "status.reason"), reason)?,
        Status::Wrong { first, .. } => text(&Of(at, "status.first"), first)?,
    }
    match &row.promise {
        Promise::Law | Promise::Fault { .. } => {}
        Promise::Hardware { relies_on } => text(&Of(at, "promise.relies_on"), relies_on)?,
        Promise::Nothing { leaves_out } => text(&Of(at, "promise.leaves_out"), leaves_out)?,
    }
    if let Some(published) = &row.published {
        bounded(&Of(at, "published.value"), published.value)?;
        name(&Of(at, "published.unit"), &published.unit)?;
        name(&Of(at, "published.device"), &published.device)?;
        text(&Of(at, "published.source"), &published.source)?;
    }
    if let Some(cell) = &row.cell {
        name(&Of(at, "cell.table"), &cell.table)?;
        name(&Of(at, "cell.row"), &cell.row)?;
        name(&Of(at, "cell.column"), &cell.column)?;
    }
    let declared = &row.declared;
    optional(&Of(at, "declared.limit"), declared.limit.as_deref(), name)?;
    optional(&Of(at, "declared.work.unit"), declared.work.as_ref().map(|work| work.unit.as_str()), name)?;
    if let Some(predicted) = &declared.predicted {
        name(&Of(at, "declared.predicted.what"), &predicted.what)?;
        bounded(&Of(at, "declared.predicted.value"), predicted.value)?;
    }
    Ok(())
}

/// What a figure can be.
#[derive(Clone, Copy)]
enum Sign {
    /// Every sample is above zero.
    Positive,
    /// The median is: a difference of two times may fall below zero in a sample.
    PositiveMedian,
    /// No sample is below zero.
    NotNegative,
}

fn summary(at: &dyn Display, s: &Summary, sign: Sign) -> Result<()> {
    let order = [("min", s.min), ("q1", s.q1), ("median", s.median), ("q3", s.q3), ("max", s.max)];
    let rest = [("iqr", s.iqr), ("mean", s.mean), ("stdev", s.stdev), ("relative_stdev", s.relative_stdev)];
    for (field, value) in order.into_iter().chain(rest) {
        bounded(&Of(at, field), value)?;
    }
    ensure!(s.n > 0, "{at}.n: is 0");
    match sign {
        Sign::Positive => positive(&Of(at, "min"), s.min)?,
        Sign::PositiveMedian => positive(&Of(at, "median"), s.median)?,
        Sign::NotNegative => finite(&Of(at, "min"), s.min)?,
    }
    for pair in order.windows(2) {
        let ((below, low), (above, high)) = (pair[0], pair[1]);
        ensure!(at_most(low, high), "{at}.{above}: {high} is less than {below}, {low}");
    }
    ensure!(at_most(s.min, s.mean) && at_most(s.mean, s.max), "{at}.mean: lies outside of the samples");
    for (field, value) in [("iqr", s.iqr), ("stdev", s.stdev), ("relative_stdev", s.relative_stdev)] {
        finite(&Of(at, field), value)?;
    }
    ensure!(s.outliers <= s.n, "{at}.outliers: {} of {} samples", s.outliers, s.n);
    let Some(interval) = s.median_95 else { return Ok(()) };
    bounded(&Of(at, "median_95.low"), interval.low)?;
    bounded(&Of(at, "median_95.high"), interval.high)?;
    let ordered = at_most(s.min, interval.low) && at_most(interval.low, s.median);
    ensure!(ordered, "{at}.median_95.low: {} does not lie between minimum and median", interval.low);
    let ordered = at_most(s.median, interval.high) && at_most(interval.high, s.max);
    ensure!(ordered, "{at}.median_95.high: {} does not lie between median and maximum", interval.high);
    Ok(())
}

fn at_most(low: f64, high: f64) -> bool {
    low <= high + ROUNDING * low.abs().max(high.abs())
}

fn racy(at: &dyn Display, racy: &Racy) -> Result<()> {
    let Racy { samples, racy_samples, median, max, .. } = *racy;
    ensure!(racy_samples <= samples, "{at}.racy_samples: {racy_samples} of {samples}");
    finite(&Of(at, "median"), median)?;
    #[expect(clippy::cast_precision_loss, reason = "only to be compared, with room for rounding")]
    let within = at_most(median, max as f64);
    ensure!(within, "{at}.median: {median} is more than the maximum, {max}");
    Ok(())
}

fn samples(at: &dyn Display, samples: &[Sample]) -> Result<()> {
    let mut last = None;
    for (index, sample) in samples.iter().enumerate() {
        let at = Of(at, "samples");
        let wrong = |field: &str, value: &dyn Display, what: &str| -> Result<()> {
            bail!("{at}[{index}].{field}: {value} is {what}")
        };
        let Sample { round, one_us, many_us, one_mhz, many_mhz, record_us, submit_us, .. } = *sample;
        if last.is_some_and(|last| last >= round) {
            wrong("round", &round, "not later than the one before")?;
        }
        last = Some(round);
        let above =
            [("one_us", Some(one_us)), ("many_us", many_us), ("one_mhz", one_mhz), ("many_mhz", many_mhz)];
        for (field, value) in above.into_iter().filter_map(|(field, value)| Some((field, value?))) {
            if !(value > 0.0 && value <= LARGEST) {
                wrong(field, &value, "nothing that was measured")?;
            }
        }
        for (field, value) in [("record_us", record_us), ("submit_us", submit_us)] {
            if !(0.0..=LARGEST).contains(&value) {
                wrong(field, &value, "nothing that was measured")?;
            }
        }
    }
    Ok(())
}

/// What holds for any figures, names and lists: a trace has many of each.
fn plain(at: &dyn Display, value: &Value) -> Result<()> {
    match value {
        Value::Null | Value::Bool(_) => Ok(()),
        Value::Number(number) => number.as_f64().map_or(Ok(()), |number| bounded(at, number)),
        Value::String(word) => text(at, word),
        Value::Array(list) => {
            length(at, list.len(), LIST)?;
            list.iter().enumerate().try_for_each(|(index, value)| plain(&format!("{at}[{index}]"), value))
        }
        Value::Object(fields) => fields.iter().try_for_each(|(field, value)| plain(&Of(at, field), value)),
    }
}

fn bounded(at: &dyn Display, value: f64) -> Result<()> {
    ensure!(value.abs() <= LARGEST, "{at}: {value:e} is out of range");
    Ok(())
}

fn finite(at: &dyn Display, value: f64) -> Result<()> {
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

/// One line of text.
fn name(at: &dyn Display, word: &str) -> Result<()> {
    ensure!(word.len() <= NAME, "{at}: a name of {} bytes is longer than any", word.len());
    ensure!(!word.chars().any(char::is_control), "{at}: {word:?} holds a control character");
    Ok(())
}

/// Text that may have lines; what steers a terminal has no place in it.
fn text(at: &dyn Display, text: &str) -> Result<()> {
    ensure!(text.len() <= TEXT, "{at}: a text of {} bytes is longer than any", text.len());
    let steers = |c: char| c.is_control() && !['\n', '\t'].contains(&c);
    ensure!(!text.contains(steers), "{at}: holds a control character");
    Ok(())
}

fn optional(at: &dyn Display, word: Option<&str>, check: fn(&dyn Display, &str) -> Result<()>) -> Result<()> {
    word.map_or(Ok(()), |word| check(at, word))
}
