//! How the image is cut into tiles, and which workgroup computes one.
//!
//! A tile of one pass is what a workgroup's invocations load into their registers and store. A tile of several passes is the
//! middle of a region in shared memory:
//!
//! ```text
//! ┌───────────────────┐   region: what the workgroup loads, four texels per invocation and row
//! │  ┌─────────────┐  │   border: what the passes of a tile read around it, depth x radius texels
//! │  │    tile     │  │   tile: what it stores
//! │  └─────────────┘  │
//! └───────────────────┘
//! ```

use common::Workgroup;
use common::record::DeviceFacts;
use samples::waits::{FLAG_STRIDE, HEAD};

use crate::kernels::{Chain, is_small, multiprocessors};

/// Tiles, and how many passes are computed of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    chain: Chain,
    /// Passes per tile.
    pub depth: u32,
    /// Invocations in x, each of four texels, and in y, and rows per invocation.
    pub workgroup: Workgroup,
    /// Copies of the region in shared memory: two save a barrier per pass, a tile of one pass has none.
    pub copies: u32,
    /// Most workgroups in flight where tiles wait for each other.
    in_flight: u32,
}

impl Tiling {
    /// Tiles of one pass. More workgroups than a pass has tiles would only poll, and slow the loads of the others. More than
    /// 1024 invocations per multiprocessor gain 1 % at most on an H200 (at 4096x4096), and lose 30 % at 1152x1152. On a CPU
    /// device each tile has a workgroup: lavapipe ends loops of an invocation that take many turns together.
    pub fn of_one_pass(
        facts: &DeviceFacts,
        chain: Chain,
        workgroup: Workgroup,
        in_flight: Option<u32>,
    ) -> Self {
        let tiling = Self { chain, depth: 1, workgroup, copies: 0, in_flight: u32::MAX };
        let [width, height, _] = workgroup.invocations();
        let most = (1024 * multiprocessors(facts)).div_ceil(width * height);
        let best = if facts.is_cpu() { u32::MAX } else { most.min(tiling.tiles() / chain.passes) };
        Self { in_flight: in_flight.unwrap_or(best), ..tiling }
    }

    /// Tiles of several passes, each with a workgroup: claims took more time than the polls that they saved. The default
    /// shapes are the fastest of 130 on an H200 and an H100 (12 passes, radius 2). For large images these are regions of 24 KiB,
    /// of which two seem to fit on a multiprocessor. For small ones it has one tile, which many invocations share.
    pub fn fused(
        facts: &DeviceFacts,
        chain: Chain,
        depth: Option<u32>,
        workgroup: Option<Workgroup>,
    ) -> Self {
        let small = is_small(facts, chain.size);
        let region = |depth: u32| {
            let (height, rows, copies) = if small { (28, 2, 2) } else { (18, 4, 1) };
            let width = 16 + 2 * (depth * chain.radius).div_ceil(4);
            let most = height.min(facts.max_workgroup_invocations / width).max(1);
            let cut = |height, copies| {
                let workgroup = workgroup.unwrap_or(Workgroup { width, height, rows });
                Self { chain, depth, workgroup, copies, in_flight: u32::MAX }
            };
            // One copy of the region costs less than fewer rows.
            let all = [cut(most, copies)].into_iter().chain((1..=most).rev().map(|height| cut(height, 1)));
            let fits = |tiling: &Self| tiling.shared_bytes() <= facts.max_shared_memory.into();
            all.into_iter().find(fits).unwrap_or_else(|| cut(most, 1))
        };
        // A wider border is computed more than once too often.
        let border = if small { 12 } else { 8 };
        let most = (border / chain.radius).max(2);
        let depths = (1..=most).rev().filter(|&depth| chain.passes.is_multiple_of(depth));
        let fits = |tiling: &Self| tiling.tile().is_some();
        depth.map(region).or_else(|| depths.map(region).find(fits)).unwrap_or_else(|| region(1))
    }

    /// Whether a tile is computed from a region in shared memory.
    pub const fn is_fused(self) -> bool {
        self.copies > 0
    }

    /// Sides of the tile in vectors and rows, or `None` if the border takes all of the region.
    fn tile(self) -> Option<[u32; 2]> {
        let border = if self.is_fused() { self.depth * self.chain.radius } else { 0 };
        let [width, height] = self.workgroup.tile();
        let sides = [width.checked_sub(2 * border.div_ceil(4))?, height.checked_sub(2 * border)?];
        sides.iter().all(|&side| side > 0).then_some(sides)
    }

    /// Columns and lines of tiles.
    pub fn grid(self) -> [u32; 2] {
        let [width, height] = self.tile().unwrap_or([1; 2]);
        [self.chain.vectors().div_ceil(width), self.chain.size.height.div_ceil(height)]
    }

    /// Number of tiles of all passes; each is a ticket.
    pub fn tiles(self) -> u32 {
        let all =
            self.grid().map(u64::from).iter().product::<u64>() * u64::from(self.chain.passes / self.depth);
        u32::try_from(all).unwrap_or(u32::MAX)
    }

    /// Workgroups of a dispatch whose tiles wait for each other.
    pub fn workgroups(self) -> u32 {
        self.in_flight.min(self.tiles())
    }

    /// Words of the ticket counter and of a flag per tile.
    pub fn ticket_words(self) -> u32 {
        let [columns, lines] = self.grid();
        HEAD + FLAG_STRIDE * columns * lines
    }

    /// Bytes of shared memory for the region.
    pub fn shared_bytes(self) -> u64 {
        let [width, height] = self.workgroup.tile().map(u64::from);
        let radius = u64::from(self.chain.radius);
        let guards = 2 * (radius * width + radius.div_ceil(4));
        u64::from(self.copies) * 16 * (width * height + guards)
    }

    /// Why the chain cannot be cut like this; `None` if it can.
    pub fn impossible(self) -> Option<String> {
        let Self { chain: Chain { passes, radius, .. }, depth, workgroup, .. } = self;
        if !passes.is_multiple_of(depth) {
            return Some(format!(
                "{passes} passes are not a multiple of {depth} per tile: use another --depth"
            ));
        }
        if self.tile().is_none() {
            return Some(format!(
                "the border of {depth} passes of radius {radius} leaves nothing of a region of {workgroup}: use a \
                 larger --region or a smaller --depth"
            ));
        }
        let option = if self.is_fused() { "--region" } else { "--workgroup" };
        (self.tiles() > MOST_TILES)
            .then(|| format!("{workgroup} makes more tiles than a counter holds: use a larger {option}"))
    }
}

/// Kernels count tiles in signed words.
const MOST_TILES: u32 = i32::MAX.cast_unsigned();

#[cfg(test)]
mod tests {
    use common::Extent;

    use super::*;
    use crate::kernels::workgroups_for;

    fn region(side: u32, radius: u32, depth: Option<u32>) -> Tiling {
        let facts = samples::recorded("2026-11-26-nvidia-h200/pipelined_events").unwrap().device;
        let chain = Chain { size: Extent::square(side), passes: 12, radius };
        Tiling::fused(&facts, chain, depth, None)
    }

    #[test]
    fn small_images_have_a_tile_per_multiprocessor() {
        for (side, radius, shape, depth, grid) in [
            (512, 2, "22x28x2", 6, [8, 16]),
            (1152, 2, "20x18x4", 4, [18, 21]),
            (2048, 8, "24x18x4", 2, [32, 52]),
            (512, 16, "24x28x2", 1, [8, 22]),
        ] {
            let region = region(side, radius, None);
            let found = (region.workgroup.to_string(), region.depth, region.grid());
            assert_eq!(found, (shape.to_owned(), depth, grid), "{side} {radius}");
            assert!(region.impossible().is_none() && region.shared_bytes() <= 48 * 1024, "{region:?}");
        }
    }

    #[test]
    fn no_more_workgroups_are_in_flight_than_compute_a_pass() {
        let facts = samples::recorded("2026-11-26-nvidia-h200/pipelined_events").unwrap().device;
        for (side, radius, best, tiles) in [(512, 2, 512, 6144), (1152, 2, 1056, 15_552), (512, 8, 256, 3072)]
        {
            let chain = Chain { size: Extent::square(side), passes: 12, radius };
            let [_, waiting] = workgroups_for(&facts, chain);
            let workgroups = |asked| Tiling::of_one_pass(&facts, chain, waiting, asked).workgroups();
            assert_eq!([workgroups(None), workgroups(Some(u32::MAX))], [best, tiles], "{side} {radius}");
        }
    }

    #[test]
    fn what_cannot_be_cut_is_refused() {
        let reason = region(512, 2, Some(5)).impossible().unwrap();
        assert!(reason.contains("not a multiple of 5"), "{reason}");
        let reason = region(512, 8, Some(4)).impossible().unwrap();
        assert!(reason.contains("leaves nothing of a region of 32x28x2"), "{reason}");
    }
}
