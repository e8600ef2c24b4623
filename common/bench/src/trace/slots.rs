//! What kernels left in a region's slots.

use record::trace::Parts;

use super::fault::Fault;
use super::plan::{HEAD, Region};

pub(super) const BEGUN: u32 = 1 << 31;
pub(super) const ENDED: u32 = 1 << 30;

/// A wave in ticks of the clock.
pub(super) struct Raw {
    pub begin: u64,
    pub ticks: u32,
    pub lane: u32,
    /// From 0 on; 0 of a kernel without parts.
    pub part: u32,
    /// Its row in [`Taken::stretches`].
    pub row: usize,
}

/// The waves of a region.
pub(super) struct Taken {
    pub waves: Vec<Raw>,
    /// How long each wave's stretches lasted, row by row; of a kernel without parts none.
    pub stretches: Vec<u32>,
    /// Stretches of a wave.
    pub a_row: usize,
}

impl Taken {
    pub(super) fn row(&self, wave: &Raw) -> &[u32] {
        &self.stretches[wave.row * self.a_row..][..self.a_row]
    }
}

/// The waves of a region, or why they are none.
pub(super) fn taken(region: &Region, parts: Option<&Parts>, words: &[u32]) -> Result<Taken, Fault> {
    let words = region.words(words).ok_or(Fault::Short)?;
    let (head, slots) = words.split_at(HEAD);
    if head[3] > 0 {
        return Err(parts.map_or(Fault::Overflow(head[3]), |parts| Fault::Unknown(head[3], parts.unit)));
    }
    let is_begun = |slot: &&[u32]| slot[3] & BEGUN != 0;
    let begun = || slots.chunks_exact(region.planned.words).filter(is_begun);
    let unended = begun().filter(|slot| slot[3] & ENDED == 0).count();
    if unended > 0 {
        return Err(Fault::Unended(unended));
    }
    // The last lot has slots whether or not the unit that is drawn of it exists.
    let own = usize::try_from(recorded(region)).unwrap_or(usize::MAX);
    let own = own.saturating_mul(region.planned.waves.max(1) as usize);
    let beyond = slots.chunks_exact(region.planned.words).skip(own).filter(is_begun).count();
    if let (Some(parts), 1..) = (parts, beyond) {
        return Err(Fault::Unknown(u32::try_from(beyond).unwrap_or(u32::MAX), parts.unit));
    }
    let a_row = parts.map_or(0, |parts| parts.stamps() + 2);
    let mut taken = Taken { waves: Vec::new(), stretches: Vec::new(), a_row };
    for (row, slot) in begun().enumerate() {
        let ticks = elapsed(slot[0], slot[2])?;
        let begin = u64::from(slot[1]) << 32 | u64::from(slot[0]);
        let mut wave = Raw { begin, ticks, lane: slot[3] & !(BEGUN | ENDED), part: 0, row };
        if let Some(parts) = parts {
            wave.part = slot[4];
            if wave.part >= parts.count {
                return Err(Fault::NoSuchPart { part: parts.part, named: wave.part, count: parts.count });
            }
            stretches(slot[0], ticks, &slot[5..][..=parts.stamps()], &mut taken.stretches)?;
        }
        taken.waves.push(wave);
    }
    Ok(taken)
}

/// More than half of what a word counts is no time but a step back.
fn elapsed(from: u32, to: u32) -> Result<u32, Fault> {
    let ticks = to.wrapping_sub(from);
    if ticks > u32::MAX / 2 { Err(Fault::Backwards) } else { Ok(ticks) }
}

/// What lies between a wave's begin, its stamps and its end. One that was left out has no time of its own.
fn stretches(begin: u32, ticks: u32, stamps: &[u32], all: &mut Vec<u32>) -> Result<(), Fault> {
    let mut last = 0;
    for &stamp in stamps {
        let at = if stamp == 0 { last } else { elapsed(begin, stamp)? };
        if at < last || at > ticks {
            return Err(Fault::OutOfOrder);
        }
        all.push(at - last);
        last = at;
    }
    all.push(ticks - last);
    Ok(())
}

/// Units that are recorded. Which of the last lot is drawn may not exist.
fn recorded(region: &Region) -> u64 {
    let all = region.planned.units;
    let lots = all.div_ceil(region.one_in.into());
    let last = lots.saturating_sub(1);
    if last * u64::from(region.one_in) + drawn(last, region.one_in) < all { lots } else { last }
}

/// Waves that a recorded one stands for.
#[expect(clippy::cast_precision_loss, reason = "a count of units fits 52 bits")]
pub(super) fn weight(region: &Region) -> f64 {
    region.planned.units as f64 / recorded(region).max(1) as f64
}

/// Which of a lot's units is recorded: as in `trace.glsl`.
pub(super) fn drawn(lot: u64, one_in: u32) -> u64 {
    let lot = u32::try_from(lot).unwrap_or(u32::MAX);
    u64::from((lot.wrapping_mul(2_654_435_769) >> 8) % one_in)
}
