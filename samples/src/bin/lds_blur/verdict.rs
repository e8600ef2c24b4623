//! What shared memory saves.

use common::{Extent, Figures, Headline, Holds, Time};
use samples::words::published;

const TILE: &str = "box3x3_tile_16x16";
const DIRECT: &str = "box3x3_direct";
const BUFFER: &str = "box3x3_buffer";

/// A tile in shared memory in place of nine loads per invocation.
pub fn headline(figures: &Figures<'_>) -> Headline {
    Headline::of("shared memory speeds up a 3x3 filter")
        .test_ratio(figures, Time::Isolated, [TILE, DIRECT], &Holds::FASTER, |times| {
            format!("shared memory takes {times} as long as direct loads")
        })
        .published(published("aaltonen2017", "lds/saves").map(|times| format!("article: {times}x at best")))
}

/// The times behind the headline, the fastest variants with shared memory beside the fastest without, and the box on
/// buffers.
pub fn verdict(figures: &Figures<'_>, size: Extent) -> Option<String> {
    // Beginnings of names, and what is unlike besides.
    let one_texel: &[&str] = &["direct", DIRECT];
    let kinds: [(&str, &[&str], &[&str], &str); 5] = [
        (
            "With one texel per invocation shared memory",
            &["shared_8x8", "shared_16x16", "shared_32x32", "box3x3_tile"],
            one_texel,
            "",
        ),
        (
            "With a column of texels per invocation shared memory",
            &["shared_sliding"],
            &["sliding"],
            ", the fastest of several shapes against one",
        ),
        ("In 3D shared memory", &["volume_shared"], &["volume_direct"], ""),
        ("Another algorithm, rows and then columns in shared memory,", &["separable"], one_texel, ""),
        (
            "A pair of 16-bit texels per invocation in shared memory",
            &["box3x3_half"],
            one_texel,
            ", whose texels have 32 bits",
        ),
    ];
    let saved = kinds.into_iter().filter_map(|(what, shared, direct, remark)| {
        let fastest = |starts: &[&str]| {
            figures.fastest(Time::Isolated, |name| starts.iter().any(|start| name.starts_with(start)))
        };
        let [(shared, us), (direct, direct_us)] = [fastest(shared)?, fastest(direct)?];
        if [shared, direct] == [TILE, DIRECT] {
            return None;
        }
        let percent = 100.0 * (us / direct_us - 1.0);
        let told = match percent {
            ..0.0 => format!("saves {:.0} % of the time", -percent),
            _ => format!("takes {percent:.0} % longer"),
        };
        let [shared, direct] = [figures.row(shared)?, figures.row(direct)?].map(|row| row.label());
        Some(format!("{what} {told} ('{shared}' against '{direct}'{remark})."))
    });
    let lines: Vec<String> = times(figures, size).into_iter().chain(saved).chain(buffers(figures)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn times(figures: &Figures<'_>, size: Extent) -> Option<String> {
    let us = |variant| figures.us(Time::Isolated, variant);
    Some(format!("{:.1} against {:.1} µs: {size} texels, in tiles of 16x16.", us(TILE)?, us(DIRECT)?))
}

/// The box that needs no shared memory, beside direct loads and a copy.
fn buffers(figures: &Figures<'_>) -> Option<String> {
    let times = figures.ratio(BUFFER, DIRECT)?.median;
    let percent = 100.0 * figures.share_of_limit(BUFFER)?.share.median;
    let [buffer, direct] = [figures.row(BUFFER)?, figures.row(DIRECT)?].map(|row| row.label());
    Some(format!(
        "Without shared memory '{buffer}' takes {times:.2}x as long as '{direct}', and reaches {percent:.0} % of the \
         faster copy's speed."
    ))
}

#[cfg(test)]
mod tests {
    use common::record::Outcome;
    use common::record::headline::LONGEST;

    use super::*;

    #[test]
    fn what_is_unlike_has_a_sentence_of_its_own() {
        let mut rows = samples::recorded("2026-11-29-nvidia-h200/lds_blur").unwrap().rows;
        let headline = headline(&Figures::new(&rows));
        assert_eq!(headline.finding, "shared memory takes 0.76x as long as direct loads");
        assert!(headline.finding.chars().count() <= LONGEST);
        assert_eq!(
            (headline.outcome, headline.published.as_deref()),
            (Outcome::Holds, Some("article: 0.7x at best"))
        );
        let size = Extent::square(4096);
        assert_eq!(
            verdict(&Figures::new(&rows), size).unwrap(),
            "98.3 against 129.1 µs: 4096x4096 texels, in tiles of 16x16.\n\
             With one texel per invocation shared memory saves 37 % of the time ('shared memory, 16x16' against '3x3 \
             box, direct loads').\n\
             With a column of texels per invocation shared memory saves 29 % of the time ('shared, 32x48, 16 rows \
             each' against 'direct, 32x2, 16 rows each', the fastest of several shapes against one).\n\
             In 3D shared memory saves 60 % of the time ('3x3x3 box, shared memory, 8x8x8' against '3x3x3 box, direct \
             loads').\n\
             Another algorithm, rows and then columns in shared memory, saves 35 % of the time ('rows, then columns, \
             16x16' against '3x3 box, direct loads').\n\
             A pair of 16-bit texels per invocation in shared memory saves 51 % of the time ('3x3 box, 16-bit pairs, \
             16x16' against '3x3 box, direct loads', whose texels have 32 bits).\n\
             Without shared memory '3x3 box, buffers, 4x8 texels each' takes 0.31x as long as '3x3 box, direct loads', \
             and reaches 96 % of the faster copy's speed."
        );
        let slower = ["box3x3_tile_8x8", DIRECT];
        rows.retain(|row| slower.contains(&&*row.variant));
        assert_eq!(
            verdict(&Figures::new(&rows), size).unwrap(),
            "With one texel per invocation shared memory takes 26 % longer ('3x3 box, shared memory, 8x8' against \
             '3x3 box, direct loads')."
        );
        assert_eq!(verdict(&Figures::new(&[]), size), None);
    }
}
