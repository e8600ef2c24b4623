//! Searches for the padding that holds a form at a limit.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use common::record::error::BeyondLimits;
use common::{KernelBuilder, Lab};

use crate::device::Blur;
use crate::occupancy::{Held, Limit, Unit, count, counting, reach};
use crate::tiles::Form;

/// How the limits are held, as far as that was searched for.
#[derive(Default)]
pub struct Paddings {
    /// Workgroups of each form under a padding.
    counted: BTreeMap<(String, u32), u32>,
    /// The forms that hold a limit alike.
    alike: BTreeMap<(Limit, String), Vec<String>>,
}

impl Paddings {
    /// The kernel of a form with the padding that holds the limit, which the report then notes.
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
        let held = self.held(lab, blur, form, limit)?;
        if let Some(reason) = held.in_vain() {
            bail!(BeyondLimits(reason));
        }
        let forms = self.alike.entry((limit, held.to_string())).or_default();
        let note = |forms: &[String]| format!("Limit of {limit}, {}: {held}.", forms.join(", "));
        lab.report.notes.retain(|told| *told != note(forms));
        forms.push(form.name());
        lab.report.note(&note(forms));
        Ok(blur.kernel(lab, form, held.padding))
    }

    /// Counts with paddings until the limit is held.
    fn held(&mut self, lab: &mut Lab, blur: Blur, form: Form, limit: Limit) -> Result<Held> {
        let unit = Unit::new(lab.device(), form.invocations());
        let most = lab.device().max_shared_memory;
        let mut count = |padding| {
            let key = (form.name(), padding);
            if let Some(&known) = self.counted.get(&key) {
                return Ok(known);
            }
            let kernel = counting(blur.kernel(lab, form, padding.max(4))).build();
            let workgroups = count(lab, kernel, blur.images(form, 0), blur.push())?;
            Ok(*self.counted.entry(key).or_insert(unit.share(workgroups)))
        };
        let room = count(0)?;
        let (padding, workgroups) = reach(most, limit.workgroups(room, unit), count)?;
        Ok(Held { limit, unit, room, padding, workgroups })
    }
}
