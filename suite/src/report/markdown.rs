//! The report as Markdown.

use std::fmt::Write;

use report::{Table, TableLine};

use super::content::{Body, Chapter, Content, Run};
use super::facts;
use super::link::link;
use super::page::{Places, heading, not_drawn};
use super::prose;
use super::published::published;
use super::table;

/// The Markdown of a report; pictures are those of `places.plots`.
pub fn markdown(content: &Content<'_>, places: Places<'_>) -> String {
    let mut paper = Paper { text: String::new(), content, places };
    paper.line(&format!("# {}", escaped(&content.title)));
    paper.line("## Overview");
    paper.table(&table::overview(content.book));
    paper.line("## How to read this");
    for (term, meaning) in prose::how_to_read(content.book) {
        paper.item(&format!("**{}**: {}", escaped(term), escaped(meaning)));
    }
    paper.text.push('\n');
    for chapter in &content.chapters {
        paper.chapter(chapter);
    }
    paper.text.truncate(paper.text.trim_end().len());
    paper.text + "\n"
}

struct Paper<'p> {
    text: String,
    content: &'p Content<'p>,
    places: Places<'p>,
}

impl Paper<'_> {
    /// With an empty line below it.
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push_str("\n\n");
    }

    fn item(&mut self, line: &str) {
        // A string takes whatever is written to it.
        let _ = writeln!(self.text, "- {line}");
    }

    fn chapter(&mut self, chapter: &Chapter<'_>) {
        let sample = escaped(chapter.sample);
        self.line(&format!("## {sample}"));
        for (comparison, pictures) in &chapter.comparisons {
            self.line(&format!("### {sample}: devices side by side"));
            self.line(&escaped(&comparison.shared));
            self.line(&escaped(prose::DEVICES));
            self.pictures(pictures);
            self.table(&table::devices(comparison));
        }
        for (sweep, pictures) in &chapter.sweeps {
            self.line(&format!("### {sample} over {}", escaped(sweep.over)));
            self.line(&escaped(&format!("{}: {}", sweep.device, sweep.fixed)));
            self.line(&escaped(&(prose::SWEEP.to_owned() + &not_drawn(sweep.lines().len()))));
            self.pictures(pictures);
            self.table(&table::sweep(sweep));
        }
        for run in &chapter.runs {
            self.run(run);
        }
    }

    fn run(&mut self, run: &Run<'_>) {
        let record = run.entry.record();
        self.line(&format!("<a id=\"{}\"></a>", run.entry.id));
        self.line(&format!("### {}", escaped(&heading(run))));
        for flag in facts::flags(record) {
            self.line(&format!("**{}**", escaped(&flag.long)));
        }
        for line in report::short(record) {
            self.line(&escaped(&line));
        }
        self.pictures(&run.ladder);
        self.pictures(&run.scatter);
        self.table(&table::rows(record));
        if let Some(published) = published(record) {
            self.line("#### Published figures beside measured");
            self.table(&published);
        }
        self.waves(run);
        self.remarks(run);
        self.provenance(run);
    }

    fn waves(&mut self, run: &Run<'_>) {
        let table = table::traces(run.entry.record());
        if table.is_some() || run.timeline.is_some() {
            self.line("#### Waves over time");
        }
        let path = match &run.timeline {
            None => None,
            Some(Ok(at)) => match &self.content.pictures[*at].body {
                Body::Image { path, .. } => Some(path),
                Body::Drawn(_) => None,
            },
            Some(Err((path, _))) => Some(path),
        };
        if let Some(path) = path {
            self.line(&format!("![Waves in flight over time]({})", link(self.places.page, path)));
        }
        if let Some(table) = table {
            self.table(&table);
        }
    }

    fn remarks(&mut self, run: &Run<'_>) {
        let lines = facts::notes(run.entry.record());
        if !lines.is_empty() {
            self.line("#### Notes");
            for line in lines {
                self.item(&escaped(&line));
            }
            self.text.push('\n');
        }
    }

    fn provenance(&mut self, run: &Run<'_>) {
        let record = run.entry.record();
        self.line("#### How it was measured");
        // Indented, so that nothing in it can end it.
        for line in report::command(record).lines() {
            let _ = writeln!(self.text, "    {line}");
        }
        self.text.push('\n');
        for (term, meaning) in facts::facts(record) {
            self.item(&format!("{term}: {}", escaped(&meaning)));
        }
        self.item(&format!("Arguments: {}", escaped(&run.entry.configuration())));
        match facts::self_test(record) {
            None => self.item("Self-test: no self-test"),
            Some(checks) => {
                self.item("Self-test:");
                for (word, text) in checks {
                    let _ = writeln!(self.text, "  - **{word}** {}", escaped(&text));
                }
            }
        }
        self.text.push('\n');
    }

    fn pictures(&mut self, places: &[usize]) {
        let Some(plots) = self.places.plots else { return };
        for at in places {
            let name = &self.content.pictures[*at].name;
            let address = link(self.places.page, &plots.join(format!("{name}.svg")));
            let _ = writeln!(self.text, "![{}]({address})", escaped(name));
        }
        self.text.push('\n');
    }

    fn table(&mut self, table: &Table) {
        let mut row = |cells: &mut dyn Iterator<Item = String>| {
            let _ = writeln!(self.text, "| {} |", cells.collect::<Vec<_>>().join(" | "));
        };
        row(&mut table.heads().map(|(head, _)| escaped(&head)));
        row(&mut table.heads().map(|(_, right)| if right { "--:" } else { "---" }.to_owned()));
        for line in table.lines() {
            match line {
                TableLine::Cells(cells) => row(&mut cells.iter().map(cell)),
                TableLine::Words(name, words) => {
                    let rest = table.columns.len().saturating_sub(2);
                    let empty = std::iter::repeat_n(String::new(), rest);
                    row(&mut [escaped(&name), escaped(&words)].into_iter().chain(empty));
                }
            }
        }
        self.text.push('\n');
    }
}

fn cell((text, link): &(String, Option<String>)) -> String {
    match link {
        Some(id) => format!("[{}](#{id})", escaped(text)),
        None => escaped(text),
    }
}

/// `text` on one line, so that none of it is markup. An underscore within a word is none.
fn escaped(text: &str) -> String {
    let chars: Vec<char> = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    let mut out = String::with_capacity(chars.len());
    for (at, &c) in chars.iter().enumerate() {
        let wordy = |at: Option<usize>| {
            at.and_then(|at| chars.get(at)).is_some_and(|c| c.is_alphanumeric() || *c == '_')
        };
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '_' if wordy(at.checked_sub(1)) && wordy(Some(at + 1)) => out.push('_'),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' => out.extend(['\\', c]),
            '#' | '+' | '-' if at == 0 => out.extend(['\\', c]),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_markup() {
        assert_eq!(escaped("full_barrier ~46.3 ±0.4 %"), "full_barrier \\~46.3 ±0.4 %");
        assert_eq!(
            escaped("<script>|a\nb| _x_ `y` **z** [t](u)"),
            "&lt;script&gt;\\|a b\\| \\_x\\_ \\`y\\` \\*\\*z\\*\\* \\[t\\](u)"
        );
        assert_eq!(escaped("# no head"), "\\# no head");
    }
}
