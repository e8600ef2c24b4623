//! Fuzzes everything that reads records: a corrupted record must be processed or refused with one line, which names
//! the field if the text is JSON.

use std::fs;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ::report::scene::png;
use ::report::{Charset, Theme, card_svg, table_in};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use record::error::one_line;
use record::{Headline, Record, SAMPLES, Value as Figure, json, parted, read_json, read_record};
use serde_json::{Value, json as value};

use crate::collect::{Found, RECORD};
use crate::compare::{Side, TOLERANCE, compare, table};
use crate::{cite, export, report, scripted, verify};

type Taker = fn(&Record) -> Result<(), String>;

/// All code that takes a record; each function returns an error message or nothing.
const TAKERS: [(&str, Taker); 8] = [
    ("compare", compared),
    ("verify", planned),
    ("judge", judged),
    ("table", drawn),
    ("report", reported),
    ("export", exported),
    ("cite", cited),
    ("card", carded),
];

fn exported(record: &Record) -> Result<(), String> {
    [false, true].into_iter().try_for_each(|samples| {
        let mut nowhere = csv::Writer::from_writer(std::io::sink());
        export::lines(record, "x".as_ref(), samples, &mut nowhere).map_err(|error| error.to_string())
    })
}

fn cited(record: &Record) -> Result<(), String> {
    let _ = cite::citation(record, "x".as_ref(), "0123");
    Ok(())
}

fn carded(record: &Record) -> Result<(), String> {
    let mut record = record.clone();
    let value = Figure { median: 1.5, interval: None, unit: "x".into() };
    record.headline.get_or_insert_with(|| Headline { value: Some(value), ..Headline::of("a claim") });
    let svg = card_svg(&record, Theme::Auto).map_err(|error| one_line(&error))?;
    png(&svg, 1.0).map(drop).map_err(|error| one_line(&error))
}

/// The record in a file with these bytes.
fn parse(bytes: &[u8]) -> anyhow::Result<Record> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(RECORD);
    fs::write(&file, bytes)?;
    read_record(&file)
}

fn side(record: Record) -> Side {
    Side { path: "x".into(), records: vec![Found { path: "x".into(), record }] }
}

fn reported(record: &Record) -> Result<(), String> {
    report::pages(record).map_err(|error| one_line(&error))
}

fn compared(record: &Record) -> Result<(), String> {
    for (before, after) in [(scripted::record(), record.clone()), (record.clone(), scripted::record())] {
        let compared = compare(&side(before), &side(after), TOLERANCE, true);
        let compared = compared.map_err(|error| one_line(&error))?;
        for room in [0, 60, 140] {
            let _ = table(Charset::Ascii, room, &compared, true);
        }
        serde_json::to_string(&compared).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn planned(record: &Record) -> Result<(), String> {
    let about = scripted::about();
    let plan = verify::plan::plan(record, &about.arguments, false).map_err(|error| one_line(&error))?;
    let _ = verify::plan::device(record, &about.devices);
    assert!(plan.limit <= Duration::from_secs(3600));
    let harmless = |word: &String| word.starts_with("--size=") || word.starts_with("--seed=");
    assert!(plan.arguments.iter().all(harmless), "{plan:?}");
    Ok(())
}

fn judged(record: &Record) -> Result<(), String> {
    let found = |record| Found { path: PathBuf::new(), record };
    let _ = verify::judged(&found(scripted::record()), &found(record.clone()), Some(0.01));
    Ok(())
}

fn drawn(record: &Record) -> Result<(), String> {
    for room in [1, 60, 140] {
        let _ = table_in(Charset::Ascii, record, room);
    }
    Ok(())
}

/// JSON pointers to every value of a tree.
fn places(value: &Value, at: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
            into.push(at.clone());
            places(value, &at, into);
        }),
        // The first samples stand for all of them.
        Value::Array(list) => list.iter().enumerate().take(4).for_each(|(index, value)| {
            let at = format!("{at}/{index}");
            into.push(at.clone());
            places(value, &at, into);
        }),
        _ => {}
    }
}

/// An unusual value to replace another one.
fn odd(rng: &mut Pcg64) -> Value {
    let deep = (0..200).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
    let odd = value!([
        null, true, 0, -1, 1e300, -1e-300, u64::MAX, i64::MIN, u32::MAX, "", "NaN", "Infinity",
        "\u{1b}[2J\u{7}\u{0}", "a\nb", "é".repeat(100_000), "../../etc/passwd", "--out", [], {}, [1, 2, 3],
        { "is": "ok" }, { "is": "wrong", "elements": 1, "first": "\u{202e}" }, deep,
    ]);
    let odd = odd.as_array().unwrap();
    odd[rng.random_range(0..odd.len())].clone()
}

/// Makes one random change to a tree.
fn spoil_tree(tree: &mut Value, rng: &mut Pcg64) {
    let mut all = Vec::new();
    places(tree, "", &mut all);
    let at = all[rng.random_range(0..all.len())].clone();
    let (parent, key) = at.rsplit_once('/').unwrap();
    let replaced = odd(rng);
    let factor = [0.0, -1.0, 1e-9, 0.5, 2.0, 1e9, 1e200][rng.random_range(0..7)];
    match rng.random_range(0..5) {
        0 => match tree.pointer_mut(parent).unwrap() {
            Value::Object(fields) => drop(fields.remove(key)),
            Value::Array(list) => drop(list.remove(key.parse().unwrap())),
            _ => {}
        },
        1 => match tree.pointer_mut(parent).unwrap() {
            Value::Array(list) => list.push(list[0].clone()),
            Value::Object(fields) => drop(fields.insert("unknown".into(), replaced)),
            _ => {}
        },
        2 => {
            let place = tree.pointer_mut(&at).unwrap();
            if let Some(number) = place.as_f64() {
                *place = value!(number * factor);
            }
        }
        _ => *tree.pointer_mut(&at).unwrap() = replaced,
    }
}

/// Makes an unusual change that is still valid in a record.
fn bend(tree: &mut Value, rng: &mut Pcg64) {
    let factor = [1e-6, 0.5, 1.02, 3.0, 1e6][rng.random_range(0..5)];
    match rng.random_range(0..8) {
        0 => tree["configuration"] = value!({}),
        1 => tree["device"]["name"] = value!("–"),
        2 => tree["device"]["kind"] = value!("cpu"),
        3 => tree["method"]["repetitions"] = value!([1, 2, 4_294_967_295_u32][rng.random_range(0..3)]),
        4 => tree["ended"] = value!({ "how": "failed", "reason": "x\ny" }),
        5 => tree["rows"] = value!([]),
        _ => {}
    }
    for row in tree["rows"].as_array_mut().unwrap() {
        match rng.random_range(0..10) {
            0 => row["samples"] = value!([]),
            1 => row["isolated_us"] = Value::Null,
            2 => row["status"] = value!({ "is": "wrong", "elements": u64::MAX, "first": "" }),
            3 => row["status"] = value!({ "is": "throttled", "reason": "" }),
            4 => row["near_floor"] = value!(true),
            5 => row["racy"] = Value::Null,
            6 => row["variant"] = value!(format!("{}-{}", row["variant"], "x".repeat(200))),
            7 => row["samples"].as_array_mut().unwrap().iter_mut().for_each(|sample| {
                sample["one_us"] = value!(sample["one_us"].as_f64().unwrap() * factor);
            }),
            _ => {}
        }
    }
}

/// A randomly corrupted record.
fn spoiled(text: &str, tree: &Value, rng: &mut Pcg64) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let at = rng.random_range(0..bytes.len());
    match rng.random_range(0..14) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << rng.random_range(0..8),
        2 => bytes[at] = 0xff,
        3 => {
            let until = (at + rng.random_range(1..400)).min(bytes.len());
            bytes.drain(at..until);
        }
        4 => {
            // A duplicated line duplicates a field.
            let mut lines: Vec<&str> = text.lines().collect();
            let at = rng.random_range(0..lines.len());
            lines.insert(at, lines[at]);
            bytes = lines.join("\n").into_bytes();
        }
        5 => {
            let number = ["1e999", "-1e999", "NaN", "0x10", "1e-999", "99999999999999999999999"][at % 6];
            let digit = text[at..].find(|c: char| c.is_ascii_digit()).map_or(0, |found| at + found);
            bytes.splice(digit..=digit, number.bytes());
        }
        6..9 => {
            let mut tree = tree.clone();
            bend(&mut tree, rng);
            bytes = tree.to_string().into_bytes();
        }
        9 => {
            bytes = [Vec::new(), b"{".to_vec(), b"[".repeat(100_000), b"null".to_vec(), vec![0; 64]][at % 5]
                .clone()
        }
        _ => {
            let mut tree = tree.clone();
            for _ in 0..rng.random_range(1..4) {
                spoil_tree(&mut tree, rng);
            }
            bytes = tree.to_string().into_bytes();
        }
    }
    bytes
}

/// Small records: two scripted ones and two measured ones.
fn originals() -> Vec<String> {
    let mut texts = vec![json(&scripted::record()).unwrap()];
    let mut clocked = scripted::record();
    scripted::clocked(&mut clocked, 1980.0);
    texts.push(json(&clocked).unwrap());
    for run in ["2026-11-30-nvidia-h200-suite/codegen", "2026-11-30-nvidia-h200-suite-again/lds_blur"] {
        let path = format!("{}/../results/{run}/record.json", env!("CARGO_MANIFEST_DIR"));
        texts.push(json(&read_record(path.as_ref()).unwrap()).unwrap());
    }
    texts
}

/// Checks the form of an error message. The path of a field precedes its colon.
fn check_refusal(bytes: &[u8], message: &str) {
    assert!(!message.contains('\n') && !message.contains('\u{1b}') && message.len() < 600, "{message}");
    let parsed = serde_json::from_slice::<Value>(bytes);
    let Ok(tree) = parsed else { return };
    let at_top = tree.as_object().is_none_or(|fields| !fields.contains_key("schema"));
    let names_field = message.split(": ").any(|part| {
        let first = part.split(['.', '[']).next().unwrap_or_default();
        ["schema", "missing field", "duplicate field"].iter().any(|word| part.contains(word))
            || tree.get(first).is_some()
    });
    assert!(at_top || names_field, "no field in: {message}");
}

/// A record with every kind of text that a record can hold.
fn wordy() -> Value {
    let mut tree = value!(scripted::record());
    tree["rows"][0]["stop"] = value!({ "reason": "budget", "unmet": ["3 of 10 samples", "1 of 50 ms"] });
    tree["rows"][0]["published"] =
        value!({ "value": 1.5, "unit": "a baseline", "device": "GCN", "source": "slide 3" });
    tree["rows"][0]["cell"] = value!({ "table": "t", "row": "r", "column": "c" });
    tree["rows"][0]["declared"] = value!({ "limit": "copy_limit", "work": { "count": 1, "unit": "u" },
        "predicted": { "what": "ops", "value": 1.0 } });
    tree["rows"][0]["trace"] = value!({ "is": "refused", "reason": "no clock" });
    tree["rows"][0]["promise"] = value!({ "by": "hardware", "relies_on": "order" });
    tree["rows"][1]["promise"] = value!({ "by": "nothing", "leaves_out": "a barrier" });
    tree["rows"][1]["status"] = value!({ "is": "wrong", "elements": 1, "first": "texel 1" });
    tree["rows"][2]["status"] = value!({ "is": "throttled", "reason": "at 300 MHz" });
    tree["self_test"] = value!({ "seconds": 1.0, "checks": [{ "name": "clock", "result": "passed",
        "found": "fine", "figures": [{ "name": "median", "value": 1.0, "unit": "us" }] }] });
    tree["device"]["second_queue_family"] = value!("1: compute");
    tree["host"]["processor"] = value!("a CPU");
    tree["method"]["tools"] = value!(["a tool"]);
    tree["notes"] = value!(["a note"]);
    tree["matrix"] = value!({ "corner": "tile", "shows": "times" });
    tree["bound"] = value!("quick");
    tree["verdict"] = value!("It is as it is.");
    tree["ended"] = value!({ "how": "failed", "reason": "lost" });
    tree
}

#[test]
fn no_text_of_a_record_steers_a_terminal() {
    let tree = wordy();
    parse(tree.to_string().as_bytes()).unwrap();
    let mut all = Vec::new();
    places(&tree, "", &mut all);
    let texts: Vec<&String> = all.iter().filter(|at| tree.pointer(at).unwrap().is_string()).collect();
    assert!(texts.len() > 60, "{texts:?}");
    for at in texts {
        let mut spoiled = tree.clone();
        let place = spoiled.pointer_mut(at).unwrap();
        *place = value!(format!("{}\u{1b}[2J", place.as_str().unwrap()));
        let bytes = spoiled.to_string().into_bytes();
        match parse(&bytes) {
            Ok(_) => panic!("{at} may hold an escape"),
            Err(error) => check_refusal(&bytes, &one_line(&error)),
        }
    }
    for at in ["/configuration", "/kernels/0/constants"] {
        let mut spoiled = tree.clone();
        spoiled.pointer_mut(at).unwrap()["\u{1b}c"] =
            if at == "/configuration" { value!("x") } else { value!(1) };
        let bytes = spoiled.to_string().into_bytes();
        check_refusal(&bytes, &one_line(&parse(&bytes).unwrap_err()));
    }
}

#[test]
fn spoiled_records_are_processed_or_refused() {
    spoil(0..1000);
}

/// Further records, as many as a night has time for: `scripts/test --long`.
#[test]
fn many_spoiled_records_are_processed_or_refused() {
    if std::env::var_os("HOTLAP_LONG").is_some() {
        spoil(1000..20_000);
    }
}

/// Reads a corrupted record for each seed, and passes records that are accepted to all commands.
fn spoil(seeds: Range<u64>) {
    let originals: Vec<(String, Value)> = originals()
        .into_iter()
        .map(|text| {
            let tree = serde_json::from_str(&text).unwrap();
            (text, tree)
        })
        .collect();
    let (mut read, mut refused) = (0, 0);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let mut rng = Pcg64::seed_from_u64(seed);
        let (text, tree) = &originals[rng.random_range(0..originals.len())];
        let bytes = spoiled(text, tree, &mut rng);
        let began = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| parse(&bytes))) {
            Err(_) => panic!("reading record {seed} panics"),
            Ok(Err(error)) => {
                refused += 1;
                check_refusal(&bytes, &one_line(&error));
            }
            Ok(Ok(record)) => {
                read += 1;
                take(seed, &record);
            }
        }
        assert!(began.elapsed() < Duration::from_secs(60), "record {seed} takes {:?}", began.elapsed());
    }
    println!("{read} processed, {refused} refused");
    assert!(read > count / 5 && refused > count / 2, "{read} processed, {refused} refused");
}

fn take(seed: u64, record: &Record) {
    for (name, taker) in TAKERS {
        match catch_unwind(AssertUnwindSafe(|| taker(record))) {
            Err(_) => panic!("{name} panics at record {seed}"),
            Ok(Err(line)) => assert!(!line.contains('\n') && !line.contains('\u{1b}'), "{line}"),
            Ok(Ok(())) => {}
        }
    }
}

/// If one file of a pair is corrupted, the record is read unchanged or refused.
#[test]
fn spoiled_samples_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (file, beside) = (folder.path().join(RECORD), folder.path().join(SAMPLES));
    let (bare, samples) = parted(&scripted::record()).unwrap();
    fs::write(&file, json(&bare).unwrap()).unwrap();
    fs::write(&beside, &samples).unwrap();
    assert!(read_json(&json(&bare).unwrap()).unwrap_err().to_string().contains(SAMPLES));
    let whole = json(&read_record(&file).unwrap()).unwrap();
    for seed in 0..400 {
        let mut rng = Pcg64::seed_from_u64(seed);
        let mut bytes = samples.clone();
        let at = rng.random_range(0..bytes.len());
        match rng.random_range(0..4) {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << rng.random_range(0..8),
            2 => drop(bytes.drain(at..(at + 20).min(samples.len()))),
            _ => bytes.extend_from_slice(&samples[at..]),
        }
        fs::write(&beside, &bytes).unwrap();
        match catch_unwind(AssertUnwindSafe(|| read_record(&file))) {
            Err(_) => panic!("reading samples {seed} panics"),
            // The header of a gzip file has fields that are not used, such as a date.
            Ok(Ok(read)) => assert!(json(&read).unwrap() == whole, "samples {seed} are read as others"),
            Ok(Err(error)) => {
                let line = one_line(&error);
                assert!(line.contains("samples_file: samples.csv.gz ") && !line.contains('\n'), "{line}");
            }
        }
    }
}
