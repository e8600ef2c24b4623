//! What the steps of the ladder bring.

use common::record::FMA_LIMIT;
use common::{Figures, Headline, Holds, Time};

/// The tuned kernel against plain tiles.
pub fn headline(figures: &Figures<'_>) -> Headline {
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

/// What each step saves, and how near the fastest comes to the rate of multiply-adds.
pub fn verdict(figures: &Figures<'_>, choice: &str) -> Option<String> {
    let us = |variant: &str| figures.us(Time::Isolated, variant);
    let mut before = us("tiled")?;
    let mut told = Vec::new();
    for (variant, what) in STEPS {
        let Some(time) = us(variant) else { continue };
        let percent = 100.0 * (1.0 - time / before);
        told.push(match percent {
            0.5.. => format!("{what} {percent:.0} %"),
            ..-0.5 => format!("{what} −{:.0} %", -percent),
            _ => format!("{what} nothing"),
        });
        before = time;
    }
    let saved = (!told.is_empty())
        .then(|| format!("Each step saves of the time of the one before: {}.", told.join(", ")));
    let chosen = us("tuned").map(|_| format!("Tuned: {choice}."));
    let lines: Vec<String> = rate(figures).into_iter().chain(saved).chain(chosen).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
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
