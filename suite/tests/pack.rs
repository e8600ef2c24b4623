//! `suite pack`: records of earlier versions in today's form.

#![allow(clippy::unwrap_used, reason = "a test ends where its tools fail")]

mod support;

use std::fs;
use std::path::Path;

use record::{SCHEMA, csv, json, read_record};
use serde_json::{Value, json as value};
use support::{names, suite, tree, twin};

/// A folder of a run as version 4 wrote it: the samples in the record, and once more beside it.
fn earlier(top: &Path, name: &str) -> Value {
    let record = read_record(&twin(1).join("codegen/record.json")).unwrap();
    let mut old: Value = serde_json::from_str(&json(&record).unwrap()).unwrap();
    old["schema"] = value!(4);
    let folder = top.join(name);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("record.json"), old.to_string()).unwrap();
    fs::write(folder.join("samples.csv"), csv(&record).unwrap()).unwrap();
    fs::write(folder.join("README.md"), "`samples.csv` holds every kept sample.\n").unwrap();
    old
}

fn exported(top: &Path) -> String {
    let done = suite(top, &["export", "--samples", "--csv", "-", "."]);
    assert_eq!(done.code, 0, "{}", done.said);
    done.out
}

#[test]
fn a_record_of_an_earlier_version_is_packed_without_loss() {
    let top = tempfile::tempdir().unwrap();
    let old = earlier(top.path(), "run");
    fs::write(top.path().join("README.md"), "[samples.csv](run/samples.csv)\n").unwrap();
    let before = exported(top.path());

    let done = suite(top.path(), &["pack", "."]);
    assert_eq!((done.code, done.said.contains("packed 1 of 1 records")), (0, true), "{}", done.said);
    let run = top.path().join("run");
    assert_eq!(names(&run), ["README.md", "record.json", "samples.csv.gz"]);
    assert!(exported(top.path()) == before, "the samples differ");
    let mut packed = serde_json::to_value(read_record(&run.join("record.json")).unwrap()).unwrap();
    assert_eq!(packed["schema"], SCHEMA);
    packed["schema"] = value!(4);
    assert!(packed == old, "the records differ");
    let page = |path: &Path| fs::read_to_string(path.join("README.md")).unwrap();
    assert_eq!(page(&run), "`samples.csv.gz` (gzip) holds every kept sample.\n");
    assert_eq!(page(top.path()), "[samples.csv.gz](run/samples.csv.gz)\n");

    let files = || fs::read_dir(&run).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap());
    let once: Vec<Vec<u8>> = files().collect();
    assert!(suite(top.path(), &["pack", "run"]).said.contains("packed 0 of 1 records"));
    assert!(files().eq(once), "packing twice changes something");
}

/// What a kill leaves: samples of whatever run without a record that names them, or the old samples still there.
#[test]
fn one_that_was_interrupted_goes_on() {
    let top = tempfile::tempdir().unwrap();
    earlier(top.path(), "run");
    let before = exported(top.path());
    let run = top.path().join("run");
    fs::write(run.join("samples.csv.gz"), "half of it").unwrap();
    assert!(exported(top.path()) == before, "a record that names no samples reads them");
    let plain = fs::read(run.join("samples.csv")).unwrap();
    assert_eq!(suite(top.path(), &["pack", "."]).code, 0);
    fs::write(run.join("samples.csv"), plain).unwrap();
    assert!(suite(top.path(), &["pack", "."]).said.contains("packed 0 of 1"));
    assert_eq!(names(&run), ["README.md", "record.json", "samples.csv.gz"]);
    assert!(exported(top.path()) == before, "the samples differ");
}

#[test]
fn what_would_be_lost_is_left_as_it_is() {
    let top = tempfile::tempdir().unwrap();
    let mut old = earlier(top.path(), "run");
    let path = top.path().join("run/record.json");
    old["rows"][1]["colour"] = value!("red");
    fs::write(&path, old.to_string()).unwrap();
    let parts = ["packing ./run/record.json: it holds /rows/1/colour, which this version does not know"];
    suite(top.path(), &["pack", "."]).refused(2, &parts);
    assert_eq!(fs::read_to_string(&path).unwrap(), old.to_string());
    assert_eq!(names(&top.path().join("run")), ["README.md", "record.json", "samples.csv"]);

    // Samples of one's own beside a record stay.
    earlier(top.path(), "other");
    fs::write(top.path().join("other/samples.csv"), "variant,round\nmine,1\n").unwrap();
    let done = suite(top.path(), &["pack", "other"]);
    assert!(
        done.code == 0 && done.said.contains("samples.csv has other cells than the record"),
        "{}",
        done.said
    );
    assert!(names(&top.path().join("other")).contains(&"samples.csv".to_owned()));
}

#[test]
fn what_cannot_be_packed_is_refused() {
    let top = tempfile::tempdir().unwrap();
    fs::write(top.path().join("a.json"), tree(1, "codegen").to_string()).unwrap();
    suite(top.path(), &["pack", "a.json"]).refused(2, &["a.json: only the record.json of a folder"]);
    fs::create_dir(top.path().join("run")).unwrap();
    fs::write(top.path().join("run/record.json"), "{").unwrap();
    suite(top.path(), &["pack", "."]).refused(2, &["not a whole JSON document"]);
}
