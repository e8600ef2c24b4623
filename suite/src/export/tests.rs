//! Tests that every figure can be read back from the file.

use record::{Published, Racy, json};

use record::Status;

use super::*;
use crate::scripted;

/// The lines of the file for these records, as maps from heading to cell.
fn exported(records: &[Record], samples: bool) -> Vec<BTreeMap<String, String>> {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<PathBuf> = records
        .iter()
        .enumerate()
        .map(|(at, record)| {
            let path = folder.path().join(format!("{at}.json"));
            std::fs::write(&path, json(record).unwrap()).unwrap();
            path
        })
        .collect();
    let mut text = Vec::new();
    write(&mut text, &files, samples).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_slice());
    let heads = reader.headers().unwrap().clone();
    let line = |line: csv::StringRecord| {
        heads.iter().map(str::to_owned).zip(line.iter().map(str::to_owned)).collect()
    };
    reader.records().map(|record| line(record.unwrap())).collect()
}

#[test]
fn a_line_for_each_variant() {
    let mut record = scripted::record();
    record.configuration.insert("note".into(), "a \"b\", c\nd".into());
    let row = &mut record.rows[1];
    row.racy = Some(Racy { samples: 40, racy_samples: 3, median: 0.5, max: 9, long_max: 11, of: 64 });
    row.published = Some(Published {
        value: 1.25,
        unit: "÷ x".into(),
        device: "+Vega".into(),
        source: "=HYPERLINK(\"x\")".into(),
    });
    record.rows[2].status = Status::Wrong { elements: 3, first: "texel 1".into() };
    let lines = exported(&[record.clone(), scripted::record()], false);
    assert_eq!(lines.len(), 6);
    let line = &lines[1];
    let row = &record.rows[1];
    let isolated = row.isolated_us.unwrap();
    assert_eq!(line["variant"], "baseline");
    assert_eq!(line["finding"], "events take 1.20x as long as a barrier");
    assert_eq!(line["outcome"], "does not hold");
    assert_eq!(line["configuration"], "note=a \"b\", c\nd;passes=8;size=64x64");
    for (head, value) in [
        ("isolated_us", isolated.median),
        ("isolated_low_us", isolated.median_95.unwrap().low),
        ("isolated_high_us", isolated.median_95.unwrap().high),
        ("pipelined_us", row.pipelined_us.unwrap().median),
        ("racy_median", 0.5),
        ("published", 1.25),
    ] {
        assert_eq!(line[head].parse(), Ok(value), "{head}");
    }
    assert_eq!([&line["n"], &line["racy_samples"], &line["racy_long_max"]], ["40", "3", "11"]);
    // Text is written unchanged, even if a spreadsheet would interpret it.
    assert_eq!([&line["published_device"], &line["published_source"]], ["+Vega", "=HYPERLINK(\"x\")"]);
    assert_eq!([&line["to_bound"], &line["clock_mhz"]], ["", ""]);
    assert_eq!(
        [&lines[2]["status"], &lines[2]["reason"]],
        ["wrong", "3 elements differ, the first: texel 1"]
    );
}

#[test]
fn a_line_for_each_sample_and_outliers_are_labelled() {
    let mut record = scripted::record();
    record.rows[0].samples[5].one_us = 500.0;
    record.rows[0].samples[6].many_us = None;
    scripted::clocked(&mut record, 1980.5);
    scripted::summarise(&mut record);
    let lines = exported(std::slice::from_ref(&record), true);
    assert_eq!(lines.len(), 120);
    for row in &record.rows {
        let own: Vec<_> = lines.iter().filter(|line| line["variant"] == row.variant).collect();
        let outliers = own.iter().filter(|line| line["outlier"] == "true").count();
        assert_eq!(outliers, row.isolated_us.unwrap().outliers, "{}", row.variant);
        for (line, sample) in own.iter().zip(&row.samples) {
            assert_eq!(line["one_us"].parse(), Ok(sample.one_us));
            assert_eq!(line["many_us"].parse().ok(), sample.many_us);
            assert_eq!((line["round"].parse(), &line["one_mhz"][..]), (Ok(sample.round), "1980.5"));
        }
    }
    assert_eq!((&lines[5]["outlier"][..], &lines[6]["many_us"][..]), ("true", ""));
}

#[test]
fn records_without_rows_have_the_same_columns() {
    let mut bare = scripted::record();
    bare.rows.clear();
    for samples in [false, true] {
        let (mut empty, folder) = (Vec::new(), tempfile::tempdir().unwrap());
        let file = folder.path().join("a.json");
        std::fs::write(&file, json(&bare).unwrap()).unwrap();
        write(&mut empty, &[file], samples).unwrap();
        let heads = String::from_utf8(empty).unwrap();
        let full = exported(&[scripted::record()], samples);
        assert_eq!(heads.trim().split(',').count(), full[0].len());
        assert!(heads.trim().split(',').all(|head| full[0].contains_key(head)), "{heads}");
    }
}
