//! Records on disk: a single file, or `record.json` with its compressed samples in a second file; and the small form
//! that is sent to others.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::csv::{csv, read_samples};
use crate::json::{NO_RECORD, read_shape, shortened};
use crate::validate::validate;
use crate::{Record, SamplesFile};

/// Name of the file of compressed samples in the folder of a run.
pub const SAMPLES: &str = "samples.csv.gz";

/// Name of a record's file in a folder that is sent to others.
pub const SENT: &str = "record.json.gz";

/// Upper limit in bytes of a record and of decompressed samples: a hundred times the largest known.
const LARGEST: u64 = 256 << 20;

/// A copy of the record without its samples that names their file, and the content of that file.
///
/// # Errors
/// Only if memory runs out.
pub fn parted(record: &Record) -> Result<(Record, Vec<u8>)> {
    let text = csv(record)?;
    let mut bare = record.clone();
    bare.rows.iter_mut().for_each(|row| row.samples = Vec::new());
    bare.samples_file =
        Some(SamplesFile { name: SAMPLES.into(), sha256: sha256(text.as_bytes()), elsewhere: false });
    Ok((bare, packed(text.as_bytes()).context("packing the samples")?))
}

pub(crate) fn packed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes)?;
    packed.finish()
}

/// The content of a [`SENT`] file: the record as compressed JSON, without its samples but with their hash, figures
/// rounded to seven digits, and each text as `plain` leaves it.
///
/// # Errors
/// If the result is no valid record, or memory runs out.
pub fn sent(record: &Record, plain: &dyn Fn(&str) -> String) -> Result<Vec<u8>> {
    let (mut bare, _) = parted(record)?;
    bare.samples_file.iter_mut().for_each(|file| file.elsewhere = true);
    let mut value = serde_json::to_value(&bare).context("the record has no form in JSON")?;
    simplify(&mut value, plain);
    let text = value.to_string();
    validate(&read_shape(&text)?).context(NO_RECORD)?;
    packed(text.as_bytes()).context("packing the record")
}

/// Rounding keeps the order of figures, so that a minimum stays below its median.
fn simplify(value: &mut Value, plain: &dyn Fn(&str) -> String) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let rounded = number.as_f64().and_then(|figure| format!("{figure:.6e}").parse::<f64>().ok());
            *value = rounded.map_or(Value::Null, Value::from);
        }
        Value::String(text) => *text = plain(text),
        Value::Array(list) => list.iter_mut().for_each(|value| simplify(value, plain)),
        Value::Object(fields) => fields.values_mut().for_each(|value| simplify(value, plain)),
        _ => {}
    }
}

/// Reads a record, with the samples from the file that it names. A file whose name ends in `.gz` is unpacked.
///
/// # Errors
/// If a file cannot be read, is no valid record (see [`crate::read_json`]), or the samples belong to another record.
/// The message begins with the path.
pub fn read_record(path: &Path) -> Result<Record> {
    let read = || -> Result<Record> {
        let mut record = read_shape(&text(path)?)?;
        if let Some(file) = record.samples_file.take_if(|file| !file.elsewhere) {
            join(&mut record, &file, path).context("samples_file")?;
        }
        validate(&record).context(NO_RECORD)?;
        Ok(record)
    };
    read().with_context(|| format!("reading {}", path.display()))
}

/// The text of a record's file, unpacked if its name ends in `.gz`.
///
/// # Errors
/// If it cannot be read or is no text.
pub(crate) fn text(path: &Path) -> Result<String> {
    let bytes = content(File::open(path)?)?;
    let is_packed = path.extension().is_some_and(|ending| ending == "gz");
    text_of(if is_packed { unpacked(&bytes[..]).context("it is cut or damaged")? } else { bytes })
}

/// The content of a record's file as text.
///
/// # Errors
/// If it is not UTF-8.
fn text_of(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes)
        .map_err(|error| anyhow!("not a text file: byte {} is not UTF-8", error.utf8_error().valid_up_to()))
}

/// Reads the samples of `record` from the file in the folder of `path`.
fn join(record: &mut Record, file: &SamplesFile, path: &Path) -> Result<()> {
    let name = shortened(&file.name);
    // A record is untrusted input: it must not name a file in another folder.
    let plain = Path::new(&file.name).file_name().is_some_and(|plain| plain == file.name.as_str());
    ensure!(plain, "'{name}' is not the name of a file beside the record");
    ensure!(
        record.rows.iter().all(|row| row.samples.is_empty()),
        "the record names a file of samples and holds samples itself"
    );
    let beside = path.with_file_name(&file.name);
    // Opening a pipe could block forever.
    ensure!(beside.is_file(), "{name} is missing beside it: copy both files");
    let packed = File::open(beside).with_context(|| format!("reading {name}"))?;
    let damaged = || format!("{name} is cut or damaged: restore both files from one run");
    let text = unpacked(packed).with_context(damaged)?;
    ensure!(
        sha256(&text) == file.sha256,
        "{name} has the samples of another run, or was changed: its SHA-256 is not the one that the record names"
    );
    read_samples(&text, &mut record.rows).with_context(damaged)
}

fn unpacked(packed: impl Read) -> Result<Vec<u8>> {
    bytes(GzDecoder::new(packed), LARGEST)
}

/// SHA-256 in hex.
#[must_use]
pub fn sha256(text: &[u8]) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The content of a file. A file that is too large is refused before it is read; a pipe has no size in advance.
fn content(file: File) -> Result<Vec<u8>> {
    let length = file.metadata()?.len();
    ensure!(length <= LARGEST, too_large(LARGEST));
    bytes(file, LARGEST)
}

fn too_large(largest: u64) -> String {
    format!("larger than any record ({} MiB)", largest >> 20)
}

/// Reads everything; fails if it is more than `largest` bytes.
fn bytes(from: impl Read, largest: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(largest + 1).read_to_end(&mut bytes)?;
    let fits = u64::try_from(bytes.len()).is_ok_and(|length| length <= largest);
    ensure!(fits, too_large(largest));
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{fixture, json::json};
    use serde_json::Value;

    /// A folder with a record and its samples.
    fn kept(record: &Record) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let (bare, samples) = parted(record).unwrap();
        fs::write(folder.path().join("record.json"), json(&bare).unwrap()).unwrap();
        fs::write(folder.path().join(SAMPLES), samples).unwrap();
        folder
    }

    fn refusal(folder: &Path) -> String {
        let message = crate::error::one_line(&read_record(&folder.join("record.json")).unwrap_err());
        assert!(message.contains("record.json: samples_file: ") && !message.contains('\n'), "{message}");
        message
    }

    #[test]
    fn every_digit_comes_back() {
        let mut record = fixture::record();
        let odd = [0.1 + 0.2, f64::MIN_POSITIVE, 1.0 / 3.0, 5e-324, 1_971.965_883_668_903_9, 1e15];
        for (sample, odd) in record.rows[0].samples.iter_mut().zip(odd.into_iter().cycle()) {
            (sample.one_us, sample.many_mhz, sample.record_us) = (odd, Some(odd), Some(odd));
        }
        record.rows[0].isolated_us = None;
        for record in [record, fixture::record(), fixture::races(), fixture::traced(), fixture::cpu()] {
            let folder = kept(&record);
            let read = read_record(&folder.path().join("record.json")).unwrap();
            assert_eq!(json(&read).unwrap(), json(&record).unwrap());
            assert!(!fs::read_to_string(folder.path().join("record.json")).unwrap().contains("one_us"));
        }
    }

    #[test]
    fn what_is_sent_is_the_record_without_samples() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(SENT);
        for mut record in [fixture::record(), fixture::races(), fixture::traced(), fixture::cpu()] {
            record.notes.push("in /home/me/runs".into());
            let hash = parted(&record).unwrap().0.samples_file.unwrap().sha256;
            fs::write(&path, sent(&record, &|text| text.replace("/home/me", "~")).unwrap()).unwrap();
            let read = read_record(&path).unwrap();
            let file = read.samples_file.as_ref().unwrap();
            assert_eq!((&file.sha256, file.elsewhere), (&hash, true));
            assert_eq!(read.notes.last().unwrap(), "in ~/runs");
            assert_eq!(read.rows.len(), record.rows.len());
            for (read, row) in read.rows.iter().zip(&record.rows) {
                assert!(read.samples.is_empty());
                let [read, exact] = [read, row].map(|row| row.isolated_us.map_or(0.0, |us| us.median));
                assert!((read - exact).abs() <= 1e-6 * exact, "{read} instead of {exact}");
            }
            fs::write(&path, &fs::read(&path).unwrap()[..99]).unwrap();
            let message = format!("{:#}", read_record(&path).unwrap_err());
            assert!(message.contains("record.json.gz: it is cut or damaged"), "{message}");
        }
    }

    #[test]
    fn a_file_with_everything_is_read() {
        let folder = kept(&fixture::races());
        let whole = json(&fixture::record()).unwrap();
        fs::write(folder.path().join("record.json"), &whole).unwrap();
        assert_eq!(json(&read_record(&folder.path().join("record.json")).unwrap()).unwrap(), whole);
    }

    /// Version 1, with samples inside the record, and without what later versions added.
    #[test]
    fn the_first_version_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut first: Value = serde_json::from_str(&json(&fixture::record()).unwrap()).unwrap();
        first["schema"] = 1.into();
        for later in ["headline", "self_test", "samples_file", "matrix"] {
            first.as_object_mut().unwrap().remove(later);
        }
        for row in first["rows"].as_array_mut().unwrap() {
            let row = row.as_object_mut().unwrap();
            row.retain(|field, _| !["label", "cell", "work", "trace"].contains(&&**field));
        }
        let path = folder.path().join("record.json");
        fs::write(&path, first.to_string()).unwrap();
        let record = read_record(&path).unwrap();
        assert_eq!((record.schema, record.headline.is_none()), (1, true));
        assert!(record.rows.iter().all(|row| row.label() == row.variant));
    }

    #[test]
    fn samples_of_another_run_are_refused() {
        let (folder, other) = (kept(&fixture::record()), kept(&fixture::races()));
        let samples = folder.path().join(SAMPLES);
        let right = fs::read(&samples).unwrap();
        fs::copy(other.path().join(SAMPLES), &samples).unwrap();
        assert!(
            refusal(folder.path()).contains("samples.csv.gz has the samples of another run, or was changed")
        );
        fs::write(&samples, &right[..right.len() / 2]).unwrap();
        assert!(refusal(folder.path()).contains("samples.csv.gz is cut or damaged: restore"));
        fs::write(&samples, "variant,round\n").unwrap();
        assert!(refusal(folder.path()).contains("samples.csv.gz is cut or damaged: "));
        fs::remove_file(&samples).unwrap();
        assert!(refusal(folder.path()).contains("samples.csv.gz is missing beside it"));
    }

    #[test]
    fn a_record_names_no_file_elsewhere() {
        let folder = kept(&fixture::record());
        let path = folder.path().join("record.json");
        let text = fs::read_to_string(&path).unwrap();
        for name in ["../samples.csv.gz", "/etc/passwd", "", "..", "a/b"] {
            fs::write(&path, text.replace(SAMPLES, name)).unwrap();
            assert!(refusal(folder.path()).contains("is not the name of a file beside the record"));
        }
    }

    #[test]
    fn lines_that_are_none_of_the_record_are_refused() {
        for (text, says) in [
            ("variant,round\nx,1\n", "missing field `one_us`"),
            (
                "variant,round,one_us,one_wrong,record_us,submit_us\nx,1,2,0,1,1\n",
                "line 2: the record has no row 'x'",
            ),
        ] {
            let error = read_samples(text.as_bytes(), &mut fixture::record().rows).unwrap_err();
            assert!(format!("{error:#}").contains(says), "{error:#}");
        }
    }

    #[test]
    fn what_is_too_large_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large.json");
        File::create(&path).unwrap().set_len(LARGEST + 1).unwrap();
        let message = format!("{:#}", read_record(&path).unwrap_err());
        assert!(message.ends_with("large.json: larger than any record (256 MiB)"), "{message}");
    }

    /// Devices and compressed data have no known size in advance and may never end.
    #[cfg(unix)]
    #[test]
    fn what_does_not_end_is_refused() {
        let message = format!("{:#}", bytes(File::open("/dev/zero").unwrap(), 1 << 20).unwrap_err());
        assert_eq!(message, "larger than any record (1 MiB)");
    }

    #[test]
    fn what_is_no_text_says_where() {
        assert_eq!(
            text_of(b"{\"a\xff\"".to_vec()).unwrap_err().to_string(),
            "not a text file: byte 3 is not UTF-8"
        );
    }
}
