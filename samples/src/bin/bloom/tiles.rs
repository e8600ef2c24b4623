//! All passes of a bloom in one dispatch: how they are cut into tickets, and the tables for the kernel.

use anyhow::{Context, Result, ensure};
use common::record::trace::Parts;
use common::{Binding, KernelBuilder, Lab, Workgroup, sliced};
use samples::waits::{FLAG_STRIDE, HEAD, with_timeout};

use crate::device::{Bloom, plane_words};
use crate::kernels::with_formulas;
use crate::order::Order;
use crate::pyramid::{Input, Kind, Pass};
use crate::reference::taps;

/// Words of a tile's halo.
const HALO_WORDS: usize = 5;

/// How the passes are cut into tiles, and the order of the tickets.
#[derive(Clone, Copy, Debug)]
pub struct Tiles {
    /// Workgroup of a tile. Its rows per invocation are those of the full level; each lower level has half as
    /// many.
    pub workgroup: Workgroup,
    /// Radius of a blur.
    pub radius: u32,
    /// Order of the tickets.
    pub order: Order,
}

impl Tiles {
    /// Rows per invocation at this level.
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

    /// Number of tiles in a pass.
    pub fn of(self, pass: &Pass) -> u32 {
        self.grid(pass).iter().product()
    }

    /// Number of tiles in all passes.
    pub fn tickets(self, passes: &[Pass]) -> u32 {
        passes.iter().map(|pass| self.of(pass)).sum()
    }

    /// Words of the ticket counter and the flags.
    ///
    /// # Errors
    /// The flags need more words than 32 bits can count.
    pub fn flag_words(self, passes: &[Pass]) -> Result<u32> {
        let tiles = passes.iter().map(|pass| self.grid(pass).map(u64::from).iter().product::<u64>());
        let tickets: u64 = tiles.sum();
        u32::try_from(u64::from(HEAD) + u64::from(FLAG_STRIDE) * tickets).with_context(|| {
            format!(
                "tiles of {} make {tickets} tickets, more than there can be flags of: use a larger --tile",
                self.workgroup
            )
        })
    }

    /// Pass and tile of each ticket, two words each.
    pub fn units(self, passes: &[Pass]) -> Vec<u32> {
        let of = |pass: u32| (0..self.of(&passes[pass as usize])).flat_map(move |tile| [pass, tile]);
        self.order.of(passes).into_iter().flat_map(of).collect()
    }

    /// CPU reference of the halo of a tile: first column and row of the tiles that it reads, the number of columns and
    /// rows, and 1 if it also reads the tile at its own place in a second pass.
    fn halo(self, passes: &[Pass], pass: &Pass, tile: u32) -> [u32; 5] {
        let second = u32::from(pass.second_input.and_then(Input::pass).is_some());
        let Some(read) = pass.input.pass() else { return [0, 0, 0, 0, second] };
        let [columns, _] = self.grid(pass);
        let at = [tile % columns, tile / columns];
        let [sides, input_sides] =
            [pass.level, passes[read as usize].level].map(|level| self.sides_at(level));
        // An up-sample waits conservatively: `reach` in halo.glsl takes its texels rounded out to 2x2 blocks.
        let pair = u32::from(matches!(pass.kind, Kind::UpSample | Kind::Composite));
        let [x, y] = [0, 1].map(|axis| {
            let first = at[axis] * sides[axis];
            let last = (first + sides[axis]).min(pass.size.sides()[axis]) - 1;
            let taps = [first & !pair, last | pair].map(|texel| taps(pass, axis, self.radius, texel));
            let read = taps.concat().into_iter().map(|(_, texel)| texel / input_sides[axis]);
            let (first, last) = (read.clone().min().unwrap_or(0), read.max().unwrap_or(0));
            [first, last - first + 1]
        });
        [x[0], y[0], x[1], y[1], second]
    }

    /// Checks on the device that each tile waits for exactly the tiles that it reads. A missing wait would not
    /// show in the result as long as the tile happens to be ready in time.
    ///
    /// # Errors
    /// A tile waits for other tiles, or a submit fails.
    pub fn prove(
        self,
        lab: &mut Lab,
        bloom: &Bloom,
        [passes, order]: [Binding; 2],
        groups: [u32; 3],
    ) -> Result<()> {
        let kernel = self.with_tiles(lab.kernel("bloom/halo.comp"), bloom).build();
        let units = self.units(&bloom.passes);
        let words = u32::try_from(units.len() / 2 * HALO_WORDS)?;
        let halos = lab.tally("what tiles wait for", words, |cmd, halos| {
            cmd.dispatch(kernel, &[passes, order, halos.into()], &(), groups);
        })?;
        for (unit, found) in units.chunks_exact(2).zip(halos.chunks_exact(HALO_WORDS)) {
            let pass = &bloom.passes[unit[0] as usize];
            let halo = self.halo(&bloom.passes, pass, unit[1]);
            ensure!(*found == halo, "{pass}: tile {} waits for {found:?}, not {halo:?}", unit[1]);
        }
        Ok(())
    }

    /// The table of passes for the kernel, 16 words each, laid out as `shaders/bloom/halo.glsl` reads it.
    pub fn table(self, passes: &[Pass]) -> Vec<u32> {
        let narrow = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let begins: Vec<u32> = sliced(&plane_words(passes)).into_iter().map(|at| narrow(at / 2)).collect();
        let flags: Vec<u32> = passes
            .iter()
            .scan(0, |next, pass| {
                let first = *next;
                *next += self.of(pass);
                Some(first)
            })
            .collect();
        let found = |input: Option<Input>| {
            input.and_then(Input::pass).map_or([0; 2], |read| [&begins, &flags].map(|of| of[read as usize]))
        };
        let entry = |(at, pass): (usize, &Pass)| {
            let [input, input_flag] = found(Some(pass.input));
            let [second_input, second_flag] = found(pass.second_input);
            let input_level = pass.input.pass().map_or(0, |read| passes[read as usize].level);
            [
                [pass.size.width, pass.size.height, pass.input_size.width, pass.input_size.height],
                [pass.kind as u32, input, second_input, begins[at]],
                [flags[at], input_flag, second_flag, self.rows_at(pass.level)],
                [self.rows_at(input_level), 0, 0, 0],
            ]
        };
        passes.iter().enumerate().flat_map(entry).flatten().collect()
    }

    /// Sets what `shaders/bloom/halo.glsl` asks for. Rows per invocation are in the table of passes.
    fn with_tiles<'l>(self, kernel: KernelBuilder<'l>, bloom: &Bloom) -> KernelBuilder<'l> {
        kernel.workgroup(self.workgroup.invocations()).constants([
            ("RADIUS", bloom.radius),
            ("PASSES", bloom.count),
            ("TICKETS", self.tickets(&bloom.passes)),
        ])
    }

    /// The kernel of all passes; `chained` accesses are cached, and releases and acquires make them visible.
    pub fn kernel<'l>(self, lab: &'l Lab, bloom: &Bloom, chained: bool) -> KernelBuilder<'l> {
        let kernel =
            self.with_tiles(lab.kernel("bloom/tiles.comp"), bloom).constant("FLAG_STRIDE", FLAG_STRIDE);
        let kernel = with_timeout(with_formulas(kernel, bloom.radius), lab);
        let kernel = if chained { kernel.define("CHAINED") } else { kernel };
        let (count, units) = (bloom.count, self.tickets(&bloom.passes));
        let stretches = &["claim and wait", "load, compute and store", "release and signal"];
        kernel.parts(Parts { part: "pass", count, in_a_row: false, unit: "tile", units, stretches, waits: 1 })
    }
}

#[cfg(test)]
mod tests {
    use common::Extent;

    use super::*;
    use crate::pyramid::passes;

    #[test]
    fn each_tile_has_a_flag_of_its_own() {
        let passes = passes(Extent { width: 97, height: 33 });
        let workgroup = Workgroup { width: 8, height: 4, rows: 4 };
        let tiles = Tiles { workgroup, radius: 6, order: Order::Urgent };
        let table = tiles.table(&passes);
        let flags = passes.iter().enumerate().flat_map(|(at, pass)| {
            let first = table[16 * at + 8];
            first..first + tiles.of(pass)
        });
        assert_eq!(flags.collect::<Vec<_>>(), (0..tiles.tickets(&passes)).collect::<Vec<_>>());
    }
}
