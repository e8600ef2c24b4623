//! Chains: the order in which a walk reads lines, with the formulas of the shaders. They are the CPU reference, too: they tell
//! where a walk ends without walking.

/// Words of a line.
pub const WORDS: u32 = 32;
/// Bytes of a line.
pub const LINE: u64 = 4 * WORDS as u64;

/// Permutes the numbers below `2^bits`.
const fn permuted(x: u32, bits: u32) -> u32 {
    let (mask, shift) = ((1 << bits) - 1, bits.div_ceil(2));
    let x = x.wrapping_mul(0x9E37_79B1).wrapping_add(0x7F4A_7C15) & mask;
    let x = x ^ x >> shift;
    let x = x.wrapping_mul(0x85EB_CA6B) & mask;
    x ^ x >> shift
}

/// A round through lines.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    /// Lines that it reads.
    pub lines: u32,
    /// Parts of `2^bits` lines, which are walked through in turn; 0 if one after the other.
    parts: u32,
    bits: u32,
    /// A line of each `2^gap_bits` is read.
    gap_bits: u32,
}

impl Chain {
    /// A random order.
    pub const fn random(lines: u32) -> Self {
        let bits = lines.trailing_zeros();
        Self { lines, parts: lines >> bits, bits, gap_bits: 0 }
    }

    /// The lines of a page in random order, then those of the next; both powers of two.
    pub const fn page_by_page(lines: u32, in_a_page: u32) -> Self {
        let in_a_page = if in_a_page < lines { in_a_page } else { lines };
        Self { lines, parts: 0, bits: in_a_page.trailing_zeros(), gap_bits: 0 }
    }

    /// A random order of lines that are spread `times` as far; both powers of two, `times` at most 2^16.
    pub const fn spread(lines: u32, times: u32) -> Self {
        Self { gap_bits: times.trailing_zeros(), ..Self::random(lines) }
    }

    /// Lines that it lies in, with those between.
    pub const fn span(&self) -> u32 {
        self.lines << self.gap_bits
    }

    /// The line after so many others.
    pub const fn line(&self, loads: u32) -> u32 {
        let Self { lines, parts, bits, gap_bits } = *self;
        let i = loads % lines;
        let (part, turn) = match parts {
            0 => (i >> bits, i & ((1 << bits) - 1)),
            parts => (i % parts, i / parts),
        };
        let turn = turn.wrapping_add(part.wrapping_mul(0x9E37_79B1)) & ((1 << bits) - 1);
        let line = (part << bits) + permuted(turn, bits);
        (line << gap_bits) + (permuted(line, 16) & ((1 << gap_bits) - 1))
    }

    /// The push constants of the shaders: of the chain with this number, of which at most `warmed` lines are read before a walk
    /// with so many timed loads.
    pub fn push(&self, number: u32, warmed: u32, loads: u32) -> [u32; 7] {
        let Self { lines, parts, bits, gap_bits } = *self;
        [lines, parts, bits, gap_bits, number, lines.min(warmed), loads]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn a_round_reads_each_line_once() {
        for chain in [
            Chain::random(2),
            Chain::random(3 << 9),
            Chain::random(7 << 14),
            Chain::page_by_page(1 << 16, 1 << 14),
            Chain::page_by_page(1 << 12, 1 << 14),
            Chain::spread(1 << 11, 1 << 13),
        ] {
            let read: HashSet<u32> = (0..chain.lines).map(|load| chain.line(load)).collect();
            assert_eq!(read.len(), chain.lines as usize, "{chain:?}");
            assert!(read.iter().all(|line| *line < chain.span()), "{chain:?}");
            assert_eq!(chain.line(chain.lines), chain.line(0));
        }
    }

    /// Otherwise a walk would find its next line in a cache, or on an open page, more often than by chance.
    #[test]
    fn no_distance_between_neighbours_is_frequent() {
        for lines in [1 << 17, 3 << 14, 5 << 13, 7 << 13] {
            let chain = Chain::random(lines);
            let mut counts = HashMap::new();
            for i in 0..4096 {
                *counts.entry(chain.line(i).abs_diff(chain.line(i + 1))).or_insert(0) += 1;
            }
            let most = counts.values().max().unwrap();
            assert!(*most < 4096 * 15 / 100, "{most} of 4096 in {chain:?}");
        }
    }
}
