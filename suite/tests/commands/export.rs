//! `suite export` as a user calls it.

use std::fs;

use crate::support::{h200, names, suite, tree};

#[test]
fn one_file_of_all_records() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (h200(1), h200(2));
    let paths = [a.to_str().unwrap(), b.to_str().unwrap()];
    let done = suite(folder.path(), &[&["export", "--csv", "all.csv"], &paths[..]].concat());
    assert_eq!((done.code, &done.out[..], &done.said[..]), (0, "", ""));
    assert_eq!(names(folder.path()), ["all.csv"]);
    let text = fs::read_to_string(folder.path().join("all.csv")).unwrap();
    let samples = names(&a).into_iter().filter(|name| a.join(name).is_dir());
    let rows: usize = samples.map(|sample| tree(1, &sample)["rows"].as_array().unwrap().len()).sum();
    assert_eq!(csv::Reader::from_reader(text.as_bytes()).records().map(Result::unwrap).count(), 2 * rows);
    // The same on the standard output, and what is named twice is there once.
    let done = suite(folder.path(), &[&["export", "--csv", "-"], &paths[..], &paths[..1]].concat());
    assert_eq!(done.out, text);
    let done = suite(folder.path(), &[&["export", "--samples", "--csv", "-"], &paths[..1]].concat());
    assert!(done.out.lines().count() > 1000 && done.out.starts_with("record,started,"), "{}", done.said);
}

#[test]
fn nothing_that_is_read_steers_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let name = "a\u{1b}[2J\u{202e}.json";
    fs::write(here.join(name), "{").unwrap();
    suite(here, &["export", "--csv", "-", name]).refused(2, &["reading a\\u{1b}[2J\\u{202e}.json: "]);
    // The name of a device turns what follows it around.
    let mut other = tree(1, "codegen");
    (other["device"]["name"], other["device"]["uuid"]) = ("H\u{202e}200".into(), "other".into());
    fs::write(here.join("other.json"), other.to_string()).unwrap();
    let good = h200(1).join("codegen/record.json");
    suite(here, &["compare", good.to_str().unwrap(), "other.json"]).refused(2, &["H\\u{202e}200"]);
}
