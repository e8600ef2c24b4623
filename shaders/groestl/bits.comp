#version 460
// Modules: UNROLL=ROUND_2|UNROLL=ROUND_7|UNROLL=ROUND_14|PARKED|-
#extension GL_EXT_control_flow_attributes : require
#include "groestl/bits.glsl"
#define STATE uint x[64]
#include "groestl/permute.glsl"

// Two hashes per invocation, bit by bit, without a table: what tables.comp computes. UNROLL and PARKED mean the
// same as there.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint HASHES = 1u;
layout(constant_id = 2) const uint FIRST_NONCE = 0u;

// Of both hashes, before the nonce is in: bit b of row r is word 8 b + r.
layout(set = 0, binding = 0, std430) restrict readonly buffer Block { uint block[64]; };
layout(set = 0, binding = 1, std430) restrict writeonly buffer Digests { uint digests[]; };

#ifdef PARKED
shared uint parked[64][gl_WorkGroupSize.x];
#define WAITING(i) parked[i][gl_LocalInvocationIndex]
#else
#define WAITING(i) waiting[i]
#endif

// The nonces are bytes 76 to 79, which is rows 4 to 7 of column 9.
void load_block(out uint x[64], uint first_nonce) {
    [[unroll]] for (uint i = 0u; i < 64u; ++i) {
        x[i] = block[i];
    }
    [[unroll]] for (uint bit = 0u; bit < 32u; ++bit) {
        uint both = (first_nonce >> bit & 1u) | (first_nonce + 1u >> bit & 1u) << 1u;
        WORD(bit % 8u, 4u + bit / 8u) |= both << 18u;
    }
}

// The chaining value before the first block: bit 1 of row 6 of column 15.
void add_initial(inout uint x[64]) {
    WORD(1u, 6u) ^= 3u << 30u;
}

void swap_bits(inout uint a, inout uint b, uint mask, uint distance) {
    uint differ = (a >> distance ^ b) & mask;
    b ^= differ;
    a ^= differ << distance;
}

// Words of bits become words of bytes: byte k of WORD(i, row) is then that row's byte at bit 8 k + i.
void transpose(inout uint x[64]) {
    [[unroll]] for (uint row = 0u; row < 8u; ++row) {
        [[unroll]] for (uint i = 0u; i < 4u; ++i) {
            swap_bits(WORD(2u * i, row), WORD(2u * i + 1u, row), 0x55555555u, 1u);
        }
        [[unroll]] for (uint i = 0u; i < 4u; ++i) {
            uint bit = i + (i & 2u);
            swap_bits(WORD(bit, row), WORD(bit + 2u, row), 0x33333333u, 2u);
        }
        [[unroll]] for (uint i = 0u; i < 4u; ++i) {
            swap_bits(WORD(i, row), WORD(i + 4u, row), 0x0f0f0f0fu, 4u);
        }
    }
}

// Columns 8 to 15 of both hashes.
void store_digests(inout uint x[64], uint first) {
    transpose(x);
    [[unroll]] for (uint i = 0u; i < 32u; ++i) {
        uint hash = i / 16u, column = 8u + i % 16u / 2u, half_column = i % 2u;
        uint at = 2u * column + hash, word = 0u;
        [[unroll]] for (uint row = 0u; row < 4u; ++row) {
            word |= bitfieldExtract(WORD(at % 8u, 4u * half_column + row), int(at / 8u * 8u), 8) << 8u * row;
        }
        if (first + hash < HASHES) {
            digests[16u * first + i] = word;
        }
    }
}

void main() {
    uint first = 2u * gl_GlobalInvocationID.x;
    if (first >= HASHES) {
        return;
    }
    uint x[64], waiting[64];
    load_block(x, FIRST_NONCE + first);
    add_initial(x);
    permute(x, false);
    [[unroll]] for (uint i = 0u; i < 64u; ++i) {
        WAITING(i) = x[i];
    }
    load_block(x, FIRST_NONCE + first);
    permute(x, true);
    add_initial(x);
    [[unroll]] for (uint i = 0u; i < 64u; ++i) {
        x[i] ^= WAITING(i);
        WAITING(i) = x[i];
    }
    permute(x, false);
    [[unroll]] for (uint i = 0u; i < 64u; ++i) {
        x[i] ^= WAITING(i);
    }
    store_digests(x, first);
}
