//! What is refused, on one line, before anything is measured.

use std::fs;

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_RIGHT};
use serde_json::{Value, json};

use crate::support::{Call, told_on_one_line, trial};
use crate::whole::{hidden, manifest, snapshot};
use crate::{QUICK, place, resume, run, run_into};

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("another_program_or_device_does_not_go_on", another_program_or_device_does_not_go_on),
        trial("a_folder_with_a_run_is_refused", a_folder_with_a_run_is_refused),
        trial("a_folder_that_cannot_be_written_to_is_named", a_folder_that_cannot_be_written_to_is_named),
        trial("two_runs_do_not_share_a_folder", two_runs_do_not_share_a_folder),
        trial("help_and_version", help_and_version),
    ];
    let words = [
        ("run nix", "there is no sample 'nix': there are async_compute, bloom"),
        ("run --time-limit 0", "out of range"),
        ("run --budget -1", "-1 s is out of range"),
        ("run --budget soon", "not a number of seconds"),
        ("run --samples 0", "0 is not in 1.."),
        ("run --resume data_race", "cannot be used with"),
        ("run --device nix", "no device is called 'nix'"),
        ("run --out /proc/self/run", "cannot create the folder /proc/self/run"),
        ("run --out /dev/null/run", "choose another folder"),
        ("run --resume --out absent", "no run to go on with in absent"),
        ("run --resume", "no run to go on with in results/"),
        ("run --device all --resume", "no run to go on with in results/"),
        ("run --anchors sgemm", "on NVIDIA devices alone"),
        ("ran", "unrecognized subcommand 'ran'"),
    ];
    trials
        .extend(words.map(|(words, says)| trial(format!("refused({words})"), move || refused(words, says))));
    trials
}

fn refused(words: &str, says: &str) -> Result<()> {
    let top = tempfile::tempdir()?;
    let call = Call::on_any_device(&Call::binary("suite")?).env("CARGO", "").words(words);
    let call =
        if words.contains("run") && !words.contains("--device") { call.on_test_device() } else { call };
    told_on_one_line(call.within(top.path()).run()?, EXIT_FAILED, &["suite: ", says])?;
    ensure!(fs::read_dir(top.path())?.count() == 0, "something is left of it");
    Ok(())
}

fn help_and_version() -> Result<()> {
    for (words, says) in
        [("--help", "self-test"), ("--version", env!("CARGO_PKG_VERSION")), ("run --help", "--resume")]
    {
        let ended = Call::on_any_device(&Call::binary("suite")?).words(words).run()?;
        let ended = ended.with_code(EXIT_RIGHT.into())?;
        ensure!(ended.stdout.contains(says) && ended.stderr.is_empty(), "{ended}");
    }
    Ok(())
}

fn another_program_or_device_does_not_go_on() -> Result<()> {
    let (_top, folder) = place()?;
    run_into(&folder, "data_race")?.words(QUICK).run()?.with_code(EXIT_RIGHT.into())?;
    let whole = manifest(&folder)?;
    let changed = |path: &str, value: Value| -> Result<String> {
        let mut changed = whole.clone();
        *changed.pointer_mut(path).context("no such field")? = value;
        Ok(changed.to_string())
    };
    let text = whole.to_string();
    let cases = [
        (changed("/tool/version", json!("9.9.9"))?, "was begun by hot-lap 9.9.9"),
        (changed("/tool/commit", json!("abc"))?, "commit abc"),
        (changed("/tool/build", json!("odd"))?, "odd build"),
        (changed("/tool/dirty", json!(whole["tool"]["dirty"] != true))?, "with uncommitted changes"),
        (changed("/device/uuid", json!("0000"))?, "was begun on"),
        (changed("/device/driver_info", json!("Mesa 99"))?, "Mesa 99"),
        (changed("/schema", json!(99))?, "schema version 99"),
        (changed("/samples", json!(7))?, "not a manifest"),
        (changed("/samples/0", json!({}))?, "not a manifest"),
        (text[..text.len() / 2].to_owned(), "not a whole JSON document"),
        (String::new(), "not a whole JSON document"),
    ];
    for (text, says) in cases {
        fs::write(folder.join("suite.json"), text)?;
        let before = snapshot(&folder)?;
        told_on_one_line(resume(&folder)?.run()?, EXIT_FAILED, &["suite: ", says])?;
        ensure!(snapshot(&folder)? == before, "it was refused and changed something: {says}");
    }
    Ok(())
}

fn a_folder_with_a_run_is_refused() -> Result<()> {
    let (_top, folder) = place()?;
    run_into(&folder, "data_race")?.words(QUICK).run()?.with_code(EXIT_RIGHT.into())?;
    let before = snapshot(&folder)?;
    let again = run_into(&folder, "lds_blur")?.run()?;
    told_on_one_line(again, EXIT_FAILED, &["already holds a run", "--resume --out"])?;
    // A folder of records that were made one by one.
    fs::remove_file(folder.join("suite.json"))?;
    fs::remove_file(folder.join("README.md"))?;
    told_on_one_line(run_into(&folder, "data_race")?.run()?, EXIT_FAILED, &["already holds data_race"])?;
    let after = snapshot(&folder)?;
    ensure!(after.iter().all(|(path, file)| before.get(path) == Some(file)), "something has changed");
    ensure!(hidden(&folder)?.is_empty(), "{:?}", hidden(&folder)?);
    Ok(())
}

/// Root may write everywhere, so the disk is full instead.
fn a_folder_that_cannot_be_written_to_is_named() -> Result<()> {
    let (_top, folder) = place()?;
    run_into(&folder, "data_race")?.words(QUICK).run()?.with_code(EXIT_RIGHT.into())?;
    let says = format!("cannot write in the folder {}: ", folder.display());
    let ended = resume(&folder)?.env("HOTLAP_FAULT", "trying the folder#1:disk-full").run()?;
    ensure!(!ended.stderr.contains("record.json"), "{ended}");
    told_on_one_line(ended, EXIT_FAILED, &[&says, "no storage space"])
}

fn two_runs_do_not_share_a_folder() -> Result<()> {
    let (top, folder) = place()?;
    let mut first = run_into(&folder, "data_race lds_blur --budget 40")?.start()?;
    first.until_stderr_has("1 of 2")?;
    for second in [run_into(&folder, "data_race")?, resume(&folder)?] {
        told_on_one_line(second.run()?, EXIT_FAILED, &["another run is at work in the folder"])?;
    }
    // One into another folder does not mind.
    run("data_race")?
        .words(QUICK)
        .args(["--out"])
        .args([top.path().join("other")])
        .run()?
        .with_code(EXIT_RIGHT.into())?;
    Ok(())
}
