//! The order in which tickets stand for the tiles of a bloom.
//!
//! In every order, all tiles of a pass come after all tiles of each pass that it reads. So a tile waits only for
//! earlier tickets, and the first unfinished tile waits for nothing.
//!
//! An order tile by tile, from a list schedule on a model of the device, took a quarter longer on an H200: where
//! the model was too fast, waiting tiles held the slots of the tiles that they waited for.

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
    /// The passes in this order.
    pub fn of(self, passes: &[Pass]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..passes.len()).collect();
        if self == Self::Urgent {
            let ahead = ahead(passes);
            order.sort_by_key(|&pass| (std::cmp::Reverse(ahead[pass]), pass));
        }
        order
    }
}

/// For each pass, the number of passes that follow it on the longest path to the last one.
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

    /// Devices that run workgroups in order hide a wrong ticket order, so this is tested on the CPU.
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
