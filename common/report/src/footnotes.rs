//! Footnotes of the table: the meaning of its figures and problems with them, each only where it applies.

use record::stats::Summary;
use record::{Ended, Promise, Published, Racy, Record, Row, Shows, Status, Stop};

use super::caveats::caveats;
use super::charset::BLANK;
use super::format::{differing, measured, trimmed, undecided};
use super::names;
use super::percent_of_limit;

/// Share of outliers among the samples above which a footnote mentions them.
const OUTLIERS: f64 = 0.05;

/// Groups of footnotes: problems with figures, meanings of figures, the record's own notes. `drawn` is
/// the text of the table above.
pub(super) fn groups(record: &Record, drawn: &str) -> Vec<Vec<String>> {
    let mut meanings = match record.matrix.as_ref().map(|matrix| matrix.shows) {
        Some(Shows::Races) => races_legend(record).into_iter().collect(),
        Some(Shows::Ratios) => ratios_legend(record).into_iter().collect(),
        Some(Shows::Times | Shows::PerUnit) => vec!["Cells: medians of a repetition.".into()],
        Some(Shows::Metric) => {
            vec!["Cells: medians of all samples, in the unit that the title names.".into()]
        }
        None => {
            let mut lines = legend(record);
            lines.extend(racy(record));
            lines
        }
    };
    meanings.extend(percent_of_limit::legend(record, record.matrix.is_some()));
    meanings.extend(published(record));
    let groups = [cautions_beside(record, drawn), meanings, record.notes.clone()];
    groups.into_iter().filter(|group| !group.is_empty()).collect()
}

/// The sample's own conclusion, in lines.
#[must_use]
pub fn short(record: &Record) -> Vec<String> {
    record.verdict.iter().flat_map(|text| text.lines()).map(str::to_owned).collect()
}

/// Problems with the figures, one line each.
#[must_use]
pub fn cautions(record: &Record) -> Vec<String> {
    cautions_beside(record, "")
}

/// Like [`cautions`], without the reasons that `drawn` already contains.
fn cautions_beside(record: &Record, drawn: &str) -> Vec<String> {
    let mut cautions = Vec::new();
    cautions.extend(ended(&record.ended));
    cautions.extend(caveats(record));
    cautions.extend(statuses(record, drawn));
    let shows = record.matrix.as_ref().map(|matrix| matrix.shows);
    cautions.extend(stopped(record));
    if shows != Some(Shows::Races) {
        cautions.extend(near_floor(record));
    }
    if shows.is_none() {
        cautions.extend(outliers(record));
    }
    cautions.extend(promises(record));
    cautions
}

/// How results were checked, and what the shares of limits refer to: for a table that lists every row.
#[must_use]
pub fn meanings(record: &Record) -> Vec<String> {
    racy(record).into_iter().chain(percent_of_limit::legend(record, false)).collect()
}

pub(super) fn ended(ended: &Ended) -> Option<String> {
    match ended {
        Ended::Complete => None,
        Ended::Interrupted => {
            Some("The run was interrupted: figures are of the samples taken until then.".into())
        }
        Ended::Unfinished => {
            Some("The run was under way when this was written, or its process was killed.".into())
        }
        Ended::Failed { reason } => Some(format!("The run failed: {reason}")),
    }
}

/// The reasons of rows without figures, unless the table already shows them.
fn statuses(record: &Record, drawn: &str) -> Vec<String> {
    let mut said = Vec::new();
    for row in &record.rows {
        let (what, reason) = match &row.status {
            Status::Ok => continue,
            Status::Skipped { reason } => ("skipped", reason),
            Status::Unsupported { reason } => ("unsupported", reason),
            Status::Throttled { reason } => ("throttled", reason),
            Status::Wrong { elements, first } => {
                let differing = differing(*elements);
                let times = record.matrix.as_ref().is_none_or(|matrix| matrix.shows != Shows::Races);
                let timeless = if times { ", so there is no time" } else { "" };
                said.push((format!("wrong{timeless}: {differing}; the first: {first}"), &*row.variant));
                continue;
            }
            Status::Error { reason } => ("could not be measured", reason),
        };
        if !drawn.contains(reason.as_str()) {
            said.push((format!("{what}: {reason}"), &*row.variant));
        }
    }
    lines(record, said)
}

/// How many variants stopped before they had enough samples, and why. The record says which condition each missed.
fn stopped(record: &Record) -> Vec<String> {
    let reasons = record.rows.iter().filter_map(|row| match row.stop.as_ref()? {
        Stop::Budget { .. } => Some(format!("time budget of {} s used up", trimmed(record.method.budget_s))),
        Stop::SampleLimit { .. } => {
            Some(format!("{} samples without a steady median", record.method.rule.most_for_median))
        }
        Stop::Throttled => Some("the clock stayed too low".to_owned()),
        Stop::Interrupted => Some("interrupted".to_owned()),
        _ => None,
    });
    let all = record.rows.iter().filter(|row| measured(row)).count();
    let reasons = names::grouped(reasons.map(|reason| (reason, ())));
    let line = |(reason, rows): (String, Vec<()>)| {
        format!("{} of {all} variants stopped early: {reason}", rows.len())
    };
    reasons.into_iter().map(line).collect()
}

fn near_floor(record: &Record) -> Option<String> {
    let names = names(record, |row| row.near_floor);
    (!names.is_empty()).then(|| {
        format!(
            "{names}: within five times the {}{BLANK}µs that two timestamps with nothing between them are apart.",
            trimmed(record.method.floor_us)
        )
    })
}

/// One line for all rows: most runs have a few outliers, and the record has every sample.
fn outliers(record: &Record) -> Option<String> {
    let worst = |row: &Row| {
        let both = [row.isolated_us, row.pipelined_us].into_iter().flatten();
        both.map(|s| share(&s)).fold(0.0, f64::max)
    };
    let many = || record.rows.iter().filter(|row| measured(row) && worst(row) > OUTLIERS);
    let most = many().map(worst).fold(0.0, f64::max) * 100.0;
    let names: Vec<_> = many().map(|row| row.variant.clone()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "Outliers, kept: up to {most:.0}{BLANK}% of a variant's samples lie outside Tukey's fences ({}).",
            names::of(record, &names)
        )
    })
}

#[expect(clippy::cast_precision_loss, reason = "a count of samples fits 52 bits")]
fn share(summary: &Summary) -> f64 {
    summary.outliers as f64 / summary.n as f64
}

fn promises(record: &Record) -> Vec<String> {
    let ran = |row: &&Row| !matches!(row.status, Status::Skipped { .. } | Status::Unsupported { .. });
    let said = record.rows.iter().filter(ran).filter_map(|row| {
        let text = match &row.promise {
            Promise::Hardware { relies_on } => {
                format!("correct on this GPU, not by the Vulkan specification; relies on {relies_on}")
            }
            Promise::Nothing { leaves_out } => format!("wrong on purpose: leaves out {leaves_out}"),
            Promise::Fault { elements } if measured(row) => {
                format!("has a seeded bug; in every sample only its {} differed", pixels(*elements))
            }
            Promise::Law | Promise::Fault { .. } | Promise::OtherApi { .. } => return None,
        };
        Some((text, &*row.variant))
    });
    lines(record, said)
}

fn pixels(count: u64) -> String {
    if count == 1 { "1 pixel".into() } else { format!("{count} pixels") }
}

/// `n samples`, or `n to m samples` where rows differ.
fn samples(least: usize, most: usize) -> String {
    let plural = if most == 1 { "" } else { "s" };
    format!("{} sample{plural}", range(&least, &most))
}

/// The meaning of the columns of times and ratios.
fn legend(record: &Record) -> Vec<String> {
    let times: Vec<&Row> =
        record.rows.iter().filter(|row| measured(row) && row.isolated_us.is_some()).collect();
    let counts = times.iter().filter_map(|row| row.isolated_us).map(|s| s.n);
    let Some((least, most)) = counts.clone().min().zip(counts.max()) else {
        return vec![];
    };
    let mut lines = vec![format!(
        "Times: median ± half the width of its 95{BLANK}% interval (none below 6 samples), {} per variant.",
        samples(least, most)
    )];
    let n = record.method.repetitions;
    if times.iter().any(|row| row.pipelined_us.is_some()) {
        lines.push(format!(
            "Back to back: what one more repetition costs, (T({n}) − T(1)) / {}.",
            n.saturating_sub(1)
        ));
    }
    lines.extend(ratio_legend(&times));
    lines
}

/// The meaning of cells with ratios.
fn ratios_legend(record: &Record) -> Option<String> {
    let reference = record.rows.iter().find(|row| Some(row.variant.as_str()) == record.reference())?;
    let times = record.rows.iter().filter(|row| measured(row)).filter_map(|row| row.isolated_us);
    let counts = times.map(|times| times.n);
    let (least, most) = (counts.clone().min()?, counts.max()?);
    let mut text = format!(
        "Cells: time alone divided by that of {}, which takes {}{BLANK}µs; medians of {} per variant",
        reference.label(),
        trimmed(reference.isolated_us?.median),
        samples(least, most)
    );
    let rows = || record.rows.iter().filter(|row| measured(row));
    if rows().filter_map(|row| record.to_reference(row)).any(|ratio| undecided(&ratio)) {
        text += &format!("; ≈ where the 95{BLANK}% interval holds 1 or is missing");
    }
    Some(text + ".")
}

/// The meaning of brief cells with race counts.
pub(super) fn trials_legend(record: &Record) -> Option<String> {
    let racy = record.rows.iter().filter(|row| measured(row)).filter_map(|row| row.racy);
    let trials = racy.map(|racy| racy.samples).min()?;
    let bound = super::cross::rounded_up(100.0 * record::stats::none_seen_bound(trials));
    Some(format!(
        "Cells: trials with wrong pixels. None in {trials} leaves room for up to {bound}{BLANK}% of trials (95{BLANK}%)."
    ))
}

/// The meaning of cells with race counts.
fn races_legend(record: &Record) -> Option<String> {
    let counts: Vec<Racy> =
        record.rows.iter().filter(|row| measured(row)).filter_map(|row| row.racy).collect();
    counts.first()?;
    Some(format!(
        "Cells: pixels that differ from the CPU reference's, median and maximum of a trial, and in how many of the \
         trials any did. Where none was seen, the limit in brackets is the upper end of the one-sided \
         95{BLANK}% interval of the share of wrong trials, 1 − 0.05^(1/N): it is no proof that there is none."
    ))
}

fn ratio_legend(rows: &[&Row]) -> Option<String> {
    let ratios: Vec<Summary> =
        rows.iter().flat_map(|row| [row.to_bound, row.to_baseline]).flatten().collect();
    let mark = if ratios.iter().any(undecided) {
        format!("; ≈ where its 95{BLANK}% interval holds 1 or is missing, so that no difference is shown")
    } else {
        String::new()
    };
    (!ratios.is_empty()).then(|| format!("Ratios: median of times alone divided within rounds{mark}."))
}

/// Says that every result was compared with the CPU reference.
fn racy(record: &Record) -> Option<String> {
    let counts: Vec<Racy> =
        record.rows.iter().filter(|row| measured(row)).filter_map(|row| row.racy).collect();
    let (least, most) = counts.iter().map(|r| r.of).min().zip(counts.iter().map(|r| r.of).max())?;
    let has_others = record.rows.iter().any(|row| matches!(row.promise, Promise::OtherApi { .. }));
    let apart = if has_others { " (by another API: only the last one's)" } else { "" };
    let of = range(&least, &most);
    // If every variant has to be right, the table has no column for wrong elements.
    if record.rows.iter().all(|row| row.promise.must_be_right()) {
        let runs = counts.iter().map(|racy| racy.samples).min().unwrap_or(0);
        return Some(format!(
            "Checked: all {of} elements of each repetition's result{apart}, in every sample ({runs} or more per variant), against \
             the CPU reference: a variant with figures had none wrong."
        ));
    }
    let checked = format!("each repetition's {of} pixels{apart} are compared with the CPU reference's");
    Some(if counts.iter().any(|r| r.racy_samples > 0) {
        format!(
            "Wrong pixels: {checked}; median count of those that differ in a short submit (max: the largest), and in how many of the runs any did, long submits included."
        )
    } else {
        format!("Wrong pixels: {checked}.")
    })
}

fn published(record: &Record) -> Vec<String> {
    let said = record.rows.iter().filter_map(|row| {
        let Published { value, unit, device, source } = row.published.as_ref()?;
        Some((format!("on {device} ({unit}): {source}"), format!("{} {value:.2}", row.label())))
    });
    let line = |(text, names): (String, Vec<String>)| format!("Published: {} {text}.", names.join(", "));
    names::grouped(said).into_iter().map(line).collect()
}

fn names(record: &Record, which: fn(&Row) -> bool) -> String {
    let rows = record.rows.iter().filter(|row| which(row));
    names::of(record, &rows.map(|row| row.variant.clone()).collect::<Vec<_>>())
}

fn range<T: PartialEq + ToString>(least: &T, most: &T) -> String {
    if least == most { least.to_string() } else { format!("{} to {}", least.to_string(), most.to_string()) }
}

/// One line per text, with the variants that it applies to.
fn lines<'r>(record: &Record, said: impl IntoIterator<Item = (String, &'r str)>) -> Vec<String> {
    let said = said.into_iter().map(|(text, variant)| (text, variant.to_owned()));
    let line = |(text, variants): (String, Vec<String>)| format!("{}: {text}", names::of(record, &variants));
    names::grouped(said).into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;

    #[test]
    fn rows_with_the_same_text_share_a_line() {
        let said =
            [("x", "events"), ("y", "no_barrier"), ("x", "cold")].map(|(text, name)| (text.to_owned(), name));
        assert_eq!(lines(&fixture::record(), said), ["events; cold: x", "no barrier: y"]);
    }

    #[test]
    fn what_another_api_repeats_is_not_called_checked() {
        let mut record = fixture::record();
        let tells = |record: &Record| racy(record).unwrap().contains("(by another API: only the last one's)");
        assert!(!tells(&record));
        record.rows[1].promise = Promise::OtherApi { api: "CUDA 13.0".into() };
        assert!(tells(&record));
        record.rows.retain(|row| row.promise.must_be_right());
        assert!(tells(&record));
    }
}
