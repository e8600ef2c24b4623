//! Splits into bands that cannot be.

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_RIGHT};
use record::{Status, read_json};

use crate::support::{Call, trial};
use crate::{SAMPLE, told, told_on_one_line};

pub fn trials() -> Vec<Trial> {
    vec![trial("split_impossible", split_impossible), trial("bands_twice", bands_twice)]
}

/// The refusal names the smallest size, which is that.
fn split_impossible() -> Result<()> {
    let call = |size: &str| -> Result<Call> {
        Ok(Call::new(SAMPLE)?.words("--bands 4 --samples 1 --json - --size").args([size]))
    };
    let ended = told_on_one_line(call("128")?.run()?, EXIT_FAILED, &["4 bands", "3 passes", "--align"])?;
    let after = ended.stderr.split_once("--size ").context("it names no size")?.1;
    let smallest = after.split(' ').next().unwrap_or_default();
    // Lines lie 64 rows apart and move up by 64 in each pass after the first: the third line of the
    // first pass is at 3 * 64 + 2 * 64, with one row below it.
    ensure!(smallest == "128x321", "not the smallest size: {ended}");

    let record = read_json(&call(smallest)?.run()?.with_code(EXIT_RIGHT.into())?.stdout)?;
    let split = record.rows.iter().filter(|row| row.variant.ends_with("_4") && row.status == Status::Ok);
    ensure!(split.count() > 0, "nothing was split into 4 bands at {smallest}");
    told_on_one_line(call("128x320")?.run()?, EXIT_FAILED, &[smallest])?;
    Ok(())
}

/// The same number twice is once or refused: two rows of one name cannot be told apart.
fn bands_twice() -> Result<()> {
    let ended = Call::new(SAMPLE)?.words("--size 96 --align 8 --bands 2,2 --samples 1 --json -").run()?;
    if ended.code != Some(EXIT_RIGHT.into()) {
        told(ended, EXIT_FAILED, &["--bands"])?;
        return Ok(());
    }
    let record = read_json(&ended.stdout)?;
    let mut names: Vec<&str> = record.rows.iter().map(|row| row.variant.as_str()).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    ensure!(names.len() == all, "two rows of one name: {ended}");
    Ok(())
}
