//! `suite export`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use record::error::EXIT_RIGHT;
use record::stats::Summary;
use record::{Record, Row, Sample, read_record};
use report::Destination;

use crate::collect::{find, spare};

/// Print the rows of records as CSV
///
/// One line per variant, or with --samples one per kept sample, times in microseconds and with every digit. A
/// cell is empty where nothing was measured. Text is kept as the record has it: a name that begins with
/// =, +, - or @ is a formula to a spreadsheet, so import such columns as text.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  suite export results/2026-11-26-nvidia-h200    a line per variant
  suite export --samples RECORD --csv s.csv      a line per sample, into a file")]
pub struct Export {
    /// File to write, or - for the standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    csv: Destination,
    /// One line per kept sample instead of one per variant; what lies outside of Tukey's fences of its row is
    /// labelled and kept
    #[arg(long)]
    samples: bool,
    /// Records, or folders with records
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
}

impl Export {
    /// Runs the command and returns its exit code.
    ///
    /// # Errors
    /// If a record cannot be read or the output cannot be written.
    pub fn run(&self) -> Result<u8> {
        let files = find(&self.records)?;
        spare(files.iter().map(PathBuf::as_path), &self.csv)?;
        self.csv.probe()?;
        self.csv.stream(|out| write(out, &files, self.samples))?;
        Ok(EXIT_RIGHT)
    }
}

/// Reads one record at a time to save memory.
fn write(out: &mut dyn Write, files: &[PathBuf], samples: bool) -> Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    for (at, file) in files.iter().enumerate() {
        let record = read_record(file)?;
        // Nothing is written if the first record cannot be read.
        if at == 0 {
            let heads = columns(samples).into_iter().map(|(head, _)| head);
            writer.write_record(heads).context("writing the CSV file")?;
        }
        lines(&record, file, samples, &mut writer).context("writing the CSV file")?;
    }
    writer.flush().context("writing the CSV file")
}

/// Writes the lines of one record.
///
/// # Errors
/// If they cannot be written.
pub fn lines<W: Write>(
    record: &Record,
    file: &Path,
    samples: bool,
    to: &mut csv::Writer<W>,
) -> csv::Result<()> {
    let (columns, file) = (columns(samples), file.display().to_string());
    for row in &record.rows {
        let times: Vec<f64> = row.samples.iter().map(|sample| sample.one_us).collect();
        let all = Summary::of(&times);
        let is_outlier = |sample: &Sample| all.is_some_and(|all| all.is_outlier(sample.one_us));
        let each = row.samples.iter().map(|sample| Some((sample, is_outlier(sample))));
        let each: Vec<_> = if samples { each.collect() } else { vec![None] };
        for sample in each {
            let line = Line { file: &file, record, row, sample };
            to.write_record(columns.iter().map(|(_, cell)| cell(&line)))?;
        }
    }
    Ok(())
}

/// The content of a line: a variant or, with its outlier flag, one of its samples.
struct Line<'r> {
    file: &'r str,
    record: &'r Record,
    row: &'r Row,
    sample: Option<(&'r Sample, bool)>,
}

/// Heading and cell function of a column.
type Column = (&'static str, fn(&Line<'_>) -> String);

fn columns(samples: bool) -> Vec<Column> {
    let own = if samples { OF_SAMPLES } else { OF_VARIANTS };
    [OF_ALL, own].concat()
}

/// The first columns of every line.
const OF_ALL: &[Column] = &[
    ("record", |of| of.file.to_owned()),
    ("started", |of| of.record.started.clone()),
    ("device", |of| of.record.device.name.clone()),
    ("device_uuid", |of| of.record.device.uuid.clone()),
    ("driver", |of| of.record.device.driver()),
    ("sample", |of| of.record.sample.clone()),
    ("configuration", |of| configuration(&of.record.configuration)),
    ("variant", |of| of.row.variant.clone()),
];

const OF_VARIANTS: &[Column] = &[
    ("finding", |of| cell(of.record.headline.as_ref().map(|headline| &headline.finding))),
    ("outcome", |of| cell(of.record.headline.as_ref().map(|headline| headline.outcome.words()))),
    ("status", |of| of.row.status.word().to_owned()),
    ("reason", |of| of.row.status.reason().unwrap_or_default()),
    ("isolated_us", |of| median(of.row.isolated_us)),
    ("isolated_low_us", |of| low(of.row.isolated_us)),
    ("isolated_high_us", |of| high(of.row.isolated_us)),
    ("pipelined_us", |of| median(of.row.pipelined_us)),
    ("pipelined_low_us", |of| low(of.row.pipelined_us)),
    ("pipelined_high_us", |of| high(of.row.pipelined_us)),
    ("to_bound", |of| median(of.row.to_bound)),
    ("to_bound_low", |of| low(of.row.to_bound)),
    ("to_bound_high", |of| high(of.row.to_bound)),
    ("to_baseline", |of| median(of.row.to_baseline)),
    ("to_baseline_low", |of| low(of.row.to_baseline)),
    ("to_baseline_high", |of| high(of.row.to_baseline)),
    ("clock_mhz", |of| median(of.row.clock_mhz)),
    ("clock_low_mhz", |of| low(of.row.clock_mhz)),
    ("clock_high_mhz", |of| high(of.row.clock_mhz)),
    ("n", |of| cell(of.row.isolated_us.map(|figure| figure.n))),
    ("outliers", |of| cell(of.row.isolated_us.map(|figure| figure.outliers))),
    ("discarded", |of| of.row.discarded.to_string()),
    ("near_floor", |of| of.row.near_floor.to_string()),
    ("racy_samples", |of| cell(of.row.racy.map(|racy| racy.racy_samples))),
    ("checked_samples", |of| cell(of.row.racy.map(|racy| racy.samples))),
    ("racy_median", |of| cell(of.row.racy.map(|racy| racy.median))),
    ("racy_max", |of| cell(of.row.racy.map(|racy| racy.max))),
    ("racy_long_max", |of| cell(of.row.racy.map(|racy| racy.long_max))),
    ("published", |of| cell(of.row.published.as_ref().map(|published| published.value))),
    ("published_unit", |of| cell(of.row.published.as_ref().map(|published| &published.unit))),
    ("published_device", |of| cell(of.row.published.as_ref().map(|published| &published.device))),
    ("published_source", |of| cell(of.row.published.as_ref().map(|published| &published.source))),
];

const OF_SAMPLES: &[Column] = &[
    ("round", |of| cell(of.sample.map(|(sample, _)| sample.round))),
    ("repetitions", |of| of.record.method.repetitions.to_string()),
    ("one_us", |of| cell(of.sample.map(|(sample, _)| sample.one_us))),
    ("many_us", |of| cell(of.sample.and_then(|(sample, _)| sample.many_us))),
    ("one_mhz", |of| cell(of.sample.and_then(|(sample, _)| sample.one_mhz))),
    ("many_mhz", |of| cell(of.sample.and_then(|(sample, _)| sample.many_mhz))),
    ("one_wrong", |of| cell(of.sample.map(|(sample, _)| sample.one_wrong))),
    ("many_wrong", |of| cell(of.sample.and_then(|(sample, _)| sample.many_wrong))),
    ("record_us", |of| cell(of.sample.and_then(|(sample, _)| sample.record_us))),
    ("submit_us", |of| cell(of.sample.and_then(|(sample, _)| sample.submit_us))),
    ("outlier", |of| cell(of.sample.map(|(_, is_outlier)| is_outlier))),
];

fn configuration(settings: &BTreeMap<String, String>) -> String {
    settings.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(";")
}

fn median(figure: Option<Summary>) -> String {
    cell(figure.map(|figure| figure.median))
}

fn low(figure: Option<Summary>) -> String {
    cell(figure.and_then(|figure| figure.median_95).map(|interval| interval.low))
}

fn high(figure: Option<Summary>) -> String {
    cell(figure.and_then(|figure| figure.median_95).map(|interval| interval.high))
}

fn cell(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

#[cfg(test)]
mod tests;
