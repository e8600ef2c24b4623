//! Explanations that the HTML page and the Markdown share.

use super::records::Records;

/// Terms that occur in these records, with their meanings.
pub fn how_to_read(records: &Records) -> Vec<(&'static str, &'static str)> {
    let traced = records.entries.iter().flat_map(|entry| &entry.record().rows).any(|row| row.trace.is_some());
    let [all, waves] = terms();
    all.chain(waves.filter(|_| traced)).collect()
}

/// The meanings of the columns of "Waves over time".
pub fn waves() -> impl Iterator<Item = (&'static str, &'static str)> {
    let [_, waves] = terms();
    waves
}

/// The terms of every report, and those of waves. An empty line separates them in the file.
fn terms() -> [impl Iterator<Item = (&'static str, &'static str)>; 2] {
    let (all, waves) = include_str!("glossary.txt").split_once("\n\n").unwrap_or_default();
    [all, waves].map(|lines| lines.lines().filter_map(|line| line.split_once(": ")))
}

/// Text below the heading of a sweep.
pub const SWEEP: &str = "Runs of one device model and driver that differ in a single argument. Where several have the same \
value, each variant is taken from the latest. Vertical strokes are 95 % intervals of the medians.";

/// Text below the heading of a comparison of devices.
pub const DEVICES: &str = "Runs of the same work on several devices, the latest of each model and driver. Ratios compare across devices; \
times say how far apart the devices are.";

/// Caption of the times.
pub const LADDER: &str = "How long each variant takes.";
/// Caption of the race counts.
pub const RACES: &str =
    "How often each variant gave wrong pixels. The times of such a run say nothing and are left out.";
/// Caption of the scatter.
pub const SCATTER: &str = "How the samples of each variant lie around their own median.";

#[cfg(test)]
mod tests {
    use super::super::records::Entry;
    use super::super::records::tests::{RUN, found};
    use super::super::table;
    use super::*;
    use record::{Record, fixture};
    use report::Table;

    /// The columns without an explanation, except for those that are specific to a sample or named after a variant.
    fn unexplained(records: &Records, table: &Table) -> Vec<String> {
        let plain = ["Record", "Sample", "Finding", "Published", "Device", ""];
        let terms: Vec<&str> = how_to_read(records).into_iter().map(|(term, _)| term).collect();
        let heads =
            table.heads().map(|(head, _)| head.trim_end_matches(" µs").trim_end_matches(',').to_owned());
        let known = |head: &str| plain.contains(&head) || head.starts_with("times ") || terms.contains(&head);
        heads.filter(|head| !known(head)).collect()
    }

    #[test]
    fn every_column_is_explained() {
        let runs = [RUN, "2026-11-30-nvidia-h200/waves-512", "2026-11-30-nvidia-h200-suite/swizzled_remap"];
        let stated = |record: &mut Record| record.headline = fixture::record().headline;
        let records = Records::of(runs.map(|run| found(run, stated)).into());
        let rows = records.entries.iter().map(|entry| table::rows(entry.record()));
        let traces = records.entries.iter().filter_map(|entry| table::traces(entry.record()));
        let entries: Vec<&Entry> = records.entries.iter().collect();
        let tables: Vec<Table> =
            rows.chain(traces).chain([table::records("Record", &|_| String::new(), &entries)]).collect();
        assert_eq!(tables.len(), 6);
        for table in tables {
            assert_eq!(unexplained(&records, &table), [""; 0]);
        }
        let untraced = Records::of(vec![found(RUN, |_| ())]);
        assert!(!how_to_read(&untraced).iter().any(|(term, _)| *term == "Span"), "nothing was traced");
    }

    #[test]
    fn correct_says_each_word_that_the_column_has() {
        let [mut all, _] = terms();
        let (_, meaning) = all.find(|(term, _)| *term == "correct").unwrap();
        for word in ["(by the spec)", "(on this GPU)", "(no, on purpose)", "(seeded bug)"] {
            assert!(meaning.contains(word), "{word}");
        }
    }
}
