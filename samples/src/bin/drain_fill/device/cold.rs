//! Code and constants that come from the same place in each pass of `drain_fill`, or from another.

use anyhow::Result;
use common::{Binding, Kernel, Lab};

use super::{Apart, kernel};
use crate::reference::{self, MULTIPLIER};
use crate::sizes::Work;

/// Steps of the long code without a loop: 24 KiB for GCN (RADV, Mesa 22.3.6), whose instruction cache of
/// 32 KiB has no room for two. A CPU device's compiler takes its time.
const LONG_CODE: [u32; 2] = [1024, 64];
/// Steps of the short code.
const SHORT_CODE: u32 = 16;
/// Places of a table of constants, and vectors of four words from place to place: a cache line of 128 bytes
/// each, 8 KiB in all, where a uniform block may have 16.
pub const PLACES: u32 = 64;
const VECTORS: u32 = 8;

/// The same steps as code without a loop, as often as there are versions of it.
#[derive(Clone, Debug)]
pub struct Code {
    /// The versions, each with its number for the kernel.
    pub versions: Vec<(Kernel, u32)>,
    /// What they write.
    pub apart: Apart,
}

impl Code {
    /// Long or short code, in a version a pass, over the smallest share of the items.
    ///
    /// # Errors
    /// More than the device's memory.
    pub fn new(lab: &mut Lab, work: Work, share: u32, long: bool) -> Result<Self> {
        let [on_gpu, on_cpu] = LONG_CODE;
        let steps = match (long, lab.device().is_cpu()) {
            (false, _) => SHORT_CODE,
            (true, false) => on_gpu,
            (true, true) => on_cpu,
        };
        let apart = Apart::new(lab, work, share, move |items, _| {
            reference::multiplied(items, &reference::multipliers(steps))
        })?;
        let version = |pass: u32| {
            // Bits that every multiplier's code gets, so that no two versions have a step in common.
            let version = pass.wrapping_mul(MULTIPLIER) & !1;
            let kernel = kernel(lab, work, "code");
            let kernel = if long { kernel.define(&format!("STEPS_{steps}")) } else { kernel };
            (kernel.constant("VERSION", version).build(), version)
        };
        Ok(Self { versions: (0..work.passes).map(version).collect(), apart })
    }

    /// Kernel and push constants of a pass in this version.
    pub fn pass(&self, version: u32) -> (Kernel, [u32; 2]) {
        let (kernel, number) = self.versions[version as usize];
        (kernel, [self.apart.items, number])
    }
}

/// Tables of constants that hold the same, one a pass, and the kernel that follows one.
#[derive(Clone, Debug)]
pub struct Constants {
    /// The tables, as uniform blocks.
    pub tables: Vec<Binding>,
    /// What reads one.
    pub kernel: Kernel,
    /// What it writes.
    pub apart: Apart,
}

impl Constants {
    /// Tables of which each fetch needs the one before.
    ///
    /// # Errors
    /// More than the device's memory.
    pub fn new(lab: &mut Lab, work: Work, share: u32) -> Result<Self> {
        let apart = Apart::new(lab, work, share, |items, _| {
            reference::multiplied(items, &reference::multipliers(PLACES))
        })?;
        let words = || table(&reference::multipliers(PLACES));
        let each = |pass| lab.input_buffer(&format!("constants of pass {pass}"), words).uniform();
        let tables = (0..work.passes).map(each).collect();
        let kernel = kernel(lab, work, "constants").constant("PLACES", PLACES).constant("VECTORS", VECTORS);
        Ok(Self { tables, kernel: kernel.build(), apart })
    }

    /// What a pass takes that reads this table.
    pub fn bindings(&self, table: u32, repetition: u32, pass: u32) -> [Binding; 2] {
        [self.tables[table as usize], self.apart.results.get(repetition, pass).into()]
    }
}

/// Each multiplier, and where the next one lies: all over the table, so that no line is fetched ahead of
/// being asked for because it is the next.
fn table(multipliers: &[u32]) -> Vec<u32> {
    let mut places: Vec<u32> = (0..PLACES).collect();
    places[1..].sort_by_key(|&place| reference::first(place));
    let mut words = vec![0; (PLACES * VECTORS * 4) as usize];
    for (at, (&place, &multiplier)) in places.iter().zip(multipliers).enumerate() {
        let word = (place * VECTORS * 4) as usize;
        words[word] = multiplier;
        words[word + 1] = places[(at + 1) % places.len()];
    }
    words
}
