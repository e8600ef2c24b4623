//! The device as what the engine samples.

use std::time::{Duration, Instant};

use anyhow::Result;
use record::error::one_line;

use crate::drive::session::{BadStamps, Session};
use crate::measure::{Failure, Reading, Target};

/// What comes between the samples of a run that somebody watches.
pub trait Observer {
    /// Comes before each sample, while the queues are idle. The time that it takes counts for nothing.
    fn between_samples(&self, session: &mut Session<'_>) -> Result<()>;
}

/// The device behind the engine.
pub(super) struct Device<'l> {
    pub session: Session<'l>,
    began: Instant,
    observer: Option<&'l dyn Observer>,
    /// Time that the observer took.
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
            if error.is::<BadStamps>() { Failure::Variant(one_line(&error)) } else { Failure::Run(error) }
        })
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed().saturating_sub(self.between)
    }

    fn pause(&mut self, duration: Duration) {
        std::thread::sleep(duration);
    }
}
