//! How large a loop may be, and what it costs beyond.

use common::{Figures, Headline, Holds, Time};
use samples::plateaus::plateaus;
use samples::words::published;

use crate::{BLOCK, BLOCKS};

const NVIDIA: u32 = 0x10DE;
/// Additions in a loop that most instruction caches hold, and in one that none does.
const SMALL: u32 = 1024;
const LARGE: u32 = 32768;

/// What was measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// PCI vendor id: how long an addition is.
    pub vendor: u32,
    /// Numbers of waves, ascending.
    pub waves: Vec<u32>,
}

impl Plan {
    /// `2048 additions (32 KiB)`, in KiB where all instructions have 16 bytes.
    fn size(&self, additions: u32) -> String {
        let kib = (self.vendor == NVIDIA).then(|| format!(" ({} KiB)", additions * 16 / 1024));
        format!("{additions} additions{}", kib.unwrap_or_default())
    }

    /// `2.20x as long with 1 wave, 1.08x with 16`, of the numbers of waves that have figures.
    fn times(&self, times: impl Fn(u32) -> Option<f64>) -> Option<String> {
        let times = self.waves.iter().filter_map(|waves| Some((*waves, times(*waves)?)));
        let words = times.enumerate().map(|(at, (waves, times))| match (at, waves) {
            (0, 1) => format!("{times:.2}x as long with 1 wave"),
            (0, _) => format!("{times:.2}x as long with {waves} waves"),
            _ => format!("{times:.2}x with {waves}"),
        });
        let words: Vec<String> = words.collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

/// What an addition takes, in ns.
fn ns(figures: &Figures<'_>, how: &str, waves: u32, additions: u32) -> Option<f64> {
    let row = figures.row(&format!("{how}_{waves}_{additions}"))?;
    Some(row.per_unit(row.isolated_us?.median)?.ns)
}

/// The largest loop beside a small one, with one wave for each scheduler.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let [large, small] = [LARGE, SMALL].map(|additions| format!("loop_4_{additions}"));
    Headline::of("code beyond the instruction cache is slower")
        .published(
            published("groestl-gcn", "cache/instructions").map(|kb| format!("realhet: {kb} KB on GCN")),
        )
        .test_ratio(figures, Time::Isolated, [&*large, &*small], &Holds::SLOWER, |times| {
            format!("a loop of {LARGE} additions takes {times} as long as {SMALL}")
        })
}

/// Where caches end, what an addition takes beyond, and in code that runs once.
pub fn verdict(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let mut lines = ends(figures, plan).unwrap_or_default();
    let once =
        plan.times(|waves| Some(ns(figures, "once", waves, LARGE)? / ns(figures, "loop", waves, SMALL)?));
    lines.extend(
        once.map(|times| format!("In code of {} that runs once, each takes {times}.", plan.size(LARGE))),
    );
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// A line for each cache: found with the fewest waves, since more share what is fetched.
fn ends(figures: &Figures<'_>, plan: &Plan) -> Option<Vec<String>> {
    let waves = *plan.waves.first()?;
    let point = |blocks: u32| Some((blocks * BLOCK, ns(figures, "loop", waves, blocks * BLOCK)?));
    let points: Vec<(u32, f64)> = BLOCKS.into_iter().filter_map(point).collect();
    let values: Vec<f64> = points.iter().map(|point| point.1).collect();
    let found = plateaus(&values);
    let first = found.first().filter(|_| points.len() == BLOCKS.len())?;
    let last_of = |level: &std::ops::Range<usize>| points[level.end - 1].0;
    let small = points[first.start + first.len() / 2].0;
    let beyond = found.windows(2).enumerate().filter_map(|(at, pair)| {
        let large = points[pair[1].start + pair[1].len() / 2].0;
        let times = plan
            .times(|waves| Some(ns(figures, "loop", waves, large)? / ns(figures, "loop", waves, small)?))?;
        let end = plan.size(last_of(&pair[0]));
        Some(match at {
            0 => format!("Unroll a loop to at most {end}. Beyond, each takes {times}."),
            _ => format!("Beyond {end}, each takes {times}."),
        })
    });
    let lines: Vec<String> = beyond.collect();
    let none = format!("Up to {} no loop is slower than a small one.", plan.size(last_of(first)));
    Some(if lines.is_empty() { vec![none] } else { lines })
}

#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::{Outcome, Record};

    use super::*;

    fn recorded() -> (Record, Plan) {
        let record = samples::recorded("2026-11-28-nvidia-h200/code_size").unwrap();
        let plan = Plan { vendor: record.device.vendor_id, waves: vec![1, 4, 16] };
        (record, plan)
    }

    #[test]
    fn a_record_leads_to_its_verdict() {
        let (record, plan) = recorded();
        let headline = headline(&Figures::new(&record.rows));
        assert_eq!(headline.finding, "a loop of 32768 additions takes 5.53x as long as 1024");
        assert!(headline.finding.chars().count() <= LONGEST && headline.claim.chars().count() <= LONGEST);
        assert_eq!(headline.outcome, Outcome::Holds);
        assert_eq!(headline.published.unwrap(), "realhet: 32 KB on GCN");
        assert_eq!(
            verdict(&Figures::new(&record.rows), &plan).unwrap().lines().collect::<Vec<_>>(),
            [
                "Unroll a loop to at most 1792 additions (28 KiB). Beyond, each takes 2.03x as long with 1 wave, 2.03x with 4, \
                 1.06x with 16.",
                "Beyond 6144 additions (96 KiB), each takes 5.46x as long with 1 wave, 5.51x with 4, 1.48x with 16.",
                "In code of 32768 additions (512 KiB) that runs once, each takes 5.45x as long with 1 wave, 5.53x with 4, 1.49x \
                 with 16.",
            ]
        );
        assert_eq!(verdict(&Figures::new(&[]), &plan), None);
    }

    /// Other vendors have instructions of several lengths.
    #[test]
    fn sizes_in_kib_are_told_of_nvidia_alone() {
        let (record, plan) = recorded();
        let text = verdict(&Figures::new(&record.rows), &Plan { vendor: 0x1002, ..plan }).unwrap();
        assert!(text.contains("1792 additions.") && !text.contains("KiB"), "{text}");
    }

    /// Where one cache holds all loops, no end is told.
    #[test]
    fn a_level_curve_has_no_end() {
        let (mut record, plan) = recorded();
        for row in record.rows.iter_mut().filter(|row| row.variant.starts_with("loop_1_")) {
            let additions = u32::try_from(row.declared.work.as_ref().unwrap().count).unwrap();
            row.isolated_us.as_mut().unwrap().median = f64::from(additions) / 2000.0;
        }
        let text = verdict(&Figures::new(&record.rows), &plan).unwrap();
        assert!(
            text.starts_with("Up to 32768 additions (512 KiB) no loop is slower than a small one."),
            "{text}"
        );
    }

    /// Without all sizes it is not known where a cache ends.
    #[test]
    fn without_a_size_no_end_is_told() {
        let (mut record, plan) = recorded();
        record.rows.retain(|row| row.variant != "loop_1_64");
        let text = verdict(&Figures::new(&record.rows), &plan).unwrap();
        assert!(text.starts_with("In code of 32768"), "{text}");
    }
}
