//! Tests that are found at run time, and views of what runs leave.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use libtest_mimic::{Arguments, Failed, Trial};
use record::{Promise, Record, Row, Status};

use super::samples;

pub use record::read_record;

/// A test from a function that returns what is wrong.
pub fn trial(name: impl Into<String>, test: impl FnOnce() -> Result<()> + Send + 'static) -> Trial {
    Trial::test(name, move || test().map_err(|error| Failed::from(format!("{error:#}"))))
}

/// The command line of a target whose trials spend about as much time waiting for windows and processes as computing:
/// without `--test-threads` twice as many at once as there are processors, up to 8, and beyond that as many as there are. On
/// two, those of `--live` take 87 s in place of 113, those of `suite run` 41 in place of 54; mutants, which compute, would
/// take 70 in place of 47.
pub fn arguments_of_waiting() -> Arguments {
    let arguments = Arguments::from_args();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Arguments {
        test_threads: arguments.test_threads.or(Some(processors.max(8.min(2 * processors)))),
        ..arguments
    }
}

/// A test of the sample that it is given.
pub type SampleTest = fn(&str) -> Result<()>;

/// Runs what a target has, as its `main` ends.
pub fn run(trials: Vec<Trial>) -> Result<ExitCode> {
    Ok(libtest_mimic::run(&Arguments::from_args(), trials).exit_code())
}

/// Each of the tests for each sample.
pub fn for_each_sample(tests: &[(&'static str, SampleTest)]) -> Result<Vec<Trial>> {
    let samples = samples()?;
    ensure!(!samples.is_empty(), "there is no sample to test");
    let all = samples.iter().flat_map(|sample| tests.iter().map(move |test| (sample.clone(), *test)));
    Ok(all.map(|(sample, (name, test))| trial(format!("{sample}::{name}"), move || test(&sample))).collect())
}

/// What lies in a folder: each name with its contents, folders without any.
pub fn files_of(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("listing {}", folder.display()))?;
    entries
        .map(|entry| {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok((name, if path.is_dir() { Vec::new() } else { std::fs::read(&path)? }))
        })
        .collect()
}

/// Makes sure that a folder holds these, in the order of the alphabet, and nothing else.
pub fn holds_only(folder: &Path, names: &[&str]) -> Result<()> {
    let found: Vec<String> = files_of(folder)?.into_keys().collect();
    ensure!(found == names, "{names:?} should be in the folder, not {found:?}");
    Ok(())
}

/// The rows whose figures are figures.
pub fn ran(record: &Record) -> impl Iterator<Item = &Row> {
    record.rows.iter().filter(|row| row.status == Status::Ok)
}

/// The variant promises to be right by the memory model, or by that of another API.
pub fn is_lawful(row: &Row) -> bool {
    row.promise.must_be_right()
}
