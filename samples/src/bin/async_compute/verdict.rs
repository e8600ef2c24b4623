//! What a second queue saves.

use common::{Figures, Headline, Holds, Time};

/// Whether the passes and the compute job take less time on two queues than on one.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let most = most(figures, "passes").map(|share| format!(", {share:.2}x at best"));
    Headline::of("async compute fills the drains of passes").test_ratio(
        figures,
        Time::Isolated,
        ["passes_async", "passes_after"],
        &Holds::FASTER,
        |ratio| format!("two queues take {ratio}{}", most.unwrap_or_default()),
    )
}

fn us(figures: &Figures<'_>, variant: &str) -> Option<f64> {
    figures.us(Time::Isolated, variant)
}

/// The least share of the time on one queue that two queues can take.
fn most(figures: &Figures<'_>, raster: &str) -> Option<f64> {
    let longer = us(figures, &format!("{raster}_alone"))?.max(us(figures, "compute_alone")?);
    Some(longer / us(figures, &format!("{raster}_after"))?)
}

/// What each way saves of what can be saved, and when the first compute wave begins.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let lines = ["passes", "layers"].into_iter().flat_map(|raster| {
        let saved = [times(figures, raster), saved(figures, raster)];
        saved.into_iter().chain([begin(figures, raster)])
    });
    let lines: Vec<String> = lines.flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn times(figures: &Figures<'_>, raster: &str) -> Option<String> {
    Some(format!(
        "The {raster} take {:.0} µs alone, the compute job {:.0}, and both after each other {:.0}.",
        us(figures, &format!("{raster}_alone"))?,
        us(figures, "compute_alone")?,
        us(figures, &format!("{raster}_after"))?,
    ))
}

/// The share of what can be saved, in percent.
fn share_saved(figures: &Figures<'_>, raster: &str, how: &str) -> Option<f64> {
    let after = us(figures, &format!("{raster}_after"))?;
    let longer = us(figures, &format!("{raster}_alone"))?.max(us(figures, "compute_alone")?);
    Some(100.0 * (after - us(figures, &format!("{raster}_{how}"))?) / (after - longer))
}

fn saved(figures: &Figures<'_>, raster: &str) -> Option<String> {
    let of = |how: &str| share_saved(figures, raster, how).map(|share| format!("{share:.0} %"));
    Some(format!(
        "Of the most that can be saved, a second queue saves {}, with fewer compute waves {}, and one queue without a barrier {}.",
        of("async")?,
        of("async_limited")?,
        of("beside")?
    ))
}

fn begin(figures: &Figures<'_>, raster: &str) -> Option<String> {
    let begin = |variant: &str| Some(figures.metric(variant)?.median);
    Some(format!(
        "The first compute wave on the second queue begins after {:.1} µs beside {raster}, and alone on one queue after {:.1}.",
        begin(&format!("{raster}_async"))?,
        begin("compute_alone")?
    ))
}
