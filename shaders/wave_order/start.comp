#version 460
// Modules: SM|-
#extension GL_EXT_shader_realtime_clock : require
#ifdef SM
#extension GL_NV_shader_sm_builtins : require
#endif

// Workgroups that note when they begin and end, and on which multiprocessor.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint ROUNDS = 1024u; // a multiple of 16
// Whether workgroups differ in length: an eighth of the rounds to more than twice as many.
layout(constant_id = 2) const bool IS_UNEVEN = false;

layout(set = 0, binding = 0, std430) writeonly buffer Results { uint results[]; };
// For each workgroup the clock (low and high word) when it began, and its low word when it ended. Then the multiprocessor.
layout(set = 0, binding = 1, std430) writeonly buffer Notes { uvec4 notes[]; };

uint mixed(uint x) {
    x = x * 0x9E3779B1u ^ 0x7F4A7C15u;
    x = (x ^ x >> 15) * 0x85EBCA6Bu;
    return x ^ x >> 13;
}

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint item = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    uvec2 began = clockRealtime2x32EXT();
    // Never the other value, which no compiler can know: no round begins before the clock is read.
    uint x = began == uvec2(~0u) ? 0u : 2u * item;
    uint rounds = IS_UNEVEN ? ROUNDS / 8u + mixed(group) % ROUNDS * 2u : ROUNDS;
    for (uint i = 0u; i < rounds; i++) {
        x = x * 1664525u + 1013904223u;
    }
    results[item] = x;
    // Always: after an even number of rounds it is even again. No compiler knows, and reads the clock before the last round ends.
    if (gl_LocalInvocationIndex == 0u && x != 1u) {
#ifdef SM
        uint multiprocessor = gl_SMIDNV;
#else
        uint multiprocessor = 0u;
#endif
        notes[group] = uvec4(began, clockRealtime2x32EXT().x, multiprocessor);
    }
}
