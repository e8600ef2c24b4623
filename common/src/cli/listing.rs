//! `--list-variants`: lists the variants and what each shows.

use anyhow::Result;
use bench::lab::Experiment;
use console::Term;
use record::error::EXIT_RIGHT;
use report::terminal::width_of;
use report::{Charset, Listed, Runs};

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
                Listed { name: &variant.name, runs, caption: &variant.caption }
            })
            .collect();
        let terminal = Term::stdout();
        let room = terminal.is_term().then(|| width_of(&terminal));
        let listing = report::listing(Charset::of_terminal(), room, &variants, lab.report.source.as_deref());
        print(&format!("{} on {}\n\n{listing}", self.sample.name, lab.device().name))?;
        Ok(EXIT_RIGHT)
    }
}
