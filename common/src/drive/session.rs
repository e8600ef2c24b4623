//! The unit of measurement on the device: one sample is one command buffer and one submit.
//!
//! ```text
//! before the window │ fill outputs, seed, reset events, reset stamps ─ full barrier
//! the window        │ stamp ─ execution barrier ─ the variant's commands ─ execution barrier ─ stamp
//! behind the window │ full barrier ─ compare every checked image with the twin ─ counters to the CPU
//! ```

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use ash::vk;

use super::interval;
use super::maps::{Map, Maps};
use super::two_queues::TwoQueues;
use crate::cmd::script::Script;
use crate::cmd::{Cmd, Noted, Queue, Queues};
use crate::facts::Kind;
use crate::fault::attempt;
use crate::gpu::{Buffer, Event};
use crate::kernel::Kernel;
use crate::lab::{Check, Lab, Output};
use crate::measure::Reading;
use crate::memory::Place;
use crate::record::Status;
use crate::stats::Summary;
use crate::tamper::Break;
use crate::tracy::{self, Timeline};
use crate::variant::{Recording, Rep};

/// Objects that every sample reuses.
pub(crate) struct Session<'l> {
    pub(super) lab: &'l Lab,
    pub(super) pool: vk::CommandPool,
    pub(super) buffer: vk::CommandBuffer,
    pub(super) fence: vk::Fence,
    pub(super) stamps: vk::QueryPool,
    compare: Kernel,
    /// Where an image lies in rows while it is compared.
    flat: Option<Buffer>,
    /// Two words a checked image: how many differ, index of the first.
    counters: Option<Buffer>,
    seen: Option<Buffer>,
    /// Where the CPU reads an image; made here, so that no memory is asked for once samples are taken.
    readback: Option<Buffer>,
    rehearsed: Vec<Rehearsed>,
    pub(super) two_queues: Option<TwoQueues>,
    maps: Option<Maps>,
    timeline: Timeline<'l>,
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
            compare: lab.kernel("lab/compare.comp").build()?,
            flat: None,
            counters: None,
            seen: None,
            readback: None,
            rehearsed: Vec::new(),
            two_queues: None,
            maps: None,
            timeline: Timeline::new(gpu, &gpu.clock),
        };
        if let Some(words) = lab.checks.iter().map(|c| c.words).max() {
            let counters = 8 * u64::from(lab.repetitions()) * lab.checks.len() as u64;
            session.flat = Some(gpu.buffer("result in rows", 4 * u64::from(words), Place::Device)?);
            session.counters = Some(gpu.buffer("counters", counters, Place::Device)?);
            session.seen = Some(gpu.buffer("counters (CPU)", counters, Place::Readback)?);
            session.readback = Some(gpu.buffer("result (CPU)", 4 * u64::from(words), Place::Readback)?);
        }
        let on_two = |v: &crate::variant::Variant| matches!(v.record, Recording::Queues(_));
        if gpu.has_second_queue() && lab.variants.iter().any(on_two) {
            session.two_queues = Some(TwoQueues::new(gpu)?);
        }
        Ok(session)
    }

    /// Lists what each variant records, without recording it, to learn which images it uses, which
    /// events it sets, and whether it is well-formed.
    ///
    /// # Errors
    /// A mistake in the sample, such as a wait that would never end.
    pub fn rehearse(&mut self) -> Result<()> {
        let all = 0..self.lab.variants.len();
        self.rehearsed = all.clone().map(|v| self.rehearse_one(v)).collect::<Result<_>>()?;
        if self.lab.maps_races {
            let checks: Vec<_> = all.map(|v| self.checks(v).next()).collect();
            self.maps = Some(Maps::new(self.lab, &checks)?);
        }
        Ok(())
    }

    /// Why a variant does not run here: the sample left it out, or the device lacks something that
    /// its recording asks for.
    pub fn left_out(&self, variant: usize) -> Option<Status> {
        if let Some(status) = &self.lab.variants[variant].left_out {
            return Some(status.clone());
        }
        if let Some(what) = self.rehearsed[variant].lacking {
            return Some(Status::Unsupported { reason: format!("the device has no {what}") });
        }
        let on_two = matches!(self.lab.variants[variant].record, Recording::Queues(_));
        (on_two && !self.lab.gpu.has_second_queue())
            .then(|| Status::Skipped { reason: "the device has one queue".into() })
    }

    /// Takes one sample; without a variant, of an empty window.
    ///
    /// # Errors
    /// A queue that hangs, a lost device; timestamps that are no times come as [`BadStamps`].
    pub fn sample(&mut self, variant: Option<usize>, repetitions: u32) -> Result<Reading> {
        let on_two = |v: usize| matches!(self.lab.variants[v].record, Recording::Queues(_));
        let [recorded, submitted] = match variant {
            Some(variant) if on_two(variant) => self.run_on_two_queues(variant, repetitions)?,
            _ => self.run(variant, repetitions)?,
        };
        if let (Some(maps), Some(variant)) = (&mut self.maps, variant) {
            maps.count(variant, repetitions);
        }
        let stamps = self.read_stamps()?;
        let gpu_us = self.interval(stamps)?;
        self.timeline.zone(self.name_of(variant), repetitions, stamps)?;
        let (wrong, first_wrong) = match variant {
            Some(variant) => self.counts(variant, repetitions)?,
            None => (0, None),
        };
        Ok(Reading {
            gpu_us,
            record_us: microseconds(recorded),
            submit_us: microseconds(submitted),
            wrong,
            first_wrong,
        })
    }

    /// Where the samples so far had texels wrong; nothing where that was not asked for.
    pub fn maps(&self) -> Result<Vec<Map>> {
        self.maps.as_ref().map_or_else(|| Ok(Vec::new()), |maps| maps.read(self.lab))
    }

    fn name_of(&self, variant: Option<usize>) -> &'l str {
        variant.map_or("an empty window", |v| &self.lab.variants[v].name)
    }

    /// One command buffer, one submit. Returns the CPU times of recording the variant and of
    /// submitting.
    fn run(&self, variant: Option<usize>, repetitions: u32) -> Result<[Duration; 2]> {
        let recording = tracy::span("record");
        self.lab.gpu.reset_pool(self.pool)?;
        let mut cmd = Cmd::begin(&self.lab.gpu, self.buffer)?;
        cmd.reset_query_pool(self.stamps, 2);
        if let Some(variant) = variant {
            self.prepare(&cmd, variant, repetitions);
        }
        let recorded = self.window(&mut cmd, variant, repetitions);
        if let Some(variant) = variant {
            self.verify(&cmd, variant, repetitions);
        }
        cmd.end()?;
        recording.end();
        let submitting = tracy::span("submit");
        let submitted = self.lab.gpu.submit(self.buffer, self.fence)?;
        submitting.end();
        let waiting = tracy::span("wait");
        self.lab.gpu.wait(self.fence, self.name_of(variant))?;
        waiting.end();
        Ok([recorded, submitted])
    }

    fn run_on_two_queues(&mut self, variant: usize, repetitions: u32) -> Result<[Duration; 2]> {
        let mut two = self.two_queues.take().context("the device has one queue")?;
        let times = two.run(self, variant, repetitions);
        self.two_queues = Some(two);
        times
    }

    /// Runs the dispatches of a script in this order, each behind a full barrier, without a stamp,
    /// and counts.
    pub fn replay(&self, variant: usize, script: &Script, order: &[usize]) -> Result<(u64, Option<u64>)> {
        self.lab.gpu.reset_pool(self.pool)?;
        let cmd = Cmd::begin(&self.lab.gpu, self.buffer)?;
        self.prepare(&cmd, variant, 1);
        let steps: Vec<_> = script.dispatches().collect();
        for &at in order {
            cmd.full_barrier();
            cmd.replay_dispatch(steps[at]);
        }
        self.verify(&cmd, variant, 1);
        cmd.end()?;
        self.lab.gpu.submit(self.buffer, self.fence)?;
        self.lab.gpu.wait(self.fence, &format!("{} in another order", self.lab.variants[variant].name))?;
        self.counts(variant, 1)
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

    /// Reads the checked images of the last sample back and counts on the CPU, for comparison with
    /// what the device counted.
    pub fn count_on_cpu(&self, variant: usize, repetitions: u32) -> Result<u64> {
        let _span = tracy::span("check on the CPU");
        let Some(readback) = self.readback else { return Ok(0) };
        let mut wrong = 0;
        for check in self.checks(variant) {
            for repetition in 0..repetitions {
                let image = check.images.get(repetition, check.index);
                self.lab.gpu.run_once("a read-back", |cmd| {
                    cmd.copy_image_to_buffer(image, readback);
                    cmd.host_barrier();
                })?;
                let read = self.lab.gpu.read(readback)?;
                wrong += check.twin.iter().zip(&read).filter(|(a, b)| a != b).count() as u64;
            }
        }
        Ok(wrong)
    }

    /// The profiler that samples were shown to, where one was connected.
    pub fn profiler(&self) -> Option<&'static str> {
        self.timeline.profiler()
    }

    /// Elements that are compared in one repetition of a variant.
    pub fn checked_elements(&self, variant: usize) -> u64 {
        self.checks(variant).map(|check| u64::from(check.words)).sum()
    }

    /// Where a counted element lies, in words.
    pub fn place(&self, variant: usize, first: u64) -> String {
        let mut index = first;
        for check in self.checks(variant) {
            let words = u64::from(check.words) * u64::from(self.lab.repetitions());
            if index < words {
                let (repetition, word) = (index / u64::from(check.words), index % u64::from(check.words));
                let (x, y) = (word % u64::from(check.width), word / u64::from(check.width));
                return format!("texel ({x}, {y}) of repetition {repetition}");
            }
            index -= words;
        }
        format!("element {first}")
    }

    /// What a variant records for so many repetitions.
    pub fn script(&self, variant: usize, repetitions: u32) -> Result<(Script, Noted)> {
        let rep = |index| Rep { index, count: repetitions };
        let (script, mut noted) = match &self.lab.variants[variant].record {
            Recording::OneQueue(record) => {
                let cmd = Cmd::script(&self.lab.gpu);
                (0..repetitions).for_each(|index| record(&cmd, rep(index)));
                let (steps, noted) = cmd.into_steps();
                (Script::on_one_queue(steps), noted)
            }
            Recording::Queues(record) => {
                let queues = Queues::new(&self.lab.gpu);
                (0..repetitions).for_each(|index| record(&queues, rep(index)));
                queues.end()
            }
        };
        match noted.misuse.take() {
            Some(error) => Err(error.context(format!("variant {}", self.lab.variants[variant].name))),
            None => Ok((script, noted)),
        }
    }

    /// The events that are reset before a variant is recorded.
    pub fn events_reset(&self, variant: usize, repetitions: u32) -> &[Event] {
        if self.lab.gpu.tamper.get().breaks(Break::NoResets) {
            return &[];
        }
        // The events of fewer repetitions are among those of more.
        let events = self.rehearsed[variant].events.iter().find(|(n, _)| *n >= repetitions);
        events.map_or(&[], |(_, events)| events)
    }

    fn rehearse_one(&self, variant: usize) -> Result<Rehearsed> {
        let mut rehearsed = Rehearsed::default();
        if self.lab.variants[variant].left_out.is_some() {
            return Ok(rehearsed);
        }
        let most = self.lab.repetitions();
        for repetitions in (1..=most).filter(|n| [1, 2, most].contains(n)) {
            let (script, noted) = self.script(variant, repetitions)?;
            rehearsed.lacking = rehearsed.lacking.or(noted.lacking);
            rehearsed.events.push((repetitions, script.events_set()));
            let used = script.images();
            let uses = |images: &crate::gpu::Images| used.iter().any(|&image| images.holds(image));
            let all = 0..self.lab.outputs.len();
            rehearsed.outputs = all.filter(|&i| uses(&self.lab.outputs[i].images)).collect();
            let all = 0..self.lab.checks.len();
            rehearsed.checks = all.filter(|&i| uses(&self.lab.checks[i].images)).collect();
            if let Some(reason) = self.endless(&script) {
                bail!("variant {}: {reason}", self.lab.variants[variant].name);
            }
        }
        let name = &self.lab.variants[variant].name;
        let unchecked = rehearsed.checks.is_empty() && !self.lab.checks.is_empty();
        ensure!(!unchecked || rehearsed.lacking.is_some(), "variant {name} uses no image that is checked");
        Ok(rehearsed)
    }

    /// Why a recording must not be submitted: a wait for an event that nothing sets would hang the
    /// device. A test that wants to see the time-out may have it, on a CPU device.
    pub fn endless(&self, script: &Script) -> Option<String> {
        let wanted = self.lab.gpu.tamper.get().broken == Some(Break::Endless);
        if wanted && self.lab.gpu.facts.kind == Kind::Cpu {
            return None;
        }
        let wait = script.first_endless_wait(&self.lab.set_before)?;
        Some(format!(
            "wait {wait} of its recording is for an event that nothing sets before, which would hang the device"
        ))
    }

    fn outputs(&self, variant: usize) -> impl Iterator<Item = &'l Output> {
        self.rehearsed[variant].outputs.iter().map(|&i| &self.lab.outputs[i])
    }

    fn checks(&self, variant: usize) -> impl Iterator<Item = &'l Check> {
        self.rehearsed[variant].checks.iter().map(|&i| &self.lab.checks[i])
    }

    pub(super) fn record(&self, cmd: &mut Cmd<'_>, variant: usize, repetitions: u32) {
        let variant = &self.lab.variants[variant];
        let Recording::OneQueue(record) = &variant.record else { return };
        cmd.tampered(|cmd| {
            cmd.region(format_args!("{}", variant.name), || {
                for index in 0..repetitions {
                    record(cmd, Rep { index, count: repetitions });
                }
            });
        });
    }

    /// Fills, seeds, resets. What the caches hold after it is what `warm` means.
    pub(super) fn prepare(&self, cmd: &Cmd<'_>, variant: usize, repetitions: u32) {
        cmd.region(format_args!("prepare"), || {
            for output in self.outputs(variant) {
                for repetition in 0..repetitions {
                    for i in 0..output.images.each {
                        let image = output.images.get(repetition, i);
                        if let Some((_, seed)) = output.seeds.iter().find(|(seeded, _)| *seeded == i) {
                            cmd.copy_buffer_to_image(*seed, image);
                        } else {
                            cmd.clear_color_image(image, output.fill);
                        }
                    }
                }
            }
            for &event in self.events_reset(variant, repetitions) {
                cmd.reset_event2(event);
            }
            if let Some(counters) = self.counters {
                cmd.fill_buffer(counters, 0);
            }
        });
    }

    /// Stamps with an execution barrier on the work's side, so that neither lands early or late.
    /// Returns the CPU time that recording the variant took.
    ///
    /// No memory is made visible in the window but what the variant itself asks for: with full
    /// memory barriers here the empty window took 6.1 µs on an H200 (driver 580), with these 1.9 µs,
    /// and every isolated time was longer by the difference.
    fn window(&self, cmd: &mut Cmd<'_>, variant: Option<usize>, repetitions: u32) -> Duration {
        cmd.full_barrier();
        cmd.write_timestamp2(self.stamps, 0);
        cmd.execution_barrier();
        let began = Instant::now();
        if let Some(variant) = variant {
            self.record(cmd, variant, repetitions);
        }
        let recorded = began.elapsed();
        cmd.execution_barrier();
        cmd.write_timestamp2(self.stamps, 1);
        recorded
    }

    pub(super) fn verify(&self, cmd: &Cmd<'_>, variant: usize, repetitions: u32) {
        let (Some(flat), Some(counters), Some(seen)) = (self.flat, self.counters, self.seen) else { return };
        cmd.region(format_args!("verify"), || {
            let mut slot = 0;
            for (number, check) in self.checks(variant).enumerate() {
                for repetition in 0..repetitions {
                    cmd.full_barrier();
                    cmd.copy_image_to_buffer(check.images.get(repetition, check.index), flat);
                    cmd.full_barrier();
                    let groups = check.words.div_ceil(128).min(4096);
                    cmd.dispatch(
                        self.compare,
                        &[check.expected, flat, counters],
                        &[check.words, slot],
                        [groups, 1, 1],
                    );
                    if let (Some(maps), 0) = (&self.maps, number) {
                        maps.record(cmd, variant, check.expected, flat);
                    }
                    slot += 1;
                }
            }
            cmd.full_barrier();
            cmd.copy_buffer(counters, seen, 8 * u64::from(slot));
            cmd.host_barrier();
        });
    }

    /// Sum of the counters and index of the first wrong element, in the order check, repetition.
    pub(super) fn counts(&self, variant: usize, repetitions: u32) -> Result<(u64, Option<u64>)> {
        let Some(seen) = self.seen else { return Ok((0, None)) };
        let words = self.lab.gpu.read(seen)?;
        let mut slots = words.chunks_exact(2);
        let (mut wrong, mut first, mut before) = (0, None, 0);
        for check in self.checks(variant) {
            for repetition in 0..repetitions {
                if let Some(&[count, index]) = slots.next() {
                    wrong += u64::from(count);
                    if count > 0 {
                        // Counters start at 0, so the device keeps the complement's maximum.
                        let here =
                            before + u64::from(repetition) * u64::from(check.words) + u64::from(!index);
                        first.get_or_insert(here);
                    }
                }
            }
            before += u64::from(check.words) * u64::from(self.lab.repetitions());
        }
        Ok((wrong, first))
    }

    fn read_stamps(&self) -> Result<[u64; 2]> {
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

/// What was learnt by listing what a variant records.
#[derive(Default)]
struct Rehearsed {
    /// The events that are set, per number of repetitions.
    events: Vec<(u32, Vec<Event>)>,
    lacking: Option<&'static str>,
    /// The lab's outputs and checks whose images it uses.
    outputs: Vec<usize>,
    checks: Vec<usize>,
}

/// The two timestamps are no time.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BadStamps(String);

fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
