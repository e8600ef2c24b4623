#version 460
// Modules: COPIES=16
#extension GL_EXT_control_flow_attributes : require
#include "groestl/block.glsl"
#include "groestl/round.glsl"

// As tables.comp, without what all hashes share and without what the digest leaves out. Of the first round's state only the
// nonce's word differs among hashes, of the second's only four columns do: the CPU computes the rest. Of the last round only
// the upper half is stored. That leaves 4872 of 5376 reads.

// Of a state behind round 0 and behind round 1, what comes from the words that all hashes share: of P, then of Q.
layout(set = 0, binding = 3, std430) restrict readonly buffer Shared { uvec2 known[2][2][16]; };

const uint NONCE = 1u << 19u;

// The words behind round 0 that a nonce changes: its bytes are rows 4 to 7 of column 9.
uint changed_words(bool q) {
    uint words = 0u;
    [[unroll]] for (uint row = 4u; row < 8u; ++row) {
        words |= 3u << 2u * ((9u - (q ? SHIFT_Q[row] : SHIFT_P[row])) % COLUMNS);
    }
    return words;
}

void permute_known(inout uvec2 x[16], bool q, uint round, uint words) {
    add_constants(x, q, round);
    uvec2 y[16];
    [[unroll]] for (uint j = 0u; j < COLUMNS; ++j) {
        y[j] = known[q ? 1u : 0u][round][j] ^ next_column(x, q, j, words);
    }
    x = y;
}

void permute_both_known(out uvec2 x[16], bool q, uint hash) {
    load_block(x, hash);
    permute_known(x, q, 0u, NONCE);
    permute_known(x, q, 1u, changed_words(q));
}

void main() {
    fill_table();
    uint hash = gl_GlobalInvocationID.x;
    if (hash >= HASHES) {
        return;
    }
    uvec2 h[16], x[16];
    permute_both_known(x, false, hash);
    [[dont_unroll]] for (uint pass = 0u; pass < 2u; ++pass) {
        // Of the second P, the last round is left for below.
        [[dont_unroll]] for (uint round = 2u - 2u * pass; round < ROUNDS - pass; ++round) {
            permute_once(x, false, round);
        }
        if (pass == 0u) {
            h = x;
            permute_both_known(x, true, hash);
            [[dont_unroll]] for (uint round = 2u; round < ROUNDS; ++round) {
                permute_once(x, true, round);
            }
            x[15] ^= INITIAL;
            [[unroll]] for (uint j = 0u; j < 16u; ++j) {
                x[j] ^= h[j];
            }
            h = x;
        }
    }
    add_constants(x, false, ROUNDS - 1u);
    [[unroll]] for (uint j = 8u; j < 16u; ++j) {
        h[j] ^= next_column(x, false, j, ALL_WORDS);
    }
    store_digest(h, hash);
}
