//! The report as an HTML page.

use std::path::Path;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use record::Headline;
use report::{Table, TableLine};

use super::blocks::{Block, Places, blocks};
use super::cards::Card;
use super::page_model::{Body, PageModel};
use super::plot::{STYLE, Shade, Svg};
use super::{glossary, link, table};

/// The page runs no scripts and fetches nothing: style and pictures are embedded.
pub const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// The page of a report, with the pictures that were kept.
pub fn page(content: &PageModel<'_>, places: Places<'_>) -> String {
    let page = Page { content, places };
    let count = content.records.entries.len();
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (content.title) }
                style { (PreEscaped(include_str!("style.css"))) (PreEscaped(STYLE)) }
            }
            body {
                h1 { (content.title) }
                p.small {
                    "Made by hot-lap " (env!("CARGO_PKG_VERSION")) " from " (count) @if count == 1 { " record." } @else { " records." }
                    " " a href="#measured" { "How it was measured" } " · " a href="#how" { "The words" }
                }
                @for block in blocks(content) { (page.block(&block)) }
                details #how {
                    summary { "The words" }
                    dl { @for (term, meaning) in glossary::how_to_read(content.records) { dt { (term) } dd { (meaning) } } }
                }
            }
        }
    };
    markup.into_string()
}

/// The cards, with the legend of their bars. Devices are named if there are several.
fn cards(cards: &[Card<'_>], several: bool) -> Markup {
    let used = |shade| cards.iter().flat_map(|card| &card.bars).any(|bar| bar.shade == shade);
    html! {
        div.cards { @for card in cards { (self::card(card, several)) } }
        p.small.keys {
            @for shade in Shade::ALL.into_iter().filter(|shade| used(*shade)) {
                span { i class={ "bar " (shade.parts().0) } {} (shade.parts().1) }
            }
        }
    }
}

fn card(card: &Card<'_>, several: bool) -> Markup {
    let warnings =
        card.entries.first().map(|entry| report::warnings(entry.record()).join(" ")).unwrap_or_default();
    html! {
        article.card {
            @let first = card.entries.first().map_or("", |entry| &entry.id);
            p.small { a href=(format!("#{first}")) { (card.sample) } }
            @for entry in &card.entries {
                @match &entry.record().headline {
                    Some(Headline { finding, outcome, .. }) => p.finding {
                        b class=(format!("{outcome:?}")) title=(outcome.words()) { (outcome.sign()) " " }
                        (finding)
                        @if several { " " a.small href=(format!("#{}", entry.id)) { (entry.device) ": " (outcome.words()) } }
                    },
                    None => p { "Rows: " (table::statuses(entry.record())) },
                }
            }
            @if let Some((claim, outcome)) = card.claim() {
                p.small { (claim) @if !several { " · " (outcome.words()) } }
            }
            @if !card.bars.is_empty() {
                p.small.axis { (card.axis) @if several { ", " (card.entries[0].device) } }
                div.bars {
                    @for bar in &card.bars {
                        span { (bar.label) }
                        span { i class={ "bar " (bar.shade.parts().0) } style=(format!("width:{:.1}%", bar.length)) {} }
                        span.n { (bar.figure) }
                    }
                }
            }
            @if !warnings.is_empty() { p.small { (warnings) } }
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
                Block::Cards(cards) => (self::cards(cards, self.content.shared.len() > 1)),
                Block::Heading { level: 2, id, text } => h2 id=(id) { (text) },
                Block::Heading { level: 3, id, text } => h3 id=(id) { (text) },
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
                Block::Pictures { caption, places } => (self.pictures(caption, places)),
                Block::Timeline(at) => (self.timeline(*at)),
                Block::Table { table, stacks } => (tabled(table, *stacks)),
                Block::Details { summary, blocks } => details {
                    summary { (summary) }
                    @for block in blocks { (self.block(block)) }
                },
            }
        }
    }

    fn file(&self, path: &Path) -> Markup {
        // A page that is sent to others does not say where its folder was.
        html! {
            @match link::below(self.places.page, path) {
                Some(address) => a href=(address) { (link::shown(path)) },
                None => (link::shown(path)),
            }
        }
    }

    /// The pictures that were kept, and a note on the others.
    fn pictures(&self, caption: &str, places: &[usize]) -> Markup {
        let all = || places.iter().map(|at| &self.content.pictures[*at]);
        let missing = all().filter(|picture| !picture.kept).count();
        html! {
            @if !caption.is_empty() { p.small { (caption) } }
            div.plots {
                @for picture in all().filter(|picture| picture.kept) {
                    @if let Body::Drawn(Svg(svg)) = &picture.body {
                        figure role="img" aria-label=(picture.name) { (PreEscaped(svg)) }
                    }
                }
            }
            @if missing > 0 {
                p.small {
                    (missing) " of " (places.len()) " pictures are left out, because the page would be larger than 2 MiB with them; --plots DIR writes all."
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
