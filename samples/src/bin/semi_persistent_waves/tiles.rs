//! Which texels the lanes of a workgroup blur, tile after tile, and how many memory operations that takes.
//!
//! ```text
//!  unroll_4: four tiles, neighbours along the filter      slide_4: a lane's texels are neighbours
//!  ┌────┬────┬────┬────┐                                  0123 0123 0123 0123   each texel's tile;
//!  │ 0  │ 1  │ 2  │ 3  │  lanes are side by side          0123 0123 0123 0123   lanes are four apart
//!  └────┴────┴────┴────┘  in 2x2 quads
//!  across_4: the same across the filter, so that no texel fetched for one tile is used by the next
//! ```

use common::{Extent, KernelBuilder, Lab};

use crate::reference::Axis;

/// How texels are assigned to lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A lane per texel, in rows.
    Linear,
    /// A lane per texel, in 2x2 quads.
    Swizzled,
    /// Tiles in quads, one after another along the filter.
    Unroll,
    /// The same across the filter, as a control.
    Across,
    /// The texels of a lane are neighbours along the filter.
    Slide,
    /// Tiles one after another along the filter, whose lanes fetch one texel each and shuffle.
    Shuffle,
    /// Eight rows of 32 lanes, which move down the image together.
    Rows,
}

/// A mapping of texels to lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The kernel.
    pub family: Family,
    /// Axis of the blur.
    pub axis: Axis,
    /// Sides of a tile in lanes: x and y of the workgroup.
    pub lanes: [u32; 2],
    /// Tiles that a workgroup blurs at once, each with a subgroup: z of the workgroup.
    pub subgroups: u32,
    /// Tiles that each of them blurs one after another.
    pub tiles: u32,
}

/// Sides of a tile with `lanes` lanes, a power of two: 8x8 for 64 lanes as on the slide, 8x4 for 32, 4x2 for 8.
pub fn tile_sides(lanes: u32) -> [u32; 2] {
    let bits = lanes.ilog2();
    [1 << bits.div_ceil(2), 1 << (bits / 2)]
}

impl Form {
    /// Tiles of `lanes` lanes, except in the families whose tiles are the same on each device.
    pub fn new(family: Family, axis: Axis, lanes: u32, tiles: u32, subgroups: u32) -> Self {
        let lanes = match (family, axis) {
            (Family::Linear | Family::Swizzled, _) => [8, 8],
            (Family::Rows, _) => [32, 8],
            // Lanes in one row load neighbouring texels. A horizontal filter's cannot: they are `tiles` texels apart.
            (Family::Slide, Axis::Vertical) => [lanes, 1],
            (Family::Unroll | Family::Across | Family::Slide | Family::Shuffle, _) => tile_sides(lanes),
        };
        Self { family, axis, lanes, subgroups, tiles }
    }

    /// `unroll_8_x4_vertical`: family, tiles, subgroups per workgroup if there are several, and axis.
    pub fn name(&self) -> String {
        let Self { tiles, subgroups, .. } = self;
        let several = if *subgroups > 1 { format!("_x{subgroups}") } else { String::new() };
        let vertical = if self.axis == Axis::Vertical { "_vertical" } else { "" };
        let family = match self.family {
            Family::Linear => "linear_8x8".into(),
            Family::Swizzled => "swizzled_8x8".into(),
            Family::Unroll => format!("unroll_{tiles}"),
            Family::Across => format!("across_{tiles}"),
            Family::Slide => format!("slide_{tiles}"),
            Family::Shuffle => format!("shuffle_{tiles}"),
            Family::Rows => format!("rows_32x8x{tiles}"),
        };
        family + &several + vertical
    }

    /// The kernel, with what it needs to know of this mapping.
    pub fn kernel<'l>(&self, lab: &'l Lab, radius: u32) -> KernelBuilder<'l> {
        let kernel = |name| {
            let [x, y] = self.lanes;
            let kernel = lab.kernel(&format!("semi_persistent_waves/{name}.comp"));
            let kernel = kernel.workgroup([x, y, self.subgroups]).constant("RADIUS", radius);
            kernel.constant("VERTICAL", (self.axis == Axis::Vertical).into())
        };
        let [step_x, step_y] = self.step();
        let tiles = || kernel("tiles").constant("STEP_X", step_x).constant("STEP_Y", step_y);
        match self.family {
            Family::Swizzled | Family::Unroll => kernel("unroll"),
            Family::Slide => kernel("slide"),
            // A row never spans two subgroups.
            Family::Shuffle => kernel("shuffle")
                .whole_subgroups()
                .workgroup([self.invocations(), 1, 1])
                .constant("ROW", self.lanes[0]),
            Family::Across => tiles().constant("QUADS", 1),
            Family::Linear | Family::Rows => tiles(),
        }
        .constant("TILES", self.tiles)
    }

    /// Texels between consecutive tiles of a subgroup.
    fn step(&self) -> [u32; 2] {
        let [x, y] = self.lanes;
        match (self.family, self.axis) {
            (Family::Slide, Axis::Horizontal) => [1, 0],
            (Family::Slide, Axis::Vertical) => [0, 1],
            (Family::Rows, _) | (Family::Across, Axis::Horizontal) => [0, y],
            (Family::Across, Axis::Vertical) => [x, 0],
            (_, Axis::Horizontal) => [x, 0],
            (_, Axis::Vertical) => [0, y],
        }
    }

    /// Sides of a workgroup's texels.
    pub fn covered(&self) -> [u32; 2] {
        let Self { lanes: [x, y], subgroups, tiles, .. } = *self;
        match (self.family, self.axis) {
            (Family::Linear | Family::Swizzled, _) => [x, y],
            (Family::Unroll | Family::Slide | Family::Shuffle, Axis::Horizontal) => {
                [x * tiles, y * subgroups]
            }
            (Family::Unroll | Family::Shuffle, Axis::Vertical) => [x * subgroups, y * tiles],
            (Family::Slide, Axis::Vertical) => [x, y * tiles * subgroups],
            (Family::Rows, _) | (Family::Across, Axis::Horizontal) => [x, y * tiles],
            (Family::Across, Axis::Vertical) => [x * tiles, y],
        }
    }

    /// Invocations per workgroup.
    pub fn invocations(&self) -> u32 {
        self.lanes[0] * self.lanes[1] * self.subgroups
    }

    /// Texels that a lane fetches for each tile after the first.
    pub fn fresh(&self, radius: u32) -> u32 {
        let taps = 2 * radius + 1;
        match self.step()[self.axis.index()] {
            0 => taps,
            stride => taps.min(stride),
        }
    }

    /// Average loads and stores per lane and texel: all taps for the first tile, the new texels for each further
    /// one, and one store. With shuffles, one load per tile and one for the tile to the right. With 64 lanes and radius 4 this gives the talk's 10, 9.5, 9.25 and 9.125.
    pub fn memory_operations(&self, radius: u32) -> f64 {
        let loads = match self.family {
            Family::Shuffle => self.tiles + 1,
            _ => 2 * radius + 1 + (self.tiles - 1) * self.fresh(radius),
        };
        f64::from(loads) / f64::from(self.tiles) + 1.0
    }

    /// Number of workgroups that cover the image.
    pub fn groups(&self, size: Extent) -> [u32; 3] {
        let [width, height] = self.covered();
        [size.width.div_ceil(width), size.height.div_ceil(height), 1]
    }
}

/// All forms along one axis, with tiles of `lanes` lanes.
pub fn forms(axis: Axis, lanes: u32) -> Vec<Form> {
    let form = |family, tiles, subgroups| Form::new(family, axis, lanes, tiles, subgroups);
    let mut forms = vec![form(Family::Linear, 1, 1), form(Family::Swizzled, 1, 1)];
    forms.extend([1, 2, 4, 8].map(|tiles| form(Family::Unroll, tiles, 1)));
    forms.extend([2, 4, 8].map(|tiles| form(Family::Across, tiles, 1)));
    forms.extend([2, 4].map(|subgroups| form(Family::Unroll, 8, subgroups)));
    forms.extend([1, 2, 4, 8].map(|tiles| form(Family::Unroll, tiles, 8)));
    forms.push(form(Family::Slide, 8, 1));
    forms.extend([2, 4, 8].map(|tiles| form(Family::Slide, tiles, 8)));
    forms.extend([1, 4].map(|tiles| form(Family::Rows, tiles, 1)));
    forms
}

/// The horizontal forms that shuffle, on a device with subgroups of this size. A row has as many lanes as a tile's, or
/// more where the filter reaches further, so that a lane lacks texels of its row and of the next tile's only. None where
/// no subgroup holds a row, or four tiles fill no subgroup.
pub fn shuffling(lanes: u32, radius: u32, subgroup: u32) -> Vec<Form> {
    const SUBGROUPS: u32 = 4;
    let row = tile_sides(lanes)[0].max((2 * radius).next_power_of_two());
    if row > lanes.min(subgroup) || !(SUBGROUPS * lanes).is_multiple_of(subgroup) {
        return Vec::new();
    }
    let (family, axis, lanes) = (Family::Shuffle, Axis::Horizontal, [row, lanes / row]);
    [1, 2, 4, 8].map(|tiles| Form { family, axis, lanes, subgroups: SUBGROUPS, tiles }).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Axis::{Horizontal, Vertical};

    /// A correct result shows that each texel is blurred, the area shows that each is blurred once.
    #[test]
    fn a_workgroup_covers_as_many_texels_as_it_blurs() {
        for form in [4, 8, 32, 64, 128].into_iter().flat_map(|lanes| {
            let radii = [1, 4, 16].into_iter().flat_map(move |radius| shuffling(lanes, radius, 64));
            [Horizontal, Vertical].into_iter().flat_map(move |axis| forms(axis, lanes)).chain(radii)
        }) {
            let [width, height] = form.covered();
            assert_eq!(width * height, form.invocations() * form.tiles, "{form:?}");
        }
    }

    #[test]
    fn tiles_and_operations_are_the_talks() {
        assert_eq!([4, 8, 32, 64].map(tile_sides), [[2, 2], [4, 2], [8, 4], [8, 8]]);
        let operations = |family, axis, lanes, tiles, radius| {
            Form::new(family, axis, lanes, tiles, 1).memory_operations(radius).to_bits()
        };
        let unrolled = [8, 4, 2, 1].map(|tiles| operations(Family::Unroll, Horizontal, 64, tiles, 4));
        assert_eq!(unrolled, [9.125_f64, 9.25, 9.5, 10.0].map(f64::to_bits));
        // 9 taps, then 7 times one tap. With a radius of 1, tiles further away share no taps.
        assert_eq!(operations(Family::Slide, Vertical, 32, 8, 4), 3.0_f64.to_bits());
        assert_eq!(operations(Family::Unroll, Horizontal, 32, 8, 1), 4.0_f64.to_bits());
        // A load for each tile and one more.
        assert_eq!(operations(Family::Shuffle, Horizontal, 32, 8, 4), 2.125_f64.to_bits());
    }

    #[test]
    fn a_row_that_shuffles_is_no_shorter_than_the_filter_reaches() {
        let rows =
            |lanes, radius, subgroup| shuffling(lanes, radius, subgroup).first().map(|form| form.lanes);
        assert_eq!(
            [1, 4, 5, 16].map(|radius| rows(32, radius, 32)),
            [[8, 4], [8, 4], [16, 2], [32, 1]].map(Some)
        );
        assert_eq!(
            [rows(8, 4, 8), rows(8, 5, 8), rows(64, 16, 16), rows(4, 1, 32)],
            [Some([8, 1]), None, None, None]
        );
    }
}
