//! What is run to repeat a record. A record comes from anywhere, so its command line is no command: only
//! arguments that are known to be harmless are taken from it, and the rest is refused.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use record::{Argument, Record, Usable};

/// Arguments of all samples that change what is measured and how. The others that all samples have show,
/// write or check something instead.
const KEPT: &str = "bench queue variant without all matrix samples budget repetitions timeout cold thorough \
     no-self-test";
/// Those that write, show, choose the output, or are given anew.
const DROPPED: &str = "json csv out image trace theme verbose device seed live headless frames screenshot window press \
     demo";

fn is_among(names: &str, argument: &Argument) -> bool {
    !argument.own && names.split_whitespace().any(|name| name == argument.name)
}

/// The arguments of a recorded command that are to be given again to a sample that takes those of `known`.
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
            // Joined, so that no value is taken for an argument.
            kept.push(value.map_or_else(|| format!("--{name}"), |value| format!("--{name}={value}")));
        }
    }
    Ok(kept)
}

/// A run that repeats a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The sample's arguments, less the device and the file of the fresh record.
    pub arguments: Vec<String>,
    /// When it is taken to hang.
    pub limit: Duration,
}

/// The longest a run may take without being asked for.
const LONGEST: Duration = Duration::from_secs(3600);

/// How to repeat `record` by a sample that takes these arguments.
///
/// # Errors
/// A command with anything but known arguments.
pub fn plan(record: &Record, known: &[Argument], new_seed: bool) -> Result<Plan> {
    let mut arguments = kept(&record.command, known)?;
    if !new_seed {
        arguments.push(format!("--seed={}", record.method.seed));
    }
    // A machine under load, or a build without optimisation, takes a multiple.
    let seconds = (3.0 * record.seconds + 60.0).clamp(0.0, LONGEST.as_secs_f64());
    Ok(Plan { arguments, limit: Duration::from_secs_f64(seconds) })
}

impl Plan {
    /// All that the sample is called with.
    pub fn words(&self, device: &str, fresh: &Path) -> Vec<OsString> {
        let mut words: Vec<OsString> = self.arguments.iter().map(OsString::from).collect();
        words.push(format!("--device={device}").into());
        words.extend(["--json".into(), fresh.into()]);
        words
    }
}

/// How the device of a record is to be asked for among those that are here: by its UUID, or by its name where
/// a new driver has made the UUID another; `None` where it is not here. The index or name that the recorded
/// command has may mean another device on this machine.
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
            planned(&["--size", "-3x4", "--out", "a/b", "--variant=a,b", "--gravity", "--json=-", "-v"]);
        assert_eq!(kept.unwrap(), ["--size=-3x4", "--variant=a,b", "--gravity", "--seed=7"]);
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

    /// What follows a value-taking argument is its value, whatever it looks like, and stays one word.
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
