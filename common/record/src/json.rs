//! Writes and reads records as JSON.

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::validate::validate;
use crate::{Record, SCHEMA};

/// The record as JSON that ends with a newline. It is indented, but each figure, status and sample is on one line,
/// since a run of trials has twenty thousand of them.
///
/// # Errors
/// If a value cannot be represented in JSON.
pub fn json(record: &Record) -> Result<String> {
    let indented = serde_json::to_string_pretty(record).context("the record has no form in JSON")?;
    let (mut text, mut joined) = (String::with_capacity(indented.len()), None);
    for line in indented.lines() {
        let plain = line.trim_start();
        let depth = (line.len() - plain.len()) / 2;
        let end = match joined {
            // The line that closes a joined value is indented like the line that opened it.
            Some(from) if depth == from => {
                joined = None;
                "\n"
            }
            Some(_) if plain.ends_with(',') => " ",
            Some(_) => "",
            None if plain.ends_with('{') && depth >= IN_A_ROW || plain.ends_with('[') && depth > IN_A_ROW => {
                joined = Some(depth);
                ""
            }
            None => "\n",
        };
        text += if text.ends_with('\n') || text.is_empty() { line } else { plain };
        text += end;
    }
    Ok(text)
}

/// Depth of the fields of a row: record, list of rows, row.
const IN_A_ROW: usize = 3;

/// Reads the output of [`json`] and checks the values (see `validate`).
///
/// # Errors
/// If `text` is truncated or not JSON, if its schema is later than [`SCHEMA`], and if a field is missing, has the
/// wrong type or an impossible value. The message names the field by its path, such as `rows[3].isolated_us.median`.
/// Records of earlier versions can be read too: fields that were added later have a default. A record that keeps its
/// samples in a separate file is refused: see [`crate::read_record`].
pub fn read_json(text: &str) -> Result<Record> {
    let record = read_shape(text)?;
    if let Some(file) = record.samples_file.as_ref().filter(|file| !file.elsewhere) {
        bail!("samples_file: the samples are in {}: give the record's file or folder", shortened(&file.name));
    }
    validate(&record).with_context(|| NO_RECORD)?;
    Ok(record)
}

/// Like [`read_json`], without `validate`: checks only what a schema can express.
///
/// # Errors
/// Those of [`read_json`], except for impossible values.
pub fn read_shape(text: &str) -> Result<Record> {
    // `IgnoredAny` keeps nothing: a document of any depth takes no memory here.
    serde_json::from_str::<IgnoredAny>(text).context("not a whole JSON document")?;
    version(text)?;
    // Parsed from the text, not from a tree of values, since only the text has lines and columns.
    let mut document = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut document).map_err(misfit)
}

/// Context of the messages on a wrong field.
pub(crate) const NO_RECORD: &str = "no record that a run has written";

/// Checks the schema version before anything else: a message about a field of another layout would be misleading.
fn version(text: &str) -> Result<()> {
    #[derive(Deserialize)]
    struct Head {
        #[serde(default)]
        schema: Option<Value>,
    }
    // Serde would read a list as a struct with fields in order.
    let head = match text.trim_start().starts_with('{') {
        true => serde_json::from_str::<Head>(text).context("schema")?,
        false => Head { schema: None },
    };
    let Some(schema) = head.schema else { bail!("not a Hot Lap record: it has no field `schema`") };
    match schema.as_u64() {
        Some(found) if (1..=u64::from(SCHEMA)).contains(&found) => Ok(()),
        _ => bail!(
            "schema: the record has version {}, this program reads versions up to {SCHEMA}; use the version of Hot Lap that wrote it",
            shortened(&schema.to_string())
        ),
    }
}

/// Shortens untrusted text for a message of one line: keeps its beginning and end, and escapes control characters.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 160;
    let plain = |text: &str| -> String {
        text.chars().flat_map(|c| if c.is_control() { c.escape_debug().collect() } else { vec![c] }).collect()
    };
    let count = text.chars().count();
    if count <= MOST {
        return plain(text);
    }
    let begin: String = text.chars().take(MOST / 2).collect();
    let end: String = text.chars().skip(count - MOST / 2).collect();
    format!("{}…{}", plain(&begin), plain(&end))
}

/// Adds the path of the wrong field to the message.
fn misfit(error: serde_path_to_error::Error<serde_json::Error>) -> anyhow::Error {
    let path = error.path().to_string();
    let what = shortened(&error.into_inner().to_string());
    match path.as_str() {
        "." => anyhow!("{what}"),
        path => anyhow!("{}: {what}", shortened(path)),
    }
    .context(NO_RECORD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn refusal(text: &str) -> String {
        format!("{:#}", read_json(text).unwrap_err())
    }

    #[test]
    fn a_sample_takes_one_line_and_a_row_many() {
        let text = json(&fixture::record()).unwrap();
        let lines = |part: &str| text.lines().filter(|line| line.contains(part)).count();
        let samples: usize = fixture::record().rows.iter().map(|row| row.samples.len()).sum();
        assert!(samples > 9);
        assert_eq!(lines("\"one_us\""), samples);
        assert!(text.lines().all(|line| line.matches("\"one_us\"").count() < 2));
        assert_eq!(lines("\"variant\""), fixture::record().rows.len());
        // Indented or not, both are the same document.
        let compact: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(compact, serde_json::to_value(fixture::record()).unwrap());
    }

    #[test]
    fn another_schema_is_refused_before_its_fields_are_read() {
        let message = refusal(r#"{ "schema": 8, "unknown": [] }"#);
        assert!(
            message.contains("schema: the record has version 8")
                && message.contains("reads versions up to 7"),
            "{message}"
        );
        assert!(!message.contains('\n'));
        assert!(refusal(r#"{ "schema": "one" }"#).contains(r#"version "one""#));
        assert!(refusal("[1, 2]").contains("no field `schema`"));
    }

    /// The fixture as a tree, with the value at `pointer` replaced.
    fn with(pointer: &str, value: Value) -> String {
        let mut tree = serde_json::to_value(fixture::record()).unwrap();
        *tree.pointer_mut(pointer).unwrap() = value;
        tree.to_string()
    }

    #[test]
    fn a_field_is_named_by_its_path() {
        let typed = refusal(&with("/rows/2/isolated_us/median", "fast".into()));
        assert!(typed.contains("rows[2].isolated_us.median: invalid type: string"), "{typed}");
        let unsound = refusal(&with("/rows/2/isolated_us/median", 1e9.into()));
        assert!(unsound.contains("rows[2].isolated_us.q3: "), "{unsound}");
        let text = json(&fixture::record()).unwrap().replacen("\"floor_us\": 0.32", "\"floor_us\": 1e999", 1);
        let large = refusal(&text);
        assert!(large.contains("method.floor_us: number out of range"), "{large}");
        assert!([typed, unsound, large].iter().all(|message| !message.contains('\n')));
    }

    #[test]
    fn no_depth_and_no_length_hurts() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        for text in [
            deep.clone(),
            format!(r#"{{"schema":4,"x":{deep}}}"#),
            format!(r#"{{"schema":{deep}}}"#),
            format!(r#"{{"schema":"{}"}}"#, "9".repeat(1_000_000)),
            with("/rows/0/variant", "x".repeat(1_000_000).into()),
            with("/command", vec![""; 100_000].into()),
        ] {
            let message = refusal(&text);
            assert!(message.len() < 400 && !message.contains('\n'), "{} bytes", message.len());
        }
        assert!(refusal(r#"{"schema":4,"schema":4}"#).contains("duplicate field `schema`"));
    }
}
