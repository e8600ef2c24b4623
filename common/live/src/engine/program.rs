//! What the engine and the program around it know of each other.

use std::time::{Duration, SystemTime};

use anyhow::Result;
use record::Record;
use vulkan::gpu::{Gpu, OpenOptions};

use bench::drive::timing::SoFar;
use bench::host::Sample;
use bench::lab::{Experiment, LabOptions};

/// What the program around the engine does for it.
pub trait Program: Send {
    /// Tests the device, where that is asked for; nothing where the user ended it.
    fn certify(&self, gpu: Gpu) -> Result<Option<Gpu>>;
    /// Lets the sample declare itself with these arguments of its own, and leaves what is wanted.
    fn declare(&self, lab: &mut Experiment, arguments: &[String]) -> Result<()>;
    /// The record of what was measured since `began`, in so much time of samples.
    fn record(&self, lab: &Experiment, arguments: &[String], so_far: SoFar, taken: Timing) -> Record;
    /// Writes a record and says where.
    fn write(&self, record: &Record) -> Result<String>;
    /// Writes what the window leaves behind, where that was asked for, and says what was wrong. Returns the exit code.
    fn leave(&self, record: Option<&Record>) -> Result<u8>;
}

/// When something was measured.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// When the window opened.
    pub began: SystemTime,
    /// Time of samples.
    pub measured: Duration,
}

/// What to run.
#[derive(Debug)]
pub struct Wanted {
    /// The sample.
    pub sample: Sample,
    /// How the device is opened.
    pub open: OpenOptions,
    /// How the sample is set up.
    pub lab: LabOptions,
    /// The sample's own arguments.
    pub arguments: Vec<String>,
    /// Empty the caches before each sample.
    pub cold: bool,
    /// Of the order in which variants are sampled.
    pub seed: u64,
    /// Trace the waves of the variant that is shown.
    pub traced: bool,
    /// Each frame is drawn before the next is taken.
    pub in_step: bool,
}
