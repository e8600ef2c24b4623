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
#include "bloom/formulas.glsl"
#include "bloom/halo.glsl"
#include "include/trace_parts.glsl"

// All passes of a bloom in one dispatch. A workgroup claims a ticket, which is a tile of a pass, waits for the flags of
// the tiles that it reads, and signals its own when it has stored. Stores reach other workgroups in one of two ways,
// both correct by the Vulkan memory model:
//
//   -        each access goes past the caches of the multiprocessor (devicecoherent); flags only order
//   CHAINED  accesses are cached; the signal makes stores available to the device, the wait makes them visible

layout(std430, set = 0, binding = 2) readonly restrict buffer Scene { uvec2 scene[]; };
// The outputs of all passes, one after another.
#ifdef CHAINED
layout(std430, set = 0, binding = 3) nonprivate buffer Planes { uvec2 planes[]; };
#else
layout(std430, set = 0, binding = 3) devicecoherent buffer Planes { uvec2 planes[]; };
#endif
layout(std430, set = 0, binding = 4) buffer Flags {
    uint next_ticket;
    uint unused[31]; // the counter has a cache line of its own
    uint flags[];    // 1 for each tile that is stored
};
layout(std430, set = 0, binding = 5) buffer Timeouts { uint timeouts; };

#define CLASSES gl_StorageSemanticsBuffer
#include "include/spin.glsl"
#include "include/flags.glsl"

// Words from flag to flag.
layout(constant_id = 2) const int FLAG_STRIDE = 1;

// Not called for the bright pass: compute_bright_rows loads the scene itself.
uvec4 load_input(Pass pass, uint index) {
    return unpack(planes[pass.input_begin + index]);
}

uvec4 load_second_input(Pass pass, uint index) {
    return unpack(pass.kind == COMPOSITE ? scene[index] : planes[pass.second_input_begin + index]);
}

uvec4 load_neighbour(Pass pass, ivec2 at) {
    return load_clamped(pass, at);
}

shared uint claimed;

uint claim_ticket() {
    if (gl_LocalInvocationIndex == 0) {
        claimed = atomicAdd(next_ticket, 1u, gl_ScopeDevice, 0, 0);
    }
    barrier();
    return claimed;
}

// One invocation polls each flag. All run the loop equally often: lavapipe 22.3 loses those that leave it early.
void wait_for_halo(PassTiles entry, uint tile, Halo halo) {
    int columns = columns_of(entry.pass.input_size);
    int of_input = halo.tiles.x * halo.tiles.y;
    int needed = of_input + int(halo.second_input);
    for (int first = 0; first < needed; first += int(INVOCATIONS)) {
        int n = first + int(gl_LocalInvocationIndex);
        if (n < needed) {
            ivec2 at = halo.first + ivec2(n % max(halo.tiles.x, 1), n / max(halo.tiles.x, 1));
            uint flag = n < of_input ? entry.input_flag + uint(at.y * columns + at.x) : entry.second_input_flag + tile;
            wait_for_flag(int(flag) * FLAG_STRIDE, 1, true);
            device_acquire();
        }
    }
}

void store_texel(Pass pass, ivec2 at, uvec4 texel) {
    if (all(lessThan(at, pass.size))) {
        planes[pass.output_begin + index_of(at, pass.size)] = pack(texel);
    }
}

// Rows that the bright pass loads at once, because one load at a time leaves too few in flight.
const int BRIGHT_ROWS = 4;

void compute_bright_rows(Pass pass, ivec2 top, int rows) {
    for (int first = 0; first < rows; first += BRIGHT_ROWS) {
        uvec4 texels[BRIGHT_ROWS];
        [[unroll]] for (int row = 0; row < BRIGHT_ROWS; ++row) {
            ivec2 at = min(top + ivec2(0, (first + row) * STEP), pass.size - 1);
            texels[row] = above_threshold(unpack(scene[index_of(at, pass.size)]));
        }
        [[unroll]] for (int row = 0; row < BRIGHT_ROWS; ++row) {
            if (first + row < rows) {
                store_texel(pass, top + ivec2(0, (first + row) * STEP), texels[row]);
            }
        }
    }
}

void compute_tile(Pass pass, ivec2 corner, int rows) {
    ivec2 top = corner + ivec2(gl_LocalInvocationID.xy);
    if (pass.kind == BRIGHT_PASS) {
        compute_bright_rows(pass, top, rows);
        return;
    }
    for (int row = 0; row < rows; ++row) {
        ivec2 at = top + ivec2(0, row * STEP);
        store_texel(pass, at, compute_texel(pass, min(at, pass.size - 1)));
    }
}

// Stamp in a trace: the tile is stored.
const uint STORED = 0;

void main() {
    uint ticket = claim_ticket();
    if (ticket >= TICKETS) {
        return; // the last row of workgroups may have more than there are tickets
    }
    uvec2 unit = order[ticket];
    PassTiles entry = passes[unit.x];
    ivec2 corner = corner_of(entry, unit.y);
    wait_for_halo(entry, unit.y, halo_of(entry, corner));
    workgroup_acquire();
    trace_part(unit.x, ticket);
    compute_tile(entry.pass, corner, entry.rows);
    trace_stamp(STORED);
    workgroup_release();
    if (gl_LocalInvocationIndex == 0) {
        signal_flag(int(entry.output_flag + unit.y) * FLAG_STRIDE, 1u);
    }
}
