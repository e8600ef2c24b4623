//! Whether the results of a run were right, in lines.

use record::{Kind, Promise, Record, Row, Shows, Status};

use super::format::{differing, measured};
use super::names::grouped;

/// A line, and whether it tells of something wrong.
pub(super) type Line = (bool, String);

/// What was wrong, what was right, and what did not run. Without a table (`shows_table`) its words on the variants are
/// among the lines.
pub(super) fn lines(record: &Record, shows_table: bool) -> Vec<Line> {
    let mut lines: Vec<Line> = record.rows.iter().filter_map(wrong).map(|text| (true, text)).collect();
    let by_promise =
        |is: fn(&Promise) -> bool| record.rows.iter().filter(move |row| measured(row) && is(&row.promise));
    let relying = || by_promise(|promise| matches!(promise, Promise::Hardware { .. }));
    let racing = || by_promise(|promise| matches!(promise, Promise::Nothing { .. }));
    let counts = record.matrix.as_ref().is_some_and(|matrix| matrix.shows == Shows::Races);
    if !(shows_table && counts) {
        lines.extend(relying().filter_map(in_runs).map(|text| (true, format!("✗ wrong results: {text}"))));
    }
    lines.extend(right(record, !lines.is_empty()).map(|text| (false, text)));
    if shows_table && record.matrix.is_none() && relying().next().is_some() {
        lines.push((false, "¹ right on this GPU, not by the Vulkan specification".into()));
    }
    // A CPU device races nowhere.
    if shows_table && !counts && record.device.kind != Kind::Cpu && racing().next().is_some() {
        let wrong: Vec<String> = racing().filter_map(in_runs).collect();
        let wrong = if wrong.is_empty() {
            "no wrong result seen".to_owned()
        } else {
            format!("wrong: {}", wrong.join("; "))
        };
        let mark = if record.matrix.is_none() { "(races): " } else { "" };
        lines.push((false, format!("{mark}synchronisation is left out on purpose; {wrong}")));
    }
    // A table of one line per variant has the reasons.
    if !shows_table || record.matrix.is_some() {
        lines.extend(left_out(record).map(|text| (false, text)));
    }
    lines
}

/// Why a row has no time although it ran.
fn wrong(row: &Row) -> Option<String> {
    match &row.status {
        Status::Wrong { elements, first } => {
            let differing = differing(*elements);
            Some(format!("✗ {}: {differing}, so there is no time. The first: {first}", row.label()))
        }
        Status::Error { reason } | Status::Throttled { reason } => {
            Some(format!("✗ {}: {reason}", row.label()))
        }
        _ => None,
    }
}

/// `no sync in 3 of 61 runs`: in how many runs a variant was wrong; `None` if it was in none.
fn in_runs(row: &Row) -> Option<String> {
    let racy = row.racy.filter(|racy| racy.racy_samples > 0)?;
    Some(format!("{} in {} of {} runs", row.label(), racy.racy_samples, racy.samples))
}

/// In how many runs the results were right that the specification promises.
fn right(record: &Record, others_were_wrong: bool) -> impl Iterator<Item = String> {
    let by_law = record.rows.iter().filter(|row| measured(row) && row.promise.must_be_right());
    let runs = by_law.filter_map(|row| Some(row.racy?.samples));
    runs.clone().min().zip(runs.max()).into_iter().map(move |(least, most)| {
        let runs = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        let plural = if most == 1 { "" } else { "s" };
        let every = if others_were_wrong { "every other" } else { "every" };
        format!("✓ {every} result that must be right was right in {runs} run{plural} per variant")
    })
}

/// The variants that did not run, with the reasons.
pub(super) fn left_out(record: &Record) -> impl Iterator<Item = String> {
    let reason = |row: &Row| match &row.status {
        Status::Skipped { reason } | Status::Unsupported { reason } => Some(reason.clone()),
        _ => None,
    };
    let reasons = record.rows.iter().filter_map(|row| Some((reason(row)?, row.label())));
    grouped(reasons).into_iter().map(|(reason, labels)| format!("not run: {}: {reason}", labels.join("; ")))
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;

    fn text(record: &Record, shows_table: bool) -> String {
        let lines = lines(record, shows_table).into_iter();
        lines.map(|(bad, line)| format!("{}{line}\n", if bad { "BAD " } else { "" })).collect()
    }

    #[test]
    fn what_was_wrong_is_said_with_and_without_a_table() {
        let mut record = fixture::record();
        record.rows[3].racy.as_mut().unwrap().racy_samples = 2;
        for shows_table in [true, false] {
            let text = text(&record, shows_table);
            for words in [
                "BAD ✗ late acquire: 3 elements",
                "BAD ✗ cold: zero",
                "BAD ✗ wrong results: events in 2 of 24 runs",
            ] {
                assert!(text.contains(words), "no '{words}':\n{text}");
            }
            assert!(text.contains("✓ every other result that must be right"), "{text}");
            assert_eq!(text.contains("not run: two queues: the device has one"), !shows_table, "{text}");
        }
        let mut cross = fixture::ratios();
        cross.rows[1].promise = Promise::relies_on("caches");
        cross.rows[1].racy = record.rows[5].racy;
        assert!(text(&cross, true).contains("BAD ✗ wrong results: full barrier in 3 of 61 runs"));
        assert!(text(&cross, true).contains("not run: two queues"));
    }

    #[test]
    fn what_was_not_checked_is_not_called_right() {
        let mut record = fixture::record();
        record.rows.iter_mut().for_each(|row| row.racy = None);
        assert!(!text(&record, true).contains('✓'), "{}", text(&record, true));
    }
}
