//! Describes traces of dispatches that have parts.

use record::stats::Summary;
use record::trace::{Part, TraceFigures};

use super::charset::BLANK;
use super::format::{percent, trimmed};

/// The noun for the dispatches of a trace: the plural of their part (`passes`) if all have the same one, otherwise
/// `dispatches`.
pub(super) fn called<'p>(mut parts: impl Iterator<Item = Option<&'p Part>>) -> String {
    let first = parts.next().flatten();
    match first.filter(|first| parts.all(|part| part.is_some_and(|part| part.what == first.what))) {
        Some(part) => plural(&part.what),
        None => "dispatches".into(),
    }
}

/// English plural; covers the words used as part names.
pub(super) fn plural(word: &str) -> String {
    let ending = if word.ends_with('s') || word.ends_with("ch") { "es" } else { "s" };
    format!("{word}{ending}")
}

/// The unit of which one in N is recorded: that of the parts (`tile`) if only dispatches with such parts are
/// sampled, `wave` if only draws are, otherwise `workgroup`.
pub(super) fn unit(figures: &TraceFigures) -> &str {
    let sampled = figures.dispatches.iter().filter(|dispatch| dispatch.one_in > 1);
    let mut units = sampled.map(|dispatch| match &dispatch.part {
        Some(part) => &*part.unit,
        None if dispatch.groups[2] == 0 => "wave",
        None => "workgroup",
    });
    units.next().filter(|first| units.all(|unit| unit == *first)).unwrap_or("workgroup")
}

/// How many parts start work before the previous part ends, and by how much. `None` if the waves do not report it.
pub(super) fn early(figures: &TraceFigures) -> Option<String> {
    let what = &figures.dispatches.iter().find_map(|dispatch| dispatch.part.as_ref())?.what;
    let all = figures.dispatches.iter().filter_map(|dispatch| dispatch.overlap?.at_work_us);
    let (count, all) = (all.clone().count(), all.filter(|us| *us > 0.0).collect::<Vec<f64>>());
    let by = Summary::of(&all).map(|us| format!(", by {}{BLANK}µs (median)", trimmed(us.median)));
    let text = format!("{} of {count} {} are at work before the one before ends", all.len(), plural(what));
    (count > 0).then(|| text + &by.unwrap_or_default())
}

/// `ticket and wait 12 %, load 41 %, …`: shares of the time that waves were in flight. `None` if the waves do not
/// report them.
pub(super) fn shares(figures: &TraceFigures) -> Option<String> {
    let told = figures.stretches.iter().map(|stretch| format!("{} {}", stretch.what, percent(stretch.share)));
    (!figures.stretches.is_empty()).then(|| told.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use record::fixture::traces;

    use super::*;

    #[test]
    fn parts_have_names_of_their_own() {
        let trace = traces::parts();
        let parts: Vec<Option<&Part>> =
            trace.dispatches.iter().map(|d| d.part.as_ref().map(|waves| &waves.part)).collect();
        assert_eq!(called(parts.iter().copied()), "passes");
        assert_eq!(called(parts.iter().copied().chain([None])), "dispatches");
        assert_eq!(called([].into_iter()), "dispatches");
        assert_eq!(["pass", "batch", "step"].map(plural), ["passes", "batches", "steps"]);
    }

    #[test]
    fn what_waves_do_not_tell_is_not_said() {
        let figures = traces::figures(&traces::passes(None));
        assert_eq!((early(&figures), shares(&figures)), (None, None));
        let mut figures = traces::figures(&traces::parts());
        let early_by = |figures: &TraceFigures| early(figures).unwrap().replace(BLANK, " ");
        assert!(
            early_by(&figures).starts_with("11 of 11 passes are at work before the one before ends, by ")
        );
        figures
            .dispatches
            .iter_mut()
            .filter_map(|d| d.overlap.as_mut())
            .for_each(|o| o.at_work_us = Some(-1.0));
        assert_eq!(early_by(&figures), "0 of 11 passes are at work before the one before ends");
    }
}
