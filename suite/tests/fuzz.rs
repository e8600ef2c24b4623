//! A dozen spoiled records through the program itself: an exit code of its own and one line each.

#![allow(clippy::unwrap_used, reason = "a test ends where its tools fail")]

mod support;

use std::fs;

use serde_json::{Value, json};
use support::{suite, tree, twin};

fn spoiled() -> Vec<(&'static str, Vec<u8>)> {
    let tree = tree(1, "codegen");
    let text = tree.to_string();
    let with = |pointer: &str, value: Value| {
        let mut tree = tree.clone();
        *tree.pointer_mut(pointer).unwrap() = value;
        tree.to_string().into_bytes()
    };
    vec![
        ("a whole JSON document", Vec::new()),
        ("a whole JSON document", text.as_bytes()[..text.len() / 3].to_vec()),
        ("a whole JSON document", b"[".repeat(200_000)),
        ("byte 0 is not UTF-8", b"\xff\xfe{}".to_vec()),
        ("no field `schema`", b"[1, 2, 3]".to_vec()),
        ("rows: invalid type", with("/rows", json!("none"))),
        ("rows[0].isolated_us.n", with("/rows/0/isolated_us/n", json!(-1))),
        ("rows[1].samples[2].one_us: ", with("/rows/1/samples/2/one_us", json!("NaN"))),
        ("rows[1].samples[2].one_us: 0 is", with("/rows/1/samples/2/one_us", json!(0))),
        ("method.floor_us: ", with("/method/floor_us", json!(1e300))),
        ("rows[1].variant: ", with("/rows/1/variant", json!("\u{1b}[2J"))),
        ("rows[1].variant: 'mt_multiply' is there twice", with("/rows/1/variant", json!("mt_multiply"))),
        ("baseline: there is no row", with("/baseline", json!("nothing"))),
        ("started: is no date", with("/started", json!("soon"))),
    ]
}

#[test]
fn spoiled_files_are_refused_by_name_and_field() {
    let folder = tempfile::tempdir().unwrap();
    let good = twin(2).join("codegen/record.json");
    let good = good.to_str().unwrap();
    for (part, bytes) in spoiled() {
        fs::write(folder.path().join("bad.json"), bytes).unwrap();
        let calls: [&[&str]; 4] = [
            &["compare", "bad.json", good],
            &["compare", good, "bad.json"],
            &["verify", "bad.json"],
            &["export", "--csv", "-", "bad.json"],
        ];
        for words in calls {
            suite(folder.path(), words).refused(2, &["reading bad.json", part]);
        }
    }
}
