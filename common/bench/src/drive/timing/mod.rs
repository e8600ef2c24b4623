//! `--bench`: measures every variant, checks every sample, makes the record.

mod device;
mod notes;
mod plan;
mod probe;
mod step;
#[cfg(test)]
mod tests;

pub use device::Pulse;
pub(super) use plan::method;
pub use step::{Phase, SoFar, Step};

use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::Result;
use record::Painting;
use record::error::one_line;
use record::figures::Figures;
use record::trace::Trace;
use record::{Ended, Method, RaceMap, Row};

use self::device::Device;
use self::step::{Told, Watch};
use super::rows;
use super::session::Session;
use super::trace::{self, Subject};
use crate::lab::{Lab, Shown};
use crate::measure::{self, Outcome, Plan};

/// How to measure.
#[derive(Clone, Debug, Default)]
pub struct BenchOptions {
    /// Exactly this many pairs a row.
    pub samples: Option<usize>,
    /// Budget of all rows; `None` takes 8 s on a GPU and 15 s on a CPU device.
    pub budget: Option<Duration>,
    /// Ten times the GPU time of a row, and ten times the budget.
    pub thorough: bool,
    /// Empty the caches before each sample.
    pub cold: bool,
    /// Seed of the order.
    pub seed: u64,
    /// How long samples are thrown away at first on a GPU; `None` takes 300 ms, which wake one that slept.
    pub waking: Option<Duration>,
    /// Go on until the watcher ends it, and keep so many of the newest pairs of a row.
    pub newest: Option<usize>,
}

/// What the driver hands to the record.
#[derive(Debug)]
pub struct Measured {
    /// How times were taken.
    pub method: Method,
    /// One per variant.
    pub rows: Vec<Row>,
    /// What the sample concludes from them.
    pub verdict: Option<String>,
    /// Where texels differed, where that was asked for.
    pub maps: Vec<RaceMap>,
    /// The sample's own picture instead, where it has one.
    pub painting: Option<Painting>,
    /// What the waves of the first [`MOST_DRAWN`](record::trace::MOST_DRAWN) variants told, by their names, where they were asked.
    pub traces: Vec<(String, Trace)>,
    /// What the reader must know of this run, in sentences.
    pub notes: Vec<String>,
    /// How it ended.
    pub ended: Ended,
    /// When the first sample was taken.
    pub first_sample: Instant,
    /// The failure that ended it, with its exit code.
    pub error: Option<anyhow::Error>,
}

/// Measures the lab's variants; `pulse` comes between the samples.
///
/// # Errors
/// What hinders measuring from beginning; later failures are in [`Measured`].
pub fn measure(
    lab: &Lab,
    options: &BenchOptions,
    watch: &mut Watch<'_>,
    pulse: Option<&dyn Pulse>,
) -> Result<Measured> {
    let mut session = Session::new(lab)?;
    session.dry_run()?;
    let uses = Rc::clone(&session.uses);
    let plan = plan::plan(lab, &uses, options);
    let method = prepare(lab, &mut session, &plan, options)?;
    let told = Told { lab, uses: &uses };
    let first = vec![measure::Row::default(); lab.variants.len()];
    let mut run = Run { told, plan, method, target: Device::new(session, pulse), first, watch };
    let outcome = run.sample();
    let mut measured = Measured {
        rows: rows::rows(lab, &outcome.rows, &run.method, &uses),
        method: run.method.clone(),
        verdict: None,
        maps: Vec::new(),
        painting: None,
        traces: Vec::new(),
        notes: Vec::new(),
        ended: if outcome.interrupted { Ended::Interrupted } else { Ended::Complete },
        first_sample: run.target.first_sample.unwrap_or_else(Instant::now),
        error: outcome.aborted,
    };
    // After a failure the device may answer nothing more.
    if measured.error.is_none() {
        measured.error = run.look(&mut measured).err();
    }
    if let Some(error) = &measured.error {
        measured.ended = Ended::Failed { reason: one_line(error) };
    }
    measured.verdict = verdict(lab, &measured.rows);
    measured.notes = notes::notes(lab, &run.plan, &measured.rows, run.target.session.profiler());
    Ok(measured)
}

/// What the sample concludes from rows. Nothing is concluded from those of a CPU device.
pub fn verdict(lab: &Lab, rows: &[Row]) -> Option<String> {
    let fits =
        !lab.device().is_cpu() && (!lab.report.verdict_needs_matrix || lab.report.shown_matrix().is_some());
    let verdict = lab.report.verdict.as_ref().filter(|_| fits)?;
    verdict(&Figures::new(rows))
}

/// Brings the device into the state that is asked for, and notes how times are taken in it.
fn prepare(lab: &Lab, session: &mut Session<'_>, plan: &Plan, options: &BenchOptions) -> Result<Method> {
    let caches = if options.cold { session.make_cold()? } else { "warm".into() };
    let clocks = match session.watch_clock()? {
        None => "read with each sample: cycles over time, VK_KHR_shader_clock".to_owned(),
        Some(reason) => format!("unknown: {reason}"),
    };
    let floor_us = session.floor_us()?;
    Ok(Method { caches, clocks, tools: lab.gpu.tools.to_vec(), ..method(plan, floor_us) })
}

/// A run under way.
struct Run<'r, 'l, 'w> {
    told: Told<'r, 'l>,
    plan: Plan,
    method: Method,
    target: Device<'r>,
    /// What was sampled before any round: all that there is of a row which the run ends before.
    first: Vec<measure::Row>,
    watch: &'r mut Watch<'w>,
}

impl Run<'_, '_, '_> {
    /// First samples, then rounds until every row has enough.
    fn sample(&mut self) -> Outcome {
        let mut outcome = self.probe_and_rounds().unwrap_or_else(|error| self.nothing(false, Some(error)));
        if outcome.aborted.is_none() && !outcome.interrupted {
            // Once more: on an H200 that had slept, windows were up to twice as long before.
            match self.target.session.floor_us() {
                Ok(floor_us) => self.method.floor_us = floor_us,
                Err(error) => outcome.aborted = Some(error),
            }
        }
        outcome.rows = with_first(&outcome.rows, &self.first);
        self.method.reference_mhz = outcome.reference_mhz;
        self.method.tools.extend(self.target.session.profiler().map(str::to_owned));
        outcome
    }

    fn probe_and_rounds(&mut self) -> Result<Outcome> {
        let probed = self.probe()?;
        // The picture is of the same samples as the table.
        self.target.session.forget_maps()?;
        if probed.is_break() {
            return Ok(self.nothing(true, None));
        }
        // A run that somebody watches has figures long before its end.
        if self.plan.newest.is_some() {
            self.method.floor_us = self.target.session.floor_us()?;
        }
        Ok(self.rounds())
    }

    fn rounds(&mut self) -> Outcome {
        let profiler = self.target.session.profiler().map(str::to_owned);
        measure::run(&self.plan, &mut self.target, &mut |progress| {
            let so_far = || {
                let method = Method { reference_mhz: progress.reference_mhz, ..self.method.clone() };
                let rows = with_first(progress.rows, &self.first);
                self.told.so_far(&rows, method, &self.plan, profiler.as_deref())
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

    /// What is looked at once the times are taken; the first failure leaves the rest out.
    fn look(&mut self, measured: &mut Measured) -> Result<()> {
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
            if let Some(times) = rows[variant].isolated_us {
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
        let traced = trace::trace(&mut self.target.session, subjects, &mut stopped)?;
        if traced.interrupted {
            *ended = Ended::Interrupted;
        }
        for (variant, traced) in traced.rows {
            rows[variant].trace = Some(traced);
        }
        *traces = traced.drawn;
        Ok(())
    }
}

/// The engine's rows; where one has no sample yet, what was sampled before any round.
fn with_first(engine: &[measure::Row], first: &[measure::Row]) -> Vec<measure::Row> {
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

/// One more sample of the first variant that was right, painted.
fn paint(lab: &Lab, session: &mut Session<'_>, shown: &Shown, rows: &[Row]) -> Result<Option<Painting>> {
    let right = |name: &str| rows.iter().any(|row| row.variant == name && row.isolated_us.is_some());
    for (v, variant) in lab.variants.iter().enumerate().filter(|(_, variant)| right(&variant.name)) {
        let Some(pixels) = session.paint(v, shown)? else { continue };
        let (caption, size) = (shown.caption.clone(), shown.size);
        return Ok(Some(Painting { variant: variant.name.clone(), caption, size, pixels }));
    }
    Ok(None)
}
