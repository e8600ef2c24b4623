//! The samples before any round: whether a variant runs at all, and how long its submits take.

use std::ops::ControlFlow;

use anyhow::{Result, ensure};
use record::error::one_line;

use super::Run;
use super::plan::LONGEST_SUBMIT_US;
use super::step::{Phase, Step};
use crate::measure::{Failure, Pair, Reading, Target};

/// Samples that a GPU is given to raise its clock before N is made smaller.
const MOST_SETTLING: u32 = 8;

impl Run<'_, '_, '_> {
    /// Takes a first sample of each variant and proves the device's counter against the CPU with it;
    /// from a second one, with warm pipelines, shortens the long submit where it would take too long.
    pub(super) fn probe(&mut self) -> Result<ControlFlow<()>> {
        // A driver that crashes does so at a variant's first sample, before any round: what others took here
        // is all that there is then.
        let mut longest: f64 = 0.0;
        for row in 0..self.first.len() {
            if self.plan.rows[row].left_out {
                continue;
            }
            if self.is_stopped_at(row) {
                return Ok(ControlFlow::Break(()));
            }
            let sampled = self.first_sample(row).and_then(|()| self.settled(row));
            match sampled {
                Ok(reading) => {
                    longest = longest.max(reading.gpu_us);
                    self.first[row].pairs = vec![Pair { round: 0, one: reading, many: None }];
                }
                Err(Failure::Variant(_)) => {}
                Err(Failure::Run(error)) => {
                    self.first[row].failure = Some(one_line(&error));
                    return Err(error);
                }
            }
        }
        let fitting = (LONGEST_SUBMIT_US / longest.max(1.0)).min(f64::from(self.plan.repetitions));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive and bounded by the repetitions"
        )]
        let fitting = fitting as u32;
        self.plan.repetitions = fitting.max(1);
        self.method.repetitions = self.plan.repetitions;
        Ok(ControlFlow::Continue(()))
    }

    fn is_stopped_at(&mut self, row: usize) -> bool {
        let profiler = self.target.session.profiler();
        let so_far = || self.told.so_far(&self.first, self.method.clone(), &self.plan, profiler);
        let (phase, variant) = (Phase::Probing, &self.told.lab.variants[row].name);
        let elapsed = self.target.elapsed();
        (self.watch)(&Step { phase, variant, rows_done: 0, rounds: 0, spent: 0.0, elapsed, so_far: &so_far })
            .is_break()
    }

    fn first_sample(&mut self, row: usize) -> Result<(), Failure> {
        let reading = self.target.sample(row, 1)?;
        self.trust(row, &reading).map_err(Failure::Run)?;
        self.note_wrong(row, reading);
        Ok(())
    }

    /// Holds what the device counted against what the CPU counts in the same images.
    fn trust(&mut self, row: usize, reading: &Reading) -> Result<()> {
        let on_cpu = self.target.session.count_on_cpu(row, 1)?;
        ensure!(
            on_cpu == reading.wrong,
            "the device counted {} wrong elements in {}, the CPU {on_cpu} in the same images: the check \
             itself is not to be trusted here",
            reading.wrong,
            self.told.lab.variants[row].name
        );
        Ok(())
    }

    /// A sample with warm pipelines; where it says that the long submit would take too long, the shortest of
    /// several: a GPU that has waited for the CPU runs at a fraction of its clock at first (an H200 at a quarter).
    fn settled(&mut self, row: usize) -> Result<Reading, Failure> {
        let mut shortest = self.target.sample(row, 1)?;
        for _ in 0..MOST_SETTLING {
            let long_us = shortest.gpu_us * f64::from(self.plan.repetitions);
            if shortest.wrong > 0 || long_us <= LONGEST_SUBMIT_US {
                break;
            }
            let next = self.target.sample(row, 1)?;
            if next.gpu_us < shortest.gpu_us || next.wrong > 0 {
                shortest = next;
            }
        }
        self.note_wrong(row, shortest);
        Ok(shortest)
    }

    fn note_wrong(&mut self, row: usize, reading: Reading) {
        let wrong = self.plan.rows[row].refuses(&reading, 1).then_some(reading);
        let known = self.plan.rows[row].known_wrong.or(wrong);
        self.plan.rows[row].known_wrong = known;
        self.first[row].wrong = known;
    }
}
