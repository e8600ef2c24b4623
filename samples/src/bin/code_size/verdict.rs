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
