//! The order in which tickets stand for the tiles of a bloom.
//!
//! In every order, all tiles of a pass come after all tiles of each pass that it reads. So a tile waits only for
//! earlier tickets, and the first unfinished tile waits for nothing.
//!
//! The order is one of whole passes. Single tiles in the order of a list schedule, by modelled times, take a quarter
//! longer on an H200: tiles that start too early take up slots that the tiles they wait for need.

use clap::ValueEnum;

use crate::pyramid::Pass;

/// An order of the tickets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// As passes are recorded with barriers: down, then level by level up
    Recorded,
    /// Longest dependent chain first
    Urgent,
}

impl Order {
    /// The passes in this order.
    pub fn of(self, passes: &[Pass]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..).zip(passes).map(|(at, _)| at).collect();
        if self == Self::Urgent {
            let ahead = ahead(passes);
            order.sort_by_key(|&pass| (std::cmp::Reverse(ahead[pass as usize]), pass));
        }
        order
    }
}

/// For each pass, the number of passes that follow it on the longest path to the last one.
fn ahead(passes: &[Pass]) -> Vec<u32> {
    let mut ahead = vec![0; passes.len()];
    for (at, pass) in passes.iter().enumerate().rev() {
        for read in pass.reads() {
            ahead[read as usize] = ahead[read as usize].max(ahead[at] + 1);
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
    fn a_pass_comes_after_all_that_it_reads() {
        let passes = passes(Extent { width: 1920, height: 1080 });
        for order in [Order::Recorded, Order::Urgent] {
            let sequence = order.of(&passes);
            let place = |pass| sequence.iter().position(|&at| at == pass).unwrap();
            for (at, pass) in (0..).zip(&passes) {
                assert!(pass.reads().all(|read| place(read) < place(at)), "{order:?}: {pass}");
            }
            assert_eq!(sequence.len(), passes.len());
        }
    }
}
