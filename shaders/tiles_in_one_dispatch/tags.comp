#version 460
// Modules: WORDS_64|- FUSED|- CLOCK
// Untraced modules: WORDS_64|- FUSED|-
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

// All passes of the chain in one dispatch. A texel carries its generation, so a workgroup loads what its tile reads until
// every texel has arrived: no flags, no fences. Each access is an atomic that depends on no other, so nothing has to be
// ordered, and this is correct by the Vulkan memory model.

void main() {
    for (Tile tile = claim_tile(); tile.number < TILES; tile = claim_another_tile()) {
        trace_part(tile.pass / DEPTH, tile.number);

        bool is_late;
        Spin spin = begin_spin();
        do {
            is_late = load_is_late(tile);
        } while (subgroupAny(is_late) && may_spin(spin));
        end_spin(is_late);
        trace_stamp(0);

        store_tile(tile.at);
        trace_end();
    }
}
