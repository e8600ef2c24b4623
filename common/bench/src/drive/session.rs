//! The unit of measurement on the device: one sample is one command buffer and one submit.
//!
//! ```text
//! before the window │ fill outputs, seed, reset events, reset stamps ─ read the clock ─ full barrier
//! the window        │ stamp ─ execution barrier ─ the variant's commands ─ execution barrier ─ stamp
//! behind the window │ read the clock ─ full barrier ─ compare every checked image with the twin ─ counters
//! ```

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ash::vk;
use record::RaceMap;
use record::stats::Summary;
use vulkan::cmd::script::Script;
use vulkan::cmd::{CommandBuffer, Usage};
use vulkan::fault::attempt;
use vulkan::handles::{Buffer, Kernel, Queue};
use vulkan::memory::Place;

use super::cycles::{Before, Cycles};
use super::dry_run::DryRun;
use super::fill::Filler;
use super::flush_caches::CacheFlush;
use super::interval;
use super::race_histogram::RaceHistograms;
use super::two_queues::TwoQueues;
use super::verify::Counted;
use crate::lab::Lab;
use crate::measure::Reading;
use crate::mutate::Mutation;
use crate::trace::plan::Notes;
use crate::tracy::{self, Timeline};
use crate::variant::Recording;

/// Objects that every sample reuses.
pub struct Session<'l> {
    pub(super) lab: &'l Lab,
    pub(super) pool: vk::CommandPool,
    pub(super) buffer: vk::CommandBuffer,
    pub(super) fence: vk::Fence,
    pub(super) stamps: vk::QueryPool,
    pub(super) compare: Kernel,
    pub(super) filler: Option<Filler>,
    /// Where an image lies in rows while it is compared.
    pub(super) flat: Option<Buffer>,
    /// Two words a checked image: how many differ, index of the first.
    pub(super) counters: Option<Buffer>,
    pub(super) seen: Option<Buffer>,
    /// Where the CPU reads an image; made here, so that no memory is asked for once samples are taken.
    pub readback: Option<Buffer>,
    pub(super) dry_runs: Vec<DryRun>,
    /// What variants list, per number of repetitions.
    pub(super) scripts: RefCell<BTreeMap<(usize, u32), Rc<Script>>>,
    /// How their lists are changed before they are recorded.
    pub(super) mutation: Mutation,
    pub(super) two_queues: Option<TwoQueues>,
    pub(super) maps: Option<RaceHistograms>,
    pub(super) cache_flush: Option<CacheFlush>,
    pub(super) before: Option<Before>,
    timeline: Timeline<'l>,
}

/// What one submit runs.
#[derive(Clone, Copy)]
pub struct Work<'w> {
    pub(crate) variant: usize,
    pub(crate) repetitions: u32,
    pub(crate) script: &'w Script,
    /// Where its kernels note their waves, if they do.
    pub notes: Option<&'w Notes>,
}

impl<'l> Session<'l> {
    /// Makes what samples need. [`Session::rehearse`] comes before the first sample.
    pub fn new(lab: &'l Lab) -> Result<Self> {
        let gpu = &lab.gpu;
        let pool = gpu.command_pool(Queue::First)?;
        let mut session = Self {
            lab,
            pool,
            buffer: gpu.command_buffer(pool)?,
            fence: gpu.fence()?,
            stamps: gpu.timestamps(2)?,
            compare: lab.kernel("lab/compare.comp").draft()?,
            filler: Filler::new(lab)?,
            flat: None,
            counters: None,
            seen: None,
            readback: None,
            dry_runs: Vec::new(),
            scripts: RefCell::default(),
            mutation: Mutation { complete: false, broken: lab.broken },
            two_queues: None,
            maps: None,
            cache_flush: None,
            before: None,
            timeline: Timeline::new(gpu, &gpu.clock),
        };
        if let Some(bytes) = lab.checks.iter().map(|c| size_of_val(&*c.reference) as u64).max() {
            let counters = 8 * u64::from(lab.repetitions()) * lab.checks.len() as u64;
            session.flat = Some(gpu.buffer("result in rows", bytes, Place::Device)?);
            session.counters = Some(gpu.buffer("counters", counters, Place::Device)?);
            session.seen = Some(gpu.buffer("counters (CPU)", counters, Place::Readback)?);
            session.readback = Some(gpu.buffer("result (CPU)", bytes, Place::Readback)?);
        }
        let on_two = |v: &crate::variant::Variant| matches!(v.record, Recording::Queues(_));
        if gpu.has_second_queue() && lab.variants.iter().any(on_two) {
            session.two_queues = Some(TwoQueues::new(gpu)?);
        }
        Ok(session)
    }

    /// Takes one sample; without a variant, of an empty window.
    ///
    /// # Errors
    /// A queue that hangs, a lost device; timestamps that are no times come as [`BadStamps`].
    pub fn sample(&mut self, variant: Option<usize>, repetitions: u32) -> Result<Reading> {
        let Some(variant) = variant else { return self.sample_of(None) };
        let script = self.script(variant, repetitions)?;
        self.sample_of(Some(&Work { variant, repetitions, script: &script, notes: None }))
    }

    /// As [`Session::sample`], of a script of the caller's.
    pub fn sample_of(&mut self, work: Option<&Work<'_>>) -> Result<Reading> {
        let on_two = |v: usize| matches!(self.lab.variants[v].record, Recording::Queues(_));
        let [recorded, submitted] = match work {
            Some(work) if on_two(work.variant) => self.run_on_two_queues(work)?,
            _ => self.run(work)?,
        };
        let (variant, repetitions) = (work.map(|work| work.variant), work.map_or(0, |work| work.repetitions));
        if let (Some(maps), Some(variant)) = (&mut self.maps, variant) {
            maps.count(variant, repetitions);
        }
        let stamps = self.read_stamps()?;
        let gpu_us = self.interval(stamps)?;
        self.timeline.zone(self.name_of(variant), repetitions, stamps)?;
        let counted = match variant {
            Some(variant) => self.counts(variant, repetitions)?,
            None => Counted::default(),
        };
        let clock = variant.and_then(|_| self.clock());
        let mhz = clock.map_or(Ok(None), |clock| clock.mhz(self.lab))?;
        Ok(Reading {
            gpu_us,
            mhz,
            record_us: microseconds(recorded),
            submit_us: microseconds(submitted),
            wrong: counted.wrong,
            first_wrong: counted.first,
            uneven: counted.uneven,
        })
    }

    /// Begins the maps anew.
    pub fn forget_maps(&mut self) -> Result<()> {
        let lab = self.lab;
        self.maps.as_mut().map_or(Ok(()), |maps| maps.clear(lab))
    }

    /// Where the samples so far had texels wrong; nothing where that was not asked for.
    pub fn maps(&self) -> Result<Vec<RaceMap>> {
        self.maps.as_ref().map_or_else(|| Ok(Vec::new()), |maps| maps.read(self.lab))
    }

    /// What the device's clock is read with.
    pub(super) fn clock(&self) -> Option<&Cycles> {
        self.before.as_ref().and_then(Before::clock)
    }

    fn name_of(&self, variant: Option<usize>) -> &'l str {
        variant.map_or("an empty window", |v| &self.lab.variants[v].name)
    }

    /// One command buffer, one submit. Returns the CPU times of recording the variant and of
    /// submitting.
    fn run(&self, work: Option<&Work<'_>>) -> Result<[Duration; 2]> {
        let recording = tracy::span("record");
        self.lab.gpu.reset_pool(self.pool)?;
        let usage = work.map_or(Usage::ONE_TIME_SUBMIT, |work| self.lab.variants[work.variant].usage);
        let cmd = CommandBuffer::begin_for(&self.lab.gpu, self.buffer, usage)?;
        cmd.reset_query_pool(self.stamps, 2);
        match (work, &self.before) {
            (Some(work), _) => self.prepare(&cmd, work),
            (None, Some(before)) => before.record(&cmd),
            (None, None) => {}
        }
        let recorded = self.window(&cmd, work);
        if let Some(work) = work {
            self.verify(&cmd, work.variant, work.repetitions);
        }
        cmd.end()?;
        recording.end();
        let submitting = tracy::span("submit");
        let submitted = self.lab.gpu.submit(self.buffer, self.fence)?;
        submitting.end();
        let waiting = tracy::span("wait");
        self.lab.gpu.wait(self.fence, self.name_of(work.map(|work| work.variant)))?;
        waiting.end();
        Ok([recorded, submitted])
    }

    fn run_on_two_queues(&mut self, work: &Work<'_>) -> Result<[Duration; 2]> {
        let mut two = self.two_queues.take().context("the device has one queue")?;
        let times = two.run(self, work);
        self.two_queues = Some(two);
        times
    }

    /// Runs the dispatches of a script in this order, each behind a full barrier, without a stamp,
    /// and counts.
    pub fn replay(&self, work: &Work<'_>, order: &[usize]) -> Result<Counted> {
        let Work { variant, repetitions, script, .. } = *work;
        self.lab.gpu.reset_pool(self.pool)?;
        let cmd = CommandBuffer::begin(&self.lab.gpu, self.buffer)?;
        self.prepare(&cmd, work);
        let steps: Vec<_> = script.dispatches().collect();
        for &at in order {
            cmd.full_barrier();
            cmd.replay_dispatch(steps[at]);
        }
        self.verify(&cmd, variant, repetitions);
        cmd.end()?;
        self.lab.gpu.submit(self.buffer, self.fence)?;
        self.lab.gpu.wait(self.fence, &format!("{} in another order", self.lab.variants[variant].name))?;
        self.counts(variant, repetitions)
    }

    /// The raw timestamps of an empty window.
    pub fn empty_window(&self) -> Result<[u64; 2]> {
        self.run(None)?;
        self.read_stamps()
    }

    /// Median of empty windows, in microseconds, and at least one tick: the floor under every figure.
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

    /// The profiler that samples were shown to, where one was connected.
    pub fn profiler(&self) -> Option<&'static str> {
        self.timeline.profiler()
    }

    /// The commands of a script for one queue, in a region of the variant's name.
    pub(super) fn record(&self, cmd: &CommandBuffer<'_>, work: &Work<'_>) {
        cmd.region(format_args!("{}", self.lab.variants[work.variant].name), || {
            work.script.submits.iter().for_each(|submit| cmd.replay(&submit.steps));
        });
    }

    /// Fills, seeds, resets. What the caches hold after it is what `warm` means; a run with --cold empties them.
    pub(super) fn prepare(&self, cmd: &CommandBuffer<'_>, work: &Work<'_>) {
        let Work { variant, repetitions, .. } = *work;
        cmd.region(format_args!("prepare"), || {
            for output in self.outputs(variant) {
                for repetition in 0..repetitions {
                    self.fill(cmd, output, repetition);
                }
            }
            for &event in self.events_reset(variant, repetitions) {
                cmd.reset_event2(event);
            }
            if let Some(counters) = self.counters {
                cmd.fill_buffer(counters, 0);
            }
            work.notes.into_iter().for_each(|notes| notes.prepare(cmd));
        });
        if let Some(cache_flush) = &self.cache_flush {
            cache_flush.record(cmd);
        }
        if let Some(before) = &self.before {
            before.record(cmd);
        }
    }

    /// Stamps with an execution barrier on the work's side, so that neither lands early or late.
    /// Returns the CPU time that recording the variant took.
    ///
    /// No memory is made visible in the window but what the variant itself asks for: with full
    /// memory barriers here the empty window took 6.1 µs on an H200 (driver 580), with these 1.9 µs,
    /// and every isolated time was longer by the difference.
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

    pub(super) fn read_stamps(&self) -> Result<[u64; 2]> {
        let mut stamps = [0_u64; 2];
        let flags = vk::QueryResultFlags::TYPE_64;
        attempt("reading timestamps", || unsafe {
            self.lab.gpu.device.get_query_pool_results(self.stamps, 0, &mut stamps, flags)
        })?;
        Ok(stamps)
    }

    fn interval(&self, [begin, end]: [u64; 2]) -> Result<f64> {
        let facts = &self.lab.gpu.facts;
        interval::microseconds(begin, end, facts.timestamp_bits, facts.timestamp_period_ns)
            .map_err(|error| BadStamps(error.to_string()).into())
    }
}

/// The two timestamps are no time.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadStamps(String);

fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use vulkan::gpu::{Gpu, OpenOptions};

    use super::*;
    use crate::lab::LabOptions;

    /// What the layer says of a command buffer that is submitted a second time as it was recorded.
    fn submitted_again(usage: Usage) -> Vec<String> {
        let gpu = Gpu::open(&OpenOptions { validate: true, ..OpenOptions::default() }).unwrap();
        let mut lab = Lab::new(gpu, &LabOptions::default());
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
}
