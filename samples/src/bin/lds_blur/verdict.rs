//! The verdict of `lds_blur`: what shared memory saves, beside the article's claim.

use common::{Figures, Time};

/// Compares the fastest variants with shared memory with the fastest without. Names begin so.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let one_texel: &[&str] = &["direct", "box3x3_direct"];
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
        let percent = 100.0 * (us / direct_us - 1.0);
        let told = match percent {
            ..0.0 => format!("saves {:.0} % of the time", -percent),
            _ => format!("takes {percent:.0} % longer"),
        };
        Some(format!("{what} {told} ({shared} against {direct}{remark}). "))
    });
    let saved: String = saved.collect();
    (!saved.is_empty()).then(|| saved + "The article says up to 30 %.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unlike_has_a_sentence_of_its_own() {
        let record = samples::recorded_on("2026-11-25", "lds_blur").unwrap();
        assert_eq!(
            verdict(&Figures::new(&record.rows)).unwrap(),
            "With one texel per invocation shared memory saves 25 % of the time (box3x3_tile_16x16 against \
             box3x3_direct). With a column of texels per invocation shared memory saves 34 % of the time \
             (shared_sliding_32x48x16 against sliding_32x2x16, the fastest of several shapes against one). In 3D \
             shared memory saves 60 % of the time (volume_shared_4x4x4 against volume_direct). Another algorithm, \
             rows and then columns in shared memory, saves 22 % of the time (separable_32x32 against \
             box3x3_direct). A pair of 16-bit texels per invocation in shared memory saves 46 % of the time \
             (box3x3_half_32x32 against box3x3_direct, whose texels have 32 bits). The article says up to 30 %."
        );
        let slower = ["box3x3_tile_8x8", "box3x3_direct"];
        let rows: Vec<_> = record.rows.into_iter().filter(|row| slower.contains(&&*row.variant)).collect();
        let text = verdict(&Figures::new(&rows)).unwrap();
        assert!(
            text.contains("shared memory takes 26 % longer (box3x3_tile_8x8 against box3x3_direct)"),
            "{text}"
        );
        assert_eq!(verdict(&Figures::new(&[])), None);
    }
}
