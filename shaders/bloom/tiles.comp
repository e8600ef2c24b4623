#version 460
// Modules: COHERENT|CHAINED CLOCK
// Untraced modules: COHERENT|CHAINED
// Untraced modules: COHERENT TELL_NEEDS CLOCK|-
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_vote : require
#ifdef CLOCK
#extension GL_EXT_shader_realtime_clock : require
#endif

// All passes of a bloom in one dispatch. A workgroup takes a ticket, which is a tile of a pass; waits until the tiles
// that it reads have been stored, be they of one pass or of two; loads, computes, stores; and tells. How what one
// workgroup stored reaches another is said in chain/tiles.comp.

// So many rows of an invocation at once as keep enough loads in flight; more registers would mean fewer waves.
#define BATCH(n) n
#include "bloom/formulas.glsl"
#include "include/trace_parts.glsl"

layout(constant_id = 0) const int PASSES = 1;
layout(constant_id = 1) const uint TICKETS = 1;
// Words from flag to flag.
layout(constant_id = 2) const int FLAG_STRIDE = 1;

layout(std430, set = 0, binding = 0) readonly restrict buffer Scene {
    uvec2 scene[];
};
#ifdef CHAINED
layout(std430, set = 0, binding = 1) nonprivate buffer Planes {
#else
layout(std430, set = 0, binding = 1) devicecoherent buffer Planes {
#endif
    uvec2 planes[]; // what all passes store, one behind the other
};
struct Entry {
    uvec4 to;     // width, height, where it begins, its first flag
    uvec4 from;   // the same of what is read around each texel
    uvec4 beside; // where begins what is read beside, its first flag; kind of the pass
    uvec4 rows;   // that an invocation loops over, in `to` and in `from`
};
layout(std140, set = 0, binding = 2) uniform Table {
    Entry table[PASSES];
};
layout(std430, set = 0, binding = 3) buffer Flags {
    uint ticket;     // the next
    uint unused[31]; // which has a cache line of its own
    uint flags[];    // 1 for each tile that is stored
};
layout(std430, set = 0, binding = 4) buffer Timeouts {
    uint timeouts; // waits that ended in vain
};
// Of each ticket: pass, and tile in it, line by line.
layout(std430, set = 0, binding = 5) readonly buffer Order {
    uvec2 order[];
};

#define CLASSES gl_StorageSemanticsBuffer
#include "include/spin.glsl"
#include "include/flags.glsl"

uvec4 load_plane(uint at) {
    return opened(planes[at]);
}

uvec4 load_from(Pass pass, uint at) {
    return pass.kind == BRIGHT ? opened(scene[at]) : load_plane(pass.from + at);
}

uvec4 load_beside(Pass pass, uint at) {
    return pass.kind == ADD ? opened(scene[at]) : load_plane(pass.beside + at);
}

void store_texel(Pass pass, uint at, uvec2 texel) {
    planes[pass.to + at] = texel;
}

// The first and the last texel that a tile reads around its own, as if nothing lay outside.
void reach(uint kind, ivec2 first, ivec2 last, out ivec2 from_first, out ivec2 from_last) {
    switch (kind) {
    case HALVE:
        from_first = 2 * first;
        from_last = 2 * last + 1;
        break;
    case BLUR_X:
        from_first = first - ivec2(RADIUS, 0);
        from_last = last + ivec2(RADIUS, 0);
        break;
    case BLUR_Y:
        from_first = first - ivec2(0, RADIUS);
        from_last = last + ivec2(0, RADIUS);
        break;
    default:
        from_first = (first >> 1) - 1;
        from_last = (last >> 1) + 1;
        break;
    }
}

// What a trace notes of a tile.
const uint STORED = 0;

// What a tile waits for: so many columns and lines of tiles of what it reads around its texels, from the first on, and
// the tile in its own place of what it reads beside.
struct Needs {
    ivec2 first;
    ivec2 tiles;
    bool beside;
};

Needs needs_of(Entry entry, ivec2 origin) {
    uint kind = entry.beside.z;
    if (kind == BRIGHT) {
        return Needs(ivec2(0), ivec2(0), false);
    }
    ivec2 sides = ivec2(WIDTH, STEP * entry.rows.x);
    ivec2 from_sides = ivec2(WIDTH, STEP * entry.rows.y);
    ivec2 edge = ivec2(entry.from.xy) - 1;
    ivec2 from_first, from_last;
    reach(kind, origin, min(origin + sides, ivec2(entry.to.xy)) - 1, from_first, from_last);
    ivec2 first = clamp(from_first, ivec2(0), edge) / from_sides;
    return Needs(first, clamp(from_last, ivec2(0), edge) / from_sides - first + 1, kind == MIX);
}

// One invocation polls each flag; `workgroup_acquire` brings what it saw to the others.
void wait_for_halo(Entry entry, uint tile, Needs needs) {
    int columns = int(entry.from.x + WIDTH - 1) / WIDTH;
    int around = needs.tiles.x * needs.tiles.y;
    int needed = around + int(needs.beside);
    for (int n = int(gl_LocalInvocationIndex); n < needed; n += int(INVOCATIONS)) {
        ivec2 at = needs.first + ivec2(n % max(needs.tiles.x, 1), n / max(needs.tiles.x, 1));
        uint flag = n < around ? entry.from.w + uint(at.y * columns + at.x) : entry.beside.y + tile;
        wait_for_flag(int(flag) * FLAG_STRIDE, 1);
    }
}

shared uint claimed;

void main() {
    if (gl_LocalInvocationIndex == 0) {
        claimed = atomicAdd(ticket, 1u, gl_ScopeDevice, 0, 0);
    }
    barrier();
    // The last row of workgroups may have more than there are tickets.
    if (claimed >= TICKETS) {
        return;
    }
    uvec2 unit = order[claimed];
    Entry entry = table[unit.x];
    int columns = int(entry.to.x + WIDTH - 1) / WIDTH;
    ivec2 origin = ivec2(int(unit.y) % columns, int(unit.y) / columns) * ivec2(WIDTH, STEP * entry.rows.x);

    Needs needs = needs_of(entry, origin);
#ifdef TELL_NEEDS
    // Instead of all else, for a proof on the CPU: six words a ticket, in place of the flags.
    if (gl_LocalInvocationIndex == 0) {
        int words[] = int[](1, needs.first.x, needs.first.y, needs.tiles.x, needs.tiles.y, int(needs.beside));
        for (uint i = 0; i < 6; ++i) {
            flags[claimed * 6 + i] = uint(words[i]);
        }
    }
    return;
#endif
    wait_for_halo(entry, unit.y, needs);
    workgroup_acquire();
    trace_part(unit.x, claimed);
    Pass pass = Pass(
        entry.beside.z, ivec2(entry.to.xy), ivec2(entry.from.xy), entry.from.z, entry.beside.x, entry.to.z);
    do_tile(pass, origin, int(entry.rows.x));
    trace_stamp(STORED);
    workgroup_release();
    if (gl_LocalInvocationIndex == 0) {
        signal_flag(int(entry.to.w + unit.y) * FLAG_STRIDE, 1u);
    }
}
