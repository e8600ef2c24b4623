#version 460
// Modules: WORDS_64|- FUSED CLOCK
// Untraced modules: WORDS_64|- FUSED
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_control_flow_attributes : require
#ifdef WORDS_64
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif
#ifdef CLOCK
#extension GL_EXT_shader_realtime_clock : require
#endif
#include "tiles_in_one_dispatch/shape.glsl"
#include "tiles_in_one_dispatch/tickets.glsl"
#include "tiles_in_one_dispatch/tagged_tile.glsl"
#include "include/spin.glsl"
#include "include/trace_parts.glsl"

// tags.comp with tiles that stay where they are: a workgroup computes all passes of its tile, and keeps it in registers.
// Every DEPTH passes it stores the ring that its neighbours read, and loads the border that these have stored. Texels carry
// their generation here, too. No tile is claimed, and each waits for workgroups that may begin after it. So all have to be
// resident at once, which Vulkan does not promise.

// Loads what the tile reads around it. Returns whether this invocation has found a texel that has not been stored yet.
bool border_is_late(Tile tile, Cut cut) {
    oldest = 0xFFFFFFFFu;
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        ivec2 at = cut.corner + my_place() + ivec2(0, row);
        bool is_border = is_within(at, cut.loads, cut.loads_end) && !is_within(at, cut.first, cut.end);
        // All load something, and none branches: loads within branches are waited for one after the other.
        uint so_far = oldest;
        uvec4 loaded = load_vector(is_border ? at : cut.first);
        mine[row] = is_border ? loaded : mine[row];
        oldest = is_border ? oldest : so_far;
    }
    return has(WAIT) && oldest >> MIX_BITS < tile.pass;
}

void wait_for_border(Tile tile, Cut cut) {
    bool is_late;
    Spin spin = begin_spin();
    do {
        is_late = border_is_late(tile, cut);
    } while (subgroupAny(is_late) && may_spin(spin));
    end_spin(is_late);
}

void main() {
    Cut cut = cut_of(begin_tile(unclaimed).at);
    // Neighbours read what lies within a border's width of an edge that they share.
    ivec2 kept = cut.first + mix(BORDER, ivec2(0), equal(cut.first, ivec2(0)));
    ivec2 kept_end = cut.end - mix(BORDER, ivec2(0), equal(cut.end, IMAGE));
    for (Tile tile = begin_tile(unclaimed); tile.number < TILES; tile = begin_tile(tile.number + uint(COLUMNS * LINES))) {
        trace_part(tile.pass / DEPTH, tile.number);
        if (tile.pass == 0) {
            load_tile(tile.at);
        } else {
            wait_for_border(tile, cut);
        }
        trace_stamp(0);
        step_region(cut);
        bool is_last = tile.number + uint(COLUMNS * LINES) >= TILES;
        store_computed(cut, kept, is_last ? kept : kept_end);
        trace_end();
    }
}
