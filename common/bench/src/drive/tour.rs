//! Visits variants without timing them, and reports for each whether it keeps its promise.

use std::fmt::Write as _;

use anyhow::{Error, Result};
use record::Promise;
use record::error::{Halt, one_line};

use super::uses::Uses;
use super::verify::Counted;
use crate::lab::Lab;

/// The results of a tour.
#[derive(Debug, Default)]
pub struct Tour {
    /// One line per variant, followed by its problems.
    pub report: String,
    /// Width of the name column.
    names: usize,
    /// Variants to look at.
    variants: usize,
    /// Variants that were looked at and are as expected.
    passed: usize,
    /// Variants that cannot run here.
    left_out: usize,
    /// Variants that failed.
    pub failed: usize,
    /// Errors that prevented looking at a variant.
    pub errors: Vec<Error>,
    /// Whether the user stopped the tour between two variants.
    pub interrupted: bool,
}

/// The result of one variant.
pub(super) enum Said {
    Fine(String),
    /// Why the variant cannot run here.
    LeftOut(String),
    /// The text after "FAILED".
    Failed(String),
}

impl Said {
    /// A failure with one line per problem.
    pub fn listed(problems: Vec<String>) -> Self {
        Self::Failed(problems.into_iter().map(|problem| format!("\n    {problem}")).collect())
    }
}

impl Tour {
    /// `first` is the name in an additional line that is not about a variant.
    pub(super) fn new(lab: &Lab, first: &str) -> Self {
        let names = lab.variants.iter().map(|variant| variant.name.len()).chain([first.len()]);
        Self { names: names.max().unwrap_or(0), variants: lab.variants.len(), ..Self::default() }
    }

    pub(super) fn say(&mut self, name: &str, said: &Said) {
        let (prefix, text) = match said {
            Said::Fine(text) => ("", text),
            Said::LeftOut(text) => ("not here: ", text),
            Said::Failed(text) => ("FAILED", text),
        };
        self.failed += usize::from(matches!(said, Said::Failed(_)));
        let _ = writeln!(self.report, "{name:<width$}  {prefix}{text}", width = self.names);
    }

    /// Calls `one` for each variant until one hangs or the user stops the tour; reports `not_done` for the
    /// remaining ones.
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
                // After a hung queue, a lost device or a failed wait, nothing more can run.
                is_over = error.is::<Halt>() || lab.gpu.is_busy();
                let said = Said::Failed(format!(": {}", one_line(&error)));
                self.errors.push(error.context(variant.name.clone()));
                said
            });
            self.passed += usize::from(matches!(said, Said::Fine(_)));
            self.left_out += usize::from(matches!(said, Said::LeftOut(_)));
            // The id, not the label: messages of the layer and regions in captures name it.
            self.say(&variant.name, &said);
        }
        self
    }

    /// Adds the line that sums up: `11 of 14 ok, 1 failed, 2 not here`.
    pub(super) fn count(&mut self) {
        let visited = self.passed + self.failed + self.left_out;
        let counts = [
            (self.failed, "failed"),
            (self.left_out, "not here"),
            (self.variants.saturating_sub(visited), "not checked"),
        ];
        let others: String =
            counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!(", {n} {what}")).collect();
        let _ = writeln!(self.report, "\n{} of {} ok{others}", self.passed, self.variants);
    }
}

/// How many elements of a repetition differ if the variant keeps its promise; `None` if any number may. With
/// `is_stale`, hardware-dependent variants may read stale values from caches.
pub(super) fn must_differ(promise: &Promise, is_stale: bool) -> Option<u64> {
    match promise {
        Promise::Hardware { .. } if is_stale => None,
        Promise::Law | Promise::Hardware { .. } | Promise::OtherApi { .. } => Some(0),
        Promise::Fault { elements } => Some(*elements),
        Promise::Nothing { .. } => None,
    }
}

/// The problem if the number of different elements of each repetition is not `expected`.
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
            Some(format!("{wrong} pixels differ from the CPU reference, the first at {first}"))
        }
        n => Some(format!("{wrong} pixels differ from the CPU reference, where a fault of {n} was put")),
    }
}
