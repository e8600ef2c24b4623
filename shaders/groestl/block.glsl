#ifndef BLOCK_GLSL
#define BLOCK_GLSL

// An invocation hashes a header of 80 bytes, whose last four are its nonce: with padding a single block of 128 bytes.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint HASHES = 1u;
layout(constant_id = 2) const uint FIRST_NONCE = 0u;

layout(set = 0, binding = 2, std430) restrict readonly buffer Block { uvec2 block[16]; };
layout(set = 0, binding = 1, std430) restrict writeonly buffer Digests { uvec4 digests[]; };

// The chaining value before the first block is 512, the digest's length, in big-endian order: all but column 15 is zero.
const uvec2 INITIAL = uvec2(0u, 0x00020000u);

void load_block(out uvec2 x[16], uint hash) {
    [[unroll]] for (uint j = 0u; j < 16u; ++j) {
        x[j] = block[j];
    }
    x[9].y = FIRST_NONCE + hash;
}

// The digest is the upper half.
void store_digest(uvec2 x[16], uint hash) {
    [[unroll]] for (uint i = 0u; i < 4u; ++i) {
        digests[4u * hash + i] = uvec4(x[8u + 2u * i], x[9u + 2u * i]);
    }
}

#endif
