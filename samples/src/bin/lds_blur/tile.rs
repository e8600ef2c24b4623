//! Tiles in shared memory: what a workgroup covers, and the pitch of its rows.

/// A tile in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    /// Columns and rows.
    pub sides: [u32; 2],
    /// Texels per invocation, side by side and below each other.
    pub each: [u32; 2],
    /// Words from row to row.
    pub pitch: u32,
}

impl Tile {
    /// A tile with one texel per invocation, without bank conflicts.
    pub fn square(side: u32, radius: u32) -> Self {
        Self { sides: [side; 2], each: [1, 1], pitch: pitch(side, side + 2 * radius) }
    }

    /// A square tile with two texels of a row per invocation and per word.
    pub fn of_pairs(side: u32) -> Self {
        Self { sides: [side; 2], each: [2, 1], pitch: pitch(side / 2, side / 2 + 1) }
    }

    /// A tile with `rows` texels of a column per invocation.
    pub fn of_columns([width, height, rows]: [u32; 3], radius: u32) -> Self {
        Self { sides: [width, height], each: [1, rows], pitch: width + 2 * radius }
    }

    /// Workgroup size in x, y, z.
    pub fn workgroup(self) -> [u32; 3] {
        let [x, y] = [0, 1].map(|side| self.sides[side] / self.each[side]);
        [x, y, 1]
    }

    /// Bytes in shared memory with a border of `radius`.
    pub fn bytes(self, radius: u32) -> u64 {
        4 * u64::from(self.pitch) * u64::from(self.sides[1] + 2 * radius)
    }
}

/// Words from row to row for rows of `lanes` lanes and at least `words` words. Shared memory has 32 banks of one word.
/// Where a row of lanes is shorter than that, the rows that an instruction reads lie in different banks only if the
/// pitch is the number of lanes plus a multiple of 32.
fn pitch(lanes: u32, words: u32) -> u32 {
    match lanes {
        32.. => words,
        _ => words + (lanes + 32 - words % 32) % 32,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The lanes of 32 that read one word each, row after row, are in 32 different banks.
    #[test]
    fn no_two_lanes_meet_in_a_bank() {
        for (tile, radius) in [1, 3, 8]
            .into_iter()
            .flat_map(|radius| [8, 16, 32].map(|side| (Tile::square(side, radius), radius)))
            .chain([8, 16, 32].map(|side| (Tile::of_pairs(side), 1)))
        {
            let [lanes, ..] = tile.workgroup();
            let banks = (0..32).map(|lane| (lane / lanes * tile.pitch + lane % lanes) % 32);
            let banks: BTreeSet<u32> = banks.collect();
            assert_eq!(banks.len(), 32, "{tile:?}");
            let words = tile.sides[0] / tile.each[0] + if tile.each[0] == 2 { 1 } else { 2 * radius };
            assert!((words..words + 32).contains(&tile.pitch), "{tile:?}");
        }
        assert_eq!([Tile::square(16, 1).pitch, Tile::square(32, 1).pitch], [48, 34]);
    }
}
