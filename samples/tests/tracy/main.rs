//! A run as a Tracy profiler sees it: a small receiver, built on the headers of the client itself,
//! says which zones arrived and when.

mod heard;
mod receiver;
#[path = "../support/mod.rs"]
mod support;
mod zones;

use std::net::TcpListener;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use heard::Heard;
use record::error::EXIT_RIGHT;
use record::{Record, read_json};
use support::{Call, ran, trial};

const SAMPLE: &str = "pipelined_events";
/// Some hundred submits, so that the clocks are compared several times.
const SHORT: &str = "--size 96 --align 8 --samples 40 --repetitions 2 --json -";
/// Time enough to come late.
const LONGER: &str = "--size 96 --align 8 --samples 60 --repetitions 2 --json -";
/// What a record calls a run that was watched.
const TOOL: &str = "Tracy client";

fn main() -> Result<ExitCode> {
    let trials = vec![
        trial("zones_arrive", || zones_arrive(false)),
        trial("zones_arrive_without_a_readable_clock", || zones_arrive(true)),
        trial("a_profiler_comes_late", a_profiler_comes_late),
        trial("a_profiler_leaves_early", a_profiler_leaves_early),
        trial("no_profiler_comes", no_profiler_comes),
        trial("a_wait_that_is_no_time", a_wait_that_is_no_time),
        trial("nothing_of_it_without_the_feature", nothing_of_it_without_the_feature),
    ];
    support::run(trials)
}

/// The client takes it when the sample starts.
fn free_port() -> Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("looking for a free port")?;
    Ok(listener.local_addr()?.port().to_string())
}

fn sample(port: &str, words: &str) -> Result<Call> {
    Ok(Call::new(SAMPLE)?.words(words).env("TRACY_PORT", port))
}

/// Every submit of every variant has its zone, which lasts as long as the record says and lies
/// between its submit and the end of the wait for it.
fn zones_arrive(by_submit: bool) -> Result<()> {
    let port = free_port()?;
    let receiver = receiver::start(&port, None)?;
    let mut call = sample(&port, SHORT)?.env("HOTLAP_TRACY_WAIT", "30");
    if by_submit {
        call = call.env("HOTLAP_TRACY_STAMP", "1");
    }
    let record = watched(&call.right()?.stdout)?;
    let heard = Heard::from(&receiver.wait()?.with_code(0)?.stdout)?;
    ensure!(heard.ended, "the profiler was not told that the run ended");
    zones::all_are_there(&record, &heard)?;
    zones::spans_are_there(&record, &heard)?;
    zones::are_in_order(&heard)?;
    zones::last_as_long_as_recorded(&record, &heard)?;
    // Clocks compared by a submit were up to 12 µs apart on a machine with twice the work it has cores
    // for, by a reading 1 µs.
    zones::lie_within_their_submits(&heard, if by_submit { 10e6 } else { 5e6 })?;
    zones::were_synchronised(&heard)
}

/// The record of a run that a profiler watched.
fn watched(json: &str) -> Result<Record> {
    let record = read_json(json)?;
    ensure!(record.method.tools.iter().any(|tool| tool == TOOL), "tools: {:?}", record.method.tools);
    ensure!(record.notes.iter().any(|note| note.starts_with(TOOL)), "notes: {:?}", record.notes);
    Ok(record)
}

/// It sees the rest of the run, as whole zones.
fn a_profiler_comes_late() -> Result<()> {
    let port = free_port()?;
    receiver::binary()?;
    let mut running = sample(&port, LONGER)?.start()?;
    running.until_stderr_has("size 96x96")?;
    let receiver = receiver::start(&port, None)?;
    let record = watched(&running.wait()?.with_code(EXIT_RIGHT.into())?.stdout)?;
    let heard = Heard::from(&receiver.wait()?.with_code(0)?.stdout)?;
    ensure!(heard.ended && !heard.cpu.iter().any(|zone| zone.name == "declare"), "it did not come late");
    for row in ran(&record) {
        let seen = heard.gpu.iter().any(|zone| zone.name == row.variant);
        ensure!(seen, "no zone of {}", row.variant);
    }
    zones::are_in_order(&heard)?;
    zones::last_as_long_as_recorded(&record, &heard)
}

/// The run goes on as if nobody had watched, and takes a second one.
fn a_profiler_leaves_early() -> Result<()> {
    let port = free_port()?;
    let first = receiver::start(&port, Some(30))?;
    let running = sample(&port, LONGER)?.env("HOTLAP_TRACY_WAIT", "30").start()?;
    let heard = Heard::from(&first.wait()?.with_code(0)?.stdout)?;
    ensure!(heard.gpu.len() >= 30 && !heard.ended, "it did not leave early");
    let second = receiver::start(&port, None)?;
    let record = watched(&running.wait()?.with_code(EXIT_RIGHT.into())?.stdout)?;
    let heard = Heard::from(&second.wait()?.with_code(0)?.stdout)?;
    ensure!(heard.ended && !heard.gpu.is_empty(), "the second one saw nothing");
    zones::are_in_order(&heard)?;
    zones::last_as_long_as_recorded(&record, &heard)
}

/// Nothing is said of a profiler that was not there.
fn no_profiler_comes() -> Result<()> {
    let call = sample(&free_port()?, "--size 96 --align 8 --samples 2 --json -")?;
    let ended = call.env("HOTLAP_TRACY_WAIT", "0.1").right()?;
    let said = "no Tracy profiler has connected within 0.1 s; going on without one";
    ensure!(ended.stderr.contains(said), "{ended}");
    let record = ended.record()?;
    ensure!(!record.method.tools.iter().any(|tool| tool == TOOL), "tools: {:?}", record.method.tools);
    ensure!(!record.notes.iter().any(|note| note.contains("Tracy")), "notes: {:?}", record.notes);
    Ok(())
}

fn a_wait_that_is_no_time() -> Result<()> {
    for text in ["soon", "-1", "nan", "1e9", ""] {
        let call = sample(&free_port()?, "--samples 1")?.env("HOTLAP_TRACY_WAIT", text);
        let ended = call.failed()?;
        let line = format!("{SAMPLE}: HOTLAP_TRACY_WAIT takes seconds from 0 to 3600, not '{text}'\n");
        ensure!(ended.stderr == line, "{ended}");
    }
    Ok(())
}

/// What cargo would compile for the samples.
fn nothing_of_it_without_the_feature() -> Result<()> {
    let packages = |features: &[&str]| -> Result<String> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["tree", "--locked", "-p", "samples", "-e", "normal", "--prefix", "none", "-f", "{p}"]);
        let output = cargo.args(features).output().context("running cargo tree")?;
        ensure!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (without, with) = (packages(&[])?, packages(&["--features", "tracy"])?);
    ensure!(with.contains("tracy-client-sys"), "the feature brings no Tracy:\n{with}");
    ensure!(!without.contains("tracy-client"), "Tracy comes without the feature:\n{without}");
    Ok(())
}
