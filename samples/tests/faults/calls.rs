//! What can fail in a run, and how a failure must sound.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use record::error::{EXIT_FAILED, EXIT_HUNG};

use crate::support::{Call, Ended};

const VARIABLE: &str = "HOTLAP_FAULT";

/// What kind of call it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    Call,
    Wait,
    Allocation,
    Write,
}

/// One call of a run.
#[derive(Clone, Debug)]
pub struct Made {
    pub site: Site,
    pub label: String,
    /// Counted from 1 among those with this label.
    pub nth: usize,
}

/// A call that is to fail.
#[derive(Clone, Debug)]
pub struct Fault {
    pub call: Made,
    pub kind: &'static str,
    /// Its place in the list.
    pub at: usize,
}

/// All calls of a run that goes well, in order. The shaders' cache is written by some runs only, so
/// its calls are left out.
pub fn list(call: Call, folder: &Path) -> Result<Vec<Made>> {
    let mut made = list_all(call, folder)?;
    made.retain(|made| !is_cache(&made.label));
    Ok(made)
}

pub fn list_all(call: Call, folder: &Path) -> Result<Vec<Made>> {
    let file = folder.join("calls");
    call.env(VARIABLE, format!("list:{}", file.display())).within(folder).right()?;
    let mut seen = BTreeMap::<String, usize>::new();
    let text = fs::read_to_string(&file).context("reading the list of calls")?;
    let made: Vec<Made> = text.lines().map(|line| parse(line, &mut seen)).collect::<Result<_>>()?;
    ensure!(!made.is_empty(), "the list of calls is empty");
    Ok(made)
}

fn parse(line: &str, seen: &mut BTreeMap<String, usize>) -> Result<Made> {
    let (site, label) = line.split_once('\t').with_context(|| format!("no site in '{line}'"))?;
    let site = match site {
        "call" => Site::Call,
        "wait" => Site::Wait,
        "allocation" => Site::Allocation,
        "write" => Site::Write,
        other => bail!("an unknown site '{other}'"),
    };
    let nth = seen.entry(label.to_owned()).or_default();
    *nth += 1;
    Ok(Made { site, label: label.to_owned(), nth: *nth })
}

/// Every failure of the first, the middle and the last call of each kind; calls whose labels differ in
/// numbers only are of one kind.
pub fn faults(made: &[Made]) -> Vec<Fault> {
    let mut kinds: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, call) in made.iter().enumerate() {
        kinds.entry(call.label.replace(|c: char| c.is_ascii_digit(), "#")).or_default().push(at);
    }
    let places = kinds.values().flat_map(|places| {
        let mut chosen = vec![places[0], places[places.len() / 2], places[places.len() - 1]];
        chosen.dedup();
        chosen
    });
    places.flat_map(|at| Fault::all(&made[at], at)).collect()
}

impl Fault {
    fn all(call: &Made, at: usize) -> impl Iterator<Item = Self> {
        let kinds: &[&str] = match call.site {
            Site::Call => &["memory", "lost"],
            Site::Wait => &["timeout", "lost", "memory"],
            Site::Allocation => &["memory", "host-memory"],
            Site::Write => &["disk-full"],
        };
        kinds.iter().map(move |kind| Self { call: call.clone(), kind, at })
    }

    pub fn name(&self) -> String {
        format!("{}#{}:{}", self.call.label, self.call.nth, self.kind)
    }

    /// The call with this fault in it.
    pub fn inject(&self, call: Call) -> Call {
        call.env(VARIABLE, self.name())
    }

    /// A name that is not set, a list that only informs and a cache that is not written cost the run
    /// nothing.
    pub fn is_harmless(&self) -> bool {
        // The record is written once more when the run ends.
        let harmless = ["naming an object", "listing tools", "writing what was measured so far"];
        harmless.contains(&&*self.call.label) || is_cache(&self.call.label)
    }

    pub fn code(&self) -> u8 {
        if self.kind == "timeout" { EXIT_HUNG } else { EXIT_FAILED }
    }

    /// What a reader must be told.
    fn words(&self) -> Vec<&str> {
        let label = &self.call.label;
        let name = label.split_once(' ').map_or("", |(_, name)| name);
        match (self.kind, self.call.site) {
            ("timeout", _) => vec!["did not finish", name, "--timeout"],
            ("memory", Site::Allocation) => vec!["out of memory", name, "smaller size"],
            ("host-memory", _) => vec!["no memory", name, "OUT_OF_HOST_MEMORY"],
            ("memory", _) => vec!["out of device memory while", label, "smaller size"],
            ("lost", _) => vec!["the device was lost while", label],
            _ => vec!["no storage space"],
        }
    }

    /// Makes sure that the standard error gives the reason on one line and nothing else; returns that line without the
    /// name of the program.
    pub fn told(&self, ended: &Ended) -> Result<String> {
        let reason = ended.reason()?;
        for words in self.words() {
            ensure!(reason.contains(words), "no word of '{words}': {ended}");
        }
        ensure!(ended.stderr.lines().all(|line| line.ends_with(reason)), "chatter: {ended}");
        Ok(reason.to_owned())
    }
}

/// A call that writes the cache of compiled shaders.
pub fn is_cache(label: &str) -> bool {
    label.contains("SPIR-V cache")
}

/// Where the first sample of a row begins: what comes before is set-up. A sample resets its pool,
/// begins, ends, resets its fence, submits and waits.
pub fn first_sample(made: &[Made]) -> Result<usize> {
    // The check runs it in other orders first.
    let wait = made.iter().position(|call| call.label.starts_with("running no_barrier"));
    let first = wait.and_then(|wait| wait.checked_sub(5)).context("no variant was run")?;
    let label = &made[first].label;
    ensure!(label == "resetting a command pool", "a sample begins with '{label}': adapt the test");
    Ok(first)
}
