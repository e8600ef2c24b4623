//! The first screen: one card per sample, with what was found and the bars of its main variants.

use record::{Headline, Kind, Outcome, Record, Row, Status, is_limit};
use report::heat::{is_wrong_on_purpose, wrong_share};
use report::{format, grouped};

use super::devices::work;
use super::ladder::{counts_races, shade};
use super::plot::Shade;
use super::records::{Entry, Records, identity};

/// The card of a sample.
#[derive(Clone, Debug)]
pub struct Card<'b> {
    /// Name of the sample.
    pub sample: &'b str,
    /// One record per device.
    pub entries: Vec<&'b Entry>,
    /// What the bars show.
    pub axis: &'static str,
    /// The main variants of the first of the records.
    pub bars: Vec<Bar>,
}

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The label of a variant.
    pub label: String,
    /// Its length, in per cent of the longest.
    pub length: f64,
    /// Its figure.
    pub figure: String,
    /// What makes the variant correct.
    pub shade: Shade,
}

/// Most bars of a card.
const MOST: usize = 4;

impl<'b> Card<'b> {
    /// The card of a sample; `None` if it has no record.
    pub fn of(records: &'b Records, sample: &'b str) -> Option<Self> {
        let entries = chosen(&records.of_sample(sample).collect::<Vec<_>>());
        let record = entries.first()?.record();
        let (axis, bars) = match counts_races(record) {
            true => ("trials with wrong pixels", wrong_trials(record)),
            false => ("time alone", times(record)),
        };
        // The times of a CPU device say nothing.
        let bars = if record.device.kind == Kind::Cpu { Vec::new() } else { bars };
        Some(Self { sample, entries, axis, bars })
    }

    /// The claim with the figure of its source, and the outcome on the first device.
    pub fn claim(&self) -> Option<(String, Outcome)> {
        let Headline { claim, published, outcome, .. } = self.entries.first()?.record().headline.as_ref()?;
        let published = published.as_ref().map_or_else(String::new, |figure| format!(" ({figure})"));
        Some((format!("Claim: {claim}{published}"), *outcome))
    }
}

/// One record per device: of the arguments that most records share, the latest. Records without a headline count only
/// where none has one.
fn chosen<'b>(all: &[&'b Entry]) -> Vec<&'b Entry> {
    let stated: Vec<&Entry> = all.iter().copied().filter(|entry| entry.record().headline.is_some()).collect();
    let all = if stated.is_empty() { all } else { &stated };
    let alike = |entry: &Entry| all.iter().filter(|other| work(other) == work(entry)).count();
    let devices = grouped(all.iter().map(|entry| (identity(entry.record()), *entry)));
    let best = |entries: &[&'b Entry]| {
        entries.iter().copied().max_by_key(|entry| (alike(entry), entry.record().started.clone()))
    };
    devices.iter().filter_map(|(_, entries)| best(entries)).collect()
}

/// What the headline compares, the fastest possible, the usual way, those with a published figure, and then the fastest
/// correct variants. Where a record names none of the first, the variants that it lists first.
fn times(record: &Record) -> Vec<Bar> {
    let time = |row: &Row| row.isolated_us.filter(|_| row.status == Status::Ok).map(|time| time.median);
    let timed = || record.rows.iter().enumerate().filter(|(_, row)| time(row).is_some());
    let mut ranked: Vec<(usize, &Row)> = timed().filter(|(_, row)| !is_limit(&row.variant)).collect();
    let compared = record.headline.as_ref().and_then(|headline| headline.compared.as_ref());
    if record.reference().is_some() || compared.is_some() {
        let pair = compared.map(|compared| [&compared.variant, &compared.other]);
        let named = [&record.bound, &record.baseline].into_iter().flatten();
        let rank = |row: &Row| match shade(row) {
            _ if pair.is_some_and(|pair| pair.contains(&&row.variant)) => 0,
            _ if named.clone().any(|name| *name == row.variant) => 1,
            Shade::Spec | Shade::Gpu if row.published.is_some() => 2,
            Shade::Spec => 3,
            Shade::Gpu | Shade::Wrong => 4,
        };
        ranked.sort_by(|(_, a), (_, b)| {
            rank(a).cmp(&rank(b)).then(time(a).partial_cmp(&time(b)).unwrap_or(std::cmp::Ordering::Equal))
        });
    }
    ranked.truncate(MOST);
    ranked.sort_by_key(|(at, _)| *at);
    let longest = ranked.iter().filter_map(|(_, row)| time(row)).fold(0.0, f64::max);
    let bar = |(_, row): (usize, &Row)| {
        let time = time(row)?;
        let figure = format!("{} µs", format::significant(time));
        Some(Bar { label: row.label().to_owned(), length: length(time, longest), figure, shade: shade(row) })
    };
    ranked.into_iter().filter_map(bar).collect()
}

/// The columns of each table that are to be correct, by how often they were wrong, over all of its rows.
fn wrong_trials(record: &Record) -> Vec<Bar> {
    let counted = record.rows.iter().filter_map(|row| Some((row.cell.as_ref()?, row.racy?, row)));
    let meant = counted.filter(|(.., row)| row.status == Status::Ok && !is_wrong_on_purpose(&row.promise));
    let columns = grouped(
        meant.map(|(cell, racy, row)| ((&cell.column, &cell.table), (wrong_share(racy), shade(row)))),
    );
    let mut bars: Vec<Bar> = columns
        .into_iter()
        .map(|((column, table), rows)| {
            let share =
                rows.iter().map(|(share, _)| share).sum::<f64>() / rows.iter().map(|_| 1.0).sum::<f64>();
            let shade = if share > 0.0 { Shade::Wrong } else { rows[0].1 };
            let label = format!("{column}, {}", table.to_lowercase());
            Bar { label, length: length(share, 1.0), figure: format::percent(share), shade }
        })
        .collect();
    bars.sort_by(|a, b| b.length.total_cmp(&a.length));
    bars.truncate(MOST);
    bars
}

fn length(value: f64, longest: f64) -> f64 {
    let length = 100.0 * value / longest;
    if length.is_finite() { length.clamp(0.0, 100.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use record::figures::Time;
    use record::{Compared, fixture};

    use super::super::records::tests::{RUN, found, set};
    use super::*;
    use crate::collect::Found;

    const RACES: &str = "2026-11-26-nvidia-h100-suite/data_race";

    fn card(found: Vec<Found>, read: impl FnOnce(&Card<'_>)) {
        let records = Records::of(found);
        let samples = records.samples();
        read(&Card::of(&records, samples[0]).unwrap());
    }

    fn labels(card: &Card<'_>) -> Vec<String> {
        card.bars.iter().map(|bar| bar.label.clone()).collect()
    }

    #[test]
    fn the_bars_are_of_what_the_finding_names() {
        let with_subject = |name: Option<&str>| {
            found("2026-11-26-nvidia-h200/event_matrix", |record| {
                let compared = name.map(|name| Compared {
                    variant: name.into(),
                    other: "full_barrier".into(),
                    time: Time::Isolated,
                });
                record.headline.as_mut().unwrap().compared = compared;
            })
        };
        let all = with_subject(None).record;
        let slowest = all.rows.iter().max_by(|a, b| {
            let time = |row: &Row| row.isolated_us.unwrap().median;
            time(a).total_cmp(&time(b))
        });
        let slowest = slowest.unwrap();
        card(vec![with_subject(None)], |card| {
            assert!(!labels(card).iter().any(|label| label == slowest.label()))
        });
        card(vec![with_subject(Some(&slowest.variant))], |card| {
            let labels = labels(card);
            assert_eq!(labels.len(), MOST);
            for name in ["no_barrier", "full_barrier", &slowest.variant] {
                assert!(labels.iter().any(|label| label == all.label(name)), "{name}: {labels:?}");
            }
            assert!(card.bars.iter().all(|bar| (0.0..=100.0).contains(&bar.length)));
        });
    }

    #[test]
    fn a_card_has_one_record_per_device_and_those_with_a_headline_alone() {
        let of = |device: &str, size: &str, stated: bool| {
            found(RUN, |record| {
                record.device.name = device.into();
                record.headline = fixture::record().headline.filter(|_| stated);
                set(record, "size", size);
            })
        };
        let all = vec![
            of("A", "8x8", true),
            of("A", "64x64", true),
            of("A", "16x16", true),
            of("B", "64x64", true),
            of("C", "64x64", false),
        ];
        card(all, |card| {
            let chosen: Vec<_> = card.entries.iter().map(|e| (&*e.device, e.configuration())).collect();
            assert_eq!(chosen.iter().map(|(device, _)| *device).collect::<Vec<_>>(), ["A", "B"]);
            assert!(chosen.iter().all(|(_, arguments)| arguments.contains("64x64")), "{chosen:?}");
        });
        card(vec![of("C", "64x64", false)], |card| assert!(card.claim().is_none() && !card.bars.is_empty()));
    }

    #[test]
    fn trials_are_bars_of_what_was_to_be_correct_and_a_cpu_has_none() {
        card(vec![found(RACES, |_| ())], |card| {
            let figures: Vec<&str> = card.bars.iter().map(|bar| bar.figure.as_str()).collect();
            assert_eq!(figures, ["75 %", "75 %", "0 %", "0 %"]);
            assert_eq!(card.bars[0].label, "execution barrier, two images in turn");
            assert_eq!(
                card.bars.iter().map(|bar| bar.shade).collect::<Vec<_>>(),
                [Shade::Wrong, Shade::Wrong, Shade::Gpu, Shade::Spec]
            );
        });
        card(vec![found(RACES, |record| record.device.kind = Kind::Cpu)], |card| {
            assert!(card.bars.is_empty())
        });
    }
}
