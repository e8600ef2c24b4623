//! What a variant records, before anything of it is submitted: what it uses, which events it
//! sets, and whether it is well-formed.

use std::collections::BTreeSet;
use std::rc::Rc;

use anyhow::{Context, Result, bail, ensure};
use record::{Kind, Status};
use vulkan::cmd::script::Script;
use vulkan::handles::{Event, Kernel, Set};

use super::race_histogram::RaceHistograms;
use super::session::Session;
use crate::lab::{Check, Output};
use crate::mutate::Break;
use crate::variant::Recording;

/// What was learnt by listing what a variant records.
#[derive(Default)]
pub(super) struct DryRun {
    /// The events that are set, per number of repetitions.
    events: Vec<(u32, Vec<Event>)>,
    /// It uses events, and the device has none.
    lacks_events: bool,
    kernels: BTreeSet<Kernel>,
    /// The lab's outputs and checks that it uses.
    outputs: Vec<usize>,
    checks: Vec<usize>,
}

impl<'l> Session<'l> {
    /// Lists what each variant records, without recording it, to learn which images it uses, which
    /// events it sets, and whether it is well-formed; makes the pipelines that it dispatches.
    ///
    /// # Errors
    /// A mistake in the sample, such as a wait that would never end; a kernel that the driver refuses.
    pub fn dry_run(&mut self) -> Result<()> {
        let all = 0..self.lab.variants.len();
        self.dry_runs = all.clone().map(|v| self.dry_run_one(v)).collect::<Result<_>>()?;
        if self.lab.maps_races && self.lab.report.shown.is_none() {
            let checks: Vec<_> = all.map(|v| self.pictured(v)).collect();
            self.maps = Some(RaceHistograms::new(self.lab, &checks)?);
        }
        let own = self.maps.iter().map(|maps| &maps.kernel).chain([&self.compare]);
        let kernels = self.dry_runs.iter().flat_map(|dry_run| &dry_run.kernels).chain(own);
        self.lab.gpu.compile(&kernels.copied().collect())
    }

    /// Why a variant does not run here: the sample left it out, or the device lacks something that
    /// its recording asks for.
    pub fn left_out(&self, variant: usize) -> Option<Status> {
        if let Some(status) = &self.lab.variants[variant].left_out {
            return Some(status.clone());
        }
        if self.dry_runs[variant].lacks_events {
            return Some(Status::Unsupported { reason: "the device has no events".into() });
        }
        let on_two = matches!(self.lab.variants[variant].record, Recording::Queues(_));
        (on_two && !self.lab.gpu.has_second_queue())
            .then(|| Status::Skipped { reason: "the device has one queue".into() })
    }

    /// What is recorded of a variant for so many repetitions: what it lists or, under `--break`, something else.
    ///
    /// # Errors
    /// A list that cannot be recorded.
    pub fn script(&self, variant: usize, repetitions: u32) -> Result<Rc<Script>> {
        let known = self.scripts.borrow().get(&(variant, repetitions)).cloned();
        let script = match known {
            Some(script) => script,
            None => Rc::new(self.listed(variant, repetitions)?),
        };
        self.scripts.borrow_mut().entry((variant, repetitions)).or_insert_with(|| Rc::clone(&script));
        Ok(if self.mutation.is_none() {
            script
        } else {
            Rc::new(self.mutation.apply(Script::clone(&script)))
        })
    }

    fn listed(&self, variant: usize, repetitions: u32) -> Result<Script> {
        let of = &self.lab.variants[variant];
        let script = of.script(repetitions)?;
        let checked = script.submits.iter().try_for_each(|submit| self.lab.gpu.check(&submit.steps));
        checked.with_context(|| format!("variant {}", of.name))?;
        Ok(script)
    }

    /// The events that are reset before a variant is recorded.
    pub fn events_reset(&self, variant: usize, repetitions: u32) -> &[Event] {
        if self.mutation.breaks(Break::NoResets) {
            return &[];
        }
        // The events of fewer repetitions are among those of more.
        let events = self.dry_runs[variant].events.iter().find(|(n, _)| *n >= repetitions);
        events.map_or(&[], |(_, events)| events)
    }

    fn dry_run_one(&self, variant: usize) -> Result<DryRun> {
        let mut dry_run = DryRun::default();
        if self.lab.variants[variant].left_out.is_some() {
            return Ok(dry_run);
        }
        let most = self.lab.repetitions();
        for repetitions in (1..=most).filter(|n| [1, 2, most].contains(n)) {
            let script = self.script(variant, repetitions)?;
            dry_run.lacks_events |= script.uses_events() && !self.lab.gpu.has_events;
            dry_run.events.push((repetitions, script.events_set()));
            dry_run.kernels.extend(script.dispatches().map(|dispatch| dispatch.kernel));
            let used = script.bindings();
            let uses = |set: Set| used.iter().any(|&binding| set.holds(binding));
            let all = 0..self.lab.outputs.len();
            dry_run.outputs = all.filter(|&i| uses(self.lab.outputs[i].set)).collect();
            let all = 0..self.lab.checks.len();
            dry_run.checks = all.filter(|&i| uses(self.lab.checks[i].set)).collect();
            if let Some(reason) = self.endless(&script) {
                bail!("variant {}: {reason}", self.lab.variants[variant].name);
            }
        }
        let name = &self.lab.variants[variant].name;
        let unchecked = dry_run.checks.is_empty() && !self.lab.checks.is_empty();
        ensure!(!unchecked || dry_run.lacks_events, "variant {name} uses nothing that is checked");
        Ok(dry_run)
    }

    /// Why a recording must not be submitted: a wait for an event that nothing sets would hang the
    /// device. A test that wants to see the time-out may have it, on a CPU device.
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

    pub(super) fn outputs(&self, variant: usize) -> impl Iterator<Item = &'l Output> {
        self.dry_runs[variant].outputs.iter().map(|&i| &self.lab.outputs[i])
    }

    pub(super) fn checks(&self, variant: usize) -> impl Iterator<Item = &'l Check> {
        self.dry_runs[variant].checks.iter().map(|&i| &self.lab.checks[i])
    }
}
