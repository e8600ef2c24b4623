//! `suite verify` as a user calls it, on the device of this machine.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{built, names, suite, tree};
use record::{About, Argument};
use serde_json::{Value, json};

/// A small run of a sample on this machine, in `folder`; `None` where no device can run it.
fn recorded(folder: &Path) -> Option<Value> {
    let words =
        ["--size", "64x64", "--samples", "6", "--repetitions", "1", "--variants", "remap_8x8,row_major_8x8"];
    let status = Command::new(built().join("swizzled_remap"))
        .args(words)
        .args(["--json", "old.json", "--csv", "old.csv"])
        .current_dir(folder)
        .output()
        .unwrap()
        .status;
    if status.code() == Some(1) {
        return None;
    }
    assert!(status.success());
    fs::remove_file(folder.join("old.csv")).unwrap();
    Some(serde_json::from_str(&fs::read_to_string(folder.join("old.json")).unwrap()).unwrap())
}

/// A program that the recorded run was told of is found where it was: relative to where the user is.
#[cfg(unix)]
#[test]
fn a_program_of_a_record_is_found() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let script = "#!/bin/sh\necho Copy; read m n k alpha beta folder; cp $folder/c kept\n\
        while read times; do cp kept $folder/result; sleep 0.01; echo 1; done\n";
    fs::write(folder.path().join("copy.sh"), script).unwrap();
    fs::set_permissions(folder.path().join("copy.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let words =
        "--size 32 --alpha 0 --beta 1 --variants library --library ./copy.sh --samples 1 --json old.json";
    let mut sample = Command::new(built().join("sgemm"));
    let done = sample.args(words.split(' ')).current_dir(folder.path()).output().unwrap();
    if done.status.code() == Some(1) {
        return;
    }
    let done = suite(folder.path(), &["verify", "old.json"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.said);
}

#[test]
fn a_record_is_confirmed_and_nothing_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let Some(record) = recorded(folder.path()) else { return };
    let done = suite(folder.path(), &["verify", "old.json"]);
    if record["device"]["kind"] == "cpu" {
        assert_eq!(done.code, 0, "{}{}", done.out, done.said);
        assert!(
            done.out.contains(" are right as recorded") && done.out.contains(". Times of a CPU device"),
            "{}",
            done.out
        );
    } else {
        assert!([0, 4].contains(&done.code), "{}{}", done.out, done.said);
    }
    assert!(done.said.contains(&format!("--seed={}", record["method"]["seed"])), "{}", done.said);
    assert_eq!(names(folder.path()), ["old.json"]);
    // A record of right results where the program is now wrong is not faked here, but another status is.
    let mut other = record;
    other["rows"][0]["status"] = json!({ "is": "skipped", "reason": "made up" });
    fs::write(folder.path().join("old.json"), other.to_string()).unwrap();
    let done = suite(folder.path(), &["verify", "old.json"]);
    assert_eq!(done.code, 2, "{}", done.out);
    assert!(done.out.contains("Not confirmed: 1 variant with another status than recorded."), "{}", done.out);
    other["configuration"]["size"] = json!("128x128");
    fs::write(folder.path().join("old.json"), other.to_string()).unwrap();
    let done = suite(folder.path(), &["verify", "old.json", "--new-seed"]);
    assert!(done.code == 2 && done.out.contains("Not comparable: the record is of"), "{}", done.out);
    assert!(!done.said.contains("--seed"), "{}", done.said);
}

#[test]
fn a_hostile_command_is_not_run() {
    let folder = tempfile::tempdir().unwrap();
    built();
    let refused = |spoil: &dyn Fn(&mut Value), code: i32, parts: &[&str]| {
        let mut record = tree(1, "codegen");
        spoil(&mut record);
        fs::write(folder.path().join("a.json"), record.to_string()).unwrap();
        suite(folder.path(), &["verify", "a.json"]).refused(code, parts);
        assert_eq!(names(folder.path()), ["a.json"]);
    };
    let command = |words: &'static [&'static str]| move |record: &mut Value| record["command"] = json!(words);
    refused(&command(&["x", "--code-diff", "a", "b"]), 2, &["has --code-diff", "is not run"]);
    refused(&command(&["x", "--check"]), 2, &["has --check", "is not run"]);
    refused(&command(&["x", "; rm -rf /"]), 2, &["'; rm -rf /', which is no argument"]);
    refused(&|record| record["sample"] = json!("../../bin/sh"), 1, &["there is no sample '../../bin/sh'"]);
    refused(&|record| record["sample"] = json!("suite"), 1, &["there is no sample 'suite'"]);
}

/// Options of samples that have been split since. Records with them are read, and refused where they are to be repeated.
const GONE: [(&str, &str); 3] =
    [("pipelined_events", "--ladder"), ("bloom", "--ladder"), ("drain_fill", "--mhz")];

/// The arguments in the commands of all other committed records are known.
#[test]
fn what_was_recorded_can_be_repeated() {
    let folder = tempfile::tempdir().unwrap();
    built();
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results");
    // Devices that are nowhere end each one right after its command was understood.
    let mut count = 0;
    for run in fs::read_dir(results).unwrap().flatten().filter(|run| run.path().is_dir()) {
        for kept in fs::read_dir(run.path()).unwrap().flatten() {
            let Ok(text) = fs::read_to_string(kept.path().join("record.json")) else { continue };
            let mut record: Value = serde_json::from_str(&text).unwrap();
            let words = record["command"].as_array().unwrap();
            if GONE
                .iter()
                .any(|(sample, option)| record["sample"] == *sample && words.contains(&json!(option)))
            {
                continue;
            }
            (record["device"]["name"], record["device"]["uuid"]) = (json!("Made-up"), json!("nowhere"));
            // Its samples are not needed.
            record.as_object_mut().unwrap().remove("samples_file");
            fs::create_dir(folder.path().join(count.to_string())).unwrap();
            fs::write(folder.path().join(format!("{count}/record.json")), record.to_string()).unwrap();
            count += 1;
        }
    }
    let done = suite(folder.path(), &["verify", "."]);
    assert_eq!(done.code, 1, "{}", done.said);
    assert_eq!(done.said.lines().filter(|line| line.contains("is not here")).count(), count, "{}", done.said);
    assert!(count > 40);
}

/// Arguments of all samples that no record has, for they measure nothing.
const REFUSED: [&str; 15] = [
    "about",
    "break",
    "check",
    "profile",
    "progress",
    "code",
    "code-diff",
    "completions",
    "help",
    "list-devices",
    "list-variants",
    "man",
    "print-kernel",
    "self-test",
    "version",
];

/// A new argument has to be thought of here, or in what is kept or dropped.
#[test]
fn every_common_argument_can_be_repeated_or_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let told = Command::new(built().join("codegen")).arg("--about").output().unwrap();
    let mut arguments = serde_json::from_slice::<About>(&told.stdout).unwrap().arguments;
    arguments.retain(|argument| !argument.own);
    for Argument { name, takes_value, .. } in &arguments {
        let mut record = tree(1, "codegen");
        (record["device"]["name"], record["device"]["uuid"]) = (json!("Made-up"), json!("nowhere"));
        let value = takes_value.then_some("1");
        let words = [Some("x"), Some(&format!("--{name}")[..]), value];
        record["command"] = json!(words.into_iter().flatten().collect::<Vec<_>>());
        fs::create_dir_all(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("record.json"), record.to_string()).unwrap();
    }
    let done = suite(folder.path(), &["verify", "."]);
    for Argument { name, .. } in &arguments {
        let line = done.said.lines().find(|line| line.contains(&format!("/{name}/record.json"))).unwrap();
        let expected = if REFUSED.contains(&&name[..]) { "is not known to measure" } else { "is not here" };
        assert!(line.contains(expected), "{line}");
    }
    let names: Vec<&str> = arguments.iter().map(|argument| &argument.name[..]).collect();
    assert!(["without", "no-self-test", "seed"].iter().all(|name| names.contains(name)), "{names:?}");
}
