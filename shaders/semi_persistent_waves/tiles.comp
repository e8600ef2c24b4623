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

// The general form: a workgroup blurs one tile after another, any step apart. Where the step lies along the filter and
// is shorter than its reach, a tile's window serves the next one, too. With one tile it is the usual blur, a lane per
// texel.

layout(constant_id = 7) const int TILES = 1;
layout(constant_id = 8) const int STEP_X = 0;
layout(constant_id = 9) const int STEP_Y = 8;
layout(constant_id = 10) const bool QUADS = false;

const int STRIDE = VERTICAL ? STEP_Y : STEP_X;
const int FRESH = STRIDE > 0 && STRIDE < TAPS ? STRIDE : TAPS;

void main() {
    if (limit_residency(zero)) {
        return;
    }
    ivec2 tile_step = ivec2(STEP_X, STEP_Y);
    ivec2 covered = tile_sides() + (TILES - 1) * tile_step;
    ivec2 at = ivec2(gl_WorkGroupID.xy) * covered + (QUADS ? in_quads() : ivec2(gl_LocalInvocationID.xy));

    fill_window(at);
    store_mean(at, window_sum());
    [[unroll]] for (int tile = 1; tile < TILES; ++tile) {
        at += tile_step;
        move_window(at, FRESH);
        store_mean(at, window_sum());
    }
}
