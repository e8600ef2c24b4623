//! The pass and tile that each ticket stands for.
//!
//! Tickets are taken in order, so all tickets before a given one are held by workgroups that are running. A tile
//! may wait only for tiles of earlier tickets. Then the earliest unfinished tile waits for nothing, and every wait
//! ends, however few workgroups run at the same time.
//!
//! ```text
//!  passes    line 0 1 2 3   skewed    line 0 1 2 3     a pass follows the previous one at a distance
//!  pass 0         0 1 2 3             0 1 2 4          of reach + 1 lines, so that several are in flight
//!  pass 1         4 5 6 7             3 5 6 7          together and stores of one may still be in a
//!                                                      cache when the next one reads them
//! ```

use clap::ValueEnum;

/// Order in which tickets stand for tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// Pass after pass.
    Passes,
    /// Pass behind pass, each as soon as its first lines can begin.
    Skewed,
}

impl Order {
    /// Pass and line of each line of tickets, for tiles that read up to `reach` lines away.
    pub fn lines(self, passes: u32, lines: u32, reach: u32) -> Vec<[u32; 2]> {
        let mut all: Vec<[u32; 2]> =
            (0..passes).flat_map(|pass| (0..lines).map(move |y| [pass, y])).collect();
        if self == Self::Skewed {
            // Among lines that may run at the same time, the earlier pass comes first.
            all.sort_by_key(|&[pass, y]| (y + pass * (reach + 1), pass));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Devices that run workgroups in order hide a wrong ticket order, so this is tested on the CPU.
    #[test]
    fn a_ticket_waits_for_earlier_ones_alone() {
        for order in [Order::Passes, Order::Skewed] {
            for (passes, lines, reach) in [(1, 1, 1), (2, 3, 1), (12, 36, 1), (5, 7, 3), (3, 2, 4)] {
                let at = |ticket: (usize, &[u32; 2])| (*ticket.1, ticket.0);
                let tickets: BTreeMap<[u32; 2], usize> =
                    order.lines(passes, lines, reach).iter().enumerate().map(at).collect();
                assert_eq!(tickets.len(), (passes * lines) as usize, "{order:?} {passes} {lines}");
                for (&[pass, y], ticket) in tickets.iter().filter(|([pass, _], _)| *pass > 0) {
                    let near = y.saturating_sub(reach)..=(y + reach).min(lines - 1);
                    let latest = near.map(|near| tickets[&[pass - 1, near]]).max().unwrap();
                    assert!(latest < *ticket, "{order:?} {passes} {lines} {reach}: pass {pass} line {y}");
                }
            }
        }
    }

    #[test]
    fn a_skewed_order_has_passes_side_by_side() {
        let lines = Order::Skewed.lines(2, 4, 1);
        assert_eq!(lines, [[0, 0], [0, 1], [0, 2], [1, 0], [0, 3], [1, 1], [1, 2], [1, 3]]);
    }
}
