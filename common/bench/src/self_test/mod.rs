//! The self-test checks whether times measured on this device can be trusted.
//!
//! It runs on the logical device of the run, before the run's own objects are made, and frees everything that it
//! makes. Each check has a file with its measurement and its evaluation; the evaluation is tested on made-up
//! numbers.

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

/// The result of the self-test.
#[derive(Debug)]
pub struct Certified {
    /// The device, in its state before the test.
    pub gpu: Gpu,
    /// The checks and their results.
    pub certificate: Certificate,
    /// Whether the user interrupted the test, so that checks are missing.
    pub interrupted: bool,
}

/// The exit code of a run that only runs the self-test.
#[must_use]
pub fn exit_code(certificate: &Certificate, interrupted: bool) -> u8 {
    match (certificate.passed(), interrupted) {
        (_, true) => EXIT_INTERRUPTED,
        (true, false) => EXIT_RIGHT,
        (false, false) => EXIT_FAILED,
    }
}

/// The order in which checks are printed.
const SHOWN: [&str; 7] =
    [verdicts::RESULTS, verdicts::SAME, verdicts::SLOWER, stamps::STEP, rate::NAME, waking::NAME, idle::NAME];

/// Why times are not checked on a CPU device.
const NO_TIMES: &str =
    "a CPU device: other programs take part of it at any time, and its times are no evidence";

/// Tests the device and returns it without leftover kernels, memory or labels. `stopped` is called between samples
/// and ends the test.
///
/// # Errors
/// A queue that hangs, a lost device, or not enough memory. The device is then dropped.
pub fn certify(gpu: Gpu, stopped: &dyn Fn() -> bool) -> Result<Certified> {
    let times_tell = gpu.facts.kind != Kind::Cpu;
    certify_by(gpu, stopped, times_tell)
}

/// Like [`certify`], with or without the checks that need meaningful times.
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

/// Runs the checks on objects of their own. Returns the device, and whether the user interrupted the test.
fn test(gpu: Gpu, stop: Stop<'_>, times_tell: bool, checks: &mut Vec<Check>) -> Result<(Gpu, bool)> {
    // These objects stay for the run.
    gpu.prepare_once()?;
    let before = gpu.mark();
    let options = LabOptions { repetitions: Some(1), ..LabOptions::default() };
    let mut lab = Lab::new(gpu, &options);
    let tested = all_checks(&mut lab, stop, times_tell, checks);
    let Lab { gpu, .. } = lab;
    let interrupted = match tested {
        Ok(()) => false,
        Err(error) if error.is::<Stopped>() => true,
        // Objects of a lost device are not freed, nor those of a run that ends here.
        Err(error) => return Err(error),
    };
    gpu.release(&before);
    let gpu = Rc::into_inner(gpu).context("somebody else holds the device")?;
    Ok((gpu, interrupted))
}

fn all_checks(lab: &mut Lab, stop: Stop<'_>, times_tell: bool, checks: &mut Vec<Check>) -> Result<()> {
    let kernel = lab.kernel("lab/chains.comp").draft()?;
    let bursts = Bursts::new(lab, kernel)?;
    // The longer the time between two clock readings, the more precise the rate, so all other checks run between
    // them.
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

/// The check of a device without meaningful times: runs each variant once and compares its result with the
/// reference, on the device and on the CPU.
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
