//! A sample's declarations from the runner's side: declare, select variants, make resources.

use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use anyhow::Result;
use record::error::Halt;
use vulkan::gpu::Gpu;
use vulkan::validation::Message;

use super::{Lab, LabOptions, Selection};
use crate::drive::expected::Expected;
use crate::variant::Variant;

/// A [`Lab`] that the runner takes from the sample's declarations to finished resources.
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
    /// An empty experiment on a device.
    pub fn new(gpu: impl Into<Rc<Gpu>>, options: &LabOptions) -> Self {
        Self(Lab::new(gpu, options))
    }

    /// Turns wave tracing on for every variant.
    ///
    /// # Errors
    /// The device has no shader clock.
    pub fn trace_waves(&mut self) -> Result<()> {
        self.0.report.trace_waves();
        self.0.untraced().map_or(Ok(()), |reason| Err(Halt::Skip(reason).into()))
    }

    /// Lets the sample declare its variants, then validates the declarations.
    ///
    /// # Errors
    /// An error of the sample, or a mistake in its declarations.
    pub fn declare(&mut self, declare: impl FnOnce(&mut Lab) -> Result<()>) -> Result<()> {
        declare(&mut self.0)?;
        self.0.validate()
    }

    /// Keeps the selected variants, the two references of the ratios, and the device limits that the variants are
    /// compared with.
    ///
    /// # Errors
    /// A name or pattern that matches no variant; `--matrix` for a sample without cross tables.
    pub fn select(&mut self) -> Result<()> {
        self.0.select()
    }

    /// Which variants run by default, in the order of their declaration.
    ///
    /// # Errors
    /// The errors of [`Experiment::select`].
    pub fn default_selection(&self) -> Result<Vec<bool>> {
        self.0.selected(&Selection::default())
    }

    /// Makes the resources that the variants name. A variant that needs more than the device allows is left out of
    /// the run, with the reason.
    ///
    /// # Errors
    /// A shader that does not compile, a mistake in the sample, or not enough memory.
    pub fn make(&mut self) -> Result<()> {
        self.0.make()
    }

    /// Why the waves of this device cannot be traced, if they cannot.
    pub fn untraceable(&self) -> Option<String> {
        self.0.untraceable()
    }

    /// Whether a variant that runs may raise this message of the validation layer.
    pub fn explains(&self, message: &Message) -> bool {
        let explains = |variant: &Variant| {
            variant.script(1).is_ok_and(|script| {
                let expected = Expected::of(&self.0, variant, &script, &script.events_set(), false);
                expected.explains(variant, message)
            })
        };
        self.0.variants.iter().filter(|variant| variant.left_out.is_none()).any(explains)
    }
}
