#version 460
#extension GL_GOOGLE_include_directive : require
// Only unrolled loops keep sums in registers.
#extension GL_EXT_control_flow_attributes : require
#include "include/step.glsl"

// Light probes: each follows a ray from cell to cell and mixes every cell into one of its sums. Rays differ in length.
// A cell can only be fetched when the cell before has arrived, so it takes many waves to keep a multiprocessor busy.
// How many of them fit is up to SUMS: the sums stay in registers.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint SUMS = 8;
layout(constant_id = 2) const uint CELLS = 64;
// Neighbouring probes whose rays take the same way.
layout(constant_id = 3) const uint REGION = 64;

layout(push_constant) uniform Push {
    uint probes;
};

layout(std430, set = 0, binding = 0) restrict readonly buffer Rounds { uint rounds[]; }; // of SUMS cells each
layout(std430, set = 0, binding = 1) restrict readonly buffer Scene { uint next_cell[CELLS]; };
layout(std430, set = 0, binding = 2) restrict writeonly buffer Results { uint results[]; };

uint sums[SUMS];

void main() {
    uint probe = in_line(gl_WorkGroupID, gl_NumWorkGroups) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (probe >= probes) {
        return;
    }
    [[unroll]] for (uint i = 0u; i < SUMS; ++i) {
        sums[i] = first(probe + i);
    }
    uint cell = probe / REGION % CELLS;
    uint end = rounds[probe];
    for (uint n = 0u; n < end; ++n) {
        [[unroll]] for (uint i = 0u; i < SUMS; ++i) {
            cell = next_cell[cell];
            sums[i] = stepped(sums[i] ^ cell, MULTIPLIER);
        }
    }
    uint mixed = 0u;
    [[unroll]] for (uint i = 0u; i < SUMS; ++i) {
        mixed = stepped(mixed ^ sums[i], MULTIPLIER);
    }
    results[probe] = mixed;
}
