#version 460
// Modules: FORMAT=rgba8 PACKED STORAGE_LOADS|-
// Modules: FORMAT=rgba16f STORAGE_LOADS|-
// Modules: FORMAT=r8|FORMAT=r32f ONE_CHANNEL STORAGE_LOADS|-
#extension GL_GOOGLE_include_directive : require
// Only unrolled loops keep sums in registers.
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "semi_persistent_waves/window.glsl"

// A horizontal blur of one tile after another, in which a lane fetches one texel per tile, and gets sums of its
// neighbours' texels from their lanes. Sums of 2, 4, 8 … texels take as few shuffles as a width has bits.

layout(constant_id = 7) const int TILES = 4;
// Lanes that stand in a row of a tile: a power of two that divides the subgroup, and no fewer than the filter reaches.
layout(constant_id = 8) const uint ROW = 8;

#ifdef PACKED
// Channels are integers of 16 bits here, two per word, because a shuffle takes as long as several additions. A float
// from 2^23 on has its integer in its lowest bits.
#define Sum uvec2

Sum to_sum(Texel texel) {
    uvec4 bits = floatBitsToUint(fma(texel, vec4(255.0), vec4(TWO_TO_23)));
    return bitfieldInsert(bits.xz, bits.yw, 16, 16);
}

Texel to_texel(Sum sum) {
    uvec4 integers = uvec4(sum & 0xffffu, sum >> 16).xzyw;
    precise Texel texel = uintBitsToFloat(integers | floatBitsToUint(TWO_TO_23)) - TWO_TO_23;
    return texel;
}
#else
#define Sum Texel
#define to_sum(texel) (texel)
#define to_texel(sum) (sum)
#endif

// What the lane `distance` further along the row has. The row goes on in the next tile.
Sum from_right(Sum tile, Sum next, uint distance) {
    uint column = gl_SubgroupInvocationID % ROW;
    uint row = gl_SubgroupInvocationID - column;
    return subgroupShuffle(column < distance ? next : tile, row + (column + distance) % ROW);
}

void main() {
    uint lane = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    uvec2 covered = uvec2(ROW * TILES, gl_WorkGroupSize.x / ROW);
    ivec2 at = ivec2(gl_WorkGroupID.xy * covered + uvec2(lane % ROW, lane / ROW));

    // Sums of `width` texels that begin at the first under a lane's filter; first of one.
    Sum sums[TILES + 1];
    Sum totals[TILES];
    [[unroll]] for (int tile = 0; tile <= TILES; ++tile) {
        sums[tile] = to_sum(load(at + ivec2(tile * int(ROW) - RADIUS, 0)));
    }
    [[unroll]] for (int tile = 0; tile < TILES; ++tile) {
        totals[tile] = sums[tile];
    }
    int taps = 1; // in the totals
    [[unroll]] for (int width = 2; width < TAPS; width *= 2) {
        [[unroll]] for (int tile = 0; tile < TILES; ++tile) {
            sums[tile] += from_right(sums[tile], sums[tile + 1], width / 2);
        }
        // Right in the first lanes only, and no others are needed of it.
        sums[TILES] += from_right(sums[TILES], sums[TILES], width / 2);
        if ((TAPS & width) != 0) {
            [[unroll]] for (int tile = 0; tile < TILES; ++tile) {
                totals[tile] += from_right(sums[tile], sums[tile + 1], taps);
            }
            taps += width;
        }
    }
    [[unroll]] for (int tile = 0; tile < TILES; ++tile) {
        store_mean(at + ivec2(tile * int(ROW), 0), to_texel(totals[tile]));
    }
}
