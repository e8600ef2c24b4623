//! What is refused, on one line.

use std::fs;

use crate::support::{h100, h200, names, suite, tree};
use serde_json::{Value, json};

const END: &str = "<!-- suite: end -->\n";

/// What no call may change.
fn files() -> Vec<(&'static str, String)> {
    let mut late = tree(1, "codegen");
    late["schema"] = json!(99);
    let mut odd = tree(1, "codegen");
    odd["rows"][1]["variant"] = json!("\u{1b}[2J");
    let mut bare = tree(1, "codegen");
    (bare["bound"], bare["baseline"]) = (Value::Null, Value::Null);
    (bare["headline"]["compared"], bare["rows"]) = (Value::Null, json!([]));
    let mut skipped = bare.clone();
    skipped["rows"] = json!([tree(1, "codegen")["rows"][0]]);
    skipped["rows"][0]["status"] = json!({ "is": "skipped", "reason": "made up" });
    let mut early = tree(1, "codegen");
    early["headline"] = Value::Null;
    vec![
        ("early.json", early.to_string()),
        ("bad.json", r#"{"schema": 4}"#.into()),
        ("bare.json", bare.to_string()),
        ("broken/record.json", "{".into()),
        ("cut.json", tree(1, "codegen").to_string()[..5000].into()),
        ("empty/none", String::new()),
        ("late.json", late.to_string()),
        ("odd.json", odd.to_string()),
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
    let new = h100().join("bloom").display().to_string();
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
        ("card nowhere".into(), "reading nowhere: No such file"),
        ("card empty".into(), "there is no record.json below empty"),
        ("card bad.json".into(), "reading bad.json: no record that a run has written"),
        (format!("card {a}"), ": there are 31 records here: name one of them"),
        (
            "card early.json".into(),
            "early.json: has no headline: it is of an earlier version; measure it again",
        ),
        (format!("card {new} --out a.pdf"), "'a.pdf' does not say its form: a card is a file .svg or .png"),
        (format!("card {new} --out no/a.svg"), "cannot write no/a.svg: the folder no does not exist"),
        (format!("card {new} --theme red"), "invalid value 'red'"),
        ("cite nowhere".into(), "reading nowhere: No such file"),
        ("cite cut.json".into(), "reading cut.json: not a whole JSON document"),
        (format!("cite {a}"), ": there are 31 records here: name one of them"),
        ("cite /dev/null".into(), "/dev/null: is no file: name a record.json or its folder"),
        ("verify".into(), "required"),
        ("verify nowhere".into(), "reading nowhere"),
        ("verify cut.json".into(), "reading cut.json: not a whole JSON document"),
        ("verify odd.json".into(), "reading odd.json: no record that a run has written: rows[1].variant: "),
        ("verify bare.json".into(), "bare.json: rows: none has figures"),
        ("verify skipped.json".into(), "skipped.json: rows: none has figures"),
        ("verify . --tolerance -1".into(), "-1 % is out of range"),
        ("verify . --timeout -1".into(), "-1 is not in 1..=86400"),
        ("dev readme nowhere.md".into(), "suite: reading nowhere.md: "),
        (
            "dev readme page-absent.md".into(),
            "suite: page-absent.md:1: there is no record results/none/record.json",
        ),
        (
            "dev readme page-broken.md".into(),
            "suite: page-broken.md:2: reading broken/record.json: not a whole JSON",
        ),
        ("dev readme --check page-end.md".into(), "suite: page-end.md:1: there is no block that ends here"),
        ("dev readme --check page-none.md".into(), "suite: page-none.md:1: the page marks no block"),
    ] {
        suite(here, &words.split(' ').collect::<Vec<_>>()).refused(2, &[says]);
    }
    assert_eq!(names(here), before);
    for (name, text) in files() {
        assert!(fs::read_to_string(here.join(name)).unwrap() == text, "{name} has changed");
    }
}
