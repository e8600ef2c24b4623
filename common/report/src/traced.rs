//! Shows traces of waves in the terminal: one sparkline per variant, and tables.

mod columns;
mod notes;
mod parts;
mod taken;

use record::number::significant;
use record::trace::DispatchFigures;
use record::{Record, Row};

use super::charset::{Charset, width};
use super::names::distinct;
use super::paper::Paper;
use super::table::Table;
use taken::Taken;

/// Most dispatches that are listed per variant.
const LISTED: usize = 12;
/// Most variants whose dispatches are listed.
const VARIANTS: usize = 4;

/// The traces of `record` in `room` columns. `None` if no variant was to be traced. Ends with a newline.
#[must_use]
pub fn traced(charset: Charset, room: u16, record: &Record) -> Option<String> {
    let taken: Vec<Taken<'_>> = record.rows.iter().filter_map(Taken::of).collect();
    let mut paper = Paper::new(charset, room);
    if !taken.is_empty() {
        paper.line("Waves in flight, each variant from its first wave to its last");
        paper.verbatim(&sparklines(room.into(), &taken));
        paper.gap();
        paper.table(&columns::variants(&taken.iter().map(|taken| taken.row).collect::<Vec<_>>()));
        dispatches(&mut paper, &taken);
        paper.gap();
        for paragraph in parts::paragraphs(record, &taken) {
            paper.line(&paragraph);
            paper.gap();
        }
    } else if record.rows.iter().all(|row| row.trace.is_none()) {
        return None;
    }
    notes::notes(record, &taken).iter().for_each(|note| paper.line(note));
    Some(paper.text())
}

/// A table with one row per variant that was to be traced. `None` if there is none.
#[must_use]
pub fn traces(record: &Record) -> Option<Table> {
    let rows: Vec<&Row> = record.rows.iter().filter(|row| row.trace.is_some()).collect();
    (!rows.is_empty()).then(|| columns::variants(&rows))
}

/// One line per variant: its name, its waves in flight over time, and its span.
fn sparklines(room: usize, taken: &[Taken<'_>]) -> String {
    let names = taken.iter().map(|t| width(t.row.label())).max().unwrap_or(0);
    let spans: Vec<String> =
        taken.iter().map(|t| format!("{} µs", significant(t.figures.whole.span_us()))).collect();
    let spans_room = spans.iter().map(|span| width(span)).max().unwrap_or(0);
    let cells = room.saturating_sub(names + 4 + spans_room).clamp(16, 64);
    let line = |(Taken { row, figures, .. }, span): (&Taken<'_>, String)| {
        let line = sparkline(&figures.shape, cells);
        format!("{:names$}  {line:cells$}  {span:>spans_room$}\n", row.label())
    };
    taken.iter().zip(spans).map(line).collect()
}

/// `▂▅███▇▃`: full where the most waves are in flight, blank where there are none.
pub(super) fn sparkline(shape: &[f64], cells: usize) -> String {
    const RAMP: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = shape.iter().copied().fold(0.0, f64::max);
    let cells = cells.min(shape.len());
    let cell = |at: usize| {
        let part = &shape[at * shape.len() / cells..(at + 1) * shape.len() / cells];
        #[expect(clippy::cast_precision_loss, reason = "a few parts of a span")]
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        step_of(mean / most, RAMP.len() - 1)
    };
    (0..cells).map(|at| RAMP[cell(at)]).collect()
}

/// The step from 0 to `steps` that is nearest to a share. Only a share of zero gives 0.
fn step_of(share: f64, steps: usize) -> usize {
    #[expect(clippy::cast_precision_loss, reason = "a handful of steps")]
    let near = |step: &usize| share < (*step as f64 + 0.5) / steps as f64;
    let step = (0..steps).find(near).unwrap_or(steps);
    if share > 0.0 { step.max(1) } else { 0 }
}

/// Writes one table per variant with more than one dispatch.
fn dispatches(paper: &mut Paper, taken: &[Taken<'_>]) {
    let many: Vec<&Taken<'_>> = taken.iter().filter(|t| t.figures.dispatches.len() > 1).collect();
    for Taken { row, figures, .. } in many.iter().take(VARIANTS) {
        let all = &figures.dispatches;
        let kernels = distinct(all.iter().map(|dispatch| dispatch.kernel.as_str()));
        paper.gap();
        paper.line(&heading(row.label(), all, &kernels));
        paper.table(&columns::dispatches(&all[..all.len().min(LISTED)], &kernels));
    }
    let mut more = Vec::new();
    if many.len() > VARIANTS {
        more.push(format!("the dispatches of {} more variants", many.len() - VARIANTS));
    }
    if many.iter().take(VARIANTS).any(|t| t.figures.dispatches.len() > LISTED) {
        more.push(format!("those after the first {LISTED} of a variant"));
    }
    if !more.is_empty() {
        paper.line(&format!("Not listed here, --json has them: {}.", more.join("; ")));
    }
}

/// The heading of a table of dispatches: the variant and the kernels, numbered if there are several.
fn heading(variant: &str, all: &[DispatchFigures], kernels: &[&str]) -> String {
    let called = super::dispatch_parts::called(all.iter().map(|dispatch| dispatch.part.as_ref()));
    let heading = format!("{variant}: {} {called} of", all.len());
    let [kernel] = kernels else {
        let numbered = kernels.iter().enumerate().map(|(at, kernel)| format!("{}: {kernel}", at + 1));
        return format!("{heading} kernels {}", numbered.collect::<Vec<_>>().join(", "));
    };
    format!("{heading} {kernel}")
}

#[cfg(test)]
mod tests {
    use record::{Traced, fixture};

    use super::*;

    fn drawn(charset: Charset, room: u16) -> String {
        traced(charset, room, &fixture::traced()).unwrap()
    }

    #[test]
    fn widths() {
        for width in [140, 80, 60] {
            insta::assert_snapshot!(format!("columns_{width}"), drawn(Charset::Utf8, width));
        }
        insta::assert_snapshot!("columns_100_in_ascii", drawn(Charset::Ascii, 100));
    }

    #[test]
    fn a_cpu_device() {
        let mut record = fixture::traced();
        record.rows.truncate(1);
        record.device.kind = record::Kind::Cpu;
        record.rows[0].pipelined_us = None;
        let text = traced(Charset::Utf8, 100, &record).unwrap();
        assert!(text.contains("proves nothing about a GPU"), "{text}");
        assert!(!text.contains("Pipelined") && !text.contains("Off"), "no empty columns\n{text}");
        assert!(!drawn(Charset::Utf8, 100).contains("proves nothing"));
    }

    #[test]
    fn every_width_fits_and_holds_every_figure_of_the_variants() {
        let record = fixture::traced();
        for (room, charset) in (50..=180).flat_map(|w| [(w, Charset::Utf8), (w, Charset::Ascii)]) {
            let text = traced(charset, room, &record).unwrap();
            assert!(charset == Charset::Utf8 || text.is_ascii(), "{text}");
            let widest = text.lines().map(width).max().unwrap();
            assert!(widest <= usize::from(room), "{widest} columns at {room}\n{text}");
            for head in ["Span", "Steady", "Gaps", "Idle", "Estimate", "Tracing", "Peak", "First"] {
                assert!(text.contains(head), "no {head} at {room}\n{text}");
            }
        }
    }

    #[test]
    fn what_was_refused_has_a_reason_and_no_figure() {
        let mut record = fixture::traced();
        record.rows.retain(|row| !matches!(row.trace, Some(Traced::Ok { .. })));
        let text = traced(Charset::Utf8, 80, &record).unwrap();
        assert!(text.starts_with("No trace of events_4: ") && !text.contains("Span"), "{text}");
        assert_eq!(traced(Charset::Utf8, 80, &fixture::record()), None);
    }

    #[test]
    fn sparklines_scale_to_their_own_highest_part() {
        let shape = [0.0, 0.02, 1.0, 2.0, 2.0, 0.5];
        assert_eq!(sparkline(&shape, 64), " ▁▄██▂");
        assert_eq!(sparkline(&shape, 3), "▁▆▅");
    }
}
