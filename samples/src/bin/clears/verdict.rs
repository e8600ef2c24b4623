//! What a clear costs a pass that overwrites it.

use common::{Figures, Headline, Holds, Time};
use samples::words::{of_ratio, published};

use crate::chain::Work;

const UNCLEARED: &str = "pixels_uncleared";
const CLEARED: &str = "pixels_clear_image_0";

/// A pixel shader's pass with the clear that the talk warns of, against one without.
pub fn headline(figures: &Figures<'_>) -> Headline {
    Headline::of("clears that a pass overwrites waste time").test_ratio(
        figures,
        Time::Isolated,
        [CLEARED, UNCLEARED],
        &Holds::SLOWER,
        |ratio| format!("with vkCmdClearColorImage a pixel pass takes {ratio} as long"),
    )
}

/// The times behind the headline, other clears, other colours, clears before the first pass, compute shaders, and idle slots.
pub fn verdict(figures: &Figures<'_>, work: Work) -> Option<String> {
    let lines = [
        times(figures, work),
        other_clears(figures),
        colours(figures),
        all_first(figures),
        compute(figures),
        idle(figures),
    ];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn times(figures: &Figures<'_>, work: Work) -> Option<String> {
    Some(format!(
        "{} passes of a pixel shader over {} take {:.0} µs with vkCmdClearColorImage and {:.0} without a clear.",
        work.passes,
        work.size,
        figures.us(Time::Isolated, CLEARED)?,
        figures.us(Time::Isolated, UNCLEARED)?,
    ))
}

fn other_clears(figures: &Figures<'_>) -> Option<String> {
    let takes = |variant| times_as_long(figures, variant, UNCLEARED);
    Some(format!(
        "A pass takes {} times as long with a load operation that clears, {} with vkCmdClearAttachments, {} with a kernel that \
         clears. To load what is there takes {}.",
        takes("pixels_load_op_0")?,
        takes("pixels_attachments_0")?,
        takes("pixels_clear_kernel_0")?,
        takes("pixels_loaded")?
    ))
}

fn colours(figures: &Figures<'_>) -> Option<String> {
    let takes = |clear: &str, colour| {
        times_as_long(figures, &format!("pixels_{clear}_{colour}"), &format!("pixels_{clear}_0"))
    };
    Some(format!(
        "Clears to 1 take {} times as long as to 0, to 0.25 {} (load operation: {} and {}). The talk asks for 0 and 1.",
        takes("clear_image", "1")?,
        takes("clear_image", "quarter")?,
        takes("load_op", "1")?,
        takes("load_op", "quarter")?
    ))
}

fn all_first(figures: &Figures<'_>) -> Option<String> {
    let ratio = times_as_long(figures, "pixels_images_first_0", CLEARED)?;
    Some(format!(
        "With all clears before the first pass, it takes {ratio} times as long as with each before its pass."
    ))
}

fn compute(figures: &Figures<'_>) -> Option<String> {
    let takes = |variant| times_as_long(figures, variant, "compute_uncleared");
    Some(format!(
        "A compute shader's pass takes {} times as long with vkCmdClearColorImage, {} with a kernel that clears.",
        takes("compute_clear_image_0")?,
        takes("compute_clear_kernel_0")?
    ))
}

/// The share of wave slots that were empty, beside the talk's.
fn idle(figures: &Figures<'_>) -> Option<String> {
    let percent = |variant| Some(100.0 * figures.trace(variant)?.whole.idle);
    Some(format!(
        "In the trace {:.0} % of the wave slots of compute shaders idle with vkCmdClearColorImage, {:.0} % without a clear. In the \
         talk VALUs idle for at least {} and {} %, in a pass over a quarter of the area.",
        percent("compute_clear_image_0")?,
        percent("compute_uncleared")?,
        published("lottes2018", "idle/quarter_clear")?,
        published("lottes2018", "idle/quarter")?
    ))
}

fn times_as_long(figures: &Figures<'_>, variant: &str, other: &str) -> Option<String> {
    Some(of_ratio(&figures.ratio(variant, other)?, 2))
}

#[cfg(test)]
mod tests {
    use common::Extent;
    use common::record::Outcome;
    use common::record::headline::LONGEST;

    use super::*;
    use crate::Texels;

    const WORK: Work = Work { size: Extent { width: 1920, height: 1080 }, texels: Texels::Rgba8, passes: 8 };

    #[test]
    fn a_record_leads_to_its_verdict() {
        let record = samples::recorded("2026-11-28-nvidia-h200/clears").unwrap();
        let found = headline(&Figures::new(&record.rows));
        assert_eq!(found.finding, "with vkCmdClearColorImage a pixel pass takes 1.90x as long");
        assert!(found.finding.chars().count() <= LONGEST);
        assert_eq!(found.outcome, Outcome::Holds);
        assert_eq!(
            verdict(&Figures::new(&record.rows), WORK).unwrap(),
            "8 passes of a pixel shader over 1920x1080 take 2674 µs with vkCmdClearColorImage and 1410 without a clear.\n\
             A pass takes 1.82 (1.82 to 1.82) times as long with a load operation that clears, 1.83 (1.82 to 1.83) with \
             vkCmdClearAttachments, 1.14 (1.14 to 1.14) with a kernel that clears. To load what is there takes 1.00 (1.00 to 1.00).\n\
             Clears to 1 take 1.00 (1.00 to 1.00) times as long as to 0, to 0.25 1.00 (1.00 to 1.00) (load operation: 1.00 (1.00 to \
             1.00) and 1.00 (1.00 to 1.00)). The talk asks for 0 and 1.\n\
             With all clears before the first pass, it takes 0.998 (0.997 to 0.998) times as long as with each before its pass.\n\
             A compute shader's pass takes 8.00 (7.97 to 8.02) times as long with vkCmdClearColorImage, 1.90 (1.90 to 1.91) with a \
             kernel that clears.\n\
             In the trace 96 % of the wave slots of compute shaders idle with vkCmdClearColorImage, 73 % without a clear. In the talk \
             VALUs idle for at least 26 and 14 %, in a pass over a quarter of the area."
        );
        assert_eq!(verdict(&Figures::new(&[]), WORK), None);
    }
}
