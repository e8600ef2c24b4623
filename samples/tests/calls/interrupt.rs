//! Runs that the user ends early, and readers that leave early.

use std::fs;
use std::io::{BufRead, BufReader, PipeWriter};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_HUNG, EXIT_INTERRUPTED};
use record::{Ended as End, Record, Status};

use crate::SAMPLE;
use crate::support::{Call, Ended, Running, holds_only, ran, read_record, trial};

/// The number of Ctrl-C's signal.
const INTERRUPT: u32 = 2;
/// A run that does not end by itself within the tests' limit.
const LONG: &str = "--size 96 --bands 2 --align 8 --samples 1000000000 --budget 600";

pub fn trials() -> Vec<Trial> {
    // Elsewhere there are no signals to send.
    let signalled = [
        trial("interrupted::record", interrupted_record),
        trial("interrupted::folder", interrupted_folder),
        trial("interrupted::before_the_first_round", interrupted_before_the_first_round),
        trial("interrupted::twice", interrupted_twice),
        trial("interrupted::check", interrupted_check),
    ];
    let others = [
        trial("crashed_at_its_fourth_variant", crashed_at_its_fourth_variant),
        trial("hung_at_its_first_sample", hung_at_its_first_sample),
        trial("tested_before_it_measures", tested_before_it_measures),
        trial("head_of_a_long_output", head_of_a_long_output),
        trial("closed_stderr", closed_stderr),
        trial("closed_stdout", closed_stdout),
    ];
    let signalled = signalled.map(|trial| trial.with_ignored_flag(!cfg!(unix)));
    signalled.into_iter().chain(others).collect()
}

/// A long run that has measured something, as it writes to `record` every second.
fn long_run(words: &str, folder: &Path, record: &str) -> Result<Running> {
    let mut running = Call::new(SAMPLE)?.words(LONG).words(words).within(folder).start()?;
    let path = folder.join(record);
    let has_samples = |record: Record| record.rows.iter().all(|row| row.samples.len() > 1);
    while !read_record(&path).is_ok_and(has_samples) {
        running.ensure_alive()?;
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(running)
}

/// A driver that crashes at a variant's first sample leaves what the ones before it took.
fn crashed_at_its_fourth_variant() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = Call::new(SAMPLE)?.words("--size 96 --bands 2 --align 8 --out run").within(folder.path());
    let ended = call.env("HOTLAP_DIE_AT", "events_2:crash").run()?;
    ensure!(ended.code != Some(0), "{ended}");
    let record = read_record(&folder.path().join("run/record.json"))?;
    ensure!(record.ended == End::Unfinished, "{:?}", record.ended);
    let timed = record.rows.iter().filter(|row| row.isolated_us.is_some());
    let measured: Vec<&str> = timed.map(|row| row.variant.as_str()).collect();
    let before = ["no_barrier", "full_barrier", "execution_only", "bands_no_sync_2"];
    ensure!(measured == before, "{measured:?}");
    ensure!(record.rows.iter().any(|row| row.variant == "events_2" && row.isolated_us.is_none()));
    Ok(())
}

/// The record holds the certificate, unless it was left out.
fn tested_before_it_measures() -> Result<()> {
    let folder = tempfile::tempdir()?;
    for (words, tested) in [("--json a.json", true), ("--json b.json --no-self-test", false)] {
        let call = Call::new(SAMPLE)?.words("--size 64 --samples 1").words(words).within(folder.path());
        call.with_self_test().right()?;
        let file = words.split(' ').nth(1).context("a file")?;
        let certificate = read_record(&folder.path().join(file))?.self_test;
        ensure!(certificate.is_some() == tested, "{words}: {certificate:?}");
        ensure!(certificate.is_none_or(|certificate| certificate.passed()), "{words}");
    }
    Ok(())
}

/// What it says behind a signal.
fn ended_by(signal: &str, running: Running) -> Result<Ended> {
    send(signal, &running)?;
    running.wait()?.with_code(EXIT_INTERRUPTED.into())
}

fn send(signal: &str, to: &Running) -> Result<()> {
    // The shell's own `kill`: the program of that name is not on every machine.
    let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {}", to.id())]).status()?;
    ensure!(sent.success(), "could not send {signal}");
    Ok(())
}

/// What was checked is shown, and what was not is said.
fn interrupted_check() -> Result<()> {
    let words = "--check --all --size 384 --passes 30 --align 1";
    let mut running = Call::new(SAMPLE)?.words(words).start()?;
    running.until_it_catches(INTERRUPT)?;
    std::thread::sleep(Duration::from_secs(1));
    let ended = ended_by("INT", running)?;
    let has = |text: &str| ended.stdout.lines().any(|line| line.contains(text));
    ensure!(has("no_barrier ") && has("not checked"), "{ended}");
    Ok(())
}

fn interrupted_record() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let ended = ended_by("INT", long_run("--json a.json --csv a.csv", folder.path(), "a.json")?)?;
    let record = read_record(&folder.path().join("a.json"))?;
    ensure!(record.ended == End::Interrupted, "the record says {:?}", record.ended);
    ensure!(ran(&record).count() == record.rows.len(), "rows without a sample: {ended}");
    for row in &record.rows {
        let figures = row.isolated_us.is_some_and(|isolated| isolated.n == row.samples.len());
        ensure!(figures && !row.samples.is_empty(), "{} lost its samples", row.variant);
    }
    let kept: usize = record.rows.iter().map(|row| row.samples.len()).sum();
    let lines = fs::read_to_string(folder.path().join("a.csv"))?.lines().count();
    ensure!(lines == kept + 1, "{kept} samples in the record, {lines} lines of CSV");
    ended.shows(&["6 of 6 variants gave the expected answer", "The run was interrupted"])?;
    holds_only(folder.path(), &["a.csv", "a.json"])
}

/// What a job scheduler or a closed terminal sends is no reason to lose a run either.
fn interrupted_folder() -> Result<()> {
    let folder = tempfile::tempdir()?;
    ended_by("TERM", long_run("--out run", folder.path(), "run/record.json")?)?;
    let run = folder.path().join("run");
    holds_only(&run, &["README.md", "record.json", "samples.csv.gz", "table.txt"])?;
    let page = fs::read_to_string(run.join("README.md"))?;
    ensure!(page.contains("interrupted"), "the page does not say so: {page}");
    Ok(())
}

/// A first sample of each variant takes seconds here, and a Ctrl-C waits for one of them at most.
const SLOW_START: &str = "--size 768 --passes 4 --radius 32 --bands 8";

/// A queue that hangs answers nothing more, and what was sampled before is kept.
fn hung_at_its_first_sample() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let words = "--size 96 --bands 2 --align 8 --break endless --timeout 2 --json a.json --image a.png";
    let ended = Call::new(SAMPLE)?.words(words).within(folder.path()).run()?.with_code(EXIT_HUNG.into())?;
    let reason = ended.reason()?;
    ensure!(reason.contains("did not finish events_2") && reason.contains("--timeout"), "{ended}");
    holds_only(folder.path(), &["a.json"])?;
    let record = read_record(&folder.path().join("a.json"))?;
    ensure!(record.ended == End::Failed { reason: reason.to_owned() }, "{:?}", record.ended);
    let hung = record.rows.iter().position(|row| matches!(row.status, Status::Error { .. }));
    let hung = hung.context("no row tells that it hung")?;
    ensure!(record.rows[hung].variant == "events_2" && hung > 2, "{:?}", record.rows[hung]);
    ensure!(record.rows[..hung].iter().all(|row| row.samples.len() == 1), "samples were lost: {ended}");
    ensure!(!ended.stdout.contains("The pipelined time of"), "long submits that nobody made: {ended}");
    Ok(())
}

fn interrupted_before_the_first_round() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = Call::new("event_matrix")?.words(SLOW_START).words("--json a.json").within(folder.path());
    let mut running = call.start()?;
    running.until_it_catches(INTERRUPT)?;
    ended_by("INT", running)?;
    let record = read_record(&folder.path().join("a.json"))?;
    ensure!(record.ended == End::Interrupted, "the record says {:?}", record.ended);
    ensure!(ran(&record).all(|row| !row.samples.is_empty()), "a row without a sample is called measured");
    Ok(())
}

/// The second Ctrl-C ends at once; whether the first had time to write is open, but what is there is
/// whole.
fn interrupted_twice() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let running = long_run("--json a.json", folder.path(), "a.json")?;
    send("INT", &running)?;
    ended_by("INT", running)?;
    let json = folder.path().join("a.json");
    if json.exists() {
        read_record(&json)?;
    }
    Ok(())
}

/// As `| head -1` does, in the middle of more than a pipe holds.
fn head_of_a_long_output() -> Result<()> {
    let (reader, writer) = std::io::pipe()?;
    let call = Call::new(SAMPLE)?.words("--size 32 --samples 200 --repetitions 1 --json -");
    let running = call.stdout(writer).start()?;
    let mut first = String::new();
    BufReader::with_capacity(1, reader).read_line(&mut first)?;
    ensure!(first == "{\n", "the first line is '{first}'");
    running.wait()?.with_code(0)?;
    Ok(())
}

/// A pipe that nobody reads.
fn closed() -> Result<PipeWriter> {
    Ok(std::io::pipe()?.1)
}

fn closed_stdout() -> Result<()> {
    for words in ["", "--json -", "--csv -", "--list-devices", "--help", "--version"] {
        let call = Call::new(SAMPLE)?.words(words).words("--size 96 --samples 1");
        call.stdout(closed()?).right()?;
    }
    for words in ["--check", "--list-variants"] {
        Call::new(SAMPLE)?.words(words).stdout(closed()?).right()?;
    }
    Ok(())
}

/// Nobody can be told anything, so a panic would show in the exit code only.
fn closed_stderr() -> Result<()> {
    for (words, code) in [("--size 96 --samples 1", 0), ("--variants nix", 2), ("--passes 0", 2)] {
        Call::new(SAMPLE)?.words(words).stderr(closed()?).run()?.with_code(code)?;
    }
    Ok(())
}
