#version 460
// Modules: COPIES=16|EIGHT_TABLES|NO_READS UNROLL=ROUND_14|-
// Modules: COPIES=16 UNROLL=ROUND_7
// Modules: NO_READS UNROLL=ROUND_2|UNROLL=ROUND_7|HALF_ROUND
// Modules: COPIES=16 UNROLL=ROUND_14|- TWO_P
// Modules: COPIES=1 PARKED|ROWS_FROM_MEMORY=2|-
// Modules: UNIFORM_TABLE|STORAGE_TABLE
#extension GL_EXT_control_flow_attributes : require
#include "groestl/block.glsl"
#include "groestl/round.glsl"
#define STATE uvec2 x[16]
#include "groestl/permute.glsl"

// Groestl-512 of a block m: P(h) + h with h = P(m + initial) + Q(m) + initial, where + is XOR.
//
// UNROLL   see permute.glsl
// TWO_P    each P has its own code, else one loop is both P's
// PARKED   what waits (P's result, then h) is in shared memory, else in registers

#ifdef PARKED
shared uvec2 parked[16][gl_WorkGroupSize.x];
#define WAITING(j) parked[j][gl_LocalInvocationIndex]
#else
uvec2 waiting[16];
#define WAITING(j) waiting[j]
#endif

// x becomes h, of which a copy waits.
void add_q(inout uvec2 x[16], uint hash) {
    [[unroll]] for (uint j = 0u; j < 16u; ++j) {
        WAITING(j) = x[j];
    }
    load_block(x, hash);
    permute(x, true);
    x[15] ^= INITIAL;
    [[unroll]] for (uint j = 0u; j < 16u; ++j) {
        x[j] ^= WAITING(j);
        WAITING(j) = x[j];
    }
}

void main() {
    fill_table();
    uint hash = gl_GlobalInvocationID.x;
    if (hash >= HASHES) {
        return;
    }
    uvec2 x[16];
    load_block(x, hash);
    x[15] ^= INITIAL;
#ifdef TWO_P
    permute(x, false);
    add_q(x, hash);
    permute(x, false);
#else
    [[dont_unroll]] for (uint pass = 0u; pass < 2u; ++pass) {
        permute(x, false);
        if (pass == 0u) {
            add_q(x, hash);
        }
    }
#endif
    [[unroll]] for (uint j = 8u; j < 16u; ++j) {
        x[j] ^= WAITING(j);
    }
    store_digest(x, hash);
}
