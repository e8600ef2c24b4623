//! `kill -9` at any moment leaves whole files, and a run that goes on to its end.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use common::error::EXIT_RIGHT;
use libtest_mimic::Trial;

use crate::signals::{processes_with, send};
use crate::support::trial;
use crate::whole::{ensure_states, ensure_whole, hidden, snapshot, states};
use crate::{QUICK, resume, run_into};

const SAMPLES: &str = "data_race lds_blur swizzled_remap";

pub fn trials() -> Vec<Trial> {
    let moments = if std::env::var_os("HOTLAP_LONG").is_some() { 30 } else { 5 };
    let trials =
        (0..moments).map(|nth| trial(format!("killed({nth} of {moments})"), move || killed(nth, moments)));
    trials.map(|trial| trial.with_ignored_flag(!cfg!(unix))).collect()
}

/// A moment in the `nth` part of a run that takes a few seconds; which one, is chance.
fn moment(nth: u32, of: u32) -> Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let chance = f64::from(now.subsec_nanos() % 1000) / 1000.0;
    Duration::from_secs_f64(3.0 * (f64::from(nth) + chance) / f64::from(of))
}

fn killed(nth: u32, of: u32) -> Result<()> {
    let top = tempfile::tempdir()?;
    let folder = top.path().join("run");
    let moment = moment(nth, of);
    killed_after(&folder, moment).with_context(|| format!("killed after {moment:?}"))
}

fn killed_after(folder: &Path, moment: Duration) -> Result<()> {
    let running = run_into(folder, SAMPLES)?.words(QUICK).start()?;
    std::thread::sleep(moment);
    // One that has ended already is as good.
    let _ = send("KILL", running.id().into());
    let ended = running.wait()?;
    let there = ensure_whole(folder)?;
    ensure_nobody_goes_on(folder)?;
    ensure!(ensure_whole(folder)? == there, "something came after the end");
    if !folder.join("suite.json").exists() {
        // Killed before it had begun: it begins anew.
        ensure!(there.is_empty(), "{there:?} without a manifest");
        run_into(folder, SAMPLES)?.words(QUICK).run()?.with_code(EXIT_RIGHT.into())?;
    }
    let complete: Vec<String> = states(folder)?
        .into_iter()
        .filter(|(_, (state, _))| state == "right")
        .map(|(sample, _)| sample)
        .collect();
    let kept =
        || -> Result<Vec<_>> { complete.iter().map(|sample| snapshot(&folder.join(sample))).collect() };
    let before = kept()?;
    resume(folder)?.run()?.with_code(EXIT_RIGHT.into())?;
    ensure!(kept()? == before, "complete samples have changed: {ended}");
    ensure!(ensure_whole(folder)? == ["data_race", "lds_blur", "swizzled_remap"], "not complete: {ended}");
    ensure_states(folder, &[("data_race", "right"), ("lds_blur", "right"), ("swizzled_remap", "right")])?;
    ensure!(hidden(folder)?.is_empty(), "left behind: {:?}", hidden(folder)?);
    Ok(())
}

/// The sample under way dies with its suite.
fn ensure_nobody_goes_on(folder: &Path) -> Result<()> {
    let (shown, began) = (folder.display().to_string(), Instant::now());
    while !processes_with(&shown).is_empty() {
        ensure!(began.elapsed() < Duration::from_secs(5), "a sample goes on alone");
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
