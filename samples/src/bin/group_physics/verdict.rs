//! What the times of a run mean.

use common::{Figures, Headline, Holds, Time};
use samples::words::{decided, published};

use crate::tricks::{LEAN, TRICKS};

/// A trick that gains less than this is not called a gain.
const GAIN: f64 = 1.01;

/// The kernel of few registers and the one of many.
const FEW: &str = "group_1024_lean";
const MANY: &str = "group_1024_fat";

/// A kernel of few registers in place of one of many.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let faster = published("aaltonen2017", "groups/vgprs_48_to_32");
    Headline::of("fewer registers speed up 1024-thread workgroups")
        .test_ratio(figures, Time::Isolated, [FEW, MANY], &Holds::FASTER, |times| {
            format!("a kernel of few registers takes {times} as long as of many")
        })
        .published(faster.map(|faster| format!("article: {:.2}x", 1.0 / faster)))
}

/// The times behind the headline, and what workgroups, prefetching, each trick and ballots are worth on this device.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let us = |variant| figures.us(Time::Isolated, variant);
    let times = |variant, other| Some(us(variant)? / us(other)?);
    let mut lines = vec![
        format!(
            "{:.1} against {:.1} µs: the kernels also differ in buffers, unpacking, flags and a reload.",
            us(FEW)?,
            us(MANY)?
        ),
        "RADV of Mesa 22.3.6 gives them 20 and 36 VGPRs on GCN.".to_owned(),
    ];
    if let Some(times) = times("global_multi_pass", FEW) {
        lines.push(format!("A workgroup per island is {times:.1} times as fast as a dispatch per colour."));
    }
    if let Some(kept) = times("group_512_kept", "group_512") {
        lines.push(format!(
            "Workgroups of 512 whose threads keep their constraints in registers take {kept:.2}x as long as with \
             prefetching."
        ));
    }
    if let (Some(group), Some(global)) =
        (times("global_multi_pass", "group_cells"), times("global_multi_pass", "global_cells"))
    {
        lines.push(format!(
            "With a thread per cell of the cloth a workgroup per island is {group:.1} times as fast, and a dispatch \
             per colour of cells {global:.1} times."
        ));
    }
    if let (Some(few), Some(many)) =
        (times("group_1024_lean_prefetch", FEW), times("group_1024_fat_prefetch", MANY))
    {
        lines.push(format!(
            "With prefetching the kernel of few registers takes {few:.2}x as long, that of many {many:.2}x."
        ));
    }
    lines.extend(tricks(figures));
    if let Some(ballots) = times("list_open_ballot", "list_open_sums") {
        lines.push(format!(
            "To list the open constraints, ballots take {ballots:.2}x as long as sums in shared memory."
        ));
    }
    Some(lines.join("\n"))
}

/// Which of the tricks of the kernel of few registers gain time, and which do not.
fn tricks(figures: &Figures<'_>) -> Option<String> {
    let (mut gain, mut none) = (Vec::new(), Vec::new());
    for (trick, _) in TRICKS.into_iter().filter(|(_, switch)| LEAN.contains(switch)) {
        let name = format!("lean_without_{trick}");
        let without = figures.ratio(&name, "group_1024_lean_prefetch")?;
        let gains = decided(&without) && without.median >= GAIN;
        // The label says what is left out: `few registers without raw buffers`.
        let label = figures.row(&name)?.label();
        let words = label.split_once(" without ").map_or(label, |(_, words)| words);
        if gains { gain.push(words) } else { none.push(words) }
    }
    let list = |tricks: Vec<&str>| if tricks.is_empty() { "none".to_owned() } else { tricks.join(", ") };
    Some(format!(
        "Ways to save registers that gain time here, each left out alone with prefetching: {}. That gain less than \
         1 %: {}.",
        list(gain),
        list(none)
    ))
}

#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::{Outcome, Row};

    use super::*;

    #[test]
    fn few_registers_do_not_save_time_on_an_h200() {
        let mut rows = samples::recorded("2026-11-29-nvidia-h200/group_physics").unwrap().rows;
        let headline = headline(&Figures::new(&rows));
        assert_eq!(headline.finding, "a kernel of few registers takes 1.02x as long as of many");
        assert!(headline.finding.chars().count() <= LONGEST);
        assert_eq!(
            (headline.outcome, headline.published.as_deref()),
            (Outcome::DoesNotHold, Some("article: 0.67x"))
        );
        assert_eq!(
            verdict(&Figures::new(&rows)).unwrap(),
            "1048.0 against 1022.7 µs: the kernels also differ in buffers, unpacking, flags and a reload.\n\
             RADV of Mesa 22.3.6 gives them 20 and 36 VGPRs on GCN.\n\
             A workgroup per island is 5.1 times as fast as a dispatch per colour.\n\
             Workgroups of 512 whose threads keep their constraints in registers take 0.73x as long as with \
             prefetching.\n\
             With a thread per cell of the cloth a workgroup per island is 10.1 times as fast, and a dispatch per \
             colour of cells 2.0 times.\n\
             With prefetching the kernel of few registers takes 1.02x as long, that of many 1.13x.\n\
             Ways to save registers that gain time here, each left out alone with prefetching: 3-row matrix, late \
             unpacking, flags in signs, reload. That gain less than 1 %: raw buffers.\n\
             To list the open constraints, ballots take 1.09x as long as sums in shared memory."
        );
        let told = |rows: &[Row]| verdict(&Figures::new(rows)).unwrap();
        rows.retain(|row| row.variant != "list_open_sums");
        assert!(!told(&rows).contains("ballots"));
        rows.retain(|row| row.variant != "lean_without_no_w");
        assert!(told(&rows).ends_with("that of many 1.13x."), "{}", told(&rows));
        rows.retain(|row| !row.variant.ends_with("_prefetch"));
        assert_eq!(told(&rows).lines().count(), 5, "{}", told(&rows));
        assert_eq!(verdict(&Figures::new(&[])), None);
    }
}
