//! The device as a [`Target`] of the measuring engine.

use std::time::{Duration, Instant};

use anyhow::Result;
use record::error::one_line;

use crate::drive::session::{BadNotes, BadStamps, Session};
use crate::measure::{Failure, Reading, Target};

/// A callback between the samples of a watched run.
pub trait Observer {
    /// Called before each sample, while the queues are idle. Its time does not count toward the budget.
    fn between_samples(&self, session: &mut Session<'_>) -> Result<()>;
}

/// Samples variants on the device for the engine.
pub(super) struct Device<'l> {
    pub session: Session<'l>,
    began: Instant,
    observer: Option<&'l dyn Observer>,
    /// Total time of the observer.
    between: Duration,
}

impl<'l> Device<'l> {
    pub fn new(session: Session<'l>, observer: Option<&'l dyn Observer>) -> Self {
        Self { session, began: Instant::now(), observer, between: Duration::ZERO }
    }
}

impl Target for Device<'_> {
    fn sample(&mut self, variant: usize, repetitions: u32) -> Result<Reading, Failure> {
        if let Some(observer) = self.observer {
            let began = Instant::now();
            let watched = observer.between_samples(&mut self.session);
            self.between += began.elapsed();
            watched.map_err(Failure::Run)?;
        }
        self.session.sample(Some(variant), repetitions).map_err(|error| {
            if error.is::<BadStamps>() || error.is::<BadNotes>() {
                Failure::Variant(one_line(&error))
            } else {
                Failure::Run(error)
            }
        })
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed().saturating_sub(self.between)
    }

    fn pause(&mut self, duration: Duration) {
        std::thread::sleep(duration);
    }
}
