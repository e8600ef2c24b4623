//! Which texel of a rectangle a lane takes, and which rectangle a workgroup: the twin of
//! `shaders/include/remap.glsl`, and the configurations of the talk's table.

/// How lanes are laid over the rectangle of texels that a workgroup covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// Columns of texels.
    pub width: u32,
    /// Rows of texels.
    pub height: u32,
    /// Tiles of 8x8 filled by quads; else rows, as the API numbers lanes.
    pub remapped: bool,
}

impl Rectangle {
    /// The configurations of the talk's table in its order, and rows in 8x8.
    pub const ALL: [Self; 9] = [
        Self::remapped(8, 8),
        Self::remapped(8, 16),
        Self::rows(8, 32),
        Self::remapped(8, 32),
        Self::remapped(16, 32),
        Self::remapped(8, 128),
        Self::remapped(8, 64),
        Self::remapped(32, 16),
        Self::rows(8, 8),
    ];

    /// Tiles of 8x8 filled by quads.
    #[must_use]
    pub const fn remapped(width: u32, height: u32) -> Self {
        Self { width, height, remapped: true }
    }

    /// Rows.
    #[must_use]
    pub const fn rows(width: u32, height: u32) -> Self {
        Self { width, height, remapped: false }
    }

    /// `remap_32x16`, `linear_8x32`.
    #[must_use]
    pub fn name(self) -> String {
        let (width, height) = (self.width, self.height);
        match (self.remapped, width, height) {
            (true, ..) => format!("remap_{width}x{height}"),
            (false, 8, 8) => "row_major_8x8".into(),
            (false, ..) => format!("linear_{width}x{height}"),
        }
    }

    /// The workgroup as the API knows it.
    #[must_use]
    pub fn workgroup(self) -> [u32; 3] {
        if self.remapped { [self.width * self.height, 1, 1] } else { [self.width, self.height, 1] }
    }

    /// Tiles in a column of the rectangle, as a power of two.
    #[must_use]
    pub fn row_bits(self) -> u32 {
        (self.height / 8).trailing_zeros()
    }

    /// The texel of a lane.
    #[must_use]
    pub fn texel(self, lane: u32) -> [u32; 2] {
        if !self.remapped {
            return [lane % self.width, lane / self.width];
        }
        // Within a tile: pairs of rows, each of four quads.
        let (tile, lane) = (lane / 64, lane % 64);
        let (quad, corner) = (lane / 4, lane % 4);
        let tiles_down = self.height / 8;
        let x = 8 * (tile / tiles_down) + 2 * (quad % 4) + corner / 2;
        let y = 8 * (tile % tiles_down) + 2 * (quad / 4) + corner % 2;
        [x, y]
    }
}

/// The place of a workgroup in a grid that is walked in strips `columns` wide.
#[must_use]
pub fn walked(index: u32, groups: [u32; 2], columns: u32) -> [u32; 2] {
    let mut first = 0;
    let mut left = index;
    loop {
        let width = columns.min(groups[0] - first);
        let strip = width * groups[1];
        if left < strip {
            return [first + left % width, left / width];
        }
        left -= strip;
        first += width;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_lane_has_a_texel_of_its_own() {
        for rectangle in Rectangle::ALL {
            let lanes = rectangle.width * rectangle.height;
            let texels: BTreeSet<[u32; 2]> = (0..lanes).map(|lane| rectangle.texel(lane)).collect();
            assert_eq!(texels.len(), lanes as usize, "{rectangle:?}");
            let within = |t: &[u32; 2]| t[0] < rectangle.width && t[1] < rectangle.height;
            assert!(texels.iter().all(within), "{rectangle:?}");
        }
    }

    #[test]
    fn four_lanes_are_a_quad() {
        for rectangle in Rectangle::ALL.into_iter().filter(|r| r.remapped) {
            for first in (0..rectangle.width * rectangle.height).step_by(4) {
                let [x, y] = rectangle.texel(first);
                assert!(x % 2 == 0 && y % 2 == 0);
                let quad: BTreeSet<_> = (first..first + 4).map(|lane| rectangle.texel(lane)).collect();
                assert_eq!(quad, BTreeSet::from([[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]]));
            }
        }
    }

    /// The slide: y takes bits 0, 4, 5, 6 of the lane, x takes bits 1, 2, 3, 7, 8.
    #[test]
    fn the_talks_bits() {
        let bits = |lane: u32, from: &[u32]| -> u32 {
            (0..).zip(from).map(|(to, from)| (lane >> from & 1) << to).sum()
        };
        for lane in 0..512 {
            let slide = [bits(lane, &[1, 2, 3, 7, 8]), bits(lane, &[0, 4, 5, 6])];
            assert_eq!(Rectangle::remapped(32, 16).texel(lane), slide, "lane {lane}");
        }
    }

    #[test]
    fn every_workgroup_is_walked_once() {
        for groups in [[1, 1], [7, 5], [8, 3], [33, 2], [5, 40], [64, 1]] {
            for columns in [1, 3, 8, 16, 32] {
                let all: BTreeSet<_> =
                    (0..groups[0] * groups[1]).map(|index| walked(index, groups, columns)).collect();
                assert_eq!(all.len(), (groups[0] * groups[1]) as usize, "{groups:?} {columns}");
                assert!(all.iter().all(|at| at[0] < groups[0] && at[1] < groups[1]));
            }
        }
        // A strip is left only when it is done.
        let strip: Vec<_> = (0..5).map(|index| walked(index, [3, 2], 2)).collect();
        assert_eq!(strip, [[0, 0], [1, 0], [0, 1], [1, 1], [2, 0]]);
    }
}
