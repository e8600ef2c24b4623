#version 460
// Modules: STEPS_1024|STEPS_64|-
#extension GL_GOOGLE_include_directive : require
#include "include/step.glsl"

// Steps without a loop: as much code as there are steps. VERSION is mixed into the multiplier of every step and taken
// out again at run time, so that two versions share no code and have the same results.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint VERSION = 0u;

layout(push_constant) uniform Push {
    uint items;
    uint version; // equal to VERSION, which no compiler knows
};

layout(std430, set = 0, binding = 0) restrict writeonly buffer Results { uint results[]; };

#define S1(n) value = stepped(value, ((((n) + 1u) * MULTIPLIER | 1u) ^ VERSION) ^ version);
#define S4(n) S1(n) S1((n) + 1u) S1((n) + 2u) S1((n) + 3u)
#define S16(n) S4(n) S4((n) + 4u) S4((n) + 8u) S4((n) + 12u)
#define S64(n) S16(n) S16((n) + 16u) S16((n) + 32u) S16((n) + 48u)
#define S256(n) S64(n) S64((n) + 64u) S64((n) + 128u) S64((n) + 192u)
#define S1024(n) S256(n) S256((n) + 256u) S256((n) + 512u) S256((n) + 768u)

void main() {
    uint item = in_line(gl_WorkGroupID, gl_NumWorkGroups) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (item >= items) {
        return;
    }
    uint value = first(item);
#if defined STEPS_1024
    S1024(0u)
#elif defined STEPS_64
    S64(0u)
#else
    S16(0u)
#endif
    results[item] = value;
}
