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
use crate::record::{Row, Traced};
use crate::stats::Summary;
use crate::trace::decode::{Clock, Fault, Taken, decode};
use crate::trace::plan::{MOST_SLOTS, Planned, Region, plan};
use crate::trace::{Recorder, Trace, TraceFigures};

/// Traced samples of a variant, each behind an untraced one; shown is the one of median length. One more
/// comes before them, for kernels that have not run yet.
const SAMPLES: usize = 5;

/// A traced sample that is kept as it is until all are taken: while the CPU reads waves, a GPU that has
/// nothing to do lowers its clocks. (Decoding between samples made them four times as long on an H200.)
struct Sample {
    untraced_us: f64,
    stamps_us: f64,
    words: Vec<u32>,
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

    /// Traces a variant; what it shows goes into its row.
    ///
    /// # Errors
    /// A queue that hangs, a lost device.
    pub fn trace(
        &self,
        lab: &Lab,
        session: &mut Session<'_>,
        variant: usize,
        row: &mut Row,
        refuses: impl Fn(&Reading) -> bool,
    ) -> Result<Option<Trace>> {
        let refused = |reason: String| Traced::Refused { reason };
        let clock = match &self.clock {
            Ok(clock) => *clock,
            Err(fault) => {
                row.trace = Some(refused(fault.to_string()));
                return Ok(None);
            }
        };
        let regions = regions(lab, session, variant)?;
        let mut taken: Vec<Sample> = Vec::new();
        for number in 0..=SAMPLES {
            let untraced_us = session.sample(Some(variant), 1)?.gpu_us;
            let (reading, words) = self.sample(lab, session, variant, &regions)?;
            if refuses(&reading) {
                let reason = format!("traced, {} elements of its result were wrong", reading.wrong);
                row.trace = Some(refused(reason));
                return Ok(None);
            }
            if number > 0 {
                taken.push(Sample { untraced_us, stamps_us: reading.gpu_us, words });
            }
        }
        let ratios: Vec<f64> = taken.iter().map(|sample| sample.stamps_us / sample.untraced_us).collect();
        let overhead = Summary::of(&ratios).map(|ratio| ratio.median - 1.0);
        taken.sort_by(|a, b| a.stamps_us.total_cmp(&b.stamps_us));
        let shown = self.decoded(lab, &regions, &taken[SAMPLES / 2], clock).and_then(|trace| {
            let figures = TraceFigures::of(&trace).ok_or(Fault::StandsStill)?;
            Ok((trace, figures))
        });
        match shown {
            Ok((trace, figures)) => {
                row.trace = Some(Traced::Ok { figures: Box::new(figures), overhead });
                Ok(Some(trace))
            }
            Err(fault) => {
                row.trace = Some(refused(fault.to_string()));
                Ok(None)
            }
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

    fn decoded(&self, lab: &Lab, regions: &[Region], sample: &Sample, clock: Clock) -> Result<Trace, Fault> {
        let arena = lab.gpu.arena();
        let name = |region: &Region| arena.kernel(region.planned.kernel).facts.name.clone();
        decode(&Taken {
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
