//! What is refused, on one line.

use std::fs;

use crate::support::{h200, names, suite, tree};
use serde_json::{Value, json};

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
    let good = h200(2).join("codegen/record.json");
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

const END: &str = "<!-- suite: end -->\n";

/// What no call may change.
fn files() -> Vec<(&'static str, String)> {
    let mut late = tree(1, "codegen");
    late["schema"] = json!(99);
    let mut bare = tree(1, "codegen");
    (bare["bound"], bare["baseline"]) = (Value::Null, Value::Null);
    bare["rows"] = json!([]);
    let mut skipped = bare.clone();
    skipped["rows"] = json!([tree(1, "codegen")["rows"][0]]);
    skipped["rows"][0]["status"] = json!({ "is": "skipped", "reason": "made up" });
    vec![
        ("bad.json", r#"{"schema": 4}"#.into()),
        ("bare.json", bare.to_string()),
        ("broken/record.json", "{".into()),
        ("cut.json", tree(1, "codegen").to_string()[..5000].into()),
        ("empty/none", String::new()),
        ("late.json", late.to_string()),
        ("page-absent.md", format!("<!-- suite: table results/none -->\n{END}")),
        ("page-broken.md", format!("\n<!-- suite: table broken -->\n{END}")),
        ("page-end.md", END.into()),
        ("page-none.md", String::new()),
        ("skipped.json", skipped.to_string()),
    ]
}

#[test]
fn bad_input_is_refused_on_one_line_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, text) in files() {
        fs::create_dir_all(here.join(name).parent().unwrap()).unwrap();
        fs::write(here.join(name), text).unwrap();
    }
    let before = names(here);
    let [a, b] = [h200(1), h200(2)].map(|path| path.display().to_string());
    let good = format!("{a}/codegen/record.json");
    for (words, says) in [
        (format!("compare {a} nowhere"), "reading nowhere: No such file"),
        (format!("compare {a} empty"), "there is no record.json below empty"),
        (format!("compare {a} cut.json"), "reading cut.json: not a whole JSON document"),
        (format!("compare late.json {a}"), "reading late.json: schema: the record has version 99"),
        (format!("compare {a} /dev/zero"), "reading /dev/zero: larger than any record"),
        (format!("compare {a} {b} --json empty"), "cannot write empty: it is a folder"),
        (format!("compare {a} {b} --json no/where.json"), "the folder no does not exist"),
        (format!("compare {a}/codegen {b}/lds_blur"), "no record of the same sample"),
        // Not that it could be no flag but a value.
        (format!("compare {a} {b} --tolerance -1"), "-1 % is out of range: 0 to less than 100"),
        (format!("export --csv empty {good}"), "cannot write empty: it is a folder"),
        ("export --csv a.csv nowhere".into(), "reading nowhere"),
        ("export --csv a.csv empty".into(), "no record.json below empty"),
        (
            format!("export --csv a.csv {good} bad.json"),
            "reading bad.json: no record that a run has written: missing field",
        ),
        (format!("export {good}"), "--csv"),
        ("verify".into(), "required"),
        ("verify nowhere".into(), "reading nowhere"),
        ("verify bare.json".into(), "bare.json: rows: none has figures"),
        ("verify skipped.json".into(), "skipped.json: rows: none has figures"),
        ("verify . --tolerance -1".into(), "-1 % is out of range"),
        ("verify . --timeout -1".into(), "-1 is not in 1..=86400"),
        ("readme nowhere.md".into(), "suite: reading nowhere.md: "),
        (
            "readme page-absent.md".into(),
            "suite: page-absent.md:1: there is no record results/none/record.json",
        ),
        (
            "readme page-broken.md".into(),
            "suite: page-broken.md:2: reading broken/record.json: not a whole JSON",
        ),
        ("readme --check page-end.md".into(), "suite: page-end.md:1: there is no block that ends here"),
        ("readme --check page-none.md".into(), "suite: page-none.md:1: the page marks no block"),
    ] {
        suite(here, &words.split(' ').collect::<Vec<_>>()).refused(2, &[says]);
    }
    assert_eq!(names(here), before);
    for (name, text) in files() {
        assert!(fs::read_to_string(here.join(name)).unwrap() == text, "{name} has changed");
    }
}
