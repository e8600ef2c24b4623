//! The report as Markdown.

use std::fmt::Write;

use report::{Table, TableLine};

use super::blocks::{Block, Places, blocks};
use super::link::{self, link};
use super::page_model::{Body, PageModel};
use super::records::Entry;
use super::table;

/// The Markdown of a report. Links to pictures point to `places.plots`.
pub fn markdown(content: &PageModel<'_>, places: Places<'_>) -> String {
    let title = format!("# {}", escaped(&content.title));
    let text = format!("{title}\n\n{}", all(&blocks(content), content, places));
    text.trim_end().to_owned() + "\n"
}

fn all(blocks: &[Block<'_>], content: &PageModel<'_>, places: Places<'_>) -> String {
    let printed = blocks.iter().map(|block| printed(block, content, places)).filter(|text| !text.is_empty());
    printed.collect::<Vec<_>>().join("\n\n")
}

fn printed(block: &Block<'_>, content: &PageModel<'_>, places: Places<'_>) -> String {
    match block {
        Block::Cards(cards) => {
            let entries: Vec<_> = cards.iter().flat_map(|card| &card.entries).copied().collect();
            let name = |entry: &&Entry| format!("{} on {}", entry.record().sample, entry.device);
            tabled(&table::records("Sample", &name, &entries))
        }
        Block::Heading { level, id, text } => {
            let address = if id.is_empty() { String::new() } else { format!("<a id=\"{id}\"></a>\n\n") };
            format!("{address}{} {}", "#".repeat((*level).into()), escaped(text))
        }
        Block::Headline { finding, claim } => format!("**{}**\n\n{}", escaped(finding), escaped(claim)),
        Block::Text { text, .. } => escaped(text),
        Block::File([before, after], path) => escaped(&format!("{before}{}{after}", link::shown(path))),
        Block::List { lines, .. } => lined(lines.iter().map(|(word, text)| match *word {
            "" => format!("- {}", escaped(text)),
            word => format!("- **{word}** {}", escaped(text)),
        })),
        Block::Terms(terms) => {
            lined(terms.iter().map(|(term, text)| format!("- **{}**: {}", escaped(term), escaped(text))))
        }
        // An indented block cannot be ended by its content.
        Block::Code(text) => lined(text.lines().map(|line| format!("    {line}"))),
        Block::Pictures { caption, places: pictures, .. } => match places.plots {
            Some(plots) if !pictures.is_empty() => {
                let names = pictures.iter().map(|at| &content.pictures[*at].name);
                let image = |name: &String| {
                    let address = link(places.page, &plots.join(format!("{name}.svg")));
                    format!("![{}]({address})", escaped(name))
                };
                format!("{caption}\n\n{}", lined(names.map(image))).trim_start().to_owned()
            }
            _ => String::new(),
        },
        Block::Timeline(at) => match &content.pictures[*at].body {
            Body::Image { path, .. } => {
                format!("![Waves in flight over time]({})", link(places.page, path))
            }
            Body::Drawn(_) => String::new(),
        },
        Block::Table { table, .. } => tabled(table),
        Block::Details { summary, blocks } => {
            format!("#### {}\n\n{}", escaped(summary), all(blocks, content, places))
        }
    }
}

fn lined(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

fn tabled(table: &Table) -> String {
    let mut text = String::new();
    let mut row = |cells: &mut dyn Iterator<Item = String>| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {} |", cells.collect::<Vec<_>>().join(" | "));
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
    text.truncate(text.trim_end().len());
    text
}

fn cell((text, link): &(String, Option<String>)) -> String {
    match link {
        Some(id) => format!("[{}](#{id})", escaped(text)),
        None => escaped(text),
    }
}

/// `text` on one line, with markup escaped. An underscore within a word is not markup.
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
