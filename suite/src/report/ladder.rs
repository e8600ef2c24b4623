//! Draws the ladder: the time of each variant; or a heat map of how often each is wrong in a run of trials.

use record::stats::{Interval, Summary};
use record::{Promise, Record, Row, Shows, Status, is_limit};
use report::format;
use report::heat::{HeatCell, cross_tables, is_wrong_on_purpose};

use super::plot::{Body, Guide, Key, Kind, Mark, PlotRow, RowPlot, Shade, Svg, Track, heat_map};
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
    if counts_races(record) { races(entry).into_iter().collect() } else { times(entry).draw() }
}

/// What makes the results of a row correct.
pub fn shade(row: &Row) -> Shade {
    match row.promise {
        _ if raced(row) || is_wrong_on_purpose(&row.promise) => Shade::Wrong,
        Promise::Hardware { .. } => Shade::Gpu,
        _ => Shade::Spec,
    }
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
        axis: format!("µs per repetition{}", if kind == Kind::Log { " (logarithmic)" } else { "" }),
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
fn legend(record: &Record, kind: Kind) -> Vec<(Key, String)> {
    let timed = || record.rows.iter().filter(|row| row.status == Status::Ok && row.isolated_us.is_some());
    let interval = if timed().any(|row| row.isolated_us.is_some_and(|time| time.median_95.is_some())) {
        ", with the 95 % interval of the median"
    } else {
        ""
    };
    let mut legend = Vec::new();
    for of in Shade::ALL.into_iter().filter(|of| timed().any(|row| shade(row) == *of)) {
        let interval = if legend.is_empty() { interval } else { "" };
        legend
            .push((Key::Track(isolated(kind, 0.0, None, of)), format!("alone, {}{interval}", of.parts().1)));
    }
    if timed().any(|row| row.pipelined_us.is_some()) {
        let mark = Track::Point { at: 0.0, interval: None, mark: PIPELINED };
        legend.push((Key::Track(mark), "back to back".to_owned()));
    }
    let line = |name: &Option<String>, what: &str, double| {
        let label = record.label(name.as_deref()?);
        Some((Key::Guide { double }, format!("{what}: {label}")))
    };
    legend.extend(line(&record.bound, "fastest possible", false));
    if record.baseline != record.bound {
        legend.extend(line(&record.baseline, "usual way", true));
    }
    legend
}

/// A bar, or a point on a logarithmic axis, which has no zero, so that lengths are meaningless.
fn isolated(kind: Kind, at: f64, interval: Option<[f64; 2]>, shade: Shade) -> Track {
    match kind {
        Kind::Linear | Kind::Both => Track::Bar { to: at, interval, shade },
        Kind::Log => Track::Point { at, interval, mark: shade.parts().2 },
    }
}

const PIPELINED: Mark = Mark(3);

fn rung(record: &Record, row: &Row, kind: Kind) -> PlotRow {
    let is = |name: &Option<String>| name.as_ref() == Some(&row.variant);
    let mark = if is_limit(&row.variant) { " (the device's limit)" } else { "" };
    let (figure, body) = match (format::status(&row.status), row.isolated_us) {
        (Some(status), _) => (String::new(), Body::Words(status)),
        (None, None) => (String::new(), Body::Words("no sample was taken".into())),
        (None, Some(time)) => (figure(record, row, &time), Body::Tracks(tracks(row, &time, kind))),
    };
    let strong = is(&record.bound) || is(&record.baseline);
    PlotRow { name: format!("{}{mark}", row.label()), strong, figure, body }
}

fn tracks(row: &Row, time: &Summary, kind: Kind) -> Vec<Track> {
    let first = isolated(kind, time.median, ends(time), shade(row));
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
        text += " · wrong pixels";
    }
    text
}

/// The tables of a record that counts wrong trials; `None` where no row has a place in one.
fn races(entry: &Entry) -> Option<Svg> {
    let record = entry.record();
    let cells: Vec<_> =
        record.rows.iter().filter_map(|row| Some((row.cell.as_ref()?, HeatCell::of(row)))).collect();
    let (columns, tables) = cross_tables(&cells);
    let title = format!("{}: trials with wrong pixels", record.sample);
    (!tables.is_empty()).then(|| heat_map(&title, &subtitle(entry), &columns, &tables))
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
        let of_legend = plot.legend.iter().filter_map(|(key, _)| match key {
            Key::Track(track) => Some(track),
            Key::Guide { .. } | Key::Cell(_) => None,
        });
        firsts.chain(of_legend).collect()
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

    #[test]
    fn trials_are_a_heat_map_of_one_screen() {
        let of = |run: &str| {
            let records = Records::of(vec![found(run, |_| ())]);
            draw(&records.entries[0]).remove(0).0
        };
        let svg = of("2026-11-26-nvidia-h100-suite/data_race");
        let height: f64 = svg.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        assert!(height < 700.0, "{height}");
        let count = |words: &str| svg.matches(&format!(">{words}</text>")).count();
        assert_eq!((count("100"), count("(100)"), count("(&gt;99)")), (12, 26, 1));
        assert_eq!(count("0") + count("(0)") + 12 + 26 + 1, 96, "each cell has a figure");
        assert!(!of(RUN).contains("fill-opacity"), "times are no heat map");
    }

    #[test]
    fn what_makes_a_variant_correct_has_a_form_of_its_own() {
        let forms = |promise: Promise, wrong: usize| {
            let records = Records::of(vec![found(RUN, |record| {
                record.rows.truncate(1);
                record.rows[0].promise = promise;
                record.rows[0].racy.as_mut().unwrap().racy_samples = wrong;
            })]);
            let svg = draw(&records.entries[0]).remove(0).0;
            ["\"law\"", "\"s dash gpu\"", "\"s off\""].map(|form| svg.contains(form))
        };
        assert_eq!(forms(Promise::Law, 0), [true, false, false]);
        assert_eq!(forms(Promise::OtherApi { api: "CUDA 13.0".into() }, 0), [true, false, false]);
        assert_eq!(forms(Promise::relies_on("caches"), 0), [false, true, false]);
        assert_eq!(forms(Promise::relies_on("caches"), 1), [false, false, true]);
        assert_eq!(forms(Promise::races("a barrier"), 0), [false, false, true]);
    }
}
