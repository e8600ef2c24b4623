//! `--profile`: shows each variant to a capture tool, once, without queries.
//!
//! ```text
//! submit      fill outputs, seed, reset events
//! frame       AmdFrameBegin ─ submit: the variant's commands in its region ─ wait ─ AmdFrameEnd
//! submit      compare every checked image with the twin, counters to the CPU
//! ```
//!
//! A capture tool takes a frame from one present to the next, and here is none. What stands for it are
//! labels on the queue: `AmdFrameBegin` and `AmdFrameEnd` are what AMD's tools look for, the labels
//! around those are RenderDoc's. Labels that stay open over a submit (`vkQueueBeginDebugUtilsLabelEXT`)
//! crash captures of Radeon GPU Profiler.

use std::ffi::CStr;
use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Context, Result};
use record::error::{Halt, one_line};
use record::{Promise, Status};
use vulkan::cmd::CommandBuffer;

use super::check::{miscount, must_differ};
use super::session::{Session, Work};
use crate::lab::Lab;
use crate::variant::Recording;

/// What delimits a frame, from the outside in.
const FRAME: [(&CStr, &CStr); 2] =
    [(c"capture-marker,begin_capture", c"capture-marker,end_capture"), (c"AmdFrameBegin", c"AmdFrameEnd")];

/// RADV names the capture of a submit after the second in which it was written (`ac_rgp.c` of Mesa 25),
/// and another one in the same second replaces it.
const NAMED_AFTER: Duration = Duration::from_millis(1100);

/// Drivers write a capture when its submit has ended, and the last one shall not be cut.
const LAST_CAPTURE: Duration = Duration::from_millis(500);

/// What `--profile` showed.
#[derive(Debug, Default)]
pub struct Profiled {
    /// One line a variant.
    pub report: String,
    /// Variants that were wrong or failed.
    pub failed: usize,
    /// What hindered the frame of a variant.
    pub errors: Vec<anyhow::Error>,
    /// The user stopped it between two variants.
    pub interrupted: bool,
}

/// Submits each variant of the lab once, in a frame of its own, and judges the result.
///
/// # Errors
/// What hinders the first frame.
pub fn profile(lab: &Lab, stopped: &dyn Fn() -> bool) -> Result<Profiled> {
    let mut session = Session::new(lab)?;
    session.dry_run()?;
    let names = lab.variants.iter().map(|v| v.name.len()).max().unwrap_or(0);
    let mut profiled = Profiled::default();
    // A queue that hung, a lost device, a wait that failed: nothing more can be shown.
    let mut is_unusable = false;
    for (v, variant) in lab.variants.iter().enumerate() {
        profiled.interrupted |= stopped();
        let text = match session.left_out(v) {
            _ if is_unusable || profiled.interrupted => "not shown".into(),
            Some(Status::Skipped { reason } | Status::Unsupported { reason }) => {
                format!("left out: {reason}")
            }
            _ => {
                let judged = one_variant(lab, &mut session, v).unwrap_or_else(|error| {
                    let reason = one_line(&error);
                    is_unusable = error.is::<Halt>() || lab.gpu.is_busy();
                    profiled.errors.push(error.context(variant.name.clone()));
                    Err(reason)
                });
                profiled.failed += usize::from(judged.is_err());
                judged.unwrap_or_else(|reason| format!("FAILED: {reason}"))
            }
        };
        let _ = writeln!(profiled.report, "{:<names$} {text}", variant.name);
    }
    std::thread::sleep(LAST_CAPTURE);
    Ok(profiled)
}

/// Preparation, frame and verification; returns what is to be said of them, or what is wrong with the result.
fn one_variant(lab: &Lab, session: &mut Session<'_>, v: usize) -> Result<Result<String, String>> {
    let (gpu, name, repetitions) = (&lab.gpu, &lab.variants[v].name, lab.repetitions());
    let script = session.script(v, repetitions)?;
    let work = Work { variant: v, repetitions, script: &script, notes: None };
    let dispatches = script.dispatches().count();
    gpu.run_once(&format!("the preparation of {name}"), |cmd| session.prepare(cmd, &work))?;
    part_captures();
    for (begin, _) in FRAME {
        gpu.insert_queue_label(begin)?;
    }
    let before = gpu.submits();
    submit(session, &work)?;
    let last = gpu.submits();
    for (_, end) in FRAME.iter().rev() {
        gpu.insert_queue_label(end)?;
    }
    part_captures();
    gpu.run_once(&format!("the verification of {name}"), |cmd| session.verify(cmd, v, repetitions))?;
    let submits = match last - before {
        1 => format!("submit {last}"),
        _ => format!("submits {} to {last}", before + 1),
    };
    let s = if dispatches == 1 { "" } else { "es" };
    let shown = format!("{submits}, {dispatches} dispatch{s}");
    let judged = judge(lab, session, v, repetitions)?;
    Ok(judged.map(|right| format!("{shown}: {right}")).map_err(|wrong| format!("{shown}: {wrong}")))
}

/// Keeps the captures of two submits apart, where RADV makes one of each.
fn part_captures() {
    if std::env::var_os("MESA_VK_TRACE_PER_SUBMIT").is_some() {
        std::thread::sleep(NAMED_AFTER);
    }
}

/// The variant's commands and nothing else.
fn submit(session: &mut Session<'_>, work: &Work<'_>) -> Result<()> {
    let (gpu, variant) = (&session.lab.gpu, &session.lab.variants[work.variant]);
    if matches!(variant.record, Recording::Queues(_)) {
        let mut two = session.two_queues.take().context("the device has one queue")?;
        let done = two.run_bare(session, work);
        session.two_queues = Some(two);
        return done;
    }
    gpu.reset_pool(session.pool)?;
    let cmd = CommandBuffer::begin_for(gpu, session.buffer, variant.usage)?;
    session.record(&cmd, work);
    cmd.end()?;
    gpu.submit(session.buffer, session.fence)?;
    gpu.wait(session.fence, &variant.name)
}

/// In words, whether the images hold what the variant promises.
///
/// # Errors
/// They could not be compared.
fn judge(lab: &Lab, session: &Session<'_>, v: usize, repetitions: u32) -> Result<Result<String, String>> {
    let counted = session.counts(v, repetitions)?;
    let (promise, wrong) = (&lab.variants[v].promise, counted.wrong);
    let expected = match promise {
        // Caches may show it a stale value, which its row of a measurement counts.
        Promise::Hardware { .. } if !lab.device().is_cpu() => None,
        promise => must_differ(promise),
    };
    if let Some(problem) = expected.and_then(|n| miscount(session, v, counted, n, repetitions)) {
        return Ok(Err(problem));
    }
    Ok(Ok(match (promise, wrong) {
        _ if lab.checks.is_empty() => "no output compared".into(),
        (_, 0) => "right".into(),
        (Promise::Fault { .. }, _) => "right, with just the texels of its fault wrong".into(),
        (_, wrong) => format!("{wrong} racy texels, as it may"),
    }))
}
