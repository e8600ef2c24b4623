//! Passes of `drain_fill` whose code or constants are the same in each pass (warm), or different in each (cold).

use anyhow::Result;
use common::{Binding, Kernel, Lab};

use super::{Apart, kernel};
use crate::reference::{self, MULTIPLIER};
use crate::sizes::Work;

/// Steps of the long code without a loop, on a GPU and on a CPU device. On a GPU it has 24 KiB for GCN (RADV, Mesa
/// 22.3.6), so that the instruction cache of 32 KiB cannot hold two versions. A CPU device has less because its
/// compiler is slow.
const LONG_CODE: [u32; 2] = [1024, 64];
/// Steps of the short code.
const SHORT_CODE: u32 = 16;
/// Number of places in a table of constants, and four-word vectors per place. A place fills a cache line of 128
/// bytes; the table has 8 KiB, of the 16 KiB that every device allows for a uniform block.
pub const PLACES: u32 = 64;
const VECTORS: u32 = 8;

/// The same steps as unrolled code, in one version per pass.
#[derive(Clone, Debug)]
pub struct Code {
    /// The kernels and the number of each version.
    pub versions: Vec<(Kernel, u32)>,
    /// The results.
    pub apart: Apart,
}

impl Code {
    /// Long or short code in one version per pass, over a share of the items.
    ///
    /// # Errors
    /// The device's memory is too small.
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
            // These bits go into every multiplier, so that no two versions share code.
            let version = pass.wrapping_mul(MULTIPLIER) & !1;
            let kernel = kernel(lab, work, "code");
            let kernel = if long { kernel.define(&format!("STEPS_{steps}")) } else { kernel };
            (kernel.constant("VERSION", version).build(), version)
        };
        Ok(Self { versions: (0..work.passes).map(version).collect(), apart })
    }

    /// Kernel and push constants of a pass with this version.
    pub fn pass(&self, version: u32) -> (Kernel, [u32; 2]) {
        let (kernel, number) = self.versions[version as usize];
        (kernel, [self.apart.items, number])
    }
}

/// Tables with equal contents, one per pass, and the kernel that reads one.
#[derive(Clone, Debug)]
pub struct Constants {
    /// The tables, as uniform blocks.
    pub tables: Vec<Binding>,
    /// The kernel that reads a table.
    pub kernel: Kernel,
    /// The results.
    pub apart: Apart,
}

impl Constants {
    /// Creates tables in which the address of each fetch depends on the previous fetch.
    ///
    /// # Errors
    /// The device's memory is too small.
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

    /// The bindings of a pass that reads this table.
    pub fn bindings(&self, table: u32, repetition: u32, pass: u32) -> [Binding; 2] {
        [self.tables[table as usize], self.apart.results.get(repetition, pass).into()]
    }
}

/// Each multiplier, followed by the place of the next one. The places are shuffled over the table, so that no
/// prefetch of the next cache line helps.
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
