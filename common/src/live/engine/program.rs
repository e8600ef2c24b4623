//! What the engine and the program around it know of each other.

use std::time::Duration;

use anyhow::Result;

use crate::drive::bench::SoFar;
use crate::gpu::{Gpu, OpenOptions};
use crate::host::Sample;
use crate::lab::{Lab, LabOptions};
use crate::live::link::Figures;

/// What the program around the engine does for it.
pub(crate) trait Program: Send {
    /// Tests the device, where that is asked for; nothing where the user ended it.
    fn certify(&self, gpu: Gpu) -> Result<Option<Gpu>>;
    /// Lets the sample declare itself with these arguments of its own, and leaves what is wanted.
    fn declare(&self, lab: &mut Lab, arguments: &[String]) -> Result<()>;
    /// Writes a record and says where.
    fn record(&self, lab: &Lab, arguments: &[String], taken: Taken) -> Result<String>;
    /// Writes what the window leaves behind, where that was asked for, and says what was wrong. Returns the exit code.
    fn leave(&self, lab: &Lab, arguments: &[String], taken: Option<Taken>) -> Result<u8>;
}

/// What a record is made of.
#[derive(Debug)]
pub(crate) struct Taken {
    pub so_far: SoFar,
    /// Since the figures were begun.
    pub measured: Duration,
}

impl Taken {
    /// What figures have so far.
    pub fn of(figures: &Figures) -> Option<Self> {
        let Figures { method, rows, notes, measured, .. } = figures.clone();
        Some(Self { so_far: SoFar { method: method?, rows, notes }, measured })
    }
}

/// What to run.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub sample: Sample,
    pub open: OpenOptions,
    pub lab: LabOptions,
    /// The sample's own arguments.
    pub arguments: Vec<String>,
    pub cold: bool,
    pub seed: u64,
    pub traced: bool,
}
