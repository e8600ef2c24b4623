//! What `--ladder` says: passes in one dispatch against the best that dispatches of their own can do.

use common::{Figures, Time};
use samples::tile_flags::FORMS;
use samples::words::{fastest_right, is_lawful};

/// The fastest of each kind, in words.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let is = |name: &str, start, staged| name.starts_with(start) && name.ends_with("_staged") == staged;
    let free = |staged| figures.fastest(Time::Isolated, |name| is(name, "no_barrier_", staged));
    let ordered = |staged| fastest_right(figures, |name| is(name, "full_barrier_", staged));
    let ((bound, bound_us), (barrier, barrier_us)) = (free(false)?, ordered(false)?);
    let times = |name| figures.ratio(name, bound).map(|ratio| format!("{:.3}x", ratio.median));
    let among = |lawful| {
        let is_tile = |name: &str| FORMS.into_iter().any(|form| form.name() == name);
        let wanted = |name: &str| is_tile(name) && is_lawful(figures, name) == lawful;
        let (name, us) = fastest_right(figures, wanted)?;
        Some((name, us, times(name)?))
    };
    let (lawful, lawful_us, lawful_times) = among(true)?;
    let mut text = format!(
        "In short: the fastest of the shapes that nothing orders, {bound}, takes {bound_us:.1} µs. With barriers the \
         fastest takes {barrier_us:.1} ({}, {barrier}), all passes in one dispatch {lawful_us:.1} ({lawful_times}, {lawful}) \
         by Vulkan's rules",
        times(barrier)?
    );
    if let Some((hardware, us, times)) = among(false) {
        text += &format!(" and {us:.1} ({times}, {hardware}) as the hardware happens to do it");
    }
    text += ".";
    if let (Some(free), Some(ordered)) = (free(true), ordered(true)) {
        text += &shared_memory(figures, [free, ordered], (lawful, lawful_us));
    }
    Some(text)
}

/// What of it is shared memory's, which dispatches of their own can use as well.
fn shared_memory(
    figures: &Figures<'_>,
    [(free, free_us), (ordered, ordered_us)]: [(&str, f64); 2],
    (lawful, lawful_us): (&str, f64),
) -> String {
    let against = figures.ratio(lawful, ordered).and_then(|ratio| ratio.median_95);
    let judged = match against {
        Some(ratio) if ratio.high < 1.0 => format!(
            "of the {:.1} µs that barriers add there, passes in one dispatch save {:.0} %",
            ordered_us - free_us,
            100.0 * (ordered_us - lawful_us) / (ordered_us - free_us)
        ),
        Some(ratio) if ratio.low > 1.0 => {
            format!(
                "barriers are cheaper there: passes in one dispatch take {:.1} µs more",
                lawful_us - ordered_us
            )
        }
        _ => "passes in one dispatch and barriers cannot be told apart there".to_owned(),
    };
    format!(
        " Loads through shared memory alone take the passes to {free_us:.1} µs without order ({free}) and \
         {ordered_us:.1} with barriers ({ordered}): {judged}."
    )
}

#[cfg(test)]
mod tests {
    use common::record::Record;
    use common::record::stats::Summary;

    use super::*;

    /// A published record whose rows stand for those of a ladder, at these times.
    fn ladder(rows: &[(&str, &str, f64)]) -> Record {
        let mut record = samples::recorded("1152-12-passes").unwrap();
        record.rows.retain_mut(|row| {
            let Some((_, name, us)) = rows.iter().find(|(old, ..)| *old == row.variant) else { return false };
            (*name).clone_into(&mut row.variant);
            row.racy = None;
            for (i, sample) in (0..).zip(&mut row.samples) {
                sample.one_us = us * f64::from(100 + i % 3) / 100.0;
            }
            let times: Vec<f64> = row.samples.iter().map(|sample| sample.one_us).collect();
            row.isolated_us = Summary::of(&times);
            true
        });
        assert_eq!(record.rows.len(), rows.len());
        record
    }

    const ROWS: [(&str, &str, f64); 6] = [
        ("no_barrier", "no_barrier_8x8", 100.0),
        ("full_barrier", "full_barrier_8x8", 140.0),
        ("execution_only", "tile_flags_staged", 60.0),
        ("events_2", "tile_flags_chained_staged", 75.0),
        ("bands_no_sync_2", "no_barrier_32x8_staged", 50.0),
        ("events_4", "full_barrier_32x8_staged", 100.0),
    ];

    fn said(rows: &[(&str, &str, f64)]) -> String {
        verdict(&Figures::new(&ladder(rows).rows)).unwrap()
    }

    #[test]
    fn the_fastest_of_each_kind_is_named() {
        let text = said(&ROWS);
        for part in [
            "no_barrier_8x8, takes 101.0 µs",
            "141.4 (1.400x, full_barrier_8x8)",
            "75.8 (0.750x, tile_flags_chained_staged) by Vulkan's rules",
            "60.6 (0.600x, tile_flags_staged) as the hardware happens to do it",
            "50.5 µs without order (no_barrier_32x8_staged)",
            "of the 50.5 µs that barriers add there, passes in one dispatch save 50 %",
        ] {
            assert!(text.contains(part), "no '{part}' in: {text}");
        }
    }

    #[test]
    fn barriers_that_are_cheaper_are_said_to_be() {
        let mut rows = ROWS;
        rows[5].2 = 70.0;
        assert!(
            said(&rows).contains("barriers are cheaper there: passes in one dispatch take 5.0 µs more"),
            "{}",
            said(&rows)
        );
        rows[5].2 = 75.0;
        assert!(said(&rows).contains("cannot be told apart there"), "{}", said(&rows));
    }
}
