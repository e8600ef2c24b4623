//! What became of variants between two runs: what `--json` writes.

use std::collections::BTreeMap;

use record::judge::Verdict;
use record::{Record, Row, Status};
use serde::Serialize;

use super::rule::{self, Judged, Limits};

/// Version of this layout.
pub const SCHEMA: u32 = 1;

/// The records of two runs, compared.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// [`SCHEMA`].
    pub schema: u32,
    /// What is no difference, as a share: 0.01 for a per cent. The step of the timestamps comes on top.
    pub tolerance: f64,
    /// How often each outcome occurs.
    pub counts: BTreeMap<Outcome, usize>,
    /// One a pair of records, in the order of the first.
    pub pairs: Vec<Pair>,
    /// What the first side has and the second lacks, a line each: variants, their figures, whole records,
    /// or the end of a run.
    pub lost: Vec<String>,
    /// What could not be compared, and anything else about the two as a whole, in words.
    pub notes: Vec<String>,
}

/// Two records of the same sample and configuration.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    /// Name of the sample.
    pub sample: String,
    /// Its configuration.
    pub configuration: BTreeMap<String, String>,
    /// File of the record before.
    pub before: String,
    /// File of the record after.
    pub after: String,
    /// What else is different between the two and may explain what follows, in words.
    pub differences: Vec<String>,
    /// One a variant that both have, in the order of the first.
    pub rows: Vec<Change>,
    /// Variants that only the record before has.
    pub only_before: Vec<String>,
    /// Variants that only the record after has.
    pub only_after: Vec<String>,
    /// How the run after ended, where it failed or was cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_early: Option<String>,
}

/// What became of one variant.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// Its name.
    pub variant: String,
    /// In one word.
    pub outcome: Outcome,
    /// Where it has another status, or none with figures: what became of that, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// It had figures and has none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    /// Its isolated time.
    pub isolated: Option<Judged>,
    /// Its pipelined time.
    pub pipelined: Option<Judged>,
}

/// What became of a variant, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was right and is wrong, or can no longer be measured.
    Broken,
    /// It takes more time.
    Slower,
    /// It has another status than before, without being broken.
    Changed,
    /// It takes less time.
    Faster,
    /// The samples do not decide it.
    Unsure,
    /// It takes as long as before.
    Same,
    /// It has no figures on either side.
    Without,
}

impl Outcome {
    /// The word that a reader sees.
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

    /// Of the two times of a variant. Either may be the one that a program is made of, so that what is
    /// slower in one is slower, whatever the other does; but the pipelined time is a small difference of
    /// large ones and often undecided, which then takes nothing from the isolated time's verdict.
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
    /// What the second record lacks of what the first has.
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
            format!("{} of {sample}: {}", row.variant, row.status.as_deref().unwrap_or("no figures"))
        }));
        lines
    }
}

impl Comparison {
    /// Counts what became of the variants of `pairs`.
    #[must_use]
    pub fn new(tolerance: f64, pairs: Vec<Pair>, notes: Vec<String>) -> Self {
        let mut counts = BTreeMap::new();
        for row in pairs.iter().flat_map(|pair| &pair.rows) {
            *counts.entry(row.outcome).or_default() += 1;
        }
        let lost = pairs.iter().flat_map(Pair::lost).collect();
        Self { schema: SCHEMA, tolerance, counts, pairs, lost, notes }
    }

    /// How many variants came out so.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        self.counts.get(&outcome).copied().unwrap_or(0)
    }
}

/// What became of a variant. Another status comes before any time.
#[must_use]
pub fn change(before: (&Row, &Record), after: (&Row, &Record), limits: Limits) -> Change {
    let (old, new) = (before.0, after.0);
    let mut change = Change {
        variant: old.variant.clone(),
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
