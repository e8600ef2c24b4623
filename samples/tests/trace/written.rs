//! What a traced run writes and prints.

use std::fs;

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use serde_json::Value;

use crate::support::{Call, trial};
use crate::{SAMPLE, SMALL};

pub fn trials() -> Vec<Trial> {
    vec![trial("written::all_forms", all_forms), trial("written::terminal", terminal)]
}

/// One run writes each form, and each says what it is of.
fn all_forms() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let files = ["t.svg", "t.png", "t.json"].map(path);
    let call = files.iter().fold(Call::new(SAMPLE)?.words(SMALL), |call, file| call.args(["--trace", file]));
    call.words("--variant full_barrier,events_2").run()?.with_code(0)?;
    let svg = fs::read_to_string(&files[0])?;
    for text in ["<svg", "full_barrier", "events_2", "llvmpipe", "waves in flight", "µs", "</svg>"] {
        ensure!(svg.contains(text), "no '{text}' in the drawing");
    }
    ensure!(svg.len() < 1 << 20, "{} bytes", svg.len());
    ensure!(fs::read(&files[1])?.starts_with(b"\x89PNG"), "no PNG");
    let events: Value = serde_json::from_str(&fs::read_to_string(&files[2])?)?;
    let events = events["traceEvents"].as_array().context("no events")?;
    ensure!(events.iter().any(|event| event["ph"] == "X" && event["dur"].as_f64() > Some(0.0)), "no wave");
    Ok(())
}

/// Sparkline and figures, in a terminal's characters.
fn terminal() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("t.svg");
    let call = || -> Result<Call> {
        Ok(Call::new(SAMPLE)?.words(SMALL).args(["--trace".as_ref(), out.as_os_str()]))
    };
    let ended = call()?.run()?.with_code(0)?;
    for text in ["full_barrier", "fill", "drain", "tracing"] {
        ensure!(ended.stdout.to_lowercase().contains(text), "no '{text}': {ended}");
    }
    // Which heights there are is the machine's: with one wave at a time, all may be tall.
    ensure!(ended.stdout.contains(|c| ('▁'..='█').contains(&c)), "no waves drawn: {ended}");
    let ended = call()?.env("LC_ALL", "C").run()?.with_code(0)?;
    ensure!(ended.stdout.is_ascii() && ended.stdout.to_lowercase().contains("drain"), "{ended}");
    Ok(())
}
