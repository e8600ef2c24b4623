//! Reads the slots that kernels wrote in a region.

use super::fault::Fault;
use super::plan::{HEAD, Region};

pub(super) const BEGUN: u32 = 1 << 31;
pub(super) const ENDED: u32 = 1 << 30;
pub(super) const OF_VERTICES: u32 = 1 << 29;

/// A wave, in ticks of the waves' clock.
pub(super) struct Raw<'w> {
    pub begin: u64,
    pub ticks: u32,
    pub lane: u32,
    /// Whether it is one of a draw's vertex shader.
    pub is_of_vertices: bool,
    /// Workgroup or unit among the recorded ones.
    pub unit: usize,
    /// Part of the kernel, from 0; 0 for a kernel without parts.
    pub part: u32,
    /// The words that the wave wrote.
    slot: &'w [u32],
}

/// The waves of a region, or why its records are invalid.
pub(super) fn waves<'w>(region: &Region, words: &'w [u32]) -> Result<Vec<Raw<'w>>, Fault> {
    let (head, slots) = region.words(words).ok_or(Fault::Short)?.split_at(HEAD);
    let parts = region.planned.parts.as_ref();
    if head[3] > 0 {
        return Err(parts.map_or(Fault::Overflow(head[3]), |parts| Fault::Unknown(head[3], parts.unit)));
    }
    let each = region.planned.waves_per_unit() as usize;
    let is_begun = |slot: &&[u32]| slot[3] & BEGUN != 0;
    let slots = || slots.chunks_exact(region.planned.words());
    let unended = slots().filter(is_begun).filter(|slot| slot[3] & ENDED == 0).count();
    if unended > 0 {
        return Err(Fault::Unended(unended));
    }
    // The last lot has slots even if the unit drawn from it does not exist.
    let own = usize::try_from(recorded(region)).unwrap_or(usize::MAX);
    let own = own.saturating_mul(each);
    let beyond = slots().skip(own).filter(is_begun).count();
    if let (Some(parts), 1..) = (parts, beyond) {
        return Err(Fault::Unknown(u32::try_from(beyond).unwrap_or(u32::MAX), parts.unit));
    }
    let wave = |(at, slot): (usize, &'w [u32])| {
        let part = parts.map_or(0, |_| slot[4]);
        if let Some(parts) = parts.filter(|parts| part >= parts.count) {
            return Err(Fault::NoSuchPart { part: parts.part, named: part, count: parts.count });
        }
        let begin = u64::from(slot[1]) << 32 | u64::from(slot[0]);
        let (ticks, lane) = (elapsed(slot[0], slot[2])?, slot[3] & !(BEGUN | ENDED | OF_VERTICES));
        let is_of_vertices = slot[3] & OF_VERTICES != 0;
        Ok(Raw { begin, ticks, lane, is_of_vertices, unit: at / each, part, slot })
    };
    slots().enumerate().filter(|(_, slot)| is_begun(slot)).map(wave).collect()
}

impl Raw<'_> {
    /// Calls `each` with the times between begin, `trace_part`, the stamps and the end. A stamp that the kernel
    /// left out has no time of its own.
    pub(super) fn stretches(&self, stamps: usize, mut each: impl FnMut(u32)) -> Result<(), Fault> {
        let mut last = 0;
        for &stamp in &self.slot[5..][..=stamps] {
            let at = if stamp == 0 { last } else { elapsed(self.slot[0], stamp)? };
            if at < last || at > self.ticks {
                return Err(Fault::OutOfOrder);
            }
            each(at - last);
            last = at;
        }
        each(self.ticks - last);
        Ok(())
    }
}

/// Ticks between two readings. More than half of the range of a word is a step backwards.
fn elapsed(from: u32, to: u32) -> Result<u32, Fault> {
    let ticks = to.wrapping_sub(from);
    if ticks > u32::MAX / 2 { Err(Fault::Backwards) } else { Ok(ticks) }
}

/// Number of recorded units. The unit drawn from the last lot may not exist.
fn recorded(region: &Region) -> u64 {
    let all = region.planned.units();
    let lots = all.div_ceil(region.one_in.into());
    let last = lots.saturating_sub(1);
    if last * u64::from(region.one_in) + drawn(last, region.one_in) < all { lots } else { last }
}

/// Number of waves that a recorded wave stands for.
#[expect(clippy::cast_precision_loss, reason = "a count of units fits 52 bits")]
pub(super) fn weight(region: &Region) -> f64 {
    match region.planned.draw {
        // Each wave is recorded with the same probability.
        Some(_) => region.one_in.into(),
        None => region.planned.units() as f64 / recorded(region).max(1) as f64,
    }
}

/// Index of the unit of a lot that is recorded; same formula as `trace.glsl`.
pub(super) fn drawn(lot: u64, one_in: u32) -> u64 {
    let lot = u32::try_from(lot).unwrap_or(u32::MAX);
    u64::from((lot.wrapping_mul(2_654_435_769) >> 8) % one_in)
}
