//! `--trace`: samples each variant a few more times, with kernels that record their waves.
//!
//! ```text
//! before the window │ as for a sample, and the heads of the trace's regions
//! the window        │ stamp ─ the variant's own commands, with the traced kernels ─ stamp
//! after the window  │ compare with the reference ─ the trace to the CPU
//! ```

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use record::hooks::hooks;
use record::stats::Summary;
use record::trace::{MOST_DRAWN, Trace, TraceFigures};
use record::{Multiprocessors, Traced, is_limit};
use vulkan::cmd::stage_name;
use vulkan::handles::{Buffer, Kernel};
use vulkan::memory::{Place, Sharing};

use super::clock;
use super::session::{BadNotes, Session, Work};
use crate::counter::{BadStamps, Counter};
use crate::lab::Lab;
use crate::measure::{Reading, RowPlan};
use crate::trace::decode::{Left, decode};
use crate::trace::fault::{Fault, told};
use crate::trace::plan::{Draw, MOST_SLOTS, Notes, Planned, Region, plan};

/// Number of rounds that are kept if their words fit in [`MOST_KEPT`]; otherwise three or one. One more round comes
/// first, as a warm-up for the traced kernels.
const ROUNDS: u64 = 5;
/// Limit in bytes.
const MOST_KEPT: u64 = 2 << 30;

/// Time limit for an idle GPU to raise its clocks again. A CPU device is not woken: its times mean nothing.
const WAKING: Duration = Duration::from_millis(500);

/// The trace of a sample, or why there is none.
type Told = Result<(Trace, TraceFigures), String>;

/// A variant to trace.
pub(super) struct Subject<'p> {
    pub variant: usize,
    pub isolated_us: f64,
    /// The conditions that its results must meet.
    pub plan: &'p RowPlan,
}

/// The traces of a run.
#[derive(Default)]
pub(super) struct Traces {
    /// Trace results by variant, for the rows of the record.
    pub rows: Vec<(usize, Traced)>,
    /// The first [`MOST_DRAWN`] trustworthy traces in the wanted order, sorted as the variants are.
    pub drawn: Vec<(String, Trace)>,
    pub interrupted: bool,
}

/// A traced sample and the time of the untraced sample of the same round.
struct Sample {
    untraced_us: f64,
    wrote: Wrote,
}

/// What a traced sample wrote.
struct Wrote {
    stamps_us: f64,
    /// The raw timestamps of the window.
    window: [u64; 2],
    /// The raw timestamps of the variant, with their stages.
    stamped: Vec<(String, u64)>,
    words: Vec<u32>,
}

/// The samples of a subject. Their words are decoded after the last sample, because an idle GPU lowers its clocks:
/// decoding between samples made the samples four times as long on an H200 (driver 580).
struct Taking<'p> {
    subject: Subject<'p>,
    /// The regions of the trace's buffer, or why the variant is not traced.
    regions: Result<Vec<Region>, String>,
    samples: Vec<Sample>,
}

/// The state that all traces of a run share.
struct Tracer<'l> {
    lab: &'l Lab,
    buffer: Buffer,
    readback: Buffer,
    clock: Counter,
}

/// Traces variants in rounds. In each round every variant runs first without and then with tracing. It runs after
/// other variants, as in a measured round, so that its kernels are no warmer in the caches. `stopped` is called
/// before each sample. What is to be drawn is chosen in `order`, then among the other variants.
///
/// # Errors
/// A failed Vulkan call, or `HOTLAP_TRACE_SLOTS` that is not a number.
pub(super) fn trace(
    session: &mut Session<'_>,
    subjects: Vec<Subject<'_>>,
    order: &[String],
    stopped: &mut dyn FnMut(usize) -> bool,
) -> Result<Traces> {
    let lab = session.lab;
    let Some(first) = subjects.first() else { return Ok(Traces::default()) };
    let interrupted = Traces { interrupted: true, ..Traces::default() };
    if stopped(first.variant) {
        return Ok(interrupted);
    }
    let mut takings = Vec::new();
    for subject in subjects {
        let regions = told(regions(session, subject.variant))?;
        takings.push(Taking { subject, regions, samples: Vec::new() });
    }
    let traced = |taking: &Taking<'_>| {
        taking.regions.iter().flat_map(|all| traced_kernels(lab, all)).collect::<Vec<_>>()
    };
    lab.gpu.compile(&takings.iter().flat_map(traced).collect())?;
    let sizes = || takings.iter().flat_map(|taking| &taking.regions).map(|regions| bytes_of(regions));
    let round = sizes().sum::<u64>();
    let rounds = [ROUNDS, 3].into_iter().find(|rounds| rounds * round <= MOST_KEPT).unwrap_or(1);
    let tracer = match told(Tracer::new(lab, session, sizes().max().unwrap_or(0)))? {
        Ok(tracer) => tracer,
        Err(reason) => {
            let refused =
                |taking: &Taking<'_>| (taking.subject.variant, Traced::Refused { reason: reason.clone() });
            return Ok(Traces { rows: takings.iter().map(refused).collect(), ..Traces::default() });
        }
    };
    if !lab.device().is_cpu() {
        wake(session, &takings)?;
    }
    for number in 0..=rounds {
        if tracer.round(session, &mut takings, number > 0, stopped)?.is_break() {
            return Ok(interrupted);
        }
    }
    takings.sort_by_key(|taking| {
        let name = &lab.variants[taking.subject.variant].name;
        (order.iter().position(|first| first == name).unwrap_or(usize::MAX), is_limit(name))
    });
    tracer.read(&takings)
}

impl<'l> Tracer<'l> {
    /// Calibrates the waves' clock against the timestamps and makes the buffers.
    ///
    /// # Errors
    /// Errors that [`told`] turns into a reason: no trustworthy clock, no memory.
    fn new(lab: &'l Lab, session: &Session<'_>, bytes: u64) -> Result<Self> {
        let clock = clock::set_against_stamps(lab, session.stamps)?;
        let buffer = |name, place| lab.gpu.buffer_for(name, bytes.max(4), place, Sharing::AllQueues);
        let (buffer, readback) = (buffer("trace", Place::Device)?, buffer("trace (CPU)", Place::Readback)?);
        Ok(Self { lab, buffer, readback, clock })
    }

    fn round(
        &self,
        session: &mut Session<'_>,
        takings: &mut [Taking<'_>],
        kept: bool,
        stopped: &mut dyn FnMut(usize) -> bool,
    ) -> Result<ControlFlow<()>> {
        let mut untraced = Vec::new();
        for taking in &mut *takings {
            if stopped(taking.subject.variant) {
                return Ok(ControlFlow::Break(()));
            }
            let reading = session.sample(Some(taking.subject.variant), 1);
            untraced.push(taking.judge(reading)?.map(|reading| reading.window_us));
        }
        for (taking, untraced) in takings.iter_mut().zip(untraced) {
            if stopped(taking.subject.variant) {
                return Ok(ControlFlow::Break(()));
            }
            let Ok(regions) = &taking.regions else { continue };
            let bytes = bytes_of(regions);
            let reading = self.sample(session, taking.subject.variant, regions);
            let Some(reading) = taking.judge(reading)? else { continue };
            if let (true, Some(untraced_us)) = (kept, untraced) {
                let wrote = self.wrote(session, taking.subject.variant, &reading, bytes)?;
                taking.samples.push(Sample { untraced_us, wrote });
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Decodes the samples: the results for the rows, and the traces to draw.
    fn read(&self, takings: &[Taking<'_>]) -> Result<Traces> {
        let mut traces = Traces::default();
        for taking in takings {
            let variant = taking.subject.variant;
            let shown = match (&taking.regions, taking.median()) {
                (Err(reason), _) => Err(reason.clone()),
                (Ok(_), None) => Err(Fault::NoRound.to_string()),
                (Ok(regions), Some(sample)) => told(self.shown(regions, &sample.wrote))?,
            };
            let traced = match shown {
                Ok((trace, figures)) => {
                    if traces.drawn.len() < MOST_DRAWN {
                        traces.drawn.push((self.lab.variants[variant].name.clone(), trace));
                    }
                    Traced::Ok { figures: Box::new(figures), overhead: taking.overhead() }
                }
                Err(reason) => Traced::Refused { reason },
            };
            traces.rows.push((variant, traced));
        }
        // As in a table.
        traces
            .drawn
            .sort_by_key(|(name, _)| self.lab.variants.iter().position(|variant| variant.name == *name));
        Ok(traces)
    }

    /// Takes one traced sample.
    fn sample(&self, session: &mut Session<'_>, variant: usize, regions: &[Region]) -> Result<Reading> {
        let notes = Notes { buffer: self.buffer, regions: regions.to_vec() };
        let script = {
            let (listed, arena) = (session.scripts.script(variant, 1)?, self.lab.gpu.arena());
            notes.taken(&listed, |kernel| arena.kernel(kernel).traced.unwrap_or(kernel))
        };
        session.sample_of(Some(&Work { variant, repetitions: 1, script: &script, notes: Some(&notes) }))
    }

    /// Reads what the last sample wrote: its timestamps, and the words of its waves.
    fn wrote(&self, session: &Session<'_>, variant: usize, reading: &Reading, bytes: u64) -> Result<Wrote> {
        let script = session.scripts.script(variant, 1)?;
        let stamps = session.stamps(&script)?;
        let named = script.stamped().into_iter().map(|(_, stage)| stage_name(stage));
        let stamped = named.zip(stamps[1..].iter().copied()).collect();
        self.lab.gpu.run_once("reading a trace", |cmd| {
            cmd.copy_buffer(self.buffer, self.readback, bytes);
            cmd.host_barrier();
        })?;
        let words = usize::try_from(bytes / 4)?;
        let words = self.lab.gpu.look(self.readback, |all| all[..words].to_vec())?;
        Ok(Wrote { stamps_us: reading.gpu_us, window: [stamps[0], stamps[stamps.len() - 1]], stamped, words })
    }

    /// Decodes what a sample wrote.
    fn shown(&self, regions: &[Region], wrote: &Wrote) -> Result<(Trace, TraceFigures)> {
        let multiprocessors = self.lab.device().multiprocessors;
        let trace = decode(&Left {
            regions,
            words: &wrote.words,
            clock: self.clock,
            source: self.lab.gpu.waves.lanes,
            multiprocessors: multiprocessors.map(|mps| mps.count),
            stamps_us: wrote.stamps_us,
            stamp_bits: self.lab.device().timestamp_bits,
            window: wrote.window,
            stamped: &wrote.stamped,
        })?;
        let figures = TraceFigures::of(&trace, multiprocessors.map(Multiprocessors::slots));
        Ok((trace, figures.ok_or(Fault::StandsStill)?))
    }
}

impl Taking<'_> {
    /// Returns the reading, or `None` if it is invalid or proves the result wrong. In that case the variant is not
    /// traced any further.
    fn judge(&mut self, reading: Result<Reading>) -> Result<Option<Reading>> {
        let right = |reading: Reading| {
            let is_wrong = self.subject.plan.refuses(&reading, 1);
            if is_wrong { Err(Fault::Wrong(reading.wrong).into()) } else { Ok(reading) }
        };
        match told(reading.and_then(right))? {
            Ok(reading) => Ok(Some(reading)),
            Err(reason) => {
                // Keep the first reason.
                if self.regions.is_ok() {
                    self.regions = Err(reason);
                }
                Ok(None)
            }
        }
    }

    /// The relative overhead of tracing: the median of the rounds.
    fn overhead(&self) -> Option<f64> {
        let ratios = self.samples.iter().map(|sample| sample.wrote.stamps_us / sample.untraced_us);
        Summary::of(&ratios.collect::<Vec<_>>()).map(|ratio| ratio.median - 1.0)
    }

    /// The sample of median length.
    fn median(&self) -> Option<&Sample> {
        let mut sorted: Vec<&Sample> = self.samples.iter().collect();
        sorted.sort_by(|a, b| a.wrote.stamps_us.total_cmp(&b.wrote.stamps_us));
        sorted.get(sorted.len() / 2).copied()
    }
}

/// Samples the first variant until its time is close to the measured time.
fn wake(session: &mut Session<'_>, takings: &[Taking<'_>]) -> Result<()> {
    let Some(Taking { subject, .. }) = takings.first() else { return Ok(()) };
    let began = Instant::now();
    while began.elapsed() < WAKING {
        match session.sample(Some(subject.variant), 1) {
            Ok(reading) if reading.gpu_us < 1.1 * subject.isolated_us => break,
            Err(error) if !error.is::<BadStamps>() && !error.is::<BadNotes>() => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// The traced versions of the kernels in these regions.
fn traced_kernels(lab: &Lab, regions: &[Region]) -> Vec<Kernel> {
    let arena = lab.gpu.arena();
    regions.iter().filter_map(|region| arena.kernel(region.planned.kernel).traced).collect()
}

/// Size in bytes of these regions in the trace's buffer.
fn bytes_of(regions: &[Region]) -> u64 {
    regions.last().map_or(0, |last| last.offset + last.bytes())
}

/// The regions in which the dispatches of a variant record their waves.
///
/// # Errors
/// Among others, an error that [`told`] turns into a reason: a kernel that cannot be traced.
fn regions(session: &Session<'_>, variant: usize) -> Result<Vec<Region>> {
    let lab = session.lab;
    let script = session.scripts.script(variant, 1)?;
    let mut planned = Vec::new();
    for dispatch in script.launches() {
        let traced = lab.gpu.traced(&lab.shaders, dispatch.kernel)?;
        let arena = lab.gpu.arena();
        let slot = arena.kernel(dispatch.kernel);
        if traced.is_none() {
            bail!(Fault::NoBuffer(slot.facts.name.clone()));
        }
        let least = lab.gpu.waves.least_subgroup;
        let [width, height, vertices] = dispatch.groups;
        let draw = slot.recipe.raster.as_ref().map(|raster| Draw { vertex: raster.vertex.clone(), vertices });
        let (groups, waves) = match &draw {
            Some(_) => ([width, height, 0], least),
            None => (dispatch.groups, slot.facts.workgroup.iter().product::<u32>().div_ceil(least)),
        };
        planned.push(Planned {
            kernel: dispatch.kernel,
            name: slot.facts.name.clone(),
            parts: slot.recipe.parts.clone(),
            groups,
            waves,
            draw,
        });
    }
    Ok(plan(planned, most_slots()?))
}

/// Tests set fewer slots, so that only a part of a small dispatch is recorded.
fn most_slots() -> Result<u64> {
    let Some(asked) = &hooks().trace_slots else { return Ok(MOST_SLOTS) };
    let asked = asked.to_string_lossy();
    let slots: u64 =
        asked.parse().with_context(|| format!("HOTLAP_TRACE_SLOTS is a whole number, not '{asked}'"))?;
    Ok(slots.clamp(1, MOST_SLOTS))
}

/// Traces one sample of one variant at a time, for a window that shows the latest trace.
pub struct Spotlight<'l> {
    tracer: Tracer<'l>,
    /// The regions of each variant, or why it cannot be traced.
    regions: Vec<Result<Vec<Region>, String>>,
}

impl<'l> Spotlight<'l> {
    /// Makes the tracer; the inner error says why nothing can be traced.
    ///
    /// # Errors
    /// A failed Vulkan call, or `HOTLAP_TRACE_SLOTS` that is not a number.
    pub fn new(lab: &'l Lab, session: &Session<'_>) -> Result<Result<Self, String>> {
        let of = |variant| match session.left_out(variant) {
            Some(status) => Ok(Err(status.reason().unwrap_or_else(|| status.word().into()))),
            None => told(regions(session, variant)),
        };
        let regions: Vec<_> = (0..lab.variants.len()).map(of).collect::<Result<_>>()?;
        let bytes = regions.iter().flatten().map(|regions| bytes_of(regions)).max().unwrap_or(0);
        Ok(told(Tracer::new(lab, session, bytes))?.map(|tracer| Self { tracer, regions }))
    }

    /// Traces one sample; the inner error says why there is no trace.
    ///
    /// # Errors
    /// A queue that hangs, a lost device.
    pub fn trace(&self, session: &mut Session<'_>, variant: usize) -> Result<Told> {
        let regions = match &self.regions[variant] {
            Ok(regions) => regions,
            Err(reason) => return Ok(Err(reason.clone())),
        };
        told(self.tracer.sample(session, variant, regions).and_then(|reading| {
            let wrote = self.tracer.wrote(session, variant, &reading, bytes_of(regions))?;
            self.tracer.shown(regions, &wrote)
        }))
    }
}
