//! `--bench`: measures every variant, checks every sample, makes the record.

use std::fmt;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;

use super::checked::Checked;
use super::figures::Figures;
use super::maps::Map;
use super::rows;
use super::session::{BadStamps, Session};
use super::trace::{self, Subject};
use crate::error::one_line;
use crate::facts::Kind;
use crate::lab::{Lab, Shown};
use crate::measure::{self, Failure, Outcome, Pair, Plan, Reading, RowPlan, Rule, Target, Throttle};
use crate::record::{Ended, Method, Promise, Row, is_limit};
use crate::report::Painting;
use crate::trace::Trace;
use crate::variant::Recording;

/// How to measure.
#[derive(Clone, Debug, Default)]
pub struct BenchOptions {
    /// Exactly this many pairs a row.
    pub samples: Option<usize>,
    /// Budget of all rows; `None` takes 8 s on a GPU and 15 s on a CPU device.
    pub budget: Option<Duration>,
    /// Ten times the GPU time of a row, and ten times the budget.
    pub thorough: bool,
    /// Empty the caches before each sample.
    pub cold: bool,
    /// Seed of the order.
    pub seed: u64,
}

/// What a run is about to do, told to who watches it and may end it.
pub struct Step<'s> {
    /// Sampling or tracing.
    pub phase: Phase,
    /// The variant that is next.
    pub variant: &'s str,
    /// Rows that have enough samples.
    pub rows_done: usize,
    /// Rounds completed.
    pub rounds: u32,
    /// Share of the budget, or of a fixed number of samples, that is spent; 0 to 1.
    pub spent: f64,
    so_far: &'s dyn Fn() -> (Method, Vec<Row>),
}

impl fmt::Debug for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step")
            .field("phase", &self.phase)
            .field("variant", &self.variant)
            .finish_non_exhaustive()
    }
}

impl Step<'_> {
    /// What was measured until now, as a record would have it.
    #[must_use]
    pub fn so_far(&self) -> (Method, Vec<Row>) {
        (self.so_far)()
    }
}

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Takes a first sample of each variant, which shows whether it runs at all. To others it measures.
    #[serde(rename = "measuring")]
    Probing,
    /// Takes samples.
    Measuring,
    /// Lets waves note when they ran.
    Tracing,
}

/// Sees each step, and ends the run by breaking.
type Watch<'w> = dyn FnMut(&Step<'_>) -> ControlFlow<()> + 'w;

/// What the driver hands to the record.
#[derive(Debug)]
pub struct Measured {
    /// How times were taken.
    pub method: Method,
    /// One per variant.
    pub rows: Vec<Row>,
    /// What the sample concludes from them.
    pub verdict: Option<String>,
    /// Where texels differed, where that was asked for.
    pub maps: Vec<Map>,
    /// The sample's own picture instead, where it has one.
    pub painting: Option<Painting>,
    /// What the waves of the first [`MOST_DRAWN`](crate::trace::MOST_DRAWN) variants told, by their names, where they were asked.
    pub traces: Vec<(String, Trace)>,
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

/// A sample whose clock is below this share of what the device reaches says nothing (nvbench's limit).
const LEAST_CLOCK: f64 = 0.75;

/// Samples that a GPU is given to raise its clock before N is made smaller.
const MOST_SETTLING: u32 = 8;

/// For a fixed number of samples: it takes as long as it takes, but not for ever.
const A_DAY: Duration = Duration::from_secs(86_400);

/// `VkDriverId` of the drivers on Mesa's common runtime: RADV, ANV, llvmpipe, Turnip, V3DV, PanVK,
/// Venus, Dozen, NVK, PowerVR, Honeykrisp.
const MESA: [i32; 11] = [3, 5, 13, 18, 19, 20, 22, 23, 24, 25, 26];

/// So many variants share the budget; more get as much again for each further such number.
const BUDGET_FOR: usize = 20;

/// So many times the GPU time of a row is nvbench's half a second.
const THOROUGH: u32 = 10;

/// Budgets of a run, in seconds.
const GPU_BUDGET: u64 = 8;
const CPU_BUDGET: u64 = 15;

/// Measures the lab's variants.
///
/// # Errors
/// What hinders measuring from beginning; later failures are in [`Measured`].
pub fn measure(lab: &Lab, options: &BenchOptions, watch: &mut Watch<'_>) -> Result<Measured> {
    let mut session = Session::new(lab)?;
    session.rehearse()?;
    let runnable: Vec<usize> = (0..lab.variants.len()).filter(|&v| session.left_out(v).is_none()).collect();
    let caches = if options.cold { session.make_cold()? } else { "warm".into() };
    let clocks = match session.watch_clock()? {
        None => "read with each sample: cycles over time, VK_KHR_shader_clock".to_owned(),
        Some(reason) => format!("unknown: {reason}"),
    };
    let floor_us = session.floor_us()?;
    let checked = session.checked();
    let mut plan = plan(lab, &runnable, options);
    let mut method = Method { caches, clocks, ..method(&plan, floor_us) };
    method.tools = lab.gpu.tools().to_vec();
    let mut target = Device { session, variants: &runnable, began: Instant::now(), first_sample: None };
    let nothing = |interrupted, aborted| Outcome {
        reference_mhz: None,
        rows: vec![measure::Row::default(); runnable.len()],
        interrupted,
        aborted,
    };
    let mut first_wrong = vec![None; runnable.len()];
    let told = Told { lab, runnable: &runnable, checked: &checked };
    let mut probed = probe(&told, &method, &mut target, &mut plan, &mut first_wrong, watch);
    method.repetitions = plan.repetitions;
    if probed.is_ok() {
        // Once more, on a device that has woken: on an H200 it was 3.8 µs before and 1.9 now.
        match target.session.floor_us() {
            Ok(floor_us) => method.floor_us = floor_us,
            Err(error) => probed = Err(error),
        }
    }
    // The picture is of the same samples as the table.
    target.session.forget_maps()?;
    let mut outcome = match probed {
        Ok(ControlFlow::Continue(())) => measure::run(&plan, &mut target, &mut |progress| {
            let so_far = || told.rows_of(progress.rows, &method);
            watch(&Step {
                phase: Phase::Measuring,
                variant: told.name(progress.row),
                rows_done: progress.rows_done,
                rounds: progress.rounds,
                spent: progress.spent,
                so_far: &so_far,
            })
        }),
        Ok(ControlFlow::Break(())) => nothing(true, None),
        Err(error) => nothing(false, Some(error)),
    };
    for (row, reading) in outcome.rows.iter_mut().zip(first_wrong) {
        row.wrong = row.wrong.or(reading);
    }
    method.reference_mhz = outcome.reference_mhz;
    method.tools.extend(target.session.profiler().map(str::to_owned));
    let mut rows = rows::rows(lab, &runnable, &outcome.rows, &method, &checked);
    let traces = if lab.traces() && outcome.aborted.is_none() && !outcome.interrupted {
        let traced = trace(&told, &method, &mut target, &plan, &mut rows, watch, &mut outcome.interrupted);
        traced.unwrap_or_else(|error| {
            outcome.aborted = Some(error);
            Vec::new()
        })
    } else {
        Vec::new()
    };
    // After a failure the device may answer nothing more.
    let maps = match &outcome.aborted {
        Some(_) => Vec::new(),
        None => target.session.maps().unwrap_or_else(|error| {
            outcome.aborted = Some(error);
            Vec::new()
        }),
    };
    let painting = match (&lab.shown, &outcome.aborted) {
        (Some(shown), None) if lab.maps_races => paint(lab, &mut target.session, shown, &rows)
            .unwrap_or_else(|error| {
                outcome.aborted = Some(error);
                None
            }),
        _ => None,
    };
    let ended = match &outcome.aborted {
        Some(error) => Ended::Failed { reason: one_line(error) },
        None if outcome.interrupted => Ended::Interrupted,
        None => Ended::Complete,
    };
    let first_sample = target.first_sample.unwrap_or_else(Instant::now);
    let mut notes = notes(lab, &plan, &rows);
    notes.extend(target.session.profiler().map(|tool| {
        format!("{tool}: a profiler was connected, and its spans and its thread lengthen the CPU's way to a submit.")
    }));
    let fits = !lab.on_cpu() && (!lab.verdict_needs_matrix || lab.shown_matrix().is_some());
    let verdict = lab.verdict.as_ref().filter(|_| fits);
    let verdict = verdict.and_then(|conclude| conclude(&Figures::new(&rows)));
    let error = outcome.aborted;
    Ok(Measured { method, rows, verdict, maps, painting, traces, notes, ended, first_sample, error })
}

/// What steps are told from.
struct Told<'t, 'l> {
    lab: &'l Lab,
    /// The engine's rows as positions in the lab.
    runnable: &'t [usize],
    checked: &'t Checked<'l>,
}

impl<'l> Told<'_, 'l> {
    fn name(&self, row: usize) -> &'l str {
        &self.lab.variants[self.runnable[row]].name
    }

    fn rows_of(&self, engine: &[measure::Row], method: &Method) -> (Method, Vec<Row>) {
        (method.clone(), rows::rows(self.lab, self.runnable, engine, method, self.checked))
    }
}

/// Traces each variant that has a time, for its row; returns what is drawn.
fn trace(
    told: &Told<'_, '_>,
    method: &Method,
    target: &mut Device<'_>,
    plan: &Plan,
    rows: &mut [Row],
    watch: &mut Watch<'_>,
    interrupted: &mut bool,
) -> Result<Vec<(String, Trace)>> {
    let lab = told.lab;
    let mut subjects = Vec::new();
    for (&variant, plan) in target.variants.iter().zip(&plan.rows) {
        if let Some(times) = rows[variant].isolated_us {
            subjects.push(Subject { variant, isolated_us: times.median, plan });
        }
    }
    let measured = rows.to_vec();
    let so_far = || (method.clone(), measured.clone());
    let mut stopped = |variant: usize| {
        let variant = &lab.variants[variant].name;
        let (phase, rows_done) = (Phase::Tracing, measured.len());
        watch(&Step { phase, variant, rows_done, rounds: 0, spent: 1.0, so_far: &so_far }).is_break()
    };
    let traces = trace::trace(lab, &mut target.session, subjects, &mut stopped)?;
    *interrupted = traces.interrupted;
    for (variant, traced) in traces.rows {
        rows[variant].trace = Some(traced);
    }
    Ok(traces.drawn)
}

/// One more sample of the first variant that was right, painted.
fn paint(lab: &Lab, session: &mut Session<'_>, shown: &Shown, rows: &[Row]) -> Result<Option<Painting>> {
    let right = |name: &str| rows.iter().any(|row| row.variant == name && row.isolated_us.is_some());
    for (v, variant) in lab.variants.iter().enumerate().filter(|(_, variant)| right(&variant.name)) {
        let Some(pixels) = session.paint(v, shown)? else { continue };
        let (caption, size) = (shown.caption.clone(), shown.size);
        return Ok(Some(Painting { variant: variant.name.clone(), caption, size, pixels }));
    }
    Ok(None)
}

/// What is missing from the table, and why.
fn notes(lab: &Lab, plan: &Plan, rows: &[Row]) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(reason) = &lab.unchecked {
        notes.push(format!("No result was compared with anything: {reason}."));
    }
    notes.extend(lab.untraced());
    if plan.repetitions < lab.repetitions() {
        let n = plan.repetitions;
        let left = if n < 2 { "so there is no pipelined time".to_owned() } else { format!("so N is {n}") };
        notes.push(format!("Submits are kept under {} ms, {left}.", LONGEST_SUBMIT_US / 1e3));
    }
    let lost = |row: &&Row| plan.repetitions > 1 && row.isolated_us.is_some() && row.pipelined_us.is_none();
    let lost: Vec<&str> = rows.iter().filter(lost).map(|row| row.variant.as_str()).collect();
    // Below 6 samples there is no interval, and one difference below zero is enough.
    let is_short = |name: &&str| rows.iter().any(|row| row.variant == *name && row.samples.len() < 6);
    let (short, noisy): (Vec<&str>, Vec<&str>) = lost.into_iter().partition(is_short);
    for (names, reason) in [
        (noisy, "is lost in noise: zero lies within its interval"),
        (short, "is not known: of its few samples one has T(N) below T(1)"),
    ] {
        if !names.is_empty() {
            notes.push(format!("The pipelined time of {} {reason}.", names.join(", ")));
        }
    }
    let two_queues = rows
        .iter()
        .filter(|row| row.isolated_us.is_some())
        .filter_map(|row| lab.variants.iter().find(|v| v.name == row.variant))
        .find(|v| matches!(v.record, Recording::Queues(_)));
    if let Some(variant) = two_queues.filter(|_| lab.gpu.has_one_queue_twice()) {
        notes.push(format!(
            "{}: one queue was taken for both, so this is no time of two queues.",
            variant.name
        ));
    }
    if let Some(variant) = two_queues.filter(|_| MESA.contains(&lab.device().driver_id)) {
        notes.push(format!(
            "{}: Mesa's drivers hold submits that wait for the CPU back in the process, so its time includes the \
             CPU's submitting.",
            variant.name
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

    fn pause(&mut self, duration: Duration) {
        std::thread::sleep(duration);
    }
}

fn plan(lab: &Lab, runnable: &[usize], options: &BenchOptions) -> Plan {
    let references = [&lab.bound, &lab.baseline];
    let fixed = options.samples.or(lab.trials);
    let default = Duration::from_secs(if lab.gpu.facts.kind == Kind::Cpu { CPU_BUDGET } else { GPU_BUDGET });
    #[expect(clippy::cast_precision_loss, reason = "a handful of variants")]
    let default = default.mul_f64((runnable.len() as f64 / BUDGET_FOR as f64).max(1.0));
    let default = if options.thorough { THOROUGH * default } else { default };
    let rule = Rule { fixed, ..Rule::default() };
    let min_gpu_time = if options.thorough { THOROUGH * rule.min_gpu_time } else { rule.min_gpu_time };
    Plan {
        rows: runnable
            .iter()
            .map(|&v| RowPlan {
                must_differ: match lab.variants[v].promise {
                    Promise::Law => Some(0),
                    Promise::Fault { elements } => Some(elements),
                    // A CPU device has one memory and overlaps nothing: there it has no excuse.
                    Promise::Hardware { .. } if lab.on_cpu() => Some(0),
                    Promise::Hardware { .. } | Promise::Nothing { .. } => None,
                },
                reference: is_limit(&lab.variants[v].name)
                    || references.into_iter().flatten().any(|r| *r == lab.variants[v].name),
            })
            .collect(),
        repetitions: lab.repetitions(),
        rule: Rule { min_gpu_time, ..rule },
        // What counts races keeps every trial.
        throttle: Throttle {
            least: if lab.trials.is_some() { 0.0 } else { LEAST_CLOCK },
            ..Throttle::default()
        },
        budget: options.budget.unwrap_or(if fixed.is_some() { A_DAY } else { default }),
        // A trial that was thrown away might have raced.
        warm_up: if lab.trials.is_some() { 0 } else { 2 },
        seed: options.seed,
    }
}

/// Takes a first sample of each variant and proves the device's counter against the CPU with it;
/// from a second one, with warm pipelines, shortens the long submit where it would take too long.
fn probe(
    told: &Told<'_, '_>,
    method: &Method,
    target: &mut Device<'_>,
    plan: &mut Plan,
    first_wrong: &mut [Option<Reading>],
    watch: &mut Watch<'_>,
) -> Result<ControlFlow<()>> {
    let lab = told.lab;
    // A driver that crashes does so at a variant's first sample, before any round: what others took here is
    // all that there is then.
    let mut first = vec![measure::Row::default(); first_wrong.len()];
    let mut longest: f64 = 0.0;
    for (row, first_wrong) in first_wrong.iter_mut().enumerate() {
        let so_far = || told.rows_of(&first, method);
        let (phase, variant) = (Phase::Probing, told.name(row));
        if watch(&Step { phase, variant, rows_done: 0, rounds: 0, spent: 0.0, so_far: &so_far }).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let reading = match target.sample(row, 1) {
            Ok(reading) => reading,
            Err(Failure::Variant(_)) => continue,
            Err(Failure::Run(error)) => return Err(error),
        };
        let on_cpu = target.session.count_on_cpu(target.variants[row], 1)?;
        anyhow::ensure!(
            on_cpu == reading.wrong,
            "the device counted {} wrong elements in {}, the CPU {on_cpu} in the same images: the check \
             itself is not to be trusted here",
            reading.wrong,
            lab.variants[target.variants[row]].name
        );
        let wrong = |reading: Reading| plan.rows[row].refuses(&reading, 1).then_some(reading);
        *first_wrong = wrong(reading);
        match settled(target, row, plan.repetitions) {
            Ok(reading) => {
                longest = longest.max(reading.gpu_us);
                *first_wrong = first_wrong.or(wrong(reading));
                first[row].pairs = vec![Pair { round: 0, one: reading, many: None }];
                first[row].wrong = *first_wrong;
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

/// A sample with warm pipelines; where it says that the long submit would take too long, the shortest of
/// several: a GPU that has waited for the CPU runs at a fraction of its clock at first (an H200 at a quarter).
fn settled(target: &mut Device<'_>, row: usize, repetitions: u32) -> Result<Reading, Failure> {
    let mut shortest = target.sample(row, 1)?;
    for _ in 0..MOST_SETTLING {
        if shortest.wrong > 0 || shortest.gpu_us * f64::from(repetitions) <= LONGEST_SUBMIT_US {
            break;
        }
        let next = target.sample(row, 1)?;
        if next.gpu_us < shortest.gpu_us || next.wrong > 0 {
            shortest = next;
        }
    }
    Ok(shortest)
}

pub(super) fn method(plan: &Plan, floor_us: f64) -> Method {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::figures::Time;
    use crate::gpu::{Gpu, OpenOptions};
    use crate::lab::LabOptions;
    use crate::record::{COPY_LIMIT, Status};

    fn lab() -> Lab {
        let gpu = Gpu::open(&OpenOptions::default()).unwrap();
        Lab::new(gpu, &LabOptions { repetitions: Some(2), maps_races: true, ..LabOptions::default() })
    }

    /// Adds one to what is seeded: a variant that does nothing, then one that is right.
    fn declare(lab: &mut Lab) {
        let kernel = lab.kernel("lab/increment.comp").build().unwrap();
        let images = lab.output_images("counted", 2, [5, 3], ash::vk::Format::R32_UINT, [99; 4]).unwrap();
        for (name, to) in [("wrong", 0), ("right", 1)] {
            lab.variant(name, move |cmd, rep| {
                let [from, to] = [1 - to, to].map(|index| images.get(rep.index, index));
                cmd.dispatch(kernel, &[from, to], &(), [1, 1, 1]);
            });
        }
        let seed: Vec<u32> = (0..15).collect();
        lab.seed(images, 0, &seed).unwrap();
        lab.expect(images, 1, seed.iter().map(|texel| texel + 1).collect()).unwrap();
        lab.show(images, 1, [5, 3], "the sums", |words| {
            words.iter().map(|w| [u8::try_from(*w).unwrap(); 3]).collect()
        });
    }

    fn measured(lab: &Lab) -> Measured {
        let options = BenchOptions { samples: Some(1), ..BenchOptions::default() };
        measure(lab, &options, &mut |_| ControlFlow::Continue(())).unwrap()
    }

    #[test]
    fn the_picture_is_of_the_first_variant_that_was_right() {
        let mut lab = lab();
        declare(&mut lab);
        let measured = measured(&lab);
        assert!(matches!(measured.rows[0].status, Status::Wrong { elements: 15, .. }), "{measured:?}");
        let painting = measured.painting.unwrap();
        assert_eq!((painting.variant.as_str(), painting.size), ("right", [5, 3]));
        assert_eq!(painting.pixels, (1..=15).map(|sum| [sum; 3]).collect::<Vec<_>>());
        assert!(measured.maps.is_empty(), "the sample's own picture stands for the map of races");
    }

    #[test]
    fn limits_are_sampled_as_long_as_any_variant_and_have_no_ratio() {
        let mut lab = lab();
        declare(&mut lab);
        lab.limits([16, 16], ash::vk::Format::R32_SFLOAT).unwrap();
        lab.variants.retain(|variant| variant.name != "wrong");
        lab.variants[0].moves(120);
        lab.baseline("right");
        let plan = plan(&lab, &[0, 1, 2], &BenchOptions::default());
        assert_eq!(plan.rows.iter().map(|row| row.reference).collect::<Vec<_>>(), [true; 3]);
        let rows = measured(&lab).rows;
        let ratios: Vec<bool> = rows.iter().map(|row| row.to_baseline.is_some()).collect();
        assert_eq!(ratios, [true, false, false]);
        let figures = Figures::new(&rows);
        let [own, part] = [COPY_LIMIT, "right"].map(|name| figures.share_of_limit(name).unwrap().share);
        assert_eq!((own.min, own.max), (1.0, 1.0));
        // 120 bytes, where the copy moves 2 KiB.
        let times =
            figures.us(Time::Isolated, COPY_LIMIT).unwrap() / figures.us(Time::Isolated, "right").unwrap();
        assert!((part.median / times - 120.0 / 2048.0).abs() < 1e-9, "{part:?} of {times}");
    }
}
