//! The records of a report: their order, and which of them belong together.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use record::{DeviceFacts, Kind, Record, Row, SENT, listed};
use report::distinct;

use crate::collect::{Found, RECORD};

/// One record.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The record and where it was found.
    pub found: Found,
    /// Its id in the page, for links: `r1`.
    pub id: String,
    /// The label of its device, which is unique in the report.
    pub device: String,
    /// The arguments in which it differs from other records of its sample: `size 512x512, passes 12`. If another
    /// record has the same values on the same device, followed by its folder: `size 512x512 (runs/1)`.
    pub differs: String,
}

impl Entry {
    /// The content of its file.
    pub fn record(&self) -> &Record {
        &self.found.record
    }

    /// The folder of the run.
    pub fn folder(&self) -> &Path {
        self.found.path.parent().unwrap_or(Path::new(""))
    }

    /// All arguments: `passes 12, size 512x512`.
    pub fn configuration(&self) -> String {
        listed(&self.record().configuration)
    }
}

/// The shortest ends of the paths that are all different: the names of the folders if these suffice.
fn tails(paths: &[&Path]) -> Vec<String> {
    let shown = |path: &&Path| match path.parent() {
        Some(folder)
            if [RECORD, SENT].iter().any(|name| path.ends_with(name)) && folder.file_name().is_some() =>
        {
            folder.to_owned()
        }
        _ => path.to_path_buf(),
    };
    let paths: Vec<PathBuf> = paths.iter().map(shown).collect();
    let tail = |path: &PathBuf, length: usize| {
        let parts: Vec<Component<'_>> = path.components().collect();
        parts[parts.len().saturating_sub(length)..].iter().collect::<PathBuf>().display().to_string()
    };
    let all = |length: usize| paths.iter().map(|path| tail(path, length)).collect::<Vec<_>>();
    let longest = paths.iter().map(|path| path.components().count()).max().unwrap_or(1);
    let apart = |tails: &Vec<String>| tails.iter().collect::<BTreeSet<_>>().len() == tails.len();
    (1..longest).map(all).find(apart).unwrap_or_else(|| all(longest))
}

/// The samples whose question is the suite's own.
const SUBJECT: [&str; 2] = ["pipelined_events", "event_matrix"];

/// The place of a sample among the [`SUBJECT`]; that of all others is behind them.
pub fn order_of(sample: &str) -> usize {
    SUBJECT.iter().position(|subject| *subject == sample).unwrap_or(SUBJECT.len())
}

/// All records of a report.
#[derive(Clone, Debug)]
pub struct Records {
    /// Sorted by sample, device, configuration and date.
    pub entries: Vec<Entry>,
}

impl Records {
    /// Sorts and labels the given records.
    pub fn of(mut found: Vec<Found>) -> Self {
        found.sort_by(|a, b| order(&a.record, &b.record).then_with(|| a.path.cmp(&b.path)));
        let labels = device_labels(&found);
        let differing = differing(&found);
        let entries = found.into_iter().zip(labels).enumerate();
        let entries = entries.map(|(at, (found, device))| {
            let names = differing.get(&found.record.sample).map_or(&[][..], Vec::as_slice);
            let differs = listed(found.record.configuration.iter().filter(|(name, _)| names.contains(name)));
            Entry { id: format!("r{}", at + 1), device, differs, found }
        });
        let mut records = Self { entries: entries.collect() };
        records.name_the_alike();
        records
    }

    /// Adds the folder to the labels of records that nothing else distinguishes.
    fn name_the_alike(&mut self) {
        let mut alike: BTreeMap<[String; 3], Vec<usize>> = BTreeMap::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let key = [entry.record().sample.clone(), entry.device.clone(), entry.differs.clone()];
            alike.entry(key).or_default().push(at);
        }
        for group in alike.into_values().filter(|group| group.len() > 1) {
            let paths: Vec<&Path> = group.iter().map(|at| &*self.entries[*at].found.path).collect();
            for (at, tail) in group.iter().zip(tails(&paths)) {
                let differs = &mut self.entries[*at].differs;
                *differs = if differs.is_empty() { tail } else { format!("{differs} ({tail})") };
            }
        }
    }

    /// The distinct names of the samples: first those that the suite is about, then those whose claim has a published
    /// figure, then by outcome.
    pub fn samples(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.entries.iter().map(|entry| entry.record().sample.as_str()).collect();
        names.dedup();
        names.sort_by_key(|name| {
            let headlines = || self.of_sample(name).filter_map(|entry| entry.record().headline.as_ref());
            let published = headlines().any(|headline| headline.published.is_some());
            (
                order_of(name),
                !published,
                headlines().map(|headline| headline.outcome as u8).min().unwrap_or(u8::MAX),
            )
        });
        names
    }

    /// The names of the devices with their drivers, each once, GPUs first.
    pub fn devices(&self) -> Vec<String> {
        let mut devices: Vec<&DeviceFacts> =
            self.entries.iter().map(|entry| &entry.record().device).collect();
        devices.sort_by_key(|device| (device.kind, &device.name));
        distinct(devices.into_iter().map(|device| match (device.kind, device.driver_info.as_str()) {
            (Kind::Cpu, _) | (_, "") => device.name.clone(),
            (_, driver) => format!("{} (driver {driver})", device.name),
        }))
    }

    /// The records of a sample.
    pub fn of_sample<'b>(&'b self, sample: &'b str) -> impl Iterator<Item = &'b Entry> {
        self.entries.iter().filter(move |entry| entry.record().sample == sample)
    }
}

fn order(a: &Record, b: &Record) -> Ordering {
    let head = |r: &Record| (r.sample.clone(), r.device.kind, identity(r));
    let values = |r: &Record| r.configuration.values().cloned().collect::<Vec<_>>();
    head(a)
        .cmp(&head(b))
        .then_with(|| natural(&values(a), &values(b)))
        .then_with(|| a.started.cmp(&b.started))
}

/// Compares numbers by value: 512x512 is before 1152x1152.
fn natural(a: &[String], b: &[String]) -> Ordering {
    let pairs = a.iter().zip(b).map(|(a, b)| match (amount(a), amount(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.cmp(b),
    });
    pairs.fold(a.len().cmp(&b.len()), |first, next| first.then(next))
}

/// The identity of a device: model and driver. Cards of one model are one device.
pub fn identity(record: &Record) -> [String; 2] {
    [record.device.name.clone(), record.device.driver()]
}

/// The label of each record's device: its name, with the driver where the name has several.
fn device_labels(found: &[Found]) -> Vec<String> {
    let all: Vec<[String; 2]> = found.iter().map(|found| identity(&found.record)).collect();
    let label = |[name, driver]: &[String; 2]| {
        let several = all.iter().any(|[other, of]| other == name && of != driver);
        if several && !driver.is_empty() { format!("{name} ({driver})") } else { name.clone() }
    };
    all.iter().map(label).collect()
}

/// For each sample, the arguments whose values differ between its records.
fn differing(found: &[Found]) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, BTreeMap<String, Vec<Option<&String>>>> = BTreeMap::new();
    for name in found.iter().flat_map(|f| f.record.configuration.keys().map(|name| (&f.record.sample, name)))
    {
        all.entry(name.0.clone()).or_default().entry(name.1.clone()).or_default();
    }
    for Found { record, .. } in found {
        for (name, values) in all.get_mut(&record.sample).into_iter().flatten() {
            values.push(record.configuration.get(name));
        }
    }
    let several = |values: &Vec<Option<&String>>| values.iter().any(|value| *value != values[0]);
    all.into_iter()
        .map(|(sample, names)| {
            (sample, names.into_iter().filter(|(_, values)| several(values)).map(|(name, _)| name).collect())
        })
        .collect()
}

/// The number of texels of a size (`1152x1152`), or the value of a number (`12`). `None` for other text.
pub fn amount(text: &str) -> Option<f64> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
    let sides: Vec<f64> = text.split('x').map(number).collect::<Option<_>>()?;
    Some(sides.into_iter().product())
}

/// Number of sides of a size; 1 for a number.
pub fn sides(text: &str) -> usize {
    text.split('x').count()
}

/// The row of this name, where it has figures.
pub fn measured<'r>(record: &'r Record, variant: &str) -> Option<&'r Row> {
    record.rows.iter().find(|row| row.variant == variant && row.status == record::Status::Ok)
}

/// The latest of records of the same work.
pub fn later<'e>(entries: &[&'e Entry]) -> Option<&'e Entry> {
    entries.iter().copied().max_by(|a, b| a.record().started.cmp(&b.record().started))
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use record::{Headline, Outcome, read_record};

    /// A committed record with changes.
    pub fn found(run: &str, change: impl FnOnce(&mut Record)) -> Found {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../results").join(run).join("record.json");
        let mut record = read_record(&path).unwrap();
        change(&mut record);
        Found { path, record }
    }

    pub const RUN: &str = "2026-11-26-nvidia-h200/pipelined_events-512";

    pub fn set(record: &mut Record, name: &str, value: &str) {
        record.configuration.insert(name.into(), value.into());
    }

    #[test]
    fn amounts_are_numbers_and_sizes() {
        assert_eq!(
            ["12", "0.5", "512x512", "8x8x4"].map(amount),
            [Some(12.0), Some(0.5), Some(262_144.0), Some(256.0)]
        );
        for word in ["one per pass", "32x32,64x64", "", "x", "0: graphics", "-3", "NaN", "inf", "1xinf"] {
            assert_eq!(amount(word), None, "{word}");
        }
    }

    #[test]
    fn records_come_by_sample_device_and_the_size_of_values() {
        let of = |size: &str| found(RUN, |record| set(record, "size", size));
        let mut records = vec![of("2048x2048"), of("64x64"), of("512x512")];
        records.push(found("2026-11-30-nvidia-h200-suite/codegen", |_| ()));
        let records = Records::of(records);
        assert_eq!(records.samples(), ["pipelined_events", "codegen"]);
        let differs: Vec<&str> =
            records.of_sample("pipelined_events").map(|entry| entry.differs.as_str()).collect();
        assert_eq!(differs, ["size 64x64", "size 512x512", "size 2048x2048"]);
    }

    #[test]
    fn devices_of_one_name_are_told_apart_by_what_differs() {
        let records = Records::of(vec![
            found(RUN, |_| ()),
            found(RUN, |record| record.device.driver_info = "600.1".into()),
            found(RUN, |record| record.device.name = "Other".into()),
        ]);
        let mut labels: Vec<&str> = records.entries.iter().map(|entry| entry.device.as_str()).collect();
        labels.sort_unstable();
        assert_eq!(labels, ["NVIDIA H200 (NVIDIA 580.159.04)", "NVIDIA H200 (NVIDIA 600.1)", "Other"]);
    }

    #[test]
    fn cards_of_one_model_and_driver_are_one_device() {
        let of = |uuid: &str| found(RUN, |record| record.device.uuid = uuid.into());
        let records = Records::of(vec![of("f79d7a26-189b-d8d9"), of("8dfe4d19-1004-3586")]);
        assert!(records.entries.iter().all(|entry| entry.device == "NVIDIA H200"));
        assert_eq!(records.devices(), ["NVIDIA H200 (driver 580.159.04)"]);
    }

    #[test]
    fn samples_with_published_figures_come_first_and_the_subject_before_them() {
        let of = |sample: &str, published: Option<&str>, outcome: Outcome| {
            found(RUN, |record| {
                record.sample = sample.into();
                let headline = Headline { outcome, ..Headline::of("a claim") };
                record.headline = Some(headline.published(published.map(str::to_owned)));
            })
        };
        let records = Records::of(vec![
            of("a", None, Outcome::DoesNotHold),
            of("b", None, Outcome::Holds),
            of("c", Some("talk: 1"), Outcome::DoesNotHold),
            of("d", Some("talk: 1"), Outcome::Holds),
            found(RUN, |record| (record.sample, record.headline) = ("0".into(), None)),
            of("event_matrix", Some("talk: 1"), Outcome::DoesNotHold),
            of("pipelined_events", Some("talk: 1"), Outcome::DoesNotHold),
        ]);
        assert_eq!(records.samples(), ["pipelined_events", "event_matrix", "d", "c", "b", "a", "0"]);
    }

    #[test]
    fn records_that_nothing_else_tells_apart_say_where_they_were_found() {
        let at = |path: &str, size: &str| {
            let found = found(RUN, |record| set(record, "size", size));
            Found { path: path.into(), ..found }
        };
        let differs = |found: Vec<Found>| -> Vec<String> {
            Records::of(found).entries.into_iter().map(|entry| entry.differs).collect()
        };
        let one = |path: &str| at(path, "64x64");
        assert_eq!(differs(vec![one("x/a/record.json"), one("x/b/record.json")]), ["a", "b"]);
        assert_eq!(
            differs(vec![one("x/1/a/record.json"), one("x/2/a/record.json"), at("x/3/record.json", "8x8")]),
            ["size 8x8", "size 64x64 (1/a)", "size 64x64 (2/a)"]
        );
        assert_eq!(
            differs(vec![one("a.json"), one("b.json"), one("record.json")]).concat(),
            "a.jsonb.jsonrecord.json"
        );
        assert_eq!(differs(vec![one("a/record.json")]), [""]);
    }
}
