//! The text of a report as blocks, which are printed as HTML or Markdown.

use std::path::Path;

use record::{Headline, Record};
use report::Table;

use super::cards::Card;
use super::glossary;
use super::ladder::counts_races;
use super::page_model::{Chapter, PageModel, Run};
use super::provenance::{self, Shared};
use super::published::published;
use super::records::Entry;
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
    /// The cards of all samples.
    Cards(&'c [Card<'c>]),
    /// A heading with its id for links, which may be empty.
    Heading { level: u8, id: String, text: String },
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
    /// Pictures by their indices, with a caption.
    Pictures { caption: String, places: &'c [usize] },
    /// A picture from a file.
    Timeline(usize),
    /// A table; if `stacks`, its cells are below each other on a narrow page.
    Table { table: Table, stacks: bool },
    /// Blocks that a reader opens by their summary.
    Details { summary: String, blocks: Vec<Block<'c>> },
}

/// All blocks of a report below its title, but for the glossary.
pub fn blocks<'c>(content: &'c PageModel<'_>) -> Vec<Block<'c>> {
    let mut all = vec![Block::Cards(&content.cards)];
    all.extend(first_waves(content).into_iter().flatten());
    for of in &content.chapters {
        chapter(&mut all, of);
        for run in &of.runs {
            figures(&mut all, run, of.runs.len() > 1);
            waves(&mut all, run, content.waves);
            provenance(&mut all, run, &content.shared);
        }
    }
    all.push(heading(2, "measured".into(), "How it was measured"));
    for device in &content.shared {
        let mut blocks = vec![Block::Terms(device.facts.clone())];
        let lines = device.self_test();
        if !lines.is_empty() {
            blocks.extend([minor("Self-test of the latest record"), Block::List { class: "small", lines }]);
        }
        all.push(Block::Details { summary: device.device.to_owned(), blocks });
    }
    all
}

/// The first timeline of the report, with the record that it is of.
fn first_waves<'c>(content: &'c PageModel<'_>) -> Option<[Block<'c>; 3]> {
    let at = content.waves?;
    let mut runs = content.chapters.iter().flat_map(|chapter| &chapter.runs);
    let entry = runs.find(|run| matches!(run.timeline, Some(Ok(of)) if of == at))?.entry;
    let head = format!("Waves of {} on {}", entry.record().sample, entry.device);
    let settings = text("small", entry.configuration());
    Some([heading(2, "waves".into(), &head), settings, Block::Timeline(at)])
}

fn heading<'c>(level: u8, id: String, text: &str) -> Block<'c> {
    Block::Heading { level, id, text: text.to_owned() }
}

fn minor<'c>(text: &str) -> Block<'c> {
    heading(4, String::new(), text)
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
    all.push(heading(2, chapter.id(), sample));
    if chapter.runs.len() > 1 {
        let entries: Vec<&Entry> = chapter.runs.iter().map(|run| run.entry).collect();
        let name = |entry: &&Entry| table::with_colon(&entry.device, &entry.differs);
        all.push(Block::Table { table: table::records("Record", &name, &entries), stacks: true });
    }
    for (at, (comparison, places)) in chapter.comparisons.iter().enumerate() {
        let id = chapter.anchor("devices", at);
        all.push(heading(3, id, &format!("{sample}: devices side by side")));
        all.push(text("small", &comparison.shared));
        all.push(text("", glossary::DEVICES));
        all.push(Block::Pictures { caption: String::new(), places });
        all.push(wide(table::devices(comparison)));
    }
    for (at, (sweep, places)) in chapter.sweeps.iter().enumerate() {
        all.push(heading(3, chapter.anchor("sweep", at), &format!("{sample} over {}", sweep.over)));
        all.push(text("small", table::with_colon(sweep.device, &sweep.fixed)));
        all.push(text("", glossary::SWEEP.to_owned() + &not_drawn(sweep.lines().len())));
        all.push(Block::Pictures { caption: String::new(), places });
        all.push(wide(table::sweep(sweep)));
    }
}

/// The section of a record.
fn figures<'c>(all: &mut Vec<Block<'c>>, run: &'c Run<'_>, has_siblings: bool) {
    let (entry, record) = (run.entry, run.entry.record());
    if has_siblings {
        let head = table::with_colon(&format!("{} on {}", record.sample, entry.device), &entry.differs);
        all.push(heading(3, entry.id.clone(), &head));
    }
    conclusion(all, record);
    let flags: Vec<_> = provenance::flags(record).into_iter().map(|flag| ("", flag.long)).collect();
    if !flags.is_empty() {
        all.push(Block::List { class: "flags", lines: flags });
    }
    all.push(Block::File(Default::default(), &entry.found.path));
    let times = if counts_races(record) { glossary::RACES } else { glossary::LADDER };
    let caption = if run.scatters { format!("{times} {}", glossary::SCATTER) } else { times.to_owned() };
    all.push(Block::Pictures { caption, places: &run.pictures });
    let rows = wide(table::rows(record));
    all.push(match counts_races(record) {
        true => Block::Details { summary: format!("All {} variants", record.rows.len()), blocks: vec![rows] },
        false => rows,
    });
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

fn waves<'c>(all: &mut Vec<Block<'c>>, run: &'c Run<'_>, first: Option<usize>) {
    let table = table::traces(run.entry.record());
    if table.is_some() || run.timeline.is_some() {
        all.push(minor("Waves over time"));
    }
    match &run.timeline {
        None => {}
        Some(Ok(at)) if Some(*at) == first => {
            all.push(text("small", "The picture is below the cards at the head of the page."));
        }
        Some(Ok(at)) => all.push(Block::Timeline(*at)),
        Some(Err((path, why))) => {
            all.push(Block::File(["The timeline ".into(), format!(" is not shown: {why}.")], path));
        }
    }
    all.extend(table.map(wide));
}

/// The notes on a record's figures, and how they were measured, but for what all records of its device share.
fn provenance<'c>(all: &mut Vec<Block<'c>>, run: &'c Run<'_>, shared: &[Shared<'_>]) {
    let record = run.entry.record();
    let notes: Vec<_> = provenance::notes(record).into_iter().map(|line| ("", line)).collect();
    if !notes.is_empty() {
        let notes = Block::List { class: "small", lines: notes };
        all.push(Block::Details { summary: "Notes".into(), blocks: vec![notes] });
    }
    let mut blocks = vec![Block::Code(provenance::command(record))];
    let arguments = Some(("Arguments", run.entry.configuration())).filter(|(_, all)| !all.is_empty());
    if let Some(shared) = shared.iter().find(|shared| shared.device == run.entry.device) {
        blocks.push(Block::Terms(shared.other_facts(record).into_iter().chain(arguments).collect()));
        let lines = shared.other_self_test(record);
        if !lines.is_empty() {
            blocks.extend([minor("Self-test"), Block::List { class: "small", lines }]);
        }
    }
    all.push(Block::Details { summary: "How it was measured".into(), blocks });
}

/// Says how many variants are in the table but not drawn: more lines could not be distinguished.
fn not_drawn(lines: usize) -> String {
    match lines.saturating_sub(Sweep::DRAWN) {
        0 => String::new(),
        more => format!(" {more} variants more are in the table and not drawn."),
    }
}
