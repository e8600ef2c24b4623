//! The text of a report as blocks, which are printed as HTML or Markdown.

use std::path::Path;

use record::{Headline, Record};
use report::Table;

use super::glossary;
use super::ladder::counts_races;
use super::page_model::{Chapter, PageModel, Run};
use super::provenance;
use super::published::published;
use super::sweep::Sweep;
use super::table;

/// Folders that links refer to.
#[derive(Clone, Copy, Debug)]
pub struct Places<'p> {
    /// The folder of the page.
    pub page: &'p Path,
    /// The folder of the plots, if they are written.
    pub plots: Option<&'p Path>,
}

/// A part of a report. A class selects its style in the page.
#[derive(Clone, Debug)]
pub enum Block<'c> {
    /// A heading with its id for links and its text in the table of contents; either may be empty.
    Heading { level: u8, id: String, text: String, contents: String },
    /// The finding of a record, and below it the claim with its outcome.
    Headline { finding: &'c str, claim: String },
    /// A paragraph.
    Text { class: &'static str, text: String },
    /// A link to a file between two texts.
    File([String; 2], &'c Path),
    /// A list, each line with an emphasised word in front.
    List { class: &'static str, lines: Vec<(&'static str, String)> },
    /// Terms and their meanings.
    Terms(Vec<(&'static str, String)>),
    /// A command.
    Code(String),
    /// Pictures by their indices, with a caption and the record that has their figures.
    Pictures { caption: String, places: &'c [usize], record: Option<&'c Path> },
    /// A picture from a file.
    Timeline(usize),
    /// A table; if `stacks`, its cells are below each other on a narrow page.
    Table { table: Table, stacks: bool },
}

/// All blocks of a report below its title.
pub fn blocks<'c>(content: &'c PageModel<'_>) -> Vec<Block<'c>> {
    let terms = glossary::how_to_read(content.records);
    let mut all = vec![
        heading(2, "overview".into(), "Overview".into(), "Overview".into()),
        Block::Table { table: table::overview(content.records), stacks: true },
        heading(2, "how".into(), "How to read this".into(), "How to read this".into()),
        Block::Terms(terms.into_iter().map(|(term, meaning)| (term, meaning.to_owned())).collect()),
    ];
    for of in &content.chapters {
        chapter(&mut all, of);
        for run in &of.runs {
            figures(&mut all, run);
            waves(&mut all, run);
            provenance(&mut all, run);
        }
    }
    all
}

fn heading<'c>(level: u8, id: String, text: String, contents: String) -> Block<'c> {
    Block::Heading { level, id, text, contents }
}

fn minor<'c>(text: &str) -> Block<'c> {
    heading(4, String::new(), text.to_owned(), String::new())
}

fn text<'c>(class: &'static str, text: impl Into<String>) -> Block<'c> {
    Block::Text { class, text: text.into() }
}

fn wide<'c>(table: Table) -> Block<'c> {
    Block::Table { table, stacks: false }
}

/// The sections of a chapter that cover several records.
fn chapter<'c>(all: &mut Vec<Block<'c>>, chapter: &'c Chapter<'_>) {
    let sample = chapter.sample;
    let count = chapter.runs.len();
    let contents = format!("{sample} ({count} record{})", if count == 1 { "" } else { "s" });
    all.push(heading(2, anchor(chapter, "sample", 0), sample.to_owned(), contents));
    for (at, (comparison, places)) in chapter.comparisons.iter().enumerate() {
        let contents = "devices side by side".to_owned();
        let id = anchor(chapter, "devices", at);
        all.push(heading(3, id, format!("{sample}: {contents}"), contents));
        all.push(text("small", &comparison.shared));
        all.push(text("", glossary::DEVICES));
        all.push(Block::Pictures { caption: String::new(), places, record: None });
        all.push(wide(table::devices(comparison)));
    }
    let several = chapter.runs.windows(2).any(|pair| pair[0].entry.device != pair[1].entry.device);
    if several && chapter.comparisons.is_empty() {
        all.push(text("", glossary::NO_COMPARISON));
    }
    for (at, (sweep, places)) in chapter.sweeps.iter().enumerate() {
        let mut contents = format!("over {}", sweep.over);
        let head = format!("{sample} {contents}");
        if !sweep.told.is_empty() {
            contents += &format!(" ({})", sweep.told);
        }
        all.push(heading(3, anchor(chapter, "sweep", at), head, contents));
        all.push(text("small", with_colon(sweep.device, &sweep.fixed)));
        all.push(text("", glossary::SWEEP.to_owned() + &not_drawn(sweep.lines().len())));
        all.push(Block::Pictures { caption: String::new(), places, record: None });
        all.push(wide(table::sweep(sweep)));
    }
}

/// The section of a record.
fn figures<'c>(all: &mut Vec<Block<'c>>, run: &'c Run<'_>) {
    let (entry, record) = (run.entry, run.entry.record());
    let head = with_colon(&format!("{} on {}", record.sample, entry.device), &entry.differs);
    all.push(heading(3, entry.id.clone(), head, String::new()));
    conclusion(all, record);
    let flags: Vec<_> = provenance::flags(record).into_iter().map(|flag| ("", flag.long)).collect();
    if !flags.is_empty() {
        all.push(Block::List { class: "flags", lines: flags });
    }
    all.push(Block::File(Default::default(), &entry.found.path));
    let times = if counts_races(record) { glossary::RACES } else { glossary::LADDER };
    let caption = if run.scatters { format!("{times} {}", glossary::SCATTER) } else { times.to_owned() };
    all.push(Block::Pictures { caption, places: &run.pictures, record: Some(&entry.found.path) });
    all.push(wide(table::rows(record)));
    if let Some(published) = published(record) {
        all.extend([minor("Published figures beside measured"), wide(published)]);
    }
}

/// The headline and the verdict of a record; of one without a headline, the verdict alone.
fn conclusion<'c>(all: &mut Vec<Block<'c>>, record: &'c Record) {
    let Some(headline) = &record.headline else {
        all.extend(report::short(record).into_iter().map(|line| text("verdict", line)));
        return;
    };
    let Headline { claim, finding, outcome, .. } = headline;
    let published = headline.published.as_ref().map_or_else(String::new, |figure| format!(" ({figure})"));
    let claim = format!("Claim: {claim}{published} · {} {}", outcome.sign(), outcome.words());
    all.push(Block::Headline { finding, claim });
    all.extend(record.verdict.iter().flat_map(|verdict| verdict.lines()).map(|line| text("verdict", line)));
}

fn waves<'c>(all: &mut Vec<Block<'c>>, run: &'c Run<'_>) {
    let table = table::traces(run.entry.record());
    if table.is_some() || run.timeline.is_some() {
        all.push(minor("Waves over time"));
    }
    match &run.timeline {
        None => {}
        Some(Ok(at)) => all.push(Block::Timeline(*at)),
        Some(Err((path, why))) => {
            all.push(Block::File(["The timeline ".into(), format!(" is not shown: {why}.")], path));
        }
    }
    all.extend(table.map(wide));
}

/// The notes on a record's figures, and how they were measured.
fn provenance(all: &mut Vec<Block<'_>>, run: &Run<'_>) {
    let record = run.entry.record();
    let notes: Vec<_> = provenance::notes(record).into_iter().map(|line| ("", line)).collect();
    if !notes.is_empty() {
        all.extend([minor("Notes"), Block::List { class: "small", lines: notes }]);
    }
    all.extend([minor("How it was measured"), Block::Code(report::command(record))]);
    let arguments = Some(("Arguments", run.entry.configuration())).filter(|(_, all)| !all.is_empty());
    all.push(Block::Terms(report::facts(record).into_iter().chain(arguments).collect()));
    if let Some(lines) = provenance::self_test(record) {
        all.extend([minor("Self-test"), Block::List { class: "small", lines }]);
    }
}

/// Joins two texts: `pipelined_events on NVIDIA H200: size 512x512`.
fn with_colon(what: &str, more: &str) -> String {
    if more.is_empty() { what.to_owned() } else { format!("{what}: {more}") }
}

/// Says how many variants are in the table but not drawn: more lines could not be distinguished.
fn not_drawn(lines: usize) -> String {
    match lines.saturating_sub(Sweep::DRAWN) {
        0 => String::new(),
        more => format!(" {more} variants more are in the table and not drawn."),
    }
}

/// The id of a section. It uses the id of the chapter's first record, since the sample's name may contain any
/// characters.
fn anchor(chapter: &Chapter<'_>, what: &str, at: usize) -> String {
    let first = chapter.runs.first().map_or("", |run| run.entry.id.as_str());
    format!("{what}-{first}-{at}")
}
