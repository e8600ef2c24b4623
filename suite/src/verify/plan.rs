//! Plans the run that repeats a record. A record is untrusted input, so its command line is not executed as it is:
//! only arguments that are known to be harmless are used, and other commands are refused.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use record::{Argument, Record, Usable};

/// Arguments of all samples that affect what is measured and how. All others are used to show, write or check
/// something.
const KEPT: &str = "bench times queue variants without all matrix samples budget repetitions timeout cold thorough \
     no-self-test";
/// Arguments that write, show or choose the output, or that are set by the plan.
const DROPPED: &str = "json csv out image trace compact theme verbose device seed live headless frames screenshot window press \
     demo presenter full-screen at script step replay";

fn is_among(names: &str, argument: &Argument) -> bool {
    !argument.own && names.split_whitespace().any(|name| name == argument.name)
}

/// The arguments of a recorded command to use again for a sample with the arguments `known`.
///
/// # Errors
/// If the command has an unknown argument.
fn kept(command: &[String], known: &[Argument]) -> Result<Vec<String>> {
    let mut kept = Vec::new();
    let mut words = command.iter().skip(1);
    while let Some(word) = words.next() {
        let word = if word == "-v" { "--verbose" } else { word };
        let Some(flag) = word.strip_prefix("--") else {
            bail!("its command has '{word}', which is no argument of a sample; it is not run")
        };
        let (name, joined) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (flag, None),
        };
        // Its name in records of schema 5 and earlier.
        let name = if name == "variant" { "variants" } else { name };
        let argument = known.iter().find(|argument| argument.name == name);
        let is_kept = argument.is_some_and(|known| known.own && !known.takes_path || is_among(KEPT, known));
        let Some(known) = argument.filter(|known| is_kept || is_among(DROPPED, known)) else {
            bail!("its command has --{name}, which is not known to measure and nothing else; it is not run")
        };
        ensure!(known.takes_value || joined.is_none(), "its command has {word}: --{name} takes no value");
        let value = match joined {
            None if known.takes_value => match words.next() {
                Some(value) => Some(value.as_str()),
                None => bail!("its command ends with --{name}, whose value is missing"),
            },
            joined => joined,
        };
        if is_kept {
            // In one word, so that a value cannot be taken for an argument.
            kept.push(value.map_or_else(|| format!("--{name}"), |value| format!("--{name}={value}")));
        }
    }
    Ok(kept)
}

/// A run that repeats a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The sample's arguments, without the device and the path of the new record.
    pub arguments: Vec<String>,
    /// Time after which the run counts as hung.
    pub limit: Duration,
}

/// The largest default time limit.
const LONGEST: Duration = Duration::from_secs(3600);

/// Plans how to repeat `record` with a sample that has the arguments `known`.
///
/// # Errors
/// If the recorded command has unknown arguments.
pub fn plan(record: &Record, known: &[Argument], new_seed: bool) -> Result<Plan> {
    let mut arguments = kept(&record.command, known)?;
    if !new_seed {
        arguments.push(format!("--seed={}", record.method.seed));
    }
    // Under load, or without optimisation, a run takes several times as long.
    let seconds = (3.0 * record.seconds + 60.0).clamp(0.0, LONGEST.as_secs_f64());
    Ok(Plan { arguments, limit: Duration::from_secs_f64(seconds) })
}

impl Plan {
    /// The complete arguments of the call.
    pub fn words(&self, device: &str, fresh: &Path) -> Vec<OsString> {
        let mut words: Vec<OsString> = self.arguments.iter().map(OsString::from).collect();
        words.push(format!("--device={device}").into());
        words.extend(["--json".into(), fresh.into()]);
        words
    }
}

/// The value of `--device` that selects the device of a record on this machine: found by its UUID, or by its name if
/// a new driver has changed the UUID. `None` if it does not exist. The index or name in the recorded command could
/// select another device here.
pub fn device(record: &Record, here: &[Usable]) -> Option<String> {
    let recorded = &record.device;
    let same = here.iter().find(|device| device.facts.uuid == recorded.uuid);
    let same = same.or_else(|| here.iter().find(|device| device.facts.name == recorded.name));
    same.map(|device| device.wish.clone())
}

#[cfg(test)]
mod tests {
    use record::DeviceFacts;

    use super::*;
    use crate::scripted;

    fn planned(words: &[&str]) -> Result<Vec<String>, String> {
        let mut record = scripted::record();
        record.command = std::iter::once("./x").chain(words.iter().copied()).map(str::to_owned).collect();
        record.method.seed = 7;
        let plan = plan(&record, &scripted::about().arguments, false);
        plan.map(|plan| plan.arguments).map_err(|error| error.to_string())
    }

    #[test]
    fn what_measures_is_kept_and_what_writes_is_not() {
        let kept =
            planned(&["--size", "-3x4", "--out", "a/b", "--variants=a,b", "--gravity", "--json=-", "-v"]);
        assert_eq!(kept.unwrap(), ["--size=-3x4", "--variants=a,b", "--gravity", "--seed=7"]);
        let kept = planned(&["--without", "a,b*", "--no-self-test"]).unwrap();
        assert_eq!(kept, ["--without=a,b*", "--no-self-test", "--seed=7"]);
        assert_eq!(planned(&["--seed", "9", "--device", "1"]).unwrap(), ["--seed=7"]);
        assert_eq!(planned(&[]).unwrap(), ["--seed=7"]);
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let cases: [(&[&str], &str); 9] = [
            (&["--chek"], "has --chek, which is not known"),
            (&["--check"], "has --check, which is not known"),
            (&["--code", "amd:vega10"], "has --code, which"),
            (&["--config", "/etc/passwd"], "has --config, which"),
            (&["--help"], "has --help, which"),
            (&["file"], "has 'file', which is no argument"),
            (&["--gravity=1"], "--gravity takes no value"),
            (&["--size"], "ends with --size"),
            (&["--"], "has --, which"),
        ];
        for (words, part) in cases {
            let message = planned(words).unwrap_err();
            assert!(message.contains(part) && !message.contains('\n'), "{message}");
        }
    }

    /// The word after an argument that takes a value is its value, even if it looks like an argument, and stays one
    /// word.
    #[test]
    fn a_value_is_never_an_argument() {
        assert_eq!(planned(&["--size", "--out"]).unwrap(), ["--size=--out", "--seed=7"]);
        assert_eq!(planned(&["--out", "--check"]).unwrap(), ["--seed=7"]);
    }

    #[test]
    fn a_run_has_a_limit_whatever_the_record_says() {
        let known = scripted::about().arguments;
        let limit = |seconds| {
            let mut record = scripted::record();
            (record.seconds, record.command) = (seconds, vec!["x".into()]);
            plan(&record, &known, true).unwrap().limit.as_secs()
        };
        assert_eq!((limit(10.0), limit(1e15), limit(0.0)), (90, 3600, 60));
    }

    #[test]
    fn the_device_is_asked_for_by_what_is_here() {
        let mut record = scripted::record();
        (record.device.name, record.device.uuid) = ("GPU".into(), "12-34".into());
        let here = |name: &str, uuid: &str| {
            let facts = DeviceFacts { name: name.into(), uuid: uuid.into(), ..record.device.clone() };
            device(&record, &[Usable { facts, wish: "wish".into() }])
        };
        assert_eq!(here("Other", "12-34").as_deref(), Some("wish"));
        assert_eq!(here("GPU", "99").as_deref(), Some("wish"));
        assert_eq!(here("GPU 2", "99"), None);
        assert_eq!(device(&record, &[]), None);
    }
}
