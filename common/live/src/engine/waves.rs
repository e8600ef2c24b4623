//! Traces the waves for the timelines, a few times per second, one sample each.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use bench::drive::session::Session;
use bench::drive::trace::Spotlight;
use bench::lab::Experiment;
use record::error::one_line;

use super::is_fatal;
use crate::messages::Timeline;

/// Shortest time between two traces. A trace delays its frame, because thousands of waves are read and sorted.
const TRACES: Duration = Duration::from_millis(400);
/// After a trace, no other is taken for this many times as long as it took.
const SHARE: u32 = 4;

/// Traces the variants that are shown.
pub(super) struct Waves<'l> {
    lab: &'l Experiment,
    /// The tracer, created on first use; or the reason why nothing can be traced.
    spotlight: OnceCell<Result<Spotlight<'l>, String>>,
    traced: Cell<Option<Instant>>,
    /// The variants that were traced last.
    pair: Cell<Option<(usize, Option<usize>)>>,
    /// Duration of the last trace.
    took: Cell<Duration>,
}

/// Timelines, and the reason if one is missing.
type Traced = (Vec<Timeline>, Option<String>);

impl<'l> Waves<'l> {
    pub fn new(lab: &'l Experiment) -> Self {
        Self {
            lab,
            spotlight: OnceCell::new(),
            traced: Cell::default(),
            pair: Cell::default(),
            took: Cell::default(),
        }
    }

    /// Restarts the wait for the next trace, so that a frame comes first.
    pub fn put_off(&self) {
        self.traced.set(Some(Instant::now()));
    }

    /// The waves of the shown and the compared variant. Returns `None` if the last trace of both is recent enough.
    ///
    /// # Errors
    /// A queue hangs, or the device is lost.
    pub fn timelines(
        &self,
        session: &mut Session<'_>,
        current: usize,
        other: Option<usize>,
    ) -> Result<Option<Traced>> {
        // Reading back the waves of a long pass takes longer than the rest of a frame.
        let rest = TRACES.max(SHARE * self.took.get());
        let is_same = self.pair.replace(Some((current, other))) == Some((current, other));
        if is_same && self.traced.get().is_some_and(|at| at.elapsed() < rest) {
            return Ok(None);
        }
        let began = Instant::now();
        if self.spotlight.get().is_none() {
            // Where no compiler is here, the figures go on without traced kernels.
            let made = match Spotlight::new(self.lab, session) {
                Err(error) if !is_fatal(&self.lab.gpu, &error) => Err(one_line(&error)),
                made => made?,
            };
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
                    let tiles =
                        self.lab.variants[variant].tiles.as_ref().map_or_else(Vec::new, |tiles| tiles());
                    let tiles =
                        tiles.iter().filter_map(|tile| Some((tile.place, tile.end_us(&trace)?))).collect();
                    let (trace, figures) = (Arc::new(trace), Arc::new(figures));
                    timelines.push(Timeline { variant, trace, figures, tiles });
                }
                Err(reason) => untraced = Some(format!("{}: {reason}", self.lab.variants[variant].label)),
            }
        }
        self.took.set(began.elapsed());
        self.put_off();
        Ok(Some((timelines, untraced)))
    }
}
