//! `--live` as a person uses it, under Xvfb: windows that are opened, typed to, resized, hidden and closed,
//! shaders that are saved meanwhile, and pictures that are compared.
//!
//! `HOTLAP_UPDATE_REFERENCES=1 cargo test -p samples --test live screenshots` makes `references/` anew.

use std::process::ExitCode;

use anyhow::Result;
use libtest_mimic::Trial;

#[path = "../support/mod.rs"]
mod support;

#[cfg(target_os = "linux")]
mod alone;
#[cfg(target_os = "linux")]
mod another;
#[cfg(target_os = "linux")]
mod display;
#[cfg(target_os = "linux")]
mod picture;
#[cfg(target_os = "linux")]
mod samples;
#[cfg(target_os = "linux")]
mod screenshots;
#[cfg(target_os = "linux")]
mod soak;
#[cfg(target_os = "linux")]
mod window;

fn main() -> Result<ExitCode> {
    #[cfg(target_os = "linux")]
    if display::is_missing() {
        eprintln!(
            "Xvfb is missing: install it as scripts/setup does (Debian: xvfb, Fedora: xorg-x11-server-Xvfb, \
             Arch: xorg-server-xvfb)"
        );
        return Ok(ExitCode::FAILURE);
    }
    Ok(libtest_mimic::run(&support::arguments_of_waiting(), trials()?).exit_code())
}

#[cfg(not(target_os = "linux"))]
fn trials() -> Result<Vec<Trial>> {
    Ok(vec![
        Trial::test("ignored: windows are tested under Xvfb, on Linux alone", || Ok(()))
            .with_ignored_flag(true),
    ])
}

#[cfg(target_os = "linux")]
fn trials() -> Result<Vec<Trial>> {
    use support::{for_each_sample, trial};
    // The longest first.
    let mut trials = soak::trials();
    trials.extend(for_each_sample(&[("tour", samples::tour)])?);
    trials.extend(for_each_sample(&[("screenshots", screenshots::compare)])?);
    trials.push(trial("differences_are_seen", screenshots::differences_are_seen));
    trials.push(trial("racy_texels_glow", screenshots::racy_texels_glow));
    trials.push(trial("idle", alone::idle));
    trials.push(trial("scaled", alone::scaled));
    trials.push(trial("closed_while_it_builds", alone::closed_while_it_builds));
    trials.push(trial("no_display", alone::no_display));
    trials.push(trial("wrong_at_once", alone::wrong_at_once));
    trials.push(trial("a_variant_fails", alone::a_variant_fails));
    trials.push(trial("another_sample_without_a_window", another::without_a_window));
    trials.push(trial("another_sample_in_its_place", another::in_its_place));
    trials.push(trial("a_talk_on_records", another::a_talk_on_records));
    trials.push(trial("a_talk_that_measures", another::a_talk_that_measures));
    trials.push(trial("frames_are_written", alone::frames));
    trials.push(trial("alone_in_its_folder", another::alone_in_its_folder));
    Ok(trials)
}
