#ifndef ROUND_GLSL
#define ROUND_GLSL

// A round of Groestl-512's permutations P and Q, by a table. A state has 16 columns of 8 bytes: row k of a column is byte k of
// its eight, the lowest first.

#include "groestl/shifts.glsl"
#include "groestl/table.glsl"

const uint COLUMNS = 16u;
const uint ALL_WORDS = ~0u;

// What the byte of `row` adds to column j, if its word is one of `words`: bit 2c is the first half of column c, 2c + 1 the second.
uvec2 added(uvec2 x[16], bool q, uint j, uint row, uint words) {
    uint column = (j + (q ? SHIFT_Q[row] : SHIFT_P[row])) % COLUMNS;
    if ((words >> (2u * column + row / 4u) & 1u) == 0u) {
        return uvec2(0u);
    }
    return entry(bitfieldExtract(x[column][row / 4u], int(8u * (row % 4u)), 8), row);
}

// Column j of the next state, as far as it comes from `words`.
uvec2 next_column(uvec2 x[16], bool q, uint j, uint words) {
    uvec2 sum = uvec2(0u);
#ifdef EIGHT_TABLES
    [[unroll]] for (uint row = 0u; row < 8u; ++row) {
        sum ^= added(x, q, j, row, words);
    }
#else
    // Two rows per rotation: a byte four rows further adds the same with its halves swapped.
    [[unroll]] for (int row = 3; row >= 0; --row) {
        sum = rotated(sum, 1u) ^ added(x, q, j, uint(row), words) ^ added(x, q, j, uint(row) + 4u, words).yx;
    }
#endif
    return sum;
}

void add_constants(inout uvec2 x[16], bool q, uint round) {
    [[unroll]] for (uint j = 0u; j < COLUMNS; ++j) {
        uint constant = j << 4u ^ round;
        x[j] = q ? ~x[j] ^ uvec2(0u, constant << 24u) : x[j] ^ uvec2(constant, 0u);
    }
}

void permute_once(inout uvec2 x[16], bool q, uint round) {
    add_constants(x, q, round);
    uvec2 y[16];
#ifdef HALF_ROUND
    // The state turns by eight columns in between, so that the same code computes both halves.
    [[dont_unroll]] for (uint half_round = 0u; half_round < 2u; ++half_round) {
        [[unroll]] for (uint j = 0u; j < COLUMNS / 2u; ++j) {
            // In the first turn nothing is there yet; the second overwrites it.
            y[j] = y[j + COLUMNS / 2u];
            y[j + COLUMNS / 2u] = next_column(x, q, j, ALL_WORDS);
        }
        [[unroll]] for (uint j = 0u; j < COLUMNS / 2u; ++j) {
            uvec2 other = x[j];
            x[j] = x[j + COLUMNS / 2u];
            x[j + COLUMNS / 2u] = other;
        }
    }
#else
    [[unroll]] for (uint j = 0u; j < COLUMNS; ++j) {
        y[j] = next_column(x, q, j, ALL_WORDS);
    }
#endif
    x = y;
}

#endif
