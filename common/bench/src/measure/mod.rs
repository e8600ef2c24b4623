//! The measuring engine decides which variant is sampled when, and when a row has enough samples.
//!
//! It does not depend on Vulkan. It samples a [`Target`]: the device in a run, a script of made-up times in the
//! tests. Unit, order and stopping rule follow nvbench and google/benchmark, adapted to Vulkan: see METHODOLOGY.md.

#[cfg(test)]
mod scripted;
mod throttle;

pub use throttle::LeastClock;

use std::ops::ControlFlow;
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use record::{Meter, Rule, Stop};

/// One sample: one command buffer, one submit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// GPU time between the two timestamps, in microseconds; always positive and finite. Of what times itself, its own time.
    pub gpu_us: f64,
    /// GPU time between the two timestamps.
    pub window_us: f64,
    /// A figure that the kernels tell, and that is no time.
    pub metric: Option<f64>,
    /// The device's clock during the sample, in MHz; `None` if unknown.
    pub mhz: Option<f64>,
    /// CPU time to record the command buffer, in microseconds.
    pub record_us: f64,
    /// CPU time inside `vkQueueSubmit2`, in microseconds.
    pub submit_us: f64,
    /// Checked elements that differ from the CPU reference, over all repetitions.
    pub wrong: u64,
    /// Index of the first wrong element, for messages; repetition 0 comes first.
    pub first_wrong: Option<u64>,
    /// Whether the number of wrong elements differs between repetitions.
    pub uneven: bool,
}

#[cfg(test)]
impl Reading {
    /// A correct reading with this time and an unknown clock.
    pub fn for_test(gpu_us: f64) -> Self {
        let (record_us, submit_us) = (1.0, 2.0);
        Self {
            gpu_us,
            window_us: gpu_us,
            metric: None,
            mhz: None,
            record_us,
            submit_us,
            wrong: 0,
            first_wrong: None,
            uneven: false,
        }
    }
}

/// Why a sample could not be taken.
#[derive(Debug)]
pub enum Failure {
    /// This variant cannot be sampled any more; the others can.
    Variant(String),
    /// Nothing more can be sampled on this device or by this process.
    Run(anyhow::Error),
}

/// What is measured.
pub trait Target {
    /// Takes one sample of `repetitions` repetitions of a variant in one submit.
    ///
    /// # Errors
    /// See [`Failure`].
    fn sample(&mut self, variant: usize, repetitions: u32) -> Result<Reading, Failure>;

    /// Time since the run began, on the clock of the budget.
    fn elapsed(&self) -> Duration;

    /// Lets the device cool down.
    fn pause(&mut self, duration: Duration);
}

/// What to measure, and for how long.
#[derive(Clone, Debug)]
pub struct Plan {
    /// One entry per variant, in the sample's order.
    pub rows: Vec<RowPlan>,
    /// Repetitions in the long submit of a pair; below 2, no back-to-back time is measured.
    pub repetitions: u32,
    /// When a row has enough samples.
    pub rule: Rule,
    /// The clock below which a sample is discarded.
    pub least_clock: LeastClock,
    /// Time limit of all rows together.
    pub budget: Duration,
    /// The limit is so many budgets while a row has fewer samples than [`Rule::min_samples`].
    pub patience: u32,
    /// Minimum number of warm-up pairs per row, which are discarded.
    pub warm_up: u32,
    /// Minimum time of the warm-up: an idle device is slow at first.
    pub warm_up_time: Duration,
    /// Seed of the random order; the same seed gives the same order.
    pub seed: u64,
    /// For a run that a user watches: sample without end, and keep this many of the newest pairs per row.
    pub newest: Option<usize>,
}

#[cfg(test)]
impl Plan {
    /// A plan without rows.
    pub fn for_test() -> Self {
        let budget = Duration::from_secs(1);
        Self {
            rows: Vec::new(),
            repetitions: 1,
            rule: Rule::default(),
            budget,
            patience: 1,
            warm_up: 0,
            warm_up_time: Duration::ZERO,
            seed: 0,
            least_clock: LeastClock(0.75),
            newest: None,
        }
    }
}

/// How to treat one variant.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowPlan {
    /// Whether the variant is never sampled.
    pub left_out: bool,
    /// How many elements of each repetition must differ from the CPU reference; any other count ends the row.
    /// `None` for a variant that may race.
    pub must_differ: Option<u64>,
    /// Whether ratios refer to this row. A reference is sampled as long as any other row is.
    pub reference: bool,
    /// A reading from before the run that proves the row wrong; the row is then not sampled.
    pub known_wrong: Option<Reading>,
}

impl RowPlan {
    /// Whether a reading of this many repetitions proves the row wrong.
    #[must_use]
    pub fn refuses(&self, reading: &Reading, repetitions: u32) -> bool {
        self.must_differ.is_some_and(|each| reading.wrong != each * u64::from(repetitions) || reading.uneven)
    }
}

/// The two samples of one row in one round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The round, counted from 0. Pairs of the same round were measured next to each other.
    pub round: u32,
    /// One repetition in the submit.
    pub one: Reading,
    /// [`Plan::repetitions`] repetitions in the submit; `None` if no back-to-back time is measured.
    pub many: Option<Reading>,
}

/// The measurements of one variant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Complete pairs, in the order of their rounds.
    pub pairs: Vec<Pair>,
    /// Why sampling ended.
    pub stop: Option<Stop>,
    /// The reading that proved the row wrong, if any.
    pub wrong: Option<Reading>,
    /// Why the row failed, if it did.
    pub failure: Option<String>,
    /// Submits that were discarded because the clock was too low.
    pub discarded: usize,
    /// The lowest clock of the discarded submits, in MHz.
    pub lowest_mhz: Option<f64>,
    /// Samples since the last complete pair whose clock stayed too low after every pause.
    pub given_up: u32,
    /// Races in submits whose times were discarded: a race counts at any clock.
    pub unkept_races: UnkeptRaces,
    /// Pairs without a race that newer pairs have replaced.
    pub forgotten: usize,
}

/// Races in submits whose times were discarded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnkeptRaces {
    /// Number of submits with wrong elements.
    pub submits: usize,
    /// Most wrong elements in a short submit.
    pub max: u64,
    /// Most wrong elements in a long submit.
    pub long_max: u64,
}

impl Row {
    fn discard(&mut self, reading: &Reading, repetitions: u32) {
        self.discarded += 1;
        self.lowest_mhz = [self.lowest_mhz, reading.mhz].into_iter().flatten().reduce(f64::min);
        self.note_race(reading, repetitions);
    }

    /// Drops the oldest pairs. Keeps up to an eighth more than `newest`, so that pairs are seldom moved.
    fn forget_all_but(&mut self, newest: usize) {
        if self.pairs.len() <= newest + newest / 8 {
            return;
        }
        let older: Vec<Pair> = self.pairs.drain(..self.pairs.len() - newest).collect();
        for Pair { one, many, .. } in older {
            let long = many.map_or(0, |many| many.wrong);
            if one.wrong + long == 0 {
                self.forgotten += 1;
                continue;
            }
            let races = &mut self.unkept_races;
            races.submits += 1;
            races.max = races.max.max(one.wrong);
            races.long_max = races.long_max.max(long);
        }
    }

    /// Counts the race of a submit whose time is discarded.
    fn note_race(&mut self, reading: &Reading, repetitions: u32) {
        if reading.wrong == 0 {
            return;
        }
        let races = &mut self.unkept_races;
        races.submits += 1;
        let most = if repetitions == 1 { &mut races.max } else { &mut races.long_max };
        *most = reading.wrong.max(*most);
    }
}

/// Rows in the sample's order, and what ended the run early.
#[derive(Debug, Default)]
pub struct Outcome {
    /// One per variant.
    pub rows: Vec<Row>,
    /// The reference clock that samples were compared with, in MHz; `None` if unknown.
    pub reference_mhz: Option<f64>,
    /// Whether the user interrupted the run.
    pub interrupted: bool,
    /// The failure after which nothing more could be measured.
    pub aborted: Option<anyhow::Error>,
}

/// Progress of a run, and the measurements so far.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'r> {
    /// The row to be sampled next.
    pub row: usize,
    /// The rows so far.
    pub rows: &'r [Row],
    /// Rows that have enough samples.
    pub rows_done: usize,
    /// Rounds completed.
    pub rounds: u32,
    /// Spent share of the budget, or of the fixed number of samples; 0 to 1.
    pub spent: f64,
    /// The reference clock that samples are compared with, in MHz; `None` while it is unknown.
    pub reference_mhz: Option<f64>,
    /// Time since the run began, on the clock of the budget.
    pub elapsed: Duration,
}

/// Runs `plan` on `target`: a warm-up, then rounds in which every open row is sampled once, in random order.
/// `watch` is called before each step and can end the run.
pub fn run(
    plan: &Plan,
    target: &mut dyn Target,
    watch: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Outcome {
    let mut run = Run {
        plan,
        target,
        watch,
        clocks: throttle::Clocks::default(),
        rng: Pcg64::seed_from_u64(plan.seed),
        rows: plan.rows.iter().map(|row| Row { wrong: row.known_wrong, ..Row::default() }).collect(),
        meters: vec![(Meter::default(), Meter::default()); plan.rows.len()],
        rounds: 0,
    };
    let ended = run.all_rounds();
    // The last round may have been cut short before its check.
    run.look_back();
    let reference_mhz = run.clocks.reference();
    let mut outcome = Outcome { rows: run.rows, reference_mhz, ..Outcome::default() };
    match ended {
        Ok(()) => {}
        Err(Ended::Interrupted) => outcome.interrupted = true,
        Err(Ended::Aborted(error)) => outcome.aborted = Some(error),
    }
    for row in &mut outcome.rows {
        if row.stop.is_none() && row.failure.is_none() && row.wrong.is_none() {
            row.stop = Some(Stop::Interrupted);
        }
    }
    outcome
}

/// The readings of a row in the current round: one repetition, many repetitions.
type Taken = (Option<Reading>, Option<Reading>);

enum Ended {
    Interrupted,
    Aborted(anyhow::Error),
}

struct Run<'a> {
    plan: &'a Plan,
    target: &'a mut dyn Target,
    watch: &'a mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
    clocks: throttle::Clocks,
    rng: Pcg64,
    rows: Vec<Row>,
    /// Per row: one repetition, many repetitions.
    meters: Vec<(Meter, Meter)>,
    rounds: u32,
}

impl Run<'_> {
    fn all_rounds(&mut self) -> Result<(), Ended> {
        self.warm_up()?;
        loop {
            self.round(false)?;
            self.rounds += 1;
            self.judge();
            if self.open().is_empty() {
                return Ok(());
            }
        }
    }

    fn warm_up(&mut self) -> Result<(), Ended> {
        let began = self.target.elapsed();
        let mut rounds = 0;
        let is_cold = |rounds: u32, elapsed: Duration| {
            rounds < self.plan.warm_up || elapsed.saturating_sub(began) < self.plan.warm_up_time
        };
        while is_cold(rounds, self.target.elapsed())
            && self.target.elapsed() < self.plan.budget
            && !self.open().is_empty()
        {
            self.round(true)?;
            rounds += 1;
        }
        Ok(())
    }

    /// Samples every participating row with one and with many repetitions, in random order.
    fn round(&mut self, warm_up: bool) -> Result<(), Ended> {
        let counts: &[u32] = if self.plan.repetitions < 2 { &[1] } else { &[1, self.plan.repetitions] };
        let mut jobs: Vec<(usize, u32)> =
            self.taking_part().into_iter().flat_map(|row| counts.iter().map(move |&n| (row, n))).collect();
        jobs.shuffle(&mut self.rng);
        let mut taken = vec![(None, None); self.rows.len()];
        let ended = self.sample_all(jobs, &mut taken);
        if !warm_up {
            self.keep(&taken);
        }
        ended
    }

    fn sample_all(&mut self, jobs: Vec<(usize, u32)>, taken: &mut [Taken]) -> Result<(), Ended> {
        for (row, repetitions) in jobs {
            self.step(row)?;
            // The first round is completed even beyond the budget, so that every row has a measurement.
            if self.rounds > 0 && self.target.elapsed() >= self.limit() {
                break;
            }
            if !self.alive(row) {
                continue;
            }
            match self.sample(row, repetitions) {
                Ok(None) => {}
                Ok(Some(reading)) if self.plan.rows[row].refuses(&reading, repetitions) => {
                    self.rows[row].wrong = Some(reading);
                }
                Ok(Some(reading)) if repetitions == 1 => taken[row].0 = Some(reading),
                Ok(Some(reading)) => taken[row].1 = Some(reading),
                Err(Failure::Variant(reason)) => self.rows[row].failure = Some(reason),
                Err(Failure::Run(error)) => return Err(Ended::Aborted(error)),
            }
        }
        Ok(())
    }

    /// Takes a sample at a sufficient clock; `None` if the device does not reach it after several pauses. The
    /// sample after each pause is discarded: an idle device is slow at first.
    fn sample(&mut self, row: usize, repetitions: u32) -> Result<Option<Reading>, Failure> {
        for try_ in 0.. {
            let reading = self.target.sample(row, repetitions)?;
            if !self.clocks.is_too_low(self.plan.least_clock, &reading) {
                return Ok(Some(reading));
            }
            // A wrong result counts at any clock.
            if self.plan.rows[row].refuses(&reading, repetitions) {
                return Ok(Some(reading));
            }
            self.rows[row].discard(&reading, repetitions);
            let Some(pause) = throttle::pause(try_) else { break };
            if self.target.elapsed() + pause >= self.limit() {
                break;
            }
            self.target.pause(pause);
            let waking = self.target.sample(row, repetitions)?;
            if self.plan.rows[row].refuses(&waking, repetitions) {
                return Ok(Some(waking));
            }
            self.rows[row].note_race(&waking, repetitions);
        }
        let row = &mut self.rows[row];
        row.given_up += 1;
        // A watched run goes on, because the device may cool down later.
        if row.given_up >= throttle::MOST_GIVEN_UP && self.plan.newest.is_none() {
            row.stop = Some(Stop::Throttled);
        }
        Ok(None)
    }

    /// Keeps the complete pairs of a round. If only one half was taken, because the run ended or the other half was
    /// given up, its time is discarded and its races are counted.
    fn keep(&mut self, taken: &[Taken]) {
        for (row, &(one, many)) in taken.iter().enumerate() {
            let (Some(one), true) = (one, many.is_some() || self.plan.repetitions < 2) else {
                one.iter().for_each(|one| self.rows[row].note_race(one, 1));
                many.iter().for_each(|many| self.rows[row].note_race(many, self.plan.repetitions));
                continue;
            };
            self.rows[row].given_up = 0;
            self.rows[row].pairs.push(Pair { round: self.rounds, one, many });
            if let Some(newest) = self.plan.newest {
                self.rows[row].forget_all_but(newest);
                continue;
            }
            self.meters[row].0.add(one.gpu_us);
            if let Some(many) = many {
                self.meters[row].1.add(many.gpu_us);
            }
        }
    }

    /// Closes the rows that have enough samples, or all rows if the budget is spent.
    fn judge(&mut self) {
        self.look_back();
        if self.plan.newest.is_some() {
            return;
        }
        let spent = self.target.elapsed() >= self.limit();
        for row in self.open() {
            let (one, many) = &self.meters[row];
            let many = (self.plan.repetitions >= 2).then_some(many);
            self.rows[row].stop = self.plan.rule.verdict(one, many, spent);
        }
    }

    /// If the reference clock has risen, discards the pairs at too low a clock and reopens the rows that lost
    /// pairs.
    fn look_back(&mut self) {
        if !self.clocks.has_risen() {
            return;
        }
        let reference = self.clocks.reference();
        for (row, meters) in self.rows.iter_mut().zip(&mut self.meters) {
            if self.plan.least_clock.look_back(row, reference, self.plan.repetitions) {
                *meters = (Meter::default(), Meter::default());
                for pair in &row.pairs {
                    meters.0.add(pair.one.gpu_us);
                    pair.many.iter().for_each(|many| meters.1.add(many.gpu_us));
                }
                row.stop = row.stop.take().filter(|stop| *stop == Stop::Throttled);
            }
        }
    }

    /// The time that the rows may take as things stand.
    fn limit(&self) -> Duration {
        let is_short = |&row: &usize| self.rows[row].pairs.len() < self.plan.rule.min_samples;
        self.plan.budget.saturating_mul(if self.open().iter().any(is_short) { self.plan.patience } else { 1 })
    }

    /// Rows that still need samples.
    fn open(&self) -> Vec<usize> {
        (0..self.rows.len()).filter(|&row| self.alive(row) && self.rows[row].stop.is_none()).collect()
    }

    /// The open rows, and the references while any row is open.
    fn taking_part(&self) -> Vec<usize> {
        (0..self.rows.len())
            .filter(|&row| {
                self.alive(row) && (self.rows[row].stop.is_none() || self.plan.rows[row].reference)
            })
            .collect()
    }

    fn alive(&self, at: usize) -> bool {
        let row = &self.rows[at];
        let is_out = self.plan.rows[at].left_out || row.failure.is_some() || row.wrong.is_some();
        !is_out && row.stop != Some(Stop::Throttled)
    }

    /// The spent share of the budget or of the requested samples, whichever is larger.
    fn spent(&self) -> f64 {
        let time = self.target.elapsed().as_secs_f64() / self.plan.budget.as_secs_f64().max(1e-9);
        #[expect(clippy::cast_precision_loss, reason = "a count of samples fits 52 bits")]
        let samples = self.plan.rule.fixed.map_or(0.0, |n| f64::from(self.rounds) / n as f64);
        time.max(samples).min(1.0)
    }

    fn step(&mut self, row: usize) -> Result<(), Ended> {
        let (reference_mhz, elapsed) = (self.clocks.reference(), self.target.elapsed());
        let progress = Progress {
            reference_mhz,
            elapsed,
            row,
            rows: &self.rows,
            rows_done: self.plan.rows.iter().filter(|row| !row.left_out).count() - self.open().len(),
            rounds: self.rounds,
            spent: self.spent(),
        };
        match (self.watch)(progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Ended::Interrupted),
        }
    }
}
