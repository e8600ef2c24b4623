//! The record as JSON, and back.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::record::{Record, SCHEMA};

/// The record as indented JSON with a newline at its end.
///
/// # Errors
/// Where a value has no form in JSON.
pub fn json(record: &Record) -> Result<String> {
    let mut text = serde_json::to_string_pretty(record).context("the record has no form in JSON")?;
    text.push('\n');
    Ok(text)
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
    fn another_schema_is_refused_before_its_fields_are_read() {
        let message = refusal(r#"{ "schema": 7, "unknown": [] }"#);
        assert!(
            message.contains("schema version 7") && message.contains("reads versions up to 2"),
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
