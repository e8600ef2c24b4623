//! How many clocks 64 loads take, and what shapes and few waves cost.

use common::record::{Row, Value};
use common::{Figures, Headline, Holds};
use samples::words::published;

use crate::texels::{ELEMENTS, FORMATS};
use crate::{LOADS, SHAPED};

/// A little below 16 clocks, since a clock is known to some percent.
const SIXTEEN: f64 = 15.2;

/// Clocks that [`LOADS`] loads take.
fn clocks(row: &Row) -> Option<f64> {
    row.per_unit(row.isolated_us?.median)?.cycles
}

/// The path by which so many waves load texels of a format fastest.
fn image<'r>(figures: &Figures<'r>, format: &str, waves: u32) -> Option<(&'r Row, f64)> {
    let rows = ["sampled", "image"].map(|path| figures.row(&format!("{path}_{format}_{waves}")));
    let rows = rows.into_iter().flatten().filter_map(|row| Some((row, clocks(row)?)));
    rows.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Clocks of loads of a buffer by so many waves.
fn buffer(figures: &Figures<'_>, words: u32, waves: u32) -> Option<f64> {
    clocks(figures.row(&format!("buffer_{}_{waves}", 32 * words))?)
}

/// The image that is loaded from fastest, by the most waves.
pub fn headline(figures: &Figures<'_>, most: u32) -> Headline {
    let rows = FORMATS.iter().filter_map(|texels| image(figures, texels.name, most));
    let fastest = rows.min_by(|a, b| a.1.total_cmp(&b.1));
    let value =
        fastest.and_then(|(row, _)| Some(Value::of(&row.isolated_us?, row.per_unit(1.0)?.cycles?, "clocks")));
    Headline::of(format!("{LOADS} loads of an image take at least 16 clocks"))
        .published(published("lottes2018", "rate/image").map(|clocks| format!("talk: {clocks} on GCN")))
        .test(value, &Holds::Above(SIXTEEN), |clocks| format!("{LOADS} loads of an image take {clocks}"))
}

/// Clocks by width, bytes per clock, shapes, and one wave alone.
pub fn verdict(figures: &Figures<'_>, most: u32) -> Option<String> {
    let lines = [widths(figures, most), bytes(figures, most), shapes(figures), one_wave(figures, most)];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// `Clocks per 64 loads: r8 8.0, rgba8 8.6, … of an image; 32 bits 2.2, … of a buffer.`
fn widths(figures: &Figures<'_>, most: u32) -> Option<String> {
    let of_images = FORMATS
        .iter()
        .filter_map(|texels| Some(format!("{} {:.1}", texels.name, image(figures, texels.name, most)?.1)));
    let of_buffers = ELEMENTS.iter().filter_map(|elements| {
        Some(format!("{} bits {:.1}", 32 * elements.words, buffer(figures, elements.words, most)?))
    });
    let [images, buffers] = [of_images.collect::<Vec<_>>(), of_buffers.collect()];
    let part =
        |clocks: Vec<String>, of| (!clocks.is_empty()).then(|| format!("{} of {of}", clocks.join(", ")));
    let parts: Vec<String> =
        [part(images, "an image"), part(buffers, "a buffer")].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("Clocks per {LOADS} loads: {}.", parts.join("; ")))
}

/// What the L1 delivers at most.
#[expect(clippy::cast_precision_loss, reason = "64")]
fn bytes(figures: &Figures<'_>, most: u32) -> Option<String> {
    let per_clock = |bytes: u32, clocks: f64| f64::from(bytes) * LOADS as f64 / clocks;
    let of_images = FORMATS
        .iter()
        .filter_map(|texels| Some(per_clock(texels.bytes, image(figures, texels.name, most)?.1)));
    let of_buffers = ELEMENTS
        .iter()
        .filter_map(|elements| Some(per_clock(4 * elements.words, buffer(figures, elements.words, most)?)));
    Some(format!(
        "A multiprocessor loads at most {:.0} bytes per clock of a buffer and {:.0} of an image.",
        of_buffers.reduce(f64::max)?,
        of_images.reduce(f64::max)?
    ))
}

/// What it costs that four invocations load a row in place of a square.
fn shapes(figures: &Figures<'_>) -> Option<String> {
    let times = |format: &str| {
        let [row, square] =
            ["4x1", "2x2"].map(|shape| clocks(figures.row(&format!("sampled_{format}_{shape}"))?));
        Some(format!("{:.2}x as long for {format}", row? / square?))
    };
    let all: Option<Vec<String>> = SHAPED.into_iter().map(times).collect();
    Some(format!(
        "Of a sampled image, 4x1 texels per four invocations take, in place of 2x2: {}.",
        all?.join(", ")
    ))
}

/// What the loads of one wave take.
fn one_wave(figures: &Figures<'_>, most: u32) -> Option<String> {
    let [one, all] = [1, most].map(|waves| clocks(figures.row(&format!("sampled_rgba8_{waves}"))?));
    let more = Some(one? / all?).filter(|_| most > 1)?;
    Some(format!(
        "{LOADS} loads of a sampled image (rgba8) take {more:.1}x as long with one wave as with {most}."
    ))
}

#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::{Outcome, Record};

    use super::*;

    fn recorded() -> Record {
        samples::recorded("2026-11-27-nvidia-h200/load_rate").unwrap()
    }

    #[test]
    fn a_record_leads_to_its_verdict() {
        let record = recorded();
        let figures = Figures::new(&record.rows);
        let headline = headline(&figures, 32);
        assert_eq!(headline.finding, "64 loads of an image take 8.01 clocks");
        assert!(headline.finding.chars().count() <= LONGEST && headline.claim.chars().count() <= LONGEST);
        assert_eq!(headline.outcome, Outcome::DoesNotHold);
        assert_eq!(headline.published.unwrap(), "talk: 16 on GCN");
        assert_eq!(
            verdict(&figures, 32).unwrap().lines().collect::<Vec<_>>(),
            [
                "Clocks per 64 loads: r8 8.0, rgba8 8.6, rgba16f 8.6, r32f 8.0, rgba32f 16.0 of an image; 32 bits 2.2, 64 bits \
                 4.0, 128 bits 8.1 of a buffer.",
                "A multiprocessor loads at most 127 bytes per clock of a buffer and 64 of an image.",
                "Of a sampled image, 4x1 texels per four invocations take, in place of 2x2: 0.99x as long for rgba8, 1.87x as \
                 long for rgba16f, 2.00x as long for rgba32f.",
                "64 loads of a sampled image (rgba8) take 5.3x as long with one wave as with 32.",
            ]
        );
    }

    /// Of few waves nothing is said of what a multiprocessor can do.
    #[test]
    fn without_the_most_waves_nothing_is_claimed() {
        let mut record = recorded();
        record.rows.retain(|row| !row.variant.ends_with("_32"));
        let figures = Figures::new(&record.rows);
        assert_eq!(headline(&figures, 32).outcome, Outcome::Undecided);
        let text = verdict(&figures, 32).unwrap();
        assert!(text.starts_with("Of a sampled image, 4x1") && text.lines().count() == 1, "{text}");
        assert_eq!(verdict(&Figures::new(&[]), 32), None);
    }
}
