//! How the image is cut into tiles, and which workgroup computes one.
//!
//! A tile of one pass is what a workgroup's invocations load into their registers and store. A tile of several passes is the
//! middle of a region:
//!
//! ```text
//! ┌───────────────────┐   region: what the workgroup loads, four texels per invocation and row
//! │  ┌─────────────┐  │   border: what the passes of a tile read around it, depth x radius texels
//! │  │    tile     │  │   tile: what it stores
//! │  └─────────────┘  │
//! └───────────────────┘
//! ```
//!
//! Nothing is computed beyond the image: a tile at its edge has no border there and is longer by it, and the last region is
//! moved until it ends with the image.

use common::Workgroup;
use common::record::DeviceFacts;
use samples::waits::{FLAG_STRIDE, HEAD};

use crate::kernels::{Chain, TICKET_BYTES, multiprocessors, texels_per_multiprocessor};

/// Tiles, and how many passes are computed of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    chain: Chain,
    /// Passes per tile.
    pub depth: u32,
    /// Invocations in x, each of four texels, and in y, and rows per invocation.
    pub workgroup: Workgroup,
    /// Lanes of a subgroup, which holds whole rows of a region; `None` for a tile of one pass, which uses no subgroups.
    lanes: Option<u32>,
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
        let tiling = Self { chain, depth: 1, workgroup, lanes: None, in_flight: u32::MAX };
        let [width, height, _] = workgroup.invocations();
        let most = (1024 * multiprocessors(facts)).div_ceil(width * height);
        let best = if facts.is_cpu() { u32::MAX } else { most.min(tiling.tiles() / chain.passes) };
        Self { in_flight: in_flight.unwrap_or(best), ..tiling }
    }

    /// Tiles of several passes, each with a workgroup: claims took more time than the polls that they saved. Of a small image
    /// each multiprocessor has one at most. Shapes, and what counts as small, are the fastest of more than 200 on an H200 (radius 2).
    pub fn fused(
        facts: &DeviceFacts,
        chain: Chain,
        depth: Option<u32>,
        workgroup: Option<Workgroup>,
    ) -> Self {
        let one_each = Self::per_multiprocessor(facts, chain, depth);
        let is_small = texels_per_multiprocessor(facts, chain.size) < 18_000 && !facts.is_cpu();
        if is_small && workgroup.is_none() && one_each.not_resident(facts).is_none() {
            return one_each;
        }
        let region = |depth: u32| {
            let tiling = Self::fixed(facts, chain, depth);
            Self { workgroup: workgroup.unwrap_or(tiling.workgroup), ..tiling }
        };
        // A wider border is computed more than once too often.
        let deepest = || depths(chain, 8).map(region).find(|tiling| tiling.tile().is_some());
        depth.map(region).or_else(deepest).unwrap_or_else(|| region(1))
    }

    /// A region whose size hardly depends on that of the image.
    fn fixed(facts: &DeviceFacts, chain: Chain, depth: u32) -> Self {
        // Images on a CPU device are small. More rows are a smaller border, but registers of a large radius leave an H200's
        // driver no room for them: at radius 8 and 1152x1152, 12 and 16 rows take 249 and 474 µs.
        let (most, rows) = if facts.is_cpu() { (12, 4) } else { (8, 12) };
        let region = |strips| Self::region(facts, chain, depth, strips, (3 * chain.radius / 2).max(rows));
        let fewest = region(1).strips_of_a_subgroup();
        (1..=most).rev().map(region).find(|region| region.fits(facts)).unwrap_or_else(|| region(fewest))
    }

    /// A tile at most for each multiprocessor, which may keep it from pass to pass: as few columns as a region's width allows,
    /// and as many lines as there are multiprocessors for.
    pub fn per_multiprocessor(facts: &DeviceFacts, chain: Chain, depth: Option<u32>) -> Self {
        let at_once = workgroups_at_once(facts).unwrap_or(1);
        let cut = |depth: u32| {
            let row = Self::region(facts, chain, depth, 1, 1);
            let [beside, above] = row.border();
            let columns =
                tiles(chain.vectors(), row.workgroup.width.saturating_sub(2 * beside).max(1), beside);
            let lines = (at_once / columns).max(1);
            let height = chain.size.height.saturating_sub(2 * above).div_ceil(lines).max(1) + 2 * above;
            let rows = height.div_ceil(row.most_strips(facts)).max(chain.radius);
            let strips = height.div_ceil(rows).next_multiple_of(row.strips_of_a_subgroup());
            Self::region(facts, chain, depth, strips, rows)
        };
        let fits = |tiling: &Self| tiling.tile().is_some() && tiling.not_resident(facts).is_none();
        depth.map(cut).or_else(|| depths(chain, 12).map(cut).find(fits)).unwrap_or_else(|| cut(1))
    }

    /// A region of this number of strips. Each strip is a line of invocations in one subgroup.
    fn region(facts: &DeviceFacts, chain: Chain, depth: u32, strips: u32, rows: u32) -> Self {
        let lanes = facts.subgroup_size.max(1);
        let workgroup =
            Workgroup { width: lanes.min(MOST_LANES), height: strips, rows: rows.max(chain.radius) };
        Self { chain, depth, workgroup, lanes: Some(lanes), in_flight: u32::MAX }
    }

    fn strips_of_a_subgroup(self) -> u32 {
        self.lanes.map_or(1, |lanes| (lanes / self.workgroup.width).max(1))
    }

    /// Most strips of a workgroup on the device, as far as they were fast on an H200.
    fn most_strips(self, facts: &DeviceFacts) -> u32 {
        let step = self.strips_of_a_subgroup();
        let strips = |strips| Self { workgroup: Workgroup { height: strips, ..self.workgroup }, ..self };
        (1..=24 / step).rev().map(|n| n * step).find(|&n| strips(n).fits(facts)).unwrap_or(step)
    }

    /// Whether the device can have such a workgroup of whole subgroups.
    fn fits(self, facts: &DeviceFacts) -> bool {
        let [width, height, _] = self.workgroup.invocations();
        height.is_multiple_of(self.strips_of_a_subgroup())
            && width * height <= facts.max_workgroup_invocations
            && self.shared_bytes() + TICKET_BYTES <= facts.max_shared_memory.into()
    }

    /// Why not all workgroups would be resident at once; `None` if they are.
    pub fn not_resident(self, facts: &DeviceFacts) -> Option<String> {
        let name = &facts.name;
        let Some(at_once) = workgroups_at_once(facts) else {
            return Some(format!("{name} does not tell how many multiprocessors it has"));
        };
        let [columns, lines] = self.grid();
        if columns * lines > at_once {
            return Some(format!(
                "{} workgroups have to be resident, and only {at_once} surely are on {name}",
                columns * lines
            ));
        }
        (!self.fits(facts) || self.workgroup.rows > MOST_ROWS.max(self.chain.radius)).then(|| {
            format!("a region of {} takes too many registers or too much shared memory", self.workgroup)
        })
    }

    /// Whether several passes are computed of a tile, from a region.
    pub const fn is_fused(self) -> bool {
        self.lanes.is_some()
    }

    /// Vectors beside a tile and rows above it that its passes read.
    fn border(self) -> [u32; 2] {
        let texels = if self.is_fused() { self.depth * self.chain.radius } else { 0 };
        [texels.div_ceil(4), texels]
    }

    /// Sides of a tile within the image, in vectors and rows; `None` if the border takes all of the region.
    fn tile(self) -> Option<[u32; 2]> {
        let ([width, height], [beside, above]) = (self.workgroup.tile(), self.border());
        let sides = [width.checked_sub(2 * beside)?, height.checked_sub(2 * above)?];
        sides.iter().all(|&side| side > 0).then_some(sides)
    }

    /// Columns and lines of tiles.
    pub fn grid(self) -> [u32; 2] {
        let ([width, height], [beside, above]) = (self.tile().unwrap_or([1; 2]), self.border());
        [tiles(self.chain.vectors(), width, beside), tiles(self.chain.size.height, height, above)]
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

    /// Bytes of shared memory: of each strip of a region the first and last rows.
    pub fn shared_bytes(self) -> u64 {
        let [width, height, _] = self.workgroup.invocations().map(u64::from);
        if self.is_fused() { 16 * 2 * u64::from(self.chain.radius) * width * height } else { 0 }
    }

    /// Why the chain cannot be cut like this; `None` if it can.
    pub fn impossible(self) -> Option<String> {
        let Self { chain: Chain { passes, radius, .. }, depth, workgroup, .. } = self;
        if !passes.is_multiple_of(depth) {
            return Some(format!(
                "{passes} passes are not a multiple of {depth} per tile: use another --depth"
            ));
        }
        if let Some(lanes) = self.lanes.filter(|lanes| {
            !lanes.is_multiple_of(workgroup.width)
                || !(workgroup.width * workgroup.height).is_multiple_of(*lanes)
        }) {
            return Some(format!(
                "a region of {workgroup} is not made of whole subgroups of {lanes} invocations: use a --region whose \
                 width divides {lanes}, and whose invocations are a multiple of it"
            ));
        }
        if self.is_fused() && workgroup.rows < radius {
            return Some(format!(
                "radius {radius} is more than the rows of an invocation: use a --region with at least {radius} rows"
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

/// Number of tiles along a side of the image. The first and the last have no border beyond the image, and are longer by it.
fn tiles(side: u32, tile: u32, border: u32) -> u32 {
    side.saturating_sub(2 * border).div_ceil(tile).max(1)
}

/// Passes per tile, the most first, whose border is no wider than this.
fn depths(chain: Chain, border: u32) -> impl Iterator<Item = u32> {
    let most = (border / chain.radius).max(2);
    (1..=most).rev().filter(move |&depth| chain.passes.is_multiple_of(depth))
}

/// Workgroups that a device holds at once if nothing else runs there: one per multiprocessor, or per thread of lavapipe.
fn workgroups_at_once(facts: &DeviceFacts) -> Option<u32> {
    if !facts.is_cpu() {
        return facts.multiprocessors.map(|all| all.count);
    }
    let asked = std::env::var("LP_NUM_THREADS").ok().and_then(|threads| threads.parse().ok());
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(asked.unwrap_or_else(cores).clamp(1, 32)).ok()
}

/// Widest row of a region, in invocations: two lie in a subgroup of 64.
const MOST_LANES: u32 = 32;
/// Most rows of an invocation that stay in registers.
const MOST_ROWS: u32 = 16;

/// Kernels count tiles in signed words.
const MOST_TILES: u32 = i32::MAX.cast_unsigned();

#[cfg(test)]
mod tests {
    use common::Extent;

    use super::*;
    use crate::kernels::workgroups_for;

    fn facts() -> DeviceFacts {
        samples::recorded("2026-11-26-nvidia-h200/pipelined_events").unwrap().device
    }

    fn chain(side: u32, radius: u32) -> Chain {
        Chain { size: Extent::square(side), passes: 12, radius }
    }

    fn region(side: u32, radius: u32, depth: Option<u32>) -> Tiling {
        Tiling::fused(&facts(), chain(side, radius), depth, None)
    }

    fn cut(tiling: Tiling) -> (String, u32, [u32; 2]) {
        (tiling.workgroup.to_string(), tiling.depth, tiling.grid())
    }

    #[test]
    fn regions_fit_into_shared_memory() {
        for (side, radius, shape, depth, grid) in [
            (512, 2, "32x22x2", 6, [5, 25]),
            (1152, 2, "32x20x6", 6, [11, 12]),
            (1152, 4, "32x11x11", 3, [11, 12]),
            (2048, 2, "32x8x12", 4, [19, 26]),
            (2048, 8, "32x5x12", 2, [21, 72]),
            (512, 16, "32x2x24", 1, [5, 30]),
        ] {
            let region = region(side, radius, None);
            assert_eq!(cut(region), (shape.to_owned(), depth, grid), "{side} {radius}");
            assert!(region.impossible().is_none() && region.fits(&facts()), "{region:?}");
        }
    }

    #[test]
    fn tiles_stay_where_multiprocessors_have_room_for_all() {
        for (side, shape, depth, grid) in
            [(512, "32x22x2", 6, [5, 25]), (1152, "32x20x6", 6, [11, 12]), (2048, "32x23x16", 6, [20, 6])]
        {
            let tiling = Tiling::per_multiprocessor(&facts(), chain(side, 2), None);
            assert_eq!(cut(tiling), (shape.to_owned(), depth, grid), "{side}");
            assert_eq!(tiling.not_resident(&facts()), None);
        }
        let reason = |facts: &DeviceFacts, side| {
            Tiling::per_multiprocessor(facts, chain(side, 2), None).not_resident(facts).unwrap()
        };
        assert!(reason(&facts(), 4096).contains("takes too many registers"));
        let unknown = DeviceFacts { multiprocessors: None, ..facts() };
        assert!(reason(&unknown, 512).contains("does not tell how many multiprocessors"));
        let narrow = DeviceFacts { subgroup_size: 8, ..facts() };
        assert!(reason(&narrow, 4096).contains("only 132 surely are"));
    }

    #[test]
    fn two_rows_of_a_region_share_a_subgroup_of_64() {
        let facts = DeviceFacts { subgroup_size: 64, max_workgroup_invocations: 128, ..facts() };
        let region = Tiling::fused(&facts, chain(512, 2), Some(2), None);
        assert_eq!(region.workgroup.to_string(), "32x4x7");
        let facts = DeviceFacts { max_workgroup_invocations: 1024, ..facts };
        assert_eq!(
            cut(Tiling::fused(&facts, chain(1024, 4), None, None)),
            ("32x10x11".to_owned(), 3, [10, 12])
        );
    }

    #[test]
    fn no_more_workgroups_are_in_flight_than_compute_a_pass() {
        let facts = facts();
        for (side, radius, best, tiles) in [(512, 2, 512, 6144), (1152, 2, 1056, 15_552), (512, 8, 256, 3072)]
        {
            let chain = chain(side, radius);
            let [_, waiting] = workgroups_for(&facts, chain);
            let workgroups = |asked| Tiling::of_one_pass(&facts, chain, waiting, asked).workgroups();
            assert_eq!([workgroups(None), workgroups(Some(u32::MAX))], [best, tiles], "{side} {radius}");
        }
    }

    #[test]
    fn what_cannot_be_cut_is_refused() {
        let reason = region(512, 2, Some(5)).impossible().unwrap();
        assert!(reason.contains("not a multiple of 5"), "{reason}");
        let reason = region(512, 8, Some(6)).impossible().unwrap();
        assert!(reason.contains("leaves nothing of a region of 32x5x12"), "{reason}");
        let asked = |region: &str| {
            let tiling = Tiling::fused(&facts(), chain(512, 4), None, Some(region.parse().unwrap()));
            tiling.impossible().unwrap()
        };
        assert!(
            asked("20x12x4").contains("width divides 32") && asked("16x3x4").contains("a multiple of it")
        );
        assert!(asked("32x12x2").contains("at least 4 rows"));
    }
}
