//! Recordings broken on purpose, as a table lists them: what is broken, what must fail, and what notices it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_HUNG, EXIT_RIGHT};
use serde::Deserialize;

use crate::sources::{self, Source};
use crate::support::{Call, Ended, trial};

/// What notices a mutant.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
enum By {
    /// A result that differs as recorded.
    Data,
    /// A result that differs in another order of the dispatches that the recording allows.
    Order,
    /// A report of the validation layer that the unbroken recording does not give.
    Layer,
    /// An attachment that barriers do not make visible, or whose contents they give up.
    Attachments,
    /// A recording that is refused before it is submitted.
    Refusal,
    /// The end of a submit's time.
    TimeOut,
    /// Momentum that the CPU reference lets a projection gain, before anything is compared with it.
    Momentum,
}

/// Mutants of a sample that is called with these words.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    sample: String,
    words: String,
    /// Modules of the samples' library that changed copies have as their own.
    #[serde(default)]
    own_modules: Vec<String>,
    mutants: Vec<Mutant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutant {
    name: String,
    breaks: Option<String>,
    #[serde(default)]
    edits: Vec<[String; 3]>,
    fails: Vec<String>,
    by: BTreeSet<By>,
}

pub fn trials() -> Vec<Trial> {
    vec![trial("recordings::table", table), trial("recordings::unbroken", unbroken)]
}

fn sets() -> Result<BTreeMap<String, Set>> {
    Ok(toml::from_str(include_str!("recordings/mutants.toml"))?)
}

/// What fails below passes when nothing is broken.
fn unbroken() -> Result<()> {
    sets()?.values().try_for_each(|set| set.check()?.right().map(drop))
}

/// Runs all mutants and prints a row of each, then fails for all that were not as listed.
fn table() -> Result<()> {
    let sets = sets()?;
    let mutants = || sets.values().flat_map(|set| set.mutants.iter().map(move |mutant| (set, mutant)));
    let changed = mutants().filter(|(_, mutant)| !mutant.edits.is_empty());
    let changed = changed.map(|(set, mutant)| Source {
        name: mutant.binary(),
        sample: &set.sample,
        own_modules: &set.own_modules,
        edits: &mutant.edits,
    });
    let binaries = sources::build(&changed.collect::<Vec<_>>())?;
    let mut problems = Vec::new();
    println!("{:<44}{:<22}fails", "broken on purpose", "noticed by");
    for (set, mutant) in mutants() {
        let Mutant { name, breaks, fails, by, .. } = mutant;
        let found = judge(match breaks.as_deref() {
            Some("endless") => set.call()?.words("--break endless --timeout 1 --samples 1"),
            Some(what) => set.check()?.args(["--break", what]),
            None => {
                let binary = binaries.join(format!("{}{}", mutant.binary(), std::env::consts::EXE_SUFFIX));
                Call::on_any_device(&binary).on_test_device().words(&set.words).args(["--check"])
            }
        })?;
        println!("{name:<44}{:<22}{}", format!("{:?}", found.by), found.failed.join(", "));
        if found.by != *by || found.failed != *fails {
            problems.push(format!(
                "{name}: expected {fails:?} to be noticed by {by:?}, but {:?} by {:?}: {}",
                found.failed, found.by, found.ended
            ));
        }
    }
    ensure!(problems.is_empty(), "{}", problems.join("\n\n"));
    Ok(())
}

impl Set {
    fn call(&self) -> Result<Call> {
        Ok(Call::new(&self.sample)?.words(&self.words))
    }

    fn check(&self) -> Result<Call> {
        Ok(self.call()?.args(["--check"]))
    }
}

impl Mutant {
    /// What a changed sample is called.
    fn binary(&self) -> String {
        self.name.replace([' ', ','], "_").to_lowercase()
    }
}

/// Words of the reports about other orders, also of figures that show them.
const ORDER: [&str; 2] = ["as early as the recorded dependencies allow", "the wave that it waits for"];
/// Words of the reports about attachments.
const LAYER: [&str; 3] = ["SYNC-HAZARD", "VUID-", "UNASSIGNED-"];
const ATTACHMENTS: [&str; 4] =
    ["does not see by", "contents that were given up", "is not finished when", "uses an image in"];

/// What failed, and what noticed it.
struct Found {
    failed: Vec<String>,
    by: BTreeSet<By>,
    ended: Ended,
}

fn judge(call: Call) -> Result<Found> {
    let ended = call.run()?;
    if ended.code == Some(EXIT_HUNG.into()) {
        let variant = ended.stderr.split("did not finish ").nth(1).and_then(|rest| rest.split(' ').next());
        let failed = variant.into_iter().map(str::to_owned).collect();
        return Ok(Found { failed, by: BTreeSet::from([By::TimeOut]), ended });
    }
    if ended.code == Some(EXIT_FAILED.into()) && ended.stderr.contains("gain momentum") {
        return Ok(Found { failed: Vec::new(), by: BTreeSet::from([By::Momentum]), ended });
    }
    let lines = || ended.stdout.lines();
    let failed: Vec<String> = lines()
        .filter(|line| line.ends_with(" FAILED"))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect();
    let mut by = BTreeSet::new();
    for problem in lines().filter(|line| line.starts_with("    ")) {
        by.insert(match problem {
            _ if ORDER.iter().any(|words| problem.contains(words)) => By::Order,
            _ if LAYER.iter().any(|words| problem.contains(words)) => By::Layer,
            _ if ATTACHMENTS.iter().any(|words| problem.contains(words)) => By::Attachments,
            _ if problem.contains("would hang the device") => By::Refusal,
            _ if problem.contains(" differ from the CPU ") => By::Data,
            _ => bail!("nobody knows what noticed: {problem}"),
        });
    }
    let code = if failed.is_empty() { EXIT_RIGHT } else { EXIT_FAILED };
    let ended = ended.with_code(code.into())?;
    Ok(Found { failed, by, ended })
}
