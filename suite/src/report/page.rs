//! The report as an HTML page.

use std::path::Path;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use report::{Table, TableLine};

use super::blocks::{Block, Places, blocks};
use super::link::link;
use super::page_model::{Body, PageModel};
use super::plot::Svg;

/// The page runs no scripts and fetches nothing: style and pictures are embedded.
pub const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// The page of a report, with the pictures that were kept.
pub fn page(content: &PageModel<'_>, places: Places<'_>) -> String {
    let page = Page { content, places };
    let blocks = blocks(content);
    let count = content.records.entries.len();
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (content.title) }
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body {
                h1 { (content.title) }
                p.small {
                    "Made by hot-lap " (env!("CARGO_PKG_VERSION")) " from " (count) @if count == 1 { " record." } @else { " records." }
                }
                (contents(&blocks))
                @for block in &blocks { (page.block(block)) }
            }
        }
    };
    markup.into_string()
}

/// The table of contents: one line per chapter, with its sections.
fn contents(blocks: &[Block<'_>]) -> Markup {
    let headings: Vec<_> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::Heading { level, id, contents, .. } if !contents.is_empty() => {
                Some((*level, id, contents))
            }
            _ => None,
        })
        .collect();
    html! {
        nav {
            h4 { "Contents" }
            ul {
                @for chapter in headings.chunk_by(|_, (level, ..)| *level > 2) {
                    li {
                        @for (at, (_, id, words)) in chapter.iter().enumerate() {
                            @if at > 0 { ", " }
                            a href=(format!("#{id}")) { (words) }
                        }
                    }
                }
            }
        }
    }
}

struct Page<'p> {
    content: &'p PageModel<'p>,
    places: Places<'p>,
}

impl Page<'_> {
    fn block(&self, block: &Block<'_>) -> Markup {
        html! {
            @match block {
                Block::Heading { level: 2, id, text, .. } => h2 id=(id) { (text) },
                Block::Heading { level: 3, id, text, .. } => h3 id=(id) { (text) },
                Block::Heading { text, .. } => h4 { (text) },
                Block::Headline { finding, claim } => {
                    p.verdict { strong { (finding) } }
                    p.verdict { (claim) }
                },
                Block::Text { class, text } => p class=[named(class)] { (text) },
                Block::File([before, after], path) => p.small { (before) (self.file(path)) (after) },
                Block::List { class, lines } => ul class=[named(class)] {
                    @for (word, text) in lines {
                        li { @if !word.is_empty() { strong { (word) } " " } (text) }
                    }
                },
                Block::Terms(terms) => dl { @for (term, meaning) in terms { dt { (term) } dd { (meaning) } } },
                Block::Code(text) => pre { (text) },
                Block::Pictures { caption, places, record } => (self.pictures(caption, places, *record)),
                Block::Timeline(at) => (self.timeline(*at)),
                Block::Table { table, stacks } => (tabled(table, *stacks)),
            }
        }
    }

    fn file(&self, path: &Path) -> Markup {
        // A page that is sent to others does not say where its folder was.
        let shown = path.strip_prefix(self.places.page).unwrap_or(path);
        html! { a href=(link(self.places.page, path)) { (shown.display()) } }
    }

    /// The pictures that were kept, and a note on the others.
    fn pictures(&self, caption: &str, places: &[usize], record: Option<&Path>) -> Markup {
        let all = || places.iter().map(|at| &self.content.pictures[*at]);
        let missing: Vec<_> = all().filter(|picture| !picture.kept).collect();
        html! {
            @if !caption.is_empty() { p.small { (caption) } }
            div.plots {
                @for picture in all().filter(|picture| picture.kept) {
                    @if let Body::Drawn(Svg(svg)) = &picture.body {
                        figure role="img" aria-label=(picture.name) { (PreEscaped(svg)) }
                    }
                }
            }
            @if !missing.is_empty() {
                p.small {
                    (missing.len()) " of " (places.len()) " pictures are left out, because the page would be larger than 2 MiB with them: "
                    @match (self.places.plots, record) {
                        (Some(plots), _) => @for picture in &missing {
                            a href=(link(self.places.page, &plots.join(format!("{}.svg", picture.name)))) { (picture.name) } " "
                        },
                        (None, Some(record)) => { "the " a href=(link(self.places.page, record)) { "record" } " has the figures." },
                        (None, None) => { "--plots DIR writes all." },
                    }
                }
            }
        }
    }

    fn timeline(&self, at: usize) -> Markup {
        let picture = &self.content.pictures[at];
        let Body::Image { address, path } = &picture.body else { return html! {} };
        let file = self.file(path);
        html! {
            @if picture.kept {
                figure {
                    div.box { img src=(address) alt="Waves in flight over time, each variant"; }
                    figcaption.small { (file) }
                }
            } @else {
                p.small { "The timeline is left out, because the page would be larger than 2 MiB with it: " (file) "." }
            }
        }
    }
}

fn named(class: &'static str) -> Option<&'static str> {
    (!class.is_empty()).then_some(class)
}

/// A table that scrolls separately if it is wider than the page.
fn tabled(table: &Table, stacks: bool) -> Markup {
    let class = if stacks { "box stack" } else { "box" };
    html! {
        div class=(class) tabindex="0" {
            table {
                thead { tr { @for (head, right) in table.heads() { th class=[right.then_some("n")] { (head) } } } }
                tbody { @for line in table.lines() { tr { (cells(table, &line, stacks)) } } }
            }
        }
    }
}

fn cells(table: &Table, line: &TableLine, stacks: bool) -> Markup {
    html! {
        @match line {
            TableLine::Words(name, words) => {
                td { (name) }
                td colspan=(table.columns.len().saturating_sub(1).max(1)) { (words) }
            }
            TableLine::Cells(cells) => @for ((text, link), (head, right)) in cells.iter().zip(table.heads()) {
                td class=[right.then_some("n")] data-head=[stacks.then_some(head)] {
                    @match link {
                        Some(id) => a href=(format!("#{id}")) { (text) },
                        None => (text),
                    }
                }
            },
        }
    }
}
