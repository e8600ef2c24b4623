//! Finds the resources that each variant uses by listing its commands before anything is submitted.

use std::collections::BTreeSet;

use anyhow::{Result, bail, ensure};
use record::Status;
use vulkan::cmd::script::{Named, Step};
use vulkan::handles::{Event, Kernel, Set};

use super::scripts::Scripts;
use crate::lab::{Check, Lab, Output};

/// The uses of a lab's variants, in their order.
#[derive(Default)]
pub struct Uses<'l> {
    each: Vec<Use<'l>>,
    /// Number of repetitions that the images were made for.
    repetitions: u32,
}

/// What one variant uses.
#[derive(Default)]
struct Use<'l> {
    left_out: Option<Status>,
    /// The events that the variant sets, by number of repetitions.
    events: Vec<(u32, Vec<Event>)>,
    kernels: BTreeSet<Kernel>,
    outputs: Vec<&'l Output>,
    checks: Vec<&'l Check>,
}

impl<'l> Uses<'l> {
    /// Lists the commands of each variant.
    ///
    /// # Errors
    /// A mistake in the sample, such as a wait that would never end.
    pub(super) fn of(lab: &'l Lab, scripts: &Scripts<'l>) -> Result<Self> {
        let each = (0..lab.variants.len()).map(|v| Use::of(lab, scripts, v)).collect::<Result<_>>()?;
        Ok(Self { each, repetitions: lab.repetitions() })
    }

    /// The kernels of all variants.
    pub(super) fn kernels(&self) -> impl Iterator<Item = Kernel> {
        self.each.iter().flat_map(|of| &of.kernels).copied()
    }

    /// The events that this many repetitions set. More repetitions set the same events and others.
    pub(super) fn events(&self, variant: usize, repetitions: u32) -> &[Event] {
        let events = self.each[variant].events.iter().find(|(n, _)| *n >= repetitions);
        events.map_or(&[], |(_, events)| events)
    }

    pub(super) fn outputs(&self, variant: usize) -> &[&'l Output] {
        &self.each[variant].outputs
    }

    pub(super) fn checks(&self, variant: usize) -> &[&'l Check] {
        &self.each[variant].checks
    }

    /// Why a variant does not run on this device: the sample left it out, or the device lacks a feature that its
    /// recording needs.
    pub fn left_out(&self, variant: usize) -> Option<&Status> {
        self.each[variant].left_out.as_ref()
    }

    /// Number of compared elements in one repetition of a variant.
    pub fn elements(&self, variant: usize) -> u64 {
        self.checks(variant).iter().map(|check| u64::from(check.elements)).sum()
    }

    /// Describes the position of the wrong element with index `first`.
    pub fn place(&self, variant: usize, first: u64) -> String {
        let mut index = first;
        for check in self.checks(variant) {
            let elements = u64::from(check.elements) * u64::from(self.repetitions);
            if index < elements {
                let (repetition, at) = (index / u64::from(check.elements), index % u64::from(check.elements));
                return format!("{} of repetition {repetition}", within(check, at));
            }
            index -= elements;
        }
        format!("element {first}")
    }
}

impl<'l> Use<'l> {
    fn of(lab: &'l Lab, scripts: &Scripts<'l>, at: usize) -> Result<Self> {
        let variant = &lab.variants[at];
        let mut of = Self { left_out: variant.left_out.clone(), ..Self::default() };
        if of.left_out.is_some() {
            return Ok(of);
        }
        let (name, most) = (&variant.name, lab.repetitions());
        let mut lacks_events = false;
        let mut queues = 0;
        for repetitions in (1..=most).filter(|n| [1, 2, most].contains(n)) {
            let script = scripts.script(at, repetitions)?;
            let named = Named::by(script.steps());
            lacks_events |= !named.events.is_empty() && !lab.gpu.has_events;
            of.events.push((repetitions, script.events_set()));
            of.kernels.extend(named.kernels);
            let uses = |set: Set| named.bindings.iter().any(|&binding| set.holds(binding));
            of.outputs = lab.outputs.iter().filter(|output| uses(output.set)).collect();
            of.checks = lab.checks.iter().filter(|check| uses(check.set)).collect();
            let queries: Vec<u32> = script.stamped().into_iter().map(|(query, _)| query).collect();
            let are_fit = queries.is_empty() || most == 1 && !variant.takes_several_queues;
            let has_several_buffers = script.steps().any(|step| matches!(step, Step::NextCommandBuffer));
            ensure!(
                variant.takes_several_queues || !has_several_buffers,
                "variant {name} has several command buffers: list it with variant_on_queues"
            );
            ensure!(
                are_fit,
                "variant {name} writes timestamps: it takes one queue, and a lab that is alone()"
            );
            ensure!(
                queries.iter().copied().eq(0..queries.len().try_into()?),
                "variant {name} writes the queries {queries:?}: each from 0 on has one timestamp"
            );
            queues =
                queues.max(script.submits.iter().map(|submit| submit.point.queue.0 + 1).max().unwrap_or(0));
            if let Some(reason) = scripts.endless(&script) {
                bail!("variant {name}: {reason}");
            }
        }
        let unchecked = of.checks.is_empty() && !lab.checks.is_empty();
        ensure!(!unchecked || lacks_events, "variant {name} uses nothing that is checked");
        if lacks_events {
            of.left_out = Some(Status::Unsupported { reason: "the device has no events".into() });
        } else if queues > lab.gpu.queues().len() {
            let is_only_one = lab.gpu.queues().len() == 1;
            ensure!(is_only_one, "variant {name} submits to queue {}: see Sample::all_queues", queues - 1);
            of.left_out = Some(Status::Skipped { reason: "the device has one queue".into() });
        }
        Ok(of)
    }
}

/// Describes the position of an element in a result.
fn within(check: &Check, at: u64) -> String {
    if let Some(counted) = &check.counts {
        return format!("the count of {counted}");
    }
    let Some(shape) = check.shape else { return format!("word {at}") };
    let [width, height, _] = shape.sides.map(u64::from);
    let (x, y, z) = (at % width, at / width % height, at / width / height);
    if shape.volume { format!("texel ({x}, {y}, {z})") } else { format!("texel ({x}, {y})") }
}
