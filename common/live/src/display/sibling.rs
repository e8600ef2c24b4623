//! The sample before or after this one: another program in the same folder.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

/// Another sample, to be started in place of this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Next {
    /// Its program.
    pub program: PathBuf,
    /// Arguments that give it the state of this window.
    pub arguments: Vec<String>,
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

/// The program that comes after `own` among `samples`, or before it if `by` is negative. The last one is followed by the
/// first. What is not in the folder is left out.
pub(super) fn sibling(folder: &Path, samples: &[&str], own: &str, by: isize) -> Option<PathBuf> {
    let at = samples.iter().position(|name| *name == own)?;
    let (before, after) = (&samples[..at], &samples[at + 1..]);
    let mut others: Vec<&str> = after.iter().chain(before).copied().collect();
    if by < 0 {
        others.reverse();
    }
    let programs = others.into_iter().map(|name| folder.join(format!("{name}{EXE_SUFFIX}")));
    programs.into_iter().find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_is_the_next_that_was_built() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bloom", "drain_fill", "other"] {
            std::fs::write(folder.path().join(format!("{name}{EXE_SUFFIX}")), "").unwrap();
        }
        let of = |own: &str, by: isize| {
            let found = sibling(folder.path(), &["bloom", "codegen", "data_race", "drain_fill"], own, by)?;
            Some(found.file_stem()?.to_string_lossy().into_owned())
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
