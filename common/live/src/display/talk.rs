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
use crate::ui::StepText;

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
    /// Reads the steps and begins with the step `at`, counted from 1. A step that names no sample keeps sample, knobs and
    /// record of the step before; knobs that it names replace those. Paths of records begin at the file.
    ///
    /// # Errors
    /// The file cannot be read, is no list of steps, names what does not exist or an argument that `is_shared` by all
    /// samples, or has no step `at`.
    pub fn read(path: &Path, at: usize, samples: &[&str], is_shared: impl Fn(&str) -> bool) -> Result<Self> {
        let read = || -> Result<Self> {
            let facts = fs::metadata(path)?;
            // Opening a pipe could block forever.
            ensure!(facts.is_file() && facts.len() <= LARGEST, "no file, or larger than any talk");
            let text = fs::read_to_string(path)?;
            let file: File = toml::from_str(&text).map_err(|error| {
                let line = error.span().map_or(1, |at| text[..at.start].matches('\n').count() + 1);
                anyhow!("line {line}: {}", error.message().replace('\n', " "))
            })?;
            let steps = resolved(file.step, path.parent().unwrap_or(Path::new("")))?;
            ensure!((1..=steps.len()).contains(&at), "it has no step {at}");
            for (number, step) in (1..).zip(&steps) {
                step.check(samples, &is_shared).with_context(|| format!("step {number}"))?;
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
    pub(super) fn text(&self) -> StepText {
        let (number, count) = (self.at + 1, self.steps.len());
        let on = if number < count { " · Page Down goes on" } else { "" };
        StepText { place: format!("{number} of {count}{on}"), caption: self.step().caption.clone() }
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
        Ok(Next { sample: step.sample.clone(), program, arguments, replay: step.replay.clone() })
    }
}

impl Step {
    /// Whether the program that shows `other` can show this step too.
    pub fn is_shown_as(&self, other: &Self) -> bool {
        let has_same_knobs = self.replay.is_some() || self.arguments == other.arguments;
        (&self.sample, &self.replay) == (&other.sample, &other.replay) && has_same_knobs
    }

    fn check(&self, samples: &[&str], is_shared: &impl Fn(&str) -> bool) -> Result<()> {
        let Self { sample, arguments, replay, .. } = self;
        let is_known = samples.contains(&sample.as_str());
        ensure!(is_known, "there is no sample '{sample}': there are {}", samples.join(", "));
        for argument in arguments {
            let name = argument.trim_start_matches('-').split('=').next().unwrap_or_default();
            ensure!(!is_shared(name), "{name} is no knob of {sample}");
        }
        if let Some(record) = replay {
            ensure!(record.is_file(), "there is no record {}", record.display());
        }
        Ok(())
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
        Talk::read(&path, 1, &SAMPLES, |name| name == "help")
    }

    #[test]
    fn a_step_keeps_what_it_does_not_name() {
        let talk = read(
            "[[step]]\nsample = 'drain_fill'\nknobs = { passes = 6, size = '64x64', own = true }\nreplay = 'talk.toml'\n\
             [[step]]\nvariant = 'barrier_4'\nrival = 'no_barrier_4'\nknobs = { passes = 12, own = false }\n\
             [[step]]\nsample = 'bloom'\ncaption = 'Another'\n",
        )
        .unwrap();
        let [first, second, third] = &talk.steps[..] else { panic!("{talk:?}") };
        assert_eq!(first.arguments, ["--own", "--passes=6", "--size=64x64"]);
        assert_eq!((&*second.sample, second.replay.as_deref()), ("drain_fill", first.replay.as_deref()));
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
        assert_eq!(talk.walk(-1).unwrap_err().to_string(), "the script begins here");
        assert_eq!(talk.text().place, "1 of 2 · Page Down goes on");
        assert_eq!(talk.walk(1).unwrap().caption, "One");
        assert_eq!(talk.text(), StepText { place: "2 of 2".into(), caption: "Two".into() });
        assert_eq!(talk.walk(1).unwrap_err().to_string(), "the script ends here");
    }

    #[test]
    fn a_step_is_a_program_with_arguments() {
        let folder = tempfile::tempdir().unwrap();
        let talk = read("[[step]]\nsample = 'bloom'\nknobs = { size = 64 }\nreplay = 'talk.toml'\n").unwrap();
        let missing = talk.program(folder.path()).unwrap_err().to_string();
        assert!(missing.contains("is not built"), "{missing}");
        let program = folder.path().join(format!("bloom{EXE_SUFFIX}"));
        fs::write(&program, "").unwrap();
        let next = talk.program(folder.path()).unwrap();
        assert_eq!((next.program, next.arguments), (program, vec!["--size=64".into(), "--step=1".into()]));
        assert!(next.replay.unwrap().ends_with("talk.toml"));
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
            ("[[step]]\nsample = 'bloom'\nknobs = { help = true }\n", "step 1: help is no knob of bloom"),
            ("[[step]]\nsample = 'bloom'\nreplay = 'none.json'\n", "step 1: there is no record "),
            ("[[step]", "line 1"),
        ] {
            let message = format!("{:#}", read(text).unwrap_err());
            assert!(message.contains("talk.toml: ") && message.contains(why), "{message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }
}
