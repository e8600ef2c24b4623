//! The unit of measurement on the device: one sample is one command buffer and one submit.
//!
//! ```text
//! before the window │ fill outputs, seed, reset events, reset stamps ─ full barrier
//! the window        │ stamp ─ execution barrier ─ the variant's commands ─ execution barrier ─ stamp
//! behind the window │ full barrier ─ compare every checked image with the twin ─ counters to the CPU
//! ```

use std::time::{Duration, Instant};

use anyhow::Result;
use ash::vk;

use super::interval;
use crate::cmd::Cmd;
use crate::gpu::{Buffer, Event};
use crate::kernel::Kernel;
use crate::lab::{Check, Lab};
use crate::measure::Reading;
use crate::memory::Place;
use crate::record::Status;
use crate::stats::Summary;
use crate::variant::Rep;

/// Objects that every sample reuses.
pub(crate) struct Session<'l> {
    lab: &'l Lab,
    pool: vk::CommandPool,
    buffer: vk::CommandBuffer,
    fence: vk::Fence,
    stamps: vk::QueryPool,
    compare: Kernel,
    /// Where an image lies in rows while it is compared.
    flat: Option<Buffer>,
    /// Two words a checked image: how many differ, index of the first.
    counters: Option<Buffer>,
    seen: Option<Buffer>,
    rehearsed: Vec<Rehearsed>,
}

impl<'l> Session<'l> {
    /// Makes what samples need. [`Session::rehearse`] comes before the first sample.
    pub fn new(lab: &'l Lab) -> Result<Self> {
        let gpu = &lab.gpu;
        let (pool, buffer) = gpu.command_buffer()?;
        let mut session = Self {
            lab,
            pool,
            buffer,
            fence: gpu.fence()?,
            stamps: gpu.timestamps(2)?,
            compare: lab.kernel("lab/compare.comp").build()?,
            flat: None,
            counters: None,
            seen: None,
            rehearsed: Vec::new(),
        };
        if let Some(words) = lab.checks.iter().map(|c| c.words).max() {
            let counters = 8 * u64::from(lab.repetitions()) * lab.checks.len() as u64;
            session.flat = Some(gpu.buffer("result in rows", 4 * u64::from(words), Place::Device)?);
            session.counters = Some(gpu.buffer("counters", counters, Place::Device)?);
            session.seen = Some(gpu.buffer("counters (CPU)", counters, Place::Readback)?);
        }
        Ok(session)
    }

    /// Records each variant once, without submitting it, to learn which events it sets and whether
    /// it is well-formed.
    pub fn rehearse(&mut self) -> Result<()> {
        self.rehearsed = (0..self.lab.variants.len()).map(|v| self.rehearse_one(v)).collect::<Result<_>>()?;
        Ok(())
    }

    /// Why a variant does not run here: the sample left it out, or the device lacks something that
    /// its recording asks for.
    pub fn left_out(&self, variant: usize) -> Option<Status> {
        let lacking = self.rehearsed[variant].lacking;
        let unsupported =
            || lacking.map(|what| Status::Unsupported { reason: format!("the device has no {what}") });
        self.lab.variants[variant].left_out.clone().or_else(unsupported)
    }

    /// Takes one sample; without a variant, of an empty window.
    ///
    /// # Errors
    /// A queue that hangs, a lost device; timestamps that are no times come as [`BadStamps`].
    pub fn sample(&mut self, variant: Option<usize>, repetitions: u32) -> Result<Reading> {
        self.lab.gpu.reset_pool(self.pool)?;
        let mut cmd = Cmd::begin(&self.lab.gpu, self.buffer)?;
        cmd.reset_query_pool(self.stamps, 2);
        if let Some(variant) = variant {
            self.prepare(&cmd, variant, repetitions);
        }
        let record_us = self.window(&mut cmd, variant, repetitions);
        if variant.is_some() {
            self.verify(&cmd, repetitions);
        }
        cmd.end()?;
        let submitted = self.lab.gpu.submit(self.buffer, self.fence)?;
        let name = variant.map_or("an empty window", |v| &self.lab.variants[v].name);
        self.lab.gpu.wait(self.fence, name)?;
        let (wrong, first_wrong) = if variant.is_some() { self.counts(repetitions)? } else { (0, None) };
        Ok(Reading {
            gpu_us: self.interval()?,
            record_us: microseconds(record_us),
            submit_us: microseconds(submitted),
            wrong,
            first_wrong,
        })
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
    pub fn count_on_cpu(&self, repetitions: u32) -> Result<u64> {
        let mut wrong = 0;
        for check in &self.lab.checks {
            let bytes = 4 * u64::from(check.words);
            let readback = self.lab.gpu.buffer("result (CPU)", bytes, Place::Readback)?;
            for repetition in 0..repetitions {
                let image = check.images.get(repetition, check.index);
                self.lab.gpu.run_once("a read-back", |cmd| {
                    cmd.copy_image_to_buffer(image, readback);
                    cmd.host_barrier();
                })?;
                let read = self.lab.gpu.read(readback)?;
                wrong += check.twin.iter().zip(&read).filter(|(a, b)| a != b).count() as u64;
            }
            self.lab.gpu.free(readback);
        }
        Ok(wrong)
    }

    /// Where a counted element lies, in words.
    pub fn place(&self, first: u64) -> String {
        let mut index = first;
        for check in &self.lab.checks {
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

    fn rehearse_one(&self, variant: usize) -> Result<Rehearsed> {
        let mut rehearsed = Rehearsed::default();
        if self.lab.variants[variant].left_out.is_some() {
            return Ok(rehearsed);
        }
        let most = self.lab.repetitions();
        for repetitions in (1..=most).filter(|n| [1, 2, most].contains(n)) {
            self.lab.gpu.reset_pool(self.pool)?;
            let mut cmd = Cmd::begin(&self.lab.gpu, self.buffer)?;
            self.record(&mut cmd, variant, repetitions);
            let noted = cmd.end()?;
            rehearsed.lacking = rehearsed.lacking.or(noted.lacking);
            rehearsed.events.push((repetitions, noted.events));
        }
        Ok(rehearsed)
    }

    fn record(&self, cmd: &mut Cmd<'_>, variant: usize, repetitions: u32) {
        let variant = &self.lab.variants[variant];
        cmd.tampered(|cmd| {
            cmd.region(format_args!("{}", variant.name), || {
                for index in 0..repetitions {
                    (variant.record)(cmd, Rep { index, count: repetitions });
                }
            });
        });
    }

    /// Fills, seeds, resets. What the caches hold after it is what `warm` means.
    fn prepare(&self, cmd: &Cmd<'_>, variant: usize, repetitions: u32) {
        cmd.region(format_args!("prepare"), || {
            for output in &self.lab.outputs {
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
            // The events of fewer repetitions are among those of more.
            let events = self.rehearsed[variant].events.iter().find(|(n, _)| *n >= repetitions);
            for &event in events.map_or(&[][..], |(_, events)| events) {
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

    fn verify(&self, cmd: &Cmd<'_>, repetitions: u32) {
        let (Some(flat), Some(counters), Some(seen)) = (self.flat, self.counters, self.seen) else { return };
        cmd.region(format_args!("verify"), || {
            let mut slot = 0;
            for check in &self.lab.checks {
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
                    slot += 1;
                }
            }
            cmd.full_barrier();
            cmd.copy_buffer(counters, seen, 8 * u64::from(slot));
            cmd.host_barrier();
        });
    }

    /// Sum of the counters and index of the first wrong element, in the order check, repetition.
    fn counts(&self, repetitions: u32) -> Result<(u64, Option<u64>)> {
        let Some(seen) = self.seen else { return Ok((0, None)) };
        let words = self.lab.gpu.read(seen)?;
        let mut slots = words.chunks_exact(2);
        let (mut wrong, mut first, mut before) = (0, None, 0);
        for check in &self.lab.checks {
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

    fn interval(&self) -> Result<f64> {
        use crate::error::Doing;
        let mut stamps = [0_u64; 2];
        unsafe {
            self.lab.gpu.device.get_query_pool_results(
                self.stamps,
                0,
                &mut stamps,
                vk::QueryResultFlags::TYPE_64,
            )
        }
        .doing("reading timestamps")?;
        let facts = &self.lab.gpu.facts;
        interval::microseconds(stamps[0], stamps[1], facts.timestamp_bits, facts.timestamp_period_ns)
            .map_err(|error| BadStamps(error.to_string()).into())
    }
}

/// What was learnt by recording a variant without submitting it.
#[derive(Default)]
struct Rehearsed {
    /// The events that are set, per number of repetitions.
    events: Vec<(u32, Vec<Event>)>,
    lacking: Option<&'static str>,
}

/// The two timestamps are no time.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BadStamps(String);

fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// The number of elements that a run with `repetitions` checks.
pub(crate) fn checked_elements(checks: &[Check], repetitions: u32) -> u64 {
    checks.iter().map(|c| u64::from(c.words)).sum::<u64>() * u64::from(repetitions)
}
