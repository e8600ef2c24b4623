//! Generators and choices in numbers that cannot be, and in odd ones.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_RIGHT};
use record::{Status, read_json};

use crate::support::{Call, trial};
use crate::told;

const CODEGEN: &str = "codegen";

const REFUSED: [(&str, &[&str]); 5] = [
    ("--generators 0", &["--generators", "1..=1000000"]),
    ("--generators -1", &["--generators"]),
    ("--invocations 0", &["--invocations", "1..=100000000"]),
    ("--invocations many", &["--invocations", "many"]),
    ("--generators 1000000 --device llvmpipe", &["buffers of 2.3 GiB"]),
];

const RIGHT: [&str; 3] = [
    "--generators 1 --invocations 1",
    "--generators 65 --invocations 67",
    "--generators 63 --invocations 64",
];

pub fn trials() -> Vec<Trial> {
    let refused =
        REFUSED.map(|(words, says)| trial(format!("{CODEGEN}::{words}"), move || refused(words, says)));
    let right = RIGHT.map(|words| trial(format!("{CODEGEN}::{words}"), move || right(words)));
    refused.into_iter().chain(right).collect()
}

fn refused(words: &str, says: &[&str]) -> Result<()> {
    let call = Call::on_any_device(&Call::binary(CODEGEN)?).words(words);
    let call = if words.contains("--device") { call } else { call.on_test_device() };
    let ended = told(call.run()?, EXIT_FAILED, says)?;
    ensure!(ended.stderr.lines().count() == 1, "more than a line: {ended}");
    Ok(())
}

fn right(words: &str) -> Result<()> {
    let call = Call::new(CODEGEN)?.words(words).words("--all --samples 1 --repetitions 1 --json -");
    let record = read_json(&call.run()?.with_code(EXIT_RIGHT.into())?.stdout)?;
    ensure!(record.rows.iter().all(|row| row.status == Status::Ok), "not all are right: {record:?}");
    Ok(())
}
