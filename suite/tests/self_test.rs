//! `suite self-test` has a sample do it.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;
use std::process::{Command, Output};

/// Calls it where each sample is a script that says how it was called.
fn called(script: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let suite = folder.path().join("suite");
    std::fs::copy(env!("CARGO_BIN_EXE_suite"), &suite).unwrap();
    if !script.is_empty() {
        written(&folder.path().join("data_race"), script);
    }
    Command::new(suite).env("CARGO", "").arg("self-test").args(arguments).output().unwrap()
}

#[cfg(unix)]
fn written(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// One test, for what is copied is busy as long as another thread forks.
#[test]
#[cfg(unix)]
fn a_sample_gets_the_arguments_and_tells_how_it_ended() {
    let output = called("echo $#: \"$@\"; exit 3", &["--device", "a b", "--timeout", "0.5", "--json", "-"]);
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said, "4: --self-test --device=a b --timeout=0.5 --json=-\n");
    assert!(output.stderr.is_empty());
    for (script, words) in [("kill -SEGV $$", "SIGSEGV"), ("", "no sample is beside this program")] {
        let output = called(script, &[]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
        assert!(said.starts_with("suite: ") && said.contains(words), "{said}");
    }
}
