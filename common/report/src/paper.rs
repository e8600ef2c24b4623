//! Builds a text for a terminal of a given width and character set.

use super::charset::{BLANK, Charset, width};
use super::table::Table;

/// The text written so far. Input may contain any characters, with `BLANK` where a line must not be broken.
#[derive(Clone, Debug)]
pub struct Paper {
    charset: Charset,
    room: u16,
    text: String,
}

impl Paper {
    /// An empty text for `room` columns.
    #[must_use]
    pub fn new(charset: Charset, room: u16) -> Self {
        Self { charset, room, text: String::new() }
    }

    /// A paragraph, wrapped to the width.
    pub fn line(&mut self, line: &str) {
        let line = self.charset.fit_part(&line.replace('\n', " ")).into_owned();
        self.text += &wrapped(&line, self.room);
    }

    /// An empty line.
    pub fn gap(&mut self) {
        self.text.push('\n');
    }

    /// Lines that are not wrapped.
    pub fn verbatim(&mut self, lines: &str) {
        self.text += &self.charset.fit(lines);
    }

    /// A table. Columns that do not fit follow in further tables below.
    pub fn table(&mut self, table: &Table) {
        for (at, lines) in table.spelled(self.charset).parts(self.room.into()).into_iter().enumerate() {
            if at > 0 {
                self.gap();
            }
            lines.into_iter().for_each(|line| self.verbatim(&(line + "\n")));
        }
    }

    /// The text written so far.
    #[must_use]
    pub fn so_far(&self) -> &str {
        &self.text
    }

    /// The complete text, which ends with a newline.
    #[must_use]
    pub fn text(self) -> String {
        self.text
    }
}

/// Appends `line` to `text`, broken at blanks into lines of at most `limit` characters where the words are short
/// enough. Continuation lines are indented.
fn wrap(line: &str, limit: usize, text: &mut String) {
    let mut used = 0;
    let line = line.replace(" %", &format!("{BLANK}%"));
    for word in line.split(' ').filter(|word| !word.is_empty()) {
        if used > 0 && used + 1 + width(word) > limit {
            text.push_str("\n ");
            used = 1;
        }
        if used > 0 {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += width(word);
    }
    text.push('\n');
}

/// `text` in lines of at most `limit` columns. Indented lines, which are commands or quotations, are not wrapped,
/// and aligned columns stay aligned.
#[must_use]
pub fn wrapped(text: &str, limit: u16) -> String {
    let limit = usize::from(limit);
    let mut lines = String::new();
    for line in text.lines() {
        if line.starts_with("    ") || width(line) <= limit {
            lines.push_str(line);
            lines.push('\n');
        } else {
            wrap(&with_columns_held(line), limit, &mut lines);
        }
    }
    lines.replace(BLANK, " ")
}

/// Replaces runs of two or more blanks by `BLANK`s: they align columns, so lines must not be broken there.
fn with_columns_held(line: &str) -> String {
    let mut held = String::new();
    for (at, c) in line.char_indices() {
        let lines_up = c == ' ' && (held.ends_with(BLANK) || line[at + 1..].starts_with(' '));
        held.push(if lines_up { BLANK } else { c });
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_and_indent() {
        let mut paper = Paper::new(Charset::Utf8, 9);
        paper.line(&format!("one two\nthree 95{BLANK}% four"));
        assert_eq!(paper.text(), "one two\n  three\n  95 %\n  four\n");
    }

    #[test]
    fn what_fits_stays_and_columns_stay_columns() {
        let table = "name   time\na      1.0\n    a quotation that is as long as it is\n";
        assert_eq!(wrapped(table, 14), table);
        assert_eq!(wrapped("name   ok: every texel right", 18), "name   ok: every\n  texel right\n");
    }
}
