//! What is done at each step of a run that measures: the bar moves, whoever started the process is told,
//! and what was measured so far is written, so that a crash keeps it.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use indicatif::ProgressBar;
use record::error::EXIT_FAILED;
use record::hooks::hooks;
use report::Line;
use report::terminal::{leave_at_once, progress_bar};
use serde::Serialize;

use bench::drive::timing::{Phase, SoFar, Step};

/// Between two records of what was measured so far.
const CHECKPOINT: Duration = Duration::from_secs(1);

/// Where a run is, for the process that started it.
#[derive(Serialize)]
struct Position<'s> {
    phase: Phase,
    variant: &'s str,
    spent: f64,
}

/// Ends this process with the one that started it: that holds the other end of the standard input.
pub(super) fn end_with_the_parent() {
    std::thread::spawn(|| {
        let mut nothing = [0; 64];
        while matches!(std::io::stdin().read(&mut nothing), Ok(1..)) {}
        leave_at_once(EXIT_FAILED);
    });
}

/// Writes the record of what was measured so far.
pub(super) type Keep<'k> = dyn Fn(SoFar) + 'k;

/// What accompanies a run.
pub(super) struct Follow<'k> {
    bar: ProgressBar,
    line: Option<Line>,
    keep: Option<Box<Keep<'k>>>,
    kept: Option<Instant>,
    death: Option<(String, bool)>,
}

impl<'k> Follow<'k> {
    /// `progress` is the file of `--progress`; `keep` is called once a second, where there is one.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn new(progress: Option<&PathBuf>, keep: Option<Box<Keep<'k>>>) -> Result<Self> {
        let line = progress.map(|path| Line::open(path)).transpose()?;
        Ok(Self { bar: progress_bar(), line, keep, kept: None, death: planned_death()? })
    }

    /// Accompanies a step; breaks where `stopped`.
    pub fn step(&mut self, step: &Step<'_>, stopped: bool) -> ControlFlow<()> {
        show(&self.bar, step);
        if let Some(line) = &self.line {
            line.write(&Position { phase: step.phase, variant: step.variant, spent: step.spent });
        }
        // A driver that crashes does so at the first sample of a variant.
        let due = step.phase == Phase::Probing || self.kept.is_none_or(|at| at.elapsed() >= CHECKPOINT);
        if let Some(keep) = self.keep.as_ref().filter(|_| due) {
            keep(step.so_far());
            self.kept = Some(Instant::now());
        }
        match &self.death {
            Some((variant, true)) if variant == step.variant => loop {
                std::thread::park();
            },
            Some((variant, false)) if variant == step.variant => std::process::abort(),
            _ => {}
        }
        if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// What a driver can do to a process, for tests: at the first sample of which variant, and whether it hangs there.
fn planned_death() -> Result<Option<(String, bool)>> {
    let Some(plan) = &hooks().die_at else { return Ok(None) };
    let plan = plan.to_string_lossy();
    Ok(Some(match plan.rsplit_once(':') {
        Some((variant, "crash")) => (variant.to_owned(), false),
        Some((variant, "hang")) => (variant.to_owned(), true),
        _ => bail!(
            "HOTLAP_DIE_AT={plan} is not VARIANT:crash or VARIANT:hang; it is for tests, unset it to measure"
        ),
    }))
}

/// Shows how far a run is.
fn show(bar: &ProgressBar, step: &Step<'_>) {
    if bar.is_hidden() {
        return;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share between 0 and 1")]
    let percent = (step.spent * 100.0) as u64;
    bar.set_position(percent);
    bar.set_message(format!(
        "round {}, {} rows settled, {percent} % of the budget",
        step.rounds, step.rows_done
    ));
}
