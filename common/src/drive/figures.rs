//! What a sample may conclude its verdict from: the figures of a finished run.

use std::fmt;

use crate::facts::{DeviceFacts, Kind};
use crate::record::{Row, Status};
use crate::stats::Summary;

/// The rows of a run.
pub struct Figures<'r> {
    device: &'r DeviceFacts,
    rows: &'r [Row],
}

impl fmt::Debug for Figures<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Figures").field("rows", &self.rows.len()).finish_non_exhaustive()
    }
}

impl<'r> Figures<'r> {
    /// Of these rows, measured on `device`.
    #[must_use]
    pub fn new(device: &'r DeviceFacts, rows: &'r [Row]) -> Self {
        Self { device, rows }
    }

    /// The device is software: its times mean nothing.
    #[must_use]
    pub fn on_cpu(&self) -> bool {
        self.device.kind == Kind::Cpu
    }

    /// A variant that has figures.
    #[must_use]
    pub fn row(&self, variant: &str) -> Option<&'r Row> {
        self.rows.iter().find(|row| row.variant == variant && row.status == Status::Ok)
    }

    /// By how many microseconds the isolated time of `variant` exceeds that of `other`, paired by
    /// rounds, so that what moved both cancels.
    #[must_use]
    pub fn difference_us(&self, variant: &str, other: &str) -> Option<Summary> {
        let differences: Vec<f64> = self.pairs(variant, other)?.map(|(ours, theirs)| ours - theirs).collect();
        Summary::of(&differences)
    }

    /// The isolated time of `variant` divided by that of `other`, paired by rounds.
    #[must_use]
    pub fn ratio(&self, variant: &str, other: &str) -> Option<Summary> {
        let ratios: Vec<f64> = self.pairs(variant, other)?.map(|(ours, theirs)| ours / theirs).collect();
        Summary::of(&ratios)
    }

    /// The fastest of the variants that have figures and that `among` takes, by isolated time or by
    /// pipelined time.
    #[must_use]
    pub fn fastest(&self, pipelined: bool, among: impl Fn(&str) -> bool) -> Option<&'r Row> {
        let time = |row: &Row| if pipelined { row.pipelined_us } else { row.isolated_us };
        let measured = self.rows.iter().filter(|row| row.status == Status::Ok && among(&row.variant));
        let timed = measured.filter_map(|row| Some((row, time(row)?.median)));
        timed.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, _)| row)
    }

    /// Isolated times of the rounds that two variants share.
    fn pairs(&self, variant: &str, other: &str) -> Option<impl Iterator<Item = (f64, f64)> + use<'r>> {
        let (ours, theirs) = (&self.row(variant)?.samples, &self.row(other)?.samples);
        let mut theirs = theirs.iter().peekable();
        Some(ours.iter().filter_map(move |sample| {
            while theirs.next_if(|t| t.round < sample.round).is_some() {}
            let other = theirs.next_if(|t| t.round == sample.round)?;
            Some((sample.one_us, other.one_us))
        }))
    }
}
