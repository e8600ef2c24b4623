//! What timestamps and the notes of waves tell.

use anyhow::{Context, Result, ensure};
use common::{Counter, Stage};
use samples::noted::{Note, SLACK_US, Window};

use crate::WORKGROUPS;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lands {
    /// From a timestamp to the first wave of the work behind it.
    Before,
    /// From the last wave of the work before it to a timestamp.
    Behind,
    /// The same behind a barrier.
    Barrier,
    /// The same between two dispatches that could overlap.
    Between,
    /// From the first wave of one dispatch to that of another, which could overlap.
    Second,
    /// From the last wave of one dispatch to the first of the next, with a barrier between.
    Gap,
}

impl Lands {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 6] =
        [Self::Before, Self::Behind, Self::Barrier, Self::Between, Self::Second, Self::Gap];

    /// The begin of variants' names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Behind => "behind",
            Self::Barrier => "barrier",
            Self::Between => "between",
            Self::Second => "second",
            Self::Gap => "gap",
        }
    }

    /// How many dispatches there are.
    pub const fn dispatches(self) -> u32 {
        if matches!(self, Self::Before | Self::Behind) { 1 } else { 2 }
    }

    /// Whether it is a time between waves, so that there is one without a timestamp too.
    pub const fn is_of_waves(self) -> bool {
        matches!(self, Self::Second | Self::Gap)
    }

    /// The time in µs. `stamps`: that of the window's begin, that of the variant if it writes one, and that of the window's end.
    /// `clock` is that of timestamps. `None` if waves have another: then they do not lie within the window.
    ///
    /// # Errors
    /// Notes that no right kernel leaves; no timestamp; a timestamp before the work that it has to wait for.
    pub fn figure(self, clock: Counter, stage: Stage, words: &[u32], stamps: &[u64]) -> Result<Option<f64>> {
        let notes = Note::all(words)?;
        let noted: Vec<u64> = notes.iter().flat_map(|note| [note.began, note.ended]).collect();
        let Some(window) = Window::around(clock, stamps, &noted)? else { return Ok(None) };
        let (first, second) = notes.split_at(WORKGROUPS as usize);
        let begin =
            |notes: &[Note]| notes.iter().map(|note| window.us(note.began)).fold(f64::INFINITY, f64::min);
        let last =
            |notes: &[Note]| notes.iter().map(|note| window.us(note.ended)).fold(f64::NEG_INFINITY, f64::max);
        let own = &stamps[1..stamps.len() - 1];
        let stamp = || Ok::<f64, anyhow::Error>(window.us(*own.first().context("there is no timestamp")?));
        Ok(Some(match self {
            Self::Before => begin(first) - stamp()?,
            Self::Behind | Self::Barrier | Self::Between => {
                let after = stamp()? - last(first);
                ensure!(
                    after >= -SLACK_US || !WAIT_FOR_COMPUTE.contains(&stage),
                    "the timestamp is {:.1} µs before the end of the work that it has to wait for",
                    -after
                );
                after
            }
            Self::Second => begin(second) - begin(first),
            Self::Gap => begin(second) - last(first),
        }))
    }
}

/// Stages whose timestamps wait for compute shaders before them, by the specification.
const WAIT_FOR_COMPUTE: [Stage; 3] = [Stage::COMPUTE_SHADER, Stage::BOTTOM_OF_PIPE, Stage::ALL_COMMANDS];

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Counter = Counter { bits: 64, tick_ns: 10.0 };

    /// The notes of workgroups that begin and end at these ticks.
    fn words(dispatches: &[[u32; 2]]) -> Vec<u32> {
        dispatches
            .iter()
            .flat_map(|[began, ended]| [*began, 0, *ended, 0].repeat(WORKGROUPS as usize))
            .collect()
    }

    fn figure(lands: Lands, dispatches: &[[u32; 2]], stamps: &[u64]) -> Option<f64> {
        lands.figure(CLOCK, Stage::COPY, &words(dispatches), stamps).unwrap()
    }

    #[test]
    fn each_figure_is_a_time_between_waves_and_timestamps() {
        let (first, second) = ([200, 1200], [400, 1400]);
        assert_eq!(figure(Lands::Before, &[first], &[100, 150, 2000]), Some(0.5));
        assert_eq!(figure(Lands::Behind, &[first], &[100, 1300, 2000]), Some(1.0));
        assert_eq!(figure(Lands::Behind, &[first], &[100, 210, 2000]), Some(-9.9), "before the end");
        for lands in [Lands::Barrier, Lands::Between] {
            assert_eq!(figure(lands, &[first, second], &[100, 1300, 2000]), Some(1.0));
        }
        assert_eq!(figure(Lands::Second, &[first, second], &[100, 2000]), Some(2.0));
        assert_eq!(figure(Lands::Gap, &[first, [1500, 1600]], &[100, 1300, 2000]), Some(3.0));
        assert_eq!(figure(Lands::Gap, &[first, second], &[100, 2000]), Some(-8.0), "they overlap");
    }

    #[test]
    fn clocks_may_wrap_and_have_fewer_bits() {
        let wraps = 7 << 32;
        let stamps = [wraps - 100, wraps + 190, wraps + 500];
        assert_eq!(
            figure(Lands::Behind, &[[u32::MAX - 9, 90]], &stamps),
            Some(1.0),
            "the waves' clock has one word"
        );
        let short = Counter { bits: 36, ..CLOCK };
        let long: Vec<u32> = [200, 1 << 5, 1200, 0].repeat(WORKGROUPS as usize);
        let lands = |clock| Lands::Behind.figure(clock, Stage::COPY, &long, &[100, 1300, 2000]).unwrap();
        assert_eq!((lands(short), lands(CLOCK)), (Some(1.0), None));
    }

    #[test]
    fn of_another_clock_nothing_is_told() {
        assert_eq!(figure(Lands::Before, &[[200, 1200]], &[500, 550, 2000]), None);
        assert_eq!(figure(Lands::Before, &[[200, 1200]], &[100, 150, 900]), None);
    }

    #[test]
    fn what_no_right_run_leaves_is_an_error() {
        let words = words(&[[200, 1200]]);
        let fails = |lands: Lands, words: &[u32], stage, stamps: &[u64]| {
            lands.figure(CLOCK, stage, words, stamps).is_err()
        };
        assert!(fails(Lands::Before, &words, Stage::NONE, &[100, 2000]), "no timestamp of its own");
        assert!(fails(Lands::Before, &words, Stage::NONE, &[]));
        assert!(fails(Lands::Before, &[0xFFFF_DEAD; 4], Stage::NONE, &[100, 150, 2000]));
        let early = [100, 900, 2000];
        assert!(fails(Lands::Behind, &words, Stage::COMPUTE_SHADER, &early));
        assert!(!fails(Lands::Behind, &words, Stage::COPY, &early), "a copy does not wait for it");
    }
}
