#version 460
// Modules: LIMITED|-
#extension GL_EXT_shader_realtime_clock : require

// Arithmetic whose workgroups note when they begin.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint ROUNDS = 1024u; // a multiple of 16
#ifdef LIMITED
layout(constant_id = 2) const uint ROOM = 2048u; // words of shared memory, so that few workgroups run at once

shared uint room[ROOM];
#endif

layout(set = 0, binding = 0, std430) writeonly buffer Results { uint results[]; };
// For each workgroup the clock (low and high word) when it began, and the low word when it ended.
layout(set = 0, binding = 1, std430) writeonly buffer Notes { uvec4 notes[]; };

void main() {
    uvec2 began = clockRealtime2x32EXT();
    // Never the other value, which no compiler can know: no round begins before the clock is read.
    uint x = began == uvec2(~0u) ? 0u : 2u * gl_GlobalInvocationID.x;
#ifdef LIMITED
    // The word of the invocation beside this one is one bit off. It comes by memory, so that the memory is needed.
    uint self = gl_LocalInvocationIndex;
    room[self * (ROOM / gl_WorkGroupSize.x)] = x;
    barrier();
    x = room[(self ^ 1u) * (ROOM / gl_WorkGroupSize.x)] ^ 2u;
#endif
    for (uint i = 0u; i < ROUNDS; i++) {
        x = x * 1664525u + 1013904223u;
    }
    results[gl_GlobalInvocationID.x] = x;
    // Always: after an even number of rounds it is even again. No compiler knows, and reads the clock before the last round ends.
    if (gl_LocalInvocationIndex == 0u && x != 1u) {
        notes[gl_WorkGroupID.x] = uvec4(began, clockRealtime2x32EXT().x, 0u);
    }
}
