//! The sample before or after this one: another program in the same folder.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Another sample, to be started in place of this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Next {
    /// Its name.
    pub sample: String,
    /// Its program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The record that it shows in place of a measurement.
    pub replay: Option<PathBuf>,
}

/// How the display ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The exit code, as far as the display knows.
    pub code: u8,
    /// What is to be started.
    pub next: Option<Next>,
}

impl Ended {
    pub(super) fn with(code: u8) -> Self {
        Self { code, next: None }
    }
}

/// The folder of this program, where the other samples are.
///
/// # Errors
/// The system does not tell it.
pub fn own_folder() -> Result<PathBuf> {
    let program = std::env::current_exe().context("finding this program")?;
    program.parent().map(Path::to_owned).context("finding the folder of this program")
}

/// The sample that comes after `own` among `samples`, or before it if `by` is negative. The last one is followed by the
/// first. What has no program in `folder` is left out, and beside a record what has none in the same run.
pub(super) fn sibling(
    folder: &Path,
    samples: &[&str],
    own: (&str, Option<&Path>),
    by: isize,
) -> Option<Next> {
    let (own, replay) = own;
    let at = samples.iter().position(|name| *name == own)?;
    let (before, after) = (&samples[..at], &samples[at + 1..]);
    let mut others: Vec<&str> = after.iter().chain(before).copied().collect();
    if by < 0 {
        others.reverse();
    }
    let run = replay.and_then(|record| Some((record.parent()?.parent()?, record.file_name()?)));
    let next = |name: &str| {
        let program = folder.join(format!("{name}{EXE_SUFFIX}"));
        let replay = run.map(|(run, file)| run.join(name).join(file));
        let is_whole = program.is_file() && replay.as_ref().is_none_or(|record| record.is_file());
        is_whole.then(|| Next { sample: name.to_owned(), program, arguments: Vec::new(), replay })
    };
    others.into_iter().find_map(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_a_record_comes_the_next_of_the_same_run() {
        let folder = tempfile::tempdir().unwrap();
        let samples = ["bloom", "codegen", "drain_fill"];
        for name in samples {
            std::fs::write(folder.path().join(format!("{name}{EXE_SUFFIX}")), "").unwrap();
        }
        let run = folder.path().join("run");
        let record = |name: &str| run.join(name).join("record.json");
        for name in ["bloom", "drain_fill"] {
            std::fs::create_dir_all(run.join(name)).unwrap();
            std::fs::write(record(name), "").unwrap();
        }
        let next = sibling(folder.path(), &samples, ("bloom", Some(&record("bloom"))), 1).unwrap();
        assert_eq!(next.program.file_stem().unwrap(), "drain_fill");
        assert_eq!(next.replay, Some(record("drain_fill")));
        let lonely = folder.path().join("record.json");
        assert_eq!(sibling(folder.path(), &samples, ("bloom", Some(&lonely)), 1), None);
    }

    #[test]
    fn the_next_is_the_next_that_was_built() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bloom", "drain_fill", "other"] {
            std::fs::write(folder.path().join(format!("{name}{EXE_SUFFIX}")), "").unwrap();
        }
        let of = |own: &str, by: isize| {
            let samples = ["bloom", "codegen", "data_race", "drain_fill"];
            let found = sibling(folder.path(), &samples, (own, None), by)?;
            Some(found.program.file_stem()?.to_string_lossy().into_owned())
        };
        assert_eq!(of("bloom", 1).as_deref(), Some("drain_fill"));
        assert_eq!(of("drain_fill", 1).as_deref(), Some("bloom"));
        assert_eq!(of("codegen", -1).as_deref(), Some("bloom"));
        assert_eq!(of("bloom", -1).as_deref(), Some("drain_fill"));
        assert_eq!(of("other", 1), None);
        std::fs::remove_file(folder.path().join(format!("drain_fill{EXE_SUFFIX}"))).unwrap();
        assert_eq!(of("bloom", 1), None);
    }
}
