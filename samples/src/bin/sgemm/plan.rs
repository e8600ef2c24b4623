//! What a straight-line kernel is generated from.

use std::fmt;

/// The work of a kernel, and how it is arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Rows and columns of C that a workgroup computes.
    pub tile: [u32; 2],
    /// How many k a step has.
    pub depth: u32,
    /// Rows and columns of C that an invocation computes.
    pub each: [u32; 2],
    /// 32 invocations as rows and columns.
    pub lanes: [u32; 2],
    /// Order of the multiply-adds.
    pub order: Order,
    /// Floats per load from global memory: 1 or 4.
    pub loads: u32,
    /// Floats per load from shared memory: 1, 2 or 4.
    pub reads: u32,
    /// Buffers in shared memory. With one, a step has two barriers.
    pub buffers: u32,
    /// Whether the next step is fetched while one is computed.
    pub prefetches: bool,
    /// Whether registers are read one k ahead.
    pub ahead: bool,
    /// Whether workgroups share tiles along K.
    pub splits: bool,
    /// What no kernel that is to be fast would do.
    pub oddity: Option<Oddity>,
}

/// A change that shows what a part of the kernel is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// A second barrier in each step, though there are two buffers.
    SecondBarrier,
    /// A's part lies in shared memory without gaps.
    NoShift,
    /// Sums are stored as they are, which is right where alpha is 1.
    NoAlpha,
    /// Results pass through shared memory, so that a subgroup stores whole rows.
    ThroughShared,
    /// So many steps in the loop.
    Unrolled(u32),
    /// So many bytes of shared memory are declared.
    Declared(u32),
}

/// The plan whose invocations compute 8x8 results, as in maxas' kernel.
pub const EIGHT_BY_EIGHT: Plan = Plan {
    tile: [128, 128],
    depth: 8,
    each: [8, 8],
    lanes: [8, 4],
    order: Order::Zigzag,
    loads: 4,
    reads: 4,
    buffers: 2,
    prefetches: true,
    ahead: true,
    splits: false,
    oddity: None,
};

/// Twice the results per invocation: an operand read from shared memory serves 16 multiply-adds.
pub const SIXTEEN_BY_EIGHT: Plan = Plan { each: [16, 8], lanes: [4, 8], ..EIGHT_BY_EIGHT };

/// As a text book has it: all loads are of single floats, and two barriers a step keep loads and arithmetic apart.
const TILED: Plan = Plan {
    order: Order::Rows,
    loads: 1,
    reads: 1,
    buffers: 1,
    prefetches: false,
    ahead: false,
    ..EIGHT_BY_EIGHT
};
const VECTORS: Plan = Plan { loads: 4, reads: 4, ..TILED };
const TWO_BUFFERS: Plan = Plan { buffers: 2, prefetches: true, ..VECTORS };
const READ_AHEAD: Plan = Plan { ahead: true, ..TWO_BUFFERS };

/// Each has one thing more than the one before.
pub const LADDER: [(&str, Plan); 6] = [
    ("tiled", TILED),
    ("vectors", VECTORS),
    ("two_buffers", TWO_BUFFERS),
    ("read_ahead", READ_AHEAD),
    ("zigzag", EIGHT_BY_EIGHT),
    ("zigzag_16x8", SIXTEEN_BY_EIGHT),
];

/// The shapes that a tuner chooses among.
pub const SHAPES: [Plan; 5] = [
    SIXTEEN_BY_EIGHT,
    Plan { each: [8, 16], ..EIGHT_BY_EIGHT },
    EIGHT_BY_EIGHT,
    // More invocations hide the second barrier, and one buffer has room for twice the depth.
    Plan { depth: 16, buffers: 1, ..EIGHT_BY_EIGHT },
    Plan { tile: [64, 64], ..EIGHT_BY_EIGHT },
];

/// Orders that a tuner chooses among. The shuffled ones are, of fifty, those with which a shape was fastest on an H200.
pub const ORDERS: [Order; 5] =
    [Order::Zigzag, Order::Rows, Order::Shuffled(21), Order::Shuffled(23), Order::Shuffled(25)];

/// Order of the multiply-adds of one k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Row by row.
    Rows,
    /// Column by column, every second one backwards: neighbours share an operand.
    Zigzag,
    /// A zigzag with rows and columns shuffled.
    Shuffled(u64),
    /// Row by row, every second one backwards: the zigzag of maxas.
    RowZigzag,
    /// The swirl of maxas: around squares of two rows, two apart, and two columns.
    Swirl,
}

impl Order {
    /// Rows and columns of the results in this order.
    pub fn of(self, [rows, columns]: [u32; 2]) -> Vec<[u32; 2]> {
        let [mut down, mut across]: [Vec<u32>; 2] = [(0..rows).collect(), (0..columns).collect()];
        match self {
            Self::Rows => down.iter().flat_map(|&i| across.iter().map(move |&j| [i, j])).collect(),
            Self::RowZigzag => zigzag(&down, &across),
            Self::Swirl => {
                let first_of_two = |i: &u32| i % 4 < 2;
                let [down, across]: [Vec<u32>; 2] = [
                    down.into_iter().filter(first_of_two).collect(),
                    across.into_iter().step_by(2).collect(),
                ];
                let squares = zigzag(&across, &down).into_iter();
                squares.flat_map(|[j, i]| [[i + 2, j], [i + 2, j + 1], [i, j + 1], [i, j]]).collect()
            }
            Self::Zigzag | Self::Shuffled(_) => {
                if let Self::Shuffled(mut state) = self {
                    shuffle(&mut down, &mut state);
                    shuffle(&mut across, &mut state);
                }
                zigzag(&across, &down).into_iter().map(|[j, i]| [i, j]).collect()
            }
        }
    }
}

/// Every pair of the two, the second ones forwards and backwards by turns.
fn zigzag(first: &[u32], second: &[u32]) -> Vec<[u32; 2]> {
    let back: Vec<u32> = second.iter().rev().copied().collect();
    let line = |(at, &a): (usize, &u32)| {
        let second = if at % 2 == 0 { second } else { &back };
        second.iter().map(|&b| [a, b]).collect::<Vec<_>>()
    };
    first.iter().enumerate().flat_map(line).collect()
}

/// Fisher and Yates' shuffle, with Knuth's generator: packs need the same order in every version.
fn shuffle(items: &mut [u32], state: &mut u64) {
    for last in (1..items.len()).rev() {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(last, (*state >> 33) as usize % (last + 1));
    }
}

impl Plan {
    /// Invocations of a workgroup.
    pub fn invocations(&self) -> u32 {
        self.tile[0] / self.each[0] * (self.tile[1] / self.each[1])
    }

    /// How often an invocation loads of a step's part of A (0) or B (1).
    pub fn pieces(&self, matrix: usize) -> u32 {
        self.tile[matrix] * self.depth / self.loads / self.invocations()
    }

    /// How many rows a piece of A lies below the first.
    pub fn a_rows(&self, piece: u32) -> u32 {
        piece * self.invocations() / (self.depth / self.loads)
    }

    /// How many k and how many columns a piece of B lies behind the first.
    pub fn b_offset(&self, piece: u32) -> [u32; 2] {
        let (at, across) = (piece * self.invocations(), self.tile[1] / self.loads);
        [at / across, at % across * self.loads]
    }

    /// Words by which each four k of A lie further than they must, so that what a subgroup stores meets in no bank.
    pub fn shift(&self) -> u32 {
        if self.oddity == Some(Oddity::NoShift) { 0 } else { 32 / (self.depth / 4) }
    }

    /// Words of A's part in shared memory.
    pub fn a_words(&self) -> u32 {
        self.tile[0] * self.depth + self.depth / 4 * self.shift()
    }

    /// Words of a buffer in shared memory.
    pub fn buffer_words(&self) -> u32 {
        self.a_words() + self.tile[1] * self.depth
    }

    /// Words of shared memory.
    pub fn shared_words(&self) -> u32 {
        match self.oddity {
            Some(Oddity::Declared(bytes)) => bytes / 4,
            _ => self.buffers * self.buffer_words(),
        }
    }
}

/// `128x128x8, 16x8 each, 2 buffers, zigzag`: what tells plans apart.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, columns] = self.tile;
        let [down, across] = self.each;
        write!(f, "{rows}x{columns}x{}, {down}x{across} each", self.depth)?;
        write!(f, ", {} buffer{}", self.buffers, if self.buffers == 1 { "" } else { "s" })?;
        match self.order {
            Order::Rows => write!(f, ", by rows")?,
            Order::Zigzag => write!(f, ", zigzag")?,
            Order::Shuffled(seed) => write!(f, ", zigzag {seed}")?,
            Order::RowZigzag => write!(f, ", zigzag by rows")?,
            Order::Swirl => write!(f, ", swirl")?,
        }
        let said = [
            (self.loads == 1, ", single loads"),
            (self.reads < 4, if self.reads == 1 { ", single reads" } else { ", paired reads" }),
            (!self.prefetches, ", no prefetch"),
            (!self.ahead, ", no read ahead"),
            (self.splits, ", split along K"),
        ];
        said.iter().filter(|(applies, _)| *applies).try_for_each(|(_, words)| f.write_str(words))?;
        match self.oddity {
            None => Ok(()),
            Some(Oddity::SecondBarrier) => write!(f, ", two barriers"),
            Some(Oddity::NoShift) => write!(f, ", no shift"),
            Some(Oddity::NoAlpha) => write!(f, ", no alpha"),
            Some(Oddity::ThroughShared) => write!(f, ", stored through shared memory"),
            Some(Oddity::Unrolled(steps)) => write!(f, ", {steps} steps in the loop"),
            Some(Oddity::Declared(bytes)) => write!(f, ", {bytes} bytes of shared memory"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_order_has_each_result_once() {
        for order in ORDERS.into_iter().chain([Order::RowZigzag, Order::Swirl]) {
            for each in [[16, 8], [8, 16], [8, 8]] {
                let results = order.of(each);
                let different: BTreeSet<_> = results.iter().collect();
                assert_eq!(
                    (results.len(), different.len()),
                    (each[0] as usize * each[1] as usize, results.len())
                );
            }
        }
    }

    #[test]
    fn neighbours_in_a_zigzag_share_an_operand() {
        let zigzags = ORDERS.into_iter().filter(|&order| order != Order::Rows);
        for order in zigzags.chain([Order::RowZigzag]) {
            let results = order.of([16, 8]);
            assert!(
                results.windows(2).all(|two| two[0][0] == two[1][0] || two[0][1] == two[1][1]),
                "{order:?}"
            );
        }
    }

    #[test]
    fn parts_divide_evenly_among_invocations() {
        for plan in SHAPES {
            for matrix in 0..2 {
                let moved = plan.pieces(matrix) * plan.invocations() * plan.loads;
                assert_eq!(moved, plan.tile[matrix] * plan.depth, "{plan}");
            }
        }
    }
}
