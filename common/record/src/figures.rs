//! The figures of a finished run, from which a sample derives its verdict.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats::Summary;
use crate::trace::TraceFigures;
use crate::{Cost, Limit, Metric, Row, Sample, Status, Traced, Value, is_limit};

/// The rows of a run.
pub struct Figures<'r> {
    rows: &'r [Row],
}

/// One of a variant's two times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Time {
    /// One repetition, alone in its submit.
    Isolated,
    /// One more repetition after others.
    Pipelined,
}

/// The share of one of the device's own limits that a variant reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The limit.
    pub limit: Limit,
    /// 1 if the variant moves or computes as much per microsecond as the limit.
    pub share: Summary,
}

impl fmt::Debug for Figures<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Figures").field("rows", &self.rows.len()).finish_non_exhaustive()
    }
}

impl<'r> Figures<'r> {
    /// The figures of the given rows.
    #[must_use]
    pub fn new(rows: &'r [Row]) -> Self {
        Self { rows }
    }

    /// The row of a variant, if it has figures.
    #[must_use]
    pub fn row(&self, variant: &str) -> Option<&'r Row> {
        self.rows.iter().find(|row| row.variant == variant && row.status == Status::Ok)
    }

    /// The figures of a variant's trace, if it was traced.
    #[must_use]
    pub fn trace(&self, variant: &str) -> Option<&'r TraceFigures> {
        match &self.row(variant)?.trace {
            Some(Traced::Ok { figures, .. }) => Some(figures),
            _ => None,
        }
    }

    /// The figure that a variant's kernels told.
    #[must_use]
    pub fn metric(&self, variant: &str) -> Option<Value> {
        let Metric { unit, figure } = self.row(variant)?.metric.as_ref()?;
        Some(Value::of(figure, 1.0, unit))
    }

    /// Median of a time of a variant, in microseconds.
    #[must_use]
    pub fn us(&self, time: Time, variant: &str) -> Option<f64> {
        median(time, self.row(variant)?)
    }

    /// The time alone of `variant` minus that of `other`, in microseconds, paired by rounds so that common
    /// influences cancel.
    #[must_use]
    pub fn difference_us(&self, variant: &str, other: &str) -> Option<Summary> {
        let differences: Vec<f64> = self.pairs(variant, other)?.map(|(ours, theirs)| ours - theirs).collect();
        Summary::of(&differences)
    }

    /// The time alone of `variant` divided by that of `other`, paired by rounds.
    #[must_use]
    pub fn ratio(&self, variant: &str, other: &str) -> Option<Summary> {
        let ratios: Vec<f64> = self.pairs(variant, other)?.map(|(ours, theirs)| ours / theirs).collect();
        Summary::of(&ratios)
    }

    /// The time back to back of `variant` divided by that of `other`, paired by rounds. `None` if either is lost in
    /// noise.
    #[must_use]
    pub fn pipelined_ratio(&self, variant: &str, other: &str) -> Option<Summary> {
        let (ours, theirs) = (self.row(variant)?, self.row(other)?);
        ours.pipelined_us.and(theirs.pipelined_us)?;
        // Both times would be divided by the same number of repetitions.
        let further = |sample: &Sample| Some(sample.many_us? - sample.one_us);
        let ratios: Option<Vec<f64>> =
            paired(ours, theirs).map(|(ours, theirs)| Some(further(ours)? / further(theirs)?)).collect();
        Summary::of(&ratios?)
    }

    /// [`Self::ratio`] or [`Self::pipelined_ratio`].
    #[must_use]
    pub fn ratio_of(&self, time: Time, variant: &str, other: &str) -> Option<Summary> {
        match time {
            Time::Isolated => self.ratio(variant, other),
            Time::Pipelined => self.pipelined_ratio(variant, other),
        }
    }

    /// The share of the device's own limit that `variant` reaches, in time alone and paired by rounds: of the faster
    /// copy, and the larger share if it declares both bytes and operations. `None` if no limit was measured or its
    /// results were wrong.
    #[must_use]
    pub fn share_of_limit(&self, variant: &str) -> Option<Share> {
        let row = self.row(variant)?;
        let shares: Vec<Share> = row.declared.costs().filter_map(|cost| self.share(row, cost)).collect();
        let by_share = |a: &Share, b: &Share| a.share.median.total_cmp(&b.share.median);
        let of = |limit| shares.iter().filter(move |share| share.limit == limit).copied().min_by(by_share);
        [of(Limit::Copy), of(Limit::Fma)].into_iter().flatten().max_by(by_share)
    }

    #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
    fn share(&self, row: &Row, cost: Cost<'_>) -> Option<Share> {
        let limit = self.row(cost.variant)?;
        let whole = limit.declared.costs().find(|whole| whole.limit == cost.limit)?.amount as f64;
        let part = cost.amount as f64 / whole;
        let shares: Vec<f64> =
            paired(row, limit).map(|(ours, limit)| part * limit.one_us / ours.one_us).collect();
        Some(Share { limit: cost.limit, share: Summary::of(&shares)? })
    }

    /// Name and median in microseconds of the fastest of the sample's variants that have figures and satisfy
    /// `among`. The device's own limits do not count.
    #[must_use]
    pub fn fastest(&self, time: Time, among: impl Fn(&str) -> bool) -> Option<(&'r str, f64)> {
        let wanted = |row: &&Row| !is_limit(&row.variant) && among(&row.variant);
        let measured = self.rows.iter().filter(|row| row.status == Status::Ok).filter(wanted);
        let timed = measured.filter_map(|row| Some((&*row.variant, median(time, row)?)));
        timed.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Times alone of both variants in the rounds that they share.
    fn pairs(&self, variant: &str, other: &str) -> Option<impl Iterator<Item = (f64, f64)> + use<'r>> {
        let pairs = paired(self.row(variant)?, self.row(other)?);
        Some(pairs.map(|(ours, theirs)| (ours.one_us, theirs.one_us)))
    }
}

fn median(time: Time, row: &Row) -> Option<f64> {
    let summary = match time {
        Time::Isolated => row.isolated_us,
        Time::Pipelined => row.pipelined_us,
    };
    Some(summary?.median)
}

/// The samples of both rows in the rounds that they share.
fn paired<'r>(row: &'r Row, other: &'r Row) -> impl Iterator<Item = (&'r Sample, &'r Sample)> {
    let mut theirs = other.samples.iter().peekable();
    row.samples.iter().filter_map(move |sample| {
        while theirs.next_if(|t| t.round < sample.round).is_some() {}
        Some((sample, theirs.next_if(|t| t.round == sample.round)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Interval;
    use crate::{COPY_LIMIT, COPY_LIMIT_BUFFER, Declared, FMA_LIMIT, fixture};

    fn figures(record: &crate::Record) -> Figures<'_> {
        Figures::new(&record.rows)
    }

    #[test]
    fn a_limit_reaches_itself_and_the_others_a_part() {
        let record = fixture::limits();
        let share = |variant| {
            let Share { limit, share } = figures(&record).share_of_limit(variant)?;
            Some((limit, (share.median * 1e6).round() / 1e6))
        };
        assert_eq!(share(COPY_LIMIT), Some((Limit::Copy, 1.0)));
        assert_eq!(share(FMA_LIMIT), Some((Limit::Fma, 1.0)));
        // 0.9 GB in 500 µs, where the copy moves 1 GB in 250 µs; 1 GFLOP, where 5 take 100 µs.
        assert_eq!(share("direct"), Some((Limit::Copy, 0.45)));
        assert_eq!(share("solver"), Some((Limit::Fma, 0.8)));
        assert_eq!(share("blank"), None, "it declares nothing");
        assert_eq!(share("nobody"), None);
    }

    #[test]
    fn a_share_is_paired_by_rounds() {
        let mut record = fixture::limits();
        // The clock halves after the first third of the rounds; the variant misses one of them.
        for row in &mut record.rows {
            row.samples.iter_mut().skip(4).for_each(|sample| sample.one_us *= 2.0);
        }
        let direct = record.rows.iter_mut().find(|row| row.variant == "direct").unwrap();
        direct.samples.remove(1);
        let share = figures(&record).share_of_limit("direct").unwrap().share;
        assert!((share.median - 0.45).abs() < 1e-9 && share.stdev < 1e-3, "{share:?}");
        assert_eq!(share.n, 11);
        let Interval { low, high } = share.median_95.unwrap();
        assert!(low <= share.median && share.median <= high);
    }

    #[test]
    fn a_limit_that_was_wrong_is_none() {
        let mut record = fixture::limits();
        let copy = record.rows.iter_mut().find(|row| row.variant == COPY_LIMIT).unwrap();
        copy.status = Status::Wrong { elements: 1, first: String::new() };
        assert_eq!(figures(&record).share_of_limit("shared"), None);
        // The FMA limit still applies.
        assert_eq!(figures(&record).share_of_limit("direct").map(|share| share.limit), Some(Limit::Fma));
    }

    #[test]
    fn the_faster_copy_is_the_limit() {
        let share = |speed_up: f64| {
            let mut record = fixture::limits();
            let copy = record.rows.iter().find(|row| row.variant == COPY_LIMIT).unwrap();
            let mut buffer = Row { variant: COPY_LIMIT_BUFFER.into(), ..copy.clone() };
            buffer.samples.iter_mut().for_each(|sample| sample.one_us /= speed_up);
            record.rows.push(buffer);
            [COPY_LIMIT, COPY_LIMIT_BUFFER, "direct"].map(|variant| {
                (1000.0 * figures(&record).share_of_limit(variant).unwrap().share.median).round()
            })
        };
        assert_eq!([share(2.0), share(0.5)], [[500.0, 1000.0, 225.0], [1000.0, 500.0, 450.0]]);
    }

    #[test]
    fn volumes_are_set_against_the_copy_of_volumes() {
        let mut record = fixture::limits();
        let shared = record.rows.iter_mut().find(|row| row.variant == "shared").unwrap();
        shared.declared = Declared { limit: Some("copy_limit_3d".into()), ..shared.declared.clone() };
        assert_eq!(figures(&record).share_of_limit("shared"), None, "no volume was copied");
    }

    #[test]
    fn ratios_of_both_times_are_paired() {
        let record = fixture::limits();
        let figures = figures(&record);
        let near = |summary: Option<Summary>, median: f64| (summary.unwrap().median - median).abs() < 1e-9;
        assert!(near(figures.ratio("shared", "direct"), 0.6));
        assert!(near(figures.pipelined_ratio("shared", "direct"), 0.5));
        assert_eq!(figures.us(Time::Isolated, "direct"), Some(500.0));
        assert_eq!(figures.us(Time::Pipelined, "shared"), Some(200.0));
        assert!(near(figures.difference_us("direct", "shared"), 200.0));
    }

    #[test]
    fn a_time_that_is_lost_in_noise_has_no_ratio() {
        let mut record = fixture::limits();
        record.rows.iter_mut().find(|row| row.variant == "shared").unwrap().pipelined_us = None;
        assert_eq!(figures(&record).pipelined_ratio("shared", "direct"), None);
        assert_eq!(figures(&record).pipelined_ratio("direct", "shared"), None);
    }

    #[test]
    fn the_fastest_is_a_variant_of_the_sample() {
        let record = fixture::limits();
        let fastest = |time, left_out: &str| Some(figures(&record).fastest(time, |name| name != left_out)?.0);
        assert_eq!(fastest(Time::Isolated, ""), Some("solver"));
        assert_eq!(fastest(Time::Pipelined, "solver"), Some("shared"));
        assert!(figures(&record).fastest(Time::Isolated, |name| name == COPY_LIMIT).is_none());
    }
}
