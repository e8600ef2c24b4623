//! `--self-test`, as a user calls it: any sample has it, and `suite self-test` calls one.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// The command on the CPU's device, whatever else there is.
fn sample(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codegen"));
    // Tests shall neither profit from the user's cache nor fill it.
    command.env("HOTLAP_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("shader-cache"));
    command.env("LC_ALL", "C.UTF-8").arg("--self-test").args(arguments);
    command
}

fn on_cpu(arguments: &[&str]) -> Command {
    let mut command = sample(arguments);
    command.args(["--device", "llvmpipe"]);
    command
}

fn ended(command: &mut Command) -> (Output, String, String) {
    let output = command.output().unwrap();
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8(text.clone()).unwrap());
    (output, out, err)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn check<'v>(tested: &'v Value, name: &str) -> &'v Value {
    let checks = tested["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no {name}: {tested}"))
}

#[test]
fn a_cpu_device_passes_and_says_what_it_cannot_tell() {
    let (output, out, err) = ended(&mut on_cpu(&[]));
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    assert!(err.is_empty(), "{err}");
    assert!(out.starts_with("self-test on llvmpipe"), "{out}");
    assert!(out.contains("–  the same kernel twice  a CPU device: "), "{out}");
    assert!(out.contains("✓  results "), "{out}");
    assert_eq!(out.lines().count(), 12, "a line for each check, one ahead and one behind: {out}");
    assert!(out.lines().last().unwrap().starts_with("passed, "), "{out}");
}

#[test]
fn a_terminal_without_other_characters_gets_ascii() {
    let (_, out, _) = ended(on_cpu(&[]).env("LC_ALL", "C"));
    assert!(out.is_ascii() && out.contains("skip  the same kernel twice") && out.contains(" us, "), "{out}");
}

#[test]
fn the_json_holds_the_figures_in_a_file_or_on_the_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("certificate.json");
    let (output, out, _) = ended(&mut on_cpu(&["--json", file.to_str().unwrap()]));
    assert_eq!(output.status.code(), Some(0));
    assert!(out.starts_with("self-test on"), "{out}");
    let written = json(&std::fs::read_to_string(&file).unwrap());
    let (output, out, err) = ended(&mut on_cpu(&["--json", "-"]));
    assert_eq!(output.status.code(), Some(0));
    assert!(err.starts_with("self-test on"), "the certificate makes way: {err}");
    for tested in [written, json(&out)] {
        assert_eq!((&tested["passed"], &tested["interrupted"]), (&true.into(), &false.into()));
        assert!(tested["device"]["name"].as_str().unwrap().contains("llvmpipe"));
        assert!(tested["seconds"].as_f64().unwrap() > 0.0);
        let figures = check(&tested, "empty interval")["figures"].as_array().unwrap();
        let median = figures.iter().find(|figure| figure["name"] == "median").unwrap();
        assert!(median["value"].as_f64().unwrap() > 0.0 && median["unit"] == "us", "{median}");
        assert_eq!(check(&tested, "2 % more work")["result"], "skipped");
    }
}

#[test]
fn a_user_error_is_one_line() {
    let absent = ["--device", "no such device"];
    for (arguments, words) in [(&absent[..], "no such device"), (&["--json", "/absent/c.json"], "/absent")] {
        let (output, out, err) = ended(&mut sample(arguments));
        assert!(matches!(output.status.code(), Some(1 | 2)), "{output:?}");
        assert_eq!((out.as_str(), err.lines().count()), ("", 1), "{out}{err}");
        assert!(err.starts_with("codegen: ") && err.contains(words), "{err}");
    }
}

/// On a CPU device they prove nothing, but the way to them is that of a GPU.
#[test]
fn verdicts_on_times_are_made_where_they_are_asked_for() {
    let (output, out, err) = ended(on_cpu(&["--json", "-"]).env("HOTLAP_SELF_TEST_TIMING", "1"));
    let tested = json(&out);
    let failed = tested["checks"].as_array().unwrap().iter().any(|check| check["result"] == "failed");
    assert_eq!(output.status.code(), Some(if failed { 2 } else { 0 }), "{err}");
    assert_eq!(tested["passed"], !failed);
    assert_eq!(check(&tested, "results")["result"], "passed", "{out}");
    for name in ["the same kernel twice", "2 % more work"] {
        let verdict = check(&tested, name);
        assert_ne!(verdict["result"], "skipped", "{verdict}");
        let figures = verdict["figures"].as_array().unwrap();
        let of = |name: &str| figures.iter().find(|figure| figure["name"] == name).unwrap()["value"].as_f64();
        let [low, ratio, high] = ["low", "ratio", "high"].map(|name| of(name).unwrap());
        assert!(low <= ratio && ratio <= high && (0.2..5.0).contains(&ratio), "{verdict}");
        assert!(of("rounds").unwrap() >= 10.0, "{verdict}");
    }
    for name in ["warm-up", "idle device"] {
        assert!(["passed", "warned"].map(Value::from).contains(&check(&tested, name)["result"]), "{out}");
    }
}

#[test]
fn a_device_that_fails_ends_it_on_one_line() {
    let faults = [
        ("running a row of timestamps#1:timeout", 3, "did not finish a row of timestamps"),
        ("running an empty window#20:lost", 2, "the device was lost while running an empty window"),
        ("running same_b#1:lost", 2, "the device was lost while running same_b"),
        ("reading the device's clock#9:memory", 2, "out of device memory while reading the device's clock"),
        ("compiling lab/chains.comp on the device#1:memory", 2, "out of device memory while compiling"),
    ];
    for (fault, code, words) in faults {
        let (output, out, err) = ended(on_cpu(&[]).env("HOTLAP_FAULT", fault));
        assert_eq!(output.status.code(), Some(code), "{fault}: {out}{err}");
        assert_eq!((out.as_str(), err.lines().count()), ("", 1), "{fault}: {err}");
        assert!(err.starts_with("codegen: ") && err.contains(words), "{fault}: {err}");
    }
}

#[test]
fn a_submit_that_never_ends_ends_the_test_within_the_time_that_is_given() {
    let mut command = on_cpu(&["--timeout", "0.5"]);
    let (output, out, err) = ended(command.env("HOTLAP_FAULT", "running an empty window#3:timeout"));
    assert_eq!((output.status.code(), &out[..]), (Some(3), ""), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(
        err.contains("did not finish an empty window within 0.5 s") && err.contains("--timeout"),
        "{err}"
    );
}
