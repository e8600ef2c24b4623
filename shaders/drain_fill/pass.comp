#version 460
// Modules: CLEARED_BUFFER|-
// Modules: CLEARED_IMAGE
#extension GL_GOOGLE_include_directive : require
#include "include/step.glsl"

// One pass of a chain: each item goes on from the value that the previous pass left.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint STEPS = 1u; // below 65,536, as loops of lavapipe have to be

layout(push_constant) uniform Push {
    uint items;
    uint pass;
};

layout(std430, set = 0, binding = 0) restrict readonly buffer Previous { uint previous[]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer Next { uint next[]; };

// What a clear wrote before the pass; 0 in a chain without clears.
#if defined CLEARED_BUFFER
layout(std430, set = 0, binding = 2) restrict readonly buffer Cleared { uint cleared[]; };
uint load_cleared(uint item) { return cleared[item]; }
#elif defined CLEARED_IMAGE
layout(set = 0, binding = 2, r32ui) uniform restrict readonly uimage2D cleared;
uint load_cleared(uint item) {
    uint width = uint(imageSize(cleared).x);
    return imageLoad(cleared, ivec2(item % width, item / width)).x;
}
#else
uint load_cleared(uint item) { return 0u; }
#endif

void main() {
    uint item = in_line(gl_WorkGroupID, gl_NumWorkGroups) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (item >= items) {
        return;
    }
    // The number of the pass is mixed in, so that two passes in the wrong order give another result.
    uint value = previous[item] + pass * MULTIPLIER + load_cleared(item);
    for (uint i = 0u; i < STEPS; ++i) {
        value = stepped(value, MULTIPLIER);
    }
    next[item] = value;
}
