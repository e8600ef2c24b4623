#version 460
// Modules: WORDS_64|- FUSED CLOCK|-
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

// tags.comp without its trust in others: a workgroup that has waited in vain computes what it waits for. Two workgroups may
// then compute the same tile; they store the same words, and each store is an atomic, so that nothing is lost.
//
// Only the workgroup that claims the last tile has to make progress: it completes the last pass, for which no other workgroup
// waits.

// A wait is this part of a second at most.
layout(constant_id = 6) const uint WAITS_PER_SECOND = 10000;
// So many of a hundred workgroups stop for good as soon as they have claimed a tile: what a device without forward progress
// may do to them.
layout(constant_id = 7) const uint BLOCKED = 0;

const uint PASS_TILES = uint(COLUMNS * LINES);
const uint NONE = 0xFFFFFFFFu;
shared uint missing; // a tile that has not been stored, plus one

// The missing tile that some invocation has found, or NONE. All of a workgroup calls.
uint take_missing() {
    barrier();
    uint found = missing;
    if (found == 0) {
        return NONE;
    }
    barrier();
    missing = 0;
    barrier();
    return found - 1u;
}

uint oldest_of(uvec4 vector) {
    return min(min(vector.x, vector.y), min(vector.z, vector.w)) >> MIX_BITS;
}

// Loads the region of a tile; the wait for it ends. Returns a tile of the pass before that is missing, or NONE.
uint load_or_find_missing(Tile tile) {
    bool is_late;
    Spin spin = begin_spin();
    do {
        is_late = load_is_late(tile);
    } while (subgroupAny(is_late) && may_poll(spin, WAITS_PER_SECOND));
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        if (is_late && oldest_of(mine[row]) < tile.pass) {
            ivec2 at = (load_place(cut_of(tile.at), row) - BORDER) / TILE;
            at = clamp(at, ivec2(0), ivec2(COLUMNS, LINES) - 1);
            atomicMax(missing, (tile.pass / uint(DEPTH) - 1u) * PASS_TILES + uint(at.y * COLUMNS + at.x) + 1u);
        }
    }
    return take_missing();
}

// Computes a tile, and before it whatever it lacks, the latest pass first.
void compute(uint number) {
    uint next = number;
    bool is_done = false;
    for (uint n = 0; n < TILES / PASS_TILES * TILES && !is_done; ++n) {
        Tile tile = begin_tile(next);
        uint lacks = load_or_find_missing(tile);
        // In either case, since lavapipe 22.3 goes wrong where this call is within a branch.
        Cut cut = cut_of(tile.at);
        step_region(cut);
        if (lacks == NONE) {
            store_computed(cut, ivec2(0), ivec2(0));
        }
        is_done = lacks == NONE && next == number;
        next = lacks == NONE ? number : lacks;
    }
    end_spin(!is_done);
    // All of the tile's stores have been issued: it need not be computed again. Nothing is read on the strength of this flag.
    barrier();
    if (number >= TILES - PASS_TILES && gl_LocalInvocationIndex == 0) {
        atomicStore(flags[number % PASS_TILES], 1u, gl_ScopeDevice, 0, 0);
    }
}

// A tile of the last pass that is missing, or NONE.
uint find_missing(bool waits) {
    for (uint first = 0; first < PASS_TILES; first += gl_WorkGroupSize.x * gl_WorkGroupSize.y) {
        uint tile = min(first + gl_LocalInvocationIndex, PASS_TILES - 1u);
        bool is_late = atomicLoad(flags[tile], gl_ScopeDevice, 0, 0) == 0;
        Spin spin = begin_spin();
        while (waits && subgroupAny(is_late) && may_poll(spin, WAITS_PER_SECOND)) {
            is_late = atomicLoad(flags[tile], gl_ScopeDevice, 0, 0) == 0;
        }
        if (is_late) {
            atomicMax(missing, TILES - PASS_TILES + tile + 1u);
        }
    }
    return take_missing();
}

void main() {
    missing = 0;
    uint number = claim_tile().number;
    if (number >= TILES || number + 1u < TILES && number * 0x9E3779B1u % 100u < BLOCKED) {
        return;
    }
    compute(number);
    if (number + 1u == TILES) {
        for (uint tile = find_missing(true); tile != NONE; tile = find_missing(false)) {
            compute(tile);
        }
    }
}
