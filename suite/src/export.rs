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

/// Write the rows of records as one CSV file
///
/// One line a variant, or with --samples one a kept sample, times in microseconds and with every digit. A
/// cell is empty where nothing was measured. Text is kept as the record has it: a name that begins with
/// =, +, - or @ is a formula to a spreadsheet, so import such columns as text.
#[derive(clap::Args, Clone, Debug)]
pub struct Export {
    /// File to write, or - for standard output
    #[arg(long, value_name = "FILE", required = true)]
    csv: Destination,
    /// One line a kept sample instead of one a variant; what lies outside of Tukey's fences of its row is
    /// labelled and kept
    #[arg(long)]
    samples: bool,
    /// Records, or folders with records
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
}

impl Export {
    /// Does it; returns the exit code.
    ///
    /// # Errors
    /// What hindered it.
    pub fn run(&self) -> Result<u8> {
        let files = find(&self.records)?;
        spare(files.iter().map(PathBuf::as_path), &self.csv)?;
        self.csv.probe()?;
        self.csv.stream(|out| write(out, &files, self.samples))?;
        Ok(EXIT_RIGHT)
    }
}

/// One record in memory at a time.
fn write(out: &mut dyn Write, files: &[PathBuf], samples: bool) -> Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let lines: Lines = if samples { of_samples } else { of_variants };
    let mut first = true;
    for file in files {
        let record = read_record(file)?;
        lines(&record, file, &mut |line| {
            if std::mem::take(&mut first) {
                writer.write_record(line.iter().map(|(head, _)| head))?;
            }
            writer.write_record(line.iter().map(|(_, cell)| cell))
        })
        .context("writing the CSV file")?;
    }
    // Records without rows have columns all the same.
    if first {
        let heads = if samples { sample_line("", "", None) } else { variant_line("", "", None) };
        writer.write_record(heads.iter().map(|(head, _)| head))?;
    }
    writer.flush().context("writing the CSV file")
}

/// A line: head and cell of each column.
type Line = Vec<(&'static str, String)>;
type Lines = fn(&Record, &Path, &mut dyn FnMut(Line) -> csv::Result<()>) -> csv::Result<()>;

/// What both kinds of lines make of one record, for the tests.
///
/// # Errors
/// Those of the lines.
#[cfg(test)]
pub fn lines(record: &Record) -> csv::Result<()> {
    [of_variants as Lines, of_samples as Lines]
        .into_iter()
        .try_for_each(|lines| lines(record, Path::new("x"), &mut |_| Ok(())))
}

fn of_variants(
    record: &Record,
    file: &Path,
    write: &mut dyn FnMut(Line) -> csv::Result<()>,
) -> csv::Result<()> {
    let (file, configuration) = (file.display().to_string(), configuration(&record.configuration));
    record.rows.iter().try_for_each(|row| write(variant_line(&file, &configuration, Some((record, row)))))
}

fn of_samples(
    record: &Record,
    file: &Path,
    write: &mut dyn FnMut(Line) -> csv::Result<()>,
) -> csv::Result<()> {
    let (file, configuration) = (file.display().to_string(), configuration(&record.configuration));
    for row in &record.rows {
        let times: Vec<f64> = row.samples.iter().map(|sample| sample.one_us).collect();
        let Some(summary) = Summary::of(&times) else { continue };
        for sample in &row.samples {
            let outlier = is_outlier(&summary, sample.one_us);
            write(sample_line(&file, &configuration, Some((record, row, sample, outlier))))?;
        }
    }
    Ok(())
}

/// Beyond 1.5 interquartile ranges from the quartiles.
fn is_outlier(row: &Summary, us: f64) -> bool {
    let fence = 1.5 * row.iqr;
    us < row.q1 - fence || us > row.q3 + fence
}

fn configuration(settings: &BTreeMap<String, String>) -> String {
    settings.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(";")
}

/// What stands in front of every line.
fn begin(file: &str, configuration: &str, of: Option<(&Record, &Row)>) -> Line {
    let text =
        |of_record: fn(&Record) -> String| of.map_or_else(String::new, |(record, _)| of_record(record));
    vec![
        ("record", file.to_owned()),
        ("started", text(|r| r.started.clone())),
        ("device", text(|r| r.device.name.clone())),
        ("device_uuid", text(|r| r.device.uuid.clone())),
        ("driver", text(|r| format!("{} {}", r.device.driver_name, r.device.driver_info))),
        ("sample", text(|r| r.sample.clone())),
        ("configuration", configuration.to_owned()),
        ("variant", of.map_or_else(String::new, |(_, row)| row.variant.clone())),
    ]
}

fn variant_line(file: &str, configuration: &str, of: Option<(&Record, &Row)>) -> Line {
    let row = of.map(|(_, row)| row);
    let text = |cell: Option<String>| cell.unwrap_or_default();
    let racy = row.and_then(|row| row.racy);
    let published = row.and_then(|row| row.published.as_ref());
    let mut line = begin(file, configuration, of);
    line.extend([
        ("status", text(row.map(|row| row.status.word().to_owned()))),
        ("reason", text(row.map(|row| row.status.reason().unwrap_or_default()))),
    ]);
    let figures: [([&'static str; 3], Option<Summary>); 5] = [
        (["isolated_us", "isolated_low_us", "isolated_high_us"], row.and_then(|row| row.isolated_us)),
        (["pipelined_us", "pipelined_low_us", "pipelined_high_us"], row.and_then(|row| row.pipelined_us)),
        (["to_bound", "to_bound_low", "to_bound_high"], row.and_then(|row| row.to_bound)),
        (["to_baseline", "to_baseline_low", "to_baseline_high"], row.and_then(|row| row.to_baseline)),
        (["clock_mhz", "clock_low_mhz", "clock_high_mhz"], row.and_then(|row| row.clock_mhz)),
    ];
    for ([median, low, high], figure) in figures {
        let interval = figure.and_then(|figure| figure.median_95);
        line.extend([
            (median, number(figure.map(|figure| figure.median))),
            (low, number(interval.map(|interval| interval.low))),
            (high, number(interval.map(|interval| interval.high))),
        ]);
    }
    let isolated = row.and_then(|row| row.isolated_us);
    line.extend([
        ("n", number(isolated.map(|figure| figure.n))),
        ("outliers", number(isolated.map(|figure| figure.outliers))),
        ("discarded", number(row.map(|row| row.discarded))),
        ("near_floor", number(row.map(|row| row.near_floor))),
        ("racy_samples", number(racy.map(|racy| racy.racy_samples))),
        ("checked_samples", number(racy.map(|racy| racy.samples))),
        ("racy_median", number(racy.map(|racy| racy.median))),
        ("racy_max", number(racy.map(|racy| racy.max))),
        ("racy_long_max", number(racy.map(|racy| racy.long_max))),
        ("published", number(published.map(|published| published.value))),
        ("published_unit", text(published.map(|published| published.unit.clone()))),
        ("published_device", text(published.map(|published| published.device.clone()))),
        ("published_source", text(published.map(|published| published.source.clone()))),
    ]);
    line
}

fn sample_line(file: &str, configuration: &str, of: Option<(&Record, &Row, &Sample, bool)>) -> Line {
    let mut line = begin(file, configuration, of.map(|(record, row, ..)| (record, row)));
    let sample = of.map(|(_, _, sample, _)| sample);
    line.extend([
        ("round", number(sample.map(|s| s.round))),
        ("repetitions", number(of.map(|(record, ..)| record.method.repetitions))),
        ("one_us", number(sample.map(|s| s.one_us))),
        ("many_us", number(sample.and_then(|s| s.many_us))),
        ("one_mhz", number(sample.and_then(|s| s.one_mhz))),
        ("many_mhz", number(sample.and_then(|s| s.many_mhz))),
        ("one_wrong", number(sample.map(|s| s.one_wrong))),
        ("many_wrong", number(sample.and_then(|s| s.many_wrong))),
        ("record_us", number(sample.map(|s| s.record_us))),
        ("submit_us", number(sample.map(|s| s.submit_us))),
        ("outlier", number(of.map(|(.., outlier)| outlier))),
    ]);
    line
}

fn number(cell: Option<impl ToString>) -> String {
    cell.map_or_else(String::new, |value| value.to_string())
}

#[cfg(test)]
mod tests;
