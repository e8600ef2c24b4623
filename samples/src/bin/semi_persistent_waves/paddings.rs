//! Searches for the padding that limits the subgroups of a form.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use common::record::error::BeyondLimits;
use common::{KernelBuilder, Lab};
use samples::residency::{count, counting};

use crate::device::Blur;
use crate::occupancy::{Limit, Reached, Unit, reach};
use crate::tiles::Form;

/// What the searches so far have found.
#[derive(Default)]
pub struct Paddings {
    /// Resident workgroups of each form with a padding.
    counted: BTreeMap<(String, u32), u32>,
    /// The forms that meet a limit with the same padding, for one note.
    alike: BTreeMap<(Limit, String), Vec<String>>,
}

impl Paddings {
    /// The kernel of a form with the padding that meets the limit. The report notes that padding.
    ///
    /// # Errors
    /// No padding limits the workgroups ([`BeyondLimits`]), or counting them fails.
    pub fn kernel<'l>(
        &mut self,
        lab: &'l mut Lab,
        blur: Blur,
        form: Form,
        limit: Limit,
    ) -> Result<KernelBuilder<'l>> {
        let reached = self.search(lab, blur, form, limit)?;
        if let Some(reason) = reached.no_effect() {
            bail!(BeyondLimits(reason));
        }
        let forms = self.alike.entry((limit, reached.to_string())).or_default();
        let note = |forms: &[String]| format!("Limit of {limit}, {}: {reached}.", forms.join(", "));
        lab.report.notes.retain(|line| *line != note(forms));
        forms.push(form.name());
        lab.report.note(&note(forms));
        Ok(blur.kernel(lab, form, reached.padding))
    }

    /// Counts with one padding after another until the limit is met.
    fn search(&mut self, lab: &mut Lab, blur: Blur, form: Form, limit: Limit) -> Result<Reached> {
        let unit = Unit::new(lab.device(), form.invocations());
        let most = lab.device().max_shared_memory;
        let mut count = |padding| {
            let key = (form.name(), padding);
            if let Some(&known) = self.counted.get(&key) {
                return Ok(known);
            }
            let kernel = counting(blur.kernel(lab, form, padding.max(4)), 2).build();
            let [input, output] = blur.images(form, 0);
            let workgroups = count(lab, |cmd, counters, groups| {
                cmd.dispatch(kernel, &[input, output, counters.into()], &blur.push(), groups);
            })?;
            Ok(*self.counted.entry(key).or_insert(unit.per_unit(workgroups)))
        };
        let most_resident = count(0)?;
        let (padding, workgroups) = reach(most, limit.workgroups(most_resident, unit), count)?;
        Ok(Reached { limit, unit, most_resident, padding, workgroups })
    }
}
