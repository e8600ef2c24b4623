//! The text of a panel: its figures, cautions, and dispatches.

use super::axes::us;
use super::lane::Lane;
use crate::dispatch_parts;
use crate::format::{percent, signed_percent};
use crate::names::grouped;
use record::Traced;
use record::trace::{Dispatch, TraceFigures, counted};

/// Relative change of the time by tracing above which the trace may not represent the measured run.
pub(crate) const HEAVY: f64 = 0.2;
/// Number of clock steps below which the phases of a span are too coarse.
pub(crate) const COARSE: f64 = 50.0;
/// From fewer waves the step of their clock is not known: it is the smallest difference between any two of their times.
const ENOUGH_WAVES: f64 = 32.0;

/// Whether the span is so short that the resolution of the clock matters.
pub(crate) fn is_coarse(figures: &TraceFigures) -> bool {
    figures.whole.waves >= ENOUGH_WAVES && figures.whole.span_us() < COARSE * figures.step_us
}
/// Most kinds of dispatches that are named.
const NAMED: usize = 8;

/// The figures for comparing variants, on one line.
pub fn figures(lane: &Lane<'_>) -> String {
    let (figures, whole) = (lane.figures, &lane.figures.whole);
    let mut parts = vec![
        format!("span {}", us(whole.span_us())),
        format!("fill {}, steady {}, drain {}", us(whole.fill_us), us(whole.steady_us), us(whole.drain_us)),
        format!("idle {}", percent(whole.idle)),
    ];
    if figures.gaps_us > 0.0 {
        parts.push(format!("gaps {}", us(figures.gaps_us)));
    }
    parts.extend(dispatch_parts::early(figures).or_else(|| overlaps(figures)));
    parts.extend(dispatch_parts::shares(figures).map(|shares| format!("wave time: {shares}")));
    let estimate = format!("estimate {}", us(figures.estimate_us));
    parts.push(match lane.row.pipelined_us {
        Some(pipelined) => {
            let error = figures.estimate_us / pipelined.median - 1.0;
            format!("{estimate}, back to back {} ({})", us(pipelined.median), signed_percent(error))
        }
        None => estimate,
    });
    parts.join(" · ")
}

fn overlaps(figures: &TraceFigures) -> Option<String> {
    let (overlapping, all) = figures.overlapping();
    let text = format!("{overlapping} of {all} overlap the next");
    let mean =
        mean_overlap(figures).map_or_else(String::new, |(mean, _)| format!(", by {} on average", us(mean)));
    (all > 0).then_some(text + &mean)
}

/// Over the dispatches that overlap the next one: mean overlap in microseconds, and mean share of the shorter one.
pub(crate) fn mean_overlap(figures: &TraceFigures) -> Option<(f64, f64)> {
    let overlaps = figures.dispatches.iter().filter_map(|d| d.overlap).filter(|overlap| overlap.us > 0.0);
    let (count, us, share) =
        overlaps.fold((0_u32, 0.0, 0.0), |sum, o| (sum.0 + 1, sum.1 + o.us, sum.2 + o.share));
    (count > 0).then(|| (us / f64::from(count), share / f64::from(count)))
}

/// Relative increase of a variant's time by tracing.
pub(crate) fn overhead(lane: &Lane<'_>) -> Option<f64> {
    match &lane.row.trace {
        Some(Traced::Ok { overhead, .. }) => *overhead,
        _ => None,
    }
}

/// Reasons to be careful with the panel's figures.
pub fn cautions(lane: &Lane<'_>) -> Vec<String> {
    let mut cautions = Vec::new();
    if let Some(overhead) = overhead(lane).filter(|overhead| overhead.abs() > HEAVY) {
        let (by, how) = (percent(overhead.abs()), if overhead > 0.0 { "slower" } else { "faster" });
        cautions.push(format!("tracing made it {by} {how}: times are those of the traced run"));
    }
    if let Some(one_in) = lane.trace.dispatches.iter().map(|d| d.one_in).max().filter(|one_in| *one_in > 1) {
        let up_to = if lane.trace.dispatches.iter().all(|d| d.one_in == one_in) { "" } else { "up to " };
        let unit = dispatch_parts::unit(lane.figures);
        cautions.push(format!(
            "1 {unit} in {up_to}{one_in} recorded, drawn at random: a gap may hold waves that were not"
        ));
    }
    if is_coarse(lane.figures) {
        let steps = lane.figures.whole.span_us() / lane.figures.step_us;
        cautions
            .push(format!("only {steps:.0} steps of the waves' clock ({}) long", us(lane.figures.step_us)));
    }
    cautions
}

/// Names of the first stretches (waits) of all kernels whose waves have them.
pub(super) fn waits(panels: &[Lane<'_>]) -> String {
    let has = |d: &Dispatch| d.part.as_ref().is_some_and(|part| !part.stretches_us.is_empty());
    let lanes = panels.iter().filter(|lane| lane.trace.dispatches.iter().any(has));
    let mut waits: Vec<&str> =
        lanes.filter_map(|lane| Some(&*lane.figures.stretches.first()?.what)).collect();
    waits.sort_unstable();
    waits.dedup();
    waits.join(", or ")
}

/// Dispatches of the same kernel and number of workgroups; for parts, also of the same kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alike {
    /// Their indices in the order of recording.
    pub which: Vec<usize>,
    pub text: String,
}

/// The kinds of dispatches, and how many further kinds are not named.
pub(super) fn alike(dispatches: &[Dispatch]) -> (Vec<Alike>, usize) {
    let what = |dispatch: &Dispatch| dispatch.part.as_ref().map(|waves| waves.part.what.clone());
    let kind = |dispatch: &Dispatch| (dispatch.kernel.clone(), dispatch.groups, what(dispatch));
    let kinds = grouped(dispatches.iter().map(kind).zip(0..));
    let more = kinds.len().saturating_sub(NAMED);
    let named = kinds
        .into_iter()
        .take(NAMED)
        .map(|(_, which)| Alike { text: named(&dispatches[which[0]], &which), which });
    (named.collect(), more)
}

fn named(kind: &Dispatch, which: &[usize]) -> String {
    let Dispatch { kernel, groups, part, .. } = kind;
    let (numbers, groups) = (numbers(which), extent(*groups));
    let Some(part) = part.as_ref().map(|waves| &waves.part) else {
        return format!("{numbers}: {kernel}, {groups} {}", counted(kind.groups).to_lowercase());
    };
    let dispatches = match which.len() / (part.of.max(1) as usize) {
        0 | 1 => "one dispatch".to_owned(),
        several => format!("{several} dispatches"),
    };
    let (units, many) = (
        dispatch_parts::plural(&part.unit),
        if which.len() > 1 { dispatch_parts::plural(&part.what) } else { part.what.clone() },
    );
    format!("{numbers}: {many} of {kernel}, {dispatches} of {groups} workgroups and {} {units}", part.units)
}

/// `144x144`; a depth of 1 is left out, and that of a draw, which has none.
pub(crate) fn extent([x, y, z]: [u32; 3]) -> String {
    match [y, z] {
        [0, 0] => x.to_string(),
        [_, 0 | 1] => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    }
}

/// `1–12`, `1, 3, 5 … 23`.
fn numbers(which: &[usize]) -> String {
    let numbers: Vec<String> = which.iter().map(|at| (at + 1).to_string()).collect();
    let [first, .., last] = numbers.as_slice() else { return numbers.concat() };
    if which.windows(2).all(|pair| pair[1] == pair[0] + 1) {
        format!("{first}–{last}")
    } else if numbers.len() <= 5 {
        numbers.join(", ")
    } else {
        format!("{} … {last}", numbers[..3].join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dispatch(kernel: &str, side: u32) -> Dispatch {
        let (kernel, groups) = (kernel.into(), [side, side, 1]);
        Dispatch {
            kernel,
            groups,
            one_in: 1,
            weight: 1.0,
            waves: Vec::new(),
            ends_us: Vec::new(),
            part: None,
        }
    }

    #[test]
    fn parts_are_named_with_their_dispatch() {
        let trace = record::fixture::traces::parts();
        let (alike, _) = alike(&trace.dispatches);
        let text = "1–12: passes of chain/tiles.comp [CHAINED STAGED], one dispatch of 528x1 workgroups and 12288 tiles";
        assert_eq!(alike.into_iter().map(|a| a.text).collect::<Vec<_>>(), [text]);
    }

    #[test]
    fn dispatches_of_a_kind_are_named_once() {
        let texts = |dispatches: &[Dispatch]| {
            let (alike, more) = alike(dispatches);
            (alike.into_iter().map(|a| a.text).collect::<Vec<_>>(), more)
        };
        let chain: Vec<_> = (0..12).map(|_| dispatch("a.comp", 144)).collect();
        assert_eq!(texts(&chain), (vec!["1–12: a.comp, 144x144 workgroups".into()], 0));
        let bands: Vec<_> = (0..24).map(|at| dispatch("a.comp", 8 + at % 2)).collect();
        let expected = ["1, 3, 5 … 23: a.comp, 8x8 workgroups", "2, 4, 6 … 24: a.comp, 9x9 workgroups"];
        assert_eq!(texts(&bands).0, expected);
        let draw = Dispatch { groups: [64, 32, 0], ..dispatch("a.frag", 0) };
        assert_eq!(texts(&[draw]), (vec!["1: a.frag, 64x32 pixels".into()], 0));
        let all: Vec<_> = (0..20).map(|at| dispatch("a.comp", at)).collect();
        assert_eq!((texts(&all).0.len(), texts(&all).1), (8, 12));
    }
}
