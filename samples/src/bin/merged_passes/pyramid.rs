//! The levels of a mip chain, and what they hold.

use common::Declared;

/// Levels that a workgroup writes of its tile of 64x64 texels.
pub const MOST_LEVELS: u32 = 6;
/// Side of a workgroup's tile, in texels of the level that it reads.
const TILE: u32 = 64;
/// Side of a workgroup.
const WORKGROUP: u32 = 16;

/// A dispatch: what it reads, and how many levels it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// Number of the level that it reads, 0 for the whole image.
    pub reads: u32,
    pub levels: u32,
}

/// A square image whose side is a power of two, and its levels down to one texel.
#[derive(Clone, Copy, Debug)]
pub struct Pyramid {
    pub side: u32,
}

impl Pyramid {
    /// Levels below the image.
    pub const fn levels(self) -> u32 {
        self.side.ilog2()
    }

    /// Side of a level.
    pub const fn side(self, level: u32) -> u32 {
        self.side >> level
    }

    /// Word at which a level begins behind those above it; 0 for the image, which is a buffer of its own.
    pub fn begin(self, level: u32) -> u32 {
        (1..level).map(|above| self.side(above).pow(2)).sum()
    }

    /// Words of all levels below the image.
    pub fn words(self) -> u32 {
        self.begin(self.levels() + 1)
    }

    /// Dispatches that write so many levels each; the last one may write fewer.
    pub fn dispatches(self, levels: u32) -> impl Iterator<Item = Dispatch> {
        let all = self.levels();
        (0..all)
            .step_by(levels as usize)
            .map(move |reads| Dispatch { reads, levels: levels.min(all - reads) })
    }

    /// The shader's push constants.
    pub fn push(self, Dispatch { reads, levels }: Dispatch) -> [u32; 4] {
        [self.begin(reads), self.side(reads), self.begin(reads + 1), self.levels() - reads - levels]
    }

    /// Workgroups: for one level an invocation per texel that is written, else a tile each.
    pub fn groups(self, Dispatch { reads, levels }: Dispatch) -> [u32; 3] {
        let per_group = if levels == 1 { 2 * WORKGROUP } else { TILE };
        let groups = self.side(reads).div_ceil(per_group);
        [groups, groups, 1]
    }

    /// What has to be moved at least: the image is read, and each level written.
    pub fn declared(self) -> Declared {
        Declared::default().bytes(4 * (u64::from(self.side).pow(2) + u64::from(self.words())))
    }

    /// The image.
    pub fn image(self) -> Vec<u32> {
        let side = self.side;
        let texel = |x: u32, y: u32| u32::from_le_bytes([x ^ y, x, y, x + 3 * y].map(|n| n.to_le_bytes()[0]));
        (0..side).flat_map(|y| (0..side).map(move |x| texel(x, y))).collect()
    }

    /// Colours of the first level.
    pub fn painted(self, words: &[u32]) -> Vec<[u8; 3]> {
        let texels = words.iter().take(self.side(1).pow(2) as usize);
        texels.map(|word| word.to_le_bytes()).map(|[r, g, b, _]| [r, g, b]).collect()
    }

    /// All levels below it, one behind the other: means of four texels, rounded byte by byte.
    pub fn reference(self) -> Vec<u32> {
        let (mut above, mut all) = (self.image(), Vec::new());
        for level in 1..=self.levels() {
            above = halved(&above, self.side(level) as usize);
            all.extend_from_slice(&above);
        }
        all
    }
}

fn halved(above: &[u32], side: usize) -> Vec<u32> {
    let texel = |x: usize, y: usize| {
        let four =
            [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| above[(2 * y + dy) * 2 * side + 2 * x + dx]);
        let bytes = four.map(u32::to_le_bytes);
        let mean = |at: usize| {
            let sum: u32 = bytes.iter().map(|texel| u32::from(texel[at])).sum();
            ((sum + 2) / 4).to_le_bytes()[0]
        };
        u32::from_le_bytes([0, 1, 2, 3].map(mean))
    };
    (0..side).flat_map(|y| (0..side).map(move |x| texel(x, y))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_follow_each_other() {
        let pyramid = Pyramid { side: 256 };
        assert_eq!((pyramid.levels(), pyramid.words()), (8, (256 * 256 - 1) / 3));
        assert_eq!([1, 2, 3].map(|level| pyramid.begin(level)), [0, 128 * 128, 128 * 128 + 64 * 64]);
        let of = |levels| pyramid.dispatches(levels).map(|d| (d.reads, d.levels)).collect::<Vec<_>>();
        assert_eq!(of(6), [(0, 6), (6, 2)]);
        assert_eq!(of(1).len(), 8);
        assert_eq!(pyramid.push(Dispatch { reads: 0, levels: 6 }), [0, 256, 0, 2]);
        assert_eq!(pyramid.push(Dispatch { reads: 2, levels: 2 }), [16384, 64, 16384 + 4096, 4]);
        assert_eq!(pyramid.groups(Dispatch { reads: 0, levels: 6 }), [4, 4, 1]);
        assert_eq!(pyramid.groups(Dispatch { reads: 6, levels: 2 }), [1, 1, 1]);
        assert_eq!(pyramid.groups(Dispatch { reads: 0, levels: 1 }), [8, 8, 1]);
    }

    #[test]
    fn means_are_rounded() {
        assert_eq!(halved(&[0xFF00_0001, 0xFF00_0000, 0xFF00_0001, 0xFE00_0000], 1), [0xFF00_0001]);
        let levels = Pyramid { side: 256 }.reference();
        assert_eq!(levels.len(), 21845);
    }
}
