//! The published JSON schema of records, generated from the types that read them. It therefore accepts what
//! this program reads, including records of earlier versions. Its descriptions are the comments on the
//! fields.

use anyhow::{Context, Result};
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;

use crate::{Record, SCHEMA};

/// Appended to the description of the root, which is the comment on [`Record`].
const CONVENTIONS: &str = "Times are in the unit that ends a field's name: `_us` is microseconds, `_s` seconds, \
    `_ns` nanoseconds; `_mhz` is megahertz. Fields that are unknown are ignored. Fields that are not required are \
    null where they are absent, or have the default that is named.";

/// The schema as an indented document that ends with a newline.
///
/// # Errors
/// If it cannot be represented in JSON.
pub fn schema() -> Result<String> {
    let settings = SchemaSettings::draft2020_12()
        .with_transform(RecursiveTransform(plain_description))
        .with_transform(RecursiveTransform(bounded));
    let mut schema = settings.into_generator().into_root_schema_for::<Record>();
    let about = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let about = format!("{about} {CONVENTIONS}");
    schema.insert("$id".into(), format!("urn:hot-lap:record:{SCHEMA}").into());
    schema.insert("title".into(), format!("Record of Hot Lap, version {SCHEMA}").into());
    schema.insert("description".into(), about.into());
    let mut text = serde_json::to_string_pretty(&schema).context("the schema has no form in JSON")?;
    text.push('\n');
    Ok(text)
}

/// Replaces rustdoc links and `None`, which readers of JSON do not know.
fn plain_description(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = without_links(text).replace("`None`", "`null`");
    }
}

/// Joins the lines of each paragraph, and replaces links by their text and paths in links by their last name.
fn without_links(text: &str) -> String {
    let text = text.replace("\n\n", "\u{b6}").replace('\n', " ").replace('\u{b6}', "\n\n");
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some((before, link)) = rest.split_once('[') {
        let Some((label, after)) = link.split_once(']') else { break };
        let target = after.strip_prefix('(').and_then(|link| link.split_once(')'));
        plain += before;
        match (label.strip_prefix('`'), target) {
            (None, None) => plain += &format!("[{label}]"),
            (None, Some(_)) => plain += label,
            (Some(name), _) => plain += &format!("`{}", name.rsplit("::").next().unwrap_or(name)),
        }
        rest = target.map_or(after, |(_, after)| after);
    }
    plain + rest
}

/// Adds the range of 32-bit integers: the schema has it only as a format, which validators ignore.
fn bounded(schema: &mut Schema) {
    let (least, most) = match schema.get("format").and_then(Value::as_str) {
        Some("uint32") => (0, i64::from(u32::MAX)),
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => return,
    };
    for (key, bound) in [("minimum", least), ("maximum", most)] {
        if schema.get(key).is_none() {
            schema.insert(key.into(), bound.into());
        }
    }
}

#[cfg(test)]
mod tests;
