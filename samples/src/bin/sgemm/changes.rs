//! Kernels that run on request: `zigzag_16x8` with one thing changed, to see what it is worth, and the shapes that a tuner
//! tries.

use crate::plan::{EIGHT_BY_EIGHT, Oddity, Order, Plan, SHAPES, SIXTEEN_BY_EIGHT};

const BASE: Plan = SIXTEEN_BY_EIGHT;

const fn odd(oddity: Oddity) -> Plan {
    Plan { oddity: Some(oddity), ..BASE }
}

/// By the names of variants. `swirl_8x8` differs from `zigzag`, which has the shape of maxas.
pub const CHANGES: [(&str, Plan); 20] = [
    ("but_reads_64", Plan { reads: 2, ..BASE }),
    ("but_reads_32", Plan { reads: 1, ..BASE }),
    ("but_loads_32", Plan { loads: 1, ..BASE }),
    ("but_one_buffer", Plan { buffers: 1, ..BASE }),
    ("but_two_barriers", odd(Oddity::SecondBarrier)),
    ("but_not_ahead", Plan { ahead: false, ..BASE }),
    ("but_rows", Plan { order: Order::Rows, ..BASE }),
    ("but_zigzag_by_rows", Plan { order: Order::RowZigzag, ..BASE }),
    ("but_swirl", Plan { order: Order::Swirl, ..BASE }),
    ("swirl_8x8", Plan { order: Order::Swirl, ..EIGHT_BY_EIGHT }),
    ("but_no_shift", odd(Oddity::NoShift)),
    ("but_no_alpha", odd(Oddity::NoAlpha)),
    ("but_through_shared", odd(Oddity::ThroughShared)),
    ("but_unrolled_2", odd(Oddity::Unrolled(2))),
    ("but_unrolled_4", odd(Oddity::Unrolled(4))),
    ("but_24576_bytes", odd(Oddity::Declared(24_576))),
    ("but_24832_bytes", odd(Oddity::Declared(24_832))),
    ("shape_8x16", SHAPES[1]),
    ("shape_deep", SHAPES[3]),
    ("shape_64x64", SHAPES[4]),
];
