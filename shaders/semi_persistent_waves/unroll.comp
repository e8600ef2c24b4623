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
#include "semi_persistent_waves/tile.glsl"

// A subgroup blurs one tile after another along the filter. The window of a tile holds texels that the next tile needs,
// too: those are not fetched again. A tile has the x and y sides of the workgroup; z counts the subgroups, which stand
// side by side across the filter.

layout(constant_id = 7) const int TILES = 4;

// From tile to tile, and how many texels enter the window: all of them where a tile is at least as wide as it.
const int STRIDE = VERTICAL ? int(gl_WorkGroupSize.y) : int(gl_WorkGroupSize.x);
const int FRESH = STRIDE < TAPS ? STRIDE : TAPS;

void main() {
    if (limit_residency(zero)) {
        return;
    }
    ivec2 sides = tile_sides();
    ivec2 across = ivec2(1) - along(1);
    ivec2 covered = sides * (along(TILES) + across * int(gl_WorkGroupSize.z));
    ivec2 at = ivec2(gl_WorkGroupID.xy) * covered + sides * across * int(gl_LocalInvocationID.z) + in_quads();

    fill_window(at);
    store_mean(at, window_sum());
    [[unroll]] for (int tile = 1; tile < TILES; ++tile) {
        at += along(STRIDE);
        move_window(at, FRESH);
        store_mean(at, window_sum());
    }
}
