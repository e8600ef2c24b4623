//! A sample's declarations, as what runs them sees them.

use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use anyhow::Result;
use record::error::Halt;
use vulkan::gpu::Gpu;
use vulkan::validation::Message;

use super::{Lab, LabOptions, Selection};

/// A [`Lab`] from before the sample declares anything until all that runs is made.
pub struct Experiment(Lab);

impl Deref for Experiment {
    type Target = Lab;

    fn deref(&self) -> &Lab {
        &self.0
    }
}

impl DerefMut for Experiment {
    fn deref_mut(&mut self) -> &mut Lab {
        &mut self.0
    }
}

impl Experiment {
    /// An empty one on a device.
    pub fn new(gpu: impl Into<Rc<Gpu>>, options: &LabOptions) -> Self {
        Self(Lab::new(gpu, options))
    }

    /// Has the waves of every variant traced.
    ///
    /// # Errors
    /// A device without a clock for it.
    pub fn trace_waves(&mut self) -> Result<()> {
        self.0.report.trace_waves();
        self.0.untraced().map_or(Ok(()), |reason| Err(Halt::Skip(reason).into()))
    }

    /// Lets the sample declare itself, and reports what is wrong with that.
    ///
    /// # Errors
    /// Those of the sample; a mistake in its declarations.
    pub fn declare(&mut self, declare: impl FnOnce(&mut Lab) -> Result<()>) -> Result<()> {
        declare(&mut self.0)?;
        self.0.validate()
    }

    /// Keeps the variants that are wanted, the two that ratios need and the limits they are set against.
    ///
    /// # Errors
    /// A name or pattern that no variant has; cross tables of a sample that has none.
    pub fn select(&mut self) -> Result<()> {
        self.0.select()
    }

    /// Which variants run where nobody asks for any, in the order of their declaration: with all of them declared,
    /// what a plain run keeps.
    ///
    /// # Errors
    /// None that [`Experiment::select`] would not have reported.
    pub fn default_selection(&self) -> Result<Vec<bool>> {
        self.0.selected(&Selection::default())
    }

    /// Makes what the variants name. One that asks for more than the device has is left out of the run, with the
    /// reason.
    ///
    /// # Errors
    /// A shader with an error, a mistake in the sample; out of memory.
    pub fn make(&mut self) -> Result<()> {
        self.0.make()
    }

    /// Waves are traced.
    pub fn traces(&self) -> bool {
        self.0.traces()
    }

    /// Why waves are not traced, where that is wanted.
    pub fn untraced(&self) -> Option<String> {
        self.0.untraced().map(|reason| reason + ".")
    }

    /// A message of the validation layer is one that a variant is known to raise.
    pub fn explains(&self, message: &Message) -> bool {
        self.0.variants.iter().any(|variant| variant.explains(false, message))
    }
}
