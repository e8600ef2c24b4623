//! `--check` with one call in it that fails: the variants before it keep their verdict, and those
//! behind it get one wherever the device still works.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::error::EXIT_RIGHT;

use crate::calls::{Fault, Made, Site, faults, first_sample, list};
use crate::support::{Call, Ended, trial};
use crate::{QUICK, SAMPLE};

/// Set-up that a measuring run has too (`known`) fails there.
pub fn trials(known: &[Made]) -> Result<Vec<Trial>> {
    let made: Arc<[Made]> = list(call()?, tempfile::tempdir()?.path())?.into();
    let (known, first) =
        (known.iter().map(|call| &call.label).collect::<BTreeSet<_>>(), first_sample(&made)?);
    let own = |fault: &Fault| fault.at >= first || !known.contains(&fault.call.label);
    let variants: Arc<[String]> = variants()?.into();
    let one = |fault: Fault| {
        let (made, variants) = (made.clone(), variants.clone());
        trial(format!("check::{}", fault.name()), move || one(&fault, &made, &variants))
    };
    let mut trials: Vec<Trial> = faults(&made).into_iter().filter(own).map(one).collect();
    trials.push(trial("profile::a_failed_call_is_told", profile));
    Ok(trials)
}

/// Of a frame that is shown to a capture tool, too: in the table, and on the error stream.
fn profile() -> Result<()> {
    let call = || -> Result<Call> { Ok(Call::new(SAMPLE)?.words(QUICK).words("--profile")) };
    let made = list(call()?, tempfile::tempdir()?.path())?;
    // That of the last variant's verification.
    let at = made.iter().rposition(|call| call.label == "beginning a command buffer");
    let at = at.context("nothing is recorded")?;
    let fault = Fault { call: made[at].clone(), kind: "memory", at };
    let ended = fault.inject(call()?).run()?.with_code(fault.code().into())?;
    same_in_the_table(&fault.told(&ended)?, &ended)
}

/// The line of error names the variant, and the table has the reason behind that name.
fn same_in_the_table(told: &str, ended: &Ended) -> Result<()> {
    let (variant, reason) = told.split_once(": ").context("no variant is named")?;
    let mut lines = ended.stdout.lines().filter_map(|line| line.split_once(' '));
    let expected = format!("FAILED: {reason}");
    ensure!(
        lines.any(|(name, rest)| name == variant && rest.trim_start() == expected),
        "no '{variant} {expected}' in the table: {ended}"
    );
    Ok(())
}

fn call() -> Result<Call> {
    Ok(Call::new(SAMPLE)?.words(QUICK).words("--check"))
}

fn one(fault: &Fault, made: &[Made], variants: &[String]) -> Result<()> {
    let ended = fault.inject(call()?).run()?;
    let verdicts = |what| verdicts(&ended, variants, what);
    if fault.is_harmless() {
        ensure!(ended.code == Some(EXIT_RIGHT.into()) && ended.stderr.is_empty(), "{ended}");
        ensure!(verdicts("ok: ") == variants.len(), "{ended}");
        return Ok(());
    }
    ensure!(ended.code == Some(fault.code().into()), "expected exit code {} of {ended}", fault.code());
    if fault.at < first_sample(made)? || fault.call.site == Site::Write {
        fault.told(&ended)?;
        ensure!(ended.stdout.is_empty(), "a report of nothing: {ended}");
        return Ok(());
    }
    ensure!(verdicts("") == variants.len(), "not one line a variant: {ended}");
    ensure!(verdicts("FAILED: ") == 1, "not one failure: {ended}");
    same_in_the_table(&fault.told(&ended)?, &ended)?;
    let ends_it = fault.call.site == Site::Wait || fault.kind == "lost";
    if ends_it {
        let failed = ended.stdout.lines().position(|line| line.contains("FAILED: ")).unwrap_or_default();
        let mut behind = ended.stdout.lines().skip(failed + 1).take_while(|line| !line.is_empty());
        ensure!(behind.all(|line| line.ends_with("not checked")), "checked on a dead device: {ended}");
    } else {
        ensure!(verdicts("ok: ") == variants.len() - 1, "one failure spoils others: {ended}");
    }
    Ok(())
}

/// Lines of variants that say `what`.
fn verdicts(ended: &Ended, variants: &[String], what: &str) -> usize {
    let lines = ended.stdout.lines().filter_map(|line| line.split_once(' '));
    lines
        .filter(|(name, rest)| variants.iter().any(|v| v == name) && rest.trim_start().starts_with(what))
        .count()
}

/// The variants that a check without any fault reports.
fn variants() -> Result<Vec<String>> {
    let ended = call()?.right()?;
    let lines = ended.stdout.lines().filter(|line| line.contains(" ok: "));
    let names: Vec<String> = lines.filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect();
    ensure!(names.len() > 3, "hardly any variant: {ended}");
    Ok(names)
}
