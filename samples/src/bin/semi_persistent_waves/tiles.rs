//! Which texels the lanes of a subgroup blur, tile after tile, and how many memory operations that takes.
//!
//! ```text
//!  unroll_4: four tiles, neighbours along the filter      slide_4: a lane's texels are neighbours
//!  ┌────┬────┬────┬────┐                                  0123 0123 0123 0123   each texel's tile;
//!  │ 0  │ 1  │ 2  │ 3  │  lanes are side by side          0123 0123 0123 0123   lanes are four apart
//!  └────┴────┴────┴────┘  in 2x2 quads
//!  across_4: the same across the filter, so that no texel fetched for one tile is used by the next
//! ```

use common::{Extent, KernelBuilder, Lab};

use crate::occupancy::Limit;
use crate::reference::Axis;

/// A mapping of texels to lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// First part of the name; the number of tiles and of subgroups follows in the full name.
    pub family: &'static str,
    /// Axis of the blur.
    pub axis: Axis,
    /// Workgroup size in x, y, z.
    pub workgroup: [u32; 3],
    /// Sides of a tile in lanes. A workgroup is divided into subgroups of as many lanes as a tile has.
    pub lanes: [u32; 2],
    /// Four consecutive lanes form a 2x2 quad.
    pub quads: bool,
    /// Texels between adjacent lanes.
    pub pitch: [u32; 2],
    /// Texels between the first tiles of adjacent subgroups.
    pub subgroup_step: [u32; 2],
    /// Whether all texels are fetched before the first sum.
    pub fetches_first: bool,
    /// Tiles per subgroup.
    pub tiles: u32,
    /// Texels between consecutive tiles of a subgroup.
    pub step: [u32; 2],
}

/// Sides of a tile with `lanes` lanes, a power of two: 8x8 for 64 lanes as on the slide, 8x4 for 32, 4x2 for 8.
pub fn tile_sides(lanes: u32) -> [u32; 2] {
    let bits = lanes.ilog2();
    [1 << bits.div_ceil(2), 1 << (bits / 2)]
}

/// A step of `texels` texels along one axis.
fn along(side: usize, texels: u32) -> [u32; 2] {
    let mut step = [0; 2];
    step[side] = texels;
    step
}

impl Form {
    /// One tile of 8x8 texels per workgroup, regardless of the device's subgroup size.
    fn whole(family: &'static str, axis: Axis, workgroup: [u32; 3], quads: bool) -> Self {
        Self {
            family,
            axis,
            workgroup,
            lanes: [8, 8],
            quads,
            pitch: [1, 1],
            subgroup_step: [0, 0],
            fetches_first: false,
            tiles: 1,
            step: [0, 0],
        }
    }

    /// The usual form: 8x8 workgroups with lanes in row order.
    pub fn linear(axis: Axis) -> Self {
        Self::whole("linear_8x8", axis, [8, 8, 1], false)
    }

    /// The same tile with lanes in 2x2 quads.
    pub fn swizzled(axis: Axis) -> Self {
        Self::whole("swizzled_8x8", axis, [64, 1, 1], true)
    }

    /// Tiles along the filter, subgroups side by side across it; with `along_reach` false the other way round, as
    /// a control.
    fn in_a_row(axis: Axis, along_reach: bool, tile_lanes: u32, [tiles, subgroups]: [u32; 2]) -> Self {
        let lanes = tile_sides(tile_lanes);
        let side = if along_reach { axis.index() } else { 1 - axis.index() };
        let family = if along_reach { "unroll" } else { "across" };
        Self {
            lanes,
            subgroup_step: along(1 - side, lanes[1 - side]),
            tiles,
            step: along(side, lanes[side]),
            ..Self::whole(family, axis, [tile_lanes * subgroups, 1, 1], true)
        }
    }

    /// A lane's texels are neighbours along the filter, so that each texel but the first needs only one fetch.
    /// Along columns the lanes form a row, which suits memory best. Along rows they form a tile with gaps; the
    /// following texels fill the gaps from the cache.
    pub fn slide(axis: Axis, tile_lanes: u32, tiles: u32, subgroups: u32) -> Self {
        let side = axis.index();
        let lanes = match axis {
            Axis::Horizontal => tile_sides(tile_lanes),
            Axis::Vertical => [tile_lanes, 1],
        };
        let mut pitch = [1, 1];
        pitch[side] = tiles;
        Self {
            lanes,
            pitch,
            subgroup_step: along(1, lanes[1] * pitch[1]),
            fetches_first: true,
            tiles,
            step: along(side, 1),
            ..Self::whole("slide", axis, [tile_lanes * subgroups, 1, 1], false)
        }
    }

    /// Workgroups of eight rows of 32 invocations, which move down the image together.
    pub fn rows(axis: Axis, tiles: u32) -> Self {
        Self {
            lanes: [32, 1],
            subgroup_step: [0, 1],
            tiles,
            step: [0, 8],
            ..Self::whole("rows_32x8", axis, [32, 8, 1], false)
        }
    }

    /// `unroll_8_x4_vertical`: family, tiles, subgroups per workgroup if there are several, and axis.
    pub fn name(&self) -> String {
        let counted = match (self.family, self.subgroups()) {
            ("rows_32x8", _) => format!("x{}", self.tiles),
            ("unroll" | "across" | "slide", 1) => format!("_{}", self.tiles),
            ("unroll" | "across" | "slide", n) => format!("_{}_x{n}", self.tiles),
            _ => String::new(),
        };
        let vertical = if self.axis == Axis::Vertical { "_vertical" } else { "" };
        format!("{}{counted}{vertical}", self.family)
    }

    /// Place in the cross tables: title, row and column.
    pub fn place(&self) -> [String; 3] {
        let table = match self.axis {
            Axis::Horizontal => "Horizontal blur",
            Axis::Vertical => "Vertical blur",
        };
        let row = match (self.family, self.subgroups()) {
            (family @ ("unroll" | "across" | "slide"), 1) => format!("{family}, 1 subgroup a workgroup"),
            (family @ ("unroll" | "across" | "slide"), n) => format!("{family}, {n} subgroups a workgroup"),
            (family, _) => family.to_owned(),
        };
        let tiles = if self.tiles == 1 { "1 tile".into() } else { format!("{} tiles", self.tiles) };
        [table.into(), row, tiles]
    }

    /// Caption for a filter of this radius.
    pub fn says(&self, radius: u32) -> String {
        let axis = match self.axis {
            Axis::Horizontal => "Horizontal",
            Axis::Vertical => "Vertical",
        };
        let [width, height] = self.lanes;
        let tiles = if self.tiles == 1 { "1 tile".into() } else { format!("{} tiles", self.tiles) };
        let dealt = match self.family {
            "linear_8x8" => format!("a workgroup of {width}x{height} lanes a tile"),
            "swizzled_8x8" => format!("a workgroup of {width}x{height} lanes in 2x2 quads a tile"),
            "unroll" => format!("{tiles} a subgroup along the filter"),
            "across" => format!("{tiles} a subgroup across the filter"),
            "slide" => format!("{} neighbouring texels a lane", self.tiles),
            _ => format!("workgroups of 32x8 lanes that go down {tiles}"),
        };
        let subgroups = match (self.family, self.subgroups()) {
            ("unroll" | "slide", several @ 2..) => format!(", {several} subgroups a workgroup"),
            _ => String::new(),
        };
        // Whether a lane needs texels again for its next result that it has already fetched.
        let shares = self.tiles > 1 && self.fresh(radius) < 2 * radius + 1;
        let watch = if shares { "fetched texels serve again" } else { "no fetch is shared" };
        format!("{axis} blur, {dealt}{subgroups}: {watch}.")
    }

    /// Caption with a limit on the resident subgroups.
    pub fn says_under(&self, limit: Limit) -> String {
        format!(
            "{} with its subgroups limited to {limit}: watch how many it needs to hide latency.",
            self.name()
        )
    }

    /// The blur's kernel, set up for this mapping.
    pub fn kernel<'l>(&self, lab: &'l Lab, radius: u32) -> KernelBuilder<'l> {
        let kernel = lab
            .kernel("semi_persistent_waves/box_blur.comp")
            .workgroup(self.workgroup)
            .constant("RADIUS", radius)
            .constant("TILES", self.tiles)
            .constant("FRESH", self.fresh(radius))
            .constant("VERTICAL", (self.axis == Axis::Vertical).into())
            .constant("QUADS", self.quads.into())
            .constant("FETCH_FIRST", self.fetches_first.into());
        let steps = [
            ("LANES", self.lanes),
            ("PITCH", self.pitch),
            ("SUBGROUP", self.subgroup_step),
            ("STEP", self.step),
            ("BLOCK", self.block()),
        ];
        steps.into_iter().fold(kernel, |kernel, (name, [x, y])| {
            kernel.constant(&format!("{name}_X"), x).constant(&format!("{name}_Y"), y)
        })
    }

    /// Subgroups per workgroup: the tiles that it blurs at once.
    pub fn subgroups(&self) -> u32 {
        self.invocations() / (self.lanes[0] * self.lanes[1])
    }

    /// Invocations per workgroup.
    pub fn invocations(&self) -> u32 {
        self.workgroup.iter().product()
    }

    /// Texels that enter the filter's window from one tile to the next.
    pub fn fresh(&self, radius: u32) -> u32 {
        let taps = 2 * radius + 1;
        match self.step[self.axis.index()] {
            0 => taps,
            stride => taps.min(stride),
        }
    }

    /// Average loads and stores per tile: all taps for the first tile, the new texels for each further one, and
    /// one store. With 64 lanes and radius 4 this gives the talk's 10, 9.5, 9.25 and 9.125.
    pub fn memory_operations(&self, radius: u32) -> f64 {
        let loads = 2 * radius + 1 + (self.tiles - 1) * self.fresh(radius);
        f64::from(loads) / f64::from(self.tiles) + 1.0
    }

    /// Texels between adjacent workgroups: up to the last lane of the last tile.
    pub fn block(&self) -> [u32; 2] {
        [0, 1].map(|side| {
            let subgroups = (self.subgroups() - 1) * self.subgroup_step[side];
            (self.lanes[side] - 1) * self.pitch[side] + subgroups + (self.tiles - 1) * self.step[side] + 1
        })
    }

    /// Number of workgroups that cover the image.
    pub fn groups(&self, size: Extent) -> [u32; 3] {
        let [width, height] = self.block();
        [size.width.div_ceil(width), size.height.div_ceil(height), 1]
    }
}

/// All forms along one axis, with tiles of `lanes` lanes.
pub fn forms(axis: Axis, lanes: u32) -> Vec<Form> {
    let unroll = |tiles, subgroups| Form::in_a_row(axis, true, lanes, [tiles, subgroups]);
    let mut forms = vec![Form::linear(axis), Form::swizzled(axis)];
    forms.extend([1, 2, 4, 8].map(|tiles| unroll(tiles, 1)));
    forms.extend([2, 4, 8].map(|tiles| Form::in_a_row(axis, false, lanes, [tiles, 1])));
    forms.extend([2, 4].map(|subgroups| unroll(8, subgroups)));
    forms.extend([1, 2, 4, 8].map(|tiles| unroll(tiles, 8)));
    forms.push(Form::slide(axis, lanes, 8, 1));
    forms.extend([2, 4, 8].map(|tiles| Form::slide(axis, lanes, tiles, 8)));
    forms.extend([1, 4].map(|tiles| Form::rows(axis, tiles)));
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use Axis::{Horizontal, Vertical};

    /// A correct result shows that each texel is blurred, the area shows that each is blurred once.
    #[test]
    fn a_workgroup_blurs_as_many_texels_as_its_block_has() {
        for form in [4, 8, 32, 64, 128]
            .into_iter()
            .flat_map(|lanes| [Horizontal, Vertical].into_iter().flat_map(move |axis| forms(axis, lanes)))
        {
            let [width, height] = form.block();
            assert_eq!(width * height, form.invocations() * form.tiles, "{form:?}");
        }
    }

    #[test]
    fn tiles_and_operations_are_the_talks() {
        assert_eq!([4, 8, 32, 64].map(tile_sides), [[2, 2], [4, 2], [8, 4], [8, 8]]);
        let operations =
            |tiles| Form::in_a_row(Horizontal, true, 64, [tiles, 1]).memory_operations(4).to_bits();
        assert_eq!([8, 4, 2, 1].map(operations), [9.125_f64, 9.25, 9.5, 10.0].map(f64::to_bits));
        // 9 taps, then 7 times one tap. With a radius of 1, tiles further away share no taps.
        assert_eq!(Form::slide(Vertical, 32, 8, 8).memory_operations(4).to_bits(), 3.0_f64.to_bits());
        assert_eq!(
            Form::in_a_row(Horizontal, true, 32, [8, 1]).memory_operations(1).to_bits(),
            4.0_f64.to_bits()
        );
    }
}
