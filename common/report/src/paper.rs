//! A text for a terminal, which is as wide as it is and shows the characters that it has.

use super::charset::{BLANK, Charset, width};
use super::table::Table;

/// What is written so far. Lines and tables come in any characters, with [`BLANK`] where no line may break.
#[derive(Clone, Debug)]
pub struct Paper {
    charset: Charset,
    room: u16,
    text: String,
}

impl Paper {
    /// An empty one of so many columns.
    #[must_use]
    pub fn new(charset: Charset, room: u16) -> Self {
        Self { charset, room, text: String::new() }
    }

    /// A paragraph, in as many lines as it takes.
    pub fn line(&mut self, line: &str) {
        let line = self.charset.fit_part(&line.replace('\n', " ")).into_owned();
        self.text += &wrapped(&line, self.room);
    }

    /// An empty line.
    pub fn gap(&mut self) {
        self.text.push('\n');
    }

    /// Lines that are as wide as they have to be.
    pub fn verbatim(&mut self, lines: &str) {
        self.text += &self.charset.fit(lines);
    }

    /// As much of a table as there is room for; returns the heads of the columns that are left out.
    pub fn table(&mut self, table: &Table) -> Vec<String> {
        let (lines, left_out) = table.spelled(self.charset).fitted(self.room.into());
        self.lines(lines);
        left_out
    }

    /// All of a table: what there is no room for stands in further tables below, with `gap` an empty line between.
    pub fn tables(&mut self, table: &Table, gap: bool) {
        for (at, lines) in table.spelled(self.charset).split(self.room.into()).into_iter().enumerate() {
            if gap && at > 0 {
                self.gap();
            }
            self.lines(lines);
        }
    }

    fn lines(&mut self, lines: Vec<String>) {
        lines.into_iter().for_each(|line| self.verbatim(&(line + "\n")));
    }

    /// What was written so far.
    #[must_use]
    pub fn so_far(&self) -> &str {
        &self.text
    }

    /// The whole, which ends with a newline.
    #[must_use]
    pub fn text(self) -> String {
        self.text
    }
}

/// Appends `line` to `text`, broken at blanks into lines of at most `limit` characters where words
/// allow it, the further ones indented.
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

/// `text` in lines of at most `limit` columns; indented ones, which are commands or quotations, stay.
/// What stands in columns goes on doing so.
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

/// No line breaks at two or more blanks: they line something up.
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
