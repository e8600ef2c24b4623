//! Follows a measuring run step by step: moves the progress bar, informs the parent process, and writes
//! checkpoints, so that a crash does not lose what was measured.

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

/// Time between two checkpoints of the record.
const CHECKPOINT: Duration = Duration::from_secs(1);

/// The state of the run, for the parent process.
#[derive(Serialize)]
struct Position<'s> {
    phase: Phase,
    variant: &'s str,
    spent: f64,
}

/// Ends this process when its parent ends. The parent holds the other end of the standard input.
pub(super) fn end_with_the_parent() {
    std::thread::spawn(|| {
        let mut nothing = [0; 64];
        while matches!(std::io::stdin().read(&mut nothing), Ok(1..)) {}
        leave_at_once(EXIT_FAILED);
    });
}

/// Callback that writes a checkpoint of the record.
pub(super) type Keep<'k> = dyn Fn(SoFar) + 'k;

/// Follows a run with bar, progress file and checkpoints.
pub(super) struct Follow<'k> {
    bar: ProgressBar,
    line: Option<Line>,
    keep: Option<Box<Keep<'k>>>,
    kept: Option<Instant>,
    death: Option<(String, bool)>,
}

impl<'k> Follow<'k> {
    /// Creates it. `progress` is the file of `--progress`; `keep`, if given, is called once per second.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(progress: Option<&PathBuf>, keep: Option<Box<Keep<'k>>>) -> Result<Self> {
        let line = progress.map(|path| Line::open(path)).transpose()?;
        Ok(Self { bar: progress_bar(), line, keep, kept: None, death: planned_death()? })
    }

    /// Handles one step; returns `Break` if `stopped`.
    pub fn step(&mut self, step: &Step<'_>, stopped: bool) -> ControlFlow<()> {
        show(&self.bar, step);
        if let Some(line) = &self.line {
            line.write(&Position { phase: step.phase, variant: step.variant, spent: step.spent });
        }
        // A driver that crashes does so at the first sample of a variant, so write a checkpoint before each of
        // those.
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

/// A driver failure to simulate in tests: the variant at whose first sample it happens, and whether the process
/// hangs (`true`) or crashes.
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

/// Shows the progress of the run.
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
