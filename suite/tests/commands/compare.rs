//! `suite compare` as a user calls it.

use std::fs;
use std::path::Path;

use crate::support::{Done, h200, names, suite, tree};
use serde_json::{Value, json};

/// The records of a sample in both runs.
fn paths(sample: &str) -> [String; 2] {
    [h200(1), h200(2)].map(|path| path.join(sample).to_str().unwrap().to_owned())
}

#[test]
fn two_runs_of_an_unchanged_program() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = paths("event_matrix");
    let done = suite(
        folder.path(),
        &["compare", &a, &b, "--tolerance", "2", "--fail-on", "slower", "--json", "c.json"],
    );
    assert_eq!((done.code, &done.said[..]), (0, ""));
    assert!(done.out.contains(" SAME.\nNo difference is one of up to 2 %"), "{}", done.out);
    let written: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("c.json")).unwrap()).unwrap();
    assert_eq!((&written["schema"], &written["tolerance"]), (&json!(1), &json!(0.02)));
    assert_eq!((written["pairs"].as_array().unwrap().len(), names(folder.path()).len()), (1, 1));
    // On the standard output the JSON stands alone.
    let done = suite(folder.path(), &["compare", &a, &b, "--tolerance", "2", "--json", "-"]);
    assert_eq!(serde_json::from_str::<Value>(&done.out).unwrap(), written);
    assert!(done.said.contains("SAME"), "{}", done.said);
}

/// As the issue asks: 3 % in one shader, exit code 4, and nothing else flagged.
#[test]
fn a_planted_slowdown_ends_with_four() {
    let folder = tempfile::tempdir().unwrap();
    let mut record = tree(2, "swizzled_remap");
    let row = &mut record["rows"][3];
    let name = row["label"].as_str().unwrap().to_owned();
    for sample in row["samples"].as_array_mut().unwrap() {
        for field in ["one_us", "many_us"] {
            sample[field] = json!(sample[field].as_f64().unwrap() * 1.03);
        }
    }
    fs::write(folder.path().join("slow.json"), record.to_string()).unwrap();
    let before = h200(1).join("swizzled_remap");
    let call = |more: &[&str]| {
        suite(folder.path(), &[&["compare", before.to_str().unwrap(), "slow.json"], more].concat())
    };
    let done = call(&["--fail-on", "slower"]);
    assert_eq!(done.code, 4, "{}{}", done.out, done.said);
    let flagged: Vec<&str> =
        done.out.lines().filter(|line| line.contains("SLOWER  ") || line.contains("FASTER  ")).collect();
    assert!(flagged.len() == 1 && flagged[0].starts_with(&name), "{}", done.out);
    // Unasked it is told, and the exit code is that of a program that did its work.
    assert_eq!(call(&[]).code, 0);
    assert_eq!(call(&["--fail-on", "slower", "--tolerance", "5"]).code, 0);
}

/// Where the first variant of the second run has this status.
fn with_status(status: Value) -> Done {
    let folder = tempfile::tempdir().unwrap();
    let mut record = tree(2, "codegen");
    record["rows"][0]["status"] = status;
    fs::write(folder.path().join("b.json"), record.to_string()).unwrap();
    let before = h200(1).join("codegen");
    suite(folder.path(), &["compare", before.to_str().unwrap(), "b.json", "--fail-on", "slower"])
}

#[test]
fn what_became_wrong_ends_with_two_and_comes_first() {
    let done = with_status(json!({ "is": "wrong", "elements": 7, "first": "element 3" }));
    assert_eq!(done.code, 2);
    assert!(
        done.out.starts_with("BROKEN: MT19937, multiply of codegen: ok → wrong: 7 elements differ"),
        "{}",
        done.out
    );
}

#[test]
fn what_is_lost_ends_with_two_and_is_told() {
    let done = with_status(json!({ "is": "skipped", "reason": "made up" }));
    let line = "suite: lost: MT19937, multiply of codegen: ok → skipped: made up\n";
    assert_eq!((done.code, &done.said[..]), (2, line));
    // Of a whole run one record was asked for.
    let ([a, _], [_, b]) = (paths(""), paths("codegen"));
    let done = suite(Path::new("."), &["compare", &a, &b, "--fail-on", "slower"]);
    assert_eq!((done.code, &done.said[..]), (0, ""));
    assert!(
        done.out.contains("The second side is one record: 30 of the first are not compared."),
        "{}",
        done.out
    );
}

#[test]
fn the_same_path_twice_is_said() {
    let [a, _] = paths("codegen");
    let done = suite(Path::new("."), &["compare", &a, &a]);
    assert!(
        done.code == 0 && done.out.starts_with("Both sides are the same file or folder.\n"),
        "{}",
        done.out
    );
}

/// What scatters too much is undecided even against itself, and never slower or faster.
#[test]
fn every_committed_record_is_as_fast_as_itself() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results");
    let results = results.to_str().unwrap();
    let done = suite(Path::new("."), &["compare", results, results, "--fail-on", "slower"]);
    assert_eq!(done.code, 0, "{}", done.said);
    let counts = done.out.lines().find(|line| line.contains(" variants: ")).unwrap();
    let flagged = ["SLOWER", "FASTER", "BROKEN"].iter().any(|word| counts.contains(word));
    assert!(counts.contains(" SAME") && !flagged, "{counts}");
}
