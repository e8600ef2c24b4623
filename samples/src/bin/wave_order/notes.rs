//! Figures of what the waves note.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use samples::noted::Note;

use crate::reference::is_short;

// What a workgroup that fills the device was.
pub const LATE: u32 = 1;
pub const SHORT: u32 = 2;
pub const LONG: u32 = 3;

/// The most workgroups, in parts of all, that may begin in the same tick of the clock.
const MOST_IN_A_TICK: usize = 10;

/// How many places from their turn 95 % of the workgroups begin at most. `turn` is that of a workgroup. Those that begin in the same
/// tick are taken in their turns; `None` if these are too many.
pub fn places_out_of_turn(notes: &[Note], turn: impl Fn(usize) -> usize) -> Option<f64> {
    let mut begun: Vec<usize> = (0..notes.len()).collect();
    begun.sort_by_key(|&group| (notes[group].began, turn(group)));
    let ticks = begun.chunk_by(|&a, &b| notes[a].began == notes[b].began);
    let most = ticks.map(<[usize]>::len).max()?;
    if most * MOST_IN_A_TICK > notes.len() {
        return None;
    }
    let mut places: Vec<usize> =
        begun.iter().enumerate().map(|(place, &group)| place.abs_diff(turn(group))).collect();
    places.sort_unstable();
    Some(count(places[places.len() * 95 / 100]))
}

/// How many multiprocessors run at least one of the first workgroups, if these are as many as there are multiprocessors. In %.
pub fn spread(notes: &[Note]) -> Option<f64> {
    let all = several(notes)?;
    Some(100.0 * count(multiprocessors(&notes[..all])) / count(all))
}

/// How many workgroups run on the multiprocessor of the one before, in %.
pub fn neighbours(notes: &[Note]) -> Option<f64> {
    several(notes)?;
    let same = notes.windows(2).filter(|pair| pair[0].word == pair[1].word).count();
    Some(100.0 * count(same) / count(notes.len() - 1))
}

fn multiprocessors(notes: &[Note]) -> usize {
    notes.iter().map(|note| note.word).collect::<BTreeSet<_>>().len()
}

/// How many multiprocessors there are, if there are several.
fn several(notes: &[Note]) -> Option<usize> {
    Some(multiprocessors(notes)).filter(|count| *count > 1)
}

/// By how much the older half of the waves ends before the younger half, on average and in % of the time of all. `None` if waves are not
/// of so many `invocations`.
pub fn lead_of_older(notes: &[Note], invocations: u32) -> Option<f64> {
    if notes.iter().any(|note| note.word != invocations) {
        return None;
    }
    let began = notes.iter().map(|note| note.began).min().unwrap_or_default();
    let ends: Vec<f64> = notes.iter().map(|note| ticks(note.ended - began)).collect();
    let (older, younger) = ends.split_at(ends.len() / 2);
    let mean = |ends: &[f64]| ends.iter().sum::<f64>() / count(ends.len());
    Some(100.0 * (mean(younger) - mean(older)) / ends.iter().copied().fold(0.0, f64::max))
}

/// How much of the shared memory that short workgroups of a first dispatch free is taken by those of a second one, in %. `first` of the
/// notes are of the first dispatch; one of the second takes `times` as much as one of the first. `None` if the device was not full, or
/// if the second dispatch began too late to tell.
///
/// # Errors
/// Notes that no right kernel leaves.
pub fn filled(notes: &[Note], first: usize, times: u32) -> Result<Option<f64>> {
    let (first, second) = notes.split_at(first);
    let of = |notes: &[Note], kind: u32| notes.iter().filter(|note| note.word == kind).count();
    let known = [LATE, SHORT, LONG].into_iter().map(|kind| of(notes, kind)).sum::<usize>();
    ensure!(known == notes.len(), "{} notes are of no kind of workgroup", notes.len() - known);
    let (short, long) = (of(first, SHORT), of(second, LONG));
    ensure!(of(second, SHORT) == 0, "workgroups of the second dispatch ended early");
    let must = (0u32..).zip(first).filter(|(_, note)| note.word != LATE);
    let other = must.filter(|(group, note)| is_short(*group) != (note.word == SHORT)).count();
    ensure!(other == 0, "{other} workgroups of the first dispatch ended early, or late, that should not");
    let is_full = of(first, LATE) > 0 && of(second, LATE) > 0 && short > 0;
    let freed = first.iter().filter(|note| note.word == LONG).map(|note| note.ended).min();
    let begun = second.iter().filter(|note| note.word == LONG).map(|note| note.began).max();
    let in_time = freed.zip(begun).is_some_and(|(freed, begun)| begun < freed);
    Ok((is_full && in_time).then(|| 100.0 * count(long) * f64::from(times) / count(short)))
}

#[expect(clippy::cast_precision_loss, reason = "below 2^52")]
const fn count(number: usize) -> f64 {
    number as f64
}

#[expect(clippy::cast_precision_loss, reason = "below 2^52")]
const fn ticks(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(began: &[u64], words: &[u32]) -> Vec<Note> {
        began.iter().zip(words).map(|(&began, &word)| Note { began, ended: began + 10, word }).collect()
    }

    #[test]
    fn one_in_twenty_may_begin_anywhere() {
        let mut began: Vec<u64> = (0..40).collect();
        let words = vec![0; 40];
        assert_eq!(places_out_of_turn(&notes(&began, &words), |group| group), Some(0.0));
        assert_eq!(places_out_of_turn(&notes(&began, &words), |group| 39 - group), Some(39.0));
        // One of 40 begins last; each behind it begins a place early.
        began[0] = 99;
        assert_eq!(places_out_of_turn(&notes(&began, &words), |group| group), Some(1.0));
        // Two of each tick begin in their turns.
        let two: Vec<u64> = (0..40).map(|group| group / 2).collect();
        assert_eq!(places_out_of_turn(&notes(&two, &words), |group| group ^ 1), Some(0.0));
        assert_eq!(places_out_of_turn(&notes(&[4; 40], &words), |group| group), None);
    }

    #[test]
    fn multiprocessors_are_counted_where_workgroups_run() {
        let round_robin = notes(&[0; 6], &[4, 2, 9, 4, 2, 9]);
        assert_eq!((spread(&round_robin), neighbours(&round_robin)), (Some(100.0), Some(0.0)));
        let one_full_after_another = notes(&[0; 6], &[4, 4, 4, 2, 2, 2]);
        assert_eq!(
            (spread(&one_full_after_another), neighbours(&one_full_after_another)),
            (Some(50.0), Some(80.0))
        );
        assert_eq!((spread(&notes(&[0; 2], &[3, 3])), neighbours(&notes(&[0; 2], &[3, 3]))), (None, None));
    }

    #[test]
    fn the_oldest_first_is_a_lead_of_half_the_time() {
        let ends = |ends: &[u64]| -> Vec<Note> {
            ends.iter().map(|&ended| Note { began: 100, ended: 100 + ended, word: 32 }).collect()
        };
        assert_eq!(lead_of_older(&ends(&[50, 50, 100, 100]), 32), Some(50.0));
        assert_eq!(lead_of_older(&ends(&[100; 4]), 32), Some(0.0));
        assert_eq!(lead_of_older(&ends(&[100, 50]), 32), Some(-50.0));
        assert_eq!(lead_of_older(&ends(&[100, 50]), 16), None, "the halves are no waves");
    }

    /// Notes of `[began, ended, word]`; the first four are of the first dispatch, of which 1 and 2 are short.
    fn two_dispatches(second: &[[u64; 3]]) -> Vec<Note> {
        let kind = |group: u32| if is_short(group) { SHORT } else { LONG };
        let first = (0..4).map(|group| [0, if is_short(group) { 20 } else { 200 }, kind(group).into()]);
        let late = [[21, 22, LATE.into()]];
        let all = first.chain(late).chain(second.iter().copied());
        all.map(|[began, ended, word]| Note { began, ended, word: u32::try_from(word).unwrap() }).collect()
    }

    #[test]
    fn gaps_are_filled_while_the_long_ones_stay() {
        let [late, long] = [LATE, LONG].map(u64::from);
        let short = (0..4).filter(|group| is_short(*group)).count();
        assert_eq!(short, 2);
        let of = |second: &[[u64; 3]]| filled(&two_dispatches(second), 5, 2).unwrap();
        assert_eq!(of(&[[30, 60, long], [60, 61, late]]), Some(100.0));
        assert_eq!(of(&[[30, 60, long], [30, 60, long]]), None, "there were too few to fill the device");
        assert_eq!(of(&[[201, 250, long], [250, 251, late]]), None, "the long ones had gone");
        let mut notes = two_dispatches(&[[30, 60, long], [60, 61, late]]);
        notes[0].word = 0;
        assert_eq!(filled(&notes, 5, 2).unwrap_err().to_string(), "1 notes are of no kind of workgroup");
        notes[0].word = if is_short(0) { LONG } else { SHORT };
        assert!(filled(&notes, 5, 2).unwrap_err().to_string().contains("that should not"));
        let early = two_dispatches(&[[30, 60, SHORT.into()]]);
        assert!(filled(&early, 5, 2).is_err());
    }
}
