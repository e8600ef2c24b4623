//! What the times of a run mean.

use common::record::published;
use common::{Figures, Time};
use samples::words::decided;

use crate::tricks::{LEAN, TRICKS};

/// A trick that gains less than this is not called a gain.
const GAIN: f64 = 1.01;

/// What workgroups, registers, prefetching, each trick and ballots are worth on this device.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let times = |variant: &str, other: &str| {
        let us = |variant| figures.us(Time::Isolated, variant);
        Some(us(other)? / us(variant)?)
    };
    let mut lines = vec![
        format!(
            "A workgroup per island is {:.1} times as fast as a dispatch per colour (group_1024_lean against \
             global_multi_pass).",
            times("group_1024_lean", "global_multi_pass")?
        ),
        format!(
            "group_1024_lean is {:.2} times as fast as group_1024_fat (RADV of Mesa 22.3.6 on GCN: 20 against 36 VGPRs; \
             they also differ in buffers, unpacking, flags and a reload). The article saw {:.1} for 32 registers instead \
             of 48.",
            times("group_1024_lean", "group_1024_fat")?,
            published::find("aaltonen2017", "groups/vgprs_48_to_32").ok()?.value
        ),
    ];
    let prefetching = |form: &str| times(&format!("{form}_prefetch"), form);
    if let (Some(fat), Some(lean)) = (prefetching("group_1024_fat"), prefetching("group_1024_lean")) {
        lines.push(format!(
            "Prefetching makes group_1024_fat {fat:.2} times as fast, and group_1024_lean {lean:.2} times."
        ));
    }
    lines.extend(tricks(figures));
    if let Some(ballots) = times("list_open_ballot", "list_open_sums") {
        lines.push(format!(
            "Ballots list the open constraints {ballots:.2} times as fast as sums in shared memory (list_open_ballot \
             against list_open_sums)."
        ));
    }
    Some(lines.join("\n"))
}

/// Which of the lean kernel's tricks gain time, and which do not.
fn tricks(figures: &Figures<'_>) -> Option<String> {
    let (mut gain, mut none) = (Vec::new(), Vec::new());
    for (trick, _) in TRICKS.into_iter().filter(|(_, switch)| LEAN.contains(switch)) {
        let without = figures.ratio(&format!("lean_without_{trick}"), "group_1024_lean_prefetch")?;
        let gains = decided(&without) && without.median >= GAIN;
        if gains { gain.push(trick) } else { none.push(trick) }
    }
    let list = |tricks: Vec<&str>| if tricks.is_empty() { "none".to_owned() } else { tricks.join(", ") };
    Some(format!(
        "Ways to save registers that gain time here, each taken from group_1024_lean_prefetch alone: {}. That gain less \
         than 1 %: {}.",
        list(gain),
        list(none)
    ))
}

#[cfg(test)]
mod tests {
    use common::record::Row;

    use super::*;

    /// A row of a record of this sample before prefetching had rows of its own.
    fn row(name: &str, recorded: &str) -> Row {
        let record = samples::recorded("group_physics").unwrap();
        let row = record.rows.into_iter().find(|row| row.variant == recorded).unwrap();
        Row { variant: name.into(), ..row }
    }

    #[test]
    fn rows_lead_to_sentences() {
        let mut rows: Vec<Row> =
            ["global_multi_pass", "group_1024_fat", "group_1024_lean"].map(|name| row(name, name)).into();
        let text = verdict(&Figures::new(&rows)).unwrap();
        assert!(
            text.contains("5.2 times") && text.contains("3.17 times") && text.lines().count() == 2,
            "{text}"
        );
        rows.push(row("group_1024_fat_prefetch", "fat_loop"));
        rows.push(row("group_1024_lean_prefetch", "group_1024_lean"));
        let text = verdict(&Figures::new(&rows)).unwrap();
        assert!(text.contains("fat 2.16 times") && text.contains("lean 1.00 times"), "{text}");
        let tricks =
            ["raw", "no_w", "packed", "flags_sign", "reload"].map(|trick| format!("lean_without_{trick}"));
        rows.extend(tricks.each_ref().map(|name| row(name, name)));
        let text = verdict(&Figures::new(&rows)).unwrap();
        assert!(
            text.ends_with("alone: no_w, flags_sign. That gain less than 1 %: raw, packed, reload."),
            "{text}"
        );
        rows.push(row("list_open_ballot", "group_1024_lean"));
        assert_eq!(verdict(&Figures::new(&rows)).unwrap(), text);
        rows.push(row("list_open_sums", "group_1024_fat"));
        let text = verdict(&Figures::new(&rows)).unwrap();
        assert!(text.contains("\nBallots list the open constraints 3.17 times as fast as sums in"), "{text}");
    }
}
