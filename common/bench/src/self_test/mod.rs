//! The self-test: whether the times of this device, on this day, are to be trusted.
//!
//! It runs on the logical device that a run has opened, before the run's own objects are made, and leaves
//! nothing behind. Each check has a file: what it takes from the device, and how that is judged, which is
//! tested on made-up figures.

mod bursts;
mod idle;
mod rate;
mod stamps;
mod stop;
#[cfg(test)]
mod tests;
mod verdicts;
mod waking;
mod work;

use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result};
use record::Kind;
use record::error::{EXIT_FAILED, EXIT_INTERRUPTED, EXIT_RIGHT};
use record::self_test::CheckResult::Failed;
use record::self_test::{Certificate, Check};
use vulkan::gpu::Gpu;

use crate::chains::sums;
use crate::counter::Counter;
use crate::drive::session::Session;
use crate::lab::{Lab, LabOptions};
use bursts::Bursts;
use stop::{Stop, Stopped};
use work::Size;

/// What came of it.
#[derive(Debug)]
pub struct Certified {
    /// The device, as it was.
    pub gpu: Gpu,
    /// What was found.
    pub certificate: Certificate,
    /// The user ended it: checks are missing.
    pub interrupted: bool,
}

/// The exit code of a run that only tests.
#[must_use]
pub fn exit_code(certificate: &Certificate, interrupted: bool) -> u8 {
    match (certificate.passed(), interrupted) {
        (_, true) => EXIT_INTERRUPTED,
        (true, false) => EXIT_RIGHT,
        (false, false) => EXIT_FAILED,
    }
}

/// The order in which checks are shown.
const SHOWN: [&str; 7] =
    [verdicts::RESULTS, verdicts::SAME, verdicts::SLOWER, stamps::STEP, rate::NAME, waking::NAME, idle::NAME];

/// Why there are no verdicts on times.
const NO_TIMES: &str =
    "a CPU device: other programs take part of it at any time, and its times are no evidence";

/// Tests the device and hands it back without a trace: no kernel, no memory and no label. `stopped` is asked
/// between samples and ends the test.
///
/// # Errors
/// What any run can meet: a queue that hangs, a lost device, no memory. The device is then given up.
pub fn certify(gpu: Gpu, stopped: &dyn Fn() -> bool) -> Result<Certified> {
    let times_tell = gpu.facts.kind != Kind::Cpu;
    certify_by(gpu, stopped, times_tell)
}

/// As [`certify`], with or without what needs times that mean something.
fn certify_by(mut gpu: Gpu, stopped: &dyn Fn() -> bool, times_tell: bool) -> Result<Certified> {
    let began = Instant::now();
    let labels = gpu.debug.take();
    let mut checks = Vec::new();
    let (mut gpu, interrupted) = test(gpu, Stop(stopped), times_tell, &mut checks)?;
    gpu.debug = labels;
    checks.sort_by_key(|check: &Check| SHOWN.iter().position(|name| *name == check.name));
    let certificate = Certificate { seconds: began.elapsed().as_secs_f64(), checks };
    Ok(Certified { gpu, certificate, interrupted })
}

/// Runs the checks on objects of their own; returns the device, and whether the user ended it.
fn test(gpu: Gpu, stop: Stop<'_>, times_tell: bool, checks: &mut Vec<Check>) -> Result<(Gpu, bool)> {
    // It stays, for the run.
    gpu.prepare_once()?;
    let before = gpu.mark();
    let options = LabOptions { repetitions: Some(1), ..LabOptions::default() };
    let mut lab = Lab::new(gpu, &options);
    let tested = all_checks(&mut lab, stop, times_tell, checks);
    let Lab { gpu, .. } = lab;
    let interrupted = match tested {
        Ok(()) => false,
        Err(error) if error.is::<Stopped>() => true,
        // What a lost device holds is not freed, and neither is anything by a run that ends here.
        Err(error) => return Err(error),
    };
    gpu.release(&before);
    let gpu = Rc::into_inner(gpu).context("somebody else holds the device")?;
    Ok((gpu, interrupted))
}

fn all_checks(lab: &mut Lab, stop: Stop<'_>, times_tell: bool, checks: &mut Vec<Check>) -> Result<()> {
    let kernel = lab.kernel("lab/chains.comp").draft()?;
    let bursts = Bursts::new(lab, kernel)?;
    // The longer between two readings of a clock, the better its rate is known: all else lies between.
    let rate = rate::Meter::begin(&lab.gpu, stop)?;
    if times_tell {
        let (size, woken) = waking::wake(&lab.gpu, &bursts, stop)?;
        checks.push(woken);
        checks.push(idle::check(&lab.gpu, &bursts, size, stop)?);
        work::declare(lab, kernel, size, sums)?;
        checks.extend(verdicts::checks(lab, stop)?);
    } else {
        work::declare(lab, kernel, Size::SMALL, sums)?;
        let untimed = [verdicts::SAME, verdicts::SLOWER, waking::NAME, idle::NAME];
        checks.extend(untimed.map(|name| Check::skipped(name, NO_TIMES)));
        checks.push(answers(lab, &mut Session::new(lab)?, stop)?);
    }
    checks.push(stamps::step(&bursts.row(&lab.gpu)?, Counter::of(lab.device())));
    checks.push(rate.end(&lab.gpu, stop)?);
    Ok(())
}

/// Where times mean nothing the answers are left: runs each variant once and compares what it wrote with
/// the reference, on the device and on the CPU.
fn answers(lab: &Lab, session: &mut Session<'_>, stop: Stop<'_>) -> Result<Check> {
    session.dry_run()?;
    for (at, variant) in lab.variants.iter().enumerate() {
        stop.ask()?;
        let reading = session.sample(Some(at), 1)?;
        let wrong = reading.wrong.max(session.count_on_cpu(at, 1)?);
        if wrong > 0 {
            let first =
                reading.first_wrong.map_or_else(|| "unknown".into(), |first| session.uses.place(at, first));
            let found = verdicts::wrong(&variant.name, wrong, &first);
            return Ok(Check::new(verdicts::RESULTS, Failed, found));
        }
    }
    let words = (0..lab.variants.len()).map(|at| session.uses.elements(at)).max().unwrap_or(0);
    Ok(verdicts::right(words, lab.variants.len()))
}
