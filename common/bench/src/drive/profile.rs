//! `--profile`: shows each variant to a capture tool, once, without queries.
//!
//! ```text
//! submit      fill outputs, seed, reset events
//! frame       AmdFrameBegin ─ submit: the variant's commands in its region ─ wait ─ AmdFrameEnd
//! submit      compare every checked image with the reference, counters to the CPU
//! ```
//!
//! A capture tool takes a frame from one present to the next, but this program presents nothing. Labels on the
//! queue mark the frame instead: AMD's tools look for `AmdFrameBegin` and `AmdFrameEnd`, RenderDoc looks for the
//! labels around them. Labels that stay open across a submit (`vkQueueBeginDebugUtilsLabelEXT`) crash captures of
//! Radeon GPU Profiler.

use std::ffi::CStr;
use std::time::Duration;

use anyhow::{Result, ensure};
use record::error::Halt;
use record::{Promise, Status};

use super::session::{Session, Work};
use super::tour::{Said, Tour, miscount, must_differ};
use crate::lab::{Lab, NOT_COMMANDS};

/// The labels that begin and end a frame, outermost first.
const FRAME: [(&CStr, &CStr); 2] =
    [(c"capture-marker,begin_capture", c"capture-marker,end_capture"), (c"AmdFrameBegin", c"AmdFrameEnd")];

/// RADV names a capture after the second in which it is written (`ac_rgp.c` of Mesa 25), and a second capture in
/// the same second would overwrite the first.
const NAMED_AFTER: Duration = Duration::from_millis(1100);

/// Drivers write a capture after its submit has ended; without this pause the process could exit before the last is
/// complete.
const LAST_CAPTURE: Duration = Duration::from_millis(500);

/// Submits each variant of the lab once, in a frame of its own, and checks the result.
///
/// # Errors
/// An error before the first frame.
pub fn profile(lab: &Lab, stopped: &dyn Fn() -> bool) -> Result<Tour> {
    ensure!(!lab.times_elsewhere(), Halt::Skip(NOT_COMMANDS.into()));
    let mut session = Session::new(lab)?;
    session.dry_run()?;
    if lab.report.empties_caches {
        session.make_cold()?;
    }
    let tour = Tour::new(lab, "").visit(lab, stopped, "not shown", |v| match session.left_out(v) {
        Some(Status::Skipped { reason } | Status::Unsupported { reason }) => {
            Ok(Said::LeftOut(reason.clone()))
        }
        _ => one_variant(&session, v),
    });
    std::thread::sleep(LAST_CAPTURE);
    Ok(tour)
}

/// Prepares, submits the frame and verifies the result. Returns the text for the report.
fn one_variant(session: &Session<'_>, v: usize) -> Result<Said> {
    let lab = session.lab;
    let (gpu, name, repetitions) = (&lab.gpu, &lab.variants[v].name, lab.repetitions());
    let script = session.scripts.script(v, repetitions)?;
    let work = Work { variant: v, repetitions, script: &script, notes: None };
    let dispatches = script.dispatches().count();
    let draws = script.launches().count() - dispatches;
    session.elsewhere(&work)?;
    gpu.run_once(&format!("the preparation of {name}"), |cmd| session.prepare(cmd, &work))?;
    part_captures();
    for (begin, _) in FRAME {
        gpu.insert_queue_label(begin)?;
    }
    let before = gpu.submits();
    session.run_bare(&work)?;
    let last = gpu.submits();
    for (_, end) in FRAME.iter().rev() {
        gpu.insert_queue_label(end)?;
    }
    part_captures();
    gpu.run_once(&format!("the verification of {name}"), |cmd| session.verify(cmd, &work))?;
    let submits = match last - before {
        1 => format!("submit {last}"),
        _ => format!("submits {} to {last}", before + 1),
    };
    let counts = [counted(dispatches, "dispatch", "es"), counted(draws, "draw", "s")];
    let shown = [vec![submits], counts.into_iter().flatten().collect()].concat().join(", ");
    Ok(match judge(session, &work)? {
        Ok(right) => Said::Fine(format!("{shown}: {right}")),
        Err(wrong) => Said::Failed(format!(": {shown}: {wrong}")),
    })
}

/// `1 dispatch`, `3 draws`; nothing for none.
fn counted(count: usize, what: &str, ending: &str) -> Option<String> {
    (count > 0).then(|| format!("{count} {what}{}", if count == 1 { "" } else { ending }))
}

/// Waits between two submits if RADV captures each submit, so that the captures get different names.
fn part_captures() {
    if std::env::var_os("MESA_VK_TRACE_PER_SUBMIT").is_some() {
        std::thread::sleep(NAMED_AFTER);
    }
}

/// Whether the images hold the promised result, in words.
///
/// # Errors
/// The images could not be compared.
fn judge(session: &Session<'_>, work: &Work<'_>) -> Result<Result<String, String>> {
    let (counted, lab) = (session.counts(work)?, session.lab);
    let promise = &lab.variants[work.variant].promise;
    // Stale values are counted by a measurement, not by a capture.
    let expected = must_differ(promise, !lab.device().is_cpu());
    let miscount = |n| miscount(&session.uses, work.variant, counted, n, work.repetitions);
    if let Some(problem) = expected.and_then(miscount) {
        return Ok(Err(problem));
    }
    Ok(Ok(match (promise, counted.wrong) {
        _ if lab.checks.is_empty() => "no result to compare".into(),
        (_, 0) => "correct".into(),
        (Promise::Fault { .. }, _) => "only the texels of its seeded bug wrong".into(),
        (_, wrong) => format!("{wrong} wrong pixels (expected)"),
    }))
}
