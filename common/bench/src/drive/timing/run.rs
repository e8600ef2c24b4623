//! A run: first samples, which show whether a variant runs at all and how long its submits take; then rounds; then
//! traces and pictures.

use std::ops::ControlFlow;
use std::time::Duration;

use anyhow::{Result, ensure};
use record::error::one_line;
use record::{Ended, Method, Painting, Row};

use super::conclusion::headline;
use super::device::Device;
use super::plan::LONGEST_SUBMIT_US;
use super::step::{Measured, Phase, SoFar, Step, Told, Watch};
use crate::drive::session::Session;
use crate::drive::trace::{self, Subject};
use crate::lab::{Lab, Shown};
use crate::measure::{self, Failure, Outcome, Pair, Plan, Reading, Target};

/// Number of samples in which a GPU can raise its clock before the number of repetitions is reduced.
const MOST_SETTLING: u32 = 8;

/// Share of the time for the windows of the fewest samples; the rest is for filling and comparing. With 0.75 `clears`
/// took 17 samples on an H200.
const SHARE_OF_WINDOWS: f64 = 0.6;

/// The state of a run.
pub(super) struct Run<'r, 'l, 'w> {
    pub told: Told<'r, 'l>,
    pub plan: Plan,
    pub method: Method,
    pub target: Device<'r>,
    /// The samples before any round. They are all that exists of a row if the run ends early.
    pub first: Vec<measure::Row>,
    pub watch: &'r mut Watch<'w>,
}

impl Run<'_, '_, '_> {
    /// Takes the first samples, then rounds until every row has enough.
    pub fn sample(&mut self) -> Outcome {
        let mut outcome = self.probe_and_rounds().unwrap_or_else(|error| self.nothing(false, Some(error)));
        if outcome.aborted.is_none() && !outcome.interrupted {
            // Measured again: on an H200 that had been idle, empty windows took up to twice as long before.
            match self.target.session.floor_us() {
                Ok(floor_us) => self.method.floor_us = floor_us,
                Err(error) => outcome.aborted = Some(error),
            }
        }
        outcome.rows = with_first(&outcome.rows, &self.first);
        self.method.reference_mhz = outcome.reference_mhz;
        outcome
    }

    fn probe_and_rounds(&mut self) -> Result<Outcome> {
        let probed = self.probe()?;
        // Clear the maps, so that the picture is of the same samples as the table.
        self.target.session.forget_maps()?;
        if probed.is_break() {
            return Ok(self.nothing(true, None));
        }
        // A watched run shows times long before its end.
        if self.plan.newest.is_some() {
            self.method.floor_us = self.target.session.floor_us()?;
        }
        Ok(self.rounds())
    }

    fn rounds(&mut self) -> Outcome {
        measure::run(&self.plan, &mut self.target, &mut |progress| {
            let so_far = || {
                let method = Method { reference_mhz: progress.reference_mhz, ..self.method.clone() };
                let rows = with_first(progress.rows, &self.first);
                self.told.so_far(&rows, method, &self.plan)
            };
            (self.watch)(&Step {
                phase: Phase::Measuring,
                variant: &self.told.lab.variants[progress.row].name,
                rows_done: progress.rows_done,
                rounds: progress.rounds,
                spent: progress.spent,
                elapsed: progress.elapsed,
                so_far: &so_far,
            })
        })
    }

    fn nothing(&self, interrupted: bool, aborted: Option<anyhow::Error>) -> Outcome {
        let row = measure::Row { stop: Some(record::Stop::Interrupted), ..measure::Row::default() };
        Outcome { reference_mhz: None, rows: vec![row; self.first.len()], interrupted, aborted }
    }

    /// Traces and paints after the times are measured; the first failure skips the rest.
    pub fn look(&mut self, measured: &mut Measured) -> Result<()> {
        let lab = self.told.lab;
        if lab.traces() && measured.ended == Ended::Complete {
            self.trace(measured)?;
        }
        measured.maps = self.target.session.maps()?;
        if let Some(shown) = lab.report.shown.as_ref().filter(|_| lab.maps_races) {
            measured.painting = paint(lab, &mut self.target.session, shown, &measured.rows)?;
        }
        Ok(())
    }

    /// Traces each variant that has a time, for its row.
    fn trace(&mut self, Measured { rows, traces, ended, .. }: &mut Measured) -> Result<()> {
        let lab = self.told.lab;
        let mut subjects = Vec::new();
        for (variant, plan) in self.plan.rows.iter().enumerate() {
            let here = lab.variants[variant].timed_by.is_none();
            if let Some(times) = rows[variant].isolated_us.filter(|_| here) {
                subjects.push(Subject { variant, isolated_us: times.median, plan });
            }
        }
        let measured = rows.to_vec();
        let so_far = || SoFar { method: self.method.clone(), rows: measured.clone(), notes: Vec::new() };
        let mut stopped = |variant: usize| {
            let variant = &lab.variants[variant].name;
            let (phase, rows_done, elapsed) = (Phase::Tracing, measured.len(), Duration::ZERO);
            (self.watch)(&Step { phase, variant, rows_done, rounds: 0, spent: 1.0, elapsed, so_far: &so_far })
                .is_break()
        };
        let compared = headline(lab, rows).compared;
        let compared = compared.into_iter().flat_map(|compared| [compared.variant, compared.other]);
        let order: Vec<String> = compared.chain(lab.report.drawn.iter().cloned()).collect();
        let traced = trace::trace(&mut self.target.session, subjects, &order, &mut stopped)?;
        if traced.interrupted {
            *ended = Ended::Interrupted;
        }
        for (variant, traced) in traced.rows {
            rows[variant].trace = Some(traced);
        }
        *traces = traced.drawn;
        Ok(())
    }

    /// Takes a first sample of each variant and verifies the device's count of wrong elements on the CPU. Takes a
    /// second sample, with warm pipelines, and reduces the repetitions of the long submit if it would take too
    /// long.
    fn probe(&mut self) -> Result<ControlFlow<()>> {
        // A driver that crashes does so at a variant's first sample, before any round. The samples of the other
        // variants are then all that exists.
        let (mut longest, mut round): (f64, f64) = (0.0, 0.0);
        for row in 0..self.first.len() {
            if self.plan.rows[row].left_out {
                continue;
            }
            if self.is_stopped_at(row) {
                return Ok(ControlFlow::Break(()));
            }
            let sampled = self.first_sample(row).and_then(|()| self.settled(row));
            match sampled {
                Ok(reading) => {
                    longest = longest.max(reading.gpu_us);
                    round += reading.gpu_us;
                    self.first[row].pairs = vec![Pair { round: 0, one: reading, many: None }];
                }
                Err(Failure::Variant(_)) => {}
                Err(Failure::Run(error)) => {
                    self.first[row].failure = Some(one_line(&error));
                    return Err(error);
                }
            }
        }
        let left = self.plan.budget.saturating_sub(self.target.elapsed());
        self.plan.repetitions = fitting(&self.plan, left, longest, round);
        self.method.repetitions = self.plan.repetitions;
        Ok(ControlFlow::Continue(()))
    }

    fn is_stopped_at(&mut self, row: usize) -> bool {
        let so_far = || self.told.so_far(&self.first, self.method.clone(), &self.plan);
        let (phase, variant) = (Phase::Probing, &self.told.lab.variants[row].name);
        let elapsed = self.target.elapsed();
        (self.watch)(&Step { phase, variant, rows_done: 0, rounds: 0, spent: 0.0, elapsed, so_far: &so_far })
            .is_break()
    }

    fn first_sample(&mut self, row: usize) -> Result<(), Failure> {
        let reading = self.target.sample(row, 1)?;
        self.trust(row, &reading).map_err(Failure::Run)?;
        self.note_wrong(row, reading);
        Ok(())
    }

    /// Compares the device's count of wrong elements with the CPU's count in the same images.
    fn trust(&mut self, row: usize, reading: &Reading) -> Result<()> {
        let on_cpu = self.target.session.count_on_cpu(row, 1)?;
        ensure!(
            on_cpu == reading.wrong,
            "the device counted {} wrong elements in {}, the CPU {on_cpu} in the same images: the check \
             itself is not to be trusted here",
            reading.wrong,
            self.told.lab.variants[row].name
        );
        Ok(())
    }

    /// Takes a sample with warm pipelines. If it predicts a too long submit, returns the shortest of several
    /// samples: an idle GPU starts at a fraction of its clock (an H200 at a quarter).
    fn settled(&mut self, row: usize) -> Result<Reading, Failure> {
        let mut shortest = self.target.sample(row, 1)?;
        for _ in 0..MOST_SETTLING {
            let long_us = shortest.gpu_us * f64::from(self.plan.repetitions);
            if shortest.wrong > 0 || long_us <= LONGEST_SUBMIT_US {
                break;
            }
            let next = self.target.sample(row, 1)?;
            if next.gpu_us < shortest.gpu_us || next.wrong > 0 {
                shortest = next;
            }
        }
        self.note_wrong(row, shortest);
        Ok(shortest)
    }

    fn note_wrong(&mut self, row: usize, reading: Reading) {
        let wrong = self.plan.rows[row].refuses(&reading, 1).then_some(reading);
        let known = self.plan.rows[row].known_wrong.or(wrong);
        self.plan.rows[row].known_wrong = known;
        self.first[row].wrong = known;
    }
}

/// The plan's repetitions, or fewer: so few that the longest submit is short enough, and that the warm-up and the fewest
/// samples of a row fit into the time that is left. `longest` and `round` are the longest time of a repetition and the
/// sum of all, in µs.
fn fitting(plan: &Plan, left: Duration, longest: f64, round: f64) -> u32 {
    let rounds = plan.rule.min_samples as f64 + f64::from(plan.warm_up);
    let fits = |n: u32| rounds * f64::from(n + 1) * round <= SHARE_OF_WINDOWS * left.as_secs_f64() * 1e6;
    let mut n = plan.repetitions;
    while n > 2 && !fits(n) {
        n = (n / 2).max(2);
    }
    let short = (1..=n).rev().find(|&n| longest * f64::from(n) <= LONGEST_SUBMIT_US);
    short.unwrap_or(1)
}

/// The engine's rows; for a row without samples, the samples from before the rounds.
pub(super) fn with_first(engine: &[measure::Row], first: &[measure::Row]) -> Vec<measure::Row> {
    let or_first = |(row, first): (&measure::Row, &measure::Row)| {
        let mut row = row.clone();
        let is_known = row.wrong.is_some() || row.failure.is_some() || row.discarded > 0;
        if row.pairs.is_empty() && !is_known {
            row.pairs.clone_from(&first.pairs);
            row.wrong = first.wrong;
            row.failure.clone_from(&first.failure);
        }
        if row.wrong.is_some() || row.failure.is_some() {
            row.stop = None;
        }
        row
    };
    engine.iter().zip(first).map(or_first).collect()
}

/// Samples the first correct variant once more and paints the result.
fn paint(lab: &Lab, session: &mut Session<'_>, shown: &Shown, rows: &[Row]) -> Result<Option<Painting>> {
    let right = |name: &str| rows.iter().any(|row| row.variant == name && row.isolated_us.is_some());
    for (v, variant) in lab.variants.iter().enumerate().filter(|(_, variant)| right(&variant.name)) {
        let Some(pixels) = session.paint(v, shown)? else { continue };
        let (caption, size) = (shown.caption.clone(), shown.size);
        return Ok(Some(Painting { variant: variant.name.clone(), caption, size, pixels }));
    }
    Ok(None)
}
