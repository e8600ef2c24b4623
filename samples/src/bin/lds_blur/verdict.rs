//! The verdict of `lds_blur`: what shared memory saves, beside the article's claim.

use common::{Figures, Time};

/// Compares the fastest variants with shared memory with the fastest without, like with like. Names begin so.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let one_texel: &[&str] = &["direct", "box3x3_direct"];
    let kinds: [(&str, &[&str], &[&str]); 4] = [
        (
            "With one texel per invocation",
            &["shared_8x8", "shared_16x16", "shared_32x32", "separable", "box3x3_tile"],
            one_texel,
        ),
        ("With a column of texels per invocation", &["shared_sliding"], &["sliding"]),
        ("In 3D", &["volume_shared"], &["volume_direct"]),
        ("With two 16-bit texels per invocation", &["box3x3_half"], one_texel),
    ];
    let saved = kinds.into_iter().filter_map(|(what, shared, direct)| {
        let fastest = |starts: &[&str]| {
            figures.fastest(Time::Isolated, |name| starts.iter().any(|start| name.starts_with(start)))
        };
        let [(shared, us), (direct, direct_us)] = [fastest(shared)?, fastest(direct)?];
        let percent = 100.0 * (1.0 - us / direct_us);
        Some(format!("{what} shared memory saves {percent:.0} % of the time ({shared} against {direct}). "))
    });
    let saved: String = saved.collect();
    (!saved.is_empty()).then(|| saved + "The article says up to 30 %.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_16_bit_texels_have_a_sentence_of_their_own() {
        let mut rows = samples::recorded("lds_blur").unwrap().rows;
        let without = "With one texel per invocation shared memory saves 33 % of the time (separable_16x16 against \
             direct_storage). With a column of texels per invocation shared memory saves 37 % of the time \
             (shared_sliding_16x64x16 against sliding_32x2x16). In 3D shared memory saves 61 % of the time \
             (volume_shared_8x8x8 against volume_direct). ";
        let article = "The article says up to 30 %.";
        assert_eq!(verdict(&Figures::new(&rows)).unwrap(), format!("{without}{article}"));
        // The record is older than the kernel; its row of another one stands in.
        rows.iter_mut().find(|row| row.variant == "shared_sliding_32x32x16").unwrap().variant =
            "box3x3_half_16x16".into();
        assert_eq!(
            verdict(&Figures::new(&rows)).unwrap(),
            format!(
                "{without}With two 16-bit texels per invocation shared memory saves 64 % of the time \
                 (box3x3_half_16x16 against direct_storage). {article}"
            )
        );
        assert_eq!(verdict(&Figures::new(&[])), None);
    }
}
