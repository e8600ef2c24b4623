//! Recordings broken on purpose: one table of what is broken, what must fail, and what notices it.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_HUNG, EXIT_RIGHT};

use crate::SAMPLE;
use crate::sources::{self, Edits, Source};
use crate::support::{Call, Ended, trial};

/// What notices a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    /// A result that differs as recorded.
    Data,
    /// A result that differs in another order of the dispatches that the recording allows.
    Order,
    /// A report of the validation layer that the unbroken recording does not give.
    Layer,
    /// A recording that is refused before it is submitted.
    Refusal,
    /// The end of a submit's time.
    TimeOut,
}

/// How the mutant comes about.
enum Broken {
    /// All recordings are changed on their way to the command buffer.
    Break(&'static str),
    /// The sample's source is changed and built anew.
    Source(Source),
}

struct Mutant {
    name: &'static str,
    how: Broken,
    arguments: &'static str,
    /// The variants that must fail, and no other: their passing shows that it is for this reason.
    fails: &'static [&'static str],
    /// All that notices, and nothing else. Empty where nothing can on a device without overlap and
    /// caches: such a mutant must pass, so that this list says so when it no longer does.
    by: &'static [By],
}

const SMALL: &str =
    "--size 96 --bands 2 --align 8 --variant full_barrier,execution_only,events_2,events_coherent_2";
const ONE_IMAGE_EACH: &str = "--size 96 --bands 2 --align 1 --variant full_barrier,execution_only,events_2";
const BARRIERS: [&str; 2] = ["full_barrier", "execution_only"];
const EVENTS: [&str; 2] = ["events_2", "events_coherent_2"];
/// Those that race, too, are right when nothing overlaps.
const EVERY: [&str; 5] = ["no_barrier", "full_barrier", "execution_only", "events_2", "events_coherent_2"];
const ALL: [&str; 4] = ["full_barrier", "execution_only", "events_2", "events_coherent_2"];

fn mutants() -> Vec<Mutant> {
    use By::{Data, Layer, Order, Refusal, TimeOut};
    let broken =
        |name, what, fails, by| Mutant { name, how: Broken::Break(what), arguments: SMALL, fails, by };
    let source = |name, edits: Edits, arguments, fails, by| {
        let how = Broken::Source(Source { sample: SAMPLE, edits });
        Mutant { name, how, arguments, fails, by }
    };
    vec![
        broken("barrier removed", "no-barriers", &BARRIERS, &[Order, Layer]),
        broken("wait removed", "no-waits", &EVENTS, &[Order, Layer]),
        broken("set removed", "no-sets", &EVENTS, &[Refusal]),
        broken("wait for an event never set, submitted", "endless", &["events_2"], &[TimeOut]),
        broken("wait for the wrong event", "first-event", &EVENTS, &[Order, Layer]),
        broken("wrong scope: the stage of copies", "wrong-stage", &ALL, &[Order, Layer]),
        broken("wrong scope: no access", "no-access", &ALL, &[Layer]),
        broken("reset forgotten", "no-resets", &EVENTS, &[Order]),
        Mutant {
            arguments: "--size 96 --align 8 --variant two_queues",
            ..broken("semaphore's wait removed", "no-waits", &["two_queues"], &[Order])
        },
        source(
            "bands shifted the wrong way",
            &[["bands.rs", "- pass * shift", "- (self.passes - 1 - pass) * shift"]],
            SMALL,
            &EVENTS,
            &[Order],
        ),
        source(
            "reach one texel short",
            &[["bands.rs", "radius.next_multiple_of(align)", "(radius - 1).next_multiple_of(align)"]],
            ONE_IMAGE_EACH,
            &["events_2"],
            &[Order],
        ),
        source(
            "two images where one per pass is claimed",
            &[["main.rs", "if self.ping_pong { generation % 2 } else { generation }", "generation % 2"]],
            SMALL,
            &EVENTS,
            &[Layer],
        ),
        source(
            "rows missing in the second repetition",
            &[[
                "main.rs",
                "chain.step(cmd, chain.coherent, rep, pass, 0..chain.size.height);",
                "chain.step(cmd, chain.coherent, rep, pass, 0..chain.size.height - 8 * rep.index);",
            ]],
            SMALL,
            &["execution_only"],
            &[Data],
        ),
        source(
            "wrong CPU reference",
            &[
                ["main.rs", "use samples::chain;", "mod chain;"],
                ["chain.rs", "mixed.wrapping_mul(MULTIPLIER).wrapping_add(near)", "mixed ^ near"],
            ],
            SMALL,
            &EVERY,
            &[Data],
        ),
        source(
            "barrier behind the pass, not before",
            &[["main.rs", BARRIER_BEFORE, BARRIER_BEHIND]],
            SMALL,
            &["full_barrier"],
            &[Order, Layer],
        ),
        // Only caches that are not coherent could tell, and a CPU device has none.
        source(
            "stores not coherent under an order alone",
            &[["main.rs", ".define(\"COHERENT_STORES\")", ""]],
            SMALL,
            &[],
            &[],
        ),
        Mutant {
            name: "fault of another size than seeded",
            how: Broken::Source(Source {
                sample: "data_race",
                edits: &[[
                    "main.rs",
                    "has_bug(tester.faulty_texels())",
                    "has_bug(tester.faulty_texels() + 1)",
                ]],
            }),
            arguments: "--size 64",
            fails: &["seeded_fault_64x64_ping_pong", "seeded_fault_64x64"],
            by: &[Data],
        },
    ]
}

const BARRIER_BEFORE: &str = "            if chain.before(rep, pass).is_some() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            chain.step(cmd, chain.plain, rep, pass, 0..chain.size.height);";
const BARRIER_BEHIND: &str = "            chain.step(cmd, chain.plain, rep, pass, 0..chain.size.height);
            if pass + 1 == chain.passes {
                cmd.pipeline_barrier2(STORES, LOADS);
            }";

pub fn trials() -> Vec<Trial> {
    vec![
        trial("recordings::table", table),
        trial("recordings::unbroken", unbroken),
        trial("recordings::chains_of_drain_fill", chains_of_drain_fill),
    ]
}

/// Without barriers its chains fail; what needs no memory made visible does not.
fn chains_of_drain_fill() -> Result<()> {
    let call = Call::new("drain_fill")?.words("--size 83x41 --check --all --break no-barriers");
    let found = judge(call.run()?)?;
    let chains = ["barrier_1", "barrier_4", "barrier_16", "barrier_64", "barrier_4_clear"];
    let as_listed = found.failed == chains && found.by == [By::Order, By::Layer].into();
    ensure!(as_listed, "{:?}: {}", found.by, found.ended);
    for says in ["as early as the recorded dependencies allow", "SYNC-HAZARD-READ-AFTER-WRITE"] {
        let times = found.ended.stdout.matches(says).count();
        ensure!(times >= chains.len(), "{times} times '{says}': {}", found.ended);
    }
    Ok(())
}

/// What fails below passes when nothing is broken.
fn unbroken() -> Result<()> {
    for (sample, arguments) in [(SAMPLE, SMALL), (SAMPLE, ONE_IMAGE_EACH), ("data_race", "--size 64")] {
        Call::new(sample)?.words(arguments).args(["--check"]).right()?;
    }
    Ok(())
}

/// Runs all mutants and prints a row of each, then fails for the first that was not as listed.
fn table() -> Result<()> {
    let mutants = mutants();
    let changed_ones = mutants.iter().filter_map(|mutant| match mutant.how {
        Broken::Source(source) => Some((mutant.binary(), source)),
        Broken::Break(_) => None,
    });
    let binaries = sources::build(&changed_ones.collect::<Vec<_>>())?;
    let mut problems = Vec::new();
    println!("{:<44}{:<22}fails", "broken on purpose", "noticed by");
    for mutant in mutants {
        let found = match &mutant.how {
            Broken::Break(what) => judge(broken_by(what, mutant.arguments)?),
            Broken::Source(_) => judge(mutant.changed(&binaries)?),
        }?;
        println!("{:<44}{:<22}{}", mutant.name, format!("{:?}", found.by), found.failed.join(", "));
        let by: BTreeSet<By> = mutant.by.iter().copied().collect();
        if found.by != by || found.failed != mutant.fails {
            problems.push(format!(
                "{}: expected {:?} to be noticed by {by:?}, but {:?} by {:?}: {}",
                mutant.name, mutant.fails, found.failed, found.by, found.ended
            ));
        }
    }
    ensure!(problems.is_empty(), "{}", problems.join("\n\n"));
    Ok(())
}

fn broken_by(what: &str, arguments: &str) -> Result<Ended> {
    let call = Call::new(SAMPLE)?.words(arguments).args(["--break", what]);
    // A wait that never ends is for the device; everything else is for the check.
    if what == "endless" { call.words("--timeout 1 --samples 1") } else { call.args(["--check"]) }.run()
}

impl Mutant {
    /// What a changed sample is called.
    fn binary(&self) -> String {
        self.name.replace([' ', ','], "_").to_lowercase()
    }

    fn changed(&self, binaries: &Path) -> Result<Ended> {
        let binary = binaries.join(format!("{}{}", self.binary(), std::env::consts::EXE_SUFFIX));
        Call::on_any_device(&binary).on_test_device().words(self.arguments).args(["--check"]).run()
    }
}

/// What failed, and what noticed it.
struct Found {
    failed: Vec<String>,
    by: BTreeSet<By>,
    ended: Ended,
}

fn judge(ended: Ended) -> Result<Found> {
    if ended.code == Some(EXIT_HUNG.into()) {
        let variant = ended.stderr.split("did not finish ").nth(1).and_then(|rest| rest.split(' ').next());
        let failed = variant.into_iter().map(str::to_owned).collect();
        return Ok(Found { failed, by: BTreeSet::from([By::TimeOut]), ended });
    }
    let lines = || ended.stdout.lines();
    let failed: Vec<String> = lines()
        .filter(|line| line.ends_with(" FAILED"))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect();
    let mut by = BTreeSet::new();
    for problem in lines().filter(|line| line.starts_with("    ")) {
        by.insert(match problem {
            _ if problem.contains("as early as the recorded dependencies allow") => By::Order,
            _ if problem.contains("SYNC-HAZARD") => By::Layer,
            _ if problem.contains("would hang the device") => By::Refusal,
            _ if problem.contains(" differ from the CPU ") => By::Data,
            _ => bail!("nobody knows what noticed: {problem}"),
        });
    }
    let code = if failed.is_empty() { EXIT_RIGHT } else { EXIT_FAILED };
    let ended = ended.with_code(code.into())?;
    Ok(Found { failed, by, ended })
}
