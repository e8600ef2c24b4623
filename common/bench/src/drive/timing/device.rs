//! The device as what the engine samples.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::Result;
use record::error::one_line;

use crate::drive::session::{BadStamps, Session};
use crate::measure::{Failure, Reading, Target};

/// What comes between the samples of a run that somebody watches.
pub trait Pulse {
    /// Comes before each sample, while the queues are idle. The time that it takes counts for nothing.
    fn beat(&self, session: &mut Session<'_>) -> Result<()>;
}

/// The device behind the engine.
pub(super) struct Device<'l> {
    pub session: Session<'l>,
    /// The engine's rows as positions in the lab.
    pub variants: &'l [usize],
    pub first_sample: Option<Instant>,
    began: Instant,
    pulse: Option<&'l dyn Pulse>,
    /// Time that the pulse took.
    between: Duration,
}

impl fmt::Debug for Device<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("variants", &self.variants).finish_non_exhaustive()
    }
}

impl<'l> Device<'l> {
    pub fn new(session: Session<'l>, variants: &'l [usize], pulse: Option<&'l dyn Pulse>) -> Self {
        let (first_sample, began, between) = (None, Instant::now(), Duration::ZERO);
        Self { session, variants, first_sample, began, pulse, between }
    }
}

impl Target for Device<'_> {
    fn sample(&mut self, variant: usize, repetitions: u32) -> Result<Reading, Failure> {
        if let Some(pulse) = self.pulse {
            let began = Instant::now();
            let beaten = pulse.beat(&mut self.session);
            self.between += began.elapsed();
            beaten.map_err(Failure::Run)?;
        }
        self.first_sample.get_or_insert_with(Instant::now);
        self.session.sample(Some(self.variants[variant]), repetitions).map_err(|error| {
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
