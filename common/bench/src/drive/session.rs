//! The unit of measurement on the device: one sample is one command buffer and one submit.
//!
//! ```text
//! before the window │ fill outputs, seed, reset events, reset stamps ─ read the clock ─ full barrier
//! the window        │ stamp ─ execution barrier ─ the variant's commands ─ execution barrier ─ stamp
//! after the window  │ read the clock ─ full barrier ─ compare every checked image with the reference ─ counters
//! ```

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use ash::vk;
use record::error::{NoRoom, one_line};
use record::stats::Summary;
use record::{RaceMap, Status};
use vulkan::cmd::script::Script;
use vulkan::cmd::{CommandBuffer, Usage};
use vulkan::handles::{Binding, Buffer, Event, Queue};
use vulkan::memory::Place;

use super::cycles::{Before, Cycles};
use super::fill::Filler;
use super::flush_caches::CacheFlush;
use super::queues::{Queued, Sample};
use super::race_histogram::RaceHistograms;
use super::scripts::Scripts;
use super::uses::Uses;
use super::verify::{Counted, Verifier, largest};
pub use crate::counter::BadStamps;
use crate::counter::Counter;
use crate::lab::{Check, Lab, Shown};
use crate::measure::Reading;
use crate::mutate::Break;
use crate::trace::plan::Notes;
use crate::variant::Tells;

/// Why a sample is none, though the device did all it was asked: what kernels or timestamps tell that no right ones do. The
/// other variants go on.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadNotes(String);

impl From<anyhow::Error> for BadNotes {
    fn from(error: anyhow::Error) -> Self {
        Self(one_line(&error))
    }
}

/// Objects that every sample reuses.
pub struct Session<'l> {
    pub(super) lab: &'l Lab,
    pub(super) scripts: Scripts<'l>,
    /// Empty before [`Session::dry_run`].
    pub(crate) uses: Rc<Uses<'l>>,
    pool: vk::CommandPool,
    buffer: vk::CommandBuffer,
    fence: vk::Fence,
    pub(super) stamps: vk::QueryPool,
    pub(super) filler: Filler,
    verifier: Verifier,
    /// Readback buffer for checked results; made with the session, so that sampling allocates no memory.
    pub readback: Option<Buffer>,
    queued: RefCell<Option<Queued<'l>>>,
    maps: Option<RaceHistograms>,
    cache_flush: Option<CacheFlush>,
    before: Option<Before>,
    /// Readback of what kernels tell beside their results.
    told: Option<Buffer>,
}

/// The script that one submit runs.
#[derive(Clone, Copy)]
pub struct Work<'w> {
    pub(crate) variant: usize,
    pub(crate) repetitions: u32,
    pub(crate) script: &'w Script,
    /// Where the kernels record their waves in a traced sample.
    pub notes: Option<&'w Notes>,
}

impl<'l> Session<'l> {
    /// Makes the objects that samples need. Call [`Session::dry_run`] before the first sample.
    pub fn new(lab: &'l Lab) -> Result<Self> {
        let gpu = &lab.gpu;
        let pool = gpu.command_pool(Queue::FIRST)?;
        let takes_several = lab.variants.iter().any(|variant| variant.takes_several_queues);
        let readback = |bytes| gpu.buffer("result (CPU)", bytes, Place::Readback);
        let told = lab.variants.iter().filter_map(|variant| Some(variant.tells.as_ref()?.read().1)).max();
        let told = told.map(|words| gpu.buffer("notes (CPU)", u64::from(words) * 4, Place::Readback));
        gpu.prepare_once()?;
        Ok(Self {
            lab,
            scripts: Scripts::new(lab),
            uses: Rc::default(),
            pool,
            buffer: gpu.command_buffer(pool)?,
            fence: gpu.fence()?,
            stamps: gpu.timestamps(2)?,
            filler: Filler::new(lab)?,
            verifier: Verifier::new(lab)?,
            readback: largest(lab).map(readback).transpose()?,
            queued: RefCell::new(takes_several.then(|| Queued::new(gpu)).transpose()?),
            maps: None,
            cache_flush: None,
            before: None,
            told: told.transpose()?,
        })
    }

    /// Lists the commands of each variant without recording them, to find its images and events and to detect
    /// mistakes, and makes the pipelines that it dispatches.
    ///
    /// # Errors
    /// A mistake in the sample, such as a wait that would never end; a kernel that the driver rejects.
    pub fn dry_run(&mut self) -> Result<()> {
        self.uses = Rc::new(Uses::of(self.lab, &self.scripts)?);
        if self.lab.maps_races && self.lab.report.shown.is_none() {
            let checks: Vec<_> = (0..self.lab.variants.len()).map(|v| self.pictured(v)).collect();
            self.maps = Some(RaceHistograms::new(self.lab, &checks)?);
        }
        let own = self.filler.kernels().chain(self.verifier.kernels());
        let own = own.chain(self.maps.iter().map(|maps| maps.kernel));
        self.lab.gpu.compile(&self.uses.kernels().chain(own).collect())
    }

    /// Reads the device's clock with each sample from this call on. Returns why the clock is unknown, if it is.
    ///
    /// # Errors
    /// A failed submit.
    pub fn watch_clock(&mut self) -> Result<Option<String>> {
        let (before, unknown) = Before::of(self.lab, self.stamps)?;
        self.before = Some(before);
        Ok(unknown)
    }

    /// Flushes the caches before each sample from this call on. Returns a description for the record.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn make_cold(&mut self) -> Result<String> {
        let cache_flush = CacheFlush::new(self.lab).context("emptying the caches needs two large buffers")?;
        let mib = cache_flush.bytes >> 20;
        self.cache_flush = Some(cache_flush);
        Ok(format!("cold: {mib} MiB filled, then {mib} MiB read, before each sample"))
    }

    /// Why a variant does not run on this device.
    pub fn left_out(&self, variant: usize) -> Option<&Status> {
        self.uses.left_out(variant)
    }

    /// The result of a variant to show: the one that the sample paints, else the first that is not a count of
    /// errors.
    pub fn pictured(&self, variant: usize) -> Option<&'l Check> {
        let shown = self.lab.report.shown.as_ref();
        let results = || self.uses.checks(variant).iter().copied().filter(|check| check.counts.is_none());
        results().find(|check| shown.is_some_and(|shown| shown.is_of(check))).or_else(|| results().next())
    }

    /// Takes one sample of a variant, or of an empty window for `None`.
    ///
    /// # Errors
    /// A queue that hangs, a lost device; [`BadStamps`] for timestamps that do not give a time.
    pub fn sample(&mut self, variant: Option<usize>, repetitions: u32) -> Result<Reading> {
        let Some(variant) = variant else { return self.sample_of(None) };
        let script = self.scripts.script(variant, repetitions)?;
        self.sample_of(Some(&Work { variant, repetitions, script: &script, notes: None }))
    }

    /// Like [`Session::sample`], with a script of the caller.
    pub fn sample_of(&mut self, work: Option<&Work<'_>>) -> Result<Reading> {
        // A trace or a window goes on where there was no room, but not while a part of the sample may still run.
        self.taken(work).map_err(|error| {
            let is_over = error.is::<NoRoom>() && self.lab.gpu.is_busy();
            if is_over { anyhow!(one_line(&error)) } else { error }
        })
    }

    fn taken(&mut self, work: Option<&Work<'_>>) -> Result<Reading> {
        let elsewhere_us = work.map_or(Ok(None), |work| self.elsewhere(work))?;
        let [recorded, submitted] = match work {
            Some(work) if self.takes_several_queues(work) => self.run_on_queues(work)?,
            _ => self.run(work)?,
        };
        if let (Some(maps), Some(work)) = (&mut self.maps, work) {
            maps.count(work.variant, work.repetitions);
        }
        let stamps = self.lab.gpu.read_stamps(self.stamps)?;
        let gpu_us = Counter::of(&self.lab.gpu.facts).us(stamps)?;
        let counted = work.map_or_else(|| Ok(Counted::default()), |work| self.counts(work))?;
        let clock = self.clock().filter(|_| work.is_some() && elsewhere_us.is_none());
        let mhz = clock.map_or(Ok(None), |clock| clock.mhz(self.lab))?;
        let (own_us, metric) = work.map_or(Ok((None, None)), |work| self.told(work))?;
        Ok(Reading {
            gpu_us: elsewhere_us.or(own_us).unwrap_or(gpu_us),
            metric,
            window_us: gpu_us,
            mhz,
            record_us: microseconds(recorded),
            submit_us: microseconds(submitted),
            wrong: counted.wrong,
            first_wrong: counted.first,
            uneven: counted.uneven,
        })
    }

    /// Does what a variant times outside of its commands, if it does. Returns the time in µs.
    pub(super) fn elsewhere(&self, work: &Work<'_>) -> Result<Option<f64>> {
        let sample = self.lab.variants[work.variant].timed_by.as_ref();
        sample.map(|sample| sample(&self.lab.gpu, work.repetitions)).transpose()
    }

    /// What the kernels tell: their own time in µs, which is `None` on a CPU device, and another figure.
    fn told(&self, work: &Work<'_>) -> Result<(Option<f64>, Option<f64>)> {
        let Some((tells, told)) = self.tells(work).zip(self.told) else { return Ok((None, None)) };
        let words = || self.lab.gpu.read(told);
        match (tells, &self.before) {
            (Tells::Metric { words: length, figure, .. }, _) => {
                let (words, stamps) = (words()?, self.stamps(work.script)?);
                let metric = figure(&words[..*length as usize], &stamps);
                Ok((None, metric.map_err(BadNotes::from)?))
            }
            (Tells::Time(_), Some(Before::Clock(clock))) => {
                let ticks = words()?.first().copied().unwrap_or_default();
                Ok((Some(clock.us(ticks)?), None))
            }
            (Tells::Time(_), Some(Before::Touch(..))) if !self.lab.device().is_cpu() => {
                Err(BadStamps::NoClock.into())
            }
            (Tells::Time(_), _) => Ok((None, None)),
        }
    }

    /// The raw timestamps of the last sample: that at the begin of the window, those of the script by query, and that at the end.
    pub(super) fn stamps(&self, script: &Script) -> Result<Vec<u64>> {
        let gpu = &self.lab.gpu;
        let [begin, end] = gpu.read_stamps(self.stamps)?;
        Ok([vec![begin], gpu.read_own_stamps(script.stamped().len())?, vec![end]].concat())
    }

    /// What the kernels tell. Those of a trace tell the trace.
    fn tells(&self, work: &Work<'_>) -> Option<&'l Tells> {
        self.lab.variants[work.variant].tells.as_ref().filter(|_| work.notes.is_none())
    }

    /// Clears the race maps.
    pub fn forget_maps(&mut self) -> Result<()> {
        let lab = self.lab;
        self.maps.as_mut().map_or(Ok(()), |maps| maps.clear(lab))
    }

    /// Race maps of the samples so far; empty if no maps are counted.
    pub fn maps(&self) -> Result<Vec<RaceMap>> {
        self.maps.as_ref().map_or_else(|| Ok(Vec::new()), |maps| maps.read(self.lab))
    }

    /// The reader of the device's clock, if the clock is known.
    fn clock(&self) -> Option<&Cycles> {
        self.before.as_ref().and_then(Before::clock)
    }

    fn takes_several_queues(&self, work: &Work<'_>) -> bool {
        self.lab.variants[work.variant].takes_several_queues
    }

    /// Submits one command buffer. Returns the CPU times of recording the variant and of submitting.
    fn run(&self, work: Option<&Work<'_>>) -> Result<[Duration; 2]> {
        let usage = work.map_or(Usage::ONE_TIME_SUBMIT, |work| self.lab.variants[work.variant].usage);
        let mut recorded = Duration::ZERO;
        let submitted = self.submit(usage, name_of(self.lab, work), |cmd| {
            cmd.reset_query_pool(self.stamps, 2);
            match (work, &self.before) {
                (Some(work), _) => self.prepare(cmd, work),
                (None, Some(before)) => before.record(cmd),
                (None, None) => {}
            }
            recorded = self.window(cmd, work);
            if let Some(work) = work {
                self.verify(cmd, work);
            }
        })?;
        Ok([recorded, submitted])
    }

    /// Records commands, submits them and waits for their completion. Returns the CPU time of submitting.
    fn submit(&self, usage: Usage, what: &str, record: impl FnOnce(&CommandBuffer<'_>)) -> Result<Duration> {
        let gpu = &self.lab.gpu;
        gpu.reset_pool(self.pool)?;
        let cmd = CommandBuffer::begin_for(gpu, self.buffer, usage)?;
        record(&cmd);
        cmd.end()?;
        let submitted = gpu.submit(self.buffer, self.fence)?;
        gpu.wait(self.fence, what)?;
        Ok(submitted)
    }

    fn run_on_queues(&self, work: &Work<'_>) -> Result<[Duration; 2]> {
        let mut queued = self.queued.borrow_mut();
        let queued = queued.as_mut().context("no variant takes several queues")?;
        queued.run(self.on_queues(work), |cmd| self.prepare(cmd, work), |cmd| self.verify(cmd, work))
    }

    fn on_queues<'s>(&'s self, work: &Work<'s>) -> Sample<'s> {
        let (name, submits) = (name_of(self.lab, Some(work)), &work.script.submits);
        let usage = self.lab.variants[work.variant].usage;
        Sample { name, submits, usage, stamps: self.stamps, fence: self.fence }
    }

    /// Submits only the variant's commands, without a window or checks.
    pub(super) fn run_bare(&self, work: &Work<'_>) -> Result<()> {
        if self.takes_several_queues(work) {
            let mut queued = self.queued.borrow_mut();
            let queued = queued.as_mut().context("no variant takes several queues")?;
            return queued.run_bare(self.on_queues(work));
        }
        let variant = &self.lab.variants[work.variant];
        self.submit(variant.usage, &variant.name, |cmd| self.record(cmd, work)).map(drop)
    }

    /// Runs the dispatches of a script in the given order, each between full barriers and without timestamps. Returns
    /// the number of wrong elements.
    pub fn replay(&self, work: &Work<'_>, order: &[usize]) -> Result<Counted> {
        self.elsewhere(work)?;
        let steps: Vec<_> = work.script.work().collect();
        let what = format!("{} in another order", name_of(self.lab, Some(work)));
        self.submit(Usage::ONE_TIME_SUBMIT, &what, |cmd| {
            self.prepare(cmd, work);
            for &at in order {
                cmd.replay_alone(steps[at]);
            }
            self.verify(cmd, work);
        })?;
        self.counts(work)
    }

    /// The median time of empty windows in microseconds, at least one tick. No measured time can be shorter.
    pub fn floor_us(&mut self) -> Result<f64> {
        let mut samples = Vec::new();
        for _ in 0..32 {
            match self.sample(None, 0) {
                Ok(reading) => samples.push(reading.gpu_us),
                Err(error) if error.is::<BadStamps>() => samples.push(0.0),
                Err(error) => return Err(error),
            }
        }
        let tick = f64::from(self.lab.gpu.facts.timestamp_period_ns) / 1e3;
        Ok(Summary::of(&samples).map_or(tick, |s| s.median.max(tick)))
    }

    /// Records a script for one queue in a label region with the variant's name.
    fn record(&self, cmd: &CommandBuffer<'_>, work: &Work<'_>) {
        cmd.region(format_args!("{}", self.lab.variants[work.variant].name), || {
            work.script.submits.iter().for_each(|submit| cmd.replay(&submit.steps));
        });
    }

    /// The events to reset before a variant is recorded.
    pub(super) fn events_reset(&self, variant: usize, repetitions: u32) -> &[Event] {
        let forgotten = self.scripts.mutation.breaks(Break::NoResets);
        if forgotten { &[] } else { self.uses.events(variant, repetitions) }
    }

    /// Fills, seeds and resets. "Warm" in a record means the cache state after this; `--cold` flushes the caches
    /// instead.
    pub(super) fn prepare(&self, cmd: &CommandBuffer<'_>, work: &Work<'_>) {
        let Work { variant, repetitions, .. } = *work;
        cmd.region(format_args!("prepare"), || {
            // The last sample may have left them in any layout.
            cmd.settle(&work.script.moved());
            for output in self.uses.outputs(variant) {
                for repetition in 0..repetitions {
                    self.filler.record(&self.lab.gpu, cmd, output, repetition);
                }
            }
            for &event in self.events_reset(variant, repetitions) {
                cmd.reset_event2(event);
            }
            if !work.script.stamped().is_empty() {
                cmd.reset_stamps();
            }
            self.verifier.prepare(cmd);
            work.notes.into_iter().for_each(|notes| notes.prepare(cmd));
        });
        if let Some(cache_flush) = &self.cache_flush {
            cache_flush.record(cmd);
        }
        if let Some(before) = &self.before {
            before.record(cmd);
        }
    }

    /// Writes the timestamps of the window, each with an execution barrier between it and the work, so that neither
    /// is written early or late. Returns the CPU time of recording the variant.
    ///
    /// The window makes no memory visible except where the variant asks for it. With full memory barriers the empty
    /// window took 6.1 µs on an H200 (driver 580), with execution barriers 1.9 µs, and every time alone was
    /// longer by the difference.
    fn window(&self, cmd: &CommandBuffer<'_>, work: Option<&Work<'_>>) -> Duration {
        cmd.full_barrier();
        cmd.write_timestamp2(self.stamps, 0);
        cmd.execution_barrier();
        let began = Instant::now();
        if let Some(work) = work {
            self.record(cmd, work);
        }
        let recorded = began.elapsed();
        cmd.execution_barrier();
        cmd.write_timestamp2(self.stamps, 1);
        recorded
    }

    /// Records the commands after the window: the clock reading and the comparison with the CPU reference.
    pub(super) fn verify(&self, cmd: &CommandBuffer<'_>, work: &Work<'_>) {
        if let Some(clock) = self.clock() {
            clock.end(cmd);
        }
        if let Some((tells, to)) = self.tells(work).zip(self.told) {
            let (from, words) = tells.read();
            cmd.full_barrier();
            cmd.copy_buffer(from, to, u64::from(words) * 4);
            cmd.host_barrier();
        }
        let mapped = self.maps.as_ref().zip(self.pictured(work.variant));
        let (gpu, checks) = (&self.lab.gpu, self.uses.checks(work.variant));
        self.verifier.record(gpu, cmd, checks, work.repetitions, |check, actual| {
            if let Some((maps, _)) = mapped.filter(|(_, mapped)| std::ptr::eq(*mapped, check)) {
                maps.record(cmd, work.variant, check.expected, actual);
            }
        });
    }

    /// The counts of wrong elements of the last sample.
    pub(super) fn counts(&self, work: &Work<'_>) -> Result<Counted> {
        let checks = self.uses.checks(work.variant);
        self.verifier.counted(&self.lab.gpu, checks, work.repetitions, self.lab.repetitions())
    }

    /// Records the copy of a result of the last sample to a buffer, row by row.
    pub fn lay_out(&self, cmd: &CommandBuffer<'_>, check: &Check) -> Option<Buffer> {
        self.verifier.lay_out(&self.lab.gpu, cmd, check, 0)
    }

    /// Reads the checked images of the last sample back and counts wrong elements on the CPU, to verify the
    /// device's counts.
    pub fn count_on_cpu(&self, variant: usize, repetitions: u32) -> Result<u64> {
        let Some(readback) = self.readback else { return Ok(0) };
        let mut wrong = 0;
        for check in self.uses.checks(variant) {
            for repetition in 0..repetitions {
                let read = |actual: &[u32]| check.element.count(&check.reference, actual, check.elements);
                wrong += self.look_at_result(check, repetition, readback, read)?;
            }
        }
        Ok(wrong)
    }

    /// Passes the words of a result to a closure, through a buffer that the CPU can read.
    pub fn look_at_result<T>(
        &self,
        check: &Check,
        repetition: u32,
        readback: Buffer,
        look: impl FnOnce(&[u32]) -> T,
    ) -> Result<T> {
        let result = check.set.get(repetition, check.index);
        self.lab.gpu.run_once("a read-back", |cmd| {
            match result {
                Binding::Image(image) => cmd.copy_image_to_buffer(image, readback),
                Binding::Buffer(buffer) => {
                    cmd.copy_buffer(buffer, readback, 4 * check.reference.len() as u64)
                }
                Binding::Sampled(..) | Binding::Texels(_) | Binding::Uniform(_) | Binding::Part(..) => {}
            }
            cmd.host_barrier();
        })?;
        self.lab.gpu.look(readback, look)
    }

    /// Runs a variant once more and paints its result; `None` if the variant does not produce the painted result.
    pub fn paint(&mut self, variant: usize, shown: &Shown) -> Result<Option<Vec<[u8; 3]>>> {
        let check = self.uses.checks(variant).iter().copied().find(|check| shown.is_of(check));
        let (Some(check), Some(readback)) = (check, self.readback) else { return Ok(None) };
        self.sample(Some(variant), 1)?;
        let words = check.reference.len();
        self.look_at_result(check, 0, readback, |result| (shown.paint)(&result[..words])).map(Some)
    }
}

/// The name of the running variant, for messages.
fn name_of<'l>(lab: &'l Lab, work: Option<&Work<'_>>) -> &'l str {
    work.map_or("an empty window", |work| &lab.variants[work.variant].name)
}

fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use anyhow::bail;
    use vulkan::cmd::{MOST_STAMPS, Stage};

    use super::*;
    use crate::lab::{BufferSet, LabOptions};

    /// The messages of the validation layer if a command buffer is submitted a second time.
    fn submitted_again(usage: Usage) -> Vec<String> {
        let mut lab = Lab::for_test(true, &LabOptions::default());
        lab.variant("idle", |_, _| {}).usage = usage;
        let mut session = Session::new(&lab).unwrap();
        session.dry_run().unwrap();
        session.sample(Some(0), 1).unwrap();
        assert!(lab.gpu.take_messages().is_empty());
        lab.gpu.submit(session.buffer, session.fence).unwrap();
        lab.gpu.wait(session.fence, "the second submit").unwrap();
        lab.gpu.take_messages().into_iter().map(|message| message.text).collect()
    }

    #[test]
    fn a_variants_flags_are_those_of_its_command_buffer() {
        assert_eq!(submitted_again(Usage::SIMULTANEOUS_USE), [""; 0]);
        assert_eq!(submitted_again(Usage::empty()), [""; 0]);
        let said = submitted_again(Usage::ONE_TIME_SUBMIT);
        assert!(said.iter().any(|text| text.contains("ONE_TIME_SUBMIT")), "{said:?}");
    }

    /// The timestamps of a variant that fills a buffer between two.
    #[test]
    fn a_variants_own_timestamps_lie_in_the_window_in_the_order_of_their_queries() {
        let mut lab = Lab::for_test(true, &LabOptions::default());
        lab.alone();
        let notes = lab.output("notes", BufferSet::new(1, 64, 0)).unwrap();
        lab.expect(notes, 0, || vec![7; 64]);
        let variant = lab.variant("filled", move |cmd, rep| {
            cmd.write_timestamp2(Stage::COPY, 1);
            cmd.fill_buffer(notes.get(rep.index, 0), 7);
            cmd.write_timestamp2(Stage::ALL_COMMANDS, 0);
        });
        variant.stamped_metric("is in order", notes.get(0, 0), 1, |words, stamps| {
            let &[begin, behind, before, end] = stamps else { bail!("{stamps:?}") };
            let in_order = [begin, before, behind, end].is_sorted() && before < behind;
            Ok((in_order && words == [7]).then_some(1.0))
        });
        lab.make().unwrap();
        let mut session = Session::new(&lab).unwrap();
        session.dry_run().unwrap();
        for _ in 0..2 {
            assert_eq!(session.sample(Some(0), 1).unwrap().metric, Some(1.0));
        }
        let script = session.scripts.script(0, 1).unwrap();
        let work = Work { variant: 0, repetitions: 1, script: &script, notes: None };
        assert_eq!(session.replay(&work, &[0]).unwrap().wrong, 0, "without its timestamps");
        assert_eq!(
            lab.gpu.take_messages().into_iter().map(|message| message.text).collect::<Vec<_>>(),
            [""; 0]
        );
    }

    #[test]
    fn queries_that_are_none_or_are_written_twice_are_mistakes_of_the_sample() {
        let refused = |is_alone: bool, queries: &'static [u32]| {
            let mut lab = Lab::for_test(false, &LabOptions { repetitions: Some(2), ..LabOptions::default() });
            if is_alone {
                lab.alone();
            }
            lab.variant("stamped", |cmd, _| {
                queries.iter().for_each(|query| cmd.write_timestamp2(Stage::COPY, *query));
            });
            let dry = Session::new(&lab).unwrap().dry_run();
            dry.map_or_else(|error| format!("{error:#}"), |()| String::new())
        };
        assert_eq!(refused(true, &[1, 0]), "");
        assert_eq!(refused(true, &[MOST_STAMPS]), "variant stamped: there is no query 4: a variant has 4");
        assert!(refused(true, &[0, 2]).contains("the queries [0, 2]: each from 0 on"));
        assert!(refused(true, &[0, 0]).contains("the queries [0, 0]: each from 0 on"));
        assert!(refused(false, &[0]).contains("a lab that is alone()"));
    }
}
