//! How large a loop may be, and what it costs beyond.

use std::ops::Range;

use common::{Figures, Headline, Holds, Time};
use samples::plateaus::{is_level, plateaus};
use samples::words::published;

use crate::{BLOCK, BLOCKS};

/// Additions in a loop that most instruction caches hold, and in the largest.
pub const SMALL: u32 = 1024;
pub const LARGE: u32 = 32768;

/// What was measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Bytes of an addition, where all instructions are of one length.
    pub bytes: Option<u32>,
    /// Numbers of waves, ascending.
    pub waves: Vec<u32>,
}

impl Plan {
    /// `2048 additions (32 KiB)`, in KiB where the length of an addition is known.
    fn size(&self, additions: u32) -> String {
        let kib = self.bytes.map(|bytes| format!(" ({} KiB)", additions * bytes / 1024));
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
    let realhet = |key| published("groestl-gcn", key);
    let source = realhet("code/25_kb").zip(realhet("registers/128"));
    Headline::of("an instruction takes longer in a very large loop")
        .published(source.map(|(fits, does_not)| format!("realhet: {:.2}x", fits / does_not)))
        .test_ratio(figures, Time::Isolated, [&*large, &*small], &Holds::SLOWER, |times| {
            format!("an addition takes {times} as long in the largest loop")
        })
}

/// Where caches end, what an addition takes beyond, and in code that runs once.
pub fn verdict(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let mut lines = steps(figures, plan).unwrap_or_default();
    let once =
        plan.times(|waves| Some(ns(figures, "once", waves, LARGE)? / ns(figures, "loop", waves, SMALL)?));
    lines.extend(
        once.map(|times| format!("In code of {} that runs once, each takes {times}.", plan.size(LARGE))),
    );
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// A line for each step of the curve. It is told of the fewest waves with all sizes, since more share what is fetched.
fn steps(figures: &Figures<'_>, plan: &Plan) -> Option<Vec<String>> {
    let sizes = BLOCKS.map(|blocks| blocks * BLOCK);
    let curve = |waves: &u32| sizes.into_iter().map(|size| ns(figures, "loop", *waves, size)).collect();
    let values: Vec<f64> = plan.waves.iter().find_map(curve)?;
    let levels = plateaus(&values);
    // A cache holds the small loop, or it is not known what holds what.
    let first = levels.iter().position(|level| sizes[level.clone()].contains(&SMALL))?;
    let value = |level: &Range<usize>| values[level.start];
    if is_level(&[value(&levels[first]), *values.last()?]) || value(&levels[first]) > *values.last()? {
        return Some(vec![format!("Up to {} no loop is slower than a small one.", plan.size(LARGE))]);
    }
    let further = levels[first..].windows(2).filter(|pair| value(&pair[1]) > value(&pair[0]));
    let from: Vec<u32> = further.map(|pair| sizes[pair[1].start]).collect();
    let step = |from: u32| {
        let times =
            plan.times(|waves| Some(ns(figures, "loop", waves, from)? / ns(figures, "loop", waves, SMALL)?))?;
        Some(format!("From {} on, each takes {times}.", plan.size(from)))
    };
    let from = if from.is_empty() { vec![LARGE] } else { from };
    let most = format!("Unroll a loop to at most {}.", plan.size(sizes[levels[first].end - 1]));
    Some(std::iter::once(most).chain(from.into_iter().filter_map(step)).collect())
}

#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::{Outcome, Record};

    use super::*;

    fn recorded() -> (Record, Plan) {
        let record = samples::recorded("2026-11-28-nvidia-h200/code_size").unwrap();
        let plan = Plan { bytes: Some(16), waves: vec![1, 4, 16] };
        (record, plan)
    }

    #[test]
    fn a_record_leads_to_its_verdict() {
        let (record, plan) = recorded();
        let headline = headline(&Figures::new(&record.rows));
        assert_eq!(headline.finding, "an addition takes 5.49x as long in the largest loop");
        assert!(headline.finding.chars().count() <= LONGEST && headline.claim.chars().count() <= LONGEST);
        assert_eq!(headline.outcome, Outcome::Holds);
        assert_eq!(headline.published.unwrap(), "realhet: 1.15x");
        assert_eq!(
            verdict(&Figures::new(&record.rows), &plan).unwrap().lines().collect::<Vec<_>>(),
            [
                "Unroll a loop to at most 1792 additions (28 KiB).",
                "From 2560 additions (40 KiB) on, each takes 2.02x as long with 1 wave, 2.01x with 4, 1.02x with 16.",
                "From 10240 additions (160 KiB) on, each takes 5.43x as long with 1 wave, 5.46x with 4, 1.48x with 16.",
                "In code of 32768 additions (512 KiB) that runs once, each takes 5.44x as long with 1 wave, 5.49x with 4, 1.48x \
                 with 16.",
            ]
        );
        assert_eq!(verdict(&Figures::new(&[]), &plan), None);
    }

    /// Other vendors have instructions of several lengths.
    #[test]
    fn sizes_in_kib_are_told_of_one_length_alone() {
        let (record, plan) = recorded();
        let text = verdict(&Figures::new(&record.rows), &Plan { bytes: None, ..plan }).unwrap();
        assert!(text.contains("1792 additions.") && !text.contains("KiB"), "{text}");
    }

    /// The first lines of the verdict if loops of one wave took so many clocks per addition.
    fn of_clocks(clocks: [f64; BLOCKS.len()]) -> Vec<String> {
        let (mut record, plan) = recorded();
        for (blocks, clocks) in BLOCKS.into_iter().zip(clocks) {
            let name = format!("loop_1_{}", blocks * BLOCK);
            let row = record.rows.iter_mut().find(|row| row.variant == name).unwrap();
            let additions = u32::try_from(row.declared.work.as_ref().unwrap().count).unwrap();
            row.isolated_us.as_mut().unwrap().median = f64::from(additions) * clocks / 2000.0;
        }
        let plan = Plan { waves: vec![1], ..plan };
        verdict(&Figures::new(&record.rows), &plan).unwrap().lines().map(str::to_owned).collect()
    }

    /// Where one cache holds all loops, no end is told.
    #[test]
    fn a_level_curve_has_no_end() {
        let lines = of_clocks([1.0; 18]);
        assert_eq!(lines[0], "Up to 32768 additions (512 KiB) no loop is slower than a small one.");
        assert_eq!(lines.len(), 2);
    }

    /// Loops beyond a cache may differ so much that they are no level.
    #[test]
    fn beyond_a_cache_may_be_a_slope() {
        let slope = std::array::from_fn(|at| 1.2_f64.powi(i32::try_from(at.saturating_sub(7)).unwrap()));
        let lines = of_clocks(slope);
        assert_eq!(lines[0], "Unroll a loop to at most 2048 additions (32 KiB).");
        assert_eq!(lines[1], "From 32768 additions (512 KiB) on, each takes 6.19x as long with 1 wave.");
    }

    /// A level that is faster than the one before is no step.
    #[test]
    fn a_fall_is_no_step() {
        let fall = std::array::from_fn(|at| if at < 8 { 2.0 } else { 1.7 });
        let lines = of_clocks(fall);
        assert_eq!(lines[0], "Up to 32768 additions (512 KiB) no loop is slower than a small one.");
    }

    /// A small loop that is on no level says nothing of caches.
    #[test]
    fn without_a_level_around_the_small_loop_no_end_is_told() {
        let slope = std::array::from_fn(|at| 1.2_f64.powi(i32::try_from(at.min(12)).unwrap()));
        assert!(of_clocks(slope)[0].starts_with("In code of 32768"));
    }

    /// Without all sizes it is not known where a cache ends.
    #[test]
    fn without_a_size_no_end_is_told() {
        let (mut record, plan) = recorded();
        record.rows.retain(|row| !row.variant.ends_with("_64"));
        let text = verdict(&Figures::new(&record.rows), &plan).unwrap();
        assert!(text.starts_with("In code of 32768"), "{text}");
    }
}
