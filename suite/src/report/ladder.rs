//! Draws the ladder: the time of each variant, or how often it races in a run of trials.

use record::stats::{Interval, Summary, none_seen_bound};
use record::{Promise, Record, Row, Shows, Status, is_limit};
use report::format;

use super::plot::{Body, Guide, Kind, Mark, PlotRow, RowPlot, Shade, Svg, Track};
use super::records::Entry;
use super::sweep::spans;

/// Whether the record is about race counts, so that its times are not shown.
pub fn counts_races(record: &Record) -> bool {
    record.matrix.as_ref().is_some_and(|matrix| matrix.shows == Shows::Races)
}

/// Whether elements of the row were wrong in at least one sample although the variant has no seeded bug.
pub fn raced(row: &Row) -> bool {
    !matches!(row.promise, Promise::Fault { .. }) && row.racy.is_some_and(|racy| racy.racy_samples > 0)
}

/// The pictures of a record; none if it has no rows.
pub fn draw(entry: &Entry) -> Vec<Svg> {
    let record = entry.record();
    if record.rows.is_empty() {
        return Vec::new();
    }
    if counts_races(record) { races(entry).draw() } else { times(entry).draw() }
}

fn times(entry: &Entry) -> RowPlot {
    let record = entry.record();
    let timed = || record.rows.iter().filter(|row| row.status == Status::Ok);
    let medians = timed().flat_map(|row| [row.isolated_us, row.pipelined_us]).flatten().map(|s| s.median);
    let kind = if spans(medians, 25.0) { Kind::Log } else { Kind::Linear };
    let median_of = |name: &Option<String>| {
        let row = timed().find(|row| Some(&row.variant) == name.as_ref())?;
        row.isolated_us.map(|time| time.median)
    };
    let guide = |name: &Option<String>, double| median_of(name).map(|at| Guide { at, double });
    RowPlot {
        title: format!("{}: times", record.sample),
        subtitle: subtitle(entry),
        legend: legend(record, kind),
        axis: format!("µs a repetition{}", if kind == Kind::Log { " (logarithmic)" } else { "" }),
        kind,
        guides: [guide(&record.bound, false), guide(&record.baseline, true)].into_iter().flatten().collect(),
        rows: record.rows.iter().map(|row| rung(record, row, kind)).collect(),
    }
}

/// The device and the configuration.
pub fn subtitle(entry: &Entry) -> String {
    match entry.configuration() {
        none if none.is_empty() => entry.device.clone(),
        configuration => format!("{}: {configuration}", entry.device),
    }
}

/// The marks that the rows use.
fn legend(record: &Record, kind: Kind) -> Vec<(Track, String)> {
    let any = |has: &dyn Fn(&Row) -> bool| record.rows.iter().any(|row| row.status == Status::Ok && has(row));
    let bar = |shade| isolated(kind, 0.0, None, shade);
    let point = |mark| Track::Point { at: 0.0, interval: None, mark };
    let named = |name: &Option<String>, what: &str, line: &str| {
        name.as_ref().map(|name| format!("{what}: {} ({line} line)", record.label(name)))
    };
    let mut legend = Vec::new();
    if any(&|row| row.isolated_us.is_some() && !raced(row)) {
        let drawn = |row: &Row| !raced(row) && row.isolated_us.is_some_and(|time| time.median_95.is_some());
        let interval = if any(&drawn) { ", with the 95 % interval of the median" } else { "" };
        legend.push((bar(Shade::Plain), format!("alone{interval}")));
    }
    if any(&|row| row.isolated_us.is_some() && raced(row)) {
        legend.push((point(RACED), "alone, of a variant with wrong texels".to_owned()));
    }
    if any(&|row| row.pipelined_us.is_some()) {
        legend.push((point(PIPELINED), "back to back".to_owned()));
    }
    legend.extend(named(&record.bound, "fastest possible", "thin").map(|text| (bar(Shade::Bound), text)));
    if record.baseline != record.bound {
        legend
            .extend(named(&record.baseline, "usual way", "double").map(|text| (bar(Shade::Baseline), text)));
    }
    legend
}

/// A bar, or a point on a logarithmic axis, which has no zero, so that lengths are meaningless.
fn isolated(kind: Kind, at: f64, interval: Option<[f64; 2]>, shade: Shade) -> Track {
    let mark = match (kind, shade) {
        (Kind::Linear | Kind::Both, _) => return Track::Bar { to: at, interval, shade },
        (Kind::Log, Shade::Plain) => Mark(0),
        (Kind::Log, Shade::Bound) => Mark(4),
        (Kind::Log, Shade::Baseline) => Mark(1),
    };
    Track::Point { at, interval, mark }
}

const PIPELINED: Mark = Mark(3);
const RACED: Mark = Mark(6);

fn rung(record: &Record, row: &Row, kind: Kind) -> PlotRow {
    let is = |name: &Option<String>| name.as_ref() == Some(&row.variant);
    let (bound, baseline) = (is(&record.bound), is(&record.baseline));
    let mark = if is_limit(&row.variant) { " (the device's limit)" } else { "" };
    let shade = match (bound, baseline) {
        (true, _) => Shade::Bound,
        (_, true) => Shade::Baseline,
        _ => Shade::Plain,
    };
    let body = match (format::status(&row.status), row.isolated_us) {
        (Some(status), _) => Body::Words(status),
        (None, None) => Body::Words("no sample was taken".into()),
        (None, Some(time)) => Body::Tracks(tracks(row, &time, kind, shade)),
    };
    let figure = match (&body, row.isolated_us) {
        (Body::Tracks(_), Some(time)) => figure(record, row, &time),
        _ => String::new(),
    };
    PlotRow { name: format!("{}{mark}", row.label()), strong: bound || baseline, figure, body }
}

fn tracks(row: &Row, time: &Summary, kind: Kind, shade: Shade) -> Vec<Track> {
    let first = if raced(row) {
        Track::Point { at: time.median, interval: ends(time), mark: RACED }
    } else {
        isolated(kind, time.median, ends(time), shade)
    };
    let pipelined =
        row.pipelined_us.map(|time| Track::Point { at: time.median, interval: ends(&time), mark: PIPELINED });
    [first].into_iter().chain(pipelined).collect()
}

/// The interval of the median.
pub fn ends(summary: &Summary) -> Option<[f64; 2]> {
    summary.median_95.map(|Interval { low, high }| [low, high])
}

/// `73.87 µs ±0.4 %, 1.63 ×`, and a note if the variant was wrong.
fn figure(record: &Record, row: &Row, time: &Summary) -> String {
    let mut text = format!("{} µs", format::significant(time.median));
    if let Some(error) = format::isolated_error(record, time) {
        text += &format!(" {error}");
    }
    if let Some(ratio) = record.to_reference(row) {
        text += &format!(" · {} ×", format::ratio(&ratio));
    }
    if raced(row) {
        text += " · wrong texels";
    }
    text
}

fn races(entry: &Entry) -> RowPlot {
    let record = entry.record();
    RowPlot {
        title: format!("{}: trials with wrong texels", record.sample),
        subtitle: subtitle(entry),
        legend: vec![
            (
                Track::Bar { to: 0.0, interval: None, shade: Shade::Plain },
                "share of the trials in which a texel differed".into(),
            ),
            (
                Track::Point { at: 0.0, interval: None, mark: Mark(0) },
                "none seen, with the upper end of the 95 % interval".into(),
            ),
        ],
        axis: "% of the trials".into(),
        kind: Kind::Linear,
        // Ends the axis at 100 %.
        guides: vec![Guide { at: 100.0, double: false }],
        rows: record.rows.iter().map(trials).collect(),
    }
}

fn trials(row: &Row) -> PlotRow {
    let counted = match (format::status(&row.status), row.racy) {
        (Some(status), _) => Err(status),
        (None, None) => Err("no trial was made".to_owned()),
        (None, Some(racy)) => Ok(racy),
    };
    let (figure, body) = match counted {
        Err(words) => (String::new(), Body::Words(words)),
        Ok(racy) => (format::racy(racy), Body::Tracks(vec![share(racy.racy_samples, racy.samples)])),
    };
    let fault = if matches!(row.promise, Promise::Fault { .. }) { " (a fault on purpose)" } else { "" };
    PlotRow { name: format!("{}{fault}", row.label()), strong: false, figure, body }
}

#[expect(clippy::cast_precision_loss, reason = "counts of trials fit 52 bits")]
fn share(raced: usize, of: usize) -> Track {
    if raced == 0 {
        let bound = none_seen_bound(of) * 100.0;
        return Track::Point { at: 0.0, interval: Some([0.0, bound]), mark: Mark(0) };
    }
    Track::Bar { to: 100.0 * raced as f64 / of.max(1) as f64, interval: None, shade: Shade::Plain }
}

#[cfg(test)]
mod tests {
    use super::super::records::Records;
    use super::super::records::tests::{RUN, found};
    use super::*;

    /// The ladder of a record without races, whose last row is `factor` times as slow.
    fn of(factor: f64) -> RowPlot {
        let records = Records::of(vec![found(RUN, |record| {
            record.rows.iter_mut().for_each(|row| row.racy = None);
            let last = record.rows.last_mut().unwrap();
            let time = last.isolated_us.as_mut().unwrap();
            time.median *= factor;
            time.median_95 = time.median_95.map(|i| Interval { low: i.low * factor, high: i.high * factor });
        })]);
        times(&records.entries[0])
    }

    fn first_tracks(plot: &RowPlot) -> Vec<&Track> {
        let firsts = plot.rows.iter().filter_map(|row| match &row.body {
            Body::Tracks(tracks) => tracks.first(),
            Body::Words(_) => None,
        });
        firsts.chain(plot.legend.iter().map(|(track, _)| track)).collect()
    }

    #[test]
    fn there_are_bars_on_an_axis_that_begins_at_nothing_and_points_on_a_logarithmic_one() {
        let is_bar = |track: &&Track| matches!(track, Track::Bar { .. });
        let (near, far) = (of(1.0), of(1000.0));
        assert_eq!((near.kind, far.kind), (Kind::Linear, Kind::Log));
        assert!(first_tracks(&near).iter().filter(|track| is_bar(track)).count() >= near.rows.len());
        assert!(!first_tracks(&far).iter().any(is_bar));
        let with_interval = |plot: &RowPlot| {
            let has = |track: &&&Track| matches!(track, Track::Point { interval: Some(_), .. });
            first_tracks(plot).iter().filter(has).count()
        };
        assert_eq!(with_interval(&far), far.rows.len(), "an interval each");
    }
}
