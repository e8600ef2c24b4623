//! `kill -9` at any moment leaves whole files, and a run that goes on to its end.

use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::error::EXIT_RIGHT;

use crate::signals::{ensure_nobody_goes_on, processes_with, send};
use crate::support::{Call, Running, trial};
use crate::whole::{ensure_states, ensure_whole, hidden, snapshot, states};
use crate::{QUICK, place, resume, run_into, wait_until};

const SAMPLES: &str = "data_race lds_blur swizzled_remap";

pub fn trials() -> Vec<Trial> {
    let moments = if std::env::var_os("HOTLAP_LONG").is_some() { 30 } else { 5 };
    let trials =
        (0..moments).map(|nth| trial(format!("killed({nth} of {moments})"), move || killed(nth, moments)));
    let others = [
        trial("a_killed_sweep_measures_no_longer", a_killed_sweep_measures_no_longer),
        trial("a_killed_verify_measures_no_longer", a_killed_verify_measures_no_longer),
    ];
    trials.chain(others).map(|trial| trial.with_ignored_flag(!cfg!(unix))).collect()
}

/// A moment in the `nth` part of a run that takes a few seconds; which one, is chance.
fn moment(nth: u32, of: u32) -> Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let chance = f64::from(now.subsec_nanos() % 1000) / 1000.0;
    Duration::from_secs_f64(3.0 * (f64::from(nth) + chance) / f64::from(of))
}

fn killed(nth: u32, of: u32) -> Result<()> {
    let (_top, folder) = place()?;
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

/// So long that a run which goes on alone is seen; it ends by itself all the same.
const LONG: &str = "--budget 600 --samples 100000";

fn a_killed_sweep_measures_no_longer() -> Result<()> {
    let top = tempfile::tempdir()?;
    let out = top.path().join("out");
    let call = Call::new("swizzled_remap")?.words("--size 64x64,32x32").words(LONG);
    let running = call.args(["--out".as_ref(), out.as_os_str()]).start()?;
    ends_with_its_child(running, &out.join("size=64x64"))
}

fn a_killed_verify_measures_no_longer() -> Result<()> {
    let top = tempfile::tempdir()?;
    let path = top.path().join("old.json");
    let call = Call::new("swizzled_remap")?.words("--size 64x64 --samples 2 --budget 1");
    call.args(["--json".as_ref(), path.as_os_str()]).run()?.with_code(EXIT_RIGHT.into())?;
    let mut old: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
    let command = ["swizzled_remap", "--size=64x64"].into_iter().chain(LONG.split(' '));
    old["command"] = command.collect();
    std::fs::write(&path, old.to_string())?;
    // What the fresh run writes lies below this, so that its command line tells whose it is.
    let fresh = top.path().join("fresh");
    std::fs::create_dir(&fresh)?;
    let call = Call::on_any_device(&Call::binary("suite")?).env("CARGO", "").env("TMPDIR", &fresh);
    let running = call.args(["verify".as_ref(), path.as_os_str()]).start()?;
    ends_with_its_child(running, &fresh)
}

/// Kills a process once its child, whose command line has `place`, is under way.
fn ends_with_its_child(running: Running, place: &Path) -> Result<()> {
    let shown = place.display().to_string();
    wait_until(30, "nothing is measured", || !processes_with(&shown).is_empty())?;
    // It measures, and does not only start.
    std::thread::sleep(Duration::from_millis(500));
    ensure!(!processes_with(&shown).is_empty(), "it took no time");
    send("KILL", running.id().into())?;
    // Before anybody waits for the end of its output, which a child that goes on has too.
    ensure_nobody_goes_on(place)?;
    running.wait().map(drop)
}
