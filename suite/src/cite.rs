//! `suite cite`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use record::error::EXIT_RIGHT;
use record::{Headline, Record, Value, read_record, sha256};
use report::terminal::print;
use report::{day, device, tool_in_short, warnings};

use crate::card;
use crate::collect::find;

/// Print how to cite what a record found
///
/// A line for a text, an entry for BibTeX, and Markdown that shows the record's card (see suite card) with the same line
/// below it. The SHA-256 is that of record.json: sha256sum shows whether a reader has the same record.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  suite cite results/2026-11-26-nvidia-h100-suite/bloom
  suite card RECORD     writes the picture that the Markdown shows")]
pub struct Cite {
    /// Record, or the folder of one run
    #[arg(value_name = "RECORD")]
    record: PathBuf,
}

impl Cite {
    /// Runs the command and returns its exit code.
    ///
    /// # Errors
    /// If the record cannot be read, or the output cannot be written.
    pub fn run(&self) -> Result<u8> {
        let file = one(&self.record)?;
        let record = read_record(&file)?;
        let bytes = fs::read(&file).with_context(|| format!("reading {}", file.display()))?;
        print(&citation(&record, &file, &sha256(&bytes)))?;
        Ok(EXIT_RIGHT)
    }
}

/// The file of the one record that `path` names or holds.
///
/// # Errors
/// If it holds none, or several.
pub fn one(path: &Path) -> Result<PathBuf> {
    let mut files = find(&[path.to_owned()])?;
    let (shown, count) = (path.display(), files.len());
    let file = files.pop().filter(|_| count == 1);
    let file = file.with_context(|| format!("{shown}: there are {count} records here: name one of them"))?;
    // A pipe cannot be read again, for its SHA-256.
    ensure!(!file.exists() || file.is_file(), "{shown}: is no file: name a record.json or its folder");
    Ok(file)
}

/// All three forms, apart by blank lines.
pub fn citation(record: &Record, file: &Path, sha256: &str) -> String {
    let device = device(&record.device);
    let tool = tool_in_short(&record.tool);
    let what = format!("{} on {device}, {}", record.sample, day(record));
    let finding: Vec<String> =
        record.headline.as_ref().map(finding).into_iter().chain(warnings(record)).collect();
    let finding = finding.join(" ");
    let colon = if finding.is_empty() { "." } else { ": " };
    let line = spaced(&format!("{tool}, {what}{colon}{finding} Record sha256:{sha256}"));
    let address = address(file);
    let shown = match &record.headline {
        Some(headline) => {
            let (alt, picture) = (markdown(&spaced(&self::finding(headline))), card::name(record));
            format!("[![{alt}](./{picture})]({address})\n\n*{}*", markdown(&line))
        }
        None => format!("[{}]({address})", markdown(&line)),
    };
    let title = format!("{tool}: {}", record.sample);
    let note = format!("{device}, {}{colon}{finding} Record sha256:{sha256}", day(record));
    format!("{line}\n\n{}\n\n{shown}", bibtex_entry(record, &title, &spaced(&note), sha256))
}

/// `Events take 1.29x as long (95 % interval 1.28x to 1.29x).`
fn finding(headline: &Headline) -> String {
    let interval = headline.value.as_ref().and_then(Value::interval_text);
    let interval = interval.map_or_else(String::new, |text| format!(" (95 % interval {text})"));
    format!("{}{interval}.", headline.finding)
}

/// On one line.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn bibtex_entry(record: &Record, title: &str, note: &str, sha256: &str) -> String {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let mut date = day(record).split('-');
    let year = date.next().unwrap_or_default();
    let month = date.next().and_then(|month| MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?));
    let month = month.map_or_else(String::new, |month| format!("  month  = {month},\n"));
    let key = card::plain(&record.sample);
    format!(
        "@misc{{hot_lap_{key}_{},\n  author = {{{{The Hot Lap authors}}}},\n  title  = {{{{{}}}}},\n  year   = {year},\n{month}  note   = {{{}}},\n}}",
        sha256.get(..8).unwrap_or(sha256),
        bibtex(title),
        bibtex(note),
    )
}

/// `text` with what BibTeX and LaTeX treat as commands escaped. BibTeX counts braces even behind a backslash.
fn bibtex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '{' => out.push_str("\\textbraceleft{}"),
            '}' => out.push_str("\\textbraceright{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '#' | '$' | '%' | '&' | '_' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// `text` with the markup of Markdown escaped, within a line.
fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\`*_[]<>&|~#!$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The path as the address of a link. Without `./` a name with a colon would be read as a scheme.
fn address(file: &Path) -> String {
    let start = if file.is_absolute() { "" } else { "./" };
    let text = file.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let letters = text
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") });
    start.to_owned() + &letters.collect::<String>()
}

#[cfg(test)]
mod tests {
    use record::{Ended, fixture};

    use super::*;

    #[test]
    fn what_has_a_meaning_is_escaped() {
        let odd = r"a_b 5 % & $1 #2 {c} \d ~^ <e> [f](g) *h* `i` j|k !";
        assert_eq!(
            bibtex(odd),
            r"a\_b 5 \% \& \$1 \#2 \textbraceleft{}c\textbraceright{} \textbackslash{}d \textasciitilde{}\textasciicircum{} \textless{}e\textgreater{} [f](g) *h* `i` j\textbar{}k !"
        );
        assert_eq!(markdown(odd), r"a\_b 5 % \& \$1 \#2 {c} \\d \~^ \<e\> \[f\](g) \*h\* \`i\` j\|k \!");
        assert_eq!(markdown("1.29x, 62.6 µs"), "1.29x, 62.6 µs");
        assert_eq!(address(Path::new("a b/javascript:(é)")), "./a%20b/javascript%3A%28%C3%A9%29");
        assert_eq!(address(Path::new("/a/../b_c.json")), "/a/../b_c.json");
    }

    #[test]
    fn what_comes_from_outside_stays_a_text() {
        let mut record = fixture::record();
        record.sample = "../a}b".into();
        record.device.name = "H\\1 }{ [x](y) \n _GPU_".into();
        record.tool.dirty = Some(true);
        record.ended = Ended::Failed { reason: "one\n\n@misc{two".into() };
        let text = citation(&record, Path::new("r.json"), &"5a".repeat(32));
        let parts: Vec<&str> = text.split("\n\n").collect();
        let [line, entry, picture, caption] = parts[..] else { panic!("{text}") };
        assert!(line.contains(", uncommitted changes), ../a}b on H\\1 }{ [x](y) _GPU_, "), "{line}");
        assert!(line.contains(" The run failed: one @misc{two Record sha256:5a5a"), "{line}");
        assert_eq!(entry.matches('{').count(), entry.matches('}').count(), "{entry}");
        assert!(entry.starts_with("@misc{hot_lap____a_b_5a5a5a5a,\n"), "{entry}");
        assert_eq!(entry.matches("\n}").count(), 1, "{entry}");
        assert!(picture.contains("](./___a_b-card.svg)](./r.json)"), "{picture}");
        assert!(caption.contains("\\[x\\](y) \\_GPU\\_"), "{caption}");
    }
}
