//! What the times to the first waves mean.

use common::{Figures, Headline, Holds};
use samples::words::published;

use crate::TRIANGLES;

/// Whether a draw of one triangle needs longer than a dispatch of one wave.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let claim = Headline::of("a draw starts later than a dispatch");
    let Some(dispatch) = us(figures, "compute_warm") else { return claim };
    claim.test(figures.metric("pixel_1_warm"), &Holds::Above(dispatch), |pixel| {
        format!("a dispatch starts after {dispatch:.2}, the first pixel after {pixel}")
    })
}

/// The times of one triangle, of vertices that load, and of more triangles.
pub fn verdict(figures: &Figures<'_>, loads: u32) -> Option<String> {
    let lines =
        [one_triangle(figures), cold(figures), fetched(figures, loads), more(figures), in_flight(figures)];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn us(figures: &Figures<'_>, variant: &str) -> Option<f64> {
    Some(figures.metric(variant)?.median)
}

/// `3.21 µs (about 6400 clocks)`: clocks where their rate was measured.
fn with_clocks(figures: &Figures<'_>, variant: &str) -> Option<String> {
    let us = us(figures, variant)?;
    let mhz = figures.row(variant)?.clock_mhz.as_ref().map(|mhz| mhz.median);
    let clocks = mhz.map(|mhz| format!(" (about {:.0} clocks)", (us * mhz / 100.0).round() * 100.0));
    Some(format!("{us:.2} µs{}", clocks.unwrap_or_default()))
}

fn one_triangle(figures: &Figures<'_>) -> Option<String> {
    Some(format!(
        "With one triangle the first vertex wave begins {:.2} µs after the dispatch before it ends, and the first pixel wave {}. A second \
         dispatch in place of the draw begins after {:.2} µs.",
        us(figures, "vertex_1_warm")?,
        with_clocks(figures, "pixel_1_warm")?,
        us(figures, "compute_warm")?
    ))
}

fn cold(figures: &Figures<'_>) -> Option<String> {
    Some(format!(
        "With cold caches that is {:.2} µs for the vertex, {} for the pixel and {:.2} µs for the dispatch. The talk: almost {} clocks from \
         the draw's marker to the first pixel wave.",
        us(figures, "vertex_1_cold")?,
        with_clocks(figures, "pixel_1_cold")?,
        us(figures, "compute_cold")?,
        published("lottes2018", "draw/first_pixel")?
    ))
}

fn fetched(figures: &Figures<'_>, loads: u32) -> Option<String> {
    let added = |state: &str| {
        Some(us(figures, &format!("fetched_1_{state}"))? - us(figures, &format!("pixel_1_{state}"))?)
    };
    Some(format!(
        "{loads} loads in a row in the vertex shader delay the first pixel by {:.2} µs, with cold caches by {:.2}.",
        added("warm")?,
        added("cold")?
    ))
}

/// When the last pixel begins, by the number of triangles.
fn more(figures: &Figures<'_>) -> Option<String> {
    let of = |triangles: u32| {
        Some(format!("{:.1} µs with {triangles}", us(figures, &format!("last_{triangles}_warm"))?))
    };
    let all: Vec<String> = TRIANGLES.into_iter().filter_map(of).collect();
    (all.len() > 1).then(|| format!("The last pixel wave begins after {}.", all.join(", ")))
}

/// How few waves a draw of small triangles keeps in flight, if it was traced.
fn in_flight(figures: &Figures<'_>) -> Option<String> {
    let dispatches = &figures.trace("last_1000_warm")?.dispatches;
    let peak = dispatches.iter().map(|shader| shader.phases.peak).fold(0.0, f64::max);
    Some(format!("1000 triangles keep at most {peak:.0} waves of a shader in flight."))
}

#[cfg(test)]
mod tests {
    use common::record::Outcome;
    use common::record::headline::LONGEST;

    use super::*;

    #[test]
    fn a_record_leads_to_its_verdict() {
        let record = samples::recorded("2026-11-28-nvidia-h200/first_pixel").unwrap();
        let found = headline(&Figures::new(&record.rows));
        assert_eq!(found.finding, "a dispatch starts after 1.63, the first pixel after 3.65 µs");
        assert!(found.finding.chars().count() <= LONGEST);
        assert_eq!(found.outcome, Outcome::Holds);
        let text = verdict(&Figures::new(&record.rows), 8).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5, "{text}");
        assert!(lines[0].contains("begins 2.69 µs after the dispatch before it ends"), "{}", lines[0]);
        assert!(lines[0].contains("3.65 µs (about 7200 clocks)"), "{}", lines[0]);
        assert!(lines[1].contains("4.16 µs (about 8200 clocks)"), "{}", lines[1]);
        assert_eq!(
            lines[2],
            "8 loads in a row in the vertex shader delay the first pixel by 1.22 µs, with cold caches by 2.38."
        );
        assert!(lines[3].ends_with("32.5 µs with 10000, 259.8 µs with 100000."), "{}", lines[3]);
        assert_eq!(verdict(&Figures::new(&[]), 8), None);
    }
}
