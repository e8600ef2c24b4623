#version 460
// Modules: AFTER_CLEAR|-
#extension GL_GOOGLE_include_directive : require
#include "drain_fill/step.glsl"

// One pass of a chain over all items: each goes on from where the pass before left it.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint STEPS = 1u; // below 65,536, which lavapipe's loops need

layout(push_constant) uniform Push {
    uint items;
    uint pass;
};

layout(std430, set = 0, binding = 0) restrict readonly buffer Previous { uint previous[]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer Next { uint next[]; };
#ifdef AFTER_CLEAR
layout(std430, set = 0, binding = 2) restrict readonly buffer Cleared { uint cleared[]; };
#endif

void main() {
    uint item = in_line(gl_WorkGroupID, gl_NumWorkGroups) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (item >= items) {
        return;
    }
    // The pass is mixed in, so that passes which change places give another result.
    uint value = previous[item] + pass * MULTIPLIER;
#ifdef AFTER_CLEAR
    value += cleared[item];
#endif
    for (uint i = 0u; i < STEPS; ++i) {
        value = stepped(value, MULTIPLIER);
    }
    next[item] = value;
}
