//! The measuring engine: which variant is sampled when, and when a row has enough samples.
//!
//! It knows nothing of Vulkan. What it samples stands behind [`Target`]: the device in a run, a
//! script of made-up times in the tests. The unit, the order and the stopping rule are nvbench's
//! and google/benchmark's, for Vulkan: see METHODOLOGY.md.

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
    /// Between the two timestamps, in microseconds; always positive and finite.
    pub gpu_us: f64,
    /// The device's clock while it ran, in MHz; `None` where it is unknown.
    pub mhz: Option<f64>,
    /// CPU time to record the command buffer, in microseconds.
    pub record_us: f64,
    /// CPU time inside `vkQueueSubmit2`, in microseconds.
    pub submit_us: f64,
    /// Checked elements that differ from the CPU reference, over all repetitions.
    pub wrong: u64,
    /// Index of the first of them (repetition 0 first), for the message.
    pub first_wrong: Option<u64>,
    /// The repetitions do not have the same number of them.
    pub uneven: bool,
}

#[cfg(test)]
impl Reading {
    /// A right answer after this time, at no known clock.
    pub fn for_test(gpu_us: f64) -> Self {
        let (record_us, submit_us) = (1.0, 2.0);
        Self { gpu_us, mhz: None, record_us, submit_us, wrong: 0, first_wrong: None, uneven: false }
    }
}

/// Why a sample could not be taken.
#[derive(Debug)]
pub enum Failure {
    /// This variant cannot go on; the others can.
    Variant(String),
    /// The device or the process cannot go on.
    Run(anyhow::Error),
}

/// What is measured.
pub trait Target {
    /// Takes one sample of `repetitions` repetitions of a variant in one submit.
    ///
    /// # Errors
    /// See [`Failure`].
    fn sample(&mut self, variant: usize, repetitions: u32) -> Result<Reading, Failure>;

    /// Time since the run began, on the clock that the budget is counted on.
    fn elapsed(&self) -> Duration;

    /// Lets the device cool down.
    fn pause(&mut self, duration: Duration);
}

/// What to measure and how long.
#[derive(Clone, Debug)]
pub struct Plan {
    /// One entry a variant, in the sample's order.
    pub rows: Vec<RowPlan>,
    /// Repetitions in the long submit of a pair; below 2 no pipelined time is taken.
    pub repetitions: u32,
    /// When a row has enough.
    pub rule: Rule,
    /// When a sample's clock is too low.
    pub least_clock: LeastClock,
    /// All rows together stop after this time.
    pub budget: Duration,
    /// Pairs per row that are taken first and thrown away, at the least.
    pub warm_up: u32,
    /// For how long such pairs are taken, at the least: a device that has slept is slow at first.
    pub warm_up_time: Duration,
    /// Seed of the order; the same seed gives the same order.
    pub seed: u64,
    /// Where a row never has enough, but keeps so many of its newest pairs: for a run that somebody watches.
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
            warm_up: 0,
            warm_up_time: Duration::ZERO,
            seed: 0,
            least_clock: LeastClock(0.75),
            newest: None,
        }
    }
}

/// How one variant is treated.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowPlan {
    /// It is never sampled.
    pub left_out: bool,
    /// How many elements of each repetition must differ from the CPU reference: any other count ends the
    /// row. `None` for a variant that may race.
    pub must_differ: Option<u64>,
    /// Others are divided by this row, so it is sampled as long as any other is.
    pub reference: bool,
    /// A reading from before the run that proves the row wrong: then it is not sampled.
    pub known_wrong: Option<Reading>,
}

impl RowPlan {
    /// The reading of so many repetitions proves the row wrong.
    #[must_use]
    pub fn refuses(&self, reading: &Reading, repetitions: u32) -> bool {
        self.must_differ.is_some_and(|each| reading.wrong != each * u64::from(repetitions) || reading.uneven)
    }
}

/// The two samples of one row in one round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The round, counted from 0; rows that share it were measured next to each other.
    pub round: u32,
    /// One repetition in the submit.
    pub one: Reading,
    /// [`Plan::repetitions`] repetitions in the submit; `None` where no pipelined time is taken.
    pub many: Option<Reading>,
}

/// All that was measured of one variant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Complete pairs, in the order of their rounds.
    pub pairs: Vec<Pair>,
    /// Why sampling ended.
    pub stop: Option<Stop>,
    /// The reading that proved the row wrong, where one did.
    pub wrong: Option<Reading>,
    /// Why the row failed, where it did.
    pub failure: Option<String>,
    /// Submits that were thrown away because the clock was too low.
    pub discarded: usize,
    /// The lowest clock of those, in MHz.
    pub lowest_mhz: Option<f64>,
    /// Samples that every pause left too low, since the last complete pair.
    pub given_up: u32,
    /// What raced in submits whose times are not kept: a race is seen at any clock.
    pub unkept_races: UnkeptRaces,
    /// Pairs that newer ones have replaced and that did not race.
    pub forgotten: usize,
}

/// Elements that differed in submits whose times are not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnkeptRaces {
    /// Submits in which any did.
    pub submits: usize,
    /// The most in a short one.
    pub max: u64,
    /// The most in a long one.
    pub long_max: u64,
}

impl Row {
    fn discard(&mut self, reading: &Reading, repetitions: u32) {
        self.discarded += 1;
        self.lowest_mhz = [self.lowest_mhz, reading.mhz].into_iter().flatten().reduce(f64::min);
        self.note_race(reading, repetitions);
    }

    /// Drops the oldest pairs; a few more than asked stay, so that it is seldom done.
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

    /// Keeps the race of a submit whose time is not kept.
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
    /// The clock that samples were judged by, in MHz, where it is known.
    pub reference_mhz: Option<f64>,
    /// The user asked to stop.
    pub interrupted: bool,
    /// The failure after which nothing more could be measured.
    pub aborted: Option<anyhow::Error>,
}

/// How far a run is, for a progress line, and what there is so far.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'r> {
    /// The row that is sampled next.
    pub row: usize,
    /// The rows so far.
    pub rows: &'r [Row],
    /// Rows that have enough samples.
    pub rows_done: usize,
    /// Rounds completed.
    pub rounds: u32,
    /// Share of the budget, or of a fixed number of samples, that is spent; 0 to 1.
    pub spent: f64,
    /// The clock that samples are judged by, in MHz, where it is known yet.
    pub reference_mhz: Option<f64>,
    /// Time since the run began, on the clock that the budget is counted on.
    pub elapsed: Duration,
}

/// Runs `plan` on `target`: warm-up, then rounds in which every open row is sampled once in random
/// order. `watch` sees each step and ends the run by breaking.
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
    // The last round may have been cut short.
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

/// What a row has got in the round under way: with one repetition, with many.
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

    /// Samples every row that takes part, each with one and with many repetitions, in random order.
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
            // The first round is completed whatever it costs, so that every row has a figure.
            if self.rounds > 0 && self.target.elapsed() >= self.plan.budget {
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

    /// A sample at a clock that counts; none where the device does not reach one after several pauses.
    /// Behind each pause comes a sample that is thrown away: a device that has slept is slow at first.
    fn sample(&mut self, row: usize, repetitions: u32) -> Result<Option<Reading>, Failure> {
        for try_ in 0.. {
            let reading = self.target.sample(row, repetitions)?;
            if !self.clocks.is_too_low(self.plan.least_clock, &reading) {
                return Ok(Some(reading));
            }
            // A wrong answer is one at any clock.
            if self.plan.rows[row].refuses(&reading, repetitions) {
                return Ok(Some(reading));
            }
            self.rows[row].discard(&reading, repetitions);
            let Some(pause) = throttle::pause(try_) else { break };
            if self.target.elapsed() + pause >= self.plan.budget {
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
        // Whoever watches sees a device that cools down again.
        if row.given_up >= throttle::MOST_GIVEN_UP && self.plan.newest.is_none() {
            row.stop = Some(Stop::Throttled);
        }
        Ok(None)
    }

    /// Keeps the complete pairs of a round. The time of a half one (the budget or the run ended in between, or
    /// the other half was given up) says nothing; what raced in it does.
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

    /// Closes the rows that have enough, and all of them when the budget is spent.
    fn judge(&mut self) {
        self.look_back();
        if self.plan.newest.is_some() {
            return;
        }
        let spent = self.target.elapsed() >= self.plan.budget;
        for row in self.open() {
            let (one, many) = &self.meters[row];
            let many = (self.plan.repetitions >= 2).then_some(many);
            self.rows[row].stop = self.plan.rule.verdict(one, many, spent);
        }
    }

    /// Where the clock has shown that it can be faster, throws away what was kept at a slower one, and opens
    /// the rows anew that had enough with it.
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

    /// Rows that still need samples.
    fn open(&self) -> Vec<usize> {
        (0..self.rows.len()).filter(|&row| self.alive(row) && self.rows[row].stop.is_none()).collect()
    }

    /// Open rows, and the references as long as there are any.
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

    /// Of the budget, or of the samples that were asked for: whichever is nearer to its end.
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
