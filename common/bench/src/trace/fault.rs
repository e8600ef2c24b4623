//! Reasons why a run has no trace.

use anyhow::Result;
use record::error::{NoRoom, one_line};
use thiserror::Error;

use crate::counter::BadStamps;
use crate::drive::session::BadNotes;

/// Why a trace cannot be trusted.
#[derive(Clone, Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "the texts say what each is")]
pub enum Fault {
    #[error("{0} waves found no slot: the device makes more waves of a workgroup or a draw than expected")]
    Overflow(u32),
    #[error(
        "{0} notes found no slot: the kernel names a {1}, or a stamp, that the host does not know of, or the device \
         makes more waves of a workgroup than it says"
    )]
    Unknown(u32, &'static str),
    #[error("no wave of dispatch {0} ({1}) was recorded")]
    NoWaves(usize, String),
    #[error("the kernel names {part} {named} of {count}, counted from 0")]
    NoSuchPart { part: &'static str, named: u32, count: u32 },
    #[error("no wave of {part} {number} of {count} was recorded ({kernel})")]
    NoWavesOfPart { part: &'static str, number: u32, count: u32, kernel: String },
    #[error("a wave's stamps are out of order: its clock runs backwards, or the kernel notes them so")]
    OutOfOrder,
    #[error("{0} waves began and never came to their end")]
    Unended(usize),
    #[error("the waves' clock stands still")]
    StandsStill,
    #[error("the waves' clock runs backwards within a wave")]
    Backwards,
    #[error("the trace's buffer is shorter than planned")]
    Short,
    #[error("the run of {0:.0} µs is longer than half of what the waves' clock counts before it begins anew")]
    Wraps(f64),
    #[error(
        "the waves span {waves:.1} µs and the timestamps around them {stamps:.1} µs: the clocks of two multiprocessors, \
         or the waves' and the timestamps', do not agree"
    )]
    Domains { waves: f64, stamps: f64 },
    #[error(
        "the timestamps do not tell how long a tick of the waves' clock is: {least_ns:.2} to {most_ns:.2} ns"
    )]
    Unset { least_ns: f64, most_ns: f64 },
    #[error("{0} cannot store to one more buffer")]
    NoBuffer(String),
    #[error("when waves were traced, {0} elements of its result were wrong")]
    Wrong(u64),
    #[error("no round was taken")]
    NoRound,
}

/// Turns the errors that only prevent a trace into a reason, so that they do not fail the run.
///
/// # Errors
/// All other errors.
pub(crate) fn told<T>(result: Result<T>) -> Result<Result<T, String>> {
    match result {
        Err(error)
            if error.is::<Fault>()
                || error.is::<BadStamps>()
                || error.is::<BadNotes>()
                || error.is::<NoRoom>() =>
        {
            Ok(Err(one_line(&error)))
        }
        result => result.map(Ok),
    }
}
