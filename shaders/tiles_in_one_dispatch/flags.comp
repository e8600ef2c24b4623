#version 460
// Modules: CHAINED|- CLOCK
// Untraced modules: CHAINED|-
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_control_flow_attributes : require
#ifdef CLOCK
#extension GL_EXT_shader_realtime_clock : require
#endif
#include "tiles_in_one_dispatch/shape.glsl"
#include "tiles_in_one_dispatch/region.glsl"
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

// Tiles on each side that a region reaches into.
const int REACH_X = (BORDER.x + TILE.x - 1) / TILE.x;
const int REACH_Y = (BORDER.y + TILE.y - 1) / TILE.y;
const int ACROSS = 2 * REACH_X + 1;
// Words from flag to flag: each has a 32-byte sector, so that polls of neighbours do not queue at one address.
const int FLAG_STRIDE = 8;

int flag_of(ivec2 at) {
    at = clamp(at, ivec2(0), ivec2(COLUMNS, LINES) - 1);
    return (at.y * COLUMNS + at.x) * FLAG_STRIDE;
}

// One invocation polls each flag.
void wait_for_halo(Tile tile) {
    int n = int(gl_LocalInvocationIndex);
    if (tile.pass > 0 && n < ACROSS * (2 * REACH_Y + 1)) {
        wait_for_flag(flag_of(tile.at + ivec2(n % ACROSS - REACH_X, n / ACROSS - REACH_Y)), tile.pass);
    }
}

void main() {
    uint number = claim_tile();
    if (number >= TILES) {
        return; // the last row of workgroups may have more than there are tiles
    }
    Tile tile = tile_of(number);
    wait_for_halo(tile);
    workgroup_acquire();
    trace_part(tile.pass / DEPTH, number);

    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        ivec2 at = inside_image(tile.corner + my_place() + ivec2(0, row));
        mine[row] = texels[tile.pass * GENERATION + uint(at.y * VECTORS + at.x)];
    }
    trace_stamp(0);
    step_region(tile.corner);
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        ivec2 place = my_place() + ivec2(0, row);
        if (is_stored(place, tile.corner)) {
            ivec2 at = tile.corner + place;
            texels[(tile.pass + DEPTH) * GENERATION + uint(at.y * VECTORS + at.x)] = mine[row];
        }
    }
    trace_stamp(1);
    workgroup_release();
    if (gl_LocalInvocationIndex == 0) {
        signal_flag(flag_of(tile.at), tile.pass + DEPTH);
    }
}
