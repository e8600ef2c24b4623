//! CPU reference of `shaders/swizzled_remap/remap.glsl`: the texel of each lane, and the rectangle of each
//! workgroup.
//!
//! ```text
//!  lanes in rows (8 of 64)   in 2x2 quads        tiles of a workgroup, down the columns
//!  0 1 2 3 4 5 6 7           0 2 4 6 …           32x16   0 2 4 6      8x32   0     16x32   0 4
//!  8 …                       1 3 5 7 …                   1 3 5 7             1             1 5
//!                            16 18 …                                         2             2 6
//!                            17 19 …                                         3             3 7
//! ```
//!
//! The slide gives the order of lanes and tiles only for 32x16. The other rectangles follow the same rule here:
//! tiles go down a column, then to the next column.

/// Side of a tile in texels.
const TILE: u32 = 8;
const TILE_LANES: u32 = TILE * TILE;

/// Position of a lane in a rectangle with `tiles_a_column` tiles per column. Four lanes form a quad, four quads a
/// row of quads, and four such rows a tile.
pub fn remap(lane: u32, tiles_a_column: u32) -> [u32; 2] {
    let (tile, quad, corner) = (lane / TILE_LANES, lane % TILE_LANES / 4, lane % 4);
    let [column, row] = [tile / tiles_a_column, tile % tiles_a_column];
    [TILE * column + 2 * (quad % 4) + corner / 2, TILE * row + 2 * (quad / 4) + corner % 2]
}

/// Position at which the workgroup launched at `group` works. The grid is walked in columns of `width` workgroups,
/// row by row in each column; the last column may be narrower.
pub fn in_columns(group: [u32; 2], grid: [u32; 2], width: u32) -> [u32; 2] {
    let order = group[1] * grid[0] + group[0];
    // The first column that has workgroups left.
    let left = order / (width * grid[1]) * width;
    let width = width.min(grid[0] - left);
    let rest = order - left * grid[1];
    [left + rest % width, rest / width]
}

/// Arrangement of lanes in the rectangle of their workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// Along the rows.
    Rows,
    /// In 2x2 quads within tiles of 8x8 texels.
    Quads,
}

/// A mapping of lanes and workgroups to the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Arrangement of lanes in the rectangle.
    pub lanes: Lanes,
    /// Sides of the rectangle in texels, which equal lanes.
    pub area: [u32; 2],
    /// Width of the columns in which workgroups walk the image; `None` for whole rows.
    pub columns: Option<u32>,
}

impl Form {
    /// Lanes in quads, workgroups along rows.
    pub const fn remapped(width: u32, height: u32) -> Self {
        Self { lanes: Lanes::Quads, area: [width, height], columns: None }
    }

    /// Lanes along rows, workgroups along rows.
    pub const fn in_rows(width: u32, height: u32) -> Self {
        Self { lanes: Lanes::Rows, area: [width, height], columns: None }
    }

    /// The same mapping with workgroups in columns of `columns`.
    pub fn walked_in(self, columns: u32) -> Self {
        Self { columns: Some(columns), ..self }
    }

    /// Name without the walk of the workgroups: `remap_32x16`.
    fn stem(&self) -> String {
        let [width, height] = self.area;
        let family = match self.lanes {
            Lanes::Quads => "remap",
            Lanes::Rows if self.area == [TILE; 2] => "row_major",
            Lanes::Rows => "linear",
        };
        format!("{family}_{width}x{height}")
    }

    /// Name of the variant: `remap_32x16_columns_8`.
    pub fn name(&self) -> String {
        self.stem() + &self.columns.map_or_else(String::new, |width| format!("_columns_{width}"))
    }

    /// Workgroup size in x, y, z.
    pub fn workgroup(&self) -> [u32; 3] {
        let [width, height] = self.area;
        match self.lanes {
            Lanes::Quads => [width * height, 1, 1],
            Lanes::Rows => [width, height, 1],
        }
    }

    /// Invocations per workgroup.
    pub fn invocations(&self) -> u32 {
        self.area.iter().product()
    }

    /// Tiles per column of the rectangle: a power of two.
    pub fn tiles_a_column(&self) -> u32 {
        self.area[1] / TILE
    }

    /// Number of workgroups across and down an image of these sides.
    pub fn grid(&self, image: [u32; 2]) -> [u32; 2] {
        [image[0].div_ceil(self.area[0]), image[1].div_ceil(self.area[1])]
    }

    /// The texel of a lane in the workgroup launched at `group` of a grid.
    pub fn place(&self, group: [u32; 2], grid: [u32; 2], lane: u32) -> [u32; 2] {
        let group = self.columns.map_or(group, |width| in_columns(group, grid, width));
        let cell = match self.lanes {
            Lanes::Quads => remap(lane, self.tiles_a_column()),
            Lanes::Rows => [lane % self.area[0], lane / self.area[0]],
        };
        [0, 1].map(|side| group[side] * self.area[side] + cell[side])
    }

    /// The texels of a whole grid in launch order, packed as the kernel reports them: y in the upper half, x in
    /// the lower.
    pub fn places(&self, grid: [u32; 2]) -> Vec<u32> {
        let groups = (0..grid[1]).flat_map(|y| (0..grid[0]).map(move |x| [x, y]));
        let lanes = |group| (0..self.invocations()).map(move |lane| self.place(group, grid, lane));
        groups.flat_map(lanes).map(|[x, y]| y << 16 | x).collect()
    }
}

/// The configurations of the talk's table, in its order.
pub const TALK: [Form; 8] = [
    Form::remapped(8, 8),
    Form::remapped(8, 16),
    Form::in_rows(8, 32),
    Form::remapped(8, 32),
    Form::remapped(16, 32),
    Form::remapped(8, 128),
    Form::remapped(8, 64),
    Form::remapped(32, 16),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The lane bits that make up x and y for 32x16, lowest first, as drawn on the slide.
    #[test]
    fn the_talks_remap_bit_by_bit() {
        let gather =
            |lane: u32, bits: &[u32]| (0..).zip(bits).map(|(to, from)| (lane >> from & 1) << to).sum();
        for lane in 0..512 {
            let slide: [u32; 2] = [gather(lane, &[1, 2, 3, 7, 8]), gather(lane, &[0, 4, 5, 6])];
            assert_eq!(Form::remapped(32, 16).place([0, 0], [1, 1], lane), slide, "lane {lane}");
        }
    }

    /// A result does not depend on the order, so the order is tested here.
    #[test]
    fn columns_are_walked_row_by_row() {
        let order = [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0], [0, 1], [1, 1], [2, 1], [3, 1], [4, 1]];
        let walked = order.map(|group| in_columns(group, [5, 2], 2));
        assert_eq!(walked, [[0, 0], [1, 0], [0, 1], [1, 1], [2, 0], [3, 0], [2, 1], [3, 1], [4, 0], [4, 1]]);
    }
}
