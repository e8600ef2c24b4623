//! The results of a comparison of two runs, as `--json` writes them.

use std::collections::BTreeMap;

use record::judge::Verdict;
use record::{Racy, Record, Row, Shows, Status};
use serde::Serialize;

use super::rule::{self, Judged, Limits};

/// Version of the layout of [`Comparison`].
pub const SCHEMA: u32 = 1;

/// The records of two runs, compared.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The value of [`SCHEMA`] when it was written.
    pub schema: u32,
    /// Relative difference that does not count: 0.01 for one per cent. The timestamps' step is added.
    pub tolerance: f64,
    /// Number of variants per outcome.
    pub counts: BTreeMap<Outcome, usize>,
    /// One per pair of records, in the order of the first side.
    pub pairs: Vec<Pair>,
    /// What the second side lacks, one line each: variants, their figures, whole records, or a complete run.
    pub lost: Vec<String>,
    /// What could not be compared, and other notes on the whole comparison.
    pub notes: Vec<String>,
}

/// Two records of the same sample and configuration.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    /// Name of the sample.
    pub sample: String,
    /// Its configuration.
    pub configuration: BTreeMap<String, String>,
    /// File of the first record.
    pub before: String,
    /// File of the second record.
    pub after: String,
    /// Other differences between the two that may explain the results.
    pub differences: Vec<String>,
    /// One per variant that both have, in the order of the first record.
    pub rows: Vec<Change>,
    /// Variants that only the first record has.
    pub only_before: Vec<String>,
    /// Variants that only the second record has.
    pub only_after: Vec<String>,
    /// How the second run ended, if it failed or was cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_early: Option<String>,
}

/// The change of a variant between the runs.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// Its name.
    pub variant: String,
    /// What people read in place of the name.
    pub label: String,
    /// The outcome.
    pub outcome: Outcome,
    /// The change of its status, or the status of a variant without figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Whether it had figures before and has none after.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    /// The change of its time alone.
    pub isolated: Option<Judged>,
    /// The change of its time back to back.
    pub pipelined: Option<Judged>,
}

/// The outcome for a variant, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was correct and is wrong, or it can no longer be measured.
    Broken,
    /// It takes more time.
    Slower,
    /// Its status differs, and it is not broken.
    Changed,
    /// It takes less time.
    Faster,
    /// The samples do not decide it.
    Unsure,
    /// It takes the same time or, where wrong results are counted, has some as before or none as before.
    Same,
    /// It has no figures on either side.
    Without,
}

impl Outcome {
    /// The word shown to users.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Broken => "BROKEN",
            Self::Slower => Verdict::Slower.word(),
            Self::Changed => "CHANGED",
            Self::Faster => Verdict::Faster.word(),
            Self::Unsure => Verdict::Unsure.word(),
            Self::Same => Verdict::Same.word(),
            Self::Without => "WITHOUT FIGURES",
        }
    }

    /// Combines the verdicts of a variant's two times. A program may depend on either, so a variant that is slower
    /// in one is slower. The time back to back is a small difference of large ones and often undecided; in that case
    /// the time alone decides.
    fn of(isolated: Verdict, pipelined: Option<Verdict>) -> Self {
        let times = [Some(isolated), pipelined];
        match isolated {
            _ if times.contains(&Some(Verdict::Slower)) => Self::Slower,
            _ if times.contains(&Some(Verdict::Faster)) => Self::Faster,
            Verdict::Same => Self::Same,
            _ => Self::Unsure,
        }
    }
}

impl Pair {
    /// What the second record lacks.
    fn lost(&self) -> Vec<String> {
        let (sample, after) = (&self.sample, &self.after);
        let mut lines = Vec::new();
        if let Some(how) = &self.ended_early {
            lines.push(format!("the run of {sample} in {after} {how}"));
        }
        if !self.only_before.is_empty() {
            lines.push(format!("{} of {sample}: not in {after}", self.only_before.join(", ")));
        }
        let figures = self.rows.iter().filter(|row| row.lost);
        lines.extend(figures.map(|row| {
            format!("{} of {sample}: {}", row.label, row.status.as_deref().unwrap_or("no figures"))
        }));
        lines
    }
}

impl Comparison {
    /// Counts the outcomes of the variants in `pairs`.
    #[must_use]
    pub fn new(tolerance: f64, pairs: Vec<Pair>, notes: Vec<String>) -> Self {
        let mut counts = BTreeMap::new();
        for row in pairs.iter().flat_map(|pair| &pair.rows) {
            *counts.entry(row.outcome).or_default() += 1;
        }
        let lost = pairs.iter().flat_map(Pair::lost).collect();
        Self { schema: SCHEMA, tolerance, counts, pairs, lost, notes }
    }

    /// Number of variants with this outcome.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        self.counts.get(&outcome).copied().unwrap_or(0)
    }
}

/// Compares a variant. A change of its status takes precedence over times.
#[must_use]
pub fn change(before: (&Row, &Record), after: (&Row, &Record), limits: Limits) -> Change {
    let (old, new) = (before.0, after.0);
    let mut change = Change {
        variant: old.variant.clone(),
        label: old.label().to_owned(),
        outcome: Outcome::Without,
        status: None,
        lost: false,
        isolated: None,
        pipelined: None,
    };
    let (was, is) = (old.status.word(), new.status.word());
    if was != is {
        let broken = matches!(new.status, Status::Wrong { .. } | Status::Error { .. });
        change.outcome = if broken { Outcome::Broken } else { Outcome::Changed };
        change.lost = old.status == Status::Ok;
        let why = new.status.reason().map_or_else(String::new, |reason| format!(": {reason}"));
        change.status = Some(format!("{was} → {is}{why}"));
        return change;
    }
    if old.status != Status::Ok {
        change.status = Some(format!("{is} on both sides"));
        return change;
    }
    if [before.1, after.1].into_iter().all(counts_wrong_results) {
        (change.outcome, change.status) = counted(old, new);
        return change;
    }
    change.isolated = rule::isolated(old, new, limits);
    change.pipelined =
        rule::pipelined((old, before.1.method.repetitions), (new, after.1.method.repetitions), limits);
    change.outcome = match &change.isolated {
        Some(isolated) => Outcome::of(isolated.verdict, change.pipelined.as_ref().map(|p| p.verdict)),
        None if old.isolated_us.is_none() && new.isolated_us.is_none() => Outcome::Without,
        None => Outcome::Unsure,
    };
    if change.isolated.is_none() {
        change.status = Some("no samples are kept".into());
    }
    change
}

/// Whether the run made trials, whose times say nothing.
pub(super) fn counts_wrong_results(record: &Record) -> bool {
    record.matrix.as_ref().is_some_and(|matrix| matrix.shows == Shows::Races)
}

/// Compares whether trials had wrong results. How many had is chance.
fn counted(before: &Row, after: &Row) -> (Outcome, Option<String>) {
    let [Some(old), Some(new)] = [before.racy, after.racy] else {
        return (Outcome::Unsure, Some("no trials are kept".into()));
    };
    if (old.racy_samples > 0) == (new.racy_samples > 0) {
        return (Outcome::Same, None);
    }
    let wrong = |racy: Racy| format!("wrong in {} of {} trials", racy.racy_samples, racy.samples);
    (Outcome::Changed, Some(format!("{} → {}", wrong(old), wrong(new))))
}
