//! The device as what the engine samples.

use std::time::{Duration, Instant};

use crate::drive::session::{BadStamps, Session};
use crate::error::one_line;
use crate::measure::{Failure, Reading, Target};

/// The device behind the engine.
pub(super) struct Device<'l> {
    pub session: Session<'l>,
    /// The engine's rows as positions in the lab.
    pub variants: &'l [usize],
    pub began: Instant,
    pub first_sample: Option<Instant>,
}

impl Target for Device<'_> {
    fn sample(&mut self, variant: usize, repetitions: u32) -> Result<Reading, Failure> {
        self.first_sample.get_or_insert_with(Instant::now);
        self.session.sample(Some(self.variants[variant]), repetitions).map_err(|error| {
            if error.is::<BadStamps>() { Failure::Variant(one_line(&error)) } else { Failure::Run(error) }
        })
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn pause(&mut self, duration: Duration) {
        std::thread::sleep(duration);
    }
}
