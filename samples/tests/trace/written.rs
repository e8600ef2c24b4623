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
    let words = "--variants full_barrier,events_2 --trace t.svg --trace t.png --trace t.json";
    Call::new(SAMPLE)?.words(SMALL).words(words).within(folder.path()).right()?;
    let svg = fs::read_to_string(folder.path().join("t.svg"))?;
    for text in
        ["<svg", "barrier after each pass", "events, 2 bands", "llvmpipe", "waves in flight", "µs", "</svg>"]
    {
        ensure!(svg.contains(text), "no '{text}' in the drawing");
    }
    ensure!(svg.len() < 1 << 20, "{} bytes", svg.len());
    ensure!(fs::read(folder.path().join("t.png"))?.starts_with(b"\x89PNG"), "no PNG");
    let events: Value = serde_json::from_str(&fs::read_to_string(folder.path().join("t.json"))?)?;
    let events = events["traceEvents"].as_array().context("no events")?;
    ensure!(events.iter().any(|event| event["ph"] == "X" && event["dur"].as_f64() > Some(0.0)), "no wave");
    Ok(())
}

/// Sparkline and figures, in a terminal's characters.
fn terminal() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = || -> Result<Call> {
        Ok(Call::new(SAMPLE)?.words(SMALL).words("--trace t.svg -v").within(folder.path()))
    };
    let ended = call()?.right()?;
    for text in ["barrier after each pass", "fill", "drain", "tracing"] {
        ensure!(ended.stdout.to_lowercase().contains(text), "no '{text}': {ended}");
    }
    // Which heights there are is the machine's: with one wave at a time, all may be tall.
    ensure!(ended.stdout.contains(|c| ('▁'..='█').contains(&c)), "no waves drawn: {ended}");
    let ended = call()?.env("LC_ALL", "C").right()?;
    ended.is_ascii()?;
    ensure!(ended.stdout.to_lowercase().contains("drain"), "{ended}");
    Ok(())
}
