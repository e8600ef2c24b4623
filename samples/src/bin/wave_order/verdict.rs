//! What the orders mean.

use common::record::Value;
use common::{Figures, Headline, Holds};

use crate::{CONTENDERS, TIMES, WAVES};

/// The part of the workgroups from their turn up to which they start in an order. Without one it is most of them.
const IN_ORDER: f64 = 0.1;
/// The memory that workgroups of the same size fill, in %, if it is what kept others out. The rest is for chance.
const ALL: f64 = 95.0;
/// More than there is, so that something else than memory kept others out.
const MORE_THAN_ALL: f64 = 105.0;
/// The lead of the older half, in % of the time, up to which waves take turns. The oldest first would be 50.
const IN_TURNS: f64 = 10.0;

/// Whether workgroups start row by row, of the fewest waves per workgroup that were measured.
pub fn headline(figures: &Figures<'_>, waves: u32) -> Headline {
    let claim = Headline::of("workgroups start in a loose raster order");
    let found = WAVES.into_iter().find_map(|each| Some((each, places(figures, "rows", each)?)));
    let Some((each, rows)) = found else { return claim };
    let all = f64::from(waves.div_ceil(each));
    claim.test(Some(rows), &Holds::Below(IN_ORDER * all), |places| {
        format!("95 % start within {places} of their turn, of {all:.0}")
    })
}

fn places(figures: &Figures<'_>, order: &str, each: u32) -> Option<Value> {
    figures.metric(&format!("start_{order}_{each}"))
}

/// A line for each question.
pub fn verdict(figures: &Figures<'_>, waves: u32) -> Option<String> {
    let lines = [gaps(figures), start(figures, waves), place(figures), age(figures)];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// How much of the freed memory workgroups of each size take, if those of the same size take all, and none takes more than there is.
fn gaps(figures: &Figures<'_>) -> Option<String> {
    let filled = |times: &u32| Some((*times, figures.metric(&format!("gaps_{times}"))?.median));
    let [(1, same), others @ ..] = &TIMES.iter().filter_map(filled).collect::<Vec<_>>()[..] else {
        return None;
    };
    let is_memory = *same >= ALL && others.iter().all(|(_, filled)| *filled <= MORE_THAN_ALL);
    let words: Vec<String> =
        others.iter().map(|(times, filled)| format!("{filled:.0} % if {times} times as large")).collect();
    (is_memory && !words.is_empty()).then(|| {
        format!(
            "Workgroups fill {same:.0} % of shared memory that is free in gaps of their size, {}.",
            words.join(", ")
        )
    })
}

/// In which order workgroups start, of the fewest waves per workgroup that were measured.
fn start(figures: &Figures<'_>, waves: u32) -> Option<String> {
    let places = |order: &str, each: u32| Some(places(figures, order, each)?.median);
    let both = |each| Some((each, places("rows", each)?, places("columns", each)?));
    let (each, rows, columns) = WAVES.into_iter().find_map(both)?;
    let all = f64::from(waves.div_ceil(each));
    let order = match [rows, columns].map(|places| places < IN_ORDER * all) {
        [true, false] => "row by row",
        [false, true] => "column by column",
        _ => "neither row by row nor column by column",
    };
    let plural = if each == 1 { "" } else { "s" };
    Some(format!(
        "Workgroups of {each} wave{plural} start {order}: 95 % are at most {rows:.0} of {all:.0} places from their turn, counted by \
         columns {columns:.0}."
    ))
}

/// Where the first workgroups and neighbours run, of the fewest waves per workgroup that were measured.
fn place(figures: &Figures<'_>) -> Option<String> {
    let share = |what: &str, each: u32| Some(figures.metric(&format!("place_{what}_{each}"))?.median);
    let both = |each| Some((share("spread", each)?, share("neighbours", each)?));
    let (spread, neighbours) = WAVES.into_iter().find_map(both)?;
    Some(format!(
        "As many workgroups as there are multiprocessors start on {spread:.0} % of them; {neighbours:.1} % of neighbours share one."
    ))
}

/// Who ends first among the most waves of a workgroup that were measured, if they are more than there are schedulers.
fn age(figures: &Figures<'_>) -> Option<String> {
    let lead = |work: &str, waves: u32| Some(figures.metric(&format!("age_{work}_{waves}"))?.median);
    let both = |waves: &u32| Some((*waves, lead("arithmetic", *waves)?, lead("fetch", *waves)?));
    let (waves, arithmetic, fetch) = CONTENDERS[1..].iter().rev().find_map(both)?;
    let order = match (arithmetic.min(fetch), arithmetic.max(fetch)) {
        (least, most) if least > -IN_TURNS && most < IN_TURNS => "take turns",
        (least, _) if least >= IN_TURNS => "run oldest first",
        (_, most) if most <= -IN_TURNS => "run youngest first",
        _ => "run in an order that depends on their work",
    };
    let [arithmetic, fetch] = [arithmetic, fetch].map(|lead| {
        let when = if lead < 0.0 { "later" } else { "earlier" };
        format!("{:.1} % of the time {when}", lead.abs())
    });
    Some(format!(
        "Waves {order}: the older half of {waves} ends {arithmetic} in arithmetic, {fetch} in loads (oldest first: 50 % earlier)."
    ))
}

#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::{Outcome, Record};

    use super::*;

    fn recorded() -> Record {
        samples::recorded("2026-11-28-nvidia-h200/wave_order").unwrap()
    }

    /// Lines of the verdict, with other medians for some variants.
    fn lines(others: &[(&str, f64)]) -> Vec<String> {
        let mut record = recorded();
        for (name, median) in others {
            let row = record.rows.iter_mut().find(|row| row.variant == *name).unwrap();
            row.metric.as_mut().unwrap().figure.median = *median;
        }
        verdict(&Figures::new(&record.rows), 32_768).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_record_leads_to_its_verdict() {
        let record = recorded();
        let headline = headline(&Figures::new(&record.rows), 32_768);
        assert_eq!(headline.finding, "95 % start within 1755 places of their turn, of 32768");
        assert!(headline.finding.chars().count() <= LONGEST && headline.claim.chars().count() <= LONGEST);
        assert_eq!(headline.outcome, Outcome::Holds);
        assert_eq!(
            lines(&[]),
            [
                "Workgroups fill 100 % of shared memory that is free in gaps of their size, 65 % if 2 times as large, 31 % if 3 times \
                 as large, 25 % if 4 times as large.",
                "Workgroups of 1 wave start row by row: 95 % are at most 1755 of 32768 places from their turn, counted by columns \
                 25100.",
                "As many workgroups as there are multiprocessors start on 94 % of them; 0.1 % of neighbours share one.",
                "Waves take turns: the older half of 32 ends 5.6 % of the time later in arithmetic, 3.7 % of the time later in loads \
                 (oldest first: 50 % earlier).",
            ]
        );
        assert_eq!(verdict(&Figures::new(&[]), 32_768), None);
    }

    #[test]
    fn other_orders_have_other_words() {
        let by_column = lines(&[("start_rows_1", 25_000.0), ("start_columns_1", 10.0)]);
        assert!(by_column[1].starts_with("Workgroups of 1 wave start column by column:"), "{by_column:?}");
        let neither = lines(&[("start_rows_1", 25_000.0)]);
        assert!(neither[1].contains("neither row by row nor column by column"), "{neither:?}");
        let oldest = lines(&[("age_arithmetic_32", 48.0), ("age_fetch_32", 30.0)]);
        assert!(
            oldest[3].starts_with("Waves run oldest first: the older half of 32 ends 48.0 %"),
            "{oldest:?}"
        );
        let mixed = lines(&[("age_arithmetic_32", 48.0)]);
        assert!(mixed[3].starts_with("Waves run in an order that depends on their work"), "{mixed:?}");
    }

    /// If the control fills less than all, or others more, it is not shared memory that is short.
    #[test]
    fn gaps_are_told_of_shared_memory_alone() {
        for (name, filled) in [("gaps_1", 80.0), ("gaps_2", 150.0)] {
            assert!(lines(&[(name, filled)])[0].starts_with("Workgroups of 1 wave"), "{name}");
        }
    }

    /// Four waves may have a scheduler each.
    #[test]
    fn of_four_waves_nothing_is_told() {
        let mut record = recorded();
        record.rows.retain(|row| !row.variant.starts_with("age_") || row.variant.ends_with("_4"));
        assert_eq!(verdict(&Figures::new(&record.rows), 32_768).unwrap().lines().count(), 3);
    }
}
