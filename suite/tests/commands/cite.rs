//! `suite cite` as a user calls it.

use std::fs;

use crate::support::{h100, h200, suite, tree};

#[test]
fn a_finding_is_cited_in_three_forms() {
    let done = suite(&h100(), &["cite", "pipelined_events"]);
    assert_eq!((done.code, done.said.as_str()), (0, ""));
    insta::assert_snapshot!("pipelined_events", done.out);
    let whole = suite(&h100(), &["cite", "pipelined_events/record.json"]);
    assert_eq!(whole.out, done.out);
}

#[test]
fn a_record_of_an_earlier_version_is_cited_without_a_finding() {
    let folder = tempfile::tempdir().unwrap();
    let mut record = tree(1, "codegen");
    record["headline"] = serde_json::Value::Null;
    fs::write(folder.path().join("record.json"), record.to_string()).unwrap();
    let done = suite(folder.path(), &["cite", "record.json"]);
    assert_eq!((done.code, done.said.as_str()), (0, ""));
    let (_, hash) = done.out.split_once("sha256:").unwrap();
    insta::assert_snapshot!("earlier", done.out.replace(&hash[..64], "HASH").replace(&hash[..8], "HASH"));
}

#[test]
fn the_picture_is_the_one_that_card_writes() {
    let folder = tempfile::tempdir().unwrap();
    let record = h100().join("wave_launch");
    let [card, cite] =
        ["card", "cite"].map(|command| suite(folder.path(), &[command, record.to_str().unwrap()]));
    assert_eq!((card.code, cite.code), (0, 0));
    let picture = cite.out.split_once("](./").unwrap().1.split(')').next().unwrap();
    assert!(folder.path().join(picture).is_file(), "{picture}");
}

#[test]
fn the_hash_is_that_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(h200(1).join("codegen/record.json")).unwrap();
    fs::copy(h200(1).join("codegen/samples.csv.gz"), folder.path().join("samples.csv.gz")).unwrap();
    let hash = |text: &str| {
        fs::write(folder.path().join("record.json"), text).unwrap();
        let done = suite(folder.path(), &["cite", "record.json"]);
        let hashes: Vec<_> = done.out.split("sha256:").skip(1).map(|rest| rest[..64].to_owned()).collect();
        assert!(hashes.len() == 3 && hashes.iter().all(|hash| *hash == hashes[0]), "{}", done.out);
        hashes[0].clone()
    };
    assert_ne!(hash(&text), hash(&format!("{text} ")), "a blank makes another file");
}

/// What is cited as software has the version that records name.
#[test]
fn the_citation_file_has_this_version() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../CITATION.cff")).unwrap();
    let version = text.lines().find_map(|line| line.strip_prefix("version: "));
    assert_eq!(version, Some(env!("CARGO_PKG_VERSION")));
}
