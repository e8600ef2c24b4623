//! All passes of a bloom in one dispatch: how they are cut into tickets, and the tables for the kernel.

use anyhow::{Context, Result, ensure};
use common::record::trace::Parts;
use common::{Binding, KernelBuilder, Lab, Workgroup, sliced};

use crate::device::{Bloom, cut, plane_words};
use crate::order::Order;
use crate::pyramid::{Kind, Pass, Source};
use crate::reference::taps;
use samples::tile_flags::{Access, FLAG_STRIDE, Form, HEAD, patient};

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
        let of = |number: usize| {
            let pass = u32::try_from(number).unwrap_or(u32::MAX);
            (0..self.of(&passes[number])).flat_map(move |tile| [pass, tile])
        };
        self.order.of(passes).into_iter().flat_map(of).collect()
    }

    /// CPU reference of what the kernel waits for in a tile: first column and line of the tiles that it reads, the
    /// number of columns and lines, and 1 if it also reads the same place of a second input.
    fn needs(self, passes: &[Pass], pass: &Pass, tile: u32) -> [u32; 5] {
        let beside = u32::from(pass.beside.and_then(Source::pass).is_some());
        let Some(read) = pass.from.pass() else { return [0, 0, 0, 0, beside] };
        let [columns, _] = self.grid(pass);
        let at = [tile % columns, tile / columns];
        let [sides, from_sides] = [pass.level, passes[read].level].map(|level| self.sides_at(level));
        // The kernel does not test on which side of a texel of the halved level its first and last texel lie.
        let pair = u32::from(matches!(pass.kind, Kind::Mix | Kind::Add));
        let [x, y] = [0, 1].map(|axis| {
            let first = at[axis] * sides[axis];
            let last = (first + sides[axis]).min(pass.size.sides()[axis]) - 1;
            let taps = [first & !pair, last | pair].map(|texel| taps(pass, axis, self.radius, texel));
            let read = taps.concat().into_iter().map(|(_, texel)| texel / from_sides[axis]);
            let (first, last) = (read.clone().min().unwrap_or(0), read.max().unwrap_or(0));
            [first, last - first + 1]
        });
        [x[0], y[0], x[1], y[1], beside]
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
        [table, bail_outs, order]: [Binding; 3],
        groups: [u32; 3],
    ) -> Result<()> {
        let form = Form { access: Access::Coherent, staged: false };
        if form.lacking(lab.device()).is_some() {
            return Ok(());
        }
        let kernel = self.kernel(lab, bloom, form).define("TELL_NEEDS").build();
        let units = self.units(&bloom.passes);
        let told =
            lab.tally("what tiles wait for", HEAD + 3 * u32::try_from(units.len())?, |cmd, told| {
                let [scene, planes] = [bloom.scene, bloom.planes.whole(0)].map(Binding::from);
                cmd.dispatch(kernel, &[scene, planes, table, told.into(), bail_outs, order], &(), groups);
            })?;
        let told = told[HEAD as usize..].chunks_exact(6);
        for (unit, told) in units.chunks_exact(2).zip(told) {
            let pass = &bloom.passes[unit[0] as usize];
            let needs = self.needs(&bloom.passes, pass, unit[1]);
            ensure!(
                told[0] == 1 && told[1..] == needs,
                "{pass}: tile {} waits for {told:?}, not {needs:?}",
                unit[1]
            );
        }
        Ok(())
    }

    /// The table of passes for the kernel, 16 words each, laid out as `shaders/bloom/tiles.comp` reads it.
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
            .constant("PASSES", passes)
            .constant("TICKETS", units)
            .constant("FLAG_STRIDE", FLAG_STRIDE)
            .constant("ON_CPU", lab.device().is_cpu().into());
        let kernel = patient(kernel, lab);
        let kernel = form.switches().fold(kernel, KernelBuilder::define);
        let stretches = &["ticket and wait", "load, compute and store", "tell"];
        let (part, unit) = ("pass", "tile");
        kernel.parts(Parts { part, count: passes, in_a_row: false, unit, units, stretches, waits: 1 })
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
            let first = table[16 * at + 3];
            first..first + tiles.of(pass)
        });
        assert_eq!(flags.collect::<Vec<_>>(), (0..tiles.tickets(&passes)).collect::<Vec<_>>());
    }
}
