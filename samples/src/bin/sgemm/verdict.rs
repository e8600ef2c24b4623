//! What the steps of the ladder bring.

use common::record::FMA_LIMIT;
use common::{Figures, Headline, Holds, Time};
use samples::words::published;

use crate::changes::CHANGES;
use crate::device::Size;

/// The tuned kernel against the vendor's library where that was measured, else against plain tiles.
pub fn headline(figures: &Figures<'_>, size: Size) -> Headline {
    if let Some(library) = figures.row("library") {
        // It may hold at one size only.
        return Headline::of(format!("a shader beats the vendor's library at {size}")).test_ratio(
            figures,
            Time::Isolated,
            ["tuned", "library"],
            &Holds::FASTER,
            |times| format!("the tuned kernel takes {times} as long as {}", library.label()),
        );
    }
    Headline::of("a hand-scheduled kernel speeds up SGEMM").test_ratio(
        figures,
        Time::Isolated,
        ["tuned", "tiled"],
        &Holds::FASTER,
        |times| format!("the tuned kernel takes {times} as long as plain tiles"),
    )
}

/// The steps of the ladder, and what each takes away from the time of the one before.
const STEPS: [(&str, &str); 7] = [
    ("vectors", "loads of 128 bits"),
    ("two_buffers", "two buffers"),
    ("read_ahead", "registers one k ahead"),
    ("zigzag", "the zigzag"),
    ("zigzag_16x8", "16x8 results per invocation"),
    ("split", "splitting the last tiles"),
    ("tuned", "tuning"),
];

/// How near the fastest comes to the rate of multiply-adds, what each step saves, what each change costs, with what was chosen
/// and what was counted of shared memory.
pub fn verdict(figures: &Figures<'_>, choice: &str, wall: &str) -> Option<String> {
    let chosen = figures.row("tuned").map(|_| format!("Tuned: {choice}."));
    let wall = (!wall.is_empty()).then(|| wall.to_owned());
    let lines = [rate(figures), steps(figures), changes(figures), wall, chosen];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What each step saves of the time of the one before, where both have one. The tiles may need no split.
fn steps(figures: &Figures<'_>) -> Option<String> {
    let us = |variant: &str| figures.us(Time::Isolated, variant);
    let mut before = us("tiled");
    let mut told = Vec::new();
    for (variant, what) in STEPS {
        let time = us(variant);
        if let (Some(before), Some(time)) = (before, time) {
            let percent = 100.0 * (1.0 - time / before);
            told.push(match percent {
                0.5.. => format!("{what} {percent:.0} %"),
                ..-0.5 => format!("{what} −{:.0} %", -percent),
                _ => format!("{what} nothing"),
            });
        }
        before = if variant == "split" { time.or(before) } else { time };
    }
    (!told.is_empty()).then(|| format!("Each step saves of the time of the one before: {}.", told.join(", ")))
}

/// How much longer `zigzag_16x8` takes with a change, in percent.
fn cost(figures: &Figures<'_>, variant: &str) -> Option<f64> {
    Some(100.0 * (figures.ratio(variant, "zigzag_16x8")?.median - 1.0))
}

/// The changes that cost most, and what the source publishes of two.
fn changes(figures: &Figures<'_>) -> Option<String> {
    let mut costs: Vec<(f64, &str)> = CHANGES
        .iter()
        .filter_map(|(variant, _)| {
            let label = figures.row(variant)?.label().strip_prefix("16x8, but ")?;
            Some((cost(figures, variant)?, label))
        })
        .collect();
    costs.sort_by(|a, b| b.0.total_cmp(&a.0));
    let most: Vec<String> =
        costs.iter().take(3).map(|(percent, label)| format!("{label} ({percent:.0} %)")).collect();
    let most = (!most.is_empty())
        .then(|| format!("Of single changes to 16x8 these cost most: {}.", most.join(", ")))?;
    let [two, one] = ["but_reads_64", "but_reads_32"].map(|variant| cost(figures, variant));
    let published = ["reads/64_bit", "reads/32_bit"].map(|key| published("maxas", key));
    let beside = match (two, one, published) {
        (Some(two), Some(one), [Some(gflops), Some(more)]) => format!(
            "\nReads of 64 bits cost {two:.0} %, of 32 bits {one:.0} %; in maxas {gflops} and over {more} GFLOP/s on a GM107."
        ),
        _ => String::new(),
    };
    Some(most + &beside)
}

/// `52.4 of 61.6 TFLOP/s that multiply-adds alone reach: 85 %.`
fn rate(figures: &Figures<'_>) -> Option<String> {
    let rate = |variant: &str| {
        let row = figures.row(variant)?;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let flops = row.declared.flops? as f64;
        Some(flops / figures.us(Time::Isolated, variant)? / 1e6)
    };
    let [tuned, most] = [rate("tuned")?, rate(FMA_LIMIT)?];
    Some(format!(
        "The tuned kernel computes {tuned:.1} TFLOP/s, {:.0} % of what multiply-adds alone reach ({most:.1}).",
        100.0 * tuned / most
    ))
}

#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::{Outcome, Row};

    use super::*;

    fn rows(run: &str) -> Vec<Row> {
        samples::recorded(run).unwrap().rows
    }

    #[test]
    fn the_library_is_the_headline_where_it_was_measured() {
        let mut rows = rows("2026-11-30-nvidia-h200/sgemm");
        let [square, odd] = ["4096", "1000x3000x777"].map(|size| size.parse().unwrap());
        let stated = headline(&Figures::new(&rows), square);
        assert_eq!(stated.claim, "a shader beats the vendor's library at 4096");
        assert_eq!(stated.finding, "the tuned kernel takes 0.98x as long as cuBLAS 13.1.0");
        assert_eq!(stated.outcome, Outcome::Holds);
        rows.retain(|row| row.variant != "library");
        let stated = headline(&Figures::new(&rows), odd);
        assert_eq!(stated.finding, "the tuned kernel takes 0.70x as long as plain tiles");
        assert!(stated.claim.chars().count() <= LONGEST);
    }

    #[test]
    fn a_step_is_told_beside_the_one_before() {
        let mut rows = rows("2026-11-30-nvidia-h200/sgemm");
        let told = |rows: &[Row]| steps(&Figures::new(rows)).unwrap();
        assert_eq!(
            told(&rows),
            "Each step saves of the time of the one before: loads of 128 bits 12 %, two buffers 14 %, registers one k ahead \
             2 %, the zigzag 2 %, 16x8 results per invocation 3 %, splitting the last tiles 1 %, tuning nothing."
        );
        // Nothing stands before the zigzag then, and tuning comes after 16x8.
        rows.retain(|row| !["read_ahead", "split"].contains(&&*row.variant));
        assert_eq!(
            told(&rows),
            "Each step saves of the time of the one before: loads of 128 bits 12 %, two buffers 14 %, 16x8 results per \
             invocation 3 %, tuning 1 %."
        );
    }

    #[test]
    fn the_changes_that_cost_most_are_told_with_what_the_source_publishes() {
        let rows = rows("2026-11-26-nvidia-h200/sgemm-changes");
        let told = verdict(&Figures::new(&rows), "this", "A wall.").unwrap();
        assert_eq!(
            told.lines().skip(2).collect::<Vec<_>>(),
            [
                "Of single changes to 16x8 these cost most: 24.25 KiB of shared memory (50 %), reads of 32 bits (34 %), one \
                 buffer, two barriers (19 %).",
                "Reads of 64 bits cost 12 %, of 32 bits 34 %; in maxas 22 and over 200 GFLOP/s on a GM107.",
                "A wall.",
                "Tuned: this.",
            ]
        );
    }
}
