//! The plan of a run: what it measures, and for how long.

use std::time::Duration;

use record::{Kind, Method, Rule, is_limit};

use crate::drive::tour::must_differ;
use crate::drive::uses::Uses;
use crate::lab::Lab;
use crate::measure::{LeastClock, Plan, RowPlan};

/// How to measure.
#[derive(Clone, Debug, Default)]
pub struct BenchOptions {
    /// Take exactly this many pairs per row.
    pub samples: Option<usize>,
    /// Budget of all rows; `None` takes 5 s on a GPU and 15 s on a CPU device, and twice that while a row has fewer than
    /// 20 samples.
    pub budget: Option<Duration>,
    /// Take ten times the GPU time per row, and ten times the budget.
    pub thorough: bool,
    /// Seed of the random order.
    pub seed: u64,
    /// Duration of the warm-up on a GPU; `None` takes 300 ms, enough to wake an idle one.
    pub waking: Option<Duration>,
    /// Run until the watcher ends the run, and keep this many of the newest pairs per row.
    pub newest: Option<usize>,
}

/// Longer submits make desktops stutter and approach drivers' own time limits.
pub(super) const LONGEST_SUBMIT_US: f64 = 100_000.0;

/// Samples below this share of the device's reference clock are discarded (nvbench's limit).
const LEAST_CLOCK: f64 = 0.75;
/// The same for samples that need a steady clock.
const STEADY_CLOCK: f64 = 0.95;

/// The budget for a fixed number of samples: in effect unlimited, but finite.
const A_DAY: Duration = Duration::from_secs(86_400);

/// An H200 that had idled was four times as slow for the first 100 ms (see the self-test's warm-up), and it idles
/// while a sample's kernels are compiled. After seconds of compiling and 120 ms of warm-up, the first two rounds of
/// `drain_fill` still ran at a low clock.
const WAKING: Duration = Duration::from_millis(300);

/// `--thorough` takes this many times the GPU time per row, which then equals nvbench's half a second.
const THOROUGH: u32 = 10;

/// Budgets in seconds. With 5 s on a GPU all 31 samples one after the other took 222 s on an H200.
const GPU_BUDGET: u64 = 5;
const CPU_BUDGET: u64 = 15;

pub(super) fn plan(lab: &Lab, uses: &Uses<'_>, options: &BenchOptions) -> Plan {
    let fixed = options.samples.or(lab.report.trials).filter(|_| options.newest.is_none());
    let default = Duration::from_secs(if lab.gpu.facts.kind == Kind::Cpu { CPU_BUDGET } else { GPU_BUDGET });
    let default = if options.thorough { THOROUGH * default } else { default };
    let rule = Rule { fixed, ..Rule::default() };
    let min_gpu_time = if options.thorough { THOROUGH * rule.min_gpu_time } else { rule.min_gpu_time };
    // A discarded trial might have been wrong, and times of a CPU device mean nothing.
    let needs_no_warm_up = lab.report.trials.is_some() || lab.device().is_cpu();
    Plan {
        rows: lab
            .variants
            .iter()
            .enumerate()
            .map(|(v, variant)| RowPlan {
                left_out: uses.left_out(v).is_some(),
                // All threads of a CPU device see one memory and passes do not overlap: hardware-dependent variants
                // must be correct there.
                must_differ: must_differ(&variant.promise, !lab.device().is_cpu()),
                reference: lab.report.is_together
                    || is_limit(&variant.name)
                    || lab.report.references().any(|name| *name == variant.name),
                known_wrong: None,
            })
            .collect(),
        repetitions: lab.repetitions(),
        rule: Rule { min_gpu_time, ..rule },
        least_clock: LeastClock(match () {
            // A run that counts races keeps every trial.
            () if lab.report.trials.is_some() => 0.0,
            () if lab.report.steady_clock => STEADY_CLOCK,
            () => LEAST_CLOCK,
        }),
        budget: match options.newest {
            Some(_) => Duration::MAX,
            None => options.budget.unwrap_or(if fixed.is_some() { A_DAY } else { default }),
        },
        patience: if options.budget.is_some() { 1 } else { 2 },
        warm_up: if needs_no_warm_up { 0 } else { 2 },
        warm_up_time: if needs_no_warm_up { Duration::ZERO } else { options.waking.unwrap_or(WAKING) },
        seed: options.seed,
        newest: options.newest,
    }
}

pub(in crate::drive) fn method(plan: &Plan, floor_us: f64) -> Method {
    Method {
        seed: plan.seed,
        repetitions: plan.repetitions,
        rule: plan.rule.clone(),
        budget_s: plan.budget.as_secs_f64(),
        warm_up: plan.warm_up,
        floor_us,
        caches: "warm".into(),
        clocks: "not read".into(),
        reference_mhz: None,
        tools: Vec::new(),
    }
}
