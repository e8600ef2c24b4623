//! The record as JSON, and back.

use std::io::{self, Write};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

use crate::record::{Record, SCHEMA};

/// The record as indented JSON with a newline at its end.
///
/// # Errors
/// Where a value has no form in JSON.
pub fn json(record: &Record) -> Result<String> {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, Lines::default());
    record.serialize(&mut serializer).context("the record has no form in JSON")?;
    text.push(b'\n');
    String::from_utf8(text).context("the record has no form in JSON")
}

/// Indented, but what lies as deep as a sample stands on one line: a run of trials has twenty thousand.
#[derive(Default)]
struct Lines {
    indented: PrettyFormatter<'static>,
    depth: usize,
}

/// The record, its rows, a row, its samples, a sample.
const OF_A_SAMPLE: usize = 5;

impl Lines {
    fn begin(&mut self) -> bool {
        self.depth += 1;
        self.depth >= OF_A_SAMPLE
    }

    fn end(&mut self) -> bool {
        self.depth -= 1;
        self.depth + 1 >= OF_A_SAMPLE
    }

    fn separate<W: ?Sized + Write>(&self, to: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        if self.begin() { to.write_all(b"[") } else { self.indented.begin_array(to) }
    }

    fn end_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        if self.end() { to.write_all(b"]") } else { self.indented.end_array(to) }
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        let deep = self.depth >= OF_A_SAMPLE;
        if deep { self.separate(to, first) } else { self.indented.begin_array_value(to, first) }
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        if self.depth >= OF_A_SAMPLE { Ok(()) } else { self.indented.end_array_value(to) }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        if self.begin() { to.write_all(b"{") } else { self.indented.begin_object(to) }
    }

    fn end_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        if self.end() { to.write_all(b"}") } else { self.indented.end_object(to) }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        let deep = self.depth >= OF_A_SAMPLE;
        if deep { self.separate(to, first) } else { self.indented.begin_object_key(to, first) }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.indented.begin_object_value(to)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        if self.depth >= OF_A_SAMPLE { Ok(()) } else { self.indented.end_object_value(to) }
    }
}

/// Reads what [`json`] wrote.
///
/// # Errors
/// Where `text` is cut short or no JSON, where its schema is later than [`SCHEMA`], and where a field is
/// missing or has another type; the message names the field. Version 1 has the same fields but those that
/// are absent where a sample has no cross table, so it is read too.
pub fn read_json(text: &str) -> Result<Record> {
    let value: Value = serde_json::from_str(text).context("not a whole JSON document")?;
    // The version first: a message about a field of another layout would send the reader astray.
    match value.get("schema").map(Value::as_u64) {
        None => bail!("not a Hot Lap record: it has no field `schema`"),
        Some(Some(found)) if (1..=u64::from(SCHEMA)).contains(&found) => {}
        Some(_) => bail!(
            "the record has schema version {}, this program reads versions up to {SCHEMA}; use the version of Hot Lap that wrote it",
            value["schema"]
        ),
    }
    // From the text, not from `value`: only the text knows lines and columns.
    serde_json::from_str(text).with_context(|| format!("not a record of schema version {SCHEMA}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    fn refusal(text: &str) -> String {
        format!("{:#}", read_json(text).unwrap_err())
    }

    #[test]
    fn what_was_written_is_read() {
        let text = json(&fixture::record()).unwrap();
        assert!(text.ends_with("}\n"));
        assert_eq!(json(&read_json(&text).unwrap()).unwrap(), text);
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
        // Indented or not, it is the same document.
        let compact: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(compact, serde_json::to_value(fixture::record()).unwrap());
    }

    #[test]
    fn another_schema_is_refused_before_its_fields_are_read() {
        let message = refusal(r#"{ "schema": 7, "unknown": [] }"#);
        assert!(
            message.contains("schema version 7") && message.contains("reads versions up to 4"),
            "{message}"
        );
        assert!(!message.contains('\n'));
        assert!(refusal(r#"{ "schema": "one" }"#).contains(r#"version "one""#));
        assert!(refusal("[1, 2]").contains("no field `schema`"));
    }

    #[test]
    fn a_cut_file_says_so() {
        let text = json(&fixture::record()).unwrap();
        let message = refusal(&text[..text.len() / 2]);
        assert!(message.contains("not a whole JSON document") && message.contains("EOF"), "{message}");
    }

    #[test]
    fn a_missing_field_is_named() {
        let text = json(&fixture::record()).unwrap();
        for field in ["floor_us", "rows", "ended", "timestamp_bits"] {
            let message = refusal(&text.replace(&format!("\"{field}\""), "\"other\""));
            assert!(message.contains(&format!("missing field `{field}`")), "{message}");
        }
    }
}
