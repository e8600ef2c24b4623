//! From variant to variant, where no times are taken: a line of each, and whether it keeps its promise.

use std::fmt::Write as _;

use anyhow::{Error, Result};
use record::Promise;
use record::error::{Halt, one_line};

use super::uses::Uses;
use super::verify::Counted;
use crate::lab::Lab;

/// What was found on the way.
#[derive(Debug, Default)]
pub struct Tour {
    /// One line a variant, with what is wrong behind or below it.
    pub report: String,
    /// Columns that the longest name takes.
    names: usize,
    /// Variants that failed.
    pub failed: usize,
    /// What hindered looking at a variant.
    pub errors: Vec<Error>,
    /// The user stopped it between two variants.
    pub interrupted: bool,
}

/// What is said of a variant.
pub(super) enum Said {
    Fine(String),
    /// What stands behind the word that it failed.
    Failed(String),
}

impl Said {
    /// Each problem has a line of its own.
    pub fn listed(problems: Vec<String>) -> Self {
        Self::Failed(problems.into_iter().map(|problem| format!("\n    {problem}")).collect())
    }

    pub fn left_out(reason: &str) -> Self {
        Self::Fine(format!("left out: {reason}"))
    }
}

impl Tour {
    /// The first name is that of a line which is no variant's.
    pub(super) fn new(lab: &Lab, first: &str) -> Self {
        let names = lab.variants.iter().map(|variant| variant.name.len()).chain([first.len()]);
        Self { names: names.max().unwrap_or(0), ..Self::default() }
    }

    pub(super) fn say(&mut self, name: &str, said: &Said) {
        let (failed, text) = match said {
            Said::Fine(text) => ("", text),
            Said::Failed(text) => ("FAILED", text),
        };
        self.failed += usize::from(!failed.is_empty());
        let _ = writeln!(self.report, "{name:<width$} {failed}{text}", width = self.names);
    }

    /// Looks at the variants with `one`, until one hangs or the user stops it; of the others `not_done` is said.
    pub(super) fn visit(
        mut self,
        lab: &Lab,
        stopped: &dyn Fn() -> bool,
        not_done: &str,
        mut one: impl FnMut(usize) -> Result<Said>,
    ) -> Self {
        let mut is_over = false;
        for (v, variant) in lab.variants.iter().enumerate() {
            self.interrupted |= !is_over && stopped();
            if is_over || self.interrupted {
                self.say(&variant.name, &Said::Fine(not_done.to_owned()));
                continue;
            }
            let said = one(v).unwrap_or_else(|error| {
                // A queue that hung, a lost device, a wait that failed: nothing more can be looked at.
                is_over = error.is::<Halt>() || lab.gpu.is_busy();
                let said = Said::Failed(format!(": {}", one_line(&error)));
                self.errors.push(error.context(variant.name.clone()));
                said
            });
            self.say(&variant.name, &said);
        }
        self
    }
}

/// How many elements of a repetition differ where a variant keeps its promise; none where any may. `is_stale`: caches
/// may show a stale value to what relies on hardware.
pub(super) fn must_differ(promise: &Promise, is_stale: bool) -> Option<u64> {
    match promise {
        Promise::Hardware { .. } if is_stale => None,
        Promise::Law | Promise::Hardware { .. } => Some(0),
        Promise::Fault { elements } => Some(*elements),
        Promise::Nothing { .. } => None,
    }
}

/// What is wrong where not just `expected` elements of each repetition differ.
pub(super) fn miscount(
    uses: &Uses<'_>,
    variant: usize,
    Counted { wrong, first, uneven }: Counted,
    expected: u64,
    repetitions: u32,
) -> Option<String> {
    match expected * u64::from(repetitions) {
        n if n == wrong && !uneven => None,
        0 => {
            let first = first.map_or_else(String::new, |first| uses.place(variant, first));
            Some(format!("{wrong} texels differ from the CPU reference, the first at {first}"))
        }
        n => Some(format!("{wrong} texels differ from the CPU reference, where a fault of {n} was put")),
    }
}
