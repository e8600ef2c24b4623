//! The interface between the engine and the program that embeds it.

use std::time::{Duration, SystemTime};

use anyhow::Result;
use record::Record;
use vulkan::gpu::{Gpu, OpenOptions};

use bench::drive::timing::SoFar;
use bench::host::Sample;
use bench::lab::{Experiment, LabOptions};

/// What the engine needs from the program.
pub trait Program: Send {
    /// Runs the self-test of the device, if it is enabled; returns `None` if the user interrupted it.
    fn certify(&self, gpu: Gpu) -> Result<Option<Gpu>>;
    /// Lets the sample declare itself with these arguments, and keeps the selected variants.
    fn declare(&self, lab: &mut Experiment, arguments: &[String]) -> Result<()>;
    /// Makes the record of the figures so far; `taken` says when they were measured.
    fn record(&self, lab: &Experiment, arguments: &[String], so_far: SoFar, taken: Timing) -> Record;
    /// Writes a record and returns a message that says where.
    fn write(&self, record: &Record) -> Result<String>;
    /// Writes the files requested for the end of the run and reports wrong results. Returns the exit code.
    fn leave(&self, record: Option<&Record>) -> Result<u8>;
}

/// When, and for how long, something was measured.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// When the window opened.
    pub began: SystemTime,
    /// Time spent on samples.
    pub measured: Duration,
}

/// What the engine is to run.
#[derive(Debug)]
pub struct Wanted {
    /// The sample.
    pub sample: Sample,
    /// How to open the device.
    pub open: OpenOptions,
    /// How to set up the sample's lab.
    pub lab: LabOptions,
    /// The sample's own arguments.
    pub arguments: Vec<String>,
    /// Seed of the order in which variants are sampled.
    pub seed: u64,
    /// Wait for each frame to be drawn before taking the next.
    pub in_step: bool,
}
