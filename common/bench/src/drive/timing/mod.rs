//! `--bench`: measures every variant, checks every sample, and makes the rows of the record.

mod conclusion;
mod device;
mod notes;
mod plan;
mod run;
mod step;
#[cfg(test)]
mod tests;

pub use conclusion::{headline, verdict};
pub use device::Observer;
pub use plan::BenchOptions;
pub(super) use plan::method;
pub use step::{Measured, Phase, SoFar, Step};

use std::rc::Rc;

use anyhow::Result;
use record::error::one_line;
use record::{Ended, Method};

use self::device::Device;
use self::run::Run;
use self::step::{Told, Watch};
use super::rows;
use super::session::Session;
use crate::lab::Lab;
use crate::measure::{self, Plan};

/// Measures the lab's variants; `observer` is called between samples.
///
/// # Errors
/// An error before the first sample; later failures are in [`Measured`].
pub fn measure(
    lab: &Lab,
    options: &BenchOptions,
    watch: &mut Watch<'_>,
    observer: Option<&dyn Observer>,
) -> Result<Measured> {
    let mut session = Session::new(lab)?;
    session.dry_run()?;
    let uses = Rc::clone(&session.uses);
    let plan = plan::plan(lab, &uses, options);
    let method = prepare(lab, &mut session, &plan)?;
    let told = Told { lab, uses: &uses };
    let first = vec![measure::Row::default(); lab.variants.len()];
    let mut run = Run { told, plan, method, target: Device::new(session, observer), first, watch };
    let outcome = run.sample();
    let mut measured = Measured {
        rows: rows::rows(lab, &outcome.rows, &run.method, &uses),
        method: run.method.clone(),
        verdict: None,
        maps: Vec::new(),
        painting: None,
        traces: Vec::new(),
        notes: Vec::new(),
        ended: if outcome.interrupted { Ended::Interrupted } else { Ended::Complete },
        error: outcome.aborted,
    };
    // After a failure the device may not answer any more.
    if measured.error.is_none() {
        measured.error = run.look(&mut measured).err();
    }
    if let Some(error) = &measured.error {
        measured.ended = Ended::Failed { reason: one_line(error) };
    }
    measured.verdict = verdict(lab, &measured.rows);
    measured.notes = notes::notes(lab, &run.plan, &measured.rows);
    Ok(measured)
}

/// Prepares caches and clock readings, and returns the method of the measurement.
fn prepare(lab: &Lab, session: &mut Session<'_>, plan: &Plan) -> Result<Method> {
    let caches = if lab.report.empties_caches { session.make_cold()? } else { "warm".into() };
    let clocks = match session.watch_clock()? {
        _ if lab.times_elsewhere() => "not read: no variant times its own commands here".to_owned(),
        None => "read with each sample: cycles over time, VK_KHR_shader_clock".to_owned(),
        Some(reason) => format!("unknown: {reason}"),
    };
    let floor_us = session.floor_us()?;
    Ok(Method { caches, clocks, tools: lab.gpu.tools.to_vec(), ..method(plan, floor_us) })
}
