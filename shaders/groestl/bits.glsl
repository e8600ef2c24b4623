#ifndef BITS_GLSL
#define BITS_GLSL

// A round of P and Q without a table. A word holds bit b of row r of all columns of two hashes: bit 2c of the word is column c
// of the first hash, bit 2c + 1 of the second. That makes ShiftBytes a rotation.

#include "groestl/shifts.glsl"

// Which columns' numbers have bit 0, 1, 2 and 3.
const uint COLUMN_BITS[4] = uint[](0xccccccccu, 0xf0f0f0f0u, 0xff00ff00u, 0xffff0000u);

#define WORD(bit, row) x[8u * (bit) + (row) % 8u]

// The S-box of AES in 115 gates, by Joan Boyar and Rene Peralta, A new combinational logic minimization technique, 2010. The
// names are theirs: x and s are the bits of a byte, the highest first, the t between compute an inverse in GF(2^8).
void substitute(inout uint s7, inout uint s6, inout uint s5, inout uint s4, inout uint s3, inout uint s2, inout uint s1,
                inout uint s0) {
    uint x0 = s7, x1 = s6, x2 = s5, x3 = s4, x4 = s3, x5 = s2, x6 = s1, x7 = s0;

    uint y14 = x3 ^ x5, y13 = x0 ^ x6, y9 = x0 ^ x3, y8 = x0 ^ x5, t0 = x1 ^ x2;
    uint y1 = t0 ^ x7, y4 = y1 ^ x3, y12 = y13 ^ y14, y2 = y1 ^ x0, y5 = y1 ^ x6, y3 = y5 ^ y8, t1 = x4 ^ y12;
    uint y15 = t1 ^ x5, y20 = t1 ^ x1, y6 = y15 ^ x7, y10 = y15 ^ t0, y11 = y20 ^ y9, y7 = x7 ^ y11, y17 = y10 ^ y11;
    uint y19 = y10 ^ y8, y16 = t0 ^ y11, y21 = y13 ^ y16, y18 = x0 ^ y16;

    uint t2 = y12 & y15, t4 = (y3 & y6) ^ t2, t6 = (y4 & x7) ^ t2, t7 = y13 & y16, t9 = (y5 & y1) ^ t7, t11 = (y2 & y7) ^ t7;
    uint t12 = y9 & y11, t14 = (y14 & y17) ^ t12, t16 = (y8 & y10) ^ t12;
    uint t21 = t4 ^ t14 ^ y20, t22 = t6 ^ t16 ^ y19, t23 = t9 ^ t14 ^ y21, t24 = t11 ^ t16 ^ y18;
    uint t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26, t29 = (t25 & t27) ^ t22, t30 = t23 ^ t24, t31 = t22 ^ t26;
    uint t33 = (t31 & t30) ^ t24, t34 = t23 ^ t33, t35 = t27 ^ t33, t36 = t24 & t35, t37 = t36 ^ t34, t38 = t27 ^ t36;
    uint t40 = t25 ^ (t29 & t38), t41 = t40 ^ t37, t42 = t29 ^ t33, t43 = t29 ^ t40, t44 = t33 ^ t37, t45 = t42 ^ t41;

    uint z0 = t44 & y15, z1 = t37 & y6, z2 = t33 & x7, z3 = t43 & y16, z4 = t40 & y1, z5 = t29 & y7, z6 = t42 & y11;
    uint z7 = t45 & y17, z8 = t41 & y10, z9 = t44 & y12, z10 = t37 & y3, z11 = t33 & y4, z12 = t43 & y13, z13 = t40 & y5;
    uint z14 = t29 & y2, z15 = t42 & y9, z16 = t45 & y14, z17 = t41 & y8;

    uint t46 = z15 ^ z16, t48 = z5 ^ z13, t53 = z0 ^ z3, t54 = z6 ^ z7, t57 = z2 ^ z12 ^ t53, t58 = z4 ^ t46;
    uint t59 = z3 ^ t54, t62 = z7 ^ z8 ^ t58, t63 = z9 ^ z10 ^ t58, t64 = z4 ^ t59, t65 = z14 ^ t57 ^ t62, t66 = z1 ^ t63;
    s7 = t59 ^ t63;
    s6 = ~(t64 ^ t53 ^ t66);
    s5 = ~(z16 ^ z17 ^ t64 ^ t65);
    s4 = t53 ^ t66;
    s3 = z2 ^ z5 ^ t66;
    s2 = z10 ^ z11 ^ t65;
    s1 = ~(z12 ^ t48 ^ t62);
    s0 = ~(t48 ^ t46 ^ t57);
}

uint turned(uint word, uint columns) {
    return columns == 0u ? word : word >> 2u * columns | word << 32u - 2u * columns;
}

void add_constants(inout uint x[64], bool q, uint round) {
    [[unroll]] for (uint bit = 0u; bit < 8u; ++bit) {
        uint constant = bit < 4u ? 0u - (round >> bit & 1u) : COLUMN_BITS[bit - 4u];
        if (q) {
            [[unroll]] for (uint row = 0u; row < 8u; ++row) {
                WORD(bit, row) = ~WORD(bit, row);
            }
            WORD(bit, 7u) ^= constant;
        } else {
            WORD(bit, 0u) ^= constant;
        }
    }
}

// Whether twice a byte takes its highest bit into this bit: the polynomial is x^8 + x^4 + x^3 + x + 1.
bool takes_carry(uint bit) {
    return bit == 1u || bit == 3u || bit == 4u;
}

// Twice a byte: `bit` of it, where `below` is the bit below and `highest` the highest bit of the byte.
uint doubled(uint bit, uint below, uint highest) {
    return bit == 0u ? highest : takes_carry(bit) ? below ^ highest : below;
}

#define PAIR(bit, row) (WORD(bit, row) ^ WORD(bit, (row) + 1u))

// Row r becomes 2 (2 u + v) + w, where u, v and w are sums of rows: u = pair(r + 3) + pair(r + 6), v = pair(r + 7) +
// pair(r + 9) + row(r + 13), w = pair(r + 4) + pair(r + 6) + row(r + 10). Bit by bit, the lowest first: a bit needs nothing of
// the one above but the highest, so that rows are replaced in place.
void mix(inout uint x[64]) {
    uint u_highest[8], middle_highest[8];
    [[unroll]] for (uint row = 0u; row < 8u; ++row) {
        u_highest[row] = PAIR(7u, row + 3u) ^ PAIR(7u, row + 6u);
        uint u_below = PAIR(6u, row + 3u) ^ PAIR(6u, row + 6u);
        middle_highest[row] = u_below ^ PAIR(7u, row + 7u) ^ PAIR(7u, row + 9u) ^ WORD(7u, row + 13u);
    }
    uint u_below[8], middle_below[8];
    [[unroll]] for (uint bit = 0u; bit < 8u; ++bit) {
        uint u[8], middle[8], mixed[8];
        [[unroll]] for (uint row = 0u; row < 8u; ++row) {
            u[row] = PAIR(bit, row + 3u) ^ PAIR(bit, row + 6u);
            uint v = PAIR(bit, row + 7u) ^ PAIR(bit, row + 9u) ^ WORD(bit, row + 13u);
            uint w = PAIR(bit, row + 4u) ^ PAIR(bit, row + 6u) ^ WORD(bit, row + 10u);
            middle[row] = bit == 7u ? middle_highest[row] : doubled(bit, u_below[row], u_highest[row]) ^ v;
            mixed[row] = doubled(bit, middle_below[row], middle_highest[row]) ^ w;
        }
        [[unroll]] for (uint row = 0u; row < 8u; ++row) {
            WORD(bit, row) = mixed[row];
        }
        u_below = u;
        middle_below = middle;
    }
}

void permute_once(inout uint x[64], bool q, uint round) {
    add_constants(x, q, round);
    [[unroll]] for (uint row = 0u; row < 8u; ++row) {
        substitute(WORD(7u, row), WORD(6u, row), WORD(5u, row), WORD(4u, row), WORD(3u, row), WORD(2u, row), WORD(1u, row),
                   WORD(0u, row));
        [[unroll]] for (uint bit = 0u; bit < 8u; ++bit) {
            WORD(bit, row) = turned(WORD(bit, row), q ? SHIFT_Q[row] : SHIFT_P[row]);
        }
    }
    mix(x);
}

#endif
