//! Tests that the schema and the reader accept the same records, and that the committed schema is current.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::{Value, json};

use super::*;
use crate::self_test::{Certificate, Check, CheckResult, Figure};
use crate::trace::Traced;
use crate::{Multiprocessors, SamplesFile, fixture, json::read_shape};

fn validator() -> Validator {
    jsonschema::validator_for(&serde_json::from_str(&schema().unwrap()).unwrap()).unwrap()
}

fn results() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results")
}

/// A record with every possible kind of content.
fn full() -> Record {
    let mut record = fixture::ratios();
    let mut certificate = Certificate { seconds: 0.4, checks: Vec::new() };
    let figure = || Figure { name: "longest".into(), value: 1.5, unit: "us".into() };
    let results = [CheckResult::Passed, CheckResult::Warned, CheckResult::Failed, CheckResult::Skipped];
    for result in results {
        certificate.checks.push(Check {
            name: "idle".into(),
            result,
            found: "0 %".into(),
            figures: vec![figure()],
        });
    }
    record.self_test = Some(certificate);
    record.device.multiprocessors = Some(Multiprocessors { count: 1, simds: 4, subgroups_per_simd: 8 });
    record.method.reference_mhz = Some(1980.0);
    record.samples_file =
        Some(SamplesFile { name: "samples.csv.gz".into(), sha256: "0".repeat(64), elsewhere: true });
    for other in [fixture::record(), fixture::limits(), fixture::traced()] {
        record.kernels.extend(other.kernels);
        record.rows.extend(other.rows);
    }
    for row in &mut record.rows {
        row.samples.truncate(1);
    }
    record
}

#[test]
fn the_published_schema_is_the_one_of_the_code() {
    let published = fs::read_to_string(results().join("record.schema.json")).unwrap_or_default();
    assert!(
        published == schema().unwrap(),
        "results/record.schema.json is stale: cargo run --bin suite -- dev schema results/record.schema.json"
    );
}

#[test]
fn the_schema_is_one_and_refers_to_nothing_outside_itself() {
    let schema: Value = serde_json::from_str(&schema().unwrap()).unwrap();
    assert!(jsonschema::meta::is_valid(&schema));
    assert_eq!(schema["$id"], format!("urn:hot-lap:record:{SCHEMA}"));
    each(&schema, "", &mut |path, value| {
        if path.ends_with("/$ref") {
            assert!(value.as_str().is_some_and(|to| to.starts_with("#/$defs/")), "{path}: {value}");
        }
        if let (true, Some(text)) = (path.ends_with("/description"), value.as_str()) {
            assert!(
                !text.contains("[`") && !text.contains("`None`") && !text.contains("]("),
                "{path}: {text}"
            );
        }
    });
}

#[test]
fn every_field_is_described() {
    let schema: Value = serde_json::from_str(&schema().unwrap()).unwrap();
    let mut fields = 0;
    each(&schema, "", &mut |path, value| {
        let described = value.get("description").is_some() || value.get("const").is_some();
        let is_field = path.rsplit('/').nth(1) == Some("properties")
            && !["Duration", "Lanes"].iter().any(|of| path.contains(&format!("/{of}/")));
        if is_field {
            assert!(described, "{path}");
            fields += 1;
        }
    });
    assert!(fields > 100, "{fields}");
}

#[test]
fn what_is_written_is_valid() {
    let validator = validator();
    let mut records = vec![full(), fixture::record(), fixture::ratios(), fixture::races()];
    records.extend([fixture::limits(), fixture::traced(), fixture::cpu()]);
    for record in records {
        let value = serde_json::to_value(&record).unwrap();
        if let Err(error) = validator.validate(&value) {
            panic!("{}: {error}", error.instance_path());
        }
    }
    let traced = full().rows.iter().filter(|row| matches!(row.trace, Some(Traced::Ok { .. }))).count();
    assert!(traced > 0, "nothing of a trace was validated");
    let mut newer = serde_json::to_value(full()).unwrap();
    newer["colour"] = json!("red");
    assert!(validator.is_valid(&newer), "unknown fields are ignored");
    newer["device"]["max_workgroup_size"] = json!([1024, 1024]);
    assert!(!validator.is_valid(&newer), "a workgroup has three sides");
}

#[test]
fn every_committed_record_is_valid_and_has_a_headline() {
    let validator = validator();
    let mut seen = 0;
    for path in records_below(&results()) {
        let text = crate::files::text(&path).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        if let Err(error) = validator.validate(&value) {
            panic!("{}: {}: {error}", path.display(), error.instance_path());
        }
        assert!(value["headline"]["finding"].is_string(), "{}: no headline", path.display());
        seen += 1;
    }
    assert!(seen > 20, "only {seen} records are committed");
}

fn records_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(records_below(&entry.path()));
        } else if entry.file_name() == "record.json" || entry.file_name() == crate::SENT {
            found.push(entry.path());
        }
    }
    found
}

/// Leaves out each field of a record in turn, and replaces it by one value of each type.
#[test]
fn schema_and_reader_are_of_one_mind() {
    let mut known = BTreeSet::new();
    let mut record = full();
    record.rows.retain(|row| !new_places(&serde_json::to_value(row).unwrap(), &mut known).is_empty());
    let mut whole = serde_json::to_value(record).unwrap();
    shorten(&mut whole);
    let validator = validator();
    let (mut valid, mut refused) = (0, 0);
    let mut judge = |record: &Value, change: &str| {
        let read = read_shape(&record.to_string());
        assert_eq!(validator.is_valid(record), read.is_ok(), "{change}: the reader says {:?}", read.err());
        if read.is_ok() { valid += 1 } else { refused += 1 }
    };
    for path in new_places(&whole, &mut BTreeSet::new()) {
        let mut record = whole.clone();
        remove(&mut record, &path);
        judge(&record, &format!("{path} left out"));
        let others = json!([null, true, 0.5, 0, -1, 1_u64 << 40, "?", [], {}]);
        for other in others.as_array().unwrap() {
            let mut record = whole.clone();
            *record.pointer_mut(&path).unwrap() = other.clone();
            judge(&record, &format!("{path} as {other}"));
        }
    }
    assert!(valid > 300 && refused > 1000, "{valid} valid, {refused} refused");
}

/// Pointers to the parts of `whole` that differ in kind from those in `known`: a thousand samples are alike.
fn new_places(whole: &Value, known: &mut BTreeSet<String>) -> Vec<String> {
    let mut places = Vec::new();
    each(whole, "", &mut |path, value| {
        let Some((above, _)) = path.rsplit_once('/') else { return };
        let above = whole.pointer(above).unwrap();
        let tag = ["is", "by", "how", "reason"].iter().find_map(|tag| above.get(tag)?.as_str());
        let names = path.split('/').map(|name| if name.parse::<usize>().is_ok() { "*" } else { name });
        let names: Vec<&str> = names.collect();
        if known.insert(format!("{names:?} {tag:?} {:?}", std::mem::discriminant(value))) {
            places.push(path.to_owned());
        }
    });
    places
}

/// Shortens lists, so that thousands of such records are checked in seconds.
fn shorten(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        Value::Array(items) => {
            if items.iter().all(|item| !item.is_object()) {
                items.truncate(4);
            }
            items.iter_mut().for_each(shorten);
        }
        _ => {}
    }
}

/// Calls `see` with each value and its JSON pointer.
fn each(value: &Value, path: &str, see: &mut impl FnMut(&str, &Value)) {
    see(path, value);
    match value {
        Value::Object(fields) => {
            fields
                .iter()
                .for_each(|(name, field)| each(field, &format!("{path}/{}", name.replace('/', "~1")), see));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| each(item, &format!("{path}/{i}"), see));
        }
        _ => {}
    }
}

fn remove(value: &mut Value, path: &str) {
    let (above, name) = path.rsplit_once('/').unwrap();
    match value.pointer_mut(above).unwrap() {
        Value::Object(fields) => drop(fields.remove(&name.replace("~1", "/"))),
        Value::Array(items) => drop(items.remove(name.parse().unwrap())),
        _ => unreachable!("{path} lies in no field and no list"),
    }
}
