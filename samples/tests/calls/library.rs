//! Programs that multiply for `sgemm --library`: what they compute is checked, and what they do wrong costs their row alone.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::Status;

use crate::support::{Call, read_record, trial};

pub fn trials() -> Vec<Trial> {
    let trials = [
        trial("library::right", right),
        trial("library::what_it_does_wrong_has_no_time", wrong),
        trial("library::of_another_device_is_not_traced", not_traced),
        trial("library::no_program", no_program),
    ];
    trials.into_iter().map(|trial| trial.with_ignored_flag(!cfg!(unix))).collect()
}

/// With alpha 0 and beta 1 the product is what C was, which a script can copy.
const SMALL: &str = "--size 32x48x16 --alpha 0 --beta 1 --variants zigzag,library";

/// A script that tells its name, is told the sizes, and answers each number of repetitions by `answer`.
fn call(folder: &Path, answer: &str) -> Result<Call> {
    let script = folder.join("library.sh");
    let told =
        format!("echo 'Copy 1.0'; read m n k alpha beta folder; while read times; do {answer}; done\n");
    fs::write(&script, format!("#!/bin/sh\n{told}"))?;
    let status = std::process::Command::new("chmod").arg("+x").arg(&script).status()?;
    ensure!(status.success(), "chmod failed");
    Ok(Call::new("sgemm")?.words(SMALL).args(["--library".as_ref(), script.as_os_str()]))
}

const RIGHT: &str = r#"cp "$folder/c" "$folder/result"; sleep 0.01; echo $((times * 1000))"#;

fn right() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let record = call(folder.path(), RIGHT)?.words("--samples 2").record()?;
    let row = record.rows.iter().find(|row| row.variant == "library").context("no row")?;
    ensure!((row.label.as_str(), &row.status) == ("Copy 1.0", &Status::Ok), "{row:?}");
    let times = [row.isolated_us, row.pipelined_us].map(|time| time.map(|time| time.median));
    ensure!(times == [Some(1000.0); 2], "not the program's times: {times:?}");
    ensure!(row.record_us.is_none() && row.clock_mhz.is_none(), "figures of this device: {row:?}");
    call(folder.path(), RIGHT)?.words("--check").right()?;
    Ok(())
}

fn wrong() -> Result<()> {
    let folder = tempfile::tempdir()?;
    for (answer, says) in [
        (
            r#"cp "$folder/b" "$folder/result"; truncate -s 6144 "$folder/result"; sleep 0.01; echo 1"#,
            "differ from the CPU",
        ),
        (r#"cp "$folder/a" "$folder/result"; sleep 0.01; echo 1"#, "has 2048 bytes"),
        (
            r#"[ -e "$folder/once" ] || cp "$folder/c" "$folder/result"; touch "$folder/once"; sleep 0.01; echo 1"#,
            "reading the result",
        ),
        (r#"cp "$folder/c" "$folder/result"; echo 1000000000"#, "more than passed"),
        (r#"cp "$folder/c" "$folder/result"; echo soon"#, "said 'soon', which is no time"),
        (r#"cp "$folder/c" "$folder/result"; echo -5"#, "said '-5', which is no time"),
        ("sleep 0.01; echo 1", "reading the result"),
        ("exit 1", "has ended"),
    ] {
        let file = folder.path().join("run.json");
        let call =
            call(folder.path(), answer)?.words("--samples 2").args(["--json".as_ref(), file.as_os_str()]);
        call.failed()?.shows(&[says])?;
        let rows = read_record(&file)?.rows;
        let of = |name: &str| rows.iter().find(|row| row.variant == name).context("no row");
        ensure!(of("library")?.isolated_us.is_none(), "a time of '{answer}'");
        ensure!(of("zigzag")?.isolated_us.is_some(), "'{answer}' costs other rows their times");
    }
    Ok(())
}

fn not_traced() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let picture = folder.path().join("waves.svg");
    let record = call(folder.path(), RIGHT)?
        .words("--samples 2")
        .args(["--trace".as_ref(), picture.as_os_str()])
        .record()?;
    let traced = |name: &str| record.rows.iter().any(|row| row.variant == name && row.trace.is_some());
    ensure!(traced("zigzag") && !traced("library"), "{:?}", record.rows);
    Ok(())
}

fn no_program() -> Result<()> {
    for (program, says) in [("/none/such", "no program that runs"), ("true", "has ended")] {
        let call = Call::new("sgemm")?.words(SMALL).args(["--library", program]);
        call.failed()?.says(&[says])?;
    }
    Ok(())
}
