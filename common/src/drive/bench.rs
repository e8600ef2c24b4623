//! `--bench`: measures every variant, checks every sample, makes the record.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::session::{BadStamps, Session, checked_elements};
use crate::error::one_line;
use crate::facts::Kind;
use crate::lab::{Lab, Variant};
use crate::measure::{self, Failure, Outcome, Pair, Plan, Progress, Reading, RowPlan, Rule, Target};
use crate::record::{Ended, Method, Promise, Racy, Row, Sample, Status};
use crate::stats::{Summary, paired_ratio};

/// How to measure.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// Exactly this many pairs a row.
    pub samples: Option<usize>,
    /// Budget of all rows; `None` takes 8 s on a GPU and 15 s on a CPU device.
    pub budget: Option<Duration>,
    /// Seed of the order.
    pub seed: u64,
}

/// What the driver hands to the record.
#[derive(Debug)]
pub struct Measured {
    /// How times were taken.
    pub method: Method,
    /// One per variant.
    pub rows: Vec<Row>,
    /// What the reader must know of this run, in sentences.
    pub notes: Vec<String>,
    /// How it ended.
    pub ended: Ended,
    /// When the first sample was taken.
    pub first_sample: Instant,
    /// The failure that ended it, with its exit code.
    pub error: Option<anyhow::Error>,
}

/// A submit that takes longer makes desktops stutter and nears drivers' own time limits.
const LONGEST_SUBMIT_US: f64 = 100_000.0;

/// For a fixed number of samples: it takes as long as it takes, but not for ever.
const A_DAY: Duration = Duration::from_secs(86_400);

/// Budgets of a run, in seconds.
const GPU_BUDGET: u64 = 8;
const CPU_BUDGET: u64 = 15;

/// Measures the lab's variants.
///
/// # Errors
/// What hinders measuring from beginning; later failures are in [`Measured`].
pub fn measure(
    lab: &Lab,
    options: &BenchOptions,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Measured> {
    let mut session = Session::new(lab)?;
    session.rehearse()?;
    let runnable: Vec<usize> = (0..lab.variants.len()).filter(|&v| session.left_out(v).is_none()).collect();
    let floor_us = session.floor_us()?;
    let mut plan = plan(lab, &runnable, options);
    let mut target = Device { session, variants: &runnable, began: Instant::now(), first_sample: None };
    let nothing = |interrupted, aborted| Outcome {
        rows: vec![measure::Row::default(); runnable.len()],
        interrupted,
        aborted,
    };
    let mut first_wrong = vec![None; runnable.len()];
    let mut outcome = match probe(lab, &mut target, &mut plan, &mut first_wrong, watch) {
        Ok(ControlFlow::Continue(())) => measure::run(&plan, &mut target, watch),
        Ok(ControlFlow::Break(())) => nothing(true, None),
        Err(error) => nothing(false, Some(error)),
    };
    for (row, reading) in outcome.rows.iter_mut().zip(first_wrong) {
        row.wrong = row.wrong.or(reading);
    }
    let mut method = method(&plan, floor_us);
    method.tools = lab.gpu.tools().to_vec();
    let rows = rows(lab, &runnable, &outcome, &method, &target.session);
    let ended = match &outcome.aborted {
        Some(error) => Ended::Failed { reason: one_line(error) },
        None if outcome.interrupted => Ended::Interrupted,
        None => Ended::Complete,
    };
    let first_sample = target.first_sample.unwrap_or_else(Instant::now);
    let notes = notes(lab, &plan, &rows);
    Ok(Measured { method, rows, notes, ended, first_sample, error: outcome.aborted })
}

/// What is missing from the table, and why.
fn notes(lab: &Lab, plan: &Plan, rows: &[Row]) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(reason) = &lab.unchecked {
        notes.push(format!("No result was compared with anything: {reason}."));
    }
    if plan.repetitions < lab.repetitions() {
        let n = plan.repetitions;
        let left = if n < 2 { "so there is no pipelined time".to_owned() } else { format!("so N is {n}") };
        notes.push(format!("Submits are kept under {} ms, {left}.", LONGEST_SUBMIT_US / 1e3));
    }
    let lost = |row: &&Row| plan.repetitions > 1 && row.isolated_us.is_some() && row.pipelined_us.is_none();
    let lost: Vec<&str> = rows.iter().filter(lost).map(|row| row.variant.as_str()).collect();
    if !lost.is_empty() {
        notes.push(format!(
            "The pipelined time of {} is lost in noise: zero lies within its interval.",
            lost.join(", ")
        ));
    }
    if let Some(tool) = lab.gpu.tools().iter().find(|tool| tool.to_lowercase().contains("validation")) {
        notes.push(format!("{tool} was active: these times are no times."));
    }
    notes
}

/// The device behind the engine.
struct Device<'l> {
    session: Session<'l>,
    /// The engine's rows as positions in the lab.
    variants: &'l [usize],
    began: Instant,
    first_sample: Option<Instant>,
}

impl Target for Device<'_> {
    fn sample(&mut self, variant: usize, repetitions: u32) -> Result<Reading, Failure> {
        self.first_sample.get_or_insert_with(Instant::now);
        self.session.sample(Some(self.variants[variant]), repetitions).map_err(|error| {
            if error.is::<BadStamps>() { Failure::Variant(one_line(&error)) } else { Failure::Run(error) }
        })
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

fn plan(lab: &Lab, runnable: &[usize], options: &BenchOptions) -> Plan {
    let references = [&lab.bound, &lab.baseline];
    let default = Duration::from_secs(if lab.gpu.facts.kind == Kind::Cpu { CPU_BUDGET } else { GPU_BUDGET });
    Plan {
        rows: runnable
            .iter()
            .map(|&v| RowPlan {
                must_be_right: lab.variants[v].promise == Promise::Law,
                reference: references.into_iter().flatten().any(|r| *r == lab.variants[v].name),
            })
            .collect(),
        repetitions: lab.repetitions(),
        rule: Rule { fixed: options.samples, ..Rule::default() },
        budget: options.budget.unwrap_or(if options.samples.is_some() { A_DAY } else { default }),
        warm_up: 2,
        seed: options.seed,
    }
}

/// Takes a first sample of each variant and proves the device's counter against the CPU with it;
/// from a second one, with warm pipelines, shortens the long submit where it would take too long.
fn probe(
    lab: &Lab,
    target: &mut Device<'_>,
    plan: &mut Plan,
    first_wrong: &mut [Option<Reading>],
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ControlFlow<()>> {
    let mut longest: f64 = 0.0;
    for (row, first_wrong) in first_wrong.iter_mut().enumerate() {
        if watch(Progress { rows_done: 0, rounds: 0, spent: 0.0 }).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let reading = match target.sample(row, 1) {
            Ok(reading) => reading,
            Err(Failure::Variant(_)) => continue,
            Err(Failure::Run(error)) => return Err(error),
        };
        let on_cpu = target.session.count_on_cpu(1)?;
        anyhow::ensure!(
            on_cpu == reading.wrong,
            "the device counted {} wrong elements in {}, the CPU {on_cpu} in the same images: the check \
             itself is not to be trusted here",
            reading.wrong,
            lab.variants[target.variants[row]].name
        );
        let wrong = |reading: Reading| (plan.rows[row].must_be_right && reading.wrong > 0).then_some(reading);
        *first_wrong = wrong(reading);
        match target.sample(row, 1) {
            Ok(reading) => {
                longest = longest.max(reading.gpu_us);
                *first_wrong = first_wrong.or(wrong(reading));
            }
            Err(Failure::Variant(_)) => {}
            Err(Failure::Run(error)) => return Err(error),
        }
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive and bounded by the repetitions"
    )]
    let fitting = (LONGEST_SUBMIT_US / longest.max(1.0)).min(f64::from(plan.repetitions)) as u32;
    plan.repetitions = fitting.max(1);
    Ok(ControlFlow::Continue(()))
}

fn method(plan: &Plan, floor_us: f64) -> Method {
    Method {
        seed: plan.seed,
        repetitions: plan.repetitions,
        rule: plan.rule.clone(),
        budget_s: plan.budget.as_secs_f64(),
        warm_up: plan.warm_up,
        floor_us,
        caches: "warm".into(),
        clocks: "not read".into(),
        tools: Vec::new(),
    }
}

fn rows(
    lab: &Lab,
    runnable: &[usize],
    outcome: &Outcome,
    method: &Method,
    session: &Session<'_>,
) -> Vec<Row> {
    let measured = |name: Option<&String>| {
        let at = name.and_then(|name| lab.position(name))?;
        Some(&outcome.rows[runnable.iter().position(|&v| v == at)?])
    };
    let (bound, baseline) = (measured(lab.bound.as_ref()), measured(lab.baseline.as_ref()));
    lab.variants
        .iter()
        .enumerate()
        .map(|(v, variant)| {
            if let Some(status) = session.left_out(v) {
                return Row { status, ..blank(variant) };
            }
            let Some(at) = runnable.iter().position(|&s| s == v) else { return blank(variant) };
            let row = &outcome.rows[at];
            Row {
                status: status(row, session),
                to_bound: ratio(row, bound),
                to_baseline: ratio(row, baseline),
                racy: racy(row, checked_elements(&lab.checks, 1)),
                ..times(variant, row, method)
            }
        })
        .collect()
}

fn blank(variant: &Variant) -> Row {
    Row {
        variant: variant.name.clone(),
        status: Status::Ok,
        promise: variant.promise.clone(),
        isolated_us: None,
        pipelined_us: None,
        to_bound: None,
        to_baseline: None,
        racy: None,
        stop: None,
        near_floor: false,
        record_us: None,
        submit_us: None,
        published: variant.published.clone(),
        samples: Vec::new(),
    }
}

fn status(row: &measure::Row, session: &Session<'_>) -> Status {
    if let Some(reading) = row.wrong {
        let first = reading.first_wrong.map_or_else(String::new, |first| session.place(first));
        return Status::Wrong { elements: reading.wrong, first };
    }
    match &row.failure {
        Some(reason) => Status::Error { reason: reason.clone() },
        None if row.pairs.is_empty() => {
            Status::Skipped { reason: "the run ended before its first sample".into() }
        }
        None => Status::Ok,
    }
}

/// Everything that has a unit of time; nothing of it where the row was wrong.
fn times(variant: &Variant, row: &measure::Row, method: &Method) -> Row {
    if row.wrong.is_some() {
        return blank(variant);
    }
    let one: Vec<f64> = row.pairs.iter().map(|p| p.one.gpu_us).collect();
    let isolated_us = Summary::of(&one);
    Row {
        isolated_us,
        pipelined_us: pipelined(&row.pairs, method.repetitions),
        stop: row.stop.clone(),
        near_floor: isolated_us.is_some_and(|s| s.median < 5.0 * method.floor_us),
        record_us: Summary::of(&row.pairs.iter().map(|p| p.one.record_us).collect::<Vec<_>>()),
        submit_us: Summary::of(&row.pairs.iter().map(|p| p.one.submit_us).collect::<Vec<_>>()),
        samples: row.pairs.iter().map(sample).collect(),
        ..blank(variant)
    }
}

/// `(T(N) - T(1)) / (N - 1)` of each round.
fn pipelined(pairs: &[Pair], repetitions: u32) -> Option<Summary> {
    let further = f64::from(repetitions.checked_sub(1).filter(|&n| n > 0)?);
    let costs: Option<Vec<f64>> =
        pairs.iter().map(|p| Some((p.many?.gpu_us - p.one.gpu_us) / further)).collect();
    let summary = Summary::of(&costs?)?;
    let low = summary.median_95.map_or(summary.min, |interval| interval.low);
    (low > 0.0).then_some(summary)
}

/// Quotients of the rounds that both rows have.
fn ratio(row: &measure::Row, reference: Option<&measure::Row>) -> Option<Summary> {
    if row.wrong.is_some() {
        return None;
    }
    let right = reference.filter(|other| other.wrong.is_none() && other.failure.is_none())?;
    let mut others = right.pairs.iter().peekable();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for pair in &row.pairs {
        while others.next_if(|o| o.round < pair.round).is_some() {}
        if let Some(other) = others.next_if(|o| o.round == pair.round) {
            ours.push(pair.one.gpu_us);
            theirs.push(other.one.gpu_us);
        }
    }
    paired_ratio(&ours, &theirs)
}

#[expect(clippy::cast_precision_loss, reason = "a count of texels is below 2^52")]
fn racy(row: &measure::Row, of: u64) -> Option<Racy> {
    if row.wrong.is_some() || of == 0 {
        return None;
    }
    let counts: Vec<u64> = row.pairs.iter().map(|p| p.one.wrong).collect();
    let long = |pair: &Pair| pair.many.map_or(0, |m| m.wrong);
    Some(Racy {
        samples: counts.len(),
        racy_samples: row.pairs.iter().filter(|p| p.one.wrong + long(p) > 0).count(),
        median: Summary::of(&counts.iter().map(|&c| c as f64).collect::<Vec<_>>())?.median,
        max: counts.iter().copied().max()?,
        long_max: row.pairs.iter().map(long).max()?,
        of,
    })
}

fn sample(pair: &Pair) -> Sample {
    Sample {
        round: pair.round,
        one_us: pair.one.gpu_us,
        many_us: pair.many.map(|m| m.gpu_us),
        one_wrong: pair.one.wrong,
        many_wrong: pair.many.map(|m| m.wrong),
        record_us: pair.one.record_us,
        submit_us: pair.one.submit_us,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(round: u32, one: f64, many: f64) -> Pair {
        let reading =
            |gpu_us| Reading { gpu_us, record_us: 1.0, submit_us: 2.0, wrong: 0, first_wrong: None };
        Pair { round, one: reading(one), many: Some(reading(many)) }
    }

    #[test]
    fn pipelined_is_what_one_more_repetition_costs() {
        let s = pipelined(&[pair(0, 10.0, 31.0), pair(1, 12.0, 33.0)], 8).unwrap();
        assert_eq!(s.median, 3.0);
        assert!(pipelined(&[pair(0, 10.0, 10.0)], 1).is_none());
        assert!(pipelined(&[pair(0, 10.0, 9.0)], 2).is_none(), "no cost below zero");
    }

    #[test]
    fn ratios_pair_the_rounds_that_both_have() {
        let row = |pairs| measure::Row { pairs, ..measure::Row::default() };
        let a = row(vec![pair(0, 20.0, 0.0), pair(2, 30.0, 0.0), pair(3, 50.0, 0.0)]);
        let b = row(vec![pair(0, 10.0, 0.0), pair(1, 1.0, 0.0), pair(3, 10.0, 0.0), pair(4, 1.0, 0.0)]);
        let s = ratio(&a, Some(&b)).unwrap();
        assert_eq!((s.n, s.min, s.max), (2, 2.0, 5.0));
        assert!(ratio(&a, None).is_none());
        let wrong = measure::Row { wrong: Some(b.pairs[0].one), ..b };
        assert!(ratio(&a, Some(&wrong)).is_none(), "nothing is divided by a wrong row");
    }

    #[test]
    fn a_wrong_row_has_no_time_though_it_has_samples() {
        let variant = Variant::for_test("wrong");
        let method = method(&Plan { repetitions: 2, ..Plan::for_test() }, 0.1);
        let right = measure::Row { pairs: vec![pair(0, 5.0, 9.0)], ..measure::Row::default() };
        assert_eq!(times(&variant, &right, &method).isolated_us.map(|s| s.median), Some(5.0));
        let wrong = measure::Row { wrong: Some(right.pairs[0].one), ..right };
        let row = times(&variant, &wrong, &method);
        assert!(row.isolated_us.is_none() && row.pipelined_us.is_none() && row.samples.is_empty());
        assert!(ratio(&wrong, Some(&wrong)).is_none() && racy(&wrong, 64).is_none());
    }

    #[test]
    fn racy_counts_say_of_how_many() {
        let mut raced = pair(1, 1.0, 1.0);
        raced.one.wrong = 9;
        let row = measure::Row { pairs: vec![pair(0, 1.0, 1.0), raced], ..measure::Row::default() };
        let counted = racy(&row, 64).unwrap();
        assert_eq!((counted.samples, counted.racy_samples, counted.max, counted.of), (2, 1, 9, 64));
        let mut long = pair(0, 1.0, 1.0);
        long.many.as_mut().unwrap().wrong = 5;
        let row = measure::Row { pairs: vec![long], ..measure::Row::default() };
        let counted = racy(&row, 64).unwrap();
        assert_eq!(
            (counted.racy_samples, counted.max, counted.long_max),
            (1, 0, 5),
            "a race in the long submit"
        );
    }
}
