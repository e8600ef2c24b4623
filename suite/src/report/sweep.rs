//! Sweeps: records of one sample and device that differ in the value of one argument.

use record::{Record, listed};
use report::distinct;

use super::plot::{Kind, Line, Mark, Point, Svg, XyPlot};
use super::records::{Entry, Records, amount, identity, later, measured, sides};

/// A sweep over an argument.
#[derive(Clone, Debug)]
pub struct Sweep<'b> {
    /// Name of the sample.
    pub sample: &'b str,
    /// Its device.
    pub device: &'b str,
    /// The argument.
    pub over: &'b str,
    /// The arguments that all records share.
    pub fixed: String,
    /// The values in rising order, with the records that have each.
    pub steps: Vec<Step<'b>>,
}

/// One value of a sweep.
#[derive(Clone, Debug)]
pub struct Step<'b> {
    /// The text of the value in the record.
    pub value: &'b str,
    /// The value as a number.
    pub amount: f64,
    /// The records with this value: runs of the same configuration may have different variants.
    pub entries: Vec<&'b Entry>,
}

/// All sweeps among the records of a sample.
pub fn sweeps<'b>(records: &'b Records, sample: &'b str) -> Vec<Sweep<'b>> {
    let entries: Vec<&Entry> = records.of_sample(sample).collect();
    let mut found: Vec<Sweep<'b>> = Vec::new();
    for first in &entries {
        for over in first.record().configuration.keys() {
            let family: Vec<&Entry> = entries
                .iter()
                .copied()
                .filter(|other| differ_only_in(first.record(), other.record(), over))
                .collect();
            // Each family is added once, for its first record.
            if family.first().is_some_and(|entry| entry.id == first.id)
                && let Some(sweep) = Sweep::of(&family, over)
            {
                found.push(sweep);
            }
        }
    }
    found
}

/// Whether the device and all arguments are equal, except for the value of `over`, which may differ.
fn differ_only_in(a: &Record, b: &Record, over: &str) -> bool {
    let (left, right) = (&a.configuration, &b.configuration);
    let comparable = |value: &String, other: &String| {
        amount(value).is_some() && amount(other).is_some() && sides(value) == sides(other)
    };
    identity(a) == identity(b)
        && left.len() == right.len()
        && left.iter().all(|(name, value)| {
            right
                .get(name)
                .is_some_and(|other| if name == over { comparable(value, other) } else { value == other })
        })
}

impl<'b> Sweep<'b> {
    fn of(family: &[&'b Entry], over: &'b str) -> Option<Self> {
        let first = *family.first()?;
        let mut steps: Vec<Step<'b>> = Vec::new();
        for entry in family {
            let value = entry.record().configuration.get(over)?;
            match steps.iter_mut().find(|step| step.value == value) {
                Some(step) => step.entries.push(entry),
                None => steps.push(Step { value, amount: amount(value)?, entries: vec![entry] }),
            }
        }
        steps.sort_by(|a, b| a.amount.total_cmp(&b.amount));
        let fixed = listed(first.record().configuration.iter().filter(|(name, _)| *name != over));
        let sweep = Self { sample: &first.record().sample, device: &first.device, over, fixed, steps };
        (sweep.steps.len() > 1 && !sweep.lines().is_empty()).then_some(sweep)
    }

    /// The variants that were measured at two or more values; those with the most values come first.
    pub fn lines(&self) -> Vec<Line> {
        let entries = self.steps.iter().flat_map(|step| &step.entries);
        let names = distinct(entries.flat_map(|entry| &entry.record().rows).map(|row| row.variant.as_str()));
        let line = |name: &str| Line {
            name: self.label(name).to_owned(),
            points: self.steps.iter().filter_map(|step| step.point(name)).collect(),
        };
        let mut lines: Vec<Line> = names.into_iter().map(line).filter(|line| line.points.len() > 1).collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.points.len()));
        lines
    }

    /// The label of a variant; records of earlier versions have none.
    fn label<'s>(&'s self, name: &'s str) -> &'s str {
        let entries = self.steps.iter().flat_map(|step| &step.entries);
        entries.map(|entry| entry.record().label(name)).find(|label| *label != name).unwrap_or(name)
    }

    /// Most lines that are drawn; the table has all of them.
    pub const DRAWN: usize = 2 * Mark::MOST;

    /// The pictures, each with as many lines as there are different marks.
    pub fn draw(&self) -> Vec<Svg> {
        let lines = self.lines();
        let drawn = &lines[..lines.len().min(Self::DRAWN)];
        let x_kind =
            if spans(self.steps.iter().map(|step| step.amount), 4.0) { Kind::Log } else { Kind::Linear };
        let times = drawn.iter().flat_map(|line| line.points.iter().map(|point| point.y));
        let y_kind = if spans(times, 8.0) { Kind::Log } else { Kind::Linear };
        let plot = |lines: &[Line]| XyPlot {
            title: format!("{} over {} on {}", self.sample, self.over, self.device),
            subtitle: self.fixed.clone(),
            x_axis: format!("{}{}{}", self.over, self.unit(), words(x_kind)),
            x_kind,
            x_ticks: self.steps.iter().map(|step| (step.amount, step.value.to_owned())).collect(),
            y_axis: format!("time alone, µs{}", words(y_kind)),
            y_kind,
            lines: lines.to_vec(),
        };
        drawn.chunks(Mark::MOST).map(|lines| plot(lines).draw()).collect()
    }

    fn unit(&self) -> &'static str {
        match self.steps.first().map(|step| sides(step.value)) {
            Some(2) => ", by texels",
            Some(3..) => ", by its product",
            _ => "",
        }
    }
}

impl Step<'_> {
    fn point(&self, variant: &str) -> Option<Point> {
        let having: Vec<&Entry> = self
            .entries
            .iter()
            .copied()
            .filter(|entry| measured(entry.record(), variant).is_some())
            .collect();
        let time = measured(later(&having)?.record(), variant)?.isolated_us?;
        Some(Point { x: self.amount, y: time.median, interval: time.median_95.map(|i| [i.low, i.high]) })
    }
}

fn words(kind: Kind) -> &'static str {
    if kind == Kind::Log { " (logarithmic)" } else { "" }
}

/// Whether the largest value is at least `times` the smallest, and all are positive.
pub fn spans(values: impl Iterator<Item = f64>, times: f64) -> bool {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (f64::min(low, v), f64::max(high, v)));
    low > 0.0 && high.is_finite() && high / low >= times
}

#[cfg(test)]
mod tests {
    use super::super::records::tests::{RUN, found, set};
    use super::*;
    use crate::collect::Found;

    /// The swept arguments with their values.
    fn of(changes: &[&[(&str, &str)]]) -> Vec<(String, Vec<String>)> {
        let records = changes.iter().map(|changes| {
            found(RUN, |record| changes.iter().for_each(|(name, value)| set(record, name, value)))
        });
        let records = Records::of(records.collect());
        let values = |sweep: &Sweep<'_>| sweep.steps.iter().map(|step| step.value.to_owned()).collect();
        sweeps(&records, "pipelined_events")
            .iter()
            .map(|sweep| (sweep.over.to_owned(), values(sweep)))
            .collect()
    }

    fn swept(over: &str, values: &[&str]) -> (String, Vec<String>) {
        (over.into(), values.iter().map(|value| (*value).to_owned()).collect())
    }

    #[test]
    fn one_argument_that_differs_is_a_sweep() {
        let found = of(&[&[("size", "64x64")], &[("size", "2048x2048")], &[("size", "512x512")]]);
        assert_eq!(found, [swept("size", &["64x64", "512x512", "2048x2048"])]);
    }

    #[test]
    fn two_that_differ_or_words_are_none() {
        assert!(of(&[&[("size", "64x64")], &[("passes", "3")]]).is_empty());
        assert!(of(&[&[("images", "one")], &[("images", "two")]]).is_empty());
        assert!(
            of(&[&[("workgroup", "8x8")], &[("workgroup", "8x8x4")]]).is_empty(),
            "they are not of one kind"
        );
        assert!(of(&[&[], &[("more", "1")]]).is_empty(), "one lacks it");
        assert!(of(&[&[], &[]]).is_empty(), "nothing differs");
    }

    #[test]
    fn a_grid_is_a_sweep_along_each_line() {
        let found =
            of(&[&[], &[("passes", "3")], &[("size", "64x64")], &[("size", "64x64"), ("passes", "3")]]);
        assert_eq!(found.iter().filter(|(over, _)| over == "size").count(), 2, "{found:?}");
        assert_eq!(found.iter().filter(|(over, _)| over == "passes").count(), 2, "{found:?}");
    }

    #[test]
    fn a_line_joins_cards_of_one_model_and_driver() {
        let of = |radius: &str, uuid: &str, driver: &str| {
            found(RUN, |record| {
                set(record, "radius", radius);
                record.device.uuid = uuid.into();
                record.device.driver_info = driver.into();
            })
        };
        let swept = |records: Vec<Found>| sweeps(&Records::of(records), "pipelined_events").len();
        let (one, other) = ("8dfe4d19-1", "f79d7a26-1");
        assert_eq!(swept(vec![of("2", one, "580"), of("4", other, "580")]), 1);
        assert_eq!(swept(vec![of("2", one, "580"), of("4", one, "600")]), 0);
    }

    #[test]
    fn other_devices_are_not_in_it_and_the_latest_of_a_value_counts() {
        let small = |record: &mut Record| set(record, "size", "64x64");
        let slower = found(RUN, |record| {
            record.started = "2027-01-01T00:00:00Z".into();
            record.rows[0].isolated_us.as_mut().unwrap().median = 99.0;
        });
        let records = Records::of(vec![
            found(RUN, small),
            slower,
            found(RUN, |_| ()),
            found(RUN, |record| {
                set(record, "size", "2048x2048");
                record.device.name = "Other".into();
            }),
        ]);
        let sweeps = sweeps(&records, "pipelined_events");
        assert_eq!(sweeps.len(), 1);
        assert_eq!(sweeps[0].steps.len(), 2);
        assert_eq!(sweeps[0].lines()[0].points[1].y, 99.0);
    }
}
