//! The timelines beside the picture: waves of one sample, traced some times a second.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use bench::drive::session::Session;
use bench::drive::trace::Spotlight;
use bench::lab::Experiment;

use crate::messages::Timeline;

/// Between two traces, which hold back the frame that they come in: thousands of waves are read and sorted.
const TRACES: Duration = Duration::from_millis(400);
/// So many times as long as a trace took nothing is traced.
const SHARE: u32 = 4;

/// Traces the variants that are shown.
pub(super) struct Waves<'l> {
    lab: &'l Experiment,
    /// What traces, once it was asked for; or why nothing can.
    spotlight: OnceCell<Result<Spotlight<'l>, String>>,
    traced: Cell<Option<Instant>>,
    /// How long that took.
    took: Cell<Duration>,
}

/// Timelines, and why one is missing.
type Traced = (Vec<Timeline>, Option<String>);

impl<'l> Waves<'l> {
    pub fn new(lab: &'l Experiment) -> Self {
        Self { lab, spotlight: OnceCell::new(), traced: Cell::default(), took: Cell::default() }
    }

    /// Begins the time until the next trace anew: something else is to be seen first.
    pub fn put_off(&self) {
        self.traced.set(Some(Instant::now()));
    }

    /// The waves of the variant that is shown, and of the one beside it; nothing where the last are new enough or
    /// nobody asks for any.
    ///
    /// # Errors
    /// A queue that hangs, a lost device.
    pub fn timelines(
        &self,
        session: &mut Session<'_>,
        current: usize,
        other: Option<usize>,
    ) -> Result<Option<Traced>> {
        // Reading the waves of a long pass back takes longer than all the rest of a frame.
        let rest = TRACES.max(SHARE * self.took.get());
        if !self.lab.traces() || self.traced.get().is_some_and(|at| at.elapsed() < rest) {
            return Ok(None);
        }
        let began = Instant::now();
        if self.spotlight.get().is_none() {
            let made = Spotlight::new(self.lab, session)?;
            self.spotlight.get_or_init(|| made);
        }
        let (mut timelines, mut untraced) = (Vec::new(), None);
        for variant in std::iter::once(current).chain(other) {
            let traced = match self.spotlight.get() {
                Some(Ok(spotlight)) => spotlight.trace(session, variant)?,
                Some(Err(reason)) => Err(reason.clone()),
                None => continue,
            };
            match traced {
                Ok((trace, figures)) => {
                    timelines.push(Timeline { variant, trace: Arc::new(trace), figures: Arc::new(figures) });
                }
                Err(reason) => untraced = Some(format!("{}: {reason}", self.lab.variants[variant].name)),
            }
        }
        self.took.set(began.elapsed());
        self.put_off();
        Ok(Some((timelines, untraced)))
    }
}
