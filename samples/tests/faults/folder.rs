//! Two runs into the same folder: one wins, and what it leaves is its own and whole.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::Ended as End;
use record::error::EXIT_FAILED;

use crate::support::{Call, OVERLOADED, Running, holds_only, read_record, told_on_one_line, trial};
use crate::{QUICK, SAMPLE};

pub fn trials() -> Vec<Trial> {
    vec![trial("folder::started_together", started_together), trial("folder::one_at_work", one_at_work)]
}

fn start(words: &str, folder: &Path) -> Result<Running> {
    Call::new(SAMPLE)?.words(QUICK).words("--out run").words(words).within(folder).start()
}

fn started_together() -> Result<()> {
    for _ in 0..5 {
        let folder = tempfile::tempdir()?;
        let (one, other) =
            (start("--samples 2 --seed 1", folder.path())?, start("--samples 2 --seed 2", folder.path())?);
        let (one, other) = (one.wait()?, other.wait()?);
        let (winner, loser, seed) = if one.code == Some(0) { (one, other, 1) } else { (other, one, 2) };
        winner.with_code(0)?;
        told_on_one_line(loser, EXIT_FAILED, &["choose another folder"])?;
        whole(folder.path(), seed)?;
    }
    Ok(())
}

/// The folder is there and empty as long as the first run measures.
fn one_at_work() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let first = start("--seed 1 --samples 250", folder.path())?;
    let began = Instant::now();
    while !folder.path().join("run").exists() {
        ensure!(began.elapsed() < OVERLOADED * Duration::from_secs(30), "the first run makes no folder");
        std::thread::sleep(Duration::from_millis(1));
    }
    // What it creates in between belongs to the look whether files can be written.
    std::thread::sleep(Duration::from_millis(50));
    let says = ["another run is at work in the folder run", "choose another folder"];
    told_on_one_line(start("--seed 2", folder.path())?.wait()?, EXIT_FAILED, &says)?;
    first.wait()?.with_code(0)?;
    whole(folder.path(), 1)
}

fn whole(folder: &Path, seed: u64) -> Result<()> {
    let run = folder.join("run");
    holds_only(&run, &["README.md", "record.json", "samples.csv.gz", "table.txt"])?;
    let record = read_record(&run.join("record.json"))?;
    ensure!(record.ended == End::Complete && record.method.seed == seed, "not the winner's record");
    let page = std::fs::read_to_string(run.join("README.md"))?;
    ensure!(page.contains(&format!("--seed {seed}")), "not the winner's page: {page}");
    ensure!(record.rows.iter().any(|row| !row.samples.is_empty()), "no samples");
    Ok(())
}
