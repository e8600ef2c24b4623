//! Clocks and buffers that cannot be trusted: a status and a reason, never a picture.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use libtest_mimic::Trial;
use record::error::EXIT_FAILED;
use record::{Ended as End, Traced};
use serde::Deserialize;

use crate::support::{Call, Checkout, holds_only, read_record, trial};
use crate::{SAMPLE, SMALL};

/// What is put around a kernel, or the clock's own kernel, broken on purpose.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    /// Those of all traces where there is no other.
    sample: Option<String>,
    words: Option<String>,
    variant: String,
    shader: String,
    broken: Vec<Broken>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Broken {
    name: String,
    old: String,
    new: String,
    /// Of the traces.
    says: String,
}

pub fn trials() -> Result<Vec<Trial>> {
    let sets: BTreeMap<String, Set> = toml::from_str(include_str!("hostile.toml"))?;
    let mut trials = vec![trial("hostile::no_memory", no_memory)];
    for mut set in sets.into_values() {
        let broken = std::mem::take(&mut set.broken);
        let set = Arc::new(set);
        trials.extend(broken.into_iter().map(|broken| {
            let set = Arc::clone(&set);
            trial(format!("hostile::{}", broken.name), move || refused(&set, &broken))
        }));
    }
    Ok(trials)
}

/// The run goes on, the row says why it has no trace, and no timeline of it is drawn.
fn refused(set: &Set, Broken { old, new, says, .. }: &Broken) -> Result<()> {
    let (variant, shader) = (&*set.variant, &set.shader);
    let checkout = Checkout::copy()?;
    checkout.replace(shader, old, new)?;
    let call = checkout.call(set.sample.as_deref().unwrap_or(SAMPLE))?;
    let call = call.words(set.words.as_deref().unwrap_or(SMALL)).args(["--variants", variant]);
    let ended = call.words("--trace out.svg --json out.json").run()?;
    let record = read_record(&checkout.path().join("out.json"))?;
    let row = record.rows.iter().find(|row| row.variant == variant).context("no such row")?;
    ensure!(row.isolated_us.is_some(), "its time is lost: {ended}");
    match &row.trace {
        Some(Traced::Refused { reason }) if reason.contains(says) => {}
        other => bail!("no word of '{says}': {other:?}"),
    }
    ended.shows(&[says])?;
    if !record.rows.iter().any(|row| matches!(row.trace, Some(Traced::Ok { .. }))) {
        let ended = ended.with_code(EXIT_FAILED.into())?;
        ensure!(
            !fs::exists(checkout.path().join("out.svg"))? && ended.stderr.contains("no variant was traced"),
            "{ended}"
        );
        ensure!(matches!(record.ended, End::Failed { .. }), "the record says {:?}: {ended}", record.ended);
    }
    Ok(())
}

/// A call that fails while waves are traced ends the run: times are kept, the reason is said once whatever the
/// number of files, and the record holds it.
fn no_memory() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let words = "--variants full_barrier --json a.json --trace out.svg --trace out.json";
    let call = Call::new(SAMPLE)?.words(SMALL).words(words).within(folder.path());
    let ended = call.env("HOTLAP_FAULT", "creating buffer trace#1:memory").failed()?;
    let reason = ended.reason()?.to_owned();
    ensure!(reason.contains("out of device memory while creating buffer trace"), "{ended}");
    holds_only(folder.path(), &["a.json"])?;
    let record = read_record(&folder.path().join("a.json"))?;
    ensure!(record.ended == End::Failed { reason }, "the record says {:?}: {ended}", record.ended);
    ensure!(record.rows.iter().all(|row| row.isolated_us.is_some()), "its times are lost: {ended}");
    Ok(())
}
