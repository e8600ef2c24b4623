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
