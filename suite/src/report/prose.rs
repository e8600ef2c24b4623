//! What the page and its Markdown say in the same words.

use super::book::Book;

/// How to read what these records show: a term and what it means.
pub fn how_to_read(book: &Book) -> Vec<(&'static str, &'static str)> {
    let traced = book.entries.iter().flat_map(|entry| &entry.record().rows).any(|row| row.trace.is_some());
    let waves = if traced { &WAVES[..] } else { &[] };
    HOW_TO_READ.iter().chain(waves).copied().collect()
}

const HOW_TO_READ: [(&str, &str); 15] = [
    (
        "Differs in",
        "the arguments whose values tell a record from the others of its sample; the folder, where nothing else does.",
    ),
    (
        "Rows",
        "how many variants have which status: those that are ok have figures, the others a reason. Raced ones are among those that are ok.",
    ),
    (
        "Beware",
        "what to know before believing a figure of the record: that its device is a CPU, how the tool was built, that layers were active, that it ended early, how many rows stopped before the asked precision. Empty where there is nothing of the kind.",
    ),
    (
        "Isolated",
        "one chain of work alone in a submit, from stamp to stamp: with the time in which the device fills and in which it drains.",
    ),
    (
        "Pipelined",
        "what one chain more costs in a submit of several, (T(N) − T(1)) / (N − 1). Between the chains stands the variant's own dependency and nothing else; work inside a frame is nearer to this.",
    ),
    (
        "±",
        "half the width of the 95 % interval of the median, in per cent of it. Fewer than six samples give no interval.",
    ),
    (
        "÷ and ×",
        "the median of quotients that were taken within a round, in which all variants come in random order, so that a drifting clock moves both sides.",
    ),
    ("≈", "a quotient whose interval holds 1, or which has none: no difference is shown."),
    (
        "~",
        "a time within five times the floor, which is what two timestamps with nothing in between are apart: read it with care.",
    ),
    (
        "Bound and baseline",
        "the variant that no correct one can beat, and the one that is common practice. The reference of a ratio is the bound, or the baseline where there is no bound.",
    ),
    (
        "of limit",
        "the time in which the device's own kernel, copy_limit or fma_limit, moves or computes as much as the variant declares, in per cent of the variant's isolated time. The notes of a record say what the kernel reached in the same run.",
    ),
    (
        "Racy texels",
        "how many differ from the CPU's answer, median and maximum of a sample, and in how many of the samples any did.",
    ),
    (
        "Lawful",
        "what makes the variant right: Vulkan's memory model (yes); how the caches of such devices happen to behave (hardware); nothing, for it leaves something out on purpose and may race (no); or it has a fault of known size, which the check has to find (fault). One that is right by the memory model but has a wrong texel is called wrong and has no time.",
    ),
    (
        "Raced",
        "texels differed from the CPU's answer in a variant that leaves something out on purpose. Its time is that of wrong work, so it is marked by a triangle. “None seen” is no proof that there are none.",
    ),
    (
        "Outliers",
        "samples beyond Tukey's fences, 1.5 box widths off the box. They are drawn and counted and stay in every figure.",
    ),
];

/// The columns of "Waves over time".
pub const WAVES: [(&str, &str); 11] = [
    (
        "Waves over time",
        "a wave (subgroup) is in flight from its first instruction until its last is reached; its stores may land later.",
    ),
    ("Span", "from the first wave's begin to the last one's end, of all dispatches of the variant together."),
    (
        "Fill",
        "from the first wave's begin to that of the last wave that begins before one in twenty has ended.",
    ),
    ("Steady", "what lies between fill and drain."),
    ("Drain", "the same as the fill, read from the end."),
    ("Gaps", "the time between dispatches in which none was in flight."),
    (
        "Idle",
        "the share of the device's wave slots, over the span, that no wave filled; where the device does not tell how many it has, of the most waves that were in flight.",
    ),
    (
        "Overlap next",
        "how many dispatches still had waves in flight when the next one's first wave began, of those that have a next one.",
    ),
    (
        "Estimate",
        "Lottes' ball-park for what the variant costs among others: steady, and half of fill and drain. It stands against the pipelined time.",
    ),
    (
        "Peak in flight",
        "the most waves that were in flight at once; too high where only some workgroups were recorded.",
    ),
    (
        "Tracing added",
        "how much longer the variant took while it was traced; beyond 20 % the figures are those of the traced run and not of the measured one.",
    ),
];

/// Below the heading of the sections.
pub const SWEEP: &str = "Runs of one device that differ in a single argument. Where several have the same value, each \
variant is taken from the latest. Vertical strokes are 95 % intervals of the medians.";

/// Of the devices.
pub const DEVICES: &str = "Runs of the same work on several devices, the latest of each. Ratios compare across devices; \
times say how far apart the devices are.";

/// Where a sample ran on several devices, but never with the same arguments.
pub const NO_COMPARISON: &str = "Several devices ran this sample, none with the same arguments as another, so that nothing \
is set side by side.";

/// Of the times.
pub const LADDER: &str = "How long each variant takes.";
/// Of the counts.
pub const RACES: &str = "How often each variant raced. The times of such a run say nothing and are left out.";
/// Of the scatter.
pub const SCATTER: &str = "How the samples of each variant lie around their own median.";

#[cfg(test)]
mod tests {
    use super::super::book::tests::{RUN, found};
    use super::super::table;
    use super::*;
    use report::Table;

    /// Those that have a meaning of their own; the others are of the sample or name a variant.
    fn unexplained(book: &Book, table: &Table) -> Vec<String> {
        let plain = ["Sample", "Device", "In short", "Variant"];
        let terms: Vec<&str> = how_to_read(book).into_iter().map(|(term, _)| term).collect();
        let heads = table.heads().map(|(head, _)| head.trim_end_matches(" µs").to_owned());
        let known = |head: &str| plain.contains(&head) || head.starts_with('÷') || terms.contains(&head);
        heads.filter(|head| !known(head)).collect()
    }

    #[test]
    fn every_column_is_explained() {
        let runs =
            [RUN, "2026-11-21-nvidia-h200/waves-512-4-passes", "2026-11-21-nvidia-h200-suite/swizzled_remap"];
        let book = Book::of(runs.map(|run| found(run, |_| ())).into());
        let rows = book.entries.iter().map(|entry| table::rows(entry.record()));
        let traces = book.entries.iter().filter_map(|entry| table::traces(entry.record()));
        let tables: Vec<Table> = rows.chain(traces).chain([table::overview(&book)]).collect();
        assert_eq!(tables.len(), 5);
        for table in tables {
            assert_eq!(unexplained(&book, &table), [""; 0]);
        }
        let untraced = Book::of(vec![found(RUN, |_| ())]);
        assert!(!how_to_read(&untraced).iter().any(|(term, _)| *term == "Span"), "nothing was traced");
    }

    #[test]
    fn lawful_says_each_word_that_the_column_has() {
        let (_, meaning) = HOW_TO_READ.iter().find(|(term, _)| *term == "Lawful").unwrap();
        for word in ["(yes)", "(hardware)", "(no)", "(fault)"] {
            assert!(meaning.contains(word), "{word}");
        }
    }
}
