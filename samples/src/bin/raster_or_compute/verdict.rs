//! Pixel shaders against compute shaders.

use common::{Extent, Figures, Headline, Holds, Time};
use samples::words::{of_ratio, published, with_interval};

/// A 3x3 sum, each pass of what the one before wrote, as both.
const COMPUTE: &str = "blur_1_compute_8x8";
const PIXELS: &str = "blur_1_pixels";

pub fn headline(figures: &Figures<'_>) -> Headline {
    Headline::of("a full-screen pass is faster as a compute shader").test_ratio(
        figures,
        Time::Isolated,
        [COMPUTE, PIXELS],
        &Holds::FASTER,
        |ratio| format!("3x3 by compute (8x8) takes {ratio} as long as by pixel shader"),
    )
}

/// The times behind the headline, other passes, workgroups, layouts and usages, and what a barrier between two passes costs.
pub fn verdict(figures: &Figures<'_>, size: Extent, passes: u32) -> Option<String> {
    let lines = [
        times(figures, size, passes),
        other_passes(figures),
        workgroups(figures),
        images(figures),
        barriers(figures, passes, "pixels", "pixel shaders"),
        barriers(figures, passes, "compute", "compute shaders"),
    ];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn times(figures: &Figures<'_>, size: Extent, passes: u32) -> Option<String> {
    Some(format!(
        "{passes} passes of 3x3 over {size} take {:.1} µs as a compute shader and {:.1} as a pixel shader.",
        figures.us(Time::Isolated, COMPUTE)?,
        figures.us(Time::Isolated, PIXELS)?
    ))
}

fn other_passes(figures: &Figures<'_>) -> Option<String> {
    let takes = |pass, compute: &str, pixels: &str| {
        ratio(figures, &format!("{pass}_{compute}"), &format!("{pass}_{pixels}"))
    };
    Some(format!(
        "A compute shader takes {} times as long as a pixel shader for a tone map, {} for 9x9, {} to half the size (there without \
         barriers).",
        takes("tone", "compute_8x8", "pixels")?,
        takes("blur_4", "compute_8x8", "pixels")?,
        takes("down", "compute_apart", "pixels_apart")?
    ))
}

fn workgroups(figures: &Figures<'_>) -> Option<String> {
    let takes = |filter| ratio(figures, &format!("{filter}_compute_16x16"), &format!("{filter}_compute_8x8"));
    Some(format!(
        "Workgroups of 16x16 take {} times as long as of 8x8 for a tone map, {} for 3x3, {} for 9x9.",
        takes("tone")?,
        takes("blur_1")?,
        takes("blur_4")?
    ))
}

fn images(figures: &Figures<'_>) -> Option<String> {
    let [slower, faster] = ["dcc/deferred", "dcc/post"].map(|key| published("lottes2018", key));
    Some(format!(
        "A pixel shader takes {} times as long with images in GENERAL, {} with STORAGE usage, which switches compression off on \
         GCN. In the talk passes are from {} % slower to {} % faster with it. A compute shader takes {} times as long if it reads in \
         SHADER_READ_ONLY_OPTIMAL.",
        ratio(figures, "blur_1_pixels_general", PIXELS)?,
        ratio(figures, "blur_1_pixels_storage", PIXELS)?,
        -slower?,
        faster?,
        ratio(figures, "blur_1_compute_read_only", COMPUTE)?
    ))
}

/// What a barrier adds to passes that share nothing: execution alone, and the memory that it makes visible.
fn barriers(figures: &Figures<'_>, passes: u32, way: &str, words: &str) -> Option<String> {
    let per_barrier = |more: &str, less: &str| {
        let added = figures.difference_us(&format!("tone_{way}_{more}"), &format!("tone_{way}_{less}"))?;
        Some(with_interval(&added, f64::from(passes - 1), 2))
    };
    Some(format!(
        "Between tone maps of {words}, an execution barrier adds {} µs, and a memory barrier {} more than that.",
        per_barrier("ordered", "apart")?,
        per_barrier("flushed", "ordered")?
    ))
}

fn ratio(figures: &Figures<'_>, variant: &str, other: &str) -> Option<String> {
    Some(of_ratio(&figures.ratio(variant, other)?, 2))
}

#[cfg(test)]
mod tests {
    use common::record::Outcome;
    use common::record::headline::LONGEST;

    use super::*;

    const SIZE: Extent = Extent { width: 1280, height: 720 };

    #[test]
    fn a_record_leads_to_its_verdict() {
        let record = samples::recorded("2026-11-28-nvidia-h200/raster_or_compute").unwrap();
        let found = headline(&Figures::new(&record.rows));
        assert_eq!(found.finding, "3x3 by compute (8x8) takes 0.04x as long as by pixel shader");
        assert!(found.finding.chars().count() <= LONGEST);
        assert_eq!(found.outcome, Outcome::Holds);
        let text = verdict(&Figures::new(&record.rows), SIZE, 4).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 6, "{text}");
        assert_eq!(
            lines[0],
            "4 passes of 3x3 over 1280x720 take 54.2 µs as a compute shader and 1321.6 as a pixel shader."
        );
        assert_eq!(
            lines[4..],
            [
                "Between tone maps of pixel shaders, an execution barrier adds 0.93 (0.86 to 0.98) µs, and a memory barrier 1.30 \
                 (1.09 to 1.46) more than that.",
                "Between tone maps of compute shaders, an execution barrier adds 1.48 (1.44 to 1.53) µs, and a memory barrier 0.04 \
                 (0.01 to 0.10) more than that.",
            ]
        );
        assert!(
            lines[3].contains("In the talk passes are from 5 % slower to 3.8 % faster with it."),
            "{}",
            lines[3]
        );
        assert_eq!(verdict(&Figures::new(&[]), SIZE, 4), None);
    }
}
