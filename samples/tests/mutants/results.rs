//! Mutants of shaders whose variants are all right by law: each must show in the variants that it
//! touches, and in no other.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_RIGHT};
use record::{Record, Status, read_json};

use crate::support::{Checkout, Ended, trial};

/// Name, shader, what to replace by what, and the variants in which that shows.
pub type Mutant = (&'static str, &'static str, [&'static str; 2], fn(&str) -> bool);

/// The sample, unbroken and with each mutant, called with `words`.
pub fn trials(sample: &'static str, words: &'static str, mutants: &'static [Mutant]) -> Vec<Trial> {
    trials_called(sample, sample, words, mutants)
}

/// The same under a name of its own, where a sample is called with other words as well.
pub fn trials_called(
    name: &str,
    sample: &'static str,
    words: &'static str,
    mutants: &'static [Mutant],
) -> Vec<Trial> {
    let unbroken = trial(format!("{name}::unbroken"), move || unbroken(sample, words, mutants));
    let broken = mutants.iter().map(|mutant| {
        trial(format!("{name}::{}", mutant.0), move || {
            let (_, shader, [old, new], shows) = *mutant;
            let checkout = Checkout::copy()?;
            checkout.replace(shader, old, new)?;
            shows_in(&checkout, sample, words, shows)
        })
    });
    std::iter::once(unbroken).chain(broken).collect()
}

fn run(checkout: &Checkout, sample: &str, words: &str) -> Result<Ended> {
    let call = checkout.call(sample)?;
    // Tiles that wait for others run beside them.
    let call = if words.contains("tile_") { call.with_driver_threads() } else { call };
    call.words(words).words("--samples 1 --repetitions 2 --json -").run()
}

/// The variants of the sample itself: the device's own limits have kernels of their own.
fn own(record: &Record) -> impl Iterator<Item = &str> {
    let names = record.rows.iter().map(|row| row.variant.as_str());
    names.filter(|name| !name.starts_with("copy_limit") && *name != "fma_limit")
}

/// Without it, a copy that cannot run at all would pass for a mutant that was caught.
fn unbroken(sample: &str, words: &str, mutants: &[Mutant]) -> Result<()> {
    let ended = run(&Checkout::copy()?, sample, words)?.with_code(EXIT_RIGHT.into())?;
    let record = read_json(&ended.stdout)?;
    ensure!(record.rows.iter().all(|row| row.status == Status::Ok), "not every variant ran: {ended}");
    for (name, _, _, shows) in mutants {
        ensure!(own(&record).any(shows), "{name} touches no variant");
    }
    Ok(())
}

/// The variants that the mutant touches are called wrong, with a place and without a time.
fn shows_in(checkout: &Checkout, sample: &str, words: &str, shows: fn(&str) -> bool) -> Result<()> {
    let ended = run(checkout, sample, words)?.with_code(EXIT_FAILED.into())?;
    let record = read_json(&ended.stdout)?;
    let expected: BTreeSet<&str> = own(&record).filter(|name| shows(name)).collect();
    let wrong = called_wrong(&record);
    let missed: Vec<_> = expected.difference(&wrong).collect();
    let accused: Vec<_> = wrong.difference(&expected).collect();
    ensure!(missed.is_empty() && accused.is_empty(), "not called wrong: {missed:?}; wrongly: {accused:?}");
    Ok(())
}

/// The variants that are called wrong, with a place and without a time.
pub fn called_wrong(record: &Record) -> BTreeSet<&str> {
    let wrong = record.rows.iter().filter(|row| match &row.status {
        Status::Wrong { elements, first } => {
            *elements > 0 && first.contains("repetition") && row.isolated_us.is_none()
        }
        _ => false,
    });
    wrong.map(|row| row.variant.as_str()).collect()
}
