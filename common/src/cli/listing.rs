//! `--list-variants`: lists the variants and what each shows.

use anyhow::Result;
use bench::lab::Experiment;
use console::Term;
use record::error::EXIT_RIGHT;
use report::terminal::width_of;
use report::{ANSWER_WIDTH, Charset, Listed, Runs};

use super::{Run, print};

impl Run {
    pub(super) fn list_variants(&self, lab: &Experiment) -> Result<u8> {
        let by_default = lab.default_selection()?;
        let variants: Vec<Listed<'_>> = lab
            .variants
            .iter()
            .zip(by_default)
            .map(|(variant, by_default)| {
                let runs = match (&variant.left_out, by_default) {
                    (Some(_), _) => Runs::NotHere,
                    (None, true) => Runs::ByDefault,
                    (None, false) => Runs::OnRequest,
                };
                Listed { id: &variant.name, label: &variant.label, runs, caption: &variant.caption }
            })
            .collect();
        let (charset, room) = (Charset::of_terminal(), width_of(&Term::stdout()).min(ANSWER_WIDTH));
        let source = lab.report.source.as_deref();
        let listing = report::listing(charset, room, &variants, self.common.which.all, source);
        print(&format!("{} on {}\n\n{listing}", self.sample.name, lab.device().name))?;
        Ok(EXIT_RIGHT)
    }
}
