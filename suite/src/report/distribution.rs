//! Draws how the samples alone of each variant scatter around their median.

use record::stats::Summary;
use record::{Row, Status};

use super::ladder::{counts_races, subtitle};
use super::plot::{Body, Key, Kind, PlotRow, RowPlot, Spread, Svg, Track};
use super::records::Entry;

/// With fewer samples, quartiles say little more than the samples themselves.
const FEWEST: usize = 6;

/// The pictures of a record; none if no row has enough samples.
pub fn draw(entry: &Entry) -> Vec<Svg> {
    let record = entry.record();
    let rows: Vec<PlotRow> = record.rows.iter().filter_map(box_of).collect();
    let drawn = rows.iter().any(|row| matches!(row.body, Body::Tracks(_)));
    if !drawn || counts_races(record) {
        return Vec::new();
    }
    let empty = Spread { quartiles: [0.0; 3], whiskers: [0.0; 2], outliers: vec![] };
    let plot = RowPlot {
        title: format!("{}: scatter of the samples alone", record.sample),
        subtitle: subtitle(entry),
        legend: vec![(
            Key::Track(Track::Spread(empty)),
            "quartiles and median; whiskers to the last sample within Tukey's fences, circles beyond".into(),
        )],
        axis: "% off the row's median (equal steps to ±1 %, equal factors beyond)".into(),
        kind: Kind::Both,
        guides: vec![],
        rows,
    };
    plot.draw()
}

fn box_of(row: &Row) -> Option<PlotRow> {
    let time = row.isolated_us.filter(|_| row.status == Status::Ok && !row.samples.is_empty())?;
    if row.samples.len() < FEWEST {
        let body = Body::Words(format!("fewer than {FEWEST} samples"));
        return Some(PlotRow { name: row.label().to_owned(), strong: false, figure: String::new(), body });
    }
    let off = |value: f64| (value / time.median - 1.0) * 100.0;
    let samples: Vec<f64> = row.samples.iter().map(|sample| sample.one_us).collect();
    let (within, beyond): (Vec<f64>, Vec<f64>) =
        samples.iter().copied().partition(|value| !time.is_outlier(*value));
    let ends = within.iter().copied().fold([time.median; 2], |[low, high], v| [low.min(v), high.max(v)]);
    let quartile = words_of(&time, samples.len(), beyond.len());
    let spread = Spread {
        quartiles: [time.q1, time.median, time.q3].map(off),
        whiskers: ends.map(off),
        outliers: beyond.into_iter().map(off).collect(),
    };
    let body = Body::Tracks(vec![Track::Spread(spread)]);
    Some(PlotRow { name: row.label().to_owned(), strong: false, figure: quartile, body })
}

fn words_of(time: &Summary, samples: usize, outliers: usize) -> String {
    let box_width = if time.median > 0.0 { time.iqr / time.median * 100.0 } else { 0.0 };
    let outliers = match outliers {
        0 => String::new(),
        1 => " · 1 outlier".into(),
        many => format!(" · {many} outliers"),
    };
    format!("n {samples} · box {box_width:.1} %{outliers}")
}

#[cfg(test)]
mod tests {
    use super::super::ladder;
    use super::super::records::Records;
    use super::super::records::tests::{RUN, found};
    use super::*;

    /// The ladder and the scatter of a record. Rows without races have `most` samples, the others one.
    fn drawn(most: usize) -> (String, Vec<Svg>) {
        let records = Records::of(vec![found(RUN, |record| {
            let with_a_bar = record.rows.iter().position(|row| !ladder::raced(row));
            for (at, row) in record.rows.iter_mut().enumerate() {
                row.samples.truncate(if Some(at) == with_a_bar { most } else { 1 });
                let time = row.isolated_us.as_mut().unwrap();
                time.median_95 = time.median_95.filter(|_| row.samples.len() >= FEWEST);
            }
        })]);
        let entry = &records.entries[0];
        (ladder::draw(entry).remove(0).0, draw(entry))
    }

    #[test]
    fn few_samples_have_no_box_and_no_interval() {
        let (ladder, scatter) = drawn(5);
        assert!(scatter.is_empty() && ladder.contains("alone") && !ladder.contains("95 % interval"));
        let (ladder, scatter) = drawn(6);
        assert!(scatter[0].0.contains("fewer than 6 samples") && scatter[0].0.contains("n 6"));
        assert!(ladder.contains("95 % interval"));
    }
}
