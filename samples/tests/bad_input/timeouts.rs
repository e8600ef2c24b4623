//! Submits that take longer than they may.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::Ended as End;
use record::error::EXIT_HUNG;

use crate::SAMPLE;
use crate::support::{Call, files_of, read_record, trial};

pub fn trials() -> Vec<Trial> {
    // Nothing that never ends is submitted to a GPU.
    let another_device = std::env::var_os("HOTLAP_TEST_DEVICE").is_some();
    [
        trial("timeout_while_measuring", timeout_while_measuring),
        trial("timeout_while_setting_up", timeout_while_setting_up),
        trial("timeout_and_disk_full", timeout_and_disk_full),
    ]
    .map(|trial| trial.with_ignored_flag(another_device))
    .into()
}

/// A wait that nothing ends, recorded on purpose.
const ENDLESS: &str = "--size 96 --align 8 --bands 2 --variant events_2 --break endless --timeout 1";

fn timeout_while_measuring() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let json = folder.path().join("a.json");
    let ended = Call::new(SAMPLE)?.words(ENDLESS).args(["--json".as_ref(), json.as_os_str()]).run()?;
    let ended = ended.with_code(EXIT_HUNG.into())?;
    let errors: Vec<&str> = ended.stderr.lines().filter(|line| line.contains("did not finish")).collect();
    ensure!(errors.len() == 1 && errors[0].contains("--timeout"), "not one line of error: {ended}");
    let record = read_record(&json)?;
    ensure!(
        matches!(&record.ended, End::Failed { reason } if reason.contains("did not finish")),
        "the record does not say how it ended: {:?}",
        record.ended
    );
    let names: Vec<String> = files_of(folder.path())?.into_keys().collect();
    ensure!(names == ["a.json"], "left behind: {names:?}");
    Ok(())
}

/// What the queue still works on must not be freed on the way out, whichever error comes last.
fn timeout_and_disk_full() -> Result<()> {
    for words in ["--json /dev/full", "--check"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full")?;
        let call = Call::new(SAMPLE)?.words(ENDLESS).words(words).stdout(full);
        let ended = call.run()?.with_code(EXIT_HUNG.into())?;
        ensure!(
            words == "--check" || ended.stderr.contains("No space left"),
            "the full disk is not named: {ended}"
        );
    }
    Ok(())
}

/// Uploading 16 MiB takes longer than 1 ms. Nothing was measured then, so no record is asked for.
fn timeout_while_setting_up() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = Call::new(SAMPLE)?.words("--size 2048 --timeout 0.001 --out run").within(folder.path());
    let ended = call.run()?.with_code(EXIT_HUNG.into())?;
    let errors: Vec<&str> = ended.stderr.lines().filter(|line| line.contains("did not finish")).collect();
    ensure!(errors.len() == 1 && errors[0].contains("--timeout"), "not one line of error: {ended}");
    Ok(())
}
