//! `--trace`: each variant a few times more, with kernels that note their waves.
//!
//! ```text
//! before the window │ as for a sample, and the heads of the trace's regions
//! the window        │ stamp ─ the variant's own commands, with the traced kernels ─ stamp
//! behind the window │ compare with the twin ─ the trace to the CPU
//! ```

mod clock;

use anyhow::{Context, Result, ensure};

use super::session::Session;
use crate::cmd::Cmd;
use crate::gpu::Buffer;
use crate::kernel::Kernel;
use crate::lab::Lab;
use crate::measure::Reading;
use crate::memory::Place;
use crate::record::Traced;
use crate::stats::Summary;
use crate::trace::decode::{Clock, Fault, Left, decode};
use crate::trace::plan::{MOST_SLOTS, Planned, Region, plan};
use crate::trace::{Recorder, Trace, TraceFigures};

/// Traced samples of a variant, each behind an untraced one; shown is the one of median length. One more
/// comes before them, for kernels that have not run yet.
const SAMPLES: usize = 5;

/// A GPU that has slept is given so many samples to raise its clocks again.
const WAKING: u32 = 200;

/// A traced sample and the untraced one before it.
struct Sample {
    untraced_us: f64,
    stamps_us: f64,
    words: Vec<u32>,
}

/// A variant's traced sample of median length, or why there is none. Its words are kept as they are until
/// all variants have theirs: while the CPU reads waves, a GPU that has nothing to do lowers its clocks.
/// (Decoding between samples made them four times as long on an H200, driver 580.)
pub(super) struct Taken {
    pub variant: usize,
    overhead: Option<f64>,
    kept: Result<(Vec<Region>, Sample), String>,
}

/// What traces of a run have in common.
pub(super) struct Tracer {
    buffer: Buffer,
    readback: Buffer,
    /// Or why there is none to be trusted.
    clock: Result<Clock, Fault>,
    multiprocessors: Option<u32>,
}

impl Tracer {
    /// Makes the buffers and sets the waves' clock against the timestamps.
    pub fn new(lab: &Lab, session: &Session<'_>, variants: &[usize]) -> Result<Self> {
        let mut bytes = 256;
        for &variant in variants {
            bytes = bytes.max(bytes_of(&regions(lab, session, variant)?));
        }
        Ok(Self {
            buffer: lab.gpu.buffer("trace", bytes, Place::Device)?,
            readback: lab.gpu.buffer("trace (CPU)", bytes, Place::Readback)?,
            clock: clock::set_against_stamps(lab, session)?,
            multiprocessors: lab.device().multiprocessors.map(|mps| mps.count),
        })
    }

    /// Takes the traced samples of a variant, which are decoded when all variants have theirs.
    ///
    /// # Errors
    /// A queue that hangs, a lost device.
    pub fn take(
        &self,
        lab: &Lab,
        session: &mut Session<'_>,
        variant: usize,
        isolated_us: f64,
        refuses: impl Fn(&Reading) -> bool,
    ) -> Result<Taken> {
        let regions = regions(lab, session, variant)?;
        let refused = |reason| Taken { variant, overhead: None, kept: Err(reason) };
        if let Err(fault) = &self.clock {
            return Ok(refused(fault.to_string()));
        }
        wake(session, variant, isolated_us)?;
        let mut samples: Vec<Sample> = Vec::new();
        for number in 0..=SAMPLES {
            let untraced_us = session.sample(Some(variant), 1)?.gpu_us;
            let (reading, words) = self.sample(lab, session, variant, &regions)?;
            if refuses(&reading) {
                return Ok(refused(format!("traced, {} elements of its result were wrong", reading.wrong)));
            }
            if number > 0 {
                samples.push(Sample { untraced_us, stamps_us: reading.gpu_us, words });
            }
        }
        let ratios: Vec<f64> = samples.iter().map(|sample| sample.stamps_us / sample.untraced_us).collect();
        let overhead = Summary::of(&ratios).map(|ratio| ratio.median - 1.0);
        samples.sort_by(|a, b| a.stamps_us.total_cmp(&b.stamps_us));
        Ok(Taken { variant, overhead, kept: Ok((regions, samples.swap_remove(SAMPLES / 2))) })
    }

    /// What a traced sample shows, for its row; the trace itself where it can be trusted.
    pub fn read(&self, lab: &Lab, taken: &Taken) -> (Traced, Option<Trace>) {
        let shown = taken.kept.as_ref().map_err(Clone::clone).and_then(|(regions, sample)| {
            let trace = self.decoded(lab, regions, sample).map_err(|fault| fault.to_string())?;
            let figures = TraceFigures::of(&trace).ok_or_else(|| Fault::StandsStill.to_string())?;
            Ok((trace, figures))
        });
        match shown {
            Ok((trace, figures)) => {
                (Traced::Ok { figures: Box::new(figures), overhead: taken.overhead }, Some(trace))
            }
            Err(reason) => (Traced::Refused { reason }, None),
        }
    }

    /// One traced submit, and what its waves left.
    fn sample(
        &self,
        lab: &Lab,
        session: &mut Session<'_>,
        variant: usize,
        regions: &[Region],
    ) -> Result<(Reading, Vec<u32>)> {
        let gpu = &lab.gpu;
        *gpu.recorder.borrow_mut() = Some(Recorder::new(self.buffer, regions.to_vec()));
        let reading = session.sample(Some(variant), 1);
        let recorder = gpu.recorder.borrow_mut().take().context("a recorder that is gone")?;
        let reading = reading?;
        ensure!(recorder.is_complete(), "not every dispatch was traced");
        let bytes = bytes_of(regions);
        gpu.run_once("reading a trace", |cmd| {
            cmd.copy_buffer(self.buffer, self.readback, bytes);
            cmd.host_barrier();
        })?;
        let words = usize::try_from(bytes / 4)?;
        Ok((reading, gpu.look(self.readback, |all| all[..words].to_vec())?))
    }

    fn decoded(&self, lab: &Lab, regions: &[Region], sample: &Sample) -> Result<Trace, Fault> {
        let clock = self.clock.clone()?;
        let arena = lab.gpu.arena();
        let name = |region: &Region| arena.kernel(region.planned.kernel).facts.name.clone();
        decode(&Left {
            regions,
            kernels: &regions.iter().map(name).collect::<Vec<_>>(),
            words: &sample.words,
            clock,
            source: lab.gpu.waves.lanes,
            multiprocessors: self.multiprocessors,
            stamps_us: sample.stamps_us,
        })
    }
}

/// Samples a variant until it takes about as long as it did when it was measured.
fn wake(session: &mut Session<'_>, variant: usize, isolated_us: f64) -> Result<()> {
    for _ in 0..WAKING {
        if session.sample(Some(variant), 1)?.gpu_us < 1.1 * isolated_us {
            break;
        }
    }
    Ok(())
}

/// Bytes of the trace's buffer that these take.
fn bytes_of(regions: &[Region]) -> u64 {
    regions.last().map_or(0, |last| last.offset + last.bytes())
}

/// Where the dispatches of a variant note their waves.
fn regions(lab: &Lab, session: &Session<'_>, variant: usize) -> Result<Vec<Region>> {
    let (script, _) = session.script(variant, 1)?;
    let arena = lab.gpu.arena();
    let planned = |kernel: Kernel, groups: [u32; 3]| {
        let slot = arena.kernel(kernel);
        ensure!(
            slot.traced.is_some(),
            "{} was built before traces were asked for: Lab::traces comes first",
            slot.facts.name
        );
        let invocations: u32 = slot.facts.workgroup.iter().product();
        Ok(Planned { kernel, groups, waves: invocations.div_ceil(lab.gpu.waves.least_subgroup) })
    };
    let planned: Vec<Planned> = script
        .dispatches()
        .map(|dispatch| planned(dispatch.kernel, dispatch.groups))
        .collect::<Result<_>>()?;
    Ok(plan(&planned, MOST_SLOTS))
}

impl Session<'_> {
    /// Empties the trace's regions and writes their heads, where a trace is being recorded.
    pub(super) fn prepare_trace(&self, cmd: &Cmd<'_>) {
        if let Some(recorder) = &*self.lab.gpu.recorder.borrow() {
            cmd.fill_buffer(recorder.buffer, 0);
            cmd.full_barrier();
            for region in &recorder.regions {
                cmd.update_buffer(recorder.buffer, region.offset, &region.head());
            }
        }
    }
}
