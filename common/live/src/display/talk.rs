//! A talk: what the window shows step by step, from a file.
//!
//! ```toml
//! [[step]]
//! sample = "drain_fill"
//! knobs = { passes = 6 }
//! variant = "barrier_4"
//! rival = "no_barrier_4"
//! caption = "Small passes wait for each other"
//! ```

use std::collections::BTreeMap;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use serde::Deserialize;

use super::sibling::Next;
use crate::ui::Told;

/// Largest file in bytes.
const LARGEST: u64 = 1 << 20;

/// The steps of a talk, and which of them is shown.
#[derive(Debug)]
pub struct Talk {
    steps: Vec<Step>,
    at: usize,
}

/// What the window shows until the next step.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub sample: String,
    /// The sample's own arguments.
    pub arguments: Vec<String>,
    /// The record that is shown in place of a measurement.
    pub replay: Option<PathBuf>,
    /// The variant to show; `None` leaves the one that is shown.
    pub variant: Option<String>,
    /// The variant to compare with.
    pub rival: Option<String>,
    pub caption: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    step: Vec<Written>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    sample: Option<String>,
    #[serde(default)]
    knobs: BTreeMap<String, toml::Value>,
    replay: Option<PathBuf>,
    variant: Option<String>,
    rival: Option<String>,
    #[serde(default)]
    caption: String,
}

impl Talk {
    /// Reads the steps and begins with the step `at`, counted from 1. A step that names no sample keeps sample, knobs and record of the step before; knobs that it names
    /// replace those. Paths of records begin at the file.
    ///
    /// # Errors
    /// The file cannot be read, is no list of steps, names a sample that does not exist, or has no step `at`.
    pub fn read(path: &Path, at: usize, samples: &[&str]) -> Result<Self> {
        let read = || -> Result<Self> {
            ensure!(fs::metadata(path)?.len() <= LARGEST, "larger than any talk");
            let text = fs::read_to_string(path)?;
            let file: File = toml::from_str(&text).map_err(|error| {
                let line = error.span().map_or(1, |at| text[..at.start].matches('\n').count() + 1);
                anyhow!("line {line}: {}", error.message().replace('\n', " "))
            })?;
            let steps = resolved(file.step, path.parent().unwrap_or(Path::new("")))?;
            ensure!((1..=steps.len()).contains(&at), "it has no step {at}");
            for (at, step) in steps.iter().enumerate() {
                let is_known = samples.contains(&step.sample.as_str());
                let all = || samples.join(", ");
                ensure!(
                    is_known,
                    "step {}: there is no sample '{}': there are {}",
                    at + 1,
                    step.sample,
                    all()
                );
            }
            Ok(Self { steps, at: at - 1 })
        };
        read().with_context(|| format!("reading {}", path.display()))
    }

    /// The step that is shown.
    pub(super) fn step(&self) -> &Step {
        &self.steps[self.at]
    }

    /// What the window says of the step: `3 of 12`, and its caption.
    pub(super) fn told(&self) -> Told {
        let place = format!("{} of {}", self.at + 1, self.steps.len());
        Told { place, caption: self.step().caption.clone() }
    }

    /// Goes to the step `by` further, and returns the one before.
    ///
    /// # Errors
    /// The talk begins or ends here.
    pub(super) fn walk(&mut self, by: isize) -> Result<&Step> {
        let to = self.at.checked_add_signed(by).filter(|to| *to < self.steps.len());
        let to = to.with_context(|| format!("the script {} here", if by < 0 { "begins" } else { "ends" }))?;
        let from = std::mem::replace(&mut self.at, to);
        Ok(&self.steps[from])
    }

    /// What shows the step: a program in `folder`, and its arguments.
    ///
    /// # Errors
    /// The program is not there.
    pub fn program(&self, folder: &Path) -> Result<Next> {
        let step = self.step();
        let program = folder.join(format!("{}{EXE_SUFFIX}", step.sample));
        ensure!(program.is_file(), "{} is not built: cargo build --release --bins", program.display());
        let mut arguments = step.arguments.clone();
        arguments.push(format!("--step={}", self.at + 1));
        arguments.extend(step.replay.as_ref().map(|record| format!("--replay={}", record.display())));
        Ok(Next { program, arguments })
    }
}

fn resolved(written: Vec<Written>, folder: &Path) -> Result<Vec<Step>> {
    let mut steps: Vec<Step> = Vec::new();
    let mut knobs = BTreeMap::new();
    for (at, written) in written.into_iter().enumerate() {
        let before = steps.last().filter(|_| written.sample.is_none());
        if before.is_none() {
            knobs.clear();
        }
        let replay = before.and_then(|before| before.replay.clone());
        let sample = written.sample.or_else(|| before.map(|before| before.sample.clone()));
        knobs.extend(written.knobs);
        let arguments = knobs.iter().filter_map(|(name, value)| argument(name, value).transpose());
        let here = || format!("step {}", at + 1);
        steps.push(Step {
            sample: sample.context("it names no sample").with_context(here)?,
            arguments: arguments.collect::<Result<_>>().with_context(here)?,
            replay: written.replay.map(|record| folder.join(record)).or(replay),
            variant: written.variant,
            rival: written.rival,
            caption: written.caption,
        });
    }
    Ok(steps)
}

/// A knob as an argument; `None` for a flag that is off.
fn argument(name: &str, value: &toml::Value) -> Result<Option<String>> {
    Ok(match value {
        toml::Value::Boolean(is_on) => is_on.then(|| format!("--{name}")),
        toml::Value::String(text) => Some(format!("--{name}={text}")),
        toml::Value::Integer(number) => Some(format!("--{name}={number}")),
        toml::Value::Float(number) => Some(format!("--{name}={number}")),
        _ => return Err(anyhow!("the knob {name} is no text, number, true or false")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [&str; 2] = ["bloom", "drain_fill"];

    fn read(text: &str) -> Result<Talk> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("talk.toml");
        fs::write(&path, text)?;
        Talk::read(&path, 1, &SAMPLES)
    }

    #[test]
    fn a_step_keeps_what_it_does_not_name() {
        let talk = read(
            "[[step]]\nsample = 'drain_fill'\nknobs = { passes = 6, size = '64x64', own = true }\nreplay = '/r.json'\n\
             [[step]]\nvariant = 'barrier_4'\nrival = 'no_barrier_4'\nknobs = { passes = 12, own = false }\n\
             [[step]]\nsample = 'bloom'\ncaption = 'Another'\n",
        )
        .unwrap();
        let [first, second, third] = &talk.steps[..] else { panic!("{talk:?}") };
        assert_eq!(first.arguments, ["--own", "--passes=6", "--size=64x64"]);
        assert_eq!((&*second.sample, second.replay.as_deref()), ("drain_fill", Some(Path::new("/r.json"))));
        assert_eq!(second.arguments, ["--passes=12", "--size=64x64"]);
        assert_eq!(
            (second.variant.as_deref(), second.rival.as_deref()),
            (Some("barrier_4"), Some("no_barrier_4"))
        );
        assert_eq!((&*third.sample, &third.replay, third.arguments.len()), ("bloom", &None, 0));
    }

    #[test]
    fn a_talk_has_a_begin_and_an_end() {
        let mut talk =
            read("[[step]]\nsample = 'bloom'\ncaption = 'One'\n[[step]]\ncaption = 'Two'\n").unwrap();
        let error = talk.walk(-1).unwrap_err().to_string();
        assert_eq!((error.as_str(), &*talk.told().place), ("the script begins here", "1 of 2"));
        assert_eq!(talk.walk(1).unwrap().caption, "One");
        assert_eq!(talk.told(), Told { place: "2 of 2".into(), caption: "Two".into() });
        assert_eq!(talk.walk(1).unwrap_err().to_string(), "the script ends here");
    }

    #[test]
    fn a_step_is_a_program_with_arguments() {
        let folder = tempfile::tempdir().unwrap();
        let talk = read("[[step]]\nsample = 'bloom'\nknobs = { size = 64 }\nreplay = '/r.json'\n").unwrap();
        let missing = talk.program(folder.path()).unwrap_err().to_string();
        assert!(missing.contains("is not built"), "{missing}");
        let program = folder.path().join(format!("bloom{EXE_SUFFIX}"));
        fs::write(&program, "").unwrap();
        let arguments = ["--size=64", "--step=1", "--replay=/r.json"].map(str::to_owned).to_vec();
        assert_eq!(talk.program(folder.path()).unwrap(), Next { program, arguments });
    }

    #[test]
    fn what_is_no_talk_is_refused_on_one_line() {
        for (text, why) in [
            ("", "missing field `step`"),
            ("step = []", "it has no step 1"),
            ("[[step]]\nvariant = 'a'\n", "step 1: it names no sample"),
            ("[[step]]\nsample = 'blom'\n", "there is no sample 'blom': there are bloom, drain_fill"),
            ("[[step]]\nsample = 'bloom'\n\ncolour = 'red'\n", "line 4: unknown field `colour`"),
            ("[[step]]\nsample = 'bloom'\nknobs = { size = [1] }\n", "step 1: the knob size is no text"),
            ("[[step]", "line 1"),
        ] {
            let message = format!("{:#}", read(text).unwrap_err());
            assert!(message.contains("talk.toml: ") && message.contains(why), "{message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }
}
