#version 460
// Modules: CHAINED|- FUSED|- CLOCK
// Untraced modules: CHAINED|- FUSED|-
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_control_flow_attributes : require
#ifdef CLOCK
#extension GL_EXT_shader_realtime_clock : require
#endif
#include "tiles_in_one_dispatch/shape.glsl"
#include "tiles_in_one_dispatch/tickets.glsl"
#include "include/spin.glsl"
#include "include/trace_parts.glsl"

// All passes of the chain in one dispatch. A workgroup waits for the flags of the tiles whose texels it loads, and signals its
// own when it has stored. How what one workgroup stored reaches another, both correct by the Vulkan memory model:
//
//   -        each access goes past the caches of the multiprocessor (devicecoherent); flags only order
//   CHAINED  accesses are cached; the signal makes stores available to the device, the wait makes them visible

#define CLASSES gl_StorageSemanticsBuffer
#include "include/flags.glsl"

#ifdef CHAINED
layout(std430, set = 0, binding = 0) nonprivate buffer Texels { uvec4 texels[]; };
#else
layout(std430, set = 0, binding = 0) devicecoherent buffer Texels { uvec4 texels[]; };
#endif

uvec4 load_vector(ivec2 at) {
    return has(LOAD) ? texels[reads_from + at.y * VECTORS + at.x] : uvec4(at, at);
}

uvec2 load_pair(ivec2 at, int part) {
    uvec4 vector = load_vector(at);
    return part == 0 ? vector.xy : vector.zw;
}

void store_vector(ivec2 at, uvec4 vector) {
    if (has(STORE)) {
        texels[stores_to + at.y * VECTORS + at.x] = vector;
    }
}

#ifdef FUSED
#include "tiles_in_one_dispatch/region.glsl"
#else
#include "tiles_in_one_dispatch/load_window.glsl"
#endif

// Tiles on each side that a tile reads.
const int REACH_X = ((DEPTH * RADIUS + 3) / 4 + TILE.x - 1) / TILE.x;
const int REACH_Y = (DEPTH * RADIUS + TILE.y - 1) / TILE.y;
const int ACROSS = 2 * REACH_X + 1;
const int POLLED = ACROSS * (2 * REACH_Y + 1);
const int INVOCATIONS = int(gl_WorkGroupSize.x) * int(gl_WorkGroupSize.y);
// Words from flag to flag.
layout(constant_id = 4) const int FLAG_STRIDE = 1;

int flag_of(ivec2 at) {
    at = clamp(at, ivec2(0), ivec2(COLUMNS, LINES) - 1);
    return (at.y * COLUMNS + at.x) * FLAG_STRIDE;
}

// One invocation polls each flag. A small workgroup has fewer of them than flags.
void wait_for_halo(Tile tile) {
    if (!has(WAIT) || tile.pass == 0) {
        return;
    }
    for (int first = 0; first < POLLED; first += INVOCATIONS) {
        int n = first + int(gl_LocalInvocationIndex);
        bool waits = n < POLLED;
        wait_for_flag(flag_of(tile.at + ivec2(n % ACROSS - REACH_X, n / ACROSS - REACH_Y)), tile.pass, waits);
        if (waits && has(DEVICE_ACQUIRE)) {
            device_acquire();
        }
    }
}

void main() {
    for (Tile tile = claim_tile(); tile.number < TILES; tile = claim_another_tile()) {
        wait_for_halo(tile);
        if (has(ORDER)) {
            workgroup_acquire();
        }
        trace_part(tile.pass / DEPTH, tile.number);

        load_tile(tile.at);
        trace_stamp(0);
        store_tile(tile.at);
        trace_stamp(1);

        if (has(ORDER)) {
            workgroup_release();
            if (gl_LocalInvocationIndex == 0) {
                signal_flag(flag_of(tile.at), tile.pass + DEPTH);
            }
        }
        trace_end();
    }
}
