//! Notes on how to read the tables of traces and on the limits of their figures.

use record::{Kind, Record};

use super::super::charset::BLANK;
use super::super::dispatch_parts;
use super::super::format::trimmed;
use super::super::names::grouped;
use super::super::timeline::refusals;
use super::super::timeline::words::{COARSE, HEAVY};
use super::taken::Taken;

/// The notes that apply to the record.
pub(super) fn notes(record: &Record, taken: &[Taken<'_>]) -> Vec<String> {
    let mut lines = refused(record);
    if taken.is_empty() {
        return lines;
    }
    lines.extend(heavy(taken));
    lines.extend(coarse(taken));
    lines.extend(sampled(taken));
    if record.device.kind == Kind::Cpu {
        lines.push("CPU device: how waves fill, drain and overlap here proves nothing about a GPU.".into());
    }
    lines.push(
        "A wave (subgroup) is in flight from its first instruction until its last is reached; its stores may land \
         later. Fill: until the last wave begins before one in twenty has ended; drain: the same, read from the end. \
         Idle: share of the device's wave slots (where it does not tell them, of the variant's own peak) that no wave \
         filled. Gaps: no dispatch in flight. Waves /µs: those begun in \
         the fill; first fill: what share of all they are."
            .into(),
    );
    if taken.iter().any(|t| t.figures.dispatches.len() > 1) {
        lines.push(
            "Overlap: from the next dispatch's first wave to this one's last, and as a share of the shorter one's span; \
             means are of those that overlap. Below 0, so much time lay between them."
                .into(),
        );
    }
    if taken.iter().any(|t| !t.figures.stretches.is_empty()) {
        lines.push(
            "Passes and other parts of a dispatch stand as dispatches of their own; a wave counts for each unit that it \
             does, from when it was done with the one before. At work: when the first wave has what it waits for."
                .into(),
        );
    }
    lines.push(
        "Estimate: Lottes' ball-park for a repetition among others, steady + half of fill and drain, against the \
         back-to-back time that was measured without tracing."
            .into(),
    );
    lines
}

/// Variants without a trace; those with the same reason share a line.
fn refused(record: &Record) -> Vec<String> {
    let line = |(reason, names): (&str, Vec<&str>)| format!("No trace of {}: {reason}", names.join(", "));
    grouped(refusals(&record.rows)).into_iter().map(line).collect()
}

fn heavy(taken: &[Taken<'_>]) -> Option<String> {
    let names = named(taken, |t| t.overhead.is_some_and(|overhead| overhead.abs() > HEAVY));
    let most = 100.0 * HEAVY;
    (!names.is_empty()).then(|| {
        format!(
            "! ({names}): tracing made it more than {most:.0}{BLANK}% slower, or faster: these figures are of the traced run, not of the \
             one that was measured."
        )
    })
}

fn coarse(taken: &[Taken<'_>]) -> Option<String> {
    let names = named(taken, |t| t.is_coarse());
    let step = taken.iter().map(|t| t.figures.step_us).fold(0.0, f64::max);
    (!names.is_empty()).then(|| {
        format!(
            "~ ({names}): shorter than {COARSE:.0} steps of the waves' clock, of {}{BLANK}µs each: phases and overlaps are coarse.",
            trimmed(step)
        )
    })
}

fn sampled(taken: &[Taken<'_>]) -> Vec<String> {
    let most = |t: &Taken<'_>| t.figures.dispatches.iter().map(|d| d.one_in).max().unwrap_or(1);
    let mut rates: Vec<u32> = taken.iter().map(most).filter(|rate| *rate > 1).collect();
    rates.sort_unstable();
    rates.dedup();
    let line = |rate: u32| {
        let names = named(taken, |t| most(t) == rate);
        let all = taken.iter().filter(|t| most(t) == rate).flat_map(|t| &t.figures.dispatches);
        let units: Vec<&str> =
            taken.iter().filter(|t| most(t) == rate).map(|t| dispatch_parts::unit(t.figures)).collect();
        let alike = units.windows(2).all(|pair| pair[0] == pair[1]);
        let unit = if alike { units.first().copied() } else { None }.unwrap_or("workgroup or unit");
        let up_to = if all.clone().all(|d| d.one_in == rate) { "" } else { "up to " };
        format!(
            "{names}: 1 {unit} in {up_to}{rate} was recorded, drawn at random; waves are scaled up, so that \
             peaks are too high, and a gap may hold some that were not recorded."
        )
    };
    rates.into_iter().map(line).collect()
}

fn named(taken: &[Taken<'_>], which: impl Fn(&Taken<'_>) -> bool) -> String {
    let names = taken.iter().filter(|t| which(t)).map(|t| t.row.label());
    names.collect::<Vec<_>>().join(", ")
}
