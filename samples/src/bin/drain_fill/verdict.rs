//! The conclusion of `drain_fill`. A difference is stated only if its interval excludes zero.

use common::record::published;
use common::{Figures, Time};

/// Three sentences at the most: barriers on large and small passes, idle time against the talk's, clears.
pub fn conclude(figures: &Figures<'_>, passes: u32) -> Option<String> {
    let sentences = [barriers(figures), against_the_talk(figures), clears(figures, passes)];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join("\n"))
}

/// The share of the time that barriers take, of the largest passes and of the smallest.
fn barriers(figures: &Figures<'_>) -> Option<String> {
    let taken = |share| taken(figures, Time::Pipelined, &format!("{share}"));
    Some(format!(
        "Barriers take {:.0} % of the time of whole passes and {:.0} % at 1/64 of the area (back to back).",
        taken(1)?,
        taken(64)?
    ))
}

/// The same at 1/4 of the area, of passes alone and of passes with a clear by a kernel, beside the talk's idle VALUs.
fn against_the_talk(figures: &Figures<'_>) -> Option<String> {
    let taken = |share| Some(format!("{:.0} %", taken(figures, Time::Isolated, share)?));
    let talk = |key| Some(published::find("lottes2018", key).ok()?.value);
    let quarter = talk("idle/quarter")?;
    let cleared = taken("4_clear").zip(talk("idle/quarter_clear"));
    let cleared = cleared.map_or_else(String::new, |(taken, talk)| {
        format!(", with a clear by a kernel {taken} (the talk: {talk} %)")
    });
    Some(format!(
        "At 1/4 of the area they take {} (the talk: VALUs idle for at least {quarter} %){cleared}.",
        taken("4")?
    ))
}

/// Percent of the time of a chain with barriers that the chain without does not take.
fn taken(figures: &Figures<'_>, time: Time, share: &str) -> Option<f64> {
    let [with, without] = [format!("barrier_{share}"), format!("no_barrier_{share}")];
    let ratio = match time {
        Time::Isolated => figures.ratio(&with, &without)?,
        Time::Pipelined => figures.pipelined_ratio(&with, &without)?,
    };
    Some(100.0 * (1.0 - 1.0 / ratio.median).max(0.0))
}

/// What a clear adds to a pass, by each way to clear.
fn clears(figures: &Figures<'_>, passes: u32) -> Option<String> {
    let added = |(name, words): (&str, &str)| {
        let cost = figures.difference_us(&format!("barrier_4_{name}"), "barrier_4")?;
        let is_told = cost.median_95.is_some_and(|interval| interval.low > 0.0);
        let us = format!("{:.1} µs", cost.median / f64::from(passes));
        Some(format!("{} by {words}", if is_told { us } else { "no measurable time".into() }))
    };
    let ways =
        [("clear", "a kernel"), ("fill_buffer", "vkCmdFillBuffer"), ("clear_image", "vkCmdClearColorImage")];
    let parts: Vec<String> = ways.into_iter().filter_map(added).collect();
    (!parts.is_empty()).then(|| {
        format!("A clear and its barrier add to each pass over 1/4 of the area: {}.", parts.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_leads_to_its_verdict() {
        let record = samples::recorded("drain_fill").unwrap();
        assert_eq!(
            conclude(&Figures::new(&record.rows), 8).unwrap(),
            "Barriers take 3 % of the time of whole passes and 80 % at 1/64 of the area (back to back).\n\
             At 1/4 of the area they take 11 % (the talk: VALUs idle for at least 14 %), with a clear by a kernel 12 % (the \
             talk: 26 %).\n\
             A clear and its barrier add to each pass over 1/4 of the area: 11.3 µs by a kernel."
        );
        assert_eq!(conclude(&Figures::new(&[]), 8), None);
    }

    #[test]
    fn what_noise_hides_is_not_told() {
        let mut record = samples::recorded("drain_fill").unwrap();
        for row in record.rows.iter_mut().filter(|row| row.variant.starts_with("barrier_4")) {
            let clears = row.variant.ends_with("clear");
            for (sample, noise) in row.samples.iter_mut().zip([0.7, 1.3].into_iter().cycle()) {
                sample.one_us = if clears { noise } else { 1.0 };
            }
        }
        let text = conclude(&Figures::new(&record.rows), 8).unwrap();
        assert!(text.ends_with("no measurable time by a kernel."), "{text}");
    }
}
