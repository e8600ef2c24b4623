//! The conclusion of `drain_fill`.

use common::Figures;
use common::record::published;

/// Three sentences at the most: barriers on large and small passes, idle time beside the talk's, clears.
pub fn conclude(figures: &Figures<'_>, passes: u32) -> Option<String> {
    let sentences = [barriers(figures), beside_the_talk(figures), clears(figures, passes)];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join("\n"))
}

/// The share of the time that barriers take, of the largest passes and of the smallest.
fn barriers(figures: &Figures<'_>) -> Option<String> {
    Some(format!(
        "Barriers take {:.0} % of the time of whole passes and {:.0} % at 1/64 of the area (back to back).",
        taken(figures, "1")?,
        taken(figures, "64")?
    ))
}

/// The same at 1/4 of the area, of passes alone and of passes with a clear by a kernel, beside the talk's idle VALUs.
fn beside_the_talk(figures: &Figures<'_>) -> Option<String> {
    let talk = |key| Some(published::find("lottes2018", key).ok()?.value);
    let (quarter, idle) = (taken(figures, "4")?, talk("idle/quarter")?);
    let cleared = taken(figures, "4_clear").zip(talk("idle/quarter_clear"));
    let [cleared, idle_cleared] = cleared.map_or_else(Default::default, |(taken, idle)| {
        [
            format!(", with a clear by a kernel {taken:.0} %"),
            format!(", and for at least {idle} % with a clear"),
        ]
    });
    Some(format!(
        "Back to back, at 1/4 of the area barriers take {quarter:.0} % of the time{cleared}. In the talk VALUs idle for \
         at least {idle} % of a pass at 1/4 resolution{idle_cleared}. Time that a barrier takes is not idle time."
    ))
}

/// Percent of the time of a chain with barriers that the chain without does not take, back to back.
fn taken(figures: &Figures<'_>, share: &str) -> Option<f64> {
    let ratio = figures.pipelined_ratio(&format!("barrier_{share}"), &format!("no_barrier_{share}"))?;
    Some(100.0 * (1.0 - 1.0 / ratio.median).max(0.0))
}

/// What a clear adds to a pass, by each way to clear, where its interval excludes zero.
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
        format!(
            "A clear and its barrier add to each pass over 1/4 of the area (alone): {}.",
            parts.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use common::record::Record;

    use super::*;

    #[test]
    fn records_lead_to_their_verdicts() {
        let concluded = |record: Record| conclude(&Figures::new(&record.rows), 8).unwrap();
        assert_eq!(
            concluded(samples::recorded("drain_fill").unwrap()),
            "Barriers take 3 % of the time of whole passes and 80 % at 1/64 of the area (back to back).\n\
             Back to back, at 1/4 of the area barriers take 11 % of the time, with a clear by a kernel 11 %. In the \
             talk VALUs idle for at least 14 % of a pass at 1/4 resolution, and for at least 26 % with a clear. Time \
             that a barrier takes is not idle time.\n\
             A clear and its barrier add to each pass over 1/4 of the area (alone): 11.3 µs by a kernel."
        );
        let newest = concluded(samples::recorded_on("2026-11-25", "drain_fill").unwrap());
        assert!(
            newest.contains("81 % at 1/64")
                && newest.contains("Back to back, at 1/4 of the area barriers take 11 % of the time, with"),
            "{newest}"
        );
        assert!(
            newest.ends_with(
                "11.3 µs by a kernel, 2.7 µs by vkCmdFillBuffer, 74.4 µs by vkCmdClearColorImage."
            ),
            "{newest}"
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
