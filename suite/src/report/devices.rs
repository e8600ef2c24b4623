//! Compares the same sample with the same arguments on several devices.

use record::stats::Summary;
use record::{Row, listed};
use report::{distinct, format, grouped};

use super::ladder::{counts_races, ends};
use super::plot::{Body, Guide, Key, Kind, Mark, PlotRow, RowPlot, Svg, Track};
use super::records::{Entry, Records, identity, later, measured};
use super::sweep::spans;

/// Arguments whose default depends on the device and which do not change the work: how a device is divided, its
/// clock, the lanes of its waves.
const OF_THE_DEVICE: [&str; 5] = ["machine", "mhz", "queue family", "tile_lanes", "wave_lanes"];

/// Records that can be compared: one per device.
#[derive(Clone, Debug)]
pub struct Comparison<'b> {
    /// Name of the sample.
    pub sample: &'b str,
    /// The arguments that all records share.
    pub shared: String,
    /// The latest record of each device model and driver.
    pub entries: Vec<&'b Entry>,
}

/// All comparisons of a sample between two or more devices.
pub fn comparisons<'b>(records: &'b Records, sample: &'b str) -> Vec<Comparison<'b>> {
    let entries = records.of_sample(sample).filter(|entry| !counts_races(entry.record()));
    let groups = grouped(entries.map(|entry| (work(entry), entry)));
    let of = |(key, entries): (Work<'_>, Vec<&'b Entry>)| {
        let shared = listed(key);
        Comparison { sample, shared, entries: one_a_device(&entries) }
    };
    groups.into_iter().map(of).filter(|comparison| comparison.entries.len() > 1).collect()
}

/// The arguments that define the work, with their values.
pub type Work<'e> = Vec<(&'e String, &'e String)>;

pub fn work(entry: &Entry) -> Work<'_> {
    let all = entry.record().configuration.iter();
    all.filter(|(name, _)| !OF_THE_DEVICE.contains(&name.as_str())).collect()
}

fn one_a_device<'b>(entries: &[&'b Entry]) -> Vec<&'b Entry> {
    let groups = grouped(entries.iter().map(|entry| (identity(entry.record()), *entry)));
    groups.iter().filter_map(|(_, group)| later(group)).collect()
}

impl<'b> Comparison<'b> {
    /// The variants that at least two of the records measured.
    pub fn variants(&self) -> Vec<&'b str> {
        let rows = self.entries.iter().flat_map(|entry| &entry.record().rows);
        let mut names = distinct(rows.map(|row| row.variant.as_str()));
        let measured_by =
            |name: &str| self.entries.iter().filter(|e| measured(e.record(), name).is_some()).count();
        names.retain(|name| measured_by(name) > 1);
        names
    }

    /// The reference variant of the ratios, if all records have the same.
    pub fn reference(&self) -> Option<&'b str> {
        let mut all = self.entries.iter().map(|entry| entry.record().reference());
        let first = all.next()??;
        all.all(|other| other == Some(first)).then_some(first)
    }

    /// The label of a variant.
    pub fn label(&self, variant: &'b str) -> &'b str {
        self.entries.first().map_or(variant, |entry| entry.record().label(variant))
    }

    /// Pictures of the ratios and of the times.
    pub fn draw(&self) -> Vec<Svg> {
        let mut pictures = Vec::new();
        if let Some(reference) = self.reference() {
            let axis = format!("time alone, times {}", self.label(reference));
            let ratio = |entry: &Entry, row: &Row| entry.record().to_reference(row);
            pictures.extend(self.plot("ratios", &axis, &ratio, true));
        }
        pictures.extend(self.plot("times", "time alone, µs", &|_, row| row.isolated_us, false));
        pictures
    }

    /// One row per variant, one track per device. Many devices take several pictures.
    fn plot(
        &self,
        what: &str,
        axis: &str,
        of: &dyn Fn(&Entry, &Row) -> Option<Summary>,
        ratios: bool,
    ) -> Vec<Svg> {
        let value = |entry: &Entry, name: &str| of(entry, measured(entry.record(), name)?);
        let variants = self.variants();
        let values = variants.iter().flat_map(|name| self.entries.iter().filter_map(|e| value(e, name)));
        let kind = if spans(values.map(|s| s.median), 10.0) { Kind::Log } else { Kind::Linear };
        let mut pictures = Vec::new();
        for devices in self.entries.chunks(Mark::MOST) {
            let point = |(at, entry): (usize, &&Entry), name: &str| {
                let value = value(entry, name)?;
                Some(Track::Point { at: value.median, interval: ends(&value), mark: Mark(at) })
            };
            let row = |name: &&'b str| {
                let tracks: Vec<Track> = devices.iter().enumerate().filter_map(|e| point(e, name)).collect();
                let figures =
                    devices.iter().map(|e| value(e, name).map_or("–".into(), |s| figure(&s, ratios)));
                let figure = figures.collect::<Vec<_>>().join(" | ");
                PlotRow {
                    name: self.label(name).to_owned(),
                    strong: false,
                    figure,
                    body: Body::Tracks(tracks),
                }
            };
            let legend = (0..).zip(devices).map(|(at, entry)| {
                (Key::Track(Track::Point { at: 0.0, interval: None, mark: Mark(at) }), entry.device.clone())
            });
            let plot = RowPlot {
                title: format!("{}: {what} on {} devices", self.sample, self.entries.len()),
                subtitle: self.shared.clone(),
                legend: legend.collect(),
                axis: format!("{axis}{}", if kind == Kind::Log { " (logarithmic)" } else { "" }),
                kind,
                guides: if ratios { vec![Guide { at: 1.0, double: false }] } else { vec![] },
                rows: variants.iter().map(row).collect(),
            };
            pictures.extend(plot.draw());
        }
        pictures
    }
}

/// The text of a ratio or a time.
pub fn figure(summary: &Summary, is_ratio: bool) -> String {
    if is_ratio { format::ratio(summary) } else { format::significant(summary.median) }
}

#[cfg(test)]
mod tests {
    use super::super::records::tests::{RUN, found, set};
    use super::*;

    fn of(other: impl FnOnce(&mut record::Record)) -> usize {
        let records = Records::of(vec![found(RUN, |_| ()), found(RUN, other)]);
        comparisons(&records, "pipelined_events").len()
    }

    #[test]
    fn the_same_work_on_two_devices_compares() {
        assert_eq!(of(|record| record.device.name = "Other".into()), 1);
        assert_eq!(of(|record| record.device.driver_info = "600.1".into()), 1, "two drivers");
        assert_eq!(of(|record| record.device.uuid = "another card".into()), 0, "two cards of one model");
        assert_eq!(of(|_| ()), 0, "one device");
        assert_eq!(
            of(|record| {
                record.device.name = "Other".into();
                set(record, "size", "64x64");
            }),
            0,
            "other work"
        );
        assert_eq!(
            of(|record| {
                record.device.name = "Other".into();
                set(record, "wave_lanes", "64");
            }),
            1,
            "the device's own argument"
        );
    }

    #[test]
    fn both_are_drawn_with_their_figures() {
        let other = found(RUN, |record| record.device.name = "Other".into());
        let records = Records::of(vec![found(RUN, |_| ()), other]);
        let comparison = &comparisons(&records, "pipelined_events")[0];
        assert_eq!(comparison.reference(), Some("no_barrier"));
        let pictures = comparison.draw();
        assert_eq!(pictures.len(), 2);
        assert!(pictures[0].0.contains("1.65 | 1.65") && pictures[0].0.contains("Other"));
    }
}
