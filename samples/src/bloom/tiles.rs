//! All passes of a bloom in one dispatch: what is a ticket, and what the kernel must know of the passes.

use anyhow::{Result, ensure};
use common::kernel::KernelBuilder;
use common::trace::Parts;
use common::{Binding, Lab, Workgroup, sliced};

use super::Order;
use super::device::{Bloom, cut, plane_words, whole_views};
use super::pyramid::{Pass, Source};
use crate::tile_flags::{Access, FLAG_STRIDE, Form, HEAD};

/// How the passes are cut into tiles, and in which order tickets stand for them.
#[derive(Clone, Copy, Debug)]
pub struct Tiles {
    /// Of a tile; its rows are those of the full level, and half as many at each level below.
    pub workgroup: Workgroup,
    /// Of the tickets.
    pub order: Order,
}

impl Tiles {
    /// Rows that an invocation loops over.
    #[must_use]
    pub fn rows_at(self, level: usize) -> u32 {
        (self.workgroup.rows >> level).max(1)
    }

    fn sides_at(self, level: usize) -> [u32; 2] {
        [self.workgroup.width, self.workgroup.height * self.rows_at(level)]
    }

    fn grid(self, pass: &Pass) -> [u32; 2] {
        let [width, height] = self.sides_at(pass.level);
        [pass.size.width.div_ceil(width), pass.size.height.div_ceil(height)]
    }

    /// Tiles of a pass.
    #[must_use]
    pub fn of(self, pass: &Pass) -> u32 {
        self.grid(pass).iter().product()
    }

    /// Tiles of all passes.
    #[must_use]
    pub fn tickets(self, passes: &[Pass]) -> u32 {
        passes.iter().map(|pass| self.of(pass)).sum()
    }

    /// Refuses what cannot be counted.
    ///
    /// # Errors
    /// More tickets than 32 bits count flags of.
    pub fn ensure_possible(self, passes: &[Pass]) -> Result<()> {
        let tickets: u64 =
            passes.iter().map(|pass| self.grid(pass).map(u64::from).iter().product::<u64>()).sum();
        let words = u64::from(HEAD) + u64::from(FLAG_STRIDE) * tickets;
        ensure!(
            u32::try_from(words).is_ok(),
            "tiles of {} make {tickets} tickets, more than there can be flags of: use a larger --tile",
            self.workgroup
        );
        Ok(())
    }

    /// Words of the ticket counter and of the flags.
    #[must_use]
    pub fn flag_words(self, passes: &[Pass]) -> u32 {
        HEAD + FLAG_STRIDE * self.tickets(passes)
    }

    /// Pass and tile of each ticket, two words each.
    #[must_use]
    pub fn units(self, passes: &[Pass]) -> Vec<u32> {
        let of = |number: usize| {
            let pass = u32::try_from(number).unwrap_or(u32::MAX);
            (0..self.of(&passes[number])).flat_map(move |tile| [pass, tile])
        };
        self.order.of(passes).into_iter().flat_map(of).collect()
    }

    /// What the kernel looks up of each pass, 16 words each, as `shaders/bloom/tiles.comp` lays them out.
    #[must_use]
    pub fn table(self, passes: &[Pass]) -> Vec<u32> {
        let narrow = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let starts: Vec<u32> = sliced(&plane_words(passes)).into_iter().map(|at| narrow(at / 2)).collect();
        let flags: Vec<u32> = passes
            .iter()
            .scan(0, |next, pass| {
                let first = *next;
                *next += self.of(pass);
                Some(first)
            })
            .collect();
        let found = |source: Option<Source>| {
            source.and_then(Source::pass).map_or([0; 2], |read| [starts[read], flags[read]])
        };
        let entry = |(at, pass): (usize, &Pass)| {
            let [from, from_flag] = found(Some(pass.from));
            let [beside, beside_flag] = found(pass.beside);
            let from_level = pass.from.pass().map_or(0, |read| passes[read].level);
            [
                [pass.size.width, pass.size.height, starts[at], flags[at]],
                [pass.from_size.width, pass.from_size.height, from, from_flag],
                [beside, beside_flag, pass.kind as u32, 0],
                [self.rows_at(pass.level), self.rows_at(from_level), 0, 0],
            ]
        };
        passes.iter().enumerate().flat_map(entry).flatten().collect()
    }

    /// The kernel of a form.
    pub fn kernel<'l>(self, lab: &'l Lab, bloom: &Bloom, form: Form) -> KernelBuilder<'l> {
        let kernel = cut(lab.kernel("bloom/tiles.comp"), self.workgroup, bloom.radius);
        let (passes, units) =
            (u32::try_from(bloom.passes.len()).unwrap_or(u32::MAX), self.tickets(&bloom.passes));
        let kernel = kernel
            .define_as("PASSES", passes)
            .define_as("TICKETS", units)
            .define_as("FLAG_STRIDE", FLAG_STRIDE);
        let switches = [("CLOCK", lab.device().device_clock), ("ON_CPU", lab.on_cpu())];
        let switches = switches.into_iter().filter_map(|(switch, on)| on.then_some(switch));
        let kernel = form.switches().chain(switches).fold(kernel, KernelBuilder::define);
        let stretches = &["ticket and wait", "load, compute and store", "tell"];
        let (part, unit) = ("pass", "tile");
        kernel.parts(Parts { part, count: passes, in_a_row: false, unit, units, stretches, waits: 1 })
    }
}

/// What a form reads through beside the buffers, one a repetition, or why the device cannot have it.
///
/// # Errors
/// Out of memory.
pub fn views(lab: &Lab, bloom: &Bloom, form: Form) -> Result<(Vec<Binding>, Option<String>)> {
    if form.access == Access::Sampled { whole_views(lab, bloom) } else { Ok((Vec::new(), None)) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use common::Extent;

    use super::*;
    use crate::bloom::pyramid::passes;

    fn tiles(width: u32, height: u32, rows: u32) -> Tiles {
        let workgroup = Workgroup { width, height, rows };
        Tiles { workgroup, order: Order::Urgent }
    }

    #[test]
    fn each_tile_has_a_flag_of_its_own() {
        let passes = passes(Extent { width: 97, height: 33 });
        let tiles = tiles(8, 4, 4);
        let table = tiles.table(&passes);
        let flags = passes.iter().enumerate().flat_map(|(at, pass)| {
            let first = table[16 * at + 3];
            first..first + tiles.of(pass)
        });
        assert_eq!(flags.collect::<Vec<_>>(), (0..tiles.tickets(&passes)).collect::<Vec<_>>());
    }

    #[test]
    fn each_tile_has_a_ticket() {
        let passes = passes(Extent { width: 97, height: 33 });
        let tiles = tiles(8, 4, 4);
        let units = tiles.units(&passes);
        let tickets: BTreeSet<&[u32]> = units.chunks_exact(2).collect();
        assert_eq!(tickets.len(), tiles.tickets(&passes) as usize);
        assert!(tickets.iter().all(|unit| unit[1] < tiles.of(&passes[unit[0] as usize])));
    }
}
