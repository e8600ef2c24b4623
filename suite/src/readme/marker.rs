//! The comments that mark what is made of records, and what they ask for.

use std::fmt;
use std::ops::Range;

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::Fault;

/// Begins a marker, at the beginning of a line.
const MARK: &str = "<!-- suite:";
const CLOSE: &str = "-->";
const END: &str = "<!-- suite: end -->";

/// A part of a page that is made of records.
#[derive(Debug)]
pub(super) struct Block {
    /// Line of its first marker, counted from one.
    pub line: usize,
    /// What that asks for.
    pub shows: Shows,
    /// What stands between the markers, in bytes of the page.
    pub body: Range<usize>,
    /// The page ends its lines as Windows does.
    pub crlf: bool,
}

/// What a marker asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    /// The recorded table, or its first lines.
    Table { record: String, head: Option<usize> },
    /// Isolated medians of variants, in a row a record.
    Figures { head: String, variants: Vec<String>, rows: Vec<Labelled> },
    /// A picture.
    Picture { path: String, what: Option<String> },
}

/// A record with the text that links to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Labelled {
    pub label: String,
    pub record: String,
}

impl fmt::Display for Shows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table { record, .. } => write!(f, "table {record}"),
            Self::Figures { rows, .. } => {
                let records: Vec<&str> = rows.iter().map(|row| row.record.as_str()).collect();
                write!(f, "figures {}", records.join(" "))
            }
            Self::Picture { path, .. } => write!(f, "picture {path}"),
        }
    }
}

/// The blocks of a page, from its beginning to its end. Markers in a code block are text.
///
/// # Errors
/// A marker that asks for nothing known, a block in another one, one without an end, an end without a
/// block, a page without any.
pub(super) fn blocks(text: &str) -> Result<Vec<Block>, Fault> {
    let mut page = Page { text, at: 0, line: 0, fence: None };
    let mut blocks = Vec::new();
    while let Some(opening) = page.marker()? {
        let shows = Shows::parse(opening.asks).map_err(|error| Fault { line: opening.line, error })?;
        let Some(shows) = shows else {
            return Err(opening.fault(anyhow!("there is no block that ends here")));
        };
        let closing = page.marker_in_block()?;
        let Some(closing) = closing else {
            return Err(opening.fault(anyhow!("the block has no {END}")));
        };
        if closing.asks.trim() != "end" {
            let line = opening.line;
            return Err(closing.fault(anyhow!("the block of line {line} has no {END} before this one")));
        }
        let body = opening.after..closing.begin;
        let crlf = text[..opening.after].ends_with("\r\n");
        blocks.push(Block { line: opening.line, shows, body, crlf });
    }
    if blocks.is_empty() {
        return Err(Fault {
            line: 1,
            error: anyhow!("the page marks no block; suite readme --help shows how"),
        });
    }
    Ok(blocks)
}

/// A page that is read line by line.
struct Page<'t> {
    text: &'t str,
    /// How far it is read, in bytes and in lines.
    at: usize,
    line: usize,
    /// What the code block that is open began with.
    fence: Option<&'t str>,
}

/// A marker in its page.
struct Marker<'t> {
    line: usize,
    begin: usize,
    /// Where the line behind it begins.
    after: usize,
    asks: &'t str,
}

impl Marker<'_> {
    fn fault(&self, error: anyhow::Error) -> Fault {
        Fault { line: self.line, error }
    }
}

impl<'t> Page<'t> {
    /// The next marker outside code blocks.
    fn marker(&mut self) -> Result<Option<Marker<'t>>, Fault> {
        while let Some(line) = self.next_line() {
            let began = self.fence;
            self.fence = match (began, fence(line)) {
                (None, opened) => opened,
                (Some(began), Some(closed)) if closed.starts_with(began) && line.trim() == closed => None,
                (open, _) => open,
            };
            if began.is_none() && self.fence.is_none() && line.starts_with(MARK) {
                return self.read_marker(line).map(Some);
            }
        }
        Ok(None)
    }

    /// The next marker, whatever the block holds.
    fn marker_in_block(&mut self) -> Result<Option<Marker<'t>>, Fault> {
        while let Some(line) = self.next_line() {
            if line.starts_with(MARK) {
                return self.read_marker(line).map(Some);
            }
        }
        Ok(None)
    }

    fn next_line(&mut self) -> Option<&'t str> {
        let line = self.text[self.at..].split_inclusive('\n').next()?;
        self.at += line.len();
        self.line += 1;
        Some(line)
    }

    /// The marker that begins with the line that was read last; it may take more.
    fn read_marker(&mut self, first: &str) -> Result<Marker<'t>, Fault> {
        let (line, begin) = (self.line, self.at - first.len());
        let fault = |error| Err(Fault { line, error });
        let asked = &self.text[begin + MARK.len()..];
        let Some((asks, _)) = asked.split_once(CLOSE).filter(|(asks, _)| !asks.contains("<!--")) else {
            return fault(anyhow!("the comment is not closed by {CLOSE}"));
        };
        let end = begin + MARK.len() + asks.len() + CLOSE.len();
        while self.at < end {
            self.next_line();
        }
        if !self.text[end..self.at].trim().is_empty() {
            return fault(anyhow!(
                "the line goes on behind {CLOSE}: what a block shows begins below its marker"
            ));
        }
        Ok(Marker { line, begin, after: self.at, asks })
    }
}

/// The back-ticks or tildes with which a line begins or ends a code block.
fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let run = |mark| &line[..line.len() - line.trim_start_matches(mark).len()];
    [run('`'), run('~')].into_iter().find(|run| run.len() >= 3)
}

impl Shows {
    /// `None` is an end.
    fn parse(asks: &str) -> Result<Option<Self>> {
        let words = words(asks)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let shows = match words[..] {
            ["end"] => return Ok(None),
            ["table", record] => Self::Table { record: record.into(), head: None },
            ["table", record, "head", lines] => {
                let head = lines.parse().ok().filter(|&lines| lines > 0);
                let head = head.with_context(|| format!("'{lines}' is no number of lines"))?;
                Self::Table { record: record.into(), head: Some(head) }
            }
            ["table", ..] => bail!("a table is asked for by: table RECORD [head LINES]"),
            ["figures", ref asked @ ..] => figures(asked)?,
            ["picture", path] => Self::Picture { path: path.into(), what: None },
            ["picture", path, what] => Self::Picture { path: path.into(), what: Some(what.into()) },
            ["picture", ..] => bail!("a picture is asked for by: picture RECORD|FILE [\"WHAT\"]"),
            _ => bail!(
                "'{}' is nothing that a block shows: there are table, figures and picture",
                words.first().unwrap_or(&"")
            ),
        };
        Ok(Some(shows))
    }
}

fn figures(asked: &[&str]) -> Result<Shows> {
    let usage = "figures are asked for by: figures HEAD VARIANT... | LABEL RECORD [| LABEL RECORD]...";
    let mut parts = asked.split(|&word| word == "|");
    let Some([head, variants @ ..]) = parts.next() else { bail!(usage) };
    let mut rows = Vec::new();
    for part in parts {
        let [label, record] = part else { bail!("{usage}; '{}' is no LABEL RECORD", part.join(" ")) };
        rows.push(Labelled { label: (*label).into(), record: (*record).into() });
    }
    ensure!(!variants.is_empty() && !rows.is_empty(), usage);
    let variants = variants.iter().map(|&variant| variant.into()).collect();
    Ok(Shows::Figures { head: (*head).into(), variants, rows })
}

/// Words between white space; double quotes hold one together, also an empty one.
fn words(text: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').context("a double quote is not closed")?,
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Ok(words)
}
