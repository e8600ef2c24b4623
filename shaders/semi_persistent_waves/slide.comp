#version 460
// Modules: FORMAT=rgba8|FORMAT=rgba16f STORAGE_LOADS|- PADDED|-
// Modules: FORMAT=r8|FORMAT=r32f ONE_CHANNEL STORAGE_LOADS|- PADDED|-
// Untraced modules: FORMAT=rgba8|FORMAT=rgba16f STORAGE_LOADS|- PADDED COUNT_RESIDENT=2
// Untraced modules: FORMAT=r8|FORMAT=r32f ONE_CHANNEL STORAGE_LOADS|- PADDED COUNT_RESIDENT=2
#extension GL_GOOGLE_include_directive : require
// Only unrolled loops keep the window in registers.
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_samplerless_texture_functions : require
#include "semi_persistent_waves/window.glsl"

// A lane blurs texels that are neighbours along the filter: each after the first costs one fetch, one addition and one
// subtraction. All loads are issued first, so their latencies overlap. The lanes of a subgroup have the x and y sides
// of the workgroup; z counts the subgroups, which stand below each other.

layout(constant_id = 7) const int TILES = 4;

Texel row[TAPS + TILES - 1];

void main() {
    if (limit_residency(zero)) {
        return;
    }
    uvec2 lane = gl_LocalInvocationID.xy + uvec2(0, gl_LocalInvocationID.z * gl_WorkGroupSize.y);
    uvec2 lanes = gl_WorkGroupSize.xy * uvec2(1, gl_WorkGroupSize.z);
    ivec2 pitch = ivec2(1) + along(TILES - 1);
    ivec2 at = ivec2(gl_WorkGroupID.xy * lanes + lane) * pitch;

    [[unroll]] for (int i = 0; i < TAPS + TILES - 1; ++i) {
        row[i] = load(at + along(i - RADIUS));
    }
    Texel sum = Texel(0);
    [[unroll]] for (int tap = 0; tap < TAPS; ++tap) {
        sum += row[tap];
    }
    store_mean(at, sum);
    [[unroll]] for (int tile = 1; tile < TILES; ++tile) {
        // Exact: texels are integers, or fractions whose sum is rounded to integers in the end.
        sum += row[tile + TAPS - 1] - row[tile - 1];
        store_mean(at + along(tile), sum);
    }
}
