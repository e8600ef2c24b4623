//! Tables of claims: a row per sample, a column per run of the suite.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use record::{Headline, Record};

use super::block::{Made, cell, target};
use crate::collect::{Found, collect};
use crate::report::order_of;

const CLAIMS: &str =
    "claims are asked for by: claims PAGES | DEVICE RUN [RECORD]... [| DEVICE RUN [RECORD]...]...";

/// What a column shows: a run of the suite, and single records, the later of which replace those before.
struct Run {
    /// Head of its column.
    head: String,
    /// Its folder, relative to the page.
    link: String,
    /// Those that have a headline, with their folders; records of earlier versions have none.
    records: Vec<(String, Record)>,
}

impl Run {
    fn of(head: &str, links: &[&str], folder: &Path) -> Result<Self> {
        let mut records = Vec::new();
        for (at, link) in links.iter().map(|link| link.trim_end_matches('/')).enumerate() {
            for Found { record, .. } in collect(&[folder.join(link)])? {
                let place = if at == 0 { format!("{link}/{}", record.sample) } else { link.to_owned() };
                records.push((place, record));
            }
        }
        records.retain(|(_, record)| record.headline.is_some());
        let link = links.first().context(CLAIMS)?.trim_end_matches('/').to_owned();
        Ok(Self { head: head.to_owned(), link, records })
    }

    /// The headline of a sample, and the folder of its record.
    fn headline(&self, sample: &str) -> Option<(&str, &Headline)> {
        let (link, record) = self.records.iter().rfind(|(_, record)| record.sample == sample)?;
        Some((link, record.headline.as_ref()?))
    }
}

/// The findings of the named runs.
///
/// # Errors
/// If the request is not valid, a record cannot be read, or a run has none with a headline.
pub(super) fn asked(folder: &Path, words: &[&str]) -> Result<Made> {
    let [pages, "|", runs @ ..] = words else { bail!(CLAIMS) };
    let run = |words: &[&str]| {
        let [device, links @ ..] = words else { bail!(CLAIMS) };
        ensure!(!links.is_empty(), "{CLAIMS}; '{device}' is no DEVICE RUN");
        Run::of(device, links, folder)
    };
    let runs: Vec<Run> = runs.split(|&word| word == "|").map(run).collect::<Result<_>>()?;
    for run in &runs {
        ensure!(!run.records.is_empty(), "{} has no record with a headline", run.link);
    }
    let finding = |headline: &Headline| headline.finding.clone();
    let label = format!("claims {}", runs.iter().map(|run| &*run.link).collect::<Vec<_>>().join(" "));
    Ok(Made { label, body: table(pages, &runs, &finding), drawing: None })
}

/// The figures of each driver's latest run below `results`. A CPU device says nothing of a claim and has no column.
///
/// # Errors
/// If a record cannot be read, or no run has headlines.
pub(super) fn by_driver(folder: &Path, pages: &str, results: &str) -> Result<Made> {
    let below = folder.join(results);
    let entries = fs::read_dir(&below).with_context(|| format!("reading {}", below.display()))?;
    let mut names: Vec<_> = entries.map(|entry| Ok(entry?.file_name())).collect::<Result<_>>()?;
    names.retain(|name| below.join(name).join("suite.json").is_file());
    let mut runs: Vec<Run> = Vec::new();
    for name in names {
        let link = format!("{}/{}", results.trim_end_matches('/'), name.to_string_lossy());
        let run = Run::of("", &[&link], folder)?;
        let Some((_, first)) = run.records.first().filter(|(_, first)| !first.device.is_cpu()) else {
            continue;
        };
        runs.push(Run { head: format!("{} ({})", first.device.name, first.device.driver()), ..run });
    }
    // A later run of a few samples does not replace one of all.
    runs.sort_by_key(|run| {
        let started = run.records.first().map(|(_, record)| record.started.clone());
        Reverse((run.records.len(), started))
    });
    let mut heads = BTreeSet::new();
    runs.retain(|run| heads.insert(run.head.clone()));
    runs.sort_by(|a, b| a.head.cmp(&b.head));
    ensure!(!runs.is_empty(), "no run of the suite below {results} has headlines");
    let figure = |headline: &Headline| match &headline.value {
        Some(value) => value.text(),
        None => headline.outcome.words().to_owned(),
    };
    Ok(Made { label: format!("drivers {results}"), body: table(pages, &runs, &figure), drawing: None })
}

/// A row per sample: the claim, linked to its page below `pages`, the source's figure, and `shown` of each run. The
/// suite's own question comes first, then claims with a published figure.
fn table(pages: &str, runs: &[Run], shown: &dyn Fn(&Headline) -> String) -> String {
    let mut samples: Vec<&str> = Vec::new();
    for (_, record) in runs.iter().flat_map(|run| &run.records) {
        if !samples.contains(&&*record.sample) {
            samples.push(&record.sample);
        }
    }
    let mut rows = Vec::new();
    for sample in samples {
        let found: Vec<_> = runs.iter().map(|run| run.headline(sample)).collect();
        let Some((_, headline)) = found.iter().flatten().next() else { continue };
        let page = target(&format!("{pages}/{sample}.md"));
        let mut cells = vec![
            format!("[{}]({page})", cell(&headline.claim)),
            headline.published.as_deref().map_or_else(String::new, cell),
        ];
        cells.extend(found.iter().map(|found| match found {
            Some((link, found)) => {
                format!("{} [{}]({})", found.outcome.sign(), cell(&shown(found)), target(link))
            }
            None => "–".into(),
        }));
        rows.push(((order_of(sample), headline.published.is_none()), format!("| {} |\n", cells.join(" | "))));
    }
    rows.sort_by_key(|(key, _)| *key);
    let heads: Vec<String> = runs.iter().map(|run| cell(&run.head)).collect();
    let head =
        format!("| The claim | The source | {} |\n|{}\n", heads.join(" | "), "---|".repeat(runs.len() + 2));
    rows.into_iter().fold(head, |page, (_, row)| page + &row)
}
