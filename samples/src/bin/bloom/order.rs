//! In which order tickets stand for the tiles of a bloom.
//!
//! In every order all tiles of a pass come behind all tiles of each pass that it reads. So a tile waits for earlier
//! tickets alone, and the first that is not done waits for nothing.
//!
//! An order tile by tile, as a list schedule of a model of the device began them, took an H200 a quarter longer: where
//! the model was too fast, tiles that waited held the slots of those that they waited for.

use clap::ValueEnum;

use crate::pyramid::Pass;

/// An order of the tickets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// As passes are recorded with barriers: down, then level by level up.
    Recorded,
    /// Passes first that most others follow one after the other: large blurs come late.
    Urgent,
}

impl Order {
    /// The passes, first to last.
    pub fn of(self, passes: &[Pass]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..passes.len()).collect();
        if self == Self::Urgent {
            let ahead = ahead(passes);
            order.sort_by_key(|&pass| (std::cmp::Reverse(ahead[pass]), pass));
        }
        order
    }
}

/// How many passes follow each on the longest way to the last.
fn ahead(passes: &[Pass]) -> Vec<u32> {
    let mut ahead = vec![0; passes.len()];
    for (at, pass) in passes.iter().enumerate().rev() {
        for read in pass.reads() {
            ahead[read] = ahead[read].max(ahead[at] + 1);
        }
    }
    ahead
}

#[cfg(test)]
mod tests {
    use common::Extent;

    use super::*;
    use crate::pyramid::passes;

    /// On a device whose workgroups run in order a wrong order does no harm, so it is proved here.
    #[test]
    fn a_pass_comes_behind_all_that_it_reads() {
        let passes = passes(Extent { width: 1920, height: 1080 });
        for order in [Order::Recorded, Order::Urgent] {
            let sequence = order.of(&passes);
            let place = |pass| sequence.iter().position(|&at| at == pass).unwrap();
            for (at, pass) in passes.iter().enumerate() {
                assert!(pass.reads().all(|read| place(read) < place(at)), "{order:?}: {pass}");
            }
            assert_eq!(sequence.len(), passes.len());
        }
    }
}
