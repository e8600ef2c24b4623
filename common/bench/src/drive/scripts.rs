//! Scripts of the variants, listed once per number of repetitions, and changed by mutations before they are
//! recorded.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use anyhow::{Context, Result};
use record::Kind;
use vulkan::cmd::script::Script;

use crate::lab::Lab;
use crate::mutate::{Break, Mutation};

/// The scripts of a lab's variants.
pub(super) struct Scripts<'l> {
    lab: &'l Lab,
    /// The changes to each script.
    pub mutation: Mutation,
    listed: RefCell<BTreeMap<(usize, u32), Rc<Script>>>,
}

impl<'l> Scripts<'l> {
    pub fn new(lab: &'l Lab) -> Self {
        let mutation = Mutation { complete: false, broken: lab.broken };
        Self { lab, mutation, listed: RefCell::default() }
    }

    /// The script to record for this many repetitions: the variant's script, changed by the mutation.
    ///
    /// # Errors
    /// The variant's script is invalid.
    pub fn script(&self, variant: usize, repetitions: u32) -> Result<Rc<Script>> {
        let known = self.listed.borrow().get(&(variant, repetitions)).cloned();
        let script = match known {
            Some(script) => script,
            None => Rc::new(self.list(variant, repetitions)?),
        };
        self.listed.borrow_mut().entry((variant, repetitions)).or_insert_with(|| Rc::clone(&script));
        if self.mutation == Mutation::default() {
            return Ok(script);
        }
        Ok(Rc::new(self.mutation.apply(Script::clone(&script))))
    }

    fn list(&self, variant: usize, repetitions: u32) -> Result<Script> {
        let of = &self.lab.variants[variant];
        let script = of.script(repetitions)?;
        let checked = script.submits.iter().try_for_each(|submit| self.lab.gpu.check(&submit.steps));
        checked.with_context(|| format!("variant {}", of.name))?;
        Ok(script)
    }

    /// Why a recording must not be submitted: waiting for an event that is never set would hang the device. A test
    /// of the time-out may submit it, on a CPU device.
    pub fn endless(&self, script: &Script) -> Option<String> {
        let wanted = self.mutation.broken == Some(Break::Endless);
        if wanted && self.lab.gpu.facts.kind == Kind::Cpu {
            return None;
        }
        let wait = script.first_endless_wait(&self.lab.set_before)?;
        Some(format!(
            "wait {wait} of its recording is for an event that nothing sets before, which would hang the device"
        ))
    }
}
