//! The page.

use std::path::Path;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use report::{Table, TableLine};

use super::content::{Body, Chapter, Content, Run};
use super::facts;
use super::ladder::counts_races;
use super::link::link;
use super::plot::Svg;
use super::prose;
use super::published::published;
use super::table;

/// Nothing runs and nothing is fetched: style and pictures are in the page.
pub const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Where files lie, for links.
#[derive(Clone, Copy, Debug)]
pub struct Places<'p> {
    /// The folder of the page.
    pub page: &'p Path,
    /// That of the plots, where they are written.
    pub plots: Option<&'p Path>,
}

/// The page of a report, with the pictures that are kept.
pub fn page(content: &Content<'_>, places: Places<'_>) -> String {
    let page = Page { content, places };
    let style = PreEscaped(include_str!("style.css"));
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (content.title) }
                style { (style) }
            }
            body {
                h1 { (content.title) }
                (page.head())
                @for chapter in &content.chapters { (page.chapter(chapter)) }
            }
        }
    };
    markup.into_string()
}

struct Page<'p> {
    content: &'p Content<'p>,
    places: Places<'p>,
}

impl Page<'_> {
    fn head(&self) -> Markup {
        let count = self.content.book.entries.len();
        html! {
            p.small {
                "Made by hot-lap " (env!("CARGO_PKG_VERSION")) " from " (count) @if count == 1 { " record." } @else { " records." }
            }
            nav {
                h4 { "Contents" }
                ul {
                    li { a href="#overview" { "Overview" } }
                    li { a href="#how" { "How to read this" } }
                    @for chapter in &self.content.chapters { (contents(chapter)) }
                }
            }
            h2 #overview { "Overview" }
            (stacked(&table::overview(self.content.book)))
            h2 #how { "How to read this" }
            dl { @for (term, meaning) in prose::how_to_read(self.content.book) { dt { (term) } dd { (meaning) } } }
        }
    }

    fn chapter(&self, chapter: &Chapter<'_>) -> Markup {
        let entries = || chapter.runs.iter().map(|run| &run.entry.device);
        let several = entries().any(|device| Some(device) != entries().next());
        html! {
            h2 id=(anchor(chapter, "sample", 0)) { (chapter.sample) }
            @for (at, (comparison, pictures)) in chapter.comparisons.iter().enumerate() {
                h3 id=(anchor(chapter, "devices", at)) { (chapter.sample) ": devices side by side" }
                p.small { (comparison.shared) }
                p { (prose::DEVICES) }
                (self.pictures(pictures, None))
                (boxed(&table::devices(comparison)))
            }
            @if several && chapter.comparisons.is_empty() { p { (prose::NO_COMPARISON) } }
            @for (at, (sweep, pictures)) in chapter.sweeps.iter().enumerate() {
                h3 id=(anchor(chapter, "sweep", at)) { (chapter.sample) " over " (sweep.over) }
                p.small { (sweep.device) @if !sweep.fixed.is_empty() { ": " (sweep.fixed) } }
                p { (prose::SWEEP) (not_drawn(sweep.lines().len())) }
                (self.pictures(pictures, None))
                (boxed(&table::sweep(sweep)))
            }
            @for run in &chapter.runs { (self.run(run)) }
        }
    }

    fn run(&self, run: &Run<'_>) -> Markup {
        let record = run.entry.record();
        let flags = facts::flags(record);
        html! {
            h3 id=(run.entry.id) { (heading(run)) }
            p.small {
                a href=(link(self.places.page, &run.entry.found.path)) { (run.entry.found.path.display()) }
            }
            @if !flags.is_empty() {
                ul.flags { @for flag in &flags { li { (flag.long) } } }
            }
            @for line in report::short(record) { p.verdict { (line) } }
            (self.plots(run))
            (boxed(&table::rows(record)))
            @if let Some(published) = published(record) {
                h4 { "Published figures beside measured" }
                (boxed(&published))
            }
            (self.waves(run))
            (remarks(run))
            (provenance(run))
        }
    }

    fn plots(&self, run: &Run<'_>) -> Markup {
        let ladder = if counts_races(run.entry.record()) { prose::RACES } else { prose::LADDER };
        html! {
            @if !run.ladder.is_empty() { p.small { (ladder) @if !run.scatter.is_empty() { " " (prose::SCATTER) } } }
            (self.pictures(&[&run.ladder[..], &run.scatter[..]].concat(), Some(run)))
        }
    }

    /// Those that are kept, and what is to be said of the others.
    fn pictures(&self, places: &[usize], run: Option<&Run<'_>>) -> Markup {
        let all = || places.iter().map(|at| &self.content.pictures[*at]);
        let missing: Vec<_> = all().filter(|picture| !picture.kept).collect();
        html! {
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
                    @match (self.places.plots, run) {
                        (Some(plots), _) => @for picture in &missing {
                            a href=(link(self.places.page, &plots.join(format!("{}.svg", picture.name)))) { (picture.name) } " "
                        },
                        (None, Some(run)) => { "the " a href=(link(self.places.page, &run.entry.found.path)) { "record" } " has the figures." },
                        (None, None) => { "--plots DIR writes all." },
                    }
                }
            }
        }
    }

    fn waves(&self, run: &Run<'_>) -> Markup {
        let table = table::traces(run.entry.record());
        html! {
            @if table.is_some() || run.timeline.is_some() { h4 { "Waves over time" } }
            @match &run.timeline {
                None => {},
                Some(Ok(at)) => (self.timeline(*at)),
                Some(Err((path, why))) => p.small {
                    "The timeline " a href=(link(self.places.page, path)) { (path.display()) } " is not shown: " (why) "."
                },
            }
            @if let Some(table) = table { (boxed(&table)) }
        }
    }

    fn timeline(&self, at: usize) -> Markup {
        let picture = &self.content.pictures[at];
        let Body::Image { address, path } = &picture.body else { return html! {} };
        let file = html! { a href=(link(self.places.page, path)) { (path.display()) } };
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

fn remarks(run: &Run<'_>) -> Markup {
    let lines = facts::notes(run.entry.record());
    html! {
        @if !lines.is_empty() {
            h4 { "Notes" }
            ul.small { @for line in &lines { li { (line) } } }
        }
    }
}

fn provenance(run: &Run<'_>) -> Markup {
    let record = run.entry.record();
    let configuration = run.entry.configuration();
    html! {
        h4 { "How it was measured" }
        pre { (report::command(record)) }
        dl {
            @for (term, meaning) in facts::facts(record) { dt { (term) } dd { (meaning) } }
            @if !configuration.is_empty() { dt { "Arguments" } dd { (configuration) } }
            dt { "Self-test" }
            dd {
                @match facts::self_test(record) {
                    None => "no self-test",
                    Some(checks) => @for (word, text) in checks { strong { (word) } " " (text) br; },
                }
            }
        }
    }
}

/// `pipelined_events on NVIDIA H200: size 512x512`.
pub fn heading(run: &Run<'_>) -> String {
    let differs = match run.entry.differs.as_str() {
        "" => String::new(),
        differs => format!(": {differs}"),
    };
    format!("{} on {}{differs}", run.entry.record().sample, run.entry.device)
}

/// More lines than can be told apart are in the table alone.
pub fn not_drawn(lines: usize) -> String {
    match lines.saturating_sub(super::sweep::Sweep::DRAWN) {
        0 => String::new(),
        more => format!(" {more} variants more are in the table and not drawn."),
    }
}

fn contents(chapter: &Chapter<'_>) -> Markup {
    html! {
        li {
            a href=(format!("#{}", anchor(chapter, "sample", 0))) { (chapter.sample) }
            " (" (chapter.runs.len()) @if chapter.runs.len() == 1 { " record)" } @else { " records)" }
            @for at in 0..chapter.comparisons.len() {
                ", " a href=(format!("#{}", anchor(chapter, "devices", at))) { "devices side by side" }
            }
            @for (at, (sweep, _)) in chapter.sweeps.iter().enumerate() {
                ", " a href=(format!("#{}", anchor(chapter, "sweep", at))) { "over " (sweep.over) }
                @if !sweep.told.is_empty() { " (" (sweep.told) ")" }
            }
        }
    }
}

/// Through the first record of the chapter: the sample's name may hold anything.
fn anchor(chapter: &Chapter<'_>, what: &str, at: usize) -> String {
    let first = chapter.runs.first().map_or("", |run| run.entry.id.as_str());
    format!("{what}-{first}-{at}")
}

const BOX: &str = "box";

/// A table that scrolls by itself where it is wider than the page.
fn boxed(table: &Table) -> Markup {
    within(BOX, table)
}

/// One whose cells lie below each other on a narrow page, each with its head.
fn stacked(table: &Table) -> Markup {
    within("box stack", table)
}

fn within(class: &str, table: &Table) -> Markup {
    html! {
        div class=(class) tabindex="0" {
            table {
                thead { tr { @for (head, right) in table.heads() { th class=[right.then_some("n")] { (head) } } } }
                tbody { @for line in table.lines() { tr { (cells(table, &line, class != BOX)) } } }
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
