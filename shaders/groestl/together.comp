#version 460
// Modules: COPIES=16
#extension GL_EXT_control_flow_attributes : require
#include "groestl/block.glsl"
#include "groestl/round.glsl"

// As tables.comp, with a round of P and a round of Q per turn of one loop: twice the independent work, and twice the state.

void main() {
    fill_table();
    uint hash = gl_GlobalInvocationID.x;
    if (hash >= HASHES) {
        return;
    }
    uvec2 p[16], q[16];
    load_block(p, hash);
    q = p;
    p[15] ^= INITIAL;
    [[dont_unroll]] for (uint round = 0u; round < ROUNDS; ++round) {
        permute_once(p, false, round);
        permute_once(q, true, round);
    }
    [[unroll]] for (uint j = 0u; j < 16u; ++j) {
        p[j] ^= q[j];
    }
    p[15] ^= INITIAL;
    q = p;
    [[dont_unroll]] for (uint round = 0u; round < ROUNDS; ++round) {
        permute_once(p, false, round);
    }
    [[unroll]] for (uint j = 8u; j < 16u; ++j) {
        p[j] ^= q[j];
    }
    store_digest(p, hash);
}
