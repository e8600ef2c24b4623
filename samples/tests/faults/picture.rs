//! A picture that cannot be made or written costs no figure.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::EXIT_FAILED;

use crate::support::{Call, files_of, ran, read_record, trial};
use crate::{QUICK, SAMPLE};

const FAULTS: [&str; 3] =
    ["running reading a map#1:lost", "running reading a map#2:memory", "writing r.png#1:disk-full"];

pub fn trials() -> Vec<Trial> {
    FAULTS.into_iter().map(|fault| trial(format!("picture::{fault}"), move || one(fault))).collect()
}

fn one(fault: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = Call::new(SAMPLE)?.words(QUICK).words("--samples 2 --json a.json --image r.png");
    let ended = call.env("HOTLAP_FAULT", fault).within(folder.path()).run()?.with_code(EXIT_FAILED.into())?;
    let errors = ended.stderr.lines().filter(|line| line.starts_with("pipelined_events: ")).count();
    ensure!(errors == 1, "{errors} lines of error: {ended}");
    let files: Vec<String> = files_of(folder.path())?.into_keys().collect();
    ensure!(files == ["a.json"], "{files:?} of {ended}");
    let record = read_record(&folder.path().join("a.json"))?;
    ensure!(ran(&record).all(|row| row.samples.len() == 2), "lost samples: {ended}");
    Ok(())
}
